//! `[head]`: an anchor in a file of its own.

use super::Compiler;
use super::cover::covers;
use super::signature::{scheme, signature_form};
use crate::fact::LinkForm;
use crate::profile::field::Path;
use crate::profile::locate::{Under, Wrong};
use crate::profile::parts::{Part, mentions};
use crate::profile::pin::PinForm;
use crate::profile::plan::{HeadFields, HeadPlan, HeadSignature, StoreForm};
use crate::profile::schema::{HeadFormat, HeadSignatureTable, HeadTable, StoreWord};

impl Compiler {
    /// How an anchor file is read; `None` where the table is about pins alone.
    pub(super) fn head(&mut self, table: &HeadTable, form: &LinkForm) -> Result<Option<HeadPlan>, Wrong> {
        let path = |path: &Option<String>| path.as_deref().map(Path::new);
        let members = [
            ("group", &table.group),
            ("count", &table.count),
            ("first_seq", &table.first_seq),
            ("seq", &table.seq),
            ("hash", &table.hash),
            ("exported_at", &table.exported_at),
            ("file_sha256", &table.file_sha256),
        ];
        if table.format == HeadFormat::Text {
            if let Some((key, _)) = members.iter().find(|(_, path)| path.is_some()) {
                return Err(Wrong::new("a text is the head and nothing else").under(key));
            }
            if table.signature.is_some() {
                return Err(Wrong::new("a text is the head and nothing else").under("signature"));
            }
            return Ok(Some(HeadPlan::Text));
        }
        let alone = table.signature.is_none() && members.iter().all(|(_, path)| path.is_none());
        if alone && (table.pin.is_some() || table.witness.is_some()) {
            return Ok(None);
        }
        let hash = path(&table.hash).ok_or_else(|| Wrong::new("it needs hash, the member that states the head"))?;
        let signature = table.signature.as_ref().map(|signature| self.head_signature(signature, &hash, form));
        Ok(Some(HeadPlan::Json(Box::new(HeadFields {
            group: path(&table.group),
            count: path(&table.count),
            first_sequence: path(&table.first_seq),
            last_sequence: path(&table.seq),
            hash,
            exported_at: path(&table.exported_at),
            file_sha256: path(&table.file_sha256),
            signature: signature.transpose().under("signature")?,
        }))))
    }

    /// How pinned heads are written and how a witness keeps them.
    pub(super) fn pins(
        table: &HeadTable,
        digits: Option<usize>,
    ) -> Result<(Option<PinForm>, Option<StoreForm>), Wrong> {
        let pin =
            table.pin.as_deref().map(|text| PinForm::new(text, digits)).transpose().map_err(Wrong::new).under("pin")?;
        let store = table.witness.map(|word| match word {
            StoreWord::PinChain => StoreForm::PinChain,
        });
        Ok((pin, store))
    }

    fn head_signature(
        &mut self,
        table: &HeadSignatureTable,
        stated: &Path,
        form: &LinkForm,
    ) -> Result<HeadSignature, Wrong> {
        let scheme = scheme(table.alg.as_deref(), table.low_s, table.namespace.as_deref())?;
        // A path in the file, never a member of a row.
        let aliases = std::mem::take(&mut self.aliases);
        let message = self.parts(&table.message, form).under("message");
        self.aliases = aliases;
        let message = message?;
        if mentions(&message, &|part| matches!(part, Part::Prev(_) | Part::Hash(_) | Part::Line)) {
            return Err(Wrong::new("an anchor file has neither prev, hash nor line").under("message"));
        }
        if !covers(&table.message, &stated.text()) {
            return Err(Wrong::new("it leaves the head open, which is what it should vouch for").under("message"));
        }
        Ok(HeadSignature {
            field: Path::new(&table.field),
            key: self.key(&table.key, scheme.algorithm()).under("key")?,
            scheme,
            form: signature_form(table.encoding, &table.prefix, &table.suffix),
            message,
        })
    }
}
