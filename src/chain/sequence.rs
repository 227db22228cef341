//! Sequence numbers: what the next one must be, also after rows that could not be read.
//!
//! The last number is kept as a range. A readable number makes it exact; an unreadable row may have
//! carried the next number or none, so it widens the range; an unreadable number is taken as the next.

use crate::fact::Sequence;
use crate::finding::Code;

/// The numbers that the last row may have had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Last {
    lowest: u64,
    highest: u64,
}

impl Last {
    /// After a row with this number.
    pub fn exactly(sequence: Sequence) -> Self {
        Last { lowest: sequence.get(), highest: sequence.get() }
    }

    /// The number, if it is known exactly.
    pub fn known(self) -> Option<u64> {
        (self.lowest == self.highest).then_some(self.lowest)
    }

    /// The lowest number it can be.
    pub fn lowest(self) -> u64 {
        self.lowest
    }

    /// The highest number it can be.
    pub fn highest(self) -> u64 {
        self.highest
    }

    /// The lowest number the next row can have.
    pub fn next(self, step: u64) -> u64 {
        self.lowest.saturating_add(step)
    }

    /// After this many lines that may have been rows.
    pub fn skip_unreadable(&mut self, lines: u64, step: u64) {
        self.highest = self.highest.saturating_add(lines.saturating_mul(step));
    }

    /// After a row whose number could not be read.
    pub fn take_as_expected(&mut self, step: u64) {
        self.lowest = self.lowest.saturating_add(step);
        self.highest = self.highest.saturating_add(step);
    }

    /// What is wrong with `sequence` as the number of the next row.
    pub fn judge(self, sequence: Sequence, step: u64) -> Option<Code> {
        let number = sequence.get();
        if number > self.highest.saturating_add(step) {
            Some(Code::SequenceGap)
        } else if number >= self.next(step) {
            // Within the range every step from the lowest is possible, nothing between.
            (!(number - self.next(step)).is_multiple_of(step.max(1))).then_some(Code::SequenceGap)
        } else if number > self.lowest {
            Some(Code::SequenceGap)
        } else if number == self.lowest {
            Some(Code::SequenceRepeated)
        } else {
            Some(Code::SequenceBackwards)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sequence(number: u64) -> Sequence {
        Sequence::new(number).expect("in range")
    }

    #[test]
    fn after_a_readable_row() {
        let last = Last::exactly(sequence(5));
        assert_eq!(last.judge(sequence(6), 1), None);
        assert_eq!(last.judge(sequence(7), 1), Some(Code::SequenceGap));
        assert_eq!(last.judge(sequence(5), 1), Some(Code::SequenceRepeated));
        assert_eq!(last.judge(sequence(4), 1), Some(Code::SequenceBackwards));
    }

    #[test]
    fn after_k_unreadable_rows_one_to_k_plus_one_more() {
        let mut last = Last::exactly(sequence(5));
        last.skip_unreadable(2, 1);
        for number in 6..=8 {
            assert_eq!(last.judge(sequence(number), 1), None, "{number}");
        }
        assert_eq!(last.judge(sequence(9), 1), Some(Code::SequenceGap));
        assert_eq!(last.known(), None);
    }

    #[test]
    fn an_unreadable_number_is_the_next_one() {
        let mut last = Last::exactly(sequence(5));
        last.take_as_expected(1);
        assert_eq!(last.known(), Some(6));
        last.skip_unreadable(1, 1);
        last.take_as_expected(1);
        assert_eq!(last.judge(sequence(8), 1), None);
        assert_eq!(last.judge(sequence(9), 1), None);
        assert_eq!(last.judge(sequence(10), 1), Some(Code::SequenceGap));
    }

    #[test]
    fn wider_steps() {
        let last = Last::exactly(sequence(5));
        assert_eq!(last.judge(sequence(7), 2), None);
        assert_eq!(last.judge(sequence(6), 2), Some(Code::SequenceGap));
        assert_eq!(last.judge(sequence(4), 2), Some(Code::SequenceBackwards));
        assert_eq!(last.judge(sequence(8), 2), Some(Code::SequenceGap));
    }
}
