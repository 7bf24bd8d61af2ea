# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel and we take turns on a zoned device, which is in the guest: zoned_turns.py JOB.json

A job is {"seed", "rounds", "steps", "mib", "zone", "capacity", "conventional", "module", "build", "words"}. Ours formats; then each round is the
kernel's work (roaming.py), ended by an unmount or a stop, and our changes (our_turn.py), which the kernel shows next.
"""
import json
import os
import random
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.dirname(HERE)]
with open(sys.argv[1]) as job_file:
    JOB = json.load(job_file)
sys.path.insert(0, JOB["module"])
import f2fskit  # noqa: E402
import kernelapi  # noqa: E402
import our_turn  # noqa: E402
import reading  # noqa: E402
import record  # noqa: E402
from guest_volume import Volume  # noqa: E402
from roaming import Roamer  # noqa: E402

MNT = os.environ["MNT"]
KERNELS_OWN = ("QUOTA_SPACE", "QUOTA_INODES", "ORPHAN_COUNT")       # as in turns.py
OPTIONS = ("", "discard_unit=section", "active_logs=4", "fastboot,fsync_mode=strict", "alloc_mode=reuse,flush_merge",
           "noinline_data,noinline_dentry", "gc_merge,data_flush", "memory=low,checkpoint_merge")


def tool(name):
    return os.path.join(JOB["build"], {"f2fs": "edit"}.get(name, name.split(".")[0]), name)


class Turns:
    def __init__(self):
        self.rng = random.Random(JOB["seed"])
        self.device = kernelapi.zoned_device(JOB["mib"], JOB["zone"], JOB["conventional"], JOB["capacity"])
        self.volume = Volume("zoned", [self.device], MNT, {})
        self.volume.random = random.Random(JOB["seed"])
        subprocess.run([tool("mkfs.f2fs"), "-q", "-f", "-m", *JOB["words"], self.device], check=True, stdout=subprocess.DEVNULL)

    def ours(self, **options):
        with f2fskit.open(self.device, **options) as volume:
            return reading.tree(volume, f2fskit)

    def check(self, when):
        report = f2fskit.check(self.device, content=True)
        wrong = [p for p in report.problems if p.severity.name != "NOTE" and not ("stopped" in when and p.name in KERNELS_OWN)]
        if wrong:
            raise AssertionError("%s: %s" % (when, "; ".join(p.message for p in wrong[:5])))

    def shown(self, when, ours):
        self.volume.mount("ro")
        try:
            theirs = record.tree(MNT)
        finally:
            self.volume.umount()
        lines = reading.differences(json.loads(json.dumps(theirs)), ours, ("fiemap", "map"))
        if lines:
            raise AssertionError("%s: %s" % (when, "\n".join(lines)))

    def round(self, number):
        ends = self.rng.choice(("umount", "umount", "stop"))
        options = self.rng.choice(OPTIONS)
        print("round %d: %s, then %s" % (number, options, ends), flush=True)
        self.volume.mount(options)
        with open("/sys/fs/f2fs/nullb0/features") as f:
            roamer = Roamer(self.volume, self.rng.randrange(2**32), f.read().strip().split(", "))
        roamer.kinds.remove("do_direct")        # 6.12 fails some direct writes here, and leaves blocks without contents
        try:
            roamer.work(JOB["steps"])
            if ends == "stop":
                kernelapi.shutdown(MNT)
        finally:
            roamer.let_go()
            self.volume.umount()
        if ends == "stop":
            self.check("stopped")
            with f2fskit.open(self.device, "r+") as volume:
                volume.recover()
            f2fskit.check(self.device, repair=True)
        self.check("the kernel's")
        self.shown("the kernel's", self.ours())
        turn = our_turn.OurTurn(f2fskit, [self.device], self.rng, tool)
        try:
            turn.run(JOB["steps"] // 2)
        finally:
            print("  ours: " + " ".join(turn.done), flush=True)
        with f2fskit.open(self.device, "r+") as volume:
            volume.recover()
        if "discard" in turn.done:      # rolled-back changes had been written to zones already
            f2fskit.check(self.device, repair=True)
        self.check("ours")
        self.shown("ours", self.ours())


turns = Turns()
for i in range(JOB["rounds"]):
    turns.round(i)
