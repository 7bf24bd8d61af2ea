# SPDX-License-Identifier: LGPL-2.1-or-later
"""The other judges of the campaign: f2fs-tools repair the same damage and look at our repair, the kernel mounts and writes it."""
import collections
import os
import re
import shutil
import subprocess

import f2fskit

import subjects

PEER = shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
LIMIT = 180     # seconds of one run
DISKS = 12      # of one guest, which has room for 16
JOB = r"""
for dev in "$@"; do
    echo "<6>f2fskit: now $dev" > /dev/kmsg
    if ! mount /dev/$dev $MNT; then echo "$dev mount"; continue; fi
    find $MNT -type f -size -64M -exec cat {} + > /dev/null 2>&1
    find $MNT > /dev/null || echo "$dev find"
    mkdir -p $MNT/after-repair || echo "$dev mkdir"
    for i in $(seq 30); do echo $i > $MNT/after-repair/file-$i || echo "$dev write"; done
    rm -f $MNT/after-repair/file-1* || echo "$dev unlink"
    sync
    umount $MNT || echo "$dev umount"
done
"""
SILENT = (r"^fs-verity .*FILE CORRUPTED",)      # contents that were damaged


def can_judge(subject, meets):
    """f2fs-tools and this kernel know blocks of 4 KiB; they are asked about single devices that can be read."""
    return len(subject.bases) == 1 and not subject.zones and not subject.is_read_only and subject.places.size == 4096 \
        and not meets


def save(device, path):
    """A device as a sparse file."""
    with open(path, "wb") as file:
        file.truncate(device.size)
        for extent in device.extents():
            at, end = extent.offset, extent.offset + extent.length
            while not extent.is_hole and at < end:
                piece = device.read(at, min(1 << 20, end - at))
                if piece.strip(b"\0"):
                    file.seek(at)
                    file.write(piece)
                at += len(piece)


def run(*command):
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=LIMIT)
        return done.returncode, done.stdout.decode(errors="replace")
    except subprocess.TimeoutExpired:
        return "timeout", ""


def peer_complains(path):
    """The lines with which f2fs-tools' checker finds fault with a volume."""
    status, text = run(PEER, "-f", "--dry-run", path)
    bad = [line.strip() for line in text.splitlines() if "[Fail]" in line or "ASSERT" in line]
    return bad[:6] or (["status %s" % status] if status else [])


def peer_repairs(path, wanted):
    """Its status, and how many files are there afterwards."""
    status, _ = run(PEER, "-f", "-y", path)
    try:
        with f2fskit.Device.open(path) as device:
            found = subjects.contents([device])
    except OSError:
        found = None
    return status, len(subjects.kept(wanted, found)[0])


def kernel_works(paths, kernel):
    """{path: what the kernel says while it mounts, reads and writes each, or what failed}"""
    said = {}
    for first in range(0, len(paths), DISKS):
        said.update(one_guest(paths[first:first + DISKS], kernel))
    return said


def one_guest(paths, kernel):
    import makers
    import uml

    names = {makers.disk_name(i): path for i, path in enumerate(paths)}
    done = uml.run(JOB, images=paths, args=list(names), kernel=kernel, timeout=900)
    said = collections.defaultdict(list)
    for subject, line in done.about():
        if line.problem and not any(re.search(x, line.text) for x in makers.EXPECTED + SILENT):
            said[subject].append(line.text)
    for line in done.stdout.decode(errors="replace").splitlines():
        said[line.split()[0]].append("failed: " + line)
    if done.rc and not done.stdout:
        said[list(names)[-1]].append("the guest ended with %s" % done.rc)
    return {path: said[name] for name, path in names.items()}
