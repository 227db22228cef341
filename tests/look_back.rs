//! Looking back far: rows beyond the nearest ones are found too, together and only so often, and how the work
//! is cut changes nothing about it.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use ledger_verify::audit::{self, Request};
use ledger_verify::pipeline::Sizes;
use ledger_verify::report::{Environment, json};
use serde_json::Value;

/// Zones of a row or two: everything else is far back.
const TINY: Sizes = Sizes {
    batch_bytes: 4_000,
    stride_bytes: 3_000,
    window_bytes: 9_000,
    zone_bytes: 500,
    far_bytes: 32 << 30,
    end_bytes: 0,
};

/// The rows of a ledger of which the last ones fork from the first ones.
fn rows(count: u64, late_forks: u64) -> Vec<String> {
    let job = ledger::Job { rows: count, late_forks, row_bytes: 300, ..ledger::Job::default() };
    let mut export = Vec::new();
    ledger::write_export(&job, &mut export).expect("a Vec takes every byte");
    String::from_utf8(export).expect("rows are text").lines().map(|row| format!("{row}\n")).collect()
}

/// What a run says of these parts with the work cut so.
fn report(parts: &[&[String]], sizes: Sizes, threads: usize, folder: &Path) -> Value {
    let exports = parts.iter().enumerate().map(|(number, rows)| {
        let path = folder.join(format!("{number}.jsonl"));
        fs::write(&path, rows.concat()).expect("a part can be written");
        path
    });
    let request = Request {
        exports: exports.collect(),
        profile: Some("void".to_owned()),
        max_findings: usize::MAX,
        threads,
        ..Request::default()
    };
    let mut value = json::value(&audit::run_cut(&request, Environment::default(), sizes));
    value.as_object_mut().expect("a report").remove("environment");
    value
}

fn counts(report: &Value) -> BTreeMap<String, u64> {
    let counts = report["finding_counts"].as_object().expect("counts").iter();
    let faults = counts.filter(|(code, _)| !["no-key", "no-anchor"].contains(&code.as_str()));
    faults.map(|(code, count)| (code.clone(), count.as_u64().expect("a number"))).collect()
}

fn folder() -> tempfile::TempDir {
    tempfile::tempdir().expect("a temporary folder")
}

#[test]
fn a_row_far_back_is_found_like_one_nearby() {
    let rows = rows(60, 6);
    let folder = folder();
    // Forks from far back, then a block of copies of which the originals are far back.
    let spoilt = [&rows[..], &rows[10..25]].concat();
    for parts in [vec![&spoilt[..]], vec![&spoilt[..20], &spoilt[20..45], &spoilt[45..]]] {
        let near = report(&parts, Sizes::default(), 1, folder.path());
        assert_eq!(counts(&near), BTreeMap::from([("fork".into(), 6), ("sequence-repeated".into(), 15)]));
        assert_eq!(report(&parts, TINY, 1, folder.path()), near);
    }
}

#[test]
fn a_fork_names_the_first_successor_wherever_it_stands() {
    let rows = rows(60, 1);
    let folder = folder();
    for sizes in [Sizes::default(), TINY] {
        let report = report(&[&rows], sizes, 1, folder.path());
        let fork = report["findings"].as_array().into_iter().flatten().find(|finding| finding["code"] == "fork");
        assert_eq!(fork.map(|fork| &fork["other_sequence"]), Some(&Value::from(2)), "{sizes:?}");
    }
}

#[test]
fn what_is_looked_for_far_back_is_bounded_by_the_export_alone() {
    let rows = rows(240, 120);
    let folder = folder();
    let bounded = Sizes { far_bytes: 0, ..TINY };
    let unbounded = counts(&report(&[&rows], TINY, 1, folder.path()));
    // The parent of the last one has no other successor: its own one was the first fork.
    assert_eq!(unbounded, BTreeMap::from([("fork".into(), 119), ("link-broken".into(), 1)]));
    let usual = report(&[&rows], bounded, 1, folder.path());
    let found = counts(&usual);
    // A broken link all the same, and as many of them.
    assert_eq!(found.values().sum::<u64>(), 120 + found.get("sequence-gap").unwrap_or(&0));
    assert!(found["fork"] > 20 && found["link-broken"] > 20, "{found:?}");
    for (batch_bytes, window_bytes, threads) in [(1, 1, 1), (700, 90_000, 3), (256 << 10, 16 << 20, 2)] {
        let cut = Sizes { batch_bytes, stride_bytes: 2 * batch_bytes, window_bytes, ..bounded };
        assert_eq!(report(&[&rows], cut, threads, folder.path()), usual, "{cut:?}");
    }
}

#[test]
fn what_is_near_is_found_behind_the_bound_too() {
    let mut rows = rows(240, 120);
    let row = rows[238].clone();
    rows.insert(239, row);
    let found = counts(&report(&[&rows], Sizes { far_bytes: 0, ..TINY }, 1, folder().path()));
    assert_eq!(found.get("sequence-repeated"), Some(&1), "{found:?}");
}

#[test]
fn work_that_is_cut_into_nothing_is_done_all_the_same() {
    let rows = rows(9, 0);
    let folder = folder();
    let nothing = Sizes { batch_bytes: 0, stride_bytes: 0, window_bytes: 0, zone_bytes: 0, far_bytes: 0, end_bytes: 0 };
    assert_eq!(report(&[&rows], nothing, 1, folder.path()), report(&[&rows], Sizes::default(), 1, folder.path()));
}
