//! Manifests: what the exporter said that the export holds.
//!
//! One JSON object, an array of them or one object a line, one for each chain. Every member that is
//! there must have its exact type: a manifest that cannot be read whole says nothing at all. What it
//! says is compared with the export in [`super::anchor`].

use std::collections::HashSet;
use std::sync::Arc;

use crate::fact::{Digest, LinkForm};
use crate::profile::{HeadFields, HeadPlan, HeadSignature, Material, Neighbour, Path, Scribe, View};
use crate::row::{Reader, Row, Value};

/// The byte order mark that some editors put before JSON (RFC 8259 §8.1 lets a reader ignore it).
const BOM: &[u8] = b"\xef\xbb\xbf";

/// What a manifest says of one chain.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The chain; `None` where a format's anchor files do not name it.
    pub chain: Option<Arc<str>>,
    /// How many rows it has, where it says so.
    pub count: Option<u64>,
    /// The number of its first row.
    pub first_sequence: Option<u64>,
    /// The number of its last row.
    pub last_sequence: Option<u64>,
    /// The digest of its last row.
    pub head: Digest,
    /// When the export was made.
    pub exported_at: Option<String>,
    /// SHA-256 of the export, 64 lower-case hex digits.
    pub file_sha256: Option<String>,
    /// The signature, if there is one.
    pub signature: Option<Signature>,
}

/// The signature of an entry.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signature {
    /// Its bytes; `None` if its text is not in the exact form, so that no key can verify it.
    pub bytes: Option<Vec<u8>>,
    /// What it is over.
    pub message: Vec<u8>,
}

/// Read a manifest.
///
/// # Errors
///
/// What is wrong with it, in a sentence that does not name the file.
pub fn read(bytes: &[u8], plan: &HeadPlan, form: &LinkForm) -> Result<Vec<Entry>, String> {
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    let plan = match plan {
        HeadPlan::Text => return text(bytes, form).map(|entry| vec![entry]),
        HeadPlan::Json(plan) => &**plan,
    };
    let mut reader = Reader::new();
    let mut entries = match reader.read_value_exact(bytes) {
        Ok(row) => document(row, plan, form)?,
        Err(whole) => match lines(bytes, &mut reader, plan, form) {
            Some(entries) => entries?,
            None => return Err(format!("is not JSON: {whole}")),
        },
    };
    let mut seen = HashSet::new();
    if let Some(twice) = entries.iter().find(|entry| !seen.insert(entry.chain.clone())) {
        let chain = twice.chain.as_deref().unwrap_or("the same chain");
        return Err(format!("has two entries for {chain}"));
    }
    match entries.is_empty() {
        true => Err("has no entry".to_owned()),
        false => Ok(std::mem::take(&mut entries)),
    }
}

/// An object or an array of objects.
fn document(row: &Row, plan: &HeadFields, form: &LinkForm) -> Result<Vec<Entry>, String> {
    let root = row.root();
    match root.is_array() {
        true => root.items().map(|item| entry(item, plan, form)).collect(),
        false => Ok(vec![entry(root, plan, form)?]),
    }
}

/// One object a line; `None` if the first line is no JSON by itself, so that this is no such file.
fn lines(bytes: &[u8], reader: &mut Reader, plan: &HeadFields, form: &LinkForm) -> Option<Result<Vec<Entry>, String>> {
    let mut entries = Vec::new();
    for line in bytes.split(|&byte| byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match reader.read_exact(line) {
            Ok(row) => match entry(row.root(), plan, form) {
                Ok(entry) => entries.push(entry),
                Err(wrong) => return Some(Err(wrong)),
            },
            Err(_) if entries.is_empty() => return None,
            Err(unreadable) => return Some(Err(format!("entry {} is not JSON: {unreadable}", entries.len() + 1))),
        }
    }
    Some(Ok(entries))
}

fn entry(value: Value<'_>, plan: &HeadFields, form: &LinkForm) -> Result<Entry, String> {
    if !value.is_object() {
        return Err(format!("holds {} where an object should stand", value.kind()));
    }
    let head = required(value, &plan.hash)?;
    let digest = head.as_str().and_then(|text| form.decode(text));
    let file = optional(value, plan.file_sha256.as_ref(), "64 hex digits", sha256_of)?;
    Ok(Entry {
        chain: stated(value, plan.group.as_ref(), "a text", |value| value.as_str().map(Arc::from))?,
        count: stated(value, plan.count.as_ref(), "an integer from 0", integer)?,
        first_sequence: optional(value, plan.first_sequence.as_ref(), "an integer from 0", integer)?,
        last_sequence: optional(value, plan.last_sequence.as_ref(), "an integer from 0", integer)?,
        head: digest.ok_or_else(|| wrong(&plan.hash, "a digest as the rows write it"))?,
        exported_at: optional(value, plan.exported_at.as_ref(), "a text", |value| value.as_str().map(str::to_owned))?,
        file_sha256: file,
        signature: match &plan.signature {
            Some(signature) => signed(value, signature, form)?,
            None => None,
        },
    })
}

fn signed(value: Value<'_>, plan: &HeadSignature, form: &LinkForm) -> Result<Option<Signature>, String> {
    let text = optional(value, Some(&plan.field), "a text", |value| value.as_str().map(str::to_owned))?;
    Ok(text.map(|text| {
        let mut message = Vec::new();
        let material = Material { view: View::of(value), prev: None, hash: None, before: Neighbour::Unknown, form };
        let written = Scribe::default().write(&plan.message, &material, &mut message);
        let mut bytes = Vec::new();
        let read = plan.scheme.signature_size().read(&plan.form, &text, &mut bytes);
        Signature { bytes: read.filter(|()| written.is_ok()).map(|()| bytes), message }
    }))
}

/// A file that is the head and nothing else.
fn text(bytes: &[u8], form: &LinkForm) -> Result<Entry, String> {
    let text = std::str::from_utf8(bytes).map_err(|_| "is not UTF-8 text".to_owned())?;
    let head = form.decode(text.trim()).ok_or("is not a digest as the rows write it")?;
    Ok(Entry {
        chain: None,
        count: None,
        first_sequence: None,
        last_sequence: None,
        head,
        exported_at: None,
        file_sha256: None,
        signature: None,
    })
}

/// A member that must be there in a format whose anchor files have it.
fn stated<T>(
    value: Value<'_>,
    path: Option<&Path>,
    form: &str,
    read: impl Fn(Value<'_>) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    read(required(value, path)?).map(Some).ok_or_else(|| wrong(path, form))
}

fn required<'r>(value: Value<'r>, path: &Path) -> Result<Value<'r>, String> {
    path.find(value).ok_or_else(|| format!("has no {}", path.text()))
}

/// A member that may be absent or null, but not of another type.
fn optional<T>(
    value: Value<'_>,
    path: Option<&Path>,
    form: &str,
    read: impl Fn(Value<'_>) -> Option<T>,
) -> Result<Option<T>, String> {
    let Some(path) = path else { return Ok(None) };
    match path.find(value).filter(|value| !value.is_null()) {
        Some(value) => read(value).map(Some).ok_or_else(|| wrong(path, form)),
        None => Ok(None),
    }
}

fn wrong(path: &Path, form: &str) -> String {
    format!("{} is not {form}", path.text())
}

fn integer(value: Value<'_>) -> Option<u64> {
    value.as_number()?.as_exact_u64()
}

/// 64 hex digits, perhaps with `sha256:` before them.
fn sha256_of(value: Value<'_>) -> Option<String> {
    let text = value.as_str()?;
    let digits = text.strip_prefix("sha256:").unwrap_or(text);
    (digits.len() == 64 && digits.bytes().all(|digit| digit.is_ascii_hexdigit())).then(|| digits.to_ascii_lowercase())
}
