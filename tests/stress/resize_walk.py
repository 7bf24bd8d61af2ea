#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Random walks of volumes that are grown and shrunk while they are written, cleaned, filled and defragmented.

    PYTHONPATH=build/python tests/stress/resize_walk.py [--seed N] [--steps N] [--minutes N] [--folder DIR] [--kernel]

A model in memory knows each file. After each step both checkers find nothing, and the tree is that of the model. Every seed
takes another set of features. With --kernel, the kernel of tests/kernel reads all files after each step, writes and unmounts.
What fails is named with its seed and step; the image is kept.
"""
import argparse
import hashlib
import io
import os
import random
import shutil
import subprocess
import sys
import tarfile
import time

MIB = 1 << 20
FEATURES = "extra_attr,inode_checksum,sb_checksum,inode_crtime,quota,project_quota,lost_found"
# options of mkfs.f2fs; does f2fs-tools 1.15 know such volumes?
KINDS = [
    ("", True),
    ("-O " + FEATURES + ",compression,flexible_inline_xattr", True),
    ("-s 2", True),
    ("-s 4 -z 2", True),
    ("-i", True),
    ("-O extra_attr,compression,casefold,encrypt,verity -C utf8", True),
    ("-b 16384", False),
    ("-b 16384 -O packed_ssa", False),
    ("-i -s 3 -O " + FEATURES, True),
    ("-o 12", True),
]
# The kernel's work on each disk: read the model's files, write, and remove its own files.
KERNEL = r"""
set -e
while [ $# -gt 0 ]; do
    mount /dev/$1 $MNT
    (cd $MNT && sha256sum --quiet --check $2)
    mkdir $MNT/kernel
    if [ $(stat -f -c %a $MNT) -gt 4000 ]; then
        dd if=/dev/urandom of=$MNT/kernel/big bs=256k count=8 2> /dev/null
        for i in $(seq 30); do echo $i > $MNT/kernel/$i; done
        sync
    fi
    rm -r $MNT/kernel
    umount $MNT
    shift 2
done
"""
# The reasons for which a step may be refused, before anything is written.
REFUSALS = ("cannot hold the blocks in use", "too small for the blocks in use", "too little is free", "no whole zones", "no room")


class WalkError(AssertionError):
    pass


def contents_of(rng):
    size = rng.choice((rng.randrange(1, 4000), rng.randrange(4000, 200000), rng.randrange(200000, 4 * MIB)))
    seed = rng.randbytes(8)
    if rng.random() < 0.3:
        return seed * (size // 8 + 1)  # it can be compressed
    return hashlib.shake_128(seed).digest(size)


class Walk:
    def __init__(self, f2fskit, seed, folder, mkfs="mkfs.f2fs", peer=None):
        self.f2fskit, self.rng, self.peer = f2fskit, random.Random(seed), peer
        self.path = os.path.join(str(folder), "walk-%d.img" % seed)
        options, self.peer_knows = KINDS[seed % len(KINDS)]
        self.size = self.rng.choice((256, 320) if "16384" in options else (160, 256, 320)) * MIB
        with open(self.path, "wb") as f:
            f.truncate(self.size)
        subprocess.run([mkfs, "-q", "-f", *options.split(), self.path], check=True, capture_output=True)
        self.model, self.number, self.done = {}, 0, []
        with self.open() as volume:
            for name in ("/a", "/b", "/c"):
                volume.path(name).mkdir()
            if "compression" in options:
                volume.lookup("/b").compress("lzo")
        self.write(60)

    def open(self, access="r+"):
        return self.f2fskit.open(self.path, access)

    # steps: each returns a description

    def write(self, count=None):
        wanted = count or self.rng.randrange(1, 40)
        with self.open() as volume:
            volume.configure(logging=self.rng.choice(("adaptive", "normal", "threaded")), commit_when_full=True)
            for i in range(wanted):
                if volume.statfs().free_blocks * volume.block_size < 12 * MIB:
                    return "write %d, then it was full" % i
                self.number += 1
                path, data = "/%s/%d" % (self.rng.choice("abc"), self.number), contents_of(self.rng)
                volume.path(path).write_bytes(data)
                self.model[path] = data
        return "write %d" % wanted

    def overwrite(self):
        with self.open() as volume:
            volume.configure(commit_when_full=True)
            for path in self.rng.sample(sorted(self.model), min(len(self.model), 12)):
                data = bytearray(self.model[path])
                if volume.statfs().free_blocks * volume.block_size < 12 * MIB:
                    return "overwrite, then it was full"
                for _ in range(4):
                    at = self.rng.randrange(len(data))
                    piece = self.rng.randbytes(min(len(data) - at, 5000))
                    volume.lookup(path).pwrite(piece, at)
                    data[at:at + len(piece)] = piece
                self.model[path] = bytes(data)
        return "overwrite"

    def remove(self):
        paths = self.rng.sample(sorted(self.model), self.rng.randrange(len(self.model) // 2 + 1))
        with self.open() as volume:
            for path in paths:
                volume.path(path).unlink()
                del self.model[path]
        return "remove %d" % len(paths)

    def clean(self):
        policy = self.rng.choice(("greedy", "cost-benefit", "age"))
        with self.open() as volume:
            found = volume.gc(policy, sections=self.rng.randrange(1, 30), used_limit=95)
        return "gc %s: %d blocks" % (policy, found.data_blocks + found.node_blocks)

    def populate(self):
        archive, added = io.BytesIO(), {}
        with tarfile.open(fileobj=archive, mode="w") as tar:
            for _ in range(self.rng.randrange(1, 12)):
                self.number += 1
                data = contents_of(self.rng)
                info = tarfile.TarInfo("c/%d" % self.number)
                info.size = len(data)
                tar.addfile(info, io.BytesIO(data))
                added["/c/%d" % self.number] = data
        with self.open() as volume:
            if volume.statfs().free_blocks * volume.block_size < 2 * sum(map(len, added.values())) + 12 * MIB:
                return "populate: too full"
            archive.seek(0)
            volume.populate(tar=archive)
        self.model.update(added)
        return "populate %d" % len(added)

    def defrag_options(self, order):
        """Something of each option."""
        chance, names = self.rng.random, sorted(self.model)
        some = self.rng.sample(names, min(len(names), self.rng.randrange(1, 30)))
        options = {"blocks": self.rng.choice((0, 0, 500, 2000)), "move_pinned": chance() < 0.5}
        if order == "list":
            options["parts"] = [path if chance() < 0.5 else (path, self.rng.randrange(1 << 18), self.rng.randrange(1 << 20))
                                for path in some or ["/a"]]
        elif order != "space":
            options["paths"] = self.rng.choice(((), (), ("/b",), some))
            options["include"] = self.rng.choice(((), (), ("*[02468]",), ("/a/**", "*7*")))
        if chance() < 0.3:
            options["free"] = self.rng.randrange(1, 60)
        return options

    def defragment(self):
        order = self.rng.choice(("score", "tree", "age", "space", "list"))
        options = self.defrag_options(order)
        with self.open() as volume:
            plain = sorted(path for path in self.model if not path.startswith("/b"))  # files with clusters cannot be pinned
            pinned = self.rng.sample(plain, min(len(plain), self.rng.choice((0, 0, 3))))
            for path in pinned:
                volume.lookup(path).set(pin=True)
            volume.commit()
            before = {path: list(volume.lookup(path).extents()) for path in pinned}
            would = volume.defrag(order, dry_run=True, **options)
            found = volume.defrag(order, **options)
            if found != would:
                names = [name for name in found._fields if getattr(found, name) != getattr(would, name)]
                raise WalkError("a dry run of %s %r says other %s" % (order, options, names))
            if found.unconfirmed or found.unreadable:
                raise WalkError("%d unconfirmed, %d unreadable" % (found.unconfirmed, found.unreadable))
            for path in pinned:
                if not options["move_pinned"] and list(volume.lookup(path).extents()) != before[path]:
                    raise WalkError("a pinned file moved: " + path)
                volume.lookup(path).set(pin=False)
        moved = found.blocks_placed + found.blocks_cleared
        return "defrag %s %s: %d blocks, %s" % (order, " ".join(sorted(k for k, v in options.items() if v)), moved,
                                                found.end.name)

    def move_range(self):
        with self.open() as volume:
            start, end = volume.geometry.main_blkaddr, volume.geometry.end_blkaddr
            first = self.rng.randrange(start, end - 1)
            length = min(self.rng.choice((100, 700, 5000)), end - first)
            target = self.rng.choice([at for at in (start, first - 1, first + length, end - 1)
                                      if start <= at < end and not first <= at < first + length])
            try:
                found = volume.defrag_range(first, length, target, leftwards=target < first or target == end - 1)
            except self.f2fskit.NospcError:
                return "range: no room"
        return "range: %d blocks" % found.moved

    def resize(self):
        found = self.f2fskit.resize(self.path, dry_run=True)
        largest = self.rng.choice((400 * MIB, 1200 * MIB, 6000 * MIB))
        size = self.rng.randrange(found.minimum_bytes, max(largest, found.minimum_bytes + 1))
        length = os.path.getsize(self.path)
        over = self.rng.choice((None, None, None, 5.0, 20.0))
        try:
            if self.rng.random() < 0.15:
                done = self.f2fskit.resize(self.path, minimum=True, truncate=True)
            else:
                done = self.f2fskit.resize(self.path, size, truncate=self.rng.random() < 0.5, overprovision=over)
        except self.f2fskit.NospcError as why:
            if not any(text in str(why) for text in REFUSALS):
                raise
            if os.path.getsize(self.path) != length:
                raise WalkError("a resize that was refused left a longer file") from why
            return "resize to %d: %s" % (size, why)
        kinds = "+".join(step.kind.name for step in done.steps)
        return "resize %d -> %d MiB by %s" % (done.old_bytes // MIB, done.new_bytes // MIB, kinds)

    # proof

    def look(self):
        report = self.f2fskit.check(self.path, content=True)
        if report.found:
            raise WalkError("; ".join(p.message for p in report.problems[:5]))
        if self.peer and self.peer_knows:
            done = subprocess.run([self.peer, "--dry-run", "-f", self.path], capture_output=True, stdin=subprocess.DEVNULL)
            bad = [line for line in done.stdout.decode(errors="replace").splitlines() if "[Fail]" in line or "ASSERT" in line]
            if done.returncode or bad:
                raise WalkError("f2fs-tools: %d %s" % (done.returncode, bad[:5]))
        with self.open("r") as volume:
            for name in "abc":
                there = {"/%s/%s" % (name, path.name) for path in volume.path("/" + name).iterdir()}
                known = {path for path in self.model if path.startswith("/" + name)}
                if there != known:
                    raise WalkError("other names: %s" % sorted(there ^ known)[:5])
            for path, data in self.model.items():
                if volume.read_bytes(path) != data:
                    raise WalkError("other contents: " + path)

    def step(self):
        what = self.rng.choices((self.resize, self.write, self.overwrite, self.remove, self.clean, self.populate,
                                 self.defragment, self.move_range), (8, 4, 3, 3, 2, 2, 4, 1))[0]
        self.done.append(what.__name__)
        self.done[-1] = what()
        self.look()
        return self.done[-1]


def ask_kernel(uml, walks, kernel=None):
    """The volumes of some walks are the disks of one guest. Blocks of 16 KiB no kernel with pages of 4 KiB knows."""
    walks, words = [walk for walk in walks if walk.peer_knows], []
    for number, walk in enumerate(walks):
        with open(walk.path + ".sums", "w") as f:
            f.writelines("%s  .%s\n" % (hashlib.sha256(data).hexdigest(), path) for path, data in walk.model.items())
        words += ["ubd%c" % (97 + number), walk.path + ".sums"]
    if walks:
        uml.run(KERNEL, images=[walk.path for walk in walks], args=words, kernel=kernel).check()


def find_peer():
    return shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")


def main():
    import f2fskit

    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--steps", type=int, default=40, help="of each walk")
    parser.add_argument("--minutes", type=float, default=5)
    parser.add_argument("--folder", default="/tmp")
    parser.add_argument("--mkfs", default=os.path.join(os.path.dirname(__file__), "..", "..", "build", "mkfs", "mkfs.f2fs"))
    parser.add_argument("--kernel", action="store_true", help="ask the kernel after each step")
    arguments = parser.parse_args()
    if arguments.kernel:
        sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "kernel"))
        import uml
    end, seed, failed, steps = time.monotonic() + arguments.minutes * 60, arguments.seed, 0, 0
    while time.monotonic() < end:
        walk = Walk(f2fskit, seed, arguments.folder, arguments.mkfs, find_peer())
        try:
            for number in range(arguments.steps):
                print("seed %d step %d: %s" % (seed, number, walk.step()), flush=True)
                steps += 1
                if arguments.kernel:
                    ask_kernel(uml, [walk])
                    walk.look()
                if time.monotonic() >= end:
                    break
            os.unlink(walk.path)
        except Exception as why:  # pylint: disable=broad-except
            failed += 1
            print("seed %d step %d: FAILED in %s: %s: %s" % (seed, number, walk.done[-1], type(why).__name__, why), flush=True)
        seed += 1
    print("%d steps, %d walks, %d failed" % (steps, seed - arguments.seed, failed))
    return failed > 0


if __name__ == "__main__":
    raise SystemExit(main())
