# SPDX-License-Identifier: LGPL-2.1-or-later
"""Forensics of a log-structured volume: old versions of inodes, deleted files, times."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from . import enums, errors, results, undelete
from ._core import Handle, ffi, lib, number, put, sized, stray, visitor
from .context import Closable
from .device import Path
from .inode import Inode
from .name_text import decode_name
from .undelete import UndeleteResult

if TYPE_CHECKING:
    from .volume import Volume


class Remains(NamedTuple):
    """State of the blocks of an old version: counts of blocks, and of nodes separately."""

    blocks: int
    """Blocks that its slots name."""
    current: int
    """Still in use by the same file at the same place."""
    intact: int
    """Free, and last written by this slot."""
    unknown: int
    """Free, and the last writer cannot be determined."""
    blank: int
    """Free, and all zeros or all 0xFF: probably discarded."""
    overwritten: int
    """In use by others, or written by others since."""
    bad: int
    """Addresses outside the main area."""
    lost: int
    """File blocks whose node is lost."""
    shared: int
    """Of blocks: the next version has the same ones. If its contents differ, the kernel may have written these blocks
    in place, so such a version is LIKELY at best."""
    nodes: int
    """Nodes that were found, the inode included."""
    nodes_lost: int
    nodes_later: int
    """Of nodes: newer than the inode."""
    nodes_unsure: int
    """Of nodes: others of the same version were there to choose from."""


class PastStat(NamedTuple):
    """Numbers of a search: data read and objects found."""

    segments: int
    """Read whole."""
    summaries: int
    """Segments whose summary showed which blocks to read."""
    blocks_read: int
    nodes: int
    inodes: int
    foreign: int
    """Blocks that look like nodes, but are newer than the volume: of a file system that was there before."""
    unreadable: int
    is_cut: bool
    """max_segments ended the search."""
    newest: int
    """Low half of the newest checkpoint version, of a view its own; 0: there is none."""


class Version:
    """A version of an inode that is left."""

    __slots__ = ("ino", "addr", "cp_ver", "age", "generation", "flags", "parent", "name", "stat", "remains", "confidence",
                 "_past")

    ino: int
    addr: int
    """Block address of the inode."""
    cp_ver: int
    """Low half of the version of the checkpoint in force when it was written."""
    age: int
    """Checkpoints that were made since."""
    generation: int
    """Random number of this use of the inode number."""
    flags: enums.VersionFlag
    parent: int
    """Inode number of the directory it was in."""
    name: str
    stat: results.StatResult
    remains: Remains
    confidence: enums.Confidence

    def __init__(self, past: Past, row: Any) -> None:
        """Not for users."""
        self._past = past
        self.ino, self.addr, self.cp_ver, self.age = row.ino, row.addr, row.cp_ver, row.age
        self.generation = row.generation
        self.flags = enums.VersionFlag(row.flags)
        self.parent = row.parent
        self.name = decode_name(bytes(ffi.buffer(row.name, row.name_len)))
        block_size = past.volume.geometry.block_size
        self.stat = results.make_stat(row.stat, block_size)
        self.remains = results.from_c(Remains, row.remains)
        self.confidence = enums.Confidence(row.confidence)

    @property
    def is_current(self) -> bool:
        """Is it the version in use?"""
        return bool(self.flags & enums.VersionFlag.CURRENT)

    def open(self, *, overwritten: bool = False, blank: bool = False) -> Inode:
        """Open it as an inode, see `Volume.inode_at()`."""
        return self._past.inode_at(self.addr, overwritten=overwritten, blank=blank)

    def __repr__(self) -> str:
        return (f"<Version of inode {self.ino} at {self.addr}: {self.stat.st_size} bytes, checkpoint {self.cp_ver}, "
                f"{self.confidence.name.lower()}>")


class NodeVersion(NamedTuple):
    """A node below an inode, old or in use."""

    ino: int
    nid: int
    addr: int
    cp_ver: int
    age: int
    node_offset: int
    """Place in the file's tree (FORMAT files 1.4)."""
    kind: enums.NodeVersionKind
    flags: enums.VersionFlag
    """CURRENT, RECENT or neither."""
    used: int
    """Slots that are not empty."""
    file_block: int | None
    """The first that it leads to. None: there is none, or no inode is left to show it."""


class VersionDifference(NamedTuple):
    """A difference between two versions of a file."""

    kind: enums.VersionDifferenceKind
    name: str
    """Of a field of the inode, or of an attribute; "" for a range."""
    first: int | None
    """Value of a field that is a number."""
    second: int | None
    file_block: int
    """Of a range of file blocks that are not the same blocks of the volume."""
    blocks: int
    """How many of them."""
    contents: enums.VersionContents
    """Of a range: SAME, DIFFER, or UNKNOWN where one of them cannot be read."""


def find_differences(first: Inode, second: Inode) -> list[VersionDifference]:
    """See `Volume.differences()`."""
    found: list[VersionDifference] = []

    def add(row: Any) -> None:
        number = bool(row.is_number)
        found.append(VersionDifference(
            enums.VersionDifferenceKind(row.kind), "" if row.name == ffi.NULL else decode_name(ffi.string(row.name)),
            row.first if number else None, row.second if number else None, row.file_block, row.count,
            enums.VersionContents(row.contents)))

    user = visitor(first._handle.core.hooks, add)
    visit = lib.py_inode_compare_visit
    first._handle.call(lambda one: int(lib.f2fs_inode_compare(one, second._handle.held(), visit, user)))
    return found


class Deleted:
    """A deleted file."""

    __slots__ = ("path", "path_state", "sources", "versions", "confidence", "type", "version", "links", "max_links")

    path: str
    """The known part of the path. It begins with "<inode NUMBER>" where the directories above are unknown."""
    path_state: enums.PathState
    sources: enums.DeletedSource
    versions: int
    """Versions that are left of it."""
    confidence: enums.Confidence
    type: enums.FileType
    version: Version
    """The newest version that is left. If only the name is left, only its inode number, parent and name are valid."""
    links: list[str]
    """Of a file that once had several names: others that entries left in directories give it. When there are no more than
    max_links less one they are hard links, else earlier names are among them."""
    max_links: int
    """Names it had at most, by the versions that are left; 0 when it was not looked up."""

    def __init__(self, past: Past, row: Any) -> None:
        """Not for users."""
        self.path = decode_name(ffi.string(row.path))
        self.path_state = enums.PathState(row.path_state)
        self.sources = enums.DeletedSource(row.sources)
        self.versions = row.versions
        self.confidence = enums.Confidence(row.confidence)
        self.version = Version(past, row.version)
        self.type = enums.FileType(row.type)
        self.links = [decode_name(ffi.string(row.links[i])) for i in range(row.link_count)]
        self.max_links = row.max_links

    @property
    def ino(self) -> int:
        """The inode number it had."""
        return self.version.ino

    def open(self, *, overwritten: bool = False, blank: bool = False) -> Inode:
        """Open the version as an inode. NotFoundError when only the name is left."""
        if self.confidence == enums.Confidence.NAME:
            raise errors.make(lib.F2FS_ERR_NOT_FOUND, f"of {self.path} only the name is left")
        return self.version.open(overwritten=overwritten, blank=blank)

    def __repr__(self) -> str:
        return f"<Deleted {self.path!r}: {self.confidence.name.lower()}, path {self.path_state.name.lower()}>"


class FormerName(NamedTuple):
    """A name that a file in use once had."""

    path: str
    path_state: enums.PathState
    now: str
    """One of the names that it has, or, when none was found, its path by its own record."""
    now_state: enums.PathState
    ino: int
    parent: int
    """Inode number of the directory that the name was in."""
    type: enums.FileType
    is_unsure: bool
    """The number was used before: the name may have been of the earlier file."""


class Moment(NamedTuple):
    """An inode block and its times."""

    path: str
    path_state: enums.PathState
    state: enums.MomentState
    ino: int
    addr: int
    cp_ver: int
    """Low half of the checkpoint version when it was written: a clock that cannot be set back."""
    age: int
    """Checkpoints since."""
    stat: results.StatResult
    confidence: enums.Confidence | None
    """How much is left, of the last version of a file that is gone; None of all others."""


class Leftover(NamedTuple):
    """A range of bytes that no file shows; read it with `Volume.read_raw()`."""

    kind: enums.LeftoverKind
    offset: int
    """In bytes from the volume's begin."""
    length: int
    ino: int
    """Whose it is, or was; 0 for free blocks."""
    nid: int
    """Of a node."""
    age: int
    """Of a node: checkpoints since it was written."""
    is_enciphered: bool
    """Slack of an encrypted file: the bytes are ciphertext."""


class CarveStat(NamedTuple):
    """Numbers of a search by signatures."""

    blocks: int
    """Free ones that were looked at."""
    unreadable: int
    files: int
    is_cut: bool
    """The search was cut short: by max_files, or by its limit of work to follow a file around other data."""


class Carved:
    """A file found by its signature, in free blocks or after the end of another file."""

    __slots__ = ("kind", "suffix", "addr", "offset", "slack_of", "size", "end", "pieces", "clusters", "nid", "blank", "_carver")

    kind: str
    suffix: str
    """Of a name for it."""
    addr: int
    """Block that it begins in."""
    offset: int
    """Where it begins, in bytes from the volume's begin."""
    slack_of: int
    """Inode number of the file after whose end it is; 0: it is in free blocks."""
    size: int
    end: enums.CarvedEnd
    """How its end was found."""
    pieces: int
    """Rows of blocks that it was put together from."""
    clusters: int
    """Compressed clusters that were unpacked on the way."""
    nid: int
    """Node that pointed to the first block, by the summary; 0: not known."""
    blank: int
    """Blocks of it that are all zeros or all 0xFF: probably discarded."""

    def __init__(self, carver: Carver, row: Any) -> None:
        """Not for users."""
        self._carver = carver
        self.kind, self.suffix = decode_name(ffi.string(row.kind)), decode_name(ffi.string(row.suffix))
        self.size, self.end, self.pieces = row.size, enums.CarvedEnd(row.end), row.pieces
        block_size = carver._past._volume.geometry.block_size
        if ffi.typeof(row) is ffi.typeof("struct f2fs_carved_slack *"):
            self.slack_of, self.offset, self.clusters, self.nid, self.blank = row.ino, row.offset, 0, 0, 0
            self.addr = self.offset // block_size
        else:
            self.slack_of, self.addr, self.clusters, self.nid, self.blank = 0, row.addr, row.clusters, row.nid, row.blank
            self.offset = self.addr * block_size

    def pread(self, length: int, offset: int) -> bytes:
        """Return up to length bytes from offset on."""
        return self._carver._read(self, length, offset)

    def read_bytes(self) -> bytes:
        """Return the whole contents."""
        return self.pread(self.size, 0)

    def __repr__(self) -> str:
        behind = f" behind inode {self.slack_of}" if self.slack_of else ""
        return f"<Carved {self.kind} at {self.addr}{behind}: {self.size} bytes, {self.end.name.lower()}>"


class Carver(Closable):
    """A search for files in free blocks and slack; see `Volume.carve()`."""

    __slots__ = ("_past",)

    def __init__(self, past: Past, kinds: str | None, max_size: int, max_files: int) -> None:
        """Not for users."""
        self._past = past
        options = sized("struct f2fs_carve_options *")
        names = ffi.NULL if kinds is None else ffi.new("char[]", kinds.encode())
        options.kinds = names
        put(options, max_size=max_size, max_files=max_files)
        self._handle: Handle = past._handle.open(
            "carver", lib.f2fs_carver_close, "f2fs_carver", lib.f2fs_carver_open, options
        )

    def run(self, *, slack: bool = True) -> list[Carved]:
        """Search, and return the files found: first in free blocks, in the order of the device, then in slack of
        files."""
        found: list[Carved] = []
        user = visitor(self._handle.core.hooks, lambda row: found.append(Carved(self, row)))
        self._handle.call(lib.f2fs_carver_run, lib.py_carver_run_visit, user)
        if slack:
            self._handle.call(lib.f2fs_carver_run_slack, lib.py_carver_run_slack_visit, user)
        return found

    def stat(self) -> CarveStat:
        """Return the numbers of the search."""
        row = sized("struct f2fs_carve_stat *")
        self._handle.get(lib.f2fs_carver_stat, row)
        found = results.from_c(CarveStat, row)
        return found._replace(is_cut=bool(found.is_cut))

    def _read(self, file: Carved, length: int, offset: int) -> bytes:
        length = max(0, min(number(length, "length"), file.size - number(offset, "offset")))
        buffer, done = ffi.new("char[]", length), ffi.new("size_t *")
        if file.slack_of:
            row = ffi.new("struct f2fs_carved_slack *", {"ino": file.slack_of, "offset": file.offset, "size": file.size})
            self._handle.call(lib.f2fs_carver_read_slack, row, offset, buffer, length, done)
        else:
            row = ffi.new("struct f2fs_carved *", {"addr": file.addr, "size": file.size})
            self._handle.call(lib.f2fs_carver_read, row, offset, buffer, length, done)
        return bytes(ffi.buffer(buffer, done[0]))


class AsOfStat(NamedTuple):
    """Losses met in a view of an earlier checkpoint. Each encounter counts."""

    version: int
    """Of its checkpoint; 0: the volume is no view."""
    newest: int
    """Checkpoint version of the volume."""
    inodes_lost: int
    """Inodes that were asked for, and of which no version of that time is left."""
    inodes_unsure: int
    """Inodes with other candidates that are as new."""
    nodes_lost: int
    nodes_unsure: int
    blocks_overwritten: int
    """Written by others since: they could not be read."""
    blocks_unknown: int
    """Read, but the last writer cannot be determined."""
    blocks_blank: int
    """All zeros or all 0xFF, so probably discarded since: they could not be read."""


class _PastInode(Inode):
    """An inode that reads through a search, which it keeps."""

    __slots__ = ("_past",)

    def __init__(self, past: Past, handle: Handle) -> None:
        super().__init__(past.volume, handle)
        self._past = past


class Past(Closable):
    """A search for node blocks, old and in use, from `Volume.past()`. After a change of the volume its calls raise
    StateError."""

    __slots__ = ("_volume",)

    def __init__(self, volume: Volume, ino: int = 0, thorough: bool = False, max_segments: int = 0) -> None:
        """Not for users: see `Volume.past()`."""
        self._volume = volume
        options = sized("struct f2fs_past_options *")
        put(options, ino=ino, max_segments=max_segments)
        options.flags = lib.F2FS_PAST_THOROUGH if thorough else 0
        self._handle: Handle = volume._handle.open(
            "search", lib.f2fs_past_close, "f2fs_past", lib.f2fs_past_open, options
        )

    @property
    def volume(self) -> Volume:
        """The volume that was searched."""
        return self._volume

    def stat(self) -> PastStat:
        """Return the numbers of the search."""
        row = sized("struct f2fs_past_stat *")
        self._handle.get(lib.f2fs_past_stat, row)
        found = results.from_c(PastStat, row)
        return found._replace(is_cut=bool(found.is_cut))

    def inode_at(self, addr: int, *, overwritten: bool = False, blank: bool = False) -> Inode:
        """Open the inode at a block address, see `Volume.inode_at()`."""
        flags = (lib.F2FS_AT_OVERWRITTEN if overwritten else 0) | (lib.F2FS_AT_BLANK if blank else 0)

        def open_at(past: Any, out: Any) -> int:
            return int(lib.f2fs_inode_open_at(self._volume._handle.held(), past, number(addr, "addr", 32), flags, out))

        return _PastInode(self, self._handle.open("inode", lib.f2fs_inode_close, "f2fs_inode", open_at))

    def undelete(self, directory: Path | None = None, **options: Any) -> UndeleteResult:
        """Restore deleted files to a directory of the host, or into the volume. The search must cover all inodes.

        Bytes overwritten by others are never copied, and no existing file is overwritten. If a path is taken, the new
        file gets the suffix ".~" and the address of its inode.

        Args:
            directory: of the host; made when it does not exist. None: into the volume, as changes for `commit()`. After
                that the search can only be closed.

        Options (keywords):
            into: the directory of the volume; without it the root.
            choose: which files: a pattern of the shell for paths, or a function that gets each `Deleted`; None: all.
            addr: only the version of an inode at this block address, as "inode-NUMBER".
            parts: also files of which parts are lost; those are holes.
            as_blank: take blank blocks as contents, zeros or 0xFF.
            accept_unread: restore into the volume even if reads failed, which may hide newer versions.
            temporary: into the volume: directory for a temporary file, for more than 64 MiB; None: MemoryError then.
            on_report: called with each `UndeleteReport`; a true result ends the run (CanceledError).
            check: raise IncompleteError when something is left out or missing. False: return, and report it.

        Raises:
            NotFoundError: none of the chosen files is left. IncompleteError: its attribute `result` is the
            `UndeleteResult`, as with all errors.
        """
        return undelete.undelete(self, directory, **options)

    def versions(self, ino: int) -> list[Version]:
        """Return the remaining versions of an inode, the oldest first, the one in use last."""
        found: list[Version] = []
        user = visitor(self._handle.core.hooks, lambda row: found.append(Version(self, row)))
        self._handle.call(lib.f2fs_past_list_versions, number(ino, "ino", 32), lib.py_past_list_versions_visit, user)
        return found

    def node_versions(self, ino: int) -> list[NodeVersion]:
        """Return the remaining nodes below an inode, by node id, and for each id the oldest first."""
        found: list[NodeVersion] = []

        def add(row: Any) -> None:
            block = None if row.file_block == lib.F2FS_NO_BLOCK else row.file_block
            found.append(results.from_c(NodeVersion, row)._replace(
                kind=enums.NodeVersionKind(row.kind), flags=enums.VersionFlag(row.flags), file_block=block))

        user = visitor(self._handle.core.hooks, add)
        self._handle.call(lib.f2fs_past_list_nodes, number(ino, "ino", 32), lib.py_past_list_nodes_visit, user)
        return found

    def as_of(self, version: int) -> Volume:
        """Open a view of a checkpoint version; see `Volume.as_of()`."""
        handle = self._handle.open("volume", lib.f2fs_volume_close, "f2fs_volume", lib.f2fs_volume_open_as_of,
                                   number(version, "version", 32), parent=self._volume._handle)
        view = type(self._volume)(handle, self._volume.context)
        view._is_view = True
        return view

    def deleted(self) -> list[Deleted]:
        """Return all deleted files of which something is left."""
        found: list[Deleted] = []
        user = visitor(self._handle.core.hooks, lambda row: found.append(Deleted(self, row)))
        self._handle.call(lib.f2fs_past_list_deleted, lib.py_past_list_deleted_visit, user)
        return found

    def former_names(self) -> list[FormerName]:
        """Return the names that files in use once had, see `Volume.former_names()`."""
        found: list[FormerName] = []

        def add(row: Any) -> None:
            found.append(FormerName(decode_name(ffi.string(row.path)), enums.PathState(row.path_state),
                                    decode_name(ffi.string(row.now)), enums.PathState(row.now_state), row.ino, row.parent,
                                    enums.FileType(row.type), bool(row.is_unsure)))

        user = visitor(self._handle.core.hooks, add)
        self._handle.call(lib.f2fs_past_list_names, lib.py_past_list_names_visit, user)
        return found

    def leftovers(self, *, empty: bool = False) -> list[Leftover]:
        """Return the ranges that no file shows, see `Volume.leftovers()`."""
        found: list[Leftover] = []

        def add(row: Any) -> None:
            found.append(Leftover(enums.LeftoverKind(row.kind), row.offset, row.length, row.ino, row.nid, row.age,
                                  bool(row.is_enciphered)))

        user = visitor(self._handle.core.hooks, add)
        flags = lib.F2FS_LEFTOVERS_EMPTY if empty else 0
        self._handle.call(lib.f2fs_past_list_leftovers, flags, lib.py_past_list_leftovers_visit, user)
        return found

    def carver(self, kinds: str | None = None, *, max_size: int = 0, max_files: int = 0) -> Carver:
        """Prepare a search for files in free blocks, see `Volume.carve()`."""
        return Carver(self, kinds, max_size, max_files)

    def timeline(self) -> list[Moment]:
        """Return the times of every inode block, in use and old, by inode number, the oldest first."""
        found: list[Moment] = []
        block_size = self._volume.geometry.block_size

        def add(row: Any) -> None:
            found.append(Moment(decode_name(ffi.string(row.path)), enums.PathState(row.path_state),
                                enums.MomentState(row.state), row.ino, row.addr, row.cp_ver, row.age,
                                results.make_stat(row.stat, block_size),
                                None if row.confidence < 0 else enums.Confidence(row.confidence)))

        user = visitor(self._handle.core.hooks, add)
        self._handle.call(lib.f2fs_past_list_times, lib.py_past_list_times_visit, user)
        return found


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_deleted_visit(user: Any, file: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(file))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_names_visit(user: Any, name: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(name))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_times_visit(user: Any, moment: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(moment))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_inode_compare_visit(user: Any, difference: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(difference))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_nodes_visit(user: Any, version: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(version))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_versions_visit(user: Any, version: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(version))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_past_list_leftovers_visit(user: Any, leftover: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(leftover))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_carver_run_slack_visit(user: Any, file: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(file))


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_carver_run_visit(user: Any, file: Any) -> int:
    visit = ffi.from_handle(user)
    return int(visit(file))
