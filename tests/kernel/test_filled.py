# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that we filled hold, to the kernel, what their source holds: from a directory, from archives, from a manifest; also
read-only ones and ones of the smallest size."""
import json
import os
import sys

import pytest

import makers
import reading
import uml
from test_extract import NOT_EXTRACTED, extractable

HERE = os.path.dirname(os.path.abspath(__file__))
EXTRA = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"
CASES = {
    "directory": ("directory", ["-O", EXTRA + ",quota,project_quota"]),
    "directory-auto": ("directory", ["--size", "auto"]),
    "directory-ro": ("directory", ["-O", "ro", "--size", "auto"]),
    "directory-packed": ("directory", ["-O", EXTRA + ",compression,ro", "--compress", "--compress-algorithm", "zstd:5", "--log-cluster-size", "3",
                                       "--release", "--size", "auto"]),
    "gnu-tar": ("gnu-tar", ["-O", EXTRA]),
    "our-tar": ("our-tar", []),
    "manifest": ("manifest", ["-s", "2", "-O", EXTRA]),
}
# Tar has no sockets. libarchive reads no ids of ACLs beyond 2^31 and no sign of times within the second before 1970.
LOST = {"gnu-tar": {"socket"}, "our-tar": {"socket"}}
MISREAD = {"tree/acls/default", "tree/acls/default/heir", "tree/acls/default/sub", "tree/owners/time-4"}


@pytest.fixture(scope="module")
def filled(kernel, tool, tmp_path_factory):
    """(the source's entries, {case: (report, image)})"""
    work = tmp_path_factory.mktemp("filled")
    source = makers.make(["plain"], kernel=kernel)["plain"]
    assert not source.error, source.error
    disks, volumes = [], []
    for i, (case, (how, options)) in enumerate(CASES.items()):
        disk = work / (case + ".img")
        with open(disk, "wb") as f:
            f.truncate(256 << 20)
        disks.append(str(disk))
        volumes.append({"how": how, "options": [w for o in options for w in o.split(",,")], "disk": "/dev/ubd" + "bcdefgh"[i],
                        "out": str(work / (case + ".json"))})
    jobs = {"source": "/dev/ubda", "mkfs": tool("mkfs.f2fs"), "dump": tool("dump.f2fs"), "out": str(work / "source.json"),
            "volumes": volumes}
    (work / "jobs.json").write_text(json.dumps(jobs))
    run = uml.run([sys.executable, "-I", os.path.join(HERE, "guest", "populate_all.py"), str(work / "jobs.json")],
                  images=[source.path + ":ro"] + disks, kernel=kernel, mem="1G", timeout=600)
    run.check()
    reports = {case: (json.loads((work / (case + ".json")).read_text()), disks[i]) for i, case in enumerate(CASES)}
    return json.loads((work / "source.json").read_text()), reports


def without(entries, kinds):
    return {path: e for path, e in entries.items() if reading.resolve(entries, path)["kind"] not in kinds}


@pytest.mark.parametrize("case", CASES)
def test_filled_volume(filled, peer_check, case):
    source, reports = filled
    report, image = reports[case]
    assert "error" not in report, report["error"]
    expected, got = without(source, LOST.get(CASES[case][0], ())), dict(report["entries"])
    if "tar" in case:
        for line in report["said"]:
            assert "system.posix_acl" in line and "beyond" in line
        assert len(report["said"]) == 4
        for path in MISREAD:
            del expected[path], got[path]
    else:
        assert not report["said"]
    reading.must_be_same(extractable(expected), extractable(got), ignore=NOT_EXTRACTED)
    assert reading.hard_links(expected) == reading.hard_links(got)
    if "ro" not in CASES[case][1]:
        peer_check(image)


@pytest.mark.parametrize("case", CASES)
def test_holes_stay_holes(filled, case):
    source, reports = filled
    got = reports[case][0]["entries"]
    sparse = 0
    for path, entry in source.items():
        if entry.get("kind") == "file":
            blocks = reading.resolve(got, path)["blocks"]
            assert blocks <= entry["blocks"] + 32, path
            sparse += entry["size"] // 512 > blocks + 32
    assert sparse > 3
