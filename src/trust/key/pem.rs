//! PEM: `BEGIN PUBLIC KEY` blocks of SPKI DER (RFC 7468 §13), and `BEGIN RSA PUBLIC KEY` of PKCS#1.
//!
//! It decides where blocks begin and end, which labels are keys, and gives every block of the
//! file, in order. Text around blocks is no part of a key and is skipped (`openssl -text` writes
//! it, and mails do). It trusts no label: what the DER inside says must fit as well.
//!
//! The crate `pem` reads each block: its two labels and its base64. It would also take the first
//! block and be silent about a second, leave out one that is not closed, and skip a BEGIN line with
//! one dash too many; so the framing is read here, where every line with a BEGIN or END must be a
//! clean one and in its turn.

use data_encoding::BASE64;
use pem::{Pem, PemError};

use super::refusal::{CERTIFICATE, Hint, REQUEST, Refusal, word};
use super::wanted::Wanted;
use super::{Key, der, openssh};

/// SubjectPublicKeyInfo.
const SPKI: &str = "PUBLIC KEY";

/// PKCS#1, which only RSA keys have.
const PKCS1: &str = "RSA PUBLIC KEY";

/// RFC 4716, which writes four dashes: an unclean line.
const SSH2: (&str, &str, Hint) = (
    "SSH2 PUBLIC KEY",
    "an SSH2 public key file (RFC 4716), not OpenSSH's line",
    Hint::Text("turn it into an OpenSSH line: ssh-keygen -i -f FILE"),
);

/// Labels of things that are not wanted here: label, what it is, what to do.
const FOREIGN: &[(&str, &str, Hint)] = &[
    ("CERTIFICATE", "an X.509 certificate, not a bare public key", CERTIFICATE),
    ("X509 CERTIFICATE", "an X.509 certificate, not a bare public key", CERTIFICATE),
    ("TRUSTED CERTIFICATE", "an X.509 certificate, not a bare public key", CERTIFICATE),
    ("CERTIFICATE REQUEST", "a certificate request, not a bare public key", REQUEST),
    ("NEW CERTIFICATE REQUEST", "a certificate request, not a bare public key", REQUEST),
    ("X509 CRL", "a list of revoked certificates, not a public key", Hint::Forms),
    ("PKCS7", "a PKCS#7 container of certificates, not a bare public key", Hint::Forms),
    ("CMS", "a CMS container, not a bare public key", Hint::Forms),
    (PKCS1, "an RSA key (PKCS#1)", Hint::OtherKind),
    ("DSA PUBLIC KEY", "a DSA key", Hint::OtherKind),
    ("EC PARAMETERS", "parameters of an elliptic curve (ECDSA), no key at all", Hint::Forms),
    ("DH PARAMETERS", "Diffie-Hellman parameters, no key at all", Hint::Forms),
    ("PGP PUBLIC KEY BLOCK", "a PGP public key block, which is not read", Hint::Forms),
    ("PGP SIGNATURE", "a PGP signature, not a key", Hint::Forms),
    ("PGP MESSAGE", "a PGP message, not a key", Hint::Forms),
    ("PGP SIGNED MESSAGE", "a PGP signed message, not a key", Hint::Forms),
    ("SSH SIGNATURE", "an SSH signature, not a key", Hint::Forms),
    SSH2,
    ("AGE ENCRYPTED FILE", "a file encrypted by age, not a key", Hint::Forms),
];

/// Reports whether anything in the file looks like the edge of a block, clean or not.
pub(super) fn looks_like(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| !matches!(edge(line), Line::Other))
}

/// Reports whether a block starts cleanly somewhere: then the file is PEM, whatever else it is.
pub(super) fn has_begin_line(bytes: &[u8]) -> bool {
    lines(bytes).any(|line| matches!(edge(line), Line::Begin(_)))
}

/// The refusal of a private key, if a BEGIN or END line, clean or not, speaks of one.
///
/// It comes before anything else that is wrong with the file: this is the news.
pub(super) fn private(bytes: &[u8]) -> Option<Refusal> {
    let label = lines(bytes).find_map(private_label)?;
    Some(Refusal::private(format!("PEM block {label}")))
}

/// All keys of a file, in order.
pub(super) fn read(bytes: &[u8], wanted: Wanted) -> Result<Vec<Key>, Refusal> {
    let blocks = blocks(bytes)?;
    let several = blocks.len() > 1;
    let keys = blocks.into_iter().zip(1..).map(|((label, pem), number)| {
        key(label, pem, wanted).map_err(|refusal| if several { refusal.at(format!("block {number}")) } else { refusal })
    });
    keys.collect()
}

/// The label of such a line.
fn private_label(line: &[u8]) -> Option<String> {
    let text = line.to_ascii_uppercase();
    let has = |part: &[u8]| find(&text, part).is_some();
    if !(has(b"---") && (has(b"PRIVATE KEY") || has(b"SECRET KEY"))) {
        return None;
    }
    let start = [b"BEGIN ".as_slice(), b"END "].iter().find_map(|mark| Some(find(&text, mark)? + mark.len()))?;
    let label = line.get(start..)?;
    Some(word(label.get(..find(label, b"--").unwrap_or(label.len()))?.trim_ascii()))
}

/// What a line is to the framing.
enum Line<'a> {
    Begin(&'a str),
    End(&'a str),
    /// It has the words of an edge but is not one: a dash too few, indented, glued to other text.
    Unclean,
    Other,
}

fn edge(line: &[u8]) -> Line<'_> {
    let label = |mark: &[u8]| {
        let label = std::str::from_utf8(line.trim_ascii_end().strip_prefix(mark)?.strip_suffix(b"-----")?).ok()?;
        (!label.is_empty() && !label.contains("--") && !label.ends_with('-')).then_some(label)
    };
    let words = [b"--BEGIN".as_slice(), b"-- BEGIN", b"--END", b"-- END", b"BEGIN PUBLIC KEY", b"END PUBLIC KEY"];
    match (label(b"-----BEGIN "), label(b"-----END ")) {
        (Some(label), _) => Line::Begin(label),
        (_, Some(label)) => Line::End(label),
        _ if words.iter().any(|word| find(line, word).is_some()) => Line::Unclean,
        _ => Line::Other,
    }
}

/// Every block of the file: its label, and what stands in it if that can be read.
///
/// A line that belongs to no order of blocks is a refusal.
fn blocks(bytes: &[u8]) -> Result<Vec<(&str, Option<Pem>)>, Refusal> {
    let mut blocks = Vec::new();
    let mut open: Option<(&str, &[u8], Vec<u8>)> = None;
    for line in lines(bytes) {
        open = match (edge(line), open) {
            (Line::Begin(label), None) => Some((label, line, Vec::new())),
            (Line::Begin(_), Some((label, ..))) => return Err(unclosed(label)),
            (Line::End(_), Some((label, begin, body))) => {
                blocks.push((label, parse(begin, &body, line)?));
                None
            }
            (Line::End(label), None) => {
                return Err(Refusal::new(
                    format!("END {} has no BEGIN line: the start of the block is missing", word(label.as_bytes())),
                    "copy the whole file again, from the BEGIN to the END line",
                ));
            }
            (Line::Unclean, _) => return Err(unclean(line)),
            (Line::Other, None) if openssh::is_key_line(String::from_utf8_lossy(line).trim()) => {
                return Err(Refusal::new(
                    "it mixes PEM blocks and OpenSSH lines, and neither may be left out silently",
                    "put the keys into a file each and give --key for each",
                ));
            }
            (Line::Other, None) => None,
            (Line::Other, Some((label, begin, mut body))) => {
                body.extend(line.iter().filter(|byte| !byte.is_ascii_whitespace()));
                Some((label, begin, body))
            }
        };
    }
    match open {
        Some((label, ..)) => Err(unclosed(label)),
        None => Ok(blocks),
    }
}

/// The block of these two lines and the text between them, which has no white space any more.
fn parse(begin: &[u8], body: &[u8], end: &[u8]) -> Result<Option<Pem>, Refusal> {
    match pem::parse([begin, body, end].join(&b'\n')) {
        Err(PemError::MismatchedTags(begin, end)) => Err(Refusal::new(
            format!("the block BEGIN {} is closed by END {}", word(begin.as_bytes()), word(end.as_bytes())),
            "the file is damaged or pasted together; get it again",
        )),
        // Strict: bytes have one spelling (RFC 4648 §3.5). The crate skips any white space of
        // Unicode, and would take lines before an empty one for headers, which SPKI PEM has not.
        parsed => Ok(parsed.ok().filter(|pem| BASE64.encode(pem.contents()).as_bytes() == body)),
    }
}

fn unclosed(label: &str) -> Refusal {
    Refusal::new(
        format!("the block BEGIN {} has no END line: the file is cut off", word(label.as_bytes())),
        "copy the whole file again, from the BEGIN to the END line",
    )
}

fn unclean(line: &[u8]) -> Refusal {
    let (ssh2, what, hint) = SSH2;
    if find(line, ssh2.as_bytes()).is_some() {
        return Refusal::listed(what, Some(&hint));
    }
    if find(line, br"-----\n").is_some() || find(line, br"-----\r\n").is_some() {
        return Refusal::new(
            r"the PEM has its line ends written out as \n: it was cut out of a JSON or environment variable",
            r"put real line ends: printf '%b' on the text",
        );
    }
    Refusal::new(
        "a BEGIN or END line of its PEM is not clean: five dashes, the label, five dashes, alone on the line",
        "copy the whole file again; nothing may stand before or behind on the BEGIN and END lines",
    )
}

/// The key in the block of this label.
fn key(label: &str, pem: Option<Pem>, wanted: Wanted) -> Result<Key, Refusal> {
    let is_key = label == SPKI || (label == PKCS1 && wanted.rsa());
    if let Some((_, what, hint)) = FOREIGN.iter().find(|(known, ..)| *known == label).filter(|_| !is_key) {
        return Err(Refusal::listed(what, Some(hint)));
    }
    match pem.as_ref().map(Pem::contents) {
        Some([]) if is_key => Err(Refusal::new(format!("the block BEGIN {label} is empty"), Hint::Forms)),
        Some(contents) if is_key => der::read(contents, wanted),
        None if is_key => Err(Refusal::new(
            format!("the text of the block BEGIN {label} is not base64 (a sign lost, added or changed)"),
            "copy the whole file again, from the BEGIN to the END line",
        )),
        // A wrong label may hide a private key or another kind; that is more than a wrong label.
        contents => Err(contents.and_then(der::foreign).unwrap_or_else(|| {
            Refusal::new(
                format!("the PEM label is \"{}\", wanted \"{SPKI}\" (RFC 7468 section 13)", word(label.as_bytes())),
                "ask whoever wrote the file for SPKI PEM, as `openssl pkey -pubout` writes it; a label is not to be guessed",
            )
        })),
    }
}

/// Lines without their end (LF, CR LF or the CR of old systems).
fn lines(bytes: &[u8]) -> impl Iterator<Item = &[u8]> {
    bytes.split(|byte| matches!(byte, b'\n' | b'\r'))
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    memchr::memmem::find(text, part)
}
