//! The command line: the only rooms that know a terminal.
//!
//! Rules of what is shown:
//!
//! - what was asked for goes to standard output: the verdict, or with `head` the pins; a stop and everything
//!   said about the run to standard error;
//! - with `--json` standard output is one JSON text whatever the outcome, a stop too (`--quiet` shows
//!   nothing all the same, but the pins of `head`; `--help`, `--version` and `--explain` are text for people);
//! - a report that `--report` sends to standard output stands there alone, quiet or not; one that it sends to a
//!   file is whole or not there;
//! - colours only on a terminal that wants them, and never in JSON;
//! - a reader that goes away changes nothing: the exit code is the verdict's. A report that cannot be
//!   written for any other reason was asked for and is missing: exit code 2, unless the ledger is broken.

mod command;
mod file;
mod help;
mod options;
mod output;
mod progress;
mod reports;
mod run;
mod usage;

use std::ffi::OsString;
use std::process::ExitCode;

use output::Output;

use crate::report::Outcome;

/// Run the program with these arguments, the program's own name first.
pub fn main(arguments: Vec<OsString>) -> ExitCode {
    // Read before parsing: a command line that cannot be parsed must be answered in JSON too.
    let json = arguments.iter().any(|argument| argument == "--json");
    command::run(&arguments).unwrap_or_else(|stop| {
        // What is said of the option itself says enough.
        let of_reports = stop.message.starts_with("--report");
        let code = Output::plain(json).outcome(&Outcome::Stop(stop));
        if !of_reports {
            reports::none_was_written(&arguments);
        }
        code
    })
}
