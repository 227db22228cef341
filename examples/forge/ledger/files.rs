//! A ledger as the files that an auditor is handed: export, key, manifest.

use std::fs::{self, File};
use std::io::{self, BufWriter, Write as _};
use std::path::Path;

use data_encoding::{BASE64, HEXLOWER};
use ed25519_dalek::{Signer as _, VerifyingKey};
use serde_json::{Map, Value};

use super::fault::{Hook, Planned};
use super::{Job, Manifest, Summary, canonical, digest_text, signing_key, verifying_key, write_export};

/// DER of an Ed25519 SubjectPublicKeyInfo up to the 32 bytes of the key (RFC 8410).
const SPKI: [u8; 12] = [0x30, 0x2a, 0x30, 0x05, 0x06, 0x03, 0x2b, 0x65, 0x70, 0x03, 0x21, 0x00];

/// The job as its faults want it.
pub fn prepare(job: &Job) -> Job {
    let mut job = job.clone();
    let hooks: Vec<Hook> = job.faults.iter().flat_map(|planned| planned.fault.hooks).copied().collect();
    for hook in hooks {
        if let Hook::Job(change) = hook {
            change(&mut job);
        }
    }
    job
}

/// Write `export.jsonl`, `pk.pem` and the manifest of this job into a folder.
pub fn write_folder(job: &Job, folder: &Path) -> io::Result<Summary> {
    let job = prepare(job);
    fs::create_dir_all(folder)?;
    let mut out = BufWriter::with_capacity(1 << 20, File::create(folder.join("export.jsonl"))?);
    let summary = write_export(&job, &mut out)?;
    out.flush()?;
    if job.write_key && job.sign {
        fs::write(folder.join("pk.pem"), public_pem(&verifying_key(job.seed)))?;
    }
    if job.faults.iter().any(|planned| planned.fault.name == "keys-interleaved") {
        fs::write(folder.join("second.pem"), public_pem(&signing_key(job.seed, 1).verifying_key()))?;
    }
    if job.manifest != Manifest::None {
        fs::write(folder.join(&job.manifest_name), manifest_text(&job, &summary))?;
    }
    Ok(summary)
}

/// A public key as PEM.
pub fn public_pem(key: &VerifyingKey) -> String {
    let der = [&SPKI[..], key.as_bytes()].concat();
    format!("-----BEGIN PUBLIC KEY-----\n{}\n-----END PUBLIC KEY-----\n", BASE64.encode(&der))
}

/// The manifest that the ledger's owner writes about it.
pub fn manifest_text(job: &Job, summary: &Summary) -> String {
    let mut manifest = Map::new();
    manifest.insert("workspace".into(), job.workspace.clone().into());
    manifest.insert("entries".into(), summary.rows.into());
    manifest.insert("first_sequence".into(), summary.first_sequence.into());
    manifest.insert("last_sequence".into(), summary.last_sequence.into());
    manifest.insert("head".into(), digest_text(&summary.head).into());
    manifest.insert("exported_at".into(), "2026-08-31T00:00:00Z".into());
    for Planned { fault, .. } in &job.faults {
        for hook in fault.hooks {
            if let Hook::Manifest(change) = hook {
                change(&mut manifest);
            }
        }
    }
    if job.manifest == Manifest::Signed {
        let signature = signing_key(job.seed, 0).sign(&canonical(&manifest)).to_bytes();
        manifest.insert("signature".into(), format!("ed25519:{}", HEXLOWER.encode(&signature)).into());
    }
    let text = serde_json::to_string_pretty(&Value::Object(manifest)).expect("a manifest is plain JSON");
    text + "\n"
}
