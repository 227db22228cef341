//! A whole run: the same report with one thread and several, however the work is cut.
//!
//! The first bytes choose what is given beside the export and how the work is cut. The rest is the export,
//! but for lines of `@` and some bytes, which stand for rows of the sample ledger: so a few bytes are
//! an honest row, a copy of one, a row left out, a fork or a link to a row far back.

use std::cell::RefCell;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use ledger_verify::audit::{self, Request};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, json};
use tempfile::TempDir;

/// Two ledgers, each with a key: honest rows, and rows of which one forks.
const SAMPLES: [&str; 2] =
    [include_str!("../../testdata/acme/export.jsonl"), include_str!("../../testdata/faults/fork/export.jsonl")];
const KEYS: [&str; 2] = [include_str!("../../testdata/acme/pk.pem"), include_str!("../../testdata/faults/fork/pk.pem")];
const MANIFEST: &str = include_str!("../../testdata/acme/export.manifest.json");

static ROWS: LazyLock<Vec<&str>> =
    LazyLock::new(|| SAMPLES.iter().rev().flat_map(|sample| sample.lines().take(248)).collect());

thread_local! {
    /// Where the files of a run stand: made once, since a run takes less time than a folder.
    static FOLDER: RefCell<TempDir> = RefCell::new(tempfile::tempdir().expect("a temporary folder"));
}

/// Holds the run to what must be true of any.
pub fn check(bytes: &[u8]) {
    let [beside, threads, batch, window, text @ ..] = bytes else { return };
    FOLDER.with_borrow(|folder| {
        let request = request(*beside, &export(text), folder.path());
        // Zones so small that some rows are far back; how the rest is cut must then change nothing.
        let zone_bytes = if beside >> 4 & 1 == 1 { 2_000 } else { 16 << 20 };
        let whole = Sizes { zone_bytes, ..Sizes::default() };
        let cut = Sizes {
            batch_bytes: usize::from(*batch) * 8,
            stride_bytes: usize::from(*batch) * 16,
            window_bytes: usize::from(*window) * 32,
            ..whole
        };
        let usual = report(&request, whole);
        let other = Request { threads: 1 + usize::from(threads % 4), ..request };
        assert_eq!(report(&other, cut), usual, "cut as {cut:?}");
    });
}

/// The export that this text stands for.
fn export(text: &[u8]) -> Vec<u8> {
    let mut export = Vec::new();
    for line in text.split_inclusive(|&byte| byte == b'\n') {
        match line {
            [b'@', row, change @ ..] => {
                let row = ROWS.get(usize::from(*row)).map_or("", |row| row);
                // The rest of the line stands in the row's place of the same length: damage, or its line end.
                let kept = row.len().saturating_sub(change.len().saturating_sub(1));
                export.extend(row.as_bytes().get(..kept).unwrap_or_default());
                export.extend(change);
            }
            line => export.extend(line),
        }
    }
    export
}

fn request(beside: u8, export: &[u8], folder: &Path) -> Request {
    let given = |bit: u8| beside >> bit & 1 == 1;
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        fs::write(&path, bytes).expect("a temporary file can be written");
        path
    };
    let keys = (0u8..).zip(KEYS).filter(|(bit, _)| given(*bit));
    Request {
        exports: vec![write("export.jsonl", export)],
        keys: keys.map(|(bit, key)| (None, write(&format!("{bit}.pem"), key.as_bytes()))).collect(),
        manifest: given(2).then(|| write("named.json", MANIFEST.as_bytes())),
        profile: Some("void".to_owned()),
        max_row_bytes: if given(3) { 900 } else { 64 << 20 },
        threads: 1,
        ..Request::default()
    }
}

/// The report without where and how it was made.
fn report(request: &Request, sizes: Sizes) -> serde_json::Value {
    let mut value = json::value(&audit::run_cut(request, Environment::default(), sizes));
    if let Some(members) = value.as_object_mut() {
        members.remove("environment");
    }
    value
}
