//! How the ways of reading compare, in one run: `cargo test --release --test read_speed --
//! --ignored --nocapture`. Ratios only; the file is warm after the first round. With
//! `READ_SPEED_FILE` an own file is read instead of a made one, once per way and in the order
//! given by `READ_SPEED_WAYS` (for cold runs).

#![cfg(unix)]

use std::io::Write;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use ledger_verify::read::{Access, Export, Limits};

const BATCH: usize = 512 * 1024;

fn by_copy(path: &PathBuf, access: Access) -> u64 {
    let export = Export::open_by(std::slice::from_ref(path), access).unwrap();
    let (mut buffer, mut at, length) = (Vec::new(), 0, export.length(0));
    while at < length {
        let end = (at + BATCH as u64).min(length);
        buffer.clear();
        export.copy(0, at..end, &mut buffer).unwrap();
        std::hint::black_box(&buffer);
        at = end;
    }
    at
}

/// The least that `pread` can cost: into a buffer that is never cleared.
fn by_bare_pread(path: &PathBuf) -> u64 {
    let file = std::fs::File::open(path).unwrap();
    let (mut buffer, mut at) = (vec![0; BATCH], 0);
    loop {
        let read = file.read_at(&mut buffer, at).unwrap();
        std::hint::black_box(&buffer);
        if read == 0 {
            return at;
        }
        at += read as u64;
    }
}

fn by_lines(path: &PathBuf, access: Access) -> u64 {
    let export = Export::open_by(std::slice::from_ref(path), access).unwrap();
    let mut reader = export.batches(Limits::default());
    let (mut buffer, mut bytes) = (Vec::new(), 0);
    while let Some(batch) = reader.next_into(std::mem::take(&mut buffer)) {
        let batch = batch.unwrap();
        bytes += batch.lines().map(|line| line.place.length + u64::from(line.terminated)).sum::<u64>();
        buffer = batch.bytes;
    }
    bytes
}

type Way = (&'static str, fn(&PathBuf) -> u64);

#[test]
#[ignore = "a measurement"]
fn ways_of_reading() {
    let ways: [Way; 5] = [
        ("map", |path| by_copy(path, Access::Mapped)),
        ("pread", |path| by_copy(path, Access::Pread)),
        ("bare-pread", by_bare_pread),
        ("map-lines", |path| by_lines(path, Access::Mapped)),
        ("pread-lines", |path| by_lines(path, Access::Pread)),
    ];
    if let Some(path) = std::env::var_os("READ_SPEED_FILE").map(PathBuf::from) {
        for name in std::env::var("READ_SPEED_WAYS").unwrap_or_default().split(',') {
            let Some((_, way)) = ways.iter().find(|(known, _)| *known == name) else { continue };
            let start = Instant::now();
            let bytes = way(&path);
            println!("{name:12} {bytes} bytes in {:?}", start.elapsed());
        }
        return;
    }
    let mut file = tempfile::NamedTempFile::new().unwrap();
    let rows = [b"{\"payload\":\"", "x".repeat(818).as_bytes(), b"\"}\n"].concat().repeat(1000);
    for _ in 0..600 {
        file.write_all(&rows).unwrap();
    }
    let path = file.path().to_owned();
    let mut bests = [Duration::MAX; 5];
    for _ in 0..9 {
        for (best, (_, way)) in bests.iter_mut().zip(&ways) {
            let start = Instant::now();
            assert_eq!(way(&path), 600 * rows.len() as u64);
            *best = start.elapsed().min(*best);
        }
    }
    for (best, (name, _)) in bests.iter().zip(&ways) {
        let (own, map) = (best.as_secs_f64(), bests[0].as_secs_f64());
        println!("{name:12} {:6.3} µs a row of 833 bytes, {:.2} of map", own * 1e6 / 600_000.0, own / map);
    }
}
