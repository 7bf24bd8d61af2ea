# SPDX-License-Identifier: LGPL-2.1-or-later
"""Images in one call: `build()` makes a volume of the right size and fills it.

A dictionary or a list of entries goes through a tar archive in a temporary file. `Volume.populate()` and
`populate_size()` read archives, and contents then take no memory.
"""

from __future__ import annotations

import collections.abc
import contextlib
import io
import os
import posixpath
import stat
from typing import TYPE_CHECKING, Any, BinaryIO, Dict, Iterable, Iterator, Mapping, NamedTuple, Sequence, Union, overload

from . import enums
from .making import MkfsOptions, MkfsResult, Target, bytes_of, mkfs
from .context import Context
from .device import Device, MemoryDevice, Path
from .moment import Moment, default_time, nanoseconds, split
from .name_text import Patterns, permissions
from .populate import PopulateCompression, PopulateRule, Reader, populate_size
from .volume import open as open_volume

if TYPE_CHECKING:
    import tarfile

Contents = Union[bytes, bytearray, memoryview, str, "os.PathLike[str]"]

# Types of members. tarfile has names for them, but is imported only when an archive is written.
_TYPES = {stat.S_IFREG: b"0", stat.S_IFLNK: b"2", stat.S_IFCHR: b"3", stat.S_IFBLK: b"4", stat.S_IFDIR: b"5", stat.S_IFIFO: b"6"}
_FURTHER_NAME = b"1"


_MODES = {stat.S_IFDIR: 0o755, stat.S_IFLNK: 0o777}


class Entry(NamedTuple):
    """A file to be made by `build()`."""

    path: str = ""
    """From the root. In a dictionary the key is the path."""
    contents: Contents | None = None
    """Of a regular file: bytes, text, which becomes UTF-8, or the path of a file of the host."""
    mode: int | None = None
    """Permissions. A type as in st_mode is needed if no other member implies one. None: 0755 for directories, 0777 for
    symbolic links, 0644 for the rest."""
    owner: tuple[int, int] = (0, 0)
    """User id and group id."""
    time: Moment | None = None
    """Of its last change; None: that of SOURCE_DATE_EPOCH, or now."""
    symlink: str | None = None
    """Target: it is a symbolic link."""
    hardlink: str | None = None
    """Path of an earlier entry: this one is a further name of it."""
    device: int = 0
    """Number of a device, as os.makedev() makes it."""
    xattrs: Mapping[str, bytes] = {}
    """Extended attributes by their full names."""
    is_dir: bool = False
    """It is a directory; entries below it may follow."""


Tree = Mapping[str, Any]
"""Names, or paths, to contents (bytes, str, a path object of the host), an `Entry`, or a further dictionary: a directory."""


def _entries(tree: Tree, above: str = "") -> Iterator[Entry]:
    """Yield the entries of a nested dictionary, parents first."""
    todo: list[tuple[str, Iterator[tuple[str, Any]]]] = [(above, iter(tree.items()))]
    while todo:
        prefix, items = todo[-1]
        for name, value in items:
            if not isinstance(name, str):
                raise TypeError(f"names in a tree are str, not {type(name).__name__}")
            path = posixpath.join(prefix, name.strip("/"))
            if isinstance(value, collections.abc.Mapping):
                yield Entry(path, is_dir=True)
                todo.append((path, iter(value.items())))
                break
            yield value._replace(path=path) if isinstance(value, Entry) else Entry(path, value)
        else:
            todo.pop()


def _kind(entry: Entry) -> int:
    """Return the type of an entry as in st_mode; 0 of a further name."""
    if not isinstance(entry.mode, (int, type(None))):
        raise TypeError(f"{entry.path!r}: the mode is an int, such as 0o755, not {type(entry.mode).__name__}")
    told = [kind for kind, is_so in (
        (stat.S_IFDIR, entry.is_dir), (stat.S_IFLNK, entry.symlink is not None), (0, entry.hardlink is not None),
        (stat.S_IFREG, entry.contents is not None)) if is_so]  # fmt: skip
    given = stat.S_IFMT(entry.mode or 0)
    if len(told) > 1 or (told and given and given != told[0]):
        raise ValueError(f"{entry.path!r}: an entry is of one type only")
    found = told[0] if told else given or stat.S_IFREG
    if found and found not in _TYPES:
        raise ValueError(f"{entry.path!r}: a tree has no place for this type: {entry.mode:o}")
    return found


class _Archive:
    """Writes entries into a tar archive, with the directories above each."""

    def __init__(self, file: BinaryIO) -> None:
        import tarfile

        self.tar = tarfile.open(fileobj=file, mode="w", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape")
        self.time = default_time()
        self.seen: dict[str, bool] = {"": True}  # paths: is it a directory?

    def add(self, entry: Entry) -> None:
        if not isinstance(entry, Entry):
            raise TypeError(f"entries of a tree are f2fskit.Entry, not {type(entry).__name__}")
        path = self._path(entry.path)
        kind = _kind(entry)
        if not path and kind != stat.S_IFDIR:
            raise ValueError(f"{entry.path!r} is the root directory: a file needs a name")
        if path in self.seen and not (kind == stat.S_IFDIR and self.seen[path]):
            raise ValueError(f"{entry.path!r} is there twice")
        above = posixpath.dirname(path)
        if self.seen.get(above) is None:
            self.add(Entry(above, is_dir=True))
        elif not self.seen[above]:
            raise ValueError(f"{above!r} is no directory, but {entry.path!r} is below it")
        self.seen[path] = kind == stat.S_IFDIR
        self._write(entry, path, kind)

    @staticmethod
    def _path(path: str) -> str:
        parts = [part for part in path.split("/") if part]
        if any(part in (".", "..") for part in parts) or "\0" in path:
            raise ValueError(f"{path!r} is no path of a tree")
        return "/".join(parts)

    def _write(self, entry: Entry, path: str, kind: int) -> None:
        info: tarfile.TarInfo = self.tar.tarinfo("./" + path)
        info.type = _TYPES.get(kind, _FURTHER_NAME)
        info.mode = _MODES.get(kind, 0o644) if entry.mode is None else permissions(entry.mode)
        info.uid, info.gid = entry.owner
        seconds, rest = split(self.time if entry.time is None else entry.time, "time")
        info.mtime = seconds
        info.pax_headers = {f"SCHILY.xattr.{name}": value.decode("utf-8", "surrogateescape") for name, value in entry.xattrs.items()}
        info.pax_headers["mtime"] = f"{seconds}.{rest:09d}"
        info.devmajor, info.devminor = os.major(entry.device), os.minor(entry.device)
        if entry.hardlink is not None:
            target = self._path(entry.hardlink)
            if self.seen.get(target) is not False:
                raise ValueError(f"{entry.path!r}: no file before it is {entry.hardlink!r}")
            info.linkname = "./" + target
        elif entry.symlink is not None:
            info.linkname = entry.symlink
        with self._contents(entry, kind) as file:
            if file is not None:
                info.size = file.seek(0, os.SEEK_END)
                file.seek(0)
            self.tar.addfile(info, file)

    @staticmethod
    def _contents(entry: Entry, kind: int) -> Any:
        if kind != stat.S_IFREG or entry.contents is None:
            return contextlib.nullcontext()
        if isinstance(entry.contents, os.PathLike):
            return open(entry.contents, "rb")
        if isinstance(entry.contents, str):
            return io.BytesIO(entry.contents.encode("utf-8", "surrogateescape"))
        try:
            return io.BytesIO(entry.contents)
        except TypeError:
            message = f"{entry.path!r}: contents are bytes, text or the path of a file, not {type(entry.contents).__name__}"
            raise TypeError(message) from None


@contextlib.contextmanager
def _as_source(source: Any, temporary: Path | None, keeps: bool) -> Iterator[Dict[str, Any]]:
    """Yield the keywords of `Volume.populate()` for a source. With keeps, an archive has a path, so it can be read
    twice."""
    if isinstance(source, (str, bytes, os.PathLike)):
        yield {"directory": source} if os.path.isdir(source) else {"tar": source}
        return
    if hasattr(source, "read") and not keeps:
        yield {"tar": source}
        return
    if not hasattr(source, "read") and not isinstance(source, (collections.abc.Mapping, collections.abc.Iterable)):
        raise TypeError(f"an image is built from a dictionary, a path, an archive or entries, not {type(source).__name__}")
    import tempfile

    place = None if temporary is None else os.fsdecode(temporary)
    with tempfile.NamedTemporaryFile(prefix="f2fskit-", suffix=".tar", dir=place) as file:
        read: Any = getattr(source, "read", None)
        if read is not None:
            while piece := read(1 << 20):
                file.write(piece)
        else:
            archive = _Archive(file)  # type: ignore[arg-type]
            for entry in _entries(source) if isinstance(source, collections.abc.Mapping) else source:
                archive.add(entry)
            archive.tar.close()
        file.flush()
        yield {"tar": file.name}


@overload
def build(
    source: Tree | Path | Reader | Iterable[Entry],
    target: None = None,
    size: int | None = None,
    *,
    volume: MkfsOptions | None = None,
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    rules: Sequence[PopulateRule] = (),
    compression: PopulateCompression | None = None,
    overwrite: bool = False,
    temporary: Path | None = None,
    context: Context | None = None,
) -> MemoryDevice: ...


@overload
def build(
    source: Tree | Path | Reader | Iterable[Entry],
    target: Target,
    size: int | None = None,
    *,
    volume: MkfsOptions | None = None,
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    rules: Sequence[PopulateRule] = (),
    compression: PopulateCompression | None = None,
    overwrite: bool = False,
    temporary: Path | None = None,
    context: Context | None = None,
) -> MkfsResult: ...


def build(
    source: Tree | Path | Reader | Iterable[Entry],
    target: Target | None = None,
    size: int | None = None,
    *,
    volume: MkfsOptions | None = None,
    keep: enums.Keep = enums.Keep.DEFAULT,
    owner: tuple[int, int] | None = None,
    time: Moment | None = None,
    include: Patterns = (),
    exclude: Patterns = (),
    rules: Sequence[PopulateRule] = (),
    compression: PopulateCompression | None = None,
    overwrite: bool = False,
    temporary: Path | None = None,
    context: Context | None = None,
) -> MemoryDevice | MkfsResult:
    """Make a volume with files in it.

    Args:
        source: a dictionary of names to contents (bytes, str, a path object of the host), to an `Entry`, or to a further
            dictionary for a directory; an iterable of `Entry`; the path of a directory; a tar archive, compressed or not, as a
            path or a binary file object.
        target: path of a file to be made, or another target of `mkfs()`. None: memory, and the device is returned.
        size: bytes; None: the smallest volume that holds it all, or the whole device.
        volume: options of `mkfs()`, see `MkfsOptions`.
        keep, owner, time, include, exclude, rules, compression: as of `Volume.populate()`. Defaults for a dictionary or
            entries: owner root, and the time of SOURCE_DATE_EPOCH, or now.
        overwrite: as of `mkfs()`.
        temporary: directory for a temporary archive; None: that of the host.
        context: to share one.

    Returns:
        The device in memory, or the `MkfsResult` of the target. The same source, size, uuid, time and
        checkpoint_version make the same bytes anywhere.

    Raises:
        IncompleteError: a part of the source could not be copied. ValueError: entries contradict each other.
        In both cases a file made for the target is removed.
    """
    chosen: MkfsOptions = {}
    chosen.update(volume or {})
    if time is not None:
        chosen.setdefault("time", nanoseconds(time, "time"))
    fits = size is None and not isinstance(target, Device)
    with _as_source(source, temporary, keeps=fits) as place:
        how: dict[str, Any] = {"keep": keep, "owner": owner, "time": time, "include": include, "exclude": exclude, "rules": rules,
               "compression": compression}  # fmt: skip
        if size is not None:
            size = bytes_of(size)
        if fits:
            size = populate_size(volume=chosen, temporary=temporary, **place, **how)
        if target is None:
            assert size is not None
            device = Device.memory(size, context=context)
            try:
                mkfs(device, **chosen)
                _fill(device, None, place, how, chosen)
            except BaseException:
                device.close()
                raise
            return device
        is_new = isinstance(target, (str, bytes, os.PathLike)) and not os.path.lexists(target)
        made = mkfs(target, size, overwrite=overwrite, context=context, **chosen)
        try:
            _fill(target, context, place, how, chosen)
        except BaseException:
            if is_new and isinstance(target, (str, bytes, os.PathLike)):
                with contextlib.suppress(OSError):
                    os.unlink(target)
            raise
        return made


def _fill(target: Target, context: Context | None, place: Any, how: Any, chosen: MkfsOptions) -> None:
    with open_volume(target, "r+", context=context, now=chosen.get("time")) as volume:
        volume.populate(**place, **how)
