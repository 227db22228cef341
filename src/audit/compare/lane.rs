//! One chain of both exports: its rows side by side, by their place in the chain.
//!
//! Decided here: nothing. It holds what [`super::pairing`] decides by.

use std::collections::VecDeque;
use std::sync::Arc;

use super::reading::Kept;
use crate::report::compare::Side;

/// What is known of a chain so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum State {
    /// Its rows are the same so far, or none was compared.
    #[default]
    Together,
    /// They are not, from this fork on, by its place in the list; `None` for one that is no longer told.
    Forked(Option<usize>),
    /// Its rows cannot be put side by side.
    Lost,
}

/// A chain.
#[derive(Debug, Default)]
pub(super) struct Lane {
    pub name: Option<String>,
    pub state: State,
    /// Rows that wait; at most one of the two has any while rows are compared.
    pub held: [VecDeque<Kept>; 2],
    /// Rows that both have.
    pub matched: u64,
    /// The last of them, as each has it.
    pub last: [Option<Arc<Kept>>; 2],
    /// The one that starts earlier: its rows are passed over until the other's first one.
    pub skipping: Option<Side>,
    /// The row that was passed over last is the one that the other's first row states as its predecessor.
    pub aligned: bool,
    /// Rows that were passed over.
    pub skipped: u64,
    /// Rows of it may stand before what was looked at row by row.
    pub earlier: bool,
}

impl Lane {
    /// Whether no row was compared, so that the two may start at different rows.
    pub fn is_fresh(&self) -> bool {
        self.matched == 0 && self.state == State::Together && !self.aligned
    }
}
