//! A line of an export: both readers and serde_json read the same, and spell it alike in RFC 8785.

use ledger_verify::canonical::{Exclude, jcs};
use ledger_verify::row::{Kind, Number, Reader, Row, Value};

/// Holds the line to what must be true of any.
pub fn check(line: &[u8]) {
    let (mut fast, mut exact) = (Reader::new(), Reader::new());
    let other = serde_json::from_slice::<serde_json::Map<_, _>>(line);
    match (fast.read(line), exact.read_exact(line)) {
        (Ok(fast), Ok(exact)) => {
            assert!(same(fast.root(), exact.root()), "the readers read two rows");
            assert_eq!(fast.large_numbers(), exact.large_numbers());
            let text = canonical(fast);
            assert_eq!(text, canonical(exact));
            let again = fast_row(&text);
            assert_eq!(text, again, "canonical text is its own canonical text");
            match other {
                Ok(other) => assert_eq!(serde_json_canonicalizer::to_vec(&other).ok(), Some(text)),
                Err(error) => assert!(error.to_string().contains("recursion limit"), "serde_json refuses it: {error}"),
            }
        }
        (Err(fast), Err(exact)) => {
            assert_eq!(fast, exact);
            assert!(exact.at <= line.len());
            // serde_json keeps the last of two members.
            assert!(other.is_err() || exact.kind == Kind::DuplicateKey, "serde_json reads it: {exact}");
        }
        (fast, exact) => panic!("{:?} and {:?}", fast.err(), exact.err()),
    }
}

fn canonical(row: &Row) -> Vec<u8> {
    let mut text = Vec::new();
    jcs::write(row.root(), &Exclude::default(), &mut text);
    text
}

fn fast_row(text: &[u8]) -> Vec<u8> {
    canonical(Reader::new().read(text).expect("canonical text is a row"))
}

/// Whether two values are the same to the bit, with members in the same order.
fn same(a: Value<'_>, b: Value<'_>) -> bool {
    let numbers = match (a.as_number(), b.as_number()) {
        (Some(Number::Double(a)), Some(Number::Double(b))) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    let members = a.members().zip(b.members()).all(|((a, av), (b, bv))| a == b && same(av, bv));
    let items = a.items().zip(b.items()).all(|(a, b)| same(a, b));
    numbers && members && items && a.kind() == b.kind() && a.count() == b.count() && a.as_str() == b.as_str()
}
