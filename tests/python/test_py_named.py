# SPDX-License-Identifier: LGPL-2.1-or-later
"""Errors name the file that they are about, also after pickling, and files that cannot be written are refused at once."""
import concurrent.futures
import io
import multiprocessing
import os
import pickle

import pytest

import f2fskit


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, time=0)
    with f2fskit.open(path, "r+") as volume:
        volume.path("/etc/init.d").mkdir(parents=True)
        volume.path("/etc/passwd").touch()
    return path


@pytest.mark.parametrize("call", [
    lambda path: f2fskit.open(path),
    lambda path: f2fskit.Device.open(path),
    lambda path: f2fskit.check(path),
    lambda path: f2fskit.mkfs(path),
    lambda path: f2fskit.Device.create(path / "below", 1 << 20),
])
@pytest.mark.parametrize("kind", [str, os.fsencode, lambda path: path])
def test_paths_of_the_host(tmp_path, call, kind):
    path = tmp_path / "missing"
    try:
        call(kind(path))
    except TypeError:
        pytest.skip("only of a path object")
    except OSError as error:
        assert os.fsdecode(error.filename).startswith(str(path)) and error.errno and str(path) in str(error)
    else:
        raise AssertionError


@pytest.mark.parametrize("call", [f2fskit.open, f2fskit.check, lambda path: f2fskit.resize(path, minimum=True), f2fskit.resize_minimum,
                                  lambda path: f2fskit.open(source=path), lambda path: f2fskit.mkfs(path, 1 << 20, overwrite=True)])
@pytest.mark.parametrize("kind", [str, os.fsencode, lambda path: path])
def test_images_that_are_none(tmp_path, call, kind):
    """A caller with many images has to know which one it was."""
    path = tmp_path / "text"
    path.write_text("no volume\n" * 1000)
    with pytest.raises(f2fskit.Error) as caught:
        call(kind(path))
    for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
        assert error.filename == kind(path) and str(path) in str(error), error


def test_trees_of_the_host(image, tmp_path):
    with f2fskit.open(image, "r+") as volume:
        for call in (lambda: volume.populate(tmp_path / "missing"), lambda: volume.populate(tar=tmp_path / "missing.tar")):
            with pytest.raises(FileNotFoundError) as caught:
                call()
            assert "missing" in str(caught.value.filename)
        volume.rollback()


OPERATIONS = {
    "stat": lambda path: path.stat(),
    "open": lambda path: path.open("rb"),
    "read": lambda path: path.read_bytes(),
    "write": lambda path: (path / "x").write_bytes(b""),
    "mkdir": lambda path: (path / "x").mkdir(),
    "unlink": lambda path: path.unlink(),
    "rmdir": lambda path: path.rmdir(),
    "rmtree": lambda path: path.rmtree(),
    "rename": lambda path: path.rename("/y"),
    "chmod": lambda path: path.chmod(0),
    "truncate": lambda path: path.truncate(0),
    "symlink": lambda path: (path / "x").symlink_to("a"),
    "link": lambda path: (path / "x").hardlink_to("/etc/passwd"),
}


@pytest.mark.parametrize("name", sorted(OPERATIONS))
def test_paths_of_the_volume(image, name):
    with f2fskit.open(image, "r+") as volume:
        with pytest.raises(OSError) as caught:
            OPERATIONS[name](volume.path("/etc/none"))
        for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
            assert str(error.filename).startswith("/etc/none") and "/etc/none" in str(error)
            assert (type(error), error.errno, error.code) == (type(caught.value), caught.value.errno, caught.value.code)
        volume.rollback()


def test_errors_of_values(image):
    """Those that are ValueErrors have the names of files, too."""
    with f2fskit.open(image, "r+") as volume:
        with pytest.raises(ValueError, match="symbolic link") as caught:
            volume["/etc/passwd"].readlink()
        assert (caught.value.filename, caught.value.filename2) == ("/etc/passwd", None)
        with pytest.raises(ValueError, match="below itself") as caught:
            volume["/etc"].rename("/etc/x")
        assert (caught.value.filename, caught.value.filename2) == ("/etc", "/etc/x")
        volume.rollback()
    assert f2fskit.RangeError(0, "a sentence").filename is None


def test_both_paths(image):
    """Name the paths asked for, as os.rename() does, not the component where it failed."""
    with f2fskit.open(image, "r+") as volume:
        for name in ("rename", "copy", "move"):
            for here, there in (("/etc/none", "/y"), ("/etc/passwd", "/none/y"), ("/etc/none", "y")):
                with pytest.raises(FileNotFoundError) as caught:
                    getattr(volume[here], name)(there)
                for error in (caught.value, pickle.loads(pickle.dumps(caught.value))):
                    assert (error.filename, error.filename2) == (here, there)
                    assert str(error).endswith(f": {here!r} -> {there!r}")
        with pytest.raises(FileNotFoundError) as caught:
            volume["/x"].hardlink_to("/none")
        assert (caught.value.filename, caught.value.filename2) == ("/x", "/none")
        volume.rollback()


def test_copies_name_the_file_within(image):
    with f2fskit.open(image, "r+") as volume:
        volume.commit()
        address = volume["/etc/passwd"].inode().address
    with f2fskit.Device.open(image) as device, device.overlay() as layer:
        layer.write(address * 4096 + 4072, b"spoiled!")
        with f2fskit.open(layer, "r+") as volume:
            with pytest.raises(f2fskit.CorruptError) as caught:
                volume["/etc"].copy("/new")
            assert caught.value.filename == "/etc/passwd"
            volume.rollback()


def test_attributes_and_lists(image):
    with f2fskit.open(image, "r+") as volume:
        attributes = volume["/etc/passwd"].xattrs
        for call in (lambda: attributes["user.none"], lambda: attributes.__delitem__("user.none"), lambda: attributes.pop("user.none"),
                     lambda: attributes.__setitem__("user.large", bytes(9000)),
                     lambda: list(volume["/etc/passwd"].iterdir()), lambda: next(volume["/etc/passwd"].iterdir())):
            with pytest.raises(OSError) as caught:
                call()
            assert caught.value.filename == "/etc/passwd"
        with pytest.raises(FileNotFoundError) as caught:
            list(volume["/none"].iterdir())
        assert caught.value.filename == "/none"
        volume.rollback()


def test_components(image):
    """Calls on a directory name the component, as os functions with dir_fd do."""
    with f2fskit.open(image, "r+") as volume:
        for call, names in ((lambda: volume.root.entry("none"), ("none", None)), (lambda: volume.root.remove("none"), ("none", None)),
                            (lambda: volume.root.create("etc"), ("etc", None)), (lambda: volume.root.link("etc", volume["/etc/passwd"].inode()), ("etc", None)),
                            (lambda: volume.root.rename("none", volume.root, "new"), ("none", "new"))):
            with pytest.raises(OSError) as caught:
                call()
            assert (caught.value.filename, caught.value.filename2) == names
        volume.rollback()


def test_sources_of_copies(image, tmp_path):
    with f2fskit.open(image) as volume, pytest.raises(FileNotFoundError) as caught:
        volume.extract(tmp_path / "out", paths=["/etc", "/none"])
    assert caught.value.filename == "/none"
    for source in (tmp_path / "missing", tmp_path / "missing.tar"):
        with pytest.raises(FileNotFoundError) as caught:
            f2fskit.build(source, tmp_path / "new.img")
        assert caught.value.filename == source
    with pytest.raises(ValueError, match="memoryview"):
        f2fskit.open(image.read_bytes())
    assert f2fskit.open(memoryview(image.read_bytes()))["/etc/passwd"].exists()


def read(image, path):
    with f2fskit.open(image) as volume:
        return volume.read_bytes(path)


def test_in_a_pool_of_processes(image):
    with concurrent.futures.ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        with pytest.raises(FileNotFoundError) as caught:
            pool.submit(read, str(image), "/etc/none/passwd").result()
    assert caught.value.filename == "/etc/none/passwd" and "/etc/none/passwd" in str(caught.value)


def test_all_errors_are_pickled():
    for kind in f2fskit.errors.CLASSES.values():
        error = kind(5, "a sentence")
        error.nid = 7
        error.filename, error.filename2 = "one", "two"
        again = pickle.loads(pickle.dumps(error))
        assert (type(again), again.args, again.nid, str(again)) == (kind, error.args, 7, str(error))
        assert (again.filename, again.filename2) == ("one", "two")


class OnlyReads:
    def __init__(self, data):
        self.size, self.data = len(data), data

    def pread(self, length, offset):
        return self.data[offset : offset + length]


def test_files_that_cannot_be_written(image):
    with open(image, "rb") as file, pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.open(file, "r+")
    with open(image, "rb", buffering=0) as file, pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.open(file, "r+")
    with pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.open(OnlyReads(image.read_bytes()), "r+")
    with open(image, "r+b") as file, f2fskit.open(file, "r+") as volume:
        volume.path("/file").touch()
    with f2fskit.open(io.BytesIO(image.read_bytes()), "r+") as volume:
        volume.path("/more").touch()
