# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which file becomes longer or shorter with a volume: of several devices the last one's, never another."""
import pytest

MIB = 1 << 20
DATA = bytes(range(256)) * 4096


@pytest.fixture
def disks(run_tool, tmp_path):
    """A volume on two files, of 80 MiB each, with a file on it."""
    for name in ("a", "b"):
        with open(tmp_path / name, "wb") as f:
            f.truncate(80 * MIB)
    (tmp_path / "data").write_bytes(DATA)
    run_tool("mkfs.f2fs", "-q", "-c", "b", "a", cwd=tmp_path)
    run_tool("f2fs", "-w", "--device=b", "a", "put", "data", "/data", cwd=tmp_path)
    return tmp_path


def sizes(top):
    return [(top / name).stat().st_size for name in ("a", "b")]


def must_hold(run_tool, top):
    run_tool("fsck.f2fs", "-n", "--device=b", "a", cwd=top)
    assert run_tool("f2fs", "--device=b", "a", "cat", "/data", cwd=top).stdout == DATA


@pytest.mark.parametrize("size", ["40M", "min"])
def test_the_last_file_is_cut(run_tool, disks, size):
    run_tool("resize.f2fs", "--device=b", "--truncate", "a", size, cwd=disks)
    first, last = sizes(disks)
    assert first == 80 * MIB and last < 80 * MIB and (size == "min" or last == 40 * MIB)
    must_hold(run_tool, disks)


def test_the_last_file_becomes_longer(run_tool, disks):
    run_tool("resize.f2fs", "--device=b", "a", "300M", cwd=disks)
    assert sizes(disks) == [80 * MIB, 300 * MIB]
    must_hold(run_tool, disks)
    run_tool("resize.f2fs", "--device=b", "--truncate", "a", "100M", cwd=disks)
    assert sizes(disks) == [80 * MIB, 100 * MIB]
    must_hold(run_tool, disks)


def test_files_that_only_the_volume_names(run_tool, disks):
    """Nobody but the image says which file would be cut."""
    run_tool("resize.f2fs", "--trust-devices", "--truncate", "a", "40M", rc=1, cwd=disks)
    assert sizes(disks) == [80 * MIB, 80 * MIB]
    run_tool("resize.f2fs", "--trust-devices", "a", "40M", cwd=disks)
    assert sizes(disks) == [80 * MIB, 80 * MIB]
    must_hold(run_tool, disks)
