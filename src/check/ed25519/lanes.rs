//! Where safe code ends: what a processor does with eight lanes at once, and how an entry is asked for in advance.
//!
//! The arithmetic on lanes (`ifma/`) is safe code, since intrinsics are that work on values alone inside a function
//! with their features. Three things are not: reading and writing memory through a pointer, the hint to the cache,
//! and calling a function whose features the processor may lack. They stand here and nowhere else.

use super::table::Entry;

/// Ask for an entry, so that it is near when it is added. It changes no value.
#[inline(always)]
pub(super) fn prefetch(entry: &Entry) {
    #[cfg(target_arch = "x86_64")]
    {
        use std::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
        let start = std::ptr::from_ref(entry).cast::<i8>();
        // SAFETY: a hint reads nothing and cannot fault, whatever its address; SSE is part of every x86-64. Both
        // addresses lie within the entry, which has 128 bytes (`Entry` is 16 words), so that `add` is in bounds.
        #[allow(unsafe_code)]
        unsafe {
            _mm_prefetch::<_MM_HINT_T0>(start);
            _mm_prefetch::<_MM_HINT_T0>(start.add(64));
        }
    }
    #[cfg(not(target_arch = "x86_64"))]
    let _ = entry;
}

#[cfg(not(target_arch = "x86_64"))]
pub use absent::Ifma;
#[cfg(target_arch = "x86_64")]
pub use vectors::Ifma;
#[cfg(target_arch = "x86_64")]
pub(super) use vectors::{load, store};

/// Other processors than x86-64.
#[cfg(not(target_arch = "x86_64"))]
mod absent {
    use crate::check::ed25519::claim::Claim;
    use crate::check::ed25519::fixed_key::FixedKey;

    /// There is none.
    #[derive(Clone, Copy, Debug)]
    pub enum Ifma {}

    impl Ifma {
        /// Whether the processor has it: no.
        pub fn detect() -> Option<Self> {
            None
        }

        /// Never called.
        pub fn judge(self, _: &FixedKey, _: &[Claim<'_>], _: &mut Vec<bool>) {
            match self {}
        }
    }
}

#[cfg(target_arch = "x86_64")]
mod vectors {
    use std::arch::x86_64::{__m512i, _mm512_loadu_si512, _mm512_storeu_si512};

    use crate::check::ed25519::claim::Claim;
    use crate::check::ed25519::fixed_key::FixedKey;
    use crate::check::ed25519::ifma;

    /// Eight words as lanes.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn load(words: &[u64; 8]) -> __m512i {
        // SAFETY: the reference is to 64 readable bytes, all that is read; `loadu` asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm512_loadu_si512(words.as_ptr().cast())
        }
    }

    /// Lanes as eight words.
    #[target_feature(enable = "avx512f")]
    #[inline]
    pub fn store(lanes: __m512i) -> [u64; 8] {
        let mut words = [0; 8];
        // SAFETY: the array is 64 writable bytes, all that is written; `storeu` asks for no alignment.
        #[allow(unsafe_code)]
        unsafe {
            _mm512_storeu_si512(words.as_mut_ptr().cast(), lanes);
        }
        words
    }

    /// That this processor, and the system on it, have what the engine of eight lanes needs. There is no other way
    /// to one than asking.
    #[derive(Clone, Copy, Debug)]
    pub struct Ifma(());

    impl Ifma {
        /// Whether it has.
        pub fn detect() -> Option<Self> {
            let has = is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512ifma");
            has.then_some(Ifma(()))
        }

        /// Judge each claim under the key; the verdicts are appended in the same order.
        pub fn judge(self, key: &FixedKey, claims: &[Claim<'_>], verdicts: &mut Vec<bool>) {
            // SAFETY: the function is safe but for its features, avx512f, avx512bw, avx512dq and avx512ifma; a value
            // of this type exists only where `detect` found all four.
            #[allow(unsafe_code)]
            unsafe {
                ifma::judge(key, claims, verdicts);
            }
        }

        /// SHA-512 of eight messages, each after a prefix of 64 bytes, for tests.
        #[cfg(test)]
        pub fn hash(self, prefixes: &[[u8; 64]; 8], messages: &[&[u8]; 8]) -> [[u8; 64]; 8] {
            // SAFETY: as above, of fewer features.
            #[allow(unsafe_code)]
            unsafe {
                ifma::hash(prefixes, messages)
            }
        }

        /// A multiplication and the differences and sums of eight pairs of numbers below p, for tests.
        #[cfg(test)]
        pub fn arithmetic(self, a: &[[u64; 5]; 8], b: &[[u64; 5]; 8]) -> [[[u64; 5]; 8]; 3] {
            // SAFETY: as above, of fewer features.
            #[allow(unsafe_code)]
            unsafe {
                ifma::arithmetic(a, b)
            }
        }
    }
}
