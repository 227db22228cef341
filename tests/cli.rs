//! The command line as a process: one case for each thing that the help and the README say. Every `console`
//! block of tests/cmd/*.trycmd and of the documents is run, and what stands there is what must come.

use std::fs;
use std::path::Path;

#[test]
fn commands() {
    trycmd::TestCases::new().case("tests/cmd/*.trycmd").case("README.md").case("docs/*.md");
}

/// What stands in the fenced blocks of this language.
fn blocks(text: &str, language: &str) -> Vec<String> {
    let start = format!("```{language}\n");
    text.split(&start).skip(1).filter_map(|rest| rest.split("\n```").next()).map(|block| format!("{block}\n")).collect()
}

fn read(path: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(path);
    fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display())).replace("\r\n", "\n")
}

/// The help says nothing that no case tries.
#[test]
fn every_option_of_the_help_is_tried() {
    let cases = fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/cmd")).expect("the cases");
    let texts = cases.map(|entry| entry.expect("an entry").path()).filter(|path| path.is_file());
    let tried: String = texts.map(|path| fs::read_to_string(path).expect("a case")).collect();
    let tried: Vec<&str> = tried.lines().filter(|line| line.starts_with("$ ")).collect();
    let help = blocks(&read("tests/cmd/help.trycmd"), "console").swap_remove(0);
    let options: Vec<&str> = help
        .split(|c: char| !(c.is_ascii_alphanumeric() || c == '-'))
        .filter(|word| word.len() > 2 && word.starts_with("--"))
        .collect();
    assert!(options.len() > 15, "{options:?}");
    for option in options {
        assert!(tried.iter().any(|line| line.split(' ').any(|word| word == option)), "{option} is tried nowhere");
    }
}
