//! The whole job: the built binary against the straightforward verifier, on the same rows, with signatures and
//! without, in two sizes; rows of another format; where the time of a row goes; and how much memory it takes.
//!
//!     cargo bench --bench whole_job
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `LEDGER` | verify this export (its key `pk.pem` beside it) and make none for speed | |
//! | `ROWS` | rows of the larger exports that are made; the smaller have a tenth | 1000000 |
//! | `SLOW_ROWS` | rows that the straightforward verifier reads, the first ones | 200000 |
//! | `ROUNDS` | rounds | 5 |
//! | `ENGINE` | what judges signatures (`--signatures`) | auto |
//! | `MEMORY_ROWS` | rows of the large export whose memory is measured; 10000000 takes 8 GB of disk | 2000000 |
//!
//! The contenders take turns within a round, so that whatever else the machine does hits all of them.
//! Only ratios within one run mean anything (performance.md). Time is given twice: wall time, which is
//! what a user waits, and processor time, which other programs on the machine disturb less.

#[path = "../examples/forge/ledger/mod.rs"]
mod ledger;
#[path = "slow/mod.rs"]
mod slow;
#[path = "stages/mod.rs"]
mod stages;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ed25519_dalek::VerifyingKey;
use sha2::{Digest as _, Sha256};

/// The seed of all exports made here.
const SEED: u64 = 1;

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("whole_job: measures only under `cargo bench`");
        return;
    }
    let (rounds, slow_rows) = (number("ROUNDS", 5) as usize, number("SLOW_ROWS", 200_000) as usize);
    match std::env::var_os("LEDGER") {
        Some(export) => speed(&signed(export.into()), rounds, slow_rows),
        None => {
            let rows = number("ROWS", 1_000_000);
            for rows in [rows / 10, rows] {
                let export = forged(rows);
                speed(&signed(export.clone()), rounds, slow_rows);
                speed(&Case { name: "home format, no key", key: None, ..signed(export) }, rounds, slow_rows);
                speed(&arcaeon(rows), rounds, slow_rows);
            }
            let bytes = fs::read(forged(rows / 10)).expect("the export can be read");
            println!("steps of a row of the home format by themselves, one thread");
            stages::tell(&bytes, rounds);
            println!("rows of eight formats by themselves, without a key, one thread");
            stages::formats::tell(rounds);
        }
    }
    memory(&[100_000, number("MEMORY_ROWS", 2_000_000)]);
}

/// An export that is measured.
struct Case {
    name: &'static str,
    export: PathBuf,
    /// The key that it is verified with.
    key: Option<PathBuf>,
    /// Whether the straightforward verifier knows the format.
    home: bool,
}

fn signed(export: PathBuf) -> Case {
    let key = Some(export.with_file_name("pk.pem"));
    Case { name: "home format, signed", export, key, home: true }
}

/// An export in the format of arcaeon, of rows of 400 bytes, made once and kept.
fn arcaeon(rows: u64) -> Case {
    let export = data().join(format!("arcaeon-{rows}.jsonl"));
    if !export.exists() {
        println!("making {rows} rows of arcaeon");
        let pad = "x".repeat(203);
        let (mut text, mut last) = (String::new(), "genesis".to_owned());
        for row in 0..rows {
            let (minute, second, cents) = (row / 60 % 60, row % 60, row % 89 + 11);
            let time = format!("2026-01-{:02}T{:02}:{minute:02}:{second:02}Z", 1 + row / 86_400 % 31, row / 3_600 % 24);
            let hashed = format!(
                r#"{last}{{"amount": {row}.{cents}5, "n": {row}, "ok": true, "pad": "{pad}", "query": "weather in lisbon", "tool": "search", "ts": "{time}"}}"#
            );
            last = data_encoding::HEXLOWER.encode(&Sha256::digest(hashed)[..16]);
            text.push_str(&format!(
                r#"{{"ts": "{time}", "tool": "search", "query": "weather in lisbon", "n": {row}, "amount": {row}.{cents}5, "ok": true, "pad": "{pad}", "chain": "{last}"}}"#
            ));
            text.push('\n');
        }
        fs::create_dir_all(data()).expect("the folder can be made");
        fs::write(&export, text).expect("the export can be written");
    }
    Case { name: "arcaeon", export, key: None, home: false }
}

/// Where exports that were made are kept.
fn data() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("target/bench-data")
}

fn number(name: &str, usual: u64) -> u64 {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number of rows or rounds"))
}

/// An export of that many signed rows, made once and kept in target/bench-data.
fn forged(rows: u64) -> PathBuf {
    let data = data();
    let folder = data.join(format!("rows-{rows}"));
    if !folder.exists() {
        println!("making {rows} rows");
        let job = ledger::Job { seed: SEED, rows, ..ledger::Job::default() };
        let unfinished = data.join(format!("unfinished-{rows}"));
        ledger::files::write_folder(&job, &unfinished).expect("the export can be written");
        fs::rename(&unfinished, &folder).expect("the folder can be renamed");
    }
    folder.join("export.jsonl")
}

/// What a run took.
#[derive(Clone, Copy)]
struct Cost {
    wall: Duration,
    processor: Duration,
}

fn speed(case: &Case, rounds: usize, slow_rows: usize) {
    let bytes = fs::read(&case.export).expect("the export can be read");
    let rows = memchr::memchr_iter(b'\n', &bytes).count();
    let end = memchr::memchr_iter(b'\n', &bytes).nth(slow_rows - 1).map_or(bytes.len(), |end| end + 1);
    let part = bytes.get(..end).unwrap_or_default();
    let slow_rows = slow_rows.min(rows);
    let size = bytes.len() as f64 / rows as f64;
    println!("{}: {rows} rows of {size:.0} bytes; {rounds} rounds", case.name);
    let verifying = case.key.as_deref().map(public_key);
    if !is_ready(case) {
        return;
    }
    let mut fast = [Vec::new(), Vec::new()];
    let mut slow = [Vec::new(), Vec::new()];
    for _ in 0..rounds {
        for threads in [1, 2] {
            fast[threads - 1].push(per_row(timed(|| run(case, threads)), rows));
            if case.home {
                let cost = timed(|| {
                    let count = slow::throughput(part, verifying.as_ref(), threads);
                    assert_eq!(count, slow::Count { rows: slow_rows as u64, bad: 0 }, "the export is good");
                });
                slow[threads - 1].push(per_row(cost, slow_rows));
            }
        }
    }
    let fast = fast.map(median);
    tell("  ledger-verify, 1 thread", fast[0]);
    tell("  ledger-verify, 2 threads", fast[1]);
    println!("  two threads against one: {:.2} x wall", fast[0].0 / fast[1].0);
    if case.home {
        let slow = slow.map(median);
        println!("  the straightforward verifier reads the first {slow_rows} rows");
        tell("  straightforward, 1 thread", slow[0]);
        tell("  straightforward, 2 threads", slow[1]);
        ratio("  whole job against straightforward, 1 thread", slow[0], fast[0]);
        ratio("  whole job against straightforward, 2 threads", slow[1], fast[1]);
    }
}

/// Microseconds a row: wall, processor.
type Micros = (f64, f64);

fn per_row(cost: Cost, rows: usize) -> Micros {
    (cost.wall.as_secs_f64() * 1e6 / rows as f64, cost.processor.as_secs_f64() * 1e6 / rows as f64)
}

fn median(costs: Vec<Micros>) -> Micros {
    let middle = |mut values: Vec<f64>| {
        values.sort_by(f64::total_cmp);
        values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
    };
    (middle(costs.iter().map(|cost| cost.0).collect()), middle(costs.iter().map(|cost| cost.1).collect()))
}

fn tell(what: &str, (wall, processor): Micros) {
    println!("{what}: {wall:.2} us a row wall, {processor:.2} us processor");
}

fn ratio(what: &str, slow: Micros, fast: Micros) {
    println!("{what}: {:.1} x wall, {:.1} x processor", slow.0 / fast.0, slow.1 / fast.1);
}

/// Time something that runs here or in a child which it waits for.
fn timed(job: impl FnOnce()) -> Cost {
    let (start, before) = (Instant::now(), processor_time());
    job();
    Cost { wall: start.elapsed(), processor: processor_time() - before }
}

/// Processor time of this process and of the children it waited for, to 10 ms (proc(5): utime, stime,
/// cutime, cstime in ticks of 1/100 s). Zero where there is no /proc.
fn processor_time() -> Duration {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the program's name in brackets and may hold spaces.
    let fields = stat.rsplit(") ").next().unwrap_or_default();
    let ticks: u64 = fields.split(' ').skip(11).take(4).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 10)
}

fn command(case: &Case, threads: usize) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ledger-verify"));
    command.arg(&case.export).args(["--threads", &threads.to_string()]);
    if let Some(key) = &case.key {
        command.arg("--key").arg(key);
    }
    if let Some(engine) = std::env::var_os("ENGINE") {
        command.arg("--signatures").arg(engine);
    }
    command.stdout(Stdio::null()).stderr(Stdio::null());
    command
}

/// Without key or manifest nothing is wrong with a good export, but something is not checked.
fn is_good(case: &Case, code: Option<i32>) -> bool {
    code == Some(if case.key.is_some() { 0 } else { 3 })
}

fn run(case: &Case, threads: usize) {
    let status = command(case, threads).arg("--quiet").status().expect("the binary starts");
    assert!(is_good(case, status.code()), "the export is good");
}

/// Whether the binary finds nothing wrong with the export: a time for anything else would mean nothing.
fn is_ready(case: &Case) -> bool {
    let status = command(case, 2).status().expect("the binary starts");
    let ready = is_good(case, status.code());
    if !ready {
        println!("  ledger-verify does not verify the export (exit {:?}): not measured", status.code());
    }
    ready
}

fn public_key(path: &Path) -> VerifyingKey {
    let text = fs::read_to_string(path).expect("the key can be read");
    let body = text.lines().nth(1).expect("PEM has a body");
    let der = data_encoding::BASE64.decode(body.as_bytes()).expect("PEM is base64");
    let bytes = der.last_chunk::<32>().expect("a key has 32 bytes");
    VerifyingKey::from_bytes(bytes).expect("the forge writes good keys")
}

/// Peak memory for exports of these sizes: it must not grow with the rows.
fn memory(sizes: &[u64]) {
    let mut peaks = Vec::new();
    for &rows in sizes {
        let case = signed(forged(rows));
        if !is_ready(&case) {
            return;
        }
        let (anonymous, whole) = peak(&mut command(&case, 2));
        println!("{rows} rows: peak {anonymous} KiB of its own, {whole} KiB with mapped file pages");
        peaks.push(anonymous);
    }
    if let [small, large] = peaks[..] {
        println!("growth: {} KiB", large as i64 - small as i64);
    }
}

/// The highest RssAnon seen, and VmHWM, in KiB, by looking every millisecond.
fn peak(command: &mut Command) -> (u64, u64) {
    let mut child = command.spawn().expect("the binary starts");
    let path = format!("/proc/{}/status", child.id());
    let (mut anonymous, mut whole) = (0, 0);
    while child.try_wait().expect("the child can be waited for").is_none() {
        let status = fs::read_to_string(&path).unwrap_or_default();
        let field = |name: &str| {
            let line = status.lines().find_map(|line| line.strip_prefix(name)).unwrap_or_default();
            line.trim().trim_end_matches(" kB").parse().unwrap_or(0)
        };
        anonymous = anonymous.max(field("RssAnon:"));
        whole = whole.max(field("VmHWM:"));
        std::thread::sleep(Duration::from_millis(1));
    }
    (anonymous, whole)
}
