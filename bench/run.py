#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time our programs and their peers in the same run, and write tables (results.md).

usage: bench/run.py [-n RUNS] [-b BUILD] [-s SOURCE]... [-w WORKDIR] [-o OUT] [--only WORD] [--big GIB] [--limit SECONDS]

Each row is measured RUNS times in turn with its peers, after one run that does not count; medians are shown, caches are hot.
SOURCE: directories whose contents make the tree (default /usr/include and /usr/lib/python3). Missing programs are left out by
name, and programs that take longer than SECONDS are ended. WORD: only tables whose title has it.
"""
import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Bench:
    def __init__(self, runs, limit, only):
        self.runs, self.limit, self.only, self.lines = runs, limit, only, []

    def table(self, title, rows, note="", payload=0):
        """rows: (name, prepare or None, command, read or None); the first is ours and the unit of the ratios. payload:
        bytes of contents, to compare the writes with."""
        if self.only not in title:
            return
        rows = [Row(*r) for r in rows if shutil.which(r[2][0])]
        for run in range(self.runs + 1):
            for row in rows:
                if row.unable is None:
                    row.measure(run > 0, payload, self.limit)
        first = rows[0]
        self.lines += ["", "## " + title, ""] + ([note, ""] if note else [])
        self.lines += ["| program | median s | min s | times ours | processor s | times ours | peak MiB | |",
                       "|---|---|---|---|---|---|---|---|"]
        for row in rows:
            self.lines.append("| %s | %s |" % (row.name, row.show(first)))
        print("\n".join(self.lines[-len(rows) - 4:]), flush=True)


class Row:
    """One program of a table, and its measurements."""

    def __init__(self, name, prepare, command, read):
        self.name, self.prepare, self.command, self.read = name, prepare, command, read
        self.wall, self.cpu, self.peak, self.extra, self.unable = [], [], 0, [], None

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
            written = int(re.search(r"wchar: (\d+)", open("/proc/%d/io" % process.pid).read()).group(1))
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
            return "%s | | | | | | " % (self.unable or "")
        wall, cpu = statistics.median(self.wall), statistics.median(self.cpu)
        return "%.3f | %.3f | %.2f | %.3f | %.2f | %.1f | %s" % (
            wall, min(self.wall), wall / statistics.median(first.wall), cpu, cpu / max(statistics.median(first.cpu), 1e-3),
            self.peak / 1024, "; ".join(sorted(set(map(str, self.extra)))[:1]))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=5)
    parser.add_argument("-b", "--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-s", "--source", action="append")
    parser.add_argument("-w", "--workdir", default=os.path.join(TOP, "build", "bench-work"))
    parser.add_argument("-o", "--out", default="results.md")
    parser.add_argument("--only", default="")
    parser.add_argument("--big", type=int, default=4)
    parser.add_argument("--limit", type=int, default=120)
    a = parser.parse_args()
    mkfs, dump, sload, fsck, walk = (os.path.join(a.build, *p) for p in (
        ("mkfs", "mkfs.f2fs"), ("dump", "dump.f2fs"), ("sload", "sload.f2fs"), ("fsck", "fsck.f2fs"), ("bench", "walk")))
    shutil.rmtree(a.workdir, ignore_errors=True)
    os.makedirs(a.workdir)
    a.out = os.path.abspath(a.out)
    os.chdir(a.workdir)
    os.mkdir("tree")
    for source in a.source or ["/usr/include", "/usr/lib/python3"]:
        subprocess.run(["cp", "-a", source, "tree/"], check=True)
    files = sum(len(f) for _, _, f in os.walk("tree"))
    size = int(subprocess.run(["du", "-sm", "tree"], capture_output=True, text=True).stdout.split()[0])
    bench = Bench(a.runs, a.limit, a.only)

    def fresh(name, length):
        def prepare():
            if os.path.exists(name):
                os.unlink(name)
            with open(name, "wb") as f:
                f.truncate(length)
        return prepare

    def formatted(name, length):
        def prepare():
            fresh(name, length)()
            subprocess.run([mkfs, "-q", "-f", name], check=True)
        return prepare

    def gone(name):
        return lambda: shutil.rmtree(name, ignore_errors=True) if os.path.isdir(name) else \
            os.path.exists(name) and os.unlink(name)

    def disk_use(name):
        return lambda _: "%.1f MiB of disk" % (os.stat(name).st_blocks / 2048)

    bench.table("Format a sparse file of 15 TiB", [
        ("mkfs.f2fs of f2fskit", fresh("big", 15 << 40), [mkfs, "-q", "big"], disk_use("big")),
        ("mkfs.f2fs of f2fs-tools", fresh("big", 15 << 40), ["mkfs.f2fs", "-q", "big"], disk_use("big"))])
    gone("big")()
    formatted("big", 4 << 40)()
    checks = [("fsck.f2fs of f2fskit", None, [fsck, "-n", "-f", "big"], None),
              ("fsck.f2fs of f2fs-tools", None, ["fsck.f2fs", "-f", "--dry-run", "big"], None)]
    bench.table("Check an empty volume of 4 TiB", checks)
    gone("big")()
    room = max(1 << 30, size * 3 << 20)
    note = "%d files, %d MiB." % (files, size)

    def fill(title, source, room, payload, note):
        """Ours against everything that makes an image or archive of a directory."""
        bench.table(title, [
            ("mkfs.f2fs --root-dir of f2fskit", fresh("img", room), [mkfs, "-q", "-f", "--root-dir", source, "img"], None),
            ("mkfs.f2fs, sload.f2fs of f2fskit", fresh("img", room),
             ["sh", "-c", '"$0" -q -f img && exec "$1" -q -P -f "$2" img', mkfs, sload, source], None),
            ("mkfs.f2fs, sload.f2fs of f2fs-tools", fresh("img", room),
             ["sh", "-c", 'mkfs.f2fs -q -f img && exec sload.f2fs -f "$0" -P img', source], None),
            ("mke2fs -d", fresh("ext", room), ["mke2fs", "-q", "-F", "-d", source, "ext"], None),
            ("mkfs.erofs", gone("ero"), ["mkfs.erofs", "-x1", "ero", source], None),
            ("tar cf", gone("t.tar"), ["tar", "cf", "t.tar", source], None)],
            note + " Ours and f2fs-tools' flush the image to the disk before they end; the others leave that to the system.",
            payload)
        for name in ("img", "ext", "ero", "t.tar"):
            gone(name)()

    payload = sum(os.lstat(os.path.join(folder, f)).st_size for folder, _, names in os.walk("tree") for f in names)
    fill("Fill a volume from a directory", "tree", room, payload, note)
    os.mkdir("many")
    for number in range(100000):
        with open("many/file-number-%d" % number, "w") as f:
            f.write("%d\n" % number)
    fill("Fill a volume from a directory of 100,000 files", "many", 2 << 30, 0, "Of a few bytes each.")
    shutil.rmtree("many")
    os.mkdir("one")
    piece = os.urandom(1 << 20)
    with open("one/big", "wb") as f:
        for number in range(a.big << 10):
            f.write(number.to_bytes(8, "little") + piece[8:])
    fill("Fill a volume with a file of %d GiB" % a.big, "one", (a.big + 2) << 30, a.big << 30, "")
    shutil.rmtree("one")
    formatted("img", room)()
    subprocess.run([sload, "-q", "-P", "-f", "tree", "img"], check=True)
    bench.table("Extract a tree", [
        ("dump.f2fs --extract of f2fskit", gone("out"), [dump, "--extract=out", "img"], None),
        ("dump.f2fs -r of f2fs-tools", gone("out"), ["dump.f2fs", "-f", "-r", "-P", "-L", "-o", "out", "img"], None),
        ("cp -a", gone("out"), ["cp", "-a", "tree", "out"], None)], note)
    shutil.rmtree("tree")
    many = os.path.join("/dev/shm" if os.path.isdir("/dev/shm") else a.workdir, "f2fskit-bench-%d" % os.getpid())
    for directory in range(100):
        os.makedirs("%s/directory-%d" % (many, directory))
        for number in range(1000):
            with open("%s/directory-%d/file-number-%d" % (many, directory, number), "w") as f:
                f.write("%d\n" % number)
    formatted("img", 1 << 30)()
    subprocess.run([sload, "-q", "-P", "-f", many, "img"], check=True)
    shutil.rmtree(many)
    checks = [(name, prepare, command[:-1] + ["img"], read) for name, prepare, command, read in checks]
    bench.table("Check a volume of 100,000 files", checks)
    reads = os.path.join(a.build, "bench", "check_reads")
    with open("ranges", "w") as f:
        what = subprocess.run([reads, "img"], stdout=f, stderr=subprocess.PIPE, text=True, check=True).stderr.strip()

    def forgotten():
        """The image leaves the page cache."""
        with open("img", "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    bench.table("The same, cold: what is read comes from the disk",
                [(name, forgotten, command, read) for name, _, command, read in checks] +
                [("plain read of what ours reads", forgotten, [reads, "img", "ranges"], None)], what + ".")
    bench.table("Read every inode, name and attribute of 100,000 files", [
        ("walk (C interface)", None, [walk, "img"],
         lambda out: re.search(rb"(\d+) inodes/s", out).group(1).decode() + " inodes/s")])
    head = ["# Measurements", "", "Made by `bench/run.py`; medians of %d runs, hot caches, peers in the same run." % a.runs, "",
            "%s, %d processors, Linux %s, %s." % (platform.machine(), os.cpu_count(), platform.release(),
                                                 time.strftime("%Y-%m-%d", time.gmtime()))]
    with open(a.out, "w") as f:
        f.write("\n".join(head + bench.lines) + "\n")
    shutil.rmtree(a.workdir, ignore_errors=True)


if __name__ == "__main__":
    main()
