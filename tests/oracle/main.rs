//! The engine against the slow verifier, on small ledgers with something wrong.
//!
//! Whatever is done to an export, its manifest, keys and heads, both must give the same exit code and
//! the same findings in the same order; and the engine must give the same report to the byte with any
//! number of threads and wherever batches end.
//!
//! The domain is the slow verifier's: one part, one chain. `PROPTEST_CASES=20000 cargo test --release
//! --test oracle` runs long.

mod ask;
mod kinds;
#[path = "../mutate/mod.rs"]
mod mutate;
#[allow(unused_imports, reason = "the baseline of the benches is not asked here")]
#[path = "../../benches/slow/mod.rs"]
mod slow;

use std::path::Path;

use ask::{Said, engine, is_one_chain, oracle, pin, request, text};
use ledger_verify::audit::{self, Request};
use ledger_verify::finding::Class;
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::Environment;
use mutate::Case;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

/// Cases unless the environment says otherwise: seconds in a debug build.
const CASES: u32 = 200;

/// Cuts of the work into batches and windows, most of them through every row.
const CUTS: [(usize, usize); 4] = [(1, 1), (1, 4_000), (700, 1), (1_000, 2_500)];

/// Ask both and demand that they agree; gives what they say. Outside the domain of the slow verifier only
/// the engine's own reports are compared. Which cut is tried, and whether with several threads, follows
/// from `turn`.
fn agree(case: &Case, folder: &Path, turn: u64) -> Result<Said, TestCaseError> {
    let made = case.make();
    // A head beyond the numbers of the format is bad usage, which the slow verifier does not know.
    prop_assume!(made.heads.iter().all(|head| pin(head).is_some()));
    let request = request(case, &made, folder, 1);
    let outcome = audit::run(&request, Environment::default(), &());
    let usual = text(&outcome);
    let (batch_bytes, window_bytes) = CUTS[turn as usize % CUTS.len()];
    let cut = Sizes { batch_bytes, stride_bytes: batch_bytes, window_bytes, ..Sizes::default() };
    prop_assert_eq!(&text(&audit::run_cut(&request, Environment::default(), cut)), &usual, "cut as {:?}", cut);
    if turn.is_multiple_of(5) {
        let threads = Request { threads: 7, ..request };
        prop_assert_eq!(&text(&audit::run_cut(&threads, Environment::default(), cut)), &usual, "7 threads");
    }
    prop_assume!(is_one_chain(case, &made));
    let said = engine(&outcome);
    prop_assert_eq!(&said, &oracle(case, &made), "engine and slow verifier, {:?}", made.heads);
    Ok(said)
}

#[test]
fn the_engine_says_what_the_slow_verifier_says() {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut config =
        ProptestConfig { failure_persistence: None, max_global_rejects: 1_000_000, ..ProptestConfig::default() };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = CASES;
    }
    let outcome = TestRunner::new(config).run(&mutate::case(), |case| {
        // The same for a case whenever it is run, as shrinking must have it.
        let turn = case.seed + case.changes.len() as u64;
        agree(&case, folder.path(), turn).map(|_| ())
    });
    if let Err(why) = outcome {
        panic!("{why}");
    }
}

/// Both have the same classes: a note of one is no fault of the other.
#[test]
fn both_have_the_same_classes() {
    for code in ledger_verify::finding::Code::ALL {
        let slow = match slow::class(code.name()) {
            slow::Class::Fault => Class::Fault,
            slow::Class::Bound => Class::Bound,
            slow::Class::Note => Class::Note,
        };
        // Codes of other formats stand nowhere in the slow verifier's table.
        if slow != Class::Fault || code.class() == Class::Fault {
            assert_eq!(slow, code.class(), "{}", code.name());
        }
    }
}
