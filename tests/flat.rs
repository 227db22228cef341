//! The program as a process on a large export: memory stays flat, and a file that is cut off while it is
//! read ends the run with an exit code, never with a signal.
//!
//! The export is one unsigned ledger over and over, so that it is made in a moment; its rows are judged
//! like any others. How long hard exports take is measured on the release binary, not here.
#![cfg(target_os = "linux")]

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::fs::{self, File, OpenOptions};
use std::io::Write as _;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::Duration;

/// Bytes of the large export: more than are ever held at a time. A debug build takes some seconds for it.
const LARGE: usize = 48 << 20;

/// The most anonymous memory that a run may take, in KiB: two windows of 16 MiB and what they are made to.
const MOST_KIB: u64 = 130 << 10;

fn write_large(path: &Path, bytes: usize) {
    let job = ledger::Job { rows: 200, row_bytes: 20_000, sign: false, ..ledger::Job::default() };
    let mut once = Vec::new();
    ledger::write_export(&job, &mut once).expect("a Vec takes every byte");
    let mut file = File::create(path).expect("a temporary file can be made");
    for _ in 0..bytes.div_ceil(once.len()) {
        file.write_all(&once).expect("the disk has room");
    }
}

fn start(export: &Path) -> Child {
    Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .arg(export)
        .args(["--json", "--profile", "void", "--threads", "2"])
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the program starts")
}

/// Anonymous memory of a process now, in KiB; `None` when it is gone.
fn anonymous(process: u32) -> Option<u64> {
    let status = fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("RssAnon:"))?;
    line.trim().strip_suffix("kB")?.trim().parse().ok()
}

#[test]
fn memory_is_flat() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let export = folder.path().join("export.jsonl");
    write_large(&export, LARGE);
    let mut child = start(&export);
    let (mut most, mut looks) = (0, 0);
    while child.try_wait().expect("the program can be waited for").is_none() {
        if let Some(now) = anonymous(child.id()) {
            most = most.max(now);
            looks += 1;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    let output = child.wait_with_output().expect("its output can be read");
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
    assert_eq!(output.status.code(), Some(1), "the ledger starts again and again");
    assert!(report["coverage"]["rows"].as_u64() > Some(1_000), "{}", report["coverage"]);
    assert!(report["findings"].as_array().is_some_and(|list| list.len() == 100), "the list is capped");
    assert!(looks > 10, "{looks} looks show no peak");
    println!("peak {} MiB, {looks} looks", most >> 10);
    assert!(most < MOST_KIB, "{} MiB", most >> 10);
}

#[test]
fn a_file_that_shrinks_ends_the_run_with_a_code() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut unfinished = 0;
    for delay in [0, 5, 40, 150] {
        let export = folder.path().join("export.jsonl");
        write_large(&export, LARGE);
        let mut child = start(&export);
        while !has_open(child.id(), &export) {
            assert!(child.try_wait().expect("the program can be waited for").is_none(), "it ended early");
            std::thread::sleep(Duration::from_micros(200));
        }
        std::thread::sleep(Duration::from_millis(delay));
        let file = OpenOptions::new().write(true).open(&export).expect("the export can be opened");
        file.set_len(1_000_000 + 7 * delay).expect("the export can be cut off");
        let output = child.wait_with_output().expect("its output can be read");
        // A signal leaves no code.
        assert!(matches!(output.status.code(), Some(1 | 2)), "{delay} ms: {:?}", output.status);
        let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a JSON report");
        unfinished += u32::from(report["unfinished"] == true || report["stop"]["code"] == "unfinished");
    }
    assert!(unfinished > 0, "no run was caught while it read");
}

/// Whether a process has this file open.
fn has_open(process: u32, path: &Path) -> bool {
    let open = fs::read_dir(format!("/proc/{process}/fd")).into_iter().flatten().flatten();
    open.map(|entry| fs::read_link(entry.path())).any(|link| link.is_ok_and(|link| link == path))
}
