//! Signature algorithms, and how a format wants the keys of them: what a profile may say.
//!
//! Names and settings only. [`crate::trust::key`] reads keys by a [`KeyWish`], and [`crate::check`]
//! judges signatures by a [`Scheme`].

use serde::Deserialize;

use crate::digest::Hkdf;
use crate::encoding::{Encoding, TextForm};

/// Signature algorithms. A MAC stands among them: a row carries it where others carry a signature.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
pub enum SignatureAlgorithm {
    /// Ed25519 (RFC 8032), judged as `verify_strict` judges.
    #[default]
    #[serde(rename = "ed25519")]
    Ed25519,
    /// ECDSA on P-256 with SHA-256 (FIPS 186-5), written `r || s` (RFC 7518 §3.4).
    #[serde(rename = "es256")]
    Es256,
    /// RSASSA-PKCS1-v1_5 with SHA-256 (RFC 8017 §8.2).
    #[serde(rename = "rs256")]
    Rs256,
    /// HMAC with SHA-256 (RFC 2104).
    #[serde(rename = "hmac-sha256")]
    HmacSha256,
    /// An armoured SSH signature (OpenSSH's PROTOCOL.sshsig).
    #[serde(rename = "sshsig")]
    Sshsig,
    /// ML-DSA-65, pure, with an empty context (FIPS 204).
    #[serde(rename = "ml-dsa-65")]
    MlDsa65,
}

impl SignatureAlgorithm {
    /// All of them.
    pub const ALL: [SignatureAlgorithm; 6] = [
        SignatureAlgorithm::Ed25519,
        SignatureAlgorithm::Es256,
        SignatureAlgorithm::Rs256,
        SignatureAlgorithm::HmacSha256,
        SignatureAlgorithm::Sshsig,
        SignatureAlgorithm::MlDsa65,
    ];

    /// The name, as in profiles and reports.
    pub fn name(self) -> &'static str {
        match self {
            SignatureAlgorithm::Ed25519 => "ed25519",
            SignatureAlgorithm::Es256 => "es256",
            SignatureAlgorithm::Rs256 => "rs256",
            SignatureAlgorithm::HmacSha256 => "hmac-sha256",
            SignatureAlgorithm::Sshsig => "sshsig",
            SignatureAlgorithm::MlDsa65 => "ml-dsa-65",
        }
    }

    /// The algorithm of this name, exactly as [`name`](Self::name) writes it.
    pub fn named(name: &str) -> Option<Self> {
        SignatureAlgorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }
}

/// An algorithm with what a format settles of it: all that a signature is judged by, but for the key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// Ed25519.
    #[default]
    Ed25519,
    /// ES256.
    Es256 {
        /// Whether an `s` above half of the group order is refused. Without this, whoever sees a
        /// signature can write a second one that holds.
        low_s: bool,
    },
    /// RS256.
    Rs256,
    /// HMAC-SHA-256.
    HmacSha256,
    /// An SSH signature.
    Sshsig {
        /// What the signature must say it is for, exactly.
        namespace: String,
    },
    /// ML-DSA-65.
    MlDsa65,
}

/// How many bytes the signatures of a scheme have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignatureSize {
    /// So many.
    Bytes(usize),
    /// As many as the key's modulus has, at most so many.
    AtMost(usize),
    /// It is a text with a form of its own, and is judged as it is.
    Text,
}

impl SignatureSize {
    /// Put the signature that `text` is, in this form, into `out`; `None` if it is none of this size.
    pub fn read(self, form: &TextForm, text: &str, out: &mut Vec<u8>) -> Option<()> {
        out.clear();
        match self {
            SignatureSize::Bytes(bytes) => {
                out.resize(bytes, 0);
                form.decode_into(text, out)
            }
            SignatureSize::AtMost(bytes) => form.decode_at_most(text, bytes).map(|bytes| *out = bytes),
            SignatureSize::Text => {
                out.extend_from_slice(text.as_bytes());
                Some(())
            }
        }
    }
}

impl Scheme {
    /// The algorithm.
    pub fn algorithm(&self) -> SignatureAlgorithm {
        match self {
            Scheme::Ed25519 => SignatureAlgorithm::Ed25519,
            Scheme::Es256 { .. } => SignatureAlgorithm::Es256,
            Scheme::Rs256 => SignatureAlgorithm::Rs256,
            Scheme::HmacSha256 => SignatureAlgorithm::HmacSha256,
            Scheme::Sshsig { .. } => SignatureAlgorithm::Sshsig,
            Scheme::MlDsa65 => SignatureAlgorithm::MlDsa65,
        }
    }

    /// How many bytes a signature has.
    pub fn signature_size(&self) -> SignatureSize {
        match self {
            Scheme::Ed25519 | Scheme::Es256 { .. } => SignatureSize::Bytes(64),
            Scheme::Rs256 => SignatureSize::AtMost(RSA_BITS_MOST / 8),
            Scheme::HmacSha256 => SignatureSize::Bytes(32),
            Scheme::Sshsig { .. } => SignatureSize::Text,
            Scheme::MlDsa65 => SignatureSize::Bytes(3309),
        }
    }
}

/// The fewest bits of an RSA modulus: fewer are no longer thought safe (NIST SP 800-131A).
pub const RSA_BITS_LEAST: usize = 2048;

/// The most bits of an RSA modulus: more would make each row cost seconds.
pub const RSA_BITS_MOST: usize = 8192;

/// How a format wants a key.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct KeyWish {
    /// What the key is for. A MAC in the place of a digest wants [`SignatureAlgorithm::HmacSha256`].
    pub algorithm: SignatureAlgorithm,
    /// How the file is written; `None` is any form of a public key, and the bytes as they are of a secret.
    pub format: Option<KeyFormat>,
    /// How the secret is derived from what the file holds; of secrets only.
    pub hkdf: Option<Hkdf>,
}

impl KeyWish {
    /// A key for this algorithm, in any form.
    pub fn of(algorithm: SignatureAlgorithm) -> Self {
        KeyWish { algorithm, ..KeyWish::default() }
    }
}

/// How a key file is written (`key.format`).
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeyFormat {
    /// Hexadecimal digits.
    Hex,
    /// Base64.
    Base64,
    /// Base64url.
    Base64url,
    /// The file's bytes, untouched.
    Raw,
    /// The file's bytes without surrounding white space.
    Text,
    /// SPKI PEM (RFC 7468 §13).
    SpkiPem,
    /// PKCS#1 PEM (RFC 8017 appendix A.1.1).
    Pkcs1Pem,
    /// OpenSSH lines.
    Openssh,
    /// A member of a JSON file.
    Json {
        /// The names on the way to the member.
        path: Vec<String>,
        /// How its text encodes the key; base64url unless the profile says otherwise.
        encoding: Encoding,
    },
}

impl KeyFormat {
    /// The name, as in profiles.
    pub fn name(&self) -> &'static str {
        match self {
            KeyFormat::Hex => "hex",
            KeyFormat::Base64 => "base64",
            KeyFormat::Base64url => "base64url",
            KeyFormat::Raw => "raw",
            KeyFormat::Text => "text",
            KeyFormat::SpkiPem => "spki-pem",
            KeyFormat::Pkcs1Pem => "pkcs1-pem",
            KeyFormat::Openssh => "openssh",
            KeyFormat::Json { .. } => "json",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_that_a_profile_is_read_by() {
        #[derive(Deserialize)]
        struct Table {
            alg: SignatureAlgorithm,
        }
        for algorithm in SignatureAlgorithm::ALL {
            let table: Table = toml::from_str(&format!("alg = \"{}\"", algorithm.name())).expect("a name");
            assert_eq!(table.alg, algorithm);
        }
        for wrong in ["Ed25519", "ES256", "hs256", "ml-dsa-44", ""] {
            assert!(toml::from_str::<Table>(&format!("alg = \"{wrong}\"")).is_err(), "{wrong}");
        }
    }
}
