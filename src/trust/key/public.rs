//! The refined type: 32 bytes that are an Ed25519 public key fit to judge a signature.
//!
//! It decides which of the 2^256 byte strings are keys (RFC 8032 §5.1.3 and beyond): a point of
//! the curve, in its one canonical encoding, not of small order. Under a point of small order a
//! constant signature "verifies" any message, so such a key can vouch for nothing. A point of
//! mixed order (an honest key plus a small one) is a key: `verify_strict` gives one verdict on
//! each of its signatures, the same in every run.

use std::fmt;

use ed25519_dalek::VerifyingKey;

use super::refusal::{Hint, Refusal};
use super::{Fingerprint, openssh};

/// An Ed25519 public key.
#[derive(Clone, PartialEq, Eq, Hash)]
pub struct PublicKey(VerifyingKey);

impl PublicKey {
    /// These bytes as a key.
    pub(super) fn new(bytes: &[u8; 32]) -> Result<Self, Refusal> {
        let key = VerifyingKey::from_bytes(bytes).map_err(|_| {
            Refusal::new(
                "its 32 bytes are not a point on the curve, so no signature can hold under it",
                "the key is damaged, cut at the wrong place or of another kind (a private seed, a hash); get the file again",
            )
        })?;
        // Before the encoding: what is both is first of all worthless as a key.
        if key.is_weak() {
            return Err(Refusal::new(
                "weak key: a point of small order, under which a forged signature verifies any row",
                "no honest key looks like this (32 zero bytes are one that was never filled in); get the real key",
            ));
        }
        if !canonical(bytes) {
            return Err(Refusal::new(
                "its encoding is not canonical: y is not below the prime 2^255 - 19 (RFC 8032 section 5.1.3)",
                "no key generator writes this; get the key again from its owner",
            ));
        }
        Ok(PublicKey(key))
    }

    /// The same for bytes whose number is not known yet.
    pub(super) fn from_slice(bytes: &[u8]) -> Result<Self, Refusal> {
        match bytes.try_into() {
            Ok(bytes) => PublicKey::new(bytes),
            Err(_) => Err(Refusal::new(
                format!("wrong length: the key holds {} bytes, an Ed25519 public key has 32", bytes.len()),
                Hint::OtherKind,
            )),
        }
    }

    /// Its encoding (RFC 8032 §5.1.5), 32 bytes.
    pub fn bytes(&self) -> &[u8; 32] {
        self.0.as_bytes()
    }

    /// The key that judges signatures.
    pub fn verifying(&self) -> &VerifyingKey {
        &self.0
    }

    /// What `ssh-keygen -lf` prints for it: `SHA256:` and the unpadded base64 of the SHA-256 of
    /// the OpenSSH form (RFC 8709 §4), so that an auditor can compare it with a tool at hand.
    pub fn fingerprint(&self) -> String {
        Fingerprint(&openssh::blob(self.bytes())).to_string()
    }
}

impl fmt::Debug for PublicKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "PublicKey({})", self.fingerprint())
    }
}

/// Whether y (little-endian, the top bit is the sign of x) is below p = 2^255 − 19.
///
/// dalek decodes by ZIP 215, which takes y modulo p. The other encoding that RFC 8032 forbids,
/// x = 0 with its sign set, exists only for y = ±1: points of small order, refused before.
fn canonical(bytes: &[u8; 32]) -> bool {
    let [low, middle @ .., high] = bytes;
    high & 0x7f != 0x7f || middle.iter().any(|byte| *byte != 0xff) || *low < 0xed
}
