//! What comes of comparing two exports of one ledger: one model, from which the text and the JSON form are made.
//!
//! What follows from the two exports, the profile and the keys is kept apart from names and command lines, and has an
//! id as a report has. The rows that are shown are hostile text, escaped where they are written.

mod json;
mod text;

pub use json::{SCHEMA, comparison_id, json};
pub use text::write;

use crate::fact::Place;
use crate::report::{Environment, KeyFacts, ProfileFacts, Subject};

/// One of the two exports.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Side {
    /// The first that was named.
    A,
    /// The second.
    B,
}

impl Side {
    /// Both.
    pub const BOTH: [Side; 2] = [Side::A, Side::B];

    /// The letter in texts.
    pub fn letter(self) -> &'static str {
        match self {
            Side::A => "A",
            Side::B => "B",
        }
    }

    /// The member of the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Side::A => "a",
            Side::B => "b",
        }
    }

    /// The other one.
    pub fn other(self) -> Side {
        match self {
            Side::A => Side::B,
            Side::B => Side::A,
        }
    }

    /// Its place in a pair.
    pub fn index(self) -> usize {
        match self {
            Side::A => 0,
            Side::B => 1,
        }
    }
}

/// The word.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// Both hold the same rows.
    Same,
    /// This one goes on where the other ends.
    Extended(Side),
    /// They hold different rows at one place of a chain.
    Forked,
    /// It could not be decided, or not of all rows.
    Undecided,
}

/// What comes of a comparison.
#[derive(Clone, Debug)]
pub struct Comparison {
    /// The word.
    pub outcome: Outcome,
    /// The files of A and of B.
    pub exports: [Vec<Subject>; 2],
    /// The format that both were read as.
    pub profile: ProfileFacts,
    /// The keys that were given.
    pub keys: Vec<KeyFacts>,
    /// Whether the format has anything that a key could vouch for.
    pub has_signatures: bool,
    /// Whether both are the same bytes.
    pub identical: bool,
    /// Rows that both have, at the same place of their chain.
    pub common: u64,
    /// Rows in one of them alone: those behind the end of the other.
    pub behind: [u64; 2],
    /// The first of these.
    pub first_behind: [Option<Place>; 2],
    /// Chains that forked, in the order in which A has their forks; the first of them, at most [`MOST_FORKS`].
    pub forks: Vec<Fork>,
    /// How many there are.
    pub forked_chains: u64,
    /// What hinders a word, or bounds it.
    pub bounds: Vec<Remark>,
    /// What is worth knowing and changes nothing.
    pub notes: Vec<Remark>,
    /// Why reading ended early, if it did; a fork was found before.
    pub unfinished: Option<String>,
    /// Where and with what it was made.
    pub environment: Environment,
}

/// Forks that are told.
pub const MOST_FORKS: usize = 20;

/// Something that is said beside the word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Remark {
    /// What it is, kebab-case and permanent.
    pub code: &'static str,
    /// What it is about in one of them, where it is about one.
    pub side: Option<Side>,
    /// How many rows, chains or files.
    pub count: u64,
    /// The first of them, in A and in B.
    pub first: [Option<Place>; 2],
    /// The members that differ in that one, where that is what it is about.
    pub members: Vec<MemberDiff>,
    /// A sentence.
    pub message: String,
}

/// A place where two exports of one chain hold different rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fork {
    /// The chain, where it has a name.
    pub chain: Option<String>,
    /// The last row that both have in this chain, in A and in B, where there is one.
    pub common: [Option<CommonRow>; 2],
    /// The row of A, and that of B.
    pub rows: [ForkRow; 2],
    /// The members that differ.
    pub members: MembersDiff,
    /// Whether both rows state the same predecessor.
    pub one_predecessor: Option<bool>,
    /// Whom the keys vouch for.
    pub vouched: Vouched,
    /// Rows of this chain behind the fork.
    pub behind: [u64; 2],
    /// How many of these are the same bytes at the same place.
    pub equal_behind: u64,
    /// Where rows are the same again, to the end of the shorter one.
    pub joined: Option<[Place; 2]>,
}

/// The last row before a fork.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommonRow {
    /// Where it stands.
    pub place: Place,
    /// Its number, where it has one.
    pub sequence: Option<u64>,
}

/// One of the two rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ForkRow {
    /// Where it stands.
    pub place: Place,
    /// Its bytes, the first [`MOST_TEXT`] of them.
    pub text: Vec<u8>,
    /// Whether there are more.
    pub cut: bool,
    /// Its number.
    pub sequence: Option<u64>,
    /// Its time stamp (RFC 3339).
    pub time: Option<String>,
    /// The digest that it states.
    pub stated: Option<String>,
    /// The digest that was computed.
    pub computed: Option<String>,
    /// Whether its digest holds.
    pub digest: Standing,
    /// The predecessor that it states.
    pub previous: Option<String>,
    /// Whether that is the last row that both have.
    pub link: Standing,
    /// How its signatures came out.
    pub signature: SignatureStanding,
    /// The keys that they hold under, by fingerprint.
    pub signers: Vec<String>,
    /// Whether the keys vouch for it: signed, and the digest holds that the signature is over.
    pub vouched: bool,
    /// Whether the row behind it states it as its predecessor; `None` where there is none.
    pub next: Option<Standing>,
    /// Where the very same row stands in the other export, behind the fork.
    pub elsewhere: Option<Place>,
}

/// Bytes of a row that are kept for showing.
pub const MOST_TEXT: usize = 4096;

/// How a check came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Standing {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// It was not checked, or cannot be.
    Open,
}

impl Standing {
    /// The word in both forms.
    pub fn name(self) -> &'static str {
        match self {
            Standing::Holds => "holds",
            Standing::Fails => "fails",
            Standing::Open => "open",
        }
    }
}

/// How the signatures of a row came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureStanding {
    /// They hold under keys that may sign here.
    Holds,
    /// One holds, under a key that is bound to another chain.
    NotPermitted,
    /// They hold under none of the keys.
    Fails,
    /// The row has none.
    Absent,
    /// It was not judged: a key is missing, or it cannot be read.
    NotJudged,
    /// The format has none.
    None,
}

impl SignatureStanding {
    /// The word in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            SignatureStanding::Holds => "holds",
            SignatureStanding::NotPermitted => "not permitted",
            SignatureStanding::Fails => "fails",
            SignatureStanding::Absent => "absent",
            SignatureStanding::NotJudged => "not judged",
            SignatureStanding::None => "none",
        }
    }
}

/// Whom the keys vouch for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Vouched {
    /// Both rows, under a key of both.
    BothByOne,
    /// Both rows, under different keys.
    Both,
    /// This one alone.
    Only(Side),
    /// Neither.
    Neither,
    /// It was not judged: no key was given.
    NotJudged,
    /// The format has no signatures.
    NoSignatures,
}

impl Vouched {
    /// The word in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Vouched::BothByOne => "both by one key",
            Vouched::Both => "both",
            Vouched::Only(Side::A) => "a",
            Vouched::Only(Side::B) => "b",
            Vouched::Neither => "neither",
            Vouched::NotJudged => "not judged",
            Vouched::NoSignatures => "no signatures",
        }
    }
}

/// Members that differ between two rows.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct MembersDiff {
    /// How many.
    pub count: u64,
    /// The first of them.
    pub listed: Vec<MemberDiff>,
}

/// A member that differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemberDiff {
    /// Its dotted path.
    pub member: String,
    /// Its value in A as it is written there; `None` where it is absent.
    pub a: Option<String>,
    /// The same in B.
    pub b: Option<String>,
}

impl Comparison {
    /// The process's exit code.
    pub fn exit_code(&self) -> u8 {
        match self.outcome {
            Outcome::Same | Outcome::Extended(_) => 0,
            Outcome::Forked => 1,
            Outcome::Undecided => 3,
        }
    }

    /// The word in the JSON form.
    pub fn word(&self) -> &'static str {
        match self.outcome {
            Outcome::Same => "same",
            Outcome::Extended(_) => "extended",
            Outcome::Forked => "forked",
            Outcome::Undecided => "undecided",
        }
    }

    /// The one that goes on where the other ends.
    pub fn longer(&self) -> Option<Side> {
        match self.outcome {
            Outcome::Extended(side) => Some(side),
            _ => None,
        }
    }

    /// Rows of one of them, readable or not.
    pub fn rows(&self, side: Side) -> u64 {
        self.exports[side.index()].iter().map(|subject| subject.rows).sum()
    }

    /// Whether the format is neither named nor shown by a row: there is none in either.
    pub fn assumes_format(&self) -> bool {
        self.profile.source == "detected" && Side::BOTH.into_iter().all(|side| self.rows(side) == 0)
    }

    /// What it does not show, in plain sentences.
    pub fn limits(&self) -> Vec<String> {
        let mut limits = vec![
            "Whether each export is whole by itself: its links, digests and signatures before and behind what is shown \
             here are the main job's, one export at a time."
                .to_owned(),
        ];
        limits.push(match self.outcome {
            Outcome::Forked => {
                "Which of the two histories is true. A signature shows who wrote a row, and not that another one was \
                 never shown."
            }
            _ => "What both leave out: rows that neither export holds are not missed here.",
        }
        .to_owned());
        if self.behind != [0, 0] {
            limits.push(
                "What stands behind the end of the other export: those rows were counted and not examined.".to_owned(),
            );
        }
        if !self.has_signatures {
            limits.push("Who wrote the rows: the format has no signatures.".to_owned());
        } else if self.keys.is_empty() {
            limits.push(
                "Who wrote the rows: signatures were not judged, since no key was given (--key FILE).".to_owned(),
            );
        }
        if self.assumes_format() {
            limits.push("That this is the right format: there is no row that could show it.".to_owned());
        } else if self.profile.source == "detected" {
            limits.push(
                "That this is the right format: the rows chose it (--profile NAME takes the choice from them)."
                    .to_owned(),
            );
        }
        limits
    }
}
