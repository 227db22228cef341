//! `[[signature]]`: what is signed, how, and with whose key.

use super::{Compiler, axis};
use crate::algorithm::{Scheme, SignatureAlgorithm};
use crate::encoding::{Encoding, TextForm};
use crate::fact::LinkForm;
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::{Part, mentions};
use crate::profile::plan::{Axis, PinField, SignatureRule};
use crate::profile::schema::{Document, SignatureTable};

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
        let scheme = scheme(table.alg.as_deref(), table.low_s, table.namespace.as_deref())?;
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
            key: self.key(&table.key, scheme.algorithm()).under("key")?,
            scheme,
            form: signature_form(table.encoding, &table.prefix, &table.suffix),
            message,
            pin: pin.transpose().under("pin_field")?,
        })
    }
}

/// How a signature is written.
pub(super) fn signature_form(encoding: Encoding, prefix: &str, suffix: &str) -> TextForm {
    TextForm { prefix: prefix.to_owned(), suffix: suffix.to_owned(), encoding, ..TextForm::default() }
}

/// What signatures are judged by: an algorithm, with the words that go with it and no others.
pub(super) fn scheme(name: Option<&str>, low_s: bool, namespace: Option<&str>) -> Result<Scheme, Wrong> {
    let algorithm = match name {
        None => SignatureAlgorithm::default(),
        Some(name) => SignatureAlgorithm::named(name).ok_or_else(|| {
            let names: Vec<&str> = SignatureAlgorithm::ALL.iter().map(|algorithm| algorithm.name()).collect();
            Wrong::new(format!("{name:?} is no signature algorithm: {}", names.join(", "))).under("alg")
        })?,
    };
    if low_s && algorithm != SignatureAlgorithm::Es256 {
        return Err(Wrong::new("it goes with es256 only").under("low_s"));
    }
    if namespace.is_some() && algorithm != SignatureAlgorithm::Sshsig {
        return Err(Wrong::new("it goes with sshsig only").under("namespace"));
    }
    Ok(match algorithm {
        SignatureAlgorithm::Ed25519 => Scheme::Ed25519,
        SignatureAlgorithm::Es256 => Scheme::Es256 { low_s },
        SignatureAlgorithm::Rs256 => Scheme::Rs256,
        SignatureAlgorithm::HmacSha256 => Scheme::HmacSha256,
        SignatureAlgorithm::MlDsa65 => Scheme::MlDsa65,
        SignatureAlgorithm::Sshsig => {
            let needed = "sshsig needs a namespace: the same key signs other things under other names";
            let namespace = namespace.filter(|namespace| !namespace.is_empty());
            Scheme::Sshsig { namespace: namespace.ok_or_else(|| Wrong::new(needed).under("alg"))?.to_owned() }
        }
    })
}
