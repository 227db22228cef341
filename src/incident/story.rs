//! The stories so far: what was told, and which patterns are used up by it.

use super::patterns::Group;
use super::seen::{At, Mark, Signature};
use super::teller::Teller;
use super::{Detail, Incident, Kind};

/// A story that is being told.
#[derive(Clone, Debug)]
pub(super) struct Draft {
    pub incident: Incident,
    /// The chain, by its place in the list; `None` for the export as a whole.
    pub chain: Option<usize>,
    /// It touches the first row, the last row of its chain.
    pub at_start: bool,
    pub at_end: bool,
    /// How many rows more the chain had without it.
    pub lost: i128,
}

/// What was told so far.
#[derive(Debug)]
pub(super) struct Stories<'t> {
    pub teller: &'t Teller,
    pub drafts: Vec<Draft>,
    /// Which groups are part of a story, and which faults of other patterns belong to a group's.
    pub used: Vec<bool>,
    pub lent: Vec<u64>,
    /// Every signature fails: none of them says anything of its row.
    pub wrong_key: bool,
    /// Every digest is wrong: none of them says anything of its row.
    pub other_hashing: bool,
}

impl<'t> Stories<'t> {
    pub fn new(teller: &'t Teller) -> Self {
        let groups = teller.groups.len();
        Stories {
            teller,
            drafts: Vec::new(),
            used: vec![false; groups],
            lent: vec![0; groups],
            wrong_key: false,
            other_hashing: false,
        }
    }

    /// What is wrong with a row beyond what is wrong with all of them.
    pub fn mark(&self, mark: Mark) -> Mark {
        let fails = self.wrong_key && mark.signature == Signature::Fails;
        Mark {
            digest: mark.digest && !self.other_hashing,
            signature: if fails { Signature::Unjudged } else { mark.signature },
            ..mark
        }
    }

    /// The faults of a group beyond those that all rows have.
    pub fn faults(&self, group: usize) -> u64 {
        let Some(known) = self.teller.groups.get(group) else { return 0 };
        let signatures = self.wrong_key && known.mark.signature == Signature::Fails;
        let digests = self.other_hashing && known.mark.digest;
        let common = known.rows * (u64::from(signatures) + u64::from(digests));
        known.faults.saturating_sub(common) + self.lent.get(group).copied().unwrap_or(0)
    }

    /// The group that ends right before a row.
    pub fn group_before(&self, chain: usize, ordinal: u64) -> Option<usize> {
        self.teller.groups.iter().rposition(|group| group.chain == chain && group.last.ordinal + 1 == ordinal)
    }

    /// The group that a row is in.
    pub fn group_of(&self, chain: usize, ordinal: u64) -> Option<usize> {
        let holds = |group: &Group| (group.first.ordinal..=group.last.ordinal).contains(&ordinal);
        self.teller.groups.iter().rposition(|group| group.chain == chain && holds(group))
    }

    /// Take the groups between two rows for a story; gives their faults.
    pub fn take(&mut self, chain: usize, first: u64, last: u64) -> u64 {
        let mut faults = 0;
        for (index, group) in self.teller.groups.iter().enumerate() {
            let inside = group.chain == chain && group.first.ordinal >= first && group.last.ordinal <= last;
            if inside && self.used.get(index) == Some(&false) {
                faults += self.faults(index);
                if let Some(used) = self.used.get_mut(index) {
                    *used = true;
                }
            }
        }
        faults
    }

    /// A story about the rows from one to another of a chain.
    pub fn draft(&self, kind: Kind, chain: usize, first: At, last: At) -> Draft {
        let track = self.teller.tracks.get(chain);
        let incident = Incident {
            kind,
            certain: false,
            first: Some(first.place),
            last: Some(last.place),
            sequences: first.sequence.zip(last.sequence),
            chain: track.and_then(|track| track.name.clone()),
            rows: (last.ordinal + 1).saturating_sub(first.ordinal),
            faults: 0,
            good_before: None,
            good_after: None,
            detail: Detail::None,
        };
        let at_end = track.is_some_and(|track| last.ordinal >= track.last.ordinal);
        Draft { incident, chain: Some(chain), at_start: first.ordinal == 1, at_end, lost: 0 }
    }

    /// A story about the export as a whole, or about a chain of it.
    pub fn whole(&self, kind: Kind, chain: Option<usize>, faults: u64) -> Draft {
        let track = chain.and_then(|chain| self.teller.tracks.get(chain));
        let incident = Incident {
            kind,
            certain: false,
            first: None,
            last: None,
            sequences: None,
            chain: track.and_then(|track| track.name.clone()),
            rows: 0,
            faults,
            good_before: None,
            good_after: None,
            detail: Detail::None,
        };
        Draft { incident, chain, at_start: false, at_end: false, lost: 0 }
    }
}

impl Draft {
    pub fn certain(mut self, certain: bool) -> Self {
        self.incident.certain = certain;
        self
    }

    pub fn rows(mut self, rows: u64) -> Self {
        self.incident.rows = rows;
        self
    }

    pub fn faults(mut self, faults: u64) -> Self {
        self.incident.faults = faults;
        self
    }

    pub fn good(mut self, before: Option<u64>, after: Option<u64>) -> Self {
        (self.incident.good_before, self.incident.good_after) = (before, after);
        self
    }

    pub fn detail(mut self, detail: Detail) -> Self {
        self.incident.detail = detail;
        self
    }

    pub fn sequences(mut self, first: u64, last: u64) -> Self {
        self.incident.sequences = Some((first, last));
        self
    }

    pub fn lost(mut self, rows: i128) -> Self {
        self.lost = rows;
        self
    }
}
