//! The signature of a row: its text, and under which key and in which reading it holds.

use super::algorithm;
use super::fields::{cut, described, shown};
use crate::algorithm::Scheme;
use crate::fact::{Digest, DigestFact, KeyIndex, Place, Reading, Recipe, SignatureFact};
use crate::finding::{Code, Finding};
use crate::profile::{Plan, Scribe, SignaturePlan};
use crate::row::Row;
use crate::trust::keyring::Keyring;

/// Bytes of an Ed25519 signature (RFC 8032 §5.1.6).
const SIGNATURE_BYTES: usize = 64;

/// Reads and judges signatures.
#[derive(Debug)]
pub(super) struct SignatureReader<'p> {
    plan: &'p Plan,
    keys: &'p Keyring,
    recipe: Recipe,
    /// The key that the last signature held under: most often the next one does too.
    likely: KeyIndex,
    message: Vec<u8>,
}

/// What a signature can be about.
pub(super) struct Signed<'a> {
    pub row: &'a Row,
    pub prev: Option<Digest>,
    pub hash: Option<Digest>,
    pub digest: &'a DigestFact,
}

impl<'p> SignatureReader<'p> {
    pub fn new(plan: &'p Plan, keys: &'p Keyring, recipe: Recipe) -> Self {
        SignatureReader { plan, keys, recipe, likely: KeyIndex(0), message: Vec::new() }
    }

    /// The signature's bytes; `None` for a format without signatures. Whether it is there and well
    /// written is judged without any key.
    pub fn read(&self, row: &Row, place: Place) -> Result<Option<[u8; SIGNATURE_BYTES]>, Box<Finding>> {
        let Some(SignaturePlan { field, form, .. }) = &self.plan.signature else { return Ok(None) };
        let finding = |code| Finding::new(code, Some(place)).member(field.text());
        let value = field.find(row.root()).filter(|value| !value.is_null() && value.as_str() != Some(""));
        let Some(value) = value else { return Err(finding(Code::SignatureMissing).into()) };
        let malformed =
            || finding(Code::SignatureMalformed).expected(described(form, SIGNATURE_BYTES)).found(shown(value));
        let Some(text) = value.as_str() else { return Err(malformed().into()) };
        if let Some(bytes) = form.decode(text) {
            return Ok(Some(bytes));
        }
        // A prefix such as `ed25519:` names the algorithm. Another name is another algorithm; the same
        // name in other letters is the right one badly written.
        match (form.prefix.strip_suffix(':'), text.split_once(':')) {
            (Some(ours), Some((theirs, _))) if !theirs.is_empty() && !theirs.eq_ignore_ascii_case(ours) => {
                Err(finding(Code::SignatureAlgorithm).expected(ours).found(cut(theirs)).into())
            }
            _ => Err(malformed().into()),
        }
    }

    /// Under which key and in which reading the signature holds, over the stated hash or, where the row
    /// has another digest than it states, over that one.
    pub fn judge(
        &mut self,
        signed: &Signed<'_>,
        signature: &[u8; SIGNATURE_BYTES],
        scribe: &mut Scribe,
    ) -> SignatureFact {
        if self.keys.is_empty() {
            return SignatureFact::Unjudged;
        }
        let settled = self.recipe.hash.unwrap_or_default();
        let recomputed: Vec<(Reading, &Digest)> = match signed.digest {
            DigestFact::Fits | DigestFact::Unknown => Vec::new(),
            DigestFact::Recomputed(digest) => vec![(settled, digest)],
            DigestFact::Readings(digests) => (0..).zip(digests.iter()).collect(),
        };
        if signed.hash.is_none() && recomputed.is_empty() {
            return SignatureFact::Unjudged;
        }
        if let Some(hash) = &signed.hash
            && let Some((key, reading)) = self.holds(signed, hash, signature, scribe)
        {
            return SignatureFact::Holds { key, reading, over: None };
        }
        for (over, digest) in recomputed {
            if Some(digest) != signed.hash.as_ref()
                && let Some((key, reading)) = self.holds(signed, digest, signature, scribe)
            {
                return SignatureFact::Holds { key, reading, over: Some(over) };
            }
        }
        SignatureFact::Fails
    }

    fn holds(
        &mut self,
        signed: &Signed<'_>,
        digest: &Digest,
        signature: &[u8; SIGNATURE_BYTES],
        scribe: &mut Scribe,
    ) -> Option<(KeyIndex, Reading)> {
        let axis = &self.plan.signature.as_ref()?.message;
        let (settled, likely) = (self.recipe.signature, self.likely);
        let readings =
            (0..).zip(&axis.readings).filter(|(reading, _)| settled.is_none_or(|settled| settled == *reading));
        for (reading, parts) in readings {
            self.message.clear();
            let form = &self.plan.digest_form;
            scribe.write(parts, signed.row.root(), signed.prev.as_ref(), Some(digest), form, &mut self.message)?;
            let by_likelihood = |wanted: bool| self.keys.numbered().filter(move |(key, _)| (*key == likely) == wanted);
            for (key, trusted) in by_likelihood(true).chain(by_likelihood(false)) {
                if algorithm::verify(&Scheme::Ed25519, &trusted.key, &self.message, signature) {
                    self.likely = key;
                    return Some((key, reading));
                }
            }
        }
        None
    }
}
