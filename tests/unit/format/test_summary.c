/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Summary blocks: journals and their limits, and where the entries of compact summaries are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "format/summary.h"
#include "unit/sample.h"

static uint8_t summary[SAMPLE_BLOCK];

static void parts_of_a_summary(void **state)
{
	struct f2fs_geometry geo;

	(void)state;
	sample_geometry(&geo, 12, 0);
	assert_int_equal(geo.journal_offset, 3584);
	assert_ptr_equal(summary_footer_of(&geo, summary), summary + 4091);
	sample_geometry(&geo, 14, 0);
	assert_int_equal(geo.journal_offset, 14336);
	assert_ptr_equal(summary_footer_of(&geo, summary), summary + 16379);
	sample_geometry(&geo, 14, F2FS_FEAT_PACKED_SSA);
	assert_int_equal(geo.journal_offset, 3584);
	assert_ptr_equal(summary_footer_of(&geo, summary), summary + 4091);
}

/* Fill a NAT journal with n distinct ids from 4 on. */
static void fill_nat_journal(uint8_t *journal, unsigned n)
{
	put_le16(journal, (uint16_t)n);
	for (unsigned i = 0; i < n && i < 200; i++)
		natj_set_nid(journal + 2 + i * natj_SIZE, 4 + i);
}

static void nat_journals(void **state)
{
	static const uint32_t max[2] = { 38, 157 };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct f2fs_geometry geo;
		uint8_t *journal = summary + 100;

		memset(summary, 0, sizeof(summary));
		sample_geometry(&geo, k == 0 ? 12 : 14, 0);
		for (unsigned n = 0; n <= max[k]; n++) {
			fill_nat_journal(journal, n);
			assert_int_equal(journal_check_nat(&geo, journal), RULE_NONE);
		}
		fill_nat_journal(journal, max[k] + 1);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NATJ_COUNT);
		put_le16(journal, 0xFFFF);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NATJ_COUNT);
		fill_nat_journal(journal, max[k]);
		natj_set_nid(journal + 2 + 20 * natj_SIZE, geo.max_nid);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NATJ_NID);
		natj_set_nid(journal + 2 + 20 * natj_SIZE, 0);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NATJ_NID);
		natj_set_nid(journal + 2 + 20 * natj_SIZE, geo.max_nid - 1);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NONE);
		/* one id twice: which of the two would be true? */
		natj_set_nid(journal + 2 + 20 * natj_SIZE, 4);
		assert_int_equal(journal_check_nat(&geo, journal), RULE_NATJ_NID);
	}
}

static void sit_journals(void **state)
{
	static const uint32_t max[2] = { 6, 26 };

	(void)state;
	for (unsigned k = 0; k < 2; k++) {
		struct f2fs_geometry geo;
		uint8_t *journal = summary + 100;

		memset(summary, 0, sizeof(summary));
		sample_geometry(&geo, k == 0 ? 12 : 14, 0);
		geo.segment_count_main = 100;
		for (unsigned n = 0; n <= max[k]; n++) {
			put_le16(journal, (uint16_t)n);
			if (n > 0)
				sitj_set_segno(journal + 2 + (n - 1) * sitj_SIZE, 99 - n);
			assert_int_equal(journal_check_sit(&geo, journal), RULE_NONE);
		}
		put_le16(journal, (uint16_t)(max[k] + 1));
		assert_int_equal(journal_check_sit(&geo, journal), RULE_SITJ_COUNT);
		put_le16(journal, 2);
		sitj_set_segno(journal + 2 + sitj_SIZE, 100);
		assert_int_equal(journal_check_sit(&geo, journal), RULE_SITJ_SEGNO);
		put_le16(journal, 1);
		assert_int_equal(journal_check_sit(&geo, journal), RULE_NONE);
	}
}

/* FORMAT volume 1.2: entries in the first block, entries in later ones. */
static void compact_entries(void **state)
{
	static const struct {
		unsigned bits;
		uint32_t feature, first, later, journal;
	} rows[] = {
		{ 12, 0, 439, 584, 507 },
		{ 14, 0, 1756, 2339, 2043 },
		{ 14, F2FS_FEAT_PACKED_SSA, 2195, 2339, 507 },
	};

	(void)state;
	for (size_t r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		struct f2fs_geometry geo;
		uint32_t block, offset;

		sample_geometry(&geo, rows[r].bits, rows[r].feature);
		for (uint32_t i = 0; i < 3 * F2FS_SEGMENT_BLOCKS; i++) {
			uint32_t f = rows[r].first, l = rows[r].later;

			summary_compact_position(&geo, i, &block, &offset);
			assert_int_equal(block, i < f ? 0 : 1 + (i - f) / l);
			assert_int_equal(offset, i < f ? 2 * rows[r].journal + 7 * i : (i - f) % l * 7);
			assert_true(offset + sum_SIZE <= geo.block_size - 5);
		}
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(parts_of_a_summary),
		cmocka_unit_test(nat_journals),
		cmocka_unit_test(sit_journals),
		cmocka_unit_test(compact_entries),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
