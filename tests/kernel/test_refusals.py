# SPDX-License-Identifier: LGPL-2.1-or-later
"""The reasons for which Linux refuses a volume or a file (refusals.toml). The test makes each damage. The kernel refuses it and our
check finds it. After our repair the kernel accepts the volume, and it reads the same files with the same bytes as before."""
import fnmatch
import os
import re
import shutil
import sys
import tomllib

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("campaign", "cases")]
import cases  # noqa: E402

with open(os.path.join(HERE, "refusals.toml"), "rb") as f:
    ROWS = tomllib.load(f)
DOES = {"mount", "access", "change", "dies"}
KEYS = {"at", "when", "does", "says", "finds", "rule", "image", "set", "left", "hurts", "moves", "strips", "work", "since", "never"}
MADE = [name for name, row in ROWS.items() if "never" not in row]
# Its superblock names devices by paths of the host.
NOT_ASKED = ("alias",)
UNRECOVERED = {"fsync-chain", "fsync-mixed"}
MOUNT_FAILS = re.compile(r"mount: E")


class Row:
    """One row: what our check and the kernel say of the damage and of the repair. damaged_view and repaired_view are what the
    kernel reads."""

    def __init__(self, name):
        row = ROWS[name]
        self.name, self.row = name, row
        self.case = cases.Case(name, "refusals", tuple(row["finds"]), image=row.get("image", "all"), set=tuple(row["set"]))
        self.damaged_said = self.repaired_said = self.repaired_view = None

    @property
    def is_asked(self):
        """Whether this kernel has the reason, and can be given the volume."""
        return "since" not in self.row and self.case.image not in NOT_ASKED

    def make(self, f2fskit, maker, folder):
        """Damage, check, repair, check; the volumes are saved for the kernel."""
        volume = cases.Broken(f2fskit, maker.paths(self.case.image), self.case)
        try:
            self.work = self.number(f2fskit, volume)
            self.found = self.check(f2fskit, volume)
            self.damaged = self.save(volume, folder, "damaged")
            volume.check(repair=True)
            self.second = self.check(f2fskit, volume)
            self.contents = volume.contents()
            self.repaired = self.save(volume, folder, "repaired")
        finally:
            volume.close()

    def number(self, f2fskit, volume):
        numbers = cases.Numbers(f2fskit, volume.files)
        try:
            return numbers.of(self.row["work"]) if "work" in self.row else None
        finally:
            numbers.close()

    @staticmethod
    def check(f2fskit, volume):
        """Return the names of a check's findings."""
        return {problem.name for problem in volume.check().problems if problem.severity}

    def save(self, volume, folder, what):
        import others

        paths = [str(folder / ("%s.%s.%d" % (self.name, what, i))) for i in range(len(volume.devices))]
        for device, path in zip(volume.devices, paths):
            others.save(device, path)
        return paths


@pytest.fixture(scope="module")
def made(f2fskit, run_tool, kernel, tmp_path_factory, request):
    """{name: Row}. The rows of all chosen tests are made at once, because one guest judges hundreds of volumes."""
    import kernel_judge

    folder, maker = tmp_path_factory.mktemp("refusals"), cases.Maker(run_tool, tmp_path_factory.mktemp("volumes"))
    chosen = [item.callspec.params["name"] for item in request.session.items if getattr(item, "originalname", "") == "test_row"]
    rows, asked, before = {name: Row(name) for name in chosen}, [], {}
    for row in rows.values():
        row.make(f2fskit, maker, folder)
        if row.case.image not in before:
            before[row.case.image] = Before(f2fskit, maker.paths(row.case.image), folder, row.case.image)
        row.before = before[row.case.image]
        if row.is_asked:
            asked.append((row, "damaged"))
        if row.case.image not in NOT_ASKED:
            asked.append((row, "repaired"))
    asked.sort(key=lambda pair: (pair[0].row.get("does") == "dies" and pair[1] == "damaged"))   # these end their guests
    whole = [(image, paths) for image in before.values() for paths in image.states]
    views = []
    said = kernel_judge.ask([paths for _, paths in whole] + [getattr(row, what) for row, what in asked], kernel=kernel,
                            works=[None] * len(whole) + [row.work for row, _ in asked], views=views)
    for (image, _), complaints, view in zip(whole, said, views):
        assert not complaints, (image.name, complaints)
        image.views += [view] if view else []
    for (row, what), complaints, view in zip(asked, said[len(whole):], views[len(whole):]):
        setattr(row, what + "_said", complaints)
        setattr(row, what + "_view", view)
    return rows


class Before:
    """An undamaged volume: its files, and what the kernel reads of it. After a crash these are two states: what the kernel
    recovers, and the last checkpoint, which a copy shows whose first fsynced node is no longer one."""

    def __init__(self, f2fskit, paths, folder, name):
        self.name, self.views, self.states = name, [], []
        self.contents, self.recovered = (contents(f2fskit, paths, recover=how) for how in ("none", "view"))
        if name not in NOT_ASKED:
            self.states.append(self.copy(paths, folder, ""))
        if name in UNRECOVERED:
            self.states.append(self.copy(paths, folder, ".checkpoint"))
            volume = cases.Broken(f2fskit, self.states[-1], cases.Case(
                name, "refusals", (), image=name, set=("raw node_at[{chain}].footer.cp_ver 0",)))
            try:
                for at, data in volume.changes():
                    with open(self.states[-1][0], "r+b") as file:
                        file.seek(at)
                        file.write(data)
            finally:
                volume.close()

    @staticmethod
    def copy(paths, folder, ending):
        return [str(shutil.copy(path, folder / (os.path.basename(path) + ending))) for path in paths]


def contents(f2fskit, paths, **options):
    context = f2fskit.Context()
    devices = [f2fskit.Device.open(path, context=context) for path in paths]
    try:
        return cases.contents(f2fskit, devices, **options)
    finally:
        for device in devices:
            device.close()


def is_refused(row):
    said = row.damaged_said
    if row.row["does"] == "mount" and not MOUNT_FAILS.match(said[0]):
        return False
    if row.row["does"] == "dies" and "the guest died" not in said:
        return False
    return any(re.search(row.row.get("says", ""), line) for line in said)


def not_allowed(row, paths):
    """Those of the paths that the row does not say are damaged or moved."""
    allowed = [*row.row.get("hurts", ()), *row.row.get("moves", ())]
    return [path for path in paths if not any(fnmatch.fnmatchcase(path, pattern) for pattern in allowed)]


def kernel_reads_otherwise(row):
    """Paths where the kernel reads something else after the repair: {path: (before, after)}."""
    before, after = row.before.views, row.repaired_view
    if not before or after is None:
        return {}
    found = {path: [view.get(path) for view in before] for path in {path for view in before for path in view}}
    return {path: (states, after.get(path)) for path, states in found.items()
            if not any(is_same(row, path, state, after.get(path)) for state in states)}


def is_same(row, path, before, after):
    """Whether a file is as before, except attributes of one that may lose some."""
    if before and after and path in row.row.get("strips", ()):
        left = {name: value for name, value in before["attributes"].items() if name in after["attributes"]}
        return {**before, "attributes": left} == after
    return before == after


@pytest.mark.parametrize("name", MADE)
def test_row(made, name):
    row = made[name]
    assert set(row.row["finds"]) <= row.found, "the check finds %s" % sorted(row.found)
    if row.is_asked:
        assert row.damaged_said and is_refused(row), row.damaged_said
    left = set(row.row.get("left", ()))
    assert row.second == left
    gone = [path for path, content in row.before.contents.items()
            if row.contents.get(path) not in (content, row.before.recovered.get(path))]
    assert not_allowed(row, gone) == []
    said = row.repaired_said or ()
    assert not (any(MOUNT_FAILS.match(line) for line in said) if left else said), said
    assert row.case.image in NOT_ASKED or row.repaired_said is None or row.repaired_view
    otherwise = kernel_reads_otherwise(row)
    assert {path: otherwise[path] for path in not_allowed(row, otherwise)} == {}


def test_rows_are_whole(f2fskit):
    """Each row has the keys that the head of the table lists, and names problems and rules that there are."""
    problems, rules = {info.name for info in f2fskit.problems}, set(f2fskit.rules)
    for name, row in ROWS.items():
        assert set(row) <= KEYS and row["at"] and row["when"], name
        assert row.get("rule", "NODE_NID") in rules, name
        if "never" in row:
            continue
        assert "since" in row or row["does"] in DOES, name
        assert row["finds"] and set(row["finds"]) <= problems, name
