//! Exports that come as a stream: the same bytes, lines and places as from a file, and no more memory.

use std::io::Write;
use std::path::PathBuf;

use flate2::Compression;
use flate2::write::GzEncoder;
use ledger_verify::fact::Place;
use ledger_verify::read::{Export, Limits, ReadError, Why};

const SMALL: Limits = Limits { batch_bytes: 100, max_row_bytes: 64 << 20 };

fn rows(count: usize) -> Vec<u8> {
    (0..count)
        .flat_map(|row| format!("{{\"row\":{row},\"text\":\"{}\"}}\n", "x".repeat(row % 90)).into_bytes())
        .collect()
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::default());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
}

struct Files(tempfile::TempDir);

impl Files {
    fn new() -> Self {
        Files(tempfile::tempdir().unwrap())
    }

    fn write(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.0.path().join(name);
        std::fs::write(&path, bytes).unwrap();
        path
    }
}

type Read = (Vec<u8>, Vec<(Place, Vec<u8>)>, Option<ReadError>);

/// Everything that an export gives.
fn read(path: PathBuf, limits: Limits) -> Read {
    let export = Export::open(&[path]).unwrap();
    let (mut bytes, mut lines, mut failed) = (Vec::new(), Vec::new(), None);
    for batch in export.batches(limits) {
        match batch {
            Ok(batch) => {
                lines.extend(batch.lines().map(|line| (line.place, line.bytes.to_vec())));
                bytes.extend(batch.bytes);
            }
            Err(error) => failed = Some(error),
        }
    }
    (bytes, lines, failed)
}

#[test]
fn a_compressed_file_is_what_it_was_before() {
    let (files, plain) = (Files::new(), rows(500));
    let expected = read(files.write("plain", &plain), SMALL);
    assert_eq!((expected.0.as_slice(), expected.2.as_ref()), (plain.as_slice(), None));
    let (head, tail) = plain.split_at(plain.len() / 3);
    let several = |compress: fn(&[u8]) -> Vec<u8>| [compress(head), compress(b""), compress(tail)].concat();
    // A frame that holds no data (RFC 8878 §3.1.2) stands between two others.
    let skipped = [&zstd(head)[..], b"\x50\x2a\x4d\x18\x03\0\0\0abc", &zstd(tail)].concat();
    let skipped_first = [&b"\x50\x2a\x4d\x18\x03\0\0\0abc"[..], &zstd(&plain)].concat();
    assert_eq!(read(files.write("skip first", &skipped_first), SMALL), expected);
    for (name, bytes) in [
        ("gz", gzip(&plain)),
        ("gz2", several(gzip)),
        ("zst", zstd(&plain)),
        ("zst2", several(zstd)),
        ("skip", skipped),
    ] {
        assert_eq!(read(files.write(name, &bytes), SMALL), expected, "{name}");
        assert_eq!(read(files.write(name, &bytes), Limits::default()), expected_with(&plain, &files), "{name}");
    }
}

fn expected_with(plain: &[u8], files: &Files) -> Read {
    read(files.write("again", plain), Limits::default())
}

#[test]
fn what_stands_behind_a_compressed_stream_and_damage_in_it_are_errors() {
    let (files, plain) = (Files::new(), rows(20_000));
    for (name, whole) in [("gz", gzip(&plain)), ("zst", zstd(&plain))] {
        for (what, bytes) in [
            ("tail", [&whole[..], b"{\"row\":0}\n"].concat()),
            ("cut", whole[..whole.len() - whole.len() / 4].to_vec()),
            ("one byte short", whole[..whole.len() - 1].to_vec()),
        ] {
            let (read, _, failed) = read(files.write("damaged", &bytes), SMALL);
            let failed = failed.unwrap_or_else(|| panic!("{name}, {what}: read as if it were good"));
            assert!(
                matches!(&failed.why, Why::Io(why) if why.contains("stream is damaged")),
                "{name}, {what}: {failed}"
            );
            assert!(!read.is_empty() && plain.starts_with(&read), "{name}, {what}: what came before is handed out");
        }
    }
}

#[test]
fn a_frame_of_zstd_that_is_skipped_is_whole_all_the_same() {
    let (files, plain) = (Files::new(), rows(300));
    // RFC 8878, 3.1.2: magic number, length, content.
    let skippable = b"\x50\x2a\x4d\x18\x04\0\0\0abcd";
    for (what, front, back, good) in [
        ("before", &skippable[..], &b""[..], true),
        ("behind", b"", skippable, true),
        ("cut", b"", &skippable[..10], false),
        ("cut in its length", b"", &skippable[..6], false),
    ] {
        let (read, _, failed) = read(files.write("skippable", &[front, &zstd(&plain), back].concat()), SMALL);
        assert_eq!((read == plain, failed.is_none()), (true, good), "{what}: {failed:?}");
    }
}

#[test]
fn recent_bytes_of_a_stream_can_be_read_again() {
    let (files, plain) = (Files::new(), rows(300));
    let export = Export::open(&[files.write("gz", &gzip(&plain))]).unwrap();
    assert!(export.is_stream(0));
    assert_eq!(export.batches(SMALL).map(|batch| batch.unwrap().bytes.len()).sum::<usize>(), plain.len());
    let mut again = Vec::new();
    export.copy(0, 50..150, &mut again).unwrap();
    assert_eq!(again, &plain[50..150]);
    assert!(export.copy(0, 0..plain.len() as u64 + 1, &mut again).is_err(), "past the end");
    assert_eq!(export.length(0), plain.len() as u64);
}

#[cfg(unix)]
#[test]
fn a_pipe_is_read_and_an_empty_one_is_empty() {
    let (files, plain) = (Files::new(), rows(3_000));
    for bytes in [plain.as_slice(), b"", b"{\"row\":1}"] {
        let path = files.0.path().join(format!("pipe{}", bytes.len()));
        assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
        let (writer, content) = (path.clone(), bytes.to_vec());
        let writing = std::thread::spawn(move || std::fs::write(writer, content));
        let (read, lines, failed) = read(path, SMALL);
        assert_eq!((read.as_slice(), failed), (bytes, None));
        assert_eq!(lines.len(), bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).count());
        writing.join().unwrap().unwrap();
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_endless_line_is_told_and_given_up() {
    let export = Export::open(&[PathBuf::from("/dev/zero")]).unwrap();
    let mut batches = export.batches(Limits::default());
    let mut buffer = Vec::new();
    let mut long = None;
    let error = loop {
        match batches.next_into(std::mem::take(&mut buffer)).unwrap() {
            Ok(batch) => {
                long = batch.lines().next().map(|line| line.kind).or(long);
                buffer = batch.bytes;
            }
            Err(error) => break error,
        }
    };
    assert_eq!((long, error.why), (Some(ledger_verify::read::Kind::TooLong), Why::Endless));
}

#[cfg(target_os = "linux")]
#[test]
fn a_file_whose_length_is_not_told_is_not_empty() {
    let (bytes, lines, failed) = read(PathBuf::from("/proc/self/status"), SMALL);
    assert!(bytes.starts_with(b"Name:") && lines.len() > 5, "{}", String::from_utf8_lossy(&bytes));
    assert_eq!(failed, None);
}

#[test]
fn many_parts_keep_no_more_than_one() {
    const EACH: usize = 24 << 20;
    let files = Files::new();
    let line = [vec![b'x'; (64 << 10) - 1], vec![b'\n']].concat();
    let path = files.write("gz", &gzip(&line.repeat(EACH / line.len())));
    let export = Export::open(&vec![path; 4]).unwrap();
    let mut batches = export.batches(Limits::default());
    let mut buffer = Vec::new();
    while let Some(batch) = batches.next_into(std::mem::take(&mut buffer)) {
        buffer = batch.unwrap().bytes;
    }
    let kept = |part: u32| export.copy(part, EACH as u64 - 10..EACH as u64, &mut Vec::new()).is_ok();
    // Of the last part all it read, and of those before as much as one stream may keep.
    assert_eq!((0..4).filter(|&part| kept(part)).collect::<Vec<u32>>(), [1, 2, 3]);
    assert_eq!(export.bytes(), 4 * EACH as u64);
}

#[test]
fn another_file_in_the_place_of_one_is_an_error() {
    for compressed in [false, true] {
        let (files, plain) = (Files::new(), rows(50));
        let content = if compressed { gzip(&plain) } else { plain.clone() };
        let paths: Vec<PathBuf> = (0..200).map(|part| files.write(&format!("p{part}"), &content)).collect();
        let export = Export::open(&paths).unwrap();
        // What a log rotation does while the export is read.
        let late = if compressed { 150 } else { 100 };
        std::fs::rename(files.write("new", &content), &paths[late]).unwrap();
        let results: Vec<_> = export.batches(Limits::default()).collect();
        let error = results.last().unwrap().as_ref().unwrap_err();
        assert_eq!((error.part as usize, &error.why, results.len()), (late, &Why::Replaced, late + 1));
        let wanted = format!("p{late}: another file was put in its place while the export was read");
        assert!(export.stop(error).message.ends_with(&wanted), "{}", export.stop(error).message);
    }
}

#[cfg(unix)]
#[test]
fn what_comes_once_is_given_once() {
    let files = Files::new();
    let path = files.0.path().join("pipe");
    assert!(std::process::Command::new("mkfifo").arg(&path).status().unwrap().success());
    let (writer, reader) = (path.clone(), path.clone());
    let writing = std::thread::spawn(move || std::fs::write(writer, b"{}\n"));
    let stop = Export::open(&[reader, path]).expect_err("one pipe is two parts");
    assert!(stop.message.ends_with("pipe was given twice"), "{}", stop.message);
    writing.join().unwrap().unwrap();
}
