# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the kernel wrote and that lost their roots or tables are read as if nothing had happened: a rescue opening
shows the same as the kernel did."""
import os
import subprocess

import pytest

import makers
import reading

NAMES = ("plain", "features", "sections", "large-nat-bitmap", "lost-found", "fragmented", "verity")
SEGMENT = 512


def areas(volume):
    """{area: [(first block, blocks)]} of the areas that can be wiped."""
    geo = volume.geometry
    return {
        "superblocks": [(0, 2)],
        "packs": [(geo.cp_blkaddr, 2 * SEGMENT)],
        "sit": [(geo.sit_blkaddr, geo.segment_count_sit * SEGMENT)],
        "nat": [(geo.nat_blkaddr, geo.segment_count_nat * SEGMENT)],
        "ssa": [(geo.ssa_blkaddr, geo.segment_count_ssa * SEGMENT)],
        "pack-ends": [(geo.cp_blkaddr + 1, SEGMENT - 1), (geo.cp_blkaddr + SEGMENT + 1, SEGMENT - 1)],
        "first-nat-block": [(geo.nat_blkaddr, 1), (geo.nat_blkaddr + SEGMENT, 1)],
    }


def damaged(image, f2fskit, names, pattern=b"\0"):
    """An overlay of the image in which these areas are overwritten."""
    overlay = f2fskit.Device.open(image.path).overlay()
    with f2fskit.open(image.path) as volume:
        where, size = areas(volume), volume.geometry.block_size
    for name in names.split("+"):
        for first, count in where[name]:
            overlay.write(first * size, pattern * (count * size // len(pattern)))
    return overlay


@pytest.fixture(scope="module")
def saved(kernel):
    return makers.make(NAMES, kernel=kernel)


def must_read_the_same(image, volume, f2fskit):
    expected = image.manifest()["entries"]
    got = reading.tree(volume, f2fskit)
    reading.must_be_same(expected, got, ignore=("fiemap", "map"))


CASES = [("plain", lost) for lost in (
    "superblocks", "packs", "sit", "nat", "ssa", "pack-ends", "first-nat-block", "superblocks+packs", "packs+nat",
    "sit+nat", "superblocks+nat", "packs+sit+nat+ssa", "superblocks+packs+sit+ssa")]
CASES += [(name, lost) for name in NAMES[1:] for lost in ("superblocks", "packs+nat+sit", "nat")]


@pytest.mark.parametrize("name, lost", CASES)
def test_read_as_before(saved, f2fskit, name, lost):
    image = saved[name]
    overlay = damaged(image, f2fskit, lost)
    with f2fskit.open(overlay, rescue=True) as volume:
        assert volume.notes or lost in ("sit", "ssa")
        must_read_the_same(image, volume, f2fskit)


def test_noise_instead_of_tables(saved, f2fskit):
    """Wiped with something that looks like entries."""
    image = saved["plain"]
    overlay = damaged(image, f2fskit, "nat+sit", pattern=bytes(range(1, 256)) + b"\x11\x22")
    with f2fskit.open(overlay, rescue=True) as volume:
        must_read_the_same(image, volume, f2fskit)


def test_losses_are_reported(saved, f2fskit):
    """Without the mode the same volume does not open, or lacks its files."""
    image = saved["plain"]
    with pytest.raises(f2fskit.CorruptError):
        f2fskit.open(damaged(image, f2fskit, "packs"))
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.open(damaged(image, f2fskit, "superblocks"))
    with f2fskit.open(damaged(image, f2fskit, "first-nat-block")) as volume:
        with pytest.raises(f2fskit.Error):
            list(volume.root.iterdir())
    with f2fskit.open(damaged(image, f2fskit, "superblocks+packs"), mode="rescue") as volume:
        assert any("superblocks" in note for note in volume.notes)
        assert any("checkpoint" in note for note in volume.notes)


def test_a_sound_volume(saved, f2fskit):
    """Nothing is lost by opening a volume that needs no rescue."""
    image = saved["features"]
    with f2fskit.open(image.path) as volume, f2fskit.open(image.path, rescue=True) as rescued:
        assert not rescued.notes
        assert [(e.nid, e.ino, e.block_addr) for e in volume.nat.used() if e.nid > 2] == \
            [(e.nid, e.ino, e.block_addr) for e in rescued.nat.used()]
        must_read_the_same(image, rescued, f2fskit)


def test_extract(saved, f2fskit, run_tool, tmp_path):
    image = saved["plain"]
    broken = tmp_path / "broken.img"
    subprocess.run(["cp", "--sparse=always", image.path, broken], check=True)
    with f2fskit.open(image.path) as volume, open(broken, "r+b") as file:
        for first, count in areas(volume)["superblocks"] + areas(volume)["packs"]:
            file.seek(first * 4096)
            file.write(bytes(count * 4096))
    run_tool("dump.f2fs", "--rescue", "-q", "--extract", tmp_path / "got", broken)
    run_tool("dump.f2fs", "-q", "--extract", tmp_path / "expected", image.path)
    assert os.listdir(tmp_path / "expected")
    subprocess.run(["diff", "-r", "--no-dereference", "--exclude=special", tmp_path / "expected", tmp_path / "got"], check=True)
