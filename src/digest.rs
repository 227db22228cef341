//! Digests, and the message authentication codes that stand in their place.
//!
//! It decides which bytes a digest is, nothing about what they mean. SHA-256 is the way of the home
//! format and costs what the crate costs; the others are for formats that ask for them. A MAC is made
//! here as a digest is, because rows chain MACs exactly as they chain digests.
//!
//! A [`Secret`] goes in by [`Secret::new`] and comes out as MACs alone: it shows itself in no message.

mod pair;
mod together;

use std::fmt;
use std::io;

use hmac::{Hmac, KeyInit, Mac};
use serde::Deserialize;
use sha1::Sha1;
use sha2::{Digest as _, Sha256, Sha384, Sha512};

use crate::fact::Digest;
pub use together::Together;

/// The algorithms that give a row its digest.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum DigestAlgorithm {
    /// SHA-1 (FIPS 180-4): two texts with one digest can be made; only for formats that are bound to it.
    Sha1,
    /// SHA-256 (FIPS 180-4).
    #[default]
    Sha256,
    /// SHA-384 (FIPS 180-4).
    Sha384,
    /// SHA-512 (FIPS 180-4).
    Sha512,
    /// BLAKE3, unkeyed, 32 bytes.
    Blake3,
    /// HMAC with SHA-256 (RFC 2104): needs the shared secret.
    #[serde(rename = "hmac-sha256")]
    HmacSha256,
}

impl DigestAlgorithm {
    /// All of them.
    pub const ALL: [DigestAlgorithm; 6] = [
        DigestAlgorithm::Sha1,
        DigestAlgorithm::Sha256,
        DigestAlgorithm::Sha384,
        DigestAlgorithm::Sha512,
        DigestAlgorithm::Blake3,
        DigestAlgorithm::HmacSha256,
    ];

    /// The name, as in profiles, rows (`alg_field`) and reports.
    pub fn name(self) -> &'static str {
        match self {
            DigestAlgorithm::Sha1 => "sha1",
            DigestAlgorithm::Sha256 => "sha256",
            DigestAlgorithm::Sha384 => "sha384",
            DigestAlgorithm::Sha512 => "sha512",
            DigestAlgorithm::Blake3 => "blake3",
            DigestAlgorithm::HmacSha256 => "hmac-sha256",
        }
    }

    /// The algorithm of this name, exactly as [`name`](Self::name) writes it.
    pub fn named(name: &str) -> Option<Self> {
        DigestAlgorithm::ALL.into_iter().find(|algorithm| algorithm.name() == name)
    }

    /// Bytes of a digest.
    pub fn length(self) -> usize {
        match self {
            DigestAlgorithm::Sha1 => 20,
            DigestAlgorithm::Sha256 | DigestAlgorithm::Blake3 | DigestAlgorithm::HmacSha256 => 32,
            DigestAlgorithm::Sha384 => 48,
            DigestAlgorithm::Sha512 => 64,
        }
    }

    /// Whether it is a MAC, which nobody can make or check without the shared secret.
    pub fn is_mac(self) -> bool {
        self == DigestAlgorithm::HmacSha256
    }

    /// The digest of `bytes`, or their MAC under `secret`; `None` for a MAC without a secret. A digest
    /// does not look at the secret.
    pub fn digest(self, bytes: &[u8], secret: Option<&Secret>) -> Option<Digest> {
        match self {
            DigestAlgorithm::Sha1 => Digest::new(&Sha1::digest(bytes)),
            DigestAlgorithm::Sha256 => Digest::new(&Sha256::digest(bytes)),
            DigestAlgorithm::Sha384 => Digest::new(&Sha384::digest(bytes)),
            DigestAlgorithm::Sha512 => Digest::new(&Sha512::digest(bytes)),
            DigestAlgorithm::Blake3 => Digest::new(blake3::hash(bytes).as_bytes()),
            DigestAlgorithm::HmacSha256 => secret.map(|secret| secret.mac(bytes)),
        }
    }

    /// The digest of all that `from` still gives, read a piece at a time; `None` for a MAC.
    ///
    /// # Errors
    ///
    /// What reading ends with.
    pub fn digest_all(self, from: &mut dyn io::Read) -> io::Result<Option<Digest>> {
        Ok(match self {
            DigestAlgorithm::Sha1 => drain(Sha1::new(), from)?,
            DigestAlgorithm::Sha256 => drain(Sha256::new(), from)?,
            DigestAlgorithm::Sha384 => drain(Sha384::new(), from)?,
            DigestAlgorithm::Sha512 => drain(Sha512::new(), from)?,
            DigestAlgorithm::Blake3 => {
                let mut hasher = blake3::Hasher::new();
                pieces(from, |piece| {
                    hasher.update(piece);
                })?;
                Digest::new(hasher.finalize().as_bytes())
            }
            DigestAlgorithm::HmacSha256 => None,
        })
    }
}

fn drain<H: sha2::Digest>(mut hasher: H, from: &mut dyn io::Read) -> io::Result<Option<Digest>> {
    pieces(from, |piece| hasher.update(piece))?;
    Ok(Digest::new(&hasher.finalize()))
}

fn pieces(from: &mut dyn io::Read, mut take: impl FnMut(&[u8])) -> io::Result<()> {
    let mut buffer = vec![0; 64 << 10];
    loop {
        match from.read(&mut buffer) {
            Ok(0) => return Ok(()),
            Ok(read) => take(buffer.get(..read).unwrap_or_default()),
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}

/// A shared secret. Whoever holds it can make every MAC that it checks.
#[derive(Clone)]
pub struct Secret {
    bytes: Box<[u8]>,
    /// HMAC after the key was taken in: the same for every message.
    keyed: Hmac<Sha256>,
}

impl Secret {
    /// These bytes as a secret; `None` if there are none, for that is a key everybody knows.
    pub fn new(bytes: &[u8]) -> Option<Self> {
        let keyed = Hmac::new_from_slice(bytes).ok().filter(|_| !bytes.is_empty())?;
        Some(Secret { bytes: bytes.into(), keyed })
    }

    /// How many bytes it has.
    pub fn length(&self) -> usize {
        self.bytes.len()
    }

    /// HMAC-SHA-256 of `bytes` (RFC 2104).
    pub fn mac(&self, bytes: &[u8]) -> Digest {
        let mac = self.keyed.clone().chain_update(bytes).finalize().into_bytes();
        Digest::from(<[u8; 32]>::from(mac))
    }

    /// Whether `mac` is the whole HMAC-SHA-256 of `bytes`, compared in constant time.
    pub fn verify(&self, bytes: &[u8], mac: &[u8]) -> bool {
        self.keyed.clone().chain_update(bytes).verify_slice(mac).is_ok()
    }
}

/// The same bytes are the same secret. Not in constant time: both sides are the user's own.
impl PartialEq for Secret {
    fn eq(&self, other: &Self) -> bool {
        self.bytes == other.bytes
    }
}

impl Eq for Secret {}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Secret(..)")
    }
}

/// How a secret is derived from a master secret: HKDF without a salt (RFC 5869).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Hkdf {
    hash: DigestAlgorithm,
    info: Box<[u8]>,
    length: usize,
}

impl Hkdf {
    /// A derivation with this hash, this context and so many bytes of result.
    ///
    /// # Errors
    ///
    /// What is wrong with it, for the author of a profile: a hash that is none of SHA-1 and SHA-2, or a
    /// length that is not from 1 to 255 digests (RFC 5869 §2.3).
    pub fn new(hash: DigestAlgorithm, info: &[u8], length: usize) -> Result<Self, String> {
        if matches!(hash, DigestAlgorithm::Blake3 | DigestAlgorithm::HmacSha256) {
            return Err(format!("hkdf: hash = \"{}\" is none of sha1, sha256, sha384, sha512", hash.name()));
        }
        let most = 255 * hash.length();
        if !(1..=most).contains(&length) {
            return Err(format!("hkdf: length = {length} is not from 1 to {most}"));
        }
        Ok(Hkdf { hash, info: info.into(), length })
    }

    /// The secret that is derived from `master`.
    pub fn derive(&self, master: &Secret) -> Option<Secret> {
        let mut okm = vec![0; self.length];
        let (ikm, info) = (&master.bytes, &self.info);
        match self.hash {
            DigestAlgorithm::Sha1 => hkdf::Hkdf::<Sha1>::new(None, ikm).expand(info, &mut okm),
            DigestAlgorithm::Sha256 => hkdf::Hkdf::<Sha256>::new(None, ikm).expand(info, &mut okm),
            DigestAlgorithm::Sha384 => hkdf::Hkdf::<Sha384>::new(None, ikm).expand(info, &mut okm),
            DigestAlgorithm::Sha512 => hkdf::Hkdf::<Sha512>::new(None, ikm).expand(info, &mut okm),
            DigestAlgorithm::Blake3 | DigestAlgorithm::HmacSha256 => return None,
        }
        .ok()?;
        Secret::new(&okm)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use data_encoding::HEXLOWER;

    fn hex(text: &str) -> Vec<u8> {
        HEXLOWER.decode(text.as_bytes()).expect("hex")
    }

    /// FIPS 180-4 examples ("abc"), the BLAKE3 of the same, and RFC 4231 test case 2.
    #[test]
    fn published_digests() {
        let jefe = Secret::new(b"Jefe").expect("a secret");
        for (name, text, digest) in [
            ("sha1", "abc", "a9993e364706816aba3e25717850c26c9cd0d89d"),
            ("sha256", "abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
            (
                "sha384",
                "abc",
                "cb00753f45a35e8bb5a03d699ac65007272c32ab0eded1631a8b605a43ff5bed\
                 8086072ba1e7cc2358baeca134c825a7",
            ),
            (
                "sha512",
                "abc",
                "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a\
                 2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f",
            ),
            ("blake3", "abc", "6437b3ac38465133ffb63b75273a8db548c558465d79db03fd359c6cd5bd9d85"),
            (
                "hmac-sha256",
                "what do ya want for nothing?",
                "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843",
            ),
        ] {
            let algorithm = DigestAlgorithm::named(name).expect("a name");
            assert_eq!(algorithm.name(), name);
            let found = algorithm.digest(text.as_bytes(), Some(&jefe)).expect("a digest");
            assert_eq!(format!("{found:?}"), digest, "{name}");
            assert_eq!(found.bytes().len(), algorithm.length());
            let read = algorithm.digest_all(&mut text.as_bytes()).expect("a slice reads");
            assert_eq!(read, (!algorithm.is_mac()).then_some(found), "{name}");
            assert_eq!(algorithm.digest(b"", None).is_none(), algorithm.is_mac(), "{name}");
        }
        assert_eq!(DigestAlgorithm::named("SHA256"), None);
    }

    /// RFC 5869, the test cases without a salt: A.3 and A.7.
    #[test]
    fn derived_secrets() {
        for (hash, ikm, okm) in [
            (
                DigestAlgorithm::Sha256,
                [0x0b; 22],
                "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8",
            ),
            (
                DigestAlgorithm::Sha1,
                [0x0c; 22],
                "2c91117204d745f3500d636a62f64f0ab3bae548aa53d423b0d1f27ebba6f5e5673a081d70cce7acfc48",
            ),
        ] {
            let master = Secret::new(&ikm).expect("a secret");
            let derived = Hkdf::new(hash, b"", 42).expect("a derivation").derive(&master).expect("a secret");
            assert_eq!(derived, Secret::new(&hex(okm)).expect("a secret"));
        }
        for (hash, length) in [
            (DigestAlgorithm::Sha256, 0),
            (DigestAlgorithm::Sha256, 255 * 32 + 1),
            (DigestAlgorithm::Blake3, 32),
            (DigestAlgorithm::HmacSha256, 32),
        ] {
            assert!(Hkdf::new(hash, b"", length).is_err(), "{hash:?} {length}");
        }
    }

    #[test]
    fn a_secret_shows_nothing_and_is_never_empty() {
        let secret = Secret::new(b"hunter2").expect("a secret");
        assert_eq!(format!("{secret:?}"), "Secret(..)");
        assert!(Secret::new(b"").is_none());
        let mac = secret.mac(b"text");
        assert!(secret.verify(b"text", mac.bytes()));
        assert!(!secret.verify(b"text", &mac.bytes()[..31]), "a cut MAC");
        assert!(!secret.verify(b"text", &[mac.bytes(), b"\0"].concat()), "a long MAC");
        assert!(!secret.verify(b"other", mac.bytes()));
    }
}
