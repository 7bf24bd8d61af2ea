# SPDX-License-Identifier: LGPL-2.1-or-later
"""Contents of a file that changes in every way, beside a model of it in memory: written and mapped, cut and extended, punched,
preallocated, copied, with and without the kernel's cache. Operations come from fixed seeds."""
import ctypes
import errno
import mmap
import os
import random
import subprocess

import pytest

MOST = 400000
KEEP_SIZE, PUNCH_HOLE, ZERO_RANGE = 1, 2, 16
libc = ctypes.CDLL(None, use_errno=True)


class Pair:
    """A file and its model."""

    def __init__(self, path, seed, is_compressed):
        self.is_compressed, self.path, self.random, self.model = is_compressed, path, random.Random(seed), bytearray()
        self.fd = os.open(path, os.O_CREAT | os.O_RDWR)

    def extend(self, size):
        self.model.extend(bytes(max(0, size - len(self.model))))

    def place(self):
        """An offset and a length, often of whole blocks."""
        start = self.random.randrange(MOST)
        length = self.random.choice([1, 10, 4096, self.random.randrange(1, 20000), self.random.randrange(1, 100000)])
        if self.random.random() < 0.4:
            start &= ~4095
        return start, min(length, MOST - start)

    def put(self, start, data):
        self.extend(start + len(data))
        self.model[start:start + len(data)] = data

    def clear(self, start, length):
        end = min(start + length, len(self.model))
        if end > start:
            self.model[start:end] = bytes(end - start)

    def write(self):
        start, length = self.place()
        data = self.random.randbytes(length)
        assert os.pwrite(self.fd, data, start) == length
        self.put(start, data)

    def write_past_the_cache(self):
        start = min(self.place()[0], MOST - 8192) & ~4095
        data = self.random.randbytes(8192)
        fd = os.open(self.path, os.O_RDWR | os.O_DIRECT)
        with mmap.mmap(-1, 8192) as aligned:
            aligned[:] = data
            assert os.pwritev(fd, [aligned], start) == 8192
        os.close(fd)
        self.put(start, data)

    def write_mapped(self):
        start, length = self.place()
        length = min(length, len(self.model) - start)
        if length > 0:
            data = self.random.randbytes(length)
            with mmap.mmap(self.fd, len(self.model)) as memory:
                assert memory[start:start + length] == self.model[start:start + length]
                memory[start:start + length] = data
            self.put(start, data)

    def read(self):
        start, length = self.place()
        assert os.pread(self.fd, length, start) == self.model[start:start + length]

    def cut_or_extend(self):
        size = self.random.choice([self.random.randrange(MOST), min(MOST, len(self.model) + self.place()[1])])
        os.ftruncate(self.fd, size)
        del self.model[size:]
        self.extend(size)

    def allocate(self):
        start, length = self.place()
        mode = self.random.choice([0, KEEP_SIZE, KEEP_SIZE | PUNCH_HOLE, ZERO_RANGE, ZERO_RANGE | KEEP_SIZE])
        if libc.fallocate(self.fd, mode, ctypes.c_long(start), ctypes.c_long(length)) != 0:
            assert self.is_compressed and mode & (PUNCH_HOLE | ZERO_RANGE)      # as in the kernel
            assert ctypes.get_errno() == errno.EOPNOTSUPP
            return
        assert not (self.is_compressed and mode & (PUNCH_HOLE | ZERO_RANGE))
        if not mode & KEEP_SIZE:
            self.extend(start + length)
        if mode & (PUNCH_HOLE | ZERO_RANGE):
            self.clear(start, length)

    def copy(self):
        if not self.model:
            return
        source = self.random.randrange(len(self.model))
        length = min(self.place()[1], len(self.model) - source)
        to, done = self.random.randrange(MOST - length + 1), 0
        if abs(source - to) < length:
            return
        while done < length:
            done += os.copy_file_range(self.fd, self.fd, length - done, source + done, to + done)
        self.put(to, bytes(self.model[source:source + length]))

    def sync(self):
        (os.fsync if self.random.random() < 0.5 else os.fdatasync)(self.fd)

    def look_for_holes(self):
        """Gaps between data read as zeros."""
        at = 0
        while at < len(self.model):
            try:
                data = os.lseek(self.fd, at, os.SEEK_DATA)
            except OSError:
                data = len(self.model)
            assert not any(self.model[at:data])
            if data == len(self.model):
                return
            at = os.lseek(self.fd, data, os.SEEK_HOLE)
            assert at > data


WAYS = (Pair.write, Pair.write, Pair.write_past_the_cache, Pair.write_mapped, Pair.read, Pair.cut_or_extend, Pair.allocate,
        Pair.allocate, Pair.copy, Pair.sync, Pair.look_for_holes)


@pytest.mark.parametrize("is_compressed, option", [(False, "commit=1"), (True, "single_thread"), (False, "writeback_cache")])
def test_contents_are_those_of_a_model(mount, volume, peer_check, is_compressed, option):
    image = volume("128M", "-O", "extra_attr,compression,inode_checksum")
    mounted = mount(image, "commit=1", option)
    folder = mounted.point / "folder"
    folder.mkdir()
    if is_compressed:
        subprocess.run(["chattr", "+c", folder], check=True)
        assert b"c" in subprocess.run(["lsattr", "-d", folder], stdout=subprocess.PIPE, check=True).stdout.split()[0]
    pairs = [Pair(folder / str(seed), seed, is_compressed) for seed in range(3)]
    for _ in range(700):
        for pair in pairs:
            pair.random.choice(WAYS if option != "writeback_cache" else WAYS[:-1])(pair)
            assert os.fstat(pair.fd).st_size == len(pair.model)
    if option == "writeback_cache":         # what the kernel has not written yet is no hole
        os.pwrite(pairs[0].fd, b"data", 1 << 20)
        pairs[0].put(1 << 20, b"data")
        assert os.lseek(pairs[0].fd, 1 << 20, os.SEEK_DATA) == 1 << 20
    for pair in pairs:
        os.close(pair.fd)
    assert mounted.unmount() == ""
    peer_check(image)
    mounted = mount(image, "ro")
    for seed, pair in enumerate(pairs):
        assert (mounted.point / "folder" / str(seed)).read_bytes() == pair.model
    assert mounted.unmount() == ""
