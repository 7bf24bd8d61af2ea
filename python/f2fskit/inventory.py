# SPDX-License-Identifier: LGPL-2.1-or-later
"""Look at many images: `inventory()` gives a row for each, found by a process of its own with bounds of time and memory.

A row is plain data. It can be sent to other processes and machines, and become a line of a table.
"""

from __future__ import annotations

import collections
import concurrent.futures
import hashlib
import json
import os
import resource
import stat
import time
from typing import Any, Iterable, Iterator, NamedTuple, Protocol

from . import checker, own_process, volume

_USUAL_SECONDS = 600.0
_USUAL_MEMORY = 2 << 30
_WAITING = 64  # images handed to an executor and not yet returned
_FINDINGS = 20  # findings in a row
_START = "import sys; sys.path.insert(0, sys.argv[1]); from f2fskit import inventory; inventory._serve()"


class Inventory(NamedTuple):
    """A row about an image. Numbers are 0 and texts empty where an error ended the look."""

    image: str
    error: str = ""
    """One sentence; "" when the image was looked at whole."""
    label: str = ""
    uuid: str = ""
    features: str = ""
    """Names, separated by spaces."""
    block_size: int = 0
    volume_bytes: int = 0
    used_bytes: int = 0
    free_bytes: int = 0
    is_clean: bool = False
    """It was unmounted cleanly."""
    pending: int = 0
    """Nodes written by fsync that a mount would recover."""
    files: int = 0
    directories: int = 0
    symlinks: int = 0
    file_bytes: int = 0
    """Sum of the sizes of all regular files, each counted once."""
    newest_ns: int = 0
    """Latest time of modification, nanoseconds since 1970."""
    is_sound: bool = False
    problems: int = 0
    worst: str = ""
    """Worst severity: "", "note", "stale", "damage" or "loss"."""
    findings: tuple[str, ...] = ()
    """The first 20 of them, as "NAME: sentence"."""
    tree_sha256: str = ""
    """Digest of all paths, types, modes, owners, link targets and contents: equal for equal trees. Only with digests."""
    seconds: float = 0.0
    """Time that it took."""


class Executor(Protocol):
    """An executor of concurrent.futures, or a client of Dask."""

    def submit(self, function: Any, /, *arguments: Any) -> Any: ...


def inventory(
    images: Iterable[str | os.PathLike[str]],
    executor: Executor | None = None,
    *,
    check: bool = True,
    digests: bool = False,
    seconds: float = _USUAL_SECONDS,
    memory: int = _USUAL_MEMORY,
) -> Iterator[Inventory]:
    """Look at many images, and yield a row for each, in their order.

    Each image gets a process of its own. An image that is damaged, that hangs, takes too much memory or crashes the
    process gives a row with an error, and the others continue.

    Args:
        images: paths. They are taken one by one, so there may be any number.
        executor: of concurrent.futures, or a client of Dask, whose workers see the same paths. None: as many at a time as
            there are processors.
        check: check each volume.
        digests: read all contents for `Inventory.tree_sha256`.
        seconds: bound of time for an image.
        memory: bound of memory for an image, bytes of address space.
    """
    options = {"check": check, "digests": digests, "seconds": seconds, "memory": memory}
    try:
        if executor is None:
            with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as own:
                yield from _run(images, own, options)
        else:
            yield from _run(images, executor, options)
    finally:
        own_process.close_idle()


def _run(images: Iterable[str | os.PathLike[str]], executor: Executor, options: dict[str, Any]) -> Iterator[Inventory]:
    waiting: collections.deque[Any] = collections.deque()
    try:
        for image in images:
            waiting.append(executor.submit(look, os.fspath(image), options))
            if len(waiting) >= _WAITING:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for future in waiting:
            future.cancel()


def look(image: str, options: dict[str, Any]) -> Inventory:
    """Look at one image in a process of its own. Never fails: an error is in the row."""
    begin = time.monotonic()
    try:
        row = _row(image, own_process.ask(_START, {"image": image, **options}, options["seconds"]), options)
    except own_process.StarterEnded as reason:
        row = Inventory(image, str(reason))
    except OSError as error:
        row = Inventory(image, f"no process can be started: {error}")
    return row._replace(seconds=round(time.monotonic() - begin, 3))


def _row(image: str, answer: own_process.Answer, options: dict[str, Any]) -> Inventory:
    """Return the row that a process answered, or the reason why it did not."""
    if answer.status is None:
        return Inventory(image, f"it took more than {options['seconds']:g} seconds")
    last = own_process.last_line(answer.output)
    if answer.status == 0:
        try:
            found: dict[str, Any] = json.loads(last)
            findings = tuple(found.pop("findings", ()))
            return Inventory(image, **found, findings=findings)
        except (ValueError, TypeError):
            pass
    return Inventory(image, last[:1000] if answer.status > 0 and last else own_process.describe(answer.status))


# In the process of one image.


def _serve() -> None:
    own_process.serve(_answer)


def _answer(question: dict[str, Any]) -> bytes:
    """Return a line with the members of a row."""
    _limit(question["memory"])
    found: dict[str, Any] = {}
    try:
        _look_inside(question, found)
    except MemoryError:
        found["error"] = f"it needs more than {question['memory']:,} bytes of memory"
    except Exception as error:
        found["error"] = f"{type(error).__name__}: {error}"
    return b"\n" + json.dumps(found).encode()


def _limit(memory: int) -> None:
    hard = resource.getrlimit(resource.RLIMIT_AS)[1]
    most = memory if hard == resource.RLIM_INFINITY else min(memory, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _look_inside(question: dict[str, Any], found: dict[str, Any]) -> None:
    """Fill in what an image has. Parts that were found before an error stay."""
    with volume.open(question["image"]) as opened:
        facts = opened.info()
        found.update(
            label=facts["label"], uuid=facts["uuid"], features=" ".join(facts["feature_names"]), block_size=facts["block_size"],
            volume_bytes=facts["volume_bytes"], used_bytes=facts["valid_blocks"] * facts["block_size"],
            free_bytes=facts["free_blocks"] * facts["block_size"], is_clean=facts["is_clean"],
            pending=facts["pending_fsync_nodes"],
        )  # fmt: skip
        if question["check"]:
            report = checker.check(question["image"])
            worst = report.worst
            found.update(
                is_sound=report.is_sound, problems=report.found, worst="" if worst is None else worst.name.lower(),
                findings=[f"{one.name}: {one.message}" for one in report.problems[:_FINDINGS]],
            )  # fmt: skip
        found.update(_count(opened))
        if question["digests"]:
            found["tree_sha256"] = tree_digest(opened)


def _count(opened: Any) -> dict[str, int]:
    """Count the files of a volume."""
    counts = {"files": 0, "directories": 0, "symlinks": 0, "file_bytes": 0, "newest_ns": 0}
    kinds = {stat.S_IFREG: "files", stat.S_IFDIR: "directories", stat.S_IFLNK: "symlinks"}
    seen = set()  # inodes with several names
    for _, entry in opened.scan(stats=True):
        status = entry.stat()
        kind = kinds.get(stat.S_IFMT(status.st_mode))
        if kind != "directories" and status.st_nlink > 1:
            if status.st_ino in seen:
                continue
            seen.add(status.st_ino)
        if kind:
            counts[kind] += 1
        counts["file_bytes"] += status.st_size if kind == "files" else 0
        counts["newest_ns"] = max(counts["newest_ns"], status.st_mtime_ns)
    return counts


def tree_digest(opened: Any) -> str:
    """Return a digest of a volume's tree: paths, types, modes, owners, link targets and contents, not times or places."""
    lines = []
    for path, entry in opened.scan(stats=True):
        status = entry.stat()
        contents = ""
        if stat.S_ISREG(status.st_mode):
            contents = entry.inode().digests("sha256")["sha256"]
        elif stat.S_ISLNK(status.st_mode):
            contents = entry.inode().readlink_bytes().hex()
        facts = (status.st_mode, status.st_uid, status.st_gid, status.st_rdev, contents)
        lines.append(os.fsencode(path) + b"\0" + json.dumps(facts).encode() + b"\n")
    return hashlib.sha256(b"".join(sorted(lines))).hexdigest()
