# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first and only process of a test guest: set the guest up, run one job, power the guest off.

Started by uml.py as `python3 -IS init.py JOB`, a file of marshal. The host's root is the root file system; everything that belongs
to this kernel alone (/dev, /proc, /sys, /run) is mounted over it. The job's output goes to consoles of its own, so that it never
mixes with the kernel's messages, and its end is reported on a third;
the kernel's log, which the kernel's own console gives without levels, goes out on a fourth.
`init.py --powercut STATUS CONSOLE` ends the guest at once: nothing is unmounted, nothing synced.

System calls are slow in a guest, so this imports no module that imports many: hundreds of guests start in a run of the tests.

Writes that a kernel does by its clock come at other moments when the host is busy. So the guest's clocks write
nothing, unless the job says otherwise: volumes hold what the job, its syncs and the unmounting wrote ("timers" of the job).
"""
import _thread
import ctypes
import marshal
import os
import select
import sys
import termios
import time
import tty

LIBC = ctypes.CDLL(None, use_errno=True)
POWER_OFF = 0x4321FEDC
MNT_DETACH = 2
STATUS_CONSOLE = "/dev/tty3"
LOG_COPIED = "/dev/shm/f2fskit-log-copied"
PATIENCE = 60                       # seconds for what takes none, on a host that is not busy
NEVER = 10**6                       # seconds
SIGKILL, IGNORED_BY_PYTHON = 9, (13, 25)        # SIGPIPE, SIGXFSZ

# What writes without being asked: the kernel's writeback, and F2FS's checkpoints and cleaning of each mount.
TIMERS = {
    "still": ({"dirty_writeback_centisecs": 0, "dirty_ratio": 60, "dirty_background_ratio": 50},
              {"cp_interval": NEVER, "gc_idle_interval": NEVER}),
    "usual": ({}, {}),
    "hasty": ({"dirty_writeback_centisecs": 1, "dirty_expire_centisecs": 1}, {"cp_interval": 1, "gc_idle_interval": 1}),
}


def mount(kind, where, options=""):
    if LIBC.mount(kind.encode(), os.fsencode(where), kind.encode(), 0, options.encode() or None):
        return False
    return True


def set_up_mounts(scratch):
    mount("proc", "/proc")
    mount("sysfs", "/sys")
    mount("devtmpfs", "/dev")
    mount("tmpfs", scratch, "mode=755")
    for path in (scratch + "/mnt", "/dev/shm", "/dev/pts"):
        os.makedirs(path, exist_ok=True)
    if scratch == "/run":
        os.makedirs("/run/lock", exist_ok=True)
    mount("devpts", "/dev/pts")
    mount("tmpfs", "/dev/shm")
    mount("configfs", "/sys/kernel/config")
    mount("debugfs", "/sys/kernel/debug")
    if not os.path.lexists("/dev/fd"):
        os.symlink("/proc/self/fd", "/dev/fd")


def open_console(path):
    fd = os.open(path, os.O_RDWR | os.O_NOCTTY)
    tty.setraw(fd)
    return fd


def load_modules(paths):
    for path in paths:
        fd = os.open(path, os.O_RDONLY)
        LIBC.syscall(313, fd, b"", 0)           # finit_module, x86-64
        os.close(fd)


def tell(fd, what):
    """Tell the host, which evaluates the line."""
    os.write(fd, repr(what).encode() + b"\n")
    termios.tcdrain(fd)


class LogCopier:
    """A thread that copies /dev/kmsg to a console until the mark that drain() writes comes by."""
    MARK = b"f2fskit: log ends"

    def __init__(self, console):
        self.console, self.running = console, _thread.allocate_lock()
        self.running.acquire()
        _thread.start_new_thread(self.run, ())

    def run(self):
        with open("/dev/kmsg", "rb", buffering=0) as log:
            while True:
                try:
                    record = log.read(8192)
                except BrokenPipeError:         # the ring went round before we read it
                    continue
                os.write(self.console, record)
                if self.MARK in record:
                    open(LOG_COPIED, "w").close()
                    self.running.release()
                    return

    def join(self, seconds):
        self.running.acquire(timeout=seconds)

    @classmethod
    def drain(cls):
        with open("/dev/kmsg", "wb", buffering=0) as log:
            log.write(b"<7>" + cls.MARK + b"\n")       # a record is read when its line has ended


def put(path, value):
    try:
        with open(path, "w") as f:
            f.write(str(value))
    except OSError:                         # an old kernel lacks it, or the mount is gone
        pass


def volumes():
    """The folders of mounted F2FS in /sys."""
    try:
        return ["/sys/fs/f2fs/" + name for name in os.listdir("/sys/fs/f2fs")]
    except OSError:
        return []


def watch_mounts(values):
    """Sets the values of each F2FS that is mounted from now on."""
    with open("/proc/self/mounts") as mounts:
        changes = select.poll()
        changes.register(mounts, select.POLLERR | select.POLLPRI)
        while True:
            for volume in volumes():
                for name, value in values.items():
                    if os.path.exists(volume + "/" + name):
                        put(volume + "/" + name, value)
            changes.poll()


def set_timers(which):
    system, mounts = TIMERS[which]
    for name, value in system.items():
        put("/proc/sys/vm/" + name, value)
    if mounts:
        _thread.start_new_thread(watch_mounts, (mounts,))


def power_off():
    LIBC.reboot(POWER_OFF)
    while True:
        time.sleep(1)


def give_up_after(seconds):
    """Should the host lose interest in the guest."""
    time.sleep(seconds)
    power_off()


def unmount_everything(keep):
    """Unmount the block devices, the last mounted first. Report those that fail."""
    stubborn = []
    with open("/proc/self/mounts", "rb") as f:
        mounts = [line.split() for line in f]
    for source, where, kind in reversed([m[:3] for m in mounts]):
        where = where.decode("unicode_escape").encode("latin-1")
        if not source.startswith(b"/dev/") or kind == b"hostfs" or where == keep:
            continue
        if LIBC.umount2(where, 0) == 0:
            continue
        os.kill(-1, SIGKILL)                    # all processes that the job left, except ours
        end = time.monotonic() + PATIENCE       # until they are gone
        while LIBC.umount2(where, 0):
            if time.monotonic() < end:
                time.sleep(0.02)
                continue
            stubborn.append(os.fsdecode(where))
            LIBC.umount2(where, MNT_DETACH)
            break
    return stubborn


def wait_for(pid):
    """Waits for the job; as process 1 we also reap everybody's orphans."""
    while True:
        gone, status = os.wait()
        if gone == pid:
            code = os.waitstatus_to_exitcode(status)
            return code if code >= 0 else 128 - code


def powercut(code):
    fd = os.open(STATUS_CONSOLE, os.O_RDWR | os.O_NOCTTY)
    for path in ("/dev/tty1", "/dev/tty2"):
        other = os.open(path, os.O_RDWR | os.O_NOCTTY)
        termios.tcdrain(other)
    LogCopier.drain()
    end = time.monotonic() + PATIENCE
    while not os.path.exists(LOG_COPIED) and time.monotonic() < end:
        time.sleep(0.01)
    tell(fd, {"rc": code, "powercut": True})
    power_off()


def run_job(argv, env, out, err):
    """Run the job with its output on these consoles; return its status."""
    null = os.open("/dev/null", os.O_RDONLY)
    os.environ["PATH"] = env["PATH"]            # by which the program is found
    try:
        child = os.posix_spawnp(argv[0], argv, env, setsigdef=IGNORED_BY_PYTHON,
                                file_actions=[(os.POSIX_SPAWN_DUP2, fd, to) for to, fd in enumerate((null, out, err))])
    except OSError as e:
        os.write(err, ("cannot run %s: %s\n" % (argv[0], e.strerror)).encode())
        return 127
    return wait_for(child)


def main():
    with open(sys.argv[1], "rb") as f:
        job = marshal.load(f)
    set_up_mounts(job["run"])
    out, err, status = (open_console(p) for p in ("/dev/tty1", "/dev/tty2", STATUS_CONSOLE))
    _thread.start_new_thread(give_up_after, (job["deadline"],))
    copier = LogCopier(open_console("/dev/tty4"))
    load_modules(job["modules"])
    set_timers(job["timers"])
    tell(status, {"ready": True})

    env = {"HOME": "/root", "LANG": "C.UTF-8", "TERM": "dumb", "USER": "root", "MNT": job["run"] + "/mnt",
           "PATH": job["bin"] + ":/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
    env.update(job["env"])
    cwd = job["cwd"] if os.path.isdir(job["cwd"]) else "/"
    os.chdir(cwd)
    code = run_job(job["argv"], env, out, err)
    stubborn = unmount_everything(b"/")
    LIBC.syncfs(os.open(job["dir"], os.O_RDONLY))
    copier.drain()
    copier.join(PATIENCE)
    for fd in (out, err, copier.console):
        termios.tcdrain(fd)
    tell(status, {"rc": code, "stubborn": stubborn})
    power_off()


if sys.argv[1] == "--powercut":
    powercut(int(sys.argv[2]) if len(sys.argv) > 2 else 0)
main()
