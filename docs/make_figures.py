#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the documents' tables of figures: python3 docs/make_figures.py [CSV]...

CSV is what `f2fs-lab verify --csv` or lab/verify_kernel.py wrote: before that, the tables take the measured figures from it.

A line "<!-- figures: NAME -->" of a document stands before the table [NAME] of lab/figures/*.toml. `f2fs-lab verify`
measures these tables again, and lab/verify_kernel.py those of the kernel.
"""
import collections
import csv
import json
import pathlib
import re
import sys
import tomllib

TOP = pathlib.Path(__file__).resolve().parent.parent
MARKED = re.compile(r"^<!-- figures: (\S+) -->\n(?:\|.*\n)*", re.M)

NO_SPACE = "no space"    # in place of a number: a file system of the kernel stopped before
NUMBER = re.compile(r"\d(?:\d|[.,](?=\d))*|" + NO_SPACE)


def tables():
    """{name: table} of all files."""
    found = {}
    for path in sorted((TOP / "lab/figures").glob("*.toml")):
        with open(path, "rb") as f:
            found |= tomllib.load(f)
    return found


def render(name, table):
    rows = [row["cells"] for row in table.values() if isinstance(row, dict) and "cells" in row]
    lines = [table["head"], *rows]
    text = ["| %s |" % " | ".join(cells) for cells in lines]
    text.insert(1, "|---" * len(table["head"]) + "|")
    return "<!-- figures: %s -->\n%s\n" % (name, "\n".join(text).replace("|  |", "| |").replace("|  |", "| |"))


def written(text, found):
    """The text of a document with its tables as they are in the files."""
    return MARKED.sub(lambda match: render(match[1], found[match[1]]), text)


def filled(cell, values, measured):
    """A cell with its numbers from measured, a queue of (printed, measured), as many as are measured for it."""
    left = min(len(NUMBER.findall(cell)), len(values.split(",")) if values else 0)

    def replace(match):
        nonlocal left
        if not left:
            return match[0]
        left -= 1
        printed, number = measured.popleft()
        assert printed == match[0].replace(",", ""), (cell, printed)
        return "{:,}".format(int(number)) if "," in match[0] and number != NO_SPACE else number
    return NUMBER.sub(replace, cell)


def take(path):
    """Put what f2fs-lab verify measured into the tables."""
    measured = collections.defaultdict(collections.deque)
    with open(path, newline="") as f:
        for row in csv.DictReader(f):
            measured[row["row"]].append((row["printed"], row["measured"]))
    found = tables()
    for file in sorted((TOP / "lab/figures").glob("*.toml")):
        lines, at = file.read_text().split("\n"), ""
        for i, line in enumerate(lines):
            if line.startswith("["):
                at = line.strip("[]")
            elif line.startswith("cells = ") and at in measured:
                table, row = at.split(".")
                values = found[table][row].get("values", found[table].get("values"))
                cells = [filled(*pair, measured[at]) for pair in zip(found[table][row]["cells"], values)]
                lines[i] = "cells = " + json.dumps(cells, ensure_ascii=False)
        file.write_text("\n".join(lines))


def main():
    for path in sys.argv[1:]:
        take(path)
    found = tables()
    for document in sorted({table["document"] for table in found.values()}):
        path = TOP / document
        path.write_text(written(path.read_text(), found))


if __name__ == "__main__":
    main()
