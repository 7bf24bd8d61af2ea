# SPDX-License-Identifier: LGPL-2.1-or-later
"""dump.f2fs --report writes the page that report() returns, letter by letter, and names of files add nothing to it."""
import re

import pytest

import f2fskit
from f2fskit.report import report
from html_page import Page

EVIL = "<script>alert(1)<_script>&\"'\x1b[31m"
TIME = 1_700_000_000_000_000_000


@pytest.fixture(autouse=True)
def epoch(monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1720000000")


def make(path, count=60):
    tree = {"etc": {"passwd": "root\n"}, EVIL: "x" * 70000, "back\\slash": "", "\udcff\udcfe": "q", "gone": "y" * 9000,
            "deep": {"er": {"est": {"\u00e9": "u"}}}, **{f"many{i}": f"{i}" * (i % 99) for i in range(count)}}
    f2fskit.build(tree, path, volume={"label": "<b>label</b>"}, time=TIME)
    with f2fskit.open(path, "r+", now=TIME + 10 ** 16) as volume:
        volume["/gone"].unlink()
        for i in range(0, count, 2):
            volume[f"/many{i}"].unlink()
        volume["/deep"].inode().set(mtime_ns=-5)
        volume["/etc"].inode().set(mtime_ns=(1 << 63) - 1)
    return path


def both(run_tool, path, rc=0):
    with f2fskit.open(path) as volume:
        expected = report(volume, check=f2fskit.check(path))
    target = path.with_suffix(".html")
    run_tool("dump.f2fs", f"--report={target}", path, rc=rc)
    assert target.read_text() == expected
    return expected


def test_the_same_page(run_tool, tmp_path):
    text = both(run_tool, make(tmp_path / "a.img"))
    page = Page(text)
    scripts = [words for place, words in page.words if place == "script"]
    assert len(scripts) == 1 and "alert" not in scripts[0] and "\x1b" not in text and "prefers-color-scheme: dark" in text
    assert any("<script>alert(1)<_script>" in words for place, words in page.words if place == "td")
    assert any(words == "<b>label</b>" for place, words in page.words if place == "h1")
    assert not any(name in attributes for _, attributes in page.elements for name in ("src", "srcset", "action"))
    assert all(one["href"].startswith("#") for one in page.all("a")) and not re.search(r"url\(|@import", text)
    assert "A check found nothing wrong." in text and "/gone" in text and "31 in all" in text


def test_more_rows_than_a_page_has(run_tool, tmp_path):
    text = both(run_tool, make(tmp_path / "a.img", 2200))
    assert "the 500 with the largest size, of 1,110" in text and "the 500 with the largest changed, of 1,101" in text


def test_an_empty_volume_and_a_damaged_one(run_tool, tmp_path):
    path = tmp_path / "a.img"
    f2fskit.mkfs(path, 64 << 20, time=TIME)
    assert "<p>None was found.</p>" in both(run_tool, path)
    path = make(tmp_path / "b.img")
    with f2fskit.open(path) as volume:
        address = volume["/etc/passwd"].inode().address
    with open(path, "r+b") as image:
        image.seek(address * 4096 + 4072)
        image.write(b"spoiled!")
    text = both(run_tool, path, rc=4)
    assert "NODE_FOOTER" in text and "problems.</p>" in text
    with f2fskit.open(path) as volume:
        address = volume.root.address
    with open(path, "r+b") as image:  # without a root there is no list of files, and the page says so
        image.seek(address * 4096 + 4072)
        image.write(b"spoiled!")
    done = run_tool("dump.f2fs", "--report=-", path, rc=4)
    page = Page(done.stdout.decode())
    assert any(words.startswith("Incomplete: ") for place, words in page.words if place == "p") and b"Files: " in done.stderr


def test_where_it_goes(run_tool, tmp_path):
    path = make(tmp_path / "a.img", 4)
    page = both(run_tool, path)
    assert run_tool("dump.f2fs", "--report=-", path).stdout.decode() == page
    assert b'"files": 12' in run_tool("dump.f2fs", "--json", f"--report={tmp_path}/b.html", path).stdout
    for words, message in (((f"--report={path}",), b"image in use"), (("--report=-", "--json"), b"standard output"),
                           (("--report=-", "--tar=-"), b"one archive, page"), (("--report=/dev/full",), b"No space left"),
                           (("--report=-", "--state=as-of=-1"), b"--state=as-of goes with"),
                           ((f"--report={tmp_path}/none/r",), b"none/r: No such file")):
        done = run_tool("dump.f2fs", *words, path, rc=None)
        assert done.returncode and message in done.stderr, done
