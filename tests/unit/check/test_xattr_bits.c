/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * One wrong bit in the heads of a list of attributes: where the list as a whole shows it, the bit is turned back.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/bytes.h"
#include "facts/xattr_bits.h"
#include "format/flags.h"
#include "format/xattr.h"

#define ROOM 400u

static uint8_t list[ROOM], damaged[ROOM];
static uint32_t end;
static struct f2fs_context *ctx;
static const struct f2fs_geometry geo = { .block_size = 4096, .block_bits = 12 };

static void add(unsigned index, const char *name, const void *value, unsigned size)
{
	const size_t length = strlen(name);

	list[end] = (uint8_t)index;
	list[end + 1] = (uint8_t)length;
	put_le16(list + end + 2, (uint16_t)size);
	memcpy(list + end + 4, name, length);
	memcpy(list + end + 4 + length, value, size);
	end += ((uint32_t)(4 + length + size) + 3) & ~3u;
}

static void begin(void)
{
	memset(list, 0, sizeof(list));
	put_le32(list, XATTR_MAGIC);
	end = xhead_SIZE;
}

/* Flip each bit of some bytes: which are turned back, a bit each. The list is as before then. */
static uint64_t turned_back(uint32_t at, unsigned count, unsigned advise)
{
	uint64_t right = 0;

	for (unsigned bit = 0; bit < 8 * count; bit++) {
		uint32_t byte = 0;

		memcpy(damaged, list, sizeof(list));
		damaged[at + bit / 8] ^= (uint8_t)(1u << bit % 8);
		if (!xattr_correct(ctx, &geo, damaged, sizeof(damaged), advise, &byte))
			continue;
		assert_int_equal(byte, at + bit / 8);
		assert_memory_equal(damaged, list, sizeof(list));
		right |= (uint64_t)1 << bit;
	}
	return right;
}

static void lengths(void **state)
{
	uint8_t value[200];

	(void)state;
	memset(value, 1, sizeof(value));
	begin();
	add(XATTR_USER, "large", value, sizeof(value));
	add(XATTR_SECURITY, "selinux", "label", 6);
	assert_int_equal(turned_back(0, 4, 0), 0xffffffff);
	/* the value's low bits stay within its padding, a bit of the name may do as well as one of the value */
	assert_int_equal(turned_back(xhead_SIZE, 4, 0) >> 18, 0x3fd2);
	assert_int_equal(turned_back(end - 20 + 2, 2, 0) >> 3, 0x1fe0);
	/* where all is right nothing is done */
	memcpy(damaged, list, sizeof(list));
	assert_true(xattrs_are_sound(ctx, &geo, damaged, sizeof(damaged), 0));
	assert_false(xattr_correct(ctx, &geo, damaged, sizeof(damaged), 0, &end));
	assert_memory_equal(damaged, list, sizeof(list));
	/* two wrong bits are not one */
	damaged[xhead_SIZE + 3] ^= 0x80;
	damaged[0] ^= 1;
	assert_false(xattr_correct(ctx, &geo, damaged, sizeof(damaged), 0, &end));
}

static void contexts(void **state)
{
	static const uint8_t context[40] = { 2, 1, 4, 3, 0, 0, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 };
	const uint32_t head = xhead_SIZE + 4 + 1;

	(void)state;
	begin();
	add(XATTR_ENCRYPTION, "c", context, sizeof(context));
	add(XATTR_USER, "mark", "x", 1);
	assert_int_equal(turned_back(xhead_SIZE, 4, FLAG_i_advise_encrypt), 0xffffffff);
	/* version, both modes but for a pair that is as near, flags that are not known, the size of data units */
	assert_int_equal(turned_back(head, 5, FLAG_i_advise_encrypt) & ~(uint64_t)0x1f000000, 0xffe0fdfbff);
	/* without the mark the context is no less right */
	memcpy(damaged, list, sizeof(list));
	assert_true(xattrs_are_sound(ctx, &geo, damaged, sizeof(damaged), 0));
}

static void verity(void **state)
{
	static const uint8_t place[16] = { 1 };

	(void)state;
	begin();
	add(XATTR_VERITY, "v", place, sizeof(place));
	assert_int_equal(turned_back(xhead_SIZE, 4, FLAG_i_advise_verity), 0xffffffff);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lengths),
		cmocka_unit_test(contexts),
		cmocka_unit_test(verity),
	};
	int failed;

	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	failed = cmocka_run_group_tests(tests, NULL, NULL);
	f2fs_context_close(ctx);
	return failed;
}
