# SPDX-License-Identifier: LGPL-2.1-or-later
"""The volume that a maker fills: where it is mounted, and the ways to mount, stop and poke it."""
import os
import random

import kernelapi


def name_devices(image, disks):
    """Links with names that do not depend on the order of the disks: a multi-device superblock names its devices."""
    links = []
    for i, disk in enumerate(disks):
        links.append("/dev/%s.%d" % (image, i))
        if os.path.lexists(links[-1]):
            os.unlink(links[-1])
        os.symlink("/dev/" + disk, links[-1])
    return links


class Volume:
    def __init__(self, name, devices, mnt, views):
        self.image = name
        self.devices = devices
        self.device = devices[0]
        self.kernel_name = os.path.basename(os.path.realpath(devices[0]))      # as in /sys/fs/f2fs
        self.mnt = mnt
        self.views = views          # where further manifests go: {view: path}
        self.facts = {}             # further facts for the tests, beside the manifest
        self.mounted = False
        self.random = random.Random(name)
        self.vocabulary = bytearray()

    def path(self, *parts):
        return os.path.join(self.mnt, *parts)

    def mount(self, options=""):
        kernelapi.mount(self.device, self.mnt, options)
        self.mounted = True

    def umount(self):
        if self.mounted:
            kernelapi.umount(self.mnt)
            self.mounted = False

    def remount(self, options=""):
        """A real unmount and a mount with other options."""
        self.umount()
        self.mount(options)

    def sync(self):
        kernelapi.syncfs(self.mnt)

    def stop_dead(self):
        """Stop as if the power had gone: data that is not on the device now never gets there."""
        kernelapi.shutdown(self.mnt, kernelapi.SHUTDOWN_NOSYNC)
        self.umount()

    def tune(self, name, value):
        with open("/sys/fs/f2fs/%s/%s" % (self.kernel_name, name), "w") as f:
            f.write(str(value))

    def counters(self):
        """The kernel's account of its volumes (debugfs), the part about this one."""
        with open("/sys/kernel/debug/f2fs/status") as f:
            parts = f.read().split("=====[ partition info(")
        return next(p for p in parts if p.startswith(self.kernel_name + ")"))

    def place(self, path):
        """The block address of the last block that the file's map shows."""
        with kernelapi.open_fd(self.path(path)) as fd:
            os.fsync(fd)
            _, physical, length, _ = kernelapi.fiemap(fd)[-1]
        return (physical + length) // 4096 - 1

    # ---- files

    def write(self, path, data=b"", offset=0, flags=0, fsync=False):
        """Writes into a file (created if need be, never truncated) and returns its full path."""
        full = self.path(path)
        with kernelapi.open_fd(full, os.O_RDWR | os.O_CREAT | flags) as fd:
            at = 0
            while at < len(data):
                at += os.pwrite(fd, data[at:at + (1 << 20)], offset + at)
            if fsync:
                os.fsync(fd)
        return full

    def mkdir(self, path):
        full = self.path(path)
        os.makedirs(full, exist_ok=True)
        return full

    def noise(self, size):
        """Bytes that do not compress."""
        return self.random.randbytes(size)

    def text(self, size):
        """Bytes that compress to about a third, with runs of zeros for the codecs that like them."""
        if not self.vocabulary:
            words = [b"segment", b"node", b"checkpoint", b"log", b"\0" * 40, b"summary ", b"valid", b"0123456789"]
            while len(self.vocabulary) < 1 << 16:
                self.vocabulary += self.random.choice(words) + self.random.randbytes(self.random.randrange(4))
        parts = []
        for _ in range(0, size, 1024):
            at = self.random.randrange(len(self.vocabulary) - 1024)
            parts.append(self.vocabulary[at:at + 1024])
        return b"".join(parts)[:size]
