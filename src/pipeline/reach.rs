//! One row of an export, with all that stands before it walked: for an explanation.
//!
//! The rows before are checked and walked as in an audit, in the same windows and on the same threads, so
//! that what is said of the row is what an audit says of it, and memory stays flat. What the other rows
//! have wrong is dropped.

use rayon::prelude::*;

use super::checkers::Checkers;
use super::files::Files;
use super::fold::{Folder, check};
use super::marks::Marks;
use super::reread::{Budget, Reread};
use super::{Job, Progress, Source, Unfinished, expected_bytes, threads};
use crate::chain::{LinkFilter, Standing, Walk};
use crate::check::Checker;
use crate::fact::{Checked, Digest, Facts, Place, Recipe};
use crate::finding::{Finding, Policy, Tally};
use crate::read::{Batch, Beside, Content, Kind, Limits, Line, Partner};
use crate::stop::Stop;
use crate::trust::keyring::Keyring;

/// Which row is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Target {
    /// The one in this line of this part.
    Line {
        /// Index of the part, from 0.
        part: u32,
        /// Physical line within the part, from 1.
        line: u64,
    },
    /// The one with this number.
    Sequence {
        /// The number.
        number: u64,
        /// The chain that the row names, where that is asked for.
        chain: Option<String>,
    },
}

impl Target {
    fn is(&self, place: Place, checked: Option<&Checked>) -> bool {
        match (self, checked) {
            (Target::Line { part, line }, _) => (place.part, place.line) == (*part, *line),
            (Target::Sequence { number, chain }, Some(Checked::Row(facts))) => {
                let same = |chain: &String| facts.group.as_deref() == Some(chain.as_str());
                facts.sequence.is_some_and(|sequence| sequence.get() == *number) && chain.as_ref().is_none_or(same)
            }
            (Target::Sequence { .. }, _) => false,
        }
    }
}

/// The row that was meant, and what an audit knows of it.
#[derive(Clone, Debug)]
pub struct Reached {
    /// Where it stands.
    pub place: Place,
    /// Its bytes, without the line end; empty where the line is too long to be held.
    pub bytes: Vec<u8>,
    /// Whether its line ends in LF.
    pub terminated: bool,
    /// What the line is.
    pub kind: Kind,
    /// The line of the sidecar that stands beside it, without its end, where the format has one.
    pub partner: Option<Vec<u8>>,
    /// What stands before it; `None` where it cannot be read as a row.
    pub standing: Option<Standing>,
    /// The readings that are settled with it, the default ones where none is.
    pub recipe: Recipe,
    /// What an audit says of it, in the order in which it says it.
    pub findings: Vec<Finding>,
    /// The row that follows it in its chain and what that states as its predecessor, where it was looked for.
    pub next: Option<(Place, Option<Digest>)>,
    /// Further rows that are meant as well, the first of them.
    pub others: Vec<Place>,
}

impl Reached {
    /// The line, for another check.
    pub fn line(&self) -> Line<'_> {
        let partner = self.partner.as_deref().map_or(Partner::None, Partner::Line);
        let whole = Line::row(self.place, &self.bytes);
        Line { terminated: self.terminated, kind: self.kind, partner, ..whole }
    }
}

/// Further rows that are told.
const OTHERS: usize = 8;

/// Findings of one row that are told.
const FINDINGS: usize = 1000;

/// Walk to the row that is meant; `None` if there is none, and why the export was not read that far.
///
/// # Errors
///
/// A stop if the threads cannot be started.
pub fn reach(job: Job<'_>, target: &Target) -> Result<Result<Option<Reached>, Unfinished>, Stop> {
    Ok(threads(job.threads)?.install(|| Search::new(&job, target).run()))
}

struct Search<'a> {
    job: &'a Job<'a>,
    target: &'a Target,
    limits: Limits,
    source: Source<'a>,
    filter: LinkFilter,
    files: Files<'a>,
    checkers: Checkers<'a>,
    marks: Marks,
    budget: Budget,
    progress: Progress,
}

/// What is looked for without being walked: rows are read as in an audit, but for their signatures.
struct Look<'a> {
    job: &'a Job<'a>,
    no_keys: &'a Keyring,
    files: &'a Files<'a>,
}

impl Look<'_> {
    /// The rows of a batch for which `wanted` says something.
    fn find<T>(&self, batch: &Batch, mut wanted: impl FnMut(Place, Option<&Checked>) -> Option<T>) -> Vec<T> {
        let mut checker = Checker::new(self.job.plan, self.no_keys, self.job.recipe);
        let rows = batch.lines().filter_map(|line| {
            let checked = check(&line, &mut checker, self.job, None, self.files);
            wanted(line.place, checked.as_ref())
        });
        rows.collect()
    }
}

impl<'a> Search<'a> {
    fn new(job: &'a Job<'a>, target: &'a Target) -> Self {
        let limits = Limits { batch_bytes: job.sizes.batch_bytes, max_row_bytes: job.max_row_bytes };
        Search {
            job,
            target,
            limits,
            source: Source::new(job.export, limits),
            filter: LinkFilter::for_rows(expected_bytes(job.export) / super::ROW_BYTES),
            files: Files::new(job.export, job.artefacts),
            checkers: Checkers::new(job),
            marks: Marks::default(),
            budget: Budget::of(job),
            progress: Progress { bytes: 0, total: None, rows: 0 },
        }
    }

    fn run(mut self) -> Result<Option<Reached>, Unfinished> {
        let mut walk = Walk::new(self.job.rules, self.job.recipe);
        let mut nobody = Tally::new(Policy::default(), 0);
        let no_keys = Keyring::default();
        let (job, files) = (self.job, Files::new(self.job.export, self.job.artefacts));
        let look = Look { job, no_keys: &no_keys, files: &files };
        loop {
            let window = self.source.fill(self.job.sizes.window_bytes);
            window.iter().for_each(|batch| self.marks.add(batch));
            if window.is_empty() {
                return self.source.failed.take().map_or(Ok(None), |error| Err(Unfinished::Failed(error)));
            }
            let hit =
                |batch: &Batch| look.find(batch, |place, checked| self.target.is(place, checked).then_some(place));
            let hits: Vec<Vec<Place>> = match self.target {
                // The lines of a batch are numbered: nothing of it need be read.
                Target::Line { part, line } => window.iter().map(|batch| line_in(batch, *part, *line)).collect(),
                Target::Sequence { .. } => window.par_iter().map(hit).collect(),
            };
            let found = hits.iter().position(|hits| !hits.is_empty());
            self.walk(&window[..found.unwrap_or(window.len())], &mut walk, &mut nobody)?;
            let Some(found) = found else {
                self.advanced(&window)?;
                self.source.reuse(window);
                continue;
            };
            let (Some(place), Some(batch)) = (hits[found].first().copied(), window.get(found)) else { continue };
            let (before, own, after) = split(batch, place);
            self.walk(&before, &mut walk, &mut nobody)?;
            let Some((mut reached, facts)) = self.row(&own, &mut walk)? else { return Ok(None) };
            let rest = after.into_iter().chain(window.into_iter().skip(found + 1));
            self.after(rest, &mut reached, facts.as_ref(), &look)?;
            return Ok(Some(reached));
        }
    }

    /// Walk the rows of these batches.
    fn walk(&mut self, batches: &[Batch], walk: &mut Walk<'_>, tally: &mut Tally) -> Result<(), Unfinished> {
        let basis = walk.basis();
        let folder = Folder { job: self.job, basis: &basis, filter: &self.filter, files: &self.files };
        let folded: Vec<_> = batches.par_iter().map(|batch| folder.fold(batch, &self.checkers)).collect();
        let mut reread = Reread::new(folder, self.limits, &self.marks, batches, &mut self.budget);
        for folded in folded {
            walk.absorb(folded.segment, &mut reread, tally);
        }
        match (self.job.judge.differs(), walk.overflow()) {
            (Some(place), _) => Err(Unfinished::Signature(place)),
            (None, Some(place)) => Err(Unfinished::TooManyChains(place)),
            (None, None) => Ok(()),
        }
    }

    /// The row itself, which is the only one of a batch.
    fn row(&mut self, batch: &Batch, walk: &mut Walk<'_>) -> Result<Option<(Reached, Option<Facts>)>, Unfinished> {
        let basis = walk.basis();
        let Some(line) = batch.lines().next() else { return Ok(None) };
        let mut checker = Checker::new(self.job.plan, self.job.keys, basis.recipe);
        let facts = match check(&line, &mut checker, self.job, None, &self.files) {
            Some(Checked::Row(facts)) => Some(*facts),
            _ => None,
        };
        let standing = facts.as_ref().and_then(|facts| walk.standing(facts));
        let mut tally = Tally::new(Policy::default(), FINDINGS);
        self.walk(std::slice::from_ref(batch), walk, &mut tally)?;
        let settled = walk.basis().recipe;
        let (_, _, findings) = tally.finish();
        let reached = Reached {
            place: line.place,
            bytes: line.bytes.to_vec(),
            terminated: line.terminated,
            kind: line.kind,
            partner: match line.partner {
                Partner::Line(bytes) => Some(bytes.to_vec()),
                Partner::None | Partner::Missing => None,
            },
            standing,
            recipe: Recipe { hash: settled.hash.or(Some(0)), signature: settled.signature.or(Some(0)) },
            findings: findings.into_iter().map(|counted| counted.finding).collect(),
            next: None,
            others: Vec::new(),
        };
        Ok(Some((reached, facts)))
    }

    /// What stands behind the row: whether it is the only one with its number, and, where rows do not state
    /// their digest, the row that does.
    fn after(
        &mut self,
        rest: impl Iterator<Item = Batch>,
        reached: &mut Reached,
        facts: Option<&Facts>,
        look: &Look<'_>,
    ) -> Result<(), Unfinished> {
        let all = matches!(self.target, Target::Sequence { .. });
        let mut wants_next = self.job.plan.fields.hash.is_none() && facts.is_some();
        let group = facts.and_then(|facts| facts.group.clone());
        let mut window: Vec<Batch> = rest.collect();
        while (all || wants_next) && reached.others.len() < OTHERS {
            let seen = window.par_iter().map(|batch| {
                let mut next = None;
                let others = look.find(batch, |place, checked| {
                    if let Some(Checked::Row(row)) = checked
                        && row.group == group
                        && next.is_none()
                    {
                        next = Some((place, self.job.plan.fields.prev.as_ref().and(row.prev)));
                    }
                    (all && self.target.is(place, checked)).then_some(place)
                });
                (next, others)
            });
            for (next, others) in seen.collect::<Vec<_>>() {
                if wants_next && next.is_some() {
                    (reached.next, wants_next) = (next, false);
                }
                reached.others.extend(others);
            }
            self.advanced(&window)?;
            self.source.reuse(window);
            window = self.source.fill(self.job.sizes.window_bytes);
            if window.is_empty() {
                break;
            }
        }
        reached.others.truncate(OTHERS);
        self.source.failed.take().map_or(Ok(()), |error| Err(Unfinished::Failed(error)))
    }

    fn advanced(&mut self, window: &[Batch]) -> Result<(), Unfinished> {
        self.progress.bytes += window.iter().map(|batch| batch.bytes.len() as u64).sum::<u64>();
        self.progress.rows += window.iter().map(|batch| batch.lines().count() as u64).sum::<u64>();
        match self.job.observer.advanced(self.progress) {
            true => Ok(()),
            false => Err(Unfinished::Interrupted(self.progress)),
        }
    }
}

/// The place of this line, if it is in the batch.
fn line_in(batch: &Batch, part: u32, line: u64) -> Vec<Place> {
    let may_be = batch.part == part && batch.first_line <= line;
    let places = batch.lines().map(|line| line.place).filter(|place| place.line == line);
    if may_be { places.collect() } else { Vec::new() }
}

/// The batch in three: what stands before this line, the line, what stands behind it.
fn split(batch: &Batch, place: Place) -> (Vec<Batch>, Batch, Option<Batch>) {
    match &batch.content {
        Content::Lines => split_lines(batch, place),
        Content::Items(items) => {
            let at = items.partition_point(|item| (item.start as u64) < place.offset);
            let part = |range: std::ops::Range<usize>| {
                let items = items.get(range).unwrap_or_default().to_vec();
                Batch { content: Content::Items(items), ..batch.clone() }
            };
            (vec![part(0..at)], part(at..at + 1), Some(part(at + 1..items.len())))
        }
        Content::Piece | Content::LastPiece(_) => (Vec::new(), batch.clone(), None),
    }
}

fn split_lines(batch: &Batch, place: Place) -> (Vec<Batch>, Batch, Option<Batch>) {
    let start = usize::try_from(place.offset.saturating_sub(batch.offset)).unwrap_or(usize::MAX).min(batch.bytes.len());
    let end = start + batch.form.first_line(batch.bytes.get(start..).unwrap_or_default()).len();
    let part = |range: std::ops::Range<usize>, first_line: u64, behind: u64| Batch {
        part: batch.part,
        first_line,
        offset: batch.offset + range.start as u64,
        bytes: batch.bytes.get(range).unwrap_or_default().to_vec(),
        content: Content::Lines,
        max_row_bytes: batch.max_row_bytes,
        form: batch.form,
        beside: batch
            .beside
            .as_ref()
            .map(|beside| beside_lines(beside, first_line - batch.first_line, behind.saturating_sub(batch.first_line))),
    };
    let before = if start > 0 { vec![part(0..start, batch.first_line, place.line)] } else { Vec::new() };
    let after = (end < batch.bytes.len()).then(|| part(end..batch.bytes.len(), place.line + 1, u64::MAX));
    (before, part(start..end, place.line, place.line + 1), after)
}

/// The lines of a sidecar from one to another, counted from its first one here.
fn beside_lines(beside: &Beside, first: u64, behind: u64) -> Beside {
    let start_of = |line: u64| match usize::try_from(line).ok().and_then(|line| line.checked_sub(1)) {
        None => 0,
        Some(ends) => memchr::memchr_iter(b'\n', &beside.bytes).nth(ends).map_or(beside.bytes.len(), |lf| lf + 1),
    };
    let (start, end) = (start_of(first), start_of(behind));
    Beside { offset: beside.offset + start as u64, bytes: beside.bytes.get(start..end).unwrap_or_default().to_vec() }
}
