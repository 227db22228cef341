//! The fast reader against the exact one, and both against serde_json and its RFC 8785 writer.

use ledger_verify::canonical::{Exclude, jcs};
use ledger_verify::row::{Kind, Number, Reader, Row, Value};
use proptest::prelude::*;

/// A JSON value of which spelling and whitespace are still open.
#[derive(Clone, Debug)]
enum Json {
    Word(&'static str),
    Number(String),
    String(String),
    Array(Vec<Json>),
    Object(Vec<(String, Json)>),
}

fn number() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,25})(\\.[0-9]{1,25})?([eE][+-]?[0-9]{1,3})?",
        "-?[1-9][0-9]{0,16}",
        any::<i64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(|number| number.to_string()),
        any::<u64>().prop_map(f64::from_bits).prop_filter("finite", |number| number.is_finite()).prop_flat_map(
            |number| prop_oneof![
                Just(format!("{number:e}")),
                Just(format!("{number:.20e}")),
                Just(format!("{number}"))
            ]
        ),
        (-3i64..3).prop_map(|step| ((1i64 << 53) + step).to_string()),
        (0u32..330, 1u32..10).prop_map(|(exponent, digit)| format!("{digit}e{exponent}")),
        Just("-0".to_owned()),
        Just("-0.0e-7".to_owned()),
    ]
}

fn string() -> impl Strategy<Value = String> {
    let char = prop_oneof![
        4 => proptest::char::range('a', 'd'),
        1 => proptest::char::range('\0', '\u{7f}'),
        1 => proptest::char::range('\u{d000}', '\u{10400}'),
        1 => any::<char>(),
        1 => proptest::sample::select(vec!['"', '\\', '/', '\u{2028}', '\u{e000}', '\u{ffff}', '\u{10000}', '\0', '\u{7f}']),
    ];
    proptest::collection::vec(char, 0..12).prop_map(|chars| chars.into_iter().collect())
}

fn object_of(value: impl Strategy<Value = Json>) -> impl Strategy<Value = Json> {
    proptest::collection::vec((string(), value), 0..12).prop_map(Json::Object)
}

fn json() -> impl Strategy<Value = Json> {
    let leaf = prop_oneof![
        proptest::sample::select(vec!["true", "false", "null"]).prop_map(Json::Word),
        number().prop_map(Json::Number),
        string().prop_map(Json::String),
    ];
    let value = leaf.prop_recursive(5, 40, 6, |inner| {
        prop_oneof![proptest::collection::vec(inner.clone(), 0..6).prop_map(Json::Array), object_of(inner)]
    });
    object_of(value)
}

/// Random choices of a spelling; any 64 bits are a seed.
struct Dice(u64);

impl Dice {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) % limit
    }
}

fn render(json: &Json, dice: &mut Dice, out: &mut String) {
    let space = |dice: &mut Dice, out: &mut String| {
        while dice.below(4) == 0 {
            out.push([' ', '\t', '\r', '\n'][dice.below(4) as usize]);
        }
    };
    let list = |dice: &mut Dice, out: &mut String, first: bool| {
        if !first {
            out.push(',');
        }
        space(dice, out);
    };
    space(dice, out);
    match json {
        Json::Word(word) => out.push_str(word),
        Json::Number(number) => out.push_str(number),
        Json::String(string) => render_string(string, dice, out),
        Json::Array(items) => {
            out.push('[');
            for (index, item) in items.iter().enumerate() {
                list(dice, out, index == 0);
                render(item, dice, out);
            }
            space(dice, out);
            out.push(']');
        }
        Json::Object(members) => {
            out.push('{');
            for (index, (name, value)) in members.iter().enumerate() {
                list(dice, out, index == 0);
                render_string(name, dice, out);
                space(dice, out);
                out.push(':');
                render(value, dice, out);
            }
            space(dice, out);
            out.push('}');
        }
    }
    space(dice, out);
}

fn render_string(string: &str, dice: &mut Dice, out: &mut String) {
    // One string in two has no more escapes than it needs, so that rows without any come up.
    let often = dice.below(2) == 0;
    out.push('"');
    for char in string.chars() {
        let needed = char < ' ' || char == '"' || char == '\\';
        let short = match char {
            '"' | '\\' | '/' => Some(char),
            '\u{8}' => Some('b'),
            '\t' => Some('t'),
            '\n' => Some('n'),
            '\u{c}' => Some('f'),
            '\r' => Some('r'),
            _ => None,
        };
        match short {
            _ if !needed && (!often || dice.below(3) > 0) => out.push(char),
            Some(letter) if dice.below(2) == 0 => out.extend(['\\', letter]),
            _ => {
                for unit in char.encode_utf16(&mut [0; 2]) {
                    let digits = format!("{unit:04x}");
                    out.push_str("\\u");
                    out.push_str(&if dice.below(2) == 0 { digits.to_uppercase() } else { digits });
                }
            }
        }
    }
    out.push('"');
}

fn rendered(json: &Json, seed: u64) -> String {
    let mut out = String::new();
    render(json, &mut Dice(seed), &mut out);
    out
}

fn canonical(row: &Row) -> Vec<u8> {
    let mut out = Vec::new();
    jcs::write(row.root(), &Exclude::default(), &mut out);
    out
}

/// Whether two values are the same to the bit, with members in the same order.
fn same(a: Value<'_>, b: Value<'_>) -> bool {
    let numbers = match (a.as_number(), b.as_number()) {
        (Some(Number::Double(a)), Some(Number::Double(b))) => a.to_bits() == b.to_bits(),
        (a, b) => a == b,
    };
    let members = a.members().zip(b.members()).all(|((a, av), (b, bv))| a == b && same(av, bv));
    let items = a.items().zip(b.items()).all(|(a, b)| same(a, b));
    let alike = a.kind() == b.kind() && a.count() == b.count() && a.as_str() == b.as_str();
    alike && numbers && members && items
}

/// Whether the fast reader filled the row: it keeps no texts.
fn was_fast(row: &Row) -> bool {
    row.root().written().is_none()
}

/// What both readers say of this line, or how they differ.
fn agree(fast: &mut Reader, exact: &mut Reader, line: &[u8]) -> Result<bool, TestCaseError> {
    let said = (fast.read(line), exact.read_exact(line));
    match said {
        (Ok(fast), Ok(exact)) => {
            prop_assert!(same(fast.root(), exact.root()), "{}", String::from_utf8_lossy(line));
            prop_assert_eq!(fast.large_numbers(), exact.large_numbers());
            prop_assert_eq!(canonical(fast), canonical(exact));
            let oracle: Result<serde_json::Value, _> = serde_json::from_slice(line);
            prop_assert!(oracle.is_ok(), "serde_json refuses {}", String::from_utf8_lossy(line));
            Ok(true)
        }
        (Err(fast), Err(exact)) => {
            prop_assert_eq!(&fast, &exact);
            let oracle: Result<serde_json::Map<_, _>, _> = serde_json::from_slice(line);
            let refused = oracle.is_err() || exact.kind == Kind::DuplicateKey;
            prop_assert!(refused, "serde_json reads {}: {}", String::from_utf8_lossy(line), exact);
            Ok(false)
        }
        (fast, exact) => {
            let said = format!("{:?} and {:?}", fast.err(), exact.err());
            Err(TestCaseError::fail(format!("{said} of {}", String::from_utf8_lossy(line))))
        }
    }
}

/// So many by default, since they run unoptimised; PROPTEST_CASES asks for more.
fn cases(default: u32) -> ProptestConfig {
    match std::env::var_os("PROPTEST_CASES") {
        Some(_) => ProptestConfig::default(),
        None => ProptestConfig::with_cases(default),
    }
}

proptest! {
    #![proptest_config(cases(250))]

    #[test]
    fn both_readers_and_the_oracle_agree_on_json(json in json(), seed: u64) {
        let text = rendered(&json, seed);
        let (mut fast, mut exact) = (Reader::new(), Reader::new());
        if agree(&mut fast, &mut exact, text.as_bytes())? {
            let row = fast.read(text.as_bytes()).unwrap();
            prop_assert!(was_fast(row), "simd-json refuses {}", text);
            let mine = canonical(row);
            let theirs: serde_json::Value = serde_json::from_str(&text).unwrap();
            let theirs = serde_json_canonicalizer::to_vec(&theirs).unwrap();
            prop_assert_eq!(String::from_utf8_lossy(&mine), String::from_utf8_lossy(&theirs));
            let again = exact.read_exact(&mine).unwrap();
            prop_assert_eq!(canonical(again), mine);
        }
    }

    #[test]
    fn both_readers_agree_on_damaged_json(
        json in json(),
        seed: u64,
        damage in proptest::collection::vec((any::<prop::sample::Index>(), 0..3, any::<u8>(), any::<prop::sample::Index>()), 1..4),
    ) {
        const LIKELY: &[u8] = b"{}[]:,\"\\u0123456789abcdefDd+-.eE \t\r\n\0\x0b\x0c\x1f\x7f\x80\xbf\xc2\xed\xf4\xfftn/";
        let mut text = rendered(&json, seed).into_bytes();
        for (at, how, any, likely) in damage {
            let at = at.index(text.len() + 1);
            let byte = if any % 4 == 0 { any } else { *likely.get(LIKELY) };
            match how {
                0 => text.insert(at, byte),
                1 if at < text.len() => text[at] = byte,
                _ if at < text.len() => drop(text.remove(at)),
                _ => {}
            }
        }
        agree(&mut Reader::new(), &mut Reader::new(), &text)?;
    }

    #[test]
    fn every_number_is_read_alike(numbers in proptest::collection::vec(number(), 1..40)) {
        let text = format!("{{\"a\":[{}]}}", numbers.join(","));
        agree(&mut Reader::new(), &mut Reader::new(), text.as_bytes())?;
    }

}

proptest! {
    #![proptest_config(cases(40))]

    /// What `EndsEarly` means: something could follow.
    #[test]
    fn every_cut_ends_early(json in json(), seed: u64) {
        let text = rendered(&json, seed);
        let mut reader = Reader::new();
        // A name twice or a number out of range comes after this one in order.
        for cut in 0..text.trim_end().len() {
            let error = reader.read(&text.as_bytes()[..cut]).unwrap_err();
            let kind = if text.is_char_boundary(cut) { Kind::EndsEarly } else { Kind::InvalidUtf8 };
            prop_assert_eq!(error.kind, kind, "{:?}", &text.as_bytes()[..cut]);
            prop_assert!(error.at <= cut);
        }
    }
}

/// Every byte at every place of a row, at several places within simd-json's blocks of 64 bytes.
#[test]
fn every_single_byte_of_damage() {
    let text = "{\"a\\u00e9\\n\" : [-1.5e+3,0,true ,null,\"\u{e9}\u{1f600}\\ud83d\\ude00\"],\"b\":{\"c\":12}}";
    let (mut fast, mut exact) = (Reader::new(), Reader::new());
    for shift in [0, 7, 30, 55] {
        let text = [" ".repeat(shift).as_bytes(), text.as_bytes()].concat();
        assert!(agree(&mut fast, &mut exact, &text).unwrap());
        for at in shift..=text.len() {
            for byte in 0..=255 {
                let mut longer = text.clone();
                longer.insert(at, byte);
                agree(&mut fast, &mut exact, &longer).unwrap();
                let mut other = text.clone();
                if let Some(place) = other.get_mut(at) {
                    *place = byte;
                    agree(&mut fast, &mut exact, &other).unwrap();
                }
            }
        }
    }
}

/// Objects of few members and of many take different ways to find a name twice.
#[test]
fn a_name_twice_is_found_in_objects_of_any_size() {
    let mut reader = Reader::new();
    for count in 1..80usize {
        let members: Vec<String> = (0..count).map(|number| format!("\"n{}\":[{{}}]", number * 7919 % 1000)).collect();
        let line = format!("{{{}}}", members.join(","));
        assert!(was_fast(reader.read(line.as_bytes()).unwrap()));
        for again in 0..count {
            let line = format!("{{{},{}}}", members.join(","), members[again]);
            let error = reader.read(line.as_bytes()).unwrap_err();
            assert_eq!((error.kind, error.at), (Kind::DuplicateKey, line.len() - members[again].len() - 1));
        }
    }
}
