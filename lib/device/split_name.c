/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Count through the names of parts. Digits grow by one more when there is no larger number; letters end with zz.
 */
#include "device/split_name.h"

#include <string.h>
#include <unistd.h>

#include "base/context.h"
#include "base/error.h"
#include "device/open.h"

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
	return c >= 'a' && c <= 'z';
}

bool split_name_is_raw(const char *name, struct split_number *number)
{
	const char *dot = strrchr(name, '.');

	if (!dot || (strcmp(dot, ".000") != 0 && strcmp(dot, ".001") != 0 && strcmp(dot, ".aa") != 0))
		return false;
	number->start = (size_t)(dot + 1 - name);
	number->length = strlen(dot + 1);
	return true;
}

bool split_name_is_sparse(const char *name, struct split_number *number)
{
	const char *base = strrchr(name, '/');
	size_t first = base ? (size_t)(base + 1 - name) : 0, end = strlen(name), start;

	while (end > first && !is_digit(name[end - 1]))
		end--;
	for (start = end; start > first && is_digit(name[start - 1]);)
		start--;
	number->start = start;
	number->length = end - start;
	for (size_t i = start; i + 1 < end; i++)
		if (name[i] != '0')
			return false;
	return end > start && name[end - 1] <= '1';
}

/* Count up the digits or letters at text; false when they are the last ones. */
static bool count_up(char *text, size_t length)
{
	for (size_t i = length; i-- > 0;) {
		const char last = is_letter(text[i]) ? 'z' : '9';

		if (text[i] != last) {
			text[i]++;
			return true;
		}
		text[i] = is_letter(text[i]) ? 'a' : '0';
	}
	return false;
}

char *split_name_next(struct f2fs_context *ctx, const char *name, struct split_number *number)
{
	const size_t length = strlen(name);
	char *next = mem_alloc(ctx, length + 2);

	if (!next)
		return NULL;
	memcpy(next, name, length + 1);
	if (count_up(next + number->start, number->length))
		return next;
	if (is_letter(name[number->start])) {
		mem_free(ctx, next);
		return NULL;
	}
	memmove(next + number->start + 1, next + number->start, length + 1 - number->start);
	next[number->start] = '1';
	number->length++;
	return next;
}

/* Is there a part after the one that is missing? */
static int refuse_gap(struct f2fs_context *ctx, const char *name, const struct split_number *number)
{
	struct split_number after = *number;
	char *later = split_name_next(ctx, name, &after);
	int err = ctx->error.code == F2FS_ERR_NOMEM ? F2FS_ERR_NOMEM : F2FS_ERR_NOT_FOUND;

	if (later && access(later, F_OK) == 0)
		err = error_set(ctx, F2FS_ERR_INVALID, "the part %s is missing, and %s is there", name, later);
	mem_free(ctx, later);
	return err;
}

int split_name_open(struct f2fs_context *ctx, const char *name, const struct split_number *number,
		    struct f2fs_device **out)
{
	const int err = access(name, F_OK) == 0 ? device_open_host(ctx, name, F2FS_OPEN_READ, out) : F2FS_ERR_NOT_FOUND;

	return err == F2FS_ERR_NOT_FOUND ? refuse_gap(ctx, name, number) : err;
}
