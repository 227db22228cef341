//! Without `--profile`: which of the built-in formats the first rows of an export are in.
//!
//! The shape of the rows narrows it down, and what they prove decides: a digest, a link or a signature
//! that their own bytes reproduce. All of it is only a choice of the rules by which every row is judged
//! afterwards; nothing that is found here enters a verdict.

mod choose;
mod sample;

use std::path::PathBuf;

use super::fit::Fitting;
use super::keys::{self, KeyFile};
use crate::profile::{self, Layout, Likeness, Opened, Plan, Shape, Source, View};
use crate::read::Export;
use crate::row::Reader;
use crate::stop::{Stop, StopCode};
use choose::{Choice, Tried, choose, looks_alike, misses};
use sample::{Line, Sample};

/// Formats that a stop names as near misses.
const NAMED: usize = 3;

/// The format of these exports, and the export where it had to be opened for that.
///
/// # Errors
///
/// A stop of the kind `profile` where no format can be told, or several; one for files that cannot be read.
pub(super) fn detect(exports: &[PathBuf], keys: &[KeyFile]) -> Result<(Plan, Option<Export>), Stop> {
    let Detected { plan, opened, .. } = look(exports, keys)?;
    Ok((plan?, opened))
}

/// What the start of an export shows.
pub(super) struct Detected {
    /// Its format, or the stop that says why it cannot be told.
    pub plan: Result<Plan, Stop>,
    /// The export, where it had to be opened.
    pub opened: Option<Export>,
    /// Whether there was a row at all.
    pub rows: bool,
}

/// The same as [`detect`] for a caller who has another export of the ledger to ask.
///
/// # Errors
///
/// A stop for files that cannot be read.
pub(super) fn look(exports: &[PathBuf], keys: &[KeyFile]) -> Result<Detected, Stop> {
    let (sample, opened) = sample::of(exports)?;
    let plan = format(&sample, keys, exports).map(|plan| Plan { source: Source::Detected, ..plan });
    Ok(Detected { plan, opened, rows: sample.rows > 0 })
}

fn format(sample: &Sample, keys: &[KeyFile], exports: &[PathBuf]) -> Result<Plan, Stop> {
    let home = profile::builtin(profile::HOME)?;
    let shapes = shapes(&home, &sample.lines);
    if looks_alike(&shapes) {
        return Ok(home);
    }
    if sample.rows == 0 {
        return without_rows(home, sample, exports);
    }
    let mut tried = vec![tried(home, shapes, sample, keys)];
    for name in profile::names().filter(|name| *name != profile::HOME) {
        let plan = profile::builtin(name)?;
        // What other lines than JSON hold is not looked at here.
        if matches!(plan.input.layout, Layout::Rows) {
            let shapes = self::shapes(&plan, &sample.lines);
            tried.push(self::tried(plan, shapes, sample, keys));
        }
    }
    match choose(&tried) {
        Choice::One(index) => Ok(tried.swap_remove(index).plan),
        Choice::Several(those) => {
            let names: Vec<&str> = those.iter().filter_map(|index| tried.get(*index)).map(|t| &*t.plan.name).collect();
            let message = format!("{}: the rows fit several formats: {}", shown(exports), names.join(", "));
            Err(Stop::new(StopCode::Profile, message).hint(format!("say which with --profile {}", names.join(" or "))))
        }
        Choice::None => {
            let near: Vec<String> = misses(&tried).into_iter().take(NAMED).collect();
            let near = match near.is_empty() {
                true => "the rows have no member in common with any".to_owned(),
                false => format!("nearest {}", near.join(", ")),
            };
            let count = tried.len();
            Err(unknown(format!("{}: none of {count} built-in formats fits the rows: {near}", shown(exports))))
        }
    }
}

/// An export without any JSON object among its first lines. An empty one is the home format's, as is one
/// of damaged rows that still hold the names of its members.
fn without_rows(home: Plan, sample: &Sample, exports: &[PathBuf]) -> Result<Plan, Stop> {
    let shape = Shape::of(&home);
    let damaged = sample.lines.iter().any(|line| shape.is_named_in(&line.bytes));
    let folders = exports.iter().any(|export| super::folder::is_folder(export));
    match sample.lines.is_empty() || damaged || folders {
        true => Ok(home),
        false => Err(unknown(format!("{}: no line at its start is a JSON object", shown(exports)))),
    }
}

fn unknown(message: String) -> Stop {
    let hint = "name the format with --profile NAME or FILE.toml; ledger-verify profiles lists the built-in ones";
    Stop::new(StopCode::Profile, message).hint(hint)
}

/// The shape of each row by this plan.
fn shapes(plan: &Plan, lines: &[Line]) -> Vec<Likeness> {
    let (mut reader, mut opened, shape) = (Reader::new(), Opened::default(), Shape::of(plan));
    let rows = lines.iter().filter(|line| line.is_row);
    rows.filter_map(|line| {
        let row = reader.read(&line.bytes).ok()?;
        opened.open(&plan.input.opened, row.root());
        Some(shape.likeness(&View::new(row.root(), &line.bytes, &opened), plan))
    })
    .collect()
}

/// What this format makes of the rows.
fn tried(plan: Plan, shapes: Vec<Likeness>, sample: &Sample, keys: &[KeyFile]) -> Tried {
    // A key that is none for this format is the audit's business, if it comes to that.
    let keyring = keys::keyring(keys, &plan).unwrap_or_default();
    let mut fitting = Fitting::new(&plan, &keyring, plan.settled());
    let (mut fits, mut keyless) = (0, 0);
    let mut shape = shapes.iter();
    for line in &sample.lines {
        let whole = crate::read::Line::row(line.place, &line.bytes);
        let Some(row) = fitting.row(&crate::read::Line { terminated: line.terminated, ..whole }) else { continue };
        let excluded = line.is_row && shape.next().is_some_and(|shape| shape.excluded);
        fits += usize::from(row.proves(&plan) && !excluded);
        keyless += usize::from(row.keyless && !excluded);
    }
    Tried { fits, keyless, shapes, plan }
}

/// The exports, for a message.
fn shown(exports: &[PathBuf]) -> String {
    match exports {
        [first] => first.display().to_string(),
        [first, rest @ ..] => format!("{} and {} more", first.display(), rest.len()),
        [] => String::new(),
    }
}
