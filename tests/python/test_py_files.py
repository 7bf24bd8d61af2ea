# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files: lookup, stat, directories, contents, links, extents, paths."""
import errno
import hashlib
import io
import os
import pathlib
import pickle
import stat
import zlib

import f2fskit
import pytest
from f2fskit import ExtentKind, FileType


def test_every_file(volume, image):
    assert {type(contents) for contents in image.truth.values()} == {type(None), str, bytes}
    for path, contents in image.truth.items():
        inode = volume.lookup(path)
        if contents is None:
            assert inode.is_dir() and not inode.is_file()
        elif isinstance(contents, str):
            assert inode.is_symlink() and inode.readlink() == contents and inode.readlink_bytes() == contents.encode()
            assert inode.size == len(contents)
        else:
            assert inode.is_file() and inode.size == len(contents)
            assert volume.read_bytes(path) == contents
            assert inode.read_bytes() == contents


def test_nothing_is_missing_or_extra(volume, image):
    assert {path for path, _ in volume.scan()} == set(image.truth) - {"/"} - {"/lost+found"} | (
        {"/lost+found"} if volume.path("/lost+found").exists() else set())


def test_walk(volume, image):
    expected = {}
    for path, contents in image.truth.items():
        if contents is None:
            expected.setdefault(path, (set(), set()))
        if path != "/":
            parent = os.path.dirname(path)
            expected.setdefault(parent, (set(), set()))[0 if contents is None else 1].add(os.path.basename(path))
    found = {top: (set(dirs), set(files)) for top, dirs, files in volume.walk()}
    found["/"][0].discard("lost+found")
    found.pop("/lost+found", None)
    assert found == expected
    seen = []
    for top, dirs, files in volume.walk("/"):
        seen.append(top)
        dirs[:] = [name for name in dirs if name != "dir"]
    assert "/many" in seen and not any(top.startswith("/dir") for top in seen)
    assert [top for top, _, _ in volume.walk("/dir")] == ["/dir", "/dir/sub"]
    assert [top for top, _, _ in volume.walk(b"/dir")] == ["/dir", "/dir/sub"]
    assert [path for path, _ in volume.scan(volume.path("/dir/sub"))] == ["/dir/sub/deep.txt"]
    with pytest.raises(NotADirectoryError):
        list(volume.walk("/tiny.txt"))
    errors = []
    assert list(volume.walk("/tiny.txt", onerror=errors.append)) == [] and len(errors) == 1
    assert list(volume.scan("/missing", onerror=errors.append)) == [] and len(errors) == 2


def test_lookup(volume):
    assert volume.lookup("/").number == volume.root.number == 3
    assert volume.lookup("/dir/./sub/../a.conf").read_bytes() == b"a=1\n"
    assert volume.lookup(b"/dir/a.conf") == volume.lookup(pathlib.PurePosixPath("/dir/a.conf"))
    assert volume.lookup(volume.path("/dir")).is_dir()
    assert volume.lookup("/dirlink/a.conf").read_bytes() == b"a=1\n"
    assert volume.lookup("/dirlink").is_symlink()
    assert volume.lookup("/dirlink", follow=True).is_dir()
    assert volume.lookup("/absolute", follow=True).read_bytes() == b"a=1\n"
    assert volume.lookup("/dangling").is_symlink()
    for path, kind in (("/missing", FileNotFoundError), ("/dir/missing/x", FileNotFoundError),
                       ("/tiny.txt/x", NotADirectoryError), ("/" + "x" * 256, OSError)):
        with pytest.raises(kind) as caught:
            volume.lookup(path)
        assert isinstance(caught.value, f2fskit.Error) and isinstance(caught.value, OSError)
        assert caught.value.filename == path
    with pytest.raises(FileNotFoundError):
        volume.lookup("/dangling", follow=True)
    with pytest.raises(f2fskit.LoopError) as caught:
        volume.lookup("/loop", follow=True)
    assert caught.value.errno == errno.ELOOP
    with pytest.raises(ValueError, match="null"):
        volume.lookup("/a\0b")
    assert volume.lookup("/latin-\udce4\udcff").read_bytes() == b"latin-1\n"
    assert volume.lookup(b"/latin-\xe4\xff").read_bytes() == b"latin-1\n"


def test_inode_by_number(volume):
    inode = volume.lookup("/dir/sub/deep.txt")
    again = volume.inode(inode.number)
    assert again == inode and hash(again) == hash(inode) and again is not inode
    assert again.path == "/dir/sub/deep.txt" and volume.root.path == "/"
    assert again.volume is volume
    for bad in (0, volume.geometry.max_nid - 1, volume.geometry.max_nid, 0xFFFFFFFF):
        with pytest.raises(f2fskit.Error):
            volume.inode(bad)


def test_stat(volume, image):
    result = volume.lookup("/medium.bin").stat()
    assert stat.S_ISREG(result.st_mode) and result.st_size == len(image.truth["/medium.bin"])
    assert tuple(result) == (result.st_mode, result.st_ino, 0, 1, result.st_uid, result.st_gid, result.st_size,
                             int(result.st_atime), int(result.st_mtime), int(result.st_ctime))
    assert result[stat.ST_SIZE] == result.st_size and len(result) == 10
    assert result.st_mtime_ns // 10**9 == result[stat.ST_MTIME] == int(result.st_mtime)
    assert result.st_blksize == 4096 and result.st_blocks * 512 >= result.st_size
    assert result.filemode.startswith("-rw")
    assert isinstance(result.st_flags, f2fskit.InodeFlag)
    assert "st_size=100001" in repr(result)
    assert repr(pickle.loads(pickle.dumps(result))) == repr(result)
    source = os.stat(os.__file__)
    for name in dir(source):
        if name.startswith("st_") and not name.endswith("_ns"):
            assert hasattr(result, name) or name in ("st_dev",), name


def test_raw_fields(volume, image):
    inode = volume.lookup("/medium.bin")
    fields = inode.fields()
    assert fields["i_size"] == inode.i_size == 100001
    assert inode.i_mode == inode.mode == inode.stat().st_mode
    assert inode.i_links == 1 and inode.i_namelen == len("medium.bin") and inode.i_name == "medium.bin"
    assert inode.footer.nid == inode.footer.ino == inode.number
    layout = inode.layout
    assert inode.i_addr[0] == inode.block_addr(0) and len(inode.i_nid) == 5
    assert layout.slot_offset + 4 * layout.slots <= layout.nid_offset < layout.footer_offset == 4096 - 24
    assert "i_size" in dir(inode)
    assert set(f2fskit.structs["inode"].fields) <= set(fields)
    with pytest.raises(AttributeError):
        inode.i_no_such_field
    with pytest.raises(AttributeError):
        inode.no_such_field
    fields["i_size"] = 0
    assert inode.i_size == 100001
    assert len(inode.raw) == 4096


def test_directory_entries(volume, image):
    entries = {entry.name: entry for entry in volume.root.iterdir()}
    assert set(entries) - {"lost+found"} == {path[1:] for path in image.truth if path.count("/") == 1 and path != "/"}
    entry = entries["latin-\udce4\udcff"]
    assert entry.raw_name == b"latin-\xe4\xff" == os.fsencode(entry.name)
    assert entry.inode().read_bytes() == b"latin-1\n"
    assert entry.stat().st_size == 8
    assert entry.type is FileType.REGULAR and entry.is_file() and not entry.is_dir()
    assert entries["dir"].is_dir() and entries["link"].is_symlink()
    assert "latin" in repr(entry) and entry.directory.number == 3
    dots = [entry for entry in volume.root.iterdir(dots=True) if entry.name in (".", "..")]
    assert [entry.name for entry in dots] == [".", ".."] and {entry.ino for entry in dots} == {3}
    many = volume.lookup("/many")
    names = [entry.name for entry in many.iterdir()]
    assert sorted(names) == [f"file-{i:04d}" for i in range(700)]
    assert len({entry.position for entry in many.iterdir()}) == 700
    assert many.entry("file-0007").ino == volume.lookup("/many/file-0007").number
    assert many.entry(b"file-0007").hash == next(e.hash for e in many.iterdir() if e.name == "file-0007")
    with pytest.raises(FileNotFoundError):
        many.entry("file-9999")
    with pytest.raises(NotADirectoryError):
        volume.lookup("/tiny.txt").iterdir()
    with pytest.raises(NotADirectoryError):
        volume.lookup("/tiny.txt").entry("x")
    reader = many.iterdir()
    next(reader)
    reader.close()
    with pytest.raises(StopIteration):
        next(reader)


def test_raw_io(volume, image):
    data = image.truth["/medium.bin"]
    with volume.lookup("/medium.bin").open() as file:
        assert isinstance(file, io.RawIOBase) and file.readable() and file.seekable() and not file.writable()
        assert file.read(10) == data[:10] and file.tell() == 10
        assert file.seek(-10, os.SEEK_END) == len(data) - 10
        assert file.read(100) == data[-10:] and file.read(1) == b""
        assert file.seek(-5, os.SEEK_CUR) == len(data) - 5 and file.readall() == data[-5:]
        assert file.seek(50000) == 50000
        buffer = bytearray(20000)
        assert file.readinto(buffer) == 20000 and buffer == data[50000:70000]
        file.seek(0)
        assert file.readall() == data and file.readall() == b""
        assert file.seek(1 << 40) == 1 << 40 and file.read(5) == b"" and file.readall() == b""
        for bad in ((-1, os.SEEK_SET), (-1 << 40, os.SEEK_END)):
            with pytest.raises(OSError):
                file.seek(*bad)
        with pytest.raises(ValueError):
            file.seek(0, 99)
        with pytest.raises(TypeError):
            file.seek(1.5)
        with pytest.raises(io.UnsupportedOperation):
            file.write(b"x")
        with pytest.raises(io.UnsupportedOperation):
            file.fileno()
        with pytest.raises((TypeError, BufferError)):
            file.readinto(b"read-only")
    for use in (lambda: file.read(1), lambda: file.seek(0), lambda: file.tell(), lambda: file.readable()):
        with pytest.raises(ValueError):
            use()
    two = [volume.lookup("/medium.bin").open() for _ in range(2)]
    two[0].seek(5)
    assert two[1].tell() == 0
    with pytest.raises(IsADirectoryError):
        volume.root.open()
    assert list(io.BufferedReader(volume.lookup("/text.txt").open())) == "grüße\nzweite Zeile\n".encode().splitlines(True)


def test_max_bytes(volume, image):
    assert volume.read_bytes("/tiny.txt", max_bytes=12) == b"hello, f2fs\n"
    with pytest.raises(f2fskit.TooBigError) as caught:
        volume.read_bytes("/tiny.txt", max_bytes=11)
    assert caught.value.errno == errno.EFBIG


def test_holes_and_extents(volume, image):
    """What seek() calls data holds every byte that is not zero, and agrees with the extents."""
    for path in ("/holes.bin", "/medium.bin", "/tiny.txt", "/empty"):
        data = image.truth[path]
        inode = volume.lookup(path)
        rebuilt = bytearray(len(data))
        with inode.open() as file:
            at = 0
            while at < len(data):
                try:
                    at = file.seek(at, os.SEEK_DATA)
                except OSError as error:
                    assert error.errno == errno.ENXIO
                    break
                end = file.seek(at, os.SEEK_HOLE)
                assert at < end <= len(data)
                file.seek(at)
                rebuilt[at:end] = file.read(end - at)
                at = end
            with pytest.raises(OSError):
                file.seek(len(data), os.SEEK_DATA)
        assert rebuilt == data
        blocks = set()
        for extent in inode.extents():
            if extent.kind is ExtentKind.DATA:
                for i in range(extent.count):
                    raw = volume.block(extent.addr + i)
                    at = (extent.file_block + i) * 4096
                    assert data[at : at + 4096] == raw[: len(data[at : at + 4096])]
                    blocks.add(extent.file_block + i)
                    assert inode.block_addr(extent.file_block + i) == extent.addr + i
            elif extent.kind is ExtentKind.HOLE:
                assert not any(data[extent.file_block * 4096 : (extent.file_block + extent.count) * 4096])
    assert volume.lookup("/tiny.txt").is_inline
    assert next(volume.lookup("/tiny.txt").extents()).kind is ExtentKind.INLINE
    with pytest.raises(f2fskit.NotFoundError):
        volume.lookup("/medium.bin").extent(1 << 30)


def test_nodes(volume):
    inode = volume.lookup("/large.bin")
    nodes = inode.nodes()
    assert nodes[0] == (inode.number, volume.nat[inode.number].block_addr, 0)
    assert len(nodes) > 1 and all(volume.nat[node.nid].ino == inode.number for node in nodes)
    assert inode.read_raw(4096, 10) == volume.read_bytes("/large.bin")[4096:4106]


def test_flags_of_plain_files(volume):
    inode = volume.lookup("/tiny.txt")
    assert not inode.is_encrypted and not inode.is_compressed and not inode.is_verity and not inode.is_casefold
    assert inode.verity is None
    with pytest.raises(f2fskit.Error):
        inode.verify_verity()
    with pytest.raises(f2fskit.Error):
        inode.readlink()
    assert dict(inode.xattrs) == {} and len(inode.xattrs) == 0 and set(inode.xattrs.internal) <= {'system.advise'}
    with pytest.raises(KeyError):
        inode.xattrs["user.none"]
    with pytest.raises(OSError) as caught:
        inode.xattrs["user.none"]
    assert caught.value.errno == errno.ENODATA
    assert inode.xattrs.get("user.none") is None and "user.none" not in inode.xattrs


def test_quotas(volume):
    with pytest.raises(f2fskit.NotFoundError):
        volume.quotas("user")
    with pytest.raises(ValueError):
        volume.quotas("other")


def test_path_arithmetic(volume):
    path = volume.path("/dir") / "sub" / "archive.tar.gz"
    assert str(path) == path.as_posix() == "/dir/sub/archive.tar.gz" and bytes(path) == b"/dir/sub/archive.tar.gz"
    assert (path.name, path.stem, path.suffix, path.suffixes) == (
        "archive.tar.gz", "archive.tar", ".gz", [".tar", ".gz"])
    assert path.parts == ("/", "dir", "sub", "archive.tar.gz")
    assert path.parent == volume.path("dir/sub") == volume.path("/", "dir", "sub") == volume.path("//dir/sub")
    assert [str(p) for p in path.parents] == ["/dir/sub", "/dir", "/"]
    assert volume.path().name == "" and volume.path().parent == volume.path("/")
    assert str(path.with_name("x")) == "/dir/sub/x" and path.with_suffix(".xz").name == "archive.tar.xz"
    assert path.relative_to("/dir") == path.relative_to(volume.path("/dir")) == pathlib.PurePosixPath(
        "sub/archive.tar.gz")
    with pytest.raises(ValueError):
        path.relative_to("/other")
    assert path.match("*.gz") and not path.match("*.xz") and str(path / "/top") == "/top"
    assert hash(path) == hash(volume.path(str(path))) and path != str(path)
    assert sorted([volume.path("/b"), volume.path("/a")]) == [volume.path("/a"), volume.path("/b")]
    assert repr(path) == "F2FSPath('/dir/sub/archive.tar.gz')" and path.volume is volume
    assert str(path.joinpath(volume.path("/dir"))) == "/dir"


def test_path_questions(volume):
    def answers(name):
        path = volume.path(name)
        return path.exists(), path.is_dir(), path.is_file(), path.is_symlink()

    assert answers("/") == (True, True, False, False)
    assert answers("/tiny.txt") == (True, False, True, False)
    assert answers("/link") == (True, False, True, True)
    assert answers("/dirlink") == (True, True, False, True)
    assert answers("/dangling") == answers("/loop") == (False, False, False, True)
    assert answers("/missing") == answers("/tiny.txt/x") == answers("/" + "y" * 300) == (False, False, False, False)
    path = volume.path("/link")
    assert path.stat().st_size == 5 and path.lstat().st_size == 16 == path.stat(follow_symlinks=False).st_size
    assert path.readlink() == "dir/sub/deep.txt" and path.inode(follow=False).is_symlink()
    assert path.owner_id() == path.stat().st_uid and path.group_id() == path.stat().st_gid
    assert len(path.xattrs) == 0


def test_path_contents(volume, image):
    path = volume.path("/text.txt")
    assert path.read_text() == "grüße\nzweite Zeile\n" and path.read_bytes() == image.truth["/text.txt"]
    with path.open() as file:
        assert file.readlines() == ["grüße\n", "zweite Zeile\n"]
    with path.open("rb") as file:
        assert isinstance(file, io.BufferedReader) and file.read() == image.truth["/text.txt"]
    with path.open("rb", buffering=0) as file:
        assert isinstance(file, f2fskit.InodeIO)
    with path.open("r", encoding="latin-1") as file:
        assert file.readline() == "grÃ¼Ã\x9fe\n"
    with pytest.raises(UnicodeDecodeError):
        path.read_text("ascii")
    assert path.read_text("ascii", "replace").startswith("gr\ufffd")
    assert volume.path("/link").read_text() == "deep\n"
    for mode in ("rw", "b", "rbt", "", "rr"):
        with pytest.raises(ValueError):
            path.open(mode)
    for mode in ("w", "a", "x", "r+"):
        with pytest.raises(f2fskit.ReadOnlyError):
            path.open(mode)
    with pytest.raises(ValueError):
        path.open("rb", encoding="utf-8")
    with pytest.raises(ValueError):
        path.open("r", buffering=0)
    with pytest.raises(IsADirectoryError):
        volume.path("/dir").read_bytes()
    with pytest.raises(FileNotFoundError):
        volume.path("/missing").open()


def test_path_directories(volume, image, tmp_path):
    assert {path.name for path in volume.path("/dir").iterdir()} == {"sub", "a.conf", "b.conf", "b.txt", ".hidden"}
    assert {str(path) for path in volume.path("/dirlink").iterdir()} >= {"/dirlink/a.conf"}
    with pytest.raises(NotADirectoryError):
        list(volume.path("/tiny.txt").iterdir())


@pytest.mark.parametrize("start, pattern", [
    ("/", "*.txt"), ("/", "dir/*.conf"), ("/dir", "*"), ("/dir", "b.*"), ("/", "**/*.txt"), ("/", "**"), ("/dir", "**/*"),
    ("/", "*/sub/*"), ("/", "di?/[ab].conf"), ("/", "[!d]*"), ("/", "missing/*"), ("/", "tiny.txt"), ("/", "tiny.txt/*"),
    ("/dir", "sub/deep.txt"), ("/", "dirlink/*"), ("/", "dang*"), ("/", "**/sub"), ("/", "*/*"), ("/", "d*/**/*.txt"),
])
def test_glob_is_like_pathlib(volume, image, tmp_path_factory, start, pattern):
    twin = tree_of(image, tmp_path_factory)
    def like_ours(paths):
        # a pattern that ends in ** gives directories alone; since Python 3.13 pathlib gives files too
        return sorted("/" + os.path.relpath(path, twin) if path != twin else "/" for path in paths
                      if not pattern.endswith("**") or (path.is_dir() and not path.is_symlink()))

    def found(paths):
        return sorted(str(path) for path in paths if "lost+found" not in str(path))

    assert found(volume.path(start).glob(pattern)) == like_ours((twin / start[1:]).glob(pattern))
    assert found(volume.path(start).rglob(pattern)) == like_ours((twin / start[1:]).rglob(pattern))


def test_glob_refuses_absolute_patterns(volume):
    for pattern in ("/x", ""):
        with pytest.raises(ValueError):
            list(volume.path("/").glob(pattern))
    assert list(volume.path("/missing").glob("*")) == []


_TREES = {}


def tree_of(image, factory):
    """The tree of the image as files of the host."""
    if image.path not in _TREES:
        folder = factory.mktemp("twin")
        for path, contents in image.truth.items():
            where = os.fsencode(folder / path[1:])
            if path == "/" or len(path) > 200:
                if path != "/":
                    open(where, "wb").close()
            elif contents is None:
                os.mkdir(where)
            elif isinstance(contents, str):
                os.symlink(contents[:200], where)
            else:
                open(where, "wb").close()
        _TREES[image.path] = folder
    return _TREES[image.path]


def test_digests(volume, image):
    seen = 0
    for path, contents in image.truth.items():
        if isinstance(contents, bytes):
            got = volume.lookup(path).digests("sha256", "crc32")
            assert got == {"sha256": hashlib.sha256(contents).hexdigest(), "crc32": f"{zlib.crc32(contents):08x}"}
            seen += 1
    assert seen
    with pytest.raises(ValueError, match="md5, sha1"):
        volume.lookup(path).digests("sha3")
    with pytest.raises(f2fskit.IsDirError):
        volume.root.digests()
