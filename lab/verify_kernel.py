# SPDX-License-Identifier: LGPL-2.1-or-later
"""Measure the documents' figures of the kernel's file systems again, and fail if any differs.

    python3 lab/verify_kernel.py BUILD [TABLE or TABLE.ROW]... [--csv FILE]

They are the tables of lab/figures/*.toml that say `engine = "kernel"`. They have the form of the others
(lab/figures.h), which `f2fs-lab verify` measures, with these differences: systems names the file systems beside ours
and the kernel's F2FS, requests = true is --requests of engine_kernel.py, and a value is [FORM] [SYSTEM/]METRIC[@ROUND], a
metric of engine_kernel.py. slack is a tolerance that is no part of the value, for shares near 0. FORM is percent, thousandth, or over OTHER: divided by the same metric of another system. A
figure printed as "no space" is one of a file system that stopped before the end of that round.

docs/make_figures.py CSV puts measured figures into the tables, and the tables into the documents.
"""
import argparse
import csv
import pathlib
import re
import sys

TOP = pathlib.Path(__file__).resolve().parent.parent
sys.path[:0] = [str(TOP / "lab"), str(TOP / "docs")]
import engine_kernel  # noqa: E402  (beside this file, wherever that is loaded from)
import make_figures  # noqa: E402

VALUE = re.compile(r"(?:(percent|thousandth|over ([\w-]+)) )?(?:([\w-]+)/)?(\w+)(?:@(\d+))?")
NO_SPACE = make_figures.NO_SPACE


def kernel_rows(tables):
    """Yield (name, table, row) of each row that has cells and is measured in the kernel."""
    for name, table in tables.items():
        if table.get("engine") == "kernel":
            yield from (("%s.%s" % (name, key), table, row) for key, row in table.items()
                        if isinstance(row, dict) and "cells" in row and any(row.get("values", table.get("values"))))


def plan(table, row):
    """(experiment, options of engine_kernel.py) of a row."""
    def one(key):
        return row.get(key, table.get(key))
    sets = [*table.get("set", []), *row.get("set", [])]
    return one("experiment"), (*("--" + system for system in one("systems") or []), *["--requests"] * bool(one("requests")),
                               *["--small"] * bool(one("small")), *("--set=" + text for text in sets))


def value_of(text, rounds):
    """A figure of the rounds that engine_kernel.columns() returned; NO_SPACE for a round that was not reached."""
    match = VALUE.fullmatch(text.strip())
    if not match:
        raise ValueError("%s: not [FORM] [SYSTEM/]METRIC[@ROUND]" % text)
    form, other, system, metric, number = match.groups()
    sides = rounds[int(number) - 1 if number else -1]
    numbers = sides[system or "ours"]
    if not numbers:
        return NO_SPACE
    value = numbers[metric]
    return value / sides[other][metric] if other else value * 100 if form == "percent" else \
        value / 1000 if form == "thousandth" else value


def compared(printed, value, tolerance, slack=0):
    """(the value in the form of the printed one, is it the same?)"""
    if value == NO_SPACE or printed == NO_SPACE:
        return (value if value == NO_SPACE else "%.3g" % value), printed == value
    measured = "%.*f" % (len(printed.partition(".")[2]), value)
    return measured, measured == printed or abs(float(printed) - value) <= max(tolerance * abs(value), slack)


def verify(name, table, row, rounds):
    """Yield (row, column, printed, measured, "same" or "differs") of each figure of a row."""
    bounds = [row.get(key, table.get(key, 0)) for key in ("tolerance", "slack")]
    for head, cell, values in zip(table["head"], row["cells"], row.get("values", table.get("values")), strict=True):
        for text, printed in zip(values.split(",") if values else [], make_figures.NUMBER.findall(cell)):
            printed = printed.replace(",", "")
            measured, same = compared(printed, value_of(text, rounds), *bounds)
            yield name, head, printed, measured, "same" if same else "differs"


def main():
    p = argparse.ArgumentParser(prog="verify_kernel.py", description=__doc__.partition("\n")[0])
    p.add_argument("build")
    p.add_argument("names", nargs="*", metavar="TABLE or TABLE.ROW")
    p.add_argument("--csv", metavar="FILE", help="write a line for each figure, for docs/make_figures.py")
    o = p.parse_args()
    chosen = [row for row in kernel_rows(make_figures.tables()) if not o.names or {row[0], row[0].partition(".")[0]} & set(o.names)]
    if not chosen:
        p.error("no table of figures of the kernel and no row has that name")
    done, lines = {}, []
    for name, table, row in chosen:
        key = plan(table, row)
        if key not in done:
            done[key] = engine_kernel.columns(o.build, key[0], list(key[1]))
        for line in verify(name, table, row, done[key]):
            lines.append(line)
            print("%-32s %-32s %10s %10s  %s" % line, flush=True)
    if o.csv:
        with open(o.csv, "w", newline="") as f:
            csv.writer(f, lineterminator="\n").writerows([("row", "column", "printed", "measured", "result"), *lines])
    return any(line[-1] == "differs" for line in lines)


if __name__ == "__main__":
    sys.exit(main())
