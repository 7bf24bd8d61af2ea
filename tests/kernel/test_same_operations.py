# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's column of the laboratory: the same operations on our engine and in the kernel, and what both count of them."""
import importlib.util
import os
import shutil
import subprocess

import pytest
import uml

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SMALL = ["--small", "--set=engine.cleaning=greedy", "--set=volume.size=300MB", "--set=source.files.size=68MB",
         "--set=source.files.bytes=20MB", "--set=engine.commit_blocks=1024"]


@pytest.fixture(scope="module")
def column():
    spec = importlib.util.spec_from_file_location("engine_kernel", os.path.join(TOP, "lab", "engine_kernel.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("logging", ["normal", *(["adaptive"] if os.environ.get("F2FSKIT_LONG_RUNS") else [])])
def test_both_clean_the_same_load(logging, column, kernel, tool):
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    rounds = column.columns(build, "slides-victims", [*SMALL, "--set=engine.logging=" + logging, "--set=experiment.rounds=3"])
    assert len(rounds) == 3
    for one, other in (sides.values() for sides in rounds):
        assert one["asked"] == other["asked"] == 20000000 // 4096
        assert other["commits"] >= other["asked"] // 1024
        assert other["written"] > other["moved"] and other["requests"] <= other["written"]
        if logging == "normal":
            assert abs(one["used_segments"] - other["used_segments"]) < one["used_segments"] / 8
    ours, theirs = rounds[-1].values()
    if logging == "normal":
        assert ours["moved"] > 0 and theirs["moved"] > 0 and theirs["threaded"] == 0
        assert ours["moved"] < 3 * theirs["moved"], "cleaning costs ours much more than the kernel"
    else:
        assert theirs["threaded"] > 0


def need(*programs):
    for program in programs:
        if not shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin"):
            pytest.skip(program + " is not installed")


@pytest.fixture
def with_ext4(kernel):
    if "ext4" not in kernel.features:
        pytest.skip("this kernel has no ext4: tests/kernel/build-kernel makes one that has it")
    need("mkfs.ext4", "dmsetup")
    return "--ext4"


def test_ext4_does_the_same(with_ext4, column, tool):
    """The papers' statements about both: ext4 writes more for a transaction of SQLite, and fewer large requests for
    fileserver."""
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    if not run_has_sqlite(build):
        pytest.skip("f2fs-lab was built without libsqlite3")
    sides, = column.columns(build, "fast15-sqlite", [
        with_ext4, "--small", "--set=volume.size=128MiB", "--set=source.db.statement=insert"])
    ours, theirs, ext4 = sides.values()
    assert ours["asked"] == theirs["asked"] == ext4["asked"] and "moved" not in ext4
    assert ours["written"] < 0.7 * ext4["written"] and theirs["written"] < ext4["written"]


def run_has_sqlite(build):
    done = subprocess.run([os.path.join(build, "lab", "f2fs-lab"), "gen", "sqlite3", "--rounds=0"], capture_output=True)
    return b"built without libsqlite3" not in done.stderr


def test_sizes_of_requests(with_ext4, column, tool):
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    sides, = column.columns(build, "fast15-fileserver", [
        with_ext4, "--requests", "--small", "--set=volume.size=300MB", "--set=source.files.files=200", "--set=source.files.bytes=20MB"])
    ours, theirs, ext4 = sides.values()
    assert 0 < ext4["bytes_512k"] < theirs["bytes_512k"] <= 1 and 0 < ours["bytes_512k"] <= 1
    assert min(ours["discard_share"], ext4["discard_share"]) > 0     # the kernel's F2FS discards when it has time


def test_the_kernel_reads(kernel, column, tool):
    """The operations' reads, from the device: each round begins without a cache."""
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    rounds = column.columns(build, "fast15-iozone-tests", ["--small", "--set=volume.size=128MiB", "--set=source.file.size=16MiB"])
    for number, sides in enumerate(rounds, 1):
        blocks = sides["kernel"]["read"]
        assert (blocks >= 4096) == (number in (2, 3, 5)), number
    assert rounds[1]["kernel"]["read_request_blocks"] > 8 > 1.1 > rounds[2]["kernel"]["read_request_blocks"]


@pytest.fixture
def peers():
    try:
        uml.find_peers_kernel()
    except uml.NoKernel as e:
        pytest.skip(str(e))
    need("mkfs.btrfs", "mkfs.nilfs2", "nilfs-tune", "dmsetup")
    return ["--btrfs", "--nilfs2"]


def test_peers_do_the_same(peers, kernel, column, tool):
    """Random writes become long requests in Btrfs and NILFS2, too; and NILFS2 without its cleaner finds no
    space where the others do."""
    build = os.path.dirname(os.path.dirname(tool("f2fs-lab")))
    rounds = column.columns(build, "fast15-iozone-tests", [
        *peers, "--requests", "--small", "--set=volume.size=1GiB", "--set=source.file.size=32MiB", "--set=experiment.rounds=4",
        "--set=engine.commit_blocks=1024"])
    for name in ("btrfs", "nilfs2"):
        for number in (0, 3):
            assert 8192 < rounds[number][name]["written"] < 4 * 8192 and rounds[number][name]["bytes_512k"] > 0.5
    full, = column.columns(build, "fast15-aging-iozone", [
        *peers, "--small", "--set=engine.logging=adaptive", "--set=experiment.rounds=1"])
    assert full["btrfs"]["written"] > full["kernel"]["written"] and full["nilfs2"] == {}
