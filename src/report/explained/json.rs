//! The explanation as JSON: docs/report.schema.json describes it.

use data_encoding::HEXLOWER;
use serde_json::{Value, json};

use super::{Explained, Member, Message, Near, Part, SignatureTold};
use crate::fact::Place;
use crate::finding::Finding;
use crate::report::escape::escape_bytes;
use crate::report::identity::{optional, text};
use crate::report::message::message;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.explain/v1";

/// Bytes of a part that are written, unless all are asked for.
const SHOWN: usize = 64 << 10;

/// The JSON form, with a line end; `full` writes every byte.
pub fn json(told: &Explained, full: bool) -> String {
    let most = if full { usize::MAX } else { SHOWN };
    let digest = told.digest.as_ref().map(|digest| {
        json!({
            "status": digest.status.name(),
            "algorithm": digest.algorithm,
            "key": optional(digest.key.as_deref()),
            "preimage": digest.preimage.as_ref().map(|preimage| bytes_of(preimage, most)),
            "computed": optional(digest.computed.as_deref()),
            "stated": optional(digest.stated.as_deref()),
            "stated_by": optional(digest.stated_by.as_deref()),
            "why": optional(digest.why.as_deref()),
            "near_misses": digest.near.as_ref().map(near),
        })
    });
    let link = told.link.as_ref().map(|link| {
        json!({
            "status": link.status.name(),
            "stated": optional(link.stated.as_deref()),
            "expected": link.expected.iter().map(|expected| text(expected)).collect::<Vec<_>>(),
            "row_before": link.before.map(place),
            "why": text(&link.why),
        })
    });
    let binds = told.binds.iter().map(|bind| {
        json!({
            "status": bind.status.name(),
            "member": text(&bind.member),
            "algorithm": bind.algorithm,
            "bytes": bind.message.as_ref().map(|message| bytes_of(message, most)),
            "computed": optional(bind.computed.as_deref()),
        })
    });
    let equalities = told.equalities.iter().map(|equality| {
        json!({
            "status": equality.status.name(),
            "member": text(&equality.member),
            "previous": text(&equality.previous),
        })
    });
    let value = json!({
        "schema": SCHEMA,
        "exit_code": told.exit_code(),
        "subject": text(&told.subject),
        "place": place(told.place),
        "sequence": told.sequence,
        "chain": optional(told.chain.as_deref()),
        "profile": {
            "name": text(&told.profile.name),
            "source": told.profile.source,
            "sha256": told.profile.sha256,
            "recipe": text(&told.profile.recipe),
        },
        "line": shown(&told.line, most),
        "members": told.members.iter().map(member).collect::<Vec<_>>(),
        "digest": digest,
        "link": link,
        "signatures": told.signatures.iter().map(|told| signature(told, most)).collect::<Vec<_>>(),
        "binds": binds.collect::<Vec<_>>(),
        "equalities": equalities.collect::<Vec<_>>(),
        "uncovered": told.uncovered.iter().map(|name| text(name)).collect::<Vec<_>>(),
        "findings": told.findings.iter().map(finding).collect::<Vec<_>>(),
        "open": told.open.iter().map(|open| text(open)).collect::<Vec<_>>(),
    });
    format!("{value:#}\n")
}

fn place(place: Place) -> Value {
    json!({ "part": place.part, "line": place.line, "offset": place.offset, "length": place.length })
}

fn member(member: &Member) -> Value {
    json!({
        "role": member.role,
        "member": text(&member.member),
        "says": optional(member.says.as_deref()),
        "kind": member.kind,
        "wrong": optional(member.wrong.as_deref()),
    })
}

fn signature(told: &SignatureTold, most: usize) -> Value {
    let attempts = told.attempts.iter().map(|attempt| {
        json!({
            "key": text(&attempt.fingerprint),
            "reading": optional(attempt.reading.as_deref()),
            "message_sha256": attempt.message_sha256,
            "holds": attempt.holds,
        })
    });
    json!({
        "status": told.status.name(),
        "member": text(&told.member),
        "algorithm": told.algorithm,
        "message": told.message.as_ref().map(|message| bytes_of(message, most)),
        "attempts": attempts.collect::<Vec<_>>(),
        "why": text(&told.why),
        "near_misses": told.near.as_ref().map(near),
    })
}

fn near(near: &Near) -> Value {
    let changes = |changes: &Vec<String>| changes.iter().map(|change| text(change)).collect::<Vec<_>>();
    json!({ "fits_if": near.fits.iter().map(changes).collect::<Vec<_>>(), "tries": near.tries })
}

fn finding(finding: &Finding) -> Value {
    json!({
        "code": finding.code.name(),
        "class": finding.code.class().name(),
        "member": optional(finding.member.as_deref()),
        "expected": optional(finding.expected.as_deref()),
        "found": optional(finding.found.as_deref()),
        "message": message(finding),
    })
}

fn bytes_of(message: &Message, most: usize) -> Value {
    let parts: Vec<Value> = message.parts.iter().map(|inner| part(inner, most)).collect();
    json!({ "length": message.bytes.len(), "parts": parts })
}

fn part(told: &Part, most: usize) -> Value {
    let mut out = shown(&told.bytes, most);
    let inside: Vec<Value> = told.inside.iter().map(|inner| part(inner, most)).collect();
    if let Value::Object(members) = &mut out {
        members.insert("what".to_owned(), text(&told.what).into());
        members.insert("offset".to_owned(), told.offset.into());
        members.insert("inside".to_owned(), inside.into());
    }
    out
}

/// Bytes: how many, and the first of them in hex and, where they are text, as text.
fn shown(bytes: &[u8], most: usize) -> Value {
    let first = bytes.get(..most.min(bytes.len())).unwrap_or_default();
    // Cut within a character, the rest of it is no text.
    let is_text = match std::str::from_utf8(first) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && first.len() < bytes.len(),
    };
    json!({
        "length": bytes.len(),
        "cut": first.len() < bytes.len(),
        "text": is_text.then(|| escape_bytes(first)),
        "hex": HEXLOWER.encode(first),
    })
}
