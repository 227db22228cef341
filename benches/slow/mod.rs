//! The slow verifier: obviously right, and the measure of the fast one.
//!
//! It holds the whole export in memory, reads each row with a strict recursive-descent reader, builds
//! serde_json values, canonicalises with serde_json_canonicalizer, hashes with sha2 and verifies with
//! `verify_strict`: a plain loop over the rules of the home format. [`verify`] is the oracle of tests,
//! [`throughput`] the baseline of benches. It shares no line with the library.
//!
//! Its domain: one export in one part, one chain (a row of another workspace is `chain-mixed`
//! whatever it claims), keys not bound to names, no `--accept` and no `--strict`. Notes are listed at
//! each of their places, not folded.

#![allow(dead_code, reason = "each program that includes the slow verifier uses another part of it")]

pub mod anchor;
pub mod row;
pub mod strict;
mod throughput;
mod walk;

use ed25519_dalek::VerifyingKey;

use row::{Digest, FORMS, Row};
pub use throughput::{Count, throughput};
use walk::{Line, Proof};

/// Findings in the order in which they stand on one line: faults, bounds, notes.
#[rustfmt::skip]
const TABLE: &[&str] = &[
    "not-json", "not-an-object", "invalid-utf8", "duplicate-key", "number-out-of-range", "nesting-too-deep",
    "row-too-long", "torn-row", "field-missing", "field-malformed", "hash-mismatch", "signature-missing",
    "signature-malformed", "signature-algorithm", "signature-invalid", "link-broken", "fork", "genesis-broken",
    "second-genesis", "sequence-gap", "sequence-repeated", "sequence-backwards", "chain-mixed", "reversal-invalid",
    "head-mismatch", "manifest-mismatch", "anchor-conflict",
    "no-key", "keys-interleaved", "no-anchor", "manifest-unsigned", "partial-start", "after-anchor",
    "imprecise-number", "reversal-unchecked", "empty",
    "bom", "blank-line", "crlf", "no-final-newline", "clock-backwards", "sidecar-ignored", "restore-mismatch",
];

/// What a finding does to the verdict.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// Broken.
    Fault,
    /// Bounded at best.
    Bound,
    /// Nothing.
    Note,
}

/// The class of a code.
pub fn class(code: &str) -> Class {
    let at = |name: &str| TABLE.iter().position(|&entry| entry == name);
    if at(code) < at("no-key") {
        Class::Fault
    } else if at(code) < at("bom") {
        Class::Bound
    } else {
        Class::Note
    }
}

/// A head that was seen earlier.
#[derive(Clone, Copy, Debug)]
pub struct Pin {
    /// The row's digest.
    pub digest: Digest,
    /// The row's number, if it was noted.
    pub sequence: Option<u64>,
}

/// Everything that the verdict depends on.
#[derive(Clone, Copy)]
pub struct Question<'a> {
    /// The export's bytes.
    pub export: &'a [u8],
    /// The keys.
    pub keys: &'a [VerifyingKey],
    /// A manifest that the user names.
    pub manifest: Option<&'a [u8]>,
    /// A manifest that was only found; not looked at where one is named.
    pub sidecar: Option<&'a [u8]>,
    /// Pinned heads.
    pub heads: &'a [Pin],
    /// The forms (index into `FORMS`) of `prev` and `signed` where they are stated.
    pub recipe: [Option<usize>; 2],
    /// The longest row.
    pub max_row_bytes: usize,
}

/// The verdict.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The exit code.
    pub exit: u8,
    /// `verified`, `bounded`, `broken`, or why there is no verdict.
    pub verdict: String,
    /// Line and code of each finding, in order; what has no line comes last.
    pub findings: Vec<(Option<u64>, &'static str)>,
    /// The recipe found.
    pub recipe: String,
}

/// Verify an export under these keys and, if there is one, a named manifest.
pub fn verify(export: &[u8], keys: &[VerifyingKey], manifest: Option<&[u8]>) -> Outcome {
    judge(&Question { manifest, ..Question::new(export, keys) })
}

impl<'a> Question<'a> {
    /// The question about an export and keys alone.
    pub fn new(export: &'a [u8], keys: &'a [VerifyingKey]) -> Self {
        let max_row_bytes = 64 << 20;
        Question { export, keys, manifest: None, sidecar: None, heads: &[], recipe: [None; 2], max_row_bytes }
    }
}

/// Answer a question.
pub fn judge(question: &Question) -> Outcome {
    match examine(question) {
        Ok((mut findings, recipe)) => {
            let place = |code| TABLE.iter().position(|&entry| entry == code);
            findings.sort_by_key(|&(line, code)| (line.is_none(), line, place(code)));
            let has = |wanted| findings.iter().any(|&(_, code)| class(code) == wanted);
            let (exit, verdict) = match (has(Class::Fault), has(Class::Bound)) {
                (true, _) => (1, "broken"),
                (false, true) => (3, "bounded"),
                (false, false) => (0, "verified"),
            };
            Outcome { exit, verdict: verdict.into(), findings, recipe }
        }
        Err(stop) => Outcome { exit: 2, verdict: stop, findings: Vec::new(), recipe: String::new() },
    }
}

type Findings = Vec<(Option<u64>, &'static str)>;

fn examine(question: &Question) -> Result<(Findings, String), String> {
    let named = question.manifest.map(anchor::read).transpose()?;
    let mut findings = Findings::new();
    let lines = read_lines(question, &mut findings)?;
    let (manifest, found) = match (named, question.sidecar.map(anchor::read)) {
        (None, Some(Ok(manifest))) => (Some(manifest), true),
        (None, Some(Err(_))) => {
            findings.push((None, "sidecar-ignored"));
            (None, false)
        }
        (named, _) => (named, false),
    };
    if lines.is_empty() {
        findings.extend(anchor::judge_empty(question, manifest.as_ref()).into_iter().map(|code| (None, code)));
        return Ok((findings, String::new()));
    }
    let recipe = settle(question, &lines);
    let proofs: Vec<Option<Proof>> =
        lines.iter().map(|line| line.row.as_ref().ok().map(|row| prove(row, question.keys, recipe))).collect();
    let chain = walk::walk(&lines, &proofs);
    findings.extend(&chain.findings);
    if chain.partial_start.is_some() && !anchor::start_is_pinned(question, &chain) {
        findings.push((lines.first().map(|line| line.number), "partial-start"));
    }
    if question.keys.is_empty() {
        findings.push((None, "no-key"));
    }
    let foreign = found && manifest.as_ref().is_some_and(|manifest| manifest.is_foreign(&chain));
    if foreign {
        findings.push((None, "sidecar-ignored"));
    }
    let manifest = manifest.filter(|_| !foreign);
    let (faults, bounds) = anchor::judge(question, manifest.as_ref(), found, lines.len() as u64, &chain);
    findings.extend(faults.into_iter().map(|code| (lines.last().map(|line| line.number), code)));
    findings.extend(bounds.into_iter().map(|code| (None, code)));
    Ok((findings, format!("prev={}, signed={}", FORMS[recipe[0]], FORMS[recipe[1]])))
}

/// Rule 10: lines and what is noted about their ends.
fn read_lines<'a>(question: &Question<'a>, findings: &mut Findings) -> Result<Vec<Line<'a>>, String> {
    let mut rest = question.export;
    if rest.starts_with(b"\xff\xfe") || rest.starts_with(b"\xfe\xff") {
        return Err("the export is UTF-16".into());
    }
    if rest.starts_with(b"\x1f\x8b") {
        return Err("the export is compressed (gzip)".into());
    }
    if let Some(behind) = rest.strip_prefix(b"\xef\xbb\xbf") {
        findings.push((Some(1), "bom"));
        rest = behind;
    }
    let mut texts = rest.split(|byte| b"\r\n".contains(byte)).map(<[u8]>::trim_ascii).filter(|text| !text.is_empty());
    if let Some(first) = texts.next().filter(|first| first.starts_with(b"[")) {
        // One array on a line before a row is a line that is no row.
        if !(first.ends_with(b"]") && texts.next().is_some_and(|next| next.starts_with(b"{"))) {
            return Err("the export is a JSON array".into());
        }
    }
    let mut lines = Vec::new();
    let mut number = 0;
    while !rest.is_empty() {
        number += 1;
        let end = rest.iter().position(|&byte| byte == b'\n');
        let (bytes, behind) = end.map_or((rest, &[][..]), |end| (&rest[..end], &rest[end + 1..]));
        rest = behind;
        if bytes.iter().all(|byte| b" \t\r".contains(byte)) {
            findings.push((Some(number), "blank-line"));
            continue;
        }
        let bytes = match bytes.strip_suffix(b"\r").filter(|_| end.is_some()) {
            Some(bytes) => {
                findings.push((Some(number), "crlf"));
                bytes
            }
            None => bytes,
        };
        let row = row::read(bytes, end.is_none(), question.max_row_bytes);
        if end.is_none() && row.is_ok() {
            findings.push((Some(number), "no-final-newline"));
        }
        lines.push(Line { number, bytes, row });
    }
    Ok(lines)
}

/// Rule 3: the first row in file order that fits any reading decides, hash and signature each for itself.
/// A row whose stated hash fits no reading fits the one over whose digest it is signed.
fn settle(question: &Question, lines: &[Line]) -> [usize; 2] {
    let rows = || lines.iter().filter_map(|line| line.row.as_ref().ok());
    let forms: Vec<usize> = question.recipe[1].map_or(vec![0, 1, 2], |form| vec![form]);
    let prev = question.recipe[0].or_else(|| {
        rows().find_map(|row| {
            let digests = row.digests?;
            if let Some(form) = digests.iter().position(|&digest| Some(digest) == row.hash) {
                return Some(form);
            }
            let signature = row.signature?;
            let signs = |digest: &Digest| row::signed_by(&signature, question.keys, &forms, digest).is_some();
            if row.hash.as_ref().is_some_and(signs) { None } else { digests.iter().position(signs) }
        })
    });
    let prev = prev.unwrap_or(0);
    let signed = question.recipe[1].or_else(|| {
        rows().find_map(|row| {
            let signature = row.signature?;
            let signers = signed_digests(row, prev);
            let signer =
                signers.iter().find_map(|digest| row::signed_by(&signature, question.keys, &[0, 1, 2], digest));
            signer.map(|(_, form)| form)
        })
    });
    [prev, signed.unwrap_or(0)]
}

/// Rule 1: the digests over which a row's signature may stand.
fn signed_digests(row: &Row, prev: usize) -> Vec<Digest> {
    let recomputed = row.digests.map(|digests| digests[prev]).filter(|digest| row.hash != Some(*digest));
    row.hash.into_iter().chain(recomputed).collect()
}

fn prove(row: &Row, keys: &[VerifyingKey], recipe: [usize; 2]) -> Proof {
    let mut codes = row.codes.clone();
    let digest = row.digests.map(|digests| digests[recipe[0]]);
    if let (Some(hash), Some(digest)) = (row.hash, digest)
        && hash != digest
    {
        codes.push("hash-mismatch");
    }
    let mut key = None;
    let digests = signed_digests(row, recipe[0]);
    if let Some(signature) = row.signature.filter(|_| !keys.is_empty() && !digests.is_empty()) {
        let signer = digests.iter().find_map(|digest| row::signed_by(&signature, keys, &[recipe[1]], digest));
        key = signer.map(|(key, _)| key);
        if key.is_none() {
            codes.push("signature-invalid");
        }
    }
    Proof { digest, key, codes }
}
