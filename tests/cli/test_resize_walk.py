# SPDX-License-Identifier: LGPL-2.1-or-later
"""A few steps of the random walks of tests/stress/resize_walk.py; with F2FSKIT_LONG_RUNS=N, N walks of 40 steps."""
import importlib.util
import os

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
LONG = int(os.environ.get("F2FSKIT_LONG_RUNS", "0"))


@pytest.fixture(scope="module")
def walks():
    spec = importlib.util.spec_from_file_location("resize_walk", os.path.join(HERE, "..", "stress", "resize_walk.py"))
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("seed", range(100, 100 + LONG) if LONG else (3, 8, 21))
def test_walk(walks, f2fskit, tool, tmp_path, seed):
    walk = walks.Walk(f2fskit, seed, tmp_path, tool("mkfs.f2fs"), walks.find_peer())
    for _ in range(40 if LONG else 5):
        walk.step()
    assert len(walk.done) >= 5
