# SPDX-License-Identifier: LGPL-2.1-or-later
"""Power cuts of procedures: the states that a disk with a volatile cache may keep, and their judgement."""
import itertools

import pytest

import f2fskit
from f2fskit import testing

SECTOR = 512


def raw_states(procedure, **options):
    """The first sectors' first bytes of each state that cuts of writes to a device without a volume leave."""
    disk = f2fskit.Device.memory(64 * SECTOR)
    found = []
    for cut in testing.power_cuts(disk, procedure, judge=False, **options):
        found.append((cut, bytes(cut.device.read(0, 64 * SECTOR)[::SECTOR][:8])))
    return found


def test_writes_between_flushes_come_in_any_order():
    def procedure(device):
        for place in range(3):
            device.write(place * SECTOR, bytes([1]) * SECTOR)
        device.flush()
        device.write(0, bytes([2]) * SECTOR)

    found = raw_states(procedure, reorder=8)
    before = {shown[:3] for cut, shown in found if cut.durable == 0}
    after = {shown[:3] for cut, shown in found if cut.durable == 4}
    assert before == {bytes(one) for one in itertools.product((0, 1), repeat=3)}
    assert after == {b"\1\1\1", b"\2\1\1"} and {cut.durable for cut, _ in found} == {0, 4}
    in_order = {shown[:3] for cut, shown in raw_states(procedure, reorder=False) if cut.durable == 0}
    assert in_order == {b"\0\0\0", b"\1\0\0", b"\1\1\0", b"\1\1\1"}


def test_a_write_is_cut_between_sectors():
    def procedure(device):
        device.write(0, bytes([1]) * SECTOR * 8)

    torn = {shown for cut, shown in raw_states(procedure, reorder=False) if cut.kind == "torn"}
    assert torn == {b"\1" + bytes(7), b"\1" * 4 + bytes(4), b"\1" * 7 + b"\0"}
    every = {shown for _, shown in raw_states(procedure, reorder=False, torn=100)}
    assert every == {b"\1" * n + bytes(8 - n) for n in range(9)}
    assert {shown for _, shown in raw_states(procedure, reorder=False, torn=False)} == {bytes(8), b"\1" * 8}
    assert {shown for _, shown in raw_states(procedure, reorder=False, torn=1)} == {bytes(8), b"\1" * 4 + bytes(4), b"\1" * 8}
    scattered = {shown for cut, shown in raw_states(procedure, reorder=20) if cut.kind == "reordered"}
    assert any(shown[0] == 0 and 1 in shown for shown in scattered)


def test_discarded_and_zeroed_ranges():
    def procedure(device):
        device.write(0, bytes([1]) * SECTOR * 4)
        device.flush()
        device.discard(0, SECTOR)
        device.zero(SECTOR, SECTOR)
        device.flush()

    cut, last = raw_states(procedure)[-1]
    assert last[:4] == b"\xd1\0\1\1" and cut.is_complete and cut.total == 5


def test_many_writes_and_the_same_choices_again():
    def procedure(device):
        for place in range(40):
            device.write(place * SECTOR, bytes([1]) * SECTOR)

    first, second, other = (raw_states(procedure, reorder=10, seed=seed) for seed in (1, 1, 2))
    assert [shown for _, shown in first] == [shown for _, shown in second] != [shown for _, shown in other]
    assert sum(cut.kind == "reordered" for cut, _ in first) <= 20


def test_steps_are_promises():
    def procedure(device):
        device.write(0, bytes([1]) * SECTOR)
        device.flush()
        yield
        device.write(0, bytes([2]) * SECTOR)
        yield
        device.flush()

    seen = {(cut.steps, shown[0]) for cut, shown in raw_states(procedure)}
    assert seen == {(0, 0), (0, 1), (1, 1), (1, 2), (3, 2)}


def test_a_commit_is_atomic_and_a_rewrite_is_not(f2fs_disk):
    def whole(device):
        with f2fskit.open(device, "r+") as volume:
            volume["/f"].write_bytes(b"new" * 9000)

    def in_two(device):
        with f2fskit.open(device, "r+") as volume:
            volume["/f"].truncate(0)
            volume.commit()
            volume["/f"].write_bytes(b"new" * 9000)

    contents = [set(), set()]
    for procedure, seen in zip((whole, in_two), contents):
        for cut in testing.power_cuts(f2fs_disk, procedure):
            with cut.mount() as volume:
                seen.add(volume["/f"].read_bytes())
    assert contents == [{b"old", b"new" * 9000}, {b"old", b"", b"new" * 9000}]
    with f2fskit.open(f2fs_disk) as volume:
        assert volume["/f"].read_bytes() == b"old"


def test_fsynced_data_is_recovered(f2fs_disk):
    def procedure(device):
        volume = f2fskit.open(device, "r+")
        file = volume["/f"].inode()
        file.pwrite(b"NEW", 0)
        file.fsync()
        yield
        volume.close()

    seen = set()
    for cut in testing.power_cuts(f2fs_disk, procedure):
        with cut.mount("r+") as volume:
            seen.add((cut.steps, volume["/f"].read_bytes()))
    assert seen == {(0, b"old"), (0, b"NEW"), (2, b"NEW")}


def test_states_are_judged(f2fs_disk):
    with f2fskit.open(f2fs_disk) as volume:
        ino, address = volume["/f"].inode().number, volume["/f"].inode().address

    def spoil(device):
        device.write(address * 4096 + 4072, b"spoiled!")  # the footer of the inode
        device.flush()

    def unmountable(device):
        for place in (1024, 4096 + 1024):  # both superblocks
            device.write(place, bytes(4))

    with pytest.raises(testing.PowerCutError, match=f"(?s)torn|prefix.*damaged.*{ino}") as caught:
        list(testing.power_cuts(f2fs_disk, spoil))
    assert caught.value.cut.issued == 1
    with pytest.raises(testing.PowerCutError, match="the kernel would refuse the volume"):
        list(testing.power_cuts(f2fs_disk, unmountable))


def test_sources_and_mistakes(f2fs_disk, tmp_path):
    def procedure(device):
        with f2fskit.open(device, "r+") as volume:
            volume["/g"].write_bytes(b"")

    path = tmp_path / "disk.img"
    f2fs_disk.save(path)
    before = path.read_bytes()
    counts = {len(list(testing.power_cuts(source, procedure, reorder=2))) for source in (path, bytearray(before), f2fs_disk)}
    assert len(counts) == 1 and path.read_bytes() == before
    with pytest.raises(ValueError, match="not negative"):
        list(testing.power_cuts(path, procedure, torn=-1))

    def failing(device):
        raise RuntimeError("of its own")

    with pytest.raises(RuntimeError, match="of its own"):
        list(testing.power_cuts(path, failing))


@pytest.fixture
def f2fs_disk():
    with f2fskit.build({"f": "old"}, volume={"time": 0}) as device:
        yield device
