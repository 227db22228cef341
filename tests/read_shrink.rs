//! A file that is cut off while it is read is an error, and the process lives.

use std::fs::OpenOptions;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use ledger_verify::fact::Place;
use ledger_verify::read::{Access, Earlier, Export, Limits, Why};
use ledger_verify::stop::StopCode;
use tempfile::NamedTempFile;

const ROW: &[u8] = b"{\"sequence\":1,\"payload\":\"0123456789abcdef0123456789abcdef\"}\n";

fn rows(bytes: usize) -> NamedTempFile {
    let mut file = NamedTempFile::new().unwrap();
    file.write_all(&ROW.repeat(bytes / ROW.len() + 1)).unwrap();
    file
}

fn open(file: &NamedTempFile, access: Access) -> Export {
    Export::open_by(&[file.path().to_owned()], access).unwrap()
}

fn cut(file: &NamedTempFile, length: u64) {
    OpenOptions::new().write(true).open(file.path()).unwrap().set_len(length).unwrap();
}

#[test]
fn a_cut_is_an_error_at_the_new_end() {
    for access in [Access::Mapped, Access::Pread] {
        // 0, inside the first page, at a page, inside a later one, and a few bytes only.
        for length in [0, 1, 100, 4096, 8192, 100_001, 299_999] {
            let file = rows(300_000);
            let export = open(&file, access);
            cut(&file, length);
            let mut good = 0;
            let mut failed = None;
            for batch in export.batches(Limits { batch_bytes: 10_000, max_row_bytes: 1 << 20 }) {
                assert!(failed.is_none(), "nothing may follow an error");
                match batch {
                    Ok(batch) => {
                        assert!(batch.bytes.chunks(ROW.len()).all(|row| row == ROW), "zeros passed for content");
                        good += batch.bytes.len() as u64;
                    }
                    Err(error) => failed = Some(error),
                }
            }
            let error = failed.expect("the cut went unseen");
            assert_eq!((error.part, error.at, &error.why), (0, length, &Why::Shrunk));
            assert!(good <= length);
            let stop = export.stop(&error);
            assert_eq!(stop.code, StopCode::Unfinished);
            assert!(stop.message.contains(&format!("cut off at byte {length}")), "{}", stop.message);
        }
    }
}

#[test]
fn a_failed_copy_leaves_the_buffer_alone() {
    for access in [Access::Mapped, Access::Pread] {
        let file = rows(50_000);
        let export = open(&file, access);
        cut(&file, 20_000);
        let mut buffer = b"kept".to_vec();
        assert!(export.copy(0, 10_000..40_000, &mut buffer).is_err());
        assert_eq!(buffer, b"kept");
        export.copy(0, 0..10, &mut buffer).ok();
        assert!(buffer == b"kept" || buffer[4..] == ROW[..10]);
    }
}

#[test]
fn a_file_that_grew_back_over_a_hole_that_was_seen_stays_an_error() {
    let file = rows(100_000);
    let export = open(&file, Access::Mapped);
    let length = export.length(0);
    cut(&file, 4096);
    let mut buffer = Vec::new();
    assert!(export.copy(0, 50_000..60_000, &mut buffer).is_err());
    cut(&file, length);
    let error = export.copy(0, 50_000..60_000, &mut buffer).expect_err("a page of the handler's zeros stands there");
    assert!(matches!(error.why, Why::Io(_)));
    assert!(buffer.is_empty());
}

#[test]
fn growth_is_ignored() {
    for access in [Access::Mapped, Access::Pread] {
        let file = rows(5_000);
        let export = open(&file, access);
        let length = export.length(0);
        OpenOptions::new().append(true).open(file.path()).unwrap().write_all(ROW).unwrap();
        let read: u64 = export.batches(Limits::default()).map(|batch| batch.unwrap().bytes.len() as u64).sum();
        assert_eq!(read, length);
        assert_eq!(export.length_now(0), Some(length + ROW.len() as u64));
        assert!(export.copy(0, length..length + 1, &mut Vec::new()).is_err());
    }
}

#[test]
fn an_earlier_search_over_a_cut_is_an_error() {
    let file = rows(100_000);
    let export = open(&file, Access::Mapped);
    cut(&file, 30_000);
    let before = Place { offset: u64::MAX, ..Place::default() };
    let earlier = Earlier::new(&export, Limits { batch_bytes: 1000, max_row_bytes: 1000 });
    let mut visited = 0;
    let result = earlier.lines_containing(b"sequence", before, &mut |_| {
        visited += 1;
        ControlFlow::Continue(())
    });
    assert_eq!((visited, result.expect_err("the rows are gone").why), (0, Why::Shrunk));
}

/// Many threads copy while the file is cut: each copy is either the rows or an error, and files
/// that nobody cuts stay readable. Zeros anywhere would be a hole that passed for content.
#[test]
fn a_cut_under_many_copying_threads() {
    let failures = AtomicU64::new(0);
    for round in 0..60_u64 {
        let (file, other) = (rows(2_000_000), rows(200_000));
        let (export, whole) = (open(&file, Access::Mapped), open(&other, Access::Mapped));
        let over = AtomicBool::new(false);
        std::thread::scope(|scope| {
            for thread in 0..4_u64 {
                let (export, whole, over, failures) = (&export, &whole, &over, &failures);
                scope.spawn(move || {
                    let mut buffer = Vec::new();
                    let mut at = thread * 7919;
                    while !over.load(Ordering::Relaxed) {
                        at = (at + 104_729) % 1_900_000 / ROW.len() as u64 * ROW.len() as u64;
                        buffer.clear();
                        match export.copy(0, at..at + 20 * ROW.len() as u64, &mut buffer) {
                            Ok(()) => assert!(buffer.chunks(ROW.len()).all(|row| row == ROW), "a hole at {at}"),
                            Err(error) => {
                                assert_eq!((error.part, buffer.len()), (0, 0));
                                failures.fetch_add(1, Ordering::Relaxed);
                            }
                        }
                        buffer.clear();
                        whole.copy(0, 0..ROW.len() as u64 * 50, &mut buffer).unwrap();
                        assert!(buffer.chunks(ROW.len()).all(|row| row == ROW));
                    }
                });
            }
            std::thread::sleep(std::time::Duration::from_millis(2));
            cut(&file, round * 31_001);
            std::thread::sleep(std::time::Duration::from_millis(2));
            over.store(true, Ordering::Relaxed);
        });
    }
    assert!(failures.into_inner() > 0, "no thread ever met the cut");
}
