# SPDX-License-Identifier: LGPL-2.1-or-later
"""Judge one damage of the campaign: damage, read, check, repair, read and check again, and list forbidden results."""
import random
import time

import f2fskit

import damages
import overwrites
import subjects
import sweep_judge

MOST_READS = 6          # for each block of the volume, and
SOME_READS = 20000      # besides


class Bed:
    """A damaged volume as it is to be repaired, and, without what makes reading fail, as it will be looked at. kind: of damages.KINDS,
    or a name of overwrites.py. permits: what a user allows after the first check."""

    def __init__(self, subject, kind, seed):
        self.subject, self.closing, self.permits = subject, [], {}
        self.devices = self.keep(subject.layers())
        target = damages.Target(self.devices, subject.places)
        try:
            how = damages.KINDS.get(kind) or overwrites.how(kind)
            self.meets = how(target, random.Random("%s %s %s" % (subject.name, kind, seed))) or {}
        finally:
            target.close()
        self.sizes = [device.size for device in self.devices]
        if "keep" in self.meets:
            self.meets["cut"] = len(self.sizes) - 1, max(int(self.sizes[-1] * self.meets["keep"]) // 4096, 1) * 4096
        if "cut" in self.meets:
            which, size = self.meets["cut"]
            self.sizes[which] = size
            self.devices = self.keep([device.slice(0, size) if i == which else device for i, device in enumerate(self.devices)])
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
    options.update(bed.permits)
    if "cut" in bed.meets:
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


def ask_for_permission(bed, said, result):
    """Another system is found: a repair has to refuse and write nothing. From now on it is allowed. None, or sentences."""
    if not said or "FOREIGN" not in names(said):
        return None
    done = repair(bed, result)
    bed.permits["accept_foreign"] = True
    found = ["it writes over another system without permission"] if result.pop("wrote") or not done or done.fixed else []
    return found + (["a check writes"] if result.pop("check_writes") else [])


def is_out_of_reach(subject, bed):
    """May all be lost? The main area is cut off, or one of several devices ends early, or no superblock names further devices."""
    geo, size = subject.places.geo, subject.places.size
    if len(subject.bases) > 1:
        return "cut" in bed.meets or any(first == 0 and end >= 2 * size for first, end in bed.meets["hit"])
    return "cut" in bed.meets and bed.meets["cut"][1] < geo.main_blkaddr * size


def look_again(bed, result):
    """Return the findings of a second run, on a device that can be read."""
    report, error = run(bed, bed.devices)
    result["second"] = [name for name in names(report) if name != "DEVICE_SHORT"] if report else [type(error).__name__]


def may_fail(bed, state):
    """May a repair fail after a check that does not? Of a device that ends early, what is left of the main area may be too small."""
    return state == "UnsupportedError" or bool(bed.meets.keys() & {"once", "bad"}) or (state == "NospcError" and "cut" in bed.meets)


def of_promises(bed, said, done, result):
    """Where a check and a repair contradict each other: sentences."""
    found = ["a check writes"] if result.pop("check_writes") else []
    wrote = result.pop("wrote")     # a repair that fails half-way has written blocks that no checkpoint names
    if wrote and done and not (done.fixed or done.recovered_nodes or done.recovered_orphans):
        found.append("it writes, and repairs nothing")
    if wrote and result["state"] == "UnsupportedError":
        found.append("it refuses, and writes")
    if said and not done and not may_fail(bed, result["state"]):
        found.append("a check succeeds, and a repair fails: %s" % result["said"])
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
        refused = ask_for_permission(bed, said, result)
        if refused is not None:
            said = check(bed, result)
        done = repair(bed, result)
        found = subjects.contents(bed.devices)
        good, result["named"] = subjects.kept(subject.wanted, found)
        result["readable"], result["ours"] = len(readable), len(good)
        look_again(bed, result)
        lost = sorted(set(readable) - set(subjects.kept(readable, found)[0]))
        result["wrong"] = of_promises(bed, said, done, result) + wrong(subject, result, lost) + (refused or [])
        if "hit" in bed.meets and not is_out_of_reach(subject, bed):
            left = {path: subject.wanted[path] for path in overwrites.untouched(subject, bed.meets["hit"])}
            gone = sorted(set(left) - set(subjects.kept(left, found)[0]))
            if gone:
                result["wrong"].append("%d files of which no block was hit are gone: %s" % (len(gone), gone[:3]))
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
