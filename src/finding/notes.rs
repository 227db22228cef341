//! Notes, told once a kind, part and member, with their number and first place, so that they never
//! crowd faults out.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::{Code, Counted, Finding};

/// What notes that are told together have in common: code, part, member.
type Kind = (Code, Option<u32>, Option<Arc<str>>);

/// Members that are told by name; those of the rows that come later are counted together.
const MEMBERS: usize = 1000;

/// Notes that were found so far.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Notes {
    kinds: BTreeMap<Kind, Counted>,
}

impl Notes {
    /// Take one.
    pub fn push(&mut self, finding: Finding) {
        self.add(Counted { finding, count: 1 });
    }

    /// Take one that stands for so many.
    pub fn push_counted(&mut self, finding: Finding, count: u64) {
        self.add(Counted { finding, count });
    }

    /// Take all of `other`, whose rows stand behind these.
    pub fn merge(&mut self, other: Notes) {
        let mut notes: Vec<Counted> = other.kinds.into_values().collect();
        // In the order of the rows, so that which members are told by name does not depend on how the
        // export was cut.
        notes.sort_by(|a, b| (a.finding.place, &a.finding.member).cmp(&(b.finding.place, &b.finding.member)));
        notes.into_iter().for_each(|counted| self.add(counted));
    }

    /// How many of each code there are, and the notes themselves.
    pub fn into_counted(self) -> impl Iterator<Item = Counted> {
        self.kinds.into_values()
    }

    /// The members that notes of this code are about, sorted.
    pub fn members(&self, code: Code) -> Vec<Arc<str>> {
        let of = self.kinds.keys().filter(|(kind, ..)| *kind == code);
        let mut members: Vec<Arc<str>> = of.filter_map(|(_, _, member)| member.clone()).collect();
        members.sort();
        members.dedup();
        members
    }

    /// How many there are of each kind.
    pub fn counts(&self) -> impl Iterator<Item = (Code, u64)> {
        self.kinds.values().map(|counted| (counted.finding.code, counted.count))
    }

    fn add(&mut self, mut new: Counted) {
        let part = new.finding.place.map(|place| place.part);
        let mut key = (new.finding.code, part, new.finding.member.clone());
        if self.kinds.len() >= MEMBERS && key.2.is_some() && !self.kinds.contains_key(&key) {
            new.finding.member = None;
            key.2 = None;
        }
        match self.kinds.entry(key) {
            Entry::Vacant(entry) => {
                entry.insert(new);
            }
            Entry::Occupied(mut entry) => {
                let known = entry.get_mut();
                known.count += new.count;
                if new.finding.place < known.finding.place {
                    known.finding = new.finding;
                }
            }
        }
    }
}
