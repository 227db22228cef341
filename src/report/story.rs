//! Stories: the sentences that an incident says, for a reader who is no programmer.
//!
//! Like messages they are prose and no part of the report id. Names and digests in them come from the
//! export, so that everything shown here is escaped and cut.

use super::escape::{escape_cut, quote};
use super::figures::{counted, shortened};
use super::{Report, Subject};
use crate::fact::Place;
use crate::incident::{Detail, Incident, Kind};

/// Characters of a name that a sentence shows.
const MAX_NAME: usize = 64;

/// Files whose order a sentence tells.
const MAX_FILES: usize = 32;

/// What most likely happened: one or two sentences.
pub fn story(incident: &Incident, report: &Report) -> String {
    let (rows, place) = (rows(incident), place(incident, report));
    let one = incident.rows == 1;
    let was = if one { "was" } else { "were" };
    let likely = if incident.certain { "" } else { "likely " };
    match incident.kind {
        Kind::ContentEdited => {
            let signature = match incident.detail {
                Detail::Signature(Some(true)) => "The signature still holds over the digest that is stated.",
                Detail::Signature(Some(false)) => "The signature does not hold either.",
                _ => "No signature speaks for it.",
            };
            format!("{rows} ({place}) {was} {likely}edited: the content is not what was hashed. {signature}")
        }
        Kind::DigestEdited => {
            format!("The digest stated by {} ({place}) was {likely}edited. The content is what was hashed.", low(&rows))
        }
        Kind::FieldsDamaged => {
            format!("A member of {} ({place}) is absent or in another form than the format asks for.", low(&rows))
        }
        Kind::WrittenMalformed => format!(
            "A member of {} ({place}) has another form than the format asks for, and was written so: the signature holds.",
            low(&rows)
        ),
        Kind::RowsRehashed => {
            let or = if incident.certain { "" } else { ", or signed with a key that was not given" };
            format!(
                "{rows} ({place}) {was} {likely}replaced and hashed anew by someone without the key{or}: digests and \
                 links are good, but no signature holds."
            )
        }
        Kind::KeyChanged => format!(
            "The ledger {likely}changed its key: {} ({place}) {} signed with one that was not given, and a signed anchor \
             states the end.",
            low(&rows),
            if one { "is" } else { "are" }
        ),
        Kind::WrongKey => {
            format!(
                "The wrong key was {likely}given, or the whole ledger was written by someone without the key: no signature \
                 holds ({place}), while all else fits together."
            )
        }
        Kind::SignaturesReplaced => format!(
            "The signature of {} ({place}) was {likely}altered or made with another key. A later signed row was chained \
             to exactly this content.",
            low(&rows)
        ),
        Kind::SignaturesStripped => {
            format!(
                "{rows} ({place}) {} no signature: anybody could have written this.",
                if one { "has" } else { "have" }
            )
        }
        Kind::SignaturesAltered => {
            format!("The text of the signature of {} ({place}) was altered: it cannot be checked.", low(&rows))
        }
        Kind::OtherHashing => format!(
            "The ledger is {likely}hashed in another way than the profile says, unless every row was edited: every digest \
             is wrong ({place}), while every link is good."
        ),
        Kind::RowsDeleted => {
            format!("{rows} {was} {likely}deleted: {} missing between {place}.", if one { "it is" } else { "they are" })
        }
        Kind::PartMissing => {
            format!("A file is {likely}missing: {} should stand between {place}.", low(&rows))
        }
        Kind::RowsInserted => format!(
            "{} ({place}) {was} put in: the row behind is chained to the row before.",
            counted(incident.rows, "row", "rows")
        ),
        Kind::RowsAppended => format!(
            "{rows} ({place}) {was} {likely}put behind the end of the ledger, which the anchor states at {}.",
            head(incident)
        ),
        Kind::RowsSwapped => match incident.sequences {
            Some((low, high)) => format!("Two rows, {low} and {high}, changed places ({place})."),
            None => format!("Two rows changed places ({place})."),
        },
        Kind::RowsReordered if incident.rows == 0 => {
            format!("Rows {likely}stand in another order than they were written in ({place}).")
        }
        Kind::RowsReordered => {
            format!("{rows} stand in another order than they were written in ({place}). None is missing.")
        }
        Kind::PartsOutOfOrder => {
            format!("The files were given in the wrong order. They fit together as {}.", order(incident, report))
        }
        Kind::RowsCopied => {
            format!("{rows} ({place}) {} in the export twice, byte for byte.", if one { "stands" } else { "stand" })
        }
        Kind::ConcurrentWriters => {
            let other = match incident.detail {
                Detail::Other(other) if incident.sequences.is_some_and(|(first, _)| first == other) => {
                    format!("another row {other}")
                }
                Detail::Other(other) => format!("row {other}"),
                _ => "another row".to_owned(),
            };
            format!(
                "Two writers {likely}wrote at the same time: {} ({place}) and {other} follow the same row.",
                low(&rows)
            )
        }
        Kind::HistoryRewritten => format!(
            "Two versions of the history {likely}meet at {place}: the row was chained to another row than the one \
             before it, though no number is missing."
        ),
        Kind::ConcatenatedExports => {
            format!("Another export was {likely}joined to this one: it starts at {}.", start(incident, report))
        }
        Kind::LedgerRestarted => {
            format!("The chain was {likely}started anew at {} while the numbers went on.", start(incident, report))
        }
        Kind::ForeignRows => {
            format!("{rows} ({place}) {} another chain than the one around.", if one { "names" } else { "name" })
        }
        Kind::NumbersWrong => {
            let stated = match &incident.detail {
                Detail::Stated { stated, found } => format!("{} where {} should follow", text(found), text(stated)),
                _ => "another number than the next".to_owned(),
            };
            format!(
                "The writer {likely}counted wrongly at {place}: {stated}, though the row is chained to the one before."
            )
        }
        Kind::LinesUnreadable => {
            let why = match incident.detail {
                Detail::Code(code) => format!(", the first one as {}", code.name()),
                _ => String::new(),
            };
            format!("{} cannot be read ({place}{why}).", counted(incident.rows, "line", "lines"))
        }
        Kind::LinesJoined => format!("A line end was {likely}lost at {place}, so that two rows share a line."),
        Kind::TornWrite => format!("The last row ({place}) was {likely}not written to its end."),
        Kind::BeginningCut => match incident.rows {
            0 => format!("The beginning was {likely}cut off: the first row ({place}) is no true first row."),
            _ => format!("{rows} {was} {likely}cut off the beginning of the ledger."),
        },
        Kind::TailCut => format!("{rows} {was} {likely}cut off the end: the anchor speaks of them."),
        Kind::LogGrown => format!(
            "The ledger {likely}went on after its manifest was made: the manifest states the head of {}, and {} came later \
             ({place}).",
            head(incident),
            counted(incident.rows, "row", "rows")
        ),
        Kind::TwoHistories => {
            let what = match (&incident.detail, incident.sequences) {
                (Detail::Stated { stated, found }, Some((_, row))) => {
                    format!("row {row} is {} in one and {} in the other", text(stated), text(found))
                }
                _ => "they state different digests for the same row".to_owned(),
            };
            format!("The anchors and the export {likely}tell two histories: {what}.")
        }
        Kind::ManifestAltered => format!("The manifest was {likely}altered or made wrongly."),
        Kind::WrongLedger => {
            let what = match &incident.detail {
                Detail::Stated { stated, found } => {
                    format!(": it speaks of {}, the export of {}", text(stated), text(found))
                }
                _ => String::new(),
            };
            format!("The manifest is {likely}about another ledger{what}.")
        }
        Kind::ChainMissing => {
            let name = incident.chain.as_deref().map_or_else(|| "one chain".to_owned(), text);
            format!("All rows of {name} are missing: the manifest speaks of {}.", counted(incident.rows, "row", "rows"))
        }
    }
}

/// What is still good on both sides; `None` where that cannot be said.
pub fn good(index: usize, report: &Report) -> Option<String> {
    let incidents = &report.told.incidents;
    let incident = incidents.get(index)?;
    if incidents.iter().any(|incident| matches!(incident.kind, Kind::WrongKey | Kind::OtherHashing)) {
        return None;
    }
    let whole = report.chains.len() == 1 && report.told.more == 0 && report.told.unexplained == 0;
    let placed = |incident: &&Incident| incident.first.is_some();
    let before = incident.good_before.map(|last| {
        let previous = index.checked_sub(1).and_then(|index| incidents.get(index));
        let first = previous.map_or(report.coverage.first_sequence, |previous| previous.good_after);
        span(first.filter(|_| whole), last, true)
    });
    let after = incident.good_after.map(|first| {
        let next = incidents.get(index + 1).filter(placed);
        let last = next.map_or(report.coverage.last_sequence, |next| next.good_before);
        span(last.filter(|_| whole), first, false)
    });
    let parts: Vec<String> = before.into_iter().chain(after).collect();
    (!parts.is_empty()).then(|| parts.join(", "))
}

/// What to do next.
pub fn next(incident: &Incident) -> String {
    match (&incident.kind, &incident.detail) {
        (Kind::LogGrown, Detail::Head { sequence, digest }) => {
            format!(
                "Ask for a newer manifest, or anchor what was stated with --head {}@{sequence}.",
                escape_cut(digest, 140)
            )
        }
        (kind, _) => kind.next().to_owned(),
    }
}

/// Rows from `near` to `far`, or `near` alone.
fn span(far: Option<u64>, near: u64, before: bool) -> String {
    match far {
        Some(first) if before && first < near => format!("rows {first} to {near} before"),
        Some(last) if !before && last > near => format!("rows {near} to {last} behind"),
        _ => format!("row {near} {}", if before { "before" } else { "behind" }),
    }
}

/// `Row 5`, `Rows 5 to 9`, or their number where their own numbers are not known.
fn rows(incident: &Incident) -> String {
    match incident.sequences {
        Some((first, last)) if first == last => format!("Row {first}"),
        Some((first, last)) if first < last => format!("Rows {first} to {last}"),
        _ => match incident.rows {
            0 | 1 => "One row".to_owned(),
            rows => counted(rows, "row", "rows"),
        },
    }
}

/// The same inside a sentence.
fn low(text: &str) -> String {
    let mut chars = text.chars();
    chars.next().map(|first| first.to_ascii_lowercase()).into_iter().chain(chars).collect()
}

/// `line 5`, `lines 5 to 9`, `a.jsonl line 5 and b.jsonl line 1`.
fn place(incident: &Incident, report: &Report) -> String {
    let (Some(first), Some(last)) = (incident.first, incident.last) else { return "the export".to_owned() };
    let between = matches!(incident.kind, Kind::RowsDeleted | Kind::PartMissing);
    let joint = if between { "and" } else { "to" };
    if report.subjects.len() > 1 && first.part != last.part {
        format!("{} {joint} {}", in_file(first, report), in_file(last, report))
    } else {
        let lines = match last.line > first.line {
            true => format!("lines {} {joint} {}", first.line, last.line),
            false => format!("line {}", first.line),
        };
        match report.subjects.len() {
            0 | 1 => lines,
            _ => format!("{} {lines}", file(first.part, report)),
        }
    }
}

/// Where the first row stands.
fn start(incident: &Incident, report: &Report) -> String {
    place(&Incident { last: incident.first, ..incident.clone() }, report)
}

fn in_file(place: Place, report: &Report) -> String {
    format!("{} line {}", file(place.part, report), place.line)
}

fn file(part: u32, report: &Report) -> String {
    let name = |subject: &Subject| escape_cut(&subject.name, MAX_NAME).into_owned();
    report.subjects.get(part as usize).map_or_else(|| format!("file {}", part + 1), name)
}

fn order(incident: &Incident, report: &Report) -> String {
    let Detail::Order(parts) = &incident.detail else { return "another order".to_owned() };
    let mut names: Vec<String> = parts.iter().take(MAX_FILES).map(|part| file(*part, report)).collect();
    if parts.len() > MAX_FILES {
        names.push("…".to_owned());
    }
    names.join(", ")
}

fn head(incident: &Incident) -> String {
    match incident.detail {
        Detail::Head { sequence, .. } => format!("row {sequence}"),
        _ => "an earlier row".to_owned(),
    }
}

fn text(text: &str) -> String {
    shortened(text).unwrap_or_else(|| quote(text, MAX_NAME).into_owned())
}
