# SPDX-License-Identifier: LGPL-2.1-or-later
"""Commands for images where only the package is installed: python -m f2fskit COMMAND ...

The programs of the project (dump.f2fs, fsck.f2fs, f2fs and others) do much more. Nothing here changes an image.

Exit status: 0, 1 if a check found problems, trees differ or an image of an inventory has an error, 2 for trouble.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import os
import sys
import time
from typing import Any, Iterator, Mapping, Sequence

from . import __version__, errors
from .checker import check
from .difference import diff
from .directory import read_entries
from .enums import Severity
from .path import F2FSPath
from .rows import TABLE_NAMES, table, write_csv
from .volume import Volume, open as open_volume
from .volume_lists import printable

_SAME, _DIFFERENT, _TROUBLE = 0, 1, 2


@contextlib.contextmanager
def _opened(arguments: argparse.Namespace) -> Iterator[Volume]:
    with open_volume(arguments.image, offset=arguments.offset) as volume:
        if arguments.as_of is None:
            yield volume
        else:
            with volume.as_of(arguments.as_of) as past:
                yield past


def _line(path: F2FSPath, status: Any) -> str:
    target = f" -> {printable(path.readlink())}" if status.filemode.startswith("l") else ""
    when = time.strftime("%Y-%m-%d %H:%M", time.gmtime(status.st_mtime_ns // 1_000_000_000))
    return (f"{status.filemode} {status.st_nlink:3} {status.st_uid:5} {status.st_gid:5} {status.st_size:10} {when} "
            f"{printable(path.name or '/')}{target}")  # fmt: skip


def _info(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as volume:
        facts = volume.info()
    if arguments.json:
        print(json.dumps(facts, indent=2))
        return _SAME
    for name, value in facts.items():
        if name in ("feature", "ckpt_flags"):
            continue
        if isinstance(value, list):
            value = ", ".join(str(one) if isinstance(one, str) else one["state"] for one in value)
        print(f"{name:20} {printable(str(value))}")
    return _SAME


def _ls(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as volume:
        for name in arguments.paths or ["/"]:
            top = volume.path(name)
            if not top.is_dir():
                print(_line(top, top.lstat()) if arguments.long else printable(name))
                continue
            inode = top.inode()
            entries = read_entries(inode, str(top)) or list(inode.iterdir())
            for entry in sorted(entries, key=lambda one: one.name):
                print(_line(top / entry.name, entry.stat()) if arguments.long else printable(entry.name))
    return _SAME


def _cat(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as volume:
        for name in arguments.paths:
            with volume.path(name).open("rb") as file:
                while piece := file.read(1 << 20):
                    sys.stdout.buffer.write(piece)
    return _SAME


def _extract(arguments: argparse.Namespace) -> int:
    with _opened(arguments) as volume:
        where: dict[str, Any] = {"tar": sys.stdout.buffer} if arguments.directory == "-" else {"directory": arguments.directory}
        result = volume.extract(**where, paths=arguments.paths, check=False)
    for problem in result.problem_list:
        if problem.is_counted:
            print(f"f2fskit: {printable(problem.path)}: {problem.what or problem.kind.name.lower()}: {printable(str(problem.error))}",
                  file=sys.stderr)  # fmt: skip
    return _TROUBLE if result.problems else _SAME


def _value(field: str, values: Mapping[str, Any]) -> str:
    return f"{values[field]:04o}" if field == "mode" else printable(str(values[field]))


def _diff(arguments: argparse.Namespace) -> int:
    found = diff(arguments.image, arguments.other)
    marks = {"added": "+", "removed": "-", "changed": "!", "unreadable": "?"}
    for one in found:
        values = [f"{field}: {_value(field, one.old)} -> {_value(field, one.new)}" if field in one.old and field in one.new
                  else field for field in one.fields]  # fmt: skip
        print(f"{marks[one.kind]} {printable(one.path)}{': ' if values or one.message else ''}{'; '.join(values)}{one.message}")
    return _DIFFERENT if found else _SAME


def _check(arguments: argparse.Namespace) -> int:
    report = check(arguments.image, offset=arguments.offset)
    for one in report.problems:
        if one.severity != Severity.NOTE or not report.found:
            print(f"{one.severity.name.lower():6} {one.name}: {printable(one.message)}")
    print(f"{report.found} problems, {report.files} files, {report.directories} directories")
    return _SAME if report.is_sound else _DIFFERENT


def _report(arguments: argparse.Namespace) -> int:
    from .report import report

    found = check(arguments.image, offset=arguments.offset)
    with _opened(arguments) as volume:
        page = report(volume, None, check=found, title=os.path.basename(arguments.image))
    if arguments.output == "-":
        sys.stdout.write(page)
    else:
        with open(arguments.output, "w", encoding="utf-8") as file:
            file.write(page)
    return _SAME


def _frame(arguments: argparse.Namespace) -> int:
    if arguments.table == "problems":
        write_csv(table("problems", check(arguments.image, offset=arguments.offset)), sys.stdout)
        return _SAME
    with _opened(arguments) as volume:
        write_csv(table(arguments.table, volume), sys.stdout)
    return _SAME


def _inventory(arguments: argparse.Namespace) -> int:
    from .inventory import Inventory, inventory

    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(Inventory._fields)
    status = _SAME
    for row in inventory(arguments.images, digests=arguments.digests, seconds=arguments.seconds, memory=arguments.memory << 20):
        writer.writerow(row._replace(findings=" | ".join(row.findings)))  # type: ignore[arg-type]
        sys.stdout.flush()
        status = _DIFFERENT if row.error or not row.is_sound else status
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser("python -m f2fskit", description="Look at F2FS images without mounting them.",
                                     epilog="Exit status: 0, 1 for problems or differences, 2 for trouble.")  # fmt: skip
    parser.add_argument("--version", action="version", version=f"f2fskit {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")

    def add(name: str, function: Any, words: str, views: bool = True) -> argparse.ArgumentParser:
        command = commands.add_parser(name, help=words, description=f"{words[0].upper()}{words[1:]}.")
        command.set_defaults(function=function, offset=0, as_of=None)
        if name != "inventory":
            command.add_argument("image", help="file or block device")
            command.add_argument("--offset", type=int, default=0, metavar="BYTES", help="start of the volume in the image")
        if views:
            command.add_argument("--as-of", type=int, metavar="N", help="an earlier checkpoint, negative: counted back")
        return command

    add("info", _info, "show an overview").add_argument("--json", action="store_true", help="as JSON")
    command = add("ls", _ls, "list directories")
    command.add_argument("paths", nargs="*")
    command.add_argument("-l", "--long", action="store_true", help="with modes, owners, sizes and times")
    add("cat", _cat, "write contents of files to standard output").add_argument("paths", nargs="+")
    command = add("extract", _extract, "copy files to a directory, or with - to standard output as a tar archive")
    command.add_argument("directory")
    command.add_argument("paths", nargs="*")
    add("diff", _diff, "compare with another image or a directory", views=False).add_argument("other")
    add("check", _check, "check a volume, without changing it", views=False)
    add("report", _report, "write a page of HTML").add_argument("output", help="file, or - for standard output")
    add("frame", _frame, "write a table as comma-separated values").add_argument("table", choices=TABLE_NAMES)
    command = add("inventory", _inventory, "list many images as comma-separated values", views=False)
    command.add_argument("images", nargs="+")
    command.add_argument("--digests", action="store_true", help="read all contents, for digests of trees")
    command.add_argument("--seconds", type=float, default=600, help="bound of time for an image")
    command.add_argument("--memory", type=int, default=2048, metavar="MIB", help="bound of memory for an image")
    return parser


def main(words: Sequence[str] | None = None) -> int:
    """Run a command, and return the exit status."""
    arguments = _parser().parse_args(words)
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="surrogateescape")
    try:
        status: int = arguments.function(arguments)
        sys.stdout.flush()
        return status
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # the rest has no reader
        return _TROUBLE
    except KeyboardInterrupt:
        return 130
    except (errors.Error, OSError, ValueError) as error:
        print(f"f2fskit: {printable(str(error))}", file=sys.stderr)
        return _TROUBLE


if __name__ == "__main__":
    sys.exit(main())
