//! Whole ledgers, chained by the twin and judged by the program.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;
use sha2::{Digest as _, Sha256};

use crate::oracle;

/// The rows of a ledger, one for each text of an object without `chain`.
fn ledger(rows: &[&str]) -> Vec<String> {
    let mut prev = "genesis".to_owned();
    rows.iter()
        .map(|row| {
            let body = oracle::print(&oracle::read(row).expect("a row").tree, true, false);
            prev = hex(&Sha256::digest([prev.as_bytes(), &body].concat()))[..32].to_owned();
            format!("{}, \"chain\": \"{prev}\"}}", row.trim_end().strip_suffix('}').expect("an object"))
        })
        .collect()
}

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

const ROWS: [&str; 6] = [
    r#"{"n": 1, "tool": "a"}"#,
    r#"{"n": NaN, "m": [-Infinity, 1e400, -0, -0.0, 1743746592.00390625, 123456789012345678901234567890]}"#,
    r#"{"\ud83d\ude00": 1, "\ufb00": 2, "s": "\ud800 \u007f \u2028", "chain2": {"chain": 3}}"#,
    "{\"t\": \"a\u{2028}b\u{85}c\u{feff}\u{7f}\"}",
    r#"{"n":1E5,"o":{},"p":[]}"#,
    r#"{"ts": "2026-01-01T00:00:04Z"}"#,
];

fn run(arguments: &[&str], input: &[u8]) -> (i32, Value) {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.args(["--json", "--accept", "no-anchor"]).args(arguments);
    let mut child = program.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().expect("the program starts");
    child.stdin.take().expect("its input").write_all(input).expect("it reads");
    let done = child.wait_with_output().expect("it ends");
    (done.status.code().expect("a code"), serde_json::from_slice(&done.stdout).expect("JSON"))
}

/// Code and line of the faults of these bytes.
fn faults(bytes: &[u8]) -> (i32, Vec<(String, u64)>) {
    let (code, report) = run(&["-", "--profile", "arcaeon"], bytes);
    let findings =
        report["findings"].as_array().expect("findings").iter().filter(|finding| finding["class"] == "fault");
    let of =
        |finding: &Value| (finding["code"].as_str().expect("a code").to_owned(), finding["line"].as_u64().unwrap_or(0));
    (code, findings.map(of).collect())
}

fn fault(code: &str, line: u64) -> (String, u64) {
    (code.to_owned(), line)
}

#[test]
fn any_ends_of_lines_and_white_space_around_rows_verify() {
    let rows = ledger(&ROWS);
    for end in ["\n", "\r\n", "\r", "\r\r\n", "\n\u{3000}\u{1f} \r", " \u{85}\n\u{a0}", "\n\u{2028}\n"] {
        for last in ["", end] {
            let bytes = format!("{}{last}", rows.join(end)).into_bytes();
            let folder = tempfile::tempdir().expect("a folder");
            let path = folder.path().join("ledger.jsonl");
            std::fs::write(&path, &bytes).expect("a file");
            let named = path.to_str().expect("a name");
            for (arguments, input) in [([named], &[][..]), (["-"], &bytes)] {
                let arguments = [&arguments[..], &["--profile", "arcaeon"]].concat();
                let (code, report) = run(&arguments, input);
                assert_eq!((code, &report["coverage"]["digests"]), (0, &Value::from(6)), "{end:?} {report}");
            }
        }
    }
}

#[test]
fn several_parts_and_compressed_ones_are_one_ledger() {
    let rows = ledger(&ROWS);
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, bytes: &[u8]| -> PathBuf {
        let path = folder.path().join(name);
        std::fs::write(&path, bytes).expect("a file");
        path
    };
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
    gzip.write_all(format!("\n{}\r{}", rows[2], rows[3]).as_bytes()).expect("compressed");
    let parts = [
        write("a.jsonl", format!("{}\r{}\r", rows[0], rows[1]).as_bytes()),
        write("b.jsonl.gz", &gzip.finish().expect("compressed")),
        write("c.jsonl", format!("{}\r\n\r{}\n", rows[4], rows[5]).as_bytes()),
    ];
    let names: Vec<&str> = parts.iter().filter_map(|path| path.to_str()).collect();
    let (code, report) = run(&[&names[..], &["--profile", "arcaeon"]].concat(), b"");
    assert_eq!((code, &report["coverage"]["rows"]), (0, &Value::from(6)), "{report}");
}

#[test]
fn the_format_is_told_by_its_rows() {
    let (code, report) = run(&["-"], ledger(&ROWS).join("\r\n").as_bytes());
    assert_eq!((code, &report["profile"]["name"]), (0, &Value::from("arcaeon")), "{report}");
    assert_eq!(report["profile"]["source"], "detected");
    // Only where lines end at CR is each a row.
    let (code, _) = run(&["-"], format!("{}\n{}", ledger(&ROWS).join("\n"), "\u{3000}\r").as_bytes());
    assert_eq!(code, 0);
}

#[test]
fn invalid_bytes_are_replaced_and_not_hashed_as_they_are() {
    let rows = ledger(&["{\"a\": \"\u{fffd}\"}", "{\"b\": \"\u{fffd}\u{fffd}\u{fffd}\"}", r#"{"c": 1}"#]);
    let mut bytes = Vec::new();
    for (row, from, to) in
        [(0, "\u{fffd}", &b"\xff"[..]), (1, "\u{fffd}\u{fffd}\u{fffd}", b"\xed\xa0\x80"), (2, "none", b"")]
    {
        let row = rows[row].as_bytes();
        match row.windows(from.len()).position(|window| window == from.as_bytes()) {
            Some(at) => bytes.extend([&row[..at], to, &row[at + from.len()..]].concat()),
            None => bytes.extend(row),
        }
        bytes.push(b'\n');
    }
    assert!(std::str::from_utf8(&bytes).is_err());
    assert_eq!(faults(&bytes), (0, Vec::new()));
}

#[test]
fn a_name_twice_is_one_fault_and_the_last_value_is_judged() {
    let rows = ledger(&ROWS);
    let twice = rows[0].replacen("{\"n\": 1", "{\"n\": 7, \"tool\": {\"q\":1,\"q\":2}, \"n\": 1", 1);
    let other = rows[4].replacen("{\"n\":1E5", "{\"n\":1E5,\"n\":2", 1);
    let lines = [&twice, &rows[1], &rows[2], &rows[3], &other, &rows[5]];
    let bytes = lines.map(String::as_str).join("\n");
    let expected = vec![fault("duplicate-key", 1), fault("duplicate-key", 5), fault("hash-mismatch", 5)];
    assert_eq!(faults(bytes.as_bytes()), (1, expected));
    // The row before the chain, and a line that is no row.
    let bytes = format!("{{\"a\":1,\"a\":2}}\n[{{\"q\":1,\"q\":2}}]\n{}", rows.join("\n"));
    let expected = vec![fault("duplicate-key", 1), fault("not-an-object", 2), fault("duplicate-key", 2)];
    let (code, found) = faults(bytes.as_bytes());
    assert_eq!(code, 1);
    assert_eq!(sorted(found), sorted(expected));
    // A line that is no JSON as a whole is that alone.
    let bytes = format!("{}\n{{\"a\":{{\"b\":1,\"b\":2}}\n", rows.join("\n"));
    assert_eq!(faults(bytes.as_bytes()), (1, vec![fault("not-json", 7)]));
}

fn sorted(mut faults: Vec<(String, u64)>) -> Vec<(String, u64)> {
    faults.sort();
    faults
}

#[test]
fn what_is_no_row_is_one_fault() {
    let rows = ledger(&ROWS);
    let deep = format!("{{\"a\":{}{}}}", "[".repeat(900), "]".repeat(900));
    for (line, code) in [
        ("\u{feff}{}", "not-json"),
        ("{\"a\":01}", "not-json"),
        ("\u{200b}", "not-json"),
        ("\u{180e}{}", "not-json"),
        ("\0", "not-json"),
        ("12", "not-an-object"),
        ("NaN", "not-an-object"),
        (&deep, "nesting-too-deep"),
    ] {
        let bytes = format!("{}\n{line}", rows.join("\n"));
        assert_eq!(faults(bytes.as_bytes()), (1, vec![fault(code, 7)]), "{line:?}");
    }
}

#[test]
fn a_first_line_that_is_an_array_is_a_fault_and_no_other_form() {
    let bytes = format!("[1]\r{}", ledger(&ROWS).join("\r"));
    assert_eq!(faults(bytes.as_bytes()), (1, vec![fault("not-an-object", 1)]));
}

#[test]
fn the_line_of_a_row_is_its_decoded_and_trimmed_text() {
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("line.toml");
    let text = r#"
[profile]
name = "line"
[input]
dialect = "python"
[fields]
prev = "prev"
[chain]
genesis = { null = true }
[[hash]]
preimage = [ { line = true } ]
"#;
    std::fs::write(&profile, text).expect("a profile");
    let first = "{\"a\": \"\u{fffd}\",  \"b\": NaN, \"prev\": null}";
    let prev = hex(&Sha256::digest(first));
    let mut bytes = b"\xc2\xa0 {\"a\": \"\xff\",  \"b\": NaN, \"prev\": null}\x1f\t\r".to_vec();
    bytes.extend(format!("{{\"prev\": \"{prev}\"}}").bytes());
    let run = |bytes: &[u8]| run(&["-", "--profile", profile.to_str().expect("a name")], bytes);
    let (_, report) = run(&bytes);
    assert_eq!(report["finding_counts"]["link-broken"], Value::Null, "{report}");
    assert_eq!(report["coverage"]["rows"], 2);
    // Spacing inside the row is a part of it.
    let at = bytes.windows(2).position(|two| two == b"  ").expect("two spaces");
    bytes.remove(at);
    let (code, report) = run(&bytes);
    assert_eq!((code, &report["finding_counts"]["link-broken"]), (1, &Value::from(1)), "{report}");
}

#[test]
fn combinations_that_cannot_be_are_stops() {
    let folder = tempfile::tempdir().expect("a folder");
    let base = "[profile]\nname = \"x\"\n[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"\"\n[[hash]]\npreimage = [ { json = { exclude = [\"h\"] } } ]\n";
    for (more, key) in [
        ("[input]\ndialect = \"python\"\narray = \"rows\"\n", "dialect"),
        ("[input]\ndialect = \"python\"\nformat = \"lines\"\nregex = '(?P<p>.)(?P<h>.)'\n", "dialect"),
        ("[input]\ndialect = \"python\"\nparse_json = [\"a\"]\n", "parse_json"),
        ("[input]\ndialect = \"python\"\n[[link]]\nfield = \"a\"\nprevious = \"b\"\n", "dialect"),
        ("[input]\ndialect = \"ruby\"\n", "ruby"),
    ] {
        let profile = folder.path().join("x.toml");
        std::fs::write(&profile, format!("{base}{more}")).expect("a profile");
        let (code, report) = run(&["-", "--profile", profile.to_str().expect("a name")], b"{}");
        let message = report["stop"]["message"].as_str().expect("a stop");
        assert!(code == 2 && message.contains(key), "{message}");
    }
}

/// The ledgers that the package itself wrote and damaged, where the shared folder is present: those whose
/// verdict rests on reading and hashing alone.
#[test]
fn ledgers_of_the_package() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/formats/arcaeon");
    let Ok(index) = std::fs::read(root.join("index.json")) else {
        println!("the shared folder is not there: nothing is tried");
        return;
    };
    let index: Value = serde_json::from_slice(&index).expect("JSON");
    let mut tried = 0;
    for entry in index["ledgers"].as_array().expect("ledgers") {
        let text = |of: &Value, name: &str| of[name].as_str().unwrap_or_default().to_owned();
        let file = std::fs::read(root.join(text(entry, "expected"))).expect("what is expected");
        let expected: Value = serde_json::from_slice(&file).expect("JSON");
        let verify = entry["recommended"].get("verify").unwrap_or(&expected["verify"]);
        if entry["exists"] == false || verify["ok"] != true {
            continue;
        }
        let path = root.join(text(entry, "file"));
        let (code, report) = run(&[path.to_str().expect("a name"), "--profile", "arcaeon"], b"");
        assert_eq!((code, &report["coverage"]["digests"]), (0, &verify["chained"]), "{}", path.display());
        tried += 1;
    }
    assert!(tried > 20, "{tried}");
}
