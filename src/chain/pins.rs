//! Pinned heads, looked for among the rows as they pass.

use std::ops::Range;

use crate::fact::{Digest, Pin};

/// What the rows showed about a pin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PinSeen {
    /// No row is the one it is about.
    No,
    /// The row it is about has this digest.
    Row {
        /// The chain, by its place in the walk's list.
        chain: usize,
        /// Its sequence, where it is known.
        sequence: Option<u64>,
        /// Its digest as recomputed.
        digest: Digest,
    },
    /// It states what the first row of a chain names as its predecessor.
    Start {
        /// The chain, by its place in the walk's list.
        chain: usize,
        /// The predecessor's digest as the first row states it.
        digest: Digest,
    },
    /// It is before the first row's predecessor: it says nothing about the rows.
    BeforeStart,
    /// The row it is about may be one that could not be read.
    Unreadable,
}

impl PinSeen {
    /// Whether a row, or the start of a chain, has the digest that the pin states.
    fn holds(&self, pin: &Pin) -> bool {
        match self {
            PinSeen::Row { digest, .. } | PinSeen::Start { digest, .. } => *digest == pin.digest,
            PinSeen::No | PinSeen::BeforeStart | PinSeen::Unreadable => false,
        }
    }
}

/// The pins and what was seen of them.
#[derive(Clone, Debug)]
pub(super) struct Watch {
    pins: Vec<(Pin, PinSeen)>,
}

impl Watch {
    pub fn new(pins: &[Pin]) -> Self {
        Watch { pins: pins.iter().map(|pin| (*pin, PinSeen::No)).collect() }
    }

    /// A row with this number and this recomputed digest passes; a digest of `None` is not known.
    pub fn row(&mut self, chain: usize, sequence: Option<u64>, digest: Option<Digest>) {
        for (pin, seen) in &mut self.pins {
            let meant = match pin.sequence {
                Some(pinned) => Some(pinned.get()) == sequence,
                None => Some(pin.digest) == digest,
            };
            // Of several rows with one number any that has the digest will do.
            let holds = seen.holds(pin);
            match digest {
                Some(digest) if meant && (digest == pin.digest || !holds) => {
                    *seen = PinSeen::Row { chain, sequence, digest }
                }
                None if meant && !holds => *seen = PinSeen::Unreadable,
                // A pin without a number may mean a row whose digest cannot be recomputed.
                None if pin.sequence.is_none() && *seen == PinSeen::No => *seen = PinSeen::Unreadable,
                _ => {}
            }
        }
    }

    /// A chain starts with this number, in the middle, after a row whose digest it states as `prev`.
    /// Says whether a pin states the same.
    pub fn start(&mut self, chain: usize, predecessor: Option<u64>, prev: Digest) -> bool {
        let mut pinned = false;
        for (pin, seen) in &mut self.pins {
            let Some(number) = pin.sequence.map(|sequence| sequence.get()) else { continue };
            if Some(number) == predecessor {
                // The row that it is about may have passed in another chain.
                if !seen.holds(pin) {
                    *seen = PinSeen::Start { chain, digest: prev };
                }
                pinned |= pin.digest == prev;
            } else if *seen == PinSeen::No && predecessor.is_some_and(|predecessor| number < predecessor) {
                *seen = PinSeen::BeforeStart;
            }
        }
        pinned
    }

    /// A line that cannot be read may be the row that a pin without a number is about.
    pub fn unreadable(&mut self) {
        self.may_be_unreadable(|pin| pin.sequence.is_none());
    }

    /// Rows with these numbers, if any, may stand among those that could not be read.
    pub fn unreadable_numbers(&mut self, numbers: Range<u64>) {
        self.may_be_unreadable(|pin| pin.sequence.is_some_and(|sequence| numbers.contains(&sequence.get())));
    }

    fn may_be_unreadable(&mut self, meant: impl Fn(&Pin) -> bool) {
        for (pin, seen) in &mut self.pins {
            if meant(pin) && *seen == PinSeen::No {
                *seen = PinSeen::Unreadable;
            }
        }
    }

    pub fn into_seen(self) -> Vec<PinSeen> {
        self.pins.into_iter().map(|(_, seen)| seen).collect()
    }
}
