#!/usr/bin/env python3
# SPDX-License-Identifier: LGPL-2.1-or-later
"""Make the wheels of a release: make_wheel.py OUTPUT [PLATFORM]...

PLATFORM is manylinux_2_28 (glibc 2.28 and later) or musllinux_1_2 (musl); by default both are made. For each there are two wheels:
f2fskit, the module, which serves all Pythons from 3.9 on, and f2fskit-tools, the programs, which f2fskit[tools] installs. They need
nothing from the system but the C library.

It needs Debian's python3-mesonpy, python3-cffi, python3-dev, binutils and musl, and ziglang from the package index. The libraries
inside come from Debian's sources (wheel_libraries.py), and so do their licences.
"""

from __future__ import annotations

import os
import pathlib
import platform
import re
import shutil
import subprocess
import sys
import sysconfig
import tempfile

import wheel_file
from wheel_libraries import PACKAGES, TARGETS, TOP, Libraries

# In Zig's stand-in for musl all data has one address, so a copy of stdout in a program would be a copy of stdin: no copies.
FLAGS = "-ffunction-sections -fdata-sections -fno-sanitize=undefined -fno-direct-access-external-data"
COMMON = ["-Doptimization=2", "-Ddebug=false", "-Darchive=enabled", "-Dcrypto=enabled", "-Dlz4=enabled", "-Dzstd=enabled",
          "-Dcasefold=enabled", "-Dlibdeflate=enabled", "-Dblkid=enabled", "-Ddlopen=disabled", "-Dtests=false"]  # fmt: skip
MODULE = ["-Dpython=enabled", "-Dpython_only=true"]
TOOLS = ["-Dpython=disabled", "-Dlab=false", "-Dfuse=disabled", "-Dmagic=disabled", "-Dlibedit=disabled", "-Dcairo=disabled",
         "-Dsqlite=disabled", "-Duuid=enabled", "-Dbuildtype=plain", "-Db_pie=true", "--prefix=/f2fskit", "--bindir=bin", "--sbindir=bin",
         "--libdir=lib/f2fskit", "--mandir=share/man", "--datadir=share"]  # fmt: skip
PYTHON_TAG = "cp39"
MOST_BYTES = 3_000_000
OF_LIBC = {"libc.so", "libc.so.6", "libm.so.6", "libpthread.so.0", "libdl.so.2", "ld-linux-x86-64.so.2", "ld-linux-aarch64.so.1"}
HEAD = """Metadata-Version: 2.1
Name: f2fskit-tools
Version: {version}
Summary: Make, fill, check, repair and look into F2FS images
License: LGPL-2.1-or-later
Classifier: Operating System :: POSIX :: Linux
Classifier: Topic :: System :: Filesystems
Description-Content-Type: text/markdown

"""
DESCRIPTION = """# f2fskit-tools

The programs of f2fskit as a wheel: mkfs.f2fs, fsck.f2fs, dump.f2fs, sload.f2fs, tune.f2fs, resize.f2fs, defrag.f2fs, f2fs,
f2fslabel and inject.f2fs, with their manual pages. They make, read, change, check and repair F2FS images without mounting them,
and need nothing but the C library.

The Python module is `f2fskit`; `pip install f2fskit[tools]` installs both.

The licence is LGPL-2.1-or-later.
"""


def copy_sources(folder: pathlib.Path) -> pathlib.Path:
    """Copy the sources: a build leaves files beside them."""
    source = folder / "source"
    shutil.copytree(TOP, source, ignore=lambda place, names: [
        name for name in names if place == str(TOP) and name.startswith(("build", ".git"))])  # fmt: skip
    return source


def licences(libraries: Libraries) -> dict[str, bytes]:
    """Return the licences of the libraries inside, by package."""
    return {name: next((libraries.cache / "src").glob(f"{name}-[0-9]*/debian/copyright")).read_bytes() for name in PACKAGES}


def strip(data: bytes, folder: pathlib.Path) -> bytes:
    """Return a program or library without its symbols for debuggers."""
    path = folder / "stripped"
    path.write_bytes(data)
    subprocess.run(["strip", "--strip-all", path], check=True)
    return path.read_bytes()


def check_needs(data: bytes, folder: pathlib.Path, name: str) -> None:
    """Refuse a program or library that needs more than the C library, or a newer glibc than its platform has."""
    path = folder / "examined"
    path.write_bytes(data)
    text = subprocess.run(["readelf", "-drVW", path], capture_output=True, text=True, check=True).stdout
    needed = set(re.findall(r"\(NEEDED\).*\[(.+)\]", text)) - OF_LIBC
    if needed - {"libf2fskit.so.0"}:
        sys.exit(f"wheel: {name} needs {', '.join(sorted(needed))}; link it statically")
    if "_COPY" in text:
        sys.exit(f"wheel: {name} has copies of variables of the C library; compile it with -fno-direct-access-external-data")
    newest = max(((int(a), int(b)) for a, b in re.findall(r"GLIBC_(\d+)\.(\d+)", text)), default=(0, 0))
    if newest > (2, 28):
        sys.exit(f"wheel: {name} needs glibc {newest[0]}.{newest[1]}")


def environment(libraries: Libraries) -> dict[str, str]:
    """Return the environment of a build."""
    return {**libraries.environment(), "CFLAGS": FLAGS}


def make_module(source: pathlib.Path, libraries: Libraries, work: pathlib.Path, tag: str) -> pathlib.Path:
    """Build the wheel of the module, and return it."""
    python = sysconfig.get_config_var("MULTIARCH")
    headers = libraries.root / "include" / python  # Debian's Python.h asks for a part of it by this name
    headers.unlink(missing_ok=True)
    headers.symlink_to(f"/usr/include/{python}")
    code = ("import mesonpy, sys; options = sys.argv[2:]\n"
            "mesonpy.build_wheel(sys.argv[1], {'setup-args': options, 'install-args': []})")  # fmt: skip
    (work / "built").mkdir()
    subprocess.run([sys.executable, "-c", code, work / "built", *COMMON, *MODULE], cwd=source, env=environment(libraries), check=True)
    built, = (work / "built").glob("*.whl")
    version = built.name.split("-")[1]
    target = work / f"f2fskit-{version}-{PYTHON_TAG}-abi3-{tag}.whl"
    wheel_file.rewrite(built, target, f"{PYTHON_TAG}-abi3-{tag}", licences(libraries), lambda name, data: finish(name, data, work))
    return target


def finish(name: str, data: bytes, work: pathlib.Path) -> bytes:
    """Strip and examine a member of a wheel, if it is a program or a library. In metadata the licence's name is enough."""
    if name.endswith(".dist-info/METADATA"):
        return re.sub(rb"(?m)^License: .*\n(?:[ \t].*\n)*", b"License: LGPL-2.1-or-later\n", data, count=1)
    if data[:4] != b"\x7fELF":
        return data
    data = strip(data, work)
    check_needs(data, work, name)
    return data


def make_tools(source: pathlib.Path, libraries: Libraries, work: pathlib.Path, tag: str) -> pathlib.Path:
    """Build the wheel of the programs, and return it."""
    build, stage = work / "build-tools", work / "stage"
    variables = {**environment(libraries), "DESTDIR": str(stage)}
    subprocess.run(["meson", "setup", build, *COMMON, *TOOLS], cwd=source, env=variables, check=True)
    subprocess.run(["meson", "install", "-C", build, "--quiet"], env=variables, check=True)
    return pack_tools(stage / "f2fskit", tag, licences(libraries), work)


def pack_tools(stage: pathlib.Path, tag: str, texts: dict[str, bytes], work: pathlib.Path) -> pathlib.Path:
    """Pack installed programs into a wheel, and return it. They find the library as `../lib/f2fskit/libf2fskit.so.0`."""
    library, = (path for path in (stage / "lib/f2fskit").glob("libf2fskit.so.*.*.*"))
    version = library.name.removeprefix("libf2fskit.so.")
    folder, data = f"f2fskit_tools-{version}.dist-info", f"f2fskit_tools-{version}.data"
    members = {f"{data}/data/lib/f2fskit/libf2fskit.so.0": (finish(library.name, library.read_bytes(), work), True)}
    for path in sorted((stage / "bin").iterdir()):
        members[f"{data}/scripts/{path.name}"] = (finish(path.name, path.read_bytes(), work), True)
    for path in sorted((stage / "share").glob("man/man[18]/*")) + sorted((stage / "share").glob("bash-completion/completions/*")):
        members[f"{data}/data/{path.relative_to(stage)}"] = (path.read_bytes(), False)
    members[f"{folder}/METADATA"] = (HEAD.format(version=version).encode() + DESCRIPTION.encode(), False)
    members[f"{folder}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: f2fskit\nRoot-Is-Purelib: false\nTag: py3-none-{tag}\n".encode(), False)  # fmt: skip
    for name, text in {"f2fskit": (TOP / "LICENSE").read_bytes(), **texts}.items():
        members[f"{folder}/licenses/{name}"] = (text, False)
    target = work / f"f2fskit_tools-{version}-py3-none-{tag}.whl"
    wheel_file.write(target, folder, members)
    return target


def main() -> int:
    words = sys.argv[1:]
    if not words or words[0].startswith("-") or set(words[1:]) - set(TARGETS):
        print(__doc__, file=sys.stderr)
        return 2
    output = pathlib.Path(words[0]).absolute()
    output.mkdir(parents=True, exist_ok=True)
    for name in words[1:] or TARGETS:
        libraries = Libraries(name)
        libraries.make()
        with tempfile.TemporaryDirectory(prefix="f2fskit-wheel-") as folder:
            work = pathlib.Path(folder)
            source = copy_sources(work)
            tag = f"{name}_{platform.machine()}"
            for made in (make_module(source, libraries, work, tag), make_tools(source, libraries, work, tag)):
                shutil.copy(made, output)
                size = os.stat(made).st_size
                print(f"{output / made.name}: {size:,} bytes")
                if size > MOST_BYTES:
                    sys.exit(f"wheel: {made.name} is larger than {MOST_BYTES:,} bytes")
    return 0


if __name__ == "__main__":
    sys.exit(main())
