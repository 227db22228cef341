//! Expected and found, one above the other, character under character, so that the first difference is seen.
//!
//! Both are cut into pieces of one length: the lines stay under each other on a phone and on paper.

use maud::{Markup, html};

use super::super::escape::escape;
use super::super::figures::grouped;
use super::words::MAX_TEXT;

/// Characters of a piece: 32 of them fit a narrow page.
const PIECE: usize = 32;

/// Pieces that are shown, from the one before the first difference on where that lies behind them.
const PIECES: usize = 8;

/// A piece of both texts: its first character, the two pieces and where in them the first difference is.
#[derive(Debug, PartialEq)]
struct Pair {
    expected: String,
    found: String,
    differs: Option<usize>,
}

/// Two texts, cut for reading.
#[derive(Debug, PartialEq)]
struct Cut {
    /// Characters left out before the first piece; they are equal.
    before: usize,
    pairs: Vec<Pair>,
    /// Whether something follows.
    more: bool,
    /// The first character that differs, from 1.
    first: Option<usize>,
}

/// What should stand there beside what does.
pub(super) fn compared(expected: &str, found: &str) -> Markup {
    let cut = cut(expected, found);
    html! {
        div.compared {
            p.difference {
                @match cut.first {
                    Some(first) => { "The first difference is at character " (grouped(first as u64)) "." }
                    None => "Both read alike."
                }
                @if cut.before > 0 { " " (grouped(cut.before as u64)) " equal characters before are not shown." }
            }
            @for pair in &cut.pairs {
                dl.pair {
                    div { dt { "expected" } dd { (piece(&pair.expected, pair.differs)) } }
                    div { dt { "found" } dd { (piece(&pair.found, pair.differs)) } }
                }
            }
            @if cut.more { p.difference { "… The rest is not shown." } }
        }
    }
}

fn piece(text: &str, differs: Option<usize>) -> Markup {
    let chars = || text.chars();
    let before: String = differs.map_or_else(|| text.to_owned(), |at| chars().take(at).collect());
    let at: Option<char> = differs.and_then(|at| chars().nth(at));
    let behind: String = differs.map_or_else(String::new, |at| chars().skip(at + 1).collect());
    html! {
        code {
            (before)
            @if differs.is_some() { mark { @match at { Some(at) => (at), None => "∅" } } }
            (behind)
        }
    }
}

fn cut(expected: &str, found: &str) -> Cut {
    // What was escaped is compared, since that is what is read. An escape is never cut for being long.
    let shown = |text: &str| escape(text).chars().take(MAX_TEXT * 8).collect::<Vec<char>>();
    let (expected, found) = (shown(expected), shown(found));
    let length = expected.len().max(found.len());
    let same = expected.iter().zip(&found).take_while(|(a, b)| a == b).count();
    let first = (same < length).then_some(same);
    let piece_of_first = first.unwrap_or(0) / PIECE;
    let start = if piece_of_first < PIECES { 0 } else { piece_of_first - 1 };
    let part = |text: &[char], index: usize| -> String { text.iter().skip(index * PIECE).take(PIECE).collect() };
    let pieces = length.div_ceil(PIECE).max(1);
    let shown = start..pieces.min(start + PIECES);
    let more = shown.end < pieces;
    let pairs = shown.map(|index| Pair {
        expected: part(&expected, index),
        found: part(&found, index),
        differs: first.filter(|first| first / PIECE == index).map(|first| first % PIECE),
    });
    Cut { before: start * PIECE, pairs: pairs.collect(), more, first: first.map(|first| first + 1) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn joined(cut: &Cut) -> (String, String) {
        let text = |of: fn(&Pair) -> &str| cut.pairs.iter().map(of).collect();
        (text(|pair| &pair.expected), text(|pair| &pair.found))
    }

    #[test]
    fn short_texts_stand_whole() {
        let (expected, found) = (format!("{}x", "a".repeat(40)), format!("{}yz", "a".repeat(40)));
        let cut = cut(&expected, &found);
        assert_eq!((cut.first, cut.before, cut.more), (Some(41), 0, false));
        assert_eq!(joined(&cut), (expected, found));
        assert_eq!(cut.pairs.iter().map(|pair| pair.differs).collect::<Vec<_>>(), [None, Some(8)]);
    }

    #[test]
    fn a_prefix_differs_where_it_ends() {
        assert_eq!(cut("abc", "abcd").first, Some(4));
        assert_eq!(cut("", "").first, None);
        assert_eq!(cut("", "").pairs.len(), 1);
    }

    #[test]
    fn a_late_difference_is_shown() {
        let long = "0".repeat(2000);
        let cut = cut(&format!("{long}1"), &format!("{long}2"));
        assert_eq!(cut.first, Some(2001));
        assert!(cut.pairs.iter().any(|pair| pair.differs.is_some()));
        assert_eq!(cut.before % PIECE, 0);
        assert!(cut.before < 2000);
    }

    #[test]
    fn what_hides_is_seen() {
        let cut = cut("ab", "a\u{202e}b");
        assert_eq!(joined(&cut).1, "a\\u{202e}b");
        assert_eq!(cut.first, Some(2));
    }
}
