# SPDX-License-Identifier: LGPL-2.1-or-later
"""The commands of python -m f2fskit."""
import csv
import io
import json
import os
import subprocess
import sys
import tarfile

import pytest

import f2fskit


@pytest.fixture
def image(tmp_path):
    path = tmp_path / "disk.img"
    tree = {"etc": {"passwd": "root\n"}, "odd\n\x1b": b"\0\xff", "link": f2fskit.Entry(symlink="etc")}
    f2fskit.build(tree, path, volume={"label": "hello"}, time=1_700_000_000_000_000_000)
    return path


def run(*words, status=0, text=True):
    done = subprocess.run([sys.executable, "-m", "f2fskit", *map(str, words)], capture_output=True,
                          env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))})
    assert done.returncode == status, done.stderr.decode()
    assert b"Traceback" not in done.stderr
    return (done.stdout.decode(), done.stderr.decode()) if text else done.stdout


def test_reading(image, tmp_path):
    assert json.loads(run("info", "--json", image)[0])["label"] == "hello"
    assert "label                hello\n" in run("info", image)[0]
    assert run("ls", image)[0] == "etc\nlink\nodd\\x0a\\x1b\n" and run("ls", image, "etc", "/link")[0] == "passwd\npasswd\n"
    assert "-rw-r--r--   1     0     0          5 2023-11-14 22:13 passwd\n" == run("ls", "-l", image, "/etc")[0]
    assert "link -> etc\n" in run("ls", "-l", image)[0]
    assert run("cat", image, "/odd\n\x1b", "etc/passwd", text=False) == b"\0\xffroot\n"
    run("extract", image, tmp_path / "out", "/etc")
    assert (tmp_path / "out/etc/passwd").read_text() == "root\n"
    with tarfile.open(fileobj=io.BytesIO(run("extract", image, "-", text=False))) as archive:
        assert any(name.endswith("etc/passwd") for name in archive.getnames())


def test_comparing_and_checking(image, tmp_path):
    assert run("diff", image, image)[0] == ""
    other = tmp_path / "other.img"
    f2fskit.Device.open(image).save(other)
    with f2fskit.open(other, "r+") as volume:
        volume["/etc/passwd"].chmod(0o600)
        volume["/link"].unlink()
    lines = run("diff", image, other, status=1)[0].splitlines()
    assert lines[0].startswith("! /: mtime: 1700000000000000000 -> ")
    assert lines[1:] == ["! /etc/passwd: mode: 0644 -> 0600", "- /link"]
    assert run("ls", "--as-of", "-1", other)[0] == run("ls", image)[0]
    assert run("check", image)[0] == "0 problems, 2 files, 2 directories\n"
    with f2fskit.open(other) as volume:
        address = volume["/etc/passwd"].inode().address
    with f2fskit.Device.open(other, writable=True) as device:
        device.write(address * 4096 + 4072, b"spoiled!")
    assert "NODE_FOOTER: " in run("check", other, status=1)[0]


def test_tables(image, tmp_path):
    rows = list(csv.DictReader(io.StringIO(run("frame", image, "files")[0])))
    assert [row["path"] for row in rows] == ["/", "/etc", "/etc/passwd", "/odd\n\x1b", "/link"]
    assert run("frame", image, "problems")[0].startswith("name,id,severity,")
    run("report", image, tmp_path / "r.html")
    assert "<title>disk.img - F2FS report</title>" in (tmp_path / "r.html").read_text() and "etc/passwd" in run("report", image, "-")[0]
    rows = list(csv.DictReader(io.StringIO(run("inventory", image, tmp_path / "none", status=1)[0])))
    assert rows[0]["label"] == "hello" and rows[0]["is_sound"] == "True" and "NotFoundError" in rows[1]["error"]


def test_trouble(image, tmp_path):
    assert run("info", tmp_path / "none", status=2)[1].startswith("f2fskit: ")
    assert "'/none'" in run("cat", image, "/none", status=2)[1]
    assert "invalid choice" in run("frame", image, "fils", status=2)[1]
    assert run("--version")[0].startswith(f"f2fskit {f2fskit.__version__}") and "inventory" in run("--help")[0]
    with open("/dev/full", "w") as full:
        done = subprocess.run([sys.executable, "-m", "f2fskit", "ls", image], stdout=full, stderr=subprocess.PIPE,
                              env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))})
    assert done.returncode == 2 and b"No space left" in done.stderr and b"Traceback" not in done.stderr
    reader = subprocess.Popen([sys.executable, "-m", "f2fskit", "cat", image, *["/etc/passwd"] * 50], stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, env={**os.environ, "PYTHONPATH": os.path.dirname(os.path.dirname(f2fskit.__file__))})
    reader.stdout.close()
    assert reader.stderr.read() == b"" and reader.wait() in (0, 2)
    reader.stderr.close()
