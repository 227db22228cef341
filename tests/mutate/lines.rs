//! What is done to whole lines: rows are lost, copied, moved, and what stands between them changes.

use proptest::prelude::*;

use super::ledger::{self, Job};
use super::{Case, pick};

/// Something that is done to lines.
#[derive(Clone, Debug)]
pub enum LineChange {
    /// Rows are lost.
    Delete(u16, u8),
    /// Rows stand in another place as well.
    Copy(u16, u8, u16),
    /// Two rows change places.
    Swap(u16, u16),
    /// A row stands elsewhere.
    Move(u16, u16),
    /// A row of another ledger comes in.
    Foreign(u16, u8),
    /// A row of the same ledger's other past comes in: same number, same predecessor, other content.
    Sibling(u16, u16),
    /// Something stands at the end of a line.
    End(u16, u8),
    /// Something stands before a line.
    Before(u16, u8),
    /// The same ledger stands behind once more.
    Again,
}

pub const ENDS: [&[u8]; 8] = [b"\r\n", b"", b" \n", b"\r", b"\r\r\n", b"\xe2\x80\xa8\n", b"\x0b\n", b"\n\n"];
pub const BEFORE: [&[u8]; 10] =
    [b"\n", b" \t\n", b"\r\n", b"\xef\xbb\xbf", b" ", b"{}\n", b"null\n", b"[1]\n", b"{\"sequence\":1}\n", b"\x0c\n"];

/// The lines, each with its LF.
pub fn split(export: &[u8]) -> Vec<Vec<u8>> {
    export.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect()
}

impl LineChange {
    pub fn apply(&self, case: &Case, export: &mut Vec<u8>) {
        let mut lines = split(export);
        if lines.is_empty() {
            return;
        }
        let count = lines.len();
        let at = |row: u16| pick(row, count);
        let gap = |row: u16| pick(row, count + 1);
        let range = |row: u16, more: u8| at(row)..(at(row) + 1 + usize::from(more % 4)).min(count);
        match *self {
            LineChange::Delete(row, more) => drop(lines.drain(range(row, more))),
            LineChange::Copy(row, more, to) => {
                let copy = lines[range(row, more)].to_vec();
                lines.splice(gap(to)..gap(to), copy);
            }
            LineChange::Swap(row, other) => lines.swap(at(row), at(other)),
            LineChange::Move(row, to) => {
                let line = lines.remove(at(row));
                lines.insert(pick(to, count), line);
            }
            LineChange::Foreign(to, seed) => {
                let foreign = forged(u64::from(seed) + 100, case);
                let line = pick(to / 16, foreign.len());
                lines.insert(gap(to), foreign[line].clone());
            }
            LineChange::Sibling(row, to) => {
                // Another seed gives other content; only the first rows have a predecessor in common.
                let sibling = forged(case.seed + 1, case);
                let line = pick(row, sibling.len().min(2));
                lines.insert(gap(to), sibling[line].clone());
            }
            LineChange::End(row, end) => {
                let line = &mut lines[at(row)];
                while line.last().is_some_and(|byte| b"\r\n".contains(byte)) {
                    line.pop();
                }
                line.extend_from_slice(ENDS[pick(u16::from(end), ENDS.len())]);
            }
            LineChange::Before(row, what) => {
                let text = BEFORE[pick(u16::from(what), BEFORE.len())];
                lines[at(row)].splice(0..0, text.iter().copied());
            }
            LineChange::Again => lines.extend_from_within(..),
        }
        *export = lines.concat();
    }
}

fn forged(seed: u64, case: &Case) -> Vec<Vec<u8>> {
    let job = Job {
        seed,
        rows: 4,
        recipe: case.recipe(),
        start: case.start,
        compensations: case.compensations,
        row_bytes: 300,
        ..Job::default()
    };
    let mut export = Vec::new();
    ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
    split(&export)
}

/// Any change of lines.
pub fn strategy() -> impl Strategy<Value = LineChange> {
    let row = any::<u16>;
    let few = any::<u8>;
    prop_oneof![
        3 => (row(), few()).prop_map(|(row, more)| LineChange::Delete(row, more)),
        4 => (row(), few(), row()).prop_map(|(row, more, to)| LineChange::Copy(row, more, to)),
        2 => (row(), row()).prop_map(|(row, other)| LineChange::Swap(row, other)),
        2 => (row(), row()).prop_map(|(row, to)| LineChange::Move(row, to)),
        1 => (row(), few()).prop_map(|(to, seed)| LineChange::Foreign(to, seed)),
        1 => (row(), row()).prop_map(|(row, to)| LineChange::Sibling(row, to)),
        2 => (row(), few()).prop_map(|(row, end)| LineChange::End(row, end)),
        2 => (row(), few()).prop_map(|(row, what)| LineChange::Before(row, what)),
        1 => Just(LineChange::Again),
    ]
}
