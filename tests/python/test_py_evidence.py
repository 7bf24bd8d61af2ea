# SPDX-License-Identifier: LGPL-2.1-or-later
"""Evidence stays untouched: no reader of the past writes, on a device that refuses writes and counts them."""
import io

import pytest

import f2fskit
from conftest import pattern


def make(seed):
    memory = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(memory, features=["extra_attr", "inode_checksum", "encrypt"])
    with f2fskit.open(memory, "r+") as volume:
        for i in range(8):
            volume.path(f"/file-{i}").write_bytes(b"%PDF-1.4\n" + pattern(seed + i, 20_000) + b"%%EOF\n")
        volume.commit()
        volume.path("/file-1").unlink()
        volume.path("/file-2").write_bytes(b"other")
        volume.commit()
        volume.path("/file-3").write_bytes(b"fsynced")
        volume.lookup("/file-3").fsync()
    return memory


def refusing(memory):
    fault = memory.fault()
    fault.set(fail_write=1, fail_flush=1, sticky=True)
    return fault


def test_nothing_writes(tmp_path):
    first, second = refusing(make(1)), refusing(make(2))
    key = bytes(range(64))
    with f2fskit.open(first) as volume, f2fskit.open(second) as other:
        volume.add_key(key)
        assert volume.versions("/file-2") and volume.deleted() and volume.timeline()
        assert volume.differences(*volume.versions("/file-2")[:1] * 2) == []
        volume.former_names()
        assert volume.leftovers() and volume.carve()[0].read_bytes()
        assert volume.deleted()[0].open().read_bytes()
        for back in (0, -1, -2):
            with volume.as_of(back) as past:
                for path, entry in past.scan(onerror=lambda error: None):
                    inode = entry.inode()
                    if not inode.is_dir():
                        try:
                            inode.read_bytes()
                        except f2fskit.OverwrittenError:
                            pass
        assert f2fskit.diff(volume, other) and f2fskit.diff(volume, other, layout=True)
        (tmp_path / "tree").mkdir()
        assert f2fskit.diff(volume, tmp_path / "tree")
        with volume.metadata(scramble=True) as copy:
            copy.save_zstd(io.BytesIO())
    assert f2fskit.diff(first, second)
    for device in (first, second):
        counts = device.counts
        assert counts.reads > 0 and (counts.writes, counts.flushes) == (0, 0)


def test_what_was_read_is_kept():
    """Each read, in order, whether it failed, also through layers above that outlive the object, until it is cleared."""
    memory = make(3)
    fault = memory.fault()
    watch = fault.watch()
    with f2fskit.open(watch) as volume:
        before = len(watch.reads)
        assert before and all(row.length > 0 and row.offset + row.length <= memory.size for row in watch.reads)
        extent = volume.lookup("/file-4").extents()
        data = next(e for e in extent if e.kind == f2fskit.ExtentKind.DATA)
        watch.clear()
        volume.lookup("/file-4").read_bytes()
        assert any(row.offset <= data.addr * 4096 < row.offset + row.length and not row.failed for row in watch.reads)
        fault.set(bad_offset=data.addr * 4096, bad_length=1)
        with pytest.raises(OSError):
            volume.lookup("/file-4").read_bytes()
        assert watch.reads[-1].failed
        kept = watch.reads
        watch.close()
        fault.set()
        volume.lookup("/file-4").read_bytes()
        assert len(kept) < len(watch.reads)
    second = memory.watch()
    f2fskit.check(second)     # in several threads, where the device bears it
    assert second.reads and not any(row.failed for row in second.reads)
