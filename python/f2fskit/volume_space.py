# SPDX-License-Identifier: LGPL-2.1-or-later
"""Space of a volume: logs, placement, GC, defragmentation, and their costs."""

from __future__ import annotations

from typing import Sequence

from . import gc_policy, enums, placement, results, space
from ._core import ffi, lib, number, put, sized
from .device import Device
from .path import AnyPath
from .volume_base import VolumeBase
from .name_text import Patterns


class VolumeSpace(VolumeBase):
    """The part of a volume that decides where blocks are written."""

    __slots__ = ()

    def configure(
        self,
        *,
        logs: int = 6,
        low_sections: int | None = None,
        logging: enums.Logging | enums.LoggingName = "adaptive",
        in_place: bool = False,
        discard: bool = False,
        compress_names: str = "",
        plain_names: str = "",
        commit_when_full: bool = False,
        clock_stands: bool = False,
        temperature: enums.Temperature | enums.TemperatureName = "table",
        cold_apart: bool = False,
        at_once: bool = False,
        fsync_mode: enums.FsyncMode | enums.FsyncModeName = "strict",
        discard_unit: enums.DiscardUnit | enums.DiscardUnitName = "block",
    ) -> None:
        """Choose how the volume is written from now on. StateError when there are uncommitted changes.

        Args:
            logs: 2, 4 or 6 active logs.
            low_sections: percent of free sections below which blocks fill holes of segments in use, taken exactly.
                None: 5, or the kernel's threshold if that is more.
            logging: "adaptive" (free segments, and holes when free sections run low), "normal" (free segments only) or
                "threaded" (holes as long as there are any).
            in_place: overwrite contents where they are. A commit is then no longer all or nothing.
            discard: discard (TRIM) blocks that a commit frees.
            compress_names, plain_names: extensions ("txt,log") of new files that become compressed, or never do.
            commit_when_full: commit automatically when only blocks freed since the last commit give room. Then
                rollback(), or an exception that leaves a with block, no longer drops the changes before that commit.
            clock_stands: the volume's `clock` does not advance by itself.
            temperature: the log for contents of ordinary files: "table" (warm), "slides" (appended data is cold) or
                "kernel" (hot when few blocks are written at once).
            cold_apart: with 4 logs, cold data has a log of its own.
            at_once: write small overwrites to a log immediately. Otherwise they wait in memory for the commit, an fsync
                of the file, or 4,096 waiting blocks.
            fsync_mode: "strict" or "posix". With "posix" the fsync of a new file commits only if a recovery could lose
                a renamed file or one with other names. A name removed from its directory may then come back beside it.
            discard_unit: what discard= discards: each freed "block", or only a "segment" or a "section" that is free
                as a whole.
        """
        self._need_writable()
        names = [ffi.new("char[]", text.encode()) if text else ffi.NULL for text in (compress_names, plain_names)]
        options = sized("struct f2fs_write_options *")
        put(options, logs=logs, discard=discard)
        options.logging = enums.choose(enums.Logging, logging)
        options.temperature, options.cold_apart = enums.choose(enums.Temperature, temperature), cold_apart
        if low_sections is not None:
            put(options, low_sections=low_sections, low_is_exact=True)
        options.in_place = lib.F2FS_IN_PLACE_ALWAYS if in_place else lib.F2FS_IN_PLACE_NEVER
        options.compress_names, options.plain_names = names
        options.commit_when_full, options.clock_stands = commit_when_full, clock_stands
        options.at_once = at_once
        options.fsync_mode = enums.choose(enums.FsyncMode, fsync_mode)
        options.discard_unit = enums.choose(enums.DiscardUnit, discard_unit)
        self._handle.call(lib.f2fs_volume_configure, options)
        self._clock_stands = clock_stands

    @property
    def clock(self) -> int:
        """Seconds of mounted time, the clock by which GC measures ages.

        It advances with the context's clock, or without one with the times that changes carry. Commits store it.
        """
        return int(self._handle.get(lib.f2fs_volume_clock))

    def elapse(self, seconds: int) -> None:
        """Advance the volume's clock. The next commit stores it."""
        self._need_writable()
        self._handle.call(lib.f2fs_volume_elapse, number(seconds, "seconds"))

    @property
    def counters(self) -> results.Counters:
        """Bytes written to the device since the volume was opened, by cause."""
        row = sized("struct f2fs_counters *")
        self._handle.get(lib.f2fs_volume_counters, row)
        names = [ffi.string(lib.f2fs_write_cause_name(i)).decode() for i in range(len(row.bytes))]
        logs = [ffi.string(lib.f2fs_log_type_name(i)).decode() for i in range(len(row.log_new))]
        single = results.Counters._fields[5:]
        return results.Counters(
            dict(zip(names, row.bytes)),
            dict(zip(names, row.requests)),
            list(row.sizes),
            dict(zip(logs, row.log_new)),
            dict(zip(logs, row.log_updated)),
            *[getattr(row, n) for n in single],
        )

    def set_gc(
        self,
        policy: gc_policy.Policy | None = "greedy",
        *,
        used_limit: int = 100,
        target: enums.GcTarget | enums.GcTargetName = "log",
        request_cost: int = 0,
        like_kernel: bool = False,
    ) -> None:
        """Choose the automatic GC that runs when free sections run out. By default a writable volume uses "greedy".

        GC runs before the first change after a commit. With configure(commit_when_full=True) it also runs between later
        ones.

        Args:
            policy: "greedy", "cost-benefit", "age" ("age-threshold") or "hotness"; a function of your own, see `gc()`;
                None: no automatic GC. The call that made a change raises the function's exceptions. The change is made
                all the same.
            used_limit: skip sections of which more than this percentage is in use.
            target: as of `gc()`.
            request_cost: as of `gc()`.
            like_kernel: begin as early as the kernel does, regardless of holes in used segments.
        """
        self._need_writable()
        options, kept = ffi.NULL, None
        if policy is not None:
            options = sized("struct f2fs_gc_options *")
            kept = gc_policy.set_policy(options, self._handle.core.hooks, policy)
            put(options, used_limit=used_limit, like_kernel=like_kernel, request_cost=request_cost)
            options.target = enums.choose(enums.GcTarget, target)
        self._handle.call(lib.f2fs_volume_set_gc, options)
        self._gc_policy = kept

    def set_placement(
        self, way: placement.Placement | str | None, *, sidecar: Device | None = None, **options: int
    ) -> placement.Hotness | None:
        """Group contents of files by how soon they change again, in streams beside the six logs.

        On the device only the order of blocks differs. docs/HOTNESS.md has the gains, and when to expect them.

        Args:
            way: "m2h", "death", "lifespan" or "adaptive", which learn while the volume is written; an object that decides, see
                `Placement`; None: none.
            sidecar: for "m2h": a device that keeps the learned data when the volume is closed. It stays open until
                then.
            options: members of struct f2fs_hotness_options: streams, memory (bytes), delays (1: hot blocks wait), ...

        Returns:
            For a name, an object with statistics.

        Raises:
            StateError: there are uncommitted changes.
            NospcError: fewer than 4 * (streams + 6) sections are free.
            UnsupportedError: a zoned device keeps fewer than streams + 6 zones open ("adaptive" uses fewer streams then).
        """
        self._need_writable()
        if not isinstance(way, str) and (sidecar is not None or options):
            raise TypeError("options belong to a way that has a name")
        placement.take_away(self, self._hotness)
        self._hotness = self._asked = None
        if isinstance(way, str):
            self._hotness = placement.set_method(self, way, sidecar, options)
        elif way is not None:
            self._asked = placement.set_own(self, way)
        return self._hotness

    @property
    def streams(self) -> placement.Streams:
        """Numbers of the streams of a placement. Without a placement all are 0."""
        return placement.streams(self)

    def gc(
        self,
        policy: gc_policy.Policy = "greedy",
        *,
        sections: int = 0,
        free: int = 0,
        blocks: int = 0,
        bytes_written: int = 0,
        seconds: int = 0,
        used_limit: int = 90,
        target: enums.GcTarget | enums.GcTargetName = "log",
        request_cost: int = 0,
        move_pinned: bool = False,
        dry_run: bool = False,
    ) -> results.CleanResult:
        """Run GC: move blocks in use out of partly used sections, so that whole sections become free.

        Each batch of sections ends in a commit. A limit of 0 is no limit. The first limit that is reached ends the
        work.

        Args:
            policy: "greedy", "cost-benefit", "age" ("age-threshold") or "hotness" chooses the order of victims. A
                function gets a `GcSection` and returns its cost. The least cost comes first; None, infinity and NaN
                never come. The function cannot use the volume. If it raises an exception, GC stops after its last
                commit and raises that.
            sections: number of sections to clean.
            free: stop when this many sections are free.
            blocks: stop when this many blocks were moved.
            bytes_written: stop when this many bytes were written to the device, for any reason.
            seconds: stop after this time.
            used_limit: skip sections of which more than this percentage is in use.
            target: "log"; "age": move blocks to holes of segments whose blocks are about as old; "holes": to holes of
                the fullest segments; "adaptive": the cheaper of "log" and "holes" for each batch, by an estimate.
            request_cost: with "adaptive", the cost of a request besides its blocks, in blocks written; 0: 2.
            move_pinned: move blocks of pinned files, too. Use it only if no boot loader or other program relies on
                their addresses.
            dry_run: only report the effects. It works on a volume that was opened for reading.

        Raises:
            StateError: there are uncommitted changes, or the volume waits for recovery or a check.
            CanceledError: the progress callback asked to stop. Earlier commits stay.
        """
        if not dry_run:
            self._need_writable()
        options = sized("struct f2fs_gc_options *")
        kept = gc_policy.set_policy(options, self._handle.core.hooks, policy)
        put(options, sections=sections, blocks=blocks, seconds=seconds, used_limit=used_limit, dry_run=dry_run)
        put(options, request_cost=request_cost)
        options.free_goal, options.bytes = number(free, "free", 32), number(bytes_written, "bytes_written")
        options.target, options.move_pinned = enums.choose(enums.GcTarget, target), move_pinned
        row = sized("struct f2fs_gc_result *")
        try:
            self._handle.call(lib.f2fs_gc, options, row)
        finally:
            del kept
            if not dry_run:
                self._epoch += 1
                self._forget_checkpoint()
        found = results.from_c(results.CleanResult, row)
        return found._replace(end=enums.GcEnd(found.end))

    def trim(self, minimum: int = 0) -> int:
        """Discard (TRIM) all free blocks on the device, in runs of at least minimum bytes. Return the number of
        bytes."""
        self._need_writable()
        found = ffi.new("uint64_t *")
        self._handle.call(lib.f2fs_volume_trim, number(minimum, "minimum"), found)
        return int(found[0])

    def fragmentation(
        self, paths: Sequence[AnyPath] | None = None, *, small_bytes: int = 64 << 10, read_bytes: int = 128 << 10
    ) -> space.Fragments:
        """Return how the contents of files and the free space are scattered.

        Args:
            paths: files, or directories with all below them. The free space is always that of the whole volume. None:
                everything.
            small_bytes: fragments shorter than this are small.
            read_bytes: largest request of a sequential reader, for contents in one piece.
        """
        return space.fragmentation(self, paths, small_bytes, read_bytes)

    def defrag(
        self,
        order: enums.DefragOrder | enums.DefragOrderName = "score",
        *,
        paths: Sequence[AnyPath] = (),
        include: Patterns = (),
        parts: Sequence[space.Part] = (),
        blocks: int = 0,
        seconds: int = 0,
        free: int = 0,
        move_pinned: bool = False,
        dry_run: bool = False,
        spill_dir: str | None = None,
    ) -> space.DefragResult:
        """Defragment files, or free space. Each step ends in a commit, and another call continues.

        Args:
            order: "score" places files that are in more than one piece, those with the largest gain first. "tree"
                places all files from the start on, in the order of directories. "age" does the same, the files modified
                last first. "list" places the parts. "space" moves all blocks in use into as few segments as possible.
            paths, include: only these files, the files below these directories, and those that match one of the
                patterns.
            parts: with "list": paths, or (path, offset, length) in bytes.
            blocks, seconds, free: stop when this many blocks were moved, after this time, or when this many sections
                are free.
            move_pinned: place pinned files, too, each in sections of its own.
            dry_run: do it in memory and return the same result. Contents are left out, except on zoned volumes.
            spill_dir: for a dry run: directory of a temporary file for data beyond 64 MiB of memory.

        Raises:
            StateError: there are uncommitted changes, or the volume waits for recovery or a check.
            UnsupportedError: the volume is read-only, or a path or part is a device file.
            CanceledError: the progress callback asked to stop. Earlier commits stay.
        """
        if not dry_run:
            self._need_writable()
        try:
            return space.defrag(
                self,
                order,
                paths=paths,
                include=include,
                parts=parts,
                blocks=blocks,
                seconds=seconds,
                free=free,
                move_pinned=move_pinned,
                dry_run=dry_run,
                spill_dir=spill_dir,
            )
        finally:
            if not dry_run:
                self._epoch += 1
                self._forget_checkpoint()

    def defrag_range(self, start: int, length: int, target: int, *, leftwards: bool = False) -> space.DefragRangeResult:
        """Move the blocks in use of a range to the free blocks from a target block on, in the order of addresses.

        Data stays with data, and nodes with nodes. Current segments are skipped. It ends in a commit, or in several for
        large ranges.

        Args:
            start, length, target: blocks of the main area. target is outside of the range.
            leftwards: take free blocks downwards from the target on.

        Raises:
            RangeError: the range or the target is not in the main area, or the target is in the range.
            NospcError: no free block is left in that direction. Earlier commits stay.
            StateError, UnsupportedError, CanceledError: as defrag().
        """
        self._need_writable()
        try:
            return space.defrag_range(self, start, length, target, leftwards)
        finally:
            self._epoch += 1
            self._forget_checkpoint()

    def segment_map(self, form: enums.SegmentMapForm | enums.SegmentMapFormName = "svg") -> space.SegmentMap:
        """Return a map of the segments' use as text: "svg" (a picture of at most 200 kB), "text" (lines of letters), or
        "colour" (the same with colours for a terminal)."""
        return space.segment_map(self, form)
