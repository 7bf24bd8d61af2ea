# SPDX-License-Identifier: LGPL-2.1-or-later
"""Plots are true of their volume: each test reads the artists of a plot."""
import pytest

import f2fskit
from f2fskit import plots

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("agg")
from matplotlib import pyplot  # noqa: E402

OLD, NEW = 1_600_000_000 * 10**9, 1_700_000_000 * 10**9


@pytest.fixture
def axes():
    figure, found = pyplot.subplots()
    yield found
    figure.canvas.draw()
    pyplot.close(figure)


@pytest.fixture
def volume():
    """A volume with a file in pieces, one in one piece, an inline one, and times of two kinds."""
    tree = {"whole": b"w" * 40000, "small": b"s", "pieces": b""}
    with f2fskit.build(tree, size=128 << 20, volume={"features": ["extra_attr", "inode_crtime"]}, time=OLD) as device:
        with f2fskit.open(device, "r+", now=NEW) as found:
            for name in ("pieces", "between") * 4:
                with found["/"].joinpath(name).open("ab") as file:
                    file.write(b"p" * 8192)
                found.commit()
        with f2fskit.open(device) as found:
            yield found


def test_segments(volume, axes):
    assert plots.segments(volume, axes, columns=10) is axes
    (picture,) = axes.images
    cells = picture.get_array().reshape(-1, 3)[: volume.geometry.segment_count_main]
    assert picture.get_array().shape[1] == 10
    used = [entry.valid_blocks > 0 for entry in volume.sit]
    free = matplotlib.colors.to_rgb("#f2f2f2")
    assert [tuple(cell) != free for cell in cells.tolist()] == used and any(used)
    words = [text.get_text() for text in axes.get_legend().get_texts()]
    assert words[-1] == "free" and len(words) == 1 + len({entry.type for entry in volume.sit if entry.valid_blocks})


def test_segments_by_themselves(volume, axes):
    plots.segments(volume, axes)
    high, wide, _ = axes.images[0].get_array().shape
    assert high <= wide and high * wide >= volume.geometry.segment_count_main
    with pytest.raises(ValueError, match="columns: 0"):
        plots.segments(volume, axes, columns=0)


def test_utilisation(volume, axes):
    plots.utilisation(volume, axes, bins=5)
    tops = [0.0] * 5
    for bar in axes.patches:
        tops[int(bar.get_x() // 20)] += bar.get_height()
    used = [entry.valid_blocks for entry in volume.sit if entry.valid_blocks]
    assert sum(tops) == len(used)
    assert tops[0] == sum(100 * blocks / 512 < 20 for blocks in used)


def test_timeline(volume, axes):
    plots.timeline(volume, axes, times=("mtime",))
    (label,) = [text.get_text() for text in axes.get_legend().get_texts()]
    assert label == "mtime: 5 files"  # the root, and four files
    first, last = axes.dataLim.intervalx
    assert last - first == pytest.approx((NEW - OLD) / 86_400e9, abs=1)
    with pytest.raises(ValueError, match="no time 'dtime'"):
        plots.timeline(volume, axes, times=("dtime",))


def test_fragments(volume, axes):
    plots.fragments(volume, axes)
    drawn = {text.get_text(): cloud.get_offsets().tolist() for text, cloud in zip(axes.get_legend().get_texts(), axes.collections)}
    expected = {one.path: [one.blocks * 4096, one.fragments] for one in volume.fragmentation().by_file if one.blocks}
    (broken,) = [points for label, points in drawn.items() if label.startswith("broken")]
    assert expected["/pieces"] in broken and expected["/pieces"][1] > 1
    assert sorted(point for points in drawn.values() for point in points) == sorted(expected.values())


def test_an_empty_volume(axes):
    with f2fskit.build({}) as device, f2fskit.open(device) as volume:
        for draw in (plots.segments, plots.utilisation, plots.timeline, plots.fragments):
            axes.clear()
            draw(volume, axes)


def test_times_that_no_date_holds():
    assert plots._moments([1 << 62, None, -(1 << 63), -(1 << 62), 0]) and len(plots._moments([None, 0])) == 1


def test_current_axes(volume):
    figure = pyplot.figure()
    assert plots.fragments(volume).figure is figure
    pyplot.close(figure)


def test_without_matplotlib(volume, monkeypatch):
    import sys

    monkeypatch.setitem(sys.modules, "matplotlib", None)
    with pytest.raises(ImportError, match=r"pip install 'f2fskit\[plot\]'"):
        plots.segments(volume)
