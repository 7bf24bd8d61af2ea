# SPDX-License-Identifier: LGPL-2.1-or-later
"""Neighbours: a program can include our headers beside those of f2fs-tools and Linux, in either order, in C and C++.

    neighbours.py ROOT COMPILER...                      with the names of both, which neighbours.h declares
    neighbours.py --installed HEADER ROOT COMPILER...   with the header that this host has; without it: skipped

f2fs_fs.h is no C++, so the installed one is included from C only.
"""
import pathlib
import subprocess
import sys
import tempfile

import lint

LANGUAGES = {"C": ["-x", "c", "-std=gnu11"], "C++": ["-x", "c++", "-std=gnu++11"]}
OURS = "<f2fskit/f2fskit.h>"
STAND_IN = "tests/lint/neighbours.h"
INSTALLED = {"f2fs_fs.h": ["C"], "linux/f2fs.h": ["C", "C++"]}
FOLDERS = ["/usr/include/f2fs-tools", "/usr/local/include/f2fs-tools"]
SKIPPED = 77  # what meson takes for a skipped test


def compile_text(compiler, language, folders, text):
    """Return the compiler's errors, empty if there are none."""
    command = compiler + LANGUAGES[language] + ["-w", "-fsyntax-only"] + [f"-I{folder}" for folder in folders] + ["-"]
    done = subprocess.run(command, input=text, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    return "" if done.returncode == 0 else done.stdout.strip() or f"exit status {done.returncode}"


def check(compiler, languages, folders, theirs):
    """Return the complaints about including theirs before ours and after."""
    findings = []
    for language in languages:
        if compile_text(compiler, language, folders, "extern int something;\n"):
            print(f"no {language} compiler: not tried")
            continue
        for name, order in (("before", (theirs, OURS)), ("after", (OURS, theirs))):
            text = "".join(f"#include {header}\n" for header in order) + "extern int something;\n"
            complaint = compile_text(compiler, language, folders, text)
            if complaint:
                findings.append(f"{theirs} {name} ours, {language}: {complaint}")
    return findings


def check_stand_in(root, compiler):
    return check(compiler, LANGUAGES, [root / "include", root], f'"{STAND_IN}"')


def check_installed(header, root, compiler):
    """Return the complaints, None where the host has no such header."""
    theirs = f"<{header}>"
    if compile_text(compiler, "C", FOLDERS, f"#include {theirs}\n"):
        return None
    return check(compiler, INSTALLED[header], [root / "include"] + FOLDERS, theirs)


# Each kind of name that neighbours.h declares, taken by a header of ours.
CLASHES = [
    "struct f2fs_summary { int nid; };\n",
    "enum { F2FS_FEATURE_ENCRYPT = 1 };\n",
    "enum { COMPR_LZO = 7 };\n",
    "struct f2fs_any { int NEW_ADDR; };\n",
    "double f2fs_init_configuration(int);\n",
    "int get_sb_le32(int nid);\n",
]


def self_test(compiler):
    """Include the stand-in beside headers of ours that are written on the spot."""
    stand_in = pathlib.Path(__file__).with_name("neighbours.h").read_text()
    failures = 0
    for text in ["struct f2fs_any { int nid; };\n"] + CLASHES:
        with tempfile.TemporaryDirectory() as tree:
            lint.write_tree(tree, {STAND_IN: stand_in, "include/f2fskit/f2fskit.h": text})
            findings = check_stand_in(pathlib.Path(tree), compiler)
        if bool(findings) != (text in CLASHES):
            failures += 1
            print(f"self-test: {text.strip()} gave:", *findings, sep="\n  ")
    print(f"self-test: {len(CLASHES) + 1} trees, {failures} failures")
    return 1 if failures else 0


def main(arguments):
    if arguments[0] == "--self-test":
        return self_test(arguments[1:])
    if arguments[0] == "--installed":
        findings = check_installed(arguments[1], pathlib.Path(arguments[2]), arguments[3:])
        if findings is None:
            print(f"skipped: this host has no {arguments[1]} (Debian: libf2fs-dev, linux-libc-dev)")
            return SKIPPED
        return lint.report(findings)
    return lint.report(check_stand_in(pathlib.Path(arguments[0]), arguments[1:]))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
