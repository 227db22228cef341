//! An in-toto Statement with the test-result predicate: what supply-chain tools file and sign.
//!
//! Decided here: what the statement is about and what it was tested with. Subject are the files, by their
//! digests. The report itself is named by its id among the configuration, so that the statement is tied to one
//! report and no other. It is not signed: whoever vouches for it signs it, as the payload of a DSSE envelope.
//!
//! Sources: in-toto Attestation Framework, Statement v1 and ResourceDescriptor v1; predicate test-result v0.1.

use data_encoding::{BASE64, BASE64_NOPAD, HEXLOWER};
use serde_json::{Map, Value, json};

use super::form::Form;
use super::identity::{optional, report_id, text};
use super::since::{self, SinceFacts};
use super::{AnchorFacts, KeyFacts, Outcome, Report};
use crate::finding::{Class, Code};
use crate::verdict::{Status, Verdict};

/// The type of the statement.
pub const STATEMENT: &str = "https://in-toto.io/Statement/v1";

/// The type of its predicate.
pub const PREDICATE: &str = "https://in-toto.io/attestation/test-result/v0.1";

/// What the digest of a file is of, where reading ended early.
const READ: &str = "the bytes that were read before the run ended, which need not be the whole file";

/// The report as an in-toto Statement.
#[derive(Clone, Copy, Debug)]
pub struct Intoto;

impl Form for Intoto {
    fn kind(&self) -> &'static str {
        "intoto"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Report(report) => Some(format!("{:#}\n", statement(report))),
            // Nothing was tested: the predicate has no word for that.
            Outcome::Stop(_) => None,
        }
    }
}

fn statement(report: &Report) -> Value {
    let result = match report.verdict {
        Verdict::Verified { .. } => "PASSED",
        Verdict::Bounded { .. } => "WARNED",
        Verdict::Broken { .. } => "FAILED",
    };
    let of_class = |class| report.finding_counts.keys().filter(move |code| report.policy.class(**code) == class);
    let tests = |status, codes: Option<Class>| -> Vec<&'static str> {
        let checks = report.checks.iter().filter(|check| check.status() == status).map(|check| check.id.name());
        checks.chain(codes.into_iter().flat_map(of_class).copied().map(Code::name)).collect()
    };
    let mut warned = tests(Status::NotChecked, Some(Class::Bound));
    // What was not read was not tested.
    warned.extend(report.unfinished.is_some().then_some("unfinished"));
    json!({
        "_type": STATEMENT,
        "subject": subject(report),
        "predicateType": PREDICATE,
        "predicate": {
            "result": result,
            "configuration": configuration(report),
            "passedTests": tests(Status::Passed, None),
            "warnedTests": warned,
            "failedTests": tests(Status::Failed, Some(Class::Fault)),
        },
    })
}

/// The files, and those beside them. Where reading ended early, a digest need not be that of a whole file.
fn subject(report: &Report) -> Vec<Value> {
    let file = |name: &str, bytes: u64, sha256: &str| {
        let mut descriptor = json!({ "name": text(name), "digest": { "sha256": sha256 } });
        if let (true, Value::Object(members)) = (report.unfinished.is_some(), &mut descriptor) {
            members.insert("annotations".to_owned(), json!({ "digest_of": READ, "bytes": bytes }));
        }
        descriptor
    };
    let files = report.subjects.iter().flat_map(|subject| {
        let sidecar = subject.sidecar.iter().map(|sidecar| file(&sidecar.name, sidecar.bytes, &sidecar.sha256));
        std::iter::once(file(&subject.name, subject.bytes, &subject.sha256)).chain(sidecar)
    });
    files.collect()
}

/// With what and by what it was tested.
fn configuration(report: &Report) -> Vec<Value> {
    let profile = &report.profile;
    let mut said = json!({
        "report_id": report_id(report),
        "verdict": report.verdict.word(),
        "exit_code": report.verdict.exit_code(),
    });
    if let (Some(reason), Value::Object(members)) = (&report.unfinished, &mut said) {
        members.insert("unfinished".to_owned(), json!(text(reason)));
    }
    let mut out = vec![
        resource("report", "digest", json!({ "sha256": report_id(report).trim_start_matches("sha256:") }), said),
        resource(
            "profile",
            "digest",
            json!({ "sha256": profile.sha256 }),
            json!({ "name": text(&profile.name), "source": profile.source, "recipe": text(&profile.recipe) }),
        ),
    ];
    out.extend(report.keys.iter().map(key));
    out.extend(report.anchors.iter().map(anchor));
    out.extend(report.since.iter().map(earlier));
    let mut accepted: Vec<Code> = report.policy.accepted.clone();
    accepted.sort_unstable();
    accepted.dedup();
    let accepted: Vec<&str> = accepted.into_iter().map(Code::name).collect();
    let policy = json!({ "accepted": accepted, "strict": report.policy.strict });
    out.push(resource("policy", "content", json!(base64(&policy.to_string())), policy));
    if let Some(sha256) = &report.environment.tool_sha256 {
        out.push(resource(
            "tool",
            "digest",
            json!({ "sha256": sha256 }),
            json!({ "name": text(&report.environment.tool) }),
        ));
    }
    out
}

/// A ResourceDescriptor, which has one of digest, uri and content.
fn resource(name: &str, by: &str, value: Value, annotations: Value) -> Value {
    let members = [("name", json!(name)), (by, value), ("annotations", annotations)];
    Value::Object(members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect::<Map<_, _>>())
}

/// A key by its fingerprint: the SHA-256 of its SSH form where it has one (RFC 4253, section 6.6).
fn key(key: &KeyFacts) -> Value {
    let annotations = json!({
        "id": optional(key.id.as_deref()),
        "algorithm": key.algorithm,
        "fingerprint": text(&key.fingerprint),
        "rows": key.rows,
    });
    let digest = key.fingerprint.strip_prefix("SHA256:").and_then(|text| BASE64_NOPAD.decode(text.as_bytes()).ok());
    match digest {
        Some(digest) if digest.len() == 32 => {
            resource("key", "digest", json!({ "sha256": HEXLOWER.encode(&digest) }), annotations)
        }
        _ => resource("key", "content", json!(base64(&text(&key.fingerprint))), annotations),
    }
}

/// What an anchor states, as text: its digest need not be a SHA-256.
fn anchor(anchor: &AnchorFacts) -> Value {
    let stated = match anchor.sequence {
        Some(sequence) => format!("{}@{sequence}", text(&anchor.head)),
        None => text(&anchor.head),
    };
    let annotations = json!({
        "kind": anchor.kind.name(),
        "verdict": anchor.verdict.name(),
        "signed": anchor.signed,
        "chain": optional(anchor.chain.as_deref()),
        "states": stated,
        "exported_at": optional(anchor.exported_at.as_deref()),
    });
    resource("anchor", "content", json!(base64(&stated)), annotations)
}

/// The earlier report that vouches for the beginning.
fn earlier(since: &SinceFacts) -> Value {
    let sha256 = text(since.report_id.trim_start_matches("sha256:"));
    resource("earlier-report", "digest", json!({ "sha256": sha256 }), since::value(since))
}

fn base64(text: &str) -> String {
    BASE64.encode(text.as_bytes())
}
