# SPDX-License-Identifier: LGPL-2.1-or-later
"""The kernel for the tests below this directory, and the images that it makes. Without a kernel they are skipped."""
import os
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
