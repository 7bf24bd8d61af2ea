#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare f2fsfuse with fuse2fs, on images in memory: a stream, small files, an archive of sources.

mounts.py --f2fsfuse BUILD/fuse/f2fsfuse --mkfs BUILD/mkfs/mkfs.f2fs [--work /dev/shm] [--rounds 3] [--tar FILE]

Processor time is that of the server and of the client together. Caches of the mount are dropped before each read by
unmounting and mounting again.
"""
import argparse
import os
import resource
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import time

STREAM = 1 << 30
FILES = 20000


class Server:
    """A file system program in the foreground."""

    def __init__(self, words, point):
        self.words, self.point, self.process = words, point, None

    def start(self):
        self.process = subprocess.Popen(self.words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.DEVNULL)
        while not os.path.ismount(self.point):
            assert self.process.poll() is None, self.words
            time.sleep(0.01)

    def stop(self):
        subprocess.run(["fusermount3", "-u", self.point], check=True)
        assert self.process.wait() == 0

    def seconds(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stream_out(top):
    piece = bytes(range(256)) * 4096
    with open(top + "/stream", "wb", buffering=0) as file:
        for _ in range(STREAM // len(piece)):
            file.write(piece)
        os.fsync(file.fileno())


def stream_in(top):
    with open(top + "/stream", "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def create(top):
    for folder in range(20):
        os.mkdir("%s/%d" % (top, folder))
        for i in range(FILES // 20):
            with open("%s/%d/%d" % (top, folder, i), "wb", buffering=0) as file:
                file.write(b"x" * 1000)


def list_all(top):
    for folder in range(20):
        with os.scandir("%s/%d" % (top, folder)) as entries:
            for entry in entries:
                entry.stat(follow_symlinks=False)


def remove(top):
    for folder in range(20):
        shutil.rmtree("%s/%d" % (top, folder))


STEPS = [("write 1 GiB, fsync", stream_out, False), ("read 1 GiB", stream_in, True), ("create 20,000 files of 1 kB", create, False),
         ("list and stat them", list_all, True), ("remove them", remove, False)]


def measure(server, step, archive):
    """Return (wall seconds, processor seconds)."""
    mine = resource.getrusage(resource.RUSAGE_SELF)
    before, start = server.seconds(), time.monotonic()
    if archive:
        with tarfile.open(archive) as file:
            file.extractall(server.point + "/untarred", filter="fully_trusted")
    else:
        step(server.point)
    wall = time.monotonic() - start
    mine_after = resource.getrusage(resource.RUSAGE_SELF)
    client = mine_after.ru_utime + mine_after.ru_stime - mine.ru_utime - mine.ru_stime
    return wall, server.seconds() - before + client


def run(name, arguments, work, results):
    image, point = work + "/" + name, work + "/mount"
    with open(image, "wb") as file:
        file.truncate(4 << 30)
    if name == "f2fsfuse":
        subprocess.run([arguments.mkfs, "-q", image], check=True)
        words = [arguments.f2fsfuse, "-f", image, point]
    else:
        subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image], check=True)
        words = ["fuse2fs", image, point, "-f", "-o", "fakeroot"]
    server = Server(words, point)
    server.start()
    for title, step, is_cold in STEPS:
        if is_cold:
            server.stop()
            server.start()
        results.setdefault(title, {}).setdefault(name, []).append(measure(server, step, None))
    if arguments.tar:
        results.setdefault("untar", {}).setdefault(name, []).append(measure(server, None, arguments.tar))
    server.stop()
    os.unlink(image)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--f2fsfuse", required=True)
    parser.add_argument("--mkfs", required=True)
    parser.add_argument("--work", default="/dev/shm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--tar")
    arguments = parser.parse_args()
    results = {}
    with tempfile.TemporaryDirectory(dir=arguments.work) as work:
        os.mkdir(work + "/mount")
        for _ in range(arguments.rounds):
            for name in ("f2fsfuse", "fuse2fs"):
                run(name, arguments, work, results)
    print("| work | f2fsfuse s | processor s | fuse2fs s | processor s |\n|---|---|---|---|---|")
    for title, programs in results.items():
        cells = [statistics.median(row[part] for row in programs[name]) for name in ("f2fsfuse", "fuse2fs") for part in (0, 1)]
        print("| %s | %s |" % (title, " | ".join("%.2f" % cell for cell in cells)))


if __name__ == "__main__":
    main()
