//! The field in eight lanes: five limbs of 51 bits, multiplied by AVX-512 IFMA.
//!
//! The instructions multiply the low 52 bits of two lanes and add the low or the high 52 bits of the product, which
//! has 104, to a lane of 64. Two types keep the bounds:
//!
//! - [`F`]: every limb is below 2^52, so that a product loses nothing. Whatever was carried is below 2^51 + 2^17.
//! - [`Wide`]: every limb is below 2^61: a product, an [`F`], or nothing else. Two of them are added, or one
//!   subtracted from another, and the result carried at once, so that nothing comes near 2^64.
//!
//! Numbers are as congruent modulo p as they were at every step; only [`F::canonical`] makes them unique.

use std::arch::x86_64::*;

#[cfg(test)]
use crate::check::ed25519::lanes::{load, store};

/// Bits of a limb.
const BITS: u32 = 51;

/// The limbs of 2·p: no limb of a number below p is above them.
const TWICE: [i64; 5] = [(1 << 52) - 38, (1 << 52) - 2, (1 << 52) - 2, (1 << 52) - 2, (1 << 52) - 2];

/// The limbs of 2^11·p: each above 2^61, so that no difference is negative, and below 2^62.
const BIAS: [i64; 5] = [TWICE[0] << 10, TWICE[1] << 10, TWICE[2] << 10, TWICE[3] << 10, TWICE[4] << 10];

/// Eight numbers, limbs below 2^52.
#[derive(Clone, Copy)]
pub(super) struct F(pub [__m512i; 5]);

/// Eight numbers, limbs below 2^61.
#[derive(Clone, Copy)]
pub(super) struct Wide([__m512i; 5]);

#[target_feature(enable = "avx512f")]
#[inline]
fn word(word: i64) -> __m512i {
    _mm512_set1_epi64(word)
}

/// Limbs below 2^63 brought below 2^51 + 2^17: each keeps its low 51 bits and hands on the others, at most 2^12, and
/// what leaves the last comes back 19 times at the first (2^255 ≡ 19): 19·2^12 < 2^17.
#[target_feature(enable = "avx512f,avx512ifma")]
#[inline]
fn carried(limbs: [__m512i; 5]) -> F {
    let mask = word((1 << BITS) - 1);
    let [a, b, c, d, e] = limbs;
    let low = |limb| _mm512_and_si512(limb, mask);
    let high = |limb| _mm512_srli_epi64::<BITS>(limb);
    F([
        _mm512_madd52lo_epu64(low(a), high(e), word(19)),
        _mm512_add_epi64(low(b), high(a)),
        _mm512_add_epi64(low(c), high(b)),
        _mm512_add_epi64(low(d), high(c)),
        _mm512_add_epi64(low(e), high(d)),
    ])
}

impl F {
    /// The same small number in all lanes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn small(number: i64) -> Self {
        let zero = _mm512_setzero_si512();
        F([word(number), zero, zero, zero, zero])
    }

    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn wide(self) -> Wide {
        Wide(self.0)
    }

    /// The product.
    ///
    /// Limbs below 2^52 give products below 2^104, of which both halves are below 2^52. A limb of the whole product
    /// gets at most 5 low halves, and twice at most 5 high ones, since 2^52 is twice the weight of the next limb: 15
    /// in all, below 2^56. The upper five limbs come back 19 times: 2^56 + 19·2^56 < 2^61.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    #[inline]
    pub fn times(&self, other: &F) -> Wide {
        let (a, b) = (&self.0, &other.0);
        let mut limbs = [_mm512_setzero_si512(); 10];
        // All high halves first: what the low ones are added to is their double.
        for i in 0..5 {
            for j in 0..5 {
                limbs[i + j + 1] = _mm512_madd52hi_epu64(limbs[i + j + 1], a[i], b[j]);
            }
        }
        for limb in limbs.iter_mut().skip(1) {
            *limb = _mm512_add_epi64(*limb, *limb);
        }
        for i in 0..5 {
            for j in 0..5 {
                limbs[i + j] = _mm512_madd52lo_epu64(limbs[i + j], a[i], b[j]);
            }
        }
        let folded = |at: usize| {
            let high = limbs[at + 5];
            _mm512_add_epi64(limbs[at], _mm512_mullo_epi64(high, word(19)))
        };
        Wide([folded(0), folded(1), folded(2), folded(3), folded(4)])
    }

    /// The product, to be multiplied again.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    #[inline]
    pub fn mul(&self, other: &F) -> F {
        self.times(other).carried()
    }

    /// Of numbers with limbs of 51 bits, as tables have them: the negative in these lanes. 2·p less the number has no
    /// negative limb and none of 2^52.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn negated_in(self, lanes: __mmask8) -> F {
        let mut limbs = self.0;
        for (limb, twice) in limbs.iter_mut().zip(TWICE) {
            *limb = _mm512_mask_sub_epi64(*limb, lanes, word(twice), *limb);
        }
        F(limbs)
    }

    /// The limbs of the other one in these lanes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn or_in(&self, lanes: __mmask8, other: &F) -> F {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(other.0) {
            *limb = _mm512_mask_mov_epi64(*limb, lanes, other);
        }
        F(limbs)
    }

    /// `self^(2^times)`
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    fn squared(self, times: u32) -> F {
        let mut power = self;
        for _ in 0..times {
            power = power.mul(&power);
        }
        power
    }

    /// The inverses, each as the number to the p − 2; of 0 it is 0. The chain is that of the portable field.
    #[target_feature(enable = "avx512f,avx512dq,avx512ifma")]
    pub fn inverted(self) -> F {
        let two = self.squared(1);
        let nine = two.squared(2).mul(&self);
        let eleven = nine.mul(&two);
        let ones_5 = eleven.squared(1).mul(&nine);
        let ones_10 = ones_5.squared(5).mul(&ones_5);
        let ones_20 = ones_10.squared(10).mul(&ones_10);
        let ones_40 = ones_20.squared(20).mul(&ones_20);
        let ones_50 = ones_40.squared(10).mul(&ones_10);
        let ones_100 = ones_50.squared(50).mul(&ones_50);
        let ones_200 = ones_100.squared(100).mul(&ones_100);
        let ones_250 = ones_200.squared(50).mul(&ones_50);
        ones_250.squared(5).mul(&eleven)
    }

    /// The same numbers below p, in limbs of 51 bits; of what was carried, which is below 2^255 + 2^222 and so below
    /// 2·p: p is taken off once or not at all, once exactly if the number and 19 reach 2^255.
    #[target_feature(enable = "avx512f")]
    pub fn canonical(self) -> [__m512i; 5] {
        let mask = word((1 << BITS) - 1);
        let mut limbs = self.0;
        let mut over = word(19);
        for limb in limbs {
            over = _mm512_srli_epi64::<BITS>(_mm512_add_epi64(limb, over));
        }
        // 19 for each p; the 2^255 of it falls off at the last limb.
        let mut carry = _mm512_mask_mov_epi64(_mm512_setzero_si512(), _mm512_test_epi64_mask(over, over), word(19));
        for limb in &mut limbs {
            let sum = _mm512_add_epi64(*limb, carry);
            *limb = _mm512_and_si512(sum, mask);
            carry = _mm512_srli_epi64::<BITS>(sum);
        }
        limbs
    }

    /// Of limbs below 2^52, lane by lane.
    #[cfg(test)]
    #[target_feature(enable = "avx512f")]
    pub fn of(lanes: &[[u64; 5]; 8]) -> F {
        let mut limbs = [_mm512_setzero_si512(); 5];
        for (at, limb) in limbs.iter_mut().enumerate() {
            *limb = load(&lanes.map(|lane| lane[at]));
        }
        F(limbs)
    }
}

impl Wide {
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn carried(self) -> F {
        carried(self.0)
    }

    /// The sum, carried.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn plus(&self, other: &Wide) -> F {
        let mut limbs = self.0;
        for (limb, other) in limbs.iter_mut().zip(other.0) {
            *limb = _mm512_add_epi64(*limb, other);
        }
        carried(limbs)
    }

    /// The difference, carried: no limb is below 0, and none reaches 2^61 + 2^62.
    #[target_feature(enable = "avx512f,avx512ifma")]
    #[inline]
    pub fn minus(&self, other: &Wide) -> F {
        let mut limbs = self.0;
        for ((limb, other), bias) in limbs.iter_mut().zip(other.0).zip(BIAS) {
            *limb = _mm512_add_epi64(*limb, _mm512_sub_epi64(word(bias), other));
        }
        carried(limbs)
    }
}

/// The limbs of eight numbers, lane by lane.
#[cfg(test)]
#[target_feature(enable = "avx512f")]
pub(super) fn by_lane(limbs: [__m512i; 5]) -> [[u64; 5]; 8] {
    let mut lanes = [[0; 5]; 8];
    for (at, limb) in limbs.into_iter().enumerate() {
        for (lane, word) in lanes.iter_mut().zip(store(limb)) {
            lane[at] = word;
        }
    }
    lanes
}

/// Rows become columns: word j of row i becomes word i of row j.
#[target_feature(enable = "avx512f")]
#[inline]
pub(super) fn transposed(rows: [__m512i; 8]) -> [__m512i; 8] {
    let [a, b, c, d, e, f, g, h] = rows;
    // Pairs of rows, even and odd columns; then the quarters of four pairs.
    let (even, odd) = (quarters([a, c, e, g], [b, d, f, h], false), quarters([a, c, e, g], [b, d, f, h], true));
    [even[0], odd[0], even[1], odd[1], even[2], odd[2], even[3], odd[3]]
}

#[target_feature(enable = "avx512f")]
#[inline]
fn quarters(first: [__m512i; 4], second: [__m512i; 4], odd: bool) -> [__m512i; 4] {
    let mut pairs = first;
    for (pair, second) in pairs.iter_mut().zip(second) {
        *pair = if odd { _mm512_unpackhi_epi64(*pair, second) } else { _mm512_unpacklo_epi64(*pair, second) };
    }
    let [p, q, r, s] = pairs;
    // 0x88 takes the first and third quarter of both, 0xdd the second and fourth.
    let (pq, rs) = (_mm512_shuffle_i64x2::<0x88>(p, q), _mm512_shuffle_i64x2::<0x88>(r, s));
    let (pq_odd, rs_odd) = (_mm512_shuffle_i64x2::<0xdd>(p, q), _mm512_shuffle_i64x2::<0xdd>(r, s));
    [
        _mm512_shuffle_i64x2::<0x88>(pq, rs),
        _mm512_shuffle_i64x2::<0x88>(pq_odd, rs_odd),
        _mm512_shuffle_i64x2::<0xdd>(pq, rs),
        _mm512_shuffle_i64x2::<0xdd>(pq_odd, rs_odd),
    ]
}
