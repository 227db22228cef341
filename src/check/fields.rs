//! The members of a row that hold a chain together, in the exact forms that the plan asks for.

use std::sync::Arc;

use jiff::Timestamp;

use super::clock::Clock;
use crate::encoding::{Encoding, TextForm};
use crate::fact::{Digest, NameForm, Place, Sequence};
use crate::finding::{Code, Finding};
use crate::profile::{Field, Found, Genesis, Material, Neighbour, Plan, Scribe, View};
use crate::row::Value;

/// Characters of record text that a finding quotes.
const QUOTED: usize = 120;

/// What a row states.
pub(super) struct Stated<'r> {
    pub sequence: Option<Sequence>,
    pub prev: Option<Digest>,
    /// The link as it is written, also where it is the genesis.
    pub prev_text: Option<&'r str>,
    pub hash: Option<Digest>,
    /// What the next row states, where that is not the digest.
    pub name: Option<Digest>,
    pub group: Option<Arc<str>>,
    pub key_id: Option<Arc<str>>,
    pub reversal: Option<Option<Sequence>>,
    pub time: Option<Timestamp>,
    /// What is missing or malformed.
    pub findings: Vec<Finding>,
}

/// Reads the members of rows.
#[derive(Debug, Default)]
pub(super) struct FieldReader {
    /// The name of the last row's chain, and of its key: rows that follow each other share them.
    group: Option<Arc<str>>,
    key_id: Option<Arc<str>>,
    scratch: Vec<u8>,
    clock: Clock,
}

impl FieldReader {
    /// What the row states; `None` if it has none of the members that make it a row of a chain.
    pub fn read<'r>(&mut self, view: &View<'r>, plan: &Plan, place: Place, scribe: &mut Scribe) -> Option<Stated<'r>> {
        let fields = &plan.fields;
        if !has_chain_fields(view, plan) {
            return None;
        }
        let mut wrong = Wrong { place, findings: Vec::new() };
        let sequence = fields.sequence.as_ref().and_then(|field| {
            let found = field.find(view);
            let number = found.and_then(|found| sequence_of(found, field));
            if number.is_none() {
                wrong.member(field, found, || "an integer from 0 to 9007199254740991".to_owned());
            }
            number
        });
        let prev_found = fields.prev.as_ref().and_then(|field| field.find(view));
        let prev = fields.prev.as_ref().and_then(|field| {
            let link = self.link(prev_found, view, plan, scribe);
            if link.is_none() {
                wrong.member(field, prev_found, || described_link(plan));
            }
            link
        });
        let hash = fields.hash.as_ref().and_then(|field| {
            let found = field.find(view);
            let digest = match plan.chain.literal {
                true => found.and_then(Found::as_bytes).map(Digest::of_text),
                false => found.and_then(Found::as_str).and_then(|text| plan.form.decode(text)),
            };
            if digest.is_none() {
                wrong.member(field, found, || described_link(plan));
            }
            digest
        });
        let name = plan.chain.linked_by.as_ref().and_then(|field| field.find(view)?.as_str());
        let group = fields.group.as_ref().and_then(|field| Some((field, field.find(view)?)));
        let group = group.filter(|(_, found)| !found.is_null());
        if let Some((field, found)) = group.filter(|(_, found)| found.as_str().is_none()) {
            wrong.member(field, Some(found), || "a text".to_owned());
        }
        let key_id = fields.key_id.as_ref().and_then(|field| field.find(view)?.as_str());
        let reversal = reversal(view, plan, &mut wrong);
        Some(Stated {
            sequence,
            prev,
            prev_text: prev_found.and_then(Found::as_str),
            hash,
            name: name.map(Digest::of_text),
            group: group.and_then(|(_, found)| Some(shared(&mut self.group, found.as_str()?))),
            key_id: key_id.map(|id| shared(&mut self.key_id, id)),
            reversal,
            time: fields.timestamp.as_ref().and_then(|field| self.clock.read(field.find(view)?.as_str()?)),
            findings: wrong.findings,
        })
    }

    /// The predecessor that a row states: the genesis, or a digest.
    fn link(&mut self, found: Option<Found<'_>>, view: &View<'_>, plan: &Plan, scribe: &mut Scribe) -> Option<Digest> {
        let text = found.and_then(Found::as_str);
        let genesis = match &plan.chain.genesis {
            Genesis::Text(genesis) => text == Some(genesis),
            Genesis::Null => found.is_none_or(Found::is_null),
            Genesis::Field(field) => text.is_some() && text == field.find(view).and_then(Found::as_str),
            Genesis::Digest { of, algorithm, form } => text.is_some_and(|text| {
                self.scratch.clear();
                let material =
                    Material { view: *view, prev: None, hash: None, before: Neighbour::Unknown, form: &plan.form };
                let written = scribe.write(of, &material, &mut self.scratch);
                let digest = written.ok().and_then(|()| algorithm.digest(&self.scratch, None));
                digest.is_some_and(|digest| form.encode(digest.bytes()) == text)
            }),
            // Without it the run was stopped before the first row.
            Genesis::Given => false,
        };
        if genesis {
            return Some(Digest::GENESIS);
        }
        plan.form.decode(text?)
    }
}

/// Findings about members of the row at this place.
struct Wrong {
    place: Place,
    findings: Vec<Finding>,
}

impl Wrong {
    fn member(&mut self, field: &Field, found: Option<Found<'_>>, form: impl Fn() -> String) {
        self.findings.push(match found {
            None => Finding::new(Code::FieldMissing, Some(self.place)).member(field.name()),
            Some(found) => Finding::new(Code::FieldMalformed, Some(self.place))
                .member(field.name())
                .expected(form())
                .found(shown_found(found)),
        });
    }
}

/// For a row that reverses another one: the sequence it names, if it names one.
fn reversal(view: &View<'_>, plan: &Plan, wrong: &mut Wrong) -> Option<Option<Sequence>> {
    let reversal = plan.reversal.as_ref()?;
    if !reversal.when.holds(view) {
        return None;
    }
    if let Some(restored) = &reversal.restored
        && restored.find(view).and_then(Found::value).and_then(Value::as_bool) == Some(false)
    {
        wrong.findings.push(Finding::new(Code::RestoreMismatch, Some(wrong.place)).member(restored.name()));
    }
    Some(reversal.target.find(view).and_then(|found| sequence_of(found, &reversal.target)))
}

/// Whether the row has one of the members that hold a chain together.
fn has_chain_fields(view: &View<'_>, plan: &Plan) -> bool {
    chain_fields(plan).any(|field| field.find(view).is_some())
}

/// Whether the row states neither a predecessor nor a digest.
pub(super) fn is_unchained(view: &View<'_>, plan: &Plan) -> bool {
    let mut stated = [&plan.fields.prev, &plan.fields.hash].into_iter().flatten();
    !stated.any(|field| field.find(view).is_some_and(|found| !found.is_null()))
}

fn chain_fields(plan: &Plan) -> impl Iterator<Item = &Field> {
    let fields = &plan.fields;
    let signatures = plan.signature.first().into_iter().flatten().map(|rule| &rule.field);
    [&fields.sequence, &fields.prev, &fields.hash].into_iter().flatten().chain(signatures)
}

/// The finding for an object that is no row of a chain at all.
pub(super) fn no_chain_fields(plan: &Plan, place: Place) -> Finding {
    let members: Vec<&str> = chain_fields(plan).map(Field::name).collect();
    Finding::new(Code::FieldMissing, Some(place)).member(members.join(", "))
}

/// The name of something that rows which follow each other share.
fn shared(last: &mut Option<Arc<str>>, name: &str) -> Arc<str> {
    match last {
        Some(known) if **known == *name => Arc::clone(known),
        _ => Arc::clone(last.insert(Arc::from(name))),
    }
}

/// A sequence number; digits only where the member is taken out of text.
fn sequence_of(found: Found<'_>, field: &Field) -> Option<Sequence> {
    match (found, found.as_str()) {
        (_, Some(digits)) if field.is_textual() && digits.bytes().all(|byte| byte.is_ascii_digit()) => {
            digits.parse().ok().and_then(Sequence::new)
        }
        (Found::Value(value), None) => value.as_number()?.as_exact_u64().and_then(Sequence::new),
        _ => None,
    }
}

/// How a link is written, in words.
fn described_link(plan: &Plan) -> String {
    match &plan.form.names {
        NameForm::Encoded { form, lengths } => {
            let forms: Vec<String> = lengths.iter().map(|&length| described(form, length)).collect();
            forms.join(" or ")
        }
        NameForm::Text { .. } => "a text".to_owned(),
    }
}

/// A text form in words.
pub(super) fn described(form: &TextForm, bytes: usize) -> String {
    let encoded = match form.encoding {
        Encoding::Hex => format!("{} lower-case hex digits", 2 * (bytes + form.wrap.len())),
        Encoding::Base64 => format!("base64 of {bytes} bytes"),
        Encoding::Base64url => format!("base64url of {bytes} bytes"),
        Encoding::Base58btc => format!("base58 of {bytes} bytes"),
    };
    let encoded = if form.prefix.is_empty() { encoded } else { format!("{} and {encoded}", form.prefix) };
    if form.suffix.is_empty() { encoded } else { format!("{encoded} and {}", form.suffix) }
}

/// What was found, as a finding shows it.
pub(super) fn shown_found(found: Found<'_>) -> String {
    match found {
        Found::Value(value) => shown(value),
        Found::Text(text) => cut(text),
    }
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
pub(crate) fn cut(text: &str) -> String {
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
