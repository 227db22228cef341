//! SSH signatures: the armoured text that `ssh-keygen -Y sign` and git write (PROTOCOL.sshsig).
//!
//! It decides whether the text is exactly one such signature, for the wanted namespace, by the trusted
//! key. The key inside the text is trusted for nothing: it must be the trusted one, byte for byte. The
//! hash inside is one of the two that the protocol knows. Read here and not by the crate `ssh-key`, of
//! which no version with the other crates of this generation is released: it is five fields.

use std::borrow::Cow;

use data_encoding::BASE64;
use sha2::{Digest, Sha256, Sha512};

use super::{Question, ed25519, es256, rs256};
use crate::trust::key::{Key, ssh_string};

const BEGIN: &str = "-----BEGIN SSH SIGNATURE-----";
const END: &str = "-----END SSH SIGNATURE-----";

/// Ed25519, as SSH names it (RFC 8709 §4).
const ED25519: &[u8] = b"ssh-ed25519";

/// What the blob and what is signed start with.
const MAGIC: &[u8] = b"SSHSIG";

/// The one version there is.
const VERSION: [u8; 4] = [0, 0, 0, 1];

/// Longer than any signature under the largest key: nothing above is looked at.
const LONGEST_TEXT: usize = 16 << 10;

/// Reports whether the armoured signature over `message` holds under `key`.
pub(super) fn verify(key: &Key, namespace: &str, message: &[u8], armoured: &[u8]) -> bool {
    opened(key, namespace, message, armoured).and_then(|opened| opened.verify(key)).unwrap_or(false)
}

/// What there is to find out of it.
pub(super) fn question<'k, 'm>(key: &'k Key, namespace: &str, message: &[u8], armoured: &[u8]) -> Question<'k, 'm> {
    let Some(opened) = opened(key, namespace, message, armoured) else { return Question::Never };
    match (key, opened.algorithm.as_slice(), opened.bytes.as_slice().try_into()) {
        (Key::Ed25519(key), ED25519, Ok(bytes)) => Question::Ed25519(key.verifying(), Cow::Owned(opened.signed), bytes),
        _ => Question::Other,
    }
}

/// An SSH signature by the trusted key, for the wanted namespace.
struct Opened {
    /// The bytes that were signed.
    signed: Vec<u8>,
    /// The name of the algorithm.
    algorithm: Vec<u8>,
    /// The signature, as the algorithm has it.
    bytes: Vec<u8>,
}

impl Opened {
    /// Whether it holds; `None` if its algorithm is not one for the key.
    fn verify(&self, key: &Key) -> Option<bool> {
        let Opened { signed, algorithm, bytes } = self;
        Some(match (key, algorithm.as_slice()) {
            (Key::Ed25519(key), ED25519) => ed25519::verify(key.verifying(), signed, bytes.as_slice().try_into().ok()?),
            (Key::P256(key), b"ecdsa-sha2-nistp256") => es256::verify(key, signed, &ecdsa(bytes)?, false),
            (Key::Rsa(key), b"rsa-sha2-256") => rs256::verify(key, signed, bytes),
            (Key::Rsa(key), b"rsa-sha2-512") => rs256::verify_sha512(key, signed, bytes),
            // `ssh-rsa` is SHA-1, and the protocol forbids it.
            _ => return None,
        })
    }
}

fn opened(key: &Key, namespace: &str, message: &[u8], armoured: &[u8]) -> Option<Opened> {
    let blob = unarmoured(armoured)?;
    let rest = blob.strip_prefix(MAGIC)?.strip_prefix(&VERSION)?;
    let (signer, rest) = ssh_string(rest)?;
    let (said, rest) = ssh_string(rest)?;
    let (reserved, rest) = ssh_string(rest)?;
    let (hash, rest) = ssh_string(rest)?;
    let (signature, rest) = ssh_string(rest)?;
    // PROTOCOL.sshsig: the namespace is never empty; nothing is reserved yet, and nothing follows.
    if said != namespace.as_bytes() || said.is_empty() || !reserved.is_empty() || !rest.is_empty() {
        return None;
    }
    if key.ssh_blob()? != signer {
        return None;
    }
    let digest = match hash {
        b"sha256" => Sha256::digest(message).to_vec(),
        b"sha512" => Sha512::digest(message).to_vec(),
        _ => return None,
    };
    let mut signed = MAGIC.to_vec();
    for field in [said, reserved, hash, &digest] {
        signed.extend_from_slice(&u32::try_from(field.len()).ok()?.to_be_bytes());
        signed.extend_from_slice(field);
    }
    let (algorithm, rest) = ssh_string(signature)?;
    let (bytes, rest) = ssh_string(rest)?;
    if !rest.is_empty() {
        return None;
    }
    Some(Opened { signed, algorithm: algorithm.to_vec(), bytes: bytes.to_vec() })
}

/// The bytes between the two lines: one spelling of base64, in lines of any length. White space before a
/// line says nothing: inside a git commit each line but the first has a space there.
fn unarmoured(armoured: &[u8]) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(armoured).ok().filter(|text| text.len() <= LONGEST_TEXT)?;
    let mut lines = text.trim_start().trim_end_matches(['\n', '\r']).lines().map(str::trim_start);
    if lines.next()? != BEGIN || lines.next_back()? != END {
        return None;
    }
    let body: String = lines.collect();
    BASE64.decode(body.as_bytes()).ok().filter(|bytes| BASE64.encode(bytes) == body)
}

/// `r || s` of an ECDSA signature of SSH: two positive integers (RFC 5656 §3.1.2, RFC 4251 §5).
fn ecdsa(bytes: &[u8]) -> Option<[u8; 64]> {
    let (r, rest) = ssh_string(bytes)?;
    let (s, rest) = ssh_string(rest)?;
    let mut raw = [0; 64];
    let (left, right) = raw.split_at_mut(32);
    for (integer, room) in [(r, left), (s, right)] {
        // Shortest form: a zero byte in front only where the next would make it negative.
        let digits = match integer {
            [0, rest @ ..] if rest.first().is_some_and(|byte| *byte >= 0x80) => rest,
            [first, ..] if (1..0x80).contains(first) => integer,
            _ => return None,
        };
        room.get_mut(32usize.checked_sub(digits.len())?..)?.copy_from_slice(digits);
    }
    rest.is_empty().then_some(raw)
}
