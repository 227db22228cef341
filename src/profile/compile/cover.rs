//! What the words of a profile leave open, whatever the row: members that are excluded and stand in no other part.
//!
//! What depends on the row (a format that lists what it hashes, names that are dropped at every depth) is
//! decided row by row, in `check`.

use crate::profile::schema::{Document, FieldWord, HashTable, PartWord};

/// The excluded members that nothing covers, sorted.
pub(super) fn left_out(document: &Document) -> Vec<String> {
    let variants = document.variant.iter().flat_map(|variant| &variant.hash);
    let of = |table: &HashTable| {
        let signed = document.signature.iter().filter(|table| table.required && table.when.is_none());
        let bound = document.bind.iter().filter(|table| table.when.is_none());
        let lists: Vec<&[PartWord]> = std::iter::once(table.preimage.as_slice())
            .chain(signed.map(|table| table.message.as_slice()))
            .chain(bound.filter_map(|table| table.preimage.as_deref()))
            .collect();
        let excluded = excluded(&table.preimage).into_iter();
        let open = excluded.filter(|path| !lists.iter().any(|words| covers(words, path)));
        open.filter(|path| !is_judged(document, path)).map(str::to_owned).collect::<Vec<String>>()
    };
    let mut out: Vec<String> = document.hash.iter().chain(variants).flat_map(of).collect();
    out.sort();
    out.dedup();
    out
}

/// Whether what is covered of a row depends on the row: on the members that it has.
pub(super) fn depends_on_row(document: &Document) -> bool {
    let variants = document.variant.iter().flat_map(|variant| &variant.hash);
    document.hash.iter().chain(variants).any(|table| {
        !table.preimage.iter().any(|word| match word {
            PartWord::Text(_) => false,
            PartWord::Table(part) => {
                let whole = part.json.as_ref().is_some_and(|json| {
                    json.of.is_none()
                        && json.include.is_none()
                        && json.exclude_recursive.is_empty()
                        && json.set.is_empty()
                        && json.exclude.iter().all(|path| is_known(document, path))
                });
                whole || part.line == Some(true)
            }
        })
    })
}

/// Whether all that can be said of an excluded member stands in the profile: it is judged by itself as it
/// is, or has nothing below it that is.
fn is_known(document: &Document, path: &str) -> bool {
    is_judged_whole(document, path) || !(path.contains("[]") || is_judged(document, path))
}

/// The members that parts leave out by name.
fn excluded(words: &[PartWord]) -> Vec<&str> {
    let mut out = Vec::new();
    for word in words {
        let PartWord::Table(table) = word else { continue };
        if let Some(json) = table.json.as_ref().filter(|json| json.of.is_none() && json.include.is_none()) {
            out.extend(json.exclude.iter().map(String::as_str));
        }
        out.extend(excluded(table.of.as_deref().unwrap_or_default()));
    }
    out
}

/// Whether the member, or something below it, is the digest or a signature, which are judged by themselves.
fn is_judged(document: &Document, path: &str) -> bool {
    judged(document).any(|judged| within(&judged, path))
}

/// Whether the member itself is.
fn is_judged_whole(document: &Document, path: &str) -> bool {
    judged(document).any(|judged| judged == path)
}

fn judged(document: &Document) -> impl Iterator<Item = String> {
    let name = |name: &str| match document.fields.get(name) {
        Some(FieldWord::Text(path)) => path.clone(),
        Some(FieldWord::Table(table)) => table.path.clone(),
        None => name.to_owned(),
    };
    document.signature.iter().map(move |table| name(&table.field)).chain([name("hash")])
}

/// Whether these parts hold the member at this path.
pub(super) fn covers(words: &[PartWord], path: &str) -> bool {
    words.iter().any(|word| {
        let PartWord::Table(table) = word else { return false };
        let json = table.json.as_ref().is_some_and(|json| {
            let included = json.include.as_ref().is_none_or(|include| include.iter().any(|above| within(path, above)));
            json.of.is_none() && included && !json.exclude.iter().any(|above| within(path, above))
        });
        let member = table.field.as_ref().is_some_and(|above| within(path, above));
        json || member || table.line == Some(true) || covers(table.of.as_deref().unwrap_or_default(), path)
    })
}

/// Whether the path is this one, or below it.
fn within(path: &str, above: &str) -> bool {
    path.strip_prefix(above).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}
