//! The command line: the only rooms that know a terminal.
//!
//! Rules of what is shown:
//!
//! - the verdict goes to standard output; a stop and everything said about the run to standard error;
//! - with `--json` standard output is one JSON object whatever the outcome, a stop too (`--quiet` shows
//!   nothing all the same, and `--help`, `--version` and `--explain` are text for people);
//! - colours only on a terminal that wants them, and never in JSON;
//! - a reader that goes away changes nothing: the exit code is the verdict's. A report that cannot be
//!   written for any other reason was asked for and is missing: exit code 2, unless the ledger is broken.

mod arguments;
mod help;
mod output;
mod progress;

use std::ffi::OsString;
use std::process::ExitCode;

use arguments::{Command, Wanted};
use output::Output;
use progress::Shown;

use crate::audit;
use crate::report::{Environment, Outcome};

/// Run the program with these arguments, the program's own name first.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    // Read before parsing: a command line that cannot be parsed must be answered in JSON too.
    let json = arguments.iter().any(|argument| argument == "--json");
    let command = match arguments::parse(&arguments) {
        Ok(command) => command,
        Err(stop) => return Output::plain(json).outcome(&Outcome::Stop(stop)),
    };
    match command {
        Command::Show(text) => Output::plain(false).text(&text),
        Command::Audit(Wanted { request, output }) => {
            let environment = environment(&arguments, request.threads, output.is_json());
            let shown = Shown::new(output.shows_progress());
            let mut outcome = audit::run(&request, environment, &shown);
            drop(shown);
            if let Outcome::Report(report) = &mut outcome {
                report.environment.finished = jiff::Timestamp::now().to_string();
            }
            output.outcome(&outcome)
        }
    }
}

/// Where and with what this is run. The binary's own digest is worth its time only where it is shown.
fn environment(arguments: &[OsString], threads: usize, shown: bool) -> Environment {
    let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    Environment {
        tool: concat!("ledger-verify ", env!("CARGO_PKG_VERSION")).to_owned(),
        tool_sha256: if shown { output::own_digest() } else { None },
        arguments: arguments.iter().map(|argument| argument.to_string_lossy().into_owned()).collect(),
        platform: format!("{} {}", std::env::consts::OS, std::env::consts::ARCH),
        threads: if threads == 0 { cores() } else { threads },
        signature_engine: "ed25519-dalek verify_strict".to_owned(),
        folders: Vec::new(),
        started: jiff::Timestamp::now().to_string(),
        finished: String::new(),
    }
}
