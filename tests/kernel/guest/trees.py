# SPDX-License-Identifier: LGPL-2.1-or-later
"""Trees that several images share: everything() exercises what any F2FS volume can hold, workload() is the
short life that a freshly formatted volume has to survive."""
import errno
import os
import socket
import stat
import struct

import kernelapi

ACL_USER_OBJ, ACL_USER, ACL_GROUP_OBJ, ACL_GROUP, ACL_MASK, ACL_OTHER = 1, 2, 4, 8, 16, 32
ANYONE = 0xFFFFFFFF


def acl(*entries):
    """The value of system.posix_acl_*: (tag, permissions[, id]) ..."""
    return struct.pack("<I", 2) + b"".join(struct.pack("<HHI", e[0], e[1], e[2] if len(e) > 2 else ANYONE)
                                           for e in entries)


def files(v, top):
    """Sizes around every border: inline, one block, the inode's own addresses, the first direct node."""
    d = v.mkdir(top)
    for size in (0, 1, 100, 3400, 3451, 3452, 3453, 3487, 3488, 3489, 3687, 3688, 3689, 4095, 4096, 4097, 100000):
        v.write("%s/size-%d" % (top, size), v.noise(size))
    v.write("%s/direct-nodes" % top, v.noise(9 << 20))
    v.write("%s/overwritten" % top, v.noise(50000))
    v.sync()
    v.write("%s/overwritten" % top, v.noise(9000), offset=12345)
    v.write("%s/shrunk" % top, v.noise(5 << 20))
    os.truncate(d + "/shrunk", 4097)
    v.write("%s/shrunk-to-nothing" % top, v.noise(3000))
    os.truncate(d + "/shrunk-to-nothing", 0)
    v.write("%s/grown" % top, b"begin")
    os.truncate(d + "/grown", 3 << 20)
    v.write("%s/zeros" % top, bytes(20000))


def holes(v, top):
    d = v.mkdir(top)
    for i, at in enumerate((1 << 12, 1 << 16, 922 << 12, 923 << 12, 1941 << 12, 2959 << 12, 3977 << 12)):
        v.write("%s/hole-%d" % (top, i), b"after a hole", offset=at + 17)
    v.write("%s/comb" % top)
    for i in range(0, 200, 3):
        v.write("%s/comb" % top, v.noise(4096), offset=i * 4096)
    for name, mode, size in (("keep-size", kernelapi.FALLOC_KEEP_SIZE, 0), ("preallocated", 0, 1 << 20)):
        v.write("%s/%s" % (top, name), b"some bytes")
        with kernelapi.open_fd("%s/%s" % (d, name), os.O_RDWR) as fd:
            kernelapi.fallocate(fd, mode, 0, 1 << 20)
    for name, mode in (("punched", kernelapi.FALLOC_PUNCH_HOLE | kernelapi.FALLOC_KEEP_SIZE),
                       ("zeroed", kernelapi.FALLOC_ZERO), ("collapsed", kernelapi.FALLOC_COLLAPSE),
                       ("inserted", kernelapi.FALLOC_INSERT)):
        v.write("%s/%s" % (top, name), v.noise(100 * 4096))
        with kernelapi.open_fd("%s/%s" % (d, name), os.O_RDWR) as fd:
            os.fsync(fd)
            kernelapi.fallocate(fd, mode, 10 * 4096, 30 * 4096)


def odd_names():
    yield from (b"a", b"ab", b"eight888", b"nine99999", b"x" * 16, b"y" * 17, b"z" * 254, b"w" * 255)
    yield from ("caf\u00e9".encode(), "\u65e5\u672c\u8a9e".encode(), "\U0001f600 smile".encode(), "e\u0301".encode())
    yield from (b" leading", b"trailing ", b"new\nline", b"tab\there", b"back\\slash", b"quote'\"", b"-dash", b"...",
                b".hidden", b"*", b"percent%20", bytes(range(1, 47)), b"\xff\xfe not utf-8 \x80", b"\x01\x1b[31m")


def names(v, top):
    d = os.fsencode(v.mkdir(top))
    for i, name in enumerate(odd_names()):
        with kernelapi.open_fd(d + b"/" + name, os.O_RDWR | os.O_CREAT) as fd:
            os.write(fd, b"%d" % i)
    deep = top
    for i in range(40):
        deep += "/%d" % i
    v.mkdir(deep)
    v.write(deep + "/bottom", b"here")
    v.mkdir(top + "/empty")


def links(v, top):
    d = v.mkdir(top)
    for length in (1, 10, 59, 60, 1000, 3451, 3452, 3453, 3487, 3488, 3489, 3688, 3689, 4000, 4094, 4095):
        os.symlink("t" * length, "%s/symlink-%d" % (d, length))
    os.symlink(b"\xff\xfe/not/utf-8\n", os.fsencode(d) + b"/symlink-bytes")
    os.symlink("../nowhere", d + "/dangling")
    v.write(top + "/linked", b"one inode, many names")
    for i in range(20):
        os.link(d + "/linked", "%s/link-%d" % (d, i))
    v.mkdir(top + "/other")
    os.link(d + "/linked", d + "/other/far-link")
    os.link(d + "/dangling", d + "/link-to-symlink")
    v.write(top + "/before-rename", b"renamed since")
    os.rename(d + "/before-rename", d + "/after-rename")
    v.write(top + "/one", b"first of two")
    os.link(d + "/one", d + "/two")
    os.unlink(d + "/one")


def special(v, top):
    d = v.mkdir(top)
    for name, kind, device in (("null", stat.S_IFCHR, (1, 3)), ("old-style", stat.S_IFCHR, (255, 255)),
                               ("big", stat.S_IFCHR, (4095, 1048575)), ("disk", stat.S_IFBLK, (8, 17)),
                               ("minor", stat.S_IFBLK, (259, 300))):
        os.mknod("%s/%s" % (d, name), kind | 0o640, os.makedev(*device))
    os.mkfifo(d + "/fifo", 0o604)
    with socket.socket(socket.AF_UNIX) as s:
        here = os.getcwd()
        os.chdir(d)
        s.bind("socket")
        os.chdir(here)


def owners(v, top):
    d = v.mkdir(top)
    for i, (uid, gid) in enumerate(((0, 0), (1, 2), (1000, 100), (65534, 65534), (70000, 80000), (4294967294, 1))):
        os.chown(v.write("%s/owner-%d" % (top, i), b"owned"), uid, gid)
    for mode in (0, 0o777, 0o4755, 0o2711, 0o1777, 0o6755, 0o7000, 0o200, 0o001):
        os.chmod(v.write("%s/mode-%04o" % (top, mode), b"mode"), mode)
        os.chmod(v.mkdir("%s/dir-%04o" % (top, mode)), mode)
    for i, ns in enumerate((0, 1, 999999999, 10**9, -1, -10**18 + 5, 2**31 * 10**9 + 123456789,
                            2**32 * 10**9 + 7, 8 * 10**18)):
        path = v.write("%s/time-%d" % (top, i), b"when")
        os.utime(path, ns=(ns, ns + 1))
    os.lchown(os.path.join(d, "owner-0"), 5, 6)
    os.symlink("x", d + "/old-symlink")
    os.utime(d + "/old-symlink", ns=(12345678901234567, 98765432109876543), follow_symlinks=False)
    os.utime(v.mkdir(top + "/old-dir"), ns=(1, 2))


def xattrs(v, top):
    d = v.mkdir(top)
    everything = {"user.short": b"v", "user.empty": b"", "trusted.t": b"\0\1\2", "security.custom": b"label\0",
                  "user." + "n" * 200: b"long name", "user.bytes": bytes(range(256))}
    for kind in ("file", "dir"):
        path = d + "/" + kind
        os.mkdir(path) if kind == "dir" else v.write(top + "/file", b"has attributes")
        for name, value in everything.items():
            os.setxattr(path, name, value)
    os.symlink("x", d + "/symlink")
    os.setxattr(d + "/symlink", "trusted.link", b"on the link", follow_symlinks=False)
    for size in (1, 100, 150, 170, 180, 190, 200, 500, 2000, 3900, 4000):
        path = v.write("%s/value-%d" % (top, size))
        os.setxattr(path, "user.v", v.noise(size))
    path = v.write(top + "/many", v.noise(10000))
    for i in range(60):
        os.setxattr(path, "user.attribute-%d" % i, v.noise(i))
    for i in range(0, 60, 2):
        os.removexattr(path, "user.attribute-%d" % i)
    path = v.write(top + "/removed")
    os.setxattr(path, "user.big", v.noise(1000))
    os.removexattr(path, "user.big")
    path = v.write(top + "/replaced")
    for size in (10, 1000, 20):
        os.setxattr(path, "user.value", v.noise(size))
        v.sync()
    path = v.write(top + "/capability")
    os.setxattr(path, "security.capability", struct.pack("<5I", 0x02000001, 1 << 13, 0, 0, 0))


def acls(v, top):
    d = v.mkdir(top)
    path = v.write(top + "/access", b"guarded")
    os.setxattr(path, "system.posix_acl_access",
                acl((ACL_USER_OBJ, 7), (ACL_USER, 7, 1000), (ACL_USER, 6, 1001), (ACL_GROUP_OBJ, 5),
                    (ACL_GROUP, 4, 50), (ACL_MASK, 7), (ACL_OTHER, 5)))
    path = v.write(top + "/many", b"guarded by many")
    os.setxattr(path, "system.posix_acl_access",
                acl((ACL_USER_OBJ, 6), *((ACL_USER, i & 7, 1000 + i) for i in range(100)), (ACL_GROUP_OBJ, 4),
                    *((ACL_GROUP, i & 7, 2000 + i) for i in range(100)), (ACL_MASK, 6), (ACL_OTHER, 0)))
    sub = v.mkdir(top + "/default")
    os.setxattr(sub, "system.posix_acl_default",
                acl((ACL_USER_OBJ, 7), (ACL_USER, 5, 4000000000), (ACL_GROUP_OBJ, 5), (ACL_MASK, 5), (ACL_OTHER, 0)))
    v.write(top + "/default/heir", b"inherits")
    os.mkdir(d + "/default/sub")


def flags(v, top):
    v.mkdir(top)
    for name, bits in (("nodump", kernelapi.FL_NODUMP), ("append", kernelapi.FL_APPEND),
                       ("immutable", kernelapi.FL_IMMUTABLE), ("noatime", kernelapi.FL_NOATIME),
                       ("all", kernelapi.FL_NODUMP | kernelapi.FL_NOATIME)):
        kernelapi.set_flags(v.write("%s/%s" % (top, name), b"flagged"), bits)
    kernelapi.set_flags(v.mkdir(top + "/dir"), kernelapi.FL_NODUMP | kernelapi.FL_NOATIME)
    v.write(top + "/dir/heir", b"inherits")
    for name, bit in (("cold", 1), ("hot", 0x20)):
        path = v.write("%s/%s" % (top, name), v.noise(10000))
        os.setxattr(path, "system.advise", bytes([bit]))
    path = v.write(top + "/pinned")
    try:
        kernelapi.pin(path)
    except OSError as e:
        if e.errno != errno.EINVAL:             # a volume in mode=lfs pins nothing
            raise


def everything(v, top="tree"):
    """Each part once. Some 20 MiB."""
    for part in (files, holes, names, links, special, owners, xattrs, acls, flags):
        part(v, "%s/%s" % (top, part.__name__))


def many_files(v, top, count, size=0, name="file-%06d"):
    d = v.mkdir(top)
    data = v.noise(size)
    for i in range(count):
        with kernelapi.open_fd("%s/%s" % (d, name % i), os.O_RDWR | os.O_CREAT) as fd:
            if data:
                os.write(fd, data)


def workload(v, space):
    """Make files for a new volume: many sizes, renames, deletions, checkpoints. Uses up to `space`."""
    many_files(v, "work/small", 120, 200)
    many_files(v, "work/block", 40, 5000)
    v.write("work/large", v.noise(min(4 << 20, space // 4)))
    v.sync()
    for i in range(0, 120, 2):
        os.unlink(v.path("work/small/file-%06d" % i))
    for i in range(0, 40, 3):
        os.rename(v.path("work/block/file-%06d" % i), v.path("work/small/moved-%d" % i))
    v.write("work/large", v.noise(100000), offset=50000, fsync=True)
    v.write("work/fsynced", v.noise(10000), fsync=True)
    os.symlink("large", v.path("work/symlink"))
    os.link(v.path("work/large"), v.path("work/hard-link"))
    os.setxattr(v.path("work/large"), "user.note", v.noise(300))
