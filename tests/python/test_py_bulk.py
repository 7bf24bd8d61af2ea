# SPDX-License-Identifier: LGPL-2.1-or-later
"""Inodes and tables in bulk: the same as what one call for each gives, in one call for all."""
import gc
import stat
import struct
import sys
import tracemalloc

import f2fskit
import pytest
from conftest import pattern
from f2fskit import Error
from test_py_keys import KEY, encrypted, fill


def all_paths(volume):
    return ["/", *(path for path, _ in volume.scan())]


def same_stat(one, other):
    return repr(one) == repr(other) and tuple(one) == tuple(other)


def test_table_is_what_lstat_gives(volume):
    table = volume.inode_table()
    assert sorted(table.paths) == sorted(all_paths(volume)) and len(table) == len(table.paths) == len(table.names)
    assert table.names[0] == "" and [name for name in table.names[1:]] == [path.rsplit("/", 1)[1] for path in table.paths[1:]]
    for row, path in enumerate(table.paths):
        assert same_stat(table.stat(row), volume.path(path).lstat())
        assert table.error(row) == 0
    with pytest.raises(IndexError):
        table.stat(len(table))
    assert "rows below '/'" in repr(table)


def test_table_of_a_part(volume):
    table = volume.inode_table("/dirlink")  # a symbolic link to /dir
    assert sorted(table.paths) == sorted(["/dirlink", *(f"/dirlink/{name}" for name in
                                          ("sub", "sub/deep.txt", "a.conf", "b.conf", "b.txt", ".hidden"))])
    assert volume.inode_table(b"/tiny.txt").paths == ["/tiny.txt"]
    with pytest.raises(FileNotFoundError):
        volume.inode_table("/missing")


def test_rows_are_the_documented_struct(volume):
    table = volume.inode_table("/dir")
    kind = table.dtype()
    assert len(table.buffer()) == len(table) * kind["itemsize"] and table.buffer().readonly
    places = dict(zip(kind["names"], kind["offsets"]))
    size = [struct.unpack_from("=Q", table.buffer(), row * kind["itemsize"] + places["size"])[0] for row in range(len(table))]
    assert size == [table.stat(row).st_size for row in range(len(table))]


def test_names_of_one_inode_and_inodes_without_a_name(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/a").write_bytes(b"one")
        volume.path("/b").hardlink_to("/a")
        volume.path("/gone").write_bytes(b"two")
        volume.commit()
        kept = volume.path("/gone").inode()
        volume.path("/gone").unlink()
        named = volume.inode_table()
        assert sorted(named.paths) == ["/", "/a", "/b"]
        links = [row for row, path in enumerate(named.paths) if path in ("/a", "/b")]
        assert {named.stat(row).st_ino for row in links} == {volume.path("/a").stat().st_ino}
        table = volume.inode_table(unnamed=True)
        assert sorted(table.paths) == ["", "/", "/a", "/b"]
        row = table.paths.index("")
        assert table.stat(row).st_ino == kept.number and table.stat(row).st_size == 3 and table.stat(row).st_nlink == 0
        kept.close()
        volume.commit()
        assert sorted(volume.inode_table(unnamed=True).paths) == ["/", "/a", "/b"]
        volume.path("/b").unlink()
        volume.path("/a").unlink()  # nobody has it open: it is free, though the last commit has it
        assert volume.inode_table(unnamed=True).paths == ["/"]


def test_stats_of_a_scan(volume):
    plain, bulk = list(volume.scan()), list(volume.scan(stats=True))
    assert [path for path, _ in bulk] == [path for path, _ in plain]
    for (_, one), (_, other) in zip(plain, bulk):
        assert (one.name, one.ino, one.type, one.directory) == (other.name, other.ino, other.type, other.directory)
        assert (one.raw_name, one.position, one.hash) == (other.raw_name, other.position, other.hash)
        assert same_stat(one.stat(), other.stat())


def test_stat_of_a_scan_is_fresh_after_a_change(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/a").write_bytes(b"one")
        (_, entry), = volume.scan(stats=True)
        assert entry.stat().st_size == 3
        volume.path("/a").write_bytes(b"longer")
        assert entry.stat().st_size == 6
        volume.path("/a").unlink()
        with pytest.raises(FileNotFoundError):
            entry.stat()


def test_names_as_stored(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20, features=["encrypt"])
    with f2fskit.open(image, "r+") as volume:
        fill(encrypted(volume))
    for key in (None, KEY):
        with f2fskit.open(image) as volume:
            if key:
                volume.add_key(key)
            plain, bulk = list(volume.scan()), list(volume.scan(stats=True))
            for (path, one), (other_path, other) in zip(plain, bulk):
                assert path == other_path
                assert (one.name, one.raw_name, one.hash) == (other.name, other.raw_name, other.hash)
                assert same_stat(one.stat(), other.stat())
            assert any(entry.raw_name != entry.name.encode() for _, entry in bulk)
            assert sorted(volume.inode_table().paths) == sorted(all_paths(volume))


def damaged(image, *blocks):
    """The image without these blocks: bytes that are no node and no directory."""
    overlay = f2fskit.Device.open(image.path).overlay()
    for block in blocks:
        overlay.write(block * 4096, pattern(block, 4096))
    return overlay


def test_damaged_inode_is_a_row_with_an_error(image, volume):
    lost = volume.path("/tiny.txt").lstat().st_ino
    with damaged(image, volume.nat[lost].block_addr) as device, f2fskit.open(device) as broken:
        table = broken.inode_table()
        row = table.paths.index("/tiny.txt")
        assert table.error(row) == f2fskit.CorruptError.code and table.stat(row).st_ino == lost
        assert [table.error(i) for i in range(len(table))].count(0) == len(table) - 1
        entries = dict(broken.scan(stats=True))
        with pytest.raises(f2fskit.CorruptError):
            entries["/tiny.txt"].stat()
        assert entries["/text.txt"].stat().st_size == 21


def test_damaged_directory_says_so_in_its_row(image, volume):
    many = volume.path("/many").inode()
    block = next(extent.addr for extent in many.extents() if extent.kind == f2fskit.ExtentKind.DATA)
    with damaged(image, block) as device, f2fskit.open(device) as broken:
        table = broken.inode_table()
        assert table.error(table.paths.index("/many")) == f2fskit.CorruptError.code
        with pytest.raises(f2fskit.CorruptError):
            list(broken.scan(stats=True))
        for stats in (False, True):
            errors = []
            found = [path for path, _ in broken.scan(stats=stats, onerror=errors.append)]
            assert errors and all(isinstance(error, Error) for error in errors)
            assert sorted(found) == sorted(table.paths[1:])


def test_array(volume):
    numpy = pytest.importorskip("numpy")
    found = volume.inodes(paths=True)
    paths = list(found["path"])
    assert sorted(paths) == sorted(all_paths(volume)) and found.dtype.names[0] == "path"
    for row, path in zip(found, paths):
        known = volume.path(path).lstat()
        assert row["name"] == path.rsplit("/", 1)[1]
        assert (row["ino"], row["mode"], row["nlink"], row["uid"], row["gid"], row["size"], row["blocks"], row["flags"],
                row["generation"], row["error"]) == (
            known.st_ino, known.st_mode, known.st_nlink, known.st_uid, known.st_gid, known.st_size, known.st_blocks,
            known.st_flags, known.st_gen, 0)
        assert (row["atime_ns"], row["mtime_ns"], row["ctime_ns"]) == (known.st_atime_ns, known.st_mtime_ns, known.st_ctime_ns)
        inode = volume.lookup(path)
        assert bool(row["is_inline"]) == inode.is_inline and bool(row["is_encrypted"]) == inode.is_encrypted
    parents = [-1 if path == "/" else paths.index(path.rsplit("/", 1)[0] or "/") for path in paths]
    assert list(found["parent"]) == parents
    assert set(found["type"][1:]) == {1, 2, 7} and found["type"][0] == 0
    assert volume.inodes(columns=["size", "ino"]).dtype.names == ("size", "ino")
    assert volume.inodes(columns=["size"], paths=True).dtype.names == ("path", "size")
    assert "path" not in volume.inodes().dtype.names
    assert volume.inodes("/dir")["size"].sum() == sum(volume.path(path).lstat().st_size for path in volume.inode_table("/dir").paths)
    for wrong in (["sise"], "size"):
        with pytest.raises(ValueError, match="no column"):
            volume.inodes(columns=wrong)
    assert numpy.isnat(found["crtime_ns"].view("datetime64[ns]")).all()


def test_times_of_an_array(tmp_path):
    pytest.importorskip("numpy")
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20, features=["extra_attr", "inode_crtime"])
    times = {"old": -5, "near": 1_700_000_000_123_456_789, "far": (1 << 62), "beyond": 9_300_000_000 * 10**9}
    with f2fskit.open(image, "r+") as volume:
        for name, value in times.items():
            volume.path("/", name).write_bytes(b"")
            volume.path("/", name).inode().set(mtime_ns=value, crtime_ns=value)
        found = volume.inodes(columns=["name", "mtime_ns", "crtime_ns"])
        shown = {row["name"]: (int(row["mtime_ns"]), int(row["crtime_ns"])) for row in found}
        for name, value in times.items():
            wanted = f2fskit.NO_TIME if name == "beyond" else value
            assert shown[name] == (wanted, wanted)
            assert volume.path("/", name).stat().st_mtime_ns == volume.path("/", name).stat().st_birthtime_ns == value


def test_tables_as_arrays(volume):
    pytest.importorskip("numpy")
    nat = volume.nat.array()
    used = list(volume.nat.used())
    assert list(nat["nid"]) == [entry.nid for entry in used]
    for row, entry in zip(nat, used):
        assert (row["ino"], row["block_addr"], row["version"]) == (entry.ino, entry.block_addr, entry.version)
    assert len(volume.nat.array(3, 10, used=False)) == 7 and volume.nat.array(3, 10, used=False)["nid"][0] == 3
    sit = volume.sit.array()
    assert len(sit) == len(volume.sit)
    for row, entry in zip(sit, volume.sit):
        assert (row["segno"], row["valid_blocks"], row["type"], row["mtime"]) == (
            entry.segno, entry.valid_blocks, entry.type, entry.mtime)
        assert [int(i) for i in row["valid"].nonzero()[0]] == list(entry.valid_offsets())
    ssa = volume.ssa.array(1, 4)
    assert len(ssa) == 3 * 512
    for i, segno in enumerate((1, 2, 3)):
        owners, rows = volume.ssa[segno], ssa[i * 512 : (i + 1) * 512]
        assert set(rows["segno"]) == {segno} and list(rows["offset"]) == list(range(512))
        assert set(rows["entry_type"]) == {owners.entry_type} and set(rows["source"]) == {int(owners.source)}
        assert [(int(row["nid"]), int(row["version"]), int(row["ofs_in_node"])) for row in rows] == [tuple(one) for one in owners]
    assert bytes(volume.ssa.buffer(1, 3)) == bytes(volume.ssa[1].buffer()) + bytes(volume.ssa[2].buffer())


def test_without_numpy(volume, monkeypatch):
    monkeypatch.setitem(sys.modules, "numpy", None)
    with pytest.raises(ImportError, match="inode_table"):
        volume.inodes()
    for table in (volume.nat, volume.sit, volume.ssa):
        with pytest.raises(ImportError, match="buffer"):
            table.array()
    assert len(volume.inode_table()) > 700


def test_a_stat_is_small(volume):
    inode = volume.path("/medium.bin").inode()
    inode.stat()
    gc.collect()
    tracemalloc.start()
    kept = [inode.stat() for _ in range(1000)]
    taken = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert taken / len(kept) < 300
    assert not hasattr(kept[0], "__dict__") and isinstance(kept[0].st_mode, int)
    assert stat.S_ISREG(kept[0][stat.ST_MODE]) and kept[0] == inode.stat() == tuple(inode.stat())
    assert kept[0] in {inode.stat()} and kept[0] != volume.root.stat()


def test_contents_are_read_with_one_copy(volume, image):
    size = volume.path("/large.bin").stat().st_size
    for read in (lambda: volume.read_bytes("/large.bin"), lambda: volume.path("/large.bin").inode().open().read()):
        tracemalloc.start()
        found = read()
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert found == image.truth["/large.bin"] and type(found) is bytes
        assert size <= peak < size * 1.1
    for length in (0, 1, 2, 4097):
        with volume.path("/large.bin").open("rb", 0) as file:
            assert file.read(length) == image.truth["/large.bin"][:length]
    ones = [volume.path("/many/file-0001").read_bytes() for _ in range(2)]
    assert ones == [b"1", b"1"] and bytes(1) == b"\0"  # bytes objects of one byte are shared by all


def test_contents_written_by_path(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image, "r+") as volume:
        path = volume.path("/file")
        assert path.write_bytes(b"first contents") == 14 and path.write_bytes(b"2nd") == 3 and path.read_bytes() == b"2nd"
        assert path.stat().st_mode == stat.S_IFREG | 0o644
        assert path.write_bytes(b"") == 0 and path.read_bytes() == b""
        assert path.write_bytes(memoryview(b"abcdef")[::2]) == 3 and path.read_bytes() == b"ace"
        assert path.write_bytes(memoryview(struct.pack("3I", 1, 2, 3)).cast("I")) == 12
        volume.path("/link").symlink_to("file")
        volume.path("/link").write_bytes(b"through")
        assert path.read_bytes() == b"through" and volume.path("/link").is_symlink()
        for name, kind in (("/", IsADirectoryError), ("/none/file", FileNotFoundError), ("/file/x", NotADirectoryError)):
            with pytest.raises(kind):
                volume.path(name).write_bytes(b"x")
        volume.path("/dir").mkdir()
        with pytest.raises(IsADirectoryError):
            volume.path("/dir").write_bytes(b"x")
    with f2fskit.open(image) as volume, pytest.raises(f2fskit.ReadOnlyError):
        volume.path("/file").write_bytes(b"x")
