//! `profiles`: the formats that are built in, one profile's text, and how well a profile fits an export.

use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::process::ExitCode;

use clap::Parser;

use crate::audit;
use crate::cli::options::Rehearsal;
use crate::cli::output::Output;
use crate::cli::usage::{Parsed, parse, usage};
use crate::profile::{self, Plan};
use crate::report::formats::{self, Format, Signed, Wanted};
use crate::stop::Stop;

const HELP: &str = "\
Lists the ledger formats that are built in, prints a profile, or tries one on an export.

usage: ledger-verify profiles [--json]                  name, signed or not, keys, versions tried
       ledger-verify profiles NAME                      the TOML of a built-in profile
       ledger-verify profiles check PROFILE EXPORT...   how much of the export a profile reproduces
       PROFILE is a built-in name or a TOML file; EXPORT as in ledger-verify --help

check counts the digests, links and signatures that are reproduced. Of the first row that does not
fit it shows the bytes that were hashed or signed, and the digest that was computed and the stated
one. It is for the writer of a profile and no verdict on the ledger.

options
  --key [ROLE=]FILE    a key, as of ledger-verify --help, repeated for several
  --recipe READINGS    pin what the format leaves open, as prev=raw
  --max-row-bytes N    longest row in bytes [67108864]
  --json               the list or the result of check as JSON
  --help

examples
  ledger-verify profiles noirebox > mine.toml
  ledger-verify profiles check mine.toml export.jsonl --key pk.hex

exit codes
  0  the list or the profile was printed; with check: everything was reproduced
  1  with check: something was not, or could not be computed for want of a key
  2  it could not run, and says why
";

#[derive(Debug, Parser)]
#[command(name = "ledger-verify profiles", override_help = HELP, arg_required_else_help = false)]
struct Profiles {
    words: Vec<OsString>,
    #[command(flatten)]
    rehearsal: Rehearsal,
    #[arg(long)]
    json: bool,
}

pub(super) fn run(arguments: &[OsString]) -> Result<ExitCode, Stop> {
    let profiles = match parse::<Profiles>(arguments.get(1..).unwrap_or_default())? {
        Parsed::Show(text) => return Ok(Output::plain(false).text(&text)),
        Parsed::Arguments(profiles) => profiles,
    };
    let output = Output::plain(profiles.json);
    match profiles.words.as_slice() {
        [] => {
            let formats = profile::names().map(|name| Ok(format(&profile::builtin(name)?)));
            let formats = formats.collect::<Result<Vec<Format>, Stop>>()?;
            Ok(output.text(&if profiles.json { formats::json(&formats) } else { formats::text(&formats) }))
        }
        [check, profile, exports @ ..] if check == OsStr::new("check") && !exports.is_empty() => {
            let exports = exports.iter().map(PathBuf::from).collect();
            let fit = audit::rehearse(&profiles.rehearsal.wanted(profile, exports))?;
            let shown = if profiles.json { fit.json() } else { fit.text() };
            Ok(output.result(&shown, fit.exit_code()))
        }
        [check, ..] if check == OsStr::new("check") => {
            Err(usage("profiles check takes a PROFILE and an EXPORT").hint("ledger-verify profiles --help"))
        }
        [name] => Ok(output.text(profile::text(&name.to_string_lossy())?)),
        [_, more, ..] => Err(usage(format!("profiles takes one NAME, and was given {}", more.to_string_lossy()))
            .hint("ledger-verify profiles --help")),
    }
}

/// A format as the list shows it.
fn format(plan: &Plan) -> Format {
    let key = |role: &profile::Role| Wanted {
        role: role.name.as_deref().map(str::to_owned),
        algorithm: role.wish.algorithm.name(),
        format: role.wish.format.as_ref().map(|format| format.name()),
    };
    let mut keys: Vec<Wanted> = plan.roles.iter().map(key).collect();
    keys.dedup();
    Format {
        name: plan.name.clone(),
        about: plan.about.clone(),
        homepage: plan.homepage.clone(),
        versions: plan.versions.clone(),
        signed: match (plan.signs(), plan.signs_partly()) {
            (false, _) => Signed::No,
            (_, true) => Signed::Partly,
            (_, false) => Signed::Every,
        },
        keys,
        sha256: plan.sha256.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::command::tests::the_help_is_right;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        the_help_is_right::<Profiles>(HELP);
    }
}
