//! Where the time of an unsigned row goes: nanoseconds a row of each step by itself, in this process.

pub mod formats;

use std::hint::black_box;
use std::time::Instant;

use ledger_verify::canonical::{Exclude, jcs};
use ledger_verify::row::Reader;
use sha2::{Digest as _, Sha256};

/// A step: its name, and what is done with all lines once.
type Step<'a> = (&'static str, Box<dyn FnMut() + 'a>);

/// Print the medians of rounds, the steps by turns within each.
pub fn tell(export: &[u8], rounds: usize) {
    let lines: Vec<&[u8]> = export.split(|byte| *byte == b'\n').filter(|line| !line.is_empty()).collect();
    let exclude = Exclude::new(["hash", "signature"]);
    let canonical: Vec<Vec<u8>> = {
        let (mut reader, mut writer) = (Reader::learning(), jcs::Writer::default());
        let written = lines.iter().map(|line| {
            let mut out = Vec::new();
            writer.write(reader.read(line).expect("a row").root(), &exclude, &mut out);
            out
        });
        written.collect()
    };
    let (mut known, mut exact) = (Reader::learning(), Reader::new());
    let (mut reader, mut writer, mut out) = (Reader::learning(), jcs::Writer::default(), Vec::new());
    let mut steps: Vec<Step<'_>> = vec![
        ("lines", Box::new(|| seen(memchr::memchr_iter(b'\n', export).count()))),
        ("UTF-8", Box::new(|| lines.iter().for_each(|line| seen(std::str::from_utf8(line))))),
        ("rows, exactly", Box::new(|| lines.iter().for_each(|line| seen(exact.read_exact(line).is_ok())))),
        ("rows", Box::new(|| lines.iter().for_each(|line| seen(known.read(line).is_ok())))),
        (
            "rows and RFC 8785",
            Box::new(|| {
                for line in &lines {
                    out.clear();
                    writer.write(reader.read(line).expect("a row").root(), &exclude, &mut out);
                    seen(&out);
                }
            }),
        ),
        ("SHA-256 of that", Box::new(|| canonical.iter().for_each(|text| seen(Sha256::digest(text))))),
        ("SHA-256 of the file", Box::new(|| seen(Sha256::digest(export)))),
    ];
    let mut times = vec![Vec::new(); steps.len()];
    for _ in 0..rounds {
        for (times, (_, step)) in times.iter_mut().zip(&mut steps) {
            let start = Instant::now();
            step();
            times.push(start.elapsed().as_secs_f64() * 1e9 / lines.len() as f64);
        }
    }
    for ((name, _), mut times) in steps.iter().zip(times) {
        times.sort_by(f64::total_cmp);
        println!("  {name}: {:.0} ns a row", times[times.len() / 2]);
    }
}

/// Keeps a result from being left out as of no use.
fn seen<T>(result: T) {
    black_box(result);
}
