//! What a row of each format costs by itself, without a key: read, written in its form, digested, compared.
//!
//! The rows are those of the sample exports, over and over, so that no chain is walked: a chain of many rows of each
//! format is not at hand, and the walk is the same for all.

use std::fs;
use std::hint::black_box;
use std::path::Path;
use std::time::Instant;

use ledger_verify::check::Checker;
use ledger_verify::check::ed25519::{Choice, Judge, Sample};
use ledger_verify::fact::{Place, Recipe};
use ledger_verify::profile;
use ledger_verify::read::Line;
use ledger_verify::trust::keyring::Keyring;

/// The home format's sample, and those of formats whose rows are lines of JSON that state their digests.
const FORMATS: [(&str, &str); 8] = [
    ("void", "testdata/acme/export.jsonl"),
    ("arcaeon", "testdata/formats/arcaeon/export.jsonl"),
    ("agent-receipts", "testdata/formats/agent-receipts/export.jsonl"),
    ("auditchain", "testdata/formats/auditchain/export.jsonl"),
    ("cloakllm", "testdata/formats/cloakllm/export.jsonl"),
    ("halo-record", "testdata/formats/halo-record/export.jsonl"),
    ("trailproof", "testdata/formats/trailproof/export.jsonl"),
    ("vaara", "testdata/formats/vaara/export.jsonl"),
];

/// Rows of each format in a round.
const ROWS: usize = 100_000;

/// Rows whose digests are settled together.
const TOGETHER: usize = 256;

/// Print the medians of rounds, the formats by turns within each, and each format's cost a byte as a multiple of the
/// first one's.
pub fn tell(rounds: usize) {
    let mut times = vec![Vec::new(); FORMATS.len()];
    let exports: Vec<Vec<u8>> = FORMATS
        .iter()
        .map(|(_, path)| fs::read(Path::new(env!("CARGO_MANIFEST_DIR")).join(path)).expect("a sample"))
        .collect();
    let mut bytes = vec![0; FORMATS.len()];
    for _ in 0..rounds {
        for (index, (name, _)) in FORMATS.iter().enumerate() {
            let (took, length) = round(name, &exports[index]);
            times[index].push(took);
            bytes[index] = length;
        }
    }
    let medians: Vec<f64> = times
        .into_iter()
        .map(|mut times| {
            times.sort_by(f64::total_cmp);
            times[times.len() / 2]
        })
        .collect();
    let a_byte = |index: usize| medians[index] * 1e9 / bytes[index] as f64;
    for (index, (name, _)) in FORMATS.iter().enumerate() {
        let a_row = medians[index] * 1e9 / ROWS as f64;
        let ratio = a_byte(index) / a_byte(0);
        println!("  {name}: {a_row:.0} ns a row, {:.2} ns a byte, {ratio:.2} x void", a_byte(index));
    }
}

/// Seconds for the rows, and their bytes.
fn round(name: &str, export: &[u8]) -> (f64, usize) {
    let plan = profile::builtin(name).expect("a built-in format");
    let lines: Vec<&[u8]> = export.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let (keys, judge) = (Keyring::default(), Judge::of(Choice::Auto).expect("an engine"));
    let mut checker = Checker::new(&plan, &keys, Recipe { hash: Some(0), signature: Some(0) });
    checker.wait(&judge);
    let (start, mut bytes) = (Instant::now(), 0);
    for (number, line) in lines.iter().cycle().take(ROWS).enumerate() {
        let place = Place { part: 0, line: number as u64, offset: bytes as u64, length: line.len() as u64 };
        bytes += line.len();
        black_box(checker.check(&Line::row(place, line), None));
        if number % TOGETHER == TOGETHER - 1 {
            black_box(checker.settle(&judge, Sample::Wide));
        }
    }
    (start.elapsed().as_secs_f64(), bytes)
}
