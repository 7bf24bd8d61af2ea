# SPDX-License-Identifier: LGPL-2.1-or-later
"""Limits of quota on a volume mounted by f2fsfuse: of users, groups and projects, of space and inodes."""
import errno
import json
import os
import subprocess
import sys
import time

import pytest

pytestmark = pytest.mark.skipif(os.geteuid() != 0, reason="only the superuser can become other users")
USER, GROUP, PROJECT = 65534, 1234, 77

# Writes pieces of 64 KiB to a file, and reports how much there was room for, and the errno; then makes files.
TEXT = r"""
import os, sys
path, uid, gid = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
os.setgroups([]); os.setresgid(gid, gid, gid); os.setresuid(uid, uid, uid)
done, code, files, file_code = 0, 0, 1, 0
fd = os.open(path + "/space", os.O_CREAT | os.O_WRONLY, 0o644)
try:
    while done < 16 << 20:
        done += os.write(fd, os.urandom(65536))
except OSError as e:
    code = e.errno
try:
    os.posix_fallocate(fd, done, 1 << 20)
    code = -code
except OSError as e:
    code = code if e.errno == code else -1
os.pwrite(fd, b"over", 0)       # nothing new
try:
    while files < 100:
        os.close(os.open(path + "/file-%d" % files, os.O_CREAT | os.O_WRONLY, 0o644))
        files += 1
except OSError as e:
    file_code = e.errno
print(done, code, files, file_code)
"""


OTHER = r"""
import os, sys
os.setresuid(*[int(sys.argv[1])] * 3)
os.close(os.open("other", os.O_CREAT | os.O_WRONLY, 0o644))
"""


def use(folder, uid, gid):
    done = subprocess.run([sys.executable, "-c", TEXT, ".", str(uid), str(gid)], cwd=folder, stdout=subprocess.PIPE, check=True)
    return [int(word) for word in done.stdout.split()]


@pytest.fixture
def limited(volume, run_tool):
    image = volume("128M", "-O", "extra_attr,project_quota,quota")
    run_tool("f2fs", "-w", image, "mkdir", "/free", "--", "setquota", str(USER), "0", "4M", "0", "20", "--",
             "setquota", "-g", str(GROUP), "0", "2M", "0", "10", "--", "setquota", "-P", str(PROJECT), "0", "1M", "0", "5")
    return image


def test_limits_hold(mount, limited, peer_check):
    mounted = mount(limited, "allow_other")
    rooms = {}
    for name, uid, gid in (("user", USER, 0), ("group", 4321, GROUP), ("project", 4321, 4321), ("none", 4321, 4321),
                           ("root", 0, GROUP)):
        folder = mounted.point / name
        folder.mkdir()
        os.chmod(folder, 0o777)
        if name == "project":
            subprocess.run(["chattr", "+P", "-p", str(PROJECT), folder], check=True)
        rooms[name] = use(folder, uid, gid)
    for name, most, files in (("user", 4 << 20, 20), ("group", 2 << 20, 10), ("project", 1 << 20, 5 - 1)):
        done, code, made, file_code = rooms[name]
        assert code == errno.EDQUOT and most - 200000 < done <= most, rooms[name]
        assert (made, file_code) == (files, errno.EDQUOT), rooms[name]
    for name in ("none", "root"):
        assert rooms[name] == [16 << 20, 0, 100, 0]
    os.unlink(mounted.point / "user" / "space")      # room again
    for _ in range(100):        # the kernel forgets the file a little later
        if subprocess.run([sys.executable, "-c", OTHER, str(USER)], cwd=mounted.point / "user").returncode == 0:
            break
        time.sleep(0.05)
    os.unlink(mounted.point / "user" / "other")
    assert mounted.unmount() == ""
    peer_check(limited)


# Sets a file's size, by writing or by cutting it, and ends with the errno.
RESIZE = r"""
import os, sys
os.setresuid(*[int(sys.argv[1])] * 3)
try:
    fd, size = os.open(sys.argv[2], os.O_CREAT | os.O_RDWR), int(sys.argv[3])
    os.truncate(fd, min(size, os.fstat(fd).st_size))
    while os.fstat(fd).st_size < size:
        at = os.fstat(fd).st_size
        os.pwrite(fd, b"x" * min(65536, size - at), at)
except OSError as e:
    sys.exit(e.errno)
"""


def test_grace_runs(mount, volume, run_tool, peer_check, monkeypatch):
    """Grace begins when usage passes the soft limit, and ends when usage falls back. The mounts' clocks are set."""
    image = volume("128M", "-O", "extra_attr,quota")
    run_tool("f2fs", "-w", image, "mkdir", "/d", "--", "chmod", "777", "/d", "--", "setgrace", "100", "50", "--",
             "setquota", str(USER), "1M", "8M", "2", "9")
    rows = [    # time, file, its size, the errno, and when grace of space and of inodes ends then
        (1000, "a", 1 << 20, 0, 0, 0),
        (2000, "a", 2 << 20, 0, 2100, 0),
        (2050, "b", 65536, 0, 2100, 0),
        (2099, "b", 131072, 0, 2100, 0),
        (2100, "b", 196608, errno.EDQUOT, 2100, 0),
        (2101, "c", 0, 0, 2100, 2151),
        (2150, "d", 0, 0, 2100, 2151),
        (2151, "e", 0, errno.EDQUOT, 2100, 2151),
        (2200, "a", 65536, 0, 0, 2151),
        (3000, "a", 3 << 20, 0, 3100, 2151),
    ]
    for now, name, size, code, space, inodes in rows:
        monkeypatch.setenv("SOURCE_DATE_EPOCH", str(now))
        mounted = mount(image, "allow_other")
        done = subprocess.run([sys.executable, "-c", RESIZE, str(USER), "d/" + name, str(size)], cwd=mounted.point)
        assert mounted.unmount() == ""
        user = json.loads(run_tool("f2fs", "--json", image, "quota", str(USER)).stdout)[0]
        assert (now, done.returncode, user["space_grace"], user["inode_grace"]) == (now, code, space, inodes)
    peer_check(image)


def test_grace_is_over(mount, volume, run_tool):
    """A soft limit holds when the time of grace has ended."""
    image = volume("128M", "-O", "extra_attr,quota")
    run_tool("f2fs", "-w", image, "mkdir", "/d", "--", "chmod", "777", "/d", "--", "touch", "/d/old", "--", "fallocate", "/d/old", "0", "2097152", "--",
             "chown", str(USER), "/d/old", "--", "setgrace", "1", "1", "--", "setquota", str(USER), "1M", "8M", "0", "0",
             env=dict(os.environ, SOURCE_DATE_EPOCH="1000000000"))
    mounted = mount(image, "allow_other")
    assert use(mounted.point / "d", USER, 0)[:2] == [0, errno.EDQUOT]
