//! `bundle`: an evidence bundle, re-derived.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::audit::{BundleRequest, Request, bundle};
use crate::cli::options::Color;
use crate::cli::output::Output;
use crate::cli::run::Runner;
use crate::cli::usage::{Parsed, parse, usage};
use crate::report::Outcome;
use crate::stop::Stop;

const HELP: &str = "\
Re-derives an evidence bundle: every file against the manifest, the ledger audited anew, strict and
not, and what the bundle's own report states compared with that. Nothing it states is taken for so.

usage: ledger-verify bundle DIR|ZIP [options]

The verdict is the ledger's as derived anew, and broken if anything in the bundle does not fit. A
bundle without MANIFEST.json is bounded. A pin in witness_latest.json is compared with the ledger. A
ledger in a zip is unpacked to a temporary file, in TMPDIR, which is removed; links are not
followed, and names that lead elsewhere are not read.

options
  --json               the whole as JSON
  --quiet              nothing but the exit code
  --threads N          threads [one for each core]
  --color WHEN         auto, always or never [auto]
  --help

examples
  ledger-verify bundle evidence/
  ledger-verify bundle evidence.zip --json

exit codes
  0  verified: everything fits, and the ledger is whole
  1  broken: the bundle or its ledger
  2  it could not run, and says why
  3  bounded: the ledger is, or there is no manifest
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify bundle", override_help = HELP, arg_required_else_help = false)]
struct Arguments {
    bundles: Vec<PathBuf>,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, value_parser = crate::cli::options::threads)]
    threads: Option<usize>,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let given = match parse::<Arguments>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(given) => given,
    };
    let output = Output::new(given.json, given.quiet, given.color);
    let [path] = given.bundles.as_slice() else { return Err(usage("one bundle is wanted, a folder or a zip")) };
    let request = BundleRequest { path: path.clone(), threads: given.threads.unwrap_or(0) };
    let audit = Request { threads: request.threads, ..Request::default() };
    let runner = Runner::new(arguments, &audit, &output);
    match runner.watch(|environment, observer| bundle(&request, environment, observer)) {
        Ok(report) => Ok(output.bundle(&report)),
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
