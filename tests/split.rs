//! The law of the chain: how an export is cut into segments changes nothing.
//!
//! Rows of spoilt ledgers, of one or several workspaces, are walked one by one. Then the same rows are
//! cut anywhere, checked and folded with what an earlier point of the walk had settled, merged in any
//! bracketing and absorbed: findings, counts, digest and the end of the walk must be the same.

#[path = "mutate/mod.rs"]
mod mutate;

use std::sync::Arc;

use ledger_verify::algorithm::{KeyWish, SignatureAlgorithm};
use ledger_verify::chain::{Basis, CountPins, History, LookBack, Question, Rules, Segment, Walk};
use ledger_verify::check::Checker;
use ledger_verify::fact::{Before, Checked, CountPin, Digest, Facts, Pin, Place, Recipe, Sequence};
use ledger_verify::finding::{Policy, Tally};
use ledger_verify::profile::{self, Plan, RoleIndex};
use ledger_verify::read::Line;
use ledger_verify::trust::key;
use ledger_verify::trust::keyring::Keyring;
use mutate::{Case, ledger};
use proptest::prelude::*;

/// Cases unless the environment says otherwise.
const CASES: u32 = 150;

/// Rows to walk, and what the walk is told.
struct Rows {
    plan: Plan,
    keys: Keyring,
    rules: Rules,
    lines: Vec<(Place, Vec<u8>)>,
    /// The rows in the default recipe, as far as they can be read.
    facts: Vec<Option<Box<Facts>>>,
}

/// A second ledger between the lines of the first one.
#[derive(Clone, Debug)]
struct Other {
    seed: u64,
    rows: u64,
    start: u64,
    /// Which ledger the next line is of.
    order: Vec<bool>,
    /// Whether the manifest announces it.
    announced: bool,
}

const ED25519: SignatureAlgorithm = SignatureAlgorithm::Ed25519;

/// How keys are given: bound to their workspaces or not.
fn rows(case: &Case, other: Option<&Other>, bound: bool) -> Rows {
    let plan = profile::builtin("void").expect("the home format");
    let made = case.make();
    let mut keys = Keyring::default();
    let mut add = |key: &ed25519_dalek::VerifyingKey, chain: &str| {
        let pem = ledger::files::public_pem(key);
        for key in key::read(pem.as_bytes(), &KeyWish::of(ED25519), "pem").expect("a good key") {
            keys.add(vec![(Some(RoleIndex(0)), key)], None, bound.then_some(chain)).expect("a key that can be added");
        }
    };
    made.keys.iter().for_each(|key| add(key, "acme"));
    let mut lines = mutate::lines::split(&made.export);
    if let Some(other) = other {
        add(&ledger::verifying_key(other.seed), "globex");
        lines = interleave(lines, forged(case, other), &other.order);
    }
    let mut offset = 0;
    let placed = (1u64..).zip(lines).filter_map(|(line, mut bytes)| {
        let length = bytes.len() as u64;
        let at = offset;
        offset += length;
        while bytes.last().is_some_and(|byte| b"\r\n".contains(byte)) {
            bytes.pop();
        }
        (!bytes.trim_ascii().is_empty()).then_some((Place { part: 0, line, offset: at, length }, bytes))
    });
    let lines: Vec<_> = placed.collect();
    let announced = ["acme", "globex"].iter().take(1 + usize::from(other.is_some_and(|other| other.announced)));
    let mut checker = Checker::new(&plan, &keys, Recipe::default());
    let facts = lines.iter().map(|(place, bytes)| match checker.check(&Line::row(*place, bytes), None) {
        Some(Checked::Row(facts)) => Some(facts),
        Some(Checked::Unreadable(..) | Checked::Unchained(..)) | None => None,
    });
    let facts: Vec<_> = facts.collect();
    // Pins of some rows as they are, one that states the digest of another row, one beyond the end.
    let hash = |row: usize| facts.get(row)?.as_ref()?.hash;
    let counted = [(1, hash(0)), (3, hash(2)), (4, hash(4)), (6, hash(5)), (7, Some(Digest::GENESIS)), (999, hash(0))];
    let counted = counted.into_iter().map(|(rows, digest)| CountPin { rows, digest }).collect();
    let rules = Rules {
        vouched: ledger_verify::chain::Vouched::default(),
        form: plan.form.clone(),
        numbered: true,
        sequence_starts: plan.chain.sequence_starts.clone(),
        sequence_step: plan.chain.sequence_step,
        gaps: false,
        single_group: false,
        reset: false,
        late: false,
        carries: false,
        literal: false,
        declared: ledger_verify::chain::Declarations::default(),
        partly_signed: false,
        bindings: keys.keys().iter().map(|key| key.bound.clone()).collect(),
        announced: announced.map(|name| Arc::from(*name)).collect(),
        max_chains: 3,
        pins: made.heads.iter().filter_map(|text| pin(text, &plan)).collect(),
        counted: CountPins::new(counted),
        heads: Vec::new(),
    };
    Rows { plan, keys, rules, lines, facts }
}

fn forged(case: &Case, other: &Other) -> Vec<Vec<u8>> {
    let job = ledger::Job {
        seed: other.seed,
        rows: other.rows,
        start: other.start,
        workspace: mutate::STRANGER.into(),
        recipe: case.recipe(),
        compensations: 30,
        row_bytes: 300,
        ..ledger::Job::default()
    };
    let mut export = Vec::new();
    ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
    mutate::lines::split(&export)
}

fn interleave(first: Vec<Vec<u8>>, second: Vec<Vec<u8>>, order: &[bool]) -> Vec<Vec<u8>> {
    let (mut first, mut second) = (first.into_iter(), second.into_iter());
    let mut lines = Vec::new();
    for &of_second in order {
        lines.extend(if of_second { second.next() } else { first.next() });
    }
    lines.extend(first);
    lines.extend(second);
    lines
}

fn pin(text: &str, plan: &Plan) -> Option<Pin> {
    let (digest, number) = text.split_once('@').map_or((text, None), |(digest, number)| (digest, Some(number)));
    let digest = plan.form.decode(digest)?;
    let sequence = match number {
        Some(number) => Some(Sequence::new(number.parse().ok()?)?),
        None => None,
    };
    Some(Pin { digest, sequence })
}

/// Earlier rows, all in memory.
struct Memory<'a> {
    rows: &'a Rows,
    recipe: Recipe,
}

impl Memory<'_> {
    fn before(&self, place: Place) -> impl Iterator<Item = usize> {
        0..self.rows.lines.partition_point(|(other, _)| other.line < place.line)
    }
}

impl History for Memory<'_> {
    fn look_back(&mut self, question: &Question<'_>) -> LookBack {
        let lines = &self.rows.lines;
        let own = lines.iter().find(|(place, _)| *place == question.place).map(|(_, bytes)| bytes);
        let mut seen = LookBack::default();
        for index in self.before(question.place) {
            seen.copy |= lines.get(index).map(|(_, bytes)| bytes) == own;
            let Some(facts) = &self.rows.facts[index] else { continue };
            // Like the export's text: what is spelled with escapes is not found by its bytes.
            if (question.may_be_of)(facts.group.as_deref()) && !facts.escaped {
                seen.parent |= facts.hash == Some(question.prev);
                seen.successor |= facts.prev == Some(question.prev);
            }
        }
        seen
    }

    fn recheck(&mut self, _: Place, _: &Before) -> Option<Facts> {
        // In the home format nothing of a row depends on more than it states.
        None
    }

    fn unfold(&mut self, from: Place, to: Place) -> Vec<Facts> {
        let mut checker = Checker::new(&self.rows.plan, &self.rows.keys, self.recipe);
        let lines = self.rows.lines.iter().filter(|(place, _)| (from.line..=to.line).contains(&place.line));
        let checked = lines.filter_map(|(place, bytes)| checker.check(&Line::row(*place, bytes), None));
        let row = |checked| if let Checked::Row(facts) = checked { Some(*facts) } else { None };
        checked.filter_map(row).collect()
    }
}

impl Rows {
    fn fold(&self, range: std::ops::Range<usize>, basis: &Basis) -> Segment {
        let mut checker = Checker::new(&self.plan, &self.keys, basis.recipe);
        let mut segment = Segment::default();
        for (place, bytes) in &self.lines[range] {
            let checked = checker.check(&Line::row(*place, bytes), None);
            segment.push(checked.expect("a line with a row"), basis, &self.rules);
        }
        segment
    }

    /// Walk these segments; gives all that comes out as text, and what was settled before each.
    fn walk(&self, segments: impl IntoIterator<Item = impl FnOnce(&Basis) -> Segment>) -> (String, Vec<Basis>) {
        let mut walk = Walk::new(&self.rules, self.plan.settled());
        let mut tally = Tally::new(Policy::default(), usize::MAX);
        let mut bases = Vec::new();
        for segment in segments {
            let basis = walk.basis();
            let mut history = Memory { rows: self, recipe: basis.recipe };
            walk.absorb(segment(&basis), &mut history, &mut tally);
            bases.push(basis);
        }
        let end = walk.finish();
        (format!("{:#?}\n{end:#?}", tally.finish()), bases)
    }
}

/// Join neighbours, in the order that `joins` says, until as many are left as it leaves.
fn bracket(mut segments: Vec<Segment>, joins: &[u16], rules: &Rules) -> Vec<Segment> {
    for &join in joins {
        if segments.len() < 2 {
            break;
        }
        let at = mutate::pick(join, segments.len() - 1);
        let next = segments.remove(at + 1);
        segments[at].merge(next, rules);
    }
    segments
}

/// How the rows are cut and put together.
#[derive(Clone, Debug)]
struct Cut {
    /// Borders between segments.
    borders: Vec<u16>,
    /// Whose basis each segment is folded with: that many rows before its first one.
    lag: Vec<u16>,
    /// Which neighbours are merged.
    joins: Vec<u16>,
}

fn law(rows: &Rows, cut: &Cut) -> Result<(), TestCaseError> {
    let count = rows.lines.len();
    let none = Basis::default();
    // Row by row, with nothing known that was not known before; and folded with nothing known at all.
    let (wanted, bases) = rows.walk((0..count).map(|row| move |basis: &Basis| rows.fold(row..row + 1, basis)));
    let (plain, _) = rows.walk((0..count).map(|row| {
        let none = &none;
        move |_: &Basis| rows.fold(row..row + 1, none)
    }));
    prop_assert_eq!(&plain, &wanted, "row by row with the default basis");

    let mut borders: Vec<usize> = cut.borders.iter().map(|&border| mutate::pick(border, count + 1)).collect();
    borders.extend([0, count]);
    borders.sort_unstable();
    borders.dedup();
    let mut lags = cut.lag.iter().cycle();
    let ranges: Vec<_> = borders.windows(2).map(|pair| pair[0]..pair[1]).collect();
    let segments = ranges.into_iter().map(|range| {
        // 0 stands for the default basis, else a point at or before the first row.
        let lag = usize::from(*lags.next().unwrap_or(&0)) % (range.start + 2);
        let basis = if lag > range.start { &none } else { bases.get(range.start - lag).unwrap_or(&none) };
        rows.fold(range, basis)
    });
    let segments = bracket(segments.collect(), &cut.joins, &rows.rules);
    let (got, _) = rows.walk(segments.into_iter().map(|segment| move |_: &Basis| segment));
    prop_assert_eq!(&got, &wanted, "cut and merged");
    Ok(())
}

fn other() -> impl Strategy<Value = Other> {
    let start = prop_oneof![3 => Just(1u64), 1 => 2u64..9];
    let order = proptest::collection::vec(any::<bool>(), 0..24);
    (50u64..60, 1u64..10, start, order, any::<bool>()).prop_map(|(seed, rows, start, order, announced)| Other {
        seed,
        rows,
        start,
        order,
        announced,
    })
}

fn cut() -> impl Strategy<Value = Cut> {
    let numbers = |most| proptest::collection::vec(any::<u16>(), 0..most);
    (numbers(8), proptest::collection::vec(0u16..12, 1..9), numbers(8)).prop_map(|(borders, lag, joins)| Cut {
        borders,
        lag,
        joins,
    })
}

#[test]
fn cutting_changes_nothing() {
    let mut config =
        ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let strategy = (mutate::case(), proptest::option::of(other()), any::<bool>(), proptest::collection::vec(cut(), 4));
    let outcome = proptest::test_runner::TestRunner::new(config).run(&strategy, |(case, other, bound, cuts)| {
        let rows = rows(&case, other.as_ref(), bound);
        cuts.iter().try_for_each(|cut| law(&rows, cut))
    });
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

/// The comparison can fail: a lost row, and rows in another order, come out differently.
#[test]
fn what_is_compared_depends_on_every_row() {
    let rows = rows(&mutate::honest(1, 6), None, false);
    let walk = |ranges: &[std::ops::Range<usize>]| {
        rows.walk(ranges.iter().map(|range| |basis: &Basis| rows.fold(range.clone(), basis))).0
    };
    let whole = walk(std::slice::from_ref(&(0..6)));
    assert_eq!(walk(&[0..2, 2..6]), whole);
    for lost in 0..6 {
        assert_ne!(walk(&[0..lost, lost + 1..6]), whole, "without row {lost}");
    }
    assert_ne!(walk(&[0..2, 3..4, 2..3, 4..6]), whole);
}
