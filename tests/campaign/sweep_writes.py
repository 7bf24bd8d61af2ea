# SPDX-License-Identifier: LGPL-2.1-or-later
"""Write to a damaged volume before anything is repaired, then repair it: no file may lose more than by the repair alone."""
import f2fskit

import sweep_judge

FILES, NAMES = 6, 60


def change(devices):
    """Make files and a directory, and remove some of the files, in two commits. Fill new segments and holes of old ones."""
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        for i in range(FILES):
            volume.path("/zz-new-%d" % i).write_bytes(bytes([i + 1]) * (300000 + i))
        volume.commit()
        for i in range(0, FILES, 2):
            volume.path("/zz-new-%d" % i).unlink()
        volume.path("/zz-new").mkdir()
        for i in range(NAMES):
            volume.path("/zz-new/%d" % i).write_bytes(b"y" * i)
        volume.commit()


def repaired(whole, damage, seals, first):
    """{path: state} after first(devices) and a repair, and the error that ended first."""
    bed, error = sweep_judge.Bed(whole.subject, damage, seals), None
    try:
        try:
            first(bed.devices)
        except (f2fskit.Error, OSError, ValueError) as refusal:
            error = type(refusal).__name__
        bed.check(repair=True)
        return sweep_judge.Look(bed.devices).found, error
    finally:
        bed.close()


def one(whole, damage, seals):
    """The result of a damage: "gone" names files that the changes cost. The state is WRITTEN, or the error of refused changes."""
    result = {"id": damage.id, "kind": damage.kind, "order": damage.order, "wrong": {}}
    alone, _ = repaired(whole, damage, seals, lambda _: None)
    found, error = repaired(whole, damage, seals, change)
    result["state"] = error or "WRITTEN"
    gone = [path for path, state in alone.items() if whole.look.found.get(path) == state and found.get(path) != state]
    if gone:
        result["wrong"]["gone"] = "lost by writing before the repair: %s" % gone[:6]
    return result
