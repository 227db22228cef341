//! `[[hash]]` and `[[bind]]`: algorithms, and how digests are written.

use data_encoding::{BASE64, BASE64URL_NOPAD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::{Case, Written, hex, rows, sha256};

fn mac(key: &[u8], bytes: &[u8]) -> Vec<u8> {
    let mut mac = Hmac::<Sha256>::new_from_slice(key).expect("any length");
    mac.update(bytes);
    mac.finalize().into_bytes().to_vec()
}

/// A digest algorithm.
type Digester<'a> = &'a dyn Fn(&[u8]) -> Vec<u8>;

/// Rows whose digests are made of `a`, `t` and the link, and written, as these say.
fn export(kinds: &[&str], digest: &dyn Fn(&str, &[u8]) -> String) -> String {
    rows("none", kinds.len(), |number, prev| {
        let kind = kinds[number - 1];
        let hash = digest(kind, format!("{number}|{kind}|{prev}").as_bytes());
        (format!("{{\"a\":{number},\"t\":\"{kind}\",\"p\":\"{prev}\",\"h\":\"{hash}\"}}"), hash)
    })
}

const PREIMAGE: &str = r#"preimage = [{ field = "a" }, "|", { field = "t" }, "|", { prev = "utf8" }]"#;

fn profile(hash: &str) -> String {
    format!("[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\n[[hash]]\n{PREIMAGE}\n{hash}\n")
}

#[track_caller]
fn holds(case: &Case) {
    case.is_good("as written");
    case.edited("\"a\":2", "\"a\":5").finds("changed", &["hash-mismatch"]);
}

#[test]
fn algorithms() {
    let blake3 = |bytes: &[u8]| blake3::hash(bytes).as_bytes().to_vec();
    let sha1 = |bytes: &[u8]| <sha1::Sha1 as sha1::Digest>::digest(bytes).to_vec();
    let sha384 = |bytes: &[u8]| Sha384::digest(bytes).to_vec();
    let sha512 = |bytes: &[u8]| Sha512::digest(bytes).to_vec();
    let kinds: [(&str, Digester<'_>); 6] = [
        ("", &|bytes| sha256(bytes)),
        ("alg = \"sha256\"", &|bytes| sha256(bytes)),
        ("alg = \"sha1\"", &sha1),
        ("alg = \"sha384\"", &sha384),
        ("alg = \"sha512\"", &sha512),
        ("alg = \"blake3\"", &blake3),
    ];
    for (words, digest) in kinds {
        holds(&Case::of(profile(words), export(&["x"; 3], &|_, bytes| hex(digest(bytes)))));
    }
}

#[test]
fn an_algorithm_that_the_row_names() {
    let by_name = |kind: &str, bytes: &[u8]| match kind {
        "sha512" => hex(Sha512::digest(bytes)),
        "B3" => blake3::hash(bytes).to_hex().to_string(),
        _ => hex(sha256(bytes)),
    };
    let words = "alg_field = \"t\"\nalg_map = { SHA256 = \"sha256\", B3 = \"blake3\" }";
    let case = Case::of(profile(words), export(&["SHA256", "B3", "SHA256"], &by_name));
    holds(&case);
    case.edited("\"t\":\"B3\"", "\"t\":\"SHA256\"").finds("another algorithm", &["hash-mismatch"]);
    case.edited("\"t\":\"B3\"", "\"t\":\"b3\"").finds("one that is not known", &["field-malformed"]);
    let own = Case::of(profile("alg_field = \"t\""), export(&["sha512", "sha256", "sha512"], &by_name));
    holds(&own);
    // Where the member is absent, alg is the default.
    let words = profile("alg_field = \"alg\"\nalg = \"sha512\"");
    holds(&Case::of(words, export(&["sha512"; 3], &by_name)));
}

#[test]
fn the_first_table_whose_condition_holds() {
    let digest = |kind: &str, bytes: &[u8]| match kind {
        "big" => hex(Sha512::digest(bytes)),
        _ => hex(sha256(bytes)),
    };
    let other = format!("[[hash]]\n{PREIMAGE}\n");
    for condition in [r#"{ field = "t", equals = "big" }"#, r#"{ field = "t", in = ["big", "huge"] }"#] {
        let words = format!("alg = \"sha512\"\nwhen = {condition}\n{other}");
        holds(&Case::of(profile(&words), export(&["small", "big", "small"], &digest)));
    }
    let by_number = |_: &str, bytes: &[u8]| match bytes[0] {
        b'2'.. => hex(Sha512::digest(bytes)),
        _ => hex(sha256(bytes)),
    };
    let words = format!("alg = \"sha512\"\nwhen = {{ field = \"a\", at_least = 2 }}\n{other}");
    holds(&Case::of(profile(&words), export(&["x"; 3], &by_number)));
    let words = format!("alg = \"sha512\"\nwhen = {{ field = \"q\", present = true }}\n{other}");
    holds(&Case::of(profile(&words), export(&["small"; 3], &digest)));
}

#[test]
fn keyed() {
    let keyed = |key: &[u8]| export(&["x"; 3], &|_, bytes| hex(mac(key, bytes)));
    let words = profile("alg = \"hmac-sha256\"");
    // A key that made the only row's digest was used.
    let one = export(&["x"], &|_, bytes| hex(mac(b"secret", bytes)));
    let role = profile("alg = \"hmac-sha256\"\nkey = { role = \"mac\" }");
    Case::of(role, one).key("mac", "secret").is_good("one row");
    // The file's bytes, untouched.
    holds(&Case::of(&*words, keyed(b"secret of the ledger\n")).key("", "secret of the ledger\n"));
    Case::of(&*words, keyed(b"secret of the ledger\n"))
        .key("", "secret of the ledger")
        .finds("another key", &["hash-mismatch"]);
    Case::of(&*words, keyed(b"secret of the ledger\n")).finds("no key", &["no-key"]);
    let secret: Vec<u8> = (0..32).collect();
    for (format, file) in [
        ("raw", secret.clone()),
        ("text", [b" \n", &*BASE64.encode(&secret).into_bytes(), b"\n"].concat()),
        ("hex", hex(&secret).into_bytes()),
        ("base64", BASE64.encode(&secret).into_bytes()),
        ("base64url", BASE64URL_NOPAD.encode(&secret).into_bytes()),
    ] {
        let key = if format == "text" { BASE64.encode(&secret).into_bytes() } else { secret.clone() };
        let words = format!("alg = \"hmac-sha256\"\nkey = {{ role = \"mac\", format = \"{format}\" }}");
        holds(&Case::of(profile(&words), keyed(&key)).key("mac", file));
    }
    let file = format!("{{\"k\":[{{\"secret\":\"{}\"}}]}}", BASE64URL_NOPAD.encode(&secret));
    let words = "alg = \"hmac-sha256\"\nkey = { format = \"json\", path = \"k.0.secret\" }";
    holds(&Case::of(profile(words), keyed(&secret)).key("", file));
    let file = format!("{{\"secret\":\"{}\"}}", hex(&secret));
    let words = "alg = \"hmac-sha256\"\nkey = { format = \"json\", path = \"secret\", encoding = \"hex\" }";
    holds(&Case::of(profile(words), keyed(&secret)).key("", file));
}

#[test]
fn a_key_that_is_derived() {
    // RFC 5869 without salt: extract with 32 zero bytes, then one block of expansion.
    let master = b"the master secret, longer than a block would be";
    let derived = mac(&mac(&[0; 32], master), b"audit\x01");
    let words = "alg = \"hmac-sha256\"\nkey = { hkdf = { hash = \"sha256\", info = \"audit\", length = 32 } }";
    let export = export(&["x"; 3], &|_, bytes| hex(mac(&derived, bytes)));
    holds(&Case::of(profile(words), &*export).key("", master));
    let other = words.replace("\"audit\"", "\"Audit\"");
    Case::of(profile(&other), export).key("", master).finds("another info", &["hash-mismatch"]);
}

#[test]
fn how_a_digest_is_written() {
    let multihash = |bytes: &[u8]| [&[0x12, 0x20], &*sha256(bytes)].concat();
    let written: [(&str, Written<'_>); 9] = [
        ("encoding = \"hex\"", &|bytes| hex(sha256(bytes))),
        ("encoding = \"base64\"", &|bytes| BASE64.encode(&sha256(bytes))),
        ("encoding = \"base64url\"", &|bytes| BASE64URL_NOPAD.encode(&sha256(bytes))),
        ("encoding = \"base58btc\"", &|bytes| bs58::encode(sha256(bytes)).into_string()),
        ("prefix = \"sha256:\"\nsuffix = \";\"", &|bytes| format!("sha256:{};", hex(sha256(bytes)))),
        ("wrap_hex = \"1220\"", &|bytes| format!("1220{}", hex(sha256(bytes)))),
        ("wrap_hex = \"1220\"\nencoding = \"base58btc\"\nprefix = \"z\"", &|bytes| {
            format!("z{}", bs58::encode(multihash(bytes)).into_string())
        }),
        ("truncate = 32", &|bytes| hex(sha256(bytes))[..32].to_owned()),
        ("truncate = 20\nprefix = \"id-\"\nencoding = \"base64\"", &|bytes| {
            format!("id-{}", &BASE64.encode(&sha256(bytes))[..20])
        }),
    ];
    for (words, digest) in written {
        let case = Case::of(profile(words), export(&["x"; 3], &|_, bytes| digest(bytes)));
        holds(&case);
    }
    // Only one spelling is the digest.
    let upper = export(&["x"; 3], &|_, bytes| hex(sha256(bytes)).to_uppercase());
    Case::of(profile(""), upper).finds("upper case", &["field-malformed"]);
}

#[test]
fn bind() {
    let bound = |members: &str| {
        rows("none", 2, |number, prev| {
            let hash = hex(sha256(format!("{number}{prev}")));
            (format!("{{\"a\":{number},\"p\":\"{prev}\",\"h\":\"{hash}\"{members}}}"), hash)
        })
    };
    let profile = |words: &str| {
        format!(
            "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\n[[bind]]\nfield = \"d\"\n{words}\n\
             [[hash]]\npreimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n"
        )
    };
    let of = r#"preimage = [{ json = { of = "b" } }]"#;
    let body = r#"{"x":1}"#;
    for (words, digest) in [
        ("", hex(sha256(body))),
        ("alg = \"sha512\"", hex(Sha512::digest(body))),
        ("alg = \"blake3\"\nencoding = \"base64\"", BASE64.encode(blake3::hash(body.as_bytes()).as_bytes())),
        ("prefix = \"<\"\nsuffix = \">\"", format!("<{}>", hex(sha256(body)))),
        ("when = { field = \"b\", present = true }", hex(sha256(body))),
    ] {
        let profile = profile(&format!("{of}\n{words}"));
        Case::of(&*profile, bound(&format!(",\"b\":{{ \"x\":1 }},\"d\":\"{digest}\""))).is_good(words);
        Case::of(&*profile, bound(&format!(",\"b\":{{ \"x\":2 }},\"d\":\"{digest}\"")))
            .finds(words, &["bind-mismatch"]);
        Case::of(&*profile, bound(",\"b\":{\"x\":1}")).finds(words, &["field-missing"]);
    }
    let only = profile(&format!("{of}\nwhen = {{ field = \"b\", present = true }}"));
    // A number stands as it is written, also in a part that only some rows have.
    let digest = hex(sha256(r#"{"x":1.50}"#));
    Case::of(&*only, bound(&format!(",\"b\":{{\"x\":1.50}},\"d\":\"{digest}\""))).is_good("1.50");
    Case::of(&*only, bound(&format!(",\"b\":{{\"x\":1.51}},\"d\":\"{digest}\""))).finds("1.51", &["bind-mismatch"]);
    Case::of(only, bound(",\"d\":\"anything\"")).is_good("the condition does not hold");
}

#[test]
fn bytes_of_a_digest_that_is_wrapped_or_cut() {
    let words = |prev: &str, hash: &str| {
        format!(
            "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = {{ null = true }}\n[[hash]]\n{hash}\npreimage = [{{ field = \"a\" }}]\n\
             when = {{ field = \"p\", present = false }}\n[[hash]]\n{hash}\npreimage = [{{ field = \"a\" }}, {{ prev = \"{prev}\" }}]\n"
        )
    };
    type Write = fn(&[u8]) -> (String, Vec<u8>);
    let wrapped: Write = |digest| {
        let bytes = [&[0x12, 0x20], digest].concat();
        (format!("z{}", bs58::encode(&bytes).into_string()), bytes)
    };
    let cut: Write = |digest| (hex(digest)[..32].to_owned(), digest[..16].to_vec());
    let prefixed: Write = |digest| (format!("sha256:{}", hex(digest)), digest.to_vec());
    for (form, hash, write) in [
        // What wraps the digest is part of what its text encodes.
        ("base58btc", "wrap_hex = \"1220\"\nencoding = \"base58btc\"\nprefix = \"z\"", wrapped),
        ("hex", "truncate = 32", cut),
        ("hex", "prefix = \"sha256:\"", prefixed),
    ] {
        let mut before: Vec<u8> = Vec::new();
        let export = rows("null", 3, |number, prev| {
            let (text, bytes) = write(&sha256([number.to_string().as_bytes(), &before].concat()));
            before = bytes;
            (format!("{{\"a\":{number},\"p\":{prev},\"h\":\"{text}\"}}"), format!("\"{text}\""))
        });
        holds(&Case::of(words(form, hash), export));
    }
}

#[test]
fn tables_that_write_digests_differently() {
    let other =
        "[[hash]]\nprefix = \"b:\"\nencoding = \"base64\"\npreimage = [{ field = \"a\" }, { prev = \"utf8\" }]\n";
    let words = format!(
        "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\n[[hash]]\nprefix = \"a:\"\n\
         when = {{ field = \"a\", equals = 2 }}\npreimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n{other}"
    );
    let export = rows("none", 4, |number, prev| {
        let digest = sha256(format!("{number}{prev}"));
        let text = if number == 2 { format!("a:{}", hex(&digest)) } else { format!("b:{}", BASE64.encode(&digest)) };
        (format!("{{\"a\":{number},\"p\":\"{prev}\",\"h\":\"{text}\"}}"), text)
    });
    let case = Case::of(words, export);
    case.is_good("as written");
    case.edited("\"a\":3", "\"a\":5").finds("changed", &["hash-mismatch"]);
}

#[test]
fn a_mac_among_the_algorithms_that_rows_name() {
    let by_name = |kind: &str, bytes: &[u8]| match kind {
        "HS" => hex(mac(b"secret", bytes)),
        _ => hex(sha256(bytes)),
    };
    let words =
        profile("alg_field = \"t\"\nalg_map = { HS = \"hmac-sha256\", S = \"sha256\" }\nkey = { role = \"mac\" }");
    let case = |kinds: &[&str]| Case::of(&*words, export(kinds, &by_name)).key("mac", "secret");
    case(&["S", "HS", "S", "HS"]).is_good("as written");
    case(&["S", "HS", "S", "HS"]).edited("\"a\":3", "\"a\":5").finds("changed", &["hash-mismatch"]);
    // Whoever has no secret can write such rows.
    case(&["S", "HS", "S"]).finds("behind the last MAC", &["unsigned-tail"]);
    case(&["S", "S"]).finds("without a MAC", &["key-unused", "unsigned-tail"]);
}

#[test]
fn conditions() {
    let digest = |kind: &str, bytes: &[u8]| match kind {
        "big" => hex(Sha512::digest(bytes)),
        _ => hex(sha256(bytes)),
    };
    // The second row's member decides which table it follows.
    for (condition, yes, no) in [
        ("equals = true", &["true"][..], &["false", "\"true\"", "1", "null"][..]),
        ("equals = 1", &["1", "1.0", "1e0"], &["2", "\"1\"", "true", "1.5"]),
        ("equals = \"x\"", &["\"x\"", "\"\\u0078\""], &["\"X\"", "null", "[\"x\"]"]),
        ("in = [1, \"x\", false]", &["1", "\"x\"", "false"], &["0", "\"1\"", "null", "true"]),
        ("at_least = 2.5", &["2.5", "3", "1e9"], &["2", "-3", "null"]),
        ("present = true", &["0", "\"\"", "false", "{}"], &["null"]),
        ("present = false", &["null"], &["0", "\"\""]),
    ] {
        for (value, kind) in yes.iter().map(|value| (value, "big")).chain(no.iter().map(|value| (value, "small"))) {
            let words =
                profile(&format!("alg = \"sha512\"\nwhen = {{ field = \"c\", {condition} }}\n[[hash]]\n{PREIMAGE}"));
            let rows = export(&[kind; 1], &digest);
            let case = Case::of(words, rows.replace("{\"a\"", &format!("{{\"c\":{value},\"a\"")));
            case.is_good(&format!("{condition}: {value}"));
        }
    }
}

#[test]
fn a_row_that_no_table_is_for() {
    let digest = |_: &str, bytes: &[u8]| hex(sha256(bytes));
    let case = Case::of(profile("when = { field = \"t\", in = [\"x\", \"y\"] }"), export(&["x", "y", "x"], &digest));
    holds(&case);
    case.edited("\"t\":\"y\"", "\"t\":\"z\"").finds("another kind", &["field-malformed"]);
}

#[test]
fn macs_of_chains_with_keys_of_their_own() {
    let words = "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"none\"\ngroup_by = \"g\"\n[[hash]]\nalg = \"hmac-sha256\"\n\
                 preimage = [{ field = \"g\" }, { field = \"a\" }, { prev = \"utf8\" }]\n";
    let chain = |name: &'static str, secrets: [&'static str; 3]| {
        rows("none", 3, |number, prev| {
            let hash = hex(mac(secrets[number - 1].as_bytes(), format!("{name}{number}{prev}").as_bytes()));
            (format!("{{\"g\":\"{name}\",\"a\":{number},\"p\":\"{prev}\",\"h\":\"{hash}\"}}"), hash)
        })
    };
    let case = |a, b| Case::of(words, chain("A", a) + &chain("B", b)).key("A", "first").key("B", "second");
    case(["first"; 3], ["second"; 3]).is_good("each its own");
    case(["first"; 3], ["second", "first", "second"]).finds("a row under the other's", &["hash-mismatch"]);
    case(["first"; 3], ["first"; 3]).finds("all under the other's", &["hash-mismatch", "key-unused"]);
    let one = Case::of(words, chain("A", ["first"; 3]) + &chain("B", ["first"; 3])).key("A", "first");
    one.finds("no key for the second", &["no-key"]);
    // The same before it is settled in which reading rows are hashed.
    let two = format!(
        "{words}[[variant]]\nname = \"other\"\n[[variant.hash]]\nalg = \"hmac-sha256\"\n\
         preimage = [{{ field = \"a\" }}, {{ prev = \"utf8\" }}]\n"
    );
    let case = |b| Case::of(&*two, chain("B", b) + &chain("A", ["first"; 3])).key("A", "first").key("B", "second");
    case(["second"; 3]).is_good("each its own");
    case(["first", "second", "second"]).finds("the first row under the other's", &["hash-mismatch"]);
}
