//! Of members of one name the last one counts.
//!
//! Decides what is left of a row in Python's dialect when an object has a name twice: the name in its first
//! place, with its last value, at every depth, as a dictionary of Python keeps it. It trusts that the exact
//! reader made a well-formed tape.

use super::{Node, Row, Span};

/// What is still to be copied, the next on top.
enum Task {
    /// The node at this index, and what is in it.
    Copy(u32),
    /// An object or array of the new tape is complete.
    Close(usize),
}

/// Leaves only the last of members of one name in every object.
pub(super) fn wins(row: &mut Row) {
    let mut tape = Tape { nodes: Vec::with_capacity(row.nodes.len()), written: Vec::with_capacity(row.nodes.len()) };
    let mut tasks = vec![Task::Copy(0)];
    while let Some(task) = tasks.pop() {
        let index = match task {
            Task::Copy(index) => index,
            Task::Close(index) => {
                tape.close(index);
                continue;
            }
        };
        let node = row.node(index);
        let at = tape.push(node, row.written.get(index as usize));
        match node {
            Node::Object { count, .. } => {
                let members = members(row, index, count);
                tape.count(at, members.len());
                tasks.push(Task::Close(at));
                for (name, value) in members.into_iter().rev() {
                    tasks.extend([Task::Copy(value), Task::Copy(name)]);
                }
            }
            Node::Array { count, .. } => {
                tasks.push(Task::Close(at));
                let first = tasks.len();
                let mut item = index.saturating_add(1);
                for _ in 0..count {
                    tasks.push(Task::Copy(item));
                    item = row.after(item);
                }
                tasks.get_mut(first..).unwrap_or_default().reverse();
            }
            _ => {}
        }
    }
    row.nodes = tape.nodes;
    row.written = tape.written;
}

/// The members that are left of an object: the first place of each name, and its last value.
fn members(row: &Row, object: u32, count: u32) -> Vec<(u32, u32)> {
    let mut all = Vec::with_capacity(count as usize);
    let mut name = object.saturating_add(1);
    for _ in 0..count {
        let value = name.saturating_add(1);
        all.push((name, value));
        name = row.after(value);
    }
    all.sort_by(|(a, _), (b, _)| row.name(*a).cmp(row.name(*b)));
    // The sort is stable: of one name the first comes first.
    all.dedup_by(|(name, value), (first, last)| {
        let same = row.name(*name) == row.name(*first);
        if same {
            *last = *value;
        }
        same
    });
    all.sort_unstable();
    all
}

/// The tape that a row gets.
struct Tape {
    nodes: Vec<Node>,
    written: Vec<Span>,
}

impl Tape {
    fn push(&mut self, node: Node, written: Option<&Span>) -> usize {
        self.nodes.push(node);
        self.written.push(written.copied().unwrap_or_default());
        self.nodes.len() - 1
    }

    fn count(&mut self, at: usize, members: usize) {
        if let Some(Node::Object { count, .. }) = self.nodes.get_mut(at) {
            *count = members as u32;
        }
    }

    fn close(&mut self, at: usize) {
        let after = self.nodes.len() as u32;
        if let Some(Node::Object { end, .. } | Node::Array { end, .. }) = self.nodes.get_mut(at) {
            *end = after;
        }
    }
}
