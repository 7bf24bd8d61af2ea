# SPDX-License-Identifier: LGPL-2.1-or-later
"""The picture of the segments as it is shown, pixel by pixel against the SIT: by rsvg-convert, and by Chromium."""
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import zlib

import pytest

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "common"))
import browser  # noqa: E402

RENDERER = shutil.which("rsvg-convert")
LEVELS, TYPES = 4, 6
WIDTH, HEIGHT = 1200, 300


def unfilter(kind, line, above, depth):
    """A line of a PNG, by the five ways to foretell a byte."""
    for i, byte in enumerate(line):
        left = line[i - depth] if i >= depth else 0
        up, corner = above[i], above[i - depth] if i >= depth else 0
        estimate = left + up - corner
        paeth = min((left, up, corner), key=lambda value: abs(estimate - value))
        line[i] = (byte + (0, left, up, (left + up) // 2, paeth)[kind]) & 255
    return line


def read_png(path):
    """Its lines, and the bytes of a pixel."""
    data, at, packed = path.read_bytes(), 8, b""
    while at < len(data):
        length, name = struct.unpack_from(">I4s", data, at)
        packed += data[at + 8:at + 8 + length] if name == b"IDAT" else b""
        at += 12 + length
    width, height, bits, colours = struct.unpack_from(">IIBB", data, 16)
    assert bits == 8 and colours in (2, 6)
    depth = 3 if colours == 2 else 4
    raw, lines, above = zlib.decompress(packed), [], bytes(width * depth)
    for y in range(height):
        start = y * (width * depth + 1)
        above = unfilter(raw[start], bytearray(raw[start + 1:start + 1 + width * depth]), above, depth)
        lines.append(above)
    return lines, depth


def by_browser(svg, shown):
    browser.browse(shown.parent, f"--window-size={WIDTH},{HEIGHT}", f"--screenshot={shown}", svg.as_uri())


def by_renderer(svg, shown):
    subprocess.run([RENDERER, "--background-color=white", "-o", shown, svg], check=True, capture_output=True, timeout=120)


@pytest.mark.parametrize("show", [
    pytest.param(by_renderer, marks=pytest.mark.skipif(not RENDERER, reason="rsvg-convert is not installed")),
    pytest.param(by_browser, marks=pytest.mark.skipif(not browser.BROWSER, reason=browser.MISSING))])
def test_what_is_shown_is_the_sit(run_tool, f2fskit, tmp_path, show):
    image, svg, shown = tmp_path / "disk.img", tmp_path / "map.svg", tmp_path / "map.png"
    run_tool("mkfs.f2fs", "-q", image, "400M")
    with f2fskit.open(image, "r+") as volume:
        for i in range(40):  # segments used to all degrees
            volume.path(f"/{i}").write_bytes(bytes([i + 1]) * (3 << 20))
        volume.commit()
        for i in range(40):
            volume.lookup(f"/{i}").fallocate(0, (i * 80 % 700 + 1) << 12, 3)
    run_tool("defrag.f2fs", f"--svg={svg}", image)
    show(svg, shown)
    lines, depth = read_png(shown)

    def pixel(x, y):
        return bytes(lines[int(y)][int(x) * depth:int(x) * depth + 3])

    text = svg.read_text()
    swatches = [(int(x) + 7, int(y) + 6) for x, y in re.findall(r'<rect x="(\d+)" y="(\d+)" width="14"', text)]
    top = float(re.search(r"translate\(100 ([\d.]+)\)", text)[1])
    *used, free, log = [pixel(x, y) for x, y in swatches]
    assert len(used) == LEVELS * TYPES and len(set(used) | {free, log}) == len(used) + 2
    with f2fskit.open(image) as volume:
        logs = {volume.logs[i].segno for i in range(6)}
        levels = set()
        for segno, entry in enumerate(volume.sit):
            level = (entry.valid_blocks * LEVELS - 1) // 512
            wanted = used[entry.type * LEVELS + level] if entry.valid_blocks else log if segno in logs else free
            levels.add(level)
            # at the edge of a cell, where the dot of a log does not reach
            assert pixel(100 + segno % 128 * 8, top + segno // 128 * 10 + 2) == wanted, segno
            middle = pixel(100 + segno % 128 * 8 + 4, top + segno // 128 * 10 + 5)
            assert (middle == log) == (segno in logs), segno
    assert len(levels) == LEVELS + 1
