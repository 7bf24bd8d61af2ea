# SPDX-License-Identifier: LGPL-2.1-or-later
"""Copy whole trees out of a volume: to a directory of the host, or as a tar stream."""

from __future__ import annotations

import errno
import os
from typing import Any, Callable, NamedTuple, Protocol, Sequence, Union

from . import enums, errors, results
from ._core import Hooks, ffi, lib, put, sized, stray, text
from .device import Path
from .name_text import Patterns, encode_name
from .path import AnyPath, path_text

MAX_PROBLEMS = 1000
"""Most problems that a result lists. All are counted, and on_problem gets all of them."""


class Writer(Protocol):
    """A binary file object that can be written, as the target of a stream."""

    def write(self, data: memoryview, /) -> Union[int, None]: ...


Sink = Union[Path, Writer]
IdMap = Sequence["tuple[int, int, int]"]


class ExtractProblem(NamedTuple):
    """One problem of an extraction."""

    kind: enums.ExtractProblemKind
    is_counted: bool
    """It makes the run incomplete."""
    path: str
    """In the volume."""
    what: str
    """Attribute ("owner", "user.color") or part of the file; "" when it is the entry itself."""
    ino: int | None
    error: errors.Error


class ExtractResult(NamedTuple):
    """Numbers of an extraction, and its problems."""

    files: int
    """Regular files; further hard links not counted."""
    directories: int
    symlinks: int
    specials: int
    links: int
    """Further names of files."""
    bytes: int
    """Contents written, without holes."""
    skipped: int
    """Left out as asked: existing, encrypted, special."""
    problems: int
    attributes_lost: int
    """Refused by the host."""
    left_in_part: enums.Output
    """Existing files that were emptied and then not completely written. New incomplete files are removed instead."""
    only_listed: int
    """Entries that the host refused to make and that the manifest has."""
    renamed: int
    """Entries with a substitute name, because the host refuses theirs. The manifest has both."""
    problem_list: tuple[ExtractProblem, ...]
    """The first 1000."""


class _Run:
    """State of a run for its callbacks, and their user pointer."""

    def __init__(
        self,
        hooks: Hooks,
        block_size: int,
        on_entry: Callable[[str, results.StatResult], object] | None,
        on_problem: Callable[[ExtractProblem], object] | None,
    ) -> None:
        self.hooks = hooks
        self.block_size = block_size
        self.on_entry = on_entry
        self.on_problem = on_problem
        self.problems: list[ExtractProblem] = []

    def entry(self, path: Any, stat: Any) -> int:
        assert self.on_entry is not None
        return 1 if self.on_entry(text(path), results.make_stat(stat, self.block_size)) else 0

    def problem(self, row: Any) -> int:
        found = ExtractProblem(
            enums.ExtractProblemKind(row.kind),
            bool(row.is_counted),
            text(row.path),
            text(row.what),
            row.ino or None,
            errors.from_detail(row.detail.code, row.detail),
        )
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(found)
        if self.on_problem is None:
            return 0
        return 1 if self.on_problem(found) else 0


def name_first(error: errors.Error, problems: Sequence[Any], *places: Any) -> errors.Error:
    """Add a name to the error that ended a run, and return it. An IncompleteError names the first problem that counts.
    The error of a host call names the first of the places that is a path."""
    if isinstance(error, OSError) and error.is_host and error.filename is None:
        error.filename = next((one for one in places if isinstance(one, (str, bytes, os.PathLike))), None)
    first = next((one for one in problems if getattr(one, "is_counted", True)), None)
    if error.code != lib.F2FS_ERR_INCOMPLETE or first is None:
        return error
    what = f" ({first.what})" if first.what else ""
    return errors.make(error.code, f"{error.message}; the first: {first.path}{what}: {first.error}")


class _Stream:
    """A file object of the host as struct f2fs_stream."""

    def __init__(self, hooks: Hooks, file: Writer) -> None:
        self.hooks = hooks
        self.file = file

    def write(self, data: bytes) -> None:
        view = memoryview(data)
        while view:
            n = self.file.write(view)
            if n is None:
                raise BlockingIOError(errno.EAGAIN, "file object would block")
            if not 0 < n <= len(view):
                raise OSError(errno.EIO, f"file object wrote {n} of {len(view)} bytes")
            view = view[n:]


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_extract_options_entry(user: Any, path: Any, stat: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.entry(path, stat)
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_extract_options_problem(user: Any, problem: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.problem(problem)
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=errno.EIO)  # type: ignore[misc]
def py_stream_write(user: Any, data: Any, length: int) -> int:
    stream: _Stream = ffi.from_handle(user)
    try:
        stream.write(ffi.buffer(data, length)[:])
        return 0
    except BaseException as error:
        stream.hooks.keep(error)
        return errno.EIO


class Memory:
    """Makes C values and keeps them until the call has returned."""

    def __init__(self, hooks: Hooks) -> None:
        self.hooks = hooks
        self.kept: list[Any] = []

    def keep(self, value: Any) -> Any:
        self.kept.append(value)
        return value

    def text(self, raw: bytes) -> Any:
        return self.keep(ffi.new("char[]", raw))

    def texts(self, values: Sequence[Union[str, bytes, AnyPath]]) -> Any:
        encoded = [encode_name(path_text(value)) for value in values]
        return self.keep(ffi.new("const char *[]", [self.text(raw) for raw in encoded]))

    def stream(self, sink: Sink) -> Any:
        row = self.keep(ffi.new("struct f2fs_stream *"))
        row.fd = -1
        if isinstance(sink, (str, bytes, os.PathLike)):
            row.path = self.text(host_path(sink))
        elif hasattr(sink, "write"):
            row.user = self.keep(ffi.new_handle(_Stream(self.hooks, sink)))
            row.write = lib.py_stream_write
        else:
            raise TypeError(f"{type(sink).__name__} is neither a path nor a binary file object")
        return row

    def id_map(self, ranges: IdMap) -> Any:
        rows = self.keep(ffi.new("struct f2fs_id_map[]", len(ranges)))
        for row, (first, to, count) in zip(rows, ranges):
            put(row, first=first, to=to, count=count)
        return rows


def host_path(path: Path) -> bytes:
    """Return a path of the host as bytes."""
    raw = os.fsencode(path)
    if b"\0" in raw:
        raise ValueError("embedded null byte")
    return raw


def extract(
    volume: Any,
    directory: Path | None = None,
    *,
    tar: Sink | None = None,
    tar_filter: str | None = None,
    paths: Sequence[AnyPath] = (),
    include: Patterns = (),
    exclude: Patterns = (),
    strip: int = 0,
    relative: bool = False,
    root_attributes: bool = False,
    sync: bool = False,
    keep: enums.Keep = enums.Keep.DEFAULT,
    require: enums.Keep = enums.Keep(0),
    existing: enums.Existing | enums.ExistingName = enums.Existing.REFUSE,
    encrypted: enums.Encrypted | enums.EncryptedName = enums.Encrypted.REPORT,
    uid_map: IdMap = (),
    gid_map: IdMap = (),
    threads: int = 0,
    max_bytes: int = 0,
    manifest: Sink | None = None,
    fs_config: Sink | None = None,
    file_contexts: Sink | None = None,
    mount_point: str = "/",
    on_entry: Callable[[str, results.StatResult], object] | None = None,
    on_problem: Callable[[ExtractProblem], object] | None = None,
    check: bool = True,
) -> ExtractResult:
    """Copy files to a directory of the host or into a tar stream.

    It copies contents with holes, modes, owners, times, hard and symbolic links, devices, extended attributes and ACLs.

    No image can make it touch anything outside the destination. Files that cannot be read or made are problems, and the
    rest is extracted.

    Args:
        directory: made when it does not exist.

    Options (keywords):
        tar: path or binary file object for a tar archive, instead of a directory.
        tar_filter: compression of it: "gzip", "xz", "zstd", ...
        paths: files and directories to extract; empty: everything.
        include, exclude: patterns with * ? [a-z] and **. Without a slash they are compared with the last component.
        strip: leading components taken off each name.
        relative: names start with the last component of each path.
        root_attributes: an existing directory takes the attributes of the volume's root.
        sync: make everything durable.
        keep: `Keep`, the attributes to keep besides type, name and contents; Keep(0): none.
        require: those of keep whose loss counts as a problem.
        existing: "refuse" (a problem), "skip" or "replace" what exists.
        encrypted: "report" (a problem), "skip", or give the "raw" ciphertext.
        uid_map, gid_map: (first, to, count) ranges of ids.
        threads: 0: as many as there are processors.
        max_bytes: TooBigError rather than write more; 0: no limit.
        manifest: path or binary file object for one JSON object a line and entry.
        fs_config, file_contexts: the same for Android's lists of owners and modes, and of labels, as `populate()` takes them.
        mount_point: start of the paths in them.
        on_entry: called with (path, StatResult) for each entry. A true result ends the run (CanceledError).
        on_problem: called with each `ExtractProblem`. A true result ends the run.
        check: raise IncompleteError when there were problems. False: return with them.

    Raises:
        IncompleteError: finished, with problems. Its attribute `result` is the `ExtractResult`, as with all errors.
        NotFoundError: one of paths does not exist. OSError: of the destination.
    """
    handle = volume._handle
    hooks = handle.core.hooks
    if (directory is None) == (tar is None):
        raise TypeError("extract() takes either a directory or tar=")
    memory = Memory(hooks)
    run = _Run(hooks, volume.block_size, on_entry, on_problem)
    options = sized("struct f2fs_extract_options *")
    if directory is not None:
        options.directory = memory.text(host_path(directory))
    if tar is not None:
        options.tar = memory.stream(tar)
    if tar_filter is not None:
        options.tar_filter = memory.text(tar_filter.encode())
    for name, values in (("path", paths), ("include", include), ("exclude", exclude)):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name}: a sequence of strings is wanted")
        if values:
            setattr(options, {"path": "paths"}.get(name, name), memory.texts(values))
            setattr(options, f"{name}_count", len(values))
    put(options, strip=strip, threads=threads, max_bytes=max_bytes)
    for wanted, flag in (
        (relative, lib.F2FS_EXTRACT_RELATIVE),
        (root_attributes, lib.F2FS_EXTRACT_ROOT_ATTRIBUTES),
        (sync, lib.F2FS_EXTRACT_SYNC),
    ):
        options.flags |= flag if wanted else 0
    options.keep = keep if keep else enums.Keep.NOTHING
    options.require = require
    options.existing = enums.choose(enums.Existing, existing)
    options.encrypted = enums.choose(enums.Encrypted, encrypted)
    if uid_map:
        options.uid_map, options.uid_map_count = memory.id_map(uid_map), len(uid_map)
    if gid_map:
        options.gid_map, options.gid_map_count = memory.id_map(gid_map), len(gid_map)
    for name, sink in (("manifest", manifest), ("fs_config", fs_config), ("file_contexts", file_contexts)):
        if sink is not None:
            setattr(options, name, memory.stream(sink))
    options.mount_point = memory.text(encode_name(mount_point))
    options.user = memory.keep(ffi.new_handle(run))
    options.problem = lib.py_extract_options_problem
    if on_entry is not None:
        options.entry = lib.py_extract_options_entry
    row = sized("struct f2fs_extract_result *")

    def finish() -> ExtractResult:
        return ExtractResult(
            row.files,
            row.directories,
            row.symlinks,
            row.specials,
            row.links,
            row.bytes,
            row.skipped,
            row.problems,
            row.attributes_lost,
            enums.Output(row.left_in_part),
            row.only_listed,
            row.renamed,
            tuple(run.problems),
        )

    try:
        handle.call(lib.f2fs_extract, options, row)
    except errors.Error as error:
        if error.code == lib.F2FS_ERR_INCOMPLETE and not check:
            return finish()
        named = name_first(error, run.problems, directory, tar)
        if isinstance(named, OSError) and named.filename is None:  # of the volume: the message begins with it
            named.filename = next((path for path in paths if error.message.startswith(f"{os.fsdecode(path_text(path))}: ")), None)
        named.result = finish()
        raise named from None
    try:
        handle.call(lib.f2fs_volume_check_current)
    except errors.StateError as error:
        error.result = finish()
        raise
    return finish()
