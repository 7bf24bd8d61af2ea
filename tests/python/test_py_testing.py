# SPDX-License-Identifier: LGPL-2.1-or-later
"""Helpers for tests of others: the pytest plugin, kinds of volumes, and trees that have to be equal."""
import os
import subprocess
import sys

import pytest

import f2fskit
from conftest import pattern
from f2fskit.testing import assert_sound, assert_trees_equal, matrix


def test_matrix():
    kinds = matrix("compression", "casefold")
    assert [str(kind) for kind in kinds] == ["plain", "compression", "casefold", "compression+casefold"]
    assert [kind["features"] for kind in kinds] == [[], ["compression", "extra_attr"], ["casefold"],
                                                    ["casefold", "compression", "extra_attr"]]
    everything = {str(kind): kind for kind in matrix()}
    assert {"plain", "compression", "casefold", "encrypt", "verity", "quota", "all features"} < set(everything)
    assert {"casefold", "compression", "encrypt", "quota"} < set(everything["all features"]["features"])
    for kind in everything.values():
        device = f2fskit.Device.memory(f2fskit.mkfs_minimum_size(**kind))
        f2fskit.mkfs(device, **kind)
        with f2fskit.open(device) as volume:
            assert volume.block_size == kind.get("block_size", 4096)
            named = {name.lower() for name, flag in f2fskit.Feature.__members__.items() if volume.features & flag}
            assert named >= set(kind.get("features", ()))
        assert_sound(device)
    with pytest.raises(ValueError, match="no feature 'compresion'"):
        matrix("compresion")


def message(*sides, **options):
    with pytest.raises(AssertionError) as caught:
        assert_trees_equal(*sides, **options)
    return str(caught.value).splitlines()


def test_equal_trees(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "a/b").write_bytes(b"b")
    (tmp_path / "link").symlink_to("a")
    tree = {"a": {"b": b"b"}, "link": f2fskit.Entry(symlink="a")}
    with f2fskit.build(tmp_path) as device, f2fskit.open(device) as volume:
        for side in (tree, tmp_path, volume, device):
            assert_trees_equal(volume, side)
        assert_trees_equal(tree, volume)
        lines = message({"a": {}}, tree)
    assert lines == ["the trees differ at 2 paths (- found, + expected):", "  /a/b: missing (file)", "  /link: missing (symlink)"]


def test_readable_differences():
    with f2fskit.build({"text": "one\ntwo\nthree\n", "data": pattern(1, 9000), "surplus": {"in": ""}}) as device:
        with f2fskit.open(device, "r+") as volume:
            lines = message(volume, {"text": "one\n2\nthree\n", "data": pattern(1, 8000) + b"X" + pattern(1, 9000)[8001:]})
            assert "  /text: contents differ" in lines and "    -two" in lines and "    +2" in lines
            assert "    first at byte 8,000 of 9,000 and 9,000" in lines
            assert f"    - 00001f40 {pattern(1, 9000)[8000:8016].hex(' ')}" in lines
            assert f"    + 00001f40 {(b'X' + pattern(1, 9000)[8001:8016]).hex(' ')}" in lines
            assert "  /surplus: unexpected (directory)" in lines
            other = device.fork()
            with f2fskit.open(other, "r+") as changed:
                changed["/text"].chmod(0o600)
                changed["/text"].chown(1, 2)
                changed["/text"].xattrs["user.a"] = b"b"
            with f2fskit.open(other) as changed:
                assert message(changed, volume) == [
                    "the trees differ at 1 path (- found, + expected):",
                    "  /text: mode: 0o600 != 0o644",
                    "  /text: owner: (1, 2) != (0, 0)",
                    "  /text: xattrs: {'user.a': b'b'} != {}"]
                assert_trees_equal(changed, volume, ignore=["mode", "owner", "xattrs"])
                assert_trees_equal(changed, volume, exclude=["text"])
            other.close()


def test_long_differences_end():
    lines = message({}, {f"{i}": "" for i in range(500)})
    assert len(lines) < 50 and lines[0].startswith("the trees differ at 500 paths") and lines[-1] == "  and 461 lines more"


def test_values_of_differences(tmp_path):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "f").write_bytes(b"1")
    os.chmod(tree / "f", 0o640)
    os.utime(tree / "f", ns=(0, 1_700_000_000_000_000_005))
    (tree / "link").symlink_to("here")
    (tree / "only").mkdir()
    with f2fskit.build({"f": "22", "link": f2fskit.Entry(symlink="there"), "gone": ""}, time=0) as device:
        found = {one.path: one for one in f2fskit.diff(device, tree)}
        turned = {one.path: one for one in f2fskit.diff(tree, device)}
    uid = os.stat(tree).st_uid
    assert {key: found["/f"].old[key] for key in ("size", "mtime", "mode")} == {"size": 2, "mtime": 0, "mode": 0o644}
    assert {key: found["/f"].new[key] for key in ("size", "mtime", "mode")} == {
        "size": 1, "mtime": 1_700_000_000_000_000_005, "mode": 0o640}
    assert found["/link"].old["target"] == "there" and found["/link"].new["target"] == "here"
    assert found["/gone"].old == {"type": "file"} and found["/only"].new == {"type": "directory"}
    assert uid == 0 or found["/f"].new["owner"][0] == uid
    assert {path: (one.new, one.old) for path, one in turned.items()} == {path: (one.old, one.new) for path, one in found.items()}


INNER = """
import f2fskit, pytest
from f2fskit.testing import matrix

def test_sound(f2fs_volume, f2fs_file):
    f2fs_volume["/f"].write_bytes(b"x")
    with f2fskit.open(f2fs_file({"a": "b"}, name="x.img")) as volume:
        assert volume["/a"].read_text() == "b"

@pytest.mark.parametrize("f2fs_kind", matrix("casefold"))
def test_kinds(f2fs_kind, f2fs_volume):
    assert ("CASEFOLD" in f2fs_volume.features.name) == bool(f2fs_kind["features"]) if f2fs_volume.features else True

def spoil(device):
    with f2fskit.open(device) as volume:
        address = volume["/a"].inode().address
    device.write(address * 4096 + 4072, b"spoiled!")

def test_damaged(f2fs_image):
    with f2fs_image({"a": "b"}) as device:
        spoil(device)

@pytest.mark.f2fs_unchecked
def test_on_purpose(f2fs_image):
    spoil(f2fs_image({"a": "b"}))

def test_file_damaged(f2fs_file):
    with f2fskit.Device.open(f2fs_file({"a": "b"}), writable=True) as device:
        spoil(device)

def test_deleted(f2fs_file):
    f2fs_file().unlink()
"""


def test_plugin(tmp_path):
    (tmp_path / "test_inner.py").write_text(INNER)
    done = run_pytest(tmp_path, "-v")
    assert "passed" in done.stdout, done.stdout + done.stderr
    shown = {line.split()[0].split("::")[1]: line.split()[1] for line in done.stdout.splitlines() if line.startswith("test_inner.py::")}
    ends = [line.split(" - ")[0] for line in done.stdout.splitlines() if line.startswith("ERROR test_inner")]
    assert set(shown.values()) <= {"PASSED", "ERROR"} and {"test_kinds[plain]", "test_kinds[casefold]"} < set(shown)
    assert ends == ["ERROR test_inner.py::test_damaged", "ERROR test_inner.py::test_file_damaged"], done.stdout
    assert "the volume has 2 problems" in done.stdout and "NODE_FOOTER: the footer of node" in done.stdout


def run_pytest(folder, *arguments):
    """Run pytest as a project does that has the package installed."""
    return subprocess.run([sys.executable, "-m", "pytest", "-p", "f2fskit.pytest_plugin", "-p", "no:cacheprovider", "-rE",
                           "--basetemp", str(folder / "base"), *arguments], capture_output=True, text=True, cwd=folder,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__)),
                               "PYTHONDONTWRITEBYTECODE": "1", "COLUMNS": "300"})


def test_example(top, tmp_path):
    done = run_pytest(tmp_path, "-q", str(top / "examples/test_update.py"))
    assert done.returncode == 0 and "5 passed" in done.stdout, done.stdout + done.stderr
