//! What rows may have stated: a filter of fixed size that says "no" for certain and "yes" perhaps wrongly.

use std::hint::black_box;
use std::sync::atomic::{AtomicU64, Ordering};

use crate::fact::{Digest, Facts};

/// Which digests rows state, as their predecessor's and as their own, and which of them twice.
///
/// What it answers depends on which rows were put in, and not on their order: any thread may put in any row.
#[derive(Debug)]
pub struct LinkFilter {
    words: Box<[Word]>,
}

/// What is known of the digests that share a slot. What a row states as its own is what the next one states as its
/// predecessor's, so that all four are together: memory is waited for once.
#[derive(Debug, Default)]
#[repr(align(32))]
struct Word {
    links: Counts,
    names: Counts,
}

/// Of each digest whether it was counted once, or twice at least.
#[derive(Debug, Default)]
struct Counts {
    once: AtomicU64,
    twice: AtomicU64,
}

/// Rows whose words are asked for together.
const TOGETHER: usize = 32;

impl LinkFilter {
    /// A filter for about this many rows; 8 bytes a row, between 128 KiB and 16 MiB.
    pub fn for_rows(rows: u64) -> Self {
        let words = (rows / 4).clamp(1 << 12, 1 << 19).next_power_of_two() as usize;
        LinkFilter { words: (0..words).map(|_| Word::default()).collect() }
    }

    /// Put in what these rows state. May be called from any thread.
    pub fn insert(&self, rows: &[&Facts]) {
        for rows in rows.chunks(TOGETHER) {
            // First the words are only looked at: such waits for memory overlap, and those of atomic writes do not.
            let stated = rows.iter().flat_map(|facts| [facts.prev, name(facts)]).flatten();
            let words = stated.filter_map(|digest| self.slot(&digest));
            black_box(words.fold(0, |seen, (word, _)| seen ^ word.links.once.load(Ordering::Relaxed)));
            for facts in rows {
                if let Some((word, bits)) = facts.prev.and_then(|prev| self.slot(&prev)) {
                    word.links.insert(bits);
                }
                if let Some((word, bits)) = name(facts).and_then(|name| self.slot(&name)) {
                    word.names.insert(bits);
                }
            }
        }
    }

    /// Whether two rows may have stated this digest as their predecessor's.
    pub fn linked_twice(&self, digest: &Digest) -> bool {
        self.has(digest, |word| &word.links.twice)
    }

    /// Whether a row may have stated this digest as its own.
    pub fn named(&self, digest: &Digest) -> bool {
        self.has(digest, |word| &word.names.once)
    }

    /// Whether two rows may have.
    pub fn named_twice(&self, digest: &Digest) -> bool {
        self.has(digest, |word| &word.names.twice)
    }

    fn has(&self, digest: &Digest, plane: fn(&Word) -> &AtomicU64) -> bool {
        self.slot(digest).is_none_or(|(word, bits)| plane(word).load(Ordering::Relaxed) & bits == bits)
    }

    /// The word of a digest, and three bits in it.
    fn slot(&self, digest: &Digest) -> Option<(&Word, u64)> {
        let bytes = digest.bytes();
        let key = match bytes.first_chunk::<8>() {
            Some(first) => u64::from_be_bytes(*first),
            None => bytes.iter().fold(0, |key, byte| key << 8 | u64::from(*byte)),
        };
        let mixed = key.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        let bits = [mixed >> 58, mixed >> 52 & 63, mixed >> 46 & 63].iter().fold(0, |bits, bit| bits | 1 << bit);
        // The number of words is a power of two.
        Some((self.words.get(mixed as usize & (self.words.len() - 1))?, bits))
    }
}

impl Counts {
    fn insert(&self, bits: u64) {
        // One atomic step: of two threads with the same digest, one sees the bits of the other.
        let again = self.once.fetch_or(bits, Ordering::Relaxed) & bits;
        if again != 0 {
            self.twice.fetch_or(again, Ordering::Relaxed);
        }
    }
}

/// What the next row states of this one.
fn name(facts: &Facts) -> Option<Digest> {
    facts.name.or(facts.hash)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(number: u64) -> Digest {
        Digest::new(&number.wrapping_mul(0xd134_2543_de82_ef95).to_be_bytes()).unwrap()
    }

    /// Filters in which these digests are names.
    fn named(words: u64, numbers: impl Iterator<Item = u64>) -> LinkFilter {
        let filter = LinkFilter::for_rows(words * 4);
        for number in numbers {
            let (word, bits) = filter.slot(&digest(number)).unwrap();
            word.names.insert(bits);
        }
        filter
    }

    #[test]
    fn a_no_is_certain_and_most_single_digests_get_one() {
        let filter = named(1 << 12, (0..10_000).chain(0..100));
        assert!((0..10_000).all(|number| filter.named(&digest(number))));
        assert!((0..100).all(|number| filter.named_twice(&digest(number))));
        assert!((0..10_000).all(|number| !filter.linked_twice(&digest(number))));
        let wrong = (100..10_000).filter(|&number| filter.named_twice(&digest(number))).count();
        assert!(wrong < 500, "{wrong} of 9,900 single digests look like two");
        let strange = (20_000..30_000).filter(|&number| filter.named(&digest(number))).count();
        assert!(strange < 1_000, "{strange} of 10,000 strange digests look known");
    }

    #[test]
    fn the_order_of_rows_changes_no_answer() {
        let plane = |filter: LinkFilter| {
            let words = filter.words.iter().map(|word| [&word.names.once, &word.names.twice]);
            words.map(|planes| planes.map(|plane| plane.load(Ordering::Relaxed))).collect::<Vec<_>>()
        };
        assert_eq!(plane(named(1, 0..20_000)), plane(named(1, (0..20_000).rev())));
    }
}
