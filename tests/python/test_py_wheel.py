# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wheel: it builds with the tools of the system, holds the module and nothing else, and works where it is installed."""
import os
import pathlib
import re
import subprocess
import sys
import zipfile

import pytest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
import lint  # noqa: E402


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    top = pathlib.Path(__file__).resolve().parents[2]
    for module in ("mesonpy", "pip", "venv", "cffi"):
        if subprocess.run([sys.executable, "-c", f"import {module}"], capture_output=True).returncode:
            pytest.skip(f"{module} is not installed for this interpreter")
    work = tmp_path_factory.mktemp("wheel")
    # a copy: the build leaves files beside its sources
    source = work / "source"
    lint.write_tree(source, {name: (top / name).read_bytes() for name in lint.project_files(top)})
    done = subprocess.run([sys.executable, "-m", "pip", "wheel", "--no-build-isolation", "--no-deps", "--no-index",
                           "--wheel-dir", str(work / "dist"), str(source)], capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": ""})
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found, = (work / "dist").glob("*.whl")
    return found


def test_contents(wheel, top):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
    assert all(name.startswith("f2fskit/") for name in names), names
    extensions = [name for name in names if name.endswith(".so")]
    assert extensions == ["f2fskit/_f2fskit.abi3.so"] and re.match(r"f2fskit-[\d.]+-cp3\d+-abi3-linux_\w+\.whl$", wheel.name)
    assert {pathlib.PurePath(name).name for name in names} - {pathlib.PurePath(extensions[0]).name} == {
        path.name for path in (top / "python/f2fskit").iterdir() if path.suffix in (".py", ".pyi", ".typed", ".html", ".css", ".js")}
    assert "python -m f2fskit" in metadata and "](" not in metadata.split("\n\n", 1)[1]  # no link that an index cannot follow
    assert "Name: f2fskit" in metadata and "Requires-Dist: cffi" in metadata


def test_installed(wheel, image, tmp_path):
    subprocess.run([sys.executable, "-m", "venv", "--system-site-packages", str(tmp_path / "env")], check=True)
    python = tmp_path / "env/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--no-index", "--no-deps", str(wheel)], check=True, capture_output=True,
                   env={**os.environ, "PYTHONPATH": ""})
    code = ("import f2fskit, sys; print(f2fskit.__file__); volume = f2fskit.open(sys.argv[1]);"
            "sys.stdout.write(volume.path('/tiny.txt').read_text())")
    done = subprocess.run([python, "-c", code, str(image.path)], capture_output=True, text=True, cwd=tmp_path,
                          env={key: value for key, value in os.environ.items() if key != "PYTHONPATH"})
    assert done.returncode == 0, done.stderr
    where, text = done.stdout.split("\n", 1)
    assert where.startswith(str(tmp_path)) and text == "hello, f2fs\n"
    # the library is inside
    listed = subprocess.run(["ldd", *(tmp_path / "env").rglob("_f2fskit*.so")], capture_output=True, text=True).stdout
    assert "libf2fskit" not in listed


def test_release(wheel, top, tmp_path, monkeypatch):
    """make_wheel.py writes a wheel again with another tag and with licences, and its RECORD fits."""
    monkeypatch.syspath_prepend(top / "python")
    import make_wheel

    make_wheel.rewrite(wheel, tmp_path / "new.whl", "cp39", {"libsome": b"its licence"})
    with zipfile.ZipFile(tmp_path / "new.whl") as archive:
        names = [name for name in archive.namelist() if not name.endswith("/")]
        folder = next(name.split("/")[0] for name in names if name.endswith("/WHEEL"))
        assert "\nTag: cp39-abi3-linux_" in archive.read(f"{folder}/WHEEL").decode()
        assert archive.read(f"{folder}/licenses/libsome") == b"its licence" and f"{folder}/LICENSE" in names
        points = archive.read(f"{folder}/entry_points.txt").decode()
        assert "[pytest11]\nf2fskit.pytest_plugin = f2fskit.pytest_plugin" in points and "[fsspec.specs]\nf2fs = f2fskit.fsspec_filesystem." in points
        lines = archive.read(f"{folder}/RECORD").decode().splitlines()
        expected = {make_wheel.record_line(name, archive.read(name)) for name in names if name != f"{folder}/RECORD"}
    assert set(lines) == expected | {f"{folder}/RECORD,,"}
    run = subprocess.run([sys.executable, top / "python/make_wheel.py"], capture_output=True, text=True)
    assert run.returncode == 2 and "make_wheel.py OUTPUT" in run.stderr
