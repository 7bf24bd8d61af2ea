# SPDX-License-Identifier: LGPL-2.1-or-later
"""File objects behave as the host's own: the place of appends, sharing between threads, names and warnings."""
import csv
import gc
import gzip
import hashlib
import itertools
import os
import stat
import threading
import warnings

import pytest

import f2fskit

LINE = b"hello\n"


@pytest.fixture
def volume(tmp_path):
    f2fskit.mkfs(tmp_path / "disk.img", 64 << 20)
    with f2fskit.open(tmp_path / "disk.img", "r+") as volume:
        yield volume


@pytest.fixture
def both(volume, tmp_path):
    """The same file in a volume and on the host."""
    paths = volume.path("/file"), tmp_path / "file"
    for path in paths:
        path.write_bytes(LINE)
    return paths


@pytest.mark.parametrize("mode, buffering", [
    ("a", -1), ("a", 1), ("a+", -1), ("ab", -1), ("ab", 0), ("ab", 4096), ("a+b", -1), ("a+b", 0)])
def test_appending_begins_at_the_end(both, mode, buffering):
    seen = []
    for path in both:
        data = b"more" if "b" in mode else "more"
        with path.open(mode, buffering) as file:
            told = [file.tell(), file.truncate(), path.stat().st_size]
            told.append(file.read() if "+" in mode else None)
            told += [file.write(data), file.tell(), file.seek(2), file.read(2) if "+" in mode else None]
            told += [file.write(data), file.tell(), file.seek(0, os.SEEK_END), file.truncate()]
        seen.append((told, path.read_bytes()))
    assert seen[0] == seen[1] and seen[0][0][0] == len(LINE)


def test_appending_to_what_is_not_there(volume, tmp_path):
    for path in (volume.path("/new"), tmp_path / "new"):
        with path.open("ab") as file:
            assert file.tell() == 0
            file.write(LINE)
        with path.open("ab") as file:
            assert file.tell() == len(LINE)


def test_of_an_inode(both):
    file = both[0].inode().open("ab")
    assert file.tell() == len(LINE) and file.truncate() == len(LINE) and both[0].stat().st_size == len(LINE)
    with both[0].inode().open("rb+") as other:
        other.truncate(2)
    assert file.write(b"!") == 1 and file.tell() == 3 and both[0].read_bytes() == b"he!"
    file.close()


@pytest.mark.parametrize("encoding", ["utf-16", "utf-32", "utf-8-sig"])
def test_one_mark_of_byte_order(volume, encoding):
    for word in ("one\n", "two\n"):
        with volume.path("/text").open("a", encoding=encoding) as file:
            file.write(word)
    assert volume.path("/text").read_text(encoding=encoding) == "one\ntwo\n"


def test_one_head_of_a_table(volume):
    for i in range(3):
        with volume.path("/table").open("a", newline="") as file:
            table = csv.writer(file)
            if file.tell() == 0:
                table.writerow(["head"])
            table.writerow([i])
    assert volume.path("/table").read_text().split() == ["head", "0", "1", "2"]


def test_offsets_of_records(volume):
    found = []
    for i in range(3):
        with volume.path("/records").open("ab") as file:
            found.append(file.tell())
            file.write(b"record")
    assert found == [0, 6, 12]


# Threads. What another thread does comes between two calls of ours where the lock is free: a lock that lets the other one run
# to its end when ours has just given it back, or is about to take it, tries each such place, and no test waits for luck.


class Meeting:
    """The lock of a context; the n-th time that it is about to be taken, or was given back, another thread does its work."""

    def __init__(self, lock, n, work):
        self.lock, self.n, self.work = lock, n, work
        self.mine = threading.get_ident()
        self.depth = 0
        self.reached = False

    def meet(self):
        self.n -= 1
        if self.n == 0:
            self.reached = True
            other = threading.Thread(target=self.work)
            other.start()
            other.join()

    def __enter__(self):
        return self.acquire()

    def acquire(self, blocking=True):
        if threading.get_ident() == self.mine:
            if self.depth == 0:
                self.meet()
            self.depth += 1
        return self.lock.acquire(blocking)

    def release(self):
        self.lock.release()
        if threading.get_ident() == self.mine:
            self.depth -= 1
            if self.depth == 0:
                self.meet()

    def __exit__(self, *unused):
        self.release()


def outcomes(volume, prepare, ours, theirs):
    """Yield what prepare() returned, and what each of the two functions of it returned or raised, for every place where
    theirs can come between."""
    core = volume._handle.core
    for n in itertools.count(1):
        subject = prepare(volume.path(f"/{n}"))
        told = {}

        def tell(who, work):
            try:
                told[who] = work(subject)
            except Exception as error:
                told[who] = error

        before = core.lock
        core.lock = meeting = Meeting(before, n, lambda: tell("theirs", theirs))
        try:
            tell("ours", ours)
        finally:
            core.lock = before
        if not meeting.reached:
            assert n > 1
            return
        yield subject, told["ours"], told["theirs"]


def append(data):
    def work(path):
        with path.open("ab", 0) as file:
            return file.write(data)
    return work


def test_two_append_to_a_path(volume):
    for path, ours, theirs in outcomes(volume, lambda path: path, append(b"one\n"), append(b"two\n")):
        assert (ours, theirs) == (4, 4)
        assert sorted(path.read_bytes().split()) == [b"one", b"two"]


@pytest.mark.parametrize("mode", ["wb", "ab", "r+b"])
def test_two_write_through_one_object(volume, mode):
    def prepare(path):
        path.write_bytes(b"")
        return path, path.open(mode, 0)

    for (path, file), ours, theirs in outcomes(volume, prepare, lambda s: s[1].write(b"one"), lambda s: s[1].write(b"two")):
        assert (ours, theirs, file.tell()) == (3, 3, 6)
        assert path.read_bytes() in (b"onetwo", b"twoone")
        file.close()


def into(file):
    buffer = bytearray(4)
    return bytes(buffer[:file.readinto(buffer)])


@pytest.mark.parametrize("read", [into, lambda file: file.read(4), lambda file: file.readall()], ids=["into", "some", "all"])
def test_two_read_through_one_object(volume, read):
    def prepare(path):
        path.write_bytes(b"abcdefgh")
        return path.open("rb", 0)

    for file, ours, theirs in outcomes(volume, prepare, read, into):
        if not isinstance(theirs, bytes):
            raise theirs
        assert b"abcdefgh" in (ours + theirs, theirs + ours) and file.tell() == 8
        file.close()


def test_two_move_one_object(volume):
    def prepare(path):
        path.write_bytes(b"abcdefgh")
        return path.open("r+b", 0)

    for file, *_ in outcomes(volume, prepare, lambda file: file.seek(1, os.SEEK_CUR), lambda file: file.seek(2, os.SEEK_CUR)):
        assert file.tell() == 3
        file.close()
    for file, *_ in outcomes(volume, prepare, lambda file: file.truncate(), lambda file: file.write(b"12345")):
        assert file.inode.size == file.tell() == 5
        file.close()


def test_a_name_is_made_once(volume):
    def exclusive(path):
        path.open("xb", 0).close()

    for path, ours, theirs in outcomes(volume, lambda path: path, exclusive, exclusive):
        assert sorted(type(one).__name__ for one in (ours, theirs)) == ["ExistsError", "NoneType"]


@pytest.mark.parametrize("make", [
    lambda path: path.mkdir(exist_ok=True), lambda path: (path / "a" / "b").mkdir(parents=True, exist_ok=True),
    lambda path: path.open("wb", 0).close(), lambda path: path.open("w+b", 0).close(), lambda path: path.touch()],
    ids=["mkdir", "parents", "wb", "w+b", "touch"])
def test_a_name_is_made_unless_it_is_there(volume, make):
    for path, ours, theirs in outcomes(volume, lambda path: path, make, make):
        assert ours is None and theirs is None and path.exists()


def test_the_kind_of_what_is_removed(volume):
    def prepare(path):
        path.write_bytes(b"")
        return path

    def replace(path):
        path.unlink(missing_ok=True)
        path.mkdir()

    for path, ours, theirs in outcomes(volume, prepare, lambda path: path.unlink(), replace):
        assert theirs is None and path.is_dir() and (ours is None or isinstance(ours, f2fskit.IsDirError))


@pytest.mark.parametrize("put", [lambda path, text: path.write_bytes(text.encode()), lambda path, text: path.write_text(text)],
                         ids=["bytes", "text"])
def test_contents_are_of_one_of_two(volume, put):
    for path, ours, theirs in outcomes(volume, lambda path: path, lambda path: put(path, "short"), lambda path: put(path, "a long one")):
        assert (ours, theirs) == (5, 10) and path.read_bytes() in (b"a long one", b"short")


def test_text_that_cannot_be_encoded_changes_nothing(volume):
    path = volume.path("/text")
    assert path.write_text("grün\n", "utf-16", newline="\r\n") == 5 and path.read_bytes() == "grün\r\n".encode("utf-16")
    for bad in ("\u2028", b"bytes"):
        with pytest.raises((UnicodeEncodeError, TypeError)):
            path.write_text(bad, "latin-1")
    assert path.read_text("utf-16") == "grün\n"


def test_two_read_one_directory(volume):
    def prepare(path):
        path.mkdir()
        for name in "abcdef":
            (path / name).touch()
        return path.inode().iterdir()

    for reader, ours, theirs in outcomes(volume, prepare, next, lambda reader: [next(reader), next(reader)]):
        rest = list(reader)
        found = [ours, *theirs, *rest]
        assert sorted(entry.name for entry in found) == list("abcdef") and len({entry.position for entry in found}) == 6


def test_two_read_one_directory_to_its_end(volume):
    def prepare(path):
        path.mkdir()
        (path / "only").touch()
        return path.inode().iterdir()

    for reader, ours, theirs in outcomes(volume, prepare, list, list):
        assert [entry.name for entry in ours + theirs] == ["only"]


@pytest.mark.parametrize("work", [lambda path: (path / "x").write_bytes(b""), lambda path: (path / "x").write_text(""),
                                  lambda path: (path / "x").rmtree()], ids=["bytes", "text", "tree"])
def test_a_mistake_is_not_the_changes_of_another_thread(volume, work):
    for path, ours, theirs in outcomes(volume, lambda path: path, work, lambda path: path.with_name("other").write_bytes(LINE)):
        assert isinstance(ours, f2fskit.NotFoundError) and theirs == len(LINE)
        assert volume.transaction == f2fskit.Transaction.OPEN


@pytest.mark.parametrize("settle", [lambda volume: volume.commit(), lambda volume: volume.rollback()], ids=["commit", "rollback"])
def test_a_change_beside_a_commit_is_not_left_out_of_the_next(volume, settle):
    """Data during the commit does not count, nor data prepared before it."""
    def write(path):
        path.open("ab", 0).close()

    def both(path):
        write(path.with_name("own " + path.name))
        settle(volume)

    for ours, theirs in ((both, write), (write, lambda path: settle(volume))):
        for *_, told in outcomes(volume, lambda path: path, ours, theirs):
            assert told is None
            volume.commit()
            assert volume.transaction == f2fskit.Transaction.NONE


def test_threads(volume):
    """The same, as it comes: lines of threads with objects of their own, and bytes of one that all share."""
    path, shared = volume.path("/own"), volume.path("/shared").open("wb", 0)

    def work(i):
        for j in range(40):
            append(b"%d %d\n" % (i, j))(path)
            shared.write(b"%d %d\n" % (i, j))

    threads = [threading.Thread(target=work, args=(i,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.close()
    want = sorted(b"%d %d" % (i, j) for i in range(6) for j in range(40))
    for path in (path, volume.path("/shared")):
        assert sorted(path.read_bytes().splitlines()) == want
    back, found = volume.path("/shared").open("rb", 0), []
    threads = [threading.Thread(target=lambda: found.extend(iter(lambda: back.read(1), b""))) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    back.close()
    assert sorted(found) == sorted(bytes([one]) for one in path.read_bytes())


# Attributes of file objects.


@pytest.mark.parametrize("mode, buffering", [
    ("r", -1), ("w", -1), ("a+", -1), ("rt", 1), ("x", -1), ("rb", -1), ("rb", 0), ("wb", 0), ("ab", -1), ("xb", 0), ("r+b", -1)])
def test_names_and_modes(both, mode, buffering):
    seen = []
    for path in both:
        if "x" in mode:
            path.unlink()
        with path.open(mode, buffering) as file:
            assert file.name == str(path) and os.fspath(path) == str(path) if path is both[1] else file.name == "/file"
            seen.append((file.mode, repr(file).replace(str(path), "").lower() if "b" in mode and buffering else None))
            if buffering:
                assert file.buffer.name == file.name if "b" not in mode else file.raw.name == file.name
    if mode == "r+b":
        assert seen[0][0] == seen[1][0] == "rb+"
    assert seen[0] == seen[1]
    with both[0].inode().open() as raw:
        assert raw.name == both[0].inode().number and raw.mode == "rb" and "rb" in repr(raw)
    assert "closed" in repr(raw)


def test_a_packer_takes_the_name(volume):
    with volume.path("/packed").open("wb") as file, gzip.GzipFile(fileobj=file, mode="wb", mtime=0) as packer:
        packer.write(LINE)
    assert gzip.decompress(volume.path("/packed").read_bytes()) == LINE
    assert b"packed\0" in volume.path("/packed").read_bytes()[:20]


def test_lines_of_bytes_are_not_buffered(both):
    for path in both:
        with pytest.warns(RuntimeWarning, match="line buffering") as caught:
            path.open("rb", buffering=1).close()
        assert [os.path.basename(one.filename) for one in caught][:1] == (
            [os.path.basename(__file__)] if path is both[0] else [os.path.basename(caught[0].filename)])
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            path.open("r", buffering=1).close()


@pytest.mark.parametrize("mode, buffering", [("r", -1), ("a", -1), ("rb", -1), ("r+b", -1), ("ab", -1), ("rb", 0)])
def test_what_is_dropped_unclosed(both, mode, buffering):
    for path in both:
        file = path.open(mode, buffering)
        with pytest.warns(ResourceWarning, match="unclosed file") as caught:
            del file
            gc.collect()
        assert len(caught) == 1 and str(path) in str(caught[0].message)
        assert path.read_bytes() == LINE
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            path.open(mode, buffering).close()
            gc.collect()


def test_what_never_opened_is_not_unclosed(tmp_path):
    f2fskit.mkfs(tmp_path / "disk.img", 64 << 20)
    with f2fskit.open(tmp_path / "disk.img") as volume, warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        with pytest.raises(f2fskit.ReadOnlyError):
            f2fskit.InodeIO(volume.root, "wb")
        gc.collect()
    assert not caught


def test_buffers_of_an_unclosed_file_are_written(volume):
    file = volume.path("/left").open("w")
    file.write("text")
    with pytest.warns(ResourceWarning):
        del file
        gc.collect()
    assert volume.path("/left").read_bytes() == b"text"
    assert stat.S_ISREG(volume.path("/left").stat().st_mode)


@pytest.mark.skipif(not hasattr(hashlib, "file_digest"), reason="came with Python 3.11")
def test_digest_of_a_file(both):
    for path in both:
        for buffering in (-1, 0):
            with path.open("rb", buffering) as file:
                assert hashlib.file_digest(file, "sha256").digest() == hashlib.sha256(LINE).digest()
