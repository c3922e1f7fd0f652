"""Old pyelftools as readers for cfidiff, through the client of the newest: what it needs and they lack is put back.

Stands in one folder with the package `elftools` of one version and that client, as `client.py`.
"""

import collections
import collections.abc

# Gone since Python 3.10; 0.24 and 0.25 take it from here.
collections.MutableMapping = collections.abc.MutableMapping

from elftools.dwarf import callframe, dwarf_expr

Operation = collections.namedtuple("Operation", "op op_name args offset")


class Visitor(getattr(dwarf_expr, "GenericExprVisitor", object)):
    """Up to 0.26 expressions could only be visited, operation by operation."""

    def __init__(self, structs):
        super().__init__(structs)
        self.operations = []
        self.start = 0

    def _after_visit(self, opcode, opcode_name, args):
        self.operations.append(Operation(opcode, opcode_name, args, self.start))
        self.start = self.stream.tell()


class VisitingParser:
    def __init__(self, structs):
        self.structs = structs

    def parse_expr(self, raw):
        visitor = Visitor(self.structs)
        visitor.process_expr(raw)
        return visitor.operations


class PlacingParser(getattr(dwarf_expr, "DWARFExprParser", object)):
    """In 0.27 operations do not tell where they start."""

    def parse_expr(self, raw):
        starts = []

        def placing(parse):
            return lambda stream: starts.append(stream.tell() - 1) or parse(stream)

        table = self._dispatch_table
        self._dispatch_table = {op: placing(parse) for op, parse in table.items()}
        operations = super().parse_expr(raw)
        self._dispatch_table = table
        return [Operation(*operation, start) for operation, start in zip(operations, starts)]


if hasattr(dwarf_expr, "GenericExprVisitor"):
    dwarf_expr.DWARFExprParser = VisitingParser
elif "offset" not in getattr(dwarf_expr.DWARFExprOp, "_fields", ["offset"]):
    dwarf_expr.DWARFExprParser = PlacingParser

if not hasattr(callframe, "ZERO"):
    # 0.24 knew no terminators, and no `.eh_frame` either: it reads one like a `.debug_frame`.
    callframe.ZERO = type("ZERO", (), {})

import client

if "lsda_pointer" not in callframe.FDE.__init__.__code__.co_varnames:
    # Nobody could ask for it before 0.27.
    callframe.FDE.lsda_pointer = None
    client.SAYS.remove("lsda")
if not hasattr(callframe.CFIEntry({}, None, [], 0), "augmentation_bytes"):
    callframe.CFIEntry.augmentation_bytes = b""
    client.SAYS[:] = [name for name in client.SAYS if "augmentation-bytes" not in name]

client.main()
