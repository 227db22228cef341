//! The rules of a plan: what is hashed, signed and bound, and what an anchor file holds.

use std::collections::BTreeMap;
use std::sync::Arc;

use crate::algorithm::{KeyWish, Scheme};
use crate::canonical::{Select, Test};
use crate::digest::DigestAlgorithm;
use crate::encoding::{Encoding, TextForm};
use crate::profile::field::{Field, Found, Path};
use crate::profile::parts::Part;
use crate::profile::view::View;

/// A condition on a member of a row.
#[derive(Clone, Debug)]
pub struct When {
    pub(in crate::profile) field: Field,
    pub(in crate::profile) test: Test,
}

impl When {
    /// Whether it holds for this row.
    pub fn holds(&self, view: &View<'_>) -> bool {
        match self.field.find(view) {
            Some(Found::Text(text)) => self.test.holds_text(Some(text)),
            Some(Found::Value(value)) => self.test.holds(Some(value)),
            None => self.test.holds(None),
        }
    }
}

/// What is hashed, for the rows that fit.
#[derive(Clone, Debug)]
pub struct HashRule {
    /// The rows that it is for; all of them without it.
    pub when: Option<When>,
    /// How.
    pub algorithm: Algorithm,
    /// The secret, for a MAC.
    pub key: Option<RoleIndex>,
    /// The bytes.
    pub preimage: Vec<Part>,
    /// How the digest is written.
    pub form: TextForm,
}

/// A digest algorithm, fixed or named by the row.
#[derive(Clone, Debug)]
pub enum Algorithm {
    /// This one.
    Fixed(DigestAlgorithm),
    /// The one that a member of the row names.
    Named {
        /// The member.
        field: Field,
        /// What the names mean.
        names: BTreeMap<String, DigestAlgorithm>,
        /// The algorithm where the member is absent.
        default: Option<DigestAlgorithm>,
    },
}

impl Algorithm {
    /// The lengths that its digests can have, in bytes.
    pub(in crate::profile) fn lengths(&self) -> Vec<usize> {
        match self {
            Algorithm::Fixed(algorithm) => vec![algorithm.length()],
            Algorithm::Named { names, default, .. } if !names.is_empty() => {
                names.values().chain(default).map(|algorithm| algorithm.length()).collect()
            }
            Algorithm::Named { .. } => DigestAlgorithm::ALL.iter().map(|algorithm| algorithm.length()).collect(),
        }
    }

    /// Whether a row's digest is, or may be, of this algorithm.
    pub(in crate::profile) fn may_be(&self, algorithm: DigestAlgorithm) -> bool {
        match self {
            Algorithm::Fixed(fixed) => *fixed == algorithm,
            Algorithm::Named { names, .. } if names.is_empty() => !algorithm.is_mac(),
            Algorithm::Named { names, default, .. } => names.values().chain(default).any(|named| *named == algorithm),
        }
    }

    /// Whether it is, or may be, a MAC.
    pub(in crate::profile) fn is_mac(&self) -> bool {
        match self {
            Algorithm::Fixed(algorithm) => algorithm.is_mac(),
            Algorithm::Named { names, default, .. } => names.values().chain(default).any(|named| named.is_mac()),
        }
    }

    /// The algorithm of this row; what the member says instead where that is none.
    pub fn of<'r>(&self, view: &View<'r>) -> Result<DigestAlgorithm, Option<Found<'r>>> {
        let (field, names, default) = match self {
            Algorithm::Fixed(algorithm) => return Ok(*algorithm),
            Algorithm::Named { field, names, default } => (field, names, default),
        };
        let found = field.find(view);
        let Some(text) = found.and_then(Found::as_str) else {
            return default.filter(|_| found.is_none()).ok_or(found);
        };
        let ours = || DigestAlgorithm::named(text).filter(|algorithm| names.is_empty() && !algorithm.is_mac());
        names.get(text).copied().or_else(ours).ok_or(found)
    }
}

/// A key that the profile asks for, by its place in the plan's list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RoleIndex(pub usize);

/// A key that the profile asks for. Several of one name are the same key, used in several ways.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Role {
    /// Its name; `None` for the only one of a profile that names none.
    pub name: Option<Arc<str>>,
    /// What kind of key, and how its file is read.
    pub wish: KeyWish,
}

/// What is signed, for the rows that fit.
#[derive(Clone, Debug)]
pub struct SignatureRule {
    /// The rows that it is for; all of them without it.
    pub when: Option<When>,
    /// The member that holds the signature.
    pub field: Field,
    /// Whether a row that fits must have it.
    pub required: bool,
    /// What it is judged by, but for the key.
    pub scheme: Scheme,
    /// How the signature is written.
    pub form: TextForm,
    /// What is signed.
    pub message: Vec<Part>,
    /// Whose key.
    pub key: RoleIndex,
    /// A key that the row names.
    pub pin: Option<PinField>,
}

/// A key that the row names, which must be the trusted one.
#[derive(Clone, Debug)]
pub struct PinField {
    /// The member.
    pub field: Field,
    /// How it is written.
    pub encoding: Encoding,
    /// Leading bytes that are not the key's.
    pub skip: usize,
}

/// A member that is the digest of something else.
#[derive(Clone, Debug)]
pub struct Bind {
    /// The rows that it is for.
    pub when: Option<When>,
    /// The member.
    pub field: Field,
    /// The digest.
    pub algorithm: DigestAlgorithm,
    /// How it is written.
    pub form: TextForm,
    /// What it is a digest of.
    pub bound: Bound,
}

/// What a bound member is the digest of.
#[derive(Clone, Debug)]
pub enum Bound {
    /// These bytes of the row.
    Parts(Vec<Part>),
    /// A file in the folder of the export, whose path these are together.
    File(Vec<FilePiece>),
}

/// A piece of the path of a bound file.
#[derive(Clone, Debug)]
pub enum FilePiece {
    /// This text.
    Text(String),
    /// `{hex}`: the digest that the row states, as lower-case hex digits.
    Hex,
    /// `{NAME}`: the text of this member.
    Member(Field),
}

/// Which rows reverse an earlier one.
#[derive(Clone, Debug)]
pub struct ReversalPlan {
    /// The member that names the reversed sequence.
    pub target: Field,
    /// What makes a row a reversal.
    pub when: When,
    /// The member that is false where the undo did not restore what it should.
    pub restored: Option<Field>,
}

/// Which rows declare a break, and where they say of what.
#[derive(Clone, Debug)]
pub struct DeclaredPlan {
    /// What makes a row a declaration: a member equals `text`.
    pub when: When,
    /// The text of that member. It must stand in the line as it is.
    pub text: String,
    /// The number of the line that is excused.
    pub line: Field,
    /// The SHA-256 of that line's text, in 64 lower-case hex digits.
    pub sha256: Field,
    /// The reason, which must not be blank.
    pub why: Field,
    /// What the chain goes on from, after a row without link.
    pub resume: Option<Field>,
}

/// How an anchor file is read.
#[derive(Clone, Debug)]
pub enum HeadPlan {
    /// The whole file, trimmed, is the head.
    Text,
    /// JSON.
    Json(Box<HeadFields>),
}

/// How a witness keeps its pins. What it means is in `trust::witness`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreForm {
    /// `pin-chain`: one JSON object a line, each with the digest of the one before it.
    PinChain,
}

/// Where the members of an anchor file are.
#[derive(Clone, Debug)]
pub struct HeadFields {
    /// The chain it is about.
    pub group: Option<Path>,
    /// How many rows there are.
    pub count: Option<Path>,
    /// The first row's number.
    pub first_sequence: Option<Path>,
    /// The last row's number.
    pub last_sequence: Option<Path>,
    /// The last row's digest.
    pub hash: Path,
    /// When it was made.
    pub exported_at: Option<Path>,
    /// SHA-256 of the export.
    pub file_sha256: Option<Path>,
    /// How it is signed.
    pub signature: Option<HeadSignature>,
}

/// How an anchor file is signed.
#[derive(Clone, Debug)]
pub struct HeadSignature {
    /// The member that holds the signature.
    pub field: Path,
    /// What it is judged by, but for the key.
    pub scheme: Scheme,
    /// How it is written.
    pub form: TextForm,
    /// What is signed.
    pub message: Vec<Part>,
    /// Whose key.
    pub key: RoleIndex,
}

/// What is covered of the rows that follow a rule of the hash.
#[derive(Clone, Debug, Default)]
pub struct Covered {
    /// What preimages and messages select.
    pub selections: Vec<Select>,
    /// Members that enter by themselves, or are judged by themselves.
    pub members: Vec<Field>,
    /// The line as it stands.
    pub line: bool,
    /// Text of the line that is in no member may differ, and nothing covers it.
    pub beside_members: bool,
}

impl Covered {
    /// Add what these parts cover. `line` says whether the line holds the row: where a sidecar does, the
    /// line's bytes cover none of its members.
    pub(in crate::profile) fn add(&mut self, parts: &[Part], line: bool) {
        for part in parts {
            match part {
                Part::Json(json) if json.within.is_none() => self.selections.push(json.select.clone()),
                Part::Member(member) if member.field.is_whole() => self.members.push(member.field.clone()),
                // The line is everything.
                Part::Line if line => {
                    self.line = true;
                    self.selections.push(Select::default());
                }
                Part::Digest { of, .. } | Part::Framed { of, .. } => self.add(of, line),
                // Of a text that an expression takes apart the rest is open, and what reads inside JSON
                // text does not cover its spelling.
                Part::Json(_) | Part::Member(_) | Part::Bytes(_) | Part::Line | Part::Prev(_) | Part::Hash(_) => {}
            }
        }
    }
}
