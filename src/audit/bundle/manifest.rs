//! `MANIFEST.json` of a bundle: what it states, exactly or not at all.

use std::collections::BTreeMap;

use crate::row::Value;
use crate::trust::dialect::{Dialect, integer};

/// The format that is known.
const FORMAT: &str = "arcaeon-ledger-evidence-bundle/1";

/// What a manifest states.
#[derive(Clone, Debug)]
pub(super) struct Manifest {
    /// The ledger's file.
    pub ledger_file: String,
    /// Its SHA-256.
    pub ledger_sha256: String,
    /// The verdict that is stated, which may be null; else what stands there.
    pub verify_ok: Result<Option<bool>, String>,
    /// The mode in which it was found, as it is written.
    pub verify_mode: Result<String, String>,
    /// The file of the report on the ledger.
    pub verify_file: String,
    /// Whether the answer of a witness is in the bundle; else what stands there.
    pub witness_included: Result<bool, String>,
    /// The file with that answer, if one is named.
    pub witness_file: Option<Result<String, String>>,
    /// The files, by name.
    pub files: BTreeMap<String, Listed>,
}

/// What is stated of a file.
#[derive(Clone, Debug)]
pub(super) struct Listed {
    pub sha256: String,
    pub bytes: u64,
}

/// Read a manifest.
///
/// # Errors
///
/// What is wrong with it.
pub(super) fn read(bytes: &[u8], most: u64) -> Result<Manifest, String> {
    if bytes.len() as u64 > most {
        return Err(format!("it is larger than {most} bytes"));
    }
    let mut dialect = Dialect::default();
    let root = dialect.read_strict(bytes).map_err(|wrong| format!("it is not JSON: {wrong}"))?.root();
    let format = text(root, &["format"])?;
    if format != FORMAT {
        return Err(format!("its format is {format:?}, and only {FORMAT} is known"));
    }
    let list = root.get("files").filter(|files| files.is_object()).ok_or("it has no object files")?;
    let mut files = BTreeMap::new();
    for (name, value) in list.members() {
        let bytes = value.get("bytes").and_then(integer).and_then(|bytes| u64::try_from(bytes).ok());
        let listed = Listed {
            sha256: text(value, &["sha256"]).map_err(|wrong| format!("files {name:?}: {wrong}"))?,
            bytes: bytes.ok_or_else(|| format!("files {name:?}: it has no length"))?,
        };
        files.insert(name.to_owned(), listed);
    }
    let (ok, included) = (root.path(&["verify", "ok"]), root.path(&["witness", "included"]));
    Ok(Manifest {
        ledger_file: text(root, &["ledger_file"])?,
        ledger_sha256: text(root, &["ledger_sha256"])?,
        verify_ok: ok
            .filter(|ok| ok.is_null() || ok.as_bool().is_some())
            .map(Value::as_bool)
            .ok_or_else(|| written(ok)),
        verify_mode: text_or_written(root.path(&["verify", "mode"])),
        verify_file: text(root, &["verify", "file"])?,
        witness_included: included.and_then(Value::as_bool).ok_or_else(|| written(included)),
        witness_file: root.path(&["witness", "file"]).map(|file| text_or_written(Some(file))),
        files,
    })
}

fn text(value: Value<'_>, path: &[&str]) -> Result<String, String> {
    let found = value.path(path).and_then(Value::as_str);
    found.map(str::to_owned).ok_or_else(|| format!("it has no text {}", path.join(".")))
}

/// A text, or what stands there instead.
pub(super) fn text_or_written(value: Option<Value<'_>>) -> Result<String, String> {
    value.and_then(Value::as_str).map(str::to_owned).ok_or_else(|| written(value))
}

/// A value as it stands in its file.
pub(super) fn written(value: Option<Value<'_>>) -> String {
    value.map_or("nothing", |value| value.written().unwrap_or_else(|| value.kind())).to_owned()
}
