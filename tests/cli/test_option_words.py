# SPDX-License-Identifier: LGPL-2.1-or-later
"""One word has one meaning: options of equal long names are about the same thing in all programs, and say so in the same words.

A line of help begins with the topic of the option; after ; : or ( follow details, which may differ."""
import re

import pytest

from test_documents import PAGES

# Words whose topics differ, and why that is right.
OTHERS = {
    "compress-extension": "a mount compresses new files by it alone, as the kernel's option does; mkfs and sload choose from --compress",
    "deleted": "dump.f2fs lists deleted files, f2fsfuse shows them as a directory",
    "discard": "mkfs.f2fs discards once, a mount as long as it runs",
    "features": "a view of dump.f2fs is named after the thing that it shows; elsewhere the features are given",
    "file-contexts": "one file: dump.f2fs writes it, mkfs.f2fs and sload.f2fs read it",
    "force": "do it in spite of the refusal that protects the data at hand, which is another one in each program",
    "fragmentation": "one measure: dump.f2fs shows it for each file, defrag.f2fs sums it up",
    "fs-config": "one file: dump.f2fs writes it, mkfs.f2fs and sload.f2fs read it",
    "json": "f2fs-lab writes JSON into a file, beside its tables",
    "manifest": "one file: dump.f2fs writes it, mkfs.f2fs and sload.f2fs read it",
    "nat": "inject.f2fs has the names of f2fs-tools; a view of dump.f2fs is named after the structure that it shows",
    "node": "as --nat",
    "partition": "f2fstat has the word of f2fs-tools for the device whose numbers it shows",
    "sit": "as --nat",
    "ssa": "as --nat",
}


def topic(line):
    return re.split(r"[;:(]", line)[0].strip()


def topics(tables):
    """{long name: {topic: programs}} of {program: [(long name, line of help)]}."""
    found = {}
    for program, rows in tables.items():
        for name, line in rows:
            found.setdefault(name, {}).setdefault(topic(line), []).append(program)
    return found


@pytest.fixture(scope="module")
def tables(run_tool):
    def rows(program):
        lines = [line.split("\t") for line in run_tool(program, "--dump-options").stdout.decode().splitlines()]
        return [(fields[2], fields[5]) for fields in lines if fields[0] == "option" and fields[2]]
    return {program: rows(program) for program in PAGES}


def test_equal_names_have_one_topic(tables):
    several = {name: found for name, found in topics(tables).items() if len(found) > 1}
    assert {name: found for name, found in several.items() if name not in OTHERS} == {}
    assert set(OTHERS) - set(several) == set(), "these need no reason"


def test_a_second_meaning_is_found():
    rows = {"a": [("list", "print the problems; all of them"), ("to", "where to")], "b": [("list", "show the label")],
            "c": [("list", "print the problems (default)")]}
    assert topics(rows)["list"] == {"print the problems": ["a", "c"], "show the label": ["b"]}
    assert len(topics(rows)["to"]) == 1
