//! The members of a row that hold a chain together, in the exact forms that the plan asks for.

use std::sync::Arc;

use jiff::Timestamp;

use crate::encoding::{Encoding, TextForm};
use crate::fact::{Digest, Place, Sequence};
use crate::finding::{Code, Finding};
use crate::profile::{Path, Plan};
use crate::row::{Row, Value};

/// Bytes of a SHA-256 digest.
pub(super) const DIGEST_BYTES: usize = 32;

/// Characters of record text that a finding quotes.
const QUOTED: usize = 120;

/// What a row states.
pub(super) struct Stated {
    pub sequence: Option<Sequence>,
    pub prev: Option<Digest>,
    pub hash: Option<Digest>,
    pub group: Option<Arc<str>>,
    pub reversal: Option<Option<Sequence>>,
    pub time: Option<Timestamp>,
    /// What is missing or malformed.
    pub findings: Vec<Finding>,
}

/// Reads the members of rows.
#[derive(Debug, Default)]
pub(super) struct FieldReader {
    /// The name of the last row's chain: rows of one chain share it.
    group: Option<Arc<str>>,
}

impl FieldReader {
    /// What the row states; `None` if it has none of the members that make it a row of a chain.
    pub fn read(&mut self, row: &Row, plan: &Plan, place: Place) -> Option<Stated> {
        let root = row.root();
        let fields = &plan.fields;
        let [sequence, prev, hash] = [&fields.sequence, &fields.prev, &fields.hash].map(|path| path.find(root));
        let signed = plan.signature.as_ref().is_some_and(|signature| signature.field.find(root).is_some());
        if sequence.is_none() && prev.is_none() && hash.is_none() && !signed {
            return None;
        }
        let mut findings = Vec::new();
        let mut member = |path: &Path, value: Option<Value<'_>>, form: &dyn Fn() -> String| {
            findings.push(match value {
                None => Finding::new(Code::FieldMissing, Some(place)).member(path.text()),
                Some(value) => Finding::new(Code::FieldMalformed, Some(place))
                    .member(path.text())
                    .expected(form())
                    .found(shown(value)),
            });
        };
        let number = sequence.and_then(sequence_of);
        if number.is_none() {
            member(&fields.sequence, sequence, &|| "an integer from 0 to 9007199254740991".to_owned());
        }
        let digest_form = || described(&plan.digest_form, DIGEST_BYTES);
        let prev_digest = prev.and_then(|prev| digest_of(prev, &plan.digest_form));
        if prev_digest.is_none() {
            member(&fields.prev, prev, &digest_form);
        }
        let hash_digest = hash.and_then(|hash| digest_of(hash, &plan.digest_form));
        if hash_digest.is_none() {
            member(&fields.hash, hash, &digest_form);
        }
        let group = fields.group.as_ref().and_then(|path| Some((path, path.find(root)?)));
        let group = group.filter(|(_, value)| !value.is_null());
        if let Some((path, value)) = group.filter(|(_, value)| value.as_str().is_none()) {
            member(path, Some(value), &|| "a text".to_owned());
        }
        let reversal = self.reversal(root, plan, place, &mut findings);
        Some(Stated {
            sequence: number,
            prev: prev_digest,
            hash: hash_digest,
            group: group.and_then(|(_, value)| self.group(value.as_str()?)),
            reversal,
            time: fields.timestamp.as_ref().and_then(|path| path.find(root)?.as_str()?.parse().ok()),
            findings,
        })
    }

    /// For a row that reverses another one: the sequence it names, if it names one.
    fn reversal(
        &self,
        root: Value<'_>,
        plan: &Plan,
        place: Place,
        findings: &mut Vec<Finding>,
    ) -> Option<Option<Sequence>> {
        let reversal = plan.reversal.as_ref()?;
        if reversal.when.find(root)?.as_str()? != reversal.equals {
            return None;
        }
        if let Some(restored) = &reversal.restored
            && restored.find(root).and_then(Value::as_bool) == Some(false)
        {
            findings.push(Finding::new(Code::RestoreMismatch, Some(place)).member(restored.text()));
        }
        Some(reversal.target.find(root).and_then(sequence_of))
    }

    /// The name of the row's chain.
    fn group(&mut self, name: &str) -> Option<Arc<str>> {
        if self.group.as_deref() != Some(name) {
            self.group = Some(Arc::from(name));
        }
        self.group.clone()
    }
}

/// The finding for an object that is no row of a chain at all.
pub(super) fn no_chain_fields(plan: &Plan, place: Place) -> Finding {
    let fields = &plan.fields;
    let signature = plan.signature.as_ref().map(|signature| &signature.field);
    let members = [Some(&fields.sequence), Some(&fields.prev), Some(&fields.hash), signature];
    let members: Vec<String> = members.into_iter().flatten().map(Path::text).collect();
    Finding::new(Code::FieldMissing, Some(place)).member(members.join(", "))
}

fn sequence_of(value: Value<'_>) -> Option<Sequence> {
    value.as_number()?.as_exact_u64().and_then(Sequence::new)
}

fn digest_of(value: Value<'_>, form: &TextForm) -> Option<Digest> {
    form.decode::<DIGEST_BYTES>(value.as_str()?).and_then(|bytes| Digest::new(&bytes))
}

/// A text form in words.
pub(super) fn described(form: &TextForm, bytes: usize) -> String {
    let encoded = match form.encoding {
        Encoding::Hex => format!("{} lower-case hex digits", 2 * bytes),
        Encoding::Base64 => format!("base64 of {bytes} bytes"),
        Encoding::Base64url => format!("base64url of {bytes} bytes"),
        Encoding::Base58btc => format!("base58btc of {bytes} bytes"),
    };
    if form.prefix.is_empty() { encoded } else { format!("{} and {encoded}", form.prefix) }
}

/// A value as a finding shows it: short, with its kind.
pub(super) fn shown(value: Value<'_>) -> String {
    match (value.as_str(), value.as_number(), value.as_bool()) {
        (Some(text), ..) => cut(text),
        (_, Some(number), _) => {
            let mut text = Vec::new();
            crate::canonical::number::write(number, &mut text);
            format!("the number {}", String::from_utf8_lossy(&text))
        }
        (_, _, Some(truth)) => truth.to_string(),
        _ => value.kind().to_owned(),
    }
}

/// Record text, cut to what a finding quotes.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
