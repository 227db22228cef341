//! `[chain]` and `[[link]]`: how rows hang together.

use super::Compiler;
use super::part::digest_algorithm;
use crate::encoding::TextForm;
use crate::fact::LinkForm;
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::{Part, mentions};
use crate::profile::plan::{ChainPlan, DeclaredPlan, Fields, Genesis};
use crate::profile::schema::{
    ChainTable, Claims, DeclaredTable, Document, Gaps, GenesisTable, GenesisWord, Grade, LinkedBy, Numbers, PartTable,
    PartWord, Scalar,
};

impl Compiler {
    pub(super) fn chain(&mut self, document: &Document, fields: &Fields, form: &LinkForm) -> Result<ChainPlan, Wrong> {
        let table = &document.chain;
        let here = |wrong: Wrong| wrong.under("chain");
        let sequence_starts = match &table.seq_start {
            None => vec![0],
            Some(Numbers::One(number)) => vec![*number],
            Some(Numbers::Many(numbers)) => numbers.clone(),
        };
        if sequence_starts.is_empty() {
            return Err(here(Wrong::new("it needs a number").under("seq_start")));
        }
        if table.seq_step == Some(0) {
            return Err(here(Wrong::new("numbers must grow: it is at least 1").under("seq_step")));
        }
        let numbering = [
            ("seq_start", table.seq_start.is_some()),
            ("seq_step", table.seq_step.is_some()),
            ("gaps", table.gaps == Gaps::Allow),
        ];
        if let (None, Some((key, _))) = (&fields.sequence, numbering.iter().find(|(_, there)| *there)) {
            return Err(here(Wrong::new("rows have no number: [fields] names no seq").under(key)));
        }
        if table.single_group && fields.group.is_none() {
            return Err(here(Wrong::new("it needs group_by, the member that must not change").under("single_group")));
        }
        let linked_by = self.linked_by(table).map_err(here)?;
        let equalities = document.link.iter().enumerate().map(|(index, link)| {
            let field = self.member(&link.field).under("field").item(index).under("link")?;
            let previous = self.member(&link.previous).under("previous").item(index).under("link")?;
            Ok((field, self.carry(previous)))
        });
        let equalities = equalities.collect::<Result<Vec<_>, Wrong>>()?;
        if fields.prev.is_none() && (!enters(&document.hash, |table| &table.preimage) || linked_by.is_some()) {
            let why = "nothing links the rows: [fields] names no prev, and not every preimage has { prev = … } in it";
            return Err(here(Wrong::new(why)));
        }
        if fields.prev.is_none() && fields.hash.is_none() {
            return Err(here(Wrong::new("rows state no digest at all: [fields] names neither prev nor hash")));
        }
        if table.claims == Claims::Text && (fields.prev.is_some() || fields.hash.is_none()) {
            let why = "\"text\" is for rows that state their digest and no predecessor: [fields] hash without prev";
            return Err(here(Wrong::new(why).under("claims")));
        }
        Ok(ChainPlan {
            genesis: self.genesis(&table.genesis, form).under("genesis").map_err(here)?,
            sequence_starts,
            sequence_step: table.seq_step.unwrap_or(1),
            gaps: table.gaps == Gaps::Allow,
            single_group: table.single_group,
            linked_by,
            prechain: table.prechain == Grade::Bound,
            reset: table.reset == Grade::Bound,
            literal: table.claims == Claims::Text,
            equalities,
        })
    }

    /// `[declared]`: rows that declare a break.
    pub(super) fn declared(&self, table: &DeclaredTable) -> Result<DeclaredPlan, Wrong> {
        let when = self.when(&table.when).under("when")?;
        let Some(Scalar::Text(text)) = &table.when.equals else {
            return Err(
                Wrong::new("it is { field = …, equals = a text }, which the line holds as it stands").under("when")
            );
        };
        if text.is_empty() || text.bytes().any(|byte| !byte.is_ascii_graphic() || matches!(byte, b'"' | b'\\')) {
            let why = "it is searched for in the bytes of lines: ASCII letters, digits and signs, without quotes";
            return Err(Wrong::new(why).under("equals").under("when"));
        }
        Ok(DeclaredPlan {
            when,
            text: text.clone(),
            line: self.member(&table.line).under("line")?,
            sha256: self.member(&table.sha256).under("sha256")?,
            why: self.member(&table.why).under("why")?,
            resume: table.resume.as_deref().map(|field| self.member(field)).transpose().under("resume")?,
        })
    }

    fn linked_by(&self, table: &ChainTable) -> Result<Option<crate::profile::Field>, Wrong> {
        match (table.link, &table.link_field) {
            (LinkedBy::Hash, None) => Ok(None),
            (LinkedBy::Hash, Some(_)) => Err(Wrong::new("it goes with link = \"signature\" only").under("link_field")),
            (LinkedBy::Signature, None) => Err(Wrong::new("it needs link_field, the signature's member").under("link")),
            (LinkedBy::Signature, Some(field)) => self.member(field).map(Some).under("link_field"),
        }
    }

    fn genesis(&mut self, word: &GenesisWord, form: &LinkForm) -> Result<Genesis, Wrong> {
        let table = match word {
            GenesisWord::Text(text) => return Ok(Genesis::Text(text.clone())),
            GenesisWord::Table(table) => table,
        };
        match **table {
            GenesisTable { null: Some(true), param: None, field: None, digest: None, of: None, .. } => {
                Ok(Genesis::Null)
            }
            GenesisTable { null: None, param: Some(true), field: None, digest: None, of: None, .. } => {
                Ok(Genesis::Given)
            }
            GenesisTable { null: None, param: None, field: Some(ref field), digest: None, of: None, .. } => {
                self.member(field).map(Genesis::Field).under("field")
            }
            GenesisTable {
                null: None, param: None, field: None, digest: Some(ref digest), of: Some(ref of), ..
            } => {
                let of = self.parts(of, form).under("of")?;
                if mentions(&of, &|part| matches!(part, Part::Hash(_) | Part::Prev(_))) {
                    return Err(Wrong::new("a first row has neither prev nor hash before its genesis").under("of"));
                }
                Ok(Genesis::Digest {
                    of,
                    algorithm: digest_algorithm(digest).under("digest")?,
                    form: TextForm {
                        prefix: table.prefix.clone(),
                        suffix: table.suffix.clone(),
                        encoding: table.encoding,
                        ..TextForm::default()
                    },
                })
            }
            _ => Err(Wrong::new(
                "it is a text, { null = true }, { param = true }, { field = … } or { digest = …, of = [parts] }",
            )),
        }
    }
}

/// Whether `{ prev = … }` stands in the parts of every one of these tables.
fn enters<T>(tables: &[T], parts: impl Fn(&T) -> &Vec<PartWord>) -> bool {
    fn has_prev(words: &[PartWord]) -> bool {
        words.iter().any(|word| match word {
            PartWord::Text(_) => false,
            PartWord::Table(table) => {
                let PartTable { prev, of, .. } = &**table;
                prev.is_some() || of.as_deref().is_some_and(has_prev)
            }
        })
    }
    !tables.is_empty() && tables.iter().all(|table| has_prev(parts(table)))
}
