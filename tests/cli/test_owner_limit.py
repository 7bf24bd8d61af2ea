# SPDX-License-Identifier: LGPL-2.1-or-later
"""User, group and project 4294967295 stand for none: the kernel cannot remove such a file from a volume with quotas. Nothing
that writes takes them, and a refusal costs nothing that was done before."""
import io
import tarfile

import pytest

NONE = 0xffffffff


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,quota,project_quota", path, "64M")
    return path


def test_calls(f2fskit, image):
    with f2fskit.open(image, "r+") as volume:
        volume.path("/before").write_bytes(b"x")
        inode = volume.lookup("/before")
        for values in ({"uid": NONE}, {"gid": NONE}, {"projid": NONE}, {"uid": 1, "gid": NONE}):
            with pytest.raises(f2fskit.RangeError, match="there is no (user|group|project) 4294967295"):
                inode.set(**values)
        for owner in ({"uid": NONE}, {"gid": NONE}):
            with pytest.raises(f2fskit.RangeError):
                volume.root.create("new", **owner)
        inode.set(uid=NONE - 1, gid=NONE - 1, projid=NONE - 1)
    with f2fskit.open(image) as volume:
        assert volume.lookup("/before").stat().st_uid == NONE - 1 and not volume.path("/new").exists()
    assert f2fskit.check(image).problems == ()


def test_programs(run_tool, image, tmp_path):
    archive = tmp_path / "a.tar"
    with tarfile.open(archive, "w", format=tarfile.PAX_FORMAT) as tar:
        entry = tarfile.TarInfo("file")
        entry.uid, entry.size = NONE, 1
        tar.addfile(entry, io.BytesIO(b"x"))
    assert b"4294967295" in run_tool("sload.f2fs", "-f", archive, image, rc=None).stderr
    assert run_tool("f2fs", "-w", image, "chown", "4294967295:0", "/", rc=None).returncode
    assert run_tool("mkfs.f2fs", "-q", "-f", "-R", "0:4294967295", image, rc=None).returncode
    run_tool("fsck.f2fs", "-n", image)
