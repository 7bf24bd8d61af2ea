# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bad input: damaged and truncated images, file objects that fail or give little. Always an answer or an `Error`."""
import errno
import io
import os
import random
import struct

import f2fskit
import pytest
from f2fskit import Error


def changed(image, *changes):
    """The image with (offset, bytes) written over it, as a device; the file stays as it is."""
    overlay = f2fskit.Device.open(image.path).overlay()
    for offset, data in changes:
        overlay.write(offset, data)
    return overlay


def read_everything(volume):
    """Touch all there is; return the errors."""
    errors = []
    for path, entry in volume.scan(onerror=errors.append):
        try:
            inode = entry.inode()
            inode.stat(), inode.fields(), dict(inode.xattrs), inode.nodes()
            for _, extent in zip(range(10_000), inode.extents()):
                volume.identify(extent.addr)
            if inode.is_file():
                with inode.open() as file:
                    for _ in range(64):
                        if not file.read(1 << 20):
                            break
            elif inode.is_symlink():
                inode.readlink()
            if inode.number % 50 == 0:
                inode.path
        except Error as error:
            errors.append(error)
    for table in (volume.nat, volume.sit, volume.ssa):
        try:
            table.buffer(0, 100)
            table[:3]
        except Error as error:
            errors.append(error)
    return errors


def test_the_helper_finds_no_error_in_a_good_image(volume):
    assert read_everything(volume) == []


@pytest.mark.parametrize("length", [0, 1, 1023, 1024, 1028, 4096, 5119, 5120, 8192, 1 << 20])
def test_truncated(image, length):
    with f2fskit.Device.open(image.path) as device:
        raw = device.read(0, length)
    for source in (memoryview(raw), io.BytesIO(raw)):
        with pytest.raises(Error) as caught:
            f2fskit.open(source)
        assert isinstance(caught.value, (f2fskit.NotF2fsError, f2fskit.CorruptError, f2fskit.IoError,
                                         f2fskit.RangeError))


@pytest.mark.parametrize("length", [4 << 20, 20 << 20, 99 << 20])
def test_truncated_behind_the_checkpoints(image, length):
    """Remaining parts are read, others are errors, and they are noted."""
    with f2fskit.Device.open(image.path) as device:
        part = device.slice(0, length)
        with f2fskit.open(part) as volume:
            assert any("shorter" in note for note in volume.notes)
            assert all(isinstance(error, Error) for error in read_everything(volume))
            with pytest.raises(f2fskit.IoError):
                volume.block(length // 4096)


def test_not_an_image():
    for raw in (bytes(1 << 20), random.Random(1).randbytes(1 << 20), b"\xff" * 4096):
        with pytest.raises(f2fskit.NotF2fsError) as caught:
            f2fskit.open(memoryview(raw))
        assert isinstance(caught.value, OSError)


def test_one_superblock_is_enough(image):
    for copy in (0, 1):
        with f2fskit.open(changed(image, (1024 + copy * 4096, bytes(64)))) as volume:
            assert volume.superblock_copy == 1 - copy
            assert volume.superblock_state(copy).name == "SB_MAGIC"
            assert volume.notes and read_everything(volume) == []
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.open(changed(image, (1024, bytes(64)), (1024 + 4096, bytes(64))))


def test_both_checkpoints_damaged(image):
    with f2fskit.open(image.path) as volume:
        geometry = volume.geometry
    with pytest.raises(f2fskit.CorruptError) as caught:
        f2fskit.open(changed(image, *((geometry.cp_blkaddr * 4096 + pack * (2 << 20), b"\xff" * 192) for pack in (0, 1))))
    error = caught.value
    assert error.errno == errno.EUCLEAN and error.structure == "checkpoint" and error.rule in f2fskit.rules
    assert error.block is not None and str(error)


def test_damaged_inode_names_its_place(image):
    with f2fskit.open(image.path) as volume:
        inode = volume.lookup("/medium.bin")
        number, addr = inode.number, volume.nat[inode.number].block_addr
    with f2fskit.open(changed(image, (addr * 4096, struct.pack("<H", 0o170000 | 0o644)))) as volume:
        with pytest.raises(f2fskit.CorruptError) as caught:
            volume.inode(number)
        error = caught.value
        assert (error.structure, error.rule, error.nid) == ("inode", "INODE_MODE", number)
        assert f2fskit.rules[error.rule].structure == "inode"
        with pytest.raises(OSError):
            volume.read_bytes("/medium.bin")
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"


def find_entry(volume, directory, name):
    """(byte offset in the image of the entry's 11 bytes, its contents)"""
    entry = volume.lookup(directory).entry(name)
    wanted = struct.pack("<IIHB", entry.hash, entry.ino, len(name), entry.type)
    inode = volume.lookup(directory)
    blocks = [volume.nat[inode.number].block_addr]
    blocks += [e.addr + i for e in inode.extents() if e.kind == f2fskit.ExtentKind.DATA for i in range(e.count)]
    for addr in blocks:
        at = volume.block(addr).find(wanted)
        if at >= 0:
            return addr * 4096 + at, wanted
    raise AssertionError("entry not found")


def test_directory_in_itself(image):
    with f2fskit.open(image.path) as volume:
        offset, raw = find_entry(volume, "/dir", "sub")
        top = volume.lookup("/dir").number
    with f2fskit.open(changed(image, (offset, raw[:4] + struct.pack("<I", top) + raw[8:]))) as volume:
        errors = []
        paths = [path for path, _ in volume.scan(onerror=errors.append)]
        assert len(paths) < len(image.truth) + 10
        assert [(e.rule, e.nid) for e in errors] == [("DENTRY_PATH", top)]
        with pytest.raises(f2fskit.CorruptError, match="/dir/sub"):
            list(volume.walk())
        assert sorted(p.name for p in volume.path("/dir/sub/sub/sub").iterdir()) == sorted(
            p.name for p in volume.path("/dir").iterdir())


def test_damaged_entry_does_not_hide_the_others(image):
    with f2fskit.open(image.path) as volume:
        offset, raw = find_entry(volume, "/many", "file-0123")
        names = {entry.name for entry in volume.lookup("/many").iterdir()}
    device = changed(image, (offset, raw[:8] + b"\xff\xff" + raw[10:]))
    with f2fskit.open(device) as volume:
        errors = []
        found = {entry.name for entry in volume.lookup("/many").iterdir(onerror=errors.append)}
        assert errors and all(isinstance(error, f2fskit.CorruptError) for error in errors)
        assert errors[0].rule == "DENTRY_NAME"
        assert names - found <= {"file-0123", "file-0122", "file-0124"} and "file-0123" not in found
        # without a handler the iterator raises, and continues when it is asked again
        reader = volume.lookup("/many").iterdir()
        found, raised = set(), 0
        while True:
            try:
                found.add(next(reader).name)
            except StopIteration:
                break
            except f2fskit.CorruptError:
                raised += 1
        assert raised == len(errors) and "file-0500" in found


def test_enormous_file(image):
    """A file that claims terabytes costs neither time nor memory before somebody reads it."""
    with f2fskit.open(image.path) as volume:
        addr = volume.nat[volume.lookup("/medium.bin").number].block_addr
    size = 3 << 40
    with f2fskit.open(changed(image, (addr * 4096 + 16, struct.pack("<Q", size)))) as volume:
        inode = volume.lookup("/medium.bin")
        assert inode.size == size
        with inode.open() as file:
            assert file.read(1000) == image.truth["/medium.bin"][:1000]
            file.seek(-10, os.SEEK_END)
            assert file.read() == bytes(10)
            assert 100001 <= file.seek(0, os.SEEK_HOLE) < 1 << 20
            with pytest.raises(OSError):
                file.seek(1 << 40, os.SEEK_DATA)
        with pytest.raises(f2fskit.TooBigError):
            inode.read_bytes(max_bytes=1 << 30)
        assert len(list(inode.extents())) < 10


def test_random_damage(image):
    """Bits of the used metadata and node blocks are changed at random: errors, nothing worse."""
    with f2fskit.open(image.path) as volume:
        g = volume.geometry
        blocks = [0, 1, g.cp_blkaddr, g.cp_blkaddr + 1, g.cp_blkaddr + 512, g.sit_blkaddr, g.nat_blkaddr, g.nat_blkaddr + 512]
        blocks += [entry.block_addr for entry in volume.nat.used() if entry.nid > 2][:60]
    rng = random.Random(20)
    opened = failed = 0
    for _ in range(30):
        changes = []
        for _ in range(rng.choice((1, 3, 20))):
            addr = rng.choice(blocks)
            changes.append((addr * 4096 + rng.randrange(4096), rng.randbytes(rng.choice((1, 2, 8)))))
        device = changed(image, *changes)
        try:
            with f2fskit.open(device, mode=rng.choice(("tolerant", "strict"))) as volume:
                opened += 1
                failed += bool(read_everything(volume))
        except Error:
            failed += 1
    assert opened > 5 and failed > 5


class Fails:
    """A file that raises at its n-th read, and reads well before and after. OSErrors come as often as a read is tried."""

    def __init__(self, path, n, error):
        self.fd = os.open(path, os.O_RDONLY)
        self.size = os.fstat(self.fd).st_size
        self.left = n
        self.error = error

    def pread(self, length, offset):
        self.left -= 1
        if 0 >= self.left > (-3 if isinstance(self.error, OSError) else -1):
            raise self.error
        return os.pread(self.fd, length, offset)

    def __del__(self):
        os.close(self.fd)


@pytest.mark.parametrize("make", [lambda: ZeroDivisionError("boom"), lambda: KeyboardInterrupt(),
                                  lambda: OSError(errno.EIO, "bad sector"), lambda: MemoryError()])
def test_every_read_fails_once(image, make, capfd):
    n, raised = 0, 0
    while True:
        n += 1
        source = Fails(image.path, n, make())
        try:
            with f2fskit.open(source) as volume:
                assert volume.read_bytes("/dir/sub/deep.txt") == b"deep\n"
                assert volume.read_bytes("/medium.bin") == image.truth["/medium.bin"]
                assert volume.lookup("/many/file-0699").read_bytes() == b"699"
            if source.left > 0:
                break
            # not noticed: then the other copy was read, and a note reports it
            assert isinstance(source.error, OSError)
            assert source.error in volume.context.tolerated
        except BaseException as error:
            assert error is source.error, (n, error)
            raised += 1
        source.error.__traceback__ = None
    assert raised >= 3 and n > 5
    assert capfd.readouterr() == ("", "")


def test_io_error_of_a_copy_is_got_around(image):
    """The first superblock cannot be read: the second one serves, and both the note and the exception are kept."""
    class BadSector(Fails):
        def pread(self, length, offset):
            if offset < 4096:
                raise OSError(errno.EIO, "bad sector")
            return os.pread(self.fd, length, offset)

    with f2fskit.open(BadSector(image.path, 0, None)) as volume:
        assert volume.superblock_copy == 1
        assert [str(error) for error in volume.context.tolerated][:1] == ["[Errno 5] bad sector"]
        with pytest.raises(f2fskit.IoError):
            volume.superblock_state(0)
        assert volume.read_bytes("/tiny.txt") == b"hello, f2fs\n"
        with pytest.raises(OSError, match="bad sector"):
            volume.block(0)


def test_bad_sector_in_a_sample(tmp_path):
    """A dry run of resize() measures the device with blocks that have to move. One that cannot be read does not end it."""
    path = tmp_path / "image"
    f2fskit.build({f"file{i}": bytes(4_000_000) for i in range(45)}, path, 256 << 20)
    with f2fskit.open(path, "r+") as volume:
        for i in range(30):
            volume[f"/file{i}"].unlink()
        volume.commit()
        last = max(number for number, segment in enumerate(volume.sit) if segment.valid_blocks > 100)
        bad = (volume.geometry.main_blkaddr + last * 512) * 4096

    class BadSector(Fails):
        reads = 0

        def pread(self, length, offset):
            if bad - (30 << 20) < offset + length and offset < bad + (2 << 20) and length > 65536:
                BadSector.reads += 1
                raise OSError(errno.EIO, "bad sector")
            return os.pread(self.fd, length, offset)

    assert f2fskit.resize(BadSector(path, 0, None), 150 << 20, dry_run=True).blocks_to_move > 5000
    assert BadSector.reads > 0


def test_short_reads(image):
    class Short(Fails):
        rng = random.Random(5)

        def pread(self, length, offset):
            return os.pread(self.fd, self.rng.randint(1, min(length, 3000)), offset)

    with f2fskit.open(Short(image.path, 0, None)) as volume:
        assert volume.read_bytes("/medium.bin") == image.truth["/medium.bin"]


def test_file_that_shrinks_while_open(image, tmp_path):
    path = tmp_path / "shrinking"
    with open(path, "wb") as out, open(image.path, "rb") as source:
        out.write(source.read())
    with open(path, "r+b", buffering=0) as file, f2fskit.open(file) as volume:
        inode = volume.lookup("/large.bin")
        os.truncate(path, 4 << 20)
        with pytest.raises(OSError, match="ends at byte"):
            inode.read_bytes()
    with open(path, "wb") as out, open(image.path, "rb") as source:
        out.write(source.read())
    with f2fskit.open(path) as volume:
        inode = volume.lookup("/large.bin")
        os.truncate(path, 4 << 20)
        with pytest.raises(f2fskit.IoError):
            inode.read_bytes()


def test_strange_arguments(volume):
    for call in (lambda: volume.inode(-1), lambda: volume.inode(1 << 40), lambda: volume.identify(-1),
                 lambda: volume.nat[1 << 70], lambda: volume.root.extent(-1), lambda: volume.root.extent(1 << 70),
                 lambda: volume.root.block_addr(-1), lambda: volume.root.read_raw(-1, 5), lambda: volume.node(-5)):
        with pytest.raises((OverflowError, IndexError, Error, ValueError)):
            call()
    for call in (lambda: volume.inode("3"), lambda: volume.lookup(3.5), lambda: volume.block("x"),
                 lambda: volume.nat[None], lambda: volume.root.entry(5)):
        with pytest.raises((TypeError, AttributeError, Error)):
            call()
