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
    let mut again = Vec::new();
    let after = after_sibling(line, &select, form, set, &mut again);
    assert_eq!(after, result, "{line} after {}", sibling(line));
    if result.is_ok() {
        assert_eq!(String::from_utf8_lossy(&again), String::from_utf8_lossy(&out), "{line} after {}", sibling(line));
    }
    result.map(|()| String::from_utf8(out).expect("UTF-8"))
}

/// The same, with a reader and a writer that know the shape of the line from one with other scalars.
fn after_sibling(
    line: &str,
    select: &Select,
    form: &Form,
    set: &[Replacement<'_>],
    out: &mut Vec<u8>,
) -> Result<(), Unwritable> {
    let (mut reader, mut writer) = (Reader::learning(), Writer::default());
    for _ in 0..2 {
        let sibling = sibling(line);
        let row = reader.read_with(sibling.as_bytes(), true).expect("a row");
        let _ = writer.write(row.root(), select, form, set, &mut Vec::new());
    }
    let row = reader.read_with(line.as_bytes(), true).expect("a row");
    writer.write(row.root(), select, form, set, out)
}

/// A line of the same names, nesting and white space with other scalars.
fn sibling(line: &str) -> String {
    let (mut out, mut rest) = (String::new(), line);
    while let Some(first) = rest.chars().next() {
        let length = match first {
            '"' => {
                let mut escaped = false;
                let end = rest.char_indices().skip(1).find(|(_, char)| {
                    let ends = *char == '"' && !escaped;
                    escaped = *char == '\\' && !escaped;
                    ends
                });
                end.map_or(rest.len(), |(at, _)| at + 1)
            }
            '-' | '0'..='9' | 'a'..='z' => {
                rest.find(|char: char| !(char.is_ascii_alphanumeric() || "+-.".contains(char))).unwrap_or(rest.len())
            }
            _ => first.len_utf8(),
        };
        let (token, behind) = rest.split_at(length);
        let is_name = behind.trim_start().starts_with(':');
        out.push_str(match first {
            '"' if !is_name => r#""s\u00e9\n""#,
            '-' | '0'..='9' => "2.50",
            'a'..='z' if token == "null" => "true",
            'a'..='z' => "null",
            _ => token,
        });
        rest = behind;
    }
    out
}

fn texts(texts: &[&str]) -> Vec<String> {
    texts.iter().map(|text| (*text).to_owned()).collect()
}
