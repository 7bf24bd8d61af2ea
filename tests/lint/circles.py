# SPDX-License-Identifier: LGPL-2.1-or-later
"""Circles: within a layer, files call each other in one direction. What cannot be read in an order cannot be understood
file by file, and no part of it can be replaced alone.

    circles.py NM ARCHIVE...

Reads what each object file of the layers' static libraries defines and needs. Circles that are still there are listed
in KNOWN; a file that leaves its circle must leave the list, too, so that the list only shrinks.
"""
import re
import subprocess
import sys

import lint

SYMBOL = re.compile(r"^(?:[0-9a-f]+)?\s*([A-Za-z]) (\S+)$")
MEMBER = re.compile(r"^(?:.*/)?([^/]+)\.c\.o:$")
DEFINED = set("TDRBVW")
LAYER = re.compile(r"libf2fskit-(\w+)\.a$")

KNOWN = {
    "file": "acl_inherit acl_write change cluster_set cluster_write compress crypto data_read data_write dir_filing "
            "dir_read dir_write fsync inode_attr inode_past inode_read inode_write map_read map_write name orphan pages "
            "quota_write xattr_read xattr_write",
}


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


def callees(files):
    """Return {file: files that define what it needs}."""
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


def judge(layer, files, known):
    graph = callees(files)
    found = in_circles(graph)
    findings = [f"{layer}/{file}.c calls {', '.join(sorted(c for c in graph[file] if file in reach(graph, c)))}, "
                "which leads back to it" for file in sorted(found - known)]
    return findings + [f"{layer}/{file}.c is in no circle any more: take it off the list" for file in sorted(known - found)]


def check(nm, archives):
    findings = []
    for archive in archives:
        files = read_listing(subprocess.run([nm, archive], check=True, stdout=subprocess.PIPE, text=True).stdout)
        layer = LAYER.search(archive)[1]
        if not files:
            findings.append(f"{archive}: no symbols read")
        findings += judge(layer, files, set(KNOWN.get(layer, "").split()))
    return findings


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
        len(judge("x", files, set())) == 3,
        not judge("x", files, {"a", "b", "c"}),
        judge("x", files, {"a", "b", "c", "d"}) == ["x/d.c is in no circle any more: take it off the list"],
    ]
    if not all(results):
        print(f"self-test: {results}")
    return 0 if all(results) else 1


if __name__ == "__main__":
    if sys.argv[1:] == ["--self-test"]:
        sys.exit(self_test())
    sys.exit(lint.report(check(sys.argv[1], sys.argv[2:])))
