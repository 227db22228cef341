//! DER: a SubjectPublicKeyInfo (RFC 5280 §4.1.2.7) of Ed25519 as RFC 8410 writes it.
//!
//! It decides whether bytes are exactly that structure and nothing else: the object identifier of
//! Ed25519, no parameters (RFC 8410 §3), a BIT STRING without unused bits, 32 bytes in it, none
//! behind it. The last 32 bytes of an X25519 key look the same, so bytes are never taken by place.
//! It trusts the crates `der` and `spki` for the grammar of DER; for everything else that comes
//! as DER only the outer tags are looked at, enough to name it and never its contents.

use std::ops::Range;

use der::asn1::ObjectIdentifier;
use der::{Decode, ErrorKind, Header, Reader, SliceReader, Tag, TagNumber};
use spki::{AlgorithmIdentifierRef, SubjectPublicKeyInfoRef};

use super::kind::{EC, kind};
use super::public::PublicKey;
use super::refusal::{CERTIFICATE, FORMS, REQUEST, Refusal};

const ED25519: &str = "1.3.101.112";

/// What else comes as one SEQUENCE: the tags inside it, those inside its first member ("" is
/// any), what it is, and what to do; private keys have no advice of their own. The first row that
/// fits speaks.
const SHAPES: &[(&str, &str, &str, Option<&str>)] = &[
    ("ISO", "", "PKCS#8 DER", None),
    ("IO", "", "SEC 1 DER of an elliptic curve", None),
    ("III", "", "PKCS#1 RSA or DSA DER", None),
    ("ISS", "", "PKCS#12 container", None),
    ("SO", "N", "encrypted PKCS#8 DER", None),
    ("II", "", "an RSA key (PKCS#1), not an Ed25519 public key", Some(FORMS)),
    ("SSB", "ISS0", "a certificate request, not a bare public key", Some(REQUEST)),
    ("SSB", "", "an X.509 certificate, not a bare public key", Some(CERTIFICATE)),
    ("N0", "", "a PKCS#7 container of certificates, not a bare public key", Some(FORMS)),
];

/// The key in `bytes`, which are the whole structure.
pub(super) fn read(bytes: &[u8]) -> Result<PublicKey, Refusal> {
    if let Some(refusal) = foreign(bytes) {
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
        _ => {}
    }
    let spki = SubjectPublicKeyInfoRef::from_der(bytes).map_err(|error| match error.kind() {
        ErrorKind::TrailingData { .. } => extra("extra bytes stand inside the key structure".to_owned()),
        _ => Refusal::new("this is not the DER of a public key (SubjectPublicKeyInfo, RFC 5280)", FORMS),
    })?;
    algorithm(&spki.algorithm)?;
    let bits = spki.subject_public_key;
    if bits.unused_bits() != 0 {
        return Err(Refusal::new(
            format!("the BIT STRING of the key has {} unused bits, it must have none", bits.unused_bits()),
            "the file is damaged; get the key again from its owner",
        ));
    }
    PublicKey::from_slice(bits.raw_bytes())
}

fn extra(why: String) -> Refusal {
    Refusal::new(why, "the file is damaged or hides something; get the key again from its owner")
}

/// Ed25519 without parameters, or the name of what it is.
fn algorithm(found: &AlgorithmIdentifierRef<'_>) -> Result<(), Refusal> {
    let oid = found.oid.to_string();
    if oid != ED25519 {
        let curve = found.parameters.filter(|_| oid == EC).and_then(|curve| curve.decode_as::<ObjectIdentifier>().ok());
        return Err(match curve.and_then(|curve| kind(&curve.to_string())).or_else(|| kind(&oid)) {
            Some(what) => Refusal::other_kind(what),
            None => Refusal::other_kind(format!("a key of the algorithm {oid:.60}")),
        });
    }
    match found.parameters {
        None => Ok(()),
        Some(given) => {
            let what = if given.is_null() { "NULL parameters" } else { "algorithm parameters" };
            Err(Refusal::new(
                format!("its algorithm has {what}; Ed25519 has none (RFC 8410 section 3)"),
                "the program that wrote it does not follow RFC 8410; write it again with: openssl pkey -pubin -in FILE -pubout",
            ))
        }
    }
}

/// The refusal of something else that comes as DER, if these bytes are such, even cut off.
pub(super) fn foreign(bytes: &[u8]) -> Option<Refusal> {
    let (outer, first) = shape(bytes)?;
    let (.., what, hint) =
        SHAPES.iter().find(|(tags, inner, ..)| outer.starts_with(tags) && first.starts_with(inner))?;
    Some(hint.map_or_else(|| Refusal::private(what), |hint| Refusal::new(*what, hint)))
}

/// Reports whether `bytes` start as a SEQUENCE with a member that this module could name.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    span(bytes) == Some(bytes.len()) || shape(bytes).is_some_and(|(outer, _)| !outer.is_empty() && !outer.contains('?'))
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
