# SPDX-License-Identifier: LGPL-2.1-or-later
"""Atomic writes and shutdowns on a volume mounted by f2fsfuse: everything of a commit is there, or nothing."""
import ctypes
import errno
import fcntl
import os
import signal
import subprocess
import sys
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
START, COMMIT, ABORT = 0xF501, 0xF502, 0xF505
SHUTDOWN = 0x8004587D
FULL_SYNC, META_SYNC, NO_SYNC, META_FLUSH, NEED_FSCK = range(5)
OLD, NEW = b"old-" * 25000, b"new-" * 25000


def refused(function, *arguments):
    """The errno that it fails with; 0: it does not."""
    try:
        function(*arguments)
    except OSError as e:
        return e.errno
    return 0


def shut_down(path, level):
    fd = os.open(path, os.O_RDONLY)
    ctypes.set_errno(0)
    rc = LIBC.ioctl(fd, ctypes.c_ulong(SHUTDOWN), ctypes.byref(ctypes.c_uint32(level)))
    os.close(fd)
    return ctypes.get_errno() if rc else 0


@pytest.fixture(params=["rw", "single_thread"])
def file(request, mount, volume, peer_check):
    """A mount with a file of old contents; it is open. Afterwards both checkers look at the volume."""
    mounted = mount(volume("128M"), "allow_other", request.param)
    path = mounted.point / "file"
    path.write_bytes(OLD)
    fd = os.open(path, os.O_RDWR)
    os.fsync(fd)
    yield mounted, path, fd
    os.close(fd)
    if mounted.process.poll() is None:
        assert mounted.unmount() == ""
    peer_check(mounted.image)


def test_a_commit_writes_all(file, mount):
    mounted, path, fd = file
    fcntl.ioctl(fd, START)
    fcntl.ioctl(fd, START)
    os.pwrite(fd, NEW[:5001], 3)
    os.pwrite(fd, b"end", 300000)
    assert os.fstat(fd).st_size == 300003 and os.pread(fd, 5, 1) == OLD[1:3] + NEW[:3]
    assert refused(os.ftruncate, fd, 5) == errno.EOPNOTSUPP
    assert LIBC.fallocate(fd, 0, ctypes.c_long(0), ctypes.c_long(5)) == -1 and ctypes.get_errno() == errno.EOPNOTSUPP
    fcntl.ioctl(fd, COMMIT)
    expected = OLD[:3] + NEW[:5001] + OLD[5004:] + bytes(300000 - len(OLD)) + b"end"
    assert path.read_bytes() == expected
    os.pwrite(fd, b"more", 0)           # no longer atomic, and not durable
    mounted.kill()
    again = mount(mounted.image)
    assert (again.point / "file").read_bytes() == expected
    assert again.unmount() == ""


def test_nothing_before_the_commit(file, mount):
    """Neither fsync nor a checkpoint writes waiting blocks, and a crash leaves the old contents."""
    mounted, path, fd = file
    fcntl.ioctl(fd, START)
    os.pwrite(fd, NEW, 0)
    os.pwrite(fd, b"longer", 400000)
    os.fsync(fd)
    (mounted.point / ".f2fs" / "control").write_text("checkpoint")
    assert path.read_bytes()[:len(NEW)] == NEW
    mounted.kill()
    again = mount(mounted.image)
    assert (again.point / "file").read_bytes() == OLD
    assert again.unmount() == ""


def test_an_abort(file):
    """The kernel's cache forgets dropped writes, too. Reads past it see the same."""
    mounted, path, fd = file
    for _ in range(3):
        fcntl.ioctl(fd, START)
        os.pwrite(fd, NEW, 5)
        os.pwrite(fd, b"longer", 400000)
        assert path.read_bytes()[5:5 + len(NEW)] == NEW
        fcntl.ioctl(fd, ABORT)
        assert path.read_bytes() == OLD
    fcntl.ioctl(fd, ABORT)              # there is nothing to drop
    fcntl.ioctl(fd, COMMIT)             # is fsync then
    fcntl.ioctl(fd, START)
    os.pwrite(fd, NEW, 0)
    os.unlink(path)
    assert os.pread(fd, len(NEW), 0) == NEW
    fcntl.ioctl(fd, COMMIT)
    assert os.pread(fd, len(NEW), 0) == NEW
    os.ftruncate(fd, 5)
    assert os.pread(fd, 99, 0) == NEW[:5]


WRITER = r"""
import fcntl, os, sys, threading
fd = os.open(sys.argv[1], os.O_RDWR)
def start():
    fcntl.ioctl(fd, 0xF501)
    os.pwrite(fd, b"new-" * 25000, 0)
thread = threading.Thread(target=start)     # the process counts, not its thread
thread.start()
thread.join()
print("written", flush=True)
sys.stdin.read()
"""


def test_a_process_that_ends_aborts(file):
    mounted, path, _ = file
    for number in (signal.SIGKILL, signal.SIGTERM):
        writer = subprocess.Popen([sys.executable, "-c", WRITER, path], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert writer.stdout.readline() == b"written\n"
        assert path.read_bytes() == NEW
        writer.send_signal(number)
        writer.wait()
        for _ in range(3000):           # until the program has seen the end, and the kernel has dropped its cache
            if path.read_bytes() == OLD:
                break
            time.sleep(0.01)
        assert path.read_bytes() == OLD


def test_who_may_write_atomically(file):
    mounted, _, fd = file
    directory = os.open(mounted.point, os.O_RDONLY)
    assert refused(fcntl.ioctl, directory, START) == errno.EINVAL
    os.close(directory)
    if os.geteuid() == 0:
        child = os.fork()
        if child == 0:
            os.setresuid(65534, 65534, 65534)
            os._exit(refused(fcntl.ioctl, fd, START))
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == errno.EACCES


def test_mounts_without_atomic_writes(mount, volume):
    mounted = mount(volume("128M"), "writeback_cache")
    with open(mounted.point / "file", "wb", buffering=0) as one:
        one.write(OLD)
        assert refused(fcntl.ioctl, one.fileno(), START) == errno.EOPNOTSUPP
    assert mounted.unmount() == ""


def test_more_than_memory_is_for(file):
    """Waiting blocks are bounded: a write past that is refused. Then the volume is full: the commit fails, and drops all."""
    _, path, fd = file
    fcntl.ioctl(fd, START)
    piece, done, code = NEW[:1 << 16] * 16, 0, 0
    while not code and done < 1 << 28:
        code = refused(os.pwrite, fd, piece, done)
        done += len(piece)
    assert code == errno.ENOSPC and done >= 128 << 20
    assert refused(fcntl.ioctl, fd, COMMIT) == errno.ENOSPC
    assert path.read_bytes() == OLD
    os.pwrite(fd, b"still", 0)
    os.fsync(fd)


@pytest.mark.parametrize("level, is_kept", [(FULL_SYNC, True), (META_SYNC, True), (NO_SYNC, False), (META_FLUSH, False)])
@pytest.mark.parametrize("is_changed", [True, False])
def test_a_shutdown(mount, volume, peer_check, level, is_kept, is_changed):
    image = volume("64M")
    mounted = mount(image)
    (mounted.point / "old").write_bytes(OLD)
    (mounted.point / ".f2fs" / "control").write_text("checkpoint")
    fd = os.open(mounted.point / "synced", os.O_CREAT | os.O_RDWR)
    os.write(fd, NEW)
    os.fsync(fd)
    if is_changed:
        (mounted.point / "new").write_bytes(NEW)
    else:
        (mounted.point / ".f2fs" / "control").write_text("checkpoint")
    assert shut_down(mounted.point, NEED_FSCK) == errno.EOPNOTSUPP and shut_down(mounted.point, 5) == errno.EINVAL
    assert shut_down(mounted.point, level) == 0
    for change in (lambda: os.mkdir(mounted.point / "d"), lambda: os.pwrite(fd, b"x", 0), lambda: os.fsync(fd),
                   lambda: os.unlink(mounted.point / "old"), lambda: os.chmod(mounted.point / "old", 0),
                   lambda: os.setxattr(mounted.point / "old", "user.x", b""), lambda: os.link(mounted.point / "old", mounted.point / "l"),
                   lambda: os.rename(mounted.point / "old", mounted.point / "l")):
        assert refused(change) == errno.EIO
    assert (mounted.point / "old").read_bytes() == OLD
    os.close(fd)
    assert mounted.unmount() == ""
    again = mount(image)
    assert (again.point / "synced").read_bytes() == NEW
    assert sorted(os.listdir(again.point)) == ["new", "old", "synced"][not is_kept or not is_changed:]
    assert again.unmount() == ""
    peer_check(image)
