# SPDX-License-Identifier: LGPL-2.1-or-later
"""The format's tables in Python: structures, fields, flags, rules, and how records show raw bytes."""
import ast
import copy
import enum
import pathlib
import pickle
import random
import re
import struct
import subprocess
import sys
import uuid

import f2fskit
import pytest
from f2fskit import _core, enums, errors, format

TOP = pathlib.Path(__file__).resolve().parents[2]
STRUCTS = list(f2fskit.structs.values())


def numbers_by_library(kind, raw):
    """Every number of a structure as the C library reads it."""
    pointer = _core.ffi.from_buffer(raw)
    row = _core.lib.f2fs_struct_find(kind.name.encode())
    found = {}
    for i in range(row.field_count):
        field = row.fields[i]
        name = _core.text(field.name)
        if field.type == _core.lib.F2FS_FIELD_BYTES:
            found[name] = raw[field.offset : field.offset + field.count]
            continue
        values = tuple(_core.lib.f2fs_field_get(_core.ffi.addressof(row.fields, i), pointer, k)
                       for k in range(field.count))
        if field.type == _core.lib.F2FS_FIELD_S64:
            values = tuple(v - (1 << 64) if v >> 63 else v for v in values)
        found[name] = values if field.count > 1 else values[0]
    return found


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.name)
def test_unpack_equals_the_library(kind):
    rng = random.Random(kind.name)
    for _ in range(20):
        raw = rng.randbytes(kind.size)
        expected = numbers_by_library(kind, raw)
        flat = kind.codec.unpack(raw)
        i = 0
        for field in kind.fields.values():
            n = 1 if field.code == "s" else field.count
            assert (flat[i] if n == 1 else flat[i : i + n]) == expected[field.name], field.name
            i += n
        assert i == len(flat)


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.name)
def test_fields_tile_the_structure(kind):
    at = 0
    for field in kind.fields.values():
        assert field.offset == at
        at += field.size
    assert at == kind.size == kind.codec.size
    assert kind.doc and kind.section


@pytest.mark.parametrize("kind", STRUCTS, ids=lambda kind: kind.name)
def test_numpy_reads_the_same(kind):
    numpy = pytest.importorskip("numpy")
    dtype = numpy.dtype(f2fskit.dtype(kind.name))
    assert dtype.itemsize == kind.size
    raw = random.Random(1).randbytes(kind.size * 5)
    array = numpy.frombuffer(raw, dtype)
    for i in range(5):
        expected = numbers_by_library(kind, raw[i * kind.size : (i + 1) * kind.size])
        for name, value in expected.items():
            if isinstance(value, bytes):
                assert array[name][i].tobytes().ljust(len(value), b"\0") == value
            else:
                assert numpy.array_equal(array[name][i], value), name


def test_record():
    raw = bytearray(3072)
    raw[:4] = struct.pack("<I", 0xF2F52010)
    raw[108:124] = bytes(range(16))
    raw[124:130] = "Tür".encode("utf-16-le")
    raw[1924:1930] = b"Linux\xff"
    raw[2180:2184] = struct.pack("<I", f2fskit.Feature.VERITY | f2fskit.Feature.QUOTA)
    raw[2745:2757] = struct.pack("<3I", 4, 5, 6)
    record = f2fskit.record("superblock", raw)
    assert record.magic == 0xF2F52010
    assert record.uuid == uuid.UUID(bytes=bytes(range(16)))
    assert record.volume_name == "Tür"
    assert record.init_version == "Linux\udcff"
    assert record.feature is not None and record.feature == f2fskit.Feature.VERITY | f2fskit.Feature.QUOTA
    assert isinstance(record.feature, f2fskit.Feature)
    assert record.qf_ino == (4, 5, 6)
    assert record.raw == bytes(raw)
    assert list(record.fields()) == list(f2fskit.structs["superblock"].fields)
    assert "magic" in dir(record) and "magic=4076150800" in repr(record)
    assert record.struct is f2fskit.structs["superblock"]
    assert record == f2fskit.record("superblock", raw) == pickle.loads(pickle.dumps(record)) == copy.copy(record)
    assert hash(record) == hash(copy.deepcopy(record))
    raw[0] ^= 1
    assert record != f2fskit.record("superblock", raw)
    with pytest.raises(AttributeError):
        record.no_such_field
    with pytest.raises(ValueError):
        f2fskit.record("superblock", raw[:-1])
    with pytest.raises(KeyError):
        f2fskit.record("no_such_structure", raw)


def test_unknown_flag_bits_are_kept():
    assert int(f2fskit.Feature(0x80000001)) == 0x80000001


def test_flags_equal_the_library():
    for field, kind in enums.FLAGS.items():
        count = _core.ffi.new("unsigned *")
        rows = _core.lib.f2fs_flags_find(field.encode(), count)
        table = {_core.text(rows[i].name).upper(): rows[i].mask for i in range(count[0])}
        assert table and table == {name: int(value) for name, value in kind.__members__.items()}
    assert {name for name in enums.Feature.__members__} == {
        key[len("F2FS_FEAT_") :] for key in _core.ffi.typeof("enum f2fs_feature").relements
    }


def test_every_flag_field_has_an_enumeration():
    fields = {field.name for kind in STRUCTS for field in kind.fields.values() if field.show == f2fskit.FieldShow.FLAGS}
    assert len(fields) > 5 and fields <= set(enums.FLAGS)


def test_rules():
    assert f2fskit.rules["SB_MAGIC"].structure == "superblock"
    assert all(name == rule.name for name, rule in f2fskit.rules.items())
    assert len(format.rules_by_id) == len(f2fskit.rules) > 50
    assert all(format.rules_by_id[rule.id] is rule for rule in f2fskit.rules.values())


def test_c_enums_equal_the_enumerations():
    for kind, tag in ((enums.FileType, "f2fs_file_type"), (enums.Area, "f2fs_area"),
                      (enums.ExtentKind, "f2fs_extent_kind"), (enums.OpenMode, "f2fs_open_mode")):
        assert sorted(map(int, kind)) == sorted(_core.ffi.typeof(f"enum {tag}").elements)
    assert [kind.name for kind in f2fskit.LogType] == [
        "HOT_DATA", "WARM_DATA", "COLD_DATA", "HOT_NODE", "WARM_NODE", "COLD_NODE"]


def test_named_tuples_have_the_members_of_the_c_structures():
    from f2fskit import results

    for kind, tag, without in (
        (results.Geometry, "f2fs_geometry", set()),
        (results.NatEntry, "f2fs_nat_info", set()),
        (results.SitEntry, "f2fs_segment_info", set()),
        (results.LogHead, "f2fs_log_head", set()),
        (results.BlockIdentity, "f2fs_block_identity", set()),
        (results.Extent, "f2fs_file_extent", set()),
        (results.NodeInfo, "f2fs_node_info", set()),
        (results.InodeLayout, "f2fs_inode_layout", set()),
        (results.Quota, "f2fs_quota", set()),
        (results.Progress, "f2fs_progress", set()),
        (results.DeviceInfo, "f2fs_device_info", set()),
        (results.DeviceRecord, "f2fs_record", set()),
        (results.Zone, "f2fs_zone", {"reserved"}),
        (results.Verity, "f2fs_verity", {"digest_size", "salt_size"}),
    ):
        members = {name for name, _ in _core.ffi.typeof(f"struct {tag}").fields}
        assert set(kind._fields) == members - without, tag


def test_stubs_are_up_to_date(top):
    """Type checkers see the real interface: python/stubs.py writes the same files."""
    done = subprocess.run([sys.executable, "-c", (
        "import runpy, sys; found = runpy.run_path(sys.argv[1]);"
        "print(found['enums_stub'](), found['errors_stub'](), found['records_stub'](), sep='\\0', end='')"), str(top / "python/stubs.py")],
        env={"PYTHONPATH": str(pathlib.Path(f2fskit.__file__).parents[1])}, check=True, capture_output=True, text=True)
    for name, text in zip(("enums", "errors", "records"), done.stdout.split("\0")):
        assert (top / f"python/f2fskit/{name}.pyi").read_text() == text, f"run python/stubs.py for {name}.pyi"
        ast.parse(text)


def test_all_names_what_is_there():
    assert len(set(f2fskit.__all__)) == len(f2fskit.__all__)
    for name in f2fskit.__all__:
        assert hasattr(f2fskit, name), name
    for name, found in vars(f2fskit).items():
        if isinstance(found, type) and (issubclass(found, (errors.Error, enum.Enum)) or found.__module__.startswith(
                "f2fskit.")):
            assert name in f2fskit.__all__, name


def test_public_things_have_docstrings():
    import inspect

    for name in f2fskit.__all__:
        found = getattr(f2fskit, name)
        if not isinstance(found, type):
            assert not callable(found) or inspect.getdoc(found), name
            continue
        assert inspect.getdoc(found), name
        for key, member in vars(found).items():
            if not key.startswith("_") and (inspect.isfunction(member) or isinstance(member, property)):
                if not key.startswith("f_") and not hasattr(__import__("io").RawIOBase, key):
                    assert inspect.getdoc(member), f"{name}.{key}"


def test_version():
    version = re.search(r"^  version: '(.+)',$", (TOP / "meson.build").read_text(), re.MULTILINE)[1]
    assert f2fskit.__version__ == version
