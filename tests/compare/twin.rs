//! The obvious comparison: all rows in memory, chain by chain.

use std::collections::BTreeMap;

use ed25519_dalek::{Signature, VerifyingKey};
use serde_json::Value;

use crate::derive::{Row, digest};
use crate::ledger;

/// What two exports are to each other.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Verdict {
    pub word: &'static str,
    pub longer: Option<&'static str>,
    pub common: u64,
    pub forks: Vec<Fork>,
}

/// A fork: the lines of the two rows, their numbers, and whether the key vouches for each.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Fork {
    pub lines: [u64; 2],
    pub numbers: [u64; 2],
    pub vouched: [bool; 2],
}

/// The rows of each chain, with their lines.
fn chains(file: &[u8]) -> BTreeMap<String, Vec<(u64, Row)>> {
    let text = std::str::from_utf8(file).expect("UTF-8").trim_start_matches('\u{feff}');
    let mut chains: BTreeMap<String, Vec<(u64, Row)>> = BTreeMap::new();
    for (line, text) in (1..).zip(text.split('\n')).filter(|(_, text)| !text.trim().is_empty()) {
        let row: Row = serde_json::from_str(text).expect("a row");
        chains.entry(row["workspace"].as_str().expect("a name").to_owned()).or_default().push((line, row));
    }
    chains
}

/// The rows in the order of the file.
fn rows(file: &[u8]) -> Vec<Row> {
    let mut rows: Vec<(u64, Row)> = chains(file).into_values().flatten().collect();
    rows.sort_by_key(|(line, _)| *line);
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Whether the rows of the shorter are the first of the longer, and the next one of that follows the last of its chain.
fn is_prefix(a: &[u8], b: &[u8]) -> bool {
    let (of_a, of_b) = (rows(a), rows(b));
    let (short, long) = if of_a.len() <= of_b.len() { (of_a, of_b) } else { (of_b, of_a) };
    if short.iter().zip(&long).any(|(a, b)| content(a) != content(b)) {
        return false;
    }
    let Some(next) = long.get(short.len()) else { return true };
    let previous = next["prev_hash"].as_str().expect("a link");
    match short.iter().rev().find(|row| row["workspace"] == next["workspace"]) {
        Some(last) => {
            let computed = format!("0x{}", data_encoding::HEXLOWER.encode(&digest(last)));
            [last["hash"].as_str(), Some(&*computed)].contains(&Some(previous))
        }
        None => previous == format!("0x{}", "0".repeat(64)),
    }
}

fn number(row: &Row) -> u64 {
    // The forge spells numbers in many ways.
    row["sequence"].as_f64().expect("a number") as u64
}

/// Everything that the digest covers.
fn content(row: &Row) -> Vec<u8> {
    let mut row = row.clone();
    let _ = (row.remove("hash"), row.remove("signature"));
    ledger::canonical(&row)
}

fn is_vouched(row: &Row, key: &VerifyingKey) -> bool {
    let hex = |member: &str, prefix: &str| {
        let text = row[member].as_str().and_then(|text| text.strip_prefix(prefix)).unwrap_or_default();
        data_encoding::HEXLOWER.decode(text.as_bytes()).unwrap_or_default()
    };
    let (stated, signature) = (hex("hash", "0x"), hex("signature", "ed25519:"));
    let Ok(signature) = Signature::from_slice(&signature) else { return false };
    // Over the digest that is stated, or over the one that it should state.
    let signs = |digest: &[u8]| key.verify_strict(digest, &signature).is_ok();
    let digest = digest(row);
    (stated == digest || signs(&digest)) && (signs(&stated) || signs(&digest))
}

pub fn compare(a: &[u8], b: &[u8], key: &VerifyingKey) -> Verdict {
    let (of_a, of_b) = (chains(a), chains(b));
    let mut verdict = Verdict::default();
    let mut bounded = of_a.is_empty() || of_b.is_empty();
    let mut behind = [0, 0];
    let none = Vec::new();
    let names: std::collections::BTreeSet<&String> = of_a.keys().chain(of_b.keys()).collect();
    for name in names {
        let mut rows = [of_a.get(name).unwrap_or(&none).as_slice(), of_b.get(name).unwrap_or(&none).as_slice()];
        if let [[(_, a), ..], [(_, b), ..]] = rows
            && content(a) != content(b)
        {
            let first = [number(a), number(b)].into_iter().max().expect("two");
            for rows in &mut rows {
                let skip = rows.iter().take_while(|(_, row)| number(row) < first).count();
                bounded |= skip > 0;
                *rows = &rows[skip..];
            }
            match rows {
                // Numbers that do not meet: there is no row in common.
                [[], _] | [_, []] => continue,
                [[(_, a), ..], [(_, b), ..]] if number(a) != number(b) => continue,
                _ => {}
            }
        }
        let mut forked = false;
        for ((line_a, a), (line_b, b)) in rows[0].iter().zip(rows[1]) {
            if content(a) != content(b) {
                verdict.forks.push(Fork {
                    lines: [*line_a, *line_b],
                    numbers: [number(a), number(b)],
                    vouched: [is_vouched(a, key), is_vouched(b, key)],
                });
                forked = true;
                break;
            }
            verdict.common += 1;
            bounded |= Value::Object(a.clone()) != Value::Object(b.clone());
        }
        if !forked {
            let shared = rows[0].len().min(rows[1].len());
            behind[0] += rows[0].len() - shared;
            behind[1] += rows[1].len() - shared;
        }
    }
    verdict.forks.sort();
    bounded |= !is_prefix(a, b);
    let [longer_a, longer_b] = behind.map(|rows| rows > 0);
    verdict.word = match (verdict.forks.is_empty(), bounded || (longer_a && longer_b)) {
        (false, _) => "forked",
        (true, true) => "undecided",
        (true, false) if longer_a || longer_b => "extended",
        (true, false) => "same",
    };
    if verdict.word == "extended" {
        verdict.longer = Some(if longer_a { "a" } else { "b" });
    }
    verdict
}
