//! Counting findings: all of them are counted and enter a running digest, the first are listed.
//!
//! Findings arrive line by line. Within one line they are put in the table's order, so that the
//! list and the digest are the same however the work was split.

use std::collections::BTreeMap;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use super::{Class, Code, Finding, Notes};
use crate::place::Place;

/// How the user wants bounds to be taken.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Policy {
    /// Bounds the user waives (`--accept`).
    pub accepted: Vec<Code>,
    /// Every bound that is not accepted is a fault (`--strict`), but for `empty`.
    pub strict: bool,
}

impl Policy {
    /// Whether this code is a waived bound.
    pub fn accepts(&self, code: Code) -> bool {
        code.class() == Class::Bound && self.accepted.contains(&code)
    }

    /// The class a finding of this code has under this policy.
    pub fn class(&self, code: Code) -> Class {
        match code.class() {
            Class::Bound if self.strict && code != Code::Empty && !self.accepts(code) => Class::Fault,
            class => class,
        }
    }
}

/// A finding as it is listed; `count` is more than 1 for notes only.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The finding, for a note the first of its kind.
    pub finding: Finding,
    /// How many there are of it.
    pub count: u64,
}

/// All findings of a run.
#[derive(Debug)]
pub struct Tally {
    policy: Policy,
    limit: usize,
    /// The findings of the line that is being told, not yet in order.
    line: Vec<Finding>,
    /// Listed findings by class: fault, bound.
    faults: Vec<Finding>,
    bounds: Vec<Finding>,
    notes: Notes,
    counts: BTreeMap<Code, u64>,
    digest: Sha256,
}

impl Tally {
    /// An empty tally that lists `limit` findings at most.
    pub fn new(policy: Policy, limit: usize) -> Self {
        Tally {
            policy,
            limit,
            line: Vec::new(),
            faults: Vec::new(),
            bounds: Vec::new(),
            notes: Notes::default(),
            counts: BTreeMap::new(),
            digest: Sha256::new(),
        }
    }

    /// How bounds are taken.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// Take a fault or bound. Places must not run backwards; what has no place comes last.
    pub fn push(&mut self, finding: Finding) {
        debug_assert_ne!(finding.code.class(), Class::Note, "notes are told together");
        *self.counts.entry(finding.code).or_default() += 1;
        if self.line.last().is_some_and(|last| order(last.place) != order(finding.place)) {
            self.settle_line();
        }
        self.line.push(finding);
    }

    /// The faults and bounds that were taken for this line, where it is the one that is being told.
    pub fn on(&self, place: Place) -> &[Finding] {
        let told = self.line.last().is_some_and(|last| order(last.place) == order(Some(place)));
        if told { &self.line } else { &[] }
    }

    /// Take notes.
    pub fn note(&mut self, notes: Notes) {
        for (code, count) in notes.counts() {
            *self.counts.entry(code).or_default() += count;
        }
        self.notes.merge(notes);
    }

    /// How many findings of this code there are so far.
    pub fn count(&self, code: Code) -> u64 {
        self.counts.get(&code).copied().unwrap_or(0)
    }

    /// The members that notes of this code are about, sorted, listed or not.
    pub fn members(&self, code: Code) -> Vec<Arc<str>> {
        self.notes.members(code)
    }

    /// How many findings so far prove damage.
    pub fn faults(&self) -> u64 {
        self.counts.iter().filter(|&(&code, _)| self.policy.class(code) == Class::Fault).map(|(_, count)| count).sum()
    }

    /// Close the tally: counts by code, the digest over all faults and bounds in order (hex
    /// SHA-256), and the list. Where not all fit in the list, faults go before bounds, bounds
    /// before notes.
    pub fn finish(mut self) -> (BTreeMap<Code, u64>, String, Vec<Counted>) {
        self.settle_line();
        let single = |finding| Counted { finding, count: 1 };
        let mut list: Vec<Counted> = self.faults.into_iter().map(single).collect();
        list.extend(self.bounds.into_iter().map(single));
        list.extend(self.notes.into_counted());
        list.truncate(self.limit);
        list.sort_by_key(|counted| (order(counted.finding.place), counted.finding.code));
        (self.counts, data_encoding::HEXLOWER.encode(&self.digest.finalize()), list)
    }

    fn settle_line(&mut self) {
        let mut line = std::mem::take(&mut self.line);
        line.sort_by_key(|finding| finding.code);
        for finding in line {
            absorb(&mut self.digest, &finding);
            let list = match self.policy.class(finding.code) {
                Class::Fault => &mut self.faults,
                Class::Bound | Class::Note => &mut self.bounds,
            };
            if list.len() < self.limit {
                list.push(finding);
            }
        }
    }
}

/// Sorts by part and line; no place comes last.
fn order(place: Option<Place>) -> (bool, u32, u64) {
    place.map_or((true, 0, 0), |place| (false, place.part, place.line))
}

/// Put a finding's facts into the digest, each with its length so that no two differ in nothing
/// but where a text ends.
fn absorb(digest: &mut Sha256, finding: &Finding) {
    let place = finding.place.map(|p| format!("{}:{}:{}:{}", p.part, p.line, p.offset, p.length));
    let sequence = finding.sequence.map(|number| number.to_string());
    let other = finding.other.map(|number| number.to_string());
    let facts: [Option<&str>; 8] = [
        Some(finding.code.name()),
        place.as_deref(),
        sequence.as_deref(),
        finding.chain.as_deref(),
        finding.member.as_deref(),
        finding.expected.as_deref(),
        finding.found.as_deref(),
        other.as_deref(),
    ];
    for fact in facts {
        match fact {
            Some(text) => {
                digest.update(text.len().to_string());
                digest.update(":");
                digest.update(text);
            }
            None => digest.update("-"),
        }
    }
}
