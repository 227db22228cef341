//! JSON that stands beside an export in the dialect of Python's json module: pins of a witness, receipts,
//! artefacts, manifests of bundles.
//!
//! The one place that says with which reader such a text is read and in which form its values are hashed.

use sha2::{Digest as _, Sha256};

use crate::canonical::{Form, Numbers, Select, SelectSpec, Separators, Writer};
use crate::row::{Kind, Number, Reader, Row, Unreadable, Value};

/// `json.dumps(value, sort_keys=True, ensure_ascii=False)`.
const SPACED: Form = Form { separators: Separators::Python, ..COMPACT };

/// The same without spaces: the recipe `json-c14n:v1`.
const COMPACT: Form = Form { numbers: Numbers::Python, ..Form::COMPACT };

/// Reads one text after the other.
#[derive(Debug, Default)]
pub struct Dialect {
    reader: Reader,
}

impl Dialect {
    /// The value of a text, an object or any other; of members with one name the last counts.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn read(&mut self, text: &[u8]) -> Result<&Row, Unreadable> {
        match self.reader.read_python(text, true) {
            // It was read, and is merely no row.
            Err(refused) if refused.kind != Kind::NotAnObject => Err(refused),
            Ok(_) | Err(_) => Ok(self.reader.last()),
        }
    }

    /// The same, where no object may have two members of one name.
    ///
    /// # Errors
    ///
    /// What is wrong with the text.
    pub fn read_strict(&mut self, text: &[u8]) -> Result<&Row, Unreadable> {
        self.read(text)?;
        match self.reader.repeated() {
            Some(repeated) => Err(repeated.clone()),
            None => Ok(self.reader.last()),
        }
    }
}

/// Writes values for hashing, with the same buffers.
#[derive(Debug)]
pub struct Canonical {
    form: Form,
    select: Select,
    writer: Writer,
    bytes: Vec<u8>,
}

impl Canonical {
    /// The form of chains and pins, with spaces, of an object without these members.
    pub fn spaced(without: &[&str]) -> Self {
        let exclude = without.iter().map(|name| (*name).to_owned()).collect();
        let select = Select::new(&SelectSpec { exclude, ..SelectSpec::default() }).unwrap_or_default();
        Canonical { form: SPACED, select, writer: Writer::default(), bytes: Vec::new() }
    }

    /// The recipe `json-c14n:v1`: without spaces.
    pub fn compact() -> Self {
        Canonical { form: COMPACT, select: Select::default(), writer: Writer::default(), bytes: Vec::new() }
    }

    /// The bytes of a value; `None` for one that has none in this form: without spaces, one that holds a number
    /// which is not finite or a lone surrogate.
    pub fn bytes(&mut self, value: Value<'_>) -> Option<&[u8]> {
        self.bytes.clear();
        self.writer.write(value, &self.select, &self.form, &[], &mut self.bytes).ok()?;
        let strict = self.form == COMPACT && value.row().is_beyond_json();
        let beyond =
            strict && (std::str::from_utf8(&self.bytes).is_err() || has_double(value, |double| !double.is_finite()));
        (!beyond).then_some(self.bytes.as_slice())
    }

    /// SHA-256 of the bytes of a value, 64 lower-case hex digits.
    pub fn digest(&mut self, value: Value<'_>) -> Option<String> {
        self.bytes(value).map(|bytes| data_encoding::HEXLOWER.encode(&Sha256::digest(bytes)))
    }
}

/// Whether a double of this kind stands anywhere in the value. Values nest as deep as they are read, and no deeper.
pub fn has_double(value: Value<'_>, kind: fn(f64) -> bool) -> bool {
    match value.as_number() {
        Some(Number::Double(double)) => kind(double) && !is_integer_text(value),
        Some(_) => false,
        None => {
            value.members().any(|(_, value)| has_double(value, kind))
                || value.items().any(|value| has_double(value, kind))
        }
    }
}

/// Whether the number is written without fraction and exponent: an integer, of any length.
fn is_integer_text(value: Value<'_>) -> bool {
    let text = value.written().unwrap_or_default();
    let digits = text.strip_prefix('-').unwrap_or(text);
    !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
}

/// Without the white space around it, as Python's `str.strip` has it: Unicode's, and U+001C to U+001F.
pub fn trim(text: &str) -> &str {
    text.trim_matches(|c: char| c.is_whitespace() || ('\u{1c}'..='\u{1f}').contains(&c))
}

/// The integer that this value is, written without fraction and exponent; `true` is none. One that is larger than
/// a row number can be is the largest there is, and all below 0 are -1.
pub fn integer(value: Value<'_>) -> Option<i128> {
    value.as_number().filter(|_| is_integer_text(value))?;
    let text = value.written()?;
    let digits = text.strip_prefix('-').unwrap_or(text);
    let size = digits.parse::<u64>().unwrap_or(u64::MAX);
    Some(match digits.len() < text.len() && size > 0 {
        true => -1,
        false => i128::from(size),
    })
}

/// The row number that this value is: an integer from 1.
pub fn row_number(value: Value<'_>) -> Option<u64> {
    integer(value).filter(|number| *number > 0).and_then(|number| u64::try_from(number).ok())
}
