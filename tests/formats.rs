//! The formats that are built in, on small exports that the real packages wrote: each is told by its rows,
//! damage beside them or not, and judged as if it had been named.

use std::fs;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledger_verify::profile;
use serde_json::Value;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats")
}

/// The formats with an export, and the arguments that name its keys.
fn formats() -> Vec<(String, Vec<String>)> {
    let entries = fs::read_dir(folder()).expect("the formats").map(|entry| entry.expect("an entry").path());
    let mut formats: Vec<(String, Vec<String>)> = entries
        .filter(|path| path.is_dir())
        .map(|path| {
            let name = path.file_name().expect("a name").to_string_lossy().into_owned();
            let arguments = fs::read(path.join("args.json")).expect("its arguments");
            (name, serde_json::from_slice(&arguments).expect("JSON"))
        })
        .collect();
    formats.sort();
    assert!(formats.len() > 20, "{}", formats.len());
    formats
}

fn export(format: &str) -> Vec<u8> {
    fs::read(folder().join(format).join("export.jsonl")).expect("an export")
}

/// Exit code and report of these bytes, given by standard input.
fn run(format: &str, bytes: &[u8], arguments: &[&str]) -> (i32, Value) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.current_dir(folder().join(format)).args(["-", "--json"]).args(arguments);
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("its input").write_all(bytes).expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    (done.status.code().expect("a code"), serde_json::from_slice(&done.stdout).expect("JSON"))
}

fn is_detected(format: &str, report: &Value) {
    let found = (&report["profile"]["name"], &report["profile"]["source"]);
    assert_eq!(found, (&Value::from(format), &Value::from("detected")), "{format}: {}", report["stop"]);
}

fn words(arguments: &[String]) -> Vec<&str> {
    arguments.iter().map(String::as_str).collect()
}

#[test]
fn every_profile_compiles_under_its_own_name() {
    for name in profile::names() {
        let plan = profile::builtin(name).expect(name);
        assert_eq!(plan.name, name);
        assert!(!plan.about.is_empty(), "{name} does not say what it is");
        assert!(name == profile::HOME || !plan.versions.is_empty(), "{name} does not say what it was tried with");
    }
}

#[test]
fn each_format_is_told_by_its_rows_and_judged_as_if_it_were_named() {
    for (format, arguments) in formats() {
        let (code, detected) = run(&format, &export(&format), &words(&arguments));
        is_detected(&format, &detected);
        let bounds: Vec<&str> = detected["findings"]
            .as_array()
            .expect("findings")
            .iter()
            .filter(|finding| finding["class"] == "bound")
            .filter_map(|finding| finding["code"].as_str())
            .collect();
        assert_eq!((code, bounds.as_slice()), (3, &["no-anchor"][..]), "{format}");
        let limit = |report: &Value| report["limits"].to_string().contains("The format was detected from the rows");
        assert!(limit(&detected), "{format}");
        let named: Vec<&str> = words(&arguments).into_iter().chain(["--profile", &format]).collect();
        let (code, named) = run(&format, &export(&format), &named);
        assert_eq!((code, &named["profile"]["source"]), (3, &Value::from("builtin")), "{format}");
        assert_eq!(named["report_id"], detected["report_id"], "{format}");
        assert!(!limit(&named), "{format}");
    }
}

#[test]
fn damage_before_and_among_the_rows_hides_no_format() {
    for (format, arguments) in formats() {
        let whole = export(&format);
        let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
        let broken = |bytes: Vec<u8>, what: &str| {
            let (code, report) = run(&format, &bytes, &words(&arguments));
            is_detected(&format, &report);
            assert_eq!(code, 1, "{format}: {what}");
        };
        broken([b"garbage\n{\"a\":1}\n\n", whole.as_slice()].concat(), "other lines first");
        broken([b"{\"torn\":\n", &*lines[1..].concat()].concat(), "the first row torn");
        // Rows from the second on are a partial export, with a byte order mark and a blank line before them.
        let rest = [b"\xef\xbb\xbf\n", &*lines[1..].concat()].concat();
        let (_, report) = run(&format, &rest, &words(&arguments));
        is_detected(&format, &report);
    }
}

#[test]
fn a_mac_without_its_secret_is_told_by_its_shape() {
    let (code, report) = run("bernstein", &export("bernstein"), &[]);
    is_detected("bernstein", &report);
    assert_eq!(code, 3);
    assert_eq!(report["finding_counts"]["no-key"], 1);
}

/// A key for signatures that the rows of the detected format do not have: whoever took them off chose the
/// format with them.
#[test]
fn a_key_that_a_detected_format_does_not_use_is_never_green() {
    let key = folder().join("noirebox/key.pub.hex");
    let key = key.to_string_lossy();
    let head = String::from_utf8(export("vaara")).expect("text");
    let last: Value = serde_json::from_str(head.lines().last().expect("a row")).expect("JSON");
    let anchored = ["--head", last["record_hash"].as_str().expect("a digest"), "--key", &key];
    let (code, report) = run("vaara", head.as_bytes(), &anchored);
    is_detected("vaara", &report);
    assert_eq!((code, &report["finding_counts"]["key-unused"]), (3, &Value::from(1)));
    let (code, _) = run("vaara", head.as_bytes(), &anchored[..2]);
    assert_eq!(code, 0, "without the key nothing is left open");
}

#[test]
fn what_is_no_known_format_is_a_stop_that_names_the_nearest() {
    let near = String::from_utf8(export("vaara")).expect("text").replace("\"tool_name\"", "\"tool\"");
    let (code, report) = run("vaara", near.as_bytes(), &[]);
    assert_eq!((code, &report["stop"]["code"]), (2, &Value::from("profile")));
    let message = report["stop"]["message"].as_str().expect("a message");
    assert!(message.contains("nearest vaara: 9 of 10 members; digest does not fit"), "{message}");
    assert!(report["stop"]["hint"].as_str().expect("a hint").contains("--profile NAME"));
}

#[test]
fn several_exports_are_told_one_by_one() {
    let exports = ["vaara", "ssb", "bernstein"].map(|format| folder().join(format).join("export.jsonl"));
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let done = program.args(["--each", "--json"]).args(&exports).output().expect("the program starts");
    let reports: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    assert_eq!(reports.as_array().map(Vec::len), Some(3));
    for (report, format) in reports.as_array().expect("reports").iter().zip(["vaara", "ssb", "bernstein"]) {
        is_detected(format, report);
    }
    assert_eq!(done.status.code(), Some(3));
}

/// Parts, compressed or in a folder, are looked at like one file.
#[test]
fn parts_and_folders_show_their_format() {
    let whole = export("noirebox");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    let place = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| fs::write(place.path().join(name), bytes).expect("written");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(&lines[..2].concat()).expect("compressed");
    write("part-1.jsonl.gz", &gzip.finish().expect("compressed"));
    write("part-2.jsonl", &lines[2..].concat());
    write("README.txt", b"not a row\n");
    let key = folder().join("noirebox/key.pub.hex");
    let parts = ["part-1.jsonl.gz", "part-2.jsonl"].map(|name| place.path().join(name));
    let mut ids = Vec::new();
    for exports in [vec![place.path().to_owned()], parts.to_vec()] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        let done = program.args(&exports).arg("--key").arg(&key).arg("--json").output().expect("the program starts");
        let report: Value = serde_json::from_slice(&done.stdout).expect("JSON");
        is_detected("noirebox", &report);
        assert_eq!(done.status.code(), Some(3));
        ids.push(report["report_id"].clone());
    }
    assert_eq!(ids[0], ids[1]);
}

/// What a format itself leaves open is told as limits.
#[test]
fn limits_follow_from_the_format() {
    let said = |format: &str, arguments: &[&str], words: &str| {
        let (_, report) = run(format, &export(format), arguments);
        report["limits"].as_array().expect("limits").iter().any(|limit| limit.as_str().expect("text").contains(words))
    };
    assert!(said("git-ssh-signed", &[], "SHA-1") && !said("vaara", &[], "SHA-1"));
    let mac = "with the shared secret";
    assert!(said("bernstein", &["--key", "key.hmac"], mac) && !said("bernstein", &[], mac));
    let last = "no row follows the last one";
    assert!(said("aat-mcp", &[], last), "neither signed, as far as was checked, nor anchored");
    assert!(!said("aat-mcp", &["--key", "key.pub.pem"], last), "its signature was checked");
    assert!(!said("vaara", &[], last), "rows state their own digest");
    let partly = "Only some rows";
    assert!(said("mnestiq", &["--key", "key.pub.hex"], partly));
    assert!(!said("noirebox", &["--key", "key.pub.hex"], partly));
}
