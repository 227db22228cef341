//! Limits: the fixed sentences on what a verdict does not show.
//!
//! They say what no check of this export could have found, and what this run did not look at.
//! They are chosen by facts of the report alone, and some always apply: the list is never empty.

use super::Report;
use crate::finding::Code;
use crate::verdict::{CheckId, Status};

const RESIGNED: &str = "Whoever holds the signing key can write the whole ledger anew and sign it again: such a ledger \
                        cannot be told from the original, unless an anchor was made before.";
const REHASHED: &str = "Without checked signatures, whoever can write the export can write the whole ledger anew and \
                        hash it again: only an anchor can show that.";
const LATER: &str = "Later rows may exist: an older export with its own older manifest is whole too.";
const TIMES: &str = "Time stamps are what the writer says. The order of rows is the chain's order, and no clock \
                     confirms them.";
const TRUTH: &str = "That rows are unchanged does not show that what they say is true, nor that everything that \
                     happened was written down.";
const KEYS: &str = "Keys are trusted as given: whose they are, and whether they were withdrawn, was not checked.";
const NO_KEY: &str = "No signature was checked, since no key was given: who wrote the rows is not shown.";
const SOME_KEYS: &str = "Signatures of chains for which no key was given were not checked: who wrote those rows is not \
                         shown.";
const DECLARED: &str = "Whoever can write rows can declare a break: the pin of a declaration shows that the excused text was not \
                        changed since, and not why the break is there.";
const NO_ANCHOR: &str = "Nothing outside the export states its head: rows may have been cut off its end.";
const AFTER_ANCHOR: &str = "Rows after the furthest anchor are pinned by nothing: they may have been cut off or \
                            replaced by whoever can sign.";
const UNSIGNED: &str = "The manifest carries no valid signature: whoever could change the export could change the \
                        manifest with it.";
const PARTIAL: &str = "The export does not start at the beginning of the ledger: what stood before it was not seen.";
const PRECHAIN: &str = "Rows before the chain starts are covered by nothing: anyone could have changed them.";
const IMPRECISE: &str = "Two integers that share a double share a hash: the last digits of the integers that are \
                         flagged imprecise-number can be changed unseen.";
const DOUBLES: &str = "A number is covered as the double that it stands for (RFC 8785): digits beyond what a double holds \
                       can be changed unseen.";
const CHAINS: &str = "The export holds several chains: that no chain is left out, and the order between rows of \
                      different chains, is not shown.";
const DETECTED: &str = "The format was detected from the rows, not named by the user: rows of another format that look \
                        like it would be judged by its rules.";
const ASSUMED: &str = "The format was assumed, not named by the user: there is no row to detect it from.";
const SHA1: &str = "The format hashes with SHA-1, of which two texts with one digest can be made: who wrote both texts can \
                    exchange one for the other unseen.";
const MAC: &str = "A MAC was checked with the shared secret: whoever holds it can also forge, and that is everyone who \
                   can check.";
const LAST_ROW: &str = "Rows of this format state links only, and no row follows the last one: it is covered by nothing \
                        but its signature or an anchor, and has neither that was checked.";
const PARTLY_SIGNED: &str = "Only some rows of this format are signed: the others are vouched for by the signed rows after \
                             them, through the chain alone.";
const FOLDER: &str = "Which files of a folder are parts of the ledger was decided by their names and first bytes: what was left was \
                      not examined.";
const UNCOVERED: &str = "Members that no preimage covers can be changed by anyone.";
const AROUND: &str = "What the document holds around its array of rows is covered by nothing: anyone can change it.";
const NO_DIGEST: &str =
    "The SHA-256 of the file was not computed: only the heads of its chains show which file this is about.";
const LISTED: &str = "Not every finding is listed. Counts and the report id cover them all.";
const SINCE: &str = "Rows that an earlier report vouches for were not checked again: that report is believed, and whoever can \
                     write a report can make one up. Compare its id with the one that was cited or filed.";
const UNFINISHED: &str = "The export was not read to its end: more faults may follow.";

/// What this report's verdict does not show. The report's own `limits` are not looked at.
pub fn limits(report: &Report) -> Vec<String> {
    let has = |code| report.finding_counts.contains_key(&code);
    let vouched = report.since.as_ref().map_or(0, |since| since.signatures);
    let signatures = report.coverage.signatures > 0 || vouched > 0;
    let manifest_unsigned = report.anchors.iter().any(|anchor| anchor.kind.name() == "manifest" && !anchor.signed);
    let listed: u64 = report.findings.iter().map(|counted| counted.count).sum();
    let passed = |id| report.checks.iter().any(|check| check.id == id && check.status() == Status::Passed);
    let sealed = passed(CheckId::Head) || (passed(CheckId::Signatures) && !has(Code::UnsignedTail));
    let format = report.profile.format;
    let macs = report.keys.iter().any(|key| key.algorithm == "hmac-sha256");
    let all = [
        (report.unfinished.is_some(), UNFINISHED),
        (report.since.is_some(), SINCE),
        (has(Code::NoKey) && !signatures, NO_KEY),
        (has(Code::NoKey) && signatures, SOME_KEYS),
        (has(Code::NoAnchor) || report.anchors.is_empty() && report.coverage.rows > 0, NO_ANCHOR),
        (has(Code::AfterAnchor), AFTER_ANCHOR),
        (manifest_unsigned || has(Code::ManifestUnsigned), UNSIGNED),
        (format.links_only && report.coverage.rows > 0 && !sealed, LAST_ROW),
        (has(Code::PartialStart), PARTIAL),
        (has(Code::PrechainRows), PRECHAIN),
        (has(Code::DeclaredBreak), DECLARED),
        (has(Code::ImpreciseNumber), IMPRECISE),
        (has(Code::UncoveredField) || !report.coverage.uncovered.is_empty(), UNCOVERED),
        (report.profile.in_document, AROUND),
        (report.chains.len() > 1, CHAINS),
        (!report.environment.folders.is_empty(), FOLDER),
        (report.profile.source == "detected" && !report.assumes_format(), DETECTED),
        (report.assumes_format(), ASSUMED),
        (report.subjects.iter().any(|subject| subject.sha256.is_empty()), NO_DIGEST),
        (listed < report.finding_counts.values().sum(), LISTED),
        (format.sha1, SHA1),
        (macs, MAC),
        (format.partly_signed && signatures, PARTLY_SIGNED),
        (signatures, RESIGNED),
        (!signatures, REHASHED),
        (true, LATER),
        (format.reprints, DOUBLES),
        (true, TIMES),
        (!report.keys.is_empty(), KEYS),
        (true, TRUTH),
    ];
    all.into_iter().filter(|(applies, _)| *applies).map(|(_, sentence)| sentence.to_owned()).collect()
}
