/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* The field tables: they tile each structure, and reading every field and storing it again gives the same bytes. */
#include <f2fskit/format.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "format/rules.h"
#include "format/structs.h"

static void tables_tile_structures(void **state)
{
	const struct f2fs_struct *s;

	(void)state;
	for (unsigned i = 0; (s = f2fs_struct_at(i)) != NULL; i++) {
		uint32_t at = 0;

		for (uint32_t f = 0; f < s->field_count; f++) {
			const struct f2fs_field *field = &s->fields[f];

			if (field->offset != at)
				fail_msg("%s.%s is at %u, expected %u", s->name, field->name, field->offset, at);
			at += field->count * f2fs_field_width(field);
			assert_ptr_equal(f2fs_field_find(s, field->name), field);
		}
		if (at != s->size)
			fail_msg("%s ends at %u of %u", s->name, at, s->size);
		assert_ptr_equal(f2fs_struct_find(s->name), s);
	}
	assert_null(f2fs_struct_find("nothing"));
}

static void copy_fields(const struct f2fs_struct *s, const uint8_t *from, uint8_t *to)
{
	for (uint32_t f = 0; f < s->field_count; f++) {
		const struct f2fs_field *field = &s->fields[f];

		if (field->type == F2FS_FIELD_BYTES) {
			memcpy(to + field->offset, from + field->offset, field->count);
			continue;
		}
		for (uint32_t i = 0; i < field->count; i++)
			f2fs_field_set(field, to, i, f2fs_field_get(field, from, i));
	}
}

static void get_then_set_is_identity(void **state)
{
	const struct f2fs_struct *s;

	(void)state;
	srand(1);
	for (unsigned i = 0; (s = f2fs_struct_at(i)) != NULL; i++) {
		uint8_t *from = malloc(s->size), *to = calloc(1, s->size);

		assert_non_null(from);
		assert_non_null(to);
		for (unsigned round = 0; round < 50; round++) {
			for (uint32_t b = 0; b < s->size; b++)
				from[b] = (uint8_t)rand();
			copy_fields(s, from, to);
			assert_memory_equal(from, to, s->size);
		}
		free(from);
		free(to);
	}
}

static void accessors_match_table(void **state)
{
	uint8_t sb[sb_SIZE] = { 0 };

	(void)state;
	sb_set_block_count(sb, 0x0123456789ABCDEFu);
	assert_int_equal(sb[36], 0xEF);
	assert_int_equal(sb[43], 0x01);
	sb_set_qf_ino(sb, 2, 7);
	assert_int_equal(sb[2745 + 8], 7);
	assert_true(sb_block_count(sb) == 0x0123456789ABCDEFu);
	assert_int_equal(f2fs_field_get(f2fs_field_find(f2fs_struct_find("superblock"), "qf_ino"), sb, 2), 7);
}

static void flags_are_found(void **state)
{
	unsigned n = 0;
	const struct f2fs_flag *flags = f2fs_flags_find("ckpt_flags", &n);

	(void)state;
	assert_non_null(flags);
	assert_int_equal(n, 15);
	assert_string_equal(flags[0].name, "unmount");
	flags = f2fs_flags_find("s_errors", &n);
	assert_non_null(flags);
	assert_int_equal(n, 18);
	assert_string_equal(flags[17].name, "corrupted_orphan");
	flags = f2fs_flags_find("s_stop_reason", &n);
	assert_non_null(flags);
	for (unsigned i = 0; i < n; i++)
		assert_int_equal(flags[i].mask, 1u << i);
	assert_null(f2fs_flags_find("nothing", &n));
}

static void rules_are_unique(void **state)
{
	const struct f2fs_rule *rule;
	unsigned last = 0;

	(void)state;
	for (unsigned i = 0; (rule = f2fs_rule_at(i)) != NULL; i++) {
		assert_true(rule->id > last);
		last = rule->id;
		assert_ptr_equal(f2fs_rule_find(rule->name), rule);
		assert_ptr_equal(rule_row((enum rule)rule->id), rule);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tables_tile_structures), cmocka_unit_test(get_then_set_is_identity),
		cmocka_unit_test(accessors_match_table),  cmocka_unit_test(flags_are_found),
		cmocka_unit_test(rules_are_unique),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
