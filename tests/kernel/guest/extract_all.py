# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of the extraction tests: extracts images to tmpfs as root and records what arrived there."""
import json
import os
import shutil
import subprocess
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402
import record  # noqa: E402


def main():
    with open(sys.argv[1]) as f:
        job = json.load(f)
    mnt = os.environ["MNT"]
    kernelapi.mount("tmp", mnt, "size=90%,mode=755", kind="tmpfs")
    for name, disks in job["jobs"]:
        out = os.path.join(mnt, name)
        devices = [w for d in disks[1:] for w in ("--device", d)]
        done = subprocess.run([job["dump"], "--extract", out, *devices, disks[0]], stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL)
        record.write(os.path.join(job["out"], name + ".json"),
                     {"status": done.returncode, "messages": done.stdout.decode("utf-8", "surrogateescape"),
                      "entries": record.tree(out)})
        shutil.rmtree(out)
    kernelapi.umount(mnt)


main()
