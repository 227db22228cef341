//! The HTML report, as a browser parses it: only elements that we write, whatever the text; all facts on the page;
//! and no stretch of the picture drawn as good that the report does not show to be.

#[allow(dead_code)]
mod models;
mod pages;

use std::collections::BTreeSet;

use ledger_verify::finding::{Code, Finding, Policy};
use ledger_verify::report::form::Form;
use ledger_verify::report::html::Html;
use ledger_verify::report::identity::report_id;
use ledger_verify::report::{AnchorVerdict, Outcome, Report};
use ledger_verify::verdict::CheckId;
use models::{HEAD, OTHER, at, finish, set};
use pages::{HOSTILE, hostile, pages};
use scraper::{ElementRef, Html as Page, Selector};
use sha2::{Digest as _, Sha256};

fn write(outcome: &Outcome) -> String {
    Html.text(outcome).expect("every outcome has a page")
}

fn of(report: Report) -> String {
    write(&Outcome::Report(Box::new(report)))
}

fn all<'p>(page: &'p Page, selector: &str) -> Vec<ElementRef<'p>> {
    page.select(&Selector::parse(selector).expect("a selector")).collect()
}

fn text(element: ElementRef<'_>) -> String {
    element.text().collect::<String>().split_whitespace().collect::<Vec<_>>().join(" ")
}

/// What the page holds, each element with the names of its attributes.
fn shapes(page: &Page) -> BTreeSet<String> {
    let shape = |element: ElementRef<'_>| {
        let mut names: Vec<&str> = element.value().attrs().map(|(name, _)| name).collect();
        names.sort_unstable();
        format!("{} {}", element.value().name(), names.join(" "))
    };
    page.tree.root().descendants().filter_map(ElementRef::wrap).map(shape).collect()
}

const ELEMENTS: &[&str] = &[
    "html",
    "head",
    "meta",
    "title",
    "style",
    "body",
    "header",
    "main",
    "footer",
    "section",
    "article",
    "figure",
    "figcaption",
    "h1",
    "h2",
    "h3",
    "p",
    "ul",
    "li",
    "dl",
    "div",
    "dt",
    "dd",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "bdi",
    "code",
    "mark",
    "small",
    "span",
    "strong",
    "svg",
    "desc",
    "g",
    "defs",
    "pattern",
    "rect",
    "path",
    "circle",
    "text",
];

const ATTRIBUTES: &[&str] = &[
    "aria-hidden",
    "aria-labelledby",
    "charset",
    "class",
    "content",
    "cx",
    "cy",
    "d",
    "fill",
    "height",
    "http-equiv",
    "id",
    "lang",
    "lengthAdjust",
    "name",
    "patternUnits",
    "r",
    "role",
    "scope",
    "textLength",
    "transform",
    "viewBox",
    "width",
    "x",
    "y",
];

#[test]
fn hostile_text_makes_no_element_and_no_attribute() {
    let text = of(hostile(HOSTILE));
    assert!(text.matches("&lt;script&gt;alert(1)").count() > 100, "the text stands on the page");
    for (name, outcome) in pages() {
        let page = Page::parse_document(&write(&outcome));
        assert_eq!(page.errors, [] as [&str; 0], "{name}");
        for element in page.tree.root().descendants().filter_map(ElementRef::wrap) {
            let value = element.value();
            assert!(ELEMENTS.contains(&value.name()), "{name}: <{}>", value.name());
            for (attribute, said) in value.attrs() {
                assert!(ATTRIBUTES.contains(&attribute), "{name}: <{} {attribute}>", value.name());
                let foreign = ["alert", "javascript", "<", "//", "{"].iter().any(|part| said.contains(part));
                assert!(!foreign, "{name}: <{} {attribute}={said:?}>", value.name());
                if said.contains("url(") {
                    assert!(attribute == "fill" && said.starts_with("url(#fill-"), "{name}: {said}");
                }
            }
        }
        for node in page.tree.root().descendants() {
            assert!(!node.value().is_comment() && node.value().as_processing_instruction().is_none(), "{name}");
        }
    }
}

#[test]
fn hostile_text_changes_nothing_of_the_page_around_it() {
    let (harmless, hostile) = (of(hostile("harmless")), of(hostile(HOSTILE)));
    assert_eq!(shapes(&Page::parse_document(&hostile)), shapes(&Page::parse_document(&harmless)));
    let headings =
        |text: &str| all(&Page::parse_document(text), "h1, h2").into_iter().map(self::text).collect::<Vec<_>>();
    assert_eq!(headings(&hostile), headings(&harmless));
}

#[test]
fn nothing_invisible_is_on_any_page() {
    for (name, outcome) in pages() {
        let text = write(&outcome);
        let survivor = text.chars().find(|&c| c != '\n' && ledger_verify::report::escape::is_unsafe(c));
        assert_eq!(survivor, None, "{name}");
    }
}

#[test]
fn the_policy_allows_this_style_sheet_and_nothing_else() {
    for (name, outcome) in pages() {
        let page = Page::parse_document(&write(&outcome));
        let [style] = all(&page, "style")[..] else { panic!("{name}: one style sheet") };
        let digest = data_encoding::BASE64.encode(&Sha256::digest(style.text().collect::<String>()));
        let policy = all(&page, "meta[http-equiv=Content-Security-Policy]")[0].attr("content").expect("a policy");
        assert!(policy.starts_with(&format!("default-src 'none'; style-src 'sha256-{digest}';")), "{name}: {policy}");
        let sheet = style.text().collect::<String>();
        assert!(!sheet.contains("url(") && !sheet.contains("@import"));
    }
}

#[test]
fn a_page_can_be_read_without_seeing_it() {
    for (name, outcome) in pages() {
        let page = Page::parse_document(&write(&outcome));
        assert_eq!(all(&page, "html[lang=en]").len(), 1, "{name}");
        assert_eq!(all(&page, "body > main").len(), 1, "{name}");
        let levels: Vec<u8> = all(&page, "h1, h2, h3").iter().map(|h| h.value().name().as_bytes()[1] - b'0').collect();
        assert!(levels[0] == 1 && levels.iter().filter(|&&level| level == 1).count() == 1, "{name}");
        assert!(levels.windows(2).all(|pair| pair[1] <= pair[0] + 1), "{name}: {levels:?}");
        let ids: Vec<&str> = all(&page, "[id]").iter().filter_map(|element| element.attr("id")).collect();
        assert_eq!(ids.iter().collect::<BTreeSet<_>>().len(), ids.len(), "{name}: ids are unique");
        for element in all(&page, "[aria-labelledby]") {
            let named = element.attr("aria-labelledby").unwrap_or_default().split(' ').all(|id| ids.contains(&id));
            assert!(named, "{name}: {:?}", element.attr("aria-labelledby"));
        }
        assert_eq!(all(&page, "section").len(), all(&page, "section[aria-labelledby]").len(), "{name}");
        assert_eq!(all(&page, "th").len(), all(&page, "th[scope]").len(), "{name}");
        for picture in all(&page, "svg:not([aria-hidden])") {
            assert_eq!(picture.attr("role"), Some("img"), "{name}");
            let children: Vec<&str> = picture.child_elements().map(|child| child.value().name()).take(2).collect();
            assert_eq!(children, ["title", "desc"], "{name}");
        }
    }
}

#[test]
fn the_verdict_comes_first_and_the_facts_follow() {
    for (name, outcome) in pages() {
        let Outcome::Report(report) = &outcome else { continue };
        if name == "hostile" {
            continue;
        }
        let page = Page::parse_document(&write(&outcome));
        let whole = text(page.root_element());
        let heading = text(all(&page, "h1")[0]);
        assert!(heading.ends_with(report.verdict.word()), "{name}: {heading}");
        let ids = all(&page, "header code");
        assert_eq!(text(ids[0]), report_id(report), "{name}");
        let mut facts: Vec<String> = report.subjects.iter().map(|subject| subject.sha256.clone()).collect();
        facts.extend(report.keys.iter().map(|key| key.fingerprint.clone()));
        facts.extend(report.chains.iter().filter_map(|chain| chain.head.clone()));
        facts.extend(report.limits.iter().cloned());
        facts.extend(report.finding_counts.keys().map(|code| code.name().to_owned()));
        facts.extend(report.checks.iter().map(|check| check.status().name().to_owned()));
        facts.extend(report.told.incidents.iter().map(|incident| incident.kind.next().to_owned()));
        for fact in facts {
            assert!(whole.contains(&fact), "{name}: {fact}");
        }
    }
}

#[test]
fn a_stop_is_a_page_without_verdict() {
    let (_, stop) = pages().pop().expect("the last page is a stop");
    let page = Page::parse_document(&write(&stop));
    assert_eq!(text(all(&page, "h1")[0]), "– no verdict");
    let said: Vec<String> = all(&page, "main p").into_iter().map(text).collect();
    assert_eq!(said, ["pk.pem: a private key <b>\\u{202e}", "Give the public key."]);
    assert!(all(&page, "svg").is_empty());
}

#[test]
fn what_differs_stands_under_each_other() {
    let page = Page::parse_document(&of(pages::broken()));
    let pairs: Vec<String> =
        all(&page, "article.finding:first-of-type dl.pair").into_iter().take(1).map(text).collect();
    assert_eq!(pairs, [format!("expected{}found{}", &HEAD[..32], &OTHER[..32])]);
    let marks: Vec<String> = all(&page, "dl.pair mark").into_iter().take(2).map(text).collect();
    assert_eq!(marks, [&HEAD[2..3], &OTHER[2..3]]);
}

/// The stretches of the picture as its table tells them.
fn stretches(page: &Page) -> Vec<(String, String, String)> {
    let rows = all(page, "section[aria-labelledby=picture] tbody tr");
    let cells = |row: ElementRef<'_>| {
        let cells: Vec<String> = row.child_elements().map(text).collect();
        let [from, to, known] = &cells[cells.len() - 3..] else { panic!("three cells") };
        (from.clone(), to.clone(), known.split([',', ':']).next().unwrap_or_default().to_owned())
    };
    rows.into_iter().map(cells).collect()
}

fn drawn(report: Report) -> Vec<(String, String, String)> {
    stretches(&Page::parse_document(&of(report)))
}

fn stretch(from: &str, to: &str, known: &str) -> (String, String, String) {
    (from.to_owned(), to.to_owned(), known.to_owned())
}

const GOOD: &str = "checked (chain";
const BAD: &str = "rows with faults";
const PARTLY: &str = "no fault";
const UNTOLD: &str = "faults lie here that are not listed";

#[test]
fn the_picture_shows_each_row_once() {
    let wanted = [("1", "6", GOOD), ("7", "7", BAD), ("8", "11", GOOD), ("12", "14", "missing"), ("15", "15", BAD)];
    let wanted = wanted.into_iter().chain([("16", "24", GOOD), ("25", "25", BAD), ("26", "40", GOOD)]);
    assert_eq!(drawn(pages::broken()), wanted.map(|(from, to, known)| stretch(from, to, known)).collect::<Vec<_>>());
    assert_eq!(drawn(models::good()), [stretch("1", "18,422", GOOD)]);
}

#[test]
fn what_was_not_checked_is_not_drawn_as_good() {
    let not_good = |report: Report| {
        let drawn = drawn(report);
        assert!(!drawn.is_empty() && drawn.iter().all(|(.., known)| known != GOOD), "{drawn:?}");
        drawn
    };
    assert_eq!(not_good(models::bounded(Policy::default())), [stretch("1", "18,422", PARTLY)]);
    // Faults that are not listed may be anywhere behind the last listed one.
    assert_eq!(drawn(models::many(0)).last(), Some(&stretch("1", "18,422", UNTOLD)));
    let cut = drawn(models::many(3));
    assert_eq!(
        cut,
        [stretch("1", "10,000", GOOD), stretch("10,001", "10,003", BAD), stretch("10,004", "18,422", UNTOLD)]
    );
    // Digests that were not compared, with no fault to say why.
    let mut report = models::good();
    set(&mut report, CheckId::Digests, 18_000, false);
    assert_eq!(not_good(finish(report, Policy::default(), Vec::new(), 100)), [stretch("1", "18,422", PARTLY)]);
    // Every row fails.
    let mut report = models::good();
    let kind = ledger_verify::incident::Kind::WrongKey;
    report.told.incidents = vec![pages::incident(kind, at(0, 1), at(0, 18_422), (1, 18_422), 18_422)];
    assert_eq!(not_good(report), [stretch("1", "18,422", BAD)]);
}

#[test]
fn rows_without_a_known_number_put_the_picture_on_lines() {
    let mut report = models::good();
    set(&mut report, CheckId::Chain, 18_421, false);
    let finding = Finding::new(Code::NotJson, at(0, 9)).found("it is no JSON");
    let drawn = drawn(finish(report, Policy::default(), vec![finding], 100));
    assert_eq!(drawn, [stretch("1", "8", GOOD), stretch("9", "9", BAD), stretch("10", "18,422", GOOD)]);
}

#[test]
fn an_anchor_reaches_no_further_than_it_states() {
    let count =
        |report: Report, class: &str| all(&Page::parse_document(&of(report)), &format!("svg.wide path.{class}")).len();
    assert_eq!((count(models::good(), "anchored"), count(models::good(), "unanchored")), (1, 0));
    assert_eq!((count(pages::broken(), "anchored"), count(pages::broken(), "unanchored")), (1, 1));
    let bounded = || models::bounded(Policy::default());
    assert_eq!((count(bounded(), "anchored"), count(bounded(), "unanchored")), (0, 1));
    let mut differs = models::good();
    differs.anchors[0].verdict = AnchorVerdict::Differs;
    assert_eq!(count(differs, "anchored"), 0);
}

#[test]
fn pages_stay_small_whatever_the_counts() {
    for (name, outcome) in pages().into_iter().filter(|(name, _)| ["millions", "billion", "one"].contains(name)) {
        let page = write(&outcome);
        assert!(page.len() < 400_000, "{name}: {} bytes", page.len());
    }
    let (_, thousand) = pages().into_iter().find(|(name, _)| *name == "thousand").expect("a page");
    let page = Page::parse_document(&write(&thousand));
    let counts: u64 = all(&page, "svg.wide rect.bar title")
        .into_iter()
        .map(|title| text(title).split(' ').next().and_then(|word| word.parse().ok()).unwrap_or(1))
        .sum();
    let Outcome::Report(report) = &thousand else { panic!("a report") };
    assert_eq!(counts, report.finding_counts[&Code::HashMismatch]);
    assert!(all(&page, "svg.wide *").len() < 2500);
}

#[test]
fn chains_that_have_no_room_are_told() {
    let page = of(pages::chains(40));
    assert!(page.contains("28 more chains are not drawn."));
    let parsed = Page::parse_document(&page);
    let names: Vec<String> = all(&parsed, "svg.wide text.name").into_iter().map(text).collect();
    for wrong in ["workspace-3: 40 rows", "workspace-20: 210 rows"] {
        assert!(names.iter().any(|name| name == wrong), "{names:?}");
    }
}
