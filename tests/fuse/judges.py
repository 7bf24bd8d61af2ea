#!/usr/bin/python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs of others that judge file systems, on a volume mounted by f2fsfuse. By hand, as root:

judges.py --build BUILD [--tools DIR] [--work DIR] [--kernel] [--long] [JUDGE...]

Each judge gets a new volume. After it both checkers look at the volume, and with --kernel Linux mounts it and reads the
same files. The folder --tools has programs that Debian does not package: pjdfstest (a build tree of github.com/pjd/pjdfstest
with its folder tests, or the program of the Rust version with its pjdfstest.toml), fsx and fsstress (of xfstests' ltp). A
judge whose program is not there is named and left out. The exit status is the number of judges that failed.
"""
import argparse
import contextlib
import glob
import os
import shutil
import signal
import sqlite3
import subprocess
import sys
import tempfile
import time

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
WRITER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "sqlite_writer.py")
POSTGRES = sorted(glob.glob("/usr/lib/postgresql/*/bin"))


class Failed(Exception):
    """The judge has found something."""


class Missing(Exception):
    """The judge's program is not there."""


class Bench:
    """A volume, its mount and its judge's programs."""

    def __init__(self, arguments, folder):
        self.build, self.tools, self.long, self.folder = arguments.build, arguments.tools, arguments.long, folder
        self.image, self.point, self.words = folder + "/disk.img", folder + "/mount", []
        self.process = None

    def find(self, name):
        for path in (os.path.join(self.tools or "", name), shutil.which(name)):
            if path and os.path.isabs(path) and os.path.isfile(path):
                return path
        raise Missing(name)

    def format(self, size, *options):
        subprocess.run([self.build + "/mkfs/mkfs.f2fs", "-q", "-f", *options, self.image, size], check=True)

    def start(self, *options):
        words = [self.build + "/fuse/f2fsfuse", "-f", self.image, self.point]
        for option in ("allow_other",) + options:
            words += ["-o", option]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL)
        while not os.path.ismount(self.point):
            if self.process.poll() is not None:
                raise Failed("not mounted")
            time.sleep(0.01)

    def stop(self):
        for _ in range(50):     # another program of this machine may look into the mount
            if subprocess.run(["fusermount3", "-u", self.point], stderr=subprocess.DEVNULL).returncode == 0:
                break
            time.sleep(0.1)
        if self.process.wait() != 0:
            raise Failed("f2fsfuse ended with %d" % self.process.returncode)

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        subprocess.run(["fusermount3", "-u", "-z", self.point], check=True)

    def end(self):
        if self.process and self.process.poll() is None:
            subprocess.run(["fusermount3", "-u", "-z", self.point])
            self.process.kill()
            self.process.wait()

    def run(self, words, folder=None, **more):
        with open(self.folder + "/log", "ab") as log:
            done = subprocess.run(words, cwd=folder or self.point, stdin=subprocess.DEVNULL, stdout=log, stderr=log, **more)
        if done.returncode:
            raise Failed("%s: exit status %d\n%s" % (os.path.basename(words[0]), done.returncode, self.tail()))

    def tail(self):
        with open(self.folder + "/log", "rb") as log:
            return log.read()[-3000:].decode(errors="replace")


JUDGES = {}


def judge(size, *options):
    def add(function):
        JUDGES[function.__name__] = (function, size, options)
        return function
    return add


@judge("512M")
def pjdfstest(b):
    """System calls and their errors: the shell tests of the C version."""
    tests = b.find("pjdfstest") and os.path.join(b.tools or "", "tests")
    if not os.path.isdir(tests):
        raise Missing("pjdfstest's folder tests")
    with open(b.folder + "/log", "ab") as log:
        subprocess.run(["prove", "-r", tests], cwd=b.point, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
    lines = [line for line in b.tail().splitlines() if line.startswith(("Files=", "Result:")) or "Failed test" in line]
    if "Result: PASS" not in lines:
        raise Failed("\n".join(lines))
    print("  " + lines[0])


@judge("512M")
def pjdfstest_rust(b):
    """The same questions as the Rust version asks them."""
    program = b.find("pjdfstest-rs")
    b.run([program, "-c", os.path.join(b.tools, "pjdfstest.toml"), "-p", b.point])


def fsx_of(b, *options):
    program = b.find("fsx")
    for seed in (1, 2, 3) if b.long else (1,):
        b.run([program, "-q", "-S", str(seed), "-N", "300000" if b.long else "30000", "-l", "4000000", "-P", b.folder, *options,
               b.point + "/fsx-%d" % seed])


@judge("512M")
def fsx(b):
    """Random operations on a file beside a model, mmap, fallocate and copy_file_range among them."""
    fsx_of(b)


@judge("512M")
def fsx_direct(b):
    """The same with O_DIRECT."""
    fsx_of(b, "-Z", "-r", "4096", "-w", "4096", "-R", "-W")


@judge("1G")
def fsstress(b):
    """Eight processes that do everything at once."""
    b.run([b.find("fsstress"), "-d", b.point, "-p", "8", "-n", "20000" if b.long else "2000", "-s", "7", "-v"])


@judge("1G")
def fio(b):
    """Written blocks are read and verified, by three kinds of jobs."""
    program = b.find("fio")
    for name, options in (("random", ["--rw=randwrite", "--bs=4k"]), ("mixed", ["--rw=randrw", "--bs=4k-64k", "--fsync=32"]),
                          ("stream", ["--rw=write", "--bs=1m"])):
        b.run([program, "--name=" + name, "--directory=" + b.point, "--size=64m" if b.long else "--size=16m", "--numjobs=2", "--verify=crc32c",
               "--do_verify=1", "--verify_fatal=1", "--ioengine=psync", *options])


@judge("512M", "-O", "extra_attr,inode_checksum,quota")
def sqlite(b):
    """Transactions that were committed outlive SIGKILL of the mount, in both kinds of journal."""
    last = {"delete": 0, "wal": 0, "truncate": 0, "persist": 0}
    for turn in range(40 if b.long else 8):
        mode = list(last)[turn % len(last)]
        writer = subprocess.Popen([sys.executable, WRITER, b.point + "/" + mode, mode], stdout=subprocess.PIPE,
                                  stderr=subprocess.DEVNULL)
        for _ in range(50 + turn):
            writer.stdout.readline()
        b.kill()
        told = writer.communicate()[0].split()
        b.start()
        with sqlite3.connect(b.point + "/" + mode) as db:
            if db.execute("pragma integrity_check").fetchall() != [("ok",)]:
                raise Failed("%s: the database is damaged" % mode)
            rows = [row[0] for row in db.execute("select n from t order by n")]
        db.close()
        if rows != list(range(1, len(rows) + 1)) or len(rows) < (int(told[-1]) if told else last[mode]):
            raise Failed("%s: rows are lost" % mode)
        last[mode] = len(rows)


def processes_of(parent):
    """A process and its children, the parent first."""
    done = subprocess.run(["ps", "-o", "pid=", "--ppid", str(parent)], stdout=subprocess.PIPE)
    return [parent] + [int(word) for word in done.stdout.split()]


@judge("2G")
def postgres(b):
    """initdb and pgbench; the mount is killed under load, and the books balance afterwards."""
    if not POSTGRES:
        raise Missing("postgresql")
    tools, data = POSTGRES[-1], b.point + "/data"
    user = ["setpriv", "--reuid=postgres", "--regid=postgres", "--clear-groups"]
    sockets = ["-k", b.folder, "-c", "listen_addresses="]
    os.chmod(b.folder, 0o777)

    def serve():
        server = subprocess.Popen(user + [tools + "/postgres", "-D", data, *sockets], stdin=subprocess.DEVNULL,
                                  stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        for _ in range(600):
            if subprocess.run([tools + "/pg_isready", "-h", b.folder, "-q"]).returncode == 0:
                return server
            time.sleep(0.1)
        raise Failed("the server does not start")

    def ask(text):
        return subprocess.run(user + [tools + "/psql", "-h", b.folder, "-Atc", text, "postgres"], stdout=subprocess.PIPE,
                              check=True).stdout.decode().strip()
    os.mkdir(data)
    shutil.chown(data, "postgres", "postgres")
    b.run(user + [tools + "/initdb", "-D", data, "-A", "trust"], folder="/")
    for turn in range(5 if b.long else 2):
        server = serve()
        if turn == 0:
            b.run(user + [tools + "/pgbench", "-h", b.folder, "-i", "-q", "-s", "3", "postgres"], folder="/")
        bench = subprocess.Popen(user + [tools + "/pgbench", "-h", b.folder, "-n", "-c", "4", "-T", "60", "postgres"],
                                 stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        while int(ask("select count(*) from pgbench_history")) < 500 * (turn + 1):
            time.sleep(0.2)
        counted = int(ask("select count(*) from pgbench_history"))
        b.kill()
        for process in processes_of(server.pid):    # left alone, some wait for others for ever
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        server.wait()
        bench.kill()
        bench.wait()
        b.start()
        server = serve()
        sums = {ask("select sum(%s) from pgbench_%s" % pair) for pair in (("abalance", "accounts"), ("tbalance", "tellers"),
                                                                          ("bbalance", "branches"), ("delta", "history"))}
        if len(sums) != 1 or int(ask("select count(*) from pgbench_history")) < counted:
            raise Failed("the books do not balance: %s" % sums)
        b.run(user + [tools + "/pg_amcheck", "-h", b.folder, "--install-missing", "postgres"], folder="/")
        server.send_signal(signal.SIGINT)
        server.wait()


@judge("3G")
def git_and_build(b):
    """Clone this repository on the mount, build f2fskit there, and run unit tests."""
    b.run([b.find("git"), "clone", "-q", TOP, b.point + "/clone"])
    b.run(["git", "-C", b.point + "/clone", "fsck", "--full"])
    b.run(["meson", "setup", "build"], folder=b.point + "/clone")
    b.run(["ninja", "-C", "build", *([] if b.long else ["mkfs/mkfs.f2fs", "fsck/fsck.f2fs"])], folder=b.point + "/clone")
    if b.long:
        b.run(["meson", "test", "-C", "build", "--no-rebuild", "-t", "8", "--suite", "quick"], folder=b.point + "/clone")
    b.run(["git", "-C", b.point + "/clone", "status"])


@judge("1G")
def round_trips(b):
    """rsync and tar copy a tree of the host there and back, with all attributes."""
    source = b.folder + "/source"
    os.mkdir(source)
    parts = [p for p in os.listdir(TOP) if not p.startswith((".", "build"))] if b.long else ["README.md", "LICENSE", "docs", "fuse", "man"]
    subprocess.run(["cp", "-a", *[os.path.join(TOP, part) for part in parts], source], check=True)
    subprocess.run(["setfattr", "-n", "user.mark", "-v", "x" * 200, source + "/README.md"], check=True)
    subprocess.run(["setfacl", "-m", "u:daemon:r", source + "/README.md"], check=True)
    os.link(source + "/LICENSE", source + "/again")
    os.mkfifo(source + "/fifo")
    b.run([b.find("rsync"), "-aHAX", "--numeric-ids", source + "/", b.point + "/synced"])
    b.run(["sh", "-c", "tar --xattrs --acls -C synced -cf - . | (mkdir tarred && tar --xattrs --acls -C tarred -xpf -)"])
    shutil.rmtree(b.point + "/synced/docs")
    b.run(["rsync", "-aHAX", "--numeric-ids", "--checksum", "--delete", source + "/", b.point + "/synced"])
    for name in ("synced", "tarred"):
        with subprocess.Popen(["rsync", "-aHAXnic", "--numeric-ids", "--delete", "%s/%s/" % (b.point, name), source],
                              stdout=subprocess.PIPE) as done:
            different = done.stdout.read().decode()
        if different:
            raise Failed("%s: rsync finds differences\n%s" % (name, different[:2000]))


@judge("256M")
def python_sample(b):
    """Those of Python's own tests that ask most for their time."""
    python_of(b, "test_tempfile", "test_fileio", "test_glob")


def python_of(b, *names):
    """Run these tests of Python. Debian packages most of them: those that are not there are named."""
    there = [name for name in names
             if subprocess.run([sys.executable, "-c", "import test." + name], stderr=subprocess.DEVNULL).returncode == 0]
    if not there:
        raise Missing("Python's tests (libpython3-testsuite)")
    for name in there:
        b.run([sys.executable, "-m", "test", name], env=dict(os.environ, TMPDIR=b.point))
    if there != list(names):
        print("  without " + ", ".join(sorted(set(names) - set(there))))


@judge("1G")
def python_tests(b):
    """Python's own tests of files, with their temporary folder on the mount."""
    python_of(b, "test_os", "test_shutil", "test_tempfile", "test_pathlib", "test_glob", "test_posix", "test_mmap", "test_fileio",
              "test_largefile", "test_zipfile", "test_tarfile", "test_mailbox", "test_dbm_dumb", "test_sqlite3")


LISTING = ("find . -xdev -type f -print0 | LC_ALL=C sort -z | xargs -0 -r sha256sum; "
           "find . -xdev -printf '%p %y %m %U %G %n %l\\n' | LC_ALL=C sort")


def kernel_reads_equal(b):
    """Linux mounts the volume, reads the same names and contents as we do, and writes."""
    sys.path.insert(0, TOP + "/tests/kernel")
    import uml
    uml.find_or_build_kernel()
    b.start("ro")
    ours = subprocess.run(["sh", "-c", LISTING], cwd=b.point, stdout=subprocess.PIPE, check=True).stdout
    b.stop()
    with open(b.folder + "/ours", "wb") as file:
        file.write(ours)
    done = uml.run("mount /dev/ubda $MNT && cd $MNT && (%s) | cmp - $1 && echo x > by-the-kernel && cd / && umount $MNT" % LISTING,
                   images=[b.image], args=[b.folder + "/ours"], timeout=1200)
    if done.rc or done.problems:
        raise Failed("Linux: %s%s" % (done.stderr, done.problems))


def look(b, with_kernel):
    """Both checkers, and Linux."""
    done = subprocess.run([b.build + "/fsck/fsck.f2fs", "-n", "-f", "--content", b.image], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise Failed("fsck.f2fs: " + done.stdout.decode(errors="replace")[-2000:])
    peer = shutil.which("fsck.f2fs", path="/usr/sbin:/sbin")
    if peer:
        done = subprocess.run([peer, "--dry-run", "-f", b.image], stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace")
        bad = [line for line in text.splitlines() if "[Fail]" in line or "ASSERT" in line]
        if done.returncode or bad:
            raise Failed("fsck.f2fs of f2fs-tools: " + "\n".join(bad))
    if with_kernel:
        kernel_reads_equal(b)


def ask(name, arguments):
    function, size, options = JUDGES[name]
    with tempfile.TemporaryDirectory(prefix="judge-", dir=arguments.work) as folder:
        os.chmod(folder, 0o755)         # judges become other users
        os.mkdir(folder + "/mount")
        b = Bench(arguments, folder)
        b.format(size, *options)
        start = time.monotonic()
        try:
            b.start()
            function(b)
            b.stop()
            look(b, arguments.kernel)
        except Missing as why:
            print("%-16s not asked: there is no %s" % (name, why), flush=True)
            return 0
        except (Failed, subprocess.CalledProcessError, OSError) as why:
            print("%-16s FAILED: %s" % (name, why), flush=True)
            if arguments.keep:
                shutil.copy(folder + "/log", "%s/%s.log" % (arguments.keep, name))
            return 1
        finally:
            b.end()
        print("%-16s passed, %d s" % (name, time.monotonic() - start), flush=True)
        return 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=TOP + "/build")
    parser.add_argument("--tools", help="folder of programs that Debian does not package")
    parser.add_argument("--work", default=None, help="folder for the volumes")
    parser.add_argument("--keep", help="folder for the logs of judges that failed")
    parser.add_argument("--kernel", action="store_true", help="Linux under UML mounts each volume, too")
    parser.add_argument("--long", action="store_true", help="some ten times as much of everything")
    parser.add_argument("judges", nargs="*", metavar="JUDGE", help="of: " + ", ".join(JUDGES))
    arguments = parser.parse_args()
    return sum(ask(name, arguments) for name in arguments.judges or JUDGES)


if __name__ == "__main__":
    sys.exit(main())
