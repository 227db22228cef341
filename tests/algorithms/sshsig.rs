//! SSH signatures: what `ssh-keygen -Y sign` writes holds, and nothing else does.

use data_encoding::BASE64;
use ledger_verify::algorithm::SignatureAlgorithm;
use ledger_verify::check::algorithm::verify;
use ledger_verify::trust::key::Key;

use crate::{key, namespace, testdata};

fn trusted(kind: &str) -> Key {
    key(SignatureAlgorithm::Sshsig, testdata(&format!("sshsig/{kind}.pub")))
}

fn armoured(name: &str) -> String {
    String::from_utf8(testdata(&format!("sshsig/{name}.sig"))).expect("text")
}

fn holds(key: &Key, text: &str) -> bool {
    verify(&namespace("ledger"), key, &testdata("sshsig/message"), text.as_bytes())
}

fn blob(text: &str) -> Vec<u8> {
    let body: String = text.lines().filter(|line| !line.starts_with('-')).collect();
    BASE64.decode(body.as_bytes()).expect("base64")
}

fn armour(blob: &[u8]) -> String {
    format!("-----BEGIN SSH SIGNATURE-----\n{}\n-----END SSH SIGNATURE-----\n", BASE64.encode(blob))
}

const KINDS: [&str; 3] = ["ed25519", "ecdsa", "rsa"];

#[test]
fn what_ssh_keygen_signs_holds_under_its_key_alone() {
    for signer in KINDS {
        for hash in ["sha256", "sha512"] {
            let text = armoured(&format!("{signer}.{hash}"));
            for kind in KINDS {
                assert_eq!(holds(&trusted(kind), &text), kind == signer, "{signer} {hash} {kind}");
            }
            assert!(!verify(&namespace("ledger"), &trusted(signer), b"another row\n", text.as_bytes()));
        }
    }
}

#[test]
fn the_namespace_is_part_of_it() {
    let (key, git) = (trusted("ed25519"), armoured("ed25519.git"));
    assert!(verify(&namespace("git"), &key, &testdata("sshsig/message"), git.as_bytes()));
    assert!(!holds(&key, &git));
    assert!(!verify(&namespace(""), &key, &testdata("sshsig/message"), git.as_bytes()));
    // Written over in the blob, it is not what was signed.
    let mut renamed = blob(&armoured("ed25519.sha512"));
    let at = renamed.windows(6).position(|window| window == b"ledger").expect("the namespace");
    renamed[at..at + 6].copy_from_slice(b"LEDGER");
    assert!(!verify(&namespace("LEDGER"), &key, &testdata("sshsig/message"), armour(&renamed).as_bytes()));
}

#[test]
fn white_space_before_a_line_says_nothing() {
    let (key, text) = (trusted("ed25519"), armoured("ed25519.sha512"));
    let one_line = armour(&blob(&text));
    for same in [
        format!("\n \t{text}"),
        text.trim_end().replace('\n', "\n "),
        text.replace('\n', "\r\n"),
        text.trim_end().to_owned(),
        one_line,
    ] {
        assert!(holds(&key, &same), "{same}");
    }
    for other in [
        text.replace("BEGIN SSH", "BEGIN  SSH"),
        text.replace("-----END SSH SIGNATURE-----\n", ""),
        text.replace("-----BEGIN SSH SIGNATURE-----\n", ""),
        format!("{text}x"),
        format!("x{text}"),
        format!("{text}{text}"),
        text.replacen("U1NI", "U1 NI", 1),
        text.replace('=', ""),
        String::new(),
    ] {
        assert!(!holds(&key, &other), "{other}");
    }
}

/// Every bit of the blob counts, and every byte more or less.
#[test]
fn no_changed_blob_holds() {
    for kind in KINDS {
        let (key, blob) = (trusted(kind), blob(&armoured(&format!("{kind}.sha256"))));
        assert!(holds(&key, &armour(&blob)));
        for at in 0..blob.len() {
            let mut changed = blob.clone();
            changed[at] ^= 1 << (at % 8);
            assert!(!holds(&key, &armour(&changed)), "{kind}, byte {at}");
            assert!(!holds(&key, &armour(&blob[..at])), "{kind}, cut at {at}");
        }
        assert!(!holds(&key, &armour(&[&blob[..], &[0]].concat())));
    }
}
