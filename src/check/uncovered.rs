//! The members of rows that no preimage covers, counted a batch at a time.
//!
//! Which these are follows from the names in a row alone, so that rows of one shape are looked at once.

use std::collections::HashMap;
use std::collections::hash_map::{DefaultHasher, Entry};
use std::hash::Hasher;
use std::sync::Arc;

use crate::fact::Place;
use crate::finding::{Code, Finding, Notes};
use crate::profile::{Coverage, Plan};
use crate::row::Value;

/// Shapes that are remembered; rows of more shapes than these are looked at one by one.
const SHAPES: usize = 4096;

/// Counts uncovered members.
#[derive(Debug)]
pub(super) struct Uncovered<'p> {
    coverage: Vec<&'p Coverage>,
    shapes: HashMap<(usize, u64), Arc<[Arc<str>]>>,
    seen: HashMap<Arc<str>, (Place, u64)>,
}

impl<'p> Uncovered<'p> {
    pub fn new(plan: &'p Plan) -> Self {
        let coverage = plan.coverage.iter().collect();
        Uncovered { coverage, shapes: HashMap::new(), seen: HashMap::new() }
    }

    /// Look at a row that follows this rule of the hash.
    pub fn row(&mut self, row: Value<'_>, rule: Option<usize>, place: Place) {
        let Some((rule, coverage)) = rule.and_then(|rule| Some((rule, *self.coverage.get(rule)?))) else { return };
        let members = match self.shapes.entry((rule, shape(row))) {
            Entry::Occupied(entry) => Arc::clone(entry.get()),
            Entry::Vacant(entry) => {
                let members: Arc<[Arc<str>]> = coverage.uncovered(row).into_iter().map(Arc::from).collect();
                Arc::clone(entry.insert(members))
            }
        };
        if self.shapes.len() > SHAPES {
            self.shapes.clear();
        }
        for member in members.iter() {
            match self.seen.get_mut(member) {
                Some((_, count)) => *count += 1,
                None => {
                    self.seen.insert(Arc::clone(member), (place, 1));
                }
            }
        }
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

/// A number for the names of a row, with the kinds of its values and their order.
fn shape(row: Value<'_>) -> u64 {
    let mut hasher = DefaultHasher::new();
    let mut open = vec![row];
    while let Some(value) = open.pop() {
        hasher.write_usize(value.count());
        hasher.write_u8(u8::from(value.is_object()) | u8::from(value.is_array()) << 1 | u8::from(value.is_null()) << 2);
        for (name, member) in value.members() {
            hasher.write(name.as_bytes());
            hasher.write_u8(0xff);
            open.push(member);
        }
        open.extend(value.items());
    }
    hasher.finish()
}
