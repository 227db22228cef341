//! Two exports of one ledger: what is said of them is what an obvious twin says.

#[path = "../../examples/forge/ledger/mod.rs"]
mod ledger;

mod cases;
mod derive;
mod formats;
mod middle;
mod oracle;
mod twin;

use std::fs;
use std::path::{Path, PathBuf};

use ledger_verify::audit::{Request, compare};
use ledger_verify::report::Environment;
use ledger_verify::report::compare::{Comparison, comparison_id, json, write};
use ledger_verify::report::text::Style;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Two exports in a folder, and a key beside them.
struct Folder {
    folder: tempfile::TempDir,
}

impl Folder {
    fn new() -> Self {
        Folder { folder: tempfile::tempdir().expect("a folder") }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), bytes).expect("a file");
        self.path(name)
    }
}

/// Compare; a stop is an error of the test.
fn compared(a: &Path, b: &Path, request: &Request) -> Comparison {
    compare([a, b], request, Environment::default(), &()).unwrap_or_else(|stop| panic!("{}: {stop}", stop.code.name()))
}

/// The same, with what every comparison must keep to: its JSON is of the schema, its text is tame, and the other way
/// round it says the same.
fn judged(a: &Path, b: &Path, request: &Request) -> Comparison {
    let comparison = compared(a, b, request);
    let shown = json(&comparison);
    let value: serde_json::Value = serde_json::from_str(&shown).expect("JSON");
    let wrong: Vec<String> = schema().iter_errors(&value).map(|error| error.to_string()).collect();
    assert!(wrong.is_empty(), "{wrong:?}\n{shown}");
    let mut text = Vec::new();
    write(&comparison, Style::default(), &mut text).expect("text");
    let text = String::from_utf8(text).expect("UTF-8");
    assert!(!text.replace('\n', "").chars().any(ledger_verify::report::escape::is_unsafe), "{text}");
    let back = compared(b, a, request);
    assert_eq!((back.word(), back.exit_code()), (comparison.word(), comparison.exit_code()));
    assert_eq!(back.longer(), comparison.longer().map(|side| side.other()));
    assert_eq!((back.common, back.forked_chains), (comparison.common, comparison.forked_chains));
    for threads in [1, 3] {
        let again = compared(a, b, &Request { threads, ..request.clone() });
        assert_eq!(comparison_id(&again), comparison_id(&comparison));
    }
    comparison
}

fn schema() -> &'static jsonschema::Validator {
    static SCHEMA: std::sync::OnceLock<jsonschema::Validator> = std::sync::OnceLock::new();
    SCHEMA.get_or_init(|| {
        let text = fs::read_to_string(root().join("docs/compare.schema.json")).expect("the schema");
        jsonschema::draft202012::new(&serde_json::from_str(&text).expect("JSON")).expect("a schema")
    })
}
