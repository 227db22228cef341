//! Explanations: what each finding code means, what usually lies behind it and what to do.
//!
//! `--explain CODE` and docs/findings.md are both made here, from the one table in `finding`, so
//! that the two never say different things; docs/incidents.md is made from the table of kinds.

use std::fmt::Write as _;

use crate::finding::{Class, Code};
use crate::incident::Kind;

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

/// docs/incidents.md: every kind in the table's order.
pub fn incidents_markdown() -> String {
    let mut out = String::from(
        "# Incidents\n\n\
         <!-- Generated from src/incident/kinds.rs. Do not edit: run\n     \
         UPDATE_DOCS=1 cargo test --test findings_doc -->\n\n\
         An incident tells faults with one likely cause as one story: what most likely happened, to which rows, what\n\
         is still good before and behind, and what to do next. It never changes the verdict, and it is no part of the\n\
         report id. Its kind is permanent: it is never renamed and never used for anything else.\n\n\
         Where the pattern has one possible cause, the story says so plainly; elsewhere it says *likely*. Where a\n\
         pattern fits several causes equally well, nothing is told, and the faults are counted as part of no story.\n\
         The report lists 100 incidents at most; beyond 1,000 places of one pattern faults are only counted.\n\n\
         What leaves no trace is told by nobody: rows that were rewritten to the end by someone who holds the key,\n\
         and rows cut off an end that no anchor states.\n",
    );
    for &kind in Kind::ALL {
        // Writing to a String cannot fail.
        let _ = write!(
            out,
            "\n## `{}`\n\n{}\n\n- Recognised by: {}\n- Does not prove: {}\n- What to do: {}\n",
            kind.name(),
            kind.title(),
            kind.pattern(),
            kind.limit(),
            kind.next()
        );
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
