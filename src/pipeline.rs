//! The pipeline: the only place that knows of threads.
//!
//! Batches are read in order, their rows are checked in parallel, and the walk judges the folded
//! segments in order again. While one stride of batches is checked, its bytes go through SHA-256 and the
//! next stride is copied out of the map. Every step works on that one copy, so what is hashed is what was
//! checked. A stride is small enough that its bytes are still near the processor when they are looked at
//! again; a window of strides is held for the walk, whatever the length of the export.

mod checkers;
mod files;
mod fold;
mod marks;
mod reach;
mod reread;
mod table;

use rayon::prelude::*;
use sha2::{Digest as _, Sha256};

use crate::chain::{LinkFilter, Rules, Walk, WalkEnd};
use crate::check::ed25519::Judge;
use crate::fact::{Place, Recipe};
use crate::finding::Tally;
use crate::profile::Plan;
use crate::read::{Batch, Batches, Export, Limits, ReadError};
use crate::stop::{Stop, StopCode};
use crate::trust::keyring::Keyring;
use checkers::Checkers;
use files::Files;
use fold::{Folded, Folder};
use marks::Marks;
pub use reach::{Reached, Target, reach};
use reread::{Budget, Reread};

/// How the work is cut. Batches and windows decide what a run costs, never what it says; the other two, how
/// often rows far back are looked for when links are broken (docs/limits.md).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Sizes {
    /// Bytes of a batch: the piece of work of one thread.
    pub batch_bytes: usize,
    /// Bytes of a stride for each thread: enough batches that none waits long for the last one.
    pub stride_bytes: usize,
    /// Bytes of a window, which the walk judges at once: what its broken links ask is answered together.
    pub window_bytes: usize,
    /// Bytes of a zone: the rows of its zone and of the one before are near to a row.
    pub zone_bytes: u64,
    /// Bytes that may be read again in the search for rows far back, or 16 times the export where that is more.
    pub far_bytes: u64,
    /// Bytes at both ends of what an earlier report vouches for, whose rows are checked all the same.
    pub end_bytes: u64,
}

impl Default for Sizes {
    fn default() -> Self {
        Sizes {
            batch_bytes: 256 << 10,
            stride_bytes: 2 << 20,
            window_bytes: 16 << 20,
            zone_bytes: 16 << 20,
            far_bytes: 32 << 30,
            end_bytes: 1 << 20,
        }
    }
}

/// Bytes that the shortest rows have, about; the size of the link filter follows from it.
const ROW_BYTES: u64 = 256;

/// Bytes that a stream has, about.
const STREAM_BYTES: u64 = 1 << 30;

/// How far a run is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// Bytes that were checked.
    pub bytes: u64,
    /// Bytes that there are, where that is known.
    pub total: Option<u64>,
    /// Rows that were checked.
    pub rows: u64,
}

/// Watches a run from outside.
pub trait Observer: std::fmt::Debug + Sync {
    /// Told after each window; says whether to go on.
    fn advanced(&self, progress: Progress) -> bool;
}

/// Nobody watches.
impl Observer for () {
    fn advanced(&self, _: Progress) -> bool {
        true
    }
}

/// Why a run ended before the end of the export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unfinished {
    /// It can no longer be read.
    Failed(ReadError),
    /// The observer had it stopped.
    Interrupted(Progress),
    /// A row starts one chain more than are kept apart.
    TooManyChains(Place),
    /// A file that a row names is there and cannot be read, for this reason.
    File(Place, String),
    /// The engine gave another verdict on a signature of this row than `verify_strict`: nothing it said counts.
    Signature(Place),
}

/// Which SHA-256 of the bytes of an export are asked for. One is a stream that no number of threads makes faster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Digests {
    /// None.
    Nothing,
    /// That of each part, and of its sidecar.
    #[default]
    Parts,
    /// And that of all parts together.
    PartsAndAll,
}

/// What is walked, and how.
#[derive(Clone, Copy, Debug)]
pub struct Job<'a> {
    /// The export.
    pub export: &'a Export,
    /// Its format.
    pub plan: &'a Plan,
    /// The trusted keys.
    pub keys: &'a Keyring,
    /// What the walk must know.
    pub rules: &'a Rules,
    /// Who judges Ed25519 signatures.
    pub judge: &'a Judge,
    /// The readings that are settled from the start.
    pub recipe: Recipe,
    /// Bytes of the longest row.
    pub max_row_bytes: usize,
    /// Threads; 0 means one for each core.
    pub threads: usize,
    /// How the work is cut.
    pub sizes: Sizes,
    /// Which SHA-256 of the bytes are asked for.
    pub digests: Digests,
    /// The folder with copies of artefacts that rows name.
    pub artefacts: Option<&'a std::path::Path>,
    /// Who watches.
    pub observer: &'a dyn Observer,
}

/// What walking an export gives.
#[derive(Debug)]
pub struct Walked {
    /// Where the walk ended.
    pub end: WalkEnd,
    /// SHA-256 (hex) and rows of each part.
    pub parts: Vec<PartSum>,
    /// SHA-256 (hex) of the bytes of all parts one after the other, where it was asked for.
    pub all: Option<String>,
    /// SHA-256 (hex) of the last part up to where an earlier report was made, if it is as long.
    pub prefix: Option<String>,
    /// Why it is not the whole export.
    pub unfinished: Option<Unfinished>,
}

/// One part of the export, after it was read.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PartSum {
    /// Bytes that were read.
    pub bytes: u64,
    /// SHA-256 of these, hex; empty where it was not asked for.
    pub sha256: String,
    /// Lines that hold a row, readable or not.
    pub rows: u64,
    /// Bytes of its sidecar and their SHA-256 (hex), where there is one.
    pub sidecar: Option<(u64, String)>,
}

/// Walk the whole export; findings go to `tally`.
///
/// # Errors
///
/// A stop if the threads cannot be started.
pub fn walk(job: Job<'_>, tally: &mut Tally) -> Result<Walked, Stop> {
    Ok(threads(job.threads)?.install(|| run(job, tally)))
}

/// Do other work than a walk on so many threads; 0 means one for each core.
///
/// # Errors
///
/// A stop if the threads cannot be started.
pub fn on_threads<T: Send>(count: usize, work: impl FnOnce() -> T + Send) -> Result<T, Stop> {
    Ok(threads(count)?.install(work))
}

/// Do two things, at the same time where there are threads for both.
pub fn at_once<A: Send, B: Send>(one: impl FnOnce() -> A + Send, other: impl FnOnce() -> B + Send) -> (A, B) {
    rayon::join(one, other)
}

fn threads(count: usize) -> Result<rayon::ThreadPool, Stop> {
    rayon::ThreadPoolBuilder::new().num_threads(count).build().map_err(|error| {
        Stop::new(StopCode::Internal, format!("the threads cannot be started: {error}")).hint("try --threads 1")
    })
}

fn run(job: Job<'_>, tally: &mut Tally) -> Walked {
    let limits = Limits { batch_bytes: job.sizes.batch_bytes, max_row_bytes: job.max_row_bytes };
    let filter = LinkFilter::for_rows(expected_bytes(job.export) / ROW_BYTES);
    let mut source = Source::new(job.export, limits);
    let mut sums = Sums::new(job.export, job.digests, job.rules.vouched.end());
    let mut walk = Walk::new(job.rules, job.recipe);
    let mut budget = Budget::of(&job);
    let files = Files::new(job.export, job.artefacts);
    let checkers = Checkers::new(&job);
    let mut marks = Marks::default();
    // The first window is one batch, and later ones grow: what the first rows settle (which readings the export
    // is in, which chains there are) makes the others cheaper.
    let mut reach = job.sizes.batch_bytes.min(job.sizes.window_bytes);
    let stride_bytes = rayon::current_num_threads().saturating_mul(job.sizes.stride_bytes);
    let mut window = Window::default();
    let mut stride = source.fill(reach);
    while !stride.is_empty() {
        let basis = walk.basis();
        let folder = Folder { job: &job, basis: &basis, filter: &filter, files: &files };
        stride.iter().for_each(|batch| marks.add(batch));
        let (next, (folded, ())) = rayon::join(
            || source.fill(reach.min(stride_bytes)),
            || {
                rayon::join(
                    || stride.par_iter().map(|batch| folder.fold(batch, &checkers)).collect::<Vec<_>>(),
                    || stride.iter().for_each(|batch| sums.bytes(batch)),
                )
            },
        );
        for (batch, folded) in stride.iter().zip(&folded) {
            sums.rows(batch, folded.rows);
        }
        window.add(std::mem::replace(&mut stride, next), folded);
        if window.bytes >= reach || stride.is_empty() {
            reach = reach.saturating_mul(4).min(job.sizes.window_bytes);
            let Window { batches, folded, .. } = std::mem::take(&mut window);
            let mut reread = Reread::new(folder, limits, &marks, &batches, &mut budget);
            folded.into_iter().for_each(|folded| walk.absorb(folded.segment, &mut reread, tally));
            source.reuse(batches);
        }
        if let Some(place) = walk.overflow() {
            let unfinished = Some(Unfinished::TooManyChains(place));
            return sums.walked(walk.finish(), unfinished);
        }
        if let Some(place) = job.judge.differs() {
            return sums.walked(walk.finish(), Some(Unfinished::Signature(place)));
        }
        let progress = sums.progress(job.export);
        if !job.observer.advanced(progress) {
            let unfinished = Some(Unfinished::Interrupted(progress));
            return sums.walked(walk.finish(), unfinished);
        }
    }
    let unreadable = files.unreadable().map(|(place, why)| Unfinished::File(place, why));
    let unfinished = source.failed.map(Unfinished::Failed).or(unreadable);
    sums.walked(walk.finish(), unfinished)
}

/// How long the export is, about: the length of a stream is not known before its end.
fn expected_bytes(export: &Export) -> u64 {
    let of = |part| if export.is_stream(part) { STREAM_BYTES } else { export.length(part) };
    (0..export.parts()).map(of).fold(0, u64::saturating_add)
}

/// What the walk judges at once.
#[derive(Default)]
struct Window {
    batches: Vec<Batch>,
    /// Of each batch.
    folded: Vec<Folded>,
    bytes: usize,
}

impl Window {
    fn add(&mut self, batches: Vec<Batch>, folded: Vec<Folded>) {
        self.bytes += batches.iter().map(held).sum::<usize>();
        self.batches.extend(batches);
        self.folded.extend(folded);
    }
}

/// Bytes that a batch holds.
fn held(batch: &Batch) -> usize {
    batch.bytes.len() + batch.beside.as_ref().map_or(0, |beside| beside.bytes.len())
}

/// Strides of batches, in order, in buffers that are used again.
struct Source<'a> {
    batches: Batches<'a>,
    limits: Limits,
    free: Vec<Vec<u8>>,
    failed: Option<ReadError>,
}

impl<'a> Source<'a> {
    fn new(export: &'a Export, limits: Limits) -> Self {
        Source { batches: export.batches(limits), limits, free: Vec::new(), failed: None }
    }

    /// The next batches, of at least this many bytes; none at the end or where reading failed.
    fn fill(&mut self, wanted: usize) -> Vec<Batch> {
        let (mut batches, mut bytes) = (Vec::new(), 0);
        // Of any size it holds a batch: an empty one means the end.
        while (batches.is_empty() || bytes < wanted) && self.failed.is_none() {
            match self.batches.next_into(self.free.pop().unwrap_or_default()) {
                Some(Ok(batch)) => {
                    bytes += held(&batch);
                    batches.push(batch);
                }
                Some(Err(error)) => self.failed = Some(error),
                None => break,
            }
        }
        batches
    }

    /// Take the buffers of batches back, but not those that one long row made large.
    fn reuse(&mut self, batches: Vec<Batch>) {
        let buffers = batches.into_iter().map(|batch| batch.bytes);
        self.free.extend(buffers.filter(|buffer| buffer.capacity() <= 2 * self.limits.batch_bytes));
    }
}

/// Sums over the parts.
struct Sums {
    wanted: Digests,
    parts: Vec<(Sha256, PartSum)>,
    /// Of the sidecar of each part, where there are any.
    sidecars: Vec<(Sha256, u64)>,
    all: Option<Sha256>,
    prefix: Prefix,
}

/// The beginning of a part whose digest is asked for.
struct Prefix {
    /// Which part, and how many of its bytes.
    end: Option<(u32, u64)>,
    sha256: Option<String>,
}

impl Prefix {
    /// These bytes come next in a part, of which so many were digested.
    fn bytes(&mut self, part: u32, (digest, before): (&Sha256, u64), bytes: &[u8]) {
        let Some((_, end)) = self.end.filter(|(of, _)| *of == part && self.sha256.is_none()) else { return };
        let wanted = end.checked_sub(before).and_then(|wanted| usize::try_from(wanted).ok());
        if let Some(bytes) = wanted.and_then(|wanted| bytes.get(..wanted)) {
            let digest = digest.clone().chain_update(bytes);
            self.sha256 = Some(hex(digest));
        }
    }
}

fn hex(digest: Sha256) -> String {
    data_encoding::HEXLOWER.encode(&digest.finalize())
}

impl Sums {
    fn new(export: &Export, wanted: Digests, end: Option<(u32, u64)>) -> Self {
        let sidecars = export.sidecars().map_or(0, Export::parts);
        Sums {
            wanted,
            parts: (0..export.parts()).map(|_| (Sha256::new(), PartSum::default())).collect(),
            sidecars: (0..sidecars).map(|_| (Sha256::new(), 0)).collect(),
            all: (wanted == Digests::PartsAndAll).then(Sha256::new),
            prefix: Prefix { end, sha256: None },
        }
    }

    fn bytes(&mut self, batch: &Batch) {
        let digests = self.wanted != Digests::Nothing;
        if let Some((digest, sum)) = self.parts.get_mut(batch.part as usize) {
            if digests {
                self.prefix.bytes(batch.part, (digest, sum.bytes), &batch.bytes);
                digest.update(&batch.bytes);
            }
            sum.bytes += batch.bytes.len() as u64;
        }
        if let (Some((digest, bytes)), Some(beside)) = (self.sidecars.get_mut(batch.part as usize), &batch.beside) {
            if digests {
                digest.update(&beside.bytes);
            }
            *bytes += beside.bytes.len() as u64;
        }
        if let Some(all) = &mut self.all {
            all.update(&batch.bytes);
        }
    }

    fn rows(&mut self, batch: &Batch, rows: u64) {
        if let Some((_, sum)) = self.parts.get_mut(batch.part as usize) {
            sum.rows += rows;
        }
    }

    fn progress(&self, export: &Export) -> Progress {
        let of = |count: fn(&PartSum) -> u64| self.parts.iter().map(|(_, sum)| count(sum)).sum();
        let known = (0..export.parts()).all(|part| !export.is_stream(part));
        Progress { bytes: of(|sum| sum.bytes), total: known.then(|| export.bytes()), rows: of(|sum| sum.rows) }
    }

    /// What walking gives, with these sums.
    fn walked(self, end: WalkEnd, unfinished: Option<Unfinished>) -> Walked {
        let hex = |digest| if self.wanted == Digests::Nothing { String::new() } else { hex(digest) };
        let sidecars = self.sidecars.into_iter().map(|(digest, bytes)| Some((bytes, hex(digest))));
        let parts = self.parts.into_iter().zip(sidecars.chain(std::iter::repeat(None)));
        let parts = parts.map(|((digest, sum), sidecar)| PartSum { sha256: hex(digest), sidecar, ..sum });
        Walked { end, parts: parts.collect(), all: self.all.map(self::hex), prefix: self.prefix.sha256, unfinished }
    }
}
