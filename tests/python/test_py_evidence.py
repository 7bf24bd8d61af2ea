# SPDX-License-Identifier: LGPL-2.1-or-later
"""Evidence stays untouched: nothing that looks at the past writes, on a device that would refuse it and counts who tries."""
import io

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
        assert volume.leftovers() and volume.carve()[0].read_bytes()
        assert volume.deleted()[0].open().read_bytes()
        for back in (0, -1, -2):
            with volume.as_of(back):
                for path, entry in volume.scan(onerror=lambda error: None):
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
