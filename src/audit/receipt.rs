//! A receipt, verified: by itself, and against the ledger that it speaks of if that is given.

use std::fs::File;
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};

use sha2::{Digest as _, Sha256};

use super::load::read_small;
use super::{Request, keys, run};
use crate::algorithm::{KeyWish, SignatureAlgorithm};
use crate::finding::{Code, Policy};
use crate::pipeline::Observer;
use crate::report::receipt::{Fact, Open, ReceiptReport};
use crate::report::{Environment, Outcome};
use crate::row::Value;
use crate::stop::{Stop, StopCode};
use crate::trust::dialect::{Dialect, trim};
use crate::trust::key;
use crate::trust::lines::Lines;
use crate::trust::receipt::{grade, ledger};

/// Bytes of the largest receipt or grade.
const LARGEST: u64 = 16 << 20;

/// What is asked of a receipt.
#[derive(Clone, Debug, Default)]
pub struct ReceiptRequest {
    /// The receipt.
    pub path: PathBuf,
    /// The ledger that it speaks of.
    pub ledger: Option<PathBuf>,
    /// The grade that it speaks of.
    pub grade: Option<PathBuf>,
    /// Keys that are trusted.
    pub keys: Vec<PathBuf>,
    /// For whom it must be.
    pub audience: Option<String>,
    /// Threads; 0 means one for each core.
    pub threads: usize,
}

/// Verify a receipt.
///
/// # Errors
///
/// A stop for a file that cannot be read or used, and for what does not go with this kind of receipt.
pub fn receipt(
    request: &ReceiptRequest,
    environment: Environment,
    observer: &dyn Observer,
) -> Result<ReceiptReport, Stop> {
    let bytes = read_small(&request.path, "receipt", LARGEST, StopCode::Unreadable)?;
    let name = request.path.display().to_string();
    let mut dialect = Dialect::default();
    let twice = dialect.read_strict(&bytes).err().map(|wrong| wrong.why);
    let Ok(row) = dialect.read(&bytes) else {
        let reasons = vec![format!("not JSON: {}", twice.unwrap_or_default())];
        return Ok(ReceiptReport { name, kind: "unknown", ok: false, facts: Vec::new(), reasons, open: Vec::new() });
    };
    let root = row.root();
    let of = |member| root.get(member).and_then(Value::as_str);
    let report = match root.get("payload").is_some() || of("format") == Some(grade::FORMAT) {
        true => graded(request, root)?,
        false => of_ledger(request, root, environment, observer)?,
    };
    let mut report = ReceiptReport { name, ..report };
    report.facts.push(("duplicate_keys", Fact::Text(twice.clone())));
    if let Some(twice) = twice {
        report.ok = false;
        report.reasons.push(twice);
    }
    Ok(report)
}

/// A receipt over a ledger.
fn of_ledger(
    request: &ReceiptRequest,
    root: Value<'_>,
    environment: Environment,
    observer: &dyn Observer,
) -> Result<ReceiptReport, Stop> {
    if !request.keys.is_empty() || request.audience.is_some() || request.grade.is_some() {
        let why = "--key, --audience and --grade are for signed grades, and this receipt carries no key";
        return Err(Stop::new(StopCode::Usage, why).hint("give it with --ledger alone"));
    }
    let known = root.get("receipt_version").and_then(Value::as_str) == Some(ledger::VERSION);
    let kind = if known { ledger::VERSION } else { "unknown" };
    let facts = |digest: bool, status: &str, witness: &str, attestation: &str| {
        vec![
            ("body_digest_ok", Fact::Bool(Some(digest))),
            ("ledger_status", Fact::word(status)),
            ("witness", Fact::word(witness)),
            ("attestation_signature", Fact::word(attestation)),
        ]
    };
    let none = "not_checked";
    let report = |ok, facts, reasons, open| ReceiptReport { name: String::new(), kind, ok, facts, reasons, open };
    if !root.is_object() {
        let reasons = vec![format!("a receipt is an object, and this is {}", root.kind())];
        return Ok(report(false, facts(false, none, none, none), reasons, Vec::new()));
    }
    let shown = ledger::look(root);
    let status = match &request.ledger {
        Some(path) => held_against(path, &shown, request.threads, environment, observer)?,
        None => none,
    };
    let mut reasons = Vec::new();
    let mut fails = |failed: bool, why: &str| {
        if failed {
            reasons.push(why.to_owned());
        }
    };
    fails(!shown.body_digest_ok, "body_digest is not the digest of the body");
    fails(!known, "receipt_version is none that is known");
    fails(!matches!(status, "consistent" | "not_checked"), status);
    fails(shown.witness == "inconsistent", "witness: what is attached of it contradicts itself or the ledger block");
    fails(shown.attestation == "mismatch", "attestation_signature is not over this body");
    let unsigned = "the format carries no key and no scheme for attestation_signature: it was not checked";
    let open = [
        (status == none, "no --ledger was given: what the receipt says of it was not checked", true),
        (shown.attestation == "could_not_look", unsigned, true),
        (shown.witness == "claimed", "witness: claimed, not checked", false),
        (shown.anchor, "anchor: not checked", false),
    ];
    let open = open.into_iter().filter(|(is, ..)| *is).map(|(_, what, bounds)| Open { what, bounds }).collect();
    let ok = reasons.is_empty();
    Ok(report(ok, facts(shown.body_digest_ok, status, shown.witness, shown.attestation), reasons, open))
}

/// What the ledger says to a receipt.
fn held_against(
    path: &Path,
    shown: &ledger::Shown,
    threads: usize,
    environment: Environment,
    observer: &dyn Observer,
) -> Result<&'static str, Stop> {
    let failed = |error: io::Error| Stop::new(StopCode::Unreadable, format!("ledger {}: {error}", path.display()));
    // It is read twice; a device, which may never end, is no ledger of a receipt.
    if !path.metadata().map_err(failed)?.is_file() {
        let why = format!("ledger {}: it is no regular file", path.display());
        return Err(Stop::new(StopCode::Unreadable, why).hint("save the ledger to a file, which is read twice"));
    }
    let request = Request {
        exports: vec![path.to_owned()],
        profile: Some("arcaeon".to_owned()),
        policy: Policy { accepted: vec![Code::NoAnchor], strict: false },
        threads,
        ..Request::default()
    };
    let report = match run(&request, environment, observer) {
        Outcome::Report(report) => report,
        Outcome::Stop(stop) => return Err(stop),
    };
    // Bounded counts as broken here.
    if report.verdict.exit_code() != 0 {
        return Ok("chain_broken");
    }
    let Some((seen, sha256)) = File::open(path).and_then(|file| rows(file, shown)).map_err(failed)? else {
        return Ok("row_not_found");
    };
    if report.subjects.first().is_none_or(|subject| subject.sha256 != sha256) {
        let why = format!("ledger {}: it changed while it was read", path.display());
        return Err(Stop::new(StopCode::Unreadable, why).hint("verify a copy that nobody writes to"));
    }
    Ok(match seen {
        Seen { row: false, .. } => "row_not_found",
        Seen { head: false, .. } => "head_mismatch",
        Seen { .. } => "consistent",
    })
}

/// What the rows of a whole ledger show of a receipt.
#[derive(Clone, Copy, Debug, Default)]
struct Seen {
    /// A row has the digest of the body and the head that is stated.
    row: bool,
    /// The row that made it so many rows has that head.
    head: bool,
}

/// Look through a ledger whose rows are all whole: each line that is not blank is one. With its SHA-256. `None` for
/// a receipt that states no head.
fn rows(file: File, shown: &ledger::Shown) -> io::Result<Option<(Seen, String)>> {
    let stated = shown.ledger.as_ref().and_then(|ledger| Some((ledger.chain.as_deref()?, ledger.rows)));
    let (Some((chain, number)), Some(digest)) = (stated, shown.body_digest.as_deref()) else { return Ok(None) };
    let mut hashed = Hashed { file, sha256: Sha256::new() };
    let (mut seen, mut count, mut dialect) = (Seen::default(), 0, Dialect::default());
    let mut lines = Lines::new(BufReader::with_capacity(1 << 18, &mut hashed));
    while let Some(line) = lines.next()? {
        let text = line.map(String::from_utf8_lossy).unwrap_or_default();
        let text = trim(&text);
        if text.is_empty() {
            continue;
        }
        count += 1;
        let Ok(row) = dialect.read(text.as_bytes()) else { continue };
        let member = |name| row.root().get(name).and_then(Value::as_str);
        if member("chain") == Some(chain) {
            seen.row |= member("body_digest") == Some(digest);
            seen.head |= Some(count) == number;
        }
    }
    Ok(Some((seen, data_encoding::HEXLOWER.encode(&hashed.sha256.finalize()))))
}

/// A file whose bytes are hashed as they are read.
struct Hashed {
    file: File,
    sha256: Sha256,
}

impl Read for Hashed {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.file.read(buffer)?;
        self.sha256.update(buffer.get(..read).unwrap_or_default());
        Ok(read)
    }
}

/// A signed grade.
fn graded(request: &ReceiptRequest, root: Value<'_>) -> Result<ReceiptReport, Stop> {
    if request.ledger.is_some() {
        let why = "--ledger is for receipts over a ledger, and this one is over a grade";
        return Err(Stop::new(StopCode::Usage, why).hint("give the grade with --grade FILE"));
    }
    let files: Vec<(Option<String>, PathBuf)> = request.keys.iter().map(|path| (None, path.clone())).collect();
    let mut trusted = Vec::new();
    for file in keys::files(&files)? {
        let read = key::read(file.bytes(), &KeyWish::of(SignatureAlgorithm::Ed25519), file.source())?;
        trusted.extend(read.iter().filter_map(key::Key::bare));
    }
    let text =
        request.grade.as_deref().map(|path| read_small(path, "grade", LARGEST, StopCode::Unreadable)).transpose()?;
    let mut dialect = Dialect::default();
    let grade = match &text {
        Some(text) => match dialect.read_strict(text) {
            Ok(row) => Some(row.root()),
            Err(wrong) => return Err(Stop::new(StopCode::Unreadable, format!("the grade is not JSON: {wrong}"))),
        },
        None => None,
    };
    let shown = grade::look(root, &grade::Known { keys: &trusted, audience: request.audience.as_deref(), grade });
    let mut open = Vec::new();
    if trusted.is_empty() {
        let what = "no --key was given: that one key signed it is shown, and not whose key that is";
        open.push(Open { what, bounds: true });
    }
    if request.grade.is_none() {
        open.push(Open { what: "grade not compared: no --grade was given", bounds: false });
    }
    Ok(ReceiptReport {
        name: String::new(),
        kind: grade::FORMAT,
        ok: shown.reasons.is_empty(),
        facts: vec![
            ("verified", Fact::Bool(Some(shown.reasons.is_empty()))),
            ("bound_to_grade", Fact::Bool(shown.bound_to_grade)),
            ("signer", Fact::Text(shown.signer)),
        ],
        reasons: shown.reasons,
        open,
    })
}
