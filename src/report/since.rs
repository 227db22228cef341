//! What an earlier report vouches for in this one: as a line of the text report and as a member of the JSON.

use serde_json::{Value, json};

use super::checks::{Line, Mark};
use super::figures::{counted, grouped, shortened, size};
use super::identity::{optional, text};
use super::{Code, Report};

/// An earlier report, and what it vouches for here.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SinceFacts {
    /// Its report id.
    pub report_id: String,
    /// The word of its verdict: `verified` or `bounded`.
    pub verdict: &'static str,
    /// The bounds that it has, accepted or not.
    pub bounds: Vec<Code>,
    /// The files that it is of, which are the beginning of these.
    pub subjects: Vec<Before>,
    /// Whether these bytes are the ones that it is of. If not it vouches for nothing.
    pub holds: bool,
    /// Digests that it vouches for: they were not counted as checked in this run.
    pub digests: u64,
    /// Signatures likewise.
    pub signatures: u64,
    /// The keys under which it found rows signed.
    pub keys: Vec<Signer>,
    /// The reports that it was made with itself, the latest first.
    pub through: Vec<String>,
}

/// A file as it was then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Before {
    /// Its bytes.
    pub bytes: u64,
    /// Their SHA-256, hex.
    pub sha256: String,
    /// Rows in it, readable or not.
    pub rows: u64,
}

/// A key, and how many rows it had signed by then.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Signer {
    /// What it is bound to, as in [`super::KeyFacts`].
    pub id: Option<String>,
    /// Its fingerprint.
    pub fingerprint: String,
    /// The rows.
    pub rows: u64,
}

impl SinceFacts {
    /// Rows of the files that it is of.
    pub fn rows(&self) -> u64 {
        self.subjects.iter().map(|subject| subject.rows).sum()
    }

    /// Bytes of the files that it is of.
    pub fn bytes(&self) -> u64 {
        self.subjects.iter().map(|subject| subject.bytes).sum()
    }

    /// `vouched for by report sha256:4c1f…`.
    pub(super) fn by(&self) -> String {
        let short = shortened(&self.report_id).unwrap_or_else(|| text(&self.report_id));
        format!("vouched for by report {short}")
    }
}

/// The line of the text report; none where no earlier report was given.
pub(super) fn line(report: &Report) -> Option<Line> {
    let since = report.since.as_ref()?;
    let id = text(&since.report_id);
    if !since.holds {
        let of = match since.subjects.as_slice() {
            [one] => format!("the first {} bytes are", grouped(one.bytes)),
            several => format!("the first {} files are", grouped(several.len() as u64)),
        };
        return Some(Line {
            mark: Mark::Bad,
            text: format!("{of} not what report {id} is of: it vouches for nothing"),
        });
    }
    let bounds: Vec<&str> = since.bounds.iter().map(|code| code.name()).collect();
    let verdict = match bounds.as_slice() {
        [] => since.verdict.to_owned(),
        bounds => format!("{}: {}", since.verdict, bounds.join(", ")),
    };
    let through = match since.through.len() {
        0 => String::new(),
        more => format!(", which was made with {}", counted(more as u64, "earlier report", "earlier reports")),
    };
    let (rows, bytes) = (counted(since.rows(), "row", "rows"), size(since.bytes()));
    let after = report.coverage.rows.saturating_sub(since.rows());
    let text = format!("{rows}, {bytes}, vouched for by report {id} ({verdict}){through}; {} since", grouped(after));
    Some(Line { mark: Mark::Good, text })
}

/// The member of the JSON report.
pub(super) fn value(since: &SinceFacts) -> Value {
    let before =
        |before: &Before| json!({ "bytes": before.bytes, "sha256": text(&before.sha256), "rows": before.rows });
    let signer = |key: &Signer| json!({ "id": optional(key.id.as_deref()), "fingerprint": text(&key.fingerprint), "rows": key.rows });
    json!({
        "report_id": text(&since.report_id),
        "verdict": since.verdict,
        "bounds": since.bounds.iter().map(|code| code.name()).collect::<Vec<_>>(),
        "subject": since.subjects.iter().map(before).collect::<Vec<_>>(),
        "holds": since.holds,
        "digests": since.digests,
        "signatures": since.signatures,
        "keys": since.keys.iter().map(signer).collect::<Vec<_>>(),
        "through": since.through.iter().map(|id| text(id)).collect::<Vec<_>>(),
    })
}
