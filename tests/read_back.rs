//! A report that is read back from its JSON says the same, to the byte, in every form; and one that was changed
//! is found out.

mod models;

use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::audit::{self, Request};
use ledger_verify::fact::Place;
use ledger_verify::finding::{Code, Finding, Policy};
use ledger_verify::incident::{Detail, Incident, Kind};
use ledger_verify::report::escape::{escape, escape_cut, quote};
use ledger_verify::report::figures::shortened;
use ledger_verify::report::identity::{EXCLUDED, report_id};
use ledger_verify::report::read::{ReadBack, read};
use ledger_verify::report::since::{Before, Signer, SinceFacts};
use ledger_verify::report::text::{Style, write};
use ledger_verify::report::{DeclaredFacts, Environment, Outcome, Report, form, json};
use ledger_verify::verdict::{CheckId, judge};
use models::*;
use proptest::prelude::*;
use serde_json::{Value, json};

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, Style::default(), &mut out).expect("writing to memory");
    String::from_utf8(out).expect("text")
}

fn to_json(report: &Report) -> String {
    json::write(&Outcome::Report(Box::new(report.clone())))
}

/// The law: the same JSON, the same text, the same id.
fn comes_back(report: &Report, what: &str) {
    let written = to_json(report);
    let ReadBack::Whole { report: back, id } = read(&written, "r.json").unwrap_or_else(|stop| panic!("{what}: {stop}"))
    else {
        panic!("{what}: altered");
    };
    assert_eq!(id, report_id(report), "{what}");
    assert_eq!(to_json(&back), written, "{what}");
    let outcomes = [Outcome::Report(Box::new(report.clone())), Outcome::Report(back.clone())];
    // A URI is of the name itself, which JSON shows escaped.
    let plain = report.subjects.iter().all(|subject| escape_cut(&subject.name, 1024) == subject.name);
    for form in form::ALL.iter().filter(|form| plain || form.kind() != "sarif") {
        let [one, other] = outcomes.each_ref().map(|outcome| form.text(outcome).expect("a text"));
        assert!(one == other, "{what} as {}: {}", form.kind(), differing(&other, &one));
    }
    assert!(text(&back) == text(report), "{what}: {}", differing(&text(&back), &text(report)));
}

/// The first line that differs.
fn differing(a: &str, b: &str) -> String {
    let pair = a.lines().zip(b.lines()).find(|(a, b)| a != b);
    format!(
        "{:?}",
        pair.map(|(a, b)| (a.chars().take(400).collect::<String>(), b.chars().take(400).collect::<String>()))
    )
}

/// An incident of each kind, with all that a story can be made of.
fn incidents(report: &mut Report) {
    let details = [
        Detail::None,
        Detail::Signature(Some(true)),
        Detail::Signature(None),
        Detail::Order(vec![0]),
        Detail::Other(4),
        Detail::Code(Code::TornRow),
        Detail::Stated { stated: HEAD.into(), found: "a\u{1b}b c".repeat(400) },
        Detail::Head { sequence: 3, digest: OTHER.into() },
    ];
    let place = |line| Some(Place { part: 0, line, offset: line * 700, length: 699 });
    let kinds = Kind::ALL.iter().enumerate();
    report.told.incidents = kinds
        .map(|(index, &kind)| Incident {
            kind,
            certain: index % 2 == 0,
            first: place(7).filter(|_| index % 3 > 0),
            last: place(9).filter(|_| index % 3 > 0),
            sequences: Some((7, 9)).filter(|_| index % 4 > 0),
            chain: Some("acme \u{202e}".into()).filter(|_| index % 2 > 0),
            rows: index as u64,
            faults: 2,
            good_before: Some(6).filter(|_| index % 2 > 0),
            good_after: Some(10).filter(|_| index % 5 > 0),
            detail: details[index % details.len()].clone(),
        })
        .collect();
    (report.told.more, report.told.unexplained) = (3, 1);
}

/// Reports with what the usual models lack.
fn more() -> Vec<Report> {
    let mut told = broken();
    incidents(&mut told);
    let mut declared = good();
    let place = Place { part: 0, line: 3, offset: 1400, length: 699 };
    let why = "a\u{202e}b ".repeat(700);
    declared.declared = Some(vec![DeclaredFacts { place, line: Some(2), why, pin_holds: Some(true), excuses: true }]);
    let mut since = good();
    since.since = Some(SinceFacts {
        report_id: report_id(&good()),
        verdict: "bounded",
        bounds: vec![Code::NoAnchor],
        subjects: vec![Before { bytes: 13_000_000, sha256: "ab".repeat(32), rows: 18_302 }],
        holds: true,
        digests: 18_302,
        signatures: 18_302,
        keys: vec![Signer { id: Some("a\u{1b}".into()), fingerprint: KEY.into(), rows: 18_302 }],
        through: vec![report_id(&broken())],
    });
    since.checks.iter_mut().filter(|check| matches!(check.id, CheckId::Digests | CheckId::Signatures)).for_each(
        |check| {
            (check.checked, check.vouched) = (120, 18_302);
        },
    );
    (since.coverage.digests, since.coverage.signatures) = (120, 120);
    since.keys[0].rows = 120;
    let since = finish(since, Policy::default(), Vec::new(), 100);
    assert_eq!(since.verdict.word(), "verified");
    let mut long = hostile();
    let name = "\u{1b}x".repeat(900);
    long.subjects[0].name = name.clone();
    long.chains[0].id = Some(name.as_str().into());
    long.chains[1].pin = Some(name.clone());
    long.keys[0].id = Some(format!("{} a", "x".repeat(2000)));
    long.anchors[0].head = "ab".repeat(700);
    long.profile.recipe = "…\u{feff}".repeat(600);
    long.environment.arguments = vec!["\"".repeat(1500), name.clone()];
    let finding = Finding::new(Code::HashMismatch, at(0, 7)).expected("cd".repeat(600)).found(name);
    let mut long = finish(long, Policy::default(), vec![finding], 100);
    (long.environment.operator, long.environment.case_id) = (Some("a\u{202e}".into()), Some("b".repeat(2000)));
    vec![told, declared, since, long]
}

#[test]
fn models_come_back() {
    let models = outcomes().into_iter().filter_map(|outcome| match outcome {
        Outcome::Report(report) => Some(*report),
        Outcome::Stop(_) => None,
    });
    let all: Vec<Report> = models.chain(more()).collect();
    assert!(all.len() >= 14, "{}", all.len());
    for (index, report) in all.iter().enumerate() {
        comes_back(report, &format!("model {index}"));
    }
}

fn cases() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let mut cases = vec![root.join("acme")];
    for folder in ["faults", "incidents"] {
        let entries = fs::read_dir(root.join(folder)).expect(folder);
        cases.extend(entries.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_dir()));
    }
    cases.sort();
    cases
}

/// Every run over the fixtures of faults and incidents, as strict, as without a key, as with few listed.
#[test]
fn runs_come_back() {
    let mut compared = 0;
    for case in cases() {
        let there = |name: &str| Some(case.join(name)).filter(|path| path.exists());
        let Some(export) = there("export.jsonl").or_else(|| there("a.jsonl")) else { continue };
        let plain = Request {
            exports: vec![export],
            keys: there("pk.pem").map(|path| (None, path)).into_iter().collect(),
            manifest: there("manifest.json"),
            profile: Some("void".to_owned()),
            ..Request::default()
        };
        let strict = Policy { accepted: vec![Code::NoAnchor], strict: true };
        let others = [
            Request { policy: strict, ..plain.clone() },
            Request { keys: Vec::new(), ..plain.clone() },
            Request { max_findings: 1, ..plain.clone() },
        ];
        for request in [plain].into_iter().chain(others) {
            let environment =
                Environment { tool: "t".into(), started: "2026-01-01T00:00:00Z".into(), ..Environment::default() };
            let Outcome::Report(report) = audit::run(&request, environment, &()) else { continue };
            comes_back(&report, &case.display().to_string());
            compared += 1;
        }
    }
    assert!(compared > 200, "{compared} runs");
}

/// Change a member at a pointer.
fn changed(report: &Report, pointer: &str, put: Value) -> String {
    let mut value: Value = serde_json::from_str(&to_json(report)).expect("JSON");
    *value.pointer_mut(pointer).unwrap_or_else(|| panic!("no {pointer}")) = put;
    format!("{value:#}\n")
}

#[test]
fn what_was_changed_is_found_out() {
    let report = broken();
    for (pointer, put) in [
        ("/verdict", json!("verified")),
        ("/exit_code", json!(0)),
        ("/subject/0/bytes", json!(1)),
        ("/subject/0/sha256", json!("00".repeat(32))),
        ("/coverage/rows", json!(7)),
        ("/keys/0/rows", json!(7)),
        ("/finding_counts/hash-mismatch", json!(2)),
        ("/findings_digest", json!("00".repeat(32))),
        ("/report_id", json!(format!("sha256:{}", "0".repeat(64)))),
    ] {
        match read(&changed(&report, pointer, put), "r.json").expect(pointer) {
            ReadBack::Altered { stated, found } => assert_ne!(stated, found, "{pointer}"),
            ReadBack::Whole { .. } => panic!("{pointer} was not found out"),
        }
    }
    // What the id does not cover is found out as far as the rest shows it.
    for (pointer, put, why) in [
        ("/findings/1/line", json!(8), "findings_digest"),
        ("/findings/1/code", json!("fork"), "more findings"),
        ("/findings/1/part", json!(1), "none of the files"),
        ("/findings/1/offset", json!(-1), "invalid"),
        ("/findings/1/offset", json!(u64::MAX), "out of range"),
        ("/findings/1/offset", Value::Null, "half known"),
        ("/details/chains", json!([]), "as many chains"),
        ("/untold/faults", json!(u64::MAX), "out of range"),
        ("/expectations", json!([{ "member": "x", "expected": "", "found": null, "status": "passed" }]), "\"x\""),
    ] {
        let stop = read(&changed(&report, pointer, put), "r.json").map(|_| ()).expect_err(pointer);
        assert!(stop.message.starts_with("r.json: ") && stop.message.contains(why), "{pointer}: {}", stop.message);
    }
}

#[test]
fn what_contradicts_itself_is_refused() {
    // With an id that fits: as somebody would make it who knows how.
    let forged = |report: &Report| read(&to_json(report), "r.json").map(|_| ()).expect_err("a stop").message;
    let mut report = broken();
    report.verdict = good().verdict;
    assert!(forged(&report).contains("another verdict"), "{}", forged(&report));
    let mut report = good();
    report.checks[0].checked += 1;
    assert!(forged(&report).contains("another status") || forged(&report).contains("another verdict"));
}

/// Members that no run has together, with the id that belongs to them.
#[test]
fn members_that_no_run_has_together_are_refused() {
    let whole = |report: &Report| match read(&to_json(report), "r.json") {
        Ok(ReadBack::Whole { .. }) => String::new(),
        Ok(ReadBack::Altered { .. }) => panic!("the id fits"),
        Err(stop) => stop.message,
    };
    let since = more().into_iter().find(|report| report.since.is_some()).expect("a report since another");
    assert_eq!((whole(&good()), whole(&since)), (String::new(), String::new()));
    type Change = fn(&mut Report);
    let of_good: [(Change, &str); 10] = [
        (|report| report.checks.clear(), "a check that every run has is missing"),
        (|report| report.checks.retain(|check| check.id != CheckId::Digests), "a check that every run has is missing"),
        (|report| report.checks.retain(|check| check.id != CheckId::Signatures), "coverage counts other digests"),
        (|report| report.checks.push(report.checks[0]), "a check stands in it twice"),
        (|report| report.subjects.clear(), "it is of no file"),
        (|report| report.subjects[0].rows -= 1, "of other rows than its files"),
        (|report| report.keys.clear(), "no key signed a row"),
        (|report| report.keys[0].rows = 0, "no key signed a row"),
        (|report| report.coverage.digests -= 1, "coverage counts other digests or signatures"),
        (|report| report.coverage.signatures = 0, "coverage counts other digests or signatures"),
    ];
    let of_since: [(Change, &str); 3] = [
        (|report| report.since = None, "no earlier report is named"),
        (|report| report.since.as_mut().expect("it").digests += 1, "vouches for another number"),
        (|report| report.since.as_mut().expect("it").holds = false, "not of its beginning vouches"),
    ];
    let mut unheld = since.clone();
    let facts = unheld.since.as_mut().expect("it");
    (facts.holds, facts.digests, facts.signatures) = (false, 0, 0);
    unheld.checks.iter_mut().for_each(|check| check.vouched = 0);
    let changes = of_good.map(|change| (good(), change)).into_iter();
    let changes = changes.chain(of_since.map(|change| (since.clone(), change)));
    // A verdict that is not broken, whatever was accepted.
    let unheld: (Report, (Change, &str)) = (unheld, (|_| {}, "does not begin with the bytes"));
    for (mut report, (change, why)) in changes.chain([unheld]) {
        change(&mut report);
        let report = match report.checks.is_empty() {
            true => report,
            false => judged(report),
        };
        let said = whole(&report);
        assert!(said.starts_with("r.json: the report contradicts itself: ") && said.contains(why), "{why}: {said}");
    }
}

/// With the verdict that its findings and checks lead to.
fn judged(mut report: Report) -> Report {
    report.verdict = judge(&report.finding_counts, &report.policy, report.coverage.rows, &report.checks);
    report
}

/// In every format, with its keys and without: no honest report contradicts itself.
#[test]
fn runs_of_all_formats_come_back() {
    let formats = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/formats");
    let mut compared = 0;
    for entry in fs::read_dir(formats).expect("formats") {
        let format = entry.expect("one").path();
        let Ok(arguments) = fs::read(format.join("args.json")) else { continue };
        let arguments: Vec<String> = serde_json::from_slice(&arguments).expect("JSON");
        let mut request = Request {
            exports: vec![format.join("export.jsonl")],
            profile: Some(format.file_name().expect("a name").to_string_lossy().into_owned()),
            ..Request::default()
        };
        for pair in arguments.chunks(2) {
            match (pair[0].as_str(), pair[1].split_once('=')) {
                ("--key", Some((id, file))) => request.keys.push((Some(id.to_owned()), format.join(file))),
                ("--key", None) => request.keys.push((None, format.join(&pair[1]))),
                ("--genesis", _) => request.genesis = Some(pair[1].clone()),
                (other, _) => panic!("{}: {other}", format.display()),
            }
        }
        for request in [Request { keys: Vec::new(), ..request.clone() }, request] {
            let Outcome::Report(report) = audit::run(&request, Environment::default(), &()) else { continue };
            comes_back(&report, &format.display().to_string());
            compared += 1;
        }
    }
    assert!(compared > 30, "{compared} runs");
}

#[test]
fn what_is_no_report_is_a_stop_that_says_what_it_is() {
    let stop = |text: &str| read(text, "r.json").map(|_| ()).expect_err("a stop").message;
    let other = to_json(&good()).replacen("report/v1", "report/v2", 1);
    let more = to_json(&good()).replacen("\"limits\": [", "\"surplus\": 1, \"limits\": [", 1);
    let twice = to_json(&good()).replacen("\"verdict\": ", "\"verdict\": \"broken\", \"verdict\": ", 1);
    let stopped = json::write(&Outcome::Stop(ledger_verify::stop::Stop::new(ledger_verify::stop::StopCode::Key, "no")));
    for (text, why) in [
        ("", "no JSON text"),
        ("{", "no JSON text"),
        ("7", "no JSON object"),
        ("{}", "names no schema"),
        (&format!("[{}]", to_json(&good())), "--each"),
        (&stopped, "came to no verdict"),
        (&other, "its schema is ledger-verify.report/v2"),
        (&more, "unknown field `surplus`"),
        (&twice, "duplicate field `verdict`"),
        (&"[".repeat(100_000), "no JSON text"),
    ] {
        assert!(stop(text).contains(why), "{why}: {}", stop(text));
    }
}

/// The environment may have more members in a later version: nothing else of the report depends on them.
#[test]
fn the_environment_may_have_more() {
    let mut value: Value = serde_json::from_str(&to_json(&good())).expect("JSON");
    value["environment"]["moon"] = json!("full");
    assert!(matches!(read(&value.to_string(), "r.json"), Ok(ReadBack::Whole { .. })));
    assert!(EXCLUDED.contains(&"environment"));
}

proptest! {
    /// What was shown may be shown again, in as many characters or fewer.
    #[test]
    fn escaping_and_cutting_twice_is_once(text in "([ -~a\u{1b}\u{202e}\u{e0041}\"é…\\\\]|.u\\{1b\\}|\\\\u\\{(1b|7|41|e0041)\\}){0,60}", long in 0usize..40, less in 0usize..40) {
        let short = long.saturating_sub(less);
        let shown = escape(&text);
        prop_assert_eq!(escape(&shown), &*shown);
        let once = escape_cut(&text, long);
        prop_assert_eq!(once.ends_with('…') || once == escape(&text), true);
        for max in [long, short] {
            prop_assert_eq!(escape_cut(&once, max), escape_cut(&text, max));
            prop_assert_eq!(quote(&once, max), quote(&text, max));
        }
    }

    /// A digest that JSON cuts is taken for none before, too.
    #[test]
    fn digests_read_back_are_shortened_alike(digits in prop::sample::select(vec![31usize, 32, 64, 990, 1000, 1001, 1024, 1025, 3000])) {
        let text = "a".repeat(digits);
        prop_assert_eq!(shortened(&escape_cut(&text, 1024)), shortened(&text));
    }
}
