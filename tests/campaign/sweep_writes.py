# SPDX-License-Identifier: LGPL-2.1-or-later
"""Change a damaged volume before anything is repaired, then repair it: no other file may lose more than by the repair alone."""
import collections
import stat
import zlib

import f2fskit

import sweep_judge

FILES, NAMES = 6, 60
AWAY = "/zz-away"


def make(volume, ino, path):
    """Make files and a directory, and remove some of the files, in two commits. Fill new segments and holes of old ones."""
    for i in range(FILES):
        volume.path("/zz-new-%d" % i).write_bytes(bytes([i + 1]) * (300000 + i))
    volume.commit()
    for i in range(0, FILES, 2):
        volume.path("/zz-new-%d" % i).unlink()
    volume.path("/zz-new").mkdir()
    for i in range(NAMES):
        volume.path("/zz-new/%d" % i).write_bytes(b"y" * i)


def overwrite(volume, ino, path):
    inode = volume.inode(ino)
    inode.pwrite(b"z" * (2 * volume.block_size + 9), 0)
    inode.pwrite(b"z" * 100, max(0, inode.size - 50))


def cut(volume, ino, path):
    inode = volume.inode(ino)
    inode.truncate(inode.size // 2)


def punch(volume, ino, path):
    flag, inode = f2fskit.FallocateFlag, volume.inode(ino)
    inode.fallocate(0, max(inode.size, 1), flag.PUNCH_HOLE | flag.KEEP_SIZE)


# A change of one file, by its number or its path. Changes of names cost that path alone, others all paths of the file.
CHANGES = {
    "unlink": lambda volume, ino, path: volume.path(path).unlink(),
    "rename": lambda volume, ino, path: volume.path(path).rename(AWAY),
    "replace": lambda volume, ino, path: (volume.path(AWAY).write_bytes(b"z"), volume.path(AWAY).replace(path)),
    "overwrite": overwrite,
    "cut": cut,
    "punch": punch,
}
OF_NAMES = ("unlink", "rename", "replace")


class Files:
    """Regular files of an undamaged volume: {inode number: [paths]}"""

    def __init__(self, subject):
        self.paths = collections.defaultdict(list)
        with f2fskit.open(subject.bases[0], devices=subject.bases[1:]) as volume:
            for path, entry in volume.scan("/"):
                if stat.S_ISREG(volume.inode(entry.ino).mode):
                    self.paths[entry.ino].append(path)
        # a change of names cannot know whether a name is one of several, which the inode does not remember
        self.linked = {path for paths in self.paths.values() if len(paths) > 1 for path in paths}

    def target(self, damage):
        """The number and a path of a file that the damage is about, or (None, None)."""
        owners = sorted(ino for ino in set().union(*(c.spot.owners for c in damage.changes)) if ino in self.paths)
        number = zlib.crc32(damage.id.encode())
        ino = owners[number % len(owners)] if owners else None
        return (ino, self.paths[ino][number % len(self.paths[ino])]) if owners else (None, None)


def files_of(whole):
    if not hasattr(whole, "files"):
        whole.files = Files(whole.subject)
    return whole.files


def plan(whole, damage, word=None):
    """The word of a change, the file it is of, and the paths that it may cost. The damage alone decides, unless a word is given:
    half of them make new files."""
    files, number = files_of(whole), zlib.crc32(b"change " + damage.id.encode())
    ino, path = files.target(damage)
    word = word or ("make" if number % 2 else list(CHANGES)[number // 2 % len(CHANGES)])
    if ino is None or word == "make":
        return "make", None, None, set()
    return word, ino, path, {path} if word in OF_NAMES else set(files.paths[ino])


def change(devices, word, ino, path):
    """Do a change of CHANGES, then make files: they take freed blocks."""
    with f2fskit.open(devices[0], "r+", devices=devices[1:]) as volume:
        if word != "make":
            CHANGES[word](volume, ino, path)
            volume.commit()
        make(volume, ino, path)
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


def one(whole, damage, seals, word=None):
    """The result of a damage: "gone" names files that the changes cost. The state is WRITTEN, or the error of refused changes."""
    word, ino, path, costs = plan(whole, damage, word)
    result = {"id": damage.id, "kind": damage.kind, "order": damage.order, "change": word, "wrong": {}}
    alone, _ = repaired(whole, damage, seals, lambda _: None)
    found, error = repaired(whole, damage, seals, lambda devices: change(devices, word, ino, path))
    result["state"] = error or "WRITTEN"
    if word in OF_NAMES:
        costs |= files_of(whole).linked
    gone = [name for name, state in alone.items()
            if whole.look.found.get(name) == state and found.get(name) != state and name not in costs]
    if gone:
        result["wrong"]["gone"] = "lost by %s before the repair: %s" % (word, gone[:6])
    return result
