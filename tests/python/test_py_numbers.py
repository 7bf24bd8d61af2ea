# SPDX-License-Identifier: LGPL-2.1-or-later
"""Arguments of the wrong kind: one kind of exception for a number that cannot be, and its name in the message."""
import pathlib
import stat

import f2fskit
import pytest


@pytest.fixture(scope="module")
def original(tmp_path_factory):
    path = tmp_path_factory.mktemp("numbers") / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "project_quota", "compression", "verity", "quota", "encrypt"])
    with f2fskit.open(path, "r+") as volume:
        volume.path("/4").write_bytes(b"four")
        volume.path("/None").mkdir()
    return path


@pytest.fixture
def volume(original, tmp_path):
    path = tmp_path / "disk.img"
    path.write_bytes(original.read_bytes())
    with f2fskit.open(path, "r+") as volume:
        yield volume


def file(volume):
    return volume.lookup("/4")


# name: (parameter, call with a number that is wrong)
NUMBERS = {
    "gc sections": ("sections", lambda v, n: v.gc(sections=n)),
    "gc free": ("free", lambda v, n: v.gc(free=n)),
    "gc blocks": ("blocks", lambda v, n: v.gc(blocks=n)),
    "gc bytes": ("bytes_written", lambda v, n: v.gc(bytes_written=n)),
    "gc seconds": ("seconds", lambda v, n: v.gc(seconds=n)),
    "gc limit": ("used_limit", lambda v, n: v.gc(used_limit=n)),
    "set_gc": ("used_limit", lambda v, n: v.set_gc(used_limit=n)),
    "defrag blocks": ("blocks", lambda v, n: v.defrag(blocks=n)),
    "defrag seconds": ("seconds", lambda v, n: v.defrag(seconds=n)),
    "defrag free": ("free", lambda v, n: v.defrag(free=n)),
    "defrag part": ("offset", lambda v, n: v.defrag("list", parts=[("/4", n, 0)])),
    "defrag_range start": ("start", lambda v, n: v.defrag_range(n, 1, 1)),
    "defrag_range target": ("target", lambda v, n: v.defrag_range(1, 1, n)),
    "fragmentation": ("small_bytes", lambda v, n: v.fragmentation(small_bytes=n)),
    "resize size": ("size", lambda v, n: f2fskit.resize(f2fskit.Device.memory(1 << 20), n)),
    "resize offset": ("offset", lambda v, n: f2fskit.resize(f2fskit.Device.memory(1 << 20), offset=n)),
    "check offset": ("offset", lambda v, n: f2fskit.check(f2fskit.Device.memory(1 << 20), offset=n)),
    "check findings": ("max_findings", lambda v, n: f2fskit.check(f2fskit.Device.memory(1 << 20), max_findings=n)),
    "open offset": ("offset", lambda v, n: f2fskit.open(bytearray(1 << 20), offset=n)),
    "open cache": ("cache_bytes", lambda v, n: f2fskit.open(bytearray(1 << 20), cache_bytes=n)),
    "mkfs": ("segs_per_sec", lambda v, n: f2fskit.mkfs_plan(64 << 20, segs_per_sec=n)),
    "memory": ("size", lambda v, n: f2fskit.Device.memory(n)),
    "chmod": ("mode", lambda v, n: v.path("/4").chmod(n)),
    "mkdir": ("mode", lambda v, n: v.path("/new").mkdir(n)),
    "touch": ("mode", lambda v, n: v.path("/new").touch(n)),
    "create": ("mode", lambda v, n: v.root.create("new", n)),
    "create uid": ("uid", lambda v, n: v.root.create("new", uid=n)),
    "chown uid": ("uid", lambda v, n: v.path("/4").chown(n)),
    "chown gid": ("gid", lambda v, n: v.path("/4").chown(gid=n)),
    "set projid": ("projid", lambda v, n: file(v).set(projid=n)),
    "set flags": ("flags", lambda v, n: file(v).set(flags=n)),
    "pwrite": ("offset", lambda v, n: file(v).pwrite(b"x", n)),
    "pwrite_atomic": ("offset", lambda v, n: file(v).pwrite_atomic([(n, b"x")])),
    "truncate": ("size", lambda v, n: file(v).truncate(n)),
    "fallocate": ("length", lambda v, n: file(v).fallocate(0, n)),
    "compress": ("level", lambda v, n: file(v).compress("zstd", n)),
    "verity": ("block_size", lambda v, n: file(v).enable_verity(block_size=n)),
    "read_raw": ("offset", lambda v, n: file(v).read_raw(n, 1)),
    "extent": ("file_block", lambda v, n: file(v).extent(n)),
    "block_addr": ("file_block", lambda v, n: file(v).block_addr(n)),
    "inode": ("ino", lambda v, n: v.inode(n)),
    "inode_at": ("addr", lambda v, n: v.inode_at(n)),
    "past": ("ino", lambda v, n: v.past(n)),
    "past segments": ("max_segments", lambda v, n: v.past(max_segments=n)),
    "versions": ("ino", lambda v, n: v.versions(n)),
    "carve": ("max_size", lambda v, n: v.carve(max_size=n)),
    "node": ("nid", lambda v, n: v.node(n)),
    "identify": ("addr", lambda v, n: v.identify(n)),
    "nat": ("start", lambda v, n: list(v.nat.used(n))),
    "volume read": ("length", lambda v, n: v.read_raw(n, 0)),
    "trim": ("minimum", lambda v, n: v.trim(n)),
    "elapse": ("seconds", lambda v, n: v.elapse(n)),
    "logs": ("logs", lambda v, n: v.configure(logs=n)),
    "quota": ("id", lambda v, n: v.set_quota("user", n, inodes_soft=1)),
    "quota limit": ("inodes_hard", lambda v, n: v.set_quota("user", 1, inodes_hard=n)),
    "extract": ("max_bytes", lambda v, n: v.extract("/nowhere", max_bytes=n)),
    "owner": ("uid", lambda v, n: v.populate("/nowhere", owner=(n, 0))),
}


@pytest.mark.parametrize("number", [-1, 1 << 64])
def test_numbers_that_cannot_be(volume, number):
    for what, (name, call) in NUMBERS.items():
        with pytest.raises(ValueError) as caught:
            call(volume, number)
        assert name in str(caught.value), what
        assert volume.transaction.name != "FAILED", what
    assert volume.read_bytes("/4") == b"four" and volume.path("/4").stat().st_mode == stat.S_IFREG | 0o644


TYPES = {
    "lookup a number": lambda v: v.lookup(4),
    "lookup nothing": lambda v: v.lookup(None),
    "read a number": lambda v: v.read_bytes(4),
    "path of a number": lambda v: v.path(4),
    "walk a number": lambda v: list(v.walk(4)),
    "entry of a number": lambda v: v.root.entry(4),
    "create a number": lambda v: v.root.create(4),
    "link to a number": lambda v: v.path("/new").symlink_to(4),
    "extract a number": lambda v: v.extract("/nowhere", paths=[4]),
    "extract like nothing": lambda v: v.extract("/nowhere", include=[None]),
    "fragments of a number": lambda v: v.fragmentation([4]),
    "populate a number": lambda v: v.populate("/nowhere", target=4),
    "defrag a number": lambda v: v.defrag(paths=[4]),
    "attribute of a number": lambda v: file(v).xattrs.__setitem__(4, b""),
    "attribute that is a number": lambda v: file(v).xattrs.__setitem__("user.a", 4),
    "gc of text": lambda v: v.gc(sections="4"),
    "chmod text": lambda v: v.path("/4").chmod("644"),
}


def test_types_that_cannot_be(volume):
    for what, call in TYPES.items():
        with pytest.raises(TypeError):
            print(what, call(volume))
    for call in (lambda: file(volume).pwrite("x", 0), lambda: file(volume).pwrite_atomic([(0, "x")]), lambda: volume.add_key("k" * 16),
                 lambda: f2fskit.Device.memory(4096).write(0, "x"), lambda: file(volume).xattrs.__setitem__("user.a", "x"),
                 lambda: file(volume).open("r+b").write("x"), lambda: file(volume).enable_verity(salt="x")):
        with pytest.raises(TypeError, match="bytes-like"):
            call()
    assert volume.read_bytes("/4") == b"four" and not dict(file(volume).xattrs)


def test_paths(volume):
    for empty in ("", b""):
        with pytest.raises(f2fskit.NotFoundError):
            volume.lookup(empty)
    root = volume.root.number
    for path in ("/", ".", b"/", pathlib.PurePath(), pathlib.PurePosixPath("/"), volume.path(), volume.path("")):
        assert volume.lookup(path).number == root
    assert {volume.lookup(path).number for path in ("/4", b"4", pathlib.PurePath("4"), volume.path("4"))} == {file(volume).number}


def test_modes(volume):
    for mode in (0o1234567, 1 << 16, -1):
        for call in (volume.path("/4").chmod, volume.path("/new").mkdir, volume.path("/new").touch):
            with pytest.raises(ValueError, match="mode"):
                call(mode)
    volume.path("/4").chmod(stat.S_IFREG | 0o4711)  # as os.stat() has it
    assert volume.path("/4").stat().st_mode == stat.S_IFREG | 0o4711 and not volume.path("/new").exists()


def test_reading_more_than_there_is(volume, capfd):
    inode = file(volume)
    with inode.open() as raw:
        assert raw.read(1 << 45) == b"four" and raw.read(1 << 45) == b"" and raw.read() == b""
        raw.seek(1)
        assert raw.read(2) == b"ou" and raw.read(0) == b"" and raw.read(None) == b"r"
        raw.seek(1 << 40)
        assert raw.read(5) == b""
    with volume.path("/4").open("rb", buffering=0) as raw:
        assert raw.read(1 << 62) == b"four"
    with volume.path("/4").open("wb", buffering=0) as raw, pytest.raises(OSError):
        raw.read(1)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("arguments, options, kind, words", [
    (("64M",), {}, f2fskit.NotFoundError, "there is no 64M: mkfs.path, size. makes"),
    (("x", "64M"), {}, TypeError, "size is a number of bytes .* not '64M'"),
    (("x", 64.5), {}, TypeError, "size is a number of bytes .* not 64.5"),
    (("x", 64 << 20), {"lable": "x"}, TypeError, "unexpected keyword argument .lable."),
    (("x", 64 << 20), {"label": b"x"}, TypeError, "label is text .str., not bytes"),
    (("x", 64 << 20), {"features": [b"encrypt"]}, TypeError, "a feature's name is text .str., not bytes"),
    (("x", 100), {}, f2fskit.NospcError, "^100 bytes are too small: the smallest size with these options is 48234496"),
    (("x", 64 << 20), {"features": ["encrpt"]}, f2fskit.InvalidError, "unknown feature: encrpt; there are encrypt, .*packed_ssa"),
    (("x", 64 << 20), {"cold_extensions": "mp3"}, TypeError, "cold_extensions is a list of text .str., not str")])
def test_what_mkfs_does_not_take_says_what_it_takes(tmp_path, monkeypatch, arguments, options, kind, words):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(kind, match=words):
        f2fskit.mkfs(*arguments, **options)
    assert not list(tmp_path.iterdir())
