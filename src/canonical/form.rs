//! Canonical forms: how what is selected is written.
//!
//! Decides nothing about a row; it is the vocabulary of a profile's `[canon.NAME]` tables as types.

use crate::row::Row;

/// A canonical form.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Form {
    /// The order of the members of objects.
    pub keys: Keys,
    /// The order in the outermost object, where it is another one.
    pub top_keys: Option<Keys>,
    /// What stands between members and items.
    pub separators: Separators,
    /// Which characters of strings and names are escaped.
    pub escape: Escape,
    /// The text of numbers.
    pub numbers: Numbers,
    /// What is done to strings and names before they are sorted and written.
    pub unicode: Unicode,
}

/// An order of members. Two names that are equal only after `rename` or normalisation are both
/// written, in the order of the row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Keys {
    /// By Unicode code points, which is the order of UTF-8 bytes: Python, Rust, Go.
    Codepoint,
    /// By UTF-16 units (RFC 8785 §3.2.3): ECMAScript.
    Utf16,
    /// As in the row, or as in `include`; members that a selection adds come last.
    AsWritten,
    /// As ECMAScript enumerates (ECMA-262 OrdinaryOwnPropertyKeys): array indices, which are the
    /// canonical decimals up to 2^32 - 2, ascending, then the others as written.
    V8,
}

/// What stands between members and items, and after a name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Separators {
    /// `,` and `:`.
    Compact,
    /// `, ` and `: `, Python's default.
    Python,
    /// `,`, a line end and two spaces a level, and `: `: `JSON.stringify(value, null, 2)`.
    Indent2,
}

/// Which characters are escaped. The content of a string is escaped anew: nothing depends on how
/// the line spells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Escape {
    /// `"`, `\` and controls below U+0020, as RFC 8785 §3.2.2.2, `JSON.stringify` and Python's
    /// `ensure_ascii=False` do.
    Json,
    /// Also U+007F and all beyond ASCII, as `\u` and four lower-case hex digits a UTF-16 unit:
    /// Python's `ensure_ascii=True`.
    Ascii,
    /// None, not even `"`. Different rows can have the same bytes in such a form: a string may
    /// spell out the end of itself and another member.
    None,
}

/// The text of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Numbers {
    /// As they stand in the line.
    Verbatim,
    /// As ECMAScript prints the double (RFC 8785 §3.2.2.3).
    Es6,
    /// A number with a fraction or exponent whose double is whole and below 1e21 as ECMAScript
    /// prints it (`3.0` is `3`), all others as they stand in the line.
    CollapseWhole,
    /// As Python's json parses and prints them: integers of any length as they stand (`-0` is `0`),
    /// other numbers by `repr` of the double (`1.0`, `1e-07`, `1e+16`), `NaN`, `Infinity`, `-Infinity`.
    Python,
}

/// What is done to strings and names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unicode {
    /// Nothing.
    None,
    /// Normalization Form C (UAX #15). Texts that differ only in it have the same bytes then.
    Nfc,
}

impl Form {
    /// RFC 8785.
    pub const JCS: Form = Form { keys: Keys::Utf16, numbers: Numbers::Es6, ..Form::COMPACT };

    /// Members by code point, no whitespace, raw UTF-8, numbers as written: the vocabulary's default.
    pub const COMPACT: Form = Form {
        keys: Keys::Codepoint,
        top_keys: None,
        separators: Separators::Compact,
        escape: Escape::Json,
        numbers: Numbers::Verbatim,
        unicode: Unicode::None,
    };

    /// [`Form::COMPACT`] in ASCII.
    pub const COMPACT_ASCII: Form = Form { escape: Escape::Ascii, ..Form::COMPACT };

    /// Python's `json.dumps(row, sort_keys=True)`, but numbers as written.
    pub const PYTHON_DEFAULT: Form = Form { separators: Separators::Python, ..Form::COMPACT_ASCII };

    /// The form of a built-in name: `jcs`, `compact`, `compact-ascii`, `python-default`.
    pub fn builtin(name: &str) -> Option<Form> {
        match name {
            "jcs" => Some(Form::JCS),
            "compact" => Some(Form::COMPACT),
            "compact-ascii" => Some(Form::COMPACT_ASCII),
            "python-default" => Some(Form::PYTHON_DEFAULT),
            _ => None,
        }
    }

    /// Whether the form ever needs the text of a number as it stands in the line.
    pub fn needs_written(&self) -> bool {
        self.numbers != Numbers::Es6
    }

    /// Whether that may be a number below 2^53: Python's prints those from the double.
    pub fn needs_small_written(&self) -> bool {
        matches!(self.numbers, Numbers::Verbatim | Numbers::CollapseWhole)
    }

    /// Whether the form has no text for numbers that are not finite, or no order for lone surrogates.
    pub(super) fn is_of_strict_json(&self) -> bool {
        self.numbers == Numbers::Es6 || self.keys == Keys::Utf16 || self.top_keys == Some(Keys::Utf16)
    }

    /// Whether this row must be read with [`Reader::read_exact`](crate::row::Reader::read_exact)
    /// before the form can be written. Integers of up to 64 bits keep their text in any row.
    pub fn needs_exact(&self, row: &Row) -> bool {
        match self.numbers {
            Numbers::Es6 => false,
            Numbers::Verbatim | Numbers::CollapseWhole => row.has_doubles() && !row.is_exact(),
            // Only an integer beyond 64 bits is no double to Python though it is one here.
            Numbers::Python => row.has_doubles() && row.large_numbers() && !row.is_exact(),
        }
    }
}

impl Default for Form {
    /// [`Form::COMPACT`].
    fn default() -> Self {
        Form::COMPACT
    }
}
