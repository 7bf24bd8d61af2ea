# SPDX-License-Identifier: LGPL-2.1-or-later
"""Open objects have one owner: they cannot be copied, and changes are not dropped without a warning."""
import copy
import pickle

import f2fskit
import pytest

COPIES = [copy.copy, copy.deepcopy, pickle.dumps]


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 256 << 20)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/old").write_bytes(b"old")
    return path


@pytest.mark.parametrize("twin", COPIES)
def test_nothing_open_can_be_copied(disk, twin):
    with f2fskit.open(disk, "r+") as volume:
        inode = volume.lookup("/old")
        device = f2fskit.Device.memory(1 << 20, context=volume.context)
        recorder = device.recorder()
        past = volume.past()
        learned = volume.set_placement("death")
        owners = [volume, volume.context, inode, inode.open(), volume.root.iterdir(), device, recorder, recorder.records, past,
                  past.carver(), learned]
        volume.path("/new").write_text("hi")
        for owner in owners:
            with pytest.raises(TypeError, match="copied nor pickled|cannot pickle"):
                twin(owner)
        with pytest.raises(TypeError):
            twin({"volume": volume} if twin is not copy.copy else volume)
        assert not any(owner.closed for owner in owners if hasattr(owner, "closed"))
        assert inode.read_bytes() == b"old"
    with f2fskit.open(disk) as volume:
        assert volume.path("/new").read_text() == "hi"


def test_plain_values_can_be_copied(disk):
    with f2fskit.open(disk) as volume:
        path = volume.path("/old")
        assert copy.copy(path) == path and copy.copy(path).read_bytes() == b"old"
        for value in (path.stat(), volume.superblock, volume.geometry, volume.nat[3]):
            assert copy.copy(value) == value and pickle.loads(pickle.dumps(value)) == value


def test_closing_within_the_block_is_reported(disk):
    with pytest.raises(f2fskit.StateError, match="closed before the end") as caught:
        with f2fskit.open(disk, "r+") as volume:
            volume.path("/new").touch()
            volume.close()
            volume.close()
    assert caught.value.committed is False
    with f2fskit.open(disk) as volume:
        assert not volume.path("/new").exists()


def test_closing_when_nothing_is_lost_is_quiet(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.close()
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/new").touch()
        volume.commit()
        volume.close()
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/gone").touch()
        volume.rollback()
        volume.close()
    with f2fskit.open(disk, "r+") as volume:
        with pytest.raises(f2fskit.ExistsError):
            volume.root.create("new")  # refused: nothing changed
        volume.close()
    with pytest.raises(ZeroDivisionError):
        with f2fskit.open(disk, "r+") as volume:
            volume.path("/gone").touch()
            volume.close()
            1 / 0
    with f2fskit.open(disk) as volume:
        assert volume.path("/new").exists() and not volume.path("/gone").exists()
