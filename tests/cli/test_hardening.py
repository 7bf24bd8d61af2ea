# SPDX-License-Identifier: LGPL-2.1-or-later
"""Protection of programs and libraries against exploits, read from the ELF files of a build with -Dhardening=true."""
import json
import os
import re
import shutil
import subprocess

import pytest

PROGRAMS = ["mkfs.f2fs", "fsck.f2fs", "dump.f2fs", "sload.f2fs", "tune.f2fs", "defrag.f2fs", "resize.f2fs", "f2fs", "f2fslabel",
            "inject.f2fs", "f2fs-lab", "f2fs_io", "f2fscrypt", "fibmap.f2fs", "f2fstat"]


@pytest.fixture(scope="module")
def build(build_dir):
    """The build folder, and its options as Meson lists them."""
    if not shutil.which("meson") or not shutil.which("readelf"):
        pytest.skip("meson or readelf is not installed")
    listed = subprocess.run(["meson", "introspect", "--buildoptions", build_dir], check=True, capture_output=True, text=True).stdout
    options = {option["name"]: option["value"] for option in json.loads(listed)}
    if not options["hardening"]:
        pytest.skip("the build is configured with -Dhardening=false")
    return build_dir, options


def readelf(path, *options):
    return subprocess.run(["readelf", "-W", *options, path], check=True, capture_output=True, text=True).stdout


def files_of(build_dir, tool, kind):
    if kind == "programs":
        return [tool(name) for name in PROGRAMS]
    found = [os.path.join(build_dir, name) for name in ("lib/libf2fskit.so", "python/f2fskit/_f2fskit.abi3.so")]
    return [path for path in found if os.path.exists(path)]


def weaknesses(path, is_program):
    """Return the protections that a file lacks."""
    segments, dynamic, header = readelf(path, "-l"), readelf(path, "-d"), readelf(path, "-h")
    stack = re.search(r"GNU_STACK.* (R[W ][E ]) ", segments)
    lacks = {
        "PIE": is_program and not re.search(r"Type: +DYN", header),
        "RELRO": "GNU_RELRO" not in segments,
        "BIND_NOW": not re.search(r"FLAGS.*\bNOW\b", dynamic),
        "stack without execution": not stack or "E" in stack[1],
        "segments that are not both writable and executable": bool(re.search(r"LOAD.* RWE ", segments)),
    }
    return [name for name, is_missing in lacks.items() if is_missing]


@pytest.mark.parametrize("kind", ["programs", "libraries"])
def test_layout(build, tool, kind):
    for path in files_of(build[0], tool, kind):
        assert weaknesses(path, kind == "programs") == [], path


def test_calls_are_checked(build, tool):
    """The compiler put the stack protector and _FORTIFY_SOURCE in."""
    build_dir, options = build
    is_fortified = options["optimization"] not in ("0", "g", "plain") and options["b_sanitize"] == "none"
    for path in files_of(build_dir, tool, "programs"):
        symbols = readelf(path, "--dyn-syms")
        assert "__stack_chk_fail" in symbols, path
        if is_fortified:
            assert re.search(r"__(sn|vsn|f|vf)?printf_chk", symbols), path


def test_preloads_see_all_input_and_output(build, tool):
    """No call is one that _FORTIFY_SOURCE made of another name: tests/common replaces read(), write() and the like."""
    for path in files_of(build[0], tool, "programs") + files_of(build[0], tool, "libraries"):
        assert not re.findall(r"__p?(?:read|write)(?:v|64)*_chk", readelf(path, "--dyn-syms")), path


def test_control_flow(build, build_dir):
    """Every object of the library says that its branches are marked, where the compiler can mark them."""
    if os.uname().machine != "x86_64":
        pytest.skip("not an x86-64")
    objects = [os.path.join(folder, name) for folder, _, names in os.walk(os.path.join(build_dir, "lib")) for name in names
               if name.endswith(".c.o")]
    # its status is 1 for objects, which have notes but no segments
    text = subprocess.run(["readelf", "-W", "-n", *objects], capture_output=True, text=True).stdout
    assert len(objects) > 100 and text.count("IBT, SHSTK") == len(objects)


def test_weaknesses_are_found(tmp_path):
    """A program without any protection lacks all of it."""
    (tmp_path / "weak.c").write_text("int main(void) { return 0; }\n")
    subprocess.run(["cc", "-no-pie", "-fno-pie", "-Wl,-z,norelro,-z,lazy,-z,execstack", tmp_path / "weak.c", "-o", tmp_path / "weak"],
                   check=True)
    assert weaknesses(tmp_path / "weak", True)[:4] == ["PIE", "RELRO", "BIND_NOW", "stack without execution"]
