//! The end of an audit: anchors are compared, what is left open is told, and all of it written down.

use jiff::Timestamp;

use crate::chain::{ChainEnd, Declaration, WalkEnd};
use crate::fact::{AnchorMember, DeclaredFacts, ExpectationFacts, KeyIndex, Recipe};
use crate::finding::{Class, Code, Finding, Notes, Tally};
use crate::incident::{Ends, Told};
use crate::pipeline::{Job, PartSum, Walked};
use crate::profile::{self, HeadPlan, Layout, PinLine, Plan, Source};
use crate::read::Export;
use crate::report::limits::limits;
use crate::report::{ChainFacts, Coverage, Environment, FormatFacts, KeyFacts, ProfileFacts, Report, Sidecar, Subject};
use crate::trust::anchor::{self, Comparison, Manifest};
use crate::trust::expectation::{Expectations, Shown};
use crate::trust::key::Key;
use crate::trust::keyring::TrustedKey;
use crate::trust::witness::Witness;
use crate::verdict::{Check, CheckId, HEAD_BOUNDS, judge};

use super::since::{Held, Since};

/// What the user gave, as far as it concerns this export.
#[derive(Clone, Copy)]
pub(super) struct Given<'a> {
    /// Keys of its chains, or of any, in the keyring's order.
    pub keys: &'a [KeyIndex],
    /// Its manifest.
    pub manifest: Option<&'a Manifest>,
    /// Heads that name their row by how many rows there were.
    pub counted: &'a [PinLine],
    /// The pins of a witness.
    pub witness: Option<&'a Witness>,
    /// What is expected of it.
    pub expectations: &'a Expectations,
    /// The earlier report that vouches for its beginning.
    pub since: Option<&'a Since>,
}

/// Compare the anchors, tell what is left open, and write it all down.
pub(super) fn report(
    job: &Job<'_>,
    walked: Walked,
    given: &Given<'_>,
    mut tally: Tally,
    environment: Environment,
) -> Report {
    let held = given.since.map_or_else(Held::default, |since| since.held(&walked));
    let changed = given.since.and_then(|since| since.changed(&walked));
    let Walked { end, parts, all, unfinished, .. } = walked;
    let whole_file = match (parts.as_slice(), &unfinished) {
        ([part], None) => Some(part.sha256.as_str()).filter(|sha256| !sha256.is_empty()),
        (_, None) => all.as_deref(),
        _ => None,
    };
    let outcome = anchor::compare(&Comparison {
        // An export that was not read to its end has no last row to compare.
        manifest: given.manifest.filter(|_| unfinished.is_none()),
        pins: if unfinished.is_none() { &job.rules.pins } else { &[] },
        counted: if unfinished.is_none() { given.counted } else { &[] },
        witness: given.witness,
        broken: tally.faults() > 0,
        end: &end,
        file_sha256: whole_file,
        form: &job.plan.form,
        head: job.plan.head.as_ref(),
    });
    let mut notes = unused(job, &end);
    outcome.notes.iter().for_each(|note| notes.push(note.clone()));
    let known = tally.members(Code::UncoveredField);
    // A member that no row has can still be put into one.
    let open =
        job.plan.left_out.iter().filter(|member| end.totals.rows > 0 && !known.iter().any(|name| **name == ***member));
    open.for_each(|member| notes.push(Finding::new(Code::UncoveredField, None).member(member.as_str())));
    tally.note(notes);
    outcome.findings.iter().cloned().chain(changed).for_each(|finding| tally.push(finding));
    let expectations = given.expectations.compare(&Shown {
        rows: end.totals.rows + end.totals.unreadable,
        times: times(&end.chains),
        profile: &job.plan.name,
        profile_sha256: &job.plan.sha256,
        finished: unfinished.is_none(),
    });
    expectations.iter().filter_map(failed).for_each(|finding| tally.push(finding));
    key_bounds(job, &end, given).into_iter().for_each(|finding| tally.push(finding));
    given.since.map_or_else(Vec::new, |since| since.bounds(&tally)).into_iter().for_each(|bound| tally.push(bound));
    if job.rules.partly_signed {
        end.chains.iter().filter_map(ChainEnd::unsigned_tail).for_each(|finding| tally.push(finding));
    }
    if end.totals.last_place.is_none() {
        tally.push(Finding::new(Code::Empty, None));
    }

    let declared = declared(job, &end);
    let told = told(job, &end, &outcome, &tally);
    let checks = checks(job, &end, held, &tally);
    let policy = tally.policy().clone();
    let uncovered = tally.members(Code::UncoveredField);
    let (finding_counts, findings_digest, findings) = tally.finish();
    let rows = end.totals.rows + end.totals.unreadable;
    let text = |time: Option<jiff::Timestamp>| time.map(|time| time.to_string());
    let mut report = Report {
        verdict: judge(&finding_counts, &policy, rows, &checks),
        subjects: (0..).zip(parts).map(|(part, sum)| subject(job.export, part, sum)).collect(),
        profile: profile_facts(job.plan, end.recipe),
        keys: key_facts(job, given, &end.totals.key_rows),
        anchors: outcome.anchors,
        expectations,
        since: given.since.map(|since| since.facts(held)),
        declared: job.plan.declared.is_some().then_some(declared),
        coverage: Coverage {
            rows,
            chained: end.totals.rows - end.totals.prechain - end.totals.unchained,
            prechain: end.totals.prechain,
            declared: end.totals.declared,
            digests: end.totals.digests,
            signatures: end.totals.signatures,
            first_sequence: end.chains.first().and_then(|chain| chain.first_sequence),
            last_sequence: end.chains.first().and_then(|chain| chain.last_sequence),
            first_time: text(end.totals.first_time),
            last_time: text(end.totals.last_time),
            uncovered,
        },
        chains: end.chains.iter().map(|chain| chain_facts(chain, job.plan, &environment)).collect(),
        checks,
        findings,
        finding_counts,
        findings_digest,
        told,
        policy,
        unfinished: unfinished.map(|why| super::unfinished(job.export, &why, job.rules.max_chains, 0).message),
        limits: Vec::new(),
        environment,
    };
    report.limits = limits(&report);
    report
}

/// The earliest and the latest time stamp at the ends of the chains. Rows between do not count: one
/// with an absurd clock would stretch the ledger.
fn times(chains: &[ChainEnd]) -> Option<(Timestamp, Timestamp)> {
    let ends = || chains.iter().filter_map(|chain| chain.times);
    ends().map(|(first, _)| first).min().zip(ends().map(|(_, last)| last).max())
}

/// The fault of an expectation that is not met.
fn failed(expectation: &ExpectationFacts) -> Option<Finding> {
    (expectation.met == Some(false)).then(|| {
        let mut finding = Finding::new(Code::ExpectationFailed, None)
            .member(expectation.member)
            .expected(expectation.expected.as_str());
        finding.found = expectation.found.clone();
        finding
    })
}

/// What became of the declarations.
fn declared(job: &Job<'_>, end: &WalkEnd) -> Vec<DeclaredFacts> {
    let facts = |(index, declaration): (u32, &Declaration)| {
        let excuse = end.declared.get(&index);
        DeclaredFacts {
            place: declaration.place,
            line: declaration.line,
            why: declaration.why.clone(),
            pin_holds: excuse.map(|excuse| excuse.pin_holds),
            excuses: excuse.is_some_and(|excuse| excuse.excuses),
        }
    };
    (0..).zip(job.rules.declared.list()).map(facts).collect()
}

/// The notes on declarations that excuse nothing, where they could.
fn unused(job: &Job<'_>, end: &WalkEnd) -> Notes {
    let mut notes = Notes::default();
    let idle = declared(job, end).into_iter().filter(|declared| job.rules.declared.honoured() && !declared.excuses);
    for declared in idle {
        let mut note = Finding::new(Code::DeclarationUnused, Some(declared.place)).found(declared.why);
        note.expected = declared.line.map(|line| line.to_string());
        notes.push(note);
    }
    notes
}

/// What most likely happened. A bound that `--strict` makes a fault is no part of any story.
fn told(job: &Job<'_>, end: &WalkEnd, outcome: &anchor::Outcome, tally: &Tally) -> Told {
    let faults = Code::ALL.iter().filter(|code| code.class() == Class::Fault);
    let totals = &end.totals;
    let members: Vec<(AnchorMember, String)> = match &job.plan.head {
        Some(HeadPlan::Json(head)) => {
            AnchorMember::ALL.into_iter().filter_map(|member| Some((member, head.name_of(member)?))).collect()
        }
        Some(HeadPlan::Text) | None => Vec::new(),
    };
    end.teller.tell(&Ends {
        faults: &outcome.findings,
        anchors: &outcome.anchors,
        members: &members,
        total: faults.map(|&code| tally.count(code)).sum(),
        digests: (totals.digests, tally.count(Code::HashMismatch)),
        signatures: (totals.signatures, tally.count(Code::SignatureInvalid)),
    })
}

/// What is left open about keys.
fn key_bounds(job: &Job<'_>, end: &WalkEnd, given: &Given<'_>) -> Vec<Finding> {
    if end.totals.last_place.is_none() {
        return Vec::new();
    }
    let none_given = job.keys.is_empty() && job.plan.signs();
    let mut bounds = Vec::new();
    if none_given || end.totals.unkeyed > 0 {
        bounds.push(Finding::new(Code::NoKey, None));
    }
    let unkeyed = end.chains.iter().filter(|chain| chain.unkeyed);
    bounds.extend(unkeyed.map(|chain| Finding::new(Code::NoKey, None).chain(chain.name.clone())));
    // In a format that the user named, a key that signed nothing is listed with 0 rows. Where the rows chose
    // the format they may have chosen one without the signatures that the key was given for.
    let unsigned = job.plan.source == Source::Detected && end.totals.signed + end.totals.vouched_signed == 0;
    let sealed = |index: KeyIndex| given.manifest.is_some_and(|manifest| manifest.is_sealed_by(index));
    let unused = listed(job, given).filter(|(index, key)| {
        let before = given.since.map_or(0, |since| since.rows_of(key));
        let rows = end.totals.key_rows.get(usize::from(index.0)).map_or(before, |rows| rows + before);
        // An unbound key that signed nothing is listed with 0 rows; one that the user bound to a chain
        // was expected to sign there.
        let expected = !key.bound.is_empty() || key.role.is_some();
        rows == 0 && !sealed(*index) && (job.plan.roles.is_empty() || expected || unsigned)
    });
    bounds.extend(unused.map(|(_, key)| {
        let fingerprint = key.key().map_or_else(String::new, Key::fingerprint);
        Finding::new(Code::KeyUnused, None).chain(key.bound.first().cloned()).found(fingerprint)
    }));
    bounds
}

/// What was looked at, and how it came out.
fn checks(job: &Job<'_>, end: &WalkEnd, held: Held, tally: &Tally) -> Vec<Check> {
    let totals = &end.totals;
    // Rows before the chain starts are told by a bound of their own.
    let chained = totals.rows - totals.prechain - totals.unchained;
    let rows = chained + totals.unreadable;
    let any = |codes: &[Code]| codes.iter().any(|&code| tally.count(code) > 0);
    let chains = end.chains.len().max(1) as u64;
    let open = HEAD_BOUNDS.iter().map(|&code| tally.count(code)).sum::<u64>();
    let vouched = |id| match id {
        CheckId::Digests => held.digests,
        CheckId::Signatures => held.signatures,
        CheckId::Chain | CheckId::Sequence | CheckId::Head => 0,
    };
    let check =
        |id, checked, total, failing: &[Code]| Check { id, checked, vouched: vouched(id), total, failed: any(failing) };
    let mut checks = vec![
        check(CheckId::Chain, chained, rows, CHAIN_FAULTS),
        check(CheckId::Digests, totals.digests, rows, &[Code::HashMismatch]),
    ];
    if job.plan.signs() {
        // In a format that signs only some rows, what cannot be read need not have been signed.
        let unreadable = if job.rules.partly_signed { 0 } else { totals.unreadable };
        let signed = totals.signed + totals.vouched_signed;
        checks.push(check(CheckId::Signatures, totals.signatures, signed + unreadable, SIGNATURE_FAULTS));
    }
    if job.rules.numbered {
        checks.push(check(CheckId::Sequence, chained, rows, SEQUENCE_FAULTS));
    }
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
    let shown = |export: &Export| export.path(part).display().to_string();
    let sidecar = sum.sidecar.zip(export.sidecars());
    let sidecar = sidecar.map(|((bytes, sha256), sidecars)| Sidecar { name: shown(sidecars), bytes, sha256 });
    Subject { name: shown(export), bytes: sum.bytes, sha256: sum.sha256, rows: sum.rows, sidecar }
}

pub(super) fn profile_facts(plan: &Plan, recipe: Recipe) -> ProfileFacts {
    ProfileFacts {
        name: plan.name.clone(),
        in_document: matches!(&plan.input.layout, Layout::Document(path) if !path.is_whole()),
        source: plan.source.name(),
        sha256: plan.sha256.clone(),
        recipe: plan.recipe_text(recipe),
        default_recipe: recipe == Recipe { hash: Some(0), signature: Some(0) },
        format: FormatFacts {
            home: plan.name == profile::HOME && plan.source != Source::File,
            sha1: plan.uses_sha1(),
            links_only: plan.fields.hash.is_none(),
            partly_signed: plan.signs_partly(),
            reprints: plan.reprints,
        },
    }
}

/// The keys that concern this export.
fn listed<'a>(job: &Job<'a>, given: &Given<'a>) -> impl Iterator<Item = (KeyIndex, &'a TrustedKey)> {
    let concerned = given.keys;
    job.keys.numbered().filter(move |(index, _)| concerned.binary_search(index).is_ok())
}

fn key_facts(job: &Job<'_>, given: &Given<'_>, rows: &[u64]) -> Vec<KeyFacts> {
    listed(job, given)
        .map(|(index, key)| KeyFacts {
            id: (!key.bound.is_empty()).then(|| key.bound.join(", ")),
            algorithm: key.algorithm(job.plan),
            fingerprint: key.key().map_or_else(String::new, Key::fingerprint),
            rows: rows.get(usize::from(index.0)).copied().unwrap_or(0),
        })
        .collect()
}

fn chain_facts(chain: &ChainEnd, plan: &Plan, environment: &Environment) -> ChainFacts {
    let head = chain.head.map(|head| plan.form.encode(&head));
    // The time of the run, in whole seconds.
    let time: Option<Timestamp> = environment.started.parse().ok();
    let time = time.map(|time| time.strftime("%Y-%m-%dT%H:%M:%SZ").to_string());
    let pin = plan.pin.as_ref().zip(head.as_deref()).zip(time);
    ChainFacts {
        id: chain.name.clone(),
        rows: chain.rows,
        first_sequence: chain.first_sequence,
        last_sequence: chain.last_sequence,
        pin: pin.map(|((form, head), time)| form.write(head, chain.row, &time)),
        head,
        last_time: chain.times.map(|(_, last)| last.to_string()),
    }
}
