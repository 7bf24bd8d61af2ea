# SPDX-License-Identifier: LGPL-2.1-or-later
"""What fails or is interrupted half-way: a commit that succeeds has no file by half."""
import io
import os
import tarfile

import pytest

import f2fskit
from conftest import pattern

OLD = pattern(1, 3_000_000)
ROOM = 20 << 20  # contents of the volume of these tests, about


@pytest.fixture
def disk(tmp_path, peer_check):
    """The path of a new volume with the file /old; f2fs-tools finds nothing wrong with it after the test."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/old").write_bytes(OLD)
    yield path
    peer_check(path)


def contents(path):
    """{name: contents} of a volume, after a check."""
    assert f2fskit.check(path).state.name == "SOUND"
    with f2fskit.open(path) as volume:
        return {name: None if entry.is_dir() else volume.read_bytes(name) for name, entry in volume.scan("/")}


def refused(path, work):
    """Leave a with block that ends normally after work(volume) has failed: the commit must be refused."""
    with pytest.raises(f2fskit.StateError, match="half-way.*rolled back") as error:
        with f2fskit.open(path, "r+") as volume:
            volume.path("/kept").write_bytes(b"kept")
            work(volume)
            assert volume.transaction.name == "FAILED"
            with pytest.raises(f2fskit.StateError):
                volume.path("/more").touch()
    assert error.value.committed is False
    assert contents(path) == {"/old": OLD}


class Stop(BaseException):
    """As KeyboardInterrupt is, but nobody else raises it."""


def test_a_full_volume_says_what_is_needed(disk):
    with f2fskit.open(disk, "r+") as volume:
        inode = volume.path("/old").inode()
        with pytest.raises(f2fskit.NospcError, match=r"no room for \d+ more blocks: \d+ of its \d+ are free") as error:
            inode.pwrite(bytes(10 * ROOM), 0)
        wanted, free, of = (int(word) for word in str(error.value).split() if word.isdigit())
        assert wanted >= 10 * ROOM // 4096 - len(OLD) // 4096 > free and free < of < 2 * ROOM // 4096
        assert volume.transaction.name == "OPEN"  # nothing was changed by it
        inode.pwrite(b"!", 0)
    assert contents(disk) == {"/old": b"!" + OLD[1:]}


@pytest.mark.parametrize("name", ["/old", "/new"])
def test_write_bytes_without_room(disk, name):
    def work(volume):
        with pytest.raises(f2fskit.NospcError):
            volume.path(name).write_bytes(bytes(10 * ROOM))
    refused(disk, work)


def test_a_file_without_room_for_its_end(disk):
    def work(volume):
        with pytest.raises(f2fskit.NospcError):
            with volume.path("/new").open("wb", buffering=0) as file:
                for _ in range(10 * ROOM >> 20):
                    file.write(pattern(2, 1 << 20))
    refused(disk, work)


def test_what_is_committed_on_the_way_stays_whole(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.configure(commit_when_full=True)
        with pytest.raises(f2fskit.NospcError):
            volume.path("/old").inode().pwrite(pattern(3, 2 * ROOM), 0)
        assert volume.transaction.name == "FAILED"
        volume.rollback()
    assert f2fskit.check(disk).state.name == "SOUND"


def test_populate_without_room(disk, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for i in range(6):
        (source / f"file{i}").write_bytes(pattern(i, ROOM // 4))

    def work(volume):
        with pytest.raises(f2fskit.NospcError, match="no room"):
            volume.populate(source)
    refused(disk, work)


def test_populate_that_is_stopped(disk, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for i in range(3):
        (source / f"file{i}").write_bytes(pattern(i, 100_000))

    def stop(name):
        if name == "file2":
            raise Stop

    def work(volume):
        with pytest.raises(Stop):
            volume.populate(source, on_entry=stop)
    refused(disk, work)


def test_populate_from_an_archive_that_fails(disk, tmp_path):
    whole = io.BytesIO()
    with tarfile.open(fileobj=whole, mode="w") as tar:
        for i in range(3):
            info = tarfile.TarInfo(f"file{i}")
            info.size = 3 << 20
            tar.addfile(info, io.BytesIO(pattern(i, info.size)))

    class Failing(io.BytesIO):
        def read(self, n=-1):
            if self.tell() > 4 << 20:
                raise OSError(5, "no more")
            return super().read(n)

    def failing(volume):
        with pytest.raises(OSError, match="no more"):
            volume.populate(tar=Failing(whole.getvalue()))

    def cut_short(volume):
        with pytest.raises(f2fskit.IoError):
            volume.populate(tar=io.BytesIO(whole.getvalue()[:4 << 20]))

    refused(disk, failing)
    refused(disk, cut_short)


def test_populate_that_fails_at_once_costs_nothing(disk, tmp_path):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/kept").write_bytes(b"kept")
        for options in ({"directory": tmp_path / "missing"}, {"directory": tmp_path, "existing": 99}, {},
                        {"tar": io.BytesIO(b"no archive" * 100)}):
            with pytest.raises((f2fskit.Error, ValueError, TypeError)):
                volume.populate(**options)
            assert volume.transaction.name == "OPEN"
    assert contents(disk) == {"/old": OLD, "/kept": b"kept"}


@pytest.mark.parametrize("existing", ["replace", "update"])
def test_a_source_that_shrinks_is_left_out(disk, tmp_path, existing):
    """The existing file stays; the other files come."""
    source = tmp_path / "source"
    source.mkdir()
    for name in ("new", "old", "whole"):
        (source / name).write_bytes(pattern(name, 5 << 20))
    seen = []

    def shrink(progress):
        # between two pieces of a file; on_entry comes before the file is opened
        if progress.task == "populate" and seen and seen[-1] in ("new", "old"):
            os.truncate(source / seen[-1], 4 << 20)

    with f2fskit.open(disk, "r+", context=f2fskit.Context(progress=shrink)) as volume:
        result = volume.populate(source, existing=existing, check=False, on_entry=seen.append)
        assert [(p.path, p.what) for p in result.problem_list] == [("new", "contents"), ("old", "contents")]
        assert "shorter" in str(result.problem_list[0].error)
        assert (result.files, result.bytes, result.replaced) == (1, 5 << 20, 0)
        inode = volume.path("/old").inode()
        assert inode.i_name == "old" and inode.stat().st_nlink == 1
    assert contents(disk) == {"/old": OLD, "/whole": pattern("whole", 5 << 20)}


def test_replaced_by_what_cannot_be_made(disk):
    """A further name of a missing file, or of the file itself, does not destroy the existing one."""
    archive = io.BytesIO()
    with tarfile.open(fileobj=archive, mode="w") as tar:
        for link in ("missing", "old"):
            info = tarfile.TarInfo("old")
            info.type, info.linkname = tarfile.LNKTYPE, link
            tar.addfile(info)
        info = tarfile.TarInfo("new")
        info.size = 3
        tar.addfile(info, io.BytesIO(b"new"))
    archive.seek(0)
    with f2fskit.open(disk, "r+") as volume:
        result = volume.populate(tar=archive, existing="replace", check=False)
        assert result.files == 1 and result.problems == 1 and result.replaced == 0
    assert contents(disk) == {"/old": OLD, "/new": b"new"}


def test_replacing_a_tree(disk, tmp_path):
    """A directory in the way goes with all in it, once what replaces it is there."""
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "dir").write_bytes(b"a file now")
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/dir/sub").mkdir(parents=True)
        volume.path("/dir/sub/file").write_bytes(b"x")
        result = volume.populate(tmp_path / "source", existing="replace", check=False)
        assert result.problems == 1 and "not empty" in str(result.problem_list[0].error)
        assert volume.path("/dir/sub/file").read_bytes() == b"x"
        volume.populate(tmp_path / "source", existing="replace", delete=True)
    assert contents(disk) == {"/dir": b"a file now"}


def test_given_up(disk):
    """The host's own work of several changes."""
    with f2fskit.open(disk, "r+") as volume:
        volume.fail()  # there is nothing to be lost
        assert volume.transaction.name == "NONE"
        volume.path("/new").write_bytes(b"new")
        volume.fail()
        with pytest.raises(f2fskit.StateError):
            volume.commit()
        volume.rollback()
        volume.path("/other").write_bytes(b"other")
    assert contents(disk) == {"/old": OLD, "/other": b"other"}


def test_rmtree_that_is_stopped(disk, monkeypatch):
    from f2fskit.inode import Inode
    remove, calls = Inode.remove, []

    def stop(self, name):
        calls.append(name)
        if len(calls) == 2:
            raise Stop
        remove(self, name)

    with f2fskit.open(disk, "r+") as volume:
        volume.path("/dir/sub").mkdir(parents=True)
        for name in ("a", "b", "c"):
            volume.path("/dir/sub", name).write_bytes(b"x")
        volume.commit()
        monkeypatch.setattr(Inode, "remove", stop)
        with pytest.raises(Stop):
            volume.path("/dir").rmtree()
        assert volume.transaction.name == "FAILED"
        volume.rollback()
        assert volume.path("/dir/sub/c").exists()


@pytest.mark.parametrize("ends", ["with", "commit"])
@pytest.mark.parametrize("mode, put", [("w", "text"), ("wb", b"text"), ("r+b", b"text"), ("a", "text")])
def test_buffers_of_open_files_are_committed(disk, ends, mode, put):
    with f2fskit.open(disk, "r+") as volume:
        file = volume.path("/old" if mode == "r+b" else "/new").open(mode)
        file.write(put)
        if ends == "commit":
            volume.commit()
            volume.close()
    found = contents(disk)
    assert found["/old"] == (b"text" + OLD[4:] if mode == "r+b" else OLD)
    assert found.get("/new", b"text") == b"text" and ("/new" in found) == (mode != "r+b")


def test_buffers_are_forgotten_with_what_is_discarded(disk):
    with f2fskit.open(disk, "r+") as volume:
        file = volume.path("/old").open("r+b")
        file.write(b"text")
        volume.rollback()
        volume.path("/other").touch()
        volume.commit()
        with f2fskit.open(disk) as seen:
            assert seen.read_bytes("/old") == OLD
    with pytest.raises(ZeroDivisionError), f2fskit.open(disk, "r+") as volume:
        file = volume.path("/new").open("wb")
        file.write(b"text")
        raise ZeroDivisionError
    assert contents(disk) == {"/old": OLD, "/other": b""}


def test_holes_of_terabytes_are_not_read_at_once(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/huge").touch()
        volume.path("/huge").truncate(3 << 40)
        for read in (volume.path("/huge").read_bytes, volume.path("/huge").read_text, volume.lookup("/huge").read_bytes):
            with pytest.raises(f2fskit.TooBigError, match="pass max_bytes"):
                read()
        with volume.path("/huge").open("rb") as file:
            file.seek((3 << 40) - 5)
            assert file.read() == bytes(5)
        volume.path("/huge").truncate(1 << 20)
        assert volume.read_bytes("/huge") == bytes(1 << 20)
        with pytest.raises(f2fskit.TooBigError):
            volume.read_bytes("/huge", max_bytes=(1 << 20) - 1)
        volume.path("/huge").unlink()


def test_seeking_goes_over_reserved_blocks_as_the_kernel_does(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/f").write_bytes(bytes(4096))
        volume.lookup("/f").fallocate(4096, 8192)
        with volume.path("/f").open("r+b", buffering=0) as file:
            file.truncate(100_000)
            assert [file.seek(0, os.SEEK_HOLE), file.seek(4096, os.SEEK_HOLE)] == [12288, 12288]
            with pytest.raises(OSError):
                file.seek(4096, os.SEEK_DATA)
