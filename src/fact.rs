//! The small facts that travel between the floors of the house.
//!
//! `check` turns a row into [`Facts`]; `chain` judges them in file order; `trust` compares the
//! ends of chains with what stands outside the export. Nothing here decides anything: these are
//! the refined types, so that past this point nobody handles bare bytes and numbers.

use std::fmt;
use std::sync::Arc;

use crate::finding::Finding;
pub use crate::place::Place;

/// A sequence number: an integer from 0 to 2^53 − 1 (I-JSON's exact range, RFC 7493 §2.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Sequence(u64);

impl Sequence {
    /// The largest one.
    pub const MAX: u64 = (1 << 53) - 1;

    /// `number` as a sequence, if it is in range.
    pub fn new(number: u64) -> Option<Self> {
        (number <= Self::MAX).then_some(Sequence(number))
    }

    /// The number.
    pub fn get(self) -> u64 {
        self.0
    }
}

impl fmt::Display for Sequence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

/// The bytes of a digest, 64 at most (SHA-512).
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    length: u8,
    bytes: [u8; 64],
}

impl Digest {
    /// A digest of these bytes; `None` if there are more than 64.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut digest = Digest { length: u8::try_from(bytes.len()).ok()?, bytes: [0; 64] };
        digest.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(digest)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(self.bytes()))
    }
}

/// Which of the given keys, by its place in the keyring.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeyIndex(pub u16);

/// Which reading of a profile's axis (0 is the default, the others are its variants in order).
pub type Reading = u8;

/// What a row says and what its bytes prove, before its neighbours are known.
#[derive(Clone, Debug, PartialEq)]
pub struct Facts {
    /// Where the row stands.
    pub place: Place,
    /// The chain the row names, if it names one.
    pub group: Option<Arc<str>>,
    /// Its number; `None` if missing or malformed (which is among `findings` then).
    pub sequence: Option<Sequence>,
    /// The predecessor's digest that it states; `None` likewise.
    pub prev: Option<Digest>,
    /// Its own digest as stated; `None` likewise.
    pub hash: Option<Digest>,
    /// Escapes stand in `prev` or `hash`: the row's text does not hold the digest as it is written elsewhere.
    pub escaped: bool,
    /// What its preimage hashes to.
    pub digest: DigestFact,
    /// What its signature proves.
    pub signature: SignatureFact,
    /// For a row that reverses an earlier one: the sequence it names, if it names one.
    pub reversal: Option<Option<Sequence>>,
    /// Its time stamp, if it has one that can be read (RFC 3339).
    pub time: Option<jiff::Timestamp>,
    /// What is wrong with the row by itself.
    pub findings: Vec<Finding>,
}

/// What a row's preimage hashes to.
#[derive(Clone, Debug, PartialEq)]
pub enum DigestFact {
    /// The stated hash, in the reading that the export is in.
    Fits,
    /// This, in the reading that the export is in; the row states another hash or no readable one.
    Recomputed(Digest),
    /// One of these, by reading: the export's reading was not settled when the row was checked.
    Readings(Box<[Digest]>),
    /// Nothing: a part of the preimage cannot be read.
    Unknown,
}

/// What a row's signature proves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureFact {
    /// Nothing: there is none, it cannot be read, or no key was given.
    Unjudged,
    /// It holds.
    Holds {
        /// Under this key.
        key: KeyIndex,
        /// In this reading of what is signed.
        reading: Reading,
        /// Over the digest recomputed in this reading, where it does not hold over the stated one.
        over: Option<Reading>,
    },
    /// It holds under no key and in no reading.
    Fails,
}

/// Which readings an export is in, as far as its rows have settled it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Recipe {
    /// What is hashed.
    pub hash: Option<Reading>,
    /// What is signed.
    pub signature: Option<Reading>,
}

/// A line that holds a row, after it was checked by itself.
#[derive(Clone, Debug, PartialEq)]
pub enum Checked {
    /// A row.
    Row(Box<Facts>),
    /// Something that cannot be read as a row; the finding says why, and has a place.
    Unreadable(Place, Finding),
}

/// A head that was seen earlier (`--head`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The digest it states.
    pub digest: Digest,
    /// The sequence of the row that had it, where it is given.
    pub sequence: Option<Sequence>,
}

/// What an anchor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum AnchorKind {
    /// A manifest that the user named.
    Manifest,
    /// A manifest found beside the export.
    Sidecar,
    /// A head given with `--head`.
    Head,
}

impl AnchorKind {
    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            AnchorKind::Manifest | AnchorKind::Sidecar => "manifest",
            AnchorKind::Head => "head",
        }
    }
}

/// What an anchor proved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AnchorVerdict {
    /// It states what the export shows.
    Matches,
    /// It does not.
    Differs,
    /// It says nothing about the rows that were read.
    NotJudged,
}

impl AnchorVerdict {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            AnchorVerdict::Matches => "matches",
            AnchorVerdict::Differs => "differs",
            AnchorVerdict::NotJudged => "not judged",
        }
    }
}

/// An anchor and what it proved.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct AnchorFacts {
    /// What it is.
    pub kind: AnchorKind,
    /// What it proved.
    pub verdict: AnchorVerdict,
    /// Whether it carries a signature that holds under one of the keys.
    pub signed: bool,
    /// The chain it is about, where it says so.
    pub chain: Option<Arc<str>>,
    /// The sequence of the row it pins, where it says so or the row was found.
    pub sequence: Option<u64>,
    /// The digest it states, as text.
    pub head: String,
    /// When it was made, as it says itself.
    pub exported_at: Option<String>,
}

/// Something that the user expects of the export, and what it shows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ExpectationFacts {
    /// What is expected of: `rows`, `span` or `profile`.
    pub member: &'static str,
    /// What is expected, as the user wrote it.
    pub expected: String,
    /// What the export shows; `None` where it cannot show it.
    pub found: Option<String>,
    /// Whether it is met; `None` where the export was not read to its end.
    pub met: Option<bool>,
}
