/* SPDX-License-Identifier: LGPL-2.1-or-later */
/* Ways of writing from the command line. */
#include "cli/writer.h"

#include <f2fskit/write.h>
#include <string.h>

#include "cli/size.h"

static const char *take_logging(struct cli_writer *writer, const char *value)
{
	const size_t n = strcspn(value, ":");
	uint32_t percent = 0;
	char name[16];
	int mode = -1;

	if (n < sizeof(name)) {
		memcpy(name, value, n);
		name[n] = '\0';
		mode = f2fs_logging_find(name);
	}
	if (mode < 0)
		return "is none of adaptive, normal, threaded";
	if (value[n] && mode != F2FS_LOGGING_ADAPTIVE)
		return "has a percentage, which only adaptive logging has";
	if (value[n]) {
		const char *why = cli_parse_u32(value + n + 1, 0, 100, &percent);

		if (why)
			return why;
	}
	writer->options.logging = (uint8_t)mode;
	writer->options.low_sections = (uint8_t)percent;
	writer->options.low_is_exact = value[n] != '\0';
	return NULL;
}

const char *cli_writer_take(struct cli_writer *writer, int id, const char *value)
{
	if (id == CLI_WRITER_logging)
		return take_logging(writer, value);
	if (id == CLI_WRITER_placement) {
		writer->has_placement = 1;
		return cli_parse_placement(value, &writer->placement);
	}
	writer->no_gc = 1;
	return NULL;
}

int cli_writer_apply(struct cli_writer *writer, struct f2fs_volume *vol)
{
	const struct f2fs_gc_options gc = { F2FS_SIZED(f2fs_gc_options),
						  .policy = writer->has_placement ? writer->placement.victims
										  : F2FS_GC_GREEDY };
	int err;

	writer->options.struct_size = sizeof(writer->options);
	err = f2fs_volume_configure(vol, &writer->options);
	if (!err)
		err = f2fs_volume_set_gc(vol, writer->no_gc ? NULL : &gc);
	if (!err && writer->has_placement)
		err = f2fs_hotness_open(vol, &writer->placement.options, &writer->hotness);
	return err;
}

void cli_writer_close(struct cli_writer *writer, struct f2fs_volume *vol)
{
	struct f2fs_hotness *hotness = writer->hotness;

	writer->hotness = NULL;
	if (f2fs_hotness_close(hotness) == 0)
		return;
	f2fs_volume_rollback(vol); /* changes that nobody will commit any more */
	(void)f2fs_hotness_close(hotness);
}
