//! From one ELF image to its case.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use cfidiff_model::{Address, Bases, Case, Section, SectionKind};
use object::elf as abi;

use super::contents::{self, Limits};
use super::debug_file::{self, Link};
use super::headers::{self, Headers, SectionHeader};
use super::layout::{self, Layout};
use super::source::Source;
use super::{OpenError, Options, relocate, segments};

/// What a case says of where it came from.
#[derive(Clone)]
pub(super) struct Origin {
    pub(super) name: String,
    pub(super) path: Option<PathBuf>,
    pub(super) member: Option<OsString>,
}

impl Origin {
    /// A file as given.
    pub(super) fn of_file(path: &Path) -> Origin {
        Origin { name: path.display().to_string(), path: Some(path.to_owned()), member: None }
    }
}

/// What is read of one image.
pub(super) struct Elf {
    pub(super) case: Case,
    /// As much of it as the options ask for.
    pub(super) layout: Layout,
    pub(super) link: Link,
    /// What of it is broken, each with the image's name.
    pub(super) damage: Vec<String>,
}

/// Reads one image: what the options ask for, and at most `left` bytes of all sections, which goes down.
pub(super) fn read(
    mut source: Source<'_>,
    origin: &Origin,
    options: &Options,
    left: &mut u64,
) -> Result<Elf, OpenError> {
    let headers = headers::read(&mut source, &origin.name)?;
    let mut case = Case {
        name: origin.name.clone(),
        path: origin.path.clone(),
        member: origin.member.clone(),
        target: headers.target,
        sections: Vec::new(),
        notes: Vec::new(),
    };
    let mut damage = headers.damage();
    let mut limits = Limits { section: options.max_section, left: &mut *left };
    if headers.sections.is_empty() {
        segments::read(&headers, &mut source, &mut limits, &mut case, &mut damage);
    } else {
        read_sections(&headers, &mut source, &mut limits, &mut case, &mut damage);
        if headers.target.relocatable {
            relocate::apply(&headers, &mut source, &mut case, &mut damage);
        }
    }
    let layout = layout::read(&headers, &mut source, &case.sections, options.surroundings, left);
    let link = debug_file::link(&headers, &mut source);
    for words in &mut damage {
        words.insert_str(0, &format!("{}: ", origin.name));
    }
    Ok(Elf { case, layout, link, damage })
}

/// The kind of the sections of this name that concern call frame information.
fn kind_of_name(name: &[u8]) -> Option<SectionKind> {
    match name {
        b".eh_frame" => Some(SectionKind::EhFrame),
        b".debug_frame" | b".zdebug_frame" => Some(SectionKind::DebugFrame),
        b".eh_frame_hdr" => Some(SectionKind::EhFrameHdr),
        _ => None,
    }
}

fn read_sections(
    headers: &Headers<'_>,
    source: &mut Source<'_>,
    limits: &mut Limits<'_>,
    case: &mut Case,
    damage: &mut Vec<String>,
) {
    let bases = bases(headers, source);
    for (index, header) in headers.sections.iter().enumerate() {
        let name = headers.name(header);
        let Some(kind) = kind_of_name(name) else { continue };
        let name = String::from_utf8_lossy(name).into_owned();
        let contents = match without_contents(header) {
            None => contents::read(header, &name, &headers.target, source, limits),
            Some(why) => {
                case.notes.push(format!("{name} {why}"));
                if !kind.has_entries() {
                    continue;
                }
                // Of records that are not there, a reader may tell all the same.
                Ok((Vec::new(), None))
            }
        };
        match contents {
            Ok((data, file_offset)) => case.sections.push(Section {
                kind,
                index: u32::try_from(index).ok(),
                section_type: header.kind,
                address: Address(header.address),
                file_offset,
                data,
                bases: bases_of_kind(bases, kind, header.address),
                faults: Vec::new(),
                name,
            }),
            Err(why) => damage.push(format!("{name} cannot be read: {why}")),
        }
    }
}

/// What to say behind the name of a section that has no contents.
fn without_contents(header: &SectionHeader) -> Option<&'static str> {
    match abi::SectionType(header.kind) {
        abi::SHT_NOBITS => Some("has type NOBITS: its contents are in the stripped file"),
        abi::SHT_NULL => Some("has type NULL: it has no contents"),
        _ => None,
    }
}

/// What encoded pointers count from in `.eh_frame` and `.debug_frame` (LSB Core, "DWARF Extensions").
fn bases(headers: &Headers<'_>, source: &mut Source<'_>) -> Bases {
    let address = |name: &[u8]| headers.section(name).map(|section| Address(section.address));
    let got = address(b".got").or_else(|| address(b".got.plt"));
    Bases { text: address(b".text"), data: got.or_else(|| segments::global_offset_table(headers, source)) }
}

/// The bases of a section of this kind: in `.eh_frame_hdr`, "datarel" counts from the header itself.
pub(super) fn bases_of_kind(bases: Bases, kind: SectionKind, address: u64) -> Bases {
    match kind {
        SectionKind::EhFrameHdr => Bases { data: Some(Address(address)), ..bases },
        SectionKind::EhFrame | SectionKind::DebugFrame => bases,
    }
}
