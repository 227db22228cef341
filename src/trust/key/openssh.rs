//! OpenSSH public keys: `ssh-ed25519 AAAA… comment`, one a line (RFC 8709 §4, RFC 4253 §6.6; P-256:
//! RFC 5656 §3.1).
//!
//! It decides line by line; blank lines and lines that start with `#` are skipped, as OpenSSH
//! does. It trusts the base64 word alone: the type in front must say the same, the comment says
//! nothing. Options of an `authorized_keys` file are refused: they may restrict what the key is
//! good for, and this program would ignore that.

use data_encoding::{BASE64, BASE64_NOPAD};

use super::Key;
use super::p256::P256Key;
use super::public::PublicKey;
use super::refusal::{Hint, Refusal, word};
use super::rsa::RsaKey;
use super::wanted::Wanted;

const ED25519: &str = "ssh-ed25519";
const P256: &str = "ecdsa-sha2-nistp256";
const RSA: &str = "ssh-rsa";

/// The curve that a blob of P-256 names.
const P256_CURVE: &[u8] = b"nistp256";

/// What a line may start with, and what is said about it.
const TYPES: &[(&str, &str)] = &[
    (ED25519, "an Ed25519 key"),
    (RSA, "an RSA key (ssh-rsa)"),
    ("ssh-dss", "a DSA key (ssh-dss)"),
    ("ssh-ed448", "an Ed448 key (ssh-ed448)"),
    (P256, "an elliptic curve key on P-256 (ECDSA)"),
    ("ecdsa-sha2-nistp384", "an elliptic curve key on P-384 (ECDSA)"),
    ("ecdsa-sha2-nistp521", "an elliptic curve key on P-521 (ECDSA)"),
    ("ecdsa-sha2-secp256k1", "an elliptic curve key on secp256k1 (ECDSA)"),
    ("sk-ssh-ed25519@openssh.com", "a security-key (FIDO) key (sk-ssh-ed25519), which signs more than the message"),
    ("sk-ecdsa-sha2-nistp256@openssh.com", "a security-key (FIDO) key on P-256 (sk-ecdsa)"),
    ("ssh-ed25519-cert-v01@openssh.com", "an OpenSSH certificate (of an Ed25519 key)"),
    ("ssh-rsa-cert-v01@openssh.com", "an OpenSSH certificate (of an RSA key)"),
    ("ssh-dss-cert-v01@openssh.com", "an OpenSSH certificate (of a DSA key)"),
    ("ecdsa-sha2-nistp256-cert-v01@openssh.com", "an OpenSSH certificate (of a P-256 key)"),
    ("ecdsa-sha2-nistp384-cert-v01@openssh.com", "an OpenSSH certificate (of a P-384 key)"),
    ("ecdsa-sha2-nistp521-cert-v01@openssh.com", "an OpenSSH certificate (of a P-521 key)"),
    ("sk-ssh-ed25519-cert-v01@openssh.com", "an OpenSSH certificate (of a security key)"),
    ("sk-ecdsa-sha2-nistp256-cert-v01@openssh.com", "an OpenSSH certificate (of a security key)"),
];

fn kind(name: &str) -> Option<&'static str> {
    TYPES.iter().find(|(known, _)| *known == name).map(|(_, what)| *what)
}

/// The blob that OpenSSH writes in base64 and hashes for a fingerprint: string "ssh-ed25519",
/// string key (RFC 8709 §4; a string is a 32-bit length and its bytes, RFC 4251 §5).
pub(super) fn blob(key: &[u8; 32]) -> [u8; 51] {
    let mut blob = [0; 51];
    blob[3] = 11;
    blob[4..15].copy_from_slice(ED25519.as_bytes());
    blob[18] = 32;
    blob[19..].copy_from_slice(key);
    blob
}

/// Reports whether a line of `text` starts like a key of OpenSSH, or holds one further on.
pub(super) fn looks_like(text: &str) -> bool {
    text.lines().any(|line| is_key_line(line.trim()))
}

/// Reports whether this one line does.
pub(super) fn is_key_line(line: &str) -> bool {
    let first = line.split_ascii_whitespace().next().is_some_and(|name| kind(name).is_some());
    !line.starts_with('#') && (first || has_key_behind(line))
}

/// Reports whether a type and its base64 stand behind other words: options, a host, a principal.
fn has_key_behind(line: &str) -> bool {
    let mut words = line.split_ascii_whitespace().peekable();
    while let Some(name) = words.next() {
        if kind(name).is_some() && words.peek().is_some_and(|next| next.starts_with("AAAA")) {
            return true;
        }
    }
    false
}

/// All keys of a file, in order.
pub(super) fn read(text: &str, wanted: Wanted) -> Result<Vec<Key>, Refusal> {
    let lines = text.lines().zip(1..).map(|(line, number)| (line.trim(), number));
    lines
        .filter(|(line, _)| !line.is_empty() && !line.starts_with('#'))
        .map(|(line, number)| read_line(line, wanted).map_err(|refusal| refusal.at(format!("line {number}"))))
        .collect()
}

fn read_line(line: &str, wanted: Wanted) -> Result<Key, Refusal> {
    let mut words = line.split_ascii_whitespace();
    let first = words.next().unwrap_or_default();
    match kind(first) {
        Some(_) if is_wanted(first, wanted) => {}
        Some(other) => return Err(Refusal::other_kind(other)),
        None if has_key_behind(line) => {
            return Err(Refusal::new(
                "words stand before the key type: options of authorized_keys, a host of known_hosts or a principal",
                "leave only the type and `AAAA...` on the line",
            ));
        }
        None => {
            return Err(Refusal::new("this is no OpenSSH public key line", "leave only lines of a type and `AAAA...`"));
        }
    }
    let text = words.next().unwrap_or_default().as_bytes();
    // A second key would be taken for the comment of the first, and be lost.
    if has_key_behind(&words.collect::<Vec<_>>().join(" ")) {
        return Err(damaged("two keys stand on one line"));
    }
    let blob = BASE64.decode(text).or_else(|_| BASE64_NOPAD.decode(text));
    let blob = blob.map_err(|_| damaged(format!("the base64 behind {first} cannot be read")))?;
    let (name, rest) = string(&blob).ok_or_else(|| damaged("the OpenSSH key is cut off"))?;
    if name != first.as_bytes() {
        let found = std::str::from_utf8(name).ok().and_then(kind).map_or_else(|| word(name), str::to_owned);
        return Err(damaged(format!("the line says {first}, the key inside says {found}")));
    }
    let mut rest = rest;
    let mut next = || {
        let (field, behind) = string(rest).ok_or_else(|| damaged("the OpenSSH key is cut off"))?;
        rest = behind;
        Ok(field)
    };
    let (field, key) = match first {
        ED25519 => (None, next()?),
        _ => (Some(next()?), next()?),
    };
    if !rest.is_empty() {
        return Err(damaged(format!("{} extra bytes behind the key", rest.len())));
    }
    match field {
        None => PublicKey::from_slice(key).map(Key::Ed25519),
        Some(exponent) if first == RSA => RsaKey::new(key, exponent).map(Key::Rsa),
        Some(P256_CURVE) => P256Key::new(key).map(Key::P256),
        Some(curve) => Err(damaged(format!("the line says {first}, the key inside says {}", word(curve)))),
    }
}

fn is_wanted(name: &str, wanted: Wanted) -> bool {
    match name {
        ED25519 => wanted.ed25519(),
        P256 => wanted.p256(),
        RSA => wanted.rsa(),
        _ => false,
    }
}

fn damaged(why: impl Into<String>) -> Refusal {
    Refusal::new(why, Hint::OrForms("copy the whole line again from the .pub file"))
}

/// The kind of a blob that stands alone, without its type in front.
pub(super) fn bare_blob(blob: &[u8]) -> Option<&'static str> {
    let (name, _) = string(blob)?;
    kind(std::str::from_utf8(name).ok()?)
}

/// Append a string of RFC 4251 §5: its length in 32 bits, and its bytes.
pub(super) fn put(bytes: &[u8], blob: &mut Vec<u8>) {
    blob.extend_from_slice(&(bytes.len() as u32).to_be_bytes());
    blob.extend_from_slice(bytes);
}

/// One string of RFC 4251 §5 and what follows it.
pub(crate) fn string(bytes: &[u8]) -> Option<(&[u8], &[u8])> {
    let (length, rest) = bytes.split_first_chunk::<4>()?;
    rest.split_at_checked(usize::try_from(u32::from_be_bytes(*length)).ok()?)
}
