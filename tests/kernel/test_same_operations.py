# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel's column of the laboratory: the same operations on our engine and in the kernel, and what both count of them."""
import importlib.util
import os

import pytest

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
    rounds = column.both(build, "slides-victims", [*SMALL, "--set=engine.logging=" + logging, "--set=experiment.rounds=3"])
    assert len(rounds) == 3
    for one, other in rounds:
        assert one["asked"] == other["asked"] == 20000000 // 4096
        assert other["commits"] >= other["asked"] // 1024
        assert other["written"] > other["moved"] and other["requests"] <= other["written"]
        if logging == "normal":
            assert abs(one["used_segments"] - other["used_segments"]) < one["used_segments"] / 8
    ours, theirs = rounds[-1]
    if logging == "normal":
        assert ours["moved"] > 0 and theirs["moved"] > 0 and theirs["threaded"] == 0
        assert ours["moved"] < 3 * theirs["moved"], "cleaning costs ours much more than the kernel"
    else:
        assert theirs["threaded"] > 0
