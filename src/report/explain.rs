//! Explanations: what each finding code means, what usually lies behind it and what to do.
//!
//! `--explain CODE` and docs/findings.md are both made here, from the one table in `finding`, so
//! that the two never say different things.

use std::fmt::Write as _;

use crate::finding::{Class, Code};

/// Columns of the explanation on a terminal.
const WIDTH: usize = 92;

/// What `--explain` prints for a code.
pub fn explain(code: Code) -> String {
    let mut out = format!("{}  ({})\n", code.name(), code.class().name());
    for (title, text) in [
        ("What it means", code.meaning()),
        ("What usually lies behind it", code.cause()),
        ("What to do", code.action()),
        ("Effect", effect(code)),
    ] {
        out.push_str(&format!("\n  {title}\n"));
        wrap(&mut out, text, "    ");
    }
    out
}

/// docs/findings.md: every code in the table's order.
pub fn findings_markdown() -> String {
    let mut out = String::from(
        "# Findings\n\n\
         <!-- Generated from src/finding/codes.rs and src/finding/prose.rs. Do not edit: run\n     \
         UPDATE_DOCS=1 cargo test --test findings_doc -->\n\n\
         A finding is something about an export that is worth saying. Its code is permanent: it is never renamed\n\
         and never used for anything else. `ledger-verify --explain CODE` prints the same entry.\n\n\
         Findings of one line stand in the order of this list.\n",
    );
    for (class, title, about) in [
        (Class::Fault, "Faults", "A fault proves damage or tampering. The verdict is `broken`, the exit code 1."),
        (
            Class::Bound,
            "Bounds",
            "A bound limits what was vouched for. The verdict is at best `bounded`, the exit code 3, or 0 where every\n\
             bound is accepted (`--accept CODE`). With `--strict` a bound that is not accepted is a fault.",
        ),
        (
            Class::Note,
            "Notes",
            "A note changes nothing. It is listed once for each kind and file (`uncovered-field` once for each\n\
             member), at its first place and with its count.",
        ),
    ] {
        // Writing to a String cannot fail.
        let _ = write!(out, "\n## {title}\n\n{about}\n");
        for &code in Code::ALL.iter().filter(|code| code.class() == class) {
            let _ = write!(
                out,
                "\n### `{}`\n\n{}\n\n- Usual cause: {}\n- What to do: {}\n",
                code.name(),
                code.meaning(),
                code.cause(),
                code.action()
            );
        }
    }
    out
}

fn effect(code: Code) -> &'static str {
    match (code.class(), code) {
        (Class::Fault, _) => "The verdict is broken, the exit code 1. Nothing waives a fault.",
        (Class::Bound, Code::Empty) => "The verdict is bounded, the exit code 3. It cannot be accepted.",
        (Class::Bound, _) => {
            "The verdict is at best bounded, the exit code 3. --accept with this code waives it: the verdict stays \
             bounded, the exit code becomes 0 if nothing else limits. --strict makes it a fault unless it is accepted."
        }
        (Class::Note, _) => "None: a note changes neither verdict nor exit code.",
    }
}

fn wrap(out: &mut String, text: &str, indent: &str) {
    let mut column = 0;
    for word in text.split_whitespace() {
        let length = word.chars().count();
        if column == 0 || column + 1 + length > WIDTH {
            out.push_str(if column == 0 { "" } else { "\n" });
            out.push_str(indent);
            column = indent.len();
        } else {
            out.push(' ');
            column += 1;
        }
        out.push_str(word);
        column += length;
    }
    out.push('\n');
}
