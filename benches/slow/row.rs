//! One row by itself: its fields, its digest in each reading, its signature.

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::strict::{self, Flaw};

/// A digest.
pub type Digest = [u8; 32];

/// The three forms in which a digest is appended or signed; the first is the default.
pub const FORMS: [&str; 3] = ["raw", "text", "hex"];

/// A digest in one of the [`FORMS`].
pub fn form(form: usize, digest: &Digest) -> Vec<u8> {
    let hex = data_encoding::HEXLOWER.encode(digest);
    match form {
        0 => digest.to_vec(),
        1 => format!("0x{hex}").into_bytes(),
        _ => hex.into_bytes(),
    }
}

/// What a readable row says.
pub struct Row {
    /// The findings about its fields.
    pub codes: Vec<&'static str>,
    /// Its workspace.
    pub workspace: Option<String>,
    /// Its number.
    pub sequence: Option<u64>,
    /// The predecessor's digest that it states.
    pub prev: Option<Digest>,
    /// Its own digest as stated.
    pub hash: Option<Digest>,
    /// Its digest recomputed, in each form of `prev`.
    pub digests: Option<[Digest; 3]>,
    /// Its signature.
    pub signature: Option<Signature>,
    /// What it reverses, if it is a compensation: `Some(None)` where it names no sequence.
    pub reverses: Option<Option<u64>>,
    /// Its time stamp.
    pub time: Option<jiff::Timestamp>,
    /// Whether it says that an undo did not restore what it should.
    pub restore_mismatch: bool,
}

/// Read a line as a row; the error is the code of an unreadable row.
pub fn read(line: &[u8], torn: bool, max_bytes: usize) -> Result<Row, &'static str> {
    if line.len() > max_bytes {
        return Err("row-too-long");
    }
    let read = strict::read(line).map_err(|flaw| match flaw {
        Flaw::Utf8 => "invalid-utf8",
        Flaw::EndsEarly if torn => "torn-row",
        Flaw::Depth => "nesting-too-deep",
        _ => "not-json",
    })?;
    let Value::Object(mut row) = read.value else { return Err("not-an-object") };
    match read.flaw {
        Some(Flaw::Duplicate) => return Err("duplicate-key"),
        Some(_) => return Err("number-out-of-range"),
        None => {}
    }
    if ["sequence", "prev_hash", "hash", "signature"].iter().all(|name| !row.contains_key(*name)) {
        return Err("field-missing");
    }
    let mut codes = Vec::new();
    if read.imprecise {
        codes.push("imprecise-number");
    }
    let sequence = field(&row, "sequence", sequence, &mut codes);
    let prev = field(&row, "prev_hash", digest, &mut codes);
    let hash = field(&row, "hash", digest, &mut codes);
    let signature = signature(row.get("signature"), &mut codes);
    let workspace = match row.get("workspace") {
        Some(Value::String(name)) => Some(name.clone()),
        // A row without one may say so.
        None | Some(Value::Null) => None,
        Some(_) => {
            codes.push("field-malformed");
            None
        }
    };
    let compensation = row.get("kind").and_then(Value::as_str) == Some("compensation");
    let reverses = compensation.then(|| row.get("reverses").and_then(self::sequence));
    let time = row.get("timestamp").and_then(Value::as_str).and_then(|text| text.parse().ok());
    let result = row.get("result").and_then(|result| result.get("digest_match"));
    let restore_mismatch = compensation && result == Some(&Value::Bool(false));
    row.shift_remove("hash");
    row.shift_remove("signature");
    let digests = prev.map(|prev| [0, 1, 2].map(|kind| preimage_digest(&row, &form(kind, &prev))));
    Ok(Row { codes, workspace, sequence, prev, hash, digests, signature, reverses, time, restore_mismatch })
}

fn preimage_digest(row: &Map<String, Value>, prev: &[u8]) -> Digest {
    let canonical = serde_json_canonicalizer::to_vec(row).expect("every number is finite");
    Sha256::new().chain_update(canonical).chain_update(prev).finalize().into()
}

fn field<T>(
    row: &Map<String, Value>,
    name: &str,
    read: fn(&Value) -> Option<T>,
    codes: &mut Vec<&'static str>,
) -> Option<T> {
    let value = row.get(name);
    let field = value.and_then(read);
    if field.is_none() {
        codes.push(if value.is_some() { "field-malformed" } else { "field-missing" });
    }
    field
}

/// An integer from 0 to 2^53 − 1, however it is spelled.
pub fn sequence(value: &Value) -> Option<u64> {
    let number = value.as_f64()?;
    (number.fract() == 0.0 && (0.0..9_007_199_254_740_992.0).contains(&number)).then_some(number as u64)
}

/// `0x` and 64 lower-case hex digits.
pub fn digest(value: &Value) -> Option<Digest> {
    hex(value.as_str()?.strip_prefix("0x")?)
}

/// Lower-case hex of exactly that many bytes.
pub fn hex<const N: usize>(text: &str) -> Option<[u8; N]> {
    data_encoding::HEXLOWER.decode(text.as_bytes()).ok()?.try_into().ok()
}

fn signature(value: Option<&Value>, codes: &mut Vec<&'static str>) -> Option<Signature> {
    let text = match value {
        None | Some(Value::Null) => "",
        Some(Value::String(text)) => text,
        Some(_) => "not a text",
    };
    let signature = text.strip_prefix("ed25519:").and_then(hex::<64>).map(|bytes| Signature::from_bytes(&bytes));
    if signature.is_none() {
        codes.push(match text.split_once(':') {
            _ if text.is_empty() => "signature-missing",
            Some((name, _)) if !name.is_empty() && !name.eq_ignore_ascii_case("ed25519") => "signature-algorithm",
            _ => "signature-malformed",
        });
    }
    signature
}

/// Which key, in which form, verifies the signature over this digest.
pub fn signed_by(
    signature: &Signature,
    keys: &[VerifyingKey],
    forms: &[usize],
    digest: &Digest,
) -> Option<(usize, usize)> {
    forms.iter().find_map(|&kind| {
        let message = form(kind, digest);
        let key = keys.iter().position(|key| key.verify_strict(&message, signature).is_ok())?;
        Some((key, kind))
    })
}
