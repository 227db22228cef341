//! Details: what other forms of a report need and nothing else in its JSON says, so that a JSON report can be
//! shown in any form later. They follow from the profile's text and the rows, and are no part of the report id.

use serde_json::{Value, json};

use super::Report;
use super::identity::optional;
use crate::fact::Place;
use crate::incident::Detail;
use crate::report::identity::text;

/// The member of the JSON report.
pub(super) fn value(report: &Report) -> Value {
    let profile = &report.profile;
    let chain = |chain: &super::ChainFacts| json!({ "last_time": optional(chain.last_time.as_deref()), "pin": optional(chain.pin.as_deref()) });
    let declared = report.declared.iter().flatten().map(|declared| {
        let Place { offset, length, .. } = declared.place;
        json!({ "offset": offset, "length": length })
    });
    json!({
        "profile": {
            "in_document": profile.in_document,
            "default_recipe": profile.default_recipe,
            "home": profile.format.home,
            "sha1": profile.format.sha1,
            "links_only": profile.format.links_only,
            "partly_signed": profile.format.partly_signed,
            "reprints": profile.format.reprints,
        },
        "chains": report.chains.iter().map(chain).collect::<Vec<_>>(),
        "declared_breaks": declared.collect::<Vec<_>>(),
    })
}

/// What else the story of an incident needs.
pub(super) fn of_incident(detail: &Detail) -> Value {
    match detail {
        Detail::None => Value::Null,
        Detail::Signature(holds) => json!({ "signature": holds }),
        Detail::Order(parts) => json!({ "order": parts }),
        Detail::Other(sequence) => json!({ "other": sequence }),
        Detail::Code(code) => json!({ "code": code.name() }),
        Detail::Stated { stated, found } => json!({ "stated": { "stated": text(stated), "found": text(found) } }),
        Detail::Head { sequence, digest } => json!({ "head": { "sequence": sequence, "digest": text(digest) } }),
    }
}
