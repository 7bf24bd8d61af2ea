/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Optional parts: the build's report about itself. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <cmocka.h>

#include <f2fskit/error.h>

#include "base/comp.h"
#include "base/part.h"
#include "base/sha.h"
#include "base/unicode.h"
#include "f2fskit_config.h"

static const struct f2fs_build_part *find(const char *name)
{
	static struct f2fs_build_part part = { F2FS_SIZED(f2fs_build_part) };
	unsigned index = 0;

	while (f2fs_build_info(index, &part) == 0) {
		if (strcmp(part.name, name) == 0)
			return &part;
		index++;
	}
	assert_int_equal(index, PART_COUNT);
	return NULL;
}

static void parts_are_those_of_the_build(void **state)
{
	static const struct {
		const char *name, *library;
		int is_built_in;
	} rows[] = {
		{ "archive", "libarchive", HAVE_ARCHIVE },	  { "blkid", "libblkid", HAVE_BLKID },
		{ "casefold", "libutf8proc", HAVE_UTF8PROC },	  { "crypto", "libcrypto", HAVE_CRYPTO },
		{ "libdeflate", "libdeflate", HAVE_LIBDEFLATE }, { "lz4", "liblz4", HAVE_LZ4 },
		{ "zstd", "libzstd", HAVE_ZSTD },
	};

	(void)state;
	assert_int_equal(sizeof(rows) / sizeof(rows[0]), PART_COUNT);
	for (unsigned i = 0; i < PART_COUNT; i++) {
		const struct f2fs_build_part *part = find(rows[i].name);

		assert_non_null(part);
		assert_string_equal(part->library, rows[i].library);
		assert_true(part->purpose[0] != '\0');
		assert_int_equal(part->is_built_in, rows[i].is_built_in);
		assert_int_equal(part->is_usable, part_is_usable((enum part)i));
		assert_true(part->is_usable <= part->is_built_in);
		if (!part->is_usable)
			assert_non_null(strstr(part_why_not((enum part)i), part->library));
	}
	assert_null(find("lzo"));
}

/* The code that needs a part refuses one that cannot be used. */
static void missing_parts_are_not_used(void **state)
{
	(void)state;
	assert_int_equal(comp_can_decompress(COMP_LZ4), find("lz4")->is_usable);
	assert_int_equal(comp_can_compress(COMP_ZSTD), find("zstd")->is_usable);
	assert_int_equal(unicode_is_available(), find("casefold")->is_usable);
	assert_int_equal(sha_is_available(SHA_512), find("crypto")->is_usable);
	assert_true(sha_is_available(SHA_256) && comp_can_compress(COMP_LZO) && part_is_usable(PART_NONE));
}

/* A program that was compiled with a smaller struct gets no more than that. */
static void smaller_structs(void **state)
{
	struct f2fs_build_part part = { .struct_size = offsetof(struct f2fs_build_part, purpose), .is_usable = 77 };

	(void)state;
	assert_int_equal(f2fs_build_info(0, &part), 0);
	assert_non_null(part.name);
	assert_null(part.purpose);
	assert_int_equal(part.is_usable, 77);
	assert_int_equal(f2fs_build_info(PART_COUNT, &part), F2FS_ERR_NOT_FOUND);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_are_those_of_the_build),
		cmocka_unit_test(missing_parts_are_not_used),
		cmocka_unit_test(smaller_structs),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
