#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the bash completion file for all programs, from the options that each lists (--dump-options).

complete.py TEMPLATE OUTPUT PROGRAM=LIST...
"""
import shlex
import sys


def words_of(lines):
    """Return (options, with a final = if they need a value; commands; letters of options that take a value)."""
    options, commands, letters = [], [], ""
    for line in lines:
        kind, *fields = line.split("\t")
        if kind == "option":
            letter, name, argument = fields[:3]
            if name:
                options.append("--" + name + ("=" if argument == "required" else ""))
            elif letter:
                options.append("-" + letter)
            if letter and argument == "required":
                letters += letter
        elif kind == "command":
            commands.append(fields[0])
    return options, commands, letters


def main():
    template, output, *programs = sys.argv[1:]
    rows = []
    for program in programs:
        name, listing = program.split("=", 1)
        with open(listing, encoding="utf-8") as f:
            options, commands, letters = words_of(f.read().splitlines())
        rows.append("\t%s)\n\t\toptions=%s\n\t\tcommands=%s\n\t\tvalued=%s\n\t\t;;\n" % (
            name, *(shlex.quote(text) for text in (" ".join(options), " ".join(commands), letters))))
    names = " ".join(program.split("=", 1)[0] for program in programs)
    with open(template, encoding="utf-8") as f:
        text = f.read()
    with open(output, "w", encoding="utf-8") as f:
        f.write(text.replace("@ROWS@", "".join(rows).rstrip("\n")).replace("@NAMES@", names))


if __name__ == "__main__":
    main()
