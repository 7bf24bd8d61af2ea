# SPDX-License-Identifier: LGPL-2.1-or-later
"""Putting volumes in order: each order's promise, budgets, rehearsals, stops, damage, and ranges as f2fs-tools move them."""
import json
import os
import random
import re
import shutil
import subprocess

import pytest

FEATURES = "extra_attr,inode_checksum,compression,quota,verity"
SEED = 5


def contents(i, blocks):
    return b"".join(bytes([i & 255, k & 255, 7]) * 1365 + b"x" for k in range(blocks))


def grow_by_turns(f2fskit, image, percent):
    """Fill a volume with files that grow by turns; {path: contents}."""
    expected = {}
    chance = random.Random(SEED)
    with f2fskit.open(image, "r+") as volume:
        left = volume.statfs().user_blocks * percent // 100 - volume.statfs().valid_blocks
        sizes = []
        while left > 0:
            sizes.append(chance.choice((1, 3, 20, 40, 90)))
            left -= sizes[-1] + 2
        for d in range(4):
            volume.path(f"/d{d}").mkdir()
        for d in range(4):
            volume.path(f"/d{d}/entries").mkdir()
            for k in range(120):
                volume.path(f"/d{d}/entries/{'n' * 100}{k}").touch()
        at = [0] * len(sizes)
        while any(done < size for done, size in zip(at, sizes)):
            for i in chance.sample(range(len(sizes)), len(sizes)):
                n = min(sizes[i] - at[i], 16)
                if n > 0:
                    path = f"/d{i % 4}/f{i}"
                    piece = contents(i, sizes[i])[at[i] * 4096:(at[i] + n) * 4096]
                    with volume.path(path).open("ab") as file:
                        file.write(piece)
                    at[i] += n
                    expected[path] = contents(i, sizes[i])
            volume.commit()
    return expected


@pytest.fixture(scope="module")
def aged(run_tool, f2fskit, tmp_path_factory):
    """(image, contents by path): a volume that is nine tenths full."""
    image = tmp_path_factory.mktemp("defrag") / "aged.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "128M")
    return image, grow_by_turns(f2fskit, image, 90)


@pytest.fixture
def copy(aged, tmp_path):
    image = tmp_path / "disk.img"
    shutil.copy(aged[0], image)
    return image


@pytest.fixture
def must_be_sound(f2fskit, peer_check, aged):
    def check(image):
        found = f2fskit.check(image)
        assert found.found == 0
        peer_check(image)
        with f2fskit.open(image) as volume:
            for path, data in aged[1].items():
                assert volume.read_bytes(path) == data, path
            for path in volume.path("/").iterdir():
                if path.is_dir():
                    assert len(list((path / "entries").iterdir())) == 120
    return check


def defrag(run_tool, image, *options, rc=0):
    done = run_tool("defrag.f2fs", "--json", *options, image, rc=rc)
    return json.loads(done.stdout) if rc == 0 else done


@pytest.mark.parametrize("order", ["score", "tree", "age"])
def test_files_come_into_one_piece(run_tool, f2fskit, copy, must_be_sound, order):
    would = defrag(run_tool, copy, f"--order={order}", "--dry-run")
    before = copy.read_bytes()
    assert would["before"]["broken_files"] > 40 and would["dry_run"]
    assert copy.read_bytes() == before
    found = defrag(run_tool, copy, f"--order={order}")
    assert {**found, "dry_run": True} == would
    assert found["end"] == "done" and found["after"]["broken_files"] == 0
    assert found["unconfirmed"] == found["unreadable"] == 0
    assert found["after"]["requests"] == found["after"]["ideal_requests"] < found["before"]["requests"]
    must_be_sound(copy)
    again = defrag(run_tool, copy, f"--order={order}")
    moved = again["blocks_placed"] + again["blocks_cleared"]
    # files in order stay, except those put after an obstacle
    assert moved * 50 <= found["blocks_placed"]
    with f2fskit.open(copy) as volume:
        sums = volume.fragmentation()
    assert sums.broken == 0 and sums.free_sections == again["after"]["free_sections"]


@pytest.mark.parametrize("order", ["score", "tree", "age"])
def test_with_room_no_block_moves_more_than_twice(run_tool, f2fskit, tmp_path, order):
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "160M")
    grow_by_turns(f2fskit, image, 70)
    found = defrag(run_tool, image, f"--order={order}")
    assert found["before"]["broken_files"] > 40 and found["after"]["broken_files"] == 0
    assert found["most_moves"] <= 2 and found["blocks_often"] == 0 < found["blocks_placed"]
    assert f2fskit.check(image).found == 0


def test_by_age(run_tool, f2fskit, copy, aged, must_be_sound):
    """The last modified files come first, in classes. Moving does not change ages, so a run after a stop continues."""
    paths = sorted(aged[1])
    random.Random(3).shuffle(paths)
    with f2fskit.open(copy, "r+") as volume:
        for i, path in enumerate(paths):
            volume.path(path).utime((1_600_000_000_000_000_000 - i, 1_600_000_000_000_000_000 - i * 1000))
    moved = []
    for _ in range(40):
        found = defrag(run_tool, copy, "--order=age", "--budget=6000")
        moved.append(found["blocks_placed"])
        if found["end"] == "done":
            break
    assert len(moved) >= 3 and found["end"] == "done" and found["after"]["broken_files"] == 0
    assert sum(moved) <= 1.2 * sum(len(data) // 4096 for data in aged[1].values())
    with f2fskit.open(copy) as volume:
        main = volume.geometry.main_blkaddr
        addresses = [volume.lookup(path).block_addr(0) for path in paths]
        types = [int(volume.sit[(addr - main) // 512].type) for addr in addresses]
    rising = sum(a < b for a, b in zip(addresses, addresses[1:]))
    assert rising >= 0.9 * (len(addresses) - 1)
    assert sum(a <= b for a, b in zip(types, types[1:])) >= 0.9 * (len(types) - 1) and set(types) == {0, 1, 2}
    must_be_sound(copy)


def test_every_kind_of_contents_is_placed(run_tool, f2fskit, tmp_path):
    """Compressed clusters, a sealed file with its tree, links, directories, the files of quotas, contents in inodes."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, image, "128M")
    text = b"".join(b"line %d of a text that can be made smaller\n" % i for i in range(30000))
    noise = random.Random(4).randbytes(70 * 4096)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/packed").mkdir()
        volume.lookup("/packed").compress("lz4")
        for path in ("/packed/text", "/plain", "/sealed"):
            volume.path(path).touch()
        for at in range(0, len(text), 65536):
            for path, source in (("/packed/text", text), ("/plain", text), ("/sealed", noise)):
                with volume.path(path).open("ab") as file:
                    file.write(source[at:at + 65536])
            volume.path(f"/n{at}{'x' * 150}").touch()
            volume.commit()
        volume.lookup("/sealed").enable_verity()
        volume.path("/link").symlink_to("y" * 3900)
        volume.path("/small").write_bytes(b"in the inode")
        for k in range(300):
            volume.path(f"/entry{k}{'z' * 200}").touch()
        volume.commit()
        digest = volume.lookup("/sealed").verity
        before = {file.path or file.ino: file for file in volume.fragmentation().by_file}
    assert before["/sealed"].fragments > 2 and before["/plain"].fragments > 2
    assert before["/packed/text"].extents > 20, "of clusters"
    found = defrag(run_tool, image, "--order=tree")
    assert found["end"] == "done" and found["after"]["broken_files"] == 0
    with f2fskit.open(image) as volume:
        after = {file.path or file.ino: file for file in volume.fragmentation().by_file}
        where = {}
        for name, file in after.items():
            where[name] = [extent.addr for extent in volume.inode(file.ino).extents() if extent.addr]
        assert volume.read_bytes("/packed/text") == volume.read_bytes("/plain") == text
        assert volume.read_bytes("/sealed") == noise and volume.lookup("/sealed").verity == digest
        assert volume.lookup("/link").readlink() == "y" * 3900 and volume.read_bytes("/small") == b"in the inode"
        assert len(list(volume.path("/").iterdir())) == len(after) - 4, "but the root, what is below, and quotas"
    quotas = [name for name in after if isinstance(name, int)]
    assert len(quotas) == 2 and after["/small"].is_inline and after["/small"].blocks == 0
    for name in ("/", "/packed/text", "/plain", "/sealed", "/link", *quotas):
        assert after[name].blocks == before[name].blocks > 0 and after[name].fragments == 1, name
    assert after["/sealed"].blocks > 70, "with its tree"
    assert max(where["/"]) < min(where["/plain"]), "directories first"
    assert f2fskit.check(image, content=True).found == 0


def first_blocks(f2fskit, image, paths):
    with f2fskit.open(image) as volume:
        return [next(iter(volume.lookup(path).extents())).addr for path in paths]


def test_the_order_of_directories(run_tool, f2fskit, copy):
    defrag(run_tool, copy, "--order=tree")
    with f2fskit.open(copy) as volume:
        names = [path for path, entry in volume.scan("/d2") if entry.is_file() and volume.lookup(path).stat().st_size]
        found = volume.fragmentation()
    addresses = first_blocks(f2fskit, copy, names)
    # what fills the end of a run before an obstacle comes early; the rest rises
    rising = sum(a < b for a, b in zip(addresses, addresses[1:]))
    assert len(addresses) > 20 and rising >= 0.9 * (len(addresses) - 1)
    assert found.longest_run > 512


def test_an_access_list(run_tool, f2fskit, copy, aged, must_be_sound, tmp_path):
    long = sorted(path for path, data in aged[1].items() if len(data) == 90 * 4096)[:3]
    trace = tmp_path / "boot.trace"
    trace.write_text(f"# what a boot reads\n{long[2]}\n{long[0]} 40960 40960\n{long[1]} 0 4096\n{long[0]} 0 40960\n")
    found = defrag(run_tool, copy, f"--order={trace}")
    assert found["end"] == "done"
    with f2fskit.open(copy) as volume:
        get = [volume.lookup(path).block_addr for path in long]
        wanted = [get[2](i) for i in range(90)] + [get[0](i) for i in range(10, 20)] + [get[1](0)] + [
            get[0](i) for i in range(10)]
    steps = [b - a for a, b in zip(wanted, wanted[1:])]
    assert sum(step != 1 for step in steps) <= 1 and wanted == sorted(wanted)
    must_be_sound(copy)


def test_a_list_of_neighbours(run_tool, f2fskit, tmp_path):
    """Files in one section, near its start and whole, still get the order of the list. A second run moves nothing."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", image, "64M")
    with f2fskit.open(image, "r+") as volume:
        for i in range(5):
            volume.path(f"/f{i}").write_bytes(contents(i, 10))
    wanted = ["/f3", ("/f1", 8192, 12288), "/f0", "/f4", ("/f1", 0, 0), "/f2"]
    for is_again in (False, True):
        with f2fskit.open(image, "r+") as volume:
            found = volume.defrag("list", parts=wanted)
        assert found.blocks_placed == (0 if is_again else 50)
        with f2fskit.open(image) as volume:
            at = {i: [volume.lookup(f"/f{i}").block_addr(k) for k in range(10)] for i in range(5)}
            assert all(volume.read_bytes(f"/f{i}") == contents(i, 10) for i in range(5))
        row = at[3] + at[1][2:5] + at[0] + at[4] + at[1][:2] + at[1][5:] + at[2]
        assert row == list(range(row[0], row[0] + 50))
    assert f2fskit.check(image).found == 0


def test_free_space(run_tool, f2fskit, copy, must_be_sound):
    with f2fskit.open(copy, "r+") as volume:
        names = sorted(path for path, entry in volume.scan("/") if re.fullmatch(r"/d\d/f\d*[02468]", path))
        for path in names[::2]:
            volume.path(path).unlink()
    gone = set(names[::2])
    would = defrag(run_tool, copy, "--order=space", "-n")
    assert would["after"]["free_sections"] >= would["before"]["free_sections"] + 3
    goal = would["before"]["free_sections"] + 2
    part = defrag(run_tool, copy, "--order=space", f"--goal={goal}")
    assert part["end"] == "limit" and part["after"]["free_sections"] == goal
    found = defrag(run_tool, copy, "--order=space")
    assert found["after"]["free_sections"] == would["after"]["free_sections"] and found["end"] == "done"
    assert f2fskit.check(copy).found == 0
    with f2fskit.open(copy) as volume:
        partly = [entry for entry in volume.sit if 0 < entry.valid_blocks < 512 and entry.type < 3]
        logs = {volume.logs[i].segno for i in range(6)}
        partly = [entry.valid_blocks for entry in partly if entry.segno not in logs]
        # the emptiest remaining segment does not fit into the holes of the rest
        assert not partly or min(partly) > sum(512 - n for n in sorted(partly)[1:])
        assert gone and not any(volume.path(path).exists() for path in gone)


def test_paths_and_patterns(run_tool, f2fskit, copy, must_be_sound):
    with f2fskit.open(copy) as volume:
        before = volume.fragmentation()
    one = next(file for file in before.by_file if file.path and file.path.startswith("/d1/f") and file.fragments > 2)
    found = json.loads(run_tool("defrag.f2fs", "--json", copy, one.path).stdout)
    assert found["files"] == 1 and found["blocks_placed"] == one.blocks and found["blocks_cleared"] == 0
    found = defrag(run_tool, copy, "--include=f*7", "--include=/d2/**")
    with f2fskit.open(copy) as volume:
        after = volume.fragmentation()
    for file in after.by_file:
        if file.path and (re.search(r"/f[^/]*7$", file.path) or file.path.startswith("/d2/") or file.path == one.path):
            assert file.fragments <= 1, file.path
    assert 0 < after.broken < before.broken
    must_be_sound(copy)


@pytest.mark.parametrize("budget, blocks", [("3000", 3000), ("8MiB", 2048)])
def test_budgets_and_going_on(run_tool, copy, must_be_sound, budget, blocks):
    rounds = 0
    broken = []
    while rounds < 60:
        found = defrag(run_tool, copy, "--order=tree", f"--budget={budget}")
        rounds += 1
        broken.append(found["after"]["broken_files"])
        if found["end"] == "done":
            break
        assert found["end"] == "limit" and found["blocks_placed"] + found["blocks_cleared"] >= blocks
    assert 3 <= rounds < 60 and broken[-1] == 0
    must_be_sound(copy)


def test_stopping(f2fskit, copy, must_be_sound):
    for stop_at in (1, 900):
        with f2fskit.open(copy, "r+", progress=lambda p: p.task == "defrag" and p.done >= stop_at) as volume:
            with pytest.raises(f2fskit.CanceledError):
                volume.defrag("tree")
        must_be_sound(copy)
    with f2fskit.open(copy, "r+") as volume:
        volume.path("/new").write_text("waits")
        with pytest.raises(f2fskit.StateError):
            volume.defrag()
        with pytest.raises(f2fskit.StateError):
            volume.defrag(dry_run=True)
        volume.commit()
        assert volume.defrag("score", blocks=100).end == f2fskit.enums.DefragEnd.LIMIT
    with f2fskit.open(copy) as volume:
        with pytest.raises(f2fskit.ReadOnlyError):
            volume.defrag()
        with pytest.raises(ValueError):
            volume.defrag("best", dry_run=True)
        with pytest.raises(f2fskit.InvalidError):
            volume.defrag("list", dry_run=True)
        with pytest.raises(f2fskit.NotFoundError):
            volume.defrag(paths=["/nowhere"], dry_run=True)


def test_pinned_files_stay(run_tool, f2fskit, copy, must_be_sound):
    with f2fskit.open(copy) as volume:
        path = max((file for file in volume.fragmentation().by_file if file.path), key=lambda file: file.fragments).path
    run_tool("f2fs", "-w", copy, "pin", path)
    with f2fskit.open(copy) as volume:
        before = [tuple(extent) for extent in volume.lookup(path).extents()]
    found = defrag(run_tool, copy, "--order=tree")
    assert found["pinned"] >= 1 and found["after"]["broken_files"] <= 12
    with f2fskit.open(copy) as volume:
        assert [tuple(extent) for extent in volume.lookup(path).extents()] == before
    must_be_sound(copy)


@pytest.mark.parametrize("order", ["score", "tree"])
def test_pinned_files_move_when_asked(run_tool, f2fskit, copy, must_be_sound, order):
    with f2fskit.open(copy) as volume:
        found = sorted((file for file in volume.fragmentation().by_file if file.path and "/f" in file.path),
                       key=lambda file: file.fragments)
    paths = [file.path for file in found[-3:]]
    for path in paths:
        run_tool("f2fs", "-w", copy, "pin", path)
    would = defrag(run_tool, copy, f"--order={order}", "--move-pinned", "--dry-run")
    found = defrag(run_tool, copy, f"--order={order}", "--move-pinned")
    assert {**found, "dry_run": True} == would
    assert found["pinned"] == 0 and found["after"]["broken_files"] == 0
    with f2fskit.open(copy) as volume:
        main = volume.geometry.main_blkaddr
        for path in paths:
            inode = volume.lookup(path)
            blocks = [inode.block_addr(i) for i in range(inode.size // 4096)]
            assert inode.is_pinned and blocks == list(range(blocks[0], blocks[0] + len(blocks)))
            segment, at = divmod(blocks[0] - main, 512)
            assert at == 0 and volume.sit[segment].valid_blocks == len(blocks) and volume.sit[segment].type == 2
    must_be_sound(copy)


@pytest.mark.parametrize("order", ["score", "tree"])
@pytest.mark.parametrize("damage", [
    "ssa[{segment}][{offset}].nid 3",
    "ssa[{segment}][{offset}].version 77",
    "ssa[{segment}][{offset}].ofs_in_node 900",
    "nat[{ino}].version 9",
])
def test_what_is_not_confirmed_stays(run_tool, f2fskit, copy, aged, damage, order):
    with f2fskit.open(copy) as volume:
        logs = {volume.logs[i].segno for i in range(6)}
        main = volume.geometry.main_blkaddr
        file = next(file for file in volume.fragmentation().by_file if file.path and file.fragments > 2 and
                    (next(iter(volume.inode(file.ino).extents())).addr - main) // 512 not in logs)
        before = [tuple(extent) for extent in volume.inode(file.ino).extents()]
    segment, offset = divmod(before[0][2] - main, 512)
    run_tool("f2fs", "-w", copy, "set", *damage.format(segment=segment, offset=offset, ino=file.ino).split())
    done = run_tool("defrag.f2fs", "--json", f"--order={order}", copy)
    found = json.loads(done.stdout)
    assert found["unconfirmed"] >= 1 and found["files_placed"] > 10
    assert re.search(rb"(inode|section) \d+ is left alone: block \d+", done.stderr)
    with f2fskit.open(copy) as volume:
        assert [tuple(extent) for extent in volume.inode(file.ino).extents()][0] == before[0]
        for path, data in aged[1].items():
            assert volume.read_bytes(path) == data, path


# ---- ranges

def bits(volume, start, length):
    main = volume.geometry.main_blkaddr
    return sum((volume.sit[(at - main) // 512].valid_map[(at - main) % 512 // 8] >> (7 - (at - main) % 8)) & 1
               for at in range(start, start + length))


@pytest.mark.parametrize("left", [False, True])
def test_a_range_moves(run_tool, f2fskit, aged, copy, must_be_sound, left):
    with f2fskit.open(copy, "r+") as volume: # room at the end
        volume.defrag("tree")
    with f2fskit.open(copy) as volume:
        main, end = volume.geometry.main_blkaddr, volume.geometry.end_blkaddr
        logs = {volume.logs[i].segno for i in range(6)}
        free = [entry.segno for entry in volume.sit if not entry.valid_blocks and entry.segno not in logs]
        segno = next(entry.segno for entry in volume.sit if entry.valid_blocks > 400 and entry.type < 3 and
                     entry.segno not in logs)
        start, length = main + segno * 512 + 40, 300
        used = bits(volume, start, length)
    target = main + max(free) * 512 + 511 if left else main + min(free) * 512 + 5
    done = run_tool("defrag.f2fs", "-s", hex(start), "-l", str(length), "-t", str(target), *(["-i"] * left), copy)
    arrow = f"Info: Move [0x{start:x}-0x{start + length - 1:x}] -> 0x{target:x}\n"
    if start > target:
        arrow = f"Info: Move 0x{target:x} <- [0x{start:x}-0x{start + length - 1:x}]\n"
    assert done.stdout.decode().startswith(arrow) and f"{used} blocks moved" in done.stdout.decode()
    with f2fskit.open(copy) as volume:
        assert used > 0 and bits(volume, start, length) == 0
        assert bits(volume, target - 299 if left else target, 300) == 300
    must_be_sound(copy)


def test_nodes_move_with_a_range(run_tool, f2fskit, copy, must_be_sound):
    with f2fskit.open(copy, "r+") as volume:
        volume.defrag("tree")
    with f2fskit.open(copy) as volume:
        logs = {volume.logs[i].segno for i in range(6)}
        main = volume.geometry.main_blkaddr
        segno = next(entry.segno for entry in volume.sit if entry.valid_blocks > 20 and entry.type >= 3 and
                     entry.segno not in logs)
        free = [entry.segno for entry in volume.sit if not entry.valid_blocks and entry.segno not in logs]
        used = volume.sit[segno].valid_blocks
    target = main + max(free) * 512
    twin = copy.with_name("twin.img")
    shutil.copy(copy, twin)
    done = run_tool("defrag.f2fs", "-s", str(main + segno * 512), "-t", str(target), copy)
    with f2fskit.open(twin, "r+") as volume:
        found = volume.defrag_range(main + segno * 512, 512, target)
        assert found.moved == used and found.left == 0 and volume.sit[segno].valid_blocks == 0
        with pytest.raises(f2fskit.RangeError):
            volume.defrag_range(main, 512, main + 511)
    assert f2fskit.check(twin).found == 0 and b"%d blocks moved\n" % used in done.stdout
    with f2fskit.open(copy) as volume:
        assert volume.sit[segno].valid_blocks == 0 and volume.sit[max(free)].valid_blocks == used
        assert volume.sit[max(free)].type >= 3
    must_be_sound(copy)


@pytest.mark.parametrize("words", [("-s", "0"), ("-l", "0"), ("-t", "0"), ("-s", "0", "-l", "0x0", "-t", "0")])
def test_zero_is_the_default_of_a_range(run_tool, f2fskit, copy, tmp_path, words):
    """As with f2fs-tools, whose own words are compared where it is installed; help and manual page say so."""
    peer = shutil.which("defrag.f2fs", path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin")
    with f2fskit.open(copy) as volume:
        main = volume.geometry.main_blkaddr
    moves = b"Info: Move [0x%x-0x%x] -> 0x%x" % (main, main + 511, main + 512)
    twin = shutil.copy(copy, tmp_path / "twin.img")
    if peer:
        assert moves in subprocess.run([peer, *words, twin], capture_output=True, stdin=subprocess.DEVNULL).stdout
    assert moves in run_tool("defrag.f2fs", *words, copy).stdout
    said = run_tool("defrag.f2fs", "--help").stdout
    assert said.count(b"(0, default: ") == 3


@pytest.mark.parametrize("words, why", [
    (("-i",), b"apart, and in the main area"),
    (("-t", "99999999"), b"apart, and in the main area"),
    (("-s", "0x2000", "-t", "0x2001"), b"apart, and in the main area"),
    (("-s", "x"), b"-s"),
    (("-s", "1", "--order=tree"), b"no option for files"),
    (("--fragmentation", "--budget=3"), b"only look"),
    (("-s", "0x2000", "--move-pinned"), b"no option for files"),
    (("--order=best",), b"score, tree, age, space"),
    (("--order=./nowhere",), b"nowhere"),
    (("--budget=1h",), b"--budget"),
    (("--order=space", "--include=x"), b"--include"),
])
def test_wrong_usage(run_tool, copy, words, why):
    before = copy.read_bytes()
    assert why in run_tool("defrag.f2fs", *words, copy, rc=1).stderr
    assert copy.read_bytes() == before


def test_words(run_tool, copy):
    text = run_tool("defrag.f2fs", "-n", copy).stdout.decode()
    moved = re.match(r"would move (\d+) files to defragment (\d+): \d+ blocks into place, \d+ out of the way; ", text)
    assert moved and int(moved[1]) > int(moved[2])  # it is nearly full: others were in the way
    first = run_tool("defrag.f2fs", "-n", "--order=tree", copy).stdout.decode()
    moved = re.match(r"would move (\d+) of (\d+) files: \d+ blocks into place, \d+ out of the way; ", first)
    assert moved and int(moved[1]) <= int(moved[2])
    assert re.search(r"^files in more than one piece +\d+ -> 0$", text, re.M)


def test_volumes_that_cannot_be(run_tool, tmp_path):
    zoned = tmp_path / "ro.img"
    run_tool("mkfs.f2fs", "-q", "-O", "ro", zoned, "64M")
    assert b"read-only volume has no summaries" in run_tool("defrag.f2fs", zoned, rc=1).stderr


@pytest.mark.parametrize("how", ["path", "list"])
def test_a_file_that_stands_for_a_device_is_not_moved_by_name(f2fskit, how):
    context = f2fskit.Context()
    first, second = (f2fskit.Device.memory(64 << 20, context=context) for _ in range(2))
    f2fskit.mkfs(first, devices=[f2fskit.DeviceSpec(second, path="/dev/second", alias="whole")], overwrite=True)
    with f2fskit.open(first, "r+", devices=[second]) as volume:
        volume.path("/plain").write_bytes(contents(1, 10))
        volume.commit()
        extents = list(volume.lookup("/whole").extents())
        chosen = {"parts": ["/plain", "/whole"]} if how == "list" else {"paths": ["/plain", "/whole"]}
        with pytest.raises(f2fskit.UnsupportedError, match="/whole stands for a device"):
            volume.defrag("list" if how == "list" else "tree", move_pinned=True, **chosen)
        done = volume.defrag("tree", move_pinned=True)
        assert done.pinned == 1 and done.end.name == "DONE" and list(volume.lookup("/whole").extents()) == extents
        assert volume.read_bytes("/plain") == contents(1, 10)
    assert f2fskit.check(first, devices=[second]).found == 0
