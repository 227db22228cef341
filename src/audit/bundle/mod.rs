//! An evidence bundle, re-derived: nothing that it states is taken for true before it was seen.
//!
//! Every file is held against the manifest, and the ledger is audited anew, strict and not. What the bundle's
//! own report states is then compared with that. The verdict is the ledger's, never the one that is stated; any
//! mismatch is a fault. `arcaeon-ledger-evidence-bundle/1` is the one format that is known.

mod container;
mod extent;
mod manifest;
mod pin;
mod said;

use std::path::{Path, PathBuf};

use super::{Pins, Request, run};
use crate::fact::{AnchorFacts, AnchorKind, AnchorVerdict};
use crate::finding::{Code, Policy};
use crate::pipeline::Observer;
use crate::read::is_compressed;
use crate::report::bundle::{Answer, BundleCheck, BundleReport, Ledger, Mismatch, Said};
use crate::report::{Environment, Outcome, Report};
use crate::stop::Stop;
use crate::trust::dialect::Dialect;
use crate::verdict::Status;
use container::{Container, Sum, Unplaced, is_plain};
use manifest::Manifest;
use pin::Pin;

/// The format of the ledger in a bundle.
const PROFILE: &str = "arcaeon";

/// The file that lists the others.
const MANIFEST: &str = "MANIFEST.json";

/// What a witness answered, if it was asked.
const WITNESS: &str = "witness_latest.json";

/// The prose for the reader.
const README: &str = "README.txt";

/// The mode in which the package verifies the ledger of a bundle.
const STRICT: &str = "strict";

/// Bytes of the largest manifest or report that is read.
const DOCUMENT: u64 = 16 << 20;

/// Declared breaks whose words are compared.
const LISTED: usize = 100_000;

/// Mismatches that are listed.
const MISMATCHES: usize = 1000;

/// What is asked of a bundle.
#[derive(Clone, Debug, Default)]
pub struct BundleRequest {
    /// The folder or zip.
    pub path: PathBuf,
    /// Threads; 0 means one for each core.
    pub threads: usize,
}

/// Re-derive a bundle.
///
/// # Errors
///
/// A stop for what is no folder and no zip, and for a ledger that cannot be unpacked or read where nothing else is
/// wrong.
pub fn bundle(
    request: &BundleRequest,
    environment: Environment,
    observer: &dyn Observer,
) -> Result<BundleReport, Stop> {
    let container = Container::open(&request.path)?;
    let mut look = Look { container, checks: Vec::new(), mismatches: Vec::new(), stored: None, answer: None };
    let report = |look: Look, unseen, ledger| BundleReport {
        name: request.path.display().to_string(),
        kind: look.container.kind,
        checks: look.checks,
        mismatches: look.mismatches,
        unseen,
        answer: look.answer,
        ledger,
    };
    if !look.container.has(MANIFEST) {
        let why = match look.container.why_not(MANIFEST) {
            Some(why) => format!("{MANIFEST} is there and not read: {why}"),
            None => format!("there is no {MANIFEST} that could say what belongs to the bundle"),
        };
        look.check("manifest", |_| Status::NotChecked);
        return Ok(report(look, Some(why), None));
    }
    let Some(manifest) = look.manifest() else { return Ok(report(look, None, None)) };
    look.names(&manifest);
    let answer = look.answer();
    let pin = answer.as_deref().and_then(pin::read);
    let witness =
        pin.as_ref().and_then(|pin| Some((Pins::Text(WITNESS.to_owned(), answer.clone()?), pin.namespace.clone())));
    let audited = look.ledger(&manifest, witness, request, environment, observer);
    look.files(&manifest);
    look.witness(&manifest, pin, audited.as_ref().ok().map(|(report, _)| &**report));
    match audited {
        Ok((lenient, strict)) => {
            let ledger = look.verdict(&manifest, lenient, &strict);
            Ok(report(look, None, Some(ledger)))
        }
        Err(Some(stop)) if look.mismatches.is_empty() => Err(stop),
        Err(stop) => Ok(report(look, stop.map(|stop| stop.message), None)),
    }
}

/// A bundle that is being looked at.
struct Look {
    container: Container,
    checks: Vec<BundleCheck>,
    mismatches: Vec<Mismatch>,
    /// The bytes of the ledger that was audited, as they are stored.
    stored: Option<Sum>,
    /// What the answer of a witness that is in the bundle says of the ledger.
    answer: Option<Answer>,
}

impl Look {
    /// Make a check: it failed if it found a mismatch.
    fn check(&mut self, id: &'static str, look: impl FnOnce(&mut Self) -> Status) {
        let status = look(self);
        let failed = self.mismatches.iter().any(|mismatch| mismatch.check == id);
        let status = if failed { Status::Failed } else { status };
        self.checks.push(BundleCheck { id, status });
    }

    fn mismatch(
        &mut self,
        check: &'static str,
        what: impl Into<String>,
        stated: Option<String>,
        found: impl Into<String>,
    ) {
        let mismatch = Mismatch { check, what: what.into(), stated, found: found.into() };
        if self.mismatches.len() < MISMATCHES && !self.mismatches.contains(&mismatch) {
            self.mismatches.push(mismatch);
        }
    }

    /// Hold a text that the bundle states, or what stands in its place, against what it must be.
    fn text(&mut self, check: &'static str, what: &str, stated: Result<String, String>, found: &str) {
        if stated.as_deref() != Ok(found) {
            self.mismatch(check, what, Some(stated.unwrap_or_else(|written| written)), found);
        }
    }

    /// (a) The manifest is of a known format.
    fn manifest(&mut self) -> Option<Manifest> {
        let mut read = None;
        self.check("manifest", |look| {
            let bytes = look.container.small(MANIFEST, DOCUMENT).map_err(|error| error.to_string());
            match bytes.and_then(|bytes| manifest::read(&bytes, DOCUMENT)) {
                Ok(manifest) => read = Some(manifest),
                Err(wrong) => look.mismatch("manifest", MANIFEST, None, wrong),
            }
            Status::Passed
        });
        read
    }

    /// (c) No file is there that is not listed, and nothing but files.
    fn names(&mut self, manifest: &Manifest) {
        self.check("unlisted", |look| {
            for (name, why) in look.container.odd.clone() {
                look.mismatch("unlisted", name, None, why);
            }
            for name in look.container.names.clone() {
                if name != MANIFEST && !manifest.files.contains_key(&name) {
                    look.mismatch("unlisted", name, None, "it is not listed in the manifest");
                }
            }
            Status::Passed
        });
    }

    /// (b) Every listed file is there, with the length and digest that are stated, of the bytes as they are stored;
    /// (d) the ledger's digest stands twice.
    fn files(&mut self, manifest: &Manifest) {
        self.check("files", |look| {
            for (name, stated) in &manifest.files {
                if !is_plain(name) {
                    look.mismatch("files", name, None, "it is not a plain file name");
                    continue;
                }
                if !look.container.has(name) {
                    look.mismatch("files", name, None, "it is listed and not there");
                    continue;
                }
                let placed = look.stored.take_if(|_| *name == manifest.ledger_file);
                let found = placed.map_or_else(|| look.container.sum(name, stated.bytes), Ok);
                match found.map(|sum| (sum.bytes, sum.sha256)) {
                    Ok((bytes, _)) if bytes > stated.bytes => {
                        look.mismatch("files", name, Some(format!("{} bytes", stated.bytes)), "longer");
                    }
                    Ok((bytes, _)) if bytes < stated.bytes => {
                        look.mismatch("files", name, Some(format!("{} bytes", stated.bytes)), format!("{bytes} bytes"));
                    }
                    Ok((_, sha256)) if sha256 != stated.sha256 => {
                        look.mismatch("files", name, Some(stated.sha256.clone()), sha256);
                    }
                    Ok(_) => {}
                    Err(error) => look.mismatch("files", name, None, format!("it cannot be read: {error}")),
                }
            }
            Status::Passed
        });
        self.check("ledger-digest", |look| {
            match manifest.files.get(&manifest.ledger_file) {
                Some(listed) if listed.sha256 == manifest.ledger_sha256 => {}
                Some(listed) => {
                    let stated = Some(manifest.ledger_sha256.clone());
                    look.mismatch("ledger-digest", "ledger_sha256", stated, listed.sha256.clone());
                }
                None => look.mismatch("ledger-digest", &manifest.ledger_file, None, "the ledger is not listed"),
            }
            Status::Passed
        });
    }

    /// What a witness answered, if that is in the bundle and not larger than an answer may be.
    fn answer(&mut self) -> Option<Vec<u8>> {
        if !self.container.has(WITNESS) {
            return None;
        }
        // What cannot be read is told where the files are compared.
        self.container.small(WITNESS, DOCUMENT).ok().filter(|answer| answer.len() as u64 <= DOCUMENT)
    }

    /// (f) A witness's answer is there if and only if the manifest says so; and a pin in it does not contradict the
    /// ledger.
    fn witness(&mut self, manifest: &Manifest, pin: Option<Pin>, ledger: Option<&Report>) {
        self.check("witness", |look| {
            let (stated, found) = (&manifest.witness_included, look.container.has(WITNESS));
            if *stated != Ok(found) {
                let stated = stated.as_ref().map_or_else(Clone::clone, ToString::to_string);
                look.mismatch("witness", "witness.included", Some(stated), found.to_string());
            }
            if found && let Some(file) = &manifest.witness_file {
                look.text("witness", "witness.file", file.clone(), WITNESS);
            }
            let is_witness = |anchor: &&AnchorFacts| anchor.kind == AnchorKind::Witness;
            let anchor = ledger.and_then(|report| report.anchors.iter().find(is_witness)).filter(|_| pin.is_some());
            if let Some(anchor) = anchor
                && matches!(anchor.verdict, AnchorVerdict::Truncated | AnchorVerdict::Rewritten)
            {
                let stated = format!("{} at row {}", anchor.head, anchor.rows.unwrap_or_default());
                look.mismatch("witness", WITNESS, Some(stated), format!("{} in the ledger", anchor.verdict.name()));
            }
            look.answer = found.then(|| Answer {
                verdict: match (&pin, anchor) {
                    (None, _) => "no_pin",
                    (Some(_), Some(anchor)) => anchor.verdict.name(),
                    (Some(_), None) => "not_compared",
                },
                pin: pin.map(|pin| (pin.namespace, pin.rows)),
            });
            Status::Passed
        });
    }

    /// The ledger, audited: not strict and strict. `Err` without a stop where there is none to audit.
    fn ledger(
        &mut self,
        manifest: &Manifest,
        witness: Option<(Pins, String)>,
        request: &BundleRequest,
        environment: Environment,
        observer: &dyn Observer,
    ) -> Result<(Box<Report>, Box<Report>), Option<Stop>> {
        let name = &manifest.ledger_file;
        let listed = manifest.files.get(name).filter(|_| is_plain(name) && self.container.has(name)).ok_or(None)?;
        // A ledger that is longer than stated is a mismatch, however much of it is read.
        let placed = match self.container.place(name, listed.bytes) {
            Ok(placed) => placed,
            Err(Unplaced::NoRoom(stop)) => return Err(Some(stop)),
            Err(Unplaced::Unreadable(error)) => {
                self.mismatch("files", name, None, format!("it cannot be read: {error}"));
                return Err(None);
            }
        };
        self.stored = Some(placed.sum.clone());
        // The package reads the bytes as they are stored; an audit would read what they decompress to.
        let start = self.container.small(name, 4);
        if start.is_ok_and(|start| is_compressed(&start)) {
            self.mismatch("files", name, None, "it is compressed, and the package reads a ledger as it is stored");
            return Err(None);
        }
        let accepted = match &witness {
            Some(_) => vec![Code::NoAnchor, Code::AfterAnchor],
            None => vec![Code::NoAnchor],
        };
        let audit = |path: &Path, strict| {
            let request = Request {
                exports: vec![path.to_owned()],
                profile: Some(PROFILE.to_owned()),
                // The manifest, which the user names with the bundle, states the digest of the whole file.
                policy: Policy { accepted: accepted.clone(), strict },
                // Once is enough, and what the package says strictly knows no witness.
                witness: witness.clone().filter(|_| !strict),
                max_findings: LISTED,
                threads: request.threads,
                ..Request::default()
            };
            match run(&request, environment.clone(), observer) {
                Outcome::Report(mut report) => {
                    report.subjects.iter_mut().for_each(|subject| subject.name.clone_from(name));
                    Ok(report)
                }
                Outcome::Stop(stop) => Err(Some(stop)),
            }
        };
        let (lenient, strict) = (audit(&placed.path, false)?, audit(&placed.path, true)?);
        let stored = |report: &Report| report.subjects.first().is_some_and(|file| file.sha256 == placed.sum.sha256);
        // A ledger that is longer than stated is a mismatch anyway, and was not read to its end for its digest.
        if placed.sum.bytes <= listed.bytes && !(stored(&lenient) && stored(&strict)) {
            self.mismatch("files", name, None, "what was audited is not what is stored: it changed while it was read");
        }
        Ok((lenient, strict))
    }

    /// (e) What the bundle states of the ledger is what the ledger shows.
    fn verdict(&mut self, manifest: &Manifest, lenient: Box<Report>, strict: &Report) -> Ledger {
        let (said, said_strict) = (said::said(&lenient), said::said(strict));
        let adopted = adopts(&said_strict, &said);
        self.check("report", |look| {
            let word = |ok: Option<bool>| ok.map_or("null".to_owned(), |ok| ok.to_string());
            if manifest.verify_ok != Ok(said_strict.ok) {
                let stated = manifest.verify_ok.clone().map_or_else(|written| written, word);
                look.mismatch("report", "MANIFEST.json verify.ok", Some(stated), word(said_strict.ok));
            }
            look.text("report", "MANIFEST.json verify.mode", manifest.verify_mode.clone(), STRICT);
            let name = &manifest.verify_file;
            if !look.container.has(name) {
                look.mismatch("report", name, None, "the report on the ledger is not there");
                return Status::Failed;
            }
            let bytes = match look.container.small(name, DOCUMENT) {
                Ok(bytes) if bytes.len() as u64 <= DOCUMENT => bytes,
                Ok(_) => {
                    look.mismatch("report", name, None, format!("it is larger than {DOCUMENT} bytes"));
                    return Status::Failed;
                }
                Err(error) => {
                    look.mismatch("report", name, None, format!("it cannot be read: {error}"));
                    return Status::Failed;
                }
            };
            let mut dialect = Dialect::default();
            let root = match dialect.read_strict(&bytes) {
                Ok(row) => row.root(),
                Err(wrong) => {
                    look.mismatch("report", name, None, format!("it is not JSON: {wrong}"));
                    return Status::Failed;
                }
            };
            look.text("report", "mode", manifest::text_or_written(root.get("mode")), STRICT);
            // A ledger that has the name of another file of the bundle stands in it under a longer one.
            let stated = manifest::text_or_written(root.get("ledger_file"));
            let renamed = |name: &String| {
                [MANIFEST, WITNESS, README, manifest.verify_file.as_str()].contains(&name.as_str())
                    && manifest.ledger_file == format!("ledger_{name}")
            };
            if !stated.as_ref().is_ok_and(renamed) {
                look.text("report", "ledger_file", stated, &manifest.ledger_file);
            }
            for (part, said) in [("result", &said_strict), ("lenient_result", &said)] {
                for (member, stated, found) in said::differences(root.get(part), said) {
                    let what = if member.is_empty() { part.to_owned() } else { format!("{part}.{member}") };
                    look.mismatch("report", what, Some(stated), found);
                }
            }
            let adoption = root.get("prechain_adoption");
            if adoption.and_then(|value| value.as_bool()) != Some(adopted) {
                look.mismatch("report", "prechain_adoption", Some(manifest::written(adoption)), adopted.to_string());
            }
            Status::Passed
        });
        Ledger { report: lenient, strict: said_strict, lenient: said, prechain_adoption: adopted }
    }
}

/// Whether a ledger was taken into a chain late and is whole from there on.
fn adopts(strict: &Said, lenient: &Said) -> bool {
    strict.ok == Some(false)
        && lenient.ok.is_none()
        && lenient.verified_scope == "bounded_prechain_skipped"
        && lenient.chained > 0
}
