//! The breaks that a ledger declares, shown for ever: which line excuses which, why, and whether the pin holds.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::quote;
use super::figures::grouped;
use super::identity::text;
use super::{DeclaredFacts, Report};

/// Declarations that the text report lists.
const LISTED: usize = 20;

/// Characters of a reason.
const MAX_WHY: usize = 120;

/// Write the section of the text report; nothing where nothing is declared.
pub(super) fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let Some(declared) = report.declared.as_ref().filter(|declared| !declared.is_empty()) else { return Ok(()) };
    writeln!(out, "  declared breaks")?;
    for declaration in declared.iter().take(LISTED) {
        writeln!(out, "    {}", line(declaration, report))?;
    }
    match declared.len().saturating_sub(LISTED) {
        0 => Ok(()),
        more => writeln!(out, "    … and {} more", grouped(more as u64)),
    }
}

fn line(declared: &DeclaredFacts, report: &Report) -> String {
    let part = match report.subjects.len() {
        0 | 1 => String::new(),
        _ => format!("part {}, ", declared.place.part + 1),
    };
    let of = declared.line.map_or_else(|| "of no line".to_owned(), |line| format!("of line {line}"));
    let outcome = match (declared.excuses, declared.pin_holds) {
        (true, _) => "excused: the pin holds",
        (false, Some(true)) if report.policy.strict => "not honoured (--strict); the pin holds",
        (false, Some(false)) if report.policy.strict => "not honoured (--strict); the pin does not hold",
        (false, None) if report.policy.strict => "not honoured (--strict)",
        (false, Some(true)) => "excuses nothing: the pin holds, and the line has no break that can be excused",
        (false, Some(false)) => "excuses nothing: the line has another text than the one that is pinned",
        (false, None) => "excuses nothing: there is no such row, or a later declaration counts for it",
    };
    format!("{part}line {}, {of}, {outcome}: {}", declared.place.line, quote(&declared.why, MAX_WHY))
}

/// The member of the JSON report.
pub(super) fn value(declared: &[DeclaredFacts]) -> Value {
    let one = |declared: &DeclaredFacts| {
        json!({
            "part": declared.place.part,
            "line": declared.place.line,
            "of_line": declared.line,
            "why": text(&declared.why),
            "pin_holds": declared.pin_holds,
            "excuses": declared.excuses,
        })
    };
    declared.iter().map(one).collect()
}
