# SPDX-License-Identifier: LGPL-2.1-or-later
"""mkfs.f2fs on block devices of a running kernel: those in use are refused, and their volume continues to work; a volume
whose first checkpoint pack is lost mounts from the second; a device alias is a file."""
import os

import pytest

import uml

MIB = 1 << 20


@pytest.fixture
def disks(tmp_path):
    paths = []
    for name in "abc":
        path = tmp_path / (name + ".img")
        path.touch()
        os.truncate(path, 100 * MIB)
        paths.append(str(path))
    return paths


def guest(kernel, tool, disks, commands, problems=()):
    """Run shell commands in the guest with $MKFS and the writable folder $TMP; devices are /dev/ubda, b, c."""
    environ = {"MKFS": tool("mkfs.f2fs"), "TMP": os.path.dirname(disks[0])}
    uml.run("set -e\n" + commands, images=disks, env=environ, kernel=kernel).check(problems=problems)


IN_USE = """
$MKFS -q /dev/ubda -c /dev/ubdb
mount -t f2fs /dev/ubda $MNT
echo precious > $MNT/file
for device in /dev/ubda /dev/ubdb; do
    if $MKFS -f $device 2>$TMP/why; then echo "$device was formatted"; exit 1; fi
    grep -q -e 'is mounted on' -e 'is in use by' $TMP/why
done
$MKFS -n -q /dev/ubda 2>/dev/null
umount $MNT
mount -t f2fs /dev/ubda $MNT
test "$(cat $MNT/file)" = precious
umount $MNT
if $MKFS /dev/ubda 2>$TMP/why; then exit 2; fi
grep -q 'f2fs.*use -f' $TMP/why
$MKFS -q -f /dev/ubda
mount -t f2fs /dev/ubda $MNT
test ! -e $MNT/file
umount $MNT
"""


def test_in_use(kernel, tool, disks):
    guest(kernel, tool, disks, IN_USE)


def test_lost_first_pack(kernel, tool, disks):
    guest(kernel, tool, disks, """
$MKFS -q -O extra_attr,inode_checksum,lost_found /dev/ubda
dd if=/dev/urandom of=/dev/ubda bs=4096 seek=512 count=8 conv=notrunc status=none
sync
mount -t f2fs /dev/ubda $MNT
test -d $MNT/lost+found
echo text > $MNT/file
umount $MNT
mount -t f2fs /dev/ubda $MNT
test "$(cat $MNT/file)" = text
umount $MNT
""", problems=["F2FS-fs"])


def test_alias(kernel, tool, disks):
    guest(kernel, tool, disks, """
echo stays | dd of=/dev/ubdb bs=4096 seek=3 status=none
$MKFS -q /dev/ubda -c /dev/ubdb@whole -c /dev/ubdc
mount -t f2fs /dev/ubda $MNT
test $(stat -c %s $MNT/whole) -gt 90000000
dd if=$MNT/whole bs=4096 skip=3 count=1 status=none | head -c 5 | grep -q stays
dd if=/dev/zero of=$MNT/fill bs=1M count=100 status=none conv=fsync
umount $MNT
dd if=/dev/ubdb bs=4096 skip=3 count=1 status=none | head -c 5 | grep -q stays
""")
