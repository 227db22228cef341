//! Two exports of one ledger: the same, one the beginning of the other, or two histories.
//!
//! Decided here: by which format both are read, in which order things may fail, and which word is said. Equal bytes are
//! compared as bytes ([`common`]); from the first difference on rows are put side by side, chain by chain
//! ([`pairing`]), and two that differ are one row only where a digest that was recomputed shows it ([`weigh`]).

mod common;
mod decide;
mod fork;
mod lane;
mod members;
mod pairing;
mod reading;
mod tally;
mod weigh;

use std::fs::Metadata;
use std::path::{Path, PathBuf};

use super::conclude::profile_facts;
use super::detect::{self, Detected};
use super::keys::KeyFile;
use super::{Ground, Request, folder, keys, too_many_chains};
use crate::fact::Recipe;
use crate::pipeline::{self, Observer, Progress};
use crate::profile::Plan;
use crate::read::{Access, Export, Identity};
use crate::report::compare::{Comparison, Outcome, Remark, Side};
use crate::report::{Environment, KeyFacts, ProfileFacts};
use crate::stop::{Stop, StopCode};
use crate::trust::key::Key;
use crate::trust::keyring::Keyring;
use common::{common, total};
use pairing::{GivenUp, Pairing, WAITING};
use reading::Reading;
use tally::plain;

/// Compare two exports; a folder stands for its parts. Of the request its keys, its profile and what goes with that,
/// the limits and the threads count.
///
/// # Errors
///
/// A stop as in an audit, where no fork was found before; and one for exports in two formats.
pub fn compare(
    paths: [&Path; 2],
    request: &Request,
    environment: Environment,
    observer: &dyn Observer,
) -> Result<Comparison, Stop> {
    let compared = compare_within(paths, request, WAITING, observer)?;
    Ok(Comparison { environment, ..compared })
}

/// The same with a choice of how many bytes of rows may wait.
fn compare_within(
    paths: [&Path; 2],
    request: &Request,
    waiting: usize,
    observer: &dyn Observer,
) -> Result<Comparison, Stop> {
    let one_file = sources(paths)?;
    let keys = keys::files(&request.keys)?;
    let (ground, opened) = ground(paths, request, &keys)?;
    let [of_a, of_b] = opened;
    let exports = [open(&ground.plan, of_a, paths[0])?, open(&ground.plan, of_b, paths[1])?];
    let work = || run(&exports, &ground, request, waiting, observer);
    let mut comparison = pipeline::on_threads(request.threads, work)??;
    if one_file {
        comparison.notes.push(plain("one-file", "A and B are one file, which was compared with itself"));
    }
    Ok(comparison)
}

/// Whether both are one file. What comes once can be given once.
fn sources(paths: [&Path; 2]) -> Result<bool, Stop> {
    let of = |path: &Path| -> Option<Metadata> {
        let stdin = path == Path::new("-");
        std::fs::metadata(if stdin { Path::new("/dev/stdin") } else { path }).ok()
    };
    let [a, b] = paths.map(of);
    let both_stdin = paths[0] == Path::new("-") && paths[1] == Path::new("-");
    let one = both_stdin || a.as_ref().zip(b.as_ref()).is_some_and(|(a, b)| Identity::of(a).is(Identity::of(b)));
    let comes_once =
        |metadata: Option<Metadata>| metadata.is_none_or(|metadata| !metadata.is_file() && !metadata.is_dir());
    match one && (both_stdin || comes_once(a)) {
        true => Err(Stop::new(StopCode::Usage, "A and B are one stream, which comes once")
            .hint("save one of the two exports to a file")),
        false => Ok(one),
    }
}

/// The rules for both, and the exports where they had to be opened for that.
fn ground(paths: [&Path; 2], request: &Request, keys: &[KeyFile]) -> Result<(Ground, [Option<Export>; 2]), Stop> {
    if let Some(profile) = &request.profile {
        return Ok((Ground::named(request, profile, keys)?, [None, None]));
    }
    let look = |path: &Path| detect::look(&[path.to_owned()], keys);
    let (a, b) = (look(paths[0])?, look(paths[1])?);
    let opened = [a.opened, b.opened];
    let a = Detected { opened: None, ..a };
    let b = Detected { opened: None, ..b };
    let plan = match (a.plan, b.plan) {
        (Ok(one), Ok(other)) if a.rows && b.rows && one.name != other.name => {
            let why = format!("the rows of A are {}, those of B are {}", one.name, other.name);
            return Err(Stop::new(StopCode::Profile, why)
                .hint("two exports of one ledger are in one format: name it with --profile NAME"));
        }
        // An export without rows shows no format, and a damaged one perhaps none.
        (Ok(one), _) if a.rows => one,
        (_, Ok(other)) if b.rows => other,
        (Err(why), _) if a.rows => return Err(why),
        (_, Err(why)) if b.rows => return Err(why),
        (Ok(one), _) => one,
        (Err(_), other) => other?,
    };
    Ok((Ground::of(plan, request, keys)?, opened))
}

/// One of the two, if it is not open yet.
fn open(plan: &Plan, opened: Option<Export>, path: &Path) -> Result<Export, Stop> {
    let shape = plan.input.shape();
    let paths = [path.to_owned()];
    let parts: Vec<PathBuf> = folder::expand(&paths, plan)?.paths;
    match opened {
        Some(export) => Ok(export.with_ends(shape.ends)),
        None => Export::open_as(&parts, &shape, Access::default()),
    }
}

fn run(
    exports: &[Export; 2],
    ground: &Ground,
    request: &Request,
    waiting: usize,
    observer: &dyn Observer,
) -> Result<Comparison, Stop> {
    let Ground { plan, recipe, keys } = ground;
    let [mut a, mut b] = exports.each_ref().map(|export| Reading::new(export, request.max_row_bytes));
    let equal = common(&mut a, &mut b, observer);
    if let Some(progress) = equal.interrupted {
        return Err(interrupted(progress));
    }
    let without = Keyring::default();
    let digests = if plan.macs() { keys } else { &without };
    let mut pairing = Pairing::new(plan, (digests, keys), *recipe, (request.max_chains, waiting));
    pairing.start(&equal);
    let total = total(&a, &b);
    let before = equal.rows;
    let mut rows = before;
    let mut last = Progress { bytes: 0, total, rows };
    let advanced = &mut |bytes: u64| {
        rows += 2048;
        last = Progress { bytes, total, rows };
        observer.advanced(last)
    };
    if !pairing.run(&mut a, &mut b, advanced) {
        return Err(interrupted(last));
    }
    pairing.finish();
    let failed = [&a, &b].into_iter().find_map(|side| Some(side.export.stop(side.failed.as_ref()?)));
    let mut stopped = failed;
    if let Some(GivenUp::Chains(place)) = pairing.given_up {
        stopped.get_or_insert_with(|| too_many_chains(a.export, place, request.max_chains));
    }
    match stopped {
        Some(stop) if pairing.tally.forked == 0 => Err(stop),
        stopped => Ok(conclude([&a, &b], equal.whole, before, pairing, (plan, *recipe, keys), stopped)),
    }
}

/// What all of it comes to.
fn conclude(
    readings: [&Reading<'_>; 2],
    identical: bool,
    before: u64,
    pairing: Pairing<'_>,
    (plan, recipe, keys): (&Plan, Recipe, &Keyring),
    stopped: Option<Stop>,
) -> Comparison {
    let tally = &pairing.tally;
    let [rows_a, rows_b] = readings.map(|reading| reading.sums.rows());
    let behind = Side::BOTH.map(|side| tally.of_behind(side));
    let mut bounds = empty([rows_a, rows_b]);
    bounds.extend(tally.bounds());
    if pairing.given_up == Some(GivenUp::Waiting) {
        let message = "rows of several chains follow each other so differently that too many had to wait for the one \
                       beside them: the rest was not compared";
        bounds.push(Remark { count: tally.uncompared, ..plain("too-far-apart", message) });
    }
    if bounds.is_empty() {
        bounds.extend(tally.order());
    }
    let outcome = match (tally.forked, bounds.is_empty(), behind[0].count, behind[1].count) {
        (1.., ..) => Outcome::Forked,
        (0, false, ..) => Outcome::Undecided,
        (0, true, 0, 0) => Outcome::Same,
        (0, true, _, 0) => Outcome::Extended(Side::A),
        (0, true, ..) => Outcome::Extended(Side::B),
    };
    let mut notes = tally.notes();
    if outcome == Outcome::Same && !identical && tally.rewritten.count == 0 {
        let message = "the rows are the same bytes and the files are not: they differ in line ends, empty lines, a byte \
                       order mark, or in how they are cut into parts";
        notes.push(plain("files-differ", message));
    }
    let common = before + tally.matched;
    let forked_chains = tally.forked;
    let mut forks: Vec<_> = pairing.forks.into_iter().map(|open| open.fork).collect();
    forks.sort_by_key(|fork| fork.rows[0].place);
    Comparison {
        outcome,
        exports: readings.map(Reading::subjects),
        profile: profile(plan, recipe),
        keys: key_facts(plan, keys),
        has_signatures: plan.seals(),
        identical,
        common,
        behind: behind.map(|rows| rows.count),
        first_behind: behind.map(|rows| rows.first),
        forks,
        forked_chains,
        bounds,
        notes,
        unfinished: stopped.map(|stop| stop.message),
        environment: Environment::default(),
    }
}

/// Where there is nothing to compare, nothing is the same.
fn empty(rows: [u64; 2]) -> Vec<Remark> {
    let without = |(side, _): &(Side, u64)| {
        let message = format!("{} has no rows: there is nothing to compare", side.letter());
        Remark { side: Some(*side), ..plain("empty", message) }
    };
    let sides: Vec<(Side, u64)> = Side::BOTH.into_iter().zip(rows).filter(|(_, rows)| *rows == 0).collect();
    sides.iter().map(without).collect()
}

/// The format; of readings that nothing settled none is named.
fn profile(plan: &Plan, recipe: Recipe) -> ProfileFacts {
    let settled = recipe.hash.is_some() && recipe.signature.is_some();
    let facts = profile_facts(plan, recipe);
    ProfileFacts { recipe: if settled { facts.recipe.clone() } else { String::new() }, ..facts }
}

fn key_facts(plan: &Plan, keys: &Keyring) -> Vec<KeyFacts> {
    let facts = keys.keys().iter().map(|key| KeyFacts {
        id: (!key.bound.is_empty()).then(|| key.bound.join(", ")),
        algorithm: key.algorithm(plan),
        fingerprint: key.key().map_or_else(String::new, Key::fingerprint),
        rows: 0,
    });
    facts.collect()
}

fn interrupted(progress: Progress) -> Stop {
    Stop::new(StopCode::Interrupted, format!("interrupted after {} rows of each export", progress.rows))
        .hint("run it again to the end: what was not read may hold anything")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of two chains, in this order.
    fn export(order: &str) -> tempfile::NamedTempFile {
        let file = tempfile::NamedTempFile::new().expect("a file");
        let row = |chain: char, number: usize| {
            let zeros = "0".repeat(64);
            format!(r#"{{"sequence":{number},"workspace":"{chain}","prev_hash":"0x{zeros}","hash":"0x{zeros}"}}"#)
        };
        let mut numbers = std::collections::BTreeMap::new();
        let rows = order.chars().map(|chain| {
            let number = numbers.entry(chain).or_insert(0);
            *number += 1;
            row(chain, *number) + "\n"
        });
        std::fs::write(file.path(), rows.collect::<String>()).expect("a file");
        file
    }

    #[test]
    fn rows_that_wait_too_long_are_given_up() {
        let (mixed, grouped) = (export(&"ab".repeat(40)), export(&("a".repeat(40) + &"b".repeat(40))));
        let request = Request { profile: Some("void".to_owned()), ..Request::default() };
        let compared =
            |waiting| compare_within([mixed.path(), grouped.path()], &request, waiting, &()).expect("a comparison");
        let whole = compared(WAITING);
        assert_eq!((whole.outcome, whole.common), (Outcome::Undecided, 80));
        assert_eq!(whole.bounds.iter().map(|bound| bound.code).collect::<Vec<_>>(), ["interleaved"]);
        let given_up = compared(4_000);
        assert_eq!(given_up.outcome, Outcome::Undecided);
        assert_eq!(given_up.bounds.iter().map(|bound| bound.code).collect::<Vec<_>>(), ["too-far-apart"]);
        // What was not put side by side is counted, in both.
        assert_eq!(2 * given_up.common + given_up.bounds[0].count, 160);
    }
}
