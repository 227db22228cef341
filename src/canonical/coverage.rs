//! The members of a row that no preimage covers.
//!
//! Decides which values of a row can change without any digest or signature noticing. It starts
//! with all of them, and each part of a preimage takes away what it covers. What is left is a list
//! of tape indices, so that a row costs no more than a look at the objects that a selection names.

use super::select::{Fate, Place, Select};
use crate::row::{Node, Row, Value};

/// What is left of a row when its preimages have taken their part. Keeps its scratch from row to row.
#[derive(Debug, Default)]
pub struct Coverage {
    /// The values that nothing covers, none within another, ascending.
    left: Vec<u32>,
    /// Those that one selection leaves out, likewise.
    left_out: Vec<u32>,
    /// What `left` becomes.
    next: Vec<u32>,
    /// Objects and arrays of which a selection says something.
    open: Vec<(u32, Place)>,
    holds: Vec<bool>,
    path: String,
}

impl Coverage {
    /// Starts with a row of which nothing is covered yet.
    pub fn start(&mut self) {
        self.left.clear();
        self.left.push(0);
    }

    /// Takes away what this selection writes of the row. A null that `drop_null` leaves out is
    /// covered: any other value would be written. What `set` replaces is not, nor is what `keep_null`
    /// writes as null though `exclude` names it.
    pub fn take_selected(&mut self, row: &Row, select: &Select) {
        if self.left.is_empty() {
            return;
        }
        self.leave_out(row, select);
        self.left_out.sort_unstable();
        self.next.clear();
        let (mut ours, mut theirs) = (self.left.iter().peekable(), self.left_out.iter().peekable());
        while let (Some(&&a), Some(&&b)) = (ours.peek(), theirs.peek()) {
            let (a_end, b_end) = (row.after(a), row.after(b));
            if a_end <= b {
                ours.next();
            } else if b_end <= a {
                theirs.next();
            } else if a <= b && b_end <= a_end {
                self.next.push(b);
                theirs.next();
            } else {
                self.next.push(a);
                ours.next();
            }
        }
        std::mem::swap(&mut self.left, &mut self.next);
    }

    /// Takes away one value of the row.
    pub fn take(&mut self, value: Value<'_>) {
        let (row, index) = (value.row(), value.index());
        let end = row.after(index);
        self.next.clear();
        for &left in &self.left {
            let left_end = row.after(left);
            if left_end <= index || end <= left {
                self.next.push(left);
            } else if left < index {
                // It is somewhere within: what stands beside the way there stays.
                let first = self.next.len();
                beside(row, left, index, &mut self.next);
                self.next.get_mut(first..).unwrap_or_default().sort_unstable();
            }
        }
        std::mem::swap(&mut self.left, &mut self.next);
    }

    /// Calls `found` with the path of each member that nothing covers, in the order of the row. Each
    /// element of an array is `[]`. A row of which nothing at all is covered gives its members.
    pub fn left(&mut self, row: &Row, mut found: impl FnMut(&str)) {
        if self.left == [0] {
            self.left.clear();
            children(row, 0).for_each(|(_, value)| self.left.push(value));
        }
        for &value in &self.left {
            self.path.clear();
            let mut at = 0;
            while at != value {
                let Some((name, child)) = children(row, at).find(|(_, child)| value < row.after(*child)) else { break };
                match name {
                    Some(name) => {
                        if at != 0 {
                            self.path.push('.');
                        }
                        self.path.push_str(&String::from_utf8_lossy(name));
                    }
                    None => self.path.push_str("[]"),
                }
                at = child;
            }
            found(&self.path);
        }
    }

    /// Lists what a selection leaves out of the row.
    fn leave_out(&mut self, row: &Row, select: &Select) {
        self.left_out.clear();
        let Some(value) = row.root().path(select.of()) else {
            // Nothing is written.
            self.left_out.push(0);
            return;
        };
        if value.index() > 0 {
            beside(row, 0, value.index(), &mut self.left_out);
        }
        select.conditions(value, &mut self.holds);
        self.open.clear();
        self.open.push((value.index(), select.root()));
        while let Some((index, place)) = self.open.pop() {
            match row.node(index) {
                Node::Object { .. } => self.leave_members_out(row, select, index, place),
                Node::Array { .. } => {
                    for (number, (_, value)) in (0..).zip(children(row, index)) {
                        self.look_into(row, select, value, select.item(place, number));
                    }
                }
                _ => {}
            }
        }
    }

    fn leave_members_out(&mut self, row: &Row, select: &Select, object: u32, place: Place) {
        let mut likely = 0;
        for (name, value) in children(row, object) {
            let name = name.unwrap_or_default();
            match select.fate(&self.holds, place, name, row.node(value), &mut likely) {
                Fate::Out => self.left_out.push(value),
                Fate::NullOut => {}
                Fate::In { place: mut below, entry, .. } => {
                    let name = entry.and_then(|entry| entry.rule.rename.as_deref()).map_or(name, str::as_bytes);
                    match select.set.entry(place.set, name) {
                        Some(set) if set.rule.set.is_some() => self.left_out.push(value),
                        set => {
                            below.set = set.map_or(below.set, |set| set.below);
                            self.look_into(row, select, value, below);
                        }
                    }
                }
            }
        }
    }

    fn look_into(&mut self, row: &Row, select: &Select, value: u32, place: Place) {
        let has_parts = matches!(row.node(value), Node::Object { .. } | Node::Array { .. });
        // A null that is dropped is covered, so that dropping leaves nothing out.
        if has_parts && !select.leaves_none_out_below(place) {
            self.open.push((value, place));
        }
    }
}

/// Lists the values beside the way from one value to another within it, in no order.
fn beside(row: &Row, from: u32, to: u32, list: &mut Vec<u32>) {
    let mut at = Some(from).filter(|from| *from != to);
    while let Some(above) = at.take() {
        for (_, child) in children(row, above) {
            if to < child || row.after(child) <= to {
                list.push(child);
            } else if child != to {
                at = Some(child);
            }
        }
    }
}

/// The members of an object, with their names, or the elements of an array: their values' indices.
fn children(row: &Row, index: u32) -> impl Iterator<Item = (Option<&[u8]>, u32)> {
    let (count, is_object) = match row.node(index) {
        Node::Object { count, .. } => (count, true),
        Node::Array { count, .. } => (count, false),
        _ => (0, false),
    };
    let mut next = index.saturating_add(1);
    (0..count).map(move |_| {
        let name = is_object.then(|| row.name(next));
        let value = if is_object { next.saturating_add(1) } else { next };
        next = row.after(value);
        (name, value)
    })
}
