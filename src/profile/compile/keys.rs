//! The keys that a profile asks for.

use super::Compiler;
use super::part::digest_algorithm;
use crate::digest::Hkdf;
use crate::profile::locate::{Under, Wrong};
use crate::profile::plan::{Role, UsedKey};
use crate::profile::schema::{self, HkdfTable, KeyTable};
use crate::trust::key::{KeyFormat, KeyWish, SignatureAlgorithm};

impl Compiler {
    /// The secret of a MAC.
    pub(super) fn mac_key(&mut self, table: &KeyTable) -> Result<UsedKey, Wrong> {
        self.key(table, SignatureAlgorithm::HmacSha256)
    }

    /// The key of a table whose algorithm this is.
    pub(super) fn key(&mut self, table: &KeyTable, algorithm: SignatureAlgorithm) -> Result<UsedKey, Wrong> {
        let derived = table.hkdf.as_ref().map(hkdf).transpose().under("hkdf")?;
        if derived.is_some() && algorithm != SignatureAlgorithm::HmacSha256 {
            return Err(Wrong::new("only the secret of a MAC is derived").under("hkdf"));
        }
        let wish = KeyWish { algorithm, format: format(table)? };
        let known = self.roles.iter().position(|role| role.name == table.role);
        let role = match known {
            None => {
                self.roles.push(Role { name: table.role.clone(), wish });
                self.roles.len() - 1
            }
            Some(role) if self.roles.get(role).is_some_and(|known| known.wish == wish) => role,
            Some(_) => {
                let name = table.role.as_deref().unwrap_or("without a name");
                let why = format!("the role {name} is another kind of key, or another format, in another table");
                return Err(Wrong::new(why).under("role"));
            }
        };
        Ok(UsedKey { role, derived })
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
            path: table.path.clone().ok_or_else(|| Wrong::new("format = \"json\" needs a path").under("format"))?,
            encoding: table.encoding.unwrap_or(crate::encoding::Encoding::Base64url),
        }),
    })
}

fn hkdf(table: &HkdfTable) -> Result<Hkdf, Wrong> {
    let hash = digest_algorithm(&table.hash).under("hash")?;
    Hkdf::new(hash, &table.info, table.length).map_err(Wrong::new)
}
