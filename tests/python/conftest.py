# SPDX-License-Identifier: LGPL-2.1-or-later
"""The Python module from the build directory, and small images to read."""
import gc
import hashlib
import os
import pathlib
import shutil
import signal
import subprocess
import sys

import pytest

TOP = pathlib.Path(__file__).resolve().parents[2]
BUILD = pathlib.Path(os.environ.get("F2FSKIT_BUILD") or TOP / "build")
PEERS = os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin"

if not os.environ.get("F2FSKIT_INSTALLED"):
    sys.path.insert(0, str(BUILD / "python"))
    extension = BUILD / "python/f2fskit/_f2fskit.abi3.so"
    if not extension.exists():
        pytest.skip(f"the Python module is not built: no {extension}", allow_module_level=True)
import f2fskit  # noqa: E402


@pytest.fixture(scope="session")
def top():
    """The source tree."""
    return TOP


def held():
    """(blocks of the library's memory, without those of idle contexts; file objects) that are in use."""
    from f2fskit import _core

    gc.collect()
    # pytest may still hold the closed volume of the fixture: its context is one block
    cores = [core for core in _core._cores if core.context is not None]
    return _core.lib.f2fskit_host_live_total() - len(cores), sum(len(core.hooks.sources) for core in cores)


@pytest.fixture
def sigint():
    """Ctrl-C raises KeyboardInterrupt, also in a job that a shell has put into the background, which ignores it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture(autouse=True)
def no_leaks(request):
    """Every test gives back all memory of the library and all file objects. (A failed one is held by its traceback.)"""
    before = held()
    failed = request.session.testsfailed
    yield
    if request.session.testsfailed == failed:
        assert held() <= before, "blocks of memory and file objects in use"


def program(name):
    """The path of a program of f2fs-tools; its absence skips the test."""
    found = shutil.which(name, path=PEERS)
    if not found:
        pytest.skip(f"{name} of f2fs-tools is not installed")
    return found


def pattern(seed, size):
    """Bytes that are the same in every run and never repeat within a block."""
    return hashlib.shake_128(str(seed).encode()).digest(size)


def make_tree(folder):
    """Fill a folder with what sload.f2fs can put into an image; return {path: contents, target or None}."""
    truth = {"/": None}

    def add(path, contents):
        truth[path] = contents
        where = folder / path[1:]
        if contents is None:
            where.mkdir()
        elif isinstance(contents, str):
            where.symlink_to(contents)
        else:
            with open(os.fsencode(where), "wb") as file:
                file.write(contents)

    add("/empty", b"")
    add("/tiny.txt", b"hello, f2fs\n")
    add("/text.txt", "grüße\nzweite Zeile\n".encode())
    add("/medium.bin", pattern(1, 100_001))
    add("/large.bin", pattern(2, 5_000_000))
    add("/holes.bin", bytes(4096 * 3) + pattern(3, 4096) + bytes(4096 * 20) + b"end")
    add("/dir", None)
    add("/dir/sub", None)
    add("/dir/sub/deep.txt", b"deep\n")
    add("/dir/a.conf", b"a=1\n")
    add("/dir/b.conf", b"b=2\n")
    add("/dir/b.txt", b"text\n")
    add("/dir/.hidden", b"")
    add("/many", None)
    for i in range(700):
        add(f"/many/file-{i:04d}", b"%d" % i)
    add("/umlaut-äöü", b"utf-8\n")
    add(os.fsdecode(b"/latin-\xe4\xff"), b"latin-1\n")
    add("/" + "n" * 255, b"long name\n")
    add("/link", "dir/sub/deep.txt")
    add("/dirlink", "dir")
    add("/dangling", "nowhere")
    add("/loop", "loop")
    add("/absolute", "/dir/a.conf")
    add("/longlink", "x" * 3000)
    return truth


class Image:
    """An image and its contents."""

    def __init__(self, path, truth):
        self.path = path
        self.truth = truth


@pytest.fixture(scope="session")
def image(tmp_path_factory):
    """An image of 100 MiB that f2fs-tools formatted and filled; not to be changed."""
    folder = tmp_path_factory.mktemp("image")
    source = folder / "tree"
    source.mkdir()
    truth = make_tree(source)
    path = folder / "disk.img"
    with open(path, "wb") as file:
        file.truncate(100 << 20)
    subprocess.run([program("mkfs.f2fs"), "-q", "-f", "-l", "tiny ümlaut", path], check=True, stdout=subprocess.DEVNULL)
    done = subprocess.run([program("sload.f2fs"), "-f", source, path], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    assert done.returncode in (0, 1), done.stdout.decode(errors="replace")  # 1 is its normal success
    return Image(path, truth)


@pytest.fixture
def volume(image):
    """The image, open."""
    with f2fskit.open(image.path) as volume:
        yield volume
