//! Key files: every form that is accepted, everything that is refused, and what holds of any file.

mod files;
mod forms;
mod properties;
mod refusals;
