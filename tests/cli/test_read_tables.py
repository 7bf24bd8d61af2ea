# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists of options that are read from the sources, for manual pages of a cross build, equal those of the programs."""
import os
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = {"defrag.f2fs": "defrag/main.c", "dump.f2fs": "dump/main.c", "f2fs": "edit/main.c", "inject.f2fs": "inject/main.c",
           "fsck.f2fs": "fsck/request.c", "f2fslabel": "label/main.c", "mkfs.f2fs": "mkfs/arguments.c", "resize.f2fs": "resize/main.c",
           "sload.f2fs": "sload/main.c", "tune.f2fs": "tune/main.c", "f2fs-lab": "lab/main.c", "f2fsfuse": "fuse/main.c"}


def test_the_build_has_these_sources():
    with open(os.path.join(TOP, "man", "meson.build")) as opened:
        text = opened.read()
    assert all("files('../%s')" % source in text for source in SOURCES.values())
    assert text.count("files('../") == len(SOURCES)


@pytest.mark.parametrize("program", SOURCES)
def test_same_list(run_tool, build_dir, tmp_path, program):
    listed = run_tool(program, "--dump-options").stdout
    command = [sys.executable, "man/read_tables.py", SOURCES[program], "cli/usage.c", tmp_path / "list", "cc", "-D_POSIX_C_SOURCE=200809L",
               '-DF2FSKIT_VERSION=""', '-DF2FS_LAB_EXPERIMENTS=""', "-I" + TOP, "-I" + os.path.join(TOP, "include"), "-I" + build_dir]
    subprocess.run(command, check=True, cwd=TOP)
    assert (tmp_path / "list").read_bytes() == listed and listed.count(b"\n") > 3
