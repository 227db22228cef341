//! Findings: what is worth saying about an export.
//!
//! A finding is data: it has a permanent code, a class, a place and facts. It is never an error
//! of the run (that is a [`crate::stop::Stop`]) and never ends one.

mod codes;
mod notes;
mod prose;
mod tally;

use std::sync::Arc;

pub use codes::{Class, Code};
pub use notes::Notes;
pub use tally::{Counted, Policy, Tally};

use crate::place::Place;

/// Something about the export that is worth saying.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Finding {
    /// What kind of thing.
    pub code: Code,
    /// Where; `None` for what concerns the export as a whole.
    pub place: Option<Place>,
    /// The sequence number of the row, where it is known.
    pub sequence: Option<u64>,
    /// The chain (workspace), where it is known.
    pub chain: Option<Arc<str>>,
    /// The member of the row or of the anchor that is meant.
    pub member: Option<Arc<str>>,
    /// What should stand there.
    pub expected: Option<String>,
    /// What stands there, or why it could not be read.
    pub found: Option<String>,
    /// The sequence number of the other row that is meant: of a fork, the one that follows the same row.
    pub other: Option<u64>,
}

impl Finding {
    /// A finding without facts.
    pub fn new(code: Code, place: Option<Place>) -> Self {
        Finding { code, place, sequence: None, chain: None, member: None, expected: None, found: None, other: None }
    }

    /// The same, about this sequence number.
    #[must_use]
    pub fn sequence(mut self, sequence: Option<u64>) -> Self {
        self.sequence = sequence;
        self
    }

    /// The same, about this chain.
    #[must_use]
    pub fn chain(mut self, chain: Option<Arc<str>>) -> Self {
        self.chain = chain;
        self
    }

    /// The same, about this member.
    #[must_use]
    pub fn member(mut self, member: impl Into<Arc<str>>) -> Self {
        self.member = Some(member.into());
        self
    }

    /// The same, with what should stand there.
    #[must_use]
    pub fn expected(mut self, text: impl Into<String>) -> Self {
        self.expected = Some(text.into());
        self
    }

    /// The same, with what stands there instead.
    #[must_use]
    pub fn found(mut self, text: impl Into<String>) -> Self {
        self.found = Some(text.into());
        self
    }
}
