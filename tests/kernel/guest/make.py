# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of makers.py: make.py make|record JOB.json

make    formats where the host could not, mounts each image, lets its catalogue function fill it, unmounts
record  mounts each finished image as its views say and writes the manifests
One image that fails does not keep the others from being made: what went wrong is written to its error file.
"""
import json
import os
import subprocess
import sys
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
import images  # noqa: E402
import kernelapi  # noqa: E402
import record  # noqa: E402
from guest_volume import Volume, name_devices  # noqa: E402

MNT = os.environ["MNT"]


def copy_sparse(source, target):
    """Copy a device; the part of a zone past its write pointer reads as 0xFF and becomes a hole."""
    nothing = (bytes(1 << 16), b"\xff" * (1 << 16))
    with open(source, "rb", buffering=0) as a, open(target, "r+b", buffering=0) as b:
        size = 0
        while chunk := a.read(1 << 16):
            if chunk not in nothing:
                b.seek(size)
                b.write(chunk)
            size += len(chunk)
        b.truncate(size)
        os.fsync(b.fileno())


def make(job):
    spec = images.CATALOGUE[job["image"]]
    devices = [kernelapi.zoned_device(spec.sizes[0] >> 20, spec.zoned)] if spec.zoned else name_devices(job["image"], job["disks"]["make"])
    if job["mkfs"]:
        extra = [w for d in devices[1:] for w in ("-c", d)]
        subprocess.run(job["mkfs"] + extra + [devices[0]], check=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    if spec.sload is None:
        v = Volume(job["image"], devices, MNT, job["views"])
        v.record = lambda view: record.write(job["views"][view], record.volume(MNT, v.kernel_name))
        try:
            v.mount(spec.mount)
            spec.fill(v)
        finally:
            v.umount()
        if v.facts:
            record.write(job["facts"], v.facts)
    if spec.zoned:
        # no other guest could mount the copy: it has no zones
        kernelapi.mount(devices[0], MNT, "ro")
        record.write(job["views"]["manifest"], record.volume(MNT, "nullb0"))
        kernelapi.umount(MNT)
        copy_sparse(devices[0], job["files"][0])


def look(job):
    spec = images.CATALOGUE[job["image"]]
    for view, how in spec.views.items():
        devices = name_devices(job["image"], job["disks"][view])
        kernelapi.mount(devices[0], MNT, how.options)
        try:
            record.write(job["views"][view], record.volume(MNT, job["disks"][view][0]))
        finally:
            kernelapi.umount(MNT)


def main():
    with open(sys.argv[2]) as f:
        jobs = json.load(f)
    action = {"make": make, "record": look}[sys.argv[1]]
    for job in jobs:
        kernelapi.say(job["image"])
        start = time.monotonic()
        try:
            action(job)
        except Exception as e:
            text = traceback.format_exc()
            if isinstance(e, subprocess.CalledProcessError):
                text += e.stdout.decode(errors="replace")
            with open(job["error"], "w") as f:
                f.write(text)
        print("%-24s %-6s %.1f s" % (job["image"], sys.argv[1], time.monotonic() - start), flush=True)


main()
