//! The members of rows that no preimage covers, counted a batch at a time.

use std::collections::HashMap;
use std::sync::Arc;

use crate::canonical::Coverage;
use crate::fact::Place;
use crate::finding::{Code, Finding, Notes};
use crate::profile::{Found, Plan, View};
use crate::row::Row;

/// What is named instead of a member where the text between the named groups of a line is not covered.
const BESIDE_MEMBERS: &str = "(text outside the named groups)";

/// Counts uncovered members.
#[derive(Debug)]
pub(super) struct Uncovered<'p> {
    plan: &'p Plan,
    coverage: Coverage,
    seen: HashMap<Arc<str>, (Place, u64)>,
}

impl<'p> Uncovered<'p> {
    pub fn new(plan: &'p Plan) -> Self {
        Uncovered { plan, coverage: Coverage::default(), seen: HashMap::new() }
    }

    /// Look at a row that follows this rule of the hash.
    pub fn row(&mut self, row: &Row, view: &View<'_>, rule: Option<usize>, place: Place) {
        let Some(covered) = rule.and_then(|rule| self.plan.covered.get(rule)) else { return };
        self.coverage.start();
        covered.selections.iter().for_each(|select| self.coverage.take_selected(row, select));
        for field in &covered.members {
            if let Some(Found::Value(value)) = field.find(view) {
                self.coverage.take(value);
            }
        }
        let seen = &mut self.seen;
        let mut saw = |path: &str| match seen.get_mut(path) {
            Some((_, count)) => *count += 1,
            None => {
                seen.insert(Arc::from(path), (place, 1));
            }
        };
        if covered.beside_members {
            saw(BESIDE_MEMBERS);
        }
        self.coverage.left(row, saw);
    }

    /// What was counted since the last time.
    pub fn take(&mut self) -> Notes {
        let mut notes = Notes::default();
        for (member, (place, count)) in self.seen.drain() {
            notes.push_counted(Finding::new(Code::UncoveredField, Some(place)).member(member), count);
        }
        notes
    }
}
