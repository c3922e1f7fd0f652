//! Headers that cannot be read to their end. `.eh_frame` is sound.

use cfidiff_model::FaultKind;

use super::{CLAUSE, functions};
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, TEXT};
use crate::suite::{HeaderAnswer, Suite};
use crate::{HeaderSpec, UDATA4};

/// The fields behind the version, in their order.
const FIELDS: [&str; 6] =
    ["eh_frame_encoding", "count_encoding", "table_encoding", "eh_frame", "count", "table"];

pub(super) fn add(suite: &mut Suite) {
    too_many(suite);
    version(suite);
    cut(suite);
    undefined(suite);
}

/// Two functions with a header that `change` makes from the matching one, and of whose bytes `damage` breaks some.
fn broken(
    name: &str,
    about: &str,
    change: impl FnOnce(HeaderSpec) -> HeaderSpec,
    damage: impl FnOnce(&mut Vec<u8>),
    answer: impl FnOnce(HeaderAnswer) -> HeaderAnswer,
) -> Draft {
    let machine = Convention::X86_64;
    let draft = Draft::new(&format!("header/{name}"), &machine, about)
        .clause(CLAUSE)
        .eh_frame(functions(&machine, &[TEXT + 0x10, TEXT + 0x40]));
    let header = change(draft.matching_header());
    draft
        .header(header)
        .elf(|elf| {
            if let Some(section) = elf.sections.last_mut() {
                damage(&mut section.data);
            }
        })
        .header_answer(answer)
}

/// Counts larger than the table. A reader gives what is there.
fn too_many(suite: &mut Suite) {
    for (name, count_encoding, count) in [
        ("hdr-count", UDATA4, 100),
        ("hdr-count-huge", UDATA4, 0xffff_ffff),
        ("hdr-count-2-64", 0x04, u64::MAX),
    ] {
        let about = format!("A count of {count:#x} over a table of two entries.");
        let change = |header| HeaderSpec { false_count: Some(count), count_encoding, ..header };
        let answer = |header: HeaderAnswer| header.faults(&[FaultKind::TruncatedRecord]);
        let bugs = &["DataDog/java-profiler PR 571"];
        suite.add(broken(name, &about, change, |_| (), answer).catches(bugs));
    }
}

/// A version of which nothing is known.
fn version(suite: &mut Suite) {
    for version in [0, 2] {
        let about = format!("Version {version} of the header, which is not defined.");
        let change = |header| HeaderSpec { version, ..header };
        let answer = |header: HeaderAnswer| header.faults(&[FaultKind::CieVersion]).free(&FIELDS);
        suite.add(broken(&format!("hdr-version-{version}"), &about, change, |_| (), answer));
    }
}

/// Headers that end inside a field.
fn cut(suite: &mut Suite) {
    for (name, size, known, about) in [
        ("hdr-cut-encodings", 2, 1, "A header that ends inside its encodings."),
        ("hdr-cut-eh-frame", 6, 3, "A header that ends inside the pointer to .eh_frame."),
        ("hdr-cut-count", 10, 4, "A header that ends inside the count."),
    ] {
        let answer =
            |header: HeaderAnswer| header.faults(&[FaultKind::TruncatedRecord]).free(&FIELDS[known..]);
        suite.add(broken(name, about, |header| header, |data| data.truncate(size), answer));
    }
    // The fields have 12 bytes, and an entry 8: a reader gives the first.
    let answer = |mut header: HeaderAnswer| {
        header.spec.false_count = Some(2);
        header.spec.entries.pop();
        header.faults(&[FaultKind::TruncatedRecord])
    };
    let about = "A header that ends inside the second entry of its table.";
    suite.add(broken("hdr-cut-table", about, |header| header, |data| data.truncate(22), answer));
}

/// Encodings without a definition: of the pointer and the count all behind is lost, of the table that alone.
fn undefined(suite: &mut Suite) {
    for (name, at, known, about) in [
        ("hdr-undefined-eh-frame", 1, 3, "A pointer to .eh_frame in the undefined encoding 0x0d."),
        ("hdr-undefined-count", 2, 4, "A count in the undefined encoding 0x0d."),
        ("hdr-undefined-table", 3, 5, "A table in the undefined encoding 0x0d."),
    ] {
        let answer = |mut header: HeaderAnswer| {
            match at {
                1 => header.spec.eh_frame_encoding = 0x0d,
                2 => header.spec.count_encoding = 0x0d,
                _ => header.spec.table_encoding = 0x0d,
            }
            header.faults(&[FaultKind::PointerEncoding]).free(&FIELDS[known..])
        };
        suite.add(broken(name, about, |header| header, |data| data[at] = 0x0d, answer));
    }
}
