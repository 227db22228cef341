//! Canonical forms: nanoseconds to write a row of about 400 bytes, each with the members that its
//! profile leaves out.
//!
//!     cargo bench --bench canonical
//!
//! The least of many rounds, all forms in turn within a round: other programs on the machine can only
//! make a figure larger. Only ratios within one run mean anything.

use std::hint::black_box;
use std::time::Instant;

use ledger_verify::canonical::{
    Coverage, DropNull, Exclude, Form, Keys, Numbers, Select, SelectSpec, Separators, Unicode, Writer, jcs,
};
use ledger_verify::row::Reader;

const ROW: &str = r#"{"workspace":"acme-prod","sequence":48213,"kind":"tool_call","timestamp":"2026-03-04T05:06:07.891Z","actor":"agent-7","tool":"payments.refund","result":{"status":"ok","amount":1250,"currency":"EUR"},"tags":["a","b"],"prev_hash":"0x4b2f0d7c9a1e33b0a7e65d1f2c48e9b07766554433221100ffeeddccbbaa9988","hash":"0x9a8b7c6d5e4f30211203f4e5d6c7b8a90102030405060708090a0b0c0d0e0f10","signature":"ed25519:00"}"#;
const ROUNDS: usize = 60;
const WRITES: u32 = 10_000;

/// A name, and what is timed: it writes the row once more.
type Contender<'a> = (&'a str, Box<dyn FnMut() + 'a>);

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("canonical: measures only under `cargo bench`");
        return;
    }
    let (mut fast, mut exact) = (Reader::new(), Reader::new());
    let (fast, exact) = (fast.read(ROW.as_bytes()).expect("a row"), exact.read_exact(ROW.as_bytes()).expect("a row"));
    let texts = |texts: &[&str]| texts.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
    let without = SelectSpec { exclude: texts(&["hash", "signature"]), ..SelectSpec::default() };
    let compile = |spec: &SelectSpec| Select::new(spec).expect("a selection");
    let included = ["workspace", "sequence", "kind", "timestamp", "actor", "tool", "result", "tags", "prev_hash"];
    let include = SelectSpec { include: texts(&included), ..SelectSpec::default() };
    let dropped = SelectSpec {
        exclude_recursive: texts(&["hash", "signature"]),
        drop_null: DropNull::Objects,
        ..SelectSpec::default()
    };
    let forms = [
        ("jcs", &without, Form::JCS),
        ("compact", &without, Form::COMPACT),
        ("compact-ascii", &without, Form::COMPACT_ASCII),
        ("python-default", &without, Form::PYTHON_DEFAULT),
        ("python numbers", &without, Form { numbers: Numbers::Python, ..Form::COMPACT }),
        ("nfc", &without, Form { unicode: Unicode::Nfc, ..Form::COMPACT }),
        ("as written", &without, Form { keys: Keys::AsWritten, ..Form::COMPACT }),
        (
            "stringify, 2",
            &without,
            Form { keys: Keys::V8, separators: Separators::Indent2, numbers: Numbers::Es6, ..Form::COMPACT },
        ),
        ("compact, include 9", &include, Form::COMPACT),
        ("compact, recursive, nulls", &dropped, Form::COMPACT),
    ];
    let mut contenders: Vec<Contender<'_>> = Vec::new();
    let (exclude, mut plain, mut out) = (Exclude::new(["hash", "signature"]), jcs::Writer::default(), Vec::new());
    contenders.push((
        "jcs::Writer",
        Box::new(move || {
            out.clear();
            plain.write(black_box(fast.root()), &exclude, &mut out);
            black_box(&out);
        }),
    ));
    for (name, spec, form) in forms {
        let (select, mut writer, mut out) = (compile(spec), Writer::default(), Vec::new());
        let row = if form.needs_exact(fast) { exact } else { fast };
        contenders.push((
            name,
            Box::new(move || {
                out.clear();
                writer.write(black_box(row.root()), &select, &form, &[], &mut out).expect("it can be written");
                black_box(&out);
            }),
        ));
    }
    for (name, spec) in
        [("coverage, exclude", &without), ("coverage, include 9", &include), ("coverage, recursive", &dropped)]
    {
        let (select, mut coverage) = (compile(spec), Coverage::default());
        let mut found = 0;
        contenders.push((
            name,
            Box::new(move || {
                coverage.start();
                coverage.take_selected(black_box(fast), &select);
                for name in ["hash", "signature"] {
                    fast.root().get(name).into_iter().for_each(|value| coverage.take(value));
                }
                coverage.left(fast, |path| found += path.len());
                black_box(found);
            }),
        ));
    }
    let mut least = vec![f64::MAX; contenders.len()];
    for _ in 0..ROUNDS {
        for ((_, write), least) in contenders.iter_mut().zip(&mut least) {
            let start = Instant::now();
            (0..WRITES).for_each(|_| write());
            *least = least.min(start.elapsed().as_nanos() as f64 / f64::from(WRITES));
        }
    }
    println!("{} bytes", ROW.len());
    for ((name, _), least) in contenders.iter().zip(least) {
        println!("{least:8.1} ns  {name}");
    }
}
