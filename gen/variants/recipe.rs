//! From a selection to the commands that make its file.

use crate::programs::Language;
use crate::variants::factors::{Form, Link, SEVERAL, Selection};
use crate::variants::folder::{SOURCES, VARIANTS};
use crate::variants::process::shell;
use crate::variants::source::{COMPANIONS, Source};

/// How the companions of a file of several objects are compiled, each in its own way, so that their CIEs differ.
const COMPANION_ARGUMENTS: [&[&str]; COMPANIONS] = [
    &["-O0", "-g", "-fno-asynchronous-unwind-tables"],
    &["-O2", "-fexceptions"],
    &["-Os", "-ffunction-sections", "-fno-omit-frame-pointer", "-fasynchronous-unwind-tables"],
];

/// How one file is made.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Recipe {
    /// The file, relative to where the commands run.
    pub file: String,
    /// What it was chosen by: factors and levels.
    pub factors: Vec<(&'static str, String)>,
    /// The commands, one after the other, the last of which makes the file.
    pub steps: Vec<Vec<String>>,
    /// What the result depends on beyond the commands: tools and sources.
    pub ingredients: Vec<String>,
    /// The expected answer on the file in JSON Lines, where the source states what it means.
    pub expected: Option<String>,
}

impl Recipe {
    /// The recipe of a selection. The companions are linked into files of several objects.
    pub fn of(selection: &Selection<'_>, companions: &[Source; COMPANIONS]) -> Recipe {
        let several = selection.choices().any(|choice| choice.name == SEVERAL);
        let file = format!("{VARIANTS}/{}", name(selection));
        let objects: Vec<String> =
            (1..=COMPANIONS).filter(|_| several).map(|number| format!("{file}.{number}.o")).collect();
        let mut steps: Vec<Vec<String>> = Vec::new();
        let mut ingredients: Vec<String> = selection.compiler.identity().map(str::to_owned).to_vec();
        ingredients.push(selection.source.text.clone());
        for (index, object) in objects.iter().enumerate() {
            steps.push(compile_companion(selection, &companions[index], COMPANION_ARGUMENTS[index], object));
            ingredients.push(companions[index].text.clone());
        }
        steps.push(main_step(selection, companions, &objects, &file));
        if let Some(link) = selection.link {
            ingredients.push(selection.compiler.ability.links[&link].clone());
        }
        Recipe { file, factors: selection.names(), steps, ingredients, expected: None }
    }

    /// The commands as one line for a shell, to be run in the folder that has the sources.
    pub fn command(&self) -> String {
        let lines: Vec<String> = self.steps.iter().map(|step| shell(step)).collect();
        lines.join(" && ")
    }
}

/// What tells the variant: program, compiler, link, optimization, then every level that is not the default.
fn name(selection: &Selection<'_>) -> String {
    let mut names: Vec<String> =
        selection.names().into_iter().map(|(_, level)| level).filter(|level| level != "default").collect();
    if selection.link.is_none() {
        names.retain(|level| level != "object");
        names.push("o".to_owned());
    }
    names.join(".")
}

/// The command that compiles the program, and links it unless an object file is wanted.
fn main_step(
    selection: &Selection<'_>,
    companions: &[Source; COMPANIONS],
    objects: &[String],
    file: &str,
) -> Vec<String> {
    let mut words = start(selection);
    words.extend(selection.source.arguments.iter().cloned());
    let mut add = |arguments: &[&str]| words.extend(arguments.iter().copied().map(str::to_owned));
    selection.choices().for_each(|choice| add(choice.compile));
    match selection.link {
        None => add(&["-c"]),
        Some(Link { form, linker }) => {
            add(form.compile_arguments());
            add(form.link_arguments());
            add(&[linker.argument()]);
            // What the compiler had already need not be there twice.
            let link = selection.choices().filter(|choice| choice.link != choice.compile);
            link.for_each(|choice| add(choice.link));
        }
    }
    // Nobody calls the companions, and a linker that collects garbage would leave them out.
    words.extend(companions.iter().zip(objects).map(|(companion, _)| format!("-Wl,-u,{}", companion.name)));
    words.push(source_path(selection.source));
    words.extend(objects.iter().cloned());
    words.extend(["-o".to_owned(), file.to_owned()]);
    words
}

fn compile_companion(
    selection: &Selection<'_>,
    companion: &Source,
    arguments: &[&str],
    object: &str,
) -> Vec<String> {
    let mut words = start(selection);
    let form = selection.link.map_or(Form::Pie, |link| link.form);
    let is_cxx = selection.compiler.language() == Language::Cxx;
    // Companions are C whatever the program is.
    let language: &[&str] = if is_cxx { &["-x", "c"] } else { &[] };
    let parts = [arguments, form.compile_arguments(), &["-c"], language];
    words.extend(parts.concat().into_iter().map(str::to_owned));
    words.extend([source_path(companion), "-o".to_owned(), object.to_owned()]);
    words
}

fn start(selection: &Selection<'_>) -> Vec<String> {
    selection.compiler.command().map(str::to_owned).collect()
}

fn source_path(source: &Source) -> String {
    format!("{SOURCES}/{}", source.file_name())
}
