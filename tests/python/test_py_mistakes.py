# SPDX-License-Identifier: LGPL-2.1-or-later
"""Mistakes that mypy --strict finds in programs that use the package: a row for each, with a right one beside it."""
import os
import pathlib
import re
import subprocess
import sys
import typing
import uuid

import f2fskit
import pytest
from f2fskit import enums

# (what is wrong, the statement, the same without the mistake). One that mypy cannot find has None in place of the latter.
MISTAKES = [
    # keywords
    ("keyword", 'f2fskit.mkfs(p, 1, lable="x")', 'f2fskit.mkfs(p, 1, label="x")'),
    ("keyword", "f2fskit.mkfs(p, 1, blocksize=4096)", "f2fskit.mkfs(p, 1, block_size=4096)"),
    ("keyword", "f2fskit.mkfs_plan(1, zone=True)", "f2fskit.mkfs_plan(1, zoned=True)"),
    ("keyword", 'f2fskit.mkfs_minimum_size(feature=["quota"])', 'f2fskit.mkfs_minimum_size(features=["quota"])'),
    ("keyword", 'f2fskit.populate_size("d", volume={"lable": "x"})', 'f2fskit.populate_size("d", volume={"label": "x"})'),
    ("keyword", 'v.populate("d", exclud=["x"])', 'v.populate("d", exclude=["x"])'),
    ("keyword", 'v.populate(tarfile="x.tar")', 'v.populate(tar="x.tar")'),
    ("keyword", 'v.extract("d", exsting="skip")', 'v.extract("d", existing="skip")'),
    ("keyword", "f2fskit.check(p, repiar=True)", "f2fskit.check(p, repair=True)"),
    ("keyword", "f2fskit.resize(p, 1, dryrun=True)", "f2fskit.resize(p, 1, dry_run=True)"),
    ("keyword", 'v.defrag(orders="tree")', 'v.defrag(order="tree")'),
    ("keyword", "f2fskit.open(p, recovery=True)", 'f2fskit.open(p, recover="view")'),
    ("keyword", "v.gc(policies=1)", 'v.gc(policy="greedy")'),
    # choices
    ("choice", 'f2fskit.open(p, "rw")', 'f2fskit.open(p, "r+")'),
    ("choice", 'f2fskit.open(p, mode="tolerent")', 'f2fskit.open(p, mode="tolerant")'),
    ("choice", 'f2fskit.open(p, recover="aply")', 'f2fskit.open(p, recover="apply")'),
    ("choice", "f2fskit.open(p, pack=3)", "f2fskit.open(p, pack=2)"),
    ("choice", 'v.extract("d", existing="overwrite")', 'v.extract("d", existing="replace")'),
    ("choice", 'v.extract("d", encrypted="row")', 'v.extract("d", encrypted="raw")'),
    ("choice", 'v.populate("d", existing="overwrite")', 'v.populate("d", existing="update")'),
    ("choice", 'f2fskit.mkfs(p, 1, features=["extra-attr"])', 'f2fskit.mkfs(p, 1, features=["extra_attr"])'),
    ("choice", "f2fskit.mkfs(p, 1, block_size=1024)", "f2fskit.mkfs(p, 1, block_size=16384)"),
    ("choice", 'v.defrag("paths")', 'v.defrag("tree")'),
    ("choice", 'v.gc(policy="gready")', 'v.gc(policy="greedy")'),
    ("choice", 'v.configure(logging="adaptiv")', 'v.configure(logging="adaptive")'),
    ("choice", 'v.quotas("users")', 'v.quotas("user")'),
    ("choice", 'v.root.digests("sha2")', 'v.root.digests("sha256")'),
    ("choice", 'v.root.compress("lz5")', 'v.root.compress("lz4")'),
    ("choice", 'v.segment_map("png")', 'v.segment_map("svg")'),
    ("choice", 'v.inodes(columns=["siz"])', 'v.inodes(columns=["size"])'),
    # types and units
    ("unit", 'f2fskit.mkfs(p, "64M")', "f2fskit.mkfs(p, 64 << 20)"),
    ("unit", "f2fskit.mkfs(p, 1, time=1.5)", "f2fskit.mkfs(p, 1, time=1_500_000_000)"),
    ("unit", "f2fskit.open(p, now=time.time())", "f2fskit.open(p, now=time.time_ns())"),
    ("unit", "v.root.set(mtime_ns=time.time())", "v.root.set(mtime_ns=time.time_ns())"),
    ("unit", 'f2fskit.resize(p, "1G")', "f2fskit.resize(p, 1 << 30)"),
    ("unit", 'v.populate("d", include="*.c")', 'v.populate("d", include=["*.c"])'),
    ("unit", 'v.populate("d", owner=0)', 'v.populate("d", owner=(0, 0))'),
    ("unit", 'v.populate("d", keep="times")', 'v.populate("d", keep=f2fskit.Keep.TIMES)'),
    ("unit", "f2fskit.open(42)", 'f2fskit.open(b"x")'),
    ("unit", 'f2fskit.mkfs(p, 1, uuid="00000000-0000-0000-0000-000000000001")', "f2fskit.mkfs(p, 1, uuid=uuid.uuid4())"),
    # fields and results
    ("field", "v.superblock.segment_count_mian", "v.superblock.segment_count_main"),
    ("field", "v.checkpoint.valid_blocks_count", "v.checkpoint.valid_block_count"),
    ("field", "v.root.i_szie", "v.root.i_size"),
    ("field", "v.root.stat().st_mtimens", "v.root.stat().st_mtime_ns"),
    ("field", "f2fskit.check(p).problem", "f2fskit.check(p).problems"),
    ("field", 'path.open("rb").read().encode()', 'path.open("rb").read().decode()'),
    ("field", 'path.open("rq")', None),
]
HEAD = 'import time\nimport uuid\n\nimport f2fskit\n\np = "disk.img"\nv = f2fskit.open(p)\npath = v.path("/x")\n'
ASKED = 42  # of 45


def mypy(folder, name, statements):
    (folder / name).write_text(HEAD + "".join(statement + "\n" for statement in statements))
    found = subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True)
    if found.returncode:
        pytest.skip("mypy is not installed for this interpreter")
    search = {"MYPYPATH": str(pathlib.Path(f2fskit.__file__).parents[1]), "PATH": os.environ["PATH"]}
    done = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--cache-dir", folder / "cache", name], cwd=folder,
                          env=search, capture_output=True, text=True)
    first = HEAD.count("\n") + 1
    lines = {int(match[1]) - first for match in re.finditer(rf"^{re.escape(name)}:(\d+): error:", done.stdout, re.M)}
    assert "error:" not in re.sub(rf"^{re.escape(name)}:.*$", "", done.stdout, flags=re.M), done.stdout
    return lines


def test_mistakes_are_found(tmp_path):
    lines = mypy(tmp_path, "wrong.py", [wrong for _, wrong, _ in MISTAKES])
    missed = [wrong for i, (_, wrong, right) in enumerate(MISTAKES) if right is not None and i not in lines]
    assert missed == []
    assert len(lines) >= ASKED and len(MISTAKES) >= 45
    assert len(lines) / len(MISTAKES) >= ASKED / 45
    assert {kind for i, (kind, _, _) in enumerate(MISTAKES) if i in lines} == {"keyword", "choice", "unit", "field"}


def test_the_right_statements_pass(tmp_path):
    assert mypy(tmp_path, "right.py", [right for _, _, right in MISTAKES if right]) == set()


def test_names_of_choices_are_those_that_are_taken():
    for kind in enums.NAMED:
        names = typing.get_args(getattr(enums, f"{kind.__name__}Name"))
        assert names and [enums.choose(kind, name) for name in names] == [kind.__members__[name.upper()] for name in names]
        with pytest.raises(ValueError):
            enums.choose(kind, "no such name")


def test_the_options_of_mkfs_are_one_list():
    import inspect

    from f2fskit import making

    wanted = making._Options.__init__.__kwdefaults__
    assert set(making.MkfsOptions.__annotations__) == set(wanted)
    for function in (f2fskit.mkfs, f2fskit.mkfs_plan, f2fskit.mkfs_minimum_size):
        kept = {name: one.default for name, one in inspect.signature(function).parameters.items() if name in wanted}
        assert kept == wanted
    assert "label" in str(inspect.signature(f2fskit.mkfs)) and "existing" in str(inspect.signature(f2fskit.Volume.populate))


def test_records_have_the_fields_of_the_format(volume):
    from f2fskit import records

    for structure in f2fskit.structs.values():
        kind = getattr(records, records.class_name(structure.name))
        found = structure.record(bytes(structure.size))
        assert type(found) is kind and issubclass(kind, f2fskit.Record)
        for name in structure.fields:
            getattr(found, name)
        with pytest.raises(AttributeError):
            found.no_such_field
    assert isinstance(volume.superblock, records.Superblock) and isinstance(volume.checkpoint, records.Checkpoint)
    assert isinstance(volume.root, records.InodeFields) and isinstance(volume.root.footer, records.NodeFooter)


def test_source_date_epoch(tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1600000000")
    then = 1_600_000_000 * 10**9
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"x")
    images = [tmp_path / "a.img", tmp_path / "b.img"]
    for image in images:
        same = {"uuid": uuid.UUID(int=1), "checkpoint_version": 1}
        assert f2fskit.mkfs(image, 64 << 20, **same).time == then
        with f2fskit.open(image, "r+") as volume:
            volume.populate(tmp_path / "tree")
            volume.path("/own").write_bytes(b"y")
            for name in ("/file", "/own"):
                assert volume.path(name).stat().st_mtime_ns == volume.path(name).stat().st_ctime_ns == then
        os.utime(tmp_path / "tree" / "file")
    assert images[0].read_bytes() == images[1].read_bytes()
    with f2fskit.open(images[0], "r+", now=then + 5) as volume:  # said by the program: that counts
        volume.path("/later").write_bytes(b"")
        assert volume.path("/later").stat().st_mtime_ns == then + 5
    assert f2fskit.mkfs(tmp_path / "c.img", 64 << 20, time=10**9).time == 10**9
    for wrong in ("yesterday", "-1", "1e9", str(1 << 63)):
        monkeypatch.setenv("SOURCE_DATE_EPOCH", wrong)
        with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH"):
            f2fskit.mkfs(tmp_path / "d.img", 64 << 20)
        with pytest.raises(ValueError, match="SOURCE_DATE_EPOCH"):
            f2fskit.open(images[0], "r+")
        f2fskit.open(images[0]).close()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "")
    assert f2fskit.mkfs(tmp_path / "e.img", 64 << 20).time > then
