//! The kinds of key that are read here or known by name, for the message of a refusal.
//!
//! It decides nothing about a key: it gives a name to what another module has refused.

/// The object identifier of elliptic curve keys, whose parameters tell the curve.
pub(super) const EC: &str = "1.2.840.10045.2.1";

/// Kinds by what names them: object identifiers of algorithms (RFC 8410 §3, RFC 3279 §2.3, RFC
/// 4055 §1.2, RFC 9881 §2) and curves (RFC 5480 §2.1.1.1, SEC 2), `crv` and `kty` of a JWK.
const KINDS: &[(&[&str], &str)] = &[
    (&["1.3.101.112", "Ed25519"], "an Ed25519 key"),
    (&["1.3.101.110", "X25519"], "an X25519 key (key agreement, it cannot sign)"),
    (&["1.3.101.111", "X448"], "an X448 key (key agreement, it cannot sign)"),
    (&["1.3.101.113", "Ed448"], "an Ed448 key"),
    (&["1.2.840.10045.3.1.7", "P-256"], "an elliptic curve key on P-256 (ECDSA)"),
    (&["1.3.132.0.34", "P-384"], "an elliptic curve key on P-384 (ECDSA)"),
    (&["1.3.132.0.35", "P-521"], "an elliptic curve key on P-521 (ECDSA)"),
    (&["1.3.132.0.10", "secp256k1"], "an elliptic curve key on secp256k1 (ECDSA)"),
    (&[EC, "EC"], "an elliptic curve key (ECDSA)"),
    (&["1.2.840.113549.1.1.1", "RSA"], "an RSA key"),
    (&["1.2.840.113549.1.1.10"], "an RSA key (RSASSA-PSS)"),
    (&["1.2.840.10040.4.1"], "a DSA key"),
    (&["1.2.840.10046.2.1", "1.2.840.113549.1.3.1"], "a Diffie-Hellman key"),
    (&["2.16.840.1.101.3.4.3.17"], "an ML-DSA-44 key"),
    (&["2.16.840.1.101.3.4.3.18"], "an ML-DSA-65 key"),
    (&["2.16.840.1.101.3.4.3.19"], "an ML-DSA-87 key"),
    (&["AKP"], "a key of a post-quantum algorithm"),
];

/// What is known by this name.
pub(super) fn kind(name: &str) -> Option<&'static str> {
    KINDS.iter().find(|(names, _)| names.contains(&name)).map(|(_, what)| *what)
}
