# SPDX-License-Identifier: LGPL-2.1-or-later
"""The catalogue of images that the kernel makes for the tests: one function per image.

The decorator says how the volume is formatted and mounted (read on the host), the body fills it (run in the
guest, see guest/make.py) and may remount it with other options on the way. Each image is unmounted at the end
unless its body stopped it dead. makers.py makes and caches them.
"""
import dataclasses
import errno
import itertools
import os
import sys
import typing

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest"))
import fsyncs  # noqa: E402
import kernelapi  # noqa: E402
import trees  # noqa: E402

MIB, GIB, TIB = 1 << 20, 1 << 30, 1 << 40
ALL_FEATURES = ("extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,quota,project_quota,lost_found,"
                "sb_checksum,verity,compression,casefold,encrypt")


@dataclasses.dataclass(frozen=True)
class View:
    """How the kernel is asked for a truth of an image: mounted with `options`; on a copy if that may write."""
    options: str
    writes: bool = False


# A read-only mount shows the truth of a clean image.
CLEAN = {"manifest": View("ro")}
# An unclean one has two: the state of the last checkpoint, and the state after the kernel's recovery.
UNCLEAN = {"manifest": View("ro,norecovery"), "recovered": View("", writes=True)}


@dataclasses.dataclass(frozen=True)
class Spec:
    name: str
    fill: typing.Callable
    sizes: tuple                # one per device
    mkfs: tuple                 # options
    mount: str                  # options of the first mount
    needs: frozenset            # features of the kernel's F2FS (see uml.Kernel.features)
    views: dict                 # name of a manifest -> View
    mem: int                    # MiB the guest needs
    cost: int                   # seconds, roughly: to balance the guests
    zoned: int                  # zone size in MiB; 0 is a conventional device
    sload: tuple                # filled by sload.f2fs with these options instead of by the kernel


CATALOGUE = {}


def image(size=128 * MIB, mkfs="", mount="", needs="", views=None, mem=512, cost=1, zoned=0, sload=None):
    def register(fill):
        name = fill.__name__.replace("_", "-")
        sizes = size if isinstance(size, tuple) else (size,)
        CATALOGUE[name] = Spec(name, fill, sizes, tuple(mkfs.split()), mount, frozenset(needs.split()),
                               CLEAN if views is None else views, mem, cost, zoned, sload)
        return fill
    return register


# ---- all kinds of files on differently formatted volumes

@image(cost=3)
def plain(v):
    trees.everything(v)


@image(size=256 * MIB, mkfs="-C utf8 -O " + ALL_FEATURES, cost=4,
       needs="compression encryption verity casefold")
def features(v):
    trees.everything(v)
    for kind, ident in itertools.product((kernelapi.USER, kernelapi.GROUP, kernelapi.PROJECT), (0, 1000, 70000)):
        kernelapi.set_quota(v.device, kind, ident, 100 << 10, 50 << 10, 5000, 4000)
    v.mkdir("project")
    kernelapi.set_project(v.path("project"), 4711, inherit=True)
    trees.many_files(v, "project/inside", 20, 3000)
    kernelapi.set_project(v.write("project/other", v.noise(9000)), 0xFFFFFFF0)
    v.sync()
    v.facts["quotas"] = {str(kind): kernelapi.quotas(v.device, kind) for kind in range(3)}


@image(mkfs="-O extra_attr,flexible_inline_xattr,inode_checksum", mount="inline_xattr_size=6", cost=2)
def xattr_sizes(v):
    for i, words in enumerate((6, 7, 50, 200, 500, 903)):
        if i:
            v.remount("inline_xattr_size=%d" % words)
        top = "words-%d" % words
        trees.xattrs(v, top + "/xattrs")
        trees.acls(v, top + "/acls")
        trees.links(v, top + "/links")
        for size in (0, 100, 1500, 3000, 4 * (923 - 9 - words - 1), 4 * (923 - 9 - words - 1) + 1):
            v.write("%s/size-%d" % (top, size), v.noise(size))
    v.remount("noinline_xattr")
    trees.xattrs(v, "none/xattrs")
    trees.files(v, "none/files")


@image(mkfs="-O extra_attr", mount="noinline_xattr,noinline_data,noinline_dentry", cost=3)
def nothing_inline(v):
    trees.everything(v, "outside")
    v.remount()
    trees.everything(v, "inside")


@image(mkfs="-O inode_checksum,extra_attr -s 4 -z 2 -l labelled", size=256 * MIB, cost=2)
def sections(v):
    trees.everything(v)


@image(mkfs="-i -O extra_attr,sb_checksum", cost=2)
def large_nat_bitmap(v):
    trees.everything(v)


@image(mount="active_logs=2,alloc_mode=default", cost=2)
def two_logs(v):
    trees.everything(v)


@image(mount="active_logs=4,mode=lfs", cost=2)
def four_logs_lfs(v):
    trees.everything(v)


@image(size=256 * MIB, mount="mode=fragment:block", cost=2)
def fragmented(v):
    v.tune("max_fragment_chunk", 3)
    v.tune("max_fragment_hole", 2)
    trees.files(v, "files")
    v.write("large", v.noise(20 << 20))


@image()
def empty(v):
    pass


@image(mkfs="-O lost_found,extra_attr,quota")
def lost_found(v):
    v.write("in-root", b"x")


# ---- directories

def many_names(v, top, count, length, keep):
    """`count` names of some `length` bytes, of which `keep(i)` stay. One inode with many links: quick."""
    d = v.mkdir(top)
    v.write(top + "/first", b"the one behind the names")
    for i in range(count):
        os.link(d + "/first", "%s/%s" % (d, ("%06d-" % i).ljust(length, "n")))
    for i in range(count):
        if not keep(i):
            os.unlink("%s/%s" % (d, ("%06d-" % i).ljust(length, "n")))


@image(size=256 * MIB, cost=12)
def big_directories(v):
    """Hash levels 0 to 6; names of one slot and of many; gaps left by deletions, and names put into gaps."""
    for count in (100, 180, 200, 400, 1000, 3000):
        many_names(v, "full-%d" % count, count, 8, lambda i: True)
    many_names(v, "gaps", 4000, 8, lambda i: i % 3)
    many_names(v, "deep", 3000, 200, lambda i: True)
    many_names(v, "nearly-empty", 2000, 100, lambda i: i == 1234)
    trees.many_files(v, "gaps", 300, name="replacement-with-a-long-name-%06d")
    trees.many_files(v, "inodes", 2500, name="f%05d")
    for i in range(300):
        v.mkdir("subdirectories/d%d" % i)


@image(size=256 * MIB, cost=4)
def dir_level(v):
    for level in (1, 3, 8):
        v.tune("dir_level", level)
        many_names(v, "level-%d" % level, 1500, 60, lambda i: i % 5)


@image(mkfs="-C utf8 -O casefold,extra_attr", needs="casefold", cost=4)
def casefold(v):
    top = v.mkdir("folded")
    kernelapi.set_flags(top, kernelapi.FL_CASEFOLD)
    for name in ("lower", "UPPER", "MiXeD", "stra\u00dfe", "\u00c4\u00d6\u00dc", "\u0130stanbul", "\u03a3\u03af\u03c3\u03c5\u03c6\u03bf\u03c2",
                 "e\u0301accent", "\u212bngstrom", "\ufb01ligature", "\u1e9e", "\u65e5\u672c", "\U0001f600", "\u0958", "soft\u00adhyphen"):
        v.write("folded/" + name, name.encode())
    with kernelapi.open_fd(os.fsencode(top) + b"/not\xffutf8", os.O_RDWR | os.O_CREAT):
        pass
    os.rename(top + "/lower", top + "/Lower")
    v.mkdir("folded/Sub/Sub")
    v.write("folded/sub/sUB/File", b"found by another name")
    many_names(v, "folded/Many", 1500, 20, lambda i: i % 4)
    trees.many_files(v, "folded/Inline", 50, name="\u00c9t\u00e9-%d")
    many_names(v, "plain", 300, 20, lambda i: i % 4)


@image(mkfs="-C utf8:strict -O casefold,extra_attr", needs="casefold")
def casefold_strict(v):
    top = v.mkdir("folded")
    kernelapi.set_flags(top, kernelapi.FL_CASEFOLD)
    v.write("folded/Stra\u00dfe", b"x")


# ---- file maps

@image(size=256 * MIB)
def sparse(v):
    """A block in every region of the node tree, up to the largest file."""
    per_node, indirect = 1018, 1018 * 1018
    base = 923
    borders = [0, base, base + per_node, base + 2 * per_node, base + 2 * per_node + indirect,
               base + 2 * per_node + 2 * indirect, base + 2 * per_node + 3 * indirect]
    largest = 2 * per_node + 2 * indirect + per_node * indirect
    v.write("all-borders")
    for i, border in enumerate(borders):
        for block in (border - 1, border):
            if block >= 0:
                v.write("all-borders", b"block %d" % block, offset=block * 4096)
        v.write("only-%d" % i, b"alone", offset=border * 4096 + 99)
    v.write("the-last-block", b"end", offset=(largest - 1) * 4096)
    v.write("largest")
    os.truncate(v.path("largest"), largest * 4096)
    v.write("cut")
    for border in borders[:6]:
        v.write("cut", b"block", offset=border * 4096)
    os.truncate(v.path("cut"), borders[4] * 4096 + 100)


@image(size=256 * MIB, mkfs="-O extra_attr,flexible_inline_xattr,compression", needs="compression")
def sparse_extra(v):
    per_node, indirect = 1018, 1018 * 1018
    base = 923 - 9 - 50
    for border in (base, base + per_node, base + 2 * per_node, base + 2 * per_node + indirect,
                   base + 2 * per_node + 2 * indirect):
        v.write("all-borders", b"before", offset=(border - 1) * 4096)
        v.write("all-borders", b"after", offset=border * 4096)


# ---- compression

def compressible_files(v, top, cluster):
    """Files that make every kind of cluster: compressed, plain, mixed, hole, partial at the end."""
    v.mkdir(top)
    v.write(top + "/text", v.text(2 * cluster + 5000))
    v.write(top + "/noise", v.noise(cluster + 100))
    v.write(top + "/zeros", bytes(cluster * 2))
    v.write(top + "/mixed", v.text(cluster) + v.noise(cluster) + v.text(cluster))
    v.write(top + "/short", v.text(1000))
    v.write(top + "/tail", v.text(cluster - 1))
    v.write(top + "/hole", v.text(cluster), offset=cluster)
    v.write(top + "/hole", v.text(cluster), offset=cluster * 4)
    v.write(top + "/rewritten", v.text(2 * cluster), fsync=True)
    v.write(top + "/rewritten", v.noise(5000), offset=cluster // 2, fsync=True)
    v.write(top + "/truncated", v.text(3 * cluster), fsync=True)
    os.truncate(v.path(top + "/truncated"), cluster + cluster // 2 + 10)


def compress_matrix(v, algorithm, logs, released):
    for log in logs:
        for sums in ("", ",compress_chksum"):
            options = "compress_algorithm=%s,compress_log_size=%d%s,compress_extension=*" % (algorithm, log, sums)
            v.remount(options)
            name = "%s-%d%s" % (algorithm.replace(":", "-"), log, "-sums" if sums else "")
            compressible_files(v, name, 4096 << log)
            if released:
                v.sync()
                for item in ("text", "mixed", "zeros"):
                    v.write("%s/released-%s" % (name, item), v.text(3 * (4096 << log)), fsync=True)
                    kernelapi.release_compressed(v.path("%s/released-%s" % (name, item)))


def compression_image(label, algorithm, logs=range(2, 9), released=True):
    def fill(v):
        compress_matrix(v, algorithm, logs, released)
    fill.__name__ = "compress_" + label
    image(size=256 * MIB, mkfs="-O extra_attr,compression,inode_checksum", needs="compression", cost=4)(fill)


compression_image("lzo", "lzo")
compression_image("lzorle", "lzo-rle")
compression_image("lz4", "lz4")
compression_image("lz4hc", "lz4:9", logs=(2, 4, 8))
compression_image("zstd", "zstd")
compression_image("zstd_high", "zstd:19", logs=(2, 4, 8), released=False)


@image(mkfs="-O extra_attr,compression,flexible_inline_xattr", mount="compress_algorithm=lz4,compress_mode=user",
       needs="compression")
def compress_chosen(v):
    """Compression asked for per directory and per file, not by the mount."""
    v.mkdir("dir")
    kernelapi.set_flags(v.path("dir"), kernelapi.FL_COMPR)
    v.write("dir/inherits", v.text(100000))
    v.mkdir("dir/not")
    kernelapi.set_flags(v.path("dir/not"), kernelapi.FL_NOCOMP, kernelapi.FL_COMPR)
    v.write("dir/not/inherits", v.text(100000))
    for algorithm, log in itertools.product(range(4), (2, 5)):
        path = v.write("file-%d-%d" % (algorithm, log))
        kernelapi.set_flags(path, kernelapi.FL_COMPR)
        kernelapi.set_compression(path, algorithm, log)
        v.write("file-%d-%d" % (algorithm, log), v.text(300000))


# ---- encryption

def fill_encrypted(v, top):
    v.write(top + "/file", v.text(30000))
    v.write(top + "/tiny", b"x")
    v.write(top + "/" + "long-name-" * 25, v.noise(100))
    v.write(top + "/" + "n" * 149, b"149")
    v.write(top + "/hole", b"end", offset=50000)
    v.mkdir(top + "/sub/sub")
    v.write(top + "/sub/sub/deep", v.noise(5000))
    os.symlink("target/of/the/link", v.path(top, "symlink"))
    os.symlink("t" * 2000, v.path(top, "long-symlink"))
    os.link(v.path(top, "file"), v.path(top, "hard-link"))
    os.mkfifo(v.path(top, "fifo"))
    trees.many_files(v, top + "/many", 300, name="a-file-with-some-name-%06d")


@image(size=256 * MIB, mkfs="-O encrypt,extra_attr,flexible_inline_xattr", needs="encryption", cost=4)
def encrypt(v):
    """Each policy that the kernel takes. The manifest is the view without a key; "with-key" is the one with."""
    k = kernelapi
    k.add_key(v.mnt, 1)
    identifier = k.add_key(v.mnt, 2)
    policies = [(1, k.XTS, k.CTS, k.PAD_4), (1, k.XTS, k.CTS, k.PAD_32), (1, k.ESSIV, k.CTS128, k.PAD_16),
                (1, k.ADIANTUM, k.ADIANTUM, k.PAD_8), (1, k.ADIANTUM, k.ADIANTUM, k.PAD_32 | k.DIRECT_KEY),
                (2, k.XTS, k.CTS, k.PAD_4), (2, k.XTS, k.CTS, k.PAD_8), (2, k.XTS, k.CTS, k.PAD_32),
                (2, k.XTS, k.CTS, k.PAD_32 | k.LBLK_64), (2, k.XTS, k.CTS, k.PAD_32 | k.LBLK_32),
                (2, k.XTS, k.HCTR2, k.PAD_32), (2, k.ESSIV, k.CTS128, k.PAD_16),
                (2, k.ADIANTUM, k.ADIANTUM, k.PAD_32), (2, k.ADIANTUM, k.ADIANTUM, k.PAD_32 | k.DIRECT_KEY)]
    for version, contents, names, flags in policies:
        top = "v%d-%d-%d-%02x" % (version, contents, names, flags)
        k.set_policy(v.mkdir(top), version, contents, names, flags, identifier)
        fill_encrypted(v, top)
    for flags, units in ((0, (9, 10, 12)), (k.LBLK_64, (10, 12)), (k.LBLK_32, (12,))):
        for log2_unit in units:
            top = "unit-%d-%02x" % (log2_unit, flags)
            k.set_policy(v.mkdir(top), 2, k.XTS, k.CTS, k.PAD_32 | flags, identifier, log2_unit)
            fill_encrypted(v, top)
    v.write("in-the-clear", b"not encrypted")
    v.facts["master_key"] = k.MASTER_KEY.hex()
    v.facts["identifier"] = identifier.hex()
    v.facts["descriptor"] = k.DESCRIPTOR.hex()
    v.sync()
    v.record("with-key")


@image(size=256 * MIB, mkfs="-C utf8 -O " + ALL_FEATURES, needs="encryption casefold encrypted_casefold verity", cost=3)
def encrypt_combined(v):
    """Encryption together with casefolding, compression and verity."""
    k = kernelapi
    identifier = k.add_key(v.mnt, 2)
    k.set_policy(v.mkdir("folded"), 2, k.XTS, k.CTS, k.PAD_32, identifier)
    v.mkdir("folded/Sub")
    k.set_flags(v.path("folded/Sub"), k.FL_CASEFOLD)
    fill_encrypted(v, "folded/Sub")
    k.set_policy(v.mkdir("squeezed"), 2, k.XTS, k.CTS, k.PAD_32, identifier)
    k.set_flags(v.path("squeezed"), k.FL_COMPR)
    compressible_files(v, "squeezed/files", 16384)
    k.set_policy(v.mkdir("sealed"), 2, k.XTS, k.CTS, k.PAD_32, identifier)
    k.enable_verity(v.write("sealed/file", v.noise(100000)))
    v.facts["master_key"] = k.MASTER_KEY.hex()
    v.sync()
    v.record("with-key")


# ---- verity

@image(mkfs="-O verity,extra_attr,compression", needs="verity compression", cost=2)
def verity(v):
    for block_size, algorithm in itertools.product((1024, 2048, 4096), (kernelapi.SHA256, kernelapi.SHA512)):
        for size in (0, 1, 4096, 4097, 100000, 3 << 20):
            path = v.write("b%d-a%d-%d" % (block_size, algorithm, size), v.noise(size))
            kernelapi.enable_verity(path, algorithm, block_size)
    path = v.write("salted", v.noise(70000))
    kernelapi.enable_verity(path, salt=b"some salt of 24 bytes...")
    path = v.write("sparse", b"end", offset=1 << 20)
    kernelapi.enable_verity(path)
    path = v.write("compressed")
    kernelapi.set_flags(path, kernelapi.FL_COMPR)
    v.write("compressed", v.text(200000))
    kernelapi.enable_verity(path)
    trees.xattrs(v, "xattrs")


# ---- how a volume came to rest

def life_before_the_cut(v):
    trees.files(v, "kept")
    trees.many_files(v, "names", 300, 100)
    v.sync()
    kernelapi.checkpoint(v.mnt)


@image(views=UNCLEAN, cost=2)
def cut_unsynced(v):
    """Work after the last checkpoint of which nothing was asked to be kept."""
    life_before_the_cut(v)
    trees.many_files(v, "lost", 50, 5000)
    for i in range(0, 300, 7):
        os.unlink(v.path("names/file-%06d" % i))
    v.stop_dead()


@image(views=UNCLEAN, cost=2, needs="recent")
def cut_fsynced(v):
    """Files fsynced after the last checkpoint: a chain that the kernel rolls forward."""
    life_before_the_cut(v)
    v.write("kept/overwritten", v.noise(70000), offset=3000, fsync=True)
    v.write("kept/size-100", v.noise(50), fsync=True)
    for i in range(40):
        v.write("names/new-%d" % i, v.noise(100 * i), fsync=True)
    v.write("names/sparse", b"far", offset=20 << 20, fsync=True)
    v.write("kept/direct-nodes", v.noise(30000), offset=5 << 20, fsync=True)
    os.setxattr(v.write("names/with-xattr", b"x"), "user.big", v.noise(2000))
    v.write("names/with-xattr", b"y", fsync=True)
    os.truncate(v.path("kept/size-100000"), 5000)
    v.write("kept/size-100000", b"z", fsync=True)
    v.stop_dead()


@image(mkfs="-C utf8 -O " + ALL_FEATURES, views=UNCLEAN, cost=2, needs="compression encryption verity casefold")
def cut_fsynced_features(v):
    life_before_the_cut(v)
    for i in range(40):
        v.write("names/new-%d" % i, v.noise(100 * i), fsync=True)
    kernelapi.set_project(v.write("names/projected", b"x"), 77)
    v.write("names/projected", b"y", fsync=True)
    v.stop_dead()


@image(mount="fastboot", views=UNCLEAN, cost=2)
def cut_fastboot(v):
    """The checkpoint of a sync that brings its node summaries along, as only an unmount's does otherwise."""
    life_before_the_cut(v)
    v.write("kept/late", v.noise(5000))
    v.sync()
    v.write("kept/later", v.noise(5000), fsync=True)
    v.stop_dead()


@image(mount="noinline_dentry", views=UNCLEAN, cost=2)
def cut_with_removed_directories(v):
    """Directories that only an open file keeps alive: their blocks still name files that are gone, and one of these exists
    again."""
    life_before_the_cut(v)
    kept = []
    os.link(v.path("kept/grown"), v.path("kept/second"))
    for i in range(5):
        trees.many_files(v, "d%d/e/f" % i, 20, 100)
        os.link(v.path("kept/grown"), v.path("d%d/e/f/a-link" % i))
    v.sync()
    kernelapi.checkpoint(v.mnt)
    for i in range(5):
        kept.append(os.open(v.path("d%d/e/f/file-000003" % i), os.O_RDONLY))
        for name in os.listdir(v.path("d%d/e/f" % i)):
            os.unlink(v.path("d%d/e/f" % i, name))
        os.removedirs(v.path("d%d/e/f" % i))
    trees.many_files(v, "later", 30, 5000)
    kernelapi.checkpoint(v.mnt)
    kernelapi.shutdown(v.mnt)
    for fd in kept:
        os.close(fd)
    v.umount()


@image(views=UNCLEAN, cost=2)
def cut_with_orphans(v):
    """Unlinked while open, then a checkpoint: the orphan list."""
    life_before_the_cut(v)
    kept = []
    for i in range(1200):
        kept.append(os.open(v.path("orphan-%d" % i), os.O_RDWR | os.O_CREAT))
        if i % 100 == 0:
            os.write(kept[-1], v.noise(300000))
        os.unlink(v.path("orphan-%d" % i))
        if len(kept) > 900:
            os.close(kept.pop(0))
    kept.append(os.open(v.mnt, os.O_RDWR | os.O_TMPFILE))
    os.write(kept[-1], v.noise(5000))
    v.sync()
    kernelapi.checkpoint(v.mnt)
    kernelapi.shutdown(v.mnt)
    for fd in kept:
        os.close(fd)
    v.umount()


def fsyncs_and_cut(v, steps=150):
    """Random work of which some was fsynced, in two runs between which everything was synced."""
    life = fsyncs.Life(v)
    for i in range(5):
        v.mkdir("life/early-%d" % i)
    v.sync()
    kernelapi.checkpoint(v.mnt)
    life.steps(steps // 3)
    v.sync()
    kernelapi.checkpoint(v.mnt)
    life.steps(steps)
    v.stop_dead()


RANDOM_CUTS = {
    "plain": ("", ""),
    "features": ("-O extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr,quota,project_quota,lost_found", ""),
    "no-inline": ("", "noinline_data,noinline_dentry,noinline_xattr"),
    "fragmented": ("-i -s 2", "active_logs=4,mode=fragment:block"),
}


def cut_random(name):
    def fill(v):
        fsyncs_and_cut(v)
    fill.__name__ = "cut-random-" + name
    mkfs, mount = RANDOM_CUTS[name]
    image(size=256 * MIB, mkfs=mkfs, mount=mount, views=UNCLEAN, cost=3, needs="recent")(fill)


for _name in RANDOM_CUTS:
    cut_random(_name)


@image(mkfs="-C utf8 -O " + ALL_FEATURES, views=UNCLEAN, cost=2, needs="encryption casefold encrypted_casefold verity")
def cut_fsynced_names(v):
    """Names that recovery enters without a key, or by the hash of their folded form."""
    k = kernelapi
    identifier = k.add_key(v.mnt, 2)
    k.set_policy(v.mkdir("secret"), 2, k.XTS, k.CTS, k.PAD_32, identifier)
    k.set_flags(v.mkdir("secret/Both"), k.FL_CASEFOLD)
    k.set_flags(v.mkdir("folded"), k.FL_CASEFOLD)
    for top in ("secret", "secret/Both", "folded"):
        for i in range(30):
            v.write("%s/Old-%d" % (top, i), v.noise(100 * i))
    v.sync()
    k.checkpoint(v.mnt)
    for top in ("secret", "secret/Both", "folded"):
        for i in range(0, 30, 3):
            os.unlink(v.path("%s/Old-%d" % (top, i)))
            v.write("%s/Old-%d" % (top, i), v.noise(200 * i), fsync=True)
        for i in range(20):
            v.write("%s/New-%s-%d" % (top, "\u00c4" * i, i), v.noise(1000 * i), fsync=True)
        v.write(top + "/" + "n" * 200, b"long", fsync=True)
    v.stop_dead()


@image(mkfs="-O extra_attr,compression,flexible_inline_xattr,quota", views=UNCLEAN, cost=2, needs="compression recent")
def cut_fsynced_compressed(v):
    """Compressed files are fsynced by checkpoints; their neighbours are not, and an orphan has its saved blocks released."""
    kernelapi.set_flags(v.mkdir("before"), kernelapi.FL_COMPR)
    compressible_files(v, "before", 16384)
    released = v.write("before/released", v.text(200000), fsync=True)
    kernelapi.release_compressed(released)
    v.mkdir("plain")
    fd = os.open(released, os.O_RDONLY)
    os.unlink(released)
    v.sync()
    kernelapi.checkpoint(v.mnt)
    v.write("before/late", v.text(100000))
    for i in range(10):
        v.write("plain/new-%d" % i, v.noise(20000 * i), fsync=True)
    kernelapi.shutdown(v.mnt, kernelapi.SHUTDOWN_NOSYNC)
    os.close(fd)
    v.umount()


@image(mount="checkpoint=disable", views={"manifest": View("ro", writes=True)}, cost=2, needs="recent")
def checkpoint_disabled(v):
    trees.files(v, "first")
    v.remount("checkpoint=enable")
    trees.files(v, "second")
    v.remount("checkpoint=disable")
    trees.many_files(v, "third", 100, 3000)
    v.sync()
    v.stop_dead()


@image(size=64 * MIB, cost=10, needs="recent")
def aged(v):
    """Filled, thinned out and filled again until new blocks go into the holes of old segments (SSR)."""
    live = []

    def fill(sizes):
        try:
            while True:
                name = "f%d" % (live[-1] + 1 if live else 0)
                v.write(name, v.noise(v.random.choice(sizes)))
                live.append(int(name[1:]))
        except OSError as e:
            if e.errno != errno.ENOSPC:
                raise
            if os.path.exists(v.path(name)):
                os.unlink(v.path(name))

    for _ in range(5):
        fill((100, 5000, 20000, 100000))
        newest = live.pop()
        for number in v.random.sample(live, len(live) // 3):
            os.unlink(v.path("f%d" % number))
            live.remove(number)
        live.append(newest)
        v.sync()
    fill((4096,))
    v.facts["counters"] = v.counters()


@image(size=256 * MIB, cost=3)
def full_logs(v):
    """All data logs near the end of their segments: more summaries than the compact form has room for."""
    many_names(v, "names", 2000, 200, lambda i: True)
    for name in ("warm", "cold.mp4"):
        for i in itertools.count():
            v.write(name, v.noise(4096), offset=i * 4096)
            if v.place(name) % 512 == 508:
                break


@image(size=256 * MIB, cost=6)
def many_inodes(v):
    """Enough inodes for several NAT blocks and more SIT changes than the journal holds."""
    trees.many_files(v, "many", 4000, 10)
    v.sync()
    for i in range(0, 4000, 2):
        os.unlink(v.path("many/file-%06d" % i))
    v.sync()
    trees.many_files(v, "again", 500, 4097)


# ---- devices

@image(size=(64 * MIB, 96 * MIB, 128 * MIB), cost=3)
def multi_device(v):
    trees.everything(v)
    v.write("across", v.noise(120 << 20))


@image(size=5 * TIB, mkfs="-t 0", mem=2048, cost=20)
def huge(v):
    """Several TiB: a bitmap that no longer fits the checkpoint block (cp_payload)."""
    trees.everything(v)


@image(size=512 * MIB, mkfs="-m", zoned=8, needs="block_zoned", mem=1024, cost=4)
def zoned(v):
    trees.everything(v)
    for i in range(20):
        v.write("tree/f%d" % i, v.noise(300000))


# ---- made by sload.f2fs instead of a kernel's writes

@image(mkfs="-O ro", sload=(), needs="readonly")
def ro(v):
    pass


@image(mkfs="-O ro,extra_attr,compression", sload=("-c", "-a", "lz4", "-L", "2", "-r"), needs="readonly compression")
def ro_compressed(v):
    pass


@image(mkfs="-O extra_attr,compression,inode_checksum,inode_crtime,flexible_inline_xattr",
       sload=("-c", "-a", "lzo", "-L", "3", "-P"), needs="compression")
def sloaded(v):
    pass
