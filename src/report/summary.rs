//! The summary of several ledgers: one table for people, one JSON array for scripts.
//!
//! Every ledger has an outcome of its own, a report or a stop; nothing is said of them together but how
//! many came out how, and the worst exit code.

use std::io::{self, Write};

use anstyle::AnsiColor;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::escape::escape_cut;
use super::figures::{counted, grouped};
use super::text::{Style, except, fault_lines, reasons, word};
use super::{Outcome, Report, json};
use crate::stop::Stop;
use crate::verdict::Verdict;

/// Faults of a ledger that are listed.
const MAX_FAULTS: usize = 3;

/// Characters of a name.
const MAX_NAME: usize = 128;

/// Exit codes, worst first.
const WORST_FIRST: [u8; 4] = [1, 2, 3, 0];

/// One ledger.
#[derive(Clone, Debug)]
pub struct Entry {
    /// The name of its export, as given.
    pub name: String,
    /// What came of it.
    pub outcome: Outcome,
}

/// All of them, in the order in which they were given.
#[derive(Clone, Debug)]
pub struct Summary {
    /// The ledgers.
    pub entries: Vec<Entry>,
}

/// A line of the table.
struct Row {
    name: String,
    word: &'static str,
    rows: String,
    told: String,
}

impl Summary {
    /// The worst of the exit codes: broken before no verdict before bounded before whole.
    pub fn exit_code(&self) -> u8 {
        let codes: Vec<u8> = self.entries.iter().map(|entry| entry.outcome.exit_code()).collect();
        // Of no ledger there is no verdict.
        WORST_FIRST.into_iter().find(|code| codes.contains(code)).unwrap_or(2)
    }

    /// The stops among the outcomes, each with the name of its export.
    pub fn stops(&self) -> impl Iterator<Item = Stop> {
        self.entries.iter().filter_map(|entry| match &entry.outcome {
            Outcome::Stop(stop) => Some(Stop { message: named(&entry.name, &stop.message), ..stop.clone() }),
            Outcome::Report(_) => None,
        })
    }

    /// The JSON array, with a line end: the JSON of each outcome, where a stop has the export's name as
    /// a report has it.
    pub fn json(&self) -> String {
        let value = |entry: &Entry| match &entry.outcome {
            Outcome::Stop(stop) => json::of_named_stop(stop, &entry.name),
            report => json::value(report),
        };
        format!("{:#}\n", self.entries.iter().map(value).collect::<Value>())
    }

    /// Write the table, and below it how many came out how.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, style: Style, out: &mut impl Write) -> io::Result<()> {
        let lines: Vec<(Row, &Entry)> = self.entries.iter().map(|entry| (row(entry), entry)).collect();
        let widest = |of: fn(&Row) -> &str| lines.iter().map(|(row, _)| of(row).width()).max().unwrap_or(0);
        let (names, words, rows) = (widest(|row| &row.name), widest(|row| row.word), widest(|row| &row.rows));
        for (row, entry) in &lines {
            let pad = |text: &str, width: usize| " ".repeat(width.saturating_sub(text.width()));
            let line = format!(
                "{}{}  {}{}  {}{}  {}",
                row.name,
                pad(&row.name, names),
                painted(entry, style),
                pad(row.word, words),
                pad(&row.rows, rows),
                row.rows,
                row.told,
            );
            writeln!(out, "{}", line.trim_end())?;
            if let Outcome::Report(report) = &entry.outcome {
                faults(report, style, out)?;
            }
        }
        writeln!(out, "{}", self.total())
    }

    /// `4 ledgers: 1 broken, 1 no verdict, 1 bounded, 1 verified`.
    fn total(&self) -> String {
        let of = |word| self.entries.iter().filter(|entry| word_of(entry) == word).count() as u64;
        let words = ["broken", NO_VERDICT, "bounded", "verified"];
        let figures: Vec<String> = words
            .into_iter()
            .map(|word| (of(word), word))
            .filter(|(count, _)| *count > 0)
            .map(|(count, word)| format!("{} {word}", grouped(count)))
            .collect();
        format!("{}: {}", counted(self.entries.len() as u64, "ledger", "ledgers"), figures.join(", "))
    }
}

const NO_VERDICT: &str = "no verdict";

fn word_of(entry: &Entry) -> &'static str {
    match &entry.outcome {
        Outcome::Report(report) => report.verdict.word(),
        Outcome::Stop(_) => NO_VERDICT,
    }
}

fn painted(entry: &Entry, style: Style) -> String {
    match &entry.outcome {
        Outcome::Report(report) => word(report.verdict, style),
        Outcome::Stop(_) => style.paint(AnsiColor::Red.on_default().bold(), NO_VERDICT),
    }
}

fn row(entry: &Entry) -> Row {
    let (rows, told) = match &entry.outcome {
        Outcome::Report(report) => {
            let rows = counted(report.coverage.rows, "row", "rows");
            (rows, format!("{}{}", reasons(report), except(report)).trim_start_matches(", ").to_owned())
        }
        Outcome::Stop(stop) => ("–".to_owned(), stop_line(&entry.name, stop)),
    };
    Row { name: escape_cut(&entry.name, MAX_NAME).into_owned(), word: word_of(entry), rows, told }
}

/// Message and hint on one line, without the name that stands before it anyway.
fn stop_line(name: &str, stop: &Stop) -> String {
    let message = stop.message.strip_prefix(name).and_then(|rest| rest.strip_prefix(": ")).unwrap_or(&stop.message);
    let hint = stop.hint.as_deref().map_or_else(String::new, |hint| format!(" ({hint})"));
    escape_cut(&format!("{message}{hint}"), 1024).into_owned()
}

/// The first faults of a broken ledger.
fn faults(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let Verdict::Broken { faults } = report.verdict else { return Ok(()) };
    let mut listed = 0;
    for line in fault_lines(report, style).take(MAX_FAULTS) {
        writeln!(out, "    {line}")?;
        listed += 1;
    }
    match faults.get() - listed {
        0 => Ok(()),
        more => writeln!(out, "    … and {} more", grouped(more)),
    }
}

/// The message of a stop, where it does not begin with the export's name anyway.
fn named(name: &str, message: &str) -> String {
    if message.starts_with(name) { message.to_owned() } else { format!("{name}: {message}") }
}
