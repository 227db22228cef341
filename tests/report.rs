//! The report: what it says as text and as JSON, what its id covers, and that foreign text is tame.

mod models;

use ledger_verify::finding::{Code, Finding, Policy};
use ledger_verify::report::escape::is_unsafe;
use ledger_verify::report::identity::{EXCLUDED, canonical, report_id};
use ledger_verify::report::summary::{Entry, Summary};
use ledger_verify::report::text::{Style, write, write_stop};
use ledger_verify::report::{ChainFacts, ExpectationFacts, Outcome, Report, json, message::message, pin};
use ledger_verify::stop::{Stop, StopCode};
use ledger_verify::verdict::CheckId;
use models::*;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};

fn text(report: &Report) -> String {
    let mut out = Vec::new();
    write(report, Style::default(), &mut out).expect("writing to memory");
    String::from_utf8(out).expect("text")
}

/// The text without the report id and the limits, which have tests of their own.
fn body(report: &Report) -> String {
    let mut inside = false;
    let mut out = String::new();
    for line in text(report).lines() {
        inside = (inside && line.starts_with("    ")) || line == "  what this does not show";
        if !inside && !line.starts_with("  report sha256:") {
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// What is changed in a report, and how.
type Mutation = (&'static str, fn(&mut Report));

#[test]
fn verified_is_six_lines() {
    let wanted = format!(
        "export.jsonl  18,422 rows  13.1 MB  void  sha256:4c1f…\n  ✓ 18,422 entries, chain intact\n  \
         ✓ 18,422 signatures valid (acme, {KEY})\n  ✓ 0 gaps detected\n  \
         ✓ head 0xa10e…3b08 matches manifest (signed)\nverified\n"
    );
    assert_eq!(text(&good()), wanted);
}

/// Nothing else says which bytes it was, so that the report does.
#[test]
fn a_file_without_digest_is_told() {
    let mut report = good();
    let id = report_id(&report);
    report.subjects[0].sha256.clear();
    report.limits = ledger_verify::report::limits::limits(&report);
    assert!(text(&report).contains("  void  sha256 not computed\n"), "{}", text(&report));
    assert!(report.limits.iter().any(|limit| limit.starts_with("The SHA-256 of the file was not computed")));
    assert_ne!(report_id(&report), id);
    let value = json::value(&Outcome::Report(Box::new(report)));
    assert!(value["subject"][0]["sha256"].is_null());
    assert!(schema().is_valid(&value));
}

#[test]
fn verified_says_what_is_not_plain() {
    let mut report = good();
    report.anchors[0].exported_at = Some("2026-08-31T00:00:00Z".into());
    report.profile.recipe = "prev=text, signed=raw".into();
    report.profile.default_recipe = false;
    report.coverage.uncovered = vec!["note".into(), "a b".into()];
    report.keys.push(report.keys[0].clone());
    report.keys[1].rows = 0;
    let text = text(&report);
    assert!(text.contains("\n  recipe: prev=text, signed=raw\n"), "{text}");
    assert!(text.contains("\n  ✓ head 0xa10e…3b08 matches manifest (signed, as of 2026-08-31)\n"), "{text}");
    assert!(text.contains(&format!("\n  ! key {KEY} verified 0 rows\n")), "{text}");
    assert!(text.ends_with("\nverified, except members \"a b\", note\n"), "{text}");
}

#[test]
fn broken_names_each_fault() {
    let wanted = format!(
        "export.jsonl  18,422 rows  13.1 MB  void  sha256:4c1f…
  recipe: prev=raw, signed=raw
  ✗ 18,422 entries, chain not intact: 1 hash-mismatch, 1 link-broken
  ✓ 18,422 signatures valid (acme, {KEY})
  ✗ 1 gap detected
  ✓ head 0xa10e…3b08 matches manifest (signed)
  faults
    line 7, sequence 7: hash-mismatch: the row's content hashes to 0xa10e…3b08, but the row states 0x9f3c…0077
    line 9, sequence 10: link-broken: the row states 0x9f3c…0077 as its predecessor, but the row before it has 0xa10e…3b08
    line 9, sequence 10: sequence-gap: 1 sequence number is missing: 9
  notes
    line 2: crlf: a line ends in CR LF, 2 places in all
broken: 3 faults
"
    );
    assert_eq!(body(&broken()), wanted);
    assert!(text(&broken()).contains("  what this does not show\n    Whoever holds the signing key"));
    assert!(text(&broken()).contains(&format!("\n  report {}\n", report_id(&broken()))));
}

#[test]
fn bounded_says_how_to_lift() {
    let wanted = "export.jsonl  18,422 rows  13.1 MB  void  sha256:4c1f…
  recipe: prev=raw, signed=raw
  ✓ 18,422 entries, chain intact
  – signatures not checked: no key was given
  ✓ 0 gaps detected
  – head not checked: no manifest and no head was given
  bounds
    no-key: no key was given: no signature was checked
      to lift it: Give the public key with --key FILE, received by another way than the export.
    no-anchor (accepted): nothing outside the export states its head: rows may have been cut off its end
bounded: no-key, no-anchor (accepted)
";
    assert_eq!(body(&bounded(accept(&[Code::NoAnchor]))), wanted);
    let strict = body(&bounded(strict()));
    assert!(strict.contains("  faults\n    no-anchor: nothing"), "{strict}");
    assert!(strict.contains("      to lift no-anchor: Give --manifest FILE"), "{strict}");
    assert!(strict.ends_with("\nbroken: 1 fault (1 by --strict)\n"), "{strict}");
}

/// What the user accepted explains an incomplete check only if it is about the same thing.
#[test]
fn a_check_that_is_incomplete_for_no_reason_stays_open() {
    let mut report = good();
    report.anchors.clear();
    set(&mut report, CheckId::Head, 0, false);
    let no_anchor = || vec![Finding::new(Code::NoAnchor, None)];
    let accepted = finish(report.clone(), accept(&[Code::NoAnchor]), no_anchor(), 100);
    assert!(accepted.verdict.exit_code() == 0 && body(&accepted).ends_with("\nbounded: no-anchor (accepted)\n"));
    set(&mut report, CheckId::Signatures, 18_421, false);
    let open = finish(report.clone(), accept(&[Code::NoAnchor]), no_anchor(), 100);
    assert_eq!(open.verdict.exit_code(), 3);
    assert!(body(&open).ends_with("\nbounded: no-anchor (accepted), signatures not checked\n"), "{}", body(&open));
    let both = [no_anchor(), vec![Finding::new(Code::NoKey, None)]].concat();
    let told = finish(report, accept(&[Code::NoAnchor, Code::NoKey]), both, 100);
    assert_eq!(told.verdict.exit_code(), 0);
}

#[test]
fn empty_never_has_a_tick() {
    let text = body(&empty());
    assert!(text.starts_with("export.jsonl  0 rows  0 B  void"), "{text}");
    assert!(text.contains("  – 0 entries, chain not checked: there is no row\n"), "{text}");
    assert!(!text.contains('✓') && text.ends_with("\nbounded: empty\n"), "{text}");
}

#[test]
fn parts_and_long_lists() {
    let text = body(&many(100));
    assert!(text.contains("\nb.jsonl  8,422 rows  1.0 MB  void  sha256:99aa…\n"), "{text}");
    assert!(text.contains("\n    b.jsonl line 1: hash-mismatch: "), "{text}");
    assert!(text.ends_with("\n    … and 200 more\nbroken: 300 faults\n"), "{text}");
    assert_eq!(text.matches("hash-mismatch: ").count(), 100);
    let mut report = many(1);
    report.unfinished = Some("b.jsonl: read error".into());
    assert!(body(&report).contains("\n  ! unfinished: b.jsonl: read error\n"));
    assert!(body(&report).ends_with("\n    … and 299 more\nbroken: 300 faults, unfinished\n"));
}

#[test]
fn several_chains_name_the_one_without_anchor() {
    let mut report = good();
    report.chains.push(report.chains[0].clone());
    report.chains[1].id = Some("beta".into());
    report.checks[4].total = 2;
    let findings = vec![Finding::new(Code::NoAnchor, None).chain(Some("beta".into()))];
    let text = text(&finish(report, Policy::default(), findings, 100));
    assert!(text.contains("  ✓ 18,422 entries in 2 chains, all intact\n"), "{text}");
    assert!(text.contains("  ✓ head 0xa10e…3b08 of acme matches"), "{text}");
    assert!(text.contains("  ! 1 of 2 heads are anchored\n"), "{text}");
    assert!(text.contains("    chain beta: no-anchor: nothing outside the export states the head of beta"), "{text}");
    assert!(text.contains("no chain is left out"), "{text}");
}

#[test]
fn a_head_that_differs_shows_both() {
    let mut report = good();
    report.anchors[0].verdict = ledger_verify::report::AnchorVerdict::Differs;
    report.anchors[0].head = OTHER.into();
    set(&mut report, CheckId::Head, 1, true);
    let finding = Finding::new(Code::HeadMismatch, at(0, 18_422)).expected(OTHER).found(HEAD);
    let text = text(&finish(report, Policy::default(), vec![finding], 100));
    assert!(text.contains("  ✗ head 0xa10e…3b08 differs from manifest (signed), which states 0x9f3c…0077\n"), "{text}");
}

#[test]
fn colour_changes_nothing_but_colour() {
    for report in [good(), broken(), bounded(strict()), hostile()] {
        let mut out = Vec::new();
        write(&report, Style { colour: true }, &mut out).expect("writing to memory");
        let coloured = String::from_utf8(out).expect("text");
        let mut plain = String::new();
        for (index, piece) in coloured.split('\u{1b}').enumerate() {
            let (code, rest) = if index == 0 { ("", piece) } else { piece.split_once('m').expect("a colour code") };
            assert!(code.trim_start_matches('[').bytes().all(|b| b.is_ascii_digit() || b == b';'), "{code:?}");
            plain.push_str(rest);
        }
        assert_eq!(plain, text(&report));
    }
}

fn schema() -> jsonschema::Validator {
    let schema: Value = serde_json::from_str(include_str!("../docs/report.schema.json")).expect("JSON");
    jsonschema::draft202012::meta::validate(&schema).expect("a JSON Schema");
    jsonschema::draft202012::new(&schema).expect("a schema that compiles")
}

#[test]
fn every_outcome_fits_the_schema() {
    let schema = schema();
    for outcome in outcomes() {
        let value: Value = serde_json::from_str(&json::write(&outcome)).expect("JSON");
        let errors: Vec<_> = schema.iter_errors(&value).map(|e| format!("{} at {}", e, e.instance_path())).collect();
        assert!(errors.is_empty(), "{errors:#?}\n{value:#}");
        assert_eq!(value["exit_code"], json!(outcome.exit_code()));
    }
}

#[test]
fn the_schema_refuses_wrong_reports() {
    let schema = schema();
    let report = |report: Report| json::value(&Outcome::Report(Box::new(report)));
    let wrong = |mut value: Value, pointer: &str, put: Value| {
        let (parent, name) = pointer.rsplit_once('/').expect("a pointer");
        value.pointer_mut(parent).expect(pointer)[name] = put;
        assert!(!schema.is_valid(&value), "{pointer}: {value:#}");
    };
    let bound = || report(bounded(Policy::default()));
    for (name, put) in [
        ("/verdict", json!(true)),
        ("/verdict", json!("broken")),
        ("/exit_code", json!(3)),
        ("/report_id", json!("4c1f")),
        ("/limits", json!([])),
        ("/subject", json!([])),
        ("/coverage/rows", json!(0)),
        ("/finding_counts/fork", json!(1)),
        ("/checks", json!([{ "id": "chain", "status": "passed", "checked": 0, "total": 0 }])),
        ("/unfinished", json!(true)),
        ("/accepted", json!(["empty"])),
        ("/surplus", json!(1)),
    ] {
        wrong(report(good()), name, put);
    }
    for member in ["schema", "report_id", "limits", "environment"] {
        let mut value = report(good());
        value.as_object_mut().expect("an object").remove(member);
        assert!(!schema.is_valid(&value), "without {member}");
    }
    let first = |name: &str, put: Value| {
        let mut value = report(broken());
        value["findings"][1][name] = put;
        assert!(!schema.is_valid(&value), "finding with {name}: {value:#}");
    };
    for (name, put) in [
        ("class", json!("note")),
        ("code", json!("no-such-code")),
        ("count", json!(1)),
        ("line", json!(0)),
        ("part", json!("export.jsonl")),
        ("found", json!("\u{1b}[2K")),
        ("message", json!("")),
    ] {
        first(name, put);
    }
    let mut value = bound();
    value["findings"][0].as_object_mut().expect("an object").remove("accepted");
    assert!(!schema.is_valid(&value));
    let stop = json::value(&Outcome::Stop(Stop::new(StopCode::Key, "no")));
    wrong(stop.clone(), "/exit_code", json!(0));
    wrong(stop.clone(), "/stop/code", json!("other"));
    wrong(stop, "/verdict", json!("verified"));
}

#[test]
fn the_schema_knows_every_code() {
    let schema: Value = serde_json::from_str(include_str!("../docs/report.schema.json")).expect("JSON");
    let names = ["fault_code", "bound_code", "note_code"].map(|list| schema["$defs"][list]["enum"].clone());
    let listed: Vec<_> = names.iter().flat_map(|list| list.as_array().expect("a list")).collect();
    assert_eq!(listed, Code::ALL.iter().map(|code| code.name()).collect::<Vec<_>>());
}

#[test]
fn the_id_can_be_derived_from_the_json_report() {
    for outcome in outcomes() {
        let Outcome::Report(report) = &outcome else { continue };
        let mut value = json::value(&outcome);
        let object = value.as_object_mut().expect("an object");
        EXCLUDED.iter().for_each(|name| drop(object.remove(*name)));
        let mut drop_from = |list: &str, member: &str| {
            for item in value[list].as_array_mut().expect("a list") {
                item.as_object_mut().expect("an object").remove(member).expect(member);
            }
        };
        drop_from("subject", "name");
        drop_from("anchors", "named");
        value["profile"].as_object_mut().expect("an object").remove("source").expect("source");
        // The oracle is an implementation of RFC 8785 by others.
        let oracle = serde_json_canonicalizer::to_string(&value).expect("RFC 8785");
        assert_eq!(canonical(report), oracle);
        let digest = data_encoding::HEXLOWER.encode(&Sha256::digest(oracle));
        assert_eq!(report_id(report), format!("sha256:{digest}"));
        assert_eq!(json::value(&outcome)["report_id"], json!(report_id(report)));
    }
}

#[test]
fn the_id_does_not_depend_on_where_and_how() {
    let id = report_id(&many(100));
    assert_eq!(id, report_id(&many(0)), "--max-findings");
    let mutations: [Mutation; 6] = [
        ("file name", |r| r.subjects[0].name = "elsewhere".into()),
        ("limits", |r| r.limits.clear()),
        ("environment", |r| r.environment.threads = 64),
        ("profile source", |r| r.profile.source = "detected"),
        ("sidecar", |r| r.anchors[0].kind = ledger_verify::report::AnchorKind::Sidecar),
        ("default reading", |r| r.profile.default_recipe = false),
    ];
    for (what, mutate) in mutations {
        let mut report = many(100);
        mutate(&mut report);
        assert_eq!(id, report_id(&report), "{what}");
    }
    let both = |codes: &[Code]| report_id(&bounded(accept(codes)));
    assert_eq!(both(&[Code::NoKey, Code::NoAnchor]), both(&[Code::NoAnchor, Code::NoKey, Code::NoKey]));
}

#[test]
fn the_id_covers_every_deterministic_fact() {
    let mutations: [Mutation; 44] = [
        ("verdict", |r| r.verdict = bounded(Policy::default()).verdict),
        ("bytes", |r| r.subjects[0].bytes += 1),
        ("sha256", |r| r.subjects[0].sha256 = "00".repeat(32)),
        ("subject rows", |r| r.subjects[0].rows += 1),
        ("subjects", |r| r.subjects.push(r.subjects[0].clone())),
        ("profile name", |r| r.profile.name = "other".into()),
        ("profile sha256", |r| r.profile.sha256 = "00".repeat(32)),
        ("recipe", |r| r.profile.recipe = "prev=text, signed=raw".into()),
        ("keys", |r| r.keys.clear()),
        ("key id", |r| r.keys[0].id = Some("acme".into())),
        ("fingerprint", |r| r.keys[0].fingerprint = "SHA256:x".into()),
        ("key rows", |r| r.keys[0].rows -= 1),
        ("anchors", |r| r.anchors.clear()),
        ("anchor kind", |r| r.anchors[0].kind = ledger_verify::report::AnchorKind::Head),
        ("anchor verdict", |r| r.anchors[0].verdict = ledger_verify::report::AnchorVerdict::NotJudged),
        ("signed", |r| r.anchors[0].signed = false),
        ("anchor chain", |r| r.anchors[0].chain = None),
        ("anchor sequence", |r| r.anchors[0].sequence = None),
        ("anchor head", |r| r.anchors[0].head = OTHER.into()),
        ("exported_at", |r| r.anchors[0].exported_at = Some("2026-08-31".into())),
        ("rows", |r| r.coverage.rows -= 1),
        ("chained", |r| r.coverage.chained -= 1),
        ("prechain", |r| r.coverage.prechain += 1),
        ("declared", |r| r.coverage.declared += 1),
        ("digests", |r| r.coverage.digests -= 1),
        ("signatures", |r| r.coverage.signatures -= 1),
        ("first sequence", |r| r.coverage.first_sequence = Some(0)),
        ("last time", |r| r.coverage.last_time = None),
        ("uncovered", |r| r.coverage.uncovered.push("note".into())),
        ("chain id", |r| r.chains[0].id = None),
        ("chain head", |r| r.chains[0].head = None),
        ("checks", |r| r.checks[0].failed = true),
        ("check figures", |r| r.checks[4].total += 1),
        ("counts", |r| r.finding_counts.extend([(Code::Bom, 1)])),
        ("findings digest", |r| r.findings_digest = "00".repeat(32)),
        ("first time", |r| r.coverage.first_time = None),
        ("last sequence", |r| r.coverage.last_sequence = None),
        ("chains", |r| r.chains.push(r.chains[0].clone())),
        ("chain rows", |r| r.chains[0].rows -= 1),
        ("chain sequences", |r| r.chains[0].first_sequence = None),
        ("chain end", |r| r.chains[0].last_sequence = None),
        ("accepted", |r| r.policy.accepted = vec![Code::NoKey]),
        ("strict", |r| r.policy.strict = true),
        ("unfinished", |r| r.unfinished = Some("shrank".into())),
    ];
    let mut seen = std::collections::BTreeSet::from([report_id(&good())]);
    for (what, mutate) in mutations {
        let mut report = good();
        mutate(&mut report);
        assert!(seen.insert(report_id(&report)), "{what} does not change the id");
    }
}

#[test]
fn every_code_has_a_sentence() {
    for &code in Code::ALL {
        let bare = Finding::new(code, None);
        let with = [
            bare.clone(),
            bare.clone().member("prev_hash"),
            bare.clone().found("12"),
            bare.clone().expected(HEAD).found(OTHER),
            bare.clone().member("entries").expected("7").found("9").chain(Some("acme".into())),
        ];
        for finding in with {
            let said = message(&finding);
            assert!(said.len() > 12 && !said.ends_with('.'), "{}: {said}", code.name());
            for wrong in ["{", "}", "None", "Some", "()", "\"\"", "  ", "0xa10e6"] {
                assert!(!said.contains(wrong), "{}: {said}", code.name());
            }
        }
    }
    let empty =
        message(&Finding::new(Code::FieldMalformed, None).member("hash").expected("0x and 64 digits").found(""));
    assert_eq!(empty, "hash is \"\", but the format asks for 0x and 64 digits");
}

#[test]
fn hostile_text_is_tame_everywhere() {
    let mut all = text(&hostile());
    for outcome in outcomes() {
        all.push_str(&json::write(&outcome));
        if let Outcome::Stop(stop) = &outcome {
            let mut out = Vec::new();
            write_stop(stop, Style::default(), &mut out).expect("writing to memory");
            all.push_str(&String::from_utf8(out).expect("text"));
        }
    }
    let survivor = all.chars().find(|&c| c != '\n' && is_unsafe(c));
    assert_eq!(survivor, None);
    assert!(!all.contains("\\u001b") && all.contains("\\\\u{1b}"));
}

#[test]
fn expectations_stand_below_the_heads() {
    let mut report = good();
    let fact = |member, expected: &str, found: Option<&str>, met| ExpectationFacts {
        member,
        expected: expected.into(),
        found: found.map(str::to_owned),
        met,
    };
    report.expectations = vec![
        fact("rows", "18422", Some("18422"), Some(true)),
        fact("rows", "9", Some("18422"), Some(false)),
        fact("span", "2026-08-01..2026-08-31", Some("2026-08-01T00:00:00Z..2026-08-31T00:00:00Z"), Some(true)),
        fact("span", "2026-08-01..2026-08-31", None, Some(false)),
        fact("rows", "18422", Some("7"), None),
    ];
    let wanted = "  ✓ head 0xa10e…3b08 matches manifest (signed)
  ✓ expected rows 18422: met
  ✗ expected rows 9: not met (18422)
  ✓ expected span 2026-08-01..2026-08-31: met (2026-08-01T00:00:00Z..2026-08-31T00:00:00Z)
  ✗ expected span 2026-08-01..2026-08-31: not met (no row has a time stamp)
  – expected rows 18422: not checked: the export was not read to its end
verified
";
    assert!(text(&report).ends_with(wanted), "{}", text(&report));
}

#[test]
fn there_is_no_exit_code_0_without_a_pin() {
    assert_eq!((pin::exit_code(&good()), pin::text(&good())), (0, format!("{HEAD}@18422\n")));
    // No sequence is no hindrance; no head is, whatever the verdict.
    let mut report = good();
    report.chains[0].last_sequence = None;
    assert_eq!((pin::exit_code(&report), pin::text(&report)), (0, format!("{HEAD}\n")));
    report.chains.push(ChainFacts { head: None, ..report.chains[0].clone() });
    assert_eq!((pin::exit_code(&report), pin::text(&report)), (3, String::new()));
    report.chains.clear();
    assert_eq!((pin::exit_code(&report), pin::text(&report)), (3, String::new()));
    // Nor is there a pin with another one.
    for outcome in outcomes() {
        let Outcome::Report(report) = outcome else { continue };
        assert_eq!(pin::exit_code(&report) == 0, !pin::text(&report).is_empty(), "{}", text(&report));
    }
    assert_eq!(pin::exit_code(&bounded(accept(&[Code::NoAnchor]))), 3);
    assert_eq!(pin::exit_code(&bounded(accept(&[Code::NoAnchor, Code::NoKey]))), 0);
}

#[test]
fn pins_and_summaries_are_tame() {
    let mut report = good();
    report.chains.extend(hostile().chains);
    let pins = pin::text(&report);
    assert!(pins.lines().count() == 3 && pins.contains(&format!("{HEAD}@18422  \"a\\u{{1b}}[2K")), "{pins}");
    let entry = |outcome| Entry { name: hostile().subjects[0].name.clone(), outcome };
    let summary = Summary { entries: outcomes().into_iter().map(entry).collect() };
    let mut table = Vec::new();
    summary.write(Style::default(), &mut table).expect("writing to memory");
    for text in [pins, pin::json(&report), summary.json(), String::from_utf8(table).expect("text")] {
        assert!(text.lines().all(|line| !line.chars().any(is_unsafe)), "{text}");
    }
    assert_eq!(summary.exit_code(), 1);
    assert_eq!(Summary { entries: Vec::new() }.exit_code(), 2);
}
