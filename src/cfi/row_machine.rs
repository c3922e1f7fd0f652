//! Rows: the state machine that call frame instructions drive (DWARF 5 section 6.4.3).

use std::borrow::Cow;
use std::ops::ControlFlow;

use cfidiff_model::{Fault, FaultKind, Machine};

use crate::cie::Cie;
use crate::fault::fault;
use crate::fde::Fde;
use crate::op;
use crate::program::{Block, Program, Progress, Stop, Visitor};
use crate::reader::Reader;
use crate::register_file::RegisterFile;
use crate::semantics::Semantics;

/// How many states remember_state may stack. Compilers use one; a bound keeps hostile input from costing
/// memory.
pub const MAX_REMEMBERED: usize = 256;

/// How a register is recovered; the model's rule with expressions as places in the section.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub enum Rule {
    /// The caller's value is lost.
    Undefined,
    /// The register still holds it.
    SameValue,
    /// In memory at the CFA plus this many bytes.
    Offset(i64),
    /// The CFA plus this many bytes.
    ValOffset(i64),
    /// In another register.
    Register(u64),
    /// In memory at the address that an expression gives.
    Expression(Block),
    /// What an expression gives.
    ValExpression(Block),
    /// As the machine's ABI says, see the model.
    Architectural(u64),
}

/// How the CFA is computed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Cfa {
    /// Not defined yet.
    #[default]
    Undefined,
    /// A register plus bytes.
    RegisterOffset {
        /// The register.
        register: u64,
        /// The bytes.
        offset: i64,
    },
    /// The same in an address space.
    RegisterOffsetInSpace {
        /// The register.
        register: u64,
        /// The bytes.
        offset: i64,
        /// The address space.
        space: u64,
    },
    /// What an expression gives.
    Expression(Block),
}

/// The state that a CIE's instructions leave, from which its FDEs start. Kept small: a register file each
/// would cost memory with many CIEs.
#[derive(Clone, Debug, Default)]
pub(crate) struct InitialRules {
    pub cfa: Cfa,
    pub rules: Vec<(u64, Rule)>,
}

/// One row as the evaluation passes it on. Borrows the register file.
pub struct Row<'m> {
    /// The first location it holds for.
    pub start: u64,
    /// The first location after it.
    pub end: u64,
    /// How the CFA is computed.
    pub cfa: &'m Cfa,
    pub(crate) registers: &'m RegisterFile,
}

impl<'m> Row<'m> {
    /// The register rules in no order.
    #[inline(always)]
    pub fn rules(&self) -> impl Iterator<Item = (u64, &'m Rule)> + use<'m> {
        self.registers.rules().iter().map(|(register, rule)| (*register, rule))
    }

    /// The register rules by number up to 127, then the others in no order.
    #[inline(always)]
    pub(crate) fn rules_by_number(&self) -> impl Iterator<Item = (u64, &'m Rule)> + use<'m> {
        self.registers.by_number()
    }
}

/// What an evaluation keeps between FDEs, so that it allocates once.
#[derive(Default)]
pub struct RowContext {
    registers: RegisterFile,
    /// Remembered states, flat: each one's rules, with the states' ends in `frames`.
    remembered: Vec<(u64, Rule)>,
    frames: Vec<Remembered>,
}

struct Remembered {
    cfa: Cfa,
    location: u64,
    first: usize,
}

impl RowContext {
    /// How many states the FDE evaluated last had remembered and not restored at its end.
    pub fn remembered(&self) -> usize {
        self.frames.len()
    }

    /// Evaluates the FDE's instructions and passes its rows on in address order. Returns what was wrong. Where
    /// that ended the program, the rows that it had finished have been passed on, not the one in the making. An
    /// FDE without [`Fde::has_rows`] gives none: its own faults say why.
    #[inline]
    pub fn rows<S: Semantics + ?Sized>(
        &mut self,
        reader: &Reader<'_, S>,
        cie: &Cie<'_>,
        fde: &Fde<'_>,
        end: usize,
        mut each: impl FnMut(&Row<'_>) -> ControlFlow<()>,
    ) -> Vec<Fault> {
        if !fde.has_rows {
            return Vec::new();
        }
        let mut machine = Machinery::of_fde(reader, cie, fde, self);
        let function = Some(fde.initial_location);
        let program = Program { reader, cie, function };
        let mut cursor = program.cursor(fde.instructions, end);
        loop {
            let progress = program.run(&mut cursor, &mut machine);
            if machine.stopped || progress.is_err() {
                machine.faults.extend(progress.err().map(|fault| *fault));
                break;
            }
            let is_last = progress == Ok(Progress::Ended);
            let end = if is_last { machine.last_end() } else { machine.location };
            let row = Row {
                start: machine.row_start,
                end,
                cfa: &machine.cfa,
                registers: &machine.context.registers,
            };
            if each(&row).is_break() || is_last {
                break;
            }
            machine.start_row();
        }
        machine.faults
    }
}

impl InitialRules {
    /// The register rules by number up to 127, then the others in no order.
    pub fn rules(&self) -> impl Iterator<Item = (u64, &Rule)> {
        self.rules.iter().map(|(register, rule)| (*register, rule))
    }

    /// Evaluates a CIE's instructions and stores the state in it.
    pub fn of_cie<S: Semantics + ?Sized>(reader: &Reader<'_, S>, cie: &mut Cie<'_>) {
        let mut context = RowContext::default();
        let rule = reader.semantics.return_address_before_definition();
        context.registers.reset(rule.map(|rule| (cie.return_address_register, rule)).as_slice());
        let mut machine = Machinery {
            semantics: reader.semantics,
            data: reader.data,
            machine: reader.target.machine,
            address_size: cie.address_size,
            initial: None,
            place: cie.instructions,
            cfa: match reader.semantics.cfa_before_definition() {
                Some((register, offset)) => Cfa::RegisterOffset { register, offset },
                None => Cfa::Undefined,
            },
            row_start: 0,
            location: 0,
            range: (0, u64::MAX),
            past_end: false,
            forgets: false,
            stopped: false,
            context: &mut context,
            faults: Vec::new(),
        };
        let program = Program { reader, cie, function: None };
        let result = program.run(&mut program.cursor(cie.instructions, cie.end), &mut machine);
        let cfa = machine.cfa;
        let mut faults = machine.faults;
        cie.complete = result.is_ok() && !machine.stopped;
        faults.extend(result.err().map(|fault| *fault));
        let rules = context.registers.by_number().map(|(register, rule)| (register, *rule)).collect();
        cie.initial = InitialRules { cfa, rules };
        cie.faults.append(&mut faults);
    }
}

/// The machine while it runs over one program.
struct Machinery<'m, S: Semantics + ?Sized> {
    semantics: &'m S,
    data: &'m [u8],
    machine: Machine,
    address_size: u8,
    /// The CIE's state, or `None` while the CIE itself is evaluated.
    initial: Option<&'m InitialRules>,
    /// Where the current instruction is, for faults.
    place: usize,
    cfa: Cfa,
    row_start: u64,
    /// Where the next row starts, once an instruction has moved there and so ended the current row.
    location: u64,
    /// The FDE's initial location and address range.
    range: (u64, u64),
    past_end: bool,
    /// Whether the next row starts with the CIE's rules again.
    forgets: bool,
    /// Whether the program ended before its last instruction, so that the row in the making is not known.
    stopped: bool,
    context: &'m mut RowContext,
    faults: Vec<Fault>,
}

impl<'m, S: Semantics + ?Sized> Machinery<'m, S> {
    /// The machine at the start of an FDE's instructions.
    #[inline(always)]
    fn of_fde(
        reader: &Reader<'m, S>,
        cie: &'m Cie<'_>,
        fde: &Fde<'_>,
        context: &'m mut RowContext,
    ) -> Machinery<'m, S> {
        context.frames.clear();
        context.remembered.clear();
        let starts_with_cie = reader.semantics.fde_starts_with_cie_rules();
        context.registers.reset(if starts_with_cie { &cie.initial.rules } else { &[] });
        Machinery {
            semantics: reader.semantics,
            data: reader.data,
            machine: reader.target.machine,
            address_size: cie.address_size,
            initial: Some(&cie.initial),
            place: fde.instructions,
            cfa: if starts_with_cie { cie.initial.cfa } else { Cfa::Undefined },
            row_start: fde.initial_location,
            location: fde.initial_location,
            range: (fde.initial_location, fde.address_range),
            past_end: false,
            forgets: false,
            stopped: false,
            context,
            faults: Vec::new(),
        }
    }

    #[cold]
    #[inline(never)]
    fn complain(&mut self, kind: FaultKind, expected: &'static str) {
        // One of a kind is enough: a program can repeat a mistake for each of its bytes.
        if !self.faults.iter().any(|fault| fault.kind == kind) {
            self.faults.push(fault(self.data, self.place, kind, Cow::Borrowed(expected)));
        }
    }

    #[cold]
    fn stop(&mut self) -> Stop {
        self.stopped = true;
        Stop
    }

    /// Ends the row at a location, where the program pauses for the row to be passed on.
    #[inline(always)]
    fn move_to(&mut self, location: u64) -> Result<(), Stop> {
        if self.initial.is_none() {
            self.complain(FaultKind::LocationPastEnd, "no location in the instructions of a CIE");
            return Ok(());
        }
        if location < self.row_start {
            self.complain(FaultKind::LocationBackwards, "a location that does not go down");
            return Err(self.stop());
        }
        self.location = location;
        Err(Stop)
    }

    /// Starts the row at the location that ended the one before.
    #[inline(always)]
    fn start_row(&mut self) {
        self.row_start = self.location;
        if self.forgets {
            self.forget();
        }
        // Locations only go up, so the distance cannot wrap, while the range's end can.
        if self.location.wrapping_sub(self.range.0) > self.range.1 && !self.past_end {
            self.past_end = true;
            self.complain(FaultKind::LocationPastEnd, "a location inside the FDE's range");
        }
    }

    /// Where the last row ends.
    #[inline(always)]
    fn last_end(&self) -> u64 {
        if self.past_end {
            return self.row_start;
        }
        let end = self.semantics.last_row_end(self.range.0, self.range.1);
        self.semantics.wrap(end, self.address_size)
    }

    /// Goes back to the CIE's rules.
    #[cold]
    fn forget(&mut self) {
        self.forgets = false;
        if let Some(initial) = self.initial {
            self.context.registers.reset(&initial.rules);
            self.cfa = initial.cfa;
        }
    }

    #[cold]
    fn too_many_rules(&mut self) -> Result<(), Stop> {
        self.complain(FaultKind::RuleCount, "no more register rules than this reader keeps");
        Err(self.stop())
    }
}

impl<S: Semantics + ?Sized> Visitor for Machinery<'_, S> {
    #[inline(always)]
    fn at(&mut self, position: usize) {
        self.place = position;
    }

    #[inline(always)]
    fn heeds(&self, opcode: u8) -> bool {
        self.semantics.has_effect(opcode)
    }

    #[inline(always)]
    fn advance(&mut self, opcode: u8, delta: u64) -> Result<(), Stop> {
        self.forgets = !self.semantics.advance_keeps_rules(opcode);
        self.move_to(self.semantics.wrap(self.row_start.wrapping_add(delta), self.address_size))
    }

    #[inline]
    fn set_loc(&mut self, location: u64) -> Result<(), Stop> {
        self.move_to(location)
    }

    #[inline(always)]
    fn rule(&mut self, opcode: u8, register: u64, rule: Rule) -> Result<(), Stop> {
        let rule = self.semantics.register_rule(opcode, rule);
        if self.context.registers.set(register, rule) { Ok(()) } else { self.too_many_rules() }
    }

    #[inline(always)]
    fn restore(&mut self, _: u8, register: u64) -> Result<(), Stop> {
        let Some(initial) = self.initial else {
            self.complain(FaultKind::RestoreInCie, "no restore in the instructions of a CIE");
            return Ok(());
        };
        let rule = initial.rules.iter().find(|&&(number, _)| number == register).map(|&(_, rule)| rule);
        match self.semantics.restored_rule(rule) {
            Some(rule) => self.rule(op::RESTORE, register, rule),
            None => {
                self.context.registers.remove(register);
                Ok(())
            }
        }
    }

    #[inline]
    fn remember_state(&mut self) -> Result<(), Stop> {
        let context = &mut *self.context;
        if context.frames.len() >= MAX_REMEMBERED {
            self.complain(FaultKind::RememberDepth, "at most 256 remembered states");
            return Err(self.stop());
        }
        if !self.semantics.remembered_states_nest() {
            context.frames.clear();
            context.remembered.clear();
        }
        let first = context.remembered.len();
        context.frames.push(Remembered { cfa: self.cfa, location: self.row_start, first });
        context.remembered.extend_from_slice(context.registers.rules());
        Ok(())
    }

    #[inline]
    fn restore_state(&mut self) -> Result<(), Stop> {
        let context = &mut *self.context;
        let Some(state) = context.frames.pop() else {
            self.complain(FaultKind::RestoreWithoutRemember, "a remember_state before each restore_state");
            return Ok(());
        };
        let is_copy = self.semantics.remembered_state_is_copy();
        if is_copy && self.semantics.remembered_state_has_registers() {
            context.registers.reset(&context.remembered[state.first..]);
        }
        context.remembered.truncate(state.first);
        if is_copy && self.semantics.remembered_state_has_cfa() {
            self.cfa = state.cfa;
        }
        if self.semantics.remembered_state_has_location() {
            self.row_start = state.location;
        }
        Ok(())
    }

    #[inline(always)]
    fn def_cfa(&mut self, _: u8, register: u64, offset: i64) -> Result<(), Stop> {
        self.cfa = Cfa::RegisterOffset { register, offset };
        Ok(())
    }

    #[inline(always)]
    fn def_cfa_register(&mut self, new: u64) -> Result<(), Stop> {
        match &mut self.cfa {
            Cfa::RegisterOffset { register, offset } => {
                *register = new;
                *offset = self.semantics.offset_after_def_cfa_register(*offset);
            }
            Cfa::RegisterOffsetInSpace { register, .. } => *register = new,
            Cfa::Undefined => match self.semantics.first_cfa_of_register(new) {
                Some(offset) => self.cfa = Cfa::RegisterOffset { register: new, offset },
                None => {
                    self.complain(FaultKind::CfaNotRegister, "a CFA rule of register and offset to change")
                }
            },
            Cfa::Expression(_) => {
                self.complain(FaultKind::CfaNotRegister, "a CFA rule of register and offset to change");
            }
        }
        Ok(())
    }

    #[inline(always)]
    fn def_cfa_offset(&mut self, _: u8, new: i64) -> Result<(), Stop> {
        match &mut self.cfa {
            Cfa::RegisterOffset { offset, .. } | Cfa::RegisterOffsetInSpace { offset, .. } => *offset = new,
            _ => self.complain(FaultKind::CfaNotRegister, "a CFA rule of register and offset to change"),
        }
        Ok(())
    }

    #[inline]
    fn def_cfa_expression(&mut self, block: Block) -> Result<(), Stop> {
        self.cfa = Cfa::Expression(block);
        Ok(())
    }

    fn def_aspace_cfa(&mut self, _: u8, register: u64, offset: i64, space: u64) -> Result<(), Stop> {
        self.cfa = Cfa::RegisterOffsetInSpace { register, offset, space };
        Ok(())
    }

    #[inline]
    fn args_size(&mut self, size: u64) -> Result<(), Stop> {
        if let Cfa::RegisterOffset { offset, .. } = &mut self.cfa {
            *offset = self.semantics.offset_after_args_size(*offset, size);
        }
        Ok(())
    }

    fn window_save(&mut self) -> Result<(), Stop> {
        if !self.semantics.has_register_windows(self.machine) {
            return Ok(());
        }
        // The callee's window is spilled at the CFA, one word for each of %l0-%l7 and %i0-%i7.
        for register in 16..32u64 {
            let offset = (register - 16) * u64::from(self.address_size);
            if !self.context.registers.set(register, Rule::Architectural(offset)) {
                return self.too_many_rules();
            }
        }
        Ok(())
    }

    fn negate_ra_state(&mut self, with_pc: bool) -> Result<(), Stop> {
        /// RA_SIGN_STATE of the AArch64 DWARF supplement.
        const RA_SIGN_STATE: u64 = 34;
        let state = match self.context.registers.get(RA_SIGN_STATE) {
            Some(Rule::Architectural(state)) => state,
            _ => 0,
        };
        let flipped = self.semantics.ra_state_after(state, with_pc);
        if self.context.registers.set(RA_SIGN_STATE, Rule::Architectural(flipped)) {
            Ok(())
        } else {
            self.too_many_rules()
        }
    }
}
