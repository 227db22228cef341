//! What one row proves by itself: its fields, its digest, its signature.
//!
//! A pure function of the row's bytes, the plan and the keys: no I/O, no clock, no neighbours. Every
//! byte of the row is untrusted. Which of the given keys a signature holds under is said here; whether
//! that key was allowed to sign is the chain's judgement.

pub mod algorithm;
pub mod ed25519;
mod fields;
mod signature;

use sha2::{Digest as _, Sha256};

use crate::canonical::number::imprecise_number;
use crate::fact::{Checked, Digest, DigestFact, Facts, Place, Recipe, SignatureFact};
use crate::finding::{Code, Finding};
use crate::profile::{Part, Plan, Scribe};
use crate::row::{Kind, Reader, Row, Unreadable};
use crate::trust::keyring::Keyring;

use fields::{FieldReader, Stated};
use signature::{SignatureReader, Signed};

/// Checks rows one after the other, with the same buffers.
#[derive(Debug)]
pub struct Checker<'p> {
    plan: &'p Plan,
    recipe: Recipe,
    reader: Reader,
    scribe: Scribe,
    fields: FieldReader,
    signatures: SignatureReader<'p>,
    preimage: Vec<u8>,
}

impl<'p> Checker<'p> {
    /// A checker for rows in this recipe, as far as it is settled.
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        Checker {
            plan,
            recipe,
            reader: Reader::new(),
            scribe: Scribe::default(),
            fields: FieldReader::default(),
            signatures: SignatureReader::new(plan, keys, recipe),
            preimage: Vec::new(),
        }
    }

    /// Check the row at `place`. `terminated` says whether its line ends in LF: one that does not and
    /// ends early is torn.
    pub fn check(&mut self, place: Place, bytes: &[u8], terminated: bool) -> Checked {
        let Checker { plan, recipe, reader, scribe, fields, signatures, preimage } = self;
        let read = match reader.read(bytes) {
            // Only the exact reader keeps the digits that a double loses.
            Ok(row) if row.large_numbers() => reader.read_exact(bytes),
            read => read,
        };
        let row = match read {
            Ok(row) => row,
            Err(unreadable) => return Checked::Unreadable(place, refusal(place, &unreadable, terminated)),
        };
        let Some(Stated { sequence, prev, hash, group, reversal, time, mut findings }) = fields.read(row, plan, place)
        else {
            return Checked::Unreadable(place, fields::no_chain_fields(plan, place));
        };
        if let Some(number) = imprecise_number(row) {
            findings.push(Finding::new(Code::ImpreciseNumber, Some(place)).found(fields::cut(number)));
        }
        let digest = digest(row, plan, *recipe, prev.as_ref(), hash.as_ref(), scribe, preimage);
        let signature = match signatures.read(row, place) {
            Ok(Some(bytes)) => signatures.judge(&Signed { row, prev, hash, digest: &digest }, &bytes, scribe),
            Ok(None) => SignatureFact::Unjudged,
            Err(finding) => {
                findings.push(*finding);
                SignatureFact::Unjudged
            }
        };
        let escaped = memchr::memchr(b'\\', bytes).is_some()
            && prev.iter().chain(&hash).any(|digest| {
                memchr::memmem::find(bytes, plan.digest_form.encode(digest.bytes()).as_bytes()).is_none()
            });
        let number = sequence.map(|sequence| sequence.get());
        for finding in &mut findings {
            finding.sequence = number;
        }
        Checked::Row(Box::new(Facts {
            place,
            group,
            sequence,
            prev,
            hash,
            escaped,
            digest,
            signature,
            reversal,
            time,
            findings,
        }))
    }
}

/// What the row's preimage hashes to, in the settled reading or in all of them.
fn digest(
    row: &Row,
    plan: &Plan,
    recipe: Recipe,
    prev: Option<&Digest>,
    hash: Option<&Digest>,
    scribe: &mut Scribe,
    preimage: &mut Vec<u8>,
) -> DigestFact {
    let mut of = |parts: &[Part]| {
        preimage.clear();
        scribe.write(parts, row.root(), prev, None, &plan.digest_form, preimage)?;
        Digest::new(&Sha256::digest(&*preimage))
    };
    let Some(reading) = recipe.hash else {
        let digests: Option<Box<[Digest]>> = plan.hash.readings.iter().map(|parts| of(parts)).collect();
        return digests.map_or(DigestFact::Unknown, DigestFact::Readings);
    };
    match plan.hash.readings.get(usize::from(reading)).and_then(|parts| of(parts)) {
        Some(digest) if Some(&digest) == hash => DigestFact::Fits,
        Some(digest) => DigestFact::Recomputed(digest),
        None => DigestFact::Unknown,
    }
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
