# SPDX-License-Identifier: LGPL-2.1-or-later
# Written by python/stubs.py.
import enum
from typing import Any, Literal

__all__ = [
    "Advise",
    "Area",
    "CarvedEnd",
    "ChainEnd",
    "CheckState",
    "CheckpointFlag",
    "CompressLeft",
    "Confidence",
    "Decision",
    "DefragEnd",
    "DefragOrder",
    "DeletedSource",
    "DeviceCap",
    "DiscardUnit",
    "EncodingFlag",
    "Encrypted",
    "EntrySource",
    "Existing",
    "ExtentKind",
    "ExtractProblemKind",
    "FallocateFlag",
    "Feature",
    "FieldShow",
    "FileType",
    "FsyncMode",
    "FsyncReason",
    "GcEnd",
    "GcPolicy",
    "GcTarget",
    "InlineFlag",
    "InodeFlag",
    "Keep",
    "LeftoverKind",
    "LogLevel",
    "LogType",
    "Logging",
    "MomentState",
    "NodeVersionKind",
    "OpenMode",
    "OpenRecover",
    "Output",
    "PathState",
    "RecordKind",
    "RenameFlag",
    "RepairKind",
    "ResizeKind",
    "SegmentMapForm",
    "Severity",
    "SignatureKind",
    "SummarySource",
    "SyncMode",
    "Temperature",
    "Transaction",
    "UndeleteOutcome",
    "VersionContents",
    "VersionDifferenceKind",
    "VersionFlag",
    "ZoneType",
]

class Advise(enum.IntFlag):
    COLD = 1
    LOST_PINO = 2
    ENCRYPT = 4
    ENC_NAME = 8
    KEEP_SIZE = 16
    HOT = 32
    VERITY = 64
    TRUNC = 128

class Area(enum.IntEnum):
    MAIN = 6
    SSA = 5
    NAT = 4
    SIT = 3
    CHECKPOINT = 2
    SUPERBLOCK = 1
    NONE = 0

class CarvedEnd(enum.IntEnum):
    CUT = 2
    GUESSED = 1
    WHOLE = 0

class ChainEnd(enum.IntEnum):
    DISABLED = 3
    LOOP = 2
    OUTSIDE = 1
    FOREIGN = 0

class CheckState(enum.IntEnum):
    REPAIRED = 3
    IMPOSSIBLE = 2
    LEFT = 1
    SOUND = 0

class CheckpointFlag(enum.IntFlag):
    UNMOUNT = 1
    ORPHAN_INODES = 2
    COMPACTED_SUMMARY = 4
    ERROR = 8
    FSCK = 16
    FASTBOOT = 32
    CRC = 64
    NAT_BITS = 128
    TRIMMED = 256
    ALLOW_NOCRC = 512
    LARGE_NAT_BITMAP = 1024
    QUOTA_NEED_FSCK = 2048
    DISABLED = 4096
    DISABLED_QUICK = 8192
    RESIZEFS = 16384

class CompressLeft(enum.IntEnum):
    KEY = 10
    UNREADABLE = 9
    FLAG = 8
    PINNED = 7
    VERITY = 6
    ATTRIBUTES = 5
    ROOM = 4
    GAIN = 3
    INLINE = 2
    SO = 1
    NONE = 0

class Confidence(enum.IntEnum):
    NAME = 5
    METADATA = 4
    BLANK = 3
    PART = 2
    LIKELY = 1
    WHOLE = 0

class Decision(enum.IntEnum):
    STOP = 2
    FIX = 1
    SKIP = 0

class DefragEnd(enum.IntEnum):
    STOPPED = 3
    NO_ROOM = 2
    LIMIT = 1
    DONE = 0

class DefragOrder(enum.IntEnum):
    SPACE = 4
    AGE = 3
    LIST = 2
    TREE = 1
    SCORE = 0

class DeletedSource(enum.IntFlag):
    ORPHAN = 4
    ENTRY = 2
    NODE = 1

class DeviceCap(enum.IntFlag):
    PARALLEL_WRITE = 64
    ZEROED = 32
    ZONED = 16
    DISCARD = 8
    BLOCK = 4
    PARALLEL = 2
    WRITE = 1

class DiscardUnit(enum.IntEnum):
    SECTION = 2
    SEGMENT = 1
    BLOCK = 0

class EncodingFlag(enum.IntFlag):
    STRICT = 1
    HASHONLY = 2

class Encrypted(enum.IntEnum):
    RAW = 2
    SKIP = 1
    REPORT = 0

class EntrySource(enum.IntEnum):
    SCAN = 3
    JOURNAL = 2
    COPY1 = 1
    COPY0 = 0

class Existing(enum.IntEnum):
    UPDATE = 3
    REPLACE = 2
    SKIP = 1
    REFUSE = 0

class ExtentKind(enum.IntEnum):
    WAITING = 5
    INLINE = 4
    COMPRESSED = 3
    RESERVED = 2
    DATA = 1
    HOLE = 0

class ExtractProblemKind(enum.IntEnum):
    NAME = 5
    ATTRIBUTE = 4
    ENCRYPTED = 3
    NOT_MADE = 2
    UNREADABLE = 1

class FallocateFlag(enum.IntFlag):
    INSERT_RANGE = 32
    ZERO_RANGE = 16
    COLLAPSE_RANGE = 8
    PUNCH_HOLE = 2
    KEEP_SIZE = 1

class Feature(enum.IntFlag):
    ENCRYPT = 1
    BLKZONED = 2
    ATOMIC_WRITE = 4
    EXTRA_ATTR = 8
    PROJECT_QUOTA = 16
    INODE_CHECKSUM = 32
    FLEXIBLE_INLINE_XATTR = 64
    QUOTA = 128
    INODE_CRTIME = 256
    LOST_FOUND = 512
    VERITY = 1024
    SB_CHECKSUM = 2048
    CASEFOLD = 4096
    COMPRESSION = 8192
    RO = 16384
    DEVICE_ALIAS = 32768
    PACKED_SSA = 65536

class FieldShow(enum.IntEnum):
    ADDR = 8
    MODE = 7
    UTF16 = 6
    TEXT = 5
    UUID = 4
    TIME = 3
    FLAGS = 2
    HEX = 1
    DEC = 0

class FileType(enum.IntEnum):
    SYMLINK = 7
    SOCKET = 6
    FIFO = 5
    BLOCK = 4
    CHARACTER = 3
    DIRECTORY = 2
    REGULAR = 1
    UNKNOWN = 0

class FsyncMode(enum.IntEnum):
    POSIX = 1
    STRICT = 0

class FsyncReason(enum.IntEnum):
    BEYOND_END = 12
    NODE_FREED = 11
    PARENT_XATTRS = 10
    PARENT_NAMES = 9
    LOGS = 8
    NEW_PARENT = 7
    NO_ROOM = 6
    WRONG_PARENT = 5
    IDENTITY = 4
    LINKS = 3
    COMPRESSED = 2
    NOT_REGULAR = 1
    NONE = 0

class GcEnd(enum.IntEnum):
    STOPPED = 3
    NO_ROOM = 2
    LIMIT = 1
    DONE = 0

class GcPolicy(enum.IntEnum):
    AGE_THRESHOLD = 2
    HOTNESS = 3
    AGE = 2
    COST_BENEFIT = 1
    GREEDY = 0

class GcTarget(enum.IntEnum):
    ADAPTIVE = 3
    HOLES = 2
    AGE = 1
    LOG = 0

class InlineFlag(enum.IntFlag):
    INLINE_XATTR = 1
    INLINE_DATA = 2
    INLINE_DENTRY = 4
    DATA_EXIST = 8
    INLINE_DOTS = 16
    EXTRA_ATTR = 32
    PIN_FILE = 64
    COMPRESS_RELEASED = 128

class InodeFlag(enum.IntFlag):
    COMPR = 4
    SYNC = 8
    IMMUTABLE = 16
    APPEND = 32
    NODUMP = 64
    NOATIME = 128
    NOCOMP = 1024
    INDEX = 4096
    DIRSYNC = 65536
    PROJINHERIT = 536870912
    CASEFOLD = 1073741824
    DEVICE_ALIAS = 2147483648

class Keep(enum.IntFlag):
    EVERYTHING = 4095
    DEFAULT = 1023
    XATTRS = 448
    NOTHING = 32768
    SETID = 4096
    PROJECT = 2048
    FLAGS = 1024
    ACL = 512
    SECURITY = 256
    TRUSTED = 128
    USER = 64
    SPECIAL = 32
    HOLES = 16
    LINKS = 8
    TIMES = 4
    OWNER = 2
    MODE = 1

class LeftoverKind(enum.IntEnum):
    SLACK = 2
    NODE = 1
    FREE = 0

class LogLevel(enum.IntEnum):
    DEBUG = 3
    INFO = 2
    WARNING = 1
    ERROR = 0

class LogType(enum.IntEnum):
    HOT_DATA = 0
    WARM_DATA = 1
    COLD_DATA = 2
    HOT_NODE = 3
    WARM_NODE = 4
    COLD_NODE = 5

class Logging(enum.IntEnum):
    THREADED = 2
    NORMAL = 1
    ADAPTIVE = 0

class MomentState(enum.IntEnum):
    DELETED = 2
    OLD = 1
    LIVE = 0

class NodeVersionKind(enum.IntEnum):
    XATTR = 3
    DOUBLE = 2
    INDIRECT = 1
    DIRECT = 0

class OpenMode(enum.IntEnum):
    RESCUE = 2
    STRICT = 1
    TOLERANT = 0

class OpenRecover(enum.IntEnum):
    APPLY = 2
    VIEW = 1
    NONE = 0

class Output(enum.IntFlag):
    FILE_CONTEXTS = 8
    FS_CONFIG = 4
    MANIFEST = 2
    TAR = 1

class PathState(enum.IntEnum):
    PART = 2
    LIKELY = 1
    SURE = 0

class RecordKind(enum.IntEnum):
    FLUSH = 4
    DISCARD = 3
    ZERO = 2
    WRITE = 1

class RenameFlag(enum.IntFlag):
    WHITEOUT = 4
    EXCHANGE = 2
    NO_REPLACE = 1

class RepairKind(enum.IntEnum):
    CHOICE = 2
    COMMON = 1
    NONE = 0

class ResizeKind(enum.IntEnum):
    REDUCE = 6
    RESERVE = 5
    HOME = 4
    RELAYOUT = 3
    EXTEND = 2
    SHRINK = 1

class SegmentMapForm(enum.IntEnum):
    TEXT = 2
    COLOUR = 1
    SVG = 0

class Severity(enum.IntEnum):
    LOSS = 3
    DAMAGE = 2
    STALE = 1
    NOTE = 0

class SignatureKind(enum.IntEnum):
    VERIFIED = 7
    PARTITIONS = 6
    RAID = 5
    LVM = 4
    CRYPTO = 3
    SWAP = 2
    FILE_SYSTEM = 1
    OTHER = 0

class SummarySource(enum.IntEnum):
    NONE = 3
    FOOTERS = 2
    PACK = 1
    SSA = 0

class SyncMode(enum.IntEnum):
    ALL = 2
    DATA = 1
    NONE = 0

class Temperature(enum.IntEnum):
    KERNEL = 2
    SLIDES = 1
    TABLE = 0

class Transaction(enum.IntEnum):
    UNCERTAIN = 3
    FAILED = 2
    OPEN = 1
    NONE = 0

class UndeleteOutcome(enum.IntEnum):
    NO_LINK = 20
    NO_ATTRIBUTE = 19
    BLANK_KEPT = 18
    BLANK_HOLES = 17
    HOLES = 16
    REFUSED = 10
    UNREADABLE = 9
    TOO_BIG = 8
    OTHER_POLICY = 7
    ENCRYPTED = 6
    OVERWRITTEN = 5
    PARTLY_BLANK = 4
    BLANK = 3
    NO_CONTENTS = 2
    ONLY_NAME = 1
    DONE = 0

class VersionContents(enum.IntEnum):
    UNKNOWN = 2
    DIFFER = 1
    SAME = 0

class VersionDifferenceKind(enum.IntEnum):
    RANGE = 2
    XATTR = 1
    FIELD = 0

class VersionFlag(enum.IntFlag):
    LAST = 8
    OTHER_USE = 4
    RECENT = 2
    CURRENT = 1

class ZoneType(enum.IntEnum):
    SEQUENTIAL_PREFERRED = 3
    SEQUENTIAL = 2
    CONVENTIONAL = 1

FeatureName = Literal["encrypt", "blkzoned", "atomic_write", "extra_attr", "project_quota", "inode_checksum", "flexible_inline_xattr", "quota", "inode_crtime", "lost_found", "verity", "sb_checksum", "casefold", "compression", "ro", "device_alias", "packed_ssa"]

GcTargetName = Literal["adaptive", "holes", "age", "log"]

DefragOrderName = Literal["space", "age", "list", "tree", "score"]

DiscardUnitName = Literal["section", "segment", "block"]

EncryptedName = Literal["raw", "skip", "report"]

ExistingName = Literal["update", "replace", "skip", "refuse"]

FsyncModeName = Literal["posix", "strict"]

LoggingName = Literal["threaded", "normal", "adaptive"]

OpenModeName = Literal["rescue", "strict", "tolerant"]

OpenRecoverName = Literal["apply", "view", "none"]

SegmentMapFormName = Literal["text", "colour", "svg"]

TemperatureName = Literal["kernel", "slides", "table"]

NAMED: tuple[Any, ...]

FLAGS: dict[str, type[enum.IntFlag]]

def choose(kind: Any, value: Any) -> Any: ...
