# SPDX-License-Identifier: LGPL-2.1-or-later
"""Images of evidence as devices: contents, partitions in them, and the digests that they store."""
import ctypes
import hashlib
import os
import shutil
import struct
import subprocess
import sys
import zlib

import f2fskit
import pytest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "common"))
import disks  # noqa: E402

MIB = 1 << 20


@pytest.fixture
def image(tmp_path):
    """A disk with one volume in a partition, as an E01 image."""
    try:
        ctypes.CDLL("libewf.so.2")
    except OSError:
        pytest.skip("libewf is not installed")
    if not shutil.which("ewfacquire"):
        pytest.skip("ewfacquire is not installed")
    path = tmp_path / "disk.img"
    disks.gpt(path, 64 * MIB, [("userdata", 1, 60)])
    with f2fskit.Device.open(path, writable=True) as device, device.partition("userdata") as part:
        f2fskit.mkfs(part)
        with f2fskit.open(part, "r+") as volume:
            volume["/file"].write_bytes(b"proof" * 100_000)
    subprocess.run(["ewfacquire", "-u", "-q", "-t", tmp_path / "disk", "-c", "fast", path], check=True, stdout=subprocess.DEVNULL)
    return tmp_path / "disk.E01", hashlib.md5(path.read_bytes()).hexdigest()


def test_evidence(image):
    path, digest = image
    with f2fskit.Device.open(path) as device:
        found = device.evidence()
        assert found == ("an EnCase image (E01)", 64 * MIB, False, digest, None, False)
        with device.partition("userdata") as part:
            assert part.evidence(verify=True) == found._replace(is_verified=True)
            with f2fskit.open(part) as volume:
                assert volume.read_bytes("/file") == b"proof" * 100_000
    with f2fskit.Device.memory(MIB) as device:
        assert device.evidence() is None


def test_not_to_be_written(image):
    before = image[0].read_bytes()
    with pytest.raises(f2fskit.UnsupportedError, match="can only be read"):
        f2fskit.Device.open(image[0], writable=True)
    assert image[0].read_bytes() == before


def test_another_digest(image):
    """Each section with the digest has another one, and the right checksum of that."""
    path, digest = image
    contents = bytearray(path.read_bytes())
    at = contents.find(bytes.fromhex(digest))
    assert at > 0
    while at > 0:
        contents[at] ^= 1
        for length in (32, 76):  # of the sections hash and digest, before their checksum
            if contents[at + length:at + length + 4] == struct.pack("<I", zlib.adler32(b"".join([bytes.fromhex(digest), contents[at + 16:at + length]]))):
                contents[at + length:at + length + 4] = struct.pack("<I", zlib.adler32(contents[at:at + length]))
        at = contents.find(bytes.fromhex(digest))
    path.write_bytes(contents)
    with f2fskit.Device.open(path) as device:
        assert device.evidence().md5 not in (None, digest)
        with pytest.raises(f2fskit.DamagedDataError, match="do not have the digest that the image stores"):
            device.evidence(verify=True)


def test_damaged_part(image):
    """The library refuses it, and the message has its words."""
    path, digest = image
    contents = bytearray(path.read_bytes())
    contents[contents.find(bytes.fromhex(digest))] ^= 1
    path.write_bytes(contents)
    with pytest.raises(f2fskit.IoError, match="libewf cannot open it"):
        f2fskit.Device.open(path)
