# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables about a volume as plain rows, comma-separated values and data frames."""
import csv
import hashlib
import io

import pytest

import f2fskit
from conftest import pattern
from f2fskit import frames, rows

TIME = 1_700_000_000_123_456_789


@pytest.fixture
def device():
    """A volume with deleted files and an odd name."""
    picture = b"\x89PNG\r\n\x1a\n" + b"\0\0\0\x0dIHDR" + bytes(17) + b"\0\0\0\0IEND\xaeB`\x82"
    tree = {"a": {"b,\n": "x" * 5000}, "gone.png": picture + bytes(20000), "link": f2fskit.Entry(symlink="a"), "secret": pattern(1, 9000)}
    with f2fskit.build(tree, time=TIME) as found:
        with f2fskit.open(found, "r+") as volume:
            volume["/gone.png"].unlink()
        yield found


def test_rows(device):
    with f2fskit.open(device) as volume:
        for name in rows.TABLE_NAMES:
            source = f2fskit.check(device) if name == "problems" else volume
            found = rows.table(name, source)
            for row in found.rows:
                assert len(row) == len(found.columns), name
        paths = {row[0]: dict(zip(found.columns, row)) for found in [rows.table("files", volume)] for row in found.rows}
        assert set(paths) == {"/", "/a", "/a/b,\n", "/link", "/secret"}
        odd = paths["/a/b,\n"]
        assert (odd["type"], odd["mode"], odd["size"], odd["mtime"], odd["is_damaged"]) == ("regular", 0o100644, 5000, TIME, False)
        assert [row[0] for row in rows.table("deleted", volume).rows] == ["/gone.png"]
        assert {row[1] for row in rows.table("timeline", volume).rows} >= {"live", "deleted"}
        segments = list(rows.table("segments", volume).rows)
        assert len(segments) == volume.geometry.segment_count_main and sum(bool(row[4]) for row in segments) == 6
        assert sum(row[2] for row in segments) == volume.statfs().valid_blocks
        with pytest.raises(ValueError, match="no table 'fils'"):
            rows.table("fils", volume)
        with pytest.raises(TypeError, match="made of the report"):
            rows.table("problems", volume)
        with pytest.raises(TypeError, match="made of an open volume"):
            rows.table("files", f2fskit.check(device))


def test_csv(device):
    file = io.StringIO()
    with f2fskit.open(device) as volume:
        rows.write_csv(rows.table("files", volume), file)
    found = {row["path"]: row for row in csv.DictReader(io.StringIO(file.getvalue()))}
    assert found["/a/b,\n"]["mtime"] == "2023-11-14 22:13:20.123456789" and found["/a/b,\n"]["mode"] == "100644"
    assert found["/link"]["crtime"] == "" and found["/link"]["is_damaged"] == "false"


def test_problems(device):
    with f2fskit.open(device) as volume:
        address = volume["/secret"].inode().address
    device.write(address * 4096 + 4072, b"spoiled!")
    found = [dict(zip(table.columns, row)) for table in [rows.table("problems", f2fskit.check(device))] for row in table.rows]
    assert found[0]["name"] == "NODE_FOOTER" and found[0]["severity"] in ("damage", "loss") and found[0]["nid"]


@pytest.fixture
def pandas():
    return pytest.importorskip("pandas")


def test_frames(pandas, device):
    with f2fskit.open(device) as volume:
        files = frames.files(volume, digest="sha256")
        assert str(files["mtime"].dtype) == "datetime64[ns, UTC]" and files["mtime"].iloc[1].value == TIME
        assert files["crtime"].isna().all() and str(files["type"].dtype) == "category"
        assert files["size"].dtype == "int64" and files["is_damaged"].dtype == "bool"
        by_path = files.set_index("path")
        assert by_path.loc["/secret", "sha256"] == hashlib.sha256(pattern(1, 9000)).hexdigest()
        assert pandas.isna(by_path.loc["/a", "sha256"])
        for name in rows.TABLE_NAMES:
            if name != "problems":
                found = frames.files(volume) if name == "files" else getattr(frames, name)(volume)
                assert found.equals(frames.frame(name, volume)) and list(found.columns) == list(rows.table(name, volume).columns)
        problems = frames.problems(f2fskit.check(device))
        assert len(problems) == 0 and str(problems["nid"].dtype) == "Int64"
        versions = frames.versions(volume, "/")
        assert versions["is_current"].tolist().count(True) == 1 and versions["is_current"].iloc[-1]


def test_names_that_are_no_utf8(pandas):
    with f2fskit.build({"odd\udcff": b"x"}) as device, f2fskit.open(device) as volume:
        files = frames.files(volume, digest="md5")
    assert files["path"].tolist() == ["/", "/odd\udcff"] and files["md5"].tolist() == [None, hashlib.md5(b"x").hexdigest()]
    assert frames.known(files, [hashlib.md5(b"x").hexdigest()]).tolist() == [False, True]


def test_known(pandas, device, tmp_path):
    digest = hashlib.sha256(pattern(1, 9000)).hexdigest()
    with f2fskit.open(device) as volume:
        files = frames.files(volume, digest="sha256")
    listed = tmp_path / "known.txt"
    listed.write_text(f"{digest.upper()}  a name\n# no digest\n9000,{'0' * 32},{digest},x\n")
    for hash_set in ([digest], listed, str(listed)):
        assert files["path"][frames.known(files, hash_set)].tolist() == ["/secret"]
    assert not frames.known(files, []).any()
    with pytest.raises(ValueError, match="digests of the kind md5"):
        frames.known(files, ["0" * 32])
