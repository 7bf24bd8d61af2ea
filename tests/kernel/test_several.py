# SPDX-License-Identifier: LGPL-2.1-or-later
"""A volume on several devices that the kernel filled: repaired by us, written and left unclean by the kernel, recovered by us,
and mounted again."""
import hashlib
import subprocess

import makers
import reading
import uml

NAME = "multi-device"
LINK = "set -e; n=0; for d in /dev/ubd[a-h]; do [ -b $d ] || continue; ln -s $d /dev/%s.$n; n=$((n+1)); done\n" % NAME
WRITE = LINK + """
mount /dev/%s.0 $MNT
mkdir $MNT/after-repair
for i in $(seq 40); do echo $i > $MNT/after-repair/file-$i; done
sync -f $MNT
for i in 1 2 3 4 5 6; do
    head -c 9000000 /dev/urandom > $MNT/after-repair/file-$i
    sync $MNT/after-repair/file-$i
done
sha256sum $MNT/after-repair/file-[1-6]
powercut 5
""" % NAME
LOOK = LINK + """
mount /dev/%s.0 $MNT
sha256sum $MNT/after-repair/file-[1-6]
[ $(ls $MNT/after-repair | wc -l) = 40 ]
echo more > $MNT/after-repair/more
umount $MNT
""" % NAME


def sums(result):
    return {line.split("/")[-1]: line.split()[0] for line in result.stdout.decode().splitlines()}


def test_repair_and_recovery(kernel, f2fskit, tmp_path):
    image = makers.make([NAME], kernel=kernel)[NAME]
    paths = [str(tmp_path / ("disk.%d" % i)) for i in range(len(image.paths))]
    for source, path in zip(image.paths, paths):
        subprocess.run(["cp", "--sparse=always", source, path], check=True)
    first, more = paths[0], paths[1:]
    with f2fskit.open(first, devices=more) as volume:
        geometry = volume.geometry
    with open(first, "r+b") as file:        # all of SIT and NAT
        file.seek(geometry.sit_blkaddr * 4096)
        file.write(bytes((geometry.ssa_blkaddr - geometry.sit_blkaddr) * 4096))
    assert f2fskit.check(first, devices=more, repair=True, undo=tmp_path / "undo").left == 0
    assert f2fskit.check(first, devices=more).found == 0
    with f2fskit.open(first, devices=more) as volume:
        reading.must_be_same(image.manifest()["entries"], reading.tree(volume, f2fskit), ignore=("fiemap", "map"))
    written = sums(uml.run(WRITE, images=paths, kernel=kernel).check(rc=5))
    assert len(written) == 6
    with f2fskit.open(first, devices=more) as volume:
        assert volume.pending > 0
    with f2fskit.open(first, devices=more, recover="view") as volume:
        for name, digest in written.items():
            assert hashlib.sha256(volume.read_bytes("/after-repair/" + name)).hexdigest() == digest
    with f2fskit.open(first, "r+", devices=more, recover="apply"):
        pass
    assert f2fskit.check(first, devices=more).found == 0
    assert sums(uml.run(LOOK, images=paths, kernel=kernel).check()) == written
    assert f2fskit.check(first, devices=more).found == 0
