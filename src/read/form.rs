//! Forms of an export that are not read, known by their first bytes.
//!
//! Decided here: that a file is plainly something else than JSON Lines in UTF-8, so that the run
//! stops with the name of what it is and the command that turns it into what is read, instead of
//! a thousand lines that are not JSON. A magic number suffices; whether the rest is a good gzip
//! stream nobody asks, because nothing is said about the ledger. In doubt a file is read: damage
//! in a row is a fault of the export, and a stop would hide it.

use std::path::Path;

use super::{Export, Layout, LineEnds, ReadError};
use crate::report::shell::{self, UNWRITABLE};
use crate::stop::{Stop, StopCode};

/// Bytes looked at first, and per step while nothing but white space was found.
const LOOK: u64 = 64 * 1024;

/// What a file is instead of JSON Lines.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Form {
    /// What it is, to stand after "this is ".
    what: &'static str,
    /// A command, with `@` for the file.
    command: &'static str,
    /// A remark to the command.
    remark: &'static str,
}

const fn form(what: &'static str, command: &'static str, remark: &'static str) -> Form {
    Form { what, command, remark }
}

/// Signatures that stand at the start of a file.
const MAGIC: &[(&[u8], Form)] = &[
    // What is compressed once is read decompressed and not seen here.
    (b"\x1f\x8b", form("gzip-compressed twice", "gzip -dc @ > export.jsonl.gz", "decompress it once")),
    (b"\x28\xb5\x2f\xfd", form("zstd-compressed twice", "zstd -dc @ > export.jsonl.zst", "decompress it once")),
    (b"\xfd7zXZ\x00", form("xz-compressed", "xz -dc @ > export.jsonl", "decompress it first")),
    (b"\x04\x22\x4d\x18", form("lz4-compressed", "lz4 -dc @ > export.jsonl", "decompress it first")),
    (b"PK\x03\x04", form("a zip archive (compressed)", "unzip @", "unpack it first")),
    (b"PK\x05\x06", form("a zip archive (compressed), and an empty one", "unzip -l @", "look into it")),
    (b"7z\xbc\xaf\x27\x1c", form("a 7z archive (compressed)", "7z x @", "unpack it first")),
    (b"%PDF-", form("a PDF document", "file @", "this is not the export")),
    (b"SQLite format 3\x00", form("an SQLite database", "sqlite3 @ .tables", "export its rows as JSON Lines first")),
];

const BZIP2: Form = form("bzip2-compressed", "bzip2 -dc @ > export.jsonl", "decompress it first");
const TAR: Form = form("a tar archive", "tar -xf @", "unpack it first");
const UTF16: &str = "PowerShell's `>` writes UTF-16; turn it back";
const UTF16LE: Form = form("UTF-16 text, not UTF-8", "iconv -f UTF-16LE -t UTF-8 @ > export.jsonl", UTF16);
const UTF16BE: Form = form("UTF-16 text, not UTF-8", "iconv -f UTF-16BE -t UTF-8 @ > export.jsonl", UTF16);
const UTF32LE: Form =
    form("UTF-32 text, not UTF-8", "iconv -f UTF-32LE -t UTF-8 @ > export.jsonl", "turn it into UTF-8");
const UTF32BE: Form =
    form("UTF-32 text, not UTF-8", "iconv -f UTF-32BE -t UTF-8 @ > export.jsonl", "turn it into UTF-8");
const ARRAY: Form = form("a JSON array, not JSON Lines", "jq -c '.[]' @ > export.jsonl", "one row per line is read");

impl Form {
    /// The stop for this file.
    pub(super) fn stop(self, path: &Path) -> Stop {
        let shown = path.display().to_string();
        // The file's name is the sender's choice, and the command is meant to be pasted.
        let hint = match shell::file(&shown) {
            Some(file) => format!("{}: {}", self.remark, self.command.replace('@', &file)),
            None => format!("{} ({UNWRITABLE})", self.remark),
        };
        Stop::new(StopCode::Form, format!("{shown}: this is {}", self.what)).hint(hint)
    }
}

/// What a part is instead of JSON Lines in UTF-8, if that can be told from its start.
pub(super) fn foreign(export: &Export, part: u32) -> Result<Option<Form>, ReadError> {
    let mut bytes = Vec::new();
    let mut at = 0;
    let mut ended = false;
    if export.shape().layout != Layout::Rows {
        export.fetch(part, 0, LOOK, &mut bytes)?;
        return Ok(by_start(&bytes, matches!(export.shape().layout, Layout::Text { .. })));
    }
    // Of a stream no more is looked at than it keeps: it is read again from its start.
    while !ended && at < export.looked_at(part) {
        bytes.clear();
        ended = export.fetch(part, at, LOOK, &mut bytes)?;
        let mut rest = bytes.as_slice();
        if at == 0 {
            if let Some(form) = by_start(rest, false) {
                return Ok(Some(form));
            }
            rest = rest.strip_prefix(super::lines::BOM).unwrap_or(rest);
        }
        if let Some(first) = rest.iter().find(|byte| !matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) {
            // Where a text is read as Python reads it, such a line is a fault of its own.
            let python = export.shape().ends == LineEnds::Python;
            let array = *first == b'[' && !python && !is_followed_by_a_row(rest);
            return Ok(array.then_some(ARRAY));
        }
        at += bytes.len() as u64;
    }
    Ok(None)
}

/// Whether the bytes behind the BOM may be UTF-16 of JSON, of which every other byte is 0. Otherwise two bytes
/// that are no UTF-8 stand before the first row, which is a fault of that line.
fn is_wide(rest: &[u8]) -> bool {
    rest.is_empty() || rest.iter().take(8).any(|byte| *byte == 0)
}

/// Whether an array that starts here ends on its line, and an object starts behind it: then it is a line that is
/// no row, and not the array of all rows.
fn is_followed_by_a_row(bytes: &[u8]) -> bool {
    let mut lines = bytes.trim_ascii_start().split(|byte| matches!(byte, b'\n' | b'\r'));
    let first = lines.next().unwrap_or_default();
    let next = lines.map(<[u8]>::trim_ascii).find(|line| !line.is_empty());
    first.trim_ascii_end().ends_with(b"]") && next.is_some_and(|line| line.starts_with(b"{"))
}

/// The form that the very first bytes show. Where lines of text are read, what could be such a line is one.
fn by_start(bytes: &[u8], text: bool) -> Option<Form> {
    let may_be_text = |magic: &[u8]| text && magic.iter().all(u8::is_ascii_graphic);
    if let Some((_, form)) = MAGIC.iter().find(|(magic, _)| bytes.starts_with(magic) && !may_be_text(magic)) {
        return Some(*form);
    }
    // A tar archive has its magic behind the first file's name and attributes.
    if bytes.get(257..262) == Some(b"ustar") && !text {
        return Some(TAR);
    }
    // No JSON starts with a letter B; the digit is the block size.
    if let [b'B', b'Z', b'h', b'1'..=b'9', ..] = bytes
        && !text
    {
        return Some(BZIP2);
    }
    // UTF-32 first: its little-endian BOM starts with that of UTF-16.
    match bytes {
        [0xff, 0xfe, 0, 0, ..] => return Some(UTF32LE),
        [0, 0, 0xfe, 0xff, ..] => return Some(UTF32BE),
        [0xff, 0xfe, rest @ ..] if text || is_wide(rest) => return Some(UTF16LE),
        [0xfe, 0xff, rest @ ..] if text || is_wide(rest) => return Some(UTF16BE),
        _ => {}
    }
    // Without a BOM two characters must agree: a single NUL after the brace is damage in row 1.
    let json = |byte: u8| matches!(byte, b'{' | b'[' | b' ' | b'\t' | b'\r' | b'\n');
    match *bytes {
        [a, 0, 0, 0, b, 0, 0, 0, ..] if json(a) && b != 0 => Some(UTF32LE),
        [0, 0, 0, a, 0, 0, 0, b, ..] if json(a) && b != 0 => Some(UTF32BE),
        [a, 0, b, 0, ..] if json(a) && b != 0 => Some(UTF16LE),
        [0, a, 0, b, ..] if json(a) && b != 0 => Some(UTF16BE),
        _ => None,
    }
}
