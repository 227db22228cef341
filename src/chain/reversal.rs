//! Reversals: a row that undoes an earlier one must name a row that can be undone.
//!
//! Kept are the sequences that were reversed and those that are reversals themselves, as compressed
//! sets: about a bit for each, however long the ledger.

use roaring::RoaringTreemap;

use super::state::Start;
use crate::fact::Sequence;
use crate::finding::Code;

/// The reversals of one chain so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Reversals {
    reversals: RoaringTreemap,
    reversed: RoaringTreemap,
    /// The number with which the chain began anew, if it did.
    anew: Option<u64>,
}

impl Reversals {
    /// The chain begins anew with this number: what stood before is another ledger, and the numbers mean other
    /// rows from here on. That it does is one fault, and no reason to blame every reversal that follows.
    pub fn begin_anew(&mut self, first: u64) {
        *self = Reversals { anew: Some(first), ..Reversals::default() };
    }

    /// Judge the row numbered `own`, which reverses `target`, in a chain that starts with `first`.
    ///
    /// A target that is no row because it lies in a gap is not judged: the gap is the fault. Reversing
    /// it twice is.
    pub fn judge(&mut self, own: u64, target: Option<Sequence>, first: Option<u64>, start: Start) -> Option<Code> {
        self.reversals.insert(own);
        let Some(target) = target.map(Sequence::get).filter(|&target| target < own) else {
            return Some(Code::ReversalInvalid);
        };
        if self.reversals.contains(target) || !self.reversed.insert(target) {
            return Some(Code::ReversalInvalid);
        }
        let (first, start) = self.anew.map_or((first, start), |first| (Some(first), Start::Whole));
        if first.is_none_or(|first| target >= first) {
            return None;
        }
        match start {
            Start::Whole => Some(Code::ReversalInvalid),
            Start::Partial => Some(Code::ReversalUnchecked),
            // The first rows could not be read: the target may be one of them.
            Start::NotJudged => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn judge(reversals: &mut Reversals, own: u64, target: u64, start: Start) -> Option<Code> {
        reversals.judge(own, Sequence::new(target), Some(10), start)
    }

    #[test]
    fn each_row_once_and_no_reversal_and_only_earlier_ones() {
        let mut seen = Reversals::default();
        assert_eq!(judge(&mut seen, 20, 11, Start::Whole), None);
        assert_eq!(judge(&mut seen, 21, 11, Start::Whole), Some(Code::ReversalInvalid), "twice");
        assert_eq!(judge(&mut seen, 22, 20, Start::Whole), Some(Code::ReversalInvalid), "a reversal");
        assert_eq!(judge(&mut seen, 23, 23, Start::Whole), Some(Code::ReversalInvalid), "itself");
        assert_eq!(judge(&mut seen, 24, 30, Start::Whole), Some(Code::ReversalInvalid), "a later one");
        assert_eq!(seen.judge(25, None, Some(10), Start::Whole), Some(Code::ReversalInvalid), "nothing");
    }

    #[test]
    fn a_chain_that_begins_anew_has_other_rows_under_the_same_numbers() {
        let mut seen = Reversals::default();
        assert_eq!(judge(&mut seen, 20, 11, Start::Partial), None);
        seen.begin_anew(1);
        assert_eq!(judge(&mut seen, 20, 11, Start::Partial), None);
        assert_eq!(judge(&mut seen, 21, 11, Start::Partial), Some(Code::ReversalInvalid), "twice");
        assert_eq!(judge(&mut seen, 22, 1, Start::Partial), None);
        assert_eq!(judge(&mut seen, 23, 0, Start::Partial), Some(Code::ReversalInvalid), "before the new start");
    }

    #[test]
    fn before_the_start() {
        assert_eq!(judge(&mut Reversals::default(), 20, 9, Start::Whole), Some(Code::ReversalInvalid));
        assert_eq!(judge(&mut Reversals::default(), 20, 9, Start::Partial), Some(Code::ReversalUnchecked));
        assert_eq!(judge(&mut Reversals::default(), 20, 9, Start::NotJudged), None);
    }
}
