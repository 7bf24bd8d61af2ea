/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The quota files.
 */
#include "dump/session.h"
#include "dump/views.h"

struct quota_view {
	struct cli_print *out;
	const char *kind;
};

static int put_quota(void *user, const struct f2fs_quota *q)
{
	const struct quota_view *v = user;

	cli_print_begin(v->out, NULL);
	cli_print_string(v->out, "kind", v->kind);
	cli_print_u64(v->out, "id", q->id);
	cli_print_u64(v->out, "space_bytes", q->space_bytes);
	cli_print_u64(v->out, "space_soft_kib", q->space_soft_kib);
	cli_print_u64(v->out, "space_hard_kib", q->space_hard_kib);
	cli_print_u64(v->out, "inodes", q->inodes);
	cli_print_u64(v->out, "inodes_soft", q->inodes_soft);
	cli_print_u64(v->out, "inodes_hard", q->inodes_hard);
	cli_print_u64(v->out, "space_grace", q->space_grace);
	cli_print_u64(v->out, "inode_grace", q->inode_grace);
	cli_print_end(v->out);
	return 0;
}

int view_quota(struct dump *d, const char *argument)
{
	static const struct cli_column columns[] = { { "kind", -7 },	    { "id", 10 },	  { "bytes", 14 },
						     { "soft_kib", 12 },    { "hard_kib", 12 },	  { "inodes", 10 },
						     { "soft_inodes", 11 }, { "hard_inodes", 11 } };
	static const char *const kinds[] = { "user", "group", "project" };
	unsigned found = 0;
	int worst = 0;

	(void)argument;
	cli_print_begin_table(d->out, "quota", columns, 8);
	for (unsigned i = 0; i < 3; i++) {
		struct quota_view v = { d->out, kinds[i] };
		int rc = f2fs_quota_list(d->vol, i, put_quota, &v);

		if (rc != F2FS_ERR_NOT_FOUND)
			found++;
		if (rc && rc != F2FS_ERR_NOT_FOUND)
			worst = dump_fail(d, rc, kinds[i]);
	}
	cli_print_end_array(d->out);
	if (found > 0)
		return worst;
	cli_error(&d->cli, "the volume has no quota files");
	d->status |= DUMP_MISSING;
	return F2FS_ERR_NOT_FOUND;
}
