//! The reader that a worker owns: fast where it can be, exact where it must be.
//!
//! Decides which of the readers fills the row. What the fast ones refuse, and a row with a name twice, goes
//! to the exact one, so that there is one diagnosis only.

use super::duplicates::Duplicates;
use super::exact::Exact;
use super::shape::Shapes;
use super::simd::Simd;
use super::unreadable::quoted;
use super::{Dialect, Kind, Row, Unreadable, last};

/// Longer rows go to the exact reader: they are rare, and simd-json needs many times the length of
/// a line besides the row itself.
const LONGEST_FAST: usize = 1 << 18;

/// Buffers larger than this are given back when a row comes that does not need them.
const KEPT: usize = 16 << 20;

/// Reads one row after the other into the same buffers.
#[derive(Debug, Default)]
pub struct Reader {
    row: Row,
    /// The shapes of rows, where they are learnt.
    shapes: Option<Shapes>,
    simd: Simd,
    exact: Exact,
    duplicates: Duplicates,
    repeated: Option<Unreadable>,
}

impl Reader {
    /// A reader with empty buffers.
    pub fn new() -> Self {
        Reader::default()
    }

    /// A reader that learns how the rows of a ledger are built. Rows that it reads by what it has learnt, and those
    /// that it learns from, have the text of every value.
    pub fn learning() -> Self {
        Reader { shapes: Some(Shapes::default()), ..Reader::default() }
    }

    /// The row of this line, from a fast reader if possible. Exactly the lines pass that
    /// [`Reader::read_exact`] passes, with the same values.
    pub fn read(&mut self, line: &[u8]) -> Result<&Row, Unreadable> {
        self.read_with(line, false)
    }

    /// The same; with `exact` the row has the text of every value ([`super::Value::written`]).
    pub fn read_with(&mut self, line: &[u8], exact: bool) -> Result<&Row, Unreadable> {
        self.give_back(line.len());
        let fits = line.len() <= LONGEST_FAST;
        let fast = fits && self.has_shape(line)
            || fits
                && !(exact || self.learns())
                && self.simd.fill(&mut self.row, line)
                && self.row.root().is_object()
                && self.duplicates.first(&self.row).is_none();
        if !fast {
            self.fill_exact(line, true)?;
            self.learn(line.len());
        }
        Ok(&self.row)
    }

    /// The same with the exact reader alone.
    pub fn read_exact(&mut self, line: &[u8]) -> Result<&Row, Unreadable> {
        self.give_back(line.len());
        self.fill_exact(line, true)?;
        Ok(&self.row)
    }

    /// Any strict JSON text, not only an object: a manifest may be an array.
    pub fn read_value_exact(&mut self, text: &[u8]) -> Result<&Row, Unreadable> {
        self.give_back(text.len());
        self.fill_exact(text, false)?;
        Ok(&self.row)
    }

    /// The row of this text in Python's dialect, in which the last of members of one name counts; with `exact`
    /// with the text of every value. Neither what stands around the text is looked at nor its encoding mended: the
    /// profile's line reader has done both.
    pub fn read_python(&mut self, text: &[u8], exact: bool) -> Result<&Row, Unreadable> {
        self.give_back(text.len());
        self.repeated = None;
        // What is strict JSON means the same in both dialects.
        let fits = text.len() <= LONGEST_FAST;
        let fast = fits && self.has_shape(text)
            || fits
                && !(exact || self.learns())
                && self.simd.fill(&mut self.row, text)
                && self.row.root().is_object()
                && self.row.is_nested_at_most(Dialect::Python.depth())
                && self.duplicates.first_closed(&self.row).is_none();
        if !fast {
            self.exact.fill(&mut self.row, text, Dialect::Python)?;
            if let Some(index) = self.duplicates.first_closed(&self.row) {
                self.repeated = Some(self.duplicate(index));
                last::wins(&mut self.row);
            }
            self.expect_object()?;
            if self.repeated.is_none() {
                self.learn(text.len());
            }
        }
        Ok(&self.row)
    }

    /// What [`Reader::read_python`] saw twice in the last text, also where that is no row.
    pub fn repeated(&self) -> Option<&Unreadable> {
        self.repeated.as_ref()
    }

    /// The row that was read last; an empty one before that.
    pub fn last(&self) -> &Row {
        &self.row
    }

    /// Whether the line has a shape that was learnt; the row is filled then.
    fn has_shape(&mut self, line: &[u8]) -> bool {
        self.shapes.as_mut().is_some_and(|shapes| shapes.fill(&mut self.row, line))
    }

    /// Whether something would be learnt from a row that none of the shapes fitted.
    fn learns(&self) -> bool {
        self.shapes.as_ref().is_some_and(Shapes::learns)
    }

    /// Learns from the row, which the exact reader filled from a line of this length.
    fn learn(&mut self, length: usize) {
        if let Some(shapes) = &mut self.shapes {
            shapes.learn(&self.row, length);
        }
    }

    /// Reads exactly and judges in the order of [`Kind`].
    fn fill_exact(&mut self, line: &[u8], object_only: bool) -> Result<(), Unreadable> {
        self.repeated = None;
        let out_of_range = self.exact.fill(&mut self.row, line, Dialect::Json)?;
        if object_only {
            self.expect_object()?;
        }
        if let Some(index) = self.duplicates.first(&self.row) {
            return Err(self.duplicate(index));
        }
        match out_of_range {
            Some(at) => Err(Unreadable::new(Kind::NumberOutOfRange, at, "a number beyond the range of a double")),
            None => Ok(()),
        }
    }

    /// The value must be an object; the exact reader read it.
    fn expect_object(&self) -> Result<(), Unreadable> {
        if self.row.root().is_object() {
            return Ok(());
        }
        let at = self.row.written.first().map_or(0, |span| span.start as usize);
        let why = format!("expected an object, found {}", self.row.root().kind());
        Err(Unreadable::new(Kind::NotAnObject, at, why))
    }

    /// What is wrong with a name at this index that its object had already; the exact reader read it.
    fn duplicate(&self, index: u32) -> Unreadable {
        let at = self.row.written.get(index as usize).map_or(0, |span| span.start as usize);
        let why = format!("two members of one object are named {}", quoted(self.row.name(index)));
        Unreadable::new(Kind::DuplicateKey, at, why)
    }

    /// One huge row must not hold its memory for the rest of the run.
    fn give_back(&mut self, length: usize) {
        if length <= LONGEST_FAST && self.row.capacity() + self.duplicates.capacity() > KEPT {
            self.row = Row::default();
            self.duplicates = Duplicates::default();
        }
    }
}
