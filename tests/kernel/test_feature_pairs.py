# SPDX-License-Identifier: LGPL-2.1-or-later
"""From each set of features to each other one, on volumes that mkfs.f2fs made and the kernel filled: it reads all files and uses the new ones.

A sample here; F2FSKIT_LONG_RUNS=1 takes every pair.
"""
import json
import os
import subprocess
import sys

import pytest

import uml

JOB = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "feature_use.py")
EXTRA = "extra_attr"
NEED_EXTRA = ["inode_checksum", "flexible_inline_xattr", "inode_crtime", "compression", "project_quota"]
SETS = {"none": set(), **{name: {name} for name in (EXTRA, "encrypt", "verity", "sb_checksum", "casefold", "quota", "lost_found",
                                                    "large_nat_bitmap")},
        **{name: {EXTRA, name} | ({"quota"} if name == "project_quota" else set()) for name in NEED_EXTRA}}
SETS["all"] = set().union(*SETS.values())
NEEDED = {"encrypt", "casefold", "compression", "verity", "project_quota"}  # by files that use them
KERNEL = {"recent", "compression", "encryption", "casefold", "verity"}
LONG = bool(os.environ.get("F2FSKIT_LONG_RUNS"))
ENDS = {name: [end for end in (*SETS, "ro") if end != name] for name in SETS} if LONG else {"none": ["all", "ro"], "all": ["none", "casefold", "ro"]}


def make(run_tool, path, features):
    words = ["-i"] if "large_nat_bitmap" in features else []
    names = ",".join(sorted(features - {"large_nat_bitmap"}))
    run_tool("mkfs.f2fs", "-q", *words, *(["-O", names] if names else []), *(["-C", "utf8"] if "casefold" in features else []), path, "128M")


def ask(kernel, folder, jobs, paths):
    rows = [dict(job, disk="/dev/ubd" + chr(ord("a") + i)) for i, job in enumerate(jobs)]
    (folder / "jobs.json").write_text(json.dumps(rows))
    result = uml.run([sys.executable, "-I", JOB, str(folder / "jobs.json")], images=[str(path) for path in paths], kernel=kernel, mem="700M", timeout=900)
    result.check()
    assert result.stdout == b"", result.stdout.decode()


def change(run_tool, path, before, after):
    """Files that need a feature are named, and removed then."""
    words = ["+" + name for name in sorted(after - before)] + ["-" + name for name in sorted(before - after)]
    convert = ["--convert"] if EXTRA in before | after else []
    gone = sorted((before - after) & NEEDED)
    if gone:
        was = path.read_bytes()
        said = run_tool("f2fs", "-w", path, "feature", *convert, *words, rc=1).stderr.decode()
        assert "needs it" in said and any(f"{name} stays as it is" in said for name in gone), said
        assert path.read_bytes() == was
    run_tool("f2fs", "-w", path, "rm", "-r", "/used")
    told = json.loads(run_tool("f2fs", "--json", path, "feature", "-n", *convert, *words).stdout)
    done = json.loads(run_tool("f2fs", "-w", "--json", path, "feature", *convert, *words).stdout)
    assert {**told, "dry_run": False} == done
    found = set(done["features_names"]) | ({"large_nat_bitmap"} if done["large_nat_bitmap"] else set())
    assert found == after, (found, after)


@pytest.fixture(scope="module")
def filled(kernel, run_tool, tmp_path_factory):
    """{name: (path, list)}: a volume of each set that the test starts from."""
    if not KERNEL <= kernel.features:
        pytest.skip("this kernel lacks " + ", ".join(sorted(KERNEL - kernel.features)))
    folder = tmp_path_factory.mktemp("filled")
    names = list(ENDS)
    paths = {name: (folder / f"{name}.img", folder / f"{name}.json") for name in names}
    for name in names:
        make(run_tool, paths[name][0], SETS[name])
    ask(kernel, folder, [{"about": name, "task": "fill", "features": sorted(SETS[name]), "list": str(paths[name][1])} for name in names],
        [paths[name][0] for name in names])
    return paths


@pytest.mark.parametrize("start", ENDS)
def test_each_to_each_other(kernel, run_tool, peer_check, tmp_path, filled, start):
    image, files = filled[start]
    paths, jobs = [], []
    for name in ENDS[start]:
        paths.append(tmp_path / f"{name}.img")
        subprocess.run(["cp", "--sparse=always", image, paths[-1]], check=True)
        after = SETS[start] | {"ro"} if name == "ro" else SETS[name]
        change(run_tool, paths[-1], SETS[start], after)
        peer_check(paths[-1])
        jobs.append({"about": f"{start} to {name}", "task": "look" if name == "ro" else "use", "features": sorted(after), "list": str(files)})
    assert len(paths) <= uml.MAX_IMAGES
    ask(kernel, tmp_path, jobs, paths)
    for path in paths:
        peer_check(path)
        path.unlink()
