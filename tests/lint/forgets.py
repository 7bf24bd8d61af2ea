# SPDX-License-Identifier: LGPL-2.1-or-later
"""The last error: a public function forgets it when it is entered, so the library's own layers below those of verbs
(mkfs, populate ...) call the inner function instead. A callee that forgot the error of its caller would leave a failure without its sentence.
"""
import re
import sys

import lint

FUNCTION = re.compile(r"^int (f2fs_\w+)\([^;{]*\)\n\{\n(.*?)^\}", re.M | re.S)
FORGETS = re.compile(r"^\terror_clear\(", re.M)
CALL = re.compile(r"\b(f2fs_\w+)\(")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
# verbs call the library as a program does
FREE_FOLDERS = {"compare", "defrag", "extract", "fragments", "inject", "mkfs", "populate", "resize", "sink", "source",
                "tune", "undelete"}


def blank(match):
    """Keep the lines of a comment, drop its words."""
    return re.sub(r"[^\n]", " ", match[0])


def check(root):
    sources = {}
    for name in lint.project_files(root):
        if name.parts[0] == "lib" and name.suffix == ".c":
            sources[name] = COMMENT.sub(blank, (root / name).read_text(encoding="utf-8", errors="replace"))
    forgetful = {match[1] for text in sources.values() for match in FUNCTION.finditer(text) if FORGETS.search(match[2])}
    findings = []
    for name, text in sources.items():
        if name.parts[1] in FREE_FOLDERS:
            continue
        for number, line in enumerate(text.split("\n"), 1):
            if line[:1] not in ("\t", " "):
                continue
            findings += [f"{name}:{number}: {callee}() forgets the last error; call the inner function"
                         for callee in CALL.findall(line) if callee in forgetful]
    return findings


PUBLIC = "int f2fs_open(int a)\n{\n\terror_clear(ctx);\n\treturn inner(a);\n}\n"
GOOD = {
    "lib/file/a.c": PUBLIC + "int g(void)\n{\n\treturn inner(1); /* f2fs_open(1) */\n}\n",
    "lib/file/b.c": "int f2fs_name(int a)\n{\n\treturn a;\n}\nint h(void)\n{\n\treturn f2fs_name(1);\n}\n",
    "lib/mkfs/c.c": "int i(void)\n{\n\treturn f2fs_open(1);\n}\n",
}
BAD = [
    ("f2fs_open() forgets", {"lib/log/d.c": "int j(void)\n{\n\treturn f2fs_open(1);\n}\n"}),
]

if __name__ == "__main__":
    sys.exit(lint.main(check, GOOD, BAD))
