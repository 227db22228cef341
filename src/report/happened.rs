//! The section of the text report that says what happened, before it lists the faults.

use std::io::{self, Write};

use super::Report;
use super::figures::{counted, grouped};
use super::story;

/// Incidents that are told in full.
const TOLD: usize = 10;

/// Write what happened; nothing where there is no story.
pub(super) fn write(report: &Report, out: &mut impl Write) -> io::Result<()> {
    let told = &report.told;
    if told.incidents.is_empty() {
        return Ok(());
    }
    writeln!(out, "  what happened")?;
    for (index, incident) in told.incidents.iter().enumerate().take(TOLD) {
        let faults = match incident.faults {
            0 => String::new(),
            faults => format!(" ({})", counted(faults, "fault", "faults")),
        };
        writeln!(out, "    {}{faults}: {}", incident.kind.name(), story::story(incident, report))?;
        if let Some(good) = story::good(index, report) {
            writeln!(out, "      still good: {good}")?;
        }
        writeln!(out, "      next: {}", story::next(incident))?;
    }
    let more = told.more + told.incidents.len().saturating_sub(TOLD) as u64;
    if more > 0 {
        writeln!(out, "    … and {} more", grouped(more))?;
    }
    if told.unexplained > 0 {
        writeln!(out, "    {} part of no story", counted(told.unexplained, "fault is", "faults are"))?;
    }
    Ok(())
}
