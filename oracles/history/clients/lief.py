"""LIEF's functions as a reader for cfidiff: where each starts and how many bytes it has.

LIEF keeps no records. It finds functions through the table of `.eh_frame_hdr`, and takes the size of each from its FDE.
So which FDE is whose is read here, from the same table, and the walk over `.eh_frame` from length to length; what an FDE
covers is LIEF's answer. Files with symbols of functions are not for this: LIEF takes the sizes from those. PROTOCOL.md
tells what is printed.
"""

import importlib.metadata
import json
import struct
import sys

import lief

lief.logging.disable()
# DW_EH_PE_pcrel | sdata4, udata4 and datarel | sdata4: what linkers write into the header.
ENCODINGS = bytes([0x1B, 0x03, 0x3B])


class Unsupported(Exception):
    """What LIEF is not asked about."""


def say(**line):
    print(json.dumps(line, separators=(",", ":")))


def starts(header, order):
    """The initial location of each FDE by the FDE's address, from the table of the header."""
    data = bytes(header.content)
    if data[1:4] != ENCODINGS:
        raise Unsupported("the header is not as linkers write it")
    base = header.virtual_address
    (count,) = struct.unpack_from(order + "I", data, 8)
    entries = (struct.unpack_from(order + "ii", data, 12 + 8 * index) for index in range(count))
    return {base + fde: base + location for location, fde in entries}


def records(section, order):
    """Offset, length and whether it is a CIE, record by record up to the terminator."""
    data, offset = bytes(section.content), 0
    while offset + 4 <= len(data):
        (length,) = struct.unpack_from(order + "I", data, offset)
        if length == 0xFFFFFFFF:
            raise Unsupported("the 64-bit format")
        if length == 0:
            return
        (identity,) = struct.unpack_from(order + "I", data, offset + 4)
        yield offset, length, identity == 0
        offset += 4 + length


def answer(path):
    binary = lief.ELF.parse(path)
    if binary is None or not all(map(binary.get_section, [".eh_frame", ".eh_frame_hdr"])):
        raise Unsupported("LIEF finds functions through .eh_frame_hdr alone")
    if any(symbol.is_function for symbol in binary.symbols):
        raise Unsupported("LIEF takes the sizes of functions from symbols here")
    with open(path, "rb") as file:
        order = ">" if file.read(6)[5] == 2 else "<"
    section = binary.get_section(".eh_frame")
    start_of = starts(binary.get_section(".eh_frame_hdr"), order)
    sizes = {function.address: function.size for function in binary.functions}
    lines = []
    for offset, length, is_cie in records(section, order):
        line = {"offset": hex(offset), "length": hex(length), "kind": "CIE" if is_cie else "FDE"}
        if not is_cie:
            start = start_of.get(section.virtual_address + offset)
            if start not in sizes:
                raise Unsupported(f"LIEF lists no function for the FDE at {offset:#x}")
            line |= {"initial_location": hex(start), "address_range": hex(sizes[start])}
        lines.append(line)
    say(type="section", name=".eh_frame")
    for line in lines:
        say(type="entry", **line)
    if binary.get_section(".debug_frame"):
        say(type="section", name=".debug_frame")
        say(type="unsupported", why="LIEF does not read it")


say(type="reader", protocol=1, version=importlib.metadata.version("lief"), says=["range"])
sys.stdout.flush()
for line in sys.stdin:
    try:
        answer(json.loads(line)["file"])
    except Unsupported as why:
        say(type="unsupported", why=str(why))
    except Exception as error:
        say(type="failed", why=f"{type(error).__name__}: {error}")
    # Functions come from nowhere else.
    say(type="end")
    sys.stdout.flush()
