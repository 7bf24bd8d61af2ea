/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Writing files within the running transaction: slots and nodes, pages that wait to be written, inodes. All functions
 * work on the transaction's copy of the inode's node; handles of it notice by the volume's generation.
 */
#ifndef F2FSKIT_FILE_WRITE_H
#define F2FSKIT_FILE_WRITE_H

#include <f2fskit/compress.h>

#include "file/object.h"
#include "log/run.h"
#include "log/txn.h"

struct pinned;

/* What this layer keeps of a transaction. */
struct file_state {
	struct map32 pages;	       /* inode number -> its waiting blocks */
	uint8_t *unused_pages;	       /* each begins with the address of the next */
	bool has_delayed;	       /* some of them wait because of a placement */
	struct quota_changes *quota;   /* changes of usage; NULL: none */
	struct cluster_packer *packer; /* what compressing needs; NULL until then */
	const struct change_rules *rules; /* of the change at hand; NULL: the usual ones */
	f2fs_nid_t elsewhere;	       /* nothing of this inode is written in place; 0: none */
};

/* An inode being changed: the transaction's node, and how its block is divided now. */
struct winode {
	struct txn *txn;
	struct node *node;
	struct inode_layout layout;
};

/*
 * change_rules.c: how changes through a handle (f2fs_inode.rules) differ from the usual ones. A new inode's handle has
 * those of its directory. Whoever made rules ends them (change_end_rules()) before they go.
 */
struct change_rules {
	bool keeps_times; /* no times are set: the caller sets them */
	/* NULL, or replaces the compression in the options of writing */
	const struct f2fs_compression *compression;
	uint8_t minimum_saved;			  /* of these options */
	const char *compress_names, *plain_names; /* of these options */
	bool releases; /* what compressing a cluster saves is given back at once, not when the file is complete */
};
/* Return the options of writing, as changed by the rules of the present change. */
void change_compression(const struct txn *txn, struct change_rules *out);
bool change_releases(const struct txn *txn);
/* Nothing goes by these rules any more. */
void change_end_rules(struct f2fs_volume *vol, const struct change_rules *rules);

/* change.c: the frame of every public change. */
struct change {
	struct f2fs_volume *vol;
	uint64_t generation; /* when it began */
};
/* Clear the last error, start (or continue) the transaction, and write waiting blocks when there are too many: nodes
 * obtained before must be obtained again. Refused with STATE after a call that failed half-way. */
int change_begin(struct change *c, struct f2fs_volume *vol);
/* The same for a change of an inode, or in a directory; READ_ONLY for one as it once was. */
int change_begin_on(struct change *c, const struct f2fs_inode *inode);
/*
 * A change has found too few free sections before it changed anything: commit and clean, if that is allowed, until
 * there are that many. *won: something came of it, and the change is to be begun again.
 */
int change_win_sections(struct change *c, uint64_t wanted, bool *won);
/* What this layer does with a transaction. */
extern const struct txn_ops file_ops;
/* Start a transaction that changes files, or continue it. */
static inline int change_start(struct f2fs_volume *vol)
{
	return txn_begin(vol, &file_ops);
}
/* At the start of a change: write the waiting blocks of one file, which changes nothing that can be seen. */
int change_flush_file(struct change *c, f2fs_nid_t ino);
struct winode;
/* A call fails that has changed nothing: the kernel has stamped the file all the same by then. */
void change_stamp(struct change *c, struct winode *w);
/* Pass err on; when something was changed before it happened, the transaction is good for a rollback only. */
int change_end(const struct change *c, int err);

/* winode.c */
/* Point at an inode in the running transaction. */
int winode_get(struct f2fs_volume *vol, f2fs_nid_t ino, struct winode *out);
/* Divide i_addr again after flags have changed, and say that the inode changed. */
void winode_touch(struct winode *w);
/* Change i_blocks by that many blocks. */
int winode_count(struct winode *w, int64_t blocks);
/* Set the change time, and with STAMP_MTIME the modification time, when the volume has a time and the rules of the
 * change allow it. */
enum stamp { STAMP_CTIME, STAMP_MTIME };
void winode_stamp(struct winode *w, enum stamp which);
/* Is a slot's block one that the last checkpoint has? */
int block_is_old(struct txn *txn, f2fs_blk_t addr, bool *is_old);
static inline uint8_t *winode_block(const struct winode *w)
{
	return w->node->block;
}

/* When contents of a file are written in place, enum f2fs_in_place: as the options say, but never during an atomic
 * write. */
static inline uint8_t winode_in_place(const struct winode *w)
{
	return w->txn->file->elsewhere == w->node->nid ? F2FS_IN_PLACE_NEVER : w->txn->vol->write.in_place;
}

/* change_trim.c */
/* Between two changes: keep memory bounded; nodes that were got before must be got again. */
int change_trim(struct txn *txn);
/* Within a change that touches many nodes: keep memory bounded; w is got again. */
int winode_breathe(struct winode *w);

/* write.c */
/* Begin a change of a regular file's contents; refuses files that cannot be written. */
int data_begin(struct change *c, struct f2fs_inode *inode, struct winode *w);
/* Move inline contents into block 0, as is done before anything that works on blocks. */
int data_convert(struct winode *w);
/* The bytes between the old end of the file and a later one may hold rubbish: make them zeros. */
int data_clear_tail(struct f2fs_inode *inode, struct winode *w, uint64_t size);
/* Fail with ACCESS when the blocks that compression saved were given back. */
int data_need_reserved(const struct winode *w);
/* Fail with UNSUPPORTED when kernels would misread blocks without contents before the offset (FORMAT files 8.1). */
int data_need_no_hole(const struct winode *w, uint64_t offset);
uint64_t data_max_size(const struct winode *w);
static inline bool winode_is_inline(const struct winode *w)
{
	return inode_has_inline(winode_block(w), FLAG_i_inline_inline_data);
}

/* map_write.c */
struct slot_ref {
	struct node *node; /* that holds the slot */
	uint8_t *raw;	   /* the slot */
	uint32_t ofs_in_node;
	uint32_t count; /* slots from here to the end of the node */
};
/* Return the owner of the block of a later slot, `behind` further. */
static inline struct owner slot_owner(const struct slot_ref *slot, uint32_t behind)
{
	return (struct owner){ .nid = slot->node->nid,
			       .ofs = (uint16_t)(slot->ofs_in_node + behind),
			       .version = slot->node->version };
}
/* Find the slot of a file block, making the nodes on the way; TOO_BIG beyond the largest file. */
int slot_make(struct winode *w, uint64_t file_block, struct slot_ref *out);
/* Find the slot of a file block without making nodes; out->node is NULL for a hole of out->count blocks. */
int slot_find(struct winode *w, uint64_t file_block, struct slot_ref *out);

/* map_cut.c */
/* Make the blocks [first, end) holes; nodes stay. */
int map_punch(struct winode *w, uint64_t first, uint64_t end);
/* Fail with NOSPC when there is no room for blocks in the holes of bytes [from, to). */
int map_need_space(struct winode *w, uint64_t from, uint64_t to);
/* Free all blocks from first on, and the nodes that only they needed. */
int map_truncate(struct winode *w, uint64_t first);

/* page_store.c, pages.c, pages_flush.c: blocks of files that were changed and wait to be written */
/* Get a block for changing; the old contents are read unless they will be overwritten (fresh: zeros). */
int page_get(struct winode *w, uint64_t file_block, bool fresh, uint8_t **out);
/* Read into a block what page_get() would give. */
int page_read(struct winode *w, uint64_t file_block, bool fresh, uint8_t *block);
/* Get a block for new contents, all of it; known: what slot_find() said of the block, or NULL. */
int page_put(struct winode *w, uint64_t file_block, const struct slot_ref *known, const uint8_t *data, uint8_t **out);
/* Change bytes [offset, offset + length) in waiting blocks; blocks that begin at or past size are empty. */
int pages_put(struct winode *w, uint64_t offset, const uint8_t *data, size_t length, uint64_t size);
/* Find a waiting block; NULL when there is none. */
const uint8_t *page_find(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block);
/* The same for readers of a handle: an inode as it once was has none. */
static inline const uint8_t *inode_page(const struct f2fs_inode *inode, uint64_t file_block)
{
	return inode->is_past ? NULL : page_find(inode->vol, inode->ino, file_block);
}
/* Does a file have any? */
bool pages_exist(const struct f2fs_volume *vol, f2fs_nid_t ino);
/* How many blocks from file_block on, of at most count, do not wait? */
uint64_t pages_gap(const struct f2fs_volume *vol, f2fs_nid_t ino, uint64_t file_block, uint64_t count);
/* Forget waiting blocks from first on, or of a range. */
void pages_forget(struct txn *txn, f2fs_nid_t ino, uint64_t first);
void pages_forget_range(struct txn *txn, f2fs_nid_t ino, uint64_t first, uint64_t count);
/* Count a hole as reserved, so that writing it later cannot fail for want of space. */
int slot_reserve(struct winode *w, struct slot_ref *slot);
/* Write one file's waiting blocks. */
int pages_flush_file(struct txn *txn, f2fs_nid_t ino);
/* At the end of a change: blocks of a pinned file do not wait, as their place is known. */
int pages_flush_pinned(struct winode *w);
/* Write all waiting blocks to their logs. */
int pages_flush(struct txn *txn);
/* Keep a dirty page for `level` more rounds. */
void page_delay(struct txn *txn, uint8_t *page, unsigned level);
/* End rounds until at most half of `most` pages wait: write the due ones. */
int pages_end_rounds(struct txn *txn, size_t most);
/* Forget all waiting blocks; their memory is kept for the next ones. */
void pages_forget_all(struct txn *txn);
/* The same at the end of a transaction: the memory goes, too. */
void pages_drop(struct txn *txn);

/* data_append.c */
/* Write blocks of data that are whole, without waiting; they replace the old ones. */
int data_append(struct winode *w, uint64_t file_block, const uint8_t *data, uint32_t count);

/* place.c: the answer of a placement */
struct placed_run {
	struct slot_ref slot; /* the first, those of the others follow it in its node */
	uint8_t log;	      /* that it went to */
	uint64_t file_block;
	uint32_t count;
	const uint8_t *data;
};
/* Write blocks, *got of them, to the stream that they belong to; 0: they go to the log. */
int place_append(struct winode *w, const struct placed_run *run, f2fs_blk_t *addr, uint32_t *got);
/* Report a written block to the placement. */
void place_written(struct winode *w, uint64_t file_block, f2fs_blk_t old, f2fs_blk_t addr);
/* May whole blocks of this file wait? */
bool place_delays(const struct winode *w);
/* Where the block of a slot is, 0 for none. */
f2fs_blk_t place_block(const struct txn *txn, const uint8_t *raw);

/* pin.c: preallocating pinned files, in blocks */
/* Widen a range to whole sections of the file. */
void pin_align(const struct winode *w, uint64_t *first, uint64_t *end);
/* Before anything is changed: fail with NOSPC when [first, end) cannot have blocks. pinned_end() in any case. */
int pin_need_space(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned);
int pin_preallocate(struct winode *w, uint64_t first, uint64_t end, struct pinned *pinned);

/* cluster_write.c: files that are compressed */
/*
 * Make the cluster of a file block ordinary: contents of a compressed one wait as pages then, and its slots are
 * reserved. Nothing happens in a file that is not compressed. Before slots of a file are changed in any way but whole
 * clusters.
 */
int cluster_open(struct f2fs_inode *inode, struct winode *w, uint64_t file_block);
/* Write bytes of a compressed file. */
int clusters_write(struct f2fs_inode *inode, struct winode *w, uint64_t offset, const uint8_t *data, size_t length);
/* Store a cluster all of whose blocks wait, if compressing saves something. */
int cluster_flush(struct winode *w, uint64_t first, bool *stored);
/* Count a compressed cluster out whose slots are about to be freed; false: its head is not counted as a block. */
bool cluster_forget(struct winode *w, const uint8_t *slots);
void clusters_drop(struct txn *txn);

/* cluster_saved.c */
/* Change i_compr_blocks, which never goes below zero. */
void cluster_count_saved(struct winode *w, int64_t change);
/*
 * Release or reserve the blocks that one compressed cluster saves; *change grows by how many the file has less or more.
 * Counted are all slots of a compressed cluster, and of a released one only those with a block.
 */
int cluster_convert(struct winode *w, uint64_t first, bool reserve, uint64_t *change);

/* cluster_set.c */
int compress_check(struct f2fs_volume *vol, const struct f2fs_compression *how);
/* Make an inode without contents compressed; how was checked. */
void compress_mark(struct winode *w, const struct f2fs_compression *how);
/* Decide about a new inode by its name and directory (may be NULL). */
void compress_new(struct winode *w, const uint8_t *parent, const char *name, size_t len);

/* write.c: f2fs_inode_write() without the effects of the volume's mode of writing */
int inode_write(struct f2fs_inode *inode, uint64_t offset, const void *data, size_t length);
struct f2fs_write_part;
/* Write several parts as one change, none of it in place as long as the transaction's elsewhere names the inode. */
int data_write_parts(struct f2fs_inode *inode, const struct f2fs_write_part *parts, size_t count);

/* fsync.c */
int inode_fsync(struct f2fs_inode *inode, unsigned flags);

/* dir_write.c */
/* A name as a directory stores it. */
struct stored_name {
	uint8_t bytes[255]; /* ciphertext in an encrypted directory */
	uint32_t len, hash;
	bool is_cipher, is_casefold; /* as its directory is */
};
/* Compute it from a name. Refuses names that no directory, or not this one, can have. */
int dir_store_name(struct winode *dir, const char *name, size_t len, struct stored_name *out);
/* Write it into the inode that it names. */
void winode_put_name(struct winode *w, const struct stored_name *name);
/* Can a directory have a name like this? */
int dir_check_name(struct winode *dir, const char *name, size_t len);
int dir_insert(struct winode *dir, const char *name, size_t len, f2fs_nid_t ino, unsigned type);
/* The same with a name as it is stored, ciphertext perhaps, and its hash. */
int dir_insert_stored(struct winode *dir, const uint8_t *name, uint32_t len, uint32_t hash, f2fs_nid_t ino,
		      unsigned type);
/* The hash of a stored name; suffix: the four bytes after a name that is encrypted and casefolded. */
int dir_hash_stored(struct winode *dir, const uint8_t *name, uint32_t len, const uint8_t *suffix, uint32_t *hash);
int dir_remove(struct winode *dir, const struct f2fs_dirent *entry);
int dir_replace(struct winode *dir, const struct f2fs_dirent *entry, f2fs_nid_t ino, unsigned type);
/* Move all entries of an inline directory into blocks. */
int dir_move_out(struct winode *dir);
/* Fill the inline area or first block of a new directory with "." and "..". */
int dir_make_empty(struct winode *dir, f2fs_nid_t parent);

/* acl_write.c */
/* Set an ACL in its system call form, and with an access ACL the permissions. */
int acl_set(struct f2fs_inode *inode, unsigned index, const uint8_t *value, size_t size);
/* Before permissions are set: the access ACL, if there is one, says the same. */
int acl_follow_mode(struct f2fs_inode *inode, struct winode *w, uint16_t mode);

/* xattr_write.c: copy a stored attribute of at most room bytes; NO_ATTR, not recorded, when there is none. */
int xattr_get_of(struct winode *w, unsigned index, const char *name, uint8_t *value, size_t room, size_t *size);
/* Rebuild the attributes with one changed; value NULL removes it. */
int xattr_put(struct winode *w, unsigned index, const char *name, const void *value, size_t size);
/* The same, and set the change time. */
int xattr_store(struct winode *w, unsigned index, const char *name, const void *value, size_t size);

/* quota_count.c, quota_write.c */
/* Count a change of an inode's blocks, or of the number of inodes, for its owner, group and project. */
int quota_charge(struct winode *w, int64_t blocks, int64_t inodes);
/* For a repair: make a new quota file of a kind, with a new inode when that is gone, with the remaining limits and
 * grace times, and without usage. kept: NULL for none. */
struct quota_rescue;
int quota_make(struct txn *txn, unsigned kind, const struct quota_rescue *kept);
/* Fill a quota file that has no blocks. */
int quota_fill(struct winode *w, unsigned kind, const struct quota_rescue *kept);
/* Change the usage of an id by bytes and inodes: of a repair. */
int quota_adjust(struct txn *txn, unsigned kind, uint32_t id, int64_t space, int64_t inodes);
/* Is this inode one of the quota files? */
bool quota_is_file(const struct f2fs_volume *vol, f2fs_nid_t ino);
/* Set limits of an id with the commit: which: the limits to set, enum f2fs_quota_limit; now: seconds since 1970. */
struct f2fs_quota;
int quota_limit(struct txn *txn, unsigned kind, unsigned which, const struct f2fs_quota *quota, int64_t now);
struct f2fs_quota_grace;
/* Set the times of grace of a kind with the commit. */
int quota_period(struct txn *txn, unsigned kind, const struct f2fs_quota_grace *grace);
/* Is usage counted now, so that quota files can be changed? */
bool quota_is_kept(const struct f2fs_volume *vol);
/* Can the quota file of a kind be changed as the running transaction says? */
int quota_check_changed(struct f2fs_inode *inode, unsigned kind);
/* Load the future contents of a quota file when the running transaction has changes for it; *bytes, which the caller
 * frees, stays as it is when there are none. */
int quota_load_changed(struct f2fs_inode *inode, unsigned kind, uint8_t **bytes, uint64_t *size);
/* Store the counts in the quota files. */
int quota_store(struct txn *txn);
void quota_drop(struct txn *txn);

/* orphan.c: inodes that have lost their last name while they are open */
/* Fail with NOSPC when a commit could not list one more. */
int orphans_need_room(const struct txn *txn);
/* Keep an inode without a name until its last handle is closed. */
int orphan_make(struct winode *w);
/* Free those whose last handle was closed. */
int orphans_free(struct txn *txn);

/* inode_free.c */
int inode_free(struct winode *w);

/* Fail with RANGE for an owner that nobody can be: the kernel cannot remove such a file from a volume with quotas. */
int owner_check(struct f2fs_context *ctx, uint32_t uid, uint32_t gid, uint32_t projid);

#endif
