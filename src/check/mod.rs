//! What one row proves by itself: its members, its digest, its signatures.
//!
//! A pure function of the row's bytes, the plan, the keys and what the row before left: no I/O, no clock.
//! Every byte of the row is untrusted. Which of the given keys a signature holds under is said here;
//! whether that key was allowed to sign is the chain's judgement.

pub mod algorithm;
mod before;
mod bind;
mod digest;
pub mod ed25519;
mod fields;
mod signature;
mod uncovered;

use std::sync::Arc;

use crate::canonical::number::imprecise_number;
use crate::fact::{Before, Checked, Digest, DigestFact, Facts, Left, Place, Recipe};
use crate::finding::{Code, Finding, Notes};
use crate::profile::{Material, Naming, Neighbour, Opened, Plan, Scribe, Unwritten, View};
use crate::row::{Kind, Reader, Row, Unreadable};
use crate::trust::keyring::Keyring;

use before::Carrying;
use digest::Digester;
use fields::{FieldReader, Stated};
use signature::{About, SignatureReader};
use uncovered::Uncovered;

/// Checks rows one after the other, with the same buffers.
#[derive(Debug)]
pub struct Checker<'p> {
    plan: &'p Plan,
    reader: Reader,
    opened: Opened,
    row: RowChecker<'p>,
    carrying: Carrying,
}

/// The buffers and settings for what is made of a row once it is read.
#[derive(Debug)]
struct RowChecker<'p> {
    plan: &'p Plan,
    scribe: Scribe,
    fields: FieldReader,
    digests: Digester<'p>,
    signatures: SignatureReader<'p>,
    uncovered: Uncovered<'p>,
}

impl<'p> Checker<'p> {
    /// A checker for rows in this recipe, as far as it is settled.
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Checker {
            plan,
            reader: Reader::new(),
            opened: Opened::default(),
            row: RowChecker {
                plan,
                scribe: Scribe::default(),
                fields: FieldReader::default(),
                digests: Digester::new(plan, keys, recipe),
                signatures: SignatureReader::new(plan, keys, recipe),
                uncovered: Uncovered::new(plan),
            },
            carrying: Carrying::default(),
        }
    }

    /// Check the row at `place`. `terminated` says whether its line ends in LF: one that does not and
    /// ends early is torn. `before` is what the row before it in its chain left, where that is known
    /// better than by the rows that were checked since the last batch.
    pub fn check(&mut self, place: Place, bytes: &[u8], terminated: bool, before: Option<&Before>) -> Checked {
        let read = match self.plan.exact {
            true => self.reader.read_exact(bytes),
            // Only the exact reader keeps the digits that a double loses.
            false => match self.reader.read(bytes) {
                Ok(row) if row.large_numbers() || (self.plan.verbatim && row.has_doubles()) => {
                    self.reader.read_exact(bytes)
                }
                read => read,
            },
        };
        let row = match read {
            Ok(row) => row,
            Err(unreadable) => {
                self.carrying.forget();
                return Checked::Unreadable(place, refusal(place, &unreadable, terminated));
            }
        };
        let wrong = self.opened.open(&self.plan.input.opened, row.root());
        let wrong = wrong
            .into_iter()
            .map(|path| Finding::new(Code::FieldMalformed, Some(place)).member(path.text()).expected("JSON text"));
        let wrong: Vec<Finding> = wrong.collect();
        let view = View::new(row.root(), bytes, &self.opened);
        let checked = self.row.check(row, &view, place, wrong, before, &mut self.carrying);
        checked.unwrap_or_else(|finding| {
            self.carrying.forget();
            Checked::Unreadable(place, *finding)
        })
    }

    /// The bytes that the digest of the last row was computed of, in the last reading that was tried.
    pub fn preimage(&self) -> &[u8] {
        self.row.digests.preimage()
    }

    /// The bytes that the signature that was judged last was held against.
    pub fn message(&self) -> &[u8] {
        self.row.signatures.message()
    }

    /// The members of the rows so far that no preimage covers, counted.
    pub fn take_uncovered(&mut self) -> Notes {
        self.row.uncovered.take()
    }
}

impl RowChecker<'_> {
    fn check(
        &mut self,
        row: &Row,
        view: &View<'_>,
        place: Place,
        wrong: Vec<Finding>,
        before: Option<&Before>,
        carrying: &mut Carrying,
    ) -> Result<Checked, Box<Finding>> {
        let RowChecker { plan, scribe, fields, digests, signatures, uncovered } = self;
        let Some(stated) = fields.read(view, plan, place, scribe) else {
            return Err(fields::no_chain_fields(plan, place).into());
        };
        let Stated { sequence, mut prev, prev_text, hash, name, group, key_id, reversal, time, mut findings } = stated;
        findings.extend(wrong);
        if plan.reprints
            && let Some(number) = imprecise_number(row)
        {
            findings.push(Finding::new(Code::ImpreciseNumber, Some(place)).found(fields::cut(number)));
        }
        let carries = plan.carries();
        let before = match before {
            Some(before) => before.clone(),
            None if carries => carrying.before(group.as_ref()),
            None => Before::Unknown,
        };
        if plan.late {
            prev = match &before {
                Before::Unknown => None,
                Before::First => Some(Digest::GENESIS),
                Before::Row(left) => left.name,
            };
        }
        carrying.open(&before);
        let members = carrying.members(&before);
        let material = Material {
            view: *view,
            prev: prev.as_ref().map(|prev| Naming { text: prev_text, digest: Some(prev) }),
            hash: hash.as_ref().map(|hash| Naming { text: None, digest: Some(hash) }),
            before: match &before {
                Before::Unknown => Neighbour::Unknown,
                Before::First => Neighbour::None,
                Before::Row(_) => Neighbour::Members(&members),
            },
            form: &plan.form,
        };
        let digested = digests.digest(&material, hash.as_ref(), scribe);
        let mut digest = digested.fact;
        let mut hash = hash;
        if plan.fields.hash.is_none()
            && let DigestFact::Recomputed(computed) = digest
        {
            // Rows do not state it: what is computed is what the row is named by.
            hash = Some(computed);
            digest = DigestFact::Fits;
        }
        findings.extend(digested.wrong.and_then(|unwritten| told(unwritten, place, &findings)));
        if let Some(said) = digested.algorithm {
            let member = plan.fields.hash.as_ref().map_or("alg", |field| field.name());
            let finding = Finding::new(Code::FieldMalformed, Some(place)).member(member);
            findings.push(finding.expected("a digest algorithm of the format").found(said));
        }
        if digested.rule.is_none() && plan.hash.first().is_some_and(|rules| !rules.is_empty()) {
            let finding = Finding::new(Code::FieldMalformed, Some(place)).member(plan.selectors());
            findings.push(finding.expected("a value that one of the format's [[hash]] tables is for"));
        }
        let about = About { material, hash: hash.as_ref(), digest: &digest, place };
        let signed = signatures.judge(&about, scribe);
        findings.extend(signed.findings);
        findings.extend(bind::broken(plan, &material, place, scribe));
        uncovered.row(row, view, digested.rule, place);
        let escaped = memchr::memchr(b'\\', view.line).is_some() && is_escaped(view.line, plan, prev, hash);
        let claim = name.or(hash).or(match &digest {
            DigestFact::Recomputed(digest) => Some(*digest),
            _ => None,
        });
        let left: Option<Arc<Left>> = carries.then(|| before::left(view, plan, claim));
        let mut unequal = before::unequal(view, plan, place, &before, &members);
        let number = sequence.map(|sequence| sequence.get());
        for finding in findings.iter_mut().chain(&mut unequal) {
            finding.sequence = number;
        }
        if let Some(left) = &left {
            carrying.leave(group.as_ref(), left);
        }
        let mut also = signed.also;
        also.extend(digested.key);
        Ok(Checked::Row(Box::new(Facts {
            place,
            group,
            sequence,
            prev,
            hash,
            name,
            escaped,
            digest,
            signature: signed.fact,
            also,
            signed: signed.present,
            key_id,
            unkeyed: digested.unkeyed || signed.unkeyed,
            before: if carries { before } else { Before::Unknown },
            left,
            unequal,
            reversal,
            time,
            findings,
        })))
    }
}

/// Whether a digest is written with escapes, so that the line does not hold it as it is written elsewhere.
fn is_escaped(line: &[u8], plan: &Plan, prev: Option<Digest>, hash: Option<Digest>) -> bool {
    let stated = [(&plan.fields.prev, prev), (&plan.fields.hash, hash)];
    let stated = stated.into_iter().filter(|(field, _)| field.is_some()).filter_map(|(_, digest)| digest);
    let mut shown = stated.filter(|digest| *digest != Digest::GENESIS);
    shown.any(|digest| memchr::memmem::find(line, plan.form.encode(&digest).as_bytes()).is_none())
}

/// The finding for a member that a preimage needs, if it was not told already.
fn told(unwritten: Unwritten, place: Place, findings: &[Finding]) -> Option<Finding> {
    let (code, member) = match unwritten {
        Unwritten::Unknown => return None,
        Unwritten::Missing(member) => (Code::FieldMissing, member),
        Unwritten::Malformed(member) => (Code::FieldMalformed, member),
    };
    let known = findings.iter().any(|finding| finding.member.as_deref() == Some(member.as_str()));
    (!known).then(|| Finding::new(code, Some(place)).member(member))
}
/// The finding for a line that is no row.
fn refusal(place: Place, unreadable: &Unreadable, terminated: bool) -> Finding {
    let code = match unreadable.kind {
        Kind::TooLong => Code::RowTooLong,
        Kind::InvalidUtf8 => Code::InvalidUtf8,
        Kind::EndsEarly if !terminated => Code::TornRow,
        Kind::EndsEarly | Kind::NotJson => Code::NotJson,
        Kind::NestingTooDeep => Code::NestingTooDeep,
        Kind::NotAnObject => Code::NotAnObject,
        Kind::DuplicateKey => Code::DuplicateKey,
        Kind::NumberOutOfRange => Code::NumberOutOfRange,
    };
    Finding::new(code, Some(place)).found(unreadable.to_string())
}
