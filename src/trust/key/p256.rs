//! The refined type: bytes that are a public key on P-256.
//!
//! It decides which encodings are read (SEC 1 §2.3.3): the point uncompressed or compressed, on the
//! curve, its coordinates below the prime, never the point at infinity. Not the hybrid form, which
//! nobody writes. The curve has no points of small order, so that each point is a key.

use std::fmt;

use p256::ecdsa::VerifyingKey;

use super::Fingerprint;
use super::openssh::put;
use super::refusal::{Hint, Refusal};

/// A public key on P-256 (secp256r1).
#[derive(Clone, PartialEq, Eq)]
pub struct P256Key {
    key: VerifyingKey,
    /// Uncompressed.
    point: [u8; 65],
}

impl P256Key {
    /// These bytes as a key: 65 bytes from `04`, or 33 from `02` or `03`.
    pub(super) fn new(bytes: &[u8]) -> Result<Self, Refusal> {
        let known = matches!((bytes, bytes.len()), ([4, ..], 65) | ([2 | 3, ..], 33));
        let key = known.then(|| VerifyingKey::from_sec1_bytes(bytes).ok()).flatten();
        let point = key.as_ref().and_then(|key| key.to_sec1_point(false).as_bytes().try_into().ok());
        match (key, point) {
            (Some(key), Some(point)) => Ok(P256Key { key, point }),
            _ if !known => Err(Refusal::new(
                "its bytes are not the encoding of a point: 65 bytes from 04, or 33 from 02 or 03 (SEC 1)",
                Hint::Forms,
            )),
            _ => Err(Refusal::new(
                "its bytes are not a point on the curve P-256, so no signature can hold under it",
                "the key is damaged, cut at the wrong place or of another kind; get the file again",
            )),
        }
    }

    /// The point in its uncompressed encoding.
    pub fn bytes(&self) -> &[u8; 65] {
        &self.point
    }

    /// The key that judges signatures.
    pub fn verifying(&self) -> &VerifyingKey {
        &self.key
    }

    /// The blob of OpenSSH (RFC 5656 §3.1).
    pub(super) fn blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        for string in [b"ecdsa-sha2-nistp256".as_slice(), b"nistp256", &self.point] {
            put(string, &mut blob);
        }
        blob
    }
}

impl fmt::Debug for P256Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "P256Key({})", Fingerprint(&self.blob()))
    }
}
