# SPDX-License-Identifier: LGPL-2.1-or-later
"""The report on fragmentation and the map of the segments, held against the tables themselves."""
import collections
import json
import re

import pytest

NULL, NEW, COMPRESS = 0, 0xFFFFFFFF, 0xFFFFFFFE
MAX_SVG = 200_000


@pytest.fixture(scope="module")
def scattered(run_tool, f2fskit, tmp_path_factory):
    """Files that grew in turns, one with holes, one never written in part, one with clusters, links, inline ones."""
    image = tmp_path_factory.mktemp("fragments") / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "extra_attr,compression,quota", image, "128M")
    with f2fskit.open(image, "r+") as volume:
        volume.path("/d").mkdir()
        volume.path("/d/below").mkdir()
        for turn in range(5):
            for i in range(8):
                with volume.path(f"/d/{i}").open("ab") as file:
                    file.write(bytes([i + turn]) * 4096 * (3 + 7 * i))
        volume.path("/d/below/holes").write_bytes(b"")
        with volume.path("/d/below/holes").open("r+b") as file:
            for at in (0, 1, 7, 300, 5000):
                file.seek(at * 4096)
                file.write(b"x" * 4096)
        volume.path("/d/below/reserved").write_bytes(b"y" * 9000)
        volume.lookup("/d/below/reserved").fallocate(8192, 40 * 4096)
        volume.path("/small").write_bytes(b"inline")
        volume.path("/name").hardlink_to("/d/3")
        volume.path("/link").symlink_to("x" * 3000)
    return image


def slots(inode):
    """(file block, slot) of everything up to the end that matters."""
    end = max((extent.file_block + extent.count for extent in inode.extents()), default=0)
    return [(i, inode.block_addr(i)) for i in range(end)]


def expected(inode, small_run=16, at_once=32):
    """(blocks, extents, fragments, small blocks, requests) by the words of the manual; the last two are blocks."""
    extents = requests = 0
    before = None
    runs = []
    last = window = None
    for i, slot in slots(inode):
        if slot in (NULL, NEW, COMPRESS):
            extents += slot == NEW and before != NEW
            before = slot
            continue
        extents += before in (None, NULL, NEW, COMPRESS) or slot != before + 1
        before = slot
        if last is None or slot != last + 1:
            runs.append(0)
            requests += 1
        elif window != i // at_once:
            requests += 1
        runs[-1] += 1
        last, window = slot, i // at_once
    small = sum(n for n in runs if n < small_run) if len(runs) > 1 else 0
    return sum(runs), extents, len(runs), small, requests


def test_files_are_as_their_slots_say(f2fskit, scattered):
    with f2fskit.open(scattered) as volume:
        found = volume.fragmentation()
        for file in found.by_file:
            inode = volume.inode(file.ino)
            if file.is_inline:
                assert (file.blocks, file.fragments) == (0, 0)
                continue
            assert tuple(file[i] for i in map(file._fields.index, (
                "blocks", "extents", "fragments", "small_blocks", "requests"))) == expected(inode), file.path
    by_path = {file.path: file for file in found.by_file}
    assert by_path["/d/7"].fragments >= 4 and by_path["/d/0"].small_blocks == 15
    assert by_path["/d/below/holes"].extents == 4 and by_path["/d/below/holes"].blocks == 5
    assert by_path["/d/below/reserved"].extents == 2
    assert by_path["/small"].is_inline and len([file for file in found.by_file if file.path is None]) == 2
    for name in ("blocks", "extents", "fragments", "small_blocks", "requests"):
        assert getattr(found, name) == sum(getattr(file, name) for file in found.by_file if file.blocks), name
    assert found.files == sum(file.blocks > 0 for file in found.by_file)
    assert found.broken == sum(file.fragments > 1 for file in found.by_file)


@pytest.mark.parametrize("small, read", [(4, 16), (40, 256), (1, 1)])
def test_other_readers(f2fskit, scattered, small, read):
    with f2fskit.open(scattered) as volume:
        found = volume.fragmentation(small_bytes=small * 4096, read_bytes=read * 4096)
        for file in found.by_file:
            if not file.is_inline:
                wanted = expected(volume.inode(file.ino), small, read)
                assert (file.blocks, file.small_blocks, file.requests) == (wanted[0], *wanted[3:]), file.path


def test_directories_are_sums(f2fskit, scattered):
    with f2fskit.open(scattered) as volume:
        found = volume.fragmentation()
        part = volume.fragmentation(["/d/below", "/d/1"])
    for directory in found.by_directory:
        below = [file for file in found.by_file if file.path and file.blocks and
                 (directory.path == "/" or file.path == directory.path or file.path.startswith(directory.path + "/"))]
        assert directory.files == len(below) and directory.fragments == sum(file.fragments for file in below)
    assert [directory.path for directory in found.by_directory] == ["/d/below", "/d", "/"]
    assert {file.path for file in part.by_file} == {"/d/below", "/d/below/holes", "/d/below/reserved", "/d/1"}
    assert part.free_blocks == found.free_blocks and part.blocks < found.blocks


def test_free_space_is_what_the_sit_leaves(f2fskit, scattered):
    with f2fskit.open(scattered) as volume:
        found = volume.fragmentation()
        bits = "".join(f"{byte:08b}" for entry in volume.sit for byte in entry.valid_map)
        logs = {volume.logs[i].segno for i in range(6)}
        used = [(entry.type, entry.valid_blocks) for entry in volume.sit if entry.valid_blocks]
        free = [entry.segno for entry in volume.sit if not entry.valid_blocks and entry.segno not in logs]
    runs = collections.Counter(len(run).bit_length() - 1 for run in re.findall("0+", bits))
    assert {row.shortest.bit_length() - 1: row.runs for row in found.run_lengths} == runs
    assert found.free_blocks == bits.count("0") == sum(row.blocks for row in found.run_lengths)
    assert found.longest_run == max(map(len, re.findall("0+", bits)))
    assert found.free_segments == found.free_sections == len(free)
    for row in found.segments:
        mine = [valid for kind, valid in used if kind == row.type]
        assert (row.segments, row.blocks, sum(row.by_use)) == (len(mine), sum(mine), len(mine))
        assert row.by_use == tuple(sum(valid * 10 // 512 == k for valid in mine) for k in range(11))


def test_text_and_json_say_the_same(run_tool, f2fskit, scattered):
    text = run_tool("defrag.f2fs", "--fragmentation", "--top=3", scattered).stdout.decode()
    found = json.loads(run_tool("defrag.f2fs", "--fragmentation", "--json", "--top=3", scattered).stdout)
    for name, value in re.findall(r"^(\w+) = ([\d.]+)$", text, re.M):
        assert float(value) == found[name], name
    assert found["broken_files"] >= 8 and len(found["worst_files"]) == 3
    assert [row["fragments"] for row in found["worst_files"]] == sorted(
        (row["fragments"] for row in found["worst_files"]), reverse=True)
    for row in found["worst_files"] + found["worst_directories"]:
        assert re.search(rf"^ +{row['fragments']} +{row['extents']} .* {re.escape(row['path'])}$", text, re.M)
    with f2fskit.open(scattered) as volume:
        sums = volume.fragmentation()
    assert found["fragments"] == sums.fragments and found["small_bytes"] == sums.small_blocks * 4096
    assert found["small_share"] == pytest.approx(sums.small_blocks / sums.blocks, abs=1e-4)
    assert json.loads(run_tool("defrag.f2fs", "--fragmentation", "--json", "--top=0", scattered, "/d/1").stdout)["files"] == 1


# ---- the map

def state(volume, entry, logs):
    """(type, level) of a segment, "free" or "log"."""
    if entry.valid_blocks == 0:
        return "log" if entry.segno in logs else "free"
    return int(entry.type), (entry.valid_blocks * 4 - 1) // 512


def decode(svg):
    """{cell: class} of a picture: what its strokes cover."""
    cells = {}
    for kind, strokes in re.findall(r'<path class="s(\d+)" stroke="[^"]+" d="([^"]*)"/>', svg):
        for x, y, n in re.findall(r"M(\d+) (\d+)h(\d+)", strokes):
            for i in range(int(n)):
                assert cells.setdefault((int(x) + i, int(y)), int(kind)) == int(kind)
    return cells


def test_the_picture_shows_the_sit(run_tool, f2fskit, scattered, tmp_path):
    run_tool("defrag.f2fs", f"--svg={tmp_path / 'map.svg'}", scattered)
    svg = (tmp_path / "map.svg").read_text()
    with f2fskit.open(scattered) as volume:
        assert volume.segment_map("svg") == svg
        logs = {volume.logs[i].segno for i in range(6)}
        states = [state(volume, entry, logs) for entry in volume.sit]
    numbers = {"free": 0, "log": 1}
    cells = decode(svg)
    assert len(cells) == len(states)
    for segno, found in enumerate(states):
        wanted = numbers[found] if isinstance(found, str) else 2 + found[0] * 4 + found[1]
        assert cells[segno % 128, segno // 128] == wanted, segno
    dots = {(int(x), int(y)) for x, y in re.findall(r'<circle cx="(\d+)\.5" cy="(\d+)" r="\.3"/>', svg)}
    assert dots == {(segno % 128, segno // 128) for segno in logs}
    assert f"free: {states.count('free')}<" in svg


def shown_colours(text):
    """Parse the map as a terminal does: for each cell the colour of its letter; None: the default."""
    cells, background = [], None
    for line in text.splitlines()[:-1]:
        line = line[line.index(" ", len(line) - len(line.lstrip())):].lstrip(" ") # after the address
        for escape, numbers, letter in re.findall(r"(\033\[([0-9;]*)m)|(?<!\033)([.*hwcHWC])", line):
            if escape:
                found = re.search(r"48;5;(\d+)", numbers)
                background = int(found[1]) if found else None
            else:
                cells.append(background)
        assert background is None, "each line ends with the usual colours"
    return cells


def test_letters_show_the_sit(run_tool, f2fskit, scattered):
    lines = run_tool("defrag.f2fs", "--segment-map", scattered).stdout.decode().splitlines()
    with f2fskit.open(scattered) as volume:
        logs = {volume.logs[i].segno for i in range(6)}
        wanted = "".join("*" if entry.segno in logs else "hwcHWC"[entry.type] if entry.valid_blocks else "."
                         for entry in volume.sit)
        coloured = volume.segment_map("colour")
        start = volume.geometry.main_blkaddr
        colours = shown_colours(coloured)
        states = [state(volume, entry, logs) for entry in volume.sit]
    assert "".join(line.split()[1] for line in lines[:-1]) == wanted
    # a colour of its own for each type and level of use; free segments and those of logs have none
    used = {found for found in states if not isinstance(found, str)}
    assert len(colours) == len(states) and len(used) >= 4
    assert all((colour is None) == isinstance(found, str) for colour, found in zip(colours, states))
    pairs = {(found, colour) for colour, found in zip(colours, states) if colour}
    assert len(pairs) == len(used) == len({colour for _, colour in pairs})
    assert int(lines[1].split()[0]) == start + 64 * 512 if len(lines) > 2 else True
    assert re.sub(r"\033\[[0-9;]*m", "", coloured).splitlines() == lines and "\033[0;38;5;" in coloured


def test_a_tebibyte_stays_small(run_tool, f2fskit, tmp_path):
    image = tmp_path / "large.img"
    run_tool("mkfs.f2fs", "-q", image, "1T")
    with f2fskit.open(image) as volume:
        svg = volume.segment_map("svg")
        cells = -(-volume.geometry.segment_count_main // -(-volume.geometry.segment_count_main // 8192))
    assert len(decode(svg)) == cells and len(svg) < MAX_SVG
    # the worst that can be: no two cells alike, 128 in a row, numbers as long as they get
    longest = len("M127 63h1") * 8192 + len('<circle cx="127.5" cy="63" r=".3"/>\n') * 6
    assert longest + len(svg) < MAX_SVG


@pytest.mark.parametrize("words, why", [
    (("--fragmentation",), b"no image"),
    ((), b"no image"),
    (("--json", "--segment-map", "x"), b"--fragmentation --json prints the use of segments"),
    (("--fragmentation", "--top=-1", "x"), b"--top"),
    (("--fragmentation", "--no-such", "x"), b"no-such"),
    (("--fragmentation", "/nonexistent/image"), b"nonexistent"),
])
def test_wrong_usage(run_tool, words, why):
    assert why in run_tool("defrag.f2fs", *words, rc=1).stderr


def test_missing_paths_and_full_outputs(run_tool, scattered):
    assert b"nowhere" in run_tool("defrag.f2fs", "--fragmentation", scattered, "/nowhere", rc=1).stderr
    assert run_tool("defrag.f2fs", "--svg=/dev/full", scattered, rc=1).stderr


def test_damaged_files_are_counted(run_tool, f2fskit, scattered, tmp_path):
    image = tmp_path / "damaged.img"
    image.write_bytes(scattered.read_bytes())
    with f2fskit.open(image) as volume:
        ino = volume.lookup("/d/1").number
    run_tool("f2fs", "-w", image, "set", f"inode[{ino}].footer.ino", "1")
    found = json.loads(run_tool("defrag.f2fs", "--fragmentation", "--json", image).stdout)
    assert found["unreadable"] == 1 and found["files"] >= 8
