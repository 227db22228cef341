//! Why a line is no row.
//!
//! One error for one line, and where several apply the first in the order of [`Kind`], so that the
//! same line is always told in the same words. No text of a row stands in it unescaped.

use std::fmt;

use super::wtf8::{self, Piece};

/// What is wrong with a line. Where several kinds apply the first of them is reported, and of
/// [`Kind::NotJson`], [`Kind::EndsEarly`] and [`Kind::NestingTooDeep`] the first in byte order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Longer than [`super::MAX_LENGTH`].
    TooLong,
    /// Not UTF-8 (RFC 3629; RFC 8259 §8.1).
    InvalidUtf8,
    /// Not JSON (RFC 8259 §2), or a lone surrogate, which I-JSON forbids (RFC 7493 §2.1).
    NotJson,
    /// A JSON text up to its end, which comes too early: more bytes could have completed it.
    EndsEarly,
    /// Nested deeper than [`super::MAX_DEPTH`] (RFC 8259 §9 allows a limit).
    NestingTooDeep,
    /// JSON, but not an object.
    NotAnObject,
    /// Two members of one object have the same name after unescaping (RFC 7493 §2.3).
    DuplicateKey,
    /// A number beyond the finite doubles (RFC 7493 §2.2).
    NumberOutOfRange,
}

/// Why a line is no row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// What is wrong.
    pub kind: Kind,
    /// The byte offset in the line where it shows.
    pub at: usize,
    /// What was expected there, in short and plain words.
    pub why: String,
}

impl Unreadable {
    /// Of a text that is not UTF-8 from this byte on.
    pub fn invalid_utf8(at: usize) -> Self {
        Unreadable::new(Kind::InvalidUtf8, at, "not UTF-8")
    }

    pub(super) fn new(kind: Kind, at: usize, why: impl Into<String>) -> Self {
        Unreadable { kind, at, why: why.into() }
    }
}

impl fmt::Display for Unreadable {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} at byte {}", self.why, self.at)
    }
}

impl std::error::Error for Unreadable {}

/// A name, in WTF-8, in quotes and escaped, cut where it would fill the line.
pub(super) fn quoted(name: &[u8]) -> String {
    const LONGEST: usize = 60;
    let (mut shown, mut count) = (String::from("\""), 0);
    for piece in wtf8::pieces(name) {
        let quoted: String = match piece {
            Piece::Half(half) => {
                count += 1;
                format!("\\u{{{half:x}}}")
            }
            Piece::Text(text) => {
                let kept: String = text.chars().take(LONGEST - count).collect();
                count += text.chars().take(LONGEST + 1 - count).count();
                let quoted = format!("{kept:?}");
                quoted.get(1..quoted.len() - 1).unwrap_or_default().to_owned()
            }
        };
        if count > LONGEST && matches!(piece, Piece::Half(_)) {
            break;
        }
        shown.push_str(&quoted);
        if count > LONGEST {
            break;
        }
    }
    shown.push_str(if count > LONGEST { "\"…" } else { "\"" });
    shown
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn names_are_quoted_and_cut() {
        assert_eq!(quoted(b"it's \"\n"), r#""it's \"\n""#);
        assert_eq!(quoted(b"a\xed\xa0\x80b"), r#""a\u{d800}b""#);
        let long = "é".repeat(60);
        assert_eq!(quoted(long.as_bytes()), format!("{long:?}"));
        assert_eq!(quoted(format!("{long}x").as_bytes()), format!("{long:?}…"));
        assert_eq!(quoted(&[long.as_bytes(), b"\xed\xa0\x80"].concat()), format!("{long:?}…"));
        assert_eq!(quoted(&b"\xed\xbf\xbf".repeat(61)), format!("\"{}\"…", "\\u{dfff}".repeat(60)));
    }
}
