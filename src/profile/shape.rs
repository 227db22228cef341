//! What the rows of a format look like: the members that it needs, and how they are written.
//!
//! A shape never decides what a row is worth. It tells formats apart where no digest can be computed, and
//! which one a damaged row was meant for. The profile's `[detect]` says it, or it follows from the plan:
//! what holds a chain together, what must be signed, what a preimage cannot do without.

use super::field::{Field, Found, Path};
use super::parts::Part;
use super::plan::{Genesis, Plan};
use super::view::View;
use crate::fact::{LinkForm, NameForm};

/// The members that tell a format's rows.
#[derive(Clone, Debug)]
pub struct Shape {
    members: Vec<Mark>,
    /// The member that names the chain, which a row may do without.
    group: Option<Field>,
    /// Whether the profile names them itself, so that a row without one is none of the format's.
    named: bool,
    forbidden: Vec<Path>,
}

/// A member that rows need.
#[derive(Clone, Debug)]
struct Mark {
    field: Field,
    written: Written,
}

/// How a member is written.
#[derive(Clone, Debug)]
enum Written {
    /// In any way.
    Any,
    /// As a number.
    Number,
    /// As a digest.
    Name,
    /// As a link: a digest, or what a first row states.
    Link,
    /// As a text with this at the front.
    Prefixed(String),
}

/// How far a row has a shape.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Likeness {
    /// Members that are there and written as the format writes them.
    pub in_form: usize,
    /// Members that are there.
    pub present: usize,
    /// Members that are wanted.
    pub wanted: usize,
    /// The row names a chain where the format does.
    pub grouped: bool,
    /// The row has a member that the format forbids, or lacks one that its profile requires.
    pub excluded: bool,
}

impl Likeness {
    /// Whether every member is there and written as the format writes it.
    pub fn is_whole(self) -> bool {
        self.in_form == self.wanted && !self.excluded
    }
}

impl Shape {
    /// The shape of a plan's rows.
    pub fn of(plan: &Plan) -> Self {
        let derived = derived(plan);
        let named = !plan.detect.require.is_empty();
        let members = match named {
            true => plan.detect.require.iter().map(|path| mark(path, &derived)).collect(),
            false => derived,
        };
        Shape { members, group: plan.fields.group.clone(), named, forbidden: plan.detect.forbid.clone() }
    }

    /// How far a row of this format has it.
    pub fn likeness(&self, view: &View<'_>, plan: &Plan) -> Likeness {
        let found: Vec<(Found<'_>, &Mark)> =
            self.members.iter().filter_map(|mark| Some((mark.field.find(view)?, mark))).collect();
        let forbidden = self.forbidden.iter().any(|path| path.find(view.root).is_some());
        Likeness {
            in_form: found.iter().filter(|(found, mark)| mark.written.is_of(*found, plan)).count(),
            present: found.len(),
            wanted: self.members.len(),
            grouped: self.group.as_ref().is_some_and(|field| field.find(view).is_some()),
            excluded: forbidden || (self.named && found.len() < self.members.len()),
        }
    }

    /// Whether these bytes, which are no row, hold the names of all members.
    pub fn is_named_in(&self, bytes: &[u8]) -> bool {
        let named = |mark: &Mark| {
            let quoted = format!("\"{}\"", mark.field.name().rsplit('.').next().unwrap_or_default());
            memchr::memmem::find(bytes, quoted.as_bytes()).is_some()
        };
        !self.members.is_empty() && self.members.iter().all(named)
    }
}

impl Written {
    fn is_of(&self, found: Found<'_>, plan: &Plan) -> bool {
        let text = found.as_str();
        let name = |text: &str| is_name(text, &plan.form);
        match self {
            Written::Any => true,
            Written::Number => text.is_none_or(|text| text.bytes().all(|byte| byte.is_ascii_digit())),
            Written::Name => text.is_some_and(name),
            Written::Link => match &plan.chain.genesis {
                Genesis::Text(genesis) => text.is_some_and(|text| text == genesis || name(text)),
                _ => found.is_null() || text.is_some_and(|text| text.is_empty() || name(text)),
            },
            Written::Prefixed(prefix) => text.is_some_and(|text| text.starts_with(prefix.as_str())),
        }
    }
}

/// Whether this text is a name of the form; where names are texts, whether it stands between what
/// stands around a digest.
fn is_name(text: &str, form: &LinkForm) -> bool {
    match &form.names {
        NameForm::Encoded { .. } => form.decode(text).is_some(),
        NameForm::Text { affixes } => affixes.iter().any(|(prefix, suffix)| {
            text.strip_prefix(prefix.as_str()).is_some_and(|rest| rest.ends_with(suffix.as_str()) && !rest.is_empty())
        }),
    }
}

/// What a plan cannot do without.
fn derived(plan: &Plan) -> Vec<Mark> {
    let fields = &plan.fields;
    let mut marks = Vec::new();
    let mut add = |field: &Field, written: Written| {
        if !marks.iter().any(|mark: &Mark| mark.field.name() == field.name()) {
            marks.push(Mark { field: field.clone(), written });
        }
    };
    fields.sequence.iter().for_each(|field| add(field, Written::Number));
    // A first row may leave a link out that is null.
    let links = fields.prev.iter().filter(|_| !matches!(plan.chain.genesis, Genesis::Null));
    links.for_each(|field| add(field, Written::Link));
    fields.hash.iter().for_each(|field| add(field, Written::Name));
    let signed = plan.signature.first().into_iter().flatten().filter(|rule| rule.required && rule.when.is_none());
    signed.clone().for_each(|rule| add(&rule.field, Written::Prefixed(rule.form.prefix.clone())));
    if let Some([rule]) = plan.hash.first().map(Vec::as_slice) {
        needed(&rule.preimage).iter().for_each(|field| add(field, Written::Any));
    }
    signed.for_each(|rule| needed(&rule.message).iter().for_each(|field| add(field, Written::Any)));
    marks
}

/// The members that these parts cannot do without.
fn needed(parts: &[Part]) -> Vec<Field> {
    let mut out = Vec::new();
    for part in parts {
        match part {
            Part::Member(member) if member.default.is_none() && member.field.is_whole() => {
                out.push(member.field.clone());
            }
            Part::Json(json) => out.extend(json.select.needed().iter().map(|path| Field::plain(path))),
            Part::Digest { of, .. } | Part::Framed { of, .. } => out.extend(needed(of)),
            Part::Member(_) | Part::Bytes(_) | Part::Line | Part::Prev(_) | Part::Hash(_) => {}
        }
    }
    out
}

/// The mark of a member that the profile names.
fn mark(path: &Path, derived: &[Mark]) -> Mark {
    let text = path.text();
    let known = derived.iter().find(|mark| mark.field.name() == text);
    known.cloned().unwrap_or_else(|| Mark { field: Field::plain(&text), written: Written::Any })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::profile;
    use crate::row::Reader;

    /// Members in form, present and wanted of this row, and whether it is excluded.
    fn likeness(plan: &Plan, row: &str) -> (usize, usize, usize, bool) {
        let mut reader = Reader::new();
        let row = reader.read(row.as_bytes()).expect("a row");
        let Likeness { in_form, present, wanted, excluded, .. } = Shape::of(plan).likeness(&View::of(row.root()), plan);
        (in_form, present, wanted, excluded)
    }

    #[test]
    fn the_shape_of_the_home_format_follows_from_its_plan() {
        let home = profile::builtin(profile::HOME).expect("the home format");
        let (zeros, digest) = (format!("0x{}", "0".repeat(64)), format!("0x{}", "ab".repeat(32)));
        let row = |prev: &str, hash: &str, signature: &str| {
            format!(r#"{{"sequence":1,"prev_hash":"{prev}","hash":"{hash}","signature":"{signature}"}}"#)
        };
        assert_eq!(likeness(&home, &row(&zeros, &digest, "ed25519:00")), (4, 4, 4, false));
        // The same names as other systems write them.
        assert_eq!(likeness(&home, &row(&zeros[2..], &digest[2..], "00")), (1, 4, 4, false));
        assert_eq!(likeness(&home, &format!(r#"{{"hash":"{digest}"}}"#)), (1, 1, 4, false));
        let named = |text: &str| Shape::of(&home).is_named_in(text.as_bytes());
        assert!(named(r#"{"sequence":1,"prev_hash":"","hash":"","signature""#));
        assert!(!named(r#"{"sequence":1,"prev_hash":"","hash":"""#));
    }

    #[test]
    fn a_profile_says_what_its_rows_have_and_never_have() {
        let text = r#"
            profile = { name = "own" }
            detect = { require = ["kind", "hash"], forbid = ["draft"] }
            fields = { hash = "hash", prev = "prev" }
            chain = { genesis = "" }
            hash = [{ preimage = [{ json = { include = ["text"] } }] }]
        "#;
        let plan = profile::from_toml(text, "own.toml").expect("a profile");
        let digest = "ab".repeat(32);
        let rows = [
            (format!(r#"{{"kind":1,"hash":"{digest}"}}"#), (2, 2, 2, false)),
            (format!(r#"{{"kind":1,"hash":"{digest}","draft":1}}"#), (2, 2, 2, true)),
            (r#"{"kind":1,"hash":"x"}"#.to_owned(), (1, 2, 2, false)),
            (r#"{"kind":1,"text":"","prev":""}"#.to_owned(), (1, 1, 2, true)),
        ];
        for (row, expected) in rows {
            assert_eq!(likeness(&plan, &row), expected, "{row}");
        }
    }
}
