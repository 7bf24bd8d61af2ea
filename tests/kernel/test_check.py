# SPDX-License-Identifier: LGPL-2.1-or-later
"""The checker finds nothing wrong on volumes that a kernel wrote: every image of the catalogue, also those of which the
power was cut, where the last checkpoint is checked."""
import json

import pytest

# Remarks that a check may make without calling them problems, and for which images.
NOTES = {"CP_PENDING": "cut-", "CP_UNFINISHED": "cut-", "CP_DISABLED": "checkpoint-disabled", "SB_ZONES_ELSEWHERE": "zoned"}


@pytest.fixture
def check(run_tool):
    def run(image, *options, rc=0):
        devices = [word for path in image.paths[1:] for word in ("--device", path)]
        return json.loads(run_tool("fsck.f2fs", "-n", "--json", *options, *devices, image.path, rc=rc).stdout)
    return run


def test_nothing_is_found(image, check):
    report = check(image, "--content")
    assert report["state"] == "sound" and report["found"] == 0, report["problems"][:20]
    assert {p["name"] for p in report["problems"]} <= {n for n, names in NOTES.items() if image.name.startswith(names)}


# of the others the kernel shows the recovered state
@pytest.mark.images(lambda spec: not spec.name.startswith(("cut-", "checkpoint-disabled")))
def test_counts_are_those_of_the_kernel(image, check):
    """Each inode that the kernel shows was met, and no other (clean images; hidden quota files are not counted)."""
    report, kinds = check(image), {}
    inodes = {entry["ino"]: entry["kind"] for entry in image.manifest()["entries"].values() if "ino" in entry}
    for kind in inodes.values():
        kinds[kind] = kinds.get(kind, 0) + 1
    assert report["orphans"] == 0
    assert report["files"] == kinds.get("file", 0)
    assert report["directories"] == kinds.get("dir", 0)
    assert report["symlinks"] == kinds.get("symlink", 0)
