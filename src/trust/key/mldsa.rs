//! The refined type: 1,952 bytes that are an ML-DSA-65 public key fit to judge a signature.
//!
//! Every string of that length decodes (FIPS 204, algorithm 23). One kind is refused: where all of `t1`
//! is zero the message drops out of the equation, and anyone can sign.

use std::fmt;

use ml_dsa::{EncodedVerifyingKey, MlDsa65, VerifyingKey};

use super::Fingerprint;
use super::refusal::{Hint, Refusal};

/// DER of a SubjectPublicKeyInfo up to the key (RFC 9881 §4).
const SPKI: [u8; 22] = [
    0x30, 0x82, 0x07, 0xb2, 0x30, 0x0b, 0x06, 0x09, 0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x03, 0x12, 0x03, 0x82,
    0x07, 0xa1, 0x00,
];

/// Bytes of the seed that stands before `t1`.
const SEED_BYTES: usize = 32;

/// An ML-DSA-65 public key.
#[derive(Clone, PartialEq)]
pub struct MlDsa65Key(Box<VerifyingKey<MlDsa65>>);

impl Eq for MlDsa65Key {}

impl MlDsa65Key {
    /// These bytes as a key.
    pub(super) fn new(bytes: &[u8]) -> Result<Self, Refusal> {
        let Ok(encoded) = EncodedVerifyingKey::<MlDsa65>::try_from(bytes) else {
            return Err(Refusal::new(
                format!("wrong length: the key holds {} bytes, an ML-DSA-65 public key has 1,952", bytes.len()),
                Hint::OtherKind,
            ));
        };
        if encoded.iter().skip(SEED_BYTES).all(|byte| *byte == 0) {
            return Err(Refusal::new(
                "weak key: all of its t1 is zero, so that anyone can write its signatures",
                "no key generator writes this; get the key again from its owner",
            ));
        }
        Ok(MlDsa65Key(Box::new(VerifyingKey::decode(&encoded))))
    }

    /// The key that judges signatures.
    pub fn verifying(&self) -> &VerifyingKey<MlDsa65> {
        &self.0
    }

    /// Its SubjectPublicKeyInfo, DER.
    pub(super) fn spki(&self) -> Vec<u8> {
        [SPKI.as_slice(), &self.0.encode()].concat()
    }
}

impl fmt::Debug for MlDsa65Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "MlDsa65Key({})", Fingerprint(&self.spki()))
    }
}
