/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * The sums, and the comparison.
 */
#include "common/tally.h"

void tally_add(struct tally *tally, const struct f2fs_device *recorder)
{
	for (uint64_t i = 0; i < f2fs_device_record_count(recorder); i++) {
		struct f2fs_record record = { 0 };

		f2fs_device_record_at(recorder, i, &record);
		if (record.kind == F2FS_RECORD_WRITE) {
			tally->written += record.length;
			tally->writes++;
		} else if (record.kind == F2FS_RECORD_ZERO) {
			tally->zeroed += record.length;
		} else if (record.kind == F2FS_RECORD_DISCARD) {
			tally->discarded += record.length;
			tally->discards++;
		} else {
			tally->flushes++;
		}
	}
}

const char *tally_differs(const struct tally *tally, const struct f2fs_volume *vol)
{
	struct f2fs_counters counted = { F2FS_SIZED(f2fs_counters) };
	uint64_t bytes = 0, requests = 0, sizes = 0;

	f2fs_volume_counters(vol, &counted);
	for (unsigned i = 0; i < F2FS_WRITE_CAUSES; i++) {
		bytes += counted.bytes[i];
		requests += counted.requests[i];
	}
	for (unsigned i = 0; i < F2FS_COUNTER_SIZES; i++)
		sizes += counted.sizes[i];
	return bytes != tally->written				? "bytes written"
	       : requests != tally->writes || sizes != requests ? "writes"
	       : counted.zero_bytes != tally->zeroed		? "bytes made zero"
	       : counted.discard_bytes != tally->discarded	? "bytes discarded"
	       : counted.discards != tally->discards		? "discards"
	       : counted.flushes != tally->flushes		? "flushes"
								: NULL;
}
