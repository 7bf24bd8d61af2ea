# SPDX-License-Identifier: LGPL-2.1-or-later
"""Objects that outlive a rollback or a removal: handles, files, buffers and readers of removed files do not affect later ones.

In each test the number of a file that is gone goes to another file, "heir", which has to stay as it is.
"""
import gc
import io
import stat

import pytest

import f2fskit

HEIR = b"contents of the heir"


@pytest.fixture
def volume(tmp_path):
    store = tmp_path / "disk.img"
    f2fskit.mkfs(store, 64 << 20, time=0)
    with f2fskit.open(store, "r+", now=0) as found:
        found.path("/kept").write_bytes(b"kept")
        found.path("/folder").mkdir()
        for i in range(5):
            found.path(f"/folder/{i}").touch()
        found.commit()
        yield found
        found.rollback()


def inherit(volume, gone):
    """Roll back, and make the heir."""
    number = gone.number
    volume.rollback()
    volume.path("/heir").write_bytes(HEIR)
    assert volume.path("/heir").inode().number == number
    volume.commit()


def check(volume):
    volume.commit()
    assert volume.path("/heir").read_bytes() == HEIR
    assert volume.path("/kept").read_bytes() == b"kept"


USES = {
    "stat": lambda i: i.stat(),
    "raw": lambda i: i.raw,
    "fields": lambda i: i.fields(),
    "attribute": lambda i: i.i_size,
    "path": lambda i: i.path,
    "read": lambda i: i.read_bytes(),
    "raw bytes": lambda i: i.read_raw(0, 100),
    "digests": lambda i: i.digests(),
    "open": lambda i: i.open().read(),
    "extents": lambda i: list(i.extents()),
    "nodes": lambda i: i.nodes(),
    "xattrs": lambda i: dict(i.xattrs),
    "entries": lambda i: list(i.iterdir()),
    "entry": lambda i: i.entry("x"),
    "write": lambda i: i.pwrite(b"old", 0),
    "atomic": lambda i: i.pwrite_atomic([(0, b"old")]),
    "truncate": lambda i: i.truncate(0),
    "fsync": lambda i: i.fsync(),
    "reason": lambda i: i.fsync_reason(),
    "mode": lambda i: i.set(mode=0),
    "xattr": lambda i: i.xattrs.__setitem__("user.a", b"old"),
    "create": lambda i: i.create("x"),
    "remove": lambda i: i.remove("x"),
    "compress": lambda i: i.compress(None),
    "verity": lambda i: i.enable_verity(),
}


@pytest.mark.parametrize("mode", [stat.S_IFREG | 0o644, stat.S_IFDIR | 0o755])
def test_inodes(volume, mode):
    gone = volume.root.create("old", mode)
    kept = gone.xattrs
    dict(kept)
    inherit(volume, gone)
    for name, use in USES.items():
        with pytest.raises(ValueError, match="gone"):
            print(name, use(gone))
    with pytest.raises(ValueError):
        dict(kept)
    assert gone.closed and gone != volume.path("/heir").inode() and gone == gone
    with pytest.raises(ValueError):
        volume.root.link("again", gone)
    with pytest.raises(ValueError):
        volume.root.rename("kept", gone, "moved")
    gone.close()
    check(volume)


LAYERS = {
    "raw": lambda path: path.open("w+b", buffering=0),
    "random": lambda path: path.open("w+b"),
    "writer": lambda path: path.open("wb"),
    "append": lambda path: path.open("ab"),
    "text": lambda path: path.open("w"),
    "read text": lambda path: path.open("w+"),
    "own writer": lambda path: io.BufferedWriter(touched(path).open("wb")),
    "own random": lambda path: io.BufferedRandom(touched(path).open("r+b")),
    "own text": lambda path: io.TextIOWrapper(path.open("wb")),
    "own both": lambda path: io.TextIOWrapper(io.BufferedWriter(touched(path).open("wb"))),
}


def touched(path):
    path.touch()
    return path.inode()


def put(file, data):
    file.write(data if isinstance(file, io.TextIOBase) else data.encode())


@pytest.mark.parametrize("ending", ["close", "flush", "write", "read", "drop", "exit"])
@pytest.mark.parametrize("layer", sorted(LAYERS))
def test_files(volume, layer, ending):
    file = LAYERS[layer](volume.path("/old"))
    put(file, "old bytes")
    inherit(volume, volume.path("/old").inode())
    assert file.closed
    if ending == "close":
        file.close()
    elif ending == "drop":
        del file
        gc.collect()
    else:
        with pytest.raises(ValueError):
            {"flush": lambda: file.flush(), "write": lambda: put(file, "x"), "read": lambda: file.read(),
             "exit": lambda: file.__enter__()}[ending]()
    check(volume)


@pytest.mark.parametrize("layer", sorted(LAYERS))
def test_buffers_of_a_file_that_stays(volume, layer):
    """Data written before the rollback never comes back, whatever is done with the file then."""
    opener = LAYERS[layer]
    path = volume.path("/kept")
    if layer in ("random", "raw", "writer", "text", "read text"):
        mode = {"random": "r+b", "raw": "r+b", "writer": "ab", "text": "a", "read text": "r+"}[layer]
        opener = lambda path: path.open(mode, buffering=0 if layer == "raw" else -1)  # noqa: E731
    file = opener(path)
    put(file, "OLD")
    volume.rollback()
    assert path.read_bytes() == b"kept"
    assert file.closed == layer.startswith("own")
    if not file.closed:
        put(file, "new")
        file.flush()
        assert path.read_bytes().endswith(b"new") and b"OLD" not in path.read_bytes().replace(b"\0", b"")
    file.close()
    volume.commit()
    assert b"OLD" not in path.read_bytes()


@pytest.mark.parametrize("mode", ["rb", "r+b", "r", "r+"])
def test_what_was_read_ahead(volume, mode):
    """Readers show the file as it is after the rollback."""
    path = volume.path("/kept")
    path.write_bytes(b"0123456789")
    volume.commit()
    path.write_bytes(b"abcdefghij")
    with path.open(mode) as file:
        assert file.read(2) in ("ab", b"ab")
        volume.rollback()
        assert file.read(3) in ("234", b"234")


def test_text_between_lines(volume):
    """Between lines a text file does not know where it is: it is closed."""
    path = volume.path("/kept")
    path.write_text("one\ntwo\nthree\n")
    volume.commit()
    path.write_text("ONE\nTWO\nTHREE\n")
    with path.open() as file:
        assert next(file) == "ONE\n"
        volume.rollback()
        with pytest.raises(ValueError):
            next(file)


def test_directory_readers(volume):
    folder = volume.root.create("old", stat.S_IFDIR | 0o755)
    for i in range(3):
        folder.create(str(i))
    reader, kept = folder.iterdir(), volume.path("/folder").inode().iterdir()
    entry, other = next(reader), next(kept)
    inherit(volume, folder)
    with pytest.raises(ValueError):
        next(reader)
    with pytest.raises(ValueError):
        entry.inode()
    assert other.inode().is_file()
    assert len(list(kept)) == 4
    check(volume)


def test_entries_of_names_that_are_gone(volume):
    folder = volume.path("/folder").inode()
    made = folder.create("new")
    entry = folder.entry("new")
    inherit(volume, made)
    with pytest.raises(f2fskit.NotFoundError):
        entry.inode()


def test_entries_by_removal(volume):
    """A name that another inode has now is not the entry's file."""
    folder = volume.path("/folder").inode()
    entry = folder.entry("0")
    volume.path("/folder/0").unlink()
    volume.path("/folder/0").write_bytes(b"another")
    with pytest.raises(f2fskit.NotFoundError):
        entry.inode()
    assert folder.entry("1").inode().is_file()


def test_walks(volume):
    """A suspended walk does not enter an inode that reuses the number of a removed directory."""
    top = volume.path("/tree")
    top.mkdir()
    for name in "abc":
        (top / name).mkdir()
        (top / name / "file").touch()
    numbers = {volume.path(f"/tree/{name}").inode().number for name in "abc"}
    walk = volume.walk("/tree")
    next(walk)
    volume.rollback()
    for i in range(8):
        volume.path(f"/heir{i}").mkdir()
    for i in range(8):
        volume.path(f"/heir{i}/inside").touch()
    assert numbers & {volume.path(f"/heir{i}").inode().number for i in range(8)}
    with pytest.raises((f2fskit.NotFoundError, ValueError)):
        print(list(walk))


def test_directories_that_move_stay_in_a_walk(volume):
    for name in ("a", "b"):
        volume.path(f"/folder/{name}").mkdir()
        volume.path(f"/folder/{name}/file").touch()
    found = []
    for path, entry in volume.scan("/folder"):
        found.append(path)
        if entry.is_dir():
            volume.path(path).rename(path + ".moved")
    assert {"/folder/a/file", "/folder/b/file"} <= set(found)


def test_an_orphan_is_a_file_again(volume):
    """A file that lost its name while it was open has it again."""
    kept = volume.path("/kept").inode()
    volume.path("/kept").unlink()
    kept.pwrite(b"changed", 0)
    volume.rollback()
    assert kept.read_bytes() == b"kept" and kept.path == "/kept"
    kept.pwrite(b"K", 0)
    volume.commit()
    assert volume.path("/kept").read_bytes() == b"Kept"


def test_hard_links(volume):
    """A second name goes with the rollback, the file and its handles stay."""
    kept = volume.path("/kept").inode()
    volume.path("/second").hardlink_to("/kept")
    second = volume.path("/second").inode()
    volume.rollback()
    assert second.read_bytes() == b"kept" and second == kept and kept.stat().st_nlink == 1


def test_removed_and_made_anew(volume):
    """Removal, commit, and a new file with the number, while the old one's handle is closed or open."""
    old = volume.path("/kept").inode()
    number = old.number
    volume.path("/kept").unlink()
    volume.commit()
    for i in range(60):
        volume.path(f"/n{i}").touch()
        assert volume.path(f"/n{i}").inode().number != number  # it is still in use
    assert old.read_bytes() == b"kept"
    volume.rollback()


def test_a_failed_commit(volume):
    made = volume.root.create("old")
    volume.fail()
    with pytest.raises(f2fskit.StateError):
        volume.commit()
    assert not made.closed
    inherit(volume, made)
    with pytest.raises(ValueError):
        made.pwrite(b"x", 0)
    check(volume)


def test_a_volume_that_only_reads_keeps_its_files(tmp_path):
    store = tmp_path / "disk.img"
    f2fskit.mkfs(store, 64 << 20, time=0)
    with f2fskit.open(store, "r+", now=0) as volume:
        volume.path("/file").write_bytes(b"abc")
    with f2fskit.open(store) as volume:
        with volume.path("/file").open("rb") as file, io.BufferedReader(volume.path("/file").inode().open()) as own:
            assert file.read(1) == own.read(1) == b"a"
            volume.rollback()
            assert file.read() == own.read() == b"bc"
