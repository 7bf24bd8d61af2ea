# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judge one damage of the campaign: damage, read, repair, read again, and list forbidden results of the repair."""
import random
import time

import f2fskit

import damages
import subjects

MOST_READS = 6          # for each block of the volume, and
SOME_READS = 20000      # besides


class Bed:
    """A damaged volume as it is to be repaired, and, without what makes reading fail, as it will be looked at."""

    def __init__(self, subject, kind, seed):
        self.subject, self.closing = subject, []
        self.devices = self.keep(subject.layers())
        target = damages.Target(self.devices, subject.places)
        try:
            self.meets = damages.KINDS[kind](target, random.Random("%s %s %s" % (subject.name, kind, seed))) or {}
        finally:
            target.close()
        self.sizes = [device.size for device in self.devices]
        if "keep" in self.meets:
            self.sizes[-1] = max(int(self.sizes[-1] * self.meets["keep"]) // 4096, 1) * 4096
            self.devices = self.keep([*self.devices[:-1], self.devices[-1].slice(0, self.sizes[-1])])
        self.devices = self.keep(subject.zoned(self.devices))
        self.counters = self.keep([device.fault() for device in self.devices])

    def keep(self, devices):
        self.closing += [device for device in devices if device not in self.closing]
        return devices

    def faulty(self):
        """The devices with what reading meets."""
        devices, size = list(self.counters), self.subject.places.size
        for block, count in self.meets.get("bad", ()):
            at = block * size
            for i, length in enumerate(self.sizes):
                if at < length:
                    layer = self.keep([devices[i].fault()])[0]
                    layer.set(bad_offset=at, bad_length=count * size)
                    devices[i] = layer
                    break
                at -= length
        if "once" in self.meets:
            devices[0] = self.keep([devices[0].fault()])[0]
            devices[0].set(fail_read=self.meets["once"])
        return devices

    def close(self):
        for device in reversed(self.closing):
            device.close()


def severe(report):
    return sorted({problem.name for problem in report.problems if problem.severity})


def repair(bed, result):
    """Repair; what there is to say about it goes into result."""
    devices = bed.faulty()
    options = {"cut_at": sum(bed.sizes)} if "keep" in bed.meets else {}
    for counter in bed.counters:
        counter.set()
    try:
        report = f2fskit.check(devices[0], devices=devices[1:], repair=True, **options)
        result["state"] = report.state.name
        result["found"] = severe(report)[:12]
    except (f2fskit.Error, OSError) as error:
        result["state"] = type(error).__name__
        result["said"] = str(error)[:200]
    result["reads"] = sum(counter.counts.reads for counter in bed.counters)


def look_again(bed, result):
    """Return the findings of a second run, on a device that can be read."""
    options = {"cut_at": sum(bed.sizes)} if "keep" in bed.meets else {}
    try:
        report = f2fskit.check(bed.devices[0], devices=bed.devices[1:], **options)
        result["second"] = [name for name in severe(report) if name != "DEVICE_SHORT"]
    except (f2fskit.Error, OSError) as error:
        result["second"] = [type(error).__name__]


def wrong(subject, result, lost):
    """What may not be. lost: files that could be read before, and are not there under any name."""
    found = []
    if lost:
        found.append("%d files could be read before the repair: %s" % (len(lost), lost[:3]))
    if result["kind"] in damages.HARMLESS and result["ours"] < len(subject.wanted):
        found.append("%d files are lost with what was there twice" % (len(subject.wanted) - result["ours"]))
    if result["state"] in ("SOUND", "REPAIRED") and result["second"]:
        found.append("the second run finds %s" % result["second"][:6])
    blocks = sum(device.size for device in subject.bases) // subject.places.size
    if result["reads"] > MOST_READS * blocks + SOME_READS:
        found.append("%d reads" % result["reads"])
    return found


def one(subject, kind, number, seed, then=None):
    """Do one damage and judge it. then(bed, result) may look at the repaired volume."""
    start = time.monotonic()
    result = {"number": number, "image": subject.name, "kind": kind, "seed": seed, "files": len(subject.wanted)}
    bed = Bed(subject, kind, seed)
    try:
        before = subjects.contents(bed.devices)
        readable = {path: digest for path, digest in subject.wanted.items() if (before or {}).get(path) == digest}
        repair(bed, result)
        found = subjects.contents(bed.devices)
        good, result["named"] = subjects.kept(subject.wanted, found)
        result["readable"], result["ours"] = len(readable), len(good)
        look_again(bed, result)
        lost = sorted(set(readable) - set(subjects.kept(readable, found)[0]))
        result["wrong"] = wrong(subject, result, lost)
        result["seconds"] = round(time.monotonic() - start, 3)
        if then:
            then(bed, result)
    finally:
        bed.close()
    return result


def plan(seed, names, kinds):
    """(subject's name, kind) of a damage, by its number: all kinds in turn, each time on another volume."""
    rng = random.Random("what %d" % seed)
    return rng.choice(names), kinds[seed % len(kinds)]
