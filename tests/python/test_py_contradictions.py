# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments that cannot be meant are refused, and nothing is done."""
import io

import f2fskit
import pytest


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 128 << 20)
    return path


CALLS = {
    "resize to nothing": lambda path: f2fskit.resize(path, 0),
    "resize to less": lambda path: f2fskit.resize(path, -1, dry_run=True),
    "resize two ways": lambda path: f2fskit.resize(path, 96 << 20, minimum=True),
    "truncate no file": lambda path: f2fskit.resize(io.BytesIO(path.read_bytes()), minimum=True, truncate=True),
    "truncate several": lambda path: f2fskit.resize(path, minimum=True, truncate=True, devices=[path]),
    "only without repair": lambda path: f2fskit.check(path, only=["links"]),
    "only a wrong name": lambda path: f2fskit.check(path, dry_run=True, only=["foo"]),
    "except without repair": lambda path: f2fskit.check(path, except_="foo"),
    "except a wrong name": lambda path: f2fskit.check(path, dry_run=True, except_="foo"),
    "decide without repair": lambda path: f2fskit.check(path, decide=lambda problem: True),
    "undo without repair": lambda path: f2fskit.check(path, undo=path.with_name("undo")),
    "undo of a dry run": lambda path: f2fskit.check(path, repair=True, dry_run=True, undo=path.with_name("undo")),
    "cut at nothing": lambda path: f2fskit.check(path, dry_run=True, cut_at=0),
    "strict rescue": lambda path: f2fskit.open(path, mode="strict", rescue=True),
}


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_contradictions_are_refused(disk, call):
    before = disk.read_bytes()
    with pytest.raises(ValueError):
        call(disk)
    assert disk.read_bytes() == before and list(disk.parent.iterdir()) == [disk]


def test_what_goes_together(disk):
    undo = disk.with_name("undo")
    assert f2fskit.check(disk, repair=True, only="links", except_=["P604"], undo=undo).is_sound
    assert f2fskit.check(disk, dry_run=True, decide=lambda problem: True).is_sound
    assert f2fskit.resize(disk, minimum=True, truncate=True).new_bytes == disk.stat().st_size
    f2fskit.open(disk, mode="rescue", rescue=True).close()
