# SPDX-License-Identifier: LGPL-2.1-or-later
"""In the guest: look.py DIR NAME... mounts /dev/ubda, ubdb, ..., writes its view of each to DIR/NAME, changes something on
it, and unmounts."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import kernelapi  # noqa: E402
import record  # noqa: E402

MNT = os.environ["MNT"]
for i, name in enumerate(sys.argv[2:]):
    device = "ubd" + chr(ord("a") + i)
    kernelapi.mount("/dev/" + device, MNT, "")
    record.write(os.path.join(sys.argv[1], name), record.volume(MNT, device))
    for n in range(20):
        with open(os.path.join(MNT, "after-%d" % n), "wb") as f:
            f.write(os.urandom(30000))
    for top, dirs, files in os.walk(MNT):
        for file in sorted(files)[:3]:
            path = os.path.join(top, file)
            if not os.path.islink(path) and not file.startswith("after-"):
                os.unlink(path)
    os.sync()
    kernelapi.umount(MNT)
