# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel for the tests below this directory, and the images that it makes. Without a kernel they are skipped."""
import os
import subprocess
import sys

import pytest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import images  # noqa: E402
import makers  # noqa: E402
import uml  # noqa: E402


@pytest.fixture(scope="session")
def kernel():
    try:
        return uml.find_or_build_kernel()
    except uml.NoKernel as e:
        pytest.skip("no kernel to ask: %s" % e)


@pytest.fixture(scope="session")
def made(kernel):
    """{name: Image}: every image that this kernel can make, made by f2fs-tools and the kernel."""
    return makers.make(kernel=kernel)


@pytest.fixture(scope="session")
def newer_tools():
    """newer_tools(4096, "fsck.f2fs", ...): a finished process of f2fs-tools newer than Debian 12's that know blocks of that
    size; 1.16.0, which Debian 13 has, knows 4 KiB alone."""
    folder, reason = makers.newer_tools()
    if not folder:
        pytest.skip("no f2fs-tools newer than Debian 12's: " + reason)
    env = dict(os.environ, LD_LIBRARY_PATH=folder)
    usage = subprocess.run([os.path.join(folder, "mkfs.f2fs")], env=env, capture_output=True)

    def run(block, program, *args):
        if block != 4096 and b"  -b " not in usage.stdout + usage.stderr:
            pytest.skip("these f2fs-tools know blocks of 4 KiB alone (F2FSKIT_NEWER_F2FS_TOOLS may name others)")
        return subprocess.run([os.path.join(folder, program), *map(str, args)], env=env, capture_output=True)
    return run


@pytest.fixture
def image(made, request):
    """The image whose name is the test's parameter (indirect)."""
    name = request.param
    if name not in made:
        pytest.skip("this kernel lacks %s" % ", ".join(sorted(images.CATALOGUE[name].needs)))
    assert not made[name].error, made[name].error
    return made[name]


def pytest_configure(config):
    config.addinivalue_line("markers", "images(fits): only with the images of the catalogue for whose Spec fits() is true")


def pytest_generate_tests(metafunc):
    if "image" in metafunc.fixturenames and not metafunc.definition.get_closest_marker("parametrize"):
        marker = metafunc.definition.get_closest_marker("images")
        fits = marker.args[0] if marker else lambda spec: True
        names = [name for name, spec in images.CATALOGUE.items() if fits(spec)]
        metafunc.parametrize("image", names, indirect=True)
