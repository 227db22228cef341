//! Writing an outcome, and the exit code that goes with it.

use std::io::{self, IsTerminal, Read, Write};
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};

use super::options::Color;
use super::reports::Reports;
use crate::report::bundle::BundleReport;
use crate::report::compare::{self, Comparison};
use crate::report::described::Described;
use crate::report::explained::{self, Explained};
use crate::report::receipt::ReceiptReport;
use crate::report::summary::Summary;
use crate::report::{Outcome, Report, json, pin, text};

/// The exit code of a broken ledger, which outranks what becomes of the report.
pub(super) const BROKEN: u8 = 1;

/// How an outcome is shown.
#[derive(Clone)]
pub(super) struct Output {
    json: bool,
    quiet: bool,
    color: Color,
    reports: Reports,
}

impl Output {
    pub fn new(json: bool, quiet: bool, color: Color) -> Self {
        Output { json, quiet, color, reports: Reports::default() }
    }

    /// Before the command line is known.
    pub fn plain(json: bool) -> Self {
        Output { json, quiet: false, color: Color::Never, reports: Reports::default() }
    }

    /// The same, with reports besides.
    pub fn with(self, reports: Reports) -> Self {
        Output { reports, ..self }
    }

    pub fn is_json(&self) -> bool {
        self.json
    }

    /// Whether a report of all facts is made, the environment's too.
    pub fn tells_all(&self) -> bool {
        self.json || self.reports.any()
    }

    /// Whether a user may be watching: only a terminal shows progress.
    pub fn shows_progress(&self) -> bool {
        !self.quiet && io::stderr().is_terminal()
    }

    /// Show a text that was asked for.
    pub fn text(&self, text: &str) -> ExitCode {
        match written(io::stdout().lock(), text.as_bytes()) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => unwritten(&error),
        }
    }

    /// Show what was asked for, which has an exit code of its own.
    pub fn result(&self, text: &str, code: u8) -> ExitCode {
        self.show(text.as_bytes(), code)
    }

    /// The same, but not quiet.
    pub fn aloud(self) -> Self {
        Output { quiet: false, ..self }
    }

    /// Show an outcome.
    pub fn outcome(&self, outcome: &Outcome) -> ExitCode {
        if let (Outcome::Stop(stop), false) = (outcome, self.json) {
            self.remark(|style, out| text::write_stop(stop, style, out));
            return ExitCode::from(self.reports.of_outcome(outcome, outcome.exit_code()));
        }
        let code = self.reports.of_outcome(outcome, outcome.exit_code());
        let shown = match outcome {
            Outcome::Report(report) if !self.json => self.report(|style, out| text::write(report, style, out)),
            _ => json::write(outcome).into_bytes(),
        };
        self.show(&shown, code)
    }

    /// Show an earlier report in the forms that are asked for, or as text. The exit code says whether that was
    /// done: nobody may take an old verdict for a fresh one.
    pub fn earlier(&self, outcome: Outcome) -> ExitCode {
        let code = self.reports.of_outcome(&outcome, 0);
        match outcome {
            Outcome::Report(report) if !self.reports.any() => {
                self.show(&self.report(|style, out| text::write(&report, style, out)), code)
            }
            _ => ExitCode::from(code),
        }
    }

    /// Show whether a report describes some files.
    pub fn described(&self, described: &Described) -> ExitCode {
        let shown = match self.json {
            true => described.json().into_bytes(),
            false => self.report(|_, out| described.write(out)),
        };
        self.show(&shown, described.exit_code())
    }

    /// Show what came of several ledgers.
    pub fn summary(&self, summary: &Summary) -> ExitCode {
        if self.quiet && !self.json {
            for stop in summary.stops() {
                self.remark(|style, out| text::write_stop(&stop, style, out));
            }
        }
        let code = self.reports.of_several(summary, summary.exit_code());
        let shown = match self.json {
            true => summary.json().into_bytes(),
            false => self.report(|style, out| summary.write(style, out)),
        };
        self.show(&shown, code)
    }

    /// Show the pins of a ledger: they are what was asked for, so that quiet silences what is said besides.
    pub fn pins(&self, report: &Report) -> ExitCode {
        if !self.json && !self.quiet {
            self.remark(|style, out| text::write(report, style, out));
        }
        if !self.json {
            self.remark(|_, out| pin::write_remark(report, out));
        }
        let shown = if self.json { pin::json(report) } else { pin::text(report) };
        self.clone().aloud().show(shown.as_bytes(), pin::exit_code(report))
    }

    /// Show what came of a bundle.
    pub fn bundle(&self, report: &BundleReport) -> ExitCode {
        let shown = match self.json {
            true => report.json().into_bytes(),
            false => self.report(|style, out| report.write(style, out)),
        };
        self.show(&shown, report.exit_code())
    }

    /// Show what came of a receipt.
    pub fn receipt(&self, report: &ReceiptReport) -> ExitCode {
        let shown = match self.json {
            true => report.json().into_bytes(),
            false => self.report(|_, out| report.write(out)),
        };
        self.show(&shown, report.exit_code())
    }

    /// Show what came of a comparison.
    pub fn compared(&self, comparison: &Comparison) -> ExitCode {
        let shown = match self.json {
            true => compare::json(comparison).into_bytes(),
            false => self.report(|style, out| compare::write(comparison, style, out)),
        };
        self.show(&shown, comparison.exit_code())
    }

    /// Show the explanation of a row; `full` shows every byte.
    pub fn explained(&self, told: &Explained, full: bool) -> ExitCode {
        let shown = match self.json {
            true => explained::json(told, full).into_bytes(),
            false => self.report(|style, out| explained::write(told, full, style, out)),
        };
        self.show(&shown, told.exit_code())
    }

    /// Text for standard output.
    fn report(&self, write: impl FnOnce(text::Style, &mut Vec<u8>) -> io::Result<()>) -> Vec<u8> {
        let mut shown = Vec::new();
        // Writing to memory cannot fail.
        let _ = write(self.style(io::stdout().is_terminal()), &mut shown);
        shown
    }

    /// Say something on standard error. Where that is gone there is nobody left to tell.
    fn remark(&self, write: impl FnOnce(text::Style, &mut Vec<u8>) -> io::Result<()>) {
        let mut said = Vec::new();
        let _ = write(self.style(io::stderr().is_terminal()), &mut said);
        let _ = io::stderr().lock().write_all(&said);
    }

    /// Write to standard output what was asked for, unless nothing was.
    fn show(&self, shown: &[u8], code: u8) -> ExitCode {
        if self.quiet || self.reports.take_stdout() {
            return ExitCode::from(code);
        }
        match written(io::stdout().lock(), shown) {
            Err(error) if code != BROKEN => unwritten(&error),
            Err(error) => {
                unwritten(&error);
                ExitCode::from(code)
            }
            Ok(()) => ExitCode::from(code),
        }
    }

    fn style(&self, terminal: bool) -> text::Style {
        let unset = |name| std::env::var_os(name).is_none_or(|value| value.is_empty());
        let colour = match self.color {
            Color::Always => true,
            Color::Never => false,
            Color::Auto => terminal && unset("NO_COLOR") && std::env::var_os("TERM").is_none_or(|term| term != "dumb"),
        };
        text::Style { colour }
    }
}

/// Write all of it. A reader that went away has read what it wanted.
pub(super) fn written(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(()),
        done => done,
    }
}

fn unwritten(error: &io::Error) -> ExitCode {
    let _ = writeln!(io::stderr(), "ledger-verify: the report cannot be written to standard output: {error}");
    ExitCode::from(2)
}

/// SHA-256 of the running program, hex.
pub(super) fn own_digest() -> Option<String> {
    let mut program = std::fs::File::open(std::env::current_exe().ok()?).ok()?;
    // A piece at a time: the program can be larger than all that a run needs.
    let (mut digest, mut piece) = (Sha256::new(), vec![0; 1 << 16]);
    loop {
        let read = program.read(&mut piece).ok()?;
        match piece.get(..read) {
            Some(part) if !part.is_empty() => digest.update(part),
            _ => return Some(data_encoding::HEXLOWER.encode(&digest.finalize())),
        }
    }
}
