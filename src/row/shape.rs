//! Rows that are built like an earlier one.
//!
//! Rows of one ledger have few shapes: the same names in the same order and nesting, and only strings,
//! numbers and words between them differ. So what stands between two such scalars is compared with the bytes
//! that stood there in a row that was read exactly, and only scalars are read. A line that agrees in all of it
//! is JSON where the other one was, has the same tape, and no name twice.
//!
//! Decides only that a line certainly is such a row, and fills the row as the exact reader would. A line that
//! differs anywhere, or has a scalar that is not common, is "no": others are asked then. What is remembered
//! is bounded, whatever the rows are.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use super::{Dialect, Exact, Node, Row, Span, scan};

/// Rows from which a shape is learnt, if it can be.
const MOST_SHAPES: usize = 256;

/// Steps to them, one for each scalar, and bytes between scalars.
const MOST_STEPS: usize = 1 << 14;
const MOST_TEXT: usize = 1 << 19;

/// Values and names of the largest row whose shape is remembered. None is nested deeper than either dialect
/// allows then.
const MOST_NODES: usize = 512;

/// The step that stands before every line.
const START: usize = 0;

/// Identities that were given to shapes.
static SHAPES: AtomicU64 = AtomicU64::new(0);

/// What all rows of a shape share.
#[derive(Debug)]
pub(crate) struct Shape {
    /// A number that no other shape has.
    identity: u64,
    /// The tape; scalars are still to be filled in.
    nodes: Vec<Node>,
    /// Where each node stands in the line.
    places: Vec<Stretch>,
    /// The nodes of names, and those of scalars in the order of the line.
    names: Vec<u32>,
    scalars: Vec<u32>,
    members: Members,
}

/// A stretch of a line, by the stretches between scalars in which it starts and ends.
#[derive(Clone, Copy, Debug)]
struct Stretch {
    start: Point,
    end: Point,
}

/// A point of a line: so many bytes after the start of what stands before this scalar.
#[derive(Clone, Copy, Debug)]
struct Point {
    between: u32,
    bytes: u32,
}

/// The shapes of the rows so far, as a tree: rows share steps as far as they are alike.
#[derive(Debug, Default)]
pub(super) struct Shapes {
    steps: Vec<Step>,
    /// How often a shape was to be learnt, whether that could be or not.
    tries: usize,
    /// What stands between scalars, in the order in which it was learnt.
    text: Vec<u8>,
    /// Of the line that is read: where each stretch between scalars starts, and the scalars.
    starts: Vec<u32>,
    scalars: Vec<Node>,
    exact: Exact,
    /// How often a line had a shape, less how often it had none, within narrow bounds.
    worth: i32,
}

/// What stands before a scalar, or behind the last one.
#[derive(Debug, Default)]
struct Step {
    start: usize,
    end: usize,
    /// What may come next, the likeliest first.
    next: Vec<usize>,
    /// The shape of the line that ends here.
    shape: Option<Arc<Shape>>,
}

impl Shapes {
    /// Fills the row if the line has a shape that was learnt; if not, the row holds nothing of use.
    pub(super) fn fill(&mut self, row: &mut Row, line: &[u8]) -> bool {
        if self.steps.is_empty() || self.gave_up() {
            return false;
        }
        let Ok(text) = std::str::from_utf8(line) else { return false };
        row.clear();
        row.text.push_str(text);
        let shape = self.follow(row, text);
        self.worth = (self.worth + if shape.is_some() { 1 } else { -1 }).clamp(-1024, 1024);
        let Some(shape) = shape else { return false };
        shape.fill(row, &self.starts, &self.scalars);
        row.shape = Some(shape);
        true
    }

    /// Whether the shape of a row that none of the shapes fitted would be remembered.
    pub(super) fn learns(&self) -> bool {
        self.tries < MOST_SHAPES && self.steps.len() < MOST_STEPS && self.text.len() < MOST_TEXT
    }

    /// Most rows have shapes of their own: looking costs more than it saves.
    fn gave_up(&self) -> bool {
        !self.learns() && self.worth < -1000
    }

    /// Remembers the shape of a row that the exact reader filled from a line of this length.
    pub(super) fn learn(&mut self, row: &Row, length: usize) {
        if !self.learns() {
            return;
        }
        self.tries += 1;
        if row.nodes.len() > MOST_NODES {
            return;
        }
        let Some((shape, between)) = Shape::of(row, length) else { return };
        if self.steps.is_empty() {
            self.steps.push(Step::default());
        }
        let mut at = START;
        for span in between {
            let bytes = row.bytes(span);
            let next = self.steps.get(at).map_or(&[][..], |step| &step.next);
            let known = next.iter().copied().find(|next| self.between(*next) == bytes);
            at = known.unwrap_or_else(|| self.grow(at, bytes));
        }
        if let Some(last) = self.steps.get_mut(at) {
            last.shape.get_or_insert_with(|| Arc::new(shape));
        }
    }

    /// Adds a step behind this one.
    fn grow(&mut self, at: usize, bytes: &[u8]) -> usize {
        let (start, added) = (self.text.len(), self.steps.len());
        self.text.extend_from_slice(bytes);
        self.steps.push(Step { start, end: self.text.len(), ..Step::default() });
        if let Some(step) = self.steps.get_mut(at) {
            step.next.push(added);
        }
        added
    }

    fn between(&self, step: usize) -> &[u8] {
        self.steps.get(step).and_then(|step| self.text.get(step.start..step.end)).unwrap_or_default()
    }

    /// The shape of this line, whose text the row has; its scalars are noted on the way.
    fn follow(&mut self, row: &mut Row, text: &str) -> Option<Arc<Shape>> {
        self.starts.clear();
        self.scalars.clear();
        let line = text.as_bytes();
        let (mut at, mut step) = (0, START);
        loop {
            let rest = line.get(at..)?;
            step = self.next(step, rest)?;
            self.starts.push(at as u32);
            let Step { start, end, shape, .. } = self.steps.get(step)?;
            at += end - start;
            if at == line.len() {
                return shape.clone();
            }
            let (scalar, end) = self.scalar(row, text, at)?;
            self.scalars.push(scalar);
            at = end;
        }
    }

    /// What comes next in the line. At most one step fits: where one is the beginning of another, a
    /// scalar follows on one and a bracket or white space on the other.
    #[inline]
    fn next(&mut self, step: usize, rest: &[u8]) -> Option<usize> {
        let Shapes { steps, text, .. } = self;
        let next = &steps.get(step)?.next;
        let fits = |next: usize| {
            let step = steps.get(next)?;
            let behind = rest.strip_prefix(text.get(step.start..step.end)?)?;
            match behind.first() {
                None => step.shape.is_some(),
                Some(b'"' | b'-' | b'0'..=b'9' | b't' | b'f' | b'n') => !step.next.is_empty(),
                Some(_) => false,
            }
            .then_some(next)
        };
        let (place, found) = next.iter().enumerate().find_map(|(place, next)| Some((place, fits(*next)?)))?;
        if place > 0 {
            steps.get_mut(step)?.next.swap(0, place);
        }
        Some(found)
    }

    /// The scalar that starts here, and where it ends.
    #[inline]
    fn scalar(&mut self, row: &mut Row, text: &str, at: usize) -> Option<(Node, usize)> {
        let rest = text.as_bytes().get(at..)?;
        let word = |word: &[u8], node| rest.starts_with(word).then_some((node, at + word.len()));
        match rest {
            [b'"', string @ ..] => {
                let length = scan::plain(string);
                match string.get(length)? {
                    b'"' => Some((Node::String(Span::new(at + 1, at + 1 + length)), at + length + 2)),
                    b'\\' => self.exact.string(row, text, at, Dialect::Json),
                    _ => None,
                }
            }
            [b't', ..] => word(b"true", Node::Bool(true)),
            [b'f', ..] => word(b"false", Node::Bool(false)),
            [b'n', ..] => word(b"null", Node::Null),
            _ => {
                let (number, length) = scan::number(rest)?;
                row.note(number);
                Some((Node::Number(number), at + length))
            }
        }
    }
}

impl Shape {
    /// The shape of a row that the exact reader filled, and the stretches of its line between scalars;
    /// `None` if a name is written with an escape.
    fn of(row: &Row, length: usize) -> Option<(Shape, Vec<Span>)> {
        let (names, scalars) = row.leaves();
        let mut between = Vec::with_capacity(scalars.len() + 1);
        let mut start = 0;
        for scalar in &scalars {
            let span = row.written.get(*scalar as usize)?;
            between.push(Span { start, end: span.start });
            start = span.end;
        }
        between.push(Span { start, end: u32::try_from(length).ok()? });
        if between.iter().any(|span| row.bytes(*span).contains(&b'\\')) {
            return None;
        }
        let point = |at: u32| {
            let number = between.partition_point(|span| span.start <= at).checked_sub(1)?;
            Some(Point { between: number as u32, bytes: at - between.get(number)?.start })
        };
        let mut places = Vec::with_capacity(row.nodes.len());
        for span in &row.written {
            places.push(Stretch { start: point(span.start)?, end: point(span.end)? });
        }
        let members = Members::of(row, &names);
        let identity = SHAPES.fetch_add(1, Ordering::Relaxed);
        Some((Shape { identity, nodes: row.nodes.clone(), places, names, scalars, members }, between))
    }

    /// A number that no other shape has.
    pub(crate) fn identity(&self) -> u64 {
        self.identity
    }

    /// Fills the row with what the line has of the shape.
    fn fill(&self, row: &mut Row, starts: &[u32], scalars: &[Node]) {
        let at = |point: Point| starts.get(point.between as usize).copied().unwrap_or_default() + point.bytes;
        row.written.extend(self.places.iter().map(|place| Span { start: at(place.start), end: at(place.end) }));
        row.nodes.extend_from_slice(&self.nodes);
        for name in &self.names {
            if let (Some(node), Some(span)) = (row.nodes.get_mut(*name as usize), row.written.get(*name as usize)) {
                *node = Node::String(Span { start: span.start + 1, end: span.end - 1 });
            }
        }
        for (index, scalar) in self.scalars.iter().zip(scalars) {
            if let Some(node) = row.nodes.get_mut(*index as usize) {
                *node = *scalar;
            }
        }
    }

    /// The member of this name of an object of a row of this shape, as the index of its name.
    #[inline]
    pub(super) fn member(&self, row: &Row, object: u32, name: &[u8]) -> Option<u32> {
        self.members.find(row, object, name)
    }
}

/// The members of all objects of a shape by their names.
#[derive(Debug)]
struct Members {
    /// The object and the name of each, as indices on the tape, in the first free place from that of their
    /// [`slot`] on. At least half of them are free; their number is a power of two.
    table: Vec<Option<(u32, u32)>>,
}

impl Members {
    fn of(row: &Row, names: &[u32]) -> Self {
        let size = (2 * names.len()).next_power_of_two();
        let mut members = Members { table: vec![None; size] };
        let objects = (0u32..).zip(&row.nodes).filter(|(_, node)| matches!(node, Node::Object { .. }));
        for (object, node) in objects {
            let Node::Object { count, .. } = node else { continue };
            let mut name = object.saturating_add(1);
            for _ in 0..*count {
                members.put(slot(object, row.name(name)), (object, name));
                name = row.after(name.saturating_add(1));
            }
        }
        members
    }

    fn put(&mut self, slot: usize, member: (u32, u32)) {
        let size = self.table.len();
        let free = (0..size).map(|step| (slot + step) & (size - 1)).find(|at| self.table.get(*at) == Some(&None));
        if let Some(place) = free.and_then(|at| self.table.get_mut(at)) {
            *place = Some(member);
        }
    }

    #[inline]
    fn find(&self, row: &Row, object: u32, name: &[u8]) -> Option<u32> {
        let mask = self.table.len().wrapping_sub(1);
        let mut at = slot(object, name);
        loop {
            let (of, found) = (*self.table.get(at & mask)?)?;
            if of == object && row.name(found) == name {
                return Some(found);
            }
            at += 1;
        }
    }
}

/// A number that members of one name in one object share and most others do not.
#[inline]
fn slot(object: u32, name: &[u8]) -> usize {
    let first = name.first_chunk::<8>().map_or_else(|| short(name), |bytes| u64::from_le_bytes(*bytes));
    let last = name.last_chunk::<8>().map_or(0, |bytes| u64::from_le_bytes(*bytes));
    let mixed = first ^ last.rotate_left(23) ^ (name.len() as u64) << 40 ^ u64::from(object) << 17;
    // The golden ratio spreads what differs over the upper bits.
    (mixed.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> 48) as usize
}

/// A number for a name of up to seven bytes.
#[inline]
fn short(name: &[u8]) -> u64 {
    match (name, name.first_chunk::<4>(), name.last_chunk::<4>()) {
        (_, Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) << 32 | u64::from(u32::from_le_bytes(*last))
        }
        ([first, .., last], ..) => u64::from(*first) << 8 | u64::from(*last),
        ([only], ..) => u64::from(*only),
        ([], ..) => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::super::Reader;
    use super::*;
    use proptest::prelude::*;

    /// Everything about a row but where its shape was learnt.
    type Whole = (String, Vec<u8>, Vec<Node>, Vec<Span>, [bool; 4]);

    fn whole(row: &Row) -> Whole {
        let flags = [row.large_numbers, row.doubles, row.escapes, row.beyond_json];
        (row.text.clone(), row.wide.clone(), row.nodes.clone(), row.written.clone(), flags)
    }

    fn scalar() -> impl Strategy<Value = String> {
        prop_oneof![
            "\"[ -!#-\\[\\]-~é€😀]{0,40}\"",
            "\"[a-z]{0,20}(\\\\[nt\"\\\\/]|\\\\u[0-9a-fA-F]{4}|\\\\ud83d\\\\ude00)[a-z]{0,20}\"",
            "-?(0|[1-9][0-9]{0,21})(\\.[0-9]{1,18})?([eE][+-]?[0-9]{1,3})?",
            prop::sample::select(vec![
                "true", "false", "null", "[]", "{}", "-0", "01", "1.", "nul", "\"\t\"", "NaN", ""
            ])
            .prop_map(str::to_owned),
        ]
    }

    /// Lines that are built alike, and not always quite.
    fn line() -> impl Strategy<Value = String> {
        let shape = prop::sample::select(vec![
            r#"{"a":@,"b":{"c":@,"d":[@,@]},"e":@}"#,
            r#"{"a":@,"b":{"c":@,"d":[@]},"e":@}"#,
            r#"{"a":@,"b":@,"e":@}"#,
            r#"{"a": @, "b": @, "e": @}"#,
            r#"{"a":@,"a":@,"e":@}"#,
            r#"{"a":[@,[@],{"x":@}],"\u0061":@}"#,
            r#"{"é":@,"long_name_one":@,"long_name_two":@}"#,
            r#"[@,@]"#,
            r#"{}"#,
        ]);
        let change =
            prop_oneof![6 => Just(None), 1 => (any::<prop::sample::Index>(), any::<Option<u8>>()).prop_map(Some)];
        (shape, prop::collection::vec(scalar(), 6), change).prop_map(|(shape, scalars, change)| {
            let mut scalars = scalars.into_iter();
            let mut line: String = shape.split('@').enumerate().fold(String::new(), |line, (number, between)| {
                let scalar = if number == 0 { String::new() } else { scalars.next().unwrap_or_default() };
                line + &scalar + between
            });
            if let Some((at, change)) = change {
                let at = (0..=at.index(line.len())).rev().find(|at| line.is_char_boundary(*at)).unwrap_or_default();
                match change {
                    Some(byte) => line.insert(at, char::from(byte % 128)),
                    None => line.truncate(at),
                }
            }
            line
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(400))]

        #[test]
        fn rows_are_those_of_the_exact_reader(lines in prop::collection::vec(line(), 1..60)) {
            let mut reader = Reader::learning();
            for line in lines {
                let mut exact = Reader::new();
                let expected = exact.read_exact(line.as_bytes()).map(whole);
                let found = reader.read(line.as_bytes());
                prop_assert_eq!(found.map(whole), expected.clone(), "{}", line);
                if let (Some(shape), Ok(row)) = (&reader.last().shape, exact.read_exact(line.as_bytes())) {
                    for (object, _) in (0u32..).zip(&row.nodes) {
                        for name in ["a", "b", "c", "d", "e", "x", "é", "long_name_one", "long_name_two", "f", ""] {
                            let slow = row.member(object, name.as_bytes());
                            prop_assert_eq!(shape.member(reader.last(), object, name.as_bytes()), slow, "{}", line);
                        }
                    }
                }
            }
        }

        #[test]
        fn rows_of_python_are_those_of_the_exact_reader(lines in prop::collection::vec(line(), 1..40)) {
            let mut reader = Reader::learning();
            for line in lines {
                let mut exact = Reader::new();
                let expected = exact.read_python(line.as_bytes(), true).map(|row| format!("{:?}", whole(row)));
                let found = reader.read_python(line.as_bytes(), false).map(|row| format!("{:?}", whole(row)));
                prop_assert_eq!(found, expected, "{}", line);
            }
        }
    }

    #[test]
    fn a_second_row_of_a_shape_is_read_by_it_and_a_strange_one_is_not() {
        let mut reader = Reader::learning();
        let mut shape = |line: &str| reader.read(line.as_bytes()).expect("a row").shape();
        assert_eq!(shape(r#"{"a":1,"b":["x"]}"#), None);
        let first = shape(r#"{"a":"\n","b":[2.5]}"#);
        assert!(first.is_some());
        assert_eq!(shape(r#"{"a":null,"b":[true]}"#), first);
        assert_eq!(shape(r#"{"a":1,"b":["x","y"]}"#), None);
        assert_ne!(shape(r#"{"a":1,"b":["x","y"]}"#), first);
        assert_eq!(shape(r#"{"a":1,"b":["x" ]}"#), None, "white space");
        assert_eq!(shape(r#"{"b":1,"a":["x"]}"#), None, "another order");
    }

    #[test]
    fn what_is_learnt_is_bounded() {
        let mut shapes = Shapes::default();
        let mut exact = Reader::new();
        for number in 0..2 * MOST_SHAPES {
            let line = format!(r#"{{"n{number}":1}}"#);
            shapes.learn(exact.read_exact(line.as_bytes()).expect("a row"), line.len());
        }
        assert!(!shapes.learns());
        assert!(shapes.steps.len() <= 2 * MOST_SHAPES + 1);
        let mut row = Row::default();
        for _ in 0..2_000 {
            assert!(!shapes.fill(&mut row, br#"{"m":1}"#));
        }
        assert!(shapes.gave_up());
    }
}
