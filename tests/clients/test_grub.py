# SPDX-License-Identifier: LGPL-2.1-or-later
"""GRUB reads the volumes that dump.f2fs says it reads, and no others: grub-fstest, with the code of the boot loader."""
import json
import shutil
import subprocess

import pytest

GRUB = shutil.which("grub-fstest")
pytestmark = pytest.mark.skipif(not GRUB, reason="grub-fstest (Debian: grub-common) is not installed")

# options of mkfs.f2fs, and what keeps GRUB from the volume
VOLUMES = {
    "plain": ([], None), "casefold": (["-O", "casefold", "-C", "utf8"], None), "quota": (["-O", "quota"], None),
    "others": (["-O", "lost_found,sb_checksum,verity,encrypt"], None), "read-only": (["-O", "ro"], None),
    "extra_attr": (["-O", "extra_attr"], "extra_attr"),
    "compression": (["-O", "extra_attr,compression", "--compress"], "extra_attr"),
    "for grub": (["--for=grub", "-O", "quota,lost_found"], None), "safe": (["--for=safe"], "extra_attr"),
    "large NAT": (["-i"], "large_nat_bitmap"), "large blocks": (["-b", "16384"], "block_size"),
}


@pytest.fixture(scope="module")
def tree(tmp_path_factory):
    """Files with inline data, and with blocks of each level of the node tree up to indirect ones; a link; a long directory."""
    top = tmp_path_factory.mktemp("tree")
    for name, size in ("inline", 100), ("direct", 3_000_000), ("indirect", 9_000_000):
        (top / name).write_bytes(b"".join(b"%07d\n" % i for i in range(size // 8 + 1))[:size])
    (top / "boot").mkdir()
    for i in range(400):
        (top / "boot" / f"file{i}").write_text(f"contents {i}")
    (top / "link").symlink_to("boot/file7")
    return top


def reads(image, tree):
    """Can GRUB read each file, with the right contents?"""
    for name in "inline", "direct", "indirect", "boot/file399", "link":
        done = subprocess.run([GRUB, image, "cmp", f"/{name}", tree / name], capture_output=True, text=True)
        if done.returncode or "error" in done.stdout + done.stderr:
            return False
    return True


@pytest.mark.parametrize("name", VOLUMES)
def test_grub(run_tool, tmp_path, tree, name):
    options, obstacle = VOLUMES[name]
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "--root-dir", tree, *options, image, "200M")
    told = json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]["grub"]
    assert told == (f"cannot read: {obstacle}" if obstacle else "reads")
    assert reads(image, tree) == (obstacle is None)


def test_extra_attributes_taken_away(run_tool, tmp_path, tree):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "--root-dir", tree, "--for=safe", image, "200M")
    assert not reads(image, tree)
    run_tool("tune.f2fs", "--convert", "-O", "^extra_attr,^inode_checksum,^inode_crtime", image)
    assert json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]["grub"] == "reads"
    assert reads(image, tree)
