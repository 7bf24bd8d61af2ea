# SPDX-License-Identifier: LGPL-2.1-or-later
"""mkfs.f2fs from the outside: options act as described, each refusal names its reason and changes nothing, and its
output is the one that scripts expect. Volumes are read back from their bytes, and by blkid where that is there."""
import hashlib
import json
import os
import re
import shutil
import struct
import subprocess
import zlib

import pytest

FIXED = ["-r", "-T", "1700000000", "-U", "00112233-4455-6677-8899-aabbccddeeff", "-R", "0:0"]
MIB, GIB = 1 << 20, 1 << 30
FIELDS = {"magic": (0, 4), "log_blocksize": (16, 4), "segs_per_sec": (24, 4), "secs_per_zone": (28, 4),
          "block_count": (36, 8), "segment_count": (48, 4), "cp_blkaddr": (76, 4), "main_blkaddr": (92, 4),
          "extension_count": (1148, 4), "cp_payload": (1664, 4), "feature": (2180, 4), "hot_ext_count": (2757, 1),
          "s_encoding": (2758, 2), "s_encoding_flags": (2760, 2)}
CP_FIELDS = {"checkpoint_ver": (0, 8), "user_block_count": (8, 8), "rsvd_segment_count": (24, 4),
             "overprov_segment_count": (28, 4), "ckpt_flags": (132, 4), "checksum_offset": (164, 4)}
TRIMMED, NAT_BITS, LARGE_NAT = 0x100, 0x80, 0x400


class Volume:
    """The raw bytes of a volume in a file."""

    def __init__(self, path, offset=0):
        with open(path, "rb") as f:
            f.seek(offset)
            self.bytes = f.read(64 * MIB)
        self.sb = self.bytes[1024:4096]
        self.block = 1 << self["log_blocksize"]
        assert self["magic"] == 0xF2F52010
        assert self.bytes[self.block + 1024:self.block + 4096] == self.sb
        start = self["cp_blkaddr"] * self.block
        self.cp = self.bytes[start:start + self.block]

    def __getitem__(self, name):
        offset, size = (FIELDS if name in FIELDS else CP_FIELDS)[name]
        return int.from_bytes((self.sb if name in FIELDS else self.cp)[offset:offset + size], "little")

    def text(self, offset, size):
        return self.sb[offset:offset + size].split(b"\0")[0]

    def extensions(self):
        every = [self.sb[1152 + 8 * i:1160 + 8 * i].rstrip(b"\0").decode() for i in range(64)]
        cold = self["extension_count"]
        return every[:cold], every[cold:cold + self["hot_ext_count"]]

    def root_inode(self):
        """The bytes of the root's inode: the first block of the main area."""
        at = self["main_blkaddr"] * self.block
        return self.bytes[at:at + self.block]


@pytest.fixture
def mkfs(run_tool):
    def run(*args, rc=0, **kwargs):
        return run_tool("mkfs.f2fs", *args, rc=rc, **kwargs)
    return run


@pytest.fixture
def image(tmp_path):
    """A path of a file that does not exist yet."""
    return tmp_path / "volume.img"


def refused(mkfs, *args):
    """Run it; it must fail with one line (and perhaps a hint), which is returned."""
    done = mkfs(*args, rc=1)
    assert done.stdout == b""
    lines = done.stderr.decode().splitlines()
    assert lines and all(line.startswith(("mkfs.f2fs: ", "Try ")) for line in lines)
    return lines[0]


# --- output

def test_help(mkfs):
    done = mkfs("--help")
    text = done.stdout.decode()
    assert done.stderr == b""
    assert text == mkfs("-h").stdout.decode()
    for letter in "abcdeEfgHilmoOCqrRsStTUwzZnjhV":
        assert re.search(r"^  -%s(, --[a-z-]+|[ =]|$)" % letter, text, re.M), letter
    assert all(len(line) <= 100 for line in text.splitlines())


def test_version(mkfs):
    assert re.fullmatch(rb"mkfs\.f2fs 1\.\d+\.\d+ \(f2fskit \d+\.\d+\.\d+\)\n", mkfs("-V").stdout)
    libraries = mkfs("--version").stdout.removeprefix(mkfs("-V").stdout)
    assert re.fullmatch(rb"(with .+\n)?(without .+\n)?", libraries) and libraries


def test_lines(mkfs, image):
    text = mkfs(*FIXED, "-l", "name", image, "100M").stdout.decode()
    for line in ("Info: Debug level = 0", "Info: Label = name", "Info: Trim is enabled", "Info: Segments per section = 1",
                 "Info: Sections per zone = 1", "Info: sector size = 512", "Info: total sectors = 204800 (100 MB)",
                 "Info: block size = 4096", "Info: zone aligned segment0 blkaddr: 512",
                 "Info: Overprovision ratio = 30.000%", "Info: Overprovision segments = 16 (GC reserved = 10)"):
        assert line in text.splitlines(), line
    assert text.splitlines()[-1] == "Info: format successful"


def test_quiet(mkfs, image):
    done = mkfs("-q", image, "64M")
    assert done.stdout == b"" and done.stderr == b""
    assert Volume(image)


def test_full_stdout(tool, image):
    with open("/dev/full", "w") as full:
        done = subprocess.run([tool("mkfs.f2fs"), image, "64M"], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 1 and b"standard output" in done.stderr


SCHEMA = {"dry_run": bool, "devices": list, "label": str, "block_size": int, "sector_size": int, "feature": int,
          "feature_names": list, "segs_per_sec": int, "secs_per_zone": int, "block_count": int, "segment_count": int,
          "segment_count_ckpt": int, "segment_count_sit": int, "segment_count_nat": int, "segment_count_ssa": int,
          "segment_count_main": int, "section_count": int, "segment0_blkaddr": int, "cp_blkaddr": int,
          "sit_blkaddr": int, "nat_blkaddr": int, "ssa_blkaddr": int, "main_blkaddr": int, "cp_payload": int,
          "max_nid": int, "overprovision_ratio": float, "usable_segments": int, "rsvd_segment_count": int,
          "overprov_segment_count": int, "free_segment_count": int, "user_block_count": int,
          "sit_ver_bitmap_bytesize": int, "nat_ver_bitmap_bytesize": int, "checksum_offset": int, "nat_bits": bool,
          "large_nat_bitmap": bool, "logs": dict}
MADE = {"uuid": str, "checkpoint_ver": int, "time": int, "valid_node_count": int, "valid_block_count": int,
        "quota_inodes": dict, "lost_found_inode": (int, type(None)), "trimmed": bool}


def check_schema(record, schema):
    assert set(record) == set(schema)
    for name, kind in schema.items():
        assert isinstance(record[name], kind), name


def test_json(mkfs, image):
    plan = json.loads(mkfs("-n", "-j", *FIXED, "-O", "quota,lost_found", image, "64M").stdout)
    assert not image.exists()
    check_schema(plan, SCHEMA)
    assert plan["dry_run"] is True
    made = json.loads(mkfs("--json", *FIXED, "-O", "quota,lost_found", "-l", "näme", image, "64M").stdout)
    check_schema(made, {**SCHEMA, **MADE})
    assert {k: v for k, v in made.items() if k not in MADE} == {**plan, "dry_run": False, "label": "näme"}
    assert made["devices"] == [{"path": str(image), "size": 64 * MIB, "segments": 31, "start": 0, "end": 16384,
                                "alias": None}]
    assert made["feature_names"] == ["quota", "lost_found"]
    assert made["uuid"] == FIXED[4] and made["checkpoint_ver"] == 0x6B8B4567 and made["time"] == 1700000000
    assert made["quota_inodes"] == {"user": 4, "group": 5, "project": None} and made["lost_found_inode"] == 6
    volume = Volume(image)
    for name in ("block_count", "segment_count", "main_blkaddr", "feature"):
        assert made[name] == volume[name]
    for name in ("user_block_count", "rsvd_segment_count", "overprov_segment_count", "checksum_offset"):
        assert made[name] == volume[name]


def test_dry_run_text(mkfs, image):
    text = mkfs("--dry-run", image, "1G").stdout.decode()
    values = dict(line.split(" = ", 1) for line in text.splitlines())
    assert values["segment_count_main"] == "502" and values["logs.WARM_DATA"] == "250"
    assert values["devices[0].path"] == str(image)
    assert not image.exists()


def test_dry_run_writes_nothing(mkfs, image):
    image.write_bytes(b"x" * 64 * MIB)
    os.utime(image, ns=(1, 1))          # two changes may share a tick of the clock
    mkfs("-n", image)
    assert hashlib.sha256(image.read_bytes()).digest() == hashlib.sha256(b"x" * 64 * MIB).digest()
    assert os.stat(image).st_mtime_ns == 1


# --- sizes and files

@pytest.mark.parametrize("text,size", [("64M", 64 * MIB), ("131072", 64 * MIB), ("131072s", 64 * MIB),
                                       ("0.0625G", 64 * MIB), ("65536KiB", 64 * MIB), ("64MB", 64000000),
                                       ("67108864B", 64 * MIB)])
def test_sizes(mkfs, image, text, size):
    mkfs("-q", image, text)
    assert image.stat().st_size == size
    assert Volume(image)["block_count"] == size // 4096


def test_sector_size(mkfs, image):
    mkfs("-q", "-w", "4096", image, "16384")
    assert image.stat().st_size == 64 * MIB
    image.unlink()
    mkfs("-q", "-w", "4K", image, "16384s")
    assert image.stat().st_size == 64 * MIB


def test_existing_file(mkfs, image):
    image.write_bytes(b"")
    os.truncate(image, 200 * MIB)
    mkfs("-q", image)
    assert Volume(image)["block_count"] == 200 * MIB // 4096
    mkfs("-q", "-f", image, "100M")
    assert image.stat().st_size == 200 * MIB and Volume(image)["block_count"] == 100 * MIB // 4096
    mkfs("-q", "-f", image, "300M")
    assert image.stat().st_size == 300 * MIB and Volume(image)["block_count"] == 300 * MIB // 4096


def test_large_and_sparse(mkfs, image):
    try:
        mkfs("-q", image, "15T")
    except AssertionError as error:
        if "File too large" in str(error):
            pytest.skip("the file system has no files of 15 TiB")
        raise
    assert image.stat().st_size == 15 << 40
    assert image.stat().st_blocks * 512 < 4 * MIB


def test_offset(mkfs, image):
    image.write_bytes(b"p" * (80 * MIB))
    mkfs("-q", "--offset", "1M", image, "64M")
    data = image.read_bytes()
    assert data[:MIB] == b"p" * MIB and data[65 * MIB:] == b"p" * (15 * MIB)
    assert Volume(image, MIB)["block_count"] == 16384
    assert "sectors of 512" in refused(mkfs, "-f", "--offset", "1000", image)
    assert "past the end" in refused(mkfs, "-f", "--offset", "80M", image)


def test_too_small(mkfs, image):
    line = refused(mkfs, image, "45M")
    assert "47185920 bytes are too small" in line and "(46 MiB)" in line
    assert not image.exists()
    assert "(272 MiB)" in refused(mkfs, "-s", "8", image, "64M")
    assert "no larger size" in refused(mkfs, "-o", "0.0000001", image, "64M")


def test_too_large(mkfs, image):
    assert "largest size with blocks of 4096 bytes is 16 TiB" in refused(mkfs, image, "17T")
    assert "largest size with blocks of 16384 bytes is 64 TiB" in refused(mkfs, "-b", "16K", image, "65T")
    assert not image.exists()


def test_missing_file(mkfs, image):
    assert "does not exist; give a size" in refused(mkfs, image)


@pytest.mark.parametrize("size", ["x", "12q", "1.5", "-1", "99999999999999999999", "0", "0M", "16E"])
def test_bad_sizes(mkfs, image, size):
    refused(mkfs, image, "--", size)
    assert not image.exists()


def test_directory(mkfs, tmp_path):
    assert "is a directory" in refused(mkfs, tmp_path)


def test_character_device(mkfs):
    refused(mkfs, "/dev/null")


def test_operands(mkfs, image):
    assert "no device" in refused(mkfs)
    assert "one operand too many" in refused(mkfs, image, "64M", "1")


def test_failure_leaves_no_new_file(mkfs, tmp_path):
    """A folder without room: the file that was created is gone again."""
    missing = tmp_path / "none" / "volume.img"
    refused(mkfs, missing, "64M")
    assert not missing.exists()


# --- layout options

def test_block_size(mkfs, image):
    mkfs("-q", "-b", "16384", image, "256M")
    assert Volume(image).block == 16384
    for size in ("512", "2048", "8192", "32768", "4097", "x", ""):
        assert "block size" in refused(mkfs, "-f", "-b", size, image) or "not a" in refused(mkfs, "-f", "-b", size, image)


def test_sections(mkfs, image):
    mkfs("-q", "-s", "2", "-z", "3", image, "256M")
    volume = Volume(image)
    assert (volume["segs_per_sec"], volume["secs_per_zone"]) == (2, 3)
    refused(mkfs, "-f", "-s", "0", image)
    refused(mkfs, "-f", "-z", "-1", image)


def test_overprovision(mkfs, image):
    text = mkfs("-o", "5", image, "1G").stdout.decode()
    assert "Info: Overprovision ratio = 5.000%" in text
    assert (Volume(image)["rsvd_segment_count"], Volume(image)["overprov_segment_count"]) == (27, 33)
    assert mkfs("-f", "-q", "-o", "0", image) and Volume(image)["rsvd_segment_count"] == 25
    for ratio in ("100", "x", "-1", "1e3", "nan"):
        refused(mkfs, "-f", "-o", ratio, image)


def test_large_nat(mkfs, image):
    mkfs("-q", "-i", image, "64M")
    volume = Volume(image)
    assert volume["ckpt_flags"] & LARGE_NAT and volume["checksum_offset"] == 192


def test_discard(mkfs, image):
    mkfs("-q", image, "64M")
    assert Volume(image)["ckpt_flags"] & TRIMMED
    text = mkfs("-f", "-t", "0", image).stdout.decode()
    assert "Info: Trim is disabled" in text and not Volume(image)["ckpt_flags"] & TRIMMED
    for value, trimmed in (("5", True), ("nodiscard", False), ("-1", True), ("00", False)):
        mkfs("-q", "-f", "-t", value, image)
        assert bool(Volume(image)["ckpt_flags"] & TRIMMED) == trimmed, value
    assert "nodiscard" in refused(mkfs, "-f", "-t", "discard", image)


def test_zoned_refusals(mkfs, image):
    assert "zoned" in refused(mkfs, "-m", image, "400M")
    assert "zoned volumes only" in refused(mkfs, "-Z", "10", image, "400M")


def test_devices(mkfs, tmp_path):
    paths = [tmp_path / name for name in "abc"]
    for path, size in zip(paths, (100, 61, 70)):
        path.write_bytes(b"")
        os.truncate(path, size * MIB)
    made = json.loads(mkfs("-j", paths[0], "-c", paths[1], "-c", "%s@ali" % paths[2]).stdout)
    assert [(d["segments"], d["start"], d["alias"]) for d in made["devices"]] == [
        (49, 0, None), (30, 25600, None), (35, 40960, "ali")]
    volume = Volume(paths[0])
    assert [volume.text(2201 + 68 * i, 64).decode() for i in range(4)] == [*map(str, paths), ""]
    assert b"ali" in volume.bytes[volume["main_blkaddr"] * 4096:]
    assert "cannot have" in refused(mkfs, "-f", paths[0], "-c", paths[1], "64M")
    refused(mkfs, "-f", paths[0], "-c", tmp_path / "missing")
    assert "given twice" in refused(mkfs, "-f", paths[0], "-c", paths[1], "-c", paths[1])
    assert "given twice" in refused(mkfs, "-f", paths[0], "-c", tmp_path / ".." / tmp_path.name / "a")
    assert "name for a device" in refused(mkfs, "-f", paths[0], "-c", "%s@a/b" % paths[1])
    assert "one device too many" in refused(mkfs, "-f", paths[0], *["-c", paths[1]] * 8)
    assert "63 bytes" in refused(mkfs, "-f", paths[0], "-c", "/" * 60 + str(paths[1]))


# --- contents

def test_label(mkfs, image):
    mkfs("-q", "-l", "d\u00e4 \U0001f600", image, "64M")
    assert Volume(image).sb[124:1148].decode("utf-16-le").rstrip("\0") == "d\u00e4 \U0001f600"
    mkfs("-q", "-f", "-l", "x" * 512, image)
    assert Volume(image).sb[124:1148].decode("utf-16-le") == "x" * 512
    assert "512 UTF-16 units" in refused(mkfs, "-f", "-l", "x" * 513, image)
    assert "UTF-8" in refused(mkfs, "-f", "-l", b"\xff".decode("utf-8", "surrogateescape"), image)


def test_uuid(mkfs, image):
    mkfs("-q", "-U", "00112233-4455-6677-8899-AABBCCDDEEFF", image, "64M")
    assert Volume(image).sb[108:124].hex() == "00112233445566778899aabbccddeeff"
    for bad in ("", "x", "00112233445566778899aabbccddeeff", "00112233-4455-6677-8899-aabbccddeef",
                "00112233-4455-6677-8899-aabbccddeeff0", "00112233-4455-6677-8899-aabbccddeefg"):
        refused(mkfs, "-f", "-U", bad, image)
    mkfs("-q", "-f", image)
    assert Volume(image).sb[108 + 6] >> 4 == 4


FEATURES = {"encrypt": 1, "extra_attr": 8, "project_quota": 0x10, "inode_checksum": 0x20, "flexible_inline_xattr": 0x40,
            "quota": 0x80, "inode_crtime": 0x100, "lost_found": 0x200, "verity": 0x400, "sb_checksum": 0x800,
            "casefold": 0x1000, "compression": 0x2000, "ro": 0x4000}
NEED_EXTRA_ATTR = ("project_quota", "inode_checksum", "flexible_inline_xattr", "inode_crtime", "compression")


@pytest.mark.parametrize("name", FEATURES)
def test_feature(mkfs, image, name):
    if name in NEED_EXTRA_ATTR:
        assert "need the extra_attr" in refused(mkfs, "-O", name, image, "64M")
        assert not image.exists()
        mkfs("-q", "-O", "extra_attr, " + name, image, "64M")
        expected = FEATURES[name] | 8 | (0x80 if name == "project_quota" else 0)
    else:
        mkfs("-q", "-O", name, image, "64M")
        expected = FEATURES[name]
    assert Volume(image)["feature"] == expected


def test_features_add_up(mkfs, image):
    mkfs("-q", "-O", "encrypt,verity", "-O", "lost_found quota", image, "64M")
    assert Volume(image)["feature"] == 1 | 0x400 | 0x200 | 0x80


def test_bad_features(mkfs, image):
    for name in ("nope", "encrypt,nope", "device_alias", "atomic_write"):
        assert "unknown feature" in refused(mkfs, "-O", name, image, "64M")
    assert "-m" in refused(mkfs, "-O", "blkzoned", image, "64M")


def test_packed_ssa(mkfs, image):
    text = mkfs("-O", "packed_ssa", image, "64M").stdout.decode()
    assert "packed_ssa feature is disabled" in text and Volume(image)["feature"] == 0
    mkfs("-q", "-f", "-b", "16384", "-O", "packed_ssa", image, "256M")
    assert Volume(image)["feature"] == 0x10000


@pytest.mark.parametrize("text,flags", [("utf8", 0), ("utf8:strict", 1), ("utf8:hashonly", 2), ("utf8:strict,hashonly", 3),
                                        ("utf8:strict,nostrict", 0)])
def test_casefold(mkfs, image, text, flags):
    mkfs("-q", "-C", text, image, "64M")
    volume = Volume(image)
    assert (volume["feature"], volume["s_encoding"], volume["s_encoding_flags"]) == (0x1000, 1, flags)


@pytest.mark.parametrize("text", ["", "utf16", "utf8:x", "utf8:strict,x", "utf"])
def test_bad_casefold(mkfs, image, text):
    refused(mkfs, "-C", text, image, "64M")


def test_extensions(mkfs, image):
    mkfs("-q", image, "64M")
    cold, hot = Volume(image).extensions()
    assert cold[:3] == ["mp", "wm", "og"] and len(cold) == 36 and hot == ["db", "vmdk", "vdi", "qcow2"]
    mkfs("-q", "-f", "-e", "foo,mp bar", "-E", "x1", image)
    assert Volume(image).extensions() == (cold + ["foo", "bar"], hot + ["x1"])
    assert "'eightlet'" in refused(mkfs, "-f", "-e", "ok,eightlet", image)
    assert "more than 64" in refused(mkfs, "-f", "-e", ",".join("e%d" % i for i in range(30)), image)


def test_root_owner(mkfs, image):
    mkfs("-q", "-R", "1000:4294967294", image, "64M")
    assert struct.unpack_from("<II", Volume(image).root_inode(), 4) == (1000, 0xFFFFFFFE)
    mkfs("-q", "-f", image)
    assert struct.unpack_from("<II", Volume(image).root_inode(), 4) == (os.getuid(), os.getgid())
    for bad in ("", "1", "1:", ":1", "a:b", "1:2:3", "4294967296:0", "0:4294967295", "4294967295:0"):
        refused(mkfs, "-f", "-R", bad, image)


def root_times(path):
    return struct.unpack_from("<qqq", Volume(path).root_inode(), 32)


def test_time(mkfs, image, run_tool, tmp_path):
    mkfs("-q", "-T", "1234567890", image, "64M")
    assert root_times(image) == (1234567890,) * 3
    environ = {**os.environ, "SOURCE_DATE_EPOCH": "86400"}
    mkfs("-q", "-f", image, env=environ)
    assert root_times(image) == (86400,) * 3
    mkfs("-q", "-f", "-T", "7", image, env=environ)
    assert root_times(image) == (7,) * 3
    mkfs("-q", "-f", "-T", "-1", image, env=environ)
    assert root_times(image) == (86400,) * 3
    assert b"SOURCE_DATE_EPOCH" in mkfs("-f", image, env={**os.environ, "SOURCE_DATE_EPOCH": "x"}, rc=1).stderr
    refused(mkfs, "-f", "-T", "now", image)
    (tmp_path / "tree").mkdir()
    (tmp_path / "tree" / "file").write_bytes(b"contents")
    mkfs("-q", "-f", "-T", "7", "--root-dir", tmp_path / "tree", image, env=environ)
    for path in ("/", "/file"):
        assert b"mtime = 7 " in run_tool("f2fs", image, "stat", path).stdout, path


def test_stamp(mkfs, image):
    mkfs("-q", image, "64M")
    volume = Volume(image)
    assert volume.text(1668, 252) == b"f2fskit" and volume.text(1924, 256) == b"f2fskit"
    mkfs("-q", "-f", "--stamp", "mine", image)
    assert Volume(image).text(1668, 252) == b"mine"
    if os.path.exists("/proc/version"):
        mkfs("-q", "-f", "--stamp", "kernel", image)
        with open("/proc/version", "rb") as f:
            assert Volume(image).text(1668, 252) == f.read().rstrip(b"\n")[:251]
    assert "251 bytes" in refused(mkfs, "-f", "--stamp", "x" * 252, image)


def test_android(mkfs, image):
    text = mkfs("-g", "android", "-C", "utf8", image, "64M").stdout.decode()
    volume = Volume(image)
    assert "Info: Set conf for android" in text
    assert volume["feature"] == 0x499 | 0x1000 and volume["s_encoding_flags"] == 2
    assert not volume["ckpt_flags"] & NAT_BITS
    assert struct.unpack_from("<II", volume.root_inode(), 4) == (0, 0)
    mkfs("-q", "-g", "android", "-C", "utf8:nohashonly", image)  # -f is part of it
    assert Volume(image)["s_encoding_flags"] == 0
    mkfs("-q", "-g", "android", "-O", "ro", image)
    assert Volume(image)["feature"] == 0x4000
    done = mkfs("-g", "other", "-f", image)
    assert b"'other' is not a preset" in done.stderr and Volume(image)["feature"] == 0
    before = image.read_bytes()
    assert "-f" in refused(mkfs, "-g", "-f", image) or image.read_bytes() == before  # the preset is named -f
    assert mkfs("-q", "-g", "-f", "-f", image).stderr == b""


def test_ignored(mkfs, image):
    mkfs("-q", "-a", "1", "-H", image, "64M")
    assert Volume(image)


@pytest.mark.parametrize("args", [["--nope"], ["-b"], ["-y"], ["--json=1"], ["--label"], ["-d", "x"]])
def test_wrong_usage(mkfs, image, args):
    done = mkfs(image, "64M", *args, rc=1)
    assert done.stdout == b"" and b"--help" in done.stderr
    assert not image.exists()


# --- reproducible

def digest(path):
    with open(path, "rb") as f:
        return hashlib.file_digest(f, "sha256").hexdigest() if hasattr(hashlib, "file_digest") else \
            hashlib.sha256(f.read()).hexdigest()


def test_same_bytes(mkfs, tmp_path):
    options = ["-q", *FIXED, "-O", "extra_attr,inode_checksum,quota,lost_found,sb_checksum", "-l", "x"]
    for name in "ab":
        mkfs(*options, tmp_path / name, "64M")
    assert digest(tmp_path / "a") == digest(tmp_path / "b")
    # dirt below makes no difference where it counts: discard takes it away
    (tmp_path / "c").write_bytes(os.urandom(64 * MIB))
    mkfs("-f", *options, tmp_path / "c")
    assert digest(tmp_path / "c") == digest(tmp_path / "a")
    mkfs("-q", tmp_path / "d", "64M")
    mkfs("-q", tmp_path / "e", "64M")
    assert digest(tmp_path / "d") != digest(tmp_path / "e")


def test_golden(mkfs, image):
    """The whole file as sha256sum sees it; tests/golden has the same volume."""
    mkfs("-q", *FIXED, image, "64M")
    assert digest(image) == "4951c47a8e73c9a9bfdb4aec117124b40b9a6aae063854ab82cde52fdb22e0fa"


# --- existing contents

def is_without_blkid():
    build = os.environ.get("F2FSKIT_BUILD") or os.path.join(os.path.dirname(__file__), "..", "..", "build")
    with open(os.path.join(build, "f2fskit_config.h"), encoding="utf-8") as f:
        return "#define HAVE_BLKID 1" not in f.read()


needs_blkid = pytest.mark.skipif(is_without_blkid(), reason="libblkid is not built in")


def has_blkid(path):
    found = shutil.which("blkid", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        pytest.skip("no blkid")
    done = subprocess.run([found, "-p", "-o", "export", path], capture_output=True)
    return dict(line.split("=", 1) for line in done.stdout.decode().splitlines() if "=" in line)


def need(program):
    found = shutil.which(program, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    if not found:
        pytest.skip("no " + program)
    return found


@needs_blkid
def test_refuses_own_volume(mkfs, image):
    mkfs("-q", "-l", "precious", image, "64M")
    before = digest(image)
    line = refused(mkfs, image)
    assert "f2fs" in line and "'precious'" in line and "-f" in line
    assert digest(image) == before
    mkfs("-q", "-f", image)
    assert digest(image) != before


def test_refusals_leave_it_alone(mkfs, image):
    """With -f, too: a volume that cannot be made destroys nothing."""
    mkfs("-q", image, "64M")
    before = digest(image)
    for args in (["-s", "8"], ["-b", "1024"], ["-O", "compression"], ["-l", "x" * 600], ["-e", "eightlet"], ["-m"]):
        refused(mkfs, "-f", *args, image)
        assert digest(image) == before
    refused(mkfs, "-f", "-s", "64", image, "100M")
    assert image.stat().st_size == 64 * MIB and digest(image) == before


@needs_blkid
def test_ext4(mkfs, image):
    os.truncate(os.open(image, os.O_CREAT | os.O_WRONLY), 100 * MIB)
    subprocess.run([need("mke2fs"), "-q", "-t", "ext4", "-L", "root", image], check=True)
    line = refused(mkfs, image)
    assert "ext4" in line and "'root'" in line
    assert "-f will be needed" in mkfs("-n", image).stderr.decode()
    mkfs("-q", "-f", "-t", "0", image)
    assert has_blkid(image).get("TYPE") == "f2fs"


def write_gpt(path, size, first, last):
    """A disk of size bytes with one partition from sector first to last: the two headers and tables of a GPT."""
    entry = struct.pack("<16s16sQQQ72s", bytes(range(16)), bytes(range(1, 17)), first, last, 0, "p".encode("utf-16-le"))
    table = entry + bytes(127 * 128)
    end = size // 512 - 1

    def header(own, other, entries):
        fields = [b"EFI PART", 0x10000, 92, 0, 0, own, other, 34, end - 33, bytes(range(2, 18)), entries, 128, 128,
                  zlib.crc32(table)]
        fields[3] = zlib.crc32(struct.pack("<8sIIIIQQQQ16sQIII", *fields))
        return struct.pack("<8sIIIIQQQQ16sQIII", *fields)

    with open(path, "wb") as f:
        f.truncate(size)
        f.seek(446)
        f.write(struct.pack("<B3sB3sII", 0, b"\0\2\0", 0xEE, b"\xff\xff\xff", 1, end) + bytes(48) + b"\x55\xaa")
        f.write(header(1, end, 2).ljust(512, b"\0") + table)
        f.seek(size - 33 * 512)
        f.write(table + header(end, 1, end - 32))


@needs_blkid
def test_partition_table(mkfs, image):
    write_gpt(image, 100 * MIB, 2048, 90000)
    assert "partition table (gpt)" in refused(mkfs, image)
    mkfs("-q", "-f", "-t", "0", image)
    data = image.read_bytes()
    assert data[512:520] != b"EFI PART" and data[-512:-504] != b"EFI PART" and data[510:512] != b"\x55\xaa"
    found = has_blkid(image)
    assert found.get("TYPE") == "f2fs" and "PTTYPE" not in found


def test_partition_within(mkfs, image):
    """The table around a partition is none of its business."""
    write_gpt(image, 100 * MIB, 2048, 2048 + 163839)
    before = image.read_bytes()
    mkfs("-q", "--offset", "1M", image, "80M")
    after = image.read_bytes()
    assert after[:MIB] == before[:MIB] and after[81 * MIB:] == before[81 * MIB:]
    assert Volume(image, MIB)["block_count"] == 80 * MIB // 4096


@needs_blkid
def test_btrfs_copies(mkfs, image):
    """Superblocks of Btrfs at 64 KiB and 64 MiB: nothing is left that could bring it back."""
    magic = b"_BHRfS_M"
    os.truncate(os.open(image, os.O_CREAT | os.O_WRONLY), 200 * MIB)
    with open(image, "r+b") as f:
        for at in (64 << 10, 64 << 20):
            block = bytearray(4096)
            struct.pack_into("<Q", block, 48, at)
            block[64:72] = magic
            struct.pack_into("<IIII", block, 144, 4096, 4096, 4096, 4096)
            f.seek(at)
            f.write(block)
    assert "btrfs" in refused(mkfs, image)
    mkfs("-q", "-f", "-t", "0", image)
    data = image.read_bytes()
    assert magic not in data
    assert has_blkid(image).get("TYPE") == "f2fs"


def test_alias_keeps_contents(mkfs, tmp_path):
    paths = [tmp_path / "a", tmp_path / "b"]
    paths[0].write_bytes(b"")
    os.truncate(paths[0], 100 * MIB)
    paths[1].write_bytes(b"keep" * (16 * MIB))
    mkfs("-q", paths[0], "-c", "%s@whole" % paths[1])
    assert paths[1].read_bytes() == b"keep" * (16 * MIB)


# --- Android sparse images

def unsparse(path):
    data = path.read_bytes()
    magic, _, _, head, _, block, blocks, chunks, _ = struct.unpack_from("<IHHHHIIII", data)
    assert magic == 0xED26FF3A
    out, at, defined = bytearray(), head, 0
    for _ in range(chunks):
        kind, _, count, size = struct.unpack_from("<HHII", data, at)
        if kind == 0xCAC1:
            out += data[at + 12:at + size]
        elif kind == 0xCAC2:
            out += data[at + 12:at + 16] * (count * block // 4)
        else:
            assert kind == 0xCAC3
            out += b"\0" * (count * block)
        defined += count if kind != 0xCAC3 else 0
        at += size
    assert at == len(data) and len(out) == blocks * block
    return bytes(out), defined


def test_sparse(mkfs, tmp_path, image):
    mkfs("-q", *FIXED, "-S", "64M", image)
    raw, defined = unsparse(image)
    mkfs("-q", *FIXED, "-t", "0", tmp_path / "raw", "64M")
    assert raw == (tmp_path / "raw").read_bytes()
    # SIT and NAT are in the file: 512 blocks each, and little else
    assert 1024 < defined < 1100
    assert "exists" in refused(mkfs, "-S", "64M", image)
    mkfs("-q", "-f", "-S", str(100 * MIB), image)
    assert len(unsparse(image)[0]) == 100 * MIB
    assert "too small" in refused(mkfs, "-f", "-S", "10M", image)
    assert len(unsparse(image)[0]) == 100 * MIB
    refused(mkfs, "-S", "x", image)
    refused(mkfs, "-S", "64M", image, "64M")


# --- f2fs-tools agree

@pytest.mark.parametrize("options", [[], ["-i"], ["-s", "2"], ["-O", "extra_attr,inode_checksum,quota,lost_found,sb_checksum"],
                                     ["-g", "android"], ["-O", "ro"]])
def test_fsck(mkfs, image, options):
    mkfs("-q", *options, image, "256M")
    done = subprocess.run([need("fsck.f2fs"), "--dry-run", image], capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stdout.decode(errors="replace")
    assert b"[Fail]" not in done.stdout


def test_read_only_zones_have_no_summaries(run_tool, tmp_path):
    """The segments that align zones are no SSA: they are too few, and a summary after them would overwrite a file."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "ro", "-z", "4", image, "64M")
    (tmp_path / "large").write_bytes(b"x" * (10 << 20))
    run_tool("f2fs", "-w", image, "put", tmp_path / "large", "/large")
    fields = run_tool("f2fs", image, "field", "sb.ssa_blkaddr", "sb.main_blkaddr").stdout.decode()
    start, end = (int(number) * 4096 for number in re.findall(r"= (\d+)", fields))
    assert start < end and not any(image.read_bytes()[start:end])
    owners = run_tool("dump.f2fs", "--ssa=1", image).stdout.decode().splitlines()[1:]
    assert owners and all(line.endswith(" none") for line in owners)    # none of them was read there, either
