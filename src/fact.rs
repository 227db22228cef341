//! The small facts that travel between the floors of the house.
//!
//! `check` turns a row into [`Facts`]; `chain` judges them in file order; `trust` compares the
//! ends of chains with what stands outside the export. Nothing here decides anything: these are
//! the refined types, so that past this point nobody handles bare bytes and numbers.

mod anchor;

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use sha2::{Digest as _, Sha256};

use crate::encoding::TextForm;
use crate::finding::Finding;
pub use crate::place::Place;
pub use anchor::{AnchorFacts, AnchorKind, AnchorMember, AnchorVerdict, DeclaredFacts, ExpectationFacts, WitnessFacts};

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

/// What a row is named by: a digest of 64 bytes at most (SHA-512), a text where a format links rows by one,
/// or the mark of a chain's beginning.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Digest {
    kind: Kind,
    length: u8,
    bytes: [u8; 64],
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Kind {
    /// The bytes of a digest, or of a text.
    Bytes,
    /// The SHA-256 of a text that is longer than 64 bytes.
    LongText,
    /// No row.
    Genesis,
}

impl Digest {
    /// What a first row states as its predecessor, however its format writes that.
    pub const GENESIS: Digest = Digest { kind: Kind::Genesis, length: 0, bytes: [0; 64] };

    /// A digest of these bytes; `None` if there are more than 64.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let mut digest = Digest { kind: Kind::Bytes, length: u8::try_from(bytes.len()).ok()?, bytes: [0; 64] };
        digest.bytes.get_mut(..bytes.len())?.copy_from_slice(bytes);
        Some(digest)
    }

    /// A name that is a text, most often of UTF-8.
    pub fn of_text(text: impl AsRef<[u8]>) -> Self {
        let text = text.as_ref();
        Digest::new(text).unwrap_or_else(|| {
            let mut digest = Digest { kind: Kind::LongText, length: 32, bytes: [0; 64] };
            digest.bytes[..32].copy_from_slice(&Sha256::digest(text));
            digest
        })
    }

    /// Whether a name that is this text gives it back: it is short, and UTF-8.
    pub fn holds_text(text: &[u8]) -> bool {
        text.len() <= 64 && std::str::from_utf8(text).is_ok()
    }

    /// The digest of `length` bytes that `text` is this form of; `None` if it is not.
    pub fn read(form: &TextForm, text: &str, length: usize) -> Option<Self> {
        let mut digest = Digest { kind: Kind::Bytes, length: u8::try_from(length).ok()?, bytes: [0; 64] };
        form.decode_into(text, digest.bytes.get_mut(..length)?)?;
        Some(digest)
    }

    /// Its bytes.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes[..usize::from(self.length)]
    }
}

impl From<[u8; 32]> for Digest {
    fn from(bytes: [u8; 32]) -> Self {
        let mut digest = Digest { kind: Kind::Bytes, length: 32, bytes: [0; 64] };
        digest.bytes[..32].copy_from_slice(&bytes);
        digest
    }
}

impl fmt::Debug for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&data_encoding::HEXLOWER.encode(self.bytes()))
    }
}

/// How a format writes what its rows are named by.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkForm {
    /// The form of all names but the genesis.
    pub names: NameForm,
    /// The text that stands for the genesis; empty where none does.
    pub genesis: String,
}

/// The form of names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameForm {
    /// Every digest is encoded in the same way, so that its text stands for its bytes.
    Encoded {
        /// The way.
        form: TextForm,
        /// How many bytes it may have: one length for each algorithm.
        lengths: Vec<usize>,
    },
    /// Rows are named by texts that are compared as they stand: digests in several forms or cut short,
    /// signatures.
    Text {
        /// What stands before and after the digits of a digest: one pair for each form.
        affixes: Vec<(String, String)>,
    },
}

impl LinkForm {
    /// What this text names; `None` if it is not in the form.
    pub fn decode(&self, text: &str) -> Option<Digest> {
        match &self.names {
            NameForm::Encoded { form, lengths } => lengths.iter().find_map(|&length| Digest::read(form, text, length)),
            NameForm::Text { .. } => (!text.is_empty()).then(|| Digest::of_text(text)),
        }
    }

    /// Whether every name is a digest, and stands for its bytes.
    pub fn is_encoded(&self) -> bool {
        matches!(self.names, NameForm::Encoded { .. })
    }

    /// The bytes of the digest, where the names of this form are digests.
    pub fn bytes<'d>(&self, digest: &'d Digest) -> Option<&'d [u8]> {
        match (&self.names, digest.kind) {
            (NameForm::Encoded { .. }, Kind::Bytes) => Some(digest.bytes()),
            _ => None,
        }
    }

    /// What stands before the bytes of every digest in what its text encodes.
    pub fn wrap(&self) -> &[u8] {
        match &self.names {
            NameForm::Encoded { form, .. } => &form.wrap,
            NameForm::Text { .. } => &[],
        }
    }

    /// What a name looks like, where all look alike.
    pub fn example(&self) -> Option<String> {
        match &self.names {
            NameForm::Encoded { form, lengths } => Some(form.encode(&vec![0xab; *lengths.first()?])),
            NameForm::Text { .. } => None,
        }
    }

    /// The digits alone of a text that is a digest's.
    pub fn bare<'t>(&self, text: &'t str) -> &'t str {
        let without = |prefix: &str, suffix: &str| text.strip_prefix(prefix)?.strip_suffix(suffix);
        let bare = match &self.names {
            NameForm::Encoded { form, .. } => without(&form.prefix, &form.suffix),
            NameForm::Text { affixes } => affixes.iter().find_map(|(prefix, suffix)| without(prefix, suffix)),
        };
        bare.unwrap_or(text)
    }

    /// The bytes of the text, as rows write it; of a long text its SHA-256.
    pub fn written<'d>(&'d self, digest: &'d Digest) -> Cow<'d, [u8]> {
        match (digest.kind, &self.names) {
            (Kind::Bytes, NameForm::Text { .. }) if std::str::from_utf8(digest.bytes()).is_ok() => {
                Cow::Borrowed(digest.bytes())
            }
            (Kind::Genesis, _) if !self.genesis.is_empty() => Cow::Borrowed(self.genesis.as_bytes()),
            _ => Cow::Owned(self.encode(digest).into_bytes()),
        }
    }

    /// The text, as rows write it; of a long text its SHA-256.
    pub fn encode(&self, digest: &Digest) -> String {
        match (digest.kind, &self.names) {
            (Kind::Genesis, _) if self.genesis.is_empty() => "no predecessor".to_owned(),
            (Kind::Genesis, _) => self.genesis.clone(),
            (Kind::LongText, _) => {
                format!("a text with the SHA-256 {}", data_encoding::HEXLOWER.encode(digest.bytes()))
            }
            (Kind::Bytes, NameForm::Encoded { form, .. }) => form.encode(digest.bytes()),
            (Kind::Bytes, NameForm::Text { .. }) => String::from_utf8_lossy(digest.bytes()).into_owned(),
        }
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
    /// Its number; `None` if missing or malformed (which is among `findings` then), or where rows have none.
    pub sequence: Option<Sequence>,
    /// The predecessor's digest that it states; `None` if that cannot be read. In a format whose rows do
    /// not state it, the one that its own digest was computed with.
    pub prev: Option<Digest>,
    /// Its own digest as stated, or as computed where rows do not state it; `None` if it cannot be read.
    pub hash: Option<Digest>,
    /// What the next row states, where that is not the digest.
    pub name: Option<Digest>,
    /// Escapes stand in `prev` or `hash`: the row's text does not hold the digest as it is written elsewhere.
    pub escaped: bool,
    /// What its preimage hashes to.
    pub digest: DigestFact,
    /// What its signature proves.
    pub signature: SignatureFact,
    /// Further keys that its signatures hold under, or that made its MAC.
    pub also: Vec<KeyIndex>,
    /// The key id that it names, if it names one.
    pub key_id: Option<Arc<str>>,
    /// Whether it carries a signature that its format asks for.
    pub signed: bool,
    /// Whether it has that, or a MAC in a format without signatures, so that not everybody could have written it.
    pub sealed: bool,
    /// Whether something of it needs a key that was not given.
    pub unkeyed: bool,
    /// What the row before was taken to leave, where something depends on that.
    pub before: Before,
    /// What it leaves for the next row, likewise.
    pub left: Option<Arc<Left>>,
    /// What does not equal a member of the row before that it must equal.
    pub unequal: Vec<Finding>,
    /// For a row that reverses an earlier one: the sequence it names, if it names one.
    pub reversal: Option<Option<Sequence>>,
    /// Its time stamp, if it has one that can be read (RFC 3339).
    pub time: Option<jiff::Timestamp>,
    /// What the ledger declares of it.
    pub declared: Option<Declared>,
    /// What is wrong with the row by itself.
    pub findings: Vec<Finding>,
}

impl Facts {
    /// Whether the row has the digest that it states, in one of the readings that are open.
    pub fn fits(&self) -> bool {
        match &self.digest {
            DigestFact::Fits => true,
            DigestFact::Readings(digests) => self.hash.is_some_and(|hash| digests.contains(&hash)),
            DigestFact::Recomputed(_) | DigestFact::Unknown => false,
        }
    }
}

/// What the ledger declares of a line, in declarations by their place in the list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Declared {
    /// The declaration that excuses it, and whether the text of the line is the one that it pins.
    pub excused_by: Option<(u32, bool)>,
    /// The declaration that it is, and was when declarations were collected.
    pub declares: Option<u32>,
}

/// What a row leaves for the next one of its chain, where that depends on more than a stated link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Left {
    /// What the row is named by.
    pub name: Option<Digest>,
    /// That as it is written, where the name does not hold it: a long text, or one that is not UTF-8.
    pub text: Option<Box<[u8]>>,
    /// The JSON texts of members that the profile carries on, in its order; `None` for one that is absent.
    pub members: Vec<Option<Box<str>>>,
}

/// The row before, as a row was checked with it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Before {
    /// Not known, or nothing depends on it.
    #[default]
    Unknown,
    /// There is none: this is a chain's first row.
    First,
    /// It left this.
    Row(Arc<Left>),
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
    /// A row without link and digest, in a format whose chain may start later than its first row.
    Unchained(Place, Option<Declared>),
}

/// A head that was seen earlier (`--head`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pin {
    /// The digest it states.
    pub digest: Digest,
    /// The sequence of the row that had it, where it is given.
    pub sequence: Option<Sequence>,
}

/// A head that was seen earlier, of the row that made it so many rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct CountPin {
    /// How many rows there were, from 1.
    pub rows: u64,
    /// The digest it states; `None` for a text that no row of the format can state.
    pub digest: Option<Digest>,
}
