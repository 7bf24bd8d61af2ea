# SPDX-License-Identifier: LGPL-2.1-or-later
"""The wheel: it builds with the tools of the system, holds the module and nothing else, and works where it is installed."""
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import zipfile

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "lint"))
sys.path.append(str(pathlib.Path(__file__).resolve().parents[2] / "python"))
import lint  # noqa: E402
import make_wheel  # noqa: E402
import wheel_file  # noqa: E402


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
                           "--config-settings", "setup-args=-Doptimization=0", "--wheel-dir", str(work / "dist"), str(source)],
                          capture_output=True, text=True, env={**os.environ, "PYTHONPATH": ""})  # half the time
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-3000:]
    found, = (work / "dist").glob("*.whl")
    return found


def install(place, wheel):
    """Install a wheel into a new environment, which has no pip of its own, and return that."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", "--system-site-packages", str(place)], check=True)
    subprocess.run([sys.executable, "-m", "pip", "--python", str(place / "bin/python"), "install", "--no-index", "--no-deps", str(wheel)],
                   check=True, capture_output=True, env={**os.environ, "PYTHONPATH": ""})
    return place


def test_no_programs_are_built(top, tmp_path):
    """Whoever builds the module from source waits for nothing else."""
    if not shutil.which("meson"):
        pytest.skip("meson is not installed")
    subprocess.run(["meson", "setup", "-Dpython=enabled", "-Dpython_only=true", str(tmp_path), str(top)], check=True, capture_output=True)
    targets = json.loads(subprocess.run(["meson", "introspect", "--targets", str(tmp_path)], check=True, capture_output=True).stdout)
    assert not [target["name"] for target in targets if target["type"] == "executable"]


def test_contents(wheel, top):
    with zipfile.ZipFile(wheel) as archive:
        names = [name for name in archive.namelist() if ".dist-info/" not in name]
        metadata = archive.read(next(name for name in archive.namelist() if name.endswith("METADATA"))).decode()
    assert all(name.startswith("f2fskit/") for name in names), names
    extensions = [name for name in names if name.endswith(".so")]
    assert extensions == ["f2fskit/_f2fskit.abi3.so"] and re.match(r"f2fskit-[\d.]+-cp3\d+-abi3-linux_\w+\.whl$", wheel.name)
    assert {pathlib.PurePath(name).name for name in names} - {pathlib.PurePath(extensions[0]).name} == {
        path.name for path in (top / "python/f2fskit").iterdir() if path.suffix in (".py", ".pyi", ".typed", ".html", ".css", ".js")}
    head, text = metadata.split("\n\n", 1)
    assert "Name: f2fskit" in head and "Requires-Dist: cffi" in head and "Description-Content-Type: text/markdown" in head
    # an index renders Markdown, and follows no link into the repository
    assert "python -m f2fskit" in text and "f2fskit[tools]" in text
    assert [link for link in re.findall(r"\]\(([^)]*)\)|(?:href|src)=\"([^\"]*)", text) if not "".join(link).startswith("https://")] == []
    assert re.search(r"^Requires-Dist: f2fskit-tools; extra == [\"']tools[\"']$", head, re.M)


def test_installed(wheel, image, tmp_path):
    python = install(tmp_path / "env", wheel) / "bin/python"
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


def test_nothing_but_the_entry_is_visible(wheel, tmp_path):
    """Two copies of the library in one process do not meet, and functions that nothing calls are left out."""
    with zipfile.ZipFile(wheel) as archive:
        path = archive.extract("f2fskit/_f2fskit.abi3.so", tmp_path)
    names = subprocess.run(["nm", "-D", "--defined-only", path], capture_output=True, text=True, check=True).stdout
    assert {line.split()[-1] for line in names.splitlines()} == {"PyInit__f2fskit"}


def test_without_a_compiler(top, tmp_path):
    """pip reports that a compiler is missing, and names the packages to install."""
    for variables, words in (({"PATH": str(tmp_path)}, "there is none of cc, gcc"), ({"CC": "no-such-cc -O2"}, "no-such-cc, which CC names")):
        done = subprocess.run([sys.executable, "-c", "import build_backend; build_backend.build_wheel('.')"], capture_output=True, text=True,
                              env={**os.environ, "PYTHONPATH": str(top / "python"), "CC": "", **variables}, cwd=tmp_path)
        assert done.returncode == 1 and words in done.stderr and "apt-get install gcc" in done.stderr, done.stderr


def members(path):
    """Return the members of a wheel, after a check of its RECORD."""
    with zipfile.ZipFile(path) as archive:
        found = {info.filename: (archive.read(info), bool(info.external_attr >> 16 & 0o100)) for info in archive.infolist()}
    record, = (name for name in found if name.endswith(".dist-info/RECORD"))
    expected = {wheel_file.record_line(name, data) for name, (data, _) in found.items() if name != record}
    assert set(found[record][0].decode().splitlines()) == expected | {f"{record},,"}
    return found


def test_release(wheel, top, tmp_path):
    """make_wheel.py writes a wheel again with another tag and with licences, and its RECORD fits."""
    wheel_file.rewrite(wheel, tmp_path / "new.whl", "cp39-abi3-musllinux_1_2_x86_64", {"libsome": b"its licence"},
                       lambda name, data: b"stripped" if data[:4] == b"\x7fELF" else make_wheel.finish(name, data, tmp_path))
    found = members(tmp_path / "new.whl")
    folder = next(name.split("/")[0] for name in found if name.endswith("/WHEEL"))
    assert re.findall("(?m)^Tag: (.*)$", found[f"{folder}/WHEEL"][0].decode()) == ["cp39-abi3-musllinux_1_2_x86_64"]
    assert found[f"{folder}/licenses/libsome"][0] == b"its licence" and f"{folder}/LICENSE" in found
    assert found["f2fskit/_f2fskit.abi3.so"][0] == b"stripped"
    head, text = found[f"{folder}/METADATA"][0].decode().split("\n\n", 1)
    assert "License: LGPL-2.1-or-later\n" in head and head.count("\n") < 60 and "Name: f2fskit\n" in head and text.startswith("# f2fskit")
    points = found[f"{folder}/entry_points.txt"][0].decode()
    assert "[pytest11]\nf2fskit.pytest_plugin = f2fskit.pytest_plugin" in points and "[fsspec.specs]\nf2fs = f2fskit.fsspec_filesystem." in points
    run = subprocess.run([sys.executable, top / "python/make_wheel.py"], capture_output=True, text=True)
    assert run.returncode == 2 and "make_wheel.py OUTPUT" in run.stderr


def test_programs(build_dir, tmp_path):
    """The wheel of the programs puts each where a shell finds it, and beside it the library where the program looks for it."""
    stage = tmp_path / "stage"
    (stage / "bin").mkdir(parents=True)
    (stage / "lib/f2fskit").mkdir(parents=True)
    (stage / "share/man/man8").mkdir(parents=True)
    for name, text in {"bin/mkfs.f2fs": '#!/bin/sh\ncat "${0%/*}/../lib/f2fskit/libf2fskit.so.0" "$1"\n', "lib/f2fskit/libf2fskit.so.0.1.0": "the library\n",
                       "lib/f2fskit/libf2fskit.a": "", "share/man/man8/mkfs.f2fs.8": ".TH"}.items():
        (stage / name).write_text(text)
    (stage / "lib/f2fskit/libf2fskit.so").symlink_to("libf2fskit.so.0.1.0")
    made = make_wheel.pack_tools(stage, "any", {"zlib": b"its licence"}, tmp_path)
    assert made.name == "f2fskit_tools-0.1.0-py3-none-any.whl"
    found = members(made)
    assert {name for name, (_, runs) in found.items() if runs} >= {"f2fskit_tools-0.1.0.data/scripts/mkfs.f2fs"}
    assert not any(name.endswith(".a") for name in found) and "f2fskit_tools-0.1.0.dist-info/licenses/zlib" in found
    install(tmp_path / "env", made)
    (tmp_path / "operand").write_text("and its operand\n")
    done = subprocess.run([tmp_path / "env/bin/mkfs.f2fs", tmp_path / "operand"], capture_output=True, text=True, check=True)
    assert done.stdout == "the library\nand its operand\n" and (tmp_path / "env/share/man/man8/mkfs.f2fs.8").exists()
