# SPDX-License-Identifier: LGPL-2.1-or-later
"""The newer checkpoint pack is damaged, the older one beside it is whole: a repair brings back changes after the older one,
and deleted files stay deleted. A pack that a power cut left unfinished is no loss."""
import random
import shutil

import pytest

SEGMENT = 512


def fill(image, f2fskit, last):
    """Three commits: changes of the last one are what only the newer pack leads to."""
    rng = random.Random(1)
    contents = {"/kept/%d" % i: rng.randbytes(rng.randrange(20000)) for i in range(40)}
    f2fskit.mkfs(image, 64 << 20, features=["extra_attr", "inode_checksum"])
    for paths in ([p for p in contents][:20], [p for p in contents][20:]):
        with f2fskit.open(image, "r+") as volume:
            if not volume.path("/kept").exists():
                volume.path("/kept").mkdir()
            for path in paths:
                volume.path(path).write_bytes(contents[path])
    if not last:
        return contents
    with f2fskit.open(image, "r+") as volume:
        for i in range(10):
            volume.path("/kept/%d" % i).unlink()
            del contents["/kept/%d" % i]
        for i in range(10, 20):
            contents["/kept/%d" % i] = rng.randbytes(rng.randrange(20000))
            volume.path("/kept/%d" % i).write_bytes(contents["/kept/%d" % i])
        volume.path("/new").mkdir()
        for i in range(last):
            contents["/new/%d" % i] = rng.randbytes(rng.randrange(20000))
            volume.path("/new/%d" % i).write_bytes(contents["/new/%d" % i])
    return contents


def files(image, f2fskit):
    found = {}
    with f2fskit.open(image) as volume:
        for path, entry in volume.scan("/"):
            if entry.type.name == "REGULAR":
                found[path] = volume.inode(entry.ino).read_bytes()
    return found


def wipe(image, f2fskit, choose, is_newer=True, byte=b"\0"):
    """choose: from the blocks of the pack as it is, (first block, number of blocks)."""
    with f2fskit.open(image) as volume:
        pack = volume.checkpoint_pack if is_newer else 3 - volume.checkpoint_pack
        start, size = volume.geometry.cp_blkaddr + (pack - 1) * SEGMENT, volume.block_size
        first, count = choose(int(volume.checkpoint.cp_pack_total_block_count))
    with open(image, "r+b") as file:
        file.seek((start + first) * size)
        file.write(byte * (count * size))


CASES = {
    "first-block": (lambda blocks: (0, 1), b"\0"),
    "all": (lambda blocks: (0, SEGMENT), b"\0"),
    "noise": (lambda blocks: (0, SEGMENT), b"\xa5"),
    "all-but-the-last": (lambda blocks: (0, blocks - 1), b"\0"),
}


@pytest.mark.parametrize("new", [3, 400])
@pytest.mark.parametrize("name", CASES)
def test_newer_pack_is_lost(f2fskit, tmp_path, name, new):
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, new)
    wipe(image, f2fskit, CASES[name][0], byte=CASES[name][1])
    assert {"CP_LOST", "CP_PACK"} & {p.name for p in f2fskit.check(image).problems}
    with f2fskit.open(image, rescue=True) as volume:
        assert volume.path("/new/2").read_bytes() == contents["/new/2"]
    report = f2fskit.check(image, repair=True)
    assert report.left == 0 and f2fskit.check(image).found == 0
    after = files(image, f2fskit)
    assert {path: after.get(path) for path in contents} == contents
    # ids freed by few changes are in the lost journal alone: those files may come back, nothing else
    extra = after.keys() - contents.keys()
    assert all(path.startswith("/lost+found/") for path in extra) and len(extra) <= (10 if new == 3 else 0)


WRITERS = {
    "create": lambda volume: volume.path("/made").write_bytes(b"x"),
    "remove": lambda volume: volume.path("/kept/30").unlink(),
    "trim": lambda volume: volume.trim(),
    "defragment": lambda volume: volume.defrag(),
    "recover": lambda volume: volume.recover(),
}


def test_nobody_writes_over_what_the_newer_pack_led_to(f2fskit, tmp_path, run_tool):
    """Everything that makes a transaction is refused, with advice. Reading continues. The repair loses nothing."""
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, 40)
    wipe(image, f2fskit, *CASES["all"][:1], byte=CASES["all"][1])
    with open(image, "rb") as file:
        before = file.read()
    assert files(image, f2fskit)
    for name, change in WRITERS.items():
        with f2fskit.open(image, "r+") as volume, pytest.raises(f2fskit.StateError, match="newer checkpoint pack . is damaged"):
            change(volume)
    with pytest.raises(f2fskit.StateError):
        f2fskit.open(image, recover="apply")
    with pytest.raises(f2fskit.StateError):
        f2fskit.resize(image, 48 << 20)
    for command in (["f2fs", "-w", image, "rm", "/kept/30"], ["defrag.f2fs", image], ["sload.f2fs", "-f", tmp_path, image]):
        outcome = run_tool(*command, rc=None)
        assert outcome.returncode > 0 and b"check the volume first" in outcome.stderr, (command, outcome)
    with open(image, "rb") as file:
        assert file.read() == before
    assert f2fskit.check(image, repair=True).left == 0
    after = files(image, f2fskit)
    assert {path: after.get(path) for path in contents} == contents


def test_a_person_may_insist_on_the_older_pack(f2fskit, tmp_path):
    image = str(tmp_path / "disk.img")
    fill(image, f2fskit, 40)
    wipe(image, f2fskit, *CASES["all"][:1])
    with f2fskit.open(image, "r+", accept_unread=True) as volume:
        volume.path("/made").write_bytes(b"x")
    assert files(image, f2fskit)["/made"] == b"x" and f2fskit.check(image).found == 0


def test_whole_pack_that_says_what_cannot_be(f2fskit, tmp_path):
    """Its checksum is right, so nothing but its contents speaks against it: it is newer all the same."""
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, 40)
    with f2fskit.open(image) as volume:
        pack = volume.checkpoint_pack
    with f2fskit.fields(image, "r+") as fields:
        fields["cp[%d].cur_node_segno[0]" % pack] = 0xfffff
    with f2fskit.open(image, "r+") as volume:
        assert volume.checkpoint_pack != pack
        with pytest.raises(f2fskit.StateError):
            volume.path("/made").write_bytes(b"x")
    assert f2fskit.check(image, repair=True).left == 0
    after = files(image, f2fskit)
    assert {path: after.get(path) for path in contents} == contents


@pytest.mark.parametrize("name", CASES)
def test_older_pack_is_lost(f2fskit, tmp_path, name):
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, 40)
    wipe(image, f2fskit, CASES[name][0], is_newer=False, byte=CASES[name][1])
    assert {p.name for p in f2fskit.check(image).problems} == {"CP_PACK"}
    assert f2fskit.check(image, repair=True).left == 0
    assert files(image, f2fskit) == contents


def fsync(image, f2fskit, path, then="rollback"):
    """Change a file that is there; then the power is cut, or there is a commit, of more than that."""
    with f2fskit.open(image, "r+") as volume:
        with volume.path(path).open("r+b") as file:
            file.write(path.encode() * 900)
        volume.inode(volume.path(path).stat().st_ino).fsync()
        if then == "more":
            volume.path("/kept/30").chmod(0o600)
            volume.path("/kept/31").write_bytes(b"more" * 9000)
        if then == "rollback":
            volume.rollback()


def recover(image, f2fskit):
    with f2fskit.open(image, "r+") as volume:
        volume.recover()


FSYNCED = {
    "waits": lambda *at: fsync(*at, "/kept/20"),
    "committed": lambda *at: (fsync(*at, "/kept/20", "commit"), fsync(*at, "/kept/21")),
    "committed-with-more": lambda *at: fsync(*at, "/kept/20", "more"),
    "recovered": lambda *at: (fsync(*at, "/kept/20"), recover(*at)),
    "recovered-and-more": lambda *at: (fsync(*at, "/kept/20"), recover(*at), fsync(*at, "/kept/21")),
}


@pytest.mark.parametrize("is_newer", [False, True])
@pytest.mark.parametrize("name", FSYNCED)
def test_fsynced_and_a_pack_is_lost(f2fskit, tmp_path, name, is_newer):
    """Nodes that fsync wrote fit the newest pack: with the older one nothing is lost, and with the newer one nothing
    that came after their checkpoint is taken for them."""
    image = str(tmp_path / "disk.img")
    fill(image, f2fskit, 40)
    FSYNCED[name](image, f2fskit)
    shown = str(tmp_path / "shown.img")
    shutil.copy(image, shown)
    recover(shown, f2fskit)
    wanted = files(shown, f2fskit)
    wipe(image, f2fskit, CASES["all"][0], is_newer=is_newer)
    assert ("CP_LOST" in {p.name for p in f2fskit.check(image).problems}) == is_newer
    assert f2fskit.check(image, repair=True).left == 0 and f2fskit.check(image).found == 0
    after = files(image, f2fskit)
    assert {path: after.get(path) for path in wanted} == wanted


def test_unfinished_pack_is_no_loss(f2fskit, tmp_path):
    """Everything of the newer pack but its last block: as if power was lost before that was written."""
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, 0)
    with f2fskit.open(image, "r+") as volume:
        volume.path("/never-committed").write_bytes(b"x" * 10000)
    wipe(image, f2fskit, lambda blocks: (blocks - 1, 1))
    assert "CP_LOST" not in {p.name for p in f2fskit.check(image).problems}
    assert f2fskit.check(image, repair=True).left == 0
    assert files(image, f2fskit) == contents


@pytest.mark.parametrize("sectors", [1, 7])
def test_torn_pack_is_no_loss(f2fskit, tmp_path, sectors):
    """Of the first block of the newer pack only some sectors were written, the last block was not."""
    image = str(tmp_path / "disk.img")
    contents = fill(image, f2fskit, 0)
    with f2fskit.open(image, "r+") as volume:
        start = volume.geometry.cp_blkaddr + (2 - volume.checkpoint_pack) * SEGMENT
        with open(image, "rb") as file:
            file.seek(start * volume.block_size)
            before = file.read(volume.block_size)
        volume.path("/never-committed").write_bytes(b"x" * 10000)
    wipe(image, f2fskit, lambda blocks: (blocks - 1, 1))
    with open(image, "r+b") as file:
        file.seek(start * len(before) + sectors * 512)
        file.write(before[sectors * 512:])
    assert "CP_LOST" not in {p.name for p in f2fskit.check(image).problems}
    assert f2fskit.check(image, repair=True).left == 0
    assert files(image, f2fskit) == contents


def wipe_both(image, f2fskit):
    with f2fskit.open(image) as volume:
        start, size = volume.geometry.cp_blkaddr, volume.block_size
    with open(image, "r+b") as file:
        file.seek(start * size)
        file.write(b"\0" * (2 * SEGMENT * size))


def test_both_packs_are_lost(f2fskit, tmp_path):
    """The changes of the last commits were in the journals of the packs: the newest nodes count, not those of the SIT."""
    image = str(tmp_path / "disk.img")
    contents = {}
    f2fskit.mkfs(image, 128 << 20)
    for turn in range(4):
        with f2fskit.open(image, "r+") as volume:
            if turn < 2:  # enough segments that the SIT itself is written, to either copy
                contents["/large%d" % turn] = random.Random(turn).randbytes(20 << 20)
                volume.path("/large%d" % turn).write_bytes(contents["/large%d" % turn])
            for i in range(6 - turn):
                contents["/f%d" % i] = (b"%d %d" % (turn, i)) * 3000
                volume.path("/f%d" % i).write_bytes(contents["/f%d" % i])
    wipe_both(image, f2fskit)
    assert f2fskit.check(image, repair=True).left == 0 and f2fskit.check(image).found == 0
    after = files(image, f2fskit)
    assert {path: after.get(path) for path in contents} == contents


def test_nodes_of_a_volume_before_are_not_taken(f2fskit, tmp_path):
    """As above, and blocks of a volume with higher versions are there, too."""
    image = str(tmp_path / "disk.img")
    f2fskit.mkfs(image, 128 << 20, checkpoint_version=1 << 29)
    for count in (400, 5):
        with f2fskit.open(image, "r+") as volume:
            for i in range(count):
                volume.path("/f%d" % i).write_bytes(b"old %d" % i)
    f2fskit.mkfs(image, overwrite=True, discard=False, checkpoint_version=1000)
    for turn in range(2):
        with f2fskit.open(image, "r+") as volume:
            for i in range(5):
                volume.path("/f%d" % i).write_bytes(b"new %d" % i)
            volume.path("/large%d" % turn).write_bytes(bytes(20 << 20))
    with f2fskit.open(image, "r+") as volume:
        volume.path("/f1").write_bytes(b"newer 1")
    assert b"old 4" in open(image, "rb").read()
    wipe_both(image, f2fskit)
    assert f2fskit.check(image, repair=True).left == 0
    expected = {"/f%d" % i: b"new %d" % i for i in range(5)} | {"/f1": b"newer 1"}
    assert {path: data for path, data in files(image, f2fskit).items() if path in expected} == expected
