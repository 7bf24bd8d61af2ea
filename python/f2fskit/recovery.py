# SPDX-License-Identifier: LGPL-2.1-or-later
"""Roll-forward recovery of files fsynced after the last checkpoint: the plan of a mount, and its execution."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, List, NamedTuple

from . import enums, results
from ._core import Handle, ffi, lib, sized, stray, visitor

if TYPE_CHECKING:
    from ._core import _Visit


class RecoverySummary(NamedTuple):
    """Numbers of a plan."""

    start: int
    """Block where the chain begins, or would."""
    end_block: int
    """The first block that is no longer part of it."""
    end: enums.ChainEnd
    """Why it ends there."""
    version: int
    """cp_ver that nodes of the chain carry."""
    end_version: int
    """cp_ver found at end_block; 0 when it was not read."""
    nodes: int
    fsynced: int
    """Nodes with the fsync mark."""
    replayed: int
    """Nodes that count."""
    dropped: int
    """Fsynced nodes of inodes that nothing creates."""
    inodes: int
    new_inodes: int
    orphans: int
    needs_recovery: bool
    """The volume cannot be changed before it was recovered."""


class RecoveryNode(NamedTuple):
    """A node of the chain."""

    addr: int
    nid: int
    ino: int
    node_offset: int
    is_fsynced: bool
    has_dentry: bool
    """The name goes with it."""
    is_replayed: bool


class RecoveryInode(NamedTuple):
    """An inode that changes or comes into being."""

    ino: int
    is_new: bool
    parent: int | None
    """Directory that gets the name; None when no name is entered."""
    name: str | None
    size: int | None
    """Bytes, None when no inode block of it is in the chain."""
    mode: int | None
    nodes: int
    first: int
    """First and last block of it in the chain that count."""
    last: int
    ranges: List[results.Extent]
    """Blocks that change, as recovery leaves them."""


class RecoveryPlan(NamedTuple):
    """The plan of a mount's recovery."""

    summary: RecoverySummary
    inodes: List[RecoveryInode]
    nodes: List[RecoveryNode]
    """The chain, in order."""


class RecoverResult(NamedTuple):
    """Numbers of a recovery that was done."""

    nodes: int
    """Nodes of the chain that were applied."""
    blocks: int
    """Blocks of data that became part of files."""
    inodes: int
    new_inodes: int
    names: int
    replaced: int
    """Names that had belonged to other inodes."""
    orphans: int
    changed: bool
    """A new checkpoint was written."""


@ffi.def_extern(onerror=stray, error=lib.F2FS_ERR_CANCELED)  # type: ignore[misc]
def py_recovery_list_ranges_visit(user: Any, extent: Any) -> int:
    visit: _Visit = ffi.from_handle(user)
    return visit(extent)


def _extent(row: Any) -> results.Extent:
    return results.Extent(row.file_block, row.count, row.addr, row.stored, enums.ExtentKind(row.kind))


def _ranges(plan: Handle, index: int) -> list[results.Extent]:
    found: list[results.Extent] = []
    user = visitor(plan.core.hooks, lambda row: found.append(_extent(row)))
    plan.call(lib.f2fs_recovery_list_ranges, index, lib.py_recovery_list_ranges_visit, user)
    return found


def _inode(plan: Handle, index: int) -> RecoveryInode:
    row = ffi.new("struct f2fs_recovery_inode *")
    plan.call(lib.f2fs_recovery_inode_at, index, row)
    name = os.fsdecode(ffi.buffer(row.name, row.name_length)[:]) if row.has_name else None
    return RecoveryInode(
        ino=row.ino,
        is_new=bool(row.is_new),
        parent=row.parent if row.has_name else None,
        name=name,
        size=row.size if row.last_inode else None,
        mode=row.mode if row.last_inode else None,
        nodes=row.nodes,
        first=row.first,
        last=row.last,
        ranges=_ranges(plan, index),
    )


def _node(plan: Handle, index: int) -> RecoveryNode:
    row = ffi.new("struct f2fs_recovery_node *")
    plan.call(lib.f2fs_recovery_node_at, index, row)
    marks = (bool(row.is_fsynced), bool(row.has_dentry), bool(row.is_replayed))
    return RecoveryNode(row.addr, row.nid, row.ino, row.node_offset, *marks)


def make_plan(volume: Handle) -> RecoveryPlan:
    """Make the plan of a volume."""
    plan = volume.open("recovery plan", lib.f2fs_recovery_close, "f2fs_recovery", lib.f2fs_recovery_open)
    try:
        row = sized("struct f2fs_recovery_summary *")
        plan.get(lib.f2fs_recovery_summarize, row)
        summary = results.from_c(RecoverySummary, row)
        summary = summary._replace(end=enums.ChainEnd(row.end), needs_recovery=bool(row.needs_recovery))
        inodes = [_inode(plan, i) for i in range(summary.inodes)]
        return RecoveryPlan(summary, inodes, [_node(plan, i) for i in range(summary.nodes)])
    finally:
        plan.close()


def recover(volume: Handle, drop_chain: bool) -> RecoverResult:
    """Recover a volume."""
    options = sized("struct f2fs_recover_options *")
    options.flags = lib.F2FS_RECOVER_DROP_CHAIN if drop_chain else 0
    row = sized("struct f2fs_recover_result *")
    volume.call(lib.f2fs_recover, options, row)
    return results.from_c(RecoverResult, row)._replace(changed=bool(row.changed))
