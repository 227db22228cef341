//! Heads that name their row by how many rows there were: looked for among the rows as they pass.
//!
//! Formats whose rows have no numbers pin a head so. Which row that is only the walk knows, and good rows are
//! folded long before it comes: so rows whose digest some pin states are kept by themselves ([`CountPins::may_state`]),
//! and of every other row it is known that it has none of these digests, without a look at it.

use std::collections::HashSet;
use std::sync::Arc;

use crate::fact::{CountPin, Digest};

/// Pins, sorted by their row, each once.
#[derive(Clone, Debug, Default)]
pub struct CountPins {
    pins: Arc<[CountPin]>,
    /// The first bytes of their digests: a row that shares them by chance is only looked at alone.
    marks: HashSet<u64>,
}

impl CountPins {
    /// These pins, in any order.
    pub fn new(mut pins: Vec<CountPin>) -> Self {
        pins.sort_unstable();
        pins.dedup();
        let marks = pins.iter().filter_map(|pin| pin.digest.as_ref().map(mark)).collect();
        CountPins { pins: pins.into(), marks }
    }

    /// Whether there is none.
    pub fn is_empty(&self) -> bool {
        self.pins.is_empty()
    }

    /// Whether one of them may state this digest.
    pub fn may_state(&self, digest: &Digest) -> bool {
        !self.marks.is_empty() && self.marks.contains(&mark(digest))
    }
}

fn mark(digest: &Digest) -> u64 {
    let mut mark = [0; 8];
    mark.iter_mut().zip(digest.bytes()).for_each(|(to, from)| *to = *from);
    u64::from_le_bytes(mark)
}

/// What the rows showed about a pin.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CountSeen {
    /// There are not so many rows.
    #[default]
    Beyond,
    /// The row is no link of a chain.
    Unchained,
    /// The row states another digest.
    Differs,
    /// The row states this digest.
    Holds,
}

/// What the rows showed about all of them.
#[derive(Clone, Debug, Default)]
pub struct CountsSeen {
    pins: Arc<[CountPin]>,
    seen: Vec<CountSeen>,
    differs: Option<(CountPin, Option<Digest>)>,
}

impl CountsSeen {
    /// What was seen of this pin, which is one of those that were looked for.
    pub fn of(&self, pin: &CountPin) -> CountSeen {
        let index = self.pins.binary_search(pin).ok();
        index.and_then(|index| self.seen.get(index)).copied().unwrap_or_default()
    }

    /// What the row states that the first pin which differs is about, where that is this one.
    pub fn instead_of(&self, pin: &CountPin) -> Option<Digest> {
        self.differs.filter(|(differs, _)| differs == pin).and_then(|(_, found)| found)
    }
}

/// The pins, and how far the rows have come.
#[derive(Clone, Debug)]
pub(super) struct CountWatch<'r> {
    pins: &'r CountPins,
    /// The first pin whose row has not passed.
    next: usize,
    seen: Vec<CountSeen>,
    differs: Option<(CountPin, Option<Digest>)>,
}

impl<'r> CountWatch<'r> {
    pub fn new(pins: &'r CountPins) -> Self {
        CountWatch { pins, next: 0, seen: vec![CountSeen::Beyond; pins.pins.len()], differs: None }
    }

    /// The row that makes it `count` rows passes: a link of a chain that states this digest, or one that states
    /// none that can be read.
    pub fn row(&mut self, count: u64, stated: Option<Digest>) {
        while let Some(pin) = self.at(count) {
            match stated.is_some() && pin.digest == stated {
                true => self.settle(CountSeen::Holds),
                false => self.differ(pin, stated),
            }
        }
    }

    /// The row that makes it `count` rows passes, and is no link of a chain.
    pub fn unchained(&mut self, count: u64) {
        while self.at(count).is_some() {
            self.settle(CountSeen::Unchained);
        }
    }

    /// Rows pass up to the one that makes it `count` rows; none of them has a digest that a pin states. `look`
    /// gives what the row that makes it so many rows states, at a price.
    pub fn others(&mut self, count: u64, mut look: impl FnMut(u64) -> Option<Digest>) {
        while let Some(pin) = self.at(count) {
            let found = if self.differs.is_none() { look(pin.rows) } else { None };
            self.differ(pin, found);
        }
    }

    pub fn into_seen(self) -> CountsSeen {
        CountsSeen { pins: Arc::clone(&self.pins.pins), seen: self.seen, differs: self.differs }
    }

    /// The next pin, if its row is among the first `count`.
    fn at(&self, count: u64) -> Option<CountPin> {
        self.pins.pins.get(self.next).copied().filter(|pin| pin.rows <= count)
    }

    fn differ(&mut self, pin: CountPin, found: Option<Digest>) {
        self.differs.get_or_insert((pin, found));
        self.settle(CountSeen::Differs);
    }

    fn settle(&mut self, seen: CountSeen) {
        if let Some(place) = self.seen.get_mut(self.next) {
            *place = seen;
        }
        self.next += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digest(byte: u8) -> Digest {
        Digest::new(&[byte; 16]).expect("a digest")
    }

    #[test]
    fn each_pin_is_held_against_its_row() {
        let pin = |rows, byte| CountPin { rows, digest: Some(digest(byte)) };
        let unreadable = CountPin { rows: 2, digest: None };
        let pins = CountPins::new(vec![pin(9, 9), pin(2, 2), pin(4, 4), pin(2, 7), pin(1, 1), pin(2, 2), unreadable]);
        assert!(pins.may_state(&digest(9)) && !pins.may_state(&digest(3)));
        let mut watch = CountWatch::new(&pins);
        watch.unchained(1);
        watch.row(2, Some(digest(2)));
        watch.others(5, |count| Some(digest(count as u8 + 100)));
        watch.row(6, Some(digest(6)));
        let seen = watch.into_seen();
        assert_eq!(seen.of(&pin(1, 1)), CountSeen::Unchained);
        assert_eq!(seen.of(&pin(2, 2)), CountSeen::Holds);
        assert_eq!(seen.of(&pin(2, 7)), CountSeen::Differs);
        assert_eq!(seen.of(&unreadable), CountSeen::Differs, "a text that no row can state");
        assert_eq!(seen.of(&pin(4, 4)), CountSeen::Differs);
        assert_eq!(seen.of(&pin(9, 9)), CountSeen::Beyond);
        assert_eq!(seen.instead_of(&unreadable), Some(digest(2)), "only of the first that differs");
        assert_eq!(seen.instead_of(&pin(4, 4)), None);
    }
}
