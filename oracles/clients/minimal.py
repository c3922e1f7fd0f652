#!/usr/bin/env python3
"""The start of a reader: where records are, and what FDEs of linked little-endian 64-bit files cover.

    cfidiff check --reader-cmd 'minimal=python3 minimal.py {file}' FILE...
"""
import json, struct, sys

def say(**line):
    print(json.dumps(line))

def sections(elf):
    table, size, count, names = struct.unpack_from("<Q", elf, 40) + struct.unpack_from("<HHH", elf, 58)
    headers = [struct.unpack_from("<IIQQQQ", elf, table + index * size) for index in range(count)]
    for index, (name, kind, flags, address, offset, length) in enumerate(headers):
        start, there = headers[names][4] + name, length if kind != 8 else 0  # Nothing is there of SHT_NOBITS.
        yield index, elf[start : elf.index(0, start)].decode(), flags, address, elf[offset : offset + there]

def entries(data, address):
    encodings, at = {}, 0
    while at + 8 <= len(data):
        length, pointer = struct.unpack_from("<I", data, at)[0], at + 4
        entry = {"offset": hex(at), "length": hex(length)}
        if length == 0:
            pass  # A terminator, of which nothing is said.
        elif (distance := struct.unpack_from("<I", data, pointer)[0]) == 0:
            letters = data[at + 9 : data.index(0, at + 9)].decode("latin1")
            field = at + 9 + len(letters) + 5  # Behind factors, a register and a length, each of one byte.
            for letter in letters[1:]:
                if letter == "R":
                    encodings[at] = data[field]
                field += {"P": 5, "L": 1, "R": 1}.get(letter, 0)
            say(type="entry", kind="CIE", **entry)
        elif encodings.get(pointer - distance) == 0x1B:
            location, size = struct.unpack_from("<iI", data, at + 8)
            start = (address + at + 8 + location) % 2**64
            say(type="entry", kind="FDE", initial_location=hex(start), address_range=hex(size), **entry)
        else:
            say(type="entry", kind="FDE", faults=[{"key": "fault.reported", "expected": "0x1b"}], **entry)
        at = pointer + length

say(type="reader", protocol=1, version="1", says=["range", "past-terminator"])
elf = open(sys.argv[1], "rb").read()
if elf[:6] != b"\x7fELF\2\1" or elf[16] == 1:
    say(type="unsupported", why="reads linked little-endian 64-bit files only")
else:
    for index, name, flags, address, data in sections(elf):
        if name in (".eh_frame", ".debug_frame"):
            say(type="section", name=name, index=index)
            entries(data, address) if name == ".eh_frame" else say(type="unsupported", why="reads .eh_frame only")
say(type="end")
