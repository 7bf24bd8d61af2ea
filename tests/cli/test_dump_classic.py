# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs: the options of f2fs-tools, to the letter."""
import re
import shutil
import subprocess

import pytest

import volumes

MAP = re.compile(r"(/[^ ]*)((?: \d+(?:-\d+)?)*)")


@pytest.fixture
def dump(run_tool, planted, tmp_path):
    """dump("-n", "0~-1"): stdout of a run on the planted volume in an empty directory."""
    def run(*args, rc=0, image=None):
        return run_tool("dump.f2fs", *args, image or planted[0], rc=rc, cwd=tmp_path).stdout.decode()
    return run


@pytest.fixture(scope="session")
def raw(planted):
    return volumes.Raw(planted[0])


def test_tables_byte_by_byte(dump, raw, tmp_path):
    out = dump("-n", "0~-1", "-s", "0~-1", "-a", "0~-1")
    assert (tmp_path / "dump_nat").read_text() == raw.dump_nat()
    assert (tmp_path / "dump_sit").read_text() == raw.dump_sit()
    lines = (tmp_path / "dump_ssa").read_text().split("\n")
    assert lines[0] == "Note: dump.f2fs -b blkaddr = 0x%x + segno *  0x200 + offset" % raw.sb["main_blkaddr"]
    assert sum(line.startswith("segno: ") for line in lines) == raw.sb["segment_count_main"]
    assert "Info: total FS sectors = 196608 (96 MB)\n" in out and re.search(r"^Done: \d+\.\d+ secs$", out, re.M)
    assert re.search(r"^Info: superblock features = 328 :  extra_attr inode_checksum inode_crtime lost_found$", out, re.M)


def test_ssa_slots(dump, raw, tmp_path, run_tool, planted):
    """The number of a slot and the node that owns it, ten to a line."""
    dump("-a", "0~-1")
    slots = {}
    for part in (tmp_path / "dump_ssa").read_text().split("\n\nsegno: ")[1:]:
        head, body = part.split("\n", 1)
        segno, kind = head.split(", ")
        found = re.findall(r"\[ *(\d+): +([0-9a-f]+)\]", body)
        assert [int(i) for i, _ in found] == list(range(512))
        assert kind in ("Data", "Node", "Current Data", "Current Node")
        slots[int(segno, 16)] = [int(nid, 16) for _, nid in found]
    nodes = {nid: addr - raw.sb["main_blkaddr"] for nid, (_, _, addr) in raw.nodes().items() if nid > 2}
    assert len(nodes) > 3 and {nid: slots[at // 512][at % 512] for nid, at in nodes.items()} == {nid: nid for nid in nodes}


@pytest.mark.parametrize("text, first, end", [("3~6", 3, 6), ("4", 4, None), ("5~-1", 5, None), ("0x3~0x5", 3, 5),
                                              ("5~5", 5, 5), ("0~99999999", 0, None)])
def test_ranges(dump, raw, tmp_path, text, first, end):
    dump("-n", text, "-s", text.replace("99999999", "-1"))
    assert (tmp_path / "dump_nat").read_text() == raw.dump_nat(first, end)
    assert (tmp_path / "dump_sit").read_text() == raw.dump_sit(first, end)


@pytest.mark.parametrize("text", ["x", "1~y", "-5~3", "7~3", "", "~", "1~2~3", "1.5~2"])
def test_bad_ranges(run_tool, planted, tmp_path, text):
    for option in ("-n", "-s", "-a"):
        done = run_tool("dump.f2fs", option + text if text else option + " ", planted[0], rc=1, cwd=tmp_path)
        assert b"is not a range" in done.stderr or b"ends before" in done.stderr
    assert not list(tmp_path.iterdir())


def peer(name):
    return shutil.which(name, path="/usr/sbin:/sbin:/usr/bin:/bin")


def test_against_the_installed_program(dump, planted, tmp_path):
    """f2fs-tools 1.15 and 1.16 differ in columns; what both have is the same."""
    if not peer("dump.f2fs"):
        pytest.skip("f2fs-tools is not installed")
    theirs = tmp_path / "theirs"
    theirs.mkdir()
    ranges = ["-n", "0~-1", "-s", "0~-1", "-a", "0~-1"]
    subprocess.run([peer("dump.f2fs"), *ranges, planted[0]], cwd=theirs, check=True, stdout=subprocess.DEVNULL)
    dump(*ranges)

    def fields(path):
        return [dict(re.findall(r"([a-z_]+):(?:\s*)(\S+)", line)) for line in path.read_text().split("\n")]
    for name in ("dump_nat", "dump_sit"):
        ours, other = fields(tmp_path / name), fields(theirs / name)
        assert len(ours) == len(other)
        for a, b in zip(ours, other):
            assert set(b) <= set(a) and {k: a[k] for k in b} == b
    assert (tmp_path / "dump_ssa").read_bytes() == (theirs / "dump_ssa").read_bytes()


def test_layout(dump, raw):
    out = dump("-l")
    got = dict(re.findall(r"^(\S+): +(.*)$", out, re.M))
    for name, value in raw.sb.items():
        assert got[name] == str(value), name
    assert got["checkpoint_ver"] == str(raw.version) and got["ckpt_flags"] == str(raw.flags)
    assert re.search(r"^Filesystem volume name: +planted é$", out, re.M)
    assert out.startswith("magic:                         4076150800\n")
    assert "extension_list                 mp      \n" in out
    words = re.findall(r"^nat_version_bitmap\[(\d+)\] +\t\t\[0x +([0-9a-f]+) : \d+\]$", out, re.M)
    assert b"".join(int(w, 16).to_bytes(4, "little") for _, w in words) == raw.nat_bits


def test_debug_level(dump, raw):
    out = dump("-d", "1")
    assert "| Super block                                            |\n" in out
    assert "segment_count_main            \t\t[0x%8x : %u]\n" % ((raw.sb["segment_count_main"],) * 2) in out
    assert "checkpoint_ver                \t\t[0x%8x : %u]\n" % (raw.version, raw.version) in out
    assert "Super block" not in dump()


def test_inode(dump, raw, planted, run_tool):
    out = dump("-i", "3")
    assert "Node ID [0x3:3] is inode\n" in out
    block = raw.block(raw.nat(3)[2])
    mode = int.from_bytes(block[:2], "little")
    assert "i_mode                        \t\t[0x%8x : %u]\n" % (mode, mode) in out
    assert "i_inode_checksum " in out and "i_projid" not in out
    assert "i_nid[4] " in out and re.search(r"^i_addr\[0x6\] +\t\t\[0x", out, re.M)
    assert dump("-i", "0x3") .split("Done")[0] == out.split("Done")[0]
    assert "is free" in run_tool("dump.f2fs", "-i", "90000", planted[0], rc=2).stderr.decode()


def test_block(dump, raw):
    lines = dump("-b", "1")
    assert "FS Reserved Area for SEG #0: User data is from 0x%x to " % raw.sb["main_blkaddr"] in lines
    for area, name in (("cp_blkaddr", "Metadata"), ("sit_blkaddr", "SIT"), ("nat_blkaddr", "NAT"),
                       ("ssa_blkaddr", "SSA")):
        assert "FS %s Area: User data is from" % name in dump("-b", str(raw.sb[area]))
    assert "Out of address space" in dump("-b", "0xfffffff0")
    root = raw.nat(3)[2]
    out = dump("-b", hex(root))
    assert "FS Userdata Area: Node block from 0x%x\n - Inode block       : id = 0x3 from 0x%x\n" % (root, root) in out
    paths = dict(MAP.findall(dump("-M")))
    first = int(re.match(r" (\d+)", paths["/big"]).group(1))
    out = dump("-b", str(first + 3))
    assert "FS Userdata Area: Data block from 0x%x\n - Direct node block : id = 0x" % (first + 3) in out
    assert " - File name         : big\n - File size         : 5243003 (bytes)\n" in out
    assert " - Data offset       : 0x3 (BLOCK), 12288 (bytes)\n" in out
    assert "SUM.type              [SEG_TYPE_" in dump("-d", "1", "-b", str(first))


def test_map(dump, raw, planted):
    """Block by block: the blocks of the numbers are the file."""
    _, tree = planted
    out = dump("-M")
    assert out.startswith("/")
    found = dict(MAP.findall(out))
    for path in ("big", "medium", "sub/sparse"):
        contents = b""
        for run in found["/" + path].split():
            first, _, last = run.partition("-")
            count = int(last or first) - int(first) + 1
            contents += raw.block(int(first), count) if int(first) else bytes(4096)
        assert contents.rstrip(b"\0") == tree[path.encode()]
    assert "/hello.txt" in found or "hello.txt" not in out
    ino = re.search(r"\bbig <ino = (0x[0-9a-f]+)>", dump("-t")).group(1)
    assert dump("-M", "-i", ino) == found["/big"] + "\n"


def test_tree(dump, planted):
    _, tree = planted
    lines = [line for line in dump("-t").split("\n") if "<ino = " in line]
    assert len(lines) == len(tree) + 1
    assert sum(line.startswith("`-- ") for line in lines) == 1
    # the last branch of the root is "sub", that of "sub" is another directory or a file
    assert re.search(r"^    [|`]-- file-000 <ino = 0x[0-9a-f]+>, <encrypted \(0\)>$", "\n".join(lines), re.M)
    assert re.search(r"^    [| ]   `-- leaf <ino = ", "\n".join(lines), re.M)


def test_scan(dump, raw):
    out = dump("-I", "3")
    assert re.search(r"^Info: scan all nid: 3 from block_addr \[%d: \d+\]$" % raw.sb["main_blkaddr"], out, re.M)
    assert "Info: nid: 3, blkaddr: %d\n" % raw.nat(3)[2] in out


def test_quiet_has_no_lines_around(dump):
    assert dump("-q") == ""
    assert "Info:" not in dump("-q", "-t")


def test_version(run_tool):
    assert re.fullmatch(rb"dump\.f2fs 1\.\d+\.\d+ \(f2fskit \d+\.\d+\.\d+\)\n", run_tool("dump.f2fs", "-V").stdout)
