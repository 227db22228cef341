//! Which members of two rows differ.
//!
//! Decided here: when two values are the same. Texts are, if they are so after unescaping; numbers, if they have the
//! same value, not only the same double; objects, whatever the order of their members. Nothing is concluded from a
//! name that holds a lone surrogate: what has one is the same only as it is written.

use std::collections::HashMap;

use crate::report::compare::{MemberDiff, MembersDiff};
use crate::row::{Decimal, Value};

/// Levels that are looked into; what lies deeper is the same only as it is written.
const DEPTH: usize = 100;

/// Differing members that are kept.
const MOST: usize = 50;

/// Characters of a value, or of the name of a member, that are kept.
const LONGEST: usize = 1024;

/// The members of two rows that differ; both were read exactly.
pub(super) fn differing(a: Value<'_>, b: Value<'_>) -> MembersDiff {
    let mut out = MembersDiff::default();
    compare(&mut String::new(), DEPTH, a, b, &mut out);
    out
}

/// `depth`: levels that are still looked into.
fn compare(path: &mut String, depth: usize, a: Value<'_>, b: Value<'_>, out: &mut MembersDiff) {
    if a.written().is_some() && a.written() == b.written() {
        return;
    }
    let Some(depth) = depth.checked_sub(1) else { return out.push(path, Some(a), Some(b)) };
    if a.is_array() && b.is_array() && a.count() == b.count() {
        for (index, (a, b)) in a.items().zip(b.items()).enumerate() {
            within(path, &index.to_string(), |path| compare(path, depth, a, b, out));
        }
        return;
    }
    if !(a.is_object() && b.is_object()) || lossy(a) || lossy(b) {
        if !is_same(a, b) {
            out.push(path, Some(a), Some(b));
        }
        return;
    }
    let mut others: HashMap<&str, Value<'_>> = b.members().collect();
    for (name, value) in a.members() {
        let other = others.remove(name);
        within(path, name, |path| match other {
            Some(other) => compare(path, depth, value, other, out),
            None => out.push(path, Some(value), None),
        });
    }
    // In the order of the line.
    for (name, value) in b.members().filter(|(name, _)| others.contains_key(name)) {
        within(path, name, |path| out.push(path, None, Some(value)));
    }
}

/// Whether names of this object are not told apart by their text.
fn lossy(value: Value<'_>) -> bool {
    value.members().any(|(name, _)| name.contains('\u{fffd}'))
}

fn within(path: &mut String, name: &str, work: impl FnOnce(&mut String)) {
    let before = path.len();
    if before > 0 {
        path.push('.');
    }
    path.push_str(name);
    work(path);
    path.truncate(before);
}

/// Whether two values are the same, of which not both are objects, or arrays of one length.
fn is_same(a: Value<'_>, b: Value<'_>) -> bool {
    match (a.as_bytes(), b.as_bytes()) {
        (Some(a), Some(b)) => return a == b,
        (None, None) => {}
        _ => return false,
    }
    if a.as_number().is_some() && b.as_number().is_some() {
        return match (a.written(), b.written()) {
            (Some(a), Some(b)) => a == b || (is_decimal(a) && is_decimal(b) && is_one_number(a, b)),
            _ => false,
        };
    }
    // What is left is a word, or differs.
    !a.is_object() && !a.is_array() && a.kind() == b.kind() && a.as_number().is_none() && b.as_number().is_none()
}

fn is_one_number(a: &str, b: &str) -> bool {
    a.starts_with('-') == b.starts_with('-') && Decimal::new(a) == Decimal::new(b)
}

/// Whether it is a number of JSON; Python's dialect has others.
fn is_decimal(text: &str) -> bool {
    text.trim_start_matches('-').bytes().next().is_some_and(|byte| byte.is_ascii_digit())
}

impl MembersDiff {
    fn push(&mut self, path: &str, a: Option<Value<'_>>, b: Option<Value<'_>>) {
        self.count += 1;
        if self.listed.len() < MOST {
            let shown = |value: Value<'_>| cut(value.written().unwrap_or_else(|| value.kind()));
            let member = if path.is_empty() { "(the row)".to_owned() } else { cut(path) };
            self.listed.push(MemberDiff { member, a: a.map(shown), b: b.map(shown) });
        }
    }
}

/// Record text, cut to what is kept of it.
pub(super) fn cut(text: &str) -> String {
    match text.char_indices().nth(LONGEST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::row::Reader;

    fn names(a: &str, b: &str) -> Vec<String> {
        let (mut one, mut other) = (Reader::new(), Reader::new());
        let a = one.read_exact(a.as_bytes()).expect("a row").root();
        let b = other.read_exact(b.as_bytes()).expect("a row").root();
        differing(a, b).listed.into_iter().map(|diff| diff.member).collect()
    }

    #[test]
    fn what_is_written_otherwise_is_the_same() {
        for (a, b) in [
            (r#"{"a":1,"b":"x"}"#, r#"{ "b" : "\u0078", "a":1.0 }"#),
            (r#"{"a":[1,{"b":null}]}"#, r#"{"a":[10e-1,{"b":null}]}"#),
            (r#"{"a":{}}"#, r#"{"a":{ }}"#),
            (r#"{"a":[]}"#, r#"{"a":[ ]}"#),
            (r#"{"a":true}"#, r#"{"a": true}"#),
        ] {
            assert_eq!(names(a, b), [""; 0], "{a} {b}");
        }
    }

    #[test]
    fn what_lies_deep_is_the_same_as_it_is_written() {
        let deep = |inner: &str| format!("{{\"a\":{}{inner}{}}}", "[".repeat(900), "]".repeat(900));
        assert_eq!(names(&deep("1"), &deep("1")).len(), 0);
        assert_eq!(names(&deep("1"), &deep("2")).len(), 1);
        assert_eq!(names(&deep("1"), &deep("1.0")).len(), 1);
    }

    #[test]
    fn what_differs_is_named() {
        for (a, b, wanted) in [
            (r#"{"a":1}"#, r#"{"a":2}"#, "a"),
            (r#"{"a":9007199254740993}"#, r#"{"a":9007199254740992}"#, "a"),
            (r#"{"a":0}"#, r#"{"a":-0}"#, "a"),
            (r#"{"a":1}"#, r#"{"a":"1"}"#, "a"),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, "a"),
            (r#"{"a":null}"#, r#"{"a":false}"#, "a"),
            (r#"{"a":1}"#, r#"{"a":true}"#, "a"),
            (r#"{"a":[1,2]}"#, r#"{"a":[1,3]}"#, "a.1"),
            (r#"{"a":[1,2]}"#, r#"{"a":[1]}"#, "a"),
            (r#"{"a":{"b":1}}"#, r#"{"a":{"b":1,"c":null}}"#, "a.c"),
            (r#"{"a":{"b":1}}"#, r#"{"a":{}}"#, "a.b"),
            (r#"{"\ufffd":1}"#, r#"{"\ufffd":1 }"#, "(the row)"),
        ] {
            assert_eq!(names(a, b), [wanted], "{a} {b}");
        }
    }
}
