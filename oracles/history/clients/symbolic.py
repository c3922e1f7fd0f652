"""symbolic's CFI cache as a reader for cfidiff: the CFA and the return address at single addresses.

It is written as Breakpad's STACK CFI records, which are read here. A record that has no rule for `.ra` is of no use to
who walks a stack by it: the return address is lost. PROTOCOL.md tells what is printed.
"""

import bisect
import importlib.metadata
import json
import sys

from symbolic.debuginfo import Archive

X86_64 = dict(zip("rax rdx rcx rbx rsi rdi rbp rsp r8 r9 r10 r11 r12 r13 r14 r15 rip".split(), range(17)))
X86 = dict(zip("eax ecx edx ebx esp ebp esi edi eip".split(), range(9)))
ARM64 = {f"x{number}": number for number in range(31)} | {"fp": 29, "lr": 30, "sp": 31}
ARM = {f"r{number}": number for number in range(16)} | {"fp": 11, "sp": 13, "lr": 14, "pc": 15}
MIPS = {f"s{number}": 16 + number for number in range(8)} | {"gp": 28, "sp": 29, "fp": 30, "ra": 31}
# By the architecture's name, each with the registers that hold the return address.
REGISTERS = {
    "x86_64": (X86_64, ["rip"]), "x86": (X86, ["eip"]), "arm64": (ARM64, ["x30", "lr"]), "arm": (ARM, ["lr", "r14"]),
    "armv7": (ARM, ["lr", "r14"]), "mips": (MIPS, ["ra"]), "mips64": (MIPS, ["ra"]),
}


def say(line):
    print(json.dumps(line, separators=(",", ":")))


def rules(words):
    """`.cfa: $rsp 8 + .ra: .cfa -8 + ^` as a dictionary."""
    found, name = {}, None
    for word in words:
        if word.endswith(":"):
            name = word[:-1]
            found[name] = []
        else:
            found[name].append(word)
    return found


def rows(text):
    """The rows in ascending order: where each starts and ends, and all rules that hold there."""
    rows = []
    for line in text.splitlines():
        words = line.split()
        if words[:3] == ["STACK", "CFI", "INIT"]:
            start = int(words[3], 16)
            end = start + int(words[4], 16)
            state = rules(words[5:])
        elif words[:2] == ["STACK", "CFI"]:
            rows[-1][1] = start = int(words[2], 16)
            state = state | rules(words[3:])
        else:
            continue
        rows.append([start, end, state])
    return sorted(rows, key=lambda row: row[0])


def cfa(words, numbers):
    if len(words) == 3 and words[2] == "+" and words[0].lstrip("$") in numbers:
        register = numbers[words[0].lstrip("$")]
        return {"rule": "register_offset", "register": hex(register), "offset": hex(int(words[1]))}
    return {"rule": "expression"}


def return_address(words, own):
    if words is None or words == [".undef"]:
        return {"rule": "undefined"}
    if len(words) == 1 and words[0].lstrip("$") in own:
        # It is where it was, as without a rule.
        return None
    if len(words) == 4 and words[0] == ".cfa" and words[2:] == ["+", "^"]:
        return {"rule": "offset", "offset": hex(int(words[1]))}
    return {"rule": "expression"}


def answer(request):
    try:
        objects = list(Archive.open(request["file"]).iter_objects())
        arch = objects[0].arch
        if arch not in REGISTERS:
            return say({"type": "unsupported", "why": f"no names of registers are known for {arch}"})
        numbers, own = REGISTERS[arch]
        cache = objects[0].make_cficache()
        table = rows(cache.open_stream().read().decode())
    except Exception as error:
        return say({"type": "failed", "why": f"{type(error).__name__}: {error}"})
    starts = [row[0] for row in table]
    for address in request.get("addresses", []):
        index = bisect.bisect_right(starts, int(address, 16)) - 1
        line = {"type": "at", "address": address, "cfa": None, "return_address": None}
        if index >= 0 and int(address, 16) < table[index][1]:
            state = table[index][2]
            line["cfa"] = cfa(state.get(".cfa", []), numbers)
            line["return_address"] = return_address(state.get(".ra"), own)
        say(line)


say({"type": "reader", "protocol": 1, "version": importlib.metadata.version("symbolic"), "says": ["look-ups"]})
sys.stdout.flush()
for line in sys.stdin:
    answer(json.loads(line))
    say({"type": "end"})
    sys.stdout.flush()
