//! Notes, told once a kind, part and member, with their number and first place, so that they never
//! crowd faults out.

use std::collections::BTreeMap;
use std::collections::btree_map::Entry;
use std::sync::Arc;

use super::{Code, Counted, Finding};

/// What notes that are told together have in common: code, part, member.
type Kind = (Code, Option<u32>, Option<Arc<str>>);

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

    /// Take all of `other`.
    pub fn merge(&mut self, other: Notes) {
        other.kinds.into_values().for_each(|counted| self.add(counted));
    }

    /// How many of each code there are, and the notes themselves.
    pub fn into_counted(self) -> impl Iterator<Item = Counted> {
        self.kinds.into_values()
    }

    /// How many there are of each kind.
    pub fn counts(&self) -> impl Iterator<Item = (Code, u64)> {
        self.kinds.values().map(|counted| (counted.finding.code, counted.count))
    }

    fn add(&mut self, new: Counted) {
        let finding = &new.finding;
        let key = (finding.code, finding.place.map(|place| place.part), finding.member.clone());
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
