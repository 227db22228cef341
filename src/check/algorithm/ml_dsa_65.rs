//! ML-DSA-65, pure, with an empty context (FIPS 204, algorithm 3).
//!
//! It decides nothing that the crate does not: 3,309 bytes, `z` within its bound, hints in their one
//! order without repetition. Versions before 0.1.0-rc.5 took repeated hints and rounded wrongly.

use ml_dsa::{MlDsa65, Signature};

use crate::trust::key::MlDsa65Key;

/// Reports whether `signature` over `message` holds under `key`.
pub(super) fn verify(key: &MlDsa65Key, message: &[u8], signature: &[u8]) -> bool {
    Signature::<MlDsa65>::try_from(signature)
        .is_ok_and(|signature| key.verifying().verify_with_context(message, b"", &signature))
}
