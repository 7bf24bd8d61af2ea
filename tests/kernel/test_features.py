# SPDX-License-Identifier: LGPL-2.1-or-later
"""Volumes whose features were turned on after the kernel filled them: it reads all files, and uses the new features."""
import json
import os

import pytest

import uml

FILL = r"""
set -e
LONG=$(printf %0240d 0)
mount /dev/ubda $MNT
cp -a "$1"/. $MNT
mkdir $MNT/names
for i in $(seq 10000 15999); do echo $MNT/names/$i$LONG; done | xargs -n 200 touch
ls $MNT/names | sed -n '40,5960p' | sed "s,^,$MNT/names/," | xargs -n 200 rm
ln -s $LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$LONG$(printf %0110d 1) $MNT/far
for i in $(seq 300); do echo $i > $MNT/small-$i; done
head -c 6000000 /dev/urandom > $MNT/large
setfattr -n user.color -v red $MNT/small-1
ln $MNT/small-2 $MNT/dir/second
ln -s small-3 $MNT/link; mkfifo $MNT/pipe; mknod $MNT/device c 5 7
rm $MNT/small-3??
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$2"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$2"
umount $MNT
"""
USE = r"""
set -e
mount /dev/ubda $MNT
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$3"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$3"
cmp "$2" "$3"
[ "$(getfattr --only-values -n user.color $MNT/small-1)" = red ]
eval "$4"
echo more >> $MNT/small-5
echo more >> $MNT/large
ls $MNT/names | sed "s,^,$MNT/names/," | xargs -n 200 stat -c %s > $MNT/seen
touch $MNT/names/one-more
rm -r $MNT/dir
umount $MNT
mount /dev/ubda $MNT
[ "$(tail -n 1 $MNT/small-5)" = more ]
umount $MNT
"""
# The features, and the command by which the kernel uses them.
USES = {
    "compression": "chattr +c $MNT/dir; head -c 400000 /dev/zero > $MNT/dir/packed; lsattr $MNT/dir/packed | grep -q c",
    "inode_crtime": "touch $MNT/born; [ \"$(stat -c %W $MNT/born)\" -gt 1000000000 ]",
    "inode_checksum": "touch $MNT/summed",
    "casefold": "mkdir $MNT/folded; chattr +F $MNT/folded; touch $MNT/folded/Name; [ -e $MNT/folded/nAME ]",
    "sb_checksum": "true",
    "verity": "true",
    "quota": "chown 1234:99 $MNT/small-8; rm $MNT/small-9",
    "project_quota": "chattr -p 4711 $MNT/small-7",
    "large_nat_bitmap": "for i in $(seq 500); do mkdir $MNT/node-$i; done; sync",
}


@pytest.fixture
def source(tmp_path):
    top = tmp_path / "tree"
    (top / "dir").mkdir(parents=True)
    for i in range(180):
        (top / "dir" / f"name-{i}").write_bytes(b"x" * (i * 97))
    (top / "inline").write_bytes(os.urandom(3300))
    return top


@pytest.mark.parametrize("made", ["", "extra_attr"])
def test_used_by_the_kernel(kernel, run_tool, peer_check, tmp_path, source, made):
    image, before, after = tmp_path / "disk.img", tmp_path / "before", tmp_path / "after"
    run_tool("mkfs.f2fs", "-q", *(["-O", made] if made else []), image, "192M")
    uml.run(FILL, images=[str(image)], args=[str(source), str(before)], kernel=kernel).check()
    run_tool("f2fs", "-w", image, "feature", "--convert", *("+" + name for name in USES))
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
    uml.run(USE, images=[str(image)], args=[str(source), str(before), str(after), "; ".join(USES.values())], kernel=kernel).check()
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
    owners = {(row["kind"], row["id"]): row["inodes"] for row in json.loads(run_tool("f2fs", "--json", image, "quota").stdout)}
    assert owners["user", 1234] == owners["group", 99] == owners["project", 4711] == 1
    run_tool("f2fs", "-w", image, "feature", "-quota")
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)


@pytest.mark.parametrize("size", ["512M", "5G"])
def test_packed_ssa_and_newer_f2fs_tools(run_tool, newer_tools, tmp_path, source, size):
    """No kernel of the tests mounts blocks of 16 KiB, so f2fs-tools judge the moved tables alone."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-b", "16384", "--root-dir", source, image, size)
    for sign in "+-":
        run_tool("f2fs", "-w", image, "feature", sign + "packed_ssa")
        done = newer_tools(16384, "fsck.f2fs", "--dry-run", image)
        assert done.returncode == 0 and b"[Fail]" not in done.stdout, done.stdout.decode()
        run_tool("f2fs", image, "diff", source)


def test_taken_back(kernel, run_tool, peer_check, tmp_path, source):
    """The kernel fills a volume with extra attributes, which then lose them: it reads all of it, and writes further."""
    image, before, after = tmp_path / "disk.img", tmp_path / "before", tmp_path / "after"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_crtime,inode_checksum,flexible_inline_xattr", "-i", image, "192M")
    uml.run(FILL, images=[str(image)], args=[str(source), str(before)], kernel=kernel).check()
    run_tool("f2fs", "-w", image, "feature", "--convert", "-extra_attr", "-inode_crtime", "-inode_checksum", "-flexible_inline_xattr",
             "-large_nat_bitmap")
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
    uml.run(USE, images=[str(image)], args=[str(source), str(before), str(after), "true"], kernel=kernel).check()
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
