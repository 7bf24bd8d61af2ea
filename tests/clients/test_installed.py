# SPDX-License-Identifier: LGPL-2.1-or-later
"""The installed library from a C program: headers, pkg-config's words, shared and static linking."""
import os
import re
import shutil
import subprocess
import sys

import pytest

PROGRAM = """
#include <stdio.h>
#include <f2fskit/f2fskit.h>
int main(int argc, char **argv)
{
	struct f2fs_context *ctx;
	struct f2fs_device *dev;
	struct f2fs_volume *vol;

	if (argc < 2 || f2fs_context_open(NULL, &ctx))
		return 2;
	if (f2fs_device_open(ctx, argv[1], F2FS_OPEN_READ, &dev) || f2fs_volume_open(ctx, dev, NULL, &vol)) {
		puts(f2fs_context_error(ctx)->message);
		return 1;
	}
	printf("%u\\n", (unsigned)f2fs_volume_geometry(vol)->block_size);
	f2fs_volume_close(vol);
	f2fs_device_close(dev);
	f2fs_context_close(ctx);
	return 0;
}
"""


@pytest.fixture(scope="module")
def prefix(tmp_path_factory):
    if not shutil.which("meson") or not shutil.which("pkg-config"):
        pytest.skip("meson or pkg-config is not installed")
    root = tmp_path_factory.mktemp("installed")
    subprocess.run(["meson", "install", "-C", os.environ["F2FSKIT_BUILD"], "--no-rebuild", "--quiet", "--destdir", root], check=True,
                   stdout=subprocess.DEVNULL)
    return root


def words(prefix, *options):
    """The output of pkg-config where no other package is known: the development files of the library's dependencies are not
    needed."""
    pc = next(prefix.rglob("f2fskit.pc"))
    found = subprocess.run(["pkg-config", *options, "f2fskit"], check=True, capture_output=True, text=True,
                           env=dict(os.environ, PKG_CONFIG_LIBDIR=str(pc.parent), PKG_CONFIG_SYSROOT_DIR=str(prefix)))
    return found.stdout.split()


@pytest.mark.parametrize("kind", ["shared", "static"])
def test_a_program(run_tool, prefix, tmp_path, kind):
    source, program, image = tmp_path / "p.c", tmp_path / "p", tmp_path / "disk.img"
    source.write_text(PROGRAM)
    link = words(prefix, "--cflags", "--libs", *(["--static"] if kind == "static" else []))
    if kind == "static":
        link = [str(next(prefix.rglob("libf2fskit.a"))) if word == "-lf2fskit" else word for word in link]
    subprocess.run(["cc", "-std=c99", "-Wall", "-Wextra", "-pedantic", "-Werror", source, "-o", program, *link], check=True)
    run_tool("mkfs.f2fs", "-q", image, "64M")
    library = next(prefix.rglob("libf2fskit.so")).parent
    done = subprocess.run([program, image], env=dict(os.environ, LD_LIBRARY_PATH=str(library)), capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (0, "4096\n")


def test_programs_find_their_library(prefix):
    """The loader does not know it where no root installs."""
    for name in ("f2fs", "mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "sload.f2fs", "defrag.f2fs", "resize.f2fs", "inject.f2fs", "f2fslabel",
                 "f2fs-lab"):
        program = next(path for path in prefix.rglob(name) if os.access(path, os.X_OK) and path.parent.name in ("sbin", "bin"))
        assert subprocess.run([program, "--version"], env={}, capture_output=True).returncode == 0, name


def test_python_finds_the_module(prefix):
    """It is in the search path of its interpreter, if that knows its prefix."""
    module = next(prefix.rglob("_f2fskit.*.so")).parents[1]
    installed = "/" + str(module.relative_to(prefix))
    text = "import site; known = site.getsitepackages(); print(%r in known or not any(p.startswith('/usr/local/') for p in known))"
    done = subprocess.run([sys.executable, "-c", text % installed], capture_output=True, text=True)
    assert done.stdout == "True\n", installed


def test_python_runs_with_the_library_beside_it(prefix):
    """The module uses the installed library, and has the metadata of a wheel."""
    extension = next(prefix.rglob("_f2fskit.*.so"))
    listed = subprocess.run(["ldd", extension], check=True, capture_output=True, text=True, env={}).stdout
    assert re.search(r"libf2fskit\.so\.0 => %s/" % re.escape(str(prefix)), listed), listed
    text = ("import importlib.metadata as m; found = m.distribution('f2fskit'); print(found.version, len(found.requires),"
            "sorted((point.group, point.value) for point in found.entry_points))")
    done = subprocess.run([sys.executable, "-c", text], check=True, capture_output=True, text=True,
                          env={"PYTHONPATH": str(extension.parents[1])})
    version = subprocess.run(["meson", "introspect", "--projectinfo", os.environ["F2FSKIT_BUILD"]], check=True, capture_output=True,
                             text=True).stdout
    assert '"version": "%s"' % done.stdout.split()[0] in version
    assert done.stdout.endswith("[('fsspec.specs', 'f2fskit.fsspec_filesystem.F2FSFileSystem'), ('pytest11', 'f2fskit.pytest_plugin')]\n")


def test_documents(prefix):
    """README, licence and the documents for users are installed."""
    place = next(prefix.rglob("README.md")).parent
    assert {"README.md", "CHANGELOG.md", "LICENSE", "AUTHORS"} <= {path.name for path in place.iterdir()}
    assert (place / "docs/API.md").exists()
