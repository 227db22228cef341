//! The forms that a report is given in. Each is a file of its own, and all are made from the one model, so
//! that no form can say more than another.

use std::path::Path;

use super::Outcome;
use super::certificate::{Certificate, CertificateHtml};
use super::html::Html;
use super::intoto::Intoto;
use super::json::Json;
use super::junit::Junit;
use super::sarif::Sarif;
use super::summary::Summary;
use super::text::Text;

/// A form of the report.
pub trait Form: Sync {
    /// Its word on the command line (`--report KIND=PATH`), as `junit`.
    fn kind(&self) -> &'static str;

    /// The outcome in this form: the same text for the same outcome.
    ///
    /// `None` where the form has no words for a run that came to no verdict. Nothing is written then.
    fn text(&self, outcome: &Outcome) -> Option<String>;

    /// How the outcomes of several ledgers are told together; `None` where the form is about one.
    fn several(&self) -> Option<fn(&Summary) -> String> {
        None
    }
}

/// Every form, in the order in which a stop or a help lists them.
pub const ALL: &[&dyn Form] = &[&Text, &Json, &Html, &Junit, &Intoto, &Sarif, &Certificate, &CertificateHtml];

/// The form of this kind.
pub fn named(kind: &str) -> Option<&'static dyn Form> {
    ALL.iter().copied().find(|form| form.kind() == kind)
}

/// The form of this kind for a file of this name, in which a certificate for print is HTML; `None` for an unknown
/// kind.
pub fn for_path(kind: &str, path: &Path) -> Option<&'static dyn Form> {
    let form = named(kind)?;
    let is_html =
        || path.extension().is_some_and(|end| end.eq_ignore_ascii_case("html") || end.eq_ignore_ascii_case("htm"));
    Some(if kind == Certificate.kind() && is_html() { &CertificateHtml } else { form })
}
