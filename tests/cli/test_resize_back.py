# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume that was large once gives its tables back when it shrinks: it becomes what one of its size that never was large is."""
import hashlib
import json

import pytest

MIB, GIB = 1 << 20, 1 << 30
FILES = 60
# all that the superblock says of the layout
LAYOUT = ("segment_count", "segment_count_ckpt", "segment_count_sit", "segment_count_nat", "segment_count_ssa", "segment_count_main",
          "section_count", "cp_blkaddr", "sit_blkaddr", "nat_blkaddr", "ssa_blkaddr", "main_blkaddr", "cp_payload", "block_count")


def contents(i):
    return hashlib.shake_128(b"back %d" % i).digest(i * 7919 % 300000 + 1)


def fill(f2fskit, device):
    with f2fskit.open(device, "r+") as volume:
        volume.configure(commit_when_full=True)
        for i in range(FILES):
            volume.path(f"/{i}").write_bytes(contents(i))


def must_hold(f2fskit, device):
    report = f2fskit.check(device, content=True)
    assert report.found == 0, [p.message for p in report.problems]
    with f2fskit.open(device) as volume:
        assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(FILES))
        return volume.geometry


def resize(f2fskit, device, *sizes):
    """Resize, and compare the result with the plan; no step is left afterwards."""
    for size in sizes:
        told = f2fskit.resize(device, size, dry_run=True)
        done = f2fskit.resize(device, size)
        assert (told.steps, told.new_bytes, told.new_segments, told.spare_segments) == (
            done.steps, done.new_bytes, done.new_segments, done.spare_segments)
        again = f2fskit.resize(device, size, dry_run=True)
        assert again.steps == () and again.spare_segments == done.spare_segments
    return done


def layout(geo):
    return {name: getattr(geo, name) for name in LAYOUT}


@pytest.mark.parametrize("options", [{}, {"large_nat": True}, {"segs_per_sec": 4}, {"segs_per_sec": 2, "secs_per_zone": 3},
                                     {"block_size": 16384}, {"block_size": 16384, "features": ["packed_ssa"]}], ids=str)
def test_as_if_it_never_was_large(f2fskit, options):
    scale = options.get("block_size", 4096) // 4096
    small, target, large = GIB * scale, 2 * GIB * scale, 100 * GIB * scale
    there, back, fresh = devices = [f2fskit.Device.memory(large) for _ in range(3)]
    for device in devices:
        f2fskit.mkfs(device, target if device is fresh else small, **options)
        fill(f2fskit, device)
    resize(f2fskit, there, target)
    done = resize(f2fskit, back, large, target)
    assert [step.kind.name for step in done.steps] == ["SHRINK", "REDUCE"] and done.spare_segments == 0
    geo, expected = must_hold(f2fskit, back), must_hold(f2fskit, fresh)
    assert layout(geo) == layout(expected)
    if "segs_per_sec" not in options:  # whose areas had room for more, so that growing has left them
        assert layout(geo) == layout(must_hold(f2fskit, there))
    assert f2fskit.resize_minimum(back) == f2fskit.resize_minimum(there)
    # the smallest size is that, too, and a run reaches it
    resize(f2fskit, back, large)
    least = f2fskit.resize_minimum(back)[0]
    done = f2fskit.resize(back, minimum=True)
    assert done.new_bytes == done.minimum_bytes == least <= f2fskit.resize_minimum(there)[0]
    assert done.spare_segments == 0
    must_hold(f2fskit, back)


def test_as_mkfs_makes_it(run_tool, peer_check, f2fskit, tmp_path):
    """The program, its messages, and f2fs-tools."""
    image, fresh = tmp_path / "disk.img", tmp_path / "fresh.img"
    run_tool("mkfs.f2fs", "-q", image, "100G")
    run_tool("mkfs.f2fs", "-q", fresh, "2G")
    fill(f2fskit, image)
    text = run_tool("resize.f2fs", "-n", image, "2G").stdout.decode()
    assert "step 2: write smaller areas, by two hops: 1023 segments" in text and "tables:" not in text
    told = json.loads(run_tool("resize.f2fs", "--json", image, "2G").stdout)
    assert [step["kind"] for step in told["steps"]] == ["shrink", "reduce"] and told["spare_segments"] == 0
    peer_check(image)
    geo = must_hold(f2fskit, image)
    with f2fskit.open(fresh) as volume:
        assert layout(geo) == layout(volume.geometry)
        assert geo.max_nid == volume.geometry.max_nid


def test_node_ids_in_use_stay(f2fskit):
    """A file whose number only a large NAT has keeps it."""
    device = f2fskit.Device.memory(100 * GIB)
    f2fskit.mkfs(device)
    fill(f2fskit, device)
    with f2fskit.open(device) as volume:
        geo = volume.geometry
    first = 20 * geo.nat_per_block * 512 + 7  # in the 21st segment of a copy
    with f2fskit.fields(device, "r+") as fields:
        fields["cp.next_free_nid"] = first
    with f2fskit.open(device, "r+") as volume:
        volume.path("/high").write_bytes(contents(1))
    with f2fskit.open(device) as volume:
        number = volume.lookup("/high").number
    assert number >= first
    resize(f2fskit, device, 2 * GIB)
    geo = must_hold(f2fskit, device)
    assert geo.segment_count_nat == 42 and geo.segment_count_ssa == 2 and geo.segment_count_sit == 2
    with f2fskit.open(device, "r+") as volume:
        assert volume.lookup("/high").number == number and volume.read_bytes("/high") == contents(1)
        volume.path("/high").unlink()
    # without it the NAT becomes small; new files get numbers that there are
    done = resize(f2fskit, device, 2 * GIB)
    assert [step.kind.name for step in done.steps] == ["REDUCE"]
    geo = must_hold(f2fskit, device)
    assert geo.segment_count_nat == 6
    with f2fskit.open(device, "r+") as volume:
        volume.path("/new").write_bytes(contents(2))
        assert volume.lookup("/new").number < geo.max_nid
    must_hold(f2fskit, device)


def test_a_file_that_cannot_move(f2fskit):
    """It is where the areas would go for a moment. The volume shrinks, its tables stay, and the program says so."""
    device = f2fskit.Device.memory(3000 * MIB)
    f2fskit.mkfs(device)
    fill(f2fskit, device)
    with f2fskit.open(device, "r+") as volume:
        emptied = range(volume.geometry.main_blkaddr, volume.geometry.main_blkaddr + 5 * 512)
        where = {f"/{i}": [extent.addr for extent in volume.lookup(f"/{i}").extents()] for i in range(FILES)}
        name = next(name for name, addresses in where.items() if addresses and all(addr in emptied for addr in addresses))
        volume.lookup(name).set(pin=True)
    done = resize(f2fskit, device, 160 * MIB)
    assert [step.kind.name for step in done.steps] == ["SHRINK"] and done.spare_segments > 0
    must_hold(f2fskit, device)
    with f2fskit.open(device, "r+") as volume:
        volume.lookup(name).set(pin=False)
    assert [step.kind.name for step in f2fskit.resize(device, 160 * MIB).steps] == ["REDUCE"]
    must_hold(f2fskit, device)


def test_other_changes_leave_the_areas(f2fskit):
    """Only a run for a size gives tables back."""
    stop = True
    context = f2fskit.Context(progress=lambda report: stop and report.phase == "reduce")
    device = f2fskit.Device.memory(3000 * MIB, context=context)
    f2fskit.mkfs(device)
    fill(f2fskit, device)
    with pytest.raises(f2fskit.CanceledError):  # stopped between the two steps
        f2fskit.resize(device, 160 * MIB)
    stop = False
    before = must_hold(f2fskit, device)
    done = f2fskit.resize(device, overprovision=30)
    assert [step.kind.name for step in done.steps] == ["RESERVE"] and done.spare_segments > 0
    assert layout(must_hold(f2fskit, device)) == layout(before)
    assert [step.kind.name for step in f2fskit.resize(device, 160 * MIB).steps] == ["REDUCE"]
    must_hold(f2fskit, device)


@pytest.mark.parametrize("first,reduced", [(2000, True), (44, False)])
def test_several_devices(f2fskit, first, reduced):
    """The areas are on the first device, also between the hops."""
    def make(size):
        context = f2fskit.Context()
        devices = [f2fskit.Device.memory(one * MIB, context=context) for one in (first, 90000)]
        f2fskit.mkfs(devices[0], devices=[f2fskit.DeviceSpec(devices[1], path="/dev/last", size=size * MIB)])
        with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
            for i in range(FILES):
                volume.path(f"/{i}").write_bytes(contents(i))
        return devices

    def hold(devices):
        assert f2fskit.check(devices[0], devices=devices[1:], content=True).found == 0
        with f2fskit.open(devices[0], devices=devices[1:]) as volume:
            assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(FILES))
            return volume.geometry

    devices, fresh = make(90000 if reduced else 3000), make(1000)
    told = f2fskit.resize(devices[0], 1000 * MIB, devices=devices[1:], dry_run=True)
    done = f2fskit.resize(devices[0], 1000 * MIB, devices=devices[1:])
    assert told.steps == done.steps and told.spare_segments == done.spare_segments
    assert [step.kind.name for step in done.steps] == ["SHRINK", "REDUCE"][:1 + reduced]
    assert (done.spare_segments == 0) == reduced and done.new_bytes == 1000 * MIB
    if reduced:
        geo = hold(devices)
        expected = hold(fresh)
        names = set(LAYOUT) - {"block_count"}  # that also counts the blocks of the last device after the volume
        assert {name: getattr(geo, name) for name in names} == {name: getattr(expected, name) for name in names}
    else:
        hold(devices)


@pytest.mark.parametrize("conventional,kinds", [(40, ["SHRINK", "REDUCE"]), (8, ["SHRINK"])])
def test_zones(f2fskit, conventional, kinds):
    """Tables are only written to zones that can be written anywhere. For a moment smaller ones need more of those."""
    device = f2fskit.Device.memory(8000 * MIB).zoned(4 * MIB, conventional=conventional)
    f2fskit.mkfs(device, 8000 * MIB if kinds[1:] else 2600 * MIB, zoned=True)
    fill(f2fskit, device)
    done = resize(f2fskit, device, 600 * MIB)
    assert [step.kind.name for step in done.steps] == kinds and (done.spare_segments == 0) == bool(kinds[1:])
    must_hold(f2fskit, device)
    fill(f2fskit, device)
    must_hold(f2fskit, device)
