# SPDX-License-Identifier: LGPL-2.1-or-later
"""Documents and programs agree: a manual page describes every option and command of its program, and no document names an option
that no program has."""
import glob
import os
import re

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = {"mkfs.f2fs": 8, "fsck.f2fs": 8, "dump.f2fs": 8, "sload.f2fs": 8, "tune.f2fs": 8, "defrag.f2fs": 8, "resize.f2fs": 8, "f2fs": 8,
         "f2fslabel": 8, "inject.f2fs": 8, "f2fs-lab": 1, "f2fsfuse": 1, "f2fs_io": 8, "f2fscrypt": 8, "fibmap.f2fs": 8, "f2fstat": 8}
# Options of pkg-config in the documents.
OTHERS = {"--cflags", "--libs", "--seeds", "--load"}   # the last two of lab/placements.py
LONG = re.compile(r"(?<![\w-])--([a-z][a-z0-9-]*[a-z0-9])")


def listed(run_tool, program):
    """{long names}, {letters}, {commands} that a program lists of itself."""
    names, letters, commands = {"help", "version", "dump-options"}, set(), set()
    for line in run_tool(program, "--dump-options").stdout.decode().splitlines():
        fields = line.split("\t")
        if fields[0] in ("option", "old"):
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


def old_names(run_tool, program):
    return {line.split("\t")[2]: line.split("\t")[5].removeprefix("old name of ")
            for line in run_tool(program, "--dump-options").stdout.decode().splitlines() if line.startswith("old\t")}


@pytest.mark.parametrize("program", ["f2fs"])
def test_commands_explain_long_names(run_tool, build_dir, program):
    """The long names of options in commands.def stand in the help of the command and in the manual page."""
    with open(os.path.join(TOP, "edit", "commands.def")) as table:
        text = re.sub(r'"\s*\n\s*"', "", table.read())
    rows = re.findall(r'^COMMAND\("(\w+)", "(?:[^"\\]|\\.)*", \w+, "([^"]*)"', text, re.M)
    long_names = [(command, *found) for command, letters in rows for found in re.findall(r"(?:^|[ ?+])(\w)(?::[\w-]+)?/([\w-]+)", letters)]
    assert len(long_names) > 15
    with open(os.path.join(build_dir, "man", "f2fs.8")) as page:
        page = re.sub(r"\\f[BIRP]", "", page.read().replace("\\-", "-"))
    for command, letter, name in long_names:
        wanted = "-%s is --%s" % (letter, name)
        assert wanted in " ".join(run_tool(program, "any.img", "help", command).stdout.decode().split()), (command, name)
        assert wanted in page, (command, name)


def current_names(run_tool, program):
    return listed(run_tool, program)[0] - set(old_names(run_tool, program))


@pytest.mark.parametrize("program", PAGES)
def test_old_names_lead_to_new_ones_and_stand_apart(run_tool, program):
    old = old_names(run_tool, program)
    names, _, _ = listed(run_tool, program)
    text = run_tool(program, "--help").stdout.decode()
    for name, instead in old.items():
        assert set(LONG.findall(instead)) <= names - set(old), name
        assert not re.search(r"^ +(-\w, )?--%s(?![\w-])(?! \(now)" % re.escape(name), text, re.M), name
        assert "--%s (now %s)" % (name, instead) in text


def test_the_old_names_are_few(run_tool):
    """A name that becomes old is listed here, and goes in the next version."""
    assert {program: sorted(old) for program in PAGES if (old := old_names(run_tool, program))} == {
        "dump.f2fs": ["as-of", "differences", "former-names", "hexdump", "history", "pack", "recover-view", "repaired", "rescue"],
        "f2fs": ["pack"], "resize.f2fs": ["debug", "estimate"], "sload.f2fs": ["debug", "replace", "sparse", "update"],
        "fsck.f2fs": ["answer-no", "debug", "feature", "force", "list", "map", "preset", "repair", "sparse", "tree"],
        "defrag.f2fs": ["report", "sparse"],
        "mkfs.f2fs": ["debug"], "f2fstat": ["file"], "f2fs-lab": ["policy"]}


def test_documents_and_messages_use_no_old_name(run_tool):
    old = {name for program in PAGES for name in old_names(run_tool, program)}
    old -= {name for program in PAGES for name in current_names(run_tool, program)} | {"pack"}
    wrong = []
    for path in documents():
        with open(path) as document:
            text = re.sub(r"\.SS Old names.*", "", document.read().replace("\\-", "-"), flags=re.S)
            wrong += ["%s: --%s" % (os.path.relpath(path, TOP), name) for name in LONG.findall(text) if name in old]
    for path in glob.glob(os.path.join(TOP, "*", "*.c")) + glob.glob(os.path.join(TOP, "lib", "*", "*.[cd]*")):
        if path.endswith("dump/history.c"):  # the view of an old name names it
            continue
        with open(path) as source:
            strings = re.findall(r'"((?:[^"\\\n]|\\.)*)"', source.read())
        wrong += ["%s: --%s" % (os.path.relpath(path, TOP), name) for text in strings for name in LONG.findall(text) if name in old]
    assert not wrong


def own_sources(program):
    """The files of a program, and of no other one."""
    folder = {"f2fs": "edit", "f2fs-lab": "lab", "f2fsfuse": "fuse", "f2fslabel": "label"}.get(program, program.split(".")[0])
    return glob.glob(os.path.join(TOP, folder, "*.[cd]*"))


@pytest.mark.parametrize("program", PAGES)
def test_messages_name_options_of_their_program(run_tool, program):
    """One of another program follows its name."""
    known = current_names(run_tool, program)
    others = [re.compile(r"(?<![\w.-])%s(?![\w.-])" % re.escape(other)) for other in PAGES if other != program]
    wrong = []
    for path in own_sources(program):
        if path.endswith("dump/history.c"):  # the view of an old name names it
            continue
        with open(path) as source:
            text = re.sub(r'"\s*\n\s*"', "", re.sub(r"/\*.*?\*/|(?m:^ *(?:OLD|RENAMED)\(.*$)", "", source.read(), flags=re.S))
        for string in re.findall(r'"((?:[^"\\\n]|\\.)*)"', text):
            if not any(other.search(string) for other in others):
                wrong += [(os.path.basename(path), name, string[:80]) for name in LONG.findall(string) if name not in known]
    assert not wrong


def test_completion_offers_all_options_and_no_old_ones(run_tool, build_dir):
    with open(os.path.join(build_dir, "completions", "f2fs")) as file:
        text = file.read()
    for program in PAGES:
        row = re.search(r"\t%s\)\n\t\toptions=(.*)\n" % re.escape(program), text)
        if not row:
            continue
        offered = {word[2:].rstrip("=") for word in row[1].strip("'").split() if word.startswith("--")}
        old = old_names(run_tool, program)
        assert listed(run_tool, program)[0] - {"dump-options"} - offered == set(old), program


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
