//! Foreign text is tame, and figures are written for people.

use ledger_verify::report::escape::{escape, escape_bytes, escape_cut, is_unsafe, quote};
use ledger_verify::report::figures;
use proptest::prelude::*;

#[test]
fn figures_are_written_for_people() {
    let sizes = [0, 999, 1000, 13_104_877, 999_950, 999_949, u64::MAX].map(figures::size);
    assert_eq!(sizes, ["0 B", "999 B", "1.0 kB", "13.1 MB", "1.0 MB", "999.9 kB", "18,446,744,073,709,551,615 B"]);
    assert_eq!([0, 999, 1000, 18_422, 1_000_000].map(figures::grouped), ["0", "999", "1,000", "18,422", "1,000,000"]);
    let long = format!("ed25519:{}", "5f21".repeat(32));
    assert_eq!(figures::shortened(&long).as_deref(), Some("ed25519:5f21…5f21"));
    assert_eq!(figures::shortened("1042"), None);
}

#[test]
fn quotes_keep_foreign_text_apart_from_ours() {
    assert_eq!(quote("result.status", 20), "result.status");
    assert_eq!(quote("", 20), "\"\"");
    assert_eq!(quote("acme, verified", 20), "\"acme, verified\"");
    assert_eq!(quote("a\" is good", 20), "\"a\\u{22} is good\"");
}

#[test]
fn escaping_cuts_by_characters() {
    assert_eq!(escape("naïve 漢字 — ok"), "naïve 漢字 — ok");
    assert_eq!(escape("a\u{1b}[0m\u{202e}"), "a\\u{1b}[0m\\u{202e}");
    assert_eq!(escape_cut("日本語", 3), "日本語");
    assert_eq!(escape_cut("日本語", 2), "日本…");
    assert_eq!(escape_cut("\u{1b}\u{1b}", 1), "\\u{1b}…");
    assert_eq!(escape_bytes(b"a\xff\x1b\xc3"), "a\\xff\\u{1b}\\xc3");
}

#[test]
fn every_character_is_shown_or_escaped() {
    for c in '\0'..=char::MAX {
        let shown = escape_cut(c.encode_utf8(&mut [0; 4]), 1).into_owned();
        assert_eq!(shown.starts_with("\\u{") && shown.ends_with('}'), is_unsafe(c), "{shown}");
    }
}

proptest! {
    #[test]
    fn nothing_unsafe_survives_escaping(text in any::<String>(), bytes in any::<Vec<u8>>(), max in 0usize..40) {
        // A list of its own: categories by hand, so that the table under test is not its own oracle.
        let bad = |c: char| matches!(u32::from(c), 0..=0x1f | 0x7f..=0x9f | 0xad | 0x61c | 0x200b..=0x200f
            | 0x2028..=0x202e | 0x2060..=0x206f | 0xfeff | 0xfff9..=0xfffb | 0xfe00..=0xfe0f | 0xe0000..=0xe0fff
            | 0xfdd0..=0xfdef) || u32::from(c) % 0x10000 >= 0xfffe;
        for shown in [escape(&text), escape_cut(&text, max), escape_bytes(&bytes).into()] {
            prop_assert!(!shown.contains(bad), "{shown:?}");
        }
        prop_assert!(text.contains(is_unsafe) || escape(&text) == text);
    }
}
