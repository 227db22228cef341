//! What the teller hears of a row: what the walk has judged, in the few facts that stories need.

use std::sync::Arc;

use crate::fact::{Digest, Facts, Place, SignatureFact};
use crate::finding::{Class, Code, Finding};

/// A row, after the walk has judged it.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    /// What it says.
    pub facts: &'a Facts,
    /// Its chain, by its place in the walk's list.
    pub chain: usize,
    /// The chain's name.
    pub name: Option<&'a Arc<str>>,
    /// Which row of its chain it is, from 1, copies counted.
    pub ordinal: u64,
    /// The digest that its bytes prove, where one is known.
    pub head: Option<Digest>,
    /// The faults and bounds that the walk found on its line.
    pub findings: &'a [Finding],
}

/// A line that cannot be read.
#[derive(Clone, Copy, Debug)]
pub struct Unread {
    /// Where it stands.
    pub place: Place,
    /// Why.
    pub code: Code,
}

/// What a row's signature is worth.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signature {
    /// It holds over the digest that the row states.
    Holds,
    /// It holds over the digest that the content has, and the row states another one.
    OverContent,
    /// It holds under no key that may sign.
    Fails,
    /// There is none.
    Missing,
    /// It is not in the form that can be checked.
    Malformed,
    /// No key was given, or the format has none.
    Unjudged,
}

/// Where a row stands, by all the ways to say so.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct At {
    pub place: Place,
    pub ordinal: u64,
    pub sequence: Option<u64>,
}

/// The digests by which the next row may name a row: stated, proved by its bytes.
pub(super) type Names = [Option<Digest>; 2];

/// What is wrong with a row by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Mark {
    /// The content has another digest than the row states.
    pub digest: bool,
    /// A member is absent or malformed.
    pub fields: bool,
    /// The member that is damaged is the stated digest, and the content's own digest is known.
    pub digest_unread: bool,
    /// A member is damaged, but the content has the digest that the row states.
    pub sound: bool,
    /// It names another chain.
    pub mixed: bool,
    pub signature: Signature,
}

impl Row<'_> {
    pub(super) fn at(&self) -> At {
        let sequence = self.facts.sequence.map(|sequence| sequence.get());
        At { place: self.facts.place, ordinal: self.ordinal, sequence }
    }

    pub(super) fn names(&self) -> Names {
        [self.facts.hash, self.head]
    }

    /// The faults on its line.
    pub(super) fn faults(&self) -> impl Iterator<Item = &Finding> {
        self.findings.iter().filter(|finding| finding.code.class() == Class::Fault)
    }

    pub(super) fn fault(&self, codes: &[Code]) -> Option<&Finding> {
        self.faults().find(|finding| codes.contains(&finding.code))
    }

    pub(super) fn mark(&self) -> Mark {
        let has = |code| self.fault(&[code]).is_some();
        let signature = if has(Code::SignatureMissing) {
            Signature::Missing
        } else if has(Code::SignatureMalformed) || has(Code::SignatureAlgorithm) {
            Signature::Malformed
        } else if has(Code::SignatureInvalid) || has(Code::UnknownKey) {
            Signature::Fails
        } else {
            match self.facts.signature {
                SignatureFact::Holds { over: None, .. } => Signature::Holds,
                SignatureFact::Holds { .. } => Signature::OverContent,
                SignatureFact::Fails | SignatureFact::Unjudged => Signature::Unjudged,
            }
        };
        let fields = has(Code::FieldMissing) || has(Code::FieldMalformed);
        Mark {
            digest: has(Code::HashMismatch),
            fields,
            digest_unread: fields && self.facts.hash.is_none() && self.head.is_some(),
            sound: fields && self.facts.hash.is_some() && self.head == self.facts.hash,
            mixed: has(Code::ChainMixed),
            signature,
        }
    }
}

impl Mark {
    /// Whether anything is wrong at all.
    pub fn is_fault(self) -> bool {
        self.digest || self.fields || self.mixed || self.signature.is_fault()
    }
}

impl Signature {
    /// Whether it is a fault by itself.
    pub fn is_fault(self) -> bool {
        matches!(self, Signature::Fails | Signature::Missing | Signature::Malformed)
    }

    /// Whether it vouches for the content, as far as it was judged.
    pub fn is_good(self) -> bool {
        matches!(self, Signature::Holds | Signature::Unjudged)
    }
}
