#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Print how the tree is kept, as a table: figures that the lints bound or that only a reader can judge.

    tests/lint/measure.py [ROOT | --self-test]

Shared functions are those of lib/ and of programs that a header declares, but no public one. Options are the rows of
options.def and of the tables that programs share, each counted once by its long name.
"""
import pathlib
import re
import statistics
import sys
import tempfile

import layers
import lint
import words

SMALL = 40  # lines
OPTION = re.compile(r'^\s*\w*OPTION\w*\(\s*\w+,\s*(?:\'[^\']*\'|0|\w+\([^)]*\)),\s*"([a-z][\w-]*)"', re.M)
FUNCTION = re.compile(r"^\S[^\n;=]*\([^;=]*\)\n\{\n(.*?)^\}", re.M | re.S)


def read(root, name):
    return (root / name).read_text(encoding="utf-8", errors="replace")


def rows(root):
    """Yield (what, figure)."""
    files = lint.project_files(root)
    yield "shared functions", len(layers.read_functions(root, files)[1])
    yield "shared functions in a header of another name", len(layers.strangers(root, files))
    wide = layers.umbrellas(root, files)
    yield "headers with functions of more than three files", ", ".join("%s (%d)" % row for row in wide) or 0
    yield "circles of includes", len(layers.check_cycles(root, files))
    for area, (total, found) in words.count(root).items():
        yield f"idioms in 1,000 words: {area}", "%.2f of %.2f allowed" % (1000 * len(found) / max(total, 1), words.LIMITS[area])
    options = {option for name in files if name.suffix == ".def" for option in OPTION.findall(read(root, name))}
    yield "long options of all programs", len(options)
    sources = [name for name in files if name.suffix == ".c" and name.parts[0] in layers.PROGRAMS | {"lib"}]
    lines = {name: read(root, name).count("\n") for name in sources}
    yield f"C files of library and programs below {SMALL} lines", sum(count < SMALL for count in lines.values())
    yield "C files of library and programs, longest", "%s (%d)" % max(lines.items(), key=lambda row: row[1])
    sizes = [body.count("\n") for name in sources for body in FUNCTION.findall(read(root, name))]
    yield "functions, median and longest, lines", "%d, %d" % (statistics.median(sizes), max(sizes))


def test():
    """Measure a small tree whose figures are known."""
    files = {f"dump/f{i}.c": f"int go{i}(void)\n{{\n\treturn {i};\n}}\n" for i in range(5)}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        lint.write_tree(root, {**layers.GOOD, **layers.STRANGE, **files,
                               "dump/dump.h": "".join(f"int go{i}(void);\n" for i in range(5)),
                               "dump/options.def": 'OPTION(a, 0, "all", NONE)\nOPTION(b, \'b\', "both", NONE)\nGROUP("x")\n',
                               "cli/state.def": 'IMAGE_OPTION(a, LETTER(1), "all", NONE)\n'})
        found = dict(rows(root))
    wanted = {"shared functions in a header of another name": 6, "headers with functions of more than three files": "dump/dump.h (5)",
              "long options of all programs": 2, "functions, median and longest, lines": "1, 1", "circles of includes": 0}
    wrong = {what: found.get(what) for what in wanted if found.get(what) != wanted[what]}
    if wrong:
        print("self-test:", wrong)
    return 1 if wrong else 0


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(test())
    for title, value in rows(pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parents[2])):
        print(f"{title:52} {value}")
