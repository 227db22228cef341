//! A folder given as an export: which files are taken, in which order, what is said of the others, and that
//! the report is that of the same files named by hand.
#![cfg(unix)]

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::fs;
use std::io::Write as _;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use serde_json::Value;

/// A ledger, its rows line by line, in a folder that is gone afterwards.
struct Ledger {
    folder: tempfile::TempDir,
    lines: Vec<Vec<u8>>,
    manifest: String,
}

impl Ledger {
    /// With this many rows; `pk.pem` stands beside the folder `logs`, which is empty.
    fn new(rows: u64) -> Self {
        let job = ledger::Job { rows, compensations: 10, ..ledger::Job::default() };
        let mut export = Vec::new();
        let summary = ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
        let folder = tempfile::tempdir().expect("a temporary folder");
        fs::create_dir(folder.path().join("logs")).expect("a folder");
        fs::write(folder.path().join("pk.pem"), ledger::files::public_pem(&ledger::verifying_key(job.seed)))
            .expect("a key");
        Ledger {
            lines: export.split_inclusive(|&byte| byte == b'\n').map(<[u8]>::to_vec).collect(),
            manifest: ledger::files::manifest_text(&job, &summary),
            folder,
        }
    }

    fn logs(&self) -> PathBuf {
        self.folder.path().join("logs")
    }

    /// Rows as one file of `logs`, compressed if it is named so.
    fn write(&self, name: &str, rows: std::ops::Range<usize>) {
        self.put(name, &self.lines[rows].concat());
    }

    fn put(&self, name: &str, bytes: &[u8]) {
        let mut gz = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gz.write_all(bytes).expect("a Vec takes every byte");
        let zst = |bytes| ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest);
        let bytes = match Path::new(name).extension().and_then(|ending| ending.to_str()) {
            Some("gz") => gz.finish().expect("a Vec takes every byte"),
            Some("zst") => zst(bytes),
            _ => bytes.to_vec(),
        };
        fs::write(self.logs().join(name), bytes).expect("a file");
    }

    fn run(&self, arguments: &[&str]) -> (i32, String, String) {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        command.current_dir(self.folder.path()).stdin(Stdio::null()).args(["--key", "pk.pem"]).args(arguments);
        let Output { status, stdout, stderr } = command.output().expect("the program starts");
        let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
        (status.code().expect("the program ends by itself"), text(stdout), text(stderr))
    }

    fn report(&self, arguments: &[&str]) -> Value {
        let (_, out, err) = self.run(&[arguments, &["--json"]].concat());
        let report: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out}{err}"));
        let schema =
            fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json")).expect("the schema");
        let schema = jsonschema::draft202012::new(&serde_json::from_str(&schema).expect("JSON")).expect("a schema");
        let wrong: Vec<String> = schema.iter_errors(&report).map(|error| error.to_string()).collect();
        assert!(wrong.is_empty(), "{wrong:?}");
        report
    }

    /// The report on `logs`, after the same files were named by hand in the order that it gives.
    fn same_as_by_hand(&self) -> Value {
        let report = self.report(&["logs"]);
        let by_hand = self.report(&names(&report).iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(report["report_id"], by_hand["report_id"]);
        assert_eq!(report["findings"], by_hand["findings"]);
        assert_eq!(by_hand["environment"]["folders"], serde_json::json!([]));
        report
    }
}

/// The names of the parts.
fn names(report: &Value) -> Vec<String> {
    let subjects = report["subject"].as_array().expect("subjects");
    subjects.iter().map(|subject| subject["name"].as_str().expect("a name").to_owned()).collect()
}

fn taken(report: &Value) -> Vec<String> {
    names(report).iter().map(|name| name.trim_start_matches("logs/").to_owned()).collect()
}

/// What was left, and why.
fn left(report: &Value) -> Vec<(String, String)> {
    let left = report["environment"]["folders"][0]["left"].as_array().expect("what was left");
    let text = |value: &Value| value.as_str().expect("text").to_owned();
    left.iter().map(|left| (text(&left["name"]), text(&left["why"]))).collect()
}

#[test]
fn rotated_logs_in_the_order_of_their_first_sequence() {
    let ledger = Ledger::new(100);
    // The live file is the youngest, and a rotated one the older the higher its number is.
    ledger.write("audit.jsonl", 90..100);
    ledger.write("audit.jsonl.1", 60..90);
    ledger.write("audit.jsonl.2.gz", 30..60);
    ledger.write("audit.jsonl.10.zst", 0..30);
    let report = ledger.same_as_by_hand();
    assert_eq!(taken(&report), ["audit.jsonl.10.zst", "audit.jsonl.2.gz", "audit.jsonl.1", "audit.jsonl"]);
    assert_eq!((&report["exit_code"], &report["coverage"]["rows"]), (&3.into(), &100.into()));
    assert_eq!(report["finding_counts"], serde_json::json!({ "no-anchor": 1 }));
    let limits = report["limits"].to_string();
    assert!(limits.contains("Which files of a folder"), "{limits}");
}

#[test]
fn what_holds_no_rows_is_left_and_named() {
    let ledger = Ledger::new(20);
    ledger.write("export.2026-01-02.jsonl", 10..20);
    ledger.write("export.2026-01-01.jsonl", 0..10);
    // Rows count by what they are, whatever they are named.
    fs::copy(ledger.folder.path().join("pk.pem"), ledger.logs().join("pk.pem")).expect("a copy");
    ledger.put("other.json", b"{\"a\":1}\n");
    ledger.put("access.jsonl", b"{\"path\":\"/\"}\n{\"path\":\"/a\"}\n");
    ledger.put("old-manifest.json", ledger.manifest.as_bytes());
    ledger.put("README.md", b"# These are logs\n");
    ledger.put("SHA256SUMS", b"");
    ledger.put("scan.pdf", b"%PDF-1.7\n");
    ledger.put(".export.jsonl.swp", &ledger.lines[3]);
    fs::create_dir(ledger.logs().join("sub.jsonl")).expect("a folder");
    symlink("nowhere", ledger.logs().join("dangling.jsonl")).expect("a link");
    let _socket = std::os::unix::net::UnixListener::bind(ledger.logs().join("socket.jsonl")).expect("a socket");
    let report = ledger.same_as_by_hand();
    assert_eq!(taken(&report), ["export.2026-01-01.jsonl", "export.2026-01-02.jsonl"]);
    let mut wanted = [
        (".export.jsonl.swp", "hidden"),
        ("README.md", "it holds no JSON Lines"),
        ("SHA256SUMS", "empty"),
        ("access.jsonl", "it holds JSON, but no row of void"),
        ("dangling.jsonl", "a symbolic link that leads to no file"),
        ("old-manifest.json", "a manifest"),
        ("other.json", "it holds JSON, but no row of void"),
        ("pk.pem", "a key"),
        ("scan.pdf", "this is a PDF document"),
        ("socket.jsonl", "not a regular file"),
        ("sub.jsonl", "a folder"),
    ]
    .map(|(name, why)| (name.to_owned(), why.to_owned()));
    wanted.sort();
    let mut told = left(&report);
    told.sort();
    assert_eq!(told, wanted);
    let (_, text, _) = ledger.run(&["logs"]);
    assert!(text.contains("\n  folder logs: 2 files, by first sequence\n  left: "), "{text}");
    assert!(text.contains("README.md (it holds no JSON Lines)") && text.contains(" and 3 more\n"), "{text}");
}

#[test]
fn rows_under_any_name_are_taken() {
    let ledger = Ledger::new(30);
    ledger.write("audit.log", 20..30);
    ledger.write("audit.log.1", 10..20);
    ledger.write("backup", 0..10);
    assert_eq!(taken(&ledger.same_as_by_hand()), ["backup", "audit.log.1", "audit.log"]);
}

#[test]
fn a_damaged_file_is_taken_where_its_name_puts_it() {
    let ledger = Ledger::new(50);
    for (name, rows) in [("a-1.log", 0..10), ("a-2.log", 10..20), ("a-4.log", 30..40), ("a-5.log", 40..50)] {
        ledger.write(name, rows);
    }
    // Nothing of it can be read, and its name does not say that it holds JSON Lines: it is one of a series.
    ledger.put("a-3.log", &b"\0\0\0\0\n".repeat(10));
    let report = ledger.same_as_by_hand();
    assert_eq!(taken(&report), ["a-1.log", "a-2.log", "a-3.log", "a-4.log", "a-5.log"]);
    assert_eq!(report["finding_counts"], serde_json::json!({ "not-json": 10, "no-anchor": 1 }));
    assert_eq!(report["environment"]["folders"][0]["taken"][2]["by_name"], true);
    let (code, text, _) = ledger.run(&["logs"]);
    assert!(text.contains("no sequence can be read at the start of a-3.log: placed by name\n"), "{text}");
    assert_eq!(code, 1);
    // An empty one of the series holds nothing that could be misplaced.
    ledger.put("a-3.log", b"");
    ledger.write("a-4.log", 20..40);
    let report = ledger.same_as_by_hand();
    assert_eq!((report["subject"].as_array().map(Vec::len), &report["verdict"]), (Some(5), &"bounded".into()));
    assert_eq!(report["environment"]["folders"][0]["taken"][2]["by_name"], false);
}

#[test]
fn a_first_row_that_is_damaged_or_renumbered_is_one_fault() {
    let ledger = Ledger::new(40);
    ledger.write("b.jsonl", 0..20);
    let mut rows = ledger.lines[20..40].to_vec();
    rows[0] = b"{\"sequence\":21,\n".to_vec();
    ledger.put("a.jsonl", &rows.concat());
    let report = ledger.same_as_by_hand();
    assert_eq!(
        (&taken(&report)[..], &report["finding_counts"]["not-json"]),
        (&["b.jsonl".into(), "a.jsonl".into()][..], &1.into())
    );
    // The number alone: the rows behind it tell where the file stands.
    let edited =
        String::from_utf8(ledger.lines[20].clone()).expect("text").replacen("\"sequence\":21", "\"sequence\":0", 1);
    assert_ne!(edited.as_bytes(), ledger.lines[20]);
    rows[0] = edited.into_bytes();
    ledger.put("a.jsonl", &rows.concat());
    let report = ledger.same_as_by_hand();
    assert_eq!(taken(&report), ["b.jsonl", "a.jsonl"]);
    assert_eq!(report["finding_counts"]["link-broken"], Value::Null, "{report}");
}

#[test]
fn a_damaged_compressed_file_is_not_passed_over() {
    let ledger = Ledger::new(20);
    ledger.write("a.jsonl", 10..20);
    fs::write(ledger.logs().join("a.jsonl.1.gz"), b"\x1f\x8b\x08\0\0\0\0\0\0\0damaged").expect("a file");
    let (code, _, err) = ledger.run(&["logs"]);
    assert!(code == 2 && err.contains("a.jsonl.1.gz"), "{code} {err}");
    // Nor is one that is compressed in another way, or that may not be read.
    fs::remove_file(ledger.logs().join("a.jsonl.1.gz")).expect("removed");
    fs::write(ledger.logs().join("a.jsonl.1.xz"), b"\xfd7zXZ\0").expect("a file");
    let (code, _, err) = ledger.run(&["logs"]);
    assert!(code == 2 && err.contains("a.jsonl.1.xz: this is xz-compressed"), "{code} {err}");
}

#[test]
fn a_folder_with_nothing_to_take_is_a_stop_that_says_what_was_seen() {
    let ledger = Ledger::new(1);
    let (code, out, err) = ledger.run(&["logs"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("no verdict: logs: no file of this folder holds rows of void: it is empty\n"), "{err}");
    ledger.put("README", b"text\n");
    fs::create_dir(ledger.logs().join("2026")).expect("a folder");
    let (code, _, err) = ledger.run(&["logs"]);
    assert!(code == 2 && err.contains("it holds 2026 (a folder), README (it holds no JSON Lines)\n"), "{err}");
}

#[test]
fn links_are_followed_knowingly_and_no_file_is_taken_twice() {
    let ledger = Ledger::new(30);
    ledger.write("b.jsonl", 20..30);
    ledger.write("a.jsonl", 10..20);
    fs::write(ledger.folder.path().join("elsewhere"), ledger.lines[..10].concat()).expect("a file");
    symlink("../elsewhere", ledger.logs().join("0.jsonl")).expect("a link");
    symlink("b.jsonl", ledger.logs().join("a-latest.jsonl")).expect("a link");
    fs::hard_link(ledger.logs().join("a.jsonl"), ledger.logs().join("c.jsonl")).expect("a link");
    let report = ledger.same_as_by_hand();
    assert_eq!(taken(&report), ["0.jsonl", "a.jsonl", "b.jsonl"]);
    let wanted = [("c.jsonl", "another name of a.jsonl"), ("a-latest.jsonl", "another name of b.jsonl")];
    assert_eq!(left(&report), wanted.map(|(name, why)| (name.to_owned(), why.to_owned())));
    assert_eq!(report["environment"]["folders"][0]["taken"][0]["link"], true);
    let (code, text, _) = ledger.run(&["logs"]);
    assert!(code == 3 && text.contains("\n  symbolic links that were followed: 0.jsonl\n"), "{text}");
}

#[test]
fn a_manifest_beside_or_in_the_folder_is_found_and_must_be_signed() {
    let ledger = Ledger::new(20);
    ledger.write("b.jsonl", 10..20);
    ledger.write("a.jsonl", 0..10);
    let verdict = |ledger: &Ledger, name: &str| ledger.report(&[name])["verdict"].as_str().map(str::to_owned);
    assert_eq!(verdict(&ledger, "logs").as_deref(), Some("bounded"));
    for place in ["logs.manifest.json", "logs/manifest.json"] {
        let path = ledger.folder.path().join(place);
        fs::write(&path, &ledger.manifest).expect("a file");
        for name in ["logs", "logs/", "./logs"] {
            assert_eq!(verdict(&ledger, name).as_deref(), Some("verified"), "{place} {name}");
        }
        let (code, text, _) = ledger.run(&["logs"]);
        assert!(code == 0 && text.contains("matches manifest (signed, as of 2026-08-31)\n"), "{text}");
        let mut unsigned: Value = serde_json::from_str(&ledger.manifest).expect("JSON");
        unsigned.as_object_mut().expect("an object").remove("signature");
        fs::write(&path, unsigned.to_string()).expect("a file");
        let report = ledger.report(&["logs"]);
        assert_eq!((&report["exit_code"], &report["finding_counts"]["manifest-unsigned"]), (&3.into(), &1.into()));
        assert_eq!(report["anchors"][0]["named"], false);
        fs::remove_file(&path).expect("removed");
    }
    // Which of two is meant cannot be known.
    for place in ["logs.manifest.json", "logs/manifest.json"] {
        fs::write(ledger.folder.path().join(place), &ledger.manifest).expect("a file");
    }
    let (code, _, stop) = ledger.run(&["logs"]);
    assert!(code == 2 && stop.contains("logs.manifest.json") && stop.contains("--manifest"), "{stop}");
    fs::remove_file(ledger.logs().join("manifest.json")).expect("removed");
    // In the folder itself it is the same.
    fs::write(ledger.folder.path().join("logs.manifest.json"), &ledger.manifest).expect("a file");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let inside = command.current_dir(ledger.logs()).args([".", "--key", "../pk.pem", "--quiet"]).status();
    assert_eq!(inside.expect("the program starts").code(), Some(0));
}

#[test]
fn folders_and_files_are_parts_in_the_order_given() {
    let ledger = Ledger::new(40);
    ledger.write("2.jsonl", 20..30);
    ledger.write("1.jsonl", 10..20);
    for (name, rows) in [("first", 0..10), ("last", 30..40)] {
        fs::write(ledger.folder.path().join(name), ledger.lines[rows].concat()).expect("a file");
    }
    let report = ledger.report(&["first", "logs", "last"]);
    assert_eq!(names(&report), ["first", "logs/1.jsonl", "logs/2.jsonl", "last"]);
    assert_eq!(report["finding_counts"], serde_json::json!({ "no-anchor": 1 }));
    assert_eq!(report["environment"]["folders"][0]["taken"][0]["part"], 1);
    // Not sorted by what they hold: the user gave an order.
    assert_eq!(ledger.report(&["last", "logs", "first"])["exit_code"], 1);
}

#[test]
fn hostile_names_are_tame() {
    use std::os::unix::ffi::OsStrExt;
    let ledger = Ledger::new(20);
    ledger.write("-x\u{1b}[2K\n✓ verified.jsonl", 0..10);
    let invalid = std::ffi::OsStr::from_bytes(b"z\xff.jsonl");
    fs::write(ledger.logs().join(invalid), ledger.lines[10..20].concat()).expect("a file");
    ledger.put("\u{202e}txt.daer", b"text");
    let (code, text, _) = ledger.run(&["logs"]);
    assert_eq!(code, 3, "{text}");
    assert!(text.contains("logs/-x\\u{1b}[2K\\u{a}✓ verified.jsonl  10 rows"), "{text}");
    assert!(text.contains("left: \"\\u{202e}txt.daer\" ("), "{text}");
    ledger.report(&["logs"]);
}

#[test]
fn more_files_than_may_be_open() {
    let ledger = Ledger::new(700);
    for row in 0..700 {
        let ending = if row % 2 == 0 { "" } else { ".gz" };
        ledger.write(&format!("p-{row}.jsonl{ending}"), row..row + 1);
    }
    fs::write(ledger.folder.path().join("logs.manifest.json"), &ledger.manifest).expect("a file");
    let mut shell = Command::new("sh");
    shell.current_dir(ledger.folder.path()).args(["-c", "ulimit -n 200 && exec \"$0\" logs --key pk.pem"]);
    let done = shell.arg(env!("CARGO_BIN_EXE_ledger-verify")).output().expect("a shell");
    let (out, err) = (String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert_eq!(done.status.code(), Some(0), "{out}{err}");
    assert!(out.contains("… and 684 more files  684 rows\n  folder logs: 700 files, by first sequence\n"), "{out}");
}
