# SPDX-License-Identifier: LGPL-2.1-or-later
"""State: the library has no writable data at file scope, so contexts are independent and threads need no locks.

    state.py OBJDUMP ARCHIVE...

Reads the symbol tables of the layers' static libraries. Constant tables that hold addresses are in .data.rel.ro, which is
read-only once the program runs.
"""
import re
import subprocess
import sys

import lint

# value, seven flag characters (O: data object), section, size, name
SYMBOL = re.compile(r"^[0-9a-f]{8,16} (.{7}) (\S+)\s+[0-9a-f]{8,16}(?:\s+\.hidden)?\s+(\S+)$")
WRITABLE = re.compile(r"^(\.data|\.bss|\.tdata|\.tbss|\.lbss|\.ldata|\*COM\*|\.common)($|\.(?!rel\.ro))")
# Pointers to functions of libraries that are loaded at their first use. They are set once and are the same for all contexts.
LATE = re.compile(r"^late_\w+\.c\.o: (sym_\w+|once|is_loaded) ")
MEMBER = re.compile(r"^(\S+):\s+file format")


def writable_objects(listing):
    """Return 'object file: name (section)' of each writable variable in objdump's output."""
    findings, member = [], "?"
    for line in listing.splitlines():
        opened = MEMBER.match(line)
        if opened:
            member = opened[1].split("/")[-1]
        symbol = SYMBOL.match(line)
        if symbol and ("O" in symbol[1] or symbol[2] == "*COM*") and WRITABLE.match(symbol[2]):
            findings.append(f"{member}: {symbol[3]} is writable data ({symbol[2]})")
    return [finding for finding in findings if not LATE.match(finding)]


def check(objdump, archives):
    findings = []
    for archive in archives:
        listing = subprocess.run([objdump, "-t", archive], check=True, stdout=subprocess.PIPE, text=True).stdout
        if "SYMBOL TABLE" not in listing:
            findings.append(f"{archive}: no symbols read")
        findings += writable_objects(listing)
    return findings


LISTING = """
context.c.o:     file format elf64-x86-64

SYMBOL TABLE:
0000000000000000 l    d  .data\t0000000000000000 .data
0000000000000000 l     O .data.rel.ro.local\t0000000000000240 good_table
0000000000000000 l     O .rodata\t0000000000000004 good_number
0000000000000010 g     F .text\t0000000000000031 .hidden good_function
0000000000000000 l     O .bss\t0000000000000004 bad_bss
0000000000000000 g     O .data\t0000000000000004 bad_data
0000000000000000 g     O .data\t0000000000000004 .hidden bad_hidden
0000000000000000 l     O .data.rel.local\t0000000000000008 bad_pointer
0000000000000000 l     O .data.named\t0000000000000008 bad_named
0000000000000000 l     O .tbss\t0000000000000008 bad_thread
0000000000000008       O *COM*\t0000000000000008 bad_common
00000000 l     O .bss\t00000004 bad_narrow
0000000000000000 l     O .bss\t0000000000000008 sym_of_context

late_good.c.o:     file format elf64-x86-64

SYMBOL TABLE:
0000000000000000 l     O .bss\t0000000000000008 sym_good
0000000000000000 l     O .bss\t0000000000000008 bad_late
"""


def self_test():
    found = sorted(f.split()[1] for f in writable_objects(LISTING))
    wanted = sorted(
        "bad_bss bad_data bad_hidden bad_pointer bad_named bad_thread bad_common bad_narrow bad_late sym_of_context".split()
    )
    if found != wanted:
        print(f"self-test: found {found}, wanted {wanted}")
    return 0 if found == wanted else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    sys.exit(lint.report(check(sys.argv[1], sys.argv[2:])))
