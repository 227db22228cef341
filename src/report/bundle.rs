//! What is said of an evidence bundle: the model, as text and as JSON.
//!
//! The verdict is derived anew from the ledger in the bundle, never taken from what the bundle states.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::escape::{escape_cut, quote};
use super::figures::counted;
use super::identity::{optional, text as shown};
use super::text::{self, Style};
use super::{Outcome, Report, json as of_report};
use crate::verdict::Status;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.bundle/v1";

/// Characters of foreign text in a line.
const MAX_FACT: usize = 160;

/// What a bundle does not show, whatever is in it.
const LIMITS: [&str; 3] = [
    "The manifest of a bundle is not signed: whoever can rewrite the bundle can make every digest in it fit.",
    "A bundle shows the ledger as it was when the bundle was made: rows may have been cut off before that.",
    "The prose in the bundle was not judged, and of a witness's answer nothing but a pin, which nobody signed.",
];

/// What came of a bundle.
#[derive(Clone, Debug)]
pub struct BundleReport {
    /// Its name as given.
    pub name: String,
    /// `folder` or `zip`.
    pub kind: &'static str,
    /// What was looked at, in order.
    pub checks: Vec<BundleCheck>,
    /// What does not fit.
    pub mismatches: Vec<Mismatch>,
    /// Why nothing could be looked at, where that is so.
    pub unseen: Option<String>,
    /// What a witness answered, if that is in the bundle.
    pub answer: Option<Answer>,
    /// The ledger, as it was derived anew.
    pub ledger: Option<Ledger>,
}

/// The answer of a witness.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Answer {
    /// As of any witness; `no_pin` for an answer that is no pin, `not_compared` where the ledger was not audited.
    pub verdict: &'static str,
    /// The ledger's name there, and how many rows are pinned.
    pub pin: Option<(String, u64)>,
}

/// One of the things that are looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BundleCheck {
    /// Its permanent name.
    pub id: &'static str,
    /// How it came out.
    pub status: Status,
}

/// Something that the bundle states and that is not so.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Mismatch {
    /// The check that it is of.
    pub check: &'static str,
    /// The file, or the member of one.
    pub what: String,
    /// What the bundle states.
    pub stated: Option<String>,
    /// What is there.
    pub found: String,
}

/// The ledger of a bundle.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// As an audit finds it, declared breaks and rows before the chain being bounds.
    pub report: Box<Report>,
    /// What the format's own verifier would say, strict and not.
    pub strict: Said,
    /// The same, not strict.
    pub lenient: Said,
    /// Whether the ledger has rows from before it was chained and is whole from there on.
    pub prechain_adoption: bool,
}

/// The nine members in which the format's own verifier puts its verdict.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Said {
    /// True, false, or neither.
    pub ok: Option<bool>,
    /// Rows.
    pub rows: u64,
    /// Links among them.
    pub chained: u64,
    /// Rows before the first of these.
    pub prechain: u64,
    /// The first break.
    pub first_break: Option<String>,
    /// How many there are.
    pub breaks: u64,
    /// What the verdict covers.
    pub verified_scope: &'static str,
    /// Breaks that the ledger declares.
    pub declared_breaks: u64,
    /// What it says of them.
    pub declared: Vec<String>,
}

impl BundleReport {
    /// The word.
    pub fn word(&self) -> &'static str {
        match self.exit_code() {
            0 => "verified",
            1 => "broken",
            _ => "bounded",
        }
    }

    /// The exit code: a mismatch is a fault; else it is that of the ledger.
    pub fn exit_code(&self) -> u8 {
        match &self.ledger {
            _ if !self.mismatches.is_empty() => 1,
            Some(ledger) => ledger.report.verdict.exit_code(),
            None => 3,
        }
    }

    /// The JSON form, with a line end.
    pub fn json(&self) -> String {
        let said = |said: &Said| {
            json!({
                "ok": said.ok,
                "rows": said.rows,
                "chained": said.chained,
                "prechain": said.prechain,
                "first_break": optional(said.first_break.as_deref()),
                "breaks": said.breaks,
                "verified_scope": said.verified_scope,
                "declared_breaks": said.declared_breaks,
                "declared": said.declared.iter().map(|text| shown(text)).collect::<Vec<_>>(),
            })
        };
        let mismatch = |mismatch: &Mismatch| {
            json!({
                "check": mismatch.check,
                "what": shown(&mismatch.what),
                "stated": optional(mismatch.stated.as_deref()),
                "found": shown(&mismatch.found),
            })
        };
        let ledger = self.ledger.as_ref();
        let value = json!({
            "schema": SCHEMA,
            "verdict": self.word(),
            "exit_code": self.exit_code(),
            "bundle": { "name": shown(&self.name), "kind": self.kind },
            "checks": self.checks.iter().map(|check| json!({ "id": check.id, "status": check.status.name() })).collect::<Vec<_>>(),
            "mismatches": self.mismatches.iter().map(mismatch).collect::<Vec<_>>(),
            "witness": self.answer.as_ref().map(|answer| {
                let pin = answer.pin.as_ref();
                json!({
                    "verdict": answer.verdict,
                    "namespace": optional(pin.map(|(namespace, _)| namespace.as_str())),
                    "rows": pin.map(|(_, rows)| rows),
                })
            }),
            "unseen": optional(self.unseen.as_deref()),
            "recomputed_strict": ledger.map(|ledger| said(&ledger.strict)),
            "recomputed_lenient": ledger.map(|ledger| said(&ledger.lenient)),
            "prechain_adoption": ledger.map(|ledger| ledger.prechain_adoption),
            "ledger": ledger.map_or(Value::Null, |ledger| of_report::value(&Outcome::Report(ledger.report.clone()))),
            "limits": LIMITS,
        });
        format!("{value:#}\n")
    }

    /// Write the text form.
    ///
    /// # Errors
    ///
    /// Those of `out`.
    pub fn write(&self, style: Style, out: &mut impl Write) -> io::Result<()> {
        writeln!(out, "{}  {}", escape_cut(&self.name, MAX_FACT), self.kind)?;
        for check in &self.checks {
            writeln!(out, "  {}: {}", check.id, check.status.name())?;
        }
        for mismatch in &self.mismatches {
            let what = quote(&mismatch.what, MAX_FACT);
            match &mismatch.stated {
                Some(stated) => {
                    let (stated, found) = (quote(stated, MAX_FACT), quote(&mismatch.found, MAX_FACT));
                    writeln!(out, "  {}: {what} is stated as {stated}, and is {found}", mismatch.check)?;
                }
                None => writeln!(out, "  {}: {what}: {}", mismatch.check, escape_cut(&mismatch.found, MAX_FACT))?,
            }
        }
        match self.answer.as_ref().map(|answer| (answer.verdict, &answer.pin)) {
            Some((verdict, Some((namespace, rows)))) => {
                let rows = counted(*rows, "row", "rows");
                writeln!(out, "  the witness's pin of {} over {rows}: {verdict}", quote(namespace, MAX_FACT))?;
            }
            Some((verdict, None)) => writeln!(out, "  the witness's answer holds no pin to compare with: {verdict}")?,
            None => {}
        }
        if let Some(why) = &self.unseen {
            writeln!(out, "  could not look: {}", escape_cut(why, MAX_FACT))?;
        }
        if let Some(ledger) = &self.ledger {
            writeln!(out, "  the ledger in it, derived anew:")?;
            text::write(&ledger.report, style, out)?;
        }
        writeln!(out, "  what a bundle does not show")?;
        LIMITS.iter().try_for_each(|limit| writeln!(out, "    {limit}"))?;
        let faults = match self.mismatches.len() {
            0 => String::new(),
            many => format!(": {}", counted(many as u64, "mismatch", "mismatches")),
        };
        writeln!(out, "bundle {}{faults}", self.word())
    }
}
