//! Messages: the one sentence that a finding says, from its code and its facts.
//!
//! A message is prose for people: it is no part of the report id, and scripts read the facts
//! instead. Facts come from the export, so that everything shown here is escaped and cut; digests
//! are shortened, since the full ones stand in the facts.

use super::escape::{escape_cut, quote};
use super::figures::{counted, shortened};
use crate::finding::{Code, Finding};

/// Characters of a fact that a sentence shows.
const MAX_FACT: usize = 80;

/// Characters of a name that a sentence shows.
const MAX_NAME: usize = 64;

/// What a finding says, in one sentence without full stop and without its place.
pub fn message(finding: &Finding) -> String {
    let member = finding.member.as_deref().map(name);
    let chain = finding.chain.as_deref().map(name);
    let sentence = match (&finding.expected, &finding.found) {
        (Some(expected), Some(found)) => compared(finding, member.as_deref(), expected, found),
        _ => None,
    };
    sentence.or_else(|| of_one(finding, member.as_deref(), chain.as_deref())).unwrap_or_else(|| general(finding))
}

/// The sentences that need both what should stand there and what does.
fn compared(finding: &Finding, member: Option<&str>, expected: &str, found: &str) -> Option<String> {
    let (e, f) = (fact(expected), fact(found));
    Some(match finding.code {
        Code::FieldMalformed => {
            format!("{} is {f}, but the format asks for {}", member.unwrap_or("a member"), reason(expected))
        }
        Code::HashMismatch => format!("the row's content hashes to {e}, but the row states {f}"),
        Code::SignatureAlgorithm => format!("the signature names {f}, but the format asks for {e}"),
        Code::LinkBroken => format!("the row states {f} as its predecessor, but the row before it has {e}"),
        Code::Fork => {
            let other = successor(finding);
            format!("the row states {f} as its predecessor, which already has {other}; the chain is at {e}")
        }
        Code::GenesisBroken => format!("the first row's number and link contradict each other: {f} stands, {e} fits"),
        Code::SecondGenesis => format!("the row claims to be the first of the chain, but the chain is at {e}"),
        Code::SequenceGap => match (expected.parse::<u64>(), found.parse::<u64>()) {
            (Ok(first), Ok(next)) if next > first => gap(first, next),
            _ => format!("sequence numbers are missing: {e} should follow, {f} stands"),
        },
        Code::SequenceRepeated => format!("the sequence number {f} stands again, where {e} should follow"),
        Code::SequenceBackwards => format!("the sequence number goes back to {f}, where {e} should follow"),
        Code::ChainMixed => format!("the row names the chain {f}, but it stands in {e}"),
        Code::BindMismatch => {
            format!("what {} is the digest of hashes to {e}, but the row states {f}", member.unwrap_or("a member"))
        }
        Code::HeadMismatch if finding.member.as_deref() == Some("witness") => {
            format!("the witness states {}, but the export has {}", reason(expected), reason(found))
        }
        Code::HeadMismatch if finding.member.as_deref() == Some("pin") => {
            format!("the pin states {}, but the export has {}", reason(expected), reason(found))
        }
        Code::HeadMismatch => format!("the anchor states the head {e}, but the export has {f}"),
        Code::ManifestMismatch => {
            format!("the manifest states {} {e}, but the export shows {f}", member.unwrap_or("a value"))
        }
        Code::AnchorConflict => format!("two anchors state different digests for one sequence: {e} and {f}"),
        Code::PrefixChanged => {
            format!(
                "the export should begin with {}, says the earlier report, and has {}",
                whole(expected),
                whole(found)
            )
        }
        Code::ExpectationFailed => {
            format!("{} {e} expected, but the export has {f}", member.unwrap_or("a value"))
        }
        Code::DeclaredBreak => format!("line {e} declares this break: {}", reason(found)),
        Code::DeclarationUnused => format!("a break of line {e} is declared, and excuses nothing: {}", reason(found)),
        Code::ClockBackwards => format!("the time stamp {f} is earlier than {e} before it"),
        _ => return None,
    })
}

/// The sentences that name a member, a chain or one fact.
fn of_one(finding: &Finding, member: Option<&str>, chain: Option<&str>) -> Option<String> {
    let (expected, found) = (finding.expected.as_deref(), finding.found.as_deref());
    Some(match (finding.code, member, chain) {
        (Code::FieldMissing, Some(member), _) => format!("{member} is absent, but the format needs it"),
        (Code::FieldMalformed, Some(member), _) => match found {
            Some(found) => format!("{member} does not have the exact form: {}", fact(found)),
            None => format!("{member} does not have the exact form that the format asks for"),
        },
        (Code::DuplicateKey, Some(member), _) => format!("an object of the row names the member {member} twice"),
        (Code::UncoveredField, Some(member), _) => {
            format!("no preimage covers the member {member}: anyone can change it")
        }
        (Code::ImpreciseNumber, Some(member), _) => format!(
            "the integer in {member} is not exact as a double{}: its last digits are not covered by the hash",
            found.map(|found| format!(" ({})", fact(found))).unwrap_or_default()
        ),
        (Code::ManifestMismatch, Some("signature"), _) => {
            "the manifest's signature holds under none of the keys".to_owned()
        }
        (Code::ManifestMismatch, Some(member), _) => format!("the manifest's {member} is not what the export shows"),
        (Code::WitnessBroken, _, _) => {
            format!("the witness's own chain of pins is broken, so that they were not compared: {}", reason(found?))
        }
        (Code::WitnessNoRecord, Some(namespace), _) => {
            format!("the witness has no pin of the namespace {namespace} that is over any row")
        }
        (Code::NoKey, _, Some(chain)) => {
            format!("no key was given for {chain}: none of its signatures was checked")
        }
        (Code::NoAnchor, _, Some(chain)) => {
            format!("nothing outside the export states the head of {chain}: rows may have been cut off its end")
        }
        (Code::PartialStart, _, Some(chain)) => {
            format!("{chain} starts in the middle of its chain: what came before is not in the export")
        }
        (Code::SequenceRepeated, _, _) if finding.expected.is_none() => {
            "the line is a copy of an earlier one, byte for byte".to_owned()
        }
        (Code::HeadMismatch, _, _) => match finding.sequence {
            Some(sequence) => format!("no row with the sequence {sequence} has the head {}", fact(expected?)),
            None => format!("no row has the head {}", fact(expected?)),
        },
        (Code::ExpectationFailed, Some(member), _) => {
            format!("{member} {} expected, but no row has a time stamp that could show it", fact(expected?))
        }
        (Code::RowUnmatched, _, _) => format!("no row of the format: {}", reason(found?)),
        (Code::BindMismatch, Some(member), _) => format!("{member} is the digest of a file: {}", reason(found?)),
        (Code::UnknownKey, _, _) => format!("the row names the key {}, which was not given", fact(found?)),
        (Code::Fork, _, _) => {
            format!("the row states {} as its predecessor, which already has {}", fact(found?), successor(finding))
        }
        _ => return None,
    })
}

/// The other row of a fork.
fn successor(finding: &Finding) -> String {
    match finding.other {
        Some(sequence) => format!("a successor, the row with the sequence {sequence}"),
        None => "a successor".to_owned(),
    }
}

/// The code's meaning, with what facts there are behind it.
fn general(finding: &Finding) -> String {
    let meaning = finding.code.meaning().trim_end_matches('.');
    let mut first = meaning.chars();
    let mut out: String = first.next().map(|c| c.to_ascii_lowercase()).into_iter().chain(first).collect();
    let facts: Vec<String> = [
        finding.member.as_deref().map(|member| format!("member {}", name(member))),
        finding.expected.as_deref().map(|expected| format!("expected {}", reason(expected))),
        finding.found.as_deref().map(reason),
    ]
    .into_iter()
    .flatten()
    .collect();
    if !facts.is_empty() {
        out.push_str(&format!(" ({})", facts.join(", ")));
    }
    out
}

fn gap(first: u64, next: u64) -> String {
    let missing = counted(next - first, "sequence number is", "sequence numbers are");
    match next - first {
        1 => format!("{missing} missing: {first}"),
        _ => format!("{missing} missing: {first} to {}", next - 1),
    }
}

/// A fact in a sentence: a digest shortened, anything else as it may be quoted.
fn fact(text: &str) -> String {
    shortened(text).unwrap_or_else(|| quote(text, MAX_FACT).into_owned())
}

/// A fact that is a description in our own words (what a reader missed, what a form looks like).
fn reason(text: &str) -> String {
    shortened(text).unwrap_or_else(|| escape_cut(text, MAX_FACT).into_owned())
}

/// Bytes with their SHA-256, which is not cut.
fn whole(text: &str) -> String {
    shortened(text).unwrap_or_else(|| escape_cut(text, 2 * MAX_FACT).into_owned())
}

/// The name of a member or of a chain.
fn name(text: &str) -> String {
    quote(text, MAX_NAME).into_owned()
}
