//! From the words of a profile to a plan: what they mean together, and which combinations cannot be.

use sha2::{Digest as _, Sha256};

use super::parts::{Bytes, Part};
use super::plan::{Axis, Fields, HeadPlan, HeadSignature, Path, Plan, ReversalPlan, SignaturePlan, Source};
use super::schema::{
    Document, Form, HashTable, HeadTable, PartTable, PartWord, SeqStart, SignatureTable, VariantTable,
};
use crate::algorithm::SignatureAlgorithm;
use crate::canonical::Exclude;
use crate::digest::DigestAlgorithm;
use crate::encoding::{Encoding, TextForm};
use crate::fact::Digest;
use crate::stop::{Stop, StopCode};

/// Compile a profile's text.
pub(super) fn compile(text: &str, origin: &str, source: Source) -> Result<Plan, Stop> {
    let document: Document = toml::from_str(text).map_err(|error| syntax(text, origin, &error))?;
    plan(document, text, source)
        .map_err(|wrong| Stop::new(StopCode::Profile, format!("profile {origin}: {wrong}")).hint(HINT))
}

const HINT: &str = "docs/profiles.md lists every key with what it takes";

/// What the TOML reader says, in one line: where, and what is allowed.
fn syntax(text: &str, origin: &str, error: &toml::de::Error) -> Stop {
    let line =
        error.span().and_then(|span| text.get(..span.start)).map_or(1, |before| before.matches('\n').count() + 1);
    let message = error.message().trim().replace('\n', "; ");
    Stop::new(StopCode::Profile, format!("profile {origin}, line {line}: {message}")).hint(HINT)
}

fn plan(document: Document, text: &str, source: Source) -> Result<Plan, String> {
    let [hash] = document.hash.as_slice() else {
        return Err(format!("[[hash]] stands {} times, one is supported", document.hash.len()));
    };
    let every_hash = || document.hash.iter().chain(document.variant.iter().flat_map(|variant| &variant.hash));
    if let Some(other) = every_hash().find(|hash| hash.alg != DigestAlgorithm::Sha256) {
        return Err(format!("[[hash]] alg = \"{}\": only sha256 is supported", other.alg.name()));
    }
    let every_signature =
        || document.signature.iter().chain(document.variant.iter().flat_map(|variant| &variant.signature));
    if let Some(other) = every_signature().find(|signature| signature.alg != SignatureAlgorithm::Ed25519) {
        return Err(format!("[[signature]] alg = \"{}\": only ed25519 is supported", other.alg.name()));
    }
    let digest_form = TextForm { prefix: hash.prefix.clone(), encoding: hash.encoding, ..TextForm::default() };
    let genesis = digest_form
        .decode::<32>(&document.chain.genesis)
        .and_then(|bytes| Digest::new(&bytes))
        .ok_or("[chain] genesis is not written as [[hash]] writes a digest")?;
    let names = AxisNames::new(&document.profile.recipe);
    let readings = document.variant.iter().filter(|variant| !variant.hash.is_empty());
    let hash_axis =
        axis(names.hash, &hash.preimage, readings.map(|variant| hash_variant(variant, hash)), &digest_form)?;
    if hash_axis.readings.iter().flatten().any(|part| matches!(part, Part::Hash(_))) {
        return Err("[[hash]] preimage: a digest is no part of what it is the digest of".to_owned());
    }
    let preimages =
        || document.variant.iter().flat_map(|variant| &variant.hash).chain([hash]).map(|hash| hash.preimage.as_slice());
    if preimages().any(|words| left_out(words).is_none()) {
        return Err("[[hash]] preimage: without json the digest covers nothing that the row says".to_owned());
    }
    // A member is covered if every reading covers it; the digest and the signature are checked by themselves.
    let checked_apart =
        |path: &str| path == document.fields.hash || document.signature.iter().any(|signature| signature.field == path);
    let mut uncovered: Vec<String> = preimages().filter_map(left_out).flatten().collect();
    uncovered.retain(|path| !checked_apart(path));
    uncovered.sort();
    uncovered.dedup();
    let idle = |variant: &&VariantTable| {
        variant.hash.is_empty() && (variant.signature.is_empty() || document.signature.is_empty())
    };
    if let Some(variant) = document.variant.iter().find(idle) {
        return Err(format!(
            "[[variant]] {}: there is no [[hash]] or [[signature]] that it is a reading of",
            variant.name
        ));
    }
    let signature = match document.signature.as_slice() {
        [] => None,
        [signature] => Some(signature_plan(signature, names.signature, &document.variant, &digest_form)?),
        more => return Err(format!("[[signature]] stands {} times, one is supported", more.len())),
    };
    let sequence_starts = match document.chain.seq_start {
        SeqStart::One(number) => vec![number],
        SeqStart::Any(numbers) => numbers,
    };
    if sequence_starts.is_empty() || document.chain.seq_step == 0 {
        return Err("[chain] seq_start needs a number and seq_step at least 1".to_owned());
    }
    Ok(Plan {
        name: document.profile.name,
        about: document.profile.about,
        source,
        sha256: data_encoding::HEXLOWER.encode(&Sha256::digest(text)),
        fields: Fields {
            sequence: Path::new(&document.fields.seq),
            prev: Path::new(&document.fields.prev),
            hash: Path::new(&document.fields.hash),
            timestamp: document.fields.timestamp.as_deref().map(Path::new),
            group: document.chain.group_by.as_deref().map(Path::new),
        },
        digest: hash.alg,
        uncovered,
        hash: hash_axis,
        signature,
        genesis,
        sequence_starts,
        sequence_step: document.chain.seq_step,
        reversal: document.reversal.map(|reversal| ReversalPlan {
            target: Path::new(&reversal.field),
            when: Path::new(&reversal.when.field),
            equals: reversal.when.equals,
            restored: reversal.restored.as_deref().map(Path::new),
        }),
        head: document.head.map(|head| head_plan(&head, &digest_form)).transpose()?,
        digest_form,
    })
}

/// The readings that the first tables are: `axis=reading` for the hash, then for the signature.
struct AxisNames<'t> {
    hash: Option<(&'t str, &'t str)>,
    signature: Option<(&'t str, &'t str)>,
}

impl<'t> AxisNames<'t> {
    fn new(recipe: &'t str) -> Self {
        let mut halves = recipe.split(',').map(|half| half.trim().split_once('='));
        AxisNames { hash: halves.next().flatten(), signature: halves.next().flatten() }
    }
}

/// A variant's own name and its parts.
type Variant<'t> = Result<(&'t str, &'t [PartWord]), String>;

fn hash_variant<'t>(variant: &'t VariantTable, first: &HashTable) -> Variant<'t> {
    match variant.hash.as_slice() {
        [hash] if variant.signature.is_empty() && hash.prefix == first.prefix && hash.encoding == first.encoding => {
            Ok((&variant.name, &hash.preimage))
        }
        _ => {
            Err(format!("[[variant]] {}: a reading replaces the preimage of the one [[hash]] or nothing", variant.name))
        }
    }
}

fn signature_variant<'t>(variant: &'t VariantTable, first: &SignatureTable) -> Variant<'t> {
    match variant.signature.as_slice() {
        [other] if variant.hash.is_empty() && other.field == first.field && other.prefix == first.prefix => {
            Ok((&variant.name, &other.message))
        }
        _ => Err(format!(
            "[[variant]] {}: a reading replaces the message of the one [[signature]] or nothing",
            variant.name
        )),
    }
}

fn axis<'t>(
    name: Option<(&str, &str)>,
    default: &[PartWord],
    variants: impl Iterator<Item = Variant<'t>>,
    form: &TextForm,
) -> Result<Axis, String> {
    let (axis, first) = name.unwrap_or_default();
    let mut names = vec![first.to_owned()];
    let mut readings = vec![parts(default, form)?];
    for variant in variants {
        let (name, words) = variant?;
        match name.split_once('=') {
            Some((of, reading)) if of == axis => names.push(reading.to_owned()),
            _ => return Err(format!("[[variant]] {name}: [profile] recipe names no such axis")),
        }
        readings.push(parts(words, form)?);
    }
    if readings.len() > usize::from(u8::MAX) {
        return Err("too many [[variant]] tables".to_owned());
    }
    let name = if readings.len() > 1 { axis.to_owned() } else { String::new() };
    Ok(Axis { name, names, readings })
}

fn signature_plan(
    table: &SignatureTable,
    name: Option<(&str, &str)>,
    variants: &[VariantTable],
    form: &TextForm,
) -> Result<SignaturePlan, String> {
    let messages =
        variants.iter().flat_map(|variant| &variant.signature).chain([table]).map(|table| table.message.as_slice());
    let covers = |word: &PartWord| matches!(word, PartWord::Table(PartTable { hash, json, .. }) if hash.is_some() || json.is_some());
    if messages.into_iter().any(|words| !words.iter().any(covers)) {
        return Err("[[signature]] message: without hash or json it signs nothing of the row".to_owned());
    }
    let readings = variants.iter().filter(|variant| !variant.signature.is_empty());
    Ok(SignaturePlan {
        algorithm: table.alg,
        field: Path::new(&table.field),
        form: TextForm { prefix: table.prefix.clone(), encoding: table.encoding, ..TextForm::default() },
        message: axis(name, &table.message, readings.map(|variant| signature_variant(variant, table)), form)?,
    })
}

fn head_plan(table: &HeadTable, form: &TextForm) -> Result<HeadPlan, String> {
    let optional = |path: &Option<String>| path.as_deref().map(Path::new);
    let signature = match &table.signature {
        Some(signature) => {
            let message = parts(&signature.message, form)?;
            if message.iter().any(|part| matches!(part, Part::Prev(_) | Part::Hash(_))) {
                return Err("[head.signature] message: a manifest has neither prev nor hash".to_owned());
            }
            let left_out = left_out(&signature.message);
            let stated = [Some(&table.group), Some(&table.count), table.first_seq.as_ref(), table.seq.as_ref()];
            let stated = stated.into_iter().flatten().chain([&table.hash]);
            if left_out.is_none_or(|left_out| stated.clone().any(|path| left_out.contains(path))) {
                return Err("[head.signature] message: it must cover what the manifest says of the chain".to_owned());
            }
            let form =
                TextForm { prefix: signature.prefix.clone(), encoding: signature.encoding, ..TextForm::default() };
            Some(HeadSignature { field: Path::new(&signature.field), form, message })
        }
        None => None,
    };
    Ok(HeadPlan {
        group: Path::new(&table.group),
        count: Path::new(&table.count),
        first_sequence: optional(&table.first_seq),
        last_sequence: optional(&table.seq),
        hash: Path::new(&table.hash),
        exported_at: optional(&table.exported_at),
        file_sha256: optional(&table.file_sha256),
        signature,
    })
}

/// The members that these parts leave out of the row; `None` if they hold nothing of it.
fn left_out(words: &[PartWord]) -> Option<Vec<String>> {
    let mut forms = words.iter().filter_map(|word| match word {
        PartWord::Table(PartTable { json: Some(json), .. }) => Some(&json.exclude),
        _ => None,
    });
    let first = forms.next()?.clone();
    Some(forms.fold(first, |left_out, next| left_out.into_iter().filter(|path| next.contains(path)).collect()))
}

fn parts(words: &[PartWord], form: &TextForm) -> Result<Vec<Part>, String> {
    if words.is_empty() {
        return Err("a preimage or message has no parts".to_owned());
    }
    words.iter().map(|word| part(word, form)).collect()
}

fn part(word: &PartWord, form: &TextForm) -> Result<Part, String> {
    match word {
        PartWord::Text(text) => Ok(Part::Text(text.clone().into_bytes())),
        PartWord::Table(PartTable { prev: Some(prev), hash: None, json: None, strip_prefix }) => {
            Ok(Part::Prev(digest_bytes("prev", *prev, strip_prefix.as_deref(), form)?))
        }
        PartWord::Table(PartTable { prev: None, hash: Some(hash), json: None, strip_prefix }) => {
            Ok(Part::Hash(digest_bytes("hash", *hash, strip_prefix.as_deref(), form)?))
        }
        PartWord::Table(PartTable { prev: None, hash: None, json: Some(json), strip_prefix: None }) => {
            Ok(Part::Json(Exclude::new(&json.exclude)))
        }
        PartWord::Table(_) => Err("a part is exactly one of prev, hash, json".to_owned()),
    }
}

fn digest_bytes(word: &str, form: Form, strip: Option<&str>, written: &TextForm) -> Result<Bytes, String> {
    let encoding = match form {
        Form::Utf8 => {
            let skip = match strip {
                Some(prefix) if written.prefix.starts_with(prefix) => prefix.len(),
                Some(prefix) => return Err(format!("strip_prefix = {prefix:?}: digests are not written with it")),
                None => 0,
            };
            return Ok(Bytes::Text { skip });
        }
        Form::Hex => Encoding::Hex,
        Form::Base64 => Encoding::Base64,
        Form::Base64url => Encoding::Base64url,
    };
    match strip {
        None if encoding == written.encoding => Ok(Bytes::Raw),
        None => Err(format!("{{ {word} = … }} names another encoding than [[hash]] writes digests in")),
        Some(_) => Err("strip_prefix goes with utf8 only".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fact::Recipe;

    const VOID: &str = include_str!("void.toml");

    fn stop(from: &str, to: &str) -> String {
        assert!(VOID.contains(from), "{from}");
        compile(&VOID.replacen(from, to, 1), "test.toml", Source::File).expect_err(to).message
    }

    #[test]
    fn the_home_format_has_three_readings_on_two_axes() {
        let plan = compile(VOID, "void", Source::Builtin).expect("the built-in profile");
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
    fn a_wrong_word_is_named_with_its_line() {
        assert_eq!(
            stop("seq_start = [0, 1]", "seq_begin = 0"),
            "profile test.toml, line 18: unknown field `seq_begin`, expected one of `genesis`, `group_by`, `seq_start`, `seq_step`"
        );
        assert!(stop("canon = \"jcs\"", "canon = \"yaml\"").contains("unknown variant `yaml`"));
        assert!(stop("{ prev = \"hex\" }", "{ prev = \"hex\", hash = \"hex\" }").contains("exactly one of"));
        assert!(stop("{ prev = \"hex\" }", "{ prev = \"base64\" }").contains("another encoding"));
        assert!(stop("{ prev = \"hex\" }", "7").contains("a text, or a table"));
        assert!(stop("genesis = \"0x00", "genesis = \"0x").contains("genesis"));
        assert!(stop("name = \"prev=text\"", "name = \"text\"").contains("no such axis"));
    }

    #[test]
    fn what_could_never_be_checked_is_refused() {
        assert!(stop("{ prev = \"hex\" }", "{ hash = \"hex\" }").contains("no part of what it is the digest of"));
        let head = "message = [{ json = { exclude = [\"signature\"], canon = \"jcs\" } }]";
        assert!(stop(head, "message = [{ hash = \"hex\" }]").contains("neither prev nor hash"));
        assert!(stop(head, "message = [\"head\"]").contains("must cover what the manifest says"));
        let tail_open = head.replace("[\"signature\"]", "[\"signature\", \"entries\"]");
        assert!(stop(head, &tail_open).contains("must cover what the manifest says"));
        let row =
            "preimage = [{ json = { exclude = [\"hash\", \"signature\"], canon = \"jcs\" } }, { prev = \"utf8\" }]";
        assert!(stop(row, "preimage = [{ prev = \"utf8\" }]").contains("covers nothing that the row says"));
        assert!(stop("message = [{ hash = \"utf8\" }]", "message = [\"x\"]").contains("signs nothing"));
        assert!(stop("[[variant]]", "[[variant]]\nname = \"idle\"\n[[variant]]").contains("idle: there is no"));
        assert!(stop("[[hash]]", "[[hash]]\nalg = \"sha512\"").contains("only sha256 is supported"));
        assert!(stop("alg = \"ed25519\"", "alg = \"es256\"").contains("only ed25519 is supported"));
    }
    #[test]
    fn members_that_no_preimage_covers_are_known() {
        let plan = compile(VOID, "void", Source::Builtin).expect("the built-in profile");
        assert_eq!(plan.uncovered, Vec::<String>::new());
        let open = VOID.replacen("[\"hash\", \"signature\"]", "[\"hash\", \"signature\", \"result.note\"]", 1);
        assert_eq!(compile(&open, "open.toml", Source::File).expect("a profile").uncovered, ["result.note"]);
    }
}
