# SPDX-License-Identifier: LGPL-2.1-or-later
"""System calls and ioctls that Python has no function for: file attributes, block maps, fscrypt, fs-verity,
F2FS's own. Numbers and layouts as in the kernel's uapi headers (linux/fs.h, fscrypt.h, fsverity.h, f2fs.h).
"""
import array
import ctypes
import errno
import fcntl
import mmap
import os
import struct

LIBC = ctypes.CDLL(None, use_errno=True)


def ioc(direction, kind, number, size):
    return direction << 30 | size << 16 | (ord(kind) if isinstance(kind, str) else kind) << 8 | number


NONE, WRITE, READ, BOTH = 0, 1, 2, 3

GETFLAGS = ioc(READ, "f", 1, 8)
SETFLAGS = ioc(WRITE, "f", 2, 8)
FSGETXATTR = ioc(READ, "X", 31, 28)
FSSETXATTR = ioc(WRITE, "X", 32, 28)
FIEMAP = ioc(BOTH, "f", 11, 32)
SHUTDOWN = ioc(READ, "X", 125, 4)

SET_POLICY = ioc(READ, "f", 19, 12)
GET_POLICY_EX = ioc(BOTH, "f", 22, 9)
ADD_KEY = ioc(BOTH, "f", 23, 80)
GET_NONCE = ioc(READ, "f", 27, 16)

ENABLE_VERITY = ioc(WRITE, "f", 133, 128)
MEASURE_VERITY = ioc(BOTH, "f", 134, 4)

F2FS = 0xF5
GARBAGE_COLLECT = ioc(WRITE, F2FS, 6, 4)
GARBAGE_COLLECT_RANGE = ioc(WRITE, F2FS, 11, 24)
WRITE_CHECKPOINT = ioc(NONE, F2FS, 7, 0)
SET_PIN_FILE = ioc(WRITE, F2FS, 13, 4)
GET_COMPRESS_BLOCKS = ioc(READ, F2FS, 17, 8)
RELEASE_COMPRESS_BLOCKS = ioc(READ, F2FS, 18, 8)
GET_COMPRESS_OPTION = ioc(READ, F2FS, 21, 2)
SET_COMPRESS_OPTION = ioc(WRITE, F2FS, 22, 2)

FL_COMPR, FL_IMMUTABLE, FL_APPEND, FL_NODUMP, FL_NOATIME, FL_NOCOMP = 0x4, 0x10, 0x20, 0x40, 0x80, 0x400
FL_PROJINHERIT, FL_CASEFOLD = 0x20000000, 0x40000000
XFLAG_PROJINHERIT = 0x200

SHUTDOWN_NOSYNC, SHUTDOWN_METASYNC = 2, 1

FALLOC_KEEP_SIZE, FALLOC_PUNCH_HOLE, FALLOC_COLLAPSE, FALLOC_ZERO, FALLOC_INSERT = 1, 2, 8, 16, 32


def open_fd(path, flags=os.O_RDONLY):
    return FileDescriptor(os.open(path, flags | os.O_CLOEXEC))


class FileDescriptor:
    """An int-like descriptor that closes itself at the end of a with block."""

    def __init__(self, fd):
        self.fd = fd

    def __enter__(self):
        return self.fd

    def __exit__(self, *_):
        os.close(self.fd)


def check(result):
    if result < 0:
        e = ctypes.get_errno()
        raise OSError(e, os.strerror(e))
    return result


def mount(source, where, options="", kind="f2fs"):
    """`options`: as mount(8) takes them, ro included."""
    flags = 0
    rest = []
    for word in options.split(","):
        bit = {"ro": 1, "sync": 16, "noatime": 1024, "nodiratime": 2048, "lazytime": 1 << 25}.get(word)
        flags |= bit or 0
        if word and bit is None:
            rest.append(word)
    ctypes.set_errno(0)
    if LIBC.mount(source.encode(), os.fsencode(where), kind.encode(), ctypes.c_ulong(flags),
                  ",".join(rest).encode() or None):
        e = ctypes.get_errno()
        raise OSError(e, "mount -o %s: %s" % (options or "defaults", os.strerror(e)), source)


def umount(where):
    check(LIBC.umount2(os.fsencode(where), 0))


def say(subject, level=6):
    """Puts a line into the kernel's log: what follows is about this subject (see uml.Result.about). The console shows level 4, so
    that it is there even if the kernel dies at once."""
    with open("/dev/kmsg", "w") as f:
        f.write("<%d>f2fskit: now %s\n" % (level, subject))


def zoned_device(mib, zone_mib, conventional=8, capacity_mib=0, sector=4096, open_zones=0):
    """A zoned device in the guest's memory, which keeps only so many zones open (0: any number). There is at most one."""
    top = "/sys/kernel/config/nullb/nullb0"
    os.mkdir(top)
    for name, value in (("size", mib), ("blocksize", sector), ("memory_backed", 1), ("zoned", 1), ("zone_size", zone_mib),
                        ("zone_capacity", capacity_mib or zone_mib), ("zone_nr_conv", conventional), ("zone_max_active", open_zones),
                        ("zone_max_open", open_zones), ("power", 1)):
        with open("%s/%s" % (top, name), "w") as f:
            f.write(str(value))
    return "/dev/nullb0"


def aligned_buffer(size):
    """Memory that O_DIRECT takes."""
    return mmap.mmap(-1, size)


def syncfs(path):
    with open_fd(path) as fd:
        check(LIBC.syncfs(fd))


def fallocate(fd, mode, offset, length):
    check(LIBC.fallocate(fd, mode, ctypes.c_long(offset), ctypes.c_long(length)))


STATX_BTIME = 0x800
STATX_ATTRIBUTES = {0x4: "compressed", 0x10: "immutable", 0x20: "append", 0x40: "nodump", 0x800: "encrypted",
                    0x100000: "verity"}


def statx(path):
    """(birth time in ns or None, names of the attribute bits); symlinks are not followed."""
    buf = ctypes.create_string_buffer(256)
    check(LIBC.statx(-100, os.fsencode(path), 0x100, 0xFFF, buf))
    mask, _, attributes = struct.unpack_from("<IIQ", buf, 0)
    seconds, nsec = struct.unpack_from("<qI", buf, 80)
    born = seconds * 10**9 + nsec if mask & STATX_BTIME else None
    return born, sorted(name for bit, name in STATX_ATTRIBUTES.items() if attributes & bit)


def get_flags(fd):
    return struct.unpack("<i", fcntl.ioctl(fd, GETFLAGS, bytes(4)))[0] & 0xFFFFFFFF


def set_flags(path, add, remove=0):
    with open_fd(path) as fd:
        flags = get_flags(fd) & ~remove | add
        fcntl.ioctl(fd, SETFLAGS, struct.pack("<I", flags))


def get_fsxattr(fd):
    """(xflags, extent size, number of extents, project id, cow extent size)"""
    return struct.unpack_from("<IIIII", fcntl.ioctl(fd, FSGETXATTR, bytes(28)))


def set_project(path, project, inherit=False):
    with open_fd(path) as fd:
        raw = bytearray(fcntl.ioctl(fd, FSGETXATTR, bytes(28)))
        flags = struct.unpack_from("<I", raw)[0] | (XFLAG_PROJINHERIT if inherit else 0)
        struct.pack_into("<I", raw, 0, flags)
        struct.pack_into("<I", raw, 12, project)
        fcntl.ioctl(fd, FSSETXATTR, bytes(raw))


def fiemap(fd, limit=4096):
    """[(logical, physical, length, flags)], all in bytes; None if there are more than `limit`."""
    buf = array.array("B", struct.pack("<QQIIII", 0, 0xFFFFFFFFFFFFFFFF, 0, 0, limit, 0) + bytes(56 * limit))
    fcntl.ioctl(fd, FIEMAP, buf, True)
    count = struct.unpack_from("<I", buf, 20)[0]
    found = [struct.unpack_from("<QQQQQI", buf, 32 + 56 * i) for i in range(count)]
    if count == limit and not found[-1][5] & 1:
        return None
    return [(x[0], x[1], x[2], x[5]) for x in found]


# ---- fscrypt

MASTER_KEY = bytes((3 + 7 * i) & 255 for i in range(64))
DESCRIPTOR = bytes.fromhex("f2f5c0de00000001")
XTS, CTS, ESSIV, CTS128, SM4_XTS, SM4_CTS, ADIANTUM, HCTR2 = 1, 4, 5, 6, 7, 8, 9, 10
PAD_4, PAD_8, PAD_16, PAD_32, DIRECT_KEY, LBLK_64, LBLK_32 = 0, 1, 2, 3, 4, 8, 16


def add_key(mnt, version, raw=MASTER_KEY):
    """Adds the master key to the file system at `mnt`; returns the v2 identifier or the v1 descriptor."""
    if version == 1:
        spec = struct.pack("<II", 1, 0) + DESCRIPTOR.ljust(32, b"\0")
    else:
        spec = struct.pack("<II", 2, 0) + bytes(32)
    arg = bytearray(spec + struct.pack("<II", len(raw), 0) + bytes(32) + raw)
    with open_fd(mnt) as fd:
        fcntl.ioctl(fd, ADD_KEY, arg, True)
    return bytes(arg[8:16]) if version == 1 else bytes(arg[8:24])


def set_policy(path, version, contents, names, flags=PAD_32, identifier=b"", log2_unit=0):
    if version == 1:
        policy = struct.pack("<BBBB", 0, contents, names, flags) + DESCRIPTOR
    else:
        policy = struct.pack("<BBBBB3x", 2, contents, names, flags, log2_unit) + identifier
    with open_fd(path) as fd:
        fcntl.ioctl(fd, SET_POLICY, policy)


def get_policy(fd):
    """The policy's bytes without their size, or None for an unencrypted file."""
    arg = bytearray(struct.pack("<Q", 24) + bytes(24))
    try:
        fcntl.ioctl(fd, GET_POLICY_EX, arg, True)
    except OSError as e:
        if e.errno in (errno.ENODATA, errno.EOPNOTSUPP, errno.ENOTTY):
            return None
        raise
    return bytes(arg[8:8 + struct.unpack_from("<Q", arg)[0]])


def get_nonce(fd):
    return fcntl.ioctl(fd, GET_NONCE, bytes(16))


# ---- fs-verity

SHA256, SHA512 = 1, 2


def enable_verity(path, algorithm=SHA256, block_size=4096, salt=b""):
    """The file must not be open for writing."""
    salt_buffer = ctypes.create_string_buffer(salt, max(len(salt), 1))
    arg = struct.pack("<IIIIQIIQ", 1, algorithm, block_size, len(salt), ctypes.addressof(salt_buffer), 0, 0, 0)
    with open_fd(path) as fd:
        fcntl.ioctl(fd, ENABLE_VERITY, arg.ljust(128, b"\0"))


def measure_verity(fd):
    """(algorithm, digest) or None"""
    arg = bytearray(struct.pack("<HH", 0, 64) + bytes(64))
    try:
        fcntl.ioctl(fd, MEASURE_VERITY, arg, True)
    except OSError as e:
        if e.errno in (errno.ENODATA, errno.EOPNOTSUPP, errno.ENOTTY):
            return None
        raise
    algorithm, size = struct.unpack_from("<HH", arg)
    return algorithm, bytes(arg[4:4 + size])


# ---- F2FS

def shutdown(mnt, how=SHUTDOWN_NOSYNC):
    """Stops the file system as it is: with NOSYNC, as if the power had gone."""
    with open_fd(mnt) as fd:
        fcntl.ioctl(fd, SHUTDOWN, struct.pack("<I", how))


def checkpoint(mnt):
    with open_fd(mnt) as fd:
        fcntl.ioctl(fd, WRITE_CHECKPOINT)


def collect_garbage(mnt):
    """One foreground round; False when there was nothing to collect."""
    with open_fd(mnt) as fd:
        try:
            fcntl.ioctl(fd, GARBAGE_COLLECT, struct.pack("<I", 1))
        except OSError as e:
            if e.errno in (errno.ENODATA, errno.EAGAIN):
                return False
            raise
    return True


def pin(path):
    with open_fd(path, os.O_RDWR) as fd:
        fcntl.ioctl(fd, SET_PIN_FILE, struct.pack("<I", 1))


def set_compression(path, algorithm, log_cluster):
    with open_fd(path, os.O_RDWR) as fd:
        fcntl.ioctl(fd, SET_COMPRESS_OPTION, struct.pack("<BB", algorithm, log_cluster))


def compression(fd):
    """(algorithm, log2 of the cluster's blocks, saved blocks) or None"""
    try:
        algorithm, log_cluster = struct.unpack("<BB", fcntl.ioctl(fd, GET_COMPRESS_OPTION, bytes(2)))
        saved = struct.unpack("<Q", fcntl.ioctl(fd, GET_COMPRESS_BLOCKS, bytes(8)))[0]
    except OSError:
        return None
    return algorithm, log_cluster, saved


def release_compressed(path):
    with open_fd(path, os.O_RDWR) as fd:
        return struct.unpack("<Q", fcntl.ioctl(fd, RELEASE_COMPRESS_BLOCKS, bytes(8)))[0]


# ---- quota

USER, GROUP, PROJECT = 0, 1, 2


def quotas(device, kind):
    """{id: [space limit hard, soft (KiB), space, inodes hard, soft, inodes, space time, inode time]}"""
    found = {}
    ident = 0
    while True:
        buf = ctypes.create_string_buffer(80)
        ctypes.set_errno(0)
        if LIBC.quotactl(0x800009 << 8 | kind, device.encode(), ident, buf):
            if ctypes.get_errno() in (errno.ENOENT, errno.ESRCH):
                return found
            check(-1)
        values = struct.unpack_from("<8QII", buf)
        ident = values[9]
        found[ident] = list(values[:8])
        ident += 1
        if ident == 0xFFFFFFFF:                 # no id
            return found


def quota_grace(device, kind):
    """(seconds of space, of inodes)"""
    buf = ctypes.create_string_buffer(24)
    check(LIBC.quotactl(0x800005 << 8 | kind, device.encode(), 0, buf))
    return struct.unpack_from("<QQ", buf)


def set_quota(device, kind, ident, space_hard, space_soft, inodes_hard, inodes_soft):
    limits = struct.pack("<8QII", space_hard, space_soft, 0, inodes_hard, inodes_soft, 0, 0, 0, 1 | 4, 0)
    buf = ctypes.create_string_buffer(limits, 80)
    check(LIBC.quotactl(0x800008 << 8 | kind, device.encode(), ctypes.c_int(ident), buf))
