//! Published vectors: RFC 6979, and Wycheproof, whose signatures are made to fool.

use std::sync::LazyLock;

use ledger_verify::algorithm::{KeyWish, Scheme, SignatureAlgorithm};
use ledger_verify::check::algorithm::verify;
use ledger_verify::digest::{DigestAlgorithm, Hkdf, Secret};
use ledger_verify::trust::key::{Key, read};
use proptest::prelude::*;
use wycheproof::TestResult;

use crate::{hex, key, testdata};

const LOOSE: Scheme = Scheme::Es256 { low_s: false };
const LOW_S: Scheme = Scheme::Es256 { low_s: true };

/// The order of the group (SP 800-186 §3.2.1.3).
const ORDER: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";

/// The key of RFC 6979 A.2.5.
fn rfc_6979() -> Key {
    let point = "0460fed4ba255a9d31c961eb74c6356d68c049b8923b61fa6ce669622e60f29fb6\
                 7903fe1008b8bc99a41ae9e95628bc64f2f1b20c2d7e9f5177a3c294d4462299";
    key(SignatureAlgorithm::Es256, point)
}

#[test]
fn es256_of_rfc_6979_and_its_twin() {
    let key = rfc_6979();
    let r = "efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716";
    let high = "f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8";
    // The order less `high`.
    let low = "0834e36ad29a83bf2bc9385e491d6099c8fdf9d1ed67aa7ea5f51f93782857a9";
    let holds = |scheme: &Scheme, s: &str| verify(scheme, &key, b"sample", &hex(&format!("{r}{s}")));
    assert!(holds(&LOOSE, high) && holds(&LOOSE, low));
    assert!(holds(&LOW_S, low) && !holds(&LOW_S, high), "one of the two where low S is asked for");
    let test = "f1abb023518351cd71d881567b1ea663ed3efcf6c5132b354f28d3b0b7d38367\
                019f4113742a2b14bd25926b49c649155f267e60d3814b4c0cc84250e46f0083";
    assert!(verify(&LOW_S, &key, b"test", &hex(test)));
    assert!(!verify(&LOW_S, &key, b"text", &hex(test)));
}

#[test]
fn es256_out_of_range_or_length_never_holds() {
    let key = rfc_6979();
    let zero = "0".repeat(64);
    let one = format!("{}1", "0".repeat(63));
    for (r, s) in [(&zero, &one), (&one, &zero), (&zero, &zero), (&ORDER.into(), &one), (&one, &ORDER.into())] {
        assert!(!verify(&LOOSE, &key, b"sample", &hex(&format!("{r}{s}"))), "{r} {s}");
    }
    let good = hex("efd48b2aacb6a8fd1140dd9cd45e81d69d2c877b56aaf991c34d0ea84eaf3716\
                    f7cb1c942d657c41d436c7a1b6e29f65f3e900dbb9aff4064dc4ab2f843acda8");
    assert!(verify(&LOOSE, &key, b"sample", &good));
    for wrong in [&good[..63], &[&good[..], &[0]].concat(), &[], &[&[0], &good[..]].concat()] {
        assert!(!verify(&LOOSE, &key, b"sample", wrong));
    }
}

#[test]
fn wycheproof_es256() {
    use wycheproof::ecdsa::{TestName, TestSet};
    let set = TestSet::load(TestName::EcdsaSecp256r1Sha256P1363).expect("vectors");
    let (mut valid, mut invalid) = (0, 0);
    for group in set.test_groups {
        let public = key(SignatureAlgorithm::Es256, &group.der);
        assert_eq!(key(SignatureAlgorithm::Es256, &group.pem), public);
        assert_eq!(key(SignatureAlgorithm::Es256, &group.key.key), public);
        for test in group.tests {
            let holds = verify(&LOOSE, &public, &test.msg, &test.sig);
            assert_eq!(holds, test.result == TestResult::Valid, "{}: {}", test.tc_id, test.comment);
            *(if holds { &mut valid } else { &mut invalid }) += 1;
        }
    }
    assert!(valid > 100 && invalid > 50, "{valid} {invalid}");
}

#[test]
fn wycheproof_rs256() {
    use wycheproof::rsa_pkcs1_verify::{TestName, TestSet};
    let (mut valid, mut invalid) = (0, 0);
    for name in [TestName::Rsa2048Sha256, TestName::Rsa3072Sha256, TestName::Rsa4096Sha256, TestName::Rsa8192Sha256] {
        for group in TestSet::load(name).expect("vectors").test_groups {
            let public = key(SignatureAlgorithm::Rs256, &group.der);
            assert_eq!(key(SignatureAlgorithm::Rs256, &group.pem), public);
            assert_eq!(key(SignatureAlgorithm::Rs256, &group.asn_key), public);
            for test in group.tests {
                let holds = verify(&Scheme::Rs256, &public, &test.msg, &test.sig);
                // "Acceptable" are those without the NULL of the digest's algorithm: RFC 8017 wants it.
                assert_eq!(holds, test.result == TestResult::Valid, "{}: {}", test.tc_id, test.comment);
                *(if holds { &mut valid } else { &mut invalid }) += 1;
            }
        }
    }
    assert!(valid > 30 && invalid > 500, "{valid} {invalid}");
}

#[test]
fn wycheproof_ml_dsa_65() {
    use wycheproof::mldsa_verify::{TestFlag, TestName, TestSet};
    let (mut valid, mut invalid, mut no_key) = (0, 0, 0);
    for group in TestSet::load(TestName::MlDsa65Verify).expect("vectors").test_groups {
        let flagged = |flag| group.tests.iter().any(|test| test.flags.contains(&flag));
        let wish = KeyWish::of(SignatureAlgorithm::MlDsa65);
        let Ok(keys) = read(&group.pubkey, &wish, "key") else {
            assert!(flagged(TestFlag::IncorrectPublicKeyLength) || flagged(TestFlag::ZeroPublicKey));
            no_key += 1;
            continue;
        };
        assert_eq!(keys, [key(SignatureAlgorithm::MlDsa65, &group.der)]);
        for test in group.tests.iter().filter(|test| test.ctx.as_ref().is_none_or(|context| context.is_empty())) {
            let holds = verify(&Scheme::MlDsa65, &keys[0], &test.msg, &test.sig);
            assert_eq!(holds, test.result == TestResult::Valid, "{}: {}", test.tc_id, test.comment);
            *(if holds { &mut valid } else { &mut invalid }) += 1;
        }
    }
    assert!(valid > 20 && invalid > 10 && no_key > 0, "{valid} {invalid} {no_key}");
}

#[test]
fn wycheproof_hmac_and_hkdf() {
    let mut seen = 0;
    for group in wycheproof::mac::TestSet::load(wycheproof::mac::TestName::HmacSha256).expect("vectors").test_groups {
        for test in group.tests {
            let secret = Secret::new(&test.key).expect("a secret");
            let holds = verify(&Scheme::HmacSha256, &Key::Secret(secret), &test.msg, &test.tag);
            // A MAC that is cut is a weaker one, and never taken.
            let right = test.result == TestResult::Valid && test.tag.len() == 32;
            assert_eq!(holds, right, "{}: {}", test.tc_id, test.comment);
            seen += 1;
        }
    }
    for group in wycheproof::hkdf::TestSet::load(wycheproof::hkdf::TestName::HkdfSha256).expect("vectors").test_groups {
        for test in group.tests.iter().filter(|test| test.salt.is_empty()) {
            let derived = Hkdf::new(DigestAlgorithm::Sha256, &test.info, test.size)
                .ok()
                .and_then(|hkdf| hkdf.derive(&Secret::new(&test.ikm)?));
            assert_eq!(derived, Secret::new(&test.okm), "{}: {}", test.tc_id, test.comment);
            seen += 1;
        }
    }
    assert!(seen > 180, "{seen}");
}

/// Keys of every kind, and a scheme for each.
fn every_kind() -> Vec<(Scheme, Key)> {
    let ml_dsa = wycheproof::mldsa_verify::TestSet::load(wycheproof::mldsa_verify::TestName::MlDsa65Verify);
    let ml_dsa = &ml_dsa.expect("vectors").test_groups[0].pubkey;
    vec![
        (Scheme::Ed25519, key(SignatureAlgorithm::Ed25519, testdata("keys/ed25519.pub"))),
        (LOOSE, rfc_6979()),
        (Scheme::Rs256, key(SignatureAlgorithm::Rs256, testdata("keys/rsa.pub"))),
        (Scheme::HmacSha256, Key::Secret(Secret::new(b"secret").expect("a secret"))),
        (crate::namespace("ledger"), key(SignatureAlgorithm::Sshsig, testdata("sshsig/ed25519.pub"))),
        (Scheme::MlDsa65, key(SignatureAlgorithm::MlDsa65, ml_dsa)),
    ]
}

/// A public key that stands in the place of a secret is the classic confusion (RFC 8725 §2.1).
#[test]
fn a_key_of_another_kind_verifies_nothing() {
    let kinds = every_kind();
    let Key::Secret(secret) = &kinds[3].1 else { panic!("a secret") };
    let mac = secret.mac(b"text");
    for (scheme, _) in &kinds {
        for (other, key) in &kinds {
            assert_eq!(verify(scheme, key, b"text", mac.bytes()), scheme == other && *scheme == Scheme::HmacSha256);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn no_bytes_are_a_signature_or_a_panic(message: Vec<u8>, bytes in prop::collection::vec(any::<u8>(), 3309)) {
        static KINDS: LazyLock<Vec<(Scheme, Key)>> = LazyLock::new(every_kind);
        for (scheme, key) in KINDS.iter() {
            for length in [0, 1, 20, 31, 32, 33, 63, 64, 65, 72, 255, 256, 257, 1024, 3308, 3309] {
                prop_assert!(!verify(scheme, key, &message, &bytes[..length]));
            }
        }
    }
}
