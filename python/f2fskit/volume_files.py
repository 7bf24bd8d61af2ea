# SPDX-License-Identifier: LGPL-2.1-or-later
"""The way to a volume's files: by path, by number, by walks, and in whole trees."""

from __future__ import annotations

import pathlib
from typing import TYPE_CHECKING, Any, Iterator, Sequence, Union, cast

from . import errors, populate, tree
from ._core import lib, number
from .device import Path
from .directory import DirEntry, ErrorHandler, read_entries
from .inode import Inode
from .listing import ALL_COLUMNS, Column, InodeTable, read_table
from .name_text import encode_name
from .path import AnyPath, F2FSPath, path_text
from .populate import PopulateResult
from .tree import ExtractResult
from .volume_base import VolumeBase

if TYPE_CHECKING:
    from .listing import Array
    from .volume import Volume


def _as_str(path: AnyPath) -> str:
    found = path_text(path)
    return found.decode("utf-8", "surrogateescape") if isinstance(found, bytes) else found


class VolumeFiles(VolumeBase):
    """The part of a volume that leads to files."""

    __slots__ = ()

    def _whole(self) -> Volume:
        """Return itself, as what it is a part of."""
        return cast("Volume", self)

    @property
    def root(self) -> Inode:
        """The root directory."""
        return self.inode(self._geometry.root_ino)

    def inode(self, ino: int) -> Inode:
        """Open an inode by number. NotFoundError when it is free or not an inode, CorruptError with the rule."""
        number(ino, "ino", 32)
        return Inode(self._whole(), self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_inode_open, ino))

    def lookup(self, path: AnyPath, *, follow: bool = False) -> Inode:
        """Open the inode of a path from the root.

        Symbolic links in the middle are followed within the volume; one at the end only with follow.
        """
        flags = lib.F2FS_LOOKUP_FOLLOW if follow else 0
        name = path_text(path)
        raw = encode_name(name)
        if not raw:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, "no such file or directory: the path is empty")
        try:
            handle = self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", lib.f2fs_lookup, raw, flags)
        except errors.Error as error:
            if isinstance(error, OSError):
                error.filename = name
            raise
        return Inode(self._whole(), handle)

    def path(self, *parts: Union[str, pathlib.PurePath, F2FSPath]) -> F2FSPath:
        """Return a path of the volume as an object in the manner of pathlib."""
        return F2FSPath(self._whole(), *parts)

    def read_bytes(self, path: AnyPath, max_bytes: int | None = None) -> bytes:
        """Return the contents of a file, symbolic links followed. TooBigError when longer than max_bytes."""
        return self.lookup(path, follow=True).read_bytes(max_bytes)

    def walk(
        self, top: AnyPath = "/", *, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, list[str], list[str]]]:
        """Walk a tree like os.walk: yield (path of a directory, names of directories in it, other names).

        Parents come first; names deleted from the list of directories are not visited. Symbolic links are not followed.

        Args:
            top: where to start.
            onerror: called with the error of a directory or entry that cannot be read, and the walk goes on; without it
                the error is raised (nothing is left out silently).
        """
        for path, inode, entries in self._directories(top, onerror):
            dirs = [entry for entry in entries if entry.is_dir()]
            names = [entry.name for entry in dirs]
            yield path, names, [entry.name for entry in entries if not entry.is_dir()]
            chosen = set(names)
            entries[:] = [entry for entry in dirs if entry.name in chosen]

    def scan(
        self, top: AnyPath = "/", *, stats: bool = False, onerror: ErrorHandler | None = None
    ) -> Iterator[tuple[str, DirEntry]]:
        """Yield (path, `DirEntry`) of everything below a directory; parents first, symbolic links not followed.

        Args:
            top: where to start.
            stats: read the inodes of a directory along with its names, so that `DirEntry.stat()` costs no further call.
            onerror: as in `walk()`.
        """
        for path, inode, entries in self._directories(top, onerror, stats):
            prefix = path if path.endswith("/") else path + "/"
            for entry in entries:
                yield prefix + entry.name, entry

    def inode_table(self, top: AnyPath = "/", *, unnamed: bool = False) -> InodeTable:
        """Read the names below a directory and what stat shows of them as one table, in one call of the library.

        Args:
            top: where to start; a symbolic link is followed.
            unnamed: also inodes of the last commit that no name below the top leads to, with the path "". Not of earlier
                checkpoints.

        Damage raises nothing: the row of the inode or directory has the error's number.
        """
        path = _as_str(top)
        return read_table(self.lookup(top, follow=True), path, lib.F2FS_LISTING_UNNAMED if unnamed else 0)

    def inodes(
        self, top: AnyPath = "/", *, columns: Sequence[Column] | None = None, paths: bool = False, unnamed: bool = False
    ) -> Array:
        """Return what `inode_table()` reads as a structured NumPy array.

        Args:
            top, unnamed: as of `inode_table()`.
            columns: names of columns, see `listing.Column`; None: all but the path. Times are nanoseconds since 1970, `NO_TIME` for
                those that are missing: view("datetime64[ns]") of such a column has dates. The parent is a row number, -1
                for none. The column error is 0, or a number of the library: why an inode or directory cannot be read.
            paths: put the column of paths before these.

        Raises:
            ImportError: NumPy is not installed.
        """
        table = self.inode_table(top, unnamed=unnamed)
        if paths and columns is None:
            columns = ALL_COLUMNS
        elif paths and "path" not in (columns or ()):
            columns = ["path", *(columns or ())]
        return table.array(columns)

    def _inode_of(self, path: str, ino: int, freed: int) -> Inode:
        """Open the inode that had a path and a number when `_numbers_freed()` was so."""
        if freed == self._numbers_freed():
            return self.inode(ino)
        found = self.lookup(path)
        if found.number != ino:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, f"{path!r} is another file now")
        return found

    def _directories(
        self, top: AnyPath, onerror: ErrorHandler | None, stats: bool = False
    ) -> Iterator[tuple[str, Inode, list[DirEntry]]]:
        """Yield (path, inode, entries) of each directory of a tree; those left in entries are visited next.

        A directory is visited once, whatever a damaged volume says: meeting it again is an error that names the rule.
        """
        path = _as_str(top)
        try:
            start = self.lookup(top, follow=True)
        except errors.Error as error:
            if onerror is None:
                raise
            onerror(error)
            return
        todo: list[tuple[str, Inode | int, int]] = [(path, start, 0)]
        seen = {start.number}
        while todo:
            path, what, freed = todo.pop()
            try:
                inode = what if isinstance(what, Inode) else self._inode_of(path, what, freed)
                found = read_entries(inode, path) if stats else None
                entries = list(inode.iterdir(onerror=onerror)) if found is None else found
            except errors.Error as error:
                if onerror is None:
                    raise
                onerror(error)
                continue
            yield path, inode, entries
            prefix = path if path.endswith("/") else path + "/"
            for entry in reversed([entry for entry in entries if entry.is_dir()]):
                if entry.ino in seen:
                    again = errors.make(lib.F2FS_ERR_CORRUPT, f"directory {prefix + entry.name!r} is met twice")
                    again.structure, again.rule, again.nid = "dentry", "DENTRY_PATH", entry.ino
                    if onerror is None:
                        raise again
                    onerror(again)
                else:
                    seen.add(entry.ino)
                    todo.append((prefix + entry.name, entry.ino, entry._freed))

    def extract(self, directory: Path | None = None, **options: Any) -> ExtractResult:
        """Copy files to a directory of the host or into a tar stream: contents with holes, modes, owners, times, hard
        and symbolic links, devices, extended attributes and ACLs.

        Nothing outside the destination is touched, whatever the image holds. What cannot be read or made is told, and
        the rest is extracted.

        Args:
            directory: made when it does not exist.

        Options (keywords):
            tar: path or binary file object for a tar archive, instead of a directory.
            tar_filter: compression of it: "gzip", "xz", "zstd", ...
            paths: what to extract; nothing: everything.
            include, exclude: patterns with * ? [a-z] and **; without a slash they are held against the last component.
            strip: leading components taken off each name.
            relative: names start with the last component of each path.
            root_attributes: an existing directory takes the attributes of the volume's root.
            sync: make everything durable.
            keep: `Keep`, what is kept besides type, name and contents; Keep(0): nothing.
            require: those of keep whose loss counts as a problem.
            existing: "refuse" (a problem), "skip" or "replace" what exists.
            encrypted: "report" (a problem), "skip", or give the "raw" ciphertext.
            uid_map, gid_map: (first, to, count) ranges of ids.
            threads: 0: as many as there are processors.
            max_bytes: TooBigError rather than write more; 0: no limit.
            manifest: path or binary file object for one JSON object a line and entry.
            fs_config, file_contexts: the same for Android's lists of owners and modes, and of labels, as `populate()` takes them.
            mount_point: start of the paths in them.
            on_entry: called with (path, StatResult) for each entry; a true result ends the run (CanceledError).
            on_problem: called with each `ExtractProblem`; a true result ends the run.
            check: raise IncompleteError when there were problems; else return with them.

        Raises:
            IncompleteError: done, but not everything; its attribute `result` is the `ExtractResult`, as of all errors.
            NotFoundError: one of paths does not exist. OSError: of the destination.
        """
        return tree.extract(self, directory, **options)

    def populate(self, directory: Path | None = None, **options: Any) -> PopulateResult:
        """Copy a directory of the host, a tar archive or what a manifest lists into the volume.

        Args:
            directory: its contents are copied.

        Options (keywords):
            tar: path or binary file object of an archive, compressed or not, instead of a directory.
            manifest: path or binary file object of a manifest as `extract()` writes it; contents come from the
                directory, or from the files that it names.
            target: directory of the volume to copy into; missing ones are made.
            keep: `Keep`, what is kept besides type, name and contents.
            owner: (user id, group id) of everything; without it owners are kept.
            time: of everything, nanoseconds since 1970 or a datetime with a time zone.
            include, exclude: patterns as of `extract()`, held against the path below the source's top.
            existing: what happens to names that exist: "refuse", "skip", "replace" or "update".
            delete: remove what the source does not have from the directories that it has; what could not be read stays.
            rules: each a `PopulateRule`; of several that match the last one counts.
            fs_config, file_contexts: path of the one, paths of the others: Android's lists of owners, modes and labels.
            mount_point: start of the paths in them.
            compression: `PopulateCompression`: which files become compressed, and how; None: as the directories and `configure()` say.
            on_entry: called with the path of each entry; a true result ends the run (CanceledError).
            on_problem: called with each `PopulateProblem`; a true result ends the run.
            check: raise IncompleteError when there were problems; else return with them.
        """
        return populate.populate(self, directory, **options)
