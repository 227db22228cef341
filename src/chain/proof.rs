//! The walk's judgement on what a row proves by itself: its digest and its signature.
//!
//! A worker has said what the bytes prove in each reading and under which key. Decided here: in which reading
//! the export is, and whether a key that a signature holds under may sign in this chain.

use super::judge::Subject;
use super::walk::Walk;
use crate::fact::{DigestFact, Facts, KeyIndex, Reading, SignatureFact};
use crate::finding::{Code, Finding, Tally};

/// What is found of a row whose key may not vouch for it.
const OTHERS_KEY: &str = "holds under a key that is bound to another chain";

/// What the walk makes of a signature that a worker has looked at.
#[derive(Clone, Copy)]
enum Signed {
    /// It holds under this key.
    By(KeyIndex),
    /// It holds under a key that may not sign for the chain.
    NotPermitted,
    /// It holds under no key in the reading of the export.
    Fails,
}

impl Walk<'_> {
    /// Settle the reading of digests if this row does, and compare its digest with what it states.
    pub(super) fn digest(&mut self, facts: &Facts, index: usize) -> Option<Finding> {
        let settled = &mut self.recipe.hash;
        if let (DigestFact::Readings(digests), Some(hash), None) = (&facts.digest, facts.hash, *settled) {
            *settled = digests.iter().position(|digest| *digest == hash).map(|reading| reading as Reading);
        }
        if let (None, SignatureFact::Holds { over: Some(reading), .. }) = (*settled, facts.signature) {
            // A signature over a digest proves its reading as well as the row's own text would.
            *settled = Some(reading);
        }
        let (hash, chain) = (facts.hash?, self.directory.chains.get(index)?);
        let computed = match &facts.digest {
            DigestFact::Unknown => return None,
            DigestFact::Fits => Some(hash),
            DigestFact::Recomputed(digest) => Some(*digest),
            DigestFact::Readings(digests) => digests.get(usize::from(settled.unwrap_or_default())).copied(),
        };
        self.totals.digests += 1;
        let computed = computed.filter(|computed| *computed != hash)?;
        let subject = Subject { facts, chain, rules: self.rules };
        let finding = subject.finding(Code::HashMismatch);
        Some(finding.expected(subject.text(&computed)).found(subject.text(&hash)))
    }

    pub(super) fn signature(&mut self, facts: &Facts, index: usize, tally: &mut Tally) {
        let Some(chain) = self.directory.chains.get_mut(index) else { return };
        if facts.key_id.is_none() && !self.rules.has_key_for(chain.name.as_deref()) {
            // That keys of other chains do not fit says nothing of it.
            chain.unkeyed |= facts.signature != SignatureFact::Unjudged || !facts.also.is_empty();
            return;
        }
        let verdict = match facts.signature {
            SignatureFact::Unjudged if self.rules.permits_row(facts, None, chain.name.as_deref()) => return,
            SignatureFact::Unjudged => {
                // The MAC that is the row's digest, or another of its signatures.
                let code = if facts.signed { Code::SignatureInvalid } else { Code::HashMismatch };
                self.totals.unpermitted += 1;
                let subject = Subject { facts, chain, rules: self.rules };
                return tally.push(subject.finding(code).found(OTHERS_KEY));
            }
            SignatureFact::Fails => Signed::Fails,
            // A worker that knows the readings of the export tries no other; what one that did not know
            // them has found in another must lead to the same.
            SignatureFact::Holds { over: Some(over), .. } if self.recipe.hash.unwrap_or_default() != over => {
                Signed::Fails
            }
            SignatureFact::Holds { reading, .. } if *self.recipe.signature.get_or_insert(reading) != reading => {
                Signed::Fails
            }
            SignatureFact::Holds { key, .. } if self.rules.permits_row(facts, Some(key), chain.name.as_deref()) => {
                Signed::By(key)
            }
            SignatureFact::Holds { .. } => Signed::NotPermitted,
        };
        self.totals.signatures += 1;
        if let (Some(key_id), true) = (&facts.key_id, !matches!(verdict, Signed::By(_)))
            && !self.rules.knows(key_id, chain.name.as_deref())
        {
            let subject = Subject { facts, chain, rules: self.rules };
            return tally.push(subject.finding(Code::UnknownKey).found(&**key_id));
        }
        let back = matches!(verdict, Signed::By(key) if chain.rotation.comes_back(key));
        let subject = Subject { facts, chain, rules: self.rules };
        match verdict {
            Signed::By(_) if back => tally.push(subject.finding(Code::KeysInterleaved)),
            Signed::By(_) => {}
            Signed::Fails => tally.push(subject.finding(Code::SignatureInvalid)),
            Signed::NotPermitted => {
                self.totals.unpermitted += 1;
                tally.push(subject.finding(Code::SignatureInvalid).found(OTHERS_KEY));
            }
        }
        if let Signed::By(key) = verdict {
            self.credit(key, 1);
        }
    }
}
