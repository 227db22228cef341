//! What is not an export is named, with what to do about it; what is one is not refused.

use std::path::{Path, PathBuf};

use ledger_verify::read::Export;
use ledger_verify::stop::{Stop, StopCode};

fn stop_of(path: &Path) -> Stop {
    let stop = Export::open(&[path.to_owned()]).expect_err("this must stop");
    assert!(stop.message.contains(&path.display().to_string()), "the file is not named: {}", stop.message);
    assert!(stop.hint.as_deref().is_some_and(|hint| !hint.is_empty()), "no hint: {}", stop.message);
    stop
}

fn stop_on(bytes: &[u8]) -> Option<Stop> {
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), bytes).unwrap();
    Export::open(&[file.path().to_owned()]).is_err().then(|| stop_of(file.path()))
}

fn utf(text: &str, width: usize, big: bool, bom: bool) -> Vec<u8> {
    let marked = format!("{}{text}", if bom { "\u{feff}" } else { "" });
    let mut bytes = Vec::new();
    for unit in marked.encode_utf16() {
        let four = u32::from(unit).to_be_bytes();
        let mut piece = four[4 - width..].to_vec();
        if !big {
            piece.reverse();
        }
        bytes.extend(piece);
    }
    bytes
}

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    std::io::Write::write_all(&mut encoder, bytes).unwrap();
    encoder.finish().unwrap()
}

#[test]
fn foreign_forms_are_named_with_a_command() {
    let blanks = [b" \r\n\t".repeat(50_000).as_slice(), b"[{}]"].concat();
    let tar = [&[b'x'; 257][..], b"ustar\x0000"].concat();
    let twice = gzip(&gzip(b"{}\n"));
    let cases: &[(&[u8], &str, &str)] = &[
        (&tar, "tar archive", "tar -xf"),
        (&twice, "compressed twice", "gzip -dc"),
        (b"BZh91AY&SY", "bzip2-compressed", "bzip2 -dc"),
        (b"\xfd7zXZ\x00\x00", "xz-compressed", "xz -dc"),
        (b"\x04\x22\x4d\x18", "lz4-compressed", "lz4 -dc"),
        (b"PK\x03\x04rest", "zip archive", "unzip"),
        (b"7z\xbc\xaf\x27\x1c", "7z archive", "7z x"),
        (b"%PDF-1.7", "PDF", "not the export"),
        (b"SQLite format 3\x00", "SQLite", "sqlite3"),
        (b"[{\"a\":1}]", "JSON array", "jq -c '.[]'"),
        (b" \n\t\r[", "JSON array", "jq -c '.[]'"),
        (b"\xef\xbb\xbf\n[1]", "JSON array", "jq -c '.[]'"),
        (&blanks, "JSON array", "jq -c '.[]'"),
    ];
    for (bytes, word, hint) in cases {
        let stop = stop_on(bytes).unwrap_or_else(|| panic!("{word} is not refused"));
        assert_eq!(stop.code, StopCode::Form);
        assert!(stop.message.contains(word), "{} lacks {word}", stop.message);
        assert!(stop.hint.as_deref().unwrap().contains(hint), "{:?} lacks {hint}", stop.hint);
    }
}

/// An array that ends on its line, with a row behind it, is a line that is no row.
#[test]
fn an_array_before_rows_is_a_fault_of_its_line() {
    for bytes in [&b"[1]\n{\"a\":1}\n"[..], b"\n[]\r\n\r\n {\"a\":1}\n"] {
        assert_eq!(stop_on(bytes), None);
    }
    // Two bytes that look like the mark of UTF-16 do not make UTF-16 of what follows.
    assert_eq!(stop_on(b"\xff\xfe{\"a\":1}\n{\"a\":2}\n"), None);
    for bytes in [&b"[\n{\"a\":1}]\n"[..], b"[1]\n", b"[1]\n[2]\n", b"[{},\n{\"a\":[1]}]\n"] {
        assert!(stop_on(bytes).is_some_and(|stop| stop.message.contains("JSON array")));
    }
}

/// A name is shown in quotes that a shell reads back as that name.
#[test]
fn a_quote_in_a_name_does_not_end_the_command() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("it's; rm x.tar");
    std::fs::write(&path, b"BZh91AY&SY").unwrap();
    let hint = stop_of(&path).hint.unwrap();
    assert!(hint.contains(r"/it'\''s; rm x.tar'"), "{hint}");
}

#[test]
fn wide_characters_are_named_with_and_without_mark() {
    for (width, big, name) in
        [(2, false, "UTF-16LE"), (2, true, "UTF-16BE"), (4, false, "UTF-32LE"), (4, true, "UTF-32BE")]
    {
        for bom in [true, false] {
            for text in ["{\"sequence\":1}\r\n", "\r\n{\"a\":1}", "[1]"] {
                let stop = stop_on(&utf(text, width, big, bom)).unwrap_or_else(|| panic!("{name} {bom} {text:?}"));
                assert_eq!(stop.code, StopCode::Form);
                assert!(stop.message.contains(&name[..6]), "{} lacks {name}", stop.message);
                let hint = stop.hint.unwrap();
                assert!(hint.contains(&format!("iconv -f {name} ")), "{hint} lacks {name}");
                assert_eq!(hint.contains("PowerShell"), width == 2);
            }
        }
    }
}

#[test]
fn damage_and_blanks_are_no_foreign_form() {
    let cases: &[&[u8]] = &[
        b"",
        b"\n",
        b"\xef\xbb\xbf",
        b" \r\n\t\n",
        &b" \n".repeat(100_000),
        b"{}\n[",
        b"{\x00\"a\":1}\n", // one NUL is damage in row 1
        b"\x00{\"a\":1}\n",
        b"\x1f{}",
        b"BZh",
        b"PK",
        b"{}\n\x1f\x8b",
    ];
    for bytes in cases {
        assert_eq!(stop_on(bytes), None, "{:?}", &bytes[..bytes.len().min(20)]);
    }
}

#[test]
fn the_part_that_is_foreign_is_the_one_named() {
    let directory = tempfile::tempdir().unwrap();
    let (good, bad) = (directory.path().join("good.jsonl"), directory.path().join("bad.jsonl"));
    std::fs::write(&good, "{}\n").unwrap();
    std::fs::write(&bad, "[]").unwrap();
    let stop = Export::open(&[good, bad]).expect_err("part 1 is an array");
    assert!(stop.message.contains("bad.jsonl"), "{}", stop.message);
    assert_eq!(Export::open(&[]).expect_err("no file").code, StopCode::Usage);
}

#[test]
fn a_missing_file_and_a_directory() {
    let directory = tempfile::tempdir().unwrap();
    let stop = stop_of(&directory.path().join("none.jsonl"));
    assert_eq!((stop.code, stop.message.contains("no such file")), (StopCode::Unreadable, true));
    let stop = stop_of(directory.path());
    assert_eq!((stop.code, stop.message.contains("directory")), (StopCode::Unreadable, true));
    assert!(stop.hint.unwrap().contains("give the file, or"));
    assert!(stop_of(Path::new("no-such-file.jsonl")).hint.unwrap().contains("looked for in"));
    assert_eq!(stop_of(Path::new("")).code, StopCode::Unreadable);
    assert_eq!(stop_of(Path::new("a\0b")).code, StopCode::Unreadable);
}

#[cfg(unix)]
#[test]
fn links_and_permissions() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let directory = tempfile::tempdir().unwrap();
    let at = |name: &str| -> PathBuf { directory.path().join(name) };

    symlink(at("b"), at("a")).unwrap();
    symlink(at("a"), at("b")).unwrap();
    assert!(stop_of(&at("a")).message.contains("circle"));
    symlink(at("gone"), at("dangling")).unwrap();
    assert!(stop_of(&at("dangling")).message.contains("symbolic link"));

    std::fs::write(at("file"), "{}\n").unwrap();
    assert!(stop_of(&at("file/below")).message.contains("no directory"));
    symlink(at("file"), at("link")).unwrap();
    assert_eq!(Export::open(&[at("link")]).unwrap().bytes(), 3);

    let _socket = std::os::unix::net::UnixListener::bind(at("socket")).unwrap();
    assert!(stop_of(&at("socket")).message.ends_with("this is a socket"));

    std::fs::set_permissions(at("file"), std::fs::Permissions::from_mode(0o000)).unwrap();
    // The superuser may read everything.
    if std::fs::File::open(at("file")).is_err() {
        let stop = stop_of(&at("file"));
        assert_eq!((stop.code, stop.message.contains("permission")), (StopCode::Unreadable, true));
    }
}
