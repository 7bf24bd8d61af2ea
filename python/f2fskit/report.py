# SPDX-License-Identifier: LGPL-2.1-or-later
"""A report about a volume as one page of HTML: overview, findings, space, times, files, deleted files.

The page needs nothing else: no network, no fonts, no further files. Its tables can be sorted, it follows the reader's choice of
dark or light, and screen readers and keyboards can use it.
"""

from __future__ import annotations

import datetime
import heapq
import html
import os
import re
from typing import Any, Iterable, Iterator, Sequence, TextIO

from .checker import CheckReport
from .moment import default_time, split
from .report_style import PAGE, SCRIPT, STYLE
from .rows import Kind, RowTable, shown, table
from .volume import Volume
from .volume_lists import printable

_ROWS = 500
_BINS = 48
_LAST = ((1 << 63) // 1_000_000_000) * 1_000_000_000  # later times are not counted: with all of their second they need more than 64 bits
_DAY = 86_400_000_000_000
_UNITS = ("bytes", "KiB", "MiB", "GiB", "TiB")
_OVERVIEW = (
    ("container", "Container"), ("offset", "Begins at byte"), ("label", "Label"), ("uuid", "UUID"), ("features", "Features"), ("block_size", "Block size"), ("volume", "Size"),
    ("used", "In use"), ("free", "Free"), ("inodes", "Inodes"), ("segments", "Segments"), ("checkpoint", "Checkpoint"),
    ("state", "State"), ("superblocks", "Superblocks"), ("packs", "Checkpoint packs"), ("notes", "Notes"),
)  # fmt: skip
_NUMBERS = ("number", "maybe", "size", "time")
_NUMBER = ' class="number"'
_WHOLE = ("path", "message", "name", "kind")  # columns whose text may break
_LABELS = {"ino": "inode", "nid": "node", "cp_ver": "checkpoint", "nlink": "links", "is_damaged": "damaged", "mtime": "changed",
           "left": "what is left"}  # fmt: skip


def size_text(number: int) -> str:
    """Return bytes in the unit that fits, such as "4.5 MiB"."""
    value, unit = float(number), 0
    while value >= 1024 and unit < len(_UNITS) - 1:
        value, unit = value / 1024, unit + 1
    return f"{number:,} bytes" if unit == 0 else f"{value:.1f} {_UNITS[unit]}"


def _escape(text: Any) -> str:
    return html.escape(printable(str(text)))


def _cell(name: str, kind: Kind, value: Any) -> str:
    text = size_text(value) if kind == "size" and value is not None else shown(kind, value)
    text = text[:19] if kind == "time" else text
    if kind in _NUMBERS:
        order = "" if value is None else f' data-value="{value}"'
        return f"<td{_NUMBER}{order}>{html.escape(text)}</td>"
    return f'<td class="{"long" if name in _WHOLE else "short"}">{_escape(text)}</td>'


def table_html(rows: RowTable, columns: Sequence[str], identity: str, note: str = "") -> Iterator[str]:
    """Yield a table of `f2fskit.rows` as HTML that can be sorted by each of its columns."""
    places: list[tuple[int, str, Kind]] = [(list(rows.columns).index(name), name, rows.columns[name]) for name in columns]
    yield f'<div class="wide" tabindex="0" role="region" aria-labelledby="{identity}"><table><caption>{html.escape(note)}</caption><thead><tr>'
    for _, name, kind in places:
        yield f'<th scope="col"{_NUMBER if kind in _NUMBERS else ""}><button type="button">{_LABELS.get(name, name.replace("_", " "))}</button></th>'
    yield "</tr></thead><tbody>"
    for row in rows.rows:
        yield "<tr>" + "".join(_cell(name, kind, row[place]) for place, name, kind in places) + "</tr>"
    yield "</tbody></table></div>"


def info_html(volume: Volume) -> str:
    """Return the overview of a volume as an HTML table, for notebooks and reports."""
    facts = _facts(volume)
    lines = (f'<tr><th scope="row">{label}</th><td>{facts[key]}</td></tr>' for key, label in _OVERVIEW if facts[key])
    return f'<table class="facts">{"".join(lines)}</table>'


def _facts(volume: Volume) -> dict[str, str]:
    info = volume.info()
    block = info["block_size"]
    state = "unmounted cleanly" if info["is_clean"] else "not unmounted cleanly"
    if info["pending_fsync_nodes"]:
        state += f"; a mount would recover {info['pending_fsync_nodes']} nodes"
    if info["orphans"]:
        state += f"; {info['orphans']} orphans"
    digests = (f", {name} {info[key]}" for name, key in (("MD5", "stored_md5"), ("SHA-1", "stored_sha1")) if key in info)
    found = {
        "container": f"{info['container']}{''.join(digests)}" if "container" in info else "",
        "offset": f"{info['volume_offset']:,}" if "volume_offset" in info else "",
        "label": info["label"],
        "uuid": info["uuid"],
        "features": " ".join(info["feature_names"]) or "none",
        "block_size": size_text(block),
        "volume": size_text(info["volume_bytes"]),
        "used": size_text(info["valid_blocks"] * block),
        "free": size_text(info["free_blocks"] * block),
        "inodes": f"{info['valid_inodes']:,}",
        "segments": f"{info['segments']:,}, {info['free_segments']:,} free",
        "checkpoint": f"{info['checkpoint_ver']:,}",
        "state": state,
        "superblocks": ", ".join(f"{one['state']}{' (in use)' if one['in_use'] else ''}" for one in info["superblocks"]),
        "packs": ", ".join(f"{one['version']:,} {one['state']}{' (in use)' if one['in_use'] else ''}" for one in info["packs"]),
        "notes": "; ".join(info["notes"]),
    }
    return {name: _escape(text) for name, text in found.items()}


def times_svg(times: Iterable[int], title: str) -> str:
    """Return a chart of how many of the times (nanoseconds since 1970) are in each of equal spans; "" without any."""
    moments = [time for time in times if 0 < time < _LAST]
    if not moments:
        return ""
    first, last = min(moments), max(moments)
    bins = min(_BINS, max((last - first) // _DAY + 1, 8)) if last > first else 1
    step = max((last - first + bins) // bins, 1)
    counts = [0] * bins
    for time in moments:
        counts[min((time - first) // step, bins - 1)] += 1
    most = max(counts)
    wide = 700 / bins
    day = 10 if last - first > 2 * _DAY else 16  # letters of a time that are shown
    bars = []
    for i, count in enumerate(counts):
        if count:
            high = max(140 * count / most, 1)
            begin = shown("time", first + i * step)[:16]
            bars.append(f'<rect x="{60 + i * wide:.1f}" y="{150 - high:.1f}" width="{max(wide - 1, 1):.1f}" height="{high:.1f}">'
                        f"<title>{count:,} from {begin} UTC</title></rect>")
    ends = (f'<text x="60" y="168">{shown("time", first)[:day]}</text>'
            f'<text x="760" y="168" text-anchor="end">{shown("time", last)[:day]}</text>')
    scale = f'<text x="54" y="18" text-anchor="end">{most:,}</text><text x="54" y="150" text-anchor="end">0</text>'
    return (f'<svg class="chart" viewBox="0 0 770 176" role="img" aria-label="{html.escape(title)}">'
            f'<path d="M60 10V150.5H760" class="axis"/>{"".join(bars)}{ends}{scale}</svg>')  # fmt: skip


def map_svg(volume: Volume) -> str:
    """Return the map of the segments, scaled to the width of the page."""
    found = volume.segment_map("svg")
    match = re.match(r'<svg [^>]*width="([\d.]+)" height="([\d.]+)"', found)
    if not match:
        return found
    view = f'<svg viewBox="0 0 {match[1]} {match[2]}" role="img" aria-label="map of the segments" '
    return found.replace("<svg ", view, 1).replace(f'width="{match[1]}" height="{match[2]}"', 'class="map"', 1)


def _limited(rows: RowTable, order: str, count: int) -> tuple[RowTable, str]:
    """Return the rows with the largest values of a column, and words about how many there are."""
    place = list(rows.columns).index(order)
    total = 0

    def counted() -> Iterator[Sequence[Any]]:
        nonlocal total
        for row in rows.rows:
            total += 1
            yield row

    found = heapq.nlargest(count, counted(), key=lambda row: row[place] or 0)
    words = f"{total:,} in all" if total <= count else f"the {count:,} with the largest {_LABELS.get(order, order)}, of {total:,}"
    return rows._replace(rows=found), words


def _section(identity: str, title: str, parts: Iterable[str]) -> Iterator[str]:
    yield f'<section aria-labelledby="{identity}"><h2 id="{identity}">{html.escape(title)}</h2>'
    yield from parts
    yield "</section>"


def findings_html(report: CheckReport) -> str:
    """Return the findings of a check as HTML, for notebooks and reports."""
    return "".join(_findings(report))


def _findings(report: CheckReport) -> Iterator[str]:
    if report.is_sound:
        yield '<p class="good">A check found nothing wrong.</p>'
    else:
        yield f'<p class="bad">A check found {report.found:,} problems.</p>'
    if report.problems:
        rows = table("problems", report)
        first = rows._replace(rows=list(rows.rows)[:_ROWS])
        note = "" if len(report.problems) <= _ROWS else f"the first {_ROWS:,} of {len(report.problems):,}"
        yield from table_html(first, ("severity", "name", "message", "path", "ino", "block"), "findings", note)


def _files(volume: Volume, count: int) -> Iterator[str]:
    times: list[int] = []

    def watched(rows: RowTable) -> Iterator[Sequence[Any]]:
        place = list(rows.columns).index("mtime")
        for row in rows.rows:
            times.append(row[place])
            yield row

    rows = table("files", volume)
    limited, words = _limited(rows._replace(rows=watched(rows)), "size", count)
    yield times_svg(times, "files by the time of their last change")
    yield from table_html(limited, ("path", "type", "mode", "uid", "size", "allocated", "mtime", "ino"), "files", words)


def _deleted(volume: Volume, count: int) -> Iterator[str]:
    limited, words = _limited(table("deleted", volume), "mtime", count)
    if not limited.rows:
        yield "<p>None was found.</p>"
        return
    yield from table_html(limited, ("path", "type", "left", "size", "mtime", "cp_ver", "ino", "block"), "deleted", words)


def report(
    volume: Volume,
    target: str | os.PathLike[str] | TextIO | None = None,
    *,
    check: CheckReport | None = None,
    title: str = "",
    deleted: bool = True,
    rows: int = _ROWS,
) -> str:
    """Write a report about a volume, and return it: one page of HTML that needs nothing else.

    Args:
        volume: open, without uncommitted changes.
        target: path of a file, which is replaced, or a text file. None: only return the page.
        check: report of a check, whose findings the page then has.
        title: of the page; "": the label, or the UUID.
        deleted: look for deleted files, which reads all segments of nodes.
        rows: most rows of a table.
    """
    name = title or volume.label or str(volume.uuid)
    sections = [("overview", "Overview", iter([info_html(volume)]))]
    if check is not None:
        sections.append(("findings", "Findings", _findings(check)))
    sections.append(("space", "Space", iter([map_svg(volume)])))
    sections.append(("files", "Files", _files(volume, rows)))
    if deleted and not volume.as_of_stat().version:
        sections.append(("deleted", "Deleted files", _deleted(volume, rows)))
    links = "".join(f'<li><a href="#{identity}">{words}</a></li>' for identity, words, _ in sections)
    body = "".join("".join(_section(*one)) for one in sections)
    made = datetime.datetime.fromtimestamp(split(default_time(), "now")[0], datetime.timezone.utc)
    page = PAGE.format(title=_escape(name), style=STYLE, script=SCRIPT, links=links, body=body, made=f"{made:%Y-%m-%d %H:%M} UTC")
    if isinstance(target, (str, os.PathLike)):
        with open(target, "w", encoding="utf-8") as file:
            file.write(page)
    elif target is not None:
        target.write(page)
    return page
