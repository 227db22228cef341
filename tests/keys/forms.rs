//! What is accepted: every form gives the same key.

use std::path::Path;

use data_encoding::{BASE64, BASE64_NOPAD, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};

use crate::files::*;

#[test]
fn every_form_gives_the_same_key() {
    let key = public();
    accepted(pem(&key), &[key]);
    accepted(der(&key), &[key]);
    accepted(ssh(&key), &[key]);
    accepted(jwk(&key, ""), &[key]);
    accepted(key, &[key]);
    for text in [
        HEXLOWER.encode(&key),
        HEXUPPER.encode(&key),
        BASE64.encode(&key),
        BASE64_NOPAD.encode(&key),
        BASE64URL_NOPAD.encode(&key),
    ] {
        accepted(&text, &[key]);
        accepted(format!("\n \t{text}\r\n\n"), &[key]);
        accepted(format!("\u{feff}{text}\n"), &[key]);
    }
}

#[test]
fn pem_with_text_and_several_blocks() {
    let (key, two) = (public(), [other(), public()]);
    accepted(format!("\u{feff}{}", pem(&key)), &[key]);
    accepted(pem(&key).replace('\n', "\r\n"), &[key]);
    accepted(pem(&key).replace('\n', "\r"), &[key]);
    accepted(pem(&key).trim_end(), &[key]);
    accepted(pem(&key).replace("-----\n", "-----  \n\n"), &[key]);
    accepted(format!("{}{}", pem(&two[0]), pem(&two[1])), &two);
    accepted(format!("first\n{}second: \n\n{}the end", pem(&two[0]), pem(&two[1])), &two);
    accepted([b"caf\xe9\n", pem(&key).as_bytes()].concat(), &[key]);
    assert_eq!(keys(testdata("ed25519.text.pem")), keys(testdata("ed25519.spki.der")));
    assert_eq!(keys(testdata("ed25519.spki.pem")), keys(testdata("ed25519.spki.der")));
}

#[test]
fn openssh_and_jwk_with_several_keys() {
    let (key, two) = (public(), [other(), public()]);
    accepted(format!("# keys of acme\r\n\r\n{}\n  {}", ssh(&two[0]), ssh(&two[1])), &two);
    accepted(ssh(&key).trim_end_matches(" someone@example.org\n"), &[key]);
    accepted(format!(r#"{{"keys":[{},{}]}}"#, jwk(&two[0], ""), jwk(&two[1], "")), &two);
    accepted(jwk(&key, r#""kid":"none","use":"sig","key_ops":["verify"],"alg":"EdDSA","#), &[key]);
    accepted(format!(" \n{}\n", jwk(&key, r#""alg":"Ed25519","#)), &[key]);
}

#[test]
fn the_fingerprint_is_that_of_ssh_keygen() {
    let printed = String::from_utf8(testdata("ed25519.fingerprint.txt")).expect("text");
    let key = read(&testdata("ed25519.pub"), "ed25519.pub").expect("a key").remove(0);
    assert_eq!(printed.split(' ').nth(1), Some(key.fingerprint().as_str()));
    assert_eq!(format!("{key:?}"), format!("PublicKey({})", key.fingerprint()));
    assert_eq!(key.verifying().as_bytes(), key.bytes());
}

/// The cases of the project's test bed, where it is beside the project: what must be said.
#[test]
fn shared_cases() {
    let cases = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/cases");
    let Ok(list) = std::fs::read_dir(&cases) else { return println!("skipped: {} is not there", cases.display()) };
    let mut seen = 0;
    for case in list.map(|entry| entry.expect("entry").path()) {
        let Ok(file) = std::fs::read(case.join("pk.pem")) else { continue };
        let expected: serde_json::Value =
            serde_json::from_slice(&std::fs::read(case.join("expect.json")).expect("expect.json")).expect("JSON");
        let about_keys = case.file_name().is_some_and(|name| name.to_string_lossy().starts_with("key_"));
        match (read(&file, "pk.pem"), expected["stop"].as_array().filter(|_| about_keys)) {
            (Err(stop), Some(words)) => {
                let said = format!("{} {}", stop.message, stop.hint.unwrap_or_default());
                let fits = words
                    .iter()
                    .filter_map(|word| word.as_str())
                    .any(|word| said.to_lowercase().contains(&word.to_lowercase()));
                assert!(fits, "{}: {said}", case.display());
            }
            (result, words) => assert!(result.is_ok() && words.is_none(), "{}: {result:?}", case.display()),
        }
        seen += 1;
    }
    assert!(seen > 20);
}

/// Keys whose text starts like another form, found by search: seed numbers, not luck of the day.
#[test]
fn a_base64_key_that_starts_like_a_hex_prefix() {
    let key = (0u32..)
        .map(|number| {
            let mut seed = [0; 32];
            seed[..4].copy_from_slice(&number.to_le_bytes());
            ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key().to_bytes()
        })
        .find(|key| BASE64.encode(key).to_ascii_lowercase().starts_with("0x"))
        .expect("one key in 2048");
    accepted(BASE64.encode(&key), &[key]);
}
