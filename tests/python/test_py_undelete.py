# SPDX-License-Identifier: LGPL-2.1-or-later
"""Deleted files brought back by the library: to the host and into their volume."""

import os

import f2fskit
import pytest

BLOCK = 4096
KEPT = bytes(range(256)) * 200


@pytest.fixture
def disk(tmp_path):
    """A volume from which /dir with a file, a link and a further name, and /other were removed."""
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20)
    with f2fskit.open(path, "r+", now=5 * 10**9) as volume:
        volume.path("/dir").mkdir()
        file = volume.path("/dir/file")
        file.write_bytes(KEPT)
        file.chmod(0o640)
        volume.lookup("/dir/file").xattrs["user.color"] = b"blue"
        volume.path("/dir/link").symlink_to("target")
        volume.path("/other").write_bytes(b"other" * 2000)
    with f2fskit.open(path, "r+", now=9 * 10**9) as volume:
        for name in ("/dir/file", "/dir/link", "/other"):
            volume.path(name).unlink()
        volume.path("/dir").rmdir()
    return path


def test_to_the_host(disk, tmp_path):
    before = disk.read_bytes()
    out = tmp_path / "out"
    told = []
    with f2fskit.open(disk) as volume:
        done = volume.undelete(out, on_report=told.append)
    assert (done.found, done.whole, done.likely, done.part, done.left_out) == (4, 4, 0, 0, 0) and not done.reports
    assert sorted(report.path for report in told) == ["/dir", "/dir/file", "/dir/link", "/other"]
    assert all(report.is_back and report.outcome == f2fskit.enums.UndeleteOutcome.DONE for report in told)
    assert (out / "dir/file").read_bytes() == KEPT and (out / "dir/file").stat().st_mode & 0o7777 == 0o640
    assert (out / "dir/file").stat().st_mtime_ns == 5 * 10**9 and os.readlink(out / "dir/link") == "target"
    assert (out / "dir").stat().st_mtime_ns == 5 * 10**9, "times of a directory come after what is in it"
    assert disk.read_bytes() == before


def test_into_the_volume(disk):
    with f2fskit.open(disk, "r+", now=20 * 10**9) as volume:
        volume.path("/back").mkdir()
        volume.commit()
        done = volume.undelete(into="/back", choose="/dir*")
        assert (done.found, done.whole) == (3, 3)
        assert volume.transaction == f2fskit.Transaction.OPEN
        volume.rollback()
        assert not volume.path("/back/dir").exists()
        done = volume.undelete(into="/back", choose=lambda file: file.path.startswith("/dir"))
        assert (done.found, done.whole) == (3, 3)
    with f2fskit.open(disk) as volume:
        file = volume.path("/back/dir/file")
        assert file.read_bytes() == KEPT and file.stat().st_mode & 0o7777 == 0o640
        assert file.stat().st_mtime_ns == 5 * 10**9 and volume.lookup("/back/dir/file").xattrs["user.color"] == b"blue"
        assert volume.lookup("/back/dir/link").readlink() == "target"
        assert volume.path("/back/dir").stat().st_mtime_ns == 5 * 10**9
        assert not volume.path("/back/other").exists()
    assert f2fskit.check(disk).is_sound


def test_names_that_are_taken(disk, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "other").write_bytes(b"mine")
    with f2fskit.open(disk, "r+") as volume:
        file, = [file for file in volume.deleted() if file.path == "/other"]
        name = f"other.~{file.version.addr}"
        volume.undelete(out, choose="/other")
        assert (out / "other").read_bytes() == b"mine" and (out / name).read_bytes() == b"other" * 2000
        volume.path("/other").mkdir()
        volume.commit()
        volume.undelete(choose="/other")
        assert volume.path("/other").is_dir() and volume.path(f"/{name}").read_bytes() == b"other" * 2000


def test_parts_only_when_asked_for(disk, tmp_path):
    with f2fskit.open(disk) as volume:
        file, = [file for file in volume.deleted() if file.path == "/dir/file"]
        addr = file.open().extent(0).addr
    with open(disk, "r+b") as image:
        image.seek(addr * BLOCK)
        image.write(bytes(BLOCK))
    with f2fskit.open(disk) as volume:
        with pytest.raises(f2fskit.IncompleteError) as failed:
            volume.undelete(tmp_path / "whole", choose="/dir/file")
        assert failed.value.result.left_out == 1 and not list((tmp_path / "whole").iterdir())
        report, = failed.value.result.reports
        assert report.outcome == f2fskit.enums.UndeleteOutcome.PARTLY_BLANK and not report.is_back
        done = volume.undelete(tmp_path / "part", choose="/dir/file", parts=True, check=False)
        assert (done.found, done.part, done.blank, done.left_out) == (1, 1, 1, 0)
        assert [report.outcome.name for report in done.reports] == ["BLANK_HOLES"] and done.reports[0].count == 1
        assert (tmp_path / "part/dir/file").read_bytes() == bytes(BLOCK) + KEPT[BLOCK:]


def test_refusals(disk, tmp_path):
    with f2fskit.open(disk, "r+") as volume:
        with pytest.raises(TypeError):
            volume.undelete(tmp_path / "out", into="/")
        with pytest.raises(f2fskit.NotFoundError):
            volume.undelete(tmp_path / "out", choose="/nothing")
        with pytest.raises(f2fskit.NotFoundError):
            volume.undelete(into="/nowhere")
        with pytest.raises(ZeroDivisionError):
            volume.undelete(tmp_path / "out", choose=lambda file: 1 / 0)
        with pytest.raises(f2fskit.CanceledError):
            volume.undelete(tmp_path / "stopped", on_report=lambda report: True)
        volume.rollback()
        with volume.past() as past:
            volume.path("/new").write_bytes(b"new")
            with pytest.raises(f2fskit.StateError):
                past.undelete()
        volume.rollback()
    with f2fskit.open(disk) as volume, pytest.raises(f2fskit.ReadOnlyError):
        volume.undelete()


def test_one_version(disk, tmp_path):
    with f2fskit.open(disk) as volume:
        file, = [file for file in volume.deleted() if file.path == "/other"]
        volume.undelete(tmp_path / "out", addr=file.version.addr)
        assert (tmp_path / f"out/inode-{file.ino}").read_bytes() == b"other" * 2000
