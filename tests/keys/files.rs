//! Key files to read, and the two questions to ask of them.
//!
//! Everything is made here from one throw-away seed, except what needs OpenSSL, OpenSSH or GnuPG:
//! that is in `testdata/keys` (public ones only). No private key is committed.

use std::path::Path;

use data_encoding::{BASE64, BASE64_MIME, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use ed25519_dalek::SigningKey;
use ledger_verify::algorithm::{KeyWish, SignatureAlgorithm};
use ledger_verify::stop::{Stop, StopCode};
use ledger_verify::trust::key::{self, Key, PublicKey};

pub const SEED: [u8; 32] = *b"throw-away seed, not for any use";

pub fn signing() -> SigningKey {
    SigningKey::from_bytes(&SEED)
}

pub fn public() -> [u8; 32] {
    signing().verifying_key().to_bytes()
}

pub fn other() -> [u8; 32] {
    SigningKey::from_bytes(&[9; 32]).verifying_key().to_bytes()
}

pub fn hex(text: &str) -> Vec<u8> {
    HEXLOWER.decode(text.replace(' ', "").as_bytes()).expect("hex of a test")
}

/// A SubjectPublicKeyInfo by hand, with this in front of the key.
pub fn spki(head: &str, key: &[u8]) -> Vec<u8> {
    [hex(head), key.to_vec()].concat()
}

pub fn der(key: &[u8; 32]) -> Vec<u8> {
    spki("302a 3005 0603 2b6570 0321 00", key)
}

/// PKCS#8 of the seed (RFC 8410 section 7).
pub fn pkcs8() -> Vec<u8> {
    spki("302e 0201 00 3005 0603 2b6570 0422 0420", &SEED)
}

pub fn armour(label: &str, der: &[u8]) -> String {
    let body = BASE64_MIME.encode(der).replace("\r\n", "\n");
    format!("-----BEGIN {label}-----\n{}\n-----END {label}-----\n", body.trim_end())
}

pub fn pem(key: &[u8; 32]) -> String {
    armour("PUBLIC KEY", &der(key))
}

pub fn string(bytes: &[u8]) -> Vec<u8> {
    [&u32::try_from(bytes.len()).expect("short").to_be_bytes(), bytes].concat()
}

pub fn ssh_of(name: &str, inner: &str, key: &[u8], tail: &[u8]) -> String {
    let blob = [string(inner.as_bytes()), string(key), tail.to_vec()].concat();
    format!("{name} {} someone@example.org\n", BASE64.encode(&blob))
}

pub fn ssh(key: &[u8; 32]) -> String {
    ssh_of("ssh-ed25519", "ssh-ed25519", key, b"")
}

pub fn jwk(key: &[u8; 32], more: &str) -> String {
    format!(r#"{{"kty":"OKP","crv":"Ed25519",{more}"x":"{}"}}"#, BASE64URL_NOPAD.encode(key))
}

pub fn testdata(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata/keys").join(name);
    std::fs::read(&path).unwrap_or_else(|_| panic!("{name} is part of this project"))
}

pub fn utf16(text: &str, unit: fn(u16) -> [u8; 2]) -> Vec<u8> {
    text.encode_utf16().flat_map(unit).collect()
}

/// The Ed25519 keys of a file in any form.
pub fn read(bytes: &[u8], source: &str) -> Result<Vec<PublicKey>, Stop> {
    let keys = key::read(bytes, &KeyWish::of(SignatureAlgorithm::Ed25519), source)?;
    let ed25519 = |key| match key {
        Key::Ed25519(key) => key,
        other => panic!("{other:?} was not asked for"),
    };
    Ok(keys.into_iter().map(ed25519).collect())
}

pub fn keys(file: impl AsRef<[u8]>) -> Result<Vec<[u8; 32]>, Stop> {
    Ok(read(file.as_ref(), "key.pem")?.iter().map(|key| *key.bytes()).collect())
}

#[track_caller]
pub fn accepted(file: impl AsRef<[u8]>, wanted: &[[u8; 32]]) {
    assert_eq!(keys(file.as_ref()).as_deref(), Ok(wanted), "{}", String::from_utf8_lossy(file.as_ref()));
}

/// Refused, with these words, in one line, with advice, and without any of the secret.
#[track_caller]
pub fn refused(file: impl AsRef<[u8]>, words: &str) {
    let stop = keys(file.as_ref()).expect_err(words);
    let hint = stop.hint.clone().unwrap_or_default();
    assert_eq!(stop.code, StopCode::Key);
    assert!(stop.message.contains(words), "{} / wanted {words}", stop.message);
    assert!(stop.message.starts_with("key refused: key.pem"), "{}", stop.message);
    assert!(!stop.message.contains('\n') && !hint.is_empty() && stop.message.is_ascii(), "{stop:?}");
    let said = format!("{} {hint}", stop.message);
    for secret in [
        HEXLOWER.encode(&SEED[..6]),
        HEXUPPER.encode(&SEED[..6]),
        BASE64.encode(&SEED[..6]),
        BASE64.encode(&pkcs8()[13..25]),
    ] {
        assert!(!said.contains(&secret), "echoed: {said}");
    }
}
