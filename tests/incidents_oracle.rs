//! The oracle of incidents: one known deed on a good export leads to one incident, of that kind and about
//! exactly those rows; two deeds far apart lead to two.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;

use std::fs;
use std::process::Command;

use ledger::files::public_pem;
use ledger::incidents::Made;
use ledger::{digest_text, signing_key};
use proptest::prelude::*;
use serde_json::Value;

/// Something that is done to rows, where and to how many.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Deed {
    Edit,
    EditDigest,
    Delete,
    Insert,
    Swap,
    Move,
    Copy,
    Overwrite,
    Join,
    Strip,
    Resign,
}

const DEEDS: [Deed; 11] = [
    Deed::Edit,
    Deed::EditDigest,
    Deed::Delete,
    Deed::Insert,
    Deed::Swap,
    Deed::Move,
    Deed::Copy,
    Deed::Overwrite,
    Deed::Join,
    Deed::Strip,
    Deed::Resign,
];

/// What must be told: kind, lines, numbers.
#[derive(Clone, Debug, PartialEq)]
struct Told {
    kind: String,
    lines: Option<(u64, u64)>,
    rows: Option<u64>,
    sequences: Option<(u64, u64)>,
}

impl Told {
    fn new(kind: &str) -> Self {
        Told { kind: kind.to_owned(), lines: None, rows: None, sequences: None }
    }

    fn lines(mut self, first: usize, last: usize) -> Self {
        self.lines = Some((first as u64, last as u64));
        self
    }

    fn rows(mut self, rows: usize) -> Self {
        self.rows = Some(rows as u64);
        self
    }

    fn sequences(mut self, first: usize, last: usize) -> Self {
        self.sequences = Some((first as u64, last as u64));
        self
    }

    /// Whether the incident says it.
    fn is_told_by(&self, incident: &Value) -> bool {
        let number = |name: &str| incident[name].as_u64();
        let both = |first, last| number(first).zip(number(last));
        incident["kind"] == self.kind.as_str()
            && self.lines.is_none_or(|lines| both("first_line", "last_line") == Some(lines))
            && self.rows.is_none_or(|rows| number("rows") == Some(rows))
            && self.sequences.is_none_or(|rows| both("first_sequence", "last_sequence") == Some(rows))
    }
}

/// Do it to the rows from `at` on, counted from 0, with the numbers one higher; gives what must be told, and
/// by how much lines behind are moved.
fn act(deed: Deed, made: &mut Made, at: usize, count: usize) -> Told {
    let end = at + count;
    match deed {
        Deed::Edit => {
            (at..end).for_each(|row| made.edit(row, "class", "R9".into()));
            Told::new("content-edited").lines(at + 1, end).rows(count).sequences(at + 1, end)
        }
        Deed::EditDigest => {
            made.edit(at, "hash", digest_text(&[0xab; 32]).into());
            Told::new("digest-edited").lines(at + 1, at + 1).rows(1)
        }
        Deed::Delete => {
            made.lines.drain(at..end);
            Told::new("rows-deleted").lines(at, at + 1).rows(count).sequences(at + 1, end)
        }
        Deed::Insert => {
            // Each time from another ledger: rows of one would belong together.
            let other = Made::honest(made.seed + 1000 * at as u64, 3 + count as u64);
            let foreign = other.lines[2..2 + count].to_vec();
            made.lines.splice(at..at, foreign);
            Told::new("rows-inserted").lines(at + 1, end).rows(count)
        }
        Deed::Swap => {
            made.lines.swap(at, end);
            Told::new("rows-swapped").lines(at + 1, end + 1).rows(2).sequences(at + 1, end + 1)
        }
        Deed::Move => {
            // Two rows of a block and the ones behind it: not a swap of single rows.
            made.lines[at..end + 2].rotate_left(2);
            Told::new("rows-reordered").lines(at + 1, end + 2).rows(count + 2).sequences(at + 1, end + 2)
        }
        Deed::Copy => {
            let copies = made.lines[at..end].to_vec();
            made.lines.splice(end..end, copies);
            Told::new("rows-copied").lines(end + 1, end + count).rows(count).sequences(at + 1, end)
        }
        Deed::Overwrite => {
            (at..end).for_each(|row| made.lines[row] = b"-- gone --\n".to_vec());
            Told::new("lines-unreadable").lines(at + 1, end).rows(count)
        }
        Deed::Join => {
            made.lines[at].pop();
            Told::new("lines-joined").lines(at + 1, at + 1)
        }
        Deed::Strip => {
            for row in at..end {
                let mut bare = made.row(row);
                bare.shift_remove("signature");
                made.set(row, &bare);
            }
            Told::new("signatures-stripped").lines(at + 1, end).rows(count)
        }
        Deed::Resign => {
            for row in at..end {
                let mut other = made.row(row);
                made.seal(&mut other, Some(2), true);
                made.set(row, &other);
            }
            Told::new("signatures-replaced").lines(at + 1, end).rows(count)
        }
    }
}

/// How an export is looked at.
#[derive(Clone, Copy, Debug)]
struct Look {
    key: bool,
    manifest: bool,
}

/// The report on an export.
fn report(made: &Made, look: Look) -> Value {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let write = |name: &str, bytes: &[u8]| fs::write(folder.path().join(name), bytes).expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.current_dir(folder.path()).arg("--json").args(["--profile", "void", "--threads", "1"]);
    for (index, part) in made.parts().iter().enumerate() {
        let name = format!("part{}.jsonl", index + 1);
        write(&name, part);
        command.arg(&name);
    }
    if look.key {
        write("pk.pem", public_pem(&signing_key(made.seed, made.key).verifying_key()).as_bytes());
        command.args(["--key", "pk.pem"]);
    }
    if look.manifest {
        write("manifest.json", made.manifest_text().as_bytes());
        command.args(["--manifest", "manifest.json"]);
    }
    let done = command.output().expect("the program runs");
    serde_json::from_slice(&done.stdout).expect("--json gives JSON")
}

/// Exactly these stories, and no fault outside them.
fn check(made: &Made, look: Look, wanted: &[Told]) -> Result<(), TestCaseError> {
    let report = report(made, look);
    let incidents = report["incidents"].as_array().expect("a report lists incidents");
    let right = incidents.len() == wanted.len()
        && wanted.iter().zip(incidents).all(|(told, incident)| told.is_told_by(incident));
    prop_assert!(
        right && report["untold"]["faults"] == 0,
        "wanted {wanted:#?}, told {:#}, untold {}, {}",
        report["incidents"],
        report["untold"],
        report["finding_counts"]
    );
    Ok(())
}

fn look() -> impl Strategy<Value = Look> {
    (any::<bool>(), any::<bool>()).prop_map(|(key, manifest)| Look { key, manifest })
}

/// Whether a look can see the deed for what it is.
fn shows(deed: Deed, look: Look) -> bool {
    deed != Deed::Resign || look.key
}

/// A few for every day; as many as `ORACLE_CASES` says for a long run.
fn cases() -> u32 {
    std::env::var("ORACLE_CASES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(48)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn one_deed_is_one_incident(
        seed in 1u64..1000, deed in proptest::sample::select(DEEDS.to_vec()), at in 2usize..10, count in 1usize..5,
        look in look(),
    ) {
        prop_assume!(shows(deed, look));
        let mut made = Made::honest(seed, 24);
        let told = act(deed, &mut made, at, count);
        check(&made, look, &[told])?;
    }

    #[test]
    fn two_deeds_far_apart_are_two_incidents(
        seed in 1u64..1000, first in proptest::sample::select(DEEDS.to_vec()),
        second in proptest::sample::select(DEEDS.to_vec()), at in 2usize..8, count in 1usize..4, look in look(),
    ) {
        prop_assume!(shows(first, look) && shows(second, look));
        let mut made = Made::honest(seed, 40);
        // The later one first, so that both know their rows; only its lines move.
        let before = made.lines.len();
        let later = act(second, &mut made, 26 + at, count);
        let between = made.lines.len();
        let earlier = act(first, &mut made, at, count);
        let moved = made.lines.len() as i64 - between as i64 - i64::from(first == Deed::Join);
        prop_assert!(before + 8 > between);
        let shift = |line: u64| (line as i64 + moved) as u64;
        let later = Told { lines: later.lines.map(|(first, last)| (shift(first), shift(last))), ..later };
        check(&made, look, &[earlier, later])?;
    }

    #[test]
    fn ends_and_wholes(seed in 1u64..1000, rows in 8usize..20, at in 3usize..7, what in 0u8..9) {
        let mut made = Made::honest(seed, rows as u64);
        let sees_all = Look { key: true, manifest: true };
        let (told, look) = match what {
            0 => {
                made.edit(at, "class", "R9".into());
                made.remake(at..rows, None);
                (Told::new("rows-rehashed-without-key").lines(at + 1, rows).rows(rows - at), sees_all)
            }
            1 => {
                made.lines.truncate(at);
                (Told::new("tail-cut").rows(rows - at).sequences(at + 1, rows), sees_all)
            }
            2 => {
                let other = Made::honest(seed + 1000, 6);
                made.lines.extend(other.lines);
                // The other ledger's keys are other ones.
                (Told::new("concatenated-exports").lines(rows + 1, rows + 6), Look { key: false, manifest: true })
            }
            3 | 4 => {
                made.cuts = vec![at, at + 1];
                made.order = if what == 3 { vec![0, 2, 1] } else { vec![2, 0, 1] };
                (Told::new("parts-out-of-order"), sees_all)
            }
            5 => {
                made.cuts = vec![at, at + 1];
                made.order = vec![0, 2];
                (Told::new("part-missing").rows(1).sequences(at + 1, at + 1), sees_all)
            }
            6 => {
                let last = made.lines.last_mut().expect("there are rows");
                last.truncate(last.len() / 2);
                (Told::new("torn-write").lines(rows, rows), sees_all)
            }
            7 => {
                made.key = 2;
                (Told::new("wrong-key").lines(1, rows).rows(rows), Look { key: true, manifest: false })
            }
            _ => {
                made.state(at);
                (Told::new("log-grown-past-manifest").lines(at + 1, rows).sequences(at + 1, rows), sees_all)
            }
        };
        check(&made, look, &[told])?;
    }

    #[test]
    fn a_good_export_has_no_story(seed in 1u64..1000, rows in 1u64..20, look in look()) {
        check(&Made::honest(seed, rows), look, &[])?;
    }
}

/// A ledger in backwards order, and one that was shuffled: nothing is missing and nothing was put in.
#[test]
fn rows_in_any_order_are_not_missing() {
    for (rows, step) in [(60, 59), (200, 77), (1600, 631)] {
        let mut made = Made::honest(7, rows);
        // Each row stands where a step that has no divisor in common with their number puts it.
        let order = (1..=rows).map(|row| (row * step % rows) as usize);
        made.lines = order.map(|row| made.lines[row].clone()).collect();
        let report = report(&made, Look { key: true, manifest: false });
        let incidents = report["incidents"].as_array().expect("a report lists incidents");
        let wrong = incidents
            .iter()
            .find(|incident| incident["kind"] != "rows-reordered" && incident["kind"] != "rows-swapped");
        assert!(wrong.is_none(), "{rows} rows by {step}: {}", report["incidents"]);
        assert!(!incidents.is_empty(), "{rows} rows by {step}");
    }
}

/// Ten thousand patterns are told in bounded space: the first ones are listed, the others are counted.
#[test]
fn many_incidents_are_counted() {
    let mut made = Made::honest(7, 2600);
    (0..2600).step_by(2).for_each(|row| made.edit(row, "class", "R9".into()));
    let report = report(&made, Look { key: true, manifest: false });
    let incidents = report["incidents"].as_array().expect("a report lists incidents");
    assert_eq!(incidents.len(), 100);
    assert!(incidents.iter().all(|incident| incident["kind"] == "content-edited" && incident["rows"] == 1));
    // 1,000 are remembered; the faults of the others are named as part of no story.
    assert_eq!((&report["untold"]["incidents"], &report["untold"]["faults"]), (&900.into(), &300.into()));
}

/// Text of the manifest stands in a story only as it may stand on a terminal.
#[test]
fn hostile_names_are_escaped() {
    let mut made = Made::honest(7, 4);
    let hostile = "\u{1b}[2Jverified\u{202e}\n";
    made.manifest[0].insert("workspace".to_owned(), hostile.into());
    made.manifest[0].insert("head".to_owned(), digest_text(&[0xab; 32]).into());
    let report = report(&made, Look { key: false, manifest: true });
    let incident = &report["incidents"][0];
    assert_eq!(incident["kind"], "wrong-ledger");
    for member in ["message", "chain", "next"] {
        let text = incident[member].as_str().unwrap_or_default();
        assert!(!text.contains(['\u{1b}', '\u{202e}', '\n']), "{member}: {text:?}");
    }
    assert!(incident["message"].as_str().is_some_and(|text| text.contains("verified")), "{incident}");
}
