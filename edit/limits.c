/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quotas: quota shows use and limits, setquota sets limits.
 */
#include <string.h>

#include "cli/size.h"
#include "edit/edit.h"

enum { KINDS = 3 };

static const struct {
	char letter;
	const char *name;
} kinds[KINDS] = { { 'u', "user" }, { 'g', "group" }, { 'P', "project" } };

struct quota_list {
	struct cli_print *out;
	const char *kind;
	int has_id, is_found;
	uint32_t id;
};

static int put_row(void *user, const struct f2fs_quota *q)
{
	struct quota_list *list = user;
	const struct {
		const char *name;
		uint64_t value;
	} numbers[] = {
		{ "id", q->id },
		{ "space_kib", (q->space_bytes + 1023) / 1024 },
		{ "space_soft_kib", q->space_soft_kib },
		{ "space_hard_kib", q->space_hard_kib },
		{ "space_grace", q->space_grace },
		{ "inodes", q->inodes },
		{ "inodes_soft", q->inodes_soft },
		{ "inodes_hard", q->inodes_hard },
		{ "inode_grace", q->inode_grace },
	};

	if (list->has_id && q->id != list->id)
		return 0;
	list->is_found = 1;
	cli_print_begin(list->out, NULL);
	cli_print_string(list->out, "kind", list->kind);
	for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++)
		cli_print_u64(list->out, numbers[i].name, numbers[i].value);
	cli_print_end(list->out);
	return 0;
}

/* The rows of a kind; *is_there: the volume has that quota file. */
static int put_kind(struct edit *e, struct quota_list *list, unsigned kind, int *is_there)
{
	int rc = f2fs_quota_each(e->vol, kind, put_row, list);

	if (rc == F2FS_ERR_NOT_FOUND)
		return 0;
	*is_there = 1;
	if (!rc && list->has_id && !list->is_found) /* who owns nothing may have no entry */
		put_row(list, &(struct f2fs_quota){ .id = list->id });
	return rc ? edit_fail(e, rc, kinds[kind].name) : 0;
}

/* Which kinds were asked for; none: all. */
static int wants(const struct edit_call *call, unsigned kind)
{
	int is_any = 0;

	for (unsigned i = 0; i < KINDS; i++)
		is_any |= edit_has(call, kinds[i].letter);
	return !is_any || edit_has(call, kinds[kind].letter);
}

int do_quota(struct edit *e, const struct edit_call *call)
{
	static const struct cli_column columns[] = {
		{ "kind", -7 },	 { "id", 10 },	   { "used_kib", 12 },
		{ "soft_kib", 12 }, { "hard_kib", 12 }, { "until", 11 },
		{ "inodes", 10 }, { "soft_inodes", 11 }, { "hard_inodes", 11 },
		{ "until", 11 },
	};
	struct quota_list list = { .has_id = call->count > 0 };
	const char *why = list.has_id ? cli_parse_u32(call->operands[0], 0, UINT32_MAX - 1, &list.id) : NULL;
	int rc = 0, is_there = 0;

	if (why)
		return edit_usage(e, "quota", call->operands[0], why);
	list.out = edit_print_open(e);
	if (!list.out)
		return F2FS_ERR_NOMEM;
	cli_print_begin_table(list.out, "quota", columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < KINDS && !rc; i++) {
		list.kind = kinds[i].name;
		list.is_found = 0;
		rc = wants(call, i) ? put_kind(e, &list, i, &is_there) : 0;
	}
	cli_print_end_array(list.out);
	if (edit_print_close(e, list.out) || rc)
		return rc ? rc : F2FS_ERR_IO;
	if (is_there)
		return 0;
	cli_error(&e->cli, "the volume has no such quota file (mkfs.f2fs -O quota, project_quota)");
	e->status = e->status ? e->status : EDIT_MISSING;
	return F2FS_ERR_NOT_FOUND;
}

/* A limit: - leaves it as it is. Of space: KiB, or a size with a suffix. */
static const char *parse_limit(const char *text, int is_space, uint64_t *value)
{
	const char *why;

	if (!is_space)
		return cli_parse_u64(text, 0, F2FS_QUOTA_INODES_MAX, value);
	why = cli_parse_size(text, 1024, 512, value);
	*value = *value / 1024 + (*value % 1024 != 0);
	return why;
}

int do_setquota(struct edit *e, const struct edit_call *call)
{
	struct f2fs_quota quota = { 0 };
	const struct {
		uint64_t *value;
		unsigned bit;
		int is_space;
	} limits[] = {
		{ &quota.space_soft_kib, F2FS_QUOTA_SPACE_SOFT, 1 },
		{ &quota.space_hard_kib, F2FS_QUOTA_SPACE_HARD, 1 },
		{ &quota.inodes_soft, F2FS_QUOTA_INODES_SOFT, 0 },
		{ &quota.inodes_hard, F2FS_QUOTA_INODES_HARD, 0 },
	};
	const char *why = cli_parse_u32(call->operands[0], 0, UINT32_MAX - 1, &quota.id);
	unsigned which = 0, kind = 0, count = 0;
	int rc;

	if (why)
		return edit_usage(e, "setquota", call->operands[0], why);
	for (unsigned i = 0; i < KINDS; i++) {
		if (!edit_has(call, kinds[i].letter))
			continue;
		kind = i;
		count++;
	}
	if (count > 1)
		return edit_usage(e, "setquota", "-u -g -P", "contradict each other");
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const char *text = call->operands[i + 1];

		if (strcmp(text, "-") == 0)
			continue;
		why = parse_limit(text, limits[i].is_space, limits[i].value);
		if (why)
			return edit_usage(e, "setquota", text, why);
		which |= limits[i].bit;
	}
	rc = f2fs_quota_set(e->vol, kind, which, &quota);
	return rc ? edit_fail(e, rc, kinds[kind].name) : 0;
}
