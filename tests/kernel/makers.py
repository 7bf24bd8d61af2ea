#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Makes the images of images.py through a real kernel, each with the manifest of the kernel's view.

    made = makers.make(["plain", "casefold"])           # {name: Image}
    made["plain"].paths, made["plain"].manifest(), made["plain"].facts()

Images are made in batches, many per boot and some guests side by side, first filled, then looked at by a second
guest that starts from nothing but what is on the disk. They are kept in the cache under a key made of all that
they depend on: the catalogue, the guest's programs, the formatting program and the kernel.
As a program: makers.py [--mkfs PROGRAM] [--copy DIR] [NAME...]   (all of them; --list names them)
"""
import argparse
import concurrent.futures
import dataclasses
import fcntl
import functools
import glob
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
import images  # noqa: E402  (puts guest/ on the path)
import trees  # noqa: E402
import uml  # noqa: E402
from guest_volume import Volume  # noqa: E402

GUEST_MAKE = os.path.join(HERE, "guest", "make.py")
KEEP_SECONDS = 86400               # how long an image stays that nobody asks for
# Kernel messages about a volume that was stopped on purpose.
EXPECTED = (r"Stopped filesystem due to reason: 0", r"checkpoint=enable", r"Start checkpoint disabled!",
            r"recover fsync data on (read-?only|RO)", r"Unable to complete outstanding orphan")


@dataclasses.dataclass(frozen=True)
class Formatter:
    """A program that takes mkfs.f2fs's options; `sload` fills a volume offline."""
    mkfs: str = "mkfs.f2fs"
    sload: str = "sload.f2fs"
    label: str = "peer"

    def program(self):
        found = shutil.which(self.mkfs, path=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")
        if not found:
            raise FileNotFoundError(self.mkfs)
        return os.path.abspath(found)

    def command(self):
        """The words that start every call, so that each caller gets the same volume."""
        return [self.program(), "-q", "-f", "-R", "0:0"]

    @functools.cached_property
    def identity(self):
        """Changes when the program or an F2FS library that it uses does."""
        digest = hashlib.sha256()
        program = self.program()
        libraries = subprocess.run(["ldd", program], capture_output=True, text=True).stdout
        for path in [program] + sorted(p for p in re.findall(r"=> (\S+)", libraries) if "f2fs" in os.path.basename(p)):
            with open(path, "rb") as f:
                digest.update(f.read())
        return digest.hexdigest()


PEER = Formatter()

# Of source_tree(): sload.f2fs 1.16.0 writes it wrong to volumes with extra attributes, as the kernel sees, too.
SLOAD_SPOILS = "files/direct-nodes"


def newer_tools():
    """(folder, ""): f2fs-tools newer than Debian 12's, those of $F2FSKIT_NEWER_F2FS_TOOLS or of Debian 13; or
    ("", why there are none)."""
    named = os.environ.get("F2FSKIT_NEWER_F2FS_TOOLS")
    if named:
        return named, ""
    done = subprocess.run([os.path.join(HERE, "newer-tools")], capture_output=True, text=True)
    return done.stdout.strip(), done.stderr.strip()


@dataclasses.dataclass
class Image:
    name: str
    directory: str

    @property
    def spec(self):
        return images.CATALOGUE[self.name]

    @property
    def paths(self):
        return [os.path.join(self.directory, "disk.%d" % i) for i in range(len(self.spec.sizes))]

    @property
    def path(self):
        return self.paths[0]

    def load(self, name):
        with open(os.path.join(self.directory, name + ".json")) as f:
            return json.load(f)

    def manifest(self, view="manifest"):
        return self.load(view)

    def facts(self):
        return self.load("facts") if os.path.exists(os.path.join(self.directory, "facts.json")) else {}

    @property
    def error(self):
        """Why it could not be made; None if it is there."""
        path = os.path.join(self.directory, "error")
        if not os.path.exists(path):
            return None
        with open(path) as f:
            return f.read()


def store():
    return os.path.join(uml.cache_dir(), "images")


@functools.lru_cache(maxsize=None)
def sources_digest():
    digest = hashlib.sha256()
    for path in sorted(glob.glob(os.path.join(HERE, "guest", "*.py"))) + [os.path.join(HERE, "images.py")]:
        with open(path, "rb") as f:
            digest.update(f.read())
    return digest.hexdigest()


def directory_of(name, formatter, kernel):
    parts = (name, sources_digest(), formatter.identity, kernel.identity, *sorted(uml.guest_forms()))
    key = hashlib.sha256("\0".join(parts).encode()).hexdigest()
    return os.path.join(store(), "%s-%s-%s" % (name, formatter.label, key[:16]))


def possible(kernel):
    """Names of the images that this kernel can make."""
    return [n for n, s in images.CATALOGUE.items() if s.needs <= kernel.features]


def make(names=None, formatter=PEER, kernel=None, guests=None):
    """Makes those of the images that are not in the cache; {name: Image}, also of those that failed."""
    kernel = kernel or uml.find_or_build_kernel()
    names = possible(kernel) if names is None else list(dict.fromkeys(names))
    os.makedirs(store(), exist_ok=True)
    with open(os.path.join(store(), ".lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        made = {n: Image(n, directory_of(n, formatter, kernel)) for n in names}
        missing = [n for n in names if not os.path.isdir(made[n].directory)]
        if missing:
            with tempfile.TemporaryDirectory(prefix=".making.", dir=store()) as work:
                make_missing(missing, made, formatter, kernel, work, guests or min(os.cpu_count() or 1, 4))
        for image in made.values():
            if os.path.isdir(image.directory):
                os.utime(image.directory)
        forget_old()
    return made


def forget_old():
    for path in glob.glob(os.path.join(store(), "*-*-*")):
        if os.path.getmtime(path) < time.time() - KEEP_SECONDS:
            shutil.rmtree(path, ignore_errors=True)


def batches(names, guests):
    """Splits the work so that guests finish at about the same time and none has too many disks."""
    todo = sorted(names, key=lambda n: -images.CATALOGUE[n].cost)
    groups = []
    for name in todo:
        spec = images.CATALOGUE[name]
        if spec.mem > 512:
            groups.append([name])
            continue
        disks = len(spec.sizes) * len(spec.views)
        fitting = [g for g in groups if images.CATALOGUE[g[0]].mem <= 512
                   and sum(len(images.CATALOGUE[n].sizes) * len(images.CATALOGUE[n].views) for n in g) + disks <= uml.MAX_IMAGES]
        group = min(fitting, key=lambda g: sum(images.CATALOGUE[n].cost for n in g), default=None)
        if group is None or (len(groups) < guests and sum(images.CATALOGUE[n].cost for n in group) > 4):
            group = []
            groups.append(group)
        group.append(name)
    return groups


def make_missing(names, made, formatter, kernel, work, guests):
    with concurrent.futures.ThreadPoolExecutor(guests) as pool:
        futures = {pool.submit(make_batch, group, formatter, kernel, work): group for group in batches(names, guests)}
        for future in concurrent.futures.as_completed(futures):
            future.result()
            for name in futures[future]:
                os.rename(os.path.join(work, name), made[name].directory)


def source_tree(top):
    """What sload.f2fs puts into an image: it keeps regular files, directories and symlinks."""
    v = Volume("sload", ["/dev/null"], top, {})
    v.sync = lambda: None
    trees.files(v, "files")
    trees.names(v, "names")
    for size in (10, 5000, 100000, 1000000):
        v.write("text-%d" % size, v.text(size))
    for length in (1, 100, 3000):
        os.symlink("t" * length, v.path("symlink-%d" % length))


def format_on_host(name, formatter, work):
    """Formats, and for the sload images fills, without a guest. Returns an error text or None."""
    spec = images.CATALOGUE[name]
    disk = os.path.join(work, name, "disk.0")
    done = subprocess.run([*formatter.command(), *spec.mkfs, disk], stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, text=True)
    if done.returncode:
        return "mkfs ended with %d\n%s" % (done.returncode, done.stdout)
    if spec.sload is None:
        return None
    with tempfile.TemporaryDirectory(dir=work) as top:
        source_tree(top)
        env = dict(os.environ, PATH=os.environ.get("PATH", "") + ":/usr/local/sbin:/usr/sbin:/sbin")
        done = subprocess.run([formatter.sload, "-f", top, *spec.sload, disk], env=env, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, errors="replace")
    if done.returncode not in (0, 1):           # 1 is its normal success
        return "sload ended with %d\n%s" % (done.returncode, done.stdout[-3000:])
    return None


def job_for(name, formatter, work):
    spec = images.CATALOGUE[name]
    top = os.path.join(work, name)
    in_guest = len(spec.sizes) > 1 or spec.zoned
    views = dict(spec.views, **{"with-key": None})
    return {"image": name, "disks": {}, "files": [os.path.join(top, "disk.%d" % i) for i in range(len(spec.sizes))],
            "mkfs": [*formatter.command(), *spec.mkfs] if in_guest else None,
            "views": {v: os.path.join(top, v + ".json") for v in views}, "facts": os.path.join(top, "facts.json"),
            "error": os.path.join(top, "error")}


def make_batch(names, formatter, kernel, work):
    jobs = []
    for name in names:
        spec = images.CATALOGUE[name]
        os.mkdir(os.path.join(work, name))
        job = job_for(name, formatter, work)
        for path, size in zip(job["files"], spec.sizes):
            with open(path, "wb") as f:
                f.truncate(size)
        failed = None if job["mkfs"] else format_on_host(name, formatter, work)
        if failed:
            fail(job, failed)
        jobs.append(job)

    run_guest("make", [j for j in jobs if not broken(j)], kernel, work)
    run_guest("record", [j for j in jobs if not broken(j) and not images.CATALOGUE[j["image"]].zoned], kernel, work)
    for job in jobs:
        for leftover in glob.glob(os.path.join(work, job["image"], "copy.*")):
            os.unlink(leftover)


def fail(job, text):
    with open(job["error"], "a") as f:
        f.write(text + "\n")


def broken(job):
    return os.path.exists(job["error"])


def disk_name(index):
    return "ubd" + chr(ord("a") + index)


def disks_to_make(job, disks):
    """All images are written in place, except the zoned one, whose device is in the guest's memory."""
    if images.CATALOGUE[job["image"]].zoned:
        return
    job["disks"] = {"make": [disk_name(len(disks) + i) for i in range(len(job["files"]))]}
    disks += job["files"]


def disks_to_record(job, disks):
    """Looked at read-only; a view that needs a writable mount gets a copy."""
    job["disks"] = {}
    for view, how in images.CATALOGUE[job["image"]].views.items():
        job["disks"][view] = [disk_name(len(disks) + i) for i in range(len(job["files"]))]
        for path in job["files"]:
            if not how.writes:
                disks.append(path + ":ro")
                continue
            copy = os.path.join(os.path.dirname(path), "copy.%s.%s" % (view, os.path.basename(path)))
            subprocess.check_call(["cp", "--sparse=always", "--reflink=auto", path, copy])
            disks.append(copy)


def run_guest(action, jobs, kernel, work):
    if not jobs:
        return
    disks = []
    for job in jobs:
        (disks_to_make if action == "make" else disks_to_record)(job, disks)
    with tempfile.NamedTemporaryFile("w", suffix=".json", dir=work) as f:
        json.dump(jobs, f)
        f.flush()
        mem = max(images.CATALOGUE[j["image"]].mem for j in jobs)
        r = uml.run([sys.executable, "-I", GUEST_MAKE, action, f.name], images=disks, kernel=kernel, mem="%dM" % mem,
                    timeout=900)
    if os.environ.get("F2FSKIT_VERBOSE"):
        sys.stderr.buffer.write(r.stdout + r.stderr)
    blame(r, jobs)


def blame(result, jobs):
    """Gives each image the kernel's complaints that came while it was at work."""
    by_name = {j["image"]: j for j in jobs}
    current = jobs[0]
    for subject, line in result.about():
        current = by_name[subject] if subject else current
        if line.problem and not any(re.search(x, line.text) for x in EXPECTED):
            fail(current, "kernel: " + line.text)
    if result.rc:
        what = "time was up" if result.timed_out else "the guest died" if result.died else "status %d" % result.rc
        words = "".join("  %s\n" % line.text for line in result.log[-30:])
        fail(current, "%s\n%s%s" % (what, words, result.stderr[-3000:].decode(errors="replace")))
        for job in jobs[jobs.index(current) + 1:]:
            fail(job, "not made: the guest ended early, at %s" % current["image"])


def main():
    p = argparse.ArgumentParser(prog="makers.py", description="Make the test images through a real kernel.")
    p.add_argument("names", nargs="*", metavar="NAME", help="images of the catalogue (default: all)")
    p.add_argument("--list", action="store_true", help="name the images and stop")
    p.add_argument("--mkfs", metavar="PROGRAM", help="format with this program instead of f2fs-tools'")
    p.add_argument("--copy", metavar="DIR", help="copy the images and their manifests there")
    o = p.parse_args()
    if o.list:
        print("\n".join(images.CATALOGUE))
        return 0
    made = make(o.names or None, Formatter(o.mkfs, label="given") if o.mkfs else PEER)
    failed = 0
    for name, image in made.items():
        if image.error:
            failed += 1
            print("%s: FAILED\n%s" % (name, image.error.rstrip()))
            continue
        print("%s: %s" % (name, image.directory))
        if o.copy:
            subprocess.check_call(["cp", "-r", "--sparse=always", image.directory, os.path.join(o.copy, name)])
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
