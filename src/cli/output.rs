//! Writing an outcome, and the exit code that goes with it.

use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use sha2::{Digest as _, Sha256};

use super::arguments::Color;
use crate::report::{Outcome, json, text};
use crate::verdict::Verdict;

/// How an outcome is shown.
#[derive(Clone, Copy, Debug)]
pub(super) struct Output {
    json: bool,
    quiet: bool,
    color: Color,
}

impl Output {
    pub fn new(json: bool, quiet: bool, color: Color) -> Self {
        Output { json, quiet, color }
    }

    /// Before the command line is known.
    pub fn plain(json: bool) -> Self {
        Output { json, quiet: false, color: Color::Never }
    }

    pub fn is_json(&self) -> bool {
        self.json
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

    /// Show an outcome.
    pub fn outcome(&self, outcome: &Outcome) -> ExitCode {
        let code = ExitCode::from(outcome.exit_code());
        if let (Outcome::Stop(stop), false) = (outcome, self.json) {
            let mut line = Vec::new();
            // Where standard error is gone there is nobody left to tell.
            let _ = text::write_stop(stop, self.style(io::stderr().is_terminal()), &mut line);
            let _ = io::stderr().lock().write_all(&line);
            return code;
        }
        if self.quiet {
            return code;
        }
        let mut shown = Vec::new();
        match outcome {
            Outcome::Report(report) if !self.json => {
                let style = self.style(io::stdout().is_terminal());
                // Writing to memory cannot fail.
                let _ = text::write(report, style, &mut shown);
            }
            _ => shown = json::write(outcome).into_bytes(),
        }
        match written(io::stdout().lock(), &shown) {
            Ok(()) => code,
            Err(error) => {
                let missing = unwritten(&error);
                if is_broken(outcome) { code } else { missing }
            }
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

fn is_broken(outcome: &Outcome) -> bool {
    matches!(outcome, Outcome::Report(report) if matches!(report.verdict, Verdict::Broken { .. }))
}

/// Write all of it. A reader that went away has read what it wanted.
fn written(mut out: impl Write, bytes: &[u8]) -> io::Result<()> {
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
    let program = std::fs::read(std::env::current_exe().ok()?).ok()?;
    Some(data_encoding::HEXLOWER.encode(&Sha256::digest(program)))
}
