//! The slow twin: a tree, selected step after step by plain recursion, sorted and printed.

use ledger_verify::canonical::{Absent, DropNull, Escape, Form, Keys, Numbers, SelectSpec, Separators, Unicode};
use ledger_verify::row::Value;
use unicode_normalization::UnicodeNormalization;

/// A value; members have their place in the row, or one after all of those if a selection adds them.
#[derive(Clone, Debug)]
pub enum Tree {
    Word(&'static str),
    Number(String),
    String(String),
    Array(Vec<Tree>),
    Object(Vec<(String, Tree, usize)>),
}

const NULL: Tree = Tree::Word("null");
const ADDED: usize = 1_000;

impl Tree {
    pub fn of(value: Value<'_>) -> Tree {
        match value.kind() {
            "object" => Tree::Object(
                value.members().enumerate().map(|(at, (name, value))| (name.to_owned(), Tree::of(value), at)).collect(),
            ),
            "array" => Tree::Array(value.items().map(Tree::of).collect()),
            "string" => Tree::String(value.as_str().unwrap().to_owned()),
            "number" => Tree::Number(value.written().unwrap().to_owned()),
            word => Tree::Word(word),
        }
    }

    fn is_null(&self) -> bool {
        matches!(self, Tree::Word("null"))
    }
}

/// A path: names, and `[]` for each element.
fn pieces(path: &str) -> Vec<String> {
    path.replace("[]", ".[]").split('.').filter(|piece| !piece.is_empty()).map(str::to_owned).collect()
}

type Path<'a> = &'a [String];

/// What is left of the paths that lead to this member or element.
fn below<'a, T: Clone>(paths: &[(Path<'a>, T)], name: &str, element: bool) -> Vec<(Path<'a>, T)> {
    let leads = |first: &String| first == name || (element && first == "[]");
    let longer = paths.iter().filter(|(path, _)| path.len() > 1 && leads(&path[0]));
    longer.map(|(path, what)| (&path[1..], what.clone())).collect()
}

fn ends<T: Clone>(paths: &[(Path<'_>, T)], name: &str) -> Vec<T> {
    paths.iter().filter(|(path, _)| path.len() == 1 && path[0] == name).map(|(_, what)| what.clone()).collect()
}

/// Does something to each object, with the paths that lead into it.
fn walk<T: Clone>(
    tree: &mut Tree,
    paths: &[(Path<'_>, T)],
    in_array: bool,
    act: &mut impl FnMut(&mut Vec<(String, Tree, usize)>, &[(Path<'_>, T)], bool),
) {
    match tree {
        Tree::Object(members) => {
            for (name, value, _) in members.iter_mut() {
                walk(value, &below(paths, name, false), in_array, act);
            }
            act(members, paths, in_array);
        }
        Tree::Array(items) => {
            for (at, item) in items.iter_mut().enumerate() {
                walk(item, &below(paths, &at.to_string(), true), true, act);
            }
        }
        _ => {}
    }
}

struct Wanted<'a> {
    path: Path<'a>,
    needed: bool,
}

fn include(
    members: &[(String, Tree, usize)],
    wanted: &[Wanted<'_>],
    missing: Absent,
    added: &mut usize,
) -> Option<Tree> {
    let mut names: Vec<&String> = Vec::new();
    wanted.iter().for_each(|wanted| {
        if !names.contains(&&wanted.path[0]) {
            names.push(&wanted.path[0]);
        }
    });
    let mut kept = Vec::new();
    for name in names {
        let group: Vec<&Wanted<'_>> = wanted.iter().filter(|wanted| wanted.path[0] == *name).collect();
        let member = members.iter().find(|(found, ..)| found == name);
        let whole: Vec<_> = group.iter().filter(|wanted| wanted.path.len() == 1).collect();
        let rest: Vec<Wanted<'_>> = group
            .iter()
            .filter(|wanted| wanted.path.len() > 1)
            .map(|wanted| Wanted { path: &wanted.path[1..], needed: wanted.needed })
            .collect();
        let needed = if whole.is_empty() { &group.iter().any(|w| w.needed) } else { &whole.iter().any(|w| w.needed) };
        *added += 1;
        match member {
            Some(member) if !whole.is_empty() => kept.push(member.clone()),
            Some((name, Tree::Object(inner), at)) => {
                kept.push((name.clone(), include(inner, &rest, missing, added)?, *at));
            }
            _ if !needed || missing == Absent::Omit => {}
            _ if missing == Absent::Error => return None,
            _ if whole.is_empty() => kept.push((name.clone(), include(&[], &rest, missing, added)?, ADDED + *added)),
            _ => kept.push((name.clone(), NULL, ADDED + *added)),
        }
    }
    Some(Tree::Object(kept))
}

/// What is selected; `None` if an included member is absent.
pub fn select(value: Value<'_>, spec: &SelectSpec, set: &[Tree]) -> Option<Tree> {
    let value = match &spec.of {
        Some(of) => value.path(&pieces(of))?,
        None => value,
    };
    let mut tree = Tree::of(value);
    let mut added = 0;
    let all = |paths: &[String]| paths.iter().map(|path| pieces(path)).collect::<Vec<_>>();
    let (always, optional) = (all(&spec.include), all(&spec.include_if_present));
    let conditional: Vec<_> = spec
        .include_when
        .iter()
        .map(|when| (when.test.holds(value.path(&pieces(&when.field))), all(&when.fields)))
        .collect();
    if let Tree::Object(members) = &tree
        && !(always.is_empty() && optional.is_empty() && conditional.is_empty())
    {
        let on = conditional.iter().filter(|(holds, _)| *holds).flat_map(|(_, paths)| paths);
        let wanted: Vec<Wanted<'_>> = always
            .iter()
            .map(|path| Wanted { path, needed: true })
            .chain(optional.iter().map(|path| Wanted { path, needed: false }))
            .chain(on.map(|path| Wanted { path, needed: true }))
            .collect();
        tree = include(members, &wanted, spec.missing, &mut added)?;
    }

    let exclude = all(&spec.exclude);
    let paths: Vec<(Path<'_>, ())> = exclude.iter().map(|path| (path.as_slice(), ())).collect();
    walk(&mut tree, &paths, false, &mut |members, paths, _| members.retain(|(name, ..)| ends(paths, name).is_empty()));

    walk::<()>(&mut tree, &[], false, &mut |members, _, in_array| {
        members.retain(|(name, ..)| in_array || !spec.exclude_recursive.contains(name));
    });

    let keep = all(&spec.keep_null);
    let paths: Vec<(Path<'_>, ())> = keep.iter().map(|path| (path.as_slice(), ())).collect();
    walk(&mut tree, &paths, false, &mut |members, paths, in_array| {
        let drops = match spec.drop_null {
            DropNull::Off => false,
            DropNull::Everywhere => true,
            DropNull::Objects => !in_array,
        };
        members.retain(|(name, value, _)| !drops || !value.is_null() || !ends(paths, name).is_empty());
        for (path, ()) in paths {
            if path.len() == 1 && !members.iter().any(|(name, ..)| *name == path[0]) {
                added += 1;
                members.push((path[0].clone(), NULL, 2 * ADDED + added));
            }
        }
    });

    let old: Vec<Vec<String>> = spec.rename.iter().map(|(path, _)| pieces(path)).collect();
    let paths: Vec<(Path<'_>, String)> =
        old.iter().map(Vec::as_slice).zip(spec.rename.iter().map(|(_, new)| new.clone())).collect();
    walk(&mut tree, &paths, false, &mut |members, paths, _| {
        for (name, ..) in members {
            *name = ends(paths, name).last().unwrap_or(name).clone();
        }
    });

    let places = all(&spec.set);
    let paths: Vec<(Path<'_>, Tree)> = places.iter().map(Vec::as_slice).zip(set.iter().cloned()).collect();
    walk(&mut tree, &paths, false, &mut |members, paths, _| {
        for (name, value, _) in members.iter_mut() {
            if let Some(new) = ends(paths, name).last() {
                *value = new.clone();
            }
        }
        for (path, _) in paths {
            if path.len() == 1 && !members.iter().any(|(name, ..)| *name == path[0]) {
                added += 1;
                members.push((path[0].clone(), ends(paths, &path[0]).last().unwrap().clone(), 3 * ADDED + added));
            }
        }
    });
    Some(tree)
}

/// What is printed of a tree.
pub fn print(tree: &Tree, form: &Form, depth: usize) -> String {
    let keys = if depth == 0 { form.top_keys.unwrap_or(form.keys) } else { form.keys };
    let list = |open: &str, parts: Vec<String>, close: &str| {
        let line = |depth: usize| format!("\n{}", "  ".repeat(depth));
        match form.separators {
            Separators::Compact => format!("{open}{}{close}", parts.join(",")),
            Separators::Python => format!("{open}{}{close}", parts.join(", ")),
            Separators::Indent2 if parts.is_empty() => format!("{open}{close}"),
            Separators::Indent2 => {
                let comma = format!(",{}", line(depth + 1));
                format!("{open}{}{}{}{close}", line(depth + 1), parts.join(&comma), line(depth))
            }
        }
    };
    match tree {
        Tree::Word(word) => (*word).to_owned(),
        Tree::Number(text) => number(text, form.numbers),
        Tree::String(text) => string(text, form),
        Tree::Array(items) => list("[", items.iter().map(|item| print(item, form, depth + 1)).collect(), "]"),
        Tree::Object(members) => {
            let text = |name: &str| if form.unicode == Unicode::Nfc { name.nfc().collect() } else { name.to_owned() };
            let mut members: Vec<(String, &Tree, usize)> =
                members.iter().map(|(name, value, at)| (text(name), value, *at)).collect();
            let index =
                |name: &str| name.parse().ok().filter(|index: &u32| *index < u32::MAX && index.to_string() == name);
            match keys {
                Keys::Codepoint => members.sort_by_key(|(name, _, at)| (name.chars().collect::<Vec<_>>(), *at)),
                Keys::Utf16 => members.sort_by_key(|(name, _, at)| (name.encode_utf16().collect::<Vec<_>>(), *at)),
                Keys::AsWritten => {}
                Keys::V8 => members.sort_by_key(|(name, ..)| index(name).map_or(u64::MAX, u64::from)),
            }
            let colon = if form.separators == Separators::Compact { ":" } else { ": " };
            let parts = members
                .iter()
                .map(|(name, value, _)| format!("{}{colon}{}", string(name, form), print(value, form, depth + 1)));
            list("{", parts.collect(), "}")
        }
    }
}

fn string(text: &str, form: &Form) -> String {
    let text: String = if form.unicode == Unicode::Nfc { text.nfc().collect() } else { text.to_owned() };
    if form.escape == Escape::None {
        return format!("\"{text}\"");
    }
    let escaped = serde_json::to_string(&text).unwrap();
    if form.escape == Escape::Json {
        return escaped;
    }
    let units =
        |char: char| char.encode_utf16(&mut [0; 2]).iter().map(|unit| format!("\\u{unit:04x}")).collect::<String>();
    escaped.chars().map(|char| if (' '..='~').contains(&char) { char.to_string() } else { units(char) }).collect()
}

fn number(text: &str, numbers: Numbers) -> String {
    let double: f64 = text.parse().unwrap();
    let es6 = || if double == 0.0 { "0".to_owned() } else { ryu_js::Buffer::new().format(double).to_owned() };
    let is_float = text.contains(['.', 'e', 'E']);
    match numbers {
        Numbers::Es6 => es6(),
        Numbers::CollapseWhole if is_float && double.fract() == 0.0 && double.abs() < 1e21 => es6(),
        Numbers::Python if is_float => {
            // The text of ECMAScript, but whole numbers have a fraction, and exponents come earlier.
            let es6 = es6();
            let sign = if double.is_sign_negative() { "-" } else { "" };
            let text = es6.trim_start_matches('-');
            let (mantissa, exponent) = text.split_once('e').unwrap_or((text, "0"));
            let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
            let all = format!("{whole}{fraction}");
            let digits = all.trim_start_matches('0');
            let exponent =
                exponent.parse::<i32>().unwrap() + whole.len() as i32 - (all.len() - digits.len()) as i32 - 1;
            let digits = digits.trim_end_matches('0');
            if digits.is_empty() {
                return format!("{sign}0.0");
            }
            if (-4..16).contains(&exponent) {
                let dot = if text.contains('.') { "" } else { ".0" };
                return format!("{sign}{text}{dot}");
            }
            let rest = if digits.len() > 1 { format!(".{}", &digits[1..]) } else { String::new() };
            let of_exponent = if exponent < 0 { '-' } else { '+' };
            format!("{sign}{}{rest}e{of_exponent}{:02}", &digits[..1], exponent.abs())
        }
        Numbers::Python if text == "-0" => "0".to_owned(),
        _ => text.to_owned(),
    }
}
