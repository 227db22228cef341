//! What is shown is what was checked: parts lie one after the other, and hash to the digest that an audit
//! computes.

use ledger_verify::finding::Code;
use ledger_verify::report::explained::{Part, Status};
use proptest::prelude::*;
use sha2::{Digest, Sha256};

use crate::{explained, line};

/// Parts of which preimages are made.
const PARTS: &[&str] = &[
    "\"text \\u00e9\"",
    "{ hex = \"00ff10\" }",
    "{ field = \"a\", default = \"none\" }",
    "{ field = \"b\", default = \"none\", as = \"json-string\", len = \"ascii-nul\" }",
    "{ field = \"seq\", len = \"u64be\", then_hex = \"00\" }",
    "{ prev = \"hex\" }",
    "{ prev = \"utf8\", len = \"u32be\" }",
    "{ line = true }",
    "{ json = { exclude = [\"hash\"], canon = \"jcs\" } }",
    "{ json = { exclude = [\"hash\", \"a\"], canon = \"python-default\" }, charset = \"latin1-low-byte\" }",
    "{ json = { include = [\"seq\", \"a\"], missing = \"null\" }, len = \"u64le\" }",
    "{ digest = \"sha1\", out = \"hex\", of = [ { field = \"seq\" }, \"|\", { digest = \"blake3\", of = [ { line = true } ] } ] }",
    "{ len = \"ascii\", of = [ { hex = \"01\" }, { len = \"u32be\", of = [ { field = \"a\", default = \"\" }, \"x\" ], then_hex = \"ff\" } ], then_hex = \"0a0a\" }",
];

fn value() -> impl Strategy<Value = String> {
    let text = any::<String>().prop_map(|text| serde_json::to_string(&text).expect("JSON"));
    let leaf = prop_oneof![
        2 => text,
        1 => prop::sample::select(&["null", "true", "1.0", "-0", "1e21", "0.10", "123456789012"][..]).prop_map(str::to_owned),
    ];
    leaf.prop_recursive(2, 8, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..3).prop_map(|items| format!("[{}]", items.join(", "))),
            (inner.clone(), inner).prop_map(|(a, b)| format!("{{\"z\": {a}, \"y\": {b}}}")),
        ]
    })
}

/// Parts stand one after the other from this offset on, and are what lies there.
fn lie_in_order(parts: &[Part], whole: &[u8], mut at: usize) -> usize {
    for part in parts {
        assert_eq!(part.offset, at, "{}", part.what);
        at += part.bytes.len();
        assert_eq!(whole.get(part.offset..at), Some(part.bytes.as_slice()), "{}", part.what);
        if part.what.contains(" of parts, ") {
            let over: Vec<u8> = part.inside.iter().flat_map(|inside| inside.bytes.clone()).collect();
            assert_eq!(lie_in_order(&part.inside, &over, 0), over.len());
        } else if !part.inside.is_empty() {
            assert_eq!(lie_in_order(&part.inside, whole, part.offset), at, "{}", part.what);
        }
    }
    at
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn parts_are_the_preimage(
        parts in prop::collection::vec(prop::sample::select(PARTS), 1..6),
        a in prop::option::of(value()),
        b in value(),
        late in any::<bool>(),
    ) {
        let prev = if late { "" } else { "prev = \"prev\"\n" };
        // Something must link a row to the one before.
        let parts = [parts, vec![if late { "{ field = \"seq\" }, { prev = \"hex\" }" } else { "{ line = true }" }]].concat();
        let toml = format!(
            "[profile]\nname = \"t\"\n[fields]\nseq = \"seq\"\n{prev}hash = \"hash\"\n[chain]\ngenesis = \"{}\"\n[[hash]]\npreimage = [ {} ]\n",
            "0".repeat(64),
            parts.join(", ")
        );
        let a = a.map_or_else(String::new, |a| format!("\"a\": {a}, "));
        let row = |seq: u64, prev: &str, hash: &str| format!(
            "{{ \"seq\": {seq}, {a}\"b\": {b}, \"prev\": \"{prev}\", \"hash\": \"{hash}\" }}\n"
        );
        let (zero, ff) = ("0".repeat(64), "f".repeat(64));
        let export = row(0, &zero, &ff) + &row(1, &ff, &zero);
        for number in [1, 2] {
            let told = explained(export.as_bytes(), &toml, &[], &line(number)).expect("an explanation");
            let digest = told.digest.expect("a digest");
            let preimage = digest.preimage.expect("a preimage");
            prop_assert_eq!(lie_in_order(&preimage.parts, &preimage.bytes, 0), preimage.bytes.len());
            let computed = data_encoding::HEXLOWER.encode(&Sha256::digest(&preimage.bytes));
            prop_assert_eq!(digest.computed.as_deref(), Some(computed.as_str()));
            // What the audit says, which was not watched.
            let found = told.findings.iter().find(|finding| finding.code == Code::HashMismatch).expect("a fault");
            prop_assert_eq!(found.expected.as_deref(), Some(computed.as_str()));
            prop_assert_eq!(digest.status, Status::Fails);
        }
    }
}
