# SPDX-License-Identifier: LGPL-2.1-or-later
"""The option --placement of programs that write: the volume is an ordinary one, and invalid values are reported."""
import pytest

METHODS = ["m2h:delays=1,memory=1M,victims=greedy", "death:range=16,streams=8", "lifespan", "adaptive"]


@pytest.fixture
def image(run_tool, tmp_path):
    run_tool("mkfs.f2fs", "-q", tmp_path / "disk", "600M")
    return tmp_path / "disk"


@pytest.fixture
def source(tmp_path):
    (tmp_path / "from").mkdir()
    (tmp_path / "from" / "file").write_bytes(bytes(range(256)) * 4096)
    return tmp_path / "from"


def must_hold(f2fskit, image, path, source):
    with f2fskit.open(image) as volume:
        assert volume.read_bytes(path) == (source / "file").read_bytes()
    assert f2fskit.check(image).found == 0


@pytest.mark.parametrize("method", METHODS)
def test_f2fs(method, f2fskit, run_tool, image, source):
    words = ["put", source / "file", "/file", "--", "rm", "/file", "--"] * 3 + ["put", source / "file", "/file"]
    run_tool("f2fs", "-w", "--placement", method, image, *words)
    must_hold(f2fskit, image, "/file", source)


@pytest.mark.parametrize("method", METHODS)
def test_copying_in(method, f2fskit, run_tool, image, source, tmp_path):
    run_tool("sload.f2fs", "--placement=" + method, "-f", source, "--into=/to", image)
    must_hold(f2fskit, image, "/to/file", source)


def test_it_has_an_effect(f2fskit, run_tool, image, source):
    """The contents are in a segment of their own."""
    places = []
    for options in ([], ["--placement=death"]):
        run_tool("f2fs", "-w", *options, image, "put", source / "file", "/file%d" % len(options))
        with f2fskit.open(image) as volume:
            places.append(next(iter(volume.lookup("/file%d" % len(options)).extents())).addr)
    assert places[0] // 512 != places[1] // 512


def test_failure_leaves_nothing(f2fskit, run_tool, image, source):
    """A run that fails rolls back its changes, those that wait in streams included."""
    before = image.read_bytes()
    run_tool("f2fs", "-w", "--placement=m2h", image, "put", source / "file", "/file", "--", "get", "/nothing", rc=2)
    assert f2fskit.check(image).found == 0
    with f2fskit.open(image) as volume:
        assert [p.name for p in volume.path("/").iterdir()] == []
    assert image.stat().st_size == len(before)


@pytest.mark.parametrize("text,message", [
    ("m2", "names an unknown placement"), ("", "names an unknown placement"), ("m2h:", "KEY=VALUE"), ("m2h:delays", "KEY=VALUE"),
    ("m2h:dela=1", "has an unknown key"), ("m2h:delays=2", "has an invalid value for its key"),
    ("m2h:memory=x", "has an invalid value for its key"), ("m2h:victims=odd", "names an unknown GC policy"),
    ("m2h:" + "x" * 99 + "=1", "KEY=VALUE")])
def test_wrong(text, message, run_tool, image):
    for tool, operands in (("f2fs", ["-w", image, "ls"]), ("sload.f2fs", ["-f", "/", image])):
        done = run_tool(tool, "--placement=" + text, *operands, rc=None)
        assert done.returncode != 0 and message in done.stderr.decode()


def test_too_small_a_volume(run_tool, tmp_path):
    run_tool("mkfs.f2fs", "-q", tmp_path / "small", "60M")
    before = (tmp_path / "small").read_bytes()
    done = run_tool("f2fs", "-w", "--placement=death", tmp_path / "small", "mkdir", "/a", rc=None)
    assert done.returncode != 0 and b"streams need 72 free sections" in done.stderr
    assert (tmp_path / "small").read_bytes() == before
