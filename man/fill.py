#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fill a manual page: @OPTIONS@, @COMMANDS@ and @EXIT_STATUS@ from the program's list (--dump-options), and @VERSION@.

fill.py TEMPLATE LIST OUTPUT VERSION
"""
import re
import sys


def unescape(field):
    return re.sub(r"\\(.)", lambda m: "\n" if m.group(1) == "n" else m.group(1), field)


def roff(text):
    """Return text as roff: escape backslashes, hyphens, and requests at the start of a line."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return re.sub(r"(?m)^([.'])", r"\\&\1", text)


def option(letter, name, kind, arg, text, doc):
    spelled = ["-" + letter] if letter else []
    spelled += ["--" + name] if name else []
    head = ", ".join(r"\fB%s\fR" % roff(s) for s in spelled)
    if kind == "required":
        head += (r"=\fI%s\fR" if name else r" \fI%s\fR") % roff(arg)
    elif kind in ("optional", "number"):
        head += (r"[=\fI%s\fR]" if name else r"[\fI%s\fR]") % roff(arg)
    text = text[0].upper() + text[1:] + "."
    paragraphs = [text] + [p for p in doc.split("\n\n") if p]
    return ".TP\n%s\n%s\n" % (head, "\n.IP\n".join(roff(p) for p in paragraphs))


def command(name, args, text, doc):
    head = r"\fB%s\fR" % roff(name) + (r" \fI%s\fR" % roff(args) if args else "")
    paragraphs = [text[0].upper() + text[1:] + "."] + [p for p in doc.split("\n\n") if p]
    return ".TP\n%s\n%s\n" % (head, "\n.IP\n".join(roff(p) for p in paragraphs))


def sections(lines):
    options, commands, exits, old = [], [], [], []
    for line in lines:
        kind, *fields = [unescape(f) for f in line.split("\t")]
        if kind == "group":
            options.append(".SS %s\n" % roff(fields[0]))
        elif kind == "option":
            options.append(option(*fields))
        elif kind == "old":
            old.append(r"\fB--%s\fR (now \fB%s\fR)" % (roff(fields[1]), roff(fields[-2].removeprefix("old name of "))))
        elif kind == "commands":
            commands.append(".SS %s\n" % roff(fields[0]))
        elif kind == "command":
            commands.append(command(*fields))
        elif kind == "exit":
            exits.append(".TP\n.B %s\n%s.\n" % (fields[0], roff(fields[1])))
    if old:
        options.append(".SS Old names\nThe next version will not have them: %s.\n" % ",\n".join(old))
    return ["".join(part).rstrip("\n") for part in (options, commands, exits)]


def main():
    template, listing, output, version = sys.argv[1:]
    with open(listing, encoding="utf-8") as f:
        options, commands, exits = sections(f.read().splitlines())
    with open(template, encoding="utf-8") as f:
        page = f.read()
    for mark, text in (("OPTIONS", options), ("COMMANDS", commands), ("EXIT_STATUS", exits), ("VERSION", version)):
        page = page.replace("@%s@" % mark, text)
    with open(output, "w", encoding="utf-8") as f:
        f.write(page)


if __name__ == "__main__":
    main()
