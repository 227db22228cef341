//! What the walk remembers of one chain: its ends, and as little as possible between.

use std::sync::Arc;

use jiff::Timestamp;

use super::Rules;
use super::keys::Rotation;
use super::link::Tip;
use super::reversal::Reversals;
use super::segment::Times;
use super::sequence::Last;
use crate::fact::{Before, Digest, Facts, Place, Reading};
use crate::finding::{Code, Finding};

/// How a chain begins in the export.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Start {
    /// With the first row of the ledger.
    Whole,
    /// Later: what came before is not in the export.
    Partial,
    /// Not known: the first rows, or what the first one states, cannot be read.
    NotJudged,
}

/// What the end of the walk knows of a chain.
#[derive(Clone, Debug)]
pub struct ChainEnd {
    /// Its name; `None` where no row names one.
    pub name: Option<Arc<str>>,
    /// Readable rows.
    pub rows: u64,
    /// How it begins.
    pub start: Start,
    /// The number of its first row; `None` where it cannot be read.
    pub first_sequence: Option<u64>,
    /// The number of its last row that is no copy; `None` where it cannot be read.
    pub last_sequence: Option<u64>,
    /// The digest of that row as recomputed; `None` where it cannot be.
    pub head: Option<Digest>,
    /// How many rows the export had with that row.
    pub row: u64,
    /// Lines after its last row that could not be read and may be rows of it.
    pub unreadable_after: u64,
    /// The first of the rows after the last signed one, in a format that signs only some.
    pub unsigned_from: Option<Place>,
    /// Signatures of it were not judged: every key is bound to another chain.
    pub unkeyed: bool,
    /// Time stamps of the first and the last row that have one.
    pub times: Option<(Timestamp, Timestamp)>,
}

impl ChainEnd {
    /// The bound of rows after the last signed one, in a format that signs only some.
    pub fn unsigned_tail(&self) -> Option<Finding> {
        self.unsigned_from.map(|from| unsigned_tail(self.name.clone(), from))
    }
}

/// Without a place, as all that is said of ends: it is told after what is wrong with rows.
fn unsigned_tail(chain: Option<Arc<str>>, from: Place) -> Finding {
    Finding::new(Code::UnsignedTail, None).chain(chain).found(format!("from line {} on", from.line))
}

/// A chain as it is walked.
#[derive(Clone, Debug)]
pub(super) struct Chain {
    pub name: Option<Arc<str>>,
    pub rows: u64,
    pub start: Start,
    pub first_sequence: Option<u64>,
    /// The last row that is no copy.
    pub tip: Tip,
    /// Where it stands.
    pub place: Place,
    /// How many rows the export had with it.
    pub row: u64,
    /// Its number, unless none was readable yet.
    pub last: Option<Last>,
    /// How many unreadable lines the export had when the last row of this chain passed.
    unreadable_before: u64,
    pub rotation: Rotation,
    pub reversals: Reversals,
    pub times: Times,
    /// What its last row left for the next one, where anything depends on it.
    pub left: Before,
    /// The first row after the last signed one.
    pub unsigned_from: Option<Place>,
    /// Signatures of it were not judged, since every key is bound to another chain.
    pub unkeyed: bool,
}

impl Chain {
    /// A chain that this row starts, after this many unreadable lines.
    pub fn new(first: &Facts, unreadable: u64) -> Self {
        Chain {
            name: None,
            rows: 0,
            start: Start::NotJudged,
            first_sequence: first.sequence.map(|sequence| sequence.get()),
            tip: Tip::of(first, None),
            place: first.place,
            row: 0,
            last: None,
            unreadable_before: unreadable,
            rotation: Rotation::default(),
            reversals: Reversals::default(),
            times: Times::default(),
            left: Before::First,
            unsigned_from: None,
            unkeyed: false,
        }
    }

    /// A row of this chain stands after `unreadable` lines of the export that could not be read.
    /// Gives how many of these are new since the row before.
    pub fn pass(&mut self, unreadable: u64, step: u64) -> u64 {
        self.rows += 1;
        let skipped = unreadable - std::mem::replace(&mut self.unreadable_before, unreadable);
        if let Some(last) = &mut self.last {
            last.skip_unreadable(skipped, step);
        }
        if skipped > 0 {
            self.left = Before::Unknown;
        }
        skipped
    }

    /// A row stands here, which carries a signature, or what stands for one, or not.
    pub fn sealed(&mut self, sealed: bool, place: Place) {
        match sealed {
            true => self.unsigned_from = None,
            false => {
                self.unsigned_from.get_or_insert(place);
            }
        }
    }

    /// The bound of rows after the last signed one, in a format that signs only some; they are no longer
    /// remembered.
    pub fn end_unsigned(&mut self, rules: &Rules) -> Option<Finding> {
        let from = self.unsigned_from.take().filter(|_| rules.partly_signed)?;
        Some(unsigned_tail(self.name.clone(), from))
    }

    /// The last row is now this one; gives the one before.
    pub fn advance(&mut self, tip: Tip) -> Tip {
        std::mem::replace(&mut self.tip, tip)
    }

    /// Lines of the export that could not be read since the last row of this chain.
    pub fn unreadable_after(&self, unreadable: u64) -> u64 {
        unreadable - self.unreadable_before
    }

    /// What is known at the end of an export with this many unreadable lines, in this reading.
    pub fn end(self, unreadable: u64, reading: Reading) -> ChainEnd {
        ChainEnd {
            rows: self.rows,
            start: self.start,
            first_sequence: self.first_sequence,
            last_sequence: self.last.and_then(Last::known),
            head: self.tip.head(reading),
            row: self.row,
            unreadable_after: self.unreadable_after(unreadable),
            unsigned_from: self.unsigned_from,
            unkeyed: self.unkeyed,
            times: self.times.first.map(|(time, _)| time).zip(self.times.last),
            name: self.name,
        }
    }
}
