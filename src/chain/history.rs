//! Looking back: the questions about earlier rows that only a broken link asks.
//!
//! Memory must not grow with the number of rows, so no row is remembered: who answers reads the export
//! again.

use crate::fact::{Before, Digest, Facts, Place};

/// What a row whose link is broken asks.
pub struct Question<'q> {
    /// Where it stands: the question is about the rows before.
    pub place: Place,
    /// The digest that it states as its predecessor's.
    pub prev: Digest,
    /// Its own digest as it states it.
    pub hash: Option<Digest>,
    /// Whether a row is known already that has the digest `prev`.
    pub parent: bool,
    /// Whether a row is known already that follows on one with the digest `prev`.
    pub successor: bool,
    /// Whether a row that names this chain, or none, may be one of the asking row's chain.
    pub may_be_of: &'q dyn Fn(Option<&str>) -> bool,
}

/// What earlier rows say. The question is open no longer once it is `copy`, or there are a parent and a
/// successor: what else there is need not be found then.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookBack {
    /// An earlier line holds the same bytes.
    pub copy: bool,
    /// An earlier row of the chain states the digest as its own.
    pub parent: bool,
    /// An earlier row of the chain states it as its predecessor's.
    pub successor: bool,
    /// The number of the first such row, where it can be read.
    pub successor_sequence: Option<u64>,
}

impl LookBack {
    /// What these rows and the ones that follow them say together.
    #[must_use]
    pub fn before(self, next: LookBack) -> Self {
        LookBack {
            copy: self.copy || next.copy,
            parent: self.parent || next.parent,
            successor: self.successor || next.successor,
            successor_sequence: if self.successor { self.successor_sequence } else { next.successor_sequence },
        }
    }
}

/// Answers questions about rows before a place.
pub trait History {
    /// What earlier rows say to a question.
    fn look_back(&mut self, question: &Question<'_>) -> LookBack;

    /// The row at this place, checked again with what the row before it left; `None` if it can no longer be
    /// read.
    fn recheck(&mut self, place: Place, before: &Before) -> Option<Facts>;

    /// The rows from one place to another, one by one again.
    fn unfold(&mut self, from: Place, to: Place) -> Vec<Facts>;
}
