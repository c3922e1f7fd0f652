//! `cfidiff triage`: which mistake explains a reader's differences.

use std::io::{self, Write};
use std::path::PathBuf;

use cfidiff::campaign::{Exit, Plan};
use cfidiff::compare::Judge;
use cfidiff::faults;
use cfidiff::image::{self, OpenError};
use cfidiff::report::printable;
use cfidiff::triage::{Cases, Diagnosis, Observed, Replays, observe, separate};
use cfidiff_gen::suite::Suite;
use cfidiff_model::Case;
use cfidiff_oracles::Oracle;

use crate::cli::Common;
use crate::cli::check::suite_folder;
use crate::cli::log::Log;
use crate::cli::readers::Wanted;

/// Of how many places each, those where the reader differs and those where it agrees, the faults are tried.
const PLACES: usize = 4096;

/// How many diagnoses that are equally good are shown.
const SHOWN: usize = 5;

/// Name the one mistake that explains a reader's differences; without a path, on the checked-in corpus.
///
/// The reader's answers are held against those of our reader with each fault of `cfidiff faults` planted in it, then
/// with two of them. Exit code 1 if the reader differs.
#[derive(clap::Args)]
pub struct Triage {
    /// Files and directories.
    paths: Vec<PathBuf>,
    #[command(flatten)]
    wanted: Wanted,
}

impl Triage {
    /// Asks each reader and names what explains it.
    pub fn run(self, common: &Common) -> anyhow::Result<Exit> {
        let paths = if self.paths.is_empty() { vec![suite_folder(common)?] } else { self.paths };
        let plan = Plan::new(&paths);
        for path in &plan.unreadable {
            Log::plain().line(&format!("{}: {}", path.path.display(), path.why));
        }
        let mut unreadable = !plan.unreadable.is_empty();
        let mut inputs = Vec::new();
        for (path, _) in &plan.files {
            match image::open(path, &image::Options::default()) {
                Ok(image) => inputs.extend(image.cases),
                Err(error) => {
                    unreadable |= !matches!(error, OpenError::NotElf { .. });
                    Log::plain().line(&error.to_string());
                }
            }
        }
        let (readers, missing) = self.wanted.find();
        for (missing, _) in missing.iter().filter(|(_, asked_for)| *asked_for) {
            Log::plain().line(&format!("{} is not asked: {}", missing.name, missing.why));
        }
        let judge = Judge::new(cfidiff_oracles::known::load().map_err(anyhow::Error::msg)?);
        let mut out = common.output(None)?;
        let mut differs = false;
        for reader in readers.iter().filter(|_| !inputs.is_empty()) {
            let observed = observe(&**reader, &inputs, &judge);
            differs |= !observed.is_empty();
            Report { out: &mut out, reader: &**reader, judge: &judge }.write(&inputs, observed)?;
        }
        out.flush()?;
        Ok(match () {
            () if differs => Exit::Findings,
            () if missing.iter().any(|(_, asked_for)| *asked_for) => Exit::ReaderBroke,
            () if unreadable => Exit::Usage,
            () if inputs.is_empty() || readers.is_empty() => Exit::NothingCompared,
            () => Exit::Agree,
        })
    }
}

/// The report on one reader.
struct Report<'r> {
    out: &'r mut dyn Write,
    reader: &'r dyn Oracle,
    judge: &'r Judge,
}

impl Report<'_> {
    fn write(&mut self, inputs: &[Case], mut observed: Observed) -> anyhow::Result<()> {
        let total = observed.len();
        let name = format!("{} {}", self.reader.name(), self.reader.version());
        if total == 0 {
            writeln!(self.out, "{name}: no difference to explain")?;
            return Ok(());
        }
        let focus = observed.focus(inputs, PLACES);
        let cases = Cases::of_inputs(inputs.to_vec(), Some(focus));
        let replays = Replays::new(&cases, faults::all().collect());
        let found = replays.diagnose(&observed);
        writeln!(self.out, "{name}: {total} differences in {} cases", observed.cases())?;
        if observed.len() < total {
            writeln!(self.out, "  of which {} are looked at", observed.len())?;
        }
        let exact: Vec<&Diagnosis> = found.iter().filter(|found| found.is_exact()).collect();
        match exact[..] {
            [] if found.is_empty() => writeln!(self.out, "no planted fault explains any of them")?,
            [] => {
                writeln!(self.out, "no fault or pair of faults explains all; these explain a part each:")?;
                for hint in &found {
                    self.diagnosis(&cases, &replays, &observed, hint)?;
                }
            }
            [one] => self.diagnosis(&cases, &replays, &observed, one)?,
            _ => self.several(&cases, &replays, &observed, &exact)?,
        }
        Ok(())
    }

    /// Several faults say the same on these files: the suite has cases that tell them apart.
    fn several(
        &mut self,
        cases: &Cases,
        replays: &Replays<'_>,
        observed: &Observed,
        exact: &[&Diagnosis],
    ) -> anyhow::Result<()> {
        let single: Vec<_> =
            exact.iter().filter(|found| found.faults.len() == 1).map(|found| found.faults[0]).collect();
        let left = separate(self.reader, self.judge, &Suite::build()?, single)?;
        let is_left = |found: &Diagnosis| {
            found.faults.len() != 1 || left.iter().any(|fault| fault.name == found.faults[0].name)
        };
        let exact: Vec<&Diagnosis> = exact.iter().copied().filter(|found| is_left(found)).collect();
        if exact.len() > 1 {
            writeln!(self.out, "these explain it equally well:")?;
        }
        for found in exact.iter().take(SHOWN) {
            self.diagnosis(cases, replays, observed, found)?;
        }
        if exact.len() > SHOWN {
            writeln!(self.out, "and {} more", exact.len() - SHOWN)?;
        }
        Ok(())
    }

    fn diagnosis(
        &mut self,
        cases: &Cases,
        replays: &Replays<'_>,
        observed: &Observed,
        found: &Diagnosis,
    ) -> io::Result<()> {
        let names: Vec<&str> = found.faults.iter().map(|fault| fault.name).collect();
        let kind = if found.is_exact() { "diagnosis" } else { "hint" };
        writeln!(self.out, "{kind} {}", names.join(" + "))?;
        for fault in &found.faults {
            writeln!(self.out, "    The reader {}. It should {}.", fault.does, fault.should)?;
            writeln!(self.out, "    clause    {}", fault.clause)?;
            writeln!(self.out, "    seen in   {}", fault.models.join(", "))?;
        }
        if found.rows_alone {
            writeln!(self.out, "    It shows the instructions rightly, and errs in the rows.")?;
        }
        writeln!(self.out, "    explains  {} of {} differences", found.explained, found.total)?;
        if found.contradicted > 0 {
            let words = "places where the reader is right and would not be with this fault";
            writeln!(self.out, "    against   {} {words}", found.contradicted)?;
        }
        let Some(evidence) = replays.evidence(observed, found) else { return Ok(()) };
        writeln!(
            self.out,
            "    evidence  {} {}",
            evidence.difference.key,
            printable(&cases.words(evidence.place))
        )?;
        writeln!(self.out, "        ours    {}", printable(&evidence.difference.ours))?;
        writeln!(self.out, "        theirs  {}", printable(&evidence.difference.theirs))?;
        let how = match self.reader.command() {
            Some(command) => format!("--reader-cmd {}", shlex::try_quote(command).unwrap_or_default()),
            None => format!("--reader {}", self.reader.name()),
        };
        let input = &cases.inputs[evidence.place.case as usize];
        let path = input.path.as_ref().map_or_else(|| input.name.clone(), |path| path.display().to_string());
        writeln!(
            self.out,
            "    repro     cfidiff check {how} {}",
            shlex::try_quote(&path).unwrap_or_default()
        )
    }
}
