//! JSON Web Keys: one key (RFC 7517 §4, RFC 8037 §2) or a set of them (RFC 7517 §5).
//!
//! It decides whether a JSON text is a JWK of Ed25519 for signatures. It trusts `kty`, `crv` and
//! `x`, each of which stands once; `use`, `key_ops` and `alg` may not contradict them; other
//! members say nothing here (RFC 7517 §4). A member `d` makes it a private key. A set is taken
//! whole or not at all: a key left out silently would turn up as rows that fail.

use data_encoding::BASE64URL_NOPAD;
use serde_json::{Map, Value};

use super::public::PublicKey;
use super::refusal::{FORMS, OTHER_KIND, Refusal, word};

/// Kinds by the member that tells (`crv`, or `kty` where there is none).
const KINDS: &[(&str, &str)] = &[
    ("X25519", "an X25519 key (key agreement, it cannot sign)"),
    ("X448", "an X448 key (key agreement, it cannot sign)"),
    ("Ed448", "an Ed448 key"),
    ("P-256", "an elliptic curve key on P-256 (ECDSA)"),
    ("P-384", "an elliptic curve key on P-384 (ECDSA)"),
    ("P-521", "an elliptic curve key on P-521 (ECDSA)"),
    ("secp256k1", "an elliptic curve key on secp256k1 (ECDSA)"),
    ("EC", "an elliptic curve key (ECDSA)"),
    ("RSA", "an RSA key"),
    ("AKP", "a key of a post-quantum algorithm"),
];

/// All keys of a JSON text, in order.
pub(super) fn read(text: &str) -> Result<Vec<PublicKey>, Refusal> {
    let (value, twice) = match json(text) {
        Ok(read) => read,
        // What cannot be taken apart may still be seen to hold a private key.
        Err(_) if text.contains("\"kty\"") && text.contains("\"d\"") => return Err(private()),
        Err(Trouble::More) => return Err(not_a_key("JSON Lines or several JSON values")),
        Err(Trouble::Grammar) => return Err(not_a_key("JSON, but broken,")),
    };
    let object = match value {
        Value::Object(object) => object,
        Value::Array(list) if list.iter().any(|value| value.as_object().is_some_and(is_private)) => {
            return Err(private());
        }
        _ => return Err(not_a_key("a JSON array")),
    };
    let set = object.get("keys").filter(|_| !object.contains_key("kty"));
    let keys: Vec<&Value> = match set {
        Some(Value::Array(keys)) => keys.iter().collect(),
        Some(_) => return Err(not_a_key("JSON whose member `keys` is no array")),
        None => vec![],
    };
    if is_private(&object) || keys.iter().any(|key| key.as_object().is_some_and(is_private)) {
        return Err(private());
    }
    if twice {
        return Err(Refusal::new(
            "a member of the JSON stands twice, so readers disagree on what it says (RFC 7517 section 4)",
            "get the key again from its owner",
        ));
    }
    match set {
        None => Ok(vec![one(&object)?]),
        Some(_) if keys.is_empty() => Err(Refusal::new("the JWK Set holds no key", FORMS)),
        Some(_) => keys
            .into_iter()
            .zip(1..)
            .map(|(key, number)| match key {
                Value::Object(key) => one(key).map_err(|refusal| refusal.at(format!("key {number} of the set"))),
                _ => Err(not_a_key("JSON whose member `keys` holds something else than objects")),
            })
            .collect(),
    }
}

fn private() -> Refusal {
    Refusal::private("JWK with the member `d` or `k`")
}

fn not_a_key(what: &str) -> Refusal {
    Refusal::new(format!("this looks like {what}, not like a key"), format!("was the wrong file given? {FORMS}"))
}

/// `d` is the private half of every kind (RFC 7518 §6.2.2, §6.3.2, RFC 8037 §2), `k` a shared
/// secret (RFC 7518 §6.4).
fn is_private(key: &Map<String, Value>) -> bool {
    key.contains_key("kty") && (key.contains_key("d") || key.contains_key("k"))
}

fn one(key: &Map<String, Value>) -> Result<PublicKey, Refusal> {
    let text = |name: &str| key.get(name).and_then(Value::as_str);
    let Some(kty) = text("kty") else {
        return Err(not_a_key("JSON (a row, a manifest)"));
    };
    let crv = text("crv").unwrap_or_default();
    if (kty, crv) != ("OKP", "Ed25519") {
        let tells = KINDS.iter().find(|(name, _)| *name == crv).or_else(|| KINDS.iter().find(|(name, _)| *name == kty));
        return Err(match tells {
            Some((_, kind)) => Refusal::other_kind(kind),
            None => Refusal::other_kind(format!("a JWK of kty \"{}\", crv \"{}\"", short(kty), short(crv))),
        });
    }
    contradiction(key)?;
    let x = text("x").ok_or_else(|| Refusal::new("the JWK has no member `x` with the key in it", FORMS))?;
    let bytes = BASE64URL_NOPAD.decode(x.as_bytes()).map_err(|_| {
        Refusal::new(
            "the member `x` of the JWK is not unpadded base64url (RFC 8037 section 2)",
            "the alphabet is A-Z a-z 0-9 - _ without `=` and spaces; get the key again",
        )
    })?;
    PublicKey::from_slice(&bytes)
}

/// Members that say the key is for something else than verifying Ed25519 signatures
/// (RFC 7517 §4.2 to §4.4; `alg`: RFC 8037 §3.1, RFC 9864 §2.2).
fn contradiction(key: &Map<String, Value>) -> Result<(), Refusal> {
    let says = |name: &str, right: &dyn Fn(&Value) -> bool| key.get(name).is_none_or(right);
    let verdicts = [
        ("use", says("use", &|value| value == "sig")),
        (
            "key_ops",
            says("key_ops", &|value| value.as_array().is_some_and(|list| list.iter().any(|op| op == "verify"))),
        ),
        ("alg", says("alg", &|value| value == "EdDSA" || value == "Ed25519")),
    ];
    match verdicts.iter().find(|(_, right)| !right) {
        None => Ok(()),
        Some((name, _)) => Err(Refusal::new(
            format!("the member `{name}` of the JWK says that the key is not for verifying Ed25519 signatures"),
            OTHER_KIND,
        )),
    }
}

/// The name of a kind, which never is as long as a key.
fn short(name: &str) -> String {
    word(name.as_bytes())
}

enum Trouble {
    /// A whole JSON value, and more behind it.
    More,
    /// Not JSON.
    Grammar,
}

/// One JSON text, and whether any object in it has a member twice.
///
/// For the integrator: the one place where this module reads JSON; the strict reader of
/// `crate::row` may take over. serde_json keeps the last of two members and says nothing, hence
/// the visitor. Its recursion limit (128) stands.
fn json(text: &str) -> Result<(Value, bool), Trouble> {
    let mut twice = false;
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = serde::de::DeserializeSeed::deserialize(strict::Seed(&mut twice), &mut reader);
    let value = value.map_err(|_| Trouble::Grammar)?;
    reader.end().map_err(|_| Trouble::More)?;
    Ok((value, twice))
}

/// Builds a [`Value`] and notes members that stand twice (of which the first is kept).
mod strict {
    use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};
    use serde_json::{Map, Number, Value};
    use std::fmt;

    pub(super) struct Seed<'a>(pub(super) &'a mut bool);

    impl<'de> DeserializeSeed<'de> for Seed<'_> {
        type Value = Value;

        fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Value, D::Error> {
            reader.deserialize_any(self)
        }
    }

    impl<'de> Visitor<'de> for Seed<'_> {
        type Value = Value;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("JSON")
        }

        fn visit_unit<E: Error>(self) -> Result<Value, E> {
            Ok(Value::Null)
        }

        fn visit_bool<E: Error>(self, value: bool) -> Result<Value, E> {
            Ok(Value::Bool(value))
        }

        fn visit_u64<E: Error>(self, value: u64) -> Result<Value, E> {
            Ok(value.into())
        }

        fn visit_i64<E: Error>(self, value: i64) -> Result<Value, E> {
            Ok(value.into())
        }

        fn visit_f64<E: Error>(self, value: f64) -> Result<Value, E> {
            Ok(Number::from_f64(value).map_or(Value::Null, Value::Number))
        }

        fn visit_str<E: Error>(self, value: &str) -> Result<Value, E> {
            Ok(value.into())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Value, A::Error> {
            let mut values = Vec::new();
            while let Some(value) = list.next_element_seed(Seed(self.0))? {
                values.push(value);
            }
            Ok(Value::Array(values))
        }

        fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Value, A::Error> {
            let mut members = Map::new();
            while let Some(name) = object.next_key::<String>()? {
                let value = object.next_value_seed(Seed(self.0))?;
                *self.0 |= members.contains_key(&name);
                members.entry(name).or_insert(value);
            }
            Ok(Value::Object(members))
        }
    }
}
