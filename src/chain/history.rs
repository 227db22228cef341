//! Looking back: the questions about earlier rows that only a broken link asks.
//!
//! Memory must not grow with the number of rows, so no row is remembered. A filter of fixed size says
//! for nearly every broken link that no earlier row can be meant; only where it cannot say so is the
//! export read again. The filter never changes a result, only how often that happens.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fact::{Before, Digest, Facts, Place};

/// What earlier rows say about a predecessor that is no longer the last row.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LookBack {
    /// An earlier row of the chain states this digest as its own.
    pub parent: bool,
    /// An earlier row of the chain states it as its predecessor.
    pub successor: bool,
    /// The number of that row, where it can be read.
    pub successor_sequence: Option<u64>,
}

/// Answers questions about rows before a place.
pub trait History {
    /// Whether two rows may state `prev`, the asking one among them; a no is certain.
    fn stated_twice(&self, prev: &Digest) -> bool;

    /// Whether an earlier line holds the same bytes as the row at `place`.
    fn is_copy(&mut self, place: Place) -> bool;

    /// What rows before `place` in a chain say about the digest `prev`. `may_be_of` says whether a row
    /// that names this chain, or none, may be one of it.
    fn look_back(&mut self, prev: &Digest, place: Place, may_be_of: &dyn Fn(Option<&str>) -> bool) -> LookBack;

    /// The row at this place, checked again with what the row before it left; `None` if it can no longer be
    /// read.
    fn recheck(&mut self, place: Place, before: &Before) -> Option<Facts>;

    /// The rows from one place to another, one by one again.
    fn unfold(&mut self, from: Place, to: Place) -> Vec<Facts>;
}

/// Which links were stated at least twice: a fixed-size filter with false positives only.
#[derive(Debug)]
pub struct LinkFilter {
    once: Box<[AtomicU64]>,
    twice: Box<[AtomicU64]>,
}

impl LinkFilter {
    /// A filter for about this many rows; 4 bytes a row, between 64 KiB and 16 MiB.
    pub fn for_rows(rows: u64) -> Self {
        let words = (rows / 4).clamp(1 << 12, 1 << 20).next_power_of_two() as usize;
        let plane = || (0..words).map(|_| AtomicU64::new(0)).collect();
        LinkFilter { once: plane(), twice: plane() }
    }

    /// A row states this predecessor. May be called from any thread.
    pub fn insert(&self, prev: &Digest) {
        let (word, bits) = self.slot(prev);
        // One atomic step on one word: of two threads with the same link, one sees the other's bits.
        if let Some(once) = self.once.get(word)
            && once.fetch_or(bits, Ordering::Relaxed) & bits == bits
            && let Some(twice) = self.twice.get(word)
        {
            twice.fetch_or(bits, Ordering::Relaxed);
        }
    }

    /// Whether two rows may have stated it.
    pub fn stated_twice(&self, prev: &Digest) -> bool {
        let (word, bits) = self.slot(prev);
        self.twice.get(word).is_none_or(|twice| twice.load(Ordering::Relaxed) & bits == bits)
    }

    fn slot(&self, prev: &Digest) -> (usize, u64) {
        let key = prev.bytes().iter().take(8).fold(0u64, |key, &byte| key << 8 | u64::from(byte));
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = [mixed >> 58, mixed >> 52 & 63, mixed >> 46 & 63].iter().fold(0, |bits, bit| bits | 1 << bit);
        ((mixed as usize) & (self.once.len() - 1), bits)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_no_is_certain_and_most_single_links_get_one() {
        let filter = LinkFilter::for_rows(10_000);
        let digest = |number: u64| Digest::new(&number.wrapping_mul(0xd134_2543_de82_ef95).to_be_bytes()).unwrap();
        (0..10_000).for_each(|number| filter.insert(&digest(number)));
        (0..100).for_each(|number| filter.insert(&digest(number)));
        assert!((0..100).all(|number| filter.stated_twice(&digest(number))));
        let wrong = (100..10_000).filter(|&number| filter.stated_twice(&digest(number))).count();
        assert!(wrong < 500, "{wrong} of 9,900 single links look like two");
    }
}
