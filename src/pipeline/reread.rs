//! Reading the export again: the answers to what a broken link asks about earlier rows.
//!
//! Earlier rows are found by the bytes that they must hold, from the break backwards. A read that fails
//! here finds nothing; the pipeline's own reading fails at the same place and says so.

use std::ops::ControlFlow;

use crate::chain::{History, LookBack};
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, Facts, Place};
use crate::profile::{Field, Found, LineReader, Plan, View};
use crate::read::{Batch, Beside, Earlier, Limits, Line, Partner};
use crate::row::{Number, Value};

use super::fold::{Folder, check};
use super::marks::Marks;

/// Earlier rows of the export.
pub(super) struct Reread<'a> {
    folder: Folder<'a>,
    limits: Limits,
    /// The lines that hold what rows state: the sidecar's, where there is one.
    earlier: Earlier<'a>,
    marks: &'a Marks,
    reader: LineReader,
    line: Vec<u8>,
    /// The line after the last original that a copy was found of: the next copy is most often its.
    after_original: Option<(u32, u64)>,
}

impl<'a> Reread<'a> {
    /// Over the export of this folder's job; rows are unfolded as it folds them.
    pub fn new(folder: Folder<'a>, limits: Limits, marks: &'a Marks) -> Self {
        let export = folder.job.export;
        Reread {
            folder,
            limits,
            earlier: Earlier::new(export.sidecars().unwrap_or(export), limits),
            marks,
            reader: LineReader::default(),
            line: Vec::new(),
            after_original: None,
        }
    }

    /// The rows from one place to another, checked again; the first with what the row before it left, where
    /// that is known.
    fn rows(&self, from: Place, to: Place, before: Option<&Before>) -> Vec<Facts> {
        self.batch(from, to).map_or_else(Vec::new, |batch| self.checked(&batch, before))
    }

    fn checked(&self, batch: &Batch, mut before: Option<&Before>) -> Vec<Facts> {
        let Folder { job, basis, files, .. } = self.folder;
        let mut checker = Checker::new(job.plan, job.keys, basis.recipe);
        let most = self.limits.max_row_bytes;
        let rows = batch.lines().filter_map(|line| check(&line, &mut checker, most, before.take(), files));
        rows.filter_map(|checked| match checked {
            Checked::Row(facts) => Some(*facts),
            Checked::Unreadable(..) => None,
        })
        .collect()
    }

    /// The lines from one place to another, with those of the sidecar.
    fn batch(&self, from: Place, to: Place) -> Option<Batch> {
        let export = self.folder.job.export;
        let batch = Earlier::new(export, self.limits).between(from, to).ok()?;
        let Some(sidecars) = export.sidecars() else { return Some(batch) };
        let offset = self.marks.find(sidecars, from.part, from.line)?;
        let end = self.marks.find(sidecars, from.part, to.line + 1)?;
        let mut bytes = Vec::new();
        sidecars.copy(from.part, offset..end, &mut bytes).ok()?;
        Some(Batch { beside: Some(Beside { offset, bytes }), ..batch })
    }

    /// Where what the row at this place states stands among the lines that are searched.
    fn searched(&self, place: Place) -> Option<Place> {
        let Some(sidecars) = self.folder.job.export.sidecars() else { return Some(place) };
        let offset = self.marks.find(sidecars, place.part, place.line)?;
        let end = self.marks.find(sidecars, place.part, place.line + 1)?;
        let mut bytes = Vec::new();
        sidecars.copy(place.part, offset..end, &mut bytes).ok()?;
        let length = bytes.strip_suffix(b"\n").unwrap_or(&bytes).len() as u64;
        Some(Place { offset, length, ..place })
    }
}

impl History for Reread<'_> {
    fn stated_twice(&self, prev: &Digest) -> bool {
        self.folder.filter.stated_twice(prev)
    }

    /// With a sidecar a copy is a line of it that stands there twice: the export's lines may well repeat.
    fn is_copy(&mut self, place: Place) -> bool {
        let Some(place) = self.searched(place) else { return false };
        let mut line = std::mem::take(&mut self.line);
        let read = self.earlier.line_at(place, &mut line);
        self.line = line;
        if read.is_err() {
            return false;
        }
        let hint = self.after_original.take();
        self.after_original = hint.and_then(|hint| self.earlier.stands_at(&self.line, hint, place));
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
        let mut seen = LookBack::default();
        let Some(place) = self.searched(place) else { return seen };
        let Reread { folder, earlier, reader, .. } = self;
        let plan = folder.job.plan;
        let beside = folder.job.export.sidecars().is_some();
        let fields = &plan.fields;
        let needle = plan.form.encode(prev);
        let _ = earlier.lines_containing(needle.as_bytes(), place, &mut |line| {
            let alone = Line::row(place, line.bytes);
            let line = if beside { Line { partner: Partner::Line(line.bytes), ..alone } } else { alone };
            if let Ok(row) = reader.read(&line, plan)
                && may_be_of(named(plan, row.root()))
            {
                let view = View::of(row.root());
                let states = |field: &Option<Field>| {
                    let found = field.as_ref().and_then(|field| field.find(&view));
                    found.and_then(Found::as_str).is_some_and(|text| text == needle)
                };
                seen.parent |= states(&fields.hash) || states(&plan.chain.linked_by);
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
