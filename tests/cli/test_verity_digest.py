# SPDX-License-Identifier: LGPL-2.1-or-later
"""fs-verity enabled by the engine: digests are those that fs-verity's definition gives, computed here with hashlib."""
import hashlib
import os
import struct
import subprocess


def merkle_root(data, name, block, salt):
    """Root hash by the definition: levels of hashes of blocks, each hashed with the salt in front."""
    size = hashlib.new(name).digest_size
    prefix = salt + bytes(-len(salt) % hashlib.new(name).block_size)
    if not data:
        return bytes(size)
    while True:
        blocks = [data[i:i + block].ljust(block, b"\0") for i in range(0, len(data), block)]
        hashes = [hashlib.new(name, prefix + b).digest() for b in blocks]
        if len(hashes) == 1:
            return hashes[0]
        per_block = block // size
        data = b"".join(b"".join(hashes[i:i + per_block]).ljust(block, b"\0") for i in range(0, len(hashes), per_block))


def file_digest(data, algorithm, block, salt):
    name = {1: "sha256", 2: "sha512"}[algorithm]
    root = merkle_root(data, name, block, salt)
    descriptor = struct.pack("<BBBBIQ64s32s144x", 1, algorithm, block.bit_length() - 1, len(salt), 0, len(data), root, salt)
    return hashlib.new(name, descriptor).hexdigest()


def test_digests(run_tool, peer_check, build_dir, tmp_path):
    image, host, back = tmp_path / "disk.img", tmp_path / "host", tmp_path / "back"
    host.mkdir()
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,inode_checksum,compression,verity,quota", image, "200M")
    done = subprocess.run([os.path.join(build_dir, "tests", "stress", "sealed"), image, host], capture_output=True)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    lines = done.stdout.decode().splitlines()
    assert len(lines) >= 8
    for line in lines:
        name, algorithm, block, salt, digest = line.split()
        salt = b"" if salt == "-" else bytes.fromhex(salt)
        assert digest == file_digest((host / name).read_bytes(), int(algorithm), int(block), salt), name
    peer_check(image)
    run_tool("dump.f2fs", "--extract=%s" % back, image)
    assert subprocess.run(["diff", "-r", host, back]).returncode == 0
