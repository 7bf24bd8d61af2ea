#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the seeds of tests/fuzz/corpus/image: small volumes, each with some features, written by the real kernel; and from
their structures the seeds of the decoders.

    make_seeds.py [--mkfs PROGRAM] [--into FOLDER] [NAME...]
    make_seeds.py --build FOLDER     volumes that no kernel here writes: 16 KiB blocks, by make_volume of that build
    make_seeds.py --decoders

A volume becomes the short byte string that compact.h describes (only bytes that are not zero), gzipped. Formatting and kernel
are those of the tests under tests/kernel; all volumes are filled in one boot.
"""
import argparse
import gzip
import json
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL_TESTS = os.path.join(os.path.dirname(HERE), "kernel")
sys.path[:0] = [os.path.join(KERNEL_TESTS, "guest"), KERNEL_TESTS, os.path.join(os.path.dirname(HERE), "common")]
import disks  # noqa: E402
import kernelapi as k  # noqa: E402
import trees  # noqa: E402
from guest_volume import Volume  # noqa: E402

MIB = 1 << 20
LARGEST_SEED = 60 << 10
REPAIR, PACK1 = 1, 4                    # flags of compact.h
SEEDS = {}


def seed(mkfs="", mount="", size=64, sload=None):
    def register(fill):
        SEEDS[fill.__name__.replace("_", "-")] = (mkfs.split(), mount, size, sload, fill)
        return fill
    return register


def pattern(size, word=b"0123456789abcdef"):
    """Contents that take little room in a corpus."""
    return (word * (size // len(word) + 1))[:size]


def small_tree(v, top):
    """One of each kind of file."""
    d = v.mkdir(top)
    for size in (0, 5, 3000, 4096, 9000):
        v.write("%s/size-%d" % (top, size), pattern(size))
    v.write(top + "/hole", b"after", offset=50000)
    os.symlink("size-5", d + "/short-link")
    os.symlink("x" * 3800, d + "/long-link")
    os.link(d + "/size-5", d + "/second-name")
    os.mkfifo(d + "/fifo")
    os.mknod(d + "/device", 0o20600, os.makedev(259, 70000))
    os.setxattr(d + "/size-5", "user.color", b"green")
    os.setxattr(d + "/size-0", "trusted.large", pattern(2000))
    os.setxattr(d, "security.selinux", b"label\0")
    os.setxattr(d, "system.posix_acl_access", trees.acl((1, 7), (2, 6, 1000), (4, 5), (8, 4, 1001), (16, 7), (32, 5)))
    os.setxattr(d, "system.posix_acl_default", trees.acl((1, 7), (4, 5), (32, 0)))
    v.mkdir(top + "/sub/sub")
    os.chown(d + "/size-0", 1000, 70000)


@seed()
def plain(v):
    small_tree(v, "tree")


@seed("-O extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,quota,project_quota,lost_found,sb_checksum,verity,"
      "compression,casefold,encrypt -C utf8")
def features(v):
    small_tree(v, "tree")
    k.set_project(v.mkdir("project"), 4711, inherit=True)
    v.write("project/file", b"x")
    for kind, ident in ((k.USER, 1000), (k.GROUP, 70000), (k.PROJECT, 4711)):
        k.set_quota(v.device, kind, ident, 100 << 10, 50 << 10, 5000, 4000)


@seed("-O extra_attr,compression,inode_checksum")
def compressed(v):
    for algorithm in range(4):
        for log in (2, 3):
            name = "file-%d-%d" % (algorithm, log)
            path = v.write(name)
            k.set_flags(path, k.FL_COMPR)
            k.set_compression(path, algorithm, log)
            v.write(name, v.text(2048) + pattern(4096 << log), fsync=True)


@seed("-O extra_attr,compression", "compress_algorithm=lz4,compress_chksum,compress_extension=*")
def compressed_released(v):
    v.write("kept", pattern(50000), fsync=True)
    k.release_compressed(v.write("released", pattern(70000), fsync=True))
    v.write("mixed", pattern(16384) + v.noise(4096) + bytes(12288) + pattern(16384), fsync=True)


@seed("-O encrypt,extra_attr,flexible_inline_xattr")
def encrypted(v):
    k.add_key(v.mnt, 1)
    identifier = k.add_key(v.mnt, 2)
    for version, contents, names, flags in ((1, k.XTS, k.CTS, k.PAD_32), (2, k.XTS, k.CTS, k.PAD_4),
                                            (2, k.ADIANTUM, k.ADIANTUM, k.PAD_32 | k.DIRECT_KEY)):
        top = v.mkdir("v%d-%d" % (version, contents))
        k.set_policy(top, version, contents, names, flags, identifier)
        v.write(top + "/file", pattern(5000))
        v.write(top + "/" + "n" * 200, b"long name")
        os.symlink("target/of/the/link", top + "/symlink")
        v.mkdir(top + "/sub")


@seed("-O encrypt,casefold,extra_attr -C utf8")
def encrypted_casefold(v):
    k.set_policy(v.mkdir("both"), 2, k.XTS, k.CTS, k.PAD_32, k.add_key(v.mnt, 2))
    k.set_flags(v.mkdir("both/Sub"), k.FL_CASEFOLD)
    v.write("both/Sub/Name", b"x")


@seed("-O casefold,extra_attr -C utf8")
def casefold(v):
    k.set_flags(v.mkdir("folded"), k.FL_CASEFOLD)
    for name in ("lower", "UPPER", "stra\u00dfe", "\u00c4\u00d6\u00dc", "e\u0301accent", "\u1e9e", "soft\u00adhyphen"):
        v.write("folded/" + name, name.encode())
    for i in range(200):
        os.link(v.path("folded/lower"), v.path("folded/Name-%04d" % i))


@seed("-O verity,extra_attr")
def verity(v):
    for block_size, algorithm, size in ((4096, k.SHA256, 9000), (1024, k.SHA512, 40000), (4096, k.SHA256, 0)):
        k.enable_verity(v.write("b%d-%d" % (block_size, size), pattern(size)), algorithm, block_size, b"salt")


@seed()
def directories(v):
    v.write("first", b"behind many names")
    for top, count, length in (("level-1", 250, 8), ("level-3", 700, 30), ("one-left", 300, 100)):
        d = v.mkdir(top)
        for i in range(count):
            os.link(v.path("first"), "%s/%s" % (d, ("%04d" % i).ljust(length, "n")))
    for i in range(300):
        if i != 123:
            os.unlink(v.path("one-left/" + ("%04d" % i).ljust(100, "n")))


@seed()
def borders(v):
    """A block in every region of the node tree."""
    for block in (0, 922, 923, 1941, 2959, 1039283, 2075607, 1057052515):
        v.write("all", b"block", offset=block * 4096)
    v.write("keep-size", b"x")
    with k.open_fd(v.path("keep-size"), os.O_RDWR) as fd:
        k.fallocate(fd, k.FALLOC_KEEP_SIZE, 0, 40000)


@seed("-O extra_attr,flexible_inline_xattr,inode_checksum", "inline_xattr_size=200")
def inline_xattr(v):
    for i, size in enumerate((10, 500, 1500, 3500)):
        os.setxattr(v.write("f%d" % i, pattern(100)), "user.x", pattern(size))
    v.mkdir("dir/in/dir")


@seed()
def fsync_chain(v):
    v.write("kept", pattern(9000))
    v.sync()
    k.checkpoint(v.mnt)
    v.write("new", pattern(5000), fsync=True)
    v.write("kept", b"over", fsync=True)
    v.stop_dead()


@seed("-O extra_attr,inode_checksum,flexible_inline_xattr,quota")
def fsync_mixed(v):
    """A chain with something of everything: inodes, direct and xattr nodes, names that replace others, orphans."""
    v.write("grown", pattern(9000))
    v.write("inline", b"short")
    v.write("far", pattern(4096), offset=5 << 20)
    v.mkdir("dir/was-directory")
    v.write("dir/replaced", pattern(5000))
    v.write("dir/was-directory/child", b"child")
    fd = os.open(v.path("unlinked"), os.O_RDWR | os.O_CREAT)
    os.write(fd, pattern(20000))
    os.unlink(v.path("unlinked"))
    v.sync()
    k.checkpoint(v.mnt)
    v.write("grown", v.noise(9000), offset=8192, fsync=True)
    v.write("inline", pattern(6000), fsync=True)
    v.write("far", pattern(8192), offset=6 << 20, fsync=True)
    os.setxattr(v.write("dir/attributed", b"x"), "user.large", v.noise(3000))
    v.write("dir/attributed", b"y", fsync=True)
    os.unlink(v.path("dir/replaced"))
    v.write("dir/replaced", b"another", fsync=True)
    os.unlink(v.path("dir/was-directory/child"))
    os.rmdir(v.path("dir/was-directory"))
    v.write("dir/was-directory", b"a file now", fsync=True)
    v.write("dir/not-synced", b"lost")
    os.chown(v.path("inline"), 1000, 1000)
    os.truncate(v.path("inline"), 3000)
    v.write("inline", b"again", fsync=True)
    k.shutdown(v.mnt, k.SHUTDOWN_NOSYNC)
    os.close(fd)
    v.umount()


@seed()
def orphans(v):
    kept = []
    for i in range(30):
        kept.append(os.open(v.path("orphan-%d" % i), os.O_RDWR | os.O_CREAT))
        os.write(kept[-1], pattern(100 + 300 * i))
        os.unlink(v.path("orphan-%d" % i))
    v.sync()
    k.checkpoint(v.mnt)
    k.shutdown(v.mnt)
    for fd in kept:
        os.close(fd)
    v.umount()


@seed(mount="fastboot")
def fastboot(v):
    v.write("kept", pattern(9000))
    v.sync()
    v.write("late", pattern(100))
    v.sync()
    v.stop_dead()


@seed("-i -O sb_checksum,extra_attr")
def large_nat_bitmap(v):
    small_tree(v, "tree")


@seed("-s 2", size=128)
def sections(v):
    small_tree(v, "tree")


@seed("-O ro,extra_attr", sload=[])
def read_only(v):
    v.write("text", pattern(40000))
    v.write("small", b"x")
    os.symlink("text", v.path("link"))


# ---- a volume as a short byte string

def pieces_of(block):
    """(offset, bytes) of the ranges that are not zero; short gaps stay in."""
    start = None
    end = 0
    for at in range(0, len(block), 8):
        if block[at:at + 8] != bytes(8):
            if start is not None and at - end > 24:
                yield start, block[start:end]
                start = None
            if start is None:
                start = at
            end = at + 8
    if start is not None:
        yield start, block[start:end]


def compact(path, block_bits=12, flags=REPAIR):
    """Return the compact form of an image."""
    size = 1 << block_bits
    count = os.path.getsize(path) >> block_bits
    out = bytearray(struct.pack("<4sBBHII", b"F2CI", flags, block_bits, 0, count, 0))
    with open(path, "rb") as file:
        at = 0
        while True:
            try:
                at = os.lseek(file.fileno(), at, os.SEEK_DATA) >> block_bits << block_bits
            except OSError:
                return bytes(out)
            block = os.pread(file.fileno(), size, at)
            for offset, piece in pieces_of(block):
                out += struct.pack("<IHH", at >> block_bits, offset, len(piece)) + piece.rstrip(b"\0")[:len(piece)].ljust(len(piece), b"\0")
            at += size


# ---- seeds of the decoders: structures of the volumes

def blocks_of(packed):
    """{block: bytes} of a compact image."""
    blocks = {}
    at = 16
    while at < len(packed):
        block, offset, length = struct.unpack_from("<IHH", packed, at)
        data = blocks.setdefault(block, bytearray(4096))
        data[offset:offset + length] = packed[at + 8:at + 8 + length]
        at += 8 + length
    return blocks


def structures_of(blocks):
    """Yield (target, bytes) for the decoders."""
    superblock = bytes(blocks[0][1024:4096])
    cp_start, main = struct.unpack_from("<I", superblock, 76)[0], struct.unpack_from("<I", superblock, 92)[0]
    feature = struct.unpack_from("<I", superblock, 2180)[0]
    choice = struct.pack("<II", 0, feature)
    yield "superblock", superblock
    for pack in (cp_start, cp_start + 512):
        if pack in blocks:
            yield "checkpoint", superblock + bytes(blocks[pack])
            yield "journal", b"\0" + bytes(blocks.get(pack + 1, b""))[:507]
            yield "journal", b"\0" + bytes(blocks.get(pack + 1, b""))[507:1014]
    for number, data in blocks.items():
        if number >= main:
            yield from structures_of_block(data, choice)


def structures_of_block(data, choice):
    nid, ino = struct.unpack_from("<II", data, 4072)
    if nid == ino != 0:
        yield "inode", choice + bytes(data)
    elif nid:
        return
    clen, checksum = struct.unpack_from("<II", data)
    if 16 < clen < 4072 and not any(data[8:24]):
        for algorithm in range(4):
            for size in (0, 4):
                yield "cluster", bytes([algorithm | size]) + bytes(data[24:24 + clen])
    elif data[0] & 1 and nid == 0:
        yield "inode", choice + bytes(data)


def make_decoder_seeds():
    """A few of each; by hand those that no volume holds."""
    corpus = os.path.join(HERE, "corpus")
    found = {"acl": [trees_acl_disk(), b"\0u::rwx,u:1000:rw-,g::r-x,m::rwx,o::r--", b"\0" + trees.acl((1, 7), (4, 5), (32, 0))],
             "text": [b"Stra\xc3\x9fe", b"a\xcd\x85\xcc\x81", "\u1e9e\uac00\U0001f600".encode(), b"\xff\xfe\x1b[2J",
                      "label \U0001f600".encode("utf-16-le"), b"AAAAAAAAAABhYWFhYWFhYWFhYWFhYWFh"],
             "partitions": list(partition_seeds()), "sparse": [sparse_seed()],
             "container": list(container_seeds())}
    for name in sorted(os.listdir(os.path.join(corpus, "image"))):
        with gzip.open(os.path.join(corpus, "image", name)) as file:
            packed = file.read()
            if packed[5] != 12:         # the places below are those of 4 KiB blocks
                continue
            for target, data in structures_of(blocks_of(packed)):
                seeds = found.setdefault(target, [])
                if data not in seeds and len(seeds) < LIMITS.get(target, 12):
                    seeds.append(data)
    for target, seeds in found.items():
        os.makedirs(os.path.join(corpus, target), exist_ok=True)
        for i, data in enumerate(seeds):
            with open(os.path.join(corpus, target, "seed-%02d.gz" % i), "wb") as file:
                file.write(gzip.compress(data, 9, mtime=0))
        print("%-12s %d seeds" % (target, len(seeds)))


LIMITS = {"inode": 40, "cluster": 24}


def trees_acl_disk():
    """The value of an ACL as the disk has it, after the byte that the target skips."""
    entry = struct.pack
    return b"\0" + (struct.pack("<I", 1) + entry("<HH", 1, 7) + entry("<HHI", 2, 7, 1000) + entry("<HHI", 2, 6, 1001)
                    + entry("<HH", 4, 5) + entry("<HH", 16, 7) + entry("<HH", 32, 5))


def partition_seeds():
    """The starts of small disks of each kind; the target's disks are of 4 MiB."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "disk"
        for make_disk in (lambda: disks.gpt(path, 4 * MIB, [("a", 1, 1), ("b", 2, 1)]),
                          lambda: disks.gpt(path, 4 * MIB, [("a", 1, 2)], sector=4096),
                          lambda: disks.mbr(path, 4 * MIB, [(1, 1)], logical=[(3, 1)]),
                          lambda: disks.android_super(path, 4 * MIB, *[[("system_a", [(2, 1), (None, 1)]), ("b_b", [(3, 1)])]] * 2),
                          lambda: disks.android_super(path, 4 * MIB, [("system", [(2, 1)], 2)], minor=2)):
            make_disk()
            data = path.read_bytes().rstrip(b"\0")
            if len(data) > 3 * MIB:     # without the second copy of a GPT
                data = data[:64 << 10].rstrip(b"\0")
            yield data + bytes(2)


def sparse_seed():
    """Raw, fill, nothing, checksum: one chunk of each kind."""
    chunks = [(0xCAC1, 1, pattern(4096)), (0xCAC2, 3, b"\1\2\3\4"), (0xCAC3, 10, b""), (0xCAC2, 2, bytes(4)),
              (0xCAC1, 2, pattern(8192)), (0xCAC4, 0, bytes(4))]
    blocks = sum(n for _, n, _ in chunks)
    out = struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, 4096, blocks, len(chunks), 0)
    for kind, count, data in chunks:
        out += struct.pack("<HHII", kind, 0, count, 12 + len(data)) + data
    return out


def sparse_part(first, data, blocks):
    """One part of a sparse image: blocks of data at first, and nothing elsewhere."""
    count = len(data) // 4096
    chunks = [(0xCAC3, first, b""), (0xCAC1, count, data), (0xCAC3, blocks - first - count, b"")]
    out = struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, 4096, blocks, len(chunks), 0)
    return out + b"".join(struct.pack("<HHII", kind, 0, n, 12 + len(part)) + part for kind, n, part in chunks)


# The descriptor of an image, which is its own contents, too.
FLAT_VMDK = b"""# Disk DescriptorFile
version=1
CID=12345678
parentCID=ffffffff
createType="monolithicFlat"

# Extent description
RW 2 FLAT "image.img" 0

# The Disk Data Base
#DDB

ddb.virtualHWVersion = "4"
ddb.geometry.cylinders = "1"
ddb.geometry.heads = "16"
ddb.geometry.sectors = "63"
ddb.adapterType = "ide"
"""


def container_seeds():
    """An image in each form, and the four bytes of the target: its name, where its parts end."""
    disk = pattern(8192) + bytes(40960) + pattern(16384)
    yield disk + bytes((1, 96, 192, 0))
    yield disk + bytes((2, 100, 200, 0))
    parts = [sparse_part(at, pattern(4096), 16) for at in (0, 5, 9)]
    yield b"".join(parts) + bytes((4, *(len(b"".join(parts[:n])) * 256 // sum(map(len, parts)) + 1 for n in (1, 2)), 0))
    yield sparse_seed() + bytes(4)
    yield disks.vhd(disk, 8192) + bytes(4)
    yield FLAT_VMDK.ljust(1024, b"\n") + bytes(4)
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "disk"
        path.write_bytes(disk)
        for form, options in (("qcow2", []), ("vmdk", []), ("vmdk", ["-o", "subformat=streamOptimized"]),
                              ("vhdx", ["-o", "block_size=1M"])):
            image = path.with_name("image.img")
            subprocess.run(["qemu-img", "convert", "-f", "raw", "-O", form, *options, path, image], check=True)
            yield (compact(image) if form == "vhdx" else image.read_bytes()) + bytes(4)  # a VHDX takes megabytes
        subprocess.run(["ewfacquire", "-u", "-q", "-t", path, "-c", "fast", path], check=True, stdout=subprocess.DEVNULL)
        yield path.with_suffix(".E01").read_bytes() + bytes((3, 0, 0, 0))
        for size in 8192, 65536:
            frames = [subprocess.run(["zstd", "-q", "-c"], input=disk[at:at + size], check=True, capture_output=True).stdout
                      for at in range(0, len(disk), size)]
            table = b"".join(struct.pack("<II", len(frame), len(disk[i * size:(i + 1) * size])) for i, frame in enumerate(frames))
            head = struct.pack("<II", 0x184D2A5E, len(table) + 9)
            yield b"".join(frames) + head + table + struct.pack("<IBI", len(frames), 0, 0x8F92EAB1) + bytes(4)


def format_volume(path, spec, mkfs):
    options, _, size, sload, fill = spec
    with open(path, "wb") as file:
        file.truncate(size * MIB)
    subprocess.run([mkfs, "-q", "-f", "-t", "0", *options, path], check=True, stdout=subprocess.PIPE)
    if sload is not None:
        with tempfile.TemporaryDirectory() as top:
            v = Volume("sload", ["/dev/null"], top, {})
            fill(v)
            subprocess.run(["sload.f2fs", "-f", top, *sload, path], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def fill_in_guest(job):
    for disk, name in json.loads(job).items():
        _, mount, _, _, fill = SEEDS[name]
        v = Volume(name, [disk], os.environ["MNT"], {})
        v.mount(mount)
        try:
            fill(v)
        finally:
            v.umount()


def make(names, mkfs, into):
    import uml

    with tempfile.TemporaryDirectory() as work:
        paths = {name: os.path.join(work, name) for name in names}
        for name in names:
            format_volume(paths[name], SEEDS[name], mkfs)
        filled = [name for name in names if SEEDS[name][3] is None]
        for start in range(0, len(filled), uml.MAX_IMAGES):
            batch = filled[start:start + uml.MAX_IMAGES]
            job = json.dumps({"/dev/ubd" + chr(ord("a") + i): name for i, name in enumerate(batch)})
            r = uml.run([sys.executable, os.path.abspath(__file__), "--guest", job], images=[paths[n] for n in batch])
            if r.rc:
                sys.exit("the guest failed with %d:\n%s" % (r.rc, r.stderr.decode(errors="replace")))
        os.makedirs(into, exist_ok=True)
        for name in names:
            write_seed(into, name, compact(paths[name]))


def make_by_library(build, into):
    with tempfile.TemporaryDirectory() as work:
        for name, features in (("large-blocks", "0x7fb"), ("large-blocks-packed", "0x10008")):
            path = os.path.join(work, name)
            subprocess.run([os.path.join(build, "tests", "fuzz", "make_volume"), path, "16384", features], check=True)
            write_seed(into, name, compact(path, block_bits=14))
        path = os.path.join(work, "several-devices")
        subprocess.run([os.path.join(build, "tests", "fuzz", "make_volume"), path, "4096", "0x28", "several"], check=True)
        write_seed(into, "several-devices", compact(path))


def write_seed(into, name, data):
    packed = gzip.compress(data, 9, mtime=0)
    print("%-24s %6d bytes" % (name, len(packed)))
    if len(packed) > LARGEST_SEED:
        sys.exit("%s is too large for a seed" % name)
    with open(os.path.join(into, "seed-%s.gz" % name), "wb") as file:
        file.write(packed)


def main():
    p = argparse.ArgumentParser(description="Make the seeds of the image fuzzer through a real kernel.")
    p.add_argument("names", nargs="*", metavar="NAME")
    p.add_argument("--mkfs", default="mkfs.f2fs")
    p.add_argument("--into", default=os.path.join(HERE, "corpus", "image"))
    p.add_argument("--build", metavar="FOLDER", help="make those with 16 KiB blocks and on several devices by this build's make_volume")
    p.add_argument("--decoders", action="store_true", help="make the seeds of the decoders from those of the volumes")
    p.add_argument("--guest", metavar="JOB", help=argparse.SUPPRESS)
    p.add_argument("--pack", metavar="IMAGE", help="only turn an image into a compact one, written to standard output")
    o = p.parse_args()
    if o.guest:
        fill_in_guest(o.guest)
    elif o.build:
        make_by_library(o.build, o.into)
    elif o.decoders:
        make_decoder_seeds()
    elif o.pack:
        sys.stdout.buffer.write(compact(o.pack))
    else:
        os.environ["PATH"] += ":/usr/local/sbin:/usr/sbin:/sbin"
        make(o.names or list(SEEDS), shutil.which(o.mkfs) or o.mkfs, o.into)


if __name__ == "__main__":
    main()
