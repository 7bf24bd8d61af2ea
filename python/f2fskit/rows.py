# SPDX-License-Identifier: LGPL-2.1-or-later
"""Tables about a volume as plain rows: files, deleted files, times, versions, segments, NAT, findings, carved files.

Each table has named columns of a kind. Data frames, reports and comma-separated values are made from the same rows.
"""

from __future__ import annotations

import csv
import datetime
import functools
import stat
from typing import Any, Callable, Iterable, Iterator, Literal, Mapping, NamedTuple, Sequence, TextIO

from . import enums
from .checker import CheckReport
from .listing import NO_TIME
from .volume import Volume

Kind = Literal["text", "choice", "number", "maybe", "bool", "mode", "size", "time"]
"""Of a column: text; one of few texts; a whole number; one or None; true or false; a mode; bytes; nanoseconds since 1970 or
None."""
TableName = Literal["files", "deleted", "timeline", "segments", "nat", "problems", "carved"]

_TYPES = {int(kind): kind.name.lower() for kind in enums.FileType}
_KINDS = {
    stat.S_IFREG: enums.FileType.REGULAR, stat.S_IFDIR: enums.FileType.DIRECTORY, stat.S_IFLNK: enums.FileType.SYMLINK,
}  # fmt: skip
_EPOCH = datetime.datetime(1970, 1, 1)


class RowTable(NamedTuple):
    """A table of plain rows."""

    name: str
    title: str
    columns: Mapping[str, Kind]
    rows: Iterable[Sequence[Any]]


def _lower(value: Any) -> str:
    return str(getattr(value, "name", value)).lower()


def _time(value: int) -> int | None:
    return None if value == NO_TIME else value


# Each function yields the rows of a table, in the order of its columns.


def _files(volume: Volume) -> Iterator[tuple[Any, ...]]:
    table = volume.inode_table(unnamed=not volume.as_of_stat().version)
    for row, (path, (ino, error, kind)) in enumerate(zip(table.paths, table._entries())):
        status = table.stat(row)
        born = getattr(status, "st_birthtime_ns", None)
        yield (path, ino, _TYPES.get(_KINDS.get(stat.S_IFMT(status.st_mode)) or kind, "unknown"), status.st_mode, status.st_nlink, status.st_uid, status.st_gid,
               status.st_size, status.st_blocks * 512, status.st_mtime_ns, status.st_atime_ns, status.st_ctime_ns, born, error != 0)  # fmt: skip


def _deleted(volume: Volume) -> Iterator[tuple[Any, ...]]:
    for one in volume.deleted():
        status = one.version.stat
        yield (one.path, one.ino, _lower(one.type), _lower(one.confidence), status.st_size, status.st_mtime_ns, one.version.addr,
               one.version.cp_ver, one.version.age, one.versions)  # fmt: skip


def _timeline(volume: Volume) -> Iterator[tuple[Any, ...]]:
    for one in volume.timeline():
        status = one.stat
        yield (one.path, _lower(one.state), one.ino, one.addr, one.cp_ver, one.age, status.st_mode, status.st_uid, status.st_gid,
               status.st_size, status.st_mtime_ns, status.st_atime_ns, status.st_ctime_ns,
               getattr(status, "st_birthtime_ns", None))  # fmt: skip


def _segments(volume: Volume) -> Iterator[tuple[Any, ...]]:
    logs = {head.segno: _lower(kind) for kind, head in volume.logs.items()}
    for entry in volume.sit:
        yield entry.segno, _lower(entry.type), entry.valid_blocks, entry.mtime, logs.get(entry.segno, "")


def _nat(volume: Volume) -> Iterator[tuple[Any, ...]]:
    for entry in volume.nat.used():
        yield entry.nid, entry.ino, entry.block_addr, entry.version, _lower(entry.source)


def _carved(volume: Volume) -> Iterator[tuple[Any, ...]]:
    for one in volume.carve():
        yield one.kind, one.addr, one.offset, one.size, _lower(one.end), one.pieces, one.slack_of, one.blank


def _problems(report: CheckReport) -> Iterator[tuple[Any, ...]]:
    for one in report.problems:
        yield (one.name, one.id, _lower(one.severity), one.message, one.path, one.ino, one.nid, one.block, one.segno, one.found,
               one.expected)  # fmt: skip


class _Table(NamedTuple):
    title: str
    rows: Callable[[Any], Iterator[tuple[Any, ...]]]
    columns: Mapping[str, Kind]


_TABLES: Mapping[str, _Table] = {
    "files": _Table("Files", _files, {
        "path": "text", "ino": "number", "type": "choice", "mode": "mode", "nlink": "number", "uid": "number", "gid": "number",
        "size": "size", "allocated": "size", "mtime": "time", "atime": "time", "ctime": "time", "crtime": "time",
        "is_damaged": "bool"}),
    "deleted": _Table("Deleted files", _deleted, {
        "path": "text", "ino": "number", "type": "choice", "left": "choice", "size": "size", "mtime": "time", "block": "number",
        "cp_ver": "number", "age": "number", "versions": "number"}),
    "timeline": _Table("Times of inodes", _timeline, {
        "path": "text", "state": "choice", "ino": "number", "block": "number", "cp_ver": "number", "age": "number", "mode": "mode",
        "uid": "number", "gid": "number", "size": "size", "mtime": "time", "atime": "time", "ctime": "time", "crtime": "time"}),
    "segments": _Table("Segments", _segments, {
        "segno": "number", "type": "choice", "valid_blocks": "number", "mtime": "number", "log": "choice"}),
    "nat": _Table("Node addresses", _nat, {
        "nid": "number", "ino": "number", "block": "number", "version": "number", "source": "choice"}),
    "problems": _Table("Findings", _problems, {
        "name": "choice", "id": "number", "severity": "choice", "message": "text", "path": "text", "ino": "maybe", "nid": "maybe",
        "block": "maybe", "segno": "maybe", "found": "maybe", "expected": "maybe"}),
    "carved": _Table("Files found by signature", _carved, {
        "kind": "choice", "block": "number", "offset": "number", "size": "size", "end": "choice", "pieces": "number",
        "slack_of": "number", "blank": "number"}),
}  # fmt: skip

TABLE_NAMES: tuple[TableName, ...] = TableName.__args__  # type: ignore[attr-defined]


def table(name: TableName, source: Volume | CheckReport) -> RowTable:
    """Return a table about a volume, or "problems" of the report of a check. Its rows are made while they are read."""
    if name not in _TABLES:
        raise ValueError(f"there is no table {name!r}; there are {', '.join(TABLE_NAMES)}")
    if isinstance(source, CheckReport) != (name == "problems"):
        wanted = "the report of a check" if name == "problems" else "an open volume"
        raise TypeError(f"the table {name} is made of {wanted}, not of {type(source).__name__}")
    found = _TABLES[name]
    return RowTable(name, found.title, found.columns, found.rows(source))


def shown(kind: Kind, value: Any) -> str:
    """Return a value as text: times in UTC with nanoseconds, modes in octal, nothing for None."""
    if value is None:
        return ""
    if kind == "time":
        moment = _EPOCH + datetime.timedelta(seconds=value // 1_000_000_000) if abs(value) < 1 << 62 else None
        return str(value) if moment is None else f"{moment:%Y-%m-%d %H:%M:%S}.{value % 1_000_000_000:09d}"
    if kind == "mode":
        return f"{value:06o}"
    return str(value).lower() if kind == "bool" else str(value)


def write_csv(rows: RowTable, file: TextIO) -> None:
    """Write a table as comma-separated values, with a first line of names."""
    writer = csv.writer(file, lineterminator="\n")
    writer.writerow(rows.columns)
    show = [functools.partial(shown, kind) for kind in rows.columns.values()]
    for row in rows.rows:
        writer.writerow([one(value) for one, value in zip(show, row)])
