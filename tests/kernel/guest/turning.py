# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of turns.py: turning.py JOBS.json

A job is one volume: {"name", "disks", "format", "before", "options", "then", "seed", "steps", "end", "after"}. "before" is
{"options", "out"}: the kernel's first view. Then it is mounted with all of "options" that can be, worked on, perhaps remounted
with "then", and ended: "umount", "shutdown N" or "powercut", which only the last job can. "after" is recorded when it was
unmounted. Each record is made without keys, and once more with them where there may be encrypted files (its name and ".key").
"""
import errno
import json
import os
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402
import record  # noqa: E402
from guest_volume import Volume, name_devices  # noqa: E402
from roaming import Roamer  # noqa: E402

MNT = os.environ["MNT"]


def features(v):
    with open("/sys/fs/f2fs/%s/features" % v.kernel_name) as f:
        return f.read().strip().split(", ")


def show(v, how):
    """Mounts, records, unmounts."""
    v.mount(how["options"])
    try:
        record.write(how["out"], record.volume(MNT, v.kernel_name))
        if "encryption" in features(v):
            kernelapi.add_key(MNT, 1)
            kernelapi.add_key(MNT, 2)
            with open("/proc/sys/vm/drop_caches", "w") as f:
                f.write("3")
            record.write(how["out"] + ".key", record.volume(MNT, v.kernel_name))
    finally:
        v.umount()


def mount_somehow(v, options):
    """Mount without the options that the kernel refuses, one after the other. Return the accepted and the refused ones."""
    refused = []
    while True:
        try:
            v.mount(",".join(options))
            return options, refused
        except OSError as e:
            if e.errno not in (errno.EINVAL, errno.ENOSPC, errno.EROFS, errno.EAGAIN) or not options:
                raise
            options = list(options)
            refused.append(options.pop())


def run(job, report):
    v = Volume(job["name"], name_devices(job["name"], job["disks"]), MNT, {})
    if job.get("format"):
        extra = [w for d in v.devices[1:] for w in ("-c", d)]
        subprocess.run(job["format"] + extra + [v.devices[0]], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if job.get("before"):
        try:
            show(v, job["before"])
        except OSError as e:        # 6.12 forgets that it is read-only where there are orphans and files to recover
            if e.errno != errno.EINVAL or "norecovery" not in job["before"]["options"]:
                raise
    if "options" in job:
        kernelapi.say(job["name"] + " tries options")
        report["options"], report["left out"] = mount_somehow(v, job["options"])
        kernelapi.say(job["name"])
        roamer = Roamer(v, job["seed"], features(v))
        work_and_end(v, roamer, job, report)
    if job["end"] == "umount":
        show(v, job["after"])


def work_and_end(v, roamer, job, report):
    try:
        roamer.work(job["steps"] // 2)
        if job.get("then"):
            kernelapi.say(job["name"] + " tries options")
            try:
                remount(v, job["then"])
                report["remounted"] = job["then"]
            except OSError as e:
                report["not remounted"] = str(e)
            kernelapi.say(job["name"])
        roamer.work(job["steps"] - job["steps"] // 2)
        kind, _, level = job["end"].partition(" ")
        report["done"], report["refused"] = roamer.done, roamer.refused
        if kind == "powercut":
            record.write(job["report"], report)
            subprocess.run(["powercut"])
        if kind == "shutdown":
            kernelapi.shutdown(MNT, int(level))
    finally:
        roamer.let_go()
        v.umount()


def remount(v, options):
    """mount -o remount"""
    kernelapi.check(kernelapi.LIBC.mount(v.device.encode(), os.fsencode(MNT), b"f2fs", kernelapi.ctypes.c_ulong(32), options.encode()))


def main():
    with open(sys.argv[1]) as f:
        jobs = json.load(f)
    for job in jobs:
        kernelapi.say(job["name"])
        report = {}
        try:
            run(job, report)
        except Exception:
            report["error"] = traceback.format_exc()
        record.write(job["report"], report)


main()
