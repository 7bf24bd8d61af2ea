# SPDX-License-Identifier: LGPL-2.1-or-later
"""One damage of a sweep: do it, check, read, repair, check and read again, and list forbidden results.

The judge compares type, contents, target or device, and attributes of each path. `lost` counts against the undamaged
volume, `gone` counts paths that were readable in spite of the damage and are not after the repair."""
import collections
import hashlib
import os
import stat
import time

import f2fskit

import subjects

MOST_READS, SOME_READS = 6, 20000       # for each block of the volume, and besides
MOST_SECONDS = 5                        # of processor time for one repair
FAULTS = {
    "lost": "a single bit costs what has another witness",
    "gone": "what could be read before the repair cannot be read after it",
    "strange": "there are names that were not there",
    "differ": "-n and -y name other findings",
    "untrue": "what is said to be fixed is found again",
    "second": "the second run finds something",
    "count": "the number of what is left is wrong",
    "writes": "something is written though nothing is repaired",
    "fails": "check or repair fails",
    "died": "it dies",
    "reads": "reads without bound",
    "slow": "more than %d seconds of processor time" % MOST_SECONDS,
    "kernel": "the kernel refuses, or complains of, what is called clean",
}
PIECE = 4096
SMALL = 1 << 18


def digest(*parts):
    found = hashlib.blake2b(digest_size=12)
    for part in parts:
        found.update(b"%d:" % len(part) + part)
    return found.hexdigest()


def attributes(inode):
    try:
        return digest(*(part for name, value in sorted(inode.xattrs.items()) for part in (name.encode("utf-8", "replace"), value)))
    except (f2fskit.Error, OSError, ValueError) as error:
        return type(error).__name__


def stored(inode):
    """Digest the bytes on the device, for contents that need a missing key."""
    found = hashlib.blake2b(digest_size=12)
    for extent in inode.extents():
        if extent.kind.name in ("DATA", "COMPRESSED"):
            for i in range(min(extent.count, 64)):
                at = (extent.file_block + i) * PIECE
                found.update(b"%d:" % at + inode.read_raw(at, PIECE))
    return "stored %d %s" % (inode.size, found.hexdigest())


def contents(inode):
    """Of a regular file."""
    if inode.is_encrypted:
        return stored(inode)
    size = inode.size
    return "%d %s" % (size, digest(inode.read_bytes())) if size <= SMALL else subjects.digest_of(inode)


def body(inode, kind):
    """Return type and contents of a name."""
    try:
        if kind == "REGULAR":
            return contents(inode)
        if kind == "SYMLINK":
            return digest(inode.readlink_bytes())
        return "%d" % inode.stat().st_rdev if kind in ("CHARACTER", "BLOCK") else ""
    except (f2fskit.Error, OSError, ValueError) as error:
        return "!" + type(error).__name__


class Look:
    """Return a tolerant reader's view of a volume: {path: (type, contents, attributes)}. failed: it cannot be opened."""

    def __init__(self, devices):
        self.found, self.failed = {}, None
        for options in ({"recover": "view"}, {}):
            try:
                self.read(devices, options)
                self.failed = None
                return
            except (f2fskit.Error, OSError) as error:
                self.failed = "%s: %s" % (type(error).__name__, error)

    def read(self, devices, options):
        self.found, known = {}, {}
        with f2fskit.open(devices[0], devices=devices[1:], **options) as volume:
            for path, entry in volume.scan("/", onerror=lambda _: None):
                ino = entry.ino
                if ino not in known:
                    known[ino] = self.one(volume, ino)
                self.found[path] = known[ino]

    @staticmethod
    def one(volume, ino):
        try:
            inode = volume.inode(ino)
            kind = KINDS.get(stat.S_IFMT(inode.mode), "UNKNOWN")
        except (f2fskit.Error, OSError, ValueError) as error:
            return ("!" + type(error).__name__, "", "")
        return (kind, body(inode, kind), attributes(inode))


KINDS = {stat.S_IFREG: "REGULAR", stat.S_IFDIR: "DIRECTORY", stat.S_IFLNK: "SYMLINK", stat.S_IFCHR: "CHARACTER",
         stat.S_IFBLK: "BLOCK", stat.S_IFIFO: "FIFO", stat.S_IFSOCK: "SOCKET"}


class Whole:
    """An undamaged volume: its view, and its files byte by byte for counting losses."""

    def __init__(self, subject):
        self.subject = subject
        devices = subject.zoned(subject.bases)
        self.look = Look(devices)
        self.unlinked = self.orphans(devices)
        self.blocks = sum(device.size for device in subject.bases) // subject.places.size
        if self.look.failed:
            raise RuntimeError("%s: %s" % (subject.name, self.look.failed))
        report = f2fskit.check(devices[0], devices=devices[1:])
        if report.found:
            raise RuntimeError("%s is not sound: %s" % (subject.name, [p.name for p in report.problems]))


    @staticmethod
    def orphans(devices):
        """What unlinked files hold: a repair that takes them for lost brings them back, which is no loss."""
        with f2fskit.open(devices[0], devices=devices[1:]) as volume:
            return {Look.one(volume, ino) for ino in volume.orphans}


def pieces(devices, path):
    """{offset: digest} of the parts of a file that are not zeros, and its size."""
    found = {}
    with f2fskit.open(devices[0], devices=devices[1:], recover="view") as volume:
        inode = volume.lookup(path)
        size = inode.stat().st_size
        with inode.open() as file:
            at = 0
            while at < size:
                try:
                    at = file.seek(at, os.SEEK_DATA)
                except OSError:
                    break
                at -= at % PIECE
                file.seek(at)
                piece = file.read(PIECE)
                if piece.strip(b"\0"):
                    found[at] = (len(piece), digest(piece))
                at += PIECE
    return found


def bytes_lost(whole, devices, path):
    """How many bytes of a file are not there any more, under its own name."""
    before = pieces(whole.subject.bases, path)
    try:
        after = pieces(devices, path)
    except (f2fskit.Error, OSError, ValueError):
        after = {}
    return sum(length for at, (length, mark) in before.items() if after.get(at, (0, None))[1] != mark)


class Bed:
    """A damaged volume in layers of memory: damage below, the repair above it, and counters between."""

    def __init__(self, subject, damage, seals):
        self.subject, self.closing = subject, []
        self.damaged = self.keep(subject.layers())
        whole = f2fskit.Device.multi(self.damaged) if len(self.damaged) > 1 else self.damaged[0]
        try:
            damage.apply(whole, seals)
        finally:
            if whole not in self.damaged:
                whole.close()
        self.tops = self.keep([device.overlay() for device in self.damaged])
        self.devices = self.keep(subject.zoned(self.tops))
        self.counters = self.keep([device.fault() for device in self.devices])

    def keep(self, devices):
        self.closing += [device for device in devices if device not in self.closing]
        return devices

    def count(self):
        for counter in self.counters:
            counter.set()

    def reads(self):
        return sum(counter.counts.reads for counter in self.counters)

    def is_written(self):
        return any(counter.counts.writes for counter in self.counters) or any(top.changes() for top in self.tops)

    def check(self, **options):
        """(report, None), or (None, what went wrong)"""
        self.count()
        try:
            return f2fskit.check(self.counters[0], devices=self.counters[1:], **options), None
        except (f2fskit.Error, OSError) as error:
            return None, "%s: %s" % (type(error).__name__, str(error)[:160])

    def close(self):
        for device in reversed(self.closing):
            device.close()


def subject_of(problem):
    """Return the subject of a finding, for comparing runs."""
    return (problem.name, problem.nid or 0, problem.ino or 0, -1 if problem.segno is None else problem.segno,
            -1 if problem.slot is None else problem.slot, problem.entry)


def severe(report):
    return [p for p in report.problems if p.severity]


def shown(keys):
    return ["%s %s" % (key[0], " ".join(str(x) for x in key[1:] if x not in (0, -1, ""))) for key in sorted(keys)[:4]]


def differences(said, done):
    """Findings that only one of check and repair names."""
    a, b = (collections.Counter(subject_of(p) for p in severe(report)) for report in (said, done))
    return list((a - b).keys()), list((b - a).keys())


def compare(whole, before, after, devices, result):
    """Return losses against the undamaged volume, and against the volume before the repair."""
    wanted, left = whole.look.found, collections.Counter(after.found.values())
    lost = [path for path, state in wanted.items() if after.found.get(path) != state]
    result["lost"] = lost[:6]
    result["names_lost"] = sum(path not in after.found or after.found[path][0] != wanted[path][0] for path in lost)
    result["files_hurt"] = len(lost)
    hurt = [path for path in lost if wanted[path][0] == "REGULAR" and not left[wanted[path]]]
    hurt = [path for path in hurt if after.found.get(path, ("", ""))[1] != wanted[path][1]]
    result["bytes_lost"] = sum(bytes_lost(whole, devices, path) for path in hurt if not wanted[path][1].startswith(("!", "stored")))
    if not before.failed:
        result["gone"] = [path for path, state in before.found.items()
                          if wanted.get(path) == state and after.found.get(path) != state][:6]
    result["strange"] = [path for path in after.found
                         if path not in wanted and not path.startswith("/lost+found") and path not in before.found
                         and after.found[path] not in whole.unlinked][:6]


def is_refused(done, failed):
    """Volumes with the feature RO are not repaired."""
    return done is None and (failed or "").startswith("UnsupportedError: repairing read-only")


def of_runs(said, done, again, result):
    """Compare the three runs: {word of FAULTS: sentence}."""
    found = {}
    less, more = differences(said, done)
    chosen, second = {subject_of(p) for p in severe(done) if p.is_chosen}, {subject_of(p) for p in severe(again)}
    if less or more:
        found["differ"] = "only -n %s, only -y %s" % (shown(less), shown(more))
    if chosen & second:
        found["untrue"] = "said to be fixed, and found again: %s" % shown(chosen & second)
    if done.state.name in ("SOUND", "REPAIRED") and second:
        found["second"] = "the second run finds %s" % shown(second)
    if done.left != again.found:
        found["count"] = "%d are left, the second run finds %d" % (done.left, again.found)
    is_due = done.fixed or done.recovered_nodes or done.recovered_orphans
    if result["wrote"] and not is_due:
        found["writes"] = "it writes, and repairs nothing"
    return found


def wrong(whole, said, done, again, result):
    """What may not be: {word of FAULTS: sentence}."""
    found = {}
    if said is None or done is None or again is None:
        if not is_refused(done, result["failed"]):
            found["fails"] = result["failed"]
        elif result["wrote"]:
            found["writes"] = "it refuses, and writes"
    else:
        found = of_runs(said, done, again, result)
    if result["reads"] > MOST_READS * whole.blocks + SOME_READS:
        found["reads"] = "%d reads" % result["reads"]
    if result["seconds"] > MOST_SECONDS:
        found["slow"] = "%.1f seconds" % result["seconds"]
    if result.get("gone"):
        found["gone"] = "could be read before the repair: %s" % result["gone"]
    return found


def one(whole, damage, seals, then=None):
    """Do one damage and judge it. then(bed, result, said, again) may look at the repaired volume."""
    result = {"id": damage.id, "kind": damage.kind, "order": damage.order}
    bed = Bed(whole.subject, damage, seals)
    try:
        said, result["failed"] = bed.check()
        checked = {"writes": "a check writes"} if bed.is_written() else {}
        before = Look(bed.devices)
        start = time.process_time()
        done, failed = bed.check(repair=True)
        result["seconds"] = round(time.process_time() - start, 3)
        result["reads"], result["wrote"] = bed.reads(), bed.is_written()
        if done and said and not result["wrote"] and not done.found:
            after, again, worse = before, done, None
        else:
            after = Look(bed.devices)
            again, worse = bed.check()
        result["failed"] = result["failed"] or failed or worse
        result["state"] = done.state.name if done else "FAILED"
        result["found"] = sorted({p.name for p in severe(done)})[:8] if done else []
        if not is_refused(done, failed):
            compare(whole, before, after, bed.devices, result)
        result["wrong"] = {**wrong(whole, said, done, again, result), **checked}
        if then:
            then(bed, result, said, again)
    finally:
        bed.close()
    return result


def said(whole, damage, seals):
    """The sentences of a check and of a repair, for people."""
    bed, found = Bed(whole.subject, damage, seals), {}
    try:
        for name, options in (("-n", {}), ("-y", {"repair": True}), ("again", {})):
            report, failed = bed.check(**options)
            found[name] = ["%s%s: %s" % ("[FIX] " if p.is_chosen else "", p.name, p.message) for p in report.problems] if report \
                else failed
    finally:
        bed.close()
    return found
