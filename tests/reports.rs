//! `--report` as a process: where reports go, what becomes of what stood there, and the exit code.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::Value;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// A folder with a good ledger and a broken one: `good.jsonl`, `bad.jsonl`, their keys, and the good one's manifest.
fn folder() -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let copy = |from: &str, to: &str| {
        fs::copy(root().join("testdata").join(from), folder.path().join(to)).expect("a copy");
    };
    copy("acme/export.jsonl", "good.jsonl");
    copy("acme/export.manifest.json", "good.manifest.json");
    copy("acme/pk.pem", "good.pem");
    copy("incidents/content-edited/export.jsonl", "bad.jsonl");
    copy("incidents/content-edited/pk.pem", "bad.pem");
    folder
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &str) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let command = command.current_dir(folder).args(arguments.split(' ')).stdin(Stdio::null());
    let done = command.output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (out, err) = (text(done.stdout), text(done.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (done.status.code().expect("the program ends by itself"), out, err)
}

fn read(folder: &Path, name: &str) -> String {
    fs::read_to_string(folder.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

fn json(folder: &Path, name: &str) -> Value {
    serde_json::from_str(&read(folder, name)).expect("JSON")
}

/// Every file there, so that nothing else is left behind.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").file_name());
    let mut names: Vec<String> = entries.map(|name| name.to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

const GOOD: &str = "good.jsonl --key good.pem";
const BAD: &str = "bad.jsonl --key bad.pem";

#[test]
fn every_kind_is_written_and_nothing_else() {
    let folder = folder();
    let folder = folder.path();
    let before = names(folder);
    let kinds = "--report text=r.txt --report json=r.json --report junit=r.xml --report intoto=r.intoto.json \
                 --report sarif=r.sarif --report certificate=c.txt --report certificate=c.html";
    let (code, out, err) = run(folder, &format!("{GOOD} {kinds} --operator Ann --case-id 2026-017"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert_eq!(out, read(folder, "r.txt"), "the usual report is shown besides");
    let mut wanted = before;
    wanted.extend(["r.txt", "r.json", "r.xml", "r.intoto.json", "r.sarif", "c.txt", "c.html"].map(str::to_owned));
    wanted.sort();
    assert_eq!(names(folder), wanted);
    let report = json(folder, "r.json");
    let environment = &report["environment"];
    assert_eq!((&environment["operator"], &environment["case_id"]), (&"Ann".into(), &"2026-017".into()));
    let digest = environment["tool_sha256"].as_str().expect("a report that is filed names the program's digest");
    for file in ["r.xml", "r.intoto.json", "r.sarif", "c.txt", "c.html"] {
        assert!(read(folder, file).contains(digest), "{file}");
        assert!(read(folder, file).contains(report["report_id"].as_str().expect("an id")), "{file}");
    }
    assert!(read(folder, "c.html").starts_with("<!DOCTYPE html>"));
    assert!(read(folder, "c.txt").contains("2026-017"));
}

#[test]
fn operator_and_case_are_no_part_of_the_id() {
    let folder = folder();
    let folder = folder.path();
    run(folder, &format!("{GOOD} --quiet --report json=one.json"));
    run(folder, &format!("{GOOD} --quiet --report json=two.json --operator Ann --case-id 7"));
    let (one, two) = (json(folder, "one.json"), json(folder, "two.json"));
    assert_eq!(one["report_id"], two["report_id"]);
    assert_eq!(one["environment"]["operator"], Value::Null);
}

#[test]
fn quiet_silences_standard_output_alone() {
    let folder = folder();
    let folder = folder.path();
    let (code, out, err) = run(folder, &format!("{BAD} --quiet --report junit=r.xml"));
    assert_eq!((code, out.as_str(), err.as_str()), (1, "", ""));
    assert!(read(folder, "r.xml").contains("finding hash-mismatch"));
    let (_, out, _) = run(folder, &format!("{BAD} --quiet --report junit=-"));
    assert!(out.contains("finding hash-mismatch"), "what is asked for by name is shown");
    let (_, out, _) = run(folder, &format!("{BAD} --json --report junit=r.xml"));
    assert!(serde_json::from_str::<Value>(&out).is_ok(), "{out}");
}

#[test]
fn a_report_that_cannot_be_written_is_missed_but_never_hides_a_fault() {
    let folder = folder();
    let folder = folder.path();
    fs::create_dir(folder.join("taken")).expect("a folder");
    for (target, why) in [("none/r.json", "its folder is not there"), ("taken", "it is a folder")] {
        for (ledger, code, word) in [(GOOD, 2, "verified"), (BAD, 1, "broken")] {
            let (left, out, err) = run(folder, &format!("{ledger} --report json={target}"));
            assert_eq!(left, code, "{err}");
            assert!(
                err.starts_with(&format!("ledger-verify: {target} was not written: {why}; what stands there")),
                "{err}"
            );
            assert!(out.contains(word), "the usual report is shown all the same");
        }
        // The others are written.
        let (_, _, err) = run(folder, &format!("{GOOD} --report json={target} --report text=r.txt --quiet"));
        assert_eq!(err.lines().count(), 1, "{err}");
        assert!(read(folder, "r.txt").ends_with("verified\n"));
    }
}

#[test]
fn what_is_examined_is_never_written_over() {
    let folder = folder();
    let folder = folder.path();
    let ledger = fs::read(folder.join("good.jsonl")).expect("the export");
    let full = folder.join("good.pem").display().to_string();
    for target in ["good.jsonl", "./good.jsonl", "good.pem", "good.manifest.json", &full] {
        let (code, out, err) = run(folder, &format!("{GOOD} --report json={target}"));
        assert_eq!((code, out.as_str()), (2, ""), "{target}");
        assert!(err.contains(&format!("--report to {target}: it would change ")), "{err}");
    }
    // The sidecar of an export is one whether it is there or not.
    let (code, _, err) = run(folder, &format!("{BAD} --report json=bad.manifest.json"));
    assert_eq!(code, 2, "{err}");
    // In a folder that is examined, a report would be examined the next time.
    let (code, _, err) = run(folder, ". --key good.pem --report json=new.json");
    assert_eq!(code, 2, "{err}");
    assert!(!folder.join("new.json").exists());
    assert_eq!(fs::read(folder.join("good.jsonl")).expect("the export"), ledger);
}

#[cfg(unix)]
#[test]
fn links_are_seen_through() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let folder = folder.path();
    symlink("good.jsonl", folder.join("link.json")).expect("a link");
    fs::hard_link(folder.join("good.pem"), folder.join("hard.json")).expect("a hard link");
    for target in ["link.json", "hard.json"] {
        let (code, _, err) = run(folder, &format!("{GOOD} --report json={target}"));
        assert_eq!(code, 2, "{err}");
    }
    // A link to something else stays one, and what it leads to is written.
    fs::write(folder.join("old.json"), "old").expect("a file");
    symlink("old.json", folder.join("latest.json")).expect("a link");
    let (code, _, err) = run(folder, &format!("{GOOD} --report json=latest.json"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(fs::symlink_metadata(folder.join("latest.json")).expect("it").is_symlink());
    assert_eq!(json(folder, "old.json")["verdict"], "verified");
}

/// What is read from standard input is a file too, if the shell put one there.
#[cfg(unix)]
#[test]
fn the_file_behind_standard_input_is_never_written_over() {
    let folder = folder();
    let folder = folder.path();
    std::os::unix::fs::symlink("good.jsonl", folder.join("link.json")).expect("a link");
    run(folder, &format!("{GOOD} --quiet --report json=earlier.json"));
    let of = |stdin: &str, arguments: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
        let stdin = fs::File::open(folder.join(stdin)).expect("a file");
        let done = command.current_dir(folder).args(arguments.split(' ')).stdin(stdin).output().expect("it starts");
        (done.status.code(), String::from_utf8(done.stderr).expect("UTF-8"))
    };
    for (stdin, arguments, target) in [
        ("good.jsonl", "- --key good.pem", "good.jsonl"),
        ("good.jsonl", "- --key good.pem", "link.json"),
        ("good.jsonl", "--each - --key good.pem", "good.jsonl"),
        ("earlier.json", "good.jsonl --key good.pem --since -", "earlier.json"),
        ("earlier.json", "report show -", "earlier.json"),
    ] {
        let before = fs::read(folder.join(stdin)).expect("the file");
        let (code, err) = of(stdin, &format!("{arguments} --report json={target}"));
        assert_eq!(fs::read(folder.join(stdin)).expect("the file"), before, "{arguments}: {err}");
        assert_eq!(code, Some(2), "{arguments}: {err}");
        assert!(
            err.contains(&format!("--report to {target}: it would change the file behind standard input")),
            "{err}"
        );
    }
    // A file of that name is another one, and a key of that name is a file.
    let (code, err) = of("good.jsonl", "- --key good.pem --report json=./-");
    assert_eq!(code, Some(3), "{err}");
    assert!(json(folder, "-")["verdict"].is_string());
    let (code, err) = of("good.jsonl", "good.jsonl --key - --report json=./-");
    assert_eq!(code, Some(2));
    assert!(err.contains("--report to ./-: it would change -"), "{err}");
}

#[cfg(unix)]
#[test]
fn what_a_link_leads_to_is_made() {
    use std::os::unix::fs::symlink;
    let folder = folder();
    let folder = folder.path();
    fs::create_dir(folder.join("runs")).expect("a folder");
    for (link, to) in [("latest.json", "runs/next"), ("runs/next", "../new.json")] {
        symlink(to, folder.join(link)).expect("a link");
    }
    let (code, _, err) = run(folder, &format!("{GOOD} --quiet --report json=latest.json"));
    assert_eq!((code, err.as_str()), (0, ""));
    for link in ["latest.json", "runs/next"] {
        assert!(fs::symlink_metadata(folder.join(link)).expect("it").is_symlink(), "{link}");
    }
    assert!(fs::symlink_metadata(folder.join("new.json")).expect("it").is_file());
    assert_eq!(json(folder, "new.json")["verdict"], "verified");
    // Two names of one file that is not there yet; a manifest that would be looked for.
    symlink("none.json", folder.join("none")).expect("a link");
    let (code, _, err) = run(folder, &format!("{GOOD} --report json=none --report text=none.json"));
    assert_eq!(code, 2);
    assert!(err.contains("two reports would be written to"), "{err}");
    symlink("bad.manifest.json", folder.join("beside")).expect("a link");
    let (code, _, err) = run(folder, &format!("{BAD} --report json=beside"));
    assert_eq!(code, 2, "{err}");
    // A circle leads nowhere.
    symlink("two", folder.join("one")).expect("a link");
    symlink("one", folder.join("two")).expect("a link");
    let (code, _, err) = run(folder, &format!("{GOOD} --quiet --report json=one"));
    assert_eq!(code, 2);
    assert!(err.starts_with("ledger-verify: one was not written: its symbolic links lead in a circle"), "{err}");
    assert!(fs::symlink_metadata(folder.join("one")).expect("it").is_symlink());
    // So does a link into a folder that is not there.
    symlink("absent/r.json", folder.join("astray")).expect("a link");
    let (code, _, err) = run(folder, &format!("{GOOD} --quiet --report json=astray"));
    assert_eq!(code, 2);
    assert!(err.contains("its folder is not there"), "{err}");
}

#[cfg(unix)]
#[test]
fn a_file_has_the_permissions_of_any_new_one() {
    use std::os::unix::fs::PermissionsExt;
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("plain"), "").expect("a file");
    run(folder, &format!("{GOOD} --quiet --report json=r.json"));
    let mode = |name: &str| fs::metadata(folder.join(name)).expect("it").permissions().mode();
    assert_eq!(mode("r.json"), mode("plain"));
}

#[cfg(unix)]
#[test]
fn pipes_and_devices_are_written_straight() {
    let folder = folder();
    let folder = folder.path();
    let (code, out, err) = run(folder, &format!("{GOOD} --quiet --report json=/dev/null --report text=/dev/stdout"));
    assert_eq!((code, err.as_str()), (0, ""));
    assert!(out.ends_with("\nverified\n"), "{out}");
    let (code, _, err) = run(folder, &format!("{GOOD} --quiet --report text=/dev/stderr"));
    assert!(code == 0 && err.ends_with("\nverified\n"), "{err}");
    let made = Command::new("mkfifo").arg(folder.join("pipe")).status();
    if made.is_ok_and(|status| status.success()) {
        let pipe = folder.join("pipe");
        let reader = std::thread::spawn(move || fs::read_to_string(pipe).expect("text"));
        let (code, _, err) = run(folder, &format!("{GOOD} --quiet --report text=pipe"));
        assert_eq!((code, err.as_str()), (0, ""));
        assert!(reader.join().expect("a reader").ends_with("\nverified\n"));
    }
}

#[cfg(unix)]
#[test]
fn a_path_need_not_be_text() {
    use std::ffi::OsString;
    use std::os::unix::ffi::{OsStrExt, OsStringExt};
    let folder = folder();
    let mut value = b"json=r-".to_vec();
    value.push(0xff);
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(folder.path()).args(GOOD.split(' ')).args(["--quiet", "--report"]);
    let done = command.arg(OsString::from_vec(value)).status().expect("the program starts");
    assert!(done.success());
    assert!(folder.path().join(PathBuf::from(std::ffi::OsStr::from_bytes(b"r-\xff"))).exists());
}

#[test]
fn a_stop_is_told_where_a_form_has_words_for_it() {
    let folder = folder();
    let folder = folder.path();
    for name in ["s.intoto.json", "c.txt"] {
        fs::write(folder.join(name), "of an earlier run").expect("a file");
    }
    let kinds = "--report json=s.json --report junit=s.xml --report sarif=s.sarif --report text=s.txt \
                 --report intoto=s.intoto.json --report certificate=c.txt";
    let (code, out, err) = run(folder, &format!("good.jsonl --key absent.pem {kinds}"));
    assert_eq!((code, out.as_str()), (2, ""));
    assert_eq!(json(folder, "s.json")["stop"]["code"], "key");
    assert!(read(folder, "s.xml").contains("errors=\"1\""));
    assert_eq!(json(folder, "s.sarif")["runs"][0]["invocations"][0]["executionSuccessful"], false);
    assert!(read(folder, "s.txt").starts_with("no verdict: key absent.pem"));
    for (name, kind) in [("s.intoto.json", "intoto"), ("c.txt", "certificate")] {
        let line = format!(
            "ledger-verify: {name} was not written: {kind} has no words for a run without a verdict; what stands \
             there, if anything, is of an earlier run"
        );
        assert!(err.lines().any(|told| told == line), "{err}");
        assert_eq!(read(folder, name), "of an earlier run");
    }
    // Standard output is not the place for a stop that has no words.
    let (code, out, err) = run(folder, "good.jsonl --key absent.pem --report intoto=-");
    assert_eq!((code, out.as_str()), (2, ""));
    assert!(err.contains("nothing was written to standard output: intoto has no words"), "{err}");
}

/// Without a row nothing was detected from one.
#[test]
fn the_format_of_an_empty_export_is_assumed() {
    let folder = folder();
    let folder = folder.path();
    fs::write(folder.join("empty.jsonl"), "").expect("a file");
    let kinds = "--report html=e.html --report certificate=e.txt --report json=e.json --report certificate=c.html";
    let (code, out, err) = run(folder, &format!("empty.jsonl {kinds} --report text=e"));
    assert_eq!((code, err.as_str()), (3, ""));
    assert!(out.contains("\n  profile: assumed: there is no row to detect it from, sha256:"), "{out}");
    for name in ["e", "e.html", "e.txt", "e.json", "c.html"] {
        let text = read(folder, name).split_whitespace().collect::<Vec<_>>().join(" ");
        assert!(!text.contains("detected from the rows"), "{name}: {text}");
        assert!(text.contains("there is no row to detect it from"), "{name}: {text}");
    }
    assert_eq!(json(folder, "e.json")["profile"]["source"], "detected");
    let (_, out, _) = run(folder, "empty.jsonl --profile void");
    assert!(!out.contains("assumed"), "{out}");
    // A line that no row can be read from is a row all the same, and shows what it can.
    let damaged = read(folder, "good.jsonl").lines().next().expect("a row").trim_end_matches('}').to_owned();
    fs::write(folder.join("damaged.jsonl"), damaged).expect("a file");
    let (_, out, _) = run(folder, "damaged.jsonl");
    assert!(!out.contains("assumed") && out.contains("detected from the rows"), "{out}");
    let (_, out, _) = run(folder, "compare empty.jsonl empty.jsonl");
    assert!(out.contains("assumed: there is no row") && !out.contains("detected from the rows"), "{out}");
}

#[test]
fn each_goes_into_the_reports_that_can_tell_of_several() {
    let folder = folder();
    let folder = folder.path();
    let ledgers = "--each good.jsonl bad.jsonl --key good.pem --key bad.pem --profile void";
    let (code, out, err) =
        run(folder, &format!("{ledgers} --report json=r.json --report text=r.txt --report junit=r.xml"));
    assert_eq!((code, err.as_str()), (1, ""));
    assert_eq!(out, read(folder, "r.txt"));
    assert_eq!(json(folder, "r.json").as_array().map(Vec::len), Some(2));
    assert!(json(folder, "r.json")[0]["environment"]["tool_sha256"].is_string());
    assert_eq!(read(folder, "r.xml").matches("<testsuite ").count(), 2);
    for kind in ["intoto", "sarif", "certificate", "certificate-html"] {
        let (code, _, err) = run(folder, &format!("{ledgers} --report {kind}=x"));
        assert_eq!(code, 2);
        assert!(err.contains("is about one ledger") && err.contains("one EXPORT at a time"), "{err}");
        assert!(!folder.join("x").exists());
    }
}
