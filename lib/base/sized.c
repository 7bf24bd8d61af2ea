/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Take structs from callers and fill theirs, whatever version they were built with. The first member is the size of
 * the struct, a uint32_t.
 */
#include "base/sized.h"

#include <string.h>

#include "base/context.h"
#include "base/error.h"

static uint32_t size_of(const void *sized)
{
	uint32_t size;

	memcpy(&size, sized, sizeof(size));
	return size;
}

bool sized_is_known(const void *given, size_t size)
{
	return !given || (size_of(given) > sizeof(uint32_t) && size_of(given) <= size);
}

void sized_copy(void *own, size_t size, const void *given)
{
	const uint32_t all = (uint32_t)size;

	memset(own, 0, size);
	if (given)
		memcpy(own, given, size_of(given));
	memcpy(own, &all, sizeof(all));
}

int sized_check(struct f2fs_context *ctx, const void *given, size_t size)
{
	if (sized_is_known(given, size))
		return 0;
	if (size_of(given) <= sizeof(uint32_t))
		return error_set(ctx, F2FS_ERR_INVALID, "a struct was not begun with F2FS_SIZED: its struct_size is %u",
				 (unsigned)size_of(given));
	return error_set(ctx, F2FS_ERR_INVALID,
			 "a struct has %u bytes, this library knows %u: it is older than the program",
			 (unsigned)size_of(given), (unsigned)size);
}

int sized_take(struct f2fs_context *ctx, void *own, size_t size, const void *given)
{
	int err = sized_check(ctx, given, size);

	if (!err)
		sized_copy(own, size, given);
	return err;
}

void sized_give(void *given, const void *own, size_t size)
{
	const size_t head = sizeof(uint32_t);

	if (given && sized_is_known(given, size))
		memcpy((uint8_t *)given + head, (const uint8_t *)own + head, size_of(given) - head);
}
