//! `[[hash]]` and `[[bind]]`: what is hashed, and how digests are written.

use std::collections::BTreeMap;

use super::part::{digest_algorithm, hex};
use super::{Compiler, axis};
use crate::algorithm::SignatureAlgorithm;
use crate::encoding::TextForm;
use crate::fact::{LinkForm, NameForm};
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::{Part, mentions};
use crate::profile::plan::{Algorithm, Axis, Bind, Bound, FilePiece, HashRule};
use crate::profile::schema::{BindTable, Claims, Document, GenesisWord, HashTable, LinkedBy};

impl Compiler {
    /// How links are written: as bytes where every digest is encoded alike.
    pub(super) fn link_form(&self, document: &Document) -> Result<LinkForm, Wrong> {
        let genesis = match &document.chain.genesis {
            GenesisWord::Text(text) => text.clone(),
            GenesisWord::Table(_) => String::new(),
        };
        let variants = document.variant.iter().flat_map(|variant| &variant.hash);
        let mut forms = Vec::new();
        let mut lengths = Vec::new();
        for (index, table) in document.hash.iter().chain(variants).enumerate() {
            let form = text_form(table);
            // What is wrong in a variant is told again, with its place, when the variant is compiled.
            let algorithm = self.algorithm(table);
            if let (Ok(form), Ok(algorithm)) = (form, algorithm) {
                forms.push(form);
                lengths.extend(algorithm.lengths());
            } else if index < document.hash.len() {
                text_form(table).item(index).under("hash")?;
                self.algorithm(table).item(index).under("hash")?;
            }
        }
        lengths.sort_unstable();
        lengths.dedup();
        let alike = forms.iter().all(|form| Some(form) == forms.first() && form.truncate.is_none());
        let names = match forms.first() {
            Some(form) if alike && document.chain.link == LinkedBy::Hash && document.chain.claims == Claims::Digest => {
                NameForm::Encoded { form: form.clone(), lengths }
            }
            _ => {
                // The longest first: the empty one fits every text.
                let mut affixes: Vec<_> = forms.into_iter().map(|form| (form.prefix, form.suffix)).collect();
                affixes.sort_by_key(|(prefix, suffix)| std::cmp::Reverse(prefix.len() + suffix.len()));
                NameForm::Text { affixes }
            }
        };
        Ok(LinkForm { names, genesis })
    }

    pub(super) fn hash_axis(&mut self, document: &Document, form: &LinkForm) -> Result<Axis<Vec<HashRule>>, Wrong> {
        if document.hash.is_empty() && document.chain.link == LinkedBy::Hash {
            return Err(Wrong::new("there is no [[hash]]: nothing would be checked"));
        }
        let mut halves = document.profile.recipe.split(',').map(|half| half.trim().split_once('='));
        let variants = document.variant.iter().enumerate().filter(|(_, variant)| !variant.hash.is_empty());
        let variants = variants.map(|(index, variant)| (index, variant.name.as_str(), variant.hash.as_slice()));
        axis("hash", halves.next().flatten(), &document.hash, variants, |table| self.hash_rule(table, form))
    }

    fn hash_rule(&mut self, table: &HashTable, form: &LinkForm) -> Result<HashRule, Wrong> {
        let algorithm = self.algorithm(table)?;
        let key = match (algorithm.is_mac(), &table.key) {
            (true, Some(key)) => Some(self.key(key, SignatureAlgorithm::HmacSha256).under("key")?),
            (true, None) => Some(self.key(&Default::default(), SignatureAlgorithm::HmacSha256)?),
            (false, Some(_)) => return Err(Wrong::new("it goes with a MAC, hmac-sha256, only").under("key")),
            (false, None) => None,
        };
        let preimage = self.parts(&table.preimage, form).under("preimage")?;
        if mentions(&preimage, &|part| matches!(part, Part::Hash(_))) {
            return Err(Wrong::new("a digest is no part of what it is the digest of").under("preimage"));
        }
        if !mentions(&preimage, &|part| matches!(part, Part::Json(_) | Part::Member(_) | Part::Line)) {
            let why = "without json, field or line the digest covers nothing that the row says";
            return Err(Wrong::new(why).under("preimage"));
        }
        Ok(HashRule {
            when: table.when.as_ref().map(|when| self.when(when)).transpose().under("when")?,
            algorithm,
            key,
            preimage,
            form: text_form(table)?,
        })
    }

    /// The pieces of a bound file's path.
    fn file(&self, template: &str) -> Result<Vec<FilePiece>, Wrong> {
        let mut pieces = Vec::new();
        let mut rest = template;
        while let Some((text, more)) = rest.split_once('{') {
            let Some((name, after)) = more.split_once('}') else {
                return Err(Wrong::new(format!("{template:?}: a brace is not closed")));
            };
            pieces.push(FilePiece::Text(text.to_owned()));
            pieces.push(if name == "hex" { FilePiece::Hex } else { FilePiece::Member(self.member(name)?) });
            rest = after;
        }
        if rest.contains('}') {
            return Err(Wrong::new(format!("{template:?}: a brace is not opened")));
        }
        pieces.push(FilePiece::Text(rest.to_owned()));
        Ok(pieces)
    }

    fn algorithm(&self, table: &HashTable) -> Result<Algorithm, Wrong> {
        let fixed = table.alg.as_deref().map(digest_algorithm).transpose().under("alg")?;
        let Some(field) = &table.alg_field else {
            if !table.alg_map.is_empty() {
                return Err(Wrong::new("it translates what alg_field says, and there is no alg_field").under("alg_map"));
            }
            return Ok(Algorithm::Fixed(fixed.unwrap_or_default()));
        };
        let mut names = BTreeMap::new();
        for (name, algorithm) in &table.alg_map {
            names.insert(name.clone(), digest_algorithm(algorithm).under(name).under("alg_map")?);
        }
        Ok(Algorithm::Named { field: self.member(field).under("alg_field")?, names, default: fixed })
    }

    pub(super) fn bind(&mut self, table: &BindTable, form: &LinkForm) -> Result<Bind, Wrong> {
        let bound = match (&table.preimage, &table.file) {
            (Some(parts), None) => Bound::Parts(self.parts(parts, form).under("preimage")?),
            (None, Some(file)) => {
                let escapes = file.starts_with(['/', '\\']) || file.split(['/', '\\']).any(|piece| piece == "..");
                if escapes || file.is_empty() {
                    return Err(Wrong::new("it is a path inside the folder of the export").under("file"));
                }
                Bound::File(self.file(file).under("file")?)
            }
            _ => return Err(Wrong::new("it is the digest of preimage = [parts] or of file = \"path\"")),
        };
        let algorithm = table.alg.as_deref().map(digest_algorithm).transpose().under("alg")?.unwrap_or_default();
        if algorithm.is_mac() {
            return Err(Wrong::new("a bound digest has no key: it cannot be a MAC").under("alg"));
        }
        Ok(Bind {
            when: table.when.as_ref().map(|when| self.when(when)).transpose().under("when")?,
            field: self.member(&table.field).under("field")?,
            algorithm,
            form: TextForm {
                prefix: table.prefix.clone(),
                suffix: table.suffix.clone(),
                encoding: table.encoding,
                ..TextForm::default()
            },
            bound,
        })
    }
}

/// How a table writes its digests.
fn text_form(table: &HashTable) -> Result<TextForm, Wrong> {
    if table.truncate == Some(0) {
        return Err(Wrong::new("nothing is left of the digest").under("truncate"));
    }
    Ok(TextForm {
        prefix: table.prefix.clone(),
        suffix: table.suffix.clone(),
        encoding: table.encoding,
        wrap: table.wrap_hex.as_deref().map(hex).transpose().under("wrap_hex")?.unwrap_or_default(),
        truncate: table.truncate,
    })
}
