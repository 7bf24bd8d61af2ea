#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write a header with the names by which libraries are loaded.

late_sonames.py OUTPUT NAME=LIBRARY=PROBE...

PROBE is a shared object that was linked with the library. Its DT_NEEDED entry that begins with LIBRARY.so is the name, for any
machine, 32-bit or 64-bit, of either byte order.
"""
import struct
import sys

SHT_DYNAMIC, DT_NEEDED = 6, 1


def needed(data):
    """Return the DT_NEEDED entries of an ELF file."""
    assert data[:4] == b"\x7fELF", "not an ELF file"
    wide, order = data[4] == 2, "<" if data[5] == 1 else ">"

    def unpack(form, at):
        return struct.unpack_from(order + form, data, at)

    start = unpack("Q", 40)[0] if wide else unpack("I", 32)[0]
    size, count = unpack("HH", 58 if wide else 46)
    sections = []
    for i in range(count):
        row = unpack("IIQQQQI", start + i * size) if wide else unpack("IIIIIII", start + i * size)
        sections.append((row[1], row[4], row[5], row[6]))  # type, offset, size, link
    for kind, offset, length, link in sections:
        if kind != SHT_DYNAMIC:
            continue
        step, strings = 16 if wide else 8, sections[link][1]
        for at in range(offset, offset + length, step):
            tag, value = unpack("QQ" if wide else "II", at)
            if tag == DT_NEEDED:
                end = data.index(b"\0", strings + value)
                yield data[strings + value:end].decode()


def main():
    output, *rows = sys.argv[1:]
    lines = ["/* Made by late_sonames.py. */"]
    for row in rows:
        name, library, probe = row.split("=", 2)
        with open(probe, "rb") as f:
            found = [soname for soname in needed(f.read()) if soname.startswith(library + ".so")]
        if len(found) != 1:
            sys.exit("%s: not linked with one %s, but with %s" % (probe, library, found))
        lines.append('#define LATE_SONAME_%s "%s"' % (name, found[0]))
    with open(output, "w", encoding="utf-8") as f:
        f.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
