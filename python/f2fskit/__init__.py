# SPDX-License-Identifier: LGPL-2.1-or-later
"""f2fskit: read and change F2FS images without mounting them.

    import f2fskit

    with f2fskit.open("disk.img") as volume:
        print(volume.label, volume.superblock.segment_count_main)
        for path in volume.path("/etc").glob("*.conf"):
            print(path, path.stat().st_size)
        data = volume.read_bytes("/etc/hostname")

`open()` returns a `Volume`, which leads to `Inode`, `DirEntry`, `F2FSPath` and the tables `nat`, `sit`, `ssa`. Names
and flags of the on-disk format are in `structs`, `rules` and the enumerations. Errors derive from `Error` and from the
matching built-in exception.

Threads: any object may be used from any thread. Calls on objects of one context run one after the other. The C code
runs without the global interpreter lock, so threads with an `open()` of their own work in parallel. Processes: a volume
opened before os.fork() can be used in the child, unless another thread was using it at that moment.
"""

from __future__ import annotations

from . import enums, errors
from ._core import lib as _lib
from ._core import text as _text
from .build_image import Entry, build
from .build_parts import build_info
from .checker import CheckReport, Problem, ProblemInfo, check, problems
from .gc_policy import GcSection
from .context import Context
from .device import (
    Device,
    FaultDevice,
    MemoryDevice,
    MetadataDevice,
    OverlayDevice,
    RecorderDevice,
    WatchDevice,
)
from .difference import Difference, diff
from .directory import DirEntry
from .enums import *  # noqa: F403
from .errors import *  # noqa: F403
from .fields import Fields, FieldValue, fields
from .forensics import (
    AsOfStat,
    Carved,
    Carver,
    CarveStat,
    Deleted,
    FormerName,
    Leftover,
    Moment,
    NodeVersion,
    Past,
    PastStat,
    Remains,
    Version,
    VersionDifference,
)
from .format import Field, Record, Rule, Struct, dtype, record, rules, structs
from .inode import Inode
from .io import InodeIO
from .listing import NO_TIME, InodeTable
from .making import (
    DeviceSpec,
    Layout,
    LayoutDevice,
    MkfsOptions,
    MkfsResult,
    mkfs,
    mkfs_minimum_size,
    mkfs_plan,
)
from .path import F2FSPath
from .placement import NO_STREAM, Hotness, HotnessStat, Placement, Streams
from .populate import PopulateCompression, PopulateProblem, PopulateResult, PopulateRule, populate_size
from .recompress import CompressedFile, CompressFilesResult
from .recovery import RecoverResult, RecoveryInode, RecoveryNode, RecoveryPlan, RecoverySummary
from .resizing import ResizeResult, ResizeStep, resize, resize_minimum
from .results import (
    BlockIdentity,
    BuildPart,
    CheckpointPack,
    CleanResult,
    Counters,
    DeviceExtent,
    DeviceInfo,
    DeviceRecord,
    Evidence,
    Extent,
    FaultCounts,
    FeaturesResult,
    Geometry,
    InodeLayout,
    LogHead,
    NatEntry,
    NodeInfo,
    Partition,
    Progress,
    Quota,
    ReadRecord,
    SitEntry,
    Signature,
    StatResult,
    Summary,
    UndoInfo,
    Verity,
    VolumeStat,
    Zone,
)
from .space import DefragRangeResult, DefragResult, DirFragments, FileFragments, Fragments, FreeRuns, SegmentMap, SegmentUse
from .tables import Nat, SegmentSummary, Sit, Ssa
from .tree import ExtractProblem, ExtractResult
from .undelete import UndeleteReport, UndeleteResult
from .volume import Volume, open
from .volume_base import CheckpointRecord
from .xattrs import Xattrs

__version__ = _text(_lib.f2fs_version())

NULL_ADDR: int = _lib.F2FS_NULL_ADDR
"""Block address of a hole."""
NEW_ADDR: int = _lib.F2FS_NEW_ADDR
"""Block address of a reserved block that was never written."""
COMPRESS_ADDR: int = _lib.F2FS_COMPRESS_ADDR
"""Block address in the head slot of a compressed cluster."""

__all__ = [
    "AsOfStat",
    "BlockIdentity",
    "BuildPart",
    "COMPRESS_ADDR",
    "CarveStat",
    "Carved",
    "Carver",
    "CheckReport",
    "CheckpointPack",
    "CheckpointRecord",
    "CleanResult",
    "CompressFilesResult",
    "CompressedFile",
    "GcSection",
    "Counters",
    "Context",
    "Deleted",
    "Device",
    "DeviceExtent",
    "DeviceInfo",
    "DeviceRecord",
    "DeviceSpec",
    "DefragRangeResult",
    "DefragResult",
    "Difference",
    "DirEntry",
    "DirFragments",
    "Entry",
    "Evidence",
    "Extent",
    "ExtractProblem",
    "ExtractResult",
    "F2FSPath",
    "FaultCounts",
    "FeaturesResult",
    "FaultDevice",
    "Field",
    "FieldValue",
    "Fields",
    "FileFragments",
    "FormerName",
    "Fragments",
    "FreeRuns",
    "Geometry",
    "Hotness",
    "HotnessStat",
    "Inode",
    "InodeIO",
    "InodeLayout",
    "InodeTable",
    "Layout",
    "LayoutDevice",
    "Leftover",
    "LogHead",
    "MemoryDevice",
    "MetadataDevice",
    "MkfsOptions",
    "MkfsResult",
    "Moment",
    "NEW_ADDR",
    "NO_STREAM",
    "NO_TIME",
    "NULL_ADDR",
    "Nat",
    "NatEntry",
    "NodeInfo",
    "NodeVersion",
    "OverlayDevice",
    "Partition",
    "Past",
    "PastStat",
    "Placement",
    "PopulateCompression",
    "PopulateProblem",
    "PopulateResult",
    "PopulateRule",
    "Problem",
    "ProblemInfo",
    "Progress",
    "Quota",
    "ReadRecord",
    "Record",
    "RecorderDevice",
    "RecoverResult",
    "RecoveryInode",
    "RecoveryNode",
    "RecoveryPlan",
    "RecoverySummary",
    "Remains",
    "ResizeResult",
    "ResizeStep",
    "Rule",
    "SegmentMap",
    "SegmentSummary",
    "SegmentUse",
    "Sit",
    "SitEntry",
    "Ssa",
    "Signature",
    "StatResult",
    "Streams",
    "Struct",
    "Summary",
    "UndeleteReport",
    "UndeleteResult",
    "UndoInfo",
    "Verity",
    "Version",
    "VersionDifference",
    "Volume",
    "VolumeStat",
    "Xattrs",
    "WatchDevice",
    "Zone",
    "build",
    "build_info",
    "check",
    "diff",
    "dtype",
    "fields",
    "mkfs",
    "mkfs_minimum_size",
    "mkfs_plan",
    "open",
    "populate_size",
    "problems",
    "record",
    "resize",
    "resize_minimum",
    "rules",
    "structs",
]
__all__ += enums.__all__
__all__ += errors.__all__
