# SPDX-License-Identifier: LGPL-2.1-or-later
"""Features turned on and off: the volumes stay sound for both checkers, and a refusal names its reason."""
import itertools
import json
import os

import pytest

EXTRA = "extra_attr"
NEED_EXTRA = ["inode_checksum", "flexible_inline_xattr", "inode_crtime", "compression", "project_quota"]
ALONE = ["encrypt", "extra_attr", "lost_found", "verity", "sb_checksum", "casefold", "quota"]
MADE = ("-i", "owner,mtime", "-x", "/lost+found")
READ_ONLY = "ro"  # with it nothing else changes
FLAG = "large_nat_bitmap"  # of the checkpoint
NEVER = ["blkzoned", "atomic_write", "device_alias"]
PACKED = "packed_ssa"  # with blocks of 16 KiB


@pytest.fixture
def source(tmp_path):
    top = tmp_path / "source"
    (top / "dir/sub").mkdir(parents=True)
    (top / "small").write_bytes(b"small")
    (top / "dir/large").write_bytes(os.urandom(100_000))
    for i in range(300):
        (top / f"dir/sub/name-{i}").touch()
    os.symlink("small", top / "link")
    os.setxattr(top / "small", "user.color", b"red" * 40)
    return top


@pytest.fixture
def make(run_tool, tmp_path, source):
    """make(features): the path of a filled volume."""
    numbers = itertools.count()

    def run(features=""):
        image = tmp_path / f"disk{next(numbers)}.img"
        run_tool("mkfs.f2fs", "-q", *(["-O", features] if features else []), "--root-dir", source, image, "64M")
        return image
    return run


@pytest.fixture
def feature(run_tool):
    """feature(image, word...): the names of features afterwards."""
    def run(image, *words, **kwargs):
        result = run_tool("f2fs", "-w", "--json", image, "feature", *words, **kwargs)
        return json.loads(result.stdout)["features_names"] if not kwargs else result.stderr.decode()
    return run


@pytest.fixture
def is_whole(run_tool, peer_check, source):
    """is_whole(image): both checkers find nothing, and the files are those of the source."""
    def run(image, ignored=("-i", "owner")):
        done = run_tool("fsck.f2fs", "-f", "--dry-run", "--json", image)
        assert json.loads(done.stdout)["problems"] == []
        peer_check(image)
        run_tool("f2fs", image, "diff", *ignored, source)
    return run


def states(run_tool, image):
    rows = json.loads(run_tool("f2fs", "--json", image, "feature").stdout)["features"]
    return {row["name"]: row["on"] for row in rows}


def test_list(run_tool, make):
    rows = json.loads(run_tool("f2fs", "--json", make("extra_attr,compression"), "feature").stdout)["features"]
    found = {row["name"]: (row["on"], row["change"]) for row in rows}
    assert set(found) == {*NEED_EXTRA, *ALONE, *NEVER, READ_ONLY, FLAG, PACKED} and found[PACKED] == (False, "for 16 KiB blocks")
    assert found[FLAG] == (False, "can be turned on")
    assert found["compression"] == (True, "can be turned off") and found["verity"] == (False, "can be turned on")
    assert all(found[name] == (False, "by mkfs.f2fs only") for name in NEVER)
    with open(os.path.join(os.path.dirname(__file__), "..", "..", "README.md")) as readme:
        assert f"| {len(ALONE + NEED_EXTRA) + 3} of {len(found)}; " in readme.read()


@pytest.mark.parametrize("name", [READ_ONLY] + ALONE + [name for name in NEED_EXTRA if name != "flexible_inline_xattr"])
def test_on_and_off(make, feature, is_whole, name):
    """On a volume of old inodes. extra_attr comes with those that need it, and goes when nothing uses it."""
    image = make()
    found = feature(image, "+" + name)
    assert set(found) == {name} | ({EXTRA} if name in NEED_EXTRA else set()) | ({"quota"} if name == "project_quota" else set())
    is_whole(image, MADE)
    assert feature(image, "-" + name, "-extra_attr") == []
    is_whole(image, MADE)


def test_large_nat_bitmap(make, feature, is_whole, run_tool):
    """One commit moves the bitmaps, also of a volume that is used between, and with blocks of the checkpoint after the first."""
    image = make()
    free = run_tool("f2fs", "--json", image, "df").stdout
    for word, on in (("+", True), ("-", False), ("^", False)):
        assert states(run_tool, image)[FLAG] == (word == "-")
        told = run_tool("f2fs", "--json", image, "feature", "-n", word + FLAG).stdout.replace(b'"dry_run": true', b'"dry_run": false')
        assert run_tool("f2fs", "-w", "--json", image, "feature", word + FLAG).stdout == told and json.loads(told)[FLAG] == on
        is_whole(image, MADE)
        run_tool("f2fs", "-w", image, "mkdir", "/new", "--", "commit", "--", "rmdir", "/new")
        assert run_tool("f2fs", "--json", image, "df").stdout == free and states(run_tool, image)[FLAG] == on
        is_whole(image, MADE)
    assert "at once" in feature(image, "+" + FLAG, "-" + FLAG, rc=None)
    feature(image, "+ro")
    assert "turn it off before other features change" in feature(image, "+" + FLAG, rc=1)
    feature(image, "-ro", "+" + FLAG, "+verity")
    assert states(run_tool, image)[FLAG]
    is_whole(image, MADE)


@pytest.mark.parametrize("size", ["400G", "4000G"])
def test_large_nat_bitmap_of_large_volumes(run_tool, peer_check, tmp_path, size):
    """It always fits; back it may not, and a smaller volume fits again. Growing uses the room for more node ids."""
    image = tmp_path / "disk.img"

    def segments():
        return json.loads(run_tool("dump.f2fs", "--superblock", "--json", image).stdout)["superblock"]["segment_count_nat"]
    run_tool("mkfs.f2fs", "-q", image, size)
    usual = segments()
    for word in ("+", "-", "+"):
        run_tool("f2fs", "-w", image, "feature", word + FLAG)
        run_tool("fsck.f2fs", "-f", "--dry-run", image)
        peer_check(image)
    with open(image, "r+b") as file:
        file.truncate(file.seek(0, 2) * 21 // 20)
    run_tool("resize.f2fs", "-q", image)
    assert segments() > usual
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    before = states(run_tool, image)
    found = json.loads(run_tool("f2fs", "--json", image, "feature").stdout)["features"][-1]
    assert found["name"] == FLAG and found["change"] == "stays"
    said = run_tool("f2fs", "-w", image, "feature", "-" + FLAG, rc=1).stderr.decode()
    assert "large_nat_bitmap stays on: the checkpoint has no room" in said and "resize.f2fs makes the volume smaller" in said
    assert states(run_tool, image) == before
    run_tool("resize.f2fs", "-q", image, "50G")
    run_tool("f2fs", "-w", image, "feature", "-" + FLAG)
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)


def test_all_at_once(make, feature, is_whole, run_tool):
    image = make(EXTRA)
    names = sorted(set(ALONE + NEED_EXTRA))
    assert sorted(feature(image, "--convert", *("+" + name for name in names))) == names
    is_whole(image, MADE)
    run_tool("f2fs", "-w", image, "mkdir", "/folded", "--", "chattr", "+F", "/folded", "--", "mkdir", "/packed", "--", "compress", "/packed",
             "--", "put", "/bin/sh", "/packed/sh", "--", "put", "/bin/sh", "/folded/Name")
    assert run_tool("f2fs", image, "ls", "/folded/nAME").stdout
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    for name, needs in (("casefold", "needs it"), ("compression", "needs it"), ("extra_attr", "extra_attr is needed by")):
        assert needs in feature(image, "-" + name, rc=1)
    run_tool("f2fs", "-w", image, "rm", "-r", "/folded", "/packed")
    wanted = sorted({*names} - {"casefold", "compression"})
    assert sorted(feature(image, "-casefold", "-compression")) == wanted
    is_whole(image, MADE)


def test_room_for_attributes(make, feature, is_whole, run_tool):
    """flexible_inline_xattr needs extra attributes in each inode, stores the room, and goes where it is the usual one."""
    old = make()
    assert "inode 3 (/) has no extra attributes" in feature(old, "+flexible_inline_xattr", rc=1)
    assert not any(states(run_tool, old).values())
    image = make(EXTRA)
    assert "flexible_inline_xattr" in feature(image, "+flexible_inline_xattr")
    is_whole(image)
    assert run_tool("f2fs", image, "getfattr", "/small", "user.color").stdout.count(b"red") == 40
    assert b"i_inline_xattr_size = 50" in run_tool("dump.f2fs", "--inode=/small", image).stdout
    assert feature(image, "-flexible_inline_xattr") == [EXTRA]
    is_whole(image)


def test_checksums(make, feature, is_whole, run_tool):
    """Each inode has a right one, also in inodes that the volume had before."""
    image = make(EXTRA)
    assert "inode 3 (/) has no room for one" in feature(image, "+inode_checksum", rc=1)  # mkfs.f2fs gave the root no more
    assert "inode_checksum" in feature(image, "--convert", "+inode_checksum")
    is_whole(image)
    fields = run_tool("f2fs", image, "field", "inode[3].i_inode_checksum", "inode[3].i_extra_isize").stdout
    assert b"i_inode_checksum = 0x0\n" not in fields and b"i_extra_isize = 36\n" in fields
    feature(image, "+inode_crtime")
    run_tool("f2fs", "-w", image, "touch", "/born")
    assert b"i_crtime = 0" not in run_tool("dump.f2fs", "--inode=/born", image).stdout
    assert feature(image, "-inode_checksum", "-inode_crtime") == [EXTRA]
    is_whole(image, ("-i", "owner,mtime", "-x", "/born"))
    fields = run_tool("dump.f2fs", "--inode=/born", image).stdout
    assert b"i_inode_checksum = 0x0\n" in fields and b"i_crtime = 0" in fields


@pytest.fixture
def edges(source):
    """Files at the edges of what an inode has room for, and one above nodes."""
    (source / "large").write_bytes(os.urandom(4_000_000))
    for slots in range(862, 874):  # an inode with attributes has 873 slots, and 864 with all extra attributes
        with open(source / f"last-slot-{slots}", "wb") as file:
            file.seek(4096 * slots)
            file.write(b"x" * 4096)
    for size in (1, 3451, 3452, 3453, 3484, 3488, 3489):
        (source / f"inline-{size}").write_bytes(os.urandom(size))
    for count in (1, 100, 160, 179, 180, 181, 182, 183, 184):
        (source / f"dir-{count}").mkdir()
        for i in range(count):
            (source / f"dir-{count}" / f"f{i}").touch()
    for size in (3000, 3452, 3453, 3470, 3487, 3488):
        os.symlink("x" * size, source / f"far-{size}")
    os.mkfifo(source / "pipe")
    return source


def test_conversion(make, feature, is_whole, run_tool, edges):
    """All inodes get room: in place, moved out of the inode, or with their contents written again."""
    image = make()
    told = json.loads(run_tool("f2fs", "--json", image, "feature", "-n", "--convert", "+extra_attr").stdout)
    done = json.loads(run_tool("f2fs", "-w", "--json", image, "feature", "--convert", "+extra_attr").stdout)
    assert (told["inodes"], told["left"]) == (done["inodes"], done["left"]) and done["inodes"] > 1000 and done["left"] == 0
    is_whole(image)
    sizes = {}
    for name in ("large", "last-slot-863", "last-slot-864", "inline-3452", "inline-3453", "small", "pipe", "far-3000", "far-3470", "far-3488",
                 "dir-1", "dir-160", "dir-184"):
        sizes[name] = b"extra_attr" in run_tool("f2fs", image, "stat", "/" + name).stdout
    assert all(sizes.values())
    assert json.loads(run_tool("f2fs", "-w", "--json", image, "feature", "--convert").stdout)["inodes"] == 0
    assert set(feature(image, "+inode_checksum", "+compression", "+inode_crtime")) >= {"compression"}
    is_whole(image)
    run_tool("f2fs", "-w", image, "mkdir", "/new", "--", "compress", "/new")
    run_tool("fsck.f2fs", "-f", "--dry-run", image)


def test_conversion_back(make, feature, is_whole, run_tool, edges):
    """No inode has extra attributes any more, and GRUB can read the volume again."""
    image = make("extra_attr,inode_checksum,inode_crtime,compression,flexible_inline_xattr,quota,project_quota,sb_checksum")
    assert b"extra_attr" in run_tool("f2fs", image, "stat", "/dir-184").stdout
    gone = ["-" + name for name in NEED_EXTRA]
    assert "needs it" in feature(image, *gone, "-extra_attr", rc=1)
    assert all(name in feature(image, "--convert", "-extra_attr", rc=1) for name in NEED_EXTRA)
    told = json.loads(run_tool("f2fs", "--json", image, "feature", "-n", "--convert", *gone, "-extra_attr").stdout)
    assert (told["inodes"], told["left"]) == (json.loads(run_tool("tune.f2fs", "-lj", image).stdout)["valid_inodes"] - 1, 0)
    assert feature(image, "--convert", *gone, "-extra_attr") == ["quota", "sb_checksum"]
    is_whole(image)
    for name in ("", "large", "last-slot-864", "inline-3452", "far-3470", "dir-184"):
        assert b"extra_attr" not in run_tool("f2fs", image, "stat", "/" + name).stdout
    assert b"grub = reads" in run_tool("dump.f2fs", "--info", image).stdout
    assert feature(image, "--convert", "+extra_attr") == [EXTRA, "quota", "sb_checksum"]
    is_whole(image)


def test_what_no_key_opens_is_converted(make, run_tool, feature, tmp_path):
    """Blocks move as they are stored: sealed files and encrypted files without their key are converted, too."""
    image, key = make("encrypt,verity"), tmp_path / "key"
    key.write_bytes(bytes(range(64)))
    (tmp_path / "data").write_bytes(os.urandom(5_000_000))
    run_tool("f2fs", "-w", "--key", key, image, "mkdir", "/secret", "--", "encrypt", "/secret", "--", "put", tmp_path / "data",
             "/secret/data", "--", "put", tmp_path / "data", "/sealed", "--", "seal", "/sealed")
    for words in (["+extra_attr"], ["-extra_attr"]):
        assert json.loads(run_tool("f2fs", "-w", "--json", image, "feature", "--convert", *words).stdout)["left"] == 0
        run_tool("fsck.f2fs", "-f", "--dry-run", image)
        for name in ("/secret/data", "/sealed"):
            run_tool("f2fs", "--key", key, image, "get", name, tmp_path / "again")
            assert (tmp_path / "again").read_bytes() == (tmp_path / "data").read_bytes()
            (tmp_path / "again").unlink()


def usage(run_tool, image):
    """{kind: {id: (KiB, inodes)}}"""
    found = {}
    for row in json.loads(run_tool("f2fs", "--json", image, "quota").stdout):
        found.setdefault(row["kind"], {})[row["id"]] = (row["space_kib"], row["inodes"])
    return found


def test_quota(make, feature, is_whole, run_tool):
    """Usage is counted for all owners, is kept from then on, and the files go again with the feature."""
    image, other = make(), make("extra_attr,quota,project_quota")
    owners = [w for i in range(20) for w in ("--", "chown", f"{i * 1_000_003}:{i % 3}", f"/dir/sub/name-{i}")]
    for path in (image, other):
        run_tool("f2fs", "-w", path, *owners[1:])
    inodes = json.loads(run_tool("tune.f2fs", "-lj", image).stdout)["valid_inodes"]
    assert set(feature(image, "--convert", "+quota", "+project_quota")) == {EXTRA, "quota", "project_quota"}
    is_whole(image, ("-i", "owner,mtime"))
    assert usage(run_tool, image) == usage(run_tool, other) and len(usage(run_tool, image)["user"]) == 20
    run_tool("f2fs", "-w", image, "chown", "7:7", "/dir/large")
    assert usage(run_tool, image)["user"][7] == (100, 1)
    assert set(feature(image, "-project_quota")) == {EXTRA, "quota"}
    assert set(usage(run_tool, image)) == {"user", "group"}
    is_whole(image, ("-i", "owner,mtime"))
    assert feature(image, "-quota") == [EXTRA]
    is_whole(image, ("-i", "owner,mtime"))
    assert json.loads(run_tool("tune.f2fs", "-lj", image).stdout)["valid_inodes"] == inodes


def test_quota_without_files_stays(make, feature, run_tool):
    """Where the superblock names no quota files, another change says nothing of the feature."""
    image = make()
    run_tool("inject.f2fs", "--sb=1", "--mb=feature", f"--val=|={0x80:#x}", image)
    run_tool("inject.f2fs", "--sb=2", "--mb=feature", f"--val=|={0x80:#x}", image)
    assert set(feature(image, "+encrypt")) == {"quota", "encrypt"}


def test_conversion_needs_the_feature(make, feature):
    assert "on a volume with extra_attr" in feature(make(), "--convert", rc=1)


def test_packed_ssa(run_tool, feature, source, tmp_path):
    """The tables move, and an undo file brings them back. tune.f2fs and fsck.f2fs do the same."""
    image, undo = tmp_path / "disk.img", tmp_path / "undo"
    words = "feature", "+" + PACKED
    run_tool("mkfs.f2fs", "-q", "-b", "16384", "--root-dir", source, image, "5G")

    def check(on):
        assert json.loads(run_tool("fsck.f2fs", "-f", "--dry-run", "--json", image).stdout)["problems"] == []
        run_tool("f2fs", image, "diff", *MADE, source)
        assert states(run_tool, image)[PACKED] == on

    told = json.loads(run_tool("f2fs", "--json", image, *words, "-n").stdout)
    assert told["moved_blocks"] > 300 and told["won_segments"] == 1
    done = json.loads(run_tool("f2fs", "-w", "--json", image, *words).stdout)
    assert done == {**told, "dry_run": False}
    check(True)
    run_tool("f2fs", "-w", "-c", f"feature -{PACKED}; mkdir /new; commit; feature +{PACKED}; rmdir /new", image)
    check(True)
    assert b"won_segments = -1" in run_tool("tune.f2fs", "-O", "^" + PACKED, image).stdout
    check(False)
    run_tool("fsck.f2fs", "-f", "-O", PACKED, image)
    check(True)
    run_tool("f2fs", "-w", image, "feature", "-" + PACKED)
    run_tool("f2fs", "-w", "--undo", undo, image, *words)
    check(True)
    run_tool("fsck.f2fs", "--restore", undo, image)
    check(False)


@pytest.mark.parametrize("name", NEVER)
def test_never(make, feature, name):
    assert f"{name} stays as it is: " in feature(make(), "+" + name, rc=1)


def test_dry_run(make, run_tool):
    image = make()
    before = image.read_bytes()
    image.chmod(0o400)
    told = json.loads(run_tool("f2fs", "--json", image, "feature", "-n", "+compression").stdout)
    assert told["dry_run"] and set(told["on_names"]) == {EXTRA, "compression"}
    assert image.read_bytes() == before


@pytest.mark.parametrize("words, why", [
    (("compression",), "does not begin with + or -"), (("+packing",), "is no feature that the list has"), (("+",), "is no feature"),
    (("-E", "strict", "+verity"), "is for +casefold"), (("-E", "loose", "+casefold"), "is none of strict, hashonly"), (("-n",), "needs +NAME"),
    (("",), "does not begin")])
def test_usage(make, feature, words, why):
    assert why in feature(make(), *words, rc=16)


def test_refused(make, feature, run_tool):
    image = make()
    assert "cannot be turned on and off at once" in feature(image, "+verity", "-verity", rc=1)
    assert "-w allows it" in run_tool("f2fs", image, "feature", "+verity", rc=16).stderr.decode()
    assert not any(states(run_tool, image).values())


def test_changes_before_it_are_committed(make, run_tool):
    image = make()
    run_tool("f2fs", "-w", image, "mkdir", "/new", "--", "feature", "+verity", "--", "mkdir", "/newer")
    assert {b"new", b"newer"} <= set(run_tool("f2fs", image, "ls", "/").stdout.split())
    assert states(run_tool, image)["verity"]


def test_undo(make, run_tool, tmp_path):
    image = make(EXTRA)
    before = image.read_bytes()
    run_tool("f2fs", "-w", "--undo", tmp_path / "undo", image, "feature", "--convert", "+flexible_inline_xattr", "+inode_checksum", "+casefold", "+lost_found")
    assert image.read_bytes() != before
    run_tool("fsck.f2fs", "--restore", tmp_path / "undo", image)
    assert image.read_bytes() == before


def test_fsck_makes_it_read_only(make, run_tool, peer_check):
    image = make()
    assert "feature ro is turned on" in run_tool("fsck.f2fs", "-f", "-O", "ro,verity", image).stdout.decode()
    assert states(run_tool, image)["ro"] and states(run_tool, image)["verity"]
    run_tool("fsck.f2fs", "-f", "--dry-run", image)
    peer_check(image)
    run_tool("tune.f2fs", "-O", "^ro", image)
    run_tool("f2fs", "-w", image, "touch", "/new")


def test_read_only_undone(make, run_tool, tmp_path):
    image = make()
    before = image.read_bytes()
    told = json.loads(run_tool("f2fs", "--json", image, "feature", "-n", "+ro").stdout)
    assert told["on_names"] == ["ro"] and image.read_bytes() == before
    run_tool("f2fs", "-w", "--undo", tmp_path / "undo", image, "feature", "+ro")
    assert states(run_tool, image)["ro"]
    run_tool("fsck.f2fs", "--restore", tmp_path / "undo", image)
    assert image.read_bytes() == before


def test_read_only_is_kept(make, feature, run_tool, is_whole):
    """Nothing writes a volume with the feature: no change of files, no other feature, no GC, no defragmenting, no resizing."""
    image = make(EXTRA)
    run_tool("f2fs", "-w", image, "mkdir", "/new", "--", "feature", "+ro", "+compression")
    before = image.read_bytes()
    assert "turn it off before changes" in run_tool("f2fs", "-w", image, "rm", "/small", rc=1).stderr.decode()
    for words in (["+verity"], ["-compression"], ["+quota"], ["+verity", "+ro"], ["--convert", "-compression", "-extra_attr"]):
        assert "the feature ro is on: turn it off" in feature(image, *words, rc=1)
    for command in (["resize.f2fs", image, "48M"], ["defrag.f2fs", image], ["f2fs", "-w", image, "trim"]):
        assert b"turn it off" in run_tool(*command, rc=1).stderr
    assert image.read_bytes() == before
    assert feature(image, "+ro") == [EXTRA, "compression", "ro"]
    rows = json.loads(run_tool("f2fs", "--json", image, "feature").stdout)["features"]
    assert {row["change"] for row in rows if row["on"]} == {"can be turned off"}
    assert set(feature(image, "-ro", "+verity", "-compression")) == {EXTRA, "verity"}
    is_whole(image, ("-i", "owner,mtime", "-x", "/new"))


def test_what_linux_would_have_to_write(make, feature, run_tool, tmp_path):
    """A file that Linux changes when it is opened, one that it misreads, and a volume that waits for a check keep ro off."""
    image = make("extra_attr,compression")
    ino = json.loads(run_tool("f2fs", "--json", image, "stat", "/small").stdout)["ino"]
    run_tool("f2fs", "-w", image, "set", f"inode[{ino}].i_advise", "|=0x80")
    before = image.read_bytes()
    for words in (["-n", "+ro"], ["+ro", "+verity"]):
        assert f"ro stays as it is: inode {ino} (/small) has the mark of an unfinished write" in feature(image, *words, rc=1)
    assert image.read_bytes() == before
    run_tool("f2fs", "-w", image, "set", f"inode[{ino}].i_advise", "&=-129")
    with open(tmp_path / "holes", "wb") as file:
        file.write(b"x" * 70_000)
        file.seek(1 << 20)
        file.write(b"end" * 9000)
    run_tool("f2fs", "-w", image, "mkdir", "/packed", "--", "compress", "/packed", "--", "put", tmp_path / "holes", "/packed/holes")
    assert "is compressed and has holes, which Linux misreads" in feature(image, "+ro", rc=1)
    run_tool("f2fs", "-w", image, "compress", "-n", "/packed/holes", "--", "put", "/bin/sh", "/packed/full")
    assert b"(compr)" in run_tool("f2fs", image, "stat", "/packed/full").stdout
    run_tool("f2fs", "-w", image, "set", "cp.ckpt_flags", "|=0x10")
    assert "the checkpoint asks for a check" in feature(image, "+ro", rc=1)
    run_tool("fsck.f2fs", "-y", image, rc=None)
    assert "ro" in feature(image, "+ro")


@pytest.mark.parametrize("options", [[], ["-s", "2", "-z", "2"]])
def test_made_read_only(feature, run_tool, tmp_path, options):
    """mkfs gives such a volume no summaries: it stays as it is."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", "ro", *options, image, "256M")
    assert "ro stays on: mkfs made this volume with two logs and without summaries (SSA)" in feature(image, "-ro", rc=1)
    run_tool("f2fs", "-w", image, "put", "/bin/sh", "/sh")
    assert "ro stays on: mkfs made" in feature(image, "-ro", rc=1)
    rows = json.loads(run_tool("f2fs", "--json", image, "feature").stdout)["features"]
    assert [row["change"] for row in rows if row["on"]] == ["stays"]


def test_fsck_turns_them_on(make, run_tool, peer_check):
    image = make()
    told = run_tool("fsck.f2fs", "-f", "-O", "compression,sb_checksum", image).stdout.decode()
    assert all(f"feature {name} is turned on" in told for name in (EXTRA, "compression", "sb_checksum"))
    assert states(run_tool, image)["compression"]
    peer_check(image)
    assert b"only mkfs.f2fs sets" in run_tool("fsck.f2fs", "-O", "blkzoned", image, rc=16).stderr
