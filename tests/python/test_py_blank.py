# SPDX-License-Identifier: LGPL-2.1-or-later
"""Blank blocks: the bytes that a device returns for discarded blocks prove nothing about a deleted file. The oracle: files
that a view calls whole, or reads without an error, equal a model of the volume, after random discards of free blocks."""
import itertools
import json
import os
import random
import subprocess

import pytest

import f2fskit
from conftest import BUILD, pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr", "verity"]
DUMP, EDIT = BUILD / "dump/dump.f2fs", BUILD / "edit/f2fs"
WHOLE, LIKELY, PART, BLANK, METADATA = (f2fskit.Confidence[name] for name in ("WHOLE", "LIKELY", "PART", "BLANK", "METADATA"))
BLOCK = 4096
FILL = {"hole": None, "zeros": bytes(BLOCK), "ones": b"\xff" * BLOCK}


def rows(blocks):
    """Put blocks that follow each other together: (first, count)."""
    for _, row in itertools.groupby(enumerate(blocks), lambda pair: pair[1] - pair[0]):
        row = [block for _, block in row]
        yield row[0], len(row)


def discard(disk, blocks, kind):
    """Make blocks look as on a device that discarded them."""
    if FILL[kind] is None:
        with f2fskit.Device.open(disk, writable=True) as device:
            for start, count in rows(sorted(blocks)):
                device.discard(start * BLOCK, count * BLOCK)
    else:
        with open(disk, "r+b") as file:
            for block in blocks:
                file.seek(block * BLOCK)
                file.write(FILL[kind])


def free_blocks(volume):
    """Blocks of the main area that the SIT does not have."""
    start = volume.geometry.main_blkaddr
    return [start + segno * 512 + i for segno, entry in enumerate(volume.sit) for i in range(512)
            if not entry.valid_map[i // 8] & 0x80 >> i % 8]


def run(*arguments, status=(0,)):
    done = subprocess.run([str(one) for one in arguments], capture_output=True)
    assert done.returncode in status, (done.returncode, done.stderr.decode())
    return done


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=FEATURES)
    return path


class Model:
    """What every file held at each commit, by inode number and generation, and the paths of those that are gone."""

    def __init__(self, volume, seed):
        self.volume, self.pick = volume, random.Random(seed)
        self.contents, self.of_path, self.count = {}, {}, 0

    def change(self):
        pick, volume = self.pick, self.volume
        path = volume.path(f"/d{pick.randrange(3)}/f{pick.randrange(6)}")
        self.count += 1
        what = pick.randrange(12)
        if not path.parent.exists():
            path.parent.mkdir()
        if what < 3 and path.exists():
            path.unlink()
        elif path.exists() and path.inode().i_advise & 0x40:  # sealed by fs-verity
            return
        elif what < 5 and path.exists():
            path.inode().pwrite(pattern(self.count, pick.choice((1, 5000, 70_000))), pick.randrange(pick.choice((1, 5)) << 20))
        elif what < 6 and path.exists():
            path.inode().truncate(pick.randrange(200_000))
        elif what < 7 and path.exists() and path.stat().st_size:
            path.inode().enable_verity()
        else:
            if path.exists():
                path.unlink()
            path.write_bytes(pattern(self.count, pick.choice((10, 3000, 5000, 60_000, 300_000, 4_000_000))))

    def commit(self):
        self.volume.commit()
        for path, entry in self.volume.scan():
            inode = entry.inode()
            if inode.is_file():
                now = inode.read_bytes()
                for key, table in (((inode.number, inode.i_generation), self.contents), (path, self.of_path)):
                    was = table.setdefault(key, [])
                    if not was or was[-1] != now:
                        was.append(now)


def check_view(file, known, counts):
    """A version or a deleted file: only its own contents come out without an error, and all of them when it is whole."""
    counts[file.confidence] = counts.get(file.confidence, 0) + 1
    try:
        found = file.open().read_bytes()
    except f2fskit.OverwrittenError:
        assert file.confidence >= PART
        return
    remains = getattr(file, "version", file).remains
    if file.confidence == LIKELY and remains.nodes_later + remains.nodes_unsure:
        return  # its inode may be older than what hangs below it
    assert found in known, file  # of a sealed file the tree may be blank


def check_all(disk, model, out):
    """Ask everything that judges the past; return how often each verdict was given."""
    counts = {}
    with f2fskit.open(disk) as volume:
        past = volume.past()
        for ino in sorted({ino for ino, _ in model.contents}):
            for version in past.versions(ino):
                if (version.stat.st_mode & 0o170000) == 0o100000:
                    check_view(version, model.contents.get((ino, version.generation), []), counts)
        for file in past.deleted():
            if file.type == f2fskit.FileType.REGULAR and file.confidence != f2fskit.Confidence.NAME:
                check_view(file, model.contents.get((file.ino, file.version.generation), []), counts)
        verdicts = {(one.addr, one.stat.st_size): one.confidence for one in past.timeline() if one.confidence is not None}
        for file in past.deleted():
            if file.confidence != f2fskit.Confidence.NAME:
                assert verdicts.get((file.version.addr, file.version.stat.st_size), file.confidence) == file.confidence
    done = run(DUMP, "--json", "--undelete=all", f"--to={out}", disk, status=(0, 4))
    told = json.loads(done.stdout)["undelete"][0]
    assert told["found"] == told["restored"] + told["restored_likely"] + told["restored_in_part"] + told["not_restored"]
    named = done.stderr.decode()
    whole = 0
    for folder, _, names in os.walk(out):
        for name in names:
            inner = f"/{os.path.relpath(os.path.join(folder, name), out)}"
            if f"{inner.partition('.~')[0]}:" in named:
                continue  # reported: restored in part
            with open(os.path.join(folder, name), "rb") as file:
                assert file.read() in model.of_path[inner.partition(".~")[0]], inner
            whole += 1
    counts["restored"] = whole
    return counts


@pytest.mark.parametrize("kind", FILL)
@pytest.mark.parametrize("seed", range(int(os.environ.get("F2FSKIT_LONG_RUNS", 1))))
def test_nothing_is_called_whole_that_is_not(tmp_path, seed, kind):
    disk = tmp_path / "large.img"
    f2fskit.mkfs(disk, 128 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        model = Model(volume, f"{seed} {kind}")
        for _ in range(30):
            for _ in range(model.pick.randrange(1, 6)):
                model.change()
            model.commit()
        free = free_blocks(volume)
        held = volume.geometry.main_blkaddr, volume.read_raw(volume.geometry.segment_count_main * 512 * BLOCK,
                                                             volume.geometry.main_blkaddr * BLOCK)
    before = check_all(disk, model, tmp_path / "before")
    assert before[WHOLE] > 20 and BLANK not in before
    written = [block for block in free if any(held[1][(block - held[0]) * BLOCK:(block - held[0] + 1) * BLOCK])]
    starts = model.pick.sample(written, 80)
    gone = {block for start in starts for block in range(start, start + model.pick.choice((1, 1, 2, 8, 100)))} & set(free)
    with f2fskit.open(disk) as volume:
        nodes = {node.addr for ino in {ino for ino, _ in model.contents} for node in
                 (*volume.past(ino).versions(ino), *volume.past(ino).node_versions(ino))}
    gone |= {node for node in sorted(nodes & set(free)) if model.pick.random() < 0.2}
    discard(disk, gone, kind)
    after = check_all(disk, model, tmp_path / "some")
    assert after.get(WHOLE) < before.get(WHOLE)
    with f2fskit.open(disk) as volume:  # all contents that nobody uses, and no node
        nodes = {node.addr for ino in {ino for ino, _ in model.contents} for node in volume.past(ino).versions(ino)}
    discard(disk, sorted(set(free) - nodes), kind)
    last = check_all(disk, model, tmp_path / "all")
    assert last["restored"] <= before["restored"]


@pytest.mark.parametrize("kind", FILL)
def test_what_is_said_of_blank_files(tmp_path, disk, kind):
    """Contents in the inode are there; in a map a hole is zeros by right; a block that reads so is blank."""
    sparse = pattern("sparse", 5000).ljust(40_000, b"\0") + pattern("end", 5000)
    texts = {"/inline": b"small", "/plain": pattern("plain", 9000), "/sparse": sparse, "/half": pattern("half", 80_000),
             "/none": b""}
    with f2fskit.open(disk, "r+") as volume:
        for name, text in texts.items():
            volume.path(name).write_bytes(b"")
            with volume.path(name).open("r+b") as file:
                for at in range(0, len(text), BLOCK):
                    if any(text[at:at + BLOCK]):
                        file.seek(at)
                        file.write(text[at:at + BLOCK])
                file.truncate(len(text))
        volume.commit()
        places = {name: [extent.addr + i for extent in volume.lookup(name).extents() if extent.kind == f2fskit.ExtentKind.DATA
                         for i in range(extent.count)] for name in texts if name != "/inline"}
        for name in texts:
            volume.path(name).unlink()
        volume.commit()
    assert len(places["/sparse"]) == 4 and len(places["/half"]) == 20
    with f2fskit.open(disk) as volume:
        assert {file.path: file.confidence for file in volume.deleted()} == dict.fromkeys(texts, WHOLE)
    discard(disk, places["/plain"] + places["/half"][::2], kind)
    with f2fskit.open(disk) as volume:
        left = {file.path: file for file in volume.deleted()}
        assert {path: file.confidence for path, file in left.items()} == {
            "/inline": WHOLE, "/none": WHOLE, "/sparse": WHOLE, "/plain": BLANK, "/half": PART}
        assert left["/plain"].version.remains.blank == 3 and left["/plain"].version.remains.intact == 0
        assert (left["/half"].version.remains.blank, left["/half"].version.remains.intact) == (10, 10)
        assert left["/sparse"].open().read_bytes() == sparse
        with pytest.raises(f2fskit.OverwrittenError, match="blank: probably discarded"):
            left["/plain"].open().read_bytes()
        byte = b"\xff" if kind == "ones" else b"\0"
        assert left["/plain"].open(blank=True).read_bytes() == byte * 9000 == left["/plain"].open(overwritten=True).read_bytes()
        old = {moment.path: moment.confidence for moment in volume.timeline() if moment.confidence is not None}
        assert old == {path: file.confidence for path, file in left.items()}
        assert all(moment.confidence is None for moment in volume.timeline() if moment.state != f2fskit.MomentState.DELETED)
        addr = left["/plain"].version.addr
    told = json.loads(run(DUMP, "--json", "--deleted", f"--versions={left['/half'].ino}", disk).stdout)
    rows = {row["path"]: (row["left"], row["blank"], row["intact"]) for row in told["deleted"]}
    assert rows["/plain"] == ("blank", 3, 0) and rows["/half"] == ("part", 10, 10) and rows["/sparse"] == ("whole", 0, 4)
    assert [row["blank"] for row in told["versions"][0]["versions"]] == [10]
    assert b" blank" in run(DUMP, "--deleted", disk).stdout
    assert b"(deleted, blank, checkpoint" in run(DUMP, "--timeline", disk).stdout
    run(DUMP, f"--cat=@{addr}", disk, status=(8,))
    assert run(DUMP, "--blank", f"--cat=@{addr}", disk).stdout == byte * 9000

    done = run(DUMP, "--json", "--undelete=all", f"--to={tmp_path / 'out'}", disk, status=(4,))
    counts = json.loads(done.stdout)["undelete"][0]
    assert (counts["restored"], counts["restored_in_part"], counts["blank"], counts["not_restored"]) == (3, 1, 2, 1)
    assert b"/plain: its blocks are blank" in done.stderr and b"/half: 10 blocks are blank" in done.stderr
    assert not (tmp_path / "out/plain").exists() and (tmp_path / "out/sparse").read_bytes() == sparse
    half = (tmp_path / "out/half").read_bytes()
    assert all(half[i * BLOCK:(i + 1) * BLOCK] == (texts["/half"][i * BLOCK:(i + 1) * BLOCK] if i % 2 else bytes(BLOCK))
               for i in range(19))
    done = run(DUMP, "--json", "--blank", "--undelete=all", f"--to={tmp_path / 'as-is'}", disk, status=(4,))
    counts = json.loads(done.stdout)["undelete"][0]
    assert (counts["restored"], counts["restored_in_part"], counts["blank"], counts["not_restored"]) == (3, 2, 2, 0)
    assert (tmp_path / "as-is/plain").read_bytes() == byte * 9000
    done = run(DUMP, f"--undelete=@{addr}", f"--to={tmp_path / 'one'}", disk, status=(4,))
    assert not list((tmp_path / "one").iterdir())


def test_an_inode_older_than_its_nodes(disk):
    """When the last versions of an inode are discarded, an older one with newer nodes below it is no state that ever was."""
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").write_bytes(pattern(1, 5_000_000))
        volume.commit()
        inode = volume.lookup("/file")
        inode.pwrite(pattern(2, 10_000), 4_500_000)
        inode.pwrite(pattern(3, 10_000), 100)
        volume.commit()
        first, *others = volume.versions("/file")
        volume.path("/file").unlink()
        volume.commit()
        others = [version.addr for version in volume.versions(inode.number) if version.addr != first.addr]
    discard(disk, others, "hole")
    with f2fskit.open(disk) as volume:
        file, = volume.deleted()
        assert file.version.addr == first.addr and file.version.remains.nodes_later == 1
        assert file.confidence == LIKELY and file.open().read_bytes() != pattern(1, 5_000_000)


@pytest.mark.parametrize("options, back, left", [((), {"/inline"}, 2), (("-p",), {"/inline", "/half"}, 2),
                                                 (("-b",), {"/inline", "/half", "/plain"}, 2)])
def test_undelete_within_the_volume(disk, options, back, left):
    texts = {"/inline": b"small", "/plain": pattern("plain", 9000), "/half": pattern("half", 80_000)}
    with f2fskit.open(disk, "r+") as volume:
        for name, text in texts.items():
            volume.path(name).write_bytes(text)
        volume.commit()
        places = {name: [extent.addr + i for extent in volume.lookup(name).extents() for i in range(extent.count)]
                  for name in ("/plain", "/half")}
        for name in texts:
            volume.path(name).unlink()
        volume.commit()
    discard(disk, places["/plain"] + places["/half"][:5], "ones")
    done = run(EDIT, "--json", "-w", disk, "undelete", *options, "all", status=(4,))
    told = json.loads(done.stdout)
    assert (told["back"], told["left_out"], told["blank"]) == (len(back), left, 2) and b"blank" in done.stderr
    with f2fskit.open(disk) as volume:
        assert {path for path, _ in volume.scan()} - {"/"} == back
        assert volume.path("/inline").read_bytes() == b"small"
        if "/half" in back:
            start = b"\xff" if "-b" in options else b"\0"
            assert volume.path("/half").read_bytes() == start * 5 * BLOCK + texts["/half"][5 * BLOCK:]
        if "/plain" in back:
            assert volume.path("/plain").read_bytes() == b"\xff" * 9000


def test_a_digest_knows_zeros(disk):
    """A file of zeros that is gone is blank; with fs-verity it is whole, and one whose other blocks were discarded is not."""
    with f2fskit.open(disk, "r+") as volume:
        for name in ("/plain", "/sealed", "/broken"):
            volume.path(name).write_bytes(pattern(name, 5 * BLOCK)[:BLOCK] + bytes(3 * BLOCK) + pattern(name, BLOCK))
        for name in ("/sealed", "/broken"):
            volume.lookup(name).enable_verity()
        volume.commit()
        gone = next(volume.lookup("/broken").extents()).addr
        for name in ("/plain", "/sealed", "/broken"):
            volume.path(name).unlink()
        volume.commit()
    discard(disk, [gone], "hole")
    with f2fskit.open(disk) as volume:
        left = {file.path: file for file in volume.deleted()}
        assert {path: file.confidence for path, file in left.items()} == {"/plain": PART, "/sealed": WHOLE, "/broken": PART}
        assert left["/sealed"].version.remains.blank == 0 and left["/broken"].version.remains.blank == 4
        assert left["/sealed"].open().read_bytes()[BLOCK:4 * BLOCK] == bytes(3 * BLOCK)
        for name in ("/plain", "/broken"):
            with pytest.raises(f2fskit.OverwrittenError):
                left[name].open().read_bytes()


def test_carved_files(disk):
    """A structure that ends where it should proves nothing of the blank blocks in its middle."""
    chunk = pattern("chunk", 60_000)
    png = (b"\x89PNG\r\n\x1a\n" + (13).to_bytes(4, "big") + b"IHDR" + bytes(17) + len(chunk).to_bytes(4, "big") + b"IDAT" + chunk +
           bytes(4) + (0).to_bytes(4, "big") + b"IEND" + bytes(4))
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/image").write_bytes(png)
        volume.commit()
        place = next(volume.lookup("/image").extents()).addr
        volume.path("/image").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        found, = volume.carve("png")
        assert (found.end, found.blank, found.size) == (f2fskit.CarvedEnd.WHOLE, 0, len(png))
    discard(disk, range(place + 3, place + 6), "zeros")
    with f2fskit.open(disk) as volume:
        found, = volume.carve("png")
        assert (found.end, found.blank, found.size) == (f2fskit.CarvedEnd.GUESSED, 3, len(png))
    row, = json.loads(run(DUMP, "--json", "--carve=png", disk).stdout)["carve"]
    assert (row["end"], row["blank"]) == ("guessed", 3)


def test_holes_are_not_read(tmp_path):
    """Judging files whose blocks are holes of the device reads their nodes only; others are read once."""
    disk = tmp_path / "disk.img"
    f2fskit.mkfs(disk, 128 << 20, features=FEATURES)
    with f2fskit.open(disk, "r+") as volume:
        for i in range(200):
            volume.path(f"/file-{i}").write_bytes(pattern(i, 200_000))
        volume.commit()
        places = [extent.addr + k for i in range(200) for extent in volume.lookup(f"/file-{i}").extents()
                  for k in range(extent.count)]
        for i in range(200):
            volume.path(f"/file-{i}").unlink()
        volume.commit()

    def reads():
        """Return the bytes of contents that listing deleted files reads."""
        blocks = set(places)
        with f2fskit.Device.open(disk) as device, device.watch() as watch, f2fskit.open(watch) as volume:
            volume.deleted()
            return sum(BLOCK for read in watch.reads for at in range(read.offset, read.offset + read.length, BLOCK)
                       if at // BLOCK in blocks)

    contents = len(places) * BLOCK
    assert contents <= reads() < contents * 1.1
    discard(disk, places, "hole")
    assert reads() == 0


def test_discarded_by_our_own_commits(disk):
    """Blocks that our commit frees and discards are blank, with the volume open and after that; a view says so, too."""
    with f2fskit.open(disk, "r+") as volume:
        volume.configure(discard=True)
        volume.path("/kept").write_bytes(pattern("kept", 50_000))
        volume.path("/gone").write_bytes(pattern("gone", 50_000))
        volume.commit()
        before = volume.as_of(0)
        assert before.path("/gone").read_bytes() == pattern("gone", 50_000)
        volume.path("/gone").unlink()
        volume.commit()
        for one in volume.deleted():
            assert one.confidence >= BLANK and one.version.remains.intact == 0
        with pytest.raises(f2fskit.OverwrittenError):
            before.path("/gone").read_bytes()
    with f2fskit.open(disk) as volume:
        assert all(one.confidence >= BLANK for one in volume.deleted())
        assert volume.path("/kept").read_bytes() == pattern("kept", 50_000)
