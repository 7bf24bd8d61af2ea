# SPDX-License-Identifier: LGPL-2.1-or-later
"""Lists of options that are read from the sources, for manual pages of a cross build, equal those of the programs."""
import glob
import os
import platform
import re
import shutil
import subprocess
import sys

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
SOURCES = {"defrag.f2fs": "defrag/main.c", "dump.f2fs": "dump/main.c", "f2fs": "edit/main.c", "inject.f2fs": "inject/main.c",
           "fsck.f2fs": "fsck/request.c", "f2fslabel": "label/main.c", "mkfs.f2fs": "mkfs/arguments.c", "resize.f2fs": "resize/main.c",
           "sload.f2fs": "sload/main.c", "tune.f2fs": "tune/main.c", "f2fs-lab": "lab/main.c", "f2fsfuse": "fuse/main.c", "f2fs_io": "mounted/f2fs_io.c",
           "f2fscrypt": "mounted/f2fscrypt.c", "fibmap.f2fs": "mounted/fibmap.c", "f2fstat": "mounted/f2fstat.c"}


def test_the_build_has_these_sources():
    with open(os.path.join(TOP, "man", "meson.build")) as opened:
        text = opened.read()
    assert all("files('../%s')" % source in text for source in SOURCES.values())
    assert text.count("files('../") == len(SOURCES)


@pytest.mark.parametrize("program", SOURCES)
def test_same_list(run_tool, build_dir, tmp_path, program):
    listed = run_tool(program, "--dump-options").stdout
    command = [sys.executable, "man/read_tables.py", SOURCES[program], "cli/usage.c", tmp_path / "list", "cc", "-D_POSIX_C_SOURCE=200809L",
               '-DF2FSKIT_VERSION=""', "-I" + TOP, "-I" + os.path.join(TOP, "include"), "-I" + os.path.join(TOP, "lib"),
               "-I" + build_dir]
    subprocess.run(command, check=True, cwd=TOP)
    assert (tmp_path / "list").read_bytes() == listed and listed.count(b"\n") > 3


# This machine as a foreign one, whose programs cannot be run.
CROSS = """
[binaries]
c = 'cc'
ar = 'ar'
strip = 'strip'
pkgconfig = 'pkg-config'
[properties]
needs_exe_wrapper = true
[host_machine]
system = 'linux'
cpu_family = '%s'
cpu = '%s'
endian = '%s'
"""


def test_cross_build(build_dir, tmp_path):
    """Manual pages and completions of a cross build, in which programs have a prefix, are those of the build under test."""
    if not shutil.which("meson") or not shutil.which("ninja"):
        pytest.skip("meson or ninja is not installed")
    machine = platform.machine()
    (tmp_path / "cross.ini").write_text(CROSS % (machine, machine, sys.byteorder))
    cross = tmp_path / "cross"
    subprocess.run(["meson", "setup", "--cross-file", tmp_path / "cross.ini", "-Dpython=disabled", "-Dtests=false", "-Dmanual=disabled",
                    "-Dprogram_prefix=zz-", cross, TOP], check=True, stdout=subprocess.DEVNULL)
    made = {os.path.relpath(path, build_dir): path for path in glob.glob(build_dir + "/man/*.[18]") + glob.glob(build_dir + "/completions/*f2fs*")}
    prefixed = {name: re.sub(r"/(_?)", r"/\1zz-", name) for name in made}
    assert len(made) > 20
    subprocess.run(["ninja", "-C", cross, *prefixed.values()], check=True, stdout=subprocess.DEVNULL)
    for name, path in made.items():
        with open(path) as expected:
            text = (cross / prefixed[name]).read_text()
            assert text.replace("zz-", "") == expected.read(), name
            assert name.startswith("man/") or "zz-f2fs" in text or "zz-%s" % os.path.basename(name).removesuffix(".fish") in text, name
