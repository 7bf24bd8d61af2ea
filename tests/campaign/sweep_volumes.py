# SPDX-License-Identifier: LGPL-2.1-or-later
"""The volumes that sweeps damage: seeds of the fuzz corpus, which the kernel wrote, and volumes of ours that have every feature
and every kind of file. All of them are in memory, and small, so that a damage takes milliseconds."""
import os
import random
import stat
import tempfile

import f2fskit

import subjects

MIB = subjects.MIB
PIECE = 1 << 20
TIME = 1_700_000_000
CHECKSUMS = ["extra_attr", "inode_checksum", "sb_checksum"]
ALL = [*CHECKSUMS, "flexible_inline_xattr", "inode_crtime", "project_quota", "quota", "casefold", "compression", "verity",
       "lost_found"]
# file blocks whose pointers are in: the inode, direct nodes 1 and 2, below indirect nodes 1 and 2, below the double one
LEVELS = (0, 5, 950, 1960, 3000, 1040000, 2080000)


def far_file(volume, path, rng, size):
    """A sparse file with nodes of every level."""
    inode = volume.root.create(path)
    per_inode, per_node = volume.geometry.addrs_per_inode, volume.geometry.addrs_per_block
    for block in LEVELS if size == 4096 else (0, 5, per_inode + 1, per_inode + per_node + 1, per_inode + 2 * per_node + 1):
        inode.pwrite(rng.randbytes(size + 700), block * size)


def fill(volume, rng, names=30):
    """Files of every kind and size, with attributes, links, and a directory of several blocks."""
    block = volume.block_size
    volume.path("/tree/below/deep").mkdir(parents=True)
    for i, size in enumerate((0, 90, 3000, block, 5 * block + 9, 20 * block)):
        path = volume.path("/tree/size-%d" % i)
        path.write_bytes(rng.randbytes(size))
        path.xattrs["user.mark"] = b"mark %d" % i
    volume.path("/tree/size-2").xattrs["user.large"] = rng.randbytes(1500)
    volume.path("/tree/below").xattrs["user.large"] = rng.randbytes(700)
    for i in range(3):
        volume.path("/tree/below/deep/leaf-%d" % i).write_bytes(rng.randbytes(60 + 4000 * i))
    volume.path("/second").hardlink_to("/tree/size-4")
    volume.path("/short-link").symlink_to("tree/size-1")
    volume.path("/long-link").symlink_to("x" * 120 + "/" + "y" * 200)
    volume.path("/pipe").mknod(stat.S_IFIFO | 0o644)
    volume.path("/device").mknod(stat.S_IFCHR | 0o600, 0x0502)
    volume.path("/empty-dir").mkdir()
    far_file(volume, "far", rng, block)
    volume.path("/many").mkdir()
    for i in range(names):
        path = volume.path("/many/n%d-%s" % (i, "abcdefgh" * (i % 7)))
        if i % 3 == 2:
            path.hardlink_to(last)
        else:
            path.write_bytes(b"%d" % i)
        last = str(path)


def fill_features(volume):
    """What needs features of ALL."""
    volume.path("/folded").mkdir()
    volume.lookup("/folded").set(flags=f2fskit.InodeFlag.CASEFOLD)
    for name in ("Name", "straße", "ÉCOLE"):
        volume.path("/folded/" + name).write_bytes(name.encode())
    for name in ("lzo", "lz4", "zstd"):
        made = volume.root.create("packed-" + name)
        made.compress(name)
        made.pwrite(b"all the same " * 9000, 0)
    volume.path("/sealed").write_bytes(b"sealed " * 3000)
    volume.lookup("/sealed").enable_verity()
    volume.path("/tree/size-3").chown(1000, 1000)


def age(device, further, rng):
    """Write some files again, which leaves old nodes and uses both packs."""
    for i in range(2):
        with f2fskit.open(device, "r+", devices=further, now=TIME * 10**9) as volume:
            volume.path("/tree/size-3").write_bytes(rng.randbytes(volume.block_size))
            volume.path("/tree/below/deep/late-%d" % i).write_bytes(rng.randbytes(6000))


def leave_waiting(device):
    """The device as a power cut leaves it: orphans, and fsynced nodes after the last checkpoint."""
    volume = f2fskit.open(device, "r+", now=TIME * 10**9)
    held = [volume.lookup("/tree/size-%d" % i).open() for i in (2, 5)]
    for i in (2, 5):
        volume.path("/tree/size-%d" % i).unlink()
    volume.commit()
    made, old = volume.lookup("/tree").create("fsynced"), volume.lookup("/tree/size-3")
    made.pwrite(b"fsynced " * 2000, 0)
    made.fsync()
    old.pwrite(b"changed", 100)
    old.fsync()
    after = device.fork()
    for file in held:
        file.close()
    volume.close()
    return after


SHAPES = {
    "ours:plain": {"size": 64, "names": 120},
    "ours:checksums": {"size": 64, "features": CHECKSUMS},
    "ours:all": {"size": 80, "features": ALL},
    "ours:several": {"size": 48, "further": (32, 64), "features": ["extra_attr", "lost_found"]},
    "ours:16k": {"size": 256, "block_size": 16384, "features": CHECKSUMS},
    "ours:zoned": {"size": 192, "zones": (4 * MIB, 12), "features": ["extra_attr", "inode_checksum"]},
    "ours:waiting": {"size": 64, "features": CHECKSUMS, "waits": True},
}
SEEDS = ("plain", "features", "casefold", "compressed", "encrypted", "encrypted-casefold", "verity", "inline-xattr", "orphans",
         "fsync-chain", "fsync-mixed", "sections", "directories", "read-only", "large-blocks")
NAMES = (*SHAPES, *("seed:" + name for name in SEEDS))


def make_ours(name, shape=None):
    """(devices, zones) of a volume that the library makes, of the shape of this name or of another one; the same bytes each time."""
    rng, context, shape = random.Random(name), f2fskit.Context(), shape or SHAPES[name]
    devices = [f2fskit.Device.memory(size * MIB, context=context) for size in (shape["size"], *shape.get("further", ()))]
    further = [f2fskit.DeviceSpec(device, path="/dev/further-%d" % i) for i, device in enumerate(devices[1:])]
    features, zones = shape.get("features", []), shape.get("zones")
    options = {"features": features, "uuid": f2fskit_uuid(rng), "time": TIME * 10**9, "checkpoint_version": 77}
    if "block_size" in shape:
        options["block_size"] = shape["block_size"]
    first = devices[0]
    if zones:
        first, options["zoned"] = devices[0].zoned(zones[0], conventional=zones[1]), True
    f2fskit.mkfs(first, devices=further, overwrite=True, **options)
    with f2fskit.open(first, "r+", devices=devices[1:], now=TIME * 10**9) as volume:
        fill(volume, rng, shape.get("names", 30))
        if "compression" in features:
            fill_features(volume)
    age(first, devices[1:], rng)
    if shape.get("waits"):
        devices = [leave_waiting(first)]
    if first is not devices[0]:
        first.close()
    return devices, zones


def f2fskit_uuid(rng):
    import uuid
    return uuid.UUID(bytes=rng.randbytes(16))


def to_memory(path, context):
    """A file of the host as a device in memory."""
    with f2fskit.Device.open(path, context=context) as file:
        device = f2fskit.Device.memory(file.size, context=context)
        for extent in file.extents():
            end = extent.offset + extent.length
            for at in range(extent.offset, end, PIECE) if not extent.is_hole else ():
                piece = file.read(at, min(PIECE, end - at))
                if piece.strip(b"\0"):
                    device.write(at, piece)
    return device


def make(name):
    """The subject of a name: ours:..., seed:..., or kernel:..., an image of tests/kernel/images.py."""
    if name in SHAPES:
        return subjects.Subject(name, *make_ours(name))
    context = f2fskit.Context()
    with tempfile.TemporaryDirectory() as folder:
        found = subjects.make(name, folder)
        devices = [to_memory(os.fspath(path), context) for path in found.files]
        found.close()
    return subjects.Subject(name, devices)
