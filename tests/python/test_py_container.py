# SPDX-License-Identifier: LGPL-2.1-or-later
"""Images of evidence as devices: contents, partitions in them, and the digests that they store."""
import ctypes
import hashlib
import json
import os
import shutil
import struct
import subprocess
import sys
import zlib

import f2fskit
import f2fskit.report
import pytest
from conftest import BUILD

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
                info = volume.info()
            assert part.offset == info["volume_offset"] == MIB and device.offset == 0
    with f2fskit.Device.memory(MIB) as device:
        assert device.evidence() is None


def test_info_and_report_name_it(image, tmp_path):
    """Kind, digest and place, the same from Python and from dump.f2fs."""
    path, digest = image
    dump = [BUILD / "dump/dump.f2fs", "--partition=userdata"]
    told = json.loads(subprocess.run([*dump, "--info", "--json", path], check=True, capture_output=True).stdout)["info"]
    del told["image"]
    assert (told["container"], told["container_bytes"], told["stored_md5"]) == ("an EnCase image (E01)", 64 * MIB, digest)
    subprocess.run([*dump, f"--report={tmp_path / 'report.html'}", path], check=True)
    with f2fskit.Device.open(path) as device, device.partition("userdata") as part, f2fskit.open(part) as volume:
        assert volume.info() == told and list(volume.info()) == list(told)
        overview = f2fskit.report.info_html(volume)
    assert f"an EnCase image (E01), MD5 {digest}" in overview and "Begins at byte" in overview and "1,048,576" in overview
    assert overview in (tmp_path / "report.html").read_text()


def test_info_of_verified_boot(tmp_path):
    path = tmp_path / "boot.img"
    with f2fskit.Device.create(path, 64 * MIB) as device:
        f2fskit.mkfs(device)
        device.write(64 * MIB - 64, struct.pack(">4sIIQQQ28x", b"AVBf", 1, 0, 60 * MIB, 61 * MIB, 4096))
    with f2fskit.open(path) as volume:
        info = volume.info()
    assert [info[f"verified_boot_{name}"] for name in ("image_bytes", "table_offset", "table_bytes")] == [60 * MIB, 61 * MIB, 4096]
    assert "volume_offset" not in info and "container" not in info


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
