/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The volume's quota files: hidden inodes named by the superblock, whose contents format/quota reads (FORMAT files
 * 9.3).
 */
#include <f2fskit/write.h>
#include <string.h>

#include "base/error.h"
#include "base/sized.h"
#include "file/data_read.h"
#include "file/inode_read.h"
#include "file/inode_sync.h"
#include "file/quota_write.h"
#include "file/write.h"
#include "format/quota.h"
#include "format/quota_walk.h"

struct quota_visit {
	struct f2fs_inode *inode;
	uint8_t *bytes; /* with the changes of the running transaction; NULL: the file as it is */
	int (*visit)(void *user, const struct f2fs_quota *quota);
	void *user;
	int result; /* of visit */
};

static int read_file(void *user, uint64_t offset, void *buf, size_t n)
{
	struct quota_visit *v = user;

	if (v->bytes) {
		memcpy(buf, v->bytes + offset, n);
		return 0;
	}
	return data_read(v->inode, offset, buf, n);
}

static int give_entry(void *user, const struct quota_entry *entry)
{
	struct quota_visit *v = user;
	const struct f2fs_quota quota = {
		.id = entry->id,
		.space_bytes = entry->space,
		.space_hard_kib = entry->space_hard,
		.space_soft_kib = entry->space_soft,
		.inodes = entry->inodes,
		.inodes_hard = entry->inodes_hard,
		.inodes_soft = entry->inodes_soft,
		.space_grace = entry->space_grace,
		.inode_grace = entry->inodes_grace,
	};

	v->result = v->visit(v->user, &quota);
	return v->result != 0 ? F2FS_ERR_CANCELED : 0;
}

static int report_damage(struct quota_visit *v, enum rule rule, const struct quota_problem *problem)
{
	return inode_corrupt(v->inode, rule, "quota block %u: %s", (unsigned)problem->block,
			     quota_problem_text(problem->kind));
}

static int open_header(struct quota_visit *v, unsigned kind, uint64_t size, struct quota_file *file)
{
	int rc = quota_open(file, read_file, v, size);

	if (rc == QUOTA_DAMAGED)
		return report_damage(v, RULE_QUOTA_HEADER, &file->last_problem);
	if (rc == 0 && (unsigned)file->type != kind)
		return inode_corrupt(v->inode, RULE_QUOTA_HEADER, "it is a %s quota file, not one of kind %s",
				     quota_type_name(file->type), quota_type_name((enum quota_type)kind));
	return rc;
}

static int visit_entries(struct quota_visit *v, unsigned kind, uint64_t size)
{
	const struct quota_visitor visitor = { .user = v, .entry = give_entry };
	struct f2fs_context *ctx = v->inode->vol->ctx;
	struct quota_file file;
	struct quota_work *work;
	int rc = open_header(v, kind, size, &file);

	if (rc != 0)
		return rc;
	work = mem_alloc(ctx, sizeof(*work));
	if (!work)
		return F2FS_ERR_NOMEM;
	rc = quota_walk(&file, work, &visitor);
	mem_free(ctx, work);
	if (rc == QUOTA_DAMAGED)
		return report_damage(v, RULE_QUOTA_TREE, &file.last_problem);
	return v->result != 0 ? v->result : rc;
}

static void close_file(struct quota_visit *v)
{
	mem_free(v->inode->vol->ctx, v->bytes);
	f2fs_inode_close(v->inode);
}

/* Open the quota file of a kind, with the running transaction's changes of it. */
static int open_file(struct f2fs_volume *vol, unsigned kind, struct quota_visit *v, uint64_t *size)
{
	f2fs_nid_t ino;
	int err;

	error_clear(vol->ctx);
	if (kind > QUOTA_PROJECT)
		return error_set(vol->ctx, F2FS_ERR_INVALID, "there is no quota of kind %u", kind);
	ino = geometry_has(&vol->geo, F2FS_FEAT_QUOTA) ? sb_qf_ino(vol->sb, kind) : 0;
	if (ino == 0)
		return error_set(vol->ctx, F2FS_ERR_NOT_FOUND, "the volume has no %s quota file",
				 quota_type_name((enum quota_type)kind));
	err = inode_open(vol, ino, &v->inode);
	if (err)
		return err;
	*size = inode_i_size(v->inode->block);
	if (inode_type(v->inode) != MODE_REG)
		err = inode_corrupt(v->inode, RULE_QUOTA_HEADER, "the %s quota file is no regular file",
				    quota_type_name((enum quota_type)kind));
	else
		err = quota_load_changed(v->inode, kind, &v->bytes, size);
	if (err)
		close_file(v);
	return err;
}

int f2fs_quota_list(struct f2fs_volume *vol, unsigned kind, int (*visit)(void *user, const struct f2fs_quota *quota),
		    void *user)
{
	struct quota_visit v = { .visit = visit, .user = user };
	uint64_t size;
	int err = open_file(vol, kind, &v, &size);

	if (err)
		return err;
	err = visit_entries(&v, kind, size);
	close_file(&v);
	return err;
}

int f2fs_quota_grace_get(struct f2fs_volume *vol, unsigned kind, struct f2fs_quota_grace *out)
{
	struct f2fs_quota_grace own = { .struct_size = sizeof(own) };
	struct quota_visit v = { .user = NULL };
	struct quota_file file;
	uint64_t size;
	int err = sized_check(vol->ctx, out, sizeof(own));

	if (!err)
		err = open_file(vol, kind, &v, &size);
	if (err)
		return err;
	err = open_header(&v, kind, size, &file);
	if (!err) {
		own.space_seconds = file.space_grace;
		own.inode_seconds = file.inodes_grace;
		sized_give(out, &own, sizeof(own));
	}
	close_file(&v);
	return err;
}
