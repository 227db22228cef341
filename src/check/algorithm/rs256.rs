//! RS256: RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2.2), and SHA-512 for SSH signatures.
//!
//! It decides nothing that the crate does not: the signature has the length of the modulus and is below
//! it, and what it opens to is compared as a whole with the one right encoding. Nothing in it is parsed,
//! so that nothing can hide in the padding (Bleichenbacher's forgery of 2006).

use rsa::Pkcs1v15Sign;
use sha2::{Digest, Sha256, Sha512};

use crate::trust::key::RsaKey;

/// Reports whether `signature` over `message` holds under `key`, with SHA-256.
pub(super) fn verify(key: &RsaKey, message: &[u8], signature: &[u8]) -> bool {
    key.verifying().verify(Pkcs1v15Sign::new::<Sha256>(), &Sha256::digest(message), signature).is_ok()
}

/// The same with SHA-512.
pub(super) fn verify_sha512(key: &RsaKey, message: &[u8], signature: &[u8]) -> bool {
    key.verifying().verify(Pkcs1v15Sign::new::<Sha512>(), &Sha512::digest(message), signature).is_ok()
}
