# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables about a volume as data frames of pandas, with the types that their values have.

Times are datetime64[ns, UTC], sizes and numbers integers, types and states categories. pandas is imported when a frame is made.
"""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, Iterable

from .checker import CheckReport
from .inode import Inode
from .path import AnyPath
from .rows import RowTable, TableName, table
from .volume import Volume

if TYPE_CHECKING:
    import pandas  # type: ignore[import]

_DTYPES = {"choice": "category", "number": "int64", "size": "int64", "mode": "int64", "maybe": "Int64", "bool": "bool"}
_DIGEST_LENGTHS = {32: "md5", 40: "sha1", 64: "sha256", 128: "sha512"}


def _pandas() -> Any:
    try:
        import pandas
    except ImportError:
        raise ImportError("pandas is not installed: pip install 'f2fskit[pandas]', or use f2fskit.rows without it") from None
    return pandas


def to_frame(rows: RowTable) -> pandas.DataFrame:
    """Return a table of `f2fskit.rows` as a data frame."""
    pandas = _pandas()
    values = list(zip(*rows.rows)) or [()] * len(rows.columns)
    found = {}
    for (name, kind), column in zip(rows.columns.items(), values):
        if kind == "time":
            found[name] = _times(pandas, column)
        else:
            found[name] = pandas.Series(list(column), dtype=_DTYPES.get(kind, "object"))
    return pandas.DataFrame(found)


def _times(pandas: Any, column: Iterable[int | None]) -> Any:
    """Return nanoseconds as times in UTC. NaT stands for none, and for times beyond its years."""
    fitting = [value if value is not None and abs(value) < 9_223_372_000_000_000_000 else None for value in column]
    return pandas.to_datetime(pandas.Series(fitting, dtype="Int64"), unit="ns", utc=True)


def frame(name: TableName, source: Volume | CheckReport) -> pandas.DataFrame:
    """Return a table as a data frame: "files", "deleted", "timeline", "segments", "nat" or "carved" of a volume, "problems"
    of the report of a check."""
    return to_frame(table(name, source))


def files(volume: Volume, *, digest: str | None = None) -> pandas.DataFrame:
    """Return all names with the facts of their inodes.

    digest: add a column of this name with the digests of regular files: "md5", "sha1", "sha256" or "sha512".
    """
    found = frame("files", volume)
    if digest is not None:
        known = {path: digests[digest] for path, digests in volume.hashes(digest)}  # type: ignore[arg-type]
        # not map(): pandas 3 makes a column of UTF-8 of the keys, and names may have other bytes
        found[digest] = _pandas().Series([known.get(path) for path in found["path"]], dtype="object")
    return found


def timeline(volume: Volume) -> pandas.DataFrame:
    """Return the times of all inodes, deleted ones too."""
    return frame("timeline", volume)


def deleted(volume: Volume) -> pandas.DataFrame:
    """Return deleted files that left traces."""
    return frame("deleted", volume)


def segments(volume: Volume) -> pandas.DataFrame:
    """Return the segments of the main area."""
    return frame("segments", volume)


def nat(volume: Volume) -> pandas.DataFrame:
    """Return the entries of the NAT that are in use."""
    return frame("nat", volume)


def carved(volume: Volume) -> pandas.DataFrame:
    """Return files found in free blocks by their contents."""
    return frame("carved", volume)


def problems(report: CheckReport) -> pandas.DataFrame:
    """Return the findings of a check."""
    return frame("problems", report)


def versions(volume: Volume, what: AnyPath | int | Inode) -> pandas.DataFrame:
    """Return the remaining versions of a file, the oldest first, see `Volume.versions()`."""
    rows = ((one.ino, one.addr, one.cp_ver, one.age, one.name, one.stat.st_size, one.stat.st_mtime_ns, one.confidence.name.lower(),
             one.is_current) for one in volume.versions(what))  # fmt: skip
    return to_frame(RowTable("versions", "Versions", {
        "ino": "number", "block": "number", "cp_ver": "number", "age": "number", "name": "text", "size": "size", "mtime": "time",
        "left": "choice", "is_current": "bool"}, rows))  # fmt: skip


def known(frame: pandas.DataFrame, hash_set: Iterable[str] | str | os.PathLike[str]) -> pandas.Series:
    """Return for each row of a frame with digests whether a set of known files has it.

    Args:
        frame: with a column md5, sha1, sha256 or sha512, as `files(volume, digest=…)` makes it.
        hash_set: digests in hexadecimal, or the path of a file that has them: the first digest of each line counts, as in the
            lists of sha256sum(1), of hashdeep and of the NSRL.

    Raises:
        ValueError: the frame has no digests of the lengths in the set.
    """
    if isinstance(hash_set, (str, os.PathLike)):
        with open(hash_set, encoding="utf-8", errors="replace") as file:
            wanted = {digest for line in file if (digest := _digest_of(line))}
    else:
        wanted = {digest.lower() for digest in hash_set}
    by_kind: dict[str, set[str]] = {}
    for digest in wanted:
        by_kind.setdefault(_DIGEST_LENGTHS.get(len(digest), "unknown"), set()).add(digest)
    columns = [kind for kind in by_kind if kind in frame.columns]
    if not columns and wanted:
        raise ValueError(f"the set has digests of the kind {', '.join(sorted(by_kind))}; the frame has none of them")
    result = _pandas().Series(False, index=frame.index)
    for kind in columns:
        result |= frame[kind].isin(list(by_kind[kind]))
    return result


def _digest_of(line: str) -> str | None:
    """Return the first word of a line that looks like a digest."""
    for word in line.replace(",", " ").replace('"', " ").replace("\\", " ").split():
        if len(word) in _DIGEST_LENGTHS and all(letter in "0123456789abcdefABCDEF" for letter in word):
            return word.lower()
    return None
