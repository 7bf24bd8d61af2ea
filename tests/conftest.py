# SPDX-License-Identifier: LGPL-2.1-or-later
"""What all Python tests share: where the build is, and the programs in it."""
import os
import resource
import shutil
import subprocess
import sys
import zlib

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))


def pytest_configure(config):
    config.addinivalue_line("markers", "module_only: runs the Python module alone, no program; not repeated with sanitizers")
    config.addinivalue_line("markers", "long_with_sanitizers: takes minutes with them, and is not repeated")


def pytest_addoption(parser):
    parser.addoption("--one-in", type=int, default=1, metavar="N", help="run one test in N, the same ones each time")


def pytest_collection_modifyitems(config, items):
    chosen, left = [], []
    for item in items:
        (left if zlib.crc32(item.nodeid.encode()) % config.getoption("--one-in") else chosen).append(item)
    if left:
        config.hook.pytest_deselected(items=left)
        items[:] = chosen


def processor_seconds():
    """Return the processor time of this process and of its children that ended, in seconds."""
    return sum(used.ru_utime + used.ru_stime for used in map(resource.getrusage, (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)))


@pytest.fixture(autouse=True)
def cost(record_property):
    """Record the processor time of each test in the report, for the list of tests/everything.py."""
    before = processor_seconds()
    yield
    record_property("processor", "%.2f" % (processor_seconds() - before))


@pytest.fixture(scope="session")
def build_dir():
    """The Meson build directory: $F2FSKIT_BUILD, or build/ in the source tree."""
    path = os.environ.get("F2FSKIT_BUILD") or os.path.join(TOP, "build")
    assert os.path.exists(os.path.join(path, "build.ninja")), "no build in %s: set F2FSKIT_BUILD" % path
    return path


@pytest.fixture(scope="session")
def python_dir(build_dir):
    """Where the Python module is: in that build, or in $F2FSKIT_PYTHON_BUILD (of sanitized programs, say)."""
    return os.path.join(os.environ.get("F2FSKIT_PYTHON_BUILD") or build_dir, "python")


@pytest.fixture(scope="session")
def f2fskit(python_dir):
    """The Python module."""
    folder = python_dir
    if folder not in sys.path:
        sys.path.insert(0, folder)
    return pytest.importorskip("f2fskit", reason="the Python module is not built")


@pytest.fixture(scope="session")
def tool(build_dir):
    """tool("mkfs.f2fs") is the path of our own program of that name."""
    def find(name):
        path = os.path.join(build_dir, {"f2fs": "edit", "f2fslabel": "label", "f2fs-lab": "lab", "f2fsfuse": "fuse", "f2fs_io": "mounted",
                                       "fibmap.f2fs": "mounted", "f2fscrypt": "mounted", "f2fstat": "mounted"}.get(name, name.split(".")[0]), name)
        assert os.access(path, os.X_OK), "%s is not built" % path
        return path
    return find


@pytest.fixture(scope="session")
def run_tool(tool):
    """run_tool("dump.f2fs", "--json", image): a finished process; a status other than `rc` fails the test."""
    def run(name, *args, rc=0, **kwargs):
        if "input" not in kwargs:
            kwargs.setdefault("stdin", subprocess.DEVNULL)
        done = subprocess.run([tool(name), *map(str, args)], capture_output=True, **kwargs)
        assert rc is None or done.returncode == rc, "%s %s: status %d\n%s%s" % (
            name, " ".join(map(str, args)), done.returncode, done.stdout.decode(errors="replace")[-4000:],
            done.stderr.decode(errors="replace")[-4000:])
        return done
    return run


@pytest.fixture
def peer_check(tool):
    """peer_check(image): our checker and that of f2fs-tools find nothing wrong. Where the latter is not installed the test
    runs without it, and is counted as skipped besides."""
    fsck = shutil.which("fsck.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")

    def check(image):
        ours = subprocess.run([tool("fsck.f2fs"), "-n", "-f", "--content", str(image)], capture_output=True,
                              stdin=subprocess.DEVNULL)
        assert ours.returncode == 0, ours.stdout.decode(errors="replace")[-4000:]
        if not fsck:
            return
        done = subprocess.run([fsck, "--dry-run", "-f", str(image)], capture_output=True, stdin=subprocess.DEVNULL)
        text = done.stdout.decode(errors="replace")
        bad = [line for line in text.splitlines() if "[Fail]" in line or "ASSERT" in line]
        assert done.returncode == 0 and not bad, "\n".join(bad) or text[-2000:]
    yield check
    if not fsck:
        pytest.skip("fsck.f2fs of f2fs-tools is not installed: not asked")
