//! What the user wants, from the command line.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::error::ErrorKind;
use clap::{Parser, ValueEnum};

use super::help::HELP;
use super::output::Output;
use crate::audit::Request;
use crate::chain::MAX_CHAINS;
use crate::finding::{Class, Code, Policy};
use crate::profile;
use crate::read::Limits;
use crate::report::explain::explain;
use crate::row;
use crate::stop::{Stop, StopCode};

/// A parsed command line.
pub(super) enum Command {
    /// Show this and be done.
    Show(String),
    /// Audit an export.
    Audit(Wanted),
}

/// An audit, and how its outcome is shown.
pub(super) struct Wanted {
    pub request: Request,
    pub output: Output,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Parser)]
#[command(name = "ledger-verify", version, override_help = HELP, arg_required_else_help = false)]
struct Arguments {
    exports: Vec<PathBuf>,
    #[arg(long)]
    key: Vec<OsString>,
    #[arg(long)]
    manifest: Option<PathBuf>,
    #[arg(long)]
    head: Vec<String>,
    #[arg(long, default_value = profile::HOME)]
    profile: String,
    #[arg(long)]
    recipe: Option<String>,
    #[arg(long)]
    accept: Vec<String>,
    #[arg(long)]
    strict: bool,
    #[arg(long, default_value_t = Limits::default().max_row_bytes, value_parser = row_bytes)]
    max_row_bytes: usize,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, default_value_t = 100, value_parser = findings)]
    max_findings: usize,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
    #[arg(long)]
    explain: Option<String>,
}

/// Parse a command line, the program's own name first.
///
/// # Errors
///
/// A usage stop.
pub(super) fn parse(arguments: &[OsString]) -> Result<Command, Stop> {
    let arguments = match Arguments::try_parse_from(arguments) {
        Ok(arguments) => arguments,
        Err(error) if matches!(error.kind(), ErrorKind::DisplayHelp | ErrorKind::DisplayVersion) => {
            return Ok(Command::Show(error.to_string()));
        }
        Err(error) => return Err(refused(&error.to_string())),
    };
    if let Some(code) = &arguments.explain {
        return Code::named(code).map(|code| Command::Show(explain(code))).ok_or_else(|| {
            usage(format!("--explain {code}: there is no such finding")).hint("docs/findings.md lists them all")
        });
    }
    if arguments.exports.is_empty() {
        return Err(usage("no EXPORT was given"));
    }
    let accepted = arguments.accept.iter().map(|word| bound(word)).collect::<Result<Vec<Code>, Stop>>()?;
    let output = Output::new(arguments.json, arguments.quiet, arguments.color);
    let request = Request {
        exports: arguments.exports,
        keys: arguments.key.iter().map(|text| key(text)).collect(),
        manifest: arguments.manifest,
        heads: arguments.head,
        profile: arguments.profile,
        recipe: arguments.recipe,
        policy: Policy { accepted, strict: arguments.strict },
        max_findings: arguments.max_findings,
        max_row_bytes: arguments.max_row_bytes,
        max_chains: MAX_CHAINS,
        threads: arguments.threads.unwrap_or(0),
    };
    Ok(Command::Audit(Wanted { request, output }))
}

fn usage(message: impl Into<String>) -> Stop {
    Stop::new(StopCode::Usage, message).hint("ledger-verify --help")
}

/// What clap says, without its own usage lines; a tip of its is a hint.
fn refused(text: &str) -> Stop {
    // It might be a private key, which starts like an option: nothing of it may be shown.
    if text.contains("-----BEGIN ") {
        return usage("an argument is the text of a PEM block, where the name of a file is wanted");
    }
    let said = text.lines().take_while(|line| !line.starts_with("Usage") && !line.starts_with("For more"));
    let said = said.map(str::trim).filter(|line| !line.is_empty());
    let (tips, said): (Vec<&str>, Vec<&str>) = said.partition(|line| line.starts_with("tip: "));
    let said = said.join(" ");
    let hints = tips.iter().map(|tip| tip.trim_start_matches("tip: ")).chain(["ledger-verify --help"]);
    Stop::new(StopCode::Usage, said.strip_prefix("error: ").unwrap_or(&said))
        .hint(hints.collect::<Vec<&str>>().join("; "))
}

/// A bound that can be accepted.
fn bound(word: &str) -> Result<Code, Stop> {
    let bounds = || Code::ALL.iter().filter(|code| code.class() == Class::Bound && **code != Code::Empty);
    bounds().copied().find(|code| code.name() == word).ok_or_else(|| {
        let what = match Code::named(word) {
            Some(Code::Empty) => "cannot be accepted: nothing was examined",
            Some(code) if code.class() == Class::Fault => "is a fault: nothing waives it",
            Some(_) => "is a note: it limits nothing",
            None => "is no bound",
        };
        let names: Vec<&str> = bounds().map(|code| code.name()).collect();
        usage(format!("--accept {word}: it {what}")).hint(format!("bounds: {}", names.join(", ")))
    })
}

/// `FILE` or `ID=FILE`; a name before `=` is one only if there is no file of the whole name.
fn key(text: &OsStr) -> (Option<String>, PathBuf) {
    match text.to_str().and_then(|text| text.split_once('=')) {
        Some((id, file)) if !Path::new(text).exists() => (Some(id.to_owned()), PathBuf::from(file)),
        _ => (None, PathBuf::from(text)),
    }
}

fn row_bytes(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(bytes) if (1..=row::MAX_LENGTH).contains(&bytes) => Ok(bytes),
        _ => Err(format!("a number of bytes from 1 to {} is wanted", row::MAX_LENGTH)),
    }
}

fn findings(text: &str) -> Result<usize, String> {
    text.parse().map_err(|_| "a number from 0 is wanted".to_owned())
}

fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=1024).contains(&threads) => Ok(threads),
        _ => Err("a number from 1 to 1024 is wanted".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    #[test]
    fn the_help_names_every_argument_and_no_other() {
        let command = Arguments::command();
        let known: Vec<String> =
            command.get_arguments().filter_map(|arg| arg.get_long()).map(|long| format!("--{long}")).collect();
        for long in &known {
            assert!(HELP.contains(long.as_str()), "{long} is not in the help");
        }
        let told = HELP.split(|c: char| c.is_whitespace() || c == ',').filter(|word| word.starts_with("--"));
        for word in told.filter(|word| !["--help", "--version"].contains(word)) {
            assert!(known.iter().any(|long| long == word), "the help tells of {word}");
        }
        assert!(HELP.lines().count() <= 50 && HELP.lines().all(|line| line.chars().count() <= 100), "one screen");
    }
}
