# SPDX-License-Identifier: LGPL-2.1-or-later
"""The first file system of a boot: hooks of initramfs-tools and dracut put fsck.f2fs and its libraries there, and no more."""
import os
import re
import shutil
import subprocess

import pytest

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
HOOK = os.path.join(TOP, "packaging/initramfs/hook")
MODULE = os.path.join(TOP, "packaging/initramfs/module-setup.sh")
FUNCTIONS = ". /usr/share/initramfs-tools/hook-functions\n"
# All libraries that a check of a volume needs. Those for archives and encryption are not among them.
LIBRARIES = {"libf2fskit", "libc", "libblkid", "libuuid", "libz", "libdeflate", "liblz4", "libzstd", "libutf8proc"}
# The functions of dracut that module-setup.sh calls, as records of the call.
DRACUT = """
hostonly=%s; host_fs_types=([dev]=%s)
require_binaries() { command -v "$1" >/dev/null; }
instmods() { echo "modules $*"; }
inst_multiple() { echo "programs $*"; }
. %s
check; echo "check $?"; depends; installkernel; install
"""


def libraries(root):
    return {re.match(r"[a-z0-9]+?(?=[-.]|$)", name)[0] for _, _, names in os.walk(root) for name in names if name.startswith("lib")}


@pytest.fixture
def prefix(tmp_path):
    """An installation, with fsck.f2fs and its library."""
    if not shutil.which("meson"):
        pytest.skip("meson is not installed")
    subprocess.run(["meson", "install", "-C", os.environ["F2FSKIT_BUILD"], "--no-rebuild", "--quiet", "--destdir", tmp_path / "installed"],
                   check=True, stdout=subprocess.DEVNULL)
    return tmp_path / "installed"


def run_hook(tmp_path, program, mounts, **environment):
    """Run the hook as mkinitramfs does, on an empty folder, and return that. The program is where the hook expects it."""
    place = tmp_path / "initramfs"
    place.mkdir()
    (tmp_path / "mounts").write_text(mounts)
    with open(HOOK) as opened:
        text = opened.read().replace("/usr/sbin/fsck.f2fs", str(program))
    # there is no kernel whose modules could be copied
    assert FUNCTIONS in text
    (tmp_path / "hook").write_text(text.replace(FUNCTIONS, FUNCTIONS + 'manual_add_modules() { echo "$@" >"$MODULES"; }\n'))
    subprocess.run(["sh", "-e", tmp_path / "hook"], check=True, env={
        "PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "DESTDIR": str(place), "verbose": "n", "MODULES": str(tmp_path / "modules"), "F2FSKIT_MOUNTS": str(tmp_path / "mounts"), "F2FSKIT_FSTAB": "/nonexistent",
        **environment})
    return place


ROOT = "/dev/sda2 / f2fs rw,relatime 0 0\n"
OTHER = "/dev/sda2 / ext4 rw,relatime 0 0\n/dev/sdb1 /home f2fs rw 0 0\n"


@pytest.mark.skipif(not os.path.exists("/usr/share/initramfs-tools/hook-functions"), reason="initramfs-tools is not installed")
@pytest.mark.parametrize("mounts, wish, is_copied", [(ROOT, "auto", True), (OTHER, "auto", False), (OTHER, "y", True), (ROOT, "n", False)])
def test_initramfs_tools(prefix, tmp_path, mounts, wish, is_copied):
    program = next(path for path in prefix.rglob("fsck.f2fs") if path.parent.name == "sbin")
    place = run_hook(tmp_path, program, mounts, F2FSKIT=wish)
    copied = [path for path in place.rglob("fsck.f2fs") if path.is_file()]
    assert bool(copied) == (tmp_path / "modules").exists() == is_copied
    if is_copied:
        assert (tmp_path / "modules").read_text() == "f2fs crc32\n"
        found = libraries(place)
        assert {"libf2fskit", "libc"} <= found <= LIBRARIES
        # all of it is there: the program runs with the copied loader and libraries alone
        loader = next(place.rglob("ld-*.so*"), None) or next(place.rglob("ld64.so*"))
        folders = sorted({str(path.parent) for path in place.rglob("lib*.so*")})
        done = subprocess.run([loader, "--inhibit-cache", "--library-path", ":".join(folders), copied[0], "--version"], env={},
                              capture_output=True, text=True)
        assert done.returncode == 0 and "f2fskit" in done.stdout, done.stderr


def test_the_hook_names_what_it_needs_first():
    assert subprocess.run(["sh", HOOK, "prereqs"], capture_output=True, text=True, check=True).stdout == "\n"


@pytest.mark.parametrize("hostonly, type_of_root, status", [("1", "f2fs", 0), ("1", "ext4", 255), ("", "ext4", 0)])
def test_dracut_module(tool, hostonly, type_of_root, status):
    """The module asks dracut for the program, which copies its libraries, and for the modules of the kernel."""
    done = subprocess.run(["bash", "-c", DRACUT % (hostonly, type_of_root, MODULE)], capture_output=True, text=True,
                          env={"PATH": os.path.dirname(tool("fsck.f2fs")) + ":/usr/bin:/bin"})
    assert done.stdout.splitlines() == ["check %d" % status, "fs-lib", "modules f2fs crc32", "programs fsck.f2fs"], done.stderr
    assert "check 1" in subprocess.run(["bash", "-c", DRACUT % (hostonly, type_of_root, MODULE)], capture_output=True, text=True,
                                       env={"PATH": "/nonexistent"}, executable="/bin/bash").stdout


@pytest.mark.skipif(not os.path.exists("/usr/lib/dracut/dracut-init.sh"), reason="dracut is not installed")
def test_dracut_copies(prefix, tmp_path):
    """dracut's own functions copy the program and its libraries."""
    program = next(path for path in prefix.rglob("fsck.f2fs") if path.parent.name == "sbin")
    place = tmp_path / "initramfs"
    place.mkdir()
    text = ("dracutbasedir=/usr/lib/dracut initdir=%s DRACUT_INSTALL=/usr/lib/dracut/dracut-install hostonly= kernel=none; "
            ". /usr/lib/dracut/dracut-init.sh; . %s; install" % (place, MODULE))
    done = subprocess.run(["bash", "-c", text], capture_output=True, text=True, env={"PATH": "%s:/usr/bin:/bin" % program.parent})
    assert [path for path in place.rglob("fsck.f2fs") if path.is_file()], done.stderr
    assert {"libf2fskit", "libc"} <= libraries(place) <= LIBRARIES
