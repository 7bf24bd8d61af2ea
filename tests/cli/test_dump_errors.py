# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs with wrong input: arguments, images, structures. One clear line each, never a crash, never 255."""
import json
import random
import struct
import subprocess

import pytest

import volumes

BLOCK = volumes.BLOCK


@pytest.mark.parametrize("args", [(), ("a", "b"), ("--nonsense", "x"), ("-Z", "x"), ("-d", "x", "y"), ("--pack=3", "x"),
                                  ("--offset=much", "x"), ("--json", "x"), ("--json", "-t", "x"),
                                  ("--json", "--cat=/", "x"), ("--nat", "--nat", "x"), ("--info=1", "x"), ("-i",)])
def test_usage(run_tool, args):
    done = run_tool("dump.f2fs", *args, rc=1)
    assert done.stdout == b"" and done.stderr.startswith(b"dump.f2fs: ")
    assert b"--help" in done.stderr


@pytest.mark.parametrize("args", [("--nat=7~3",), ("--block=x",), ("--node=-1",), ("--superblock=2",),
                                  ("--checkpoint=0",), ("--history=root",), ("-b", "5q"), ("-i", ""), ("-I", "1e3")])
def test_bad_values(run_tool, planted, args):
    done = run_tool("dump.f2fs", *args, planted[0], rc=1)
    assert args[0].split("=")[0].encode() in done.stderr


@pytest.mark.parametrize("args", [("--ls=/nothing",), ("--cat=/sub/none",), ("--inode=99999",), ("--inode=/hello.txt/x",),
                                  ("--node=99999",), ("--cat=/sub",), ("--map=/no",), ("--verity=/hello.txt",),
                                  ("--block=99999999",), ("--nat=99999999",), ("--hexdump=99999999",), ("-i", "7777")])
def test_what_does_not_exist(run_tool, planted, args):
    done = run_tool("dump.f2fs", *args, planted[0], rc=2)
    assert done.stderr.count(b"\n") == 1


def test_no_image(run_tool, tmp_path):
    done = run_tool("dump.f2fs", "--info", tmp_path / "none.img", rc=8)
    assert b"none.img" in done.stderr and b"No such file" in done.stderr


@pytest.mark.parametrize("size", [0, 1, 511, 1024, 4096, 9000, 1 << 20])
def test_not_f2fs(run_tool, tmp_path, size):
    path = tmp_path / "other.img"
    path.write_bytes(volumes.noise(7, size))
    done = run_tool("dump.f2fs", "--info", path, rc=8)
    assert done.stdout == b"" and b"F2FS" in done.stderr


def test_one_superblock_is_enough(run_tool, damaged):
    path, _ = damaged
    volumes.patch(path, 1024, bytes(4))
    done = run_tool("dump.f2fs", "--json", "--info", path)
    got = json.loads(done.stdout)
    assert [s["state"] for s in got["info"]["superblocks"]] == ["SB_MAGIC", "valid"]
    assert [s["in_use"] for s in got["info"]["superblocks"]] == [False, True]
    assert got["notes"] and "SB_MAGIC" in got["notes"][0] and b"SB_MAGIC" in done.stderr
    assert b"warning" not in run_tool("dump.f2fs", "-q", "--ls", path).stderr


def test_no_superblock(run_tool, damaged):
    path, _ = damaged
    volumes.patch(path, 1024, bytes(4))
    volumes.patch(path, BLOCK + 1024 + 20, b"\x0b")     # log_blocks_per_seg
    done = run_tool("dump.f2fs", "--ls", path, rc=8)
    assert b"superblock" in done.stderr


def test_one_checkpoint_is_enough(run_tool, damaged):
    path, raw = damaged
    base = raw.sb["cp_blkaddr"] + 512 * (raw.pack - 1)
    volumes.patch(path, (base + raw.total - 1) * BLOCK, bytes(64))
    done = run_tool("dump.f2fs", "--json", "--info", path, rc=0)
    got = json.loads(done.stdout)
    state = got["info"]["packs"][raw.pack - 1]
    assert state["state"] in ("CP_CRC", "CP_FOOTER") and not state["in_use"]
    assert got["notes"] and b"CP_" in done.stderr


def test_no_checkpoint(run_tool, damaged):
    path, raw = damaged
    for i in range(2):
        volumes.patch(path, (raw.sb["cp_blkaddr"] + 512 * i) * BLOCK, b"\xff" * 8)
    done = run_tool("dump.f2fs", "--ls", path, rc=8)
    assert b"checkpoint" in done.stderr


def find(run_tool, path, name):
    """(ino, block address) of a path."""
    got = json.loads(run_tool("dump.f2fs", "--json", "--inode=" + name, path).stdout)["inode"][0]
    return got["ino"], got["nat"]["block_addr"]


def test_damaged_inode(run_tool, damaged):
    """Its checksum is wrong: the rest of the directory is shown, the file is named with block and rule."""
    path, _ = damaged
    ino, addr = find(run_tool, path, "/medium")
    volumes.patch(path, addr * BLOCK + 16, b"\x01")
    for view in ("--ls", "--tree", "-t", "-M", "--fragmentation", "--stat", "--inode=/medium", "--cat=/medium"):
        done = run_tool("dump.f2fs", view, path, rc=4)
        lines = [x for x in done.stderr.decode().split("\n") if "INODE_CHECKSUM" in x]
        assert len(lines) == 1, view
        assert str(addr) in lines[0] and str(ino) in lines[0], view
    broken = json.loads(run_tool("dump.f2fs", "--json", "--inode=%d" % ino, path, rc=4).stdout)["inode"][0]
    assert (broken["ino"], broken["i_name"], broken["i_size"]) == (ino, "medium", 30000 & ~255 | 1)
    assert b"hello.txt" in run_tool("dump.f2fs", "--ls", path, rc=4).stdout
    assert b"sub/" in run_tool("dump.f2fs", "--tree", path, rc=4).stdout


def test_nat_entry_out_of_range(run_tool, damaged):
    path, raw = damaged
    ino, _ = find(run_tool, path, "/medium")
    at = raw.nat_block(ino // 455) * BLOCK + ino % 455 * 9
    volumes.patch(path, at + 5, struct.pack("<I", 5))
    done = run_tool("dump.f2fs", "--nat", path, rc=4)
    assert b"NAT_BLOCK" in done.stderr and str(ino).encode() in done.stderr
    assert run_tool("dump.f2fs", "--cat=/hello.txt", path).stdout == b"hello\n"
    assert b"NAT_BLOCK" in run_tool("dump.f2fs", "--cat=/medium", path, rc=4).stderr


def test_foreign_node(run_tool, damaged):
    """The NAT leads to a node of another id."""
    path, raw = damaged
    ino, _ = find(run_tool, path, "/medium")
    _, other = find(run_tool, path, "/hello.txt")
    at = raw.nat_block(ino // 455) * BLOCK + ino % 455 * 9
    volumes.patch(path, at + 5, struct.pack("<I", other))
    assert b"NODE_NID" in run_tool("dump.f2fs", "--node=%d" % ino, path, rc=4).stderr
    assert b"NODE_NID" in run_tool("dump.f2fs", "-i", ino, path, rc=4).stderr


def test_damaged_directory(run_tool, damaged):
    path, _ = damaged
    _, addr = find(run_tool, path, "/")
    got = json.loads(run_tool("dump.f2fs", "--json", "--map=/", "--ls", path).stdout)
    block = got["map"][0]["extents"][0]["addr"]
    slot = next(e for e in got["ls"][0]["entries"] if e["name"] == "hello.txt")["position"]
    volumes.patch(path, block * BLOCK + 30 + 11 * slot + 8, b"\xff\xff")      # name_len
    for view in ("--ls", "--tree", "-t", "-M"):
        done = run_tool("dump.f2fs", view, path, rc=4)
        assert b"DENTRY_NAME" in done.stderr, view
    assert b"medium" in run_tool("dump.f2fs", "--ls", path, rc=4).stdout


def test_pointer_out_of_range(run_tool, damaged):
    path, _ = damaged
    ino, addr = find(run_tool, path, "/medium")
    raw = volumes.Raw(path)
    block = bytearray(raw.block(addr))
    slot = 360 + struct.unpack_from("<H", block, 360)[0]
    struct.pack_into("<I", block, slot + 8, 77)
    fix_checksum(block, path)
    volumes.patch(path, addr * BLOCK, bytes(block))
    done = run_tool("dump.f2fs", "--cat=/medium", path, rc=4)
    assert b"NODE_ADDR" in done.stderr and b"77" in done.stderr
    assert run_tool("dump.f2fs", "--map=/medium", path, rc=4).stderr.count(b"NODE_ADDR") >= 1


def fix_checksum(block, path):
    with open(path, "rb") as f:
        f.seek(1024 + 108)
        uuid = f.read(16)
    c = volumes.crc(uuid, 0xFFFFFFFF)
    c = volumes.crc(bytes(block[4076:4080]), c)
    c = volumes.crc(bytes(block[68:72]), c)
    c = volumes.crc(bytes(block[:368]) + bytes(4) + bytes(block[372:]), c)
    struct.pack_into("<I", block, 368, c)


def test_truncated_image(run_tool, damaged, planted):
    """Half of the image is missing: existing files are shown, missing ones are errors."""
    path, raw = damaged
    with open(path, "r+b") as f:
        f.truncate((raw.sb["main_blkaddr"] + 100) * BLOCK)
    done = run_tool("dump.f2fs", "--ls", path, rc=4, timeout=300)
    assert b"shorter than its volume" in done.stderr and b"ends at" in done.stderr
    got = json.loads(run_tool("dump.f2fs", "--json", "--superblock", "--checkpoint", "--logs", path).stdout)
    assert got["checkpoint"]["checkpoint_ver"] == raw.version and got["notes"]
    got = json.loads(run_tool("dump.f2fs", "--json", "--nat", path, rc=4, timeout=300).stdout)
    assert {e["nid"] for e in got["nat"]} == set(raw.nodes())


def test_strict(run_tool, damaged):
    """A volume that the kernel refuses is shown, with a note, unless --strict is given."""
    path, raw = damaged

    def set_error_flag(cp):
        struct.pack_into("<I", cp, 132, raw.flags | 8)
    volumes.repair_checkpoint(path, raw, set_error_flag)
    assert b"CP_ERROR_FLAG" in run_tool("dump.f2fs", "--strict", "--ls", path, rc=8).stderr
    got = json.loads(run_tool("dump.f2fs", "--json", "--ls", "--checkpoint", path).stdout)
    assert got["notes"] and got["ls"][0]["entries"]


def test_random_damage_never_crashes(tool, damaged, planted):
    """Bytes of metadata and nodes changed at random: any status of the table, in bounded time."""
    path, raw = damaged
    original = planted[0].read_bytes()
    rng = random.Random(20260101)
    nodes = [addr for nid, (_, _, addr) in raw.nodes().items() if nid > 2]
    meta = [raw.sb["cp_blkaddr"] + i for i in range(8)] + [raw.sb["cp_blkaddr"] + 512 + i for i in range(8)] + \
        [raw.sb["sit_blkaddr"], raw.sb["sit_blkaddr"] + 512, raw.nat_block(0), raw.sb["ssa_blkaddr"], 0, 1]
    for round_ in range(40):
        edits = []
        for _ in range(rng.randrange(1, 12)):
            block = rng.choice(nodes if rng.random() < 0.7 else meta)
            edits.append((block * BLOCK + rng.randrange(BLOCK), rng.choice((b"\0", b"\xff", bytes([rng.randrange(256)])))))
        for at, byte in edits:
            volumes.patch(path, at, byte)
        for view in (["--stat", "--json", "--tree", "--ls", "--fragmentation", "--inode=3", "--nat", "--ssa"],
                     ["-q", "-t", "-M", "-l", "-I", "3", "-i", "3", "-b", str(nodes[0])]):
            done = subprocess.run([tool("dump.f2fs"), *view, str(path)], capture_output=True, stdin=subprocess.DEVNULL,
                                  timeout=300)
            assert 0 <= done.returncode < 16, (round_, edits, done.stderr[-500:])
            if done.returncode != 8 and "--json" in view:
                json.loads(done.stdout)
        for at, _ in edits:
            volumes.patch(path, at, original[at:at + 1])


def test_full_output_device(tool, planted):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([tool("dump.f2fs"), "--ssa", str(planted[0])], stdout=full, stderr=subprocess.PIPE)
    assert done.returncode == 8 and b"output" in done.stderr
