# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes that the tests of programs share."""
import os
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import volumes  # noqa: E402


@pytest.fixture
def run(run_tool):
    """run(program, arguments): a finished process with text; check=False: whatever its status is."""
    def go(*words, check=True):
        done = run_tool(*words, rc=0 if check else None)
        done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()
        return done
    return go


@pytest.fixture(scope="session")
def planted(run_tool, tmp_path_factory):
    """(image, tree): a volume with the files of volumes.plant(). Read only: copy it to change it."""
    if not volumes.find_sload():
        pytest.skip("sload.f2fs of f2fs-tools is not installed")
    top = tmp_path_factory.mktemp("planted")
    source = top / "source"
    source.mkdir()
    tree = volumes.plant(source)
    image = top / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-f", "-l", "planted é", "-O", "extra_attr,inode_checksum,inode_crtime,lost_found",
             image, "96M")
    volumes.fill(image, source)
    os.chmod(image, 0o444)
    return image, tree


@pytest.fixture
def damaged(planted, tmp_path):
    """(path, Raw) of a copy of the planted volume that may be changed."""
    image, _ = planted
    path = tmp_path / "damaged.img"
    path.write_bytes(image.read_bytes())
    return path, volumes.Raw(path)


@pytest.fixture
def full(build_dir):
    """full(ROOM): how a program is run for which no file has room for more than that many bytes; with kills=True it is killed there."""
    def keywords(room, kills=False):
        return {"env": dict(os.environ, LD_PRELOAD=os.path.join(build_dir, "tests/common/libfull_disk.so"), DISK_ROOM=str(room),
                            ASAN_OPTIONS=os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0", **({"DISK_KILLS": "1"} if kills else {}))}
    return keywords
