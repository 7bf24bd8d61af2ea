# SPDX-License-Identifier: LGPL-2.1-or-later
"""Overviews, digests and timelines: the same as the programs write them. Copies of volumes in every form."""
import json
import os
import subprocess

import pytest

import f2fskit
from conftest import BUILD, pattern

ODD = 'q"uote,\n|\\é\x07'


@pytest.fixture(params=[[], ["extra_attr", "inode_crtime"]], ids=["plain", "crtime"])
def path(request, tmp_path):
    """A volume with odd names, and with deleted and old inodes."""
    path = tmp_path / "disk.img"
    tree = {"etc": {ODD: "x\n", "gone": "y", "blank": pattern(1, 9000)}, "l": f2fskit.Entry(symlink="etc")}
    f2fskit.build(tree, path, 64 << 20, volume={"label": "hello", "features": request.param})
    with f2fskit.open(path, "r+") as volume:
        volume["/etc/gone"].unlink()
        volume["/etc/second"].hardlink_to("/etc/blank")
        volume[os.fsdecode(b"/\xff")].write_bytes(b"")
    return path


def dump(*arguments):
    return subprocess.run([BUILD / "dump/dump.f2fs", *map(str, arguments)], check=True, capture_output=True).stdout


def test_info(path):
    expected = json.loads(dump("--info", "--json", path))["info"]
    del expected["image"]
    with f2fskit.open(path) as volume:
        assert volume.info() == expected and list(volume.info()) == list(expected)
    with open(path, "r+b") as file:  # a damaged superblock
        file.seek(1024)
        file.write(bytes(4))
    expected = json.loads(dump("--info", "--json", path))["info"]
    del expected["image"]
    with f2fskit.open(path) as volume:
        assert volume.info() == expected
    assert expected["superblocks"][0] == {"state": "SB_MAGIC", "in_use": False}


@pytest.mark.parametrize("form", ["body", "csv"])
def test_timelines(path, form):
    with f2fskit.open(path) as volume:
        lines = list(volume.timeline_lines(form))
    assert lines == dump(f"--timeline={form}", path).decode().splitlines() and any("deleted" in line for line in lines)
    with f2fskit.open(path) as volume, pytest.raises(ValueError, match="body or csv"):
        list(volume.timeline_lines("json"))


@pytest.mark.parametrize("name", ["sha256", "md5"])
def test_hashes(path, name):
    from f2fskit.volume_lists import sum_line

    with f2fskit.open(path) as volume:
        found = dict(volume.hashes(name))
        lines = [sum_line(digests[name], path) for path, digests in found.items()]
        both = dict(volume.hashes("sha1", "crc32"))
    assert sorted(os.fsencode(line) for line in lines) == sorted(dump(f"--hashes={name}", path).splitlines())
    assert len(found) == 4 and found["/etc/second"] == found["/etc/blank"]
    assert set(both["/etc/blank"]) == {"sha1", "crc32"}


@pytest.mark.parametrize("form", ["raw", "sparse", "zstd"])
def test_save(path, form, tmp_path):
    copy = tmp_path / "copy"
    with f2fskit.open(path) as volume:
        volume.save(copy, form)
        with pytest.raises(FileExistsError):
            volume.save(copy, form)
    assert f2fskit.diff(path, copy, layout=True) == [] and f2fskit.check(copy).is_sound
    assert copy.stat().st_blocks * 512 < 4 << 20
    with f2fskit.open(path, "r+") as volume:
        volume["/new"].write_bytes(b"")
        with pytest.raises(f2fskit.StateError):
            volume.save(tmp_path / "other", form)
        volume.rollback()
