# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of the tests of zoned volumes: our programs and the kernel write a zoned device in turn.

zoned_life.py live JOB.json     formats and fills the device with mkfs.f2fs --root-dir, then the kernel, f2fs and the
                                kernel's recovery and ours change it; at last it is copied to an image
zoned_life.py mount JOB.json    the image goes to a device zone by zone, is mounted and changed
zoned_life.py full JOB.json     the kernel writes until nothing more fits, deletes and writes again
zoned_life.py resize JOB.json   a small volume on the device grows and shrinks by resize.f2fs; the kernel writes it in between
A job is {"mib", "zone", "conventional", "capacity", "image", "source", "more", "programs", "out", "steps"}; "resize" has
"sizes", too, "full" "options", "rounds" and perhaps "first", a device before the zoned one.
"""
import errno
import json
import os
import subprocess
import sys
import time

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402
import record  # noqa: E402
from guest_volume import Volume  # noqa: E402

MNT = os.environ["MNT"]
MIB = 1 << 20


class Life:
    def __init__(self, job):
        self.job = job
        self.device = kernelapi.zoned_device(job["mib"], job["zone"], job["conventional"], job.get("capacity", 0),
                                             512 if "first" in job else 4096)
        self.volume = Volume("zoned", [self.device], MNT, {})
        self.steps, self.start = [], time.monotonic()
        self.defragmented = 0  # files

    def run(self, program, *words):
        done = subprocess.run([self.job["programs"][program], *words], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text = done.stdout.decode(errors="replace")
        self.steps.append("%7.2f %s %s" % (time.monotonic() - self.start, program, " ".join(words)))
        if done.returncode:
            raise RuntimeError("%s %s: %d\n%s" % (program, " ".join(words), done.returncode, text))
        return text

    def same(self, *trees):
        subprocess.run(["diff", "-r", "--no-dereference", "--exclude=lost+found", *trees], check=True)

    def mounted(self, work):
        """Mounts, works, unmounts; afterwards our check finds nothing."""
        self.volume.mount()
        try:
            result = work()
        finally:
            self.volume.umount()
        self.check(self.volume.device)
        return result

    def check(self, device):
        self.run("fsck.f2fs", "-n", "-f", device)

    def workload(self, name):
        v = self.volume
        v.mkdir(name)
        for i in range(30):
            v.write("%s/file-%d" % (name, i), v.noise(40_000 + 997 * i), fsync=i % 9 == 0)
        v.write(name + "/big", v.noise(9 * MIB))
        for i in range(0, 30, 3):
            os.unlink(v.path(name, "file-%d" % i))
        v.sync()
        for i in range(1, 30, 3):
            v.write("%s/file-%d" % (name, i), v.noise(9000), offset=5000)

    def write_and_stop(self):
        """Files that only fsync has made durable."""
        v = self.volume
        v.write("first/file-1", b"fsynced" * 3000, fsync=True)
        v.write("first/new", v.noise(3 * MIB), fsync=True)
        expected = record.tree(MNT)
        v.stop_dead()
        return expected


def contents(entries):
    """A directory that got a name by recovery carries the time of that."""
    ignore = {"dir": ("atime", "mtime", "ctime"), "file": ("atime", "map", "fiemap")}
    return {path: {k: v for k, v in e.items() if k not in ignore.get(e["kind"], ())} for path, e in entries.items()}


def differences(a, b):
    return [(path, a.get(path), b.get(path)) for path in sorted({*a, *b}) if a.get(path) != b.get(path)]


def must_be_same(a, b):
    wrong = differences(contents(a), contents(b))
    if wrong:
        raise RuntimeError("%d differences, first %s" % (len(wrong), wrong[:2]))


def live(life):
    job, f2fs = life.job, lambda *words: life.run("f2fs", "-w", life.device, *words)
    life.run("mkfs.f2fs", "-q", "-f", "-m", "-O", "extra_attr,inode_checksum,quota,lost_found", "--root-dir",
             job["source"], life.device)
    life.run("fsck.f2fs", "-n", "-f", life.device)
    if "\n      %d blocks per zone\n" % (job["zone"] << 8) not in life.run("dump.f2fs", life.device):
        raise RuntimeError("dump.f2fs says nothing of the zones")
    life.mounted(lambda: (life.same(job["source"], MNT), life.workload("first")))
    # our work on files that the kernel wrote
    f2fs("mkdir", "/ours")
    for name in sorted(os.listdir(job["more"])):
        f2fs("put", os.path.join(job["more"], name), "/ours/" + name)
    f2fs("rm", "-r", "/first/big")
    life.run("fsck.f2fs", "-n", "-f", life.device)
    life.mounted(lambda: (life.same(job["more"], MNT + "/ours"), life.workload("second")))
    # the kernel's fsynced files, recovered by us
    life.volume.mount()
    expected = life.write_and_stop()
    f2fs("recover")
    life.run("fsck.f2fs", "-n", "-f", life.device)
    f2fs("rm", "-r", "/second")
    life.mounted(lambda: must_be_same({p: e for p, e in expected.items() if not p.startswith("second") and p},
                                      {p: e for p, e in record.tree(MNT).items() if p}))
    # damage, repaired on the device
    life.run("inject.f2fs", "--sit", "0", "--mb", "vblocks", "--blk", str(first_block(life)), "--val", "77", life.device)
    repaired = subprocess.run([job["programs"]["fsck.f2fs"], "-y", "-f", life.device], stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE)
    if repaired.returncode != 1:
        raise RuntimeError("repair: %d\n%s" % (repaired.returncode, repaired.stdout.decode()))
    life.run("fsck.f2fs", "-n", "-f", life.device)
    entries = life.mounted(lambda: (life.workload("third"), record.tree(MNT))[1])
    entries = cleaned(life, entries)
    entries = in_order(life, entries)
    life.steps.append({"sections": 0, "defragmented": life.defragmented})
    copy_out(life.device, job["image"])
    return entries


def cleaned(life, before):
    """Cleaning by each policy, zones being reset: to the kernel all is as before, and it writes on."""
    for policy in ("greedy", "cost-benefit", "age"):
        life.steps.append(json.loads(life.run("f2fs", "-w", "--json", life.device, "gc", "-p", policy, "-u", "100")))
        life.run("fsck.f2fs", "-n", "-f", life.device)
    return written_on(life, before, "cleaned")


def written_on(life, before, name):
    def work():
        must_be_same(before, record.tree(MNT))
        life.workload(name)
        life.volume.sync()
        return record.tree(MNT)
    return life.mounted(work)


def in_order(life, before):
    """Files in one piece, then all of them as directories list them, then free space: to the kernel all is as before."""
    for order in ("score", "tree", "space"):
        would = json.loads(life.run("defrag.f2fs", "--json", "-n", "--order=" + order, life.device))
        found = json.loads(life.run("defrag.f2fs", "--json", "--order=" + order, life.device))
        if dict(found, dry_run=True) != would or found["end"] != "done":
            raise RuntimeError("defrag %s: %s, and the rehearsal %s" % (order, found, would))
        life.defragmented += found["files_placed"]
        life.run("fsck.f2fs", "-n", "-f", life.device)
    return written_on(life, before, "in-order")


def first_block(life):
    text = life.run("dump.f2fs", "--json", "--superblock", life.device)
    return json.loads(text)["superblock"]["main_blkaddr"]


def copy_out(device, image):
    """Where nothing was written a zone reads as 0xFF; that becomes a hole."""
    nothing = (bytes(1 << 16), b"\xff" * (1 << 16))
    with open(device, "rb", buffering=0) as a, open(image, "r+b", buffering=0) as b:
        at = 0
        while chunk := a.read(1 << 16):
            if chunk not in nothing:
                b.seek(at)
                b.write(chunk)
            at += len(chunk)
        b.truncate(at)


def copy_in(life):
    """Each zone from its start, as far as it holds something."""
    job, zone = life.job, life.job["zone"] * MIB
    size = job.get("capacity", 0) * MIB or zone
    with open(job["image"], "rb", buffering=0) as a:
        fd = os.open(life.device, os.O_RDWR | os.O_DIRECT)
        buffer = kernelapi.aligned_buffer(MIB)
        for i in range(job["mib"] * MIB // zone):
            a.seek(i * zone)
            chunk = a.read(zone if i < job["conventional"] else size)
            kept = -(-len(chunk.rstrip(b"\0")) // 4096) * 4096
            for at in range(0, kept, MIB):
                n = min(MIB, kept - at)
                buffer[:n] = chunk[at:at + n].ljust(n, b"\0")
                os.pwrite(fd, memoryview(buffer)[:n], i * zone + at)
        os.fsync(fd)
        os.close(fd)


def mount(life):
    copy_in(life)
    return life.mounted(lambda: (record.tree(MNT), life.workload("fourth"))[0])


def resize(life):
    life.run("mkfs.f2fs", "-q", "-f", "-m", "-O", "extra_attr,inode_checksum,quota,lost_found", life.device, life.job["sizes"][0])
    expected = life.mounted(lambda: (life.workload("first"), record.tree(MNT))[1])
    for number, size in enumerate(life.job["sizes"][1:]):
        before = expected
        life.steps.append(json.loads(life.run("resize.f2fs", "--json", life.device, size)))
        life.run("fsck.f2fs", "-n", "-f", life.device)

        def work(name="after-%d" % number, before=before):
            must_be_same(before, record.tree(MNT))
            life.workload(name)
            life.volume.sync()
            return record.tree(MNT)
        expected = life.mounted(work)
    return expected


def write_until_full(life, prefix):
    """Files of a MiB and of some blocks, until there is no room; how many bytes there were."""
    written = 0
    for number in range(10_000):
        name, size = "%s-%d" % (prefix, number), (1 << 20, 5000, 40_960)[number % 3]
        try:
            life.volume.write(name, life.volume.noise(size))
        except OSError as e:
            if e.errno != errno.ENOSPC:
                raise
            os.unlink(life.volume.path(name))
            return written
        written += size
    raise RuntimeError("the device is never full")


def full(life):
    """All that statfs promises can be written, again and again."""
    words = ["-c", life.device, life.job["first"]] if "first" in life.job else [life.device]
    life.run("mkfs.f2fs", "-q", "-f", "-m", *life.job["options"], *words)
    life.volume = Volume("zoned", [words[-1], life.device], MNT, {})
    life.check(words[-1])

    def fill():
        rounds = []
        for number in range(life.job["rounds"]):
            promised = os.statvfs(MNT)
            rounds.append([promised.f_bavail * promised.f_frsize, write_until_full(life, "round-%d" % number)])
            life.volume.sync()
            for i, name in enumerate(sorted(os.listdir(MNT))):
                if i % 3 == number % 3:
                    os.unlink(life.volume.path(name))
            life.volume.sync()
        life.steps.append({"rounds": rounds})
        return record.tree(MNT)
    before = life.mounted(fill)
    return life.mounted(lambda: (must_be_same(before, record.tree(MNT)), record.tree(MNT))[1])


def main():
    with open(sys.argv[2]) as f:
        job = json.load(f)
    life = Life(job)
    record.write(job["out"], {"entries": {"live": live, "mount": mount, "resize": resize, "full": full}[sys.argv[1]](life),
                             "steps": life.steps})


main()
