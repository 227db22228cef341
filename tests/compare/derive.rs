//! Ledgers of one or two chains, and second ones derived from them by an operation that is known.

use ed25519_dalek::Signer as _;
use proptest::prelude::*;
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use crate::ledger::{self, Job, Manifest, Recipe};

pub type Row = Map<String, Value>;

/// A line of an export.
#[derive(Clone, Debug)]
pub enum Line {
    Row(Row),
    /// Something else.
    Other(&'static str),
}

/// What is done to the copy.
#[derive(Clone, Debug)]
pub enum Operation {
    Nothing,
    /// The last lines are left out.
    Cut(usize),
    /// The first lines are left out.
    Late(usize),
    /// A row says something else; it and all behind it are hashed and signed anew.
    History(usize),
    /// It alone is.
    Replaced(usize),
    /// Nobody hashed or signed it.
    Edited(usize),
    /// It and all behind it are hashed anew without the key.
    Rehashed(usize),
    /// A copy of a row stands behind it.
    Repeated(usize),
    Deleted(usize),
    /// With the row behind it in its chain.
    Swapped(usize),
    /// With the line behind it, whatever its chain.
    Interleaved(usize),
    /// Members in another order, and spaces.
    Reserialised(usize),
    Signature(usize),
    /// The digest that a row states.
    Stated(usize),
    /// A line that is no row stands behind it.
    Garbage(usize),
    /// It is such a line itself.
    Torn(usize),
}

/// How lines become a file.
#[derive(Clone, Copy, Debug, Default)]
pub struct Shape {
    pub crlf: bool,
    pub bom: bool,
    pub blank: bool,
    pub unterminated: bool,
}

/// A ledger and its copy.
#[derive(Clone, Debug)]
pub struct Case {
    pub seed: u64,
    /// Rows of each chain.
    pub rows: [u64; 2],
    pub order: Vec<bool>,
    /// Bytes of a row, about: many make several batches.
    pub row_bytes: usize,
    pub operations: Vec<Operation>,
    pub shape: Shape,
}

pub fn cases() -> impl Strategy<Value = Case> {
    let at = || 0..16_usize;
    let operation = prop_oneof![
        1 => Just(Operation::Nothing),
        2 => at().prop_map(Operation::Cut),
        2 => at().prop_map(Operation::Late),
        2 => at().prop_map(Operation::History),
        1 => at().prop_map(Operation::Replaced),
        1 => at().prop_map(Operation::Edited),
        1 => at().prop_map(Operation::Rehashed),
        1 => at().prop_map(Operation::Repeated),
        1 => at().prop_map(Operation::Deleted),
        1 => at().prop_map(Operation::Swapped),
        2 => at().prop_map(Operation::Interleaved),
        2 => at().prop_map(Operation::Reserialised),
        1 => at().prop_map(Operation::Signature),
        1 => at().prop_map(Operation::Stated),
    ];
    let shape = any::<[bool; 5]>().prop_map(|[plain, crlf, bom, blank, unterminated]| match plain {
        true => Shape::default(),
        false => Shape { crlf, bom, blank, unterminated },
    });
    (
        any::<u64>(),
        (1..9_u64, 0..6_u64),
        prop::collection::vec(any::<bool>(), 16),
        prop_oneof![4 => Just(830_usize), 1 => Just(90_000)],
        prop::collection::vec(operation, 1..3),
        shape,
    )
        .prop_map(|(seed, (a, b), order, row_bytes, operations, shape)| Case {
            seed,
            rows: [a, b],
            order,
            row_bytes,
            operations,
            shape,
        })
}

impl Case {
    /// The lines of the ledger.
    pub fn lines(&self) -> Vec<Line> {
        let chain = |workspace: &str, rows: u64| -> Vec<Row> {
            let job = Job {
                seed: self.seed,
                rows,
                workspace: workspace.into(),
                recipe: Recipe::default(),
                start: 1,
                compensations: 0,
                row_bytes: self.row_bytes,
                sign: true,
                write_key: false,
                manifest: Manifest::None,
                manifest_name: String::new(),
                faults: Vec::new(),
                late_forks: 0,
            };
            let mut out = Vec::new();
            ledger::write_export(&job, &mut out).expect("memory");
            let text = String::from_utf8(out).expect("UTF-8");
            text.lines().map(|line| serde_json::from_str(line).expect("a row")).collect()
        };
        let chains = [chain("acme", self.rows[0]), chain("globex", self.rows[1])];
        let mut next = chains.map(|rows| rows.into_iter());
        let mut lines = Vec::new();
        for which in self.order.iter().cycle() {
            let [acme, globex] = &mut next;
            if acme.len() + globex.len() == 0 {
                return lines;
            }
            lines.extend(if *which { globex.next() } else { acme.next() }.map(Line::Row));
            if self.order.iter().all(|each| each == which) {
                lines.extend(acme.next().or_else(|| globex.next()).map(Line::Row));
            }
        }
        lines
    }

    /// The lines of the copy.
    pub fn copy(&self) -> Vec<Line> {
        let mut lines = self.lines();
        self.operations.iter().for_each(|operation| apply(operation, &mut lines, self.seed));
        lines
    }
}

fn apply(operation: &Operation, lines: &mut Vec<Line>, seed: u64) {
    use Operation::*;
    if lines.is_empty() {
        return;
    }
    let (Cut(at) | Late(at) | History(at) | Replaced(at) | Edited(at) | Rehashed(at) | Repeated(at) | Deleted(at)
    | Swapped(at) | Interleaved(at) | Reserialised(at) | Signature(at) | Stated(at) | Garbage(at) | Torn(at)) =
        operation
    else {
        return;
    };
    let at = at % lines.len();
    let edit = |line: &mut Line| {
        if let Line::Row(row) = line {
            row.insert("agent".into(), "somebody-else".into());
        }
    };
    match operation {
        Nothing => {}
        Cut(_) => lines.truncate(lines.len() - at),
        Late(_) => drop(lines.drain(..at)),
        History(_) => {
            edit(&mut lines[at]);
            chain_anew(lines, at, seed, usize::MAX, true);
        }
        Replaced(_) => {
            edit(&mut lines[at]);
            chain_anew(lines, at, seed, 1, true);
        }
        Edited(_) => edit(&mut lines[at]),
        Rehashed(_) => {
            edit(&mut lines[at]);
            chain_anew(lines, at, seed, usize::MAX, false);
        }
        Repeated(_) => lines.insert(at, lines[at].clone()),
        Deleted(_) => drop(lines.remove(at)),
        Swapped(_) => {
            let same = (at + 1..lines.len()).find(|other| chain(&lines[*other]) == chain(&lines[at]));
            same.into_iter().for_each(|other| lines.swap(at, other));
        }
        Interleaved(_) => {
            let other = (at + 1) % lines.len();
            lines.swap(at, other);
        }
        Reserialised(_) => lines.iter_mut().skip(at).for_each(|line| {
            if let Line::Row(row) = line {
                *row = row.clone().into_iter().rev().collect();
            }
        }),
        Signature(_) => set(&mut lines[at], "signature", format!("ed25519:{}", "07".repeat(64))),
        Stated(_) => set(&mut lines[at], "hash", format!("0x{}", "ab".repeat(32))),
        Garbage(_) => lines.insert(at + 1, Line::Other("{\"sequence\":")),
        Torn(_) => lines[at] = Line::Other("{\"sequence\":"),
    }
}

fn set(line: &mut Line, member: &str, value: String) {
    if let Line::Row(row) = line {
        row.insert(member.into(), value.into());
    }
}

pub fn chain(line: &Line) -> Option<String> {
    match line {
        Line::Row(row) => row["workspace"].as_str().map(str::to_owned),
        Line::Other(_) => None,
    }
}

/// Hash so many rows of the chain of this one anew, from it on, and sign them or not.
pub fn chain_anew(lines: &mut [Line], at: usize, seed: u64, most: usize, sign: bool) {
    let own = chain(&lines[at]);
    let key = ledger::signing_key(seed, 0);
    let mut previous: Option<String> = None;
    for line in lines.iter_mut().skip(at).filter(|line| chain(line) == own).take(most) {
        let Line::Row(row) = line else { continue };
        if let Some(previous) = &previous {
            row.insert("prev_hash".into(), previous.clone().into());
        }
        let digest = digest(row);
        row.insert("hash".into(), ledger::digest_text(&digest).into());
        if sign {
            let signature = data_encoding::HEXLOWER.encode(&key.sign(&digest).to_bytes());
            row.insert("signature".into(), format!("ed25519:{signature}").into());
        }
        previous = Some(ledger::digest_text(&digest));
    }
}

/// The digest of a row of the home format.
pub fn digest(row: &Row) -> [u8; 32] {
    let mut bare = row.clone();
    let _ = (bare.remove("hash"), bare.remove("signature"));
    let previous = row["prev_hash"].as_str().expect("a link").trim_start_matches("0x").to_owned();
    let previous = data_encoding::HEXLOWER.decode(previous.as_bytes()).expect("hex");
    Sha256::digest([ledger::canonical(&bare), previous].concat()).into()
}

/// The lines as a file.
pub fn file(lines: &[Line], shape: Shape, spaced: bool) -> Vec<u8> {
    let mut out = Vec::new();
    if shape.bom {
        out.extend_from_slice(b"\xef\xbb\xbf");
    }
    for (index, line) in lines.iter().enumerate() {
        let text = match line {
            Line::Row(row) if spaced => format!(" {} ", serde_json::to_string(row).expect("JSON")),
            Line::Row(row) => serde_json::to_string(row).expect("JSON"),
            Line::Other(text) => (*text).to_owned(),
        };
        out.extend_from_slice(text.as_bytes());
        if index + 1 < lines.len() || !shape.unterminated {
            out.extend_from_slice(if shape.crlf { b"\r\n" } else { b"\n" });
        }
        if shape.blank && index.is_multiple_of(2) && index + 1 < lines.len() {
            out.extend_from_slice(b" \t\n");
        }
    }
    out
}
