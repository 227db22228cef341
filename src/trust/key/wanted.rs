//! Which kind of key is wanted: how bytes without a name become it, and how it is called in messages.
//!
//! A file is read as what the format's algorithm takes, never as what the file would like to be.

use super::mldsa::MlDsa65Key;
use super::p256::P256Key;
use super::public::PublicKey;
use super::refusal::Refusal;
use super::{Key, der};
use crate::algorithm::SignatureAlgorithm;

/// What the key is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Wanted(pub SignatureAlgorithm);

use SignatureAlgorithm::{Ed25519, Es256, HmacSha256, MlDsa65, Rs256, Sshsig};

impl Wanted {
    /// Whether an Ed25519 key is.
    pub fn ed25519(self) -> bool {
        matches!(self.0, Ed25519 | Sshsig)
    }

    /// Whether a P-256 key is.
    pub fn p256(self) -> bool {
        matches!(self.0, Es256 | Sshsig)
    }

    /// Whether an RSA key is.
    pub fn rsa(self) -> bool {
        matches!(self.0, Rs256 | Sshsig)
    }

    /// Whether an ML-DSA-65 key is.
    pub fn ml_dsa_65(self) -> bool {
        self.0 == MlDsa65
    }

    /// The key that stands in these bytes without any wrapping; `None` if none has so many bytes. RSA
    /// keys have no bare form: their PKCS#1 or SPKI DER is the barest.
    pub fn bare(self, bytes: &[u8]) -> Option<Result<Key, Refusal>> {
        match bytes.len() {
            32 if self.ed25519() => Some(PublicKey::from_slice(bytes).map(Key::Ed25519)),
            33 | 65 if self.p256() => Some(P256Key::new(bytes).map(Key::P256)),
            1952 if self.ml_dsa_65() => Some(MlDsa65Key::new(bytes).map(Key::MlDsa65)),
            _ if self.0 == Rs256 && der::looks_like(bytes) => Some(der::read(bytes, self)),
            _ => None,
        }
    }

    /// How long a bare key is, for messages.
    pub fn sizes(self) -> &'static str {
        match self.0 {
            Ed25519 => "a key has 32",
            Es256 => "a P-256 key has 65 or 33",
            MlDsa65 => "an ML-DSA-65 key has 1,952",
            Sshsig => "an Ed25519 key has 32, a P-256 key 65 or 33",
            Rs256 | HmacSha256 => "an RSA key stands in DER",
        }
    }

    /// What is wanted.
    pub fn noun(self) -> &'static str {
        match self.0 {
            Ed25519 => "an Ed25519 public key",
            Es256 => "a P-256 public key",
            Rs256 => "an RSA public key",
            HmacSha256 => "a shared secret",
            Sshsig => "an SSH public key (Ed25519, P-256 or RSA)",
            MlDsa65 => "an ML-DSA-65 public key",
        }
    }

    /// What a key file may hold.
    pub fn forms(self) -> String {
        let forms = match self.0 {
            Ed25519 => {
                "SPKI PEM (BEGIN PUBLIC KEY), SPKI DER, OpenSSH line, JWK, 32 raw bytes, 64 hex digits or base64 of 32 bytes"
            }
            Es256 => {
                "SPKI PEM (BEGIN PUBLIC KEY), SPKI DER, OpenSSH line, JWK, or its point of 65 or 33 bytes, raw, in hex or in base64"
            }
            Rs256 => "SPKI or PKCS#1, each as PEM, DER or base64 of the DER, as OpenSSH line or JWK",
            HmacSha256 => "the form that the profile says",
            Sshsig => {
                "OpenSSH line, SPKI PEM (BEGIN PUBLIC KEY), SPKI DER or JWK; an Ed25519 key also raw, in hex or in base64"
            }
            MlDsa65 => "SPKI PEM (BEGIN PUBLIC KEY), SPKI DER, JWK, or its 1,952 bytes, raw, in hex or in base64",
        };
        format!("give {} as {forms}", self.noun())
    }

    /// Where to get the right kind.
    pub fn ask(self) -> String {
        let kind = match self.0 {
            Ed25519 => "Ed25519 key",
            Es256 => "P-256 key",
            Rs256 => "RSA key",
            HmacSha256 => "shared secret",
            Sshsig => "SSH key",
            MlDsa65 => "ML-DSA-65 key",
        };
        format!("ask for the {kind} that signs the ledger (openssl pkey -pubin -in FILE -noout -text shows the kind)")
    }
}
