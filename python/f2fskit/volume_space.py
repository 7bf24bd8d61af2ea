# SPDX-License-Identifier: LGPL-2.1-or-later
"""How a volume is written and kept in order: logs, placement, GC, defragmentation, and what that costs."""

from __future__ import annotations

from typing import Sequence

from . import gc_policy, enums, placement, results, space
from ._core import ffi, lib, number, put, sized
from .device import Device
from .path import AnyPath
from .volume_base import VolumeBase
from .name_text import Patterns


class VolumeSpace(VolumeBase):
    """The part of a volume that decides where blocks lie."""

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
    ) -> None:
        """Choose how the volume is written from now on; StateError when there are changes that were not committed.

        Args:
            logs: 2, 4 or 6 active logs.
            low_sections: percent of free sections below which blocks fill holes of segments in use, exactly that; None: 5, or the
                kernel's threshold where that is more.
            logging: "adaptive" (free segments, and holes when free sections run low), "normal" (free segments only) or
                "threaded" (holes as long as there are any).
            in_place: overwrite contents where they are; a commit is not all or nothing then.
            discard: give blocks that a commit frees back to the device.
            compress_names, plain_names: extensions ("txt,log") of new files that become compressed, or never do.
            commit_when_full: commit by itself where only blocks freed since the last commit give room; rollback() and an
                exception that leaves a with block then no longer forget what was done before.
            clock_stands: the volume's `clock` does not go on by itself.
            temperature: which log contents of ordinary files go to: "table" (warm), "slides" (what is appended is cold) or "kernel"
                (hot when few blocks are written at once).
            cold_apart: with 4 logs, cold data have one of their own.
            at_once: small writes over old contents go to a log as they come, instead of waiting in memory for the commit, an
                fsync of the file, or 4,096 waiting blocks.
            fsync_mode: "strict", or "posix": the fsync of a new file commits only where a recovery could lose what was renamed or has
                other names; what was removed from its directory may come back beside it.
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
        self._handle.call(lib.f2fs_volume_configure, options)
        self._clock_stands = clock_stands

    @property
    def clock(self) -> int:
        """Seconds for which the volume was mounted, by which GC knows how old things are.

        It goes on with the context's clock, without one with the times that changes carry; commits store it.
        """
        return int(self._handle.get(lib.f2fs_volume_clock))

    def elapse(self, seconds: int) -> None:
        """Let time go by on the volume's clock; the next commit stores it."""
        self._need_writable()
        self._handle.call(lib.f2fs_volume_elapse, number(seconds, "seconds"))

    @property
    def counters(self) -> results.Counters:
        """What was written to the device since the volume was opened, by cause."""
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
        like_kernel: bool = False,
    ) -> None:
        """Choose how the volume is cleaned by itself when free sections run out; a writable volume is, by "greedy".

        It is done before the first change after a commit, and with configure(commit_when_full=True) between later ones, too.

        Args:
            policy: "greedy", "cost-benefit", "age" ("age-threshold") or "hotness"; a function of your own, see `gc()`; None: it
                is not cleaned by itself. What such a function raises comes out of the call that made the change; the change is made all the same.
            used_limit: leave sections alone that are used to more than that many percent.
            target: as of `gc()`.
            like_kernel: begin as early as the kernel does, whatever holes used segments have.
        """
        self._need_writable()
        options, kept = ffi.NULL, None
        if policy is not None:
            options = sized("struct f2fs_gc_options *")
            kept = gc_policy.set_policy(options, self._handle.core.hooks, policy)
            put(options, used_limit=used_limit, like_kernel=like_kernel)
            options.target = enums.choose(enums.GcTarget, target)
        self._handle.call(lib.f2fs_volume_set_gc, options)
        self._gc_policy = kept

    def set_placement(
        self, way: placement.Placement | str | None, *, sidecar: Device | None = None, **options: int
    ) -> placement.Hotness | None:
        """Put contents of files together by how soon they change again, in streams beside the six logs.

        On the device nothing but the order of blocks differs. docs/HOTNESS.md tells what it is worth, and when.

        Args:
            way: "m2h", "death", "lifespan" or "adaptive", which learn while the volume is written; an object that decides, see
                `Placement`; None: none.
            sidecar: M2H: a device that keeps what was learned when the volume is closed; it stays open as long.
            options: members of struct f2fs_hotness_options: streams, memory (bytes), delays (1: hot blocks wait), ...

        Returns:
            For a name, an object with statistics.

        Raises:
            StateError: there are changes that were not committed.
            NospcError: fewer than 4 * (streams + 6) sections are free.
            UnsupportedError: a zoned volume.
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
        """What the streams of a placement did; all zero without one."""
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
        move_pinned: bool = False,
        dry_run: bool = False,
    ) -> results.CleanResult:
        """Clean: move what is in use out of partly used sections, so that whole sections become free.

        Each batch of sections ends in a commit. Limits of 0 do not apply; the first that is reached ends the work.

        Args:
            policy: "greedy", "cost-benefit", "age" ("age-threshold") or "hotness": which section comes first. Or a function that
                gets a `GcSection` and returns what GC it costs: the least comes first, None, infinity and NaN never. It
                cannot use the volume. When it raises something, GC ends after what it has committed, and raises that.
            sections: clean that many.
            free: stop when so many sections are free.
            blocks: stop when so many blocks were moved.
            bytes_written: stop when so many bytes were written to the device, whatever for.
            seconds: stop after that time.
            used_limit: leave sections alone that are used to more than that many percent.
            target: "log", or "age": what is moved goes to holes of segments whose blocks are about as old.
            move_pinned: move blocks of pinned files, too; only when nobody has noted their addresses.
            dry_run: only tell what would be done; works on a volume that was opened for reading.

        Raises:
            StateError: there are changes that were not committed, or the volume waits for recovery or a check.
            CanceledError: the progress callback asked to stop; what was committed before stays.
        """
        if not dry_run:
            self._need_writable()
        options = sized("struct f2fs_gc_options *")
        kept = gc_policy.set_policy(options, self._handle.core.hooks, policy)
        put(options, sections=sections, blocks=blocks, seconds=seconds, used_limit=used_limit, dry_run=dry_run)
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
        """Discard all free blocks on the device, in runs of at least minimum bytes; return how many bytes."""
        self._need_writable()
        found = ffi.new("uint64_t *")
        self._handle.call(lib.f2fs_volume_trim, number(minimum, "minimum"), found)
        return int(found[0])

    def fragmentation(
        self, paths: Sequence[AnyPath] | None = None, *, small_bytes: int = 64 << 10, read_bytes: int = 128 << 10
    ) -> space.Fragments:
        """Return how the contents of files and the free space are scattered.

        Args:
            paths: files, or directories with all below them; the free space is always that of the whole volume. None:
                everything.
            small_bytes: fragments shorter than this are small.
            read_bytes: what a sequential reader asks for at once, as long as what follows is in one piece.
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
        """Put files, or free space, in order. Each step ends in a commit; calling again goes on.

        Args:
            order: "score" places files in more than one piece, those first that win most; "tree" all files from the
                start on, as directories list them; "age" the same, the files that were modified last first; "list"
                what parts says; "space" moves what is in use into as few segments as hold it.
            paths, include: only these files, what is below these directories, and what matches one of the patterns.
            parts: with "list": paths, or (path, offset, length) in bytes.
            blocks, seconds, free: stop when so many blocks were moved, after that time, when so many sections are free.
            move_pinned: place pinned files, too, each in sections of its own.
            dry_run: do it in memory, without contents (but on zoned volumes): the result is what it would be.
            spill_dir: of a dry run: for what does not fit into 64 MiB of memory.

        Raises:
            StateError: there are changes that were not committed, or the volume waits for recovery or a check.
            UnsupportedError: the volume is read-only; a path, or one of parts, stands for a device.
            CanceledError: the progress callback asked to stop; what was committed before stays.
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
        """Move what is in use in a range of blocks to the free blocks from another one on, in the order of addresses.

        Data stays with data, nodes with nodes. Segments that a log is in are passed over. Ends in a commit, large ranges in
        several.

        Args:
            start, length, target: blocks of the main area; target lies outside of the range.
            leftwards: take free blocks downwards from the target on.

        Raises:
            RangeError: the range or the target is not in the main area, or the target is in the range.
            NospcError: no free block is left in that direction; what was committed before stays.
            StateError, UnsupportedError, CanceledError: as defrag().
        """
        self._need_writable()
        try:
            return space.defrag_range(self, start, length, target, leftwards)
        finally:
            self._epoch += 1
            self._forget_checkpoint()

    def segment_map(self, form: enums.SegmentMapForm | enums.SegmentMapFormName = "svg") -> str:
        """Return a map of what the segments hold: "svg" (a picture of at most 200 kB), "text" (lines of letters), or
        "colour" (the same with colours for a terminal)."""
        return space.segment_map(self, form)
