# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metadata images of volumes that a kernel wrote: the same report of a check, the same dumps, and no contents of files."""
import json

VIEWS = ["--info", "--superblock", "--checkpoint", "--logs", "--journals", "--orphans", "--recovery", "--nat", "--sit",
         "--ssa", "--quota", "--stat", "--tree"]


def check(run_tool, path, devices=()):
    """Without the times that it took."""
    done = run_tool("fsck.f2fs", "-n", "--json", *devices, path, rc=None)
    report = json.loads(done.stdout)
    return done.returncode, report["problems"], {k: v for k, v in report.items() if isinstance(v, int)}


def views(run_tool, path, devices=()):
    shown = json.loads(run_tool("dump.f2fs", "--json", "-q", *VIEWS, *devices, path, rc=None).stdout)
    return {**shown, "info": {**shown["info"], "image": None}}


def test_copy(image, run_tool, f2fskit, tmp_path):
    devices = ["--device=%s" % path for path in image.paths[1:]]
    copy = tmp_path / "copy.zst"
    run_tool("dump.f2fs", "-q", "--metadata-image", copy, *devices, image.path)
    assert check(run_tool, copy) == check(run_tool, image.path, devices)
    original = views(run_tool, image.path, devices)
    original["superblock"]["devs"] = []     # the copy is one device
    assert views(run_tool, copy) == original
    plain = tmp_path / "plain"
    run_tool("dump.f2fs", "--restore-image", plain, copy)
    assert views(run_tool, plain) == original
    with f2fskit.open(image.path, devices=image.paths[1:]) as whole, f2fskit.open(plain) as without:
        for path, entry in whole.scan("/"):
            inode, other = entry.inode(), without.inode(entry.ino)
            assert inode.stat() == other.stat() and dict(inode.xattrs) == dict(other.xattrs)
            if inode.is_file() and inode.stat().st_size < 1 << 24 and not (inode.is_encrypted or inode.is_compressed):
                with other.open() as file:
                    while piece := file.read(1 << 20):
                        assert not any(piece), path
    scrambled = tmp_path / "other names"
    run_tool("dump.f2fs", "-q", "--scramble-names", "--metadata-image", scrambled, *devices, image.path)
    problems = [[(p["name"], p.get("ino"), p.get("block")) for p in report[1]]
                for report in (check(run_tool, scrambled), check(run_tool, image.path, devices))]
    assert problems[0] == problems[1]
