//! The sheet as one HTML file for print: no script, nothing from elsewhere, every text escaped by the template.

use data_encoding::BASE64;
use maud::{DOCTYPE, Markup, PreEscaped, html};
use sha2::{Digest as _, Sha256};

use super::{BELONGS, BLANKS, DISCLAIMER, SIGNING, STATEMENT, Section, TITLE, sections};
use crate::report::form::Form;
use crate::report::identity::report_id;
use crate::report::{Outcome, Report};

/// Fits A4 and Letter alike: the paper's own size, and margins that leave 17 cm.
const STYLE: &str = "
@page { margin: 16mm 20mm; }
* { box-sizing: border-box; }
body { font: 10pt/1.3 Georgia, 'Times New Roman', serif; color: #000; background: #fff; max-width: 172mm; margin: 0 auto; padding: 0 1mm; }
h1 { font-size: 16pt; margin: 0 0 3mm; }
h2 { font-size: 11pt; margin: 4mm 0 1.5mm; border-bottom: .3mm solid #000; break-after: avoid; }
.not { border: .3mm solid #000; padding: 2mm 3mm; }
dl { display: grid; grid-template-columns: 38mm 1fr; gap: .6mm 3mm; margin: 1.5mm 0; }
dt { font-weight: bold; overflow-wrap: anywhere; }
dt.part { font-weight: normal; padding-left: 4mm; }
dd { margin: 0; overflow-wrap: anywhere; }
dd, .id { font-family: 'DejaVu Sans Mono', Consolas, Menlo, monospace; font-size: 8pt; line-height: 1.6; }
ul { margin: 1.5mm 0; padding-left: 5mm; }
li { margin-bottom: .5mm; }
.statement { list-style: none; padding: 0; }
.statement li::before { content: '\\2610\\00a0\\00a0'; }
.sign { break-before: page; }
.blank { break-inside: avoid; margin-top: 3mm; }
.blank span { display: block; border-bottom: .3mm solid #000; height: 9mm; }
";

/// The certification sheet as HTML.
#[derive(Clone, Copy, Debug)]
pub struct CertificateHtml;

impl Form for CertificateHtml {
    fn kind(&self) -> &'static str {
        "certificate-html"
    }

    fn text(&self, outcome: &Outcome) -> Option<String> {
        match outcome {
            Outcome::Report(report) => Some(format!("{}\n", sheet(report).into_string())),
            // There is nothing to certify.
            Outcome::Stop(_) => None,
        }
    }
}

/// What a browser may do with the page: nothing, but to apply the one style that is ours (CSP level 2).
fn policy() -> String {
    format!("default-src 'none'; style-src 'sha256-{}'", BASE64.encode(&Sha256::digest(STYLE)))
}

fn sheet(report: &Report) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta http-equiv="Content-Security-Policy" content=(policy());
                title { (TITLE) ", " (report_id(report)) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (TITLE) }
                p.not { (DISCLAIMER) }
                @for section in sections(report) { (part(&section)) }
                // One page of its own, which says what it belongs to.
                section.sign {
                    h2 { (SIGNING) }
                    p { (BELONGS) br; span.id { (report_id(report)) } }
                    ul.statement { @for sentence in STATEMENT { li { (sentence) } } }
                    @for blank in BLANKS { div.blank { (blank) ":" span {} } }
                }
            }
        }
    }
}

fn part(section: &Section) -> Markup {
    html! {
        section {
            h2 { (section.heading) }
            @if !section.prose.is_empty() {
                ul { @for sentence in &section.prose { li { (sentence) } } }
            }
            @if !section.facts.is_empty() {
                dl {
                    @for (label, value) in &section.facts {
                        @let part = label.starts_with(' ');
                        dt.part[part] { (label.trim_start()) }
                        dd { (value) }
                    }
                }
            }
        }
    }
}
