//! The chain: links, sequence, reversals and keys, judged over small facts in file order.
//!
//! A batch of rows folds into a [`Segment`], neighbouring segments merge, and a [`Walk`] judges them
//! from the first to the last. How the rows were cut into segments changes nothing: absorbing a merged
//! segment is the same as absorbing its halves, which a property test holds us to.
//!
//! The walk follows one rule above all: one edit, one fault. After a break it goes on from what the row
//! states, and what cannot be read is not judged twice.

mod counted;
mod declared;
mod directory;
mod filter;
mod history;
mod judge;
mod keys;
mod link;
mod parents;
mod pins;
mod proof;
mod reversal;
mod segment;
mod sequence;
mod standing;
mod state;
mod vouched;
mod walk;

pub use counted::{CountPins, CountSeen, CountsSeen};
pub use declared::{Declaration, Declarations, Excuse, Resume};
pub use filter::LinkFilter;
pub use history::{History, LookBack, Question};
pub use link::Tip;
pub use pins::PinSeen;
pub use segment::{Basis, Segment};
pub use standing::Standing;
pub use state::{ChainEnd, Start};
pub use vouched::Vouched;
pub use walk::{Totals, Walk, WalkEnd};

use std::sync::Arc;

use crate::fact::{Digest, Facts, KeyIndex, LinkForm, Pin};

/// Chains that one export may hold. Each costs memory to the end of the run, whatever its length, so that an
/// export of genesis rows alone could ask for any amount.
pub const MAX_CHAINS: usize = 1_000_000;

/// What the walk must know about the format, the keys and the anchors.
#[derive(Clone, Debug)]
pub struct Rules {
    /// How digests are written, for findings.
    pub form: LinkForm,
    /// Whether rows have numbers.
    pub numbered: bool,
    /// The numbers a first row may have.
    pub sequence_starts: Vec<u64>,
    /// How far apart neighbouring numbers are.
    pub sequence_step: u64,
    /// Whether numbers may be left out.
    pub gaps: bool,
    /// Whether all rows are one chain, whatever they name.
    pub single_group: bool,
    /// Whether a later first row is a bound, not a fault.
    pub reset: bool,
    /// Whether no member states the predecessor, so that a row's digest is computed with what the walk knows.
    pub late: bool,
    /// Whether anything of a row depends on more of the row before than a link that it states.
    pub carries: bool,
    /// Whether the chain is what rows claim and nothing else, so that a line that is no row is passed over.
    pub literal: bool,
    /// Breaks that the ledger declares.
    pub declared: Declarations,
    /// The beginning that an earlier report vouches for.
    pub vouched: Vouched,
    /// Whether the format signs only some of its rows.
    pub partly_signed: bool,
    /// For each key the chains and key ids it may sign for; none means any.
    pub bindings: Vec<Vec<Arc<str>>>,
    /// Chains that may start in the middle because the manifest has an entry for them.
    pub announced: Vec<Arc<str>>,
    /// Heads that were seen earlier.
    pub pins: Vec<Pin>,
    /// Those among them, and those of a witness, that name their row by how many rows there were.
    pub counted: CountPins,
    /// Chains that the walk keeps apart; a row that starts a further one ends it.
    pub max_chains: usize,
    /// The heads that the first of the manifest's entries state, in its order: for the story of a ledger that went on.
    pub heads: Vec<Digest>,
}

impl Rules {
    /// Whether `key` may sign a row that names this key id, in this chain.
    pub fn permits(&self, key: KeyIndex, key_id: Option<&str>, chain: Option<&str>) -> bool {
        match self.bindings.get(usize::from(key.0)) {
            Some(names) if names.is_empty() => true,
            Some(names) => names.iter().any(|name| Some(&**name) == chain || Some(&**name) == key_id),
            None => false,
        }
    }

    /// Whether some key may sign a row that names this key id, in this chain.
    pub fn knows(&self, key_id: &str, chain: Option<&str>) -> bool {
        (0..self.bindings.len()).any(|key| self.permits(KeyIndex(key as u16), Some(key_id), chain))
    }

    /// Whether some key may sign in this chain.
    pub fn has_key_for(&self, chain: Option<&str>) -> bool {
        (0..self.bindings.len()).any(|key| self.permits(KeyIndex(key as u16), None, chain))
    }

    /// Whether a key is bound to this name.
    pub fn binds(&self, name: &str) -> bool {
        self.bindings.iter().flatten().any(|bound| **bound == *name)
    }

    /// Whether the key that a row's signature holds under may sign it, and those of its other signatures.
    fn permits_row(&self, facts: &Facts, key: Option<KeyIndex>, chain: Option<&str>) -> bool {
        key.iter().chain(&facts.also).all(|&key| self.permits(key, facts.key_id.as_deref(), chain))
    }

    /// Whether an anchor is about this sequence or this digest, so that the row must be looked at alone.
    pub fn pins_row(&self, sequence: Option<u64>, digest: &Digest) -> bool {
        let pinned = self.pins.iter().any(|pin| match pin.sequence {
            Some(pinned) => Some(pinned.get()) == sequence,
            None => pin.digest == *digest,
        });
        pinned || self.counted.may_state(digest) || self.heads.contains(digest)
    }

    /// Whether a first row may have this number.
    pub fn may_start(&self, sequence: u64) -> bool {
        self.sequence_starts.contains(&sequence)
    }
}
