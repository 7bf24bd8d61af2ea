# SPDX-License-Identifier: LGPL-2.1-or-later
"""Placements: methods of the library and policies in Python; whatever they say, the volume is an ordinary one."""
import gc
import random

import pytest

import f2fskit

MIB = 1 << 20


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 512 * MIB)
    return path


class Parity:
    """A placement by the parity of the block's place in the file. Records its calls."""
    streams = 2

    def __init__(self):
        self.asked, self.told = [], []

    def classify(self, ino, file_block, old):
        self.asked.append((ino, file_block, old))
        return file_block % 2

    def written(self, ino, file_block, old, addr):
        self.told.append((file_block, old, addr))


def addresses(inode, blocks):
    return [inode.extent(i).addr for i in range(blocks)]


def test_a_policy_in_python_decides_where_blocks_lie(disk):
    policy = Parity()
    with f2fskit.open(disk, "r+") as volume:
        assert volume.set_placement(policy) is None
        gc.collect()  # the volume keeps the placement that it asks
        inode = volume.root.create("file")
        inode.pwrite(bytes(range(256)) * 16 * 8, 0)
        volume.commit()
        first = addresses(inode, 8)
        assert {block for _, block, _ in policy.asked} == set(range(8))
        assert sorted(policy.told) == [(i, 0, first[i]) for i in range(8)]
        # each stream continues without gaps, in a segment of its own
        assert [b - a for a, b in zip(first[::2], first[2::2])] == [1] * 3 == [b - a for a, b in zip(first[1::2], first[3::2])]
        assert abs(first[0] - first[1]) >= 512 - 4
        assert volume.streams.blocks[:3] == (4, 4, 0) and volume.streams.refused == 0
        inode.pwrite(bytes(4096), 4096)
        volume.commit()
        assert policy.told[-1] == (1, first[1], first[7] + 1)  # a stream continues after a commit
        volume.set_placement(None)
        count = len(policy.asked)
        inode.pwrite(bytes(8192), 0)
        volume.commit()
        assert len(policy.asked) == count and volume.streams.blocks == (0,) * 16
    assert f2fskit.check(disk).found == 0


@pytest.mark.parametrize("answer", [-1, 2, 255, 10**30, None])
def test_an_answer_that_cannot_be_is_none(disk, answer):
    class Wrong(Parity):
        def classify(self, ino, file_block, old):
            return answer

    with f2fskit.open(disk, "r+") as volume:
        volume.set_placement(Wrong())
        volume.path("/file").write_bytes(bytes(64 << 10))
        volume.commit()
        assert volume.streams.blocks == (0,) * 16
    assert f2fskit.check(disk).found == 0


def test_what_a_policy_raises_comes_out(disk):
    class Raising(Parity):
        def classify(self, ino, file_block, old):
            raise KeyError("mine")

    with f2fskit.open(disk, "r+") as volume:
        volume.set_placement(Raising())
        inode = volume.root.create("file")
        with pytest.raises(KeyError, match="mine"):
            inode.pwrite(b"x" * 8192, 0)
        volume.rollback()
        volume.set_placement(None)
        volume.path("/file").write_bytes(b"y")
    assert f2fskit.check(disk).found == 0


@pytest.mark.parametrize("method", ["m2h", "death", "lifespan", "adaptive"])
def test_methods_learn_and_the_volume_is_sound(disk, method):
    rng = random.Random(7)
    model = bytearray(24 * MIB)
    with f2fskit.open(disk, "r+") as volume:
        hotness = volume.set_placement(method, **({"delays": 1, "round": 500} if method == "m2h" else {}))
        inode = volume.root.create("file")
        inode.pwrite(bytes(model), 0)
        for i in range(4000):
            block = rng.randrange(200) if i % 4 else rng.randrange(len(model) // 4096)
            data = i.to_bytes(4, "little") * 1024
            inode.pwrite(data, block * 4096)
            model[block * 4096:block * 4096 + 4096] = data
            if i % 500 == 499:
                volume.commit()
        stat = hotness.stat
        assert 0 < stat.known <= stat.written and stat.memory > 0 and stat.classes == len(stat.borders)
        assert sum(volume.streams.blocks) > 0 or not stat.separates
        assert stat.separates or method == "adaptive"
        inode.pwrite(b"not committed", 0)
        with pytest.raises(f2fskit.StateError):
            hotness.close()
        assert hotness.stat.written >= stat.written
        volume.rollback()
        hotness.close()
        hotness.close()
        with pytest.raises(ValueError, match="closed"):
            hotness.stat
    with f2fskit.open(disk) as volume:
        assert volume.read_bytes("/file") == model
    assert f2fskit.check(disk).found == 0


def test_the_end_of_a_block_commits(disk):
    with f2fskit.open(disk, "r+") as volume:
        learned = volume.set_placement("death")
        volume.path("/new").write_text("kept")
        inode = volume.root.create("gone")
        volume.path("/gone").unlink()  # still open: it goes when the block ends
    with pytest.raises(ValueError, match="closed"):
        learned.stat
    assert inode.closed
    with f2fskit.open(disk) as volume:
        assert volume.path("/new").read_text() == "kept" and not volume.orphans
    assert f2fskit.check(disk).is_sound


def test_closing_with_changes_drops_them(disk):
    volume = f2fskit.open(disk, "r+")
    hotness = volume.set_placement("m2h")
    volume.path("/file").write_bytes(bytes(MIB))
    volume.close()
    with pytest.raises(ValueError, match="closed"):
        hotness.stat
    with f2fskit.open(disk) as volume:
        assert not volume.path("/file").exists()


def test_a_sidecar_keeps_what_was_learned(disk):
    context = f2fskit.Context()
    with f2fskit.Device.memory(4 * MIB, context=context) as sidecar:
        for fits in (0, 1):
            with f2fskit.open(disk, "r+", context=context) as volume:
                hotness = volume.set_placement("m2h", sidecar=sidecar)
                assert hotness.stat.sidecar_fits == fits
                volume.path("/file").write_bytes(bytes(MIB))
                volume.commit()
                hotness.close()
    # the device is still there when the volume ends after it
    with f2fskit.open(disk, "r+", context=context) as volume:
        with f2fskit.Device.memory(4 * MIB, context=context) as sidecar:
            volume.set_placement("m2h", sidecar=sidecar)
        volume.path("/file").write_bytes(bytes(MIB))
    with f2fskit.open(disk, "r+") as volume, f2fskit.Device.memory(4096) as short:
        with pytest.raises(f2fskit.InvalidError):
            volume.set_placement("m2h", sidecar=short)


def test_what_cannot_be_is_refused(disk, tmp_path):
    with f2fskit.open(disk, "r+") as volume:
        with pytest.raises(ValueError, match="none of m2h, death, lifespan, adaptive"):
            volume.set_placement("m2")
        with pytest.raises(TypeError, match="no option 'stream'"):
            volume.set_placement("m2h", stream=3)
        with pytest.raises(TypeError):
            volume.set_placement(None, streams=3)
        with pytest.raises(f2fskit.InvalidError):
            volume.set_placement("m2h", streams=17)
        volume.path("/a").write_bytes(b"a")
        with pytest.raises(f2fskit.StateError):
            volume.set_placement("m2h")
    small = tmp_path / "small.img"
    f2fskit.mkfs(small, 64 * MIB)
    with f2fskit.open(small, "r+") as volume, pytest.raises(f2fskit.NospcError):
        volume.set_placement("m2h")
    with f2fskit.open(disk) as volume, pytest.raises(f2fskit.ReadOnlyError):
        volume.set_placement("m2h")
