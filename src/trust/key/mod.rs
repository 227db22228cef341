//! Key files: the bytes an auditor was handed become keys of the wanted kind, or a stop that says what
//! they are instead.
//!
//! It decides which form a file has, each form in a file of its own:
//!
//! | file | form |
//! |---|---|
//! | `pem` | `BEGIN PUBLIC KEY`, one or several blocks (RFC 7468); `BEGIN RSA PUBLIC KEY` |
//! | `der` | SubjectPublicKeyInfo (RFC 5280), RSAPublicKey (RFC 8017) |
//! | `openssh` | `ssh-ed25519 AAAA…` lines (RFC 8709, RFC 5656, RFC 4253) |
//! | `jwk` | a JSON Web Key or a set (RFC 7517) |
//! | `plain` | raw bytes, hex digits, base64 |
//! | `secret` | the shared secret of a MAC |
//!
//! `public`, `p256`, `rsa` and `mldsa` say which bytes are a key at all, and `wanted` what becomes of
//! bytes without a name. `kind` names other kinds of key, and `refusal` is the reason that a user reads.
//!
//! A public key is taken in whatever form it comes: all of them can be told apart, and a stop because the
//! auditor was handed the same key as PEM where the profile's author had hex would help nobody. The
//! profile's `format` is needed only for a member of a JSON file. A secret is the contrary: every string
//! of bytes is one, so it is read as the profile says and not otherwise.
//!
//! It trusts the file to say which key to trust, and not a byte more: forms are strict, a file is
//! taken whole or refused, and a private key is refused without any of it being shown.

mod der;
mod jwk;
mod kind;
mod mldsa;
mod openssh;
mod p256;
mod pem;
mod plain;
mod public;
mod refusal;
mod rsa;
mod secret;
mod wanted;

use std::fmt;

use data_encoding::BASE64_NOPAD;
use sha2::{Digest, Sha256};

use crate::algorithm::{KeyFormat, KeyWish, SignatureAlgorithm};
use crate::digest::Secret;
use crate::row::{Reader, Value};
use crate::stop::Stop;
pub use mldsa::MlDsa65Key;
pub(crate) use openssh::string as ssh_string;
pub use p256::P256Key;
pub use public::PublicKey;
use refusal::{Hint, Refusal};
pub use rsa::RsaKey;
use wanted::Wanted;

/// A key file is never larger: the whole of it is looked at several times.
pub const LARGEST: usize = 1 << 20;

/// A key that signatures or MACs are judged with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Key {
    /// Of Ed25519.
    Ed25519(PublicKey),
    /// Of ECDSA on P-256.
    P256(P256Key),
    /// Of RSA.
    Rsa(RsaKey),
    /// Of ML-DSA-65.
    MlDsa65(MlDsa65Key),
    /// Of a MAC.
    Secret(Secret),
}

impl Key {
    /// What tells it from others, for reports. Of a public key `SHA256:` and the unpadded base64 of the
    /// SHA-256 of its OpenSSH form, as `ssh-keygen -lf` prints it; of an ML-DSA key of its
    /// SubjectPublicKeyInfo, for it has no such form.
    ///
    /// Of a secret its length alone, and not even that where it is short: whatever is computed from a
    /// secret lets a reader of the report try passwords.
    pub fn fingerprint(&self) -> String {
        match self {
            Key::Ed25519(key) => key.fingerprint(),
            Key::P256(key) => Fingerprint(&key.blob()).to_string(),
            Key::Rsa(key) => Fingerprint(&key.blob()).to_string(),
            Key::MlDsa65(key) => Fingerprint(&key.spki()).to_string(),
            Key::Secret(secret) if secret.length() < SHORT_SECRET => {
                format!("a shared secret of fewer than {SHORT_SECRET} bytes")
            }
            Key::Secret(secret) => format!("a shared secret of {} bytes", secret.length()),
        }
    }

    /// Its bytes as they stand in a row that names its key (`pin_field`): 32 of Ed25519, the point of
    /// P-256 in 65, 1,952 of ML-DSA-65, the PKCS#1 DER of RSA; `None` for a secret.
    pub fn bare(&self) -> Option<Vec<u8>> {
        match self {
            Key::Ed25519(key) => Some(key.bytes().to_vec()),
            Key::P256(key) => Some(key.bytes().to_vec()),
            Key::Rsa(key) => Some(key.pkcs1()),
            Key::MlDsa65(key) => Some(key.verifying().encode().to_vec()),
            Key::Secret(_) => None,
        }
    }

    /// The blob by which SSH names the key; `None` for kinds that it has not.
    pub(crate) fn ssh_blob(&self) -> Option<Vec<u8>> {
        match self {
            Key::Ed25519(key) => Some(openssh::blob(key.bytes()).to_vec()),
            Key::P256(key) => Some(key.blob()),
            Key::Rsa(key) => Some(key.blob()),
            Key::MlDsa65(_) | Key::Secret(_) => None,
        }
    }
}

/// Shorter secrets may be words that somebody thought of: 128 bits are what a made one has at least.
const SHORT_SECRET: usize = 16;

/// The fingerprint of these bytes.
struct Fingerprint<'a>(&'a [u8]);

impl fmt::Display for Fingerprint<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "SHA256:{}", BASE64_NOPAD.encode(&Sha256::digest(self.0)))
    }
}

/// The keys in the `bytes` of a key file, in their order and at least one; the same key twice is
/// given twice. `source` is the name of the file, for the message only.
///
/// # Errors
///
/// A [`Stop`] of the kind `key`, which says what was handed over instead, and what to do.
pub fn read(bytes: &[u8], wish: &KeyWish, source: &str) -> Result<Vec<Key>, Stop> {
    let wanted = Wanted(wish.algorithm);
    let keys = match (bytes.len() > LARGEST, wish.algorithm) {
        (true, _) => {
            let why = format!("too large for a key file: {} bytes, at most 1 MiB", bytes.len());
            Err(Refusal::new(why, Hint::Forms))
        }
        (_, SignatureAlgorithm::HmacSha256) => {
            secret::read(bytes, wish.format.as_ref(), wish.hkdf.as_ref()).map(|secret| vec![Key::Secret(secret)])
        }
        _ => read_public(bytes, wish.format.as_ref(), wanted),
    };
    keys.map_err(|refusal| refusal.stop(source, wanted))
}

/// The public keys of a file: those of the member that the profile names, or in any form.
fn read_public(bytes: &[u8], format: Option<&KeyFormat>, wanted: Wanted) -> Result<Vec<Key>, Refusal> {
    let Some(KeyFormat::Json { path, encoding }) = format else { return read_any(bytes, wanted) };
    let Some(text) = json_member(bytes, path) else { return read_any(bytes, wanted) };
    let key = secret::decode(text.trim_ascii().as_bytes(), *encoding)?;
    let wrong = || {
        let why = format!("wrong length: the member holds {} bytes, {}", key.len(), wanted.sizes());
        Refusal::new(why, Hint::OtherKind)
    };
    Ok(vec![wanted.bare(&key).unwrap_or_else(|| Err(wrong()))?])
}

/// The text of a member of a JSON file.
fn json_member(bytes: &[u8], path: &[String]) -> Option<String> {
    let mut reader = Reader::new();
    let row = reader.read_value_exact(bytes.strip_prefix(BOM).unwrap_or(bytes)).ok()?;
    row.root().path(path).and_then(Value::as_str).map(str::to_owned)
}

/// What Windows writes before UTF-8.
const BOM: &[u8] = b"\xef\xbb\xbf";

fn read_any(bytes: &[u8], wanted: Wanted) -> Result<Vec<Key>, Refusal> {
    // Raw bytes are told from text by this: as many as a key has, that are not all text. No text form
    // of 32 bytes is that short (hex has 64 characters, base64 43), a point of P-256 starts with a control
    // character, and a key that looks like text by chance is one in 10^13, refused with a message that
    // says so.
    if !is_text(bytes)
        && !is_utf16(bytes)
        && !der::looks_like(bytes)
        && let Some(key) = wanted.bare(bytes)
    {
        return Ok(vec![key?]);
    }
    if is_utf16(bytes) {
        let narrow: Vec<u8> = bytes.iter().copied().filter(|byte| *byte != 0).collect();
        if let Some(refusal) = pem::private(&narrow) {
            return Err(refusal);
        }
        return Err(Refusal::new(
            "the file is UTF-16 text (Windows), a key file is ASCII",
            "save it as UTF-8: iconv -f UTF-16 -t UTF-8 FILE > key.pem",
        ));
    }
    let whole = bytes;
    let bytes = bytes.strip_prefix(BOM).unwrap_or(bytes);
    if bytes.trim_ascii().is_empty() {
        return Err(Refusal::new("the file is empty", Hint::Forms));
    }
    if !is_text(bytes) && der::looks_like(bytes) {
        return Ok(vec![der::read(bytes, wanted)?]);
    }
    // Anywhere, also inside a JSON string (key files of cloud services).
    if let Some(refusal) = pem::private(bytes) {
        return Err(refusal);
    }
    let json = bytes.trim_ascii_start().starts_with(b"{") || bytes.trim_ascii_start().starts_with(b"[");
    if pem::has_begin_line(bytes) || (!json && pem::looks_like(bytes)) {
        return pem::read(bytes, wanted);
    }
    let Some(text) = std::str::from_utf8(bytes).ok().filter(|_| is_text(bytes)) else {
        return Err(plain::not_raw(whole, wanted));
    };
    if json {
        return jwk::read(text, wanted);
    }
    if openssh::looks_like(text) {
        return openssh::read(text, wanted);
    }
    if bytes.len() == 32 {
        return Err(Refusal::new("32 characters of text: neither 32 raw bytes nor 64 hex digits", Hint::Forms));
    }
    Ok(vec![plain::text(text, wanted)?])
}

/// Without the control characters that every binary form has (`06`, `03`, `00` in any SPKI).
/// Bytes from `80` on are left to the readers: a PEM file may have a comment in Latin-1.
fn is_text(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| !byte.is_ascii_control() || byte.is_ascii_whitespace())
        && (bytes.len() != 32 || bytes.is_ascii())
}

/// ASCII in two bytes a character, of either order, with or without a byte order mark; with the
/// mark also other text, except in 32 bytes, which may be a key that starts like one.
fn is_utf16(bytes: &[u8]) -> bool {
    let marked = bytes.strip_prefix(b"\xff\xfe").or_else(|| bytes.strip_prefix(b"\xfe\xff"));
    if marked.is_some() && bytes.len().is_multiple_of(2) && !matches!(bytes.len(), 32 | 64) {
        return true;
    }
    let text = marked.unwrap_or(bytes);
    let (pairs, rest) = text.as_chunks::<2>();
    let ascii = |byte: u8| byte.is_ascii_graphic() || byte.is_ascii_whitespace();
    rest.is_empty()
        && !pairs.is_empty()
        && (pairs.iter().all(|[low, high]| *high == 0 && ascii(*low))
            || pairs.iter().all(|[high, low]| *high == 0 && ascii(*low)))
}
