#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write the documents' tables of figures: python3 docs/make_figures.py

A line "<!-- figures: NAME -->" of a document stands before the table [NAME] of lab/figures/*.toml. `f2fs-lab verify`
measures these tables again.
"""
import pathlib
import re
import tomllib

TOP = pathlib.Path(__file__).resolve().parent.parent
MARKED = re.compile(r"^<!-- figures: (\S+) -->\n(?:\|.*\n)*", re.M)


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


def main():
    found = tables()
    for document in sorted({table["document"] for table in found.values()}):
        path = TOP / document
        path.write_text(written(path.read_text(), found))


if __name__ == "__main__":
    main()
