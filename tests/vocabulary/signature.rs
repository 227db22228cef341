//! `[[signature]]`, keys, `[head]` and `[[variant]]`.
