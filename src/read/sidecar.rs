//! The lines of a sidecar, taken in step with those of the export.
//!
//! Decided here: which file is the sidecar of a part, and how much of it is held: as many lines as a
//! batch has, a batch of bytes at most, unless one line is longer. Its bytes are as little trusted as
//! those of the export, and as those each is handed out once.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use memchr::memchr;

use super::{Export, Limits, ReadError, Why};
use crate::stop::{Stop, StopCode};

/// Endings of files that are read decompressed.
const COMPRESSED: [&str; 2] = [".gz", ".zst"];

/// The sidecar of this part: its own name with `suffix` behind it. Of a compressed part the name without
/// that ending counts too, and the sidecar may be compressed itself; the first that is there is taken.
///
/// # Errors
///
/// A [`Stop`] that names the file which is not there, or says that a stream has none.
pub(super) fn find(part: &Path, suffix: &str) -> Result<PathBuf, Stop> {
    if part == Path::new("-") {
        let text = format!("standard input has no sidecar {suffix} beside it");
        return Err(Stop::new(StopCode::Unreadable, text).hint("save it to a file, and its sidecar beside it"));
    }
    let whole = part.as_os_str();
    let plain = COMPRESSED.iter().find_map(|ending| whole.to_str()?.strip_suffix(ending)).map(OsString::from);
    let named = |stem: &OsString, ending: &str| {
        let mut name = stem.clone();
        name.push(suffix);
        name.push(ending);
        PathBuf::from(name)
    };
    let stems = [Some(whole.to_owned()), plain];
    let names = || stems.iter().flatten().flat_map(|stem| ["", ".gz", ".zst"].map(|ending| named(stem, ending)));
    names().find(|path| path.exists()).ok_or_else(|| {
        let wanted = named(&whole.to_owned(), "");
        let text = format!("{}: its sidecar {} is not there", part.display(), wanted.display());
        Stop::new(StopCode::Unreadable, text)
            .hint("the profile reads this export together with it, line by line: put it beside the export")
    })
}

/// Lines of a sidecar that stand beside those of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Beside {
    /// Byte offset of the first of them in the sidecar.
    pub offset: u64,
    /// The bytes as they stand in the file, line ends included.
    pub bytes: Vec<u8>,
}

/// What is still to come of the sidecars, part after part.
#[derive(Debug)]
pub(super) struct SidecarLines<'a> {
    sidecars: &'a Export,
    limits: Limits,
    part: u32,
    /// Offset of the next byte to fetch.
    at: u64,
    at_end: bool,
    /// Bytes before `at` that were not handed out.
    carry: Vec<u8>,
    /// Number of the next line.
    line: u64,
}

impl<'a> SidecarLines<'a> {
    pub(super) fn new(sidecars: &'a Export, limits: Limits) -> Self {
        SidecarLines { sidecars, limits, part: 0, at: 0, at_end: false, carry: Vec::new(), line: 1 }
    }

    /// Go on with the sidecar of the next part.
    pub(super) fn next_part(&mut self) {
        self.part += 1;
        self.sidecars.forget_before(self.part);
        (self.at, self.at_end, self.line) = (0, false, 1);
        self.carry.clear();
    }

    /// Number of the next line.
    pub(super) fn line(&self) -> u64 {
        self.line
    }

    /// Whether every line of this part's sidecar was taken.
    pub(super) fn ended(&self) -> bool {
        self.at_end && self.carry.is_empty()
    }

    /// The next lines, up to `count` of them, and how many they are: fewer at the end, or where they are
    /// more bytes than a batch has.
    ///
    /// # Errors
    ///
    /// Where the sidecar cannot be read, or a line of it is longer than a row may be.
    pub(super) fn take(&mut self, count: u64) -> Result<(Beside, u64), ReadError> {
        let offset = self.at - self.carry.len() as u64;
        let (mut taken, mut end, mut searched) = (0, 0, 0);
        while taken < count && (taken == 0 || end < self.limits.batch_bytes) {
            let rest = self.carry.get(searched..).unwrap_or_default();
            if let Some(lf) = memchr(b'\n', rest) {
                end = searched + lf + 1;
                searched = end;
                taken += 1;
            } else if self.at_end {
                // The last line of a sidecar may lack its LF.
                taken += u64::from(end < self.carry.len());
                end = self.carry.len();
                break;
            } else {
                searched = self.carry.len();
                // One byte more may be the CR of CR LF.
                if searched - end > self.limits.max_row_bytes.saturating_add(1) {
                    let reason = format!("its line {} is longer than a row may be", self.line + taken);
                    return Err(self.failed(ReadError {
                        part: self.part,
                        at: offset + end as u64,
                        why: Why::Io(reason),
                    }));
                }
                self.fetch()?;
            }
        }
        // Whether that was the end must be known when the part ends.
        if self.carry.len() == end && !self.at_end {
            self.fetch()?;
        }
        let rest = self.carry.split_off(end);
        let bytes = std::mem::replace(&mut self.carry, rest);
        self.line += taken;
        Ok((Beside { offset, bytes }, taken))
    }

    fn fetch(&mut self) -> Result<(), ReadError> {
        let before = self.carry.len();
        let fetched = self.sidecars.fetch(self.part, self.at, self.limits.batch_bytes as u64, &mut self.carry);
        self.at_end = fetched.map_err(|error| self.failed(error))?;
        self.at += (self.carry.len() - before) as u64;
        Ok(())
    }

    fn failed(&self, error: ReadError) -> ReadError {
        ReadError { part: error.part, at: error.at, why: Why::Sidecar(Box::new(error.why)) }
    }
}
