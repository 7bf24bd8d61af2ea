# SPDX-License-Identifier: LGPL-2.1-or-later
"""What programs expect of pathlib, of mappings and of text: paths, volumes, enumerations, targets."""
import io
import json
import mmap
import operator
import os
import pathlib
import stat

import f2fskit
import pytest
from conftest import pattern
from f2fskit import Entry, build

TREE = {
    "dir": {"file": pattern(1, 10_000), "sub": {"deep": Entry(contents=b"deep", mode=0o4750, owner=(1, 2), time=10**18,
                                                              xattrs={"user.x": b"y"})},
            "up": Entry(symlink="../other"), "link": Entry(symlink="sub")},
    "other": b"other", "again": Entry(hardlink="other"), "loop": Entry(symlink="loop"), "abs": Entry(symlink="/dir/link/deep"),
    "pipe": Entry(mode=stat.S_IFIFO | 0o600), "socket": b"", "block": Entry(mode=stat.S_IFBLK | 0o600, device=os.makedev(8, 1)),
    "char": Entry(mode=stat.S_IFCHR | 0o600, device=os.makedev(1, 3)), "dangling": Entry(symlink="none/x"),
}


@pytest.fixture
def volume():
    with build(TREE) as device, f2fskit.Device.memory(100 << 20, context=device.context) as larger:
        larger.write(0, device.read(0, device.size))
        f2fskit.resize(larger)
        with f2fskit.open(larger, "r+") as opened:
            yield opened
            opened.commit()
            assert f2fskit.check(larger.overlay()).is_sound


def test_text_of_a_path(volume):
    path, pure = volume["/dir/sub/x.tar.gz"], pathlib.PurePosixPath("/dir/sub/x.tar.gz")
    for name in ("drive", "root", "anchor", "name", "stem", "suffix", "suffixes", "parts"):
        assert getattr(path, name) == getattr(pure, name)
    assert str(path.with_stem("y")) == str(pure.with_stem("y")) and str(path.with_segments("/a", "b")) == "/a/b"
    assert path.is_absolute() and path.absolute() is path
    for other in ("/", "/dir", "/dir/sub/x.tar.gz", "/di", "/dir/sub/x", "/other"):
        is_below = pure == pathlib.PurePosixPath(other) or pathlib.PurePosixPath(other) in pure.parents
        assert path.is_relative_to(other) == path.is_relative_to(volume[other]) == is_below


def test_types(volume):
    for name, kind in (("pipe", "is_fifo"), ("block", "is_block_device"), ("char", "is_char_device"), ("dir", "is_dir")):
        for question in ("is_fifo", "is_socket", "is_block_device", "is_char_device", "is_dir"):
            assert getattr(volume["/" + name], question)() == (question == kind)
    assert volume["/"].is_mount() and not volume["/dir"].is_mount() and not volume["/none"].is_fifo()


def test_info(volume):
    """The protocol of pathlib.types.PathInfo: answers are those of the path, and stay as they were."""
    paths = [volume["/" + name] for name in ("dir", "other", "pipe", "dangling", "loop", "none", "other/x", "abs", "dir/link", "char")]
    for path in paths + list(volume["/"].iterdir()) + list(volume["/dir"].iterdir()):
        info = path.info
        assert info is path.info and info.is_symlink() == path.is_symlink()
        for follow in (True, False):
            for question in ("exists", "is_dir", "is_file"):
                assert getattr(info, question)(follow_symlinks=follow) == getattr(path, question)(follow_symlinks=follow), path
    path, = (path for path in volume["/"].iterdir() if path.name == "other")
    path.unlink()
    assert path.info.is_file() and not path.exists() and not volume["/other"].info.exists()


def test_owner_and_group(volume):
    """By the tables of the volume, not of the host."""
    with pytest.raises(KeyError, match="/etc/passwd of the volume has no name for the id 1"):
        volume["/dir/sub/deep"].owner()
    volume["/etc"].mkdir()
    volume["/etc/passwd"].write_bytes(b"root:x:0:0::/:\nodd line\nn\xffme:x:1:2:Some One:/:/bin/sh\nsecond:x:1:9::/:\n")
    volume["/etc/group"].write_text("root:x:0:\nstaff:x:2:root,other\n")
    assert (volume["/abs"].owner(), volume["/abs"].group()) == ("n\udcffme", "staff")
    assert (volume["/abs"].owner(follow_symlinks=False), volume["/abs"].group(follow_symlinks=False)) == ("root", "root")
    with pytest.raises(f2fskit.NotFoundError):
        volume["/none"].owner()


def test_resolve_and_samefile(volume):
    for given, wanted in (("/abs", "/dir/sub/deep"), ("/dir/up", "/other"), ("/dir/link/../other", "/dir/other"),
                          ("/dir/link/deep", "/dir/sub/deep"), ("/none/../x", "/x"), ("/dangling", "/none/x"), ("/", "/"),
                          ("/dir/link/..", "/dir"), ("/../dir", "/dir")):
        assert str(volume[given].resolve()) == wanted
    for strict in (False, True):
        with pytest.raises(f2fskit.LoopError):
            volume["/loop"].resolve(strict=strict)
    with pytest.raises(FileNotFoundError):
        volume["/dangling"].resolve(strict=True)
    assert volume["/other"].samefile("/again") and volume["/dir/up"].samefile(volume["/again"])
    assert not volume["/other"].samefile("/dir")
    with pytest.raises(FileNotFoundError):
        volume["/other"].samefile("/none")


def test_walk(volume):
    def shown(walk):
        return [(str(path), sorted(dirs), sorted(names)) for path, dirs, names in walk]

    wanted = [("/dir", ["sub"], ["file", "link", "up"]), ("/dir/sub", [], ["deep"])]
    assert shown(volume["/dir"].walk()) == wanted and shown(volume["/dir"].walk(top_down=False)) == wanted[::-1]
    for _, dirs, _ in volume["/dir"].walk():
        dirs.clear()
    with pytest.raises(FileNotFoundError):
        list(volume["/none"].walk())
    errors = []
    assert list(volume["/none"].walk(on_error=errors.append)) == [] and len(errors) == 1
    with pytest.raises(NotImplementedError):
        next(volume["/"].walk(follow_symlinks=True))


def tree_of(path):
    found = {}
    for name, entry in path.volume.scan(path):
        status = entry.stat()
        inode = entry.inode()
        found[name[len(str(path)):]] = (status.st_mode, status.st_uid, status.st_gid, status.st_mtime_ns, status.st_rdev,
                                        inode.read_bytes() if inode.is_file() else inode.readlink() if inode.is_symlink() else None,
                                        dict(inode.xattrs))
    return found


def test_copy_and_move(volume):
    before = tree_of(volume["/dir"])
    assert str(volume["/dir"].copy("copied")) == "/copied" and tree_of(volume["/copied"]) == before
    assert volume["/dir/sub/deep"].copy("/deep").stat().filemode == "-rwsr-x---"
    assert volume["/dir/up"].copy("/followed").read_bytes() == b"other" and not volume["/followed"].is_symlink()
    assert volume["/dir/up"].copy("/link", follow_symlinks=False).is_symlink()
    for target in ("/other", "/dir/sub/below/more"):
        with pytest.raises(FileExistsError if target == "/other" else ValueError):
            volume["/dir"].copy(target)
    with pytest.raises(FileExistsError) as caught:
        volume["/deep"].move("/other")
    assert (caught.value.filename, caught.value.filename2) == ("/deep", "/other")
    assert volume["/copied"].move("/moved").is_dir() and "/copied" not in volume and tree_of(volume["/moved"]) == before
    with f2fskit.Device.memory(64 << 20) as other:
        f2fskit.mkfs(other)
        with f2fskit.open(other, "r+") as second:
            volume["/moved"].move(second["/there"])
            volume["/deep"].move(second["/deep"])
            assert tree_of(second["/there"]) == before and second["/deep"].read_bytes() == b"deep"
    assert "/moved" not in volume and "/deep" not in volume


def test_volume_as_a_mapping(volume):
    assert volume["/dir/file"].read_bytes() == TREE["dir"]["file"] and volume[pathlib.PurePath("other")].exists()
    assert "/other" in volume and volume["/other"] in volume and "/none" not in volume and "/dangling" not in volume
    assert b"/other" in volume and b"/none" not in volume and volume[b"other"] == volume["/other"] == volume["/"] / b"other"
    volume["/odd\udcff"].touch()
    assert b"/odd\xff" in volume and bytes(volume[b"/odd\xff"]) == b"/odd\xff"
    assert 3 not in volume
    with pytest.raises(TypeError, match="scan"):
        iter(volume)


def test_representation(volume, tmp_path):
    volume["/new"].touch()
    assert repr(volume).endswith('"r+" with changes>') and "MemoryDevice" in repr(volume)
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image) as reader:
        assert repr(reader) == f"<f2fskit.Volume {str(image)!r} {reader.uuid}>"


def test_representation_of_a_buffer():
    data = bytearray(64 << 20)
    f2fskit.mkfs(data)
    for source in (data, memoryview(data)):
        with f2fskit.open(source) as found:
            assert repr(found) == f"<f2fskit.Volume in {type(source).__name__} of {len(data)} bytes {found.uuid}>"


def test_representation_of_parts(volume):
    assert repr(volume.nat) == f"<f2fskit.Nat of {len(volume.nat)} entries>" and repr(volume.sit).startswith("<f2fskit.Sit of ")
    table = volume.ssa
    assert repr(table) == f"<f2fskit.Ssa of {len(table)} entries>"
    with f2fskit.open(f2fskit.build({})) as other:
        table = other.sit
    assert repr(table) == "<f2fskit.Sit of a closed volume>"
    assert repr(f2fskit.Context()) == "<f2fskit.Context with no callbacks>"
    assert repr(f2fskit.Context(log=print, now=lambda: 0)) == "<f2fskit.Context with log, now>"


def test_order_of_paths(volume):
    one, two = volume["/dir"], volume["/other"]
    assert one < two and one <= two <= two and two > one and two >= one and not one >= two
    for other in ("/other", pathlib.PurePosixPath("/other"), None):
        for compare in (operator.lt, operator.le, operator.gt, operator.ge):
            with pytest.raises(TypeError):
                compare(one, other)


def test_links_that_are_not_followed(volume):
    assert volume["/dangling"].exists(follow_symlinks=False) and not volume["/dangling"].exists()
    assert volume["/dir/link"].is_dir() and not volume["/dir/link"].is_dir(follow_symlinks=False)
    assert volume["/abs"].is_file() and not volume["/abs"].is_file(follow_symlinks=False)
    assert not volume["/dir"].is_junction()


@pytest.mark.parametrize("path, pattern, same, folded", [
    ("/dir/sub/Deep.TXT", "**/*.TXT", True, True), ("/dir/sub/Deep.TXT", "**/*.txt", False, True),
    ("/dir/sub/deep", "/dir/*/deep", True, True), ("/dir/sub/deep", "/dir/*", False, False), ("/dir/sub/deep", "/**", True, True),
    ("/dir/sub/deep", "/dir/sub/deep/**", False, False), ("/dir/sub/deep", "/dir/**", True, True), ("/", "/**", True, True),
    ("/dir", "/dir/**/**", False, False), ("/", "**", True, True), ("/dir", "**/**", True, True), ("/dir", "/none/**", False, False),
    ("/dir/sub/deep", "/**/sub/**/deep", True, True), ("/dir", "dir", False, False),
    ("/dir/sub/deep", "/**/deep/**/deep", False, False), ("/", "/", True, True), ("/a", "/[ab]", True, True), ("/A", "/[ab]", False, True),
])
def test_full_match(volume, path, pattern, same, folded):
    found = volume[path]
    assert (found.full_match(pattern), found.full_match(pattern, case_sensitive=False)) == (same, folded)
    assert found.full_match(pattern, case_sensitive=True) == same
    if hasattr(pathlib.PurePath, "full_match"):
        assert pathlib.PurePosixPath(path).full_match(pattern) == same


def test_letters_of_both_cases(volume):
    volume["/dir/Sub.D"].mkdir()
    volume["/dir/Sub.D/FILE.txt"].write_text("a\r\n")
    assert [str(path) for path in volume["/"].glob("DIR/sub.d/file.*", case_sensitive=False)] == ["/dir/Sub.D/FILE.txt"]
    assert list(volume["/"].glob("DIR/sub.d/file.*")) == list(volume["/"].rglob("file.txt")) == []
    assert [path.name for path in volume["/"].rglob("file.TXT", case_sensitive=False)] == ["FILE.txt"]
    assert volume["/dir/Sub.D"].match("sub.*", case_sensitive=False) and not volume["/dir/Sub.D"].match("sub.*")
    assert volume["/dir/Sub.D/FILE.txt"].read_text(newline="") == "a\r\n" and volume["/dir/Sub.D/FILE.txt"].read_text() == "a\n"


def test_relative_paths_upwards(volume):
    assert volume["/dir/sub"].relative_to("/dir") == volume["/dir/sub"].relative_to("/dir", walk_up=True) == pathlib.PurePosixPath("sub")
    assert volume["/dir/sub"].relative_to(volume["/other/x"], walk_up=True) == pathlib.PurePosixPath("../../dir/sub")
    with pytest.raises(ValueError):
        volume["/dir/sub"].relative_to("/other")


def test_copy_and_move_into_a_directory(volume):
    volume["/new"].mkdir()
    assert str(volume["/dir/sub"].copy_into("/new")) == "/new/sub" and volume["/new/sub/deep"].read_bytes() == b"deep"
    assert str(volume["/other"].move_into(volume["/new"])) == "/new/other" and "/other" not in volume
    assert volume["/dir/up"].copy_into("/new", follow_symlinks=False).is_symlink()
    with pytest.raises(FileExistsError) as caught:
        volume["/dir/sub"].copy_into("/new")
    assert (caught.value.filename, caught.value.filename2) == ("/dir/sub", "/new/sub")
    with pytest.raises(ValueError):
        volume["/"].copy_into("/new")
    with pytest.raises(NotADirectoryError):
        volume["/dir/sub"].move_into("/new/other")


def test_permissions_of_a_link_itself(volume):
    before = volume["/dir/sub"].stat().st_mode
    volume["/dir/link"].lchmod(0o700)
    assert volume["/dir/link"].lstat().st_mode & 0o777 == 0o700 and volume["/dir/sub"].stat().st_mode == before


def test_enumerations_print_their_names():
    kind = f2fskit.FileType.REGULAR
    assert (str(kind), f"{kind}", f"{kind:>9}|", "%s" % kind, f"{kind:d}", f"{kind:02x}") == ("REGULAR", "REGULAR", "  REGULAR|",
                                                                                             "REGULAR", "1", "01")
    flags = f2fskit.Feature.QUOTA | f2fskit.Feature.CASEFOLD
    assert set(str(flags).split("|")) == {"QUOTA", "CASEFOLD"} and str(f2fskit.Feature(0)) == "0"
    assert kind == 1 and json.dumps({"type": kind, "flags": flags}) == json.dumps({"type": 1, "flags": int(flags)})
    assert "ENCRYPT" in str(f2fskit.Feature(1 << 30 | 1))


def test_checkpoints(tmp_path):
    image = tmp_path / "disk.img"
    f2fskit.mkfs(image, 64 << 20)
    with f2fskit.open(image, "r+") as volume:
        for name in "ab":
            volume["/" + name].touch()
            volume.commit()
        first, second = volume.checkpoints()
        newer = max(first, second, key=lambda pack: pack.version)
        assert abs(first.version - second.version) == 1 and newer.is_current and [first.pack, second.pack] == [1, 2]
        assert [pack.is_current for pack in (first, second)].count(True) == 1 and first.broken_rule is second.broken_rule is None
    older = next(pack for pack in (first, second) if not pack.is_current)
    with f2fskit.open(image, pack=older.pack) as past:
        assert "/a" in past and "/b" not in past


def test_mkfs_takes_what_open_takes(tmp_path):
    grown = io.BytesIO()
    kept = bytearray(64 << 20)
    with open(tmp_path / "mapped", "w+b") as file:
        file.truncate(64 << 20)
        mapped = mmap.mmap(file.fileno(), 64 << 20)
    with open(tmp_path / "plain", "w+b") as plain:
        for target, size in ((grown, 64 << 20), (kept, None), (memoryview(bytearray(64 << 20)), None), (mapped, None),
                             (plain, 64 << 20)):
            f2fskit.mkfs(target, size)
            with f2fskit.open(target, "r+") as volume:
                volume["/x"].write_text("written")
            with f2fskit.open(target) as volume:
                assert volume["/x"].read_text() == "written"
            assert f2fskit.check(target).is_sound
            with pytest.raises(f2fskit.ExistsError):
                f2fskit.mkfs(target)
        assert len(grown.getvalue()) == 64 << 20
    mapped.close()
    for target in (bytes(64 << 20), 42):
        with pytest.raises((TypeError, OSError, ValueError)):
            f2fskit.mkfs(target)


@pytest.mark.parametrize("form", ["raw", "sparse", "zstd"])
def test_save(tmp_path, form):
    with build({"file": pattern(1, 1 << 20)}, size=64 << 20) as device:
        device.save(tmp_path / "saved", form)
        memory = io.BytesIO(b"")
        device.save(memory, form)
        assert memory.getvalue() == (tmp_path / "saved").read_bytes()
        if form == "raw":
            assert memory.getvalue() == device.read(0, device.size)
            assert os.stat(tmp_path / "saved").st_blocks * 512 < 8 << 20
        with pytest.raises(FileExistsError):
            device.save(tmp_path / "saved", form)
        with pytest.raises(ValueError):
            device.save(io.BytesIO(), "qcow2")
    with f2fskit.open(tmp_path / "saved") as volume:
        assert volume["/file"].read_bytes() == pattern(1, 1 << 20)
