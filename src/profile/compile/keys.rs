//! The keys that a profile asks for.

use std::sync::Arc;

use super::Compiler;
use super::part::digest_algorithm;
use crate::algorithm::{KeyFormat, KeyWish, SignatureAlgorithm};
use crate::digest::Hkdf;
use crate::profile::locate::{Under, Wrong};
use crate::profile::plan::{Role, RoleIndex};
use crate::profile::schema::{self, HkdfTable, KeyTable};

impl Compiler {
    /// The key of a table whose algorithm this is.
    pub(super) fn key(&mut self, table: &KeyTable, algorithm: SignatureAlgorithm) -> Result<RoleIndex, Wrong> {
        let hkdf = table.hkdf.as_ref().map(hkdf).transpose().under("hkdf")?;
        if hkdf.is_some() && algorithm != SignatureAlgorithm::HmacSha256 {
            return Err(Wrong::new("only the secret of a MAC is derived").under("hkdf"));
        }
        let role = Role {
            name: table.role.as_deref().map(Arc::from),
            wish: KeyWish { algorithm, format: format(table)?, hkdf },
        };
        if let Some(known) = self.roles.iter().position(|known| *known == role) {
            return Ok(RoleIndex(known));
        }
        // One key may be used in several ways, but its file is read in one.
        let other = |known: &&Role| {
            known.name == role.name
                && (known.wish.algorithm, &known.wish.format) != (role.wish.algorithm, &role.wish.format)
        };
        if self.roles.iter().any(|known| other(&known)) {
            let name = table.role.as_deref().unwrap_or("without a name");
            let why = format!(
                "the role {name} is another kind of key, or of file, in another table: give it a role of its own"
            );
            return Err(Wrong::new(why).under("role"));
        }
        self.roles.push(role);
        Ok(RoleIndex(self.roles.len() - 1))
    }
}

fn format(table: &KeyTable) -> Result<Option<KeyFormat>, Wrong> {
    if table.format != Some(schema::KeyFormat::Json) && (table.path.is_some() || table.encoding.is_some()) {
        return Err(Wrong::new("path and encoding go with format = \"json\" only").under("format"));
    }
    Ok(match table.format {
        None => None,
        Some(schema::KeyFormat::Hex) => Some(KeyFormat::Hex),
        Some(schema::KeyFormat::Base64) => Some(KeyFormat::Base64),
        Some(schema::KeyFormat::Base64url) => Some(KeyFormat::Base64url),
        Some(schema::KeyFormat::Raw) => Some(KeyFormat::Raw),
        Some(schema::KeyFormat::Text) => Some(KeyFormat::Text),
        Some(schema::KeyFormat::SpkiPem) => Some(KeyFormat::SpkiPem),
        Some(schema::KeyFormat::Pkcs1Pem) => Some(KeyFormat::Pkcs1Pem),
        Some(schema::KeyFormat::Openssh) => Some(KeyFormat::Openssh),
        Some(schema::KeyFormat::Json) => Some(KeyFormat::Json {
            path: path(table)?,
            encoding: table.encoding.unwrap_or(crate::encoding::Encoding::Base64url),
        }),
    })
}

fn hkdf(table: &HkdfTable) -> Result<Hkdf, Wrong> {
    let hash = digest_algorithm(&table.hash).under("hash")?;
    Hkdf::new(hash, table.info.as_bytes(), table.length).map_err(Wrong::new)
}

/// The names on the way to the key in a JSON file.
fn path(table: &KeyTable) -> Result<Vec<String>, Wrong> {
    let path = table.path.as_deref().ok_or_else(|| Wrong::new("format = \"json\" needs a path").under("format"))?;
    Ok(path.split('.').map(str::to_owned).collect())
}
