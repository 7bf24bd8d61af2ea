# SPDX-License-Identifier: LGPL-2.1-or-later
"""A sample of judges.py: programs that Debian packages, on a volume mounted by f2fsfuse."""
import os
import subprocess
import sys

import pytest

JUDGES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "judges.py")


@pytest.mark.skipif(os.geteuid() != 0, reason="judges mount for all users")
@pytest.mark.parametrize("name", ["fio", "round_trips", "python_sample"])
def test_judges_are_content(program, build_dir, tmp_path, name):
    done = subprocess.run([sys.executable, JUDGES, "--build", build_dir, "--work", tmp_path, name], stdin=subprocess.DEVNULL,
                          capture_output=True)
    text = done.stdout.decode(errors="replace")
    assert done.returncode == 0, text
    if "not asked" in text:
        pytest.skip(text.strip())
    assert "passed" in text
