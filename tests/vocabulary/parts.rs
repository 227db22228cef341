//! The parts of a preimage and what may stand beside each.

use data_encoding::{BASE64, BASE64URL_NOPAD, HEXLOWER};

use crate::{Case, Written, ZEROS, hex, sha256, word};

#[test]
fn text_hex_and_field() {
    for word in [
        word(r#""v1é|", { field = "a" }"#, r#""a":"x""#, "v1é|x", r#""a":"y""#),
        word(r#"{ hex = "00ff7c" }, { field = "a" }"#, r#""a":"x""#, b"\x00\xff\x7cx", r#""a":"y""#),
        word(r#"{ of = ["a", { field = "a" }], len = "ascii" }"#, r#""a":"xyz""#, "4axyz", r#""a":"xyZ""#),
        word(r#"{ field = "a" }"#, r#""a":"\u00e9\n""#, "é\n", r#""a":"e\n""#).alike(r#""a":"é\u000a""#),
        word(r#"{ field = "a" }"#, r#""a":1.50"#, "1.50", r#""a":1.5"#),
        word(r#"{ field = "a" }"#, r#""a":-0"#, "-0", r#""a":0"#),
        word(r#"{ field = "a" }"#, r#""a":true"#, "true", r#""a":false"#),
        word(r#"{ field = "a" }"#, r#""a":null"#, "null", r#""a":0"#),
        word(
            r#"{ field = "a" }"#,
            r#""a":{"z": [1.0, null], "b":"é"}"#,
            r#"{"b":"é","z":[1.0,null]}"#,
            r#""a":{"z":[1,null],"b":"é"}"#,
        )
        .alike(r#""a":{"b":"\u00e9","z":[1.0,null]}"#),
        word(r#"{ field = "a.1.c" }"#, r#""a":[0,{"c":"x"}]"#, "x", r#""a":[0,{"c":"y"}]"#)
            .alike(r#""a":[9,{"c":"x"}]"#),
        word(r#"{ field = "a", default = "none" }"#, r#""b":1"#, "none", r#""a":"nonE""#).alike(r#""a":null"#),
        word(r#"{ field = "alias" }"#, r#""a":"x","alias":"q""#, "x", r#""a":"y","alias":"q""#)
            .more("[fields.alias]\npath = \"a\"\n"),
    ] {
        word.holds();
    }
}

#[test]
fn a_member_that_is_absent() {
    let word = word(r#"{ field = "a" }"#, r#""a":"x""#, "x", r#""a":"y""#);
    word.case(r#""b":"x""#, b"x").finds("absent without default", &["field-missing"]);
}

#[test]
fn field_as() {
    for word in [
        word(r#"{ field = "a", as = "utf8" }"#, r#""a":"00ff""#, "00ff", r#""a":"00fe""#),
        word(r#"{ field = "a", as = "hex" }"#, r#""a":"00ff""#, b"\x00\xff", r#""a":"00fe""#),
        word(r#"{ field = "a", as = "base64" }"#, r#""a":"+/8=""#, b"\xfb\xff", r#""a":"+/4=""#),
        word(r#"{ field = "a", as = "base64url" }"#, r#""a":"-_8""#, b"\xfb\xff", r#""a":"-_4""#),
        word(
            r#"{ field = "a", as = "uuid" }"#,
            r#""a":"00112233-4455-6677-8899-aabbccddeeff""#,
            b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
            r#""a":"00112233-4455-6677-8899-aabbccddeefe""#,
        ),
        word(r#"{ field = "a", as = "json-string" }"#, r#""a":"x\"\u00e9\n""#, "\"x\\\"é\\n\"", r#""a":"x\"e\n""#),
    ] {
        word.holds();
    }
}

#[test]
fn sub_map_and_their_order() {
    for word in [
        // The replacement is literal, every match is replaced.
        word(r#"{ field = "a", sub = [["o+", "$0"]] }"#, r#""a":"foobo""#, "f$0b$0", r#""a":"foobi""#)
            .alike(r#""a":"fooobo""#),
        word(r#"{ field = "a", sub = [["a", "b"], ["b", "c"]] }"#, r#""a":"ab""#, "cc", r#""a":"cd""#),
        word(r#"{ field = "a", map = { true = "True", false = "False" } }"#, r#""a":true"#, "True", r#""a":false"#),
        word(r#"{ field = "a", map = { null = "None" } }"#, r#""a":null"#, "None", r#""a":"none""#),
        word(r#"{ field = "a", map = { x = "y" } }"#, r#""a":"z""#, "z", r#""a":"x""#),
        word(
            r#"{ field = "a", default = "d", sub = [["d", "e"]], map = { e = "00ff" }, as = "hex", len = "u32be", then_hex = "0a" }"#,
            r#""b":1"#,
            b"\x00\x00\x00\x02\x00\xff\x0a",
            r#""a":"00fe""#,
        ),
    ] {
        word.holds();
    }
}

#[test]
fn len_and_then_hex() {
    for word in [
        word(r#"{ field = "a", len = "u64be" }"#, r#""a":"é""#, b"\0\0\0\0\0\0\0\x02\xc3\xa9", r#""a":"è""#),
        word(r#"{ field = "a", len = "u64le" }"#, r#""a":"é""#, b"\x02\0\0\0\0\0\0\0\xc3\xa9", r#""a":"è""#),
        word(r#"{ field = "a", len = "u32be" }"#, r#""a":"é""#, b"\0\0\0\x02\xc3\xa9", r#""a":"è""#),
        word(r#"{ field = "a", len = "ascii" }"#, r#""a":"0123456789""#, "100123456789", r#""a":"0123456780""#),
        word(r#"{ field = "a", len = "ascii-nul" }"#, r#""a":"0123456789""#, "10\x000123456789", r#""a":"0123456780""#),
        word(r#"{ field = "a", then_hex = "00ff" }"#, r#""a":"x""#, b"x\x00\xff", r#""a":"y""#),
        word(
            r#"{ json = { of = "b" }, len = "u32be", then_hex = "0a" }"#,
            r#""b":[ 1 ]"#,
            b"\0\0\0\x03[1]\n",
            r#""b":[2]"#,
        ),
    ] {
        word.holds();
    }
}

#[test]
fn digest_of_parts() {
    let (raw, text) = (sha256("ax"), hex(sha256("ax")));
    let twice = sha256([b"-", text.as_bytes()].concat());
    for word in [
        word(r#"{ digest = "sha256", of = ["a", { field = "a" }] }"#, r#""a":"x""#, &raw, r#""a":"y""#),
        word(r#"{ digest = "sha256", out = "raw", of = ["a", { field = "a" }] }"#, r#""a":"x""#, &raw, r#""a":"y""#),
        word(r#"{ digest = "sha256", out = "hex", of = ["a", { field = "a" }] }"#, r#""a":"x""#, &text, r#""a":"y""#),
        word(
            r#"{ digest = "sha256", of = ["-", { digest = "sha256", out = "hex", of = ["a", { field = "a" }] }] }"#,
            r#""a":"x""#,
            twice,
            r#""a":"y""#,
        ),
        word(
            r#"{ digest = "sha256", out = "hex", of = ["a", { field = "a" }], len = "ascii-nul" }"#,
            r#""a":"x""#,
            format!("64\0{text}"),
            r#""a":"y""#,
        ),
    ] {
        word.holds();
    }
}

#[test]
fn charset() {
    // é is U+00E9, € is U+20AC, 😀 is D83D DE00 in UTF-16.
    word(
        r#"{ json = { of = "b" }, charset = "latin1-low-byte" }"#,
        r#""b":{"k":"é€😀"}"#,
        b"{\"k\":\"\xe9\xac\x3d\x00\"}",
        r#""b":{"k":"é€"}"#,
    )
    .holds();
}

#[test]
fn prev_in_each_form() {
    let zeros = [0; 32];
    let base58 = |bytes: &[u8]| bs58::encode(bytes).into_string();
    let base64 = |bytes: &[u8]| BASE64.encode(bytes);
    let base64url = |bytes: &[u8]| BASE64URL_NOPAD.encode(bytes);
    let hexed = |bytes: &[u8]| HEXLOWER.encode(bytes);
    let forms: [(&str, Written<'_>); 4] =
        [("hex", &hexed), ("base64", &base64), ("base64url", &base64url), ("base58btc", &base58)];
    for (form, text) in forms {
        for mapped in ["prev = \"p\"\n", ""] {
            for raw in [true, false] {
                let said = if raw { form } else { "utf8" };
                let profile = format!(
                    "[fields]\nhash = \"h\"\n{mapped}[chain]\ngenesis = \"x:{}\"\n\
                     [[hash]]\nprefix = \"x:\"\nencoding = \"{form}\"\npreimage = [{{ field = \"a\" }}, {{ prev = \"{said}\" }}]\n",
                    text(&zeros)
                );
                let mut prev = zeros.to_vec();
                let mut export = String::new();
                for number in 1..=3 {
                    let link = format!("x:{}", text(&prev));
                    let entered = if raw { prev.clone() } else { link.clone().into_bytes() };
                    let hash = sha256([format!("row {number}").as_bytes(), &entered].concat());
                    export += &format!("{{\"a\":\"row {number}\",\"p\":\"{link}\",\"h\":\"x:{}\"}}\n", text(&hash));
                    prev = hash;
                }
                let case = Case::of(profile, export);
                case.is_good(form);
                case.edited("row 2", "row 5").finds(form, &["hash-mismatch"]);
            }
        }
    }
}

#[test]
fn prev_strip_prefix() {
    let profile = format!(
        "[fields]\nprev = \"p\"\nhash = \"h\"\n[chain]\ngenesis = \"x:{ZEROS}\"\n[[hash]]\nprefix = \"x:\"\n\
         preimage = [{{ field = \"a\" }}, {{ prev = \"utf8\", strip_prefix = \"x:\" }}]\n"
    );
    let first = hex(sha256(format!("1{ZEROS}")));
    let second = hex(sha256(format!("2{first}")));
    let export = format!(
        "{{\"a\":1,\"p\":\"x:{ZEROS}\",\"h\":\"x:{first}\"}}\n{{\"a\":2,\"p\":\"x:{first}\",\"h\":\"x:{second}\"}}\n"
    );
    let case = Case::of(profile, export);
    case.is_good("without its prefix");
    case.edited("\"a\":2", "\"a\":3").finds("changed", &["hash-mismatch"]);
}

#[test]
fn line() {
    // Without a digest in the row, the row is hashed as it stands and the next one states that.
    let profile = format!(
        "[fields]\nprev = \"p\"\n[chain]\ngenesis = \"{ZEROS}\"\n[[hash]]\npreimage = [\"line:\", {{ line = true }}]\n"
    );
    let mut export = String::new();
    let mut prev = ZEROS.to_owned();
    for number in 1..=3 {
        let line = format!("{{ \"a\":{number}.0,  \"p\":\"{prev}\" }}");
        prev = hex(sha256(format!("line:{line}")));
        export += &format!("{line}\n");
    }
    let case = Case::of(profile, export);
    case.is_good("the exact bytes");
    case.edited("\"a\":2.0,  ", "\"a\":2.0, ").finds("a space less", &["link-broken"]);
}

#[test]
fn algorithms_of_digests() {
    use sha2::Digest;
    for (parts, bytes) in [
        (r#"{ digest = "sha1", out = "hex", of = [{ field = "a" }] }"#, hex(sha1::Sha1::digest("x"))),
        (r#"{ digest = "sha384", out = "hex", of = [{ field = "a" }] }"#, hex(sha2::Sha384::digest("x"))),
        (r#"{ digest = "sha512", out = "hex", of = [{ field = "a" }] }"#, hex(sha2::Sha512::digest("x"))),
        (r#"{ digest = "blake3", out = "hex", of = [{ field = "a" }] }"#, blake3::hash(b"x").to_hex().to_string()),
    ] {
        word(parts, r#""a":"x""#, bytes, r#""a":"y""#).holds();
    }
}

#[test]
fn text_that_encodes_no_bytes() {
    for (parts, good, bytes, bad) in [
        (
            r#"{ field = "a", as = "hex" }"#,
            r#""a":"00ff""#,
            &b"\x00\xff"[..],
            [r#""a":"00f""#, r#""a":"00fg""#, r#""a":"00FF""#],
        ),
        (
            r#"{ field = "a", as = "base64" }"#,
            r#""a":"+/8=""#,
            b"\xfb\xff",
            [r#""a":"+/8""#, r#""a":"+/9=""#, r#""a":"-_8=""#],
        ),
        (
            r#"{ field = "a", as = "base64url" }"#,
            r#""a":"-_8""#,
            b"\xfb\xff",
            [r#""a":"-_8=""#, r#""a":"-_9""#, r#""a":"+/8""#],
        ),
        (
            r#"{ field = "a", as = "uuid" }"#,
            r#""a":"00112233-4455-6677-8899-aabbccddeeff""#,
            b"\x00\x11\x22\x33\x44\x55\x66\x77\x88\x99\xaa\xbb\xcc\xdd\xee\xff",
            [
                r#""a":"00112233445566778899aabbccddeeff""#,
                r#""a":"00112233-4455-6677-8899-aabbccddeefg""#,
                r#""a":"0011223344556677-8899-aabb-ccddeeff""#,
            ],
        ),
    ] {
        let word = word(parts, good, bytes, good);
        word.holds();
        for bad in bad {
            word.case(bad, bytes).finds(bad, &["field-malformed"]);
        }
    }
}
