# SPDX-License-Identifier: LGPL-2.1-or-later
"""Android's dynamic partitions: read and written in their pieces, from each slot; damaged tables are refused by name."""
import os
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import disks  # noqa: E402
from disks import MIB  # noqa: E402

SIZE = 128 * MIB
SYSTEM = [(20, 10), (2, 12), (70, 26)]  # three pieces, not in the order of the disk
VENDOR = ("vendor_a", [(16, 2)])
SLOT = [("system_a", SYSTEM), VENDOR, ("empty_a", [])]


@pytest.fixture(scope="session")
def volume(run_tool, tmp_path_factory):
    path = tmp_path_factory.mktemp("volume") / "plain.img"
    run_tool("mkfs.f2fs", "-q", "-l", "system volume", path, "48M")
    return path.read_bytes()


def put(path, volume, pieces, base=0):
    """Write a volume into the pieces of a partition."""
    at = 0
    with open(path, "r+b") as f:
        for first, count in pieces:
            f.seek((base + first) * MIB)
            f.write(volume[at:at + count * MIB])
            at += count * MIB


@pytest.fixture
def image(tmp_path, volume):
    path = tmp_path / "super.img"
    disks.android_super(path, SIZE, SLOT, SLOT)
    put(path, volume, SYSTEM)
    return path


def others(path):
    """What writes into the partition may not change."""
    data = bytearray(path.read_bytes())
    for first, count in SYSTEM:
        data[first * MIB:(first + count) * MIB] = bytes(count * MIB)
    return bytes(data)


def label_of(run, path, *options):
    return run("f2fslabel", *options, path).stdout.removeprefix("Info: volume label = ").rstrip()


@pytest.mark.parametrize("name", ["super:system_a", "system_a", "system volume", None])
def test_read(run, image, name):
    assert label_of(run, image, *([f"--partition={name}"] if name else [])) == "system volume"


def test_list(f2fskit, image):
    with f2fskit.Device.open(image) as device:
        rows = device.partitions()
    assert [(row.name, row.number, row.pieces, row.length, row.offset, row.is_f2fs) for row in rows] == [
        ("super:system_a", 0, 3, 48 * MIB, 20 * MIB, True), ("super:vendor_a", 0, 1, 2 * MIB, 16 * MIB, False)]


def test_write_in_place(run, image):
    before = others(image)
    run("f2fs", "-w", "--partition=system_a", image, "mkdir", "/made")
    run("f2fslabel", "--partition=system_a", image, "renamed")
    assert run("fsck.f2fs", "--dry-run", "--partition=system_a", image).returncode == 0
    assert "made" in run("f2fs", "--partition=system_a", image, "ls", "/").stdout
    assert others(image) == before and image.stat().st_size == SIZE
    assert label_of(run, image) == "renamed"


def test_sparse(run, f2fskit, image, tmp_path):
    """The image as it is flashed: an Android sparse file, read and written."""
    sparse = tmp_path / "sparse.img"
    with f2fskit.Device.open(image) as device, open(sparse, "wb") as f:
        device.save_sparse(f)
    run("f2fs", "-w", "--partition=system_a", sparse, "mkdir", "/made")
    assert "made" in run("f2fs", sparse, "ls", "/").stdout
    plain = tmp_path / "plain.img"
    run("dump.f2fs", "--partition=system_a", "--restore-image", plain, sparse)
    assert plain.stat().st_size == 48 * MIB


def test_within_a_disk(run, tmp_path, volume):
    path = tmp_path / "disk.img"
    disks.gpt(path, 200 * MIB, [("boot", 1, 4), ("super", 8, 128)])
    disks.android_super(path, SIZE, SLOT, SLOT, at=8)
    put(path, volume, SYSTEM, base=8)
    for name in "super:system_a", "system_a":
        assert label_of(run, path, f"--partition={name}") == "system volume"
    found = run("f2fslabel", "--partition=none", path, check=False)
    assert "it has 1 'boot', 2 'super', super:system_a 'system_a' (F2FS), super:vendor_a" in found.stderr


def test_slots(run, tmp_path, volume):
    """A partition of slot b comes from the second slot, whatever the first one says of it."""
    path = tmp_path / "super.img"
    old, new = [(80, 40)], SYSTEM
    disks.android_super(path, SIZE, [("system_b", old), VENDOR], [("system_b", new)])
    put(path, volume, SYSTEM)
    assert label_of(run, path, "--partition=system_b") == "system volume"
    disks.android_super(path, SIZE, [VENDOR], [("system", SYSTEM, 2)])  # the table leaves the suffix to the slot
    put(path, volume, SYSTEM)
    assert label_of(run, path, "--partition=system_b") == "system volume"


def test_longer_header(run, tmp_path, volume):
    path = tmp_path / "super.img"
    disks.android_super(path, SIZE, SLOT, minor=2)
    put(path, volume, SYSTEM)
    assert label_of(run, path) == "system volume"


def test_piece_of_zeros(run, tmp_path, volume):
    """It reads as zeros, and what is nowhere cannot be written."""
    path = tmp_path / "super.img"
    pieces = [(2, 30), (None, 2), (40, 16)]
    disks.android_super(path, SIZE, [("system_a", pieces)])
    put(path, volume, [(2, 30)])
    assert not any(volume[30 * MIB:])
    assert label_of(run, path) == "system volume"
    before = path.read_bytes()
    assert run("f2fs", "-w", path, "mkdir", "/d", check=False).returncode != 0
    assert path.read_bytes() == before


def test_mkfs_needs_one_piece(run, image):
    before = image.read_bytes()
    assert "is in 3 pieces" in run("mkfs.f2fs", "-f", "--partition=system_a", image, check=False).stderr
    assert image.read_bytes() == before


def test_mkfs_in_place(run, tmp_path):
    path = tmp_path / "super.img"
    disks.android_super(path, SIZE, [("system_a", [(20, 60)]), VENDOR])
    run("mkfs.f2fs", "-q", "-f", "-l", "fresh", "--partition=system_a", path)
    assert label_of(run, path) == "fresh"
    assert not any(path.read_bytes()[80 * MIB:])


# ---- damage ----

def overwrite(path, *pieces):
    with open(path, "r+b") as f:
        for at, data in pieces:
            f.seek(at)
            f.write(data)


def metadata_at(copy, slot):
    return disks.SUPER_METADATA + (copy * 2 + slot) * disks.SUPER_MOST


BOTH = [metadata_at(copy, slot) for copy in (0, 1) for slot in (0, 1)]
SURVIVED = {
    "first geometry": [(4096 + 44, b"\xff")],
    "second geometry": [(8192, bytes(52))],
    "first copy": [(metadata_at(0, 0) + 128, b"\xff" * 8)],
    "slot 0": [(metadata_at(0, 0), bytes(4)), (metadata_at(1, 0), bytes(4))],
}
REFUSED = {
    "both geometries": ([(4096 + 44, b"\xff"), (8192 + 44, b"\xff")], "both copies of their geometry are damaged [android super, rule SUPER_GEOMETRY]"),
    "magic": ([(at, bytes(4)) for at in BOTH], "their metadata has no magic number"),
    "header": ([(at + 50, b"\xfe") for at in BOTH], "header of their metadata has a wrong checksum"),
    "tables": ([(at + 130, b"\xfe") for at in BOTH], "tables of their metadata have a wrong checksum"),
    "size": ([(at + 44, b"\xff" * 4) for at in BOTH], "the sizes in the header of their metadata do not fit"),
    "version": ([(at + 6, b"\x07") for at in BOTH], "a later version"),
}


@pytest.mark.parametrize("name", SURVIVED)
def test_second_copies(run, image, name):
    overwrite(image, *SURVIVED[name])
    assert label_of(run, image) == "system volume"


@pytest.mark.parametrize("name", REFUSED)
def test_damaged_tables(run, image, name):
    damage, message = REFUSED[name]
    overwrite(image, *damage)
    before = image.read_bytes()
    for options in ["--partition=system_a"], []:
        found = run("fsck.f2fs", "-y", *options, image, check=False)
        assert found.returncode == 8 and message.split(" [")[0] in found.stderr, found
        assert image.read_bytes() == before
    assert message in run("f2fslabel", "--partition=system_a", image, check=False).stderr


WRONG = {
    "overlap": ([("system_a", [(2, 20)]), ("vendor_a", [(21, 2)])], "two of their extents overlap"),
    "past the end": ([("system_a", [(100, 29)])], "an extent is outside"),
    "over the tables": ([("system_a", [(0, 40)])], "an extent is outside"),
    "empty extent": ([("system_a", [(2, 0)])], "an extent is outside"),
    "no name": ([("", [(2, 20)])], "an extent is outside"),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_tables(run, tmp_path, name):
    """Their checksums are right."""
    path = tmp_path / "super.img"
    disks.android_super(path, SIZE, WRONG[name][0])
    assert WRONG[name][1] in run("f2fslabel", "--partition=system_a", path, check=False).stderr


def test_cut_image(run, image):
    """The end of the last piece is missing, as after a copy that was stopped."""
    os.truncate(image, 80 * MIB)
    assert label_of(run, image) == "system volume"
    os.truncate(image, 10 * MIB)
    assert "begins at byte" in run("f2fslabel", "--partition=system_a", image, check=False).stderr
