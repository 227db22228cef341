//! Incidents: neighbouring faults with one likely cause, told as one story.
//!
//! An incident explains faults; it never adds one and never takes one away, so that a story that is
//! wrong can mislead a reader but no verdict. A wrong story is worse than none: where the pattern has
//! two causes the kind is named for what both have in common, or nothing is told.
//!
//! The [`Teller`] hears of every row that a fault touches, in file order, and remembers stretches: rows
//! that hold together, and neighbouring rows with the same fault. What they add up to is decided at the
//! end, when the anchors are known. It trusts what the walk has judged and reads no row itself.

mod ends;
mod kinds;
mod order;
mod patterns;
mod rows;
mod seen;
mod story;
mod tell;
mod teller;

use std::sync::Arc;

pub use ends::Ends;
pub use kinds::Kind;
pub use seen::{Row, Signature, Unread};
pub use tell::Told;
pub use teller::Teller;

use crate::fact::Place;
use crate::finding::Code;

/// Faults that most likely have one cause.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Incident {
    /// What happened.
    pub kind: Kind,
    /// The pattern has this one cause; otherwise it is the likely one.
    pub certain: bool,
    /// Where the first row stands that it is about; `None` for what concerns the export as a whole.
    pub first: Option<Place>,
    /// Where the last one stands.
    pub last: Option<Place>,
    /// The first and last number of the rows it is about: for missing rows, of these.
    pub sequences: Option<(u64, u64)>,
    /// Their chain.
    pub chain: Option<Arc<str>>,
    /// How many rows it is about, missing ones where rows are missing; 0 where that is not known.
    pub rows: u64,
    /// How many faults it explains.
    pub faults: u64,
    /// The number of the last row before that is good, where there is one.
    pub good_before: Option<u64>,
    /// The number of the first row behind that is good, where there is one.
    pub good_after: Option<u64>,
    /// What else the story needs.
    pub detail: Detail,
}

/// What else a story needs, by kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Detail {
    /// Nothing.
    #[default]
    None,
    /// Whether the signature holds over the digest that the row states; `None` where no key judged it.
    Signature(Option<bool>),
    /// The right order of the parts: indices from 0.
    Order(Vec<u32>),
    /// The number of another row: of a fork, the one that follows the same row.
    Other(u64),
    /// What is wrong with the first of the lines.
    Code(Code),
    /// What the anchor states and what the export shows.
    Stated {
        /// What the anchor states.
        stated: String,
        /// What the export shows.
        found: String,
    },
    /// The anchor's head is that of the row with this number.
    Head {
        /// Its number.
        sequence: u64,
        /// Its digest, as the anchor writes it.
        digest: String,
    },
}
