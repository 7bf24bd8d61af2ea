# SPDX-License-Identifier: LGPL-2.1-or-later
"""Keeps volumes of a campaign or a sweep as files until there are enough for a guest, and asks the kernel about all of them.

    asked = Asked(folder)
    asked.keep(result, devices)             saves the devices, and notes the files in the result
    for result in asked.judged(results):    result["kernel"] is what the kernel said or what failed; [] is nothing
"""
import os

import f2fskit

import kernel_judge
import others

AT_ONCE = 48        # volumes that wait for the kernel


def is_clean(devices):
    """Whether a check that reads contents, too, finds nothing: the kernel reads compressed files."""
    return not any(problem.severity for problem in f2fskit.check(devices[0], devices=devices[1:], content=True).problems)


class Asked:
    def __init__(self, folder, kernel=None):
        self.folder, self.kernel, self.count, self.waiting = folder, kernel, 0, []

    def keep(self, result, devices, sizes=()):
        """Save devices that are clean. sizes: their sizes before one was cut short; a repair makes the file as long again."""
        if not sizes and not is_clean(devices):
            return
        self.count += 1
        result["disks"] = [os.path.join(self.folder, "asked-%d-%d.%d" % (os.getpid(), self.count, i)) for i in range(len(devices))]
        for i, (device, path) in enumerate(zip(devices, result["disks"])):
            others.save(device, path)
            if sizes and os.path.getsize(path) < sizes[i]:
                os.truncate(path, sizes[i])

    def keep_repaired(self, subject, bed, result):
        """Of a campaign: the volume after the repair, if the next check calls it clean."""
        if result["state"] not in ("SOUND", "REPAIRED") or result["second"]:
            return
        is_cut = "cut" in bed.meets
        self.keep(result, bed.devices, [base.size for base in subject.bases] if is_cut else ())

    def judged(self, results, then=None):
        """The results, with the kernel's answer for the kept volumes. then(result, paths) may look at the files."""
        for result in results:
            if "disks" not in result:
                yield result
                continue
            self.waiting.append(result)
            if len(self.waiting) == AT_ONCE:
                yield from self.ask(then)
        yield from self.ask(then)

    def ask(self, then):
        waiting, self.waiting = self.waiting, []
        said = kernel_judge.ask([result["disks"] for result in waiting], kernel=self.kernel) if waiting else []
        for result, complaints in zip(waiting, said):
            paths = result.pop("disks")
            result["asked"], result["kernel"] = complaints is not None, complaints
            if then and result["asked"]:
                then(result, paths)
            for path in paths:
                os.unlink(path)
            yield result
