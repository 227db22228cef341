//! Messages that signatures are often over, for one that fails over the message of its profile.

use super::parts::{Json, Named, Part};
use super::plan::{HashRule, Plan, SignatureRule};
use crate::canonical::{Form, Select, SelectSpec};
use crate::encoding::Encoding;
use crate::fact::NameForm;

impl Plan {
    /// Messages with their names, those that are made of the digest first.
    pub fn guesses(&self, rule: &SignatureRule, hash: Option<&HashRule>) -> Vec<(String, Vec<Part>)> {
        let (prefix, encoding) = match &self.form.names {
            NameForm::Encoded { form, .. } => (form.prefix.clone(), form.encoding),
            NameForm::Text { affixes } => {
                (affixes.first().map_or_else(String::new, |(prefix, _)| prefix.clone()), Encoding::Hex)
            }
        };
        let named = |named| vec![Part::Hash(named)];
        let mut all = vec![
            ("the digest's text".to_owned(), named(Named::Text { strip: String::new() })),
            ("the digest's raw bytes".to_owned(), named(Named::Raw { encoding })),
        ];
        if !prefix.is_empty() {
            all.push(("the digest's text without its prefix".to_owned(), named(Named::Text { strip: prefix })));
        }
        if let Some(hash) = hash {
            all.push(("the preimage of the digest".to_owned(), hash.preimage.clone()));
        }
        all.push(("the exact line".to_owned(), vec![Part::Line]));
        let whole = |field: &super::field::Field| field.is_whole().then(|| field.path.text());
        let (signature, digest) = (whole(&rule.field), self.fields.hash.as_ref().and_then(whole));
        let without = [
            signature.iter().cloned().collect::<Vec<String>>(),
            signature.iter().chain(&digest).cloned().collect(),
            digest.iter().cloned().collect(),
            Vec::new(),
        ];
        for name in ["jcs", "compact", "compact-ascii", "python-default"] {
            let Some(form) = Form::builtin(name) else { continue };
            for exclude in &without {
                let left_out =
                    if exclude.is_empty() { String::new() } else { format!(" without {}", exclude.join(", ")) };
                let spec = SelectSpec { exclude: exclude.clone(), ..SelectSpec::default() };
                let Ok(select) = Select::new(&spec) else { continue };
                let json = Json { within: None, spec, select, form, low_bytes: false, replacements: Vec::new() };
                all.push((format!("the row{left_out} in the form {name}"), vec![Part::Json(Box::new(json))]));
            }
        }
        all
    }
}
