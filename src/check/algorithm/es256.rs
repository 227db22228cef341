//! ES256: ECDSA on P-256 with SHA-256, as `r || s` of 32 bytes each (RFC 7518 §3.4).
//!
//! It decides nothing that the crate does not: `r` and `s` from 1 to the group order less one, and the
//! equation of FIPS 186-5 §6.4.2. ECDSA as such takes `s` and its negative alike; `low_s` takes one.

use p256::ecdsa::Signature;
use p256::ecdsa::signature::Verifier;

use crate::trust::key::P256Key;

/// Reports whether `signature` over `message` holds under `key`.
pub(super) fn verify(key: &P256Key, message: &[u8], signature: &[u8], low_s: bool) -> bool {
    let Ok(signature) = Signature::from_slice(signature) else { return false };
    if low_s && signature.normalize_s() != signature {
        return false;
    }
    key.verifying().verify(message, &signature).is_ok()
}
