//! `[[signature]]`, keys, `[head]` and `[[variant]]`.

use data_encoding::{BASE64, BASE64URL_NOPAD};
use ed25519_dalek::{Signer, SigningKey};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use ledger_verify::report::Outcome;
use ledger_verify::verdict::CheckId;

use crate::{Case, Written, ZEROS, hex, rows, sha256};

/// Keys of Ed25519, from seeds of one byte each.
fn signer(seed: u8) -> SigningKey {
    SigningKey::from_bytes(&[seed; 32])
}

fn public(seed: u8) -> String {
    hex(signer(seed).verifying_key().to_bytes())
}

fn sign(seed: u8, message: impl AsRef<[u8]>) -> Vec<u8> {
    signer(seed).sign(message.as_ref()).to_bytes().to_vec()
}

fn mac(key: &[u8], message: impl AsRef<[u8]>) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(message.as_ref());
    mac.finalize().into_bytes().to_vec()
}

/// A digest of `n|a|prev`, and these words after it.
fn profile(words: &str) -> String {
    format!(
        "[fields]\nseq = \"n\"\nprev = \"p\"\nhash = \"h\"\nkey_id = \"k\"\n[chain]\ngenesis = \"{ZEROS}\"\nseq_start = 1\n[[hash]]\n\
         preimage = [{{ field = \"n\" }}, \"|\", {{ field = \"a\" }}, \"|\", {{ prev = \"utf8\" }}]\n{words}\n"
    )
}

/// Three rows; `more` makes the members behind the digest of the number and the digest.
fn export(more: impl Fn(usize, &[u8]) -> String) -> String {
    rows(ZEROS, 3, |number, prev| {
        let hash = sha256(format!("{number}|x{number}|{prev}"));
        let line = format!(
            "{{\"n\":{number},\"a\":\"x{number}\",\"p\":\"{prev}\",\"h\":\"{}\"{}}}",
            hex(&hash),
            more(number, &hash)
        );
        (line, hex(hash))
    })
}

/// With one key: good as it is; not if another key, or another text for the second row, is used.
#[track_caller]
fn holds(words: &str, make: impl Fn(u8, usize, &[u8]) -> String) {
    let profile = profile(words);
    let good =
        Case::of(&*profile, export(|number, hash| format!(",\"s\":\"{}\"", make(1, number, hash)))).key("", public(1));
    good.is_good(words);
    let other = |number, hash: &[u8]| format!(",\"s\":\"{}\"", make(if number == 2 { 2 } else { 1 }, number, hash));
    Case::of(&*profile, export(other)).key("", public(1)).finds("another key's", &["signature-invalid"]);
    let other = |number, hash: &[u8]| {
        let signed = if number == 2 { [0; 32].to_vec() } else { hash.to_vec() };
        format!(",\"s\":\"{}\"", make(1, number, &signed))
    };
    Case::of(&*profile, export(other)).key("", public(1)).finds("another message's", &["signature-invalid"]);
}

const SIGNATURE: &str = "[[signature]]\nfield = \"s\"\nalg = \"ed25519\"\nkey = {}\n";

#[test]
fn messages() {
    holds(&format!("{SIGNATURE}message = [{{ hash = \"hex\" }}]"), |seed, _, hash| hex(sign(seed, hash)));
    holds(&format!("{SIGNATURE}message = [{{ hash = \"utf8\" }}]"), |seed, _, hash| hex(sign(seed, hex(hash))));
    holds(
        &format!(
            "{SIGNATURE}message = [\"v1|\", {{ field = \"n\", len = \"u32be\" }}, {{ hash = \"utf8\", then_hex = \"00\" }}]"
        ),
        |seed, number, hash| hex(sign(seed, format!("v1|\0\0\0\x01{number}{}\0", hex(hash)))),
    );
    holds(
        &format!(
            "{SIGNATURE}message = [{{ digest = \"sha256\", of = [{{ json = {{ include = [\"h\", \"n\"] }} }}] }}]"
        ),
        |seed, number, hash| hex(sign(seed, sha256(format!("{{\"h\":\"{}\",\"n\":{number}}}", hex(hash))))),
    );
}

/// A signature over what the row does not have cannot be checked, and is not passed over.
#[test]
fn a_message_that_cannot_be_written() {
    let words = format!("{SIGNATURE}message = [{{ hash = \"utf8\" }}, {{ field = \"by\", as = \"hex\" }}]");
    let made = export(|_, hash| {
        let signature = sign(1, [hex(hash).as_bytes(), b"\x0a"].concat());
        format!(",\"s\":\"{}\",\"by\":\"0a\"", hex(signature))
    });
    let case = Case::of(profile(&words), made).key("", public(1));
    case.is_good("with it");
    let first = |text: &str| {
        let mut export = String::from_utf8(case.export.clone()).expect("text");
        let at = export.find(",\"by\":\"0a\"").expect("the first row");
        export.replace_range(at..at + ",\"by\":\"0a\"".len(), text);
        Case::of(profile(&words), export).key("", public(1))
    };
    first("").finds("without it", &["field-missing"]);
    first(",\"by\":\"0x\"").finds("in another form", &["field-malformed"]);
    first(",\"by\":\"0b\"").finds("another one", &["signature-invalid"]);
    // Another signature of the row does not stand for it.
    let undecodable = words
        .replace("hash = \"utf8\"", "prev = \"hex\"")
        .replace("{ field = \"by\", as = \"hex\" }", "{ field = \"a\" }");
    let words = format!("{undecodable}\n{}message = [{{ hash = \"hex\" }}]", SIGNATURE.replace("\"s\"", "\"t\""));
    let profile = profile(&words).replace(ZEROS, "start");
    let export = rows("start", 1, |number, prev| {
        let hash = sha256(format!("{number}|x|{prev}"));
        let (anything, signature) = ("00".repeat(64), hex(sign(1, &hash)));
        let hash = hex(hash);
        let line = format!(
            "{{\"n\":1,\"a\":\"x\",\"p\":\"{prev}\",\"h\":\"{hash}\",\"s\":\"{anything}\",\"t\":\"{signature}\"}}"
        );
        (line, hash)
    });
    let outcome = Case::of(profile, export).key("", public(1)).outcome();
    let Outcome::Report(report) = outcome else { panic!("{outcome:?}") };
    let checks: Vec<_> = report.checks.iter().filter(|check| check.id == CheckId::Signatures).collect();
    assert!(matches!(checks[..], [check] if (check.checked, check.total) == (0, 1)), "{checks:?}");
}

#[test]
fn hash_in_each_form() {
    let forms: [(&str, Written<'_>); 4] = [
        ("hex", &|bytes| hex(bytes)),
        ("base64", &|bytes| BASE64.encode(bytes)),
        ("base64url", &|bytes| BASE64URL_NOPAD.encode(bytes)),
        ("base58btc", &|bytes| bs58::encode(bytes).into_string()),
    ];
    for (form, text) in forms {
        for raw in [true, false] {
            let said = if raw { form } else { "utf8" };
            let profile = format!(
                "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\n[[hash]]\nencoding = \"{form}\"\n\
                 preimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n{SIGNATURE}message = [{{ hash = \"{said}\" }}]\n"
            );
            let export = rows("none", 3, |number, prev| {
                let hash = sha256(format!("x{number}{prev}"));
                let stated = text(&hash);
                let signature = sign(1, if raw { &*hash } else { stated.as_bytes() });
                let line =
                    format!("{{\"a\":\"x{number}\",\"p\":\"{prev}\",\"h\":\"{stated}\",\"s\":\"{}\"}}", hex(signature));
                (line, stated)
            });
            Case::of(&*profile, &*export).key("", public(1)).is_good(form);
            Case::of(&*profile, &*export).key("", public(2)).finds(form, &["signature-invalid"]);
        }
    }
}

#[test]
fn how_a_signature_is_written() {
    let with = |words: &str| format!("{SIGNATURE}message = [{{ hash = \"hex\" }}]\n{words}");
    holds(&with("encoding = \"hex\""), |seed, _, hash| hex(sign(seed, hash)));
    holds(&with("encoding = \"base64\""), |seed, _, hash| BASE64.encode(&sign(seed, hash)));
    holds(&with("encoding = \"base64url\""), |seed, _, hash| BASE64URL_NOPAD.encode(&sign(seed, hash)));
    holds(&with("encoding = \"base58btc\""), |seed, _, hash| bs58::encode(sign(seed, hash)).into_string());
    holds(&with("prefix = \"sig-\"\nsuffix = \"!\""), |seed, _, hash| format!("sig-{}!", hex(sign(seed, hash))));
    let words = profile(&with("prefix = \"ed25519:\""));
    let case =
        Case::of(words, export(|_, hash| format!(",\"s\":\"ed25519:{}\"", hex(sign(1, hash))))).key("", public(1));
    case.is_good("named");
    let second = hex(sign(1, sha256(format!("2|x2|{}", hex(sha256(format!("1|x1|{ZEROS}")))))));
    case.edited(&format!("ed25519:{second}"), &format!("es256:{second}"))
        .finds("another one", &["signature-algorithm"]);
    case.edited(&second, &second[1..]).finds("a digit less", &["signature-malformed"]);
    case.edited(&format!(",\"s\":\"ed25519:{second}\""), "").finds("none", &["signature-missing"]);
}

#[test]
fn rows_that_need_no_signature() {
    let message = format!("{SIGNATURE}message = [{{ hash = \"hex\" }}]\n");
    let signed = |which: &'static [usize]| {
        export(move |number, hash| match which.contains(&number) {
            true => format!(",\"s\":\"{}\"", hex(sign(1, hash))),
            false => String::new(),
        })
    };
    let case = |words: &str, which| Case::of(profile(&format!("{message}{words}")), signed(which)).key("", public(1));
    case("required = true", &[1, 2, 3]).is_good("all");
    case("required = true", &[1, 3]).finds("not all", &["signature-missing"]);
    case("required = false", &[1, 3]).is_good("some");
    case("required = false", &[1]).finds("not the last", &["unsigned-tail"]);
    case("when = { field = \"n\", in = [1, 3] }", &[1, 3]).is_good("those that it is for");
    case("when = { field = \"n\", in = [1, 3] }", &[1]).finds("not the last", &["signature-missing"]);
    case("when = { field = \"n\", in = [1, 2] }", &[1, 2]).finds("rows after those", &["unsigned-tail"]);
    case("when = { field = \"n\", at_least = 3 }", &[3]).is_good("those that it is for");
    // A signature behind a new start does not speak for what stands before it.
    let anew = profile(&format!("{message}required = false")).replace("seq_start", "reset = \"bound\"\nseq_start");
    let case = |before| Case::of(&*anew, signed(before) + &signed(&[3])).key("", public(1));
    case(&[3]).finds("signed to its end", &["chain-reset"]);
    case(&[1]).finds("not to its end", &["chain-reset", "unsigned-tail"]);
}

#[test]
fn macs_and_roles() {
    let words = "[[signature]]\nfield = \"s\"\nkey = { role = \"author\" }\nmessage = [{ hash = \"hex\" }]\n\
                 [[signature]]\nfield = \"m\"\nalg = \"hmac-sha256\"\nkey = { role = \"mac\" }\nencoding = \"base64\"\nmessage = [\"mac|\", { hash = \"utf8\" }]";
    let rows = |secret: &'static [u8]| {
        export(move |_, hash| {
            let code = BASE64.encode(&mac(secret, format!("mac|{}", hex(hash))));
            format!(",\"s\":\"{}\",\"m\":\"{code}\"", hex(sign(1, hash)))
        })
    };
    let bare = Case::of(profile(words), rows(b"one\n"));
    bare.clone().key("author", public(1)).key("mac", "one\n").is_good("both");
    bare.clone()
        .key("author", public(2))
        .key("mac", "one\n")
        .finds("another author", &["key-unused", "signature-invalid"]);
    bare.clone()
        .key("author", public(1))
        .key("mac", "one")
        .finds("another secret", &["key-unused", "signature-invalid"]);
    bare.clone().key("author", public(1)).finds("no secret", &["no-key"]);
    bare.finds("no key", &["no-key"]);
}

#[test]
fn keys_by_their_ids() {
    let words = format!("{SIGNATURE}message = [{{ hash = \"hex\" }}]");
    let ids = ["", "alice", "alice", "bob"];
    let rows = |seeds: [u8; 4]| {
        export(move |number, hash| format!(",\"k\":\"{}\",\"s\":\"{}\"", ids[number], hex(sign(seeds[number], hash))))
    };
    let case = |seeds| Case::of(profile(&words), rows(seeds)).key("alice", public(1)).key("bob", public(2));
    case([0, 1, 1, 2]).is_good("each under its own");
    case([0, 1, 2, 2]).finds("under another's", &["signature-invalid"]);
}

#[test]
fn key_files() {
    let raw = signer(1).verifying_key().to_bytes();
    let words = |key: &str| format!("[[signature]]\nfield = \"s\"\nkey = {key}\nmessage = [{{ hash = \"hex\" }}]");
    let rows = export(|_, hash| format!(",\"s\":\"{}\"", hex(sign(1, hash))));
    for (key, file) in [
        ("{}", hex(raw).into_bytes()),
        ("{ format = \"hex\" }", hex(raw).into_bytes()),
        ("{ format = \"base64\" }", BASE64.encode(&raw).into_bytes()),
        ("{ format = \"base64url\" }", BASE64URL_NOPAD.encode(&raw).into_bytes()),
        ("{ format = \"raw\" }", raw.to_vec()),
        (
            "{ format = \"json\", path = \"keys.1.pub\" }",
            format!("{{\"keys\":[0,{{\"pub\":\"{}\"}}]}}", BASE64URL_NOPAD.encode(&raw)).into_bytes(),
        ),
        (
            "{ format = \"json\", path = \"pub\", encoding = \"hex\" }",
            format!("{{\"pub\":\"{}\"}}", hex(raw)).into_bytes(),
        ),
    ] {
        Case::of(profile(&words(key)), &*rows).key("", file).is_good(key);
    }
}

#[test]
fn pin_field() {
    let words = |pin: &str| format!("{SIGNATURE}message = [{{ hash = \"hex\" }}]\npin_field = {pin}");
    for (pin, skipped) in [
        ("{ field = \"pk\", encoding = \"base64\", skip = 12 }", &[7; 12][..]),
        ("{ field = \"pk\", encoding = \"base64\" }", &[]),
    ] {
        let rows = |other: u8| {
            export(move |number, hash| {
                let seed = if number == 2 { other } else { 1 };
                let key = [skipped, &signer(seed).verifying_key().to_bytes()].concat();
                format!(",\"pk\":\"{}\",\"s\":\"{}\"", BASE64.encode(&key), hex(sign(seed, hash)))
            })
        };
        Case::of(profile(&words(pin)), rows(1)).key("", public(1)).is_good(pin);
        // Signed with the key that the row states: the trusted one is another.
        Case::of(profile(&words(pin)), rows(2)).key("", public(1)).finds(pin, &["unknown-key"]);
    }
}

#[test]
fn linked_by_signature() {
    let profile = "[fields]\nprev = \"p\"\n[chain]\ngenesis = { null = true }\nlink = \"signature\"\nlink_field = \"s\"\n\
                   [[signature]]\nfield = \"s\"\nmessage = [{ json = { exclude = [\"s\"] } }]\n";
    let write = |seeds: [u8; 4]| {
        rows("null", 3, |number, prev| {
            let body = format!("\"a\":\"x{number}\",\"p\":{prev}");
            let signature = hex(sign(seeds[number], format!("{{{body}}}")));
            (format!("{{{body},\"s\":\"{signature}\"}}"), format!("\"{signature}\""))
        })
    };
    let good = write([0, 1, 1, 1]);
    let case = Case::of(profile, &*good).key("", public(1));
    case.is_good("each states the signature before");
    case.edited("\"a\":\"x2\"", "\"a\":\"y2\"").finds("changed", &["signature-invalid"]);
    Case::of(profile, write([0, 1, 2, 1])).key("", public(1)).finds("another key", &["signature-invalid"]);
    let without: String = good.lines().filter(|line| !line.contains("x2")).flat_map(|line| [line, "\n"]).collect();
    Case::of(profile, without).key("", public(1)).finds("a row is missing", &["link-broken"]);
}

#[test]
fn heads() {
    let rows = export(|_, _| ",\"g\":\"G\"".to_owned());
    let mut head = ZEROS.to_owned();
    for number in 1..=3 {
        head = hex(sha256(format!("{number}|x{number}|{head}")));
    }
    let case = |words: &str, head: &str| {
        let mut case = Case::of(profile(words), &*rows);
        case.manifest = Some(head.into());
        case
    };
    let text = "[head]\nformat = \"text\"";
    case(text, &format!(" {head}\n")).is_good("trimmed");
    case(text, ZEROS).finds("another", &["head-mismatch"]);
    let json = "[head]\ncount = \"rows\"\nseq = \"last.n\"\nhash = \"last.h\"";
    let file = |count, number, hash: &str| format!("{{\"rows\":{count},\"last\":{{\"n\":{number},\"h\":\"{hash}\"}}}}");
    case(json, &file(3, 3, &head)).is_good("as it is");
    case(json, &file(3, 3, &ZEROS.replace('0', "1"))).finds("another digest", &["head-mismatch"]);
    case(json, &file(4, 3, &head)).finds("another count", &["manifest-mismatch"]);
    case(json, &file(3, 4, &head)).finds("another number", &["manifest-mismatch"]);
    let mut grouped = Case::of(
        profile("[head]\nhash = \"h\"\ngroup = \"g\"").replace("seq_start", "group_by = \"g\"\nseq_start"),
        &*rows,
    );
    grouped.manifest = Some(format!("[{{\"g\":\"G\",\"h\":\"{head}\"}}]").into());
    grouped.is_good("of this chain");
    grouped.manifest = Some(format!("[{{\"g\":\"G\",\"h\":\"{}\"}}]", ZEROS.replace('0', "1")).into());
    grouped.finds("another digest", &["head-mismatch"]);
}

#[test]
fn head_signature() {
    let words =
        "[head]\nhash = \"hash\"\n[head.signature]\nfield = \"sig\"\nmessage = [\"head|\", { field = \"hash\" }]";
    let rows = export(|_, _| String::new());
    let mut head = ZEROS.to_owned();
    for number in 1..=3 {
        head = hex(sha256(format!("{number}|x{number}|{head}")));
    }
    let with = |signature: Vec<u8>| {
        let mut case = Case::of(profile(words), &*rows).key("", public(1));
        case.manifest = Some(format!("{{\"hash\":\"{head}\",\"sig\":\"{}\"}}", hex(signature)).into());
        case
    };
    with(sign(1, format!("head|{head}"))).is_good("signed");
    with(sign(2, format!("head|{head}"))).finds("by another", &["manifest-mismatch"]);
    with(sign(1, format!("Head|{head}"))).finds("another text", &["manifest-mismatch"]);
}

#[test]
fn variants_without_recipe_names() {
    let words = "[[signature]]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]\n\
                 [[variant]]\nname = \"comma\"\n[[variant.hash]]\npreimage = [{ field = \"n\" }, \",\", { field = \"a\" }, \",\", { prev = \"utf8\" }]\n\
                 [[variant]]\nname = \"text\"\n[[variant.signature]]\nfield = \"s\"\nmessage = [{ hash = \"utf8\" }]\n";
    let write = |between: [&'static str; 4], text: bool| {
        rows(ZEROS, 3, |number, prev| {
            let hash =
                sha256([&number.to_string(), &format!("x{number}"), prev].map(String::from).join(between[number]));
            let signature = if text { sign(1, hex(&hash)) } else { sign(1, &hash) };
            let line = format!(
                "{{\"n\":{number},\"a\":\"x{number}\",\"p\":\"{prev}\",\"h\":\"{}\",\"s\":\"{}\"}}",
                hex(&hash),
                hex(signature)
            );
            (line, hex(hash))
        })
    };
    for between in ["|", ","] {
        for text in [false, true] {
            let case = Case::of(profile(words), write([between; 4], text)).key("", public(1));
            case.is_good(&format!("{between} {text}"));
            case.edited("\"a\":\"x2\"", "\"a\":\"y2\"").finds("changed", &["hash-mismatch"]);
        }
    }
    // A row in another reading than the others is a fault.
    let mixed = Case::of(profile(words), write(["", "|", ",", "|"], false)).key("", public(1));
    mixed.finds("mixed", &["hash-mismatch"]);
}

#[test]
fn a_mac_key_that_is_derived() {
    // RFC 5869 without salt: extract with 32 zero bytes; 42 bytes are two blocks of expansion.
    let extracted = mac(&[0; 32], b"master");
    let first = mac(&extracted, b"sign\x01");
    let second = mac(&extracted, [&*first, b"sign\x02"].concat());
    let derived = [&*first, &second[..10]].concat();
    let words = "[[signature]]\nfield = \"s\"\nalg = \"hmac-sha256\"\nmessage = [{ hash = \"hex\" }]\n\
                 key = { format = \"text\", hkdf = { hash = \"sha256\", info = \"sign\", length = 42 } }";
    let export = export(|_, hash| format!(",\"s\":\"{}\"", hex(mac(&derived, hash))));
    let case = Case::of(profile(words), export);
    case.clone().key("", "master\n").is_good("derived");
    case.key("", "Master\n").finds("another master", &["signature-invalid"]);
}

#[test]
fn bytes_of_a_wrapped_digest() {
    let words = format!(
        "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\n[[hash]]\nwrap_hex = \"1220\"\nprefix = \"f\"\n\
         preimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n{SIGNATURE}message = [{{ hash = \"hex\" }}]\n"
    );
    let write = |wrap: &'static [u8]| {
        rows("none", 2, |number, prev| {
            let hash = sha256(format!("{number}{prev}"));
            let text = format!("f1220{}", hex(&hash));
            let signature = hex(sign(1, [wrap, &hash].concat()));
            (format!("{{\"a\":{number},\"p\":\"{prev}\",\"h\":\"{text}\",\"s\":\"{signature}\"}}"), text)
        })
    };
    Case::of(&*words, write(&[0x12, 0x20])).key("", public(1)).is_good("with what wraps it");
    Case::of(&*words, write(&[])).key("", public(1)).finds("without", &["signature-invalid"]);
}
