//! A ledger format as data: a TOML profile, compiled once into the plan that checks every row.
//!
//! docs/profiles.md is the vocabulary. A profile states which members are the chain's, which bytes are
//! hashed and signed, and how rows hang together; nothing of a format is in code, the home format's
//! profile is `builtin/void.toml`.

mod builtin;
mod compile;
mod declared;
mod field;
mod guess;
mod line;
mod locate;
mod outline;
mod parts;
mod plan;
mod schema;
mod shape;
mod vary;
mod view;

pub use declared::{Stated, pinned};
pub use field::{Field, Found, Path};
pub use line::{LineReader, Refused};
pub use outline::Piece;
pub use parts::{Material, Naming, Neighbour, Part, Scribe, Unwritten};
pub use plan::{
    Algorithm, Axis, Bind, Bound, ChainPlan, Covered, DeclaredPlan, Fields, FilePiece, Genesis, HashRule, HeadFields,
    HeadPlan, HeadSignature, Input, Layout, PinField, Plan, ReversalPlan, Role, RoleIndex, SignatureRule, Source, When,
};
pub use shape::{Likeness, Shape};
pub use vary::{Deviation, End, GenesisForm, PrevForm};
pub use view::{Opened, View};

use crate::stop::{Stop, StopCode};

/// The name of the home format's profile.
pub const HOME: &str = "void";

/// The names of the built-in profiles, the home format's first.
pub fn names() -> impl Iterator<Item = &'static str> {
    builtin::PROFILES.iter().map(|(name, _)| *name)
}

/// The TOML text of a built-in profile.
///
/// # Errors
///
/// A stop of the kind `profile` if there is none of this name.
pub fn text(name: &str) -> Result<&'static str, Stop> {
    builtin::PROFILES.iter().find(|(known, _)| *known == name).map(|(_, text)| *text).ok_or_else(|| {
        let known: Vec<&str> = names().collect();
        Stop::new(StopCode::Profile, format!("there is no built-in profile named {name}"))
            .hint(format!("built in: {}; a profile of your own is given as FILE.toml", known.join(", ")))
    })
}

/// The plan of a built-in profile.
///
/// # Errors
///
/// A stop of the kind `profile` if there is none of this name.
pub fn builtin(name: &str) -> Result<Plan, Stop> {
    compile::compile(text(name)?, name, Source::Builtin)
}

/// The plan of a profile's TOML text, which came from `origin` (a file name, for messages).
///
/// # Errors
///
/// A stop of the kind `profile` that names the key and the line, for an unknown key, a wrong type or a
/// combination that cannot be.
pub fn from_toml(text: &str, origin: &str) -> Result<Plan, Stop> {
    compile::compile(text, origin, Source::File)
}
