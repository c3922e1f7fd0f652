#!/usr/bin/env python3
"""pyelftools as a reader for cfidiff: entries, instructions, and the rows of its decoded tables.

    cfidiff check --reader-cmd 'mine=python3 pyelftools.py' FILE...

cfidiff has it built in as its reader `pyelftools`. It lives on and answers for the files that it is asked about on standard input, or for one that is its argument.
PROTOCOL.md tells what it prints.
"""

import json
import sys

import elftools
from elftools.dwarf.callframe import CIE, ZERO
from elftools.dwarf.dwarf_expr import DWARFExprParser
from elftools.elf.elffile import ELFFile

# Not said: the personality and what else is in the augmentation data, since pyelftools adds no base to it; segment
# selectors, which it does not read.
SAYS = [
    "records", "format", "terminators", "past-terminator", "cie-factors", "cie-version", "address-size",
    "segment-size", "augmentation-string", "cie-augmentation-bytes", "fde-augmentation-bytes", "cie-of-fde",
    "cie-pointer", "range", "lsda", "instructions", "instruction-forms", "rows", "cie-rows", "rows-of-nops",
    "undefined-rules", "row-expressions",
]

# The operands of each instruction, in order: as they are, or times an alignment factor.
OPERANDS = {
    "nop": [], "remember_state": [], "restore_state": [], "AARCH64_negate_ra_state": [],
    "set_loc": ["location"],
    "advance_loc": ["delta"], "advance_loc1": ["delta"], "advance_loc2": ["delta"], "advance_loc4": ["delta"],
    "restore": ["register"], "restore_extended": ["register"], "undefined": ["register"],
    "same_value": ["register"], "def_cfa_register": ["register"],
    "register": ["register", "source"],
    "def_cfa": ["register", "offset"], "def_cfa_offset": ["offset"],
    "offset": ["register", "factored"], "offset_extended": ["register", "factored"],
    "offset_extended_sf": ["register", "factored"], "def_cfa_sf": ["register", "factored"],
    "def_cfa_offset_sf": ["factored"],
    "val_offset": ["register", "factored"], "val_offset_sf": ["register", "factored"],
    "def_cfa_expression": ["expression"],
    "expression": ["register", "expression"], "val_expression": ["register", "expression"],
    "GNU_args_size": ["size"],
}


class Refused(Exception):
    """What pyelftools says of a record has no place in an answer."""


def unsigned(number):
    """An address or an unsigned number. pyelftools' integers are unbounded, an answer's have 64 bits."""
    if not -2**63 <= number < 2**64:
        raise Refused(f"the number {number:#x} has more than 64 bits")
    return hex(number % 2**64)


def signed(number):
    if not -2**63 <= number < 2**64:
        raise Refused(f"the number {number:#x} has more than 64 bits")
    return hex(number)


def wrapped(number):
    """An offset, which whoever adds it to an address takes in the address's size."""
    return hex((number + 2**63) % 2**64 - 2**63)


def text(raw):
    return raw.decode("utf-8", "replace") if isinstance(raw, bytes) else raw


def operation(op, raw):
    """An operation, with the bytes that it stands in."""
    line = {"op": op.op_name if op.op_name.startswith("DW_OP_") else hex(op.op)}
    numbers = [arg for arg in op.args if isinstance(arg, int)]
    blocks = [arg for arg in op.args if isinstance(arg, (list, bytes))]
    if numbers:
        line["operands"] = [signed(number) for number in numbers]
    for block in blocks:
        # The expression in an entry_value comes decoded. Its bytes are those behind the length.
        if not all(isinstance(byte, int) for byte in block):
            length = next(size for size, byte in enumerate(raw[1:], 1) if byte < 0x80)
            block = raw[1 + length :]
        line["block"] = bytes(block).hex()
    return line


def expression(raw, cie):
    ops = DWARFExprParser(cie.structs).parse_expr(raw)
    ends = [op.offset for op in ops[1:]] + [len(raw)]
    return [operation(op, raw[op.offset : end]) for op, end in zip(ops, ends)]


def op_name(instruction):
    """The name without DW_CFA_: an enumeration from 0.33 on, numbers before."""
    if hasattr(instruction.opcode, "FQN"):
        return instruction.opcode.FQN.removeprefix("DW_CFA_")
    from elftools.dwarf.callframe import instruction_name
    return instruction_name(instruction.opcode).removeprefix("DW_CFA_")


def instruction(decoded, cie):
    name = op_name(decoded)
    line = {"op": name}
    for kind, arg in zip(OPERANDS[name], decoded.args):
        if kind == "factored":
            line["offset"] = wrapped(arg * cie["data_alignment_factor"])
        elif kind == "delta":
            line["delta"] = hex(arg * cie["code_alignment_factor"] % 2**64)
        elif kind == "expression":
            line["expression"] = expression(arg, cie)
        else:
            line[kind] = unsigned(arg)
    return line


def cfa_rule(rule, cie):
    if rule.expr is not None:
        return {"rule": "expression", "expression": expression(rule.expr, cie)}
    if rule.reg is None or rule.offset is None:
        return {"rule": "undefined"}
    return {"rule": "register_offset", "register": unsigned(rule.reg), "offset": wrapped(rule.offset)}


def register_rule(register, rule, cie):
    line = {"register": unsigned(register), "rule": rule.type.lower()}
    if line["rule"] in ("offset", "val_offset"):
        line["offset"] = wrapped(rule.arg)
    elif line["rule"] == "register":
        line["source"] = unsigned(rule.arg)
    elif line["rule"] in ("expression", "val_expression"):
        line["expression"] = expression(rule.arg, cie)
    return line


def row(decoded, start, end, cie):
    registers = sorted(key for key in decoded if isinstance(key, int))
    return {
        "start": unsigned(start),
        "end": unsigned(end),
        "cfa": cfa_rule(decoded["cfa"], cie),
        "rules": [register_rule(register, decoded[register], cie) for register in registers],
    }


def rows(entry, cie):
    table = entry.get_decoded().table
    if entry is cie:
        # A CIE without rules has an empty table, which says that nothing is defined.
        return [row(table[-1], 0, 0, cie) if table
                else {"start": "0x0", "end": "0x0", "cfa": {"rule": "undefined"}, "rules": []}]
    end = (entry["initial_location"] + entry["address_range"]) % 2 ** (8 * entry.structs.address_size)
    ends = [line["pc"] for line in table[1:]] + [end]
    return [row(line, line["pc"], end, cie) for line, end in zip(table, ends) if line["pc"] != end]


def head(entry, cie):
    header = entry.header
    of_version_4 = header.get("address_size") is not None
    line = {
        "length": unsigned(header["length"]),
        "format": str(entry.structs.dwarf_format),
        "augmentation_data": bytes(entry.augmentation_bytes or b"").hex(),
    }
    if entry is cie:
        line.update(
            kind="CIE",
            version=header["version"],
            augmentation=text(header.get("augmentation", b"")),
            address_size=header["address_size"] if of_version_4 else entry.structs.address_size,
            segment_selector_size=header["segment_size"] if of_version_4 else 0,
            code_alignment_factor=unsigned(header["code_alignment_factor"]),
            data_alignment_factor=signed(header["data_alignment_factor"]),
            return_address_register=unsigned(header["return_address_register"]),
        )
    else:
        line.update(
            kind="FDE",
            cie=unsigned(cie.offset),
            cie_pointer=unsigned(header["CIE_pointer"]),
            initial_location=unsigned(header["initial_location"]),
            address_range=unsigned(header["address_range"]),
        )
        if entry.lsda_pointer is not None:
            line["lsda"] = {"address": unsigned(entry.lsda_pointer), "indirect": False}
    return line


def entry_line(entry):
    line = {"type": "entry", "offset": hex(entry.offset)}
    if isinstance(entry, ZERO):
        return line | {"kind": "terminator", "length": "0x0"}
    cie = entry if isinstance(entry, CIE) else entry.cie
    line["kind"] = "CIE" if entry is cie else "FDE"
    try:
        line |= head(entry, cie)
        line["instructions"] = [instruction(decoded, cie) for decoded in entry.instructions]
        line["rows"] = rows(entry, cie)
    except Exception as error:
        # One record that pyelftools cannot decode is told, and the next one follows.
        line["faults"] = [{"key": "fault.reported", "expected": why(error)}]
    return line


def why(error):
    return f"{type(error).__name__}: {error}"


def say(line):
    print(json.dumps(line, separators=(",", ":")))


def section(elf, frames, read):
    """One section, found as pyelftools finds it: the last one of its name."""
    start = {"type": "section", "name": frames.name}
    indexes = [index for index, each in enumerate(elf.iter_sections()) if each.name == frames.name]
    if len(indexes) > 1:
        start["index"] = indexes[-1]
    say(start)
    try:
        entries = read()
    except Exception as error:
        # It parses all records before it gives the first, so one bad record costs all of them.
        return say({"type": "failed", "why": why(error)})
    if elf.get_section(indexes[-1])["sh_type"] == "SHT_NOBITS":
        entries = entries[:1]  # It takes what is not in the file for zeros. One stands for all of them.
    for entry in entries:
        say(entry_line(entry))


def answer(path):
    try:
        with open(path, "rb") as file:
            elf = ELFFile(file)
            dwarf = elf.get_dwarf_info()
            if dwarf.has_CFI():
                section(elf, dwarf.debug_frame_sec, dwarf.CFI_entries)
            if dwarf.has_EH_CFI():
                section(elf, dwarf.eh_frame_sec, dwarf.EH_CFI_entries)
    except Exception as error:
        say({"type": "failed", "why": why(error)})
    say({"type": "end"})
    sys.stdout.flush()


def main():
    say({"type": "reader", "protocol": 1, "version": elftools.__version__, "says": SAYS})
    sys.stdout.flush()
    files = sys.argv[1:] or (json.loads(line)["file"] for line in sys.stdin)
    for path in files:
        answer(path)


if __name__ == "__main__":
    main()
