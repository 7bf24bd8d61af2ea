# SPDX-License-Identifier: LGPL-2.1-or-later
"""Copy whole trees into a volume: from a directory of the host, a tar archive or a manifest."""

from __future__ import annotations

import errno
import os
from typing import Any, Callable, Literal, Mapping, NamedTuple, Protocol, Sequence, Union

from . import enums, errors, making
from ._core import Hooks, ffi, lib, put, sized, stray, text
from .context import Context
from .device import Path
from .inode import make_compression
from .moment import Moment, source_date_epoch, split
from .name_text import Patterns, encode_name, permissions
from .path import AnyPath, path_text
from .tree import MAX_PROBLEMS, Memory, host_path, name_first


class Reader(Protocol):
    """A binary file object that can be read, as the source of an archive."""

    def read(self, n: int, /) -> bytes: ...


class PopulateProblem(NamedTuple):
    """One thing that could not be copied."""

    path: str
    """Below the source's top."""
    what: str
    """Name of an attribute; "" when it is the entry itself."""
    error: errors.Error


class PopulateResult(NamedTuple):
    """Numbers of files that were copied, and problems."""

    files: int
    directories: int
    symlinks: int
    specials: int
    links: int
    """Further names of files."""
    bytes: int
    """Of contents."""
    problems: int
    skipped: int
    """Existed, and stayed as they were."""
    kept: int
    """Existed with the same contents."""
    replaced: int
    """Existed, and were replaced."""
    deleted: int
    """Were removed, since the source does not have them."""
    problem_list: tuple[PopulateProblem, ...]
    """The first 1000."""


class PopulateRule(NamedTuple):
    """Attributes for entries whose path matches a pattern."""

    pattern: str
    mode: int | None = None
    """Permissions."""
    owner: tuple[int, int] | None = None
    """User id and group id."""
    time: Moment | None = None
    """All times, nanoseconds since 1970 or a datetime with a time zone."""


class PopulateCompression(NamedTuple):
    """Which regular files become compressed, and how."""

    algorithm: Literal["lzo", "lz4", "zstd", "lzo-rle"] = "lz4"
    """As of `Inode.compress()`, as are the next three."""
    level: int = 0
    log_cluster: int = 2
    checksum: bool = False
    names: str | None = None
    """Extensions ("txt,log") of the files that do; None: all."""
    plain_names: str | None = None
    """Extensions of files that do not."""
    minimum_saved: int = 1
    """Blocks that compressing a cluster must save."""
    release: bool = False
    """Release the saved blocks. After that the files cannot be written."""


class _Run:
    """State of a run for its callbacks, and their user pointer."""

    def __init__(
        self,
        hooks: Hooks,
        on_entry: Callable[[str], object] | None,
        on_problem: Callable[[PopulateProblem], object] | None,
    ) -> None:
        self.hooks = hooks
        self.on_entry = on_entry
        self.on_problem = on_problem
        self.problems: list[PopulateProblem] = []

    def problem(self, path: Any, what: Any, detail: Any) -> int:
        found = PopulateProblem(text(path), text(what), errors.from_detail(detail.code, detail))
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(found)
        return 1 if self.on_problem is not None and self.on_problem(found) else 0


class _Input:
    """A file object of the host as struct f2fs_input."""

    def __init__(self, hooks: Hooks, file: Reader) -> None:
        self.hooks = hooks
        self.file = file


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_populate_options_entry(user: Any, path: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return 1 if run.on_entry is not None and run.on_entry(text(path)) else 0
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=1)  # type: ignore[misc]
def py_populate_options_problem(user: Any, path: Any, what: Any, detail: Any) -> int:
    run: _Run = ffi.from_handle(user)
    try:
        return run.problem(path, what, detail)
    except BaseException as error:
        run.hooks.keep(error)
        return 1


@ffi.def_extern(onerror=stray, error=errno.EIO)  # type: ignore[misc]
def py_input_read(user: Any, buffer: Any, length: int, got: Any) -> int:
    source: _Input = ffi.from_handle(user)
    try:
        data = source.file.read(length)
        if len(data) > length:
            raise ValueError(f"file object gave {len(data)} bytes when asked for {length}")
        ffi.memmove(buffer, data, len(data))
        got[0] = len(data)
        return 0
    except BaseException as error:
        source.hooks.keep(error)
        return errno.EIO


def make_input(memory: Memory, source: Union[Path, Reader]) -> Any:
    row = memory.keep(ffi.new("struct f2fs_input *"))
    row.fd = -1
    if isinstance(source, (str, bytes, os.PathLike)):
        row.path = memory.text(host_path(source))
    else:
        row.user = memory.keep(ffi.new_handle(_Input(memory.hooks, source)))
        row.read = lib.py_input_read
    return row


def _make_rules(memory: Memory, rules: Sequence[PopulateRule]) -> Any:
    rows = memory.keep(ffi.new("struct f2fs_populate_rule[]", len(rules)))
    for row, rule in zip(rows, rules):
        row.pattern = memory.text(encode_name(rule.pattern))
        if rule.mode is not None:
            row.set |= lib.F2FS_SET_MODE
            row.mode = permissions(rule.mode)
        if rule.owner is not None:
            row.set |= lib.F2FS_SET_UID | lib.F2FS_SET_GID
            put(row, uid=rule.owner[0], gid=rule.owner[1])
        if rule.time is not None:
            row.set |= lib.F2FS_SET_MTIME
            row.time.seconds, row.time.nanoseconds = split(rule.time, "time")
    return rows


def _make_compression(memory: Memory, wanted: PopulateCompression) -> Any:
    row = memory.keep(sized("struct f2fs_populate_compression *"))
    row.how = make_compression(wanted.algorithm, wanted.level, wanted.log_cluster, wanted.checksum)[0]
    for name, extensions in (("names", wanted.names), ("except", wanted.plain_names)):
        if extensions is not None:
            setattr(row, name, memory.text(encode_name(extensions)))
    put(row, minimum_saved=wanted.minimum_saved, release=wanted.release)
    return row


def _make_options(
    memory: Memory,
    directory: Path | None = None,
    *,
    tar: Union[Path, Reader, None] = None,
    manifest: Union[Path, Reader, None] = None,
    target: AnyPath = "/",
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    existing: enums.Existing | enums.ExistingName = enums.Existing.REFUSE,
    delete: bool = False,
    rules: Sequence[PopulateRule] = (),
    fs_config: Path | None = None,
    file_contexts: Sequence[Path] = (),
    mount_point: str = "/",
    compression: PopulateCompression | None = None,
) -> Any:
    """Return struct f2fs_populate_options. memory keeps all that it points to."""
    if (tar is None) == (directory is None and manifest is None):
        raise TypeError("populate() takes either a directory or tar= or manifest=")
    options = memory.keep(sized("struct f2fs_populate_options *"))
    if directory is not None:
        options.directory = memory.text(host_path(directory))
    if tar is not None:
        options.tar = make_input(memory, tar)
    if manifest is not None:
        options.manifest = make_input(memory, manifest)
    options.target = memory.text(encode_name(path_text(target)))
    if owner is not None:
        keep &= ~enums.Keep.OWNER
        put(options, uid=owner[0], gid=owner[1])
    options.keep = keep if keep else enums.Keep.NOTHING
    time = source_date_epoch() if time is None else time
    if time is not None:
        options.has_time = 1
        options.time.seconds, options.time.nanoseconds = split(time, "time")
    for name, values in (("include", include), ("exclude", exclude)):
        if isinstance(values, (str, bytes)):
            raise TypeError(f"{name}: a sequence of strings is wanted")
        if values:
            setattr(options, name, memory.texts(values))
            setattr(options, f"{name}_count", len(values))
    options.existing = enums.choose(enums.Existing, existing)
    options.flags = lib.F2FS_POPULATE_DELETE if delete else 0
    if rules:
        options.rules, options.rule_count = _make_rules(memory, rules), len(rules)
    if fs_config is not None:
        options.fs_config = memory.text(host_path(fs_config))
    if file_contexts:
        paths = [memory.text(host_path(path)) for path in file_contexts]
        options.file_contexts = memory.keep(ffi.new("const char *[]", paths))
        options.file_contexts_count = len(paths)
    options.mount_point = memory.text(encode_name(mount_point))
    if compression is not None:
        options.compression = _make_compression(memory, compression)
    return options


def _source(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the options of `_make_options()` among all arguments of a function."""
    return {name: given[name] for name in _make_options.__kwdefaults__ or ()}


def populate_size(
    directory: Path | None = None,
    *,
    volume: making.MkfsOptions | None = None,
    temporary: Path | None = None,
    tar: Union[Path, Reader, None] = None,
    manifest: Union[Path, Reader, None] = None,
    target: AnyPath = "/",
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    existing: enums.Existing | enums.ExistingName = enums.Existing.REFUSE,
    delete: bool = False,
    rules: Sequence[PopulateRule] = (),
    fs_config: Path | None = None,
    file_contexts: Sequence[Path] = (),
    mount_point: str = "/",
    compression: PopulateCompression | None = None,
) -> int:
    """Return the smallest size in bytes of a volume that has room for `Volume.populate()` with these options.

    Args:
        directory: as of `Volume.populate()`.
        volume: options of `mkfs()` for the volume.
        temporary: directory for a temporary file that a large tree may need; None: only memory is used.
        options: of `Volume.populate()`. An archive or manifest must be given by its path.

    Raises:
        NospcError: no size is enough. InvalidError: an option is wrong.
    """
    given = dict(locals())
    context = Context()
    handle = context._handle
    memory = Memory(handle.core.hooks)
    making.check_names(volume or {})
    chosen = making._options(volume or {})
    row = _make_options(memory, directory, **_source(given))
    where = ffi.NULL if temporary is None else memory.text(host_path(temporary))
    found = ffi.new("uint64_t *")
    try:
        handle.call(lib.f2fs_populate_size, chosen.row, row, where, found)
    except errors.Error as error:
        raise name_first(error, (), directory, tar, manifest) from None
    return int(found[0])


def populate(
    volume: Any,
    directory: Path | None = None,
    *,
    on_entry: Callable[[str], object] | None = None,
    on_problem: Callable[[PopulateProblem], object] | None = None,
    check: bool = True,
    tar: Union[Path, Reader, None] = None,
    manifest: Union[Path, Reader, None] = None,
    target: AnyPath = "/",
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    existing: enums.Existing | enums.ExistingName = enums.Existing.REFUSE,
    delete: bool = False,
    rules: Sequence[PopulateRule] = (),
    fs_config: Path | None = None,
    file_contexts: Sequence[Path] = (),
    mount_point: str = "/",
    compression: PopulateCompression | None = None,
) -> PopulateResult:
    """Copy a directory of the host, a tar archive or the files of a manifest into the volume.

    Args:
        directory: its contents are copied.

    Options (keywords):
        tar: path or binary file object of an archive, compressed or not, instead of a directory.
        manifest: path or binary file object of a manifest as `extract()` writes it. Contents come from the directory,
            or from the files that it names.
        target: directory of the volume to copy into. Missing ones are made.
        keep: `Keep`, the attributes to keep besides type, name and contents.
        owner: (user id, group id) of everything. Without it owners are kept.
        time: of everything, nanoseconds since 1970 or a datetime with a time zone. None: that of SOURCE_DATE_EPOCH, or
            else the times of the source.
        include, exclude: patterns as of `extract()`, compared with the path below the source's top.
        existing: action for names that exist: "refuse", "skip", "replace" or "update".
        delete: in directories of the source, remove names that the source does not have. Entries stay if their source
            could not be read.
        rules: each a `PopulateRule`. If several match, the last one counts.
        fs_config, file_contexts: path of the one, paths of the others: Android's lists of owners, modes and labels.
        mount_point: start of the paths in them.
        compression: `PopulateCompression`, the choice of files to compress, and the method. None: as the directories
            and `configure()` say.
        on_entry: called with the path of each entry. A true result ends the run (CanceledError).
        on_problem: called with each `PopulateProblem`. A true result ends the run.
        check: raise IncompleteError when there were problems. False: return with them.
    """
    given = dict(locals())
    handle = volume._handle
    hooks = handle.core.hooks
    memory = Memory(hooks)
    run = _Run(hooks, on_entry, on_problem)
    options = _make_options(memory, directory, **_source(given))
    options.user = memory.keep(ffi.new_handle(run))
    if hooks.progress is not None:
        options.flags |= lib.F2FS_POPULATE_TOTAL
    if on_entry is not None:
        options.entry = lib.py_populate_options_entry
    options.problem = lib.py_populate_options_problem
    row = sized("struct f2fs_populate_result *")

    def finish() -> PopulateResult:
        volume._count_change()
        counts = (row.files, row.directories, row.symlinks, row.specials, row.links, row.bytes, row.problems)
        changes = (row.skipped, row.kept, row.replaced, row.deleted)
        return PopulateResult(*counts, *changes, tuple(run.problems))

    try:
        volume._prepare(stamp=False)
        handle.call(lib.f2fs_populate, options, row)
    except errors.Error as error:
        if error.code == lib.F2FS_ERR_INCOMPLETE and not check:
            return finish()
        named = name_first(error, run.problems, directory, tar, manifest)
        named.result = finish()
        raise named from None
    return finish()
