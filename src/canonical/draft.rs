//! What a form writes of rows of one shape, but for their scalars.
//!
//! Rows of one shape have the same names in the same order and nesting. Under a selection that does not look
//! at values, what is written of them differs in strings, numbers and words alone: which of these stand where,
//! and every byte between them, is the same. The writer notes it once for each shape; it decides nothing anew.

use std::collections::HashMap;

use rustc_hash::FxBuildHasher;

use super::{Form, Select};
use crate::row::Value;

/// Drafts that are kept.
const MOST: usize = 1 << 10;

/// Bytes of the longest one.
const LONGEST: usize = 1 << 16;

/// The drafts of one writer.
#[derive(Debug, Default)]
pub(super) struct Drafts {
    known: HashMap<Key, Draft, FxBuildHasher>,
}

/// What a draft depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) struct Key {
    shape: u64,
    select: u64,
    value: u32,
    form: Form,
}

/// A written value without its scalars.
#[derive(Debug, Default)]
pub(super) struct Draft {
    text: Vec<u8>,
    /// How much of the text stands before each scalar, and its index on the tape.
    scalars: Vec<(u32, u32)>,
}

impl Key {
    /// Of what is written of this value; `None` where that depends on more.
    pub fn of(value: Value<'_>, select: &Select, form: &Form) -> Option<Self> {
        let shape = value.row().shape()?;
        (!select.looks_at_values()).then(|| Key { shape, select: select.identity(), value: value.index(), form: *form })
    }
}

impl Drafts {
    /// The draft for this key, if it was made.
    pub fn get(&self, key: Key) -> Option<&Draft> {
        self.known.get(&key)
    }

    /// Keeps the draft of what was written, in which `scalars` stand: their indices and where.
    pub fn keep(&mut self, key: Key, written: &[u8], scalars: &[(u32, usize, usize)]) {
        if self.known.len() == MOST || written.len() > LONGEST {
            return;
        }
        let mut draft = Draft::default();
        let mut at = 0;
        for (index, start, end) in scalars {
            draft.text.extend_from_slice(written.get(at..*start).unwrap_or_default());
            draft.scalars.push((draft.text.len() as u32, *index));
            at = *end;
        }
        draft.text.extend_from_slice(written.get(at..).unwrap_or_default());
        self.known.insert(key, draft);
    }
}

impl Draft {
    /// Appends the draft; `scalar` appends each scalar in its place.
    #[inline(always)]
    pub fn write<E>(
        &self,
        out: &mut Vec<u8>,
        mut scalar: impl FnMut(u32, &mut Vec<u8>) -> Result<(), E>,
    ) -> Result<(), E> {
        let mut at = 0;
        for (end, index) in &self.scalars {
            let end = *end as usize;
            out.extend_from_slice(self.text.get(at..end).unwrap_or_default());
            scalar(*index, out)?;
            at = end;
        }
        out.extend_from_slice(self.text.get(at..).unwrap_or_default());
        Ok(())
    }
}
