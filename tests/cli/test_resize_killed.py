# SPDX-License-Identifier: LGPL-2.1-or-later
"""A resize that is killed at any of its writes: the findings of a check are known, the volume has all files and can be
written before any repair, and resizing again comes to the same size with the same numbers, also after a kernel's mount."""
import pytest

MIB = 1 << 20
# size, target, device
CASES = {"shrink": (120, 60, 120), "extend": (1000, 1018, 1030), "relayout": (200, 1500, 1500)}
ROOTS = {"CP_UNFINISHED", "SB_COPY", "SB_DIFFER"}  # of which one of two is half written


def contents(i):
    return bytes([i]) * (30000 + i * 500)


def make(f2fskit, name):
    size, _, whole = CASES[name]
    device = f2fskit.Device.memory(whole * MIB)
    f2fskit.mkfs(device, size * MIB)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/big").write_bytes(b"b" * (min(size, 200) // 4 * MIB))
        for i in range(20):
            volume.path(f"/f{i}").write_bytes(contents(i))
        volume.commit()
        volume.path("/big").unlink()
    return device


def findings(f2fskit, device):
    return {problem.name for problem in f2fskit.check(device).problems}


def must_hold(f2fskit, device, user_blocks=None):
    with f2fskit.open(device) as volume:
        assert all(volume.read_bytes(f"/f{i}") == contents(i) for i in range(20))
        assert user_blocks in (None, volume.statfs().user_blocks)
        return volume.statfs().user_blocks


@pytest.mark.parametrize("name", CASES)
def test_a_killed_one(f2fskit, name):
    target, seen = CASES[name][1] * MIB, set()
    whole = make(f2fskit, name)
    f2fskit.resize(whole, target)
    wanted = must_hold(f2fskit, whole)
    for point in range(1, 100, 3 if name == "relayout" else 1):
        device = make(f2fskit, name)
        faulty = device.fault()
        faulty.set(fail_write=point, sticky=True)
        try:
            f2fskit.resize(faulty, target)
            break
        except f2fskit.IoError:
            pass
        found = findings(f2fskit, device)
        seen |= found
        # the count of free segments is another size's only while the checkpoint says that a resize is under way
        assert found <= ROOTS | {"RESIZE_NUMBERS", "RESIZE_HOP", "CP_FREE_SEGMENTS"}
        assert "CP_FREE_SEGMENTS" not in found or "RESIZE_NUMBERS" in found
        must_hold(f2fskit, device)
        if point % 2:
            with f2fskit.open(device, "r+") as volume:
                volume.path("/new").write_bytes(b"new" * 9000)
            # a writer counts again; the rest says where to continue
            assert findings(f2fskit, device) == found - {"CP_UNFINISHED", "CP_FREE_SEGMENTS"}
        elif point % 4:
            f2fskit.check(device, repair=True)
            assert findings(f2fskit, device) <= {"RESIZE_HOP"}
        f2fskit.resize(device, target)
        assert findings(f2fskit, device) == set(), point
        must_hold(f2fskit, device, wanted)
    assert point > 10 and seen > ({"RESIZE_HOP"} if name == "relayout" else {"RESIZE_NUMBERS", "CP_FREE_SEGMENTS"})


def test_a_killed_one_that_a_kernel_mounted(f2fskit, run_tool, tmp_path):
    """A kernel counts for itself and takes the flag away, but not what users may have: resizing again gives it to them."""
    image, target = tmp_path / "disk.img", CASES["extend"][1] * MIB
    whole = make(f2fskit, "extend")
    f2fskit.resize(whole, target)
    wanted, less = must_hold(f2fskit, whole), 0
    for point in range(9, 16, 2):
        device = make(f2fskit, "extend")
        faulty = device.fault()
        faulty.set(fail_write=point, sticky=True)
        with pytest.raises(f2fskit.IoError):
            f2fskit.resize(faulty, target)
        with f2fskit.open(device, "r+") as volume:
            volume.path("/new").write_bytes(b"new")
        with f2fskit.open(device) as volume:
            if volume.geometry.segment_count * 2 * MIB < target - 4 * MIB:
                continue  # the old size
        with open(image, "wb") as file:
            for at in range(0, device.size, 2 * MIB):
                piece = device.read(at, 2 * MIB)
                if piece.count(0) < len(piece):
                    file.seek(at)
                    file.write(piece)
            file.truncate(device.size)
        run_tool("f2fs", "-w", image, "set", "cp.ckpt_flags", "-=resizefs")
        assert findings(f2fskit, image) <= ROOTS
        less += must_hold(f2fskit, image) < wanted
        f2fskit.resize(image, target)
        assert findings(f2fskit, image) == set()
        must_hold(f2fskit, image, wanted)
        assert not f2fskit.resize(image, target).steps
    assert less > 1
