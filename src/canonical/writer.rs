//! The one writer of all canonical forms.
//!
//! Decides the bytes of a value under a selection and a form. What it is given is JSON without
//! duplicate names, so every value has exactly one text, or none in a form that cannot hold it. Open objects and arrays are kept in
//! a list and not on the stack, so that no value can overflow it; the scratch is kept from row to
//! row, so that writing allocates nothing once it has grown.

use super::draft::{Drafts, Key};
use super::members::{Mark, Members, Object, What, is_normalized, normalize};
use super::select::{Place, Select};
use super::{Escape, Form, Separators, Unicode, number, string};
use crate::row::{Node, Row, Value};

/// Indented text beyond this many bytes is refused: spaces can make it a thousand times the row, and
/// memory must stay flat whatever a row holds.
const LONGEST_INDENTED: usize = 1 << 27;

/// Writes values one after the other with the same scratch.
#[derive(Debug, Default)]
pub struct Writer {
    members: Members,
    open: Vec<Open>,
    /// Which conditions of `include_when` hold.
    holds: Vec<bool>,
    normalized: Vec<u8>,
    drafts: Drafts,
    /// The scalars that were written, as indices on the tape, and where they stand in what was written; only
    /// while a draft is made.
    scalars: Option<Vec<(u32, usize, usize)>>,
}

/// A value that takes the place of a member that `set` names.
#[derive(Clone, Copy, Debug)]
pub enum Replacement<'a> {
    /// A value of this row or another one, written in the form; nothing is selected from it.
    Value(Value<'a>),
    /// A text.
    Text(&'a str),
}

/// Why a value cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritable {
    /// The member at this path, which `of`, `include` or a replacement asks for, is absent.
    Missing(String),
    /// The form needs the text of a number, which only the exact reader keeps:
    /// [`Form::needs_exact`] says so beforehand.
    NotExact,
    /// Indented, it would be longer than 128 MiB.
    TooLong,
    /// The row holds a lone surrogate or a number that is not finite, which RFC 8785 and its parts have no
    /// text or no order for.
    BeyondJson,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    bracket: Bracket,
    place: Place,
    /// The row it belongs to: 0 is the one that is written, others are those of replacements.
    source: u32,
}

#[derive(Clone, Copy, Debug)]
enum Bracket {
    /// `next` is the number of the member to write next.
    Object { mark: Mark, next: usize },
    /// `next` is the index of the next item on the tape, which is number `written`.
    Array { next: u32, written: u32, count: u32 },
}

/// What stays the same while a value is written. `JCS` is the home format's path, RFC 8785 without
/// replacements: known to the compiler, it costs no questions about the form.
#[derive(Clone, Copy)]
struct Job<'a, const JCS: bool> {
    select: &'a Select,
    form: &'a Form,
    row: &'a Row,
    replacements: &'a [Replacement<'a>],
}

impl<'a, const JCS: bool> Job<'a, JCS> {
    #[inline]
    fn form(&self) -> &'a Form {
        if JCS { &Form::JCS } else { self.form }
    }

    #[inline]
    fn row(&self, source: u32) -> &'a Row {
        if JCS || source == 0 {
            return self.row;
        }
        match self.replacements.get(source as usize - 1) {
            Some(Replacement::Value(value)) => value.row(),
            _ => self.row,
        }
    }
}

impl Writer {
    /// Appends the canonical form of what is selected of a value. The replacements are those of the
    /// selection's `set`, in its order. After an error nothing is said about `out`.
    ///
    /// # Errors
    /// A member that is asked for is absent, or the row lacks the text of a number.
    pub fn write(
        &mut self,
        value: Value<'_>,
        select: &Select,
        form: &Form,
        replacements: &[Replacement<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        let value = match select.of() {
            [] => value,
            of => value.path(of).ok_or_else(|| Unwritable::Missing(of.join(".")))?,
        };
        let row = value.row();
        if row.is_beyond_json() && form.is_of_strict_json() {
            return Err(Unwritable::BeyondJson);
        }
        let key = if replacements.is_empty() { Key::of(value, select, form) } else { None };
        let Some(key) = key else { return self.anew(value, select, form, replacements, out) };
        let Writer { drafts, normalized, .. } = self;
        if let Some(draft) = drafts.get(key) {
            return draft.write(out, |index, out| scalar(form, row, index, normalized, out));
        }
        let start = out.len();
        self.scalars = Some(Vec::new());
        let written = self.anew(value, select, form, replacements, out);
        if let (Some(scalars), Ok(())) = (self.scalars.take(), &written)
            && let Some(written) = out.get(start..)
        {
            let scalars: Vec<_> = scalars.iter().map(|(index, from, to)| (*index, from - start, to - start)).collect();
            self.drafts.keep(key, written, &scalars);
        }
        written
    }

    /// The same without any draft.
    fn anew(
        &mut self,
        value: Value<'_>,
        select: &Select,
        form: &Form,
        replacements: &[Replacement<'_>],
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        let row = value.row();
        select.conditions(value, &mut self.holds);
        if *form == Form::JCS && replacements.is_empty() {
            self.run(&Job::<true> { select, form, row, replacements }, value.index(), out)
        } else {
            self.run(&Job::<false> { select, form, row, replacements }, value.index(), out)
        }
    }

    fn run<const JCS: bool>(&mut self, job: &Job<'_, JCS>, index: u32, out: &mut Vec<u8>) -> Result<(), Unwritable> {
        let Form { separators, escape, .. } = *job.form();
        let start = out.len();
        self.members.clear();
        self.open.clear();
        self.own(job, index, job.select.root(), 0, out)?;
        loop {
            let depth = self.open.len();
            let Some(Open { bracket, place, source }) = self.open.last_mut() else { return Ok(()) };
            let (place, source) = (*place, *source);
            let row = job.row(source);
            match bracket {
                Bracket::Object { mark, next } => {
                    let Some((name, own_name, what, named)) = self.members.get(*mark, *next, row) else {
                        if *next > 0 {
                            line(separators, depth - 1, out);
                        }
                        out.push(b'}');
                        self.members.forget(*mark);
                        self.open.pop();
                        continue;
                    };
                    separate(separators, *next > 0, depth, out);
                    *next += 1;
                    string::write(name, !own_name || row.has_escapes(), escape, out);
                    match separators {
                        Separators::Compact => out.push(b':'),
                        Separators::Python | Separators::Indent2 => out.extend_from_slice(b": "),
                    }
                    let place = named.unwrap_or(Place::unnamed(place.in_array));
                    match what {
                        What::Own(index) => self.own(job, index, place, source, out)?,
                        other => self.other(job, other, place, out)?,
                    }
                }
                Bracket::Array { written, count, .. } if written == count => {
                    if *written > 0 {
                        line(separators, depth - 1, out);
                    }
                    out.push(b']');
                    self.open.pop();
                }
                Bracket::Array { next, written, .. } => {
                    separate(separators, *written > 0, depth, out);
                    let (index, number) = (*next, *written);
                    *next = row.after(index);
                    *written += 1;
                    self.own(job, index, job.select.item(place, number), source, out)?;
                }
            }
            if separators == Separators::Indent2 && out.len() - start > LONGEST_INDENTED {
                return Err(Unwritable::TooLong);
            }
        }
    }

    /// Writes the value at this index of the tape of its row, or its opening bracket.
    #[inline(always)]
    fn own<const JCS: bool>(
        &mut self,
        job: &Job<'_, JCS>,
        index: u32,
        place: Place,
        source: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        let row = job.row(source);
        match row.node(index) {
            Node::Array { count, .. } => {
                out.push(b'[');
                let next = index.saturating_add(1);
                self.open.push(Open { bracket: Bracket::Array { next, written: 0, count }, place, source });
                Ok(())
            }
            Node::Object { .. } => self.open_object(job, Some(index), place, source, out),
            _ => {
                let start = out.len();
                scalar(job.form(), row, index, &mut self.normalized, out)?;
                if let Some(scalars) = &mut self.scalars {
                    scalars.push((index, start, out.len()));
                }
                Ok(())
            }
        }
    }

    /// Writes a value that is not in its place in the row.
    #[cold]
    fn other<const JCS: bool>(
        &mut self,
        job: &Job<'_, JCS>,
        what: What,
        place: Place,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        match what {
            What::Own(index) => return self.own(job, index, place, 0, out),
            What::Null => out.extend_from_slice(b"null"),
            What::Empty => return self.open_object(job, None, place, 0, out),
            What::Replaced(number) => match job.replacements.get(number as usize) {
                Some(Replacement::Text(text)) => string(job.form(), text.as_bytes(), true, &mut self.normalized, out),
                Some(Replacement::Value(value)) => {
                    return self.own(job, value.index(), place, number.saturating_add(1), out);
                }
                None => return Err(Unwritable::Missing(format!("replacement {number}"))),
            },
        }
        Ok(())
    }

    /// Collects what is written of an object and writes its opening bracket.
    fn open_object<const JCS: bool>(
        &mut self,
        job: &Job<'_, JCS>,
        index: Option<u32>,
        place: Place,
        source: u32,
        out: &mut Vec<u8>,
    ) -> Result<(), Unwritable> {
        let Form { keys, top_keys, unicode, .. } = *job.form();
        let keys = if self.open.is_empty() { top_keys.unwrap_or(keys) } else { keys };
        // Nothing is selected from a replacement.
        let whole = source != 0 || job.select.keeps_all(place);
        let (select, row) = (job.select, job.row(source));
        let object = Object::<JCS> { select, holds: &self.holds, row, index, place, whole, keys, unicode };
        let mark = self.members.collect(&object).map_err(Unwritable::Missing)?;
        out.push(b'{');
        self.open.push(Open { bracket: Bracket::Object { mark, next: 0 }, place, source });
        Ok(())
    }
}

/// Appends the value at this index of the tape, which is neither object nor array.
#[inline(always)]
fn scalar(form: &Form, row: &Row, index: u32, normalized: &mut Vec<u8>, out: &mut Vec<u8>) -> Result<(), Unwritable> {
    match row.node(index) {
        Node::String(span) => match row.unescaped(index, span) {
            Some(written) if form.escape == Escape::Json && form.unicode == Unicode::None => {
                out.extend_from_slice(written);
            }
            _ => string(form, row.bytes(span), row.has_escapes(), normalized, out),
        },
        Node::Wide(span) => string(form, row.wide(span), true, normalized, out),
        Node::Number(number) => {
            let text = || row.written(index);
            number::write_as(form.numbers, number, text, out).ok_or(Unwritable::NotExact)?;
        }
        Node::Bool(true) => out.extend_from_slice(b"true"),
        Node::Bool(false) => out.extend_from_slice(b"false"),
        Node::Null => out.extend_from_slice(b"null"),
        Node::Object { .. } | Node::Array { .. } => {}
    }
    Ok(())
}

/// Appends a string that is a value.
#[inline(always)]
fn string(form: &Form, string: &[u8], may_need_escapes: bool, normalized: &mut Vec<u8>, out: &mut Vec<u8>) {
    if form.unicode == Unicode::None || is_normalized(string) {
        return string::write(string, may_need_escapes, form.escape, out);
    }
    normalized.clear();
    normalize(string, normalized);
    string::write(normalized, may_need_escapes, form.escape, out);
}

/// Writes what stands before a member or item.
#[inline]
fn separate(separators: Separators, follows: bool, depth: usize, out: &mut Vec<u8>) {
    match separators {
        Separators::Python if follows => out.extend_from_slice(b", "),
        _ if follows => out.push(b','),
        _ => {}
    }
    line(separators, depth, out);
}

/// Starts a new line at this depth, in an indented form.
#[inline]
fn line(separators: Separators, depth: usize, out: &mut Vec<u8>) {
    if separators == Separators::Indent2 {
        out.push(b'\n');
        out.extend(std::iter::repeat_n(b' ', 2 * depth));
    }
}
