# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents and programs agree: a manual page describes every option and command of its program, and no document names an option
that no program has."""
import glob
import os
import re

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"mkfs.f2fs": 8, "fsck.f2fs": 8, "dump.f2fs": 8, "sload.f2fs": 8, "defrag.f2fs": 8, "resize.f2fs": 8, "f2fs": 8,
         "f2fslabel": 8, "inject.f2fs": 8, "f2fs-lab": 1, "f2fsfuse": 1}
# Options of pkg-config in the documents.
OTHERS = {"--cflags", "--libs"}
LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])")


def listed(run_tool, program):
    """{long names}, {letters}, {commands} that a program lists of itself."""
    names, letters, commands = {"help", "version", "dump-options"}, set(), set()
    for line in run_tool(program, "--dump-options").stdout.decode().splitlines():
        fields = line.split("\t")
        if fields[0] == "option":
            letters |= {fields[1]} - {""}
            names |= {fields[2]} - {""}
            assert fields[5], (program, line)
        elif fields[0] == "command":
            commands.add(fields[1])
            assert fields[3], (program, line)
    return names, letters, commands


def all_names(run_tool):
    return set().union(*(listed(run_tool, program)[0] for program in PAGES))


@pytest.mark.parametrize("program", PAGES)
def test_the_page_has_all_that_the_program_has(run_tool, build_dir, program):
    page = os.path.join(build_dir, "man", "%s.%d" % (program, PAGES[program]))
    with open(page) as opened:
        text = re.sub(r"\\f[BIRP]", "", opened.read().replace("\\-", "-"))
    names, letters, commands = listed(run_tool, program)
    for name in names - {"help", "version", "dump-options"}:
        assert re.search(r"--%s\b" % re.escape(name), text), name
    for letter in letters:
        assert re.search(r"(?<![\w-])-%s\b" % re.escape(letter), text) or "-" + letter in text, letter
    for command in commands:
        assert re.search(r"\b%s\b" % re.escape(command), text), command


@pytest.mark.parametrize("program", PAGES)
def test_help_has_all_options(run_tool, program):
    text = run_tool(program, "--help").stdout.decode()
    names, letters, commands = listed(run_tool, program)
    for name in names - {"dump-options"}:
        assert "--" + name in text or name in ("help", "version"), name


def documents():
    found = [os.path.join(TOP, name) for name in ("README.md", "SECURITY.md", "CHANGELOG.md", "docs/CHOOSING.md", "docs/HOTNESS.md",
                                                  "docs/CHECKS.md", "docs/API.md")]
    return found + glob.glob(os.path.join(TOP, "man", "*.in"))


def test_documents_name_no_option_that_is_not_there(run_tool):
    known = all_names(run_tool) | {other[2:] for other in OTHERS}
    commands = "".join(run_tool("f2fs", "--dump-options").stdout.decode())
    wrong = []
    for path in documents():
        with open(path) as document:
            for number, line in enumerate(document.read().replace("\\-", "-").split("\n"), 1):
                wrong += ["%s:%d: --%s" % (os.path.relpath(path, TOP), number, name) for name in LONG.findall(line)
                          if name not in known and "--" + name not in commands]
    assert not wrong


def test_a_wrong_option_is_found(run_tool):
    assert LONG.findall("fsck.f2fs --no-such-option=1 -- x a--b") == ["no-such-option"]
    assert "no-such-option" not in all_names(run_tool)
