//! The sheet as text: for a file beside the evidence, or to be pasted into a document.

use super::{BELONGS, BLANKS, DISCLAIMER, SIGNING, STATEMENT, Section, TITLE, sections};
use crate::report::form::Form;
use crate::report::identity::report_id;
use crate::report::{Outcome, Report};

/// Characters of a line of prose.
const WIDTH: usize = 96;

/// Columns of a label.
const LABEL: usize = 24;

/// The certification sheet as text.
#[derive(Clone, Copy, Debug)]
pub struct Certificate;

impl Form for Certificate {
    fn kind(&self) -> &'static str {
        "certificate"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Report(report) => Some(sheet(report)),
            // There is nothing to certify.
            Outcome::Stop(_) => None,
        }
    }
}

fn sheet(report: &Report) -> String {
    let mut out = format!("{TITLE}\n{}\n\n", "=".repeat(TITLE.len()));
    wrapped(DISCLAIMER, "", &mut out);
    for section in sections(report) {
        heading(section.heading, &mut out);
        body(&section, &mut out);
    }
    heading(SIGNING, &mut out);
    out += &format!("{BELONGS}\n{}\n\n", report_id(report));
    for sentence in STATEMENT {
        wrapped(sentence, "[ ] ", &mut out);
    }
    for blank in BLANKS {
        out.push('\n');
        wrapped(&format!("{blank}:"), "", &mut out);
        out += &format!("\n    {}\n", "_".repeat(WIDTH - 4));
    }
    out
}

fn heading(text: &str, out: &mut String) {
    *out += &format!("\n{text}\n{}\n\n", "-".repeat(text.chars().count()));
}

fn body(section: &Section, out: &mut String) {
    for sentence in &section.prose {
        wrapped(sentence, "- ", out);
    }
    if !section.prose.is_empty() && !section.facts.is_empty() {
        out.push('\n');
    }
    for (label, value) in &section.facts {
        // A value is never broken: digests and names are compared as they stand.
        *out += &format!("{label:<LABEL$}  {value}\n");
    }
}

/// A sentence broken into lines, the first with a mark before it and the others below its text.
fn wrapped(sentence: &str, mark: &str, out: &mut String) {
    let indent = " ".repeat(mark.len());
    let mut line = mark.to_owned();
    let mut empty = true;
    for word in sentence.split_whitespace() {
        if !empty && line.chars().count() + 1 + word.chars().count() > WIDTH {
            *out += line.trim_end();
            out.push('\n');
            (line, empty) = (indent.clone(), true);
        }
        if !empty {
            line.push(' ');
        }
        line.push_str(word);
        empty = false;
    }
    *out += line.trim_end();
    out.push('\n');
}
