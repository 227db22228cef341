//! What is refused, by what the message says.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER, HEXUPPER};
use ledger_verify::trust::key::LARGEST;

use crate::files::*;

#[test]
fn private_keys_are_named_and_not_echoed() {
    let key = public();
    let both = [SEED, key].concat();
    for label in [
        "PRIVATE KEY",
        "ENCRYPTED PRIVATE KEY",
        "RSA PRIVATE KEY",
        "EC PRIVATE KEY",
        "OPENSSH PRIVATE KEY",
        "PGP PRIVATE KEY BLOCK",
        "ED25519 PRIVATE KEY",
    ] {
        let block = armour(label, &pkcs8());
        refused(&block, "PRIVATE KEY handed over");
        refused(&block[..block.len() - 20], "PRIVATE KEY handed over");
        refused(format!("{}{block}", pem(&key)), "PRIVATE KEY handed over");
        refused(block.replace('\n', "\\n"), "PRIVATE KEY handed over");
        refused(serde_json::json!({ "private_key": block }).to_string(), "PRIVATE KEY handed over");
        refused(utf16(&block, u16::to_le_bytes), "PRIVATE KEY handed over");
    }
    // Under any label, in any wrapping, and cut off.
    refused(armour("PUBLIC KEY", &pkcs8()), "PRIVATE KEY handed over");
    refused(armour("ED25519 PUBLIC KEY", &pkcs8()), "PRIVATE KEY handed over");
    refused(pkcs8(), "PRIVATE KEY handed over (PKCS#8 DER)");
    refused(&pkcs8()[..40], "PRIVATE KEY handed over (PKCS#8 DER)");
    refused(BASE64.encode(&pkcs8()), "PRIVATE KEY handed over (PKCS#8 DER)");
    refused(HEXLOWER.encode(&pkcs8()), "PRIVATE KEY handed over (PKCS#8 DER)");
    refused(hex("30 10 0201 01 0404 01020304 a005 0603 2b8104"), "PRIVATE KEY handed over (SEC 1");
    refused(hex("30 0c 0201 00 0201 0f 0201 03 0201 07"), "PRIVATE KEY handed over (PKCS#1");
    refused(hex("30 0d 3005 0603 2a0304 0404 01020304"), "PRIVATE KEY handed over (encrypted PKCS#8");
    refused(&both, "PRIVATE KEY handed over (64 bytes as raw bytes");
    refused(HEXUPPER.encode(&both), "PRIVATE KEY handed over (64 bytes as hex");
    refused(BASE64.encode(&both), "PRIVATE KEY handed over (64 bytes as base64");
    refused(format!("{}\n{}", HEXLOWER.encode(&SEED), HEXLOWER.encode(&key)), "PRIVATE KEY handed over (64 bytes");
    refused([0x80; 64], "an expanded private key or a signature");
    refused(jwk(&key, &format!(r#""d":"{}","#, BASE64URL_NOPAD.encode(&SEED))), "PRIVATE KEY handed over (JWK");
    refused(format!(r#"{{"keys":[{},{}]}}"#, jwk(&key, ""), jwk(&key, r#""d":"","#)), "PRIVATE KEY handed over (JWK");
    refused(format!("[{}]", jwk(&key, r#""d":"","#)), "PRIVATE KEY handed over (JWK");
    refused(r#"{"kty":"OKP","d":"abc"#, "PRIVATE KEY handed over (JWK");
    refused(r#"{"kty":"oct","k":"abc"}"#, "PRIVATE KEY handed over (JWK");
    refused("# created: now\n# public key: age1xyz\nAGE-SECRET-KEY-1QQQQ\n", "PRIVATE KEY handed over (age");
    refused("untrusted comment: minisign encrypted secret key\nRWRTY0Iy\n", "PRIVATE KEY handed over (minisign");
    refused("PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none\n", "PRIVATE KEY handed over (PuTTY");
    refused([&[0x95, 0x01, 0x3d, 0x04][..], &[0x80; 60]].concat(), "PRIVATE KEY handed over (it looks like PGP");
}

#[test]
fn files_of_other_tools_are_named() {
    for (file, words) in [
        ("x25519.spki.pem", "an X25519 key"),
        ("x448.spki.pem", "an X448 key"),
        ("ed448.spki.pem", "an Ed448 key"),
        ("ec.prime256v1.spki.pem", "P-256"),
        ("ec.secp384r1.spki.pem", "P-384"),
        ("ec.secp521r1.spki.pem", "P-521"),
        ("ec.secp256k1.spki.pem", "secp256k1"),
        ("dsa.spki.pem", "a DSA key"),
        ("rsa.spki.pem", "an RSA key"),
        ("rsa.pkcs1.pem", "an RSA key (PKCS#1)"),
        ("rsa.pkcs1.der", "an RSA key (PKCS#1)"),
        ("rsa.pub", "line 1: an RSA key (ssh-rsa)"),
        ("p256.pub", "line 1: an elliptic curve key on P-256"),
        ("p384.pub", "line 1: an elliptic curve key on P-384"),
        ("p521.pub", "line 1: an elliptic curve key on P-521"),
        ("ed25519-cert.pub", "an OpenSSH certificate"),
        ("ed25519.rfc4716", "an SSH2 public key file (RFC 4716)"),
        ("ed25519.cert.pem", "an X.509 certificate"),
        ("ed25519.cert.der", "an X.509 certificate"),
        ("ed25519.csr.pem", "a certificate request"),
        ("ed25519.csr.der", "a certificate request"),
        ("ed25519.p7.pem", "a PKCS#7 container"),
        ("ed25519.p7.der", "a PKCS#7 container"),
        ("ed25519.pgp.asc", "a PGP public key block"),
        ("ed25519.pgp.gpg", "a PGP public key block"),
        ("ed25519.fingerprint.txt", "a fingerprint"),
    ] {
        refused(testdata(file), words);
    }
    let hint = keys(testdata("ed25519.cert.der")).expect_err("certificate").hint.expect("a hint");
    assert!(hint.contains("openssl x509 -in FILE -pubkey -noout"), "{hint}");
}

#[test]
fn der_is_exactly_rfc_8410() {
    let key = public();
    let head = "302a 3005 0603 2b6570 0321 00";
    for (file, words) in [
        (spki("302a 3005 0603 2b656e 0321 00", &key), "an X25519 key"),
        (spki("302a 3005 0603 2b6571 0321 00", &key), "an Ed448 key"),
        (spki("302a 3005 0603 2a0304 0321 00", &key), "a key of the algorithm 1.2.3.4"),
        (spki("302c 3007 0603 2b6570 0500 0321 00", &key), "NULL parameters"),
        (spki("302d 3008 0603 2b6570 0201 07 0321 00", &key), "algorithm parameters"),
        (spki("302a 3005 0603 2b6570 0321 01", &[&key[..31], &[0]].concat()), "1 unused bits"),
        (spki("3029 3005 0603 2b6570 0320 00", &key[..31]), "wrong length: the key holds 31 bytes"),
        (spki("302b 3005 0603 2b6570 0322 00", &[&key[..], b"\0"].concat()), "wrong length: the key holds 33 bytes"),
        (spki(head, &[&key[..], b"\0\0"].concat()), "2 extra bytes"),
        (spki("302c 3005 0603 2b6570 0321 00", &[&key[..], b"\x05\x00"].concat()), "extra bytes stand inside"),
        (spki(head, &key[..20]), "the DER is cut off: 32 of 44"),
        (spki(head, &key[..21]), "the DER is cut off: 33 of 44"),
        // Indefinite length and a length in too many bytes are BER, not DER.
        (spki("3080 3005 0603 2b6570 0321 00", &[&key[..], b"\0\0"].concat()), ""),
        (spki("30812a 3005 0603 2b6570 0321 00", &key), ""),
    ] {
        // A raw key has 32 bytes: what is cut to just that is refused only in PEM.
        if file.len() != 32 {
            refused(&file, words);
        }
        refused(armour("PUBLIC KEY", &file), words);
    }
}

#[test]
fn points_that_are_no_key() {
    let p_minus_1 = "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f";
    for (bytes, words) in [
        (vec![0; 32], "weak key: a point of small order"),
        (hex(&format!("01{}", "00".repeat(31))), "weak key"),
        (hex(&format!("01{}80", "00".repeat(30))), "weak key"),
        (hex(p_minus_1), "weak key"),
        (hex("c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac03fa"), "weak key"),
        (hex("26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05"), "weak key"),
        (hex(&format!("ee{}7f", "ff".repeat(30))), "weak key"),
        (hex(&format!("02{}", "00".repeat(31))), "not a point on the curve"),
    ] {
        let key: [u8; 32] = bytes.try_into().expect("32 bytes");
        for file in [
            key.to_vec(),
            der(&key),
            pem(&key).into(),
            ssh(&key).into(),
            jwk(&key, "").into(),
            HEXLOWER.encode(&key).into(),
            BASE64.encode(&key).into(),
        ] {
            refused(file, words);
        }
    }
    // The encodings of y + p for the few y that have a point; y = 0 and 1 are weak before.
    let not_canonical = (0xed..=0xff).filter(|low| {
        let mut key = [0xff; 32];
        (key[0], key[31]) = (*low, 0x7f);
        keys(key).expect_err("no such key").message.contains("not canonical")
    });
    assert!(not_canonical.count() > 5);
}

#[test]
fn pem_framing() {
    let (key, good) = (public(), pem(&public()));
    let second = good.clone() + &pem(&other());
    for (file, words) in [
        (good.replace("-----END PUBLIC KEY-----\n", ""), "no END line: the file is cut off"),
        (good[..60].to_owned(), "no END line"),
        (good[..good.len() - 10].to_owned(), "not clean"),
        (good.replace("-----BEGIN PUBLIC KEY-----\n", ""), "has no BEGIN line"),
        (second.replacen("-----END PUBLIC KEY-----\n", "", 1), "no END line"),
        (second.replacen("-----BEGIN", "------BEGIN", 1), "not clean"),
        (second.replacen("-----BEGIN", "----BEGIN", 1), "not clean"),
        (second.replacen("-----BEGIN", "> -----BEGIN", 1), "not clean"),
        (second.replacen("KEY-----\n", "KEY----\n", 1), "not clean"),
        (good.replace("END PUBLIC", "END RSA PUBLIC"), "is closed by END RSA PUBLIC KEY"),
        (good.replace('\n', "\\n"), r"written out as \n"),
        (good.replace("MCow", "MC*w"), "not base64"),
        (good.replace("MCow", "Comment: x\n\nMCow"), "not base64"),
        (good.replace('=', ""), "not base64"),
        (armour("PUBLIC KEY", b""), "is empty"),
        (armour("ED25519 PUBLIC KEY", &der(&key)), "the PEM label is \"ED25519 PUBLIC KEY\""),
        (armour("public key", &der(&key)), "the PEM label is \"public key\""),
        (armour("\x1b[31m\u{202e}", &der(&key)), "the PEM label is \"?[31m???\""),
        (good.clone() + &armour("ED25519 PUBLIC KEY", &der(&other())), "block 2: the PEM label is"),
        (good.clone() + &armour("CERTIFICATE", b"0"), "block 2: an X.509 certificate"),
        (good.clone() + &ssh(&other()), "mixes PEM blocks and OpenSSH lines"),
        (armour("RSA PUBLIC KEY", b"0"), "an RSA key (PKCS#1)"),
        (armour("CERTIFICATE REQUEST", b"0"), "a certificate request"),
        (armour("PGP PUBLIC KEY BLOCK", b"0"), "a PGP public key block"),
    ] {
        refused(file, words);
    }
    let hostile = armour(&format!("X {}", BASE64.encode(&SEED)), &der(&key));
    refused(hostile, "(too long to be a name)");
}

#[test]
fn openssh_lines() {
    let (key, good) = (public(), ssh(&public()));
    for (file, words) in [
        (ssh_of("ssh-ed25519", "ssh-ed25519", &key[..31], b""), "wrong length: the key holds 31"),
        (ssh_of("ssh-ed25519", "ssh-ed25519", &key, b"x"), "1 extra bytes"),
        (ssh_of("ssh-ed25519", "ssh-rsa", &key, b""), "the key inside says an RSA key"),
        (ssh_of("ssh-ed25519", "other", &key, b""), "the key inside says other"),
        (ssh_of("ssh-rsa", "ssh-ed25519", &key, b""), "an RSA key"),
        (ssh_of("ssh-dss", "ssh-dss", &key, b""), "a DSA key"),
        (ssh_of("ecdsa-sha2-nistp256", "", &key, b""), "P-256"),
        (ssh_of("sk-ssh-ed25519@openssh.com", "", &key, b""), "a security-key (FIDO) key"),
        (ssh_of("ssh-ed25519-cert-v01@openssh.com", "", &key, b""), "an OpenSSH certificate"),
        (format!("restrict {good}"), "words stand before the key type"),
        (format!("example.org {good}"), "words stand before the key type"),
        (format!("{good}\nnonsense\n"), "line 3: this is no OpenSSH public key line"),
        (format!("{}\r{}", good.trim_end(), ssh(&other())), "two keys stand on one line"),
        (good[..52].to_owned(), "cut off"),
        (good[..53].to_owned(), "base64 behind ssh-ed25519 cannot be read"),
        ("ssh-ed25519\n".to_owned(), "cut off"),
        (good.split(' ').nth(1).expect("base64").to_owned(), "without its type in front"),
    ] {
        refused(file, words);
    }
}

#[test]
fn json_that_is_no_key() {
    let key = public();
    for (file, words) in [
        (r#"{"sequence":1,"hash":"0x00"}"#.to_owned(), "this looks like JSON (a row, a manifest)"),
        ("{\"sequence\":1}\n{\"sequence\":2}\n".to_owned(), "JSON Lines"),
        (r#"[{"workspace":"acme"}]"#.to_owned(), "a JSON array"),
        (r#"{"kty":"OKP""#.to_owned(), "JSON, but broken"),
        (format!("{}{}", r#"{"a":"#.repeat(100_000), "1"), "JSON, but broken"),
        (r#"{"keys":[]}"#.to_owned(), "holds no key"),
        (r#"{"keys":{}}"#.to_owned(), "no array"),
        (r#"{"keys":[1]}"#.to_owned(), "something else than objects"),
        (jwk(&key, r#""kty":"OKP","#), "stands twice"),
        (jwk(&key, r#""\u0078":"","#), "stands twice"),
        (jwk(&key, r#""y":{"a":1,"a":2},"#), "stands twice"),
        (jwk(&key, "").replace("Ed25519", "X25519"), "an X25519 key"),
        (jwk(&key, "").replace("Ed25519", "Ed448"), "an Ed448 key"),
        (jwk(&key, "").replace("Ed25519", "ed25519"), "kty \"OKP\", crv \"ed25519\""),
        (r#"{"kty":"EC","crv":"P-384","x":"","y":""}"#.to_owned(), "P-384"),
        (r#"{"kty":"EC","crv":"secp256k1","x":"","y":""}"#.to_owned(), "secp256k1"),
        (r#"{"kty":"RSA","n":"","e":"AQAB"}"#.to_owned(), "an RSA key"),
        (format!(r#"{{"keys":[{},{{"kty":"RSA"}}]}}"#, jwk(&key, "")), "key 2 of the set: an RSA key"),
        (jwk(&key, r#""use":"enc","#), "member `use`"),
        (jwk(&key, r#""key_ops":["sign"],"#), "member `key_ops`"),
        (jwk(&key, r#""alg":"ES256","#), "member `alg`"),
        (r#"{"kty":"OKP","crv":"Ed25519"}"#.to_owned(), "no member `x`"),
        (r#"{"kty":"OKP","crv":"Ed25519","x":7}"#.to_owned(), "no member `x`"),
        (r#"{"kty":"OKP","crv":"Ed25519","x":"AAAA"}"#.to_owned(), "wrong length: the key holds 3 bytes"),
        (jwk(&key, "").replace("\"}", "=\"}"), "not unpadded base64url"),
        (serde_json::json!({ "publicKey": pem(&key) }).to_string(), "this looks like JSON"),
    ] {
        refused(file, words);
    }
}

#[test]
fn plain_texts_and_bytes() {
    let key = public();
    let (lower, base) = (HEXLOWER.encode(&key), BASE64.encode(&key));
    for (file, words) in [
        (String::new(), "the file is empty"),
        ("\u{feff} \r\n".to_owned(), "the file is empty"),
        (format!("ed25519:{lower}"), "prefix `ed25519:`"),
        (format!("0x{lower}"), "prefix `0x`"),
        (lower[..62].to_owned(), "wrong length: hex digits of 31 bytes"),
        (lower[..44].to_owned(), "wrong length: hex digits of 22 bytes"),
        (lower[..43].to_owned(), "wrong length: 43 hex digits"),
        (lower[..63].to_owned(), "wrong length: 63 hex digits"),
        (format!("{lower}0"), "wrong length: 65 hex digits"),
        (lower[..32].to_owned(), "32 characters of text"),
        (format!("{lower}00"), "wrong length: hex digits of 33 bytes"),
        (format!("{}\n{}", &lower[..32], &lower[32..]), "white space stands inside the hex digits"),
        (base[..40].to_owned(), "wrong length: base64 of 30 bytes"),
        (BASE64.encode(&der(&key)), "base64 of the DER of a public key"),
        (HEXLOWER.encode(&der(&key)), "hex digits of the DER of a public key"),
        (BASE64.encode(&[b"Ed01234567".as_slice(), &key].concat()), "a minisign"),
        ("untrusted comment: minisign public key 1\nRWQxyz\n".to_owned(), "a minisign"),
        ("age1qqqqqq".to_owned(), "an age key (X25519"),
        ("did:key:z6Mkabc".to_owned(), "did:key"),
        ("hello world".to_owned(), "a text of no known key form"),
        ("x".repeat(LARGEST + 1), "too large"),
    ] {
        refused(file, words);
    }
    // The last sign of 43 has two bits too many: one spelling only.
    let loose = format!("{}{}", &base[..42], char::from(base.as_bytes()[42] + 1));
    refused(loose, "a text of no known key form");
    refused(&key[..31], "wrong length: 31 bytes");
    refused([b"\xef\xbb\xbf", key.as_slice()].concat(), "wrong length: 35 bytes");
    refused([&key[..], b"\n"].concat(), "wrong length: 33 bytes");
    refused([b"\xff\xfe", utf16(&pem(&key), u16::to_le_bytes).as_slice()].concat(), "UTF-16");
    refused([b"\xfe\xff", utf16(&pem(&key), u16::to_be_bytes).as_slice()].concat(), "UTF-16");
    refused(utf16(&lower, u16::to_le_bytes), "UTF-16");
}

#[test]
fn the_name_of_the_file_stands_in_the_message_as_it_is() {
    let stop = read(b"", "a\x1b[31m\nb").expect_err("empty");
    assert_eq!(stop.message, "key refused: a\x1b[31m\nb: the file is empty");
    assert!(!stop.hint.expect("a hint").contains("31m"));
}
