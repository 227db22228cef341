//! A key file: what is accepted means one key however it is spelled, and no refusal shows key material.

use data_encoding::{BASE64, HEXLOWER};
use ledger_verify::algorithm::{KeyWish, SignatureAlgorithm};
use ledger_verify::stop::Stop;
use ledger_verify::trust::key::{self, Key};

/// The DER before the 32 bytes of an Ed25519 SubjectPublicKeyInfo (RFC 8410 §4).
const SPKI: &[u8] = b"\x30\x2a\x30\x05\x06\x03\x2b\x65\x70\x03\x21\x00";

/// Holds the file to what must be true of any.
pub fn check(file: &[u8]) {
    SignatureAlgorithm::ALL.into_iter().for_each(|algorithm| check_for(algorithm, file));
}

fn check_for(algorithm: SignatureAlgorithm, file: &[u8]) {
    let read = |file: &[u8]| -> Result<Vec<Key>, Stop> { key::read(file, &KeyWish::of(algorithm), "key") };
    match read(file) {
        Ok(keys) => {
            assert!(!keys.is_empty());
            assert_eq!(keys, read(file).expect("accepted before"));
            for key in &keys {
                let Key::Ed25519(public) = key else { continue };
                let bytes = public.bytes().as_slice();
                let der = [SPKI, bytes].concat();
                let pem = format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64.encode(&der));
                for other in [HEXLOWER.encode(bytes).as_bytes(), &der, pem.as_bytes()] {
                    let [again] = read(other).expect("another form").try_into().expect("one key");
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
