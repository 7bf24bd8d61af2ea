# SPDX-License-Identifier: LGPL-2.1-or-later
"""Metadata images of what a kernel has written: the same report of a check, the same dumps, and no contents of files."""
import json

VIEWS = ["--info", "--superblock", "--checkpoint", "--logs", "--journals", "--orphans", "--recovery", "--nat", "--sit",
         "--ssa", "--quota", "--stat", "--tree"]


def check(run_tool, path):
    """Without the times that it took."""
    done = run_tool("fsck.f2fs", "-n", "--json", path, rc=None)
    report = json.loads(done.stdout)
    return done.returncode, report["problems"], {k: v for k, v in report.items() if isinstance(v, int)}


def views(run_tool, path):
    shown = json.loads(run_tool("dump.f2fs", "--json", "-q", *VIEWS, path, rc=None).stdout)
    return {**shown, "info": {**shown["info"], "image": None}}


def test_copy(image, run_tool, f2fskit, tmp_path):
    if len(image.paths) > 1:
        devices = [word for path in image.paths[1:] for word in ("--device", path)]
        done = run_tool("dump.f2fs", "--metadata-image", tmp_path / "x", *devices, image.path, rc=None)
        assert done.returncode & 2 == 0 and b"one device" in done.stderr and not (tmp_path / "x").exists()
        return
    copy = tmp_path / "copy.zst"
    run_tool("dump.f2fs", "-q", "--metadata-image", copy, image.path)
    assert check(run_tool, copy) == check(run_tool, image.path)
    assert views(run_tool, copy) == views(run_tool, image.path)
    plain = tmp_path / "plain"
    run_tool("dump.f2fs", "--restore-image", plain, copy)
    assert views(run_tool, plain) == views(run_tool, image.path)
    with f2fskit.open(image.path) as whole, f2fskit.open(plain) as without:
        for path, entry in whole.scan("/"):
            inode, other = entry.inode(), without.inode(entry.ino)
            assert inode.stat() == other.stat() and dict(inode.xattrs) == dict(other.xattrs)
            if inode.is_file() and inode.stat().st_size < 1 << 24 and not (inode.is_encrypted or inode.is_compressed):
                with other.open() as file:
                    while piece := file.read(1 << 20):
                        assert not any(piece), path
    scrambled = tmp_path / "other names"
    run_tool("dump.f2fs", "-q", "--scramble-names", "--metadata-image", scrambled, image.path)
    problems = [[(p["name"], p.get("ino"), p.get("block")) for p in check(run_tool, path)[1]]
                for path in (scrambled, image.path)]
    assert problems[0] == problems[1]
