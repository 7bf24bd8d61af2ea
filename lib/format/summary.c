/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Journal rules and the arithmetic of compact summaries.
 */
#include "format/summary.h"

#include "format/flags.h"

bool journal_nat_is_sound(const struct f2fs_geometry *geo, const uint8_t *journal, unsigned i)
{
	const f2fs_nid_t nid = natj_nid(journal_nat_entry(journal, i));

	for (unsigned j = 0; j < i; j++)
		if (natj_nid(journal_nat_entry(journal, j)) == nid)
			return false;
	return nid != 0 && nid < geo->max_nid;
}

bool journal_sit_is_sound(const struct f2fs_geometry *geo, const uint8_t *journal, unsigned i)
{
	return sitj_segno(journal_sit_entry(journal, i)) < geo->segment_count_main;
}

enum rule journal_check_nat(const struct f2fs_geometry *geo, const uint8_t *journal)
{
	unsigned n = journal_count(journal);

	if (n > geo->nat_journal_max)
		return RULE_NATJ_COUNT;
	for (unsigned i = 0; i < n; i++)
		if (!journal_nat_is_sound(geo, journal, i))
			return RULE_NATJ_NID;
	return RULE_NONE;
}

enum rule journal_check_sit(const struct f2fs_geometry *geo, const uint8_t *journal)
{
	unsigned n = journal_count(journal);

	if (n > geo->sit_journal_max)
		return RULE_SITJ_COUNT;
	for (unsigned i = 0; i < n; i++)
		if (!journal_sit_is_sound(geo, journal, i))
			return RULE_SITJ_SEGNO;
	return RULE_NONE;
}

void summary_compact_position(const struct f2fs_geometry *geo, uint32_t index, uint32_t *block, uint32_t *offset)
{
	const uint32_t room = geo->block_size - sumfoot_SIZE;
	const uint32_t first = (room - 2 * geo->journal_size) / sum_SIZE, later = room / sum_SIZE;

	if (index < first) {
		*block = 0;
		*offset = 2 * geo->journal_size + index * sum_SIZE;
		return;
	}
	*block = 1 + (index - first) / later;
	*offset = (index - first) % later * sum_SIZE;
}
