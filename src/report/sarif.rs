//! SARIF 2.1.0 (Static Analysis Results Interchange Format): the finding keys are the rules, the clusters the results.

use std::collections::BTreeMap;
use std::env;
use std::io::{self, Write};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use cfidiff_model::{Key, Verdict};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_encode};
use serde_json::{Value, json};
use serde_sarif::sarif::{
    self, ArtifactLocation, Invocation, Location, LogicalLocation, Message, MultiformatMessageString,
    Notification, NotificationLevel, PhysicalLocation, PropertyBag, Region, ReportingConfiguration,
    ReportingDescriptor, ResultLevel, Run, Tool, ToolComponent,
};

use crate::campaign::{Exit, FileReport, Unreadable};
use crate::report::json::summary_value;
use crate::report::troubles::Troubles;
use crate::report::{Cluster, Place, Report, Summary, printable};

/// The schema that the document says it follows, by its final address.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// What stands for itself in the path of a URI (RFC 3986 section 3.3); a colon would make a scheme of what is before it.
const PATH: &AsciiSet = &NON_ALPHANUMERIC.remove(b'/').remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Writes one SARIF document when all files are done.
pub struct Sarif<W: Write> {
    out: W,
    troubles: Troubles,
}

impl<W: Write> Sarif<W> {
    /// A report into `out`.
    pub fn new(out: W) -> Sarif<W> {
        Sarif { out, troubles: Troubles::default() }
    }
}

impl<W: Write> Report for Sarif<W> {
    fn unreadable(&mut self, unreadable: &Unreadable) -> io::Result<()> {
        self.troubles.unreadable(unreadable);
        Ok(())
    }

    fn file(&mut self, report: &FileReport) -> io::Result<()> {
        self.troubles.file(report);
        Ok(())
    }

    fn end(&mut self, summary: &Summary) -> io::Result<()> {
        let results: Vec<sarif::Result> = summary.clusters.by_weight().into_iter().map(result).collect();
        let sum = BTreeMap::from([("summary".to_owned(), summary_value(summary))]);
        let run = Run::builder()
            .tool(Tool::builder().driver(driver()).build())
            .invocations(vec![invocation(summary, &self.troubles)])
            .results(results)
            .properties(PropertyBag::builder().additional_properties(sum).build())
            .build();
        let document = sarif::Sarif::builder().schema(SCHEMA).version(json!("2.1.0")).runs(vec![run]).build();
        serde_json::to_writer_pretty(&mut self.out, &document)?;
        self.out.write_all(b"\n")?;
        self.out.flush()
    }
}

fn driver() -> ToolComponent {
    ToolComponent::builder()
        .name("cfidiff")
        .version(env!("CARGO_PKG_VERSION"))
        .semantic_version(env!("CARGO_PKG_VERSION"))
        .information_uri(env!("CARGO_PKG_REPOSITORY"))
        .rules(Key::ALL.iter().copied().map(rule).collect::<Vec<_>>())
        .build()
}

/// A finding key as a rule, with the clause that decides it.
fn rule(key: Key) -> ReportingDescriptor {
    let text = |text: String| MultiformatMessageString::builder().text(text).build();
    let help = format!(
        "{} Decided by: {}. A result is a number of findings that one cause explains or that look alike; its message \
         shows the first of them, with the command that shows it again.",
        key.about(),
        key.clause(),
    );
    ReportingDescriptor::builder()
        .id(key.name())
        .short_description(text(key.about().to_owned()))
        .full_description(text(format!("{} Decided by: {}.", key.about(), key.clause())))
        .help(text(help))
        .default_configuration(ReportingConfiguration::builder().level(json!("error")).build())
        .build()
}

fn result(cluster: &Cluster) -> sarif::Result {
    let level = match cluster.verdict {
        Verdict::Differ | Verdict::OracleFailed => ResultLevel::Error,
        Verdict::Open | Verdict::KnownFault | Verdict::Agree => ResultLevel::Note,
    };
    let mut lines = vec![printable(&format!("{}: {}.", cluster.title(), cluster.size())).into_owned()];
    lines.extend(cluster.lines());
    let key = cluster.key().unwrap_or(Key::SectionUnread);
    let index = Key::ALL.iter().position(|other| *other == key).unwrap_or_default();
    let properties = BTreeMap::from([
        ("verdict".to_owned(), json!(cluster.verdict)),
        ("cause".to_owned(), json!(cluster.cause)),
        ("pattern".to_owned(), json!(cluster.pattern)),
        ("keys".to_owned(), json!(cluster.keys)),
        (
            "readers".to_owned(),
            cluster.readers.iter().map(|(name, count)| (name.clone(), json!(count))).collect(),
        ),
        ("files".to_owned(), json!(cluster.files)),
    ]);
    // The example comes first: of several locations many programs show one.
    let example = cluster.example.as_ref().map(|example| &example.place);
    let others =
        cluster.places.iter().filter(|place| example.is_none_or(|example| example.path != place.path));
    sarif::Result::builder()
        .rule_id(key.name())
        .rule_index(index as i64)
        .level(level)
        .message(message(&lines.join("\n")))
        .locations(example.into_iter().chain(others).map(location).collect::<Vec<_>>())
        .occurrence_count(i64::try_from(cluster.count).unwrap_or(i64::MAX))
        .partial_fingerprints(fingerprints(cluster))
        .properties(PropertyBag::builder().additional_properties(properties).build())
        .build()
}

/// What stays the same while the cause does, however many findings it has. GitHub looks at the first of them only,
/// whose name it gives.
fn fingerprints(cluster: &Cluster) -> BTreeMap<String, String> {
    let title = cluster.title();
    let hash = blake3::hash(title.as_bytes()).to_hex();
    BTreeMap::from([
        ("primaryLocationLineHash".to_owned(), format!("{}:1", &hash[..16])),
        ("cfidiffCluster/v1".to_owned(), title),
    ])
}

fn location(place: &Place) -> Location {
    let physical = PhysicalLocation::builder()
        .artifact_location(artifact(&place.path))
        // An ELF file has no lines; code scanning shows no result without one.
        .region(Region::builder().start_line(1).start_column(1).end_line(1).end_column(1).build());
    let location = Location::builder().physical_location(physical.build());
    let Some((section, offset)) = &place.record else { return location.build() };
    let logical = LogicalLocation::builder()
        .name(printable(&format!("{section}+{offset}")))
        .fully_qualified_name(printable(&place.to_string()))
        .kind("section");
    location.logical_locations(vec![logical.build()]).build()
}

/// A file by its path, byte for byte. A relative one counts from the root of the sources, wherever that is.
fn artifact(path: &Path) -> ArtifactLocation {
    let path = path.strip_prefix(".").unwrap_or(path);
    let uri = percent_encode(path.as_os_str().as_bytes(), PATH).to_string();
    match path.is_absolute() {
        true => ArtifactLocation::builder().uri(format!("file://{uri}")).build(),
        false => ArtifactLocation::builder().uri(uri).uri_base_id("%SRCROOT%").build(),
    }
}

/// Words in which braces mean themselves (SARIF section 3.11.5).
fn message(words: &str) -> Message {
    Message::builder().text(words.replace('{', "{{").replace('}', "}}")).build()
}

fn invocation(summary: &Summary, troubles: &Troubles) -> Invocation {
    let exit = summary.exit();
    let invocation = Invocation::builder()
        .execution_successful(matches!(exit, Exit::Agree | Exit::Findings))
        .exit_code(i64::from(exit.code()))
        .exit_code_description(exit.meaning())
        .tool_execution_notifications(inputs(troubles))
        .tool_configuration_notifications(missing(summary));
    match env::current_dir() {
        Ok(folder) => {
            // A base ends with a slash (SARIF section 3.14.14).
            let mut folder = artifact(&folder);
            folder.uri = folder.uri.map(|uri| format!("{}/", uri.trim_end_matches('/')));
            invocation.working_directory(folder).build()
        }
        Err(_) => invocation.build(),
    }
}

fn inputs(troubles: &Troubles) -> Vec<Notification> {
    let mut notifications: Vec<Notification> = troubles
        .kept
        .iter()
        .map(|trouble| {
            let place = PhysicalLocation::builder().artifact_location(artifact(&trouble.path)).build();
            Notification::builder()
                .level(level(NotificationLevel::Error))
                .message(message(&printable(&format!("{}: {}", trouble.what, trouble.why))))
                .locations(vec![Location::builder().physical_location(place).build()])
                .build()
        })
        .collect();
    notifications.extend(troubles.rest().map(|words| {
        Notification::builder().level(level(NotificationLevel::Error)).message(message(&words)).build()
    }));
    notifications
}

fn missing(summary: &Summary) -> Vec<Notification> {
    let notification = |(missing, asked_for): &(cfidiff_oracles::Missing, bool)| {
        let severity = if *asked_for { NotificationLevel::Error } else { NotificationLevel::Note };
        let words = format!("{} was not compared: {}", missing.name, missing.why);
        Notification::builder().level(level(severity)).message(message(&printable(&words))).build()
    };
    summary.missing.iter().map(notification).collect()
}

/// The library leaves the type of the level open.
fn level(level: NotificationLevel) -> Value {
    json!(level)
}
