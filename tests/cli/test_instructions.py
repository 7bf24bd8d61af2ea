# SPDX-License-Identifier: LGPL-2.1-or-later
"""bench/instructions.py counts alike in each run, and ends with 1 when a job takes more than an earlier count allows."""
import json
import os
import shutil
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
JOB = "format"


@pytest.fixture(autouse=True)
def can_count(build_dir):
    if not shutil.which("valgrind"):
        pytest.skip("valgrind is missing")
    with open(os.path.join(build_dir, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as f:
        if {row["name"]: row["value"] for row in json.load(f)}["b_sanitize"] != "none":
            pytest.skip("valgrind runs no sanitized programs")


def run(build_dir, *arguments):
    return subprocess.run([os.path.join(TOP, "bench", "instructions.py"), "-b", build_dir, "--only", JOB, *arguments],
                          capture_output=True, text=True)


def test_gate(build_dir, tmp_path):
    saved = tmp_path / "counts"
    assert run(build_dir, "--save", str(saved)).returncode == 0
    count = json.loads(saved.read_text())[JOB]
    again = run(build_dir, "--against", str(saved), "--most", "1.01")
    assert again.returncode == 0, again.stderr
    saved.write_text(json.dumps({JOB: count // 2}))
    more = run(build_dir, "--against", str(saved))
    assert more.returncode == 1
    assert f"more than 1.05 of before: {JOB}" in more.stderr


def test_bases_exclude_each_other(build_dir, tmp_path):
    assert run(build_dir, "--against", str(tmp_path / "counts"), "--base", build_dir).returncode == 2
