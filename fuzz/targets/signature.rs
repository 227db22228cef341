//! Claims of every kind, under keys of every kind: each engine gives the verdict of `verify_strict` on each.
//!
//! The bytes choose how a signature is made and what is done to it; bytes alone would hardly ever make one that
//! comes near to holding.

use std::sync::OnceLock;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::edwards::EdwardsPoint;
use curve25519_dalek::scalar::Scalar;
use ed25519_dalek::VerifyingKey;
use ledger_verify::check::ed25519::{Choice, Claim, Engine, FixedKey, verify};
use sha2::{Digest, Sha512};

/// The group order, little end first.
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// Most claims of one input.
const MOST: usize = 600;

/// A key with what signs for it: the point is `secret·B` and perhaps something of small order.
pub struct Known {
    secret: Scalar,
    fixed: FixedKey,
}

/// What was judged, and how often it held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Judged {
    pub claims: usize,
    pub held: usize,
}

/// The engines that this machine has, but for the one that is compared with.
pub fn engines() -> Vec<Engine> {
    [Choice::Portable, Choice::Ifma].into_iter().filter_map(Engine::of).collect()
}

/// Honest keys, keys of mixed order, weak ones, and encodings that are not canonical.
pub fn keys() -> &'static [Known] {
    static KEYS: OnceLock<Vec<Known>> = OnceLock::new();
    KEYS.get_or_init(|| {
        let of = |secret: Scalar, encoded: [u8; 32]| {
            let key = VerifyingKey::from_bytes(&encoded).expect("a point");
            Known { secret, fixed: FixedKey::new(key).expect("the same point") }
        };
        let secrets = (0u8..3).map(|seed| Scalar::hash_from_bytes::<Sha512>(&[seed]));
        let mut keys: Vec<Known> =
            secrets.map(|secret| of(secret, EdwardsPoint::mul_base(&secret).compress().to_bytes())).collect();
        for (seed, torsion) in [(3, 1), (4, 2), (5, 4)] {
            let secret = Scalar::hash_from_bytes::<Sha512>(&[seed]);
            let point = EdwardsPoint::mul_base(&secret) + EIGHT_TORSION[torsion];
            keys.push(of(secret, point.compress().to_bytes()));
        }
        // Of order 1, 8 and 2; order 1 with y = p + 1, and with the sign of a zero.
        keys.extend([0, 1, 4].map(|torsion| of(Scalar::ZERO, EIGHT_TORSION[torsion].compress().to_bytes())));
        let mut above = [0xff; 32];
        (above[0], above[31]) = (0xee, 0x7f);
        keys.push(of(Scalar::ZERO, above));
        let mut signed = [0; 32];
        (signed[0], signed[31]) = (1, 0x80);
        keys.push(of(Scalar::ZERO, signed));
        keys
    })
}

/// Bytes one after the other; zeros at the end.
struct Source<'a>(&'a [u8]);

impl Source<'_> {
    fn byte(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    fn below(&mut self, end: usize) -> usize {
        (usize::from(self.byte()) << 8 | usize::from(self.byte())) % end
    }

    fn scalar(&mut self) -> Scalar {
        let bytes = [self.byte(), self.byte(), self.byte(), self.byte()];
        Scalar::hash_from_bytes::<Sha512>(&bytes)
    }

    fn message(&mut self) -> Vec<u8> {
        let length = match self.byte() {
            0..=3 => 2000 + self.below(9000),
            4..=40 => 32,
            41..=80 => 64 + self.below(3),
            _ => self.below(201),
        };
        let (start, step) = (self.byte(), self.byte());
        (0..length).map(|at| start.wrapping_add(step.wrapping_mul(at as u8))).collect()
    }
}

fn k(r: &[u8; 32], key: &VerifyingKey, message: &[u8]) -> Scalar {
    Scalar::from_hash(Sha512::new().chain_update(r).chain_update(key.as_bytes()).chain_update(message))
}

/// `bytes + L`, where that has no more than 256 bits.
fn plus_l(bytes: &mut [u8]) {
    let mut carry = 0;
    for (byte, add) in bytes.iter_mut().zip(L) {
        let sum = u16::from(*byte) + u16::from(add) + carry;
        (*byte, carry) = (sum as u8, sum >> 8);
    }
}

/// A claim under the key.
fn claim(known: &Known, source: &mut Source<'_>) -> (Vec<u8>, [u8; 64]) {
    let mut message = source.message();
    let key = known.fixed.verifying();
    let kind = source.byte() % 24;
    let torsion = EIGHT_TORSION[source.below(8)];
    let (nonce, point) = match kind {
        // R with something of small order, signed as it stands: the cofactored equation holds.
        1 => (source.scalar(), torsion),
        // R of small order, or the neutral point, signed likewise.
        2..=4 => (Scalar::ZERO, torsion),
        _ => (source.scalar(), EdwardsPoint::default()),
    };
    let mut r = (EdwardsPoint::mul_base(&nonce) + point).compress().to_bytes();
    match kind {
        // y from p − 1 to 2^255 − 1 and a sign: not canonical, among them the neutral point; signed as they stand.
        3 => {
            r = [0xff; 32];
            (r[0], r[31]) = (0xec + source.byte() % 20, 0x7f | source.byte() << 7);
        }
        // Small y and a sign: "−0" among them.
        4 => {
            r = [0; 32];
            (r[0], r[31]) = (source.byte() % 4, 0x80);
        }
        _ => {}
    }
    let s = nonce + k(&r, key, &message) * known.secret;
    let mut signature = [0; 64];
    let mut last = L;
    let (left, right) = signature.split_at_mut(32);
    left.copy_from_slice(&r);
    right.copy_from_slice(&s.to_bytes());
    match kind {
        5 => left[source.below(32)] ^= 1 << (source.byte() % 8),
        6 => right[source.below(32)] ^= 1 << (source.byte() % 8),
        7 if !message.is_empty() => {
            let at = source.below(message.len());
            message[at] ^= 1 << (source.byte() % 8);
        }
        8 => plus_l(right),
        9 => {
            last[0] = 0xec + source.byte() % 3;
            right.copy_from_slice(&last);
        }
        10 => {
            let moved = (EdwardsPoint::mul_base(&nonce) + torsion).compress();
            left.copy_from_slice(moved.as_bytes());
        }
        11 => left[31] ^= 0x80,
        12 => right[31] ^= 0x20 << (source.byte() % 3),
        13 => right.fill(0),
        14 => signature.iter_mut().for_each(|byte| *byte = source.byte()),
        15 => message.push(source.byte()),
        // s is the other root's: −s holds for −R only.
        16 => right.copy_from_slice((-s).as_bytes()),
        17 => left.copy_from_slice(key.as_bytes()),
        _ => {}
    }
    (message, signature)
}

/// Judge the claims that the bytes make with every engine.
pub fn judged(bytes: &[u8]) -> Judged {
    let mut source = Source(bytes);
    let known = &keys()[source.below(keys().len())];
    let mut claims = Vec::new();
    while claims.len() < MOST && !source.0.is_empty() {
        claims.push(claim(known, &mut source));
    }
    let claims: Vec<Claim<'_>> = claims.iter().map(|(message, signature)| Claim { message, signature }).collect();
    let strict = |claim: &Claim<'_>| verify(known.fixed.verifying(), claim.message, claim.signature);
    let wanted: Vec<bool> = claims.iter().map(strict).collect();
    for engine in engines() {
        let mut verdicts = Vec::new();
        engine.judge(&known.fixed, &claims, &mut verdicts);
        assert_eq!(verdicts.len(), wanted.len());
        for ((claim, verdict), wanted) in claims.iter().zip(verdicts).zip(&wanted) {
            assert_eq!(verdict, *wanted, "{} on {claim:?} under {:?}", engine.name(), known.fixed);
        }
    }
    Judged { claims: claims.len(), held: wanted.iter().filter(|holds| **holds).count() }
}

/// What the fuzzer calls.
#[allow(dead_code)]
pub fn check(bytes: &[u8]) {
    judged(bytes);
}
