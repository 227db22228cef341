//! Patterns: what the teller remembers of rows, each the least that a story needs.

use std::sync::Arc;

use super::seen::{At, Mark, Names, Signature};
use crate::fact::{Digest, Place};
use crate::finding::Code;

/// A head that the manifest states.
#[derive(Clone, Copy, Debug)]
pub(super) struct Wanted {
    pub digest: Digest,
    /// The first row that has it, with its chain, and the row behind.
    pub seen: Option<(usize, At)>,
    pub behind: Option<At>,
}

/// One chain.
#[derive(Clone, Debug)]
pub(super) struct Track {
    pub name: Option<Arc<str>>,
    pub first: At,
    pub first_prev: Option<Digest>,
    /// The last row that is no copy.
    pub last: At,
    pub names: Names,
    /// Rows, copies among them.
    pub rows: u64,
    pub last_is_good: bool,
    /// The group that the last row is in.
    pub open: Option<usize>,
    /// Lines of the export that could not be read when the last row passed.
    pub unread: u64,
    /// What the last row before the first break that was not remembered is called.
    pub forgotten: Option<(At, Names)>,
}

/// Neighbouring rows with the same fault.
#[derive(Clone, Debug)]
pub(super) struct Group {
    pub chain: usize,
    pub mark: Mark,
    pub first: At,
    pub last: At,
    pub rows: u64,
    pub faults: u64,
    /// What the row before is called.
    pub before: Names,
    pub good_before: Option<u64>,
    pub after: Option<After>,
    /// The number of one of the rows is wrong.
    pub numbered: bool,
}

/// The row behind a group.
#[derive(Clone, Copy, Debug)]
pub(super) struct After {
    pub at: At,
    /// How it names the last row of the group.
    pub by: By,
    pub mark: Mark,
}

/// By which digest a row is named.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum By {
    /// The one it states.
    Stated,
    /// The one that its content has.
    Content,
    /// By none.
    No,
}

/// A row that is not chained to the row before it.
#[derive(Clone, Debug)]
pub(super) struct Break {
    pub chain: usize,
    pub code: Code,
    pub at: At,
    pub prev: Option<Digest>,
    pub hash: Option<Digest>,
    pub mark: Mark,
    pub first_of_part: bool,
    pub before: At,
    pub before_is_good: bool,
    pub names: Names,
    /// What is wrong with its number, the number that should follow, and the one that stands.
    pub number: Option<(Code, u64, u64)>,
    pub other: Option<u64>,
    pub faults: u64,
}

/// Neighbouring rows whose numbers are out of step though their links are good.
#[derive(Clone, Copy, Debug)]
pub(super) struct Number {
    pub chain: usize,
    pub code: Code,
    pub first: At,
    pub last: At,
    pub rows: u64,
    pub expected: u64,
    pub found: u64,
    pub before: At,
}

/// Neighbouring copies.
#[derive(Clone, Copy, Debug)]
pub(super) struct Copies {
    pub chain: usize,
    pub first: At,
    pub last: At,
    pub rows: u64,
    pub before: Option<u64>,
}

/// Neighbouring lines that cannot be read.
#[derive(Clone, Copy, Debug)]
pub(super) struct Damage {
    pub first: Place,
    pub last: Place,
    pub lines: u64,
    pub code: Code,
    pub before: Option<u64>,
    pub after: Option<u64>,
    /// Numbers that are missing beyond one for each line.
    pub missing: u64,
    pub faults: u64,
    /// How many rows stand before it.
    pub rows_before: u64,
}

impl Group {
    /// The row behind was properly signed and is chained to exactly this content.
    pub fn is_vouched_for(&self) -> bool {
        self.after
            .is_some_and(|after| after.by != By::No && !after.mark.digest && after.mark.signature == Signature::Holds)
    }
}
