//! What of a zip is accounted for: whether its central directory, by which it is read, tells of every byte.
//!
//! Decided here: a zip that another program would read differently is none that fits. Bytes before, between and
//! behind the entries, local headers that say something else than the directory, and names that stand twice are each
//! told. Format: APPNOTE.TXT 6.3, sections 4.3.6 to 4.3.16.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{self, BufReader, Read, Seek as _, SeekFrom};

use zip::ZipArchive;

/// What starts an entry of the central directory.
const ENTRY: &[u8; 4] = b"PK\x01\x02";

/// What starts the end record of a zip with lengths of 64 bits, its locator, and the end record of any.
const ENDS: [&[u8; 4]; 3] = [b"PK\x06\x06", b"PK\x06\x07", b"PK\x05\x06"];

/// Lengths that a data descriptor can have: with or without a signature, and lengths of 32 or 64 bits.
const DESCRIPTORS: [u64; 5] = [0, 12, 16, 20, 24];

/// What is wrong with the zip as a whole.
pub(super) fn strays(zip: &mut ZipArchive<File>, file: File) -> io::Result<Vec<(String, String)>> {
    let mut strays = Vec::new();
    let whole = |why: &str| ("the zip".to_owned(), why.to_owned());
    let length = file.metadata()?.len();
    let mut directory = Directory { at: zip.central_directory_start(), input: BufReader::new(file) };
    directory.input.seek(SeekFrom::Start(directory.at))?;
    let mut names: BTreeMap<Vec<u8>, u64> = BTreeMap::new();
    let mut signature = directory.take::<4>()?;
    while signature == *ENTRY {
        *names.entry(directory.entry()?).or_default() += 1;
        signature = directory.take::<4>()?;
    }
    if directory.end(signature)? != Some(length) {
        strays.push(whole("bytes behind its central directory belong to nothing"));
    }
    for (name, times) in names.iter().filter(|(_, times)| **times > 1) {
        strays.push((String::from_utf8_lossy(name).into_owned(), format!("{times} entries of the zip have this name")));
    }
    if strays.is_empty() && zip.validate_header_consistency().is_err() {
        strays.push(whole("its entries are not what its central directory says of them, or not all are in it"));
    }
    if strays.is_empty() && !is_filled(zip)? {
        strays.push(whole("bytes before or between its entries belong to none of them"));
    }
    Ok(strays)
}

/// Whether the entries fill the zip up to its central directory.
fn is_filled(zip: &mut ZipArchive<File>) -> io::Result<bool> {
    let mut parts = Vec::new();
    for index in 0..zip.len() {
        let entry = zip.by_index_raw(index).map_err(|_| io::Error::other("an entry cannot be found"))?;
        let Some(end) = entry.data_start().and_then(|start| start.checked_add(entry.compressed_size())) else {
            return Ok(false);
        };
        parts.push((entry.header_start(), end));
    }
    parts.sort_unstable();
    let mut starts = parts.iter().map(|(start, _)| *start).chain([zip.central_directory_start()]);
    let first = starts.next() == Some(0);
    Ok(first
        && parts
            .iter()
            .zip(starts)
            .all(|((_, end), next)| next.checked_sub(*end).is_some_and(|between| DESCRIPTORS.contains(&between))))
}

/// A central directory that is being read.
struct Directory {
    input: BufReader<File>,
    /// Where reading stands.
    at: u64,
}

impl Directory {
    fn take<const N: usize>(&mut self) -> io::Result<[u8; N]> {
        let mut bytes = [0; N];
        self.input.read_exact(&mut bytes)?;
        self.at += N as u64;
        Ok(bytes)
    }

    fn skip(&mut self, count: u64) -> io::Result<()> {
        self.input.seek_relative(i64::try_from(count).map_err(io::Error::other)?)?;
        self.at = self.at.saturating_add(count);
        Ok(())
    }

    /// The name of an entry whose signature was read; behind it the next one starts.
    fn entry(&mut self) -> io::Result<Vec<u8>> {
        let _: [u8; 24] = self.take()?;
        let [name, extra, comment] = [self.take()?, self.take()?, self.take()?].map(u16::from_le_bytes);
        let _: [u8; 12] = self.take()?;
        let mut bytes = vec![0; usize::from(name)];
        self.input.read_exact(&mut bytes)?;
        self.at += u64::from(name);
        self.skip(u64::from(extra) + u64::from(comment))?;
        Ok(bytes)
    }

    /// Where the end records end, whose first signature was read; `None` if something else is there.
    fn end(&mut self, mut signature: [u8; 4]) -> io::Result<Option<u64>> {
        let [record, locator, end] = ENDS;
        if signature == *record {
            let size = u64::from_le_bytes(self.take()?);
            if size > 1 << 16 {
                return Ok(None);
            }
            self.skip(size)?;
            if self.take::<4>()? != *locator {
                return Ok(None);
            }
            self.skip(16)?;
            signature = self.take()?;
        }
        if signature != *end {
            return Ok(None);
        }
        self.skip(16)?;
        let comment = u16::from_le_bytes(self.take()?);
        Ok(Some(self.at + u64::from(comment)))
    }
}
