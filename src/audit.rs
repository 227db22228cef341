//! One audit, from what the user hands over to what is said of it.
//!
//! Decides in which order things may fail: keys, profile and manifest are read before the export, so
//! that a stop comes at once; what only the rows can show (a key bound to no chain, say) stops at the
//! end, unless the rows showed a fault, which outranks it.

mod conclude;
mod load;

use std::path::PathBuf;
use std::sync::Arc;

use crate::chain::{ChainEnd, Rules};
use crate::fact::Pin;
use crate::finding::{Policy, Tally};
use crate::pipeline::{self, Job, Observer, Progress, Sizes, Unfinished};
use crate::profile::Plan;
use crate::read::Export;
use crate::report::{Environment, Outcome, Report};
use crate::stop::{Stop, StopCode};
use crate::trust::anchor::Manifest;
use crate::trust::keyring::Keyring;

/// Entries of the manifest whose heads are looked for among earlier rows: every row is compared with them.
const HEADS: usize = 64;

/// What the user asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The export: its parts, in order.
    pub exports: Vec<PathBuf>,
    /// Key files, each perhaps bound to a chain.
    pub keys: Vec<(Option<String>, PathBuf)>,
    /// A manifest that the user vouches for.
    pub manifest: Option<PathBuf>,
    /// Heads that were seen earlier: `HASH` or `HASH@SEQ`.
    pub heads: Vec<String>,
    /// The profile: a built-in name or a TOML file.
    pub profile: String,
    /// Readings that are pinned.
    pub recipe: Option<String>,
    /// How bounds are taken.
    pub policy: Policy,
    /// How many findings are listed.
    pub max_findings: usize,
    /// Bytes of the longest row.
    pub max_row_bytes: usize,
    /// Threads; 0 means one for each core.
    pub threads: usize,
}

/// Audit an export.
pub fn run(request: &Request, environment: Environment, observer: &dyn Observer) -> Outcome {
    outcome(audit(request, environment, Sizes::default(), observer))
}

/// The same with the work cut in another way: for tests, which hold us to the same report.
pub fn run_cut(request: &Request, environment: Environment, sizes: Sizes) -> Outcome {
    outcome(audit(request, environment, sizes, &()))
}

fn outcome(audited: Result<Report, Stop>) -> Outcome {
    match audited {
        Ok(report) => Outcome::Report(Box::new(report)),
        Err(stop) => Outcome::Stop(stop),
    }
}

fn audit(request: &Request, environment: Environment, sizes: Sizes, observer: &dyn Observer) -> Result<Report, Stop> {
    let plan = load::profile(&request.profile)?;
    let recipe = match &request.recipe {
        Some(text) => plan.pinned(text)?,
        None => plan.settled(),
    };
    let keys = load::keys(&request.keys)?;
    let pins = request.heads.iter().map(|text| load::pin(text, &plan)).collect::<Result<Vec<Pin>, Stop>>()?;
    let mut tally = Tally::new(request.policy.clone(), request.max_findings);
    let manifest = load::manifest(request, &plan, &keys, &mut tally)?;
    let export = Export::open(&request.exports)?;
    let rules = rules(&plan, &keys, manifest.as_ref(), pins);
    let job = Job {
        export: &export,
        plan: &plan,
        keys: &keys,
        rules: &rules,
        recipe,
        max_row_bytes: request.max_row_bytes,
        threads: request.threads,
        sizes,
        observer,
    };
    let walked = pipeline::walk(job, &mut tally)?;
    match &walked.unfinished {
        Some(Unfinished::Interrupted(progress)) => return Err(interrupted(*progress, tally.faults())),
        Some(Unfinished::Failed(error)) if tally.faults() == 0 => return Err(export.stop(error)),
        Some(Unfinished::Failed(_)) | None => {}
    }
    // A signature that holds under a key of a chain that does not exist is no fault of the ledger.
    if tally.faults() == walked.end.totals.unpermitted {
        bindings_fit(&keys, &walked.end.chains, manifest.as_ref())?;
    }
    Ok(conclude::report(&job, walked, manifest.as_ref(), tally, environment))
}

fn rules(plan: &Plan, keys: &Keyring, manifest: Option<&Manifest>, pins: Vec<Pin>) -> Rules {
    Rules {
        genesis: plan.genesis,
        form: plan.digest_form.clone(),
        sequence_starts: plan.sequence_starts.clone(),
        sequence_step: plan.sequence_step,
        bindings: keys.keys().iter().map(|key| key.bound.clone()).collect(),
        announced: manifest
            .into_iter()
            .flat_map(|manifest| &manifest.entries)
            .map(|(entry, _)| Arc::clone(&entry.chain))
            .collect(),
        pins,
        heads: manifest
            .into_iter()
            .flat_map(|manifest| &manifest.entries)
            .take(HEADS)
            .map(|(entry, _)| entry.head)
            .collect(),
    }
}

/// The stop for a run that the user ended: how far it got.
fn interrupted(progress: Progress, faults: u64) -> Stop {
    let of = progress.total.map_or_else(String::new, |total| format!(" of {total}"));
    let found = match faults {
        0 => "no fault".to_owned(),
        faults => format!("{faults} faults"),
    };
    let Progress { bytes, rows, .. } = progress;
    Stop::new(StopCode::Interrupted, format!("interrupted after {rows} rows, {bytes}{of} bytes; {found} so far"))
        .hint("run it again to the end: what was not read may hold anything")
}

/// Every key must say which chain it may sign for, if there are several of both; and what a key is
/// bound to must exist.
fn bindings_fit(keys: &Keyring, chains: &[ChainEnd], manifest: Option<&Manifest>) -> Result<(), Stop> {
    if chains.len() > 1 && keys.keys().len() > 1 && keys.keys().iter().any(|key| key.bound.is_empty()) {
        return Err(Stop::new(
            StopCode::KeyBinding,
            format!(
                "the export holds {} chains and {} keys were given, not all of them bound to a chain",
                chains.len(),
                keys.keys().len()
            ),
        )
        .hint("bind each key with --key ID=FILE, where ID is the chain that it signs"));
    }
    let announced = manifest.into_iter().flat_map(|manifest| &manifest.entries).map(|(entry, _)| &entry.chain);
    let known: Vec<&Arc<str>> = chains.iter().filter_map(|chain| chain.name.as_ref()).chain(announced).collect();
    let unknown = keys.bindings().into_iter().find(|bound| !known.contains(&bound));
    match unknown {
        Some(bound) if !chains.is_empty() => {
            let mut names: Vec<String> = known.iter().map(|name| name.to_string()).collect();
            names.sort();
            names.dedup();
            Err(Stop::new(
                StopCode::KeyBinding,
                format!("--key {bound}=…: no chain of the export or the manifest is named {bound}"),
            )
            .hint(format!("chains: {}", names.join(", "))))
        }
        _ => Ok(()),
    }
}
