# SPDX-License-Identifier: LGPL-2.1-or-later
"""The notebook examples/phone.ipynb, run by Jupyter on a phone's volume that the kernel filled, changed and deleted from."""
import hashlib
import os
import pathlib
import sqlite3
import zlib

import pytest

import uml

nbformat = pytest.importorskip("nbformat")
nbclient = pytest.importorskip("nbclient")
pytest.importorskip("ipykernel")
for needed in ("matplotlib", "pandas"):
    pytest.importorskip(needed)

NOTEBOOK = pathlib.Path(__file__).parents[2] / "examples/phone.ipynb"
FEATURES = "extra_attr,inode_checksum,inode_crtime"
JOB = r"""
set -e
mount -o nodiscard,mode=lfs /dev/ubda $MNT
cp -r "$1"/. $MNT
touch -d '2020-01-01 00:00:00' $MNT/data/DCIM/backdated.png
sync
cd $MNT
rm data/DCIM/gone.png data/com.example.chat/cache/thumbnail
cat "$2" > data/com.example.chat/databases/messages.db
cd /
sync
umount $MNT
"""


def picture(seed):
    """A small PNG whose contents are noise."""
    def chunk(kind, data):
        return len(data).to_bytes(4, "big") + kind + data + zlib.crc32(kind + data).to_bytes(4, "big")
    rows = b"".join(b"\0" + hashlib.shake_128(b"%d %d" % (seed, row)).digest(3 * 64) for row in range(64))
    head = (64).to_bytes(4, "big") * 2 + bytes([8, 2, 0, 0, 0])
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def database(path, rows):
    base = sqlite3.connect(path)
    base.execute("create table messages (id integer primary key, sender text, text text)")
    base.executemany("insert into messages (sender, text) values (?, ?)", rows)
    base.commit()
    base.close()


@pytest.fixture
def phone(kernel, run_tool, tmp_path):
    """A folder with phone.img, and a picture that was deleted from it."""
    top, changed = tmp_path / "tree", tmp_path / "changed.db"
    for name in ("system/bin", "data/com.example.chat/databases", "data/com.example.chat/cache", "data/DCIM"):
        (top / name).mkdir(parents=True)
    (top / "system/bin/sh").write_bytes(hashlib.shake_128(b"sh").digest(90_000))
    (top / "data/com.example.chat/cache/thumbnail").write_bytes(b"t" * 9000)
    gone = picture(1)
    for name, data in (("gone.png", gone), ("kept.png", picture(2)), ("backdated.png", picture(3))):
        (top / "data/DCIM" / name).write_bytes(data)
    rows = [("ann", "Shall we meet?"), ("bob", "At the bridge, at nine."), ("ann", "Fine.")]
    database(top / "data/com.example.chat/databases/messages.db", rows)
    database(changed, [rows[0], rows[2]])
    here = tmp_path / "here"
    here.mkdir()
    run_tool("mkfs.f2fs", "-q", "-O", FEATURES, here / "phone.img", "128M")
    uml.run(JOB, images=[str(here / "phone.img")], args=[str(top), str(changed)], kernel=kernel).check()
    return here, gone


def text_of(cell):
    """The output of a cell as text."""
    return "".join(out.get("text", "") or out.get("data", {}).get("text/plain", "") for out in cell.outputs)


def test_a_phone_is_examined(phone, f2fskit, monkeypatch):
    here, gone = phone
    before = hashlib.sha256((here / "phone.img").read_bytes()).digest()
    book = nbformat.read(NOTEBOOK, as_version=4)
    assert all(cell.cell_type != "code" or not cell.outputs for cell in book.cells)
    monkeypatch.setenv("PYTHONPATH", os.path.dirname(os.path.dirname(f2fskit.__file__)))
    monkeypatch.setenv("HOME", str(here))
    monkeypatch.setenv("MPLBACKEND", "module://matplotlib_inline.backend_inline")
    nbclient.NotebookClient(book, timeout=300, kernel_name="python3", resources={"metadata": {"path": str(here)}}).execute()
    shown = {cell.source.split("\n")[-1]: text_of(cell) for cell in book.cells if cell.cell_type == "code"}
    told = "\n".join(shown.values())
    print(told)
    assert "At the bridge, at nine." in shown["removed"] and "Shall we meet?" not in shown["removed"], told
    assert "/data/DCIM/backdated.png" in shown['doubtful[["path", "mtime", "crtime", "cp_ver"]]'], told
    assert "/data/DCIM/gone.png" in told and "/system/bin/sh" not in shown['unknown.nlargest(10, "size")[["path", "size", "mtime", "sha256"]]']
    assert (here / "found/data/DCIM/gone.png").read_bytes() == gone
    pictures = [out for cell in book.cells if cell.cell_type == "code" for out in cell.outputs if "image/png" in out.get("data", {})]
    assert len(pictures) == 1 and (here / "report.html").stat().st_size > 10_000
    assert hashlib.sha256((here / "phone.img").read_bytes()).digest() == before
