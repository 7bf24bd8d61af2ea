/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Extensions in names: the set of first letters leaves out no extension that matches. */
#include "base/extension.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define COUNT(list) (sizeof(list) / sizeof((list)[0]))

static void test_starts(void **state)
{
	static const char *const names[] = { "", ".", "a.", ".mp4", "a.mp4", "a.MP4", "a.mp4x", "a.b.c", "a..mp4",
					     "film", "a.0", "x.mp4.part" };
	static const char *const extensions[] = { "*", "mp4", "Mp4", "b", "c", "0", "part", "jpg", "" };
	unsigned matches = 0;

	(void)state;
	for (size_t i = 0; i < COUNT(names); i++)
		for (size_t k = 0; k < COUNT(extensions); k++) {
			const char *name = names[i], *extension = extensions[k];

			if (!extension_matches(name, strlen(name), extension, strlen(extension), false))
				continue;
			matches++;
			assert_true(extension_may_match(extension_starts(name, strlen(name)), extension));
		}
	assert_true(matches > COUNT(names));
	assert_false(extension_may_match(extension_starts("a.mp4", 5), "jpg"));
	assert_int_equal(extension_starts("film", 4), 0);
	assert_int_equal(extension_starts(".film", 5), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(test_starts) };

	return cmocka_run_group_tests(tests, NULL, NULL);
}
