# SPDX-License-Identifier: LGPL-2.1-or-later
"""Results of calls: named tuples with the fields of the C structures of the same name, in the same units."""

from __future__ import annotations

from typing import Any, Iterator, NamedTuple, TypeVar

from . import enums
from .stat_result import StatResult, make_stat

__all__ = ["StatResult", "make_stat"]

T = TypeVar("T", bound="tuple[Any, ...]")


def from_c(kind: type[T], source: Any) -> T:
    """Make a named tuple of the members of a C structure that have its fields' names."""
    return kind(*[getattr(source, name) for name in kind._fields])  # type: ignore[attr-defined]


class Progress(NamedTuple):
    """A report of progress."""

    task: str
    phase: str
    unit: str
    """Unit of the counts: "blocks", "bytes", "inodes", ..."""
    done: int
    total: int | None
    """None when it is not known."""


class BuildPart(NamedTuple):
    """An optional part of the library."""

    name: str
    """The build option, "lz4"."""
    library: str
    """The library that it needs, "liblz4"."""
    purpose: str
    """What it is for, "files compressed with LZ4"."""
    is_built_in: bool
    """The build has it."""
    is_usable: bool
    """It can be used here and now."""


class Key(NamedTuple):
    """A key of encrypted files that was added."""

    identifier: bytes
    """16 bytes, derived from the key: policies of version 2 name it so."""
    descriptor: bytes
    """8 bytes: policies of version 1 name it so."""
    size: int
    """Bytes of the key."""


class DeviceInfo(NamedTuple):
    """Properties of a device."""

    size: int
    """Bytes."""
    zone_bytes: int
    """Size of a zone, 0 when not zoned."""
    start_sector: int
    """Start within its disk in 512-byte sectors."""
    sector_size: int
    """Logical sector, bytes."""
    caps: enums.DeviceCap


class Signature(NamedTuple):
    """The signature of a file system, swap space, an encrypted volume, LVM, RAID, or a partition table."""

    kind: enums.SignatureKind
    offset: int
    """Byte where the signature is."""
    type: str
    """libblkid's name of the type where it has one: "ext4", "crypto_LUKS", "dos"."""
    label: str
    uuid: str
    what: str
    """A phrase for people: "a file system (ext4, label 'root')"."""


class Evidence(NamedTuple):
    """The container that a device reads from, such as an E01 image, and the digests that it stores."""

    format: str
    """A phrase for people: "an EnCase image (E01)"."""
    bytes: int
    """Size of the contents."""
    is_incomplete: bool
    """Parts are missing or damaged: reading there fails."""
    md5: str | None
    """Hexadecimal digits, None when none is stored."""
    sha1: str | None
    is_verified: bool
    """The digests were computed again, and are the stored ones."""


class Partition(NamedTuple):
    """A partition of a disk, and the F2FS volume in it."""

    number: int
    """As Linux counts them; 0: it has only a name."""
    offset: int
    """Bytes from the start of the disk to its first piece."""
    length: int
    """Bytes of all pieces."""
    pieces: int
    """1, or more when it is not in one piece."""
    is_f2fs: bool
    """It begins with a superblock of F2FS."""
    scheme: str
    """libblkid's name of the table: "gpt", "dos"."""
    name: str
    """The name that `Device.partition()` takes first."""
    label: str
    uuid: str
    type: str
    """Its type as the table has it."""
    volume_label: str
    volume_uuid: str


class Zone(NamedTuple):
    """One zone of a zoned device; offsets and lengths in bytes."""

    start: int
    length: int
    capacity: int
    write_pointer: int
    type: enums.ZoneType
    empty: bool
    full: bool


class DeviceExtent(NamedTuple):
    """A run of bytes of a device."""

    offset: int
    length: int
    is_hole: bool


class ReadRecord(NamedTuple):
    """A read of a device."""

    offset: int
    length: int
    failed: bool


class DeviceRecord(NamedTuple):
    """One operation that a recorder has seen."""

    kind: enums.RecordKind
    offset: int
    length: int
    data: bytes | None
    """Bytes of a write; None for other kinds."""


class FaultCounts(NamedTuple):
    """Operations that a fault injector has seen since its rule was set."""

    reads: int
    writes: int
    flushes: int


class UndoInfo(NamedTuple):
    """Result of playing an undo file back."""

    device_size: int
    records: int
    bytes: int
    #: False: the recording was cut short. The bytes that its torn last piece protects had not been overwritten.
    is_sealed: bool
    #: If not sealed: pieces after an unreadable one, which were not restored.
    left: int


class FeaturesResult(NamedTuple):
    """Result of `Volume.set_features()`."""

    before: enums.Feature
    after: enums.Feature
    inodes: int
    """That were rewritten, or would be."""
    left: int
    """With convert: inodes that stay as they are."""
    large_nat_before: bool
    """The checkpoint had the flag large_nat_bitmap."""
    large_nat_after: bool
    moved_blocks: int
    """Of files that are copied, nodes included: above nodes with convert, or in the way of tables. An estimate."""
    won_segments: int
    """That the main area wins by PACKED_SSA; negative: it loses them."""


class Geometry(NamedTuple):
    """All numbers of a volume's layout (FORMAT volume 1.2, 3). Segments of metadata areas include both copies."""

    block_size: int
    """Bytes: 4096 or 16384."""
    block_bits: int
    sector_size: int
    feature: enums.Feature
    segs_per_sec: int
    secs_per_zone: int
    block_count: int
    segment_count: int
    section_count: int
    segment_count_ckpt: int
    segment_count_sit: int
    segment_count_nat: int
    segment_count_ssa: int
    segment_count_main: int
    segment0_blkaddr: int
    cp_blkaddr: int
    sit_blkaddr: int
    nat_blkaddr: int
    ssa_blkaddr: int
    main_blkaddr: int
    end_blkaddr: int
    """First block after the main area."""
    cp_payload: int
    root_ino: int
    max_nid: int
    """Exclusive bound of node ids."""
    nat_per_block: int
    sit_per_block: int
    orphans_per_block: int
    nat_blocks: int
    """Per copy."""
    sit_blocks: int
    """Per copy."""
    sit_blocks_used: int
    sum_size: int
    sums_per_block: int
    journal_offset: int
    journal_size: int
    nat_journal_max: int
    sit_journal_max: int
    addrs_per_inode: int
    addrs_per_block: int
    nids_per_block: int
    dentries_per_block: int
    dentry_bitmap_size: int
    dentry_offset: int
    dentry_name_offset: int
    nat_bits_blocks: int


def make_geometry(source: Any) -> Geometry:
    """Make a geometry of struct f2fs_geometry."""
    return from_c(Geometry, source)._replace(feature=enums.Feature(source.feature))


class Counters(NamedTuple):
    """Writes to the device since the volume was opened."""

    bytes: dict[str, int]
    """Written, by cause: "data", "node", "moved-data", "moved-node", "nat", "sit", "ssa", "pack", "chain"."""
    requests: dict[str, int]
    """Writes, by cause."""
    sizes: list[int]
    """Writes by their length: number i up to 4096 << i bytes, the last any."""
    log_new: dict[str, int]
    """Blocks of changes that had no place before, by the log that their temperature belongs to."""
    log_updated: dict[str, int]
    """The same of those that take the place of others."""
    zero_bytes: int
    zero_requests: int
    discard_bytes: int
    discards: int
    zone_resets: int
    flushes: int
    commits: int


class CleanResult(NamedTuple):
    """Result of GC, or of a dry run."""

    sections: int
    """Emptied."""
    data_blocks: int
    """Moved."""
    node_blocks: int
    """Moved, without nodes that were written because their data moved."""
    commits: int
    free_before: int
    """Free sections."""
    free_after: int
    """The same at the end. An estimate after a dry run."""
    candidates: int
    """Sections that were worth it at the beginning."""
    unconfirmed: int
    """Sections left alone: an owner did not confirm a block, so something is damaged."""
    unreadable: int
    """Sections left alone: a block or a node could not be read."""
    pinned: int
    """Sections left alone: they hold blocks of a pinned file or a device alias."""
    end: enums.GcEnd
    next_section: int
    """Where end is NO_ROOM: the section that did not fit,"""
    next_blocks: int
    """the blocks in use in it,"""
    next_nodes: int
    """and the nodes that moving these would write."""


class MetadataStat(NamedTuple):
    """Statistics of a copy of metadata, in blocks of the main area."""

    nodes: int
    directories: int
    others: int
    """Symlinks, quota files, verity descriptors."""
    used: int
    """Contents, in a copy of all blocks in use."""
    refused: int
    """A directory claims them, but they look like contents: left out."""
    unreadable: int
    """Failed reads of all areas so far. The copy has zeros there, and metadata that depends on them may be missing."""
    first_unreadable: int
    inline_zeroed: int
    """Inodes that held contents, which are zeros."""


class VolumeStat(NamedTuple):
    """Usage of a volume, in blocks and files."""

    block_size: int
    block_count: int
    """As statfs(2) shows it (FORMAT volume 10.3)."""
    free_blocks: int
    max_files: int
    """Inodes that fit, those in use among them."""
    free_files: int
    valid_blocks: int
    """As the checkpoint counts them."""
    user_blocks: int
    valid_nodes: int
    valid_inodes: int
    free_segments: int

    # The names of os.statvfs_result.
    @property
    def f_bsize(self) -> int:
        return self.block_size

    @property
    def f_frsize(self) -> int:
        return self.block_size

    @property
    def f_blocks(self) -> int:
        return self.block_count

    @property
    def f_bfree(self) -> int:
        return self.free_blocks

    @property
    def f_bavail(self) -> int:
        return self.free_blocks

    @property
    def f_files(self) -> int:
        return self.max_files

    @property
    def f_ffree(self) -> int:
        return self.free_files

    @property
    def f_favail(self) -> int:
        return self.free_files

    @property
    def f_namemax(self) -> int:
        return 255


class NatEntry(NamedTuple):
    """The address and owner of a node."""

    nid: int
    ino: int
    """The inode that owns the node."""
    block_addr: int
    """0 when the node id is free."""
    version: int
    source: enums.EntrySource
    table_block: int
    """Block of the NAT that holds the entry, or for the journal, the one that it overrides."""


class SitEntry(NamedTuple):
    """Which blocks of a segment are valid."""

    segno: int
    valid_blocks: int
    type: int
    """A `LogType`, or a number above when damaged."""
    source: enums.EntrySource
    mtime: int
    """On the clock of the checkpoint's elapsed_time, seconds."""
    valid_map: bytes
    """One bit per block, most significant first."""
    table_block: int

    def is_valid(self, offset: int) -> bool:
        """Is the block at an offset (0 to 511) of the segment valid?"""
        if not 0 <= offset < 512:
            raise IndexError("offset in a segment is 0 to 511")
        return bool(self.valid_map[offset >> 3] & (0x80 >> (offset & 7)))

    def valid_offsets(self) -> Iterator[int]:
        """Yield the offsets of all valid blocks."""
        return (offset for offset in range(512) if self.is_valid(offset))


class CheckpointPack(NamedTuple):
    """One of the two checkpoint packs."""

    pack: int
    """1 or 2."""
    version: int
    """Of the checkpoint; 0: there is none."""
    broken_rule: str | None
    """Name of the rule that it breaks, or "unreadable"; None: it is valid."""
    is_current: bool
    """It is the one in use."""


class Summary(NamedTuple):
    """The owner of a block."""

    nid: int
    """The node that points to the block, or the node itself."""
    version: int
    ofs_in_node: int


class LogHead(NamedTuple):
    """The next place that one of the six logs writes."""

    segno: int
    blkoff: int
    """Offset in the segment that is written next."""
    alloc_type: int
    """0 append, 1 fill holes."""
    type: enums.LogType


class BlockIdentity(NamedTuple):
    """Identity of a block according to the volume's own tables."""

    area: enums.Area
    index: int  # type: ignore[assignment]
    """Block within its area."""
    segno: int
    offset: int
    """Offset in the segment."""
    type: int
    """Type of the segment."""
    is_valid: bool
    is_node: bool
    is_owned: bool
    """The owner that the summary names really points here."""
    nid: int
    ino: int
    """Owning inode, 0 when not known."""
    ofs_in_node: int
    node_offset: int
    file_block: int | None
    """Block within the file, None when not known or not data."""


class Extent(NamedTuple):
    """A run of file blocks of one kind."""

    file_block: int
    """First file block."""
    count: int  # type: ignore[assignment]
    """File blocks."""
    addr: int
    """First block; 0 for kinds that are not stored in blocks of their own."""
    stored: int
    """Blocks that hold a compressed cluster's data."""
    kind: enums.ExtentKind


class NodeInfo(NamedTuple):
    """A node of a file."""

    nid: int
    addr: int
    node_offset: int
    """Place in the file's tree (FORMAT files 1.4)."""


class InodeLayout(NamedTuple):
    """How an inode's block is divided (FORMAT files 1.3, 2, 3): offsets and sizes in bytes."""

    extra_offset: int
    extra_size: int
    """Extra attributes that exist."""
    slot_offset: int
    slots: int
    """Block pointers."""
    inline_offset: int
    inline_size: int
    """Inline data or entries."""
    xattr_offset: int
    xattr_size: int
    """Inline extended attributes, 0 when not in use."""
    nid_offset: int
    footer_offset: int
    node_slots: int
    """Usable block pointers of a direct node of this file."""
    cluster_blocks: int
    """Of a compressed file, else 0."""


class Verity(NamedTuple):
    """fs-verity parameters of a file (FORMAT files 9.2)."""

    hash_algorithm: int
    """1 SHA-256, 2 SHA-512."""
    block_size: int
    root_hash: bytes
    salt: bytes
    file_digest: bytes
    """The digest that FS_IOC_MEASURE_VERITY returns."""
    tree_offset: int
    tree_size: int
    descriptor_offset: int
    signature_size: int


class Quota(NamedTuple):
    """Usage and limits of one user, group or project."""

    id: int
    space_bytes: int
    space_hard_kib: int
    space_soft_kib: int
    inodes: int
    inodes_hard: int
    inodes_soft: int
    space_grace: int
    """End of grace, seconds since 1970; 0 none."""
    inode_grace: int
