# SPDX-License-Identifier: LGPL-2.1-or-later
"""check(): reports as objects, repair, abilities of a callback."""
import io

import pytest


@pytest.fixture
def wrong(f2fskit):
    """A writable device of a volume whose /file has a wrong number of links."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, checkpoint_version=7, time=0)
    with f2fskit.open(device, "r+") as volume:
        volume.path("/file").write_bytes(b"contents")
    spoil(f2fskit, device)
    yield device
    device.close()


def spoil(f2fskit, device):
    """Give the inode of /file three links."""
    with f2fskit.open(device) as volume:
        entry = volume.nat[volume.path("/file").stat().st_ino]
        offset = entry.block_addr * volume.geometry.block_size + f2fskit.structs["inode"].fields["i_links"].offset
    device.write(offset, (3).to_bytes(4, "little"))


def names(report):
    return [problem.name for problem in report.problems if problem.severity]


def test_report(f2fskit, wrong):
    report = f2fskit.check(wrong)
    assert report.state == f2fskit.CheckState.LEFT and not report.is_sound
    assert names(report) == ["LINKS_FILE"] and report.found == report.left == 1 and report.fixed == 0
    problem = report.problems[-1]
    assert (problem.id, problem.found, problem.expected, problem.path) == (604, 3, 1, "/file")
    assert problem.block is None and problem.ino and problem.severity == f2fskit.Severity.STALE
    assert report.files == 1 and report.directories == 1 and report.hard_links == 0


def test_table(f2fskit):
    assert len({info.id for info in f2fskit.problems}) == len(f2fskit.problems) > 80
    assert [info.id for info in f2fskit.problems] == sorted(info.id for info in f2fskit.problems)
    assert all(info.message and info.fix and info.explanation for info in f2fskit.problems)


def test_repair(f2fskit, wrong):
    before = wrong.read(0, wrong.size)
    report = f2fskit.check(wrong, dry_run=True)
    assert report.is_sound and report.fixed == 1 and wrong.read(0, wrong.size) == before
    report = f2fskit.check(wrong, repair=True)
    assert report.state == f2fskit.CheckState.REPAIRED and (report.found, report.fixed, report.left) == (1, 1, 0)
    report = f2fskit.check(wrong)
    assert report.state == f2fskit.CheckState.SOUND and not names(report)
    with f2fskit.open(wrong) as volume:
        assert volume.read_bytes("/file") == b"contents" and volume.path("/file").stat().st_nlink == 1


def test_undo(f2fskit, wrong, tmp_path):
    before = wrong.read(0, wrong.size)
    assert f2fskit.check(wrong, repair=True, undo=tmp_path / "undo").fixed == 1
    assert wrong.read(0, wrong.size) != before
    wrong.play_undo(tmp_path / "undo")
    assert wrong.read(0, wrong.size) == before


def test_callback(f2fskit, wrong):
    found = []
    report = f2fskit.check(wrong, on_problem=found.append)
    assert not report.problems and [p.name for p in found if p.severity] == ["LINKS_FILE"]
    before = wrong.read(0, wrong.size)
    with pytest.raises(ZeroDivisionError):
        f2fskit.check(wrong, repair=True, on_problem=lambda problem: 1 / 0)
    assert wrong.read(0, wrong.size) == before


def test_sources(f2fskit, wrong, tmp_path):
    image = bytearray(wrong.read(0, wrong.size))
    assert f2fskit.check(io.BytesIO(bytes(image))).found == 1
    assert f2fskit.check(image, repair=True).fixed == 1
    path = tmp_path / "image"
    path.write_bytes(image)
    assert f2fskit.check(path).is_sound
    (tmp_path / "disk").write_bytes(bytes(1 << 20) + image)
    assert f2fskit.check(tmp_path / "disk", offset=1 << 20).is_sound
    with pytest.raises(f2fskit.ReadOnlyError):
        f2fskit.check(f2fskit.Device.open(path), repair=True)
    with pytest.raises(f2fskit.NotF2fsError):
        f2fskit.check(memoryview(bytes(1 << 20)))


def test_what_was_fsynced_is_recovered_first(f2fskit):
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, checkpoint_version=7, time=0)
    volume = f2fskit.open(device, "r+")
    volume.path("/file").write_bytes(b"old")
    volume.commit()
    volume.path("/file").write_bytes(b"contents that are new")
    volume.path("/file").inode().fsync()
    volume.close()
    assert f2fskit.check(device).pending > 0
    spoil(f2fskit, device)
    report = f2fskit.check(device, repair=True)
    assert report.recovered_nodes > 0 and report.recovered_inodes == 1 and report.is_sound
    with f2fskit.open(device) as volume:
        assert volume.read_bytes("/file") == b"contents that are new"
    report = f2fskit.check(device)
    assert report.pending == 0 and report.state == f2fskit.CheckState.SOUND
    device.close()


@pytest.fixture(scope="module")
def replaced(f2fskit):
    """(device, inode): a file of two names. After the last checkpoint one name was given to a new file, which was fsynced."""
    device = f2fskit.Device.memory(64 << 20)
    f2fskit.mkfs(device, checkpoint_version=7, time=0)
    volume = f2fskit.open(device, "r+")
    volume.path("/one").write_bytes(b"contents")
    volume.path("/two").hardlink_to(volume.path("/one"))
    volume.commit()
    number, made = volume.lookup("/one").number, volume.root.create("new")
    made.fsync()
    after = device.fork()
    made.close()
    volume.close()
    with f2fskit.open(after) as volume:
        node, = volume.recovery_plan().nodes
    name = after.read(node.addr * 4096, 4096).index(b"new")
    after.write(node.addr * 4096 + name, b"one")
    return after, number


@pytest.mark.parametrize("links", [0, 1, 2, 5, 1 << 31])
def test_a_recovery_counts_names(f2fskit, replaced, links):
    """A recovery that takes one of two names away deletes no file, and leaves none without a name, whatever i_links says."""
    device, number = replaced[0].overlay(), replaced[1]
    with f2fskit.fields(device, "r+") as fields:
        fields["inode[%d].i_links" % number] = links
    said, done = f2fskit.check(device), f2fskit.check(device, repair=True)
    assert [problem.name for problem in said.problems] == ["CP_PENDING"] + ["LINKS_FILE"] * (links != 2)
    assert [problem.name for problem in done.problems] == [problem.name for problem in said.problems]
    assert done.recovered_nodes == 1 and done.is_sound
    with f2fskit.open(device) as volume:
        assert sorted(path for path, _ in volume.scan("/")) == ["/one", "/two"]
        assert volume.read_bytes("/two") == b"contents" and volume.lookup("/two").stat().st_nlink == 1
    assert f2fskit.check(device).state == f2fskit.CheckState.SOUND
