# SPDX-License-Identifier: LGPL-2.1-or-later
"""Type hints: the package is strict, and a program that uses it sees the right types."""
import pathlib
import subprocess
import sys

import f2fskit
import pytest

PROGRAM = """
import io
import uuid
from typing import Mapping

import f2fskit

with f2fskit.open("disk.img", mode="strict") as volume:
    a: int = volume.nat[3].block_addr
    b: list[f2fskit.NatEntry] = volume.nat[3:5]
    c: memoryview = volume.sit.buffer()
    d: uuid.UUID = volume.uuid
    e: f2fskit.FileType = next(volume.root.iterdir()).type
    f: io.RawIOBase = volume.lookup("/x", follow=True).open()
    g: Mapping[str, bytes] = volume.root.xattrs
    h: str = (volume.path("/") / "x").read_text()
    i: int = volume.root.stat().st_mtime_ns
    j: f2fskit.Feature = f2fskit.Feature.COMPRESSION | f2fskit.Feature.VERITY
    try:
        pass
    except f2fskit.CorruptError as error:
        k: OSError = error
        m: str | None = error.rule
"""
WRONG = PROGRAM + """
    n: str = volume.nat[3].block_addr
    volume.no_such_method()
    f2fskit.Feature.NO_SUCH_FEATURE
"""


def mypy(*arguments, **options):
    try:
        return subprocess.run([sys.executable, "-m", "mypy", "--strict", *map(str, arguments)], capture_output=True,
                              text=True, **options)
    except OSError:
        pytest.skip("no mypy")


@pytest.fixture(autouse=True)
def need_mypy():
    if subprocess.run([sys.executable, "-m", "mypy", "--version"], capture_output=True).returncode:
        pytest.skip("mypy is not installed for this interpreter")


def test_package_is_strict(top, tmp_path):
    done = mypy("--cache-dir", tmp_path, top / "python", cwd=top)
    assert done.returncode == 0, done.stdout + done.stderr


def test_users_see_types(tmp_path):
    assert (pathlib.Path(f2fskit.__file__).parent / "py.typed").exists()
    search = {"MYPYPATH": str(pathlib.Path(f2fskit.__file__).parents[1]), "PATH": "/usr/bin:/bin"}
    for name, text, errors in (("right.py", PROGRAM, 0), ("wrong.py", WRONG, 3)):
        path = tmp_path / name
        path.write_text(text)
        done = mypy("--cache-dir", tmp_path / "cache", "--python-version", "3.11", path, env=search)
        found = [line for line in done.stdout.splitlines() if "error:" in line]
        assert len(found) == errors, done.stdout + done.stderr
        assert done.returncode == (1 if errors else 0)
