//! The commands as processes, over ledgers of several workspaces: pins that come back as anchors, ledgers
//! that are judged by themselves under the same keys, and what is expected of them.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ledger::files::{manifest_text, public_pem};
use ledger::{Job, Manifest, verifying_key, write_export};
use serde_json::Value;
use sha2::Digest as _;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Exit code, standard output, standard error.
fn run(folder: &Path, arguments: &[&str]) -> (i32, String, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    let done = command.current_dir(folder).args(arguments).stdin(Stdio::null()).output().expect("the program starts");
    let text = |bytes| String::from_utf8(bytes).expect("output is UTF-8");
    let (out, err) = (text(done.stdout), text(done.stderr));
    assert!(!err.contains("panicked"), "{err}");
    (done.status.code().expect("the program ends by itself"), out, err)
}

/// The same with `--json`: exit code and what came, which is of the schema.
fn json(folder: &Path, arguments: &[&str]) -> (i32, Value) {
    let arguments: Vec<&str> = arguments.iter().copied().chain(["--json"]).collect();
    let (code, out, err) = run(folder, &arguments);
    assert_eq!(err, "", "{arguments:?}");
    let value: Value = serde_json::from_str(&out).unwrap_or_else(|error| panic!("{error}: {out:?}"));
    let text = fs::read_to_string(root().join("docs/report.schema.json")).expect("the schema");
    let schema = jsonschema::draft202012::new(&serde_json::from_str(&text).expect("JSON")).expect("a schema");
    let wrong: Vec<String> = schema.iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{out}");
    (code, value)
}

/// A ledger of one workspace: 12 rows, unless it is said otherwise.
fn job(workspace: &str) -> Job {
    let seed = 7_000 + workspace.bytes().map(u64::from).sum::<u64>();
    Job { seed, rows: 12, workspace: workspace.into(), compensations: 0, row_bytes: 600, ..Job::default() }
}

fn rows(job: &Job) -> String {
    let mut out = Vec::new();
    write_export(job, &mut out).expect("rows");
    String::from_utf8(out).expect("text")
}

fn first(rows: &str, count: usize) -> String {
    rows.split_inclusive('\n').take(count).collect()
}

/// A folder with these files, and the keys of three workspaces.
fn folder(files: &[(&str, &str)]) -> tempfile::TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| fs::write(folder.path().join(name), text).expect("a file");
    for workspace in ["acme", "globex", "initech"] {
        write(&format!("{workspace}.pem"), &public_pem(&verifying_key(job(workspace).seed)));
    }
    files.iter().for_each(|(name, text)| write(name, text));
    folder
}

/// The fixtures of the findings, with the arguments that they need.
fn fixtures() -> Vec<(PathBuf, Vec<String>)> {
    let entries = fs::read_dir(root().join("testdata/faults")).expect("fixtures");
    let fixture = |folder: PathBuf| {
        let text = fs::read_to_string(folder.join("expect.json")).expect("expect.json");
        let expect: Value = serde_json::from_str(&text).expect("JSON");
        let given: Vec<&str> = expect["args"].as_array().into_iter().flatten().filter_map(Value::as_str).collect();
        let mut arguments = given.clone();
        for (option, file) in [("--key", "pk.pem"), ("--manifest", "manifest.json")] {
            if !given.contains(&option) && folder.join(file).exists() {
                arguments.extend([option, file]);
            }
        }
        (folder.clone(), arguments.into_iter().map(str::to_owned).collect())
    };
    let mut all: Vec<_> = entries.map(|entry| fixture(entry.expect("one").path())).collect();
    all.sort();
    assert!(all.len() > 40);
    all
}

const BOUND_KEYS: [&str; 4] = ["--key", "acme=acme.pem", "--key", "globex=globex.pem"];

#[test]
fn a_pin_comes_back_as_the_anchor_of_its_ledger() {
    let all = rows(&job("acme"));
    let other = rows(&Job { rows: 9, compensations: 60, ..job("acme") });
    let folder = folder(&[("early.jsonl", &first(&all, 8)), ("later.jsonl", &all), ("other.jsonl", &other)]);
    let key = ["--key", "acme.pem"];
    let with = |export, more: &[&str]| run(folder.path(), &[&[export][..], &key, more].concat());
    assert_eq!(with("early.jsonl", &[]).0, 3, "it has no anchor");
    let (code, out, err) = run(folder.path(), &["head", "early.jsonl", "--key", "acme.pem"]);
    assert!(code == 0 && out.lines().count() == 1 && out.ends_with("@8\n"), "{out}");
    assert!(err.contains("8 entries, chain intact") && err.ends_with("bounded: no-anchor (accepted)\n"), "{err}");
    let pin = out.trim_end();
    // The same ledger, the ledger that went on, another one by the same hand.
    assert_eq!(with("early.jsonl", &["--head", pin]).0, 0);
    let (code, grown, _) = with("later.jsonl", &["--head", pin]);
    assert!(code == 3 && grown.ends_with("\nbounded: after-anchor\n"), "{grown}");
    let (code, rewritten, _) = with("other.jsonl", &["--head", pin]);
    assert!(code == 1 && rewritten.contains("head-mismatch"), "{rewritten}");
    // A ledger that went on gives the next pin, whether the earlier one is held against it or not.
    let next = run(folder.path(), &["head", "later.jsonl", "--key", "acme.pem", "--head", pin]);
    assert_eq!((next.0, next.1.ends_with("@12\n")), (0, true), "{}", next.1);
    assert_eq!(run(folder.path(), &["head", "later.jsonl", "--key", "acme.pem"]).1, next.1);
    assert_eq!(with("later.jsonl", &["--head", next.1.trim_end(), "--head", pin]).0, 0);
    let refused = run(folder.path(), &["head", "other.jsonl", "--key", "acme.pem", "--head", pin]);
    assert_eq!((refused.0, refused.1.as_str()), (1, ""));
}

#[test]
fn the_pin_of_an_excerpt_anchors_the_start_of_the_next() {
    let all = rows(&job("acme"));
    let next = all.strip_prefix(&first(&all, 8)).expect("the rest");
    let folder = folder(&[("first.jsonl", &first(&all, 8)), ("next.jsonl", next)]);
    let (_, pin, _) = run(folder.path(), &["head", "first.jsonl", "--key", "acme.pem", "--quiet"]);
    let partial = run(folder.path(), &["head", "next.jsonl", "--key", "acme.pem"]);
    assert_eq!((partial.0, partial.1.as_str()), (3, ""));
    assert!(
        partial.2.ends_with("\nno pin: bounded by partial-start: lift or accept each (--accept)\n"),
        "{}",
        partial.2
    );
    let anchored = run(folder.path(), &["head", "next.jsonl", "--key", "acme.pem", "--head", pin.trim_end()]);
    assert!(anchored.0 == 0 && anchored.1.ends_with("@12\n"), "{}", anchored.2);
    let accepted = run(folder.path(), &["head", "next.jsonl", "--key", "acme.pem", "--accept", "partial-start"]);
    assert_eq!((accepted.0, accepted.1), (0, anchored.1));
    assert!(accepted.2.ends_with("the pin does not vouch for what partial-start leaves open\n"), "{}", accepted.2);
}

#[test]
fn every_chain_has_a_pin_and_each_lifts_its_own_bound() {
    let export = rows(&job("acme")) + &rows(&Job { rows: 5, ..job("globex") });
    let folder = folder(&[("export.jsonl", &export)]);
    let given = [&["export.jsonl"][..], &BOUND_KEYS].concat();
    let (code, out, _) = run(folder.path(), &[&["head"], given.as_slice()].concat());
    assert_eq!(code, 0);
    let lines: Vec<(&str, &str)> = out.lines().filter_map(|line| line.split_once("  ")).collect();
    let [(acme, "acme"), (globex, "globex")] = lines[..] else { panic!("{out}") };
    assert!(acme.ends_with("@12") && globex.ends_with("@5"), "{out}");
    let (code, report) = json(folder.path(), &[&given[..], &["--head", acme, "--head", globex]].concat());
    assert_eq!((code, &report["verdict"]), (0, &Value::from("verified")));
    for (pin, open) in [(acme, "globex"), (globex, "acme")] {
        let (code, report) = json(folder.path(), &[&given[..], &["--head", pin]].concat());
        assert_eq!(code, 3);
        let bounds: Vec<_> =
            report["findings"].as_array().expect("findings").iter().map(|f| (&f["code"], &f["chain"])).collect();
        assert_eq!(bounds, [(&Value::from("no-anchor"), &Value::from(open))]);
    }
    let (code, head) = json(folder.path(), &[&["head"], given.as_slice()].concat());
    assert_eq!(code, 0);
    let pins: Vec<_> = head["pins"].as_array().expect("pins").iter().map(|p| (p["pin"].as_str(), &p["rows"])).collect();
    assert_eq!(pins, [(Some(acme), &Value::from(12)), (Some(globex), &Value::from(5))]);
    assert_eq!(head["pins"][1]["head"].as_str(), globex.split('@').next());
    assert_eq!((&head["pins"][1]["sequence"], &head["pins"][1]["exported_at"]), (&Value::from(5), &Value::Null));
    // A pin that has lost its chain is a fault, whatever else the numbers fit.
    let gone = [&["acme-only.jsonl"][..], &["--key", "acme.pem", "--head", globex]].concat();
    fs::write(folder.path().join("acme-only.jsonl"), rows(&job("acme"))).expect("a file");
    assert_eq!(run(folder.path(), &gone).0, 1);
}

/// A key that is bound to one chain says nothing of another: that one is not checked, and not broken.
#[test]
fn a_chain_without_a_key_is_bounded_by_name() {
    let export = rows(&job("acme")) + &rows(&job("globex"));
    let folder = folder(&[("export.jsonl", &export)]);
    let (code, report) = json(folder.path(), &["export.jsonl", "--key", "acme=acme.pem"]);
    let told: Vec<_> =
        report["findings"].as_array().expect("findings").iter().map(|f| (&f["code"], &f["chain"])).collect();
    assert!(code == 3 && told.contains(&(&Value::from("no-key"), &Value::from("globex"))), "{report}");
    assert!(!told.contains(&(&Value::from("no-key"), &Value::from("acme"))), "{report}");
}

/// The number before a partial chain's first row may be the last one of another chain.
#[test]
fn a_pin_of_one_chain_is_not_taken_for_the_start_of_another() {
    let late = Job { start: 13, ..job("globex") };
    let manifests = [job("acme"), late.clone()].map(|job| {
        let job = Job { manifest: Manifest::Signed, ..job };
        let summary = write_export(&job, &mut std::io::sink()).expect("rows");
        manifest_text(&job, &summary)
    });
    let folder = folder(&[
        ("export.jsonl", &(rows(&job("acme")) + &rows(&late))),
        ("manifest.json", &format!("[{}]", manifests.join(","))),
    ]);
    let given =
        [&["export.jsonl", "--manifest", "manifest.json", "--accept", "partial-start"][..], &BOUND_KEYS].concat();
    let (code, out, err) = run(folder.path(), &[&["head"], given.as_slice()].concat());
    assert_eq!(code, 0, "{err}");
    let pins: Vec<&str> =
        out.lines().filter_map(|line| line.split("  ").next()).flat_map(|pin| ["--head", pin]).collect();
    assert!(pins.len() == 4 && pins[1].ends_with("@12") && pins[3].ends_with("@24"), "{out}");
    let (code, out, _) = run(folder.path(), &[&given[..], &pins].concat());
    assert_eq!(code, 0, "{out}");
    assert!(out.ends_with("\nbounded: partial-start (accepted)\n"), "{out}");
}

#[test]
fn a_pin_is_printed_with_exit_code_0_and_with_no_other() {
    let mut codes = Vec::new();
    for (folder, arguments) in fixtures() {
        let arguments: Vec<&str> =
            ["head", "export.jsonl"].into_iter().chain(arguments.iter().map(String::as_str)).collect();
        let (code, out, err) = run(&folder, &arguments);
        let pins: Vec<&str> = out.lines().collect();
        assert!(pins.iter().all(|pin| pin.starts_with("0x") && pin.contains('@') && !pin.contains(' ')), "{out}");
        assert_eq!(code == 0, pins.len() == 1, "{arguments:?}: {code} {out:?}");
        assert_eq!(code != 0, err.lines().last().expect("a report").starts_with("no pin: "), "{err}");
        let (as_json, head) = json(&folder, &arguments);
        assert_eq!((as_json, &head["exit_code"]), (code, &Value::from(code)));
        let in_json: Vec<_> = head["pins"].as_array().expect("pins").iter().map(|pin| pin["pin"].as_str()).collect();
        assert_eq!(in_json, pins.iter().map(|pin| Some(*pin)).collect::<Vec<_>>());
        assert_eq!(head["refused"].is_null(), code == 0);
        codes.push(code);
    }
    // With --strict what a pin lifts hinders as little.
    let no_anchor = root().join("testdata/faults/no-anchor");
    assert_eq!(run(&no_anchor, &["head", "export.jsonl", "--key", "pk.pem", "--strict"]).0, 0);
    assert_eq!(run(&no_anchor, &["head", "export.jsonl", "--strict"]).0, 1);
    assert!(codes.contains(&0) && codes.contains(&1) && codes.contains(&3), "{codes:?}");
}

#[test]
fn quiet_leaves_the_pin_and_a_stop_is_told_all_the_same() {
    let files = root().join("tests/cmd/files");
    let loud = run(&files, &["head", "export.jsonl", "--key", "pk.pem"]);
    let quiet = run(&files, &["head", "export.jsonl", "--key", "pk.pem", "--quiet"]);
    assert_eq!((quiet.0, quiet.1.as_str(), quiet.2.as_str()), (0, loud.1.as_str(), ""));
    let nowhere = run(&files, &["head", "nowhere.jsonl", "--quiet"]);
    assert!(nowhere.0 == 2 && nowhere.1.is_empty() && nowhere.2.starts_with("no verdict: "), "{nowhere:?}");
    let (code, stop) = json(&files, &["head", "nowhere.jsonl", "--quiet"]);
    assert_eq!((code, &stop["stop"]["code"]), (2, &Value::from("unreadable")));
}

#[test]
fn a_file_named_like_a_command() {
    let folder = folder(&[("head", &rows(&job("acme")))]);
    let given = ["--key", "acme.pem", "--accept", "no-anchor", "--quiet"];
    for export in [&["./head"][..], &["--", "head"], &["head"]] {
        assert_eq!(run(folder.path(), &[&given, export].concat()).0, 0, "{export:?}");
    }
    assert!(run(folder.path(), &["head", "./head", "--key", "acme.pem"]).1.ends_with("@12\n"));
    let meant = run(folder.path(), &["head", "--key", "acme.pem"]);
    assert!(meant.0 == 2 && meant.2.contains("the file of that name is given as ./head"), "{}", meant.2);
    let elsewhere = run(root(), &["testdata/acme/export.jsonl", "head"]);
    assert!(elsewhere.0 == 2 && elsewhere.2.contains("the command head must be the first word"), "{}", elsewhere.2);
}

/// Word and exit code of each element.
fn told(array: &Value) -> Vec<(String, i64)> {
    let word = |entry: &Value| entry["verdict"].as_str().or(entry["stop"]["code"].as_str()).unwrap_or("").to_owned();
    let list = array.as_array().expect("an array").iter();
    list.map(|entry| (word(entry), entry["exit_code"].as_i64().expect("a number"))).collect()
}

#[test]
fn each_export_is_a_ledger_of_its_own() {
    let broken = rows(&job("acme")).replacen("R0", "R9", 1).replacen("R1", "R9", 1).replacen("R2", "R9", 1);
    let whole = Job { manifest: Manifest::Signed, ..job("globex") };
    let manifest = manifest_text(&whole, &write_export(&whole, &mut std::io::sink()).expect("rows"));
    let folder = folder(&[
        ("a.jsonl", &rows(&job("acme"))),
        ("broken.jsonl", &broken),
        ("g.jsonl", &rows(&whole)),
        ("g.manifest.json", &manifest),
        ("empty.jsonl", ""),
    ]);
    let keys = ["--key", "acme.pem", "--key", "globex.pem"];
    let each = |exports: &[&str], more: &[&str]| json(folder.path(), &[&["--each"], exports, &keys, more].concat());
    let (code, all) = each(&["a.jsonl", "nowhere.jsonl", "broken.jsonl", "g.jsonl", "empty.jsonl"], &[]);
    let expected = [("bounded", 3), ("unreadable", 2), ("broken", 1), ("verified", 0), ("bounded", 3)];
    assert_eq!(told(&all), expected.map(|(word, code)| (word.to_owned(), code)));
    assert_eq!(code, 1);
    let names: Vec<_> = all.as_array().expect("an array").iter().map(|entry| &entry["subject"][0]["name"]).collect();
    assert_eq!(names, ["a.jsonl", "nowhere.jsonl", "broken.jsonl", "g.jsonl", "empty.jsonl"]);
    // Each is the report of its own run.
    for (export, report) in [("a.jsonl", &all[0]), ("broken.jsonl", &all[2]), ("g.jsonl", &all[3])] {
        let alone = json(folder.path(), &[&[export][..], &keys].concat()).1;
        assert_eq!(alone["report_id"], report["report_id"], "{export}");
    }
    // The command line of a report names its own export alone.
    let arguments: Vec<_> =
        all[3]["environment"]["arguments"].as_array().expect("text").iter().skip(1).filter_map(Value::as_str).collect();
    assert_eq!(arguments, ["--each", "--key", "acme.pem", "--key", "globex.pem", "--json", "g.jsonl"]);
    // The worst exit code: 1 before 2 before 3 before 0.
    let worst = |exports: &[&str], more: &[&str]| each(exports, more).0;
    assert_eq!(worst(&["a.jsonl", "nowhere.jsonl", "g.jsonl"], &[]), 2);
    assert_eq!(worst(&["g.jsonl", "a.jsonl"], &[]), 3);
    assert_eq!(worst(&["g.jsonl", "g.jsonl"], &[]), 0);
    assert_eq!(worst(&["g.jsonl", "a.jsonl"], &["--accept", "no-anchor"]), 0);
    assert_eq!(worst(&["g.jsonl", "a.jsonl"], &["--strict"]), 1);
    assert_eq!(worst(&["g.jsonl", "g.jsonl"], &["--expect-rows", "12", "--expect-profile", "void"]), 0);
    assert_eq!(worst(&["g.jsonl", "g.jsonl"], &["--expect-rows", "11"]), 1);
    let quiet = run(folder.path(), &["--each", "a.jsonl", "broken.jsonl", "nowhere.jsonl", "--quiet"]);
    assert_eq!((quiet.0, quiet.1.as_str()), (1, ""));
    assert!(quiet.2.starts_with("no verdict: nowhere.jsonl: "), "{}", quiet.2);
}

#[test]
fn a_key_of_one_ledger_is_no_business_of_another() {
    let both = rows(&job("acme")) + &rows(&job("globex"));
    let broken = rows(&job("acme")).replacen("\"sequence\":3", "\"sequence\":4", 1);
    let folder = folder(&[
        ("a.jsonl", &rows(&job("acme"))),
        ("g.jsonl", &rows(&job("globex"))),
        ("both.jsonl", &both),
        ("i.jsonl", &rows(&job("initech"))),
        ("broken.jsonl", &broken),
        ("empty.jsonl", ""),
    ]);
    let each = |exports: &[&str], keys: &[&str]| {
        json(folder.path(), &[&["--each", "--accept", "no-anchor"], exports, keys].concat())
    };
    let (code, all) = each(&["a.jsonl", "g.jsonl", "both.jsonl"], &BOUND_KEYS);
    assert_eq!(code, 0, "{all:#}");
    let keys =
        |entry: &Value| entry["keys"].as_array().expect("keys").iter().map(|key| key["id"].to_string()).collect();
    let keys: Vec<Vec<String>> = all.as_array().expect("an array").iter().map(keys).collect();
    assert_eq!(keys, [vec!["\"acme\""], vec!["\"globex\""], vec!["\"acme\"", "\"globex\""]]);
    // A binding that nobody uses is a mistake, and a stop of the whole.
    let initech = ["--key", "initech=initech.pem"];
    let unused = [&BOUND_KEYS[..], &initech].concat();
    let (code, stop) = each(&["a.jsonl", "g.jsonl"], &unused);
    assert_eq!((code, &stop["stop"]["code"]), (2, &Value::from("key-binding")));
    assert!(stop["stop"]["message"].as_str().expect("text").contains("named initech"), "{stop}");
    // But a fault outranks it, and an export that could not be read may have the chain.
    assert_eq!(told(&each(&["a.jsonl", "broken.jsonl"], &unused).1)[1].0, "broken");
    assert_eq!(told(&each(&["a.jsonl", "g.jsonl", "nowhere.jsonl"], &unused).1)[2].0, "unreadable");
    // A rotated key that is bound to a name that nobody has is no fault of the rows that it signed.
    let (code, stop) = each(
        &["a.jsonl", "g.jsonl"],
        &["--key", "acme=acme.pem", "--key", "globx=globex.pem", "--key", "globex=initech.pem"],
    );
    assert_eq!((code, &stop["stop"]["code"]), (2, &Value::from("key-binding")));
    // An export that no key is for is not broken for that, and does not end the others.
    let (code, all) = each(&["a.jsonl", "g.jsonl", "i.jsonl"], &BOUND_KEYS);
    assert_eq!(code, 2);
    assert_eq!(
        told(&all).iter().map(|(word, _)| word.as_str()).collect::<Vec<_>>(),
        ["bounded", "bounded", "key-binding"]
    );
    assert!(all[2]["stop"]["message"].as_str().expect("text").ends_with("initech"), "{}", all[2]);
    // Its faults are told all the same.
    let other = ["--key", "globex=globex.pem"];
    assert_eq!(told(&each(&["g.jsonl", "broken.jsonl"], &other).1)[1].0, "broken");
    // An export without rows has no chain that a key could be for.
    assert_eq!(told(&each(&["empty.jsonl"], &BOUND_KEYS).1)[0], ("bounded".to_owned(), 3));
    // Several chains and several keys of which one is free: that export alone is stopped.
    let free = ["--key", "acme=acme.pem", "--key", "globex.pem"];
    let (code, all) = each(&["a.jsonl", "g.jsonl", "both.jsonl"], &free);
    assert_eq!((code, told(&all)[2].0.as_str()), (2, "key-binding"));
}

#[test]
fn what_concerns_all_ledgers_stops_at_once() {
    let files = root().join("tests/cmd/files");
    let cases: [(&[&str], &str); 7] = [
        (&["--key", "nowhere.pem"], "key"),
        (&["--profile", "unheard-of"], "profile"),
        (&["--recipe", "prev=base64"], "usage"),
        (&["--manifest", "export.manifest.json"], "usage"),
        (&["--head", "0x12"], "usage"),
        (&["-", "-"], "usage"),
        (&["--expect-rows", "0"], "usage"),
    ];
    for (arguments, wanted) in cases {
        let (code, stop) = json(&files, &[&["--each", "export.jsonl", "nowhere.jsonl"], arguments].concat());
        assert_eq!((code, &stop["stop"]["code"]), (2, &Value::from(wanted)), "{arguments:?}");
    }
}

/// A row of the home format that was cut off.
#[cfg(unix)]
const TORN: &str = "{\"sequence\":1,\"prev_hash\":\"\",\"hash\":\"\",\"signature\":\n";

#[cfg(unix)]
#[test]
fn hostile_names_stay_in_their_column() {
    let evil = "\u{1b}[2Jverified\u{202e}\nverified  1 row.jsonl";
    let folder = folder(&[(evil, &rows(&job("acme"))), ("語語語.jsonl", TORN)]);
    let (code, out, err) =
        run(folder.path(), &["--each", evil, "語語語.jsonl", "gone\u{1b}[2J.jsonl", "--key", "acme.pem"]);
    assert_eq!((code, err.as_str()), (1, ""));
    assert!(!out.chars().any(|c| c.is_control() && c != '\n') && !out.contains('\u{202e}'), "{out:?}");
    assert!(out.lines().all(|line| !line.starts_with("verified")), "{out}");
    let column =
        |line: &str, word: &str| unicode_width::UnicodeWidthStr::width(line.split(word).next().expect("a part"));
    let lines: Vec<&str> = out.lines().collect();
    assert_eq!(column(lines[0], "  bounded"), column(lines[1], "  broken"), "{out}");
    let stop = lines.iter().find(|line| line.starts_with("gone")).expect("a line for the one that is not there");
    assert_eq!(column(lines[0], "  bounded"), column(stop, "  no verdict"), "{out}");
    assert!(out.ends_with("\n3 ledgers: 1 broken, 1 no verdict, 1 bounded\n"), "{out}");
}

#[test]
fn expectations_are_told_whether_they_are_met_or_not() {
    let files = root().join("tests/cmd/files");
    let ask = |more: &[&str]| json(&files, &[&["export.jsonl", "--key", "pk.pem"], more].concat());
    let (code, plain) = ask(&[]);
    assert_eq!((code, &plain["expectations"]), (0, &Value::Array(Vec::new())));
    let met = ["--expect-rows", "8", "--expect-span", "2026-01-01..2026-01-01T00:00:12Z", "--expect-profile", "void"];
    let (code, report) = ask(&met);
    assert_eq!(code, 0);
    let status = |report: &Value| {
        let list = report["expectations"].as_array().expect("a list").iter();
        list.map(|e| (e["member"].as_str().expect("text").to_owned(), e["status"].as_str().expect("text").to_owned()))
            .collect::<Vec<_>>()
    };
    let all = |word: &str| ["rows", "span", "profile"].map(|member| (member.to_owned(), word.to_owned()));
    assert_eq!(status(&report), all("passed"));
    // What is shown was there before: the id is that of the ledger.
    assert_eq!(report["report_id"], plain["report_id"]);
    let failed = ["--expect-rows", "9", "--expect-span", "2026-01-01..2026-01-02", "--expect-profile", "arcaeon"];
    let (code, report) = ask(&failed);
    assert_eq!((code, &report["finding_counts"]["expectation-failed"]), (1, &Value::from(3)));
    assert_eq!(status(&report), all("failed"));
    assert_ne!(report["report_id"], plain["report_id"]);
    let findings = report["findings"].as_array().expect("findings").iter();
    let facts: Vec<_> = findings.map(|finding| (finding["member"].as_str(), finding["line"].as_u64())).collect();
    assert_eq!(facts, [(Some("rows"), None), (Some("span"), None), (Some("profile"), None)]);
    // A head is refused where they fail.
    assert_eq!(run(&files, &[&["head", "export.jsonl", "--key", "pk.pem"][..], &failed].concat()).0, 1);
    assert_eq!(run(&files, &[&["head", "export.jsonl", "--key", "pk.pem"][..], &met].concat()).0, 0);
    // A profile that only calls itself void is not the one that was expected.
    let weak = fs::read_to_string(root().join("src/profile/builtin/void.toml")).expect("the profile") + "\n# weaker\n";
    let folder = folder(&[("weak.toml", &weak)]);
    let weak = folder.path().join("weak.toml");
    let (code, report) = ask(&["--profile", weak.to_str().expect("text"), "--expect-profile", "void"]);
    assert_eq!((code, &report["expectations"][0]["status"]), (1, &Value::from("failed")));
    assert!(report["expectations"][0]["found"].as_str().expect("text").starts_with("void of other text, sha256:"));
}

#[test]
fn a_span_needs_time_stamps_and_is_that_of_all_chains() {
    let acme = rows(&job("acme"));
    let bare = acme.replace("\"timestamp\"", "\"stamp\"");
    let folder = folder(&[("bare.jsonl", &bare), ("both.jsonl", &(acme + &rows(&Job { rows: 2, ..job("globex") })))]);
    let (code, report) = json(folder.path(), &["bare.jsonl", "--expect-span", "2026-01-01..2026-01-01"]);
    let finding = report["findings"].as_array().expect("findings").iter().find(|f| f["code"] == "expectation-failed");
    let finding = finding.expect("an expectation that failed");
    assert_eq!((code, &finding["found"]), (1, &Value::Null));
    assert!(finding["message"].as_str().expect("text").contains("no row has a time stamp"), "{finding}");
    // The second chain ends earlier than the first: the ledger reaches as far as the first does.
    let (_, report) = json(folder.path(), &["both.jsonl", "--expect-span", "2026-01-01..2026-01-01"]);
    let (found, last) = (&report["expectations"][0]["found"], &report["coverage"]["last_time"]);
    let reach = found.as_str().and_then(|found| found.split_once("..")).expect("a span").1;
    assert!(reach > last.as_str().expect("a time"), "{found} {last}");
}

/// How well a profile fits, for scripts; what the rows hold is shown escaped.
#[test]
fn profiles_check_writes_what_the_schema_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let profile = "[profile]\nname = \"rows\"\n[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"start\"\n\
                   [[hash]]\npreimage = [{ field = \"a\" }, { prev = \"utf8\" }]\n";
    fs::write(folder.path().join("rows.toml"), profile).expect("a file");
    let hash = data_encoding::HEXLOWER.encode(&sha2::Sha256::digest("xstart"));
    let good = format!("{{\"a\":\"x\",\"p\":\"start\",\"h\":\"{hash}\"}}\n");
    let hostile = format!("{{\"a\":\"\\u001b[2K\u{202e}\u{9b}\",\"p\":\"{hash}\",\"h\":\"{hash}\"}}\n");
    for (rows, fits) in [(good.clone(), true), (good + &hostile, false)] {
        fs::write(folder.path().join("export.jsonl"), rows).expect("a file");
        let arguments = ["profiles", "check", "rows.toml", "export.jsonl"];
        let (code, value) = json(folder.path(), &arguments);
        assert_eq!((code, &value["fits"], value["first_misfit"].is_null()), (i32::from(!fits), &fits.into(), fits));
        let (_, text, _) = run(folder.path(), &arguments);
        let (_, lines, _) = run(folder.path(), &["profiles", "check", "rows.toml", "export.jsonl", "--json"]);
        for shown in [text, lines] {
            assert!(!shown.contains(['\u{1b}', '\u{202e}', '\u{9b}']), "{shown:?}");
        }
        if !fits {
            let text = value["first_misfit"]["bytes"]["text"].as_str().expect("a text");
            assert!(text.contains("\\u{1b}[2K\\u{202e}\\u{9b}"), "{text}");
        }
    }
}
