/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Shared declarations of dump.f2fs. A view is a function that shows one thing; main.c parses the options, opens the
 * volume and calls the requested views. Views come in two kinds: those of this project write records through
 * cli/print.h, as text or JSON; the classic ones write the exact output of f2fs-tools.
 */
#ifndef F2FSKIT_DUMP_DUMP_H
#define F2FSKIT_DUMP_DUMP_H

#include <f2fskit/f2fskit.h>

#include "cli/host.h"
#include "cli/print.h"
#include "cli/stat.h"

/* Exit codes; those from 2 on are bits that add up. */
enum dump_exit {
	DUMP_OK = CLI_EXIT_OK,
	DUMP_USAGE = CLI_EXIT_FAILURE,
	DUMP_MISSING = CLI_EXIT_MISSING,
	DUMP_INCOMPLETE = CLI_EXIT_INCOMPLETE,
	DUMP_FAILED = CLI_EXIT_OPERATIONAL
};

struct copy_options;

struct dump {
	struct cli cli;
	const char *image;
	struct f2fs_context *ctx;
	struct f2fs_volume *vol;
	const struct f2fs_geometry *geo;
	const struct f2fs_open_options *opening; /* how the volume was opened on it */
	struct f2fs_device *device; /* for views of zones: the first, and the further ones of a zoned volume */
	struct f2fs_device *const *further;
	unsigned further_count;
	struct cli_print *out; /* records */
	const struct copy_options *copy;
	int is_json;
	int is_quiet;
	int as_map; /* -i with -M */
	int debug;  /* -d */
	int is_thorough;
	int scrambles_names; /* of --metadata-image */
	int form;	     /* enum image_form (save_image.h) of images that are written */
	int asks_magic;	     /* with --carve */
	int takes_blank;     /* old versions are read with their blank blocks */
	uint64_t carve_size; /* 0: as the library has it */
	const char *to; /* of --undelete and --carve */
	struct f2fs_volume *now; /* with --as-of: the volume itself, while vol is the view; else NULL */
	int status; /* bits of enum dump_exit */
};

/* A range of numbers as given: first~end, end exclusive. */
struct dump_range {
	uint64_t first, end;
};

/*
 * Report the context's last error (code rc) on stderr, what in front of it unless NULL, and note it in the exit status.
 * Returns rc.
 */
int dump_fail(struct dump *d, int rc, const char *what);
/* The same for damage that a walk from start found. */
int dump_fail_below(struct dump *d, int rc, const char *start, const char *path);
/* Report damage found by the program itself. */
void dump_damage(struct dump *d, const char *format, ...) CLI_PRINTF(2, 3);

/* Parse "A~B", "A" (A~end), "-1" as B for the end; clamp to [0, limit). Returns NULL, or an error text. */
const char *dump_parse_range(const char *text, uint64_t limit, struct dump_range *out);
/* The same for a view: NULL text is everything, a single number just that one. Errors are reported. */
int dump_view_range(struct dump *d, const char *what, const char *text, uint64_t limit, struct dump_range *out);
/* Parse a block address or node id below limit, decimal or 0x; errors are reported. Returns 0, INVALID or RANGE. */
int dump_parse_number(struct dump *d, const char *what, const char *text, uint64_t limit, uint32_t *out);

/* Open the inode that an operand names: a number (decimal, 0x), @ADDR (the inode at a block address) or a path. Failure
 * is reported. */
int dump_open_inode(struct dump *d, const char *operand, unsigned lookup_flags, struct f2fs_inode **out);

/*
 * Find the first node id >= nid in use. Reports and skips unreadable NAT blocks. F2FS_ERR_NOT_FOUND past the last;
 * other errors (reported) end the search.
 */
int dump_next_node(struct dump *d, f2fs_nid_t nid, struct f2fs_nat_info *out);

/* Node footers along with NAT entries (node_footers.c). */
struct dump_node {
	struct f2fs_nat_info nat;
	int has_footer; /* 0: the block could not be read */
	f2fs_nid_t nid, ino;
	uint32_t flag;
	uint64_t cp_ver;
	f2fs_blk_t next_blkaddr;
};
/*
 * Visit the nodes in use with range->first <= nid < range->end, in order, with their footers. Damage is reported and
 * does not end the visit; a negative return of visit does.
 */
int dump_each_node(struct dump *d, const struct dump_range *range,
		   int (*visit)(void *user, const struct dump_node *node), void *user);

/* Visit every block of the node segments that is, or was, a copy of this inode, in the order of the device. */
int dump_each_copy(struct dump *d, f2fs_nid_t ino, int (*visit)(void *user, f2fs_blk_t addr, const uint8_t *block),
		   void *user);

/* earlier.c */
/* Show the volume as of a checkpoint version, or -N: N checkpoints ago. Failure is reported. */
int dump_open_as_of(struct dump *d, const char *version);
/* Report missing and uncertain parts, and close the view. */
void dump_close_as_of(struct dump *d);

/* view_undelete.c: open the directory of --to, made if need be; -1 when there is none, reported. what: the option that
 * asks. */
int dump_open_to(struct dump *d, const char *what);

/* fields.c: print structures from the format's tables. */
const struct f2fs_struct *dump_struct(const char *name);
/* A little-endian number of 32 bits. */
uint32_t dump_word(const uint8_t *raw);
uint64_t dump_get(const struct f2fs_struct *type, const uint8_t *raw, const char *field, uint32_t index);
/* Print the fields wholly within the first size bytes as members of the open record. */
void dump_fields(struct cli_print *out, const struct f2fs_struct *type, const uint8_t *raw, size_t size);
const char *dump_source_name(unsigned source);

/* view_inode.c: what an inode's block says, and a node's footer, as members of the open record. */
void dump_inode_block(struct dump *d, const uint8_t *block);
void dump_footer(struct dump *d, const uint8_t *block);
/* view_volume.c: the notes of opening the volume, as an array of the open record. */
void dump_notes(struct dump *d);
/* A path that leads to an inode as member "path" of the open record, null when there is none (view_inode.c,
 * view_block.c). */
void dump_path(struct dump *d, struct f2fs_inode *inode);
void dump_path_of(struct dump *d, f2fs_nid_t ino);
/* view_xattr.c: extended attributes as a table. */
int dump_xattrs(struct dump *d, struct f2fs_inode *inode);

/* views; argument NULL when none was given */
/* view_evidence.c: the container of the image and the footer of verified boot, if there are such, as members of the
 * open record. */
void dump_put_container(struct dump *d);
int view_evidence(struct dump *d, const char *argument);
int view_info(struct dump *d, const char *argument);
int view_features(struct dump *d, const char *argument);
int view_superblock(struct dump *d, const char *argument);
int view_checkpoint(struct dump *d, const char *argument);
int view_logs(struct dump *d, const char *argument);
int view_journals(struct dump *d, const char *argument);
int view_orphans(struct dump *d, const char *argument);
int view_recovery(struct dump *d, const char *argument);
int view_report(struct dump *d, const char *argument);
int view_nat(struct dump *d, const char *argument);
int view_sit(struct dump *d, const char *argument);
int view_ssa(struct dump *d, const char *argument);
int view_inode(struct dump *d, const char *argument);
int view_node(struct dump *d, const char *argument);
int view_block(struct dump *d, const char *argument);
int view_hexdump(struct dump *d, const char *argument);
int view_history(struct dump *d, const char *argument);
int view_versions(struct dump *d, const char *argument);
int view_deleted(struct dump *d, const char *argument);
int view_former_names(struct dump *d, const char *argument);
int view_timeline(struct dump *d, const char *argument);
int view_leftovers(struct dump *d, const char *argument);
int view_bytes(struct dump *d, const char *argument);
int view_differences(struct dump *d, const char *argument);
int view_carve(struct dump *d, const char *argument);
int view_undelete(struct dump *d, const char *argument);
int view_map(struct dump *d, const char *argument);
int view_ls(struct dump *d, const char *argument);
int view_tree(struct dump *d, const char *argument);
int view_hashes(struct dump *d, const char *argument);
int view_cat(struct dump *d, const char *argument);
int view_xattr(struct dump *d, const char *argument);
int view_verity(struct dump *d, const char *argument);
int view_verify(struct dump *d, const char *argument);
int view_quota(struct dump *d, const char *argument);
int view_stat(struct dump *d, const char *argument);
int view_metadata_image(struct dump *d, const char *argument);
int view_used_image(struct dump *d, const char *argument);
int view_fragmentation(struct dump *d, const char *argument);

#endif
