//! Python's JSON dialect: lines, their text, their values and the text that is made of them, each against a
//! slow twin and against what Python itself made of it.

mod canon;
mod ledger;
mod lines;
mod oracle;
mod reading;

use ledger_verify::canonical::{Escape, Form, Keys, Numbers, Select, Separators, Writer};
use ledger_verify::row::{Kind, Reader, Row};

/// `json.dumps(value, sort_keys=True, ensure_ascii=False)`.
const SORTED: Form = Form {
    keys: Keys::Codepoint,
    top_keys: None,
    separators: Separators::Python,
    escape: Escape::Json,
    numbers: Numbers::Python,
    unicode: ledger_verify::canonical::Unicode::None,
};

/// The same in ASCII.
const ASCII: Form = Form { escape: Escape::Ascii, ..SORTED };

/// The same with the members as they came.
const INSERTED: Form = Form { keys: Keys::AsWritten, ..SORTED };

/// What was read of a text.
struct Seen {
    sorted: Vec<u8>,
    ascii: Vec<u8>,
    inserted: Vec<u8>,
    repeated: Option<String>,
}

/// What the reader makes of a text: an object, or any other value, which is then no row.
fn read(reader: &mut Reader, text: &str, exact: bool) -> Result<Seen, Kind> {
    let of = |reader: &mut Reader, exact| match reader.read_python(text.as_bytes(), exact) {
        Ok(row) => Ok(SORTED.needs_exact(row)),
        Err(why) if why.kind == Kind::NotAnObject => Ok(false),
        Err(why) => Err(why.kind),
    };
    if of(reader, exact)? {
        of(reader, true)?;
    }
    let row = reader.last();
    Ok(Seen {
        sorted: written(row, &SORTED),
        ascii: written(row, &ASCII),
        inserted: written(row, &INSERTED),
        repeated: reader.repeated().map(|why| why.why.clone()),
    })
}

fn written(row: &Row, form: &Form) -> Vec<u8> {
    let mut out = Vec::new();
    Writer::default().write(row.root(), &Select::default(), form, &[], &mut out).expect("a text in every form");
    out
}
