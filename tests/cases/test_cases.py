# SPDX-License-Identifier: LGPL-2.1-or-later
"""A case for each problem: one damage, all problems that follow from it and no others, a repair that leaves nothing, and
unchanged other files.

A table of the .toml files is a case. Its keys:

    image       a volume of images.toml (the one called all)
    set         fields that are overwritten, "ADDRESS VALUE"; checksums are made right, after "raw " they are not
    unreadable  block that cannot be read
    end         number of blocks after which the image ends
    finds       problems that a check finds: no others, unless also = true
    left        those of them that a repair cannot make right
    hurts       files (patterns of paths) whose contents are lost or changed; all others are as before
    moves       files that are found again somewhere else
    accepts     a repair with accept_unread drops unreadable blocks
    fails       error of a repair that is not possible, and leaves all as it is
    frozen      a repair changes nothing

without.toml lists the problems that have no case, and why.
"""
import fnmatch
import json
import os

import pytest

import cases

CASES = cases.load()
GIVES_UP_FILES = [name for name, case in CASES.items() if {"NODE_UNREADABLE", "DIR_UNREADABLE"} & set(case.finds)]
OF_ONE_FILE = [name for name, case in CASES.items() if not case.unreadable and not case.end]


@pytest.fixture(scope="session")
def maker(run_tool, tmp_path_factory):
    return cases.Maker(run_tool, tmp_path_factory.mktemp("cases"))


@pytest.fixture(scope="session")
def intact(maker, f2fskit):
    """intact(image): its contents, before any damage."""
    known = {}

    def look(image):
        if image not in known:
            context = f2fskit.Context()
            devices = [f2fskit.Device.open(path, context=context) for path in maker.paths(image)]
            known[image] = cases.contents(f2fskit, devices)
            for device in devices:
                device.close()
        return known[image]
    return look


@pytest.fixture
def broken(maker, f2fskit):
    """broken(case): the volume with its damage."""
    made = []

    def make(case):
        made.append(cases.Broken(f2fskit, maker.paths(case.image), case))
        return made[-1]
    yield make
    for one in made:
        one.close()


def matches(case, found):
    return set(case.finds) <= found if case.also else set(case.finds) == found


def fits(patterns, paths):
    """Each path fits a pattern, and each pattern a path."""
    return all(any(fnmatch.fnmatchcase(path, p) for p in patterns) for path in paths) and \
        all(any(fnmatch.fnmatchcase(path, p) for path in paths) for p in patterns)


@pytest.mark.parametrize("name", CASES)
def test_case(broken, intact, f2fskit, name):
    case = CASES[name]
    volume = broken(case)
    found = volume.check()
    assert matches(case, {p.name for p in found.problems}), [(p.name, p.message) for p in found.problems]
    if case.fails:
        with pytest.raises(getattr(f2fskit, case.fails)):
            volume.check(repair=True)
        assert volume.check().problems == found.problems
        return
    if case.frozen:
        assert volume.check(repair=True).fixed == 0 and volume.check().problems == found.problems
        return
    repaired, second = volume.check(repair=True, accept_unread=case.accepts), volume.check()
    left = {p.name for p in second.problems if p.severity}
    assert left == set(case.left), [(p.name, p.message) for p in second.problems]
    assert (repaired.left == 0) == (not left) and (second.state.name == "SOUND") == (not left)
    before, after = intact(case.image), volume.contents()
    gone, values = [path for path, content in before.items() if after.get(path) != content], set(after.values())
    hurt, moved = ([path for path in gone if (before[path] in values) == is_there] for is_there in (False, True))
    assert fits(case.hurts, hurt) and fits(case.moves, moved), (hurt, moved)


@pytest.mark.parametrize("name", GIVES_UP_FILES)
def test_what_cannot_be_read_is_not_taken_for_lost(broken, f2fskit, name):
    """It may come back: nothing is written, so all is there then."""
    volume = broken(CASES[name])
    before = volume.changes()
    report = volume.check(repair=True)
    assert report.fixed == 0 and report.left == report.found > 0 and report.state.name == "LEFT"
    assert volume.changes() == before


@pytest.mark.parametrize("name", OF_ONE_FILE)
def test_program(run_tool, maker, broken, name):
    """Run fsck.f2fs -n: return its findings, and check that it would repair them (after recovering from a crash)."""
    case, (image, *further) = CASES[name], maker.paths(CASES[name].image)
    options = ["--content", "--json", *(word for path in further for word in ("--device", path))]

    def run(what):
        done = run_tool("fsck.f2fs", what, *options, image, rc=None)
        report = json.loads(done.stdout)
        assert done.returncode == (4 if report["found"] else 0)
        return report
    with cases.in_place(image, broken(case).changes()):
        report, repair = run("-n"), run("--dry-run")
    assert matches(case, {p["name"] for p in report["problems"]}), [p["message"] for p in report["problems"]]
    assert (repair["found"] == repair["fixed"]) == (not case.left and not case.frozen)


def test_every_problem_has_a_case(f2fskit):
    """Or stands in without.toml, with a test that it names and that names it."""
    shown = {name for case in CASES.values() for name in case.finds}
    without = cases.load_table("without.toml")
    names = {info.name for info in f2fskit.problems}
    assert not names - shown - set(without), "no case"
    assert not shown - names, "no such problem"
    assert not set(without) - (names - shown), "in without.toml for no reason"
    for name, row in without.items():
        with open(os.path.join(cases.HERE, "..", row["test"])) as f:
            assert name in f.read(), "%s does not test %s" % (row["test"], name)
        assert row["why"]


def test_every_rule_that_is_a_problem_has_a_case():
    """lib/facts/rule_problems.def: each of its problems has one."""
    shown = {name for case in CASES.values() for name in case.finds}
    with open(os.path.join(cases.HERE, "..", "..", "lib", "facts", "rule_problems.def")) as f:
        rows = [line[len("RULE_PROBLEM("):].rstrip(")\n").split(", ") for line in f if line.startswith("RULE_PROBLEM(")]
    assert rows and {problem for _, problem in rows} <= shown
