//! Identity: decides what two runs must share to be the same evidence, and digests it.
//!
//! The report id covers what follows from the export, the keys, the anchors and the profile. It
//! leaves out prose, file names, how the profile and the manifest were found, and how many
//! findings were listed: two auditors with the same bytes get the same id on any machine.
//!
//! Whoever holds a JSON report can derive the id from it alone ([`EXCLUDED`] says what to drop),
//! since the same code writes the members of both.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{AnchorKind, Report, declared, since};
use crate::fact::Sequence;
use crate::report::escape::escape_cut;

/// The schema's name and version, part of the id: what is digested changes only with it.
pub const SCHEMA: &str = "ledger-verify.report/v1";

/// Members of a JSON report that the id does not cover.
pub const EXCLUDED: [&str; 9] = [
    "report_id",
    "unfinished_reason",
    "expectations",
    "findings",
    "incidents",
    "untold",
    "limits",
    "details",
    "environment",
];

/// Characters of foreign text that a JSON report shows in one member.
pub(super) const MAX_TEXT: usize = 1024;

/// `sha256:` and 64 hex digits that can be cited for this report.
pub fn report_id(report: &Report) -> String {
    cited(&canonical(report))
}

/// The id that a JSON report has by the members that the id covers, whatever it states.
pub(super) fn derived(report: &Value) -> String {
    let mut value = report.clone();
    let drop_from = |object: Option<&mut Value>, name: &str| {
        if let Some(Value::Object(members)) = object {
            members.remove(name);
        }
    };
    EXCLUDED.iter().for_each(|name| drop_from(Some(&mut value), name));
    drop_from(value.get_mut("profile"), "source");
    for subject in value.get_mut("subject").and_then(Value::as_array_mut).into_iter().flatten() {
        drop_from(Some(&mut *subject), "name");
        drop_from(subject.get_mut("sidecar"), "name");
    }
    let anchors = value.get_mut("anchors").and_then(Value::as_array_mut);
    anchors.into_iter().flatten().for_each(|anchor| drop_from(Some(anchor), "named"));
    value.sort_all_objects();
    cited(&value.to_string())
}

fn cited(canonical: &str) -> String {
    let digest = Sha256::digest(canonical.as_bytes());
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&digest))
}

/// The RFC 8785 text that the id is the digest of.
///
/// Sorted compact serde_json is RFC 8785 here: all member names are ASCII, so that byte order is
/// UTF-16 order; all numbers are integers below 2^53 (rows, bytes, sequences); strings are escaped
/// alike by both.
pub fn canonical(report: &Report) -> String {
    let mut value = Value::Object(facts(report));
    value.sort_all_objects();
    value.to_string()
}

/// The deterministic members of the JSON report, in the order in which it shows them.
pub(super) fn facts(report: &Report) -> Map<String, Value> {
    let mut accepted: Vec<_> = report.policy.accepted.clone();
    accepted.sort_unstable();
    accepted.dedup();
    let accepted: Vec<_> = accepted.iter().map(|code| code.name()).collect();
    let counts: Map<String, Value> =
        report.finding_counts.iter().map(|(code, &count)| (code.name().to_owned(), count.into())).collect();
    let mut members = vec![
        ("schema", json!(SCHEMA)),
        ("verdict", json!(report.verdict.word())),
        ("exit_code", json!(report.verdict.exit_code())),
        ("subject", subjects(report)),
        (
            "profile",
            json!({
                "name": text(&report.profile.name),
                "sha256": report.profile.sha256,
                "recipe": text(&report.profile.recipe),
            }),
        ),
        ("keys", keys(report)),
        ("anchors", anchors(report)),
        ("coverage", coverage(report)),
        ("chains", chains(report)),
        ("checks", checks(report)),
        ("finding_counts", Value::Object(counts)),
        ("findings_digest", json!(report.findings_digest)),
        ("accepted", json!(accepted)),
        ("strict", json!(report.policy.strict)),
        ("unfinished", json!(report.unfinished.is_some())),
    ];
    // Absent, not null, where no earlier report was given, and where the format has none.
    members.extend(report.since.iter().map(|since| ("since", since::value(since))));
    members.extend(report.declared.iter().map(|list| ("declared_breaks", declared::value(list))));
    members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect()
}

/// Whether the user named this anchor, or it was only found: how, not what, so not in the id.
pub(super) fn named(kind: AnchorKind) -> bool {
    kind != AnchorKind::Sidecar
}

/// Foreign text as a JSON report shows it.
pub fn text(text: &str) -> String {
    escape_cut(text, MAX_TEXT).into_owned()
}

/// The same, where there may be none.
pub(super) fn optional(value: Option<&str>) -> Option<String> {
    value.map(text)
}

fn subjects(report: &Report) -> Value {
    let digest = |sha256: &str| (!sha256.is_empty()).then(|| sha256.to_owned());
    let subject = |s: &super::Subject| {
        let mut facts = json!({ "bytes": s.bytes, "sha256": digest(&s.sha256), "rows": s.rows });
        // Absent, not null, where the format has none.
        if let (Some(sidecar), Value::Object(facts)) = (&s.sidecar, &mut facts) {
            facts.insert("sidecar".to_owned(), json!({ "bytes": sidecar.bytes, "sha256": digest(&sidecar.sha256) }));
        }
        facts
    };
    report.subjects.iter().map(subject).collect()
}

fn keys(report: &Report) -> Value {
    let key = |key: &super::KeyFacts| {
        json!({
            "id": optional(key.id.as_deref()),
            "algorithm": key.algorithm,
            "fingerprint": key.fingerprint,
            "rows": key.rows,
        })
    };
    report.keys.iter().map(key).collect()
}

fn anchors(report: &Report) -> Value {
    let anchor = |anchor: &super::AnchorFacts| {
        let mut facts = json!({
            "kind": anchor.kind.name(),
            "verdict": anchor.verdict.name(),
            "signed": anchor.signed,
            "chain": optional(anchor.chain.as_deref()),
            "sequence": anchor.sequence,
            "head": text(&anchor.head),
            "exported_at": optional(anchor.exported_at.as_deref()),
        });
        // Absent, not null, where the anchor is of another kind.
        if let Value::Object(facts) = &mut facts {
            // A number beyond the exact integers is of no row.
            let rows = anchor.rows.filter(|rows| *rows <= Sequence::MAX);
            facts.extend(rows.map(|rows| ("rows".to_owned(), json!(rows))));
            if let Some(witness) = &anchor.witness {
                facts.insert("namespace".to_owned(), json!(text(&witness.namespace)));
                facts.insert("self_integrity".to_owned(), json!(witness.self_integrity));
                facts.insert("pins".to_owned(), json!(witness.pins));
            }
        }
        facts
    };
    report.anchors.iter().map(anchor).collect()
}

fn coverage(report: &Report) -> Value {
    let coverage = &report.coverage;
    json!({
        "rows": coverage.rows,
        "chained": coverage.chained,
        "prechain": coverage.prechain,
        "declared": coverage.declared,
        "digests": coverage.digests,
        "signatures": coverage.signatures,
        "first_sequence": coverage.first_sequence,
        "last_sequence": coverage.last_sequence,
        "first_time": optional(coverage.first_time.as_deref()),
        "last_time": optional(coverage.last_time.as_deref()),
        "uncovered": coverage.uncovered.iter().map(|member| text(member)).collect::<Vec<_>>(),
    })
}

fn chains(report: &Report) -> Value {
    let chain = |chain: &super::ChainFacts| {
        json!({
            "id": optional(chain.id.as_deref()),
            "rows": chain.rows,
            "first_sequence": chain.first_sequence,
            "last_sequence": chain.last_sequence,
            "head": optional(chain.head.as_deref()),
        })
    };
    report.chains.iter().map(chain).collect()
}

fn checks(report: &Report) -> Value {
    let check = |check: &crate::verdict::Check| {
        let mut facts = json!({
            "id": check.id.name(),
            "status": check.status().name(),
            "checked": check.checked,
            "total": check.total,
        });
        // Absent, not null, where no earlier report vouches for any.
        if let (Value::Object(facts), 1..) = (&mut facts, check.vouched) {
            facts.insert("vouched".to_owned(), json!(check.vouched));
        }
        facts
    };
    report.checks.iter().map(check).collect()
}
