//! What is said of wrong profiles, and what the built-in ones come to.

use super::*;
use crate::fact::{NameForm, Recipe};
use crate::profile::builtin::PROFILES;

const VOID: &str = include_str!("../builtin/void.toml");

/// A profile that is as short as can be.
const SHORT: &str = r#"
[profile]
name = "short"
[fields]
prev = "prev"
hash = "hash"
[chain]
genesis = ""
[[hash]]
preimage = [{ json = { exclude = ["hash"] } }]
"#;

fn compiled(text: &str) -> Plan {
    compile(text, "test.toml", Source::File).unwrap_or_else(|stop| panic!("{stop}: {text}"))
}

/// What is said of `text` after `from` was replaced in it.
fn stop(text: &str, from: &str, to: &str) -> String {
    assert!(text.contains(from), "{from}");
    compile(&text.replacen(from, to, 1), "test.toml", Source::File).expect_err(to).message
}

/// The same of the short profile with these lines behind it.
fn with(lines: &str) -> String {
    compile(&format!("{SHORT}{lines}\n"), "test.toml", Source::File).expect_err(lines).message
}

#[test]
fn the_home_format_has_three_readings_on_two_axes() {
    let plan = compiled(VOID);
    assert_eq!(plan.settled(), Recipe { hash: None, signature: None });
    assert_eq!(plan.recipe_text(plan.settled()), "prev=raw, signed=raw");
    let pinned = plan.pinned("signed=text").expect("half a recipe");
    assert_eq!(pinned, Recipe { hash: None, signature: Some(1) });
    assert_eq!(plan.recipe_text(plan.pinned("prev=hex, signed=hex").expect("both")), "prev=hex, signed=hex");
    for wrong in ["prev", "prev=", "prev=base64", "signed=raw,", "recipe=raw", ""] {
        assert!(plan.pinned(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn every_built_in_profile_is_good_and_has_its_own_name() {
    for (name, text) in PROFILES {
        let plan = compile(text, name, Source::Builtin).unwrap_or_else(|stop| panic!("{stop}"));
        assert_eq!(plan.name, *name);
        assert!(!plan.about.is_empty(), "{name} says what it is");
    }
}

#[test]
fn a_wrong_type_names_its_key_and_no_type_of_rust() {
    for (line, key) in [("seq_step = -1", "seq_step"), ("gaps = \"some\"", "gaps"), ("link_field = 5", "link_field")] {
        let said = stop(SHORT, "genesis = \"\"", &format!("genesis = \"\"\n{line}"));
        assert!(said.contains(&format!("line 9: {key}: ")), "{said}");
        assert!(!said.contains("u64") && !said.contains("usize"), "{said}");
    }
    let said = with("truncate = -1");
    assert!(said.contains("truncate: ") && said.contains("a whole number from 0 on"), "{said}");
}

#[test]
fn a_wrong_word_is_named_with_its_line_and_what_is_allowed() {
    let unknown = stop(VOID, "seq_start = [0, 1]", "seq_begin = 0");
    assert!(unknown.starts_with("profile test.toml, line 18: unknown field `seq_begin`, expected one of"), "{unknown}");
    assert!(unknown.contains("`seq_start`"), "{unknown}");
    let inside = stop(SHORT, "hash = \"hash\"", "hash = { path = \"a\", regexp = \"b\" }");
    assert!(inside.contains("line 6") && inside.contains("`regexp`") && inside.contains("`regex`"), "{inside}");
    assert!(stop(SHORT, "genesis = \"\"", "genesis = 0").contains("{ null = true }"));
    assert!(stop(SHORT, "genesis = \"\"", "genesis = { nil = true }").contains("`nil`"));
    assert!(stop(SHORT, "{ json", "7, { json").contains("a text, or a table"));
    assert!(stop(SHORT, "exclude = [\"hash\"]", "exclude = 7").contains("line 10"));
    let form = stop(SHORT, "exclude = [\"hash\"]", "exclude = [\"hash\"], canon = \"yaml\"");
    assert_eq!(
        form,
        "profile test.toml, line 10: [[hash]] 1, preimage 1, json, canon: there is no canonical form \"yaml\": jcs, \
         compact, compact-ascii and python-default are built in"
    );
    let algorithm = stop(SHORT, "[[hash]]", "[[hash]]\nalg = \"md5\"");
    assert!(algorithm.contains("line 10: [[hash]] 1, alg: \"md5\" is no digest: sha1, sha256"), "{algorithm}");
}

#[test]
fn what_contradicts_itself_is_refused() {
    for (from, to, why) in [
        ("{ json", "{ prev = \"hex\", hash = \"hex\" }, { json", "exactly one of"),
        ("{ json", "{ prev = \"base64\" }, { json", "another encoding"),
        ("{ json", "{ prev = \"hex\", strip_prefix = \"x\" }, { json", "goes with \"utf8\" only"),
        ("{ json", "{ prev = \"utf8\", strip_prefix = \"x\" }, { json", "digests are not written with it"),
        ("{ json", "{ hex = \"0g\" }, { json", "hex digits"),
        ("{ json", "{ hex = \"00\", default = \"\" }, { json", "goes with field only"),
        ("{ json", "{ field = \"a\", charset = \"latin1-low-byte\" }, { json", "goes with json only"),
        ("{ json", "{ digest = \"sha256\" }, { json", "a digest is of something"),
        ("{ json", "{ digest = \"hmac-sha256\", of = [\"a\"] }, { json", "a MAC cannot stand here"),
        ("{ json", "{ of = [] }, { json", "there is no part in it"),
        ("{ json", "{ field = \"a\", sub = [[\"(\", \"\"]] }, { json", "no regular expression"),
        ("{ json", "{ field = \"@body.a\" }, { json", "parse_json names no member"),
        ("{ json", "{ hash = \"hex\" }, { json", "no part of what it is the digest of"),
        ("{ json = { exclude = [\"hash\"] } }", "{ prev = \"hex\" }", "covers nothing that the row says"),
        ("exclude = [\"hash\"]", "missing = \"null\"", "there is no include"),
        ("exclude = [\"hash\"]", "include_if_present = [\"a\"]", "without include"),
        ("exclude = [\"hash\"]", "keep_null = [\"a\"]", "there is no drop_null"),
        ("exclude = [\"hash\"]", "set = { a = { } }", "it is { field"),
        (
            "exclude = [\"hash\"]",
            "include = [\"a\"], include_when = [{ field = \"b\", fields = [] }]",
            "exactly one of",
        ),
        ("prev = \"prev\"\n", "", "nothing links the rows"),
        ("name = \"short\"", "name = \" \"", "is empty"),
        ("genesis = \"\"", "genesis = \"\"\nseq_start = 1", "[fields] names no seq"),
        ("genesis = \"\"", "genesis = \"\"\nsingle_group = true", "needs group_by"),
        ("genesis = \"\"", "genesis = \"\"\nlink_field = \"a\"", "goes with link = \"signature\" only"),
        ("genesis = \"\"", "genesis = \"\"\nlink = \"signature\"", "needs link_field"),
        ("genesis = \"\"", "genesis = { null = true, param = true }", "it is a text, { null = true }"),
        ("[[hash]]", "[[hash]]\nkey = {}", "goes with a MAC"),
        ("[[hash]]", "[[hash]]\ntruncate = 0", "nothing is left"),
        ("[[hash]]", "[[hash]]\nalg_map = { a = \"sha256\" }", "there is no alg_field"),
        ("[[hash]]", "[[hash]]\nwrap_hex = \"1\"", "hex digits"),
        ("[chain]", "[canon.jcs]\nkeys = \"v8\"\n[chain]", "built in"),
        ("[chain]", "[canon.own]\nkeys = \"random\"\n[chain]", "none of codepoint, utf16, as-written, v8"),
        ("[chain]", "[input]\nformat = \"lines\"\n[chain]", "needs a regex"),
        ("[chain]", "[input]\nregex = \"a\"\n[chain]", "goes with format = \"lines\" only"),
        ("[chain]", "[input]\nsidecar = \".x\"\n[chain]", "goes with format = \"lines\" only"),
    ] {
        let told = stop(SHORT, from, to);
        assert!(told.contains(why) && told.contains(", line "), "{to}: {told}");
    }
    for (lines, why) in [
        ("[[variant]]\nname = \"idle\"", "there is no [[variant.hash]]"),
        ("[[signature]]\nfield = \"s\"\nmessage = [\"x\"]", "signs nothing"),
        ("[[signature]]\nfield = \"s\"\nalg = \"hs512\"\nmessage = [{ hash = \"hex\" }]", "is no signature algorithm"),
        ("[[signature]]\nfield = \"s\"\nlow_s = true\nmessage = [{ hash = \"hex\" }]", "goes with es256 only"),
        ("[[signature]]\nfield = \"s\"\nalg = \"sshsig\"\nmessage = [{ hash = \"hex\" }]", "needs a namespace"),
        ("[[signature]]\nfield = \"s\"\nnamespace = \"git\"\nmessage = [{ hash = \"hex\" }]", "goes with sshsig only"),
        (
            "[[signature]]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]\nkey = { path = \"a\" }",
            "format = \"json\" only",
        ),
        ("[[signature]]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]\nkey = { format = \"json\" }", "needs a path"),
        (
            "[[signature]]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]\nkey = { hkdf = { hash = \"sha256\", length = 32 } }",
            "only the secret of a MAC",
        ),
        (
            "[[signature]]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]\n[[signature]]\nfield = \"m\"\nalg = \"hmac-sha256\"\nmessage = [{ hash = \"hex\" }]",
            "give it a role of its own",
        ),
        ("[[bind]]\nfield = \"b\"", "preimage = [parts] or of file"),
        ("[[bind]]\nfield = \"b\"\nfile = \"../x\"", "inside the folder"),
        ("[[bind]]\nfield = \"b\"\nfile = \"/etc/passwd\"", "inside the folder"),
        ("[[bind]]\nfield = \"b\"\nalg = \"hmac-sha256\"\npreimage = [\"a\"]", "cannot be a MAC"),
        ("[head]\ncount = \"n\"", "it needs hash"),
        ("[head]\nformat = \"text\"\nhash = \"h\"", "a text is the head and nothing else"),
        ("[head]\nhash = \"h\"\n[head.signature]\nfield = \"s\"\nmessage = [\"head\"]", "leaves the head open"),
        (
            "[head]\nhash = \"h\"\n[head.signature]\nfield = \"s\"\nmessage = [{ hash = \"hex\" }]",
            "neither prev, hash nor line",
        ),
        ("[reversal]\nfield = \"r\"\nwhen = { field = \"k\" }", "exactly one of equals"),
    ] {
        let told = with(lines);
        assert!(told.contains(why) && told.contains(", line "), "{lines}: {told}");
    }
}

#[test]
fn digests_in_one_form_are_bytes_and_others_are_texts() {
    assert!(matches!(compiled(SHORT).form.names, NameForm::Encoded { .. }));
    let two = SHORT.replace(
        "[[hash]]",
        "[[hash]]\nwhen = { field = \"v\", equals = 2 }\nprefix = \"v2:\"\npreimage = [{ json = { exclude = [\"hash\"] } }]\n[[hash]]",
    );
    assert!(matches!(compiled(&two).form.names, NameForm::Text { .. }));
    let cut = SHORT.replace("[[hash]]", "[[hash]]\ntruncate = 16");
    assert!(matches!(compiled(&cut).form.names, NameForm::Text { .. }));
}

#[test]
fn a_chain_without_stated_links_is_computed_late() {
    let late = SHORT.replace("prev = \"prev\"\n", "").replace("[{ json", "[{ prev = \"hex\" }, { json");
    let plan = compiled(&late);
    assert!(plan.late && plan.carries());
    assert!(!compiled(SHORT).carries());
}
