//! Breaks that a ledger declares, from the file to the report: through pipes, compressed, in parts, and far
//! from their lines.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Stdio};

use serde_json::Value;
use sha2::{Digest, Sha256};

/// The text of a row after one that is named `prev`, and its name. `members` stand as Python prints them, sorted.
fn row(prev: &str, members: &str) -> (String, String) {
    let name = data_encoding::HEXLOWER.encode(&Sha256::digest(format!("{prev}{{{members}}}")))[..32].to_owned();
    (format!("{{{members}, \"chain\": \"{name}\"}}"), name)
}

/// A ledger of this many rows of which the one on this line has no link, and which declares that at its end or
/// in its second line.
fn ledger(rows: usize, orphan_line: usize, at_end: bool) -> String {
    let orphan = format!("{{\"n\": {orphan_line}}}");
    let (mut out, mut prev) = (String::new(), "genesis".to_owned());
    for line in 1..=rows {
        let declares = line == if at_end { rows } else { 2 };
        let members = match declares {
            true => {
                // Resumed is with what stands before the orphan, which is known where the declaration comes after it.
                let pin = data_encoding::HEXLOWER.encode(&Sha256::digest(&orphan));
                let resume = if at_end { String::new() } else { "\"resume_prev\": \"anew\", ".to_owned() };
                format!(
                    "\"op\": \"chain_break_declared\", \"orphan_line\": {orphan_line}, \"orphan_sha256\": \"{pin}\", \
                     {resume}\"why\": \"power cut\""
                )
            }
            false => format!("\"n\": {line}, \"text\": \"{}\"", "x".repeat(100)),
        };
        let text = if line == orphan_line {
            prev = if at_end { "genesis" } else { "anew" }.to_owned();
            orphan.clone()
        } else {
            let (text, name) = row(&prev, &members);
            prev = name;
            text
        };
        out += &text;
        out.push('\n');
    }
    out
}

fn report(arguments: &[&str], folder: &Path, input: Option<&[u8]>) -> Value {
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.args(arguments).args(["--profile", "arcaeon", "--accept", "no-anchor", "--json"]).current_dir(folder);
    let mut child =
        program.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("the program");
    let mut pipe = child.stdin.take().expect("a pipe");
    let input = input.unwrap_or_default().to_vec();
    let writer = std::thread::spawn(move || {
        let _ = pipe.write_all(&input);
    });
    let done = child.wait_with_output().expect("it ends");
    writer.join().expect("the writer");
    let value: Value = serde_json::from_slice(&done.stdout).expect("JSON");
    let schema =
        fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/docs/report.schema.json")).expect("the schema");
    let schema = jsonschema::draft202012::new(&serde_json::from_str(&schema).expect("JSON")).expect("a schema");
    let wrong: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert_eq!(wrong, [] as [String; 0], "{value:#}");
    value
}

fn is_excused(report: &Value, line: u64) {
    assert_eq!((&report["verdict"], &report["exit_code"]), (&"bounded".into(), &3.into()), "{report:#}");
    let counts = report["finding_counts"].as_object().expect("counts");
    assert_eq!(counts.keys().collect::<Vec<_>>(), ["no-anchor", "declared-break"]);
    assert_eq!(report["coverage"]["declared"], 1);
    let declared = &report["declared_breaks"][0];
    assert_eq!(
        (&declared["of_line"], &declared["pin_holds"], &declared["excuses"]),
        (&line.into(), &true.into(), &true.into())
    );
}

#[test]
fn a_declaration_works_however_it_comes() {
    let folder = tempfile::tempdir().expect("a folder");
    for (at_end, rows, orphan_line) in [(true, 6, 4), (false, 6, 4), (true, 100_000, 4), (false, 3_000, 2_900)] {
        let text = ledger(rows, orphan_line, at_end);
        fs::write(folder.path().join("export.jsonl"), &text).expect("a file");
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(text.as_bytes()).expect("compressed");
        fs::write(folder.path().join("export.gz"), gzip.finish().expect("compressed")).expect("a file");
        let of_file = report(&["export.jsonl"], folder.path(), None);
        is_excused(&of_file, orphan_line as u64);
        for other in [report(&["export.gz"], folder.path(), None), report(&["-"], folder.path(), Some(text.as_bytes()))]
        {
            assert_eq!(other["report_id"], of_file["report_id"], "{at_end} {rows}");
        }
    }
}

#[test]
fn lines_are_those_of_all_parts_together() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = ledger(9, 7, true);
    for ends in ["\n", "\r\n", "\r"] {
        let lines: Vec<String> = text.lines().map(|line| format!("{line}{ends}")).collect();
        for (part, lines) in ["a.jsonl", "b.jsonl", "c.jsonl"].into_iter().zip(lines.chunks(3)) {
            fs::write(folder.path().join(part), lines.concat()).expect("a file");
        }
        let found = report(&["a.jsonl", "b.jsonl", "c.jsonl"], folder.path(), None);
        is_excused(&found, 7);
        let finding =
            found["findings"].as_array().expect("findings").iter().find(|one| one["code"] == "declared-break");
        let place = finding.map(|finding| (finding["part"].as_u64(), finding["line"].as_u64()));
        assert_eq!(place, Some((Some(2), Some(1))));
    }
}

#[test]
fn strict_honours_none_and_lists_all() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("export.jsonl"), ledger(6, 4, false)).expect("a file");
    let found = report(&["export.jsonl", "--strict"], folder.path(), None);
    assert_eq!((&found["verdict"], &found["coverage"]["declared"]), (&"broken".into(), &0.into()));
    // The row behind it goes on from what the declaration says, which a strict walk does not know.
    assert_eq!(found["finding_counts"]["unchained-row"], 1);
    assert_eq!(found["finding_counts"]["hash-mismatch"], 1);
    let declared = &found["declared_breaks"][0];
    assert_eq!(
        (&declared["pin_holds"], &declared["excuses"], &declared["why"]),
        (&true.into(), &false.into(), &"power cut".into())
    );
}

#[test]
fn explain_knows_what_is_declared() {
    let folder = tempfile::tempdir().expect("a folder");
    fs::write(folder.path().join("export.jsonl"), ledger(6, 4, false)).expect("a file");
    let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    program.args(["explain", "export.jsonl", "--row", "5", "--profile", "arcaeon"]).current_dir(folder.path());
    let done = program.output().expect("the program");
    let text = String::from_utf8_lossy(&done.stdout);
    assert!(text.contains("anew") && !text.contains("hash-mismatch"), "{text}");
}

/// A reason is the writer's text.
#[test]
fn a_hostile_reason_is_escaped() {
    let folder = tempfile::tempdir().expect("a folder");
    let text = ledger(6, 4, true).replace("power cut", "\u{202e}\\u001b[2Kcut");
    fs::write(folder.path().join("export.jsonl"), text).expect("a file");
    for json in [&[][..], &["--json"]] {
        let mut program = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        program.args(["export.jsonl", "--profile", "arcaeon"]).args(json).current_dir(folder.path());
        let done = String::from_utf8(program.output().expect("the program").stdout).expect("text");
        assert!(done.contains("[2Kcut") && !done.contains(['\u{1b}', '\u{202e}']), "{done}");
    }
}
