//! The end of an audit: anchors are compared, what is left open is told, and all of it written down.

use std::sync::Arc;

use crate::chain::{ChainEnd, WalkEnd};
use crate::fact::{KeyIndex, Recipe};
use crate::finding::{Class, Code, Finding, Notes, Tally};
use crate::incident::{Ends, Told};
use crate::pipeline::{Job, PartSum, Unfinished, Walked};
use crate::profile::{Plan, SignatureAlgorithm};
use crate::read::Export;
use crate::report::limits::limits;
use crate::report::{ChainFacts, Coverage, Environment, KeyFacts, ProfileFacts, Report, Subject};
use crate::trust::anchor::{self, Comparison, Manifest};
use crate::verdict::{Check, CheckId, judge};

/// Compare the anchors, tell what is left open, and write it all down.
pub(super) fn report(
    job: &Job<'_>,
    walked: Walked,
    manifest: Option<&Manifest>,
    mut tally: Tally,
    environment: Environment,
) -> Report {
    let Walked { end, parts, unfinished } = walked;
    let whole_file = match (parts.as_slice(), &unfinished) {
        ([part], None) => Some(part.sha256.as_str()),
        _ => None,
    };
    let outcome = anchor::compare(&Comparison {
        // An export that was not read to its end has no last row to compare.
        manifest: manifest.filter(|_| unfinished.is_none()),
        pins: if unfinished.is_none() { &job.rules.pins } else { &[] },
        end: &end,
        file_sha256: whole_file,
        form: &job.plan.digest_form,
    });
    let mut notes = Notes::default();
    outcome.notes.iter().for_each(|note| notes.push(note.clone()));
    let uncovered = if end.totals.rows > 0 { job.plan.uncovered.as_slice() } else { &[] };
    let of = |path: &String| Finding::new(Code::UncoveredField, None).member(path.as_str());
    uncovered.iter().map(of).for_each(|note| notes.push(note));
    tally.note(notes);
    outcome.findings.iter().for_each(|finding| tally.push(finding.clone()));
    key_bounds(job, &end, manifest).into_iter().for_each(|finding| tally.push(finding));
    if end.totals.last_place.is_none() {
        tally.push(Finding::new(Code::Empty, None));
    }

    let told = told(&end, &outcome, &tally);
    let checks = checks(job, &end, &tally);
    let policy = tally.policy().clone();
    let (finding_counts, findings_digest, findings) = tally.finish();
    let rows = end.totals.rows + end.totals.unreadable;
    let text = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string());
    let mut report = Report {
        verdict: judge(&finding_counts, &policy, rows, &checks),
        subjects: (0..).zip(parts).map(|(part, sum)| subject(job.export, part, sum)).collect(),
        profile: profile_facts(job.plan, end.recipe),
        keys: key_facts(job, &end.totals.key_rows),
        anchors: outcome.anchors,
        coverage: Coverage {
            rows,
            chained: end.totals.rows,
            digests: end.totals.digests,
            signatures: end.totals.signatures,
            first_sequence: end.chains.first().and_then(|chain| chain.first_sequence),
            last_sequence: end.chains.first().and_then(|chain| chain.last_sequence),
            first_time: text(end.totals.first_time),
            last_time: text(end.totals.last_time),
            uncovered: uncovered.iter().map(|path| Arc::from(path.as_str())).collect(),
            ..Coverage::default()
        },
        chains: end.chains.iter().map(|chain| chain_facts(chain, job.plan)).collect(),
        checks,
        findings,
        finding_counts,
        findings_digest,
        told,
        policy,
        unfinished: unfinished.and_then(|why| match why {
            Unfinished::Failed(error) => Some(job.export.stop(&error).message),
            Unfinished::Interrupted(_) => None,
        }),
        limits: Vec::new(),
        environment,
    };
    report.limits = limits(&report);
    report
}

/// What most likely happened. A bound that `--strict` makes a fault is no part of any story.
fn told(end: &WalkEnd, outcome: &anchor::Outcome, tally: &Tally) -> Told {
    let faults = Code::ALL.iter().filter(|code| code.class() == Class::Fault);
    let totals = &end.totals;
    end.teller.tell(&Ends {
        faults: &outcome.findings,
        anchors: &outcome.anchors,
        total: faults.map(|&code| tally.count(code)).sum(),
        digests: (totals.digests, tally.count(Code::HashMismatch)),
        signatures: (totals.signatures, tally.count(Code::SignatureInvalid)),
    })
}

/// What is left open about keys.
fn key_bounds(job: &Job<'_>, end: &WalkEnd, manifest: Option<&Manifest>) -> Vec<Finding> {
    if end.totals.last_place.is_none() {
        return Vec::new();
    }
    if job.keys.is_empty() {
        return job.plan.signature.iter().map(|_| Finding::new(Code::NoKey, None)).collect();
    }
    let sealed = |index: KeyIndex| manifest.is_some_and(|manifest| manifest.is_sealed_by(index));
    let unused = job.keys.numbered().filter(|(index, key)| {
        let rows = end.totals.key_rows.get(usize::from(index.0)).copied().unwrap_or(0);
        // An unbound key that signed nothing is listed with 0 rows; one that the user bound to a chain
        // was expected to sign there.
        rows == 0 && !sealed(*index) && (job.plan.signature.is_none() || !key.bound.is_empty())
    });
    unused
        .map(|(_, key)| {
            Finding::new(Code::KeyUnused, None).chain(key.bound.first().cloned()).found(key.public.fingerprint())
        })
        .collect()
}

/// What was looked at, and how it came out.
fn checks(job: &Job<'_>, end: &WalkEnd, tally: &Tally) -> Vec<Check> {
    let totals = &end.totals;
    let rows = totals.rows + totals.unreadable;
    let any = |codes: &[Code]| codes.iter().any(|&code| tally.count(code) > 0);
    let chains = end.chains.len().max(1) as u64;
    let open =
        [Code::NoAnchor, Code::AfterAnchor, Code::ManifestUnsigned].iter().map(|&code| tally.count(code)).sum::<u64>();
    let check = |id, checked, total, failing: &[Code]| Check { id, checked, total, failed: any(failing) };
    let mut checks = vec![
        check(CheckId::Chain, totals.rows, rows, CHAIN_FAULTS),
        check(CheckId::Digests, totals.digests, rows, &[Code::HashMismatch]),
    ];
    if job.plan.signature.is_some() {
        checks.push(check(CheckId::Signatures, totals.signatures, rows, SIGNATURE_FAULTS));
    }
    checks.push(check(CheckId::Sequence, totals.rows, rows, SEQUENCE_FAULTS));
    let anchored = if rows == 0 { 0 } else { chains.saturating_sub(open) };
    checks.push(check(CheckId::Head, anchored, chains, ANCHOR_FAULTS));
    checks
}

const CHAIN_FAULTS: &[Code] =
    &[Code::LinkBroken, Code::Fork, Code::GenesisBroken, Code::SecondGenesis, Code::ChainMixed, Code::UnchainedRow];
const SIGNATURE_FAULTS: &[Code] = &[
    Code::SignatureMissing,
    Code::SignatureMalformed,
    Code::SignatureAlgorithm,
    Code::SignatureInvalid,
    Code::UnknownKey,
];
const SEQUENCE_FAULTS: &[Code] = &[Code::SequenceGap, Code::SequenceRepeated, Code::SequenceBackwards];
const ANCHOR_FAULTS: &[Code] = &[Code::HeadMismatch, Code::ManifestMismatch, Code::AnchorConflict];

fn subject(export: &Export, part: u32, sum: PartSum) -> Subject {
    Subject { name: export.path(part).display().to_string(), bytes: sum.bytes, sha256: sum.sha256, rows: sum.rows }
}

fn profile_facts(plan: &Plan, recipe: Recipe) -> ProfileFacts {
    ProfileFacts {
        name: plan.name.clone(),
        source: plan.source.name(),
        sha256: plan.sha256.clone(),
        recipe: plan.recipe_text(recipe),
        default_recipe: recipe == Recipe { hash: Some(0), signature: Some(0) },
    }
}

fn key_facts(job: &Job<'_>, rows: &[u64]) -> Vec<KeyFacts> {
    let rows = rows.iter().copied().chain(std::iter::repeat(0));
    job.keys
        .keys()
        .iter()
        .zip(rows)
        .map(|(key, rows)| KeyFacts {
            id: (!key.bound.is_empty()).then(|| key.bound.join(", ")),
            algorithm: SignatureAlgorithm::Ed25519.name(),
            fingerprint: key.public.fingerprint(),
            rows,
        })
        .collect()
}

fn chain_facts(chain: &ChainEnd, plan: &Plan) -> ChainFacts {
    ChainFacts {
        id: chain.name.clone(),
        rows: chain.rows,
        first_sequence: chain.first_sequence,
        last_sequence: chain.last_sequence,
        head: chain.head.map(|head| plan.digest_form.encode(head.bytes())),
    }
}
