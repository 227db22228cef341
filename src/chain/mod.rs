//! The chain: links, sequence, reversals and keys, judged over small facts in file order.
//!
//! A batch of rows folds into a [`Segment`], neighbouring segments merge, and a [`Walk`] judges them
//! from the first to the last. How the rows were cut into segments changes nothing: absorbing a merged
//! segment is the same as absorbing its halves, which a property test holds us to.
//!
//! The walk follows one rule above all: one edit, one fault. After a break it goes on from what the row
//! states, and what cannot be read is not judged twice.

mod directory;
mod filter;
mod history;
mod judge;
mod keys;
mod link;
mod parents;
mod pins;
mod reversal;
mod segment;
mod sequence;
mod state;
mod walk;

pub use filter::LinkFilter;
pub use history::{History, LookBack, Question};
pub use pins::PinSeen;
pub use segment::{Basis, Segment};
pub use state::{ChainEnd, Start};
pub use walk::{Totals, Walk, WalkEnd};

use std::sync::Arc;

use crate::encoding::TextForm;
use crate::fact::{Digest, KeyIndex, Pin};

/// What the walk must know about the format, the keys and the anchors.
#[derive(Clone, Debug)]
pub struct Rules {
    /// The link of a first row.
    pub genesis: Digest,
    /// How digests are written, for findings.
    pub form: TextForm,
    /// The numbers a first row may have.
    pub sequence_starts: Vec<u64>,
    /// How far apart neighbouring numbers are.
    pub sequence_step: u64,
    /// For each key the chains it may sign for; none means any.
    pub bindings: Vec<Vec<Arc<str>>>,
    /// Chains that may start in the middle because the manifest has an entry for them.
    pub announced: Vec<Arc<str>>,
    /// Heads that were seen earlier.
    pub pins: Vec<Pin>,
}

impl Rules {
    /// Whether `key` may sign for this chain.
    pub fn permits(&self, key: KeyIndex, chain: Option<&str>) -> bool {
        match self.bindings.get(usize::from(key.0)) {
            Some(chains) if chains.is_empty() => true,
            Some(chains) => chain.is_some_and(|chain| chains.iter().any(|bound| &**bound == chain)),
            None => false,
        }
    }

    /// Whether a pin is about this sequence or this digest, so that the row must be looked at alone.
    pub fn pins_row(&self, sequence: u64, digest: &Digest) -> bool {
        self.pins.iter().any(|pin| match pin.sequence {
            Some(pinned) => pinned.get() == sequence,
            None => pin.digest == *digest,
        })
    }

    /// Whether a first row may have this number.
    pub fn may_start(&self, sequence: u64) -> bool {
        self.sequence_starts.contains(&sequence)
    }
}
