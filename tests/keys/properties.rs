//! What holds of any file: no panic, and no other key by accident.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};
use ledger_verify::trust::key::PublicKey;
use proptest::prelude::*;

use crate::files::*;

/// Files that hold the key with something around it, and the places of the key itself: there a
/// changed byte is another key, for none of these forms has a checksum.
fn wrapped() -> Vec<(Vec<u8>, Vec<std::ops::Range<usize>>)> {
    let (key, two) = (public(), other());
    let place = |file: &str, part: &str| {
        let start = file.find(part).expect("the key is in the file");
        start..start + part.len()
    };
    // The first 12 bytes of the DER are 16 signs of base64, all of the head.
    let pem_key = |key: &[u8; 32]| BASE64.encode(&der(key))[16..].to_owned();
    // 18 of the 19 bytes before the key are 24 signs.
    let blob = |key: &[u8; 32]| ssh(key).split(' ').nth(1).expect("base64")[24..].to_owned();
    let pems = format!("text\n{}between\n{}", pem(&two), pem(&key));
    let lines = format!("# two\n{}{}", ssh(&two), ssh(&key));
    let set = format!(r#"{{"keys":[{},{}]}}"#, jwk(&two, r#""kid":"a","#), jwk(&key, r#""use":"sig","#));
    let pem_places = vec![place(&pems, &pem_key(&two)), place(&pems, &pem_key(&key))];
    let ssh_places = vec![place(&lines, &blob(&two)), place(&lines, &blob(&key))];
    let jwk_places = [two, key].iter().map(|key| place(&set, &BASE64URL_NOPAD.encode(key))).collect();
    vec![
        (pems.into_bytes(), pem_places),
        (lines.into_bytes(), ssh_places),
        (set.into_bytes(), jwk_places),
        (der(&key), std::iter::once(12..44).collect()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 1000, failure_persistence: None, ..ProptestConfig::default() })]

    /// Also where the text of the key starts like something else (`0x`, a tag of DER).
    #[test]
    fn any_key_is_read_in_every_form(seed: [u8; 32]) {
        let key = ed25519_dalek::SigningKey::from_bytes(&seed).verifying_key().to_bytes();
        let (hex, base64, url) = (HEXLOWER.encode(&key), BASE64.encode(&key), BASE64URL_NOPAD.encode(&key));
        for file in [key.to_vec(), der(&key), pem(&key).into(), ssh(&key).into(), jwk(&key, "").into(), hex.into(), base64.into(), url.into()] {
            prop_assert_eq!(keys(file), Ok(vec![key]));
        }
    }

    /// A key whose bytes start as those of a SEQUENCE that is cut, one in 65,536, is read as well.
    #[test]
    fn a_raw_key_that_starts_like_der_is_read(length in 30u8..128, tag in prop::sample::select(vec![0x02, 0x03, 0x04, 0x06, 0x30]), rest: [u8; 29]) {
        let bytes = [&[0x30, length, tag][..], &rest].concat();
        let key = <[u8; 32]>::try_from(bytes.as_slice()).expect("32 bytes");
        let usable = ed25519_dalek::VerifyingKey::from_bytes(&key).is_ok_and(|key| !key.is_weak());
        // What follows the first member decides: of random bytes nothing that a key file has.
        let member = usize::from(rest[0]);
        let second = member <= 27 && matches!(rest.get(1 + member), Some(0x02 | 0x03 | 0x04 | 0x30 | 0x80 | 0xa0));
        if usable && !second {
            prop_assert_eq!(keys(bytes), Ok(vec![key]));
        }
    }

    #[test]
    fn any_bytes_are_a_key_or_a_stop(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
        let _ = read(&bytes, "key");
        let _ = read(&[b"\x30", bytes.as_slice()].concat(), "key");
        let _ = read(armour("PUBLIC KEY", &bytes).as_bytes(), "key");
        let _ = read(BASE64.encode(&bytes).as_bytes(), "key");
        let _ = read(HEXLOWER.encode(&bytes).as_bytes(), "key");
        let _ = read(&[b"ssh-ed25519 ", BASE64.encode(&bytes).as_bytes()].concat(), "key");
    }

    #[test]
    fn any_text_is_a_key_or_a_stop(text in "(-----(BEGIN|END) |PUBLIC KEY|-----|\n|ssh-ed25519 |AAAA|[{}\":,\\[\\]]|\"kty\"|\"x\"|\\PC){0,40}") {
        let _ = read(text.as_bytes(), "key");
    }

    /// Outside the bytes of the key itself, a change gives a stop or the same keys; only a line
    /// that became a comment may be missing.
    #[test]
    fn a_changed_wrapping_gives_no_other_key(which in 0..4usize, at in any::<prop::sample::Index>(), byte: u8, how in 0..3) {
        let (mut file, places) = wrapped().swap_remove(which);
        let outside: Vec<usize> = (0..file.len()).filter(|at| !places.iter().any(|place| place.contains(at))).collect();
        let at = *at.get(&outside);
        match how {
            0 => file[at] = byte,
            1 => { file.remove(at); }
            _ => file.insert(at, byte),
        }
        if let Ok(found) = read(&file, "key") {
            let known = [other(), public()];
            prop_assert!(!found.is_empty() && found.iter().all(|key: &PublicKey| known.contains(key.bytes())));
            // Pieces of PEM and JWK cannot get lost.
            prop_assert!(which == 1 || which == 3 || found.len() == 2);
        }
    }

    /// Cut anywhere, a file is refused or has lost whole keys at its end, never half of one.
    #[test]
    fn a_cut_file_gives_no_other_key(which in 0..4usize, at in any::<prop::sample::Index>()) {
        let (file, _) = wrapped().swap_remove(which);
        if let Ok(found) = read(&file[..at.index(file.len())], "key") {
            let known = [other(), public()];
            // 32 bytes of a cut DER are a raw key: that form has no redundancy.
            prop_assert!(which == 3 || found.iter().all(|key| known.contains(key.bytes())));
        }
    }
}
