//! A row that declares a break: what it says, and what text a declaration pins.
//!
//! Decided here: which rows are declarations, as the profile's `[declared]` describes them. All of it is what
//! the row says; whether it excuses anything is the chain's judgement.

use sha2::{Digest as _, Sha256};

use super::field::{Field, Found};
use super::plan::{DeclaredPlan, Plan};
use super::view::View;

/// What a declaration states.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stated {
    /// The line that it excuses; `None` for an integer that counts no line.
    pub line: Option<u64>,
    /// The digest that it pins: any 64 characters.
    pub sha256: String,
    /// Its reason, not blank.
    pub why: String,
    /// What the chain goes on from, if it says that.
    pub resume: Option<Vec<u8>>,
}

impl DeclaredPlan {
    /// What the row declares; `None` if it is no declaration. It must be a row of the chain, and have been read
    /// with the text of its numbers.
    pub fn read(&self, view: &View<'_>, plan: &Plan) -> Option<Stated> {
        let text = |field: &Field| field.find(view).and_then(Found::as_bytes);
        let chained = plan.fields.hash.as_ref().or(plan.fields.prev.as_ref());
        if !self.when.holds(view) || chained.is_none_or(|field| text(field).is_none()) {
            return None;
        }
        let number = self.line.find(view)?.value()?;
        number.as_number()?;
        let written = number.written()?;
        if written.contains(['.', 'e', 'E']) {
            return None;
        }
        // Half of a surrogate pair is one character of three bytes, which become U+FFFD here: none is white space
        // or a digit.
        let sha256 = text(&self.sha256).filter(|digest| characters(digest) == 64)?;
        let why = String::from_utf8_lossy(text(&self.why)?);
        if trim(&why).is_empty() {
            return None;
        }
        Some(Stated {
            line: written.parse().ok().filter(|line| *line > 0),
            sha256: String::from_utf8_lossy(sha256).into_owned(),
            why: why.into_owned(),
            resume: self.resume.as_ref().and_then(text).filter(|resume| !resume.is_empty()).map(<[u8]>::to_vec),
        })
    }
}

/// How many characters a text has; half of a surrogate pair is one.
fn characters(text: &[u8]) -> usize {
    text.iter().filter(|byte| !matches!(byte, 0x80..0xc0)).count()
}

/// SHA-256 of what a declaration pins of a line: its text without the white space around it, what is not UTF-8
/// replaced by U+FFFD.
pub fn pinned(line: &[u8]) -> [u8; 32] {
    Sha256::digest(trim(&String::from_utf8_lossy(line))).into()
}

/// Without white space at both ends: what Unicode and Python call so, the information separators among it.
fn trim(text: &str) -> &str {
    text.trim_matches(|char: char| char.is_whitespace() || matches!(char, '\u{1c}'..='\u{1f}'))
}
