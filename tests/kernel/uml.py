#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Run jobs inside a real Linux kernel, with F2FS images as its disks.

User Mode Linux is a Linux kernel that runs as an ordinary program: no virtualisation, no root, half a second to
boot. The host's root directory is the guest's, so the host's programs and files are simply there.

As a module:
    kernel = uml.find_or_build_kernel()
    r = uml.run("mount /dev/ubda $MNT && ls -l $MNT", images=["disk.img"], strict=True)
    r.rc, r.stdout, r.stderr, r.log, r.problems
As a program:
    uml.py [options] [IMG...] -c 'COMMANDS' [ARG...]
    uml.py [options] [IMG...] -- PROGRAM [ARG...]

Images are /dev/ubda, /dev/ubdb, ... (at most 16); IMG:ro attaches one read-only. $MNT is an empty directory to
mount on. `powercut [STATUS]` ends the guest at once, with nothing unmounted or synced: what the image holds then
is what the kernel had written, in the order in which it wrote it. Exit status: the job's; 120 with --strict when
the kernel complained; 124 when the time was up; 125 when the guest died or did not start.
"""
import argparse
import ast
import contextlib
import dataclasses
import fcntl
import functools
import glob
import hashlib
import marshal
import os
import random
import re
import shlex
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
INIT = os.path.join(HERE, "guest", "init.py")
BUILD = os.path.join(HERE, "build-kernel")
MAX_IMAGES = 16
LOOPS = "lpj=10000000"                  # of a delay: the guest does not measure its speed, on which nothing depends
RC_PROBLEMS, RC_TIMEOUT, RC_DIED = 120, 124, 125
WARNING = 4
SUBJECT = "f2fskit: now "               # written by guest/kernelapi.say()
LOG_END = "f2fskit: log ends"            # written by guest/init.py

# A kernel line that is a failure whatever its level ...
ALARM = re.compile(r"BUG\b|WARNING:|Oops|Kernel panic|general protection|blocked for more than|I/O error|"
                   r"Segfault with no mm|Out of memory|Call Trace|Assertion")
# ... and the parts that must be silent at level warning and above.
WATCHED = re.compile(r"F2FS-fs|EXT4-fs|BTRFS|NILFS|JBD2|fs-verity|fscrypt|VFS: Busy inodes|unicode:|null_blk|quota", re.I)
# Modules that Debian's packaged kernel needs for a plain F2FS, in the order of their dependencies.
MODULES = ("crypto/crc32_generic", "lib/lz4/lz4_compress", "lib/lz4/lz4hc_compress", "lib/zstd/zstd_compress",
           "fs/quota/quota_tree", "fs/quota/quota_v2", "fs/f2fs/f2fs", "drivers/block/loop")


class NoKernel(Exception):
    """There is no kernel to ask, and none could be built."""


class GuestFailure(AssertionError):
    """A job that had to succeed did not."""


def cache_dir():
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    return os.path.join(base, "f2fskit")


@dataclasses.dataclass(frozen=True)
class Kernel:
    path: str
    modules: tuple = ()

    @functools.cached_property
    def features(self):
        """Names below /sys/fs/f2fs/features: what this kernel's F2FS can do; "ext4", "btrfs", "nilfs2" if it has them,
        too; and "recent" if it is not an old one."""
        r = run("uname -r; ls /sys/fs/f2fs/features; grep -Eo 'ext4|btrfs|nilfs2' /proc/filesystems || :", kernel=self,
                timeout=300)
        release, *names = r.stdout.decode().split()
        recent = tuple(int(n) for n in re.findall(r"\d+", release)[:2]) >= (6, 6)
        return frozenset(names + (["recent"] if recent else []))

    @functools.cached_property
    def identity(self):
        with open(self.path, "rb") as f:
            return hashlib.sha256(f.read()).hexdigest()


def find_kernel():
    """$F2FSKIT_UML, then the one in the cache, then Debian's packaged one; None if there is none."""
    given = os.environ.get("F2FSKIT_UML")
    if given:
        if not os.access(given, os.X_OK):
            raise NoKernel("F2FSKIT_UML=%s is not a program" % given)
        return Kernel(os.path.realpath(given), packaged_modules(given))
    for path in (os.path.join(cache_dir(), "kernel", "linux.uml"), "/usr/bin/linux.uml"):
        if os.access(path, os.X_OK):
            return Kernel(path, packaged_modules(path))
    return None


def find_peers_kernel():
    """The kernel of `build-kernel --peers`, which has Btrfs and NILFS2, too; raises NoKernel. It is never built here."""
    path = os.path.join(cache_dir(), "kernel", "linux-peers.uml")
    if not os.access(path, os.X_OK):
        raise NoKernel("there is no %s: ./bootstrap kernel --peers builds it" % path)
    return Kernel(path)


def packaged_modules(kernel):
    prefix = os.path.dirname(os.path.dirname(os.path.realpath(kernel)))
    for tree in glob.glob(os.path.join(prefix, "lib", "uml", "modules", "*", "kernel")):
        found = [os.path.join(tree, m + ".ko") for m in MODULES]
        return tuple(p for p in found if os.path.exists(p))
    return ()


def find_or_build_kernel():
    """A kernel with every feature, built on the first call on a machine; raises NoKernel."""
    kernel = find_kernel()
    if kernel and (not kernel.modules or os.environ.get("F2FSKIT_UML")):
        return kernel
    if os.environ.get("F2FSKIT_BUILD_KERNEL", "1") == "0":
        if kernel:
            return kernel
        raise NoKernel("no kernel, and F2FSKIT_BUILD_KERNEL=0 forbids building one")
    os.makedirs(os.path.join(cache_dir(), "kernel"), exist_ok=True)
    with open(os.path.join(cache_dir(), "kernel", ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        found = find_kernel()                   # somebody else may have built it meanwhile
        if found and not found.modules:
            return found
        built = subprocess.run([BUILD], stdin=subprocess.DEVNULL, stdout=sys.stderr)
    found = find_kernel()
    if built.returncode and not found:
        raise NoKernel("no kernel was found and build-kernel failed")
    return found


@dataclasses.dataclass
class Result:
    """The result of a job: its status and output, and the kernel's messages."""
    rc: int
    stdout: bytes
    stderr: bytes
    log: list                   # of Line
    problems: list              # the texts of the log that a healthy run does not have
    timed_out: bool = False
    died: bool = False
    stubborn: tuple = ()        # mounts that were still busy at the end

    def about(self):
        """[(subject, Line)]: the log, each line with what kernelapi.say() had named last before it, or None."""
        found, subject = [], None
        for line in self.log:
            if line.text.startswith(SUBJECT):
                subject = line.text[len(SUBJECT):]
            else:
                found.append((subject, line))
        return found

    def check(self, rc=0, problems=()):
        """Raises GuestFailure unless the job ended with `rc` and only `problems` (patterns) were logged."""
        unexpected = [p for p in self.problems if not any(re.search(x, p) for x in problems)]
        if self.rc == rc and not unexpected and not self.stubborn:
            return self
        parts = ["job ended with %d, expected %d" % (self.rc, rc)]
        if self.timed_out:
            parts.append("time was up")
        if self.died:
            parts.append("the guest died; its last words:")
            parts += ["  " + line.text for line in self.log[-25:]]
        parts += ["kernel: " + p for p in unexpected]
        parts += ["still mounted: " + s for s in self.stubborn]
        for name, data in (("stdout", self.stdout), ("stderr", self.stderr)):
            if data:
                parts.append("--- %s (its end)\n%s" % (name, data[-4000:].decode(errors="replace")))
        raise GuestFailure("\n".join(parts))


def memory_dir(size):
    """A directory for the file that is the guest's memory: quick, and not mounted noexec."""
    for path in (os.environ.get("F2FSKIT_MEMORY_DIR"), "/dev/shm", tempfile.gettempdir(), "/tmp", "/var/tmp"):
        if not path or not os.access(path, os.W_OK):
            continue
        st = os.statvfs(path)
        if st.f_flag & os.ST_NOEXEC or st.f_bavail * st.f_frsize < size:
            continue
        return path
    return tempfile.gettempdir()


def parse_size(text):
    m = re.fullmatch(r"(\d+)([kKmMgG]?)", str(text))
    if not m:
        raise ValueError("not a size: %s" % text)
    return int(m.group(1)) << {"": 0, "k": 10, "m": 20, "g": 30}[m.group(2).lower()]


@dataclasses.dataclass(frozen=True)
class Line:
    """A line of the kernel's log. The level is None for lines printed before there was a log."""
    level: int
    text: str

    @property
    def problem(self):
        return bool(ALARM.search(self.text)) or (self.level is not None and self.level <= WARNING
                                                 and bool(WATCHED.search(self.text)))


class KernelLog:
    """Join the kernel's messages from two sources.

    The records of /dev/kmsg have levels, but come through a process of the guest: when the kernel dies, the last ones are
    missing. The console has no levels and shows warnings and worse only, to the very end. Lines of the console that the
    records lack are appended at the end.
"""
    RECORD = re.compile(r"(\d+),\d+,(\d+),[^;]*;(.*)")
    CONSOLE = re.compile(r"(?:\[ *(\d+)\.(\d+)\] )?(.*)")

    def __init__(self, watcher=None):
        self.lines, self.seen, self.shown, self.watcher = [], set(), [], watcher

    def add(self, line):
        self.lines.append(line)
        if self.watcher:
            self.watcher(line)

    def take_record(self, text):
        m = self.RECORD.fullmatch(text)
        if m and LOG_END not in text:
            self.seen.add((int(m.group(2)), m.group(3)))
            self.add(Line(int(m.group(1)) & 7, m.group(3)))

    def take_console(self, text):
        m = self.CONSOLE.fullmatch(text)
        when = int(m.group(1)) * 10**6 + int(m.group(2)) if m.group(1) else None
        self.shown.append((when, m.group(3)))

    def finish(self):
        for when, text in self.shown:
            if (when, text) not in self.seen and text:
                self.add(Line(None if when is None else WARNING, text))

    @property
    def problems(self):
        return [line.text for line in self.lines if line.problem]


class Splitter:
    """Feeds a function with whole lines of text."""

    def __init__(self, take):
        self.take, self.rest = take, b""

    def feed(self, data):
        *lines, self.rest = (self.rest + data).split(b"\n")
        for line in lines:
            self.take(line.decode(errors="replace").rstrip("\r"))

    def finish(self):
        if self.rest:
            self.feed(b"\n")


def attach(images, work, scratch):
    """Kernel arguments that make the images disks; with scratch, of sparse throw-away copies."""
    if len(images) > MAX_IMAGES:
        raise ValueError("at most %d images" % MAX_IMAGES)
    args = []
    for i, image in enumerate(images):
        image = os.fspath(image)
        read_only = image.endswith(":ro") and not os.path.exists(image)
        path = os.path.abspath(image[:-3] if read_only else image)
        if not os.path.exists(path):
            raise FileNotFoundError(path)
        if scratch:
            copy = os.path.join(work, "scratch%d" % i)
            subprocess.check_call(["cp", "--sparse=always", "--reflink=auto", "-L", path, copy])
            path = copy
        elif re.search(r"[,: ]", path):         # these mean something on the kernel's command line
            link = os.path.join(work, "image%d" % i)
            os.symlink(path, link)
            path = link
        args.append("ubd%d%s=%s" % (i, "r" if read_only else "", path))
    return args


def write_job(work, job, args, env, cwd, deadline, kernel, timers):
    """Puts the init program, its job description and the helper commands into `work`."""
    os.mkdir(os.path.join(work, "bin"))
    python = shlex.quote(sys.executable or "/usr/bin/python3")
    init = shlex.quote(INIT)
    if isinstance(job, str):
        script = os.path.join(work, "commands")
        with open(script, "w") as f:
            f.write(job + "\n")
        argv = ["/bin/bash", script, *args]
    else:
        argv = [os.fspath(a) for a in job] + list(args)
    under_run = os.path.realpath(work).startswith("/run/")
    description = dict(argv=argv, env=env, cwd=cwd, dir=work, bin=os.path.join(work, "bin"),
                       run="/mnt" if under_run else "/run", modules=kernel.modules, deadline=deadline,
                       timers=timers)
    with open(os.path.join(work, "job"), "wb") as f:
        marshal.dump(description, f)
    for name, text in (("init", "exec %s -IS %s %s/job" % (python, init, shlex.quote(work))),
                       ("bin/powercut", "exec %s -IS %s --powercut \"${1:-0}\"" % (python, init))):
        path = os.path.join(work, name)
        with open(path, "w") as f:
            f.write("#!/bin/sh\n%s\n" % text)
        os.chmod(path, 0o755)


def run(job, *, images=(), args=(), env=None, cwd=None, mem="512M", timeout=300, scratch=False, strict=False,
        kernel=None, append="", stdout=None, stderr=None, watcher=None, timers=None):
    """Runs a job as the guest's root and returns a Result.

    job      shell commands (str; run by bash) or a program with its arguments (list)
    images   paths; each is a disk; "PATH:ro" is attached read-only
    scratch  use throw-away copies: the images stay as they are
    strict   a complaint of the kernel turns status 0 into 120
    stdout, stderr   binary files to copy the job's output to as it comes, instead of collecting it
    watcher  called with each Line of the kernel's log
    timers   "still" (as ever, unless $F2FSKIT_GUEST says otherwise): the kernel writes nothing because time went by;
             "usual": as kernels do; "hasty": all the time
    """
    forms = guest_forms()
    kernel = kernel or find_or_build_kernel()
    work = tempfile.mkdtemp(prefix="f2fskit-uml.")
    log, said = KernelLog(watcher), {}
    output, errors = bytearray(), bytearray()
    console, records = Splitter(log.take_console), Splitter(log.take_record)
    status = Splitter(lambda line: said.update(ast.literal_eval(line)))  # the guest's own account, a dict per line
    process = None

    def sink(collected, file):
        def take(data):
            if file is None:
                collected.extend(data)
                return
            with contextlib.suppress(BrokenPipeError, ValueError):
                file.write(data)
                file.flush()
        return take

    try:
        write_job(work, job, args, dict(env or {}), os.path.abspath(cwd or os.getcwd()), int(timeout) + 60, kernel,
                  timers or ("hasty" if "hasty" in forms else "still"))
        disks = attach(images, work, scratch)
        takers = (console.feed, sink(output, stdout), sink(errors, stderr), status.feed, records.feed)
        pipes = [os.pipe() for _ in takers]
        ends = [w for _, w in pipes]
        command = [kernel.path, "mem=%s" % mem, "root=/dev/root", "rootfstype=hostfs", "rootflags=/", "rw",
                   "init=%s/init" % work, "con=null", "ssl=null", *("con%d=null,fd:%d" % (i, fd) for i, fd in enumerate(ends)),
                   "loglevel=%d" % (WARNING + 1), "panic=-1", "uml_dir=%s/" % work, "umid=uml",
                   "null_blk.nr_devices=0", LOOPS, *disks, *shlex.split(append)]
        environment = dict(os.environ, TMPDIR=memory_dir(parse_size(mem)))
        process = subprocess.Popen(["/bin/sh", "-c", "ulimit -c 0; exec \"$@\"", "sh", *command],
                                   stdin=subprocess.DEVNULL, stdout=ends[0], stderr=ends[0], env=environment,
                                   pass_fds=ends, start_new_session=True)
        for fd in ends:
            os.close(fd)
        threads = [threading.Thread(target=pump, args=(r, take), daemon=True) for (r, _), take in zip(pipes, takers)]
        for t in threads:
            t.start()
        timed_out = False
        if "halting" in forms:
            threading.Thread(target=halt_at_random, args=(process,), daemon=True).start()
        try:
            process.wait(timeout)
        except subprocess.TimeoutExpired:
            timed_out = True
        kill_session(process)
        for t in threads:
            t.join(10)
        console.finish()
        log.finish()
    finally:
        if process:
            kill_session(process)
        shutil.rmtree(work, ignore_errors=True)

    died = not timed_out and "rc" not in said
    rc = RC_TIMEOUT if timed_out else RC_DIED if died else said["rc"]
    if strict and rc == 0 and log.problems:
        rc = RC_PROBLEMS
    return Result(rc, bytes(output), bytes(errors), log.lines, log.problems, timed_out, died,
                  tuple(said.get("stubborn", ())))


def pump(fd, take):
    with open(fd, "rb", buffering=0) as f:
        while data := f.read(65536):
            take(data)


def guest_forms():
    """What $F2FSKIT_GUEST asks for: "hasty", "halting", both ("hasty,halting") or nothing."""
    forms = set(filter(None, os.environ.get("F2FSKIT_GUEST", "").split(",")))
    if forms - {"hasty", "halting"}:
        raise ValueError("F2FSKIT_GUEST=%s: not hasty, halting" % os.environ["F2FSKIT_GUEST"])
    return forms


def halt_at_random(process):
    """Stops and continues the guest again and again, as a busy host does."""
    while process.poll() is None:
        for sign in (signal.SIGSTOP, signal.SIGCONT):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(process.pid, sign)      # its helpers run when it bids them
            time.sleep(random.expovariate(4))


def kill_session(process):
    """The kernel's helper processes are in its session; none may remain."""
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def command_line(argv):
    """Splits off the job before argparse sees it: -c COMMANDS [ARG...] or -- PROGRAM [ARG...]"""
    for i, word in enumerate(argv):
        if word == "-c":
            return argv[:i], argv[i + 1:i + 2], argv[i + 2:]
        if word == "--":
            return argv[:i], None, argv[i + 1:]
    return argv, None, None


def find_only():
    try:
        kernel = find_or_build_kernel()
    except NoKernel as e:
        print("uml.py: %s" % e, file=sys.stderr)
        return RC_DIED
    print("%s: F2FS with %s" % (kernel.path, ", ".join(sorted(kernel.features))))
    return 0


def main(argv):
    head, commands, rest = command_line(argv)
    p = argparse.ArgumentParser(prog="uml.py", usage="uml.py [options] [IMG...] (-c COMMANDS | -- PROGRAM) [ARG...]",
                                description="Run a job in a real Linux kernel that has F2FS images as its disks.")
    p.add_argument("images", nargs="*", metavar="IMG", help="a disk: /dev/ubda, /dev/ubdb, ...; IMG:ro is read-only")
    p.add_argument("-m", "--mem", default="512M", help="the guest's memory (512M)")
    p.add_argument("-t", "--timeout", type=float, default=300, help="seconds until the guest is killed (300)")
    p.add_argument("-e", "--env", action="append", default=[], metavar="NAME=VALUE", help="set a variable in the guest")
    p.add_argument("--kernel", help="the kernel (default: $F2FSKIT_UML, the cache, Debian's, or built now)")
    p.add_argument("--append", default="", help="more of the kernel's command line")
    p.add_argument("--scratch", action="store_true", help="work on throw-away copies of the images")
    p.add_argument("--strict", action="store_true", help="exit 120 when the kernel complained")
    p.add_argument("--log", metavar="FILE", help="write the kernel's log there")
    p.add_argument("-v", "--verbose", action="store_true", help="show all kernel messages, not only the bad ones")
    p.add_argument("-q", "--quiet", action="store_true", help="show no kernel message")
    p.add_argument("--find", action="store_true", help="say which kernel it is, building one if need be, and stop")
    o = p.parse_args(head)
    if o.find:
        return find_only()
    if not rest and not commands:
        p.error("no job: give -c COMMANDS or -- PROGRAM")
    log = open(o.log, "w") if o.log else None

    def watcher(line):
        if log:
            print("<%s> %s" % ("-" if line.level is None else line.level, line.text), file=log, flush=True)
        if not o.quiet and (line.problem or o.verbose):
            print("kernel: " + line.text, file=sys.stderr, flush=True)

    try:
        kernel = Kernel(os.path.realpath(o.kernel), packaged_modules(o.kernel)) if o.kernel else None
        r = run(commands[0] if commands else rest, args=rest if commands else (), images=o.images, mem=o.mem,
                timeout=o.timeout, env=dict(e.partition("=")[::2] for e in o.env), kernel=kernel, append=o.append,
                scratch=o.scratch, strict=o.strict, stdout=sys.stdout.buffer, stderr=sys.stderr.buffer,
                watcher=watcher)
    except (NoKernel, OSError, ValueError) as e:
        print("uml.py: %s" % e, file=sys.stderr)
        return RC_DIED
    if r.timed_out:
        print("uml.py: time was up (%g s)" % o.timeout, file=sys.stderr)
    if r.died:
        print("uml.py: the guest died, or did not start (see -v)", file=sys.stderr)
    for where in r.stubborn:
        print("uml.py: %s was still busy at the end" % where, file=sys.stderr)
    return r.rc


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
