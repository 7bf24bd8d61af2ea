# SPDX-License-Identifier: LGPL-2.1-or-later
"""Old versions of inodes: found, judged and read, against a model that knows every version and every block."""
import itertools
import random

import pytest

import f2fskit
from conftest import pattern

FEATURES = ["extra_attr", "inode_checksum", "inode_crtime", "flexible_inline_xattr"]


def make(path, size=64 << 20, **options):
    f2fskit.mkfs(path, size, features=FEATURES, **options)
    return path


@pytest.fixture
def disk(tmp_path):
    return make(tmp_path / "disk.img")


def test_versions_of_a_live_file(disk):
    texts = [b"first", b"second version", pattern(1, 300_000), pattern(2, 5000)]
    with f2fskit.open(disk, "r+") as volume:
        path = volume.path("/file")
        for text in texts:
            path.write_bytes(text)
            volume.commit()
    with f2fskit.open(disk) as volume:
        found = volume.versions("/file")
        assert [version.open().read_bytes() for version in found] == texts
        assert [version.stat.st_size for version in found] == [len(text) for text in texts]
        assert [version.is_current for version in found] == [False, False, False, True]
        assert all(version.confidence == f2fskit.Confidence.WHOLE for version in found)
        assert [version.name for version in found] == ["file"] * 4
        assert [version.age for version in found] == sorted((version.age for version in found), reverse=True)
        inode = volume.inode_at(found[0].addr)
        assert inode.is_past and inode.address == found[0].addr and inode.number == volume.lookup("/file").number
        assert not volume.lookup("/file").is_past and volume.lookup("/file").address == found[-1].addr


def ticking():
    """Return a clock for changes that differ by their times: the volume's own may stand between two of them."""
    return itertools.count(1_700_000_000 * 10**9, 10**6 + 1).__next__


def test_a_tree_of_nodes(tmp_path):
    """Direct and indirect nodes, attributes in a node of their own: those of the time, not today's."""
    disk = make(tmp_path / "big.img", 256 << 20)
    far = 4096 * (923 + 2 * 1018 + 700)  # below the first indirect node
    with f2fskit.open(disk, "r+", now=ticking()) as volume:
        path = volume.path("/file")
        path.write_bytes(pattern(1, 6_000_000))
        inode = path.inode()
        inode.pwrite(b"far", far)
        inode.xattrs["user.big"] = pattern(3, 3000)
        volume.commit()
        inode.pwrite(b"FAR AWAY", far)
        inode.pwrite(b"changed", 5_000_000)
        inode.xattrs["user.big"] = pattern(4, 3000)
        volume.commit()
    with f2fskit.open(disk) as volume:
        old, new = volume.versions("/file")
        assert old.confidence == f2fskit.Confidence.LIKELY and old.remains.shared > 1000
        assert old.remains.nodes >= 4 and old.remains.nodes_lost == 0
        was = old.open()
        first = pattern(1, 6_000_000)
        assert was.read_bytes() == first + bytes(far - len(first)) + b"far"
        assert was.xattrs["user.big"] == pattern(3, 3000) and new.open().xattrs["user.big"] == pattern(4, 3000)
        assert new.open().read_bytes() == volume.read_bytes("/file")
        assert [node.addr for node in new.open().nodes()] == [node.addr for node in volume.lookup("/file").nodes()]
        assert {node.addr for node in was.nodes()} - {node.addr for node in new.open().nodes()}


def test_nodes_below_an_inode(tmp_path):
    """Old and current ones by id and place, each kind; those of a file that is gone, and whose block was used again."""
    disk, kinds = make(tmp_path / "big.img", 256 << 20), f2fskit.NodeVersionKind
    far = 923 + 2 * 1018 + 2 * 1018 * 1018  # about where the double-indirect node begins
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").write_bytes(b"")
        inode, seen = volume.lookup("/file"), {}
        for block in (0, 1000, 1001, 2500, 3000, 3000 + 1018 * 1018, far + 5000):
            inode.pwrite(b"x" * 4096, block * 4096)
            volume.commit()
            for node in inode.nodes()[1:]:
                seen[node.addr] = (node.nid, node.node_offset)
        inode.xattrs["user.big"] = pattern(3, 3000)
        volume.commit()
        current = {node.addr for node in inode.nodes()[1:]}
        seen.update({node.addr: (node.nid, node.node_offset) for node in inode.nodes()[1:]})
        layout, ino = inode.layout, inode.number
    with f2fskit.open(disk) as volume:
        found = volume.node_versions("/file")
        assert {node.addr: (node.nid, node.node_offset) for node in found} == seen
        assert {node.addr for node in found if node.flags & f2fskit.VersionFlag.CURRENT} == current < set(seen)
        assert [(node.nid, -node.age) for node in found] == sorted((node.nid, -node.age) for node in found)
        assert {node.kind for node in found} == set(kinds) and {node.ino for node in found} == {ino}
        slots = layout.slots
        starts = {1: slots, 2: slots + 1018, 3: slots + 2036, 4: slots + 2036, 1022: slots + 2036 + 1018 * 1018,
                  2041: far - 923 + slots, 2042: far - 923 + slots, 0x1FFFFFFF: None}
        for node in found:
            if node.node_offset in starts:
                assert node.file_block == starts[node.node_offset], node
            assert node.used >= 1 or node.kind == kinds.XATTR
        assert {2041, 3, 1022, 0x1FFFFFFF} <= {node.node_offset for node in found}
        with pytest.raises(f2fskit.InvalidError):
            volume.past(ino + 1).node_versions(ino)
        with pytest.raises(f2fskit.RangeError):
            volume.node_versions(volume.geometry.max_nid)
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").unlink()
        volume.commit()
        assert {node.addr for node in volume.node_versions(ino)} >= current
        assert not any(node.flags & f2fskit.VersionFlag.CURRENT for node in volume.node_versions(ino))


def test_an_old_directory(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/dir").mkdir()
        for i in range(300):
            volume.path(f"/dir/file-{i}").write_bytes(b"")
        volume.commit()
        for i in range(0, 300, 2):
            volume.path(f"/dir/file-{i}").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        old = volume.versions("/dir")[0].open()
        assert {entry.name for entry in old.iterdir()} == {f"file-{i}" for i in range(300)}
        assert old.entry("file-8").name == "file-8"
        with pytest.raises(f2fskit.NotFoundError):
            volume.lookup("/dir").entry("file-8")


def test_reused_numbers_and_blocks(tmp_path):
    """A file of another use of the number, and one whose blocks went to others."""
    disk = make(tmp_path / "small.img", 64 << 20)
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/old").write_bytes(pattern(1, 4 << 20))
        volume.commit()
        ino = volume.lookup("/old").number
        addr = volume.lookup("/old").address
        volume.path("/old").unlink()
        volume.commit()
        for i in range(60):  # until everything was written over
            volume.path(f"/new-{i % 4}").write_bytes(pattern(100 + i, 1 << 20))
            volume.commit()
    with f2fskit.open(disk) as volume:
        try:
            inode = volume.inode_at(addr)
        except (f2fskit.NotFoundError, f2fskit.CorruptError):
            pytest.fail("the node log came round in this short test: make it shorter")
        assert inode.number == ino
        version = next(version for version in volume.versions(ino) if version.addr == addr)
        assert version.remains.overwritten > 0 and version.confidence >= f2fskit.Confidence.PART
        with pytest.raises(f2fskit.OverwrittenError, match="written by others"):
            inode.read_bytes()
        assert len(volume.inode_at(addr, overwritten=True).read_bytes()) == 4 << 20


def test_it_cannot_be_changed(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").write_bytes(b"one")
        volume.path("/dir").mkdir()
        volume.commit()
        volume.path("/file").write_bytes(b"two")
        volume.path("/dir/x").write_bytes(b"")
        volume.commit()
        file = volume.versions("/file")[0].open()
        directory = volume.versions("/dir")[0].open()
        for change in (lambda: file.pwrite(b"x", 0), lambda: file.truncate(0), lambda: file.fsync(),
                       lambda: file.xattrs.__setitem__("user.a", b"b"), lambda: file.set(mode=0o600),
                       lambda: directory.create("y", 0o100644), lambda: directory.remove("x"),
                       lambda: directory.rename("x", volume.root, "y"), lambda: volume.root.rename("dir", directory, "y"),
                       lambda: file.fallocate(0, 9999), lambda: file.pwrite_atomic([(0, b"x")]), file.enable_verity,
                       file.release_compressed, lambda: file.compress(),
                       lambda: directory.link("z", volume.lookup("/file")),
                       lambda: volume.root.link("z", file)):
            with pytest.raises(f2fskit.ReadOnlyError, match="old version"):
                change()
        assert file.read_bytes() == b"one" and volume.read_bytes("/file") == b"two"
        assert volume.lookup("/dir").entry("x").name == "x"


def test_a_search_is_of_its_moment(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/file").write_bytes(pattern(1, 100_000))
        volume.commit()
        volume.path("/file").write_bytes(pattern(2, 100_000))
        volume.commit()
        past = volume.past()
        old = past.versions(volume.lookup("/file").number)[0].open()
        volume.path("/other").write_bytes(b"x" * 100_000)
        with pytest.raises(f2fskit.StateError, match="changed since"):
            old.read_bytes()
        with pytest.raises(f2fskit.StateError):
            past.versions(4)
        with pytest.raises(f2fskit.StateError, match="wait for their commit"):
            volume.past()
        volume.commit()
        assert volume.versions("/file")[0].open().read_bytes() == pattern(1, 100_000)


def test_wrong_places(disk):
    with f2fskit.open(disk) as volume:
        for addr in (0, 1, volume.geometry.main_blkaddr - 1, volume.geometry.end_blkaddr, 0xFFFFFFFF):
            with pytest.raises(f2fskit.RangeError):
                volume.inode_at(addr)
        with pytest.raises(f2fskit.NotFoundError):
            volume.inode_at(volume.geometry.end_blkaddr - 1)
        for ino in (0, volume.geometry.max_nid, 0xFFFFFFFF):
            with pytest.raises(f2fskit.RangeError):
                volume.past().versions(ino)
        past = volume.past(3)
        with pytest.raises(ValueError, match="search was for inode 3"):
            past.versions(4)
        assert volume.versions(1000) == []
        assert not volume.past(max_segments=100).stat().is_cut and volume.past(max_segments=1).stat().is_cut


class Model:
    """What each inode held at each commit, and what each block of the main area held when it was last written."""

    def __init__(self, volume, seed):
        self.volume, self.random = volume, random.Random(seed)
        self.contents = {}  # (ino, generation) -> every contents it had at a commit
        self.count = 0

    def change(self):
        volume, pick = self.volume, self.random
        name = f"/d{pick.randrange(3)}/f{pick.randrange(6)}"
        path = volume.path(name)
        self.count += 1
        what = pick.randrange(10)
        if not path.parent.exists():
            path.parent.mkdir()
        if what < 2 and path.exists():
            path.unlink()
        elif what < 4 and path.exists():
            inode = path.inode()
            inode.pwrite(pattern(self.count, pick.choice((1, 5000, 70_000))), pick.randrange(1 << 20))
        elif what < 5 and path.exists():
            path.inode().truncate(pick.randrange(200_000))
        else:
            path.write_bytes(pattern(self.count, pick.choice((10, 3000, 5000, 60_000, 300_000, 2_000_000))))

    def commit(self):
        self.volume.commit()
        for path, entry in self.volume.scan():
            inode = entry.inode()
            if inode.is_file():
                was = self.contents.setdefault((inode.number, inode.i_generation), [])
                now = inode.read_bytes()
                if not was or was[-1] != now:
                    was.append(now)


@pytest.mark.parametrize("seed", range(3))
def test_against_a_model(tmp_path, seed):
    """Data of an old version read without an error equals that file at some commit. A block reported as intact has its old
    contents. Nothing is written."""
    disk = make(tmp_path / "model.img", 128 << 20)
    with f2fskit.open(disk, "r+") as volume:
        model = Model(volume, seed)
        for _ in range(60):
            for _ in range(model.random.randrange(1, 6)):
                model.change()
            model.commit()
    before = disk.read_bytes()
    counts = {confidence: 0 for confidence in f2fskit.Confidence}
    with f2fskit.open(disk) as volume:
        past = volume.past()
        for ino in {ino for ino, _ in model.contents}:
            one = volume.past(ino)
            found = past.versions(ino)
            assert [version.addr for version in one.versions(ino)] == [version.addr for version in found]
            for version in found:
                if not version.stat.st_mode & 0o100000 or version.stat.st_mode & 0o40000:
                    continue
                counts[version.confidence] += 1
                known = model.contents.get((ino, version.generation), [])
                try:
                    contents = version.open().read_bytes()
                except f2fskit.OverwrittenError:
                    assert version.confidence >= f2fskit.Confidence.PART
                    continue
                assert version.confidence < f2fskit.Confidence.PART
                assert contents in known, version
                if version.is_current:
                    assert version.confidence == f2fskit.Confidence.WHOLE and version.remains.current == version.remains.blocks
    assert counts[f2fskit.Confidence.WHOLE] > 20, counts
    assert disk.read_bytes() == before


def names_left(disk):
    with f2fskit.open(disk) as volume:
        return {file.path: file for file in volume.deleted()}


def test_deleted_files(disk):
    """Each with its path, type and contents; nothing that is still there."""
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/a/b").mkdir(parents=True)
        volume.path("/a/b/file").write_bytes(pattern(1, 200_000))
        volume.path("/a/small").write_bytes(b"small")
        volume.path("/a/link").symlink_to("b/file")
        volume.path("/kept").write_bytes(b"kept")
        volume.path("/renamed").write_bytes(b"renamed")
        volume.commit()
        volume.path("/renamed").rename("/other name")
        for name in ("/a/b/file", "/a/small", "/a/link"):
            volume.path(name).unlink()
        volume.path("/a/b").rmdir()
        volume.commit()
    found = names_left(disk)
    assert set(found) == {"/a/b", "/a/b/file", "/a/small", "/a/link"}
    assert {path: file.type.name for path, file in found.items()} == {
        "/a/b": "DIRECTORY", "/a/b/file": "REGULAR", "/a/small": "REGULAR", "/a/link": "SYMLINK"}
    assert all(file.confidence == f2fskit.Confidence.WHOLE for file in found.values())
    assert found["/a/small"].path_state == f2fskit.PathState.SURE
    with f2fskit.open(disk) as volume:
        found = {file.path: file for file in volume.deleted()}
        assert found["/a/b/file"].open().read_bytes() == pattern(1, 200_000)
        assert found["/a/link"].open().readlink() == "b/file"


def test_a_name_alone(disk):
    """Made and removed between two commits: no inode was ever written, and no name."""
    with f2fskit.open(disk, "r+") as volume:
        for i in range(400):
            volume.path(f"/file-{i:03}").write_bytes(b"")
        volume.commit()
        addresses = [volume.lookup(f"/file-{i:03}").address for i in range(400)]
        for i in range(0, 400, 4):
            volume.path(f"/file-{i:03}").unlink()
        volume.commit()
    with open(disk, "r+b") as image:  # whatever wrote over the inodes
        for i in range(0, 400, 4):
            image.seek(addresses[i] * 4096)
            image.write(b"\xff" * 4096)
    found = names_left(disk)
    assert set(found) == {f"/file-{i:03}" for i in range(0, 400, 4)}
    for file in found.values():
        assert file.confidence == f2fskit.Confidence.NAME and file.path_state == f2fskit.PathState.SURE
        with pytest.raises(f2fskit.NotFoundError, match="only the name"):
            file.open()


def test_a_parent_that_is_gone(disk):
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/dir").mkdir()
        volume.path("/dir/file").write_bytes(pattern(1, 9000))
        volume.commit()
        place = volume.lookup("/dir").address
        number = volume.lookup("/dir").number
        volume.path("/dir/file").unlink()
        volume.path("/dir").rmdir()
        volume.commit()
        places = {place, *(version.addr for version in volume.versions(number))}
    with open(disk, "r+b") as image:
        for place in places:
            image.seek(place * 4096)
            image.write(bytes(4096))
    found = names_left(disk)
    assert found[f"<inode {number}>/file"].path_state == f2fskit.PathState.PART


def test_timeline(disk):
    with f2fskit.open(disk, "r+", now=1_700_000_000_000_000_000) as volume:
        volume.path("/file").write_bytes(b"1")
        volume.path("/gone").write_bytes(b"1")
        volume.commit()
    with f2fskit.open(disk, "r+", now=1_800_000_000_123_456_789) as volume:
        volume.path("/file").write_bytes(b"22")
        volume.path("/gone").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        moments = [moment for moment in volume.timeline() if moment.path != "/"]
        state = f2fskit.MomentState
        assert [(moment.path, moment.state, moment.stat.st_size, moment.stat.st_mtime_ns) for moment in moments] == [
            ("/file", state.OLD, 1, 1_700_000_000_000_000_000), ("/file", state.LIVE, 2, 1_800_000_000_123_456_789),
            ("/gone", state.DELETED, 1, 1_700_000_000_000_000_000)]
        assert moments[0].cp_ver + 1 == moments[1].cp_ver and moments[0].age == moments[1].age + 1


def test_timeline_of_renamed_files(disk):
    """An inode's own record of its name gets stale when the file is renamed or loses a name: a file in use has the name in
    its directory."""
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/dir").mkdir()
        for name in ("/renamed", "/linked", "/stays", "/away"):
            volume.path(name).write_bytes(name.encode())
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/renamed").rename("/new-name")
        volume.path("/away").rename("/dir/away")
        volume.path("/dir/second").hardlink_to("/linked")
        volume.path("/linked").unlink()
    with f2fskit.open(disk) as volume:
        live = {moment.path: moment.stat.st_size for moment in volume.timeline() if moment.state == f2fskit.MomentState.LIVE}
        assert {path: volume.path(path).stat().st_size for path in live} == live
        assert {"/new-name": 8, "/dir/away": 5, "/dir/second": 7, "/stays": 6}.items() <= live.items()
        sure = [moment.path for moment in volume.timeline() if moment.path_state == f2fskit.PathState.PART]
        assert not [path for path in sure if path in live]


@pytest.mark.parametrize("seed", range(2))
def test_rubbish(tmp_path, seed):
    """Random blocks, node blocks in wrong places, wrong footers: no crash, and no endless loop."""
    disk = make(tmp_path / "rubbish.img", 64 << 20)
    pick = random.Random(seed)
    with f2fskit.open(disk, "r+") as volume:
        model = Model(volume, seed)
        for _ in range(15):
            for _ in range(4):
                model.change()
            model.commit()
        first, end = volume.geometry.main_blkaddr, volume.geometry.end_blkaddr
        nodes = [node.block_addr for node in volume.nat if node.block_addr >= first]
        live = set(nodes)
    raw = bytearray(disk.read_bytes())
    for _ in range(400):
        source, place = pick.choice(nodes), pick.randrange(first, first + (end - first) // 4)
        if place in live:
            continue
        block = bytearray(raw[source * 4096:source * 4096 + 4096])
        for _ in range(pick.randrange(3)):
            at = pick.choice((4072, 4076, 4080, 4084, 4096 - 24 - 20, 16, 360 + 4 * pick.randrange(900)))
            block[at:at + 4] = pick.choice((3, 4, 5, 0xFFFFFFFF, pick.randrange(1 << 32), place)).to_bytes(4, "little")
        raw[place * 4096:place * 4096 + 4096] = block
    disk.write_bytes(raw)
    with f2fskit.open(disk) as volume:
        past = volume.past(thorough=True)
        for file in past.deleted():
            try:
                file.open().read_bytes()
            except f2fskit.Error:
                pass
        past.timeline()
        for ino in {ino for ino, _ in model.contents}:
            for version in past.versions(ino):
                try:
                    version.open().read_bytes()
                except f2fskit.Error:
                    pass
    assert disk.read_bytes() == raw


def test_a_digest_finds_what_tables_cannot(tmp_path):
    """Blocks that somebody wrote over without a trace in any table: a file with fs-verity is found out, another is not."""
    disk = tmp_path / "sealed.img"
    f2fskit.mkfs(disk, 64 << 20, features=[*FEATURES, "verity"])
    with f2fskit.open(disk, "r+") as volume:
        for name in ("/sealed", "/intact", "/plain"):
            volume.path(name).write_bytes(pattern(name, 30_000))
        volume.lookup("/sealed").enable_verity()
        volume.lookup("/intact").enable_verity()
        volume.commit()
        places = [next(volume.lookup(name).extents()).addr + 3 for name in ("/sealed", "/plain")]
        for name in ("/sealed", "/intact", "/plain"):
            volume.path(name).unlink()
        volume.commit()
    with open(disk, "r+b") as file:
        for place in places:
            file.seek(place * 4096 + 77)
            file.write(b"somebody else")
    with f2fskit.open(disk) as volume:
        left = {one.path: one.confidence for one in volume.deleted()}
        assert left == {"/sealed": f2fskit.Confidence.PART, "/intact": f2fskit.Confidence.WHOLE,
                        "/plain": f2fskit.Confidence.WHOLE}


def test_what_differs(disk):
    """Fields, attributes and ranges of two versions; a file of terabytes whose node is lost is reported at once."""
    with f2fskit.open(disk, "r+", now=ticking()) as volume:
        path = volume.path("/compared")
        path.write_bytes(pattern(3, 100_000))
        volume.commit()
        with path.open("r+b") as file:
            file.seek(40960)
            file.write(b"other")
        path.inode().xattrs["user.a"] = b"b"
        volume.commit()
        first, second = [v for v in volume.versions("/compared") if v.stat.st_size][-2:]
        found = volume.differences(first, second)
        kinds = f2fskit.VersionDifferenceKind
        assert [(row.file_block, row.blocks, row.contents) for row in found if row.kind == kinds.RANGE] == [
            (10, 1, f2fskit.VersionContents.DIFFER)]
        assert [row.name for row in found if row.kind == kinds.XATTR] == ["user.a"]
        assert "i_ctime_nsec" in [row.name for row in found if row.kind == kinds.FIELD]
        assert volume.differences(second.addr, path.inode()) == []
        with path.open("r+b") as file:
            file.seek(3 << 40)
            file.write(b"far")
        volume.commit()
        node = next(node.addr for node in path.inode().nodes() if node.nid != path.inode().number)
        addr = volume.versions("/compared")[-1].addr
    with open(disk, "r+b") as file:
        file.seek(node * 4096)
        file.write(bytes(4096))
    with f2fskit.open(disk) as volume:
        found = volume.differences(first.addr, addr)
        lost = [row for row in found if row.contents == f2fskit.VersionContents.UNKNOWN]
        assert lost and lost[-1].blocks > 1 << 20
