# SPDX-License-Identifier: LGPL-2.1-or-later
"""Programs that run at boot start without large libraries, which are loaded at their first use (lib/base/late.h)."""
import json
import os
import re
import shutil
import subprocess

import pytest

BOOT = ["fsck.f2fs", "mkfs.f2fs", "resize.f2fs", "f2fslabel"]
CONTAINERS = {"ewf": "libewf.so.2", "qcow": "libqcow.so.1", "vhdi": "libvhdi.so.1", "vmdk": "libvmdk.so.1"}
LATE = {"archive": "libarchive", "crypto": "libcrypto", **{name: "lib" + name for name in CONTAINERS}}
# libraries that a program may need, directly or through others
SMALL = {"libf2fskit", "libc", "libdeflate", "libz", "liblz4", "libzstd", "libutf8proc", "libblkid", "libuuid"}


@pytest.fixture(autouse=True)
def loads_late(build_dir):
    with open(os.path.join(build_dir, "f2fskit_config.h"), encoding="utf-8") as f:
        text = f.read()
    with open(os.path.join(build_dir, "meson-info", "intro-buildoptions.json"), encoding="utf-8") as f:
        options = {row["name"]: row["value"] for row in json.load(f)}
    if "#define HAVE_DLOPEN 1" not in text or options["b_sanitize"] != "none":
        pytest.skip("this build links its libraries, or is sanitized")


def needed(path):
    found = subprocess.run(["ldd", path], check=True, capture_output=True, text=True).stdout
    return {name for name in re.findall(r"^\s+(lib[\w+-]+?)\.so", found, re.M)}


@pytest.mark.parametrize("name", BOOT)
def test_closure(tool, name):
    assert needed(tool(name)) <= SMALL


def notes(build_dir):
    """The JSON of .note.dlopen, one for each library."""
    library = os.path.realpath(os.path.join(build_dir, "lib", "libf2fskit.so"))
    if not shutil.which("readelf"):
        pytest.skip("no readelf")
    text = subprocess.run(["readelf", "-p", ".note.dlopen", library], check=True, capture_output=True, text=True).stdout
    return [json.loads(found)[0] for found in re.findall(r"\[\{.*\}\]", text)]


def test_note_names_the_libraries(build_dir, run_tool):
    rows = {row["feature"]: row for row in notes(build_dir)}
    with open(os.path.join(build_dir, "lib", "base", "late_sonames.h"), encoding="utf-8") as f:
        names = re.findall(r'"(\S+)"', f.read())
    names += CONTAINERS.values()
    assert names and sorted(name for row in rows.values() for name in row["soname"]) == sorted(names)
    for feature, row in rows.items():
        assert row["soname"][0].startswith(LATE[feature] + ".so") and row["description"] and row["priority"] == "suggested"


@pytest.fixture
def broken(build_dir, tmp_path):
    """An environment where none of these libraries can be loaded."""
    folder = tmp_path / "broken"
    folder.mkdir()
    for row in notes(build_dir):
        (folder / row["soname"][0]).write_text("no library\n")
    return dict(os.environ, LD_LIBRARY_PATH=str(folder))


def test_a_missing_library_is_named(run_tool, broken, build_dir, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M", env=broken)
    run_tool("fsck.f2fs", "-f", image, env=broken)
    run_tool("f2fslabel", image, "name", env=broken)
    run_tool("dump.f2fs", "--tar=%s" % (tmp_path / "a.tar"), image)
    for row in notes(build_dir):
        if row["feature"] in CONTAINERS:  # test_containers.py
            continue
        done = run_tool("f2fs", "--version", env=broken)
        assert re.search(r"^without .*%s" % LATE[row["feature"]], done.stdout.decode(), re.M)
        if row["feature"] == "archive":
            done = run_tool("mkfs.f2fs", "-q", "--root-dir", tmp_path / "a.tar", tmp_path / "new.img", "64M", env=broken, rc=None)
            assert done.returncode and "%s is not installed" % row["soname"][0] in done.stderr.decode()


def test_fsck_loads_none_of_them(run_tool, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    done = run_tool("fsck.f2fs", "-f", image, env=dict(os.environ, LD_DEBUG="files"))
    assert b"libf2fskit" in done.stderr and b"libcrypto" not in done.stderr and b"libarchive" not in done.stderr
