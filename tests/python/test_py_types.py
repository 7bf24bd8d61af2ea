# SPDX-License-Identifier: LGPL-2.1-or-later
"""Type hints: the package is strict, and a program that uses it sees the right types."""
import pathlib
import subprocess
import sys

import f2fskit
import pytest

PROGRAM = """
import csv
import hashlib
import io
import os
import uuid
from typing import IO, Any, BinaryIO, Iterator, Literal, Mapping, Protocol, TextIO, overload

import f2fskit


class Tree(Protocol):  # what importlib.resources.abc.Traversable asks for
    @property
    def name(self) -> str: ...
    def iterdir(self) -> "Iterator[Tree]": ...
    def read_bytes(self) -> bytes: ...
    def read_text(self, encoding: str | None = None, errors: str | None = None) -> str: ...
    def is_dir(self) -> bool: ...
    def is_file(self) -> bool: ...
    def joinpath(self, *descendants: str | os.PathLike[str]) -> "Tree": ...
    def __truediv__(self, child: str | os.PathLike[str]) -> "Tree": ...
    @overload
    def open(self, mode: Literal["r"] = "r", *, encoding: str | None = None, errors: str | None = None) -> IO[str]: ...
    @overload
    def open(self, mode: Literal["rb"]) -> IO[bytes]: ...


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
    x = volume.path("/x")
    p: TextIO = x.open()
    q: BinaryIO = x.open("rb")
    r: io.BufferedReader = x.open("rb")
    s: io.BufferedWriter = x.open("ab")
    t: io.BufferedRandom = x.open("r+b", -1)
    u: f2fskit.InodeIO = x.open("rb", buffering=0)
    v: BinaryIO = x.open("wb", 65536)
    w: Tree = x
    with x.open("rb") as y, x.open("rb", 0) as z, x.open("a", newline="") as table:
        hashes = hashlib.file_digest(y, "sha256"), hashlib.file_digest(z, "sha256")
        csv.writer(table).writerow([io.BufferedReader(z).read()])
    a_mode: str = "rb"
    b_mode: IO[Any] = x.open(a_mode)
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
    o: str = x.open("rb").read()
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
    for name, text, errors in (("right.py", PROGRAM, 0), ("wrong.py", WRONG, 4)):
        path = tmp_path / name
        path.write_text(text)
        done = mypy("--cache-dir", tmp_path / "cache", "--python-version", "3.11", path, env=search)
        found = [line for line in done.stdout.splitlines() if "error:" in line]
        assert len(found) == errors, done.stdout + done.stderr
        assert done.returncode == (1 if errors else 0)
