//! Looking on while a row is checked.
//!
//! An explanation must show what was checked and not something like it, so it is told by the code that
//! checks. Where nobody looks on, which is always but there, nothing of it is left in the program.

use crate::digest::DigestAlgorithm;
use crate::fact::{Digest, DigestFact, KeyIndex, Reading};
use crate::profile::{HashRule, Material};

/// Looks on while a row is checked. Calls come in the order of the checks.
pub trait Witness {
    /// Whether anybody looks on; each value is kept as it is written then.
    const WATCHES: bool = true;

    /// A digest was computed, in one reading and under one secret.
    fn digest(&mut self, seen: &DigestSeen<'_>) {
        let _ = seen;
    }

    /// A signature was tried under one key, over one message.
    fn attempt(&mut self, seen: &AttemptSeen<'_>) {
        let _ = seen;
    }

    /// A signature that can be read was judged under all the keys.
    fn signature(&mut self, seen: &SignatureSeen<'_>) {
        let _ = seen;
    }

    /// A member that is a digest of something else was compared.
    fn bind(&mut self, seen: &BindSeen<'_>) {
        let _ = seen;
    }

    /// All of the row was checked.
    fn row(&mut self, seen: &RowSeen<'_>) {
        let _ = seen;
    }
}

/// Nobody looks on.
impl Witness for () {
    const WATCHES: bool = false;
}

/// A computed digest.
#[derive(Clone, Copy, Debug)]
pub struct DigestSeen<'a> {
    /// In which reading.
    pub reading: Reading,
    /// By which rule.
    pub rule: &'a HashRule,
    /// The algorithm, also where the row names it.
    pub algorithm: DigestAlgorithm,
    /// The secret, of a MAC.
    pub key: Option<KeyIndex>,
    /// The bytes.
    pub preimage: &'a [u8],
    /// What they hash to.
    pub digest: &'a Digest,
}

/// A signature under one key.
#[derive(Clone, Copy, Debug)]
pub struct AttemptSeen<'a> {
    /// The rule, by its place among those of a reading.
    pub rule: usize,
    /// In which reading.
    pub reading: Reading,
    /// The key.
    pub key: KeyIndex,
    /// Over these bytes.
    pub message: &'a [u8],
    /// It holds.
    pub holds: bool,
}

/// A signature that can be read.
#[derive(Clone, Copy, Debug)]
pub struct SignatureSeen<'a> {
    /// The rule, by its place among those of a reading.
    pub rule: usize,
    /// The bytes that its text encodes; of an SSH signature its text.
    pub bytes: &'a [u8],
    /// Its key was given: it was judged.
    pub judged: bool,
}

/// A bound member.
#[derive(Clone, Copy, Debug)]
pub struct BindSeen<'a> {
    /// The rule, by its place in the plan's list.
    pub bind: usize,
    /// The digest of what it must be one of, as the row writes it.
    pub computed: &'a str,
    /// It is what the row states.
    pub holds: bool,
}

/// A row that was checked.
#[derive(Clone, Copy, Debug)]
pub struct RowSeen<'a> {
    /// What its parts were written from.
    pub material: Material<'a>,
    /// What it states as its digest, where that can be read.
    pub hash: Option<&'a Digest>,
    /// How its digest came out.
    pub digest: &'a DigestFact,
    /// The rule of the hash that it follows, in which reading.
    pub rule: Option<(Reading, &'a HashRule)>,
}
