# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of the mkfs tests: each freshly formatted volume is mounted, lives a little and is unmounted.

live_all.py JOBS.json; a job is {"case", "disks", "out", "format", "zoned", "fsck"}. "format" (several devices) and "zoned" (a
zoned device) are commands for volumes that only the guest can format. The kernel's view of the new volume, whether its files
survive an unmount, and the output of the command "fsck" go to "out".
"""
import fcntl
import json
import os
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402
import record  # noqa: E402
import trees  # noqa: E402
from guest_volume import Volume  # noqa: E402

MNT = os.environ["MNT"]
GET_LABEL = kernelapi.ioc(kernelapi.READ, 0x94, 49, 256)


def label():
    with kernelapi.open_fd(MNT) as fd:
        return fcntl.ioctl(fd, GET_LABEL, bytes(256)).rstrip(b"\0").decode("utf-8", "surrogateescape")


def contents():
    """What must be the same after an unmount and a mount: everything but when it was read."""
    found = record.tree(MNT)
    for entry in found.values():
        entry.pop("atime", None)
    return found


def look_at_new(v):
    with open("/sys/fs/f2fs/%s/features" % v.kernel_name) as f:
        features = f.read().strip().split(", ")
    fs = os.statvfs(MNT)
    return {"label": label(), "features": features, "entries": record.tree(MNT), "bytes": fs.f_blocks * fs.f_frsize,
            "free": fs.f_bavail * fs.f_frsize}


def live(job):
    v = Volume(job["case"], job["disks"], MNT, {})
    v.mount()
    try:
        report = look_at_new(v)
        trees.workload(v, report["free"])
        before = contents()
        v.remount()
        report["survived"] = contents() == before
        v.write("work/after", b"written after the second mount", fsync=True)
    finally:
        v.umount()
    if job["fsck"]:
        done = subprocess.run(job["fsck"] + job["disks"][:1], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT)
        report["fsck"] = [done.returncode, done.stdout.decode(errors="replace")]
    return report


def main():
    with open(sys.argv[1]) as f:
        jobs = json.load(f)
    for job in jobs:
        kernelapi.say(job["case"])
        try:
            if job["zoned"]:
                job["disks"] = [kernelapi.zoned_device(512, 8)]
            words = job["zoned"] or job["format"]
            if words:
                subprocess.run(words + job["disks"][:1], check=True)
            report = live(job)
        except Exception:
            report = {"error": traceback.format_exc()}
        record.write(job["out"], report)


main()
