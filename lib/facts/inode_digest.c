/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take an inode into the facts. Rules it breaks are reported and corrected in a copy. Then its fields are stored, and
 * its block is judged on its own.
 */
#include <string.h>

#include "base/comp.h"
#include "facts/alias.h"
#include "facts/finding.h"
#include "facts/inode_digest.h"
#include "facts/inode_mend.h"
#include "facts/inode_type.h"
#include "facts/layout_signs.h"
#include "facts/node_digest.h"
#include "facts/node_pointers.h"
#include "facts/xattr_judge.h"
#include "file/cluster_shown.h"
#include "file/object.h"
#include "format/superblock.h"

#define MAX_MENDS 16u

static int raise_inode(struct checker *c, enum problem problem, const struct nid_fact *fact, uint64_t found,
		       uint64_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = (uint16_t)problem,
						   .nid = fact->nid,
						   .ino = fact->nid,
						   .has_block = 1,
						   .block = fact->addr,
						   .has_values = 1,
						   .found = found,
						   .expected = expected });
}

static int raise_mode(struct checker *c, const struct nid_fact *fact, uint16_t found, uint16_t expected)
{
	return problem_raise(c, &(struct finding){ .problem = P_INODE_MODE,
						   .rule = RULE_INODE_MODE,
						   .nid = fact->nid,
						   .ino = fact->nid,
						   .has_block = 1,
						   .block = fact->addr,
						   .has_values = 1,
						   .found = found,
						   .expected = expected,
						   .text = type_name(expected) });
}

/* Give the copy a mode with a type, if it has none or another was decided. */
static int mend_mode(struct checker *c, const struct nid_fact *fact, uint8_t *copy)
{
	const uint16_t found = inode_i_mode(copy);
	uint16_t mode = found;

	if (type_is_decided(c, fact->nid, &mode))
		inode_set_i_mode(copy, mode);
	else if (f2fs_type_of_mode(found) == 0)
		inode_mend(&c->plain, copy, fact->nid, RULE_INODE_MODE);
	else
		return 0;
	return raise_mode(c, fact, found, inode_i_mode(copy));
}

/* The value that a rule is about, for the message. */
static uint64_t value_of(const uint8_t *block, enum rule rule)
{
	switch (rule) {
	case RULE_INODE_XATTR_NID:
		return inode_i_xattr_nid(block);
	case RULE_INODE_EXTRA:
		return extra_i_extra_isize(inode_extra(block));
	case RULE_INODE_INLINE_XATTR:
		return extra_i_inline_xattr_size(inode_extra(block));
	case RULE_INODE_INLINE_DATA:
		return inode_i_size(block);
	case RULE_INODE_EXTENT:
		return inode_i_ext_blk(block);
	case RULE_DIR_DEPTH:
		return inode_i_current_depth(block);
	default:
		return 0;
	}
}

/* Correct fields of the copy that contradict the clusters, and report that. */
static int mend_packing(struct checker *c, const struct nid_fact *fact, uint8_t *copy)
{
	const uint8_t *extra = inode_extra(copy);
	bool is_changed;
	int err;

	if (!packing_is_doubtful(c->geo, copy))
		return 0;
	err = packing_correct(c->vol, copy, &is_changed);
	if (err || !is_changed)
		return err;
	return problem_raise(c, &(struct finding){ .problem = P_INODE_PACKING,
						   .nid = fact->nid,
						   .ino = fact->nid,
						   .has_block = 1,
						   .block = fact->addr,
						   .has_values = 1,
						   .expected = 1u << extra_i_log_cluster_size(extra),
						   .text = comp_name(extra_i_compress_algorithm(extra)) });
}

/* Report and correct each broken rule in turn. *block becomes the corrected copy. */
static int mend(struct checker *c, const struct nid_fact *fact, const uint8_t **block)
{
	enum rule rule;
	int err;

	if (!c->scratch)
		c->scratch = mem_alloc(c->ctx, c->geo->block_size);
	if (!c->scratch)
		return F2FS_ERR_NOMEM;
	memcpy(c->scratch, *block, c->geo->block_size);
	*block = c->scratch;
	err = mend_mode(c, fact, c->scratch); /* other rules depend on the type */
	rule = inode_misread(c->geo, c->scratch);
	if (!err && rule) {
		err = raise_inode(c, problem_of_rule(rule), fact, inode_i_size(c->scratch), 0);
		inode_mend_misread(c->scratch);
	}
	if (!err)
		err = mend_packing(c, fact, c->scratch);
	rule = inode_check(&c->plain, c->scratch, fact->nid, 0);
	for (unsigned i = 0; rule && i < MAX_MENDS && !err; i++) {
		enum problem problem = problem_of_rule(rule);

		if (problem)
			err = raise_inode(c, problem, fact, value_of(c->scratch, rule), 0);
		if (!inode_mend(&c->plain, c->scratch, fact->nid, rule))
			break;
		rule = inode_check(&c->plain, c->scratch, fact->nid, 0);
	}
	return err;
}

bool inode_is_hidden(const struct checker *c, f2fs_nid_t ino)
{
	for (unsigned kind = 0; kind < sb_COUNT_qf_ino && geometry_has(c->geo, F2FS_FEAT_QUOTA); kind++)
		if (sb_qf_ino(c->vol->sb, kind) == ino)
			return true;
	return false;
}

static void keep_fields(struct checker *c, struct inode_fact *inode, const uint8_t *block)
{
	const uint8_t *extra = inode_extra(block);
	struct inode_layout layout;

	inode_layout(c->geo, block, &layout);
	inode->pino = inode_i_pino(block);
	inode->mode = inode_i_mode(block);
	inode->type = (uint8_t)f2fs_type_of_mode(inode->mode);
	inode->advise = inode_i_advise(block);
	inode->inlines = inode_i_inline(block);
	inode->iflags = inode_i_flags(block);
	inode->slots = (uint16_t)layout.slots;
	inode->node_slots = (uint16_t)layout.node_slots;
	inode->cluster_blocks = (uint16_t)layout.cluster_blocks;
	inode->uid = inode_i_uid(block);
	inode->gid = inode_i_gid(block);
	inode->links = inode_i_links(block);
	inode->size = inode_i_size(block);
	inode->blocks = inode_i_blocks(block);
	if (inode_has_extra(block, extra_OFS_i_projid + 4))
		inode->projid = extra_i_projid(extra);
	if (layout.is_compressed)
		inode->compr_blocks =
			extra_i_compr_blocks(extra) > UINT32_MAX ? UINT32_MAX : (uint32_t)extra_i_compr_blocks(extra);
	if (inode->type == F2FS_TYPE_DIRECTORY) {
		inode->dir_level = inode_i_dir_level(block);
		inode->depth = inode_i_current_depth(block);
		if ((inode->iflags & FLAG_i_flags_casefold) && !(inode->advise & FLAG_i_advise_encrypt) &&
		    geometry_has(c->geo, F2FS_FEAT_CASEFOLD) &&
		    (sb_s_encoding_flags(c->vol->sb) & FLAG_s_encoding_flags_strict))
			inode->state |= INODE_STRICT;
	}
	inode->ext_fofs = inode_i_ext_fofs(block);
	inode->ext_blk = inode_i_ext_blk(block);
	inode->ext_len = inode_i_ext_len(block);
	if (inode->uid == NOBODY_ID)
		inode->uid = OVERFLOW_ID; /* as a repair leaves it, for the quotas */
	if (inode->gid == NOBODY_ID)
		inode->gid = OVERFLOW_ID;
	if (inode->projid == NOBODY_ID)
		inode->projid = 0;
	if (inode_is_hidden(c, inode->ino))
		inode->state |= INODE_HIDDEN;
	alias_judge(c, inode, block);
}

static int check_times(struct checker *c, const struct nid_fact *fact, const uint8_t *block)
{
	const uint32_t times[] = { inode_i_atime_nsec(block), inode_i_ctime_nsec(block), inode_i_mtime_nsec(block) };

	for (unsigned i = 0; i < sizeof(times) / sizeof(times[0]); i++)
		if (times[i] >= INODE_NSECS)
			return raise_inode(c, P_INODE_TIME, fact, times[i], 0);
	return 0;
}

static int check_owner(struct checker *c, const struct nid_fact *fact, const uint8_t *block)
{
	const bool has_project =
		geometry_has(c->geo, F2FS_FEAT_PROJECT_QUOTA) && inode_has_extra(block, extra_OFS_i_projid + 4);
	const struct {
		uint32_t id;
		const char *name;
	} owners[] = {
		{ inode_i_uid(block), "user" },
		{ inode_i_gid(block), "group" },
		{ has_project ? extra_i_projid(inode_extra(block)) : 0, "project" },
	};
	int err = 0;

	for (uint32_t i = 0; i < sizeof(owners) / sizeof(owners[0]) && !err; i++)
		if (owners[i].id == NOBODY_ID)
			err = problem_raise(c, &(struct finding){ .problem = P_INODE_OWNER,
								  .nid = fact->nid,
								  .ino = fact->nid,
								  .has_values = 1,
								  .found = owners[i].id,
								  .slot = i,
								  .text = owners[i].name });
	return err;
}

/* A flag that needs a feature which is off. */
static int check_flags(struct checker *c, const struct nid_fact *fact, const struct inode_fact *inode)
{
	const struct {
		bool is_set;
		uint32_t feature;
		const char *name;
	} needs[] = {
		{ (inode->iflags & FLAG_i_flags_compr) != 0, F2FS_FEAT_COMPRESSION, "compression" },
		{ (inode->advise & FLAG_i_advise_encrypt) != 0, F2FS_FEAT_ENCRYPT, "encryption" },
		{ (inode->advise & FLAG_i_advise_verity) != 0, F2FS_FEAT_VERITY, "verity" },
		{ (inode->iflags & FLAG_i_flags_casefold) != 0 && inode->type != F2FS_TYPE_DIRECTORY, 0,
		  "case-insensitivity of a directory" },
		{ (inode->iflags & FLAG_i_flags_device_alias) != 0 && !(inode->state & INODE_ALIAS), 0,
		  "the mark of a device alias" },
		/* Linux wants to drop the blocks when the file is opened, and fails */
		{ (inode->advise & FLAG_i_advise_trunc) != 0 && geometry_has(c->geo, F2FS_FEAT_RO), 0,
		  "the mark of an unfinished write" },
	};
	int err = 0;

	for (unsigned i = 0; i < sizeof(needs) / sizeof(needs[0]) && !err; i++)
		if (needs[i].is_set && !geometry_has(c->geo, needs[i].feature))
			err = problem_raise(c, &(struct finding){ .problem = P_FEATURE_FLAG,
								  .nid = fact->nid,
								  .ino = fact->nid,
								  .text = needs[i].name });
	return err;
}

/* Numbers that the kernel does not look at, or bears. */
static int check_numbers(struct checker *c, const struct nid_fact *fact, const struct inode_fact *inode,
			 const uint8_t *block)
{
	const uint64_t most = node_max_file_blocks(c->geo, inode->node_slots) << c->geo->block_bits;
	int err = check_times(c, fact, block);

	if (!err)
		err = check_owner(c, fact, block);
	if (!err && inode->size > most && !(inode->state & INODE_ALIAS))
		err = raise_inode(c, P_INODE_SIZE, fact, inode->size, most);
	if (!err && inode_i_namelen(block) > NAME_MAX_BYTES)
		err = raise_inode(c, P_INODE_NAMELEN, fact, inode_i_namelen(block), NAME_MAX_BYTES);
	if (!err && inode->type == F2FS_TYPE_REGULAR && (inode_i_current_depth(block) & 0xffff) != 0)
		err = raise_inode(c, P_INODE_GC_FAILURES, fact, inode_i_current_depth(block) & 0xffff, 0);
	if (!err && inode->type == F2FS_TYPE_SYMLINK && inode->links != 0 &&
	    (inode->size == 0 || inode->size > c->geo->block_size))
		err = raise_inode(c, P_SYMLINK_SIZE, fact, inode->size, 0);
	return err ? err : check_flags(c, fact, inode);
}

static int judge_inline_xattrs(struct checker *c, struct inode_fact *inode, const uint8_t *block)
{
	struct inode_layout layout;

	if (inode_i_xattr_nid(block) != 0) { /* both parts are looked at together */
		inode->state |= INODE_XATTRS;
		return 0;
	}
	if (inode->advise & FLAG_i_advise_verity)
		inode->state |= INODE_XATTRS;
	inode_layout(c->geo, block, &layout);
	return xattrs_judge(c, inode, block + layout.xattr_offset, layout.xattr_size);
}

/* Is the mode none, or one of a file while there is every sign of a directory? */
static bool has_odd_type(const uint8_t *block)
{
	const unsigned type = f2fs_type_of_mode(inode_i_mode(block));

	return type == F2FS_TYPE_UNKNOWN ||
	       (type != F2FS_TYPE_DIRECTORY && inode_has_inline(block, FLAG_i_inline_inline_dentry) &&
		(inode_i_flags(block) & FLAG_i_flags_index));
}

int inode_digest(struct checker *c, struct nid_fact *fact, const uint8_t *block, uint32_t judged,
		 struct inode_fact *own, struct inode_fact **out)
{
	const bool is_odd = has_odd_type(block);
	const uint8_t *const stored = block;
	struct inode_fact *inode = own;
	uint16_t decided;
	const bool is_decided = type_is_decided(c, fact->nid, &decided);
	int err = 0;

	if (c->is_recount) { /* not judged again: broken rules are corrected silently */
		judged = (uint32_t)inode_misread(c->geo, block);
		if (!judged)
			judged = (uint32_t)inode_check(&c->plain, block, fact->nid, 0);
	} else {
		fact->kind = FACT_INODE;
		evidence_add(&c->evidence, c->geo, block);
		if (!geometry_has(c->geo, F2FS_FEAT_INODE_CHECKSUM))
			evidence_sum(&c->evidence, c->geo, block, c->vol->checksum_seed);
	}
	if (is_decided && !(judged & JUDGED_RULE))
		judged |= RULE_INODE_MODE;
	if (judged & JUDGED_BAD_SUM)
		err = raise_inode(c, P_INODE_CHECKSUM, fact, extra_i_inode_checksum(inode_extra(block)),
				  inode_checksum(c->geo, block, c->vol->checksum_seed));
	if (!err && ((judged & JUDGED_RULE) || packing_is_doubtful(c->geo, block)))
		err = mend(c, fact, &block);
	if (err)
		return err;
	if (!inode)
		inode = c->is_recount ? facts_inode_at(&c->facts, fact->inode) : facts_add_inode(&c->facts, fact);
	if (!inode)
		return F2FS_ERR_NOMEM;
	*out = inode;
	if (c->is_recount)
		return pointers_digest(c, fact, inode, block);
	inode->ino = fact->nid;
	inode->state |=
		(uint16_t)((judged & JUDGED_RULE ? INODE_MENDED : 0) | (judged & JUDGED_BAD_SUM ? INODE_BAD_SUM : 0));
	if (is_decided)
		inode->state |= INODE_RETYPED;
	else if (is_odd)
		inode->state |= INODE_GUESSED;
	keep_fields(c, inode, block);
	if (block != stored) /* it was corrected since */
		judged &= ~(uint32_t)(JUDGED_LOOKED | JUDGED_NO_XATTRS);
	if (judged & JUDGED_LOOKED ? judged & JUDGED_ODD : layout_is_odd(c->geo, block))
		inode->state |= INODE_ODD;
	err = check_numbers(c, fact, inode, block);
	if (!err && !(judged & JUDGED_NO_XATTRS))
		err = judge_inline_xattrs(c, inode, block);
	return err ? err : pointers_digest(c, fact, inode, block);
}
