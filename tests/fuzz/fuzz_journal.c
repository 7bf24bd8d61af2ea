/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Any bytes as a journal: a journal that passes has its entries inside and in range. */
#include <stdlib.h>
#include <string.h>

#include "format/summary.h"
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct f2fs_geometry geo;
	uint8_t *journal;

	memset(&geo, 0, sizeof(geo));
	geometry_set_block_size(&geo, size > 0 && (data[0] & 1) ? 14 : 12, 0);
	geo.max_nid = 232960;
	geo.segment_count_main = 24;
	/* on the heap, of its exact size: a sanitizer sees a step outside */
	journal = calloc(1, geo.journal_size);
	if (!journal)
		abort();
	if (size > 1)
		memcpy(journal, data + 1, size - 1 < geo.journal_size ? size - 1 : geo.journal_size);
	if (journal_check_nat(&geo, journal) == RULE_NONE)
		for (unsigned i = 0; i < journal_count(journal); i++)
			if (natj_nid(journal_nat_entry(journal, i)) >= geo.max_nid ||
			    journal_nat_entry(journal, i) + natj_SIZE > journal + geo.journal_size)
				abort();
	if (journal_check_sit(&geo, journal) == RULE_NONE)
		for (unsigned i = 0; i < journal_count(journal); i++)
			if (sitj_segno(journal_sit_entry(journal, i)) >= geo.segment_count_main ||
			    journal_sit_entry(journal, i) + sitj_SIZE > journal + geo.journal_size)
				abort();
	free(journal);
	return 0;
}
