# SPDX-License-Identifier: LGPL-2.1-or-later
"""Bytes that no file shows, and files found among them by their signatures."""
import bz2
import gzip
import io
import os
import sqlite3
import struct
import tarfile
import zipfile
import zlib

import pytest

import f2fskit
from conftest import pattern

END = f2fskit.CarvedEnd
KIND = f2fskit.LeftoverKind


def make_png(size):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 8, 8, 0, 0, 0, 0)) +
            chunk(b"IDAT", pattern("png", size)) + chunk(b"IEND", b""))


def make_jpeg(size):
    packed = pattern("jpeg", size).replace(b"\xff", b"\xff\x00")
    return b"\xff\xd8\xff\xe0\x00\x10JFIF\0" + bytes(9) + b"\xff\xda\x00\x04ab" + packed + b"\xff\xd3" + packed + b"\xff\xd9"


def make_zip(text=None):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr("a", text or pattern("zip", 30_000))
        archive.comment = b"no more"
    return out.getvalue()


def make_tar():
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        info = tarfile.TarInfo("name")
        info.size = 20_001
        archive.addfile(info, io.BytesIO(pattern("tar", info.size)))
    return out.getvalue()


def make_sqlite(tmp_path):
    with sqlite3.connect(tmp_path / "db") as db:
        db.execute("create table t (a)")
        db.executemany("insert into t values (?)", [(pattern(i, 900),) for i in range(30)])
    db.close()
    return (tmp_path / "db").read_bytes()


def make_files(tmp_path):
    gif = b"GIF89a\x08\0\x08\0\x80\0\0" + bytes(6) + b"!\xf9\x04" + bytes(5) + b"," + bytes(9) + b"\x02" + \
        (b"\xff" + pattern("gif", 255)) * 40 + b"\0;"
    box = struct.pack(">I4s8s", 16, b"ftyp", b"isom\0\0\0\0") + struct.pack(">I4s", 20_008, b"mdat") + pattern("box", 20_000) + \
        struct.pack(">I4s", 108, b"moov") + bytes(100)
    page = [b"OggS\0" + bytes([kind]) + bytes(20) + b"\x02\xff\x10" + pattern("ogg", 271) for kind in (2, 0, 4)]
    return {
        "png": make_png(70_000), "jpeg": make_jpeg(50_000), "gif": gif, "zip": make_zip(), "tar": make_tar(),
        "sqlite": make_sqlite(tmp_path), "mp4": box, "ogg": page[0] + page[1] * 40 + page[2],
        "pdf": b"%PDF-1.4\n" + pattern("pdf", 9000) + b"%%EOF\n" + pattern("more", 3000) + b"\n%%EOF\n",
        "wav": b"RIFF" + struct.pack("<I", 9004) + b"WAVE" + pattern("wav", 9000),
        "bmp": b"BM" + struct.pack("<I4xII", 12_000, 54, 40) + pattern("bmp", 12_000 - 18),
        "7z": b"7z\xbc\xaf\x27\x1c\0\x04" + bytes(4) + struct.pack("<QQ", 9000, 50) + bytes(4) + pattern("7z", 9050),
    }


@pytest.fixture
def disk(tmp_path):
    path = tmp_path / "disk.img"
    f2fskit.mkfs(path, 64 << 20, features=["extra_attr", "inode_checksum", "compression", "encrypt"])
    return path


def write_and_remove(disk, files):
    with f2fskit.open(disk, "r+") as volume:
        for name, contents in files.items():
            volume.path(f"/{name}").write_bytes(contents)
        volume.path("/stays").write_bytes(make_png(9000))
        volume.commit()
        for name in files:
            volume.path(f"/{name}").unlink()
        volume.commit()


def test_whole_files(disk, tmp_path):
    files = make_files(tmp_path)
    write_and_remove(disk, files)
    before = disk.read_bytes()
    with f2fskit.open(disk) as volume:
        found = volume.carve()
        assert {file.kind: file.end for file in found} == {kind: END.WHOLE for kind in files}
        assert len(found) == len(files)  # blocks in use are not carved, and nothing twice
        assert {file.pieces for file in found} == {1}
        for file in found:
            assert file.read_bytes() == files[file.kind][: 22_016 if file.kind == "tar" else None], file  # padding apart
            assert file.pread(100, 4090) == files[file.kind][4090:4190]
            assert file.nid and file.suffix
        assert [file.kind for file in volume.carve("gif,zip")] == ["gif", "zip"]
        assert len(volume.carve(max_files=3)) == 3
        with pytest.raises(f2fskit.InvalidError):
            volume.carve("gif,nothing")
    assert disk.read_bytes() == before


def test_files_in_slack(tmp_path):
    """After the end of a file, directly or at a border of 512 bytes, in blocks that it keeps, in an inode; not as
    ciphertext."""
    disk, small, large = tmp_path / "disk.img", make_png(700), make_png(9000)
    f2fskit.mkfs(disk, 64 << 20, features=["extra_attr", "encrypt"])
    names = ("at-end", "at-sector", "two", "kept", "inline", "secret/file")
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/secret").mkdir()
        volume.lookup("/secret").encrypt(volume.add_key(bytes(range(64))))
        for name in names:
            volume.path(f"/{name}").write_bytes(b"x" * (1000 if name == "inline" else 30_000 if name == "kept" else 5000))
        volume.commit()
        ino = {name: volume.path(f"/{name}").inode().number for name in names}
    with f2fskit.fields(disk, "r+") as fields:
        fields[f"inode[{ino['kept']}].i_size"] = 4000
    with f2fskit.open(disk) as volume:
        assert not volume.carve()
        start = {}
        for row in volume.leftovers(empty=True):
            if row.kind == KIND.SLACK:
                start.setdefault(row.ino, row.offset)
    sector = -start[ino["at-sector"]] % 512
    wanted = {  # name, bytes after the end: slack contents, end of the carved file
        ("at-end", 0): (small, END.WHOLE), ("at-sector", sector + 512): (small, END.WHOLE),
        ("two", 0): (small, END.WHOLE), ("two", sector + 1024): (small[:-30], END.CUT),
        ("kept", 96): (large, END.WHOLE), ("inline", 0): (small, END.WHOLE), ("secret/file", 0): (small, END.WHOLE)}
    with open(disk, "r+b") as file:
        for (name, at), (contents, _) in wanted.items():
            file.seek(start[ino[name]] + at)
            file.write(contents)
    del wanted["secret/file", 0]
    with f2fskit.open(disk) as volume:
        found = volume.carve()
        assert {(file.slack_of, file.offset): file.end for file in found} == {
            (ino[name], start[ino[name]] + at): end for (name, at), (_, end) in wanted.items()}
        for file in found + found[::-1]:
            name, = [name for name in names if ino[name] == file.slack_of]
            contents, end = wanted[name, file.offset - start[file.slack_of]]
            assert file.kind == "png" and file.addr == file.offset // 4096 and not file.nid
            assert file.read_bytes()[:len(contents)] == contents and (end == END.CUT or file.size == len(contents))
            assert file.pread(50, 600) == contents[600:650]
        assert not volume.carve(slack=False) and not volume.carve("gif") and len(volume.carve(max_files=2)) == 2


def test_two_letters_are_no_picture(disk):
    """A bitmap has a header of a size that there is."""
    heads = {size: b"BM" + struct.pack("<I4xII", 9000, 54, size) + pattern("bmp", 9000 - 18) for size in (4, 11, 12, 124, 125, 4000)}
    write_and_remove(disk, {str(size): data for size, data in heads.items()})
    with f2fskit.open(disk) as volume:
        assert {file.read_bytes() for file in volume.carve("bmp")} == {heads[12], heads[124]}


def test_ends_that_are_not_known(disk):
    """A kind without lengths goes as far as the blocks of its owner, a broken one as far as it can be followed."""
    packed = gzip.compress(pattern(1, 9000))
    packed2 = bz2.compress(pattern(2, 9000))
    write_and_remove(disk, {"a": packed, "b": packed2, "c": make_png(70_000)[:-20],
                            "d": b"#!/bin/sh\n" * 999})
    with f2fskit.open(disk) as volume:
        found = {file.kind: file for file in volume.carve()}
        assert {kind: file.end for kind, file in found.items()} == {"gzip": END.GUESSED, "bzip2": END.GUESSED,
                                                                    "png": END.CUT, "script": END.GUESSED}
        assert found["gzip"].read_bytes() == packed + bytes(-len(packed) % 4096)
        assert found["bzip2"].read_bytes() == packed2 + bytes(-len(packed2) % 4096)
        assert found["script"].read_bytes() == b"#!/bin/sh\n" * 999
        assert found["png"].read_bytes().startswith(make_png(70_000)[:-20])


def test_written_by_turns(disk):
    """Blocks of two files alternate: summaries show which belong together."""
    one, two = make_png(100_000), make_jpeg(60_000)
    with f2fskit.open(disk, "r+") as volume:
        for name in ("one", "two"):
            volume.path(f"/{name}").write_bytes(b"")
        handles = volume.lookup("/one"), volume.lookup("/two")
        for at in range(0, 180_000, 8192):
            for handle, contents in zip(handles, (one, two)):
                if contents[at : at + 8192]:
                    handle.pwrite(contents[at : at + 8192], at)
                    handle.fsync()
        volume.commit()
        volume.path("/one").unlink()
        volume.path("/two").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        found = {file.kind: file for file in volume.carve()}
        assert found["png"].pieces > 5 and found["jpeg"].pieces > 5
        assert found["png"].read_bytes() == one and found["jpeg"].read_bytes() == two


@pytest.mark.parametrize("algorithm", ["lz4", "zstd", "lzo-rle"])
@pytest.mark.parametrize("log_cluster", [2, 4])
def test_compressed(disk, algorithm, log_cluster):
    """Whole clusters that pack, some that do not, and the end."""
    text = b"%PDF-1.4\n" + b"much the same again " * 20_000 + pattern(3, 200_000) + b"and again " * 20_000 + b"%%EOF\n"
    with f2fskit.open(disk, "r+") as volume:
        inode = volume.root.create("packed", 0o100644)
        inode.compress(algorithm, log_cluster=log_cluster)
        inode.pwrite(text, 0)
        volume.commit()
        inode.close()
        volume.path("/packed").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        file, = volume.carve()
        assert file.clusters > 1 and file.end == END.WHOLE
        assert file.read_bytes() == text


def test_leftovers(disk):
    """Every block of the main area is in use, free or an old node; slack is where a model says."""
    with f2fskit.open(disk, "r+") as volume:
        for name, size in (("inline", 100), ("short", 5000), ("gone", 20_000)):
            volume.path(f"/{name}").write_bytes(pattern(name, size))
        volume.path("/full").write_bytes(b"")
        full = volume.lookup("/full")
        full.pwrite(pattern("full", full.layout.inline_size), 0)        # an inode without room after its contents
        assert full.stat().st_size == full.layout.inline_size and next(full.extents()).kind == f2fskit.ExtentKind.INLINE
        volume.commit()
        volume.path("/gone").unlink()
        volume.commit()
        address = next(volume.lookup("/short").extents()).addr + 1
    bs = 4096
    with open(disk, "r+b") as file:  # as a mapping of the file leaves it
        file.seek(address * bs + 5000 - bs)
        file.write(b"secret")
    with f2fskit.open(disk) as volume:
        geometry = volume.geometry
        rows = volume.leftovers(empty=True)
        free = [row for row in rows if row.kind == KIND.FREE]
        nodes = [row for row in rows if row.kind == KIND.NODE]
        assert all(row.length for row in rows) and not any(row.ino == volume.lookup("/full").number for row in rows)
        blocks = {block for row in free + nodes for block in range(row.offset // bs, (row.offset + row.length) // bs)}
        assert len(blocks) * bs == sum(row.length for row in free + nodes)
        in_use = {sit.segno * 512 + geometry.main_blkaddr + i for sit in volume.sit for i in range(512)
                  if sit.valid_map[i // 8] & 0x80 >> i % 8}
        assert not blocks & in_use
        assert blocks | in_use == set(range(geometry.main_blkaddr, geometry.main_blkaddr + geometry.segment_count_main * 512))
        assert {row.ino for row in nodes} & {file.ino for file in volume.deleted()}
        slack, = [row for row in volume.leftovers() if row.kind == KIND.SLACK]
        assert (slack.ino, slack.length) == (volume.lookup("/short").number, 8192 - 5000)
        assert volume.read_raw(8, slack.offset) == b"secret\0\0"
        assert {row.ino for row in rows if row.kind == KIND.SLACK} >= {volume.lookup(f"/{name}").number for name in ("inline", "short")}
        shown = b"".join(volume.read_raw(row.length, row.offset) for row in volume.leftovers() if row.kind == KIND.FREE)
        assert pattern("gone", 20_000) in shown and len(shown) < sum(row.length for row in free)
        with pytest.raises(f2fskit.RangeError):
            volume.read_raw(8, 0)


def test_noise_is_harmless(disk):
    """Starts at every block, clusters that are none: bounded, with no other findings than the reported ones."""
    size = 6 << 20
    noise = bytearray(pattern(9, size))
    for at in range(0, size, 4096):
        noise[at : at + 24] = (b"GIF89a\xff\xff\xff\xff\xf7" + bytes(13) if at % 8192 else struct.pack("<I", 900_000) + bytes(20))
    with f2fskit.open(disk, "r+") as volume:
        volume.path("/noise").write_bytes(bytes(noise))
        volume.commit()
        volume.path("/noise").unlink()
        volume.commit()
    with f2fskit.open(disk) as volume:
        carver = volume.past().carver()
        assert {file.kind for file in carver.run()} == {"gif"}
        assert carver.stat().blocks >= size // 4096
        assert os.path.getsize(disk) == 64 << 20
