//! Decides whether one Ed25519 signature holds: the single seam for signature arithmetic.
//!
//! The verdict on every signature is exactly that of [`VerifyingKey::verify_strict`], whatever
//! engine computes it: `S` below the group order, `R` and the key decoded and not of small order,
//! and the cofactorless equation compared on the encoding of `R` (RFC 8032 §5.1.7, of its two
//! equations the stricter). A faster engine may move in behind [`verify`]; it may not differ from
//! it on any input.
//!
//! Batch verification is out, also as a hint. It checks a random combination of cofactorless
//! equations, in which points of small order cancel by chance: measured with ed25519-dalek 2.2,
//! `verify_batch` accepts 6 of 15 slices that hold a signature with torsion in `R`, each of which
//! the single check refuses, and which slices changes from run to run. A verdict that depends on
//! the cut of a batch or on a random number is no evidence.
//!
//! It trusts no byte of message or signature. The key was checked by [`crate::trust::key`]; a
//! weak one that got here by another way is refused by `verify_strict` all the same.

mod claim;
mod engine;
mod field;
mod fixed_key;
#[cfg(target_arch = "x86_64")]
mod ifma;
mod judge;
mod lanes;
mod point;
mod portable;
mod scalar;
mod table;
mod windows;

pub use claim::Claim;
pub use engine::{Choice, Engine};
pub use fixed_key::FixedKey;
pub(super) use judge::Verdict;
pub use judge::{Judge, Judged, Sample};
pub use windows::{ENOUGH, KEPT};

use ed25519_dalek::{Signature, VerifyingKey};

/// Reports whether `signature` (`R || S`, RFC 8032 §5.1.6) over `message` holds under `key`.
///
/// The length is the caller's business: a signature of any other length than 64 bytes never
/// holds, and that is a different finding than one that fails here.
pub fn verify(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    key.verify_strict(message, &Signature::from_bytes(signature)).is_ok()
}
