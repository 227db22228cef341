//! Members, conditions and canonical forms.

use regex::{Regex, RegexBuilder};

use super::Compiler;
use crate::canonical::{Escape, Form, Keys, Literal, Numbers, Separators, Test, Unicode};
use crate::profile::field::{Field, Path};
use crate::profile::locate::{Under, Wrong};
use crate::profile::plan::When;
use crate::profile::schema::{CanonTable, FieldTable, FieldWord, Scalar, WhenTable};
use crate::row::Number;

/// Bytes that a compiled expression may take.
const EXPRESSION_BYTES: usize = 1 << 20;

impl Compiler {
    /// A member by the name of `[fields]`, else by its path.
    pub(super) fn member(&self, name: &str) -> Result<Field, Wrong> {
        match self.aliases.get(name) {
            Some(field) => Ok(field.clone()),
            None => self.path(name),
        }
    }

    pub(super) fn field_word(&self, word: &FieldWord) -> Result<Field, Wrong> {
        match word {
            FieldWord::Text(path) => self.path(path),
            FieldWord::Table(table) => self.field_table(table),
        }
    }

    fn field_table(&self, table: &FieldTable) -> Result<Field, Wrong> {
        let mut field = self.path(&table.path).under("path")?;
        field.regex = table.regex.as_deref().map(expression).transpose().under("regex")?;
        field.strip_prefix = table.strip_prefix.clone().unwrap_or_default();
        field.strip_suffix = table.strip_suffix.clone().unwrap_or_default();
        field.textual |= field.regex.is_some() || table.strip_prefix.is_some() || table.strip_suffix.is_some();
        Ok(field)
    }

    /// A path in the row, or in the JSON text of a member: `@body.a.b`.
    fn path(&self, text: &str) -> Result<Field, Wrong> {
        let (opened, path) = match text.strip_prefix('@') {
            None => (None, Path::new(text)),
            Some(inside) => {
                let holder =
                    |member: &str| inside.strip_prefix(member).filter(|rest| rest.is_empty() || rest.starts_with('.'));
                let mut holders = self.opened.iter().enumerate().filter_map(|(index, (member, _))| {
                    holder(member).map(|rest| (index, rest.trim_start_matches('.')))
                });
                let Some((index, rest)) = holders.next() else {
                    return Err(Wrong::new(format!("{text}: [input] parse_json names no member that it is in")));
                };
                (Some(index), Path::new(rest))
            }
        };
        if text.is_empty() || text.split('.').any(str::is_empty) {
            return Err(Wrong::new(format!("{text:?} is no path to a member")));
        }
        Ok(Field {
            opened,
            path,
            name: text.to_owned(),
            regex: None,
            strip_prefix: String::new(),
            strip_suffix: String::new(),
            textual: self.lines,
        })
    }

    pub(super) fn when(&self, table: &WhenTable) -> Result<When, Wrong> {
        Ok(When { field: self.member(&table.field).under("field")?, test: test(table)? })
    }

    /// A canonical form by its name.
    pub(super) fn form(&self, name: &str) -> Result<Form, Wrong> {
        let own = || self.forms.iter().find(|(known, _)| known == name).map(|(_, form)| *form);
        Form::builtin(name).or_else(own).ok_or_else(|| {
            let own: String = self.forms.iter().map(|(name, _)| format!(", {name}")).collect();
            Wrong::new(format!(
                "there is no canonical form {name:?}: jcs, compact, compact-ascii and python-default are built in{own}"
            ))
        })
    }
}

/// A regular expression: `^` and `$` at every line, `.` without LF.
pub(super) fn expression(text: &str) -> Result<Regex, Wrong> {
    RegexBuilder::new(text).multi_line(true).size_limit(EXPRESSION_BYTES).build().map_err(|error| refused(text, &error))
}

/// The same for a whole line, which `.` may be any character of.
pub(super) fn whole_line(text: &str) -> Result<Regex, Wrong> {
    let whole = format!(r"\A(?:{text})\z");
    let mut builder = RegexBuilder::new(&whole);
    builder.multi_line(true).dot_matches_new_line(true).size_limit(EXPRESSION_BYTES);
    builder.build().map_err(|error| refused(text, &error))
}

fn refused(text: &str, error: &regex::Error) -> Wrong {
    let why = error.to_string();
    let last = why.lines().last().unwrap_or_default().trim();
    Wrong::new(format!("{text:?} is no regular expression: {}", last.trim_start_matches("error: ")))
}

/// The condition of a table that has exactly one.
pub(super) fn test(table: &WhenTable) -> Result<Test, Wrong> {
    match (&table.equals, &table.one_of, table.at_least, table.present) {
        (Some(value), None, None, None) => Ok(Test::Equals(literal(value))),
        (None, Some(values), None, None) if !values.is_empty() => Ok(Test::In(values.iter().map(literal).collect())),
        (None, None, Some(least), None) => Ok(Test::AtLeast(Number::Double(least))),
        (None, None, None, Some(present)) => Ok(Test::Present(present)),
        _ => Err(Wrong::new("a condition is exactly one of equals, in, at_least, present")),
    }
}

fn literal(value: &Scalar) -> Literal {
    match value {
        Scalar::Bool(truth) => Literal::Bool(*truth),
        Scalar::Integer(number) => Literal::Number(Number::Signed(*number)),
        Scalar::Float(number) => Literal::Number(Number::Double(*number)),
        Scalar::Text(text) => Literal::Text(text.clone()),
    }
}

const KEYS: &[(&str, Keys)] =
    &[("codepoint", Keys::Codepoint), ("utf16", Keys::Utf16), ("as-written", Keys::AsWritten), ("v8", Keys::V8)];
const SEPARATORS: &[(&str, Separators)] =
    &[("compact", Separators::Compact), ("python", Separators::Python), ("indent2", Separators::Indent2)];
const ESCAPES: &[(&str, Escape)] = &[("json", Escape::Json), ("ascii", Escape::Ascii), ("none", Escape::None)];
const NUMBERS: &[(&str, Numbers)] = &[
    ("verbatim", Numbers::Verbatim),
    ("es6", Numbers::Es6),
    ("collapse-whole", Numbers::CollapseWhole),
    ("python", Numbers::Python),
];
const UNICODE: &[(&str, Unicode)] = &[("none", Unicode::None), ("nfc", Unicode::Nfc)];

/// A canonical form of the profile's own: what it does not say is as in `compact`.
pub(super) fn form(table: &CanonTable) -> Result<Form, Wrong> {
    let mut form = Form::COMPACT;
    choose(&mut form.keys, &table.keys, KEYS).under("keys")?;
    if table.top_keys.is_some() {
        choose(form.top_keys.insert(form.keys), &table.top_keys, KEYS).under("top_keys")?;
    }
    choose(&mut form.separators, &table.separators, SEPARATORS).under("separators")?;
    choose(&mut form.escape, &table.escape, ESCAPES).under("escape")?;
    choose(&mut form.numbers, &table.numbers, NUMBERS).under("numbers")?;
    choose(&mut form.unicode, &table.unicode, UNICODE).under("unicode")?;
    Ok(form)
}

/// The value of this word, if there is a word.
fn choose<T: Copy>(place: &mut T, word: &Option<String>, values: &[(&str, T)]) -> Result<(), Wrong> {
    let Some(word) = word else { return Ok(()) };
    let Some((_, value)) = values.iter().find(|(name, _)| name == word) else {
        let names: Vec<&str> = values.iter().map(|(name, _)| *name).collect();
        return Err(Wrong::new(format!("{word:?} is none of {}", names.join(", "))));
    };
    *place = *value;
    Ok(())
}
