# SPDX-License-Identifier: LGPL-2.1-or-later
"""Layers: a file of lib/ includes only its own folder and folders of lower layers, as the table of lib/README.md says.

Also: every folder is in the table, meson goes through the folders in the order of their layers, headers do not include
each other in a circle, public headers include only public headers, programs see nothing of lib/. A function that x.c gives
to other files is declared in x.h of its folder, in a public header, or by a macro over the table (.def) that lists it. No
header declares functions of more than three files. Few folders meet the host.
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
GENERATED_HEADERS = ("f2fskit_config.h", "late_sonames.h")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
DEFINITION = re.compile(r"^(?!static\b|typedef\b)[a-z][\w \t*]*?[ *\n](\w+)\([^;{}]*\)\s*\{", re.M)
DECLARATION = re.compile(r"^(?!static\b|typedef\b)[a-z][\w \t*]*?[ *\n](\w+)\([^;{}]*\)\s*;", re.M)
# A macro that declares a parameter as a function, and the table that it is for.
TABLE_OF_FUNCTIONS = re.compile(
    r"^#define[ \t]+\w+\((?P<parameters>[^)]*)\)[ \t]*(?:\\\n[ \t]*)?[\w \t*]*?[ *](?P<function>\w+)\([^;\n]*\);\n(?:#define[^\n]*\n)*"
    r"#include \"(?P<file>[\w/]+\.def)\"", re.M)
MOST_FILES = 3  # whose functions one header declares
PUBLIC = re.compile(r"\bF2FS_API\b[^;(]*?[ *](\w+)\(")
# Where the library meets its host: folders, headers and functions of the host, and the few files elsewhere.
HOST_FOLDERS = {"device", "host", "sink", "source"}
HOST_HEADER = re.compile(
    r"^(?:(?:sys|linux|net|arpa)/.*|(?:dirent|errno|fcntl|grp|mntent|poll|pthread|pwd|signal|spawn|time|unistd)\.h)$")
HOST_CALL = re.compile(
    r"(?<![.>])\b(fopen|fdopen|freopen|fread|fwrite|fclose|fflush|fputs|fputc|fprintf|printf|puts|perror|getenv|setenv|exit|"
    r"abort|system|popen|tmpfile|mkstemp|localtime|gmtime)\s*\(")
HOST_ELSEWHERE = {
    "lib/base/error.c": "maps errno to errors of the library",
    "lib/base/late.h": "pthread_once() for libraries that are loaded at first use",
    "lib/base/pool.c": "threads",
    "lib/disk/partition_blkid.c": "libblkid reads from a descriptor alone",
    "lib/inject/value.c": "strtoull() says in errno that a number is too large",
}
# Of one system: its macro, its headers.
SYSTEM = re.compile(r"^[ \t]*#.*(?:\b(?:__linux__|__APPLE__|__FreeBSD__|_WIN32|__GLIBC__)\b|<linux/|<sys/(?:xattr|sysmacros|ioctl|disk|extattr)\.h>)")
SYSTEM_ELSEWHERE = {}
# Headers of POSIX, by its names, for a system that lacks them.
SYSTEM_HEADERS = ("lib", "host", "windows")
PROGRAMS = {"cli", "mkfs", "fsck", "dump", "defrag", "resize", "sload", "tune", "edit", "fuse", "inject", "label", "lab", "mounted", "examples"}


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
    if target in GENERATED_HEADERS:
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
            elif quoted.split("/")[0] in set(layers) - {"host"} and not (root / quoted).is_file():
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
    return re.sub(r"^[ \t]*#(?:.*\\\n)*.*$", "", text, flags=re.M)


def read_functions(root, files):
    """Return {key: file that defines it} and [(key, header that declares it)] of the functions that files of lib/ or of a
    program share. A key is the name, with the folder of the program in front.
    """
    homes, declared, public = {}, [], set()
    for name in files:
        part = name.parts[0]
        folder = None if part == "lib" else name.parts[:-1]
        if name.parts[:3] == SYSTEM_HEADERS or part not in PROGRAMS | {"lib", "include"}:
            continue
        if part == "include":
            public.update((None, function) for function in PUBLIC.findall(read_code(root / name)))
        elif name.suffix == ".c":
            homes.update(((folder, function), name) for function in DEFINITION.findall(read_code(root / name)))
        elif name.suffix == ".h":
            declared += [((folder, function), name) for function in DECLARATION.findall(read_code(root / name))]
    return homes, [row for row in declared if row[0] in homes and row[0] not in public]


def home_of(path):
    """The header of a file's functions; those of lib/host have the name of a system in front: linux_files.c."""
    stem = path.stem.split("_", 1)[1] if path.parent.name == "host" and "_" in path.stem else path.stem
    return path.with_name(stem + ".h")


def strangers(root, files):
    """Return [(header, function, its file)] of declarations in a header of another name than the file."""
    homes, declared = read_functions(root, files)
    return [(header, key[1], homes[key]) for key, header in sorted(declared, key=str) if header != home_of(homes[key])]


def umbrellas(root, files):
    """Return [(header, number of files)] of headers that declare functions of more than MOST_FILES files."""
    homes, declared = read_functions(root, files)
    sources = {}
    for key, header in declared:
        sources.setdefault(header, set()).add(homes[key])
    return sorted(((header, len(found)) for header, found in sources.items() if len(found) > MOST_FILES), key=lambda row: -row[1])


def check_headers(root, files):
    """Each shared function is declared in the header that is named like its file."""
    findings = [f"{header}: declares {function}() of {home}, which belongs into {home_of(home).name}"
                for header, function, home in strangers(root, files)]
    return findings + [f"{header}: declares functions of {count} files, more than {MOST_FILES}"
                       for header, count in umbrellas(root, files)]


def check_tables(root, files):
    """A header may declare all functions of a table by one macro; then no header declares one of them by hand."""
    homes, declared = read_functions(root, files)
    findings = []
    for name in files:
        if name.suffix != ".h" or name.parts[0] not in PROGRAMS | {"lib"}:
            continue
        text = COMMENT.sub(" ", (root / name).read_text(encoding="utf-8", errors="replace"))
        for table in TABLE_OF_FUNCTIONS.finditer(text):
            if table["function"] not in re.split(r"\W+", table["parameters"]):
                continue
            source = root / ("lib" if name.parts[0] == "lib" else "") / table["file"]
            rows = set(re.findall(r"\w+", source.read_text(encoding="utf-8")))
            findings += [f"{header}: declares {key[1]}(), as {name} does by its table" for key, header in declared
                         if key[1] in rows and homes[key].parent == name.parent]
    return findings


def check_systems(root, files):
    """What is of one system alone is in lib/host, or has a reason."""
    findings = []
    for name in files:
        if name.suffix not in SOURCES or name.parts[0] not in PROGRAMS | {"lib", "include"} or str(name) in SYSTEM_ELSEWHERE:
            continue
        if name.parts[:2] == ("lib", "host") or name.parts[0] in ("fuse", "mounted"):
            continue
        text = (root / name).read_text(encoding="utf-8", errors="replace")
        for number, line in enumerate(text.splitlines(), 1):
            if SYSTEM.search(line):
                findings.append(f"{name}:{number}: only lib/host asks for a system, or includes its headers")
    return findings


def check_host(root, files, elsewhere):
    """Headers and functions of the host are for the folders that meet it. elsewhere: files that may use them, too."""
    findings, met = [], set()
    for name in files:
        if name.parts[0] != "lib" or len(name.parts) < 3 or name.suffix not in SOURCES or name.parts[1] in HOST_FOLDERS:
            continue
        used = [f"<{angle}>" for _, angle in includes_of(root / name) if HOST_HEADER.match(angle)]
        used += [f"{call}()" for call in HOST_CALL.findall(read_code(root / name))]
        if str(name) in elsewhere:
            met.update([str(name)] if used else [])
        else:
            findings += [f"{name}: {what} is of the host, which only {', '.join(sorted(HOST_FOLDERS))} meet" for what in used]
    return findings + [f"tests/lint/layers.py: {name} does not meet the host: take it off the list"
                       for name in elsewhere if name not in met]


def check(root, elsewhere=()):
    files = lint.project_files(root)
    layers = read_table(root)
    if not layers:
        return ["lib/README.md: no table of layers found"]
    return (
        check_library(root, files, layers)
        + check_users(root, files, layers)
        + check_order(root, layers)
        + check_cycles(root, files)
        + check_headers(root, files)
        + check_tables(root, files)
        + check_systems(root, files)
        + check_host(root, files, elsewhere)
    )


GOOD = {
    "lib/README.md": "| layer | folder | what |\n|---|---|---|\n| 0 | base | x |\n| 1 | format | x |\n| 1 | device | x |\n"
    "| 2 | volume | x |\n| 3 | mkfs | x |\n| 3 | log | x |\n",
    "lib/meson.build": "subdir('base')\nsubdir('format')\nsubdir('volume')\n",
    "lib/base/a.h": "#include <f2fskit/pub.h>\n",
    "lib/base/a.c": '#include "base/a.h"\n#include "f2fskit_config.h"\n#include <stdio.h>\n',
    "lib/format/f.h": '#include "base/a.h"\n',
    "lib/device/d.h": '#include "base/a.h"\n#include <sys/stat.h>\n',
    "lib/volume/v.c": '#include "format/f.h"\n#include "device/d.h"\n',
    "include/f2fskit/pub.h": "#include <stdint.h>\nF2FS_API int f2fs_go(int a);\n",
    "lib/log/one.h": "/* int two_go(void); */\nint one_go(void);\nint elsewhere(void);\n",
    "lib/log/one.c": '#include "log/one.h"\nint one_go(void)\n{\n\treturn 1;\n}\n',
    "lib/log/two.c": "static int own(void)\n{\n\treturn 1;\n}\nint f2fs_go(int a)\n{\n\treturn a + own();\n}\n",
    "lib/mkfs/m.h": "",
    "mkfs/own.h": "",
    "mkfs/main.c": '#include "mkfs/own.h"\n',
    "cli/opt.h": "",
    # a table of functions, declared by one macro
    "edit/rows.def": "ROW(zero, do_zero)\nROW(one, do_one)\nROW(two, do_two)\nROW(three, do_three)\n",
    "edit/rows.h": "#define ROW(name, run) \\\n\tint run(int a);\n#include \"edit/rows.def\"\n#undef ROW\n",
    **{f"edit/{word}.c": f"int do_{word}(int a)\n{{\n\treturn a;\n}}\n" for word in ("zero", "one", "two", "three")},
    "dump/main.c": '#include <f2fskit/pub.h>\n#include "cli/opt.h"\n',
}
# a function of two.c in a header of another name
STRANGE = {"lib/log/one.h": "int one_go(void);\nint two_go(void);\n",
           "lib/log/two.c": "int two_go(void)\n{\n\treturn 2;\n}\n"}
BAD = [
    ("functions of 4 files", {"lab/all.h": "".join(f"int go{i}(void);\n" for i in range(4)),
                              **{f"lab/f{i}.c": f"int go{i}(void)\n{{\n}}\n" for i in range(4)}}),
    ("declares go() of dump/two.c", {"dump/one.h": "int go(void);\n", "dump/two.c": "int go(void)\n{\n}\n"}),
    ("declares do_two(), as edit/rows.h does", {"edit/two.h": "int do_two(int a);\n"}),
    ("declares two_go() of lib/log/two.c", STRANGE),
    ("declares two_go() of lib/log/two.c", {"lib/mkfs/two.h": "struct a *two_go(int a,\n\t\tint b);\n",
                                            "lib/log/two.c": "struct a *two_go(int a,\n\t\tint b)\n{\n}\n"}),
    ("<unistd.h> is of the host", {"lib/log/two.c": "#include <unistd.h>\n"}),
    ("<sys/stat.h> is of the host", {"lib/log/one.h": "#include <sys/stat.h>\n"}),
    ("getenv() is of the host", {"lib/log/two.c": "int f(void)\n{\n\treturn getenv(\"A\") != 0;\n}\n"}),
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
    ("only lib/host asks for a system", {"lib/log/two.c": "#ifdef __linux__\n#endif\n"}),
    ("only lib/host asks for a system", {"dump/main.c": "#include <sys/xattr.h>\n"}),
    ("belongs into x.h", {"lib/host/y.h": "int go(void);\n", "lib/host/linux_x.c": "int go(void)\n{\n}\n",
                          "lib/README.md": "| 0 | host | x |\n| 0 | base | x |\n| 1 | format | x |\n| 1 | device | x |\n| 2 | volume | x |\n| 3 | log | x |\n| 3 | mkfs | x |\n"}),
    ("no table", {"lib/README.md": "nothing\n"}),
]


def check_tree(root):
    """Check this repository."""
    return check(root, HOST_ELSEWHERE)


def test_elsewhere():
    """A file on the list may meet the host; one that does not is taken off it."""
    host = {"lib/log/one.c": "#include <unistd.h>\n"}
    with tempfile.TemporaryDirectory() as folder:
        root = pathlib.Path(folder)
        lint.write_tree(root, {**GOOD, **host})
        found = [check(root, files) for files in (["lib/log/one.c"], ["lib/log/one.c", "lib/log/two.c"])]
    good = found[0] == [] and len(found[1]) == 1 and "lib/log/two.c does not meet the host" in found[1][0]
    if not good:
        print(f"self-test of files that meet the host: {found}")
    return 0 if good else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(lint.main(check, GOOD, BAD) or test_elsewhere())
    sys.exit(lint.main(check_tree, GOOD, BAD))
