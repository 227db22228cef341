//! `arcaeon-receipt/0.1`: a body with its own digest, and what is attached to it.
//!
//! The digest covers seven members, whether they are there or not. What is attached, the ledger's head and the
//! pin of a witness above all, is covered by nothing: it is compared with the ledger, and with itself.

use sha2::{Digest as _, Sha256};

use crate::row::Value;
use crate::trust::dialect::{Canonical, row_number};

/// What such a receipt calls itself.
pub const VERSION: &str = "arcaeon-receipt/0.1";

/// The members that the digest covers, in the order in which they are written.
const BODY: [&str; 7] = ["checks", "extra", "issued_at", "kind", "receipt_version", "scope", "subject"];

/// What stands before the digits of the digest.
const RECIPE: &str = "sha256:json-c14n:v1:";

/// What a receipt shows by itself.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shown {
    /// Whether the digest is that of the body.
    pub body_digest_ok: bool,
    /// `absent`, `claimed` or `inconsistent`.
    pub witness: &'static str,
    /// `absent`, `mismatch` or `could_not_look`.
    pub attestation: &'static str,
    /// Whether an anchor is attached, which only another program can check.
    pub anchor: bool,
    /// What it states of a ledger.
    pub ledger: Option<Stated>,
    /// The digest, as stated.
    pub body_digest: Option<String>,
}

/// What a receipt states of a ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// How many rows there were; `None` if that is no row number.
    pub rows: Option<u64>,
    /// The head.
    pub chain: Option<String>,
}

/// Look at a receipt.
pub fn look(receipt: Value<'_>) -> Shown {
    let stated = receipt.get("body_digest").and_then(Value::as_str);
    let ledger = present(receipt, "ledger");
    Shown {
        body_digest_ok: stated.is_some() && stated == digest(receipt).as_deref(),
        witness: witness(receipt, ledger),
        attestation: attestation(receipt, stated),
        anchor: present(receipt, "anchor").is_some(),
        ledger: ledger.filter(|ledger| ledger.is_object()).map(|ledger| Stated {
            rows: ledger.get("rows").and_then(row_number),
            chain: ledger.get("chain").and_then(Value::as_str).map(str::to_owned),
        }),
        body_digest: stated.map(str::to_owned),
    }
}

/// The member, unless it is absent or null.
fn present<'r>(value: Value<'r>, name: &str) -> Option<Value<'r>> {
    value.get(name).filter(|value| !value.is_null())
}

/// The digest of the body; an absent member counts as null.
fn digest(receipt: Value<'_>) -> Option<String> {
    let mut canonical = Canonical::compact();
    let mut text = Vec::new();
    for (name, before) in BODY.into_iter().zip([b"{".as_slice()].into_iter().chain(std::iter::repeat(b",".as_slice())))
    {
        text.extend_from_slice(before);
        text.extend_from_slice(format!("\"{name}\":").as_bytes());
        match receipt.get(name) {
            Some(value) => text.extend_from_slice(canonical.bytes(value)?),
            None => text.extend_from_slice(b"null"),
        }
    }
    text.push(b'}');
    Some(format!("{RECIPE}{}", data_encoding::HEXLOWER.encode(&Sha256::digest(&text))))
}

/// A witness's pin that is attached is a claim at best: it is compared with what stands beside it.
fn witness(receipt: Value<'_>, ledger: Option<Value<'_>>) -> &'static str {
    let Some(witness) = present(receipt, "witness") else { return "absent" };
    if !witness.is_object() {
        return "inconsistent";
    }
    let pin = present(witness, "pin");
    let status = witness.get("status").and_then(Value::as_str);
    if pin.is_none() && matches!(status, Some("skipped" | "absent" | "not_requested")) {
        return "absent";
    }
    if pin.is_some_and(|pin| !pin.is_object()) {
        return "inconsistent";
    }
    let same = |a: Option<Value<'_>>, b: Option<Value<'_>>| {
        let both = a.zip(b);
        both.is_none_or(|(a, b)| {
            ["rows", "chain", "namespace"].iter().all(|name| {
                let both = present(a, name).zip(present(b, name));
                both.is_none_or(|(a, b)| equal(a, b))
            })
        })
    };
    let recomputes = pin.is_none_or(|pin| match present(pin, "prev").zip(present(pin, "self")) {
        None => true,
        Some((_, own)) => {
            let digest = Canonical::spaced(&["prev", "self"]).digest(pin);
            digest.is_some_and(|digest| own.as_str() == digest.get(..32))
        }
    });
    match same(Some(witness), ledger) && same(pin, Some(witness)) && same(pin, ledger) && recomputes {
        true => "claimed",
        false => "inconsistent",
    }
}

/// Whether two values are one, however they are spelled.
fn equal(a: Value<'_>, b: Value<'_>) -> bool {
    let text = |value| Canonical::spaced(&[]).bytes(value).map(<[u8]>::to_vec);
    text(a).is_some_and(|a| Some(a) == text(b))
}

/// The format carries neither a key nor a scheme, so that a signature can be contradicted and never confirmed.
fn attestation(receipt: Value<'_>, body_digest: Option<&str>) -> &'static str {
    let Some(signature) = present(receipt, "attestation_signature") else { return "absent" };
    let text = |name| signature.get(name).and_then(Value::as_str);
    match text("signed_over") == Some("body_digest") && body_digest.is_some() && text("body_digest") == body_digest {
        true => "could_not_look",
        false => "mismatch",
    }
}
