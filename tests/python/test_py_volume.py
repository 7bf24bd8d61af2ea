# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes: opening from every source, structures, tables and their buffers, blocks, closing in any order."""
import gc
import io
import pathlib
import shutil
import struct
import threading
import uuid

import f2fskit
import pytest
from f2fskit import LogType


def superblock_field(image, name):
    """A number of the first superblock, read from the file itself."""
    field = f2fskit.structs["superblock"].fields[name]
    with open(image.path, "rb") as file:
        file.seek(1024 + field.offset)
        return int.from_bytes(file.read(field.size), "little")


def test_every_source(image):
    raw = pathlib.Path(image.path).read_bytes()
    with open(image.path, "rb") as file, open(image.path, "rb", buffering=0) as unbuffered:
        for source in (image.path, str(image.path), file, unbuffered, io.BytesIO(raw), memoryview(raw), bytearray(raw),
                       f2fskit.Device.open(image.path), f2fskit.Device.from_buffer(raw)):
            with f2fskit.open(source) as volume:
                assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
                assert volume.label == "tiny ümlaut"
        assert not file.closed


def test_offset(image, tmp_path):
    path = tmp_path / "partitioned"
    with open(path, "wb") as out, open(image.path, "rb") as source:
        out.seek(1 << 20)
        shutil.copyfileobj(source, out)
    with f2fskit.open(path, offset=1 << 20) as volume:
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
    with f2fskit.open(f2fskit.Device.open(path).slice(1 << 20)) as volume:
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.open(path)
    with pytest.raises(ValueError):
        f2fskit.open(path, offset=-1)


def test_arguments(image):
    for bad in ({"pack": 3}, {"cache_bytes": -1}):
        with pytest.raises(ValueError):
            f2fskit.open(image.path, **bad)
    for mode in ("careless", "", 77):
        with pytest.raises(ValueError):
            f2fskit.open(image.path, mode=mode)
    for mode in ("strict", "TOLERANT", f2fskit.OpenMode.STRICT, 1):
        with f2fskit.open(image.path, mode=mode, cache_bytes=1 << 20) as volume:
            assert volume.read_bytes("/tiny.txt")
    context = f2fskit.Context()
    device = f2fskit.Device.memory(4096)
    with pytest.raises(ValueError, match="context"):
        f2fskit.open(device, context=context)
    with pytest.raises(ValueError, match="context"):
        f2fskit.open(image.path, devices=[device], context=context)
    with pytest.raises(ValueError, match="context"):
        f2fskit.open(image.path, log=print, context=context)
    with pytest.raises(TypeError):
        f2fskit.open(5)
    device.close()
    with pytest.raises(ValueError, match="closed"):
        f2fskit.open(device)


def test_superblock(volume, image):
    sb = volume.superblock
    assert sb.magic == 0xF2F52010
    for name in ("segment_count_main", "main_blkaddr", "block_count", "root_ino", "nat_blkaddr"):
        assert getattr(sb, name) == superblock_field(image, name) != 0
    with open(image.path, "rb") as file:
        file.seek(1024 + 4096 * volume.superblock_copy)
        assert file.read(3072) == sb.raw
    assert sb.volume_name == volume.label == "tiny ümlaut"
    assert isinstance(volume.uuid, uuid.UUID) and volume.uuid == sb.uuid
    assert volume.superblock_state(0) is None and volume.superblock_state(1) is None
    assert volume.geometry.main_blkaddr == sb.main_blkaddr and volume.block_size == 4096
    assert volume.features == sb.feature
    assert volume.devices == []
    cold, hot = volume.extensions
    assert "mp" in cold and len(cold) == sb.extension_count and len(hot) == sb.hot_ext_count


def test_checkpoint(volume):
    cp = volume.checkpoint
    assert cp.checkpoint_ver == max(volume.pack_version(1), volume.pack_version(2))
    assert volume.pack_version(volume.checkpoint_pack) == cp.checkpoint_ver
    assert volume.pack_state(volume.checkpoint_pack) is None
    assert isinstance(cp.ckpt_flags, f2fskit.CheckpointFlag)
    assert len(cp.cur_node_segno) == 8
    raw = volume.checkpoint_raw
    assert len(raw) == volume.block_size * (1 + volume.geometry.cp_payload) and raw.startswith(cp.raw)
    addr = volume.geometry.cp_blkaddr + 512 * (volume.checkpoint_pack - 1)
    assert volume.block(addr) == raw[:4096]
    with pytest.raises(ValueError):
        volume.pack_state(0)
    with pytest.raises(ValueError):
        volume.superblock_state(2)


def test_older_pack(image):
    with f2fskit.open(image.path) as volume:
        current = volume.checkpoint_pack
        other = 3 - current
        state = volume.pack_state(other)
    with f2fskit.open(image.path, pack=current) as volume:
        assert volume.checkpoint_pack == current
    if state is None:
        with f2fskit.open(image.path, pack=other) as volume:
            assert volume.checkpoint_pack == other
    else:
        with pytest.raises(f2fskit.CorruptError):
            f2fskit.open(image.path, pack=other)


def test_statfs(volume):
    found = volume.statfs()
    assert found.f_bsize == found.f_frsize == 4096
    assert found.f_blocks == found.block_count > found.f_bfree == found.f_bavail > 0
    assert found.valid_blocks == volume.checkpoint.valid_block_count
    assert found.valid_nodes == volume.checkpoint.valid_node_count
    assert found.f_files >= found.f_ffree and found.f_namemax == 255
    assert volume.notes == [] and volume.pending == 0 and volume.orphans == []


def test_nat(volume):
    nat = volume.nat
    assert len(nat) == volume.geometry.max_nid
    root = nat[3]
    assert root.nid == root.ino == 3 and root.block_addr >= volume.geometry.main_blkaddr
    assert struct.unpack_from("<I", volume.block(root.block_addr), 4096 - 24) == (3,)
    assert nat[-1].nid == len(nat) - 1 and nat[len(nat) - 1].block_addr == 0
    assert [entry.nid for entry in nat[3:10:2]] == [3, 5, 7, 9]
    for bad in (len(nat), -len(nat) - 1):
        with pytest.raises(IndexError):
            nat[bad]
    with pytest.raises(TypeError):
        nat["3"]
    used = list(nat.used())
    assert len([entry for entry in used if entry.nid > 2]) == volume.checkpoint.valid_node_count
    assert [entry.nid for entry in nat.used(100)] == [entry.nid for entry in used if entry.nid >= 100]
    assert list(nat.used(len(nat))) == []
    assert nat[used[-1].nid] == used[-1]


def test_nat_buffer(volume):
    raw = volume.nat.buffer()
    assert raw.readonly and len(raw) == 9 * len(volume.nat)
    rows = list(struct.iter_unpack("<BII", raw))
    for entry in volume.nat.used():
        assert rows[entry.nid] == (entry.version, entry.ino, entry.block_addr)
    assert sum(1 for row in rows if row[2]) == sum(1 for _ in volume.nat.used())
    assert volume.nat.buffer(3, 10) == raw[27:90]
    assert volume.nat.buffer(-5) == raw[-45:]
    assert volume.nat.buffer(10, 3) == b""
    assert volume.nat.buffer(len(volume.nat) - 1, 1 << 40) == raw[-9:]


def test_sit(volume):
    sit = volume.sit
    assert len(sit) == volume.geometry.segment_count_main
    total = 0
    for segno, entry in enumerate(sit):
        assert entry.segno == segno
        assert entry.valid_blocks == sum(bin(byte).count("1") for byte in entry.valid_map)
        assert entry.valid_blocks == len(list(entry.valid_offsets()))
        total += entry.valid_blocks
    assert total == volume.checkpoint.valid_block_count
    raw = volume.sit.buffer()
    assert len(raw) == 74 * len(sit)
    for segno, (vblocks, valid_map, mtime) in enumerate(struct.iter_unpack("<H64sQ", raw)):
        entry = sit[segno]
        assert (vblocks & 0x3FF, vblocks >> 10, valid_map, mtime) == (
            entry.valid_blocks, entry.type, entry.valid_map, entry.mtime)
    assert sit[volume.logs[LogType.HOT_NODE].segno].type is LogType.HOT_NODE
    with pytest.raises(IndexError):
        sit[0].is_valid(512)


def test_ssa(volume):
    ssa = volume.ssa
    assert len(ssa) == volume.geometry.segment_count_main
    addr = volume.nat[3].block_addr - volume.geometry.main_blkaddr
    segment = ssa[addr // 512]
    assert segment.entry_type == 1 and segment.segno == addr // 512
    assert segment[addr % 512].nid == 3
    assert len(segment) == 512 == len(list(segment)) and "node" in repr(segment)
    assert bytes(ssa.buffer(segment.segno, segment.segno + 1)) == bytes(segment.buffer())
    assert len(ssa.buffer()) == 512 * 7 * len(ssa)
    kind = f2fskit.structs["summary_entry"]
    row = kind.unpack(segment.buffer(), 7 * (addr % 512))
    assert row["nid"] == 3
    with pytest.raises(IndexError):
        segment[512]


def test_numpy(volume):
    numpy = pytest.importorskip("numpy")
    nat = numpy.frombuffer(volume.nat.buffer(), numpy.dtype(f2fskit.dtype("nat_entry")))
    assert len(nat) == len(volume.nat) and not nat.flags.owndata and not nat.flags.writeable
    used = numpy.flatnonzero(nat["block_addr"])
    assert used.tolist() == [entry.nid for entry in volume.nat.used()]
    sit = numpy.frombuffer(volume.sit.buffer(), f2fskit.dtype("sit_entry"))
    assert int((sit["vblocks"] & 0x3FF).sum()) == volume.checkpoint.valid_block_count
    assert int(numpy.unpackbits(sit["valid_map"]).sum()) == volume.checkpoint.valid_block_count
    ssa = numpy.frombuffer(volume.ssa.buffer(), f2fskit.dtype("summary_entry")).reshape(-1, 512)
    addr = volume.nat[3].block_addr - volume.geometry.main_blkaddr
    assert ssa["nid"][addr // 512, addr % 512] == 3


def test_buffers_outlive_the_volume(image):
    volume = f2fskit.open(image.path)
    raw = volume.nat.buffer(0, 10)
    copy = bytes(raw)
    volume.close()
    assert raw == copy


def test_logs_and_journals(volume):
    logs = volume.logs
    assert list(logs) == list(LogType) and len({head.segno for head in logs.values()}) == 6
    assert logs[LogType.HOT_NODE].segno == volume.checkpoint.cur_node_segno[0]
    assert logs[LogType.WARM_DATA].blkoff == volume.checkpoint.cur_data_blkoff[1]
    for row in volume.nat_journal:
        assert volume.nat[row.nid].block_addr == row.block_addr
        assert volume.nat[row.nid].source == f2fskit.EntrySource.JOURNAL
    for row in volume.sit_journal:
        assert volume.sit[row.segno].valid_map == row.valid_map


def test_blocks(volume, image):
    size = volume.block_size
    with open(image.path, "rb") as file:
        file.seek(volume.geometry.main_blkaddr * size)
        assert volume.block(volume.geometry.main_blkaddr, 3) == file.read(3 * size)
    assert volume.block(0, 0) == b""
    assert volume.node(3) == volume.block(volume.nat[3].block_addr) == volume.root.raw
    for addr, count in ((volume.geometry.block_count, 1), (0, volume.geometry.block_count + 1), (-1, 1), (1 << 32, 1),
                        (5, -1)):
        with pytest.raises(ValueError):
            volume.block(addr, count)
    with pytest.raises(f2fskit.Error):
        volume.node(volume.geometry.max_nid - 1)


def test_identify(volume):
    geometry = volume.geometry
    for addr, area in ((0, f2fskit.Area.SUPERBLOCK), (geometry.cp_blkaddr, f2fskit.Area.CHECKPOINT),
                       (geometry.sit_blkaddr, f2fskit.Area.SIT), (geometry.nat_blkaddr + 1, f2fskit.Area.NAT),
                       (geometry.ssa_blkaddr, f2fskit.Area.SSA), (geometry.main_blkaddr, f2fskit.Area.MAIN)):
        assert volume.identify(addr).area is area
    inode = volume.lookup("/large.bin")
    extent = next(e for e in inode.extents() if e.kind == f2fskit.ExtentKind.DATA and e.count > 2)
    found = volume.identify(extent.addr + 1)
    assert found.is_valid and not found.is_node and found.is_owned
    assert (found.ino, found.file_block) == (inode.number, extent.file_block + 1)
    node = volume.identify(volume.nat[inode.number].block_addr)
    assert node.is_node and node.is_owned and node.nid == inode.number and node.file_block is None


def test_closing_in_any_order(image):
    volume = f2fskit.open(image.path)
    inode = volume.lookup("/medium.bin")
    file = inode.open()
    entries = volume.root.iterdir()
    next(entries)
    path = volume.path("/dir")
    nat = volume.nat
    volume.close()
    volume.close()
    assert volume.closed and inode.closed
    for use in (lambda: volume.statfs(), lambda: volume.root, lambda: inode.stat(), lambda: file.read(1),
                lambda: next(entries), lambda: path.stat(), lambda: nat[3], lambda: nat.buffer(), lambda: volume.notes,
                lambda: volume.lookup("/"), lambda: inode.xattrs["user.a"], lambda: inode.extent(0),
                lambda: volume.__enter__()):
        with pytest.raises(ValueError, match="closed"):
            use()
    file.close()
    inode.close()
    assert "closed" in repr(volume) and "closed" in repr(inode)


def test_objects_keep_what_they_need(image):
    file = f2fskit.open(image.path).lookup("/medium.bin").open()
    gc.collect()
    assert file.read() == image.truth["/medium.bin"]
    path = f2fskit.open(image.path).path("/dir/a.conf")
    nat = f2fskit.open(image.path).nat
    gc.collect()
    assert path.read_bytes() == b"a=1\n" and nat[3].ino == 3
    xattrs = f2fskit.open(image.path).root.xattrs
    entries = f2fskit.open(image.path).root.iterdir()
    gc.collect()
    assert dict(xattrs) == {} and next(entries).inode().number


def test_device_may_be_closed_first(image):
    device = f2fskit.Device.open(image.path)
    volume = f2fskit.open(device)
    device.close()
    assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
    volume.close()


def test_cyclic_garbage(image):
    class Holder:
        pass

    holder = Holder()
    holder.volume = f2fskit.open(image.path)
    holder.inodes = [entry.inode() for entry in holder.volume.root.iterdir()]
    holder.file = holder.inodes[0].xattrs
    holder.self = holder
    del holder
    gc.collect()  # the fixture sees whether all memory came back


def test_many_opens_do_not_grow(image):
    import tracemalloc

    def work():
        with f2fskit.open(image.path) as volume:
            for entry in volume.path("/dir").inode().iterdir():
                entry.inode().stat()
            volume.nat[3], volume.superblock.magic, volume.read_bytes("/text.txt")

    for _ in range(3):
        work()
    gc.collect()
    tracemalloc.start()
    try:
        work()
        gc.collect()
        before = tracemalloc.get_traced_memory()[0]
        for _ in range(50):
            work()
        gc.collect()
        grown = tracemalloc.get_traced_memory()[0] - before
    finally:
        tracemalloc.stop()
    assert grown < 20_000, f"{grown} bytes in 50 rounds"


def test_threads(image):
    """Threads that share a volume, and threads that have their own, see the same files."""
    shared = f2fskit.open(image.path)
    failures = []

    def work(own):
        try:
            volume = f2fskit.open(image.path) if own else shared
            for _ in range(5):
                for path in ("/medium.bin", "/tiny.txt", "/dir/sub/deep.txt", "/large.bin"):
                    if volume.read_bytes(path) != image.truth[path]:
                        failures.append(path)
        except BaseException as error:
            failures.append(error)

    threads = [threading.Thread(target=work, args=(i % 2,)) for i in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    shared.close()
    assert not failures


def test_close_while_other_threads_read(image):
    volume = f2fskit.open(image.path)
    started = threading.Barrier(4)
    outcomes = []

    def work():
        started.wait()
        try:
            while True:
                if volume.read_bytes("/large.bin") != image.truth["/large.bin"]:
                    outcomes.append("wrong")
                    return
        except ValueError as error:
            outcomes.append("closed" if "closed" in str(error) else error)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    started.wait()
    volume.close()
    for thread in threads:
        thread.join()
    assert outcomes == ["closed"] * 3


def test_log_callback(image):
    """A volume whose first superblock is damaged opens, and says so."""
    raw = bytearray(pathlib.Path(image.path).read_bytes())
    raw[1024:1028] = b"oops"
    messages = []
    with f2fskit.open(raw, log=lambda level, message: messages.append((level, message))) as volume:
        assert volume.superblock_copy == 1
        assert volume.superblock_state(0).name == "SB_MAGIC"
        assert volume.notes
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
    with pytest.raises(ZeroDivisionError):
        with f2fskit.open(raw, log=lambda level, message: 1 // 0) as volume:
            if not messages:
                1 // 0  # nothing is logged when opening: then there is nothing to raise


def test_allocation_failures(image):
    """Fail each allocation once while a volume is opened and a file read."""
    from f2fskit import _core

    n = failed = 0
    while True:
        n += 1
        context = f2fskit.Context()
        _core.lib.f2fskit_host_fail(context._handle.core.host, n)
        try:
            with f2fskit.open(image.path, context=context) as volume:
                entries = [entry.name for entry in volume.path("/dir").inode().iterdir()]
                data = volume.read_bytes("/medium.bin")
            break
        except MemoryError:
            failed += 1
    assert failed > 5 and data == image.truth["/medium.bin"] and "a.conf" in entries
