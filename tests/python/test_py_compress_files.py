# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that are there become compressed, and uncompressed again: contents, obstacles, a power cut at each write."""
import f2fskit
import pytest
from conftest import pattern
from f2fskit import CompressLeft

TEXT = b"".join(b"line %d of a text that repeats itself\n" % i for i in range(15000))
TREE = {
    "inline": b"small", "empty": b"", "text": TEXT, "end": TEXT[:100_001], "noise": pattern(7, 150_000),
    "mixed": TEXT[:70_000] + pattern(3, 70_000), "zeros": bytes(300_000),
    "dir": {"log": TEXT * 2, "data": pattern(9, 50_000)}, "link": f2fskit.Entry(symlink="text"),
}
GAIN = {"/text", "/end", "/mixed", "/zeros", "/dir/log", "/sparse"}
SMALLER = {"/dir/log"}  # of those that fill a cluster of 256 blocks
TIME = 1_700_000_000 * 10**9
ON = f2fskit.Feature.EXTRA_ATTR | f2fskit.Feature.COMPRESSION | f2fskit.Feature.INODE_CHECKSUM | f2fskit.Feature.QUOTA


@pytest.fixture
def memory():
    with f2fskit.build(TREE, size=64 << 20, time=TIME, volume={"features": ON}) as device:
        with f2fskit.open(device, "r+") as volume:
            volume.path("/dir/second").hardlink_to(volume["/text"])
            with volume.path("/sparse").open("wb") as file:
                file.seek(200_000)
                file.write(TEXT[:40_000])
                file.seek(500_000)
                file.truncate()
        yield device


def contents(device, **how):
    """{path: contents, target or None, and numbers of stat that no rewriting changes} of all that is there."""
    found = {}
    with f2fskit.open(device, **how) as volume:
        for path, entry in volume.scan():
            held = volume.read_bytes(path) if entry.is_file() else entry.is_symlink() and str(volume[path].readlink())
            stat = entry.stat()
            found[path] = held, stat.st_mode, stat.st_nlink, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, stat.st_atime_ns
    return found


def found_by_check(device, **how):
    return {problem.name for problem in f2fskit.check(device, **how).problems if problem.severity != f2fskit.Severity.STALE}


def is_compressed(volume, path):
    return bool(volume[path].inode().i_flags & f2fskit.InodeFlag.COMPR)


def run(device, *args, **kwargs):
    with f2fskit.open(device, "r+") as volume:
        return volume.compress_files(*args, **kwargs)


@pytest.mark.parametrize("how", [{}, {"algorithm": "lzo"}, {"algorithm": "zstd", "level": 3, "log_cluster": 4, "checksum": True},
                                 {"release": True}, {"algorithm": "lz4", "level": 9, "log_cluster": 8}], ids=str)
def test_there_and_back(memory, how):
    """A dry run has the result of a run. The same call again finds nothing to do. Contents and times stay all the while."""
    before = contents(memory)
    with f2fskit.open(memory) as volume:
        told = volume.compress_files(dry_run=True, **how)
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.compress_files(**how)
    done = run(memory, **how)
    assert done == told and 0 < done.blocks_after < done.blocks_before
    log = how.get("log_cluster", 2)
    assert {row.path for row in done.rows if not row.left} == (SMALLER if log == 8 else GAIN - {"/sparse"} if log == 4 else GAIN)
    assert contents(memory) == before and not found_by_check(memory)
    again = run(memory, **how)
    assert again.changed == 0 and {row.left for row in again.rows} <= {CompressLeft.SO, CompressLeft.INLINE, CompressLeft.GAIN}
    back = run(memory, None)
    assert back.changed == done.changed and contents(memory) == before and not found_by_check(memory)
    with f2fskit.open(memory) as volume:
        assert not any(is_compressed(volume, path) for path in before)


@pytest.mark.parametrize("log", [2, 6, 7, 8])
def test_clusters_larger_than_a_chunk(log):
    """With blocks of 16 KiB a cluster has up to 4 MiB, of which a reader may see a part at a time."""
    large = b"".join(b"%09d\n" % i for i in range(900_000))
    with f2fskit.build({"large": large}, size=256 << 20, volume={"features": ON, "block_size": 16384}) as device:
        before = contents(device)
        assert run(device, "lz4", log_cluster=log).changed == 1
        with f2fskit.open(device) as volume, volume["/large"].inode() as inode:
            for block in range(0, len(large) // 16384):
                extent = inode.extent(block)
                assert extent.kind != f2fskit.ExtentKind.HOLE and extent.file_block == block
                assert extent.kind != f2fskit.ExtentKind.COMPRESSED or extent.count == (1 << log) - block % (1 << log)
            with f2fskit.build({"large": large}, size=256 << 20, volume={"features": ON, "block_size": 16384}) as plain:
                with f2fskit.open(plain) as other:
                    ignored = {"flags", "times", "mtime"}
                    assert not [d for d in f2fskit.diff(other, volume) if set(d.fields) - ignored]
        assert contents(device) == before
        for again in ({"algorithm": "lzo", "log_cluster": 2}, {"algorithm": "zstd", "log_cluster": log}, {"algorithm": None}):
            assert run(device, **again).changed == 1 and contents(device) == before and not found_by_check(device)


def test_holes_stay(memory):
    """Clusters with a hole stay uncompressed: the file has no block more than before, and the same holes."""
    with f2fskit.open(memory, "r+") as volume, volume.path("/holes").open("wb") as file:
        for i in range(0, 600, 3):
            file.seek(i * 4096)
            file.write(TEXT[:4096])
        file.seek(600 * 4096)
        file.write(TEXT[:100_000])

    def shape():
        with f2fskit.open(memory) as volume, volume["/holes"].inode() as inode:
            return inode.i_blocks, [i for i in range(624) if inode.extent(i).kind == f2fskit.ExtentKind.HOLE], volume.statfs().valid_blocks
    before = shape()
    for how in ("lz4", None):
        row = run(memory, how, paths=["/holes"]).rows[0]
        assert row.left is CompressLeft.NONE and shape() == before and (row.blocks_after < row.blocks_before) == (how is not None)


def test_paths_within_each_other(memory):
    with f2fskit.open(memory) as volume:
        told = volume.compress_files(paths=["/", "/dir", "/dir/log"], dry_run=True)
    done = run(memory, paths=["/", "/dir", "/dir/log"])
    assert told == done and len({row.ino for row in done.rows}) == done.files


def test_what_is_asked_for(memory):
    def changed(**how):
        with f2fskit.open(memory) as volume:
            return {row.path for row in volume.compress_files(dry_run=True, **how).rows if not row.left}
    assert changed(paths=["/dir"], include=["l*"]) == {"/dir/log"}
    assert changed(paths=["dir/log", "/end"]) == {"/dir/log", "/end"}
    assert changed(include=["/dir/**"], exclude=["*log"]) == {"/dir/second"}
    assert changed(exclude=["*"]) == set()
    for wrong in ("paths", "include", "exclude"):
        with pytest.raises(TypeError):
            changed(**{wrong: "text"})
    with pytest.raises(FileNotFoundError):
        changed(paths=["/none"])


def test_directories_are_marked(memory):
    assert run(memory, directories=True).directories == 2
    assert run(memory, directories=True).directories == 0
    with f2fskit.open(memory, "r+") as volume:
        volume["/dir"].joinpath("new").write_bytes(TEXT)
        assert is_compressed(volume, "/dir/new")
    assert run(memory, None, directories=True).directories == 2
    with f2fskit.open(memory, "r+") as volume:
        volume["/dir"].joinpath("newer").write_bytes(TEXT)
        assert not is_compressed(volume, "/dir/newer")


def test_what_stays_says_why(memory):
    with f2fskit.open(memory, "r+") as volume:
        volume["/end"].inode().set(pin=True)
        volume["/mixed"].inode().set(flags=int(f2fskit.InodeFlag.NOCOMP))
    left = {row.path: row.left for row in run(memory).rows}
    assert left["/end"] is CompressLeft.PINNED and left["/mixed"] is CompressLeft.FLAG
    assert left["/inline"] is CompressLeft.INLINE and left["/noise"] is CompressLeft.GAIN
    with f2fskit.build({"text": TEXT}, size=64 << 20) as plain:
        with pytest.raises(f2fskit.UnsupportedError, match="lacks the feature compression"):
            run(plain)
        assert run(plain, None).changed == 0
    with f2fskit.open(memory, "r+") as volume:
        volume["/new"].write_bytes(b"")
        with pytest.raises(f2fskit.StateError, match="wait for a commit"):
            volume.compress_files()


def test_open_files_go_on(memory):
    with f2fskit.open(memory, "r+") as volume, volume["/text"].open("r+b") as file:
        assert file.read(10) == TEXT[:10]
        volume.compress_files()
        assert file.read() == TEXT[10:]
        file.write(b"more")
        file.flush()
    assert contents(memory)["/dir/second"][0] == TEXT + b"more" and not found_by_check(memory)


def test_encrypted_files(memory):
    key = bytes(range(64))
    with f2fskit.build({}, size=64 << 20, volume={"features": ON | f2fskit.Feature.ENCRYPT}) as device:
        with f2fskit.open(device, "r+") as volume:
            volume["/secret"].mkdir()
            volume["/secret"].inode().encrypt(volume.add_key(key))
            volume["/secret/text"].write_bytes(TEXT)
        assert {row.left for row in run(device).rows} == {CompressLeft.KEY}
        with f2fskit.open(device, "r+") as volume:
            volume.add_key(key)
            assert volume.compress_files("zstd").changed == 1
            assert volume["/secret/text"].read_bytes() == TEXT
        assert {row.left for row in run(device, None).rows} == {CompressLeft.KEY}
        assert not found_by_check(device)


def test_no_room(memory):
    """A file without room beside its old form stays, and the others of its commit are changed all the same."""
    with f2fskit.build({"first": TEXT}, size=64 << 20, volume={"features": ON}) as device:
        with f2fskit.open(device, "r+") as volume:
            half = volume.statfs().free_blocks * 4096 // 2
            with volume.path("/huge").open("wb") as file:
                while file.tell() < half * 3 // 2:
                    file.write(pattern(file.tell(), 8192) + bytes(8192))
            volume.path("/last").write_bytes(TEXT)
        before = contents(device)
        left = {row.path: row.left for row in run(device, "lz4").rows}
        assert left == {"/first": CompressLeft.NONE, "/huge": CompressLeft.ROOM, "/last": CompressLeft.NONE}
        assert contents(device) == before and not found_by_check(device)


def test_a_stop_leaves_whole_files(memory, tmp_path):
    before = contents(memory)
    calls = []

    def stop(progress):
        calls.append(progress)
        return len(calls) > 3
    image = tmp_path / "disk.img"
    image.write_bytes(memory.read(0, memory.size))
    with pytest.raises(f2fskit.CanceledError), f2fskit.open(image, "r+", progress=stop) as volume:
        for _ in range(1000):
            volume.compress_files()
            volume.compress_files(None)
    assert contents(image) == before and not found_by_check(image)


def test_power_cuts(memory):
    """At each write, whole or torn, all files are there, and the same call ends it."""
    before = contents(memory)
    original, recorder = memory.fork(), memory.recorder()
    done = run(recorder, "lz4", release=True)
    writes = [record for record in recorder.records if record.kind == f2fskit.RecordKind.WRITE]
    assert len(writes) > 8
    for at, record in enumerate(writes):
        for half in (record.data[: len(record.data) // 1024 * 512], record.data):
            original.write(record.offset, half)
            assert contents(original) == before and found_by_check(original) <= {"CP_UNFINISHED"}
        if at % 3 == 0:
            with original.fork() as again:
                found_by_check(again, repair=True)
                run(again, "lz4", release=True)
                assert contents(again) == before and not found_by_check(again)
    with f2fskit.open(original) as volume:
        assert is_compressed(volume, "/text") and done.changed == len(GAIN)
