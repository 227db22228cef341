//! A line of the export becomes the row that the profile's `[input]` says it is.
//!
//! Decided here: what stands for the row where lines are text, and whether a line is in the one form that
//! its format allows. In Python's dialect a line is its text: decoded, with U+FFFD for what is not UTF-8, and
//! without the white space around it. The line is untrusted; a row of text is written as JSON first, so that it is read as
//! strictly as any other and has values that know how they are written.

use super::plan::{Layout, Plan};
use crate::canonical::{Select, Writer, write_json_string};
use crate::read::{Kind, Line, Partner};
use crate::row::{Dialect, Kind as Wrong, Reader, Row, Unreadable, python};

/// Reads lines as rows, with the same buffers for every line.
#[derive(Debug)]
pub struct LineReader {
    reader: Reader,
    writer: Writer,
    scratch: Vec<u8>,
    /// The text of a line that is not UTF-8, as it was decoded.
    decoded: Option<String>,
}

/// Why a line is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refused {
    /// It is nothing but white space, and its format has no such row.
    Blank,
    /// It cannot be read.
    Unreadable(Unreadable),
    /// It is not in the form that the profile states, or has no partner, for this reason.
    Unmatched(&'static str),
}

impl Default for LineReader {
    fn default() -> Self {
        LineReader { reader: Reader::learning(), writer: Writer::default(), scratch: Vec::new(), decoded: None }
    }
}

impl LineReader {
    /// The row of this line; `exact` is whether every value must be kept as it is written.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn read(&mut self, line: &Line<'_>, plan: &Plan, exact: bool) -> Result<&Row, Refused> {
        match &plan.input.layout {
            Layout::Lines { regex, .. } => self.text(line, regex),
            Layout::Rows | Layout::Document(_) => match plan.input.dialect {
                Dialect::Json => self.json(line.bytes, plan, exact),
                Dialect::Python => self.python(line.bytes, plan, exact),
            },
        }
    }

    /// The bytes that the last row was read from, which must be this line: those of the line but in Python's
    /// dialect.
    pub fn line<'t>(&'t self, line: &Line<'t>, plan: &Plan) -> &'t [u8] {
        match (plan.input.dialect, &self.decoded) {
            (Dialect::Json, _) => line.bytes,
            (Dialect::Python, Some(decoded)) => decoded.as_bytes(),
            (Dialect::Python, None) => python::trim(line.bytes),
        }
    }

    /// A name that an object of the last line had twice though the line could be read on, in a dialect that
    /// takes the last one; also where the line is no row.
    pub fn repeated(&self) -> Option<&Unreadable> {
        self.reader.repeated()
    }

    /// The row that was read last.
    pub fn last(&self) -> &Row {
        self.reader.last()
    }

    fn json(&mut self, bytes: &[u8], plan: &Plan, exact: bool) -> Result<&Row, Refused> {
        if keeps_text(self.reader.read_with(bytes, exact).map_err(Refused::Unreadable)?, plan) {
            // A double loses digits.
            self.reader.read_with(bytes, true).map_err(Refused::Unreadable)?;
        }
        self.in_form(bytes, plan)
    }

    fn python(&mut self, bytes: &[u8], plan: &Plan, exact: bool) -> Result<&Row, Refused> {
        self.decoded = None;
        let text = python::trim(bytes);
        match self.of_python(text, plan, exact) {
            // One U+FFFD for each maximal part of a character (the Unicode Standard, chapter 3, "U+FFFD
            // substitution of maximal subparts"): what Rust and Python both do.
            Err(wrong) if wrong.kind == Wrong::InvalidUtf8 => {
                let decoded = String::from_utf8_lossy(text).into_owned();
                let read = self.of_python(decoded.as_bytes(), plan, exact);
                self.decoded = Some(decoded);
                read.map_err(Refused::Unreadable)?;
            }
            read => read.map_err(Refused::Unreadable)?,
        }
        match self.decoded.take() {
            None => self.in_form(text, plan),
            Some(decoded) => {
                let outcome = self.in_form(decoded.as_bytes(), plan).map(|_| ());
                self.decoded = Some(decoded);
                outcome.map(|()| self.reader.last())
            }
        }
    }

    fn of_python(&mut self, text: &[u8], plan: &Plan, exact: bool) -> Result<(), Unreadable> {
        if keeps_text(self.reader.read_python(text, exact)?, plan) {
            self.reader.read_python(text, true)?;
        }
        Ok(())
    }

    /// The row that was read last of these bytes, if it is in the canonical form that its format asks for.
    fn in_form(&mut self, bytes: &[u8], plan: &Plan) -> Result<&Row, Refused> {
        let row = self.reader.last();
        if let Some(form) = &plan.input.line_is {
            self.scratch.clear();
            let written = self.writer.write(row.root(), &Select::default(), form, &[], &mut self.scratch);
            if written.is_err() || self.scratch != bytes {
                return Err(Refused::Unmatched(
                    "it is not written in the canonical form that its format asks of a line",
                ));
            }
        }
        Ok(row)
    }

    /// The named groups of the expression, as an object of texts; a group that takes no part is absent.
    fn text(&mut self, line: &Line<'_>, regex: &regex::Regex) -> Result<&Row, Refused> {
        let absent = line.kind == Kind::Absent;
        let read = match line.partner {
            Partner::None => line.bytes,
            Partner::Line(partner) => partner,
            Partner::Missing => {
                return Err(Refused::Unmatched("the sidecar has no line for it: one of the two lacks a line"));
            }
        };
        let blank = is_blank(read) && (is_blank(line.bytes) || absent);
        let text = std::str::from_utf8(read)
            .map_err(|error| Refused::Unreadable(Unreadable::invalid_utf8(error.valid_up_to())))?;
        let Some(captures) = regex.captures(text) else {
            return Err(match blank {
                true => Refused::Blank,
                false if line.partner == Partner::None => Refused::Unmatched("it does not fit the format's expression"),
                false if absent => Refused::Unmatched(ABSENT),
                false => Refused::Unmatched("its sidecar's line does not fit the format's expression"),
            });
        };
        if absent {
            return Err(Refused::Unmatched(ABSENT));
        }
        self.scratch.clear();
        self.scratch.push(b'{');
        for (name, group) in regex.capture_names().zip(captures.iter()) {
            let (Some(name), Some(group)) = (name, group) else { continue };
            if self.scratch.len() > 1 {
                self.scratch.push(b',');
            }
            write_json_string(name, &mut self.scratch);
            self.scratch.push(b':');
            write_json_string(group.as_str(), &mut self.scratch);
        }
        self.scratch.push(b'}');
        self.reader.read_exact(&self.scratch).map_err(Refused::Unreadable)
    }
}

/// Whether a row must be read exactly, because something of its plan needs the text of its numbers.
fn keeps_text(row: &Row, plan: &Plan) -> bool {
    !row.is_exact() && (row.large_numbers() || (plan.verbatim && row.has_doubles()))
}

const ABSENT: &str = "the sidecar has a line more than the export: one of the two lacks a line";

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}
