# SPDX-License-Identifier: LGPL-2.1-or-later
"""Structures of a volume: superblock, checkpoint, packs, tables, blocks."""

from __future__ import annotations

import uuid as uuid_module
from typing import Any

from . import enums, errors, format, records, results
from ._core import ffi, lib, number, sized, text
from .tables import Nat, Sit, Ssa
from .volume_base import CheckpointRecord, VolumeBase

_SUPERBLOCK = format.structs["superblock"]
_DEVICE = format.structs["sb_device"]


class VolumeStructures(VolumeBase):
    """The part of a volume that shows its structures."""

    __slots__ = ()

    def _load_superblock(self) -> tuple[records.Superblock, int]:
        if self._superblock is None:
            copy = ffi.new("unsigned *")

            def load(pointer: Any) -> records.Superblock:
                raw = lib.f2fs_volume_superblock(pointer, copy)
                found: records.Superblock = _SUPERBLOCK.record(ffi.buffer(raw, _SUPERBLOCK.size)[:])
                return found

            record = self._handle.get(load)
            self._superblock = record, int(copy[0])
        return self._superblock

    @property
    def superblock(self) -> records.Superblock:
        """The superblock in use, fields as attributes: `superblock.segment_count_main`."""
        return self._load_superblock()[0]

    @property
    def superblock_copy(self) -> int:
        """Which of the two superblocks is in use, 0 or 1."""
        return self._load_superblock()[1]

    def _load_checkpoint(self) -> tuple[CheckpointRecord, bytes, int]:
        if self._checkpoint is None:
            length = ffi.new("size_t *")
            pack = ffi.new("unsigned *")

            def load(pointer: Any) -> bytes:
                raw = lib.f2fs_volume_checkpoint(pointer, length, pack)
                return bytes(ffi.buffer(raw, length[0]))

            raw = self._handle.get(load)
            self._checkpoint = CheckpointRecord(self, raw), raw, int(pack[0])
        return self._checkpoint

    @property
    def checkpoint(self) -> CheckpointRecord:
        """The checkpoint in use, fields as attributes: `checkpoint.checkpoint_ver`, `checkpoint.ckpt_flags`.

        Called, it commits."""
        return self._load_checkpoint()[0]

    @property
    def checkpoint_raw(self) -> bytes:
        """The checkpoint block in use followed by the payload blocks."""
        return self._load_checkpoint()[1]

    @property
    def checkpoint_pack(self) -> int:
        """Which checkpoint pack is in use, 1 or 2."""
        return self._load_checkpoint()[2]

    def superblock_state(self, copy: int) -> format.Rule | None:
        """Return the rule that a superblock copy (0, 1) breaks, None when it is valid. IoError: it cannot be read."""
        if copy not in (0, 1):
            raise ValueError("copy is 0 or 1")
        return self._state(self._handle.get(lib.f2fs_volume_superblock_state, copy), f"superblock {copy}")

    def pack_state(self, pack: int) -> format.Rule | None:
        """Return the rule that a checkpoint pack (1, 2) breaks, None when it is valid. IoError: it cannot be read."""
        return self._state(self._pack(pack)[0], f"checkpoint pack {pack}")

    def pack_version(self, pack: int) -> int:
        """Return the checkpoint version of a pack (1, 2) as found; 0 when there is none."""
        return self._pack(pack)[1]

    def checkpoints(self) -> list[results.CheckpointPack]:
        """Return the two checkpoint packs as found: the older one is the volume before the last commit (`open(pack=...)`)."""
        return [
            results.CheckpointPack(pack, self.pack_version(pack), self._rule_of(pack), pack == self.checkpoint_pack)
            for pack in (1, 2)
        ]

    def _rule_of(self, pack: int) -> str | None:
        try:
            rule = self.pack_state(pack)
        except errors.Error:
            return "unreadable"
        return None if rule is None else rule.name

    def _pack(self, pack: int) -> tuple[int, int]:
        if pack not in (1, 2):
            raise ValueError("pack is 1 or 2")
        version = ffi.new("uint64_t *")
        state = self._handle.get(lib.f2fs_volume_pack_state, pack, version)
        return int(state), int(version[0])

    @staticmethod
    def _state(state: int, what: str) -> format.Rule | None:
        if state < 0:
            raise errors.make(state, f"{what} could not be read")
        return format.rules_by_id[state] if state else None

    @property
    def devices(self) -> list[records.SbDevice]:
        """The device table of a volume on several devices: records with `path` and `total_segments`."""
        raw = self.superblock.devs
        rows = (_DEVICE.record(raw, at) for at in range(0, len(raw), _DEVICE.size))
        return [row for row in rows if row.path]

    @property
    def extensions(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Name endings of cold and of hot files."""
        names = self.superblock.extension_list
        cold = self.superblock.extension_count
        return names[:cold], names[cold : cold + self.superblock.hot_ext_count]

    @property
    def notes(self) -> list[str]:
        """Notes made while opening, as sentences."""
        found: list[str] = []
        while (note := self._handle.get(_copy_note, len(found))) is not None:
            found.append(note)
        return found

    def _stat(self) -> Any:
        row = sized("struct f2fs_volume_stat *")
        self._handle.get(lib.f2fs_volume_statfs, row)
        return row

    def statfs(self) -> results.VolumeStat:
        """Return usage, with the names of os.statvfs_result too."""
        row = self._stat()
        return results.VolumeStat(
            self.block_size, *[getattr(row, name) for name in results.VolumeStat._fields[1:]]
        )

    @property
    def label(self) -> str:
        """The volume's label."""
        row = self._stat()  # a name for it: members of C structures do not keep the whole alive
        return text(row.label)

    @property
    def uuid(self) -> uuid_module.UUID:
        """The volume's identifier."""
        row = self._stat()
        return uuid_module.UUID(bytes=bytes(ffi.buffer(row.uuid)))

    @property
    def nat(self) -> Nat:
        """Node address table by node id."""
        return Nat(self)

    @property
    def sit(self) -> Sit:
        """Segment information table by segment number."""
        return Sit(self)

    @property
    def ssa(self) -> Ssa:
        """Segment summary area by segment number."""
        return Ssa(self)

    @property
    def logs(self) -> dict[enums.LogType, results.LogHead]:
        """Where the six logs write next."""
        found = {}
        row = ffi.new("struct f2fs_log_head *")
        for kind in enums.LogType:
            self._handle.call(lib.f2fs_volume_log, kind, row)
            found[kind] = results.LogHead(row.segno, row.blkoff, row.alloc_type, enums.LogType(row.type))
        return found

    def _journal(self, count: Any, at: Any, name: str) -> Any:
        kind = format.structs[name]

        def load(pointer: Any) -> list[Any]:
            rows = range(count(pointer))
            return [kind.record(ffi.buffer(at(pointer, i), kind.size)[:]) for i in rows]

        return self._handle.get(load)

    @property
    def nat_journal(self) -> list[records.NatJournalEntry]:
        """NAT entries of the checkpoint pack, which override the NAT: records of "nat_journal_entry"."""
        found: list[records.NatJournalEntry] = self._journal(lib.f2fs_nat_journal_count, lib.f2fs_nat_journal_at, "nat_journal_entry")
        return found

    @property
    def sit_journal(self) -> list[records.SitJournalEntry]:
        """SIT entries of the checkpoint pack, which override the SIT: records of "sit_journal_entry"."""
        found: list[records.SitJournalEntry] = self._journal(lib.f2fs_sit_journal_count, lib.f2fs_sit_journal_at, "sit_journal_entry")
        return found

    def block(self, addr: int, count: int = 1) -> bytes:
        """Return count blocks of any area from a block address on. ValueError (`RangeError`) beyond the volume."""
        if count < 0 or not 0 <= addr <= 0xFFFFFFFF or addr + count > self._geometry.block_count:
            raise errors.make(lib.F2FS_ERR_RANGE, f"blocks {addr} to {addr + count} are not in the volume")
        buffer = bytearray(count * self.block_size)
        self._handle.call(lib.f2fs_block_read, addr, count, ffi.from_buffer(buffer))
        return bytes(buffer)

    def node(self, nid: int) -> bytes:
        """Return the node block of a node id, its identity checked."""
        buffer = bytearray(self.block_size)
        self._handle.call(lib.f2fs_node_read, number(nid, "nid", 32), ffi.from_buffer(buffer))
        return bytes(buffer)

    def identify(self, addr: int) -> results.BlockIdentity:
        """Identify the block at an address: its area and owner according to the volume's own tables."""
        row = ffi.new("struct f2fs_block_identity *")
        self._handle.call(lib.f2fs_block_identify, number(addr, "addr", 32), row)
        return results.BlockIdentity(
            enums.Area(row.area),
            row.index,
            row.segno,
            row.offset,
            row.type,
            bool(row.is_valid),
            bool(row.is_node),
            bool(row.is_owned),
            row.nid,
            row.ino,
            row.ofs_in_node,
            row.node_offset,
            None if row.file_block == lib.F2FS_NO_BLOCK else row.file_block,
        )

    def read_raw(self, length: int, offset: int) -> bytes:
        """Return bytes of the main area, whatever their owner, at an offset from the volume's start."""
        buffer = ffi.new("char[]", number(length, "length", 63))
        self._handle.call(lib.f2fs_volume_read, number(offset, "offset"), buffer, length)
        return bytes(ffi.buffer(buffer, length))


def _copy_note(pointer: Any, index: int) -> str | None:
    note = lib.f2fs_volume_note(pointer, index)
    return None if note == ffi.NULL else text(note)
