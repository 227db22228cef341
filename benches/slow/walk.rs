//! The sequential walk over the rows of one chain: what neighbours say of each other.
//!
//! Rules by number are those of the format's description, "The walk: one edit, one fault".

use std::collections::{HashMap, HashSet};

use super::row::{Digest, Row};

/// A line that is no empty line.
pub struct Line<'a> {
    /// Its number, from 1.
    pub number: u64,
    /// Its bytes without the line end.
    pub bytes: &'a [u8],
    /// The row in it, or why it is unreadable.
    pub row: Result<Row, &'static str>,
}

/// What a row proves by itself under the settled recipe.
pub struct Proof {
    /// Its recomputed digest.
    pub digest: Option<Digest>,
    /// The key that signed it.
    pub key: Option<usize>,
    /// Its findings.
    pub codes: Vec<&'static str>,
}

/// What the walk knows at the end, for the anchors.
#[derive(Default)]
pub struct Chain {
    /// The findings.
    pub findings: Vec<(Option<u64>, &'static str)>,
    /// The chain's workspace.
    pub workspace: Option<String>,
    /// The first number, where the start could be read.
    pub first_sequence: Option<u64>,
    /// What the first row states as its predecessor, where the export starts in the middle.
    pub partial_start: Option<Digest>,
    /// Each row but copies.
    pub rows: Vec<Passed>,
    /// Whether the last line could be read.
    pub end_readable: bool,
    /// Whether any line could not be read.
    pub has_unreadable: bool,
    /// Numbers that lines may have had that could not be read, from and to.
    pub unread: Vec<(u64, u64)>,
}

/// A row that the walk went over.
#[derive(Clone, Copy)]
pub struct Passed {
    /// The numbers it may have: one, unless it could not be read. `None` where nothing is known.
    pub numbers: Option<(u64, u64)>,
    /// Its recomputed digest.
    pub digest: Option<Digest>,
}

impl Passed {
    /// Its number, where it is known.
    pub fn number(&self) -> Option<u64> {
        self.numbers.filter(|(low, high)| low == high).map(|(low, _)| low)
    }
}

/// The state between two rows.
#[derive(Default)]
struct Walk<'a> {
    chain: Chain,
    /// Unreadable lines since the last readable row.
    unreadable: u64,
    started: bool,
    /// Whether the ledger starts here, so that no number is smaller.
    genesis: bool,
    /// The numbers that the last row may have.
    last: Option<(u64, u64)>,
    /// The rows with each name (stated hash; also the recomputed one where they differ), and whether
    /// some later row follows them.
    named: HashMap<Digest, Vec<usize>>,
    followed: Vec<bool>,
    /// All digests that rows state as their predecessor's.
    stated: HashSet<Digest>,
    lines: HashSet<&'a [u8]>,
    compensations: HashSet<u64>,
    reversed: HashSet<u64>,
    /// The number with which the chain began anew.
    anew: Option<u64>,
    time: Option<jiff::Timestamp>,
    keys: Vec<usize>,
}

/// Walk over all lines.
pub fn walk<'a>(lines: &'a [Line<'a>], proofs: &[Option<Proof>]) -> Chain {
    let mut walk = Walk::default();
    for (line, proof) in lines.iter().zip(proofs) {
        match (&line.row, proof) {
            (Ok(row), Some(proof)) => walk.row(line, row, proof),
            (Err(code), _) => {
                walk.tell(line, code);
                walk.unreadable += 1;
                walk.chain.has_unreadable = true;
            }
            (Ok(_), None) => unreachable!("each readable row has a proof"),
        }
    }
    walk.chain.end_readable = walk.started && walk.unreadable == 0;
    if walk.unreadable > 0 {
        let (low, high) = walk.last.map_or((0, u64::MAX - walk.unreadable), |(low, high)| (low + 1, high));
        walk.chain.unread.push((low, high + walk.unreadable));
    }
    walk.chain
}

impl<'a> Walk<'a> {
    fn tell(&mut self, line: &Line, code: &'static str) {
        self.chain.findings.push((Some(line.number), code));
    }

    fn row(&mut self, line: &'a Line<'a>, row: &Row, proof: &Proof) {
        let link = if self.started { self.link(line, row) } else { None };
        if link == Some("sequence-repeated") {
            // A copy: nothing else is said of it, and the walk goes on from the row before.
            self.tell(line, "sequence-repeated");
            self.unreadable = 0;
            return;
        }
        for code in &proof.codes {
            self.tell(line, code);
        }
        if let Some(code) = link {
            self.tell(line, code);
        }
        let numbers = if self.started {
            self.sequence(line, row, matches!(link, Some("fork" | "second-genesis")))
        } else {
            self.start(line, row);
            row.sequence.map(|sequence| (sequence, sequence))
        };
        if let (Some("second-genesis"), Some(0 | 1)) = (link, row.sequence) {
            // Another ledger in the same chain: the numbers mean other rows from here on.
            self.compensations.clear();
            self.reversed.clear();
            self.anew = row.sequence;
        }
        self.unread_before(row);
        self.remember(line, row, proof, numbers);
        self.content(line, row, numbers.map(|(_, high)| high));
        self.key(line, proof.key);
        self.started = true;
        self.unreadable = 0;
        self.last = numbers;
    }

    /// Rule 5 of the format: where a chain starts.
    fn start(&mut self, line: &Line, row: &Row) {
        if self.unreadable > 0 {
            return;
        }
        self.chain.first_sequence = row.sequence;
        let Some(prev) = row.prev else { return };
        let zero = prev == [0; 32];
        self.genesis = zero || row.sequence.is_some_and(|sequence| sequence <= 1);
        if row.sequence.is_some_and(|sequence| zero != (sequence <= 1)) {
            self.tell(line, "genesis-broken");
        } else if !zero {
            self.chain.partial_start = Some(prev);
        }
    }

    /// Numbers that the unreadable lines before this row may have had.
    fn unread_before(&mut self, row: &Row) {
        let low = self.last.map_or(0, |(low, _)| low + 1);
        match row.sequence {
            Some(sequence) if self.unreadable > 0 && low < sequence => self.chain.unread.push((low, sequence - 1)),
            None if self.unreadable > 0 && self.last.is_none() => self.chain.unread.push((0, u64::MAX)),
            _ => {}
        }
    }

    /// Rules 1 to 3: what is wrong with the link of a row that is not the first.
    fn link(&mut self, line: &Line, row: &Row) -> Option<&'static str> {
        let last = self.followed.len() - 1;
        let Some(prev) = row.prev else {
            // An unreadable field is taken as expected; behind unreadable lines it names one of them.
            self.followed[last] |= self.unreadable == 0;
            return None;
        };
        let parents = self.named.get(&prev).cloned().unwrap_or_default();
        let forks = !parents.is_empty() && self.stated.contains(&prev) || parents.iter().any(|&row| self.followed[row]);
        // A row without any digest has no name that could be linked to.
        let nameless = !self.named.values().any(|rows| rows.contains(&last));
        let code = if self.unreadable > 0 || parents.contains(&last) || nameless {
            None
        } else if prev == [0; 32] {
            Some("second-genesis")
        } else if self.lines.contains(line.bytes) {
            Some("sequence-repeated")
        } else if forks {
            Some("fork")
        } else {
            Some("link-broken")
        };
        if code != Some("sequence-repeated") {
            parents.iter().for_each(|&parent| self.followed[parent] = true);
        }
        code
    }

    /// Rules 1, 2 and 4: what is wrong with the number; gives the numbers to go on from.
    fn sequence(&mut self, line: &Line, row: &Row, spoken_for: bool) -> Option<(u64, u64)> {
        let next = self.last.map(|(low, high)| (low + 1, high + 1 + self.unreadable));
        let Some(sequence) = row.sequence else { return next };
        let (Some((low, high)), exactly) = (next, Some((sequence, sequence))) else {
            return Some((sequence, sequence));
        };
        let code = if sequence > high {
            "sequence-gap"
        } else if sequence >= low {
            return exactly;
        } else if sequence == low - 1 {
            "sequence-repeated"
        } else {
            "sequence-backwards"
        };
        if !spoken_for {
            self.tell(line, code);
        }
        exactly
    }

    fn remember(&mut self, line: &'a Line<'a>, row: &Row, proof: &Proof, numbers: Option<(u64, u64)>) {
        let index = self.followed.len();
        let mismatch = proof.codes.contains(&"hash-mismatch");
        self.followed.push(false);
        let recomputed = proof.digest.filter(|_| mismatch || row.hash.is_none());
        for name in row.hash.into_iter().chain(recomputed) {
            self.named.entry(name).or_default().push(index);
        }
        self.stated.extend(row.prev);
        self.lines.insert(line.bytes);
        self.chain.rows.push(Passed { numbers, digest: proof.digest });
    }

    /// Rules 6 to 8 of the format: workspace, reversals, time.
    fn content(&mut self, line: &Line, row: &Row, sequence: Option<u64>) {
        if let Some(workspace) = &row.workspace {
            let own = self.chain.workspace.get_or_insert_with(|| workspace.clone());
            if own != workspace {
                self.tell(line, "chain-mixed");
            }
        }
        if let Some(target) = row.reverses
            && let Some(code) = self.reversal(target, sequence)
        {
            self.tell(line, code);
        }
        if let Some(sequence) = sequence.filter(|_| row.reverses.is_some()) {
            self.compensations.insert(sequence);
        }
        if let Some(time) = row.time {
            if self.time.is_some_and(|last| time < last) {
                self.tell(line, "clock-backwards");
            }
            self.time = Some(time);
        }
        if row.restore_mismatch {
            self.tell(line, "restore-mismatch");
        }
    }

    fn reversal(&mut self, target: Option<u64>, sequence: Option<u64>) -> Option<&'static str> {
        let Some(target) = target else { return Some("reversal-invalid") };
        if sequence.is_some_and(|sequence| target >= sequence)
            || self.compensations.contains(&target)
            || !self.reversed.insert(target)
        {
            return Some("reversal-invalid");
        }
        if let Some(first) = self.anew {
            return (target < first).then_some("reversal-invalid");
        }
        // Where the start cannot be read it is not judged.
        let first = self.chain.first_sequence?;
        if target >= first {
            return None;
        }
        match self.chain.partial_start {
            Some(_) => Some("reversal-unchecked"),
            None => self.genesis.then_some("reversal-invalid"),
        }
    }

    fn key(&mut self, line: &Line, key: Option<usize>) {
        let Some(key) = key.filter(|key| self.keys.last() != Some(key)) else { return };
        if self.keys.contains(&key) {
            self.tell(line, "keys-interleaved");
        }
        self.keys.push(key);
    }
}
