//! `--report KIND=PATH`: which reports are asked for, where they go, and what must not be written over.
//!
//! Decided here: what a value of the option means, and which are refused before anything is read. A report
//! must never overwrite what is examined, under whatever name it is given.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};

use super::file::{self, Written};
use super::usage::usage;
use crate::audit::{self, Evidence, Request};
use crate::read::Identity;
use crate::report::form::{self, Form};
use crate::report::{Outcome, Report};
use crate::stop::Stop;

/// Other names of standard output.
const STDOUT: [&str; 4] = ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"];

/// Where a report goes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// To standard output, in place of what stands there otherwise.
    Stdout,
    /// To a file.
    File(PathBuf),
}

/// A report that is asked for.
#[derive(Clone)]
struct Asked {
    form: &'static dyn Form,
    target: Target,
}

/// The reports that are asked for besides the usual one.
#[derive(Clone, Default)]
pub(super) struct Reports {
    list: Vec<Asked>,
}

impl Reports {
    /// What these values of `--report` ask for, while standard output is free or carries JSON.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn parse(values: &[OsString], json: bool) -> Result<Self, Stop> {
        let list = values.iter().map(|value| asked(value)).collect::<Result<Vec<Asked>, Stop>>()?;
        let reports = Reports { list };
        if json && reports.take_stdout() {
            return Err(usage("--json writes to standard output, and so would a --report to -")
                .hint("leave out --json, or name a file for the report"));
        }
        let mut seen = Vec::new();
        for Asked { target, .. } in &reports.list {
            let place = match target {
                Target::Stdout => None,
                Target::File(path) => Some(place(path)),
            };
            if seen.contains(&place) {
                let name = place.map_or_else(|| "-".to_owned(), |path| path.display().to_string());
                return Err(usage(format!("--report: two reports would be written to {name}"))
                    .hint("give each report a file of its own"));
            }
            seen.push(place);
        }
        Ok(reports)
    }

    /// Whether any is asked for.
    pub fn any(&self) -> bool {
        !self.list.is_empty()
    }

    /// Whether one of them takes the place of what standard output shows otherwise.
    pub fn take_stdout(&self) -> bool {
        self.list.iter().any(|asked| asked.target == Target::Stdout)
    }

    /// None of them is written over anything that this request reads.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn spare(&self, request: &Request) -> Result<(), Stop> {
        let evidence = audit::evidence(request);
        for path in self.files() {
            if let Some(spared) = evidence.iter().find(|spared| would_change(path, spared)) {
                let path = path.display();
                return Err(usage(format!(
                    "--report to {path}: it would change {spared}, which is examined or vouches"
                ))
                .hint("name a file elsewhere for the report"));
            }
        }
        Ok(())
    }

    /// None of them is filed as evidence of a file, whose digest it would have to name.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn need_no_digest(&self) -> Result<(), Stop> {
        let Some(asked) = self.list.iter().find(|asked| !["text", "json"].contains(&asked.form.kind())) else {
            return Ok(());
        };
        let text = format!("--report {} names a file by its digest, and --subject-digest is none", asked.form.kind());
        Err(usage(text).hint("leave out --subject-digest none, or ask for text or json"))
    }

    /// Each of them can tell of several ledgers.
    ///
    /// # Errors
    ///
    /// A usage stop.
    pub fn are_of_several(&self) -> Result<(), Stop> {
        let Some(asked) = self.list.iter().find(|asked| asked.form.several().is_none()) else { return Ok(()) };
        let able: Vec<&str> =
            form::ALL.iter().filter(|form| form.several().is_some()).map(|form| form.kind()).collect();
        let text = format!("--report {} is about one ledger, and --each takes each EXPORT as one", asked.form.kind());
        Err(usage(text).hint(format!("run it for one EXPORT at a time; with --each go: {}", able.join(", "))))
    }

    /// Write all of them; the exit code that remains of `code`.
    pub fn of_outcome(&self, outcome: &Outcome, code: u8) -> u8 {
        let examined = match outcome {
            Outcome::Report(report) => examined(report),
            Outcome::Stop(_) => Vec::new(),
        };
        self.write(code, &examined, |form| form.text(outcome))
    }

    /// Write all of them for several ledgers.
    pub fn of_several(&self, summary: &crate::report::summary::Summary, code: u8) -> u8 {
        let reports = summary.entries.iter().filter_map(|entry| match &entry.outcome {
            Outcome::Report(report) => Some(report),
            Outcome::Stop(_) => None,
        });
        let examined: Vec<Evidence> = reports.flat_map(|report| examined(report)).collect();
        self.write(code, &examined, |form| form.several().map(|tell| tell(summary)))
    }

    fn write(&self, code: u8, examined: &[Evidence], tell: impl Fn(&dyn Form) -> Option<String>) -> u8 {
        let mut left = code;
        for Asked { form, target } in &self.list {
            let done = match (tell(*form), target) {
                (None, _) => Written::Nothing(form.kind()),
                (Some(text), Target::Stdout) => file::to_stdout(&text),
                (Some(text), Target::File(path)) => match examined.iter().find(|spared| would_change(path, spared)) {
                    Some(spared) => Written::not(format!("it would change {spared}, which was examined")),
                    None => file::to_file(path, &text),
                },
            };
            left = done.told(target, left);
        }
        left
    }

    fn files(&self) -> impl Iterator<Item = &Path> {
        self.list.iter().filter_map(|asked| match &asked.target {
            Target::File(path) => Some(path.as_path()),
            Target::Stdout => None,
        })
    }
}

/// Say of each report that a command line seems to ask for that it was not written: it could not be carried out.
pub(super) fn none_was_written(arguments: &[OsString]) {
    let mut values = Vec::new();
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        match argument.to_str() {
            Some("--report") => values.extend(rest.next().cloned()),
            Some(text) => values.extend(text.strip_prefix("--report=").map(OsString::from)),
            None => {}
        }
    }
    for (_, target) in values.iter().filter_map(|value| split(value)) {
        if target != Target::Stdout {
            Written::not("the run could not be carried out").told(&target, 2);
        }
    }
}

fn asked(value: &OsStr) -> Result<Asked, Stop> {
    let kinds = || {
        let kinds: Vec<&str> = form::ALL.iter().map(|form| form.kind()).collect();
        format!("kinds: {}", kinds.join(", "))
    };
    let shown = value.display();
    let Some((kind, target)) = split(value) else {
        return Err(usage(format!("--report {shown}: KIND=PATH is wanted, - for standard output")).hint(kinds()));
    };
    let path = match &target {
        Target::File(path) => path,
        Target::Stdout => Path::new("-"),
    };
    match form::for_path(&kind, path) {
        Some(form) => Ok(Asked { form, target }),
        None => Err(usage(format!("--report {shown}: there is no such kind of report")).hint(kinds())),
    }
}

/// `KIND=PATH`; the path need not be text.
fn split(value: &OsStr) -> Option<(String, Target)> {
    let (kind, _) = value.to_string_lossy().split_once('=').map(|(kind, rest)| (kind.to_owned(), rest.to_owned()))?;
    let path = PathBuf::from(behind(value, kind.len() + 1)?);
    if path.as_os_str().is_empty() {
        return None;
    }
    let stdout = path.to_str().is_some_and(|path| STDOUT.contains(&path));
    Some((kind, if stdout { Target::Stdout } else { Target::File(path) }))
}

/// What stands behind so many bytes of text.
#[cfg(unix)]
fn behind(value: &OsStr, bytes: usize) -> Option<&OsStr> {
    use std::os::unix::ffi::OsStrExt;
    value.as_bytes().get(bytes..).map(OsStr::from_bytes)
}

/// The same where only text can be cut.
#[cfg(not(unix))]
fn behind(value: &OsStr, bytes: usize) -> Option<&OsStr> {
    value.to_str()?.get(bytes..).map(OsStr::new)
}

/// The files that a report is about, and those that stand beside them.
fn examined(report: &Report) -> Vec<Evidence> {
    let beside = report.subjects.iter().filter_map(|subject| subject.sidecar.as_ref()).map(|sidecar| &sidecar.name);
    let beside = beside.map(|name| Evidence::At(PathBuf::from(name)));
    report.subjects.iter().map(|subject| Evidence::of_input(Path::new(&subject.name))).chain(beside).collect()
}

/// Whether a report at `path` would overwrite `spared`, or stand in it where that is a folder.
fn would_change(path: &Path, spared: &Evidence) -> bool {
    let is_file = |identity: &dyn Fn() -> Identity| {
        fs::metadata(path).is_ok_and(|found| found.is_file() && Identity::of(&found).is(identity()))
    };
    let spared = match spared {
        Evidence::Stdin => return is_file(&Identity::of_stdin),
        Evidence::At(spared) => spared,
    };
    let same = || fs::metadata(spared).is_ok_and(|found| is_file(&|| Identity::of(&found)));
    let (path, spared) = (place(path), place(spared));
    path == spared || same_folder(&path, &spared) || same()
}

fn same_folder(path: &Path, folder: &Path) -> bool {
    folder.is_dir() && path.starts_with(folder)
}

/// The one name of a file, there or not yet: links followed, the folder in full.
fn place(path: &Path) -> PathBuf {
    let end = file::end_of_links(path).unwrap_or_else(|_| path.to_owned());
    let in_full = || {
        let folder = end.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
        Some(folder.canonicalize().ok()?.join(end.file_name()?))
    };
    path.canonicalize().ok().or_else(in_full).unwrap_or_else(|| end.clone())
}
