# SPDX-License-Identifier: LGPL-2.1-or-later
"""File systems of the kernel that carry out the laboratory's operations: how each is made, mounted and counted.

A function of SYSTEMS makes a volume on an image. It returns the shell commands that mount it on $MNT in the guest, and
the files in which the kernel counts. All discard freed blocks where they can, and none writes because time passes.
"""
import os
import subprocess
import typing

STATUS, DISK = "/sys/kernel/debug/f2fs/status", "/sys/block/ubda/stat"
KEEP_STILL = "echo 0 > /proc/sys/vm/dirty_writeback_centisecs && "
PATH = os.environ.get("PATH", "") + ":/usr/sbin:/sbin"


class System(typing.NamedTuple):
    prepare: typing.Callable    # (build, settings, image, device) -> (commands, files)
    programs: tuple = ()        # that the host needs
    needs_peers: bool = False   # only the kernel of `build-kernel --peers` has it
    says: tuple = ()            # patterns of warnings that are no failure


def make(program, *arguments):
    subprocess.run([program, *arguments], check=True, env=dict(os.environ, PATH=PATH), stdout=subprocess.DEVNULL)


def f2fs(build, found, image, device):
    """Modes and logs of the experiment; nothing in place, no background GC."""
    overprovision = ["-o", str(found["volume.overprovision"])] if found.get("volume.overprovision") else []
    make(build / "mkfs/mkfs.f2fs", "-q", "-f", *overprovision, "-s", str(found.get("volume.segs_per_sec", 1)),
         "-z", str(found.get("volume.secs_per_zone", 1)), image)
    mount = "mode=%s,active_logs=%s,background_gc=off,fsync_mode=%s" % (
        "lfs" if found.get("engine.logging", "adaptive") == "normal" else "adaptive",
        found.get("engine.logs", 6), found.get("engine.fsync_mode", "strict"))
    name = os.path.basename(device)
    return (KEEP_STILL + "mount -t f2fs -o %s %s $MNT && echo 0 > /sys/fs/f2fs/%s/ipu_policy" % (mount, device, name),
            [STATUS, DISK, "/proc/fs/f2fs/%s/segment_info" % name])


def ext4(build, found, image, device):
    """Blocks of 4 KiB, data=ordered, nothing reserved, initialised completely at once."""
    make("mkfs.ext4", "-q", "-F", "-b4096", "-m0", "-Elazy_itable_init=0,lazy_journal_init=0,nodiscard", image)
    return KEEP_STILL + "mount -t ext4 -o data=ordered,discard,commit=86400 %s $MNT" % device, [DISK]


def btrfs(build, found, image, device):
    """Data and metadata once: mkfs.btrfs of the paper's time did so on an SSD; today's writes metadata twice. Nodes of
    16 KiB, checksums."""
    make("mkfs.btrfs", "-q", "-f", "-K", "-d", "single", "-m", "single", image)
    return KEEP_STILL + "mount -t btrfs -o ssd,discard=sync,commit=86400 %s $MNT" % device, [DISK]


def btrfs_dup(build, found, image, device):
    """The same with metadata twice, the default of today's mkfs.btrfs."""
    begin = btrfs(build, found, image, device)
    make("mkfs.btrfs", "-q", "-f", "-K", "-d", "single", "-m", "dup", image)
    return begin


def nilfs2(build, found, image, device):
    """Without its cleaner daemon, so what it frees is neither used again nor discarded: by default the daemon keeps
    everything for an hour. `mount -i` starts no daemon."""
    make("mkfs.nilfs2", "-q", "-f", "-K", image)
    return (KEEP_STILL + "nilfs-tune -f -i 86400 %s >/dev/null && mount -i -t nilfs2 -o discard %s $MNT" % (device, device),
            [DISK])


SYSTEMS = {
    "kernel": System(f2fs),
    "ext4": System(ext4, ("mkfs.ext4",)),
    "btrfs": System(btrfs, ("mkfs.btrfs",), True, ("excessive commit interval",)),
    "btrfs-dup": System(btrfs_dup, ("mkfs.btrfs",), True, ("excessive commit interval",)),
    "nilfs2": System(nilfs2, ("mkfs.nilfs2", "nilfs-tune"), True),
}
