//! What the name of a file says: its place among others, its series, whether JSON Lines are named so.

use std::cmp::Ordering;
use std::ffi::OsStr;

/// Endings of compressed files, those among them that are not read: they end the run with a word on how to
/// decompress them.
const COMPRESSED: &[&str] = &["gz", "zst", "zstd", "xz", "bz2", "lz4"];

/// Endings of JSON Lines.
const LINES: &[&str] = &["jsonl", "ndjson", "jsonlines", "ldjson"];

/// Whether a file is hidden.
pub(super) fn is_hidden(name: &OsStr) -> bool {
    name.as_encoded_bytes().starts_with(b".")
}

/// Whether a file is the sidecar of another one, by their names.
pub(super) fn is_sidecar(name: &OsStr, of: &OsStr, suffix: &str) -> bool {
    let (name, of) = (name.to_string_lossy(), of.to_string_lossy());
    // Of a compressed file the name without that ending counts too, and the sidecar may be compressed itself.
    [&*name, plain(&name)].iter().any(|name| {
        let stem = name.strip_suffix(suffix);
        stem.is_some_and(|stem| !stem.is_empty() && (stem == of || stem == plain(&of)))
    })
}

/// The order of names in which people count: `part-2` before `part-10`.
pub(super) fn compare(a: &OsStr, b: &OsStr) -> Ordering {
    let (a, b) = (a.as_encoded_bytes(), b.as_encoded_bytes());
    runs(a).map(key).cmp(runs(b).map(key)).then_with(|| a.cmp(b))
}

/// A name without what tells the files of a series apart: numbers, dates, compression. `a.jsonl.2.gz`
/// and `a.jsonl` are of one series.
pub(super) fn series(name: &OsStr) -> String {
    let name = name.to_string_lossy();
    let mut out = String::new();
    for run in runs(plain(&name).as_bytes()) {
        match run.first().is_some_and(u8::is_ascii_digit) {
            true => out.push('#'),
            false => out.push_str(&String::from_utf8_lossy(run)),
        }
    }
    let is_mark = |c: char| "#.-_:TZ".contains(c);
    out.trim_end_matches(is_mark).to_owned()
}

/// The order of the files of a log that is rotated, the oldest first, if their names are such: one is the log's, and
/// behind that the others have a number, which grows as they age (`log.1`, `log.2`), or a date (`log-20260101`).
pub(super) fn rotated(names: &[&OsStr]) -> Option<Vec<usize>> {
    let names: Vec<String> = names.iter().map(|name| plain(&name.to_string_lossy()).to_owned()).collect();
    let log = (0..names.len()).min_by_key(|&index| names.get(index).map(String::len))?;
    let stem = names.get(log)?;
    let mut numbers = Vec::new();
    for (index, name) in names.iter().enumerate().filter(|(index, _)| *index != log) {
        let digits = name.strip_prefix(stem.as_str())?.strip_prefix(['.', '-', '_'])?;
        let number: u64 = digits.parse().ok().filter(|_| digits.bytes().all(|digit| digit.is_ascii_digit()))?;
        numbers.push((number, index));
    }
    numbers.sort_unstable();
    if numbers.iter().all(|(number, _)| *number < 10_000) {
        numbers.reverse();
    }
    (!numbers.is_empty()).then(|| numbers.into_iter().map(|(_, index)| index).chain([log]).collect())
}

/// Whether JSON Lines are named so, rotated and compressed ones too: `a.jsonl`, `a.jsonl.1`,
/// `a.2026-01-01.ndjson.gz`, `a.jsonl-20260101`.
pub(super) fn is_of_lines(name: &OsStr) -> bool {
    let name = name.to_string_lossy().to_lowercase();
    let is_mark = |c: char| c.is_ascii_digit() || ".-_:tz".contains(c);
    let stem = plain(&name).trim_end_matches(is_mark);
    stem.rsplit_once('.').is_some_and(|(_, ending)| LINES.contains(&ending))
}

/// Without the ending that says how it is compressed.
fn plain(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, ending)) if COMPRESSED.contains(&ending.to_lowercase().as_str()) => stem,
        _ => name,
    }
}

/// The stretches of digits and of other bytes, in turn.
fn runs(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.chunk_by(|a, b| a.is_ascii_digit() == b.is_ascii_digit())
}

/// Numbers by their value: without leading zeros the longer is the larger.
fn key(run: &[u8]) -> (bool, usize, &[u8]) {
    match run.first().is_some_and(u8::is_ascii_digit) {
        true => {
            let zeros = run.iter().take_while(|digit| **digit == b'0').count();
            let digits = run.get(zeros..).unwrap_or_default();
            (false, digits.len(), digits)
        }
        false => (true, 0, run),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_in_the_order_in_which_people_count() {
        let mut names = ["part-10", "part-2", "a", "part-02", "part", "10", "9"].map(OsStr::new);
        names.sort_by(|a, b| compare(a, b));
        assert_eq!(names, ["9", "10", "a", "part", "part-02", "part-2", "part-10"].map(OsStr::new));
    }

    #[test]
    fn what_is_named_as_json_lines() {
        for name in [
            "export.jsonl",
            "export.jsonl.1",
            "export.2026-01-01.jsonl.gz",
            "audit-0001.ndjson",
            "A.JSONL.ZST",
            "export.jsonl-20260101",
            "export.jsonl.2026-01-01T00:00:00Z.xz",
            ".jsonl.1",
        ] {
            assert!(is_of_lines(OsStr::new(name)), "{name}");
        }
        for name in [
            "manifest.json",
            "export.jsonl.sha256",
            "export.jsonl.sig",
            "export.jsonl.manifest.json",
            "pk.pem",
            "README",
            "jsonl",
            "export.jsonl.txt",
            "tt",
            "",
        ] {
            assert!(!is_of_lines(OsStr::new(name)), "{name}");
        }
    }

    #[test]
    fn sidecars_by_name() {
        let is = |name: &str, of: &str| is_sidecar(OsStr::new(name), OsStr::new(of), ".sums");
        assert!(is("a.log.sums", "a.log") && is("a.log.sums", "a.log.gz"));
        assert!(is("a.log.gz.sums", "a.log.gz") && is("a.log.sums.zst", "a.log"));
        assert!(!is("a.log", "a.log") && !is("b.log.sums", "a.log") && !is(".sums", ""));
    }

    #[test]
    fn a_series_differs_in_numbers_and_compression_alone() {
        let same = |a: &str, b: &str| series(OsStr::new(a)) == series(OsStr::new(b));
        for name in ["audit.log.1", "audit.log.2.gz", "audit.log.10", "audit.log-20260101"] {
            assert!(same("audit.log", name), "{name}");
        }
        assert!(same("audit-0001.log", "audit-0002.log.zst"));
        assert!(!same("audit.log", "audit.log.sha256") && !same("audit-1.log", "access-1.log"));
    }
}
