//! Key files of all kinds: each form gives the same key, and what could vouch for nothing is refused.

use std::path::PathBuf;

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use ledger_verify::algorithm::{KeyFormat, KeyWish, SignatureAlgorithm};
use ledger_verify::digest::{DigestAlgorithm, Hkdf, Secret};
use ledger_verify::encoding::Encoding;
use ledger_verify::trust::key::{Key, LARGEST, read};

use crate::{hex, key, refused, testdata};

const ED25519: SignatureAlgorithm = SignatureAlgorithm::Ed25519;
const ES256: SignatureAlgorithm = SignatureAlgorithm::Es256;
const RS256: SignatureAlgorithm = SignatureAlgorithm::Rs256;
const ML_DSA_65: SignatureAlgorithm = SignatureAlgorithm::MlDsa65;
const SSHSIG: SignatureAlgorithm = SignatureAlgorithm::Sshsig;
const MAC: SignatureAlgorithm = SignatureAlgorithm::HmacSha256;

fn as_said(format: KeyFormat) -> KeyWish {
    KeyWish { format: Some(format), ..KeyWish::of(MAC) }
}

fn json(path: &str, encoding: Encoding) -> KeyFormat {
    KeyFormat::Json { path: path.split('.').map(str::to_owned).collect(), encoding }
}

/// A PKCS#1 key of these numbers.
fn pkcs1(modulus: &[u8], exponent: &[u8]) -> Vec<u8> {
    let element = |tag: u8, bytes: &[u8]| {
        let length = u16::try_from(bytes.len()).expect("short").to_be_bytes();
        match length {
            [0, low @ 0..=127] => [&[tag, low], bytes].concat(),
            [0, low] => [&[tag, 0x81, low], bytes].concat(),
            [high, low] => [&[tag, 0x82, high, low], bytes].concat(),
        }
    };
    let number = |bytes: &[u8]| {
        let sign = if bytes[0] >= 0x80 { [0].as_slice() } else { &[] };
        element(2, &[sign, bytes].concat())
    };
    element(0x30, &[number(modulus), number(exponent)].concat())
}

/// The modulus of the key in testdata.
fn modulus() -> Vec<u8> {
    testdata("keys/rsa.pkcs1.der")[9..265].to_vec()
}

#[test]
fn every_form_of_a_p256_key() {
    let file = testdata("keys/p256.pub");
    let public = key(ES256, &file);
    assert_eq!(public.fingerprint(), "SHA256:lyGnPchXCUnJEpME6QYWzMzL9NVuaAnd5/EmnlXTUkw", "as ssh-keygen -lf says");
    let point = public.bare().expect("a point");
    let (x, y) = (&point[1..33], &point[33..]);
    let compressed = [&[2 + (y[31] & 1)], x].concat();
    let [x, y] = [x, y].map(|half| BASE64URL_NOPAD.encode(half));
    let jwk = format!(r#"{{"kty":"EC","crv":"P-256","alg":"ES256","x":"{x}","y":"{y}"}}"#);
    for bytes in [&point, &compressed] {
        assert_eq!(key(ES256, bytes), public);
        for text in [HEXLOWER.encode(bytes), BASE64.encode(bytes), BASE64URL_NOPAD.encode(bytes)] {
            assert_eq!(key(ES256, format!("{text}\n")), public);
        }
    }
    assert_eq!(key(ES256, &jwk), public);
    assert_eq!(key(SSHSIG, &file), public);
    assert_eq!(key(ES256, testdata("keys/ec.prime256v1.spki.pem")).bare().map(|point| point.len()), Some(65));
    for (file, words) in [
        (HEXLOWER.encode(&[&[5], &point[1..]].concat()), "not the encoding of a point"),
        (HEXLOWER.encode(&[&[6], &point[1..]].concat()), "not the encoding of a point"),
        (HEXLOWER.encode(&[&point[..64], &[point[64] ^ 1]].concat()), "not a point on the curve"),
        (HEXLOWER.encode(&[&[4], [0; 64].as_slice()].concat()), "not a point on the curve"),
        (HEXLOWER.encode(&[0xff; 32]), "wrong length: hex digits of 32 bytes, a P-256 key has 65 or 33"),
        ("00".into(), "wrong length"),
        (jwk.replace("ES256", "ES384"), "member `alg`"),
        (jwk.replace(&y, &y[..40]), "have not 32 bytes each"),
        (jwk.replace("\"alg\"", "\"d\":\"AA\",\"alg\""), "PRIVATE KEY handed over"),
    ] {
        let said = refused(&KeyWish::of(ES256), file);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn every_form_of_an_rsa_key() {
    let public = key(RS256, testdata("keys/rsa.pub"));
    assert_eq!(public.fingerprint(), "SHA256:4L37be0dN+EnGYTH+aanjPxD2nEYcdOT8wD8p6voVKY", "as ssh-keygen -lf says");
    let der = testdata("keys/rsa.pkcs1.der");
    assert_eq!(public.bare().as_ref(), Some(&der));
    for file in ["keys/rsa.spki.pem", "keys/rsa.pkcs1.pem", "keys/rsa.pkcs1.der"] {
        assert_eq!(key(RS256, testdata(file)), public, "{file}");
        assert_eq!(key(SSHSIG, testdata(file)), public, "{file}");
    }
    assert_eq!(key(RS256, BASE64.encode(&der)), public);
    assert_eq!(key(RS256, HEXLOWER.encode(&der)), public);
    let n = BASE64URL_NOPAD.encode(&modulus());
    assert_eq!(key(RS256, format!(r#"{{"kty":"RSA","n":"{n}","e":"AQAB"}}"#)), public);
    assert_eq!(key(RS256, pkcs1(&modulus(), &[1, 0, 1])), public);
    // SPKI by hand: with the NULL that RFC 3279 asks for, without it, and of RSASSA-PSS.
    let spki = |lengths: [u8; 2], algorithm: &str| {
        let head = [&[0x30, 0x82, 0x01, lengths[0], 0x30, lengths[1]], hex(algorithm).as_slice()].concat();
        [&head[..], &hex("0382010f00"), &der].concat()
    };
    assert_eq!(key(RS256, spki([0x22, 13], "06092a864886f70d0101010500")), public);
    let said = refused(&KeyWish::of(RS256), spki([0x20, 11], "06092a864886f70d010101"));
    assert!(said.contains("has not the NULL parameters"), "{said}");
    let said = refused(&KeyWish::of(RS256), spki([0x20, 11], "06092a864886f70d01010a"));
    assert!(said.contains("an RSA key (RSASSA-PSS), not an RSA public key"), "{said}");
}

#[test]
fn weak_rsa_keys() {
    let good = modulus();
    assert_ne!(key(RS256, pkcs1(&good, &[3])), key(RS256, pkcs1(&good, &[1, 0, 1])));
    let with = |last: u8| [&good[..255], &[last]].concat();
    let sum: u32 = good.iter().map(|byte| u32::from(*byte)).sum();
    // 256 is 1 modulo 3: the number is a multiple of three if the sum of its bytes is.
    let three = with(
        (0..=255)
            .rev()
            .find(|last| last % 2 == 1 && (sum - u32::from(good[255]) + u32::from(*last)).is_multiple_of(3))
            .expect("one in three"),
    );
    for (file, words) in [
        (pkcs1(&good, &[1]), "exponent is 1 or even"),
        (pkcs1(&good, &[2]), "exponent is 1 or even"),
        (pkcs1(&good, &[1, 0, 0]), "exponent is 1 or even"),
        (pkcs1(&good, &[2, 0, 0, 0, 1]), "larger than 2^33 - 1"),
        (pkcs1(&good, &good), "larger than 2^33 - 1"),
        (pkcs1(&good[..128], &[1, 0, 1]), "weak key: an RSA modulus of 1024 bits"),
        (pkcs1(&[&[0x7f], &good[1..]].concat(), &[3]), "weak key: an RSA modulus of 2047 bits"),
        (pkcs1(&[0xff; 1025], &[3]), "at most 8192"),
        (pkcs1(&with(good[255] - 1), &[3]), "multiple of a small number"),
        (pkcs1(&three, &[3]), "multiple of a small number"),
        ([pkcs1(&good, &[3]), vec![0]].concat(), "extra bytes"),
    ] {
        let said = refused(&KeyWish::of(RS256), file);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn every_form_of_an_ml_dsa_key() {
    let bytes: Vec<u8> = (0..1952u32).map(|at| (at * 7 + 1) as u8).collect();
    let public = key(ML_DSA_65, HEXLOWER.encode(&bytes));
    let der = [hex("308207b2300b0609608648016503040312038207a100"), bytes.clone()].concat();
    let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64.encode(&der));
    let jwk = format!(r#"{{"kty":"AKP","alg":"ML-DSA-65","pub":"{}"}}"#, BASE64URL_NOPAD.encode(&bytes));
    for file in [bytes.clone(), BASE64.encode(&bytes).into(), der.clone(), pem.into(), jwk.clone().into()] {
        assert_eq!(key(ML_DSA_65, file), public);
    }
    let digest = DigestAlgorithm::Sha256.digest(&der, None).expect("a digest");
    let digest = data_encoding::BASE64_NOPAD.encode(digest.bytes());
    assert_eq!(public.fingerprint(), format!("SHA256:{digest}"), "of the SubjectPublicKeyInfo");
    for (file, words) in [
        ([&[7; 32][..], &[0; 1920]].concat(), "weak key: all of its t1 is zero"),
        (bytes[..1951].to_vec(), "wrong length: 1951 bytes"),
        (jwk.replace("ML-DSA-65", "ML-DSA-87").into(), "post-quantum algorithm, not an ML-DSA-65 public key"),
    ] {
        let said = refused(&KeyWish::of(ML_DSA_65), file);
        assert!(said.contains(words), "{said}");
    }
}

#[test]
fn a_key_of_another_kind_is_named() {
    let ed25519 = ["keys/ed25519.spki.pem", "keys/ed25519.spki.der", "keys/ed25519.pub"];
    for (algorithm, files, words) in [
        (ES256, &ed25519[..2], "an Ed25519 key, not a P-256 public key"),
        (RS256, &ed25519, "an Ed25519 key, not an RSA public key"),
        (ML_DSA_65, &ed25519, "an Ed25519 key, not an ML-DSA-65 public key"),
        (ED25519, &["keys/rsa.pkcs1.pem", "keys/rsa.pkcs1.der"], "an RSA key (PKCS#1), not an Ed25519 public key"),
        (ES256, &["keys/ec.secp384r1.spki.pem", "keys/p384.pub"], "P-384 (ECDSA), not a P-256 public key"),
        (SSHSIG, &["keys/dsa.spki.pem", "keys/x25519.spki.pem"], "not an SSH public key"),
        (RS256, &["keys/ed25519.cert.pem", "keys/ed25519.cert.der"], "an X.509 certificate"),
    ] {
        for file in files {
            let said = refused(&KeyWish::of(algorithm), testdata(file));
            assert!(said.contains(words), "{file}: {said}");
        }
    }
    assert!(refused(&KeyWish::of(RS256), testdata("keys/p256.pub")).contains("ask for the RSA key"));
}

/// The format of a profile is how its author had the key; an auditor may have the same key otherwise.
#[test]
fn a_public_key_is_taken_in_any_form_whatever_the_profile_says() {
    let public = key(ED25519, testdata("keys/ed25519.pub"));
    let raw = public.bare().expect("32 bytes");
    let files = [
        testdata("keys/ed25519.pub"),
        raw.clone(),
        HEXLOWER.encode(&raw).into_bytes(),
        format!(r#"{{"kty":"OKP","crv":"Ed25519","x":"{}"}}"#, BASE64URL_NOPAD.encode(&raw)).into_bytes(),
    ];
    for format in [
        KeyFormat::Hex,
        KeyFormat::Base64,
        KeyFormat::Base64url,
        KeyFormat::Raw,
        KeyFormat::Text,
        KeyFormat::SpkiPem,
        KeyFormat::Openssh,
        json("key.public", Encoding::Hex),
    ] {
        let wish = KeyWish { format: Some(format), ..KeyWish::default() };
        for file in &files {
            assert_eq!(read(file, &wish, "key").expect("a key"), std::slice::from_ref(&public), "{wish:?}");
        }
    }
    let wish = KeyWish { format: Some(json("key.public", Encoding::Hex)), ..KeyWish::default() };
    let file = format!(r#"{{"key":{{"public":"{}","id":7}}}}"#, HEXLOWER.encode(&raw));
    assert_eq!(read(file.as_bytes(), &wish, "key").expect("a key"), [public]);
    assert!(refused(&wish, file.replace("public\":\"", "public\":\"00")).contains("the member holds 33 bytes"));
    assert!(refused(&wish, r#"{"key":{"public":"xyz"}}"#).contains("not hexadecimal digits"));
}

#[test]
fn a_secret_is_read_exactly_as_the_profile_says() {
    let secret = |bytes: &[u8]| Key::Secret(Secret::new(bytes).expect("a secret"));
    let one = |wish: &KeyWish, file: &[u8]| read(file, wish, "key").expect("a secret").remove(0);
    for (wish, file, bytes) in [
        (KeyWish::of(MAC), b"pass word\n".as_slice(), b"pass word\n".as_slice()),
        (as_said(KeyFormat::Raw), b"\xef\xbb\xbf \xff", b"\xef\xbb\xbf \xff"),
        (as_said(KeyFormat::Raw), b"00ff", b"00ff"),
        (as_said(KeyFormat::Text), b" \tpass word\r\n", b"pass word"),
        (as_said(KeyFormat::Text), "\u{a0}pass\u{2003}".as_bytes(), b"pass"),
        (as_said(KeyFormat::Text), b"\xff\n", b"\xff"),
        (as_said(KeyFormat::Hex), b"00Ff\n", b"\x00\xff"),
        (as_said(KeyFormat::Base64), b"AP8=\n", b"\x00\xff"),
        (as_said(KeyFormat::Base64), b"AP8", b"\x00\xff"),
        (as_said(KeyFormat::Base64url), b"-_8", b"\xfb\xff"),
        (as_said(json("mac.0", Encoding::Base64url)), br#"{"mac":["-_8"]}"#, b"\xfb\xff"),
    ] {
        assert_eq!(one(&wish, file), secret(bytes), "{wish:?}");
    }
    let hkdf = Hkdf::new(DigestAlgorithm::Sha256, b"", 42).expect("a derivation");
    let wish = KeyWish { hkdf: Some(hkdf), ..as_said(KeyFormat::Hex) };
    let okm = "8da4e775a563c18f715f802a063c5a31b8a11f5c5ee1879ec3454e5f3c738d2d9d201395faa4b61a96c8";
    assert_eq!(one(&wish, "0b".repeat(22).as_bytes()), secret(&hex(okm)), "RFC 5869 A.3");
}

#[test]
fn what_is_no_secret_is_refused_and_no_secret_is_shown() {
    let private = "-----BEGIN PRIVATE KEY-----\nMC4CAQ\n-----END PRIVATE KEY-----\n";
    for (wish, file, words) in [
        (KeyWish::of(MAC), b"".to_vec(), "the secret is empty"),
        (as_said(KeyFormat::Text), b" \n".to_vec(), "the secret is empty"),
        (as_said(KeyFormat::Hex), b"hunter2".to_vec(), "not hexadecimal digits"),
        (as_said(KeyFormat::Base64), b"hunter2!".to_vec(), "not base64"),
        (as_said(json("mac", Encoding::Hex)), b"hunter2".to_vec(), "not JSON with a text"),
        (as_said(KeyFormat::SpkiPem), b"hunter2".to_vec(), "one of public keys"),
        (KeyWish::of(MAC), private.into(), "PRIVATE KEY handed over"),
        (KeyWish::of(MAC), testdata("keys/ed25519.spki.pem"), "not a shared secret"),
        (KeyWish::of(MAC), testdata("keys/rsa.pub"), "not a shared secret"),
        (KeyWish::of(MAC), vec![b'x'; LARGEST + 1], "too large"),
    ] {
        let said = refused(&wish, &file);
        assert!(said.contains(words), "{said}");
        assert!(!said.contains("hunter2"), "{said}");
    }
    let keys = ["hunter2", "hunter3", "0123456789abcdef"].map(|text| key(MAC, text));
    assert_eq!(keys[0].fingerprint(), keys[1].fingerprint(), "nothing to try words against");
    assert_eq!(keys[2].fingerprint(), "a shared secret of 16 bytes");
    assert_eq!(keys[0].bare(), None);
    assert_eq!(format!("{:?}", keys[0]), "Secret(Secret(..))");
}

/// The public keys of real systems, where they are beside the project: each form that stands there.
#[test]
fn keys_of_other_systems() {
    let corpus = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../shared/formats/wild/corpus");
    let Ok(list) = std::fs::read_dir(&corpus) else { return println!("skipped: {} is not there", corpus.display()) };
    let mut seen = 0;
    for folder in list.map(|entry| entry.expect("entry").path()) {
        let algorithm = match folder.file_name().and_then(|name| name.to_str()) {
            Some("aat-mcp") => ES256,
            Some("aws-cloudtrail-digest") => RS256,
            _ => ED25519,
        };
        let files = std::fs::read_dir(&folder).expect("a folder").map(|entry| entry.expect("entry").path());
        let public = files.filter(|path| path.file_name().is_some_and(|n| n.to_string_lossy().starts_with("key.pub")));
        let mut keys: Vec<Key> = public.map(|path| key(algorithm, std::fs::read(path).expect("a file"))).collect();
        seen += keys.len();
        keys.dedup();
        assert!(keys.len() < 2, "{}", folder.display());
    }
    assert!(seen > 25, "{seen}");
}
