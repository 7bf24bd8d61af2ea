# SPDX-License-Identifier: LGPL-2.1-or-later
"""Placements on a zoned device of the kernel that keeps few zones open: streams never exceed the limit, a closed volume has no open zone
but those of logs, and the kernel takes the volume then and after a power cut."""
import json
import os
import sys

import pytest

import uml

PLACED = os.path.join(os.path.dirname(os.path.abspath(__file__)), "guest", "zoned_placed.py")
NOTICES = ("Valid blocks are not aligned with write pointer", "Zone without valid block has non-zero write pointer")


@pytest.mark.parametrize("method, capacity", [("m2h", 0), *([("adaptive", 3)] if os.environ.get("F2FSKIT_LONG_RUNS") else [])])
def test_the_kernel_takes_streams_of_zones(method, capacity, kernel, build_dir, python_dir, tmp_path):
    if "block_zoned" not in kernel.features:
        pytest.skip("this kernel has no zoned devices")
    job = {"method": method, "capacity": capacity, "mib": 256 if capacity else 400, "streams": 3, "module": python_dir, "build": build_dir,
           "options": {"streams": 3} if method == "m2h" else {}}
    path = tmp_path / "job.json"
    path.write_text(json.dumps(job))
    result = uml.run([sys.executable, "-I", PLACED, str(path)], kernel=kernel, mem="1000M", timeout=300)
    result.check()
    # a mount finishes or resets zones that nobody continues
    subjects = [subject for subject, line in result.about() if any(notice in line.text for notice in NOTICES)]
    assert set(subjects) <= {"a volume that was cut"}, subjects
    assert subjects or method == "adaptive"         # it may have no stream at that time
