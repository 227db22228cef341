//! `[[signature]]`: what is signed, how, and with whose key.

use super::hash::mentions;
use super::{Compiler, axis};
use crate::encoding::{Encoding, TextForm};
use crate::fact::LinkForm;
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::Part;
use crate::profile::plan::{Axis, PinField, SignatureRule};
use crate::profile::schema::{Document, SignatureTable};
use crate::trust::key::SignatureAlgorithm;

impl Compiler {
    pub(super) fn signature_axis(
        &mut self,
        document: &Document,
        form: &LinkForm,
    ) -> Result<Axis<Vec<SignatureRule>>, Wrong> {
        let mut halves = document.profile.recipe.split(',').map(|half| half.trim().split_once('='));
        let recipe = halves.nth(1).flatten();
        for (index, variant) in document.variant.iter().enumerate() {
            if variant.hash.is_empty() && variant.signature.is_empty() {
                let why = format!("{}: there is no [[variant.hash]] or [[variant.signature]]", variant.name);
                return Err(Wrong::new(why).item(index).under("variant"));
            }
        }
        let variants = document.variant.iter().enumerate().filter(|(_, variant)| !variant.signature.is_empty());
        let variants = variants.map(|(index, variant)| (index, variant.name.as_str(), variant.signature.as_slice()));
        axis("signature", recipe, &document.signature, variants, |table| self.signature_rule(table, form))
    }

    fn signature_rule(&mut self, table: &SignatureTable, form: &LinkForm) -> Result<SignatureRule, Wrong> {
        let algorithm = signature_algorithm(table.alg.as_deref(), table.low_s, table.namespace.as_deref())?;
        let message = self.parts(&table.message, form).under("message")?;
        let covers = |part: &Part| matches!(part, Part::Hash(_) | Part::Json(_) | Part::Member(_) | Part::Line);
        if !mentions(&message, &covers) {
            let why = "without hash, json, field or line it signs nothing of the row";
            return Err(Wrong::new(why).under("message"));
        }
        let pin = table.pin_field.as_ref().map(|pin| {
            let field = self.member(&pin.field).under("field")?;
            Ok(PinField { field, encoding: pin.encoding, skip: pin.skip })
        });
        Ok(SignatureRule {
            when: table.when.as_ref().map(|when| self.when(when)).transpose().under("when")?,
            field: self.member(&table.field).under("field")?,
            required: table.required,
            algorithm,
            low_s: table.low_s,
            namespace: table.namespace.clone().unwrap_or_default(),
            form: signature_form(table.encoding, &table.prefix, &table.suffix),
            message,
            key: self.key(&table.key, algorithm).under("key")?,
            pin: pin.transpose().under("pin_field")?,
        })
    }
}

/// How a signature is written.
pub(super) fn signature_form(encoding: Encoding, prefix: &str, suffix: &str) -> TextForm {
    TextForm { prefix: prefix.to_owned(), suffix: suffix.to_owned(), encoding, ..TextForm::default() }
}

/// A signature algorithm by its name, with the words that go with it only.
pub(super) fn signature_algorithm(
    name: Option<&str>,
    low_s: bool,
    namespace: Option<&str>,
) -> Result<SignatureAlgorithm, Wrong> {
    let algorithm = match name {
        None => SignatureAlgorithm::Ed25519,
        Some(name) => SignatureAlgorithm::named(name).ok_or_else(|| {
            let names: Vec<&str> = SignatureAlgorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
            Wrong::new(format!("{name:?} is no signature algorithm: {}", names.join(", "))).under("alg")
        })?,
    };
    if low_s && algorithm != SignatureAlgorithm::Es256 {
        return Err(Wrong::new("it goes with es256 only").under("low_s"));
    }
    match (algorithm, namespace) {
        (SignatureAlgorithm::Sshsig, None) => {
            Err(Wrong::new("sshsig needs a namespace: the same key signs other things under other names").under("alg"))
        }
        (SignatureAlgorithm::Sshsig, Some(_)) | (_, None) => Ok(algorithm),
        (_, Some(_)) => Err(Wrong::new("it goes with sshsig only").under("namespace")),
    }
}
