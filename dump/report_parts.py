#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write a header with the bytes of files: report_parts.py OUTPUT FILE... Each file becomes an array with the name of the file."""
import pathlib
import sys


def main():
    output, *files = sys.argv[1:]
    lines = ["/* Made by report_parts.py. */"]
    for path in map(pathlib.Path, files):
        data = path.read_bytes()
        lines.append("static const char %s[%d] = {" % (path.stem, len(data)))
        lines += [",".join(map(str, data[at:at + 32])) + "," for at in range(0, len(data), 32)]
        lines.append("};")
        assert max(data) < 128, "%s has letters beyond ASCII" % path
    with open(output, "w", encoding="ascii") as header:
        header.write("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
