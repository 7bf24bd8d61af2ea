# SPDX-License-Identifier: LGPL-2.1-or-later
"""We read the same as the kernel shows: each image of the catalogue, through the Python module.

The manifests come from the kernel; nothing here is derived from our own code but the side that is judged.
"""
import io
import os
import struct
import subprocess

import pytest

import images
import makers
import reading

KINDS = ("user", "group", "project")


@pytest.fixture
def volume(image, f2fskit):
    with f2fskit.open(image.path, devices=image.paths[1:] or None) as volume:
        yield volume


def compare_maps(expected, got):
    """Block maps, which need more than equality: FIEMAP leaves out uncertain extents."""
    wrong = []
    for path, entry in expected.items():
        ours = reading.resolve(got, path).get("map")
        if "link" in entry or ours is None or entry["kind"] != "file" or "fiemap" not in entry:
            continue
        theirs = reading.kernel_map(entry)
        ours = {k: v for k, v in ours.items() if k * reading.BLOCK < entry["size"] or k in theirs}
        if ours != theirs:
            odd = sorted(set(ours.items()) ^ set(theirs.items()))[:6]
            wrong.append("%r: the block maps differ at %s" % (path, odd))
    return wrong


def test_python(image, volume, f2fskit):
    expected = image.manifest()["entries"]
    got = reading.tree(volume, f2fskit)
    reading.must_be_same(expected, got, ignore=("fiemap", "map"))
    assert reading.hard_links(expected) == reading.hard_links(got)
    assert not compare_maps(expected, got)


@pytest.mark.parametrize("image", ["encrypt"], indirect=True)
def test_encrypted_contents_are_refused_by_policy(image, volume, f2fskit):
    """The error says which key it would take."""
    found = set()
    for path, entry in image.manifest()["entries"].items():
        if entry.get("error") != "ENOKEY" or not entry["size"]:
            continue
        inode = volume.inode(entry["ino"])
        with pytest.raises(f2fskit.EncryptedError) as e:
            inode.read_bytes()
        context = next(v for v in inode.xattrs.internal.values() if len(v) in (28, 40))
        key = context[4:12] if context[0] == 1 else context[8:24]
        assert key.hex() in str(e.value).lower(), path
        found.add(len(context))
    assert found == {28, 40}


ENCRYPTED = ("encrypt", "encrypt-combined")


def add_keys(volume, facts):
    """The image's master key; by the descriptor, too, where policies of version 1 name it so."""
    key = bytes.fromhex(facts["master_key"])
    added = volume.add_key(key)
    if "identifier" in facts:
        assert added.identifier.hex() == facts["identifier"]
        volume.add_key(key, bytes.fromhex(facts["descriptor"]))


@pytest.mark.parametrize("image", ENCRYPTED, indirect=True)
def test_with_the_key(image, volume, f2fskit):
    """All that the kernel shows with the key: names, contents, holes, targets; by walking and by looking names up."""
    expected = image.manifest("with-key")["entries"]
    add_keys(volume, image.facts())
    got = reading.tree(volume, f2fskit)
    reading.must_be_same(expected, got, ignore=("fiemap", "map", "atime"))
    assert sum(e.get("kind") == "file" and "policy" in e for e in expected.values()) > 100
    for path, entry in got.items():
        assert volume.lookup("/" + path).number == reading.resolve(got, path)["ino"]


def test_lookup_by_path(image, volume):
    """Every name is found by its hash, too, and every inode knows a path of itself."""
    entries = image.manifest()["entries"]
    assert entries
    for path in list(entries)[:3000]:
        entry = reading.resolve(entries, path)
        assert volume.lookup("/" + path).number == entry["ino"]
    if image.name.startswith("cut-random"):
        return      # files there lost the one of their names that the inode remembers
    for path, entry in list(entries.items())[:500]:
        if entry.get("nlink") == 1 or entry.get("kind") == "dir":
            assert volume.inode(entry["ino"]).path == "/" + path


def test_volume_numbers(image, volume):
    manifest = image.manifest()
    ours = volume.statfs()
    theirs = manifest["statfs"]
    assert {k: getattr(ours, "f_" + k) for k in theirs} == theirs
    for segno, (kind, valid) in enumerate(manifest.get("segments") or []):
        entry = volume.sit[segno]
        assert entry.valid_blocks == valid and (not valid or entry.type == kind), "segment %d" % segno


@pytest.mark.parametrize("image", ["features"], indirect=True)
def test_quotas(image, volume):
    for kind, name in enumerate(KINDS):
        theirs = {int(k): v for k, v in image.facts()["quotas"][str(kind)].items()}
        ours = {q.id: q for q in volume.quotas(name)}
        assert set(ours) == set(theirs) and theirs
        for ident, (hard, soft, space, inodes_hard, inodes_soft, inodes, _, _) in theirs.items():
            q = ours[ident]
            assert (q.space_hard_kib, q.space_soft_kib, q.space_bytes) == (hard, soft, space), (name, ident)
            assert (q.inodes_hard, q.inodes_soft, q.inodes) == (inodes_hard, inodes_soft, inodes), (name, ident)


@pytest.mark.parametrize("image", [n for n, s in images.CATALOGUE.items() if "recovered" in s.views], indirect=True)
def test_unclean_volumes_are_reported(image, volume):
    """We read the state of the last checkpoint, and report that there is more."""
    changed = reading.differences(image.manifest()["entries"], image.manifest("recovered")["entries"], ignore=("atime",))
    assert bool(volume.pending) == bool(changed)


def test_the_catalogue_covers_the_format(made, f2fskit):
    """Each way in which a checkpoint can be written occurs in some image."""
    flags, packs, types, payloads, versions = set(), set(), set(), set(), set()
    for image in made.values():
        if image.error:
            continue
        with f2fskit.open(image.path, devices=image.paths[1:] or None) as volume:
            cp = volume.checkpoint
            flags |= {(bit, bool(cp.ckpt_flags >> bit & 1)) for bit in range(13)}
            packs.add(volume.checkpoint_pack)
            payloads.add(volume.superblock.cp_payload > 0)
            types |= {head.alloc_type for head in volume.logs.values()}
            versions.add(volume.geometry.segs_per_sec)
    names = {0: "umount", 1: "orphans", 2: "compact summaries", 5: "fastboot", 6: "crc", 7: "nat_bits", 8: "trimmed",
             10: "large nat bitmap", 12: "disabled"}
    assert not ["%s %s" % (name, value) for bit, name in names.items() for value in (True, False) if (bit, value) not in flags]
    assert packs == {1, 2} and payloads == {True, False} and types == {0, 1} and len(versions) > 1


# ---- other ways to hold an image

def android_sparse(data, block=4096):
    """The Android sparse form of an image: raw chunks, holes as "don't care", runs of one word as fills."""
    chunks = []
    for start in range(0, len(data), block):
        piece = data[start:start + block]
        kind = 0xCAC3 if piece == bytes(block) else 0xCAC2 if piece == piece[:4] * (block // 4) else 0xCAC1
        if chunks and chunks[-1][0] == kind and (kind != 0xCAC2 or chunks[-1][2] == piece[:4]):
            chunks[-1][1] += 1
            chunks[-1][2] += piece if kind == 0xCAC1 else b""
        else:
            chunks.append([kind, 1, {0xCAC1: piece, 0xCAC2: piece[:4], 0xCAC3: b""}[kind]])
    head = struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, block, len(data) // block, len(chunks), 0)
    return head + b"".join(struct.pack("<HHII", k, 0, n, 12 + len(b)) + bytes(b) for k, n, b in chunks)


@pytest.mark.parametrize("image", ["plain"], indirect=True)
@pytest.mark.parametrize("form", ["partition", "android-sparse", "file-object", "buffer"])
def test_other_forms(image, form, f2fskit, tmp_path):
    expected = image.manifest()["entries"]
    with open(image.path, "rb") as f:
        data = f.read()
    path = tmp_path / "image"
    options = {}
    if form == "partition":
        source, options = path, {"offset": 1 << 20}
        path.write_bytes(b"\xa5" * (1 << 20) + data + b"\xa5" * 4096)
    elif form == "android-sparse":
        source = path
        path.write_bytes(android_sparse(data))
        assert path.stat().st_size < len(data) // 2
    else:
        source = io.BytesIO(data) if form == "file-object" else memoryview(data)
    with f2fskit.open(source, **options) as volume:
        got = reading.tree(volume, f2fskit)
    reading.must_be_same(expected, got, ignore=("fiemap", "map"))


PLAIN, EXTRA = ("", ""), ("extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr", "")
PACKED = [("extra_attr,compression", "-c -a lz4 -L 2"), ("extra_attr,compression", "-c -a lzo -L 4")]


# Debian builds f2fs-tools without compression, and without blocks of 16 KiB.
NEWER = [(*PLAIN, 4096), (*EXTRA, 4096)]
if os.environ.get("F2FSKIT_NEWER_F2FS_TOOLS"):
    NEWER += [(*given, 16384) for given in (PLAIN, EXTRA, *PACKED)]


@pytest.mark.parametrize("mkfs,sload,block", NEWER)
def test_newer_f2fs_tools(mkfs, sload, block, f2fskit, newer_tools, tmp_path):
    """No kernel that we can run has pages of 16 KiB: f2fs-tools format and fill, the source directory is the truth."""
    disk, source = tmp_path / "disk", tmp_path / "source"
    with open(disk, "wb") as f:
        f.truncate(512 << 20)
    source.mkdir()
    makers.source_tree(str(source))
    if block == 4096:
        (source / makers.SLOAD_SPOILS).unlink()
    options, size = ["-O", mkfs] if mkfs else [], ["-b", str(block)] if block != 4096 else []
    done = newer_tools(block, "mkfs.f2fs", "-q", "-f", *size, *options, disk)
    assert done.returncode == 0, done.stderr
    done = newer_tools(block, "sload.f2fs", "-f", source, "-P", *sload.split(), disk)
    assert done.returncode in (0, 1), done.stdout[-2000:]
    with f2fskit.open(disk) as volume:
        assert volume.block_size == block
        got = reading.tree(volume, f2fskit)
    if sload:
        assert any("compressed" in e.get("attributes", ()) for e in got.values())
    reading.must_hold(source, got)
