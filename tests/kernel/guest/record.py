# SPDX-License-Identifier: LGPL-2.1-or-later
"""Record the running kernel's view of a directory tree: the manifest that readers are judged by.

A manifest is a dict: "entries" maps each path (relative; "" is the top) to its properties, "statfs" and "segments" describe
the volume. Strings that came from the image are decoded as UTF-8 with surrogateescape, so JSON holds any byte. Keys whose
value would be empty are left out.
Also a program: record.py DIRECTORY OUTPUT.json
"""
import errno
import hashlib
import json
import os
import re
import stat
import struct
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402

BLOCK = 4096
WHOLE_HASH_LIMIT = 64 << 20
KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "dir", stat.S_IFLNK: "symlink", stat.S_IFCHR: "char",
         stat.S_IFBLK: "block", stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket"}


def data_ranges(fd, size):
    """[[offset, length]] of what SEEK_DATA and SEEK_HOLE call data."""
    found = []
    at = 0
    while at < size:
        try:
            start = os.lseek(fd, at, os.SEEK_DATA)
        except OSError as e:
            if e.errno == errno.ENXIO:
                break
            raise
        if start >= size:       # reserved past the end
            break
        at = os.lseek(fd, start, os.SEEK_HOLE)
        found.append([start, at - start])
    return found


def content_hashes(fd, size, ranges):
    """(sha256 of the whole, or None if too large; sha256 over the number and content of each non-zero block)

    The second does not depend on holes, and is possible for a file of terabytes.
"""
    zero = bytes(BLOCK)
    blocks = hashlib.sha256()
    for start, length in ranges:
        at = start - start % BLOCK
        end = start + length
        while at < end:
            chunk = os.pread(fd, min(1 << 20, end - at), at)
            if not chunk:
                break
            for i in range(0, len(chunk), BLOCK):
                block = chunk[i:i + BLOCK].ljust(BLOCK, b"\0")
                if block != zero:
                    blocks.update(struct.pack("<Q", (at + i) // BLOCK) + block)
            at += len(chunk)
    whole = None
    if size <= WHOLE_HASH_LIMIT:
        digest = hashlib.sha256()
        at = 0
        while chunk := os.pread(fd, 1 << 20, at):
            digest.update(chunk)
            at += len(chunk)
        whole = digest.hexdigest()
    return whole, blocks.hexdigest()


def xattrs(path):
    found = {}
    for name in os.listxattr(path, follow_symlinks=False):
        found[name] = os.getxattr(path, name, follow_symlinks=False).hex()
    return found


def if_supported(call, fd):
    """What `call` says of fd, or None where the file system knows no such thing (tmpfs has no block maps)."""
    try:
        return call(fd)
    except OSError as e:
        if e.errno in (errno.EOPNOTSUPP, errno.ENOTTY):
            return None
        raise


def describe_open(fd, entry):
    """What takes an open descriptor: attribute flags, contents, maps, policies, digests."""
    entry["flags"] = if_supported(kernelapi.get_flags, fd)
    attributes = if_supported(kernelapi.get_fsxattr, fd)
    entry["project"] = attributes[3] if attributes else None
    policy = kernelapi.get_policy(fd)
    if policy:
        entry["policy"] = policy.hex()
        entry["nonce"] = kernelapi.get_nonce(fd).hex()
    if entry["kind"] != "file":
        return
    ranges = data_ranges(fd, entry["size"])
    entry["data"] = ranges
    entry["sha256"], entry["blocks_sha256"] = content_hashes(fd, entry["size"], ranges)
    entry["fiemap"] = if_supported(kernelapi.fiemap, fd)
    entry["compression"] = kernelapi.compression(fd)
    verity = kernelapi.measure_verity(fd)
    if verity:
        entry["verity"] = [verity[0], verity[1].hex()]


def describe(path):
    st = os.lstat(path)
    born, attributes = kernelapi.statx(path)
    kind = KINDS[stat.S_IFMT(st.st_mode)]
    entry = {"kind": kind, "mode": stat.S_IMODE(st.st_mode), "uid": st.st_uid, "gid": st.st_gid,
             "nlink": st.st_nlink, "size": st.st_size, "ino": st.st_ino, "blocks": st.st_blocks,
             "atime": st.st_atime_ns, "mtime": st.st_mtime_ns, "ctime": st.st_ctime_ns, "crtime": born,
             "attributes": attributes, "xattrs": xattrs(path)}
    if kind in ("char", "block"):
        entry["rdev"] = [os.major(st.st_rdev), os.minor(st.st_rdev)]
    elif kind == "symlink":
        entry["target"] = os.readlink(path)
    elif kind in ("file", "dir"):
        try:
            with kernelapi.open_fd(path, os.O_RDONLY | os.O_NOATIME) as fd:
                describe_open(fd, entry)
        except OSError as e:
            if e.errno != errno.ENOKEY:
                raise
            entry["error"] = "ENOKEY"
    return {k: v for k, v in entry.items() if v not in (None, [], {})}


def tree(top):
    """{relative path: entry}; a file system mounted below is not entered.

    The further names of an inode are {"link": its first path} only.
    """
    found = {"": describe(top)}
    seen = {}           # inode -> its first path, for inodes with several
    device = os.lstat(top).st_dev
    pending = [""]
    while pending:
        where = pending.pop()
        names = []
        with os.scandir(os.path.join(top, where) if where else top) as listing:
            for item in listing:
                names.append(item.name)
                path = os.path.join(where, item.name) if where else item.name
                st = item.stat(follow_symlinks=False)
                if st.st_ino != item.inode():
                    raise AssertionError("readdir and stat disagree on the inode of %r" % path)
                if st.st_ino in seen:
                    found[path] = {"link": seen[st.st_ino]}
                    continue
                found[path] = describe(item.path)
                if not stat.S_ISDIR(st.st_mode):
                    if st.st_nlink > 1:
                        seen[st.st_ino] = path
                elif st.st_dev == device:
                    pending.append(path)
        found[where]["children"] = names
    return found


def segments(name):
    """[[type, valid blocks]] by segment number, from /proc/fs/f2fs/<device>/segment_info"""
    try:
        with open("/proc/fs/f2fs/%s/segment_info" % name) as f:
            text = f.read()
    except FileNotFoundError:
        return None
    return [[int(a), int(b)] for a, b in re.findall(r"\b([0-5])\|(\d+)", text.split("\n", 1)[1])]


def volume(top, device_name=None, segment_limit=1 << 16):
    fs = os.statvfs(top)
    found = {"release": os.uname().release, "entries": tree(top),
             "statfs": {k: getattr(fs, "f_" + k) for k in ("bsize", "blocks", "bfree", "bavail", "files", "ffree")}}
    if device_name and fs.f_blocks // 512 <= segment_limit:
        found["segments"] = segments(device_name)
    return found


def write(path, what):
    """A manifest is either there in full or not at all."""
    with open(path + ".new", "w") as f:
        json.dump(what, f, separators=(",", ":"))
        f.flush()
        os.fsync(f.fileno())
    os.rename(path + ".new", path)


if __name__ == "__main__":
    write(sys.argv[2], volume(sys.argv[1]))
