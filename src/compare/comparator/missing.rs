//! What a reader left out of a section, told as few findings: holes, records behind a terminator, the place where it broke.

use std::collections::HashMap;

use cfidiff_cfi::RecordKind;
use cfidiff_model::{Entry, EntryKind, Key, Outcome, Says, Verdict};

use crate::compare::comparator::Current;
use crate::compare::entries::Difference;
use crate::compare::judge::{Judged, Ruling};
use crate::report::counted;

impl Current<'_> {
    /// What the reader left out.
    pub(super) fn missing(&mut self, outcome: &Outcome, max_findings: usize) {
        let last_given = self.answer.verdicts.iter().rposition(Option::is_some);
        if matches!(outcome, Outcome::Unsupported(_)) && last_given.is_none() {
            self.answer.whole = false;
            return;
        }
        let is_unordered = self.went_back && matches!(outcome, Outcome::Failed(_));
        let is_hole = |index| !is_unordered && last_given.is_some_and(|last| index < last);
        let tells_terminators = self.answer.says.contains(Says::TERMINATORS);
        let mut unread = Vec::new();
        let mut behind_terminator = Vec::new();
        let mut ours = Entry::default();
        for index in 0..self.table.len() {
            if self.answer.verdicts[index].is_some() || !self.table.fill(index, Says::empty(), &mut ours) {
                continue;
            }
            match ours.kind {
                // Readers print a run of zero words as one terminator.
                EntryKind::Terminator if self.follows_given_terminator(index) => {
                    self.answer.verdicts[index] = Some(Verdict::Agree);
                    continue;
                }
                EntryKind::Terminator if is_hole(index) && tells_terminators => {
                    self.hole(index, &ours, max_findings);
                    continue;
                }
                // Not every reader tells of terminators, nor of bytes that are no record.
                EntryKind::Terminator | EntryKind::Unreadable => continue,
                _ if index >= self.stop => behind_terminator.push(index),
                _ if is_hole(index) => self.hole(index, &ours, max_findings),
                _ => unread.push(index),
            }
            self.answer.whole = false;
        }
        self.behind_terminator(&behind_terminator, max_findings);
        self.unread(&unread, outcome, max_findings);
        if let (Outcome::Failed(words), Some(last)) = (outcome, last_given)
            && unread.is_empty()
            && !self.has_unreadable_behind(last)
        {
            self.broke_at_end(last, words, max_findings);
        }
    }

    /// Whether bytes that are no record follow, on which a reader may well give up.
    fn has_unreadable_behind(&mut self, last: usize) -> bool {
        let end = self.table.len().checked_sub(1).filter(|&end| end >= last);
        let record = end.and_then(|end| self.table.record(end));
        record.is_some_and(|record| matches!(record.kind, RecordKind::Unreadable(_)))
    }

    /// The reader gave every record and broke behind the last, or at its end where that is ill-formed.
    fn broke_at_end(&mut self, last: usize, words: &str, max_findings: usize) {
        let mut entry = Entry::default();
        self.table.fill(last, Says::all(), &mut entry);
        let difference = Difference {
            key: Key::SectionUnread,
            ours: "the section ends here".into(),
            theirs: words.to_owned(),
        };
        let otherwise = Ruling {
            verdict: Verdict::OracleFailed,
            cause: "reader-broke".into(),
            reason: "the reader broke behind the last record".into(),
        };
        let record = (!entry.faults.is_empty()).then_some((last, &entry));
        let judged = Judged { difference, record, count: 1, costs_others: false, otherwise };
        let finding = self.judge.finding(&mut self.table, judged);
        self.keep(None, finding, max_findings);
    }

    /// Whether the record before this one is a terminator that the reader gave.
    fn follows_given_terminator(&mut self, index: usize) -> bool {
        let before = index.checked_sub(1);
        before.is_some_and(|before| self.answer.verdicts[before].is_some() && self.is_terminator(before))
    }

    fn is_terminator(&mut self, index: usize) -> bool {
        self.table.record(index).is_some_and(|record| matches!(record.kind, RecordKind::Terminator))
    }

    /// A record that the reader passed over though it read on behind it.
    fn hole(&mut self, index: usize, ours: &Entry, max_findings: usize) {
        let difference =
            Difference { key: Key::EntryMissing, ours: ours.kind.name().into(), theirs: "nothing".into() };
        self.differ(difference, index, ours, max_findings);
    }

    /// A run-time reader stops at the terminator; a reader of files goes on. Both are right in their role.
    fn behind_terminator(&mut self, records: &[usize], max_findings: usize) {
        let Some(&first) = records.first() else { return };
        let mut entry = Entry::default();
        self.table.fill(first, Says::empty(), &mut entry);
        let difference = Difference {
            key: Key::EntryMissing,
            ours: format!("{} behind a terminator", counted(records.len() as u64, "record")),
            theirs: "stops at the terminator".into(),
        };
        let otherwise = Ruling {
            verdict: Verdict::Open,
            cause: "stops-at-terminator".into(),
            reason: "LSB: a terminator ends the section for a run-time reader; a reader of files goes on"
                .into(),
        };
        let judged = Judged {
            difference,
            record: Some((first, &entry)),
            count: records.len() as u64,
            costs_others: false,
            otherwise,
        };
        self.conclude(records, judged, max_findings);
    }

    /// Records from some place on that the reader never gave: it broke, or it was silent.
    fn unread(&mut self, records: &[usize], outcome: &Outcome, max_findings: usize) {
        let Some(&first) = records.first() else { return };
        let at = if matches!(outcome, Outcome::Failed(_)) { self.broken_before(first) } else { first };
        let costs_others = self.costs_others(records, at);
        let mut entry = Entry::default();
        self.table.fill(at, Says::empty(), &mut entry);
        let (theirs, reason) = match outcome {
            Outcome::Failed(words) | Outcome::Unsupported(words) => (words.clone(), "the reader broke"),
            Outcome::Answered if first == 0 => {
                ("no answer, no complaint".to_owned(), "silence is a failure of the reader, never agreement")
            }
            Outcome::Answered => (
                "no more records, no complaint".to_owned(),
                "fewer records than the section has, without a complaint",
            ),
        };
        let difference = Difference {
            key: Key::SectionUnread,
            ours: format!("{} from here on", counted(records.len() as u64, "record")),
            theirs,
        };
        let otherwise = Ruling {
            verdict: Verdict::OracleFailed,
            cause: "reader-broke".into(),
            reason: reason.to_owned(),
        };
        let judged = Judged {
            difference,
            record: Some((at, &entry)),
            count: records.len() as u64,
            costs_others,
            otherwise,
        };
        self.conclude(records, judged, max_findings);
    }

    /// Whether records are lost that have nothing to do with the one that a reader broke at: with an ill-formed one if there
    /// is any from the last that it gave on, else with the one where it stopped.
    fn costs_others(&mut self, records: &[usize], stopped: usize) -> bool {
        let last_given = records.first().map_or(0, |first| first.saturating_sub(1));
        let is_broken = (last_given..self.table.len()).any(|index| self.cie_if_sound(index).is_none());
        // A large CIE can have many FDEs.
        let mut sound_cies = HashMap::new();
        records.iter().any(|&index| {
            let cie = self.cie_if_sound(index);
            let is_sound = cie.is_some_and(|cie| {
                *sound_cies.entry(cie).or_insert_with(|| self.cie_if_sound(cie).is_some())
            });
            is_sound && (is_broken || index != stopped && cie != Some(stopped))
        })
    }

    /// The CIE of a record without faults; what is no FDE is its own.
    fn cie_if_sound(&mut self, index: usize) -> Option<usize> {
        let mut entry = Entry::default();
        let is_sound = self.table.fill(index, Says::all(), &mut entry) && entry.faults.is_empty();
        match entry.kind {
            _ if !is_sound => None,
            EntryKind::Fde(fde) => self.table.index_of(fde.cie?),
            _ => Some(index),
        }
    }

    /// Where a reader broke that gave no record from this one on: at bytes before it that are no record, if there
    /// are any, which the reader need not tell of.
    fn broken_before(&mut self, first: usize) -> usize {
        let Some(before) = first.checked_sub(1) else { return first };
        let record = self.table.record(before);
        match record.is_some_and(|record| matches!(record.kind, RecordKind::Unreadable(_))) {
            true => before,
            false => first,
        }
    }

    /// One finding for many records.
    fn conclude(&mut self, records: &[usize], judged: Judged<'_>, max_findings: usize) {
        let finding = self.judge.finding(&mut self.table, judged);
        for &index in records {
            self.answer.verdicts[index] = Some(finding.verdict);
        }
        self.keep(records.first().copied(), finding, max_findings);
    }
}
