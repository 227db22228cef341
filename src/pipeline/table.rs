//! What lines of the export state, looked up by digest: made anew for each search, and searched instead of
//! the export.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::chain::{LookBack, Question};
use crate::fact::{Digest, Place};
use crate::profile::{Field, Plan, View};
use crate::row::{Number, Reader};

/// Where a line starts: part and offset.
pub(super) type At = (u32, u64);

/// Where this place starts.
pub(super) fn at(place: Place) -> At {
    (place.part, place.offset)
}

/// The statements of a stretch of the export, each list in file order.
#[derive(Debug, Default)]
pub(super) struct Table {
    /// By the digest that rows state as their predecessor's.
    links: HashMap<Digest, Vec<Link>>,
    /// By the digest that they state as their own.
    names: HashMap<Digest, Vec<Name>>,
    /// The rows of `links` by the SHA-256 of their lines.
    lines: HashMap<[u8; 32], Vec<At>>,
}

/// A row that states a predecessor.
#[derive(Clone, Debug)]
struct Link {
    at: At,
    group: Option<Arc<str>>,
    /// Whether the digest stands in the line as it is, and not in escapes.
    plain: bool,
    sequence: Option<u64>,
    /// SHA-256 of the line.
    line: [u8; 32],
}

/// A row that states its own digest, not in escapes.
#[derive(Clone, Debug)]
struct Name {
    at: At,
    group: Option<Arc<str>>,
}

/// Which statements are taken into a table.
#[derive(Clone, Copy)]
pub(super) struct Scan<'s> {
    pub plan: &'s Plan,
    /// Digests of predecessors.
    pub links: &'s (dyn Fn(&Digest) -> bool + Sync),
    /// Own digests.
    pub names: &'s (dyn Fn(&Digest) -> bool + Sync),
}

impl Scan<'_> {
    /// Take in what the line that starts at `at` states; it comes behind those that were taken in before.
    pub fn line(&self, reader: &mut Reader, at: At, bytes: &[u8], table: &mut Table) {
        let Ok(row) = reader.read(bytes) else { return };
        let (fields, view) = (&self.plan.fields, View::of(row.root()));
        // What the next row states is the digest, or a member of its own.
        let name = self.plan.chain.linked_by.as_ref().or(fields.hash.as_ref());
        let group = || fields.group.as_ref()?.find(&view)?.as_str().map(Arc::from);
        let plain = |text: &str| memchr::memmem::find(bytes, text.as_bytes()).is_some();
        if let Some((text, prev)) = self.digest(fields.prev.as_ref(), &view).filter(|(_, prev)| (self.links)(prev)) {
            let sequence = fields.sequence.as_ref().and_then(|field| field.find(&view)?.value()?.as_number());
            let sequence = sequence.and_then(Number::as_exact_u64);
            let line = Sha256::digest(bytes).into();
            table.lines.entry(line).or_default().push(at);
            let link = Link { at, group: group(), plain: plain(text), sequence, line };
            table.links.entry(prev).or_default().push(link);
        }
        if let Some((text, hash)) = self.digest(name, &view).filter(|(_, hash)| (self.names)(hash))
            && plain(text)
        {
            table.names.entry(hash).or_default().push(Name { at, group: group() });
        }
    }

    fn digest<'r>(&self, field: Option<&Field>, view: &View<'r>) -> Option<(&'r str, Digest)> {
        let text = field?.find(view)?.as_str()?;
        Some((text, self.plan.form.decode(text)?))
    }
}

/// Names of chains that rows of a far table may have for one digest: the first ones count.
const NAMES: usize = 4;

impl Table {
    /// The table of lines that were taken in backwards.
    pub fn reversed(mut self) -> Self {
        self.links.values_mut().for_each(|links| links.reverse());
        self.names.values_mut().for_each(|names| names.reverse());
        self.lines.values_mut().for_each(|lines| lines.reverse());
        self
    }

    /// Put the table of the stretch that follows behind.
    pub fn append(&mut self, next: Table) {
        next.links.into_iter().for_each(|(prev, links)| self.links.entry(prev).or_default().extend(links));
        next.names.into_iter().for_each(|(hash, names)| self.names.entry(hash).or_default().extend(names));
        next.lines.into_iter().for_each(|(line, at)| self.lines.entry(line).or_default().extend(at));
    }

    /// The same, but only what comes first of statements that are alike, and only lines that `asked` holds:
    /// so this table stays as small as that one, however often a digest is stated.
    pub fn append_first(&mut self, next: Table, asked: &Table) {
        for (prev, links) in next.links {
            let kept = self.links.entry(prev).or_default();
            for link in links.into_iter().filter(|link| link.plain) {
                if is_first(kept.iter().map(|other| &other.group), &link.group) {
                    kept.push(link);
                }
            }
        }
        for (hash, names) in next.names {
            let kept = self.names.entry(hash).or_default();
            for name in names {
                if is_first(kept.iter().map(|other| &other.group), &name.group) {
                    kept.push(name);
                }
            }
        }
        for (line, at) in next.lines {
            if asked.lines.contains_key(&line) {
                self.lines.entry(line).or_insert(at);
            }
        }
    }

    /// The digests of predecessors that rows state.
    pub fn linked(&self) -> impl Iterator<Item = &Digest> {
        self.links.keys()
    }

    /// The SHA-256 of the line that asks, if it is in the table.
    pub fn line_of(&self, question: &Question<'_>) -> Option<[u8; 32]> {
        let links = self.links.get(&question.prev)?;
        let index = links.binary_search_by_key(&at(question.place), |link| link.at).ok()?;
        links.get(index).map(|link| link.line)
    }

    /// What the rows of a stretch answer to a question that this line asks.
    pub fn answer(&self, question: &Question<'_>, line: Option<[u8; 32]>, stretch: Range<At>) -> LookBack {
        answer(&[(self, stretch)], question, line, usize::MAX)
    }

    /// What the rows before `end` answer, of which this table holds the first ones and `next` the others, from
    /// `middle` on.
    pub fn answer_far(
        &self,
        next: &Table,
        question: &Question<'_>,
        line: Option<[u8; 32]>,
        middle: At,
        end: At,
    ) -> LookBack {
        answer(&[(self, (0, 0)..middle), (next, middle..end)], question, line, NAMES)
    }
}

/// What these stretches answer, in file order, if so many names of chains count.
fn answer(
    stretches: &[(&Table, Range<At>)],
    question: &Question<'_>,
    line: Option<[u8; 32]>,
    most_names: usize,
) -> LookBack {
    let mut seen = LookBack::default();
    let (mut of_links, mut of_names) = (Groups::new(question, most_names), Groups::new(question, most_names));
    for (table, stretch) in stretches {
        let lines = line.and_then(|line| table.lines.get(&line)).map_or(&[][..], Vec::as_slice);
        seen.copy |= lines.get(lines.partition_point(|at| *at < stretch.start)).is_some_and(|at| *at < stretch.end);
        let links = table.links.get(&question.prev).map_or(&[][..], Vec::as_slice);
        let mut links = links.iter().filter(|link| link.plain && stretch.contains(&link.at));
        if !seen.successor
            && let Some(link) = links.find(|link| of_links.count(&link.group))
        {
            seen.successor = true;
            seen.successor_sequence = link.sequence;
        }
        let names = table.names.get(&question.prev).map_or(&[][..], Vec::as_slice);
        seen.parent |= names.iter().filter(|name| stretch.contains(&name.at)).any(|name| of_names.count(&name.group));
    }
    seen
}

/// The names of chains that were met, if only the first ones count.
struct Groups<'q> {
    question: &'q Question<'q>,
    most: usize,
    met: Vec<Option<Arc<str>>>,
}

impl<'q> Groups<'q> {
    fn new(question: &'q Question<'q>, most: usize) -> Self {
        Groups { question, most, met: Vec::new() }
    }

    /// Whether a row of this group counts.
    fn count(&mut self, group: &Option<Arc<str>>) -> bool {
        if self.most < usize::MAX && !self.met.contains(group) {
            if self.met.len() == self.most {
                return false;
            }
            self.met.push(group.clone());
        }
        (self.question.may_be_of)(group.as_deref())
    }
}

/// Whether a group is one of the first few, and not there yet.
fn is_first<'g>(groups: impl Iterator<Item = &'g Option<Arc<str>>> + Clone, group: &Option<Arc<str>>) -> bool {
    groups.clone().all(|other| other != group) && groups.count() < NAMES
}
