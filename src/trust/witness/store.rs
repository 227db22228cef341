//! The store of pins: one JSON object a line, and one chain over the whole file.
//!
//! A pin's digest is the first 32 hex digits of SHA-256 over its members but for `prev` and `self`; `self` states
//! it and `prev` states that of the pin before, of whatever namespace. Pins of earlier writers have neither, and
//! so have the records of a hosted witness, which may also stand in a file as one object or a list. Every byte is
//! untrusted. What is kept is one small fact for each pin of the namespace.

use std::io::{self, BufReader, Read};

use crate::fact::{CountPin, LinkForm};
use crate::row::Value;
use crate::trust::dialect::{Canonical, Dialect, row_number, trim};
use crate::trust::lines::Lines;

/// What the first pin states as its predecessor.
const GENESIS: &str = "witness-genesis";

/// Hex digits of a pin's digest.
const DIGITS: usize = 32;

/// Pins of one namespace that are compared.
const MOST: usize = 1 << 21;

/// Bytes of the largest file of hosted records.
const DOCUMENT: u64 = 16 << 20;

/// Bytes of the largest store of lines: several million pins. What is longer, a device perhaps, is not read to its end.
const LARGEST: u64 = 1 << 30;

/// Whether the chain of a store holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Integrity {
    /// Every pin is a link of it.
    Verified,
    /// It is broken.
    Broken,
    /// It covers no pin, or not all.
    Unestablished,
}

impl Integrity {
    /// The word in reports.
    pub fn name(self) -> &'static str {
        match self {
            Integrity::Verified => "verified",
            Integrity::Broken => "broken",
            Integrity::Unestablished => "unestablished",
        }
    }
}

/// What a store holds.
#[derive(Clone, Debug)]
pub struct Store {
    /// Whether its own chain holds.
    pub integrity: Integrity,
    /// Where and how it is broken first.
    pub broken: Option<String>,
    /// Pins of all namespaces.
    pub all: u64,
    /// Pins that are links of the store's chain.
    pub chained: u64,
    /// Pins before that chain starts.
    pub unchained: u64,
    /// Breaks of that chain.
    pub breaks: u64,
    /// Pins of this namespace.
    pub of_namespace: u64,
    /// Those that constrain something, the one over most rows last, each once.
    pub pins: Vec<CountPin>,
    /// The last of them: what it states, and when it was made.
    largest: Option<(CountPin, String, Option<String>)>,
}

impl Store {
    /// Read a store, and verify its chain.
    ///
    /// # Errors
    ///
    /// Why it cannot be read to its end, or that it, or a line of it, is too long, or that it has too many pins.
    pub fn read(input: impl Read, namespace: &str, form: &LinkForm) -> Result<Self, String> {
        let mut input = input.take(LARGEST + 1);
        let mut start = Vec::new();
        let unread = |error: io::Error| error.to_string();
        (&mut input).take(DOCUMENT + 1).read_to_end(&mut start).map_err(unread)?;
        let mut reading = Reading::new(namespace, form);
        if start.len() as u64 <= DOCUMENT && reading.document(&start)? {
            return Ok(reading.end());
        }
        let mut lines = Lines::new(BufReader::new(start.as_slice().chain(&mut input)));
        while let Some(line) = lines.next().map_err(unread)? {
            reading.line(line.map_err(|()| "a line of it is too long for a pin")?)?;
        }
        if input.limit() == 0 {
            return Err(format!("it is larger than {LARGEST} bytes"));
        }
        Ok(reading.end())
    }

    /// Whether it has pins, and a chain that does not hold.
    pub fn is_broken(&self) -> bool {
        self.integrity == Integrity::Broken && self.all > 0
    }

    /// What the pin states, as the store has it.
    pub(super) fn text_of(&self, pin: &CountPin, form: &LinkForm) -> String {
        match (&self.largest, &pin.digest) {
            (Some((largest, text, _)), _) if largest == pin => text.clone(),
            (_, Some(digest)) => form.encode(digest),
            (_, None) => "a head that no row can have".to_owned(),
        }
    }

    /// When the pin was made, as it says itself, where that was kept.
    pub(super) fn time_of(&self, pin: &CountPin) -> Option<String> {
        self.largest.as_ref().filter(|(largest, ..)| largest == pin).and_then(|(_, _, time)| time.clone())
    }
}

/// A store that is being read.
struct Reading<'a> {
    namespace: &'a str,
    form: &'a LinkForm,
    dialect: Dialect,
    /// The digest of a pin covers its members but for these.
    digests: Canonical,
    /// The digest of the pin before.
    before: String,
    line: u64,
    store: Store,
}

impl<'a> Reading<'a> {
    fn new(namespace: &'a str, form: &'a LinkForm) -> Self {
        let store = Store {
            integrity: Integrity::Unestablished,
            broken: None,
            all: 0,
            chained: 0,
            unchained: 0,
            breaks: 0,
            of_namespace: 0,
            pins: Vec::new(),
            largest: None,
        };
        Reading {
            namespace,
            form,
            dialect: Dialect::default(),
            digests: Canonical::spaced(&["prev", "self"]),
            before: GENESIS.to_owned(),
            line: 0,
            store,
        }
    }

    /// Take a file of hosted records: one object, a list, or an object of records. Says whether it is one.
    fn document(&mut self, text: &[u8]) -> Result<bool, String> {
        let mut dialect = std::mem::take(&mut self.dialect);
        let text = String::from_utf8_lossy(text);
        let Ok(row) = dialect.read(trim(&text).as_bytes()) else { return Ok(false) };
        let root = row.root();
        let records: Vec<Value<'_>> = match root.is_array() {
            true => root.items().collect(),
            false if is_hosted(root) => vec![root],
            false => root.members().map(|(_, value)| value).filter(|value| is_hosted(*value)).collect(),
        };
        let hosted = !records.is_empty() && records.iter().all(|record| record.is_object());
        for record in records.into_iter().filter(|_| hosted) {
            self.store.all += 1;
            self.store.unchained += 1;
            self.pin(record)?;
        }
        self.dialect = dialect;
        Ok(hosted)
    }

    /// Take the next line.
    fn line(&mut self, line: &[u8]) -> Result<(), String> {
        self.line += 1;
        let text = String::from_utf8_lossy(line);
        let text = trim(&text);
        if text.is_empty() {
            return Ok(());
        }
        let mut dialect = std::mem::take(&mut self.dialect);
        match dialect.read(text.as_bytes()) {
            Err(_) => self.broken("unparseable"),
            Ok(row) if !row.root().is_object() => self.broken("not a JSON object"),
            Ok(row) => {
                self.link(row.root());
                self.pin(row.root())?;
            }
        }
        self.dialect = dialect;
        Ok(())
    }

    /// Hold a pin against the one before.
    fn link(&mut self, pin: Value<'_>) {
        let digest = self.digests.digest(pin).map(|mut digest| {
            digest.truncate(DIGITS);
            digest
        });
        self.store.all += 1;
        let stated = |name| pin.get(name).filter(|value: &Value<'_>| !value.is_null());
        match stated("prev") {
            None if self.store.chained > 0 => self.broken("unchained pin after the chain began"),
            None => self.store.unchained += 1,
            Some(prev) => {
                if prev.as_str() != Some(&self.before) {
                    self.broken("pin chain mismatch");
                }
                match stated("self") {
                    None => self.broken("chained pin missing its self-digest"),
                    Some(own) if own.as_str().is_none() || own.as_str() != digest.as_deref() => {
                        self.broken("pin content does not match its own digest");
                    }
                    Some(_) => {}
                }
                self.store.chained += 1;
            }
        }
        self.before = digest.unwrap_or_default();
    }

    /// Keep what a pin of the namespace states. One whose rows are no integer from 1 constrains nothing.
    fn pin(&mut self, pin: Value<'_>) -> Result<(), String> {
        if pin.get("namespace").and_then(Value::as_str) != Some(self.namespace) {
            return Ok(());
        }
        self.store.of_namespace += 1;
        let Some(rows) = pin.get("rows").and_then(row_number) else { return Ok(()) };
        let chain = pin.get("chain");
        let text = chain.and_then(Value::as_str);
        // A hosted witness stores digests in lower case, however they were sent.
        let lower = text.filter(|_| is_hosted(pin)).map(str::to_ascii_lowercase);
        let text = lower.as_deref().or(text);
        let kept = CountPin { rows, digest: text.and_then(|text| self.form.decode(text)) };
        let Store { pins, largest, .. } = &mut self.store;
        if pins.last() != Some(&kept) {
            pins.push(kept);
        }
        if pins.len() > MOST {
            pins.sort_unstable();
            pins.dedup();
            if pins.len() > MOST {
                return Err(format!("has more than {MOST} pins of this namespace"));
            }
        }
        if largest.as_ref().is_none_or(|(largest, ..)| *largest < kept) {
            let time = ["as_of", "pinned_at"].iter().find_map(|name| pin.get(name)?.as_str());
            let stated = text.map_or_else(|| chain.map_or("none", Value::kind).to_owned(), str::to_owned);
            *largest = Some((kept, stated, time.map(str::to_owned)));
        }
        Ok(())
    }

    fn broken(&mut self, how: &str) {
        self.store.breaks += 1;
        self.store.broken.get_or_insert_with(|| format!("line {}: {how}", self.line));
    }

    fn end(self) -> Store {
        let mut store = self.store;
        store.pins.sort_unstable();
        store.pins.dedup();
        store.integrity = match store.broken {
            Some(_) => Integrity::Broken,
            None if store.unchained > 0 || store.all == 0 => Integrity::Unestablished,
            None => Integrity::Verified,
        };
        store
    }
}

/// Whether this is a record of a hosted witness, which links none to the one before.
fn is_hosted(value: Value<'_>) -> bool {
    value.get("pinned_at").is_some() && value.get("prev").is_none() && value.get("self").is_none()
}
