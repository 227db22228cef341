//! The two numbers of a verification, s and k, and how they are cut into windows.
//!
//! Both are below the group order L, which is what makes the cut exact: 23 signed digits of 11 bits.

use std::sync::LazyLock;

use curve25519_dalek::constants::EIGHT_TORSION;
use curve25519_dalek::scalar::Scalar;

/// Bits of a window.
pub(super) const BITS: usize = 11;

/// Windows of a number below L: 253 bits.
pub(super) const WINDOWS: usize = 23;

/// The largest digit, as such or negative.
pub(super) const MOST: usize = 1 << (BITS - 1);

/// L = 2^252 + 27742317777372353535851937790883648493, little end first.
const L: [u8; 32] = [
    0xed, 0xd3, 0xf5, 0x5c, 0x1a, 0x63, 0x12, 0x58, 0xd6, 0x9c, 0xf7, 0xa2, 0xde, 0xf9, 0xde, 0x14, 0, 0, 0, 0, 0, 0,
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0x10,
];

/// A number below L, little end first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Below([u8; 32]);

/// The digits of a number, the lowest first, each from −1024 to 1024: number = Σ digit·2^(11·index).
pub(super) type Digits = [i16; WINDOWS];

impl Below {
    /// These bytes, if the number is below L (RFC 8032 §5.1.7: else the signature is invalid).
    pub fn new(bytes: &[u8; 32]) -> Option<Self> {
        bytes.iter().rev().lt(L.iter().rev()).then_some(Below(*bytes))
    }

    /// What a SHA-512 leaves modulo L (RFC 8032 §5.1.7, step 2).
    pub fn of_hash(hash: &[u8; 64]) -> Self {
        Below(Scalar::from_bytes_mod_order_wide(hash).to_bytes())
    }

    /// Cut it. A digit above 1024 becomes itself less 2048, and 1 is carried on.
    ///
    /// Nothing is left to carry at the end, and the last digit is at most 1024: it starts as the number's bits from
    /// 242, at most 1024 since L < 2^252 + 2^125. It is 1024 only from 2^252 on; the bits from 125 to 251 are 0
    /// then, so that no carry reaches it. Else it is at most 1023, and 1024 with a carry.
    pub fn digits(&self) -> Digits {
        let (low, high) = self.0.split_at(16);
        let half = |bytes: &[u8]| bytes.iter().rev().fold(0u128, |number, byte| number << 8 | u128::from(*byte));
        let (mut low, mut high) = (half(low), half(high));
        let (mut digits, mut carry) = ([0; WINDOWS], 0);
        for digit in &mut digits {
            let window = (low & ((1 << BITS) - 1)) as i16 + carry;
            carry = i16::from(window > MOST as i16);
            *digit = window - (carry << BITS);
            low = low >> BITS | high << (128 - BITS);
            high >>= BITS;
        }
        digits
    }
}

/// The canonical encodings of the eight points of small order.
///
/// Where the computed R' equals the bytes of R, these bytes are canonical, so that R is of small order exactly if
/// they are one of these; `verify_strict` refuses such an R.
static SMALL_ORDER: LazyLock<[[u8; 32]; 8]> = LazyLock::new(|| EIGHT_TORSION.map(|point| point.compress().to_bytes()));

/// Whether the bytes of R, known to be canonical, are of a point of small order.
pub(super) fn is_small_order(r: &[u8; 32]) -> bool {
    SMALL_ORDER.contains(r)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(below: &Below) -> Scalar {
        Option::from(Scalar::from_canonical_bytes(below.0)).expect("below L")
    }

    fn joined(digits: &Digits) -> Scalar {
        let part = |digit: i16| {
            let size = Scalar::from(u64::from(digit.unsigned_abs()));
            if digit < 0 { -size } else { size }
        };
        digits.iter().rev().fold(Scalar::ZERO, |sum, digit| sum * Scalar::from(1u64 << BITS) + part(*digit))
    }

    /// The sum as a plain integer, in limbs of 11 bits: equality modulo L would not show a missing L.
    fn is_exactly(digits: &Digits, bytes: &[u8; 32]) -> bool {
        let mut bits = [0u8; 256];
        for (at, bit) in bits.iter_mut().enumerate() {
            *bit = bytes[at / 8] >> (at % 8) & 1;
        }
        let (mut carry, mut at) = (0i32, 0);
        for digit in digits {
            let sum = i32::from(*digit) + carry;
            let low = sum.rem_euclid(1 << BITS);
            carry = sum.div_euclid(1 << BITS);
            for bit in 0..BITS {
                if u8::from(low >> bit & 1 == 1) != bits[at + bit] {
                    return false;
                }
            }
            at += BITS;
        }
        carry == 0 && bits[at..].iter().all(|bit| *bit == 0)
    }

    fn held(bytes: &[u8; 32]) {
        let below = Below::new(bytes).expect("below L");
        let digits = below.digits();
        assert!(digits.iter().all(|digit| usize::from(digit.unsigned_abs()) <= MOST), "{digits:?}");
        assert!(is_exactly(&digits, bytes), "{bytes:x?}");
        assert_eq!(joined(&digits), number(&below));
    }

    #[test]
    fn numbers_at_the_ends_are_cut_exactly() {
        let mut last = L;
        last[0] -= 1;
        let mut power = [0; 32];
        power[31] = 0x10;
        let mut below_power = [0xff; 32];
        below_power[31] = 0x0f;
        for bytes in [[0; 32], last, power, below_power] {
            held(&bytes);
        }
        for bit in 0..253 {
            let mut bytes = [0; 32];
            bytes[bit / 8] = 1 << (bit % 8);
            held(&bytes);
        }
        for window in [0x400u128, 0x401, 0x3ff, 0x7ff] {
            // The same digit in every window of the lower half, so that carries run on.
            let all = (0..11).fold(0u128, |number, at| number | window << (BITS * at));
            let mut bytes = [0; 32];
            bytes[..16].copy_from_slice(&all.to_le_bytes());
            held(&bytes);
        }
    }

    #[test]
    fn only_numbers_below_the_order_are_taken() {
        let mut above = L;
        above[0] += 1;
        assert_eq!([Below::new(&L), Below::new(&above), Below::new(&[0xff; 32])], [None; 3]);
    }

    proptest! {
        #[test]
        fn hashes_are_cut_exactly(low in any::<[u8; 32]>(), high in any::<[u8; 32]>()) {
            let mut hash = [0; 64];
            hash[..32].copy_from_slice(&low);
            hash[32..].copy_from_slice(&high);
            held(&Below::of_hash(&hash).0);
        }

        #[test]
        fn the_bound_is_that_of_dalek(bytes in any::<[u8; 32]>(), top in 0u8..0x20) {
            let mut bytes = bytes;
            bytes[31] = top;
            let dalek: Option<Scalar> = Scalar::from_canonical_bytes(bytes).into();
            prop_assert_eq!(Below::new(&bytes).is_some(), dalek.is_some());
        }
    }
}
