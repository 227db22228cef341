//! The JSON report: what scripts read. Its names are permanent (docs/report.schema.json).
//!
//! A fact that is not known is `null`, never absent, so that a script can rely on every name.
//! Only two members depend on the finding's class: `count` stands on notes alone, `accepted` on
//! bounds alone. Foreign text is escaped like everywhere, and then once more by JSON itself.

use serde_json::{Map, Value, json};

use super::checks::status_of;
use super::form::Form;
use super::identity::{self, facts, named, optional, report_id, text};
use super::message::message;
use super::summary::Summary;
use super::{Environment, ExpectationFacts, Outcome, Report, details, story};
use crate::finding::{Class, Counted, Policy};
use crate::incident::Incident;
use crate::stop::Stop;

/// The report as JSON.
#[derive(Clone, Copy, Debug)]
pub struct Json;

impl Form for Json {
    fn kind(&self) -> &'static str {
        "json"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        Some(write(outcome))
    }

    fn several(&self) -> Option<fn(&Summary) -> String> {
        Some(Summary::json)
    }
}

/// The report as JSON text with a line end: the same bytes for the same outcome.
pub fn write(outcome: &Outcome) -> String {
    format!("{:#}\n", value(outcome))
}

/// The report as a JSON value.
pub fn value(outcome: &Outcome) -> Value {
    match outcome {
        Outcome::Report(report) => of_report(report),
        Outcome::Stop(stop) => of_stop(stop),
    }
}

fn of_report(report: &Report) -> Value {
    let mut out = Map::new();
    for (name, mut value) in facts(report) {
        complete(&name, &mut value, report);
        let last = name == "exit_code";
        out.insert(name, value);
        if last {
            out.insert("report_id".to_owned(), json!(report_id(report)));
        }
    }
    out.insert("unfinished_reason".to_owned(), json!(optional(report.unfinished.as_deref())));
    out.insert("expectations".to_owned(), report.expectations.iter().map(expectation).collect());
    let findings = report.findings.iter().map(|counted| finding(counted, &report.policy)).collect();
    out.insert("findings".to_owned(), findings);
    out.insert("incidents".to_owned(), incidents(report));
    let told = &report.told;
    out.insert("untold".to_owned(), json!({ "incidents": told.more, "faults": told.unexplained }));
    out.insert("limits".to_owned(), report.limits.iter().map(|limit| text(limit)).collect());
    out.insert("details".to_owned(), details::value(report));
    out.insert("environment".to_owned(), environment(&report.environment));
    Value::Object(out)
}

/// Put beside the deterministic facts what the report shows and the id leaves out.
fn complete(name: &str, value: &mut Value, report: &Report) {
    match (name, value) {
        ("profile", Value::Object(profile)) => {
            profile.insert("source".to_owned(), json!(report.profile.source));
        }
        ("subject", Value::Array(list)) => {
            for (value, subject) in list.iter_mut().zip(&report.subjects) {
                insert(value, "name", json!(text(&subject.name)));
                if let (Some(value), Some(sidecar)) = (value.get_mut("sidecar"), &subject.sidecar) {
                    insert(value, "name", json!(text(&sidecar.name)));
                }
            }
        }
        ("anchors", Value::Array(list)) => {
            for (value, anchor) in list.iter_mut().zip(&report.anchors) {
                insert(value, "named", json!(named(anchor.kind)));
            }
        }
        _ => {}
    }
}

fn insert(object: &mut Value, name: &str, value: Value) {
    if let Value::Object(members) = object {
        members.insert(name.to_owned(), value);
    }
}

fn finding(counted: &Counted, policy: &Policy) -> Value {
    let finding = &counted.finding;
    let class = policy.class(finding.code);
    let place = finding.place;
    let mut out = json!({
        "code": finding.code.name(),
        "class": class.name(),
        "part": place.map(|place| place.part),
        "line": place.map(|place| place.line),
        "offset": place.map(|place| place.offset),
        "length": place.map(|place| place.length),
        "sequence": finding.sequence,
        "chain": optional(finding.chain.as_deref()),
        "member": optional(finding.member.as_deref()),
        "expected": optional(finding.expected.as_deref()),
        "found": optional(finding.found.as_deref()),
        "other_sequence": finding.other,
        "message": message(finding),
    });
    match class {
        Class::Fault => {}
        Class::Bound => insert(&mut out, "accepted", json!(policy.accepts(finding.code))),
        Class::Note => insert(&mut out, "count", json!(counted.count)),
    }
    out
}

fn expectation(expectation: &ExpectationFacts) -> Value {
    json!({
        "member": expectation.member,
        "expected": text(&expectation.expected),
        "found": optional(expectation.found.as_deref()),
        "status": status_of(expectation.met).name(),
    })
}

fn incidents(report: &Report) -> Value {
    let incidents = report.told.incidents.iter().enumerate();
    incidents.map(|(index, told)| incident(index, told, report)).collect()
}

fn incident(index: usize, incident: &Incident, report: &Report) -> Value {
    json!({
        "kind": incident.kind.name(),
        "certain": incident.certain,
        "part": incident.first.map(|place| place.part),
        "first_line": incident.first.map(|place| place.line),
        "first_offset": incident.first.map(|place| place.offset),
        "first_length": incident.first.map(|place| place.length),
        "last_part": incident.last.map(|place| place.part),
        "last_line": incident.last.map(|place| place.line),
        "last_offset": incident.last.map(|place| place.offset),
        "last_length": incident.last.map(|place| place.length),
        "first_sequence": incident.sequences.map(|(first, _)| first),
        "last_sequence": incident.sequences.map(|(_, last)| last),
        "chain": optional(incident.chain.as_deref()),
        "rows": incident.rows,
        "faults": incident.faults,
        "good_before": incident.good_before,
        "good_after": incident.good_after,
        "detail": details::of_incident(&incident.detail),
        "message": story::story(incident, report),
        "good": story::good(index, report),
        "next": story::next(incident),
    })
}

fn environment(environment: &Environment) -> Value {
    json!({
        "tool": text(&environment.tool),
        "tool_sha256": environment.tool_sha256,
        "arguments": environment.arguments.iter().map(|argument| text(argument)).collect::<Vec<_>>(),
        "platform": text(&environment.platform),
        "threads": environment.threads,
        "signature_engine": text(&environment.signature_engine),
        "signatures_fast": environment.signatures_fast,
        "signatures_cross_checked": environment.signatures_cross_checked,
        "folders": environment.folders.iter().map(folder).collect::<Vec<_>>(),
        "operator": optional(environment.operator.as_deref()),
        "case_id": optional(environment.case_id.as_deref()),
        "started": environment.started,
        "finished": environment.finished,
    })
}

fn folder(folder: &super::Folder) -> Value {
    let taken = folder.taken.iter().map(
        |taken| json!({ "name": text(&taken.name), "part": taken.part, "link": taken.link, "by_name": taken.by_name }),
    );
    let left = folder.left.iter().map(|left| json!({ "name": text(&left.name), "why": text(&left.why) }));
    json!({ "name": text(&folder.name), "taken": taken.collect::<Vec<_>>(), "left": left.collect::<Vec<_>>() })
}

fn of_stop(stop: &Stop) -> Value {
    json!({
        "schema": identity::SCHEMA,
        "stop": {
            "code": stop.code.name(),
            "message": text(&stop.message),
            "hint": optional(stop.hint.as_deref()),
        },
        "exit_code": 2,
    })
}

/// A stop of one export among several: with the export's name, where a report has it.
pub(super) fn of_named_stop(stop: &Stop, name: &str) -> Value {
    let mut out = of_stop(stop);
    insert(&mut out, "subject", json!([{ "name": text(name), "bytes": null, "sha256": null, "rows": null }]));
    out
}
