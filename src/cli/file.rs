//! A report becomes a file: whole or not at all.
//!
//! Decided here: how a file is written. A reader never sees half a report: it is written beside its place and
//! renamed over it. What is no file, a pipe or a device, is written straight.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::output::{BROKEN, written};
use super::reports::Target;

/// Symbolic links that are followed one after another, as many as Linux follows.
const MAX_LINKS: usize = 40;

/// What came of a report.
pub(super) enum Written {
    /// It is there.
    Whole,
    /// This kind of report has no words for what happened.
    Nothing(&'static str),
    /// It is not there, and why.
    Not(String),
}

impl Written {
    /// Not written, for this reason.
    pub fn not(why: impl Into<String>) -> Self {
        Written::Not(why.into())
    }

    /// Say what is missing; the exit code that remains. A broken ledger outranks what becomes of the report.
    pub fn told(self, target: &Target, code: u8) -> u8 {
        let (why, left) = match self {
            Written::Whole => return code,
            Written::Nothing(kind) => (format!("{kind} has no words for a run without a verdict"), code),
            Written::Not(why) => (why, if code == BROKEN { BROKEN } else { 2 }),
        };
        let line = match target {
            Target::Stdout => format!("nothing was written to standard output: {why}"),
            Target::File(path) => {
                let stale = "what stands there, if anything, is of an earlier run";
                format!("{} was not written: {why}; {stale}", path.display())
            }
        };
        let line = crate::report::escape::escape_cut(&line, 2048).into_owned();
        // Where standard error is gone there is nobody left to tell.
        let _ = writeln!(io::stderr(), "ledger-verify: {line}");
        left
    }
}

/// Write a report to standard output.
pub(super) fn to_stdout(text: &str) -> Written {
    match written(io::stdout().lock(), text.as_bytes()) {
        Ok(()) => Written::Whole,
        Err(error) => Written::not(error.to_string()),
    }
}

/// Write a report to a file.
pub(super) fn to_file(path: &Path, text: &str) -> Written {
    let done = match is_written_straight(path) {
        true => straight(path, text),
        false => end_of_links(path).and_then(|path| renamed(&path, text)),
    };
    match done {
        Ok(()) => Written::Whole,
        Err(error) => Written::not(error.to_string()),
    }
}

/// Whether the name stands for a pipe, a device or an open file, over which nothing may be renamed.
fn is_written_straight(path: &Path) -> bool {
    let of_system = path.starts_with("/dev") || path.starts_with("/proc");
    let is_link = || fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    of_system && is_link() || fs::metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// The file that a link leads to, there or not yet: it is what the user wants written, and the link stays.
pub(super) fn end_of_links(path: &Path) -> io::Result<PathBuf> {
    let is_link = |path: &Path| fs::symlink_metadata(path).is_ok_and(|found| found.is_symlink());
    let mut end = path.to_owned();
    for _ in 0..MAX_LINKS {
        if !is_link(&end) {
            return Ok(end);
        }
        if let Ok(there) = end.canonicalize() {
            return Ok(there);
        }
        // What a link says is meant from the folder that the link is in.
        let next = fs::read_link(&end)?;
        end = end.parent().map(|folder| folder.join(&next)).unwrap_or(next);
    }
    Err(io::Error::other("its symbolic links lead in a circle"))
}

fn straight(path: &Path, text: &str) -> io::Result<()> {
    // An open file behind /dev/fd may hold something already.
    let file = OpenOptions::new().append(true).open(path)?;
    written(file, text.as_bytes())
}

fn renamed(path: &Path, text: &str) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if path.is_dir() {
        return Err(io::Error::other("it is a folder"));
    }
    if !folder.is_dir() {
        return Err(io::Error::other("its folder is not there"));
    }
    let mut builder = tempfile::Builder::new();
    builder.prefix(".ledger-verify-");
    #[cfg(unix)]
    builder.permissions(std::os::unix::fs::PermissionsExt::from_mode(0o666));
    // The error would name the temporary file, which is nobody's business.
    let mut file = builder.tempfile_in(folder).map_err(|error| plain(&error))?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path).map(|_| ()).map_err(|refused| refused.error)
}

/// An error without the name that was put to it.
fn plain(error: &io::Error) -> io::Error {
    error.raw_os_error().map_or_else(|| io::Error::from(error.kind()), io::Error::from_raw_os_error)
}
