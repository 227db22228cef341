//! A line of an export in Python's dialect: both readers read the same, what strict JSON is means the same, and
//! canonical text is its own canonical text.

use ledger_verify::canonical::{Escape, Form, Keys, Numbers, Select, Separators, Unicode, Writer};
use ledger_verify::row::{Reader, Row, python};

const FORM: Form = Form {
    keys: Keys::Codepoint,
    top_keys: None,
    separators: Separators::Python,
    escape: Escape::Json,
    numbers: Numbers::Python,
    unicode: Unicode::None,
};

/// Holds the line to what must be true of any.
pub fn check(line: &[u8]) {
    let text = String::from_utf8_lossy(python::trim(line)).into_owned();
    assert_eq!(python::trim(text.as_bytes()), text.as_bytes(), "nothing is left to trim");
    let (mut fast, mut exact, mut strict) = (Reader::new(), Reader::new(), Reader::new());
    let first = fast.read_python(text.as_bytes(), false).map(|row| FORM.needs_exact(row));
    let second = exact.read_python(text.as_bytes(), true).map(|_| ());
    assert_eq!(first.clone().map(|_| ()), second);
    assert_eq!(fast.repeated(), exact.repeated());
    match first {
        Ok(large) => {
            let written = canonical(exact.last(), &FORM);
            assert!(large || canonical(fast.last(), &FORM) == written, "the readers read two rows");
            // In ASCII every value has a text that is read again, lone surrogates among them.
            let ascii = canonical(exact.last(), &Form { escape: Escape::Ascii, ..FORM });
            let again = fast.read_python(&ascii, true).expect("canonical text is a row");
            assert_eq!(canonical(again, &FORM), written);
            assert!(fast.repeated().is_none());
            if let Ok(row) = strict.read_exact(text.as_bytes()) {
                assert_eq!(canonical(row, &FORM), written);
            }
        }
        Err(why) => {
            assert!(why.at <= text.len());
            let strict = strict.read(text.as_bytes()).map(|_| ());
            // Strict JSON that is none of Python's is only deeper, or has a longer integer.
            assert!(
                strict.is_err() || why.to_string().contains("levels") || why.to_string().contains("digits"),
                "{why}"
            );
        }
    }
}

fn canonical(row: &Row, form: &Form) -> Vec<u8> {
    let mut text = Vec::new();
    Writer::default().write(row.root(), &Select::default(), form, &[], &mut text).expect("the form holds any row");
    text
}
