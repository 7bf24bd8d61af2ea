#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time our programs and their peers in turns, and print a table of each job.

usage: bench/peers.py [-n RUNS] [-b BUILD] [-s SOURCE]... [-w WORKDIR] [--big GIB] [--small FILES] [--limit SECONDS] [TITLE...]

TITLE: only these tables (default: all; --list shows them). Each row is measured RUNS times in turn with its peers, after one run
that does not count. Caches are hot, unless a title says otherwise. SOURCE: directories whose contents make the tree (default
/usr/include and /usr/lib/python3). Missing programs are left out, and programs that take longer than SECONDS are ended. One that
takes more than 30 s is measured once.
"""
import argparse
import os
import random
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
SLOW = 30   # seconds
TABLES = {}  # title -> function
FLUSH = " Ours and f2fs-tools' flush the image to the disk before they end; the others leave that to the system."
HEAD = "| program | median s | least | most | times ours | processor s | times ours | peak MiB | |"
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Row:
    """One program of a table, and its measurements."""

    def __init__(self, name, prepare, command, read=None):
        self.name, self.prepare, self.command, self.read = name, prepare, command, read
        self.wall, self.cpu, self.peak, self.extra, self.unable = [], [], 0, [], None

    def is_slow(self):
        return bool(self.wall) and self.wall[-1] > SLOW

    def measure(self, counts, payload, limit):
        if self.prepare:
            self.prepare()
        start = time.perf_counter()
        with tempfile.TemporaryFile() as output:
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.STDOUT)
            timer = threading.Timer(limit, process.kill)
            timer.start()
            os.waitid(os.P_PID, process.pid, os.WEXITED | os.WNOWAIT)
            taken = time.perf_counter() - start
            timer.cancel()
            with open("/proc/%d/io" % process.pid) as io:
                written = int(re.search(r"wchar: (\d+)", io.read()).group(1))
            _, status, usage = os.wait4(process.pid, 0)
            output.seek(0)
            text = output.read()
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode == -9:
            self.unable = "not done after %d s" % limit
        elif self.command[0] == "dump.f2fs" and not os.path.isdir("out"):
            self.unable = "cannot: too old"     # an option that it does not know
        elif process.returncode not in (0, 1):
            sys.exit("%s: status %d\n%s" % (" ".join(self.command), process.returncode, text[-2000:].decode(errors="replace")))
        elif counts:
            self.wall.append(taken)
            self.cpu.append(usage.ru_utime + usage.ru_stime)
            self.peak = max(self.peak, usage.ru_maxrss)
            if payload and written > payload / 2:   # some write through a mapping, or have the kernel copy
                self.extra.append("%.3f bytes written for each of contents" % (written / payload))
            if self.read:
                self.extra.append(self.read(text))

    def show(self, first):
        if self.unable or first.unable:
            return "%s | | | | | | | " % (self.unable or "")
        wall, cpu = statistics.median(self.wall), statistics.median(self.cpu)
        return "%.3f | %.3f | %.3f | %.2f | %.3f | %.2f | %.1f | %s" % (
            wall, min(self.wall), max(self.wall), wall / statistics.median(first.wall), cpu,
            cpu / max(statistics.median(first.cpu), 1e-3), self.peak / 1024, "; ".join(sorted(set(map(str, self.extra)))[:1]))


class Bench:
    def __init__(self, options):
        self.o = options
        self.program = {name: os.path.join(options.build, name, name + ".f2fs") for name in ("mkfs", "dump", "sload", "fsck")}

    def table(self, rows, note="", payload=0):
        """rows: Row; the first is ours and the unit of the ratios. payload: bytes of contents, to compare the writes with."""
        rows = [row for row in rows if shutil.which(row.command[0])]
        for run in range(self.o.runs + 1):
            for row in rows:
                if row.unable is None and not row.is_slow():
                    row.measure(run > 0, payload, self.o.limit)
        print("\n".join(([note, ""] if note else []) + [HEAD, "|---" * (HEAD.count("|") - 1) + "|"] +
                        ["| %s | %s |" % (row.name, row.show(rows[0])) for row in rows]), flush=True)

    def steps(self, rows, note):
        """Steps that follow each other: each is measured once, and compared with no other."""
        print("%s\n\n| step | s | processor s | peak MiB |\n|---|---|---|---|" % note)
        for row in rows:
            row.measure(True, 0, self.o.limit)
            print("| %s | %s |" % (row.name, row.unable or "%.2f | %.2f | %.1f" % (row.wall[0], row.cpu[0], row.peak / 1024)), flush=True)

    def fresh(self, name, length):
        def prepare():
            gone(name)()
            with open(name, "wb") as f:
                f.truncate(length)
        return prepare

    def fill_image(self, name, length, source, *options):
        self.fresh(name, length)()
        subprocess.run([self.program["mkfs"], "-q", "-f", *options, "--root-dir", source, name], check=True)

    def make_tree(self):
        """Copy the sources to `tree`. Returns bytes of contents, room for an image of them, and a note."""
        os.mkdir("tree")
        for source in self.o.source:
            subprocess.run(["cp", "-a", source, "tree/"], check=True)
        mib = int(subprocess.run(["du", "-sm", "tree"], capture_output=True, text=True, check=True).stdout.split()[0])
        files = [os.path.join(folder, f) for folder, _, names in os.walk("tree") for f in names]
        return sum(os.lstat(f).st_size for f in files), max(1 << 30, mib * 3 << 20), "%d files, %d MiB." % (len(files), mib)

    def fill(self, source, room, note, payload=0):
        """Ours against everything that makes an image or archive of a directory."""
        mkfs, sload = self.program["mkfs"], self.program["sload"]
        self.table([
            Row("mkfs.f2fs --root-dir of f2fskit", self.fresh("img", room), [mkfs, "-q", "-f", "--root-dir", source, "img"]),
            Row("mkfs.f2fs, sload.f2fs of f2fskit", self.fresh("img", room),
                ["sh", "-c", '"$0" -q -f img && exec "$1" -q -P -f "$2" img', mkfs, sload, source]),
            Row("mkfs.f2fs, sload.f2fs of f2fs-tools", self.fresh("img", room),
                ["sh", "-c", 'mkfs.f2fs -q -f img && exec sload.f2fs -f "$0" -P img', source]),
            Row("mke2fs -d", self.fresh("ext", room), ["mke2fs", "-q", "-F", "-d", source, "ext"]),
            Row("mkfs.erofs", gone("ero"), ["mkfs.erofs", "-x1", "ero", source]),
            Row("tar cf", gone("t.tar"), ["tar", "cf", "t.tar", source])], note + FLUSH, payload)

    def checks(self, image, prepare=None):
        return [Row("fsck.f2fs of f2fskit", prepare, [self.program["fsck"], "-n", "-f", image]),
                Row("fsck.f2fs of f2fs-tools", prepare, ["fsck.f2fs", "-f", "--dry-run", image])]

    def small(self):
        """Make the tree of small files. Returns room for an image of them, and a note."""
        make_small("small", self.o.small)
        room = (self.o.small * 8 << 10) + (1 << 30)
        return room, "{:,} files of up to 300 bytes, 1,000 in a directory, on a volume of {} MiB.".format(self.o.small, room >> 20)


def gone(name):
    def prepare():
        if os.path.isdir(name):
            shutil.rmtree(name)
        elif os.path.exists(name):
            os.unlink(name)
    return prepare


def make_small(top, files):
    """Files of up to 300 bytes, 1,000 in a directory."""
    for number in range(files):
        folder = "%s/directory-%d" % (top, number // 1000)
        if number % 1000 == 0:
            os.makedirs(folder)
        with open("%s/file-number-%d" % (folder, number % 1000), "wb") as f:
            f.write(b"%0300d" % number if number % 7 == 0 else b"%d\n" % number * (number % 40))


def make_random(top, files, least=1000, most=9000):
    """Files of random sizes in bytes, 1,000 in a directory; the same in every run."""
    rng = random.Random(1)
    data = rng.randbytes(max(1 << 20, 2 * most))
    for number in range(files):
        folder = "%s/directory-%d" % (top, number // 1000)
        if number % 1000 == 0:
            os.makedirs(folder)
        at = rng.randrange(len(data) - most)
        with open("%s/file-%d" % (folder, number), "wb") as f:
            f.write(data[at:at + rng.randint(least, most)])


def make_tiny(top, files, per_folder):
    """Files of a few bytes."""
    for number in range(files):
        folder = "%s/directory-%d" % (top, number // per_folder)
        os.makedirs(folder, exist_ok=True)
        with open("%s/file-number-%d" % (folder, number % per_folder), "w") as f:
            f.write("%d\n" % number)


def titled(title):
    def add(function):
        TABLES[title] = function
        return function
    return add


@titled("Format a sparse file of 15 TiB")
def format_large(bench):
    rows = [Row("mkfs.f2fs of " + who, bench.fresh("big", 15 << 40), [program, "-q", "big"],
                lambda _: "%.1f MiB of disk" % (os.stat("big").st_blocks / 2048))
            for who, program in (("f2fskit", bench.program["mkfs"]), ("f2fs-tools", "mkfs.f2fs"))]
    bench.table(rows)


@titled("Fill a volume from a directory")
def fill_tree(bench):
    payload, room, note = bench.make_tree()
    bench.fill("tree", room, note, payload)


@titled("Fill a volume from many small files")
def fill_small(bench):
    bench.fill("small", *bench.small())


@titled("Fill a volume from a directory of 100,000 files")
def fill_flat(bench):
    make_tiny("many", 100000, 100000)
    bench.fill("many", 2 << 30, "Of a few bytes each.")


@titled("Fill a volume with a large file")
def fill_large(bench):
    os.mkdir("one")
    piece = os.urandom(1 << 20)
    with open("one/big", "wb") as f:
        for number in range(bench.o.big << 10):
            f.write(number.to_bytes(8, "little") + piece[8:])
    bench.fill("one", (bench.o.big + 2) << 30, "Of %d GiB, without holes." % bench.o.big, bench.o.big << 30)


@titled("Fill a volume from an archive")
def fill_archive(bench):
    payload, room, note = bench.make_tree()
    subprocess.run(["tar", "cf", "t.tar", "tree"], check=True)
    bench.table([
        Row("mkfs.f2fs --root-dir of f2fskit", bench.fresh("img", room), [bench.program["mkfs"], "-q", "-f", "--root-dir", "t.tar", "img"]),
        Row("tar xOf, to /dev/null", None, ["sh", "-c", "tar xOf t.tar > /dev/null"]),
        Row("tar xf", gone("out"), ["sh", "-c", "mkdir out && tar xf t.tar -C out"])], note, payload)


@titled("Read every inode, name and attribute")
def walk(bench):
    make_tiny("many", 100000, 1000)
    bench.fill_image("img", 1 << 30, "many")
    bench.table([Row("walk (C interface)", None, [os.path.join(bench.o.build, "bench", "walk"), "img"],
                     lambda out: re.search(rb"(\d+) inodes/s", out).group(1).decode() + " inodes/s")], "100,000 files.")


@titled("Check an empty volume of 4 TiB")
def check_empty(bench):
    bench.fresh("big", 4 << 40)()
    subprocess.run([bench.program["mkfs"], "-q", "-f", "big"], check=True)
    bench.table(bench.checks("big"))


@titled("Check a clean volume of 2 TiB at boot")
def check_boot(bench):
    bench.fresh("big", 2 << 40)()
    subprocess.run([bench.program["mkfs"], "-q", "-f", "big"], check=True)
    bench.table([Row("fsck.f2fs of " + who, None, [program, "-a", "big"])
                 for who, program in (("f2fskit", bench.program["fsck"]), ("f2fs-tools", "fsck.f2fs"))])


@titled("Check a volume of 100,000 files")
def check_tiny(bench):
    make_tiny("many", 100000, 1000)
    bench.fill_image("img", 1 << 30, "many")
    bench.table(bench.checks("img"))


@titled("Check a volume of 100,000 files, cold")
def check_cold(bench):
    make_tiny("many", 100000, 1000)
    bench.fill_image("img", 1 << 30, "many")
    reads = os.path.join(bench.o.build, "bench", "check_reads")
    with open("ranges", "w") as f:
        what = subprocess.run([reads, "img"], stdout=f, stderr=subprocess.PIPE, text=True, check=True).stderr.strip()

    def forgotten():
        """The image leaves the page cache."""
        with open("img", "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    bench.table(bench.checks("img", forgotten) + [Row("plain read of what ours reads", forgotten, [reads, "img", "ranges"])],
                what + ".")


@titled("Check many small files")
def check_small(bench):
    room, note = bench.small()
    bench.fill_image("img", room, "small")
    ours, peer = bench.checks("img")
    bench.table([ours, Row(ours.name + " on one processor", None, ["taskset", "--cpu-list", "0", *ours.command]), peer], note + " No features.")


@titled("Check many small files with checksums")
def check_sums(bench):
    room, note = bench.small()
    bench.fill_image("img", room, "small", "-O", "extra_attr,inode_checksum")
    bench.table(bench.checks("img"), note + " Each inode has a checksum (`-O extra_attr,inode_checksum`).")


@titled("Digests of all files")
def digests(bench):
    _, room, note = bench.make_tree()
    bench.fill_image("img", room, "tree")
    bench.table([
        Row("dump.f2fs --hashes of f2fskit", None, [bench.program["dump"], "--hashes", "img"]),
        Row("sha256sum of all files", None, ["sh", "-c", "find tree -type f -print0 | xargs -0 sha256sum"])], note)


@titled("Read many files of a few KiB by several threads")
def read_many(bench):
    """Streams and lists of 50,000 files, with one thread and with two."""
    make_random("files", 50000)
    bench.fill_image("img", 1 << 30, "files")
    dump = bench.program["dump"]
    rows = [Row("dump.f2fs %s --threads=%d of f2fskit" % (shown, threads), gone("out"), [dump, option, "--threads=%d" % threads, "img"])
            for shown, option in (("--tar", "--tar=out"), ("--hashes", "--hashes"), ("--extract", "--extract=out")) for threads in (1, 2)]
    bench.table([*rows, Row("tar cf of the files", gone("t.tar"), ["tar", "cf", "t.tar", "files"]),
                 Row("sha256sum of all files", None, ["sh", "-c", "find files -type f -print0 | xargs -0 sha256sum"])],
                "50,000 files of up to 9,000 bytes, 1,000 in a directory. Processors: %d." % os.cpu_count())


@titled("Save a metadata image")
def metadata(bench):
    make_small("small", 100000)
    bench.fill_image("img", 2 << 30, "small")
    bench.table([
        Row("dump.f2fs --metadata-image " + option, gone("out"), [bench.program["dump"], *option.split(), "--metadata-image=out", "img"],
            lambda _: "%.1f MB" % (os.stat("out").st_size / 1e6)) for option in ("", "--scramble-names")], "100,000 small files.")


@titled("Change a volume with files")
def features(bench):
    """Each step changes the image of the one before."""
    make_tiny("many", 200000, 1000)
    bench.fill_image("a", 2 << 30, "many")
    shutil.rmtree("many")
    bench.make_tree()
    bench.fill_image("b", 4 << 30, "tree", "-O", "extra_attr,compression")
    tune, f2fs = (os.path.join(bench.o.build, *part) for part in (("tune", "tune.f2fs"), ("edit", "f2fs")))
    steps = [("extra attributes", [tune, "-c", "-O", "extra_attr", "a"]), ("checksums of inodes", [tune, "-O", "inode_checksum", "a"]),
             ("no checksums", [tune, "-O", "^inode_checksum", "a"]), ("quota", [tune, "-O", "quota", "a"]),
             ("no quota", [tune, "-O", "^quota", "a"]), ("compress", [f2fs, "-w", "b", "compress", "-r", "/"]),
             ("uncompress", [f2fs, "-w", "b", "compress", "-rn", "/"])]
    bench.steps([Row(name, None, command) for name, command in steps],
                "200,000 files of a few bytes in 200 directories, and the tree of the other tables. Each step once.")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("titles", metavar="TITLE", nargs="*")
    parser.add_argument("--list", action="store_true", help="print the titles")
    parser.add_argument("-n", "--runs", type=int, default=5)
    parser.add_argument("-b", "--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-s", "--source", action="append")
    parser.add_argument("-w", "--workdir", default=os.path.join(TOP, "build", "bench-work"))
    parser.add_argument("--small", type=int, default=1000000)
    parser.add_argument("--big", type=int, default=4)
    parser.add_argument("--limit", type=int, default=120)
    a = parser.parse_args()
    if a.list:
        print("\n".join(TABLES))
        return
    unknown = set(a.titles) - set(TABLES)
    if unknown:
        parser.error("no table has the title %s" % ", ".join(sorted(unknown)))
    a.source = a.source or ["/usr/include", "/usr/lib/python3"]
    a.build = os.path.abspath(a.build)
    a.workdir = os.path.join(os.path.abspath(a.workdir), "f2fskit-peers-%d" % os.getpid())
    for title in a.titles or TABLES:
        shutil.rmtree(a.workdir, ignore_errors=True)
        os.makedirs(a.workdir)
        os.chdir(a.workdir)
        if len(a.titles) != 1:
            print("\n## %s\n" % title, flush=True)
        TABLES[title](Bench(a))
    shutil.rmtree(a.workdir, ignore_errors=True)


if __name__ == "__main__":
    main()
