//! Heads that were seen earlier: those of the command line, and the pins of a witness.

use std::fs::File;
use std::path::PathBuf;

use crate::fact::{CountPin, Pin, Sequence};
use crate::profile::{PinLine, Plan, StoreForm};
use crate::stop::{Stop, StopCode};
use crate::trust::witness::{Store, Witness};

/// The heads of the command line.
#[derive(Debug, Default)]
pub(super) struct Heads {
    /// Those that name their row by its sequence, or by nothing.
    pub pins: Vec<Pin>,
    /// Those that name it by how many rows there were.
    pub counted: Vec<PinLine>,
}

/// Read the heads of the command line.
pub(super) fn heads(texts: &[String], plan: &Plan) -> Result<Heads, Stop> {
    let mut heads = Heads::default();
    for text in texts {
        match plan.pin.as_ref().and_then(|form| form.read(text, &plan.form)) {
            Some(line) => heads.counted.push(line),
            None => match pin(text, plan)? {
                Bare::Sequence(pin) => heads.pins.push(pin),
                Bare::Rows(line) => heads.counted.push(line),
            },
        }
    }
    Ok(heads)
}

/// A head by itself.
enum Bare {
    /// Its row is named by its sequence, or by nothing.
    Sequence(Pin),
    /// It is named by how many rows there were, in a format whose rows have no numbers.
    Rows(PinLine),
}

/// A pinned head: a digest as the rows write it, perhaps with `@` and a sequence; in a format without numbers whose
/// pins count rows, with how many there were.
fn pin(text: &str, plan: &Plan) -> Result<Bare, Stop> {
    let (hash, sequence) = match text.split_once('@') {
        Some((hash, sequence)) => (hash, Some(sequence)),
        None => (text, None),
    };
    let bad = || {
        let example = plan.form.example().map_or_else(String::new, |example| format!(" {example},"));
        Stop::new(StopCode::Head, format!("--head {text} is not a head"))
            .hint(format!("a head is written as in the rows,{example} {}", other_form(plan)))
    };
    let digest = plan.form.decode(hash).filter(|_| plan.pin.as_ref().is_none_or(|form| form.is_head(hash)));
    let digest = digest.ok_or_else(bad)?;
    if plan.fields.sequence.is_none()
        && let Some(number) = sequence
    {
        if plan.pin.is_none() {
            let why = format!("--head {text}: rows of the format {} have no numbers", plan.name);
            return Err(Stop::new(StopCode::Head, why).hint("give the digest alone, without @ and a number"));
        }
        let digits = number.bytes().all(|digit| digit.is_ascii_digit());
        let rows: u64 = number.parse().ok().filter(|_| digits).ok_or_else(bad)?;
        let pin = (rows > 0).then_some(CountPin { rows, digest: Some(digest) });
        return Ok(Bare::Rows(PinLine { pin, head: hash.to_owned(), rows, time: None }));
    }
    let sequence = match sequence {
        // Digits only: "+8" and " 8" are no way to write a sequence.
        Some(digits) if digits.bytes().all(|digit| digit.is_ascii_digit()) => {
            Some(digits.parse().ok().and_then(Sequence::new).ok_or_else(bad)?)
        }
        Some(_) => return Err(bad()),
        None => None,
    };
    Ok(Bare::Sequence(Pin { digest, sequence }))
}

/// What may be written instead of a bare head.
fn other_form(plan: &Plan) -> String {
    match &plan.pin {
        Some(form) => format!("or as the line {}", form.example()),
        None => "perhaps with @SEQUENCE behind it".to_owned(),
    }
}

/// Where the pins of a witness are.
#[derive(Clone, Debug)]
pub enum Pins {
    /// In this file.
    File(PathBuf),
    /// Here, as they stood in something that was read already; of which name.
    Text(String, Vec<u8>),
}

/// Read the pins of a witness.
pub(super) fn witness(named: Option<&(Pins, String)>, plan: &Plan) -> Result<Option<Witness>, Stop> {
    let Some((pins, namespace)) = named else { return Ok(None) };
    let name = match pins {
        Pins::File(path) => path.display().to_string(),
        Pins::Text(name, _) => name.clone(),
    };
    let stop = |why: String| Stop::new(StopCode::Witness, format!("witness {name} {why}"));
    match plan.witness {
        Some(StoreForm::PinChain) => {}
        None => return Err(stop(format!("cannot be used: the profile {} does not say how pins are kept", plan.name))),
    }
    let unread = |why| stop(format!("cannot be read: {why}")).hint("check the path of the pins");
    let store = match pins {
        Pins::File(path) => {
            let file = File::open(path).map_err(|error| unread(error.to_string()))?;
            Store::read(file, namespace, &plan.form).map_err(unread)?
        }
        Pins::Text(_, text) => Store::read(text.as_slice(), namespace, &plan.form).map_err(unread)?,
    };
    Ok(Some(Witness { namespace: namespace.clone(), store }))
}
