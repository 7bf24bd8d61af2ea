# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsck.f2fs from the command line: exit codes, output, and volumes of our own writing, in which nothing is wrong."""
import json
import os
import subprocess
import sys

import pytest

import volumes

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EXTRA = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"


@pytest.fixture
def check(run_tool):
    def run(image, *options, rc=0):
        return json.loads(run_tool("fsck.f2fs", "--json", *options, image, rc=rc).stdout)
    return run


def test_list_of_checks_is_current(tool):
    made = subprocess.run([sys.executable, os.path.join(TOP, "docs", "make_checks.py"), tool("fsck.f2fs")],
                          capture_output=True, check=True).stdout
    with open(os.path.join(TOP, "docs", "CHECKS.md"), "rb") as f:
        assert f.read() == made, "run docs/make_checks.py"


def test_exit_codes(run_tool, tmp_path):
    run_tool("fsck.f2fs", "--help")
    run_tool("fsck.f2fs", "-V")
    run_tool("fsck.f2fs", rc=16)
    run_tool("fsck.f2fs", "--no-such-option", rc=16)
    run_tool("fsck.f2fs", "--explain=nothing", rc=16)
    run_tool("fsck.f2fs", tmp_path / "missing", rc=8)
    (tmp_path / "zeros").write_bytes(bytes(1 << 20))
    run_tool("fsck.f2fs", tmp_path / "zeros", rc=8)


def test_explain(run_tool):
    assert b"LINKS_FILE" in run_tool("fsck.f2fs", "--explain=604").stdout
    assert run_tool("fsck.f2fs", "--explain=P604").stdout == run_tool("fsck.f2fs", "--explain=LINKS_FILE").stdout


@pytest.mark.parametrize("options", [
    (), ("-O", EXTRA), ("-O", EXTRA + ",quota,project_quota,lost_found,sb_checksum"), ("-s", "4"), ("-i",),
    ("-b", "16384"), ("-b", "16384", "-O", "packed_ssa"), ("-O", "ro")], ids=lambda o: "-".join(o) or "plain")
def test_new_volumes_are_clean(run_tool, check, tmp_path, options):
    run_tool("mkfs.f2fs", "-q", *options, tmp_path / "disk.img", "512M")
    report = check(tmp_path / "disk.img")
    assert report["state"] == "sound" and not report["problems"], report["problems"]
    assert report["directories"] == 1 + ("lost_found" in " ".join(options))


@pytest.mark.parametrize("options", [(), ("-O", EXTRA + ",quota,project_quota,lost_found"), ("-s", "4")],
                         ids=["plain", "features", "sections"])
def test_written_volumes_are_clean(run_tool, check, tmp_path, options):
    source, image = tmp_path / "source", tmp_path / "disk.img"
    source.mkdir()
    volumes.plant(source)
    run_tool("mkfs.f2fs", "-q", *options, "--root-dir", source, image, "256M")
    report = check(image)
    assert report["state"] == "sound" and not report["problems"], report["problems"]


def test_random_changes_are_clean(run_tool, check, build_dir, tmp_path):
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", "-O", EXTRA + ",quota", image, "512M")
    subprocess.run([os.path.join(build_dir, "tests", "stress", "stress"), image, host, "5", "500", "120"], check=True,
                   capture_output=True)
    report = check(image)
    assert report["state"] == "sound" and not report["problems"], report["problems"]


def test_volumes_of_others_are_clean(planted, check):
    report = check(planted[0])
    assert report["found"] == 0, report["problems"]
