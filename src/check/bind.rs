//! Members that are digests of something else: of a part of the row.

use crate::fact::Place;
use crate::finding::{Code, Finding};
use crate::profile::{Bind, Bound, Found, Material, Plan, Scribe, Unwritten};

use super::fields::{described, shown_found};
use super::witness::{BindSeen, Witness};

/// The bound members of the row that do not hold.
pub(super) fn broken<W: Witness>(
    plan: &Plan,
    material: &Material<'_>,
    place: Place,
    scribe: &mut Scribe,
    witness: &mut W,
) -> Vec<Finding> {
    let view = &material.view;
    let binds = plan.binds.iter().enumerate();
    let binds = binds.filter(|(_, bind)| bind.when.as_ref().is_none_or(|when| when.holds(view)));
    binds.filter_map(|(index, bind)| one((index, bind), material, place, scribe, witness)).collect()
}

fn one<W: Witness>(
    (index, bind): (usize, &Bind),
    material: &Material<'_>,
    place: Place,
    scribe: &mut Scribe,
    witness: &mut W,
) -> Option<Finding> {
    let finding = |code| Finding::new(code, Some(place)).member(bind.field.name());
    let Some(found) = bind.field.find(&material.view) else { return Some(finding(Code::FieldMissing)) };
    let Bound::Parts(parts) = &bind.bound else { return None };
    let mut bytes = Vec::new();
    match scribe.write(parts, material, &mut bytes) {
        Ok(()) => {}
        // What it needs of the row before is not known.
        Err(Unwritten::Unknown) => return None,
        Err(Unwritten::Missing(member)) => return Some(Finding::new(Code::FieldMissing, Some(place)).member(member)),
        Err(Unwritten::Malformed(member)) => {
            return Some(Finding::new(Code::FieldMalformed, Some(place)).member(member));
        }
    }
    let digest = bind.algorithm.digest(&bytes, None)?;
    let text = found.as_str();
    let holds = text.is_some_and(|text| bind.form.spells(text, digest.bytes()));
    if W::WATCHES {
        witness.bind(&BindSeen { bind: index, computed: &bind.form.encode(digest.bytes()), holds });
    }
    if holds {
        return None;
    }
    let expected = match text {
        Some(_) => bind.form.encode(digest.bytes()),
        None => described(&bind.form, bind.algorithm.length()),
    };
    Some(finding(Code::BindMismatch).expected(expected).found(shown(found)))
}

fn shown(found: Found<'_>) -> String {
    shown_found(found)
}
