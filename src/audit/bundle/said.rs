//! What the format's own verifier would say of a ledger, from what an audit found.
//!
//! The members and their words are those of a bundle's `verify_report.json`, so that what it states can be
//! compared. Where the words depend on tables of Python (how it prints the name of a repeated member) only their
//! beginning is compared.

use std::collections::BTreeMap;

use crate::finding::{Class, Code};
use crate::report::Report;
use crate::report::bundle::Said;
use crate::row::Value;
use crate::trust::dialect::integer;

/// What follows where a break is declared, but not with these bytes.
const OTHER_BYTES: &str = "; a declaration exists but its orphan_sha256 does not match these bytes";

/// What is said of a declaration in strict mode.
const NOT_HONOURED: &str = "declaration present, NOT honored (strict mode)";

/// What it would say, strict or not.
pub(super) fn said(report: &Report) -> Said {
    let strict = report.policy.strict;
    let coverage = &report.coverage;
    // The package's verdict is on the ledger alone, whatever a witness says of it.
    let class = |code| if code == Code::HeadMismatch { Class::Note } else { report.policy.class(code) };
    let breaks = report.finding_counts.iter().filter(|&(&code, _)| class(code) == Class::Fault).map(|(_, n)| n).sum();
    let first =
        report.findings.iter().map(|counted| &counted.finding).find(|finding| class(finding.code) == Class::Fault);
    let first_break = first.map(|finding| {
        let line = finding.place.map_or(0, |place| place.line);
        format!("line {line}: {}", words(finding.code))
    });
    let (before, declares) = (coverage.prechain > 0, coverage.declared > 0);
    let verified_scope = match (before, declares) {
        (true, true) if !strict => "bounded_prechain_skipped+declared_break",
        (true, false) if !strict => "bounded_prechain_skipped",
        (false, true) if !strict => "bounded_declared_break",
        _ if coverage.rows == 0 && breaks == 0 => "empty",
        _ => "full",
    };
    let ok = match breaks {
        1.. => Some(false),
        0 if verified_scope == "full" => Some(true),
        0 => None,
    };
    Said {
        ok,
        rows: coverage.rows,
        chained: coverage.chained,
        prechain: coverage.prechain,
        first_break,
        breaks,
        verified_scope,
        declared_breaks: coverage.declared,
        declared: declared(report),
    }
}

/// What it says of declared breaks.
fn declared(report: &Report) -> Vec<String> {
    if report.policy.strict {
        // Of several declarations for one line the last one counts.
        let known = report.declared.iter().flatten().filter_map(|declared| Some((declared.line?, &declared.why)));
        let last: BTreeMap<u64, &String> = known.collect();
        let word = |(line, why): (u64, &String)| format!("line {line}: {NOT_HONOURED} ({why})");
        return last.into_iter().map(word).collect();
    }
    let excused = report.findings.iter().map(|counted| &counted.finding);
    let excused = excused.filter(|finding| finding.code == Code::DeclaredBreak);
    let excused = excused.filter_map(|finding| {
        let why = finding.found.as_deref().unwrap_or_default();
        Some(format!("line {}: declared break ({why})", finding.place?.line))
    });
    excused.collect()
}

/// The words for a break, or how they begin.
fn words(code: Code) -> &'static str {
    match code {
        Code::NotAnObject => "not a JSON object",
        Code::DuplicateKey => "duplicate key ",
        Code::UnchainedRow => "unchained row after chain began",
        Code::PrechainRows => "unchained (prechain) row rejected in strict mode",
        Code::FieldMalformed => "non-string chain value",
        Code::HashMismatch | Code::LinkBroken | Code::GenesisBroken | Code::SecondGenesis | Code::Fork => {
            "chain mismatch"
        }
        _ => "unparseable",
    }
}

/// The members in which a statement differs from what is so: name, what is stated, what is.
pub(super) fn differences(stated: Option<Value<'_>>, said: &Said) -> Vec<(&'static str, String, String)> {
    let Some(stated) = stated.filter(|stated| stated.is_object()) else {
        return vec![("", "nothing".to_owned(), "a verdict".to_owned())];
    };
    let member = |name| stated.get(name);
    let text = |value: Option<Value<'_>>| match value {
        Some(value) => value.written().unwrap_or_else(|| value.kind()).to_owned(),
        None => "nothing".to_owned(),
    };
    let mut out = Vec::new();
    let mut differ = |name, found: String| out.push((name, text(member(name)), found));
    let ok = member("ok").is_some_and(|ok| ok.as_bool() == said.ok && (said.ok.is_some() || ok.is_null()));
    if !ok {
        differ("ok", said.ok.map_or("null".to_owned(), |ok| ok.to_string()));
    }
    let counts = [
        ("rows", said.rows),
        ("chained", said.chained),
        ("prechain", said.prechain),
        ("breaks", said.breaks),
        ("declared_breaks", said.declared_breaks),
    ];
    for (name, found) in counts {
        if member(name).and_then(integer) != Some(i128::from(found)) {
            differ(name, found.to_string());
        }
    }
    let first = member("first_break");
    let fits = match (&said.first_break, first) {
        (None, Some(stated)) => stated.is_null(),
        (Some(found), Some(stated)) => stated.as_str().is_some_and(|stated| is_break(stated, found)),
        (_, None) => false,
    };
    if !fits {
        differ("first_break", said.first_break.clone().unwrap_or_else(|| "null".to_owned()));
    }
    if member("verified_scope").and_then(Value::as_str) != Some(said.verified_scope) {
        differ("verified_scope", said.verified_scope.to_owned());
    }
    let list = member("declared").filter(|list| list.is_array());
    let fits = list.is_some_and(|list| {
        let stated = list.items().map(Value::as_str).collect::<Option<Vec<&str>>>().unwrap_or_default();
        let stated: Vec<&str> = stated.into_iter().filter(|line| !is_of_no_line(line)).collect();
        stated.len() == said.declared.len()
            && stated.iter().zip(&said.declared).all(|(stated, found)| is_reason(stated, found))
    });
    if !fits {
        differ("declared", said.declared.join("; "));
    }
    out
}

/// Whether this is how the format's verifier words the break.
fn is_break(stated: &str, found: &str) -> bool {
    let Some(rest) = stated.strip_prefix(found) else { return false };
    rest.is_empty() || rest == OTHER_BYTES || found.ends_with("duplicate key ")
}

/// Whether this is said of a declaration for a number that no line can have, which is kept nowhere.
fn is_of_no_line(stated: &str) -> bool {
    let number = stated.strip_prefix("line ").and_then(|rest| rest.split_once(": ")).map(|(number, _)| number);
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    number.is_some_and(|number| match number.strip_prefix('-') {
        Some(size) => digits(size),
        None => digits(number) && (number == "0" || number.parse::<u64>().is_err()),
    })
}

/// Whether this is the line about a declared break; a long reason is cut where we tell it.
fn is_reason(stated: &str, found: &str) -> bool {
    let cut = found.strip_suffix("…)").is_some_and(|kept| stated.starts_with(kept));
    stated == found || cut
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_breaks_are_compared() {
        assert!(is_break("line 3: chain mismatch", "line 3: chain mismatch"));
        assert!(is_break(&format!("line 3: chain mismatch{OTHER_BYTES}"), "line 3: chain mismatch"));
        assert!(is_break("line 3: duplicate key 'k'", "line 3: duplicate key "));
        assert!(!is_break("line 3: chain mismatch, but harmless", "line 3: chain mismatch"));
        assert!(!is_break("line 33: chain mismatch", "line 3: chain mismatch"));
        assert!(!is_break("line 3: unparseable", "line 3: chain mismatch"));
    }
}
