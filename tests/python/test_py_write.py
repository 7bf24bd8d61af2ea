# SPDX-License-Identifier: LGPL-2.1-or-later
"""Changing volumes from Python: files, names, attributes, whole trees, and what becomes of changes."""
import io
import os
import stat
import struct
import tarfile
import time

import pytest

import f2fskit
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr", "quota"]


@pytest.fixture
def disk(tmp_path, peer_check):
    """The path of a new volume; f2fs-tools finds nothing wrong with it after the test."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=FEATURES)
    yield path
    peer_check(path)


def names(volume, top="/"):
    return sorted(path for path, _ in volume.scan(top))


def test_contents_in_every_mode(disk):
    big = pattern(5, 3_000_000)
    with f2fskit.open(disk, "r+") as volume:
        path = volume.path("/file")
        assert path.write_bytes(big) == len(big) and path.read_bytes() == big
        with path.open("r+b") as file:
            file.seek(1000)
            file.write(b"changed")
            file.seek(-3, os.SEEK_END)
            file.write(b"END and more")
            file.seek(0)
            assert file.read(10) == big[:10]
        want = big[:1000] + b"changed" + big[1007:-3] + b"END and more"
        assert path.read_bytes() == want
        with path.open("ab") as file:
            file.seek(0)
            file.write(b"!")
        assert path.read_bytes() == want + b"!"
        with path.open("wb", buffering=0) as file:
            assert file.tell() == 0 and file.write(b"short") == 5 and file.truncate(3) == 3
            with pytest.raises(io.UnsupportedOperation):
                file.read(1)
        assert path.read_bytes() == b"sho"
        with pytest.raises(f2fskit.ExistsError) as error:
            path.open("x")
        assert error.value.filename == "/file"
        with volume.path("/text").open("x+", encoding="latin-1", newline="\r\n") as file:
            assert file.write("grün\n") == 5
            file.seek(0)
            assert file.readline() == "grün\r\n"
        assert volume.path("/text").read_bytes() == b"gr\xfcn\r\n"
        with volume.path("/holes").open("wb") as file:
            file.seek(1 << 20)
            file.write(b"end")
        assert volume.path("/holes").stat().st_blocks <= 16
    with f2fskit.open(disk) as volume:
        assert volume.read_bytes("/file") == b"sho" and volume.read_bytes("/holes") == bytes(1 << 20) + b"end"


@pytest.mark.parametrize("mode", ["", "rw", "b", "rbt", "rr", "U", "w+x"])
def test_modes_that_make_no_sense(disk, mode):
    with f2fskit.open(disk, "r+") as volume:
        with pytest.raises(ValueError):
            volume.path("/f").open(mode)


def test_names(disk):
    with f2fskit.open(disk, "r+") as volume:
        root = volume.path("/")
        (root / "a/b/c").mkdir(parents=True)
        (root / "a/b").mkdir(exist_ok=True, parents=True)
        root.mkdir(exist_ok=True)
        (root / "a/file").touch()
        (root / "a/link").symlink_to("file")
        (root / "a/hard").hardlink_to("/a/file")
        (root / "a/null").mknod(stat.S_IFCHR | 0o666, os.makedev(1, 3))
        assert (root / "a/hard").stat().st_nlink == 2 and (root / "a/link").readlink() == "file"
        assert (root / "a/null").stat().st_rdev == os.makedev(1, 3)
        assert (root / "a/link").rename("/moved") == root / "moved"
        (root / "a/hard").replace(root / "a/b/c/hard")
        (root / "other").write_text("x")
        (root / "other").replace("/a/file")
        assert (root / "a/file").read_text() == "x"
        for call, error in [
            ((root / "a").mkdir, FileExistsError), ((root / "no/where").mkdir, FileNotFoundError),
            ((root / "a").rmdir, f2fskit.NotEmptyError), ((root / "a").unlink, IsADirectoryError),
            ((root / "moved").rmdir, NotADirectoryError), ((root / "gone").unlink, FileNotFoundError),
            (root.unlink, IsADirectoryError), (root.rmdir, ValueError), ((root / "a/file/x").touch, NotADirectoryError),
            ((root / ("n" * 256)).touch, f2fskit.NameTooLongError), (lambda: (root / "a").rename("/a/b/in-itself"), ValueError),
        ]:
            with pytest.raises(error):
                call()
        (root / "gone").unlink(missing_ok=True)
        (root / "moved").unlink()
    with f2fskit.open(disk, "r+") as volume:
        assert names(volume) == ["/a", "/a/b", "/a/b/c", "/a/b/c/hard", "/a/file", "/a/null"]
        volume.path("/a").rmtree()
    with f2fskit.open(disk) as volume:
        assert names(volume) == []


def test_attributes(disk):
    with f2fskit.open(disk, "r+") as volume:
        path = volume.path("/f")
        path.touch(0o640)
        path.chmod(0o4751)
        path.chown(7)
        path.chown(gid=8)
        path.utime((-1_500_000_000, 1_234_567_890_123_456_789))
        inode = path.inode()
        inode.set(flags=f2fskit.InodeFlag.NOATIME, crtime_ns=5)
        inode.xattrs["user.a"] = b"value"
        inode.xattrs["user.b"] = bytearray(3000)
        attributes = path.xattrs
        del attributes["user.a"]
        assert dict(attributes) == {"user.b": bytes(3000)}
        with pytest.raises(KeyError):
            del attributes["user.a"]
        assert inode.i_uid == 7, "fields are read again after a change"
    with f2fskit.open(disk) as volume:
        st = volume.path("/f").stat()
        assert (st.st_mode, st.st_uid, st.st_gid) == (stat.S_IFREG | 0o4751, 7, 8)
        assert (st.st_atime_ns, st.st_mtime_ns, st.st_birthtime_ns) == (-1_500_000_000, 1_234_567_890_123_456_789, 5)
        assert st.st_flags == f2fskit.InodeFlag.NOATIME
        assert dict(volume.path("/f").xattrs) == {"user.b": bytes(3000)}


def test_default_acls(disk):
    entries = ((1, 7, -1), (2, 6, 1000), (4, 7, -1), (16, 5, -1), (32, 1, -1))
    acl = struct.pack("<I", 2) + b"".join(struct.pack("<HHi", *entry) for entry in entries)
    with f2fskit.open(disk, "r+") as volume:
        guarded = volume.path("/guarded")
        guarded.mkdir()
        guarded.xattrs["system.posix_acl_default"] = acl
        (guarded / "sub").mkdir()
        (guarded / "sub" / "file").write_text("x")
        (guarded / "mode").touch(0o600)
        guarded.inode().create("masked", stat.S_IFREG | 0o777, umask=0o777)
        guarded.inode().create("exact", stat.S_IFREG | 0o777, exact=True)
        volume.path("/free").touch()
    with f2fskit.open(disk) as volume:
        modes = {path: volume.path(path).stat().st_mode & 0o777 for path, _ in volume.scan("/")}
        assert modes == {"/guarded": 0o755, "/guarded/sub": 0o751, "/guarded/sub/file": 0o640, "/guarded/mode": 0o600,
                         "/guarded/masked": 0o751, "/guarded/exact": 0o777, "/free": 0o644}
        assert volume.path("/guarded/sub").xattrs["system.posix_acl_default"] == acl
        assert "system.posix_acl_access" not in volume.path("/guarded/exact").xattrs


def test_times(disk):
    with f2fskit.open(disk, "r+", now=1_000_000_000_000_000_007) as volume:
        volume.path("/d").mkdir()
        volume.path("/d/f").write_bytes(b"1")
    ticks = iter(range(2 * 10**18, 3 * 10**18, 10**9))
    with f2fskit.open(disk, "r+", now=lambda: next(ticks)) as volume:
        assert volume.path("/d/f").stat().st_birthtime_ns == 1_000_000_000_000_000_007
        before = volume.path("/d").stat()
        volume.path("/d/f").write_bytes(b"2")
        after = volume.path("/d/f").stat()
        assert after.st_mtime_ns == after.st_ctime_ns >= 2 * 10**18 and after.st_birthtime_ns < 2 * 10**18
        assert volume.path("/d").stat().st_mtime_ns == before.st_mtime_ns
        volume.path("/d/f").rename("/d/g")
        assert volume.path("/d").stat().st_mtime_ns > before.st_mtime_ns
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/d/g").touch()
        assert abs(volume.path("/d/g").stat().st_mtime_ns - time.time_ns()) < 60 * 10**9


def test_what_becomes_of_changes(disk):
    class Stop(Exception):
        pass

    with pytest.raises(Stop):
        with f2fskit.open(disk, "r+") as volume:
            volume.path("/kept").touch()
            volume.commit()
            version = volume.checkpoint.checkpoint_ver
            volume.path("/lost").touch()
            assert names(volume) == ["/kept", "/lost"]
            raise Stop
    volume = f2fskit.open(disk, "r+")
    assert names(volume) == ["/kept"] and volume.checkpoint.checkpoint_ver == version
    volume.path("/dropped").touch()
    volume.rollback()
    assert names(volume) == ["/kept"]
    volume.checkpoint()
    assert volume.checkpoint.checkpoint_ver == version, "nothing to commit"
    volume.path("/second").touch()
    volume.checkpoint()
    assert volume.checkpoint.checkpoint_ver == version + 1
    volume.path("/third").touch()
    volume.close()
    with f2fskit.open(disk) as volume:
        assert names(volume) == ["/kept", "/second"]


def test_files_without_a_name_go_with_their_last_user(disk):
    with f2fskit.open(disk, "r+") as volume:
        path = volume.path("/open")
        path.write_bytes(b"x" * 9999)
        inode = path.inode()
        path.unlink()
        assert inode.read_bytes() == b"x" * 9999
    assert inode.closed
    with f2fskit.open(disk, "r+") as volume:
        assert volume.orphans == [] and names(volume) == []
        volume.path("/d").mkdir()
        volume.path("/d/f").touch()
        volume.path("/d").rmtree()
        volume.path("/f").touch()
        volume.path("/f").unlink()
        volume.commit()
        assert volume.orphans == []


def test_reading_is_the_default(disk):
    before = disk.read_bytes()
    with f2fskit.open(disk) as volume:
        assert not volume.writable
        for call in (volume.path("/x").touch, volume.path("/x").mkdir, lambda: volume.root.set(mode=0o700),
                     lambda: volume.path("/x").open("w"), lambda: volume.populate("."),
                     lambda: volume.root.xattrs.__setitem__("user.a", b"")):
            with pytest.raises(f2fskit.ReadOnlyError):
                call()
        with pytest.raises(ValueError):
            f2fskit.open(disk, "w")
    with f2fskit.open(disk, "r+") as volume:
        assert volume.writable and volume.read_bytes is not None
    assert disk.read_bytes() == before


def test_full(disk):
    with pytest.raises(f2fskit.NospcError):
        with f2fskit.open(disk, "r+") as volume:
            volume.path("/small").write_bytes(b"x")
            for i in range(64):
                volume.path(f"/big{i}").write_bytes(bytes(1 << 20))
    with f2fskit.open(disk, "r+") as volume:
        assert names(volume) == []
        volume.path("/again").touch()


def test_other_devices(disk):
    raw = bytearray(disk.read_bytes())
    with f2fskit.open(raw, "r+") as volume:
        volume.path("/in-memory").write_bytes(b"m")
    with f2fskit.open(raw) as volume:
        assert names(volume) == ["/in-memory"]
    overlay = f2fskit.Device.open(disk).overlay()
    with f2fskit.open(overlay, "r+") as volume:
        volume.path("/overlay").touch()
    with f2fskit.open(overlay) as volume:
        assert names(volume) == ["/overlay"]
    with open(disk, "r+b") as file:
        with f2fskit.open(file, "r+") as volume:
            volume.path("/file-object").touch()
    with f2fskit.open(disk) as volume:
        assert names(volume) == ["/file-object"]
    with pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.open(f2fskit.Device.open(disk), "r+")
    with pytest.raises(TypeError):
        f2fskit.open(memoryview(bytes(raw)), "r+")


def test_populate(disk, tmp_path):
    source = tmp_path / "source"
    (source / "sub").mkdir(parents=True)
    (source / "sub/file").write_bytes(pattern(1, 100_000))
    (source / "skipped.o").write_bytes(b"")
    (source / "link").symlink_to("sub/file")
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        tar.add(source / "sub", "from-tar")
    seen = []
    with f2fskit.open(disk, "r+") as volume:
        result = volume.populate(source, target="/copy", exclude=["*.o"], owner=(5, 6), time=7 * 10**9, on_entry=seen.append)
        assert (result.files, result.symlinks, result.problems) == (1, 1, 0) and len(seen) >= 3
        archive.seek(0)
        assert volume.populate(tar=archive).files == 1
        with pytest.raises(f2fskit.IncompleteError) as error:
            volume.populate(source, target="/copy", exclude=["*.o"])
        assert {problem.path for problem in error.value.result.problem_list} >= {"sub/file"}
        volume.commit()
        with pytest.raises(f2fskit.CanceledError):
            volume.populate(source, target="/again", on_entry=lambda path: True)
        volume.rollback()
        with pytest.raises(ZeroDivisionError):
            volume.populate(source, target="/once-more", on_entry=lambda path: 1 // 0)
        volume.rollback()
    with f2fskit.open(disk) as volume:
        st = volume.path("/copy/sub/file").stat()
        assert (st.st_uid, st.st_gid, st.st_mtime_ns) == (5, 6, 7 * 10**9)
        assert volume.read_bytes("/from-tar/file") == pattern(1, 100_000)
        assert not volume.path("/copy/skipped.o").exists()


def test_populate_compresses(tmp_path):
    path, source = tmp_path / "image", tmp_path / "source"
    source.mkdir()
    for name in ("a.txt", "b.bin", "c.log"):
        (source / name).write_bytes(b"the same " * 40_000)
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "compression"])
    with f2fskit.open(path, "r+") as volume:
        how = f2fskit.PopulateCompression("zstd", 3, log_cluster=3, checksum=True, plain_names="bin", release=True)
        volume.populate(source, target="/all", compression=how)
        volume.populate(source, target="/some", compression=f2fskit.PopulateCompression("lzo", names="log"))
        volume.populate(source, target="/none")
        with pytest.raises(ValueError, match="gzip"):
            volume.populate(source, target="/x", compression=f2fskit.PopulateCompression("gzip"))
    with f2fskit.open(path) as volume:
        packed = {p: volume.lookup(p).is_compressed for d in ("/all", "/some", "/none") for p in
                  (d + "/a.txt", d + "/b.bin", d + "/c.log")}
        assert [p for p in packed if packed[p]] == ["/all/a.txt", "/all/c.log", "/some/c.log"]
        assert all(volume.read_bytes(p) == b"the same " * 40_000 for p in packed)
        fields = volume.lookup("/all/a.txt").fields()
        assert (fields["i_compress_algorithm"], fields["i_log_cluster_size"]) == (2, 3)
        assert volume.lookup("/all/a.txt").stat().st_blocks < volume.lookup("/some/c.log").stat().st_blocks
    assert not f2fskit.check(path).problems


def test_released_while_it_is_written(tmp_path):
    """A file larger than the volume fits in, since blocks saved by a cluster are freed at once. A complete file equals a
    released one, in whatever pieces it was written."""
    path, source = tmp_path / "image", tmp_path / "source"
    source.mkdir()
    (source / "large").write_bytes(b"the same " * 10_000_000)
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "compression"])
    with f2fskit.open(path, "r+") as volume:
        volume.populate(source, compression=f2fskit.PopulateCompression("lz4", log_cluster=4, release=True))
    with f2fskit.open(path) as volume:
        assert volume.read_bytes("/large") == b"the same " * 10_000_000
    assert not f2fskit.check(path, content=True).problems
    pieces = pattern(9, 30_000) + b"text " * 9_000 + pattern(3, 50_001)
    archive, member = io.BytesIO(), tarfile.TarInfo("file")
    member.size = len(pieces)
    with tarfile.open(fileobj=archive, mode="w") as writer:
        writer.addfile(member, io.BytesIO(pieces))

    class Slow(io.BytesIO):
        def read(self, size=-1):
            return super().read(min(size, 4567))

    with f2fskit.open(path, "r+") as volume:
        volume.path("/large").unlink()
        for target, release in (("/at-once", True), ("/later", False)):
            volume.populate(tar=Slow(archive.getvalue()), target=target,
                            compression=f2fskit.PopulateCompression("lz4", log_cluster=3, release=release))
        volume.lookup("/later/file").release_compressed()
    with f2fskit.open(path) as volume:
        first, second = volume.lookup("/at-once/file"), volume.lookup("/later/file")
        assert volume.read_bytes("/at-once/file") == volume.read_bytes("/later/file") == pieces
        for name in ("i_blocks", "i_compr_blocks", "i_inline", "i_flags", "i_size"):
            assert first.fields()[name] == second.fields()[name], name
        kinds = [[(e.file_block, e.count, e.kind) for e in inode.extents()] for inode in (first, second)]
        assert kinds[0] == kinds[1]
    assert not f2fskit.check(path, content=True).problems
    with f2fskit.open(path, "r+") as volume:
        inode = volume.lookup("/at-once/file")
        inode.reserve_compressed()
        inode.pwrite(b"more", 40_000)
    assert not f2fskit.check(path, content=True).problems


@pytest.mark.parametrize("feature", [[], ["ro"]])
def test_holes_of_compressed_files(tmp_path, feature):
    """The kernel misreads them where the volume has the feature ro (FORMAT files 8.1): none is made there."""
    path = tmp_path / "image"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "compression", *feature])
    text = b"text " * 20_000
    holes = (lambda inode: inode.truncate(len(text) + 8192), lambda inode: inode.pwrite(b"end", len(text) + 8192),
             lambda inode: inode.fallocate(0, len(text) + 8192))
    for i, make in enumerate(holes):
        with f2fskit.open(path, "r+") as volume:
            inode = volume.root.create("file%d" % i)
            inode.compress("lz4")
            inode.pwrite(text, 0)
            if feature:
                with pytest.raises(f2fskit.UnsupportedError, match="holes"):
                    make(inode)
                assert inode.stat().st_size == len(text)
                inode.pwrite(b"more", len(text))
            else:
                make(inode)
                assert inode.stat().st_size > len(text) + 8000
            inode.truncate(50_001)
            assert volume.read_bytes("/file%d" % i) == text[:50_001]
    assert not f2fskit.check(path, content=True).problems


def test_populate_again(disk, tmp_path):
    source, manifest, contexts = tmp_path / "source", tmp_path / "list", tmp_path / "contexts"
    source.mkdir()
    for name in ("same", "changed", "gone"):
        (source / name).write_bytes(name.encode())
        os.utime(source / name, ns=(1, 1))
    contexts.write_text("/mnt/t/.* u:object_r:t:s0\n")
    manifest.write_text('{"path": "same", "mode": "0600", "mtime": [0, 1]}\n')
    with f2fskit.open(disk, "r+") as volume:
        assert volume.populate(source, target="/t").files == 3
        (source / "changed").write_bytes(b"more than before")
        (source / "gone").unlink()
        rules = [f2fskit.PopulateRule("*", mode=0o640, owner=(7, 8)), f2fskit.PopulateRule("same", time=9 * 10**9)]
        result = volume.populate(source, target="/t", existing="update", delete=True, rules=rules)
        assert (result.files, result.kept, result.replaced, result.deleted, result.skipped) == (2, 0, 2, 1, 0)
        st = volume.path("/t/same").stat()
        assert (st.st_mode & 0o7777, st.st_uid, st.st_gid, st.st_mtime_ns) == (0o640, 7, 8, 9 * 10**9)
        assert volume.populate(source, target="/t", existing="skip").skipped == 2
        assert volume.populate(source, target="/t", existing="update").replaced == 1     # a rule had set another time
        assert volume.populate(source, target="/t", existing="update").kept == 2
        volume.populate(source, manifest=manifest, target="/u", file_contexts=[contexts], mount_point="/mnt/t")
        inode = volume.lookup("/u/same")
        assert inode.read_bytes() == b"same" and inode.xattrs["security.selinux"] == b"u:object_r:t:s0\0"
        with pytest.raises(f2fskit.InvalidError, match="file_contexts|regular|line|contexts"):
            contexts.write_text("/x(")
            volume.populate(source, target="/v", file_contexts=[contexts])
        with pytest.raises(TypeError):
            volume.populate(source, tar=io.BytesIO())


def test_populate_size(tmp_path):
    source, image = tmp_path / "source", tmp_path / "image"
    source.mkdir()
    (source / "large").write_bytes(pattern(1, 1 << 20) * 30)
    size = f2fskit.populate_size(source, volume={"label": "small"}, temporary=tmp_path)
    f2fskit.mkfs(image, size, label="small")
    with f2fskit.open(image, "r+") as volume:
        volume.populate(source)
    f2fskit.mkfs(image, size - (2 << 20), label="small", overwrite=True)
    with pytest.raises(f2fskit.NospcError), f2fskit.open(image, "r+") as volume:
        volume.populate(source)
    with pytest.raises(f2fskit.InvalidError):
        f2fskit.populate_size(tar=io.BytesIO(b""))


def test_inodes_of_two_volumes_are_not_mixed(disk):
    with f2fskit.open(disk, "r+") as one, f2fskit.open(bytearray(disk.read_bytes()), "r+") as two:
        with pytest.raises(ValueError):
            one.root.link("x", two.root)
        inode = one.root.create("f")
        inode.close()
        with pytest.raises(ValueError):
            one.root.link("g", inode)


@pytest.mark.parametrize("level", [0, 1, 7, 16])
def test_level_of_a_large_directory(tmp_path, peer_check, level):
    """Names are in the buckets of their hashes, for every reader, and the first table is as large as was asked for."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        made = volume.root.create("large", stat.S_IFDIR | 0o755, dir_level=level)
        for i in range(2000):
            made.create("file%d" % i)
        for i in range(0, 2000, 3):
            made.remove("file%d" % i)
        for wrong, mode in ((17, stat.S_IFDIR), (1, stat.S_IFREG)):
            with pytest.raises(f2fskit.InvalidError, match="dir_level"):
                volume.root.create("wrong", mode | 0o755, dir_level=wrong)
        volume.commit()
    with f2fskit.open(path) as volume:
        found = volume.lookup("/large")
        assert sorted(entry.name for entry in found.iterdir()) == sorted("file%d" % i for i in range(2000) if i % 3)
        assert all(volume.lookup("/large/file%d" % i) for i in range(2000) if i % 3)
        depth = {0: 3, 1: 2, 7: 1, 16: 1}[level]
        assert (found.fields()["i_dir_level"], found.fields()["i_current_depth"]) == (level, depth)
    peer_check(path)


@pytest.mark.parametrize("unit", f2fskit.DiscardUnit, ids=str)
def test_unit_of_discards(tmp_path, unit):
    """A segment that is free in part is discarded in part by unit "block" alone."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.configure(discard=True, discard_unit=unit)
        volume.path("/a").write_bytes(bytes(1 << 20))
        volume.commit()
        volume.path("/a").unlink()
        volume.commit()
        assert (volume.counters.discard_bytes >= 1 << 20) is (unit == f2fskit.DiscardUnit.BLOCK)
        volume.path("/b").write_bytes(bytes(4 << 20))
        volume.commit()
        volume.path("/b").unlink()
        volume.commit()
        assert volume.counters.discard_bytes >= 4 << 20
        with pytest.raises(ValueError, match="zone"):
            volume.configure(discard_unit="zone")


def test_storage_options(tmp_path, peer_check):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "compression", "verity"])
    text = b"all the same " * 20_000
    with f2fskit.open(path, "r+") as volume:
        volume.configure(logs=4, discard=True, compress_names="txt")
        volume.path("/a.txt").write_bytes(text)
        volume.path("/b").write_bytes(text)
        with pytest.raises(f2fskit.StateError):
            volume.configure()
        with pytest.raises(f2fskit.StateError):
            volume.trim()
        volume.commit()
        inode = volume.lookup("/a.txt")
        saved = inode.release_compressed()
        assert saved > 40 and inode.reserve_compressed() == saved
        assert volume.lookup("/b").is_compressed is False
        made = volume.root.create("c")
        made.compress("lzo", log_cluster=4, checksum=True)
        made.pwrite(text, 0)
        with pytest.raises(ValueError):
            made.compress("gzip")
        made.enable_verity("sha256", block_size=1024, salt=b"pepper")
        assert made.verity.salt == b"pepper" and made.verity.block_size == 1024
        with pytest.raises(PermissionError):
            made.pwrite(b"x", 0)
    with f2fskit.open(path, "r+") as volume:
        assert volume.trim() > 20 << 20
        volume.lookup("/c").verify_verity()
        assert all(volume.read_bytes(name) == text for name in ("/a.txt", "/b", "/c"))
    peer_check(path)


@pytest.mark.parametrize("leave", ["commit", "with"])
def test_what_was_closed_after_a_commit_goes_with_the_next(disk, leave):
    """A commit lists a removed file that is open; once it is closed nothing else needs to change for it to go."""
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").write_bytes(b"x" * 5000)
        inode = volume.lookup("/file")
        volume.path("/file").unlink()
        volume.commit()
        assert volume.orphans == [inode.number]
        if leave == "commit":
            inode.close()
            volume.commit()
            assert volume.orphans == []
    with f2fskit.open(disk, "r+") as volume:
        assert volume.orphans == []
        volume.path("/other").touch()


@pytest.mark.parametrize("placement", [None, {}, {"delays": 1}], ids=["none", "m2h", "delays"])
@pytest.mark.parametrize("at_once, written", [(False, 1), (True, 100)])
def test_small_overwrites_wait(tmp_path, at_once, written, placement):
    """A block that is overwritten again before the commit is written once, with a placement or without; a large write, and a
    new block, never wait."""
    path = tmp_path / "image"
    f2fskit.mkfs(path, 256 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/a").write_bytes(bytes(1 << 20))
    with f2fskit.open(path, "r+") as volume:
        volume.configure(at_once=at_once)
        if placement is not None:
            volume.set_placement("m2h", **placement)
        inode = volume.lookup("/a")
        data = lambda: volume.counters.bytes["data"] // 4096  # noqa: E731
        for i in range(100):
            inode.pwrite(bytes([i]) * 4096, 40960)
            assert inode.read_bytes()[40960:45056] == bytes([i]) * 4096
        volume.commit()
        assert data() == written
        inode.pwrite(b"f" * 4096, 0)
        inode.fsync()
        assert data() == written + 1
        inode.pwrite(b"l" * 65536, 65536)
        inode.pwrite(b"n" * 4096, 1 << 20)
        volume.commit()
        assert data() == written + 1 + 16 + 1
    with f2fskit.open(path) as volume:
        raw = volume.read_bytes("/a")
        assert raw[40960:45056] == bytes([99]) * 4096 and raw[:4096] == b"f" * 4096
        assert raw[65536:131072] == b"l" * 65536 and raw[1 << 20:] == b"n" * 4096


def test_extensions_choose_the_temperature(tmp_path):
    """Every ending of the superblock's lists, the first and the last of each as well; a name that only looks like one has none."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, cold_extensions=["colder"], hot_extensions=["db", "hotter"])
    with f2fskit.open(path, "r+") as volume:
        cold, hot = volume.extensions
        assert "colder" in cold and set(hot) >= {"db", "hotter"}
        for wanted, names in ((f2fskit.Advise.COLD, cold), (f2fskit.Advise.HOT, hot)):
            for name in names:
                volume.path(f"/a.{name}").touch()
                advise = volume.lookup(f"/a.{name}").i_advise
                assert advise & (f2fskit.Advise.COLD | f2fskit.Advise.HOT) == wanted, name
        for name in (cold[0], "b" + cold[0], cold[0] + "x", "c.x" + hot[-1], "none"):
            volume.path(f"/{name}").touch()
            assert not volume.lookup(f"/{name}").i_advise & (f2fskit.Advise.COLD | f2fskit.Advise.HOT), name


def test_a_file_without_a_name(disk):
    with f2fskit.open(disk, "r+") as volume:
        root = volume.path("/").inode()
        with root.create(None, stat.S_IFREG | 0o600) as inode:
            inode.pwrite(b"data", 0)
            volume.commit()
            assert inode.stat().st_nlink == 0 and names(volume) == []
            root.link("name", inode)
            assert inode.stat().st_nlink == 1 and volume.path("/name").read_bytes() == b"data"
        with root.create(None) as inode:
            lost = inode.number
        volume.commit()
        with pytest.raises(f2fskit.NotFoundError):
            volume.inode(lost)
        with pytest.raises(f2fskit.InvalidError):
            root.create(None, stat.S_IFDIR | 0o755)
        volume.commit()
