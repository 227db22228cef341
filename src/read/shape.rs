//! How rows stand in the files of an export, as far as reading them needs to know.
//!
//! Decided here: what the end of a line is. What a row is, a profile says; this is the part of it that
//! cuts bytes.

use memchr::{memchr, memchr_iter, memchr2, memchr2_iter, memrchr, memrchr2};

use crate::row::python;

/// How rows stand in the files of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// What a row is cut out of.
    pub layout: Layout,
    /// What ends a line.
    pub ends: LineEnds,
}

/// What a row is cut out of.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Layout {
    /// A line of JSON.
    #[default]
    Rows,
    /// A line of text.
    Text {
        /// The end of the name of a file whose lines stand beside those of the export, one for one.
        sidecar: Option<String>,
    },
    /// The file is one JSON document: an item of the array at the end of these pieces.
    Document(Vec<String>),
}

/// What ends a line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LineEnds {
    /// LF. In lines of JSON a CR before it is told, and no part of the row.
    #[default]
    Lf,
    /// LF, and CR LF as well.
    Any,
    /// LF, CR LF and CR, as where Python reads text; a line of what is white space to Python is blank, and a
    /// BOM is a character like any other.
    Python,
}

impl Shape {
    /// How its lines are divided.
    pub(super) fn lines(&self) -> LineForm {
        LineForm { text: matches!(self.layout, Layout::Text { .. }), ends: self.ends }
    }
}

/// How lines are divided: JSON, with a CR that is told, unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineForm {
    /// Lines of text: a CR is a character of the line, and a line of white space may be a row.
    pub text: bool,
    /// What ends a line.
    pub ends: LineEnds,
}

/// The end of a line: the index of its first byte, and the one behind its last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct End {
    pub start: usize,
    pub behind: usize,
}

impl LineForm {
    /// The first line of these bytes, with its end.
    pub fn first_line(self, bytes: &[u8]) -> &[u8] {
        self.first_end(bytes).and_then(|end| bytes.get(..end.behind)).unwrap_or(bytes)
    }

    /// Whether the CR of CR LF is no part of the row though LF alone ends the line.
    pub(super) fn strips_cr(self) -> bool {
        match self.ends {
            LineEnds::Lf => !self.text,
            LineEnds::Any => true,
            LineEnds::Python => false,
        }
    }

    /// Whether such a CR is worth a word.
    pub(super) fn tells_cr(self) -> bool {
        self.ends == LineEnds::Lf && !self.text
    }

    /// Whether a BOM at the start of a part is no part of its first row.
    pub(super) fn strips_bom(self) -> bool {
        self.ends != LineEnds::Python
    }

    /// The first end of a line. A CR that is the last byte ends one, though an LF may follow it
    /// ([`LineForm::is_open`]).
    #[inline]
    pub(super) fn first_end(self, bytes: &[u8]) -> Option<End> {
        if self.ends != LineEnds::Python {
            return memchr(b'\n', bytes).map(|start| End { start, behind: start + 1 });
        }
        let start = memchr2(b'\r', b'\n', bytes)?;
        let both = bytes.get(start..).unwrap_or_default().starts_with(b"\r\n");
        Some(End { start, behind: start + if both { 2 } else { 1 } })
    }

    /// The index behind the last end of a line that is one whatever follows these bytes, none before `from`.
    pub(super) fn last_end(self, bytes: &[u8], from: usize) -> Option<usize> {
        let certain = bytes.len() - usize::from(self.is_open(bytes));
        let searched = bytes.get(from..certain)?;
        let last = match self.ends {
            LineEnds::Python => memrchr2(b'\r', b'\n', searched),
            LineEnds::Lf | LineEnds::Any => memrchr(b'\n', searched),
        };
        last.map(|last| from + last + 1)
    }

    /// Where a line starts that goes on at the end of these bytes, which do not end within CR LF.
    pub(super) fn line_start(self, bytes: &[u8]) -> Option<usize> {
        let end = match self.ends {
            LineEnds::Python => memrchr2(b'\r', b'\n', bytes),
            LineEnds::Lf | LineEnds::Any => memrchr(b'\n', bytes),
        };
        end.map(|end| end + 1)
    }

    /// How many lines end in these bytes, with an open end.
    pub(super) fn count_ends(self, bytes: &[u8]) -> u64 {
        let ends = match self.ends {
            LineEnds::Python => memchr2_iter(b'\r', b'\n', bytes)
                .filter(|at| !bytes.get(*at..).unwrap_or_default().starts_with(b"\r\n"))
                .count(),
            LineEnds::Lf | LineEnds::Any => memchr_iter(b'\n', bytes).count(),
        };
        ends as u64
    }

    /// Whether the last byte may be the first half of a CR LF that ends a line.
    pub(super) fn is_open(self, bytes: &[u8]) -> bool {
        self.ends == LineEnds::Python && bytes.ends_with(b"\r")
    }

    /// The bytes without the end of a line behind them.
    pub(super) fn without_end(self, bytes: &[u8]) -> &[u8] {
        let ends: &[&[u8]] = if self.ends == LineEnds::Python { &[b"\r\n", b"\n", b"\r"] } else { &[b"\n"] };
        ends.iter().find_map(|end| bytes.strip_suffix(*end)).unwrap_or(bytes)
    }

    /// Whether there is nothing but white space.
    pub(super) fn is_blank(self, bytes: &[u8]) -> bool {
        let mut blank = self.blank();
        blank.push(bytes);
        blank.is_blank()
    }

    /// The question whether a line that comes in pieces is blank; one of text never is.
    pub(super) fn blank(self) -> Blank {
        match self.ends {
            _ if self.text => Blank::Json(false),
            LineEnds::Python => Blank::Python(python::Blank::default()),
            LineEnds::Lf | LineEnds::Any => Blank::Json(true),
        }
    }
}

/// Whether a line is nothing but white space so far.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Blank {
    /// Spaces, tabs and CR.
    Json(bool),
    /// What is white space to Python.
    Python(python::Blank),
}

impl Blank {
    /// Takes the next piece of the line.
    pub(super) fn push(&mut self, piece: &[u8]) {
        match self {
            Blank::Json(blank) => *blank = *blank && piece.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r')),
            Blank::Python(blank) => blank.push(piece),
        }
    }

    /// Whether the whole line is.
    pub(super) fn is_blank(&self) -> bool {
        match self {
            Blank::Json(blank) => *blank,
            Blank::Python(blank) => blank.is_blank(),
        }
    }
}
