//! A profile is tried on an export: how much of it the profile reproduces, and where it first does not.
//!
//! Rows are taken one after the other, without threads and without a walk: what counts is the first row
//! that does not fit, with the bytes that its digest was computed of.

use std::path::PathBuf;

use super::fit::{Fitting, RowFit};
use super::{folder, keys, load};
use crate::fact::{DigestFact, Place, Recipe};
use crate::profile::Plan;
use crate::read::{Access, Export, Kind, Limits};
use crate::report::fit::{Count, Fit, KEPT, Misfit, What};
use crate::report::message::message;
use crate::stop::{Stop, StopCode};
use crate::trust::keyring::Keyring;

/// Remarks on a row.
const REMARKS: usize = 8;

/// Rows by which the reading of a format that leaves something open is chosen.
const CHOOSING: u64 = 64;

/// Which profile is tried on what.
#[derive(Clone, Debug)]
pub struct Rehearsal {
    /// A built-in name or a TOML file.
    pub profile: String,
    /// The export: its parts, in order, as in [`super::Request`].
    pub exports: Vec<PathBuf>,
    /// Key files, each perhaps for a role.
    pub keys: Vec<(Option<String>, PathBuf)>,
    /// Readings that are pinned.
    pub recipe: Option<String>,
    /// Bytes of the longest row.
    pub max_row_bytes: usize,
}

/// Try a profile on an export.
///
/// # Errors
///
/// A stop for a profile, key or file that cannot be used, and for an export without rows.
pub fn rehearse(request: &Rehearsal) -> Result<Fit, Stop> {
    let files = keys::files(&request.keys)?;
    let plan = load::profile(&request.profile)?;
    let keys = keys::keyring(&files, &plan)?;
    let parts = folder::expand(&request.exports, &plan)?;
    let export = Export::open_as(&parts.paths, &plan.input.shape(), Access::default())?;
    let recipe = match &request.recipe {
        Some(text) => plan.pinned(text)?,
        None => reading(&plan, &keys, &export, request)?,
    };
    let mut fit = Fit {
        profile: plan.name.clone(),
        sha256: plan.sha256.clone(),
        recipe: plan.recipe_text(recipe),
        rows: 0,
        unreadable: 0,
        digests: Count::default(),
        links: Count::default(),
        signatures: Count::default(),
        misfit: None,
    };
    let mut before = Vec::new();
    each_row(&plan, &keys, recipe, &export, request, |place, row, fitting| {
        fit.rows += 1;
        fit.unreadable += u64::from(row.unreadable.is_some());
        count(&mut fit.digests, row.digest, row.keyless && plan.fields.hash.is_some());
        count(&mut fit.links, row.link, false);
        let unkeyed = row.signature.is_none() && row.facts.as_ref().is_some_and(|facts| facts.signed);
        count(&mut fit.signatures, row.signature, unkeyed);
        if fit.misfit.is_none() && row.fails() {
            fit.misfit = Some(misfit(&plan, place, row, fitting, &before));
        }
        // What a row hashes to shows only in the next one, where rows do not state it.
        before = if plan.fields.hash.is_none() { kept(fitting.preimage()) } else { Vec::new() };
        true
    })?;
    match fit.rows {
        0 => Err(Stop::new(StopCode::Unreadable, format!("{}: there is no row", export.path(0).display()))
            .hint("give an export with rows to try the profile on")),
        _ => Ok(fit),
    }
}

/// The reading that the first rows are in, where the format leaves that open.
fn reading(plan: &Plan, keys: &Keyring, export: &Export, request: &Rehearsal) -> Result<Recipe, Stop> {
    let settled = plan.settled();
    if settled.hash.is_some() {
        return Ok(settled);
    }
    let mut fits = vec![0u64; plan.hash.readings.len()];
    let mut rows = 0;
    each_row(plan, keys, settled, export, request, |_, row, _| {
        if let Some(facts) = &row.facts
            && let DigestFact::Readings(digests) = &facts.digest
        {
            let same = digests.iter().map(|digest| u64::from(Some(*digest) == facts.hash));
            fits.iter_mut().zip(same).for_each(|(fits, same)| *fits += same);
        }
        rows += 1;
        rows < CHOOSING
    })?;
    // The first of those that fit best: of equals the one that the profile names first.
    let best = (0..).zip(&fits).max_by_key(|(reading, fits)| (**fits, std::cmp::Reverse(*reading)));
    Ok(Recipe { hash: best.map(|(reading, _)| reading), ..settled })
}

/// Hold each row against the plan until `look` has seen enough.
fn each_row(
    plan: &Plan,
    keys: &Keyring,
    recipe: Recipe,
    export: &Export,
    request: &Rehearsal,
    mut look: impl FnMut(Place, &RowFit, &Fitting<'_>) -> bool,
) -> Result<(), Stop> {
    let mut fitting = Fitting::new(plan, keys, recipe);
    for batch in export.batches(Limits { max_row_bytes: request.max_row_bytes, ..Limits::default() }) {
        let batch = batch.map_err(|error| export.stop(&error))?;
        for line in batch.lines().filter(|line| line.kind != Kind::Blank) {
            let row = match line.kind {
                Kind::TooLong => Some(RowFit::too_long(line.place)),
                _ => fitting.row(&line),
            };
            let Some(row) = row else { continue };
            if !look(line.place, &row, &fitting) {
                return Ok(());
            }
        }
    }
    Ok(())
}

fn count(count: &mut Count, fits: Option<bool>, open: bool) {
    match fits {
        Some(true) => count.fit += 1,
        Some(false) => count.differ += 1,
        None => count.open += u64::from(open),
    }
}

/// What does not fit of this row, and why.
fn misfit(plan: &Plan, place: Place, row: &RowFit, fitting: &Fitting<'_>, before: &[u8]) -> Misfit {
    let mut out = Misfit {
        part: place.part,
        line: place.line,
        sequence: row.facts.as_ref().and_then(|facts| facts.sequence).map(|sequence| sequence.get()),
        what: What::Row,
        remarks: row.unreadable.iter().map(message).collect(),
        computed: None,
        stated: None,
        bytes: None,
    };
    let Some(facts) = &row.facts else { return out };
    out.remarks = facts.findings.iter().chain(&facts.unequal).take(REMARKS).map(message).collect();
    let written = |digest| plan.form.encode(&digest);
    if row.digest == Some(false) {
        out.what = What::Digest;
        out.stated = facts.hash.map(written);
        if let DigestFact::Recomputed(digest) = &facts.digest {
            (out.computed, out.bytes) = (Some(written(*digest)), Some(kept(fitting.preimage())));
        }
    } else if row.link == Some(false) {
        out.what = What::Link;
        out.computed = row.predecessor.map(written);
        out.stated = facts.prev.map(written);
        out.bytes = (row.predecessor.is_some() && !before.is_empty()).then(|| before.to_vec());
    } else {
        out.what = What::Signature;
        out.bytes = (row.signature == Some(false)).then(|| kept(fitting.message()));
    }
    out
}

fn kept(bytes: &[u8]) -> Vec<u8> {
    bytes.get(..KEPT).unwrap_or(bytes).to_vec()
}
