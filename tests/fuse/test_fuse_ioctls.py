# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ioctls on a volume mounted by f2fsfuse: those of F2FS and fs-verity, labels, and fstrim(8)."""
import ctypes
import errno
import fcntl
import os
import struct
import subprocess
import time

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)


def number(direction, group, command, size):
    return direction << 30 | size << 16 | ord(group) << 8 | command


NONE, WRITE, READ = 0, 1, 2
CHECKPOINT, COLLECT = number(NONE, "\xf5", 7, 0), number(WRITE, "\xf5", 6, 4)
FEATURES, SET_PIN, GET_PIN = (number(READ, "\xf5", 12, 4), number(WRITE, "\xf5", 13, 4), number(READ, "\xf5", 14, 4))
BLOCKS, RELEASE, RESERVE = (number(READ, "\xf5", n, 8) for n in (17, 18, 19))
GET_OPTION, SET_OPTION = number(READ, "\xf5", 21, 2), number(WRITE, "\xf5", 22, 2)
ENABLE_VERITY, MEASURE_VERITY = number(WRITE, "f", 133, 128), number(READ | WRITE, "f", 134, 4)
GET_LABEL, SET_LABEL = number(READ, "\x94", 49, 256), number(WRITE, "\x94", 50, 256)
TRIM = number(READ | WRITE, "X", 121, 24)


def call(fd, command, data):
    buffer = ctypes.create_string_buffer(data, max(len(data), 1))
    ctypes.set_errno(0)
    return buffer.raw if LIBC.ioctl(fd, ctypes.c_ulong(command), buffer) == 0 else ctypes.get_errno()


def ask(path, command, data=b"", uid=None):
    """The answer of an ioctl, or the errno that it fails with; of another user in a process of its own."""
    fd = os.open(path, os.O_RDONLY)
    try:
        if uid is None:
            return call(fd, command, data)
        child = os.fork()
        if child == 0:
            os.setgroups([])
            os.setresuid(uid, uid, uid)
            answer = call(fd, command, data)
            os._exit(answer if isinstance(answer, int) else 0)
        return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    finally:
        os.close(fd)


def refuses_writes(path):
    """The errno of a write."""
    with open(path, "r+b", buffering=0) as file, pytest.raises(OSError) as refused:
        file.write(b"x")
    return refused.value.errno


def attributes(path):
    """Those that ioctls change."""
    st = os.stat(path)
    return st.st_ctime_ns, st.st_blocks, st.st_size


def test_flags_that_f2fs_has_not(mount, volume):
    """They are refused as by the kernel, not dropped; the others stay as they are."""
    mounted = mount(volume())
    path, set_flags, get_xflags, set_xflags = mounted.point / "file", number(WRITE, "f", 2, 8), number(READ, "X", 31, 28), number(WRITE, "X", 32, 28)
    path.touch()
    noatime, dax, undelete = 0x40, 0x8000, 2
    assert ask(path, set_xflags, struct.pack("I24x", noatime))[:4] == struct.pack("I", noatime)
    assert ask(path, set_xflags, struct.pack("I24x", dax)) == errno.EOPNOTSUPP
    assert ask(path, set_flags, struct.pack("I", undelete)) == errno.EOPNOTSUPP
    assert struct.unpack_from("I", ask(path, get_xflags, bytes(28)))[0] == noatime
    assert mounted.unmount() == ""


@pytest.mark.parametrize("option", ["rw", "single_thread"])
def test_attributes_follow(mount, volume, option):
    """The kernel's cache of attributes is not older than an ioctl."""
    image = volume("128M", "-O", "extra_attr,compression,verity")
    mounted = mount(image, option)
    seen = {}
    for name, command, data in (("flags", number(WRITE, "f", 2, 8), struct.pack("I", 0x80)), ("pin", SET_PIN, struct.pack("I", 1)),
                                ("release", RELEASE, bytes(8)), ("verity", ENABLE_VERITY, struct.pack("III", 1, 1, 4096) + bytes(116))):
        path = mounted.point / name
        path.touch()
        if name == "release":
            subprocess.run(["chattr", "+c", path], check=True)
        path.write_bytes(bytes(1 << 20) if name != "pin" else b"inline")
        ask(mounted.point, CHECKPOINT)
        os.utime(path)
        attributes(path)
        time.sleep(0.02)                # the clock of files ticks every few milliseconds
        assert not isinstance(ask(path, command, data), int)
        seen[name] = attributes(path)
    assert mounted.unmount() == ""
    mounted = mount(image, "ro")
    assert seen == {name: attributes(mounted.point / name) for name in seen}


def test_the_volume(mount, volume, peer_check, run_tool):
    image = volume("128M", "-l", "first", "-O", "extra_attr,inode_crtime")
    mounted = mount(image, "allow_other")
    top = mounted.point
    assert struct.unpack("I", ask(top, FEATURES, bytes(4)))[0] == 0x108
    assert ask(top, GET_LABEL, bytes(256)).rstrip(b"\0") == b"first"
    assert isinstance(ask(top, SET_LABEL, "zweitér".encode().ljust(256, b"\0")), bytes)
    assert ask(top, GET_LABEL, bytes(256)).rstrip(b"\0").decode() == "zweitér"
    (top / "f").write_bytes(b"f" * 100000)
    os.chmod(top, 0o777)
    if os.geteuid() == 0:
        for command, data in ((CHECKPOINT, b""), (COLLECT, bytes(4)), (SET_LABEL, b"x".ljust(256, b"\0")), (TRIM, bytes(24))):
            assert ask(top, command, data, uid=65534) == errno.EPERM
    assert ask(top, number(NONE, "\xf5", 99, 0)) == errno.ENOTTY
    assert isinstance(ask(top, CHECKPOINT), bytes)
    mounted.kill()                      # the files of the checkpoint are there
    mounted = mount(image)
    assert (mounted.point / "f").read_bytes() == b"f" * 100000
    for i in range(300):
        (mounted.point / ("f-%d" % i)).write_bytes(b"x" * 20000)
    os.sync()
    ask(mounted.point, CHECKPOINT)
    for i in range(0, 300, 2):
        os.unlink(mounted.point / ("f-%d" % i))
    assert isinstance(ask(mounted.point, COLLECT, struct.pack("I", 1)), bytes)
    for start, length, code in ((1 << 40, 2**64 - 1, errno.EINVAL), (0, 4095, errno.EINVAL), (0, 1 << 20, errno.EOPNOTSUPP),
                                (100 << 20, 2**64 - 1, errno.EOPNOTSUPP)):
        assert ask(mounted.point, TRIM, struct.pack("QQQ", start, length, 0)) == code
    start, length, least = struct.unpack("QQQ", ask(mounted.point, TRIM, struct.pack("QQQ", 0, 2**64 - 1, 0)))
    assert start == 0 and 50 << 20 < length < 128 << 20 and least == 0
    assert mounted.unmount() == ""
    peer_check(image)
    assert "zweitér" in run_tool("f2fs", image, "info").stdout.decode()
    shown = mount(image, "ro")
    assert ask(shown.point, CHECKPOINT) == errno.EROFS
    assert ask(shown.point, TRIM, struct.pack("QQQ", 0, 2**64 - 1, 0)) == errno.EROFS


def test_pinned_files(mount, volume, peer_check):
    image = volume("128M")
    mounted = mount(image, "allow_other")
    path = mounted.point / "pinned"
    path.write_bytes(b"")
    assert struct.unpack("I", ask(path, GET_PIN, bytes(4)))[0] == 0
    if os.geteuid() == 0:
        os.chmod(path, 0o666)
        assert ask(path, SET_PIN, struct.pack("I", 1), uid=65534) == errno.EACCES
    assert isinstance(ask(path, SET_PIN, struct.pack("I", 1)), bytes)
    assert struct.unpack("I", ask(path, GET_PIN, bytes(4)))[0] == 1
    with open(path, "r+b") as file:
        os.posix_fallocate(file.fileno(), 0, 4 << 20)
        file.write(b"pinned" * 1000)
    assert b"C" in subprocess.run(["lsattr", path], stdout=subprocess.PIPE, check=True).stdout.split()[0]
    assert ask(mounted.point, SET_PIN, struct.pack("I", 1)) == errno.EINVAL
    assert mounted.unmount() == ""
    peer_check(image)
    mounted = mount(image)
    assert struct.unpack("I", ask(mounted.point / "pinned", GET_PIN, bytes(4)))[0] == 1
    assert (mounted.point / "pinned").read_bytes()[:6000] == b"pinned" * 1000
    with open(mounted.point / "pinned", "r+b") as file:
        file.write(b"PINNED")
    assert mounted.unmount() == ""
    peer_check(image)
    assert (mount(image, "ro").point / "pinned").read_bytes()[:12] == b"PINNEDpinned"


def test_compressed_files(mount, volume, peer_check):
    image = volume("128M", "-O", "extra_attr,compression")
    mounted = mount(image)
    path = mounted.point / "compressed"
    path.write_bytes(b"")
    assert ask(path, GET_OPTION, bytes(2)) == errno.ENODATA
    assert ask(path, BLOCKS, bytes(8)) == errno.EINVAL
    subprocess.run(["chattr", "+c", path], check=True)
    assert isinstance(ask(path, SET_OPTION, bytes([1, 3])), bytes)     # LZ4, clusters of 8 blocks
    assert ask(path, GET_OPTION, bytes(2)) == bytes([1, 3])
    text = b"many words that repeat themselves, " * 8000
    path.write_bytes(text)
    assert ask(path, SET_OPTION, bytes([1, 2])) == errno.EFBIG
    os.sync()
    ask(path, CHECKPOINT)
    saved = struct.unpack("Q", ask(path, BLOCKS, bytes(8)))[0]
    assert saved > 40
    before = os.statvfs(mounted.point).f_bfree
    assert struct.unpack("Q", ask(path, RELEASE, bytes(8)))[0] == saved
    assert os.statvfs(mounted.point).f_bfree == before + saved
    assert refuses_writes(path) == errno.EPERM
    assert path.read_bytes() == text
    assert struct.unpack("Q", ask(path, RESERVE, bytes(8)))[0] == saved
    with open(path, "r+b") as file:
        file.write(b"M")
    assert mounted.unmount() == ""
    peer_check(image)
    assert (mount(image).point / "compressed").read_bytes() == b"M" + text[1:]


def test_verity_files(mount, volume, peer_check, run_tool):
    """Linux passes salts and signatures on since 6.10. Before that both calls fail with ENOTTY or EOPNOTSUPP."""
    image = volume("128M", "-O", "verity")
    mounted = mount(image)
    path = mounted.point / "sealed"
    path.write_bytes(b"sealed" * 10000)
    salt = ctypes.create_string_buffer(b"salt and pepper", 15)
    request = struct.pack("IIIIQIIQ", 1, 1, 4096, 15, ctypes.addressof(salt), 0, 0, 0).ljust(128, b"\0")
    assert ask(path, MEASURE_VERITY, struct.pack("HH", 0, 64) + bytes(64)) in (errno.ENODATA, errno.ENOTTY)
    answer = ask(path, ENABLE_VERITY, request)
    if answer in (errno.ENOTTY, errno.EOPNOTSUPP):
        pytest.skip("this kernel passes no salt to a FUSE program")
    assert isinstance(answer, bytes), os.strerror(answer)
    measured = ask(path, MEASURE_VERITY, struct.pack("HH", 0, 64) + bytes(64))
    assert isinstance(measured, bytes), os.strerror(measured)
    assert struct.unpack("HH", measured[:4]) == (1, 32)
    assert ask(path, MEASURE_VERITY, struct.pack("HH", 0, 8) + bytes(64)) == errno.EOVERFLOW
    assert path.read_bytes() == b"sealed" * 10000
    assert refuses_writes(path) == errno.EPERM
    assert ask(path, ENABLE_VERITY, request) == errno.EEXIST
    assert mounted.unmount() == ""
    peer_check(image)
    assert measured[4:36].hex() in run_tool("dump.f2fs", "--verity", "/sealed", image).stdout.decode()


def test_options_of_compression(mount, volume, peer_check):
    image = volume("128M", "-O", "extra_attr,compression")
    mounted = mount(image, "compress_algorithm=zstd:5,compress_log_size=4,compress_extension=txt,nocompress_extension=jpg,compress_chksum")
    for name in ("a.txt", "a.jpg", "a.dat"):
        (mounted.point / name).write_bytes(b"text " * 30000)
    os.mkdir(mounted.point / "all")
    subprocess.run(["chattr", "+c", mounted.point / "all"], check=True)
    for name in ("b.dat", "b.jpg"):
        (mounted.point / "all" / name).write_bytes(b"text " * 30000)
    assert ask(mounted.point / "a.txt", GET_OPTION, bytes(2)) == bytes([2, 4])
    assert ask(mounted.point / "all" / "b.dat", GET_OPTION, bytes(2)) == bytes([2, 4])
    for name in ("a.jpg", "a.dat", "all/b.jpg"):
        assert ask(mounted.point / name, GET_OPTION, bytes(2)) == errno.ENODATA
    assert mounted.unmount() == ""
    peer_check(image)
    image = volume("128M")
    plain = mount(image, "compress_algorithm=lz4")
    (plain.point / "f").write_bytes(b"f")
    assert "have no effect" in plain.unmount()
