//! The text report: what an auditor reads on a terminal and files.
//!
//! A whole ledger gets six lines and no more. Everything else says what is wrong and where, what
//! was not looked at and how to have it looked at, and what the verdict does not show. The last
//! line is always the verdict. No control character is written but line ends, and the colour codes
//! that `Style` asks for.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Paint};

use super::checks::{self, Line, Mark};
use super::declared;
use super::escape::{escape, escape_cut, quote};
use super::figures::{counted, grouped, size};
use super::folders;
use super::form::Form;
use super::happened;
use super::identity::report_id;
use super::message::message;
use super::summary::Summary;
use super::{Outcome, Report, Subject};
use crate::finding::{Class, Code, Counted, Finding};
use crate::stop::Stop;
use crate::verdict::{Verdict, unexplained};

/// Bounds of one code that are listed: some formats have one a row.
const MAX_BOUNDS: usize = 5;

/// Uncovered members that the verdict line names.
const MAX_MEMBERS: usize = 8;

/// Files of an export that get a line of their own.
const MAX_SUBJECTS: usize = 16;

/// Characters of a name.
const MAX_NAME: usize = 64;

/// How the text report looks; decided by the command line.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Style {
    /// Whether colour codes are written.
    pub colour: bool,
}

impl Style {
    pub(super) fn paint(self, paint: Paint, text: &str) -> String {
        if self.colour { format!("{paint}{text}{paint:#}") } else { text.to_owned() }
    }
}

/// The report as text, without colours.
#[derive(Clone, Copy, Debug)]
pub struct Text;

impl Form for Text {
    fn kind(&self) -> &'static str {
        "text"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        Some(plain(|style, out| match outcome {
            Outcome::Report(report) => write(report, style, out),
            Outcome::Stop(stop) => write_stop(stop, style, out),
        }))
    }

    fn several(&self) -> Option<fn(&Summary) -> String> {
        Some(|summary| plain(|style, out| summary.write(style, out)))
    }
}

/// What is written without colours.
fn plain(write: impl FnOnce(Style, &mut Vec<u8>) -> io::Result<()>) -> String {
    let mut out = Vec::new();
    // Writing to memory cannot fail, and what is written is text.
    let _ = write(Style::default(), &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

/// Write the report.
pub fn write(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    head(report, out)?;
    for line in checks::lines(report) {
        check(&line, style, out)?;
    }
    if let Some(reason) = &report.unfinished {
        let text = format!("unfinished: {}", escape_cut(reason, 256));
        check(&Line { mark: Mark::Partly, text }, style, out)?;
    }
    happened::write(report, out)?;
    faults(report, style, out)?;
    bounds(report, out)?;
    declared::write(report, out)?;
    notes(report, out)?;
    if !matches!(report.verdict, Verdict::Verified { .. }) {
        writeln!(out, "  what this does not show")?;
        for limit in &report.limits {
            writeln!(out, "    {}", escape(limit))?;
        }
        writeln!(out, "  report {}", report_id(report))?;
    }
    verdict(report, style, out)
}

/// Write why there is no verdict.
pub fn write_stop(stop: &Stop, style: Style, out: &mut impl Write) -> io::Result<()> {
    let red = AnsiColor::Red.on_default().bold();
    writeln!(out, "{}: {}", style.paint(red, "no verdict"), escape_cut(&stop.message, 1024))?;
    match &stop.hint {
        Some(hint) => writeln!(out, "  {}", escape_cut(hint, 1024)),
        None => Ok(()),
    }
}

fn head(report: &Report, out: &mut impl Write) -> io::Result<()> {
    for subject in report.subjects.iter().take(MAX_SUBJECTS) {
        let digest = beginning(&subject.sha256);
        let rows = counted(subject.rows, "row", "rows");
        let (name, profile) = (file_name(subject), escape_cut(&report.profile.name, MAX_NAME));
        writeln!(out, "{name}  {rows}  {}  {profile}  {digest}", size(subject.bytes))?;
        if let Some(sidecar) = &subject.sidecar {
            let name = escape_cut(&sidecar.name, 256);
            let digest = beginning(&sidecar.sha256);
            writeln!(out, "  with {name}, line by line  {}  {digest}", size(sidecar.bytes))?;
        }
    }
    let more = report.subjects.get(MAX_SUBJECTS..).unwrap_or_default();
    if !more.is_empty() {
        let rows = counted(more.iter().map(|subject| subject.rows).sum(), "row", "rows");
        writeln!(out, "… and {} more files  {rows}", grouped(more.len() as u64))?;
    }
    folders::lines(&report.environment.folders).iter().try_for_each(|line| writeln!(out, "  {line}"))?;
    let good = matches!(report.verdict, Verdict::Verified { .. });
    let profile = &report.profile;
    // What stands in the first line suffices where the user named the format, or it is the home format.
    let origin = match profile.source {
        "file" => Some("from a file"),
        "detected" if report.assumes_format() => Some(super::ASSUMED),
        "detected" if !profile.format.home => Some("detected from the rows"),
        _ => None,
    };
    if let Some(origin) = origin {
        writeln!(out, "  profile: {origin}, sha256:{}", escape_cut(&profile.sha256, 64))?;
    }
    if !profile.recipe.is_empty() && (!good || !profile.default_recipe) {
        writeln!(out, "  recipe: {}", escape_cut(&profile.recipe, 256))?;
    }
    Ok(())
}

/// The first digits of a file's digest.
fn beginning(sha256: &str) -> String {
    match sha256.get(..4) {
        Some(digits) => format!("sha256:{digits}…"),
        None => "sha256 not computed".to_owned(),
    }
}

fn file_name(subject: &Subject) -> String {
    escape_cut(&subject.name, 256).into_owned()
}

fn check(line: &Line, style: Style, out: &mut impl Write) -> io::Result<()> {
    let colour = match line.mark {
        Mark::Good => AnsiColor::Green,
        Mark::Bad => AnsiColor::Red,
        Mark::Partly | Mark::Not => AnsiColor::Yellow,
    };
    let sign = line.mark.sign().to_string();
    writeln!(out, "  {} {}", style.paint(colour.on_default(), &sign), line.text)
}

fn of_class(report: &Report, class: Class) -> impl Iterator<Item = &Counted> {
    report.findings.iter().filter(move |counted| report.policy.class(counted.finding.code) == class)
}

fn total(report: &Report, class: Class) -> u64 {
    report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) == class).map(|(_, &count)| count).sum()
}

fn faults(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let total = total(report, Class::Fault);
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "  faults")?;
    let mut listed = 0;
    for line in fault_lines(report, style) {
        writeln!(out, "    {line}")?;
        listed += 1;
    }
    more(total.saturating_sub(listed), "", out)?;
    for code in raised(report) {
        writeln!(out, "      to lift {}: {}", code.name(), code.action())?;
    }
    Ok(())
}

/// A line for each listed fault.
pub(super) fn fault_lines(report: &Report, style: Style) -> impl Iterator<Item = String> {
    of_class(report, Class::Fault).map(move |counted| {
        let code = style.paint(AnsiColor::Red.on_default(), counted.finding.code.name());
        format!("{}{code}: {}", place(report, counted), message(&counted.finding))
    })
}

/// Bounds that `--strict` made faults.
fn raised(report: &Report) -> impl Iterator<Item = Code> {
    let codes = report.finding_counts.keys().copied();
    codes.filter(|&code| code.class() == Class::Bound && report.policy.class(code) == Class::Fault)
}

/// Bounds stand by code, each with what lifts it: what a reader does next depends on the code.
fn bounds(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let mut codes =
        report.finding_counts.iter().filter(|&(&code, _)| report.policy.class(code) == Class::Bound).peekable();
    if codes.peek().is_none() {
        return Ok(());
    }
    writeln!(out, "  bounds")?;
    for (&code, &count) in codes {
        let accepted = if report.policy.accepts(code) { " (accepted)" } else { "" };
        let listed: Vec<_> = of_class(report, Class::Bound).filter(|counted| counted.finding.code == code).collect();
        for counted in listed.iter().take(MAX_BOUNDS) {
            let place = place(report, counted);
            writeln!(out, "    {place}{}{accepted}: {}", code.name(), message(&counted.finding))?;
        }
        if listed.is_empty() {
            writeln!(out, "    {}{accepted}: {}", code.name(), message(&Finding::new(code, None)))?;
        }
        let told = listed.len().clamp(1, MAX_BOUNDS) as u64;
        more(count.saturating_sub(told), code.name(), out)?;
        if accepted.is_empty() {
            writeln!(out, "      to lift it: {}", code.action())?;
        }
    }
    Ok(())
}

/// Notes stand in one line each; uncovered members are named by the verdict line instead.
fn notes(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let shown = |code: Code| code.class() == Class::Note && code != Code::UncoveredField;
    let total: u64 = report.finding_counts.iter().filter(|&(&code, _)| shown(code)).map(|(_, &count)| count).sum();
    if total == 0 {
        return Ok(());
    }
    writeln!(out, "  notes")?;
    let mut told = 0;
    for note in report.findings.iter().filter(|counted| shown(counted.finding.code)) {
        let times = if note.count > 1 { format!(", {} places in all", grouped(note.count)) } else { String::new() };
        writeln!(out, "    {}{}: {}{times}", place(report, note), note.finding.code.name(), message(&note.finding))?;
        told += note.count;
    }
    more(total.saturating_sub(told), "", out)
}

fn more(count: u64, what: &str, out: &mut impl Write) -> io::Result<()> {
    match (count, what) {
        (0, _) => Ok(()),
        (_, "") => writeln!(out, "    … and {} more", grouped(count)),
        _ => writeln!(out, "    … and {} more {what}", grouped(count)),
    }
}

/// The last line without colours: the verdict and why it is that.
pub(super) fn conclusion(report: &Report) -> String {
    let reasons = reasons(report);
    let colon = if reasons.is_empty() { "" } else { ": " };
    format!("{}{colon}{reasons}{}", report.verdict.word(), except(report))
}

/// Where a finding stands; numbers without separators, since they are put into other commands.
///
/// `b.jsonl line 7, sequence 1042, chain acme: `, as far as it is known and not plain anyway.
pub(super) fn place(report: &Report, counted: &Counted) -> String {
    let finding = &counted.finding;
    let mut parts = Vec::new();
    if let Some(place) = finding.place {
        let line = format!("line {}", place.line);
        let subject = report.subjects.get(usize::try_from(place.part).unwrap_or(usize::MAX));
        parts.push(match subject {
            Some(subject) if report.subjects.len() > 1 => format!("{} {line}", file_name(subject)),
            _ => line,
        });
    }
    if let Some(sequence) = finding.sequence {
        parts.push(format!("sequence {sequence}"));
    }
    if let (Some(chain), 2..) = (&finding.chain, report.chains.len()) {
        parts.push(format!("chain {}", quote(chain, MAX_NAME)));
    }
    if parts.is_empty() { String::new() } else { format!("{}: ", parts.join(", ")) }
}

fn verdict(report: &Report, style: Style, out: &mut impl Write) -> io::Result<()> {
    let reasons = reasons(report);
    let colon = if reasons.is_empty() { "" } else { ": " };
    writeln!(out, "{}{colon}{reasons}{}", word(report.verdict, style), except(report))
}

/// The verdict's word in its colour.
pub(super) fn word(verdict: Verdict, style: Style) -> String {
    let colour = match verdict {
        Verdict::Verified { .. } => AnsiColor::Green,
        Verdict::Broken { .. } => AnsiColor::Red,
        Verdict::Bounded { .. } => AnsiColor::Yellow,
    };
    style.paint(colour.on_default().bold(), verdict.word())
}

/// Why it is that verdict, in few words.
pub(super) fn reasons(report: &Report) -> String {
    let mut reasons = match report.verdict {
        Verdict::Verified { .. } => Vec::new(),
        Verdict::Broken { faults } => {
            let raised: u64 = raised(report).filter_map(|code| report.finding_counts.get(&code)).sum();
            let strict = if raised > 0 { format!(" ({} by --strict)", grouped(raised)) } else { String::new() };
            vec![format!("{}{strict}", counted(faults.get(), "fault", "faults"))]
        }
        Verdict::Bounded { .. } => limiting(report),
    };
    if report.unfinished.is_some() {
        reasons.push("unfinished".to_owned());
    }
    reasons.join(", ")
}

/// What bounds the verdict: the bounds, and the checks that are incomplete for another reason.
fn limiting(report: &Report) -> Vec<String> {
    let bounds = report.finding_counts.keys().filter(|&&code| report.policy.class(code) == Class::Bound);
    let mut out: Vec<String> = bounds
        .map(|&code| format!("{}{}", code.name(), if report.policy.accepts(code) { " (accepted)" } else { "" }))
        .collect();
    let open = unexplained(&report.finding_counts, &report.policy, &report.checks);
    out.extend(open.map(|check| format!("{} {}", check.id.name(), check.status().name())));
    out
}

/// `, except members note, result.status`: what the verdict does not speak of.
pub(super) fn except(report: &Report) -> String {
    let notes = report.findings.iter().filter(|counted| counted.finding.code == Code::UncoveredField);
    let mut members: Vec<&str> = notes.filter_map(|counted| counted.finding.member.as_deref()).collect();
    members.extend(report.coverage.uncovered.iter().map(|member| &**member));
    members.sort_unstable();
    members.dedup();
    let places = report.finding_counts.get(&Code::UncoveredField).copied().unwrap_or(0);
    match members.len() {
        0 if places > 0 => ", except members that no preimage covers".to_owned(),
        0 => String::new(),
        count => {
            let noun = if count == 1 { "member" } else { "members" };
            let names: Vec<_> = members.iter().take(MAX_MEMBERS).map(|name| quote(name, MAX_NAME)).collect();
            let rest = count.saturating_sub(MAX_MEMBERS);
            let rest = if rest > 0 { format!(" and {} more", grouped(rest as u64)) } else { String::new() };
            format!(", except {noun} {}{rest}", names.join(", "))
        }
    }
}
