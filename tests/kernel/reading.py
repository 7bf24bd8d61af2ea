# SPDX-License-Identifier: LGPL-2.1-or-later
"""An image as our Python module shows it, in the words of the kernel's manifests, and the differences of two manifests.
 Values derived from raw bits here (attribute flags, policies) follow the kernel's rules, so that the comparison is one of
 values, not of names."""
import errno
import hashlib
import os
import stat
import struct
import sys

import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest"))
import record  # noqa: E402

BLOCK = 4096
# i_flags that FS_IOC_GETFLAGS shows as they are, and flags that it makes of something else
SHOWN_FLAGS = 0x4 | 0x8 | 0x10 | 0x20 | 0x40 | 0x80 | 0x400 | 0x1000 | 0x10000 | 0x20000000 | 0x40000000
FLAG_ENCRYPTED, FLAG_VERITY, FLAG_INLINE, FLAG_PINNED = 0x800, 0x100000, 0x10000000, 0x800000
INLINE_DATA, INLINE_DENTRY, PINNED = 2, 4, 0x40
ADVISE_ENCRYPT, ADVISE_VERITY = 4, 0x40
ATTRIBUTES = {0x4: "compressed", 0x10: "immutable", 0x20: "append", 0x40: "nodump"}
EXTENT_UNCERTAIN = 0x2 | 0x4 | 0x8 | 0x200 | 0x800    # unknown, delayed, encoded, inline, unwritten


def flags_shown(inode):
    flags = inode.i_flags & SHOWN_FLAGS
    for condition, bit in ((inode.i_advise & ADVISE_ENCRYPT, FLAG_ENCRYPTED), (inode.i_advise & ADVISE_VERITY, FLAG_VERITY),
                           (inode.i_inline & (INLINE_DATA | INLINE_DENTRY), FLAG_INLINE),
                           (inode.i_inline & PINNED, FLAG_PINNED)):
        flags |= bit if condition else 0
    return flags


def attributes_shown(inode):
    found = [name for bit, name in ATTRIBUTES.items() if inode.i_flags & bit]
    found += ["encrypted"] if inode.i_advise & ADVISE_ENCRYPT else []
    found += ["verity"] if inode.i_advise & ADVISE_VERITY else []
    return sorted(found)


def policy_shown(inode):
    """(policy, nonce) of the encryption context, as the ioctls give them; None without encryption."""
    context = next((v for v in inode.xattrs.internal.values() if len(v) in (28, 40) and v[0] in (1, 2)), None)
    if context is None or not inode.i_advise & ADVISE_ENCRYPT:
        return None
    policy = b"\0" + context[1:12] if context[0] == 1 else context[:24]
    return policy.hex(), context[-16:].hex()


def data_by_seeking(file, size):
    """[[offset, length]] of what SEEK_DATA and SEEK_HOLE find, as a copying program goes by them."""
    found = []
    at = 0
    while at < size:
        try:
            start = file.seek(at, os.SEEK_DATA)
        except OSError as e:
            if e.errno != errno.ENXIO:
                raise
            break
        at = file.seek(start, os.SEEK_HOLE)
        found.append([start, at - start])
    return found


def content_hashes(file, size, ranges):
    """As record.content_hashes, through a file object."""
    blocks = hashlib.sha256()
    zero = bytes(BLOCK)
    for start, length in ranges:
        at = start - start % BLOCK
        file.seek(at)
        while at < start + length:
            chunk = file.read(min(1 << 20, start + length - at))
            if not chunk:
                break
            for i in range(0, len(chunk), BLOCK):
                block = chunk[i:i + BLOCK].ljust(BLOCK, b"\0")
                if block != zero:
                    blocks.update(struct.pack("<Q", (at + i) // BLOCK) + block)
            at += len(chunk)
    if size > record.WHOLE_HASH_LIMIT:
        return None, blocks.hexdigest()
    file.seek(0)
    return hashlib.sha256(file.read()).hexdigest(), blocks.hexdigest()


def has_key(inode):
    named = bytes.fromhex(policy_shown(inode)[0])
    return any(named.endswith(key.descriptor if named[0] == 0 else key.identifier) for key in inode.volume.keys)


def describe_file(inode, entry, f2fskit):
    """Without its key the kernel refuses to open a file, even when there is nothing in it to refuse for us."""
    is_locked = inode.is_encrypted and not has_key(inode)
    is_hollow = not any(e.kind == f2fskit.ExtentKind.DATA and e.file_block * BLOCK < entry["size"] for e in inode.extents())
    try:
        if not is_locked or not is_hollow:
            describe_contents(inode, entry, f2fskit)
    except f2fskit.EncryptedError:
        is_hollow = True
    if is_locked and is_hollow:
        entry["error"] = "ENOKEY"


def describe_contents(inode, entry, f2fskit):
    verity = inode.verity
    with inode.open() as file:
        ranges = data_by_seeking(file, entry["size"])
        entry["sha256"], entry["blocks_sha256"] = content_hashes(file, entry["size"], ranges)
    entry["data"] = ranges
    if inode.is_compressed:
        entry["compression"] = [inode.i_compress_algorithm, inode.i_log_cluster_size, inode.i_compr_blocks]
    if verity:
        entry["verity"] = [verity.hash_algorithm, verity.file_digest.hex()]
        inode.verify_verity()
    if not inode.is_compressed:
        entry["map"] = {e.file_block + i: e.addr + i for e in inode.extents() if e.kind == f2fskit.ExtentKind.DATA
                        for i in range(e.count)}


def describe(inode, f2fskit):
    st = inode.stat()
    kind = record.KINDS[stat.S_IFMT(st.st_mode)]
    entry = {"kind": kind, "mode": stat.S_IMODE(st.st_mode), "uid": st.st_uid, "gid": st.st_gid, "nlink": st.st_nlink,
             "size": st.st_size, "ino": st.st_ino, "blocks": st.st_blocks, "atime": st.st_atime_ns,
             "mtime": st.st_mtime_ns, "ctime": st.st_ctime_ns, "crtime": getattr(st, "st_birthtime_ns", None),
             "attributes": attributes_shown(inode), "xattrs": {k: v.hex() for k, v in inode.xattrs.items()}}
    if kind in ("char", "block"):
        entry["rdev"] = [os.major(st.st_rdev), os.minor(st.st_rdev)]
    elif kind == "symlink":
        entry["target"] = inode.readlink()
    elif kind == "file":
        describe_file(inode, entry, f2fskit)
    if kind in ("file", "dir") and "error" not in entry:
        entry["flags"] = flags_shown(inode)
        entry["project"] = st.st_projid
        policy = policy_shown(inode)
        if policy:
            entry["policy"], entry["nonce"] = policy
    return {k: v for k, v in entry.items() if v not in (None, [], {})}


def tree(volume, f2fskit):
    """{relative path: entry}, walked inode by inode with what iterdir() gives, further names as links."""
    found = {"": describe(volume.root, f2fskit)}
    seen = {}
    pending = [("", volume.root)]
    while pending:
        where, directory = pending.pop()
        names = []
        for item in directory.iterdir():
            names.append(item.name)
            path = where + "/" + item.name if where else item.name
            if item.ino in seen:
                found[path] = {"link": seen[item.ino]}
                continue
            inode = item.inode()
            found[path] = describe(inode, f2fskit)
            if inode.is_dir():
                pending.append((path, inode))
            elif found[path]["nlink"] > 1:
                seen[item.ino] = path
        found[where]["children"] = names
    return found


def kernel_map(entry):
    """{file block: block} of a manifest's entry, as far as its FIEMAP is certain; None if it says nothing."""
    if "fiemap" not in entry and entry["size"]:
        return {}
    found = {}
    for logical, physical, length, flags in entry.get("fiemap") or []:
        if not flags & EXTENT_UNCERTAIN and physical:
            for i in range(length // BLOCK):
                found[logical // BLOCK + i] = physical // BLOCK + i
    return found


def differences(expected, got, ignore=(), limit=20):
    """Lines that say where two {path: entry} differ; `ignore`: keys that are not compared."""
    lines = []
    for path in expected.keys() - got.keys():
        lines.append("%r is missing" % path)
    for path in got.keys() - expected.keys():
        lines.append("%r should not be there" % path)
    for path in expected.keys() & got.keys():
        a, b = resolve(expected, path), resolve(got, path)
        for key in sorted((a.keys() | b.keys()) - set(ignore)):
            if a.get(key) != b.get(key):
                lines.append("%r: %s is %s, should be %s" % (path, key, short(b.get(key)), short(a.get(key))))
    more = len(lines) - limit
    return sorted(lines)[:limit] + (["... and %d more" % more] if more > 0 else [])


def must_be_same(expected, got, ignore=()):
    """Fails the test with the differences."""
    lines = differences(expected, got, ignore)
    if lines:
        pytest.fail("\n".join(lines), pytrace=False)


def must_hold(source, got):
    """Fails the test unless the entries are what sload.f2fs -P takes from a directory of the host."""
    kept = ("kind", "mode", "uid", "gid", "size", "target", "sha256")

    def taken(entries):
        return {path: {k: e[k] for k in kept if k in e and not (k == "size" and e["kind"] == "dir")}
                for path, e in entries.items() if path and path != "lost+found"}
    must_be_same(taken(record.tree(source)), taken(got))


def resolve(entries, path):
    """The entry of a path; of a further name of an inode, that of its first."""
    entry = entries[path]
    return entries[entry["link"]] if "link" in entry else entry


def hard_links(entries):
    """{frozenset of the paths of one inode}, for those that have several."""
    groups = {}
    for path, entry in entries.items():
        if "link" in entry:
            groups.setdefault(entry["link"], {entry["link"]}).add(path)
    return {frozenset(g) for g in groups.values()}


def short(value):
    text = repr(value)
    return text if len(text) <= 200 else text[:200] + "..."
