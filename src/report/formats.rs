//! The list of formats that are built in, as text and as JSON.

use serde_json::{Value, json};

use super::escape::escape;

/// The name and version of the JSON form.
pub const SCHEMA: &str = "ledger-verify.profiles/v1";

/// A format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Format {
    /// The name of its profile.
    pub name: String,
    /// What it is, in a line.
    pub about: String,
    /// Where it comes from.
    pub homepage: String,
    /// The versions of its writer that were tried.
    pub versions: Vec<String>,
    /// Which of its rows are signed.
    pub signed: Signed,
    /// The keys that it takes.
    pub keys: Vec<Wanted>,
    /// SHA-256 of the profile's text, hex.
    pub sha256: String,
}

/// Which rows of a format are signed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Signed {
    /// None.
    No,
    /// Some of them, or whichever the writer signed.
    Partly,
    /// All.
    Every,
}

/// A key that a format takes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Its name in `--key NAME=FILE`, where it has one.
    pub role: Option<String>,
    /// The algorithm that it is for.
    pub algorithm: &'static str,
    /// The form of its file, where that is not any.
    pub format: Option<&'static str>,
}

impl Signed {
    /// The word in the list.
    pub fn name(self) -> &'static str {
        match self {
            Signed::No => "not signed",
            Signed::Partly => "partly signed",
            Signed::Every => "signed",
        }
    }
}

/// A line a format: name, signed or not and by what, versions; below it what it is.
pub fn text(formats: &[Format]) -> String {
    let width = formats.iter().map(|format| format.name.chars().count()).max().unwrap_or(0);
    let mut out = String::new();
    for format in formats {
        let keys: Vec<String> = format.keys.iter().map(key).collect();
        let keys = if keys.is_empty() { String::new() } else { format!("; key {}", keys.join(", ")) };
        let versions = format.versions.join(", ");
        let versions = if versions.is_empty() { String::new() } else { format!("; tried with {versions}") };
        let line = format!(
            "{:width$}  {}{keys}{versions}\n{:width$}  {}",
            format.name,
            format.signed.name(),
            "",
            format.about
        );
        line.lines().for_each(|line| out.push_str(&format!("{}\n", escape(line.trim_end()))));
    }
    out
}

/// `mac=hmac-sha256 (hex)`.
fn key(key: &Wanted) -> String {
    let role = key.role.as_ref().map_or_else(String::new, |role| format!("{role}="));
    let format = key.format.map_or_else(String::new, |format| format!(" ({format})"));
    format!("{role}{}{format}", key.algorithm)
}

/// The list as one JSON text.
pub fn json(formats: &[Format]) -> String {
    let key = |key: &Wanted| json!({ "role": key.role, "algorithm": key.algorithm, "format": key.format });
    let format = |format: &Format| {
        json!({
            "name": format.name,
            "about": format.about,
            "homepage": format.homepage,
            "versions": format.versions,
            "signed": match format.signed { Signed::No => "no", Signed::Partly => "partly", Signed::Every => "yes" },
            "keys": format.keys.iter().map(key).collect::<Vec<Value>>(),
            "sha256": format.sha256,
        })
    };
    let value = json!({ "schema": SCHEMA, "profiles": formats.iter().map(format).collect::<Vec<Value>>() });
    format!("{value:#}\n")
}
