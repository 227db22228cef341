//! From the words of a profile to a plan: what they mean together, and which combinations cannot be.
//!
//! One file for each table. A combination that could never be checked, or that says two things at once,
//! is refused when the profile is loaded, with the line it stands on.

mod chain;
mod cover;

mod hash;
mod head;
mod input;
mod keys;
mod member;
mod part;
mod signature;

use sha2::{Digest as _, Sha256};

use super::field::{Field, Path};
use super::locate::{Under, Wrong};
use super::parts::{Part, mentions};
use super::plan::{
    Aliases, Axis, Bind, Covered, Detect, Fields, HashRule, Layout, Plan, ReversalPlan, Role, SignatureRule, Source,
    bound_parts, row_parts,
};
use super::schema::{Document, ReversalTable};
use crate::canonical::Form;
use crate::encoding::Encoding;
use crate::row::Dialect;
use crate::stop::{Stop, StopCode};
pub(super) use member::{form_words, word_of_escape, word_of_keys, word_of_numbers, word_of_separators};

const HINT: &str = "docs/profiles.md lists every key with what it takes";

/// Compile a profile's text.
pub(super) fn compile(text: &str, origin: &str, source: Source) -> Result<Plan, Stop> {
    let document: Document = toml::from_str(text).map_err(|error| syntax(text, origin, &error))?;
    plan(document, text, source).map_err(|wrong| stop(origin, wrong.line(text), &wrong.to_string()))
}

/// What the TOML reader says, in one line: where, and what is allowed.
fn syntax(text: &str, origin: &str, error: &toml::de::Error) -> Stop {
    let line =
        error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.matches('\n').count() + 1);
    let said = error.message().trim().replace('\n', "; ");
    // Rust's names of numbers say nothing to who writes TOML.
    let words = [("usize", "a whole number from 0 on"), ("u64", "a whole number from 0 on"), ("f64", "a number")];
    let said = words
        .iter()
        .fold(said, |said, (word, plain)| said.replace(&format!("expected {word}"), &format!("expected {plain}")));
    match text.lines().nth(line - 1).and_then(key) {
        Some(key) if !said.contains(key) => stop(origin, line, &format!("{key}: {said}")),
        _ => stop(origin, line, &said),
    }
}

/// The key that is given its value in a line of TOML.
fn key(line: &str) -> Option<&str> {
    let (key, _) = line.split_once('=')?;
    let key = key.trim();
    let bare = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-' | '.');
    (!key.is_empty() && key.chars().all(bare)).then_some(key)
}

fn stop(origin: &str, line: usize, why: &str) -> Stop {
    Stop::new(StopCode::Profile, format!("profile {origin}, line {line}: {why}")).hint(HINT)
}

/// What the tables of a profile have in common while they are compiled.
struct Compiler {
    /// The members of `[fields]`.
    aliases: Aliases,
    /// Members that hold JSON text, with their text.
    opened: Vec<(String, Path)>,
    /// Whether the members of a row are taken out of a line of text.
    lines: bool,
    /// The canonical forms of `[canon]`.
    forms: Vec<(String, Form)>,
    /// The keys that the tables name, as far as they were seen.
    roles: Vec<Role>,
    /// Members of the row before that are used, as far as they were seen.
    carried: Vec<super::Field>,
}

fn plan(mut document: Document, text: &str, source: Source) -> Result<Plan, Wrong> {
    if document.profile.name.trim().is_empty() {
        return Err(Wrong::new("is empty").under("name").under("profile"));
    }
    let mut compiler = Compiler::new(&document)?;
    let input = compiler.input(&document.input).under("input")?;
    let group = document.chain.group_by.as_deref().map(|field| compiler.member(field));
    let alias = |name: &str| compiler.aliases.get(name).cloned();
    let fields = Fields {
        sequence: alias("seq"),
        prev: alias("prev"),
        hash: alias("hash"),
        timestamp: alias("timestamp"),
        key_id: alias("key_id"),
        artefact: alias("artefact"),
        group: group.transpose().under("group_by").under("chain")?,
    };
    let form = compiler.link_form(&document)?;
    let hash = compiler.hash_axis(&document, &form)?;
    let signature = compiler.signature_axis(&document, &form)?;
    let chain = compiler.chain(&document, &fields, &form)?;
    let binds = document.bind.iter().enumerate();
    let binds = binds.map(|(index, bind)| compiler.bind(bind, &form).item(index).under("bind"));
    let binds = binds.collect::<Result<Vec<_>, Wrong>>()?;
    let head = document.head.as_ref().map(|head| compiler.head(head, &form).under("head")).transpose()?.flatten();
    let pins = |table| Compiler::pins(table, cut_digits(&hash)).under("head");
    let (pin, witness) = document.head.as_ref().map(pins).transpose()?.unwrap_or_default();
    let reversal = document.reversal.as_ref().map(|reversal| compiler.reversal(reversal).under("reversal"));
    let reversal = reversal.transpose()?;
    let declared = document.declared.as_ref().map(|table| compiler.declared(table).under("declared")).transpose()?;
    if input.dialect == Dialect::Python && !compiler.carried.is_empty() {
        let why =
            "\"python\" does not go with members of the row before ([[link]], prev_row): they are read as strict JSON";
        return Err(Wrong::new(why).under("dialect").under("input"));
    }
    let late = fields.prev.is_none();
    let any = |kind: &dyn Fn(&Part) -> bool| {
        row_parts(&hash, &signature, &binds, &chain.genesis).any(|parts| mentions(parts, kind))
    };
    let (verbatim, reprints) = (any(&Part::needs_written), any(&Part::reprints_numbers));
    let left_out = cover::left_out(&document);
    let in_line = !matches!(&input.layout, Layout::Lines { sidecar: Some(_), .. });
    let mut covered = match cover::depends_on_row(&document) || !matches!(&input.layout, Layout::Rows) {
        true => covered(&hash, &signature, &binds, &fields, in_line),
        false => Vec::new(),
    };
    if let (Layout::Lines { sidecar: None, .. }, Some(regex)) = (&input.layout, &document.input.regex) {
        let loose = member::varies_outside_groups(regex);
        covered.iter_mut().for_each(|covered| covered.beside_members = loose && !covered.line);
    }
    let profile = &mut document.profile;
    Ok(Plan {
        name: std::mem::take(&mut profile.name),
        about: std::mem::take(&mut profile.about),
        homepage: std::mem::take(&mut profile.homepage),
        versions: std::mem::take(&mut profile.versions).into(),
        source,
        sha256: data_encoding::HEXLOWER.encode(&Sha256::digest(text)),
        detect: Detect {
            require: document.detect.require.iter().map(|path| Path::new(path)).collect(),
            forbid: document.detect.forbid.iter().map(|path| Path::new(path)).collect(),
        },
        exact: !compiler.carried.is_empty() || input.line_is.is_some(),
        verbatim,
        reprints,
        input,
        fields,
        form,
        hash,
        signature,
        chain,
        binds,
        reversal,
        declared,
        head,
        pin,
        witness,
        roles: compiler.roles,
        carried: compiler.carried,
        covered,
        left_out,
        late,
    })
}

impl Compiler {
    fn new(document: &Document) -> Result<Self, Wrong> {
        let mut compiler = Compiler {
            aliases: Aliases::new(),
            opened: document.input.parse_json.iter().map(|path| (path.clone(), Path::new(path))).collect(),
            lines: document.input.regex.is_some(),
            forms: Vec::new(),
            roles: Vec::new(),
            carried: Vec::new(),
        };
        for (name, table) in &document.canon {
            let form = member::form(table).under(name).under("canon")?;
            if Form::builtin(name).is_some() {
                return Err(Wrong::new("is the name of a form that is built in").under(name).under("canon"));
            }
            compiler.forms.push((name.clone(), form));
        }
        for (name, word) in &document.fields {
            let field = compiler.field_word(word).under(name).under("fields")?;
            compiler.aliases.insert(name.clone(), field);
        }
        Ok(compiler)
    }

    fn reversal(&self, table: &ReversalTable) -> Result<ReversalPlan, Wrong> {
        Ok(ReversalPlan {
            target: self.member(&table.field).under("field")?,
            when: self.when(&table.when).under("when")?,
            restored: table.restored.as_deref().map(|field| self.member(field)).transpose().under("restored")?,
        })
    }
}

/// How many hex digits are left of a digest, where all of them are cut alike and nothing else stands in their text.
fn cut_digits(hash: &Axis<Vec<HashRule>>) -> Option<usize> {
    let mut forms = hash.readings.iter().flatten().map(|rule| &rule.form);
    let first = forms.next()?;
    let plain = first.encoding == Encoding::Hex && first.prefix.is_empty() && first.suffix.is_empty();
    first.truncate.filter(|_| plain && forms.all(|form| form == first))
}

/// What the rows of each hash rule cover, with what every row must have signed and bound.
fn covered(
    hash: &Axis<Vec<HashRule>>,
    signature: &Axis<Vec<SignatureRule>>,
    binds: &[Bind],
    fields: &Fields,
    in_line: bool,
) -> Vec<Covered> {
    let rules = || signature.first().into_iter().flatten();
    let judged: Vec<Field> = rules().map(|rule| &rule.field).chain(&fields.hash).cloned().collect();
    let links = |parts: &[Part]| mentions(parts, &|part| matches!(part, Part::Prev(_)));
    let of = |rule: &HashRule| {
        let mut covered = Covered { members: judged.clone(), ..Covered::default() };
        covered.add(&rule.preimage, in_line);
        if links(&rule.preimage) {
            covered.members.extend(fields.prev.iter().filter(|prev| prev.is_whole()).cloned());
        }
        rules()
            .filter(|rule| rule.required && rule.when.is_none())
            .for_each(|rule| covered.add(&rule.message, in_line));
        let always = binds.iter().filter(|bind| bind.when.is_none());
        always.filter_map(bound_parts).for_each(|parts| covered.add(parts, in_line));
        covered
    };
    hash.first().into_iter().flatten().map(of).collect()
}

/// Readings: those of the first tables, then one for each `[[variant]]` that replaces some of them.
fn axis<'t, T, Table>(
    kind: &str,
    recipe: Option<(&str, &str)>,
    first: &'t [Table],
    variants: impl Iterator<Item = (usize, &'t str, &'t [Table])>,
    mut compile: impl FnMut(&'t Table) -> Result<T, Wrong>,
) -> Result<Axis<Vec<T>>, Wrong> {
    let (axis, default) = recipe.unwrap_or((kind, "first"));
    let mut rules = |tables: &mut dyn Iterator<Item = (usize, &'t Table)>| {
        tables.map(|(index, table)| compile(table).item(index).under(kind)).collect::<Result<Vec<T>, Wrong>>()
    };
    let mut names = vec![default.to_owned()];
    let mut readings = vec![rules(&mut first.iter().enumerate())?];
    for (index, name, tables) in variants {
        let here = |wrong: Wrong| wrong.item(index).under("variant");
        if tables.len() > first.len() {
            let why = format!(
                "it has {} tables [[variant.{kind}]], and replaces {} of [[{kind}]]",
                tables.len(),
                first.len()
            );
            return Err(here(Wrong::new(why)));
        }
        let reading = match name.split_once('=') {
            Some((of, reading)) if of == axis => reading,
            _ if recipe.is_some() => {
                return Err(here(Wrong::new(format!("{name}: [profile] recipe names no such axis")).under("name")));
            }
            _ => name,
        };
        names.push(reading.to_owned());
        let replaced = tables.iter().chain(first.iter().skip(tables.len()));
        readings.push(rules(&mut replaced.enumerate()).map_err(here)?);
    }
    if readings.len() > usize::from(u8::MAX) {
        return Err(Wrong::new("there are too many").under("variant"));
    }
    let name = if readings.len() > 1 { axis.to_owned() } else { String::new() };
    Ok(Axis { name, names, readings })
}

#[cfg(test)]
mod tests;
