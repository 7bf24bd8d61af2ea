# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes at the limits of the format, in a small form: every program comes to its end with the right status, in little time
and memory. F2FSKIT_LONG_RUNS=1 makes them full size, as bench/limits.py does."""
import os
import pathlib
import sys

import pytest

BENCH = pathlib.Path(__file__).resolve().parents[2] / "bench"
LONG = "F2FSKIT_LONG_RUNS" in os.environ
SMALL = {"hashes": 0.002, "levels": 0.05, "attributes": 1, "long": 1}


@pytest.mark.parametrize("name", ["hashes", "levels", "attributes", "long"])
def test_limit(f2fskit, name, tmp_path, monkeypatch):
    monkeypatch.setattr(sys, "path", [str(BENCH), *sys.path])
    import limits
    if not LONG:
        monkeypatch.setattr(limits, "SECONDS", 5)
        monkeypatch.setattr(limits, "MEMORY", 400)  # with sanitizers, too
    monkeypatch.setattr(limits, "LOOKS", {what: line for what, line in limits.LOOKS.items() if LONG or what != "Python scan"})
    assert limits.run(tmp_path, name, 1 if LONG else SMALL[name]) == []
