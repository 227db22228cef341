//! The JSON Canonicalization Scheme (RFC 8785).
//!
//! Decides the bytes of a value: no whitespace, members sorted by their names as UTF-16 (§3.2.3),
//! strings with the fewest escapes (§3.2.2.2), numbers as ECMAScript prints them (§3.2.2.3). What
//! it is given is strict JSON without duplicate names, so every value has exactly one form.

use super::{Exclude, exclude::Step, number};
use crate::row::{Node, Row, Value};

/// Writes values one after the other with the same scratch.
#[derive(Debug, Default)]
pub struct Writer {
    /// The names of all open objects that are still written, each object's sorted.
    names: Vec<Name>,
    /// The open objects and arrays. A list, so that no value can overflow the stack.
    open: Vec<Open>,
}

/// The name of a member, as its index on the tape.
#[derive(Clone, Copy, Debug)]
struct Name {
    /// Its first bytes, as they sort; most names differ within them.
    prefix: u64,
    index: u32,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    bracket: Bracket,
    /// What may be left out below it.
    level: Option<usize>,
}

#[derive(Clone, Copy, Debug)]
enum Bracket {
    /// Its names are `first..` in the list of names; `next` is the one to write next.
    Object { first: usize, next: usize },
    /// `next` is the index of the next item on the tape, which is number `written`.
    Array { next: u32, written: u32, count: u32 },
}

/// Appends the canonical form of a value (RFC 8785) without the excluded members.
pub fn write(value: Value<'_>, exclude: &Exclude, out: &mut Vec<u8>) {
    Writer::default().write(value, exclude, out);
}

impl Writer {
    /// Appends the canonical form of a value (RFC 8785) without the excluded members.
    pub fn write(&mut self, value: Value<'_>, exclude: &Exclude, out: &mut Vec<u8>) {
        self.names.clear();
        self.open.clear();
        let row = value.row();
        let mut next = Some((value.index(), exclude.root()));
        while let Some((index, level)) = next {
            self.start(row, index, level, exclude, out);
            next = self.next(row, exclude, out);
        }
    }

    /// Writes the value at this index of the tape, or its opening bracket.
    fn start(&mut self, row: &Row, index: u32, level: Option<usize>, exclude: &Exclude, out: &mut Vec<u8>) {
        match row.node(index) {
            Node::String(span) => write_string(row.bytes(span), row.has_escapes(), out),
            Node::Number(number) => number::write(number, out),
            Node::Bool(true) => out.extend_from_slice(b"true"),
            Node::Bool(false) => out.extend_from_slice(b"false"),
            Node::Null => out.extend_from_slice(b"null"),
            Node::Array { count, .. } => {
                out.push(b'[');
                let next = index.saturating_add(1);
                self.open.push(Open { bracket: Bracket::Array { next, written: 0, count }, level });
            }
            Node::Object { count, .. } => {
                let first = self.names.len();
                let mut index = index.saturating_add(1);
                for _ in 0..count {
                    let name = row.name(index);
                    if level.is_none() || exclude.step(level, name) != Step::Out {
                        self.names.push(Name { prefix: prefix(name), index });
                    }
                    index = row.after(index.saturating_add(1));
                }
                if let Some(names) = self.names.get_mut(first..) {
                    names.sort_unstable_by(|a, b| {
                        let whole = || in_utf16_order(row.name(a.index), row.name(b.index));
                        a.prefix.cmp(&b.prefix).then_with(whole)
                    });
                }
                out.push(b'{');
                self.open.push(Open { bracket: Bracket::Object { first, next: first }, level });
            }
        }
    }

    /// Closes what is complete and writes what stands before the next value, if there is one.
    fn next(&mut self, row: &Row, exclude: &Exclude, out: &mut Vec<u8>) -> Option<(u32, Option<usize>)> {
        loop {
            let Open { bracket, level } = self.open.last_mut()?;
            match bracket {
                Bracket::Object { first, next } => {
                    let Some(Name { index, .. }) = self.names.get(*next).copied() else {
                        out.push(b'}');
                        self.names.truncate(*first);
                        self.open.pop();
                        continue;
                    };
                    if next > first {
                        out.push(b',');
                    }
                    *next += 1;
                    let name = row.name(index);
                    write_string(name, row.has_escapes(), out);
                    out.push(b':');
                    let level = level.and_then(|level| exclude.below(Some(level), name));
                    return Some((index.saturating_add(1), level));
                }
                Bracket::Array { written, count, .. } if written == count => {
                    out.push(b']');
                    self.open.pop();
                }
                Bracket::Array { next, written, .. } => {
                    if *written > 0 {
                        out.push(b',');
                    }
                    let index = *next;
                    let level = level.and_then(|level| exclude.below(Some(level), written.to_string().as_bytes()));
                    *next = row.after(index);
                    *written += 1;
                    return Some((index, level));
                }
            }
        }
    }
}

/// Where a byte of UTF-8 sorts in UTF-16 order (RFC 8785 §3.2.3). Both orders agree but for one
/// thing: the characters from U+E000 to U+FFFF (lead bytes EE and EF) come after the surrogates
/// that stand for those beyond (lead bytes F0 to F4). Only lead bytes have these values.
fn rank(byte: u8) -> u8 {
    match byte {
        0xEE | 0xEF => byte + 5,
        0xF0..=0xF4 => byte - 2,
        _ => byte,
    }
}

/// The first eight bytes of a name as one number that sorts as they do. Shorter names are filled
/// with zeros, so that equal numbers decide nothing.
fn prefix(name: &[u8]) -> u64 {
    let first = name.first_chunk::<8>().copied().unwrap_or_else(|| {
        let mut first = [0; 8];
        first.iter_mut().zip(name).for_each(|(place, byte)| *place = *byte);
        first
    });
    if first.is_ascii() { u64::from_be_bytes(first) } else { u64::from_be_bytes(first.map(rank)) }
}

fn in_utf16_order(a: &[u8], b: &[u8]) -> std::cmp::Ordering {
    a.iter().map(|byte| rank(*byte)).cmp(b.iter().map(|byte| rank(*byte)))
}

/// Appends a string with its quotes (RFC 8785 §3.2.2.2). If the row `has_escapes`, some of its
/// characters may need one.
fn write_string(string: &[u8], has_escapes: bool, out: &mut Vec<u8>) {
    out.push(b'"');
    let mut rest = string;
    if has_escapes {
        // Without an early end, so that it is done for many bytes at once.
        while rest.iter().fold(false, |any, byte| any | must_be_escaped(*byte)) {
            let plain = rest.iter().take_while(|byte| !must_be_escaped(**byte)).count();
            let Some((before, [byte, after @ ..])) = rest.split_at_checked(plain) else { break };
            out.extend_from_slice(before);
            write_escape(*byte, out);
            rest = after;
        }
    }
    out.extend_from_slice(rest);
    out.push(b'"');
}

fn must_be_escaped(byte: u8) -> bool {
    matches!(byte, 0..0x20 | b'"' | b'\\')
}

fn write_escape(byte: u8, out: &mut Vec<u8>) {
    let short = match byte {
        0x08 => b'b',
        b'\t' => b't',
        b'\n' => b'n',
        0x0C => b'f',
        b'\r' => b'r',
        b'"' | b'\\' => byte,
        _ => {
            let digits = data_encoding::HEXLOWER.encode_display(&[byte]).to_string();
            out.extend_from_slice(b"\\u00");
            return out.extend_from_slice(digits.as_bytes());
        }
    };
    out.extend_from_slice(&[b'\\', short]);
}
