//! Rows that an earlier report vouches for: which they are, and which of them are not checked again.
//!
//! Both follow from where a row stands and from nothing else, so that no verdict depends on how the export was
//! cut. That the bytes are those of the report is found out when they were all read; until then it is taken for
//! so, and if it is not so it is a fault, whatever was found.

use crate::fact::{KeyIndex, Place};

/// The part of an export that an earlier report is of: its beginning.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Vouched {
    /// The last part of it, and how many of its bytes; `None` where nothing is vouched for.
    last: Option<(u32, u64)>,
    /// Bytes at both ends whose rows are checked all the same.
    ends: u64,
    /// The keys that signed rows of it.
    signers: Vec<KeyIndex>,
}

impl Vouched {
    /// All parts before this one, and so many of its bytes. Rows in the first and the last `ends` bytes are checked
    /// all the same: they show in which readings the rows are, and which key signed last.
    pub fn new(part: u32, bytes: u64, ends: u64, signers: Vec<KeyIndex>) -> Self {
        Vouched { last: Some((part, bytes)), ends, signers }
    }

    /// Where it ends: in which part, and behind how many bytes.
    pub fn end(&self) -> Option<(u32, u64)> {
        self.last
    }

    /// Whether all of the line at this place is vouched for, but for its LF.
    pub fn covers(&self, place: Place) -> bool {
        self.last.is_some_and(|(part, bytes)| {
            place.part < part || (place.part == part && place.offset.saturating_add(place.length) <= bytes)
        })
    }

    /// Whether the line at this place is believed to hold what it states.
    pub fn believes(&self, place: Place) -> bool {
        let at_start = place.part == 0 && place.offset < self.ends;
        let at_end = self.last.is_some_and(|(part, bytes)| {
            place.part == part && bytes.saturating_sub(place.offset.saturating_add(place.length)) < self.ends
        });
        self.covers(place) && !at_start && !at_end
    }

    /// The keys that signed rows of it.
    pub(super) fn signers(&self) -> &[KeyIndex] {
        &self.signers
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(part: u32, offset: u64) -> Place {
        Place { part, line: 1, offset, length: 9 }
    }

    #[test]
    fn whole_lines_are_vouched_for_and_the_middle_is_believed() {
        let vouched = Vouched::new(1, 100, 20, Vec::new());
        let told = |part, offset| (vouched.covers(place(part, offset)), vouched.believes(place(part, offset)));
        assert_eq!(
            [told(0, 0), told(0, 19), told(0, 20), told(0, 5000)],
            [(true, false), (true, false), (true, true), (true, true)]
        );
        // The line that reaches the last bytes is checked; the one that ends behind is not even vouched for.
        assert_eq!([told(1, 0), told(1, 71), told(1, 72)], [(true, true), (true, true), (true, false)]);
        assert_eq!([told(1, 91), told(1, 92), told(2, 0)], [(true, false), (false, false), (false, false)]);
        assert!(!Vouched::default().covers(place(0, 0)));
        assert!(!Vouched::new(0, u64::MAX, u64::MAX, Vec::new()).believes(place(0, u64::MAX)));
    }
}
