#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Time our programs and their peers in the same run, and write tables (results.md).

usage: bench/run.py [-n RUNS] [-b BUILD] [-s SOURCE]... [-w WORKDIR] [-o OUT] [--into FILE] [--only WORD] [--big GIB]
                    [--small FILES] [--limit SECONDS]

--into FILE: replace the sections of these tables in FILE, such as bench/RESULTS.md, so that no figure there is by hand.
Each row is measured RUNS times in turn with its peers, after one run that does not count; medians are shown, caches are hot.
SOURCE: directories whose contents make the tree (default /usr/include and /usr/lib/python3). Missing programs are left out by
name, and programs that take longer than SECONDS are ended. One that takes more than 20 s is measured once. WORD: only tables
whose title has it.
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
SLOW = 20   # seconds
os.environ["PATH"] += ":/usr/sbin:/sbin"


class Bench:
    def __init__(self, runs, limit, only):
        self.runs, self.limit, self.only, self.lines, self.sections = runs, limit, only, [], {}

    def wants(self, title):
        return self.only in title

    def table(self, title, rows, note="", payload=0):
        """rows: (name, prepare or None, command, read or None); the first is ours and the unit of the ratios. payload:
        bytes of contents, to compare the writes with."""
        if not self.wants(title):
            return
        rows = [Row(*r) for r in rows if shutil.which(r[2][0])]
        for run in range(self.runs + 1):
            for row in rows:
                if row.unable is None and not row.is_slow():
                    row.measure(run > 0, payload, self.limit)
        first = rows[0]
        lines = ["", "## " + title, ""] + ([note, ""] if note else [])
        lines += ["| program | median s | min s | times ours | processor s | times ours | peak MiB | |",
                  "|---|---|---|---|---|---|---|---|"]
        lines += ["| %s | %s |" % (row.name, row.show(first)) for row in rows]
        print("\n".join(lines), flush=True)
        self.lines += lines
        self.sections[title] = lines[1:]

    def put_into(self, path):
        """Replace the sections of a file that have the titles of tables; add those that it lacks to its end."""
        with open(path) as f:
            parts = re.split(r"^(?=## )", f.read(), flags=re.M)
        for title, lines in self.sections.items():
            how = "    bench/run.py -n %d --limit %d --only \"%s\"\n\n%s, load %.0f.\n" % (
                self.runs, self.limit, title, machine(), os.getloadavg()[0])
            text = "\n".join([lines[0], "", how] + lines[2:]) + "\n\n"
            at = [i for i, part in enumerate(parts) if part.startswith(lines[0] + "\n")]
            if at:
                parts[at[0]] = text
            else:
                parts[-1] = parts[-1].rstrip("\n") + "\n\n"
                parts.append(text)
        with open(path, "w") as f:
            f.write("".join(parts).rstrip("\n") + "\n")


def machine():
    return "%s, %d processors, Linux %s, %s" % (platform.machine(), os.cpu_count(), platform.release(),
                                                time.strftime("%Y-%m-%d", time.gmtime()))


def make_small(top, files):
    """Files of up to 300 bytes, 1,000 in a directory."""
    for number in range(files):
        folder = "%s/directory-%d" % (top, number // 1000)
        if number % 1000 == 0:
            os.makedirs(folder)
        with open("%s/file-number-%d" % (folder, number % 1000), "wb") as f:
            f.write(b"%0300d" % number if number % 7 == 0 else b"%d\n" % number * (number % 40))


class Row:
    """One program of a table, and its measurements."""

    def __init__(self, name, prepare, command, read):
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
    parser.add_argument("--into")
    parser.add_argument("--only", default="")
    parser.add_argument("--small", type=int, default=1000000)
    parser.add_argument("--big", type=int, default=4)
    parser.add_argument("--limit", type=int, default=120)
    a = parser.parse_args()
    mkfs, dump, sload, fsck, walk = (os.path.join(a.build, *p) for p in (
        ("mkfs", "mkfs.f2fs"), ("dump", "dump.f2fs"), ("sload", "sload.f2fs"), ("fsck", "fsck.f2fs"), ("bench", "walk")))
    shutil.rmtree(a.workdir, ignore_errors=True)
    os.makedirs(a.workdir)
    a.out = os.path.abspath(a.out)
    a.into = a.into and os.path.abspath(a.into)
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

    def checks(image):
        return [("fsck.f2fs of f2fskit", None, [fsck, "-n", "-f", image], None),
                ("fsck.f2fs of f2fs-tools", None, ["fsck.f2fs", "-f", "--dry-run", image], None)]
    bench.table("Check an empty volume of 4 TiB", checks("big"))
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
    number = "{:,} small files".format(a.small)
    small = "Fill a volume from " + number, "Check " + number, "Check %s with checksums" % number
    if any(bench.wants(title) for title in small):
        make_small("small", a.small)
        length = (a.small * 8 << 10) + (1 << 30)
        note = "Of up to 300 bytes, 1,000 in a directory, on a volume of %d MiB." % (length >> 20)
        fill(small[0], "small", length, 0, note)
        fresh("img", length)()
        subprocess.run([mkfs, "-q", "-f", "--root-dir", "small", "img"], check=True)
        fresh("sums", length)()
        subprocess.run([mkfs, "-q", "-f", "-O", "extra_attr,inode_checksum", "--root-dir", "small", "sums"], check=True)
        shutil.rmtree("small")
        bench.table(small[2], checks("sums"), note + " Each inode has a checksum (`-O extra_attr,inode_checksum`).")
        gone("sums")()
        bench.table(small[1], checks("img"), note + " No features.")
        gone("img")()
    title = "Fill a volume from a directory of 100,000 files"
    if bench.wants(title):
        os.mkdir("many")
        for number in range(100000):
            with open("many/file-number-%d" % number, "w") as f:
                f.write("%d\n" % number)
        fill(title, "many", 2 << 30, 0, "Of a few bytes each.")
        shutil.rmtree("many")
    title = "Fill a volume with a file of %d GiB" % a.big
    if bench.wants(title):
        os.mkdir("one")
        piece = os.urandom(1 << 20)
        with open("one/big", "wb") as f:
            for number in range(a.big << 10):
                f.write(number.to_bytes(8, "little") + piece[8:])
        fill(title, "one", (a.big + 2) << 30, a.big << 30, "Without holes.")
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
    bench.table("Check a volume of 100,000 files", checks("img"))
    reads = os.path.join(a.build, "bench", "check_reads")
    with open("ranges", "w") as f:
        what = subprocess.run([reads, "img"], stdout=f, stderr=subprocess.PIPE, text=True, check=True).stderr.strip()

    def forgotten():
        """The image leaves the page cache."""
        with open("img", "rb") as f:
            os.fsync(f.fileno())
            os.posix_fadvise(f.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
    bench.table("The same, cold: what is read comes from the disk",
                [(name, forgotten, command, read) for name, _, command, read in checks("img")] +
                [("plain read of what ours reads", forgotten, [reads, "img", "ranges"], None)], what + ".")
    bench.table("Read every inode, name and attribute of 100,000 files", [
        ("walk (C interface)", None, [walk, "img"],
         lambda out: re.search(rb"(\d+) inodes/s", out).group(1).decode() + " inodes/s")])
    head = ["# Measurements", "", "Made by `bench/run.py`; medians of %d runs, hot caches, peers in the same run." % a.runs, "",
            machine() + "."]
    if a.into:
        bench.put_into(a.into)
    with open(a.out, "w") as f:
        f.write("\n".join(head + bench.lines) + "\n")
    shutil.rmtree(a.workdir, ignore_errors=True)


if __name__ == "__main__":
    main()
