//! Tables that fit `.eh_frame`, and tables that a reader has to read although they do not.

use cfidiff_model::{Address, RegisterRule};

use super::{CLAUSE, functions, leaf};
use crate::suite::Suite;
use crate::suite::convention::Convention;
use crate::suite::draft::{Draft, FRAME, TEXT};
use crate::suite::rows::{Listing, cfa};
use crate::{FdeSpec, HeaderSpec, OMIT, Program, Record};

/// A file's functions, of which `change` makes the header from the matching one.
fn tabled(
    name: &str,
    about: &str,
    records: Vec<Record>,
    change: impl FnOnce(HeaderSpec) -> HeaderSpec,
) -> Draft {
    let draft = Draft::new(&format!("header/{name}"), &Convention::X86_64, about);
    let draft = draft.clause(CLAUSE).eh_frame(records);
    let header = change(draft.matching_header());
    draft.header(header)
}

/// Three functions of the usual file.
fn three() -> Vec<Record> {
    functions(&Convention::X86_64, &[TEXT + 0x10, TEXT + 0x40, TEXT + 0x80])
}

pub(super) fn add(suite: &mut Suite) {
    fitting(suite);
    unfitting(suite);
    omitted(suite);
    producers(suite);
}

fn fitting(suite: &mut Suite) {
    suite.add(tabled("hdr-good", "A right header.", three(), |header| header));
    let about = "Functions that stand in .eh_frame in another order than in the table.";
    let order = functions(&Convention::X86_64, &[TEXT + 0x80, TEXT + 0x10, TEXT + 0x40]);
    suite.add(tabled("hdr-other-order", about, order, |header| header));
    let none = functions(&Convention::X86_64, &[]);
    suite.add(tabled("hdr-empty", "A file without FDEs: a count of zero and no table.", none, |header| {
        header
    }));
    let one = functions(&Convention::X86_64, &[TEXT + 0x10]);
    suite.add(tabled("hdr-one", "A table with one entry.", one, |header| header));
    let about = "Nine entries: a count that is taken for one of words or bytes finds too few or too many.";
    let nine: Vec<Record> =
        (0..9).map(|index| Record::Fde(leaf(&Convention::X86_64, TEXT + 0x10 * index, 0x10))).collect();
    let records = [vec![Record::Cie(Convention::X86_64.eh_frame_cie())], nine].concat();
    let bugs = &["libunwind commit 8b3832fe", "libunwind commit 8cd667c6"];
    suite.add(tabled("hdr-nine", about, records, |header| header).catches(bugs));
}

/// Tables with mistakes that only a comparison with `.eh_frame` finds.
fn unfitting(suite: &mut Suite) {
    let about = "A table that is not sorted, so that a binary search misses functions.";
    suite.add(tabled("hdr-unsorted", about, three(), |mut header| {
        header.entries.swap(0, 1);
        header
    }));
    suite.add(tabled("hdr-missing", "A table that lacks an FDE.", three(), |mut header| {
        header.entries.pop();
        header
    }));
    suite.add(tabled("hdr-wrongfde", "The FDEs of two entries are swapped.", three(), |mut header| {
        let fde = header.entries[0].fde;
        header.entries[0].fde = header.entries[1].fde;
        header.entries[1].fde = fde;
        header
    }));
    suite.add(tabled("hdr-ptr", "A pointer to .eh_frame that leads to its first FDE.", three(), |header| {
        HeaderSpec { eh_frame: Address(FRAME + 0x18), ..header }
    }));
    let about = "A count smaller than the table: the entries behind are not there for a reader.";
    suite.add(tabled("hdr-count-small", about, three(), |header| HeaderSpec {
        false_count: Some(2),
        ..header
    }));
}

/// Fields that are not there.
fn omitted(suite: &mut Suite) {
    let bloaty = &["bloaty issue 453"];
    let libunwind = &["libunwind issue 161", "libunwind PR 694"];
    suite.add(
        tabled("hdr-omit", "Neither count nor table.", three(), |header| HeaderSpec {
            count_encoding: OMIT,
            table_encoding: OMIT,
            ..header
        })
        .catches(libunwind),
    );
    let about = "A count of 2^32 - 1 entries and no table.";
    suite.add(
        tabled("hdr-omit-table", about, three(), |header| HeaderSpec {
            table_encoding: OMIT,
            false_count: Some(0xffff_ffff),
            ..header
        })
        .catches(bloaty),
    );
    let about = "No count, so that nothing tells how long the table is.";
    suite.add(tabled("hdr-omit-count", about, three(), |header| HeaderSpec {
        count_encoding: OMIT,
        ..header
    }));
    let about = "No pointer to .eh_frame: the table alone leads to FDEs.";
    suite.add(tabled("hdr-omit-eh-frame", about, three(), |header| HeaderSpec {
        eh_frame_encoding: OMIT,
        ..header
    }));
}

/// What linkers and compilers wrote into tables.
fn producers(suite: &mut Suite) {
    let machine = Convention::X86_64;
    let cie = || Record::Cie(machine.eh_frame_cie());
    let about = "An FDE without bytes at the start of a function, which hides that from a binary search.";
    let records = vec![
        cie(),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Fde(leaf(&machine, TEXT + 0x10, 0)),
        Record::Fde(machine.function(0, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ];
    suite.add(tabled("hdr-zero-length", about, records, |header| header).catches(&["mold issue 1648"]));
    let about = "Two FDEs that overlap: an address in both is found by the later start.";
    let records = vec![
        cie(),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x40)),
        Record::Fde(machine.function(0, TEXT + 0x30, 0x30)),
        Record::Terminator,
    ];
    let bugs = &["riscv-binutils-gdb issue 76"];
    suite.add(tabled("hdr-overlap", about, records, |header| header).catches(bugs));
    let about = "Two FDEs of one function: the table has its location twice.";
    let records = vec![
        cie(),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Fde(machine.function(0, TEXT + 0x10, 0x20)),
        Record::Terminator,
    ];
    suite
        .add(tabled("hdr-duplicate", about, records, |header| header).catches(&["elfutils commit 8bbfc552"]));
    let about = "A first function whose return address is undefined: the end of the stack.";
    let records = vec![
        cie(),
        Record::Fde(start()),
        Record::Fde(machine.function(0, TEXT + 0x40, 0x30)),
        Record::Terminator,
    ];
    let clause = format!("{CLAUSE}; x86-64 psABI, unwinding: an undefined return address ends the stack");
    suite.add(
        tabled("hdr-undefined-ra", about, records, |header| header)
            .clause(&clause)
            .catches(&["framehop commit 07ce0f4"]),
    );
}

/// `_start`, as C libraries describe it.
fn start() -> FdeSpec {
    let machine = Convention::X86_64;
    let (start, size) = (TEXT, 0x26);
    let undefined = [(machine.return_address_register, RegisterRule::Undefined)];
    let rows = Listing::new(start, start + size)
        .row(0, cfa(machine.stack_pointer, machine.entry_offset), &machine.entry_rules())
        .row(4, cfa(machine.stack_pointer, machine.entry_offset), &undefined)
        .done();
    let program = Program::new().advance_loc(4).undefined(machine.return_address_register);
    FdeSpec { rows, ..FdeSpec::new(0, Address(start), size, program) }
}
