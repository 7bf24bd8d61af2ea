# SPDX-License-Identifier: LGPL-2.1-or-later
"""Asks the kernel about some volumes of a sweep that a check calls clean: it has to mount and read them without a message.

kernel_judge.py is who asks it: ask(volumes) takes lists of the paths of a volume's devices, first device first, and returns for each
the list of what the kernel said, or what failed; [] is none."""
import os
import random

import others
import sweep_judge

AT_ONCE = 48        # volumes that wait for the kernel


def is_clean(report):
    return report is not None and not sweep_judge.severe(report)


class Asked:
    """Keeps volumes in a folder until the kernel is asked about them."""

    def __init__(self, folder, every):
        self.folder, self.every, self.waiting = folder, every, []

    def keep(self, bed, result, said, again):
        """Of one in so many: the damaged volume if a check finds nothing wrong with it, the repaired one otherwise."""
        rng = random.Random("ask " + result["id"])
        if rng.randrange(self.every) or not is_clean(again):
            return
        devices = bed.damaged if is_clean(said) and not result["wrote"] else bed.tops
        name = "%016x" % rng.getrandbits(64)
        result["disks"] = [os.path.join(self.folder, "%s.%d" % (name, i)) for i in range(len(devices))]
        for device, path in zip(devices, result["disks"]):
            others.save(device, path)

    def judged(self, results):
        """The results, and what the kernel says of those that were kept."""
        for result in results:
            if "disks" not in result:
                yield result
                continue
            self.waiting.append(result)
            if len(self.waiting) == AT_ONCE:
                yield from self.ask()
        yield from self.ask()

    def ask(self):
        import kernel_judge
        waiting, self.waiting = self.waiting, []
        if not waiting:
            return
        said = kernel_judge.ask([result["disks"] for result in waiting])
        for result, complaints in zip(waiting, said):
            for path in result.pop("disks"):
                os.unlink(path)
            yield {**result, "asked": True, "kernel": complaints}
