//! How well a profile fits an export, for the writer of the profile: as text and as JSON.
//!
//! No verdict on the ledger: a profile that reproduces nothing may be wrong, or the export may be.

use serde_json::{Value, json};

use super::escape::{escape, escape_bytes, escape_cut};
use super::figures::{counted, grouped};
use super::identity::{optional, text as shown};

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.fit/v1";

/// Bytes of a preimage that the text shows.
const MAX_BYTES: usize = 4096;

/// Bytes of a preimage that are kept: more of one row helps nobody.
pub const KEPT: usize = 1 << 20;

/// Characters of a digest or message.
const MAX_TEXT: usize = 512;

/// What a profile reproduces of an export.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fit {
    /// The profile's name.
    pub profile: String,
    /// SHA-256 of its text, hex.
    pub sha256: String,
    /// The readings that were taken; empty for a format with one reading.
    pub recipe: String,
    /// Lines that are not blank.
    pub rows: u64,
    /// Those of them that are no row.
    pub unreadable: u64,
    /// Digests that are the ones which rows state; none where rows state no digest of their own.
    pub digests: Count,
    /// Links that name the row before, or begin a chain; none where rows state no link.
    pub links: Count,
    /// Signatures that hold.
    pub signatures: Count,
    /// The first row that does not fit.
    pub misfit: Option<Misfit>,
}

/// How many of something fit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Count {
    /// Those that do.
    pub fit: u64,
    /// Those that do not.
    pub differ: u64,
    /// Those that could not be computed: a key was not given.
    pub open: u64,
}

/// A row that does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Index of its part, from 0.
    pub part: u32,
    /// Its line, from 1.
    pub line: u64,
    /// Its sequence.
    pub sequence: Option<u64>,
    /// What does not fit.
    pub what: What,
    /// What is wrong with the row besides, in words.
    pub remarks: Vec<String>,
    /// What was computed, as the format writes it.
    pub computed: Option<String>,
    /// What the row states.
    pub stated: Option<String>,
    /// The bytes that it was computed of, or that the signature was held against, [`KEPT`] of them at most.
    pub bytes: Option<Vec<u8>>,
}

/// What does not fit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    /// The line is no row.
    Row,
    /// Its digest.
    Digest,
    /// Its link.
    Link,
    /// Its signature.
    Signature,
}

impl Count {
    /// How many there are.
    pub fn total(self) -> u64 {
        self.fit + self.differ + self.open
    }
}

impl What {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            What::Row => "row",
            What::Digest => "digest",
            What::Link => "link",
            What::Signature => "signature",
        }
    }

    /// What the bytes are that it is about.
    fn bytes(self) -> &'static str {
        match self {
            What::Signature => "signed bytes",
            What::Link => "preimage of the row before",
            What::Digest | What::Row => "preimage",
        }
    }
}

impl Fit {
    /// Whether everything was reproduced, and anything was.
    pub fn is_whole(&self) -> bool {
        let counts = [self.digests, self.links, self.signatures];
        let reproduced = self.digests.fit + if self.digests.total() == 0 { self.links.fit } else { 0 };
        self.unreadable == 0 && reproduced > 0 && counts.iter().all(|count| count.differ + count.open == 0)
    }

    /// 0 if everything was reproduced, else 1.
    pub fn exit_code(&self) -> u8 {
        u8::from(!self.is_whole())
    }

    /// As text.
    pub fn text(&self) -> String {
        let mut out = format!("profile {}, {}\n", escape(&self.profile), counted(self.rows, "row", "rows"));
        if !self.recipe.is_empty() {
            out.push_str(&format!("  recipe: {}\n", escape(&self.recipe)));
        }
        if self.unreadable > 0 {
            out.push_str(&format!("  ✗ {} no row\n", counted(self.unreadable, "line is", "lines are")));
        }
        let digests = "digests: rows state none of their own";
        out.push_str(&line(self.digests, "digests reproduced", digests));
        out.push_str(&line(self.links, "links fit", "links: none is stated"));
        out.push_str(&line(self.signatures, "signatures verified", "signatures: there is none"));
        self.misfit.iter().for_each(|misfit| out.push_str(&misfit.text()));
        out.push_str(if self.is_whole() { "fits\n" } else { "does not fit\n" });
        out
    }

    /// As one JSON text.
    pub fn json(&self) -> String {
        let count = |count: Count| json!({ "fit": count.fit, "differ": count.differ, "not_checked": count.open });
        let value = json!({
            "schema": SCHEMA,
            "profile": { "name": shown(&self.profile), "sha256": self.sha256, "recipe": shown(&self.recipe) },
            "fits": self.is_whole(),
            "exit_code": self.exit_code(),
            "rows": self.rows,
            "unreadable": self.unreadable,
            "digests": count(self.digests),
            "links": count(self.links),
            "signatures": count(self.signatures),
            "first_misfit": self.misfit.as_ref().map(Misfit::json),
        });
        format!("{value:#}\n")
    }
}

fn line(count: Count, what: &str, none: &str) -> String {
    let Count { fit, differ, open } = count;
    let of = format!("{} of {} {what}", grouped(fit), grouped(count.total()));
    match (fit, differ, open) {
        (0, 0, 0) => format!("  – {none}\n"),
        (_, 0, 0) => format!("  ✓ {of}\n"),
        (_, 0, open) => format!("  – {of}; {} not checked for want of a key\n", grouped(open)),
        _ => format!("  ✗ {of}\n"),
    }
}

impl Misfit {
    fn text(&self) -> String {
        let sequence = self.sequence.map_or_else(String::new, |sequence| format!(", sequence {sequence}"));
        let part = if self.part > 0 { format!("part {}, ", self.part) } else { String::new() };
        let mut out =
            format!("  first row that does not fit: {part}line {}{sequence}: {}\n", self.line, self.what.name());
        for remark in &self.remarks {
            out.push_str(&format!("    {remark}\n"));
        }
        for (name, text) in [("computed", &self.computed), ("stated", &self.stated)] {
            if let Some(text) = text {
                out.push_str(&format!("    {name:8}  {}\n", escape_cut(text, MAX_TEXT)));
            }
        }
        if let Some(bytes) = &self.bytes {
            let start = bytes.get(..MAX_BYTES).unwrap_or(bytes);
            let more = bytes.len() - start.len();
            let more = if more > 0 { format!("… and {} bytes more", grouped(more as u64)) } else { String::new() };
            out.push_str(&format!("    {}, {} bytes\n", self.what.bytes(), grouped(bytes.len() as u64)));
            out.push_str(&format!("      text  {}{more}\n", escape_bytes(start)));
            out.push_str(&format!("      hex   {}{more}\n", data_encoding::HEXLOWER.encode(start)));
        }
        out
    }

    fn json(&self) -> Value {
        let bytes = self.bytes.as_ref().map(|bytes| {
            json!({
                "of": self.what.bytes(),
                "text": std::str::from_utf8(bytes).ok().map(escape),
                "hex": data_encoding::HEXLOWER.encode(bytes),
            })
        });
        json!({
            "part": self.part,
            "line": self.line,
            "sequence": self.sequence,
            "what": self.what.name(),
            "remarks": self.remarks.iter().map(|remark| shown(remark)).collect::<Vec<String>>(),
            "computed": optional(self.computed.as_deref()),
            "stated": optional(self.stated.as_deref()),
            "bytes": bytes,
        })
    }
}
