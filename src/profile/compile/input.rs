//! `[input]`: what a file of rows looks like.

use super::{Compiler, member};
use crate::profile::field::Path;
use crate::profile::locate::{Under, Wrong};
use crate::profile::plan::{Input, Layout};
use crate::profile::schema::{self, InputFormat, InputTable};
use crate::read::LineEnds;
use crate::row::Dialect;

impl Compiler {
    pub(super) fn input(&self, table: &InputTable) -> Result<Input, Wrong> {
        let layout = match (table.format, &table.regex, &table.array) {
            (InputFormat::Jsonl, None, None) => Layout::Rows,
            (InputFormat::Jsonl, None, Some(path)) => Layout::Document(Path::new(path)),
            (InputFormat::Lines, Some(regex), None) => {
                let regex = member::whole_line(regex).under("regex")?;
                let sidecar = table.sidecar.clone();
                if sidecar.as_deref().is_some_and(|suffix| suffix.is_empty() || suffix.contains(['/', '\\'])) {
                    return Err(Wrong::new("it is the end of a file's name, as \".integrity\"").under("sidecar"));
                }
                Layout::Lines { regex, sidecar }
            }
            (InputFormat::Lines, None, _) => return Err(Wrong::new("format = \"lines\" needs a regex").under("format")),
            (InputFormat::Lines, Some(_), Some(_)) => {
                return Err(Wrong::new("lines of text are no JSON document").under("array"));
            }
            (InputFormat::Jsonl, Some(_), _) => {
                return Err(Wrong::new("it goes with format = \"lines\" only").under("regex"));
            }
        };
        if table.sidecar.is_some() && !matches!(layout, Layout::Lines { .. }) {
            return Err(Wrong::new("it goes with format = \"lines\" only").under("sidecar"));
        }
        let line_is = table.line_is.as_deref().map(|name| self.form(name)).transpose().under("line_is")?;
        if line_is.is_some() && matches!(layout, Layout::Lines { .. }) {
            return Err(Wrong::new("lines of text have no canonical form").under("line_is"));
        }
        if table.dialect == Dialect::Python {
            if !matches!(layout, Layout::Rows) {
                return Err(
                    Wrong::new("\"python\" is for lines of JSON: without regex, sidecar and array").under("dialect")
                );
            }
            if !self.opened.is_empty() {
                return Err(Wrong::new("texts that a member holds are read as strict JSON").under("parse_json"));
            }
        }
        Ok(Input {
            layout,
            opened: self.opened.iter().map(|(_, path)| path.clone()).collect(),
            line_is,
            dialect: table.dialect,
            ends: match (table.dialect, table.line_ends) {
                (Dialect::Python, _) => LineEnds::Python,
                (Dialect::Json, schema::LineEnds::Any) => LineEnds::Any,
                (Dialect::Json, schema::LineEnds::Lf) => LineEnds::Lf,
            },
        })
    }
}
