# SPDX-License-Identifier: LGPL-2.1-or-later
"""An image that ends before its volume does. Without a repair the finding says so first, nothing is written, and what is
there comes out. A repair gives up what lay behind the end, file by file, and makes it a clean volume again: a file becomes as
long as it was, on anything else the volume shrinks to what is there."""
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
    """(bytes, contents, blocks): a volume, what is in it, and which block of the volume each block of a file is."""
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
    for round_ in range(3):  # holes everywhere, and what is new in them
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
    """Every block that was there, of every file whose inode was; lost is no more than what was told."""
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
def test_it_is_told_and_nothing_is_written(f2fskit, run_tool, whole, tmp_path, size):
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
    except f2fskit.NospcError as why:  # what is left fills what is there
        assert size <= 60 and ("too small for what is in use" in str(why) or "no segment is free" in str(why))
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
    """With 20 MiB the file must become longer first: what the repair writes is recorded all the same."""
    path, undo = tmp_path / "disk.img", tmp_path / "undo"
    path.write_bytes(whole[0][:size * MIB])
    before = path.read_bytes()
    run_tool("fsck.f2fs", "-y", "--undo", undo, path, rc=1)
    assert path.stat().st_size == SIZE
    with open(path, "ab") as file:
        file.write(b"more")
    assert b"made for a device of" in run_tool("fsck.f2fs", "--rollback", undo, path, rc=8).stderr
    os.truncate(path, SIZE)
    assert b"long again" in run_tool("fsck.f2fs", "--rollback", undo, path).stdout
    assert path.read_bytes() == before
