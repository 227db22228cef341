//! A comparison as text, for whoever must show that two people were shown two histories.

use std::io::{self, Write};

use anstyle::{AnsiColor, Style as Paint};

use super::{
    Comparison, Fork, ForkRow, MemberDiff, Outcome, Remark, Side, SignatureStanding, Standing, Vouched, comparison_id,
};
use crate::fact::Place;
use crate::report::ASSUMED;
use crate::report::escape::{escape, escape_bytes, escape_cut, quote};
use crate::report::figures::{counted, grouped, size};
use crate::report::shell::{self, UNWRITABLE};
use crate::report::text::Style;

/// Characters of a name.
const MAX_NAME: usize = 64;

/// Characters of a value, and of a row.
const MAX_VALUE: usize = 120;
const MAX_ROW: usize = 240;

/// Members of a pair of rows that are shown.
const MAX_MEMBERS: usize = 12;

/// Forks that are shown with their rows.
const MAX_FORKS: usize = 5;

/// Files of an export that get a line.
const MAX_FILES: usize = 16;

/// Write the comparison.
///
/// # Errors
///
/// Those of `out`.
pub fn write(comparison: &Comparison, style: Style, out: &mut impl Write) -> io::Result<()> {
    Side::BOTH.into_iter().try_for_each(|side| export(comparison, side, out))?;
    let profile = &comparison.profile;
    let recipe = if profile.recipe.is_empty() { "" } else { ", " };
    let (name, readings) = (escape_cut(&profile.name, MAX_NAME), escape_cut(&profile.recipe, 256));
    let origin = match profile.source {
        _ if comparison.assumes_format() => format!(", {ASSUMED}"),
        "detected" => ", detected from the rows".to_owned(),
        _ => String::new(),
    };
    writeln!(out, "  format {name}{recipe}{readings}{origin}")?;
    common(comparison, out)?;
    for fork in comparison.forks.iter().take(MAX_FORKS) {
        self::fork(comparison, fork, style, out)?;
    }
    let more = comparison.forked_chains.saturating_sub(MAX_FORKS.min(comparison.forks.len()) as u64);
    if more > 0 {
        writeln!(out, "  {} more", counted(more, "chain forked", "chains forked"))?;
    }
    if let Some(reason) = &comparison.unfinished {
        writeln!(out, "  unfinished: {}", escape_cut(reason, 256))?;
    }
    remarks("not decided", &comparison.bounds, out)?;
    remarks("notes", &comparison.notes, out)?;
    writeln!(out, "  what this does not show")?;
    comparison.limits().iter().try_for_each(|limit| writeln!(out, "    {}", escape(limit)))?;
    if comparison.outcome == Outcome::Forked {
        let name = |side: Side| match comparison.exports[side.index()].as_slice() {
            [one] => shell::file(&one.name),
            _ => Some(side.letter().to_owned()),
        };
        writeln!(out, "  next")?;
        for side in Side::BOTH {
            match name(side) {
                Some(name) => writeln!(out, "    ledger-verify {name} --key FILE")?,
                None => writeln!(out, "    verify {}: {UNWRITABLE}", side.letter())?,
            }
        }
    }
    writeln!(out, "  comparison {}", comparison_id(comparison))?;
    let (paint, word): (Paint, String) = match comparison.outcome {
        Outcome::Same => (AnsiColor::Green.on_default().bold(), "same".to_owned()),
        Outcome::Extended(side) => {
            let (longer, shorter) = (side.letter(), side.other().letter());
            (AnsiColor::Green.on_default().bold(), format!("extended: {shorter} is a prefix of {longer}"))
        }
        Outcome::Forked => (AnsiColor::Red.on_default().bold(), forked(comparison)),
        Outcome::Undecided => (AnsiColor::Yellow.on_default().bold(), "undecided".to_owned()),
    };
    writeln!(out, "{}", style.paint(paint, &word))
}

fn export(comparison: &Comparison, side: Side, out: &mut impl Write) -> io::Result<()> {
    let files = &comparison.exports[side.index()];
    for subject in files.iter().take(MAX_FILES) {
        let digest = subject.sha256.get(..4).unwrap_or(&subject.sha256);
        let (name, rows) = (quote(&subject.name, 256), counted(subject.rows, "row", "rows"));
        writeln!(out, "{}  {name}  {rows}  {}  sha256:{digest}…", side.letter(), size(subject.bytes))?;
    }
    match files.len().saturating_sub(MAX_FILES) {
        0 => Ok(()),
        more => writeln!(out, "{}  … and {} more files", side.letter(), grouped(more as u64)),
    }
}

fn common(comparison: &Comparison, out: &mut impl Write) -> io::Result<()> {
    let rows = counted(comparison.common, "row is", "rows are");
    match comparison.identical {
        true => writeln!(out, "  ✓ {rows} the same, and so is every byte")?,
        false if comparison.common == 0 => writeln!(out, "  no row is the same")?,
        false => writeln!(out, "  ✓ {rows} the same")?,
    }
    for side in Side::BOTH {
        let count = comparison.behind[side.index()];
        if let Some(first) = comparison.first_behind[side.index()] {
            let rows = counted(count, "row", "rows");
            writeln!(out, "  {} goes on with {rows} from line {} on", side.letter(), at(first, comparison, side))?;
        }
    }
    Ok(())
}

/// A line, with its file where there are several.
fn at(place: Place, comparison: &Comparison, side: Side) -> String {
    match comparison.exports[side.index()].as_slice() {
        [] | [_] => grouped(place.line),
        files => {
            let name = files.get(place.part as usize).map_or("", |file| &file.name);
            format!("{} of {}", grouped(place.line), quote(name, MAX_NAME))
        }
    }
}

/// `forked at sequence 7`, with the chain where it has a name.
fn forked(comparison: &Comparison) -> String {
    match comparison.forks.as_slice() {
        [fork] => heading(fork),
        forks => format!("forked in {}", counted(comparison.forked_chains.max(forks.len() as u64), "chain", "chains")),
    }
}

fn heading(fork: &Fork) -> String {
    let [a, b] = &fork.rows;
    let chain = fork.chain.as_deref().map_or_else(String::new, |chain| format!(", chain {}", quote(chain, MAX_NAME)));
    match (a.sequence, b.sequence) {
        (Some(a), Some(b)) if a == b => format!("forked at sequence {a}{chain}"),
        (Some(a), Some(b)) => format!("forked at sequence {a} of A and {b} of B{chain}"),
        _ => format!("forked at line {} of A and {} of B{chain}", a.place.line, b.place.line),
    }
}

fn fork(comparison: &Comparison, fork: &Fork, style: Style, out: &mut impl Write) -> io::Result<()> {
    writeln!(out, "  {}", style.paint(AnsiColor::Red.on_default(), &format!("✗ {}", heading(fork))))?;
    match &fork.common {
        [Some(a), Some(b)] => {
            let number = a.sequence.map_or_else(String::new, |sequence| format!("sequence {sequence}, "));
            let lines = [at(a.place, comparison, Side::A), at(b.place, comparison, Side::B)];
            writeln!(out, "    last row of both: {number}line {} of A, {} of B", lines[0], lines[1])?;
        }
        _ => writeln!(out, "    no row of this chain before it was compared")?,
    }
    for (side, row) in Side::BOTH.into_iter().zip(&fork.rows) {
        self::row(comparison, side, row, fork.common[side.index()].is_none(), out)?;
    }
    match fork.members.count {
        0 => {}
        count => {
            writeln!(out, "    {}, A → B", counted(count, "member differs", "members differ"))?;
            members(&fork.members.listed, count, "      ", out)?;
        }
    }
    if fork.one_predecessor == Some(true) {
        writeln!(out, "    both rows state the same predecessor")?;
    }
    if let Some(side) = altered(fork) {
        let (own, other) = (side.letter(), side.other().letter());
        writeln!(
            out,
            "    {own}'s row was changed after its digest was made, or its digest was; {other}'s digest holds"
        )?;
    }
    writeln!(out, "    {}", conclusion(fork))?;
    let [a, b] = fork.behind;
    match (fork.joined, a + b) {
        (_, 0) => Ok(()),
        (Some([a, b]), _) => {
            let lines = [at(a, comparison, Side::A), at(b, comparison, Side::B)];
            writeln!(out, "    behind it the rows are the same again from line {} of A, {} of B on", lines[0], lines[1])
        }
        (None, _) => {
            let (of_a, of_b) = (counted(a, "row", "rows"), counted(b, "row", "rows"));
            writeln!(out, "    behind it A has {of_a} of this chain, B {of_b}: they do not meet again")
        }
    }
}

fn row(comparison: &Comparison, side: Side, row: &ForkRow, first: bool, out: &mut impl Write) -> io::Result<()> {
    let number = row.sequence.map_or_else(String::new, |sequence| format!(", sequence {sequence}"));
    let time = row.time.as_deref().map_or_else(String::new, |time| format!(", {}", escape_cut(time, MAX_NAME)));
    let line = at(row.place, comparison, side);
    writeln!(out, "    {}  line {line}, byte {}{number}{time}", side.letter(), grouped(row.place.offset))?;
    let text = escape_bytes(row.text.get(..(4 * MAX_ROW).min(row.text.len())).unwrap_or_default());
    writeln!(out, "       {}", escape_cut(&text, MAX_ROW))?;
    let shown = |text: &Option<String>| text.as_deref().map(|text| escape_cut(text, MAX_VALUE).into_owned());
    let digest = match (row.digest, shown(&row.computed), shown(&row.stated)) {
        (Standing::Holds, Some(computed), _) => format!("holds, {computed}"),
        (Standing::Fails, Some(computed), Some(stated)) => format!("does not hold: {computed}, and it states {stated}"),
        (Standing::Fails, ..) => "does not hold".to_owned(),
        (_, _, Some(stated)) => format!("was not judged; it states {stated}"),
        _ => "was not judged".to_owned(),
    };
    writeln!(out, "       digest {digest}")?;
    let link = match (row.link, first) {
        (Standing::Holds, true) => "starts the chain",
        (Standing::Holds, false) => "goes on from the last row of both",
        (Standing::Fails, _) => "does not go on from the last row of both",
        (Standing::Open, _) => "was not judged",
    };
    let previous = shown(&row.previous).map_or_else(String::new, |previous| format!(", {previous}"));
    writeln!(out, "       link   {link}{previous}")?;
    let signers: Vec<String> = row.signers.iter().map(|key| escape_cut(key, MAX_NAME).into_owned()).collect();
    let signature = match row.signature {
        SignatureStanding::Holds => format!("holds under {}", signers.join(", ")),
        SignatureStanding::NotPermitted => format!("holds under {}, which may not sign here", signers.join(", ")),
        SignatureStanding::Fails => "holds under none of the keys".to_owned(),
        SignatureStanding::Absent => "there is none".to_owned(),
        SignatureStanding::NotJudged => "was not judged: no key was given for it, or it cannot be read".to_owned(),
        SignatureStanding::None => "the format has none".to_owned(),
    };
    writeln!(out, "       signature {signature}")?;
    if let Some(next) = row.next {
        let next = match next {
            Standing::Holds => "goes on from it",
            Standing::Fails => "does not go on from it",
            Standing::Open => "was not judged",
        };
        writeln!(out, "       the row behind it {next}")?;
    }
    match row.elsewhere {
        Some(place) => {
            let other = side.other();
            writeln!(out, "       the very same row is line {} of {}", at(place, comparison, other), other.letter())
        }
        None => Ok(()),
    }
}

/// The one whose digest does not hold, where the other's does.
fn altered(fork: &Fork) -> Option<Side> {
    match fork.rows.each_ref().map(|row| row.digest) {
        [Standing::Fails, Standing::Holds] => Some(Side::A),
        [Standing::Holds, Standing::Fails] => Some(Side::B),
        _ => None,
    }
}

/// Whether both rows go on from the same row, and neither stands elsewhere in the other export too.
fn is_two_histories(fork: &Fork) -> bool {
    fork.rows.iter().all(|row| row.link == Standing::Holds && row.elsewhere.is_none())
}

/// What the keys say of the two rows.
fn conclusion(fork: &Fork) -> String {
    let signers = |index: usize| {
        let keys: Vec<_> = fork.rows[index].signers.iter().map(|key| escape_cut(key, MAX_NAME)).collect();
        keys.join(", ")
    };
    match fork.vouched {
        Vouched::BothByOne if is_two_histories(fork) => {
            format!("both rows are vouched for by one key: the holder of {} signed both", signers(0))
        }
        Vouched::BothByOne => {
            format!(
                "both rows carry a signature of {}, but do not both go on from one row: they may be of one history",
                signers(0)
            )
        }
        Vouched::Both => format!("A's row is vouched for by {}, B's row by {}", signers(0), signers(1)),
        Vouched::Only(side) => {
            let (own, other) = (side.letter(), side.other().letter());
            format!("only {own}'s row is vouched for, by {}; {other}'s is not", signers(side.index()))
        }
        Vouched::Neither => "neither row is vouched for by a key that was given".to_owned(),
        Vouched::NotJudged => "no key was given: signatures were not judged".to_owned(),
        Vouched::NoSignatures => "the format has no signatures: nothing vouches for either row".to_owned(),
    }
}

fn members(listed: &[MemberDiff], count: u64, indent: &str, out: &mut impl Write) -> io::Result<()> {
    let shown = |value: &Option<String>| {
        value.as_deref().map_or_else(|| "nothing".to_owned(), |value| escape_cut(value, MAX_VALUE).into_owned())
    };
    for diff in listed.iter().take(MAX_MEMBERS) {
        writeln!(out, "{indent}{}: {} → {}", quote(&diff.member, MAX_NAME), shown(&diff.a), shown(&diff.b))?;
    }
    match count.saturating_sub(listed.len().min(MAX_MEMBERS) as u64) {
        0 => Ok(()),
        more => writeln!(out, "{indent}… and {} more", grouped(more)),
    }
}

fn remarks(title: &str, remarks: &[Remark], out: &mut impl Write) -> io::Result<()> {
    if !remarks.is_empty() {
        writeln!(out, "  {title}")?;
    }
    for remark in remarks {
        let places = Side::BOTH.into_iter().zip(remark.first);
        let places: Vec<String> = places
            .filter_map(|(side, place)| Some(format!("line {} of {}", grouped(place?.line), side.letter())))
            .collect();
        let first = if places.is_empty() { String::new() } else { format!(" (first {})", places.join(", ")) };
        writeln!(out, "    {}: {}{first}", remark.code, escape(&remark.message))?;
        members(&remark.members, remark.members.len() as u64, "      ", out)?;
    }
    Ok(())
}
