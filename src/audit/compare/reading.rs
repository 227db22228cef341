//! One of the two exports, as it is read for a comparison: windows ahead, their SHA-256, and its rows one by one.
//!
//! Decided here: which lines are rows (all that are not blank). Bytes are copied out once; what is hashed, what
//! is compared and what is shown come from that copy.

use std::collections::VecDeque;

use sha2::{Digest as _, Sha256};

use crate::fact::Place;
use crate::pipeline::at_once;
use crate::read::{Batch, Batches, Export, Kind, Layout, Limits, Line, LineMark, Lines, Partner, ReadError};
use crate::report::{Sidecar, Subject};

/// Bytes that are read ahead of each export. Neither this nor the size of a batch may depend on the machine.
const WINDOW: usize = 4 << 20;

/// Bytes of a batch.
const BATCH: usize = 256 << 10;

/// Bytes of a kept line besides its own.
const BESIDES: usize = 128;

/// A line that is kept longer than the batch it came in.
#[derive(Clone, Debug)]
pub(super) struct Kept {
    pub place: Place,
    /// How many rows of its export stand before it, where that was counted.
    pub number: u64,
    pub bytes: Vec<u8>,
    kind: Kind,
    terminated: bool,
    partner: Option<Option<Vec<u8>>>,
}

impl Kept {
    pub fn of(line: &Line<'_>) -> Self {
        Kept {
            place: line.place,
            number: 0,
            bytes: line.bytes.to_vec(),
            kind: line.kind,
            terminated: line.terminated,
            partner: match line.partner {
                Partner::None => None,
                Partner::Missing => Some(None),
                Partner::Line(partner) => Some(Some(partner.to_vec())),
            },
        }
    }

    /// The row that this reading comes to next.
    pub fn next(reading: &Reading<'_>, line: &Line<'_>) -> Self {
        Kept { number: reading.sums.rows(), ..Kept::of(line) }
    }

    pub fn line(&self) -> Line<'_> {
        let partner = match &self.partner {
            None => Partner::None,
            Some(None) => Partner::Missing,
            Some(Some(partner)) => Partner::Line(partner),
        };
        Line { kind: self.kind, terminated: self.terminated, partner, ..Line::row(self.place, &self.bytes) }
    }

    /// Bytes that it holds, about: the same number on every machine.
    pub fn size(&self) -> usize {
        let partner = self.partner.iter().flatten().map(Vec::len).sum::<usize>();
        self.bytes.len() + partner + BESIDES
    }
}

/// Whether two lines are the same row, byte for byte. Of a line that is too long nothing is kept, so that it is
/// the same as no other.
pub(super) fn is_same(one: &Line<'_>, other: &Line<'_>) -> bool {
    one.kind == other.kind && one.kind != Kind::TooLong && one.bytes == other.bytes && one.partner == other.partner
}

/// Lengths and SHA-256 of the parts, as far as they were read.
#[derive(Clone, Debug, Default)]
pub(super) struct Sums {
    parts: Vec<PartSum>,
}

#[derive(Clone, Debug, Default)]
struct PartSum {
    bytes: u64,
    rows: u64,
    sha256: Sha256,
    beside: Option<(u64, Sha256)>,
}

impl Sums {
    pub fn add(&mut self, batch: &Batch) {
        let part = self.part(batch.part);
        part.bytes += batch.bytes.len() as u64;
        part.sha256.update(&batch.bytes);
        if let Some(beside) = &batch.beside {
            let (bytes, sha256) = part.beside.get_or_insert_default();
            *bytes += beside.bytes.len() as u64;
            sha256.update(&beside.bytes);
        }
    }

    /// One row more in this part.
    pub fn row(&mut self, part: u32) {
        self.part(part).rows += 1;
    }

    pub fn bytes(&self) -> u64 {
        self.parts.iter().map(|part| part.bytes).sum()
    }

    pub fn rows(&self) -> u64 {
        self.parts.iter().map(|part| part.rows).sum()
    }

    fn part(&mut self, part: u32) -> &mut PartSum {
        let at = part as usize;
        if self.parts.len() <= at {
            self.parts.resize_with(at + 1, PartSum::default);
        }
        &mut self.parts[at]
    }
}

/// An export under way.
#[derive(Debug)]
pub(super) struct Reading<'a> {
    pub export: &'a Export,
    batches: Batches<'a>,
    /// Whether a line of white space is no row, though its format is one of text.
    text: bool,
    /// Read and neither hashed nor compared.
    ahead: Vec<Batch>,
    free: Vec<Vec<u8>>,
    /// Hashed, with lines that are still to come.
    queue: VecDeque<Batch>,
    /// Where the line that is next starts in the first of these, and where the one behind it does.
    here: Option<(LineMark, LineMark)>,
    behind: Option<LineMark>,
    pub sums: Sums,
    pub failed: Option<ReadError>,
}

impl<'a> Reading<'a> {
    pub fn new(export: &'a Export, max_row_bytes: usize) -> Self {
        let mut reading = Reading {
            export,
            batches: export.batches(Limits { batch_bytes: BATCH, max_row_bytes }),
            text: matches!(export.shape().layout, Layout::Text { .. }),
            ahead: Vec::new(),
            free: Vec::new(),
            queue: VecDeque::new(),
            here: None,
            behind: None,
            sums: Sums::default(),
            failed: None,
        };
        reading.read_ahead();
        reading
    }

    /// The window that was read ahead; empty at the end, or where reading failed.
    pub fn take_ahead(&mut self) -> Vec<Batch> {
        std::mem::take(&mut self.ahead)
    }

    /// Read the next window.
    pub fn read_ahead(&mut self) {
        let mut bytes = 0;
        while bytes < WINDOW && self.failed.is_none() {
            match self.batches.next_into(self.free.pop().unwrap_or_default()) {
                Some(Ok(batch)) => {
                    bytes += batch.bytes.len() + batch.beside.as_ref().map_or(0, |beside| beside.bytes.len());
                    self.ahead.push(batch);
                }
                Some(Err(error)) => self.failed = Some(error),
                None => break,
            }
        }
    }

    /// Take the buffer of a batch back.
    pub fn reuse(&mut self, batch: Batch) {
        if batch.bytes.capacity() <= 2 * BATCH && self.free.len() < 64 {
            self.free.push(batch.bytes);
        }
    }

    /// From here on line by line: `sums` are those of what came before these batches.
    pub fn go_on(&mut self, sums: Sums, batches: impl Iterator<Item = Batch>) {
        self.sums = sums;
        for batch in batches {
            self.sums.add(&batch);
            self.queue.push_back(batch);
        }
    }

    /// Whether a row is next; [`Reading::line`] gives it.
    pub fn has_row(&mut self) -> bool {
        if self.here.is_some() {
            return true;
        }
        loop {
            if let Some(batch) = self.queue.front() {
                let mut lines = self.behind.map_or_else(|| batch.lines(), |mark| Lines::from_mark(batch, mark));
                let mut start = lines.mark();
                while let Some(line) = lines.next() {
                    if is_row(&line, self.text) {
                        self.here = Some((start, lines.mark()));
                        return true;
                    }
                    start = lines.mark();
                }
            }
            self.behind = None;
            if let Some(done) = self.queue.pop_front() {
                self.reuse(done);
            }
            if self.queue.is_empty() {
                let window = self.take_ahead();
                if window.is_empty() {
                    return false;
                }
                let mut sums = std::mem::take(&mut self.sums);
                let ((), ()) = at_once(|| self.read_ahead(), || window.iter().for_each(|batch| sums.add(batch)));
                self.sums = sums;
                self.queue.extend(window);
            }
        }
    }

    /// The row that is next, if it is known that there is one.
    pub fn line(&self) -> Option<Line<'_>> {
        let (start, _) = self.here?;
        Lines::from_mark(self.queue.front()?, start).next()
    }

    /// Go on behind that row.
    pub fn step(&mut self) {
        if let (Some((_, behind)), Some(batch)) = (self.here.take(), self.queue.front()) {
            self.sums.row(batch.part);
            self.behind = Some(behind);
        }
    }

    /// The files that were read.
    pub fn subjects(&self) -> Vec<Subject> {
        let hex = |sha256: &Sha256| data_encoding::HEXLOWER.encode(&sha256.clone().finalize());
        let none = PartSum::default();
        let subject =
            |part: u32| {
                let sum = self.sums.parts.get(part as usize).unwrap_or(&none);
                let sidecar = sum.beside.as_ref().zip(self.export.sidecars()).map(|((bytes, sha256), sidecars)| {
                    Sidecar { name: sidecars.path(part).display().to_string(), bytes: *bytes, sha256: hex(sha256) }
                });
                let name = self.export.path(part).display().to_string();
                Subject { name, bytes: sum.bytes, sha256: hex(&sum.sha256), rows: sum.rows, sidecar }
            };
        (0..self.export.parts()).map(subject).collect()
    }
}

/// Whether a line holds a row. In a format of text a line of white space is none, unless something stands beside it.
pub(super) fn is_row(line: &Line<'_>, text: bool) -> bool {
    let white = |bytes: &[u8]| bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'));
    match line.kind {
        Kind::Blank => false,
        Kind::Row if text => match line.partner {
            Partner::Line(partner) => !white(line.bytes) || !white(partner),
            Partner::None | Partner::Missing => !white(line.bytes),
        },
        Kind::Row | Kind::TooLong | Kind::Absent => true,
    }
}
