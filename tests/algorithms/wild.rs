//! Real ledgers of other systems, where they are beside the project: every signature and MAC of the clean
//! export holds, and where one was changed, just that one does not.

use std::path::PathBuf;

use data_encoding::{BASE64URL_NOPAD, HEXLOWER};
use ledger_verify::algorithm::{KeyFormat, KeyWish, Scheme, SignatureAlgorithm};
use ledger_verify::check::algorithm::verify;
use ledger_verify::digest::{DigestAlgorithm, Hkdf};
use ledger_verify::trust::key::{self, Key};
use serde_json::Value;

use crate::namespace;

struct Corpus(PathBuf);

impl Corpus {
    fn of(system: &str) -> Option<Self> {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/formats/wild/corpus");
        let folder = PathBuf::from(folder).join(system);
        if !folder.exists() {
            println!("skipped: {} is not there", folder.display());
            return None;
        }
        Some(Corpus(folder))
    }

    fn key(&self, name: &str, wish: &KeyWish) -> Key {
        let bytes = std::fs::read(self.0.join(name)).expect("a key file");
        key::read(&bytes, wish, name).expect("a key").remove(0)
    }

    /// How many rows hold and how many do not.
    fn count(&self, name: &str, holds: impl Fn(&str, &Value) -> bool) -> (usize, usize) {
        let text = std::fs::read_to_string(self.0.join(name)).expect("an export");
        let rows = text.lines().map(|line| (line, serde_json::from_str(line).expect("a row")));
        let (good, bad): (Vec<bool>, Vec<bool>) = rows.map(|(line, row)| holds(line, &row)).partition(|holds| *holds);
        (good.len(), bad.len())
    }
}

fn text<'a>(row: &'a Value, name: &str) -> &'a str {
    row[name].as_str().unwrap_or_else(|| panic!("no text {name}"))
}

#[test]
fn es256_with_low_s() {
    let Some(corpus) = Corpus::of("aat-mcp") else { return };
    let key = corpus.key("key.pub.pem", &KeyWish::of(SignatureAlgorithm::Es256));
    assert_eq!(corpus.key("key.jwks.json", &KeyWish::of(SignatureAlgorithm::Es256)), key);
    let holds = |_: &str, row: &Value| {
        let mut signed = row.clone();
        for name in ["signature", "signature_classical", "batch"] {
            signed.as_object_mut().expect("a row").remove(name);
        }
        let message = serde_json_canonicalizer::to_vec(&signed).expect("JCS");
        let signature = BASE64URL_NOPAD.decode(text(row, "signature").as_bytes()).expect("base64url");
        verify(&Scheme::Es256 { low_s: true }, &key, &message, &signature)
    };
    assert_eq!(corpus.count("clean.jsonl", holds), (40, 0));
    assert_eq!(corpus.count("badsig.jsonl", holds), (39, 1));
}

#[test]
fn rs256() {
    let Some(corpus) = Corpus::of("aws-cloudtrail-digest") else { return };
    let wish = KeyWish { format: Some(KeyFormat::Pkcs1Pem), ..KeyWish::of(SignatureAlgorithm::Rs256) };
    let key = corpus.key("key.pub.pem", &wish);
    assert_eq!(corpus.key("key.pub.pkcs1.b64", &wish), key);
    let holds = |_: &str, row: &Value| {
        let body: Value = serde_json::from_str(text(row, "body")).expect("a body");
        let digest = DigestAlgorithm::Sha256.digest(text(row, "body").as_bytes(), None).expect("a digest");
        let message = format!(
            "{}\n{}/{}\n{digest:?}\n{}",
            text(&body, "digestEndTime"),
            text(&body, "digestS3Bucket"),
            text(&body, "digestS3Object"),
            body["previousDigestSignature"].as_str().unwrap_or("null"),
        );
        let signature = HEXLOWER.decode(text(row, "signature").as_bytes()).expect("hex");
        verify(&Scheme::Rs256, &key, message.as_bytes(), &signature)
    };
    assert_eq!(corpus.count("clean.jsonl", holds), (24, 0));
    assert_eq!(corpus.count("badsig.jsonl", holds), (23, 1));
}

#[test]
fn sshsig_in_git_commits() {
    let Some(corpus) = Corpus::of("git-ssh-signed") else { return };
    let key = corpus.key("key.pub.hex", &KeyWish::of(SignatureAlgorithm::Sshsig));
    assert_eq!(corpus.key("key.pub", &KeyWish::of(SignatureAlgorithm::Sshsig)), key);
    let holds = |_: &str, row: &Value| {
        let raw = text(row, "raw");
        let start = raw.find("gpgsig ").expect("a signature");
        let end = start + raw[start..].find("\n\n").expect("an end of headers") + 1;
        let message = format!("{}{}", &raw[..start], &raw[end..]);
        verify(&namespace("git"), &key, message.as_bytes(), &raw.as_bytes()[start + 7..end])
    };
    assert_eq!(corpus.count("clean.jsonl", holds), (30, 0));
    assert_eq!(corpus.count("badsig.jsonl", holds), (29, 1));
}

#[test]
fn hmac_with_a_derived_secret() {
    let Some(corpus) = Corpus::of("bernstein") else { return };
    let hkdf = Hkdf::new(DigestAlgorithm::Sha256, b"audit", 32).expect("a derivation");
    let wish = KeyWish { algorithm: SignatureAlgorithm::HmacSha256, format: Some(KeyFormat::Text), hkdf: Some(hkdf) };
    let Key::Secret(secret) = corpus.key("key.hmac", &wish) else { panic!("a secret") };
    let holds = |line: &str, row: &Value| {
        let member = format!("\"hmac\": \"{}\", ", text(row, "hmac"));
        let message = format!("bernstein:audit:v2{}{}", text(row, "prev_hmac"), line.replace(&member, ""));
        let digest = DigestAlgorithm::HmacSha256.digest(message.as_bytes(), Some(&secret));
        digest.is_some_and(|digest| format!("{digest:?}") == text(row, "hmac"))
    };
    assert_eq!(corpus.count("clean.jsonl", holds), (40, 0));
    assert_eq!(corpus.count("edited.jsonl", holds), (39, 1));
}
