//! How rows stand in the files of an export, as far as reading them needs to know.
//!
//! Decided here: what the end of a line is. What a row is, a profile says; this is the part of it that
//! cuts bytes.

/// How rows stand in the files of an export.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shape {
    /// What a row is cut out of.
    pub layout: Layout,
    /// Whether CR LF ends a line as well as LF does.
    pub any_line_ends: bool,
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

impl Shape {
    /// How its lines are divided.
    pub(super) fn lines(&self) -> LineForm {
        LineForm { text: matches!(self.layout, Layout::Text { .. }), any_ends: self.any_line_ends }
    }
}

/// How lines are divided: JSON, with a CR that is told, unless said otherwise.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LineForm {
    /// Lines of text: a CR is a character of the line, and a line of white space may be a row.
    pub text: bool,
    /// CR LF is a line end like LF.
    pub any_ends: bool,
}

impl LineForm {
    /// Whether the CR of CR LF is no part of the row.
    pub(super) fn strips_cr(self) -> bool {
        self.any_ends || !self.text
    }

    /// Whether such a CR is worth a word.
    pub(super) fn tells_cr(self) -> bool {
        !self.any_ends && !self.text
    }
}
