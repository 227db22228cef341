//! Reading the export again: the answers to what a broken link asks about earlier rows.
//!
//! Earlier rows are found by the bytes that they must hold, from the break backwards. A read that fails
//! here finds nothing; the pipeline's own reading fails at the same place and says so.

use std::ops::ControlFlow;

use crate::chain::{History, LinkFilter, LookBack};
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, Facts, Place, Recipe};
use crate::profile::{Field, Found, Plan, View};
use crate::read::{Batch, Content, Earlier, Export, Limits};
use crate::row::{Number, Reader, Value};

use super::Job;
use super::fold::check;

/// Earlier rows of the export.
pub(super) struct Reread<'a> {
    job: &'a Job<'a>,
    recipe: Recipe,
    filter: &'a LinkFilter,
    limits: Limits,
    earlier: Earlier<'a>,
    reader: Reader,
    line: Vec<u8>,
    other: Vec<u8>,
    /// The line after the last original that a copy was found of: the next copy is most often its.
    after_original: Option<(u32, u64)>,
}

impl<'a> Reread<'a> {
    /// Over the export of this job; rows are unfolded in this recipe.
    pub fn new(job: &'a Job<'a>, recipe: Recipe, filter: &'a LinkFilter, limits: Limits) -> Self {
        Reread {
            job,
            recipe,
            filter,
            limits,
            earlier: Earlier::new(job.export, limits),
            reader: Reader::new(),
            line: Vec::new(),
            other: Vec::new(),
            after_original: None,
        }
    }

    fn export(&self) -> &'a Export {
        self.job.export
    }

    /// Whether the line that starts at this offset is the one in `self.line`; gives where the next starts.
    fn stands_at(&mut self, (part, offset): (u32, u64), before: Place) -> Option<(u32, u64)> {
        let end = offset + self.line.len() as u64;
        // The line end, CR LF at most, is fetched too: the bytes could be the start of a longer line.
        let last = self.export().length(part).min(end + 2);
        if (part, end) > (before.part, before.offset) || end > last {
            return None;
        }
        self.export().copy(part, offset..last, &mut self.other).ok()?;
        let line_end = self.other.strip_prefix(self.line.as_slice())?;
        let after = [b"\n".as_slice(), b"\r\n"].into_iter().find(|ends| line_end.starts_with(ends))?;
        Some((part, end + after.len() as u64))
    }
}

impl Reread<'_> {
    /// The rows from one place to another, checked again; the first with what the row before it left, where
    /// that is known.
    fn rows(&self, from: Place, to: Place, before: Option<&Before>) -> Vec<Facts> {
        let mut bytes = Vec::new();
        if from.part != to.part
            || self.export().copy(from.part, from.offset..to.offset + to.length, &mut bytes).is_err()
        {
            return Vec::new();
        }
        let batch = Batch {
            part: from.part,
            first_line: from.line,
            offset: from.offset,
            bytes,
            content: Content::Lines,
            max_row_bytes: self.limits.max_row_bytes,
        };
        let mut checker = Checker::new(self.job.plan, self.job.keys, self.recipe);
        let mut before = before;
        let most = self.limits.max_row_bytes;
        let rows = batch.lines().filter_map(|line| check(&line, &mut checker, most, before.take()));
        rows.filter_map(|checked| match checked {
            Checked::Row(facts) => Some(*facts),
            Checked::Unreadable(..) => None,
        })
        .collect()
    }
}

impl History for Reread<'_> {
    fn stated_twice(&self, prev: &Digest) -> bool {
        self.filter.stated_twice(prev)
    }

    fn is_copy(&mut self, place: Place) -> bool {
        let mut line = std::mem::take(&mut self.line);
        let read = self.earlier.line_at(place, &mut line);
        self.line = line;
        if read.is_err() {
            return false;
        }
        let hint = self.after_original.take();
        self.after_original = hint.and_then(|hint| self.stands_at(hint, place));
        if self.after_original.is_none() {
            let line = self.line.as_slice();
            let after_original = &mut self.after_original;
            let _ = self.earlier.lines_containing(line, place, &mut |earlier| {
                if earlier.bytes != line {
                    return ControlFlow::Continue(());
                }
                *after_original = Some((earlier.part, earlier.offset + earlier.length + 1));
                ControlFlow::Break(())
            });
        }
        self.after_original.is_some()
    }

    fn look_back(&mut self, prev: &Digest, place: Place, may_be_of: &dyn Fn(Option<&str>) -> bool) -> LookBack {
        let Reread { job, earlier, reader, .. } = self;
        let fields = &job.plan.fields;
        let needle = job.plan.form.encode(prev);
        let mut seen = LookBack::default();
        let _ = earlier.lines_containing(needle.as_bytes(), place, &mut |line| {
            if let Ok(row) = reader.read(line.bytes)
                && may_be_of(named(job.plan, row.root()))
            {
                let view = View::of(row.root());
                let states = |field: &Option<Field>| {
                    let found = field.as_ref().and_then(|field| field.find(&view));
                    found.and_then(Found::as_str).is_some_and(|text| text == needle)
                };
                seen.parent |= states(&fields.hash) || states(&job.plan.chain.linked_by);
                if states(&fields.prev) {
                    let number = fields.sequence.as_ref().and_then(|field| field.find(&view)?.value()?.as_number());
                    seen.successor = true;
                    seen.successor_sequence = number.and_then(Number::as_exact_u64);
                }
            }
            if seen.parent && seen.successor { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        seen
    }

    fn recheck(&mut self, place: Place, before: &Before) -> Option<Facts> {
        self.rows(place, place, Some(before)).pop()
    }

    fn unfold(&mut self, from: Place, to: Place) -> Vec<Facts> {
        self.rows(from, to, None)
    }
}

/// The chain that a row names.
fn named<'r>(plan: &Plan, row: Value<'r>) -> Option<&'r str> {
    plan.fields.group.as_ref().and_then(|field| field.find(&View::of(row))).and_then(Found::as_str)
}
