# SPDX-License-Identifier: LGPL-2.1-or-later
"""Images as a file system of fsspec: chained, changed, at an earlier checkpoint, in other processes. fsspec's own suite
for all its file systems runs where the installed version has it."""
import concurrent.futures
import functools
import http.server
import multiprocessing
import pickle
import threading

import fsspec
import pytest

import f2fskit
from conftest import pattern
from f2fskit.fsspec_filesystem import F2FSFileSystem

fsspec.register_implementation("f2fs", F2FSFileSystem, clobber=True)

try:
    from fsspec.tests import abstract
except ImportError:  # before version 2023.3
    abstract = None

BIG = pattern(1, 3_000_000)
TREE = {"etc": {"passwd": "root:x:0:0\n"}, "big": BIG, "link": f2fskit.Entry(symlink="etc/passwd"),
        "dirlink": f2fskit.Entry(symlink="etc"), "dangling": f2fskit.Entry(symlink="nowhere")}


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.build(TREE, path, 64 << 20)
    return path


@pytest.fixture
def fs(disk):
    found = F2FSFileSystem(disk, "r+")
    yield found
    found.close()


def test_read(fs):
    assert fs.ls("/", detail=False) == ["/etc", "/big", "/link", "/dirlink", "/dangling"]
    kinds = {one["name"]: (one["type"], one["size"], one["islink"]) for one in fs.ls("f2fs://")}
    assert kinds == {"/etc": ("directory", 0, False), "/big": ("file", len(BIG), False), "/link": ("file", 11, True),
                     "/dirlink": ("link", 3, True), "/dangling": ("link", 7, True)}
    assert fs.find("/") == ["/big", "/dangling", "/dirlink", "/etc/passwd", "/link"] and fs.glob("/e*/pass*") == ["/etc/passwd"]
    assert fs.cat_file("/link") == b"root:x:0:0\n" and fs.ls("/dirlink", detail=False) == ["/dirlink/passwd"]
    assert fs.cat_file("/big", 10, 20) == BIG[10:20] and fs.cat_file("/big", -5) == BIG[-5:] and fs.cat_file("/big", 5, 2) == b""
    assert fs.cat(["/etc/passwd", "/big"]) == {"/etc/passwd": b"root:x:0:0\n", "/big": BIG}
    assert fs.isdir("/etc") and fs.isfile("/link") and not fs.exists("/none") and fs.du("/") > len(BIG)
    assert fs.checksum("/big") == fs.checksum("/big") != fs.checksum("/link")
    with pytest.raises(FileNotFoundError) as caught:
        fs.info("/none")
    assert caught.value.filename == "/none"


def test_files(disk):
    fs = F2FSFileSystem(disk)
    with fs.open("/big") as file:
        file.seek(-3, 2)
        assert file.read() == BIG[-3:] and file.size == len(BIG) and file.details["name"] == "/big"
        again = pickle.loads(pickle.dumps(file))
        again.seek(7)
        assert pickle.loads(pickle.dumps(again)).read(3) == BIG[7:10]
        again.fs.close()


def test_chains(disk):
    with fsspec.open(f"f2fs://etc/passwd::file://{disk}", "r") as file:
        assert file.read() == "root:x:0:0\n"
    with fsspec.open(f"f2fs://etc/passwd::{disk}", "rb") as file:
        assert file.read() == b"root:x:0:0\n"
    memory = fsspec.filesystem("memory")
    memory.pipe("/images/disk.img", disk.read_bytes())
    try:
        assert fsspec.open("f2fs://big::memory://images/disk.img").open().read() == BIG
        with fsspec.open("f2fs://etc/hostname::memory://images/disk.img", "wb", f2fs={"access": "r+"}) as file:
            file.write(b"here")
        changed = memory.cat("/images/disk.img")
        with f2fskit.open(bytearray(changed)) as volume:
            assert volume["/etc/hostname"].read_bytes() == b"here"
        assert f2fskit.check(bytearray(changed)).is_sound
    finally:
        memory.rm("/images", recursive=True)


class Ranges(http.server.SimpleHTTPRequestHandler):
    """Serves ranges, which Python's own handler does not."""

    served = 0

    def do_GET(self):
        with open(self.translate_path(self.path), "rb") as file:
            data = file.read()
        first, last = self.headers["Range"].removeprefix("bytes=").split("-")
        part = data[int(first) : int(last) + 1]
        Ranges.served += len(part)
        self.send_response(206)
        self.send_header("Content-Length", str(len(part)))
        self.send_header("Content-Range", f"bytes {first}-{int(first) + len(part) - 1}/{len(data)}")
        self.end_headers()
        self.wfile.write(part)

    def log_message(self, *arguments):
        pass


def test_http(disk):
    pytest.importorskip("aiohttp")
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Ranges, directory=disk.parent))
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        with fsspec.open(f"f2fs://etc/passwd::http://127.0.0.1:{server.server_port}/disk.img", "rb") as file:
            assert file.read() == b"root:x:0:0\n"
        assert 0 < Ranges.served < 8 << 20
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def committed(disk):
    with f2fskit.open(disk) as volume:
        return sorted(path for path, _ in volume.scan())


def test_each_change_is_committed(fs, disk):
    fs.pipe("/new/a", b"a")
    assert "/new/a" in committed(disk)
    with fs.open("/new/b", "w") as file:
        file.write("b")
        assert file.buffer.mode == "wb"
    assert fs.cat("/new/b") == b"b" and "/new/b" in committed(disk)
    with fs.open("/new/b", "ab") as file:
        file.write(b"c")
    fs.mv("/new/b", "/new/c")
    fs.cp_file("/new/c", "/new/d")
    fs.rm("/new/a")
    assert {path for path in committed(disk) if path.startswith("/new")} == {"/new", "/new/c", "/new/d"}
    assert fs.cat("/new/d") == b"bc"
    fs.rm("/new", recursive=True)
    fs.touch("/etc/passwd")
    assert "/new" not in committed(disk) and fs.cat("/etc/passwd") == b""
    with pytest.raises(FileExistsError):
        fs.mkdir("/etc")
    with pytest.raises(OSError):
        fs.rmdir("/none")
    fs.touch("/still/none") if fs.exists("/still") else fs.touch("/still")  # no failed change is in the way
    assert "/still" in committed(disk)


def test_transactions(fs, disk):
    before = committed(disk)
    with fs.transaction:
        fs.pipe("/a", b"a")
        with fs.open("/b", "wb") as file:
            file.write(b"b")
        fs.rm("/etc", recursive=True)
        assert committed(disk) == before
    assert {"/a", "/b"} < set(committed(disk)) and "/etc" not in committed(disk)
    with pytest.raises(RuntimeError):
        with fs.transaction:
            fs.rm("/a")
            fs.open("/c", "wb").write(b"c")
            raise RuntimeError
    assert "/a" in committed(disk) and fs.exists("/a") and not fs.exists("/c")
    fs.start_transaction()
    fs.rm("/a")
    assert "/a" in committed(disk)
    fs.end_transaction()
    assert "/a" not in committed(disk)
    fs.touch("/d")
    assert "/d" in committed(disk)


def test_reading_changes_nothing(disk):
    fs = F2FSFileSystem(str(disk))
    with pytest.raises(OSError):
        fs.pipe("/a", b"a")
    assert fs.cat("/etc/passwd") == b"root:x:0:0\n"
    fs.close()
    with pytest.raises(ValueError, match="no image is named"):
        F2FSFileSystem()
    with pytest.raises(FileNotFoundError):
        F2FSFileSystem(str(disk) + ".none")


def test_as_of(fs, disk):
    fs.pipe("/etc/passwd", b"changed")
    past = fsspec.filesystem("f2fs", fo=str(disk), as_of=-1)
    assert past.cat("/etc/passwd") == b"root:x:0:0\n"
    past.close()


def test_keys(fs, disk):
    key = bytes(range(64))
    f2fskit.mkfs(disk.parent / "secret.img", 64 << 20, features="encrypt")
    with f2fskit.open(disk.parent / "secret.img", "r+") as volume:
        volume["/safe"].mkdir()
        volume["/safe"].inode().encrypt(volume.add_key(key))
        volume["/safe/f"].write_bytes(b"secret")
    assert F2FSFileSystem(disk.parent / "secret.img", keys=[key]).cat("/safe/f") == b"secret"
    assert not F2FSFileSystem(disk.parent / "secret.img").exists("/safe/f")


def read_big(fs):
    return len(fs.cat("/big"))


def test_other_processes(disk):
    fs = pickle.loads(pickle.dumps(F2FSFileSystem(str(disk))))
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        assert list(pool.map(read_big, [fs])) == [len(BIG)]


if abstract is not None:

    class Fixtures(abstract.AbstractFixtures):
        @pytest.fixture
        def fs(self):
            with f2fskit.Device.memory(64 << 20) as device:
                f2fskit.mkfs(device)
                found = F2FSFileSystem(device, "r+")
                yield found
                found.close()
                assert f2fskit.check(device).is_sound

        @pytest.fixture
        def fs_path(self):
            return "/"

    class TestCopy(abstract.AbstractCopyTests, Fixtures):
        pass

    class TestGet(abstract.AbstractGetTests, Fixtures):
        pass

    class TestPut(abstract.AbstractPutTests, Fixtures):
        pass

    if hasattr(abstract, "AbstractOpenTests"):

        class TestOpen(abstract.AbstractOpenTests, Fixtures):
            pass

        class TestPipe(abstract.AbstractPipeTests, Fixtures):
            pass
