//! `--each`: every EXPORT is a ledger of its own, and one table tells of all.

use std::process::ExitCode;

use crate::audit::{Each, Request};
use crate::cli::output::Output;
use crate::cli::run::Runner;
use crate::cli::usage::usage;
use crate::report::Outcome;
use crate::report::summary::{Entry, Summary};
use crate::stop::{Stop, StopCode};

/// Audit each export of the request by itself.
///
/// # Errors
///
/// A stop that concerns them all, or the end of the whole by the user.
pub(super) fn run(request: &Request, output: &Output, runner: &Runner) -> Result<ExitCode, Stop> {
    refuse_what_is_about_one_ledger(request)?;
    let mut each = Each::new(request)?;
    let mut entries = Vec::new();
    for (number, export) in (1..).zip(&request.exports) {
        let name = export.display().to_string();
        let outcome = runner.run(|mut environment, observer| {
            environment.arguments.push(name.clone());
            each.audit(export, environment, observer)
        });
        if let Outcome::Stop(stop) = &outcome
            && stop.code == StopCode::Interrupted
        {
            return Err(interrupted(stop, &name, number, request.exports.len()));
        }
        entries.push(Entry { name, outcome });
    }
    each.finish()?;
    Ok(output.summary(&Summary { entries }))
}

fn refuse_what_is_about_one_ledger(request: &Request) -> Result<(), Stop> {
    if request.manifest.is_some() {
        return Err(usage("--manifest is about one ledger, and --each takes each EXPORT as one").hint(
            "lay each manifest beside its export, as export.manifest.json for export.jsonl; or verify that EXPORT alone",
        ));
    }
    if !request.heads.is_empty() {
        return Err(usage("--head is about one ledger, and --each takes each EXPORT as one")
            .hint("verify the EXPORT that the head is of alone"));
    }
    if request.witness.is_some() {
        return Err(usage("--witness is about one ledger, and --each takes each EXPORT as one")
            .hint("verify the EXPORT of that namespace alone"));
    }
    if request.since.is_some() {
        return Err(usage("--since is about one ledger, and --each takes each EXPORT as one")
            .hint("verify the EXPORT that the earlier report is of alone"));
    }
    let streams = request.exports.iter().filter(|export| export.as_os_str() == "-").count();
    match streams > 1 {
        true => Err(usage("standard input can be read once, and - was given several times")),
        false => Ok(()),
    }
}

/// The same stop, with which export it came in and how many there are.
fn interrupted(stop: &Stop, name: &str, number: usize, exports: usize) -> Stop {
    let message = format!("{name}, {number} of {exports} exports: {}", stop.message);
    let hint = "run it again to the end: nothing is said of the exports before it either";
    Stop::new(StopCode::Interrupted, message).hint(hint)
}
