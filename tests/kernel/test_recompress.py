# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files of a volume that the kernel filled become compressed, and uncompressed again: it reads all of them, and writes further."""
import pytest

import uml

FILL = r"""
set -e
mount /dev/ubda $MNT
for i in $(seq 40); do seq -f "line %g of file $i" $((i * 150)) > $MNT/text-$i; done
seq 400000 > $MNT/large
head -c 300000 /dev/urandom > $MNT/noise
mkdir $MNT/dir; cp $MNT/text-40 $MNT/dir/copy; ln $MNT/dir/copy $MNT/second
truncate -s 900000 $MNT/sparse; seq 9000 | dd of=$MNT/sparse bs=1000 seek=300 conv=notrunc 2>/dev/null
fallocate -l 200000 $MNT/reserved; fallocate -n -o 65536 -l 65536 $MNT/text-30
setfattr -n user.color -v red $MNT/text-20
echo small > $MNT/small
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$1"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$1"
umount $MNT
"""
USE = r"""
set -e
mount /dev/ubda $MNT
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$2"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$2"
cmp "$1" "$2"
[ "$(getfattr --only-values -n user.color $MNT/text-20)" = red ]
[ "$(lsattr $MNT/large | cut -d' ' -f1 | tr -cd c)" = "$3" ]
for i in 5 15 35; do echo more >> $MNT/text-$i; printf other | dd of=$MNT/text-$i bs=1 seek=20000 conv=notrunc 2>/dev/null; done
truncate -s 100000 $MNT/large; rm -f $MNT/second
seq 100000 > $MNT/dir/new
sync
umount $MNT
mount /dev/ubda $MNT
[ "$(tail -n 1 $MNT/text-15)" = more ]
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$1"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$1"
umount $MNT
"""


@pytest.mark.parametrize("how", [["-a", "lz4"], ["-a", "zstd:6", "-L", "3", "-k"]], ids=" ".join)
def test_there_and_back(kernel, run_tool, peer_check, tmp_path, how):
    image, before, after = tmp_path / "disk.img", tmp_path / "before", tmp_path / "after"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression,inode_checksum,flexible_inline_xattr,quota", image, "128M")
    uml.run(FILL, images=[str(image)], args=[str(before)], kernel=kernel).check()
    for options, flag in ((how, "c"), (["-n"], "")):
        run_tool("f2fs", "-w", image, "compress", "-r", *options, "/")
        run_tool("fsck.f2fs", "-f", "--dry-run", image)
        peer_check(image)
        uml.run(USE, images=[str(image)], args=[str(before), str(after), flag], kernel=kernel).check()
        run_tool("fsck.f2fs", "-f", "--dry-run", image)
        peer_check(image)
    assert b"left as is" in run_tool("f2fs", image, "compress", "-dr", "-n", "/").stdout


def test_released(kernel, run_tool, peer_check, tmp_path):
    """What was given back is free to the kernel, and the files read equal."""
    image, before, after = tmp_path / "disk.img", tmp_path / "before", tmp_path / "after"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression", image, "128M")
    uml.run(FILL, images=[str(image)], args=[str(before)], kernel=kernel).check()
    run_tool("f2fs", "-w", image, "compress", "-rR", "-i", "text-*,large", "/")
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
    uml.run(r"""
set -e
mount /dev/ubda $MNT
(cd $MNT; find . -type f | sort | xargs sha256sum) > "$2"
find $MNT ! -type d -printf '%p %s %m %n %l %t\n' | sort >> "$2"
cmp "$1" "$2"
! echo more 2>/dev/null >> $MNT/large
rm $MNT/text-7
umount $MNT
""", images=[str(image)], args=[str(before), str(after)], kernel=kernel).check()
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
