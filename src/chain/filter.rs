//! What rows may have stated: a filter of fixed size that says "no" for certain and "yes" perhaps wrongly.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::fact::{Digest, Facts};

/// Which digests rows state, as their predecessor's and as their own, and which of them twice.
///
/// What it answers depends on which rows were put in, and not on their order: any thread may put in any row.
#[derive(Debug)]
pub struct LinkFilter {
    links: Counts,
    names: Counts,
}

/// Of each digest whether it was counted once, or twice at least.
#[derive(Debug)]
struct Counts {
    once: Box<[AtomicU64]>,
    twice: Box<[AtomicU64]>,
}

impl LinkFilter {
    /// A filter for about this many rows; 8 bytes a row, between 128 KiB and 32 MiB.
    pub fn for_rows(rows: u64) -> Self {
        let words = (rows / 4).clamp(1 << 12, 1 << 20).next_power_of_two() as usize;
        LinkFilter { links: Counts::new(words), names: Counts::new(words) }
    }

    /// Put in what a row states. May be called from any thread.
    pub fn insert(&self, facts: &Facts) {
        facts.prev.iter().for_each(|prev| self.links.insert(prev));
        facts.name.or(facts.hash).iter().for_each(|hash| self.names.insert(hash));
    }

    /// Whether two rows may have stated this digest as their predecessor's.
    pub fn linked_twice(&self, digest: &Digest) -> bool {
        Counts::has(&self.links.twice, digest)
    }

    /// Whether a row may have stated this digest as its own.
    pub fn named(&self, digest: &Digest) -> bool {
        Counts::has(&self.names.once, digest)
    }

    /// Whether two rows may have.
    pub fn named_twice(&self, digest: &Digest) -> bool {
        Counts::has(&self.names.twice, digest)
    }
}

impl Counts {
    fn new(words: usize) -> Self {
        let plane = || (0..words).map(|_| AtomicU64::new(0)).collect();
        Counts { once: plane(), twice: plane() }
    }

    fn insert(&self, digest: &Digest) {
        let (word, bits) = slot(digest, self.once.len());
        let (Some(once), Some(twice)) = (self.once.get(word), self.twice.get(word)) else { return };
        // One atomic step: of two threads with the same digest, one sees the bits of the other.
        let again = once.fetch_or(bits, Ordering::Relaxed) & bits;
        if again != 0 {
            twice.fetch_or(again, Ordering::Relaxed);
        }
    }

    fn has(plane: &[AtomicU64], digest: &Digest) -> bool {
        let (word, bits) = slot(digest, plane.len());
        plane.get(word).is_none_or(|word| word.load(Ordering::Relaxed) & bits == bits)
    }
}

/// A word among this many, which are a power of two, and three bits in it.
fn slot(digest: &Digest, words: usize) -> (usize, u64) {
    let bytes = digest.bytes();
    let key = match bytes.first_chunk::<8>() {
        Some(first) => u64::from_be_bytes(*first),
        None => bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
    };
    let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = [mixed >> 58, mixed >> 52 & 63, mixed >> 46 & 63].iter().fold(0, |bits, bit| bits | 1 << bit);
    ((mixed as usize) & (words - 1), bits)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u64) -> Digest {
        Digest::new(&number.wrapping_mul(0xd134_2543_de82_ef95).to_be_bytes()).unwrap()
    }

    #[test]
    fn a_no_is_certain_and_most_single_digests_get_one() {
        let counts = Counts::new(1 << 12);
        (0..10_000).for_each(|number| counts.insert(&digest(number)));
        (0..100).for_each(|number| counts.insert(&digest(number)));
        let twice = |number: u64| Counts::has(&counts.twice, &digest(number));
        assert!((0..10_000).all(|number| Counts::has(&counts.once, &digest(number))));
        assert!((0..100).all(twice));
        let wrong = (100..10_000).filter(|&number| twice(number)).count();
        assert!(wrong < 500, "{wrong} of 9,900 single digests look like two");
        let strange = (20_000..30_000).filter(|&number| Counts::has(&counts.once, &digest(number))).count();
        assert!(strange < 1_000, "{strange} of 10,000 strange digests look known");
    }

    #[test]
    fn the_order_of_rows_changes_no_answer() {
        let (forwards, backwards) = (Counts::new(1 << 6), Counts::new(1 << 6));
        (0..2_000).for_each(|number| forwards.insert(&digest(number)));
        (0..2_000).rev().for_each(|number| backwards.insert(&digest(number)));
        let plane = |counts: &Counts| counts.twice.iter().map(|word| word.load(Ordering::Relaxed)).collect::<Vec<_>>();
        assert_eq!(plane(&forwards), plane(&backwards));
    }
}
