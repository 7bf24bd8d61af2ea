#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Give Doxygen the public headers with their comments marked as documentation.

The headers use plain comments: above a declaration, or beside a member. Doxygen wants `/**` and `/**<`. Enumerators that come
from a table of macros get the text of their row as their comment. Characters that Doxygen takes for markup are escaped.

    header_filter.py HEADER      print the marked header
"""
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*(.*?)\*/", re.S)
TABLE = re.compile(r"#define (F2FS_\w+_TABLE)\(X\)((?:[^\n]*\\\n)*[^\n]*)")
ROW = re.compile(r"X\((\w+), (\d+),(?: \"?[\w-]+\"?,)? (\"[^\"]*\")\)")
USE = re.compile(r"#define (F2FS_\w+_ENUM)\([^)]*\) (F2FS_\w+?)##\w+ = (-?)\(\w+\),\n\s*(F2FS_\w+)\(\1\)\n#undef \1\n")
CODE = re.compile(r"^ \*\n((?: \*\t.*\n| \*\n(?= \*\t))+(?<=\n))(?: \*\n)", re.M)
MARKUP = re.compile(r"[\\@#%<>*`&~$]")


def mark_code(text):
    """Mark lines that are indented by a tab as code, in the empty lines around them."""
    return CODE.sub(lambda match: " * @code{.c}\n%s * @endcode\n" % match[1], text)


def escape(text):
    """Escape markup in prose; lines of code stay."""
    lines = []
    for line in text.split("\n"):
        body = line.lstrip(" *")
        if body.startswith(("\t", "@")):
            lines.append(line)
            continue
        parts = body.split("`")
        for at in range(0, len(parts), 2):
            parts[at] = MARKUP.sub(lambda match: "\\" + match[0] if match[0] in "\\@#%<>&$" else "&#%d;" % ord(match[0]), parts[at])
            # two hyphens are an option, not a dash
            parts[at] = parts[at].replace("--", "\\--")
        lines.append(line[: len(line) - len(body)] + "`".join(parts))
    return "\n".join(lines)


def expand_tables(text):
    """Write out the enumerators that a table of macros makes."""
    rows = {match[1]: ROW.findall(match[2]) for match in TABLE.finditer(text)}

    def enumerators(match):
        prefix, sign, table = match[2], match[3], match[4]
        found = " ".join("%s%s = %s%s, /* %s */" % (prefix, name, sign, number, sentence[1:-1]) for name, number, sentence in rows[table])
        return found + "\n" * match[0].count("\n")  # line numbers stay

    return USE.sub(enumerators, text)


def mark(text):
    out, last, is_head = [], 0, False
    for match in COMMENT.finditer(text):
        body = match[1]
        before = text[text.rfind("\n", 0, match.start()) + 1: match.start()]
        after = text[match.end(): match.end() + 2]
        if "SPDX" in body:
            is_head, opener = True, "/*"
        elif is_head:
            is_head, opener = False, "/** @file "
        elif before.strip():
            opener = "/**< "
        elif after.startswith("\n") and after != "\n\n":
            opener = "/** "
        else:
            opener = "/*"
        out += [text[last: match.start()], opener, escape(mark_code(body) if opener == "/*" or body.startswith("\n") else body.lstrip(" ")), "*/"]
        last = match.end()
    return "".join(out) + text[last:]


if __name__ == "__main__":
    sys.stdout.write(mark(expand_tables(pathlib.Path(sys.argv[1]).read_text())))
