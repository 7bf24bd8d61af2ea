# SPDX-License-Identifier: LGPL-2.1-or-later
"""One bit is wrong in one copy of something that has two: no file's contents are lost by a repair, whichever bit it is,
and the second run has nothing to do. A seeded sample of the bits; F2FSKIT_ALL_BITS=1 takes all of them (an hour)."""
import hashlib
import os
import random

import pytest

ALL = os.environ.get("F2FSKIT_ALL_BITS") == "1"
SAMPLE = 12
SEED = 20
SB = {0: 1024, 1: 4096 + 1024}


KINDS = {
    "quota": ["encrypt", "extra_attr", "quota", "verity"],
    "plain": [],
    "checksums": ["extra_attr", "inode_checksum", "sb_checksum", "inode_crtime"],
    "much": ["extra_attr", "inode_checksum", "flexible_inline_xattr", "project_quota", "quota", "casefold", "compression",
             "verity", "lost_found"],
}


def plant(f2fskit, features):
    """A volume in memory with files of every shape."""
    rng = random.Random(SEED)
    device = f2fskit.Device.memory(48 << 20)
    f2fskit.mkfs(device, features=features)
    sizes = [0, 60, 3000, 5000, 70000, 400000]
    with f2fskit.open(device, "r+") as volume:
        for d in range(3):
            volume.path("/dir%d" % d).mkdir()
            for i, size in enumerate(sizes):
                path = volume.path("/dir%d/file%d" % (d, i))
                path.write_bytes(rng.randbytes(size))
                path.xattrs["user.mark"] = b"%d" % i
        volume.path("/link").symlink_to("dir0/file3")
        if "casefold" in features:
            volume.path("/folded").mkdir()
            volume.lookup("/folded").set(flags=f2fskit.InodeFlag.CASEFOLD)
            volume.path("/folded/Name").write_bytes(b"folded")
        if "compression" in features:
            made = volume.root.create("compressed")
            made.compress("lzo")
            made.pwrite(b"all the same " * 9000, 0)
        if "verity" in features:
            volume.path("/sealed").write_bytes(rng.randbytes(30000))
            volume.lookup("/sealed").enable_verity()
    for name in ("late", "later"):  # both checkpoint packs know nearly all of it
        with f2fskit.open(device, "r+") as volume:
            volume.path("/" + name).write_bytes(rng.randbytes(9000))
    return device


def contents(f2fskit, device):
    found = {}
    with f2fskit.open(device) as volume:
        for path, entry in volume.scan("/"):
            inode = volume.inode(entry.ino)
            data = inode.read_bytes() if entry.type.name == "REGULAR" else entry.type.name
            found[path] = hashlib.sha256(data).hexdigest() if isinstance(data, bytes) else data, dict(inode.xattrs)
    return found


def look(f2fskit, device, wanted):
    """Return the losses that a reader sees."""
    try:
        found = contents(f2fskit, device)
    except (f2fskit.Error, OSError) as error:
        return ["cannot be read: %s" % error]
    return sorted(path for path in wanted if found.get(path) != wanted[path])


def flip(device, places, bit):
    for place in places:
        at = place + bit // 8
        device.write(at, bytes([device.read(at, 1)[0] ^ 1 << bit % 8]))


def judge(f2fskit, device, wanted, places, bit, is_hidden=False):
    """Flip the bit, repair, compare. What went wrong, as text; None: nothing. is_hidden: readers may miss files until then."""
    with device.overlay() as layer:
        flip(layer, places, bit)
        missing = [] if is_hidden else look(f2fskit, layer, wanted)
        report = f2fskit.check(layer, repair=True)
        lost = look(f2fskit, layer, wanted)
        again = f2fskit.check(layer)
        left = [p.name for p in again.problems if p.severity]
        if lost or left or missing:
            return "repair lost %s, reading missed %s, left %s; found %s" % (
                lost[:3], missing[:3], left[:5], sorted({p.name for p in report.problems})[:9])
    return None


def run(f2fskit, kind, places, size, skip=()):
    """places(volume): where the copies start; size: bytes of each that are in use."""
    device = plant(f2fskit, KINDS[kind])
    wanted = contents(f2fskit, device)
    assert len(wanted) > 20 and f2fskit.check(device).problems == ()
    with f2fskit.open(device) as volume:
        starts = places(volume)
    bits = [b for b in range(size * 8) if not any(a * 8 <= b < e * 8 for a, e in skip)]
    if not ALL:
        bits = random.Random(SEED).sample(bits, SAMPLE)
    wrong = {bit: judge(f2fskit, device, wanted, starts, bit) for bit in bits}
    return {"byte %d bit %d" % (bit // 8, bit % 8): text for bit, text in wrong.items() if text}


# all of the superblock but the label, extension lists and texts: nothing shows which copy of these is right
USED = [(124, 1664), (1668, 2180), (2762, 3068)]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("copies", [(0,), (1,)], ids=["first", "second"])
def test_superblock(f2fskit, kind, copies):
    assert run(f2fskit, kind, lambda _: [SB[copy] for copy in copies], 3072, USED) == {}


@pytest.mark.parametrize("is_newer", [True, False], ids=["newer", "older"])
def test_pack(f2fskit, is_newer):
    """Of the newer pack nothing is lost by a repair; readers fall back to the older one until then."""
    device = plant(f2fskit, KINDS["much"])
    wanted = contents(f2fskit, device)
    with f2fskit.open(device) as volume:
        pack = volume.checkpoint_pack if is_newer else 3 - volume.checkpoint_pack
        start = (volume.geometry.cp_blkaddr + (pack - 1) * 512) * volume.block_size
        size = int(volume.checkpoint.cp_pack_total_block_count) * volume.block_size
    raw, rng = device.read(start, size), random.Random(SEED)
    used = [at for at in range(size) if raw[at]]
    last = [at for at in used if at >= size - 4096]  # a pack that ends so looks unfinished
    for at in used if ALL else rng.sample(used, SAMPLE) + rng.sample(last, SAMPLE // 2):
        bit = at * 8 + rng.randrange(8)
        assert judge(f2fskit, device, wanted, [start], bit, is_newer) is None, (at, bit % 8)


@pytest.mark.parametrize("kind", ["quota", "much"])
@pytest.mark.parametrize("word", [0, 0x80000000, 0xffffffff, 0x4000, 8], ids=hex)
@pytest.mark.parametrize("copies", [(0,), (1,), (0, 1)], ids=["first", "second", "both"])
def test_feature_words(f2fskit, kind, word, copies):
    """A whole feature word is lost. In both copies, too: the inodes show the old value, and the repair is not refused."""
    device = plant(f2fskit, KINDS[kind])
    wanted = contents(f2fskit, device)
    for copy in copies:
        device.write(SB[copy] + 2180, word.to_bytes(4, "little"))
    if len(copies) == 1:
        assert look(f2fskit, device, wanted) == []
    report = f2fskit.check(device, repair=True)
    assert look(f2fskit, device, wanted) == [], report
    again = f2fskit.check(device)
    assert [p.name for p in again.problems if p.severity] == []
    with f2fskit.open(device, "r+") as volume:
        volume.path("/after").write_bytes(b"x")


@pytest.mark.parametrize("kind", KINDS)
def test_one_feature_in_the_first_copy(f2fskit, kind):
    device = plant(f2fskit, KINDS[kind])
    wanted = contents(f2fskit, device)
    for bit in range(32):
        assert judge(f2fskit, device, wanted, [SB[0]], 2180 * 8 + bit) is None, bit


@pytest.mark.parametrize("kind", ["much", "plain"])
def test_one_feature_in_both_copies(f2fskit, kind):
    """Both copies say the same wrong thing: the inodes decide."""
    device = plant(f2fskit, KINDS[kind])
    wanted = contents(f2fskit, device)
    for bit in range(17):
        assert judge(f2fskit, device, wanted, list(SB.values()), 2180 * 8 + bit, is_hidden=True) is None, bit


if ALL:     # ten minutes
    @pytest.mark.parametrize("kind", KINDS)
    def test_superblock_in_both_copies(f2fskit, kind):
        """Any bit of any field but the texts, in both copies alike."""
        device = plant(f2fskit, KINDS[kind])
        wanted = contents(f2fskit, device)
        for bit in range(3072 * 8):
            if not any(start * 8 <= bit < end * 8 for start, end in USED):
                assert judge(f2fskit, device, wanted, list(SB.values()), bit, is_hidden=True) is None, (bit // 8, bit % 8)


@pytest.mark.parametrize("kind", ["plain", "checksums"])
def test_random_feature_words(f2fskit, kind):
    """Many bits are wrong, in both copies: nothing is lost, whether the repair finds the right ones or refuses."""
    device, rng = plant(f2fskit, KINDS[kind]), random.Random(SEED)
    wanted = contents(f2fskit, device)
    for word in [0x48, 0x1cb4c, 0x10048] + [rng.randrange(1 << 17) for _ in range(300 if ALL else 15)]:
        with device.overlay() as layer:
            right = layer.read(SB[0], 3072), layer.read(SB[1], 3072)
            for place in SB.values():
                layer.write(place + 2180, word.to_bytes(4, "little"))
            f2fskit.check(layer, repair=True)
            if look(f2fskit, layer, wanted):  # refused: with the right superblocks all is there
                for place, text in zip(SB.values(), right):
                    layer.write(place, text)
                assert look(f2fskit, layer, wanted) == [], hex(word)


@pytest.mark.parametrize("kind", ["quota", "much"])
def test_one_quota_file_in_both_copies(f2fskit, kind):
    """The number of a quota file leads to somebody's file or directory: that is not written over."""
    device = plant(f2fskit, KINDS[kind])
    wanted = contents(f2fskit, device)
    for place in range(2745, 2757, 4):
        for bit in range(5):
            assert judge(f2fskit, device, wanted, list(SB.values()), place * 8 + bit) is None, (place, bit)


def test_unknown_features_stop_writing(f2fskit):
    """Unknown features: the volume can be read, neither writers nor repairs touch it, and fsck says why."""
    device = plant(f2fskit, KINDS["plain"])
    wanted = contents(f2fskit, device)
    for place in SB.values():
        device.write(place + 2183, b"\x40")
    assert look(f2fskit, device, wanted) == []
    with f2fskit.open(device, "r+") as volume, pytest.raises(f2fskit.UnsupportedError, match="0x40000000"):
        volume.path("/new").mkdir()
    with f2fskit.fields(device) as fields:
        fields["inode[4].i_links"] = 9
    before = device.read(0, 1 << 20)
    report = f2fskit.check(device, repair=True)
    assert "SB_FEATURE_UNKNOWN" in {p.name for p in report.problems} and device.read(0, 1 << 20) == before
    assert report.state.name == "LEFT"
