//! Other ways to write a preimage: what a ledger does where it does not do what its profile says.
//!
//! Each [`Deviation`] is one change of a list of parts that writers are known to make, in the words of the
//! vocabulary. Nothing here verifies anything: a digest that fits after a change is a hint to whoever
//! wrote the profile, and the row stays what it is.

use std::fmt;

use super::compile::{word_of_escape, word_of_keys, word_of_numbers, word_of_separators};
use super::parts::{Json, Named, Part, mentions};
use super::plan::Plan;
use super::view::View;
use crate::canonical::{DropNull, Escape, Form, Keys, Numbers, Select, SelectSpec, Separators, Unicode};
use crate::digest::DigestAlgorithm;
use crate::encoding::Encoding;
use crate::fact::NameForm;

/// One change of a preimage. In this order several are applied.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Deviation {
    /// It is the exact line, and nothing else.
    Line,
    /// A built-in form, all of it.
    Canon(&'static str),
    /// The text of numbers.
    Numbers(Numbers),
    /// The order of members.
    Keys(Keys),
    /// What stands between members.
    Separators(Separators),
    /// What is escaped.
    Escape(Escape),
    /// Normalisation.
    Unicode(Unicode),
    /// Whether null members are dropped.
    Nulls(bool),
    /// This member is not in it.
    LeftOut(String),
    /// This member is in it.
    TakenIn(String),
    /// The predecessor's digest enters in this form.
    Prev(PrevForm),
    /// It stands at this end.
    PrevAt(End),
    /// It stands there too, in this form: the profile has it nowhere by itself.
    PrevAdded(End, PrevForm),
    /// It does not enter.
    PrevLeftOut,
    /// In a first row this stands for it.
    Genesis(GenesisForm),
    /// This stands between the parts.
    Joined(&'static str),
    /// A line end stands behind it.
    Newline,
    /// Another algorithm.
    Algorithm(DigestAlgorithm),
}

/// A form of a digest that enters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PrevForm {
    /// Its bytes.
    Raw,
    /// Its text.
    Text,
    /// Its text without the prefix.
    Bare,
}

/// Where a part is put.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Before all others.
    Front,
    /// Behind all others.
    Back,
}

/// What stands for a predecessor that there is not.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GenesisForm {
    /// Nothing.
    Empty,
    /// 64 zeros, as text.
    ZeroDigits,
    /// 32 bytes of zero.
    ZeroBytes,
}

/// What may stand between parts.
const JOINTS: [&str; 6] = ["|", ":", "\n", ",", ".", "\0"];

/// Members of a row that are tried one by one.
const MEMBERS: usize = 100;

impl Plan {
    /// The changes to try of these parts, for this row.
    pub fn deviations(
        &self,
        parts: &[Part],
        algorithm: DigestAlgorithm,
        view: &View<'_>,
        first: bool,
    ) -> Vec<Deviation> {
        use Deviation as D;
        let ends = [End::Front, End::Back];
        let forms = [PrevForm::Raw, PrevForm::Text, PrevForm::Bare];
        let mut all = vec![D::Line];
        all.extend(["jcs", "compact", "compact-ascii", "python-default"].map(D::Canon));
        all.extend([Numbers::Verbatim, Numbers::Es6, Numbers::Python, Numbers::CollapseWhole].map(D::Numbers));
        all.extend([Keys::Codepoint, Keys::Utf16, Keys::AsWritten, Keys::V8].map(D::Keys));
        all.extend([Separators::Compact, Separators::Python, Separators::Indent2].map(D::Separators));
        all.extend([Escape::Json, Escape::Ascii].map(D::Escape));
        all.extend([Unicode::None, Unicode::Nfc].map(D::Unicode));
        all.extend([true, false].map(D::Nulls));
        for member in self.members(parts, view) {
            all.push(D::LeftOut(member.clone()));
            all.push(D::TakenIn(member));
        }
        all.extend(forms.map(D::Prev));
        all.extend(ends.map(D::PrevAt));
        all.extend(ends.into_iter().flat_map(|end| forms.map(|form| D::PrevAdded(end, form))));
        all.push(D::PrevLeftOut);
        if first {
            all.extend([GenesisForm::Empty, GenesisForm::ZeroDigits, GenesisForm::ZeroBytes].map(D::Genesis));
        }
        all.extend(JOINTS.map(D::Joined));
        all.push(D::Newline);
        let digests = DigestAlgorithm::ALL.into_iter().filter(|other| !other.is_mac() && *other != algorithm);
        all.extend(digests.map(D::Algorithm));
        all
    }

    /// The parts with this change; `None` where it changes nothing.
    pub fn deviate(&self, parts: &[Part], deviation: &Deviation) -> Option<Vec<Part>> {
        use Deviation as D;
        let by_form = |change: &dyn Fn(&mut Form)| {
            each_json(parts, &|json| {
                let mut form = json.form;
                change(&mut form);
                (form != json.form).then(|| Json { form, ..json.clone() })
            })
        };
        let has_prev = mentions(parts, &|part| matches!(part, Part::Prev(_)));
        match deviation {
            D::Line => (!matches!(parts, [Part::Line])).then(|| vec![Part::Line]),
            D::Canon(name) => by_form(&|form| *form = Form::builtin(name).unwrap_or(*form)),
            D::Numbers(numbers) => by_form(&|form| form.numbers = *numbers),
            D::Keys(keys) => by_form(&|form| (form.keys, form.top_keys) = (*keys, None)),
            D::Separators(separators) => by_form(&|form| form.separators = *separators),
            D::Escape(escape) => by_form(&|form| form.escape = *escape),
            D::Unicode(unicode) => by_form(&|form| form.unicode = *unicode),
            D::Nulls(dropped) => by_spec(parts, &|spec| {
                let other = if *dropped { DropNull::Everywhere } else { DropNull::Off };
                let changed = spec.drop_null != other;
                spec.drop_null = other;
                changed
            }),
            D::LeftOut(member) => {
                let written = by_spec(parts, &|spec| relative(spec, member).is_some_and(|path| leave_out(spec, &path)));
                let alone = without(written.as_deref().unwrap_or(parts), &|part| is_member(part, member));
                alone.or(written)
            }
            D::TakenIn(member) => {
                by_spec(parts, &|spec| relative(spec, member).is_some_and(|path| take_in(spec, &path)))
            }
            D::Prev(form) => {
                let other = self.prev(*form)?;
                replaced(parts, &|part| match part {
                    Part::Prev(named) if *named != other => Some(vec![Part::Prev(other.clone())]),
                    _ => None,
                })
            }
            D::PrevAt(end) => {
                let found = parts.iter().find(|part| matches!(part, Part::Prev(_)))?.clone();
                let rest = parts.iter().filter(|part| !matches!(part, Part::Prev(_))).cloned().collect();
                let moved = put(rest, *end, found);
                (moved.len() == parts.len() && parts.len() > 1 && !same_order(&moved, parts)).then_some(moved)
            }
            D::PrevAdded(end, form) => {
                let part = Part::Prev(self.prev(*form)?);
                (!has_prev).then(|| put(parts.to_vec(), *end, part))
            }
            D::PrevLeftOut => without(parts, &|part| matches!(part, Part::Prev(_))),
            D::Genesis(form) => {
                let bytes = match form {
                    GenesisForm::Empty => Vec::new(),
                    GenesisForm::ZeroDigits => vec![b'0'; 64],
                    GenesisForm::ZeroBytes => vec![0; 32],
                };
                replaced(parts, &|part| matches!(part, Part::Prev(_)).then(|| vec![Part::Bytes(bytes.clone())]))
            }
            D::Joined(joint) => (parts.len() > 1).then(|| {
                let between = || Part::Bytes(joint.as_bytes().to_vec());
                let joined = parts.iter().flat_map(|part| [between(), part.clone()]);
                joined.skip(1).collect()
            }),
            D::Newline => Some(put(parts.to_vec(), End::Back, Part::Bytes(b"\n".to_vec()))),
            D::Algorithm(_) => Some(parts.to_vec()),
        }
    }

    /// A digest that enters in this form; `None` if that is the same as another one.
    fn prev(&self, form: PrevForm) -> Option<Named> {
        let (prefix, encoding) = match &self.form.names {
            NameForm::Encoded { form, .. } => (form.prefix.as_str(), form.encoding),
            NameForm::Text { affixes } => (affixes.first().map_or("", |(prefix, _)| prefix), Encoding::Hex),
        };
        match form {
            PrevForm::Raw => Some(Named::Raw { encoding }),
            PrevForm::Text => Some(Named::Text { strip: String::new() }),
            PrevForm::Bare => (!prefix.is_empty()).then(|| Named::Text { strip: prefix.to_owned() }),
        }
    }

    /// The members that may be in a preimage or not: those of the row, those of what the parts write of it,
    /// and those that the profile names.
    fn members(&self, parts: &[Part], view: &View<'_>) -> Vec<String> {
        let mut names = Vec::new();
        let fields = [&self.fields.hash, &self.fields.prev, &self.fields.sequence];
        let signatures = self.signature.first().into_iter().flatten().map(|rule| &rule.field);
        names.extend(
            fields
                .into_iter()
                .flatten()
                .chain(signatures)
                .filter(|field| field.is_whole())
                .map(|field| field.path.text()),
        );
        names.extend(view.root.members().map(|(name, _)| name.to_owned()).filter(|name| !name.contains('.')));
        let mut jsons = Vec::new();
        collect(parts, &mut jsons);
        for of in jsons.into_iter().filter_map(|json| json.spec.of.as_ref()) {
            let inside = super::field::Path::new(of).find(view.root);
            let inside = inside.into_iter().flat_map(|value| value.members()).map(|(name, _)| name);
            names.extend(inside.filter(|name| !name.contains('.')).map(|name| format!("{of}.{name}")));
        }
        let mut seen = std::collections::HashSet::new();
        names.retain(|name| !name.is_empty() && seen.insert(name.clone()));
        names.truncate(MEMBERS);
        names
    }
}

fn collect<'p>(parts: &'p [Part], out: &mut Vec<&'p Json>) {
    for part in parts {
        match part {
            Part::Json(json) => out.push(json),
            Part::Digest { of, .. } | Part::Framed { of, .. } => collect(of, out),
            _ => {}
        }
    }
}

/// What stands for a part, at every depth: `None` keeps it. `None` of the whole where nothing changes.
fn replaced(parts: &[Part], change: &dyn Fn(&Part) -> Option<Vec<Part>>) -> Option<Vec<Part>> {
    let mut changed = false;
    let mut out = Vec::new();
    for part in parts {
        let inside = |of: &Vec<Part>| replaced(of, change);
        let other = change(part).or_else(|| match part {
            Part::Digest { algorithm, hex, of } => {
                inside(of).map(|of| vec![Part::Digest { algorithm: *algorithm, hex: *hex, of }])
            }
            Part::Framed { length, of, then } => {
                inside(of).map(|of| vec![Part::Framed { length: *length, of, then: then.clone() }])
            }
            _ => None,
        });
        changed |= other.is_some();
        out.extend(other.unwrap_or_else(|| vec![part.clone()]));
    }
    changed.then_some(out)
}

fn without(parts: &[Part], is_out: &dyn Fn(&Part) -> bool) -> Option<Vec<Part>> {
    replaced(parts, &|part| is_out(part).then(Vec::new))
}

fn each_json(parts: &[Part], change: &dyn Fn(&Json) -> Option<Json>) -> Option<Vec<Part>> {
    replaced(parts, &|part| match part {
        Part::Json(json) => change(json).map(|json| vec![Part::Json(Box::new(json))]),
        _ => None,
    })
}

/// The parts with another selection; `change` says whether it changed it.
fn by_spec(parts: &[Part], change: &dyn Fn(&mut SelectSpec) -> bool) -> Option<Vec<Part>> {
    each_json(parts, &|json| {
        let mut spec = json.spec.clone();
        // Paths of the row are none in a text that a member holds.
        if json.within.is_some() || !change(&mut spec) {
            return None;
        }
        let select = Select::new(&spec).ok()?;
        Some(Json { spec, select, ..json.clone() })
    })
}

fn is_member(part: &Part, name: &str) -> bool {
    matches!(part, Part::Member(member) if member.field.path.text() == name && member.field.is_whole())
}

fn put(mut parts: Vec<Part>, end: End, part: Part) -> Vec<Part> {
    match end {
        End::Front => parts.insert(0, part),
        End::Back => parts.push(part),
    }
    parts
}

/// Whether the predecessor's digest stands in the same place of both.
fn same_order(a: &[Part], b: &[Part]) -> bool {
    let place = |parts: &[Part]| parts.iter().position(|part| matches!(part, Part::Prev(_)));
    place(a) == place(b)
}

/// A path of the row, from the member that is written on.
fn relative(spec: &SelectSpec, path: &str) -> Option<String> {
    match &spec.of {
        None => Some(path.to_owned()),
        Some(of) => path.strip_prefix(of.as_str())?.strip_prefix('.').map(str::to_owned),
    }
}

fn is_within(path: &str, member: &str) -> bool {
    path.strip_prefix(member).is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
}

fn leave_out(spec: &mut SelectSpec, path: &str) -> bool {
    let lists = [&mut spec.include, &mut spec.include_if_present];
    let lists = lists.into_iter().chain(spec.include_when.iter_mut().map(|when| &mut when.fields));
    let (mut removed, mut above, mut left) = (false, false, 0);
    for list in lists {
        let before = list.len();
        list.retain(|included| !is_within(included, path));
        removed |= list.len() < before;
        above |= list.iter().any(|included| is_within(path, included));
        left += list.len();
    }
    if removed && left == 0 {
        return false;
    }
    if removed {
        return true;
    }
    let written = (left == 0 || above) && !spec.exclude.iter().any(|excluded| is_within(path, excluded));
    if written {
        spec.exclude.push(path.to_owned());
    }
    written
}

fn take_in(spec: &mut SelectSpec, path: &str) -> bool {
    let excluded = spec.exclude.len() + spec.exclude_recursive.len();
    spec.exclude.retain(|excluded| !is_within(excluded, path));
    let name = path.rsplit('.').next().unwrap_or(path);
    spec.exclude_recursive.retain(|excluded| excluded != name);
    let mut changed = spec.exclude.len() + spec.exclude_recursive.len() < excluded;
    let holds = |list: &Vec<String>| list.iter().any(|included| is_within(path, included));
    let there = holds(&spec.include)
        || holds(&spec.include_if_present)
        || spec.include_when.iter().any(|when| holds(&when.fields));
    if there {
        return changed;
    }
    if !spec.include.is_empty() {
        spec.include.push(path.to_owned());
        changed = true;
    }
    changed
}

impl fmt::Display for Deviation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        use Deviation as D;
        match self {
            D::Line => f.write_str("the preimage is the exact line"),
            D::Canon(name) => write!(f, "canon = \"{name}\""),
            D::Numbers(numbers) => write!(f, "numbers = \"{}\"", word_of_numbers(*numbers)),
            D::Keys(keys) => write!(f, "keys = \"{}\"", word_of_keys(*keys)),
            D::Separators(separators) => write!(f, "separators = \"{}\"", word_of_separators(*separators)),
            D::Escape(escape) => write!(f, "escape = \"{}\"", word_of_escape(*escape)),
            D::Unicode(Unicode::Nfc) => f.write_str("unicode = \"nfc\""),
            D::Unicode(Unicode::None) => f.write_str("unicode = \"none\""),
            D::Nulls(dropped) => write!(f, "drop_null = {dropped}"),
            D::LeftOut(member) => write!(f, "member {member} left out"),
            D::TakenIn(member) => write!(f, "member {member} taken in"),
            D::Prev(form) => write!(f, "the digest of the row before as {form}"),
            D::PrevAt(End::Front) => f.write_str("the digest of the row before stands first"),
            D::PrevAt(End::Back) => f.write_str("the digest of the row before stands last"),
            D::PrevAdded(End::Front, form) => write!(f, "before it the digest of the row before as {form}"),
            D::PrevAdded(End::Back, form) => write!(f, "behind it the digest of the row before as {form}"),
            D::PrevLeftOut => f.write_str("the digest of the row before left out"),
            D::Genesis(GenesisForm::Empty) => f.write_str("nothing stands for the genesis"),
            D::Genesis(GenesisForm::ZeroDigits) => f.write_str("64 zeros stand for the genesis"),
            D::Genesis(GenesisForm::ZeroBytes) => f.write_str("32 bytes of zero stand for the genesis"),
            D::Joined(joint) => write!(f, "{joint:?} stands between the parts"),
            D::Newline => f.write_str("a line end stands behind it"),
            D::Algorithm(algorithm) => write!(f, "alg = \"{}\"", algorithm.name()),
        }
    }
}

impl fmt::Display for PrevForm {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            PrevForm::Raw => "raw bytes",
            PrevForm::Text => "text",
            PrevForm::Bare => "text without its prefix",
        })
    }
}
