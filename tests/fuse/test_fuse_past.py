# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of the past below /.f2fs of a volume mounted by f2fsfuse, and its files status and control."""
import errno
import hashlib
import json
import os
import subprocess
import time

import pytest


def digest(path):
    with open(path, "rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def checkpoint(mounted):
    (mounted.point / ".f2fs" / "control").write_text("checkpoint")


def mark(path, name):
    return os.getxattr(path, "user.f2fskit." + name).decode()


@pytest.fixture
def past(mount, volume):
    """A volume with a past: the image, and the contents that files had."""
    image = volume("128M")
    mounted = mount(image)
    top, contents = mounted.point, {}
    os.makedirs(top / "docs" / "old")
    for version in range(3):
        contents[version] = b"version %d\n" % version * 1000
        (top / "docs" / "letter").write_bytes(contents[version])
        checkpoint(mounted)
    contents["gone"] = os.urandom(300000)
    (top / "docs" / "old" / "gone").write_bytes(contents["gone"])
    (top / "docs" / "small").write_bytes(b"inside the inode")
    os.symlink("docs/letter", top / "link")
    os.setxattr(top / "docs" / "small", "user.color", b"blue")
    os.chmod(top / "docs" / "small", 0o640)
    checkpoint(mounted)
    os.unlink(top / "docs" / "old" / "gone")
    os.rmdir(top / "docs" / "old")
    os.unlink(top / "docs" / "small")
    os.unlink(top / "link")
    checkpoint(mounted)
    (top / "docs" / "later").write_bytes(b"later")
    assert mounted.unmount() == ""
    return image, contents


def test_deleted_files(mount, past, tmp_path):
    image, contents = past
    before = digest(image)
    mounted = mount(image, "deleted")
    top = mounted.point / ".f2fs"
    assert ".f2fs" not in os.listdir(mounted.point)
    assert sorted(os.listdir(top)) == ["checkpoints", "control", "deleted", "status", "versions"]
    deleted = top / "deleted"
    assert sorted(os.listdir(deleted)) == ["docs", "link"]
    assert sorted(os.listdir(deleted / "docs")) == ["old", "small"]
    assert (deleted / "docs" / "old" / "gone").read_bytes() == contents["gone"]
    assert mark(deleted / "docs" / "old" / "gone", "state") == "whole"
    assert mark(deleted / "docs" / "old" / "gone", "path_state") == "sure"
    assert "intact=74" in mark(deleted / "docs" / "old" / "gone", "blocks")
    small = deleted / "docs" / "small"
    assert small.read_bytes() == b"inside the inode" and os.getxattr(small, "user.color") == b"blue"
    assert {"user.color", "user.f2fskit.state", "user.f2fskit.address"} <= set(os.listxattr(small))
    assert os.stat(small).st_mode & 0o7777 == 0o640 and os.stat(small).st_nlink >= 1
    assert os.readlink(deleted / "link") == "docs/letter"
    assert os.stat(small).st_ino != os.stat(mounted.point / "docs" / "later").st_ino
    for call in (lambda: small.write_bytes(b"x"), lambda: os.unlink(small), lambda: os.mkdir(deleted / "new"),
                 lambda: (mounted.point / "new").write_bytes(b"x"), lambda: os.rename(small, mounted.point / "back")):
        with pytest.raises(OSError) as refused:
            call()
        assert refused.value.errno == errno.EROFS
    subprocess.run(["cp", "-a", deleted, tmp_path / "saved"], check=True)
    assert (tmp_path / "saved" / "docs" / "old" / "gone").read_bytes() == contents["gone"]
    with pytest.raises(FileNotFoundError):
        os.stat(deleted / "docs" / "letter")
    assert mounted.unmount() == "" and digest(image) == before


def test_versions_and_checkpoints(mount, past):
    image, contents = past
    before = digest(image)
    mounted = mount(image, "deleted")
    versions = mounted.point / ".f2fs" / "versions"
    assert sorted(os.listdir(versions)) == ["docs"] and sorted(os.listdir(versions / "docs")) == ["later", "letter"]
    names = sorted(os.listdir(versions / "docs" / "letter"), key=lambda name: [int(n) for n in name.split("-")])
    found = [(versions / "docs" / "letter" / name).read_bytes() for name in names
             if mark(versions / "docs" / "letter" / name, "state") == "whole"]
    assert [one for n, one in enumerate(found) if one and one not in found[:n]] == [contents[n] for n in range(3)]
    assert mark(versions / "docs" / "letter" / names[-1], "version") == names[-1].split("-")[0]
    checkpoints = mounted.point / ".f2fs" / "checkpoints"
    shown = sorted(os.listdir(checkpoints), key=int)
    seen = {}
    for name in shown:
        top = checkpoints / name
        seen[name] = sorted(os.listdir(top))
        if "docs" in seen[name] and (top / "docs" / "old" / "gone").exists():
            assert (top / "docs" / "old" / "gone").read_bytes() == contents["gone"]
            assert (top / "docs" / "letter").read_bytes() == contents[2]
            seen["gone"] = name
    assert "gone" in seen
    for name in ("0", "99999999", "x", "-1", "01"):
        with pytest.raises(FileNotFoundError):
            os.listdir(checkpoints / name)
    tree = subprocess.run(["find", mounted.point / ".f2fs", "-type", "f"], stdout=subprocess.PIPE, check=True).stdout
    assert len(tree.splitlines()) > 10
    assert mounted.unmount() == "" and digest(image) == before


def test_lost_contents_are_not_shown(mount, volume):
    """A deleted file that others have written over: reading its lost parts fails, and its mark says so."""
    image = volume("64M")
    mounted = mount(image)
    (mounted.point / "first").write_bytes(b"first" * 400000)
    checkpoint(mounted)
    os.unlink(mounted.point / "first")
    checkpoint(mounted)
    with pytest.raises(OSError):
        with open(mounted.point / "filler", "wb", buffering=0) as file:
            while True:
                file.write(b"\xaa" * (1 << 20))
    assert mounted.unmount() == ""
    mounted = mount(image, "deleted")
    path = mounted.point / ".f2fs" / "deleted" / "first"
    assert mark(path, "state") in ("part", "metadata")
    with pytest.raises(OSError) as refused:
        path.read_bytes()
    assert refused.value.errno in (errno.EUCLEAN, errno.EIO)
    assert mounted.unmount() == ""


def test_wrong_combination(program, volume, tmp_path):
    point = tmp_path / "point"
    point.mkdir()
    done = subprocess.run([program, volume("128M"), point, "-o", "deleted,as_of=-1"], capture_output=True)
    assert done.returncode == 16 and b"excludes" in done.stderr


def status(mounted):
    return json.loads((mounted.point / ".f2fs" / "status").read_bytes())


def command(mounted, text):
    (mounted.point / ".f2fs" / "control").write_text(text + "\n")


def test_status_and_commands(mount, volume, peer_check):
    image = volume("128M")
    mounted = mount(image)
    assert sorted(os.listdir(mounted.point / ".f2fs")) == ["control", "status"]
    first = status(mounted)
    assert first["background_gc"]["mode"] == "on" and not first["read_only"] and first["checkpoints"] == 0
    (mounted.point / "f").write_bytes(b"f" * 50000)
    command(mounted, "checkpoint")
    now = status(mounted)
    assert now["written_by_programs"] == 50000 and now["checkpoints"] == first["checkpoints"] + 1
    assert now["written_to_device"]["data"] >= 50000 and now["dirty_seconds"] == 0
    for wrong in ("", "walk", "gc x", "gc 0", "gc -1", "charging", "charging maybe", "idle now", "x" * 1000):
        with pytest.raises(OSError) as refused:
            command(mounted, wrong)
        assert refused.value.errno == errno.EINVAL, wrong
    with pytest.raises(OSError) as refused:
        (mounted.point / ".f2fs" / "status").write_text("x")
    assert refused.value.errno in (errno.EPERM, errno.EACCES)
    (mounted.point / ".f2fs2").mkdir()
    for i in range(600):
        (mounted.point / ".f2fs2" / str(i)).write_bytes(b"x" * 20000)
    for i in range(0, 600, 2):
        os.unlink(mounted.point / ".f2fs2" / str(i))
    command(mounted, "gc 3")
    done = status(mounted)["background_gc"]
    assert done["sections"] == 3 and len(done["victims"]) == 3 and done["moved_data"] > 0
    assert sum(v["blocks"] for v in done["victims"]) >= done["moved_data"]
    command(mounted, "trim")
    assert mounted.unmount() == ""
    peer_check(image)
    shown = mount(image, "ro")
    with pytest.raises(OSError) as refused:
        command(shown, "gc")
    assert refused.value.errno == errno.EROFS


def test_status_while_it_grows(mount, volume):
    """A reader asks once more at the end of a file. Then it gets the rest of a later text, which may be longer."""
    mounted = mount(volume("128M"))
    fd = os.open(mounted.point / ".f2fs" / "status", os.O_RDONLY)
    text = os.read(fd, 1 << 20)
    for i in range(1200):
        (mounted.point / "f").write_bytes(b"x" * 20000)
    rest = os.read(fd, 1 << 20)
    os.close(fd)
    assert json.loads(text)["write_requests"] == 0 and not rest.strip()
    assert status(mounted)["write_requests"] == 1200
    assert mounted.unmount() == ""


def test_events_of_a_device(mount, volume, peer_check):
    """With power and the screen off, sections are emptied one after the other; without both, none."""
    image = volume("128M")
    mounted = mount(image)
    command(mounted, "charging off")
    command(mounted, "screen off")
    for i in range(1200):
        (mounted.point / str(i)).write_bytes(b"x" * 20000)
    command(mounted, "checkpoint")
    for i in range(1200):
        if i % 8:
            os.unlink(mounted.point / str(i))
    command(mounted, "idle")
    asleep = status(mounted)["background_gc"]
    assert not asleep["allowed"] and not asleep["urgent"] and asleep["sections"] == 0
    time.sleep(1)                       # some turns of the thread, in which it does nothing
    assert status(mounted)["background_gc"]["sections"] == 0
    command(mounted, "charging on")
    awake = status(mounted)["background_gc"]
    assert awake["allowed"] and awake["urgent"]
    until = time.monotonic() + 60
    while status(mounted)["background_gc"]["sections"] < 2:
        assert time.monotonic() < until
        time.sleep(0.1)
    for i in range(0, 1200, 8):
        assert (mounted.point / str(i)).read_bytes() == b"x" * 20000
    assert mounted.unmount() == ""
    peer_check(image)


def test_the_volume_has_that_name(mount, volume, run_tool):
    """Its own file comes first."""
    image = volume("128M")
    run_tool("f2fs", "-w", image, "mkdir", "/.f2fs")
    mounted = mount(image)
    assert os.listdir(mounted.point) == [".f2fs"] and os.listdir(mounted.point / ".f2fs") == []
    os.rmdir(mounted.point / ".f2fs")
    assert mounted.unmount() == ""
