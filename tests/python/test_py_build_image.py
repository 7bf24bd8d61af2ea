# SPDX-License-Identifier: LGPL-2.1-or-later
"""build(): images from dictionaries, entries, directories and archives in one call, in memory or a file."""
import io
import os
import stat
import tarfile
import uuid

import f2fskit
import pytest
from conftest import pattern
from f2fskit import Entry, build

BIG = pattern(7, 300_000)
THEN = 1_600_000_000_123_456_789
SAME = {"uuid": uuid.UUID(int=7), "checkpoint_version": 1, "time": THEN}


def shown(volume):
    """Return the entries of a volume: {path: (mode, owner, contents or target)}."""
    found = {}
    for path, entry in volume.scan():
        inode = entry.inode()
        status = inode.stat()
        what = inode.read_bytes() if inode.is_file() else inode.readlink() if inode.is_symlink() else status.st_rdev
        found[path] = stat.filemode(status.st_mode), (status.st_uid, status.st_gid), what
    return found


TREE = {
    "etc": {"hostname": "grüße\n", "rc": Entry(contents=b"#!", mode=0o755, owner=(1, 2), time=THEN, xattrs={"user.x": b"\0\xff="}),
            "link": Entry(symlink="../big")},
    "big": BIG,
    "deep/er/file": bytearray(b"below"),
    "hard": Entry(hardlink="/big"),
    "null": Entry(mode=stat.S_IFCHR | 0o666, device=os.makedev(1, 3)),
    "pipe": Entry(mode=stat.S_IFIFO | 0o600),
    "empty": {},
    "latin-\udce4": memoryview(b"bytes"),
}
WANTED = {
    "/etc": ("drwxr-xr-x", (0, 0), 0), "/etc/hostname": ("-rw-r--r--", (0, 0), "grüße\n".encode()),
    "/etc/rc": ("-rwxr-xr-x", (1, 2), b"#!"), "/etc/link": ("lrwxrwxrwx", (0, 0), "../big"), "/big": ("-rw-r--r--", (0, 0), BIG),
    "/deep": ("drwxr-xr-x", (0, 0), 0), "/deep/er": ("drwxr-xr-x", (0, 0), 0), "/deep/er/file": ("-rw-r--r--", (0, 0), b"below"),
    "/hard": ("-rw-r--r--", (0, 0), BIG), "/null": ("crw-rw-rw-", (0, 0), os.makedev(1, 3)), "/pipe": ("prw-------", (0, 0), 0),
    "/empty": ("drwxr-xr-x", (0, 0), 0), "/latin-\udce4": ("-rw-r--r--", (0, 0), b"bytes"),
}


def test_dictionary(tmp_path):
    (tmp_path / "host").write_bytes(b"of the host")
    with build({**TREE, "host": tmp_path / "host"}) as device:
        assert isinstance(device, f2fskit.MemoryDevice) and f2fskit.check(device).is_sound
        with f2fskit.open(device) as volume:
            assert shown(volume) == {**WANTED, "/host": ("-rw-r--r--", (0, 0), b"of the host")}
            rc = volume.path("/etc/rc")
            assert rc.stat().st_mtime_ns == THEN and dict(rc.xattrs) == {"user.x": b"\0\xff="}
            assert volume.path("/hard").stat().st_ino == volume.path("/big").stat().st_ino


def test_size_is_the_smallest_or_as_given(tmp_path):
    with build(TREE) as device:
        least = device.size
        assert least == f2fskit.mkfs_minimum_size() or least < 64 << 20
    with build(TREE, size=100 << 20) as device:
        assert device.size == 100 << 20
    with pytest.raises(f2fskit.NospcError):
        build({"too big": bytes(300 << 20)}, size=64 << 20)
    with build({"big": pattern(1, 150 << 20)}) as device, f2fskit.open(device) as volume:
        assert volume.path("/big").stat().st_size == 150 << 20 and device.size < 300 << 20


def test_the_same_source_makes_the_same_bytes(tmp_path):
    images = [tmp_path / "a.img", tmp_path / "b.img"]
    for image in images:
        assert build(TREE, image, volume=dict(SAME), time=THEN).uuid == SAME["uuid"]
    assert images[0].read_bytes() == images[1].read_bytes()


def test_entries_in_any_order_of_directories():
    entries = (Entry(f"many/{i}", str(i)) for i in range(50))
    with build(entries) as device, f2fskit.open(device) as volume:
        assert len(list(volume.scan())) == 51
    entries = [Entry("a/b", b"x"), Entry("a", is_dir=True, mode=0o700), Entry("/", is_dir=True, mode=0o711)]
    with build(entries) as device, f2fskit.open(device) as volume:
        assert volume.path("/a").stat().filemode == "drwx------" and volume.root.stat().filemode == "drwx--x--x"


def test_directory_and_archives(tmp_path):
    top = tmp_path / "top"
    (top / "sub").mkdir(parents=True)
    (top / "sub" / "file").write_bytes(BIG)
    archive = tmp_path / "top.tar.gz"
    with tarfile.open(archive, "w:gz") as tar:
        tar.add(top, ".")
    for source in (top, str(archive), io.BytesIO(archive.read_bytes())):
        for size in (None, 64 << 20):
            if hasattr(source, "seek"):
                source.seek(0)
            with build(source, size=size, owner=(5, 6)) as device, f2fskit.open(device) as volume:
                assert volume.read_bytes("/sub/file") == BIG and volume.path("/sub/file").stat()[4:6] == (5, 6)
    with build(top, exclude=["sub"]) as device, f2fskit.open(device) as volume:
        assert list(volume.scan()) == []


def test_targets(tmp_path):
    image = tmp_path / "disk.img"
    made = build(TREE, image, volume={"label": "made", "features": ["extra_attr"]})
    assert made.layout.geometry.feature & f2fskit.Feature.EXTRA_ATTR
    with f2fskit.open(image) as volume:
        assert shown(volume) == WANTED and volume.label == "made"
    with pytest.raises(f2fskit.ExistsError):
        build(TREE, image)
    build({"other": b""}, image, overwrite=True)
    with f2fskit.open(image) as volume:
        assert list(shown(volume)) == ["/other"]
    with f2fskit.Device.memory(80 << 20) as device:
        build(TREE, device)
        with f2fskit.open(device) as volume:
            assert shown(volume) == WANTED and volume.geometry.block_count == (80 << 20) // 4096


@pytest.mark.parametrize("source, words", [
    ([Entry("a", b""), Entry("/a", b"")], "twice"),
    ({"": b"x"}, "a file needs a name"),
    ([Entry("a", b""), Entry("a/b", b"")], "no directory"),
    ([Entry("a", b"", symlink="b")], "one type"),
    ([Entry("a", b"", mode=stat.S_IFDIR | 0o755)], "one type"),
    ([Entry("a", mode=stat.S_IFSOCK | 0o755)], "no place"),
    ([Entry("a/../b", b"")], "no path"),
    ([Entry("a\0b", b"")], "no path"),
    ([Entry("a", hardlink="b"), Entry("b", b"")], "no file before"),
    ([Entry("d", is_dir=True), Entry("a", hardlink="d")], "no file before"),
])
def test_entries_that_contradict_each_other(tmp_path, source, words):
    with pytest.raises(ValueError, match=words):
        build(source, tmp_path / "disk.img")
    assert not list(tmp_path.iterdir())


def test_what_is_no_source(tmp_path):
    for source in (42, {"a": 42}, {b"a": b""}, ["a"], {"a": ["b"]}):
        with pytest.raises(TypeError):
            build(source, tmp_path / "disk.img")
    with pytest.raises(TypeError, match="'a/b': contents are bytes, text or the path of a file, not int"):
        build({"a": {"b": 42}}, tmp_path / "disk.img")
    for words, source, options in (("'a/b': the mode is an int, .* not str", {"a": {"b": Entry("x", mode="755")}}, {}),
                                   ("uuid is a uuid.UUID, not str", {}, {"volume": {"uuid": str(uuid.uuid4())}}),
                                   ("size is a number of bytes .* not '64M'", {}, {"size": "64M"})):
        with pytest.raises(TypeError, match=words):
            build(source, **options)
    with pytest.raises(FileNotFoundError):
        build({"a": tmp_path / "missing"}, tmp_path / "disk.img")
    with pytest.raises(OSError):
        build(tmp_path / "missing.tar", tmp_path / "disk.img")
    with pytest.raises(TypeError, match="did you mean label"):
        build({}, tmp_path / "disk.img", volume={"lable": "x"})
    assert not list(tmp_path.iterdir())


def test_nothing_is_left_of_what_failed(tmp_path):
    target = tmp_path / "disk.img"
    broken = tmp_path / "broken.tar"
    with tarfile.open(broken, "w") as tar:
        info = tarfile.TarInfo("file")
        info.size = 1 << 20
        tar.addfile(info, io.BytesIO(bytes(1 << 20)))
    broken.write_bytes(broken.read_bytes()[:4096])
    with pytest.raises(OSError):
        build(broken, target, 64 << 20)
    assert not target.exists()
