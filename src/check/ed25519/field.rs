//! The field of 2^255 − 19 elements, for tables and the portable engine.
//!
//! All arithmetic is fiat-crypto's, which is generated with a proof: every function is right for operands within
//! its bounds, and its two types keep the bounds. [`Fe`] is its tight one (limbs of 51 bits, each at most
//! 2^51), which products are; [`Sum`] is its loose one, which sums and differences are. A sum can be multiplied
//! but not added again, and the compiler sees to that.

use fiat_crypto::curve25519_64 as fiat;
use fiat_crypto::curve25519_64::{
    fiat_25519_loose_field_element as Loose, fiat_25519_relax, fiat_25519_tight_field_element as Tight,
};

/// A field element, as products are.
#[derive(Clone, Copy)]
pub(super) struct Fe(Tight);

/// A sum or difference of two of them, to be multiplied.
#[derive(Clone, Copy)]
pub(super) struct Sum(Loose);

impl From<Fe> for Sum {
    #[inline(always)]
    fn from(fe: Fe) -> Self {
        let mut out = Loose([0; 5]);
        fiat_25519_relax(&mut out, &fe.0);
        Sum(out)
    }
}

impl Sum {
    /// Carried, so that it can be added.
    #[inline(always)]
    pub fn carried(self) -> Fe {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry(&mut out, &self.0);
        Fe(out)
    }
}

impl Fe {
    pub const ZERO: Fe = Fe(Tight([0; 5]));
    pub const ONE: Fe = Fe(Tight([1, 0, 0, 0, 0]));

    /// The number with these 255 bits, little end first; the topmost bit of the bytes is not looked at (RFC 8032
    /// §5.1.3). Numbers from p to 2^255 − 1 are taken modulo p.
    pub fn from_bytes(bytes: &[u8; 32]) -> Self {
        let mut bytes = *bytes;
        bytes[31] &= 0x7f;
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_from_bytes(&mut out, &bytes);
        Fe(out)
    }

    /// The one encoding, below p.
    #[inline(always)]
    pub fn to_bytes(self) -> [u8; 32] {
        let mut out = [0; 32];
        fiat::fiat_25519_to_bytes(&mut out, &self.0);
        out
    }

    /// Of limbs of 51 bits, each at most 2^51.
    #[inline(always)]
    pub const fn from_limbs(limbs: [u64; 5]) -> Self {
        Fe(Tight(limbs))
    }

    /// Its limbs, of the number below p, so that each has 51 bits.
    pub fn canonical_limbs(self) -> [u64; 5] {
        Fe::from_bytes(&self.to_bytes()).0.0
    }

    #[inline(always)]
    pub fn mul(a: impl Into<Sum>, b: impl Into<Sum>) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry_mul(&mut out, &a.into().0, &b.into().0);
        Fe(out)
    }

    #[inline(always)]
    pub fn square(self) -> Self {
        let mut out = Tight([0; 5]);
        fiat::fiat_25519_carry_square(&mut out, &Sum::from(self).0);
        Fe(out)
    }

    #[inline(always)]
    pub fn add(self, other: Fe) -> Sum {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_add(&mut out, &self.0, &other.0);
        Sum(out)
    }

    #[inline(always)]
    pub fn sub(self, other: Fe) -> Sum {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_sub(&mut out, &self.0, &other.0);
        Sum(out)
    }

    #[inline(always)]
    pub fn neg(self) -> Sum {
        let mut out = Loose([0; 5]);
        fiat::fiat_25519_opp(&mut out, &self.0);
        Sum(out)
    }

    /// The same number.
    pub fn equals(self, other: Fe) -> bool {
        self.to_bytes() == other.to_bytes()
    }

    /// Odd, as a number below p: "negative" in RFC 8032.
    #[inline(always)]
    pub fn is_odd(self) -> bool {
        self.to_bytes()[0] & 1 == 1
    }

    fn squared(self, times: u32) -> Self {
        (0..times).fold(self, |power, _| power.square())
    }

    /// `self^(2^250 − 1)` and `self^11`.
    fn ladder(self) -> (Self, Self) {
        let two = self.square();
        let nine = Fe::mul(two.squared(2), self);
        let eleven = Fe::mul(nine, two);
        let ones_5 = Fe::mul(eleven.square(), nine);
        let ones_10 = Fe::mul(ones_5.squared(5), ones_5);
        let ones_20 = Fe::mul(ones_10.squared(10), ones_10);
        let ones_40 = Fe::mul(ones_20.squared(20), ones_20);
        let ones_50 = Fe::mul(ones_40.squared(10), ones_10);
        let ones_100 = Fe::mul(ones_50.squared(50), ones_50);
        let ones_200 = Fe::mul(ones_100.squared(100), ones_100);
        (Fe::mul(ones_200.squared(50), ones_50), eleven)
    }

    /// `1 / self`, as `self^(p − 2)`; of 0 it is 0.
    pub fn invert(self) -> Self {
        let (ones_250, eleven) = self.ladder();
        Fe::mul(ones_250.squared(5), eleven)
    }

    /// `self^((p − 5) / 8)`, from which square roots are made (RFC 8032 §5.1.3).
    pub fn power_for_root(self) -> Self {
        let (ones_250, _) = self.ladder();
        Fe::mul(ones_250.squared(2), self)
    }
}

/// Replace each element by its inverse; none of them may be 0. One inversion for all: the inverse of the product
/// of the first n gives, from the last to the first, each one's (Montgomery's trick).
pub(super) fn invert_all(elements: &mut [Fe], products: &mut Vec<Fe>) {
    products.clear();
    let mut product = Fe::ONE;
    for element in elements.iter() {
        products.push(product);
        product = Fe::mul(product, *element);
    }
    let mut inverse = product.invert();
    for (element, before) in elements.iter_mut().zip(products.iter()).rev() {
        let own = Fe::mul(inverse, *before);
        inverse = Fe::mul(inverse, *element);
        *element = own;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// p, and numbers beside it and beside the ends of limbs.
    fn extremes() -> Vec<[u8; 32]> {
        let mut p = [0xff; 32];
        (p[0], p[31]) = (0xed, 0x7f);
        let mut all = vec![[0; 32], p, [0xff; 32]];
        for low in [0xec, 0xee, 0xff] {
            all.push({
                let mut near = p;
                near[0] = low;
                near
            });
        }
        for bit in [0, 50, 51, 52, 101, 102, 153, 203, 204, 254] {
            let mut power = [0; 32];
            power[bit / 8] = 1 << (bit % 8);
            all.push(power);
            let mut below = [0; 32];
            below[..bit / 8].fill(0xff);
            below[bit / 8] = (1 << (bit % 8)) - 1;
            all.push(below);
        }
        all
    }

    #[test]
    fn numbers_at_the_ends_are_reduced_and_inverted() {
        let mut products = Vec::new();
        for bytes in extremes() {
            let fe = Fe::from_bytes(&bytes);
            let mut masked = bytes;
            masked[31] &= 0x7f;
            let above = masked[1..31].iter().all(|byte| *byte == 0xff) && masked[31] == 0x7f && masked[0] >= 0xed;
            if above {
                let mut small = [0; 32];
                small[0] = masked[0] - 0xed;
                assert_eq!(fe.to_bytes(), small);
            } else {
                assert_eq!(fe.to_bytes(), masked);
            }
            assert!(Fe::from_limbs(fe.canonical_limbs()).equals(fe));
            assert!(fe.canonical_limbs().iter().all(|limb| limb >> 51 == 0));
            let inverse = fe.invert();
            let product = if fe.equals(Fe::ZERO) { Fe::ZERO } else { Fe::ONE };
            assert!(Fe::mul(fe, inverse).equals(product));
            let mut one = [inverse];
            if !fe.equals(Fe::ZERO) {
                invert_all(&mut one, &mut products);
                assert!(one[0].equals(fe));
            }
        }
    }

    #[test]
    fn many_are_inverted_as_each_alone() {
        let all: Vec<Fe> = extremes().iter().map(Fe::from_bytes).filter(|fe| !fe.equals(Fe::ZERO)).collect();
        let mut inverted = all.clone();
        invert_all(&mut inverted, &mut Vec::new());
        assert!(all.iter().zip(&inverted).all(|(one, inverse)| one.invert().equals(*inverse)));
        invert_all(&mut [], &mut Vec::new());
    }

    #[test]
    fn a_root_of_a_square_is_found_again() {
        for root in [2u8, 3, 5, 250] {
            let square = Fe::from_limbs([u64::from(root), 0, 0, 0, 0]).square();
            // x^((p+3)/8) is a root of x or of −x.
            let candidate = Fe::mul(square.power_for_root(), square);
            let found = candidate.square();
            assert!(found.equals(square) || found.equals(square.neg().carried()));
        }
    }
}
