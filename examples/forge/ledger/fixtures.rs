//! The fixtures of `testdata`: the sample ledger, and one small export for each finding.
//!
//! Each fault fixture has an `expect.json` with the members that the shared `run-cases` tool reads:
//! what the verifier must say of it, and why.

use std::fs;
use std::io;
use std::path::Path;

use serde_json::{Map, Value, json};

use super::fault::{FAULTS, Fault, Planned, Where};
use super::files::write_folder;
use super::{Job, Manifest, incidents};

/// Rows of a fault fixture.
const ROWS: u64 = 8;

/// The sample ledger.
pub fn sample() -> Job {
    Job { seed: 2026, rows: 2_000, compensations: 3, ..Job::default() }
}

/// Write all fixtures below this folder, in place of those that are there.
pub fn write_all(testdata: &Path) -> io::Result<()> {
    write_folder(&sample(), &testdata.join("acme"))?;
    let faults = testdata.join("faults");
    if faults.exists() {
        fs::remove_dir_all(&faults)?;
    }
    for (number, fault) in FAULTS.iter().enumerate() {
        // Deeds (row-deleted …) are no findings: a fixture is named for the finding it shows.
        if !why(fault.name).is_empty() {
            write_fixture(number as u64, fault, &faults.join(fault.name))?;
        }
    }
    incidents::write_all(&testdata.join("incidents"))
}

fn write_fixture(number: u64, fault: &'static Fault, folder: &Path) -> io::Result<()> {
    let row = fault.usual_row(ROWS);
    let job = Job {
        seed: 100 + number,
        rows: ROWS,
        compensations: 0,
        row_bytes: 600,
        manifest: Manifest::Signed,
        manifest_name: "manifest.json".into(),
        faults: vec![Planned { fault, row }],
        ..Job::default()
    };
    write_folder(&job, folder)?;
    let expect = expect(fault, row, &fs::read_to_string(folder.join("export.jsonl")).unwrap_or_default());
    let text = serde_json::to_string_pretty(&Value::Object(expect)).expect("expectations are plain JSON");
    fs::write(folder.join("expect.json"), text + "\n")
}

/// What the verifier must say.
fn expect(fault: &Fault, row: u64, export: &str) -> Map<String, Value> {
    let codes: Vec<&str> = [fault.name].iter().chain(fault.partners()).copied().collect();
    let mut expect = Map::new();
    let kind = kind(fault.name);
    let limited = kind == Kind::Bound || fault.name == "sidecar-ignored";
    let exit = if kind == Kind::Fault {
        1
    } else if limited {
        3
    } else {
        0
    };
    expect.insert("exit".into(), exit.into());
    expect.insert("codes".into(), json!(codes));
    match fault.place {
        Where::Whole if fault.name == "partial-start" => expect.insert("line".into(), 1.into()),
        // Faults of an anchor stand at the last row.
        Where::Whole if kind == Kind::Fault => expect.insert("line".into(), ROWS.into()),
        Where::Whole => None,
        // It shows where the first key comes back.
        _ if fault.name == "keys-interleaved" => expect.insert("line".into(), (row + 1).into()),
        _ => expect.insert("line".into(), row.into()),
    };
    expect.insert("faults".into(), if kind == Kind::Fault { codes.len().into() } else { 0.into() });
    // What an anchor still vouches for where it is contradicted is not this fixture's question.
    let bounds: Vec<&str> = codes.iter().copied().filter(|code| self::kind(code) == Kind::Bound).collect();
    if !["torn-row", "head-mismatch", "manifest-mismatch", "anchor-conflict"].contains(&fault.name) {
        expect.insert("bounds".into(), json!(bounds));
    }
    if let Some(args) = args(fault.name, export) {
        expect.insert("args".into(), args);
    }
    expect.insert("why".into(), why(fault.name).into());
    expect
}

/// Arguments without which there is no such finding.
fn args(name: &str, export: &str) -> Option<Value> {
    match name {
        "row-too-long" => Some(json!(["--max-row-bytes", "4000"])),
        "keys-interleaved" => Some(json!(["--key", "pk.pem", "--key", "second.pem"])),
        "anchor-conflict" => Some(json!(["--head", format!("0x{}@{ROWS}", "cd".repeat(32))])),
        "after-anchor" => {
            let row: Value = serde_json::from_str(export.lines().nth(4)?).ok()?;
            Some(json!(["--head", format!("{}@5", row.get("hash")?.as_str()?)]))
        }
        _ => None,
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Fault,
    Bound,
    Note,
}

fn kind(code: &str) -> Kind {
    match code {
        "no-key" | "keys-interleaved" | "no-anchor" | "manifest-unsigned" | "partial-start" | "after-anchor"
        | "imprecise-number" | "reversal-unchecked" | "empty" => Kind::Bound,
        "bom" | "blank-line" | "crlf" | "no-final-newline" | "clock-backwards" | "sidecar-ignored"
        | "restore-mismatch" => Kind::Note,
        _ => Kind::Fault,
    }
}

/// What was done, in a sentence.
fn why(name: &str) -> &'static str {
    match name {
        "not-json" => "row 5 is overwritten by text",
        "not-an-object" => "row 5 is overwritten by null",
        "invalid-utf8" => "a byte FF stands inside a string of row 5",
        "duplicate-key" => "row 5 has class twice, once with an escape in its name",
        "number-out-of-range" => "1e400 has no double",
        "nesting-too-deep" => "1,001 levels, the row's own braces among them",
        "row-too-long" => "row 5 is honest and longer than --max-row-bytes",
        "torn-row" => "the file ends in the middle of row 8",
        "field-missing" => "row 5 has lost its hash, nothing else",
        "field-malformed" => "row 5's hash is in upper case; row 6 states the same digest properly",
        "hash-mismatch" => "row 5's class is another than the one that was hashed",
        "signature-missing" => "row 5 has lost its signature",
        "signature-malformed" => "row 5's signature is in upper case",
        "signature-algorithm" => "row 5's signature is called hmac-sha256",
        "signature-invalid" => "row 5 is signed by a stranger's key",
        "link-broken" => "signed: row 5 states a predecessor that is nowhere",
        "fork" => "signed: row 5 states row 3 as its predecessor, as row 4 does",
        "genesis-broken" => "signed: the first row is number 8 and claims to be the first of all",
        "second-genesis" => "signed: row 5 claims to be the first of all",
        "sequence-gap" => "signed: number 5 is left out, the link is good",
        "sequence-repeated" => "signed: number 4 is given twice, the links are good",
        "sequence-backwards" => "signed: row 5 has number 2, the links are good, later rows go on from there",
        "chain-mixed" => "signed: row 5 is of workspace globex",
        "reversal-invalid" => "signed: row 5 reverses a row that comes later",
        "head-mismatch" => "the manifest, signed, states another head",
        "manifest-mismatch" => "the manifest, signed, counts one entry more",
        "anchor-conflict" => "--head states another digest for row 8 than the manifest, which is right",
        "no-key" => "no key is given",
        "keys-interleaved" => "row 5 is signed by a second key, the rows around it by the first",
        "no-anchor" => "nothing says where the ledger ends",
        "manifest-unsigned" => "the manifest is only found beside the export, and nobody signed it",
        "partial-start" => "a slice from row 8 on",
        "after-anchor" => "--head pins row 5, three rows came later",
        "imprecise-number" => "9007199254740993 is no double: it is hashed as 9007199254740992",
        "reversal-unchecked" => "a slice from row 8 on, in which a compensation reverses row 6",
        "empty" => "no byte",
        "bom" => "a byte order mark before row 1",
        "blank-line" => "an empty line before row 5",
        "crlf" => "row 5 ends in CR LF",
        "no-final-newline" => "the last row has no line end",
        "clock-backwards" => "row 5 is stamped earlier than row 4",
        "sidecar-ignored" => "the manifest found beside the export is about workspace globex",
        "restore-mismatch" => "row 5 is a compensation that says it did not restore what it should",
        _ => "",
    }
}
