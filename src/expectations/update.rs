//! The list rewritten after a run: entries for what has none, without those that are stale. Whatever else a person wrote
//! stays as it is.

use std::collections::{BTreeMap, BTreeSet};

use cfidiff_model::Key;
use cfidiff_oracles::versions::Versions;
use toml_edit::{ArrayOfTables, DocumentMut, Item, Table, TomlError, value};

use crate::expectations::entry::case_glob;
use crate::expectations::file::Expectations;
use crate::expectations::ledger::State;

/// How many files of one folder an entry names. Where there are more it has a glob over the folder.
const MAX_NAMED: usize = 8;

/// The name of the array of tables.
const EXPECT: &str = "expect";

/// A rewritten list.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Update {
    /// The whole text.
    pub text: String,
    /// How many entries are new.
    pub added: usize,
    /// How many stale entries are gone.
    pub removed: usize,
}

/// Findings that get one entry: of one reader under one key, in one folder.
type Clusters = BTreeMap<(String, String, Key, String), BTreeSet<String>>;

impl Expectations {
    /// The list as it should be after this run. New entries have a placeholder for their reason.
    pub fn updated(&self) -> Result<Update, TomlError> {
        let mut document: DocumentMut = self.text.parse()?;
        let stale: Vec<usize> =
            (0..self.entries.len()).filter(|&index| self.state(index) == Some(State::Stale)).collect();
        let new = self.new_entries();
        let (added, removed) = (new.len(), stale.len());
        let trailing = document.trailing().as_str().unwrap_or_default().to_owned();
        // Entries in the form `expect = [{ ... }]` become tables of their own.
        let old = document.remove(EXPECT).unwrap_or_default();
        let tables = old.into_array_of_tables().unwrap_or_else(|_| ArrayOfTables::new());
        document.insert(EXPECT, Item::ArrayOfTables(tables));
        let Some(entries) = document[EXPECT].as_array_of_tables_mut() else { return Ok(self.unchanged()) };
        let mut left_over = remove(entries, &stale);
        let mut new = new.into_iter();
        if let Some(mut first) = new.next() {
            // What stood at the end stays before what is new.
            left_over.push_str(&trailing);
            let gap = if left_over.is_empty() && entries.is_empty() { "" } else { "\n" };
            first.decor_mut().set_prefix(format!("{left_over}{gap}"));
            entries.push(first);
            new.for_each(|entry| entries.push(entry));
            document.set_trailing("");
        } else {
            document.set_trailing(format!("{left_over}{trailing}"));
        }
        Ok(Update { text: document.to_string(), added, removed })
    }

    fn unchanged(&self) -> Update {
        Update { text: self.text.clone(), added: 0, removed: 0 }
    }

    fn new_entries(&self) -> Vec<Table> {
        let mut clusters = Clusters::new();
        for found in self.unexpected() {
            let (folder, name) = match found.case.rsplit_once('/') {
                Some((folder, name)) => (format!("{folder}/"), name.to_owned()),
                None => (String::new(), found.case),
            };
            let folder = folder.strip_prefix("./").map_or(folder.clone(), str::to_owned);
            clusters.entry((found.reader, found.version, found.key, folder)).or_default().insert(name);
        }
        let tables = clusters.into_iter().map(|((reader, version, key, folder), names)| {
            let mut table = Table::new();
            table.decor_mut().set_prefix("\n");
            table["key"] = value(key.name());
            table["reader"] = value(globset::escape(&reader));
            let versions = format!("={version}");
            if versions.parse::<Versions>().is_ok() {
                table["versions"] = value(versions);
            }
            table["case"] = value(glob_over(&folder, &names));
            table["reason"] =
                value(format!("TODO: say why {reader} differs here, or mend it and remove this"));
            table
        });
        tables.collect()
    }
}

/// Removes entries and gives the comments that stood before the last ones. A comment goes with the entry that it stands
/// right before; one with an empty line behind it is about more and stays.
fn remove(entries: &mut ArrayOfTables, indices: &[usize]) -> String {
    for &index in indices.iter().rev() {
        let prefix = |table: &Table| {
            table.decor().prefix().and_then(|raw| raw.as_str()).unwrap_or_default().to_owned()
        };
        let kept = entries.get(index).map(prefix).unwrap_or_default();
        let kept = kept.rfind("\n\n").map_or("", |end| &kept[..=end]).to_owned();
        entries.remove(index);
        match entries.get_mut(index) {
            Some(next) => {
                let own = prefix(next);
                next.decor_mut().set_prefix(kept + &own);
            }
            None if !kept.trim().is_empty() => return kept,
            None => {}
        }
    }
    String::new()
}

/// A glob over files of one folder, by name when they are few.
fn glob_over(folder: &str, names: &BTreeSet<String>) -> String {
    let folder_glob = globset::escape(folder);
    let named: Vec<String> = names.iter().map(|name| globset::escape(name).replace(',', "[,]")).collect();
    let glob = match &named[..] {
        [one] => format!("{folder_glob}{one}"),
        _ => format!("{folder_glob}{{{}}}", named.join(",")),
    };
    // A name can be such that no glob has it as it stands.
    let matches =
        case_glob(&glob).is_ok_and(|glob| names.iter().all(|name| glob.is_match(format!("{folder}{name}"))));
    // A star alone would be about files of any folder.
    let is_named = folder.is_empty() || names.len() <= MAX_NAMED && matches;
    if is_named { glob } else { format!("{folder_glob}*") }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;
    use crate::expectations::Place;

    const LIST: &str = "\
# Ours.

# Of the first alone.
[[expect]]
key = \"row.cfa\" # beside
reader = \"mine\"
case = \"a\"
reason = \"one\"

# About all that follow.

# Of the second alone.
[[expect]]
key = \"row.*\"
reader = 'mine'
case = \"b\"
reason = \"two\"
# At the end.
";

    const PLACE: Place<'_> = Place { reader: "mine", tool: "mine", version: "", case: "x/a", path: None };

    fn list(text: &str) -> Expectations {
        Expectations::parse(Path::new("list.toml"), text.to_owned()).expect("a list")
    }

    fn updated(list: &Expectations) -> Update {
        let update = list.updated().expect("it is well-formed");
        let again = Expectations::parse(Path::new("list.toml"), update.text.clone());
        assert!(again.is_ok(), "{again:?}\n{}", update.text);
        update
    }

    #[test]
    fn a_list_in_order_stays_as_it_is() {
        assert_eq!(updated(&list(LIST)), Update { text: LIST.to_owned(), added: 0, removed: 0 });
    }

    #[test]
    fn a_stale_entry_goes_with_its_own_comment_alone() {
        let list = list(LIST);
        list.saw(PLACE);
        let update = updated(&list);
        assert_eq!((update.added, update.removed), (0, 1));
        let first = LIST.find("# Of the first").expect("there");
        let second = LIST.find("\n# About").expect("there");
        let wanted = format!("{}{}", &LIST[..first], &LIST[second + 1..]);
        assert_eq!(update.text, wanted);
    }

    #[test]
    fn what_stood_before_the_last_entry_stays_without_it() {
        let list = list(LIST);
        list.saw(Place { case: "b", ..PLACE });
        let text = updated(&list).text;
        assert!(text.contains("# About all that follow.") && text.ends_with("# At the end.\n"), "{text}");
        assert!(!text.contains("two") && !text.contains("second"), "{text}");
    }

    #[test]
    fn new_entries_come_last() {
        let list = list(LIST);
        for case in ["y/a,b", "y/[c]", "z"] {
            assert!(list.excuse(Place { case, version: "2.40-rc", ..PLACE }, Key::FdeLsda).is_none());
        }
        let update = updated(&list);
        assert_eq!((update.added, update.removed), (2, 0));
        assert!(update.text.starts_with(LIST), "{}", update.text);
        let again = super::tests::list(&update.text);
        for (case, matches) in [("y/a,b", true), ("y/[c]", true), ("y/c", false), ("y/a", false), ("z", true)]
        {
            for (version, is_same) in [("2.40", true), ("2.41", false)] {
                let found = again.excuse(Place { case, version, ..PLACE }, Key::FdeLsda);
                assert_eq!(found.is_some(), matches && is_same, "{case} {version}");
                assert!(found.is_none_or(|entry| entry.is_unreasoned()));
            }
        }
    }

    #[test]
    fn many_files_of_a_folder_get_one_glob() {
        let list = list("");
        let note = |case: &str| list.excuse(Place { case, ..PLACE }, Key::RowCfa).is_none();
        assert!((0..9).all(|number| note(&format!("./many/{number}")) && note(&format!("{number}"))));
        let text = updated(&list).text;
        assert!(
            text.contains("case = \"many/*\"\n") && text.contains("case = \"{0,1,2,3,4,5,6,7,8}\"\n"),
            "{text}"
        );
        assert!(!text.contains("versions"), "{text}");
    }

    #[test]
    fn entries_of_an_inline_array_become_tables() {
        let list = list("expect = [{ key = \"*\", reader = \"a\", reason = \"b\" }]\n");
        assert!(list.excuse(PLACE, Key::RowCfa).is_none());
        let text = updated(&list).text;
        assert_eq!(text.matches("[[expect]]").count(), 2, "{text}");
    }
}
