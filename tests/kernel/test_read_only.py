# SPDX-License-Identifier: LGPL-2.1-or-later
"""The feature ro turned on and off on volumes that the kernel filled, and a power cut at each write of it."""
import shutil

import pytest

import uml

FILL = r"""
set -e
mount /dev/ubda $MNT
mkdir $MNT/dir $MNT/packed
chattr +c $MNT/packed
for i in $(seq 400); do echo $i > $MNT/dir/file-$i; done
head -c 1000000 /dev/urandom > $MNT/large
seq 100000 > $MNT/packed/numbers
cp /bin/sh $MNT/packed/sh
truncate -s 5M $MNT/sparse
echo end >> $MNT/sparse
setfattr -n user.color -v red $MNT/dir/file-1
ln $MNT/dir/file-2 $MNT/second; ln -s large $MNT/link; mkfifo $MNT/pipe
rm $MNT/dir/file-3?? $MNT/dir/file-1?
umount $MNT
"""
LOOK = r"""
(cd $MNT; find . -type f | sort | xargs sha256sum; find . -printf '%p %y %s %m %n %l\n' | sort) > "$1"
[ "$(getfattr --only-values -n user.color $MNT/dir/file-1)" = red ] || exit 9
"""
# Of a volume with the feature: Linux refuses to write, and reads everything, twice: the second time from its extent cache.
READ = r"""
set -e
mount -o ro /dev/ubda $MNT
if mount -o remount,rw $MNT 2>/dev/null; then exit 7; fi
if touch $MNT/new 2>/dev/null; then exit 8; fi
""" + LOOK + "echo 1 > /proc/sys/vm/drop_caches\n" + LOOK.replace("$1", "$1-again") + "umount $MNT\n"
WRITE = r"""
set -e
mount /dev/ubda $MNT
""" + LOOK + r"""
for round in 1 2; do
    for i in $(seq 100); do head -c 30000 /dev/urandom > $MNT/dir/more-$i; done
    sync
    rm $MNT/dir/more-?[02468]* $MNT/dir/more-[13579]
done
cat $MNT/packed/numbers >> $MNT/packed/numbers-2
rm $MNT/large
umount $MNT
mount /dev/ubda $MNT
cmp $MNT/packed/numbers $MNT/packed/numbers-2
umount $MNT
"""
FEATURES = "extra_attr,compression,inode_checksum,sb_checksum,quota"


@pytest.fixture
def filled(kernel, run_tool, tmp_path):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "96M")
    uml.run(FILL, images=[str(image)], kernel=kernel).check()
    return image


def test_on_and_off(kernel, run_tool, peer_check, tmp_path, filled):
    """With the feature the kernel reads all files and writes none, and without it the kernel continues with the same room."""
    lists = [tmp_path / name for name in ("before", "locked", "open")]
    uml.run("set -e; mount -o ro /dev/ubda $MNT" + LOOK + "umount $MNT", images=[str(filled)], args=[str(lists[0])], kernel=kernel).check()
    room = run_tool("f2fs", filled, "field", "cp.overprov_segment_count", "cp.user_block_count").stdout
    run_tool("f2fs", "-w", filled, "feature", "+ro")
    run_tool("fsck.f2fs", "-f", "--dry-run", filled)
    peer_check(filled)
    locked = filled.read_bytes()
    uml.run(READ, images=[str(filled)], args=[str(lists[1])], kernel=kernel).check()
    assert filled.read_bytes() == locked
    run_tool("f2fs", "-w", filled, "feature", "-ro")
    assert run_tool("f2fs", filled, "field", "cp.overprov_segment_count", "cp.user_block_count").stdout == room
    run_tool("fsck.f2fs", "-f", "--dry-run", filled)
    peer_check(filled)
    uml.run(WRITE, images=[str(filled)], args=[str(lists[2])], kernel=kernel).check()
    run_tool("fsck.f2fs", "-f", "--dry-run", filled)
    peer_check(filled)
    assert lists[0].read_bytes() == lists[1].read_bytes() == lists[2].read_bytes() == (tmp_path / "locked-again").read_bytes()


CUT = r"""
set -e
for disk in /dev/ubd?; do
    mount -o ro $disk $MNT
""" + LOOK + r"""
    [ $disk != /dev/ubda ] || cp "$1" "$1-before"
    cmp "$1" "$1-before"
    umount $MNT
done
"""
# What the kernel says of half a pack and of a superblock that is being written: it takes the other one.
OTHERS = ["Magic Mismatch", "Can't find valid F2FS filesystem in", "invalid crc", "Invalid superblock"]


@pytest.mark.parametrize("was, word", [("", "+ro"), ("+ro", "-ro")])
def test_power_cuts(kernel, f2fskit, run_tool, tmp_path, filled, was, word):
    """The kernel mounts what each write leaves, and reads all files."""
    feature = f2fskit.Feature.RO
    if was:
        run_tool("f2fs", "-w", filled, "feature", was)
    work = tmp_path / "work.img"
    shutil.copyfile(filled, work)
    with f2fskit.Device.open(work, writable=True) as device, device.recorder() as recorder:
        with f2fskit.open(recorder, "r+") as volume:
            volume.set_features(feature, off=f2fskit.Feature(0)) if word == "+ro" else volume.set_features(off=feature)
        writes = [record for record in recorder.records if record.kind == f2fskit.RecordKind.WRITE]
    disks = [filled]
    for number, record in enumerate(writes):
        disks.append(tmp_path / f"cut-{number}.img")
        shutil.copyfile(disks[-2], disks[-1])
        with open(disks[-1], "r+b") as file:
            file.seek(record.offset)
            file.write(record.data)
    assert 8 < len(disks) <= uml.MAX_IMAGES
    uml.run(CUT, images=[f"{disk}:ro" for disk in disks], args=[str(tmp_path / "now")], kernel=kernel).check(problems=OTHERS)
