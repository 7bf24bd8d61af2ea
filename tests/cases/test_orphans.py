# SPDX-License-Identifier: LGPL-2.1-or-later
"""Orphan lists that name other inodes than orphans. The list has no checksum. Whatever it names, -n and -y report the same,
and no file that a directory names is deleted by any way to open or repair the volume."""
import os
import sys

import pytest

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "campaign"))

# Each kind of inode. The large file has nodes of every level, the directory has several blocks, /second a hard link.
KINDS = [("ours:all", path) for path in (
    "/far", "/tree/size-1", "/tree/size-2", "/tree/size-5", "/second", "/many", "/tree", "/empty-dir", "/short-link", "/long-link",
    "/pipe", "/device", "/packed-zstd", "/sealed", "/folded", "/folded/straße")]


@pytest.fixture(scope="module")
def judge(f2fskit):
    import sweep_judge
    return sweep_judge


@pytest.fixture(scope="module")
def volumes(f2fskit, judge):
    """volumes(name): (device, Look) of a sound volume that lists one orphan."""
    import sweep_volumes
    made, closing = {}, []

    def get(name):
        if name not in made:
            subject = sweep_volumes.make(name)
            closing.append(subject)
            volume = f2fskit.open(subject.bases[0], "r+", now=sweep_volumes.TIME * 10**9)
            held = volume.root.create("unlinked")
            held.pwrite(b"unlinked " * 3000, 0)
            volume.path("/unlinked").unlink()
            volume.commit()
            device = subject.bases[0].fork()
            held.close()
            volume.close()
            closing.append(device)
            assert f2fskit.check(device).found == 0
            made[name] = device, judge.Look([device])
        return made[name]
    yield get
    for thing in closing:
        thing.close()


def damaged(f2fskit, device, numbers=(), links=None, fsync=None):
    """A layer over the device whose list has these inode numbers. links: sets i_links. fsync: writes to that file after the
    checkpoint."""
    layer = device.overlay()
    with f2fskit.fields(layer, "r+") as fields:
        first, count = fields["orphan[0].ino"], 1
        for i, number in enumerate(numbers):
            if i >= count:
                fields["orphan_block[0].entry_count"] = count = i + 1
            fields["orphan[%d].ino" % i] = number
        for ino, value in (links or {}).items():
            fields["inode[%d].i_links" % ino] = value
    assert first > 3
    return layer


def names(report):
    return sorted((p.name, p.ino) for p in report.problems)


def judge_repair(f2fskit, judge, layer, before, finds, deleted=0):
    """-n and -y report the same, the same names and contents are there afterwards, and nothing is left."""
    said = f2fskit.check(layer)
    done = f2fskit.check(layer, repair=True)
    assert names(said) == names(done) and {name for name, _ in names(said)} == finds
    assert done.left == 0 and done.recovered_orphans == deleted
    assert judge.Look([layer]).found == before and f2fskit.check(layer).found == 0


@pytest.mark.parametrize("name, path", KINDS)
def test_a_named_inode_on_the_list(f2fskit, judge, volumes, name, path):
    device, whole = volumes(name)
    with f2fskit.open(device) as volume:
        number, orphan = volume.lookup(path).number, volume.orphans[0]
    # beside a true orphan, which is deleted
    with damaged(f2fskit, device, [number, orphan]) as layer:
        assert judge.Look([layer]).found == whole.found         # the view of a recovery
        with f2fskit.open(layer) as volume:
            assert volume.recovery_plan().summary.orphans == 1
        for options in ({"recover": "apply"}, {"recover": "apply", "mode": "tolerant"}):
            with pytest.raises(f2fskit.CorruptError, match="fsck.f2fs") as refused:
                f2fskit.open(layer, "r+", **options)
            assert refused.value.rule == "ORPHAN_LINKED" and refused.value.nid == number
        with f2fskit.open(layer, "r+") as volume:
            for call in (volume.recover, lambda: volume.recover(drop_chain=True)):
                with pytest.raises(f2fskit.CorruptError):
                    call()
            with pytest.raises(f2fskit.StateError):
                volume.root.create("more")
        with f2fskit.open(layer) as volume:
            assert volume.orphans == [number, orphan]
        judge_repair(f2fskit, judge, layer, whole.found, {"ORPHAN_LINKED"}, 1)


@pytest.mark.parametrize("name", ["seed:encrypted", "seed:encrypted-casefold", "seed:casefold", "seed:inline-xattr", "seed:verity"])
def test_every_named_inode_on_the_list(f2fskit, judge, volumes, name):
    """All files of a volume at once: names that are enciphered or folded are found by their hash."""
    device, whole = volumes(name)
    with f2fskit.open(device) as volume:
        numbers = sorted({entry.ino for path, entry in volume.scan("/") if path != "/"})
    assert len(numbers) > 2
    with damaged(f2fskit, device, numbers) as layer:
        with f2fskit.open(layer) as volume:
            assert volume.recovery_plan().summary.orphans == 0
        assert judge.Look([layer]).found == whole.found
        with pytest.raises(f2fskit.CorruptError):
            f2fskit.open(layer, recover="apply")
        finds = {p.name for p in f2fskit.check(layer).problems}
        assert finds - {"FILE_LOST"} == {"ORPHAN_LINKED"}       # the true orphan is not on the list any more
        assert f2fskit.check(layer, repair=True).left == 0
        found = judge.Look([layer]).found
        assert {path: found.get(path) for path in whole.found} == whole.found


@pytest.mark.parametrize("links", [0, 2, 7])
def test_wrong_links_besides(f2fskit, judge, volumes, links):
    """A name alone keeps an inode, whatever its number of links."""
    device, whole = volumes("ours:all")
    for path in ("/tree/size-5", "/second", "/many"):
        with f2fskit.open(device) as volume:
            number, orphan = volume.lookup(path).number, volume.orphans[0]
        with damaged(f2fskit, device, [number, orphan], {number: links}) as layer:
            with pytest.raises(f2fskit.CorruptError):
                f2fskit.open(layer, recover="apply")
            done = f2fskit.check(layer, repair=True)
            assert "ORPHAN_LINKED" in {p.name for p in done.problems} and done.left == 0
            assert judge.Look([layer]).found == whole.found and f2fskit.check(layer).found == 0


def test_a_name_elsewhere(f2fskit, judge, volumes):
    """A hard link stays although the name that the inode remembers is gone."""
    device, _ = volumes("ours:all")
    work = device.fork()
    with f2fskit.open(work, "r+", recover="apply") as volume:
        volume.path("/empty-dir/one").write_bytes(b"linked " * 5000)
        volume.path("/tree/below/two").hardlink_to("/empty-dir/one")
        number = volume.lookup("/empty-dir/one").number
        remembered = volume.lookup("/empty-dir/one").fields()["i_pino"]
        volume.path("/tree/below/two" if remembered == volume.lookup("/tree/below").number else "/empty-dir/one").unlink()
        held = volume.root.create("unlinked")
        volume.path("/unlinked").unlink()
        volume.commit()
        after = work.fork()
        held.close()
    before = judge.Look([after]).found
    with damaged(f2fskit, after, [number]) as layer:
        with pytest.raises(f2fskit.CorruptError):
            f2fskit.open(layer, recover="apply")
        assert judge.Look([layer]).found == before
    after.close()
    work.close()


def test_links_without_a_name(f2fskit, volumes):
    """Linux lists files of an atomic write with links: no directory names them, so they are deleted."""
    device, whole = volumes("ours:all")
    with f2fskit.open(device) as volume:
        orphan = volume.orphans[0]
    for links in (1, 2):
        with damaged(f2fskit, device, links={orphan: links}) as layer:
            assert names(f2fskit.check(layer)) == [("ORPHAN_COUNT", orphan)]
            with f2fskit.open(layer, recover="apply") as volume:
                assert volume.orphans == []
            assert f2fskit.check(layer).found == 0


def test_a_removed_directory_still_names_its_files(f2fskit, volumes):
    """Linux does not write the blocks of a directory that was removed: files that were open in it are orphans all the same."""
    device, _ = volumes("ours:all")
    work = device.fork()
    with f2fskit.open(work, "r+", recover="apply") as volume:
        volume.path("/gone").mkdir()
        volume.path("/gone/file").write_bytes(b"gone " * 3000)
        held = volume.lookup("/gone"), volume.lookup("/gone/file")
        folder, file = (inode.number for inode in held)
        volume.path("/gone/file").unlink()
        volume.path("/gone").rmdir()
        volume.commit()
        after = work.fork()
        for inode in held:
            inode.close()
    with f2fskit.fields(after, "r+") as fields:
        fields["dentry[%d][2].used" % folder] = 1
        assert fields["dentry[%d][2].ino" % folder] == file and fields["inode[%d].i_links" % folder] == 0
    assert f2fskit.check(after).found == 0
    with f2fskit.open(after) as volume:
        assert sorted(volume.orphans) == sorted((folder, file)) and volume.recovery_plan().summary.orphans == 2
    with f2fskit.open(after, recover="apply") as volume:
        assert volume.orphans == []
    assert f2fskit.check(after).found == 0
    after.close()
    work.close()


def test_fsynced_data_of_a_listed_file(f2fskit, judge, volumes):
    """Data that was fsynced after the checkpoint is recovered, also of a file that the list names."""
    import sweep_volumes
    subject = sweep_volumes.make("ours:waiting")
    device = subject.bases[0]
    whole = judge.Look([device]).found
    with f2fskit.open(device) as volume:
        number, other = volume.lookup("/tree/size-3").number, volume.orphans[1]
        waiting = volume.recovery_plan().summary.replayed
    assert waiting > 0
    with damaged(f2fskit, device, [number, other]) as layer:
        with f2fskit.open(layer) as volume:
            assert volume.recovery_plan().summary.replayed == waiting
        assert judge.Look([layer]).found == whole
        with pytest.raises(f2fskit.CorruptError):
            f2fskit.open(layer, recover="apply")
        assert f2fskit.check(layer, repair=True).left == 0
        found = judge.Look([layer]).found
        assert {path: found.get(path) for path in whole} == whole
    subject.close()


# Entries that no inode can have: numbers that are reserved, free, out of range, or of a node that is no inode; the root, a
# quota file, duplicates.
def test_bad_entries(f2fskit, judge, volumes):
    device, whole = volumes("ours:all")
    with f2fskit.open(device) as volume:
        orphan = volume.orphans[0]
        far, root = volume.lookup("/far").number, volume.root.number
    with f2fskit.fields(device) as fields:
        node, quota = fields["inode[%d].i_nid[0]" % far], fields["sb.qf_ino[0]"]
    for number in (0, 1, 2, root, quota, node, 5000, 0x7FFFFFFF, 0xFFFFFFFF):
        with damaged(f2fskit, device, [number, orphan]) as layer:
            judge_repair(f2fskit, judge, layer, whole.found, {"ORPHAN_ENTRY"}, 1)
    with damaged(f2fskit, device, [orphan, orphan, orphan]) as layer:
        judge_repair(f2fskit, judge, layer, whole.found, {"ORPHAN_TWICE"}, 1)
    with damaged(f2fskit, device, [orphan] + list(range(0x7FFFFF00, 0x7FFFFFF0))) as layer:
        judge_repair(f2fskit, judge, layer, whole.found, {"ORPHAN_ENTRY"}, 1)


@pytest.mark.parametrize("mode", ["-y", "-f", "-a", "-p1", "--dry-run", "-n"])
def test_programs(f2fskit, judge, volumes, run_tool, tmp_path, mode):
    """The programs: each way to repair keeps the file. Those that open a volume for writing refuse it."""
    import others
    device, whole = volumes("ours:all")
    image = tmp_path / "image"
    with f2fskit.open(device) as volume:
        number = volume.lookup("/far").number
    with damaged(f2fskit, device, [number]) as layer:
        others.save(layer, str(image))
    before = os.stat(image).st_mtime_ns
    for name, *words in (("f2fs", "-w", "--recover", "-c", "mkdir /x"), ("f2fs", "-w", "-c", "mkdir /x"),
                         ("resize.f2fs", "--recover", "-s", "-t", 130000), ("sload.f2fs", "--recover", "-f", tmp_path)):
        done = run_tool(name, *words, image, rc=None)
        assert done.returncode != 0 and b"fsck.f2fs" in done.stderr + done.stdout, name
    run_tool("fsck.f2fs", mode, image, rc=None)
    if mode in ("--dry-run", "-n"):
        assert os.stat(image).st_mtime_ns == before
    else:       # -a, too: a mount would delete the file
        run_tool("fsck.f2fs", "-n", image)
    with f2fskit.Device.open(str(image)) as file:
        found = judge.Look([file]).found
        assert {path: found.get(path) for path in whole.found} == whole.found
