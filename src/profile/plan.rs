//! The plan: what is done with every row, decided once.

use std::collections::BTreeSet;

use super::parts::Part;
use crate::algorithm::SignatureAlgorithm;
use crate::digest::DigestAlgorithm;
use crate::encoding::TextForm;
use crate::fact::{Digest, Reading, Recipe};
use crate::row::Value;
use crate::stop::{Stop, StopCode};

/// A compiled profile.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The profile's name.
    pub name: String,
    /// What the format is, in a line.
    pub about: String,
    /// Where it came from.
    pub source: Source,
    /// SHA-256 of its TOML text, hex.
    pub sha256: String,
    /// Where the chain's members are.
    pub fields: Fields,
    /// How a digest is written in a row.
    pub digest_form: TextForm,
    /// The digest algorithm.
    pub digest: DigestAlgorithm,
    /// Members that no preimage covers: anyone can change them.
    pub uncovered: Vec<String>,
    /// What is hashed.
    pub hash: Axis,
    /// What is signed and how, if rows are signed.
    pub signature: Option<SignaturePlan>,
    /// The link of a first row.
    pub genesis: Digest,
    /// The numbers a first row may have.
    pub sequence_starts: Vec<u64>,
    /// How far apart neighbouring numbers are.
    pub sequence_step: u64,
    /// Rows that reverse an earlier one.
    pub reversal: Option<ReversalPlan>,
    /// How a manifest is read.
    pub head: Option<HeadPlan>,
}

/// Where a profile came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is part of this program.
    Builtin,
    /// The user named a file.
    File,
}

impl Source {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Source::Builtin => "builtin",
            Source::File => "file",
        }
    }
}

/// A dotted path to a member of a row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Path {
    pieces: Vec<String>,
}

impl Path {
    /// Of a text such as `result.items.0`.
    pub fn new(text: &str) -> Self {
        Path { pieces: text.split('.').map(str::to_owned).collect() }
    }

    /// The member of this row.
    pub fn find<'r>(&self, row: Value<'r>) -> Option<Value<'r>> {
        row.path(&self.pieces)
    }

    /// As it stands in the profile.
    pub fn text(&self) -> String {
        self.pieces.join(".")
    }
}

/// Where the members are that hold a chain together.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The sequence number.
    pub sequence: Path,
    /// The predecessor's digest.
    pub prev: Path,
    /// The row's own digest.
    pub hash: Path,
    /// The time stamp.
    pub timestamp: Option<Path>,
    /// The name of the chain.
    pub group: Option<Path>,
}

/// Something that a format's description leaves open, with its readings, the default first.
#[derive(Clone, Debug)]
pub struct Axis {
    /// What is left open; empty where nothing is.
    pub name: String,
    /// The names of the readings.
    pub names: Vec<String>,
    /// The bytes of each reading.
    pub readings: Vec<Vec<Part>>,
}

/// How rows are signed.
#[derive(Clone, Debug)]
pub struct SignaturePlan {
    /// The algorithm.
    pub algorithm: SignatureAlgorithm,
    /// The member that holds the signature.
    pub field: Path,
    /// How it is written.
    pub form: TextForm,
    /// What is signed.
    pub message: Axis,
}

/// Which rows reverse an earlier one.
#[derive(Clone, Debug)]
pub struct ReversalPlan {
    /// The member that names the reversed sequence.
    pub target: Path,
    /// The member that makes a row a reversal,
    pub when: Path,
    /// if it holds this text.
    pub equals: String,
    /// The member that is false where the undo did not restore what it should.
    pub restored: Option<Path>,
}

/// Where the members of a manifest are.
#[derive(Clone, Debug)]
pub struct HeadPlan {
    /// The chain it is about.
    pub group: Path,
    /// How many rows there are.
    pub count: Path,
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

/// How a manifest is signed.
#[derive(Clone, Debug)]
pub struct HeadSignature {
    /// The member that holds the signature.
    pub field: Path,
    /// How it is written.
    pub form: TextForm,
    /// What is signed.
    pub message: Vec<Part>,
}

impl Axis {
    fn settled(&self) -> Option<Reading> {
        (self.readings.len() == 1).then_some(0)
    }

    fn reading(&self, name: &str) -> Option<Reading> {
        self.names.iter().position(|known| known == name).and_then(|index| Reading::try_from(index).ok())
    }

    fn choices(&self) -> String {
        format!("{}={}", self.name, self.names.join("|"))
    }
}

impl Plan {
    /// The readings that are settled before any row is seen.
    pub fn settled(&self) -> Recipe {
        Recipe {
            hash: self.hash.settled(),
            signature: self.signature.as_ref().map_or(Some(0), |signature| signature.message.settled()),
        }
    }

    /// The readings that `text` pins (`prev=raw,signed=text`, or one half).
    ///
    /// # Errors
    ///
    /// A usage stop for an axis or a reading that the profile does not have.
    pub fn pinned(&self, text: &str) -> Result<Recipe, Stop> {
        let mut recipe = self.settled();
        let mut axes = BTreeSet::new();
        for half in text.split(',').map(str::trim) {
            let (axis, name) = half.split_once('=').unwrap_or((half, ""));
            let twice = !axes.insert(axis);
            let reading = match &self.signature {
                _ if twice => None,
                _ if axis == self.hash.name => self.hash.reading(name).map(|reading| recipe.hash = Some(reading)),
                Some(signature) if axis == signature.message.name => {
                    signature.message.reading(name).map(|reading| recipe.signature = Some(reading))
                }
                _ => None,
            };
            if reading.is_none() {
                let choices: Vec<String> = self.open_axes().map(Axis::choices).collect();
                let hint = match choices.is_empty() {
                    true => format!("the profile {} has one reading only", self.name),
                    false => format!("the profile {} has: {}", self.name, choices.join(" and ")),
                };
                return Err(
                    Stop::new(StopCode::Usage, format!("--recipe {text}: there is no reading {half}")).hint(hint)
                );
            }
        }
        Ok(recipe)
    }

    /// The readings by name, as `prev=raw, signed=raw`; empty for a format with one reading.
    pub fn recipe_text(&self, recipe: Recipe) -> String {
        let signature = self.signature.as_ref().map(|signature| (&signature.message, recipe.signature));
        let axes = [Some((&self.hash, recipe.hash)), signature];
        let named = axes.into_iter().flatten().filter(|(axis, _)| !axis.name.is_empty()).map(|(axis, reading)| {
            let name = axis.names.get(usize::from(reading.unwrap_or_default()));
            format!("{}={}", axis.name, name.map_or("", String::as_str))
        });
        named.collect::<Vec<String>>().join(", ")
    }

    fn open_axes(&self) -> impl Iterator<Item = &Axis> {
        let signature = self.signature.as_ref().map(|signature| &signature.message);
        [Some(&self.hash), signature].into_iter().flatten().filter(|axis| !axis.name.is_empty())
    }
}
