# SPDX-License-Identifier: LGPL-2.1-or-later
"""Reports as pages of HTML: complete, safe with odd names, readable by programs, and shown by a browser."""
import io
import pathlib
import re
import sys

import pytest

import f2fskit
from f2fskit.report import report, size_text, times_svg
from f2fskit.report_style import STYLE
from html_page import Page

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import browser  # noqa: E402

EVIL = "<script>alert(1)</script>&\"'\x1b[31m"


@pytest.fixture
def device():
    tree = {"etc": {"passwd": "root\n"}, EVIL.replace("/", "_"): "x" * 70000, "gone": "y" * 9000,
            **{f"many{i}": f"{i}" * i for i in range(60)}}
    with f2fskit.build(tree, volume={"label": "<b>label</b>"}, time=1_700_000_000_000_000_000) as found:
        with f2fskit.open(found, "r+", now=1_710_000_000_000_000_000) as volume:
            volume["/gone"].unlink()
            volume["/later"].write_bytes(b"")
        yield found


def test_page(device, tmp_path, monkeypatch):
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1720000000")
    with f2fskit.open(device) as volume:
        text = report(volume, tmp_path / "r.html", check=f2fskit.check(device), rows=40)
        other = io.StringIO()
        report(volume, other, check=f2fskit.check(device), rows=40)
    assert (tmp_path / "r.html").read_text() == text == other.getvalue()
    page = Page(text)
    scripts = [words for place, words in page.words if place == "script"]
    assert len(scripts) == 1 and "alert" not in scripts[0] and "\x1b" not in text
    assert any("<script>alert(1)<_script>" in words for place, words in page.words if place == "td")
    assert any(words == "<b>label</b>" for place, words in page.words if place == "h1")
    # nothing from elsewhere
    assert not any(name in attributes for _, attributes in page.elements for name in ("src", "srcset", "action"))
    assert all(one["href"].startswith("#") for one in page.all("a")) and not re.search(r"url\(|@import", text)
    assert "2024-07-03 09:46 UTC" in text and "A check found nothing wrong." in text
    # for screen readers and keyboards
    assert page.all("html")[0]["lang"] == "en" and len(page.all("h1")) == 1 and len(page.all("main")) == 1
    identities = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert {one["href"][1:] for one in page.all("a")} <= set(identities)
    assert all(one["aria-labelledby"] in identities for _, one in page.elements if "aria-labelledby" in one)
    assert all(one.get("scope") in ("col", "row") for one in page.all("th"))
    assert all(one.get("aria-label") for one in page.all("svg") if one.get("role") == "img") and len(page.all("svg")) >= 2
    assert len(page.all("caption")) == len(page.all("table")) - 1  # all but the overview
    # bounded
    assert "the 40 with the largest size, of 65" in text and text.count("<tr>") < 130
    assert "/gone" in text and len(identities) == len(set(identities))


def test_findings(device):
    with f2fskit.open(device) as volume:
        address = volume["/etc/passwd"].inode().address
    device.write(address * 4096 + 4072, b"spoiled!")
    with f2fskit.open(device) as volume:
        text = report(volume, check=f2fskit.check(device), deleted=False, title="broken")
    assert "<h1>broken</h1>" in text and "NODE_FOOTER" in text and "problems.</p>" in text and "Deleted files" not in text
    Page(text)


def test_notebooks(device):
    with f2fskit.open(device) as volume:
        assert "&lt;b&gt;label&lt;/b&gt;" in volume._repr_html_() and Page(volume._repr_html_())
        assert volume.segment_map()._repr_svg_().startswith("<svg") and volume.segment_map("text")._repr_svg_() is None
    assert volume._repr_html_() is None  # closed
    assert "nothing wrong" in f2fskit.check(device)._repr_html_()


def test_parts():
    assert [size_text(n) for n in (0, 1023, 1024, 5 << 20, 1 << 50)] == ["0 bytes", "1,023 bytes", "1.0 KiB", "5.0 MiB", "1024.0 TiB"]
    assert times_svg([], "none") == times_svg([0], "none") == ""
    day = 86_400_000_000_000
    for times in ([day], [day, day + 1], [day * n for n in range(1, 400)], [1, 1 << 62]):
        chart = times_svg(times, "times")
        assert sum(int(count.replace(",", "")) for count in re.findall(r"<title>([\d,]+) from", chart)) == len(times)


def contrast(*colours):
    """Return the ratio of the luminances of two colours, as the Web Content Accessibility Guidelines define it."""
    def luminance(colour):
        digits = "".join(digit * 2 for digit in colour) if len(colour) == 3 else colour
        parts = [part / 255 for part in bytes.fromhex(digits)]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue
    low, high = sorted(luminance(colour) for colour in colours)
    return (high + 0.05) / (low + 0.05)


def test_colours_can_be_read():
    """In both schemes: 4.5 for text, 3 for pictures (WCAG 2.2, 1.4.3 and 1.4.11)."""
    light, dark = (dict(re.findall(r"--(\w+): #([0-9a-f]+)", part)) for part in re.findall(r":root \{(.*?)\}", STYLE, re.S))
    assert light.keys() == dark.keys() >= {"text", "soft", "page", "card", "mark", "bar", "good", "bad"} and light != dark
    assert round(contrast("000", "ffffff"), 1) == 21 and round(contrast("777777", "fff"), 2) == 4.48
    for scheme in (light, dark):
        for ground in ("page", "card"):
            for name in ("text", "soft", "mark", "good", "bad"):
                assert contrast(scheme[name], scheme[ground]) >= 4.5, name
        assert contrast(scheme["bar"], scheme["page"]) >= 3


@pytest.fixture
def browse(tmp_path):
    """A function that returns the title of a page after Chromium ran its scripts."""
    if not browser.BROWSER:
        pytest.skip(browser.MISSING)

    def titled(page):
        (tmp_path / "r.html").write_text(page)
        done = browser.browse(tmp_path, "--dump-dom", (tmp_path / "r.html").as_uri())
        title = re.search(r"<title>(.*?)</title>", done.stdout)
        assert title, done.stderr[-2000:]
        return title[1]

    return titled


def test_a_browser_sorts(device, browse):
    """A click on a head sorts its table."""
    with f2fskit.open(device) as volume:
        text = report(volume, check=f2fskit.check(device))
    probe = ("<script>const head = [...document.querySelectorAll('section[aria-labelledby=files] th button')]"
             ".find(one => one.textContent === 'size'); head.click();"
             "document.title = [...head.closest('table').tBodies[0].rows].map(row => row.cells[4].dataset.value).join(' ');</script>")
    title = browse(text.replace("</body>", probe + "</body>"))
    sizes = [int(word) for word in title.split()]
    assert len(sizes) > 60 and sizes == sorted(sizes) and sizes[0] < sizes[-1]
