#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Figures of defrag.f2fs: 10,000 files in fragments of at most 64 KiB, on volumes that are 70, 90 and 95 % full.

    PYTHONPATH=build/python bench/defrag_figures.py BUILD FOLDER [FILES [SHARES [kernel]]]

Prints for each share and order: files in pieces before and after, moves of a block, blocks moved more than twice, processor
seconds, and those of reading and writing the moved blocks once, by the same requests, on a fresh copy of the image; the least of
three. With "kernel" F2FS_IOC_DEFRAGMENT is called for each file, too, on standard error."""
import os
import random
import subprocess
import sys
import time

import f2fskit

BLOCK = 4096
BLOCKS = 25  # of a file, on average
PIECE = 16


def make(build, image, files, percent):
    size = files * (BLOCKS + 1) * BLOCK * 100 // percent * 107 // 100 + (32 << 20)
    subprocess.run([f"{build}/mkfs/mkfs.f2fs", "-q", "-f", image, f"{size // (2 << 20) * 2}M"], check=True)
    chance = random.Random(1)
    with f2fskit.open(image, "r+") as volume:
        room = volume.statfs().user_blocks * percent // 100 - volume.statfs().valid_blocks - files
        sizes = [1 + int(chance.expovariate(1 / BLOCKS)) for _ in range(files)]
        scale = room / sum(sizes)
        sizes = [max(1, int(n * scale)) for n in sizes]
        for d in range(50):
            volume.path(f"/d{d}").mkdir()
        done = [0] * files
        live = list(range(files))
        while live:
            chance.shuffle(live)
            for i in live:
                n = min(PIECE, sizes[i] - done[i])
                with volume.path(f"/d{i % 50}/f{i}").open("ab") as file:
                    file.write(bytes([i & 255, done[i] & 255]) * (n * BLOCK // 2))
                done[i] += n
            live = [i for i in live if done[i] < sizes[i]]
            volume.commit()


class Recorder:
    """The image as a device that keeps which bytes are read and written."""

    def __init__(self, image):
        self.fd = os.open(image, os.O_RDWR)
        self.size = os.fstat(self.fd).st_size
        self.log = []

    def pread(self, length, offset):
        self.log.append((False, offset, length))
        return os.pread(self.fd, length, offset)

    def pwrite(self, data, offset):
        self.log.append((True, offset, len(data)))
        return os.pwrite(self.fd, data, offset)

    def flush(self):
        pass


def fresh(aged, image):
    subprocess.run(["cp", "--sparse=always", aged, image], check=True)


def types(volume):
    return [entry.type < 3 for entry in volume.sit]


def raw_requests(image, order):
    """The reads and writes of contents, and nothing else, that putting an image in order makes: those of segments of data."""
    record = Recorder(image)
    with f2fskit.open(image) as volume:
        main, before = volume.geometry.main_blkaddr, types(volume)
    with f2fskit.open(f2fskit.Device.from_file(record, writable=True), "r+") as volume:
        volume.defrag(order)
        after = types(volume)
    os.close(record.fd)

    def is_of_data(writes, offset):
        segment = (offset // BLOCK - main) // 512  # the device may end after the last one
        return 0 <= segment < len(before) and (after if writes else before)[segment]
    return [request for request in record.log if is_of_data(*request[:2])]


def raw_copy(image, requests):
    """Processor seconds of making them again."""
    buffer = memoryview(bytearray(4 << 20))
    with open(image, "r+b", buffering=0) as file:
        started = time.process_time()
        for writes, offset, length in requests:
            if writes:
                os.pwrite(file.fileno(), buffer[:length], offset)
            else:
                os.preadv(file.fileno(), [buffer[:length]], offset)
        os.fsync(file.fileno())
        return time.process_time() - started


def put_in_order(image, order):
    started = time.process_time()
    with f2fskit.open(image, "r+") as volume:
        found = volume.defrag(order)
    return time.process_time() - started, found


def by_the_kernel(image):
    """F2FS_IOC_DEFRAGMENT, file by file, in a User Mode Linux; the report afterwards."""
    here = os.path.dirname(os.path.abspath(__file__))
    done = subprocess.run([sys.executable, f"{here}/../tests/kernel/uml.py", image, "-c",
                           f"mount /dev/ubda $MNT && python3 {here}/defrag_ioctl.py $MNT && umount $MNT"],
                          capture_output=True, check=True)
    with f2fskit.open(image) as volume:
        found = volume.fragmentation()
    print(f"     kernel: {done.stdout.decode().strip()}: {found.broken} broken, {found.fragments} fragments", file=sys.stderr)


def main(build, folder, files="10000", shares="70,90,95", kernel=""):
    aged, image = os.path.join(folder, "aged.img"), os.path.join(folder, "disk.img")
    print("| full | order | files in pieces | moves a block | moved more than twice | processor s | raw copy s | times |\n" + "|---" * 8 + "|")
    for percent in map(int, shares.split(",")):
        make(build, aged, int(files), percent)
        for order in ("score", "tree"):
            fresh(aged, image)
            requests = raw_requests(image, order)
            best, raw = [], []
            for _ in range(3):
                fresh(aged, image)
                seconds, found = put_in_order(image, order)
                best.append(seconds)
                fresh(aged, image)
                raw.append(raw_copy(image, requests))
            fresh(aged, image)
            put_in_order(image, order)
            assert f2fskit.check(image).found == 0
            moved = found.blocks_placed + found.blocks_cleared
            print(f"| {percent} % | {order} | {found.before.broken} -> {found.after.broken} of {found.after.files} | "
                  f"{moved / max(found.blocks_placed, 1):.2f} | {found.blocks_often} | {min(best):.2f} | {min(raw):.2f} | "
                  f"{min(best) / min(raw):.2f} |", flush=True)
        if kernel:
            fresh(aged, image)
            by_the_kernel(image)
    os.unlink(aged)
    os.unlink(image)


main(*sys.argv[1:])
