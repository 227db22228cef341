//! The verdict on signatures against vectors of others: RFC 8032, speccheck and Wycheproof.
//!
//! The first two are in `testdata/suites`. Wycheproof is large and stays outside, in
//! `../shared/suites` beside the project; where it is absent its tests say so and pass.

use std::cell::RefCell;
use std::path::Path;
use std::rc::Rc;

use data_encoding::HEXLOWER;
use ed25519_dalek::VerifyingKey;
use ledger_verify::algorithm::{KeyWish, SignatureAlgorithm};
use ledger_verify::check::ed25519::{Choice, Claim, Engine, FixedKey, verify};
use ledger_verify::stop::Stop;
use ledger_verify::trust::key::{self, Key, PublicKey};
use serde_json::Value;

fn vectors(path: &str) -> Option<Value> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    match std::fs::read(&path) {
        Ok(bytes) => Some(serde_json::from_slice(&bytes).expect("vectors are JSON")),
        Err(_) => {
            println!("skipped: {} is not there", path.display());
            None
        }
    }
}

fn own_vectors(path: &str) -> Vec<Value> {
    let Some(Value::Array(list)) = vectors(path) else { panic!("{path} is part of this project") };
    list
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value[name].as_str().unwrap_or_else(|| panic!("no text {name}"))
}

fn bytes(value: &Value, name: &str) -> Vec<u8> {
    HEXLOWER.decode(text(value, name).as_bytes()).expect("hex")
}

fn read(file: &[u8]) -> Result<Vec<PublicKey>, Stop> {
    let keys = key::read(file, &KeyWish::of(SignatureAlgorithm::Ed25519), "key")?;
    let ed25519 = |key| match key {
        Key::Ed25519(key) => key,
        other => panic!("{other:?} was not asked for"),
    };
    Ok(keys.into_iter().map(ed25519).collect())
}

fn one(file: &[u8]) -> PublicKey {
    let keys = read(file).expect("a key");
    assert_eq!(keys.len(), 1);
    keys.into_iter().next().expect("one key")
}

/// A signature of another length never holds; that is the caller's rule.
fn holds(key: &PublicKey, message: &[u8], signature: &[u8]) -> bool {
    signature.try_into().is_ok_and(|signature| by_all(key.verifying(), message, signature))
}

/// The verdict of `verify_strict`, which is that of every engine.
fn by_all(key: &VerifyingKey, message: &[u8], signature: &[u8; 64]) -> bool {
    let verdict = verify(key, message, signature);
    thread_local!(static LAST: RefCell<Option<Rc<FixedKey>>> = const { RefCell::new(None) });
    let last = LAST.with_borrow(|last| last.clone().filter(|last| last.verifying() == key));
    let fixed = last.unwrap_or_else(|| Rc::new(FixedKey::new(*key).expect("the same point")));
    LAST.set(Some(Rc::clone(&fixed)));
    for engine in [Choice::Portable, Choice::Ifma].into_iter().filter_map(Engine::of) {
        // In a full vector and a bit, so that each lane has it.
        let mut verdicts = Vec::new();
        engine.judge(&fixed, &[Claim { message, signature }; 9], &mut verdicts);
        assert_eq!(verdicts, [verdict; 9], "{}", engine.name());
    }
    verdict
}

#[test]
fn rfc_8032_vectors_hold_and_the_prehashed_one_does_not() {
    let cases = own_vectors("testdata/suites/rfc8032/ed25519_rfc8032.json");
    assert_eq!(cases.len(), 7);
    for case in &cases {
        let key = one(text(case, "public_key").as_bytes());
        let verdict = holds(&key, &bytes(case, "message"), &bytes(case, "signature"));
        assert_eq!(Some(verdict), case["valid"].as_bool(), "{}", text(case, "name"));
    }
}

/// The row "Dalek strict" of the table in the README of ed25519-speccheck.
#[test]
fn speccheck_accepts_case_3_only() {
    let cases = own_vectors("testdata/suites/ed25519-speccheck/cases.json");
    let accepted: Vec<usize> = cases
        .iter()
        .enumerate()
        .filter(|(_, case)| {
            let key = read(text(case, "pub_key").as_bytes());
            let signature = bytes(case, "signature");
            key.is_ok_and(|keys| holds(&keys[0], &bytes(case, "message"), &signature))
        })
        .map(|(number, _)| number)
        .collect();
    assert_eq!((cases.len(), accepted), (12, vec![3]));
}

/// The same without the check of keys before: verify alone gives the same verdict.
#[test]
fn speccheck_accepts_case_3_only_without_the_key_check() {
    let accepted: Vec<usize> = own_vectors("testdata/suites/ed25519-speccheck/cases.json")
        .iter()
        .enumerate()
        .filter(|(_, case)| {
            let key: [u8; 32] = bytes(case, "pub_key").try_into().expect("32 bytes");
            let signature: [u8; 64] = bytes(case, "signature").try_into().expect("64 bytes");
            VerifyingKey::from_bytes(&key).is_ok_and(|key| by_all(&key, &bytes(case, "message"), &signature))
        })
        .map(|(number, _)| number)
        .collect();
    assert_eq!(accepted, [3]);
}

#[test]
fn wycheproof_ed25519() {
    let Some(suite) = vectors("../shared/suites/wycheproof/testvectors_v1/ed25519_test.json") else { return };
    let mut seen = 0;
    for group in suite["testGroups"].as_array().expect("groups") {
        let key = one(text(&group["publicKey"], "pk").as_bytes());
        assert_eq!(one(&bytes(group, "publicKeyDer")), key);
        assert_eq!(one(text(group, "publicKeyPem").as_bytes()), key);
        assert_eq!(one(group["publicKeyJwk"].to_string().as_bytes()), key);
        for test in group["tests"].as_array().expect("tests") {
            let verdict = holds(&key, &bytes(test, "msg"), &bytes(test, "sig"));
            assert_eq!(verdict, text(test, "result") == "valid", "tcId {}", test["tcId"]);
            seen += 1;
        }
    }
    assert_eq!(seen, 151);
}

#[test]
fn wycheproof_x25519_keys_are_named_as_such() {
    let Some(suite) = vectors("../shared/suites/wycheproof/testvectors_v1/x25519_pem_test.json") else { return };
    let mut seen = 0;
    for group in suite["testGroups"].as_array().expect("groups") {
        for test in group["tests"].as_array().expect("tests") {
            let public = read(text(test, "public").as_bytes()).expect_err("X25519").message;
            assert!(public.contains("X25519"), "tcId {}: {public}", test["tcId"]);
            let private = read(text(test, "private").as_bytes()).expect_err("private").message;
            assert!(private.contains("PRIVATE KEY"), "tcId {}: {private}", test["tcId"]);
            seen += 1;
        }
    }
    assert_eq!(seen, 518);
}
