# SPDX-License-Identifier: LGPL-2.1-or-later
"""A commit whose last flush fails: the error matches the image, with its cache kept and lost."""
import errno
import io

import pytest

import f2fskit


class Disk(io.BytesIO):
    """Bytes with a cache: the state of the last successful flush is durable. Flushes from number `bad` on fail."""

    def __init__(self, data):
        super().__init__(data)
        self.durable, self.flushes, self.bad, self.is_sick = bytes(data), 0, None, True

    def flush(self):
        self.flushes += 1
        if self.bad is not None and self.flushes >= self.bad:
            if not self.is_sick:
                self.bad = None
            raise OSError(errno.EIO, "the disk is sick")
        self.durable = self.getvalue()


@pytest.fixture
def disk(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20, time=0)
    with f2fskit.open(image, "r+", now=0) as volume:
        volume.path("/old").write_bytes(b"old")
    return Disk(image.read_bytes())


def names(data):
    with f2fskit.open(io.BytesIO(data), mode="strict") as volume:
        assert f2fskit.check(io.BytesIO(data)).is_sound
        return sorted(path.name for path in volume.path("/").iterdir() if path.name != "lost+found")


BEFORE, AFTER = ["old"], ["new", "old"]


def flushes_of_a_commit(data):
    disk = Disk(data)
    with f2fskit.open(disk, "r+", now=0) as volume:
        volume.path("/new").write_bytes(b"new")
        first = disk.flushes
        volume.commit()
        return first, disk.flushes - first


@pytest.mark.parametrize("again", ["commit", "rollback", "rollback in vain", "leave"])
@pytest.mark.parametrize("number", [1, 2])
def test_commit(disk, number, again):
    before, count = flushes_of_a_commit(disk.getvalue())
    assert count == 2
    volume = f2fskit.open(disk, "r+", now=0)
    volume.path("/new").write_bytes(b"new")
    disk.bad, disk.is_sick = before + number, again == "rollback in vain"
    with pytest.raises(OSError) as caught:
        volume.commit()
    states = names(disk.durable), names(disk.getvalue())
    if number == 1:
        assert caught.value.committed is False and states == (BEFORE, BEFORE)
        volume.close()
        return
    assert isinstance(caught.value, f2fskit.UncertainError) and caught.value.committed is None
    assert caught.value.errno == errno.EIO and "sick" in str(caught.value.__cause__)
    assert states == (BEFORE, AFTER)
    assert volume.transaction == f2fskit.Transaction.UNCERTAIN
    with pytest.raises(f2fskit.StateError):
        volume.path("/more").touch()
    if again == "commit":
        flushes = disk.flushes
        volume.commit()
        assert disk.flushes == flushes + 1
        assert names(disk.durable) == AFTER
        volume.path("/more").touch()
        volume.commit()
        assert names(disk.durable) == ["more", "new", "old"]
    elif again == "rollback":
        volume.rollback()
        assert volume.transaction == f2fskit.Transaction.NONE
        assert names(disk.durable) == names(disk.getvalue()) == BEFORE
        volume.path("/more").touch()
        volume.commit()
        assert names(disk.durable) == ["more", "old"]
    elif again == "rollback in vain":
        volume.rollback()
        assert volume.transaction == f2fskit.Transaction.UNCERTAIN
        with pytest.raises(f2fskit.StateError):
            volume.path("/more").touch()
        disk.bad = None
        volume.rollback()
        assert volume.transaction == f2fskit.Transaction.NONE
        assert names(disk.durable) == BEFORE
    volume.close()
    for data in (disk.durable, disk.getvalue()):
        kept = names(data)
        after = Disk(data)
        with f2fskit.open(after, "r+", now=0) as volume:
            volume.path("/again").touch()
        assert names(after.durable) == sorted([*kept, "again"])


def test_end_of_a_block(disk):
    before, _ = flushes_of_a_commit(disk.getvalue())
    with pytest.raises(f2fskit.UncertainError) as caught, f2fskit.open(disk, "r+", now=0) as volume:
        volume.path("/new").write_bytes(b"new")
        disk.bad = before + 2
    assert caught.value.committed is None


def test_what_is_opened_is_made_durable(disk):
    """A commit that only a cache has is flushed before anything is written on top of it."""
    before, _ = flushes_of_a_commit(disk.getvalue())
    volume = f2fskit.open(disk, "r+", now=0)
    volume.path("/new").write_bytes(b"new")
    disk.bad = before + 2
    with pytest.raises(f2fskit.UncertainError):
        volume.commit()
    volume.close()
    disk.bad = None
    assert names(disk.durable) == BEFORE
    with f2fskit.open(disk, "r+", now=0) as volume:
        volume.path("/more").write_bytes(bytes(1 << 20))
        assert names(disk.durable) == AFTER


def test_fsync(disk):
    volume = f2fskit.open(disk, "r+", now=0)
    file = volume.path("/old").inode()
    file.pwrite(b"new", 0)
    first = disk.flushes
    disk.bad, disk.is_sick = first + 2, False
    with pytest.raises(f2fskit.UncertainError):
        file.fsync()
    volume.rollback()
    volume.close()
    found = set()
    for data in (disk.durable, disk.getvalue()):
        with f2fskit.open(io.BytesIO(data), recover="view") as volume:
            found.add(volume.path("/old").read_bytes())
    assert found == {b"old", b"new"}
