//! Byte parts: what a preimage or a signed message is put together from.

use std::borrow::Cow;
use std::collections::BTreeMap;

use data_encoding::HEXLOWER;
use regex::Regex;

use super::field::{Field, Found};
use super::view::View;
use crate::canonical::{
    Form, Numbers, Replacement, Select, SelectSpec, Unwritable, Writer, latin1_low_byte, write_json_string,
};
use crate::digest::DigestAlgorithm;
use crate::encoding::{Decoding, Encoding};
use crate::fact::{Digest, LinkForm};
use crate::row::{Number, Value};

/// One part of a preimage or message.
#[derive(Clone, Debug)]
pub enum Part {
    /// These bytes.
    Bytes(Vec<u8>),
    /// The row's exact bytes.
    Line,
    /// A member.
    Member(Box<Member>),
    /// The predecessor's digest.
    Prev(Named),
    /// The row's own digest.
    Hash(Named),
    /// The row, or a part of it, in a canonical form.
    Json(Box<Json>),
    /// A digest of parts.
    Digest {
        /// The algorithm.
        algorithm: DigestAlgorithm,
        /// Whether it enters as lower-case hex digits.
        hex: bool,
        /// What it is over.
        of: Vec<Part>,
    },
    /// Parts with their length before them or bytes behind them.
    Framed {
        /// How their length is written.
        length: Option<Length>,
        /// The parts.
        of: Vec<Part>,
        /// What is put behind them.
        then: Vec<u8>,
    },
}

impl Part {
    /// Whether it needs numbers as they are written, also those below 2^53: rows with others are always read
    /// exactly.
    pub(super) fn needs_written(&self) -> bool {
        match self {
            Part::Json(json) => json.form.needs_small_written(),
            Part::Member(member) => matches!(member.form, MemberForm::Text | MemberForm::JsonString),
            _ => false,
        }
    }

    /// Whether it prints numbers anew, so that digits can get lost.
    pub(super) fn reprints_numbers(&self) -> bool {
        matches!(self, Part::Json(json) if json.form.numbers == Numbers::Es6)
    }
}

/// A member as a part: default, replacements, map and encoding apply in this order.
#[derive(Clone, Debug)]
pub struct Member {
    pub(super) field: Field,
    /// Its text where it is absent or null.
    pub(super) default: Option<String>,
    /// Replacements, each literal.
    pub(super) sub: Vec<(Regex, String)>,
    /// What stands for its text; a text that is not among them stays.
    pub(super) map: BTreeMap<String, String>,
    pub(super) form: MemberForm,
}

/// What a member's text stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MemberForm {
    /// Itself.
    Text,
    /// The bytes that it encodes.
    Decoded(Decoding),
    /// Itself as a JSON string, with quotes.
    JsonString,
}

/// In which form a digest enters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Named {
    /// The bytes that its text encodes.
    Raw {
        /// How its text encodes them.
        encoding: Encoding,
    },
    /// Its text, without this at the front.
    Text {
        /// What is left out.
        strip: String,
    },
}

/// The row or a part of it in a canonical form.
#[derive(Clone, Debug)]
pub struct Json {
    /// The member inside JSON text that stands for the row, where it is one.
    pub(super) within: Option<Field>,
    /// What is selected, as the profile says it.
    pub(super) spec: SelectSpec,
    /// The same, compiled.
    pub(super) select: Select,
    pub(super) form: Form,
    pub(super) low_bytes: bool,
    /// What stands for the values of the members that the selection sets, in its order.
    pub(super) replacements: Vec<Replaced>,
}

/// What stands for a member's own value.
#[derive(Clone, Debug)]
pub enum Replaced {
    /// The value of another member.
    Member(Field),
    /// The value of a member of the row before, by its place in the plan's list; of a member of the row
    /// itself where it is a chain's first.
    Before {
        /// The place.
        carried: usize,
        /// The member of the row before, for findings.
        field: Field,
        /// The member of a first row.
        genesis: Option<Field>,
    },
}

/// How a length is written before a part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// 8 bytes, big-endian.
    U64be,
    /// 8 bytes, little-endian.
    U64le,
    /// 4 bytes, big-endian.
    U32be,
    /// Decimal digits.
    Ascii,
    /// Decimal digits and a NUL.
    AsciiNul,
}

/// Whether one of the parts, at any depth, is of this kind.
pub(super) fn mentions(parts: &[Part], kind: &dyn Fn(&Part) -> bool) -> bool {
    parts.iter().any(|part| {
        kind(part)
            || match part {
                Part::Digest { of, .. } | Part::Framed { of, .. } => mentions(of, kind),
                _ => false,
            }
    })
}

/// Why parts cannot be written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Unwritten {
    /// A digest that they ask for is not known.
    Unknown,
    /// A member is absent.
    Missing(String),
    /// A member is not in the form that they ask for.
    Malformed(String),
}

/// What parts are written from.
#[derive(Clone, Copy, Debug)]
pub struct Material<'r> {
    /// The row.
    pub view: View<'r>,
    /// The predecessor's digest.
    pub prev: Option<Naming<'r>>,
    /// The row's own digest.
    pub hash: Option<Naming<'r>>,
    /// Values of the row before.
    pub before: Neighbour<'r>,
    /// How digests are written.
    pub form: &'r LinkForm,
}

/// Values of members of the row before, by their place in the plan's list.
#[derive(Clone, Copy, Debug)]
pub enum Neighbour<'r> {
    /// Nothing is known of it.
    Unknown,
    /// There is none: this is a chain's first row.
    None,
    /// It has these.
    Members(&'r [Option<Value<'r>>]),
}

/// A digest by which a row is named: its text, its bytes, or both.
#[derive(Clone, Copy, Debug)]
pub struct Naming<'r> {
    /// As it is written, most often in UTF-8.
    pub text: Option<&'r [u8]>,
    /// As it is known.
    pub digest: Option<&'r Digest>,
}

impl<'r> Naming<'r> {
    fn text<'t>(&self, form: &'t LinkForm) -> Option<Cow<'t, [u8]>>
    where
        'r: 't,
    {
        match (self.text, self.digest) {
            (Some(text), _) => Some(Cow::Borrowed(text)),
            (None, Some(&Digest::GENESIS)) => Some(Cow::Borrowed(form.genesis.as_bytes())),
            (None, digest) => digest.map(|digest| form.written(digest)),
        }
    }
}

/// Writes parts, with the same scratch for every row.
#[derive(Debug, Default)]
pub struct Scribe {
    canonical: Writer,
    scratch: Vec<u8>,
}

impl Scribe {
    /// Append the bytes of these parts.
    ///
    /// # Errors
    ///
    /// What is not there to write; nothing is said about `out` then.
    pub fn write(&mut self, parts: &[Part], from: &Material<'_>, out: &mut Vec<u8>) -> Result<(), Unwritten> {
        parts.iter().try_for_each(|part| self.part(part, from, out))
    }

    fn part(&mut self, part: &Part, from: &Material<'_>, out: &mut Vec<u8>) -> Result<(), Unwritten> {
        match part {
            Part::Bytes(bytes) => out.extend_from_slice(bytes),
            Part::Line => out.extend_from_slice(from.view.line),
            Part::Member(member) => self.member(member, from, out)?,
            Part::Prev(named) => named.write(from.prev, from.form, out)?,
            Part::Hash(named) => named.write(from.hash, from.form, out)?,
            Part::Json(json) => self.json(json, from, out)?,
            Part::Digest { algorithm, hex, of } => {
                let mut bytes = Vec::new();
                self.write(of, from, &mut bytes)?;
                let digest = algorithm.digest(&bytes, None).ok_or(Unwritten::Unknown)?;
                match hex {
                    true => out.extend_from_slice(HEXLOWER.encode(digest.bytes()).as_bytes()),
                    false => out.extend_from_slice(digest.bytes()),
                }
            }
            Part::Framed { length, of, then } => {
                let start = out.len();
                self.write(of, from, out)?;
                if let Some(length) = length {
                    let written = length.of((out.len() - start) as u64);
                    out.splice(start..start, written);
                }
                out.extend_from_slice(then);
            }
        }
        Ok(())
    }
}

impl Scribe {
    fn member(&mut self, member: &Member, from: &Material<'_>, out: &mut Vec<u8>) -> Result<(), Unwritten> {
        let name = || member.field.name().to_owned();
        let found = member.field.find(&from.view).filter(|found| member.default.is_none() || !found.is_null());
        let mut text = match (found, &member.default) {
            (Some(found), _) => self.text(found).ok_or_else(|| Unwritten::Malformed(name()))?,
            (None, Some(default)) => Cow::Borrowed(default.as_str()),
            (None, None) => return Err(Unwritten::Missing(name())),
        };
        for (regex, replacement) in &member.sub {
            if let Cow::Owned(replaced) = regex.replace_all(&text, regex::NoExpand(replacement)) {
                text = Cow::Owned(replaced);
            }
        }
        let text = member.map.get(&*text).map_or(&*text, String::as_str);
        let written = match member.form {
            MemberForm::Text => {
                out.extend_from_slice(text.as_bytes());
                Some(())
            }
            MemberForm::Decoded(decoding) => decoding.append(text, out),
            MemberForm::JsonString => {
                write_json_string(text, out);
                Some(())
            }
        };
        written.ok_or_else(|| Unwritten::Malformed(name()))
    }

    /// The text of a member: a string's content, a number or literal as it is written, an object or array
    /// in compact form.
    fn text<'r>(&mut self, found: Found<'r>) -> Option<Cow<'r, str>> {
        let value = match found {
            Found::Text(text) => return Some(Cow::Borrowed(text)),
            Found::Value(value) => value,
        };
        if let Some(text) = value.as_str() {
            return Some(Cow::Borrowed(text));
        }
        if let Some(truth) = value.as_bool() {
            return Some(Cow::Borrowed(if truth { "true" } else { "false" }));
        }
        if value.is_null() {
            return Some(Cow::Borrowed("null"));
        }
        if let Some(number) = value.as_number() {
            return value.written().map(Cow::Borrowed).or_else(|| integer(number).map(Cow::Owned));
        }
        let mut out = std::mem::take(&mut self.scratch);
        out.clear();
        let written = self.canonical.write(value, &Select::default(), &Form::COMPACT, &[], &mut out);
        let text = written.ok().and_then(|()| String::from_utf8(out.clone()).ok());
        self.scratch = out;
        text.map(Cow::Owned)
    }

    fn json(&mut self, json: &Json, from: &Material<'_>, out: &mut Vec<u8>) -> Result<(), Unwritten> {
        let missing = |field: &Field| Unwritten::Missing(field.name().to_owned());
        let member = |field: &Field| match field.find(&from.view) {
            Some(Found::Value(value)) => Ok(Replacement::Value(value)),
            Some(Found::Text(text)) => Ok(Replacement::Text(text)),
            None => Err(missing(field)),
        };
        let mut values = Vec::with_capacity(json.replacements.len());
        for replaced in &json.replacements {
            values.push(match (replaced, from.before) {
                (Replaced::Member(field), _) => member(field)?,
                (Replaced::Before { .. }, Neighbour::Unknown) => return Err(Unwritten::Unknown),
                (Replaced::Before { genesis, field, .. }, Neighbour::None) => {
                    member(genesis.as_ref().ok_or_else(|| missing(field))?)?
                }
                (Replaced::Before { carried, field, .. }, Neighbour::Members(members)) => {
                    let value = members.get(*carried).copied().flatten();
                    Replacement::Value(value.ok_or_else(|| missing(field))?)
                }
            });
        }
        let root = match &json.within {
            None => from.view.root,
            Some(field) => field.find(&from.view).and_then(Found::value).ok_or_else(|| missing(field))?,
        };
        let start = out.len();
        let written = self.canonical.write(root, &json.select, &json.form, &values, out);
        written.map_err(|why| match why {
            Unwritable::Missing(path) => Unwritten::Missing(path),
            // The row was read for what the plan's forms need.
            Unwritable::NotExact => Unwritten::Unknown,
            Unwritable::TooLong => Unwritten::Malformed("the row, indented".to_owned()),
            Unwritable::BeyondJson => Unwritten::Malformed("the row, in a form of strict JSON".to_owned()),
        })?;
        if json.low_bytes {
            latin1_low_byte(out, start);
        }
        Ok(())
    }
}

impl Named {
    fn write(&self, naming: Option<Naming<'_>>, form: &LinkForm, out: &mut Vec<u8>) -> Result<(), Unwritten> {
        let naming = naming.ok_or(Unwritten::Unknown)?;
        match self {
            Named::Raw { encoding } => {
                if let Some(bytes) = naming.digest.and_then(|digest| form.bytes(digest)) {
                    // The text encodes them, too.
                    out.extend_from_slice(form.wrap());
                    out.extend_from_slice(bytes);
                    return Ok(());
                }
                let text = naming.text(form).ok_or(Unwritten::Unknown)?;
                let bare = form.bare(std::str::from_utf8(&text).map_err(|_| Unwritten::Unknown)?);
                let bytes = encoding.decode(bare.as_bytes(), bare.len()).ok_or(Unwritten::Unknown)?;
                out.extend_from_slice(&bytes);
                Ok(())
            }
            Named::Text { strip } => {
                let text = naming.text(form).ok_or(Unwritten::Unknown)?;
                out.extend_from_slice(text.strip_prefix(strip.as_bytes()).unwrap_or(&text));
                Ok(())
            }
        }
    }
}

/// The text of an integer, which any reader keeps.
fn integer(number: Number) -> Option<String> {
    match number {
        Number::Unsigned(number) => Some(number.to_string()),
        // The only signed 0 is `-0`.
        Number::Signed(0) => Some("-0".to_owned()),
        Number::Double(_) => None,
        Number::Signed(number) => Some(number.to_string()),
    }
}

impl Length {
    fn of(self, length: u64) -> Vec<u8> {
        match self {
            Length::U64be => length.to_be_bytes().to_vec(),
            Length::U64le => length.to_le_bytes().to_vec(),
            // A row is at most 1 GiB long.
            Length::U32be => u32::try_from(length).unwrap_or(u32::MAX).to_be_bytes().to_vec(),
            Length::Ascii => length.to_string().into_bytes(),
            Length::AsciiNul => format!("{length}\0").into_bytes(),
        }
    }
}
