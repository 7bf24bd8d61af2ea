# SPDX-License-Identifier: LGPL-2.1-or-later
"""The import of the package is small: it loads nothing that only some users need, and no program of tests."""
import os
import subprocess
import sys

import f2fskit

HEAVY = ["numpy", "pandas", "matplotlib", "fsspec", "pytest", "json", "html", "subprocess", "multiprocessing", "concurrent.futures",
         "asyncio", "http", "argparse", "unittest", "sqlite3", "tarfile", "tempfile", "shutil", "bz2", "lzma", "difflib"]
LAZY = ["testing", "power_cut", "pytest_plugin", "fsspec_filesystem", "inventory", "frames", "rows", "report", "report_style", "plots"]


def test_lazy():
    code = "import sys; before = set(sys.modules); import f2fskit; print(*sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-S", "-c", code], capture_output=True, text=True, check=False,
                          env={**os.environ, "PYTHONPATH": os.pathsep.join([os.path.dirname(os.path.dirname(f2fskit.__file__)), *[
                              path for path in sys.path if "packages" in path]])})
    loaded = set(done.stdout.split())
    assert "f2fskit.volume" in loaded, done.stderr
    assert not loaded & set(HEAVY) and not loaded & {f"f2fskit.{name}" for name in LAZY}
    assert len(loaded) < 130
