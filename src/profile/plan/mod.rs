//! The plan: what is done with every row, decided once.

mod recipe;
mod rules;

use std::collections::BTreeMap;

pub use recipe::Axis;
pub use rules::{
    Algorithm, Bind, Bound, Covered, DeclaredPlan, FilePiece, HashRule, HeadFields, HeadPlan, HeadSignature, PinField,
    ReversalPlan, Role, RoleIndex, SignatureRule, StoreForm, When,
};

use super::field::{Field, Path};
use super::parts::{Part, mentions};
use super::pin::PinForm;
use crate::canonical::Form;
use crate::digest::DigestAlgorithm;
use crate::encoding::TextForm;
use crate::fact::LinkForm;
use crate::read::{self, LineEnds};
use crate::row::Dialect;
use crate::stop::{Stop, StopCode};

/// A compiled profile.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The profile's name.
    pub name: String,
    /// What the format is, in a line.
    pub about: String,
    /// Where the format comes from.
    pub homepage: String,
    /// The versions of it that were tried.
    pub versions: Vec<String>,
    /// Where the profile came from.
    pub source: Source,
    /// SHA-256 of its TOML text, hex.
    pub sha256: String,
    /// The shape of its rows.
    pub detect: Detect,
    /// What a file of rows looks like.
    pub input: Input,
    /// Where the chain's members are.
    pub fields: Fields,
    /// How links and digests are written.
    pub form: LinkForm,
    /// What is hashed: in each reading the rules, of which a row follows the first that it fits.
    pub hash: Axis<Vec<HashRule>>,
    /// What is signed: in each reading the rules, of which a row follows all that it fits.
    pub signature: Axis<Vec<SignatureRule>>,
    /// How rows hang together.
    pub chain: ChainPlan,
    /// Members that are digests of something else.
    pub binds: Vec<Bind>,
    /// Rows that reverse an earlier one.
    pub reversal: Option<ReversalPlan>,
    /// Rows that declare a break.
    pub declared: Option<DeclaredPlan>,
    /// How an anchor file is read.
    pub head: Option<HeadPlan>,
    /// How a pinned head is written, in a format that has a form of its own for it.
    pub pin: Option<PinForm>,
    /// How the pins of a witness are kept, in a format that has witnesses.
    pub witness: Option<StoreForm>,
    /// The keys that it takes, in the order in which the profile names them.
    pub roles: Vec<Role>,
    /// Members of the row before that something of the next row depends on.
    pub carried: Vec<Field>,
    /// Whether the preimage needs what only the walk knows: no member states the predecessor.
    pub late: bool,
    /// What is covered of a row, for each rule of the hash; empty where that does not depend on the row.
    pub covered: Vec<Covered>,
    /// Members that are left out by name and stand nowhere else, whether a row has them or not.
    pub left_out: Vec<String>,
    /// Whether every value must be kept as it is written.
    pub exact: bool,
    /// Whether numbers must be.
    pub verbatim: bool,
    /// Whether numbers are printed anew, so that digits can get lost.
    pub reprints: bool,
}

impl Plan {
    /// Take the genesis that the user gives, which a format leaves open or does not.
    ///
    /// # Errors
    ///
    /// A usage stop for one that is missing, and for one that the format does not ask for.
    pub fn settle_genesis(&mut self, given: Option<&str>) -> Result<(), Stop> {
        let stop = |why: String| Stop::new(StopCode::Usage, why);
        match (&self.chain.genesis, given) {
            (Genesis::Given, Some(text)) => {
                self.form.genesis = text.to_owned();
                self.chain.genesis = Genesis::Text(text.to_owned());
                Ok(())
            }
            (Genesis::Given, None) => {
                Err(stop(format!("the format {} leaves the link of a first row to the user", self.name))
                    .hint("give it with --genesis TEXT, as a first row states it"))
            }
            (_, Some(_)) => Err(stop(format!("--genesis: the format {} has a genesis of its own", self.name))
                .hint("leave it out: a first row that states another link is told as such")),
            (_, None) => Ok(()),
        }
    }

    /// Whether rows are signed.
    pub fn signs(&self) -> bool {
        self.signature.first().is_some_and(|rules| !rules.is_empty())
    }

    /// Whether a key can vouch for rows: they are signed, or some of their digests are MACs.
    pub fn seals(&self) -> bool {
        self.signs() || self.macs()
    }

    /// Whether some digests are MACs.
    pub fn macs(&self) -> bool {
        self.hash.readings.iter().flatten().any(|rule| rule.algorithm.is_mac())
    }

    /// Whether only some rows need a signature.
    pub fn signs_partly(&self) -> bool {
        let mut rules = self.signature.first().into_iter().flatten();
        self.signs() && !rules.any(|rule| rule.required && rule.when.is_none())
    }

    /// Whether the digests of some rows are MACs, and those of others need no secret. In a format without
    /// signatures these are what a signature is elsewhere: rows after the last MAC can be written by anyone.
    pub fn macs_partly(&self) -> bool {
        let partly = |rules: &Vec<HashRule>| {
            rules.iter().any(|rule| rule.algorithm.is_mac()) && rules.iter().any(|rule| rule.algorithm.is_open())
        };
        !self.signs() && self.hash.readings.iter().any(partly)
    }

    /// Whether SHA-1 vouches for anything, of which two texts with one digest can be made.
    pub fn uses_sha1(&self) -> bool {
        let sha1 = |algorithm: &DigestAlgorithm| *algorithm == DigestAlgorithm::Sha1;
        let within = |part: &Part| matches!(part, Part::Digest { algorithm, .. } if sha1(algorithm));
        let sealed = match &self.head {
            Some(HeadPlan::Json(head)) => head.signature.as_ref().map(|signed| signed.message.as_slice()),
            Some(HeadPlan::Text) | None => None,
        };
        self.hash.readings.iter().flatten().any(|rule| rule.algorithm.may_be(DigestAlgorithm::Sha1))
            || self.binds.iter().any(|bind| sha1(&bind.algorithm))
            || matches!(&self.chain.genesis, Genesis::Digest { algorithm, .. } if sha1(algorithm))
            || row_parts(&self.hash, &self.signature, &self.binds, &self.chain.genesis)
                .chain(sealed)
                .any(|parts| mentions(parts, &within))
    }

    /// Whether anything of a row depends on more of the row before than a link that it states.
    pub fn carries(&self) -> bool {
        self.late || !self.carried.is_empty()
    }

    /// Whether what a row states as its digest is all that the rows behind it need of it: it is neither a MAC, which
    /// shows a key, nor does anything else depend on the row before.
    pub fn states_digests(&self) -> bool {
        let mac = self.hash.readings.iter().flatten().any(|rule| rule.key.is_some());
        self.fields.hash.is_some() && !self.carries() && !self.chain.literal && !mac
    }

    /// The members that say which rule of the hash a row follows, for a finding.
    pub fn selectors(&self) -> String {
        let rules = self.hash.first().into_iter().flatten();
        let mut names: Vec<&str> = rules.filter_map(|rule| Some(rule.when.as_ref()?.field.name())).collect();
        names.dedup();
        names.join(", ")
    }
}

/// Where a profile came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Source {
    /// It is part of this program.
    Builtin,
    /// The user named a file.
    File,
    /// It is part of this program, and the rows showed which one.
    Detected,
}

impl Source {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Source::Builtin => "builtin",
            Source::File => "file",
            Source::Detected => "detected",
        }
    }
}

/// The shape of a format's rows.
#[derive(Clone, Debug, Default)]
pub struct Detect {
    /// Members that its rows have.
    pub require: Vec<Path>,
    /// Members that its rows never have.
    pub forbid: Vec<Path>,
}

/// What a file of rows looks like.
#[derive(Clone, Debug)]
pub struct Input {
    /// What a line is.
    pub layout: Layout,
    /// Members that hold JSON text.
    pub opened: Vec<Path>,
    /// Each line must be its row in this form.
    pub line_is: Option<Form>,
    /// Whose JSON rows are in.
    pub dialect: Dialect,
    /// What ends a line.
    pub ends: LineEnds,
}

impl Input {
    /// The part of it by which files are cut into lines or items.
    pub fn shape(&self) -> read::Shape {
        let layout = match &self.layout {
            Layout::Rows => read::Layout::Rows,
            Layout::Document(path) => read::Layout::Document(path.pieces().to_vec()),
            Layout::Lines { sidecar, .. } => read::Layout::Text { sidecar: sidecar.clone() },
        };
        read::Shape { layout, ends: self.ends }
    }
}

/// How rows stand in a file.
#[derive(Clone, Debug)]
pub enum Layout {
    /// One JSON object a line.
    Rows,
    /// The file is one JSON document, and the rows are the items of the array at this path.
    Document(Path),
    /// Lines of text, of which an expression makes a row.
    Lines {
        /// Its named groups are the row's members; it fits the whole line.
        regex: regex::Regex,
        /// The file whose lines it reads, as the end of its name, where that is not the export itself.
        sidecar: Option<String>,
    },
}

/// Where the members are that hold a chain together.
#[derive(Clone, Debug)]
pub struct Fields {
    /// The sequence number, in a format with numbers.
    pub sequence: Option<Field>,
    /// The predecessor's digest, in a format whose rows state it.
    pub prev: Option<Field>,
    /// The row's own digest, in a format whose rows state it.
    pub hash: Option<Field>,
    /// The time stamp.
    pub timestamp: Option<Field>,
    /// The name of the key.
    pub key_id: Option<Field>,
    /// An object that describes an artefact outside by its digest.
    pub artefact: Option<Field>,
    /// The name of the chain.
    pub group: Option<Field>,
}

/// How rows hang together.
#[derive(Clone, Debug)]
pub struct ChainPlan {
    /// The link of a first row.
    pub genesis: Genesis,
    /// The numbers a first row may have.
    pub sequence_starts: Vec<u64>,
    /// How far apart neighbouring numbers are.
    pub sequence_step: u64,
    /// Whether numbers may be left out.
    pub gaps: bool,
    /// Whether all rows are one chain, whatever they say.
    pub single_group: bool,
    /// The member that the next row states, where that is not the digest.
    pub linked_by: Option<Field>,
    /// Whether rows before the chain starts are a bound, not a fault.
    pub prechain: bool,
    /// Whether a later first row is a bound, not a fault.
    pub reset: bool,
    /// Whether the chain is what rows claim and nothing else: what a row states is what the next one goes on
    /// from, whatever it is (the empty text, if it is none), and a line that is no row is passed over.
    pub literal: bool,
    /// Members that must equal one of the row before: the member, and the place of the other among the
    /// carried ones.
    pub equalities: Vec<(Field, usize)>,
}

/// The link of a first row.
#[derive(Clone, Debug)]
pub enum Genesis {
    /// This text.
    Text(String),
    /// Null, or no member at all.
    Null,
    /// The text of this member of the first row.
    Field(Field),
    /// The digest of parts of the first row.
    Digest {
        /// The bytes.
        of: Vec<Part>,
        /// The algorithm.
        algorithm: DigestAlgorithm,
        /// How the digest is written.
        form: TextForm,
    },
    /// What the user gives with `--genesis`.
    Given,
}

/// The members of `[fields]`, by their names.
pub(super) type Aliases = BTreeMap<String, Field>;

/// Every list of parts that a row is looked at with.
pub(super) fn row_parts<'p>(
    hash: &'p Axis<Vec<HashRule>>,
    signature: &'p Axis<Vec<SignatureRule>>,
    binds: &'p [Bind],
    genesis: &'p Genesis,
) -> impl Iterator<Item = &'p [Part]> {
    let hashed = hash.readings.iter().flatten().map(|rule| rule.preimage.as_slice());
    let signed = signature.readings.iter().flatten().map(|rule| rule.message.as_slice());
    let first = match genesis {
        Genesis::Digest { of, .. } => Some(of.as_slice()),
        _ => None,
    };
    hashed.chain(signed).chain(binds.iter().filter_map(bound_parts)).chain(first)
}

/// The parts that a bound member is the digest of.
pub(super) fn bound_parts(bind: &Bind) -> Option<&[Part]> {
    match &bind.bound {
        Bound::Parts(parts) => Some(parts),
        Bound::File(_) => None,
    }
}
