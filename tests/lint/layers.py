# SPDX-License-Identifier: LGPL-2.1-or-later
"""Layers: a file of lib/ includes only its own folder and folders of lower layers, as the table of lib/README.md says.

Also: every folder is in the table, meson goes through the folders in the order of their layers, headers do not include
each other in a circle, public headers include only public headers, programs see nothing of lib/. A function that x.c gives
to other files is declared in x.h of its folder or in a public header.
"""
import pathlib
import re
import sys
import tempfile

import lint

TABLE_ROW = re.compile(r"^\|\s*(\d+)\s*\|\s*([a-z0-9_]+)\s*\|")
INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?:"([^"]*)"|<([^>]*)>)', re.M)
SUBDIR = re.compile(r"^subdir\('([^']*)'\)", re.M)
SOURCES = {".c", ".h", ".def"}
CONFIG_HEADER = "f2fskit_config.h"
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DEFINITION = re.compile(r"^(?!static\b|typedef\b)[a-z][\w \t*]*?[ *\n](\w+)\([^;{}]*\)\s*\{", re.M)
DECLARATION = re.compile(r"^(?!static\b|typedef\b)[a-z][\w \t*]*?[ *\n](\w+)\([^;{}]*\)\s*;", re.M)
PUBLIC = re.compile(r"\bF2FS_API\b[^;(]*?[ *](\w+)\(")
# Headers that declare functions of other files. "folder/": all headers of a folder.
OTHERS_TOO = ()
PROGRAMS = {"cli", "mkfs", "fsck", "dump", "defrag", "resize", "sload", "edit", "fuse", "inject", "label", "lab", "examples"}


def read_table(root):
    """Return {folder: layer} of lib/README.md."""
    rows = (TABLE_ROW.match(line) for line in (root / "lib/README.md").read_text().splitlines())
    return {row[2]: int(row[1]) for row in rows if row}


def includes_of(path):
    """Return the (quoted, angle) parts of each include line; one of them is empty."""
    return INCLUDE.findall(path.read_text(encoding="utf-8", errors="replace"))


def check_quoted(root, name, target, layers):
    """Judge one quoted include of a file in lib/."""
    own = name.parts[1]
    if target == CONFIG_HEADER:
        return None
    if "/" not in target:
        return f"{name}: \"{target}\" must be written from lib/, with its folder"
    folder = target.split("/")[0]
    if folder not in layers:
        return f"{name}: includes \"{target}\" of a folder that lib/README.md does not list"
    if not (root / "lib" / target).is_file():
        return f"{name}: includes \"{target}\", which does not exist"
    if folder != own and layers[folder] >= layers[own]:
        return f"{name}: layer {layers[own]} ({own}) must not include \"{target}\" of layer {layers[folder]}"
    return None


def check_library(root, files, layers):
    findings = []
    for name in files:
        if name.parts[0] != "lib":
            continue
        if len(name.parts) < 3:
            if name.suffix in SOURCES:
                findings.append(f"{name}: sources live in the folder of a layer")
            continue
        if name.parts[1] not in layers:
            findings.append(f"{name}: folder lib/{name.parts[1]} is not in the table of lib/README.md")
            continue
        if name.suffix not in SOURCES:
            continue
        for quoted, angle in includes_of(root / name):
            if quoted:
                finding = check_quoted(root, name, quoted, layers)
                if finding:
                    findings.append(finding)
            elif angle.startswith("f2fskit/") and not (root / "include" / angle).is_file():
                findings.append(f"{name}: includes <{angle}>, which does not exist")
    return findings


def check_users(root, files, layers):
    """Folders that public headers and programs may not include."""
    findings = []
    for name in files:
        if name.suffix not in SOURCES:
            continue
        public = name.parts[0] == "include"
        if not public and name.parts[0] not in PROGRAMS:
            continue
        for quoted, _ in includes_of(root / name):
            if public and quoted:
                findings.append(f"{name}: a public header must not include \"{quoted}\"")
            elif quoted.split("/")[0] in layers and not (root / quoted).is_file():
                findings.append(f"{name}: a program must not include \"{quoted}\" of the library")
    return findings


def check_order(root, layers):
    """The folders must be built in layer order, so that each links only the layers below."""
    meson = root / "lib/meson.build"
    if not meson.is_file():
        return []
    folders = [f for f in SUBDIR.findall(meson.read_text()) if f in layers]
    return [
        f"lib/meson.build: {b} (layer {layers[b]}) comes after {a} (layer {layers[a]})"
        for a, b in zip(folders, folders[1:])
        if layers[b] < layers[a]
    ]


def check_cycles(root, files):
    """Report a circle of includes among the headers, without recursion."""
    graph = {}
    for name in files:
        if name.suffix not in (".h", ".def") or name.parts[0] not in ("lib", "include"):
            continue
        graph[str(name)] = [f"lib/{q}" if q else f"include/{a}" for q, a in includes_of(root / name)]
    findings, done = [], set()
    for start in graph:
        stack = [(start, iter(graph[start]))]
        on_path = [start]
        while stack and start not in done:
            node, targets = stack[-1]
            target = next(targets, None)
            if target is None:
                done.add(node)
                stack.pop()
                on_path.pop()
            elif target in on_path:
                circle = on_path[on_path.index(target) :] + [target]
                findings.append("circle of includes: " + " -> ".join(circle))
            elif target in graph and target not in done:
                stack.append((target, iter(graph[target])))
                on_path.append(target)
    return findings


def read_code(path):
    """Return the text of a source without comments and lines of the preprocessor."""
    text = COMMENT.sub(" ", path.read_text(encoding="utf-8", errors="replace"))
    return re.sub(r"^[ \t]*#.*$", "", text, flags=re.M)


def read_functions(root, files):
    """Return {name: file that defines it} and {name: header that declares it} of the functions that files of lib/ share."""
    homes, headers, public = {}, {}, set()
    for name in files:
        if name.parts[0] == "lib" and name.suffix == ".c":
            homes.update(dict.fromkeys(DEFINITION.findall(read_code(root / name)), name))
        elif name.parts[0] == "lib" and name.suffix == ".h":
            headers.update(dict.fromkeys(DECLARATION.findall(read_code(root / name)), name))
        elif name.parts[0] == "include":
            public.update(PUBLIC.findall(read_code(root / name)))
    return homes, {name: header for name, header in headers.items() if name in homes and name not in public}


def exception_of(header, exceptions):
    name = "/".join(header.parts[1:])
    return next((e for e in exceptions if e == name or (e.endswith("/") and name.startswith(e))), None)


def check_headers(root, files, exceptions):
    """Each shared function is declared in the header that is named like its file. Returns findings and a summary."""
    homes, headers = read_functions(root, files)
    findings, met, elsewhere, declares = [], set(), 0, {}
    for name, header in sorted(headers.items()):
        home = homes[name]
        declares.setdefault(header, set()).add(home)
        if header.with_suffix("") == home.with_suffix(""):
            continue
        elsewhere += 1
        exception = exception_of(header, exceptions)
        met.add(exception)
        if not exception:
            findings.append(f"{header}: declares {name}() of {home}, which belongs into {home.with_suffix('.h').name}")
    findings += [f"tests/lint/layers.py: lib/{e} declares no function of another file: take it off the list"
                 for e in exceptions if e not in met]
    most = max((len(of) for of in declares.values()), default=0)
    return findings, (f"{len(headers)} shared functions, {elsewhere} declared in a header of another name; "
                      f"no header declares functions of more than {most} files")


def check(root, exceptions=()):
    files = lint.project_files(root)
    layers = read_table(root)
    if not layers:
        return ["lib/README.md: no table of layers found"]
    return (
        check_library(root, files, layers)
        + check_users(root, files, layers)
        + check_order(root, layers)
        + check_cycles(root, files)
        + check_headers(root, files, exceptions)[0]
    )


GOOD = {
    "lib/README.md": "| layer | folder | what |\n|---|---|---|\n| 0 | base | x |\n| 1 | format | x |\n| 1 | device | x |\n"
    "| 2 | volume | x |\n| 3 | mkfs | x |\n| 3 | log | x |\n",
    "lib/meson.build": "subdir('base')\nsubdir('format')\nsubdir('volume')\n",
    "lib/base/a.h": "#include <f2fskit/pub.h>\n",
    "lib/base/a.c": '#include "base/a.h"\n#include "f2fskit_config.h"\n#include <stdio.h>\n',
    "lib/format/f.h": '#include "base/a.h"\n',
    "lib/device/d.h": '#include "base/a.h"\n',
    "lib/volume/v.c": '#include "format/f.h"\n#include "device/d.h"\n',
    "include/f2fskit/pub.h": "#include <stdint.h>\nF2FS_API int f2fs_go(int a);\n",
    "lib/log/one.h": "/* int two_go(void); */\nint one_go(void);\nint elsewhere(void);\n",
    "lib/log/one.c": '#include "log/one.h"\nint one_go(void)\n{\n\treturn 1;\n}\n',
    "lib/log/two.c": "static int own(void)\n{\n\treturn 1;\n}\nint f2fs_go(int a)\n{\n\treturn a + own();\n}\n",
    "lib/mkfs/m.h": "",
    "mkfs/own.h": "",
    "mkfs/main.c": '#include "mkfs/own.h"\n',
    "cli/opt.h": "",
    "dump/main.c": '#include <f2fskit/pub.h>\n#include "cli/opt.h"\n',
}
# a function of two.c in a header of another name
STRANGE = {"lib/log/one.h": "int one_go(void);\nint two_go(void);\n",
           "lib/log/two.c": "int two_go(void)\n{\n\treturn 2;\n}\n"}
BAD = [
    ("declares two_go() of lib/log/two.c", STRANGE),
    ("declares two_go() of lib/log/two.c", {"lib/mkfs/two.h": "struct a *two_go(int a,\n\t\tint b);\n",
                                            "lib/log/two.c": "struct a *two_go(int a,\n\t\tint b)\n{\n}\n"}),
    ("layer 0 (base) must not include", {"lib/base/a.c": '#include "format/f.h"\n'}),
    ("layer 1 (format) must not include", {"lib/format/f.h": '  #  include "device/d.h"\n'}),
    ("layer 1 (device) must not include", {"lib/device/d.h": '#include "volume/v.c"\n'}),
    ("with its folder", {"lib/base/a.c": '#include "a.h"\n'}),
    ("does not exist", {"lib/base/a.c": '#include "base/missing.h"\n'}),
    ("does not exist", {"lib/base/a.c": "#include <f2fskit/missing.h>\n"}),
    ("does not list", {"lib/base/a.c": '#include "other/x.h"\n'}),
    ("is not in the table", {"lib/other/x.h": "\n"}),
    ("folder of a layer", {"lib/stray.c": "\n"}),
    ("comes after", {"lib/meson.build": "subdir('volume')\nsubdir('base')\n"}),
    ("circle of includes", {"lib/base/a.h": '#include "base/b.h"\n', "lib/base/b.h": '#include "base/a.h"\n'}),
    ("circle of includes", {"lib/base/a.h": '#include "base/a.h"\n'}),
    ("public header must not", {"include/f2fskit/pub.h": '#include "base/a.h"\n'}),
    ("program must not", {"dump/main.c": '#include "base/a.h"\n'}),
    ("program must not", {"mkfs/main.c": '#include "mkfs/m.h"\n'}),
    ("no table", {"lib/README.md": "nothing\n"}),
]


def check_tree(root):
    """Check this repository, and say how far it is."""
    print(check_headers(root, lint.project_files(root), OTHERS_TOO)[1])
    return check(root, OTHERS_TOO)


def test_exceptions():
    """A header on the list may declare what it likes; one that need not be there is found."""
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        lint.write_tree(root, {**GOOD, **STRANGE})
        found = [check(root, exceptions) for exceptions in (["log/one.h"], ["log/"], ["log/", "base/a.h"])]
    good = found[:2] == [[], []] and len(found[2]) == 1 and "lib/base/a.h declares no function" in found[2][0]
    if not good:
        print(f"self-test of exceptions: {found}")
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(lint.main(check, GOOD, BAD) or test_exceptions())
    sys.exit(lint.main(check_tree, GOOD, BAD))
