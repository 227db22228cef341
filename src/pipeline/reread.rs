//! Reading the export again: the answers to what broken links ask about earlier rows.
//!
//! The questions of a window are answered together. The rows near it (of the window, and a zone before) are
//! read once into a table of what they state. Only what is still open then is looked for in everything
//! before, in one pass for all questions of the window, and only so often: see [`Budget`]. What is found
//! near is believed first.
//!
//! No answer depends on where windows end, nor on the filter, which only spares the reading. A read that
//! fails here finds nothing; the pipeline's own reading fails at the same place and says so.

use std::collections::HashSet;
use std::ops::ControlFlow;

use rayon::prelude::*;

use crate::chain::{History, LookBack, Question};
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, Facts, Place};
use crate::profile::LineReader;
use crate::read::{Batch, Beside, Earlier, Export, Kind, Limits, Line};

use super::Job;
use super::fold::{Folder, check};
use super::marks::Marks;
use super::table::{At, Scan, Table, at};

/// Bytes of the export that are parsed at a time in a search of everything before.
const STEP_BYTES: usize = 16 << 20;

/// How much is looked for far back.
///
/// Each zone that has a question which the rows near it leave open is charged with all that stands before
/// it, once, whether or not the filter spares the reading: so that the bound depends on the export alone.
#[derive(Debug)]
pub(super) struct Budget {
    left: u64,
    zone_bytes: u64,
    /// The zone that was charged last, and whether that went well.
    charged: Option<(At, bool)>,
}

impl Budget {
    /// What a run may look for.
    pub fn of(job: &Job<'_>) -> Self {
        let left = job.export.bytes().saturating_mul(16).max(job.sizes.far_bytes);
        Budget { left, zone_bytes: job.sizes.zone_bytes.max(1), charged: None }
    }

    /// Charge the zone of this place, whose far rows are `bytes`; whether they may be read. What is asked
    /// `apart` is charged apart.
    fn charge(&mut self, place: Place, bytes: u64, apart: bool) -> bool {
        let zone = (place.part, place.offset / self.zone_bytes);
        match self.charged {
            Some((charged, may)) if charged == zone && !(apart && may) => may,
            _ => {
                let left = self.left.checked_sub(bytes);
                self.left = left.unwrap_or(0);
                self.charged = Some((zone, left.is_some()));
                left.is_some()
            }
        }
    }
}

/// Earlier rows of the export, for the questions of one window.
pub(super) struct Reread<'a> {
    folder: Folder<'a>,
    limits: Limits,
    marks: &'a Marks,
    window: &'a [Batch],
    budget: &'a mut Budget,
    /// Of the rows of the window and near it; made for the first question.
    near: Option<Table>,
    /// Of all rows before these, for the digests that `asked` holds.
    far: Option<Table>,
    asked: HashSet<Digest>,
}

impl<'a> Reread<'a> {
    /// Over the export of this folder's job up to the end of a window; rows are unfolded as it folds them.
    pub fn new(
        folder: Folder<'a>,
        limits: Limits,
        marks: &'a Marks,
        window: &'a [Batch],
        budget: &'a mut Budget,
    ) -> Self {
        Reread { folder, limits, marks, window, budget, near: None, far: None, asked: HashSet::new() }
    }

    fn export(&self) -> &'a Export {
        self.folder.job.export
    }

    /// Where the rows start that are near to the ones of a place.
    fn near_start(&self, (part, offset): At) -> At {
        let bytes = self.budget.zone_bytes;
        let zone = |offset: u64| offset / bytes * bytes;
        match (zone(offset).checked_sub(bytes), part.checked_sub(1)) {
            (Some(start), _) => (part, start),
            (None, Some(before)) => (before, zone(self.export().length(before).saturating_sub(1))),
            (None, None) => (0, 0),
        }
    }

    /// Bytes of the export before a place.
    fn bytes_before(&self, (part, offset): At) -> u64 {
        (0..part).map(|part| self.export().length(part)).fold(offset, u64::saturating_add)
    }

    /// Where the window starts, and where the rows near it do.
    fn window_start(&self) -> (At, At) {
        let start = self.window.first().map_or((0, 0), |batch| (batch.part, batch.offset));
        (start, self.near_start(start))
    }

    /// The table of the rows in the window and near it.
    fn read_near(&self) -> Table {
        let linked_twice = |digest: &Digest| self.folder.filter.linked_twice(digest);
        let scan = Scan { plan: self.folder.job.plan, links: &linked_twice, names: &|_| true };
        let (start, near) = self.window_start();
        let (mut before, mut reader) = (Table::default(), LineReader::default());
        let place = Place { part: start.0, line: 0, offset: start.1, length: 0 };
        // Every line contains the empty text.
        let _ = Earlier::new(self.export(), self.limits).lines_containing(b"", place, &mut |line| {
            if (line.part, line.offset) < near {
                return ControlFlow::Break(());
            }
            let place = Place { part: line.part, line: 0, offset: line.offset, length: line.length };
            scan.line(&mut reader, &Line::row(place, line.bytes), &mut before);
            ControlFlow::Continue(())
        });
        let mut table = before.reversed();
        read_batches(&scan, self.window, (u32::MAX, 0)).into_iter().for_each(|batch| table.append(batch));
        table
    }

    /// The table of all rows before `end` for these digests.
    fn read_far(&self, near: &Table, digests: &HashSet<Digest>, end: At) -> Table {
        let mut table = Table::default();
        let asked = |digest: &Digest| digests.contains(digest);
        let scan = Scan { plan: self.folder.job.plan, links: &asked, names: &asked };
        let batches = self.export().batches(self.limits).map_while(Result::ok);
        let mut batches = batches.take_while(|batch| (batch.part, batch.offset) < end);
        loop {
            let (mut step, mut bytes) = (Vec::new(), 0);
            while bytes < STEP_BYTES
                && let Some(batch) = batches.next()
            {
                bytes += batch.bytes.len();
                step.push(batch);
            }
            if step.is_empty() {
                return table;
            }
            read_batches(&scan, &step, end).into_iter().for_each(|batch| table.append_first(batch, near));
        }
    }

    /// What the rows before `end`, all of them far back, answer.
    fn look_far(&mut self, near: &Table, question: &Question<'_>, line: Option<[u8; 32]>, end: At) -> LookBack {
        // The window starts before the zone of the row: what lies between is in the near table.
        let (_, middle) = self.window_start();
        let far = match self.far.take() {
            Some(far) if self.asked.contains(&question.prev) => far,
            _ => {
                self.asked.extend(near.linked().copied().chain([question.prev]));
                self.read_far(near, &self.asked, middle)
            }
        };
        let seen = far.answer_far(near, question, line, middle, end);
        self.far = Some(far);
        seen
    }

    /// Whether bytes that are far back from a place can be had again: those of a stream are gone.
    fn can_look_far(&self, place: Place) -> bool {
        (0..=place.part).all(|part| !self.export().is_stream(part))
    }

    /// The rows from one place to another, checked again; the first with what the row before it left, where
    /// that is known.
    fn rows(&self, from: Place, to: Place, before: Option<&Before>) -> Vec<Facts> {
        self.batch(from, to).map_or_else(Vec::new, |batch| self.checked(&batch, before))
    }

    fn checked(&self, batch: &Batch, mut before: Option<&Before>) -> Vec<Facts> {
        let Folder { job, basis, files, .. } = self.folder;
        let mut checker = Checker::new(job.plan, job.keys, basis.recipe);
        let rows = batch.lines().filter_map(|line| check(&line, &mut checker, job, before.take(), files));
        rows.filter_map(|checked| match checked {
            Checked::Row(facts) => Some(*facts),
            Checked::Unreadable(..) | Checked::Unchained(..) => None,
        })
        .collect()
    }

    /// The lines from one place to another, with those of the sidecar.
    fn batch(&self, from: Place, to: Place) -> Option<Batch> {
        let export = self.export();
        let batch = Earlier::new(export, self.limits).between(from, to).ok()?;
        let Some(sidecars) = export.sidecars() else { return Some(batch) };
        let offset = self.marks.find(sidecars, from.part, from.line)?;
        let end = self.marks.find(sidecars, from.part, to.line + 1)?;
        let mut bytes = Vec::new();
        sidecars.copy(from.part, offset..end, &mut bytes).ok()?;
        Some(Batch { beside: Some(Beside { offset, bytes }), ..batch })
    }
}

impl History for Reread<'_> {
    /// Of an export with a sidecar nothing is looked for: its lines may well repeat, and what rows state stands
    /// in the other file.
    fn look_back(&mut self, question: &Question<'_>) -> LookBack {
        if self.export().sidecars().is_some() {
            return LookBack::default();
        }
        let linked_twice = self.folder.filter.linked_twice(&question.prev);
        let copy = linked_twice && question.hash.is_none_or(|hash| self.folder.filter.named_twice(&hash));
        let fork =
            (question.parent || self.folder.filter.named(&question.prev)) && (question.successor || linked_twice);
        let start = self.near_start(at(question.place));
        let near = match self.near.take() {
            None if copy || fork => Some(self.read_near()),
            near => near,
        };
        let line = near.as_ref().and_then(|near| near.line_of(question));
        let mut seen = LookBack::default();
        if let Some(near) = &near {
            seen = near.answer(question, line, start..at(question.place));
        }
        if !settles(question, seen) && start > (0, 0) && self.can_look_far(question.place) {
            let may = self.budget.charge(question.place, self.bytes_before(start), question.successor);
            if let Some(near) = near.as_ref().filter(|_| may && (copy || fork)) {
                seen = self.look_far(near, question, line, start).before(seen);
            }
        }
        self.near = near;
        seen
    }

    fn recheck(&mut self, place: Place, before: &Before) -> Option<Facts> {
        self.rows(place, place, Some(before)).pop()
    }

    fn unfold(&mut self, from: Place, to: Place) -> Vec<Facts> {
        self.rows(from, to, None)
    }
}

/// Whether nothing more need be found.
fn settles(question: &Question<'_>, seen: LookBack) -> bool {
    seen.copy || (seen.parent || question.parent) && (seen.successor || question.successor)
}

/// What the lines of these batches state that start before `end`, each batch by itself.
fn read_batches(scan: &Scan<'_>, batches: &[Batch], end: At) -> Vec<Table> {
    let read = |batch: &Batch| {
        let (mut reader, mut table) = (LineReader::default(), Table::default());
        let rows = batch.lines().filter(|line| line.kind == Kind::Row);
        for line in rows.take_while(|line| at(line.place) < end) {
            scan.line(&mut reader, &line, &mut table);
        }
        table
    };
    batches.par_iter().map(read).collect()
}
