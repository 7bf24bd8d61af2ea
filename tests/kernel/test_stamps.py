# SPDX-License-Identifier: LGPL-2.1-or-later
"""Which times of which inodes an operation sets, and whether it is refused, is the same whether the kernel or our engine
does it: a table of operations, each in a folder of its own and at a time of its own."""
import errno
import json
import os
import stat
import sys

import pytest

import uml

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "guest"))
import stamping  # noqa: E402

FEATURES = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,compression,project_quota,quota,verity"
KEEP, PUNCH, COLLAPSE, ZERO, INSERT = 1, 2, 8, 16, 32
NOREPLACE, EXCHANGE, WHITEOUT = 1, 2, 4
NODUMP, NOATIME, PROJINHERIT = 0x40, 0x80, 0x20000000
MIB = 1 << 20
ACL = ("02000000" "01000600ffffffff" "02000600e8030000" "04000400ffffffff" "10000600ffffffff" "20000400ffffffff")

FILE = [["make", "/f"], ["write", "/f", 0, 20000]]
SMALL = [["make", "/f"], ["write", "/f", 0, 100]]
TWO = [["make", "/a"], ["make", "/b"]]
DIRS = [["mkdir", "/p"], ["mkdir", "/q"]]
PACKED = [["make", "/f"], ["compress", "/f"], ["write", "/f", 0, 256 << 10], ["sync"]]
ATTRIBUTE = ["setxattr", "/f", "user.a", "31"]

ROWS = [
    ["create", [], [["make", "/f"]]],
    ["mkdir", [], [["mkdir", "/d"]]],
    ["mkfifo", [], [["mkfifo", "/n"]]],
    ["symlink", [], [["symlink", "/l"]]],
    ["create-in-the-place", FILE, [["make", "/f"]]],
    ["link", FILE, [["link", "/f", "/g"]]],
    ["link-into-directory", FILE + DIRS, [["link", "/f", "/p/g"]]],
    ["unlink", FILE, [["unlink", "/f"]]],
    ["unlink-one-of-two", FILE + [["link", "/f", "/g"]], [["unlink", "/f"]]],
    ["rmdir", DIRS, [["rmdir", "/p"]]],
    ["rmdir-full", DIRS + [["make", "/p/f"]], [["rmdir", "/p"]]],
    ["rename", FILE, [["rename", "/f", "/g", 0]]],
    ["rename-to-itself", FILE + [["link", "/f", "/g"]], [["rename", "/f", "/g", 0]]],
    ["rename-over", TWO, [["rename", "/a", "/b", 0]]],
    ["rename-over-linked", TWO + [["link", "/b", "/c"]], [["rename", "/a", "/b", 0]]],
    ["rename-across", DIRS + [["make", "/p/f"]], [["rename", "/p/f", "/q/g", 0]]],
    ["rename-across-over", DIRS + [["make", "/p/f"], ["make", "/q/g"]], [["rename", "/p/f", "/q/g", 0]]],
    ["rename-directory", DIRS, [["rename", "/p", "/r", 0]]],
    ["rename-directory-across", DIRS, [["rename", "/p", "/q/p", 0]]],
    ["rename-directory-over", DIRS, [["rename", "/p", "/q", 0]]],
    ["rename-directory-across-over", DIRS + [["mkdir", "/q/r"]], [["rename", "/p", "/q/r", 0]]],
    ["rename-symlink", [["symlink", "/l"]], [["rename", "/l", "/m", 0]]],
    ["rename-no-replace", TWO, [["rename", "/a", "/b", NOREPLACE]]],
    ["rename-whiteout", FILE, [["rename", "/f", "/g", WHITEOUT]]],
    ["rename-whiteout-over", TWO, [["rename", "/a", "/b", WHITEOUT]]],
    ["rename-whiteout-across", DIRS + [["make", "/p/f"]], [["rename", "/p/f", "/q/g", WHITEOUT]]],
    ["exchange", TWO, [["rename", "/a", "/b", EXCHANGE]]],
    ["exchange-across", DIRS + [["make", "/p/f"], ["make", "/q/g"]], [["rename", "/p/f", "/q/g", EXCHANGE]]],
    ["exchange-file-and-directory", DIRS + [["make", "/p/f"], ["mkdir", "/q/d"]], [["rename", "/p/f", "/q/d", EXCHANGE]]],
    ["exchange-directories", DIRS + [["mkdir", "/p/c"], ["mkdir", "/q/d"]], [["rename", "/p/c", "/q/d", EXCHANGE]]],
    ["exchange-directories-of-one", DIRS, [["rename", "/p", "/q", EXCHANGE]]],
    ["exchange-with-nothing", FILE, [["rename", "/f", "/g", EXCHANGE]]],
    ["write", FILE, [["write", "/f", 100, 100]]],
    ["write-inline", SMALL, [["write", "/f", 10, 10]]],
    ["write-behind", FILE, [["write", "/f", 100000, 10]]],
    ["write-nothing", FILE, [["write", "/f", 100, 0]]],
    ["truncate-shorter", FILE, [["truncate", "/f", 5000]]],
    ["truncate-longer", FILE, [["truncate", "/f", 50000]]],
    ["truncate-same", FILE, [["truncate", "/f", 20000]]],
    ["truncate-inline-same", SMALL, [["truncate", "/f", 100]]],
    ["truncate-to-nothing", FILE, [["truncate", "/f", 0]]],
    ["truncate-empty", [["make", "/f"]], [["truncate", "/f", 0]]],
    ["truncate-too-long", FILE, [["truncate", "/f", 1 << 60]]],
    ["fallocate", FILE, [["fallocate", "/f", 0, 30000, 9000]]],
    ["fallocate-inside", FILE, [["fallocate", "/f", 0, 0, 9000]]],
    ["fallocate-inline", SMALL, [["fallocate", "/f", 0, 0, 50]]],
    ["fallocate-keep", FILE, [["fallocate", "/f", KEEP, 30000, 9000]]],
    ["fallocate-nothing", FILE, [["fallocate", "/f", 0, 100, 0]]],
    ["fallocate-too-long", FILE, [["fallocate", "/f", 0, 1 << 60, 4096]]],
    ["fallocate-bad-flags", FILE, [["fallocate", "/f", PUNCH, 0, 4096]]],
    ["punch", FILE, [["fallocate", "/f", PUNCH | KEEP, 4096, 8192]]],
    ["punch-part", FILE, [["fallocate", "/f", PUNCH | KEEP, 100, 8]]],
    ["punch-behind", FILE, [["fallocate", "/f", PUNCH | KEEP, 40960, 8192]]],
    ["punch-hole", [["make", "/f"], ["truncate", "/f", 100000]], [["fallocate", "/f", PUNCH | KEEP, 4096, 8192]]],
    ["zero", FILE, [["fallocate", "/f", ZERO, 4096, 8192]]],
    ["zero-behind", FILE, [["fallocate", "/f", ZERO | KEEP, 40960, 8192]]],
    ["collapse", FILE, [["fallocate", "/f", COLLAPSE, 4096, 4096]]],
    ["collapse-odd", FILE, [["fallocate", "/f", COLLAPSE, 100, 4096]]],
    ["collapse-behind", FILE, [["fallocate", "/f", COLLAPSE, 40960, 4096]]],
    ["collapse-keep", FILE, [["fallocate", "/f", COLLAPSE | KEEP, 4096, 4096]]],
    ["insert", FILE, [["fallocate", "/f", INSERT, 4096, 4096]]],
    ["insert-odd", FILE, [["fallocate", "/f", INSERT, 100, 4096]]],
    ["insert-behind", FILE, [["fallocate", "/f", INSERT, 40960, 4096]]],
    ["fallocate-compressed", PACKED, [["fallocate", "/f", 0, 1 << 20, 4096]]],
    ["punch-compressed", PACKED, [["fallocate", "/f", PUNCH | KEEP, 0, 4096]]],
    ["fallocate-pinned", [["make", "/f"], ["pin", "/f", 1]], [["fallocate", "/f", 0, 0, 4096]]],
    ["punch-pinned", [["make", "/f"], ["pin", "/f", 1]], [["fallocate", "/f", PUNCH | KEEP, 0, 4096]]],
    ["fallocate-directory", DIRS, [["fallocate", "/p", 0, 0, 4096]]],
    ["chmod", FILE, [["chmod", "/f", 0o600]]],
    ["chmod-same", FILE, [["chmod", "/f", 0o644]]],
    ["chmod-directory", DIRS, [["chmod", "/p", 0o700]]],
    ["chown", FILE, [["chown", "/f", 5, 6]]],
    ["chown-same", FILE, [["chown", "/f", 0, 0]]],
    ["chown-symlink", [["symlink", "/l"]], [["chown", "/l", 5, 6]]],
    ["utimens", FILE, [["utimens", "/f", 1_000_000_001, 1_000_000_002]]],
    ["setxattr", FILE, [ATTRIBUTE]],
    ["setxattr-same", FILE + [ATTRIBUTE], [ATTRIBUTE]],
    ["setxattr-empty", FILE + [ATTRIBUTE], [["setxattr", "/f", "user.a", ""]]],
    ["setxattr-directory", DIRS, [["setxattr", "/p", "user.a", "31"]]],
    ["setxattr-trusted-symlink", [["symlink", "/l"]], [["setxattr", "/l", "trusted.a", "31"]]],
    ["setxattr-user-symlink", [["symlink", "/l"]], [["setxattr", "/l", "user.a", "31"]]],
    ["setxattr-user-fifo", [["mkfifo", "/n"]], [["setxattr", "/n", "user.a", "31"]]],
    ["removexattr-user-fifo", [["mkfifo", "/n"]], [["removexattr", "/n", "user.a"]]],
    ["setxattr-advise", FILE, [["setxattr", "/f", "system.advise", "01"]]],
    ["removexattr", FILE + [ATTRIBUTE], [["removexattr", "/f", "user.a"]]],
    ["removexattr-absent", FILE, [["removexattr", "/f", "user.a"]]],
    ["acl", FILE, [["setxattr", "/f", "system.posix_acl_access", ACL]]],
    ["acl-default", DIRS, [["setxattr", "/p", "system.posix_acl_default", ACL]]],
    ["acl-symlink", [["symlink", "/l"]], [["setxattr", "/l", "system.posix_acl_access", ACL]]],
    ["acl-removed", FILE + [["setxattr", "/f", "system.posix_acl_access", ACL]],
     [["removexattr", "/f", "system.posix_acl_access"]]],
    ["acl-chmod", FILE + [["setxattr", "/f", "system.posix_acl_access", ACL]], [["chmod", "/f", 0o600]]],
    ["flags", FILE, [["flags", "/f", NODUMP]]],
    ["flags-same", FILE + [["flags", "/f", NODUMP]], [["flags", "/f", NODUMP]]],
    ["flags-directory", DIRS, [["flags", "/p", PROJINHERIT]]],
    ["project", FILE, [["project", "/f", 7]]],
    ["project-same", FILE + [["project", "/f", 7]], [["project", "/f", 7]]],
    ["pin", FILE, [["pin", "/f", 1]]],
    ["pin-empty", [["make", "/f"]], [["pin", "/f", 1]]],
    ["unpin", [["make", "/f"], ["pin", "/f", 1]], [["pin", "/f", 0]]],
    ["compress", [["make", "/f"]], [["compress", "/f"]]],
    ["compress-full", FILE, [["compress", "/f"]]],
    ["release", PACKED, [["release", "/f"]]],
    ["release-nothing", [["make", "/f"], ["compress", "/f"]], [["release", "/f"]]],
    ["release-twice", PACKED + [["release", "/f"]], [["release", "/f"]]],
    ["reserve", PACKED + [["release", "/f"]], [["reserve", "/f"]]],
    ["reserve-unreleased", PACKED, [["reserve", "/f"]]],
    ["write-released", PACKED + [["release", "/f"]], [["write", "/f", 0, 100]]],
    ["fallocate-released", PACKED + [["release", "/f"]], [["fallocate", "/f", 0, 1 << 20, 4096]]],
    ["verity", FILE, [["verity", "/f"]]],
    ["fallocate-without-room", FILE, [["fallocate", "/f", 0, 0, 1 << 30]]],     # the last: the kernel fills what there is
]
# Rows in which we mean to differ, and why.
DIFFERENT = {
    "pin": "the kernel pins empty files only; contents that nobody moves meanwhile can be pinned",
    "fallocate-released": "nothing is reserved in a file whose saved blocks were given back",
}


class Engine:
    """The same with our engine."""

    def __init__(self, f2fskit, image):
        self.now = stamping.BEFORE
        self.f2fskit = f2fskit
        self.volume = f2fskit.open(str(image), "r+", now=lambda: self.now * 10**9)

    def at(self, path):
        return self.volume.lookup(path)

    def parent(self, path):
        return self.at(os.path.dirname(path)), os.path.basename(path)

    def make(self, path, mode=stat.S_IFREG | 0o644, target=None):
        parent, name = self.parent(path)
        parent.create(name, mode, target=target).close()

    def mkdir(self, path):
        self.make(path, stat.S_IFDIR | 0o755)

    def mkfifo(self, path):
        self.make(path, stat.S_IFIFO | 0o644)

    def symlink(self, path):
        self.make(path, stat.S_IFLNK | 0o777, "target")

    def write(self, path, offset, length):
        self.at(path).pwrite(stamping.data(length), offset)

    def truncate(self, path, size):
        self.at(path).truncate(size)

    def fallocate(self, path, mode, offset, length):
        self.at(path).fallocate(offset, length, mode)

    def link(self, old, new):
        parent, name = self.parent(new)
        parent.link(name, self.at(old))

    def unlink(self, path):
        parent, name = self.parent(path)
        parent.remove(name)

    rmdir = unlink

    def rename(self, old, new, flags):
        from_dir, name = self.parent(old)
        to_dir, new_name = self.parent(new)
        from_dir.rename(name, to_dir, new_name, flags)

    def chmod(self, path, mode):
        self.at(path).set(mode=mode)

    def chown(self, path, uid, gid):
        self.at(path).set(uid=uid, gid=gid)

    def utimens(self, path, atime, mtime):
        self.at(path).set(atime_ns=atime * 10**9, mtime_ns=mtime * 10**9)

    def setxattr(self, path, name, value):
        self.at(path).xattrs[name] = bytes.fromhex(value)

    def removexattr(self, path, name):
        del self.at(path).xattrs[name]

    def flags(self, path, wanted):
        self.at(path).set(flags=wanted)

    def project(self, path, projid):
        self.at(path).set(projid=projid)

    def pin(self, path, pin):
        self.at(path).set(pin=bool(pin))

    def compress(self, path):
        self.at(path).compress("lz4")

    def release(self, path):
        self.at(path).release_compressed()

    def reserve(self, path):
        self.at(path).reserve_compressed()

    def verity(self, path):
        self.at(path).enable_verity()

    def sync(self):
        self.volume.commit()

    def do(self, folder, steps):
        for operation, *arguments in steps:
            arguments = ["/" + folder + a if isinstance(a, str) and a.startswith("/") else a for a in arguments]
            try:
                getattr(self, operation)(*arguments)
            except (OSError, ValueError, self.f2fskit.Error) as error:
                return getattr(error, "errno", None) or errno.EINVAL
        return 0

    def run(self, rows):
        for name, preparation, _ in rows:
            self.mkdir("/" + name)
            assert self.do(name, preparation) == 0, name
        self.volume.commit()
        refused = []
        for number, (name, _, steps) in enumerate(rows):
            self.now = stamping.after(number)
            refused.append(self.do(name, steps))
            self.volume.commit()
        self.volume.close()
        return refused


def look(f2fskit, image, rows):
    """{path: which times are those of the preparation, of the row's steps, or others}"""
    found = {}
    with f2fskit.open(str(image)) as volume:
        for number, (name, _, _) in enumerate(rows):
            names = {stamping.BEFORE: "before", stamping.after(number): "now"}
            for path in ["/" + name] + [str(p) for p, _ in volume.scan("/" + name)]:
                fields = volume.lookup(path).fields()
                found[path] = {what: names.get(fields["i_" + what], fields["i_" + what])
                               for what in ("atime", "mtime", "ctime", "crtime")}
    return found


def test_times_are_stamped_as_the_kernel_does(kernel, f2fskit, run_tool, tmp_path):
    lacking = {"compression", "verity", "project_quota"} - set(kernel.features)
    if lacking:
        pytest.skip("this kernel lacks %s" % ", ".join(sorted(lacking)))
    rows = [row for row in ROWS if row[0] not in DIFFERENT]
    ours, theirs = tmp_path / "ours.img", tmp_path / "theirs.img"
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    for image in (ours, theirs):
        run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "200M")
    done = uml.run("mount -o noatime /dev/ubda $MNT && python3 %s $MNT %s && umount $MNT" % (
        os.path.join(HERE, "guest", "stamping.py"), tmp_path / "rows.json"), images=[str(theirs)], kernel=kernel)
    done.check()
    theirs_refused = json.loads(done.stdout)
    ours_refused = Engine(f2fskit, ours).run(rows)
    left, right = look(f2fskit, ours, rows), look(f2fskit, theirs, rows)
    wrong = ["%s: errno %s, the kernel's %s" % (row[0], errno.errorcode.get(a, a), errno.errorcode.get(b, b))
             for row, a, b in zip(rows, ours_refused, theirs_refused) if bool(a) != bool(b)]
    wrong += ["%s: %s, the kernel's %s" % (path, left.get(path), right.get(path))
              for path in sorted(set(left) | set(right)) if left.get(path) != right.get(path)]
    assert not wrong, "\n".join(wrong)
