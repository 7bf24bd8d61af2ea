/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * What the run tells its caller: problems, attributes that got lost, progress; and the counts of them.
 */
#include <errno.h>
#include <string.h>

#include "sink/extract.h"

#define PROGRESS_STEP 256u

int extract_stopped(struct extract *x)
{
	return error_set(x->ctx, F2FS_ERR_CANCELED, "stopped by the caller");
}

static int tell(struct extract *x, int kind, bool is_counted, const struct extract_place *place)
{
	struct f2fs_extract_problem problem = {
		.kind = kind,
		.is_counted = is_counted,
		.what = place->what ? place->what : "",
		.ino = place->ino,
		.detail = &x->ctx->error,
	};
	int err;

	if (is_counted)
		x->result.problems++;
	if (!x->options->problem) {
		log_message(x->ctx, F2FS_LOG_WARNING, "%s", x->ctx->error.message);
		return 0;
	}
	err = extract_shown_path(x, &x->report_path, place->dir, place->name);
	if (err)
		return err;
	problem.path = x->report_path.items;
	return x->options->problem(x->options->user, &problem) ? extract_stopped(x) : 0;
}

int extract_problem(struct extract *x, int kind, const struct extract_place *place)
{
	return tell(x, kind, true, place);
}

int extract_remark(struct extract *x, int kind, const struct extract_place *place)
{
	return tell(x, kind, false, place);
}

int extract_attribute_lost(struct extract *x, unsigned bit, const struct extract_place *place)
{
	x->result.attributes_lost++;
	return tell(x, F2FS_PROBLEM_ATTRIBUTE, (x->require & bit) != 0, place);
}

bool extract_is_fatal(int sys_errno)
{
	switch (sys_errno) {
	case ENOSPC:
	case EDQUOT:
	case EIO:
	case EROFS:
	case ENOMEM:
	case EMFILE:
	case ENFILE:
	case EPIPE:
		return true;
	default:
		return false;
	}
}

int extract_progress(struct extract *x)
{
	x->progress.done = x->inodes_done;
	if (x->inodes_done % PROGRESS_STEP)
		return 0;
	return progress_report(x->ctx, &x->progress);
}

int extract_check_limit(struct extract *x)
{
	if (!x->options->max_bytes || x->bytes_planned <= x->options->max_bytes)
		return 0;
	return error_set(x->ctx, F2FS_ERR_TOO_BIG, "more than %llu bytes of contents",
			 (unsigned long long)x->options->max_bytes);
}

/* The enum f2fs_keep bit of an attribute's class, 0 for one that is nobody's to set. */
static unsigned xattr_class(const struct f2fs_xattr *xattr)
{
	static const struct {
		const char *prefix;
		unsigned bit;
	} classes[] = {
		{ "user.", F2FS_KEEP_USER },
		{ "trusted.", F2FS_KEEP_TRUSTED },
		{ "security.", F2FS_KEEP_SECURITY },
		{ "system.posix_acl_", F2FS_KEEP_ACL },
	};

	for (size_t i = 0; i < sizeof(classes) / sizeof(classes[0]); i++)
		if (!strncmp(xattr->name, classes[i].prefix, strlen(classes[i].prefix)))
			return classes[i].bit;
	return 0;
}

bool extract_has_xattrs(const struct f2fs_inode *inode)
{
	const uint8_t *area = inode->block + inode->layout.xattr_offset;

	if (inode_i_xattr_nid(inode->block))
		return true;
	/* the kernel gives new files a header without entries: nothing is lost */
	return inode->layout.xattr_size >= xhead_SIZE + 4 && get_le32(area + xhead_SIZE);
}

int extract_xattr_next(struct extract *x, struct f2fs_inode *inode, unsigned *index, struct f2fs_xattr *out,
		       unsigned *bit)
{
	int err;

	if (*index == 0 && !extract_has_xattrs(inode))
		return F2FS_ERR_NO_ATTR;
	while ((err = f2fs_xattr_at(inode, (*index)++, out)) == 0) {
		*bit = xattr_class(out);
		if (!out->is_internal && extract_keeps(x, *bit))
			return 0;
	}
	if (err == F2FS_ERR_NO_ATTR && (err = f2fs_xattr_count(inode)) >= 0)
		err = F2FS_ERR_NO_ATTR;
	return err;
}
