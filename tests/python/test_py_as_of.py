# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume as earlier checkpoints had it, against a model that knows every state."""
import random
import threading

import pytest

import f2fskit
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr"]


def newest(volume):
    with volume.past() as past:
        return past.stat().newest


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
                found, lost = shown(past)
                stat = past.as_of_stat()
            assert stat.version == version
            for path, contents in found.items():
                assert path in state and contents == state[path], (version, path)
            if not stat.inodes_unsure + stat.nodes_unsure:
                assert lost or found == state, version
        assert found == model and not lost  # the last one is that of now
        assert sum(bool(state) for state in states.values()) > 15
        with volume.as_of(0) as past:
            assert shown(past) == shown(volume) == (model, 0)


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
                assert shown(past) == (state, 0)
                stat = past.as_of_stat()
            assert not stat.inodes_lost + stat.nodes_lost + stat.blocks_overwritten


def three_states(disk, texts=(b"one", b"two", b"three"), size=64 << 20):
    f2fskit.mkfs(disk, size, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        for text in texts:
            if volume.path("/file").exists():
                volume.path("/file").unlink()
            volume.path("/file").write_bytes(text)
            volume.path(f"/at-{text[:5].decode('latin-1')}" if len(text) < 9 else f"/at-{len(text)}").write_bytes(b"")
            volume.commit()


def test_handles_and_limits(tmp_path):
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 64 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        for text in (b"old", b"new"):
            volume.path("/file").write_bytes(text)
            volume.commit()
        now = volume.lookup("/file")
        with volume.as_of(-1) as past:
            then = past.lookup("/file")
            assert now.read_bytes() == b"new" and then.read_bytes() == b"old" and then.is_past and then.volume is past
            assert "as of checkpoint" in repr(past) and past.as_of_stat().version == newest(volume) - 1
            with pytest.raises(f2fskit.ReadOnlyError):
                past.path("/other").write_bytes(b"x")
            for refused in (past.deleted, past.timeline, past.former_names, past.leftovers, past.carve, past.metadata):
                with pytest.raises(f2fskit.StateError):
                    refused()
            with pytest.raises(f2fskit.UnsupportedError, match="no NAT, SIT and SSA of its time"):
                f2fskit.check(past)
            assert [version.open().read_bytes() for version in past.versions("/file")] == [b"old"]
            assert [version.open().read_bytes() for version in volume.versions("/file")] == [b"old", b"new"]
        with pytest.raises(ValueError):
            then.read_bytes()
        assert volume.as_of_stat().version == 0 and volume.path("/file").read_bytes() == b"new"
        with pytest.raises(TypeError):
            f2fskit.check(volume)
        for version in (2**32 - 1, -(2**32)):
            with pytest.raises(f2fskit.RangeError):
                volume.as_of(version)
        volume.path("/other").write_bytes(b"x")
        with pytest.raises(f2fskit.StateError):
            volume.as_of(0)


def test_views_within_views(tmp_path):
    disk = tmp_path / "disk.img"
    three_states(disk)
    with f2fskit.open(disk) as volume:
        with volume.as_of(-1) as outer:
            with volume.as_of(-2) as inner, outer.as_of(-1) as nested:
                for view, text in ((volume, b"three"), (outer, b"two"), (inner, b"one"), (nested, b"one")):
                    assert view.path("/file").read_bytes() == text
                assert nested.as_of_stat().version == inner.as_of_stat().version
                with pytest.raises(f2fskit.RangeError):
                    outer.as_of(newest(volume))
            assert outer.path("/file").read_bytes() == b"two" and volume.path("/file").read_bytes() == b"three"
            assert [one.path for one in f2fskit.diff(outer, volume, ignore=["mtime"])] == ["/at-three", "/file"]
            assert f2fskit.diff(outer, outer.as_of(0)) == []
            outer.extract(tmp_path / "out")
        assert (tmp_path / "out/file").read_bytes() == b"two"
        assert {path.name for path in (tmp_path / "out").iterdir()} == {"file", "at-one", "at-two"}
        assert f2fskit.diff(volume.as_of(-1), tmp_path / "out", ignore=["mtime"]) == []
        left = volume.as_of(-2)
    assert left.closed  # with its volume
    with pytest.raises(ValueError):
        left.path("/file").read_bytes()


def test_order_of_closing(tmp_path):
    disk = tmp_path / "disk.img"
    three_states(disk)
    for order in ((0, 1, 2), (0, 2, 1), (1, 0, 2), (1, 2, 0), (2, 1, 0), (2, 0, 1)):
        with f2fskit.open(disk) as volume:
            outer = volume.as_of(-1)
            nested = outer.as_of(-1)
            inodes = [one.lookup("/file") for one in (volume, outer, nested)]
            for i in order:
                (volume, outer, nested)[i].close()
                alive = [not one.closed for one in (volume, outer, nested)]
                for one, inode, text in zip(alive, inodes, (b"three", b"two", b"one")):
                    if one:
                        assert inode.read_bytes() == text
                    else:
                        with pytest.raises(ValueError):
                            inode.read_bytes()


def test_generators_that_wait(tmp_path):
    """An operation that began on the volume stays with the volume, and one on a view with the view."""
    disk = tmp_path / "disk.img"
    three_states(disk)
    with f2fskit.open(disk) as volume:
        now = volume.scan()
        first = next(now)[0]

        def walk():
            with volume.as_of(-2) as past:
                yield from ((path, entry.inode().size) for path, entry in past.scan())

        then = walk()
        second = next(then)
        assert volume.path("/file").read_bytes() == b"three" and {name for name, _ in volume.scan()} >= {"/at-three"}
        assert {first} | {path for path, _ in now} == {"/file", "/at-one", "/at-two", "/at-three"}
        assert dict([second, *then]).keys() == {"/file", "/at-one"}
        waiting = walk()
        next(waiting)  # left alone: a generator that nobody ends
        assert volume.path("/file").read_bytes() == b"three"
        del waiting


def test_threads(tmp_path):
    """Each reader sees its own state, however they take turns."""
    disk = tmp_path / "disk.img"
    three_states(disk, (b"one" * 9000, b"two" * 8000, b"three" * 7000))
    wrong = []

    def read(view, text):
        for _ in range(60):
            with view.path("/file").open("rb") as file:
                if view.path("/file").read_bytes() != text or file.read() != text or view.lookup("/file").read_bytes() != text:
                    wrong.append(text[:5])

    with f2fskit.open(disk) as volume, volume.as_of(-1) as second, volume.as_of(-2) as first:
        threads = [threading.Thread(target=read, args=pair) for pair in (
            (volume, b"three" * 7000), (second, b"two" * 8000), (first, b"one" * 9000), (volume, b"three" * 7000))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert not wrong


def test_the_past_is_copied_into_the_present(tmp_path):
    """The volume is written, also without a commit, while its views are read: they show the same as before, or report that
    it is lost."""
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 96 << 20, features=FEATURES)
    pick, state = random.Random(1), {}
    with f2fskit.open(disk, "r+") as volume:
        for i in range(40):
            path = f"/f{i}"
            state[path] = pattern(i, pick.choice((100, 5000, 60_000, 600_000)))
            volume.path(path).write_bytes(state[path])
        volume.commit()
        for i in range(0, 40, 2):
            volume.path(f"/f{i}").unlink()
        volume.commit()
        view = volume.as_of(-1)
        lost, rounds = set(), 0
        while len(lost) < 10 and rounds < 60:
            rounds += 1
            for path in list(state)[::2]:  # one by one, each after changes
                try:
                    found = view.path(path).read_bytes()
                except f2fskit.OverwrittenError:
                    lost.add(path)
                    continue
                assert found == state[path], (rounds, path)
                if not volume.path(path).exists():
                    volume.path(path).write_bytes(found)
            volume.path("/large").write_bytes(pattern(rounds, 8_000_000))
            if rounds % 3 == 0:
                volume.commit()
            elif rounds % 3 == 1:
                volume.rollback()
        assert 0 < len(lost) < 20 and view.as_of_stat().blocks_overwritten + view.as_of_stat().inodes_lost > 0
        volume.path("/waits").write_bytes(b"x")
        with pytest.raises(f2fskit.StateError):
            volume.as_of(-1)
        volume.rollback()
        for path, contents in list(state.items())[1::2]:
            assert volume.path(path).read_bytes() == contents


def test_tables_of_a_view_stay(tmp_path):
    """Many commits write over every copy of the tables; a view judges by those that it was opened with."""
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 256 << 20, features=FEATURES)
    texts = {f"/f{i}": pattern(i, 30_000) for i in range(30)}
    with f2fskit.open(disk, "r+") as volume:
        for path, text in texts.items():
            volume.path(path).write_bytes(text)
        volume.commit()
        for path in texts:
            volume.path(path).unlink()
        volume.commit()
        view = volume.as_of(-1)
        nested = view.as_of(0)
        sit, nat = bytes(view.sit.buffer()), bytes(view.nat.buffer())
        for i in range(8):
            volume.path(f"/new-{i}").write_bytes(pattern(i, 1000))
            volume.commit()
        assert bytes(view.sit.buffer()) == sit != bytes(volume.sit.buffer()) and bytes(view.nat.buffer()) == nat
        assert bytes(nested.sit.buffer()) == sit and bytes(nested.nat.buffer()) == nat
        volume.path("/last").write_bytes(b"last")
        volume.commit()
        assert bytes(nested.sit.buffer()) == sit
        whole = sum(one.read_bytes() == texts[path] for path, one in ((path, nested.lookup(path)) for path in texts)
                    if not lost_to(one))
        assert whole >= 25


def lost_to(inode):
    try:
        inode.read_bytes()
    except f2fskit.OverwrittenError:
        return True
    return False


def test_what_a_rollback_overwrote(tmp_path):
    """Rolled-back changes have written to free blocks, and no table shows it: their old contents are not called intact, in
    the volume or in a view, before and after further commits."""
    disk, text = tmp_path / "disk.img", pattern("text", 3_000_000)
    f2fskit.mkfs(disk, 64 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/keep").write_bytes(pattern("keep", 7_000_000))
        volume.path("/file").write_bytes(text)
        volume.commit()
        volume.path("/file").unlink()
        volume.commit()
        volume.path("/other").write_bytes(b"other")
        volume.commit()
        file, = volume.deleted()
        addr = file.version.addr
        assert file.confidence == f2fskit.Confidence.WHOLE and file.open().read_bytes() == text
        before = volume.as_of(-2)
        for i in range(3):
            volume.path("/large").write_bytes(pattern(i, 9_000_000))
            volume.rollback()
            file, = volume.deleted()
            assert file.version.addr == addr and file.confidence == f2fskit.Confidence.METADATA
            assert file.open(overwritten=True).read_bytes() != text
            for view in (before, volume.as_of(i and -2 - i or -2)):
                assert lost_to(view.lookup("/file")) and view.path("/keep").read_bytes() == pattern("keep", 7_000_000)
            volume.path("/other").write_bytes(b"%d" % i)
            volume.commit()


def test_keys(tmp_path):
    """A view reads by the keys that its volume has."""
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 64 << 20, features=[*FEATURES, "encrypt"])
    with f2fskit.open(disk, "r+") as volume:
        key = volume.add_key(bytes(range(64)))
        volume.path("/secret").mkdir()
        volume.lookup("/secret").encrypt(key)
        volume.path("/secret/file").write_bytes(pattern(1, 10_000))
        volume.commit()
        volume.path("/secret/file").unlink()
        volume.path("/secret/file").write_bytes(pattern(2, 10_000))
        volume.commit()
        with volume.as_of(-1) as past:
            assert past.path("/secret/file").read_bytes() == pattern(1, 10_000)
            assert volume.path("/secret/file").read_bytes() == pattern(2, 10_000)


@pytest.mark.parametrize("version", [1, 77])
def test_a_root_of_later_is_not_the_old_one(tmp_path, version):
    """What formatting wrote was discarded. The root that was written after its checkpoint has the same number."""
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 64 << 20, features=FEATURES, checkpoint_version=version)
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/later").write_bytes(b"later")
        volume.commit()
        volume.path("/last").write_bytes(b"last")
    with f2fskit.open(disk) as volume, volume.as_of(version) as past:
        assert shown(past) == ({}, 0)
    with f2fskit.open(disk) as volume:
        first = min(found.addr for found in volume.versions(3))
    with f2fskit.Device.open(disk, writable=True) as device:
        device.write(first * 4096, bytes(4096))
    with f2fskit.open(disk) as volume:
        assert min(found.addr for found in volume.versions(3)) > first
        with volume.as_of(version) as past:
            with pytest.raises(f2fskit.OverwrittenError, match="inode 3, as it was at checkpoint %d, is not left" % version):
                list(past.scan("/"))
            assert past.as_of_stat().inodes_lost > 0
