# SPDX-License-Identifier: LGPL-2.1-or-later
"""Devices: files, memory, buffers, Python objects, layers; what exceptions of Python objects do."""
import array
import errno
import gc
import io
import mmap
import os
import struct
import threading
import weakref

import f2fskit
import pytest
from f2fskit import _core
from f2fskit import host_device

DATA = bytes(range(256)) * 64  # 16 KiB


class Reads:
    """An object with pread() that records its reads."""

    def __init__(self, data=DATA, size=None):
        self.data = data
        self.size = len(data) if size is None else size
        self.asked = []

    def pread(self, length, offset):
        self.asked.append((length, offset))
        return self.data[offset : offset + length]


class OnlyReadinto:
    """The least of file objects: seek() and readinto(), a few bytes at a time."""

    def __init__(self, data, step):
        self.inner = io.BytesIO(data)
        self.step = step

    def seek(self, offset, whence=0):
        return self.inner.seek(offset, whence)

    def readinto(self, buffer):
        return self.inner.readinto(memoryview(buffer)[: self.step])


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "data"
    path.write_bytes(DATA)
    return path


def sources(path):
    yield f2fskit.Device.open(path)
    yield f2fskit.Device.open(str(path))
    yield f2fskit.Device.open(os.fsencode(path))
    yield f2fskit.Device.from_file(io.BytesIO(DATA))
    yield f2fskit.Device.from_file(Reads())
    yield f2fskit.Device.from_file(OnlyReadinto(DATA, 1000))
    yield f2fskit.Device.from_buffer(DATA)
    yield f2fskit.Device.from_buffer(bytearray(DATA))
    yield f2fskit.Device.from_buffer(array.array("I", struct.unpack(f"<{len(DATA) // 4}I", DATA)))
    with open(path, "rb") as file:
        yield f2fskit.Device.from_file(file)
        with mmap.mmap(file.fileno(), 0, prot=mmap.PROT_READ) as mapped:
            device = f2fskit.Device.from_buffer(mapped)
            yield device
            device.close()


def test_all_sources_read_alike(path):
    count = 0
    for device in sources(path):
        count += 1
        with device:
            assert device.size == len(device) == len(DATA)
            assert device.read(0, len(DATA)) == DATA
            assert device.read(1000, 3001) == DATA[1000:4001]
            assert device.read(len(DATA), 0) == b""
            buffer = array.array("H", [0] * 50)
            device.readinto(7, buffer)
            assert buffer.tobytes() == DATA[7:107]
            assert not device.info.caps & f2fskit.DeviceCap.WRITE
            with pytest.raises(f2fskit.ReadOnlyError):
                device.write(0, b"x")
            with pytest.raises(ValueError):
                device.read(len(DATA) - 1, 2)
            with pytest.raises(ValueError):
                device.read(-1, 2)
            with pytest.raises(ValueError):
                device.read(0, 1 << 62)
            with pytest.raises(ValueError):
                device.read(1 << 64, 1)
            with pytest.raises((TypeError, BufferError)):
                device.readinto(0, b"read-only")
        assert device.closed
        with pytest.raises(ValueError):
            device.read(0, 1)
        device.close()
        assert "closed" in repr(device)


def test_create_and_write(tmp_path):
    path = tmp_path / "new"
    with f2fskit.Device.create(path, 1 << 20) as device:
        device.write(4096, b"hello")
        device.write(8192, memoryview(array.array("I", [1, 2])))
        device.flush()
        assert device.read(4095, 7) == b"\0hello\0"
        device.zero(4096, 2)
        device.discard(0, 4096)
    assert path.stat().st_size == 1 << 20
    assert path.read_bytes()[4096:4101] == b"\0\0llo"
    with pytest.raises(FileExistsError):
        f2fskit.Device.create(path, 1 << 20)
    with f2fskit.Device.create(path, 1 << 21, exist_ok=True) as device:
        assert device.size == 1 << 21 and device.read(4098, 3) == b"llo"
    with f2fskit.Device.open(path, writable=True) as device:
        device.write(0, b"again")
    assert path.read_bytes()[:5] == b"again"
    with pytest.raises(ValueError):
        f2fskit.Device.create(tmp_path / "x", -1)
    with pytest.raises(ValueError):
        f2fskit.Device.open("a\0b")


def test_writable_python_objects(tmp_path):
    file = io.BytesIO(bytes(8192))
    with f2fskit.Device.from_file(file, writable=True) as device:
        device.write(100, b"abc")
        device.zero(101, 1)
        device.flush()
    assert file.getvalue()[99:104] == b"\0a\0c\0"
    assert not file.closed
    buffer = bytearray(8192)
    with f2fskit.Device.from_buffer(buffer, writable=True) as device:
        device.write(8190, b"zz")
    assert buffer[8189:] == b"\0zz"
    buffer.append(0)  # no export is left
    with pytest.raises(TypeError):
        f2fskit.Device.from_buffer(b"constant", writable=True)
    with open(tmp_path / "f", "w+b") as raw:
        raw.truncate(4096)
        with f2fskit.Device.from_file(raw, writable=True) as device:
            device.write(5, b"x" * 1000)
            assert device.read(4, 3) == b"\0xx"


def test_layers():
    base = f2fskit.Device.from_buffer(DATA)
    part = base.slice(1000, 500)
    assert part.size == 500 and part.read(0, 500) == DATA[1000:1500]
    assert base.slice(100).size == len(DATA) - 100
    with pytest.raises(f2fskit.Error):
        base.slice(len(DATA), 1)
    overlay = base.overlay()
    overlay.write(10, b"changed")
    assert overlay.read(8, 11) == DATA[8:10] + b"changed" + DATA[17:19]
    assert base.read(10, 7) == DATA[10:17]
    changes = overlay.changes()
    assert all(offset + length <= len(DATA) for offset, length in changes)
    assert any(offset <= 10 and offset + length >= 17 for offset, length in changes)
    cached = base.cache(1 << 20)
    assert cached.read(5, 5) == cached.read(5, 5) == DATA[5:10]
    joined = f2fskit.Device.multi([base, (part, 10, 20)])
    assert joined.read(0, joined.size) == DATA + DATA[1010:1030]
    # every layer keeps the one below
    for device in (base, part, overlay, cached):
        device.close()
    assert joined.read(len(DATA), 20) == DATA[1010:1030]
    with pytest.raises(ValueError):
        base.slice(0)
    with pytest.raises(ValueError):
        f2fskit.Device.multi([])
    with pytest.raises(ValueError, match="context"):
        f2fskit.Device.multi([joined, f2fskit.Device.memory(4096)])
    with pytest.raises(ValueError, match="closed"):
        f2fskit.Device.multi([joined, (base, 0, 10)])


def test_overlay_apply():
    base = f2fskit.Device.memory(1 << 16)
    overlay = base.overlay(1 << 20)
    overlay.write(5000, b"new")
    assert base.read(5000, 3) == bytes(3)
    overlay.apply()
    assert base.read(5000, 3) == b"new" and overlay.changes() == []


def test_memory_fork():
    first = f2fskit.Device.memory(1 << 16)
    first.write(0, b"one")
    second = first.fork()
    second.write(0, b"two")
    assert (first.read(0, 3), second.read(0, 3)) == (b"one", b"two")
    assert [extent.is_hole for extent in first.extents()] == [False, True]
    assert sum(extent.length for extent in first.extents()) == 1 << 16


def test_recorder():
    recorder = f2fskit.Device.memory(1 << 16).recorder()
    recorder.write(0, b"abc")
    recorder.flush()
    recorder.zero(4096, 4096)
    kinds = f2fskit.RecordKind
    assert [(r.kind, r.offset, r.length) for r in recorder.records] == [
        (kinds.WRITE, 0, 3), (kinds.FLUSH, 0, 0), (kinds.ZERO, 4096, 4096)]
    assert recorder.records[0].data == b"abc" and recorder.records[-1].data is None
    assert len(recorder.records[:2]) == 2
    with pytest.raises(IndexError):
        recorder.records[3]
    recorder.clear()
    assert len(recorder.records) == 0 and list(recorder.records) == []


def test_undo(tmp_path):
    path = tmp_path / "undo"
    base = f2fskit.Device.memory(1 << 16)
    base.write(5000, b"old")
    undo = base.undo(path)
    undo.write(5000, b"new")
    undo.zero(20000, 5)
    undo.close()
    assert base.read(5000, 3) == b"new"
    info = base.play_undo(path)
    assert base.read(5000, 3) == b"old"
    assert (info.device_size, info.records, info.is_sealed) == (1 << 16, 2, True)
    with pytest.raises(FileExistsError):
        base.undo(path)
    with pytest.raises(f2fskit.StateError):
        f2fskit.Device.memory(1 << 15).play_undo(path)
    raw = bytearray(path.read_bytes())
    raw[5000] ^= 1
    path.write_bytes(raw)
    with pytest.raises(f2fskit.CorruptError):
        base.play_undo(path)
    base.close()
    with pytest.raises(ValueError, match="closed"):
        base.play_undo(path)


def test_fault():
    fault = f2fskit.Device.memory(1 << 16).fault()
    fault.set(fail_read=2)
    fault.read(0, 1)
    with pytest.raises(f2fskit.IoError):
        fault.read(0, 1)
    fault.read(0, 1)
    assert fault.counts == (3, 0, 0)
    fault.set(bad_offset=4096, bad_length=1)
    fault.read(4095, 1)
    with pytest.raises(OSError) as caught:
        fault.read(4090, 10)
    assert caught.value.errno == errno.EIO
    fault.set(fail_write=1, sticky=True)
    for _ in range(2):
        with pytest.raises(f2fskit.IoError):
            fault.write(0, b"x")


def android_sparse(blocks):
    """A sparse image of 4 KiB blocks: bytes are stored, None is a hole."""
    chunks = b"".join(
        struct.pack("<HHII", 0xCAC1, 0, 1, 12 + 4096) + block if block else struct.pack("<HHII", 0xCAC3, 0, 1, 12)
        for block in blocks)
    return struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, 4096, len(blocks), len(blocks), 0) + chunks


def test_sparse(tmp_path):
    image = android_sparse([b"a" * 4096, None, b"b" * 4096])
    path = tmp_path / "sparse"
    path.write_bytes(image)
    expected = b"a" * 4096 + bytes(4096) + b"b" * 4096
    assert f2fskit.Device.from_buffer(image).sparse().read(0, 12288) == expected
    assert f2fskit.Device.open(path).read(0, 12288) == expected
    assert f2fskit.Device.open(path, sparse=False).size == len(image)
    with pytest.raises(f2fskit.CorruptError) as caught:
        f2fskit.Device.from_buffer(image[:40]).sparse()
    assert caught.value.rule in ("SPARSE_HEADER", "SPARSE_CHUNK")


def test_sparse_is_not_written(tmp_path):
    """A device with a sparse file cannot be changed as a volume, and the error says so. mkfs() overwrites it."""
    path = tmp_path / "sparse"
    path.write_bytes(android_sparse([b"a" * 4096, None] * 4))
    before = path.read_bytes()
    with open(path, "r+b") as file:
        for source in path, bytearray(before), file:
            for change in lambda: f2fskit.open(source, "r+"), lambda: f2fskit.check(source, repair=True):
                with pytest.raises(f2fskit.ReadOnlyError, match="Android sparse file"):
                    change()
    with pytest.raises(f2fskit.ReadOnlyError, match="Android sparse file"):
        f2fskit.Device.open(path, writable=True)
    assert path.read_bytes() == before
    with f2fskit.Device.open(path, writable=True, sparse=False) as device:
        device.write(0, b"none")
    path.write_bytes(before)
    f2fskit.mkfs(path, 64 << 20, overwrite=True)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/file").write_bytes(b"x")


def failing(error):
    class Failing(Reads):
        def pread(self, length, offset):
            raise error

    return f2fskit.Device.from_file(Failing())


@pytest.mark.parametrize("error", [
    ZeroDivisionError("boom"), ValueError("x"), KeyboardInterrupt(), SystemExit(3), MemoryError(), EOFError("end"),
    OSError(errno.EIO, "bad sector"), OSError("no number"), PermissionError(errno.EACCES, "no"),
    f2fskit.errors.make(-21, "corrupt below"), GeneratorExit(), StopIteration(5),
], ids=repr)
def test_exceptions_pass_through(error, capfd):
    device = failing(error)
    with pytest.raises(type(error)) as caught:
        device.read(0, 10)
    assert caught.value is error
    assert device.info.size == len(DATA)  # and it can be used further
    with pytest.raises(type(error)):
        device.read(5, 5)
    assert capfd.readouterr() == ("", "")
    error.__traceback__ = None  # it would keep the device


def test_error_of_a_layer_below_passes_through():
    error = OSError(errno.EIO, "deep below")
    device = failing(error).slice(0, 4096).overlay().cache()
    with pytest.raises(OSError) as caught:
        device.read(0, 10)
    assert caught.value is error
    if hasattr(error, "__notes__"):
        assert any("f2fskit" in note for note in error.__notes__)


@pytest.mark.parametrize("answer, kind", [
    (lambda n, o: b"", OSError), (lambda n, o: b"x" * (n + 1), ValueError), (lambda n, o: "text", TypeError),
    (lambda n, o: 5, TypeError), (lambda n, o: None, BlockingIOError), (lambda n: b"", TypeError),
    (lambda n, o: DATA[o : o + min(n, 3)], None),
])
def test_strange_answers(answer, kind):
    class Strange:
        size = len(DATA)
        pread = staticmethod(answer)

    device = f2fskit.Device.from_file(Strange())
    if kind is None:
        assert device.read(100, 10) == DATA[100:110]
    else:
        with pytest.raises(kind):
            device.read(100, 10)


def test_truncated_file_object():
    file = io.BytesIO(DATA)
    device = f2fskit.Device.from_file(file, size=len(DATA) + 4096)
    assert device.read(0, 10) == DATA[:10]
    with pytest.raises(OSError, match="ends at byte") as caught:
        device.read(len(DATA) - 5, 10)
    assert caught.value.errno == errno.EIO
    file.close()
    with pytest.raises(ValueError, match="closed"):
        device.read(0, 10)


def test_not_a_file_object():
    for bad in (5, object(), None):
        with pytest.raises(TypeError):
            f2fskit.Device.from_file(bad)
    with pytest.raises(TypeError, match="text mode"):
        f2fskit.Device.from_file(io.StringIO("text")).read(0, 2)
    with pytest.raises(AttributeError):
        f2fskit.Device.from_file(type("NoSize", (), {"pread": None})())


def test_use_inside_a_callback_is_refused():
    """A file object that comes back to the device that is calling it."""
    class Curious(Reads):
        def pread(self, length, offset):
            return self.device.read(offset, length)

    source = Curious()
    source.device = f2fskit.Device.from_file(source)
    with pytest.raises(RuntimeError, match="callback"):
        source.device.read(0, 10)
    del source.device


def test_closing_inside_a_callback_is_put_off():
    class Closes(Reads):
        def pread(self, length, offset):
            self.device.close()
            self.device.close()
            return super().pread(length, offset)

    source = Closes()
    source.device = f2fskit.Device.from_file(source)
    assert source.device.read(0, 10) == DATA[:10]
    assert source.device.closed


def test_garbage_is_collected_inside_a_callback():
    context = f2fskit.Context()

    class Litters(Reads):
        def pread(self, length, offset):
            garbage.clear()
            gc.collect()
            return super().pread(length, offset)

    garbage = [f2fskit.Device.memory(4096, context=context)]
    before = _core.lib.f2fskit_host_live_total()
    device = f2fskit.Device.from_file(Litters(), context=context)
    assert device.read(0, 10) == DATA[:10]
    assert not garbage
    device.close()
    assert _core.lib.f2fskit_host_live_total() < before


def test_file_object_lives_as_long_as_the_device():
    source = Reads()
    alive = weakref.ref(source)
    device = f2fskit.Device.from_file(source)
    layer = device.slice(0)
    del source, device
    gc.collect()
    assert alive() is not None and layer.read(0, 4) == DATA[:4]
    layer.close()
    gc.collect()
    assert alive() is None


def test_cycle_of_a_file_object_and_its_device_is_collected():
    source = Reads()
    source.device = f2fskit.Device.from_file(source)
    alive = weakref.ref(source)
    assert source.device.read(0, 4) == DATA[:4]
    del source
    gc.collect()
    assert alive() is None


def test_context_dies_with_the_last_of_its_things():
    device = f2fskit.Device.memory(4096)
    layer = device.slice(0)
    alive = weakref.ref(device.context)
    del device
    assert alive() is not None
    del layer
    assert alive() is None


def test_threads_share_a_device():
    device = f2fskit.Device.from_file(io.BytesIO(DATA))
    failures = []

    def work(seed):
        for i in range(200):
            offset = (seed * 7919 + i * 104729) % (len(DATA) - 64)
            if device.read(offset, 64) != DATA[offset : offset + 64]:
                failures.append(offset)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not failures


def test_threads_run_in_parallel():
    """Two devices with contexts of their own: a read of one continues while the other waits in its file object."""
    meet = threading.Barrier(2, timeout=300)

    class Meets(Reads):
        def pread(self, length, offset):
            meet.wait()
            return super().pread(length, offset)

    devices = [f2fskit.Device.from_file(Meets()) for _ in range(2)]
    threads = [threading.Thread(target=device.read, args=(0, 10)) for device in devices]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not meet.broken


def test_closing_waits_for_another_thread():
    entered, go = threading.Event(), threading.Event()

    class Slow(Reads):
        def pread(self, length, offset):
            entered.set()
            go.wait(300)
            return super().pread(length, offset)

    device = f2fskit.Device.from_file(Slow())
    found = []
    reader = threading.Thread(target=lambda: found.append(device.read(0, 10)))
    reader.start()
    entered.wait(300)
    closer = threading.Thread(target=device.close)
    closer.start()
    closer.join(0.05)
    assert closer.is_alive()
    go.set()
    reader.join()
    closer.join()
    assert found == [DATA[:10]] and device.closed


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_fork_while_another_thread_is_inside():
    """The child does not hang on the lock: idle objects work, those in use raise an error."""
    entered, go = threading.Event(), threading.Event()

    class Slow(Reads):
        def pread(self, length, offset):
            entered.set()
            go.wait(300)
            return super().pread(length, offset)

    busy = f2fskit.Device.from_file(Slow())
    idle = f2fskit.Device.from_buffer(DATA)
    reader = threading.Thread(target=busy.read, args=(0, 10))
    reader.start()
    entered.wait(300)
    child = os.fork()
    if child == 0:
        status = 1
        try:
            assert idle.read(0, 4) == DATA[:4]
            try:
                busy.read(0, 4)
            except RuntimeError:
                status = 0
        finally:
            os._exit(status)
    _, status = os.waitpid(child, 0)
    go.set()
    reader.join()
    assert status == 0
    assert busy.read(0, 4) == DATA[:4]


def test_allocation_failures():
    """Every allocation of opening and reading fails once: MemoryError, no crash, no leak; and then it works."""
    n = 0
    while True:
        n += 1
        context = f2fskit.Context()
        _core.lib.f2fskit_host_fail(context._handle.core.host, n)
        try:
            device = f2fskit.Device.from_buffer(DATA, context=context).overlay(1 << 20).cache(1 << 20)
            device.write(100, b"x" * 5000)
            assert device.read(0, 8192)[100:5100] == b"x" * 5000
            break
        except MemoryError as error:
            assert isinstance(error, f2fskit.NomemError)
    assert n > 5


def test_large_requests_reach_file_objects_in_pieces():
    source = Reads(bytes(20 << 20))
    device = f2fskit.Device.from_file(source)
    assert device.read(0, 20 << 20) == source.data
    assert max(length for length, _ in source.asked) <= host_device._PIECE


def test_zones_over_memory():
    device = f2fskit.Device.memory(256 << 20).zoned(4 << 20, conventional=8, capacity=3 << 20)
    zones = list(device.zones())
    assert len(zones) == 64 and zones[8].capacity == 3 << 20 and zones[7].capacity == 4 << 20
    with pytest.raises(f2fskit.Error):
        device.write((32 << 20) + 4096, bytes(4096))
    f2fskit.mkfs(device, zoned=True)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/file").write_bytes(bytes(range(256)) * 40000)
    assert f2fskit.check(device).found == 0
    with f2fskit.open(device) as volume:
        assert volume.read_bytes("/file") == bytes(range(256)) * 40000
