//! Members that are digests of something else: of a part of the row, or of a file that it names.
//!
//! A part of the row is compared here. A file is only named: reading it is the pipeline's.

use crate::fact::{Digest, Place};
use crate::finding::{Code, Finding};
use crate::profile::{Bind, Bound, FilePiece, Material, Plan, Scribe};

use super::fields::{described, shown_found};
use super::witness::{BindSeen, Witness};

/// A file that a row names, with the digest that it states of it.
#[derive(Clone, Debug)]
pub struct FileClaim<'p> {
    /// The rule that asks for it.
    pub bind: &'p Bind,
    /// Where it is, from the folder of the export; as the row has it, so that it may lead anywhere.
    pub path: String,
    /// The digest.
    pub stated: Digest,
    /// The row.
    pub place: Place,
    /// Its number.
    pub sequence: Option<u64>,
}

impl FileClaim<'_> {
    /// The fault where the file has another digest, or none, for this reason.
    pub fn broken(&self, found: Result<Digest, &str>) -> Finding {
        let finding = Finding::new(Code::BindMismatch, Some(self.place)).member(self.bind.field.name());
        let finding = finding.sequence(self.sequence);
        match found {
            Ok(found) => {
                finding.expected(self.bind.form.encode(found.bytes())).found(self.bind.form.encode(self.stated.bytes()))
            }
            Err(why) => finding.found(format!("{}: {why}", self.path)),
        }
    }
}

/// The bound members of the row that do not hold; what files must show is added to `claims`.
pub(super) fn broken<'p, W: Witness>(
    plan: &'p Plan,
    material: &Material<'_>,
    place: Place,
    scribe: &mut Scribe,
    (claims, witness): (&mut Vec<FileClaim<'p>>, &mut W),
) -> Vec<Finding> {
    let view = &material.view;
    let binds = plan.binds.iter().enumerate();
    let binds = binds.filter(|(_, bind)| bind.when.as_ref().is_none_or(|when| when.holds(view)));
    binds.filter_map(|bind| one(bind, material, place, scribe, (&mut *claims, &mut *witness))).collect()
}

/// What is wrong with a bound member.
fn one<'p, W: Witness>(
    (index, bind): (usize, &'p Bind),
    material: &Material<'_>,
    place: Place,
    scribe: &mut Scribe,
    (claims, witness): (&mut Vec<FileClaim<'p>>, &mut W),
) -> Option<Finding> {
    let finding = |code| Finding::new(code, Some(place));
    let member = |code| finding(code).member(bind.field.name());
    let Some(found) = bind.field.find(&material.view) else { return Some(member(Code::FieldMissing)) };
    let text = found.as_str();
    let malformed = || {
        member(Code::BindMismatch).expected(described(&bind.form, bind.algorithm.length())).found(shown_found(found))
    };
    let parts = match &bind.bound {
        Bound::Parts(parts) => parts,
        Bound::File(pieces) => {
            let stated = text.and_then(|text| Digest::read(&bind.form, text, bind.algorithm.length()));
            let Some(stated) = stated else { return Some(malformed()) };
            match path(pieces, &stated, material) {
                Ok(path) => claims.push(FileClaim { bind, path, stated, place, sequence: None }),
                Err((name, code)) => return Some(finding(code).member(name)),
            }
            return None;
        }
    };
    let mut bytes = Vec::new();
    if let Err(unwritten) = scribe.write(parts, material, &mut bytes) {
        // Where it needs something of the row before that is not known, nothing can be said.
        return super::told(unwritten, place, &[]);
    }
    let digest = bind.algorithm.digest(&bytes, None)?;
    let holds = text.is_some_and(|text| bind.form.spells(text, digest.bytes()));
    if W::WATCHES {
        witness.bind(&BindSeen { bind: index, computed: &bind.form.encode(digest.bytes()), holds });
    }
    match text {
        _ if holds => None,
        Some(_) => {
            Some(member(Code::BindMismatch).expected(bind.form.encode(digest.bytes())).found(shown_found(found)))
        }
        None => Some(malformed()),
    }
}

/// The path that these pieces are in this row; else the member that is absent or no text.
fn path(pieces: &[FilePiece], stated: &Digest, material: &Material<'_>) -> Result<String, (String, Code)> {
    let mut path = String::new();
    for piece in pieces {
        match piece {
            FilePiece::Text(text) => path.push_str(text),
            FilePiece::Hex => data_encoding::HEXLOWER.encode_append(stated.bytes(), &mut path),
            FilePiece::Member(field) => {
                let name = || field.name().to_owned();
                let found = field.find(&material.view).ok_or_else(|| (name(), Code::FieldMissing))?;
                let number = || found.value()?.as_number()?.as_exact_u64().map(|number| number.to_string());
                match found.as_str() {
                    Some(text) => path.push_str(text),
                    None => path.push_str(&number().ok_or_else(|| (name(), Code::FieldMalformed))?),
                }
            }
        }
    }
    Ok(path)
}
