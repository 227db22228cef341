//! What comes out of the process: of the schema, harmless on a terminal, and the same from a pipe.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use ledger_verify::audit::Wanted;
use ledger_verify::report::escape::is_unsafe;
use ledger_verify::report::explained::Status;
use ledger_verify::stop::StopCode;
use serde_json::Value;

use crate::{explained, line};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Exit code and standard output; standard error must be empty.
fn run(arguments: &[&str], input: &[u8]) -> (i32, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(root()).arg("explain").args(arguments);
    let mut child =
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    // A program that needs no more of it may be gone.
    let _ = child.stdin.take().expect("a pipe").write_all(input);
    let done = child.wait_with_output().expect("the program ends");
    assert_eq!(String::from_utf8_lossy(&done.stderr), "", "{arguments:?}");
    (done.status.code().expect("a code"), String::from_utf8(done.stdout).expect("UTF-8"))
}

fn schema() -> jsonschema::Validator {
    let text = fs::read_to_string(root().join("docs/report.schema.json")).expect("the schema");
    jsonschema::draft202012::new(&serde_json::from_str(&text).expect("JSON")).expect("a schema")
}

const FILES: &str = "tests/cmd/files/explain";

#[test]
fn json_is_of_the_schema() {
    let schema = schema();
    let file = |name: &str| format!("{FILES}/{name}");
    for (export, profile, key, lines) in [
        (file("waxseal.jsonl"), "waxseal".to_owned(), None, 3),
        (file("ssb.jsonl"), "ssb".to_owned(), Some(file("ssb.hex")), 3),
        (file("trailproof.jsonl"), "trailproof".to_owned(), Some(file("trailproof.key")), 3),
        (file("noirebox.jsonl"), file("short.toml"), Some(file("trust-ledger-core.hex")), 3),
        (file("trust-ledger-core.jsonl"), "trust-ledger-core".to_owned(), None, 3),
        ("testdata/faults/not-json/export.jsonl".to_owned(), "void".to_owned(), None, 8),
        ("testdata/faults/field-malformed/export.jsonl".to_owned(), "void".to_owned(), None, 8),
        ("testdata/faults/signature-missing/export.jsonl".to_owned(), "void".to_owned(), None, 8),
    ] {
        for number in 1..=lines {
            let number = number.to_string();
            let mut arguments = vec![export.as_str(), "--profile", &profile, "--json", "--line", &number];
            arguments.extend(key.iter().flat_map(|key| ["--key", key.as_str()]));
            let (code, out) = run(&arguments, b"");
            let value: Value = serde_json::from_str(&out).expect("JSON");
            let wrong: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
            assert!(wrong.is_empty(), "{arguments:?}: {wrong:?}\n{out}");
            assert_eq!((&value["schema"], &value["exit_code"]), (&"ledger-verify.explain/v1".into(), &code.into()));
            assert_eq!(value["place"]["line"].to_string(), number);
        }
    }
}

/// The members of the row, its canonical text and its spelling are all hostile.
#[test]
fn nothing_of_a_row_commands_a_terminal() {
    let prefix = "[profile]\nname = \"t\"\n[fields]\nseq = \"seq\"\nhash = \"hash\"\ntimestamp = \"at\"\n[chain]\ngenesis = { null = true }\n";
    let toml = format!(
        "{prefix}[[hash]]\npreimage = [ {{ prev = \"hex\" }}, {{ json = {{ exclude = [\"hash\"] }} }}, {{ field = \"at\" }} ]\n"
    );
    let row = "{\"seq\":0,\"at\":\"\u{1b}[2J\u{202e}\u{9b}31m\",\"\u{1b}]0;x\u{7}\":1,\"hash\":\"\u{1b}[0m\u{200b}\"}"
        .replace('\u{1b}', "\\u001b")
        .replace('\u{7}', "\\u0007");
    let folder = tempfile::tempdir().expect("a folder");
    let profile = folder.path().join("t.toml");
    fs::write(&profile, toml).expect("a profile");
    let profile = profile.to_string_lossy();
    for more in [&["--full"][..], &["--json"], &["--json", "--full"], &[]] {
        let arguments = [&["-", "--line", "1", "--profile", &profile][..], more].concat();
        let (code, out) = run(&arguments, row.as_bytes());
        assert_eq!(code, 1, "{out}");
        assert!(out.contains("u{202e}") && out.contains("u{1b}"), "{out}");
        let bad: Vec<char> = out.chars().filter(|c| is_unsafe(*c) && *c != '\n').collect();
        assert!(bad.is_empty(), "{bad:?} in {out}");
    }
}

#[test]
fn a_pipe_and_a_file_are_explained_alike() {
    let export = fs::read(root().join("testdata/acme/export.jsonl")).expect("the export");
    let key = ["--key", "testdata/acme/pk.pem", "--seq", "1234", "--json"];
    let of = |name: &str, input: &[u8]| {
        let (code, out) = run(&[&[name][..], &key].concat(), input);
        let mut value: Value = serde_json::from_str(&out).expect("JSON");
        value["subject"].take();
        (code, value)
    };
    let piped = of("-", &export);
    assert_eq!(piped, of("testdata/acme/export.jsonl", b""));
    assert_eq!((piped.0, &piped.1["place"]["line"]), (0, &1234.into()));
}

/// What stands in the row's line decides, not that other rows of the export are wrong.
#[test]
fn other_rows_do_not_matter_and_the_row_before_does() {
    let export = fs::read_to_string(root().join("testdata/faults/hash-mismatch/export.jsonl")).expect("the export");
    let rows: Vec<&str> = export.lines().collect();
    let of = |rows: &[&str], number| explained(rows.join("\n").as_bytes(), "void", &[], &line(number)).expect("a row");
    assert_eq!(of(&rows, 4).exit_code(), 3, "no key");
    assert_eq!(of(&rows, 5).exit_code(), 1);
    let without: Vec<&str> = rows[..5].iter().chain(&rows[6..]).copied().collect();
    let told = of(&without, 6);
    let link = told.link.expect("a link");
    assert_eq!((link.status, link.before.map(|place| place.line)), (Status::Fails, Some(5)));
    assert!(link.expected.len() == 2 && !link.expected.contains(&link.stated.expect("a link")), "{:?}", link.expected);
}

#[test]
fn a_number_that_several_rows_have_is_a_stop() {
    let one = fs::read_to_string(root().join(FILES).join("noirebox.jsonl")).expect("the export");
    let wanted = |chain: Option<&str>| Wanted::Sequence { number: 2, chain: chain.map(str::to_owned) };
    let twice = format!("{one}{one}");
    let stop = explained(twice.as_bytes(), "noirebox", &[], &wanted(None)).expect_err("two rows");
    assert_eq!((stop.code, stop.message.as_str()), (StopCode::Row, "several rows have the sequence 2: lines 2, 5"));
    assert_eq!(explained(one.as_bytes(), "noirebox", &[], &wanted(None)).expect("one row").place.line, 2);
    let stop = explained(one.as_bytes(), "noirebox", &[], &wanted(Some("x"))).expect_err("no such chain");
    assert_eq!(stop.code, StopCode::Row);
}

/// Where each row's digest depends on the row before, that one is found in the export: the tenth row of a
/// ledger that states no predecessor.
#[test]
fn a_digest_that_needs_the_row_before() {
    let toml = "[profile]\nname = \"t\"\n[fields]\nseq = \"n\"\nhash = \"h\"\n[chain]\ngenesis = \"\"\n\
                [[hash]]\npreimage = [ { prev = \"utf8\" }, \"|\", { field = \"n\" } ]\n";
    use sha2::{Digest, Sha256};
    let (mut prev, mut export) = (String::new(), String::new());
    for number in 0..10 {
        prev = data_encoding::HEXLOWER.encode(&Sha256::digest(format!("{prev}|{number}")));
        export.push_str(&format!("{{\"n\":{number},\"h\":\"{prev}\"}}\n"));
    }
    for number in 1..=10 {
        let told = explained(export.as_bytes(), toml, &[], &line(number)).expect("a row");
        assert_eq!((told.exit_code(), told.digest.expect("a digest").status), (0, Status::Holds), "line {number}");
    }
}
