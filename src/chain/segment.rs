//! Segments: what the rows of one stretch of an export say, folded so that neighbours merge.
//!
//! Rows that are good by themselves and follow each other become one [`Run`]: first row, last row,
//! how many. Everything else is kept row by row, with all its facts, because what it means depends on
//! what stands before. So a segment of a good export is of fixed size, and merging two is joining
//! their lists and, where the seam is good too, the two runs at the seam.

use std::collections::HashSet;
use std::sync::Arc;

use jiff::Timestamp;

use super::Rules;
use crate::fact::{
    Before, Checked, Declared, Digest, DigestFact, Facts, KeyIndex, Left, Place, Recipe, Sequence, SignatureFact,
};
use crate::finding::{Code, Finding, Notes};

/// What the walk had settled when the rows of a segment were checked.
///
/// It decides only which rows may be folded, never a result: the walk may have settled more since, and
/// nothing that is settled changes.
#[derive(Clone, Debug, Default)]
pub struct Basis {
    /// The readings of the export.
    pub recipe: Recipe,
    /// Names that are known to be chains of their own.
    pub chains: Arc<HashSet<Arc<str>>>,
}

/// A stretch of an export.
#[derive(Clone, Debug, Default)]
pub struct Segment {
    pub(super) items: Vec<Item>,
    pub(super) notes: Notes,
}

/// What stands in a segment, in file order.
#[derive(Clone, Debug)]
pub(super) enum Item {
    Run(Run),
    Row(Box<Facts>),
    Unreadable(Place, Finding),
    Unchained(Place, Option<Declared>),
    /// A fault of the line that comes next, whatever that is.
    Told(Finding),
}

/// Rows that need no judgement but at their ends.
#[derive(Clone, Debug)]
pub(super) struct Run {
    pub first: Box<Facts>,
    pub rows: u64,
    pub last_place: Place,
    pub last_sequence: Option<Sequence>,
    pub last_hash: Digest,
    /// What the next row states, where that is not the digest.
    pub last_name: Option<Digest>,
    /// What the last row leaves for the next one, where anything depends on it.
    pub last_left: Option<Arc<Left>>,
    pub key: Option<KeyIndex>,
    pub times: Times,
    /// Where its clock runs backwards: nothing, if the rows turn out to be copies.
    pub notes: Notes,
    /// Reversals after the first row: where, own number, target.
    pub reversals: Vec<(Place, Option<Sequence>, Option<Sequence>)>,
}

/// The first and last time stamps of a stretch of one chain.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Times {
    pub first: Option<(Timestamp, Place)>,
    pub last: Option<Timestamp>,
}

impl Times {
    /// Of one row.
    pub fn of(facts: &Facts) -> Self {
        Times { first: facts.time.map(|time| (time, facts.place)), last: facts.time }
    }

    /// Put the following stretch behind; a clock that runs backwards at the seam is a note.
    pub fn follow(&mut self, next: Times, notes: &mut Notes) {
        if let (Some(last), Some((time, place))) = (self.last, next.first)
            && time < last
        {
            notes.push(
                Finding::new(Code::ClockBackwards, Some(place)).expected(last.to_string()).found(time.to_string()),
            );
        }
        self.first = self.first.or(next.first);
        self.last = next.last.or(self.last);
    }
}

impl Segment {
    /// Put the next line that holds a row behind.
    pub fn push(&mut self, checked: Checked, basis: &Basis, rules: &Rules) {
        match checked {
            Checked::Unreadable(place, finding) => self.items.push(Item::Unreadable(place, finding)),
            Checked::Unchained(place, declared) => self.items.push(Item::Unchained(place, declared)),
            Checked::Row(facts) => match (folds(&facts, basis, rules), self.items.last_mut()) {
                (Some((key, _)), Some(Item::Run(run))) if run.is_followed_by(&facts, key, rules) => {
                    run.append_row(&facts);
                }
                (Some((key, hash)), _) => self.items.push(Item::Run(Run::new(facts, key, hash))),
                (None, _) => self.items.push(Item::Row(facts)),
            },
        }
    }

    /// Put a fault of the next line behind, which that line is not the less read for.
    pub fn tell(&mut self, finding: Finding) {
        self.items.push(Item::Told(finding));
    }

    /// Put notes about lines of this segment in.
    pub fn note(&mut self, finding: Finding) {
        self.notes.push(finding);
    }

    /// Put notes about rows of this segment in.
    pub fn notes(&mut self, notes: Notes) {
        self.notes.merge(notes);
    }

    /// Put the segment that follows this one in the export behind it.
    pub fn merge(&mut self, next: Segment, rules: &Rules) {
        self.notes.merge(next.notes);
        let mut items = next.items.into_iter();
        if let Some(first) = items.next() {
            match first {
                Item::Run(run) => self.push_run(run, rules),
                item => self.items.push(item),
            }
        }
        self.items.extend(items);
    }

    fn push_run(&mut self, run: Run, rules: &Rules) {
        match self.items.last_mut() {
            Some(Item::Run(before)) if before.is_followed_by(&run.first, run.key, rules) => before.append(run),
            _ => self.items.push(Item::Run(run)),
        }
    }
}

/// Under which key, if any, and with which digest this row is good by itself; `None` if something about it depends on more of what
/// stands before than its link.
fn folds(facts: &Facts, basis: &Basis, rules: &Rules) -> Option<(Option<KeyIndex>, Digest)> {
    let (sequence, Some(_), Some(hash)) = (facts.sequence, facts.prev, facts.hash) else { return None };
    let key = match facts.signature {
        SignatureFact::Unjudged => None,
        SignatureFact::Holds { key, reading, over: None } if basis.recipe.signature == Some(reading) => Some(key),
        _ => return None,
    };
    let numbered = sequence.is_some() == rules.numbered;
    let whole = facts.findings.is_empty() && facts.unequal.is_empty();
    let settled = facts.digest == DigestFact::Fits && facts.declared.is_none() && whole && !facts.escaped && numbered;
    // A row of a name that is not known as a chain may be mixed into another one.
    let placed = facts.group.as_ref().is_none_or(|group| basis.chains.contains(group));
    let watched = rules.pins_row(sequence.map(Sequence::get), &hash);
    (settled && placed && !watched).then_some((key, hash))
}

impl Run {
    /// This row as a run of one.
    fn new(facts: Box<Facts>, key: Option<KeyIndex>, hash: Digest) -> Self {
        Run {
            rows: 1,
            last_place: facts.place,
            last_sequence: facts.sequence,
            last_hash: hash,
            last_name: facts.name,
            last_left: facts.left.clone(),
            key,
            times: Times::of(&facts),
            notes: Notes::default(),
            reversals: Vec::new(),
            first: facts,
        }
    }

    /// Whether a run or row that starts so goes on from this one.
    fn is_followed_by(&self, next: &Facts, key: Option<KeyIndex>, rules: &Rules) -> bool {
        let group = self.first.group.as_ref();
        // The walk asks for the first row of a run whether its key may sign for the chain; the others
        // are spared the question only where the answer is yes for this very group.
        let permitted = rules.permits_row(next, key, group.map(|group| &**group));
        let number = |last: Sequence| last.get().checked_add(rules.sequence_step);
        let alike = |a: &Facts, b: &Facts| {
            a.also == b.also
                && a.key_id == b.key_id
                && a.signed == b.signed
                && a.sealed == b.sealed
                && a.unkeyed == b.unkeyed
        };
        let carried = !rules.carries
            || matches!((&next.before, &self.last_left), (Before::Row(before), Some(left)) if before == left);
        // Where a part begins matters to the stories of parts.
        let same_part = next.place.part == self.last_place.part;
        // What is counted as checked is counted apart from what is vouched for.
        let vouched = |place| rules.vouched.covers(place);
        permitted
            && same_part
            && vouched(self.last_place) == vouched(next.place)
            && key == self.key
            && alike(&self.first, next)
            && carried
            && next.prev == Some(self.last_name.unwrap_or(self.last_hash))
            && next.sequence.map(Sequence::get) == self.last_sequence.and_then(number)
            && (next.group.is_none() || next.group.as_ref() == group)
    }

    /// Put the row behind that follows.
    fn append_row(&mut self, next: &Facts) {
        self.rows += 1;
        if let Some(target) = next.reversal {
            self.reversals.push((next.place, next.sequence, target));
        }
        self.last_place = next.place;
        self.last_sequence = next.sequence;
        self.last_hash = next.hash.unwrap_or(self.last_hash);
        self.last_name = next.name;
        self.last_left.clone_from(&next.left);
        self.times.follow(Times::of(next), &mut self.notes);
    }

    /// Put the run behind that follows.
    fn append(&mut self, next: Run) {
        self.rows += next.rows;
        if let Some(target) = next.first.reversal {
            self.reversals.push((next.first.place, next.first.sequence, target));
        }
        self.reversals.extend(next.reversals);
        self.last_place = next.last_place;
        self.last_sequence = next.last_sequence;
        self.last_hash = next.last_hash;
        self.last_name = next.last_name;
        self.last_left = next.last_left;
        self.notes.merge(next.notes);
        self.times.follow(next.times, &mut self.notes);
    }
}
