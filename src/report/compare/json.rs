//! A comparison as JSON: docs/compare.schema.json describes it.

use serde_json::{Map, Value, json};
use sha2::{Digest as _, Sha256};

use super::{CommonRow, Comparison, Fork, ForkRow, MemberDiff, Remark, Side};
use crate::fact::Place;
use crate::report::escape::escape_bytes;
use crate::report::identity::{optional, text};

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.compare/v1";

/// Bytes of a row that are shown.
const SHOWN: usize = 1024;

/// `sha256:` and 64 hex digits that can be cited for this comparison: of what follows from the exports, the profile and
/// the keys, as RFC 8785 writes it (member names are ASCII, numbers integers below 2^53).
pub fn comparison_id(comparison: &Comparison) -> String {
    let mut value = Value::Object(facts(comparison));
    value.sort_all_objects();
    let digest = Sha256::digest(value.to_string().as_bytes());
    format!("sha256:{}", data_encoding::HEXLOWER.encode(&digest))
}

/// The JSON form, with a line end.
pub fn json(comparison: &Comparison) -> String {
    let mut out = Map::new();
    for (name, mut value) in facts(comparison) {
        if let ("exports", Value::Object(exports)) = (name.as_str(), &mut value) {
            name_files(exports, comparison);
        }
        if let ("profile", Value::Object(profile)) = (name.as_str(), &mut value) {
            profile.insert("source".to_owned(), json!(comparison.profile.source));
        }
        let last = name == "exit_code";
        out.insert(name, value);
        if last {
            out.insert("comparison_id".to_owned(), json!(comparison_id(comparison)));
        }
    }
    for (name, remarks) in [("bounds", &comparison.bounds), ("notes", &comparison.notes)] {
        let told = remarks.iter().map(|remark| {
            let mut told = remark_facts(remark);
            if let Value::Object(told) = &mut told {
                told.insert("message".to_owned(), json!(text(&remark.message)));
            }
            told
        });
        out.insert(name.to_owned(), told.collect());
    }
    out.insert("unfinished_reason".to_owned(), json!(optional(comparison.unfinished.as_deref())));
    out.insert("limits".to_owned(), comparison.limits().iter().map(|limit| text(limit)).collect());
    let environment = &comparison.environment;
    let arguments: Vec<String> = environment.arguments.iter().map(|argument| text(argument)).collect();
    let environment = json!({
        "tool": text(&environment.tool),
        "tool_sha256": environment.tool_sha256,
        "arguments": arguments,
        "platform": text(&environment.platform),
        "started": environment.started,
        "finished": environment.finished,
    });
    out.insert("environment".to_owned(), environment);
    format!("{:#}\n", Value::Object(out))
}

/// What the id covers.
fn facts(comparison: &Comparison) -> Map<String, Value> {
    let keys = comparison.keys.iter().map(
        |key| json!({ "id": optional(key.id.as_deref()), "algorithm": key.algorithm, "fingerprint": key.fingerprint }),
    );
    let profile = &comparison.profile;
    let members = [
        ("schema", json!(SCHEMA)),
        ("verdict", json!(comparison.word())),
        ("exit_code", json!(comparison.exit_code())),
        ("longer", json!(comparison.longer().map(Side::name))),
        ("exports", json!({ "a": export(comparison, Side::A), "b": export(comparison, Side::B) })),
        ("profile", json!({ "name": text(&profile.name), "sha256": profile.sha256, "recipe": text(&profile.recipe) })),
        ("keys", keys.collect()),
        ("identical", json!(comparison.identical)),
        ("common_rows", json!(comparison.common)),
        ("rows_behind", json!({ "a": comparison.behind[0], "b": comparison.behind[1] })),
        ("first_behind", places(&comparison.first_behind)),
        ("forked_chains", json!(comparison.forked_chains)),
        ("forks", comparison.forks.iter().map(fork).collect()),
        ("bounds", comparison.bounds.iter().map(remark_facts).collect()),
        ("notes", comparison.notes.iter().map(remark_facts).collect()),
        ("unfinished", json!(comparison.unfinished.is_some())),
    ];
    // Whether A and B are one file on this machine is no fact about them.
    let mut members: Map<String, Value> = members.into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
    if let Some(Value::Array(notes)) = members.get_mut("notes") {
        notes.retain(|note| note.get("code").and_then(Value::as_str) != Some("one-file"));
    }
    members
}

fn export(comparison: &Comparison, side: Side) -> Value {
    let files = comparison.exports[side.index()].iter().map(|subject| {
        let mut facts = json!({ "bytes": subject.bytes, "sha256": subject.sha256, "rows": subject.rows });
        if let (Some(sidecar), Value::Object(facts)) = (&subject.sidecar, &mut facts) {
            facts.insert("sidecar".to_owned(), json!({ "bytes": sidecar.bytes, "sha256": sidecar.sha256 }));
        }
        facts
    });
    json!({ "rows": comparison.rows(side), "files": files.collect::<Vec<_>>() })
}

/// Put the names of the files beside what the id covers of them.
fn name_files(exports: &mut Map<String, Value>, comparison: &Comparison) {
    for side in Side::BOTH {
        let files = exports.get_mut(side.name()).and_then(|export| export.get_mut("files"));
        let Some(Value::Array(files)) = files else { continue };
        for (file, subject) in files.iter_mut().zip(&comparison.exports[side.index()]) {
            if let Value::Object(file) = file {
                file.insert("name".to_owned(), json!(text(&subject.name)));
            }
        }
    }
}

fn place(place: Place) -> Value {
    json!({ "part": place.part, "line": place.line, "offset": place.offset, "length": place.length })
}

fn places(pair: &[Option<Place>; 2]) -> Value {
    json!({ "a": pair[0].map(place), "b": pair[1].map(place) })
}

fn remark_facts(remark: &Remark) -> Value {
    json!({
        "code": remark.code,
        "export": remark.side.map(Side::name),
        "count": remark.count,
        "first": places(&remark.first),
        "members": remark.members.iter().map(member).collect::<Vec<_>>(),
    })
}

fn member(member: &MemberDiff) -> Value {
    let shown = |value: &Option<String>| optional(value.as_deref());
    json!({ "member": text(&member.member), "a": shown(&member.a), "b": shown(&member.b) })
}

fn fork(fork: &Fork) -> Value {
    let [a, b] = &fork.rows;
    let common = |common: &Option<CommonRow>| {
        common.as_ref().map(|common| json!({ "place": place(common.place), "sequence": common.sequence }))
    };
    json!({
        "chain": optional(fork.chain.as_deref()),
        "sequence": a.sequence.filter(|_| a.sequence == b.sequence),
        "last_common": { "a": common(&fork.common[0]), "b": common(&fork.common[1]) },
        "a": row(a),
        "b": row(b),
        "members": fork.members.listed.iter().map(member).collect::<Vec<_>>(),
        "member_count": fork.members.count,
        "one_predecessor": fork.one_predecessor,
        "vouched": fork.vouched.name(),
        "rows_behind": { "a": fork.behind[0], "b": fork.behind[1] },
        "equal_behind": fork.equal_behind,
        "joined": fork.joined.map(|[a, b]| json!({ "a": place(a), "b": place(b) })),
    })
}

fn row(row: &ForkRow) -> Value {
    let shown = row.text.get(..SHOWN.min(row.text.len())).unwrap_or_default();
    json!({
        "place": place(row.place),
        "sequence": row.sequence,
        "time": optional(row.time.as_deref()),
        "text": escape_bytes(shown),
        "cut": row.cut || shown.len() < row.text.len(),
        "digest": {
            "status": row.digest.name(),
            "stated": optional(row.stated.as_deref()),
            "computed": optional(row.computed.as_deref()),
        },
        "link": { "status": row.link.name(), "stated": optional(row.previous.as_deref()) },
        "signature": { "status": row.signature.name(), "keys": row.signers },
        "vouched": row.vouched,
        "next": row.next.map(super::Standing::name),
        "elsewhere": row.elsewhere.map(place),
    })
}
