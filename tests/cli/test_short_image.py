# SPDX-License-Identifier: LGPL-2.1-or-later
"""An image that ends before its volume does: the finding says so first, nothing is repaired, and what is there comes out."""
import random

import pytest

MIB = 1 << 20


@pytest.fixture(scope="module")
def whole(f2fskit, tmp_path_factory):
    """(bytes, contents, ends): a volume of 48 MiB, what is in it, and where the last block of each file ends."""
    rng = random.Random(7)
    contents = {"/dir/%d" % i: rng.randbytes(100000) for i in range(12)}
    device = f2fskit.Device.memory(48 * MIB)
    f2fskit.mkfs(device, features=["extra_attr", "quota"])
    with f2fskit.open(device, "r+") as volume:
        volume.path("/dir").mkdir()
        for path, data in contents.items():
            volume.path(path).write_bytes(data)
    with f2fskit.open(device) as volume:
        ends = {path: max((e.addr + e.count) * 4096 for e in volume.lookup(path).extents()) for path in contents}
    return device.read(0, 48 * MIB), contents, ends


@pytest.mark.parametrize("size", [40, 26, 23, 19, 17, 5, 3, 1])
def test_short_image(f2fskit, run_tool, whole, tmp_path, size):
    raw, contents, ends = whole
    image, out = tmp_path / "short.img", tmp_path / "out"
    image.write_bytes(raw[:size * MIB])
    for options in (["-n"], ["-y"], ["-a"], ["-p"], ["-n"]):
        done = run_tool("fsck.f2fs", *options, image, rc=None)
        assert done.returncode == 4 or options in (["-a"], ["-p"]), done
        assert done.returncode in (0, 4)
        told = [line for line in done.stdout.decode().splitlines() if "[ASSERT]" in line]
        if done.returncode:
            assert "the image holds %d bytes, the volume needs %d" % (size * MIB, 48 * MIB) in told[0], told
        assert b"[FIX]" not in done.stdout
        assert image.read_bytes() == raw[:size * MIB]
    if size < 17:
        return
    run_tool("dump.f2fs", "--extract=%s" % out, image, rc=None)
    got = {"/dir/" + path.name: path.read_bytes() for path in (out / "dir").iterdir()} if (out / "dir").exists() else {}
    for path, data in contents.items():
        if ends[path] <= size * MIB:
            assert got[path] == data
    assert size < 40 or len(got) == len(contents)
