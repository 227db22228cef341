//! The explanation of one row: one model, from which the text and the JSON form are made.
//!
//! It says step by step what the checks saw. What it shows of the row is hostile text and is escaped where it is
//! written, as in a report.

mod json;
mod text;

use std::sync::Arc;

pub use json::{SCHEMA, json};
pub use text::write;

use super::ProfileFacts;
use crate::fact::Place;
use crate::finding::{Class, Finding};

/// What is said of one row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Explained {
    /// The name of the file that it stands in, as given.
    pub subject: String,
    /// Where it stands there.
    pub place: Place,
    /// Its exact bytes, without the line end; empty where the line is too long to be held.
    pub line: Vec<u8>,
    /// The format that it was read as, with the readings that are settled with it.
    pub profile: ProfileFacts,
    /// Its number, where it has one.
    pub sequence: Option<u64>,
    /// Its chain, where it has a name.
    pub chain: Option<Arc<str>>,
    /// The members that the format has a use for.
    pub members: Vec<Member>,
    /// Its digest; `None` for a format without, and a line that cannot be read.
    pub digest: Option<DigestTold>,
    /// Its link; `None` where it cannot be read.
    pub link: Option<LinkTold>,
    /// Its signatures, those that it lacks too.
    pub signatures: Vec<SignatureTold>,
    /// Members that are digests of something else.
    pub binds: Vec<BindTold>,
    /// Members that must equal one of the row before.
    pub equalities: Vec<Equality>,
    /// Members that no preimage covers.
    pub uncovered: Vec<Arc<str>>,
    /// What an audit finds here.
    pub findings: Vec<Finding>,
    /// What could not be checked, each in a sentence; our own words and member names.
    pub open: Vec<String>,
}

/// How something came out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    /// It holds.
    Holds,
    /// It does not.
    Fails,
    /// It was not checked.
    Open,
}

impl Status {
    /// The word in the JSON form.
    pub fn name(self) -> &'static str {
        match self {
            Status::Holds => "holds",
            Status::Fails => "fails",
            Status::Open => "open",
        }
    }
}

/// A member that the format has a use for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Member {
    /// What for: `sequence`, `predecessor`, `digest`, `time stamp`, `key id`, `chain`, `signature`.
    pub role: &'static str,
    /// Which member, as the profile names it.
    pub member: String,
    /// What it says: the content of a text, any other value as it stands; `None` where it is absent.
    pub says: Option<String>,
    /// What kind of value it is, in the words of RFC 8259 §3; `None` where it is absent.
    pub kind: Option<&'static str>,
    /// What is wrong with its form.
    pub wrong: Option<String>,
}

/// Bytes that were hashed or signed, and where each of them comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Message {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Their parts, in order.
    pub parts: Vec<Part>,
}

/// A part of such bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// What it is.
    pub what: String,
    /// Where it starts.
    pub offset: usize,
    /// Its bytes.
    pub bytes: Vec<u8>,
    /// What it is put together from; of a digest, what that is over, counted from the start of it.
    pub inside: Vec<Part>,
}

/// The digest of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DigestTold {
    /// How it came out.
    pub status: Status,
    /// The algorithm, where it is known.
    pub algorithm: Option<&'static str>,
    /// What tells the secret from others, of a MAC.
    pub key: Option<String>,
    /// The preimage, where it can be written.
    pub preimage: Option<Message>,
    /// The digest of the preimage, as rows write it.
    pub computed: Option<String>,
    /// The digest that is stated.
    pub stated: Option<String>,
    /// Where: `member hash`, `line 8`.
    pub stated_by: Option<String>,
    /// Why it was not computed or compared.
    pub why: Option<String>,
    /// What makes it fit, where it does not.
    pub near: Option<Near>,
}

/// Near misses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Near {
    /// Each a list of changes that together make it fit.
    pub fits: Vec<Vec<String>>,
    /// How many were tried.
    pub tries: u64,
}

/// The link of the row to the one before it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkTold {
    /// How it came out.
    pub status: Status,
    /// What the row states as its predecessor.
    pub stated: Option<String>,
    /// Where the row before it stands.
    pub before: Option<Place>,
    /// What that one may be named by; for a first row the genesis.
    pub expected: Vec<String>,
    /// What that means.
    pub why: String,
}

/// A signature of the row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignatureTold {
    /// How it came out.
    pub status: Status,
    /// The member that holds it.
    pub member: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// What is signed, where that can be written.
    pub message: Option<Message>,
    /// The keys that were tried, in order.
    pub attempts: Vec<Attempt>,
    /// What that means.
    pub why: String,
    /// Over what else, or under which other key, it holds, where it fails.
    pub near: Option<Near>,
}

/// A signature under one key.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Attempt {
    /// What tells the key from others.
    pub fingerprint: String,
    /// The name of the reading of what is signed, where there are several.
    pub reading: Option<String>,
    /// SHA-256 (hex) of the message.
    pub message_sha256: String,
    /// It holds.
    pub holds: bool,
}

/// A member that is a digest of something else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BindTold {
    /// How it came out.
    pub status: Status,
    /// The member.
    pub member: String,
    /// The algorithm.
    pub algorithm: &'static str,
    /// What it must be a digest of.
    pub message: Option<Message>,
    /// The digest of that.
    pub computed: Option<String>,
}

/// A member that must equal one of the row before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Equality {
    /// How it came out.
    pub status: Status,
    /// The member.
    pub member: String,
    /// The one of the row before.
    pub previous: String,
}

impl Explained {
    /// The process's exit code: 1 for a fault of the row, 3 where something of it could not be checked or is
    /// bound, else 0.
    pub fn exit_code(&self) -> u8 {
        let has = |class| self.findings.iter().any(|finding| finding.code.class() == class);
        match (has(Class::Fault), has(Class::Bound) || !self.open.is_empty()) {
            (true, _) => 1,
            (false, true) => 3,
            (false, false) => 0,
        }
    }
}
