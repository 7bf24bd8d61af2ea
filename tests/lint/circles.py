# SPDX-License-Identifier: LGPL-2.1-or-later
"""Circles: within the library, and within a program that has a library of its files, files call each other in one direction.
Files in a circle cannot be understood one after the other, and none can be replaced alone.

    circles.py NM ARCHIVE...

Reads the symbols that each object file of their static libraries defines and needs.
"""
import re
import subprocess
import sys

import lint

SYMBOL = re.compile(r"^(?:[0-9a-f]+)?\s*([A-Za-z]) (\S+)$")
MEMBER = re.compile(r"^(?:.*/)?([^/]+)\.c\.o:$")
DEFINED = set("TDRBVW")
NAME = re.compile(r"lib(?:f2fskit-)?(\w+)\.a$")


def read_listing(listing):
    """Return {file: (defined names, needed names)} of nm's output."""
    files, current = {}, None
    for line in listing.splitlines():
        member = MEMBER.match(line)
        if member:
            current = files.setdefault(member[1], (set(), set()))
            continue
        symbol = SYMBOL.match(line)
        if symbol and current:
            if symbol[1] in DEFINED:
                current[0].add(symbol[2])
            elif symbol[1] == "U":
                current[1].add(symbol[2])
    return files


def read_archive(nm, archive):
    """Return the same of a static library."""
    return read_listing(subprocess.run([nm, archive], check=True, stdout=subprocess.PIPE, text=True).stdout)


def callees(files):
    """Return {file: files that define its symbols}."""
    home = {name: file for file, (defined, _) in files.items() for name in defined}
    return {file: {home[n] for n in needed if n in home} - {file} for file, (_, needed) in files.items()}


def reach(graph, start):
    """Return the files that a file calls, itself only through others."""
    seen, left = set(), list(graph[start])
    while left:
        file = left.pop()
        if file not in seen:
            seen.add(file)
            left += graph[file]
    return seen


def in_circles(graph):
    return {file for file in graph if file in reach(graph, file)}


def judge(layer, files):
    graph = callees(files)
    return [f"{layer}/{file}.c calls {', '.join(sorted(c for c in graph[file] if file in reach(graph, c)))}, "
            "which leads back to it" for file in sorted(in_circles(graph))]


def judge_all(layers):
    """Find circles through several layers; those within one are judged alone. layers: {layer: files}."""
    files = {f"{layer}/{file}": symbols for layer, of in layers.items() for file, symbols in of.items()}
    graph = callees(files)
    findings = []
    for file in sorted(in_circles(graph)):
        others = sorted(c for c in graph[file] if file in reach(graph, c))
        if any(c.split("/")[0] != file.split("/")[0] for c in others):
            findings.append(f"{file}.c calls {', '.join(others)}, which leads back to it")
    return findings


def check(nm, archives):
    findings, layers = [], {}
    for archive in archives:
        files = read_archive(nm, archive)
        layer = NAME.search(archive)[1]
        if not files:
            findings.append(f"{archive}: no symbols read")
        findings += judge(layer, files)
        if archive.startswith("lib/") or "/lib/" in archive:
            layers[layer] = files
    return findings + judge_all(layers)


LISTING = """
a.c.o:
0000000000000000 T a_open
                 U b_read
                 U memcpy

b.c.o:
0000000000000000 T b_read
                 U c_note

c.c.o:
0000000000000000 T c_note
                 U a_open

d.c.o:
0000000000000000 T d_top
                 U a_open
"""


def self_test():
    files = read_listing(LISTING)
    results = [
        in_circles(callees(files)) == {"a", "b", "c"},
        judge("x", files)[0] == "x/a.c calls b, which leads back to it",
        len(judge("x", files)) == 3,
        not judge("x", read_listing(LISTING.replace("b_read", "memset", 1))),
        judge_all({"x": {"a": files["a"]}, "y": {"b": files["b"], "c": files["c"]}})
        == ["x/a.c calls y/b, which leads back to it", "y/c.c calls x/a, which leads back to it"],
        judge_all({"x": files}) == [],
        judge_all({"x": {"a": files["a"], "d": files["d"]}, "y": {"b": files["b"]}}) == [],
    ]
    if not all(results):
        print(f"self-test: {results}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    sys.exit(lint.report(check(sys.argv[1], sys.argv[2:])))
