# SPDX-License-Identifier: LGPL-2.1-or-later
"""Our programs where clients look for those of f2fs-tools: first in PATH, under the same names."""
import os
import shutil
import subprocess

import pytest

# The names that clients call, Android's among them, and ours.
NAMES = {"mkfs.f2fs": "mkfs.f2fs", "fsck.f2fs": "fsck.f2fs", "dump.f2fs": "dump.f2fs", "sload.f2fs": "sload.f2fs",
         "inject.f2fs": "inject.f2fs", "f2fslabel": "f2fslabel", "make_f2fs": "mkfs.f2fs", "sload_f2fs": "sload.f2fs"}
SYSTEM = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@pytest.fixture(scope="session")
def programs(tool, tmp_path_factory):
    """A folder with our programs, and nothing else."""
    folder = tmp_path_factory.mktemp("programs")
    for name, ours in NAMES.items():
        os.symlink(tool(ours), folder / name)
    return folder


@pytest.fixture(scope="session")
def call(programs):
    """call("mkfs.f2fs", "-f", image): a finished process that finds our programs first; a list of statuses that are right
    may be given. Both outputs are one text, as most clients read them; stderr=PIPE keeps them apart."""
    def run(*command, rc=0, text=True, **options):
        options.setdefault("stderr", subprocess.STDOUT)
        environment = dict(os.environ, PATH="%s:%s" % (programs, SYSTEM), LC_ALL="C.UTF-8", **options.pop("env", {}))
        done = subprocess.run([str(word) for word in command], stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              env=environment, text=text, errors="replace" if text else None, timeout=120, **options)
        allowed = rc if isinstance(rc, (tuple, list)) else [rc]
        assert done.returncode in allowed, "%s: status %d\n%s" % (" ".join(map(str, command)), done.returncode, done.stdout)
        return done
    return run


@pytest.fixture(scope="session")
def need():
    """need("partclone.f2fs") is the path of a client; without it the test is skipped by name."""
    def find(name, *elsewhere):
        path = shutil.which(name, path=":".join((SYSTEM, *elsewhere)))
        if not path:
            pytest.skip("%s is not installed" % name)
        return path
    return find


@pytest.fixture
def loop():
    """loop(image) is a loop device over it, detached when the test ends; skipped where there is none to have."""
    attached = []

    def attach(image):
        try:
            done = subprocess.run(["losetup", "--find", "--show", str(image)], capture_output=True, text=True)
        except FileNotFoundError:
            pytest.skip("losetup is not installed")
        if done.returncode:
            pytest.skip("no loop device to have: " + done.stderr.strip())
        attached.append(done.stdout.strip())
        return attached[-1]
    yield attach
    for device in attached:
        subprocess.run(["losetup", "--detach", device], check=False)


@pytest.fixture
def image(tmp_path):
    """A file of zeros of 128 MiB."""
    path = tmp_path / "volume.img"
    with open(path, "wb") as f:
        f.truncate(128 << 20)
    return path
