//! What stands outside the export: the manifest and pinned heads, against what the walk found.

use std::collections::{BTreeMap, BTreeSet};

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::{Map, Value};
use sha2::{Digest as _, Sha256};

use super::row::{self, Digest};
use super::strict;
use super::walk::{Chain, Passed};
use super::{Pin, Question};

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
    let sha256 = |value: &Value| {
        let text = value.as_str()?;
        row::hex(&text.strip_prefix("sha256:").unwrap_or(text).to_ascii_lowercase())
    };
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
    let last = chain.rows.last().filter(|_| chain.end_readable);
    let pinned = judge_pins(question, manifest, chain, &mut faults);
    let end_is_pinned = pinned == Some(ALL) || pinned == Some(chain.rows.len()) && chain.end_readable;
    if let Some(manifest) = manifest {
        let differs = |stated: Option<u64>, found: Option<u64>| stated.is_some() && found.is_some() && stated != found;
        let vouched = manifest.vouched(question.keys);
        let file: Digest = Sha256::digest(question.export).into();
        let mismatches = [
            manifest.is_foreign(chain),
            vouched == Some(false),
            manifest.entries != entries,
            differs(manifest.first_sequence, chain.first_sequence),
            differs(manifest.last_sequence, last.and_then(Passed::number)),
            manifest.file_sha256.is_some_and(|stated| stated != file),
        ];
        faults.extend(mismatches.into_iter().filter(|&differs| differs).map(|_| "manifest-mismatch"));
        let head = last.and_then(|row| row.digest);
        faults.extend(head.is_some_and(|head| head != manifest.head).then_some("head-mismatch"));
        bounds.extend((found && vouched.is_none() && !end_is_pinned).then_some("manifest-unsigned"));
    }
    match (manifest, pinned) {
        (None, None) => bounds.push("no-anchor"),
        (None, Some(_)) if !end_is_pinned => bounds.push("after-anchor"),
        _ => {}
    }
    (faults, bounds)
}

/// A pin that fails is a fault and leaves no question open.
const ALL: usize = usize::MAX;

/// Compare the pins; gives how many rows the furthest one covers, `None` if none anchors anything.
fn judge_pins(
    question: &Question,
    manifest: Option<&Manifest>,
    chain: &Chain,
    faults: &mut Vec<&'static str>,
) -> Option<usize> {
    let mut furthest = None;
    let mut stated: BTreeMap<u64, BTreeSet<Digest>> = BTreeMap::new();
    let mut state = |sequence, digest| stated.entry(sequence).or_default().insert(digest);
    if let Some(manifest) = manifest.filter(|_| !chain.rows.is_empty()) {
        manifest.last_sequence.map(|sequence| state(sequence, manifest.head));
    }
    for pin in question.heads {
        pin.sequence.map(|sequence| state(sequence, pin.digest));
        match reach(pin, chain) {
            Reach::Rows(rows) => furthest = furthest.max(Some(rows)),
            Reach::Nothing => {}
            Reach::Fails => {
                faults.push("head-mismatch");
                furthest = Some(ALL);
            }
        }
    }
    faults.extend(stated.values().filter(|digests| digests.len() > 1).map(|_| "anchor-conflict"));
    furthest
}

/// What a pin reaches.
enum Reach {
    /// That many rows.
    Rows(usize),
    /// It says nothing about the rows that could be read.
    Nothing,
    /// It states another digest.
    Fails,
}

fn reach(pin: &Pin, chain: &Chain) -> Reach {
    let numbered = |row: &&Passed| pin.sequence.is_none_or(|wanted| row.number() == Some(wanted));
    let holds = |row: &Passed| row.digest == Some(pin.digest) && numbered(&row);
    if let Some(index) = chain.rows.iter().rposition(holds) {
        return Reach::Rows(index + 1);
    }
    let before = |sequence: u64| chain.partial_start.filter(|_| chain.first_sequence == Some(sequence + 1));
    if pin.sequence.and_then(before) == Some(pin.digest) {
        return Reach::Rows(0);
    }
    // One edit, one fault: a row or digest that cannot be read is not judged a second time.
    let Some(sequence) = pin.sequence else {
        let unread = chain.has_unreadable || chain.rows.iter().any(|row| row.digest.is_none());
        return if unread { Reach::Nothing } else { Reach::Fails };
    };
    match chain.rows.iter().rfind(numbered) {
        Some(row) if row.digest.is_some() => return Reach::Fails,
        Some(_) => return Reach::Nothing,
        None => {}
    }
    let may_be = |row: &Passed| row.numbers.is_some_and(|(low, high)| (low..=high).contains(&sequence));
    let unread = chain.unread.iter().any(|&(low, high)| (low..=high).contains(&sequence));
    let too_early = chain.partial_start.is_some() && chain.first_sequence.is_some_and(|first| sequence + 1 < first);
    if unread || too_early || chain.rows.iter().any(may_be) { Reach::Nothing } else { Reach::Fails }
}

/// Whether a pin states the digest that a partial export continues from.
pub fn start_is_pinned(question: &Question, chain: &Chain) -> bool {
    let first = chain.first_sequence.unwrap_or(0);
    question.heads.iter().any(|pin| {
        pin.sequence.is_some_and(|sequence| sequence + 1 == first) && chain.partial_start == Some(pin.digest)
    })
}
