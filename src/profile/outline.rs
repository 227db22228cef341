//! Parts told one by one: which bytes of a preimage or message come from where.
//!
//! The bytes are those that [`Scribe::write`] gives, part by part from the same code; only the names and
//! the places are new.

use std::ops::Range;

use super::parts::{Json, Length, Material, MemberForm, Named, Part, Scribe, Unwritten};
use crate::canonical::Form;
use crate::encoding::Decoding;

/// A part, and where it lies.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Piece {
    /// What it is, in words; the names of members in it are the profile's.
    pub what: String,
    /// Its place among the bytes of the whole; of the parts of a digest, among the bytes that it is over.
    pub range: Range<usize>,
    /// What it is put together from.
    pub inside: Vec<Piece>,
    /// Of a digest, the bytes that it is over.
    pub over: Option<Vec<u8>>,
}

impl Piece {
    fn moved(mut self, by: usize) -> Self {
        self.range = self.range.start + by..self.range.end + by;
        // What is inside a digest counts from the start of what it is over.
        if self.over.is_none() {
            self.inside = self.inside.into_iter().map(|piece| piece.moved(by)).collect();
        }
        self
    }
}

impl Scribe {
    /// Append the bytes of these parts, and tell where each lies in `out`.
    ///
    /// # Errors
    ///
    /// As [`Scribe::write`].
    pub fn outline(&mut self, parts: &[Part], from: &Material<'_>, out: &mut Vec<u8>) -> Result<Vec<Piece>, Unwritten> {
        parts.iter().map(|part| self.piece(part, from, out)).collect()
    }

    fn piece(&mut self, part: &Part, from: &Material<'_>, out: &mut Vec<u8>) -> Result<Piece, Unwritten> {
        let start = out.len();
        self.write(std::slice::from_ref(part), from, out)?;
        let mut piece = Piece { what: described(part), range: start..out.len(), inside: Vec::new(), over: None };
        match part {
            Part::Digest { of, .. } => {
                let mut over = Vec::new();
                piece.inside = self.outline(of, from, &mut over)?;
                piece.over = Some(over);
            }
            Part::Framed { length, of, then } => {
                let mut bare = Vec::new();
                let inside = self.outline(of, from, &mut bare)?;
                // What is not theirs stands before them and behind them.
                let behind = piece.range.end.saturating_sub(then.len());
                let first = behind.saturating_sub(bare.len());
                if let Some(length) = length {
                    let what = format!("length of what follows, {}", length_form(*length));
                    piece.inside.push(Piece { what, range: start..first, inside: Vec::new(), over: None });
                }
                piece.inside.extend(inside.into_iter().map(|piece| piece.moved(first)));
                if !then.is_empty() {
                    let range = behind..piece.range.end;
                    piece.inside.push(Piece { what: "fixed bytes".to_owned(), range, inside: Vec::new(), over: None });
                }
            }
            _ => {}
        }
        Ok(piece)
    }
}

fn described(part: &Part) -> String {
    match part {
        Part::Bytes(_) => "fixed bytes".to_owned(),
        Part::Line => "the line as it stands, without its end".to_owned(),
        Part::Member(member) => {
            let form = match member.form {
                MemberForm::Text => "text",
                MemberForm::JsonString => "JSON string",
                MemberForm::Decoded(Decoding::Hex) => "bytes that its hex digits stand for",
                MemberForm::Decoded(Decoding::Base64) => "bytes that its base64 stands for",
                MemberForm::Decoded(Decoding::Base64url) => "bytes that its base64url stands for",
                MemberForm::Decoded(Decoding::Uuid) => "bytes of its UUID",
            };
            format!("member {}, {form}", member.field.name())
        }
        Part::Prev(named) => format!("digest of the row before, {}", named_form(named)),
        Part::Hash(named) => format!("digest of the row, {}", named_form(named)),
        Part::Json(json) => described_json(json),
        Part::Digest { algorithm, hex, .. } => {
            format!("{} of parts, {}", algorithm.name(), if *hex { "hex digits" } else { "raw bytes" })
        }
        Part::Framed { .. } => "parts together".to_owned(),
    }
}

fn named_form(named: &Named) -> String {
    match named {
        Named::Raw { .. } => "raw bytes".to_owned(),
        Named::Text { strip } if strip.is_empty() => "text".to_owned(),
        Named::Text { strip } => format!("text without {strip}"),
    }
}

fn described_json(json: &Json) -> String {
    let what = match (&json.within, &json.spec.of) {
        (Some(field), _) => format!("member {}", field.name()),
        (None, Some(of)) => format!("member {of}"),
        (None, None) => "the row".to_owned(),
    };
    let mut out = format!("{what} as JSON in the form {}", form_name(&json.form));
    let spec = &json.spec;
    if !spec.include.is_empty() {
        out.push_str(&format!(", only {}", spec.include.join(", ")));
    }
    if !spec.exclude.is_empty() {
        out.push_str(&format!(", without {}", spec.exclude.join(", ")));
    }
    if !spec.exclude_recursive.is_empty() {
        out.push_str(&format!(", without {} at any depth", spec.exclude_recursive.join(", ")));
    }
    if json.low_bytes {
        out.push_str(", of each UTF-16 unit the low byte");
    }
    out
}

/// The name of a canonical form, or its words as `[canon]` has them.
fn form_name(form: &Form) -> String {
    let named = ["jcs", "compact", "compact-ascii", "python-default"].into_iter();
    match named.into_iter().find(|name| Form::builtin(name).as_ref() == Some(form)) {
        Some(name) => name.to_owned(),
        None => super::compile::form_words(form),
    }
}

fn length_form(length: Length) -> &'static str {
    match length {
        Length::U64be => "8 bytes, big-endian",
        Length::U64le => "8 bytes, little-endian",
        Length::U32be => "4 bytes, big-endian",
        Length::Ascii => "decimal digits",
        Length::AsciiNul => "decimal digits and a NUL",
    }
}
