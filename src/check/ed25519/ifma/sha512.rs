//! SHA-512 (FIPS 180-4) of eight messages at once, each after a prefix of 64 bytes.
//!
//! Lanes of different length go on together until the longest is done; the others keep the state that they ended
//! with.

use std::arch::x86_64::*;

use super::field::transposed;
use crate::check::ed25519::lanes::{load, store};

/// Bytes of a block.
const BLOCK: usize = 128;

/// What stands before every message: R and A.
pub(super) const PREFIX: usize = 64;

/// Of a longer message the hash is computed alone: eight padded copies would take memory, and its length is all that
/// counts then.
pub(super) const LONGEST: usize = 8 << 10;

/// The first 64 bits of the fractions of the cube roots of the first 80 primes (FIPS 180-4 §4.2.3).
const K: [u64; 80] = [
    0x428a_2f98_d728_ae22,
    0x7137_4491_23ef_65cd,
    0xb5c0_fbcf_ec4d_3b2f,
    0xe9b5_dba5_8189_dbbc,
    0x3956_c25b_f348_b538,
    0x59f1_11f1_b605_d019,
    0x923f_82a4_af19_4f9b,
    0xab1c_5ed5_da6d_8118,
    0xd807_aa98_a303_0242,
    0x1283_5b01_4570_6fbe,
    0x2431_85be_4ee4_b28c,
    0x550c_7dc3_d5ff_b4e2,
    0x72be_5d74_f27b_896f,
    0x80de_b1fe_3b16_96b1,
    0x9bdc_06a7_25c7_1235,
    0xc19b_f174_cf69_2694,
    0xe49b_69c1_9ef1_4ad2,
    0xefbe_4786_384f_25e3,
    0x0fc1_9dc6_8b8c_d5b5,
    0x240c_a1cc_77ac_9c65,
    0x2de9_2c6f_592b_0275,
    0x4a74_84aa_6ea6_e483,
    0x5cb0_a9dc_bd41_fbd4,
    0x76f9_88da_8311_53b5,
    0x983e_5152_ee66_dfab,
    0xa831_c66d_2db4_3210,
    0xb003_27c8_98fb_213f,
    0xbf59_7fc7_beef_0ee4,
    0xc6e0_0bf3_3da8_8fc2,
    0xd5a7_9147_930a_a725,
    0x06ca_6351_e003_826f,
    0x1429_2967_0a0e_6e70,
    0x27b7_0a85_46d2_2ffc,
    0x2e1b_2138_5c26_c926,
    0x4d2c_6dfc_5ac4_2aed,
    0x5338_0d13_9d95_b3df,
    0x650a_7354_8baf_63de,
    0x766a_0abb_3c77_b2a8,
    0x81c2_c92e_47ed_aee6,
    0x9272_2c85_1482_353b,
    0xa2bf_e8a1_4cf1_0364,
    0xa81a_664b_bc42_3001,
    0xc24b_8b70_d0f8_9791,
    0xc76c_51a3_0654_be30,
    0xd192_e819_d6ef_5218,
    0xd699_0624_5565_a910,
    0xf40e_3585_5771_202a,
    0x106a_a070_32bb_d1b8,
    0x19a4_c116_b8d2_d0c8,
    0x1e37_6c08_5141_ab53,
    0x2748_774c_df8e_eb99,
    0x34b0_bcb5_e19b_48a8,
    0x391c_0cb3_c5c9_5a63,
    0x4ed8_aa4a_e341_8acb,
    0x5b9c_ca4f_7763_e373,
    0x682e_6ff3_d6b2_b8a3,
    0x748f_82ee_5def_b2fc,
    0x78a5_636f_4317_2f60,
    0x84c8_7814_a1f0_ab72,
    0x8cc7_0208_1a64_39ec,
    0x90be_fffa_2363_1e28,
    0xa450_6ceb_de82_bde9,
    0xbef9_a3f7_b2c6_7915,
    0xc671_78f2_e372_532b,
    0xca27_3ece_ea26_619c,
    0xd186_b8c7_21c0_c207,
    0xeada_7dd6_cde0_eb1e,
    0xf57d_4f7f_ee6e_d178,
    0x06f0_67aa_7217_6fba,
    0x0a63_7dc5_a2c8_98a6,
    0x113f_9804_bef9_0dae,
    0x1b71_0b35_131c_471b,
    0x28db_77f5_2304_7d84,
    0x32ca_ab7b_40c7_2493,
    0x3c9e_be0a_15c9_bebc,
    0x431d_67c4_9c10_0d4c,
    0x4cc5_d4be_cb3e_42b6,
    0x597f_299c_fc65_7e2a,
    0x5fcb_6fab_3ad6_faec,
    0x6c44_198c_4a47_5817,
];

/// Likewise of the square roots of the first eight (§5.3.5).
const START: [u64; 8] = [
    0x6a09_e667_f3bc_c908,
    0xbb67_ae85_84ca_a73b,
    0x3c6e_f372_fe94_f82b,
    0xa54f_f53a_5f1d_36f1,
    0x510e_527f_ade6_82d1,
    0x9b05_688c_2b3e_6c1f,
    0x1f83_d9ab_fb41_bd6b,
    0x5be0_cd19_137e_2179,
];

/// Blocks that a message of this length takes, with prefix, one bit, and a length of 128 bits.
pub(super) fn blocks(length: usize) -> usize {
    (PREFIX + length + 17).div_ceil(BLOCK)
}

/// The padded messages of eight lanes, one after the other.
#[derive(Default)]
pub(super) struct Padded {
    bytes: Vec<u8>,
    /// Blocks of each lane.
    blocks: [usize; 8],
}

impl Padded {
    /// Put the message of a lane behind those of the lanes before it; `None` where the lane is not used.
    pub fn push(&mut self, lane: usize, parts: Option<[&[u8]; 3]>) {
        let Some(parts) = parts else { return };
        let start = self.bytes.len();
        parts.iter().for_each(|part| self.bytes.extend_from_slice(part));
        let length = self.bytes.len() - start;
        let blocks = (length + 17).div_ceil(BLOCK);
        self.bytes.push(0x80);
        self.bytes.resize(start + blocks * BLOCK - 16, 0);
        // The length in bits: of a message in memory it has less than 128.
        self.bytes.extend_from_slice(&(length as u128 * 8).to_be_bytes());
        self.blocks[lane] = blocks;
    }

    /// The hashes of all lanes; of one that is not used, anything. The messages are gone then.
    #[target_feature(enable = "avx512f,avx512bw")]
    pub fn hash(&mut self) -> [[u8; 64]; 8] {
        let mut starts = [0; 8];
        let mut start = 0;
        for (lane, blocks) in starts.iter_mut().zip(self.blocks) {
            *lane = start;
            start += blocks * BLOCK;
        }
        let mut state = [_mm512_setzero_si512(); 8];
        for (word, first) in state.iter_mut().zip(START) {
            *word = _mm512_set1_epi64(first as i64);
        }
        let most = self.blocks.iter().copied().max().unwrap_or(0);
        for block in 0..most {
            let mut lanes: __mmask8 = 0;
            let mut words = [[[0; 8]; 8]; 2];
            for (lane, (start, blocks)) in starts.iter().zip(self.blocks).enumerate() {
                if block < blocks {
                    lanes |= 1 << lane;
                    let start = start + block * BLOCK;
                    let bytes = self.bytes.get(start..start + BLOCK).unwrap_or(&[0; BLOCK]);
                    for (half, bytes) in words.iter_mut().zip(bytes.as_chunks::<64>().0) {
                        half[lane] = words_of(bytes);
                    }
                }
            }
            let [low, high] = words.map(|half| {
                let rows = half.map(|row| load(&row));
                transposed(rows)
            });
            let before = state;
            compress(&mut state, low, high);
            for (word, before) in state.iter_mut().zip(before) {
                *word = _mm512_mask_mov_epi64(before, lanes, *word);
            }
        }
        self.bytes.clear();
        self.blocks = [0; 8];
        transposed(state).map(|lane| {
            let mut hash = [0; 64];
            for (bytes, word) in hash.as_chunks_mut::<8>().0.iter_mut().zip(store(lane)) {
                *bytes = word.to_be_bytes();
            }
            hash
        })
    }
}

#[inline(always)]
fn words_of(bytes: &[u8; 64]) -> [u64; 8] {
    let mut words = [0; 8];
    for (word, bytes) in words.iter_mut().zip(bytes.as_chunks::<8>().0) {
        *word = u64::from_be_bytes(*bytes);
    }
    words
}

/// One block of every lane (FIPS 180-4 §6.4.2).
#[target_feature(enable = "avx512f")]
#[inline]
fn compress(state: &mut [__m512i; 8], low: [__m512i; 8], high: [__m512i; 8]) {
    let mut words = [_mm512_setzero_si512(); 16];
    words[..8].copy_from_slice(&low);
    words[8..].copy_from_slice(&high);
    let [mut a, mut b, mut c, mut d, mut e, mut f, mut g, mut h] = *state;
    for (sixteen, constants) in K.as_chunks::<16>().0.iter().enumerate() {
        for (at, constant) in constants.iter().enumerate() {
            if sixteen > 0 {
                let (one, two) = (words[(at + 1) % 16], words[(at + 14) % 16]);
                let small_0 = xor3(_mm512_ror_epi64::<1>(one), _mm512_ror_epi64::<8>(one), _mm512_srli_epi64::<7>(one));
                let small_1 =
                    xor3(_mm512_ror_epi64::<19>(two), _mm512_ror_epi64::<61>(two), _mm512_srli_epi64::<6>(two));
                let sum = _mm512_add_epi64(_mm512_add_epi64(words[at], small_0), words[(at + 9) % 16]);
                words[at] = _mm512_add_epi64(sum, small_1);
            }
            let big_1 = xor3(_mm512_ror_epi64::<14>(e), _mm512_ror_epi64::<18>(e), _mm512_ror_epi64::<41>(e));
            // 0xca: the second where the first is set, else the third. 0xe8: the majority.
            let choice = _mm512_ternarylogic_epi64::<0xca>(e, f, g);
            let with = _mm512_add_epi64(words[at], _mm512_set1_epi64(*constant as i64));
            let t1 = _mm512_add_epi64(_mm512_add_epi64(h, with), _mm512_add_epi64(big_1, choice));
            let big_0 = xor3(_mm512_ror_epi64::<28>(a), _mm512_ror_epi64::<34>(a), _mm512_ror_epi64::<39>(a));
            let t2 = _mm512_add_epi64(big_0, _mm512_ternarylogic_epi64::<0xe8>(a, b, c));
            (h, g, f, e) = (g, f, e, _mm512_add_epi64(d, t1));
            (d, c, b, a) = (c, b, a, _mm512_add_epi64(t1, t2));
        }
    }
    for (word, done) in state.iter_mut().zip([a, b, c, d, e, f, g, h]) {
        *word = _mm512_add_epi64(*word, done);
    }
}

#[target_feature(enable = "avx512f")]
#[inline]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi64::<0x96>(a, b, c)
}
