# SPDX-License-Identifier: LGPL-2.1-or-later
"""Whole programs whose n-th read of a volume goes wrong: the volumes, the programs, and the permitted results.

- A read that fails once, or is short, changes neither the output nor the volume.
- A lasting failure is reported by the status or a message, or it makes no difference.
- Whatever happens, no program dies or runs for ever, programs that look change nothing, and the volume, read without faults,
  shows what it showed before or what it would show without the fault; and a check finds nothing.
- Zeros and older blocks, which the device returns without an error, cannot always be noticed. The checker finds their results.
"""
import collections
import dataclasses
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess

from unlucky_programs import LOOKS, WRITES, Operation

TRANSIENT = ("once", "part", "short", "end")
TOLD = ("place", "all")
SILENT = ("zeros", "zeros-once", "stale", "stale-once")
CONTENTS = 2        # where they are in a row of show_entry()
PASSING = rb"Done: [0-9.]+ secs|\[FSCK\] Max image size[^\n]*\n"   # not there when the volume cannot be opened at the end
PATIENCE = 300      # seconds of a run: only what never ends takes so long

KEY = bytes((5 + 11 * i) & 255 for i in range(64))
MAKE = "extra_attr,inode_checksum,flexible_inline_xattr,inode_crtime,lost_found,compression,verity,quota,project_quota"


def noise(seed, length):
    return hashlib.shake_128(b"%d" % seed).digest(length)


def extents(file):
    """(first byte, end) of the ranges that are no holes."""
    end = 0
    while True:
        try:
            at = os.lseek(file.fileno(), end, os.SEEK_DATA)
        except OSError:
            return
        end = os.lseek(file.fileno(), at, os.SEEK_HOLE)
        yield at, end


def copy_sparse(source, target):
    """Holes stay holes. A new file each time: some hosts flush what takes an old one's place."""
    if os.path.exists(target):
        os.unlink(target)
    with open(source, "rb") as old, open(target, "xb") as new:
        new.truncate(os.fstat(old.fileno()).st_size)
        for at, end in extents(old):
            while at < end:
                at += os.copy_file_range(old.fileno(), new.fileno(), end - at, at, at)


class Bench:
    """The volumes to start with, in a folder; each is a list of files. `older` are the same places at an earlier commit."""

    def __init__(self, f2fskit, tool, build_dir, folder):
        self.f2fskit, self.tool, self.folder, self.volumes, self.seen = f2fskit, tool, folder, {}, {}
        self.older = {}     # the name of the volume as it was one commit ago
        self.preload = os.path.join(build_dir, "tests/common/libwrong_reads.so")
        self.tree = os.path.join(folder, "tree")
        os.mkdir(self.tree)
        for name, length in (("large", 700_000), ("small", 50), ("medium", 9000)):
            with open(os.path.join(self.tree, name), "wb") as file:
                file.write(noise(length, length))
        for number in range(5):
            with open(os.path.join(self.tree, "file-%d" % number), "wb") as file:
                file.write(noise(number, 3000 * number))
        self.host = {word: os.path.join(folder, word.lower()) for word in ("TREE", "TAR", "MANIFEST", "OTHER", "KEY", "UNDO")}
        self.packed = os.path.join(folder, "packed")
        with open(self.packed, "wb") as file:
            file.write(b"the same again " * 20_000)
        with open(self.host["KEY"], "wb") as file:
            file.write(KEY)
        self.make_one_device()
        self.make_several()
        self.make_encrypted()
        self.make_large_blocks()
        self.make_sources()

    def path(self, name):
        return os.path.join(self.folder, name)

    def do(self, *words):
        program, *rest = words
        return subprocess.run([self.tool(program), *rest], check=True, capture_output=True, stdin=subprocess.DEVNULL)

    def keep(self, name, *paths, older=""):
        self.older[name] = older or name
        self.volumes[name] = [self.path("%s-%d" % (name, i)) for i in range(len(paths))]
        for source, target in zip(paths, self.volumes[name]):
            copy_sparse(source, target)

    def fill(self, name, image, devices=()):
        """Make two commits; keep the volume between them, and the volumes made from it."""
        with self.f2fskit.open(image, "r+", devices=devices) as volume:
            volume.path("/many").mkdir()
            for i in range(30):
                volume.path("/many/file-%d" % i).write_bytes(noise(i, (0, 90, 5000, 20000)[i % 4]))
            volume.path("/large").write_bytes(noise(100, 3_000_000))
            volume.path("/gone").write_bytes(b"<html>" + noise(101, 1_500_000))
            if name in ("clean", "small"):
                volume.path("/attributes").write_bytes(b"attributes")
                for i in range(3):
                    volume.path("/attributes").inode().xattrs["user.%s" % ("long", "b", "c")[i]] = noise(i, 1000)
        if name in ("clean", "small"):
            self.do("f2fs", "-w", image, "put", os.path.join(self.tree, "medium"), "/sealed", "--", "seal", "/sealed",
                    "--", "touch", "/packed", "--", "compress", "/packed", "--", "put", self.packed, "/packed")
        self.keep("older-" + name, image, *devices)
        with self.f2fskit.open(image, "r+", devices=devices) as volume:
            with volume.path("/large").open("r+b") as file:
                file.seek(400_000)
                file.write(noise(102, 1_000_000))
            for i in range(0, 30, 5):
                volume.path("/many/file-%d" % i).unlink()
            volume.path("/gone").unlink()
            volume.path("/last").write_bytes(noise(103, 40_000))
        self.keep(name, image, *devices, older="older-" + name)

    def make_one_device(self):
        work = self.path("work")
        self.do("mkfs.f2fs", "-q", "-O", MAKE, work, "80M")
        self.fill("clean", work)
        self.do("f2fs", "-w", "--undo=" + self.host["UNDO"], work, "rm", "/large")
        self.keep("undone", work, older="older-clean")
        self.use("clean", work)
        volume = self.f2fskit.open(work, "r+")
        for name in ("/many/file-2", "/new"):
            with volume.path(name).open("ab") as file:
                file.write(noise(104, 30_000))
            volume.path(name).inode().fsync()
        volume.path("/lost").write_bytes(b"lost")
        volume.close()
        self.keep("unclean", work, older="older-clean")
        self.damage("damaged", "clean", work)
        self.use("clean", work)
        with open(work, "r+b") as file:     # both superblocks, and a pack
            file.write(bytes(8192))
            file.seek(2 << 20)
            file.write(bytes(4096))
        self.keep("lost", work, older="older-clean")
        os.unlink(work)
        self.do("mkfs.f2fs", "-q", "-O", MAKE, work, "64M")
        self.fill("small", work)
        os.truncate(work, 80 << 20)
        self.keep("small", work, older="older-small")

    def damage(self, name, base, work):
        self.use(base, work)
        self.do("f2fs", "-w", work, "set", "inode[3].i_links", "99", "sit[2].valid_blocks", "3", "nat[9].version", "77",
                "dentry[3][\"last\"].hash_code", "5", "cp.valid_block_count", "1", "cp.ckpt_flags", "|=0x10")
        self.keep(name, work, older=self.older[base])

    def make_several(self):
        devices = self.path("first"), self.path("second")
        for path in devices:
            with open(path, "wb") as file:
                file.truncate(48 << 20)
        self.do("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,lost_found", "-c", devices[1], devices[0])
        self.fill("several", devices[0], devices[1:])
        os.truncate(devices[1], 64 << 20)
        self.keep("several-longer", *devices, older="older-several")

    def make_encrypted(self):
        work = self.path("work-encrypted")
        self.do("mkfs.f2fs", "-q", "-O", "encrypt,extra_attr,inode_checksum", work, "64M")
        self.do("f2fs", "-w", "--key", self.host["KEY"], work, "mkdir", "/secret", "--", "encrypt", "/secret", "--", "put", "-r",
                self.tree, "/secret/tree", "--", "put", os.path.join(self.tree, "large"), "/secret/large")
        self.fill("encrypted", work)

    def make_large_blocks(self):
        work = self.path("work-large-blocks")
        self.do("mkfs.f2fs", "-q", "-b", "16384", "-O", "extra_attr,inode_checksum", work, "256M")
        self.fill("large-blocks", work)
        self.damage("damaged-large-blocks", "large-blocks", work)

    def make_sources(self):
        """The tree as other sources of the same, and another image."""
        self.do("mkfs.f2fs", "-q", "--root-dir", self.tree, self.host["OTHER"], "64M")
        self.do("dump.f2fs", "--tar=" + self.host["TAR"], "--manifest=" + self.host["MANIFEST"] + ".all", self.host["OTHER"])
        with open(self.host["MANIFEST"] + ".all") as lines, open(self.host["MANIFEST"], "w") as file:
            for line in lines:
                row = json.loads(line)
                if row["type"] == "file":
                    row["source"] = os.path.join(self.tree, os.path.basename(row["path"]))
                file.write(json.dumps(row) + "\n")

    def use(self, name, *paths):
        for source, target in zip(self.volumes[name], paths):
            copy_sparse(source, target)

    # contents of a volume

    def show_entry(self, volume, path, entry):
        inode = volume.inode(entry.ino)
        stat = inode.stat()
        contents = hashlib.sha256(inode.read_bytes()).hexdigest() if entry.type.name == "REGULAR" else ""
        found = [path, entry.type.name, contents, stat.st_mode, stat.st_uid, stat.st_gid, stat.st_projid, int(stat.st_flags),
                 stat.st_size if entry.type.name != "DIRECTORY" else 0]
        return found + sorted((name, bytes(value)) for name, value in inode.xattrs.items() if str(name).startswith("user."))

    def show(self, paths):
        """Return everything that a volume shows, once recovered."""
        digest = hashlib.sha256()
        for path in paths:
            with open(path, "rb") as file:
                digest.update(b"%d" % os.fstat(file.fileno()).st_size)
                for at, end in extents(file):
                    digest.update(b"%d-%d" % (at, end))
                    file.seek(at)
                    digest.update(file.read(end - at))
        if digest.digest() not in self.seen:
            self.seen[digest.digest()] = self.look(paths)
        return self.seen[digest.digest()]

    def look(self, paths):
        try:
            with self.f2fskit.open(paths[0], devices=paths[1:], recover="view") as volume:
                if self.f2fskit.Feature.ENCRYPT in volume.geometry.feature:
                    volume.add_key(KEY)
                rows = [[volume.label]]
                for path, entry in volume.scan("/"):
                    rows.append(self.show_entry(volume, path, entry))
            rows.sort(key=repr)
            tree, names = repr(rows), repr([row[:1] for row in rows])
            contents = [row[CONTENTS] for row in rows if row[1:2] == ["REGULAR"]]
        except (self.f2fskit.Error, OSError) as error:
            tree, contents = type(error).__name__, []
            names = tree
        try:
            report = self.f2fskit.check(paths[0], devices=paths[1:])
            problems = sorted({problem.name for problem in report.problems if problem.severity})
        except (self.f2fskit.Error, OSError) as error:
            problems = [type(error).__name__]
        return Shown(hashlib.sha256(tree.encode()).hexdigest(), hashlib.sha256(names.encode()).hexdigest(), sorted(contents), problems)

    # a run

    def output(self, path):
        """Digest the files made on the host."""
        digest = hashlib.sha256()
        if os.path.isfile(path):
            with open(path, "rb") as file:
                digest.update(file.read())
        for top, folders, names in os.walk(path):
            folders.sort()
            for name in sorted(names):
                full = os.path.join(top, name)
                digest.update(repr((os.path.relpath(full, path), os.lstat(full).st_mode)).encode())
                if os.path.isfile(full) and not os.path.islink(full):
                    with open(full, "rb") as file:
                        digest.update(file.read())
        return digest.hexdigest()

    def earlier(self, operation):
        """Return the volume as at the commit before, or without fsynced data, and the result that it would give."""
        names = [self.older[operation.base]] + (["clean"] if operation.base == "unclean" else [])
        if operation not in self.seen:
            self.seen[operation] = [shows for name in names for shows in (
                self.show(self.volumes[name]), self.run(dataclasses.replace(operation, base=name)).shows)]
        return self.seen[operation]

    def run(self, operation, how="", n=0, again=False):
        """Do it with such a read; again: on the volume that the last run left."""
        base, out, count = self.volumes[operation.base], self.path("out"), self.path("count")
        paths = [self.path("run-%d" % i) for i in range(len(base))]
        if not again:
            self.use(operation.base, *paths)
        with open(count, "wb") as file:
            file.write(bytes(8))
        places = {"{}": paths[0], "OUT": out, **self.host}
        words = [re.sub("|".join(places), lambda found: places[found[0]], word) for word in operation.words.split()]
        if paths[1:] and words[0] != "mkfs.f2fs":
            words[1:1] = ["--device=" + path for path in paths[1:]]
        env = dict(os.environ, LD_PRELOAD=self.preload, WRONG_FILES=":".join(paths), WRONG_OLDER=":".join(self.volumes[self.older[operation.base]]),
                   WRONG_HOW=how, WRONG_N=str(n), WRONG_COUNT=count, SOURCE_DATE_EPOCH="1700000000",
                   ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0")
        try:
            done = subprocess.run([self.tool(words[0]), *words[1:]], env=env, capture_output=True, stdin=subprocess.DEVNULL,
                                  timeout=PATIENCE)
            status, stdout, stderr = done.returncode, done.stdout, done.stderr
        except subprocess.TimeoutExpired:
            status, stdout, stderr = None, b"", b""
        with open(count, "rb") as file:
            reads = struct.unpack("=Q", file.read())[0]
        result = Outcome(status, re.sub(PASSING, b"", stdout), stderr, self.output(out), reads, self.show(paths))
        if os.path.isdir(out):
            shutil.rmtree(out)
        elif os.path.exists(out):
            os.unlink(out)
        return result


@dataclasses.dataclass(frozen=True)
class Shown:
    """Digests of a volume's files, of their names alone and of each one's contents, and the problems that a check finds."""
    files: str
    names: str
    contents: list
    problems: list


@dataclasses.dataclass
class Outcome:
    status: object
    stdout: bytes
    stderr: bytes
    output: str
    reads: int
    shows: Shown

    def tells_more(self, other):
        """Was it reported by the status, a message, or a line of the result about unreadable parts?"""
        known = other.stdout.splitlines()
        return (self.status != other.status or set(self.stderr.splitlines()) - set(other.stderr.splitlines())
                or any(line not in known and (b"be read" in line or b"unreadable" in line) for line in self.stdout.splitlines()))

    def same(self, other, operation):
        return (self.status == other.status and self.shows == other.shows
                and (not operation.prints or (self.output == other.output and self.stdout == other.stdout)))


def judge(bench, operation, how, n, found, unharmed):
    """Return the fault of a run; None: none."""
    if found.status is None:
        return "it does not end"
    if found.status < 0 or found.status > 128 or b"Sanitizer" in found.stderr:
        return "it dies with %s" % found.status
    if not operation.writes and found.shows != bench.show(bench.volumes[operation.base]):
        return "it looks, and changes the volume"
    if found.reads < n or how in TRANSIENT:
        return None if found.same(unharmed, operation) else "it makes a difference"
    if how in TOLD and not found.tells_more(unharmed) and not found.same(unharmed, operation):
        return "it is not reported"
    if not operation.writes or (operation.remakes and found.status):
        return None
    return judge_volume(bench, operation, how, found, unharmed)


def lost(before, after):
    """Contents that are not there any more, under whatever name."""
    return sorted((collections.Counter(before.contents) - collections.Counter(after.contents)).elements())


def judge_volume(bench, operation, how, found, unharmed):
    before, shows = bench.show(bench.volumes[operation.base]), found.shows
    allowed = set(before.problems) | set(unharmed.shows.problems)
    repairs = operation.words.startswith("fsck.f2fs")
    if how in SILENT:   # the results of a lie are found, or are about contents, or about which commit is the last
        states = [before, unharmed.shows, *bench.earlier(operation)]
        if shows.problems or any(shows.names == state.names for state in states):
            return None
        if repairs:     # it repairs the volume as it reads it, and a lasting lie cannot be noticed
            return "contents are lost" if how.endswith("once") and lost(before, shows) else None
    elif shows.files in (before.files, unharmed.shows.files) or (repairs and not lost(before, shows)):
        if set(shows.problems) <= allowed:
            return None
        if not (operation.again or repairs) or not found.status:
            return "the volume is damaged: %s" % shows.problems
        again = bench.run(dataclasses.replace(operation, words=operation.again or operation.words), again=True).shows
        if again == unharmed.shows or (repairs and not again.problems and not lost(before, again)):
            return None
        return "done again it is still damaged: %s" % again.problems
    return "the volume is neither as before nor as after: %s" % shows.problems
