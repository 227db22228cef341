//! What stands outside the export: the manifest and pinned heads, against what the walk found.

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::Question;
use super::row::{self, Digest};
use super::strict;
use super::walk::Chain;

/// A manifest that can be used.
pub struct Manifest {
    workspace: String,
    entries: u64,
    first_sequence: Option<u64>,
    last_sequence: Option<u64>,
    head: Digest,
    file_sha256: Option<Digest>,
    signature: Option<Option<Signature>>,
    unsigned_form: Vec<u8>,
}

/// Read a manifest of one workspace; the error says why it cannot be used.
pub fn read(bytes: &[u8]) -> Result<Manifest, String> {
    let read = strict::read(bytes).map_err(|flaw| format!("manifest: {flaw:?}"))?;
    if read.flaw.is_some() {
        return Err("manifest: a duplicate member, or a number out of range".into());
    }
    let mut manifest = match read.value {
        Value::Object(manifest) => manifest,
        Value::Array(mut list) if list.len() == 1 => match list.remove(0) {
            Value::Object(manifest) => manifest,
            _ => return Err("manifest: no object".into()),
        },
        _ => return Err("manifest: not one object".into()),
    };
    let text = |value: &Value| value.as_str().map(str::to_owned);
    let sha256 = |value: &Value| value.as_str().and_then(|text| row::hex(text.strip_prefix("sha256:").unwrap_or(text)));
    let workspace = member(&manifest, "workspace", text)?.ok_or("manifest: no workspace")?;
    let entries = member(&manifest, "entries", row::sequence)?.ok_or("manifest: no entries")?;
    let head = member(&manifest, "head", row::digest)?.ok_or("manifest: no head")?;
    let first_sequence = member(&manifest, "first_sequence", row::sequence)?;
    let last_sequence = member(&manifest, "last_sequence", row::sequence)?;
    member(&manifest, "exported_at", text)?;
    let file_sha256 = member(&manifest, "file_sha256", sha256)?;
    // A signature that is text of another form is one that does not verify.
    let signature = member(&manifest, "signature", text)?
        .map(|text| text.strip_prefix("ed25519:").and_then(row::hex).map(|bytes| Signature::from_bytes(&bytes)));
    manifest.shift_remove("signature");
    let unsigned_form = serde_json_canonicalizer::to_vec(&manifest).map_err(|error| error.to_string())?;
    Ok(Manifest { workspace, entries, first_sequence, last_sequence, head, file_sha256, signature, unsigned_form })
}

/// A member of the right kind; null is absent, another kind an error.
fn member<T>(
    manifest: &Map<String, Value>,
    name: &str,
    read: impl Fn(&Value) -> Option<T>,
) -> Result<Option<T>, String> {
    match manifest.get(name) {
        None | Some(Value::Null) => Ok(None),
        Some(value) => read(value).map(Some).ok_or_else(|| format!("manifest: {name} is malformed")),
    }
}

impl Manifest {
    /// Whether it is about another ledger than this one.
    pub fn is_foreign(&self, chain: &Chain) -> bool {
        chain.workspace.as_ref().is_some_and(|workspace| *workspace != self.workspace)
    }

    /// Whether one of the keys vouches for it; `None` where it is not signed or no key can tell.
    fn vouched(&self, keys: &[VerifyingKey]) -> Option<bool> {
        let signature = self.signature.filter(|_| !keys.is_empty())?;
        Some(
            signature.is_some_and(|signature| {
                keys.iter().any(|key| key.verify_strict(&self.unsigned_form, &signature).is_ok())
            }),
        )
    }
}

/// Judge the anchors of an export without a row.
pub fn judge_empty(question: &Question, manifest: Option<&Manifest>) -> Vec<&'static str> {
    let mut codes = vec!["empty"];
    if let Some(manifest) = manifest {
        codes.extend((manifest.entries != 0).then_some("manifest-mismatch"));
        codes.extend((manifest.vouched(question.keys) == Some(false)).then_some("manifest-mismatch"));
    }
    codes.extend(question.heads.iter().map(|_| "head-mismatch"));
    codes
}

/// Judge the anchors of a chain: the findings of its last row, and those without a place.
pub fn judge(
    question: &Question,
    manifest: Option<&Manifest>,
    found: bool,
    entries: u64,
    chain: &Chain,
) -> (Vec<&'static str>, Vec<&'static str>) {
    let mut faults = Vec::new();
    let mut bounds = Vec::new();
    let last = chain.rows.last().filter(|_| chain.end_readable).copied().unwrap_or_default();
    if let Some(manifest) = manifest {
        let differs = |stated: Option<u64>, found: Option<u64>| stated.is_some() && found.is_some() && stated != found;
        let vouched = manifest.vouched(question.keys);
        let file: Digest = Sha256::digest(question.export).into();
        let mismatches = [
            manifest.is_foreign(chain),
            vouched == Some(false),
            manifest.entries != entries,
            differs(manifest.first_sequence, chain.first_sequence),
            differs(manifest.last_sequence, last.0),
            manifest.file_sha256.is_some_and(|stated| stated != file),
        ];
        faults.extend(mismatches.into_iter().filter(|&differs| differs).map(|_| "manifest-mismatch"));
        faults.extend(last.1.is_some_and(|head| head != manifest.head).then_some("head-mismatch"));
        bounds.extend((found && vouched.is_none()).then_some("manifest-unsigned"));
    }
    let pinned = judge_pins(question, manifest, chain, &mut faults);
    match (manifest, pinned) {
        (None, None) => bounds.push("no-anchor"),
        (None, Some(rows)) if rows < chain.rows.len() => bounds.push("after-anchor"),
        _ => {}
    }
    (faults, bounds)
}

/// Compare the pins; gives how many rows the furthest one covers, `None` if none anchors anything.
fn judge_pins(
    question: &Question,
    manifest: Option<&Manifest>,
    chain: &Chain,
    faults: &mut Vec<&'static str>,
) -> Option<usize> {
    let first = chain.rows.first().and_then(|row| row.0).unwrap_or(0);
    let mut furthest = None;
    let mut stated: Vec<(u64, Digest)> = Vec::new();
    stated.extend(manifest.and_then(|manifest| Some((manifest.last_sequence?, manifest.head))));
    for pin in question.heads {
        let holds = |&(sequence, digest): &(Option<u64>, Option<Digest>)| {
            digest == Some(pin.digest) && pin.sequence.is_none_or(|wanted| sequence == Some(wanted))
        };
        let covered = match pin.sequence {
            Some(sequence) if sequence + 1 < first => continue,
            Some(sequence) if sequence + 1 == first => (chain.partial_start == Some(pin.digest)).then_some(0),
            _ => chain.rows.iter().rposition(holds).map(|index| index + 1),
        };
        if covered.is_none() {
            faults.push("head-mismatch");
        }
        furthest = furthest.max(Some(covered.unwrap_or(chain.rows.len())));
        if let Some(sequence) = pin.sequence {
            if stated.iter().any(|&(other, digest)| other == sequence && digest != pin.digest) {
                faults.push("anchor-conflict");
            }
            stated.push((sequence, pin.digest));
        }
    }
    furthest
}

/// Whether a pin states the digest that a partial export continues from.
pub fn start_is_pinned(question: &Question, chain: &Chain) -> bool {
    let first = chain.rows.first().and_then(|row| row.0).unwrap_or(0);
    question.heads.iter().any(|pin| {
        pin.sequence.is_some_and(|sequence| sequence + 1 == first) && chain.partial_start == Some(pin.digest)
    })
}
