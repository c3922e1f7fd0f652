//! Instructions that can be read and make no sense where they stand.

use cfidiff_model::{Address, CfaRule, RegisterRule};

use super::{BROKEN, MACHINE, case, debug_frame, eh_frame};
use crate::suite::convention::Convention;
use crate::suite::draft::TEXT;
use crate::suite::rows::{Listing, cfa, initial_row};
use crate::suite::{Damage, Suite};
use crate::{CieSpec, Code, FdeSpec, Program, Record};

const LOCATIONS: &str = "DWARF 5 section 6.4.2.1: set_loc takes an address greater than the current one; 6.4.1: the \
                         table covers address_range bytes";
const STATES: &str = "DWARF 5 section 6.4.2.4: restore_state pops what remember_state pushed";
const CFA: &str = "DWARF 5 section 6.4.2.2: valid only if the current CFA rule is a register and an offset";

/// The readings of what a bounded reader refuses.
const BOUNDED: &str = "bounded";
const UNBOUNDED: &str = "unbounded";

const START: u64 = TEXT + 0x40;

pub(super) fn add(suite: &mut Suite) {
    add_locations(suite);
    add_states(suite);
    add_cfas(suite);
    add_limits(suite);
}

/// A function with this program, whose instructions are expected and whose rows are not, since readers may end
/// them at the mistake or go on.
fn add_program(suite: &mut Suite, damage: Damage, clause: &str, program: Program) {
    let fde = Record::Fde(FdeSpec::new(0, Address(START), 0x20, program));
    let draft = debug_frame(case(damage, &MACHINE, clause), &MACHINE, vec![fde]);
    suite.add(draft.entry(BROKEN, |fde| fde.faults(&[damage.fault()]).free(&["rows"])));
}

fn add_locations(suite: &mut Suite) {
    let advanced = || Program::new().advance_loc(8).def_cfa_offset(16);
    let back = advanced().set_loc(Address(START)).def_cfa_offset(32);
    add_program(suite, Damage::SetLocBackwards, LOCATIONS, back);
    let past = advanced().set_loc(Address(START + 0x40)).def_cfa_offset(32);
    add_program(suite, Damage::SetLocPastEnd, LOCATIONS, past);
    let past = advanced().advance_loc1(0x80).def_cfa_offset(32);
    add_program(suite, Damage::AdvancePastEnd, LOCATIONS, past);

    let damage = Damage::AdvanceWraps;
    let machine = Convention::I386;
    let wrapping = advanced().advance_loc4(0x200).def_cfa_offset(32);
    let fde = Record::Fde(FdeSpec::new(0, Address(0xffff_ff00), 0x80, wrapping));
    let draft = debug_frame(case(damage, &machine, LOCATIONS), &machine, vec![fde]);
    suite.add(draft.entry(BROKEN, |fde| fde.faults(&[damage.fault()]).free(&["rows"])));
}

fn add_states(suite: &mut Suite) {
    let alone = Program::new().advance_loc(1).def_cfa_offset(16).restore_state();
    add_program(suite, Damage::RestoreAlone, STATES, alone);
    let twice = Program::new().remember_state().advance_loc(1).def_cfa_offset(16);
    let twice = twice.advance_loc(1).restore_state().advance_loc(1).restore_state();
    add_program(suite, Damage::RestoreTwice, STATES, twice);
}

fn add_cfas(suite: &mut Suite) {
    let expression =
        || Program::new().advance_loc(1).def_cfa_expression(Code::new().breg(7, 16)).advance_loc(1);
    add_program(suite, Damage::OffsetAfterExpression, CFA, expression().def_cfa_offset(32));
    add_program(suite, Damage::RegisterAfterExpression, CFA, expression().def_cfa_register(6));

    let damage = Damage::OffsetWithoutCfa;
    let rows = initial_row(CfaRule::Undefined, &[]);
    let cie = CieSpec { program: Program::new(), rows, ..MACHINE.eh_frame_cie() };
    let program = Program::new().def_cfa_offset(16);
    let fde = FdeSpec::new(BROKEN, Address(START), 0x20, program);
    let between = vec![Record::Cie(cie), Record::Fde(fde)];
    let draft = eh_frame(case(damage, &MACHINE, CFA), &MACHINE, between);
    suite.add(draft.entry(BROKEN + 1, |fde| fde.faults(&[damage.fault()]).free(&["rows"])));
}

/// What is sound, and more than a reader has to keep.
fn add_limits(suite: &mut Suite) {
    let entry = || Listing::new(START, START + 0x20).row(0, cfa(7, 8), &MACHINE.entry_rules());
    let remember = (0..257).fold(Program::new(), |program, _| program.remember_state());
    let fde = FdeSpec { rows: entry().done(), ..FdeSpec::new(0, Address(START), 0x20, remember) };
    add_limit(
        suite,
        Damage::RememberDepth,
        "DWARF 5 section 6.4.2.4: an implicit stack, of no stated depth",
        fde,
    );

    let registers = 128..128 + 520;
    let undefined = registers.clone().fold(Program::new(), Program::undefined);
    let mut rules = MACHINE.entry_rules();
    rules.extend(registers.map(|register| (register, RegisterRule::Undefined)));
    let rows = Listing::new(START, START + 0x20).row(0, cfa(7, 8), &rules).done();
    let fde = FdeSpec { rows, ..FdeSpec::new(0, Address(START), 0x20, undefined) };
    add_limit(suite, Damage::RuleCount, "DWARF 5 section 6.4.1: a column for every register", fde);
}

fn add_limit(suite: &mut Suite, damage: Damage, clause: &str, fde: FdeSpec) {
    let draft = debug_frame(case(damage, &MACHINE, clause), &MACHINE, vec![Record::Fde(fde)]);
    let draft = draft
        .reading(BOUNDED, "a reader of hostile input keeps a bounded state, and says when there is more")
        .reading(UNBOUNDED, "the specification has no bound");
    suite.add(draft.answer(|entries| {
        // Hundreds of equal instructions would say nothing.
        let sound = entries[BROKEN].clone().free(&["instructions"]);
        entries[BROKEN] = sound.clone().faults(&[damage.fault()]).free(&["rows"]).reading(BOUNDED);
        entries.insert(BROKEN + 1, sound.reading(UNBOUNDED));
    }));
}
