//! The reader that a worker owns: fast where it can be, exact where it must be.
//!
//! Decides which of the two readers fills the row. What the fast one refuses, and a row with a name
//! twice, goes to the exact one, so that there is one diagnosis only.

use super::duplicates::Duplicates;
use super::exact::Exact;
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

    /// The row of this line, from the fast reader if possible. Exactly the lines pass that
    /// [`Reader::read_exact`] passes, with the same values.
    pub fn read(&mut self, line: &[u8]) -> Result<&Row, Unreadable> {
        self.give_back(line.len());
        let fast = line.len() <= LONGEST_FAST
            && self.simd.fill(&mut self.row, line)
            && self.row.root().is_object()
            && self.duplicates.first(&self.row).is_none();
        if !fast {
            self.fill_exact(line, true)?;
        }
        Ok(&self.row)
    }

    /// The same with the exact reader, which keeps the text of every value ([`super::Value::written`]).
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
    /// by the exact reader. Neither what stands around the text is looked at nor its encoding mended: the
    /// profile's line reader has done both.
    pub fn read_python(&mut self, text: &[u8], exact: bool) -> Result<&Row, Unreadable> {
        self.give_back(text.len());
        self.repeated = None;
        // What is strict JSON means the same in both dialects.
        let fast = !exact
            && text.len() <= LONGEST_FAST
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
