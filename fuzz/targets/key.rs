//! A key file: what is accepted means one key however it is spelled, and no refusal shows key material.

use data_encoding::{BASE64, HEXLOWER};
use ledger_verify::trust::key;

/// The DER before the 32 bytes of an Ed25519 SubjectPublicKeyInfo (RFC 8410 §4).
const SPKI: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

/// Holds the file to what must be true of any.
pub fn check(file: &[u8]) {
    match key::read(file, "key") {
        Ok(keys) => {
            assert!(!keys.is_empty());
            assert_eq!(keys, key::read(file, "key").expect("accepted before"));
            for key in &keys {
                let der = [SPKI, key.bytes()].concat();
                let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64.encode(&der));
                for other in [HEXLOWER.encode(key.bytes()).as_bytes(), &der, pem.as_bytes()] {
                    let [again] = key::read(other, "key").expect("another form").try_into().expect("one key");
                    assert_eq!(key.fingerprint(), again.fingerprint());
                }
            }
        }
        Err(stop) => {
            let said = format!("{} {}", stop.message, stop.hint.unwrap_or_default());
            assert!(!said.contains('\n'), "a stop is one line: {said:?}");
            // 32 bytes are 43 characters or more in any spelling; half of that would be too much.
            let spelled = |text: &[u8]| text.iter().all(|byte| byte.is_ascii_alphanumeric() || b"+/-_=".contains(byte));
            let shown = |text: &[u8]| spelled(text) && file.windows(text.len()).any(|window| window == text);
            assert!(!said.as_bytes().windows(22).any(shown), "key material is shown: {said:?}");
        }
    }
}
