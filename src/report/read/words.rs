//! The words of a JSON report, read back: each must be one that this version writes.

use crate::fact::{AnchorKind, AnchorVerdict};
use crate::finding::Code;
use crate::incident::Kind;
use crate::verdict::{CheckId, Status};

const ANCHORS: [AnchorVerdict; 9] = [
    AnchorVerdict::Matches,
    AnchorVerdict::Differs,
    AnchorVerdict::NotJudged,
    AnchorVerdict::Consistent,
    AnchorVerdict::Truncated,
    AnchorVerdict::Rewritten,
    AnchorVerdict::LocalBroken,
    AnchorVerdict::WitnessBroken,
    AnchorVerdict::NoRecord,
];

const CHECKS: [CheckId; 5] = [CheckId::Chain, CheckId::Digests, CheckId::Signatures, CheckId::Sequence, CheckId::Head];

const STATUSES: [Status; 3] = [Status::Passed, Status::Failed, Status::NotChecked];

const SOURCES: [&str; 3] = ["builtin", "file", "detected"];

/// A key that the format has no use for has none.
const ALGORITHMS: [&str; 7] = ["", "ed25519", "es256", "rs256", "hmac-sha256", "sshsig", "ml-dsa-65"];

const EXPECTED: [&str; 3] = ["rows", "span", "profile"];

const INTEGRITY: [&str; 3] = ["verified", "broken", "unestablished"];

/// The word that is not known.
pub(super) type Unknown = String;

pub(super) fn code(word: &str) -> Result<Code, Unknown> {
    Code::named(word).ok_or_else(|| word.to_owned())
}

pub(super) fn kind(word: &str) -> Result<Kind, Unknown> {
    one(Kind::ALL.iter().copied(), Kind::name, word)
}

pub(super) fn anchor_verdict(word: &str) -> Result<AnchorVerdict, Unknown> {
    one(ANCHORS, AnchorVerdict::name, word)
}

/// A manifest that nobody named was found.
pub(super) fn anchor_kind(word: &str, named: bool) -> Result<AnchorKind, Unknown> {
    match (word, named) {
        ("manifest", true) => Ok(AnchorKind::Manifest),
        ("manifest", false) => Ok(AnchorKind::Sidecar),
        ("head", true) => Ok(AnchorKind::Head),
        ("witness", true) => Ok(AnchorKind::Witness),
        _ => Err(word.to_owned()),
    }
}

pub(super) fn check_id(word: &str) -> Result<CheckId, Unknown> {
    one(CHECKS, CheckId::name, word)
}

/// The verdict of a report that vouches for something.
pub(super) fn vouching(word: &str) -> Result<&'static str, Unknown> {
    one(["verified", "bounded"], |word| word, word)
}

pub(super) fn status(word: &str) -> Result<Status, Unknown> {
    one(STATUSES, Status::name, word)
}

pub(super) fn source(word: &str) -> Result<&'static str, Unknown> {
    one(SOURCES, |word| word, word)
}

pub(super) fn algorithm(word: &str) -> Result<&'static str, Unknown> {
    one(ALGORITHMS, |word| word, word)
}

pub(super) fn expected(word: &str) -> Result<&'static str, Unknown> {
    one(EXPECTED, |word| word, word)
}

pub(super) fn integrity(word: &str) -> Result<&'static str, Unknown> {
    one(INTEGRITY, |word| word, word)
}

fn one<T: Copy>(all: impl IntoIterator<Item = T>, name: fn(T) -> &'static str, word: &str) -> Result<T, Unknown> {
    all.into_iter().find(|one| name(*one) == word).ok_or_else(|| word.to_owned())
}
