# SPDX-License-Identifier: LGPL-2.1-or-later
"""Files that the kernel deleted and rewrote: listed with the right path and confidence, restored bit for bit where nothing
overwrote them. The model is the host's copy of every file: no file restored without a complaint may differ."""
import hashlib
import json
import os

import pytest

import uml

EXTRA = "extra_attr,inode_checksum,inode_crtime,flexible_inline_xattr"
SIZES = (10, 3000, 5000, 40_000, 300_000, 5_000_000)
# The events after the deletion; the least share of whole files, in hundredths; how many of these may be only likely, because a
# new file got their inode number: the free blocks may have been that one's in between. Which numbers are reused depends on
# when the kernel looked for free ones.
AFTERWARDS = {
    "nothing": ("", 100, 0),
    "unmounted": ("umount $MNT; mount -o nodiscard /dev/ubda $MNT; touch $MNT/x; sync", 100, 1),
    "small-writes": ("for i in $(seq 200); do echo $i > $MNT/after-$i; done; sync", 80, 0),
    "large-writes": ("for i in 1 2 3 4 5; do dd if=/dev/urandom of=$MNT/after-$i bs=1M count=8 status=none; sync; done", 50, 5),
    "many-rounds": ("for i in $(seq 12); do dd if=/dev/urandom of=$MNT/after bs=1M count=30 status=none; sync; rm $MNT/after; "
                    "done; sync", 0, 0),
}


def contents(name, size):
    return hashlib.shake_128(name.encode()).digest(size)


def plant(top, count):
    """Files in nested directories: {path: contents}."""
    found = {}
    for i in range(count):
        path = f"d{i % 3}/sub{i % 2}/file-{i}" if i % 5 else f"top-{i}"
        (top / path).parent.mkdir(parents=True, exist_ok=True)
        found["/" + path] = contents(path, SIZES[i % len(SIZES)])
        (top / path).write_bytes(found["/" + path])
    return found


def judge(run_tool, image, files, deleted, out):
    """Compare the list and the restored files with the model; return {confidence: count}, "renumbered" those that are
    likely while another file has their number."""
    listed = json.loads(run_tool("dump.f2fs", "--json", "--deleted", image).stdout)["deleted"]
    rows = {row["path"]: row for row in listed}
    counts = {"whole": 0, "likely": 0, "part": 0, "blank": 0, "metadata": 0, "name": 0, "missing": 0, "renumbered": 0}
    run_tool("dump.f2fs", "--undelete=all", f"--to={out}", image, rc=None)
    for path in deleted:
        row = rows.get(path)
        counts[row["left"] if row else "missing"] += 1
        if not row or row["left"] not in ("whole", "likely"):
            continue
        counts["renumbered"] += row["left"] == "likely" and row["is_other_use"]
        assert row["size"] == len(files[path]), path
        restored = (out / path[1:]).read_bytes()
        if row["left"] == "whole":
            assert restored == files[path], path
    return counts


def delete_half(kernel, run_tool, tmp_path, options, afterwards=""):
    """Have the kernel copy files to a new volume and remove every second one. Return (image, files, paths removed)."""
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    files = plant(host, 60)
    deleted = [path for i, path in enumerate(files) if i % 2]
    (tmp_path / "list").write_text("".join(path[1:] + "\n" for path in deleted))
    run_tool("mkfs.f2fs", "-q", "-O", EXTRA, image, "200M")
    job = f"""
set -e
mount {options} /dev/ubda $MNT
cp -r "$1"/. $MNT
sync
cd $MNT; xargs rm < "$2"; cd /
sync
{afterwards}
umount $MNT
"""
    uml.run(job, images=[str(image)], args=[str(host), str(tmp_path / "list")], kernel=kernel).check()
    return image, files, deleted


@pytest.mark.parametrize("name", AFTERWARDS)
def test_deleted_by_the_kernel(kernel, run_tool, tmp_path, name):
    afterwards, least, most_renumbered = AFTERWARDS[name]
    image, files, deleted = delete_half(kernel, run_tool, tmp_path, "-o nodiscard", afterwards)
    before = hashlib.sha256(image.read_bytes()).digest()
    image.chmod(0o400)
    counts = judge(run_tool, image, files, deleted, tmp_path / "out")
    print(name, counts)
    assert counts["missing"] == 0 or name == "many-rounds"
    sure = counts["whole"] + min(counts["renumbered"], most_renumbered)
    assert sure * 100 >= least * len(deleted), counts
    assert hashlib.sha256(image.read_bytes()).digest() == before


@pytest.mark.parametrize("options", ("", "-o discard_unit=segment"))
def test_discarded_by_the_kernel(kernel, run_tool, tmp_path, options):
    """With its default options the kernel discards deleted blocks, and the image file has holes there. By whole segments it
    leaves the nodes. No such file is whole, and nothing is restored as if it were."""
    image, files, deleted = delete_half(kernel, run_tool, tmp_path, options)
    image.chmod(0o400)
    out = tmp_path / "out"
    counts = judge(run_tool, image, files, deleted, out)
    print(options, counts)
    listed = {row["path"]: row for row in json.loads(run_tool("dump.f2fs", "--json", "--deleted", image).stdout)["deleted"]}
    assert counts["blank"] + counts["part"] >= 5 if options else counts["name"] == len(deleted)
    for path in deleted:
        row = listed[path]
        if row["left"] in ("blank", "metadata"):
            assert row["blank"] == row["content_blocks"] and not (out / path[1:]).exists(), row
    told = json.loads(run_tool("dump.f2fs", "--json", "--undelete=all", f"--to={tmp_path / 'again'}", image, rc=None).stdout)
    told = told["undelete"][0]
    assert (told["restored"], told["restored_in_part"]) == (counts["whole"], counts["part"])
    assert told["blank"] == sum(bool(listed[path]["blank"]) for path in deleted if listed[path]["left"] != "name")
    for path in deleted:
        if listed[path]["left"] == "part":
            rows = [((out / path[1:]).read_bytes()[at:at + 4096], files[path][at:at + 4096])
                    for at in range(0, len(files[path]), 4096)]
            assert sum(got != text for got, text in rows) == listed[path]["blank"] and all(
                got in (text, bytes(len(text))) for got, text in rows), path


def test_versions_of_the_kernel(kernel, run_tool, tmp_path):
    """Each version that was there at a sync, as long as it is said to be whole. The kernel writes /file in place on a volume
    as small as this, so of its versions only the newest is certain; each /moved is a file of its own."""
    image = tmp_path / "disk.img"
    run_tool("mkfs.f2fs", "-q", "-O", EXTRA, image, "200M")
    job = r"""
set -e
mount -o nodiscard /dev/ubda $MNT
for i in $(seq 9); do
  head -c $((i * 70000)) /dev/zero | tr '\0' $i > $MNT/file.new
  mv $MNT/file.new $MNT/moved
  head -c $((i * 70000)) /dev/zero | tr '\0' $i | dd of=$MNT/file conv=notrunc status=none
  sync
done
umount $MNT
"""
    uml.run(job, images=[str(image)], kernel=kernel).check()
    rows = json.loads(run_tool("dump.f2fs", "--json", "--versions=/file", image).stdout)["versions"][0]["versions"]
    assert len(rows) >= 5 and rows[-1]["is_current"]
    whole = [row for row in rows if row["left"] == "whole"]
    assert whole and all(row["left"] in ("whole", "likely", "part") for row in rows)
    gone = json.loads(run_tool("dump.f2fs", "--json", "--deleted", image).stdout)["deleted"]
    gone = [row for row in gone if row["left"] == "whole" and row["path"] in ("/moved", "/file.new")]
    assert len(gone) >= 3
    whole += gone
    for row in whole:
        got = run_tool("dump.f2fs", f"--cat=@{row['block_addr']}", image).stdout
        assert len(got) == row["size"] and len(got) % 70000 == 0
        assert got == bytes([0x30 + len(got) // 70000]) * len(got)


def test_a_crash(kernel, run_tool, tmp_path):
    """After a power cut nothing is said to be certain where the next writes went to."""
    host, image = tmp_path / "host", tmp_path / "disk.img"
    host.mkdir()
    files = plant(host, 40)
    deleted = [path for i, path in enumerate(files) if i % 2]
    (tmp_path / "list").write_text("".join(path[1:] + "\n" for path in deleted))
    run_tool("mkfs.f2fs", "-q", "-O", EXTRA, image, "200M")
    job = r"""
mount -o nodiscard /dev/ubda $MNT
cp -r "$1"/. $MNT; sync
cd $MNT; xargs rm < "$2"; cd /; sync
for i in 1 2 3 4 5 6; do dd if=/dev/urandom of=$MNT/after-$i bs=1M count=8 status=none conv=fsync; done
powercut
"""
    uml.run(job, images=[str(image)], args=[str(host), str(tmp_path / "list")], kernel=kernel).check()
    counts = judge(run_tool, image, files, deleted, tmp_path / "out")
    print("crash", counts)
    assert counts["missing"] == 0


def test_earlier_checkpoints(kernel, run_tool, tmp_path):
    """Each state that a sync of the kernel made comes back as a whole: the names of one state, and each file that can be read
    with its contents of then. A checkpoint at any other time would be a state of its own, so the kernel's timers stand still."""
    image, states = tmp_path / "disk.img", 8
    run_tool("mkfs.f2fs", "-q", "-O", EXTRA, image, "200M")
    job = f"""
set -e
mount -o nodiscard,mode=lfs /dev/ubda $MNT
mkdir $MNT/d
for i in $(seq {states}); do
  for name in a b c; do
    head -c $((i * 30000)) /dev/zero | tr '\\0' $i > $MNT/new
    mv $MNT/new $MNT/d/$name
  done
  touch $MNT/d/state-$i
  sync
done
umount $MNT
"""
    uml.run(job, images=[str(image)], kernel=kernel, timers="still").check()
    before = hashlib.sha256(image.read_bytes()).digest()
    seen, files = set(), 0
    for back in range(states + 2):
        out = tmp_path / f"out-{back}"
        run_tool("dump.f2fs", f"--as-of=-{back}", f"--extract={out}", image, rc=None)
        names = {path.name for path in (out / "d").glob("*")} if (out / "d").exists() else set()
        last = max([int(name[6:]) for name in names if name.startswith("state-")], default=0)
        assert {name for name in names if name.startswith("state-")} == {f"state-{i + 1}" for i in range(last)}, names
        seen.add(last)
        for path in (out / "d").glob("[abc]"):
            assert path.read_bytes() == b"%d" % last * (last * 30_000), (back, path.name)
            files += 1
    assert set(range(3, states + 1)) <= seen and files >= 3 * (states - 3), (seen, files)
    assert hashlib.sha256(image.read_bytes()).digest() == before
