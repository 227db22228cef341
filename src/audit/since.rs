//! An audit since an earlier report: what that report may vouch for, and what it leaves open here too.
//!
//! The report is believed as it stands, since nobody signs it; that it is about the first bytes of this export is
//! found out. Before the export is read it is decided whether it can vouch at all: a report of another format,
//! of other keys, or of a broken ledger is a stop. What it left open about digests and signatures stays open, and
//! what was accepted then is not accepted now.

use std::path::Path;

use super::earlier::earlier;
use crate::chain::{Totals, Vouched};
use crate::fact::Recipe;
use crate::finding::{Class, Code, Finding, Tally};
use crate::pipeline::Walked;
use crate::profile::Plan;
use crate::read::Layout;
use crate::report::identity::text;
use crate::report::since::{Before, Signer, SinceFacts};
use crate::report::{KeyFacts, Report};
use crate::stop::{Stop, StopCode};
use crate::trust::key::Key;
use crate::trust::keyring::{Keyring, TrustedKey};
use crate::verdict::{Check, CheckId, Verdict};

/// What an earlier report found of digests and signatures, which nothing but its word shows here.
const CARRIED: [Code; 2] = [Code::NoKey, Code::KeysInterleaved];

/// An earlier report that may vouch for the beginning of this export.
#[derive(Debug)]
pub(super) struct Since {
    report: Report,
    id: String,
}

/// What it vouches for, after the export was read.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Held {
    /// Whether the bytes are those that it is of.
    pub holds: bool,
    pub digests: u64,
    pub signatures: u64,
}

impl Since {
    /// The report of this file, for an export of so many parts in this format, with these readings pinned and under
    /// these keys.
    ///
    /// # Errors
    ///
    /// A stop, with the reason why it cannot vouch.
    pub fn read(path: &Path, plan: &Plan, pinned: Recipe, keys: &Keyring, parts: usize) -> Result<Self, Stop> {
        let name = path.display().to_string();
        let (report, id) = earlier(path)?.whole(&name)?;
        let refused = |why: &str, hint: &str| {
            Err(Stop::new(StopCode::Report, format!("--since {name}: {why}")).hint(hint.to_owned()))
        };
        let whole = "run it without --since: every row is checked then";
        match report.verdict {
            Verdict::Broken { .. } => return refused("its verdict is broken, so that it vouches for nothing", whole),
            _ if report.coverage.rows == 0 => return refused("it is of no row", whole),
            Verdict::Verified { .. } | Verdict::Bounded { .. } => {}
        }
        if report.unfinished.is_some() {
            return refused("its run did not come to the end of the export", whole);
        }
        if report.profile.sha256 != plan.sha256 {
            let (theirs, ours) = (&report.profile, plan);
            let why = format!(
                "it is of the profile {} (sha256:{}), and this export is read as {} (sha256:{})",
                theirs.name, theirs.sha256, ours.name, ours.sha256
            );
            return refused(&why, "name the profile of that report with --profile, or run it without --since");
        }
        if !plan.may_be(pinned, &report.profile.recipe) {
            let (theirs, ours) = (&report.profile.recipe, plan.recipe_text(pinned));
            let why = format!("it found the rows in the recipe {theirs}, and --recipe pins {ours}");
            return refused(&why, "run it without --recipe, or without --since");
        }
        let shape = plan.input.shape();
        if !matches!(shape.layout, Layout::Rows | Layout::Text { sidecar: None }) {
            return refused("the files of this format do not grow at their end alone", whole);
        }
        if report.subjects.len() > parts {
            let why = format!("it is of {} files, and {parts} were given", report.subjects.len());
            return refused(
                &why,
                "give the files of that report again, in their order, and what was added behind them",
            );
        }
        // Whatever such a key would say of the beginning nobody asked, and the bound can be accepted.
        if report.finding_counts.contains_key(&Code::NoKey) && !keys.is_empty() {
            let why = match report.keys.is_empty() {
                true => "the earlier report was made without a key",
                false => "the earlier report was made without a key for some of the rows",
            };
            return refused(why, whole);
        }
        let given = |known: &Signer| keys.keys().iter().any(|key| is_key(known, key));
        if let Some(missing) = signers(&report).iter().find(|key| !given(key)) {
            let bound = missing.id.as_ref().map_or_else(String::new, |id| format!(", bound to {id}"));
            let why = format!("it found rows signed under the key {}{bound}, which was not given", missing.fingerprint);
            return refused(
                &why,
                "give the keys of that report again, and newer ones besides, or run it without --since",
            );
        }
        Ok(Since { report, id })
    }

    /// The beginning of the export that it is of; `ends` bytes of it are checked all the same.
    pub fn vouched(&self, keys: &Keyring, ends: u64) -> Vouched {
        let signers = keys.numbered().filter(|(_, key)| self.rows_of(key) > 0).map(|(index, _)| index).collect();
        let bytes = self.report.subjects.last().map_or(0, |subject| subject.bytes);
        let part = u32::try_from(self.report.subjects.len().saturating_sub(1)).unwrap_or(u32::MAX);
        Vouched::new(part, bytes, ends, signers)
    }

    /// Rows that it found signed under a key.
    pub fn rows_of(&self, key: &TrustedKey) -> u64 {
        signers(&self.report).iter().filter(|known| is_key(known, key)).map(|known| known.rows).sum()
    }

    /// What it vouches for of what was walked.
    pub fn held(&self, walked: &Walked) -> Held {
        if self.changed(walked).is_some() || walked.prefix.is_none() {
            return Held::default();
        }
        let Totals { vouched, vouched_signed, .. } = walked.end.totals;
        Held {
            holds: true,
            digests: vouched.min(self.checked(CheckId::Digests)),
            signatures: vouched_signed.min(self.checked(CheckId::Signatures)),
        }
    }

    /// The fault of an export that does not begin with the bytes of the report.
    pub fn changed(&self, walked: &Walked) -> Option<Finding> {
        let finding = Finding::new(Code::PrefixChanged, None);
        let (last, whole) = self.report.subjects.split_last()?;
        let grown =
            whole.iter().zip(&walked.parts).find(|(then, now)| then.bytes != now.bytes || then.sha256 != now.sha256);
        if let Some((then, now)) = grown {
            return Some(finding.expected(stated(then.bytes, &then.sha256)).found(stated(now.bytes, &now.sha256)));
        }
        let expected = stated(last.bytes, &last.sha256);
        match &walked.prefix {
            Some(sha256) if *sha256 == last.sha256 => None,
            Some(sha256) => Some(finding.expected(expected).found(stated(last.bytes, sha256))),
            // What was not read to that byte can still have it.
            None if walked.unfinished.is_some() => None,
            None => {
                let now = walked.parts.get(whole.len()).map_or(0, |part| part.bytes);
                Some(finding.expected(expected).found(format!("a file of {now} bytes")))
            }
        }
    }

    /// The stop for rows in another reading than the report found, where no fault outranks it.
    ///
    /// # Errors
    ///
    /// That stop.
    pub fn same_recipe(&self, walked: &Walked, plan: &Plan, tally: &Tally) -> Result<(), Stop> {
        let (theirs, ours) = (&self.report.profile.recipe, plan.recipe_text(walked.end.recipe));
        if *theirs == ours || tally.faults() > 0 || walked.unfinished.is_some() || self.changed(walked).is_some() {
            return Ok(());
        }
        let why = format!("--since: the report found the rows in the recipe {theirs}, and now they are in {ours}");
        Err(Stop::new(StopCode::Report, why).hint("run it without --since: every row is checked then"))
    }

    /// The bounds of the report that only its checks could show, unless they are told anyway.
    pub fn bounds(&self, tally: &Tally) -> Vec<Finding> {
        let open =
            CARRIED.iter().filter(|code| self.report.finding_counts.contains_key(code) && tally.count(**code) == 0);
        open.map(|&code| Finding::new(code, None).found(format!("in what report {} vouches for", self.id))).collect()
    }

    /// What is said of it.
    pub fn facts(&self, held: Held) -> SinceFacts {
        let report = &self.report;
        let bounds = report.finding_counts.keys().copied();
        let through = report.since.iter();
        SinceFacts {
            report_id: self.id.clone(),
            verdict: report.verdict.word(),
            bounds: bounds.filter(|code| code.class() == Class::Bound).collect(),
            subjects: report
                .subjects
                .iter()
                .map(|subject| Before { bytes: subject.bytes, sha256: subject.sha256.clone(), rows: subject.rows })
                .collect(),
            holds: held.holds,
            digests: held.digests,
            signatures: held.signatures,
            keys: signers(report),
            through: through
                .flat_map(|since| std::iter::once(&since.report_id).chain(&since.through))
                .cloned()
                .collect(),
        }
    }

    /// How many it checked, or had vouched for.
    fn checked(&self, id: CheckId) -> u64 {
        let check = self.report.checks.iter().find(|check| check.id == id && !check.failed);
        check.map_or(0, Check::done)
    }
}

/// The keys under which a report found rows signed, or those that it was made with.
fn signers(report: &Report) -> Vec<Signer> {
    let mut signers: Vec<Signer> = report.since.iter().flat_map(|since| since.keys.iter().cloned()).collect();
    for KeyFacts { id, fingerprint, rows, .. } in report.keys.iter().filter(|key| key.rows > 0) {
        match signers.iter_mut().find(|known| known.id == *id && known.fingerprint == *fingerprint) {
            Some(known) => known.rows += rows,
            None => signers.push(Signer { id: id.clone(), fingerprint: fingerprint.clone(), rows: *rows }),
        }
    }
    signers
}

/// Whether this is the key of a report, and may sign now for all that it was bound to then.
fn is_key(known: &Signer, key: &TrustedKey) -> bool {
    key.key().is_some_and(|key: &Key| key.fingerprint() == known.fingerprint) && binds(known, key)
}

/// Whether a key is bound to all names that the report lists of it, which it joins as the report of this run will.
fn binds(known: &Signer, key: &TrustedKey) -> bool {
    let names: Vec<String> = key.bound.iter().map(|name| text(name)).collect();
    match &known.id {
        None => names.is_empty(),
        Some(_) if names.is_empty() => true,
        Some(id) => {
            *id == text(&key.bound.join(", ")) || id.split(", ").all(|one| names.iter().any(|name| name == one))
        }
    }
}

fn stated(bytes: u64, sha256: &str) -> String {
    format!("{bytes} bytes with sha256:{sha256}")
}
