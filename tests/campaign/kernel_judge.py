# SPDX-License-Identifier: LGPL-2.1-or-later
"""Ask the kernel whether it accepts volumes: it must mount, walk, read and write them without a message, and must not ask for
a check. It must accept all volumes that a check calls sound.

    said = kernel_judge.ask([[path], [first, second]])      for each volume kernel messages and failures; [] is none

The volumes are changed. Many go into one guest; where that dies or hangs, the volume at work is to blame, and the next guest
continues with the others. One that this kernel cannot be asked about (blocks that are not pages, zones) gets None.
"""
import json
import os
import re
import struct
import sys
import tempfile

import f2fskit

HERE = os.path.dirname(os.path.abspath(__file__))
KERNEL = os.path.join(os.path.dirname(HERE), "kernel")
sys.path[:0] = [KERNEL]
import makers  # noqa: E402
import uml  # noqa: E402

GUEST = os.path.join(KERNEL, "guest", "accepting.py")
AT_ONCE = 200       # volumes of one guest
SECONDS = 60        # of a guest, and
SECONDS_EACH = 4    # for each of its volumes
SUPERBLOCK, MAGIC = 1024, 0xF2F52010
FEATURE, DEVICES = 2180, 2201
READ_ONLY, ZONED = 1 << 14, 1 << 1
# Of the checkpoint pack that is not in force, which a power cut may leave so. That the other one is used is looked at besides.
OTHER_PACK = re.compile(r"invalid (crc value|crc_offset|cp_pack_total_block_count)")
MOUNTED = re.compile(r"Mounted with checkpoint version = ([0-9a-f]+)")
# Contents that were damaged, of files that are sealed.
CONTENTS = re.compile(r"^fs-verity .*FILE CORRUPTED")
EXPECTED = [OTHER_PACK, *(re.compile(text) for text in makers.EXPECTED)]


class Superblock:
    """What decides how a volume is mounted, from the copy that the kernel will use."""

    def __init__(self, path):
        with open(path, "rb") as file:
            copies = [file.read(SUPERBLOCK + 3072)]
            file.seek(4096)
            copies.append(file.read(SUPERBLOCK + 3072))
        whole = [raw for raw in copies if len(raw) == SUPERBLOCK + 3072]
        valid = [raw for raw in whole if struct.unpack_from("<I", raw, SUPERBLOCK)[0] == MAGIC]
        raw = (valid or whole or [bytes(SUPERBLOCK + 3072)])[0][SUPERBLOCK:]
        self.log_block, _, self.segs_per_sec = struct.unpack_from("<III", raw, 16)
        self.feature, = struct.unpack_from("<I", raw, FEATURE)
        self.paths = [os.fsdecode(raw[at:at + 64].split(b"\0")[0]) for at in range(DEVICES, DEVICES + 8 * 68, 68)]

    def can_be_asked(self):
        """Not about blocks of 16 KiB, which this kernel has no pages for, nor about copies of zoned devices."""
        is_zoned = self.feature & ZONED and self.segs_per_sec > 1 and not self.paths[0]
        return self.log_block != 14 and not is_zoned


def version_of(disks):
    """Of the checkpoint in force, as we read it; 0 where we do not."""
    try:
        with f2fskit.open(disks[0], devices=disks[1:]) as volume:
            return int(volume.checkpoint.checkpoint_ver)
    except (f2fskit.Error, OSError):
        return 0


def job_of(name, disks, writes, work, view):
    """Return the guest's job for a volume; None where there is no use in asking."""
    superblock = Superblock(disks[0])
    if not superblock.can_be_asked():
        return None
    links = [path if re.fullmatch(r"/dev/[ -~]+", path) else "" for path in superblock.paths[1:len(disks)]]
    is_read_only = superblock.feature & READ_ONLY
    return {"name": name, "disks": [os.path.abspath(disk) for disk in disks], "links": links,
            "options": "ro" if is_read_only else "", "writes": writes and not is_read_only, "work": work, "view": view,
            "version": version_of(disks)}


def one_guest(jobs, kernel):
    """({name: messages about it}, the name of the volume at which the guest ended early or None)"""
    with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        json.dump(jobs, file)
        file.flush()
        done = uml.run([sys.executable, "-I", GUEST, file.name], kernel=kernel, timeout=SECONDS + SECONDS_EACH * len(jobs))
    said, now, sealed = {job["name"]: [] for job in jobs}, None, set()
    versions = {job["name"]: job["version"] for job in jobs}
    for line in done.stdout.decode(errors="replace").splitlines():
        now, _, failure = line.partition("\t")
        if failure:
            said[now].append(failure)
    for name, line in done.about():
        mounted = MOUNTED.search(line.text)
        if CONTENTS.search(line.text):
            sealed.add(name)
        elif mounted and name in said and int(mounted[1], 16) < versions[name]:
            said[name].append("mounted with checkpoint %s, not %x" % (mounted[1], versions[name]))
        elif line.problem and name in said and not any(x.search(line.text) for x in EXPECTED):
            said[name].append("kernel: " + line.text)
    for name in sealed & set(said):
        said[name] = [text for text in said[name] if not re.match(r"read .*: EIO$", text)]
    if not done.rc:
        return said, None
    if now is None:
        raise RuntimeError("the guest did not begin:\n" + done.stderr.decode(errors="replace")[-2000:])
    said[now].append("the time was up" if done.timed_out else "the guest died" if done.died else
                     "the guest ended with %d: %s" % (done.rc, done.stderr.decode(errors="replace")[-300:]))
    return said, now


def views_of(folder, count):
    """Return the guest's report of each volume: {path: contents that the kernel read}, or None."""
    found = []
    for i in range(count):
        path = os.path.join(folder, str(i))
        if os.path.exists(path):
            with open(path) as file:
                found.append(json.load(file))
        else:
            found.append(None)
    return found


def ask(volumes, kernel=None, writes=True, works=(), views=None):
    """volumes: of each the paths of its devices, the first one first. works: of each what is done besides (guest/accepting.py).
    views: a list that gets of each what the kernel read before it wrote, {path: type, owner, attributes, contents}, or None where
    it did not mount."""
    found, todo = [None] * len(volumes), []
    with tempfile.TemporaryDirectory() as folder:
        for i, disks in enumerate(volumes):
            view = None if views is None else os.path.join(folder, str(i))
            job = job_of("volume-%d" % i, disks, writes, works[i] if works else None, view)
            if job:
                found[i] = []
                todo.append(job)
        while todo:
            jobs = todo[:AT_ONCE]
            said, last = one_guest(jobs, kernel)
            names = [job["name"] for job in jobs]
            count = names.index(last) + 1 if last else len(names)
            for name in names[:count]:
                found[int(name[7:])] = said[name]
            todo = todo[count:]
        if views is not None:
            views += views_of(folder, len(volumes))
    return found
