//! File names as URI references (RFC 3986): what may stand as it is, and what is written as `%1B`.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

/// Everything but unreserved characters and the slash between folders. A colon is encoded too: in the first
/// segment of a relative reference it would end a scheme (section 4.2).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');

/// A file's name as a URI reference: `file://` before an absolute path, a relative one as it is.
pub fn of_path(name: &str) -> String {
    let name = if cfg!(windows) { name.replace('\\', "/") } else { name.to_owned() };
    let encoded = utf8_percent_encode(&name, ENCODED);
    if name.starts_with('/') {
        return format!("file://{encoded}");
    }
    let drive = name.as_bytes().get(1..3) == Some(b":/");
    if cfg!(windows) && drive { format!("file:///{encoded}") } else { encoded.to_string() }
}
