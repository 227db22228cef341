//! Two members of one name.
//!
//! Decides whether any object of a row, at any depth, has a name twice (RFC 7493 §2.3), and which of several
//! such names is told: the first in the text, or, as Python's json module sees them, the first of the object
//! that closes first. Names are
//! compared after unescaping, so `"cl\u0061ss"` is `"class"`. It trusts only that the readers made
//! a well-formed tape. A hostile row of a million members takes n log n comparisons, not n².

use super::{Node, Row};

/// Up to here each name is compared with those before it that look alike; beyond they are sorted.
const FEW: usize = 32;

/// Finds duplicate names; keeps its scratch from row to row.
#[derive(Debug, Default)]
pub(super) struct Duplicates {
    /// The names of one object, as node indices.
    names: Vec<u32>,
}

impl Duplicates {
    /// The node of the first name in byte order that its object had already.
    pub(super) fn first(&mut self, row: &Row) -> Option<u32> {
        let mut first: Option<u32> = None;
        for (index, node) in (0u32..).zip(&row.nodes) {
            // Objects further on cannot hold an earlier name.
            if first.is_some_and(|first| first < index) {
                break;
            }
            let Node::Object { count, .. } = node else { continue };
            let found = self.of_object(row, index, *count as usize);
            first = [first, found].into_iter().flatten().min();
        }
        first
    }

    /// The node of the first name that its object had already, of the first object to close.
    pub(super) fn first_closed(&mut self, row: &Row) -> Option<u32> {
        let mut first: Option<(u32, u32)> = None;
        for (index, node) in (0u32..).zip(&row.nodes) {
            let Node::Object { count, end } = node else { continue };
            // Of two objects with one end the inner one, which stands further on, closes first.
            if first.is_none_or(|(earlier, _)| *end <= earlier)
                && let Some(found) = self.of_object(row, index, *count as usize)
            {
                first = Some((*end, found));
            }
        }
        first.map(|(_, found)| found)
    }

    fn of_object(&mut self, row: &Row, index: u32, count: usize) -> Option<u32> {
        match count {
            0 | 1 => None,
            count if count <= FEW => self.by_pairs(row, index, count),
            count => self.by_sorting(row, index, count),
        }
    }

    fn by_pairs(&mut self, row: &Row, object: u32, count: usize) -> Option<u32> {
        self.names.clear();
        let mut seen = [0u64; 4];
        let mut index = object.saturating_add(1);
        for _ in 0..count {
            let name = row.name(index);
            let (word, bit) = look(name);
            if let Some(seen) = seen.get_mut(word) {
                if *seen & bit != 0 && self.names.iter().any(|earlier| row.name(*earlier) == name) {
                    return Some(index);
                }
                *seen |= bit;
            }
            self.names.push(index);
            index = row.after(index.saturating_add(1));
        }
        None
    }

    fn by_sorting(&mut self, row: &Row, object: u32, count: usize) -> Option<u32> {
        self.names.clear();
        let mut index = object.saturating_add(1);
        for _ in 0..count {
            self.names.push(index);
            index = row.after(index.saturating_add(1));
        }
        self.names.sort_unstable_by(|a, b| row.name(*a).cmp(row.name(*b)).then(a.cmp(b)));
        let pairs = self.names.iter().zip(self.names.iter().skip(1));
        pairs.filter(|(a, b)| row.name(**a) == row.name(**b)).map(|(_, b)| *b).min()
    }

    /// Bytes kept for the next row.
    pub(super) fn capacity(&self) -> usize {
        self.names.capacity() * size_of::<u32>()
    }
}

/// One of 256 bits that equal names share and most others do not.
fn look(name: &[u8]) -> (usize, u64) {
    let byte = |place: usize| u64::from(name.get(place).copied().unwrap_or_default());
    let last = name.len().saturating_sub(1);
    let mixed = byte(0) | byte(last / 2) << 8 | byte(last) << 16 | (name.len() as u64) << 24;
    // The golden ratio spreads what differs over the upper bits.
    let bit = mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 56;
    ((bit / 64) as usize, 1 << (bit % 64))
}
