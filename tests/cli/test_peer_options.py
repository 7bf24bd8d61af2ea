# SPDX-License-Identifier: LGPL-2.1-or-later
"""docs/PEER_OPTIONS.md lists the options of f2fs-tools. Each program takes those of its table, with a value or without one. The letters
of the installed f2fs-tools are all in the table."""
import os
import re
import shutil
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def tables():
    """{program: {option: (has a value, since, here)}}"""
    with open(os.path.join(TOP, "docs", "PEER_OPTIONS.md")) as opened:
        parts = re.split(r"(?m)^## (\S+)$", opened.read())[1:]
    row = re.compile(r"(?m)^\| `(--?[\w-]+)` \| (yes|no) \| ([^|]+) \| (yes|no effect|no) \|$")
    return {name: {found[0]: found[1:] for found in row.findall(text)} for name, text in zip(parts[::2], parts[1::2])}


TABLES = tables()


def test_all_tables_are_there():
    assert {name: len(rows) for name, rows in TABLES.items()} == {
        "mkfs.f2fs": 29, "fsck.f2fs": 25, "dump.f2fs": 17, "defrag.f2fs": 8, "resize.f2fs": 10, "sload.f2fs": 17, "f2fslabel": 1, "inject.f2fs": 18}


@pytest.mark.parametrize("program", TABLES)
def test_taken(run_tool, program):
    takes, effects = {}, {}
    for line in run_tool(program, "--dump-options").stdout.decode().splitlines():
        fields = line.split("\t")
        if fields[0] == "option":
            names = ["-" + fields[1]] * bool(fields[1]) + ["--" + fields[2]] * bool(fields[2])
            takes.update({name: "no" if fields[3] == "none" else "yes" for name in names})
            effects.update({name: fields[5] for name in names})
    for option, (value, _, here) in TABLES[program].items():
        assert here != "no" and takes.get(option) == value, option
        assert ("no effect" in effects[option]) == (here == "no effect"), option


@pytest.mark.parametrize("program", ["mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "defrag.f2fs", "resize.f2fs", "sload.f2fs"])
def test_the_installed_program_has_no_others(program):
    path = shutil.which(program, path="/usr/sbin:/sbin")
    if not path or b"f2fskit" in subprocess.run([path, "-V"], capture_output=True, stdin=subprocess.DEVNULL).stdout:
        pytest.skip("no f2fs-tools")
    done = subprocess.run([path, "-?"], capture_output=True, stdin=subprocess.DEVNULL)
    shown = re.findall(r"(?m)^\s+(--?[A-Za-z][\w-]*)\b", (done.stdout + done.stderr).decode())
    assert len(shown) > 3 and set(shown) <= set(TABLES[program]), shown
