# SPDX-License-Identifier: LGPL-2.1-or-later
"""fsck.f2fs and damaged directories: a repaired directory costs a reader no more than its names."""
import pytest

NAMES = ["name-%03d" % i for i in range(300)]


@pytest.fixture
def image(run_tool, tmp_path):
    path = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", path, "64M")
    lines = ["mkdir /many"] + ["touch /many/" + name for name in NAMES]
    run_tool("f2fs", "-w", "-c", "\n".join(lines), path)
    return path


def numbers(f2fskit, image, path):
    with f2fskit.open(image) as volume:
        place = volume.path(path)
        return place.stat().st_ino, place.stat().st_size, sorted(entry.name for entry in place.iterdir())


def damage(run_tool, image, ino, field, value):
    run_tool("inject.f2fs", "--node", "--nid=%d" % ino, "--mb=" + field, "--val=%d" % value, image)


@pytest.mark.parametrize("field, value", [("i_dir_level", 24), ("i_dir_level", 224), ("i_size", 1 << 58), ("i_size", 1 << 42),
                                          ("i_current_depth", 63), ("i_current_depth", 64)])
def test_size_is_that_of_the_names(run_tool, f2fskit, image, field, value):
    ino, size, names = numbers(f2fskit, image, "/many")
    damage(run_tool, image, ino, field, value)
    run_tool("fsck.f2fs", "-y", image, rc=1)
    run_tool("fsck.f2fs", "-n", image)
    assert numbers(f2fskit, image, "/many") == (ino, size, names)


def test_a_repair_that_fails_writes_nothing(run_tool, f2fskit, image):
    """A second "twin" finds no free name any more, while a summary is wrong, too: it would be written before."""
    run_tool("f2fs", "-w", "-c", "touch /twin /other " + " ".join("/twin~%d" % i for i in range(1, 1000)), image)
    with f2fskit.fields(image, "r+") as fields, f2fskit.open(image) as volume:
        root, other, twin = (volume.path(path).stat().st_ino for path in ("/", "/other", "/twin"))
        entry = 'dentry[%d]["%s"].%s'
        fields["inode[%d].i_name" % other] = "twin"
        fields["inode[%d].i_namelen" % other] = 4
        fields[entry % (root, "other", "hash_code")] = fields[entry % (root, "twin", "hash_code")]
        fields[entry % (root, "other", "name_len")] = 4
        fields[entry % (root, "othe", "name")] = "twin"
        block = fields["nat[%d].block_addr" % volume.path("/many/name-000").stat().st_ino] - fields["sb.main_blkaddr"]
        assert block // 512 != fields["cp.cur_node_segno[1]"]
        fields["ssa[%d][%d].nid" % divmod(block, 512)] = "^=1"
    before = image.read_bytes()
    run_tool("fsck.f2fs", "-y", image, rc=8)
    assert image.read_bytes() == before


def test_a_depth_out_of_range_is_read(run_tool, f2fskit, image):
    """As the kernel does, which caps it; nothing is changed there before a repair."""
    ino, size, names = numbers(f2fskit, image, "/many")
    for one in (ino, 3):
        damage(run_tool, image, one, "i_current_depth", 64)
    assert numbers(f2fskit, image, "/many") == (ino, size, names)
    assert b"i_current_depth is 64" in run_tool("f2fs", "-c", "stat /many/name-000\nls /many", image).stderr


def test_any_number_of_entries(run_tool, f2fskit, image):
    """Entries of 300 files, each with a number that nobody has: every file remembers its name."""
    _, _, names = numbers(f2fskit, image, "/many")
    with f2fskit.fields(image, "r+") as fields, f2fskit.open(image) as volume:
        root = volume.path("/many").stat().st_ino
        inos = {name: volume.path("/many/" + name).stat().st_ino for name in names}
        for name in names:
            fields['dentry[%d]["%s"].ino' % (root, name)] = 0x7fffffff
    run_tool("fsck.f2fs", "-y", image, rc=1)
    run_tool("fsck.f2fs", "-n", image)
    with f2fskit.open(image) as volume:
        assert {entry.name: entry.stat().st_ino for entry in volume.path("/many").iterdir()} == inos


def blocks_of(f2fskit, image, ino):
    with f2fskit.open(image) as volume:
        inode = volume.inode(ino)
        return inode.stat().st_size // volume.block_size


@pytest.mark.parametrize("level", [6, 24, 29, 224])
@pytest.mark.parametrize("what", ["hash", "gone", "inline"])
def test_entries_are_put_back_beside_a_wrong_level(run_tool, f2fskit, image, level, what):
    """Where no name is witness of a level, those that are put back make the directory no longer than it was: with level 24 it would
    have 128 GB, with 29 2.3 TB, and with 224 the repair would end half-way, as blocks are beyond the largest file."""
    path = "/many"
    if what == "inline":
        path = "/small"
        run_tool("f2fs", "-w", "-c", "mkdir /small\n" + "\n".join("touch /small/one-%02d" % i for i in range(9)), image)
    ino, size, names = numbers(f2fskit, image, path)
    with f2fskit.fields(image, "r+") as fields:
        fields["inode[%d].i_dir_level" % ino] = level
        for name in names:
            entry = 'dentry[%d]["%s"].%%s' % (ino, name)
            if what == "hash":      # all names are taken out and put in again
                fields[entry % "hash_code"] = "^=0x5555"
            else:                   # they come back as those of lost files, as the directory has none
                fields[entry % "hash_code"] = "^=0x5555"
                fields[entry % "ino"] = 0x7fffffff
    run_tool("fsck.f2fs", "-y", image, rc=1)
    run_tool("fsck.f2fs", "-n", image)
    assert numbers(f2fskit, image, path)[2] == names
    assert blocks_of(f2fskit, image, ino) <= max(2 * size // 4096, 64)


def test_errors_name_the_repaired_state(run_tool, f2fskit, image):
    """Where a structure is damaged, what reads says how to see more. With another state, or for changes, it does not."""
    hint = "--state=repaired"
    with f2fskit.open(image) as volume:
        ino = volume.path("/many/name-007").stat().st_ino
    damage(run_tool, image, ino, "i_mode", 0)
    with f2fskit.fields(image, "r+") as fields:
        fields["node[%d].footer.nid" % ino] = ino + 1
    assert hint in run_tool("dump.f2fs", "--cat=/many/name-007", image, rc=None).stderr.decode()
    assert hint in run_tool("f2fs", "-c", "cat /many/name-007", image, rc=None).stderr.decode()
    assert hint not in run_tool("f2fs", "-w", "-c", "rm /many/name-007", image, rc=None).stderr.decode()
    assert hint not in run_tool("dump.f2fs", "--state=recovered", "--cat=/many/name-007", image, rc=None).stderr.decode()
    assert b"0 of them left" in run_tool("dump.f2fs", hint, "--cat=/many/name-007", image).stderr
    with f2fskit.open(image) as volume, pytest.raises(f2fskit.CorruptError, match=r"check\(device.overlay\(\), repair=True\)"):
        volume.path("/many/name-007").read_bytes()
