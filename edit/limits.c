/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Quotas: quota shows use and limits, setquota sets limits, setgrace how long soft ones may be passed.
 */
#include <string.h>

#include "cli/size.h"
#include "edit/call.h"
#include "edit/commands.h"
#include "edit/failure.h"
#include "edit/paths.h"

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
	int rc = f2fs_quota_list(e->vol, kind, put_row, list);

	if (rc == F2FS_ERR_NOT_FOUND)
		return 0;
	*is_there = 1;
	if (!rc && list->has_id && !list->is_found) /* an id that owns nothing may have no entry */
		put_row(list, &(struct f2fs_quota){ .id = list->id });
	return rc ? edit_fail(e, rc, kinds[kind].name) : 0;
}

/* The times of grace of a kind. */
static int put_grace(struct edit *e, struct quota_list *list, unsigned kind, int *is_there)
{
	struct f2fs_quota_grace grace = { F2FS_SIZED(f2fs_quota_grace) };
	int rc = f2fs_quota_grace_get(e->vol, kind, &grace);

	if (rc == F2FS_ERR_NOT_FOUND)
		return 0;
	*is_there = 1;
	if (rc)
		return edit_fail(e, rc, kinds[kind].name);
	cli_print_begin(list->out, NULL);
	cli_print_string(list->out, "kind", list->kind);
	cli_print_u64(list->out, "space_seconds", grace.space_seconds);
	cli_print_u64(list->out, "inode_seconds", grace.inode_seconds);
	cli_print_end(list->out);
	return 0;
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
	static const struct cli_column grace_columns[] = { { "kind", -7 }, { "space_s", 10 }, { "inodes_s", 10 } };
	const int shows_grace = edit_has(call, 't');
	struct quota_list list = { .has_id = call->count > 0 };
	const char *why = list.has_id ? cli_parse_u32(call->operands[0], 0, UINT32_MAX - 1, &list.id) : NULL;
	int rc = 0, is_there = 0;

	if (why)
		return edit_usage(e, "quota", call->operands[0], why);
	list.out = edit_print_open(e);
	if (!list.out)
		return F2FS_ERR_NOMEM;
	if (shows_grace)
		cli_print_begin_table(list.out, "grace", grace_columns,
				      sizeof(grace_columns) / sizeof(grace_columns[0]));
	else
		cli_print_begin_table(list.out, "quota", columns, sizeof(columns) / sizeof(columns[0]));
	for (unsigned i = 0; i < KINDS && !rc; i++) {
		list.kind = kinds[i].name;
		list.is_found = 0;
		if (wants(call, i))
			rc = shows_grace ? put_grace(e, &list, i, &is_there) : put_kind(e, &list, i, &is_there);
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

/* The kind that options choose, users when none does; -1 after a message. */
static int choose_kind(struct edit *e, const struct edit_call *call)
{
	int kind = 0, count = 0;

	for (int i = 0; i < KINDS; i++) {
		if (!edit_has(call, kinds[i].letter))
			continue;
		kind = i;
		count++;
	}
	if (count <= 1)
		return kind;
	edit_usage(e, call->command->name, "-u -g -P", "contradict each other");
	return -1;
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
	unsigned which = 0;
	int rc, kind;

	if (why)
		return edit_usage(e, "setquota", call->operands[0], why);
	kind = choose_kind(e, call);
	if (kind < 0)
		return F2FS_ERR_INVALID;
	for (unsigned i = 0; i < sizeof(limits) / sizeof(limits[0]); i++) {
		const char *text = call->operands[i + 1];

		if (strcmp(text, "-") == 0)
			continue;
		why = parse_limit(text, limits[i].is_space, limits[i].value);
		if (why)
			return edit_usage(e, "setquota", text, why);
		which |= limits[i].bit;
	}
	rc = f2fs_quota_set(e->vol, (unsigned)kind, which, &quota);
	return rc ? edit_fail(e, rc, kinds[kind].name) : 0;
}

/* Parse seconds, or a number followed by a unit; - leaves the value unchanged. */
static const char *parse_period(const char *text, uint32_t *seconds)
{
	static const char units[] = "smhdw";
	static const uint32_t lengths[] = { 1, 60, 3600, 86400, 604800 };
	const size_t n = strlen(text);
	const char *unit = n > 1 ? strchr(units, text[n - 1]) : NULL;
	const uint32_t length = unit ? lengths[unit - units] : 1;
	const char *why;
	char number[16];
	uint32_t value;

	if (strcmp(text, "-") == 0)
		return NULL;
	if (n >= sizeof(number))
		return "is too large";
	memcpy(number, text, n);
	number[unit ? n - 1 : n] = '\0';
	why = cli_parse_u32(number, 0, UINT32_MAX / length, &value);
	if (!why)
		*seconds = value * length;
	return why;
}

int do_setgrace(struct edit *e, const struct edit_call *call)
{
	struct f2fs_quota_grace grace = { F2FS_SIZED(f2fs_quota_grace) };
	uint32_t *const values[] = { &grace.space_seconds, &grace.inode_seconds };
	const int kind = choose_kind(e, call);
	int rc;

	if (kind < 0)
		return F2FS_ERR_INVALID;
	rc = f2fs_quota_grace_get(e->vol, (unsigned)kind, &grace);
	for (int i = 0; i < 2 && !rc; i++) {
		const char *why = parse_period(call->operands[i], values[i]);

		if (why)
			return edit_usage(e, "setgrace", call->operands[i], why);
	}
	if (!rc)
		rc = f2fs_quota_grace_set(e->vol, (unsigned)kind, &grace);
	return rc ? edit_fail(e, rc, kinds[kind].name) : 0;
}
