# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes on three devices: a wrong order is refused before anything reads or writes, and damage is not taken for it."""
import f2fskit
import pytest

MIB = 1 << 20
CONTENTS = b"nine" * 2000


@pytest.fixture(scope="module")
def three():
    """Devices of equal size, with nodes on each."""
    context = f2fskit.Context()
    devices = [f2fskit.Device.memory(48 * MIB, context=context) for _ in range(3)]
    f2fskit.mkfs(devices[0], devices=[f2fskit.DeviceSpec(device, path=f"m{i}") for i, device in enumerate(devices[1:], 2)], overwrite=True)
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        volume.configure(commit_when_full=True)
        volume["/file1"].write_bytes(CONTENTS)
        for i in range(18000):
            volume[f"/{i}"].touch()
    return devices


def copies(devices):
    return [device.fork() for device in devices]


@pytest.mark.parametrize("order", [(2, 1), (1, 1), (2, 2)])
def test_wrong_order(three, order):
    first, *further = copies(three)
    given = [further[i - 1] for i in order]
    before = [device.read(0, device.size) for device in (first, *further)]
    for call in (lambda: f2fskit.open(first, devices=given), lambda: f2fskit.open(first, "r+", devices=given),
                 lambda: f2fskit.check(first, devices=given, repair=True)):
        with pytest.raises(f2fskit.InvalidError, match="wrong devices, or in the wrong order: the contents of number . .m.. are on"):
            call().close()
    assert [device.read(0, device.size) for device in (first, *further)] == before


def test_right_order_with_damage(three):
    """A device that lost its contents is damage, which a check finds and reading gets around."""
    first, second, third = copies(three)
    third.zero(0, third.size)
    with f2fskit.open(first, devices=[second, third]) as volume:
        assert volume.read_bytes("/file1") == CONTENTS
    assert f2fskit.check(first, devices=[second, third]).problems


def test_somebody_elses_device(three):
    """No node that should be there is on it, and another volume is: nothing writes."""
    first, second, third = copies(three)
    f2fskit.mkfs(third, overwrite=True)
    before = third.read(0, third.size)
    with pytest.raises(f2fskit.ForeignError), f2fskit.open(first, "r+", devices=[second, third]) as volume:
        volume["/file1"].unlink()
    report = f2fskit.check(first, devices=[second, third], repair=True)
    assert "FOREIGN" in {problem.name for problem in report.problems} and third.read(0, third.size) == before


def test_names_are_a_hint(three, tmp_path):
    """A volume without nodes on its further devices: names that belong to other numbers are noted."""
    paths = [tmp_path / name for name in ("m1", "m2", "m3")]
    context = f2fskit.Context()
    devices = [f2fskit.Device.create(path, 48 * MIB, context=context) for path in paths]
    f2fskit.mkfs(devices[0], devices=[f2fskit.DeviceSpec(device, path=path.name) for device, path in zip(devices[1:], paths[1:])])
    with f2fskit.open(devices[0], devices=[devices[2], devices[1]]) as volume:
        assert any("is called m3, as the volume calls its number 3: is the order right?" in note for note in volume.notes)
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert not volume.notes


MAIN = 16 * MIB  # of the devices below, before the main area
NOTE = "device number 2 has only zeros where files should be, and number 3 has contents at these places: is the order right?"


def three_without_nodes(with_directories):
    """Devices of equal size. The second has contents of a file, and perhaps blocks of directories; the third has nothing."""
    context = f2fskit.Context()
    devices = [f2fskit.Device.memory(64 * MIB, context=context) for _ in range(3)]
    f2fskit.mkfs(devices[0], devices=[f2fskit.DeviceSpec(device, path=f"m{i}") for i, device in enumerate(devices[1:], 2)])
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        geometry = volume.geometry
        assert geometry.main_blkaddr * geometry.block_size == MAIN
        first = (64 * MIB - MAIN) // (2 * MIB)  # segments of the first device
        if with_directories:
            volume["/big"].write_bytes(b"contents" * ((first - 3) * 2 * MIB // 8))
            volume["/one"].touch()
            volume["/links"].mkdir()
            names = [f"{i:06}{'n' * 240}" for i in range(3000)]
            for name in names:  # a segment of blocks of a directory, and some more, with few nodes
                (volume["/links"] / name).hardlink_to(volume["/one"])
            volume.commit()
            volume["/files"].mkdir()
            for name in names[:400]:
                (volume["/files"] / name).touch()
        else:
            volume["/big"].write_bytes(b"contents" * (80 * MIB // 8))
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        used = {(volume.sit[i].type, i // first) for i in range(geometry.segment_count_main) if volume.sit[i].valid_blocks}
    assert (f2fskit.LogType.WARM_DATA, 1) in used and ((f2fskit.LogType.HOT_DATA, 1) in used) == with_directories
    assert not any(kind >= f2fskit.LogType.HOT_NODE and number for kind, number in used)
    return devices


def test_directories_are_witnesses():
    first, second, third = three_without_nodes(True)
    for call in (lambda: f2fskit.open(first, devices=[third, second]), lambda: f2fskit.open(first, devices=[second, second.fork()])):
        with pytest.raises(f2fskit.InvalidError, match=r"contents of number 2 \(m2\) are on the device given as number 3"):
            call().close()
    with f2fskit.open(first, devices=[second, third]) as volume:
        assert not volume.notes


def test_contents_are_a_hint():
    """Zeros in place of a file, and contents where the volume has none; zeros alone are damage, or a file of zeros."""
    first, second, third = three_without_nodes(False)
    with f2fskit.open(first, devices=[third, second]) as volume:
        assert volume.notes == [NOTE]
    for given in ([second, third], [third, third.fork()]):
        with f2fskit.open(first, devices=given) as volume:
            assert not volume.notes


@pytest.mark.parametrize("with_directories", [False, True])
def test_few_reads(with_directories):
    """Some blocks of each device suffice, whatever they hold."""
    first, *further = three_without_nodes(with_directories)
    given = [device.watch() for device in further]
    with f2fskit.open(first, devices=given):
        read = sum(record.length for device in given for record in device.reads)
        assert 0 < read <= 40 * 4096, read
