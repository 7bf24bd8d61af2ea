# SPDX-License-Identifier: LGPL-2.1-or-later
"""Enumerations and flags, made at import from the library's tables and enums. enums.pyi lists them."""

from __future__ import annotations

import enum
from typing import Any, Literal

from ._f2fskit import ffi, lib


class _Names:
    """Members show their names in text. Format codes of numbers ("d", "x") show the number."""

    def __str__(self: Any) -> str:
        if self.name is not None:
            return str(self.name)
        known = [one for one in self.__class__ if one.value and self.value & one.value == one.value]
        left = self.value & ~sum({int(one) for one in known})
        return "|".join([*(one.name for one in known), *([hex(left)] if left else [])]) or "0"

    def __format__(self: Any, spec: str) -> str:
        return format(int(self) if spec and spec[-1] in tuple("bcdoxXneEfFgG%") else str(self), spec)


class _IntEnum(_Names, enum.IntEnum):
    pass


class _IntFlag(_Names, enum.IntFlag):
    pass


def _from_table(name: str, field: str) -> Any:
    """Make the flags of a field from the library's flag table."""
    count = ffi.new("unsigned *")
    rows = lib.f2fs_flags_find(field.encode(), count)
    members = {ffi.string(rows[i].name).decode().upper(): rows[i].mask for i in range(count[0])}
    found = _IntFlag(name, members, module=__name__)
    found.__doc__ = f"Flags of {field}."
    return found


def _from_enum(name: str, tag: str, prefix: str, kind: Any = _IntEnum) -> Any:
    """Make an enumeration of the constants of a C enum that start with prefix."""
    constants = ffi.typeof(f"enum {tag}").relements
    members = {key[len(prefix) :]: value for key, value in constants.items() if key.startswith(prefix)}
    found = kind(name, members, module=__name__)
    found.__doc__ = f"Values of enum {tag} of the C library."
    return found


def _names(kind: Any) -> Any:
    """Make the type of a member's name as `choose()` takes it, for annotations."""
    return Literal[tuple(name.lower() for name in kind.__members__)]


def choose(kind: Any, value: Any) -> Any:
    """Return a member of an enumeration, given itself, its number or its name in any case."""
    if not isinstance(value, str):
        return kind(value)
    found = kind.__members__.get(value.upper())
    if found is None:
        raise ValueError(f"{value!r} is none of {', '.join(name.lower() for name in kind.__members__)}")
    return found


Feature = _from_table("Feature", "feature")
EncodingFlag = _from_table("EncodingFlag", "s_encoding_flags")
CheckpointFlag = _from_table("CheckpointFlag", "ckpt_flags")
Advise = _from_table("Advise", "i_advise")
InlineFlag = _from_table("InlineFlag", "i_inline")
InodeFlag = _from_table("InodeFlag", "i_flags")

FLAGS = {
    "feature": Feature,
    "s_encoding_flags": EncodingFlag,
    "ckpt_flags": CheckpointFlag,
    "i_advise": Advise,
    "i_inline": InlineFlag,
    "i_flags": InodeFlag,
}

Area = _from_enum("Area", "f2fs_area", "F2FS_AREA_")
ChainEnd = _from_enum("ChainEnd", "f2fs_chain_end", "F2FS_CHAIN_")
GcEnd = _from_enum("GcEnd", "f2fs_gc_end", "F2FS_GC_")
GcTarget = _from_enum("GcTarget", "f2fs_gc_target", "F2FS_GC_TO_")
GcPolicy = _from_enum("GcPolicy", "f2fs_gc_policy", "F2FS_GC_")
Logging = _from_enum("Logging", "f2fs_logging", "F2FS_LOGGING_")
NodeVersionKind = _from_enum("NodeVersionKind", "f2fs_node_version_kind", "F2FS_NODE_VERSION_")
CarvedEnd = _from_enum("CarvedEnd", "f2fs_carved_end", "F2FS_CARVED_")
Temperature = _from_enum("Temperature", "f2fs_temperature", "F2FS_TEMPERATURE_")
CheckState = _from_enum("CheckState", "f2fs_check_state", "F2FS_CHECK_")
Confidence = _from_enum("Confidence", "f2fs_confidence", "F2FS_CONFIDENCE_")
CompressLeft = _from_enum("CompressLeft", "f2fs_compress_left", "F2FS_COMPRESS_LEFT_")
UndeleteOutcome = _from_enum("UndeleteOutcome", "f2fs_undelete_outcome", "F2FS_UNDELETE_")
Decision = _from_enum("Decision", "f2fs_decision", "F2FS_DECIDE_")
DeletedSource = _from_enum("DeletedSource", "f2fs_deleted_source", "F2FS_DELETED_", _IntFlag)
DefragEnd = _from_enum("DefragEnd", "f2fs_defrag_end", "F2FS_DEFRAG_")
DefragOrder = _from_enum("DefragOrder", "f2fs_defrag_order", "F2FS_DEFRAG_")
DeviceCap = _from_enum("DeviceCap", "f2fs_device_cap", "F2FS_DEVICE_", _IntFlag)
DiscardUnit = _from_enum("DiscardUnit", "f2fs_discard_unit", "F2FS_DISCARD_UNIT_")
Encrypted = _from_enum("Encrypted", "f2fs_encrypted", "F2FS_ENCRYPTED_")
EntrySource = _from_enum("EntrySource", "f2fs_entry_source", "F2FS_FROM_")
Existing = _from_enum("Existing", "f2fs_existing", "F2FS_EXISTING_")
ExtentKind = _from_enum("ExtentKind", "f2fs_extent_kind", "F2FS_EXTENT_")
ExtractProblemKind = _from_enum("ExtractProblemKind", "f2fs_extract_problem_kind", "F2FS_PROBLEM_")
FieldShow = _from_enum("FieldShow", "f2fs_field_show", "F2FS_SHOW_")
FallocateFlag = _from_enum("FallocateFlag", "f2fs_fallocate_flag", "F2FS_FALLOCATE_", _IntFlag)
FsyncMode = _from_enum("FsyncMode", "f2fs_fsync_mode", "F2FS_FSYNC_MODE_")
FsyncReason = _from_enum("FsyncReason", "f2fs_fsync_reason", "F2FS_FSYNC_")
FileType = _from_enum("FileType", "f2fs_file_type", "F2FS_TYPE_")
Keep = _from_enum("Keep", "f2fs_keep", "F2FS_KEEP_", _IntFlag)
LeftoverKind = _from_enum("LeftoverKind", "f2fs_leftover_kind", "F2FS_LEFTOVER_")
LogLevel = _from_enum("LogLevel", "f2fs_log_level", "F2FS_LOG_")
MomentState = _from_enum("MomentState", "f2fs_moment_state", "F2FS_MOMENT_")
OpenMode = _from_enum("OpenMode", "f2fs_open_mode", "F2FS_MODE_")
OpenRecover = _from_enum("OpenRecover", "f2fs_open_recover", "F2FS_RECOVER_")
ResizeKind = _from_enum("ResizeKind", "f2fs_resize_kind", "F2FS_RESIZE_")
Output = _from_enum("Output", "f2fs_output", "F2FS_OUTPUT_", _IntFlag)
PathState = _from_enum("PathState", "f2fs_path_state", "F2FS_PATH_")
RecordKind = _from_enum("RecordKind", "f2fs_record_kind", "F2FS_RECORD_")
SegmentMapForm = _from_enum("SegmentMapForm", "f2fs_segment_map_form", "F2FS_MAP_")
RenameFlag = _from_enum("RenameFlag", "f2fs_rename_flag", "F2FS_RENAME_", _IntFlag)
RepairKind = _from_enum("RepairKind", "f2fs_repair_kind", "F2FS_REPAIR_")
Severity = _from_enum("Severity", "f2fs_severity", "F2FS_SEVERITY_")
SyncMode = _from_enum("SyncMode", "f2fs_sync_mode", "F2FS_SYNC_")
SummarySource = _from_enum("SummarySource", "f2fs_summary_source", "F2FS_SUMMARY_")
Transaction = _from_enum("Transaction", "f2fs_transaction", "F2FS_TRANSACTION_")
VersionContents = _from_enum("VersionContents", "f2fs_version_contents", "F2FS_CONTENTS_")
VersionDifferenceKind = _from_enum("VersionDifferenceKind", "f2fs_version_difference_kind", "F2FS_VERSION_")
VersionFlag = _from_enum("VersionFlag", "f2fs_version_flag", "F2FS_VERSION_", _IntFlag)
SignatureKind = _from_enum("SignatureKind", "f2fs_signature_kind", "F2FS_SIGNATURE_")
ZoneType = _from_enum("ZoneType", "f2fs_zone_type", "F2FS_ZONE_")
# Without F2FS_LOG_COUNT, which is no log.
LogType = _IntEnum(
    "LogType",
    {ffi.string(lib.f2fs_log_type_name(i)).decode(): i for i in range(lib.F2FS_LOG_COUNT)},
    module=__name__,
)
LogType.__doc__ = "The six logs, values of enum f2fs_log_type of the C library."

# Enumerations whose members a parameter also takes by name. stubs.py writes out the names.
NAMED = (Feature, GcTarget, DefragOrder, DiscardUnit, Encrypted, Existing, FsyncMode, Logging, OpenMode, OpenRecover,
         SegmentMapForm, Temperature)  # fmt: skip
globals().update({f"{kind.__name__}Name": _names(kind) for kind in NAMED})

__all__ = [name for name, found in globals().items() if isinstance(found, enum.EnumMeta) and not name.startswith("_")]  # pyright: ignore[reportUnsupportedDunderAll]
