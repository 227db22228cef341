//! Signatures and MACs of every algorithm, and the keys of them: vectors of others, real ledgers, and
//! what must be refused.

mod keys;
mod sshsig;
mod vectors;
mod wild;

use std::path::Path;

use data_encoding::HEXLOWER_PERMISSIVE;
use ledger_verify::algorithm::{KeyWish, Scheme, SignatureAlgorithm};
use ledger_verify::trust::key::{self, Key};

/// The one key of a file, read for this algorithm in any form.
fn key(algorithm: SignatureAlgorithm, file: impl AsRef<[u8]>) -> Key {
    let mut keys = key::read(file.as_ref(), &KeyWish::of(algorithm), "key").expect("a key");
    assert_eq!(keys.len(), 1);
    keys.remove(0)
}

/// Why a file is refused.
fn refused(wish: &KeyWish, file: impl AsRef<[u8]>) -> String {
    let stop = key::read(file.as_ref(), wish, "key").expect_err("no such key");
    format!("{}; {}", stop.message, stop.hint.expect("a hint"))
}

fn hex(text: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(text.as_bytes()).expect("hex of a test")
}

fn testdata(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata").join(name);
    std::fs::read(&path).unwrap_or_else(|_| panic!("{name} is part of this project"))
}

fn namespace(name: &str) -> Scheme {
    Scheme::Sshsig { namespace: name.into() }
}
