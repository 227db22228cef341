//! Every engine, forced, gives the verdict of `verify_strict`: on claims of every kind, and on blocks of every size.
//!
//! `ED25519_CLAIMS=1000000 cargo test --release --test ed25519_engines -- --ignored` is the long run.

#[path = "../fuzz/targets/signature.rs"]
mod signature;

use ed25519_dalek::{Signer, SigningKey};
use ledger_verify::check::ed25519::{Claim, FixedKey, verify};
use signature::{Judged, engines, judged, keys};

/// Numbers that look random and are the same in every run (SplitMix64).
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}

/// Claims until there are `wanted`, in blocks of all sizes up to some 500.
fn many(seed: u64, wanted: usize) -> Judged {
    let mut numbers = Numbers(seed);
    let mut sum = Judged::default();
    let mut round = 0;
    while sum.claims < wanted {
        // Every key in turn; 20 bytes make a claim or two.
        let size = match numbers.next() % 4 {
            0 => numbers.next() % 8 * 14,
            1 => numbers.next() % 800,
            2 => numbers.next() % 2400,
            _ => numbers.next() % 8000,
        };
        let mut bytes = vec![0, (round % keys().len()) as u8];
        bytes.extend((0..size).map(|_| numbers.next() as u8));
        let Judged { claims, held } = judged(&bytes);
        sum.claims += claims;
        sum.held += held;
        round += 1;
    }
    sum
}

fn held(sum: Judged, wanted: usize) {
    println!("{} claims, {} of them hold; engines: {:?}", sum.claims, sum.held, engines());
    assert!(sum.claims >= wanted);
    // Both verdicts were put to the test.
    assert!(sum.held * 10 > sum.claims && sum.held * 2 < sum.claims, "{sum:?}");
}

#[test]
fn every_engine_agrees_with_verify_strict() {
    held(many(1, 10_000), 10_000);
}

#[test]
#[ignore = "minutes"]
fn every_engine_agrees_with_verify_strict_for_long() {
    let claims = std::env::var("ED25519_CLAIMS").ok().and_then(|text| text.parse().ok()).unwrap_or(200_000);
    let seed = std::env::var("ED25519_SEED").ok().and_then(|text| text.parse().ok()).unwrap_or(2);
    held(many(seed, claims), claims);
}

#[test]
fn a_bad_one_spoils_no_neighbour_in_a_block_of_any_size() {
    let signing = SigningKey::from_bytes(&[9; 32]);
    let fixed = FixedKey::new(signing.verifying_key()).expect("a key");
    for count in (0..=33).chain([255, 256, 257, 263, 513]) {
        let messages: Vec<Vec<u8>> = (0..count).map(|at: usize| vec![at as u8; at % 190]).collect();
        let mut signatures: Vec<[u8; 64]> = messages.iter().map(|message| signing.sign(message).to_bytes()).collect();
        for (at, signature) in signatures.iter_mut().enumerate().filter(|(at, _)| at % 5 == count % 5) {
            signature[at * 7 % 64] ^= 4;
        }
        let claims: Vec<Claim<'_>> =
            messages.iter().zip(&signatures).map(|(message, signature)| Claim { message, signature }).collect();
        for engine in engines() {
            // What is there already stays.
            let mut verdicts = vec![true];
            engine.judge(&fixed, &claims, &mut verdicts);
            assert_eq!(verdicts.len(), count + 1);
            for (at, (claim, verdict)) in claims.iter().zip(&verdicts[1..]).enumerate() {
                assert_eq!(*verdict, at % 5 != count % 5, "{} of {count}", engine.name());
                assert_eq!(*verdict, verify(fixed.verifying(), claim.message, claim.signature));
            }
        }
    }
}
