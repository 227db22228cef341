//! What a signature that fails is over instead. MACs, which a test can make without a key pair; the search
//! does not look at the algorithm.

use std::fs;

use hmac::{Hmac, KeyInit, Mac};
use ledger_verify::report::explained::Status;
use sha2::{Digest, Sha256};

use crate::{explained, line};

fn hex(bytes: &[u8]) -> String {
    data_encoding::HEXLOWER.encode(bytes)
}

fn mac(secret: &[u8], message: &[u8]) -> String {
    let keyed: Hmac<Sha256> = Hmac::new_from_slice(secret).expect("a key");
    hex(&keyed.chain_update(message).finalize().into_bytes())
}

const TOML: &str = "[profile]\nname = \"t\"\n[fields]\nseq = \"seq\"\nhash = \"h\"\nprev = \"p\"\n[chain]\ngenesis = \"\"\n\
    [[hash]]\nprefix = \"x:\"\npreimage = [ { json = { exclude = [\"h\", \"s\"] } } ]\n\
    [[signature]]\nfield = \"s\"\nalg = \"hmac-sha256\"\nmessage = [ \"tag\", { hash = \"utf8\" } ]\nkey = {}\n";

#[test]
fn each_other_message_is_found() {
    let secret = b"a secret of enough bytes";
    let folder = tempfile::tempdir().expect("a folder");
    let key = folder.path().join("key");
    fs::write(&key, secret).expect("a key");
    let preimage = "{\"p\":\"\",\"seq\":0}";
    let digest = Sha256::digest(preimage);
    let text = format!("x:{}", hex(&digest));
    let with_hash = format!("{{\"h\":\"{text}\",\"p\":\"\",\"seq\":0}}");
    let python = format!("{{\"h\": \"{text}\", \"p\": \"\", \"seq\": 0}}");
    let cases: Vec<(&str, Vec<u8>)> = vec![
        ("over the digest's text", text.clone().into_bytes()),
        ("over the digest's raw bytes", digest.to_vec()),
        ("over the digest's text without its prefix", hex(&digest).into_bytes()),
        ("over the preimage of the digest", preimage.as_bytes().to_vec()),
        ("over the row without s in the form jcs", with_hash.into_bytes()),
        ("over the row without s in the form python-default", python.into_bytes()),
        ("over its message with a line end stands behind it", format!("tag{text}\n").into_bytes()),
        ("over its message with \"|\" stands between the parts", format!("tag|{text}").into_bytes()),
        ("over the SHA-256 of its message", Sha256::digest(format!("tag{text}")).to_vec()),
    ];
    let told = |signature: &str| {
        let row = format!("{{\"seq\":0,\"p\":\"\",\"h\":\"{text}\",\"s\":\"{signature}\"}}\n");
        let told = explained(row.as_bytes(), TOML, &[&key], &line(1)).expect("an explanation");
        (told.exit_code(), told.signatures.into_iter().next().expect("a signature"))
    };
    for (label, message) in cases {
        let (code, signature) = told(&mac(secret, &message));
        assert_eq!((code, signature.status), (1, Status::Fails), "{label}");
        let fits = signature.near.expect("near misses").fits;
        assert!(fits.iter().any(|said| said == &[label]), "{label}: {fits:?}");
    }
    let (code, signature) = told(&mac(secret, format!("tag{text}").as_bytes()));
    assert_eq!((code, signature.status, signature.near), (0, Status::Holds, None));
    let (_, signature) = told(&mac(b"another secret", format!("tag{text}").as_bytes()));
    assert_eq!(signature.near.expect("near misses").fits, [] as [Vec<String>; 0]);
}
