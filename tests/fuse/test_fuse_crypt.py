# SPDX-License-Identifier: LGPL-2.1-or-later
"""Fscrypt's ioctls on a volume mounted by f2fsfuse: keys come and go, directories get policies and show them."""
import ctypes
import errno
import mmap
import os
import struct

import pytest

LIBC = ctypes.CDLL(None, use_errno=True)
SET_POLICY, GET_POLICY, GET_POLICY_EX, ADD, REMOVE, STATUS, NONCE = (
    0x800C6613, 0x400C6615, 0xC0096616, 0xC0506617, 0xC0406618, 0xC080661A, 0x8010661B)
KEY = bytes(range(64))
DESCRIPTOR, IDENTIFIER = 1, 2
ABSENT, PRESENT = 1, 2


def call_open(fd, command, data):
    """The argument after the call; a number is an errno."""
    buffer = ctypes.create_string_buffer(data, len(data))
    ctypes.set_errno(0)
    return buffer.raw if LIBC.ioctl(fd, ctypes.c_ulong(command), buffer) == 0 else ctypes.get_errno()


def call(path, command, data):
    fd = os.open(path, os.O_RDONLY)
    try:
        return call_open(fd, command, data)
    finally:
        os.close(fd)


def specifier(kind, name=b""):
    return struct.pack("II32s", kind, 0, name)


def with_key(key, kind=IDENTIFIER, name=b"", key_id=0):
    return specifier(kind, name) + struct.pack("II32x", len(key), key_id) + key


def add(path, key, kind=IDENTIFIER, name=b"", key_id=0):
    """The name of the key that was added, or an errno."""
    answer = call(path, ADD, with_key(key, kind, name, key_id))
    return answer if isinstance(answer, int) else answer[8:24 if kind == IDENTIFIER else 16]


def status(path, kind, name):
    return struct.unpack_from("III", call(path, STATUS, specifier(kind, name) + bytes(88)), 64)


def remove(path, kind, name):
    return call(path, REMOVE, specifier(kind, name) + bytes(24))


def policy(identifier, flags=3):
    return struct.pack("BBBB4x16s", 2, 1, 4, flags, identifier)


def shown_policy(path, room=24):
    answer = call(path, GET_POLICY_EX, struct.pack("Q", room) + bytes(24))
    return answer if isinstance(answer, int) else answer[8:8 + struct.unpack_from("Q", answer)[0]]


@pytest.fixture
def encrypted(volume, run_tool):
    return volume("128M", "-O", "encrypt")


def read(path):
    """The contents, or an errno."""
    try:
        return path.read_bytes()
    except OSError as e:
        return e.errno


@pytest.mark.parametrize("option", ["rw", "single_thread"])
def test_keys_and_policies(mount, encrypted, peer_check, option):
    mounted = mount(encrypted, option)
    top = mounted.point
    secret = top / "secret"
    secret.mkdir()
    name = add(top, KEY)
    assert isinstance(name, bytes) and len(name) == 16
    assert status(top, IDENTIFIER, name) == (PRESENT, 1, 1)
    assert status(top, IDENTIFIER, bytes(16)) == (ABSENT, 0, 0)
    assert shown_policy(secret) == call(secret, GET_POLICY, bytes(12)) == errno.ENODATA
    assert call(secret, SET_POLICY, policy(bytes(16))) == errno.ENOKEY
    assert isinstance(call(secret, SET_POLICY, policy(name)), bytes)
    assert isinstance(call(secret, SET_POLICY, policy(name)), bytes)        # the same again
    assert call(secret, SET_POLICY, policy(name, 2)) == errno.EEXIST
    assert call(top, SET_POLICY, b"\x07" + bytes(23)) == errno.EINVAL
    assert shown_policy(secret) == policy(name) and shown_policy(secret, 23) == errno.EOVERFLOW
    assert call(secret, GET_POLICY, bytes(12)) == errno.EINVAL              # for version 1 alone
    (secret / "inner").mkdir()
    (secret / "inner" / "file").write_bytes(b"clear" * 5000)
    (secret / "link").symlink_to("inner/file")
    assert shown_policy(secret / "inner") == shown_policy(secret / "inner" / "file") == policy(name)
    nonces = {call(path, NONCE, bytes(16)) for path in (secret, secret / "inner", secret / "inner" / "file")}
    assert len(nonces) == 3 and bytes(16) not in nonces
    assert mounted.unmount() == ""
    peer_check(encrypted)


@pytest.mark.parametrize("option", ["rw", "single_thread"])
def test_keys_come_and_go(mount, encrypted, peer_check, option):
    """The kernel's cache follows: names and contents appear with the key, and contents go with it."""
    mounted = mount(encrypted, option)
    secret = mounted.point / "secret"
    secret.mkdir()
    name = add(mounted.point, KEY)
    call(secret, SET_POLICY, policy(name))
    (secret / "a file").write_bytes(b"clear" * 5000)
    os.symlink("target", secret / "link")
    with open(secret / "mapped", "w+b") as file:        # pages that the kernel has not written yet
        file.truncate(8192)
        with mmap.mmap(file.fileno(), 8192) as memory:
            memory[:] = b"m" * 8192
            assert isinstance(remove(mounted.point, IDENTIFIER, name), bytes)
    assert status(mounted.point, IDENTIFIER, name) == (ABSENT, 0, 0)
    assert remove(mounted.point, IDENTIFIER, name) == errno.ENOKEY
    assert read(secret / "a file") == errno.ENOKEY
    hidden = sorted(os.listdir(secret))
    assert len(hidden) == 3 and "a file" not in hidden
    assert mounted.unmount() == ""
    peer_check(encrypted)
    for options in ((), ("ro",)):
        mounted = mount(encrypted, *options)
        secret = mounted.point / "secret"
        assert sorted(os.listdir(secret)) == hidden
        sizes = {os.lstat(secret / one).st_size for one in hidden}
        assert 25000 in sizes and {read(secret / one) for one in hidden if not os.path.islink(secret / one)} == {errno.ENOKEY}
        links = [os.readlink(secret / one) for one in hidden if os.path.islink(secret / one)]
        assert len(links) == 1 and links[0] != "target"
        assert add(mounted.point, KEY) == name
        assert sorted(os.listdir(secret)) == ["a file", "link", "mapped"]
        assert (read(secret / "a file"), read(secret / "mapped")) == (b"clear" * 5000, b"m" * 8192)
        assert os.readlink(secret / "link") == "target"
        assert mounted.unmount() == ""


def test_descriptors(mount, encrypted, peer_check):
    """Policies of version 1 name a key by any eight bytes."""
    mounted = mount(encrypted)
    secret = mounted.point / "secret"
    secret.mkdir()
    assert add(mounted.point, KEY, DESCRIPTOR, b"12345678") == b"12345678"
    assert status(mounted.point, DESCRIPTOR, b"12345678")[0] == PRESENT
    one = struct.pack("BBBB8s", 0, 1, 4, 0, b"12345678")
    assert isinstance(call(secret, SET_POLICY, one), bytes)
    assert call(secret, GET_POLICY, bytes(12)) == shown_policy(secret) == one
    (secret / "file").write_bytes(b"file")
    assert isinstance(remove(mounted.point, DESCRIPTOR, b"12345678"), bytes)
    assert mounted.unmount() == ""
    peer_check(encrypted)


@pytest.mark.parametrize("option", ["rw", "single_thread"])
def test_an_argument_in_a_file_of_the_mount(mount, encrypted, option):
    """Its page is read from the program while the program waits for it."""
    mounted = mount(encrypted, option)
    argument = specifier(IDENTIFIER) + struct.pack("II32x", 64, 0)
    (mounted.point / "argument").write_bytes((bytes(mmap.PAGESIZE - 80) + argument + KEY).ljust(2 * mmap.PAGESIZE, b"\0"))
    assert mounted.unmount() == ""      # the kernel's cache is empty now
    mounted = mount(encrypted, option)
    with open(mounted.point / "argument", "r+b") as file:
        os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_RANDOM)     # one page at a time
        with mmap.mmap(file.fileno(), 2 * mmap.PAGESIZE) as memory:
            memory.madvise(mmap.MADV_RANDOM)
            inside = ctypes.c_char.from_buffer(memory)
            at = ctypes.addressof(inside) + mmap.PAGESIZE - 80
            fd = os.open(mounted.point, os.O_RDONLY)
            assert LIBC.ioctl(fd, ctypes.c_ulong(ADD), ctypes.c_void_p(at)) == 0
            os.close(fd)
            name = memory[mmap.PAGESIZE - 80 + 8:mmap.PAGESIZE - 80 + 24]
            del inside
    assert status(mounted.point, IDENTIFIER, name) == (PRESENT, 1, 1)
    assert mounted.unmount() == ""


def test_wrong_arguments(mount, encrypted, volume, program):
    mounted = mount(encrypted, "allow_other")
    top = mounted.point
    assert add(top, bytes(15)) == add(top, bytes(65)) == add(top, KEY, 3) == add(top, KEY, DESCRIPTOR, bytes(9) + b"x") == errno.EINVAL
    assert add(top, KEY, key_id=7) == errno.EOPNOTSUPP
    assert remove(top, 3, b"") == errno.EINVAL
    fd = os.open(top, os.O_RDONLY)
    with mmap.mmap(-1, 2 * mmap.PAGESIZE) as memory:     # the key would be past the end of the memory
        start = ctypes.addressof(ctypes.c_char.from_buffer(memory))
        at = start + mmap.PAGESIZE - 80
        ctypes.memmove(at, specifier(IDENTIFIER) + struct.pack("II32x", 64, 0), 80)
        LIBC.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 0)
        assert LIBC.ioctl(fd, ctypes.c_ulong(ADD), ctypes.c_void_p(at)) == -1 and ctypes.get_errno() == errno.EFAULT
        LIBC.mprotect(ctypes.c_void_p(start + mmap.PAGESIZE), mmap.PAGESIZE, 3)
    if os.geteuid() == 0:
        child = os.fork()
        if child == 0:
            os.setresuid(65534, 65534, 65534)
            answer = call_open(fd, ADD, with_key(KEY))
            os._exit(answer if isinstance(answer, int) else 0)
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == errno.EPERM
    os.close(fd)
    assert mounted.unmount() == ""
    mounted = mount(volume("64M"))
    assert add(mounted.point, KEY) == errno.EOPNOTSUPP
