# SPDX-License-Identifier: LGPL-2.1-or-later
"""An image that ends before its volume does. Without a repair the first finding says so, nothing is written, and the
existing files come out. A repair drops everything past the end, file by file, and makes the volume sound again. A file
becomes as long as it was; on any other device the volume shrinks."""
import json
import os
import pty
import random
import subprocess

import pytest

MIB = 1 << 20
SIZE = 128 * MIB
# of the image; the main area begins at 16 MiB
SIZES = [120, 75, 45, 20]


@pytest.fixture(scope="module")
def whole(f2fskit, tmp_path_factory):
    """(bytes, contents, blocks): a volume, its files, and the volume's block of each block of a file."""
    rng = random.Random(7)
    contents = {f"/dir-{i % 3}/{i}": rng.randbytes(rng.randrange(1, 1 << rng.randrange(10, 23))) for i in range(80)}
    device = f2fskit.Device.memory(SIZE)
    f2fskit.mkfs(device, features=["extra_attr", "quota", "compression", "lost_found", "inode_checksum"])
    with f2fskit.open(device, "r+") as volume:
        for i in range(3):
            volume.path(f"/dir-{i}").mkdir()
        volume.lookup("/dir-2").compress("lzo")
        contents = {path: data if "dir-2" not in path else data[:1000] * (len(data) // 1000) for path, data in contents.items()}
        for path, data in contents.items():
            volume.path(path).write_bytes(data)
            if rng.random() < 0.2:
                volume.commit()
        volume.path("/dir-1/note").write_bytes(b"x")
        volume.lookup("/dir-1/note").xattrs["user.large"] = b"v" * 3000
    for round_ in range(3):  # holes everywhere, with new data in them
        with f2fskit.open(device, "r+") as volume:
            volume.configure(logging="threaded")
            for path in rng.sample(sorted(contents), 12):
                volume.path(path).unlink()
            volume.commit()
            for path in sorted(contents):
                if not volume.path(path).exists():
                    volume.path(path).write_bytes(contents[path])
    with f2fskit.open(device) as volume:
        blocks = {path: {e.file_block + i: e.addr + i for e in volume.lookup(path).extents() for i in range(e.count)}
                  for path in contents}
    return device.read(0, SIZE), contents, blocks


def must_be_left(volume, whole, blocks_there, told):
    """Every remaining block of every file with an inode is there. The losses are no more than reported."""
    _, contents, blocks = whole
    for path, data in contents.items():
        if not volume.path(path).exists():
            assert path.split("/")[-1] in told["entries"] or path.rsplit("/", 1)[0] in told["paths"] or told["dirs"], path
            continue
        found = volume.read_bytes(path)
        assert len(found) == len(data)
        if found == data:
            assert path not in told["paths"]
            continue
        assert path in told["paths"] or volume.lookup(path).number in told["inodes"], path
        if path.startswith("/dir-2"):
            continue
        for i in range(0, len(data), 4096):
            if blocks[path].get(i // 4096, 0) < blocks_there:
                assert found[i:i + 4096] in (data[i:i + 4096], bytes(len(data[i:i + 4096]))), (path, i)


def told_in(report):
    found = [(p["name"], p["path"], p["entry"]) for p in report["problems"]]
    return {"paths": {path for name, path, _ in found if name == "FILE_CUT"},
            "inodes": {p["ino"] for p in report["problems"] if p["name"] == "FILE_CUT"},
            "entries": {entry for name, _, entry in found if name == "DENTRY_CUT"},
            "dirs": any(name in ("DIR_LOST", "FILE_LOST") or (name == "FILE_CUT" and "/" in path and path.count("/") == 1)
                        for name, path, _ in found)}


@pytest.mark.parametrize("size", [*SIZES, 15, 5, 1])
def test_it_is_reported_and_nothing_is_written(f2fskit, run_tool, whole, tmp_path, size):
    raw, contents, blocks = whole
    image, out = tmp_path / "short.img", tmp_path / "out"
    image.write_bytes(raw[:size * MIB])
    done = run_tool("fsck.f2fs", "-n", image, rc=4)
    told = [line for line in done.stdout.decode().splitlines() if "[ASSERT]" in line]
    assert "the image holds %d bytes, the volume needs %d" % (size * MIB, SIZE) in told[0], told
    if size in (75, 5):  # nobody has said that it is lost
        run_tool("fsck.f2fs", "--ask", image, rc=4, input=b"y\n" * 9999)
    assert image.read_bytes() == raw[:size * MIB]
    if size < 26:  # the main area begins at 16 MiB
        return
    run_tool("dump.f2fs", "--extract=%s" % out, image, rc=None)
    for path, data in contents.items():
        if max(blocks[path].values(), default=0) * 4096 < size * MIB and (out / path[1:]).exists():
            assert (out / path[1:]).read_bytes() == data


# -a is the same as -y: two sizes will do
@pytest.mark.parametrize("how,size", [*(("-y", size) for size in SIZES), ("-a", 75), ("-a", 20)])
def test_a_file_grows_back(f2fskit, run_tool, peer_check, whole, tmp_path, how, size):
    raw = whole[0]
    image = tmp_path / "short.img"
    image.write_bytes(raw[:size * MIB])
    report = json.loads(run_tool("fsck.f2fs", how, "--json", image, rc=1).stdout)
    assert report["problems"][0]["name"] == "DEVICE_SHORT" and report["state"] == "repaired"
    assert os.path.getsize(image) == SIZE and os.stat(image).st_blocks * 512 < (size + 24) * MIB
    peer_check(image)
    with f2fskit.open(image) as volume:
        must_be_left(volume, whole, size * 256, told_in(report))
    run_tool("fsck.f2fs", "-n", image)


@pytest.mark.parametrize("words,left", [(b"n\n", 75), (b"y\ny\n", 128), (b"y\nn\n", 75)])
def test_somebody_is_asked(f2fskit, tool, peer_check, whole, tmp_path, words, left):
    image = tmp_path / "short.img"
    image.write_bytes(whole[0][:75 * MIB])
    master, slave = pty.openpty()
    process = subprocess.Popen([tool("fsck.f2fs"), str(image)], stdin=slave, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    os.close(slave)
    os.write(master, words)
    text = process.communicate(timeout=300)[0]
    os.close(master)
    assert os.path.getsize(image) == left * MIB
    assert (b"Make the file as long as it was?" in text) == (words != b"n\n")
    if words == b"n\n":
        assert image.read_bytes() == whole[0][:75 * MIB] and process.returncode == 4
        return
    assert process.returncode == 1 and (b"75497472 bytes" in text or b"is 134217728 bytes long again" in text or b"takes" in text), text
    peer_check(image)
    with f2fskit.open(image) as volume:
        assert volume.geometry.end_blkaddr <= left * 256


def test_a_dry_run_changes_nothing(run_tool, whole, tmp_path):
    image = tmp_path / "short.img"
    image.write_bytes(whole[0][:60 * MIB])
    done = run_tool("fsck.f2fs", "--dry-run", image, rc=4)
    assert b"FILE_CUT" in done.stdout and image.read_bytes() == whole[0][:60 * MIB]


@pytest.mark.parametrize("size", [75, 15, 5])
def test_without_areas_there_is_nothing_to_keep(run_tool, whole, tmp_path, size):
    image = tmp_path / "short.img"
    image.write_bytes(whole[0][:size * MIB])
    run_tool("fsck.f2fs", "-y", image, rc=1 if size == 75 else 4)
    assert os.path.getsize(image) == (SIZE if size == 75 else size * MIB)


@pytest.mark.parametrize("size", SIZES)
def test_a_device_shrinks(f2fskit, peer_check, whole, tmp_path, size):
    """What fsck.f2fs does with a block device, on one that cannot become longer."""
    raw = whole[0]
    device = f2fskit.Device.memory(size * MIB)
    device.write(0, raw[:size * MIB])
    before = device.read(0, size * MIB)
    assert f2fskit.check(device, repair=True).fixed == 0 and device.read(0, size * MIB) == before
    try:
        report = f2fskit.check(device, repair=True, cut_at=size * MIB)
        assert {p.name for p in f2fskit.check(device).problems if p.severity} == {"DEVICE_SHORT"}
        done = f2fskit.resize(device)
    except f2fskit.NospcError as why:  # the rest fills the remaining space
        assert size <= 60 and ("too small for the blocks in use" in str(why) or "no segment is free" in str(why))
        return
    assert done.new_bytes <= size * MIB and f2fskit.check(device).found == 0
    image = tmp_path / "small.img"
    image.write_bytes(device.read(0, size * MIB))
    peer_check(image)
    told = told_in({"problems": [{"name": p.name, "path": p.path, "entry": p.entry, "ino": p.ino} for p in report.problems]})
    with f2fskit.open(image) as volume:
        must_be_left(volume, whole, size * 256, told)


@pytest.mark.parametrize("size", SIZES)
def test_a_rollback_gives_the_old_length_back(run_tool, whole, tmp_path, size):
    """With 20 MiB the file must become longer first: the writes of the repair are recorded all the same."""
    path, undo = tmp_path / "disk.img", tmp_path / "undo"
    path.write_bytes(whole[0][:size * MIB])
    before = path.read_bytes()
    run_tool("fsck.f2fs", "-y", "--undo", undo, path, rc=1)
    assert path.stat().st_size == SIZE
    with open(path, "ab") as file:
        file.write(b"more")
    assert b"made for a device of" in run_tool("fsck.f2fs", "--restore", undo, path, rc=8).stderr
    os.truncate(path, SIZE)
    assert b"long again" in run_tool("fsck.f2fs", "--restore", undo, path).stdout
    assert path.read_bytes() == before


@pytest.fixture(scope="module")
def moved(f2fskit, whole):
    """(bytes, root): the same volume once the root's node, and those of the newest files, are far from the start."""
    device = f2fskit.Device.memory(SIZE)
    device.write(0, whole[0])
    with f2fskit.open(device, "r+", now=1_700_000_000 * 10**9) as volume:
        volume.configure(logging="normal")
        for i in range(560):
            volume.path("/turn").write_bytes(b"%d" % i)
            volume.commit()
            volume.path("/turn").unlink()
        root = next(entry.block_addr for entry in volume.nat.used() if entry.nid == volume.root.number)
        assert root > volume.geometry.main_blkaddr + 2000
    return device.read(0, SIZE), root


def three_ways(run_tool, image):
    """[findings] and [fixes] of -n, --dry-run and -y, and the exit statuses; before -y nothing is written."""
    before, found, fixes, status = image.read_bytes(), [], [], []
    for mode in ("-n", "--dry-run", "-y"):
        assert image.read_bytes() == before
        done = run_tool("fsck.f2fs", mode, "-v", image, rc=None)
        lines = done.stdout.decode().splitlines()
        found.append([line for line in lines if line.startswith("[ASSERT]")])
        fixes.append([line for line in lines if line.startswith("[FIX]")])
        status.append(done.returncode)
    return found, fixes, status


def cuts(root):
    """In every area, at their borders, and around the root's node."""
    rng = random.Random(13)
    main = 16 * MIB // 4096
    return sorted({100, 513, 600, 1600, 2600, 3600, main - 1, main, main + 1, main + 30, main + 513, root - 200, root, root + 1,
                   root + 2, *(rng.randrange(main, SIZE // 4096) for _ in range(6))})


@pytest.mark.parametrize("number", range(20))
def test_one_run_settles(f2fskit, run_tool, moved, tmp_path, number):
    """Wherever an image was cut: -n, --dry-run and -y report the same, the first -y repairs all of it or nothing, and says why."""
    raw, root = moved
    places = cuts(root)
    if number >= len(places):
        return
    size, image = places[number] * 4096, tmp_path / "cut.img"
    image.write_bytes(raw[:size])
    found, fixes, status = three_ways(run_tool, image)
    assert found[0] == found[1] == found[2] and any("DEVICE_SHORT" in line for line in found[0])
    assert fixes[0] == [] and fixes[1] == fixes[2]
    if size <= 16 * MIB:
        assert status == [4, 4, 4] and fixes[2] == [] and image.read_bytes() == raw[:size]
        done = run_tool("fsck.f2fs", "-y", image, rc=4)
        assert size < 600 * 4096 or b"ends before the main area" in done.stdout
        return
    assert status == [4, 4, 1] and any("DEVICE_SHORT" in line for line in fixes[2]) and os.path.getsize(image) == SIZE
    after = image.read_bytes()
    done = run_tool("fsck.f2fs", "-y", image)
    assert b"0 problems" in done.stdout and image.read_bytes() == after


@pytest.mark.parametrize("which", ["node", "free"])
def test_what_cannot_be_read_is_not_what_is_cut(f2fskit, moved, which):
    """-y drops everything past the end. A block before it that cannot be read keeps all as it is, and no repair is
    announced, also where only a search for nodes reads that block."""
    raw, root = moved
    size = (root - 100) * 4096
    device = f2fskit.Device.memory(size)
    device.write(0, raw[:size])
    with f2fskit.open(device) as volume:
        used = {entry.block_addr for entry in volume.nat.used() if entry.nid > 3}
        main = volume.geometry.main_blkaddr
    bad = next(addr for node in sorted(used) if main < node < root - 1000 for addr in [node + (which == "free")]
               if (addr in used) == (which == "node") and addr % 512)
    faulty = device.fault()
    faulty.set(bad_offset=bad * 4096, bad_length=4096)
    report = f2fskit.check(faulty, repair=True, cut_at=size)
    assert report.found > 1 and report.fixed == 0 and not any(problem.is_chosen for problem in report.problems)
    assert device.read(0, size) == raw[:size]


def test_a_choice_gives_nothing_up(run_tool, moved, tmp_path):
    raw, root = moved
    image = tmp_path / "cut.img"
    image.write_bytes(raw[:root * 4096])
    done = run_tool("fsck.f2fs", "-y", "--except", "FILE_LOST", image, rc=4)
    assert b"-y drops everything past the end" in done.stdout and b"[FIX]" not in done.stdout
    assert image.read_bytes() == raw[:root * 4096]
