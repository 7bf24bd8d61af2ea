# SPDX-License-Identifier: LGPL-2.1-or-later
"""A plugin for pytest: fixtures that make F2FS images, each checked at the end of its test.

pytest finds it through the entry point of the installed package. From a build directory, -p f2fskit.pytest_plugin loads
it. The library is imported when the first fixture is used.

Mark a test with `@pytest.mark.f2fs_unchecked` if it damages its images on purpose.
"""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Callable, Iterator, Mapping, Protocol

import pytest

if TYPE_CHECKING:
    import f2fskit
    from f2fskit.build_image import Tree

_SIZE = 64 << 20


class MakeImage(Protocol):
    """Type of the fixture `f2fs_image`: a function that makes an image in memory."""

    def __call__(self, tree: Tree | None = None, size: int | None = None, **options: Any) -> f2fskit.MemoryDevice: ...


class MakeFile(Protocol):
    """Type of the fixture `f2fs_file`: a function that makes an image in a file."""

    def __call__(
        self, tree: Tree | None = None, size: int | None = None, *, name: str = "disk.img", **options: Any
    ) -> pathlib.Path: ...


def pytest_configure(config: pytest.Config) -> None:
    """Register the marks."""
    config.addinivalue_line("markers", "f2fs_unchecked: do not check the F2FS images of this test at its end")


def pytest_make_parametrize_id(config: pytest.Config, val: object, argname: str) -> str | None:
    """Name the kinds of volumes of `f2fskit.testing.matrix()`."""
    return str(val) if type(val).__name__ == "VolumeKind" else None


@pytest.fixture
def f2fs_kind() -> Mapping[str, Any]:
    """Options of `f2fskit.mkfs()` for all images of the test.

    Override it in a module, or parametrize it with `f2fskit.testing.matrix()`.
    """
    return {}


@pytest.fixture
def _f2fs_made(request: pytest.FixtureRequest) -> Iterator[list[Callable[[], Any]]]:
    """Functions that open the images of the test again. They are checked at its end."""
    from f2fskit import testing

    made: list[Callable[[], Any]] = []
    yield made
    sources = [source for source in (again() for again in made) if source is not None]
    try:
        if request.node.get_closest_marker("f2fs_unchecked") is None:
            for source in sources:
                testing.assert_sound(source)
    finally:
        for source in sources:
            if hasattr(source, "close"):
                source.close()


def _build(tree: Any, target: Any, size: int | None, kind: Mapping[str, Any], options: Mapping[str, Any]) -> Any:
    import f2fskit

    size = _SIZE if size is None and tree is None else size
    chosen: Any = {**kind, **options}
    return f2fskit.build({} if tree is None else tree, target, size, volume=chosen)


@pytest.fixture
def f2fs_image(f2fs_kind: Mapping[str, Any], _f2fs_made: list[Callable[[], Any]]) -> MakeImage:
    """A function that makes an image in memory: `f2fs_image(tree, size, **options of mkfs())`.

    The tree is a nested dictionary or another source of `f2fskit.build()`. Without one, the volume is empty and has 64
    MiB. The image is checked at the end of the test, also if the test has closed the device.
    """

    def make(tree: Any = None, size: int | None = None, **options: Any) -> f2fskit.MemoryDevice:
        device: f2fskit.MemoryDevice = _build(tree, None, size, f2fs_kind, options)
        kept = device.slice(0)
        _f2fs_made.append(lambda: kept)
        return device

    return make


@pytest.fixture
def f2fs_file(tmp_path: pathlib.Path, f2fs_kind: Mapping[str, Any], _f2fs_made: list[Callable[[], Any]]) -> MakeFile:
    """A function that makes an image in a file of the test's own directory, and returns its path.

    Its arguments are those of `f2fs_image`, and the name of the file. The file is checked at the end of the test if it
    is still there.
    """

    def make(tree: Any = None, size: int | None = None, *, name: str = "disk.img", **options: Any) -> pathlib.Path:
        path = tmp_path / name
        _build(tree, path, size, f2fs_kind, options)
        _f2fs_made.append(lambda: path if path.exists() else None)
        return path

    return make


@pytest.fixture
def f2fs_volume(f2fs_image: MakeImage) -> Iterator[f2fskit.Volume]:
    """An empty volume of 64 MiB, open for reading and changing. The end of the test commits, then checks it."""
    import f2fskit

    with f2fs_image() as device, f2fskit.open(device, "r+") as volume:
        yield volume
