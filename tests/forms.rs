//! Every form of the report over the same eight runs: held byte for byte to tests/golden, read back by another
//! program's parser, and held to its schema.
//!
//! `UPDATE_GOLDEN=1 cargo test --test forms` writes the files anew. Judge each difference before it is kept.

mod models;

use std::fs;
use std::path::{Path, PathBuf};

use jsonschema::Validator;
use junit_parser::{TestStatus, TestSuites};
use ledger_verify::audit::{self, Request};
use ledger_verify::check::ed25519::Choice;
use ledger_verify::finding::{Code, Policy};
use ledger_verify::report::form::{self, Form};
use ledger_verify::report::identity::report_id;
use ledger_verify::report::summary::{Entry, Summary};
use ledger_verify::report::{Environment, Outcome, Report, Sidecar, Subject};
use ledger_verify::stop::{Stop, StopCode};
use ledger_verify::verdict::Verdict;
use serde_json::Value;

/// A form, and the name of its file. A new form is a line here.
const FORMS: &[(&str, &str)] = &[
    ("text", "report.txt"),
    ("json", "report.json"),
    ("html", "report.html"),
    ("junit", "junit.xml"),
    ("intoto", "intoto.json"),
    ("sarif", "report.sarif"),
    ("certificate", "certificate.txt"),
    ("certificate-html", "certificate.html"),
];

/// The runs: name, folder, files that are given besides `export.jsonl` and `pk.pem`.
const RUNS: &[(&str, &str)] = &[
    ("verified", "testdata/acme"),
    ("bounded", "testdata/faults/no-anchor"),
    ("content-edited", "testdata/incidents/content-edited"),
    ("rows-deleted", "testdata/incidents/rows-deleted"),
    ("rows-inserted", "testdata/incidents/rows-inserted"),
    ("rows-rehashed-without-key", "testdata/incidents/rows-rehashed-without-key"),
    ("tail-cut", "testdata/incidents/tail-cut"),
    ("declared-break", "tests/cmd/files/declared.jsonl"),
];

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// The outcome of a run, with an environment that is the same everywhere.
fn outcome(name: &str) -> Outcome {
    let (_, path) = RUNS.iter().find(|(run, _)| *run == name).expect("one of the runs");
    let path = Path::new(path);
    let manifest = path.join("manifest.json");
    let mut request = Request {
        exports: vec![path.join("export.jsonl")],
        keys: vec![(None, path.join("pk.pem"))],
        manifest: root().join(&manifest).exists().then_some(manifest),
        threads: 1,
        signatures: Choice::Reference,
        ..Request::default()
    };
    if name == "declared-break" {
        (request.exports, request.keys) = (vec![path.to_owned()], Vec::new());
        request.policy = Policy { accepted: vec![Code::NoAnchor], strict: false };
    }
    let environment = Environment {
        tool: "ledger-verify 0.1.0".into(),
        tool_sha256: Some("5e".repeat(32)),
        arguments: ["ledger-verify", "export.jsonl"].map(str::to_owned).to_vec(),
        platform: "linux x86_64".into(),
        threads: 1,
        operator: Some("A. Auditor".into()),
        case_id: Some("2026-017 & \"Acme\" <audit>".into()),
        started: "2026-09-01T08:00:00Z".into(),
        finished: "2026-09-01T08:00:01Z".into(),
        ..Environment::default()
    };
    audit::run(&request, environment, &())
}

fn report(name: &str) -> Report {
    match outcome(name) {
        Outcome::Report(report) => *report,
        Outcome::Stop(stop) => panic!("{name}: {stop}"),
    }
}

fn form(kind: &str) -> &'static dyn Form {
    form::named(kind).expect("a known kind")
}

fn text(kind: &str, outcome: &Outcome) -> String {
    form(kind).text(outcome).unwrap_or_else(|| panic!("{kind} has words for it"))
}

fn stop() -> Outcome {
    let message = "key pk.pem: this is a private key \u{1b}[31m <&\"'>";
    Outcome::Stop(Stop::new(StopCode::Key, message).hint("give the public key"))
}

fn json(text: &str) -> Value {
    serde_json::from_str(text).expect("JSON")
}

fn schema(path: &str) -> Validator {
    let text = fs::read_to_string(root().join(path)).expect("a schema");
    // A pattern of SARIF's schema, for languages, is no regular expression of the standard that it names.
    let schema = json(&text.replace("|^[a-zA-Z]{2}-[a-zA-Z]{2}]?$", "(-[a-zA-Z]{2})?$"));
    jsonschema::options().should_validate_formats(true).build(&schema).expect("a schema")
}

fn is_of(schema: &Validator, value: &Value) {
    let wrong: Vec<String> =
        schema.iter_errors(value).map(|error| format!("{}: {error}", error.instance_path())).collect();
    assert!(wrong.is_empty(), "{wrong:#?}\n{value:#}");
}

/// Markup, ends of quotes and of CDATA, and what commands a terminal.
const EVIL: &str = "<script>alert(1)</script>\"'&]]>-->\u{1b}[2K\u{202e}\u{0}\u{9b}\r\n\u{ffff}<img src=x>";

/// A report with hostile text in every place that foreign text can reach, and with every code.
fn hostile() -> Report {
    let mut report = models::hostile();
    let evil = || EVIL.to_owned();
    report.subjects[0].name = evil();
    report.subjects[0].sidecar = Some(Sidecar { name: evil(), bytes: 1, sha256: "77".repeat(32) });
    (report.profile.name, report.profile.recipe) = (evil(), evil());
    report.keys[0].id = Some(evil());
    let anchor = &mut report.anchors[0];
    (anchor.head, anchor.exported_at, anchor.chain) = (evil(), Some(evil()), Some(EVIL.into()));
    report.chains.iter_mut().for_each(|chain| chain.id = Some(EVIL.into()));
    report.unfinished = Some(evil());
    for expectation in &mut report.expectations {
        (expectation.expected, expectation.found) = (evil(), Some(evil()));
    }
    for counted in &mut report.findings {
        let finding = &mut counted.finding;
        (finding.chain, finding.member) = (Some(EVIL.into()), Some(EVIL.into()));
        (finding.expected, finding.found) = (Some(evil()), Some(evil()));
    }
    let environment = &mut report.environment;
    (environment.tool, environment.platform, environment.signature_engine) = (evil(), evil(), evil());
    (environment.operator, environment.case_id) = (Some(evil()), Some(evil()));
    environment.arguments = vec![evil(), evil()];
    report
}

/// The command line stands in two forms, to be pasted.
#[test]
fn the_command_line_is_that_of_a_shell() {
    let mut report = models::good();
    let mut shown = |arguments: &[&str]| {
        report.environment.arguments = arguments.iter().map(|&word| word.to_owned()).collect();
        let outcome = Outcome::Report(Box::new(report.clone()));
        ["certificate", "html"].map(|kind| text(kind, &outcome))
    };
    let [certificate, html] = shown(&["/opt/$(id)/x", "it's", "$(id)", "--report", "json=r.json"]);
    assert!(certificate.contains(r" ledger-verify 'it'\''s' '$(id)' --report json=r.json"), "{certificate}");
    assert!(html.contains(r"<code>ledger-verify 'it'\''s' '$(id)' --report json=r.json</code>"), "{html}");
    for text in shown(&["ledger-verify", "a\u{202e}b"]) {
        assert!(text.contains("no command can be written: ") && !text.contains("ledger-verify 'a"), "{text}");
    }
}

#[test]
fn every_form_is_golden_over_eight_runs() {
    let known: Vec<&str> = form::ALL.iter().map(|form| form.kind()).collect();
    assert_eq!(known, FORMS.iter().map(|(kind, _)| *kind).collect::<Vec<_>>(), "every form is held to files");
    let renew = std::env::var_os("UPDATE_GOLDEN").is_some();
    let mut differ = Vec::new();
    for (name, _) in RUNS {
        let outcome = outcome(name);
        for (kind, file) in FORMS {
            let path: PathBuf = root().join("tests/golden").join(name).join(file);
            let made = text(kind, &outcome);
            assert_eq!(made, text(kind, &outcome), "{name} {kind}: the same twice");
            if renew {
                fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
                fs::write(&path, &made).expect("written");
            }
            // A checkout may have put other line ends into text.
            let golden = fs::read_to_string(&path).unwrap_or_default().replace("\r\n", "\n");
            if golden != made {
                differ.push(format!("{}:\n{made}", path.display()));
            }
        }
    }
    assert!(differ.is_empty(), "{}", differ.join("\n"));
}

#[test]
fn the_runs_are_what_they_are_called() {
    let words = RUNS.iter().map(|(name, _)| report(name).verdict.exit_code()).collect::<Vec<_>>();
    assert_eq!(words, [0, 3, 1, 1, 1, 1, 1, 3]);
    assert!(report("declared-break").finding_counts.contains_key(&Code::DeclaredBreak));
}

/// What a build server makes of a suite: is it green?
fn green(suites: &TestSuites) -> bool {
    suites.failures == 0 && suites.errors == 0
}

fn read(xml: &str) -> TestSuites {
    let suites = junit_parser::from_reader(xml.as_bytes()).unwrap_or_else(|error| panic!("{error}\n{xml}"));
    // The sums are those of the cases.
    let cases = || suites.suites.iter().flat_map(|suite| &suite.cases);
    assert_eq!(suites.tests, cases().count() as u64);
    assert_eq!(suites.failures, cases().filter(|case| matches!(case.status, TestStatus::Failure(_))).count() as u64);
    assert_eq!(suites.errors, cases().filter(|case| matches!(case.status, TestStatus::Error(_))).count() as u64);
    suites
}

#[test]
fn junit_is_green_exactly_where_the_exit_code_is_0() {
    for (name, _) in RUNS {
        let outcome = outcome(name);
        let suites = read(&text("junit", &outcome));
        let (failures, errors) = (suites.failures > 0, suites.errors > 0);
        let wanted = match outcome.exit_code() {
            0 => (false, false),
            1 => (true, errors),
            _ => (false, true),
        };
        assert_eq!((failures, errors), wanted, "{name}");
    }
    for outcome in models::outcomes() {
        assert_eq!(green(&read(&text("junit", &outcome))), outcome.exit_code() == 0, "{outcome:?}");
    }
    let stopped = read(&text("junit", &stop()));
    assert_eq!((stopped.tests, stopped.errors, stopped.failures), (1, 1, 0));
    // An accepted bound is no failure, and is still told.
    let mut report = report("bounded");
    report.policy.accepted = vec![Code::NoAnchor];
    report.verdict = Verdict::Bounded { open: false };
    let suites = read(&text("junit", &Outcome::Report(Box::new(report))));
    assert!(green(&suites));
    let skipped: Vec<&str> = suites.suites[0]
        .cases
        .iter()
        .filter(|case| matches!(case.status, TestStatus::Skipped(_)))
        .map(|case| case.original_name.as_str())
        .collect();
    assert_eq!(skipped, ["check head", "finding no-anchor"]);
}

#[test]
fn junit_names_what_is_wrong() {
    let suites = read(&text("junit", &outcome("content-edited")));
    let failed: Vec<(&str, &str)> = suites.suites[0]
        .cases
        .iter()
        .filter_map(|case| match &case.status {
            TestStatus::Failure(failure) => Some((case.original_name.as_str(), failure.message.as_str())),
            _ => None,
        })
        .collect();
    let names: Vec<&str> = failed.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["verdict", "check digests", "finding hash-mismatch"]);
    assert!(failed[2].1.starts_with("line 5, sequence 5: the row's content hashes to 0x"), "{failed:?}");
}

#[test]
fn junit_of_several_has_a_suite_for_each() {
    let entries =
        ["verified", "content-edited", "bounded"].map(|name| Entry { name: name.into(), outcome: outcome(name) });
    let stopped = Entry { name: "stopped".into(), outcome: stop() };
    let summary = Summary { entries: entries.into_iter().chain([stopped]).collect() };
    let tell = form("junit").several().expect("it tells of several");
    let suites = read(&tell(&summary));
    let told: Vec<(&str, u64, u64)> =
        suites.suites.iter().map(|suite| (suite.name.as_str(), suite.failures, suite.errors)).collect();
    assert_eq!(told, [("verified", 0, 0), ("content-edited", 3, 0), ("bounded", 0, 2), ("stopped", 0, 1)]);
    let able: Vec<&str> = form::ALL.iter().filter(|form| form.several().is_some()).map(|form| form.kind()).collect();
    assert_eq!(able, ["text", "json", "junit"]);
}

#[test]
fn sarif_is_of_its_schema() {
    let schema = schema("testdata/schemas/sarif-schema-2.1.0.json");
    for (name, _) in RUNS {
        is_of(&schema, &json(&text("sarif", &outcome(name))));
    }
    is_of(&schema, &json(&text("sarif", &Outcome::Report(Box::new(hostile())))));
    for outcome in models::outcomes() {
        is_of(&schema, &json(&text("sarif", &outcome)));
    }
}

#[test]
fn sarif_points_at_the_rows() {
    for (name, folder) in RUNS {
        let report = report(name);
        let run = &json(&text("sarif", &Outcome::Report(Box::new(report.clone()))))["runs"][0];
        let export = match folder.ends_with(".jsonl") {
            true => root().join(folder),
            false => root().join(folder).join("export.jsonl"),
        };
        let bytes = fs::read(export).expect("the export");
        let results = run["results"].as_array().expect("results");
        assert_eq!(results.len(), report.findings.len(), "{name}");
        for (result, counted) in results.iter().zip(&report.findings) {
            let code = result["ruleId"].as_str().expect("a rule");
            let rule = &run["tool"]["driver"]["rules"][result["ruleIndex"].as_u64().expect("an index") as usize];
            assert_eq!((rule["id"].as_str(), code), (Some(code), counted.finding.code.name()));
            assert!(result["suppressions"].is_array(), "on every result or on none");
            let physical = &result["locations"][0]["physicalLocation"];
            assert_eq!(physical["artifactLocation"]["uri"], run["artifacts"][0]["location"]["uri"]);
            let Some(region) = physical.get("region") else { continue };
            let number = |name: &str| region[name].as_u64().expect("a number") as usize;
            let line = bytes.split(|byte| *byte == b'\n').nth(number("startLine") - 1).expect("that line");
            let start = number("byteOffset");
            assert_eq!(&bytes[start..start + number("byteLength")], line, "{name} {code}");
        }
        let artifact = &run["artifacts"][0];
        assert_eq!(artifact["length"].as_u64(), Some(bytes.len() as u64));
        assert_eq!(artifact["hashes"]["sha-256"].as_str(), Some(report.subjects[0].sha256.as_str()));
    }
}

/// A file can be given twice, and the schema refuses two artifacts that are one.
#[test]
fn sarif_tells_a_file_that_is_given_twice_apart() {
    let schema = schema("testdata/schemas/sarif-schema-2.1.0.json");
    let mut report = report("content-edited");
    let mut one = report.subjects[0].clone();
    one.sidecar = Some(Sidecar { name: "beside".into(), bytes: 1, sha256: "77".repeat(32) });
    let other = Subject { name: "other.jsonl".into(), sidecar: None, ..one.clone() };
    report.subjects = vec![one.clone(), other, one];
    report.findings[0].finding.place.as_mut().expect("a place").part = 2;
    let value = json(&text("sarif", &Outcome::Report(Box::new(report))));
    is_of(&schema, &value);
    let run = &value["runs"][0];
    let told = |name: &str| -> Vec<Option<u64>> {
        let artifacts = run["artifacts"].as_array().expect("artifacts");
        artifacts.iter().map(|artifact| artifact["properties"][name].as_u64()).collect()
    };
    assert_eq!(told("part"), [Some(0), None, Some(2), None, None]);
    assert_eq!(told("beside_part"), [None, None, None, Some(0), Some(2)]);
    let place = &run["results"][0]["locations"][0]["physicalLocation"]["artifactLocation"];
    assert_eq!((&place["index"], &place["uri"]), (&2.into(), &run["artifacts"][2]["location"]["uri"]));
}

#[test]
fn sarif_levels_and_suppressions() {
    let levels = |name| -> Vec<(String, String, usize)> {
        let value = json(&text("sarif", &outcome(name)));
        let results = value["runs"][0]["results"].as_array().expect("results").clone();
        let word = |value: &Value| value.as_str().unwrap_or_default().to_owned();
        let told = |one: &Value| {
            let suppressions = one["suppressions"].as_array().expect("suppressions");
            for one in suppressions {
                assert_eq!((&one["kind"], &one["status"]), (&"external".into(), &"accepted".into()));
                assert!(one["justification"].as_str().is_some_and(|why| why.len() > 20), "{one}");
            }
            (word(&one["ruleId"]), word(&one["level"]), suppressions.len())
        };
        results.iter().map(told).collect()
    };
    let of = |code: &str, level: &str, suppressions| (code.to_owned(), level.to_owned(), suppressions);
    assert_eq!(levels("verified"), []);
    assert_eq!(levels("bounded"), [of("no-anchor", "warning", 0)]);
    assert_eq!(levels("content-edited"), [of("hash-mismatch", "error", 0)]);
    let declared = levels("declared-break");
    assert!(declared.contains(&of("declared-break", "warning", 1)), "{declared:?}");
    assert!(declared.contains(&of("no-anchor", "warning", 1)), "{declared:?}");
}

/// What is counted and not listed must not look like nothing.
#[test]
fn sarif_shows_codes_that_are_not_listed() {
    let mut report = report("content-edited");
    report.findings.clear();
    let run = &json(&text("sarif", &Outcome::Report(Box::new(report))))["runs"][0];
    assert_eq!(run["results"][0]["ruleId"], "hash-mismatch");
    let told = &run["invocations"][0]["toolExecutionNotifications"][0];
    assert_eq!(told["message"]["text"], "1 of 1 findings are not listed");
}

#[test]
fn sarif_of_a_stop_says_that_it_could_not_run() {
    let run = &json(&text("sarif", &stop()))["runs"][0];
    let invocation = &run["invocations"][0];
    assert_eq!(invocation["executionSuccessful"], false);
    let told = invocation["toolExecutionNotifications"][0]["message"]["text"].as_str().expect("a message");
    assert!(told.starts_with("no verdict: key pk.pem: this is a private key"), "{told}");
    assert!(run.get("results").is_none(), "an empty list would read as nothing found");
}

#[test]
fn names_of_files_are_uri_references() {
    let mut report = report("verified");
    for (name, uri) in [
        ("a b.jsonl", "a%20b.jsonl"),
        ("a:b.jsonl", "a%3Ab.jsonl"),
        ("../x/ü#?%.jsonl", "../x/%C3%BC%23%3F%25.jsonl"),
        ("/var/log/a.jsonl", "file:///var/log/a.jsonl"),
        ("\u{1b}[2J\n\u{202e}", "%1B%5B2J%0A%E2%80%AE"),
    ] {
        report.subjects[0].name = name.to_owned();
        let run = &json(&text("sarif", &Outcome::Report(Box::new(report.clone()))))["runs"][0];
        assert_eq!(run["artifacts"][0]["location"]["uri"], uri);
    }
}

#[test]
fn intoto_is_of_its_schema_and_says_what_the_report_says() {
    let schema = schema("testdata/schemas/intoto-test-result-0.1.json");
    let tests = |value: &Value, name: &str| -> Vec<String> {
        let list = value["predicate"][name].as_array().expect("a list");
        list.iter().map(|one| one.as_str().expect("a name").to_owned()).collect()
    };
    for (name, _) in RUNS {
        let report = report(name);
        let value = json(&text("intoto", &Outcome::Report(Box::new(report.clone()))));
        is_of(&schema, &value);
        let wanted = match report.verdict {
            Verdict::Verified { .. } => "PASSED",
            Verdict::Bounded { .. } => "WARNED",
            Verdict::Broken { .. } => "FAILED",
        };
        assert_eq!(value["predicate"]["result"], wanted, "{name}");
        assert_eq!(value["predicate"]["result"] == "FAILED", !tests(&value, "failedTests").is_empty(), "{name}");
        assert_eq!(value["subject"][0]["digest"]["sha256"], report.subjects[0].sha256.as_str());
        let cited = &value["predicate"]["configuration"][0]["digest"]["sha256"];
        assert_eq!(format!("sha256:{}", cited.as_str().expect("hex")), report_id(&report));
    }
    let value = json(&text("intoto", &outcome("content-edited")));
    assert_eq!(tests(&value, "failedTests"), ["digests", "hash-mismatch"]);
    assert_eq!(tests(&value, "passedTests"), ["chain", "signatures", "sequence", "head"]);
    is_of(&schema, &json(&text("intoto", &Outcome::Report(Box::new(hostile())))));
    for outcome in models::outcomes() {
        if let Some(text) = form("intoto").text(&outcome) {
            is_of(&schema, &json(&text));
        }
    }
}

/// A digest of what was read must not pass for the file's.
#[test]
fn intoto_tells_of_a_run_that_ended_early() {
    let mut report = report("content-edited");
    let whole = json(&text("intoto", &Outcome::Report(Box::new(report.clone()))));
    assert_eq!(whole["subject"][0]["annotations"], Value::Null);
    report.unfinished = Some("export.jsonl shrank".into());
    report.subjects[0].sidecar = Some(Sidecar { name: "beside".into(), bytes: 1, sha256: "77".repeat(32) });
    let value = json(&text("intoto", &Outcome::Report(Box::new(report.clone()))));
    is_of(&schema("testdata/schemas/intoto-test-result-0.1.json"), &value);
    let predicate = &value["predicate"];
    assert_eq!(predicate["configuration"][0]["annotations"]["unfinished"], "export.jsonl shrank");
    assert_eq!(predicate["warnedTests"].as_array().and_then(|list| list.last()), Some(&"unfinished".into()));
    for (subject, bytes) in [(0, report.subjects[0].bytes), (1, 1)] {
        let annotations = &value["subject"][subject]["annotations"];
        assert_eq!(annotations["bytes"], bytes);
        assert!(annotations["digest_of"].as_str().is_some_and(|of| of.contains("bytes that were read")), "{value:#}");
    }
}

#[test]
fn what_has_no_words_for_a_stop_says_nothing() {
    let silent: Vec<&str> =
        form::ALL.iter().filter(|form| form.text(&stop()).is_none()).map(|form| form.kind()).collect();
    assert_eq!(silent, ["intoto", "certificate", "certificate-html"]);
}

#[test]
fn the_json_form_is_of_its_schema() {
    let schema = schema("docs/report.schema.json");
    for (name, _) in RUNS {
        is_of(&schema, &json(&text("json", &outcome(name))));
    }
    is_of(&schema, &json(&text("json", &stop())));
}

/// Foreign text commands no terminal, opens no element and ends no attribute, in any form.
#[test]
fn hostile_text_is_tame_in_every_form() {
    let outcome = Outcome::Report(Box::new(hostile()));
    for form in form::ALL {
        for outcome in [&outcome, &stop()] {
            let Some(text) = form.text(outcome) else { continue };
            let bad = text.chars().find(|c| *c != '\n' && ledger_verify::report::escape::is_unsafe(*c));
            assert_eq!(bad, None, "{}: {text}", form.kind());
        }
    }
    let xml = text("junit", &outcome);
    let suites = read(&xml);
    // What the attributes hold is what was put in: nothing became an element of its own.
    let shown = suites.suites[0].name.clone();
    assert!(shown.contains("\\u{1b}") && shown.contains('<'), "{shown:?}");
    let html = text("certificate-html", &outcome);
    assert!(html.contains("&lt;script&gt;"), "{html}");
    // Each sign that opens an element opens one of ours.
    for tag in html.split('<').skip(1) {
        let name: String = tag.trim_start_matches('/').chars().take_while(char::is_ascii_alphanumeric).collect();
        let ours = "!DOCTYPE html head meta title style body h1 h2 section p ul li dl dt dd div span br";
        assert!(tag.starts_with('!') || ours.split(' ').any(|known| known == name), "{tag}");
        let inside = tag.split('>').next().unwrap_or_default();
        assert!(!inside.contains("src=") && !inside.contains("href=") && !inside.contains(" on"), "{inside}");
    }
}

#[test]
fn the_certificate_has_the_facts_and_claims_nothing() {
    for (name, _) in RUNS {
        let report = report(name);
        let outcome = Outcome::Report(Box::new(report.clone()));
        let plain = |text: String| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for kind in ["certificate", "certificate-html"] {
            let sheet = plain(text(kind, &outcome));
            let environment = &report.environment;
            let digest = environment.tool_sha256.as_deref().expect("known");
            let facts = [&report.subjects[0].sha256, digest, &report_id(&report), report.verdict.word(), "A. Auditor"];
            for fact in facts.into_iter().chain(report.keys.iter().map(|key| key.fingerprint.as_str())) {
                assert!(sheet.contains(fact), "{name} {kind}: {fact}");
            }
            assert!(sheet.contains("is not legal advice, and it does not say that anything is admissible"));
            assert!(!sheet.to_lowercase().contains("court"), "{name} {kind}");
            for limit in report.limits.iter().filter(|_| kind == "certificate") {
                assert!(sheet.contains(&plain(limit.clone())), "{name}: {limit}");
            }
            for blank in ["Full name", "Qualification", "Place", "Date", "Signature"] {
                assert!(sheet.contains(&format!("{blank}:")) || sheet.contains(blank), "{name} {kind}: {blank}");
            }
        }
    }
}

#[test]
fn a_certificate_for_a_page_is_html() {
    for (kind, path, wanted) in [
        ("certificate", "sheet.html", "certificate-html"),
        ("certificate", "SHEET.HTM", "certificate-html"),
        ("certificate", "sheet.txt", "certificate"),
        ("certificate", "-", "certificate"),
        ("certificate-html", "-", "certificate-html"),
        ("text", "report.html", "text"),
    ] {
        assert_eq!(form::for_path(kind, Path::new(path)).map(Form::kind), Some(wanted), "{kind}={path}");
    }
    assert!(form::for_path("pdf", Path::new("a.pdf")).is_none());
}
