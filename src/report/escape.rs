//! Escaping: decides which characters of foreign text may be shown as they are.
//!
//! Record text and file names are hostile. A terminal obeys control characters, a viewer obeys
//! bidirectional ones, and a reader cannot see invisible ones: each can make a broken ledger look
//! whole (CWE-150, CVE-2021-42574). They are shown as `\u{1b}`, in every output alike, also where
//! JSON would allow them raw: a JSON report is read on terminals too.
//!
//! A backslash stays as it is: file names hold them, and an escape that stands in the text as
//! such does no more harm than the text itself.

use std::borrow::Cow;
use std::fmt::Write as _;

/// The character that stands for what was cut off.
const ELLIPSIS: char = '…';

/// `text` with every character escaped that is not plainly visible.
pub fn escape(text: &str) -> Cow<'_, str> {
    match text.find(is_unsafe) {
        None => Cow::Borrowed(text),
        Some(start) => {
            let (good, rest) = text.split_at(start);
            let mut out = String::with_capacity(text.len() + 16);
            out.push_str(good);
            push(&mut out, rest);
            Cow::Owned(out)
        }
    }
}

/// The same, cut after `max` characters of `text`; an ellipsis says that something was cut.
///
/// What is shown may be shown again: an escape that stands in `text` counts as the character that it is of, so that
/// a text which was escaped and cut, to as many characters or more, gives the same as the text itself. So a
/// report that is read back from JSON says the same to the byte.
pub fn escape_cut(text: &str, max: usize) -> Cow<'_, str> {
    // Every character takes a byte at least.
    if text.len() <= max {
        return escape(text);
    }
    let mut end = 0;
    for _ in 0..max {
        let rest = &text[end..];
        match rest.chars().next() {
            Some(c) => end += escaped_length(rest).unwrap_or(c.len_utf8()),
            None => break,
        }
    }
    if end == text.len() {
        return escape(text);
    }
    let mut out = escape(&text[..end]).into_owned();
    out.push(ELLIPSIS);
    Cow::Owned(out)
}

/// The bytes of the escape that a text begins with, exactly as [`escape`] writes one; `None` if it begins with
/// none.
fn escaped_length(text: &str) -> Option<usize> {
    let digits = text.strip_prefix("\\u{")?;
    let (digits, _) = digits.split_at_checked(digits.find('}').filter(|length| *length <= 6)?)?;
    let c = char::from_u32(u32::from_str_radix(digits, 16).ok()?).filter(|c| is_unsafe(*c))?;
    let escape = c.escape_unicode();
    text.starts_with(&escape.to_string()).then_some(escape.len())
}

/// Whether a text is shown as it is, and holds nothing that reads as the escape of a character that is not.
pub fn is_exact(text: &str) -> bool {
    let mut backslashes = text.match_indices('\\');
    !text.contains(is_unsafe)
        && backslashes.all(|(at, _)| text.get(at..).is_none_or(|rest| escaped_length(rest).is_none()))
}

/// A name or value inside a sentence of ours: a plain word bare, anything else in quotes, so that
/// text of the export never reads as part of the sentence.
pub fn quote(text: &str, max: usize) -> Cow<'_, str> {
    let plain = |c: char| c.is_alphanumeric() || "_.:+-=/@$[]…".contains(c);
    let shown = escape_cut(text, max);
    if !shown.is_empty() && shown.chars().all(plain) {
        return shown;
    }
    // A quote inside must not look like the end.
    Cow::Owned(format!("\"{}\"", shown.replace('"', "\\u{22}")))
}

/// [`escape`] for bytes that need not be UTF-8: a byte that is part of no character becomes `\xff`.
pub fn escape_bytes(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        push(&mut out, chunk.valid());
        for byte in chunk.invalid() {
            // Writing to a String cannot fail.
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

/// Whether a character could hide, reorder or command.
pub fn is_unsafe(c: char) -> bool {
    // Every text starts here, and almost every character is one of these.
    if matches!(c, ' '..='~') {
        return false;
    }
    c.is_control() || is_invisible(c) || is_noncharacter(c)
}

fn push(out: &mut String, text: &str) {
    for c in text.chars() {
        if is_unsafe(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
}

/// Line and paragraph separators, bidirectional controls, and what Unicode calls default
/// ignorable (DerivedCoreProperties.txt): soft hyphen, joiners, fillers, variation selectors, tag
/// characters; and the format controls that are drawn as nothing.
fn is_invisible(c: char) -> bool {
    matches!(c,
        '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}'..='\u{1160}'       // Hangul fillers
        | '\u{17b4}'..='\u{17b5}'
        | '\u{180b}'..='\u{180f}'       // Mongolian selectors
        | '\u{200b}'..='\u{200f}'       // zero width, joiners, marks of direction
        | '\u{2028}'..='\u{202e}'       // separators, embeddings, overrides
        | '\u{2060}'..='\u{206f}'       // word joiner, invisible operators, isolates
        | '\u{3164}'
        | '\u{fe00}'..='\u{fe0f}'       // variation selectors
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{fff0}'..='\u{fffb}'       // interlinear annotation, and reserved beside it
        | '\u{13430}'..='\u{1343f}'     // joiners of hieroglyphs
        | '\u{1bca0}'..='\u{1bca3}'     // shorthand format controls
        | '\u{1d173}'..='\u{1d17a}'     // musical format controls
        | '\u{e0000}'..='\u{e0fff}'     // tags, variation selectors supplement
    )
}

/// Code points that Unicode promises never to assign.
fn is_noncharacter(c: char) -> bool {
    matches!(c, '\u{fdd0}'..='\u{fdef}') || u32::from(c) & 0xfffe == 0xfffe
}
