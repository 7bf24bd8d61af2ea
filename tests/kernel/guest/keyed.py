# SPDX-License-Identifier: LGPL-2.1-or-later
"""In the guest: keyed.py OUT mounts /dev/ubda, adds the master key by identifier and descriptor, writes its view with it to
OUT, works in every encrypted directory at the top, and unmounts."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE]
import kernelapi  # noqa: E402
import record  # noqa: E402

MNT = os.environ["MNT"]
kernelapi.mount("/dev/ubda", MNT, "")
kernelapi.add_key(MNT, 1)
kernelapi.add_key(MNT, 2)
record.write(sys.argv[1], record.volume(MNT, "ubda"))
for name in os.listdir(MNT):
    top = os.path.join(MNT, name)
    if not os.path.isdir(top) or name == "lost+found":
        continue
    with open(os.path.join(top, "from-the-kernel"), "wb") as f:
        f.write(name.encode() * 3000)
    with open(os.path.join(top, "file"), "r+b") as f:
        f.seek(6000)
        f.write(b"KERNEL")
    os.rename(os.path.join(top, "tiny"), os.path.join(top, "sub", "moved"))
    os.unlink(os.path.join(top, "symlink"))
os.sync()
kernelapi.umount(MNT)
