/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Tables of the on-disk format: structures, fields, flags and rules. Tools, scripts and documentation all use these
 * tables, so they cannot disagree.
 */
#ifndef F2FSKIT_FORMAT_H
#define F2FSKIT_FORMAT_H

#include <f2fskit/error.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Types of the fields of a structure. */
enum f2fs_field_type {
	F2FS_FIELD_U8 = 1,
	F2FS_FIELD_U16 = 2,
	F2FS_FIELD_U32 = 4,
	F2FS_FIELD_U64 = 8,
	F2FS_FIELD_S64 = 9,   /* two's complement */
	F2FS_FIELD_BYTES = 10 /* count bytes; see show */
};

/* How a value is meant to be shown. */
enum f2fs_field_show {
	F2FS_SHOW_DEC = 0,
	F2FS_SHOW_HEX = 1,   /* BYTES: hex digits */
	F2FS_SHOW_FLAGS = 2, /* a flag table has the field's name (f2fs_flags_find) */
	F2FS_SHOW_TIME = 3,  /* seconds since 1970 */
	F2FS_SHOW_UUID = 4,  /* BYTES(16) */
	F2FS_SHOW_TEXT = 5,  /* BYTES, NUL-terminated unless full */
	F2FS_SHOW_UTF16 = 6, /* BYTES holding UTF-16LE */
	F2FS_SHOW_MODE = 7,  /* octal */
	F2FS_SHOW_ADDR = 8   /* block address */
};

/* One field of a structure. */
struct f2fs_field {
	const char *name; /* name of the field in the kernel's headers */
	uint32_t offset;  /* bytes from the start of the structure */
	uint32_t count;	  /* array length; bytes for F2FS_FIELD_BYTES */
	uint8_t type;	  /* enum f2fs_field_type */
	uint8_t show;	  /* enum f2fs_field_show */
	const char *doc;  /* meaning, one line */
};

/* One structure. Fields are in ascending order and tile [0, size). */
struct f2fs_struct {
	const char *name;		 /* "superblock" */
	const char *doc;		 /* meaning, one line */
	const char *section;		 /* of docs/FORMAT.md */
	uint32_t size;			 /* bytes */
	uint32_t field_count;		 /* length of fields */
	const struct f2fs_field *fields; /* in the order of their offsets */
};

/* Return structure number index, NULL past the last. */
F2FS_API const struct f2fs_struct *f2fs_struct_at(unsigned index);
/* Return the structure of that name or NULL. */
F2FS_API const struct f2fs_struct *f2fs_struct_find(const char *name);
/* Return the field of that name or NULL. */
F2FS_API const struct f2fs_field *f2fs_field_find(const struct f2fs_struct *type, const char *name);
/* Return element index of a numeric field from a structure's raw bytes (S64 as its two's complement); 0 for BYTES. */
F2FS_API uint64_t f2fs_field_get(const struct f2fs_field *field, const uint8_t *raw, uint32_t index);
/* Store element index of a numeric field; bits that do not fit are cut off. */
F2FS_API void f2fs_field_set(const struct f2fs_field *field, uint8_t *raw, uint32_t index, uint64_t value);
/* Return the size of one element in bytes (1 for BYTES). */
F2FS_API uint32_t f2fs_field_width(const struct f2fs_field *field);

/* One bit (or value) of a flag field. */
struct f2fs_flag {
	const char *name; /* name of the bit */
	uint32_t mask;	  /* its bit, or the value */
	const char *doc;  /* meaning, one line */
};
/* Return the flag table of a field name ("feature", "ckpt_flags", "i_advise", "i_inline", "i_flags",
 * "s_encoding_flags", "s_errors": first four bytes; "s_stop_reason": bit i stands for counter i), its length in *count;
 * NULL when there is none. */
F2FS_API const struct f2fs_flag *f2fs_flags_find(const char *field_name, unsigned *count);

/* One structural rule. Numbers and names are persistent. */
struct f2fs_rule {
	uint16_t id;	       /* persistent number */
	const char *name;      /* "SB_MAGIC" */
	const char *structure; /* "superblock" */
	const char *text;      /* what must hold */
	const char *section;   /* of docs/FORMAT.md */
};
/* Return rule number index in table order, NULL past the last. */
F2FS_API const struct f2fs_rule *f2fs_rule_at(unsigned index);
/* Return the rule of that name, NULL for an unknown one. */
F2FS_API const struct f2fs_rule *f2fs_rule_find(const char *name);

/* Feature bits of the superblock (FORMAT volume 2.4). */
enum f2fs_feature {
	F2FS_FEAT_ENCRYPT = 0x00001,
	F2FS_FEAT_BLKZONED = 0x00002,
	F2FS_FEAT_ATOMIC_WRITE = 0x00004,
	F2FS_FEAT_EXTRA_ATTR = 0x00008,
	F2FS_FEAT_PROJECT_QUOTA = 0x00010,
	F2FS_FEAT_INODE_CHECKSUM = 0x00020,
	F2FS_FEAT_FLEXIBLE_INLINE_XATTR = 0x00040,
	F2FS_FEAT_QUOTA = 0x00080,
	F2FS_FEAT_INODE_CRTIME = 0x00100,
	F2FS_FEAT_LOST_FOUND = 0x00200,
	F2FS_FEAT_VERITY = 0x00400,
	F2FS_FEAT_SB_CHECKSUM = 0x00800,
	F2FS_FEAT_CASEFOLD = 0x01000,
	F2FS_FEAT_COMPRESSION = 0x02000,
	F2FS_FEAT_RO = 0x04000,
	F2FS_FEAT_DEVICE_ALIAS = 0x08000,
	F2FS_FEAT_PACKED_SSA = 0x10000
};

/* The six logs; also segment types in the SIT (FORMAT volume 6.2). */
enum f2fs_log_type {
	F2FS_HOT_DATA = 0,
	F2FS_WARM_DATA = 1,
	F2FS_COLD_DATA = 2,
	F2FS_HOT_NODE = 3,
	F2FS_WARM_NODE = 4,
	F2FS_COLD_NODE = 5,
	F2FS_LOG_COUNT = 6
};
/* Return "HOT_DATA" ... "COLD_NODE", "?" for other numbers. */
F2FS_API const char *f2fs_log_type_name(unsigned type);

/* Blocks per segment, at every block size. */
#define F2FS_SEGMENT_BLOCKS 512u

/*
 * All numbers of a volume's layout (FORMAT volume 1.2, 3). Counts of segments in the metadata areas include both
 * copies.
 */
struct f2fs_geometry {
	uint32_t block_size;	     /* bytes: 4096 or 16384 */
	uint32_t block_bits;	     /* its logarithm */
	uint32_t sector_size;	     /* bytes */
	uint32_t feature;	     /* enum f2fs_feature */
	uint32_t segs_per_sec;	     /* segments per section */
	uint32_t secs_per_zone;	     /* sections per zone */
	uint64_t block_count;	     /* of all devices */
	uint32_t segment_count;	     /* from segment0 to the end of main */
	uint32_t section_count;	     /* in the main area */
	uint32_t segment_count_ckpt; /* segments of the checkpoint packs */
	uint32_t segment_count_sit;  /* segments of the SIT */
	uint32_t segment_count_nat;  /* segments of the NAT */
	uint32_t segment_count_ssa;  /* segments of the SSA */
	uint32_t segment_count_main; /* segments of the main area */
	uint32_t segment0_blkaddr;   /* first block of the first segment */
	uint32_t cp_blkaddr;	     /* first block of the checkpoint packs */
	uint32_t sit_blkaddr;	     /* first block of the SIT */
	uint32_t nat_blkaddr;	     /* first block of the NAT */
	uint32_t ssa_blkaddr;	     /* first block of the SSA */
	uint32_t main_blkaddr;	     /* first block of the main area */
	uint64_t end_blkaddr;	     /* first block after the main area */
	uint32_t cp_payload;	     /* extra checkpoint blocks */
	uint32_t root_ino;	     /* inode number of the root directory */
	uint32_t max_nid;	     /* exclusive */
	/* per block */
	uint32_t nat_per_block;	    /* NAT entries in a block */
	uint32_t sit_per_block;	    /* SIT entries in a block */
	uint32_t orphans_per_block; /* inode numbers in an orphan block */
	uint32_t nat_blocks;	    /* per copy */
	uint32_t sit_blocks;	    /* per copy */
	uint32_t sit_blocks_used;   /* that hold entries of main segments */
	/* summaries */
	uint32_t sum_size;	  /* bytes of one summary block structure */
	uint32_t sums_per_block;  /* summaries in one SSA block: 1, or 4 when packed */
	uint32_t journal_offset;  /* byte of the journal within a summary */
	uint32_t journal_size;	  /* bytes of the journal */
	uint32_t nat_journal_max; /* NAT entries that fit in the journal */
	uint32_t sit_journal_max; /* SIT entries that fit in the journal */
	/* nodes and directories */
	uint32_t addrs_per_inode;    /* words of i_addr */
	uint32_t addrs_per_block;    /* of a direct node */
	uint32_t nids_per_block;     /* of an indirect node */
	uint32_t dentries_per_block; /* entries of a directory block */
	uint32_t dentry_bitmap_size; /* bytes of its bitmap */
	uint32_t dentry_offset;	     /* byte of its first entry */
	uint32_t dentry_name_offset; /* byte of its first name */
	uint32_t nat_bits_blocks;    /* at the end of a pack */
};

/* How an inode's block is divided (FORMAT files 1.3, 2, 3); offsets in bytes from the start of the block. */
struct f2fs_inode_layout {
	uint32_t extra_offset;	 /* extra attributes ("inode_extra") */
	uint32_t extra_size;	 /* bytes of those that exist */
	uint32_t slot_offset;	 /* block pointers, u32 each; their meaning depends on the flags */
	uint32_t slots;		 /* number of block pointers */
	uint32_t inline_offset;	 /* payload of inline data or entries */
	uint32_t inline_size;	 /* its bytes */
	uint32_t xattr_offset;	 /* inline extended attributes */
	uint32_t xattr_size;	 /* their bytes, 0 when not in use */
	uint32_t nid_offset;	 /* i_nid[5], u32 each */
	uint32_t footer_offset;	 /* "node_footer" */
	uint32_t node_slots;	 /* usable block pointers of a direct node of this file */
	uint32_t cluster_blocks; /* of a compressed file, else 0 */
};
/* Divide an inode block into its parts. They are always within the block, even if it is damaged. */
F2FS_API void f2fs_inode_layout(const struct f2fs_geometry *geo, const uint8_t *block, struct f2fs_inode_layout *out);
/* Does the node at this place in its file (footer's flag >> 3) hold block addresses, rather than node ids? 1 or 0; the
 * attribute node holds neither: 0. */
F2FS_API int f2fs_node_is_direct(const struct f2fs_geometry *geo, uint32_t node_offset);

#ifdef __cplusplus
}
#endif
#endif
