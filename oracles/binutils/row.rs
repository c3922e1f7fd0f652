//! The lines of an interpreted table: a header that names the columns, and one line for each row.

use cfidiff_model::{Address, CfaRule, Machine, RegisterRule, Rows, register_by_name};

use crate::printed::cursor::{Cursor, register_number};

/// What the line with the names of the columns starts with.
pub(super) const COLUMNS: &[u8] = b"   LOC";

/// Register numbers by name. A table asks for the same few names over and over, so what was found is kept in a
/// table of its own with one probe for a name.
pub(super) struct RegisterNames {
    machine: Machine,
    slots: [(u64, u64); 64],
}

impl RegisterNames {
    pub(super) fn new(machine: Machine) -> RegisterNames {
        RegisterNames { machine, slots: [(0, 0); 64] }
    }

    /// The number of a register that is printed by its name, or as `r33` if it has none.
    #[inline]
    fn number(&mut self, name: &[u8]) -> Option<u64> {
        if name.is_empty() || name.len() > 8 {
            return search(self.machine, name);
        }
        // A name holds no NUL, so no two names have the same key, and no name the key of an empty slot.
        let key = name.iter().fold(0, |key, &byte| key << 8 | u64::from(byte));
        let slot = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as usize;
        let (kept, number) = self.slots[slot];
        if kept == key {
            return Some(number);
        }
        let number = search(self.machine, name)?;
        self.slots[slot] = (key, number);
        Some(number)
    }
}

#[cold]
fn search(machine: Machine, name: &[u8]) -> Option<u64> {
    let text = std::str::from_utf8(name).ok()?;
    register_by_name(machine, text).or_else(|| {
        let mut cursor = Cursor::new(name.strip_prefix(b"r")?);
        let number = register_number(&mut cursor)?;
        cursor.is_empty().then_some(number)
    })
}

/// What a column shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Column {
    Register(u64),
    /// Headed `ra`.
    ReturnAddress,
    /// Under a name that leads to no register.
    Unknown,
}

impl Column {
    fn number(self) -> Option<u64> {
        match self {
            Column::Register(number) => Some(number),
            _ => None,
        }
    }
}

/// The columns of a table, in order.
#[derive(Default)]
pub(super) struct Columns {
    columns: Vec<Column>,
    /// The text of a row's cells and the rules that they give. Most rows change the CFA alone, so the next one
    /// often has the same.
    text: Vec<u8>,
    rules: Vec<(u64, RegisterRule)>,
}

impl Columns {
    /// Takes the names from a line such as `   LOC           CFA      rbx   ra    `. The column of the CIE's return
    /// address register is headed `ra`. Returns whether the register of every column is known; rules in
    /// the other columns are left out of the rows.
    pub(super) fn set(
        &mut self,
        line: &[u8],
        names: &mut RegisterNames,
        return_address: Option<u64>,
    ) -> bool {
        self.columns.clear();
        self.forget();
        let mut cursor = Cursor::new(line);
        if !cursor.eat(COLUMNS) {
            return false;
        }
        cursor.spaces();
        if !cursor.eat(b"CFA") {
            return false;
        }
        loop {
            cursor.spaces();
            self.columns.push(match cursor.until(|byte| byte == b' ') {
                [] => break,
                b"ra" => Column::ReturnAddress,
                name => names.number(name).map_or(Column::Unknown, Column::Register),
            });
        }
        if let Some(return_address) = return_address {
            self.settle_return_address(return_address, names);
        }
        self.columns.iter().all(|column| column.number().is_some())
    }

    /// Gives the columns headed `ra` their registers. On a machine that has a register of that name (RISC-V)
    /// the heading may mean either, and the ascending order of the columns decides. Where that leaves both, it is
    /// taken for the register of that name: functions that return through another register save that one.
    #[inline]
    fn settle_return_address(&mut self, return_address: u64, names: &mut RegisterNames) {
        let mut headed =
            self.columns.iter().enumerate().filter(|(_, column)| **column == Column::ReturnAddress);
        let (Some((first, _)), second) = (headed.next(), headed.next()) else { return };
        let named = names.number(b"ra").unwrap_or(return_address);
        if let Some((second, _)) = second {
            self.columns[first] = Column::Register(return_address.min(named));
            self.columns[second] = Column::Register(return_address.max(named));
            return;
        }
        let before = first.checked_sub(1).and_then(|index| self.columns[index].number());
        let after = self.columns.get(first + 1).and_then(|column| column.number());
        let fits = |number: u64| {
            before.is_none_or(|before| before < number) && after.is_none_or(|after| number < after)
        };
        let number = if fits(named) { named } else { return_address };
        self.columns[first] = Column::Register(number);
    }
}

/// What a line turned out to be.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Line {
    /// A row, which is in the rows now.
    Row,
    /// A row whose cells do not fit the columns.
    OddRow,
    /// Something else.
    Other,
}

/// Parses a row such as `0000000000001061 rsp+16   c-16  c-8   ` and adds it. Of an FDE, `end` is its end until the
/// next one starts. A CIE has no end and one row: the last that is printed, for no location.
#[inline]
pub(super) fn parse_row(
    line: &[u8],
    columns: &mut Columns,
    names: &mut RegisterNames,
    end: Option<Address>,
    rows: &mut Rows,
) -> Line {
    let mut cursor = Cursor::new(line);
    let Some((location, _)) = cursor.hex() else { return Line::Other };
    if !cursor.eat(b" ") {
        return Line::Other;
    }
    let cell = cursor.until(|byte| byte == b' ');
    let cfa = if cell == b"exp" {
        None
    } else {
        // From behind, since a number may stand for the name, and be negative.
        let Some(sign) = cell.iter().rposition(|&byte| byte == b'+' || byte == b'-') else {
            return Line::Other;
        };
        let Some(offset) = Cursor::new(&cell[sign..]).signed() else { return Line::Other };
        let Some(register) = names.number(&cell[..sign]) else { return Line::OddRow };
        Some((register, offset))
    };
    cursor.spaces();
    if !columns.have(cursor.rest()) && columns.cells(cursor).is_none() {
        columns.forget();
        return Line::OddRow;
    }
    let (start, end) = match end {
        Some(end) => (Address(location), end),
        None => {
            rows.clear();
            (Address(0), Address(0))
        }
    };
    rows.set_last_end(start);
    for (register, rule) in &columns.rules {
        rows.push_rule(*register, rule.clone());
    }
    match cfa {
        Some((register, offset)) => rows.finish_row(start, end, CfaRule::RegisterOffset { register, offset }),
        None => rows.finish_row(start, end, CfaRule::Expression(Box::default())),
    }
    Line::Row
}

impl Columns {
    /// Takes the registers' cells of a row, exactly one for each column.
    #[inline]
    fn cells(&mut self, mut cursor: Cursor<'_>) -> Option<()> {
        let Columns { columns, text, rules } = self;
        text.clear();
        text.extend_from_slice(cursor.rest());
        rules.clear();
        for column in &*columns {
            cursor.spaces();
            cell(&mut cursor, *column, rules)?;
            if !matches!(cursor.peek(), Some(b' ') | None) {
                return None;
            }
        }
        cursor.end()
    }

    /// Whether the rules at hand are those of these cells.
    #[inline]
    fn have(&self, cells: &[u8]) -> bool {
        !cells.is_empty() && self.text == cells
    }

    fn forget(&mut self) {
        self.text.clear();
        self.rules.clear();
    }
}

/// Takes one cell and adds its rule, unless there is none or the column's register is not known.
#[inline]
fn cell(cursor: &mut Cursor<'_>, column: Column, rules: &mut Vec<(u64, RegisterRule)>) -> Option<()> {
    if cursor.eat(b"u") {
        return Some(());
    }
    let rule = if cursor.eat(b"c") {
        RegisterRule::Offset(cursor.signed()?)
    } else if cursor.eat(b"vexp") {
        RegisterRule::ValExpression(Box::default())
    } else if cursor.eat(b"v") {
        RegisterRule::ValOffset(cursor.signed()?)
    } else if cursor.eat(b"s") {
        RegisterRule::SameValue
    } else if cursor.eat(b"exp") {
        RegisterRule::Expression(Box::default())
    } else {
        RegisterRule::Register(cursor.register()?)
    };
    if let Column::Register(register) = column {
        rules.push((register, rule));
    }
    Some(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(
        machine: Machine,
        return_address: Option<u64>,
        columns: &str,
        row: &str,
    ) -> (bool, Line, Vec<(u64, RegisterRule)>) {
        let mut names = RegisterNames::new(machine);
        let mut set = Columns::default();
        let mut rows = Rows::default();
        let known = set.set(columns.as_bytes(), &mut names, return_address);
        let line = parse_row(row.as_bytes(), &mut set, &mut names, Some(Address(0x9999)), &mut rows);
        let rules = rows.get(0).map(|row| row.rules.to_vec()).unwrap_or_default();
        (known, line, rules)
    }

    #[test]
    fn rows_as_2_40_prints_them() {
        let (known, line, rules) = table(
            Machine::X86_64,
            Some(16),
            "   LOC           CFA      rax   rdx   rbx   rbp   r12   r13   ra    ",
            "0000000000001014 exp      u     v+24  c-16  s     vexp  r15 (r15) c-8   ",
        );
        assert_eq!((known, line), (true, Line::Row));
        let expected = [
            (1, RegisterRule::ValOffset(24)),
            (3, RegisterRule::Offset(-16)),
            (6, RegisterRule::SameValue),
            (12, RegisterRule::ValExpression(Box::default())),
            (13, RegisterRule::Register(15)),
            (16, RegisterRule::Offset(-8)),
        ];
        assert_eq!(rules, expected);
    }

    #[test]
    fn cells_wider_than_their_column_and_registers_without_names() {
        let columns = "   LOC   CFA      r0    r33   r12345 ";
        let row = "00001000 r29-1234567890 exp   c-1234567 r7    ";
        let (known, line, rules) = table(Machine::MIPS, Some(31), columns, row);
        assert_eq!((known, line), (true, Line::Row));
        let expected = [
            (0, RegisterRule::Expression(Box::default())),
            (33, RegisterRule::Offset(-1_234_567)),
            (12345, RegisterRule::Register(7)),
        ];
        assert_eq!(rules, expected);
    }

    #[test]
    fn rows_end_where_the_next_one_starts() {
        let mut names = RegisterNames::new(Machine::X86_64);
        let mut columns = Columns::default();
        let mut rows = Rows::default();
        assert!(columns.set(b"   LOC           CFA      ", &mut names, None));
        for line in [&b"0000000000001000 rsp+8    "[..], b"0000000000001004 r-1+16   "] {
            assert_eq!(
                parse_row(line, &mut columns, &mut names, Some(Address(0x1010)), &mut rows),
                Line::Row
            );
        }
        let ends: Vec<_> = rows.iter().map(|row| (row.start.0, row.end.0)).collect();
        assert_eq!(ends, [(0x1000, 0x1004), (0x1004, 0x1010)]);
        let last = rows.get(1).expect("two rows");
        assert_eq!(*last.cfa, CfaRule::RegisterOffset { register: 0xffff_ffff, offset: 16 });
    }

    #[test]
    fn rows_with_the_same_cells_have_the_same_rules_until_the_columns_change() {
        let mut names = RegisterNames::new(Machine::X86_64);
        let (mut columns, mut rows) = (Columns::default(), Rows::default());
        let cells = ["rsp+8    c-8   ", "rsp+16   c-8   ", "rbp+16   c-8   c-16  ", "rsp+8    c-8   "];
        for (header, odd) in
            [("   LOC           CFA      ra    ", 1), ("   LOC           CFA      rbx   ", 1)]
        {
            assert!(columns.set(header.as_bytes(), &mut names, Some(16)));
            let parsed = cells.map(|cells| {
                let line = format!("0000000000001000 {cells}");
                parse_row(line.as_bytes(), &mut columns, &mut names, Some(Address(0x1010)), &mut rows)
            });
            assert_eq!(parsed.iter().filter(|line| **line == Line::OddRow).count(), odd, "{header}");
        }
        let registers: Vec<u64> = rows.iter().flat_map(|row| row.rules).map(|rule| rule.0).collect();
        assert_eq!(registers, [16, 16, 16, 3, 3, 3]);
    }

    #[test]
    fn a_column_called_ra_may_be_the_register_of_that_name() {
        let numbers = |return_address, columns: &str| {
            let mut names = RegisterNames::new(Machine::RISCV);
            let mut set = Columns::default();
            assert!(set.set(columns.as_bytes(), &mut names, Some(return_address)), "{columns}");
            set.columns.into_iter().filter_map(Column::number).collect::<Vec<_>>()
        };
        assert_eq!(numbers(1, "   LOC           CFA      ra    s0    "), [1, 8]);
        assert_eq!(numbers(5, "   LOC           CFA      ra    ra    s1    "), [1, 5, 9]);
        assert_eq!(numbers(5, "   LOC           CFA      ra    sp    s1    "), [1, 2, 9]);
        assert_eq!(numbers(5, "   LOC           CFA      sp    ra    s1    "), [2, 5, 9]);
    }

    #[test]
    fn columns_of_unknown_registers_are_told_and_left_out() {
        let row = "0000000000001000 rsp+8    c-16  c-8   ";
        for (return_address, columns) in [(None, "   LOC CFA rbx ra "), (Some(16), "   LOC CFA rbx xyz ")] {
            let (known, line, rules) = table(Machine::X86_64, return_address, columns, row);
            assert_eq!((known, line, rules.len()), (false, Line::Row, 1), "{columns}");
        }
    }

    #[test]
    fn rows_that_do_not_fit_are_told() {
        let columns = "   LOC           CFA      rbx   ra    ";
        let line = |row| table(Machine::X86_64, Some(16), columns, row).1;
        assert_eq!(line("0000000000001000 rsp+8    "), Line::OddRow, "none");
        assert_eq!(line("0000000000001000 rsp+8    c-8   "), Line::OddRow, "too few");
        assert_eq!(line("0000000000001000 rsp+8    c-8   c-8   u     "), Line::OddRow, "too many");
        assert_eq!(line("0000000000001000 rsp+8    c-8   n/a   "), Line::OddRow);
        assert_eq!(line("0000000000001000 xyz+8    c-8   c-8   "), Line::OddRow);
        assert_eq!(line("00000018 000000000000001c 0000001c FDE cie=0"), Line::Other);
    }
}
