//! The refined type: two numbers that are an RSA public key fit to judge a signature.
//!
//! It decides how large they may be: a modulus of 2,048 to 8,192 bits, an odd exponent from 3 to
//! 2^33 − 1 (the crate's bound). Under the exponent 1 every message is its own signature. A modulus
//! with a small factor was made by no key generator, and whoever finds the rest of its factors can
//! sign; that the others are hard to find is not shown here.

use std::fmt;

use ::rsa::BoxedUint;
use ::rsa::pkcs1::EncodeRsaPublicKey;
use ::rsa::traits::PublicKeyParts;

use super::Fingerprint;
use super::openssh::put;
use super::refusal::Refusal;
use crate::algorithm::{RSA_BITS_LEAST, RSA_BITS_MOST};

const GET_AGAIN: &str = "no key generator writes this; get the key again from its owner";

/// Odd primes that no honest modulus is a multiple of.
const SMALL_PRIMES: [u64; 30] = [
    3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37, 41, 43, 47, 53, 59, 61, 67, 71, 73, 79, 83, 89, 97, 101, 103, 107, 109,
    113, 127,
];

/// An RSA public key.
#[derive(Clone, PartialEq, Eq)]
pub struct RsaKey(::rsa::PublicKey);

impl RsaKey {
    /// The key of this modulus and exponent, big-endian; zeros in front say nothing.
    pub(super) fn new(modulus: &[u8], exponent: &[u8]) -> Result<Self, Refusal> {
        let (n, e) = (stripped(modulus), stripped(exponent));
        let bits = n.first().map_or(0, |first| 8 * n.len() - first.leading_zeros() as usize);
        if bits < RSA_BITS_LEAST {
            return Err(Refusal::new(
                format!("weak key: an RSA modulus of {bits} bits, at least {RSA_BITS_LEAST} are needed"),
                "such a key can be broken; ask for the signatures of a longer one",
            ));
        }
        if bits > RSA_BITS_MOST {
            return Err(Refusal::new(
                format!("an RSA modulus of {bits} bits, at most {RSA_BITS_MOST} are read"),
                "each signature would take long to check; ask for a shorter key",
            ));
        }
        let small = |prime: &u64| n.iter().fold(0, |rest, byte| (rest * 256 + u64::from(*byte)) % prime) == 0;
        if n.last().is_none_or(|last| last % 2 == 0) || SMALL_PRIMES.iter().any(small) {
            return Err(Refusal::new("weak key: its modulus is the multiple of a small number", GET_AGAIN));
        }
        if e.last().is_none_or(|last| last % 2 == 0) || e == [1] {
            return Err(Refusal::new(
                "weak key: its exponent is 1 or even, so that anyone can write its signatures",
                GET_AGAIN,
            ));
        }
        let number = BoxedUint::from_be_slice_vartime;
        match ::rsa::PublicKey::new_with_size_limits(number(n), number(e), RSA_BITS_LEAST..=RSA_BITS_MOST) {
            Ok(key) => Ok(RsaKey(key)),
            Err(_) => Err(Refusal::new("its exponent is larger than 2^33 - 1", GET_AGAIN)),
        }
    }

    /// The key that judges signatures.
    pub fn verifying(&self) -> &::rsa::PublicKey {
        &self.0
    }

    /// Its RSAPublicKey, DER (RFC 8017 appendix A.1.1).
    pub(super) fn pkcs1(&self) -> Vec<u8> {
        self.0.to_pkcs1_der().map(|der| der.as_bytes().to_vec()).unwrap_or_default()
    }

    /// The blob of OpenSSH (RFC 4253 §6.6).
    pub(super) fn blob(&self) -> Vec<u8> {
        let mut blob = Vec::new();
        put(b"ssh-rsa", &mut blob);
        for number in [self.0.e_bytes(), self.0.n_bytes()] {
            let number = stripped(&number);
            // A first bit that is set would make the number negative (RFC 4251 §5).
            let sign = number.first().is_some_and(|first| *first >= 0x80);
            put(&[&[0][..usize::from(sign)], number].concat(), &mut blob);
        }
        blob
    }
}

impl fmt::Debug for RsaKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "RsaKey({})", Fingerprint(&self.blob()))
    }
}

fn stripped(number: &[u8]) -> &[u8] {
    let zeros = number.iter().take_while(|byte| **byte == 0).count();
    number.get(zeros..).unwrap_or_default()
}
