//! The engine of eight lanes, for processors with AVX-512 IFMA: eight signatures go through every step together.
//!
//! The same sum as in `portable.rs`, in the same order of windows; what a lane holds never meets another lane, so
//! that each verdict is of its own signature alone. No `unsafe` here: see `lanes.rs`.

mod field;
mod sha512;
#[cfg(test)]
mod tests;

use std::arch::x86_64::*;

use sha2::{Digest as _, Sha512};

use super::claim::{BLOCK, Claim};
use super::fixed_key::FixedKey;
use super::lanes::{load, prefetch};
use super::scalar::{Below, WINDOWS, is_small_order};
use super::table::{Entry, ROW, base};
use field::{F, transposed};
use sha512::{LONGEST, Padded, blocks};

/// Signatures of a vector.
const LANES: usize = 8;

/// How many additions ahead entries are asked for.
const AHEAD: usize = 2;

/// Additions for a signature.
const STEPS: usize = 2 * WINDOWS;

/// The digits of eight signatures: first those of s, for B, then those of k, for −A.
type Steps = [[i16; LANES]; STEPS];

/// Eight points as the next addition needs them: Y + X, Y − X, Z, T.
struct Points {
    sum: F,
    difference: F,
    z: F,
    t: F,
}

/// What is left of eight points for their encoding: 2·Y, 2·X, and the product of the 2·Z of the vectors before.
struct Waiting {
    y: F,
    x: F,
    z: F,
    before: F,
}

/// Judge each claim under the key; the verdicts are appended in the same order.
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512ifma")]
pub(super) fn judge(key: &FixedKey, claims: &[Claim<'_>], verdicts: &mut Vec<bool>) {
    let mut padded = Padded::default();
    let mut order: Vec<usize> = Vec::with_capacity(BLOCK);
    let mut steps: Vec<Steps> = Vec::with_capacity(BLOCK / LANES);
    let mut waiting: Vec<Waiting> = Vec::with_capacity(BLOCK / LANES);
    for block in claims.chunks(BLOCK) {
        let start = verdicts.len();
        verdicts.resize(start + block.len(), false);
        let Some(out) = verdicts.get_mut(start..) else { return };
        if key.is_weak() {
            continue;
        }
        // Messages of one length together: lanes wait for the longest.
        order.clear();
        order.extend(0..block.len());
        if block.iter().any(|claim| blocks(claim.message.len()) != blocks(block[0].message.len())) {
            order.sort_by_key(|at| blocks(block[*at].message.len()));
        }
        steps.clear();
        for eight in order.chunks(LANES) {
            steps.push(digits(key, block, eight, &mut padded));
        }
        waiting.clear();
        let mut product = F::small(1);
        for (at, digits) in steps.iter().enumerate() {
            let points = sums(key, digits, steps.get(at + 1));
            let z = points.z.wide().plus(&points.z.wide());
            waiting.push(Waiting {
                y: points.sum.wide().plus(&points.difference.wide()),
                x: points.sum.wide().minus(&points.difference.wide()),
                z,
                before: product,
            });
            product = product.mul(&z);
        }
        // One inversion for all vectors, lane by lane, taken apart from the last to the first.
        let mut inverse = product.inverted();
        for (points, eight) in waiting.iter().zip(order.chunks(LANES)).rev() {
            let own = inverse.mul(&points.before);
            inverse = inverse.mul(&points.z);
            let same = compared(&points.y.mul(&own), &points.x.mul(&own), block, eight);
            for (lane, at) in eight.iter().enumerate() {
                let claim = &block[*at];
                let below = Below::new(claim.s()).is_some();
                out[*at] = same >> lane & 1 == 1 && below && !is_small_order(claim.r());
            }
        }
    }
}

/// The digits of eight claims. Where s is not below the group order, where nothing can hold, and in lanes without a
/// claim, they are 0.
#[target_feature(enable = "avx512f,avx512bw")]
fn digits(key: &FixedKey, block: &[Claim<'_>], eight: &[usize], padded: &mut Padded) -> Steps {
    for (lane, at) in eight.iter().enumerate() {
        let claim = &block[*at];
        let short = claim.message.len() <= LONGEST;
        padded.push(lane, short.then_some([claim.r(), key.bytes(), claim.message]));
    }
    let hashes = padded.hash();
    let mut steps = [[0; LANES]; STEPS];
    for ((lane, at), hash) in eight.iter().enumerate().zip(hashes) {
        let claim = &block[*at];
        let Some(s) = Below::new(claim.s()) else { continue };
        let k = if claim.message.len() <= LONGEST {
            Below::of_hash(&hash)
        } else {
            let hash = Sha512::new().chain_update(claim.r()).chain_update(key.bytes()).chain_update(claim.message);
            Below::of_hash(&hash.finalize().into())
        };
        for (step, digit) in steps.iter_mut().zip(s.digits().into_iter().chain(k.digits())) {
            step[lane] = digit;
        }
    }
    steps
}

/// The window that a step takes its entries from.
#[inline(always)]
fn window(key: &FixedKey, step: usize) -> &[Entry; ROW] {
    if step < WINDOWS { &base().windows()[step] } else { &key.windows()[step - WINDOWS] }
}

/// Ask for the entries of one step.
#[inline(always)]
fn ask(key: &FixedKey, step: usize, digits: &[i16; LANES]) {
    let window = window(key, step);
    for digit in digits {
        // No digit is above 1024, and a window has 1025 entries.
        prefetch(&window[usize::from(digit.unsigned_abs())]);
    }
}

/// The eight points R' = s·B + k·(−A); `next` is what comes after, for its first entries.
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
fn sums(key: &FixedKey, steps: &Steps, next: Option<&Steps>) -> Points {
    let mut points = Points { sum: F::small(1), difference: F::small(1), z: F::small(1), t: F::small(0) };
    for (at, digits) in steps.iter().enumerate() {
        let ahead = at + AHEAD;
        match steps.get(ahead) {
            Some(digits) => ask(key, ahead, digits),
            None => {
                if let Some(digits) = next.and_then(|next| next.get(ahead - STEPS)) {
                    ask(key, ahead - STEPS, digits);
                }
            }
        }
        points = points.plus(window(key, at), digits);
    }
    points
}

impl Points {
    /// The sums with one entry each, or with its negative: the addition of `point.rs`.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    #[inline]
    fn plus(&self, window: &[Entry; ROW], digits: &[i16; LANES]) -> Points {
        let mut negative: __mmask8 = 0;
        let mut rows = [[_mm512_setzero_si512(); LANES]; 2];
        let [low, high] = &mut rows;
        for (lane, digit) in digits.iter().enumerate() {
            negative |= u8::from(*digit < 0) << lane;
            let entry = &window[usize::from(digit.unsigned_abs())].0;
            let [first, second] = [entry.first_chunk(), entry.last_chunk()];
            low[lane] = load(first.unwrap_or(&[0; 8]));
            high[lane] = load(second.unwrap_or(&[0; 8]));
        }
        let [[a, b, c, d, e, f, g, h], [i, j, k, l, m, n, o, _]] = rows.map(|rows| transposed(rows));
        let (sum, difference) = (F([a, b, c, d, e]), F([f, g, h, i, j]));
        let product = F([k, l, m, n, o]).negated_in(negative);
        let a = self.difference.times(&difference.or_in(negative, &sum));
        let b = self.sum.times(&sum.or_in(negative, &difference));
        let c = self.t.times(&product);
        let (e, h) = (b.minus(&a), b.plus(&a));
        let d = self.z.wide();
        let (f, g) = (d.minus(&c), d.plus(&c));
        let (x, y) = (e.times(&f), g.times(&h));
        Points { sum: y.plus(&x), difference: y.minus(&x), z: f.mul(&g), t: e.mul(&h) }
    }
}

/// In which lanes (x, y) has exactly the claim's bytes of R as its encoding. Lanes without a claim say nothing.
#[target_feature(enable = "avx512f")]
fn compared(y: &F, x: &F, block: &[Claim<'_>], eight: &[usize]) -> __mmask8 {
    let mut words = [[0; LANES]; 4];
    for (lane, at) in eight.iter().enumerate() {
        for (word, bytes) in words.iter_mut().zip(block[*at].r().as_chunks::<8>().0) {
            word[lane] = u64::from_le_bytes(*bytes);
        }
    }
    // The 255 bits of R in limbs of 51, as they stand: nothing is reduced, so that only canonical ones can be equal.
    let mask = (1 << 51) - 1;
    let mut limbs = [[0; LANES]; 5];
    let mut sign = [0; LANES];
    for lane in 0..LANES {
        let [a, b, c, d] = words.map(|word| word[lane]);
        let numbers = [a, a >> 51 | b << 13, b >> 38 | c << 26, c >> 25 | d << 39, d >> 12];
        for (limb, number) in limbs.iter_mut().zip(numbers) {
            limb[lane] = number & mask;
        }
        sign[lane] = d >> 63;
    }
    let mut same: __mmask8 = 0xff;
    for (own, limb) in y.canonical().into_iter().zip(&limbs) {
        same &= _mm512_cmpeq_epi64_mask(own, load(limb));
    }
    let [lowest, ..] = x.canonical();
    let odd = _mm512_and_si512(lowest, _mm512_set1_epi64(1));
    same & _mm512_cmpeq_epi64_mask(odd, load(&sign))
}

/// For tests: the hashes of eight messages.
#[cfg(test)]
#[target_feature(enable = "avx512f,avx512bw")]
pub(super) fn hash(prefixes: &[[u8; 64]; 8], messages: &[&[u8]; 8]) -> [[u8; 64]; 8] {
    let mut padded = Padded::default();
    for (lane, (prefix, message)) in prefixes.iter().zip(messages).enumerate() {
        let (r, a) = prefix.split_at(32);
        padded.push(lane, Some([r, a, message]));
    }
    padded.hash()
}

/// For tests: product, sum and difference of eight pairs, below p.
#[cfg(test)]
#[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
pub(super) fn arithmetic(a: &[[u64; 5]; 8], b: &[[u64; 5]; 8]) -> [[[u64; 5]; 8]; 3] {
    let (a, b) = (F::of(a), F::of(b));
    let results = [a.mul(&b), a.wide().plus(&b.wide()), a.wide().minus(&b.wide())];
    results.map(|result| field::by_lane(result.canonical()))
}
