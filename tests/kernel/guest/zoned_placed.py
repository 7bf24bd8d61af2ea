# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of the test of placements on a zoned device that keeps few zones open: zoned_placed.py JOB.json

A job is {"method", "options", "mib", "capacity", "streams", "module", "build"}. In each round we write with a placement, in a process that closes the
volume or just ends, as in a power cut. Then the kernel mounts it, shows our files and writes on.
"""
import json
import os
import random
import subprocess
import sys
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
with open(sys.argv[1]) as job_file:
    JOB = json.load(job_file)
sys.path.insert(0, JOB["module"])
import f2fskit  # noqa: E402
import kernelapi  # noqa: E402
from guest_volume import Volume  # noqa: E402

MNT, LOGS = os.environ["MNT"], 6
ZONE, CONVENTIONAL, BLOCKS, WRITES = 4, 8, 26000, 5000
RNG = random.Random(JOB["method"])


def plan(model):
    """Blocks to write and their contents: some change much more often than others. The model follows."""
    writes = [] if model else [(block, RNG.randbytes(16)) for block in range(BLOCKS)]
    for _ in range(WRITES):
        writes.append((RNG.randrange(1500) if RNG.random() < 0.8 else RNG.randrange(BLOCKS), RNG.randbytes(16)))
    model.update(writes)
    return writes


def write(device, writes, is_cut):
    if device.open_zones != LOGS + JOB["streams"]:
        raise AssertionError("the device keeps %d zones open" % device.open_zones)
    volume = f2fskit.open(device, "r+")
    volume.set_placement(JOB["method"], **JOB["options"])
    volume.configure(commit_when_full=True, at_once=True, discard=True)
    volume.set_gc("greedy")
    inode = volume.lookup("/data") if "/data" in volume else volume.root.create("data")
    for i, (block, value) in enumerate(writes):
        inode.pwrite(value * 256, block * 4096)
        if i % 1500 == 1400:
            inode.fsync()
    volume.commit()
    volume.gc("greedy", sections=3)
    volume.commit()
    blocks, begun = sum(volume.streams.blocks), volume.streams.segments
    if not blocks > 1000 or (not JOB["capacity"] and begun > blocks // 700 + 8):
        raise AssertionError("%d blocks in streams, %d sections begun of %d blocks each" % (blocks, begun, ZONE << 8))
    if not is_cut:
        inode.close()
        volume.close()
        return
    inode.pwrite(bytes(3 << 20), 0)             # in no checkpoint
    os._exit(0)                                 # nothing is closed


def in_a_process(work):
    child = os.fork()
    if child == 0:
        try:
            work()
        except BaseException:
            traceback.print_exc(file=sys.stdout)
            sys.stdout.flush()
            os._exit(1)
        os._exit(0)
    if os.waitpid(child, 0)[1]:
        raise SystemExit("the writer failed")


def show(model):
    with open(os.path.join(MNT, "data"), "rb") as f:
        for block in range(BLOCKS):
            got = f.read(4096)
            if got != model[block] * 256:
                raise AssertionError("block %d: %s, not %s" % (block, got[:16].hex(), model[block].hex()))


def main():
    path = kernelapi.zoned_device(JOB["mib"], ZONE, CONVENTIONAL, JOB["capacity"], open_zones=LOGS + JOB["streams"])
    volume = Volume("zoned", [path], MNT, {})
    subprocess.run([os.path.join(JOB["build"], "mkfs/mkfs.f2fs"), "-q", "-f", "-m", path], check=True, stdout=subprocess.DEVNULL)
    model = {}
    for is_cut in (False, True, False):
        writes = plan(model)

        def work(writes=writes, is_cut=is_cut):
            write(f2fskit.Device.open(path, writable=True), writes, is_cut)
        in_a_process(work)
        kernelapi.say("a volume that was cut" if is_cut else "a closed volume")
        volume.mount()
        try:
            show(model)
            volume.write("kernels", volume.noise(5 << 20), fsync=True)
            volume.sync()
        finally:
            volume.umount()
        found = f2fskit.check(path, content=True)
        if found.found:
            raise AssertionError("; ".join(p.message for p in found.problems[:5]))


main()
