# SPDX-License-Identifier: LGPL-2.1-or-later
"""resize.f2fs and f2fskit.resize(): sizes up and down, refusals, files that grow and are cut."""
import hashlib
import json
import os
import re
import subprocess

import pytest

MIB = 1 << 20
SIZE = 512 * MIB
FILES = 120


def contents(i):
    return hashlib.shake_128(b"%d" % i).digest(i * 7919 % 300000 + 1)


def fill(f2fskit, image):
    with f2fskit.open(image, "r+") as volume:
        volume.path("/d").mkdir()
        for i in range(FILES):
            volume.path(f"/d/{i}").write_bytes(contents(i))
    with f2fskit.open(image, "r+") as volume:
        for i in range(0, FILES, 4):
            volume.path(f"/d/{i}").unlink()


def must_hold(f2fskit, image):
    with f2fskit.open(image) as volume:
        assert {path.name for path in volume.path("/d").iterdir()} == {str(i) for i in range(FILES) if i % 4}
        for i in range(FILES):
            assert i % 4 == 0 or volume.read_bytes(f"/d/{i}") == contents(i), i


@pytest.fixture
def make(run_tool, f2fskit, tmp_path):
    def make(*options, size=SIZE):
        image = tmp_path / "disk.img"
        run_tool("mkfs.f2fs", "-q", "-f", *options, image, size, "-w", 1)
        fill(f2fskit, image)
        return image
    return make


@pytest.fixture
def resize(run_tool):
    def resize(image, *options, rc=0):
        done = run_tool("resize.f2fs", "--json", image, *options, rc=rc)
        return json.loads(done.stdout) if rc == 0 else done.stderr.decode()
    return resize


END = ("new_bytes", "new_segments", "new_user_blocks", "old_user_blocks", "spare_segments")
WALK = ("400M", "1G", "3G", "2600M", "min", "5G", "64G", "40G")


@pytest.mark.parametrize("options", ["", "-s 4", "-s 2 -z 3", "-i", "-b 16384", "-b 16384 -O packed_ssa",
                                     "-O extra_attr,inode_checksum,sb_checksum,quota,lost_found"])
def test_up_and_down(make, resize, f2fskit, peer_check, options):
    image = make(*options.split())
    seen = set()
    for size in WALK:
        told = resize(image, "-n", size)
        found = resize(image, size)
        assert [told[name] for name in END] == [found[name] for name in END]
        seen |= {step["kind"] for step in found["steps"]}
        assert f2fskit.check(image).found == 0, size
        if "16384" not in options:
            peer_check(image)
        must_hold(f2fskit, image)
        again = resize(image, size)
        assert again["steps"] == [] and again["new_bytes"] == found["new_bytes"] <= os.path.getsize(image)
    assert seen >= {"shrink", "relayout", "reduce"}


def test_node_ids_never_get_fewer(make, resize, f2fskit):
    """The formula of mkfs gives a volume of 2 TiB fewer node ids than one of 128 GiB."""
    image = make(size=128 << 30)
    with f2fskit.open(image) as volume:
        before = volume.geometry
    resize(image, "2T")
    with f2fskit.open(image) as volume:
        after = volume.geometry
        assert after.max_nid >= before.max_nid and after.segment_count_sit > before.segment_count_sit
        assert before.cp_payload == 0 < after.cp_payload  # the bitmaps no longer fit into one block
    assert f2fskit.check(image).found == 0
    must_hold(f2fskit, image)


def test_cost_follows_what_is_used(run_tool, resize, tmp_path):
    image = tmp_path / "empty.img"
    run_tool("mkfs.f2fs", "-q", image, "64G")
    assert resize(image, "4T")["area_bytes"] < MIB
    assert os.stat(image).st_blocks * 512 < 8 * MIB


def test_words(make, run_tool, resize):
    image = make()
    shown = run_tool("resize.f2fs", "-n", image, "2G").stdout.decode()
    assert "step 1: write larger areas" in shown and "would be resized from 536870912 bytes" in shown
    assert os.path.getsize(image) == SIZE
    least = int(run_tool("resize.f2fs", "--min-size", image).stdout)
    assert 40 * MIB < least < 128 * MIB
    assert "takes none" in resize(image, "--min-size", "-t", "64M", rc=1)
    assert "takes none" in resize(image, "--min-size", "64M", rc=1)
    why = resize(image, "30M", rc=1)
    assert f"the smallest size is {least}" in why
    assert "too large" in resize(image, "17T", rc=1) and os.path.getsize(image) == SIZE
    assert "is not a size" in resize(image, "12q", rc=1) and "no device given" in run_tool("resize.f2fs", rc=1).stderr.decode()
    assert "two sizes" in resize(image, "-t", "100000", "1G", rc=1)
    assert "nothing to resize" in run_tool("resize.f2fs", image).stdout.decode()
    assert "resized from" in run_tool("resize.f2fs", "-t", 819200, image).stdout.decode()  # sectors
    assert resize(image)["new_bytes"] == SIZE  # fills the file


def test_minimum_and_truncate(make, resize, f2fskit, peer_check):
    image = make()
    least = resize(image, "min", "--truncate")
    assert os.path.getsize(image) == least["new_bytes"] == least["minimum_bytes"]
    peer_check(image)
    must_hold(f2fskit, image)
    # a full volume has no room for larger areas at once: it grows in stages
    grown = resize(image, "32G")
    assert [step["kind"] for step in grown["steps"]].count("relayout") >= 1
    peer_check(image)
    must_hold(f2fskit, image)


def test_overprovision(make, resize, f2fskit, peer_check):
    image = make()
    before = resize(image)["new_user_blocks"]
    told = resize(image, "-n", "-o", "40")["new_user_blocks"]
    assert resize(image, "-o", "40")["new_user_blocks"] == told < before
    assert resize(image, "-n", "-o", "40")["new_user_blocks"] == told  # nothing to do
    with f2fskit.open(image) as volume:
        assert volume.geometry.segment_count == SIZE // (2 * MIB) - 1
    peer_check(image)
    assert "cannot hold" in resize(image, "-o", "99", rc=1)
    assert resize(image, "-o", "20", "600M")["new_segments"] == 299
    before = image.read_bytes()
    assert "cannot hold" in resize(image, "-o", "99", "700M", rc=1)  # before anything is written
    assert image.read_bytes() == before
    must_hold(f2fskit, image)


def test_pinned_files_are_named(make, run_tool, resize, f2fskit):
    image = make()
    with f2fskit.open(image, "r+") as volume:
        for i in range(40):
            volume.path(f"/fill{i}").write_bytes(bytes(4 * MIB))
        volume.path("/d/pinned").write_bytes(contents(5))
    run_tool("f2fs", "-w", image, "pin", "/d/pinned")
    with f2fskit.open(image, "r+") as volume:
        for i in range(40):
            volume.path(f"/fill{i}").unlink()
    before = image.read_bytes()
    why = resize(image, "min", rc=1)
    assert "/d/pinned" in why and "its file is pinned" in why
    assert image.read_bytes() == before


def test_unclean_and_unfit(make, run_tool, resize, f2fskit, tmp_path):
    image = make()
    with f2fskit.open(image, "r+") as volume:
        inode = volume.path("/d/1").inode()
        with inode.open("r+b") as f:
            f.write(b"new")
        inode.fsync()
        volume.rollback()
    assert "--recover" in resize(image, "1G", rc=1) and os.path.getsize(image) in (SIZE, 1 << 30)
    resize(image, "1G", "--recover")
    with f2fskit.open(image) as volume:
        assert volume.read_bytes("/d/1")[:3] == b"new"
    assert f2fskit.check(image).found == 0
    read_only = tmp_path / "ro.img"
    run_tool("mkfs.f2fs", "-q", "-O", "ro", read_only, "64M")
    assert "read-only volumes" in resize(read_only, "128M", rc=1)
    nothing = tmp_path / "nothing.img"
    nothing.write_bytes(bytes(MIB))
    assert "not an F2FS volume" in resize(nothing, "64M", rc=1) and os.path.getsize(nothing) == MIB


def test_a_file_cut_short(make, run_tool, resize, f2fskit, peer_check):
    """The space after the end of the file is not in use here: shrinking makes the volume whole."""
    image = make()
    with f2fskit.open(image) as volume:
        last = max(i for i in range(volume.geometry.segment_count_main) if volume.sit[i].valid_blocks)
        end = (volume.geometry.main_blkaddr + (last + 1) * 512) * 4096
    os.truncate(image, max(end, 300 * MIB))
    why = resize(image, rc=1)
    assert "there are only" in why and "with -s" in why
    assert resize(image, "-s")["new_bytes"] <= os.path.getsize(image)
    peer_check(image)
    assert f2fskit.check(image).found == 0
    must_hold(f2fskit, image)


def test_a_file_cut_too_short(make, resize, f2fskit):
    """Losses are reported; nothing is written."""
    image = make()
    with f2fskit.open(image, "r+") as volume:
        for i in range(40):
            volume.path(f"/fill{i}").write_bytes(bytes(4 * MIB))
    with f2fskit.open(image) as volume:
        last = max(i for i in range(volume.geometry.segment_count_main) if volume.sit[i].valid_blocks)
        end = (volume.geometry.main_blkaddr + last * 512) * 4096
    os.truncate(image, end)
    before = image.read_bytes()
    why = resize(image, "-s", rc=1)
    assert re.search(r"section \d+ cannot be emptied: block \d+, of node \d+, inode \d+, /\w+.*past the end of the device", why)
    assert image.read_bytes() == before


def test_interrupted_between_the_hops(make, run_tool, f2fskit, peer_check, tmp_path):
    image = make()
    os.truncate(image, 64 << 30)
    with pytest.raises(f2fskit.CanceledError):
        f2fskit.resize(image, 64 << 30, progress=lambda report: report.phase == "home")
    with f2fskit.open(image) as volume:
        assert volume.geometry.segment0_blkaddr > 512 * 50
    peer_check(image)
    must_hold(f2fskit, image)
    assert [p.name for p in f2fskit.check(image).problems] == ["RESIZE_HOP"]
    other = tmp_path / "other.img"
    subprocess.run(["cp", "--sparse=always", image, other], check=True)
    with f2fskit.open(other) as volume:
        before = volume.geometry
    assert b"at its start again" not in run_tool("fsck.f2fs", "-n", "-f", other).stdout
    assert b"at its start again" in run_tool("fsck.f2fs", "-y", other).stdout
    with f2fskit.open(other) as volume:  # as large as before, and the space in front is used again
        geo = volume.geometry
        assert geo.end_blkaddr == before.end_blkaddr and geo.segment0_blkaddr == 512 < before.segment0_blkaddr
        assert geo.segment_count_main >= before.segment_count_main
    assert not f2fskit.check(other).problems
    peer_check(other)
    must_hold(f2fskit, other)
    plan = f2fskit.resize(image, 1 << 30, dry_run=True)
    assert plan.steps[0].kind == f2fskit.ResizeKind.HOME
    found = f2fskit.resize(image, 64 << 30)
    assert [step.kind for step in found.steps] == [f2fskit.ResizeKind.HOME] and found.new_bytes == 64 << 30
    peer_check(image)
    must_hold(f2fskit, image)


def test_a_run_that_fails_leaves_the_file_as_long(make, f2fskit):
    image = make()
    for size in (1 << 30, 64 << 30):
        with pytest.raises(f2fskit.CanceledError):
            f2fskit.resize(image, size, progress=lambda report: report.task == "resize")
        assert os.path.getsize(image) == SIZE
    with pytest.raises(f2fskit.CanceledError):  # the areas are elsewhere by then, but the volume ends at the same place
        f2fskit.resize(image, 64 << 30, progress=lambda report: report.phase == "home")
    assert os.path.getsize(image) == SIZE
    must_hold(f2fskit, image)
    assert f2fskit.resize(image, 64 << 30).new_bytes == os.path.getsize(image) == 64 << 30


def test_estimate(make, run_tool, resize, f2fskit):
    image = make()
    with f2fskit.open(image, "r+") as volume:
        for i in range(20):
            volume.path(f"/fill{i}").write_bytes(bytes([i + 1]) * (4 * MIB))
    plan = resize(image, "--estimate", "min")
    assert plan["blocks_to_move"] > 0 and plan["estimated_ms"] > 0
    assert "about %d commits" % plan["estimated_commits"] in run_tool("resize.f2fs", "--estimate", image, "min").stdout.decode()
    done = resize(image, "min")
    assert done["moved_blocks"] >= plan["blocks_to_move"] and abs(done["commits"] - plan["estimated_commits"]) <= 2
    assert resize(image, "--estimate")["estimated_commits"] == 2  # growing within the room of the areas


def test_no_block_of_the_tail_moves_twice(f2fskit):
    device = f2fskit.Device.memory(400 * MIB)
    f2fskit.mkfs(device)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/ballast").write_bytes(bytes(180 * MIB))
        for i in range(1, 200):
            volume.path(f"/{i}").write_bytes(contents(i))
        volume.commit()
        volume.path("/ballast").unlink()
    used = f2fskit.resize(device, 200 * MIB, dry_run=True).blocks_to_move
    done = f2fskit.resize(device, 200 * MIB)
    # some nodes move with the blocks that they point to
    assert 2000 < used * 9 // 10 < done.moved_blocks <= used
    with f2fskit.open(device) as volume:
        assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(1, 200))
    assert f2fskit.check(device).found == 0


@pytest.mark.parametrize("options", ["", "-s 4", "-i -O extra_attr,quota"])
def test_minimum_anew(make, run_tool, f2fskit, tmp_path, options):
    """A new volume of that size holds the same, as one that was shrunk does."""
    image, fresh = make(*options.split()), tmp_path / "fresh.img"
    in_place, anew = f2fskit.resize_minimum(image)
    assert in_place == f2fskit.resize(image, dry_run=True).minimum_bytes and anew <= in_place
    run_tool("mkfs.f2fs", "-q", *options.split(), fresh, anew, "-w", 1)
    with f2fskit.open(fresh, "r+") as volume:
        volume.configure(commit_when_full=True)
        volume.path("/d").mkdir()
        for i in range(FILES):
            if i % 4:
                volume.path(f"/d/{i}").write_bytes(contents(i))
    must_hold(f2fskit, fresh)
    assert f2fskit.check(fresh).found == 0


def test_several_devices(run_tool, f2fskit, tmp_path):
    """The last device grows and shrinks; the areas on the first one grow with it."""
    first, second = tmp_path / "first.img", tmp_path / "second.img"
    for path in (first, second):
        path.write_bytes(b"")
        os.truncate(path, 256 * MIB)
    run_tool("mkfs.f2fs", "-q", "-f", "-c", second, first)
    more = {"devices": [str(second)]}
    with f2fskit.open(first, "r+", **more) as volume:
        for i in range(FILES):
            volume.path(f"/{i}").write_bytes(contents(i))

    def must_be(size):
        assert f2fskit.check(first, **more).found == 0, size
        with f2fskit.open(first, **more) as volume:
            assert all(volume.read_bytes(f"/{i}") == contents(i) for i in range(FILES))

    for size in (200, 256, 8000, 100):
        os.truncate(second, max(os.path.getsize(second), size * MIB))
        found = f2fskit.resize(first, size * MIB, **more)
        assert found.new_bytes == size * MIB
        must_be(size)
    with pytest.raises(f2fskit.UnsupportedError, match="keeps all of its devices"):
        f2fskit.resize(first, 1 * MIB, **more)
    with pytest.raises(f2fskit.RangeError):
        f2fskit.resize(first, 9000 * MIB, **more)
    with pytest.raises(f2fskit.UnsupportedError, match="the first device is too small"):
        f2fskit.resize(first, 900 << 30, **more)


def test_the_least_overprovision_again(run_tool, f2fskit, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "256M")
    run_tool("resize.f2fs", "-o", "0", path)
    with f2fskit.open(path) as volume:
        least = volume.checkpoint.overprov_segment_count
    run_tool("resize.f2fs", "-o", "80", path)
    with f2fskit.open(path) as volume:
        assert volume.checkpoint.overprov_segment_count > 2 * least
    run_tool("resize.f2fs", "-o", "0", path)
    assert b"nothing to resize" in run_tool("resize.f2fs", "-o", "0", path).stdout
    with f2fskit.open(path) as volume:
        assert volume.checkpoint.overprov_segment_count == least
    assert not f2fskit.check(path).problems
