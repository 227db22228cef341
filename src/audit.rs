//! One audit, from what the user hands over to what is said of it.
//!
//! Decides in which order things may fail: keys, profile and manifest are read before the export (but for
//! the first rows of one whose format they must show), so that a stop comes at once; what only the rows can show (a key bound to no chain, say) stops at the
//! end, unless the rows showed a fault, which outranks it.

mod bindings;
mod bundle;
mod compare;
mod conclude;
mod declared;
mod detect;
mod each;
mod earlier;
mod evidence;
mod explain;
mod fit;
mod folder;
mod heads;
mod keys;
mod load;
mod receipt;
mod rehearse;
mod since;

pub use bundle::{BundleRequest, bundle};
pub use compare::compare;
pub use each::Each;
pub use earlier::{Description, describes, earlier};
pub use evidence::{Evidence, evidence};
pub use explain::{Wanted, explain};
pub use heads::Pins;
pub use receipt::{ReceiptRequest, receipt};
pub use rehearse::{Rehearsal, rehearse};

use std::path::PathBuf;

use crate::chain::{CountPins, Declarations, MAX_CHAINS, Rules, Vouched};
use crate::check::ed25519::{Choice, Judged};
use crate::fact::{Place, Recipe};
use crate::finding::{Policy, Tally};
use crate::pipeline::{self, Digests, Job, Observer, Progress, Sizes, Unfinished};
use crate::profile::Plan;
use crate::read::{Access, Export, Limits};
use crate::report::{Environment, Outcome, Report};
use crate::stop::{Stop, StopCode};
use crate::trust::anchor::Manifest;
use crate::trust::expectation::Expectations;
use crate::trust::keyring::Keyring;
use crate::trust::witness::Witness;
use conclude::Given;
use heads::Heads;
use keys::KeyFile;
use since::Since;

/// Entries of the manifest whose heads are looked for among earlier rows: every row is compared with them.
const HEADS: usize = 64;

/// What the user asks for.
#[derive(Clone, Debug)]
pub struct Request {
    /// The export: its parts, in order; a folder stands for those of its files that hold rows.
    pub exports: Vec<PathBuf>,
    /// Key files, each perhaps bound to a chain.
    pub keys: Vec<(Option<String>, PathBuf)>,
    /// A manifest that the user vouches for.
    pub manifest: Option<PathBuf>,
    /// Heads that were seen earlier: `HASH` or `HASH@SEQ`, or a line of the format's own.
    pub heads: Vec<String>,
    /// The pins of a witness, and the name that the ledger has among them.
    pub witness: Option<(Pins, String)>,
    /// A folder with copies of artefacts that rows name.
    pub artefacts: Option<PathBuf>,
    /// An earlier JSON report, which vouches for the beginning of the export.
    pub since: Option<PathBuf>,
    /// No SHA-256 of the files is wanted; it is computed all the same where an anchor states it, and for `since`.
    pub without_digest: bool,
    /// The profile, a built-in name or a TOML file; without one the rows show which built-in one it is.
    pub profile: Option<String>,
    /// Readings that are pinned.
    pub recipe: Option<String>,
    /// The link of a first row, for a format that leaves it to the user.
    pub genesis: Option<String>,
    /// What is known of the ledger from elsewhere.
    pub expectations: Expectations,
    /// How bounds are taken.
    pub policy: Policy,
    /// How many findings are listed.
    pub max_findings: usize,
    /// Bytes of the longest row.
    pub max_row_bytes: usize,
    /// Chains that are kept apart; [`crate::chain::MAX_CHAINS`] but in tests.
    pub max_chains: usize,
    /// Threads; 0 means one for each core.
    pub threads: usize,
    /// Which engine judges Ed25519 signatures.
    pub signatures: Choice,
}

/// No export, and everything else as it is where the user says nothing.
impl Default for Request {
    fn default() -> Self {
        Request {
            exports: Vec::new(),
            keys: Vec::new(),
            manifest: None,
            heads: Vec::new(),
            witness: None,
            artefacts: None,
            since: None,
            without_digest: false,
            profile: None,
            recipe: None,
            genesis: None,
            expectations: Expectations::default(),
            policy: Policy::default(),
            max_findings: 100,
            max_row_bytes: Limits::default().max_row_bytes,
            max_chains: MAX_CHAINS,
            threads: 0,
            signatures: Choice::Auto,
        }
    }
}

/// By what an export is judged.
#[derive(Debug)]
struct Ground {
    plan: Plan,
    recipe: Recipe,
    keys: Keyring,
}

impl Ground {
    /// By the profile that was named.
    fn named(request: &Request, profile: &str, keys: &[KeyFile]) -> Result<Self, Stop> {
        Ground::of(load::profile(profile)?, request, keys)
    }

    /// By the one that the rows show; the export, where it had to be opened for that.
    fn detected(request: &Request, keys: &[KeyFile]) -> Result<(Self, Option<Export>), Stop> {
        let (plan, opened) = detect::detect(&request.exports, keys)?;
        Ok((Ground::of(plan, request, keys)?, opened))
    }

    fn of(mut plan: Plan, request: &Request, keys: &[KeyFile]) -> Result<Self, Stop> {
        plan.settle_genesis(request.genesis.as_deref())?;
        let recipe = match &request.recipe {
            Some(text) => plan.pinned(text)?,
            None => plan.settled(),
        };
        let keys = keys::keyring(keys, &plan)?;
        Ok(Ground { plan, recipe, keys })
    }

    /// For this request; with the export, where it had to be opened to see which format it is in.
    fn for_request(request: &Request) -> Result<(Self, Option<Export>), Stop> {
        let keys = keys::files(&request.keys)?;
        match &request.profile {
            Some(profile) => Ok((Ground::named(request, profile, &keys)?, None)),
            None => Ground::detected(request, &keys),
        }
    }

    /// The export of these files, if it is not open yet.
    fn open(&self, opened: Option<Export>, paths: &[PathBuf]) -> Result<Export, Stop> {
        let export = match opened {
            Some(export) => export.with_ends(self.plan.input.shape().ends),
            None => Export::open_as(paths, &self.plan.input.shape(), Access::default())?,
        };
        load::has_folders(&export, &self.plan)?;
        Ok(export)
    }
}

/// Whose keys were given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Scope {
    /// This ledger's: one that is bound to no chain of it is a mistake.
    ThisLedger,
    /// Those of several ledgers: one that is bound to chains of others is no business of this one.
    SeveralLedgers,
}

/// Audit an export.
pub fn run(request: &Request, environment: Environment, observer: &dyn Observer) -> Outcome {
    outcome(one(request, environment, Sizes::default(), observer))
}

/// The same with the work cut in another way: for tests, which hold us to the same report.
pub fn run_cut(request: &Request, environment: Environment, sizes: Sizes) -> Outcome {
    outcome(one(request, environment, sizes, &()))
}

fn outcome(audited: Result<Report, Stop>) -> Outcome {
    match audited {
        Ok(report) => Outcome::Report(Box::new(report)),
        Err(stop) => Outcome::Stop(stop),
    }
}

/// What an audit leads to.
#[derive(Debug)]
struct Audited {
    report: Report,
    /// The rows showed no fault but signatures under keys that are bound to other chains, which may be
    /// the user's mistake.
    blameless: bool,
}

fn one(request: &Request, environment: Environment, sizes: Sizes, observer: &dyn Observer) -> Result<Report, Stop> {
    let (ground, opened) = Ground::for_request(request)?;
    let run = Run { environment, sizes, observer };
    audit(request, &ground, opened, Scope::ThisLedger, run).map(|audited| audited.report)
}

/// How an audit is carried out.
struct Run<'a> {
    environment: Environment,
    sizes: Sizes,
    observer: &'a dyn Observer,
}

fn audit(
    request: &Request,
    ground: &Ground,
    opened: Option<Export>,
    scope: Scope,
    run: Run<'_>,
) -> Result<Audited, Stop> {
    let Ground { plan, recipe, keys } = ground;
    let Run { mut environment, sizes, observer } = run;
    let judge = load::judge(request.signatures)?;
    let witness = heads::witness(request.witness.as_ref(), plan)?;
    let heads = heads::heads(&request.heads, plan)?;
    load::artefacts(request.artefacts.as_deref(), plan)?;
    let mut tally = Tally::new(request.policy.clone(), request.max_findings);
    let parts = folder::expand(&request.exports, plan)?;
    let earlier = request.since.as_ref();
    let since = earlier.map(|path| Since::read(path, plan, *recipe, keys, parts.paths.len())).transpose()?;
    let manifest = load::manifest(request, &parts.paths, plan, keys, &mut tally)?;
    let export = ground.open(opened, &parts.paths)?;
    environment.folders = parts.folders;
    let honoured = !request.policy.strict;
    let declared = declared::collect(&export, &parts.paths, plan, request.max_row_bytes, honoured, observer)?;
    let vouched = since.as_ref().map_or_else(Vouched::default, |since| since.vouched(keys, sizes.end_bytes));
    let rules = Rules {
        declared,
        vouched,
        ..rules(plan, keys, manifest.as_ref(), (&heads, witness.as_ref()), request.max_chains)
    };
    let job = Job {
        export: &export,
        plan,
        keys,
        judge: &judge,
        rules: &rules,
        recipe: *recipe,
        max_row_bytes: request.max_row_bytes,
        threads: request.threads,
        sizes,
        digests: match manifest.as_ref().is_some_and(Manifest::states_file) {
            true if export.parts() > 1 => Digests::PartsAndAll,
            false if request.without_digest && since.is_none() => Digests::Nothing,
            _ => Digests::Parts,
        },
        artefacts: request.artefacts.as_deref(),
        observer,
    };
    let walked = pipeline::walk(job, &mut tally)?;
    if let Some(why) = &walked.unfinished
        && (tally.faults() == 0 || matches!(why, Unfinished::Interrupted(_) | Unfinished::Signature(_)))
    {
        return Err(unfinished(&export, why, rules.max_chains, tally.faults()));
    }
    if walked.unfinished.is_none() && walked.end.totals.declarations != rules.declared.list().len() as u64 {
        return Err(changed(&export));
    }
    let Judged { fast, cross_checked } = judge.judged();
    environment.signature_engine = judge.engine().name().to_owned();
    (environment.signatures_fast, environment.signatures_cross_checked) = (fast, cross_checked);
    since.iter().try_for_each(|since| since.same_recipe(&walked, plan, &tally))?;
    let blameless = tally.faults() == walked.end.totals.unpermitted;
    let concerned = bindings::settle(&job, scope, &walked.end, manifest.as_ref(), &tally)?;
    let given = Given {
        keys: &concerned,
        manifest: manifest.as_ref(),
        counted: &heads.counted,
        witness: witness.as_ref(),
        expectations: &request.expectations,
        since: since.as_ref(),
    };
    Ok(Audited { report: conclude::report(&job, walked, &given, tally, environment), blameless })
}

fn rules(
    plan: &Plan,
    keys: &Keyring,
    manifest: Option<&Manifest>,
    (heads, witness): (&Heads, Option<&Witness>),
    max_chains: usize,
) -> Rules {
    let counted = heads.counted.iter().filter_map(|line| line.pin);
    Rules {
        form: plan.form.clone(),
        numbered: plan.fields.sequence.is_some(),
        sequence_starts: plan.chain.sequence_starts.clone(),
        sequence_step: plan.chain.sequence_step,
        gaps: plan.chain.gaps,
        single_group: plan.chain.single_group,
        reset: plan.chain.reset,
        late: plan.late,
        carries: plan.carries(),
        literal: plan.chain.literal,
        declared: Declarations::default(),
        vouched: Vouched::default(),
        partly_signed: plan.signs_partly() || plan.macs_partly(),
        bindings: keys.keys().iter().map(|key| key.bound.clone()).collect(),
        announced: manifest
            .into_iter()
            .flat_map(|manifest| &manifest.entries)
            .filter_map(|(entry, _)| entry.chain.clone())
            .collect(),
        pins: heads.pins.clone(),
        counted: CountPins::new(counted.chain(witness.into_iter().flat_map(Witness::pins)).collect()),
        max_chains,
        heads: manifest
            .into_iter()
            .flat_map(|manifest| &manifest.entries)
            .take(HEADS)
            .map(|(entry, _)| entry.head)
            .collect(),
    }
}

/// The stop for a run that did not get to the end of the export.
fn unfinished(export: &Export, why: &Unfinished, max_chains: usize, faults: u64) -> Stop {
    match why {
        Unfinished::Interrupted(progress) => interrupted(*progress, faults),
        Unfinished::Failed(error) => export.stop(error),
        Unfinished::TooManyChains(place) => too_many_chains(export, *place, max_chains),
        Unfinished::File(place, why) => unreadable_file(export, *place, why),
        Unfinished::Signature(place) => wrong_engine(export, *place),
    }
}

/// The stop for an export whose declarations were not the same when its rows were walked.
fn changed(export: &Export) -> Stop {
    let path = export.path(0).display();
    Stop::new(StopCode::Unfinished, format!("{path}: the export was changed while it was read"))
        .hint("something writes to it: verify a copy")
}

/// The stop for a run that the user ended: how far it got.
fn interrupted(progress: Progress, faults: u64) -> Stop {
    let of = progress.total.map_or_else(String::new, |total| format!(" of {total}"));
    let found = match faults {
        0 => "no fault".to_owned(),
        1 => "1 fault".to_owned(),
        faults => format!("{faults} faults"),
    };
    let Progress { bytes, rows, .. } = progress;
    Stop::new(StopCode::Interrupted, format!("interrupted after {rows} rows, {bytes}{of} bytes; {found} so far"))
        .hint("run it again to the end: what was not read may hold anything")
}

/// The stop for a file that a row names and that cannot be read.
fn unreadable_file(export: &Export, place: Place, why: &str) -> Stop {
    let path = export.path(place.part).display();
    Stop::new(StopCode::Unreadable, format!("{path}: line {} names a file that cannot be read: {why}", place.line))
        .hint("see who may read it, or verify a copy of the export with its files")
}

/// The stop for an engine that is wrong about a signature.
fn wrong_engine(export: &Export, place: Place) -> Stop {
    let path = export.path(place.part).display();
    let why = "the fast signature engine and verify_strict give different verdicts: this is a bug of ledger-verify";
    Stop::new(StopCode::Internal, format!("{path}: line {}: {why}", place.line))
        .hint("go on with --signatures reference, and report it with this line, the key and the report's environment")
}

/// The stop for an export of more chains than are kept apart.
fn too_many_chains(export: &Export, place: Place, most: usize) -> Stop {
    let path = export.path(place.part).display();
    Stop::new(StopCode::Chains, format!("{path}: line {} starts one chain more than {most}", place.line))
        .hint("verify the chains one by one, or some at a time: each in an export of its own")
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    fn outcome(export: &str, signatures: Choice) -> Outcome {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(export);
        let request = Request {
            exports: vec![folder.join("export.jsonl")],
            keys: vec![(None, folder.join("pk.pem"))],
            signatures,
            // Alone, no thread goes on without an engine while another one makes the windows.
            threads: 1,
            ..Request::default()
        };
        run(&request, Environment::default(), &())
    }

    #[test]
    fn an_engine_that_is_wrong_ends_the_run() {
        // The second export has a fault that is none of the signatures': this stop outranks it too.
        for export in ["acme", "faults/hash-mismatch"] {
            let Outcome::Stop(stop) = outcome(export, Choice::Wrong(false)) else { panic!("{export}: a report") };
            assert_eq!(stop.code, StopCode::Internal);
            assert!(stop.message.contains(": line ") && stop.message.contains("bug"), "{}", stop.message);
            assert!(stop.hint.is_some_and(|hint| hint.contains("--signatures reference")));
        }
        let Outcome::Stop(stop) = outcome("faults/signature-invalid", Choice::Wrong(false)) else { panic!("a report") };
        assert_eq!(stop.code, StopCode::Internal);
    }

    #[test]
    fn an_engine_that_is_right_does_not() {
        for export in ["acme", "faults/hash-mismatch", "faults/signature-invalid"] {
            let Outcome::Report(reference) = outcome(export, Choice::Reference) else { panic!("{export}: a stop") };
            let Outcome::Report(portable) = outcome(export, Choice::Portable) else { panic!("{export}: a stop") };
            assert_eq!(portable.findings_digest, reference.findings_digest);
            assert_eq!(portable.coverage.signatures, reference.coverage.signatures);
            assert_eq!(reference.environment.signature_engine, "reference");
            assert_eq!(reference.environment.signatures_fast, 0);
            assert!(portable.environment.signatures_fast > 0);
        }
    }
}
