//! Members, conditions and canonical forms.

use regex::{Regex, RegexBuilder};

use super::Compiler;
use crate::canonical::{Form, Test};
use crate::profile::field::{Field, Path};
use crate::profile::locate::{Under, Wrong};
use crate::profile::plan::When;
use crate::profile::schema::{CanonTable, FieldTable, FieldWord, Scalar, WhenTable};

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
                let holder = |member: &str| {
                    inside.strip_prefix(member).filter(|rest| rest.is_empty() || rest.starts_with('.'))
                };
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
        let own = || self.forms.iter().find(|(known, _)| known == name).map(|(_, form)| form.clone());
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
        (Some(value), None, None, None) => Ok(Test::Equals(vec![scalar(value)])),
        (None, Some(values), None, None) if !values.is_empty() => {
            Ok(Test::Equals(values.iter().map(scalar).collect()))
        }
        (None, None, Some(least), None) => Ok(Test::AtLeast(least)),
        (None, None, None, Some(present)) => Ok(Test::Present(present)),
        _ => Err(Wrong::new("a condition is exactly one of equals, in, at_least, present")),
    }
}

fn scalar(value: &Scalar) -> crate::canonical::Scalar {
    match value {
        Scalar::Bool(truth) => crate::canonical::Scalar::Bool(*truth),
        // Numbers compare as doubles, as JSON's do.
        Scalar::Integer(number) => crate::canonical::Scalar::Number(*number as f64),
        Scalar::Float(number) => crate::canonical::Scalar::Number(*number),
        Scalar::Text(text) => crate::canonical::Scalar::Text(text.clone()),
    }
}

/// A canonical form of the profile's own: what it does not say is as in `compact`.
pub(super) fn form(table: &CanonTable) -> Result<Form, Wrong> {
    let mut form = Form::compact();
    if let Some(word) = &table.keys {
        form.keys = word_of(word, "keys", "codepoint, utf16, as-written, v8")?;
        form.top_keys = form.keys;
    }
    if let Some(word) = &table.top_keys {
        form.top_keys = word_of(word, "top_keys", "codepoint, utf16, as-written, v8")?;
    }
    if let Some(word) = &table.separators {
        form.separators = word_of(word, "separators", "compact, python, indent2")?;
    }
    if let Some(word) = &table.escape {
        form.escape = word_of(word, "escape", "json, ascii, none")?;
    }
    if let Some(word) = &table.numbers {
        form.numbers = word_of(word, "numbers", "verbatim, es6, collapse-whole, python")?;
    }
    if let Some(word) = &table.unicode {
        form.unicode = word_of(word, "unicode", "none, nfc")?;
    }
    Ok(form)
}

fn word_of<T: std::str::FromStr>(word: &str, key: &str, allowed: &str) -> Result<T, Wrong> {
    word.parse().map_err(|_| Wrong::new(format!("{word:?} is none of {allowed}")).under(key))
}
