//! `report`: an earlier JSON report in another form, and whether it still describes a file.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use crate::audit::{self, Description, Request};
use crate::cli::options::Color;
use crate::cli::output::Output;
use crate::cli::reports::Reports;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse, usage};
use crate::report::Outcome;
use crate::stop::Stop;

const HELP: &str = "\
Works with a JSON report that was written earlier, by --json or --report json=FILE.

usage: ledger-verify report show FILE.json [--report KIND=PATH ...]  the same in another form
       ledger-verify report check FILE.json EXPORT... [options]      is it still about these files?
       FILE.json may be - for standard input

show writes the report as text, or in every form that --report asks for. check compares bytes and
SHA-256 of each file with the report; a folder stands for the files that were taken of it then. Both
derive the report id anew: a report that was changed after it was written is not shown. Neither
looks at the ledger, and a report that was made up has an id that fits, too: compare the id with
the one that was cited or filed (--id).

options of show
  --report KIND=PATH   write it to PATH in this form, - for standard output; may be repeated
  --color WHEN         auto, always or never [auto]
options of check
  --id sha256:…        the report id that was cited elsewhere
  --profile FILE       the profile, where it is none that is built in
  --json               the comparison as JSON
  --quiet              nothing but the exit code
both
  --help

examples
  ledger-verify report show july.json --report junit=july.xml
  ledger-verify report check july.json export.jsonl.gz --id sha256:4c1f…

exit codes, whatever the verdict that the report holds
  0  it was shown; it describes these files
  1  check: it does not, or it was changed
  2  it could not run, and says why; show: also for a report that was changed
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify report", override_help = HELP, arg_required_else_help = false)]
struct Arguments {
    words: Vec<PathBuf>,
    #[arg(long)]
    report: Vec<OsString>,
    #[arg(long)]
    id: Option<String>,
    #[arg(long)]
    profile: Option<String>,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let given = match parse::<Arguments>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(given) => given,
    };
    let words = given.words.clone();
    let (verb, words) = words.split_first().ok_or_else(|| wrong("report: show or check is wanted"))?;
    match (verb.to_str(), words) {
        (Some("show"), [file]) => show(&given, file),
        (Some("show"), _) => Err(wrong("report show: one FILE.json is wanted")),
        (Some("check"), [file, exports @ ..]) if !exports.is_empty() => check(arguments, given, file, exports),
        (Some("check"), _) => Err(wrong("report check: FILE.json and the EXPORT are wanted")),
        _ => Err(wrong(&format!("report {}: show or check is wanted", verb.display()))),
    }
}

fn wrong(text: &str) -> Stop {
    usage(text).hint("ledger-verify report --help")
}

/// The id that was cited, as a report states it. What is no id was mistyped or cut, and says nothing of the report.
fn cited(id: &str) -> Result<String, Stop> {
    let digits = id.strip_prefix("sha256:").unwrap_or(id);
    match digits.len() == 64 && digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')) {
        true => Ok(format!("sha256:{digits}")),
        false => Err(usage(format!("--id {id}: this is no report id"))
            .hint("a report id is sha256: and 64 digits 0-9 a-f, as the report states it")),
    }
}

fn show(given: &Arguments, file: &Path) -> Result<ExitCode, Stop> {
    if given.id.is_some() || given.profile.is_some() || given.json || given.quiet {
        return Err(wrong("--id, --profile, --json and --quiet are for report check"));
    }
    let reports = Reports::parse(&given.report, false)?;
    reports.spare(&Request { exports: vec![file.to_owned()], ..Request::default() })?;
    let output = Output::new(false, false, given.color).with(reports);
    let (report, _) = audit::earlier(file)?.whole(&file.display().to_string())?;
    Ok(output.earlier(Outcome::Report(Box::new(report))))
}

fn check(arguments: &[OsString], given: Arguments, file: &Path, exports: &[PathBuf]) -> Result<ExitCode, Stop> {
    if !given.report.is_empty() {
        return Err(wrong("--report is for report show"));
    }
    let id = given.id.as_deref().map(cited).transpose()?;
    let output = Output::new(given.json, given.quiet, given.color);
    let stdin = exports.iter().map(PathBuf::as_path).chain([file]).filter(|path| path.as_os_str() == "-").count();
    if stdin > 1 {
        return Err(wrong("standard input can be read once, and - was given several times"));
    }
    let wanted = Description { report: file.to_owned(), exports: exports.to_vec(), id, profile: given.profile };
    let runner = Runner::new(arguments, &Request::default(), &output);
    match runner.watch(|_, observer| audit::describes(&wanted, observer)) {
        Ok(described) => Ok(output.described(&described)),
        Err(stop) => Ok(output.outcome(&Outcome::Stop(stop))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Arguments>(HELP);
    }
}
