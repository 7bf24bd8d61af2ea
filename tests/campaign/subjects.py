# SPDX-License-Identifier: LGPL-2.1-or-later
"""The volumes that the campaign damages: seeds of the fuzz corpus, which the kernel wrote (all kinds of files; some wait for a
recovery), images of tests/kernel, and volumes of ours on several devices, on zones and with blocks of 16 KiB."""
import collections
import glob
import hashlib
import os
import random
import struct
import sys

import f2fskit

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [os.path.join(os.path.dirname(HERE), folder) for folder in ("cases", "kernel")]
import cases  # noqa: E402
import damages  # noqa: E402

MIB = 1 << 20
PIECE = 1 << 20
MOST = 64 * MIB     # of a file's data that are looked at


def digest_of(inode):
    """Digest contents and data ranges of a file, without its holes, which may be terabytes."""
    digest, size, done = hashlib.sha256(), inode.stat().st_size, 0
    with inode.open() as file:
        at = 0
        while at < size and done < MOST:
            try:
                at = file.seek(at, os.SEEK_DATA)
            except OSError:
                break
            end = file.seek(at, os.SEEK_HOLE)
            at -= at % 4096
            while at < end and done < MOST:
                file.seek(at)
                piece = file.read(min(PIECE, end - at))
                for i in range(0, len(piece), 4096):
                    block = piece[i:i + 4096]
                    if block.strip(b"\0"):
                        digest.update(struct.pack("<Q", at + i) + block)
                at, done = at + len(piece), done + len(piece)
    return "%d %s" % (size, digest.hexdigest())


def look(devices, **options):
    """{path: digest} of the regular files that can be read."""
    found = {}
    with f2fskit.open(devices[0], devices=devices[1:], **options) as volume:
        for path, entry in volume.scan("/"):
            if entry.type.name != "REGULAR":
                continue
            try:
                found[path] = digest_of(volume.inode(entry.ino))
            except (f2fskit.Error, OSError, ValueError):
                pass
    return found


def contents(devices):
    """The same as a mount would show it: recovered, or if that fails as the last checkpoint says; None: not at all."""
    for options in ({"recover": "view"}, {}):
        try:
            return look(devices, **options)
        except (f2fskit.Error, OSError):
            pass
    return None


def kept(wanted, found):
    """The paths whose contents are there under some name, and how many are under their own."""
    left, good = collections.Counter((found or {}).values()), []
    for path, digest in wanted.items():
        if left[digest] > 0:
            left[digest] -= 1
            good.append(path)
    return good, sum((found or {}).get(path) == digest for path, digest in wanted.items())


class Subject:
    """A volume as it was; each use gets layers over it."""

    def __init__(self, name, devices, zones=None, files=()):
        self.name, self.bases, self.zones, self.files = name, devices, zones, files
        self.places = damages.Places(devices)
        self.wanted = contents(devices)
        with f2fskit.open(devices[0], devices=devices[1:]) as volume:
            self.is_read_only = bool(volume.superblock.feature & f2fskit.Feature.RO)

    def layers(self):
        return [base.overlay() for base in self.bases]

    def zoned(self, devices):
        """The devices as the library gets them: the last one with zones, if it had any."""
        if self.zones:
            return [*devices[:-1], devices[-1].zoned(self.zones[0], conventional=self.zones[1], full=True)]
        return devices

    def close(self):
        for device in self.bases:
            device.close()


def fill(volume, rng, count, large):
    """Files of many sizes in directories, one of them large; some are written again, which leaves old nodes."""
    for d in range(4):
        volume.path("/dir-%d" % d).mkdir()
    for i in range(count):
        path = volume.path("/dir-%d/file-%d" % (i % 4, i))
        path.write_bytes(rng.randbytes(rng.choice((0, 70, 3000, 5000, 40000, 90000))))
    volume.commit()
    for i in range(0, count, 7):
        volume.path("/dir-%d/file-%d" % (i % 4, i)).write_bytes(rng.randbytes(9000))
    volume.path("/large").write_bytes(rng.randbytes(large))
    volume.path("/dir-1/link").symlink_to("../large")


def make_ours(name):
    """(devices, zones) of a volume that the library makes."""
    rng, context, zones, further, options = random.Random(name), f2fskit.Context(), None, [], {}
    if "several" in name:
        devices = [f2fskit.Device.memory(size * MIB, context=context) for size in (64, 48, 80)]
        further = [f2fskit.DeviceSpec(device, path="/dev/further-%d" % i) for i, device in enumerate(devices[1:])]
        options["features"] = ["extra_attr", "inode_checksum", "lost_found"]
    elif "zoned" in name:
        devices, zones = [f2fskit.Device.memory(192 * MIB, context=context)], (4 * MIB, 12)
        options["zoned"] = True
    elif "16k" in name:
        devices = [f2fskit.Device.memory(640 * MIB, context=context)]
        options.update(block_size=16384, features=["extra_attr", "inode_checksum"])
    else:
        devices = [f2fskit.Device.memory(96 * MIB, context=context)]
        options["features"] = ["extra_attr", "inode_checksum", "flexible_inline_xattr", "quota", "lost_found"]
    first = devices[0].zoned(zones[0], conventional=zones[1]) if zones else devices[0]
    f2fskit.mkfs(first, devices=further, overwrite=True, **options)
    with f2fskit.open(first, "r+", devices=devices[1:]) as volume:
        fill(volume, rng, 40, 70 * MIB if further else 9 * MIB)
    if first is not devices[0]:
        first.close()
    return devices, zones


OURS = ("ours:plain", "ours:several", "ours:zoned", "ours:16k")


def seeds():
    """All but the row of devices in one file."""
    names = [os.path.basename(path)[5:-3] for path in sorted(glob.glob(os.path.join(cases.SEEDS, "seed-*.gz")))]
    return ["seed:" + name for name in names if name != "several-devices"]


def make(name, folder):
    """The subject of a name: seed:..., ours:..., or kernel:..., an image of tests/kernel/images.py."""
    group, _, what = name.partition(":")
    if group == "ours":
        return Subject(name, *make_ours(name))
    context = f2fskit.Context()
    if group == "seed":
        paths = [os.path.join(folder, what + ".img")]
        cases.load_seed(paths[0], what)
    else:
        import makers
        image = makers.make([what])[what]
        if image.error:
            raise RuntimeError("%s: %s" % (name, image.error))
        paths = image.paths
    return Subject(name, [f2fskit.Device.open(path, context=context) for path in paths], files=paths)
