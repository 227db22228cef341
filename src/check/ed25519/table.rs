//! Windows of one point: its multiples, so that a product with any number is a sum of 23 entries.
//!
//! Window w holds j·2^(11·w)·P for j from 0 to 1024. That is 2.9 MiB for a point, made once for millions of
//! signatures. Nothing in a table depends on a signature.

use std::sync::OnceLock;

use super::field::{Fe, invert_all};
use super::point::{Addend, Point};
use super::scalar::{BITS, MOST, WINDOWS};

/// Entries of a window: the digits 0 to 1024.
pub(super) const ROW: usize = MOST + 1;

/// One multiple: (y + x) / 2, (y − x) / 2 and d·x·y, in limbs of 51 bits. Two cache lines.
#[repr(C, align(128))]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Entry(pub [u64; 16]);

/// All windows of a point.
pub(super) struct Table(Box<[Entry]>);

/// The multiples of the base point; the same for every key.
pub(super) fn base() -> &'static Table {
    static BASE: OnceLock<Table> = OnceLock::new();
    BASE.get_or_init(|| {
        let encoded = curve25519_dalek::constants::ED25519_BASEPOINT_COMPRESSED.to_bytes();
        Table::of(&Point::decode(&encoded).unwrap_or(Point::NEUTRAL))
    })
}

impl Entry {
    fn new(addend: &Addend) -> Self {
        let mut limbs = [0; 16];
        let numbers = [addend.sum, addend.difference, addend.product].map(Fe::canonical_limbs);
        for (limb, number) in limbs.iter_mut().zip(numbers.as_flattened()) {
            *limb = *number;
        }
        Entry(limbs)
    }

    /// As the portable engine adds it. Its limbs are canonical, within the bounds of [`Fe`].
    #[inline(always)]
    pub fn addend(&self) -> Addend {
        let [a, b, c, d, e, f, g, h, i, j, k, l, m, n, o, _] = self.0;
        Addend {
            sum: Fe::from_limbs([a, b, c, d, e]),
            difference: Fe::from_limbs([f, g, h, i, j]),
            product: Fe::from_limbs([k, l, m, n, o]),
        }
    }
}

impl Table {
    /// The multiples of this point.
    pub fn of(point: &Point) -> Self {
        let mut entries = Vec::with_capacity(ROW * WINDOWS);
        let (mut first, mut products) = (*point, Vec::with_capacity(ROW));
        let mut multiples = Vec::with_capacity(ROW);
        let mut inverses = Vec::with_capacity(ROW);
        for _ in 0..WINDOWS {
            let addend = first.addend(first.z.invert());
            multiples.clear();
            let mut multiple = Point::NEUTRAL;
            for _ in 0..ROW {
                multiples.push(multiple);
                multiple = multiple.plus(&addend, false);
            }
            inverses.clear();
            inverses.extend(multiples.iter().map(|multiple| multiple.z));
            invert_all(&mut inverses, &mut products);
            entries.extend(multiples.iter().zip(&inverses).map(|(point, inverse)| Entry::new(&point.addend(*inverse))));
            first = (0..BITS).fold(first, |power, _| power.doubled());
        }
        Table(entries.into_boxed_slice())
    }

    /// The windows, the lowest first; each has an entry for every digit from 0 to 1024.
    #[inline(always)]
    pub fn windows(&self) -> &[[Entry; ROW]] {
        self.0.as_chunks().0
    }

    /// The bytes of a table.
    pub const BYTES: usize = ROW * WINDOWS * size_of::<Entry>();
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
    use curve25519_dalek::scalar::Scalar;

    use super::*;
    use crate::check::ed25519::point::D;

    /// Every entry is a point of the curve, and its three numbers are about the same one; some are the multiple that
    /// they should be, by dalek's arithmetic.
    fn held(table: &Table, point: EdwardsPoint) {
        let mut power = point;
        assert_eq!(table.windows().len(), WINDOWS);
        for (window, entries) in table.windows().iter().enumerate() {
            for (digit, entry) in entries.iter().enumerate() {
                assert!(entry.0.iter().all(|limb| limb >> 51 == 0));
                let Addend { sum, difference, product } = entry.addend();
                let (x, y) = (sum.sub(difference).carried(), sum.add(difference).carried());
                let dxy = Fe::mul(Fe::mul(x, y), Fe::from_bytes(&D));
                assert!(dxy.equals(product), "window {window}, digit {digit}");
                let right = Fe::mul(dxy, Fe::mul(x, y)).add(Fe::ONE).carried();
                assert!(y.square().sub(x.square()).carried().equals(right), "window {window}, digit {digit}");
                if digit < 3 || digit % 97 == window || digit == MOST {
                    let wanted = power * Scalar::from(digit as u64);
                    assert_eq!(Point::of(x, y).encode(Fe::ONE), wanted.compress().to_bytes(), "{window} {digit}");
                }
            }
            power *= Scalar::from(1u64 << BITS);
        }
    }

    #[test]
    fn every_entry_of_the_base_point_is_the_multiple_that_it_should_be() {
        held(base(), curve25519_dalek::constants::ED25519_BASEPOINT_POINT);
        assert_eq!(base().0.len() * size_of::<Entry>(), Table::BYTES);
    }

    #[test]
    fn and_of_a_point_with_torsion() {
        let torsion = curve25519_dalek::constants::EIGHT_TORSION[1];
        let mixed = curve25519_dalek::constants::ED25519_BASEPOINT_POINT * Scalar::from(7u64) + torsion;
        let encoded: CompressedEdwardsY = mixed.compress();
        held(&Table::of(&Point::decode(encoded.as_bytes()).expect("a point")), mixed);
    }
}
