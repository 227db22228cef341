//! A line of the export becomes the row that the profile's `[input]` says it is.
//!
//! Decided here: what stands for the row where lines are text, and whether a line is in the one form that
//! its format allows. The line is untrusted; a row of text is written as JSON first, so that it is read as
//! strictly as any other and has values that know how they are written.

use super::plan::{Layout, Plan};
use crate::canonical::{Select, Writer, write_json_string};
use crate::read::{Kind, Line, Partner};
use crate::row::{Reader, Row, Unreadable};

/// Reads lines as rows, with the same buffers for every line.
#[derive(Debug, Default)]
pub struct LineReader {
    reader: Reader,
    writer: Writer,
    scratch: Vec<u8>,
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

impl LineReader {
    /// The row of this line; `exact` is whether every value must be kept as it is written.
    ///
    /// # Errors
    ///
    /// Why it is none.
    pub fn read(&mut self, line: &Line<'_>, plan: &Plan, exact: bool) -> Result<&Row, Refused> {
        match &plan.input.layout {
            Layout::Lines { regex, .. } => self.text(line, regex),
            Layout::Rows | Layout::Document(_) => self.json(line.bytes, plan, exact),
        }
    }

    /// The row that was read last.
    pub fn last(&self) -> &Row {
        self.reader.last()
    }

    fn json(&mut self, bytes: &[u8], plan: &Plan, exact: bool) -> Result<&Row, Refused> {
        let exact = exact || {
            let row = self.reader.read(bytes).map_err(Refused::Unreadable)?;
            row.large_numbers() || (plan.verbatim && row.has_doubles())
        };
        if exact {
            // Only the exact reader keeps the digits that a double loses.
            self.reader.read_exact(bytes).map_err(Refused::Unreadable)?;
        }
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

const ABSENT: &str = "the sidecar has a line more than the export: one of the two lacks a line";

fn is_blank(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r'))
}
