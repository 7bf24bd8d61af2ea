# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes on several devices: everything that writes covers all of them."""
import uuid

import pytest

UUID = uuid.UUID("12345678-1234-5678-1234-567812345678")
MIB = 1 << 20
TEXT = bytes(range(251)) * 9000


@pytest.fixture
def devices(f2fskit):
    """Two devices whose volume fills the first one and continues in the second."""
    context = f2fskit.Context()
    made = [f2fskit.Device.memory(64 * MIB, context=context), f2fskit.Device.memory(96 * MIB, context=context)]
    spec = f2fskit.DeviceSpec(made[1], path="/dev/second")
    f2fskit.mkfs(made[0], devices=[spec], features=["extra_attr", "inode_checksum", "lost_found"], overwrite=True)
    with f2fskit.open(made[0], "r+", devices=made[1:]) as volume:
        for i in range(30):
            volume.path("/file-%d" % i).write_bytes(TEXT)
    yield made
    for device in made:
        device.close()


def bytes_of(devices):
    return [device.read(0, device.size) for device in devices]


def unclean(f2fskit, devices):
    """What fsync made durable, and nothing else."""
    volume = f2fskit.open(devices[0], "r+", devices=devices[1:])
    with volume.path("/file-0").open("ab") as file:
        file.write(b"fsynced" * 1000)
    volume.path("/file-0").inode().fsync()
    volume.close()


def spoil(f2fskit, devices):
    """Wrong numbers of links in inodes of both devices."""
    offset = f2fskit.structs["inode"].fields["i_links"].offset
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        places = [volume.nat[entry.ino].block_addr for _, entry in volume.scan("/") if entry.type.name == "REGULAR"]
    whole = f2fskit.Device.multi(devices)
    for place in places[::7]:
        whole.write(place * 4096 + offset, (9).to_bytes(4, "little"))
    whole.close()
    return len(places[::7])


def test_the_volume_lies_on_both(f2fskit, devices):
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        ends = [extent.addr for i in range(30) for extent in volume.path("/file-%d" % i).inode().extents()]
    assert min(ends) * 4096 < devices[0].size < max(ends) * 4096


def test_dry_run_repair_and_undo(f2fskit, devices, tmp_path):
    count = spoil(f2fskit, devices)
    before = bytes_of(devices)
    report = f2fskit.check(devices[0], devices=devices[1:], dry_run=True)
    assert report.is_sound and report.fixed >= count and bytes_of(devices) == before
    report = f2fskit.check(devices[0], devices=devices[1:], repair=True, undo=tmp_path / "undo")
    assert report.is_sound and report.fixed >= count
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0
    after = bytes_of(devices)
    assert after[0] != before[0]
    with pytest.raises(f2fskit.StateError):
        devices[0].play_undo(tmp_path / "undo")
    with pytest.raises(f2fskit.StateError):
        f2fskit.Device.restore_undo(devices[::-1], tmp_path / "undo")
    assert bytes_of(devices) == after
    info = f2fskit.Device.restore_undo(devices, tmp_path / "undo")
    assert info.is_sealed and info.device_size == 160 * MIB and bytes_of(devices) == before


def test_devices_of_one_size_are_not_confused(f2fskit, tmp_path):
    context = f2fskit.Context()
    devices = [f2fskit.Device.memory(MIB, context=context) for _ in range(3)]
    for i, device in enumerate(devices):
        device.write(100, bytes([i]))
    layers = f2fskit.Device.record_undo(devices, tmp_path / "undo")
    for i, layer in enumerate(layers):
        layer.write(40000, b"new" * 100)
        layer.write(MIB - 5, b"%d" % i)
    for layer in layers[:2]:
        layer.close()
    with pytest.raises(f2fskit.ExistsError):
        f2fskit.Device.record_undo(devices, tmp_path / "undo")
    layers[2].close()
    with pytest.raises(f2fskit.StateError):
        f2fskit.Device.restore_undo([devices[0], devices[2], devices[1]], tmp_path / "undo")
    assert devices[2].read(MIB - 5, 1) == b"2"
    f2fskit.Device.restore_undo(devices, tmp_path / "undo")
    assert all(device.read(40000, 300) == bytes(300) and device.read(MIB - 5, 1) == b"\0" for device in devices)
    assert [device.read(100, 1) for device in devices] == [b"\0", b"\1", b"\2"]


def test_recovery(f2fskit, devices):
    unclean(f2fskit, devices)
    before = bytes_of(devices)
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert volume.pending > 0 and volume.recovery_plan().summary.replayed > 0
    with f2fskit.open(devices[0], devices=devices[1:], recover="view") as volume:
        assert volume.read_bytes("/file-0") == TEXT + b"fsynced" * 1000
    assert bytes_of(devices) == before
    with f2fskit.open(devices[0], "r+", devices=devices[1:], recover="apply") as volume:
        assert volume.read_bytes("/file-0") == TEXT + b"fsynced" * 1000
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0


def test_repair_recovers_first(f2fskit, devices):
    unclean(f2fskit, devices)
    assert f2fskit.check(devices[0], devices=devices[1:], repair=True).recovered_inodes == 1
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert volume.read_bytes("/file-0") == TEXT + b"fsynced" * 1000


def test_rescue_and_lost_tables(f2fskit, devices):
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        geometry = volume.geometry
    first, count = geometry.cp_blkaddr, geometry.ssa_blkaddr - geometry.cp_blkaddr
    devices[0].zero(first * 4096, count * 4096)
    with f2fskit.open(devices[0], devices=devices[1:], rescue=True) as volume:
        assert all(volume.read_bytes("/file-%d" % i) == TEXT for i in range(30))
    assert f2fskit.check(devices[0], devices=devices[1:], repair=True).left == 0
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert all(volume.read_bytes("/file-%d" % i) == TEXT for i in range(30))


def test_label_uuid_populate_extract(f2fskit, devices, tmp_path):
    source = tmp_path / "source"
    source.mkdir()
    for i in range(10):
        (source / ("f%d" % i)).write_bytes(TEXT)
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        volume.populate(source)
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        volume.set_label("two")
        volume.set_uuid(UUID)
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        assert volume.label == "two" and volume.uuid == UUID
        volume.extract(tmp_path / "out")
    assert sorted(path.name for path in (tmp_path / "out").iterdir() if path.is_file()) == sorted(
        ["f%d" % i for i in range(10)] + ["file-%d" % i for i in range(30)])
    assert all(path.read_bytes() == TEXT for path in (tmp_path / "out").iterdir() if path.is_file())


@pytest.mark.parametrize("order", ["score", "tree", "space"])
def test_defragmenting_and_its_dry_run(f2fskit, devices, order):
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        for i in range(0, 30, 2):
            volume.path("/file-%d" % i).unlink()
        for k in range(8):
            for i in range(0, 30, 2):
                with volume.path("/file-%d" % i).open("ab") as file:
                    file.write(TEXT[:len(TEXT) // 9])
            volume.commit()
    before = bytes_of(devices)
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        would = volume.defrag(order, dry_run=True)
    assert bytes_of(devices) == before
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        found = volume.defrag(order)
    assert found == would and found.blocks_placed + found.blocks_cleared > 0
    # files longer than a section may go round an obstacle
    assert order == "space" or found.after.fragments <= found.after.files + 3 < found.before.fragments
    assert f2fskit.check(devices[0], devices=devices[1:]).found == 0
    with f2fskit.open(devices[0], devices=devices[1:]) as volume:
        for i in range(30):
            assert volume.read_bytes("/file-%d" % i) == (TEXT if i % 2 else TEXT[:len(TEXT) // 9] * 8)


@pytest.fixture
def alias(f2fskit):
    """A volume whose second device is one file of the volume."""
    context = f2fskit.Context()
    made = [f2fskit.Device.memory(128 * MIB, context=context), f2fskit.Device.memory(64 * MIB, context=context)]
    made[1].write(5 * MIB, b"stays" * 1000)
    spec = f2fskit.DeviceSpec(made[1], path="/dev/second", alias="whole")
    f2fskit.mkfs(made[0], devices=[spec], features=["extra_attr", "quota", "lost_found"], overwrite=True)
    yield made
    for device in made:
        device.close()


def test_an_alias_is_left_alone(f2fskit, alias):
    """Names and attributes change, contents do not, and nothing else is written there."""
    before = alias[1].read(0, 64 * MIB)
    with f2fskit.open(alias[0], "r+", devices=alias[1:]) as volume:
        volume.path("/whole").chmod(0o600)
        volume.path("/link").hardlink_to("/whole")
        volume.path("/whole").inode().xattrs["user.long"] = b"x" * 2000
        volume.path("/whole").rename("/moved")
        volume.commit()
        for change in (
            lambda inode: inode.truncate(0),
            lambda inode: inode.fallocate(0, 4096),
            lambda inode: inode.enable_verity(),
            lambda inode: inode.open("r+").write(b"x"),
        ):
            with pytest.raises(f2fskit.UnsupportedError):
                change(volume.path("/moved").inode())
        with pytest.raises(f2fskit.NospcError), volume.path("/big").open("wb") as file:
            while True:
                file.write(bytes(range(256)) * 4096)
        volume.rollback()
        for order in ("score", "tree"):
            assert volume.defrag(order, move_pinned=True).pinned >= 1
        volume.trim()
    assert f2fskit.check(alias[0], devices=alias[1:]).found == 0
    assert alias[1].read(0, 64 * MIB) == before
    with f2fskit.open(alias[0], devices=alias[1:]) as volume:
        geometry = volume.geometry
    alias[0].zero(geometry.sit_blkaddr * 4096, geometry.segment_count_sit * 512 * 4096)
    assert f2fskit.check(alias[0], devices=alias[1:], repair=True).left == 0
    assert alias[1].read(0, 64 * MIB) == before
    with f2fskit.open(alias[0], devices=alias[1:]) as volume:
        assert volume.path("/moved").inode().xattrs["user.long"] == b"x" * 2000


def test_an_alias_that_is_removed_gives_its_blocks_back(f2fskit, alias):
    with f2fskit.open(alias[0], "r+", devices=alias[1:]) as volume:
        free = volume.statfs().f_bfree
        volume.path("/whole").unlink()
        volume.commit()
        assert volume.statfs().f_bfree > free + 16000
        volume.path("/big").write_bytes(bytes(range(256)) * (90 * 4096))
    assert f2fskit.check(alias[0], devices=alias[1:]).found == 0


def test_fsync_of_an_alias_is_durable(f2fskit, alias):
    volume = f2fskit.open(alias[0], "r+", devices=alias[1:])
    volume.path("/whole").chmod(0o611)
    volume.path("/whole").inode().fsync()
    volume.close()
    with f2fskit.open(alias[0], devices=alias[1:], recover="view") as volume:
        assert volume.path("/whole").stat().st_mode & 0o777 == 0o611


@pytest.mark.parametrize("damaged", [False, True])
def test_metadata_image(f2fskit, devices, damaged):
    """A copy of the metadata is one device, and behaves as the volume does."""
    if damaged:
        assert spoil(f2fskit, devices) > 3
    expected = f2fskit.check(devices[0], devices=devices[1:])
    with f2fskit.open(devices[0], devices=devices[1:]) as volume, volume.metadata() as copy:
        assert copy.size == sum(device.size for device in devices)
        found = f2fskit.check(copy)
        assert [str(problem) for problem in found.problems] == [str(problem) for problem in expected.problems]
        assert bool(found.problems) == damaged
        with f2fskit.open(copy) as other:
            assert not other.devices
            assert [path for path, _ in other.scan()] == [path for path, _ in volume.scan()]
            assert list(other.nat) == list(volume.nat) and list(other.sit) == list(volume.sit)
            assert damaged or other.read_bytes("/file-7") == bytes(len(TEXT))
