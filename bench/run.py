#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Times our programs and their peers in the same run and writes them as tables (results.md).

usage: bench/run.py [-n RUNS] [-b BUILD] [-s SOURCE]... [-w WORKDIR] [-o OUT]

Each row is measured RUNS times in turn with its peers, after one run that does not count; medians are shown, caches are
hot. SOURCE: directories whose contents make the tree (default /usr/include and /usr/lib/python3). What is not installed
is left out by name.
"""
import argparse
import os
import platform
import re
import shutil
import statistics
import subprocess
import sys
import time

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Bench:
    def __init__(self, runs):
        self.runs, self.lines = runs, []

    def table(self, title, rows, note=""):
        """rows: (name, prepare or None, command, read or None); the first is ours and the unit of the ratios."""
        rows = [r for r in rows if shutil.which(r[2][0])]
        times, memory, extra = {r[0]: [] for r in rows}, {r[0]: 0 for r in rows}, {r[0]: [] for r in rows}
        unable = set()
        for run in range(self.runs + 1):
            for name, prepare, command, read in rows:
                if prepare:
                    prepare()
                start = time.perf_counter()
                process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
                output = process.stdout.read()
                _, status, usage = os.wait4(process.pid, 0)
                process.returncode = os.waitstatus_to_exitcode(status)
                if command[0] == "dump.f2fs" and not os.path.isdir("out"):
                    unable.add(name)    # an old one that does not know the option
                if process.returncode not in (0, 1):
                    sys.exit("%s: status %d\n%s" % (" ".join(command), process.returncode, output[-2000:].decode(errors="replace")))
                if run:
                    times[name].append(time.perf_counter() - start)
                    memory[name] = max(memory[name], usage.ru_maxrss)
                    if read:
                        extra[name].append(read(output))
        first = statistics.median(times[rows[0][0]])
        self.lines += ["", "## " + title, ""] + ([note, ""] if note else [])
        self.lines += ["| program | median s | min s | times ours | peak MiB | |", "|---|---|---|---|---|---|"]
        for name, *_ in rows:
            if name in unable:
                self.lines.append("| %s | cannot: too old | | | | |" % name)
                continue
            median = statistics.median(times[name])
            shown = "; ".join(sorted(set(map(str, extra[name])))[:1]) if extra[name] else ""
            self.lines.append("| %s | %.3f | %.3f | %.2f | %.1f | %s |" % (name, median, min(times[name]), median / first,
                                                                         memory[name] / 1024, shown))
        print("\n".join(self.lines[-len(rows) - 4:]), flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("-n", "--runs", type=int, default=5)
    parser.add_argument("-b", "--build", default=os.path.join(TOP, "build"))
    parser.add_argument("-s", "--source", action="append")
    parser.add_argument("-w", "--workdir", default=os.path.join(TOP, "build", "bench-work"))
    parser.add_argument("-o", "--out", default="results.md")
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
    bench = Bench(a.runs)

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
    os.unlink("big")
    formatted("big", 4 << 40)()
    checks = [("fsck.f2fs of f2fskit", None, [fsck, "-n", "-f", "big"], None),
              ("fsck.f2fs of f2fs-tools", None, ["fsck.f2fs", "-f", "--dry-run", "big"], None)]
    bench.table("Check an empty volume of 4 TiB", checks)
    os.unlink("big")
    room = max(1 << 30, size * 3 << 20)
    note = "%d files, %d MiB." % (files, size)
    bench.table("Fill a volume from a directory", [
        ("sload.f2fs of f2fskit", formatted("img", room), [sload, "-q", "-P", "-f", "tree", "img"], None),
        ("sload.f2fs of f2fs-tools", formatted("img", room), ["sload.f2fs", "-f", "tree", "-P", "img"], None),
        ("mke2fs -d", fresh("ext", room), ["mke2fs", "-q", "-F", "-d", "tree", "ext"], None),
        ("mkfs.erofs", gone("ero"), ["mkfs.erofs", "-x1", "ero", "tree"], None),
        ("tar cf", gone("t.tar"), ["tar", "cf", "t.tar", "tree"], None)],
        note + " Ours and f2fs-tools' flush the image to the disk before they end; the others leave that to the system.")
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
