# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judge one damage of the campaign: damage, read, check, repair, read and check again, and list forbidden results."""
import random
import time

import f2fskit

import damages
import subjects
import sweep_judge

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


def names(report):
    return sorted({problem.name for problem in sweep_judge.severe(report)})


def run(bed, devices, **options):
    """(report, None), or (None, what went wrong). The counters of the bed begin again."""
    if "keep" in bed.meets:
        options["cut_at"] = sum(bed.sizes)
    for counter in bed.counters:
        counter.set()
    try:
        return f2fskit.check(devices[0], devices=devices[1:], **options), None
    except (f2fskit.Error, OSError) as error:
        return None, error


def writes(bed):
    return sum(counter.counts.writes for counter in bed.counters)


def check(bed, result):
    """Check without repair, which meets the same bad places. Return the report, or None."""
    report, error = run(bed, bed.faulty())
    result["check_writes"] = writes(bed)
    if error:
        result["check_fails"] = str(error)[:200]
    return report


def repair(bed, result):
    """Repair; what there is to say about it goes into result. Return the report, or None."""
    report, error = run(bed, bed.faulty(), repair=True)
    result["state"] = report.state.name if report else type(error).__name__
    if report:
        result["found"] = names(report)[:12]
    else:
        result["said"] = str(error)[:200]
    result["reads"], result["wrote"] = sum(counter.counts.reads for counter in bed.counters), writes(bed)
    return report


def look_again(bed, result):
    """Return the findings of a second run, on a device that can be read."""
    report, error = run(bed, bed.devices)
    result["second"] = [name for name in names(report) if name != "DEVICE_SHORT"] if report else [type(error).__name__]


def of_promises(bed, said, done, result):
    """Where a check and a repair contradict each other: sentences."""
    found = ["a check writes"] if result.pop("check_writes") else []
    wrote = result.pop("wrote")     # a repair that fails half-way has written blocks that no checkpoint names
    if wrote and done and not (done.fixed or done.recovered_nodes or done.recovered_orphans):
        found.append("it writes, and repairs nothing")
    if wrote and result["state"] == "UnsupportedError":
        found.append("it refuses, and writes")
    if done and "check_fails" in result:
        found.append("a repair succeeds, and a check fails: %s" % result["check_fails"])
    if said and done and "once" not in bed.meets:       # which read fails depends on what was read before
        less, more = sweep_judge.differences(said, done)
        if less or more:
            found.append("only -n %s, only -y %s" % (sweep_judge.shown(less), sweep_judge.shown(more)))
    return found


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
        said = check(bed, result)
        done = repair(bed, result)
        found = subjects.contents(bed.devices)
        good, result["named"] = subjects.kept(subject.wanted, found)
        result["readable"], result["ours"] = len(readable), len(good)
        look_again(bed, result)
        lost = sorted(set(readable) - set(subjects.kept(readable, found)[0]))
        result["wrong"] = of_promises(bed, said, done, result) + wrong(subject, result, lost)
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
