//! Foreign text on the page: escaped for readers here, and for HTML by the templates. Direction and length are
//! bounded too, so that no name can run over what we say ourselves.

use maud::{Markup, html};

use super::super::escape::{escape_cut, quote};

/// Characters of a name inside a sentence.
const MAX_NAME: usize = 64;

/// Characters of foreign text that stands by itself; the JSON report shows as many.
pub(super) const MAX_TEXT: usize = 1024;

/// A name inside a sentence of ours.
pub(super) fn name(text: &str) -> String {
    quote(text, MAX_NAME).into_owned()
}

/// Foreign text that stands by itself, in a direction of its own.
pub(super) fn foreign(text: &str) -> Markup {
    html! { bdi { (escape_cut(text, MAX_TEXT)) } }
}

/// Foreign text character for character, as a digest or an argument.
pub(super) fn exact(text: &str) -> Markup {
    html! { code { (escape_cut(text, MAX_TEXT)) } }
}

/// A term and what is said of it, in a list of such.
pub(super) fn fact(term: &str, said: Markup) -> Markup {
    html! { div { dt { (term) } dd { (said) } } }
}
