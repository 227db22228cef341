//! The breaks that an export declares, collected before its rows are judged.
//!
//! A declaration may stand any distance before or behind the line that it excuses, so all of them are looked
//! for first. A file is read twice for that, one that is compressed as well. A pipe can be read only once: it
//! is kept in memory up to [`HELD`] bytes, and one that is longer is a stop. That both readings saw the same
//! declarations is checked when the rows are walked.

use std::path::PathBuf;

use memchr::memmem::Finder;

use super::interrupted;
use crate::chain::{Declaration, Declarations, Resume};
use crate::check::cut;
use crate::fact::Digest;
use crate::pipeline::{Observer, Progress};
use crate::profile::{DeclaredPlan, LineReader, Opened, Plan, View, pinned};
use crate::read::{Access, Batch, Export, Kind, Limits, Line};
use crate::stop::{Stop, StopCode};

/// Bytes of a pipe that are kept.
pub(super) const HELD: u64 = 1 << 30;

/// Bytes that the declarations of one export may take.
const MOST: usize = 64 << 20;

/// Bytes that one declaration takes, besides its texts.
const EACH: usize = 512;

/// Bytes between two looks at whether the run is to end.
const STEP: u64 = 64 << 20;

/// The declarations of the export, whose parts are these files; none where its format has no such rows.
///
/// # Errors
///
/// A stop if the user ends the run, if there are too many, and if a pipe is too long. What else cannot be read
/// is told when the rows are.
pub(super) fn collect(
    export: &Export,
    paths: &[PathBuf],
    plan: &Plan,
    max_row_bytes: usize,
    honoured: bool,
    observer: &dyn Observer,
) -> Result<Declarations, Stop> {
    let Some(declared) = &plan.declared else { return Ok(Declarations::default()) };
    let streams = (0..export.parts()).any(|part| export.is_stream(part));
    let again = match streams && (0..export.parts()).all(|part| export.is_file(part)) {
        true => Some(Export::open_as(paths, &plan.input.shape(), Access::default())?),
        false => None,
    };
    if streams && again.is_none() {
        export.hold(HELD);
    }
    let limits = Limits { max_row_bytes, ..Limits::default() };
    let mut collector = Collector::new(declared, plan, honoured);
    let mut batches = again.as_ref().unwrap_or(export).batches(limits);
    let (mut buffer, mut bytes, mut looked) = (Vec::new(), 0, 0);
    // Where reading fails the walk's own reading fails, and says so.
    while let Some(Ok(batch)) = batches.next_into(std::mem::take(&mut buffer)) {
        bytes += batch.bytes.len() as u64;
        collector.batch(&batch)?;
        if again.is_none() && streams && export.bytes() > HELD {
            return Err(too_long());
        }
        if bytes - looked >= STEP {
            looked = bytes;
            let progress = Progress { bytes: 0, total: None, rows: 0 };
            if !observer.advanced(progress) {
                return Err(interrupted(progress, 0));
            }
        }
        buffer = batch.bytes;
    }
    Ok(Declarations::new(collector.list, &collector.lines, honoured))
}

/// The declarations so far.
struct Collector<'p> {
    declared: &'p DeclaredPlan,
    plan: &'p Plan,
    honoured: bool,
    finder: Finder<'p>,
    reader: LineReader,
    opened: Opened,
    list: Vec<Declaration>,
    /// Bytes that they take.
    cost: usize,
    /// Lines of each part, up to the batch that was looked at last.
    lines: Vec<u64>,
}

impl<'p> Collector<'p> {
    fn new(declared: &'p DeclaredPlan, plan: &'p Plan, honoured: bool) -> Self {
        Collector {
            declared,
            plan,
            honoured,
            finder: Finder::new(declared.text.as_bytes()),
            reader: LineReader::default(),
            opened: Opened::default(),
            list: Vec::new(),
            cost: 0,
            lines: Vec::new(),
        }
    }

    fn batch(&mut self, batch: &Batch) -> Result<(), Stop> {
        let part = batch.part as usize;
        if self.lines.len() <= part {
            self.lines.resize(part + 1, 0);
        }
        if let Some(lines) = self.lines.get_mut(part) {
            *lines = batch.last_line();
        }
        if self.finder.find(&batch.bytes).is_none() {
            return Ok(());
        }
        for line in batch.lines().filter(|line| line.kind == Kind::Row) {
            if self.finder.find(line.bytes).is_some() {
                self.line(&line)?;
            }
        }
        Ok(())
    }

    fn line(&mut self, line: &Line<'_>) -> Result<(), Stop> {
        let Ok(row) = self.reader.read(line, self.plan, true) else { return Ok(()) };
        self.opened.open(&self.plan.input.opened, row.root());
        let view = View::new(row.root(), line.bytes, &self.opened);
        let Some(stated) = self.declared.read(&view, self.plan) else { return Ok(()) };
        let why = cut(&stated.why);
        self.cost += EACH + why.len() + stated.resume.as_ref().map_or(0, Vec::len);
        if self.cost > MOST && !self.honoured {
            return Ok(());
        }
        if self.cost > MOST {
            let why = format!("the export declares more breaks than are kept: over {} of them", self.list.len());
            return Err(Stop::new(StopCode::Declarations, why).hint("verify it with --strict, which honours none"));
        }
        self.list.push(Declaration {
            place: line.place,
            own_sha256: pinned(line.bytes),
            line: stated.line,
            sha256: stated.sha256,
            why,
            resume: stated.resume.and_then(|text| resume(text, self.plan)),
        });
        Ok(())
    }
}

/// What the chain goes on from; `None` for a text that names no row in this format.
fn resume(text: Vec<u8>, plan: &Plan) -> Option<Resume> {
    if !plan.chain.literal {
        return Some(Resume { name: plan.form.decode(std::str::from_utf8(&text).ok()?)?, text: None });
    }
    Some(Resume { name: Digest::of_text(&text), text: (!Digest::holds_text(&text)).then(|| text.into()) })
}

fn too_long() -> Stop {
    let why = format!("the pipe is longer than {HELD} bytes, and breaks may be declared anywhere in it");
    Stop::new(StopCode::Declarations, why).hint("give the file itself, compressed or not: it can be read twice")
}
