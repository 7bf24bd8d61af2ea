# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs: its views show the contents of the volume."""
import json
import os
import struct
import subprocess

import pytest

import volumes

# Members that scripts may rely on, with their types; None may stand in for those in NULLABLE.
SCHEMA = {
    "info": {"image": str, "label": str, "uuid": str, "feature": int, "feature_names": list, "block_size": int,
             "volume_bytes": int, "free_blocks": int, "valid_nodes": int, "max_files": int, "valid_inodes": int,
             "segments": int, "free_segments": int, "checkpoint_ver": int, "ckpt_flags": int, "ckpt_flags_names": list,
             "is_clean": bool, "orphans": int, "superblocks": list, "packs": list, "notes": list,
             "pending_fsync_nodes": int, "max_nodes": int, "max_file_bytes": int},
    "superblock": {"copy": int, "in_use": bool, "state": str, "magic": int, "block_count": int, "uuid": str,
                   "volume_name": str, "extension_list": list, "devs": list, "qf_ino": list, "s_stop_reason": dict,
                   "s_errors": int, "feature_names": list, "crc": int},
    "checkpoint": {"pack": int, "state": str, "checkpoint_ver": int, "cur_node_segno": list, "alloc_type": list,
                   "checksum": int, "sit_version_bitmap": str, "nat_version_bitmap": str},
    "logs": [{"type": str, "segno": int, "blkoff": int, "alloc_type": str, "next_block": int}],
    "nat": [{"nid": int, "ino": int, "version": int, "block_addr": int, "node_offset": int, "cp_ver": int,
             "source": str, "table_block": int}],
    "sit": [{"segno": int, "valid_blocks": int, "type": str, "is_log": bool, "mtime": int, "source": str,
             "valid_map": str}],
    "ssa": [{"block_addr": int, "segno": int, "offset": int, "is_valid": bool, "kind": str, "nid": int,
             "version": int, "ofs_in_node": int, "source": str}],
    "features": [{"mask": int, "is_set": bool, "name": str, "meaning": str}],
    "journals": {"nat": list, "sit": list},
    "stat": {"segments": dict, "sections": dict, "inodes": dict, "fragmentation": dict, "segments_by_type": list,
             "dirty_segments_by_use": list, "most_fragmented": list},
}
NULLABLE = {"node_offset", "cp_ver"}


@pytest.fixture
def show(run_tool, planted):
    """show("--info"): the parsed JSON of a run on the planted volume."""
    def run(*args, rc=0, image=None):
        done = run_tool("dump.f2fs", "--json", *args, image or planted[0], rc=rc)
        got = json.loads(done.stdout)
        assert list(got)[:2] == ["notes", "pending_fsync_nodes"] and list(got)[-1] == "exit_status"
        assert got["exit_status"] == rc
        return got
    return run


@pytest.fixture(scope="session")
def raw(planted):
    return volumes.Raw(planted[0])


def check_schema(value, schema, where):
    if isinstance(schema, list):
        assert isinstance(value, list) and value, where
        for i, element in enumerate(value):
            check_schema(element, schema[0], "%s[%d]" % (where, i))
        return
    for name, kind in schema.items():
        assert name in value, "%s: no member %s" % (where, name)
        if value[name] is None and name in NULLABLE:
            continue
        assert type(value[name]) is kind, "%s.%s is %r" % (where, name, value[name])


@pytest.mark.parametrize("view", list(SCHEMA))
def test_schema(show, view):
    check_schema(show("--" + view)[view], SCHEMA[view], view)


def test_every_view_as_text(run_tool, planted):
    assert len(SCHEMA) >= 10
    for view in SCHEMA:
        out = run_tool("dump.f2fs", "--" + view, planted[0]).stdout.decode()
        assert out.count("\n") >= 2 and "\x1b" not in out, view


def test_several_views_in_one_object(show, run_tool, planted):
    got = show("--superblock", "--inode=3", "--inode=/sub", "--logs")
    assert set(got) == {"notes", "pending_fsync_nodes", "superblock", "inode", "logs", "exit_status"}
    assert [i["ino"] for i in got["inode"]][0] == 3 and len(got["inode"]) == 2
    text = run_tool("dump.f2fs", "--superblock", "--logs", planted[0]).stdout.decode()
    assert "== superblock ==" in text and "== logs ==" in text


def test_superblock_is_what_the_bytes_say(show, raw, planted):
    got = show("--superblock")["superblock"]
    for name, value in raw.sb.items():
        assert got[name] == value, name
    assert got["magic"] == volumes.MAGIC and got["volume_name"] == "planted é"
    assert {"extra_attr", "inode_checksum", "inode_crtime", "lost_found"} == set(got["feature_names"])
    other = show("--superblock=1")["superblock"]
    assert other["copy"] == 1 and not other["in_use"] and got["in_use"]
    assert {k: v for k, v in other.items() if k not in ("copy", "in_use")} == \
           {k: v for k, v in got.items() if k not in ("copy", "in_use")}


def test_checkpoint_is_what_the_bytes_say(show, raw):
    got = show("--checkpoint")["checkpoint"]
    assert (got["pack"], got["checkpoint_ver"], got["ckpt_flags"]) == (raw.pack, raw.version, raw.flags)
    assert bytes.fromhex(got["sit_version_bitmap"]) == raw.sit_bits
    assert bytes.fromhex(got["nat_version_bitmap"]) == raw.nat_bits
    assert got["checksum"] == volumes.crc(raw.cp[:4092])
    assert show("--checkpoint=%d" % (3 - raw.pack))["checkpoint"]["pack"] == 3 - raw.pack


def test_nat(show, raw):
    got = {e["nid"]: (e["version"], e["ino"], e["block_addr"]) for e in show("--nat")["nat"]}
    assert got == raw.nodes()
    nid = max(got)
    assert [e["nid"] for e in show("--nat=%d" % nid)["nat"]] == [nid]
    assert [e["nid"] for e in show("--nat=3~7")["nat"]] == [n for n in got if 3 <= n < 7]
    assert [e["nid"] for e in show("--nat=%d~-1" % (nid - 2))["nat"]] == [n for n in got if n >= nid - 2]


def test_sit(show, raw):
    every = show("--sit=0~-1")["sit"]
    assert [e["segno"] for e in every] == list(range(raw.sb["segment_count_main"]))
    for e in every:
        entry = raw.sit(e["segno"])
        assert e["valid_blocks"] == struct.unpack_from("<H", entry)[0] & 1023
        assert bytes.fromhex(e["valid_map"]) == entry[2:66]
        assert (e["source"] == "journal") == (e["segno"] in raw.sit_journal)
    logs = {e["segno"] for e in show("--logs")["logs"]}
    used = show("--sit")["sit"]
    assert [e["segno"] for e in used] == [e["segno"] for e in every if e["valid_blocks"] or e["segno"] in logs]


def test_ssa_names_the_owner_of_every_valid_block(show, raw):
    """By the other way round: every node's footer, every slot of every inode and direct node."""
    owners = {}
    for nid, (_, ino, addr) in raw.nodes().items():
        if nid > 2:
            owners[addr] = nid
    data = {}
    for entry in show("--ssa")["ssa"]:
        if entry["kind"] == "node":
            assert owners.pop(entry["block_addr"]) == entry["nid"]
        else:
            data[entry["block_addr"]] = entry
    assert not owners
    valid = sum(e["valid_blocks"] for e in show("--sit")["sit"])
    assert valid == len(data) + len(raw.nodes()) - 2
    for addr in sorted(data)[::97]:
        node = raw.block(raw.nat(data[addr]["nid"])[2])
        start = 0
        if struct.unpack_from("<I", node, 4072)[0] == struct.unpack_from("<I", node, 4076)[0]:
            start = 360 + struct.unpack_from("<H", node, 360)[0]
        assert struct.unpack_from("<I", node, start + 4 * data[addr]["ofs_in_node"])[0] == addr


def test_journals(show, run_tool, tmp_path):
    """A fresh volume has its nodes and logs in the journals, and nothing in the tables."""
    image = tmp_path / "fresh.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,quota", image, "64M")
    raw = volumes.Raw(image)
    assert raw.nat_journal and raw.sit_journal
    got = show("--journals", image=image)["journals"]
    assert {e["nid"]: (e["version"], e["ino"], e["block_addr"]) for e in got["nat"]} == raw.nat_journal
    assert {e["segno"]: e["valid_map"] for e in got["sit"]} == {k: v[2:66].hex() for k, v in raw.sit_journal.items()}


def test_cat(run_tool, planted):
    image, tree = planted
    for path, contents in tree.items():
        if isinstance(contents, bytes):
            done = run_tool("dump.f2fs", "--cat=/" + os.fsdecode(path), image)
            assert done.stdout == contents, path
    assert run_tool("dump.f2fs", "--cat=/link", image).stdout == tree[b"sub/deeper/leaf"]
    both = run_tool("dump.f2fs", "--cat=hello.txt", "--cat=/medium", image).stdout
    assert both == tree[b"hello.txt"] + tree[b"medium"]


def raw_name(entry, name="name"):
    return bytes.fromhex(entry[name + "_hex"]) if name + "_hex" in entry else entry[name].encode()


def test_ls(show, run_tool, planted):
    image, tree = planted
    for top in (b"", b"sub", b"sub/deeper"):
        entries = show("--ls=/" + top.decode())["ls"][0]["entries"]
        expected = {p[len(top):].lstrip(b"/"): v for p, v in tree.items() if os.path.dirname(p) == top}
        got = {raw_name(e): e for e in entries}
        assert set(got) - {b".", b"..", b"lost+found"} == set(expected)
        assert {b".", b".."} <= set(got)
        for name, what in expected.items():
            kind = "directory" if what is None else "symlink" if isinstance(what, str) else "regular"
            assert got[name]["type"] == kind and got[name]["mode"][0] == {"d": "d", "s": "l", "r": "-"}[kind[0]]
            if isinstance(what, bytes):
                assert got[name]["size"] == len(what)
            if isinstance(what, str):
                assert got[name]["target"] == what
    text = run_tool("dump.f2fs", "--ls", image).stdout.decode()
    assert "link -> sub/deeper/leaf" in text and "control\\x1b[31m" in text and "not \\xff utf-8" in text
    one = show("--ls=/hello.txt")["ls"][0]["entries"]
    assert [e["size"] for e in one] == [6]


def test_tree(show, run_tool, planted):
    image, tree = planted
    got = show("--tree")["tree"][0]
    paths = {raw_name(e, "path") for e in got["entries"]}
    assert paths == {b"/" + p for p in tree} | {b"/lost+found"}
    assert got["directories"] == 3 and got["files"] == len(tree) - 2
    assert {raw_name(e, "path") for e in show("--tree=/sub/deeper")["tree"][0]["entries"]} == {b"/sub/deeper/leaf"}
    lines = run_tool("dump.f2fs", "--tree", image).stdout.decode().splitlines()
    assert lines[0] == "/" and len(lines) == len(paths) + 1
    assert sum(line.startswith("`-- ") for line in lines) == 1


def test_inode_by_number_and_path(show, raw):
    by_path = show("--inode=/sub/deeper/leaf")["inode"][0]
    by_number = show("--inode=%d" % by_path["ino"])["inode"][0]
    assert {k: v for k, v in by_path.items() if k != "argument"} == \
           {k: v for k, v in by_number.items() if k != "argument"}
    block = raw.block(by_path["nat"]["block_addr"])
    assert by_path["i_mode"] == struct.unpack_from("<H", block)[0]
    assert by_path["i_size"] == 160 and by_path["i_links"] == 1
    assert by_path["i_name"] == "leaf" and by_path["path"] == "/sub/deeper/leaf"
    assert by_path["extra"]["i_inode_checksum"] == struct.unpack_from("<I", block, 368)[0]
    assert by_path["footer"]["nid"] == by_path["ino"]


def test_map_points_at_the_contents(show, raw, planted):
    _, tree = planted
    for path in (b"big", b"medium", b"sub/sparse"):
        contents = tree[path].ljust(-(-len(tree[path]) // 4096) * 4096, b"\0")
        at = 0
        for e in show("--map=/" + path.decode())["map"][0]["extents"]:
            assert e["file_block"] == at
            part = contents[at * 4096:(at + e["count"]) * 4096]
            if e["kind"] == "data":
                assert raw.block(e["addr"], e["count"])[:len(part)] == part
            else:
                assert e["kind"] == "hole" and not any(part)
            at += e["count"]
        assert at * 4096 == len(contents)


def test_node_kinds(show, raw):
    nodes = show("--map=/big")["map"][0]["nodes"]
    kinds = {}
    for n in nodes:
        assert raw.nat(n["nid"])[2] == n["addr"]
        got = show("--node=%d" % n["nid"])["node"][0]
        assert got["node_offset"] == n["node_offset"]
        kinds.setdefault(got["kind"], []).append(got)
    assert set(kinds) == {"inode", "direct"}
    slots = [s["addr"] for n in kinds["inode"] + kinds["direct"] for s in n["slots"]]
    extents = show("--map=/big")["map"][0]["extents"]
    assert sorted(slots) == sorted(a for e in extents for a in range(e["addr"], e["addr"] + e["count"]))


def test_block_identity(show, raw):
    e = show("--map=/big")["map"][0]["extents"][0]
    got = show("--block=%d" % (e["addr"] + 7))["block"][0]
    assert (got["area"], got["kind"], got["path"]) == ("main", "data", "/big")
    assert (got["is_valid"], got["is_owned"], got["file_block"]) == (True, True, e["file_block"] + 7)
    assert got["file_offset"] == got["file_block"] * 4096
    ino = got["ino"]
    node = show("--block=%#x" % raw.nat(ino)[2])["block"][0]
    assert (node["kind"], node["nid"], node["ino"], node["path"]) == ("node", ino, ino, "/big")
    sb = raw.sb
    for addr, expected in ((1, {"area": "superblock"}), (sb["cp_blkaddr"] + 513, {"pack": 2, "pack_block": 1}),
                           (sb["nat_blkaddr"] + 512 + 2, {"copy": 1, "first_nid": 910, "last_nid": 1364}),
                           (sb["sit_blkaddr"], {"copy": 0, "first_segno": 0}),
                           (sb["ssa_blkaddr"] + 5, {"first_segno": 5, "last_segno": 5})):
        got = show("--block=%d" % addr)["block"][0]
        assert {k: got.get(k) for k in expected} == expected, addr


def test_hexdump(show, run_tool, raw, planted):
    addr = raw.sb["cp_blkaddr"]
    got = show("--hexdump=%d~%d" % (addr, addr + 2))["hexdump"][0]["blocks"]
    assert [bytes.fromhex(b["bytes"]) for b in got] == [raw.block(addr), raw.block(addr + 1)]
    text = run_tool("dump.f2fs", "--hexdump=%d" % addr, planted[0]).stdout.decode().splitlines()
    assert text[0].startswith("%010x  %02x %02x" % (addr * 4096, *raw.block(addr)[:2]))


def test_history_holds_the_current_copy(show, raw):
    copies = show("--history=3")["history"][0]["copies"]
    assert [c["block_addr"] for c in copies if c["is_current"]] == [raw.nat(3)[2]]
    assert all(c["footer"]["nid"] == 3 for c in copies)


def test_history_finds_an_old_copy(show, damaged, planted):
    """A copy of the root's block put into a free block of a node segment."""
    path, raw = damaged
    log = next(e for e in show("--logs")["logs"] if e["type"] == "HOT_NODE")
    block = bytearray(raw.block(raw.nat(3)[2]))
    struct.pack_into("<Q", block, 16, 12345)
    volumes.patch(path, (log["next_block"] + 3) * 4096, bytes(block))
    copies = show("--history=3", image=path)["history"][0]["copies"]
    old = [c for c in copies if not c["is_current"]]
    assert (old[-1]["block_addr"], old[-1]["i_size"]) == (log["next_block"] + 3, 12345)


def test_stat_adds_up(show, planted):
    _, tree = planted
    got = show("--stat", "--sit", "--info")
    stat = got["stat"]
    assert stat["segments"]["all"] == got["info"]["segments"]
    assert stat["segments"]["free"] == got["info"]["free_segments"]
    assert sum(t["valid_blocks"] for t in stat["segments_by_type"]) == sum(s["valid_blocks"] for s in got["sit"])
    assert sum(t["segments"] for t in stat["segments_by_type"]) == len(got["sit"])
    assert stat["inodes"]["regular"] == sum(isinstance(v, bytes) for v in tree.values())
    assert stat["inodes"]["directory"] == 4 and stat["inodes"]["symlink"] == 1
    assert stat["inodes"]["file_bytes"] == sum(len(v) for v in tree.values() if isinstance(v, bytes))
    assert sum(v for k, v in stat["inodes"].items() if k in ("regular", "directory", "symlink")) == \
        got["info"]["valid_inodes"]


def test_fragmentation(show):
    got = show("--fragmentation", "--map=/big")
    files = {f["path"]: f for f in got["fragmentation"][0]["files"]}
    extents = [e for e in got["map"][0]["extents"] if e["kind"] == "data"]
    runs = 1 + sum(a["addr"] + a["count"] != b["addr"] for a, b in zip(extents, extents[1:]))
    assert files["/big"]["extents"] == runs and files["/big"]["blocks"] == sum(e["count"] for e in extents)
    assert got["fragmentation"][0]["all"]["files"] == len(files)


def test_offset_of_a_partition(show, planted, tmp_path):
    disk = tmp_path / "disk.img"
    with open(disk, "wb") as f:
        f.write(b"\x55" * volumes.MIB)
        f.write(planted[0].read_bytes())
        f.write(b"\xaa" * 12345)
    whole, part = show("--info", "--ls"), show("--offset=1M", "--info", "--ls", image=disk)
    assert show("--offset=2048s", "--ls", image=disk)["ls"] == whole["ls"] == part["ls"]
    assert part["info"]["uuid"] == whole["info"]["uuid"]


def test_android_sparse_image(show, planted, tmp_path):
    """The same volume as a sparse image: raw, fill and don't-care chunks."""
    data = planted[0].read_bytes()
    chunks, at = [], 0
    blocks = [data[i:i + 4096] for i in range(0, len(data), 4096)]
    while at < len(blocks):
        start = at
        is_zero = not any(blocks[at])
        while at < len(blocks) and (not any(blocks[at])) == is_zero:
            at += 1
        if is_zero and start % 2:
            chunks.append(struct.pack("<HHII", 0xCAC2, 0, at - start, 16) + bytes(4))
        elif is_zero:
            chunks.append(struct.pack("<HHII", 0xCAC3, 0, at - start, 12))
        else:
            raw = b"".join(blocks[start:at])
            chunks.append(struct.pack("<HHII", 0xCAC1, 0, at - start, 12 + len(raw)) + raw)
    sparse = tmp_path / "sparse.img"
    sparse.write_bytes(struct.pack("<IHHHHIIII", 0xED26FF3A, 1, 0, 28, 12, 4096, len(blocks), len(chunks), 0) + b"".join(chunks))
    assert show("--ls", "--nat", image=sparse)["nat"] == show("--nat")["nat"]
    assert show("-S", "--ls", image=sparse)["ls"] == show("--ls")["ls"]


def test_choice_of_the_pack(show, damaged):
    """The same pack, a version older, as the other one."""
    path, raw = damaged
    cp = bytearray(raw.cp)
    struct.pack_into("<Q", cp, 0, raw.version - 1)
    struct.pack_into("<I", cp, 4092, volumes.crc(bytes(cp[:4092])))
    here, there = (raw.sb["cp_blkaddr"] + 512 * i for i in (raw.pack - 1, 2 - raw.pack))
    pack = bytearray(raw.block(here, 512))
    pack[:4096] = pack[(raw.total - 1) * 4096:raw.total * 4096] = cp
    volumes.patch(path, there * 4096, bytes(pack))
    current, other = show("--checkpoint", image=path), show("--pack=%d" % (3 - raw.pack), "--checkpoint", "--ls", image=path)
    assert (current["checkpoint"]["pack"], current["checkpoint"]["checkpoint_ver"]) == (raw.pack, raw.version)
    assert (other["checkpoint"]["pack"], other["checkpoint"]["checkpoint_ver"]) == (3 - raw.pack, raw.version - 1)
    assert other["ls"] == show("--ls")["ls"]


def test_several_devices(run_tool, tmp_path):
    """They have to be given; with --trust-devices they are found beside the image by name."""
    disks = [tmp_path / ("disk%d.img" % i) for i in range(3)]
    for disk, size in zip(disks, (100, 61, 70)):
        with open(disk, "wb") as f:
            f.truncate(size << 20)
    run_tool("mkfs.f2fs", "-q", "-f", "-c", disks[1], "-c", disks[2], disks[0])
    info = json.loads(run_tool("dump.f2fs", "--trust-devices", "--json", "--superblock", disks[0]).stdout)["superblock"]
    assert [d["path"] for d in info["devs"]] == [str(d) for d in disks]
    moved = tmp_path / "elsewhere"
    moved.mkdir()
    for disk in disks:
        os.rename(disk, moved / disk.name)
    disks = [moved / d.name for d in disks]
    assert b"." in run_tool("dump.f2fs", "--trust-devices", "--ls", disks[0]).stdout
    assert b"--device" in run_tool("dump.f2fs", "--ls", disks[0], rc=8).stderr
    os.rename(disks[2], moved / "renamed.img")
    done = run_tool("dump.f2fs", "--trust-devices", "--ls", disks[0], rc=8)
    assert b"disk2.img" in done.stderr and b"--device" in done.stderr
    run_tool("dump.f2fs", "--device", disks[1], "--device", moved / "renamed.img", "--ls", disks[0])
    assert run_tool("dump.f2fs", "--device", disks[1], "--ls", disks[0], rc=8).stderr


def test_memory_is_bounded_on_a_large_volume(run_tool, tool, tmp_path):
    """4 TiB with hardly anything in it, and 128 MiB of address space, libraries included."""
    if "ASAN_OPTIONS" in os.environ:
        pytest.skip("the sanitizer takes terabytes of address space")
    image = tmp_path / "huge.img"
    run_tool("mkfs.f2fs", "-q", image, "4T")
    for view in ("--nat", "--sit", "--stat", "--ssa"):
        done = subprocess.run(["sh", "-c", 'ulimit -v 131072; exec "$0" "$@"', tool("dump.f2fs"), "--json", view, image],
                              capture_output=True)
        assert done.returncode == 0, "%s: %s" % (view, done.stderr)
        json.loads(done.stdout)


def test_limits_of_a_volume(run_tool, tmp_path):
    """Use is shown beside capacity: node ids of the NAT, blocks below node ids."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    info = json.loads(run_tool("dump.f2fs", "--json", "--info", image).stdout)["info"]
    sb = json.loads(run_tool("dump.f2fs", "--json", "--superblock=0", image).stdout)["superblock"]
    assert info["max_nodes"] == sb["segment_count_nat"] // 2 * 512 * 455 - 3
    assert info["max_file_bytes"] == 1018 * (2 + 2 * 1018 + 1018 * 1018) * 4096
