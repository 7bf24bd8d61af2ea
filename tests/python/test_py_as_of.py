# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume as earlier checkpoints had it, against a model that knows every state."""
import random

import pytest

import f2fskit
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr"]


def newest(volume):
    with volume.past() as past:
        return past.show_stat().newest


def change(volume, model, pick, step):
    """Some random changes of the volume and of the model: contents by path, None for a directory."""
    for i in range(pick.randrange(1, 6)):
        name = f"/d{pick.randrange(3)}"
        path = f"{name}/f{pick.randrange(8)}"
        if name not in model:
            volume.path(name).mkdir()
            model[name] = None
        what = pick.random()
        if what < 0.25 and path in model:
            volume.path(path).unlink()
            del model[path]
        elif what < 0.3:
            for gone in [one for one in model if one.startswith(name + "/")]:
                volume.path(gone).unlink()
                del model[gone]
            volume.path(name).rmdir()
            del model[name]
        else:
            model[path] = pattern(step * 10 + i, pick.choice([7, 3000, 9000, 80_000]))
            if volume.path(path).exists():
                volume.path(path).unlink()  # a new file: no block is written in place
            volume.path(path).write_bytes(model[path])


def shown(volume):
    """The tree as it can be read, and how many files could not be."""
    found, lost = {}, 0
    for path, entry in volume.scan(onerror=lambda error: None):
        try:
            inode = entry.inode()
            found[path] = None if inode.is_dir() else inode.read_bytes()
        except f2fskit.OverwrittenError:
            lost += 1
    return found, lost


@pytest.mark.parametrize("seed", range(4))
def test_every_state_against_the_model(tmp_path, seed):
    disk, pick = tmp_path / "disk.img", random.Random(seed)
    f2fskit.mkfs(disk, 64 << 20, features=FEATURES)
    model, states = {}, {}
    with f2fskit.open(disk, "r+") as volume:
        for step in range(25):
            change(volume, model, pick, step)
            volume.commit()
            states[newest(volume)] = dict(model)
    with f2fskit.open(disk) as volume:
        for version, state in states.items():
            with volume.as_of(version) as past:
                found, lost = shown(volume)
                stat = past.show_stat()
            assert stat.version == version
            for path, contents in found.items():
                assert path in state and contents == state[path], (version, path)
            if not stat.inodes_unsure + stat.nodes_unsure:
                assert lost or found == state, version
        assert found == model and not lost  # the last one is that of now
        assert sum(bool(state) for state in states.values()) > 15
        with volume.as_of(0):
            assert shown(volume) == (model, 0)


def test_nothing_was_written_over(tmp_path):
    """On a large volume of which nothing was used twice every state is there, whole."""
    disk, pick, states, model = tmp_path / "disk.img", random.Random(99), {}, {}
    f2fskit.mkfs(disk, 256 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        for step in range(12):
            change(volume, model, pick, step)
            volume.commit()
            states[newest(volume)] = dict(model)
    with f2fskit.open(disk) as volume:
        for version, state in states.items():
            with volume.as_of(version) as past:
                assert shown(volume) == (state, 0)
                stat = past.show_stat()
            assert not stat.inodes_lost + stat.nodes_lost + stat.blocks_overwritten


def test_handles_and_limits(tmp_path):
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 64 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        for text in (b"old", b"new"):
            volume.path("/file").write_bytes(text)
            volume.commit()
        now = volume.lookup("/file")
        with volume.as_of(-1) as past:
            then = volume.lookup("/file")
            assert now.read_bytes() == b"new" and then.read_bytes() == b"old" and then.is_past
            with pytest.raises(f2fskit.ReadOnlyError):
                volume.path("/other").write_bytes(b"x")
            with pytest.raises(f2fskit.StateError):
                past.deleted()
        assert then.read_bytes() == b"old" and volume.path("/file").read_bytes() == b"new"
        for version in (2**32 - 1, -(2**32)):
            with pytest.raises(f2fskit.RangeError), volume.as_of(version):
                pass
        volume.path("/other").write_bytes(b"x")
        with pytest.raises(f2fskit.StateError), volume.as_of(0):
            pass
