//! Every reason why a run says nothing about the ledger (exit code 2).
//!
//! A stop is never about the rows of an export: what is wrong with those is a
//! [`crate::finding::Finding`]. A stop names what was handed over, where, and what to do.
//! No stop ever quotes key material.

use std::fmt;

/// Why the run ended without a verdict: one line, and what to do about it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stop {
    /// The kind, kebab-case and permanent: scripts branch on it.
    pub code: StopCode,
    /// What happened and where, in one line; record text in it is not yet escaped.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

/// The kinds of [`Stop`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopCode {
    /// The command line cannot be carried out.
    Usage,
    /// A file cannot be opened or read, or is not what was asked for.
    Unreadable,
    /// The export is in a form that is not read: compressed, UTF-16, one JSON array.
    Form,
    /// The export shrank or failed while it was read, before any fault was found.
    Unfinished,
    /// The export holds more chains than are kept apart, and no fault was found before.
    Chains,
    /// The export declares more breaks than are kept, or comes through a pipe that is too long to look for them.
    Declarations,
    /// The row that is to be explained is not there, or is not the only one that is meant.
    Row,
    /// The user ended the run.
    Interrupted,
    /// A key cannot be used.
    Key,
    /// Keys must be bound to chains, or a binding names nothing that is there.
    KeyBinding,
    /// The manifest cannot be used.
    Manifest,
    /// A pinned head is not one.
    Head,
    /// The pins of a witness cannot be used.
    Witness,
    /// A profile is wrong or unknown, or none is known that the rows fit.
    Profile,
    /// An earlier report cannot be used.
    Report,
    /// The report could not be written.
    Output,
    /// A bug in this program.
    Internal,
}

impl StopCode {
    /// The permanent name, as it stands in the JSON report.
    pub fn name(self) -> &'static str {
        match self {
            StopCode::Usage => "usage",
            StopCode::Unreadable => "unreadable",
            StopCode::Form => "form",
            StopCode::Unfinished => "unfinished",
            StopCode::Chains => "chains",
            StopCode::Declarations => "declarations",
            StopCode::Row => "row",
            StopCode::Interrupted => "interrupted",
            StopCode::Key => "key",
            StopCode::KeyBinding => "key-binding",
            StopCode::Manifest => "manifest",
            StopCode::Head => "head",
            StopCode::Witness => "witness",
            StopCode::Profile => "profile",
            StopCode::Report => "report",
            StopCode::Output => "output",
            StopCode::Internal => "internal",
        }
    }
}

impl Stop {
    /// A stop without a hint.
    pub fn new(code: StopCode, message: impl Into<String>) -> Self {
        Stop { code, message: message.into(), hint: None }
    }

    /// The same stop, with what to do next.
    #[must_use]
    pub fn hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

impl fmt::Display for Stop {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Stop {}
