//! Ledgers at random, copies by a known operation: the comparison says what the twin says.

use std::io::Write as _;

use flate2::Compression;
use flate2::write::GzEncoder;
use ledger_verify::audit::Request;
use ledger_verify::report::compare::{Comparison, Side, comparison_id};
use proptest::prelude::*;

use crate::derive::{Case, Operation, cases, file};
use crate::twin::{self, Fork, Verdict};
use crate::{Folder, compared, judged, ledger};

fn said(comparison: &Comparison) -> Verdict {
    let fork = |fork: &ledger_verify::report::compare::Fork| Fork {
        lines: fork.rows.each_ref().map(|row| row.place.line),
        numbers: fork.rows.each_ref().map(|row| row.sequence.expect("a number")),
        vouched: fork.rows.each_ref().map(|row| row.vouched),
    };
    Verdict {
        word: comparison.word(),
        longer: comparison.longer().map(Side::name),
        common: comparison.common,
        forks: comparison.forks.iter().map(fork).collect(),
    }
}

fn holds(case: &Case) {
    let key = ledger::verifying_key(case.seed);
    let spaced = case.operations.iter().any(|operation| matches!(operation, Operation::Reserialised(_)));
    let a = file(&case.lines(), Default::default(), false);
    let b = file(&case.copy(), case.shape, spaced);
    let folder = Folder::new();
    let (path_a, path_b) = (folder.write("a.jsonl", &a), folder.write("b.jsonl", &b));
    let pem = folder.write("pk.pem", ledger::files::public_pem(&key));
    let request =
        Request { keys: vec![(None, pem)], profile: Some("void".to_owned()), threads: 2, ..Request::default() };
    let comparison = judged(&path_a, &path_b, &request);
    let wanted = twin::compare(&a, &b, &key);
    assert_eq!(said(&comparison), wanted, "{case:?}");
    assert_eq!(comparison.identical, a == b);
    // Whatever way the bytes come, the comparison is the same.
    let mut packed = GzEncoder::new(Vec::new(), Compression::fast());
    packed.write_all(&b).expect("memory");
    let packed = folder.write("b.jsonl.gz", packed.finish().expect("memory"));
    assert_eq!(comparison_id(&compared(&path_a, &packed, &request)), comparison_id(&comparison));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 120, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn the_comparison_says_what_the_twin_says(case in cases()) {
        holds(&case);
    }
}
