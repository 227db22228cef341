//! The walk's judgement on what a row proves by itself: its digest and its signature.
//!
//! A worker has said what the bytes prove in each reading and under which key. Decided here: in which reading
//! the export is, and whether a key that a signature holds under may sign in this chain.

use std::sync::Arc;

use super::judge::Subject;
use super::walk::Walk;
use crate::fact::{DigestFact, Facts, KeyIndex, Place, Reading, SignatureFact};
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
        match self.rules.vouched.covers(facts.place) {
            true => self.totals.vouched += 1,
            false => self.totals.digests += 1,
        }
        let computed = computed.filter(|computed| *computed != hash)?;
        let subject = Subject { facts, chain, rules: self.rules };
        let finding = subject.finding(Code::HashMismatch);
        Some(finding.expected(subject.text(&computed)).found(subject.text(&hash)))
    }

    /// Judge the signature of a row, and count it.
    pub(super) fn signature(&mut self, facts: &Facts, index: usize, tally: &mut Tally) {
        self.go_on(facts.place, index);
        self.judge_signature(facts, index, tally);
        // Also where the row has no signature that is judged: MACs of digests have keys, too.
        facts.also.iter().for_each(|&key| self.credit(facts.place, key, 1));
    }

    fn judge_signature(&mut self, facts: &Facts, index: usize, tally: &mut Tally) {
        let vouched = self.rules.vouched.covers(facts.place);
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
        self.totals.signatures += u64::from(!vouched);
        if let (Some(key_id), true) = (&facts.key_id, !matches!(verdict, Signed::By(_)))
            && !self.rules.knows(key_id, chain.name.as_deref())
        {
            let subject = Subject { facts, chain, rules: self.rules };
            return tally.push(subject.finding(Code::UnknownKey).found(&**key_id));
        }
        let back = matches!(verdict, Signed::By(key) if chain.rotation.comes_back(key));
        let subject = Subject { facts, chain, rules: self.rules };
        match verdict {
            // What the earlier report says of that counts for all of its rows.
            Signed::By(_) if vouched => {}
            Signed::By(_) if back => tally.push(subject.finding(Code::KeysInterleaved)),
            Signed::By(_) => {}
            Signed::Fails => tally.push(subject.finding(Code::SignatureInvalid)),
            Signed::NotPermitted => {
                self.totals.unpermitted += 1;
                tally.push(subject.finding(Code::SignatureInvalid).found(OTHERS_KEY));
            }
        }
        if let Signed::By(key) = verdict {
            self.credit(facts.place, key, 1);
        }
    }

    /// Where the row is the first of its chain behind what an earlier report vouches for: go on with the keys that
    /// signed there, of which not every row was looked at.
    fn go_on(&mut self, place: Place, index: usize) {
        let vouched = &self.rules.vouched;
        let Some(chain) = self.directory.chains.get(index) else { return };
        if vouched.covers(place) || !vouched.covers(chain.place) {
            return;
        }
        let bound = |key: &KeyIndex| self.rules.bindings.get(usize::from(key.0)).map_or(&[][..], Vec::as_slice);
        let is_other = |name: &Arc<str>| {
            let mut chains = self.directory.chains.iter().filter_map(|chain| chain.name.as_ref());
            Some(name) != chain.name.as_ref() && chains.any(|chain| chain == name)
        };
        // A key that is bound to other chains has signed nothing here.
        let elsewhere = |key: &&KeyIndex| !bound(key).is_empty() && bound(key).iter().all(is_other);
        let signers: Vec<KeyIndex> = vouched.signers().iter().filter(|key| !elsewhere(key)).copied().collect();
        if let Some(chain) = self.directory.chains.get_mut(index) {
            chain.rotation.go_on(&signers);
        }
    }

    /// Count rows behind one whose like they are: the last of them stands at this place.
    pub(super) fn proven(
        &mut self,
        place: Place,
        (key, also): (Option<KeyIndex>, &[KeyIndex]),
        (signed, unkeyed): (bool, bool),
        rows: u64,
    ) {
        let vouched = self.rules.vouched.covers(place);
        let digests = if vouched { &mut self.totals.vouched } else { &mut self.totals.digests };
        *digests += rows;
        self.totals.signatures += if key.is_some() && !vouched { rows } else { 0 };
        key.iter().chain(also).for_each(|&key| self.credit(place, key, rows));
        self.signed(place, signed, unkeyed, rows);
    }

    /// Count rows with or without a signature.
    pub(super) fn signed(&mut self, place: Place, signed: bool, unkeyed: bool, rows: u64) {
        let vouched = self.rules.vouched.covers(place);
        let count = if vouched { &mut self.totals.vouched_signed } else { &mut self.totals.signed };
        *count += if signed { rows } else { 0 };
        self.totals.unkeyed += if unkeyed { rows } else { 0 };
    }

    /// Rows were verified by this key, now and not by an earlier report.
    fn credit(&mut self, place: Place, key: KeyIndex, rows: u64) {
        if self.rules.vouched.covers(place) {
            return;
        }
        if let Some(count) = self.totals.key_rows.get_mut(usize::from(key.0)) {
            *count += rows;
        }
    }
}
