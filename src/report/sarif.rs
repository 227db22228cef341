//! SARIF 2.1.0: what code-scanning services and audit tools read.
//!
//! Decided here: a fault is an `error`, a bound a `warning`, a note a `note`. What the ledger itself declares and
//! what the user accepted is a result all the same, with a suppression that says who took it and why. A run without
//! a verdict has no results at all, not an empty list, which would read as "nothing found" (section 3.14.23).
//!
//! Source: OASIS SARIF 2.1.0; the sections are named where they decide something.

use std::collections::BTreeMap;

use serde_json::{Map, Value, json};

use super::escape::escape_cut;
use super::form::Form;
use super::identity::{self, optional, report_id, text};
use super::message::message;
use super::{Outcome, Report, since, uri};
use crate::finding::{Class, Code, Counted, Finding};
use crate::place::Place;
use crate::stop::Stop;

/// The schema that the text is of.
const SCHEMA: &str = "https://json.schemastore.org/sarif-2.1.0.json";

/// Characters of a sentence.
const MAX_TEXT: usize = 2048;

/// The report as SARIF.
#[derive(Clone, Copy, Debug)]
pub struct Sarif;

impl Form for Sarif {
    fn kind(&self) -> &'static str {
        "sarif"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        let run = match outcome {
            Outcome::Report(report) => of_report(report),
            Outcome::Stop(stop) => of_stop(stop),
        };
        Some(format!("{:#}\n", json!({ "$schema": SCHEMA, "version": "2.1.0", "runs": [run] })))
    }
}

fn of_report(report: &Report) -> Value {
    let rules: Vec<Code> = report.finding_counts.keys().copied().collect();
    let mut run = json!({
        "tool": { "driver": driver(&report.environment.tool, report.environment.tool_sha256.as_deref(),
                                   rules.iter().map(|code| rule(*code)).collect()) },
        "automationDetails": { "id": format!("ledger-verify/{}", report_id(report)) },
        "invocations": [invocation(report)],
        "artifacts": artifacts(report),
        "results": results(report, &rules),
        "properties": {
            "verdict": report.verdict.word(),
            "exit_code": report.verdict.exit_code(),
            "report_id": report_id(report),
            "finding_counts": report.finding_counts.iter().map(|(code, &count)| (code.name().to_owned(), json!(count)))
                .collect::<Map<_, _>>(),
            "profile": text(&report.profile.name),
            "keys": report.keys.iter().map(|key| text(&key.fingerprint)).collect::<Vec<_>>(),
            "limits": report.limits.iter().map(|limit| text(limit)).collect::<Vec<_>>(),
            "operator": optional(report.environment.operator.as_deref()),
            "case_id": optional(report.environment.case_id.as_deref()),
        },
    });
    if let (Some(since), Some(Value::Object(properties))) = (&report.since, run.get_mut("properties")) {
        properties.insert("since".to_owned(), since::value(since));
    }
    run
}

fn driver(tool: &str, sha256: Option<&str>, rules: Vec<Value>) -> Value {
    let mut driver = json!({ "name": "ledger-verify", "rules": rules });
    // `ledger-verify 0.1.0`.
    if let (Some(version), Value::Object(members)) = (tool.strip_prefix("ledger-verify "), &mut driver) {
        members.insert("version".to_owned(), json!(text(version)));
    }
    if let (Some(sha256), Value::Object(members)) = (sha256, &mut driver) {
        members.insert("properties".to_owned(), json!({ "sha256": sha256 }));
    }
    driver
}

fn rule(code: Code) -> Value {
    json!({
        "id": code.name(),
        "shortDescription": { "text": code.meaning() },
        "fullDescription": { "text": code.cause() },
        "help": { "text": format!("{} {}", code.cause(), code.action()) },
        "defaultConfiguration": { "level": level(code.class()) },
    })
}

fn level(class: Class) -> &'static str {
    match class {
        Class::Fault => "error",
        Class::Bound => "warning",
        Class::Note => "note",
    }
}

/// The run was carried out, whatever it found; what it could not tell is a notification.
fn invocation(report: &Report) -> Value {
    let environment = &report.environment;
    let mut told = Vec::new();
    if let Some(reason) = &report.unfinished {
        told.push(notification("error", "unfinished", &format!("not read to the end: {reason}")));
    }
    let listed: u64 = report.findings.iter().map(|counted| counted.count).sum();
    let total: u64 = report.finding_counts.values().sum();
    if listed < total {
        told.push(notification(
            "warning",
            "not-listed",
            &format!("{} of {total} findings are not listed", total - listed),
        ));
    }
    let arguments: Vec<String> = environment.arguments.iter().map(|argument| text(argument)).collect();
    let mut out = json!({
        "executionSuccessful": report.unfinished.is_none(),
        "exitCode": report.verdict.exit_code(),
        "exitCodeDescription": report.verdict.word(),
        "arguments": arguments.get(1..).unwrap_or_default(),
        "toolExecutionNotifications": told,
    });
    if let Value::Object(members) = &mut out {
        for (name, time) in [("startTimeUtc", &environment.started), ("endTimeUtc", &environment.finished)] {
            if !time.is_empty() {
                members.insert(name.to_owned(), json!(time));
            }
        }
    }
    out
}

fn notification(level: &str, id: &str, text: &str) -> Value {
    json!({ "level": level, "descriptor": { "id": id }, "message": { "text": sentence(text) } })
}

fn sentence(text: &str) -> String {
    escape_cut(text, MAX_TEXT).into_owned()
}

/// The files, so that the index of each is its part; behind them what stands beside them.
///
/// No two of them may be the same (section 3.14.15), and a file can be given twice: of a name that stands here more
/// than once, each says of which part it is.
fn artifacts(report: &Report) -> Vec<Value> {
    let file = |name: &str, bytes: u64, sha256: &str| {
        json!({
            "location": { "uri": uri::of_path(name) },
            "length": bytes,
            "hashes": { "sha-256": sha256 },
            "roles": ["analysisTarget"],
        })
    };
    let subjects = report.subjects.iter().enumerate();
    let files = subjects.clone().map(|(part, subject)| {
        let artifact = file(&subject.name, subject.bytes, &subject.sha256);
        (subject.name.as_str(), "part", part, artifact)
    });
    let beside = subjects.filter_map(|(part, subject)| {
        let sidecar = subject.sidecar.as_ref()?;
        Some((sidecar.name.as_str(), "beside_part", part, file(&sidecar.name, sidecar.bytes, &sidecar.sha256)))
    });
    let all: Vec<(&str, &str, usize, Value)> = files.chain(beside).collect();
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    for (name, ..) in &all {
        *times.entry(uri::of_path(name)).or_default() += 1;
    }
    let told_apart = |(name, what, part, mut artifact): (&str, &str, usize, Value)| {
        let again = times.get(&uri::of_path(name)).is_some_and(|&times| times > 1);
        if let (true, Value::Object(members)) = (again, &mut artifact) {
            members.insert("properties".to_owned(), json!({ what: part }));
        }
        artifact
    };
    all.into_iter().map(told_apart).collect()
}

fn results(report: &Report, rules: &[Code]) -> Vec<Value> {
    let mut out: Vec<Value> = report.findings.iter().map(|counted| result(report, rules, counted)).collect();
    // A code that is counted and not listed must not be missing: a broken ledger would show nothing.
    for (&code, &count) in &report.finding_counts {
        if !report.findings.iter().any(|counted| counted.finding.code == code) {
            out.push(result(report, rules, &Counted { finding: Finding::new(code, None), count }));
        }
    }
    out
}

fn result(report: &Report, rules: &[Code], counted: &Counted) -> Value {
    let finding = &counted.finding;
    let class = report.policy.class(finding.code);
    json!({
        "ruleId": finding.code.name(),
        "ruleIndex": rules.iter().position(|code| *code == finding.code),
        "level": level(class),
        "message": { "text": message(finding) },
        "occurrenceCount": counted.count,
        "locations": [location(report, finding)],
        "suppressions": suppressions(report, finding, class),
        "properties": {
            "class": class.name(),
            "member": optional(finding.member.as_deref()),
            "expected": optional(finding.expected.as_deref()),
            "found": optional(finding.found.as_deref()),
            "sequence": finding.sequence,
            "chain": optional(finding.chain.as_deref()),
            "other_sequence": finding.other,
        },
    })
}

/// Where it stands. What concerns the export as a whole has the first file and no region in it: services that
/// read SARIF drop a result that is nowhere.
fn location(report: &Report, finding: &Finding) -> Value {
    let part = finding.place.map_or(0, |place| place.part);
    let subject = report.subjects.get(usize::try_from(part).unwrap_or(usize::MAX));
    let mut physical = Map::new();
    let name = subject.map(|subject| uri::of_path(&subject.name)).unwrap_or_default();
    physical.insert("artifactLocation".to_owned(), json!({ "uri": name, "index": part }));
    physical.extend(finding.place.map(|place| ("region".to_owned(), region(report, place))));
    let mut out = Map::new();
    out.insert("physicalLocation".to_owned(), Value::Object(physical));
    if let Some(sequence) = finding.sequence {
        let chain = finding.chain.as_deref().map(|chain| format!("{}/", text(chain))).unwrap_or_default();
        let row =
            json!({ "name": sequence.to_string(), "fullyQualifiedName": format!("{chain}{sequence}"), "kind": "row" });
        out.insert("logicalLocations".to_owned(), json!([row]));
    }
    Value::Object(out)
}

/// The row's line, and its bytes without the line end.
fn region(report: &Report, place: Place) -> Value {
    match report.profile.in_document {
        false => json!({ "startLine": place.line, "byteOffset": place.offset, "byteLength": place.length }),
        // Of a document the "line" is the number of an item, and says nothing of line ends.
        true => json!({ "byteOffset": place.offset, "byteLength": place.length }),
    }
}

/// Who took it for what it is, and why; on every result or on none (section 3.27.23).
fn suppressions(report: &Report, finding: &Finding, class: Class) -> Vec<Value> {
    let taken = |why: String| json!({ "kind": "external", "status": "accepted", "justification": why });
    let mut out = Vec::new();
    if class == Class::Bound && finding.code == Code::DeclaredBreak {
        out.push(taken(format!("declared by the ledger itself: {}", message(finding))));
    }
    if class == Class::Bound && report.policy.accepts(finding.code) {
        out.push(taken(format!("accepted with --accept {}", finding.code.name())));
    }
    out
}

fn of_stop(stop: &Stop) -> Value {
    let hint = stop.hint.as_deref().map(|hint| format!(" ({hint})")).unwrap_or_default();
    json!({
        "tool": { "driver": driver("", None, Vec::new()) },
        "invocations": [{
            "executionSuccessful": false,
            "exitCode": 2,
            "exitCodeDescription": "no verdict",
            "toolExecutionNotifications":
                [notification("error", stop.code.name(), &format!("no verdict: {}{hint}", stop.message))],
        }],
        "properties": { "schema": identity::SCHEMA, "exit_code": 2 },
    })
}
