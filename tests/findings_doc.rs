//! The documents that speak of finding codes are complete and not stale.

use ledger_verify::finding::{Class, Code};
use ledger_verify::incident::Kind;
use ledger_verify::report::explain::{explain, findings_markdown, incidents_markdown};

const FINDINGS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/findings.md");

#[test]
fn findings_md_is_what_the_table_says() {
    let wanted = findings_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(FINDINGS, &wanted).expect("docs/findings.md can be written");
    }
    let stands = std::fs::read_to_string(FINDINGS).expect("docs/findings.md can be read");
    // Git may check text out with other line ends.
    assert!(stands.replace("\r\n", "\n") == wanted, "docs/findings.md is stale: run with UPDATE_DOCS=1");
}

#[test]
fn incidents_md_is_what_the_table_says() {
    const INCIDENTS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/docs/incidents.md");
    let wanted = incidents_markdown();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(INCIDENTS, &wanted).expect("docs/incidents.md can be written");
    }
    let stands = std::fs::read_to_string(INCIDENTS).expect("docs/incidents.md can be read");
    assert!(stands.replace("\r\n", "\n") == wanted, "docs/incidents.md is stale: run with UPDATE_DOCS=1");
}

#[test]
fn every_kind_is_told_in_full_sentences() {
    for &kind in Kind::ALL {
        assert!(kind.name().bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'-'), "{}", kind.name());
        for text in [kind.title(), kind.pattern(), kind.limit(), kind.next()] {
            assert!(text.ends_with('.') && !text.contains("  "), "{}: {text:?}", kind.name());
            assert!(text.starts_with(|c: char| c.is_ascii_uppercase()), "{}: {text:?}", kind.name());
        }
    }
}

#[test]
fn every_code_is_explained_in_full_sentences() {
    for &code in Code::ALL {
        for text in [code.meaning(), code.cause(), code.action()] {
            assert!(text.ends_with('.') && !text.contains("  "), "{}: {text:?}", code.name());
            assert!(text.starts_with(|c: char| c.is_ascii_uppercase()), "{}: {text:?}", code.name());
        }
        let text = explain(code);
        assert!(text.starts_with(code.name()) && text.ends_with(".\n"), "{text}");
        assert!(text.lines().all(|line| line.chars().count() <= 92), "{text}");
        assert_eq!(Code::named(code.name()), Some(code));
    }
    assert_eq!(Code::named("no-such-code"), None);
}

#[test]
fn every_bound_stands_in_verdicts_md() {
    let text = include_str!("../docs/verdicts.md");
    for code in Code::ALL.iter().filter(|code| code.class() == Class::Bound) {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{}` |", code.name())));
        assert_eq!(row.map(|row| row.matches('|').count()), Some(5), "{}", code.name());
    }
}
