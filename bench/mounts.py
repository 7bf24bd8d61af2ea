#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Compare f2fsfuse with fuse2fs, on images in memory, and with a FUSE program that passes everything on to a directory.

mounts.py --f2fsfuse BUILD/fuse/f2fsfuse --mkfs BUILD/mkfs/mkfs.f2fs [--passthrough PROGRAM] [--tar FILE] [--git REPOSITORY]
          [--work /dev/shm] [--rounds 3] [--files 100000] [--options OPTIONS] [--reads | --splice]

Processor time is that of the server and of the client together. Caches of the mount are dropped before each read by
unmounting and mounting again. PROGRAM is passthrough_ll of libfuse's examples. --reads repeats the random reads alone, by turns
from one program to the next, and shows the median of one read, which other load of the machine moves less than their sum.
--splice reads 1 GiB with f2fsfuse alone, by one reader and by two, by turns with and without its option no_splice.
"""
import argparse
import contextlib
import os
import random
import resource
import shutil
import statistics
import subprocess
import tarfile
import tempfile
import threading
import time

STREAM = 1 << 30
FOLDERS = 20


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
        while subprocess.run(["fusermount3", "-u", self.point], stderr=subprocess.DEVNULL).returncode:
            time.sleep(0.1)
        assert self.process.wait() == 0

    def seconds(self):
        with open("/proc/%d/stat" % self.process.pid, encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def stream_out(top, _):
    piece = bytes(range(256)) * 4096
    with open(top + "/stream", "wb", buffering=0) as file:
        for _ in range(STREAM // len(piece)):
            file.write(piece)
        os.fsync(file.fileno())


def stream_in(top, _):
    with open(top + "/stream", "rb", buffering=0) as file:
        while file.read(1 << 20):
            pass


def two_streams_in(top, a):
    """Both read all of the file, from different halves on."""
    def read(start):
        with open(top + "/stream", "rb", buffering=0) as file:
            for half in (start, STREAM // 2 - start):
                file.seek(half)
                for _ in range(STREAM // 2 >> 20):
                    assert len(file.read(1 << 20)) == 1 << 20
    readers = [threading.Thread(target=read, args=(start,)) for start in (0, STREAM // 2)]
    for reader in readers:
        reader.start()
    for reader in readers:
        reader.join()


def random_in(top, _):
    """Return the median of one read, in seconds."""
    places, times = random.Random(1), []
    with open(top + "/stream", "rb", buffering=0) as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)
        for _ in range(20000):
            at, start = places.randrange(STREAM // 4096) * 4096, time.perf_counter()
            os.pread(file.fileno(), 4096, at)
            times.append(time.perf_counter() - start)
    return statistics.median(times)


def beside_a_writer(top, _):
    """Two readers of 1 GiB in halves, and a writer of 256 MiB."""
    def read(start):
        with open(top + "/stream", "rb", buffering=0) as file:
            for at in range(start, start + STREAM // 2, 1 << 20):
                os.pread(file.fileno(), 1 << 20, at)

    def write():
        with open(top + "/beside", "wb", buffering=0) as file:
            for _ in range(256):
                file.write(bytes(1 << 20))
    threads = [threading.Thread(target=read, args=(half,)) for half in (0, STREAM // 2)] + [threading.Thread(target=write)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def write_and_sync(top, _):
    with open(top + "/synced", "wb", buffering=0) as file:
        for _ in range(2000):
            file.write(b"s" * 4096)
            os.fsync(file.fileno())


def create(top, a):
    for folder in range(FOLDERS):
        os.mkdir("%s/%d" % (top, folder))
        for i in range(a.files // FOLDERS):
            with open("%s/%d/%d" % (top, folder, i), "wb", buffering=0) as file:
                file.write(b"x" * 1000)


def list_all(top, _):
    for folder in range(FOLDERS):
        with os.scandir("%s/%d" % (top, folder)) as entries:
            for entry in entries:
                entry.stat(follow_symlinks=False)


def remove(top, _):
    for folder in range(FOLDERS):
        shutil.rmtree("%s/%d" % (top, folder))


def untar(top, a):
    words = {"filter": "fully_trusted"} if hasattr(tarfile, "fully_trusted_filter") else {}     # Debian 12 has none
    with tarfile.open(a.tar) as file:
        file.extractall(top + "/untarred", **words)


def clone(top, a):
    subprocess.run(["git", "clone", "-q", "--no-hardlinks", a.git, top + "/clone"], check=True)


def git_status(top, _):
    subprocess.run(["git", "-C", top + "/clone", "status", "--porcelain"], check=True, stdout=subprocess.DEVNULL)


def steps(a):
    """(title, step, is it cold?)"""
    rows = [("write 1 GiB, fsync", stream_out, False), ("read 1 GiB", stream_in, True),
            ("20,000 random reads of 4 KiB", random_in, True), ("two readers beside a writer", beside_a_writer, True),
            ("2,000 writes of 4 KiB with fsync", write_and_sync, False), ("create %d files of 1 kB" % a.files, create, False),
            ("list and stat them", list_all, True), ("remove them", remove, False)]
    rows += [("untar", untar, False)] if a.tar else []
    rows += [("git clone", clone, False), ("git status", git_status, True)] if a.git else []
    return rows


def measure(server, step, a):
    """Return (wall seconds, processor seconds)."""
    def client():
        usage = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
        return sum(u.ru_utime + u.ru_stime for u in usage)
    before, mine, start = server.seconds(), client(), time.monotonic()
    step(server.point, a)
    return time.monotonic() - start, server.seconds() - before + client() - mine


def prepare(name, a, work):
    """Make the volume; the words of its program."""
    image, point = work + "/" + name, work + "/mount"
    if name == "passthrough":
        os.mkdir(image)
        return [a.passthrough, "-f", "-o", "source=%s,cache=always" % image, point]
    with open(image, "wb") as file:
        file.truncate(4 << 30)
    if name == "f2fsfuse":
        subprocess.run([a.mkfs, "-q", image], check=True)
        return [a.f2fsfuse, "-f", image, point] + (["-o", a.options] if a.options else [])
    subprocess.run(["mkfs.ext4", "-q", "-F", "-E", "lazy_itable_init=0", image], check=True)
    return ["fuse2fs", image, point, "-f", "-o", "fakeroot"]


def run(name, a, work, results):
    server = Server(prepare(name, a, work), work + "/mount")
    server.start()
    for title, step, is_cold in steps(a):
        if is_cold:
            server.stop()
            server.start()
        results.setdefault(title, {}).setdefault(name, []).append(measure(server, step, a))
    server.stop()
    subprocess.run(["rm", "-rf", work + "/" + name], check=True)


def repeat_reads(names, a):
    """Random reads of 4 KiB by turns, and a table."""
    with contextlib.ExitStack() as stack:
        servers, times = {}, {}
        for name in names:
            work = stack.enter_context(tempfile.TemporaryDirectory(dir=a.work))
            os.mkdir(work + "/mount")
            servers[name] = Server(prepare(name, a, work), work + "/mount")
            servers[name].start()
            stream_out(servers[name].point, a)
            servers[name].stop()
        for _ in range(a.rounds):
            for name, server in servers.items():
                server.start()
                before = server.seconds()
                times.setdefault(name, []).append((random_in(server.point, a), server.seconds() - before))
                server.stop()
    print("| program | median of a read, µs | processor of the program, s |\n|---|---|---|")
    for name, rows in times.items():
        print("| %s | %.1f | %.2f |" % (name, *(statistics.median(row[part] for row in rows) * scale for part, scale in ((0, 1e6), (1, 1)))))


def compare_splice(a):
    """Streams with and without splice by turns, and a table."""
    jobs, times = {"read 1 GiB": stream_in, "two readers of 1 GiB": two_streams_in}, {}
    with tempfile.TemporaryDirectory(dir=a.work) as work:
        os.mkdir(work + "/mount")
        words = prepare("f2fsfuse", a, work)
        server = Server(words, work + "/mount")
        server.start()
        stream_out(server.point, a)
        server.stop()
        for number in range(a.rounds):
            for title, step in jobs.items():
                pair = {}
                for option in ("splice", "copy") if number % 2 else ("copy", "splice"):
                    server = Server(words + (["-o", "no_splice"] if option == "copy" else []), work + "/mount")
                    server.start()
                    pair[option] = measure(server, step, a)
                    server.stop()
                times.setdefault(title, []).append(pair)
    print("| work | f2fsfuse, least s | processor s | no_splice, least s | processor s | processor, median of the pairs |\n|---|---|---|---|---|---|")
    for title, pairs in times.items():
        cells = [how(pair[option][part] for pair in pairs) for option in ("splice", "copy") for part, how in enumerate((min, statistics.median))]
        ratio = statistics.median(pair["splice"][1] / pair["copy"][1] for pair in pairs)
        print("| %s | %s | %.2f |" % (title, " | ".join("%.2f" % cell for cell in cells), ratio))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--f2fsfuse", required=True)
    parser.add_argument("--mkfs", required=True)
    parser.add_argument("--passthrough")
    parser.add_argument("--work", default="/dev/shm")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--files", type=int, default=100000)
    parser.add_argument("--tar")
    parser.add_argument("--git")
    parser.add_argument("--options")
    parser.add_argument("--reads", action="store_true")
    parser.add_argument("--splice", action="store_true")
    parser.add_argument("--only", help="of the programs f2fsfuse, fuse2fs, passthrough")
    a = parser.parse_args()
    most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))    # the passthrough program has one for each inode
    names = ["f2fsfuse", "fuse2fs"] + (["passthrough"] if a.passthrough else [])
    names = [a.only] if a.only else names
    if a.reads:
        repeat_reads(names, a)
        return
    if a.splice:
        compare_splice(a)
        return
    results = {}
    with tempfile.TemporaryDirectory(dir=a.work) as work:
        os.mkdir(work + "/mount")
        for _ in range(a.rounds):
            for name in names:
                run(name, a, work, results)
    print("| work | %s |\n|%s" % (" | ".join("%s s | processor s" % name for name in names), "---|" * (1 + 2 * len(names))))
    for title, programs in results.items():
        cells = [statistics.median(row[part] for row in programs[name]) for name in names for part in (0, 1)]
        print("| %s | %s |" % (title, " | ".join("%.2f" % cell for cell in cells)))


if __name__ == "__main__":
    main()
