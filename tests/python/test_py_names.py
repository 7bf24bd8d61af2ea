# SPDX-License-Identifier: LGPL-2.1-or-later
"""Label, UUID and features: the values set, their effects, and power cuts meanwhile; single fields by address."""
import re
import uuid

import pytest

import f2fskit

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "sb_checksum"]
NEW = uuid.UUID("01234567-89ab-4def-8123-456789abcdef")
OTHER = uuid.UUID("89abcdef-0123-4def-8123-456789abcdef")


@pytest.fixture(params=[FEATURES, ["extra_attr"]], ids=["checksums", "plain"])
def memory(request):
    """A small volume with some files, in memory."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, features=request.param, label="old")
    with f2fskit.open(device, "r+") as volume:
        for i in range(30):
            volume.path(f"/dir{i % 3}").mkdir(exist_ok=True)
            volume.path(f"/dir{i % 3}/file{i}").write_bytes(b"%d" % i * 999)
    yield device
    device.close()


BETWEEN = re.compile(r"superblocks differ|superblock copy [01] is not valid \(SB_MAGIC.*; [01] is used")


def read_all(device, torn=False, differ=False):
    """differ: the superblocks may, or one of them is being written; one note says which of them counts."""
    with f2fskit.open(device, mode="strict") as volume:
        files = {path: entry.inode().read_bytes() for path, entry in volume.scan() if entry.is_file()}
        assert torn or not [note for note in volume.notes if not (differ and BETWEEN.search(note))], volume.notes
        return volume.label, volume.uuid, volume.features, files


def test_label(memory):
    before = read_all(memory)
    with f2fskit.open(memory, "r+") as volume:
        for bad, error in (("x" * 513, f2fskit.NameTooLongError), ("\udcff", f2fskit.InvalidError)):
            with pytest.raises(error):
                volume.set_label(bad)
        volume.set_label("grüße 💾")
        assert volume.label == "grüße 💾"
        volume.set_label("é" * 512)
    assert read_all(memory) == ("é" * 512, *before[1:])
    with f2fskit.fields(memory) as fields:
        assert fields["sb[1].volume_name"] == fields["sb[2].volume_name"] == "é" * 512
    with f2fskit.open(memory) as volume, pytest.raises(f2fskit.ReadOnlyError):
        volume.set_label("")


def test_uuid(memory):
    before = read_all(memory)
    with f2fskit.open(memory, "r+") as volume:
        volume.path("/dir0/file0").write_bytes(b"changed")
        with pytest.raises(f2fskit.StateError):
            volume.set_uuid(NEW)
        volume.rollback()
        inode = volume.lookup("/dir1/file1")
        volume.set_uuid(NEW)
        assert volume.uuid == NEW and inode.stat().st_size == 999
        volume.path("/dir0/new").write_bytes(b"after")
    after = read_all(memory)
    assert after[1] == NEW and after[2] == before[2] and after[3] == {**before[3], "/dir0/new": b"after"}


@pytest.mark.parametrize("memory", [FEATURES], indirect=True)
def test_damage_is_not_hidden_by_a_new_checksum(memory):
    with f2fskit.open(memory) as volume:
        nid = volume.lookup("/dir0/file3").number
    with f2fskit.fields(memory, "r+", raw=True) as fields:
        fields[f"inode[{nid}].i_generation"] = "+=1"
    with f2fskit.open(memory, "r+") as volume:
        with pytest.raises(f2fskit.CorruptError) as error:
            volume.set_uuid(NEW)
        assert error.value.rule == "INODE_CHECKSUM" and error.value.nid == nid
        assert volume.uuid != NEW and volume.features & f2fskit.Feature.INODE_CHECKSUM


def test_features(memory):
    before = read_all(memory)
    with f2fskit.open(memory, "r+") as volume:
        with pytest.raises(f2fskit.UnsupportedError):
            volume.add_features(f2fskit.Feature.BLKZONED | f2fskit.Feature.ENCRYPT)
        with pytest.raises(f2fskit.StateError):
            volume.set_hash_only(True)
        volume.path("/dir0/file0").write_bytes(b"changed")
        with pytest.raises(f2fskit.StateError):
            volume.add_features(f2fskit.Feature.ENCRYPT)
        volume.rollback()
        volume.add_features(f2fskit.Feature.ENCRYPT | f2fskit.Feature.CASEFOLD, strict=True)
        volume.set_hash_only(True)
        assert volume.features == before[2] | f2fskit.Feature.ENCRYPT | f2fskit.Feature.CASEFOLD
    assert read_all(memory) == (*before[:2], before[2] | f2fskit.Feature.ENCRYPT | f2fskit.Feature.CASEFOLD, before[3])
    with f2fskit.fields(memory) as fields:
        for copy in (1, 2):
            assert fields[f"sb[{copy}].s_encoding"] == 1 and fields[f"sb[{copy}].s_encoding_flags"] == 3
    with f2fskit.open(memory, "r+") as volume:
        volume.set_hash_only(False)
    with f2fskit.fields(memory) as fields:
        assert fields["sb[1].s_encoding_flags"] == fields["sb[2].s_encoding_flags"] == 1
    with f2fskit.open(memory) as volume, pytest.raises(f2fskit.ReadOnlyError):
        volume.add_features(f2fskit.Feature.VERITY)


@pytest.mark.parametrize("what", ["label", "uuid"])
def test_power_cuts(memory, what):
    before = read_all(memory)
    original = memory.fork()
    recorder = memory.recorder()
    with f2fskit.open(recorder, "r+") as volume:
        if what == "label":
            volume.set_label("new")
        else:
            volume.set_uuid(NEW)
    seen = set()
    records = list(recorder.records)
    assert sum(record.kind == f2fskit.RecordKind.WRITE for record in records) >= 2
    for record in records:
        if record.kind == f2fskit.RecordKind.WRITE:
            for half in (record.data[: len(record.data) // 1024 * 512], record.data):
                original.write(record.offset, half)
                found = read_all(original, torn=half is not record.data, differ=True)
                assert found[3] == before[3]
                assert found[0] in ("old", "new") and found[1] in (before[1], NEW)
                seen.add((found[:2], found[2] == before[2]))
    assert ((before[:2]), True) in seen and (("new" if what == "label" else "old", NEW if what == "uuid" else before[1]), True) in seen
    if what == "uuid" and before[2] & f2fskit.Feature.INODE_CHECKSUM:
        assert any(not whole for _, whole in seen), "the feature is away for a while"


def found_by_check(device, **how):
    return {problem.name for problem in f2fskit.check(device, **how).problems}


def test_a_cut_change_of_the_uuid_goes_on(memory):
    """At each write: a check finds the superblocks at most, a repair leaves nothing, and a rerun makes the volume whole."""
    features, original, recorder = read_all(memory)[2], memory.fork(), memory.recorder()
    with f2fskit.open(recorder, "r+") as volume:
        volume.set_uuid(NEW)
    for record in list(recorder.records):
        if record.kind != f2fskit.RecordKind.WRITE:
            continue
        original.write(record.offset, record.data)
        assert found_by_check(original) <= {"SB_COPY", "SB_DIFFER", "SB_DOUBTED", "SB_FEATURES_WRONG"}
        with original.fork() as repaired:
            found_by_check(repaired, repair=True)
            assert not found_by_check(repaired)
        with original.fork() as again:
            with f2fskit.open(again, "r+") as volume:
                volume.set_uuid(OTHER)
            assert not found_by_check(again)
            assert read_all(again)[1:3] == (OTHER, features)


def test_the_feature_comes_back(memory):
    with f2fskit.fields(memory, "r+") as fields:
        for copy in (1, 2):
            fields[f"sb[{copy}].feature"] = int(fields[f"sb[{copy}].feature"]) & ~0x20
    with f2fskit.open(memory, "r+") as volume:
        assert not volume.features & f2fskit.Feature.INODE_CHECKSUM
        volume.set_uuid(NEW, checksum=True)
    found = read_all(memory)
    assert found[1] == NEW and found[2] & f2fskit.Feature.INODE_CHECKSUM


def test_fields(memory):
    with f2fskit.fields(memory, "r+") as fields:
        assert fields["sb.magic"] == 0xF2F52010 and "sb.magic" in fields
        assert isinstance(fields["sb.feature"], f2fskit.Feature) and isinstance(fields["sb.uuid"], uuid.UUID)
        fields["inode[3].i_links"] = 77
        fields["inode[3].i_atime"] = -7
        assert (fields["inode[3].i_links"], fields["inode[3].i_atime"]) == (77, -7)
        fields["sit[0].valid_map"] = b"\xff\x00"
        assert fields["sit[0].valid_map"][:2] == b"\xff\x00"
        found = fields.describe("inode[3].i_mode")
        assert (found.structure, found.field, found.value) == ("inode", "i_mode", 0o40755)
        assert memory.read(found.offset, 2) == (0o40755).to_bytes(2, "little")
        for address, error in (("inode[3].nothing", ValueError), ("inode[999].i_mode", LookupError), ("x", ValueError)):
            with pytest.raises((error, f2fskit.NotFoundError)):
                fields[address]
        with pytest.raises(TypeError):
            del fields["sb.magic"]
        with pytest.raises(TypeError):
            list(fields)
    with f2fskit.open(memory) as volume:
        assert volume.root.stat().st_nlink == 77
    with f2fskit.fields(memory, "r+") as fields:
        for copy in (1, 2):
            fields[f"sb[{copy}].magic"] = 0
        with pytest.raises(f2fskit.StateError):
            fields["inode[3].i_links"]
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.open(memory)


ADDRESSES = [
    "sb.feature", "sb[2].devs[1].path", "cp.ckpt_flags", "cp[1].checksum_offset", "cp[2].alloc_type[15]", "cp_foot[1].u64[511]",
    "nat[3].ino", "nat[4,1].block_addr", "nat[5,2].version", "nat_journal.count", "nat_journal[0].nid", "sit[0].valid_map[63]",
    "sit[3,2].type", "sit_journal[1].mtime", "ssa[2][511].nid", "ssa[0].check_sum", "inode[3].i_links", "inode[4].i_addr[0]",
    "inode[3].i_nid[4]", "inode[3].i_inode_checksum", "inode[5].footer.cp_ver", "node[6].footer.node_offset", "dentry[3][0].ino",
    'dentry[3]["dir1"].hash', 'dentry[4]["file3"].name', "dentry[3][9999].used", "xattr[4].h_magic", "xattr[4][0].e_name_len",
    'xattr[5]["a"].e_value_size', "orphan[0].ino", "orphan_block[0].entry_count", "block[600].u8[4095]", "file[4].u16[77]",
    "node_at[4200].addr[1]", "node_at[4100].footer.nid", "file[5].u64[123456789]",
]


def test_hostile_volumes(memory):
    import random

    random.seed(1)
    values = errors = 0
    size = 64 << 20
    used = [at for at in range(0, size, 4096) if any(memory.read(at, 4096))]
    for _ in range(40):
        image = memory.fork()
        for at in random.sample(used, random.choice([1, 3, len(used) // 2])):
            for _ in range(random.choice([1, 4, 50])):
                image.write(at + random.randrange(4096), bytes([random.choice([0, 1, 127, 255, random.randrange(256)])]))
        with image, f2fskit.fields(image, "r+") as fields:
            for address in ADDRESSES:
                try:
                    fields[address]
                    if random.random() < 0.2:
                        fields[address] = random.choice(["0", "1", "^=1", "hex:00"])
                    values += 1
                except f2fskit.Error:
                    errors += 1
    assert values > 400 and errors > 200
