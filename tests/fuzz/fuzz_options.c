/* SPDX-License-Identifier: LGPL-2.1-or-later */
/*
 * Any bytes as a command line: options and operands, sizes, numbers, lists of features, placements, addresses of fields
 * and values for them, patterns of names. A parser reports an error or returns a value within its bounds. Operands are
 * words of the input. A value that was set reads back.
 */
#include <f2fskit/f2fskit.h>

#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/compression.h"
#include "cli/feature_list.h"
#include "cli/opt.h"
#include "cli/placement.h"
#include "cli/size.h"
#include "cli/uuid.h"
#include "common/test_host.h"
#include "fuzz/fuzz.h"

#define LONGEST 4096u
#define MOST_WORDS 40
#define VOLUME_SIZE ((uint64_t)48 << 20)

enum { OPT_NONE, OPT_FORCE, OPT_YES, OPT_SIZE, OPT_PREEN, OPT_MODE, OPT_LONG, OPT_COUNT };

static const struct cli_option options[] = {
	CLI_GROUP_ROW("First group")
	CLI_OPTION_ROW(FORCE, 'f', "force", NONE, NULL, "overwrite", "")
	CLI_OPTION_ROW(YES, 'y', NULL, NONE, NULL, "answer yes", "")
	CLI_OPTION_ROW(SIZE, 'b', "block-size", REQUIRED, "SIZE", "size of a block", "More\\on\nit.")
	CLI_OPTION_ROW(PREEN, 'p', "preen", NUMBER, "LEVEL", "repair", "")
	CLI_OPTION_ROW(MODE, 'm', "mode", OPTIONAL, "MODE", "a mode", "")
	CLI_OPTION_ROW(LONG, 0, "force-long", NONE, NULL, "one whose name begins as another's", "")
};
static const char *const usage[] = { "[options] DEVICE", NULL };
static const struct cli_exit exits[] = { { 0, "done" }, { 16, "wrong usage" } };
static const struct cli_tool tool = { .name = "tool",
				      .usage = usage,
				      .summary = "A tool.",
				      .options = options,
				      .option_count = sizeof(options) / sizeof(options[0]),
				      .exits = exits,
				      .exit_count = 2 };

static void require(int good, const char *what)
{
	if (good)
		return;
	fprintf(stderr, "%s\n", what);
	abort();
}

/* Let output and messages go to these descriptors. */
static void turn(int out, int err)
{
	fflush(stdout);
	fflush(stderr);
	require(dup2(out, STDOUT_FILENO) >= 0 && dup2(err, STDERR_FILENO) >= 0, "no output");
}

/* Parse one word a line; messages about wrong ones go nowhere. */
static void parse_words(char *text)
{
	char *argv[MOST_WORDS + 2] = { tool.name ? (char *)(uintptr_t)tool.name : NULL };
	const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO), nowhere = open("/dev/null", O_WRONLY);
	struct cli_parser p;
	int argc = 1, steps = 0, id;

	for (char *word = text; argc <= MOST_WORDS; argc++) {
		char *end = strchr(word, '\n');

		argv[argc] = word;
		if (!end)
			break;
		*end = 0;
		word = end + 1;
	}
	argc += argc <= MOST_WORDS;
	require(out >= 0 && err >= 0 && nowhere >= 0, "no /dev/null");
	turn(nowhere, nowhere);
	cli_opt_init(&p, &tool, argc, argv);
	while ((id = cli_opt_next(&p)) > 0 && id < OPT_COUNT && steps <= (int)LONGEST)
		steps++;
	turn(out, err);
	close(out);
	close(err);
	close(nowhere);
	require(id <= 0 && id >= CLI_OPT_EXIT, "no end, or an option that is not in the table");
	for (int i = 0; id == CLI_OPT_END && i < p.operand_count; i++)
		require(p.operands[i] >= text && p.operands[i] <= text + LONGEST, "an operand that was not given");
}

static void parse_numbers(const char *text)
{
	uint64_t number = 0, bytes = 0;
	uint32_t small = 0;
	int64_t with_sign = 0;
	double fraction = 0;
	char shown[24];

	if (!cli_parse_size(text, 1, 512, &bytes))
		require(strlen(cli_format_size(bytes, shown)) < sizeof(shown), "a size that is not shown");
	require(cli_parse_u64(text, 7, 1000000, &number) || (number >= 7 && number <= 1000000), "out of bounds");
	require(cli_parse_u32(text, 2, 9, &small) || (small >= 2 && small <= 9), "out of bounds");
	if (!cli_parse_u64(text, 0, UINT64_MAX, &number) && !cli_parse_s64(text, &with_sign))
		require(with_sign < 0 || number == (uint64_t)with_sign, "two numbers of one text");
	require(cli_parse_fraction(text, &fraction) || isfinite(fraction), "a fraction without end");
}

static void parse_lists(const char *text)
{
	const uint32_t settable = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_QUOTA | F2FS_FEAT_VERITY;
	struct f2fs_compression how = { 0 };
	struct cli_placement placement;
	struct cli_encoding encoding;
	uint32_t features = 0;
	uint8_t uuid[16];

	require(cli_parse_features(text, settable, &features) || !(features & ~settable), "a feature not offered");
	memset(&placement, 0, sizeof(placement));
	memset(&encoding, 0, sizeof(encoding));
	require(cli_parse_encoding(text, &encoding) || encoding.flags < 4, "an unknown flag");
	cli_parse_placement(text, &placement);
	cli_parse_compression(text, &how);
	cli_parse_uuid(text, uuid);
}

static int take(void *user, const void *data, size_t length)
{
	(void)user;
	(void)data;
	(void)length;
	return 0;
}

/* ADDRESS=VALUE on a volume, and the text as a pattern of names. */
static void address_fields(struct f2fs_context *ctx, struct f2fs_device *dev, char *text)
{
	const struct f2fs_stream tar = { .write = take };
	const char *const patterns[] = { text };
	struct f2fs_extract_options extract = { F2FS_SIZED(f2fs_extract_options),
						.tar = &tar, .include = patterns, .include_count = 1, .threads = 1 };
	struct f2fs_inject_value *value = malloc(2 * sizeof(*value));
	char *equals = strchr(text, '=');
	struct f2fs_inject *inject;
	struct f2fs_volume *vol;

	require(value != NULL, "no memory");
	require(f2fs_volume_open(ctx, dev, NULL, &vol) == 0, "no volume");
	f2fs_extract(vol, &extract, NULL);
	extract.include_count = 0;
	extract.exclude = patterns;
	extract.exclude_count = 1;
	f2fs_extract(vol, &extract, NULL);
	f2fs_volume_close(vol);
	if (equals)
		*equals = 0;
	require(f2fs_inject_open(ctx, dev, NULL, &inject) == 0, "the volume cannot be looked at");
	if (f2fs_inject_get(inject, text, &value[0]) == 0 && equals &&
	    f2fs_inject_set(inject, text, equals + 1, 0, &value[1]) == 0)
		require(value[0].number == value[1].number && value[0].size == value[1].size, "another old value");
	f2fs_inject_close(inject);
	free(value);
}

static void on_volume(char *text)
{
	const struct f2fs_mkfs_options mkfs = { F2FS_SIZED(f2fs_mkfs_options),
						.feature = F2FS_FEAT_EXTRA_ATTR | F2FS_FEAT_LOST_FOUND };
	struct f2fs_mkfs_device device = { 0 };
	struct f2fs_context *ctx;
	struct test_host host;

	test_host_init(&host);
	require(f2fs_context_open(&host.host, &ctx) == 0, "no context");
	require(f2fs_device_open_memory(ctx, VOLUME_SIZE, &device.device) == 0, "no device");
	require(f2fs_mkfs_write(ctx, &device, 1, &mkfs, NULL) == 0, "no volume");
	address_fields(ctx, device.device, text);
	f2fs_device_close(device.device);
	f2fs_context_close(ctx);
	require(host.live == 0, "memory was kept");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static char text[LONGEST + 1];

	if (size < 1 || size > LONGEST)
		return 0;
	memcpy(text, data + 1, size - 1);
	text[size - 1] = 0;
	switch (data[0] % 4) {
	case 0:
		parse_words(text);
		break;
	case 1:
		parse_numbers(text);
		break;
	case 2:
		parse_lists(text);
		break;
	default:
		on_volume(text);
		break;
	}
	return 0;
}
