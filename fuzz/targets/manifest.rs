//! A manifest: alone, behind a byte order mark or in an array it says the same, of each chain once.

use std::collections::HashSet;
use std::sync::LazyLock;

use ledger_verify::profile::{self, Plan};
use ledger_verify::trust::manifest;

static PLAN: LazyLock<Plan> = LazyLock::new(|| profile::builtin(profile::HOME).expect("the home format"));

/// Shorter texts cannot be nested so deep that an array around them is a level too much.
const SHALLOW: usize = 999;

/// Holds the manifest to what must be true of any.
pub fn check(text: &[u8]) {
    let head = PLAN.head.as_ref().expect("it has manifests");
    let read = |text: &[u8]| manifest::read(text, head, &PLAN.form);
    let said = read(text);
    let marked = text.starts_with(b"\xef\xbb\xbf");
    if !marked {
        assert_eq!(said, read(&[b"\xef\xbb\xbf", text].concat()), "behind a byte order mark");
    }
    match said {
        Ok(entries) => {
            assert!(!entries.is_empty());
            let chains: HashSet<Option<&str>> = entries.iter().map(|entry| entry.chain.as_deref()).collect();
            assert_eq!(chains.len(), entries.len(), "a chain has two entries");
            let [entry] = entries.as_slice() else { return };
            if text.trim_ascii_start().starts_with(b"{") && text.len() < SHALLOW {
                let array = [b"[", text, b"]"].concat();
                assert_eq!(read(&array).as_deref(), Ok(std::slice::from_ref(entry)), "in an array");
            }
        }
        Err(wrong) => assert!(!wrong.is_empty()),
    }
}
