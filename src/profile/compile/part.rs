//! The parts of preimages and messages.

use std::collections::BTreeMap;

use super::{Compiler, member};
use crate::canonical::{Absent, DropNull, Form, Select, SelectSpec, When};
use crate::digest::DigestAlgorithm;
use crate::encoding::{Decoding, Encoding};
use crate::fact::{LinkForm, NameForm};
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::{Json, Length, Member, MemberForm, Named, Part, Replaced};
use crate::profile::schema::{self, As, Charset, Digested, JsonTable, PartTable, PartWord, Replacement};

impl Compiler {
    /// The parts of a preimage or message, at least one.
    pub(super) fn parts(&mut self, words: &[PartWord], form: &LinkForm) -> Result<Vec<Part>, Wrong> {
        if words.is_empty() {
            return Err(Wrong::new("there is no part in it"));
        }
        words.iter().enumerate().map(|(index, word)| self.part(word, form).item(index)).collect()
    }

    fn part(&mut self, word: &PartWord, form: &LinkForm) -> Result<Part, Wrong> {
        let table = match word {
            PartWord::Text(text) => return Ok(Part::Bytes(text.clone().into_bytes())),
            PartWord::Table(table) => table,
        };
        misplaced(table)?;
        let part = self.kind(table, form)?;
        let then = table.then_hex.as_deref().map(hex).transpose().under("then_hex")?.unwrap_or_default();
        let length = table.len.map(|length| match length {
            schema::Length::U64be => Length::U64be,
            schema::Length::U64le => Length::U64le,
            schema::Length::U32be => Length::U32be,
            schema::Length::Ascii => Length::Ascii,
            schema::Length::AsciiNul => Length::AsciiNul,
        });
        match part {
            part if length.is_none() && then.is_empty() => Ok(part),
            Part::Framed { length: None, of, .. } => Ok(Part::Framed { length, of, then }),
            part => Ok(Part::Framed { length, of: vec![part], then }),
        }
    }

    fn kind(&mut self, table: &PartTable, form: &LinkForm) -> Result<Part, Wrong> {
        if let Some(text) = &table.hex {
            return hex(text).map(Part::Bytes).under("hex");
        }
        if let Some(name) = &table.field {
            return self.member_part(name, table);
        }
        if let Some(named) = table.prev {
            return named_form(named, table, form).map(Part::Prev).under("prev");
        }
        if let Some(named) = table.hash {
            return named_form(named, table, form).map(Part::Hash).under("hash");
        }
        if table.line == Some(true) {
            return Ok(Part::Line);
        }
        if let Some(json) = &table.json {
            let low_bytes = table.charset == Some(Charset::Latin1LowByte);
            return self.json(json, low_bytes).map(|json| Part::Json(Box::new(json))).under("json");
        }
        let of = self.parts(table.of.as_deref().unwrap_or_default(), form).under("of")?;
        Ok(match &table.digest {
            Some(name) => {
                let algorithm = digest_algorithm(name).under("digest")?;
                if algorithm.is_mac() {
                    return Err(Wrong::new("a part has no key: a MAC cannot stand here").under("digest"));
                }
                Part::Digest { algorithm, hex: table.out == Some(Digested::Hex), of }
            }
            None => Part::Framed { length: None, of, then: Vec::new() },
        })
    }

    fn member_part(&self, name: &str, table: &PartTable) -> Result<Part, Wrong> {
        let sub = table.sub.iter().enumerate().map(|(index, (regex, replacement))| {
            Ok((member::expression(regex).item(index).under("sub")?, replacement.clone()))
        });
        Ok(Part::Member(Box::new(Member {
            field: self.member(name).under("field")?,
            default: table.default.clone(),
            sub: sub.collect::<Result<Vec<_>, Wrong>>()?,
            map: table.map.clone().unwrap_or_default(),
            form: match table.form {
                None | Some(As::Utf8) => MemberForm::Text,
                Some(As::Hex) => MemberForm::Decoded(Decoding::Hex),
                Some(As::Base64) => MemberForm::Decoded(Decoding::Base64),
                Some(As::Base64url) => MemberForm::Decoded(Decoding::Base64url),
                Some(As::Uuid) => MemberForm::Decoded(Decoding::Uuid),
                Some(As::JsonString) => MemberForm::JsonString,
            },
        })))
    }

    fn json(&mut self, table: &JsonTable, low_bytes: bool) -> Result<Json, Wrong> {
        let form = match &table.canon {
            Some(name) => self.form(name).under("canon")?,
            None => Form::COMPACT,
        };
        let mut replacements = Vec::new();
        for (path, replacement) in &table.set {
            replacements.push(self.replaced(replacement).under(path).under("set")?);
        }
        let include_when = table.include_when.iter().enumerate().map(|(index, include)| {
            let test = member::test(&include.when()).item(index).under("include_when")?;
            Ok(When { field: include.field.clone(), test, fields: include.fields.clone() })
        });
        if table.include.is_none() && !(table.include_if_present.is_empty() && table.include_when.is_empty()) {
            return Err(Wrong::new("without include the whole row is in it already").under("include_if_present"));
        }
        if table.include.is_none() && table.missing.is_some() {
            return Err(
                Wrong::new("it says what becomes of an included member, and there is no include").under("missing")
            );
        }
        if table.drop_null.is_none() && !table.keep_null.is_empty() {
            return Err(Wrong::new("it keeps what drop_null drops, and there is no drop_null").under("keep_null"));
        }
        let within = match table.of.as_deref() {
            Some(of) if of.starts_with('@') => Some(self.member(of).under("of")?),
            _ => None,
        };
        let spec = SelectSpec {
            of: table.of.clone().filter(|_| within.is_none()),
            include: table.include.clone().unwrap_or_default(),
            include_if_present: table.include_if_present.clone(),
            include_when: include_when.collect::<Result<Vec<_>, Wrong>>()?,
            missing: match table.missing {
                None | Some(schema::Missing::Error) => Absent::Error,
                Some(schema::Missing::Null) => Absent::Null,
                Some(schema::Missing::Omit) => Absent::Omit,
            },
            exclude: table.exclude.clone(),
            exclude_recursive: table.exclude_recursive.clone(),
            drop_null: match table.drop_null {
                None | Some(schema::DropNull::Everywhere(false)) => DropNull::Off,
                Some(schema::DropNull::Everywhere(true)) => DropNull::Everywhere,
                Some(schema::DropNull::Named(schema::DropNullIn::Objects)) => DropNull::Objects,
            },
            keep_null: table.keep_null.clone(),
            rename: table.rename.clone().into_iter().collect(),
            set: table.set.keys().cloned().collect(),
        };
        let select = Select::new(&spec).map_err(Wrong::new)?;
        Ok(Json { within, spec, select, form, low_bytes, replacements })
    }

    fn replaced(&mut self, replacement: &Replacement) -> Result<Replaced, Wrong> {
        match (&replacement.field, &replacement.prev_row) {
            (Some(field), None) if replacement.genesis.is_none() => {
                self.member(field).map(Replaced::Member).under("field")
            }
            (None, Some(before)) => {
                let field = self.member(before).under("prev_row")?;
                let genesis = replacement.genesis.as_ref().map(|genesis| self.member(&genesis.field));
                let genesis = genesis.transpose().under("genesis")?;
                Ok(Replaced::Before { carried: self.carry(field.clone()), field, genesis })
            }
            _ => Err(Wrong::new("it is { field = … }, or { prev_row = …, genesis = { field = … } }")),
        }
    }

    /// The place of a member of the row before in the plan's list.
    pub(super) fn carry(&mut self, field: crate::profile::Field) -> usize {
        let known = self.carried.iter().position(|carried| carried.name() == field.name());
        known.unwrap_or_else(|| {
            self.carried.push(field);
            self.carried.len() - 1
        })
    }
}

/// Bytes written as lower-case hex digits.
pub(super) fn hex(text: &str) -> Result<Vec<u8>, Wrong> {
    data_encoding::HEXLOWER_PERMISSIVE
        .decode(text.as_bytes())
        .map_err(|_| Wrong::new(format!("{text:?} is not an even number of hex digits")))
}

/// A digest algorithm by its name.
pub(super) fn digest_algorithm(name: &str) -> Result<DigestAlgorithm, Wrong> {
    DigestAlgorithm::named(name).ok_or_else(|| {
        let names: Vec<&str> = DigestAlgorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
        Wrong::new(format!("{name:?} is no digest: {}", names.join(", ")))
    })
}

/// A part is one kind of thing, with the options of that kind only.
fn misplaced(table: &PartTable) -> Result<(), Wrong> {
    let digest_of = table.digest.is_some() || table.of.is_some();
    let kinds = [
        ("hex", table.hex.is_some()),
        ("field", table.field.is_some()),
        ("prev", table.prev.is_some()),
        ("hash", table.hash.is_some()),
        ("line", table.line.is_some()),
        ("json", table.json.is_some()),
        ("of", digest_of),
    ];
    let named: Vec<&str> = kinds.iter().filter(|(_, there)| *there).map(|(name, _)| *name).collect();
    let [kind] = named.as_slice() else {
        return Err(Wrong::new("a part is exactly one of hex, field, prev, hash, line, json, digest and of"));
    };
    if table.line == Some(false) {
        return Err(Wrong::new("the line is in it, or the part is left out").under("line"));
    }
    if table.digest.is_some() && table.of.is_none() {
        return Err(Wrong::new("a digest is of something: of = [parts]").under("digest"));
    }
    let options: BTreeMap<&str, (bool, &[&str])> = BTreeMap::from([
        ("default", (table.default.is_some(), ["field"].as_slice())),
        ("as", (table.form.is_some(), &["field"])),
        ("sub", (!table.sub.is_empty(), &["field"])),
        ("map", (table.map.is_some(), &["field"])),
        ("charset", (table.charset.is_some(), &["json"])),
        ("strip_prefix", (table.strip_prefix.is_some(), &["prev", "hash"])),
        ("out", (table.out.is_some() && table.digest.is_none(), &[])),
    ]);
    match options.into_iter().find(|(_, (there, with))| *there && !with.contains(kind)) {
        Some((option, (_, with))) => {
            let with = if with.is_empty() { "digest".to_owned() } else { with.join(" or ") };
            Err(Wrong::new(format!("it goes with {with} only")).under(option))
        }
        None => Ok(()),
    }
}

/// How a digest enters.
fn named_form(form: schema::Form, table: &PartTable, written: &LinkForm) -> Result<Named, Wrong> {
    let encoding = match form {
        schema::Form::Utf8 => {
            let strip = table.strip_prefix.clone().unwrap_or_default();
            return match &written.names {
                NameForm::Encoded { form, .. } if !form.prefix.starts_with(&strip) => {
                    Err(Wrong::new(format!("strip_prefix = {strip:?}: digests are not written with it")))
                }
                _ => Ok(Named::Text { strip }),
            };
        }
        schema::Form::Hex => Encoding::Hex,
        schema::Form::Base64 => Encoding::Base64,
        schema::Form::Base64url => Encoding::Base64url,
        schema::Form::Base58btc => Encoding::Base58btc,
    };
    match &written.names {
        _ if table.strip_prefix.is_some() => Err(Wrong::new("strip_prefix goes with \"utf8\" only")),
        NameForm::Encoded { form, .. } if form.encoding != encoding => {
            Err(Wrong::new("it names another encoding than [[hash]] writes digests in"))
        }
        _ => Ok(Named::Raw { encoding }),
    }
}
