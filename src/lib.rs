//! ledger-verify proves, offline, whether an exported ledger is whole.
//!
//! A byte of an export flows one way through this crate:
//!
//! | step | module | what happens |
//! |---|---|---|
//! | read | [`read`] | a file becomes exact row slices with line numbers and offsets |
//! | row | [`row`] | a slice becomes a strict JSON row |
//! | canonical | [`canonical`] | a row becomes the bytes a format hashes |
//! | profile | [`profile`] | a format's description is compiled to a plan |
//! | check | [`check`] | digest and signature of one row |
//! | chain | [`chain`] | links, sequence and reversals, over small facts in file order |
//! | trust | [`trust`] | what stands outside the file: keys, manifest, pinned heads |
//! | verdict | [`verdict`] | counts and findings become one of three words |
//! | incident | [`incident`] | neighbouring faults become stories |
//! | report | [`report`] | one model, as text and as JSON |
//!
//! [`pipeline`] owns the threads and [`cli`] the terminal. A [`finding::Finding`] is data about the
//! export and never ends a run; a [`stop::Stop`] ends it and says nothing about the export.

pub mod algorithm;
pub mod audit;
pub mod canonical;
pub mod chain;
pub mod check;
pub mod cli;
pub mod digest;
pub mod encoding;
pub mod fact;
pub mod finding;
pub mod incident;
pub mod pipeline;
pub mod place;
pub mod profile;
pub mod read;
pub mod report;
pub mod row;
pub mod stop;
pub mod trust;
pub mod verdict;
