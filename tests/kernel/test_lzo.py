# SPDX-License-Identifier: LGPL-2.1-or-later
"""What our LZO and LZO-RLE compressor made, the kernel's decompressor reads: text, zeros in runs of all lengths, words
that come again from all distances, programs, noise that just does not fit; in clusters of every size."""
import os
import random

import pytest

import uml

JOB = r"""
set -e
for disk in ubda ubdb ubdc; do
    mount -o ro /dev/$disk $MNT
    diff -r "$1" $MNT
    umount $MNT
done
"""


def make_files(folder, build_dir):
    pick = random.Random(17)
    noise = pick.randbytes(1 << 20)
    words = [pick.randbytes(pick.randrange(3, 400)) for _ in range(25)]
    mixed = bytearray()
    while len(mixed) < 2 << 20:
        kind = pick.randrange(4)
        if kind == 0:
            mixed += bytes(pick.choice((4, 31, 32, 33, 261, 2051, 2052, 5000)))
        elif kind == 1 and len(mixed) > 60000:
            at = len(mixed) - pick.randrange(1, 52000)
            mixed += mixed[at:at + pick.randrange(4, 600)]
        elif kind == 2:
            mixed += pick.choice(words)
        else:
            at = pick.randrange(1 << 19)
            mixed += noise[at:at + pick.randrange(1, 60)]
    contents = {
        "mixed": bytes(mixed),
        "words": b"".join(pick.choice(words) for _ in range(8000)),
        "text": b"".join(b"%d cans of %x\n" % (i * i, i) for i in range(40000)),
        "zeros": bytes(1 << 20),
        "holes": b"".join(noise[i * 60:i * 60 + i % 60] + bytes(i) for i in range(2500)),
        "noise": noise,
    }
    folder.mkdir()
    for name, data in contents.items():
        (folder / name).write_bytes(data)
    with open(os.path.join(build_dir, "mkfs", "mkfs.f2fs"), "rb") as program:
        (folder / "program").write_bytes(program.read(2 << 20))


@pytest.mark.parametrize("algorithm", ["lzo", "lzo-rle"])
def test_kernel_reads_our_streams(kernel, run_tool, f2fskit, build_dir, tmp_path, algorithm):
    host = tmp_path / "host"
    make_files(host, build_dir)
    images = []
    for log_cluster in (2, 4, 8):
        image = tmp_path / ("%d.img" % log_cluster)
        run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression", image, "100M")
        run_tool("sload.f2fs", "-c", "-a", algorithm, "-L", str(log_cluster), "-f", host, image)
        with f2fskit.open(image) as volume:
            for name in ("mixed", "words", "holes", "zeros"):
                inode = volume.lookup("/" + name)
                assert inode.i_compress_algorithm == {"lzo": 0, "lzo-rle": 3}[algorithm]
                assert inode.i_compr_blocks > 0, name
            assert volume.lookup("/noise").i_compr_blocks == 0
        images.append(str(image))
    uml.run(JOB, images=images, args=[str(host)], kernel=kernel).check()
