//! Two rows that are not the same bytes: are they one row all the same?
//!
//! Decided here, and only by what is recomputed: rows with one digest are one row, but for members that the digest
//! does not cover. What a row states of its digest is never taken for it: whoever forges a row can copy that.

use super::members::{cut, differing};
use super::reading::Kept;
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, DigestFact, Facts, Recipe};
use crate::profile::{Layout, LineReader, Opened, Plan, View};
use crate::read::{Kind, Line};
use crate::report::compare::{MemberDiff, MembersDiff};
use crate::trust::keyring::Keyring;

/// What two rows are to each other.
#[derive(Debug)]
pub(super) enum Weighed {
    /// One of them is no row at all: A's, B's.
    Blank(bool, bool),
    /// One of them cannot be read: A's, B's.
    Unreadable(bool, bool),
    /// One row, written in two ways: members and digest are the same.
    Rewritten,
    /// The digest is the same, and these members are not.
    Uncovered(MembersDiff),
    /// There is no digest by which they could be told apart or be one; these members differ, perhaps none.
    Unproven(MembersDiff),
    /// Two rows.
    Two(Box<Two>),
}

/// Two rows that are not one.
#[derive(Debug)]
pub(super) struct Two {
    pub a: Facts,
    pub b: Facts,
    pub members: MembersDiff,
}

/// Compares rows, with the same buffers.
#[derive(Debug)]
pub(super) struct Scales<'p> {
    plan: &'p Plan,
    checker: Checker<'p>,
    readers: [LineReader; 2],
    opened: Opened,
}

impl<'p> Scales<'p> {
    /// `keys` are those that digests need; signatures are not judged here.
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Scales {
            plan,
            checker: Checker::new(plan, keys, recipe),
            readers: Default::default(),
            opened: Opened::default(),
        }
    }

    /// Compare two rows, each with what the row before it left.
    pub fn weigh(&mut self, (a, before_a): (&Line<'_>, &Before), (b, before_b): (&Line<'_>, &Before)) -> Weighed {
        let of_a = self.checker.check(a, Some(before_a));
        let twice = self.checker.take_repeated().is_some();
        let of_b = self.checker.check(b, Some(before_b));
        let twice = twice | self.checker.take_repeated().is_some();
        let (Some(of_a), Some(of_b)) = (&of_a, &of_b) else {
            return Weighed::Blank(of_a.is_none(), of_b.is_none());
        };
        let (of_a, of_b) = match (of_a, of_b) {
            (Checked::Row(a), Checked::Row(b)) => (a, b),
            (Checked::Unchained(..), Checked::Unchained(..)) => {
                return self.members(a, b).map_or(Weighed::Unreadable(true, true), Weighed::Unproven);
            }
            // A row before the chain starts, beside one of the chain, cannot be compared with it.
            (a, b) => {
                let is_row = |checked: &Checked| matches!(checked, Checked::Row(_));
                return Weighed::Unreadable(!is_row(a), !is_row(b));
            }
        };
        let Some(members) = self.members(a, b) else { return Weighed::Unreadable(true, true) };
        let (one, other) = (computed(of_a), computed(of_b));
        match (one, other) {
            // What a name that stands twice, or bytes that are no text, were read as is not all that there is.
            _ if twice || [a, b].iter().any(|line| std::str::from_utf8(line.bytes).is_err()) => {
                Weighed::Unproven(members)
            }
            (Some(one), Some(other)) if one == other => match members.count {
                // Of a line of text the members are not all that there is.
                0 if matches!(self.plan.input.layout, Layout::Lines { .. }) => Weighed::Uncovered(outside(a, b)),
                0 => Weighed::Rewritten,
                _ => Weighed::Uncovered(members),
            },
            // The way in which they are written is part of what is hashed.
            _ if members.count == 0 => Weighed::Unproven(members),
            (None, None) if of_a.hash.is_some() && of_a.hash == of_b.hash => Weighed::Unproven(members),
            _ => Weighed::Two(Box::new(Two { a: (**of_a).clone(), b: (**of_b).clone(), members })),
        }
    }

    /// What a row says of itself; `None` for a line that cannot be read as one of the chain.
    pub fn facts(&mut self, line: &Line<'_>) -> Option<Facts> {
        match self.checker.check(line, Some(&Before::Unknown)) {
            Some(Checked::Row(facts)) => Some(*facts),
            _ => None,
        }
    }

    /// What a row leaves for the next one, where something depends on that.
    pub fn left(&mut self, row: &Kept) -> Before {
        self.facts(&row.line()).and_then(|facts| facts.left).map_or(Before::Unknown, Before::Row)
    }

    /// The chain that a row names; the outer `None` for one that cannot be read.
    pub fn chain(&mut self, line: &Line<'_>) -> Option<Option<String>> {
        let Scales { plan, readers: [reader, _], opened, .. } = self;
        let Some(field) = plan.fields.group.as_ref().filter(|_| !plan.chain.single_group) else { return Some(None) };
        if line.kind == Kind::TooLong {
            return None;
        }
        reader.read(line, plan, false).ok()?;
        let root = reader.last().root();
        opened.open(&plan.input.opened, root);
        let view = View::new(root, line.bytes, opened);
        Some(field.find(&view).and_then(|found| found.as_str()).map(str::to_owned))
    }

    fn members(&mut self, a: &Line<'_>, b: &Line<'_>) -> Option<MembersDiff> {
        let [one, other] = &mut self.readers;
        one.read(a, self.plan, true).ok()?;
        other.read(b, self.plan, true).ok()?;
        Some(differing(one.last().root(), other.last().root()))
    }
}

/// What two lines of text differ in, whose members are the same.
fn outside(a: &Line<'_>, b: &Line<'_>) -> MembersDiff {
    let shown = |line: &Line<'_>| Some(cut(&String::from_utf8_lossy(line.bytes)));
    let diff = MemberDiff { member: "(text outside the named groups)".to_owned(), a: shown(a), b: shown(b) };
    MembersDiff { count: 1, listed: vec![diff] }
}

/// The digest of a row as it was computed, by reading; `None` where it could not be. The one that is stated is given
/// only where it was found to be the one that was computed.
pub(super) fn computed(facts: &Facts) -> Option<Vec<Digest>> {
    match &facts.digest {
        DigestFact::Fits => facts.hash.map(|hash| vec![hash]),
        DigestFact::Recomputed(digest) => Some(vec![*digest]),
        DigestFact::Readings(digests) => Some(digests.to_vec()),
        DigestFact::Unknown => None,
    }
}
