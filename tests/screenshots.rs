//! The pages of the HTML report in a real browser, where there is one: tests/screenshots/check.mjs says what must
//! hold. `LEDGER_VERIFY_BROWSER` names the browser (a Chromium), `none` leaves the test out;
//! `LEDGER_VERIFY_SHOTS` a folder to keep the pictures in.

#[allow(dead_code)]
mod models;
mod pages;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::{env, fs};

use ledger_verify::report::form::Form;
use ledger_verify::report::html::Html;

/// A program of one of these names, by the search path.
fn found(names: &[&str]) -> Option<PathBuf> {
    let path = env::var_os("PATH")?;
    let folders: Vec<PathBuf> = env::split_paths(&path).collect();
    names.iter().flat_map(|name| folders.iter().map(move |folder| folder.join(name))).find(|file| file.is_file())
}

fn browser() -> Option<PathBuf> {
    match env::var_os("LEDGER_VERIFY_BROWSER") {
        Some(name) if name == *"none" => None,
        Some(name) => Some(name.into()),
        None => found(&["chromium", "chromium-browser", "google-chrome"]),
    }
}

#[test]
fn pages_are_good_to_look_at() {
    let (Some(browser), Some(node)) = (browser(), found(&["node"])) else {
        eprintln!("skipped: it takes a Chromium (LEDGER_VERIFY_BROWSER) and Node.js");
        return;
    };
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("pages");
    fs::create_dir_all(&folder).expect("a folder for the pages");
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screenshots/check.mjs");
    let mut command = Command::new(node);
    command.arg(script).arg(browser);
    for (name, outcome) in pages::pages() {
        let page = folder.join(format!("{name}.html"));
        fs::write(&page, Html.text(&outcome).expect("every outcome has a page")).expect("the page can be written");
        command.arg(page);
    }
    let shots = env::var_os("LEDGER_VERIFY_SHOTS").map(|folder| [OsString::from("--shots"), folder]);
    let done = command.args(shots.into_iter().flatten()).output().expect("node runs");
    let text = format!("{}{}", String::from_utf8_lossy(&done.stdout), String::from_utf8_lossy(&done.stderr));
    assert!(done.status.success(), "{text}");
}
