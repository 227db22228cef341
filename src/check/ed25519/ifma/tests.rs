//! The lanes against their slow twins: the field against fiat-crypto's, the hash against sha2's. On a processor
//! without AVX-512 IFMA they say so and pass.

use proptest::prelude::*;
use sha2::{Digest as _, Sha512};

use crate::check::ed25519::field::Fe;
use crate::check::ed25519::lanes::Ifma;

type Limbs = [u64; 5];

fn ifma() -> Option<Ifma> {
    let ifma = Ifma::detect();
    if ifma.is_none() {
        println!("skipped: this processor has no AVX-512 IFMA");
    }
    ifma
}

/// Of limbs below 2^52, whatever the number: Σ limb·2^(51·index), by Horner's rule.
fn number(limbs: &Limbs) -> Fe {
    let power = Fe::from_limbs([0, 1, 0, 0, 0]);
    limbs.iter().rev().fold(Fe::ZERO, |sum, limb| {
        // A limb of 52 bits is two limbs of 51.
        let limb = Fe::from_limbs([limb & ((1 << 51) - 1), limb >> 51, 0, 0, 0]);
        Fe::mul(sum, power).add(limb).carried()
    })
}

fn held(ifma: Ifma, a: &[Limbs; 8], b: &[Limbs; 8]) {
    let [products, sums, differences] = ifma.arithmetic(a, b);
    for lane in 0..8 {
        let (x, y) = (number(&a[lane]), number(&b[lane]));
        // Equal limbs: what the lanes call canonical is the number below p.
        assert_eq!(products[lane], Fe::mul(x, y).canonical_limbs(), "{:?} * {:?}", a[lane], b[lane]);
        assert_eq!(sums[lane], x.add(y).carried().canonical_limbs(), "{:?} + {:?}", a[lane], b[lane]);
        assert_eq!(differences[lane], x.sub(y).carried().canonical_limbs(), "{:?} - {:?}", a[lane], b[lane]);
    }
}

/// Limbs at the ends of their bounds; p and its neighbours; the largest numbers that can be carried.
fn extremes() -> Vec<Limbs> {
    const FULL: u64 = (1 << 51) - 1;
    let mut all = vec![[0; 5], [FULL - 18, FULL, FULL, FULL, FULL], [FULL; 5], [(1 << 52) - 1; 5]];
    all.extend([17, 19, 20].map(|low| [FULL - low, FULL, FULL, FULL, FULL]));
    all.push([(1 << 52) - 38, (1 << 52) - 2, (1 << 52) - 2, (1 << 52) - 2, (1 << 52) - 2]);
    all.push([(1 << 51) + (1 << 17) - 1; 5]);
    for at in 0..5 {
        for value in [1, 18, 19, FULL, FULL + 1, (1 << 52) - 1] {
            let mut limbs = [0; 5];
            limbs[at] = value;
            all.push(limbs);
        }
    }
    all
}

#[test]
fn every_pair_of_extremes_is_computed_as_fiat_does() {
    let Some(ifma) = ifma() else { return };
    let all = extremes();
    for a in &all {
        for rest in all.chunks(8) {
            let mut b = [[0; 5]; 8];
            b[..rest.len()].copy_from_slice(rest);
            held(ifma, &[*a; 8], &b);
        }
    }
}

proptest! {
    #[test]
    fn eight_pairs_are_computed_as_fiat_does(
        a in any::<[[u64; 5]; 8]>(),
        b in any::<[[u64; 5]; 8]>(),
    ) {
        let Some(ifma) = ifma() else { return Ok(()) };
        let cut = |lanes: [Limbs; 8]| lanes.map(|lane| lane.map(|limb| limb >> 12));
        held(ifma, &cut(a), &cut(b));
    }

    #[test]
    fn eight_hashes_are_those_of_sha2(
        prefix in any::<u8>(),
        lengths in prop::array::uniform8(prop_oneof![0usize..300, 2000usize..2100]),
        bytes in prop::collection::vec(any::<u8>(), 2100),
    ) {
        let Some(ifma) = ifma() else { return Ok(()) };
        let prefixes: [[u8; 64]; 8] = std::array::from_fn(|lane| [prefix.wrapping_add(lane as u8); 64]);
        let messages = lengths.map(|length| &bytes[..length]);
        let hashes = ifma.hash(&prefixes, &messages);
        for lane in 0..8 {
            let wanted = Sha512::new().chain_update(prefixes[lane]).chain_update(messages[lane]).finalize();
            prop_assert_eq!(&hashes[lane][..], &wanted[..]);
        }
    }
}

#[test]
fn messages_that_just_fill_a_block_are_hashed_as_sha2_does() {
    let Some(ifma) = ifma() else { return };
    let bytes = [0xa5; 600];
    for start in (0..400).step_by(8) {
        let messages: [&[u8]; 8] = std::array::from_fn(|lane| &bytes[..start + lane]);
        let hashes = ifma.hash(&[[1; 64]; 8], &messages);
        for lane in 0..8 {
            let wanted = Sha512::new().chain_update([1; 64]).chain_update(messages[lane]).finalize();
            assert_eq!(hashes[lane][..], wanted[..], "{} bytes", messages[lane].len());
        }
    }
}
