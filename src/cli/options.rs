//! Options that commands share, declared once, and what their values may be.

use std::ffi::{OsStr, OsString};
use std::num::NonZeroU64;
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};

use super::output::Output;
use super::usage::usage;
use crate::audit::{self, Request};
use crate::check::ed25519::Choice;
use crate::finding::{Class, Code, Policy};
use crate::read::Limits;
use crate::row;
use crate::stop::Stop;
use crate::trust::expectation::{Expectations, Span};

/// What an audit of one ledger takes, whatever is made of its outcome.
#[derive(Debug, Args)]
pub(super) struct Audit {
    exports: Vec<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    reading: Reading,
    #[command(flatten)]
    judgement: Judgement,
    #[command(flatten)]
    display: Display,
}

/// What is asked of an export without a verdict on all of it.
#[derive(Debug, Args)]
pub(super) struct Source {
    exports: Vec<PathBuf>,
    #[command(flatten)]
    trust: Trust,
    #[command(flatten)]
    reading: Reading,
    #[arg(long)]
    json: bool,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

/// What comparing two exports takes.
#[derive(Debug, Args)]
pub(super) struct Pair {
    exports: Vec<PathBuf>,
    #[arg(long)]
    key: Vec<OsString>,
    #[command(flatten)]
    rows: Rows,
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

impl Pair {
    /// What is compared, by what, and how the outcome is shown.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn wanted(self) -> Result<(Request, Output), Stop> {
        if self.exports.len() != 2 {
            let why = format!(
                "two exports are compared, and {} given",
                match self.exports.len() {
                    0 => "none was".to_owned(),
                    1 => "one was".to_owned(),
                    more => format!("{more} were"),
                }
            );
            return Err(usage(why).hint("an export in several parts is given as its folder"));
        }
        let request = Request {
            exports: self.exports,
            keys: self.key.iter().map(|text| key(text)).collect(),
            ..self.rows.request()
        };
        Ok((request, Output::new(self.json, self.quiet, self.color)))
    }
}

/// What trying a profile takes.
#[derive(Debug, Args)]
pub(super) struct Rehearsal {
    #[arg(long)]
    key: Vec<OsString>,
    #[arg(long)]
    recipe: Option<String>,
    #[arg(long, default_value_t = Limits::default().max_row_bytes, value_parser = row_bytes)]
    max_row_bytes: usize,
}

impl Rehearsal {
    /// What is asked for, of this profile and these exports.
    pub fn wanted(&self, profile: &OsStr, exports: Vec<PathBuf>) -> audit::Rehearsal {
        audit::Rehearsal {
            profile: profile.to_string_lossy().into_owned(),
            exports,
            keys: self.key.iter().map(|text| key(text)).collect(),
            recipe: self.recipe.clone(),
            max_row_bytes: self.max_row_bytes,
        }
    }
}

/// What stands outside the export.
#[derive(Debug, Args)]
struct Trust {
    #[arg(long)]
    key: Vec<OsString>,
    #[arg(long)]
    manifest: Option<PathBuf>,
    #[arg(long)]
    head: Vec<String>,
    #[arg(long)]
    witness: Option<PathBuf>,
    #[arg(long)]
    namespace: Option<String>,
    #[arg(long)]
    artefacts: Option<PathBuf>,
}

/// How the export is read.
#[derive(Debug, Args)]
struct Reading {
    #[command(flatten)]
    rows: Rows,
    #[arg(long, value_enum, default_value_t = Signatures::Auto)]
    signatures: Signatures,
}

/// As what its rows are read.
#[derive(Debug, Args)]
struct Rows {
    #[arg(long)]
    profile: Option<String>,
    #[arg(long)]
    recipe: Option<String>,
    #[arg(long)]
    genesis: Option<String>,
    #[arg(long, default_value_t = Limits::default().max_row_bytes, value_parser = row_bytes)]
    max_row_bytes: usize,
    #[arg(long, value_parser = threads)]
    threads: Option<usize>,
}

impl Rows {
    /// A request that says so, and nothing else.
    fn request(self) -> Request {
        Request {
            profile: self.profile,
            recipe: self.recipe,
            genesis: self.genesis,
            max_row_bytes: self.max_row_bytes,
            threads: self.threads.unwrap_or(0),
            ..Request::default()
        }
    }
}

/// How it is judged.
#[derive(Debug, Args)]
struct Judgement {
    #[arg(long)]
    accept: Vec<String>,
    #[arg(long)]
    strict: bool,
    #[arg(long)]
    since: Option<PathBuf>,
    #[arg(long, value_parser = rows)]
    expect_rows: Option<NonZeroU64>,
    #[arg(long, value_parser = Span::parse)]
    expect_span: Option<Span>,
    #[arg(long, value_parser = profile_name)]
    expect_profile: Option<String>,
}

/// How the outcome is shown.
#[derive(Debug, Args)]
struct Display {
    #[arg(long)]
    json: bool,
    #[arg(long)]
    quiet: bool,
    #[arg(long, default_value_t = 100, value_parser = findings)]
    max_findings: usize,
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    color: Color,
}

/// When colours are used.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum Color {
    Auto,
    Always,
    Never,
}

/// Which digest of the files the report has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(super) enum SubjectDigest {
    Sha256,
    None,
}

/// What judges Ed25519 signatures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
enum Signatures {
    Auto,
    Reference,
    Portable,
    Ifma,
}

impl Audit {
    /// What is asked of the audit, and how its outcome is shown.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn wanted(self) -> Result<(Request, Output), Stop> {
        let Audit { exports, trust, reading, judgement, display } = self;
        if exports.is_empty() {
            return Err(usage("no EXPORT was given"));
        }
        let accepted = judgement.accept.iter().map(|word| bound(word)).collect::<Result<Vec<Code>, Stop>>()?;
        let request = Request {
            expectations: Expectations {
                rows: judgement.expect_rows,
                span: judgement.expect_span,
                profile: judgement.expect_profile,
            },
            policy: Policy { accepted, strict: judgement.strict },
            max_findings: display.max_findings,
            since: judgement.since,
            ..request(exports, trust, reading)?
        };
        Ok((request, Output::new(display.json, display.quiet, display.color)))
    }
}

impl Source {
    /// What is read, and how the outcome is shown.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn wanted(self) -> Result<(Request, Output), Stop> {
        if self.exports.is_empty() {
            return Err(usage("no EXPORT was given"));
        }
        let output = Output::new(self.json, false, self.color);
        Ok((request(self.exports, self.trust, self.reading)?, output))
    }
}

/// What is read, without anything that only a verdict needs.
fn request(exports: Vec<PathBuf>, trust: Trust, reading: Reading) -> Result<Request, Stop> {
    let witness = match (trust.witness, trust.namespace) {
        (Some(path), Some(namespace)) => Some((audit::Pins::File(path), namespace)),
        (None, None) => None,
        (Some(_), None) => return Err(usage("--witness needs --namespace, the ledger's name in that file")),
        (None, Some(_)) => return Err(usage("--namespace is a name in the file of a --witness, and none was given")),
    };
    Ok(Request {
        exports,
        keys: trust.key.iter().map(|text| key(text)).collect(),
        manifest: trust.manifest,
        heads: trust.head,
        witness,
        artefacts: trust.artefacts,
        max_findings: 0,
        signatures: match reading.signatures {
            Signatures::Auto => Choice::Auto,
            Signatures::Reference => Choice::Reference,
            Signatures::Portable => Choice::Portable,
            Signatures::Ifma => Choice::Ifma,
        },
        ..reading.rows.request()
    })
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

/// A ledger without rows is never whole, so that none can be expected.
fn rows(text: &str) -> Result<NonZeroU64, String> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    text.parse().ok().filter(|_| digits).ok_or_else(|| "a number of rows from 1 is wanted".to_owned())
}

/// The name that a profile gives itself.
fn profile_name(text: &str) -> Result<String, String> {
    match text.is_empty() || text.ends_with(".toml") || text.contains(std::path::is_separator) {
        true => Err("the name of a profile is wanted, not its file".to_owned()),
        false => Ok(text.to_owned()),
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

pub(super) fn threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=1024).contains(&threads) => Ok(threads),
        _ => Err("a number from 1 to 1024 is wanted".to_owned()),
    }
}
