//! Places: where in the export something stands. Apart from the other facts, so that findings can have
//! one and facts can have findings.

/// Where something stands in the export.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    /// Index of the export argument, from 0.
    pub part: u32,
    /// Physical line within the part, from 1.
    pub line: u64,
    /// Byte offset of the line within the part.
    pub offset: u64,
    /// Bytes of the line without its LF.
    pub length: u64,
}
