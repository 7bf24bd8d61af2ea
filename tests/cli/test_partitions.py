# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes in partitions of disk images: each program finds them, says where, and writes nothing outside."""
import os
import subprocess
import sys
import uuid

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import disks  # noqa: E402

MIB = 1 << 20
DISK = 128 * MIB
SAID = "Info: volume label = "
GPT_PLACES = [("boot", 1, 2), ("root", 4, 50), ("userdata", 60, 60)]


def put_volume(run, tmp_path, disk, first, size, label, *options):
    """Make a volume by itself, and copy it into the disk."""
    plain = tmp_path / "plain.img"
    run("mkfs.f2fs", "-q", "-f", "-l", label, *options, plain, f"{size}M")
    with open(disk, "r+b") as f:
        f.seek(first * MIB)
        f.write(plain.read_bytes())
    plain.unlink()


@pytest.fixture(scope="module")
def made(run_tool, tmp_path_factory):
    """A GPT with F2FS in its second partition; and one with F2FS in the third, too."""
    top = tmp_path_factory.mktemp("disks")
    for name, places in ("one", {"root": 5}), ("two", {"root": 5, "userdata": 6}):
        path = top / name
        disks.gpt(path, DISK, GPT_PLACES)
        for label, first, size in GPT_PLACES:
            if label in places:
                put_volume(run_tool, top, path, first, size, label + " volume", "-U", str(uuid.UUID(int=places[label])))
    return top


def copied(made, name, tmp_path):
    path = tmp_path / "disk.img"
    subprocess.run(["cp", "--sparse=always", made / name, path], check=True)
    return path


@pytest.fixture
def one(made, tmp_path):
    return copied(made, "one", tmp_path)


@pytest.fixture
def two(made, tmp_path):
    return copied(made, "two", tmp_path)


def label_of(run, path, *options, **keywords):
    return run("f2fslabel", *options, path, **keywords)


def test_only_volume_is_used_and_said(run, one):
    found = label_of(run, one)
    assert found.stdout == SAID + "root volume\n"
    assert f"{one}: the volume is in partition 2 'root' at byte {4 * MIB} (--partition=2)" in found.stderr
    assert "partition" not in label_of(run, one, "--partition=2").stderr


@pytest.mark.parametrize("name", ["3", "userdata", str(disks.partition_uuid(3)), str(disks.partition_uuid(3)).upper(), "userdata volume",
                                  str(uuid.UUID(int=6))])
def test_named(run, two, name):
    assert label_of(run, two, f"--partition={name}").stdout == SAID + "userdata volume\n"


def test_differences_of_two_disks(run, made, two):
    """The other disk is searched like the first, and --partition holds for both."""
    one = made / "one"
    run("f2fs", one, "diff", one)
    assert "2 partitions hold F2FS" in run("f2fs", one, "diff", two, check=False).stderr
    run("f2fs", "-w", "--partition=2", two, "mkdir", "/new")
    for option in "--partition=2", f"--offset={4 * MIB}":
        found = run("f2fs", option, one, "diff", "-i", "mtime,links", two, check=False)
        assert found.stdout == "+ /new\n" and found.returncode == 1


def test_several_are_listed(run, two):
    found = label_of(run, two, check=False)
    assert found.returncode == 1
    assert "2 partitions hold F2FS, choose one with --partition: 2 'root' (F2FS), 3 'userdata' (F2FS)" in found.stderr


@pytest.mark.parametrize("program,status", [("fsck.f2fs", 8), ("dump.f2fs", 1), ("defrag.f2fs", 1), ("f2fslabel", 1), ("resize.f2fs", 1)])
def test_several_are_refused_by_all(run, two, program, status):
    before = disks.outside(two, 0, 0)
    found = run(program, two, check=False)
    assert found.returncode == status or found.returncode != 0, found
    assert "choose one with --partition" in found.stderr
    assert disks.outside(two, 0, 0) == before


def test_wrong_names(run, one, tmp_path):
    found = label_of(run, one, "--partition=7", check=False)
    assert found.returncode == 1
    assert "has no partition '7': it has 1 'boot', 2 'root' (F2FS), 3 'userdata'" in found.stderr
    assert "give one of them" in label_of(run, one, "--partition=2", "--offset=24M", check=False).stderr
    assert "the name of a partition is empty" in label_of(run, one, "--partition=", check=False).stderr
    plain = tmp_path / "zeros.img"
    with open(plain, "wb") as f:
        f.truncate(64 * MIB)
    assert "has no partition table" in label_of(run, plain, "--partition=1", check=False).stderr


def test_same_labels(run, tmp_path):
    path = tmp_path / "disk.img"
    disks.gpt(path, DISK, [("data", 1, 50), ("data", 60, 50)])
    found = label_of(run, path, "--partition=data", check=False)
    assert "2 partitions are called 'data', choose one by its number: 1 'data', 2 'data'" in found.stderr


def test_mbr_with_logical_partitions(run, tmp_path):
    path = tmp_path / "disk.img"
    disks.mbr(path, DISK, [(1, 10)], logical=[(14, 3), (20, 50), (80, 40)])
    put_volume(run, tmp_path, path, 20, 50, "second logical")
    found = label_of(run, path)
    assert found.stdout == SAID + "second logical\n"
    assert f"partition 6 at byte {20 * MIB}" in found.stderr


def test_sectors_of_4096_bytes(run, tmp_path):
    path = tmp_path / "disk.img"
    disks.gpt(path, DISK, GPT_PLACES, sector=4096)
    put_volume(run, tmp_path, path, 60, 60, "on UFS")
    assert label_of(run, path).stdout == SAID + "on UFS\n"


def test_first_table_lost(run, one):
    with open(one, "r+b") as f:
        f.seek(512)
        f.write(bytes(512))
    assert label_of(run, one, "--partition=root").stdout == SAID + "root volume\n"


def test_damaged_first_superblock(run, one):
    with open(one, "r+b") as f:
        f.seek(4 * MIB + 1024)
        f.write(bytes(64))
    assert label_of(run, one, check=False).stdout == SAID + "root volume\n"


WRITERS = {
    "fsck": (["fsck.f2fs", "-f"], []),
    "label": (["f2fslabel"], ["new label"]),
    "edit": (["f2fs", "-w"], ["mkdir", "/d"]),
    "defrag": (["defrag.f2fs"], []),
    "inject": (["inject.f2fs", "--sb", "0", "--mb", "hot_ext_count", "--val", "0"], []),
    "shrink": (["resize.f2fs"], ["52M"]),
    "fill": (["resize.f2fs"], []),
}


@pytest.mark.parametrize("name", WRITERS)
def test_nothing_outside_is_written(run, two, name):
    before, inside = disks.outside(two, 60, 60), disks.outside(two, 0, 60)
    words, after = WRITERS[name]
    size = two.stat().st_size
    run(*words, "--partition=userdata", two, *after)
    assert disks.outside(two, 60, 60) == before
    assert two.stat().st_size == size
    if name not in ("defrag", "fill", "fsck"):
        assert disks.outside(two, 0, 60) != inside
    assert run("fsck.f2fs", "--dry-run", "--partition=userdata", two, check=False).returncode == (4 if name == "inject" else 0)


def test_volume_stays_in_its_partition(run, two):
    before = disks.outside(two, 0, 0)
    found = run("resize.f2fs", "--partition=root", two, "150M", check=False)
    assert found.returncode == 1
    assert disks.outside(two, 0, 0) == before
    found = run("resize.f2fs", "--partition=root", "--truncate", two, "45M", check=False)
    assert "in a partition, which --truncate cannot cut" in found.stderr
    assert disks.outside(two, 0, 0) == before


def test_undo(run, two, tmp_path):
    before = disks.outside(two, 0, 0)
    run("f2fs", "-w", "--undo", tmp_path / "undo", "--partition=root", two, "mkdir", "/d")
    assert disks.outside(two, 0, 0) != before
    run("fsck.f2fs", "--restore", tmp_path / "undo", "--partition=root", two)
    assert disks.outside(two, 0, 0) == before


def test_cut_disk_is_not_made_longer(run, one):
    """The end of the partition is missing, as after a copy that was stopped."""
    with open(one, "r+b") as f:
        f.truncate(40 * MIB)
    run("fsck.f2fs", "-y", "--partition=root", one, check=False)
    assert one.stat().st_size == 40 * MIB


# ---- mkfs.f2fs --partition ----

def test_mkfs(run, two):
    before = disks.outside(two, 60, 60)
    assert "use -f to overwrite" in run("mkfs.f2fs", "--partition=3", two, check=False).stderr
    run("mkfs.f2fs", "-f", "-l", "fresh", "--partition=3", two)
    assert disks.outside(two, 60, 60) == before
    assert label_of(run, two, "--partition=3").stdout == SAID + "fresh\n"
    assert run("fsck.f2fs", "--dry-run", "--partition=fresh", two).returncode == 0


def test_mkfs_smallest_keeps_the_disk(run, two, tmp_path):
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_text("contents")
    before = disks.outside(two, 4, 50)
    run("mkfs.f2fs", "-q", "-f", "--partition=root", "--root-dir", tmp_path / "tree", two, "auto")
    assert two.stat().st_size == DISK
    assert disks.outside(two, 4, 50) == before


def test_mkfs_refuses(run, two):
    before = disks.outside(two, 0, 0)
    assert "larger than the partition" in run("mkfs.f2fs", "-f", "--partition=2", two, "101M", check=False).stderr
    assert "does not go with --offset" in run("mkfs.f2fs", "-f", "--partition=2", "--offset=1M", two, check=False).stderr
    assert "has no partition '9'" in run("mkfs.f2fs", "-f", "--partition=9", two, check=False).stderr
    assert disks.outside(two, 0, 0) == before


# ---- volumes that are not where they are looked for ----

def test_shifted_volume_is_found(run, tmp_path):
    path = tmp_path / "shifted.img"
    run("mkfs.f2fs", "-q", "-l", "shifted", "--offset=70s", path, "64M")
    found = run("fsck.f2fs", path, check=False)
    assert f"neither superblock has the magic number; F2FS is at offset {70 * 512}: use --offset={70 * 512}" in found.stderr
    assert label_of(run, path, f"--offset={70 * 512}").stdout == SAID + "shifted\n"
    with open(path, "r+b") as f:  # by its second copy alone
        f.seek(70 * 512 + 1024)
        f.write(bytes(3072))
    assert f"use --offset={70 * 512}\n" in run("dump.f2fs", "--rescue", path, check=False).stderr


@pytest.mark.parametrize("shift", [512, MIB])
def test_repair_leaves_a_shifted_volume_alone(run, tmp_path, shift):
    path = tmp_path / "shifted.img"
    run("mkfs.f2fs", "-q", "-l", "shifted", f"--offset={shift}", path, "64M")
    before = disks.outside(path, 0, 0)
    for answer in "-y", "-a", "-f", "-n", "--dry-run":
        found = run("fsck.f2fs", answer, path, check=False)
        assert found.returncode == 8
        assert f"use --offset={shift}" in found.stderr
    assert disks.outside(path, 0, 0) == before


def test_partition_is_named_by_the_library(f2fskit, two):
    with pytest.raises(f2fskit.NotF2fsError, match=rf"F2FS is at offset {4 * MIB} \(partition 2 'root'\) and at offset {60 * MIB} "
                                                   r"\(partition 3 'userdata'\): use --offset or --partition"):
        f2fskit.open(two)


def test_plain_volume_is_not_asked_for_partitions(run, tmp_path):
    path = tmp_path / "plain.img"
    run("mkfs.f2fs", "-q", "-l", "plain", path, "64M")
    with open(path, "r+b") as f:  # a boot sector with a table, in the bytes that F2FS leaves free
        disks.mbr(tmp_path / "table", MIB, [(1, 40)])
        f.write((tmp_path / "table").read_bytes()[:512])
    found = label_of(run, path)
    assert found.stdout == SAID + "plain\n" and found.stderr == ""


def test_restored_image_is_the_whole_disk(run, one, tmp_path):
    """Unpacking is for any device; a partition is unpacked when it is named."""
    plain = tmp_path / "plain.img"
    assert run("dump.f2fs", "--restore-image", plain, one).stderr == ""
    assert disks.outside(plain, 0, 0) == disks.outside(one, 0, 0)
    plain.unlink()
    run("dump.f2fs", "--restore-image", plain, "--partition=root", one)
    assert plain.stat().st_size == 50 * MIB


def test_readers_write_nothing(run, two):
    before = disks.outside(two, 0, 0)
    for words in (["dump.f2fs", "--info", "--partition=3", two], ["fsck.f2fs", "--dry-run", "--partition=3", two],
                  ["f2fs", "--partition=3", two, "ls", "/"]):
        run(*words)
    assert disks.outside(two, 0, 0) == before
