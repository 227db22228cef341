//! A file that is one JSON document, whose rows are the items of an array in it.
//!
//! Decided here: where each item starts and ends. All bytes are distrusted. What stands around the items
//! is read as strict JSON, in which the array must be found once more where it was found; an item is cut
//! out by its brackets and strings alone, because it is a row and is read as strictly as any row: damage
//! in it is a fault of the export and hides no other row. A document is held in memory.

use crate::row::Reader;

/// Bytes of the largest document.
pub const MOST: usize = 256 << 20;

/// A document, held whole.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Document {
    pub(super) text: Vec<u8>,
    /// The items of its array, in order.
    pub(super) items: Vec<Item>,
}

/// Where an item stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Item {
    /// Index of its first byte.
    pub start: usize,
    /// Index behind its last byte.
    pub end: usize,
    /// The physical line, from 1, in which it starts.
    pub line: u64,
}

/// Where a document stops being one, and what was expected there.
type Wrong = (usize, &'static str);

impl Document {
    /// The document in this text, with the array at the end of `path`.
    ///
    /// # Errors
    ///
    /// What is wrong with it, in words.
    pub(super) fn read(text: Vec<u8>, path: &[String]) -> Result<Self, String> {
        let said = |(at, why): Wrong| format!("{why} at byte {at}");
        let mut scan = Scan { text: &text, at: 0, line: 1, counted: 0 };
        if text.starts_with(super::lines::BOM) {
            scan.at = super::lines::BOM.len();
        }
        let start = scan.at;
        scan.find(path).map_err(said)?;
        let open = scan.at;
        let mut items = Vec::new();
        scan.items(&mut items).map_err(said)?;
        // Strict JSON around an empty array: the items are read as rows.
        let head = text.get(start..=open).unwrap_or_default();
        let tail = text.get(scan.at - 1..).unwrap_or_default();
        let mut reader = Reader::new();
        let frame = reader.read_value_exact(&[head, tail].concat()).map_err(|wrong| {
            // Behind the array the items are missing.
            let at = if wrong.at < head.len() { start + wrong.at } else { scan.at - 1 + (wrong.at - head.len()) };
            format!("{} at byte {at}", wrong.why)
        })?;
        let found = frame.root().path(path).is_some_and(|array| array.is_array() && array.count() == 0);
        if !found {
            return Err(format!("there is no array at {}", shown(path)));
        }
        Ok(Document { text, items })
    }
}

/// The items of a list without its brackets, the first of them in this line; `None` if it is none.
pub(super) fn list(text: &[u8], line: u64) -> Option<Vec<Item>> {
    let mut items = Vec::new();
    let mut scan = Scan { text, at: 0, line, counted: 0 };
    loop {
        scan.item(&mut items).ok()?;
        match scan.peek() {
            Some(b',') => scan.at += 1,
            Some(_) => return None,
            None => return Some(items),
        }
    }
}

fn shown(path: &[String]) -> String {
    if path.is_empty() { "its outermost level".to_owned() } else { path.join(".") }
}

/// Walks over JSON text by its brackets, strings and commas.
struct Scan<'t> {
    text: &'t [u8],
    at: usize,
    /// The line of `counted`.
    line: u64,
    counted: usize,
}

impl Scan<'_> {
    /// The next byte that is no white space.
    fn peek(&mut self) -> Option<u8> {
        let rest = self.text.get(self.at..).unwrap_or_default();
        self.at += rest.iter().take_while(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')).count();
        self.text.get(self.at).copied()
    }

    fn wrong<T>(&self, why: &'static str) -> Result<T, Wrong> {
        Err((self.at, why))
    }

    fn expect(&mut self, byte: u8, why: &'static str) -> Result<(), Wrong> {
        match self.peek() == Some(byte) {
            true => {
                self.at += 1;
                Ok(())
            }
            false => self.wrong(why),
        }
    }

    /// Go to the array at the end of this path: `at` is its bracket then.
    fn find(&mut self, path: &[String]) -> Result<(), Wrong> {
        for piece in path {
            match self.peek() {
                Some(b'{') => self.find_member(piece)?,
                Some(b'[') => self.find_item(piece)?,
                _ => return self.wrong("expected an object with the array of rows"),
            }
        }
        if self.peek() == Some(b'[') { Ok(()) } else { self.wrong("expected the array of rows") }
    }

    fn find_member(&mut self, name: &str) -> Result<(), Wrong> {
        self.at += 1;
        let mut reader = Reader::new();
        loop {
            if self.peek() != Some(b'"') {
                return self.wrong("expected the member that leads to the array of rows");
            }
            let start = self.at;
            self.string()?;
            let written = self.text.get(start..self.at).unwrap_or_default();
            let found = reader.read_value_exact(written).is_ok_and(|row| row.root().as_str() == Some(name));
            self.expect(b':', "expected a colon")?;
            if found {
                return Ok(());
            }
            self.value()?;
            self.expect(b',', "expected the member that leads to the array of rows")?;
        }
    }

    fn find_item(&mut self, index: &str) -> Result<(), Wrong> {
        let Ok(index) = index.parse::<usize>() else { return self.wrong("expected an object with the array of rows") };
        self.at += 1;
        for _ in 0..index {
            self.value()?;
            self.expect(b',', "expected the item that leads to the array of rows")?;
        }
        Ok(())
    }

    /// The items of the array that starts here; `at` is behind its closing bracket then.
    fn items(&mut self, into: &mut Vec<Item>) -> Result<(), Wrong> {
        self.at += 1;
        if self.peek() == Some(b']') {
            self.at += 1;
            return Ok(());
        }
        loop {
            self.item(into)?;
            match self.peek() {
                Some(b',') => self.at += 1,
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                _ => return self.wrong("expected a comma or the end of the array of rows"),
            }
        }
    }

    fn item(&mut self, into: &mut Vec<Item>) -> Result<(), Wrong> {
        self.peek();
        let start = self.at;
        let between = self.text.get(self.counted..start).unwrap_or_default();
        self.line += memchr::memchr_iter(b'\n', between).count() as u64;
        self.counted = start;
        self.value()?;
        into.push(Item { start, end: self.at, line: self.line });
        Ok(())
    }

    /// Go behind the value that starts here, as far as brackets and strings show where it ends.
    fn value(&mut self) -> Result<(), Wrong> {
        self.peek();
        let start = self.at;
        let mut closing = Vec::new();
        loop {
            match self.text.get(self.at) {
                Some(b'"') => self.string()?,
                Some(b'{') => self.enter(&mut closing, b'}'),
                Some(b'[') => self.enter(&mut closing, b']'),
                Some(byte @ (b'}' | b']')) if !closing.is_empty() => {
                    if closing.pop() != Some(*byte) {
                        return self.wrong("expected another bracket");
                    }
                    self.at += 1;
                }
                Some(b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n') if closing.is_empty() => {
                    return self.wrong("expected a value");
                }
                Some(_) if closing.is_empty() => {
                    let rest = self.text.get(self.at..).unwrap_or_default();
                    let ends = |byte: &u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
                    self.at += rest.iter().position(ends).unwrap_or(rest.len());
                }
                Some(_) => self.at += 1,
                None => {
                    return self.wrong(if start == self.at { "expected a value" } else { "the document ends early" });
                }
            }
            if closing.is_empty() {
                return Ok(());
            }
        }
    }

    fn enter(&mut self, closing: &mut Vec<u8>, bracket: u8) {
        closing.push(bracket);
        self.at += 1;
    }

    /// Go behind the string that starts here.
    fn string(&mut self) -> Result<(), Wrong> {
        let mut at = self.at + 1;
        loop {
            let rest = self.text.get(at..).unwrap_or_default();
            match memchr::memchr2(b'"', b'\\', rest) {
                Some(found) if rest.get(found) == Some(&b'"') => {
                    self.at = at + found + 1;
                    return Ok(());
                }
                Some(found) => at += found + 2,
                None => return self.wrong("a string does not end"),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(text: &str) -> Vec<String> {
        text.split('.').filter(|_| !text.is_empty()).map(str::to_owned).collect()
    }

    fn items(text: &str, at: &str) -> Result<Vec<(u64, String)>, String> {
        let document = Document::read(text.as_bytes().to_vec(), &path(at))?;
        let of = |item: &Item| (item.line, String::from_utf8_lossy(&document.text[item.start..item.end]).into_owned());
        Ok(document.items.iter().map(of).collect())
    }

    #[test]
    fn items_are_cut_out_exactly_with_their_lines() {
        let text = "{\"a\": [1, {\"r\\u006fws\":\n [ {\"x\": \"]},\\\"[\"},\n\n\"t\" , -1.5e3\n]}],\n\"b\":[]}\n";
        let wanted = [(2, "{\"x\": \"]},\\\"[\"}".to_owned()), (4, "\"t\"".to_owned()), (4, "-1.5e3".to_owned())];
        assert_eq!(items(text, "a.1.rows").as_deref(), Ok(wanted.as_slice()));
        assert_eq!(items("\u{feff}[ ]", "").map(|items| items.len()), Ok(0));
        // Damage inside an item is the row's.
        assert_eq!(items("[{\"a\" 1},tru]", "").map(|items| items.len()), Ok(2));
    }

    #[test]
    fn what_is_no_document_with_that_array() {
        for (text, at) in [
            ("", ""),
            ("{}", ""),
            ("[1,]", ""),
            ("[1 2]", ""),
            ("[,1]", ""),
            ("[1", ""),
            ("[{]", ""),
            ("[{\"a\":[}]}]", ""),
            ("[\"a]", ""),
            ("[1]]", ""),
            ("[1]\n[2]", ""),
            ("[1] x", ""),
            ("{\"a\":[1],\"a\":[2]}", "a"),
            ("{\"b\":1,\"b\":2,\"a\":[1]}", "a"),
            ("{\"a\":[1],\"b\":tru}", "a"),
            ("{\"a\":[1],}", "a"),
            ("{\"b\" [1],\"a\":[1]}", "a"),
            ("{\"b\":[1]}", "a"),
            ("{\"a\":{\"b\":[1]}}", "a"),
            ("{\"a\":[1]}", "a.b"),
            ("[[1],[2]]", "2"),
        ] {
            assert!(items(text, at).is_err(), "{text:?} at {at:?}");
        }
    }

    #[test]
    fn a_list_without_brackets_has_the_same_items() {
        let text = b"{\"a\":1} ,\n {\"b\":[2,3]}";
        let cut: Vec<_> = list(text, 7).unwrap().into_iter().map(|item| (item.start, item.end, item.line)).collect();
        assert_eq!(cut, [(0, 7, 7), (11, 22, 8)]);
        assert_eq!(list(b"1 2", 1), None);
    }

    #[test]
    fn the_byte_of_what_is_wrong_behind_the_items() {
        let wrong = items("{\"a\":[1,2,3],\"b\":?}", "a").unwrap_err();
        assert!(wrong.ends_with("at byte 17"), "{wrong}");
    }
}
