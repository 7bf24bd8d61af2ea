# SPDX-License-Identifier: LGPL-2.1-or-later
"""The other judge of the campaign: f2fs-tools repair the same damage, and look at our repair."""
import os
import shutil
import subprocess

import f2fskit

import subjects

PEER = shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
LIMIT = 180     # seconds of one run


def can_judge(subject, meets):
    """f2fs-tools know blocks of 4 KiB; they are asked about single devices that can be read."""
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
