//! The run without other readers: what must hold of each file by itself.

use std::ops::ControlFlow;
use std::path::Path;

use cfidiff_model::SectionKind;

use super::ordered::ordered;
use super::run::{CaseReport, FileReport};
use crate::campaign::Plan;
use crate::compare::Counts;
use crate::image;
use crate::invariants;

/// What a survey is made with.
pub struct SurveySettings {
    /// How files are opened, and how much of what stands around their call frame information is asked about.
    pub image: image::Options,
    /// The kinds of section to look at.
    pub sections: Vec<SectionKind>,
    /// How many places of one invariant and section are kept in words.
    pub max_places: usize,
    /// How many threads work; zero for one per core.
    pub jobs: usize,
}

/// Asks each file of the plan for what must hold of it, and calls `each` with its report in the plan's order. The
/// reports have no readers.
pub fn survey(
    plan: &Plan,
    settings: &SurveySettings,
    each: impl FnMut(FileReport) -> ControlFlow<()>,
) -> Result<(), String> {
    let files: Vec<&Path> = plan.files.iter().map(|(path, _)| path.as_path()).collect();
    ordered(&files, settings.jobs.min(files.len().max(1)), |path| survey_file(path, settings), each)
}

fn survey_file(path: &Path, settings: &SurveySettings) -> FileReport {
    let mut report = FileReport { path: path.to_owned(), ..FileReport::default() };
    let image = match image::open(path, &settings.image) {
        Ok(image) => image,
        Err(error) => {
            report.error = Some(error);
            return report;
        }
    };
    (report.notes, report.damage) = (image.notes, image.damage);
    for (case, layout) in image.cases.iter().zip(&image.layouts) {
        let checked = invariants::check(case, layout, &settings.sections, settings.max_places);
        let ours = Counts { cases: 1, cies: checked.cies, fdes: checked.fdes, ..Counts::default() };
        report.invariants.extend(checked.findings);
        report.notes.extend(case.notes.iter().map(|note| format!("{}: {note}", case.name)));
        report.cases.push(CaseReport {
            name: case.name.clone(),
            ours,
            readers: Vec::new(),
            failures: Vec::new(),
        });
    }
    report
}
