//! SHA-256 of two messages at a time, on processors with instructions for it (SHA-NI).
//!
//! Each round waits for the one before. With a second message in the other half of the registers that wait is
//! used. Decides only how fast a digest is had: its slow twin is the crate's compression function, with which its
//! tests compare it.
#![allow(unsafe_code)] // loads of blocks, and the way into code for a processor: nowhere else

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{
    __m128i, _mm_add_epi32, _mm_alignr_epi8, _mm_extract_epi32, _mm_loadu_si128, _mm_set_epi64x, _mm_setr_epi32,
    _mm_sha256msg1_epu32, _mm_sha256msg2_epu32, _mm_sha256rnds2_epu32, _mm_shuffle_epi8, _mm_shuffle_epi32,
};

/// The eight words of a state, as FIPS 180-4 §6.2 names them: a to h.
pub(super) type State = [u32; 8];

/// A block of a message: sixteen words of big-endian bytes.
pub(super) type Block = [u8; 64];

/// Puts the blocks of two messages into their states. Both have as many as the shorter: what one has more is left
/// out.
pub(super) fn compress(states: [&mut State; 2], blocks: [&[Block]; 2]) {
    #[cfg(target_arch = "x86_64")]
    if is_there() {
        // SAFETY: `is_there` says that the processor has every instruction set that the function is compiled for.
        unsafe { with_instructions(states, blocks) };
        return;
    }
    let both = blocks[0].len().min(blocks[1].len());
    for (state, blocks) in states.into_iter().zip(blocks) {
        sha2::block_api::compress256(state, blocks.get(..both).unwrap_or_default());
    }
}

/// Whether the processor has the instructions.
#[cfg(target_arch = "x86_64")]
fn is_there() -> bool {
    is_x86_feature_detected!("sha") && is_x86_feature_detected!("sse4.1") && is_x86_feature_detected!("ssse3")
}

/// The constants of the rounds (FIPS 180-4 §4.2.2).
#[cfg(target_arch = "x86_64")]
const ROUNDS: [[u32; 4]; 16] = [
    [0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5],
    [0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5],
    [0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3],
    [0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174],
    [0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc],
    [0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da],
    [0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7],
    [0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967],
    [0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13],
    [0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85],
    [0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3],
    [0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070],
    [0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5],
    [0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3],
    [0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208],
    [0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2],
];

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn with_instructions(states: [&mut State; 2], blocks: [&[Block]; 2]) {
    let big_endian = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let mut halves = [split(states[0]), split(states[1])];
    for (a, b) in blocks[0].iter().zip(blocks[1]) {
        let before = halves;
        let mut words = [load(a, big_endian), load(b, big_endian)];
        for (round, constants) in ROUNDS.iter().enumerate() {
            let [k0, k1, k2, k3] = constants.map(u32::cast_signed);
            let constants = _mm_setr_epi32(k0, k1, k2, k3);
            for lane in 0..2 {
                let [w0, w1, w2, w3] = words[lane];
                let [abef, cdgh] = halves[lane];
                let sum = _mm_add_epi32(w0, constants);
                let cdgh = _mm_sha256rnds2_epu32(cdgh, abef, sum);
                let abef = _mm_sha256rnds2_epu32(abef, cdgh, _mm_shuffle_epi32(sum, 0x0e));
                halves[lane] = [abef, cdgh];
                // The last four quarters are of no further round.
                let next = match round {
                    0..12 => {
                        let part = _mm_add_epi32(_mm_sha256msg1_epu32(w0, w1), _mm_alignr_epi8(w3, w2, 4));
                        _mm_sha256msg2_epu32(part, w3)
                    }
                    _ => w0,
                };
                words[lane] = [w1, w2, w3, next];
            }
        }
        for lane in 0..2 {
            let ([abef, cdgh], [a, c]) = (halves[lane], before[lane]);
            halves[lane] = [_mm_add_epi32(abef, a), _mm_add_epi32(cdgh, c)];
        }
    }
    let [first, second] = states;
    (*first, *second) = (join(halves[0]), join(halves[1]));
}

/// The sixteen words of a block.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn load(block: &Block, big_endian: __m128i) -> [__m128i; 4] {
    let at = |quarter: usize| {
        // SAFETY: sixteen bytes from 0, 16, 32 or 48 on are within the 64 of the block; any alignment will do.
        let bytes = unsafe { _mm_loadu_si128(block.as_ptr().add(16 * quarter).cast()) };
        _mm_shuffle_epi8(bytes, big_endian)
    };
    [at(0), at(1), at(2), at(3)]
}

/// The state as the instructions want it: a, b, e, f and c, d, g, h, the first in the highest word.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn split(state: &State) -> [__m128i; 2] {
    let [a, b, c, d, e, f, g, h] = state.map(u32::cast_signed);
    [_mm_setr_epi32(f, e, b, a), _mm_setr_epi32(h, g, d, c)]
}

/// The state from that.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn join([abef, cdgh]: [__m128i; 2]) -> State {
    let [f, e, b, a] = words(abef);
    let [h, g, d, c] = words(cdgh);
    [a, b, c, d, e, f, g, h]
}

/// Four words, the lowest first.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sha,sse4.1,ssse3")]
fn words(of: __m128i) -> [u32; 4] {
    let words = [
        _mm_extract_epi32::<0>(of),
        _mm_extract_epi32::<1>(of),
        _mm_extract_epi32::<2>(of),
        _mm_extract_epi32::<3>(of),
    ];
    words.map(i32::cast_unsigned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn block() -> impl Strategy<Value = Block> {
        prop::collection::vec(any::<u8>(), 64).prop_map(|bytes| bytes.try_into().expect("64 bytes"))
    }

    proptest! {
        #[test]
        fn states_are_those_of_the_crate(
            states in any::<[State; 2]>(),
            blocks in prop::collection::vec((block(), block()), 0..5),
            more in block(),
        ) {
            let (first, mut second): (Vec<Block>, Vec<Block>) = blocks.into_iter().unzip();
            let mut slow = states;
            sha2::block_api::compress256(&mut slow[0], &first);
            sha2::block_api::compress256(&mut slow[1], &second);
            second.push(more);
            let [mut a, mut b] = states;
            compress([&mut a, &mut b], [&first, &second]);
            prop_assert_eq!([a, b], slow);
        }
    }
}
