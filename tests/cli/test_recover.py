# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that wait for recovery, with the programs: seen, seen recovered, and changed after recovery."""
import json
import os
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
FSYNCED = r"""
import sys
import f2fskit
with f2fskit.open(sys.argv[1], "r+") as volume:
    with volume.root.create("kept").open("r+") as file:
        file.write(b"k" * 9000)
volume = f2fskit.open(sys.argv[1], "r+")
new = volume.root.create("new")
with new.open("r+") as file:
    file.write(b"n" * 5000)
new.fsync()
volume.root.create("not-synced")
volume.close()
"""


@pytest.fixture
def unclean(run_tool, python_dir, tmp_path):
    image = tmp_path / "unclean.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    env = dict(os.environ, PYTHONPATH=python_dir)
    if subprocess.run([sys.executable, "-c", "import f2fskit"], env=env, capture_output=True).returncode:
        pytest.skip("the Python module is not built")
    subprocess.run([sys.executable, "-c", FSYNCED, str(image)], env=env, check=True)
    return image


def test_the_plan_as_json(run_tool, unclean):
    got = json.loads(run_tool("dump.f2fs", "--json", "--recovery", unclean).stdout)["recovery"]
    assert got["needs_recovery"] and got["end"] == "foreign" and got["fsynced"] == 1
    [inode] = got["inodes"]
    assert inode["is_new"] and inode["name"] == "new" and inode["parent"] == 3 and inode["size"] == 5000
    assert sum(r["count"] for r in inode["ranges"] if r["kind"] == "data") == 2
    assert len(got["chain"]) == got["nodes"] and got["chain"][0]["addr"] == got["start"]
    assert any(n["fsync"] and n["dentry"] and n["replayed"] for n in got["chain"])


def test_the_plan_as_text(run_tool, unclean):
    text = run_tool("dump.f2fs", "--recovery", unclean).stdout.decode()
    assert "needs_recovery = yes\n" in text and "end = foreign\n" in text and "inodes[0].name = new\n" in text
    text = run_tool("dump.f2fs", "--recovery", "--recover-view", unclean).stdout.decode()
    assert "needs_recovery = no\n" in text and "nodes = 0\n" in text


def test_the_recovered_view(run_tool, unclean, tmp_path):
    before = unclean.read_bytes()
    run_tool("dump.f2fs", "--extract=%s" % (tmp_path / "old"), unclean)
    assert sorted(os.listdir(tmp_path / "old")) == ["kept"]
    run_tool("dump.f2fs", "--recover-view", "--extract=%s" % (tmp_path / "new"), unclean)
    assert sorted(os.listdir(tmp_path / "new")) == ["kept", "new"]
    assert (tmp_path / "new" / "new").read_bytes() == b"n" * 5000
    run_tool("dump.f2fs", "--recover-view", "--rescue", "--info", unclean, rc=8)
    assert unclean.read_bytes() == before


def test_sload_recovers_first(run_tool, peer_check, unclean, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "loaded").write_bytes(b"l" * 10000)
    done = run_tool("sload.f2fs", "-f", tmp_path / "source", unclean, rc=8)
    assert b"--recover" in done.stderr
    run_tool("sload.f2fs", "--recover", "-f", tmp_path / "source", unclean)
    peer_check(unclean)
    run_tool("dump.f2fs", "--extract=%s" % (tmp_path / "back"), unclean)
    assert sorted(os.listdir(tmp_path / "back")) == ["kept", "loaded", "new"]


@pytest.mark.parametrize("way", [("fsck.f2fs", "-y", "{}"), ("f2fs", "-w", "--recover", "{}", "ls"),
                                 ("resize.f2fs", "--recover", "{}", "80M")], ids=" ".join)
def test_the_advice_recovers(run_tool, unclean, way):
    """Programs without that option name those that have it."""
    said = run_tool("defrag.f2fs", unclean, rc=None).stderr.decode()
    assert "fsck.f2fs -y, or --recover of f2fs -w, sload.f2fs and resize.f2fs" in said
    run_tool(*(word.format(unclean) for word in way))
    run_tool("defrag.f2fs", unclean)
    assert b"new" in run_tool("f2fs", unclean, "ls", "/").stdout


def test_the_recover_command(run_tool, peer_check, unclean):
    assert b"-w" in run_tool("f2fs", unclean, "recover", rc=None).stderr
    done = json.loads(run_tool("f2fs", "-w", "--json", unclean, "recover").stdout)
    assert done["changed"] and done["new_inodes"] == done["names"] == 1 and done["blocks"] == 2
    assert not json.loads(run_tool("f2fs", "-w", "--json", unclean, "recover").stdout)["changed"]
    assert b"new" in run_tool("f2fs", unclean, "ls", "/").stdout
    peer_check(unclean)


def test_giving_up_what_was_fsynced(run_tool, unclean):
    run_tool("f2fs", "-w", unclean, "recover", "-d")
    assert b"new" not in run_tool("f2fs", unclean, "ls", "/").stdout


def test_commands_recover_first(run_tool, peer_check, unclean):
    before = unclean.read_bytes()
    assert b"new" in run_tool("f2fs", "--recover", unclean, "ls", "/").stdout
    assert unclean.read_bytes() == before
    run_tool("f2fs", "-w", unclean, "mkdir", "/made", rc=None)
    assert unclean.read_bytes() == before
    run_tool("f2fs", "-w", "--recover", unclean, "mkdir", "/made")
    shown = run_tool("f2fs", unclean, "ls", "/").stdout
    assert b"made" in shown and b"new" in shown
    peer_check(unclean)


def test_flags_of_the_checkpoint(run_tool, unclean):
    """A changed checkpoint has another checksum, which the nodes carry: allow_nocrc makes the version alone count. fsck
    stays until something has checked the volume; error is refused, as by the kernel."""
    show = lambda: json.loads(run_tool("dump.f2fs", "--json", "--checkpoint", "--recovery", unclean).stdout)
    run_tool("f2fs", "-w", unclean, "set", "cp.ckpt_flags", "|=fsck")
    assert show()["recovery"]["fsynced"] == 0
    run_tool("f2fs", "-w", unclean, "set", "cp.ckpt_flags", "|=allow_nocrc")
    assert show()["recovery"]["fsynced"] == 1
    run_tool("f2fs", "-w", unclean, "set", "cp.ckpt_flags", "|=error")
    assert b"error flag" in run_tool("f2fs", "-w", unclean, "recover", rc=None).stderr
    run_tool("f2fs", "-w", unclean, "set", "cp.ckpt_flags", "^=error")
    run_tool("f2fs", "-w", unclean, "recover")
    flags = show()["checkpoint"]["ckpt_flags_names"]
    assert "fsck" in flags and "crc" in flags and "unmount" in flags and "allow_nocrc" not in flags
    assert b"new" in run_tool("f2fs", unclean, "ls", "/").stdout
