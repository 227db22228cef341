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
    /// Number and recomputed digest of each row but copies.
    pub rows: Vec<(Option<u64>, Option<Digest>)>,
    /// Whether the last line could be read.
    pub end_readable: bool,
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
    /// Unreadable lines before the first row.
    unreadable_start: u64,
    last_sequence: Option<u64>,
    /// The names of each row (stated hash; also the recomputed one where they differ), and whether
    /// some row follows it.
    named: HashMap<Digest, usize>,
    followed: Vec<bool>,
    lines: HashSet<&'a [u8]>,
    entries: HashSet<u64>,
    compensations: HashSet<u64>,
    reversed: HashSet<u64>,
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
            }
            (Ok(_), None) => unreachable!("each readable row has a proof"),
        }
    }
    walk.chain.end_readable = walk.started && walk.unreadable == 0;
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
        let sequence = if self.started {
            self.sequence(line, row, matches!(link, Some("fork" | "second-genesis")))
        } else {
            self.start(line, row);
            row.sequence
        };
        self.remember(line, row, proof, sequence);
        self.content(line, row, sequence);
        self.key(line, proof.key);
        self.started = true;
        self.unreadable = 0;
        self.last_sequence = sequence;
    }

    /// Rule 5 of the format: where a chain starts.
    fn start(&mut self, line: &Line, row: &Row) {
        self.unreadable_start = self.unreadable;
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

    /// Rules 1 to 3: what is wrong with the link of a row that is not the first.
    fn link(&mut self, line: &Line, row: &Row) -> Option<&'static str> {
        let last = self.followed.len() - 1;
        let Some(prev) = row.prev else {
            self.followed[last] = true; // an unreadable field is taken as expected
            return None;
        };
        let parent = self.named.get(&prev).copied();
        let forks = parent.is_some_and(|parent| self.followed[parent]);
        // A row without any digest has no name that could be linked to.
        let nameless = !self.named.values().any(|&row| row == last);
        let code = if self.unreadable > 0 || parent == Some(last) || nameless {
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
        if let Some(parent) = parent
            && code != Some("sequence-repeated")
        {
            self.followed[parent] = true;
        }
        code
    }

    /// Rules 1, 2 and 4: what is wrong with the number; gives the number to go on from.
    fn sequence(&mut self, line: &Line, row: &Row, spoken_for: bool) -> Option<u64> {
        let last = self.last_sequence;
        let Some(sequence) = row.sequence else { return last.map(|last| last + 1 + self.unreadable) };
        let Some(last) = last else { return Some(sequence) };
        let code = if sequence > last + 1 + self.unreadable {
            "sequence-gap"
        } else if sequence > last {
            return Some(sequence);
        } else if sequence == last {
            "sequence-repeated"
        } else {
            "sequence-backwards"
        };
        if !spoken_for {
            self.tell(line, code);
        }
        Some(sequence)
    }

    fn remember(&mut self, line: &'a Line<'a>, row: &Row, proof: &Proof, sequence: Option<u64>) {
        let index = self.followed.len();
        let mismatch = proof.codes.contains(&"hash-mismatch");
        self.followed.push(false);
        if let Some(name) = row.hash {
            self.named.insert(name, index);
        }
        if let Some(name) = proof.digest.filter(|_| mismatch || row.hash.is_none()) {
            self.named.insert(name, index);
        }
        self.lines.insert(line.bytes);
        self.chain.rows.push((sequence, proof.digest));
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
        if let Some(sequence) = sequence {
            let kind = if row.reverses.is_some() { &mut self.compensations } else { &mut self.entries };
            kind.insert(sequence);
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
        let first = self.chain.rows.first().and_then(|row| row.0)?;
        // Numbers of unreadable first lines are like a gap: not judged.
        if target + self.unreadable_start >= first {
            return None;
        }
        Some(if self.genesis { "reversal-invalid" } else { "reversal-unchecked" })
    }

    fn key(&mut self, line: &Line, key: Option<usize>) {
        let Some(key) = key.filter(|key| self.keys.last() != Some(key)) else { return };
        if self.keys.contains(&key) {
            self.tell(line, "keys-interleaved");
        }
        self.keys.push(key);
    }
}
