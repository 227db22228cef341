//! JSON Web Keys: one key (RFC 7517 §4; Ed25519: RFC 8037 §2, P-256 and RSA: RFC 7518 §6, ML-DSA:
//! `AKP` of draft-ietf-cose-dilithium) or a set of them (RFC 7517 §5).
//!
//! It decides whether a JSON text is a JWK of the wanted kind for signatures. It trusts `kty`, `crv`
//! and the members of the key, each of which stands once; `use`, `key_ops` and `alg` may not contradict
//! them; other members say nothing here (RFC 7517 §4). A member `d` makes it a private key. A set is taken
//! whole or not at all: a key left out silently would turn up as rows that fail.

use data_encoding::BASE64URL_NOPAD;

use super::Key;
use super::kind::kind;
use super::mldsa::MlDsa65Key;
use super::p256::P256Key;
use super::public::PublicKey;
use super::refusal::{Hint, Refusal, word};
use super::rsa::RsaKey;
use super::wanted::Wanted;
use crate::row::{Kind, Reader, Unreadable, Value};

/// All keys of a JSON text, in order.
pub(super) fn read(text: &str, wanted: Wanted) -> Result<Vec<Key>, Refusal> {
    let mut reader = Reader::new();
    let root = match reader.read_value_exact(text.as_bytes()) {
        Ok(row) => row.root(),
        Err(error) => return Err(unreadable(text, &error)),
    };
    let set = root.get("keys").filter(|_| root.get("kty").is_none());
    let mut keys = std::iter::once(root).chain(root.items()).chain(set.into_iter().flat_map(Value::items));
    if keys.any(is_private) {
        return Err(private());
    }
    match set {
        _ if !root.is_object() => Err(not_a_key("a JSON array")),
        None => Ok(vec![one(root, wanted)?]),
        Some(set) if !set.is_array() => Err(not_a_key("JSON whose member `keys` is no array")),
        Some(set) if set.count() == 0 => Err(Refusal::new("the JWK Set holds no key", Hint::Forms)),
        Some(set) => set
            .items()
            .zip(1..)
            .map(|(key, number)| match key.is_object() {
                true => one(key, wanted).map_err(|refusal| refusal.at(format!("key {number} of the set"))),
                false => Err(not_a_key("JSON whose member `keys` holds something else than objects")),
            })
            .collect(),
    }
}

/// What is said of a text that the reader refuses; its own words may quote the text, so they stay out.
fn unreadable(text: &str, error: &Unreadable) -> Refusal {
    // What cannot be taken apart may still be seen to hold a private key.
    let secret = text.split("\"k\"").skip(1).any(|rest| rest.trim_ascii_start().starts_with(':'));
    if text.contains("\"kty\"") && (text.contains("\"d\"") || secret) {
        return private();
    }
    let first = text.lines().find(|line| !line.trim_ascii().is_empty()).unwrap_or_default();
    match error.kind {
        Kind::DuplicateKey => Refusal::new(
            "a member of the JSON stands twice, so readers disagree on what it says (RFC 7517 section 4)",
            "get the key again from its owner",
        ),
        _ if Reader::new().read_value_exact(first.as_bytes()).is_ok() => not_a_key("JSON Lines or several JSON values"),
        _ => not_a_key("JSON, but broken,"),
    }
}

fn private() -> Refusal {
    Refusal::private("JWK with the member `d` or `k`")
}

fn not_a_key(what: &str) -> Refusal {
    Refusal::new(
        format!("this looks like {what}, not like a key"),
        Hint::OrForms("check that the right file was given"),
    )
}

/// `d` is the private half of every kind (RFC 7518 §6.2.2, §6.3.2, RFC 8037 §2), `k` a shared
/// secret (RFC 7518 §6.4).
fn is_private(key: Value<'_>) -> bool {
    key.get("kty").and(key.get("d").or(key.get("k"))).is_some()
}

fn one(key: Value<'_>, wanted: Wanted) -> Result<Key, Refusal> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let Some(kty) = text("kty") else {
        return Err(not_a_key("JSON (a row, a manifest)"));
    };
    let (crv, alg) = (text("crv").unwrap_or_default(), text("alg").unwrap_or_default());
    match (kty, crv) {
        ("OKP", "Ed25519") if wanted.ed25519() => {
            contradiction(key, "Ed25519", &["EdDSA", "Ed25519"])?;
            PublicKey::from_slice(&member(key, "x")?).map(Key::Ed25519)
        }
        ("EC", "P-256") if wanted.p256() => {
            contradiction(key, "ES256", &["ES256"])?;
            let (x, y) = (member(key, "x")?, member(key, "y")?);
            // Each has its 32 bytes, leading zeros included (RFC 7518 §6.2.1.2).
            match (x.len(), y.len()) {
                (32, 32) => P256Key::new(&[&[4], x.as_slice(), &y].concat()).map(Key::P256),
                _ => Err(Refusal::new("the members `x` and `y` of the JWK have not 32 bytes each", Hint::Forms)),
            }
        }
        ("RSA", _) if wanted.rsa() => {
            contradiction(key, "RS256", &["RS256"])?;
            RsaKey::new(&member(key, "n")?, &member(key, "e")?).map(Key::Rsa)
        }
        ("AKP", _) if wanted.ml_dsa_65() && alg == "ML-DSA-65" => {
            contradiction(key, "ML-DSA-65", &["ML-DSA-65"])?;
            MlDsa65Key::new(&member(key, "pub")?).map(Key::MlDsa65)
        }
        // `crv` tells more, where there is one.
        _ => Err(Refusal::other_kind(kind(crv).or_else(|| kind(kty)).map_or_else(
            || format!("a JWK of kty \"{}\", crv \"{}\"", word(kty.as_bytes()), word(crv.as_bytes())),
            str::to_owned,
        ))),
    }
}

/// The bytes of a member of the key.
fn member(key: Value<'_>, name: &str) -> Result<Vec<u8>, Refusal> {
    let text = key
        .get(name)
        .and_then(Value::as_str)
        .ok_or_else(|| Refusal::new(format!("the JWK has no member `{name}` with the key in it"), Hint::Forms))?;
    BASE64URL_NOPAD.decode(text.as_bytes()).map_err(|_| {
        Refusal::new(
            format!("the member `{name}` of the JWK is not unpadded base64url (RFC 7515 section 2)"),
            "the alphabet is A-Z a-z 0-9 - _ without `=` and spaces; get the key again",
        )
    })
}

/// Members that say the key is for something else than verifying such signatures (RFC 7517 §4.2 to
/// §4.4; `alg`: RFC 7518 §3.1, RFC 8037 §3.1, RFC 9864 §2.2).
fn contradiction(key: Value<'_>, what: &str, algorithms: &[&str]) -> Result<(), Refusal> {
    let says = |name: &str, right: &dyn Fn(Value<'_>) -> bool| key.get(name).is_none_or(right);
    let verdicts = [
        ("use", says("use", &|value| value.as_str() == Some("sig"))),
        ("key_ops", says("key_ops", &|value| value.items().any(|name| name.as_str() == Some("verify")))),
        ("alg", says("alg", &|value| value.as_str().is_some_and(|alg| algorithms.contains(&alg)))),
    ];
    match verdicts.iter().find(|(_, right)| !right) {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(
            format!("the member `{name}` of the JWK says that the key is not for verifying {what} signatures"),
            Hint::OtherKind,
        )),
    }
}
