//! DER: a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7), and the RSAPublicKey of PKCS#1.
//!
//! It decides whether bytes are exactly that structure and nothing else: the object identifier of the
//! wanted kind, its parameters as the RFC has them (none for Ed25519 and ML-DSA, RFC 8410 §3 and RFC
//! 9881 §2; the name of the curve, RFC 5480 §2.1.1; NULL for RSA, RFC 3279 §2.3.1), a BIT STRING
//! without unused bits, the key in it, nothing behind it. The last 32 bytes of an X25519 key look like
//! an Ed25519 key, so bytes are never taken by place.
//! It trusts the crates `der` and `spki` for the grammar of DER; for everything else that comes
//! as DER only the outer tags are looked at, enough to name it and never its contents.

use std::ops::Range;

use ::rsa::pkcs1::RsaPublicKeyRef;
use der::asn1::ObjectIdentifier;
use der::{Decode, ErrorKind, Header, Reader, SliceReader, Tag, TagNumber};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use super::Key;
use super::kind::{EC, kind};
use super::mldsa::MlDsa65Key;
use super::p256::P256Key;
use super::public::PublicKey;
use super::refusal::{CERTIFICATE, Hint, REQUEST, Refusal};
use super::rsa::RsaKey;
use super::wanted::Wanted;

const ED25519: &str = "1.3.101.112";
const P256: &str = "1.2.840.10045.3.1.7";
const RSA: &str = "1.2.840.113549.1.1.1";
const ML_DSA_65: &str = "2.16.840.1.101.3.4.3.18";

/// The tags of an RSAPublicKey (RFC 8017 appendix A.1.1).
const PKCS1: &str = "II";

/// What else comes as one SEQUENCE: the tags inside it, those inside its first member ("" is
/// any), what it is, and what to do; private keys have no advice of their own. The first row that
/// fits speaks.
const SHAPES: &[(&str, &str, &str, Option<Hint>)] = &[
    ("ISO", "", "PKCS#8 DER", None),
    ("IO", "", "SEC 1 DER of an elliptic curve", None),
    ("III", "", "PKCS#1 RSA or DSA DER", None),
    ("ISS", "", "PKCS#12 container", None),
    ("SO", "N", "encrypted PKCS#8 DER", None),
    (PKCS1, "", "an RSA key (PKCS#1)", Some(Hint::OtherKind)),
    ("SSB", "ISS0", "a certificate request, not a bare public key", Some(REQUEST)),
    ("SSB", "", "an X.509 certificate, not a bare public key", Some(CERTIFICATE)),
    ("N0", "", "a PKCS#7 container of certificates, not a bare public key", Some(Hint::Forms)),
];

/// The first two members of all these, and of a SubjectPublicKeyInfo. Of random bytes one in 10^7 starts so.
const STARTS: &[&str] = &["IS", "IO", "II", "SO", "SS", "SB", "N0"];

/// The key in `bytes`, which are the whole structure.
pub(super) fn read(bytes: &[u8], wanted: Wanted) -> Result<Key, Refusal> {
    let pkcs1 = wanted.rsa() && shape(bytes).is_some_and(|(outer, _)| outer == PKCS1);
    if let Some(refusal) = foreign(bytes).filter(|_| !pkcs1) {
        return Err(refusal);
    }
    match span(bytes) {
        Some(whole) if whole < bytes.len() => {
            return Err(extra(format!("{} extra bytes stand behind the key", bytes.len() - whole)));
        }
        Some(whole) if whole > bytes.len() => {
            return Err(Refusal::new(
                format!("the DER is cut off: {} of {whole} bytes are there", bytes.len()),
                "copy the whole file again",
            ));
        }
        _ if pkcs1 => return rsa(bytes),
        _ => {}
    }
    let spki = SubjectPublicKeyInfoRef::from_der(bytes).map_err(|error| match error.kind() {
        ErrorKind::TrailingData { .. } => extra("extra bytes stand inside the key structure".to_owned()),
        _ => Refusal::new("this is not the DER of a public key (SubjectPublicKeyInfo, RFC 5280)", Hint::Forms),
    })?;
    let kind = algorithm(&spki.algorithm, wanted)?;
    let bits = spki.subject_public_key;
    if bits.unused_bits() != 0 {
        return Err(Refusal::new(
            format!("the BIT STRING of the key has {} unused bits, it must have none", bits.unused_bits()),
            "the file is damaged; get the key again from its owner",
        ));
    }
    let key = bits.raw_bytes();
    match kind {
        Kind::Ed25519 => PublicKey::from_slice(key).map(Key::Ed25519),
        Kind::P256 => P256Key::new(key).map(Key::P256),
        Kind::Rsa => rsa(key),
        Kind::MlDsa65 => MlDsa65Key::new(key).map(Key::MlDsa65),
    }
}

/// The key in an RSAPublicKey.
fn rsa(bytes: &[u8]) -> Result<Key, Refusal> {
    let key = RsaPublicKeyRef::try_from(bytes).map_err(|_| {
        Refusal::new("the RSA key inside is not exactly two numbers (RFC 8017 appendix A.1.1)", Hint::Forms)
    })?;
    RsaKey::new(key.modulus.as_bytes(), key.public_exponent.as_bytes()).map(Key::Rsa)
}

fn extra(why: String) -> Refusal {
    Refusal::new(why, "the file is damaged or hides something; get the key again from its owner")
}

/// The kinds of key that are read.
enum Kind {
    Ed25519,
    P256,
    Rsa,
    MlDsa65,
}

/// The wanted kind with the parameters that it has, or the name of what it is.
fn algorithm(found: &AlgorithmIdentifierRef<'_>, wanted: Wanted) -> Result<Kind, Refusal> {
    let oid = found.oid.to_string();
    let curve = found.parameters.filter(|_| oid == EC).and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok());
    let curve = curve.map(|curve| curve.to_string());
    match (oid.as_str(), curve.as_deref()) {
        (ED25519, _) if wanted.ed25519() => {
            no_parameters(found, Kind::Ed25519, "Ed25519 has none (RFC 8410 section 3)")
        }
        (EC, Some(P256)) if wanted.p256() => Ok(Kind::P256),
        (RSA, _) if wanted.rsa() && found.parameters.is_some_and(|given| given.is_null()) => Ok(Kind::Rsa),
        (RSA, _) if wanted.rsa() => {
            Err(Refusal::new("its algorithm has not the NULL parameters of RSA (RFC 3279 section 2.3.1)", WRITE_AGAIN))
        }
        (ML_DSA_65, _) if wanted.ml_dsa_65() => {
            no_parameters(found, Kind::MlDsa65, "ML-DSA-65 has none (RFC 9881 section 2)")
        }
        _ => Err(match curve.as_deref().and_then(kind).or_else(|| kind(&oid)) {
            Some(what) => Refusal::other_kind(what),
            None => Refusal::other_kind(format!("a key of the algorithm {oid:.60}")),
        }),
    }
}

const WRITE_AGAIN: &str =
    "the program that wrote it does not follow the RFC; write it again with: openssl pkey -pubin -in FILE -pubout";

fn no_parameters(found: &AlgorithmIdentifierRef<'_>, kind: Kind, rule: &str) -> Result<Kind, Refusal> {
    match found.parameters {
        None => Ok(kind),
        Some(given) => {
            let what = if given.is_null() { "NULL parameters" } else { "algorithm parameters" };
            Err(Refusal::new(format!("its algorithm has {what}; {rule}"), WRITE_AGAIN))
        }
    }
}

/// The refusal of something else that comes as DER, if these bytes are such, even cut off.
pub(super) fn foreign(bytes: &[u8]) -> Option<Refusal> {
    let (outer, first) = shape(bytes)?;
    let (.., what, hint) =
        SHAPES.iter().find(|(tags, inner, ..)| outer.starts_with(tags) && first.starts_with(inner))?;
    Some(Refusal::listed(what, hint.as_ref()))
}

/// Reports whether `bytes` are a SEQUENCE, or start as one with a member that this module could name. 32 bytes
/// may be a raw key: they must start with two members as a key or certificate has them.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    let named = |(outer, _): (String, String)| match bytes.len() {
        32 => STARTS.iter().any(|start| outer.starts_with(start)),
        length => span(bytes) == Some(length) || !outer.is_empty() && !outer.contains('?'),
    };
    shape(bytes).is_some_and(named)
}

/// How many bytes the outer SEQUENCE says it has, with its header.
fn span(bytes: &[u8]) -> Option<usize> {
    header(bytes).filter(|(tag, _)| *tag == Tag::Sequence).map(|(_, contents)| contents.end)
}

/// The tag of the structure that `bytes` start with, and where its contents are or should be.
fn header(bytes: &[u8]) -> Option<(Tag, Range<usize>)> {
    let mut reader = SliceReader::new(bytes).ok()?;
    let header = Header::decode(&mut reader).ok()?;
    let start = usize::try_from(reader.position()).ok()?;
    Some((header.tag(), start..start.checked_add(usize::try_from(header.length()).ok()?)?))
}

/// One letter for each member of the outer SEQUENCE, and for each member of its first.
///
/// A member whose bytes are cut off still gives its letter: half a private key is a private key.
fn shape(bytes: &[u8]) -> Option<(String, String)> {
    span(bytes)?;
    let (outer, first) = letters(inside(bytes)?);
    Some((outer, first.and_then(inside).map(|first| letters(first).0).unwrap_or_default()))
}

/// What is there of the contents of the structure that `bytes` start with.
fn inside(bytes: &[u8]) -> Option<&[u8]> {
    let (_, contents) = header(bytes)?;
    bytes.get(contents.start..contents.end.min(bytes.len()))
}

fn letters(mut rest: &[u8]) -> (String, Option<&[u8]>) {
    const ENOUGH: usize = 8;
    let mut found = String::new();
    let first = (!rest.is_empty()).then_some(rest);
    while let Some((letter, behind)) = member(rest) {
        found.push(letter);
        rest = behind;
        if found.len() == ENOUGH {
            break;
        }
    }
    (found, first)
}

/// The letter of one member and what stands behind it.
fn member(bytes: &[u8]) -> Option<(char, &[u8])> {
    let (tag, contents) = header(bytes)?;
    let letter = match tag {
        Tag::Integer => 'I',
        Tag::Sequence => 'S',
        Tag::OctetString => 'O',
        Tag::BitString => 'B',
        Tag::ObjectIdentifier => 'N',
        Tag::ContextSpecific { number: TagNumber(0), .. } => '0',
        Tag::ContextSpecific { .. } => '1',
        _ => '?',
    };
    Some((letter, bytes.get(contents.end..).unwrap_or_default()))
}
