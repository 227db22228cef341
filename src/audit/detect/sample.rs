//! The first rows of an export, as detection looks at them.
//!
//! The export is opened once: standard input and pipes keep what was read of them, so that the audit
//! begins again at their first byte. Of folders some rows of each file are taken.

use std::path::{Path, PathBuf};

use crate::audit::folder;
use crate::fact::Place;
use crate::read::{Export, Kind, Limits};
use crate::row::Reader;
use crate::stop::Stop;

/// Rows that are looked at.
const ROWS: usize = 64;

/// Lines among which they are looked for: others may stand before them.
const LINES: usize = 4096;

/// Bytes in which they are looked for.
const BYTES: usize = 4 << 20;

/// Files of folders that are looked at, and rows of each.
const FILES: usize = 256;
const ROWS_OF_A_FILE: usize = 8;

/// Lines of an export.
#[derive(Debug, Default)]
pub(super) struct Sample {
    /// Lines that are not blank, in order: the first rows and what stands between them.
    pub lines: Vec<Line>,
    /// How many of the lines hold a JSON object.
    pub rows: usize,
    bytes: usize,
}

/// A line that was kept.
#[derive(Debug)]
pub(super) struct Line {
    pub place: Place,
    pub bytes: Vec<u8>,
    pub terminated: bool,
    /// Whether it holds a JSON object.
    pub is_row: bool,
}

/// The first rows of these exports, and the export itself where it was opened for them.
///
/// # Errors
///
/// A stop for files that cannot be opened, or a folder that cannot be listed.
pub(super) fn of(exports: &[PathBuf]) -> Result<(Sample, Option<Export>), Stop> {
    let mut sample = Sample::default();
    if !exports.iter().any(|export| folder::is_folder(export)) {
        let export = Export::open(exports)?;
        sample.take(&export, ROWS);
        return Ok((sample, Some(export)));
    }
    let mut files = 0;
    for export in exports {
        let named = if folder::is_folder(export) { folder::files(export)? } else { vec![export.clone()] };
        for file in named.iter().filter(|file| is_regular(file)) {
            if files == FILES {
                return Ok((sample, None));
            }
            files += 1;
            // Whatever is wrong with a file is told when the folder's parts are chosen.
            if let Ok(opened) = Export::open(std::slice::from_ref(file)) {
                sample.take(&opened, ROWS_OF_A_FILE);
            }
        }
    }
    Ok((sample, None))
}

/// What is read for detection is read again for the audit, which a pipe named beside a folder is not.
fn is_regular(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|metadata| metadata.is_file())
}

impl Sample {
    /// Take up to `most` rows of this export, and the lines between them.
    fn take(&mut self, export: &Export, most: usize) {
        let mut reader = Reader::new();
        let (mut rows, mut lines) = (0, 0);
        for batch in export.batches(Limits { batch_bytes: 64 << 10, max_row_bytes: BYTES }) {
            // A failure is told by the audit, which comes to the same place.
            let Ok(batch) = batch else { return };
            self.bytes += batch.bytes.len();
            for line in batch.lines() {
                match line.kind {
                    Kind::Blank | Kind::Absent => continue,
                    Kind::TooLong => {}
                    Kind::Row => {
                        let is_row = reader.read(line.bytes).is_ok();
                        rows += usize::from(is_row);
                        let (place, bytes) = (line.place, line.bytes.to_vec());
                        self.lines.push(Line { place, bytes, terminated: line.terminated, is_row });
                    }
                }
                lines += 1;
                if rows == most || lines == LINES {
                    self.rows += rows;
                    return;
                }
            }
            if self.bytes >= BYTES {
                break;
            }
        }
        self.rows += rows;
    }
}
