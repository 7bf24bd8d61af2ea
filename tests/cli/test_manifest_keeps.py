# SPDX-License-Identifier: LGPL-2.1-or-later
"""A manifest keeps what the host refuses: copied out and in again by a user without rights, a volume loses nothing. Each kind of loss is
said once in a run."""
import json
import os
import re
import shutil
import subprocess
import tempfile

import pytest

SOMEBODY = 65534


@pytest.fixture
def as_somebody(tool):
    """A folder, and a function that runs a program there without any right."""
    folder = tempfile.mkdtemp()
    os.chmod(folder, 0o777)
    rights = dict(user=SOMEBODY, group=SOMEBODY, extra_groups=[]) if os.geteuid() == 0 else {}

    def run(name, *words, rc=0):
        done = subprocess.run([tool(name), *map(str, words)], cwd=folder, capture_output=True, stdin=subprocess.DEVNULL, **rights)
        assert done.returncode == rc, done
        return done
    try:
        run("mkfs.f2fs", "-V")
    except PermissionError:
        pytest.skip("the build cannot be reached without rights")
    yield folder, run
    shutil.rmtree(folder)


@pytest.fixture
def image(f2fskit, as_somebody):
    path = os.path.join(as_somebody[0], "volume.img")
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "project_quota", "inode_crtime"])
    with f2fskit.open(path, "r+") as volume:
        root = volume.path("/")
        (root / "file").write_bytes(b"contents")
        file = (root / "file").inode()
        file.set(uid=12, gid=34, flags=0x40, projid=7)
        for name, value in (("user.a", b"b"), ("trusted.t", b"1"), ("security.selinux", b"u:object_r:x:s0\0")):
            file.xattrs[name] = value
        (root / "hard").hardlink_to(root / "file")
        (root / "dir").mkdir()
        (root / "dir" / "secret").write_bytes(b"secret")
        (root / "dir" / "secret").inode().set(mode=0o100000)
        (root / "dir").inode().set(mode=0o40300)
        (root / "setuid").write_bytes(b"program")
        (root / "setuid").inode().set(mode=0o104755)
        top = root.inode()
        for name, mode, device in (("null", 0o20666, (1, 3)), ("zero", 0o20600, (1, 5)), ("disk", 0o60660, (8, 1))):
            top.create(name, mode, device=device[0] << 8 | device[1]).close()
        (root / "null-again").hardlink_to(root / "null")
    os.chmod(path, 0o644)
    return path


def test_nothing_is_lost(as_somebody, image):
    folder, run = as_somebody
    out, copy = os.path.join(folder, "out"), os.path.join(folder, "copy.img")
    done = run("dump.f2fs", "--extract=" + out, "--manifest=list", "--keep=all,flags,project", image)
    said = done.stderr.decode().splitlines()
    assert [line.partition(": ")[2] for line in said if "only in the manifest" in line] == [
        "/null: cannot make the special file, which is only in the manifest: Operation not permitted",
        "warning: 4 entries are only in the manifest, the first is named above"]
    assert sum("owner" in line for line in said) == 2
    assert any(re.fullmatch(r"dump.f2fs: warning: owner: not kept on \d entries, but in the manifest, the first is named above", line) for line in said)
    assert len(said) < 12, "not each file"
    assert sorted(os.listdir(out)) == ["dir", "file", "hard", "setuid"]
    run("mkfs.f2fs", "-q", "-O", "extra_attr,project_quota,inode_crtime", "--root-dir", out, "--manifest=list", "--keep-flags", copy, "64M")
    assert run("f2fs", image, "diff", copy).stdout == b""
    run("mkfs.f2fs", "-f", "-q", "-O", "extra_attr,project_quota,inode_crtime", copy, "64M")
    run("sload.f2fs", "-q", "-P", "--keep-flags", "-f", out, "--manifest=list", copy)
    assert run("f2fs", image, "diff", copy).stdout == b""
    run("sload.f2fs", "-q", "-f", out, "--manifest=list", "--existing=replace", copy)      # without -P and --keep-flags
    assert run("f2fs", image, "diff", copy, rc=1).stdout


def test_losses_without_a_manifest_are_problems(as_somebody, image):
    folder, run = as_somebody
    done = run("dump.f2fs", "--extract=" + os.path.join(folder, "out"), "--json", image, rc=4)
    assert done.stderr.count(b"cannot make the special file: ") == 4
    shown = json.loads(done.stdout)
    assert '"only_listed": 0' in json.dumps(shown) and '"problem_count": 4' in json.dumps(shown)


def test_the_user_asks_for_an_attribute(as_somebody, image):
    """--require counts a loss as a problem, manifest or not."""
    folder, run = as_somebody
    run("dump.f2fs", "--extract=" + os.path.join(folder, "out"), "--manifest=list", "--require=owner", image, rc=4)
