//! Canonical forms and selections against Python, ECMAScript, a slow twin and hand-written tables.

mod coverage;
mod forms;
mod selections;
mod twin;
mod twins;

use ledger_verify::canonical::{Form, Replacement, Select, SelectSpec, Unwritable, Writer};
use ledger_verify::row::Reader;

/// What is selected of a line, in a form.
fn written(line: &str, spec: &SelectSpec, form: &Form, set: &[Replacement<'_>]) -> Result<String, Unwritable> {
    let select = Select::new(spec).expect("a selection");
    let mut out = Vec::new();
    let mut reader = Reader::new();
    let exact = reader.read_exact(line.as_bytes()).expect("a row");
    let result = Writer::default().write(exact.root(), &select, form, set, &mut out);
    let mut other = Reader::new();
    let fast = other.read(line.as_bytes()).expect("a row");
    if !form.needs_exact(fast) {
        let mut again = Vec::new();
        assert_eq!(Writer::default().write(fast.root(), &select, form, set, &mut again), result, "{line}");
        if result.is_ok() {
            assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&out), "{line}");
        }
    }
    result.map(|()| String::from_utf8(out).expect("UTF-8"))
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
