//! `checkpoint-kya-v1-compatible`: a grade of a source, signed with Ed25519.
//!
//! The message is the canonical text of `payload`; `format`, `alg` and `divergences` are signed by nobody. The
//! receipt brings its key along, and its `iss` must be that key's name: that shows that one key signed, and not
//! whose it is.

use ed25519_dalek::{Signature, VerifyingKey};

use crate::row::Value;
use crate::trust::dialect::{Canonical, has_double};

/// What such a receipt calls itself.
pub const FORMAT: &str = "checkpoint-kya-v1-compatible";

/// What the bytes of an Ed25519 key stand behind in a did:key: multicodec 0xED as a varint.
const MULTICODEC: [u8; 2] = [0xed, 0x01];

/// What is known from elsewhere.
#[derive(Clone, Copy, Debug, Default)]
pub struct Known<'a> {
    /// Keys that are trusted, 32 bytes each; none means that none was given.
    pub keys: &'a [Vec<u8>],
    /// For whom the receipt must be.
    pub audience: Option<&'a str>,
    /// The grade that it must be about.
    pub grade: Option<Value<'a>>,
}

/// What a receipt shows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Shown {
    /// Why it is not verified; empty if it is.
    pub reasons: Vec<String>,
    /// Whether it is about the grade that was given; `None` if none was, or that was not looked at.
    pub bound_to_grade: Option<bool>,
    /// Who signed it, as it says itself, if so much could be read.
    pub signer: Option<String>,
}

/// Look at a receipt.
pub fn look(receipt: Value<'_>, known: &Known<'_>) -> Shown {
    let mut shown = Shown::default();
    let parts = match parts(receipt) {
        Ok(parts) => parts,
        Err(reason) => {
            shown.reasons.push(reason);
            return shown;
        }
    };
    let Parts { payload, signature, key } = parts;
    let text = |name| payload.get(name).and_then(Value::as_str);
    let own = format!("did:key:z{}", bs58::encode([&MULTICODEC[..], &key].concat()).into_string());
    shown.signer = text("iss").map(str::to_owned);
    let Some(message) = message(payload) else {
        shown.reasons.push("payload is not canonicalizable: it holds a float or a lone surrogate".to_owned());
        return shown;
    };
    if text("iss") != Some(&own) {
        shown
            .reasons
            .push(format!("iss {} does not match the key in pubkey_b64 ({own})", text("iss").unwrap_or("absent")));
    }
    if !known.keys.is_empty() && !known.keys.iter().any(|trusted| *trusted == key) {
        shown.reasons.push("it is signed with another key than the one that was given".to_owned());
    }
    if let Some(audience) = known.audience.filter(|audience| text("aud") != Some(audience)) {
        shown.reasons.push(format!("aud is {}, and {audience} was expected", text("aud").unwrap_or("absent")));
    }
    let verifies =
        VerifyingKey::from_bytes(&key).and_then(|key| key.verify_strict(&message, &Signature::from_bytes(&signature)));
    if verifies.is_err() {
        shown.reasons.push("signature does not verify over the canonical payload".to_owned());
    }
    if let Some(grade) = known.grade {
        let hash = Canonical::compact().digest(grade).filter(|_| !has_double(grade, |_| true));
        let hash = hash.map(|digits| format!("sha256:{digits}"));
        let bound = hash.is_some() && hash.as_deref() == text("responseHash");
        shown.bound_to_grade = Some(bound);
        if !bound {
            let stated = text("responseHash").unwrap_or("absent");
            let found = hash.as_deref().unwrap_or("no canonical text");
            shown.reasons.push(format!("responseHash is {stated}, and the grade that was given has {found}"));
        }
    }
    shown
}

/// The bytes that are signed; a float anywhere is refused, as the format does.
fn message(payload: Value<'_>) -> Option<Vec<u8>> {
    let bytes = || Canonical::compact().bytes(payload).map(<[u8]>::to_vec);
    if has_double(payload, |_| true) { None } else { bytes() }
}

/// What is signed, and with what.
struct Parts<'r> {
    payload: Value<'r>,
    signature: [u8; 64],
    key: [u8; 32],
}

fn parts(receipt: Value<'_>) -> Result<Parts<'_>, String> {
    if !receipt.is_object() {
        return Err(format!("not a receipt object: {}", receipt.kind()));
    }
    let payload = receipt.get("payload").filter(|payload| payload.is_object()).ok_or("missing payload")?;
    let text = |name: &str| {
        let text = receipt.get(name).and_then(Value::as_str).filter(|text| !text.is_empty());
        text.ok_or_else(|| format!("missing {name}"))
    };
    let (signature, key) = (text("signature_b64")?, text("pubkey_b64")?);
    if let Some(algorithm) = receipt.get("alg").filter(|algorithm| algorithm.as_str() != Some("EdDSA")) {
        let algorithm = algorithm.as_str().unwrap_or(algorithm.kind());
        return Err(format!("alg is {algorithm}; only EdDSA is verified here"));
    }
    let decode = |name: &str, text: &str| {
        data_encoding::BASE64.decode(text.as_bytes()).map_err(|_| format!("{name} is not valid base64"))
    };
    let (signature, key) = (decode("signature_b64", signature)?, decode("pubkey_b64", key)?);
    let key: [u8; 32] =
        key.try_into().map_err(|key: Vec<u8>| format!("pubkey is {} bytes, an Ed25519 public key is 32", key.len()))?;
    let signature: [u8; 64] = signature
        .try_into()
        .map_err(|signature: Vec<u8>| format!("signature is {} bytes, one of Ed25519 is 64", signature.len()))?;
    Ok(Parts { payload, signature, key })
}
