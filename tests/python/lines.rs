//! Lines as Python reads a text: ends, white space, invalid bytes, however the file is cut and fetched.

use std::io::Write;
use std::ops::ControlFlow;

use ledger_verify::fact::Place;
use ledger_verify::read::{Access, Earlier, Export, Kind, Layout, Limits, LineEnds, Shape};
use ledger_verify::row::python;
use proptest::prelude::*;
use tempfile::NamedTempFile;

fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn gzip(bytes: &[u8]) -> NamedTempFile {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    encoder.write_all(bytes).unwrap();
    file(&encoder.finish().unwrap())
}

fn open(files: &[NamedTempFile], access: Access) -> Export {
    let paths: Vec<_> = files.iter().map(|file| file.path().to_owned()).collect();
    let shape = Shape { layout: Layout::Rows, ends: LineEnds::Python };
    Export::open_as(&paths, &shape, access).unwrap()
}

/// Python's white space, as `str.strip` has it.
fn is_space(char: char) -> bool {
    char.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&char)
}

/// The twin: the whole text decoded, `\r\n` and `\r` replaced, split, each line trimmed.
fn texts(bytes: &[u8]) -> Vec<String> {
    let text = String::from_utf8_lossy(bytes).replace("\r\n", "\n").replace('\r', "\n");
    let mut lines: Vec<String> = text.split('\n').map(|line| line.trim_matches(is_space).to_owned()).collect();
    if text.ends_with('\n') || text.is_empty() {
        lines.pop();
    }
    lines
}

/// The same of raw bytes, with offsets.
fn raw(bytes: &[u8]) -> Vec<(u64, Vec<u8>, bool)> {
    let (mut lines, mut at) = (Vec::new(), 0);
    while at < bytes.len() {
        let start = at;
        while at < bytes.len() && bytes[at] != b'\n' && bytes[at] != b'\r' {
            at += 1;
        }
        let line = bytes[start..at].to_vec();
        let terminated = at < bytes.len();
        if bytes[at..].starts_with(b"\r\n") {
            at += 2;
        } else if terminated {
            at += 1;
        }
        lines.push((start as u64, line, terminated));
    }
    lines
}

/// What was read: place, text, kind, whether its end is there.
type Seen = (Place, String, Kind, bool);

fn seen(export: &Export, limits: Limits) -> Vec<Seen> {
    let mut joined: Vec<Vec<u8>> = vec![Vec::new(); export.parts() as usize];
    let mut lines = Vec::new();
    for batch in export.batches(limits) {
        let batch = batch.unwrap();
        let before = &mut joined[batch.part as usize];
        assert_eq!(batch.offset, before.len() as u64);
        assert!(!batch.bytes.is_empty());
        before.extend_from_slice(&batch.bytes);
        for line in batch.lines() {
            assert!(!line.bom && !line.crlf);
            let text = String::from_utf8_lossy(python::trim(line.bytes)).into_owned();
            lines.push((line.place, text, line.kind, line.terminated));
        }
    }
    lines
}

fn expected(parts: &[Vec<u8>], max: usize) -> Vec<Seen> {
    let mut all = Vec::new();
    for (part, bytes) in (0..).zip(parts) {
        let (texts, raw) = (texts(bytes), raw(bytes));
        assert_eq!(texts.len(), raw.len());
        for (line, (text, (offset, raw, terminated))) in (1..).zip(texts.into_iter().zip(raw)) {
            let place = Place { part, line, offset, length: raw.len() as u64 };
            all.push(match text.is_empty() {
                true => (place, text, Kind::Blank, terminated),
                false if raw.len() > max => (place, String::new(), Kind::TooLong, terminated),
                false => (place, text, Kind::Row, terminated),
            });
        }
    }
    all
}

fn check(parts: &[Vec<u8>], limits: Limits) {
    let wanted = expected(parts, limits.max_row_bytes);
    let plain: Vec<_> = parts.iter().map(|bytes| file(bytes)).collect();
    for access in [Access::Mapped, Access::Pread] {
        assert_eq!(seen(&open(&plain, access), limits), wanted, "{parts:x?} {limits:?}");
    }
    let streams: Vec<_> = parts.iter().map(|bytes| gzip(bytes)).collect();
    assert_eq!(seen(&open(&streams, Access::Mapped), limits), wanted, "{parts:x?} {limits:?} compressed");
}

#[test]
fn the_ends_of_lines() {
    for bytes in [
        &b"a\rb\rc"[..],
        b"a\rb\rc\r",
        b"a\r\nb\n\rc\r\r\nd",
        b"\r",
        b"\r\r\n\r",
        b"\n\r\n",
        b"",
        b"a\x0bb\x0cc\x1cd\x1ee\xc2\x85f\xe2\x80\xa8g\xe2\x80\xa9h",
        b"{\r}",
        b"\xef\xbb\xbfa\n\xef\xbb\xbfb",
        b"\xe2\x80\r\x85\n\xc2\r\n\xa0a\r",
        b" \x1f\xe3\x80\x80\r\xe2\x80\x8b\r\xe2\x80\x80\xe2\x80\x80\xe2\x80\x80\xe2\x80\x80\n\xe2\x80\x80\xe2\x80\n\x00",
    ] {
        for batch_bytes in 1..=bytes.len() + 2 {
            for max_row_bytes in [0, 1, 2, 3, 7, 12, 100] {
                let limits = Limits { batch_bytes, max_row_bytes };
                check(&[bytes.to_vec()], limits);
                check(&[bytes.to_vec(), b"\n{}".to_vec(), bytes.to_vec()], limits);
            }
        }
    }
}

#[test]
fn the_numbers_of_lines_count_blank_ones() {
    let bytes = b"\n\r\r\n{1}\r \xc2\xa0\r\n\x1f\n{2}".to_vec();
    let lines = seen(&open(&[file(&bytes)], Access::Mapped), Limits::default());
    let rows: Vec<(u64, &str)> =
        lines.iter().filter(|line| line.2 == Kind::Row).map(|line| (line.0.line, line.1.as_str())).collect();
    assert_eq!(rows, [(4, "{1}"), (7, "{2}")]);
}

#[test]
fn a_file_of_cr_alone_is_read_a_batch_at_a_time() {
    let bytes = b"{\"a\":\"0123456789\"}\r".repeat(4_000);
    let export = open(&[file(&bytes)], Access::Mapped);
    let mut lines = 0;
    for batch in export.batches(Limits { batch_bytes: 1_000, max_row_bytes: 1 << 20 }) {
        let batch = batch.unwrap();
        assert!(batch.bytes.len() <= 2_000, "{} bytes are held", batch.bytes.len());
        lines += batch.lines().filter(|line| line.kind == Kind::Row).count();
    }
    assert_eq!(lines, 4_000);
}

fn content() -> impl Strategy<Value = Vec<u8>> {
    let pieces: Vec<&[u8]> = vec![
        b"\r",
        b"\n",
        b"\r\n",
        b"\r",
        b"\n",
        b" ",
        b"\t",
        b"a",
        b"{}",
        b"\x1c",
        b"\xc2",
        b"\x85",
        b"\xa0",
        b"\xe2\x80",
        b"\xa8",
        b"\xe3\x80\x80",
        b"\xef\xbb\xbf",
        b"\xed\xa0\x80",
        b"\x01",
        b"\x0b",
        b"bb",
    ];
    let body = proptest::collection::vec(prop::sample::select(pieces), 0..40);
    body.prop_map(|pieces| [b"{", pieces.concat().as_slice()].concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(600))]

    #[test]
    fn any_bytes_cut_anywhere_are_the_lines_of_the_twin(
        parts in proptest::collection::vec(content(), 1..4), batch_bytes in 1_usize..50, max_row_bytes in 0_usize..30,
    ) {
        check(&parts, Limits { batch_bytes, max_row_bytes });
        check(&parts, Limits { batch_bytes, max_row_bytes: usize::MAX });
    }

    #[test]
    fn earlier_lines_are_those_of_a_reverse_scan(
        parts in proptest::collection::vec(content(), 1..4), needle in prop::sample::select(vec!["", "a", "b", "{}", "bb"]),
        batch_bytes in 1_usize..50, max_row_bytes in prop_oneof![0_usize..30, Just(usize::MAX)], from: prop::sample::Index,
    ) {
        let files: Vec<_> = parts.iter().map(|bytes| file(bytes)).collect();
        let export = open(&files, Access::Mapped);
        let mut all = Vec::new();
        for (part, bytes) in (0_u32..).zip(&parts) {
            all.extend(raw(bytes).into_iter().map(|(offset, raw, _)| (part, offset, raw)));
        }
        all.push((parts.len() as u32 - 1, u64::MAX, Vec::new()));
        let (part, offset, _) = all[from.index(all.len())].clone();
        let wanted: Vec<_> = all.iter().rev()
            .filter(|(of, at, raw)| (*of, *at) < (part, offset) && raw.len() <= max_row_bytes)
            .filter(|(_, at, _)| *at < u64::MAX)
            .filter(|(_, _, raw)| needle.is_empty() || raw.windows(needle.len()).any(|part| part == needle.as_bytes()))
            .cloned().collect();
        let limits = Limits { batch_bytes, max_row_bytes };
        let mut found = Vec::new();
        Earlier::new(&export, limits).lines_containing(needle.as_bytes(), Place { part, line: 0, offset, length: 0 }, &mut |line| {
            found.push((line.part, line.offset, line.bytes.to_vec()));
            ControlFlow::Continue(())
        }).unwrap();
        prop_assert_eq!(found, wanted);
    }
}
