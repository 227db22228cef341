//! Points of the curve −x² + y² = 1 + d·x²·y², for tables and the portable engine.
//!
//! The addition is complete: d is no square and −1 is one, so that its denominators are never 0, for no two points
//! of the curve whatsoever (Hisil, Wong, Carter, Dawson 2008, §3.1; Bernstein, Lange 2007, theorem 3.3). Equal
//! points, opposite ones, the neutral one and those of small order are no special cases.

use super::field::{Fe, Sum};

/// d = −121665/121666.
pub(super) const D: [u8; 32] = [
    0xa3, 0x78, 0x59, 0x13, 0xca, 0x4d, 0xeb, 0x75, 0xab, 0xd8, 0x41, 0x41, 0x4d, 0x0a, 0x70, 0x00, 0x98, 0xe8, 0x79,
    0x77, 0x79, 0x40, 0xc7, 0x8c, 0x73, 0xfe, 0x6f, 0x2b, 0xee, 0x6c, 0x03, 0x52,
];

/// A square root of −1: 2^((p − 1) / 4).
const ROOT: [u8; 32] = [
    0xb0, 0xa0, 0x0e, 0x4a, 0x27, 0x1b, 0xee, 0xc4, 0x78, 0xe4, 0x2f, 0xad, 0x06, 0x18, 0x43, 0x2f, 0xa7, 0xd7, 0xfb,
    0x3d, 0x99, 0x00, 0x4d, 0x2b, 0x0b, 0xdf, 0xc1, 0x4f, 0x80, 0x24, 0x83, 0x2b,
];

/// One half: (p + 1) / 2 = 2^254 − 9.
const HALF: Fe = Fe::from_limbs([(1 << 51) - 9, (1 << 51) - 1, (1 << 51) - 1, (1 << 51) - 1, (1 << 50) - 1]);

/// A point as X/Z, Y/Z with T = X·Y/Z.
#[derive(Clone, Copy)]
pub(super) struct Point {
    pub x: Fe,
    pub y: Fe,
    pub z: Fe,
    pub t: Fe,
}

/// A point as it stands in a table: the numbers that an addition needs of it, the usual ones halved. That scales
/// all four coordinates of the sum by one half of the usual, which changes no point, and spares a doubling.
#[derive(Clone, Copy)]
pub(super) struct Addend {
    /// (y + x) / 2
    pub sum: Fe,
    /// (y − x) / 2
    pub difference: Fe,
    /// d·x·y
    pub product: Fe,
}

impl Point {
    pub const NEUTRAL: Point = Point { x: Fe::ZERO, y: Fe::ONE, z: Fe::ONE, t: Fe::ZERO };

    /// The point with these coordinates.
    pub fn of(x: Fe, y: Fe) -> Self {
        Point { x, y, z: Fe::ONE, t: Fe::mul(x, y) }
    }

    /// The point that the bytes are the encoding of, as curve25519-dalek decodes: y from p to 2^255 − 1 and "−0" are
    /// taken too (RFC 8032 §5.1.3 would refuse those).
    pub fn decode(bytes: &[u8; 32]) -> Option<Self> {
        let y = Fe::from_bytes(bytes);
        let square = y.square();
        let u = square.sub(Fe::ONE).carried();
        let v = Fe::mul(square, Fe::from_bytes(&D)).add(Fe::ONE).carried();
        // x = (u/v)^((p+3)/8) = u·v³·(u·v⁷)^((p−5)/8), perhaps times the root of −1.
        let v3 = Fe::mul(v.square(), v);
        let uv7 = Fe::mul(Fe::mul(v3.square(), v), u);
        let mut x = Fe::mul(Fe::mul(u, v3), uv7.power_for_root());
        let check = Fe::mul(x.square(), v);
        if !check.equals(u) {
            if !check.equals(u.neg().carried()) {
                return None;
            }
            x = Fe::mul(x, Fe::from_bytes(&ROOT));
        }
        if x.is_odd() != (bytes[31] >> 7 == 1) {
            x = x.neg().carried();
        }
        Some(Point::of(x, y))
    }

    /// Its encoding, with 1/Z at hand (RFC 8032 §5.1.2).
    #[inline(always)]
    pub fn encode(&self, inverse: Fe) -> [u8; 32] {
        let mut bytes = Fe::mul(self.y, inverse).to_bytes();
        bytes[31] |= u8::from(Fe::mul(self.x, inverse).is_odd()) << 7;
        bytes
    }

    pub fn negated(&self) -> Self {
        Point { x: self.x.neg().carried(), t: self.t.neg().carried(), ..*self }
    }

    /// The sum with a point of a table, or with its negative: 7 multiplications.
    #[inline(always)]
    pub fn plus(&self, addend: &Addend, negative: bool) -> Self {
        // The negative of (x, y) is (−x, y): sum and difference change places, the product its sign.
        let (sum, difference) =
            if negative { (addend.difference, addend.sum) } else { (addend.sum, addend.difference) };
        let a = Fe::mul(self.y.sub(self.x), difference);
        let b = Fe::mul(self.y.add(self.x), sum);
        let c = Fe::mul(self.t, addend.product);
        let (d_minus_c, d_plus_c) = (self.z.sub(c), self.z.add(c));
        let (f, g) = if negative { (d_plus_c, d_minus_c) } else { (d_minus_c, d_plus_c) };
        Point::joined(b.sub(a), f, g, b.add(a))
    }

    #[inline(always)]
    fn joined(e: Sum, f: Sum, g: Sum, h: Sum) -> Self {
        Point { x: Fe::mul(e, f), y: Fe::mul(g, h), z: Fe::mul(f, g), t: Fe::mul(e, h) }
    }

    /// Twice the point (Hisil et al. 2008, §3.3).
    pub fn doubled(&self) -> Self {
        let (a, b) = (self.x.square(), self.y.square());
        let c = self.z.square().add(self.z.square()).carried();
        let both = a.add(b).carried();
        let e = self.x.add(self.y).carried().square().sub(both);
        let g = b.sub(a).carried();
        Point::joined(e, g.sub(c), g.into(), both.neg())
    }

    /// As a table has it, with 1/Z at hand.
    pub fn addend(&self, inverse: Fe) -> Addend {
        let (x, y) = (Fe::mul(self.x, inverse), Fe::mul(self.y, inverse));
        Addend {
            sum: Fe::mul(y.add(x), HALF),
            difference: Fe::mul(y.sub(x), HALF),
            product: Fe::mul(Fe::mul(x, y), Fe::from_bytes(&D)),
        }
    }
}

#[cfg(test)]
mod tests {
    use curve25519_dalek::constants::{ED25519_BASEPOINT_COMPRESSED, EIGHT_TORSION};
    use curve25519_dalek::edwards::{CompressedEdwardsY, EdwardsPoint};
    use curve25519_dalek::scalar::Scalar;

    use super::*;

    fn encoded(point: &Point) -> [u8; 32] {
        point.encode(point.z.invert())
    }

    /// Points of every kind: the torsion, the base point, sums of both, some multiples.
    fn points() -> Vec<EdwardsPoint> {
        let base = ED25519_BASEPOINT_COMPRESSED.decompress().expect("the base point");
        let mut points = EIGHT_TORSION.to_vec();
        points.extend(EIGHT_TORSION.map(|torsion| base + torsion));
        points.extend((2u64..6).map(|factor| base * Scalar::from(factor)));
        points
    }

    #[test]
    fn constants_are_what_they_are_said_to_be() {
        assert!(HALF.add(HALF).carried().equals(Fe::ONE));
        assert!(Fe::from_bytes(&ROOT).square().equals(Fe::ONE.neg().carried()));
        let d = Fe::mul(Fe::from_bytes(&D), Fe::from_limbs([121_666, 0, 0, 0, 0]));
        assert!(d.add(Fe::from_limbs([121_665, 0, 0, 0, 0])).carried().equals(Fe::ZERO));
    }

    #[test]
    fn decoding_agrees_with_dalek_on_every_second_encoding() {
        // Small numbers and such near p: canonical and not, on the curve and not, with either sign.
        for low in 0..=255 {
            for (middle, high) in [(0, 0), (0, 0x80), (0xff, 0x7f), (0xff, 0xff)] {
                let mut bytes = [middle; 32];
                (bytes[0], bytes[31]) = (low, high);
                let dalek = CompressedEdwardsY(bytes).decompress().map(|point| point.compress().to_bytes());
                assert_eq!(Point::decode(&bytes).map(|point| encoded(&point)), dalek, "{bytes:x?}");
            }
        }
    }

    #[test]
    fn sums_are_those_of_dalek_for_every_pair() {
        for p in points() {
            let own = Point::decode(p.compress().as_bytes()).expect("a point");
            assert_eq!(encoded(&own.doubled()), (p + p).compress().to_bytes());
            assert_eq!(encoded(&own.negated()), (-p).compress().to_bytes());
            assert_eq!(encoded(&own.doubled().doubled()), (p + p + p + p).compress().to_bytes());
            for q in points() {
                let addend = Point::decode(q.compress().as_bytes()).expect("a point").doubled();
                let addend = addend.addend(addend.z.invert());
                assert_eq!(encoded(&own.doubled().plus(&addend, false)), (p + p + q + q).compress().to_bytes());
                assert_eq!(encoded(&own.doubled().plus(&addend, true)), (p + p - q - q).compress().to_bytes());
            }
        }
    }
}
