/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* map32 against a plain array under random insertions and removals. */
#include "base/map32.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#define KEYS 1000u
#define KEY(i) (~((uint32_t)(i) * 64)) /* 0xFFFFFFFF among them */

static void agrees_with_array(void **state)
{
	struct f2fs_context *ctx;
	struct map32 map;
	uint64_t *plain = calloc(KEYS, sizeof(*plain));
	uint32_t random = 1;

	(void)state;
	assert_non_null(plain);
	assert_int_equal(f2fs_context_open(NULL, &ctx), 0);
	map32_init(&map, ctx);
	for (unsigned step = 0; step < 50000; step++) {
		uint32_t key;

		random = random * 1664525u + 1013904223u;
		key = (random >> 8) % KEYS;
		if (random & 0x80) {
			assert_int_equal(map32_set(&map, KEY(key), step + 1), 0);
			plain[key] = step + 1;
		} else {
			map32_remove(&map, KEY(key));
			plain[key] = 0;
		}
		key = (random >> 12) % KEYS;
		uint64_t *found = map32_find(&map, KEY(key));

		assert_int_equal(found ? *found : 0, plain[key]);
	}
	map32_fini(&map);
	f2fs_context_close(ctx);
	free(plain);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(agrees_with_array) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
