# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes mounted by f2fsfuse. Where it is not built (no libfuse 3), or this machine lets nobody mount (no /dev/fuse), the
tests are skipped and say so."""
import os
import shutil
import signal
import subprocess
import sys

import pytest

sys.path[:0] = [os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "kernel")]


def refusal(program, run_tool, folder):
    """Why this machine lets nobody mount, as fusermount3 says it; "" where it does. Other failures are the tests' to find."""
    image, point = folder / "disk.img", folder / "mount"
    point.mkdir()
    run_tool("mkfs.f2fs", "-q", image, "64M")
    done = subprocess.run([program, image, point], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    if os.path.ismount(point):
        subprocess.run(["fusermount3", "-u", point], check=True)
    errors = done.stderr.decode(errors="replace")
    return errors.strip() if "Operation not permitted" in errors else ""


@pytest.fixture(scope="session")
def program(build_dir, run_tool, tmp_path_factory):
    path = os.path.join(build_dir, "fuse", "f2fsfuse")
    if not os.access(path, os.X_OK):
        pytest.skip("f2fsfuse is not built: there is no libfuse 3")
    if not os.access("/dev/fuse", os.R_OK | os.W_OK):
        pytest.skip("/dev/fuse is not there for this user")
    if not shutil.which("fusermount3"):
        pytest.skip("fusermount3 is not installed")
    why = refusal(path, run_tool, tmp_path_factory.mktemp("refusal"))
    if why:
        pytest.skip("this machine lets nobody mount: " + why)
    return path


def hear_signals():
    """In the child: signals end it, although nohup or a shell's background may have had them ignored."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_DFL)


class Mount:
    """A volume mounted in the foreground, so that its process can be waited for, or killed."""

    def __init__(self, program, image, point, options):
        self.point, self.image = point, image
        words = [program, "-f", str(image), str(point)]
        for option in options:
            words += ["-o", option]
        self.process = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                        preexec_fn=hear_signals)
        while not os.path.ismount(point):
            try:
                self.process.wait(0.01)
            except subprocess.TimeoutExpired:
                continue
            pytest.fail("not mounted: " + self.process.stderr.read().decode(errors="replace"))

    def unmount(self, rc=0):
        """Unmount and wait for the last checkpoint. Returns the messages of the program."""
        subprocess.run(["fusermount3", "-u", str(self.point)], check=True)
        return self.wait(rc)

    def wait(self, rc=0):
        errors = self.process.communicate()[1].decode(errors="replace")
        assert self.process.returncode == rc, errors
        return errors

    def kill(self):
        """A power cut of the program: all that it has not made durable is lost."""
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()
        subprocess.run(["fusermount3", "-u", "-z", str(self.point)], check=True)

    def end(self):
        if self.process.poll() is None:
            subprocess.run(["fusermount3", "-u", "-z", str(self.point)])
            self.process.kill()
            self.process.communicate()


@pytest.fixture
def mount(program, tmp_path):
    """mount(image, "ro", ...) is a Mount at a directory of its own."""
    mounts = []

    def start(image, *options):
        point = tmp_path / ("mount-%d" % len(mounts))
        point.mkdir()
        mounts.append(Mount(program, image, point, options))
        return mounts[-1]
    yield start
    for one in mounts:
        one.end()


@pytest.fixture
def volume(tmp_path, run_tool):
    """volume("128M", "-O", "quota") is a new image."""
    def make(size="128M", *options):
        path = tmp_path / "disk.img"
        path.unlink(missing_ok=True)
        run_tool("mkfs.f2fs", "-q", *options, path, size)
        return path
    return make
