//! The command `report` as a process: an earlier report shown again, and held against files.

use std::fs;
use std::io::Write;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use flate2::Compression;
use flate2::write::GzEncoder;
use serde_json::{Value, json};

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a whole ledger of 8 rows: in one file, in two parts, compressed.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    for name in ["export.jsonl", "part-1.jsonl", "part-2.jsonl", "export.jsonl.gz", "export.manifest.json", "pk.pem"] {
        fs::copy(root().join("tests/cmd/files").join(name), folder.path().join(name)).expect(name);
    }
    folder
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    fed(folder, arguments, b"")
}

/// The same with these bytes on standard input, through a pipe.
fn fed(folder: &Path, arguments: &[&str], bytes: &[u8]) -> (i32, String, String) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ledger-verify"))
        .current_dir(folder)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let mut input = child.stdin.take().expect("a pipe");
    // It need not read what it does not want.
    let _ = input.write_all(bytes);
    drop(input);
    let Output { status, stdout, stderr } = child.wait_with_output().expect("the program ends");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (out, err) = (text(stdout), text(stderr));
    assert!(!err.contains("panicked"), "{err}");
    (status.code().expect("the program ends by itself"), out, err)
}

/// Verify with these arguments, and file the JSON report as `r.json`; the text report and the id.
fn filed(folder: &Path, arguments: &[&str]) -> (String, String) {
    let (code, text, err) = run(folder, &[arguments, &["--report", "json=r.json"]].concat());
    assert!(code != 2, "{err}");
    let report: Value =
        serde_json::from_str(&fs::read_to_string(folder.join("r.json")).expect("a report")).expect("JSON");
    (text, report["report_id"].as_str().expect("an id").to_owned())
}

fn change(folder: &Path, pointer: &str, put: Value) {
    let path = folder.join("r.json");
    let mut report: Value = serde_json::from_str(&fs::read_to_string(&path).expect("a report")).expect("JSON");
    *report.pointer_mut(pointer).expect(pointer) = put;
    fs::write(path, report.to_string()).expect("a report");
}

#[test]
fn show_says_what_was_said_and_not_what_is() {
    for (export, code) in [("verdicts/verified", 0), ("hash-mismatch", 1), ("no-anchor", 3)] {
        let folder = folder();
        if code != 0 {
            let case = root().join("testdata/faults").join(export);
            fs::remove_file(folder.path().join("export.manifest.json")).expect("a manifest");
            for name in ["export.jsonl", "pk.pem"] {
                fs::copy(case.join(name), folder.path().join(name)).expect(name);
            }
        }
        let (text, _) = filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
        let json = fs::read_to_string(folder.path().join("r.json")).expect("a report");
        // Not even the files need be there.
        fs::remove_file(folder.path().join("export.jsonl")).expect("an export");
        // The exit code is no verdict.
        assert_eq!(run(folder.path(), &["report", "show", "r.json"]), (0, text.clone(), String::new()), "{export}");
        let shown = run(folder.path(), &["report", "show", "r.json", "--report", "json=-"]);
        assert_eq!(shown, (0, json.clone(), String::new()), "{export}");
        assert_eq!(fed(folder.path(), &["report", "show", "-"], json.as_bytes()).1, text);
        let (code, out, _) =
            run(folder.path(), &["report", "show", "r.json", "--report", "text=r.txt", "--report", "json=s.json"]);
        assert_eq!((code, out.as_str()), (0, ""));
        assert_eq!(fs::read_to_string(folder.path().join("r.txt")).expect("a text"), text);
        assert_eq!(fs::read_to_string(folder.path().join("s.json")).expect("a report"), json);
    }
}

#[test]
fn show_refuses_what_was_changed() {
    let folder = folder();
    let (_, id) = filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
    change(folder.path(), "/subject/0/rows", json!(9));
    let (code, out, err) = run(folder.path(), &["report", "show", "r.json"]);
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.starts_with("no verdict: r.json: the report was changed after it was written: it states "), "{err}");
    assert!(err.matches("sha256:").count() == 2 && err.contains(&id), "{err}");
    let (code, _, err) = run(folder.path(), &["report", "show", "absent.json"]);
    assert!(code == 2 && err.contains("report absent.json: "), "{err}");
    // The report itself is never written over.
    let (code, _, err) = run(folder.path(), &["report", "show", "r.json", "--report", "text=r.json"]);
    assert!(code == 2 && err.contains("r.json"), "{err}");
}

#[test]
fn check_knows_the_files_again() {
    let folder = folder();
    let (_, id) = filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
    let sha256 = sha256(&folder.path().join("export.jsonl"));
    let check = |more: &[&str]| run(folder.path(), &[&["report", "check", "r.json"], more].concat());
    let (code, out, err) = check(&["export.jsonl"]);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(lines.len(), 6, "{out}");
    assert_eq!(lines[0], format!("r.json  report {id}"));
    assert_eq!(lines[1], "  ✓ its id is that of its members");
    assert_eq!(lines[2], format!("  ✓ export.jsonl  7.2 kB  sha256:{sha256}"));
    assert!(lines[3].starts_with("  – not verified again: the report says verified, by ledger-verify "), "{out}");
    assert_eq!(lines[4], "    to verify it: ledger-verify export.jsonl --key pk.pem");
    assert_eq!(lines[5], "the report describes these files");
    // As an audit reads it: whatever it is called, compressed, through a pipe.
    fs::rename(folder.path().join("export.jsonl"), folder.path().join("moved.log")).expect("a move");
    assert_eq!(check(&["moved.log"]).0, 0);
    assert_eq!(check(&["export.jsonl.gz"]).0, 0);
    let bytes = fs::read(folder.path().join("moved.log")).expect("rows");
    assert_eq!(fed(folder.path(), &["report", "check", "r.json", "-"], &bytes).0, 0);
    // One byte, one byte more, one less.
    let mut other = bytes.clone();
    other[100] ^= 1;
    for other in [&other[..], &[&bytes[..], b"\n"].concat(), &bytes[..bytes.len() - 1]] {
        fs::write(folder.path().join("other.jsonl"), other).expect("rows");
        let (code, out, _) = check(&["other.jsonl"]);
        assert_eq!(code, 1, "{out}");
        assert!(out.contains(&format!("where the report says {} bytes, sha256:{sha256}", bytes.len())), "{out}");
        assert!(out.ends_with("the report does not describe these files\n"), "{out}");
    }
    // The id that was cited.
    assert_eq!(check(&["moved.log", "--id", &id]).0, 0);
    let other = format!("sha256:{}", "0".repeat(64));
    let (code, out, _) = check(&["moved.log", "--id", &other]);
    assert!(code == 1 && out.contains(&format!("✗ the id that was cited is {other}")), "{out}");
    let (code, out, _) = check(&["moved.log", "--json"]);
    let value: Value = serde_json::from_str(&out).expect("JSON");
    assert_eq!((code, &value["describes"], &value["exit_code"]), (0, &json!(true), &json!(0)));
    assert_eq!(value["found"][0]["sha256"], json!(sha256));
    assert_eq!(value["report"]["verdict"], json!("verified"));
    assert_eq!(check(&["moved.log", "--quiet"]), (0, String::new(), String::new()));
    // A report that was changed describes nothing.
    change(folder.path(), "/coverage/rows", json!(9));
    let (code, out, _) = check(&["moved.log"]);
    assert!(code == 1 && out.contains("changed after it was written") && out.contains("does not describe"), "{out}");
}

#[test]
fn check_takes_parts_in_order() {
    let folder = folder();
    filed(folder.path(), &["part-1.jsonl", "part-2.jsonl", "--key", "pk.pem"]);
    let check = |more: &[&str]| run(folder.path(), &[&["report", "check", "r.json"], more].concat());
    assert_eq!(check(&["part-1.jsonl", "part-2.jsonl"]).0, 0);
    for (parts, why) in [
        (&["part-2.jsonl", "part-1.jsonl"][..], "this is part 2 of the report, given in another place"),
        (&["part-1.jsonl"], "part-2.jsonl: not given"),
        (&["part-1.jsonl", "part-2.jsonl", "export.jsonl"], "export.jsonl: the report has no such part"),
        (&["export.jsonl"], "where the report says"),
    ] {
        let (code, out, _) = check(parts);
        assert!(code == 1 && out.contains(why), "{parts:?}: {out}");
    }
    let (code, _, err) = check(&["absent.jsonl"]);
    assert!(code == 2 && err.contains("absent.jsonl"), "{err}");
}

/// A folder stands for the files that were taken of it then.
#[test]
fn check_takes_a_folder_as_it_was_taken() {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    for part in ["part-1.jsonl", "part-2.jsonl"] {
        fs::rename(folder.path().join(part), logs.join(part)).expect("a move");
    }
    filed(folder.path(), &["logs", "--key", "pk.pem"]);
    assert_eq!(run(folder.path(), &["report", "check", "r.json", "logs"]).0, 0);
    // What came later is no part of it.
    fs::write(logs.join("part-3.jsonl"), "{}\n").expect("a file");
    assert_eq!(run(folder.path(), &["report", "check", "r.json", "logs"]).0, 0);
    fs::write(logs.join("part-2.jsonl"), "{}\n").expect("a file");
    assert_eq!(run(folder.path(), &["report", "check", "r.json", "logs"]).0, 1);
}

/// The command that is printed is pasted: its words are foreign, and nothing that was filed is written over.
#[test]
fn check_prints_a_command_that_is_safe_to_paste() {
    let folder = folder();
    filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
    let printed = |arguments: Value| {
        change(folder.path(), "/environment/arguments", arguments);
        let (code, out, _) = run(folder.path(), &["report", "check", "r.json", "export.jsonl"]);
        assert_eq!(code, 0, "{out}");
        let line = out.lines().find_map(|line| line.strip_prefix("    to verify it: ")).expect("a command");
        line.to_owned()
    };
    assert_eq!(
        printed(json!(["/tmp/evil; rm", "$(id)", "`id`", "$HOME", "~/k", "it's", "--key", "a=b", ""])),
        r"ledger-verify '$(id)' '`id`' '$HOME' '~/k' 'it'\''s' --key a=b ''"
    );
    assert_eq!(
        printed(json!([
            "x",
            "a.jsonl",
            "--report",
            "json=r.json",
            "--json",
            "--since",
            "june.json",
            "--report=html=r.html",
            "--quiet",
            "--strict"
        ])),
        "ledger-verify a.jsonl --since june.json --strict"
    );
    // Behind `--` stand names of files.
    assert_eq!(printed(json!(["x", "--", "--json", "--report", "a"])), "ledger-verify -- --json --report a");
    for word in ["a\nb", "\u{1b}[2K", r"a\u{202e}b", "\u{fffd}"] {
        let line = printed(json!(["x", "a.jsonl", word]));
        assert!(line.starts_with("no command can be written: "), "{line}");
    }
    // A part of a command is another command.
    let line = printed(json!(vec!["a.jsonl"; 100]));
    assert_eq!(line, "the command line has 99 words: see environment.arguments of the report");
    assert_eq!(printed(json!([])), "the report has no command line");
    // A shell takes it apart into the words that were given.
    #[cfg(unix)]
    {
        let words = ["a.jsonl", "$(id)", "`id`", "\"$HOME\"", "it's", "a b", "*", "~", "", "!!", "\\", "größe"];
        let line = printed(json!([&["x"], &words[..]].concat()));
        let script = format!("ledger-verify() {{ printf '%s\\n' \"$@\"; }}; {line}").replace("ledger-verify", "lv");
        let out = Command::new("sh").args(["-c", &script]).output().expect("a shell");
        assert_eq!(String::from_utf8(out.stdout).expect("words").split_terminator('\n').collect::<Vec<_>>(), words);
    }
}

#[test]
fn an_id_is_cited_in_full() {
    let folder = folder();
    let (_, id) = filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
    let check = |id: &str| run(folder.path(), &["report", "check", "r.json", "export.jsonl", "--id", id]);
    let digits = id.strip_prefix("sha256:").expect("an id");
    for cited in [&id, digits] {
        let (code, out, err) = check(cited);
        assert!(code == 0 && out.contains("✓ its id is the one that was cited"), "{cited}: {err}{out}");
    }
    let other = "0".repeat(64);
    for cited in [format!("sha256:{other}"), other.clone()] {
        let (code, out, _) = check(&cited);
        assert!(code == 1 && out.contains(&format!("✗ the id that was cited is sha256:{other}")), "{out}");
    }
    let long = format!("{id}0");
    let (upper, spelled) = (format!("sha256:{}", "A".repeat(64)), format!("SHA256:{digits}"));
    for cited in ["", "sha256:", &id[..70], &digits[1..], &long, &upper, &spelled, &format!(" {id}"), "\u{1b}"] {
        let (code, out, err) = check(cited);
        assert!(code == 2 && out.is_empty() && err.contains("--id") && err.contains("64"), "{cited}: {err}{out}");
        assert!(!err.contains('\u{1b}'), "{err}");
    }
}

/// What an id does not cover and follows from facts is made anew.
#[test]
fn show_makes_the_limits_anew() {
    let folder = folder();
    let (text, _) = filed(folder.path(), &["export.jsonl", "--key", "pk.pem"]);
    let json = fs::read_to_string(folder.path().join("r.json")).expect("a report");
    for limits in [json!([]), json!(["Nothing at all."])] {
        change(folder.path(), "/limits", limits);
        assert_eq!(run(folder.path(), &["report", "show", "r.json"]), (0, text.clone(), String::new()));
        assert_eq!(run(folder.path(), &["report", "show", "r.json", "--report", "json=-"]).1, json);
    }
}

/// The names of a folder's files are no part of the report id: they never lead out of the folder, nor to a pipe.
#[test]
fn check_looks_into_the_folder_alone() {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    fs::create_dir(logs.join("deep")).expect("a folder");
    let honest = folder.path().join("export.jsonl");
    for name in ["logs/export.jsonl", "logs/deep/honest.jsonl", "logs/.hidden.jsonl"] {
        fs::copy(&honest, folder.path().join(name)).expect(name);
    }
    filed(folder.path(), &["logs", "--key", "pk.pem"]);
    let check = || run(folder.path(), &["report", "check", "r.json", "logs"]);
    assert_eq!(check().0, 0);
    fs::write(logs.join("export.jsonl"), "{}\n").expect("a file");
    assert_eq!(check().0, 1);
    let absolute = honest.display().to_string();
    for name in [
        "../export.jsonl",
        "deep/honest.jsonl",
        "./export.jsonl",
        "export.jsonl/",
        ".hidden.jsonl",
        "..",
        ".",
        "",
        &absolute,
    ] {
        change(folder.path(), "/environment/folders/0/taken/0/name", json!(name));
        let (code, out, err) = check();
        assert_eq!((code, out.as_str()), (2, ""), "{name}");
        assert!(err.contains("logs: the report names ") && err.contains("which it cannot be"), "{name}: {err}");
    }
    for (name, why) in [("deep", "not a regular file"), ("absent.jsonl", "the report is of this file: ")] {
        change(folder.path(), "/environment/folders/0/taken/0/name", json!(name));
        let (code, out, err) = check();
        assert_eq!((code, out.as_str()), (2, ""), "{name}");
        assert!(err.contains(&format!("logs{}{name}: ", std::path::MAIN_SEPARATOR)) && err.contains(why), "{err}");
    }
}

/// Nobody waits for a pipe; a link is followed, as an audit follows it.
#[cfg(unix)]
#[test]
fn check_takes_links_of_a_folder_and_no_pipes() {
    let folder = folder();
    let logs = folder.path().join("logs");
    fs::create_dir(&logs).expect("a folder");
    std::os::unix::fs::symlink("../export.jsonl", logs.join("link.jsonl")).expect("a link");
    filed(folder.path(), &["logs", "--key", "pk.pem"]);
    assert_eq!(run(folder.path(), &["report", "check", "r.json", "logs"]).0, 0);
    fs::remove_file(logs.join("link.jsonl")).expect("a link");
    assert!(Command::new("mkfifo").arg(logs.join("link.jsonl")).status().expect("mkfifo").success());
    let (code, _, err) = run(folder.path(), &["report", "check", "r.json", "logs"]);
    assert!(code == 2 && err.contains("link.jsonl: the report is of this file: not a regular file"), "{err}");
}

/// A format with sidecars: both files are compared, and the profile says where the second one is.
#[test]
fn check_compares_what_stands_beside() {
    let folder = folder();
    let sources = root().join("testdata/layouts/sidecar");
    for name in ["whole.log", "whole.log.sums", "profile.toml"] {
        fs::copy(sources.join(name), folder.path().join(name)).expect(name);
    }
    filed(folder.path(), &["whole.log", "--profile", "profile.toml"]);
    let (code, _, err) = run(folder.path(), &["report", "check", "r.json", "whole.log"]);
    assert!(code == 2 && err.contains("--profile"), "{err}");
    let check = || run(folder.path(), &["report", "check", "r.json", "whole.log", "--profile", "./profile.toml"]);
    assert_eq!(check().0, 0, "{}", check().2);
    fs::write(folder.path().join("whole.log.sums"), "x\n").expect("a file");
    let (code, out, _) = check();
    assert!(code == 1 && out.contains("what stands beside it"), "{out}");
    // Another profile says nothing of these files.
    let text = fs::read_to_string(folder.path().join("profile.toml")).expect("a profile");
    fs::write(folder.path().join("profile.toml"), format!("{text}\n")).expect("a profile");
    assert_eq!(check().0, 2);
}

#[test]
fn words_that_are_missing_are_said() {
    let folder = folder();
    for (arguments, why) in [
        (&["report"][..], "show or check is wanted"),
        (&["report", "list"], "show or check is wanted"),
        (&["report", "show"], "one FILE.json is wanted"),
        (&["report", "check", "r.json"], "FILE.json and the EXPORT are wanted"),
        (&["report", "check", "-", "-"], "standard input can be read once"),
        (&["report", "show", "r.json", "--json"], "are for report check"),
        (&["report", "check", "r.json", "a", "--report", "text=-"], "is for report show"),
    ] {
        let (code, out, err) = run(folder.path(), arguments);
        assert!(code == 2 && format!("{err}{out}").contains(why), "{arguments:?}: {err}{out}");
    }
}

/// Monthly: in a file, through a pipe, compressed, with what it says and shows.
#[test]
fn since_an_earlier_report() {
    let folder = folder();
    let whole = fs::read(folder.path().join("export.jsonl")).expect("rows");
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    fs::write(folder.path().join("june.jsonl"), lines[..5].concat()).expect("rows");
    let june = ["june.jsonl", "--key", "pk.pem", "--accept", "no-anchor"];
    let (_, id) = filed(folder.path(), &june);
    fs::rename(folder.path().join("r.json"), folder.path().join("june.json")).expect("a move");
    let july = ["export.jsonl", "--key", "pk.pem", "--since", "june.json"];
    let (code, out, err) = run(folder.path(), &july);
    assert_eq!((code, err.as_str()), (0, ""), "{out}");
    let bytes = lines[..5].concat().len();
    let short = format!("sha256:{}…{}", &id[7..11], &id[67..]);
    let wanted = format!(
        "  ✓ 8 entries, chain intact\n  ✓ 5 rows, {}.{} kB, vouched for by report {id} (bounded: no-anchor); 3 since\n  \
         ✓ 3 signatures valid (acme, SHA256:AuO5lhQ0MGj1XFukOzRX0x/OHg8q+s+/gKvhsKNzVIU); 5 vouched for by report {short}\n",
        bytes / 1000,
        (bytes % 1000 + 50) / 100
    );
    assert!(out.contains(&wanted) && out.ends_with("\nverified\n"), "{out}\n{wanted}");
    // The same report, in whatever way the bytes come; and shown again later.
    let manifest = ["--key", "pk.pem", "--since", "june.json", "--manifest", "export.manifest.json"];
    let named = |export: &str, more: &[&str], bytes: &[u8]| {
        let (code, out, err) =
            fed(folder.path(), &[&[export], &manifest[..], more, &["--report", "json=r.json"]].concat(), bytes);
        assert_eq!(code, 0, "{err}{out}");
        let report: Value =
            serde_json::from_str(&fs::read_to_string(folder.path().join("r.json")).expect("it")).expect("JSON");
        assert_eq!(run(folder.path(), &["report", "show", "r.json"]).1, out);
        report["report_id"].as_str().expect("an id").to_owned()
    };
    let plain = named("export.jsonl", &[], b"");
    assert_eq!(named("-", &["--threads", "3"], &whole), plain);
    assert_eq!(named("export.jsonl.gz", &["--signatures", "reference"], b""), plain);
    assert_eq!(run(folder.path(), &["report", "check", "r.json", "export.jsonl"]).0, 0);
    // Without it, another report: fewer rows were checked.
    let (code, out, _) = run(folder.path(), &["export.jsonl", "--key", "pk.pem", "--json"]);
    assert!(code == 0 && !out.contains(&plain));
    // One byte of June.
    let mut other = whole.clone();
    other[200] ^= 1;
    fs::write(folder.path().join("export.jsonl"), other).expect("rows");
    let (code, out, _) = run(folder.path(), &july);
    let line = format!(
        "  ✗ the first {},{:03} bytes are not what report {id} is of: it vouches for nothing\n",
        bytes / 1000,
        bytes % 1000
    );
    assert!(code == 1 && out.contains(&line), "{out}\n{line}");
    assert!(out.contains("prefix-changed: the export should begin with "), "{out}");
    // It is never written over, and is about one ledger.
    let (code, _, err) = run(folder.path(), &[&july[..], &["--report", "text=june.json"]].concat());
    assert!(code == 2 && err.contains("june.json"), "{err}");
    let (code, _, err) = run(folder.path(), &[&july[..], &["--each"]].concat());
    assert!(code == 2 && err.contains("--since is about one ledger"), "{err}");
    let (code, _, err) = run(folder.path(), &["export.jsonl", "--key", "pk.pem", "--since", "absent.json"]);
    assert!(code == 2 && err.contains("absent.json"), "{err}");
}

/// The report id is that of the ledger, in whatever way its bytes come.
#[test]
fn the_id_is_the_same_for_every_form_of_input() {
    let folder = folder();
    let manifest = ["--key", "pk.pem", "--manifest", "export.manifest.json"];
    let id = |export: &[&str], more: &[&str], bytes: &[u8]| {
        let (code, out, err) = fed(folder.path(), &[export, &manifest, more, &["--json"]].concat(), bytes);
        assert_eq!(code, 0, "{err}{out}");
        let value: Value = serde_json::from_str(&out).expect("JSON");
        value["report_id"].as_str().expect("an id").to_owned()
    };
    let plain = id(&["export.jsonl"], &[], b"");
    let bytes = fs::read(folder.path().join("export.jsonl")).expect("rows");
    let mut gz = GzEncoder::new(Vec::new(), Compression::fast());
    gz.write_all(&bytes).expect("memory");
    fs::write(folder.path().join("other.name"), gz.finish().expect("memory")).expect("a file");
    let zstd = ruzstd::encoding::compress_to_vec(&bytes[..], ruzstd::encoding::CompressionLevel::Fastest);
    fs::write(folder.path().join("export.jsonl.zst"), &zstd).expect("a file");
    let fifth = [
        id(&["-"], &[], &bytes),
        id(&["-"], &[], &zstd),
        id(&["other.name"], &[], b""),
        id(&["export.jsonl.gz"], &["--threads", "7"], b""),
        id(&["export.jsonl.zst"], &["--signatures", "reference"], b""),
        id(&["/dev/stdin"], &["--signatures", "portable", "--threads", "1"], &bytes),
    ];
    for (index, other) in fifth.iter().enumerate() {
        assert_eq!(*other, plain, "form {index}");
    }
}

fn sha256(path: &Path) -> String {
    use sha2::Digest;
    data_encoding::HEXLOWER.encode(&sha2::Sha256::digest(fs::read(path).expect("a file")))
}
