//! What a row takes over from the one before it in its chain, in formats where something depends on that.
//!
//! Rows are checked in parallel, a batch at a time, so the row before is known only within a batch. What
//! a row was checked with stands among its facts; the walk has it checked again where that was not so.

use std::collections::HashMap;
use std::sync::Arc;

use crate::fact::{Before, Digest, Left, Place};
use crate::finding::{Code, Finding};
use crate::profile::{Found, Plan, View};
use crate::row::{Reader, Value};

/// The last rows of the chains of a batch.
#[derive(Debug, Default)]
pub(super) struct Carrying {
    /// The row before this one and its chain: most often the next row is of the same.
    recent: Option<(Option<Arc<str>>, Arc<Left>)>,
    /// Of every other chain.
    last: HashMap<Option<Arc<str>>, Arc<Left>>,
    /// The carried members of the row before, read again.
    readers: Vec<Reader>,
}

impl Carrying {
    /// The row before the next one of this chain.
    pub fn before(&self, group: Option<&Arc<str>>) -> Before {
        let left = match &self.recent {
            Some((recent, left)) if recent.as_ref() == group => Some(left),
            _ => self.last.get(&group.cloned()),
        };
        left.map_or(Before::Unknown, |left| Before::Row(Arc::clone(left)))
    }

    /// A row of this chain leaves this.
    pub fn leave(&mut self, group: Option<&Arc<str>>, left: &Arc<Left>) {
        match &mut self.recent {
            Some((recent, last)) if recent.as_ref() == group => *last = Arc::clone(left),
            recent => {
                let older = recent.replace((group.cloned(), Arc::clone(left)));
                self.last.extend(older);
            }
        }
    }

    /// A line could not be read: it may have been a row of any chain.
    pub fn forget(&mut self) {
        self.recent = None;
        self.last.clear();
    }

    /// Read the members of the row before.
    pub fn open(&mut self, before: &Before) {
        let Before::Row(left) = before else { return };
        self.readers.resize_with(left.members.len(), Reader::default);
        for (member, reader) in left.members.iter().zip(&mut self.readers) {
            if let Some(json) = member {
                // It was read once, as a part of its row.
                let _ = reader.read_value_exact(json.as_bytes());
            }
        }
    }

    /// The members of the row before; they were opened.
    pub fn members(&self, before: &Before) -> Vec<Option<Value<'_>>> {
        let Before::Row(left) = before else { return Vec::new() };
        let members = left.members.iter().zip(&self.readers);
        members.map(|(member, reader)| member.as_ref().map(|_| reader.last().root())).collect()
    }
}

/// What a row is named by.
#[derive(Default)]
pub(super) struct Claim {
    pub name: Option<Digest>,
    /// As it is written, where the name does not hold that.
    text: Option<Box<[u8]>>,
}

impl Claim {
    /// A digest, or nothing that is known.
    pub fn of(name: Option<Digest>) -> Self {
        Claim { name, text: None }
    }
}

/// What a row claims to be named by, whatever that is, in a format whose chain is what rows claim.
pub(super) fn claim(view: &View<'_>, plan: &Plan) -> Claim {
    let found = plan.fields.hash.as_ref().and_then(|field| field.find(view));
    let text = found.and_then(Found::as_bytes).unwrap_or_default();
    Claim { name: Some(Digest::of_text(text)), text: (!Digest::holds_text(text)).then(|| text.into()) }
}

/// What a row leaves for the next one.
pub(super) fn left(view: &View<'_>, plan: &Plan, Claim { name, text }: Claim) -> Arc<Left> {
    let json = |found: Found<'_>| match found {
        Found::Value(value) => value.written().map(Box::from),
        Found::Text(text) => Some(serde_json::Value::from(text).to_string().into()),
    };
    let members = plan.carried.iter().map(|field| field.find(view).and_then(json)).collect();
    Arc::new(Left { name, text, members })
}

/// The members that do not equal those of the row before that they must equal.
pub(super) fn unequal(
    view: &View<'_>,
    plan: &Plan,
    place: Place,
    before: &Before,
    members: &[Option<Value<'_>>],
) -> Vec<Finding> {
    let mut out = Vec::new();
    for (field, carried) in &plan.chain.equalities {
        let own = field.find(view).filter(|found| !found.is_null());
        let wanted = match before {
            Before::Unknown => continue,
            Before::First => None,
            Before::Row(_) => members.get(*carried).copied().flatten().filter(|value| !value.is_null()),
        };
        let same = match (own, wanted) {
            (None, None) => true,
            (Some(own), Some(wanted)) => match (own.as_str(), wanted.as_str()) {
                (Some(own), Some(wanted)) => own == wanted,
                (None, None) => own.value().and_then(Value::written) == wanted.written(),
                _ => false,
            },
            _ => false,
        };
        if !same {
            let shown =
                |found: Option<Found<'_>>| found.map_or_else(|| "nothing".to_owned(), super::fields::shown_found);
            let finding = Finding::new(Code::LinkBroken, Some(place)).member(field.name());
            out.push(finding.expected(shown(wanted.map(Found::Value))).found(shown(own)));
        }
    }
    out
}
