/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Elements of a chunked array begin with zeros and stay where they are. */
#include "base/chunks.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#define COUNT 5000u
#define RESERVED 3000u

struct item {
	uint32_t number, zero;
	struct item *self;
};

static void elements_stay(void **state)
{
	struct f2fs_context *ctx;
	struct chunks all;
	char **list;

	(void)state;
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	chunks_init(&all, ctx, sizeof(struct item));
	assert_int_equal(chunks_reserve(&all, RESERVED), 0);
	list = all.list;
	for (uint32_t i = 0; i < COUNT; i++) {
		struct item *item = chunks_push(&all);

		assert_non_null(item);
		assert_true(item->number == 0 && item->zero == 0 && item->self == NULL);
		item->number = i;
		item->self = item;
		if (i < RESERVED) /* readers may use the list meanwhile */
			assert_ptr_equal(all.list, list);
	}
	assert_int_equal(all.count, COUNT);
	for (uint32_t i = 0; i < COUNT; i++) {
		const struct item *item = chunks_at(&all, i);

		assert_true(item->number == i && item->zero == 0 && item->self == item);
	}
	assert_true(chunks_memory(&all) >= COUNT * sizeof(struct item));
	chunks_fini(&all);
	assert_int_equal(all.count, 0);
	f2fs_context_close(ctx);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(elements_stay) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
