# SPDX-License-Identifier: LGPL-2.1-or-later
"""The guest's side of the tests of filling: a volume that the kernel wrote is the source of others, as a directory, as an
archive of GNU tar and as our own, and with a manifest; each is made on a disk, mounted, recorded and written to.

populate_all.py JOBS.json: {"source": disk, "mkfs", "dump": programs, "volumes": [{"how", "options", "disk", "out"}]}
"""
import json
import os
import subprocess
import sys
import traceback

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import kernelapi  # noqa: E402
import record  # noqa: E402

MNT = os.environ["MNT"]
TMP = os.path.join(MNT, "tmp")
SOURCE = os.path.join(TMP, "source")
TARGET = os.path.join(TMP, "target")


def call(*words, **kwargs):
    done = subprocess.run(words, stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, **kwargs)
    if done.returncode and not (done.returncode == 4 and words[0] == MKFS):
        raise RuntimeError("%s: %d: %s" % (words, done.returncode, done.stderr.decode(errors="replace")))
    return done.stderr.decode(errors="replace").splitlines()


def words_of(how, jobs):
    """The options for mkfs.f2fs."""
    archive, tree, manifest = (os.path.join(TMP, name) for name in ("archive", "tree", "manifest"))
    if how == "directory":
        return ["--root-dir", SOURCE]
    if how == "gnu-tar":
        call("tar", "-C", SOURCE, "--format=posix", "--sparse", "--acls", "--xattrs", "--xattrs-include=*",
             "--warning=no-file-ignored", "-cf", archive, ".")
        return ["--root-dir", archive]
    if how == "our-tar":
        call(jobs["dump"], "-q", "--keep=all", "--tar-compression=zstd", "--tar=" + archive, jobs["source"])
        return ["--root-dir", archive]
    call(jobs["dump"], "-q", "--extract=" + tree, "--manifest=" + manifest, jobs["source"])
    return ["--root-dir", tree, "--manifest", manifest]


def make(job, jobs):
    disk, words = job["disk"], words_of(job["how"], jobs)
    if "auto" in job["options"]:
        disk = os.path.join(TMP, "image")
    said = call(jobs["mkfs"], "-q", "-f", *job["options"], *words, disk)
    if disk != job["disk"]:
        call("cp", disk, job["disk"])
    return said


def look(job):
    is_read_only = any("ro" in word.split(",") for word in job["options"])
    kernelapi.mount(job["disk"], TARGET, "ro" if is_read_only else "")
    try:
        report = {"entries": record.tree(TARGET)}
        if not is_read_only and "auto" not in job["options"]:
            for i in range(100):
                with open(os.path.join(TARGET, "new-%d" % i), "wb") as f:
                    f.write(b"%d" % i * 1000)
            for i in range(0, 100, 2):
                os.unlink(os.path.join(TARGET, "new-%d" % i))
    finally:
        kernelapi.umount(TARGET)
    return report


def main():
    global MKFS
    with open(sys.argv[1]) as f:
        jobs = json.load(f)
    MKFS = jobs["mkfs"]
    kernelapi.mount("tmp", MNT, "size=95%,mode=755", kind="tmpfs")
    for path in (TMP, SOURCE, TARGET):
        os.mkdir(path)
    kernelapi.mount(jobs["source"], SOURCE, "ro,noatime")
    record.write(jobs["out"], record.tree(SOURCE))
    for job in jobs["volumes"]:
        kernelapi.say(job["how"])
        try:
            said = make(job, jobs)
            report = look(job)
            report["said"] = said
        except Exception:
            report = {"error": traceback.format_exc()}
        record.write(job["out"], report)
        call("rm", "-rf", *(os.path.join(TMP, name) for name in ("archive", "tree", "manifest", "image")))
    kernelapi.umount(SOURCE)
    kernelapi.umount(MNT)


main()
