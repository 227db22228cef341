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

use crate::chain::{History, LinkFilter, LookBack, Question};
use crate::check::Checker;
use crate::fact::{Before, Checked, Digest, Facts, Place, Recipe};
use crate::read::{Batch, Content, Earlier, Export, Kind, Limits};
use crate::row::Reader;

use super::Job;
use super::fold::check;
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
    job: &'a Job<'a>,
    recipe: Recipe,
    filter: &'a LinkFilter,
    limits: Limits,
    window: &'a [Batch],
    budget: &'a mut Budget,
    /// Of the rows of the window and near it; made for the first question.
    near: Option<Table>,
    /// Of all rows before these, for the digests that `asked` holds.
    far: Option<Table>,
    asked: HashSet<Digest>,
}

impl<'a> Reread<'a> {
    /// Over the export of this job up to the end of a window; rows are unfolded in this recipe.
    pub fn new(
        job: &'a Job<'a>,
        recipe: Recipe,
        filter: &'a LinkFilter,
        limits: Limits,
        window: &'a [Batch],
        budget: &'a mut Budget,
    ) -> Self {
        Reread { job, recipe, filter, limits, window, budget, near: None, far: None, asked: HashSet::new() }
    }

    fn export(&self) -> &'a Export {
        self.job.export
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
        let linked_twice = |digest: &Digest| self.filter.linked_twice(digest);
        let scan = Scan { plan: self.job.plan, links: &linked_twice, names: &|_| true };
        let (start, near) = self.window_start();
        let (mut before, mut reader) = (Table::default(), Reader::new());
        let place = Place { part: start.0, line: 0, offset: start.1, length: 0 };
        // Every line contains the empty text.
        let _ = Earlier::new(self.export(), self.limits).lines_containing(b"", place, &mut |line| {
            if (line.part, line.offset) < near {
                return ControlFlow::Break(());
            }
            scan.line(&mut reader, (line.part, line.offset), line.bytes, &mut before);
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
        let scan = Scan { plan: self.job.plan, links: &asked, names: &asked };
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
    fn look_back(&mut self, question: &Question<'_>) -> LookBack {
        let linked_twice = self.filter.linked_twice(&question.prev);
        let copy = linked_twice && question.hash.is_none_or(|hash| self.filter.named_twice(&hash));
        let fork = (question.parent || self.filter.named(&question.prev)) && (question.successor || linked_twice);
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
        let (mut reader, mut table) = (Reader::new(), Table::default());
        let rows = batch.lines().filter(|line| line.kind == Kind::Row);
        for line in rows.take_while(|line| at(line.place) < end) {
            scan.line(&mut reader, at(line.place), line.bytes, &mut table);
        }
        table
    };
    batches.par_iter().map(read).collect()
}
