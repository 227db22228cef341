//! Reading against its obviously right twin: any bytes, cut anywhere, are the same lines.

use std::io::Write;
use std::ops::ControlFlow;
use std::path::PathBuf;

use ledger_verify::fact::Place;
use ledger_verify::read::{Access, Batch, Content, Earlier, Export, Kind, Limits, ReadError};
use proptest::prelude::*;
use tempfile::NamedTempFile;

const WAYS: [Access; 2] = [Access::Mapped, Access::Pread];

fn file(bytes: &[u8]) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(bytes).unwrap();
    file
}

fn open(files: &[NamedTempFile], access: Access) -> Export {
    let paths: Vec<PathBuf> = files.iter().map(|file| file.path().to_owned()).collect();
    Export::open_by(&paths, access).unwrap()
}

/// A line as data, for comparison.
#[derive(Clone, Debug, PartialEq)]
struct Seen {
    place: Place,
    bytes: Vec<u8>,
    crlf: bool,
    terminated: bool,
    bom: bool,
    kind: Kind,
}

/// The twin: splits a part that is held as a whole.
fn split(part: u32, bytes: &[u8], max: usize) -> Vec<Seen> {
    let mut pieces: Vec<&[u8]> = bytes.split(|byte| *byte == b'\n').collect();
    let last = pieces.len() - 1;
    if pieces[last].is_empty() {
        pieces.pop();
    }
    let mut offset = 0;
    let mut seen = Vec::new();
    for (index, piece) in pieces.into_iter().enumerate() {
        let terminated = index < last;
        let crlf = terminated && piece.ends_with(b"\r");
        let counted = &piece[..piece.len() - usize::from(crlf)];
        let bom = index == 0 && counted.starts_with(b"\xef\xbb\xbf");
        let row = if bom { &counted[3..] } else { counted };
        let kind = if row.iter().all(|byte| b" \t\r".contains(byte)) {
            Kind::Blank
        } else if counted.len() > max {
            Kind::TooLong
        } else {
            Kind::Row
        };
        seen.push(Seen {
            place: Place { part, line: index as u64 + 1, offset, length: piece.len() as u64 },
            bytes: if kind == Kind::Row { row.to_vec() } else { Vec::new() },
            crlf,
            terminated,
            bom,
            kind,
        });
        offset += piece.len() as u64 + 1;
    }
    seen
}

/// All batches, every buffer given back and filled again.
fn batches(export: &Export, limits: Limits) -> Vec<Batch> {
    let mut all = Vec::new();
    let mut reader = export.batches(limits);
    let mut buffer = Vec::new();
    while let Some(batch) = reader.next_into(std::mem::take(&mut buffer)) {
        let batch = batch.unwrap();
        all.push(batch.clone());
        buffer = batch.bytes;
    }
    assert!(reader.next_into(Vec::new()).is_none(), "the end must stay the end");
    all
}

fn seen(all: &[Batch]) -> Vec<Seen> {
    all.iter()
        .flat_map(Batch::lines)
        .map(|line| Seen {
            place: line.place,
            bytes: line.bytes.to_vec(),
            crlf: line.crlf,
            terminated: line.terminated,
            bom: line.bom,
            kind: line.kind,
        })
        .collect()
}

/// Compares everything that batches promise with the twin.
fn check(parts: &[Vec<u8>], limits: Limits, access: Access) {
    let files: Vec<_> = parts.iter().map(|bytes| file(bytes)).collect();
    let export = open(&files, access);
    let all = batches(&export, limits);
    for (part, bytes) in parts.iter().enumerate() {
        let mut joined = Vec::new();
        for batch in all.iter().filter(|batch| batch.part as usize == part) {
            assert_eq!(batch.offset, joined.len() as u64);
            let before = bytes[..joined.len()].iter().filter(|byte| **byte == b'\n').count() as u64;
            assert_eq!(batch.first_line, before + 1);
            assert!(!batch.bytes.is_empty());
            let most = limits.batch_bytes.max(1).saturating_add(limits.max_row_bytes.saturating_add(1).max(3));
            assert!(batch.bytes.len() <= most, "{} bytes held, {most} allowed", batch.bytes.len());
            joined.extend_from_slice(&batch.bytes);
            let whole = batch.bytes.ends_with(b"\n") || joined.len() == bytes.len();
            assert_eq!(whole, batch.content != Content::Piece);
        }
        assert_eq!(&joined, bytes);
    }
    assert!(all.is_sorted_by_key(|batch| batch.part));
    let expected: Vec<Seen> =
        parts.iter().enumerate().flat_map(|(part, bytes)| split(part as u32, bytes, limits.max_row_bytes)).collect();
    assert_eq!(seen(&all), expected);
}

/// Bytes that look like nothing foreign, rich in what lines are made of.
fn content() -> impl Strategy<Value = Vec<u8>> {
    // A table, not `prop_oneof!`, which starts a random number generator per element.
    let byte = any::<u8>().prop_map(|byte| match byte {
        0x80.. => b"\n\n\n\n\r\r\r  \taaaaaabb\xef\xbb\xbf\0\x0b\n\r"[usize::from(byte) % 25],
        0x40.. => b'a',
        _ => byte,
    });
    let body = proptest::collection::vec(byte, 0..120);
    let starts: Vec<&[u8]> = vec![b"", b"{", b"\xef\xbb\xbf", b"\n", b"\xe2\x80\xa8"];
    let start = prop::sample::select(starts);
    (start, body)
        .prop_map(|(start, body)| [start, &body].concat())
        .prop_filter("a foreign form", |bytes| Export::open(&[file(bytes).path().to_owned()]).is_ok())
}

fn limits() -> impl Strategy<Value = Limits> {
    let max = prop_oneof![0_usize..12, 0_usize..200, Just(usize::MAX)];
    let batch = prop_oneof![0_usize..8, 1_usize..160, Just(1 << 16)];
    (batch, max).prop_map(|(batch_bytes, max_row_bytes)| Limits { batch_bytes, max_row_bytes })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn any_bytes_cut_anywhere_are_the_same_lines(
        parts in proptest::collection::vec(content(), 1..4), limits in limits(), mapped: bool,
    ) {
        check(&parts, limits, WAYS[usize::from(mapped)]);
    }

    #[test]
    fn earlier_lines_are_those_of_a_reverse_scan(
        parts in proptest::collection::vec(content(), 1..4),
        needle in prop_oneof![
            proptest::collection::vec(prop_oneof![Just(b'a'), Just(b'b'), Just(b'\r')], 0..4),
            proptest::collection::vec(any::<u8>(), 0..2),
            Just(b"a\na".to_vec()),
        ],
        limits in limits(), from: prop::sample::Index, stop_after in 1_usize..40,
    ) {
        let files: Vec<_> = parts.iter().map(|bytes| file(bytes)).collect();
        let export = open(&files, Access::Mapped);
        let mut lines: Vec<(Place, Vec<u8>)> = Vec::new();
        let mut every = Vec::new();
        for (part, bytes) in parts.iter().enumerate() {
            for line in split(part as u32, bytes, usize::MAX) {
                every.push(line.place);
                let raw = &bytes[line.place.offset as usize..][..line.place.length as usize];
                let counted = &raw[..raw.len() - usize::from(line.crlf)];
                let text = &counted[if line.bom { 3 } else { 0 }..];
                if counted.len() <= limits.max_row_bytes { lines.push((line.place, text.to_vec())) }
            }
        }
        every.push(Place { part: parts.len() as u32 - 1, line: 0, offset: u64::MAX, length: 0 });
        let before = every[from.index(every.len())];
        let contains = |text: &[u8]| needle.is_empty() || text.windows(needle.len()).any(|window| window == needle);
        let expected: Vec<_> = lines.iter().rev()
            .filter(|(place, _)| (place.part, place.offset) < (before.part, before.offset))
            .filter(|(_, text)| contains(text))
            .map(|(place, text)| (place.part, place.offset, place.length, text.clone()))
            .take(stop_after)
            .collect();
        let mut found = Vec::new();
        Earlier::new(&export, limits).lines_containing(&needle, before, &mut |line| {
            found.push((line.part, line.offset, line.length, line.bytes.to_vec()));
            if found.len() == stop_after { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        }).unwrap();
        prop_assert_eq!(found, expected);
    }
}

#[test]
fn rows_around_the_limit_in_every_position() {
    let max = 10;
    for length in [9_usize, 10, 11, 12, 13, 30, 1000] {
        for end in ["\n", "\r\n", ""] {
            for (before, after) in [("", ""), ("a\n", ""), ("", "b\n"), ("a\n\nbb\r\n", "c\n"), ("", "\n\n")] {
                let row = "x".repeat(length);
                let after = if end.is_empty() { "" } else { after };
                let bytes = format!("{before}{row}{end}{after}").into_bytes();
                for batch_bytes in [1, 2, 3, 7, 10, 11, 12, 13, 64, 4096] {
                    let limits = Limits { batch_bytes, max_row_bytes: max };
                    check(std::slice::from_ref(&bytes), limits, Access::Mapped);
                    let export = open(&[file(&bytes)], Access::Mapped);
                    let all = batches(&export, limits);
                    let long: Vec<_> = seen(&all).into_iter().filter(|line| line.kind == Kind::TooLong).collect();
                    assert_eq!(long.len(), usize::from(length > max), "{length} {end:?} {batch_bytes}");
                    if let [line] = long.as_slice() {
                        assert_eq!(line.place.length, length as u64 + u64::from(end == "\r\n"));
                        assert_eq!(line.place.offset, before.len() as u64);
                    }
                }
            }
        }
    }
}

#[test]
fn a_carriage_return_at_the_end_of_the_file_is_no_line_end() {
    let export = open(&[file(b"{}\r\n{}\r")], Access::Mapped);
    let lines = seen(&batches(&export, Limits::default()));
    assert_eq!((lines[0].bytes.as_slice(), lines[0].crlf), (&b"{}"[..], true));
    assert_eq!((lines[1].bytes.as_slice(), lines[1].crlf), (&b"{}\r"[..], false));
}

#[test]
fn the_mark_is_stripped_at_the_start_of_each_part_and_nowhere_else() {
    let files = [file(b"\xef\xbb\xbf{1}\n\xef\xbb\xbf{2}\n"), file(b"\xef\xbb\xbf{3}"), file(b"\xef\xbb\xbf")];
    let export = open(&files, Access::Mapped);
    let lines = seen(&batches(&export, Limits { batch_bytes: 4, max_row_bytes: 100 }));
    let short: Vec<_> = lines.iter().map(|line| (line.bytes.as_slice(), line.bom, line.kind)).collect();
    assert_eq!(
        short,
        [
            (&b"{1}"[..], true, Kind::Row),
            (b"\xef\xbb\xbf{2}", false, Kind::Row),
            (b"{3}", true, Kind::Row),
            (b"", true, Kind::Blank),
        ]
    );
}

#[test]
fn a_mark_is_seen_when_the_first_piece_would_be_shorter() {
    for bytes in [&b"\xef\xbb\xbf"[..], b"\xef\xbb\xbf\n", b"\xef\xbb\xbf{}\n{}\n"] {
        for batch_bytes in 1..5 {
            check(&[bytes.to_vec()], Limits { batch_bytes, max_row_bytes: 0 }, Access::Mapped);
        }
    }
}

#[test]
fn a_long_row_does_not_leave_its_buffer_behind() {
    let bytes = [b"y".repeat(100_000).as_slice(), b"\n", &b"{}\n".repeat(1000)].concat();
    let export = open(&[file(&bytes)], Access::Mapped);
    let mut reader = export.batches(Limits { batch_bytes: 64, max_row_bytes: 1 << 20 });
    let first = reader.next_into(Vec::new()).unwrap().unwrap();
    assert!(first.bytes.len() > 100_000);
    let second = reader.next_into(first.bytes).unwrap().unwrap();
    assert!(second.bytes.capacity() < 1000);
}

#[test]
fn ranges_outside_are_errors_and_change_nothing() {
    for access in WAYS {
        let export = open(&[file(b"{}\n")], access);
        let mut into = b"kept".to_vec();
        #[allow(clippy::reversed_empty_ranges)]
        for range in [0..4, 3..4, 2..1, u64::MAX - 1..u64::MAX, 0..u64::MAX] {
            assert!(matches!(export.copy(0, range, &mut into), Err(ReadError { part: 0, .. })));
        }
        export.copy(0, 3..3, &mut into).unwrap();
        export.copy(0, 1..3, &mut into).unwrap();
        assert_eq!(into, b"kept}\n");
    }
}

#[test]
fn more_parts_than_the_handler_has_room_for() {
    let one = file(b"{}\n");
    let paths = vec![one.path().to_owned(); 600];
    let export = Export::open(&paths).unwrap();
    assert_eq!((export.parts(), export.bytes()), (600, 1800));
    assert_eq!(batches(&export, Limits::default()).len(), 600);
}
