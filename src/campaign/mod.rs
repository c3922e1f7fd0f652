//! A campaign: many files, all readers, one result. Plan, run in parallel, merge in the plan's order.

mod costs;
mod exit;
mod expected;
mod ordered;
mod plan;
mod run;
mod survey;

pub use costs::Costs;
pub use exit::Exit;
pub use plan::{Plan, Unreadable};
pub use run::{CaseReport, Failure, FileReport, Settings, run};
pub use survey::{SurveySettings, survey};
