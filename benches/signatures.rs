//! Signatures under one key: the engines, each forced, against `verify_strict`, `verify_batch` and ring.
//!
//!     cargo bench --bench signatures
//!
//! | variable | meaning | default |
//! |---|---|---|
//! | `SIGNATURES` | signatures of a round | 4096 |
//! | `ROUNDS` | rounds | 15 |
//!
//! The contenders take turns within a round, each over the same signatures; what counts is the median of the
//! processor time of this thread. Only ratios within one run mean anything.

use std::hint::black_box;
use std::time::Duration;

use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use ledger_verify::check::ed25519::{Choice, Claim, Engine, FixedKey, verify};
use rustix::time::{ClockId, clock_gettime};

fn main() {
    // `cargo test --all-targets` starts benches too, without this argument.
    if !std::env::args().any(|argument| argument == "--bench") {
        println!("signatures: measures only under `cargo bench`");
        return;
    }
    let (count, rounds) = (number("SIGNATURES", 4096), number("ROUNDS", 15));
    let signing = SigningKey::from_bytes(&[7; 32]);
    let key = signing.verifying_key();
    println!("{count} signatures under one key, {rounds} rounds, medians of thread processor time");
    let mut build: Vec<f64> = (0..rounds).map(|_| timed(|| drop(black_box(FixedKey::new(black_box(key)))))).collect();
    let build = median(&mut build);
    let fixed = FixedKey::new(key).expect("a key");
    for length in [32, 66, 1024] {
        println!("messages of {length} bytes");
        let messages: Vec<Vec<u8>> = (0..count).map(|at| message(at, length)).collect();
        let signatures: Vec<[u8; 64]> = messages.iter().map(|message| signing.sign(message).to_bytes()).collect();
        measure(&fixed, &key, &messages, &signatures, rounds, build);
    }
    println!("tables: {:.2} MiB a key and as much for the base point", FixedKey::BYTES as f64 / (1 << 20) as f64);
    println!("build: {:.2} ms a table", build / 1e3);
}

/// A name, and what is timed.
type Contender<'a> = (&'a str, Box<dyn FnMut() + 'a>);

fn measure(
    fixed: &FixedKey,
    key: &VerifyingKey,
    messages: &[Vec<u8>],
    signatures: &[[u8; 64]],
    rounds: usize,
    build: f64,
) {
    let claims: Vec<Claim<'_>> =
        messages.iter().zip(signatures).map(|(message, signature)| Claim { message, signature }).collect();
    let parsed: Vec<Signature> = signatures.iter().map(Signature::from_bytes).collect();
    let texts: Vec<&[u8]> = messages.iter().map(Vec::as_slice).collect();
    let keys = vec![*key; messages.len()];
    let ring = ring::signature::UnparsedPublicKey::new(&ring::signature::ED25519, key.as_bytes());
    let mut contenders: Vec<Contender<'_>> = vec![(
        "verify_strict",
        Box::new(|| assert!(claims.iter().all(|claim| verify(key, claim.message, claim.signature)))),
    )];
    for choice in [Choice::Portable, Choice::Ifma] {
        let Some(engine) = Engine::of(choice) else { continue };
        let (claims, mut verdicts) = (&claims, Vec::new());
        contenders.push((
            engine.name(),
            Box::new(move || {
                verdicts.clear();
                engine.judge(fixed, claims, &mut verdicts);
                assert!(verdicts.iter().all(|holds| *holds));
            }),
        ));
    }
    contenders.push((
        "verify_batch, 256",
        Box::new(|| {
            for ((texts, parsed), keys) in texts.chunks(256).zip(parsed.chunks(256)).zip(keys.chunks(256)) {
                ed25519_dalek::verify_batch(texts, parsed, keys).expect("they hold");
            }
        }),
    ));
    contenders.push((
        "ring",
        Box::new(|| {
            assert!(claims.iter().all(|claim| ring.verify(claim.message, claim.signature).is_ok()));
        }),
    ));
    let mut times = vec![Vec::new(); contenders.len()];
    for _ in 0..rounds {
        for ((_, run), times) in contenders.iter_mut().zip(&mut times) {
            times.push(timed(run) / claims.len() as f64);
        }
    }
    let medians: Vec<f64> = times.iter_mut().map(|times| median(times)).collect();
    let strict = medians[0];
    for ((name, _), time) in contenders.iter().zip(&medians) {
        let even = match *name {
            "portable" | "ifma" => format!("  pays from {:.0} signatures", build / (strict - time)),
            _ => String::new(),
        };
        println!("  {name:18} {time:7.3} us  {:5.1} x{even}", strict / time);
    }
}

fn message(at: usize, length: usize) -> Vec<u8> {
    (0..length).map(|byte| (at * 31 + byte * 7 + at / 256) as u8).collect()
}

fn number(name: &str, usual: usize) -> usize {
    std::env::var(name).ok().map_or(usual, |text| text.parse().expect("a number"))
}

/// Microseconds of this thread's processor time.
fn timed(job: impl FnOnce()) -> f64 {
    let start = processor_time();
    job();
    (processor_time() - start).as_secs_f64() * 1e6
}

fn processor_time() -> Duration {
    let time = clock_gettime(ClockId::ThreadCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), u32::try_from(time.tv_nsec).unwrap_or(0))
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
