//! How a row is spelled: the same value in one of the many texts that JSON allows.
//!
//! The hash is over the canonical form, so a verifier must read through every spelling. Most rows
//! are written as plain exporters write them; some have spaces, other escapes, other number texts or
//! another order of members. No spelling changes the value.

use serde_json::{Map, Value};

use super::random::Random;

/// What is unusual about a row's text.
#[derive(Clone, Copy, Debug, Default)]
struct Style {
    spaces: bool,
    escapes: bool,
    numbers: bool,
}

/// Write the row as one line with its LF, in a spelling that `random` chooses.
pub fn write_row(row: &Map<String, Value>, random: &mut Random, out: &mut Vec<u8>) {
    let style = Style { spaces: random.once_in(40), escapes: random.once_in(20), numbers: random.once_in(30) };
    if random.once_in(25) {
        // Another order of members: a store that keeps rows as maps gives them back in any order.
        let mut members: Vec<_> =
            row.iter().map(|(name, value)| (random.draw(), name.clone(), value.clone())).collect();
        members.sort_by_key(|member| member.0);
        let row = members.into_iter().map(|(_, name, value)| (name, value)).collect();
        write_object(&row, style, random, out);
    } else if style.spaces || style.escapes || style.numbers {
        write_object(row, style, random, out);
    } else {
        serde_json::to_writer(&mut *out, row).expect("a Vec takes every byte");
    }
    out.push(b'\n');
}

fn write_value(value: &Value, style: Style, random: &mut Random, out: &mut Vec<u8>) {
    match value {
        Value::Null => out.extend_from_slice(b"null"),
        Value::Bool(true) => out.extend_from_slice(b"true"),
        Value::Bool(false) => out.extend_from_slice(b"false"),
        Value::Number(number) => out.extend_from_slice(spell_number(number, style, random).as_bytes()),
        Value::String(text) => write_string(text, style, random, out),
        Value::Array(items) => {
            out.push(b'[');
            for (index, item) in items.iter().enumerate() {
                if index > 0 {
                    out.push(b',');
                    space(style, random, out);
                }
                write_value(item, style, random, out);
            }
            out.push(b']');
        }
        Value::Object(members) => write_object(members, style, random, out),
    }
}

fn write_object(members: &Map<String, Value>, style: Style, random: &mut Random, out: &mut Vec<u8>) {
    out.push(b'{');
    for (index, (name, value)) in members.iter().enumerate() {
        if index > 0 {
            out.push(b',');
        }
        space(style, random, out);
        write_string(name, style, random, out);
        space(style, random, out);
        out.push(b':');
        space(style, random, out);
        write_value(value, style, random, out);
    }
    space(style, random, out);
    out.push(b'}');
}

fn space(style: Style, random: &mut Random, out: &mut Vec<u8>) {
    if style.spaces {
        out.extend_from_slice(random.pick(&["", " ", " ", "  ", "\t"]).as_bytes());
    }
}

/// A number's text. Integers keep their digits, so that no spelling is imprecise.
fn spell_number(number: &serde_json::Number, style: Style, random: &mut Random) -> String {
    let plain = number.to_string();
    if !style.numbers {
        return plain;
    }
    match (number.as_u64(), number.as_f64()) {
        (Some(integer), _) if (1..1_000_000).contains(&integer) => match random.below(4) {
            0 => format!("{integer}.0"),
            1 => format!("{integer}e0"),
            2 => format!("{integer}0E-1"),
            _ => plain,
        },
        (None, Some(double)) => match random.below(3) {
            0 => format!("{double:e}"),
            1 => format!("{double:E}"),
            _ => plain,
        },
        _ => plain,
    }
}

fn write_string(text: &str, style: Style, random: &mut Random, out: &mut Vec<u8>) {
    out.push(b'"');
    for character in text.chars() {
        match character {
            '"' | '\\' if style.escapes && random.once_in(2) => write_unicode_escape(character, random, out),
            '"' => out.extend_from_slice(b"\\\""),
            '\\' => out.extend_from_slice(b"\\\\"),
            '\n' if !style.escapes || random.once_in(2) => out.extend_from_slice(b"\\n"),
            '\t' if !style.escapes || random.once_in(2) => out.extend_from_slice(b"\\t"),
            '/' if style.escapes && random.once_in(2) => out.extend_from_slice(b"\\/"),
            character if character < ' ' => write_unicode_escape(character, random, out),
            character if style.escapes && random.once_in(if character.is_ascii() { 200 } else { 2 }) => {
                write_unicode_escape(character, random, out);
            }
            character => out.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes()),
        }
    }
    out.push(b'"');
}

/// `\u` escapes, a surrogate pair above U+FFFF, hex digits in either case.
fn write_unicode_escape(character: char, random: &mut Random, out: &mut Vec<u8>) {
    for unit in character.encode_utf16(&mut [0; 2]) {
        let escape = if random.once_in(2) { format!("\\u{unit:04x}") } else { format!("\\u{unit:04X}") };
        out.extend_from_slice(escape.as_bytes());
    }
}
