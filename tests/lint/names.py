# SPDX-License-Identifier: LGPL-2.1-or-later
"""Names: file names are unique in the repository, so that each shows the place of its subject; sources begin with a licence
line and, in C, with a comment about the file's job; nothing is left marked as unfinished; no line is too long to read and no C
function has too many parameters to call it right.
"""
import re
import sys

import lint

SPDX = "SPDX-License-Identifier: LGPL-2.1-or-later"
SOURCE_SUFFIXES = {".c", ".h", ".py", ".sh", ".S"}
SHARED_NAMES = {"main.c", "options.def", "meson.build", "meson_options.txt", "README.md", "RESULTS.md", "conftest.py",
                "__init__.py", "__main__.py", "py.typed", "case.toml", ".gitignore", "run.h"}
# A public header and the layer's own header of the same subject may share a name, test inputs are named as it suits, and
# distributions name the files of their recipes. Headers for Windows have the names of those of POSIX.
# Folders of one verb each: a file there is named by its folder and its name.
VERBS = {"compare", "defrag", "extract", "fragments", "gc", "inject", "mkfs", "populate", "resize", "sink", "source", "tune"}
OTHER_NAMES = ("include/f2fskit/", "lib/host/windows/", "packaging/", "tests/fuzz/corpus/", "tests/golden/", "tests/cases/")
UNFINISHED = re.compile(r"\b(?:FIX" r"ME|XX" r"X|TO" r"DO|HA" r"CK)\b")
LARGEST_LINE = 120
MOST_PARAMETERS = 7
# Functions whose parameters another project decides: callbacks of libfuse.
CALLBACKS = {"copy_file_range_", "ioctl_"}
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
FUNCTION = re.compile(r"^[a-zA-Z][\w \t*]*?[ *](\w+)\(([^;{}]*?)\)[^;{}()]*(?:\([^;{}()]*\)\s*)?[;{]", re.MULTILINE)
POINTED_AT = re.compile(r"\([^()]*\)")


def is_source(name, text):
    return name.suffix in SOURCE_SUFFIXES or name.name == "meson.build" or text.startswith("#!")


def check_source(name, text):
    findings = []
    lines = text.split("\n")
    head = lines[1:3] if lines[0].startswith("#!") else lines[:1]
    if not any(SPDX in line for line in head):
        findings.append(f"{name}: no SPDX line at its head")
    elif name.suffix in (".c", ".h") and not "\n".join(lines[1:]).lstrip().startswith("/*"):
        findings.append(f"{name}: no comment behind the SPDX line that says what the file is for")
    for number, line in enumerate(lines, 1):
        if UNFINISHED.search(line):
            findings.append(f"{name}:{number}: marked as unfinished")
        if len(line.expandtabs(8)) > LARGEST_LINE and name.suffix in (".c", ".h"):
            findings.append(f"{name}:{number}: line of more than {LARGEST_LINE} columns")
    return findings


def check_parameters(name, text):
    """Find functions of C that take more than structs should carry; parameters of a callback do not count."""
    code = COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    for function in FUNCTION.finditer(code):
        count = POINTED_AT.sub("", function[2]).count(",") + 1
        if count > MOST_PARAMETERS and function[1] not in CALLBACKS:
            line = code.count("\n", 0, function.start()) + 1
            yield f"{name}:{line}: {function[1]}() has {count} parameters, more than {MOST_PARAMETERS}"


def own_name(name):
    """Return what must be unique: the file's name, with its folder where that is of one verb."""
    is_verb = name.parts[0] == "lib" and name.parts[1] in VERBS
    return "/".join(name.parts[1:]) if is_verb else name.name


def check(root):
    findings, seen = [], {}
    for name in lint.project_files(root):
        if not str(name).startswith(OTHER_NAMES):
            key = own_name(name)
            if key in seen and name.name not in SHARED_NAMES:
                findings.append(f"{name}: there is {seen[key]} already")
            seen.setdefault(key, name)
        content = (root / name).read_bytes()
        if b"\0" in content:
            continue
        text = content.decode("utf-8", "replace")
        if is_source(name, text):
            findings += check_source(name, text)
        if name.suffix in (".c", ".h"):
            findings += check_parameters(name, text)
    return findings


HEAD = f"/* {SPDX} */\n/* What it is. */\n"
GOOD = {
    "lib/sink/a.c": HEAD,
    "lib/base/a.c": HEAD,
    "lib/base/a.h": HEAD + "int f(int a, int b, int c, int d, int (*e)(int x, int y), int g,\n      int h);\n",
    "mkfs/main.c": HEAD,
    "dump/main.c": HEAD,
    "run": f"#!/bin/sh\n# {SPDX}\n",
    "obj-x86/build.ninja": "",
    "obj-x86/generated.c": "int f(void);",
    "tests/fuzz/corpus/a/seed": "a",
    "tests/fuzz/corpus/b/seed": "b",
    "README.md": "text\n",
}
BAD = [
    ("there is lib/base/a.c already", {"lib/format/a.c": HEAD}),
    ("no SPDX line", {"lib/base/b.c": "/* text */\n"}),
    ("no SPDX line", {"run": "#!/bin/sh\nexit\n"}),
    ("no SPDX line", {"meson.build": "project()\n"}),
    ("no comment", {"lib/base/b.c": f"/* {SPDX} */\n#include <stdio.h>\n"}),
    ("unfinished", {"lib/base/b.c": HEAD + "/* FIX" "ME: later */\n"}),
    ("f() has 8 parameters", {"lib/base/b.h": HEAD + "int f(int a, int b, int c, int d, int e, int g, int h,\n"
                                                      "      int i);\n"}),
    ("columns", {"lib/base/b.c": HEAD + "\t" * 15 + "x\n"}),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, GOOD, BAD))
